@testable import VStreamCommand

/// Sets the options of a command line without the parser of arguments, which takes a thousand times as long.
enum OptionTable {
  /// `in.avi -o null`, with all options at their defaults.
  private static let plain = try? AnnotateCommand.parse(["in.avi", "-o", "null"])

  /// The command line with these options, each written as `name` or `name=value`.
  ///
  /// - Returns: `nil` for an option that does not exist, or a value of another type.
  static func command(_ words: some Sequence<String>) -> AnnotateCommand? {
    guard var command = plain else { return nil }
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
      guard let set = options[parts[0]], set(&command, parts.count > 1 ? parts[1] : "") else { return nil }
    }
    return command
  }

  private typealias Setter = @Sendable (inout AnnotateCommand, String) -> Bool
  private typealias Path<Value> = any WritableKeyPath<AnnotateCommand, Value> & Sendable

  private static func text(_ path: Path<String?>) -> Setter {
    {
      $0[keyPath: path] = $1; return true
    }
  }
  private static func word(_ path: Path<String>) -> Setter {
    {
      $0[keyPath: path] = $1; return true
    }
  }
  private static func list(_ path: Path<[String]>) -> Setter {
    {
      $0[keyPath: path].append($1); return true
    }
  }
  private static func flag(_ path: Path<Bool>) -> Setter {
    { command, _ in
      command[keyPath: path] = true; return true
    }
  }

  private static func number(_ path: Path<Double>) -> Setter {
    { command, text in Double(text).map { command[keyPath: path] = $0 } != nil }
  }

  private static func number(_ path: Path<Double?>) -> Setter {
    { command, text in Double(text).map { command[keyPath: path] = $0 } != nil }
  }

  private static func integer(_ path: Path<Int>) -> Setter {
    { command, text in Int(text).map { command[keyPath: path] = $0 } != nil }
  }

  private static func integer(_ path: Path<Int?>) -> Setter {
    { command, text in Int(text).map { command[keyPath: path] = $0 } != nil }
  }

  private static let options: [String: Setter] = [
    "input": {
      $0.inputs[0] = $1; return true
    },
    "output": text(\.output.name), "output-format": text(\.output.outputFormat),
    "output-option": list(\.output.outputOption), "codec": text(\.output.codec), "preset": text(\.output.preset),
    "crf": number(\.output.crf), "bitrate": text(\.output.bitrate), "pixel-format": text(\.output.pixelFormat),
    "audio": word(\.output.audio), "overwrite": flag(\.output.overwrite),
    "input-format": text(\.source.inputFormat), "input-option": list(\.source.inputOption),
    "start": text(\.source.start), "duration": text(\.source.duration), "keep-start": flag(\.source.keepStart),
    "realtime": flag(\.source.realtime), "timeout": number(\.source.timeout), "reconnect": number(\.source.reconnect),
    "late": text(\.source.late), "hold": number(\.source.hold),
    "detect": text(\.detection.detect), "mode": text(\.detection.mode), "detect-every": text(\.detection.detectEvery),
    "device": word(\.detection.device),
    "object-model": text(\.objects.objectModel), "classes": text(\.objects.classes),
    "max-objects": integer(\.objects.maxObjects), "accuracy": text(\.objects.accuracy),
    "passes": number(\.objects.passes), "accurate": flag(\.objects.accurate),
    "min-score": number(\.objects.minScore),
    "face-mode": text(\.faces.faceMode), "min-face-size": number(\.faces.minFaceSize),
    "face-search": number(\.faces.faceSearch), "face-contours": flag(\.faces.faceContours),
    "lost-after": number(\.tracking.lostAfter), "confirm-after": integer(\.tracking.confirmAfter),
    "min-iou": number(\.tracking.minIou),
    "zone": list(\.counting.zone), "line": list(\.counting.line), "draw": text(\.drawing.draw),
    "overlay-track": text(\.overlayTrack.overlayTrack),
    "redact": text(\.redaction.redact), "redact-what": text(\.redaction.redactWhat),
    "look-back": number(\.redaction.lookBack), "keep-unredacted": flag(\.redaction.keepUnredacted),
    "keep-metadata": flag(\.redaction.keepMetadata), "keep-text": flag(\.redaction.keepText),
    "verify": flag(\.redaction.verify), "receipt": text(\.redaction.receipt),
    "records": list(\.records.records), "events": flag(\.records.events),
    "record-detections": flag(\.records.recordDetections), "stats": text(\.records.stats),
    "save-faces": text(\.crops.saveFaces), "crop-format": text(\.crops.cropFormat),
    "threads": integer(\.running.threads), "stats-every": number(\.running.statsEvery),
  ]
}
