internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// A camera of this machine.
package struct ConnectedCamera: Sendable {
  package let path: String
  /// Its modes; empty if its driver does not list them.
  package let offers: [CameraOffer]
  /// Why it cannot be read; `nil` if it can.
  package let problem: VStreamError?

  /// All devices that record video, in the order of their numbers.
  package static func all(in folder: String = "/dev") -> [ConnectedCamera] {
    let numbers = ((try? Folder.names(in: folder)) ?? []).compactMap { name in
      name.hasPrefix("video") ? Int(name.dropFirst("video".count)) : nil
    }
    return numbers.sorted().compactMap { ConnectedCamera("\(folder)/video\($0)") }
  }

  /// - Returns: `nil` for other devices, such as a camera's metadata device.
  private init?(_ path: String) {
    self.path = path
    guard Camera.isCamera(path), !Self.capturesNothing(path) else { return nil }
    do throws(VStreamError) {
      offers = try Camera(path).offers(including: nil)
      problem = nil
    } catch {
      offers = []
      problem = error
    }
  }

  /// Whether a device can be opened and has no video to read.
  private static func capturesNothing(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return CVStreamCamera_canCapture(descriptor) <= 0
  }
}
