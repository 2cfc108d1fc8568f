internal import VStreamSystem

/// The receipt of a redaction as one JSON object: its options, and the result of verifying the output.
public struct RedactionReceipt: Sendable {
  /// File names, without their folders.
  public var inputName: String
  public var outputName: String
  /// The SHA-256 of the output, in hexadecimal; `nil` if the output is not one file.
  public var outputHash: String?
  /// In the order in which they are written.
  public var options: [(name: String, value: RecordHeader.OptionValue)]
  public var framesRedacted: Int
  public var check: ResidualReport

  public init(
    inputName: String, outputName: String, outputHash: String?,
    options: [(name: String, value: RecordHeader.OptionValue)], framesRedacted: Int, check: ResidualReport
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

  private static func add(_ residual: Residual, to list: inout TextBuffer) {
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
