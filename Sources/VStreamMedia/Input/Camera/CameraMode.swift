internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The coding, size and rate that a camera is set to.
package struct CameraMode: Hashable, Sendable {
  package let coding: String
  package let size: PixelSize
  /// Frames per second; `nil` if the camera does not list them.
  package let rate: Rational?

  package init(_ coding: String, _ size: PixelSize, rate: Rational?) {
    self.coding = coding
    self.size = size
    self.rate = rate
  }

  /// The maximum size if the user sets none.
  package static let maximumDefaultSize = PixelSize(width: 1280, height: 720)
  /// Frames per second that are tried in turn if the user sets none.
  static let defaultRates = [30.0, 25.0]

  /// Chooses from the offers of a camera.
  ///
  /// - Parameters:
  ///   - size: The wanted size; `nil` for the largest up to 1280×720 that reaches 30 frames per second, else 25, else the
  ///     highest rate.
  ///   - rate: The least frames per second; the lowest offered rate that reaches it is chosen; `nil` as above.
  ///   - coding: The wanted pixel format or codec; `nil` for raw frames if they reach the rate, else Motion JPEG, else
  ///     H.264.
  /// - Throws: `VStreamError.usage` if nothing that is offered has the wanted properties; it lists the offers.
  package static func choose(
    from offers: [CameraOffer], size: PixelSize?, rate: Double?, coding: String?
  ) throws(VStreamError) -> CameraMode {
    let fitting = offers.filter { (size == nil || $0.size == size) && (coding == nil || $0.coding == coding) }
    guard !fitting.isEmpty else { throw notOffered(describe(size: size, rate: nil, coding: coding), offers) }
    let small = fitting.filter {
      $0.size.width <= maximumDefaultSize.width && $0.size.height <= maximumDefaultSize.height
    }
    let candidates = size != nil ? fitting : small.isEmpty ? smallest(of: fitting) : small
    for target in rate.map({ [$0] }) ?? defaultRates {
      let reaching = candidates.filter { $0.rates.isEmpty || $0.rate(atLeast: target) != nil }
      if let best = best(of: reaching) { return CameraMode(best.coding, best.size, rate: best.rate(atLeast: target)) }
    }
    if rate != nil { throw notOffered(describe(size: size, rate: rate, coding: coding), offers) }
    let top = candidates.compactMap { $0.fastest?.value }.max() ?? 0
    guard let best = best(of: candidates.filter { $0.fastest?.value == top }) else {
      throw notOffered("a rate", offers)
    }
    return CameraMode(best.coding, best.size, rate: best.fastest)
  }

  /// The largest offer; of equally large ones that with the preferred coding.
  private static func best(of offers: [CameraOffer]) -> CameraOffer? {
    offers.min { ($1.area, $0.rank, $0.coding) < ($0.area, $1.rank, $1.coding) }
  }

  private static func smallest(of offers: [CameraOffer]) -> [CameraOffer] {
    let minimum = offers.map(\.area).min()
    return offers.filter { $0.area == minimum }
  }

  private static func describe(size: PixelSize?, rate: Double?, coding: String?) -> String {
    [
      size.map { "video_size=\(CameraOffer.format($0))" }, rate.map { "framerate=\($0.formatted(.decimals(0...2)))" },
      coding.map { "input_format=\($0)" },
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }

  private static func notOffered(_ what: String, _ offers: [CameraOffer]) -> VStreamError {
    VStreamError(
      .usage, "the camera does not offer \(what) (\(.inputOption))", setting: .inputOption, value: what,
      remedy: "it offers \(CameraOffer.list(offers))")
  }
}

/// A coding and size that a camera offers, with its frame rates.
package struct CameraOffer: Hashable, Sendable {
  /// FFmpeg's name of the pixel format (`yuyv422`) or codec (`mjpeg`).
  package let coding: String
  package let size: PixelSize
  /// Frames per second; empty if the camera does not list them.
  package let rates: [Rational]

  package init(_ coding: String, _ size: PixelSize, rates: [Rational]) {
    self.coding = coding
    self.size = size
    self.rates = rates
  }

  /// The codecs of cameras in order of preference: fast decoding and low loss first.
  static let codecs = ["mjpeg", "h264", "hevc", "mpeg4", "vp8", "vp9"]
  /// Pixel formats in order of preference: encoders take these without a conversion.
  private static let formats = ["yuv420p", "nv12", "yuyv422", "uyvy422", "yuv422p"]

  /// The rank among codings that reach the rate; the lowest is preferred.
  var rank: Int {
    if let index = Self.codecs.firstIndex(of: coding) { return 1000 + index }
    if let index = Self.formats.firstIndex(of: coding) { return index }
    return coding.hasPrefix("gray") ? 200 : 100
  }

  /// The lowest rate that is at least the wanted one, with 1 % tolerance; `nil` if there is none.
  func rate(atLeast wanted: Double) -> Rational? {
    rates.filter { $0.value >= wanted * 0.99 }.min { $0.value < $1.value }
  }

  var fastest: Rational? { rates.max { $0.value < $1.value } }

  var area: Int { size.width * size.height }

  /// Offers on one line, with the codings that have the same sizes and rates together:
  /// `yuyv422: 640x480 (up to 30 fps), 320x240 (up to 30 fps); mjpeg, h264: 1280x720 (up to 30 fps)`.
  static func list(_ offers: [CameraOffer]) -> String {
    var groups: [(codings: [String], sizes: String)] = []
    for coding in offers.map(\.coding) where !groups.contains(where: { $0.codings.contains(coding) }) {
      let sizes = offers.filter { $0.coding == coding }.sorted { $0.area > $1.area }.map { offer in
        format(offer.size) + (offer.fastest.map { " (up to \($0.value.formatted(.decimals(0...2))) fps)" } ?? "")
      }.joined(separator: ", ")
      if let index = groups.firstIndex(where: { $0.sizes == sizes }) {
        groups[index].codings.append(coding)
      } else {
        groups.append(([coding], sizes))
      }
    }
    return groups.map { "\($0.codings.joined(separator: ", ")): \($0.sizes)" }.joined(separator: "; ")
  }

  /// A size in the syntax of FFmpeg's options.
  static func format(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
}

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
