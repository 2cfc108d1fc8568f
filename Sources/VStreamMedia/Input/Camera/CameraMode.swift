public import VStreamScene
internal import VStreamSystem

/// What a camera can give: pictures of one coding and size, at some rates.
public struct CameraOffer: Hashable, Sendable {
  /// FFmpeg's name of the pixel format (`yuyv422`) or codec (`mjpeg`).
  public let coding: String
  public let size: PixelSize
  /// Frames per second; empty if the camera does not say.
  public let rates: [Rational]

  public init(_ coding: String, _ size: PixelSize, rates: [Rational]) {
    self.coding = coding
    self.size = size
    self.rates = rates
  }

  /// Codecs that cameras have, in the order in which they are preferred: what takes least time to decode, and loses least.
  static let codecs = ["mjpeg", "h264", "hevc", "mpeg4", "vp8", "vp9"]
  /// Pixel formats in the order in which they are preferred: those that encoders take as they are.
  private static let formats = ["yuv420p", "nv12", "yuyv422", "uyvy422", "yuv422p"]

  var isRaw: Bool { !Self.codecs.contains(coding) }

  /// How soon the coding is chosen among those that reach the rate; lower is sooner.
  var rank: Int {
    if let place = Self.codecs.firstIndex(of: coding) { return 1000 + place }
    if let place = Self.formats.firstIndex(of: coding) { return place }
    return coding.hasPrefix("gray") ? 200 : 100
  }

  /// The slowest rate that is at least the wanted one, give or take a hundredth; `nil` if there is none.
  func rate(atLeast wanted: Double) -> Rational? {
    rates.filter { $0.value >= wanted * 0.99 }.min { $0.value < $1.value }
  }

  var fastest: Rational? { rates.max { $0.value < $1.value } }
}

/// What a camera is asked to give.
public struct CameraMode: Hashable, Sendable {
  public let coding: String
  public let size: PixelSize
  /// Frames per second; `nil` if the camera does not say.
  public let rate: Rational?

  public init(_ coding: String, _ size: PixelSize, rate: Rational?) {
    self.coding = coding
    self.size = size
    self.rate = rate
  }

  /// The largest picture that is asked for if no size is wanted.
  public static let usualSize = PixelSize(width: 1280, height: 720)
  /// Frames per second that are looked for if no rate is wanted, one after the other.
  static let usualRates = [30.0, 25.0]

  /// Chooses from what a camera offers.
  ///
  /// - Parameters:
  ///   - size: as wanted; `nil` for the largest up to 1280×720 that reaches 30 frames per second, else 25, else as many as
  ///     there are.
  ///   - rate: frames per second as wanted; of those that are offered the next that is not slower.
  ///   - coding: a pixel format or codec as wanted; `nil` for raw pictures where they reach the rate, else Motion JPEG, else
  ///     H.264.
  /// - Throws: `VStreamError.usage` if what is wanted is not offered, with what is.
  public static func choose(
    from offers: [CameraOffer], size: PixelSize?, rate: Double?, coding: String?
  ) throws(VStreamError) -> CameraMode {
    let fitting = offers.filter { (size == nil || $0.size == size) && (coding == nil || $0.coding == coding) }
    guard !fitting.isEmpty else { throw notOffered(describe(size: size, rate: nil, coding: coding), offers) }
    let small = fitting.filter { $0.size.width <= usualSize.width && $0.size.height <= usualSize.height }
    let candidates = size != nil ? fitting : small.isEmpty ? smallest(of: fitting) : small
    for target in rate.map({ [$0] }) ?? usualRates {
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

  /// The largest, of equals the one whose coding is preferred.
  private static func best(of offers: [CameraOffer]) -> CameraOffer? {
    offers.min { ($1.area, $0.rank, $0.coding) < ($0.area, $1.rank, $1.coding) }
  }

  private static func smallest(of offers: [CameraOffer]) -> [CameraOffer] {
    let least = offers.map(\.area).min()
    return offers.filter { $0.area == least }
  }

  private static func describe(size: PixelSize?, rate: Double?, coding: String?) -> String {
    [
      size.map { "video_size=\(shown($0))" }, rate.map { "framerate=\($0.formatted(.decimals(0...2)))" },
      coding.map { "input_format=\($0)" },
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }

  private static func notOffered(_ what: String, _ offers: [CameraOffer]) -> VStreamError {
    VStreamError(
      .usage, "the camera does not offer \(what) (--input-option)", remedy: "it has \(list(offers))")
  }

  /// What a camera offers on one line, codings of equal sizes and rates together:
  /// `yuyv422: 640x480 (up to 30 fps), 320x240 (up to 30 fps); mjpeg, h264: 1280x720 (up to 30 fps)`.
  static func list(_ offers: [CameraOffer]) -> String {
    var groups: [(codings: [String], sizes: String)] = []
    for coding in offers.map(\.coding) where !groups.contains(where: { $0.codings.contains(coding) }) {
      let sizes = offers.filter { $0.coding == coding }.sorted { $0.area > $1.area }.map { offer in
        shown(offer.size) + (offer.fastest.map { " (up to \($0.value.formatted(.decimals(0...2))) fps)" } ?? "")
      }.joined(separator: ", ")
      if let index = groups.firstIndex(where: { $0.sizes == sizes }) {
        groups[index].codings.append(coding)
      } else {
        groups.append(([coding], sizes))
      }
    }
    return groups.map { "\($0.codings.joined(separator: ", ")): \($0.sizes)" }.joined(separator: "; ")
  }

  /// As options take it.
  private static func shown(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
}

extension CameraOffer {
  fileprivate var area: Int { size.width * size.height }
}
