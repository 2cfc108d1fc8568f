/// A setting of a run, as errors and warnings refer to it.
///
/// The modules do not know how a user names their settings: the command's user writes options, the library's user sets
/// properties. An error therefore carries the setting itself, and the program that shows it names the setting. More settings may be added;
/// compare with the static members.
public struct Setting: Hashable, Sendable, CustomStringConvertible {
  /// The library's property, or, where only the command has the setting, the words of its option in camel case.
  public let name: String

  private init(_ name: String) { self.name = name }

  public var description: String { name }
}

extension Setting {
  // Input.
  public static let inputFormat = Setting("inputFormat")
  public static let inputOption = Setting("inputOption")
  public static let map = Setting("map")
  public static let start = Setting("start")
  public static let duration = Setting("duration")
  public static let realtime = Setting("isRealtime")
  public static let timeout = Setting("timeout")
  public static let reconnect = Setting("reconnectSeconds")
  public static let late = Setting("late")
  public static let part = Setting("part")
  // Detection.
  public static let detect = Setting("detect")
  public static let mode = Setting("detectorMode")
  public static let detectEvery = Setting("detectEvery")
  public static let device = Setting("device")
  public static let objectModel = Setting("model")
  public static let classes = Setting("classes")
  public static let categories = Setting("categories")
  public static let accuracy = Setting("accuracy")
  public static let passes = Setting("passes")
  public static let minimumScore = Setting("minimumScore")
  public static let maximumObjects = Setting("maximumObjects")
  public static let faceMode = Setting("faceMode")
  public static let minFaceSize = Setting("minFaceSize")
  public static let searchInterval = Setting("searchInterval")
  public static let maxPoses = Setting("maxPoses")
  public static let threads = Setting("threads")
  // Tracking.
  public static let lostAfter = Setting("lostAfter")
  public static let confirmAfter = Setting("confirmAfter")
  public static let minimumIoU = Setting("minimumIoU")
  // Counting.
  public static let zone = Setting("zones")
  public static let line = Setting("lines")
  // Drawing and redaction.
  public static let draw = Setting("overlay")
  public static let overlayTrack = Setting("overlayTrack")
  public static let redact = Setting("redaction")
  public static let redactWhat = Setting("redactWhat")
  public static let lookBack = Setting("lookBackSeconds")
  public static let keepStart = Setting("keepStart")
  public static let keepUnredacted = Setting("keepUnredacted")
  public static let keepMetadata = Setting("keepMetadata")
  public static let keepText = Setting("keepText")
  public static let maxSize = Setting("maxSize")
  // Output.
  public static let output = Setting("output")
  public static let outputFormat = Setting("outputFormat")
  public static let outputOption = Setting("outputOption")
  public static let codec = Setting("codec")
  public static let preset = Setting("preset")
  public static let crf = Setting("crf")
  public static let bitrate = Setting("bitRate")
  public static let pixelFormat = Setting("pixelFormat")
  public static let encoderOption = Setting("options")
  public static let scale = Setting("scale")
  public static let fps = Setting("frameRate")
  public static let audio = Setting("audio")
  public static let overwrite = Setting("overwritesOutput")
  // Records and messages.
  public static let records = Setting("records")
  public static let events = Setting("recordsEvents")
  public static let recordDetections = Setting("recordsDetections")
  public static let tracks = Setting("tracks")
  public static let verbose = Setting("verbose")

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
    fps, audio, map, overwrite, records, events, recordDetections, tracks,
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
