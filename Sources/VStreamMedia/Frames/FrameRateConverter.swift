package import VStreamCore

/// Gives a stream a constant frame rate: each frame is shown at the nearest time of the new rate, frames that share one are
/// omitted but for the last, and gaps are filled by repeating the frame before them.
package struct FrameRateConverter {
  /// Frames per second.
  package let rate: Rational
  /// Ticks of the new times: fine enough for the first frame's own time, and whole for each frame.
  private let base: Rational
  private let ticksPerFrame: Int64
  /// The time of the first frame.
  private var start: Time?
  /// The frame that is shown, and its next number at the new rate.
  private var shown: (frame: VideoFrame, number: Int64)?
  /// The frame that follows it, and its first number.
  private var following: (frame: VideoFrame, number: Int64)?
  /// The number at which the last frame ends; `nil` before the end of the stream.
  private var end: Int64?

  /// Ticks per second, at least.
  private static let minimumTicks: Int32 = 10_000

  /// - Parameter rate: at most 1000 frames per second, more than 0.
  package init(rate: Rational) {
    self.rate = rate
    let factor = (Self.minimumTicks + rate.numerator - 1) / max(1, rate.numerator)
    base = Rational(1, rate.numerator * factor) ?? .milliseconds
    ticksPerFrame = Int64(rate.denominator) * Int64(factor)
  }

  /// Adds a frame; `next` returns the frames that end before it.
  package mutating func add(_ frame: VideoFrame) {
    let first = start ?? frame.time
    start = first
    let number = Int64(clamping: Int(clamping: ((frame.time.seconds - first.seconds) * rate.value).rounded()))
    guard let shown else { return shown = (frame, number) }
    following = (frame, max(number, shown.number))
  }

  /// Ends the stream; `next` returns the last frame for as long as it lasts.
  package mutating func finish() {
    guard let shown, let start else { return }
    let frame = shown.frame
    // Of unknown duration, it lasts as long as a frame of the new rate.
    let duration =
      frame.durationTicks > 0 ? Double(frame.durationTicks) * frame.time.base.value : 1 / rate.value
    let seconds = frame.time.seconds + duration - start.seconds
    end = max(1, Int64(clamping: Int(clamping: (seconds * rate.value).rounded())))
  }

  /// The next frame of the new rate; `nil` until another frame is added, or at the end.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  package mutating func next() throws(VStreamError) -> VideoFrame? {
    guard let (frame, number) = shown, let start = start?.rescaled(to: base) else { return nil }
    guard let limit = following?.number ?? end, number < limit else {
      if let following { (shown, self.following) = (following, nil) }
      return nil
    }
    shown = (frame, number + 1)
    let time = Time(ticks: start.ticks.limitedSum(number * ticksPerFrame), base: base)
    return try frame.retimed(to: time, duration: ticksPerFrame)
  }
}
