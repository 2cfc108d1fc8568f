public import VStreamCore
internal import VStreamDetection
public import VStreamReporting

public import struct FoundationEssentials.URL

extension RecordReader {
  /// Opens the records of an earlier run.
  ///
  ///     var records = try RecordReader(contentsOf: "input.jsonl")
  ///     while let frame = try records.next() { print(frame.time.seconds, frame.objects) }
  ///
  /// - Parameter path: of a `.jsonl` file.
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput` if the file does not start with a header of records.
  public init(contentsOf path: String) throws(VStreamError) { try self.init(path: path, labels: ClassList.coco.names) }

  /// Opens the records of an earlier run; see `init(contentsOf:)`.
  public init(contentsOf url: URL) throws(VStreamError) { try self.init(contentsOf: url.location) }
}
