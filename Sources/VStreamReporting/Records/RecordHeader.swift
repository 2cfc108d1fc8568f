public import VStreamScene

/// The facts about a run that records state before its first frame.
public struct RecordHeader: Sendable {
  /// The value of an option that affects the results.
  public enum OptionValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case integer(Int)
    case list([String])
    case flag(Bool)
  }

  /// A zone or a line in which objects are counted.
  public struct Region: Hashable, Sendable {
    public let name: String
    public let points: [Point]

    public init(name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  /// The input's file name, without its folder.
  public var inputName: String
  /// Size of the upright frames.
  public var size: PixelSize
  /// The input's declared rotation, in clockwise degrees.
  public var rotation: Int
  public var timeBase: Rational
  public var frameRate: Rational?
  /// Whether the input is one still image, not a video or an image sequence.
  public var isStillImage: Bool
  /// Seconds by which the output's times are less than the input's.
  public var outputShift: Double
  /// The zones by their corners, and the lines by their two ends, in pixels.
  public var zones: [Region] = []
  public var lines: [Region] = []
  /// In the order in which they are written.
  public var options: [(name: String, value: OptionValue)]

  public init(
    inputName: String, size: PixelSize, rotation: Int, timeBase: Rational, frameRate: Rational?,
    isStillImage: Bool = false, outputShift: Double = 0, options: [(name: String, value: OptionValue)]
  ) {
    self.inputName = inputName
    self.size = size
    self.rotation = rotation
    self.timeBase = timeBase
    self.frameRate = frameRate
    self.isStillImage = isStillImage
    self.outputShift = outputShift
    self.options = options
  }
}
