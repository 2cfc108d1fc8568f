internal import FoundationEssentials
internal import VStreamSystem

/// The receipt of a redaction as one JSON object: its options, and the result of verifying the output.
package struct RedactionReceipt: Sendable {
  /// A file of a model, as it was loaded.
  package struct ModelFile: Hashable, Sendable {
    /// Without its folder.
    package var name: String
    /// SHA-256 in hexadecimal.
    package var hash: String
    /// Whether the file was compared with a checksum that is known; `false` for a model of the user's own.
    package var isKnown: Bool

    package init(name: String, hash: String, isKnown: Bool) {
      self.name = name
      self.hash = hash
      self.isKnown = isKnown
    }
  }

  /// Consecutive groups of pictures of the output that are all the input's, or all encoded.
  package struct Groups: Hashable, Sendable {
    /// The number of their first frame in the output.
    package var firstFrame: Int
    package var frames: Int
    package var count: Int
    package var areCopied: Bool

    package init(firstFrame: Int, frames: Int, count: Int, areCopied: Bool) {
      (self.firstFrame, self.frames, self.count, self.areCopied) = (firstFrame, frames, count, areCopied)
    }
  }

  /// File names, without their folders.
  package var inputName: String
  package var outputName: String
  /// The SHA-256 of the output, in hexadecimal; `nil` if the output is not one file.
  package var outputHash: String?
  /// In writing order.
  package var options: [(name: String, value: RecordHeader.OptionValue)]
  package var framesRedacted: Int
  package var check: RedactionCheck
  /// The kept parts of the output that are neither redacted nor verified, in words.
  package var unverified: [String]
  /// Images and text of the input omitted in the output, in words.
  package var omitted: [String]
  /// Text and timed metadata in the output, in words.
  package var keptText: [String]
  /// The search of the redaction and of the verification, in words.
  package var searches: [String]
  /// The parts that neither searched, in words.
  package var notSearched: [String]
  /// The files of the models that redacted and verified.
  package var models: [ModelFile]
  /// `nil` if all frames were encoded.
  package var groups: [Groups]?

  package init(
    inputName: String, outputName: String, outputHash: String?,
    options: [(name: String, value: RecordHeader.OptionValue)], framesRedacted: Int, check: RedactionCheck,
    unverified: [String] = [], omitted: [String] = [], keptText: [String] = [], searches: [String] = [],
    notSearched: [String] = [],
    models: [ModelFile] = [], groups: [Groups]? = nil
  ) {
    self.inputName = inputName
    self.outputName = outputName
    self.outputHash = outputHash
    self.options = options
    self.framesRedacted = framesRedacted
    self.check = check
    self.unverified = unverified
    self.omitted = omitted
    self.keptText = keptText
    self.searches = searches
    self.notSearched = notSearched
    self.models = models
    self.groups = groups
  }

  package var json: String {
    TextBuffer.json { json in
      json.add("type", "receipt")
      json.add("version", 1)
      json.add("input", inputName)
      json.add("output", outputName)
      if let outputHash { json.add("outputSHA256", outputHash) }
      json.addKey("options")
      json.append(Self.text(of: options))
      json.add("frames", check.frames)
      json.add("framesRedacted", framesRedacted)
      json.add("coveredHits", check.coveredHits)
      json.addList("residuals") { all in for residual in check.residuals { Self.add(residual, to: &all) } }
      json.add("weakHitCount", check.weakHits.count)
      json.addList("weakHits") { all in for residual in strongestWeakHits { Self.add(residual, to: &all) } }
      json.addList("unverified") { all in for part in unverified { all.addText(part) } }
      json.addList("omitted") { all in for part in omitted { all.addText(part) } }
      json.addList("keptText") { all in for part in keptText { all.addText(part) } }
      json.addList("searches") { all in for search in searches { all.addText(search) } }
      json.addList("notSearched") { all in for part in notSearched { all.addText(part) } }
      json.addList("models") { all in
        for model in models {
          all.addObject { json in
            json.add("file", model.name)
            json.add("sha256", model.hash)
            json.add("known", model.isKnown)
          }
        }
      }
      guard let groups else { return }
      json.addList("groups") { all in
        for part in groups {
          all.addObject { json in
            json.add("frame", part.firstFrame)
            json.add("frames", part.frames)
            json.add("groups", part.count)
            json.add("copied", part.areCopied)
          }
        }
      }
    }
  }

  /// Options as one JSON object.
  package static func text(of options: [(name: String, value: RecordHeader.OptionValue)]) -> String {
    TextBuffer.json { json in for (name, value) in options { JSONRecord.add(name, value, to: &json) } }
  }

  /// The hits with the highest scores, by ascending frame: hours may have a hundred thousand.
  private var strongestWeakHits: [Residual] {
    guard check.weakHits.count > Self.maximumWeakHits else { return check.weakHits }
    let strongest = check.weakHits.indices.sorted { check.weakHits[$0].score > check.weakHits[$1].score }
    return strongest.prefix(Self.maximumWeakHits).sorted().map { check.weakHits[$0] }
  }

  private static let maximumWeakHits = 1000

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

extension RedactionReceipt {
  /// A receipt's facts about an output.
  package struct Contents: Hashable, Sendable {
    /// SHA-256 of the output, in hexadecimal; `nil` if it is not one file.
    package let outputHash: String?
    /// The options of the run, as in the receipt's text.
    package let options: String
    /// Whether nothing visible was found, and all of the output was verified.
    package let isClean: Bool

    private struct Members: Decodable {
      struct Entry: Decodable {}
      let type: String
      let version: Int
      let outputSHA256: String?
      let residuals: [Entry]
      let unverified: [String]
    }

    /// - Returns: `nil` for other files.
    package init?(json: [UInt8]) {
      guard let members = try? JSONDecoder().decode(Members.self, from: Data(json)), members.type == "receipt",
        members.version == 1, let text = String(validating: json, as: UTF8.self),
        let start = text.firstRange(of: "\"options\":")?.upperBound,
        let end = text[start...].firstRange(of: ",\"frames\":")?.lowerBound
      else { return nil }
      outputHash = members.outputSHA256
      options = String(text[start..<end])
      isClean = members.residuals.isEmpty && members.unverified.isEmpty
    }
  }
}
