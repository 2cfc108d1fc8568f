internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// An sRGB colour, 0…1 per component.
public struct Color: Hashable, Sendable {
  /// 0…1.
  public var red: Double
  /// 0…1.
  public var green: Double
  /// 0…1.
  public var blue: Double

  public init(red: Double, green: Double, blue: Double) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Full red, green and blue.
  public static let white = Color(red: 1, green: 1, blue: 1)
  /// No red, green or blue.
  public static let black = Color(red: 0, green: 0, blue: 0)

  /// A bright colour that is constant for a number and differs from its neighbours': successive hues are a golden angle apart.
  public init(number: Int) {
    let turn = Double(number) * 0.618_033_988_749_895
    self.init(hue: turn - turn.rounded(.down), saturation: 0.85, value: 1)
  }

  /// - Parameter hue: turns, 0…1 from red over green and blue.
  init(hue: Double, saturation: Double, value: Double) {
    func component(_ shift: Double) -> Double {
      let sector = (shift + hue * 6).truncatingRemainder(dividingBy: 6)
      return value - value * saturation * max(0, min(sector, 4 - sector, 1))
    }
    self.init(red: component(5), green: component(3), blue: component(1))
  }

  /// Luma of BT.709, 0…1.
  var brightness: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }
}

/// A colour in a frame's own representation: one stored value per component.
struct StoredColor: Hashable {
  let values: InlineArray<3, Int32>

  static func == (one: StoredColor, other: StoredColor) -> Bool {
    (0..<3).allSatisfy { one.values[$0] == other.values[$0] }
  }

  func hash(into hasher: inout Hasher) {
    for index in 0..<3 { hasher.combine(values[index]) }
  }

  init(_ color: Color, layout: PixelLayout, description: ColorDescription, isFullRange: Bool, height: Int) {
    let curve = description.transferCurve
    let (red, green, blue) = (
      Self.encode(color.red, curve), Self.encode(color.green, curve), Self.encode(color.blue, curve)
    )
    let range = SampleRange(depth: layout.depth, isFull: layout.model == .rgb || isFullRange)
    let maximum = Double((1 << layout.depth) - 1)
    func stored(_ value: Double, _ component: Int) -> Int32 {
      Int32(min(max(0, value.rounded()), maximum)) << Int32(layout.components[component].shift)
    }
    func light(_ value: Double, _ component: Int) -> Int32 {
      stored(Double(range.black) + value * Double(range.lumaSpan), component)
    }
    let (kr, kb) = description.matrix(height: height).weights
    let luma = Double(kr) * red + Double(1 - kr - kb) * green + Double(kb) * blue
    switch layout.model {
    case .rgb:
      values = [light(red, 0), light(green, 1), light(blue, 2)]
    case .gray:
      values = [light(luma, 0), 0, 0]
    case .yuv:
      let u = (blue - luma) / (2 * Double(1 - kb))
      let v = (red - luma) / (2 * Double(1 - kr))
      values = [
        light(luma, 0), stored(Double(range.chromaMiddle) + u * Double(range.chromaSpan), 1),
        stored(Double(range.chromaMiddle) + v * Double(range.chromaSpan), 2),
      ]
    }
  }

  /// A component in the frame's transfer curve. White on HDR frames is graphics white, 203 candela per square metre.
  /// Source: ITU-R BT.2408 (graphics white), BT.2100 (both curves).
  private static func encode(_ value: Double, _ curve: ColorDescription.Transfer) -> Double {
    guard curve != .standard else { return value }
    let linear = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    if curve == .pq {
      let power = pow(linear * 203 / 10_000, 0.1593017578125)
      return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }
    let scene = linear * 0.265
    return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
  }
}
