internal import FoundationEssentials
package import VStreamCore
internal import VStreamSystem

/// The facts about a run that records state before its first frame.
package struct RecordHeader: Sendable {
  /// The value of an option that affects the results.
  package enum OptionValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case integer(Int)
    case list([String])
    case flag(Bool)
  }

  /// A counting zone or line.
  package struct Region: Hashable, Sendable {
    package let name: String
    package let points: [Point]

    package init(name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  /// The input's file name, without its folder.
  package var inputName: String
  /// Size of the upright frames.
  package var size: PixelSize
  /// The input's declared rotation, in clockwise degrees.
  package var rotation: Int
  package var timeBase: Rational
  package var frameRate: Rational?
  /// Whether the input is one still image, not a video or an image sequence.
  package var isStillImage: Bool
  /// Seconds subtracted from the input's times in the output.
  package var outputShift: Double
  /// The zones by their corners, and the lines by their two ends, in pixels.
  package var zones: [Region] = []
  package var lines: [Region] = []
  /// In writing order.
  package var options: [(name: String, value: OptionValue)]

  package init(
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

/// The record of one frame.
package struct FrameRecord: Hashable, Sendable {
  package var annotations: FrameAnnotations
  /// The detectors' own results for this frame; `nil` if they are not recorded, or were not ready in time.
  package var detections: Detections?
  /// Detections of earlier frames that became ready after those frames had left, since the last record.
  package var late: [TimedObservations] = []
  /// The track events of this frame.
  package var events: [TrackEvent] = []
  /// The region counts up to this frame; `nil` if nothing is counted.
  package var counts: RegionCounts?
  /// The name of the frame's image file, without its folder; `nil` if neither the input nor the output is images.
  package var imageName: String?

  package init(_ annotations: FrameAnnotations) { self.annotations = annotations }
}

/// The options of a header, read back.
extension RecordHeader {
  /// The options that affect how detections become tracks. Other options affect the detections, or the output.
  private static let trackingNames: Set = [
    "mode", "maxObjects", "classes", "minScore", "lostAfter", "confirmAfter", "minIoU",
  ]

  private struct Line: Decodable {
    let options: [String: OptionValue]?
  }

  /// Whether an option affects how detections become tracks.
  static func affectsTracks(_ name: String) -> Bool { trackingNames.contains(name) }

  /// The options of a header's line; empty if they cannot be read.
  static func options(_ line: ArraySlice<UInt8>) -> [String: OptionValue] {
    (try? JSONDecoder().decode(Line.self, from: Data(line)))?.options ?? [:]
  }

  /// Options as they are read back: as JSON, numbers are rounded.
  static func readBack(_ options: [(name: String, value: OptionValue)]) -> [String: OptionValue] {
    var text = TextBuffer()
    text.addObject { json in
      json.addObject("options") { all in for (name, value) in options { JSONRecord.add(name, value, to: &all) } }
    }
    return Self.options(text.bytes[...])
  }
}

extension RecordReader {
  /// Whether a run with these options makes the same tracks of the recorded detections.
  package func tracks(as options: [(name: String, value: RecordHeader.OptionValue)]) -> Bool {
    RecordHeader.readBack(options).filter { RecordHeader.affectsTracks($0.key) } == trackingOptions
  }

  /// The options that another run has with other values, by their names in alphabetical order.
  package func options(differingFrom others: [(name: String, value: RecordHeader.OptionValue)]) -> [String] {
    let others = RecordHeader.readBack(others)
    return Set(options.keys).union(others.keys).filter { options[$0] != others[$0] }.sorted()
  }
}

extension RecordHeader.OptionValue: Decodable {
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else {
      self = .list(try value.decode([String].self))
    }
  }
}
