public import VStreamScene
internal import VStreamSystem

/// Something that was found in a redacted video and is not covered enough.
public struct RedactionResidual: Hashable, Sendable {
  /// Number of the output's frame, from 0.
  public var frame: Int
  /// When it is shown, in seconds of the output.
  public var seconds: Double
  public var label: String
  public var score: Double
  public var box: Box
  /// The share of its box that was covered in that frame, 0…1.
  public var coveredFraction: Double

  public init(frame: Int, seconds: Double, label: String, score: Double, box: Box, coveredFraction: Double) {
    self.frame = frame
    self.seconds = seconds
    self.label = label
    self.score = score
    self.box = box
    self.coveredFraction = coveredFraction
  }
}

/// What detectors found in a redacted video.
///
/// They may well take a mosaic for what is under it; that is a hit on a covered place, not a residual.
public struct RedactionCheck: Hashable, Sendable {
  public private(set) var frames = 0
  /// Detections that are covered enough.
  public private(set) var coveredHits = 0
  public private(set) var residuals: [RedactionResidual] = []

  /// A detection is covered if so much of its box was.
  public static let coveredFraction = 0.8

  /// What faces are called among what is redacted.
  public static let faces = "faces"

  public init() {}

  /// Takes the detections in one frame, in the frames' order.
  ///
  /// - Parameters:
  ///   - covers: what was covered in that frame.
  ///   - labels: what was to be redacted, in lower case.
  public mutating func add(_ annotations: FrameAnnotations, covers: [Ellipse], labels: Set<String>) {
    frames += 1
    let found =
      (annotations.found.objects ?? []).map { ($0.label, $0.score, $0.box) }
      + (annotations.found.faces ?? []).map { (Self.faces, $0.score, $0.box) }
    for (label, score, box) in found where labels.contains(label.lowercased()) {
      let share = box.share(in: covers)
      guard share < Self.coveredFraction else {
        coveredHits += 1
        continue
      }
      residuals.append(
        RedactionResidual(
          frame: annotations.frame, seconds: annotations.time.seconds, label: label, score: score, box: box,
          coveredFraction: share))
    }
  }
}

/// What was redacted how, and what a check of the output found: one JSON object.
public struct RedactionReceipt: Sendable {
  /// File names, without their folders.
  public var inputName: String
  public var outputName: String
  /// The SHA-256 of the output, in hexadecimal; `nil` if the output is not one file.
  public var outputHash: String?
  /// In the order in which they are to be listed.
  public var options: [(name: String, value: RecordHeader.OptionValue)]
  public var framesRedacted: Int
  public var check: RedactionCheck

  public init(
    inputName: String, outputName: String, outputHash: String?,
    options: [(name: String, value: RecordHeader.OptionValue)], framesRedacted: Int, check: RedactionCheck
  ) {
    self.inputName = inputName
    self.outputName = outputName
    self.outputHash = outputHash
    self.options = options
    self.framesRedacted = framesRedacted
    self.check = check
  }

  public var json: String {
    TextBuffer.json { json in
      json.add("type", "receipt")
      json.add("version", 1)
      json.add("input", inputName)
      json.add("output", outputName)
      if let outputHash { json.add("outputSHA256", outputHash) }
      json.addObject("options") { all in
        for (name, value) in options { JSONRecord.add(name, value, to: &all) }
      }
      json.add("frames", check.frames)
      json.add("framesRedacted", framesRedacted)
      json.add("coveredHits", check.coveredHits)
      json.addList("residuals") { all in for residual in check.residuals { Self.add(residual, to: &all) } }
    }
  }

  private static func add(_ residual: RedactionResidual, to list: inout TextBuffer) {
    list.addObject { json in
      json.add("frame", residual.frame)
      json.add("pts", residual.seconds, places: 6)
      json.add("label", residual.label)
      json.add("score", residual.score, places: 4)
      json.addBox("box", residual.box)
      json.add("covered", residual.coveredFraction, places: 4)
    }
  }
}
