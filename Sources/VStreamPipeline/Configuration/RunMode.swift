/// What a run does with its input.
public enum RunMode: Sendable {
  /// Detects, tracks, and writes the output.
  case process
  /// The same with one part of the input.
  case part(InputPart)
  /// Takes detections or tracks from the records of an earlier run.
  case replay(ReplayOptions)
  /// Joins the records of all parts, in their order, without decoding a frame, and writes each part's overlay if it is wanted.
  case joinRecords([String], paint: JoinedPaint?)
  /// Paints one part by its overlay, and keeps the encoder's packets for the output of all parts.
  case render(InputPart, PartRendering)
  /// Joins the packets of all rendered parts to the output.
  case joinVideo(JoinedPackets)
  /// Verifies the output of a run that redacted.
  case verify

  /// The part of the input that is processed; `nil` for the whole.
  var part: InputPart? {
    switch self {
    case .part(let part), .render(let part, _): part
    default: nil
    }
  }

  var replay: ReplayOptions? { if case .replay(let options) = self { options } else { nil } }
  var rendering: PartRendering? { if case .render(_, let rendering) = self { rendering } else { nil } }
  var joinedPackets: JoinedPackets? { if case .joinVideo(let packets) = self { packets } else { nil } }
  var joinedRecords: [String]? { if case .joinRecords(let paths, _) = self { paths } else { nil } }
  var joinedPaint: JoinedPaint? { if case .joinRecords(_, let paint) = self { paint } else { nil } }
  var isVerification: Bool { if case .verify = self { true } else { false } }
}
