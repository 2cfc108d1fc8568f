/// A setting of a run, as errors and warnings refer to it.
///
/// The modules do not know how a user names their settings: the command's user writes options, the library's user sets
/// properties. An error therefore carries the setting itself, and the program that shows it names the setting. More settings may be added;
/// compare with the static members.
package struct Setting: Hashable, Sendable, CustomStringConvertible {
  /// The library's property, or, where only the command has the setting, the words of its option in camel case.
  package let name: String

  private init(_ name: String) { self.name = name }

  package var description: String { name }
}

extension Setting {
  // Input.
  package static let inputFormat = Setting("inputFormat")
  package static let inputOption = Setting("inputOption")
  package static let map = Setting("map")
  package static let start = Setting("start")
  package static let duration = Setting("duration")
  package static let realtime = Setting("isRealtime")
  package static let timeout = Setting("timeout")
  package static let reconnect = Setting("reconnectFor")
  package static let late = Setting("late")
  package static let part = Setting("part")
  // Detection.
  package static let detect = Setting("detect")
  package static let mode = Setting("detectorMode")
  package static let detectEvery = Setting("detectEvery")
  package static let device = Setting("device")
  package static let objectModel = Setting("model")
  package static let classes = Setting("classes")
  package static let categories = Setting("categories")
  package static let accuracy = Setting("accuracy")
  package static let passes = Setting("passes")
  package static let minimumScore = Setting("minimumScore")
  package static let maximumObjects = Setting("maximumObjects")
  package static let faceMode = Setting("faceMode")
  package static let minFaceSize = Setting("minFaceSize")
  package static let searchInterval = Setting("searchInterval")
  package static let maxPoses = Setting("maxPoses")
  package static let threads = Setting("threads")
  // Tracking.
  package static let lostAfter = Setting("lostAfter")
  package static let confirmAfter = Setting("confirmAfter")
  package static let minimumIoU = Setting("minimumIoU")
  // Counting.
  package static let zone = Setting("zones")
  package static let line = Setting("lines")
  // Drawing and redaction.
  package static let draw = Setting("overlay")
  package static let overlayTrack = Setting("overlayTrack")
  package static let redact = Setting("redaction")
  package static let redactWhat = Setting("redactWhat")
  package static let lookBack = Setting("lookBack")
  package static let keepStart = Setting("keepStart")
  package static let keepUnredacted = Setting("keepUnredacted")
  package static let keepMetadata = Setting("keepMetadata")
  package static let keepText = Setting("keepText")
  package static let maxSize = Setting("maxSize")
  // Output.
  package static let output = Setting("output")
  package static let outputFormat = Setting("outputFormat")
  package static let outputOption = Setting("outputOption")
  package static let codec = Setting("codec")
  package static let preset = Setting("preset")
  package static let crf = Setting("crf")
  package static let bitrate = Setting("bitRate")
  package static let pixelFormat = Setting("pixelFormat")
  package static let encoderOption = Setting("options")
  package static let scale = Setting("scale")
  package static let fps = Setting("frameRate")
  package static let audio = Setting("audio")
  package static let encode = Setting("encode")
  package static let overwrite = Setting("overwritesOutput")
  // Records and messages.
  package static let records = Setting("records")
  package static let events = Setting("recordsEvents")
  package static let recordDetections = Setting("recordsDetections")
  package static let tracks = Setting("tracks")
  package static let verbose = Setting("verbose")

  /// Every setting, so that a test can check that each one has a name for the user.
  package static let all: [Setting] = [
    inputFormat, inputOption, start, duration, realtime, timeout, reconnect, late, part, detect, mode, detectEvery,
    device,
    objectModel, classes, categories, accuracy, passes, minimumScore, maximumObjects, faceMode, minFaceSize,
    searchInterval, maxPoses,
    threads,
    lostAfter, confirmAfter, minimumIoU, zone, line, draw, overlayTrack, redact, redactWhat, lookBack, keepUnredacted,
    keepStart, keepMetadata, keepText, maxSize,
    output, outputFormat, outputOption, codec, preset, crf, bitrate, pixelFormat, encoderOption, scale,
    fps, audio, encode, map, overwrite, records, events, recordDetections, tracks,
    verbose,
  ]
}

/// The numbers that a setting takes. NaN is none of them.
package struct NumberLimit: Sendable {
  private let problem: Message
  private let remedy: Message
  private let accepts: @Sendable (Double) -> Bool

  /// - Parameters:
  ///   - problem: continues a sentence that starts with the setting and its value.
  ///   - remedy: the valid values.
  package init(_ problem: Message, remedy: Message, accepts: @escaping @Sendable (Double) -> Bool) {
    self.problem = problem
    self.remedy = remedy
    self.accepts = accepts
  }

  /// More than 0, at most 1.
  package static let score = NumberLimit("is not a score", remedy: "give more than 0, at most 1") { $0 > 0 && $0 <= 1 }
  /// More than 0, at most 1.
  package static let fraction = NumberLimit("is not a fraction", remedy: "give more than 0, at most 1") {
    $0 > 0 && $0 <= 1
  }
  /// Between 0 and 1.
  package static let overlap = NumberLimit("is not an overlap", remedy: "give more than 0 and less than 1") {
    $0 > 0 && $0 < 1
  }
  /// 0 seconds or more.
  package static let seconds = NumberLimit("is not a time", remedy: "give 0 seconds or more") { $0 >= 0 && $0 < 1e9 }
  /// More than 0 seconds.
  package static let duration = NumberLimit("is not a duration", remedy: "give more than 0 seconds") {
    $0 > 0 && $0 < 1e9
  }

  /// 0, which leaves the number open, or more.
  package static let threads = NumberLimit("is not a number of threads", remedy: "give 0 or more") { $0 >= 0 }

  /// 1 or more.
  ///
  /// - Parameter things: the plural of a noun.
  package static func count(of things: String) -> NumberLimit {
    NumberLimit("is not a number of \(things)", remedy: "give 1 or more") { $0 >= 1 }
  }

  /// - Throws: `VStreamError.usage` if the setting does not take the value: `minimumScore 7.0: is not a score; give more than 0…`.
  package func check(_ value: Double, of setting: Setting) throws(VStreamError) {
    if !accepts(value) { throw error("\(value)", of: setting) }
  }

  /// - Throws: `VStreamError.usage` if the setting does not take the value.
  package func check(_ value: Int, of setting: Setting) throws(VStreamError) {
    if !accepts(Double(value)) { throw error("\(value)", of: setting) }
  }

  private func error(_ value: String, of setting: Setting) -> VStreamError {
    VStreamError(.usage, "\(setting, value): \(problem)", setting: setting, value: value, remedy: remedy)
  }
}
