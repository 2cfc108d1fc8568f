/// The pixel format and sample range that all frames of a stream are converted to.
public struct FrameTarget: Hashable, Sendable {
  public var format: PixelFormat
  public var range: FrameConverter.Range

  public init(format: PixelFormat, range: FrameConverter.Range = .unchanged) {
    self.format = format
    self.range = range
  }
}
