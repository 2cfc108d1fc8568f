package import VStreamCore
internal import VStreamSystem

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
