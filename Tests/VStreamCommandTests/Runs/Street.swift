import Foundation
import Testing
import VStreamTestSupport

/// Excerpts of the street footage, short enough to run a detector on every frame.
enum Street {
  /// Copies the first frames of `street.avi` to a file, without re-encoding them.
  static func cut(frames: Int, to path: String) throws {
    try Program.ffmpeg(["-i", Checkout.sample("street.avi"), "-c", "copy", "-frames:v", "\(frames)", path])
  }
}

/// A folder with an excerpt of footage, `in.avi`.
struct ClipFolder {
  let folder: TemporaryFolder
  var input: String { folder.file("in.avi") }

  init(street frames: Int) throws {
    folder = try TemporaryFolder()
    try Street.cut(frames: frames, to: folder.file("in.avi"))
  }

  /// The first frames of `face.mp4`, losslessly. Its person is detected, and redacted, with a wide margin: the same on every
  /// processor. The distant people of the street are not, as oval covers have something of people.
  init(person frames: Int) throws {
    folder = try TemporaryFolder()
    try Program.ffmpeg(
      ["-i", Checkout.sample("face.mp4"), "-an", "-frames:v", "\(frames)", "-c:v", "ffv1", folder.file("in.avi")])
  }

  /// Runs the command in the folder.
  func vstream(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramResult {
    try Program.vstream(arguments, environment: environment, folder: folder.path)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: folder.file(name), encoding: .utf8) }
}

/// A JSON value, with the accessors that these tests use.
struct JSON {
  private let value: Any?

  init(_ text: String) throws { value = try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  private init(value: Any?) { self.value = value }

  subscript(key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }
  var list: [JSON]? { (value as? [Any])?.map { JSON(value: $0) } }
  var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
  var int: Int? { (value as? NSNumber)?.intValue }
  var double: Double? { (value as? NSNumber)?.doubleValue }
  var string: String? { value as? String }
  var isAbsent: Bool { value == nil }
}

/// A `.jsonl` file, line by line.
struct RecordedRun {
  let header: JSON
  let frames: [JSON]
  let summary: JSON

  init(_ text: String) throws {
    let lines = try text.split(separator: "\n").map { try JSON(String($0)) }
    header = try #require(lines.first)
    summary = try #require(lines.last)
    frames = Array(lines.dropFirst().dropLast())
    #expect(header["type"].string == "header")
    #expect(summary["type"].string == "summary")
    #expect(frames.allSatisfy { $0["type"].string == "frame" })
  }

  /// The objects of each frame.
  var objects: [[JSON]] { frames.map { $0["objects"].list ?? [] } }
}

/// Whether a text is one line.
func oneLine(_ text: String) -> Bool { text.hasSuffix("\n") && text.dropLast().allSatisfy { $0 != "\n" } }
