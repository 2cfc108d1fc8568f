internal import FoundationEssentials
public import VStreamMedia
internal import VStreamReporting
public import VStreamScene
internal import VStreamSystem

/// How an input is cut into parts that can be processed on different machines.
public struct PartPlan: Hashable, Sendable, Codable {
  /// The video stream whose frames the parts have.
  public struct Video: Hashable, Sendable, Codable {
    public var stream: Int
    /// Seconds for a tick, as a fraction.
    public var timeBase: String
  }

  /// `parts`.
  public var type = Self.type
  /// The version of this format.
  public var version = Self.version
  public var program: String
  public var input: InputIdentity
  /// Where the input was when the plan was made.
  public var location: String
  public var video: Video
  public var gridSeconds: Int
  public var parts: [InputPart]

  private static let type = "parts"
  private static let version = 1

  public init(input: InputIdentity, location: String, video: StreamInfo, parts: [InputPart]) {
    program = ProgramVersion.name
    self.input = input
    self.location = location
    self.video = Video(stream: video.index, timeBase: video.timeBase.description)
    gridSeconds = TimeGrid.files.seconds
    self.parts = parts
  }

  /// Reads a plan.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` for a file that is no plan, and for one of another version.
  public init(path: String) throws(VStreamError) {
    let bytes = try ReadableFile.bytes(of: path)
    guard let plan = try? JSONDecoder().decode(PartPlan.self, from: Data(bytes)), plan.type == Self.type,
      !plan.parts.isEmpty, plan.parts.enumerated().allSatisfy({ $0.offset == $0.element.number })
    else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is no plan of parts", subject: path, remedy: "make one with vstream split")
    }
    guard plan.version == Self.version, plan.gridSeconds == TimeGrid.files.seconds else {
      throw VStreamError(
        .unreadableInput, "'\(path)' was made by \(plan.program), whose parts are other ones", subject: path,
        remedy: "use that version for all parts, or split the input again")
    }
    self = plan
  }

  /// Writes the plan, whole or not at all.
  ///
  /// - Throws: `VStreamError`: `cannotCreateOutput`, `inputOutput`.
  public func write(to path: String) throws(VStreamError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(self) else {
      throw VStreamError(.library, "the plan of \(input.name) cannot be written as JSON")
    }
    guard path != "-" else {
      let output = try TextFile(creating: path, overwrite: true)
      try output.write(Array(json) + [UInt8(ascii: "\n")])
      return try output.close()
    }
    try PartFile.write(Array(json) + [UInt8(ascii: "\n")], for: path)
    try PartFile.commit(path)
  }

  /// A part by its number.
  ///
  /// - Throws: `VStreamError.usage` if there is no such part.
  public func part(_ number: Int, plan path: String) throws(VStreamError) -> InputPart {
    guard parts.indices.contains(number) else {
      throw VStreamError(
        .usage, "'\(path)' has no part \(number): it has \(parts.count)", setting: .part, value: "\(number)",
        remedy: "give 0 to \(parts.count - 1)")
    }
    return parts[number]
  }
}
