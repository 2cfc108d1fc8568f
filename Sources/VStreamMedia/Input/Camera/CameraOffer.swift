package import VStreamCore
internal import VStreamSystem

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
