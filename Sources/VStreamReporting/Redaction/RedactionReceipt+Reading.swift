internal import FoundationEssentials

extension RedactionReceipt {
  /// What a receipt says of an output.
  public struct Contents: Hashable, Sendable {
    /// SHA-256 of the output, in hexadecimal; `nil` if it is not one file.
    public let outputHash: String?
    /// The options of the run, as in the receipt's text.
    public let options: String
    /// Whether nothing visible was found, and all of the output was verified.
    public let isClean: Bool

    private struct Members: Decodable {
      struct Entry: Decodable {}
      let type: String
      let version: Int
      let outputSHA256: String?
      let residuals: [Entry]
      let unverified: [String]
    }

    /// - Returns: `nil` for what is no receipt.
    public init?(json: [UInt8]) {
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
