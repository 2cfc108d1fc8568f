internal import CVStreamLibAV
internal import VStreamCore

/// The timecode of a first frame (SMPTE ST 12-1), as a tag of a stream or file: `01:00:00:00`, with `;` before the frames for
/// drop-frame counting.
struct Timecode {
  private var timecode: AVTimecode

  /// - Returns: `nil` for a text that is no timecode, and for a rate that has none.
  init?(_ text: String, rate: Rational) {
    var timecode = AVTimecode()
    guard !LibAVCode(av_timecode_init_from_string(&timecode, rate.av, text, nil)).isFailure else { return nil }
    self.timecode = timecode
  }

  /// The text of the timecode some frames later.
  func text(after frames: Int) -> String {
    var timecode = timecode
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AV_TIMECODE_STR_SIZE)) { buffer in
      guard let base = buffer.baseAddress else { return "" }
      return av_timecode_make_string(&timecode, base, Int32(clamping: frames)).map { String(cString: $0) } ?? ""
    }
  }

  /// The tags with the timecode of a later frame.
  ///
  /// - Parameters:
  ///   - seconds: the time from the frame that the tag describes.
  ///   - rate: frames per second; `nil` if unknown.
  static func advanced(_ metadata: [String: String], by seconds: Double, rate: Rational?) -> [String: String] {
    guard let rate, seconds > 0 else { return metadata }
    return metadata.merging(
      metadata.compactMap { key, text in
        guard key.lowercased() == "timecode", let timecode = Timecode(text, rate: rate) else { return nil }
        return (key, timecode.text(after: Int(clamping: (seconds * rate.value).rounded())))
      }
    ) { $1 }
  }

  /// A timecode for another frame rate: the same hours, minutes and seconds, and the frame at the same fraction of its
  /// second. Drop-frame counting stays where the new rate has it. Texts that are no timecode stay.
  static func converted(_ text: String, from rate: Rational?, to other: Rational?) -> String {
    guard let rate, let other, rate != other, Timecode(text, rate: rate) != nil,
      let frames = text.split(whereSeparator: { !$0.isNumber }).last, let frame = Int(frames)
    else { return text }
    let (old, new) = (Int(rate.value.rounded()), Int(other.value.rounded()))
    guard new > 0, (0..<old).contains(frame) else { return text }
    let seconds = text.dropLast(frames.count + 1)
    let dropsFrames = !text.dropLast(frames.count).hasSuffix(":") && new % 30 == 0 && other.value < Double(new)
    let newFrame = String(frame * new / old)
    let digits = String(repeating: "0", count: max(0, 2 - newFrame.count)) + newFrame
    return seconds + (dropsFrames ? ";" : ":") + digits
  }
}
