internal import VStreamCore
internal import VStreamMedia

/// The part of an input that is processed, in seconds of the input's own timeline.
struct Trim: Hashable, Sendable {
  /// Frames and packets before it are skipped.
  let start: Double
  /// Frames and packets at it or after it are skipped.
  let end: Double
  /// Seconds that are subtracted from the output's times, if its first frame is not earlier.
  let shift: Double
  /// Whether the output starts with its first frame, as nothing is to stay synchronous with it.
  private let startsWithFrame: Bool

  /// - Parameters:
  ///   - first: the time at which the input starts.
  ///   - skip: seconds that are skipped at its start; `nil` for none.
  ///   - duration: seconds that are processed; `nil` for all.
  ///   - keepsStart: whether the output starts at the input's first time instead of 0.
  ///   - isVideoOnly: whether no other stream is copied. With sound, frames that cannot be decoded at its start are a gap.
  init(first: Double, skip: Double?, duration: Double?, keepsStart: Bool = false, isVideoOnly: Bool = false) {
    startsWithFrame = isVideoOnly && !keepsStart
    start = skip.map { first + $0 } ?? -.infinity
    end = duration.map { first + (skip ?? 0) + $0 } ?? .infinity
    // Audio that precedes 0 is not played, and does not delay the other streams.
    shift = (keepsStart ? 0 : max(0, first)) + (skip ?? 0)
  }

  /// Seconds that are subtracted from the times of an output whose first frame has this time: containers do not show
  /// frames before zero.
  ///
  /// It is a whole number of the video's ticks. Otherwise the video would be shifted by another time than the sound.
  func shift(firstFrame first: Time) -> Double {
    let exact = startsWithFrame ? first.seconds : shift + min(0, first.seconds - shift)
    return (exact / first.base.value).rounded() * first.base.value
  }

  /// Times that differ by rounding only count as equal.
  private static let tolerance = 1e-6

  func isAfterStart(_ seconds: Double) -> Bool { seconds > start + Self.tolerance }
  func isBefore(_ seconds: Double) -> Bool { seconds < start - Self.tolerance }
  func isAfter(_ seconds: Double) -> Bool { seconds >= end - Self.tolerance }
  func contains(_ seconds: Double) -> Bool { !isBefore(seconds) && !isAfter(seconds) }
}

/// The part of a copied video stream: from a key frame on, and to the end in the order of decoding, as the last frames may
/// refer to one that is shown after the end.
struct CopiedVideoTrim {
  /// The time of the key frame; `nil` before it.
  private var keyTime: Double?

  /// Whether the next packet of the stream belongs to the part.
  mutating func includes(_ packet: Packet, in trim: Trim) -> Bool {
    guard let decoded = (packet.decodingTime ?? packet.presentationTime)?.seconds else { return true }
    let shown = packet.presentationTime?.seconds ?? decoded
    if trim.isAfter(decoded) { return false }
    guard trim.start > -.infinity else { return true }
    if let keyTime { return shown >= keyTime }
    guard packet.isKey, !trim.isBefore(shown) else { return false }
    keyTime = shown
    return true
  }
}
