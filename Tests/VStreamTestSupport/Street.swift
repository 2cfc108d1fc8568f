import Foundation

/// Excerpts of the street footage, short enough to run a detector on every frame.
public enum Street {
  /// Copies the first frames of `street.avi` to a file, without re-encoding them.
  public static func cut(frames: Int, to path: String) throws {
    try Program.ffmpeg(["-i", Checkout.sample("street.avi"), "-c", "copy", "-frames:v", "\(frames)", path])
  }
}

/// A folder with an excerpt of footage, `in.avi`.
public struct ClipFolder {
  public let folder: TemporaryFolder
  public var input: String { folder.file("in.avi") }

  public init(street frames: Int) throws {
    folder = try TemporaryFolder()
    try Street.cut(frames: frames, to: folder.file("in.avi"))
  }

  /// The first frames of `face.mp4`, losslessly. Its person is detected, and redacted, with a wide margin: the same on every
  /// processor. The distant people of the street are not, as oval covers have something of people.
  public init(person frames: Int) throws {
    folder = try TemporaryFolder()
    try Program.ffmpeg(
      ["-i", Checkout.sample("face.mp4"), "-an", "-frames:v", "\(frames)", "-c:v", "ffv1", folder.file("in.avi")])
  }

  /// Runs the command in the folder.
  public func vstream(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramResult {
    try Program.vstream(arguments, environment: environment, folder: folder.path)
  }

  public func text(_ name: String) throws -> String { try String(contentsOfFile: folder.file(name), encoding: .utf8) }
}

/// A JSON value, with the accessors that these tests use.
public struct JSON {
  private let value: Any?

  public init(_ text: String) throws { value = try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  private init(value: Any?) { self.value = value }

  public subscript(key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }
  public var list: [JSON]? { (value as? [Any])?.map { JSON(value: $0) } }
  public var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
  public var int: Int? { (value as? NSNumber)?.intValue }
  public var double: Double? { (value as? NSNumber)?.doubleValue }
  public var string: String? { value as? String }
  public var isAbsent: Bool { value == nil }
}

/// A `.jsonl` file, line by line.
public struct RecordedRun {
  public let header: JSON
  public let frames: [JSON]
  public let summary: JSON

  public init(_ text: String) throws {
    let lines = try text.split(separator: "\n").map { try JSON(String($0)) }
    guard let first = lines.first, let last = lines.last, first["type"].string == "header",
      last["type"].string == "summary", lines.dropFirst().dropLast().allSatisfy({ $0["type"].string == "frame" })
    else { throw ProgramFailure(description: "these are no records: \(text.prefix(200))") }
    (header, summary, frames) = (first, last, Array(lines.dropFirst().dropLast()))
  }

  /// The objects of each frame.
  public var objects: [[JSON]] { frames.map { $0["objects"].list ?? [] } }
}

/// Whether a text is one line.
public func oneLine(_ text: String) -> Bool { text.hasSuffix("\n") && text.dropLast().allSatisfy { $0 != "\n" } }
