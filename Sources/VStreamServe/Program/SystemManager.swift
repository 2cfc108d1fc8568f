internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The service manager that started the program: systemd, with `Type=notify`. Without one, nothing happens.
enum SystemManager {
  /// Sends a state as `sd_notify` does: a datagram to the socket that the environment names.
  static func notify(_ state: String) {
    guard let path = Installation.environment("NOTIFY_SOCKET"),
      path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { name in
      name.copyBytes(from: path.utf8)
      // An abstract name, which begins with a zero.
      if name.first == UInt8(ascii: "@") { name[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    let bytes = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), general, length)
      }
    }
  }

  /// Seconds between signs of life: half of the time after which the manager restarts the program; `nil` if it does not.
  static let watchdogInterval: Double? = {
    guard let text = Installation.environment("WATCHDOG_USEC"), let microseconds = Double(text), microseconds > 0 else {
      return nil
    }
    return microseconds * 1e-6 / 2
  }()
}
