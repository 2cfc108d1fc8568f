internal import VStreamScene
internal import VStreamSystem

/// Reads a file line by line. Holds one line at a time, however large the file is.
///
/// Not thread-safe.
struct LineReader {
  private let file: ReadableFile
  private var bytes: [UInt8] = []
  private var position = 0
  /// Number of the line that was read last, from 1; empty lines count.
  private(set) var lineNumber = 0

  private static let newline = UInt8(ascii: "\n")

  /// - Throws: `VStreamError.inputNotFound` or `unreadableInput`.
  init(path: String) throws(VStreamError) { file = try ReadableFile(path) }

  var path: String { file.path }

  /// Whether the last line that was read is the file's last and lacks its line feed, as in a file that was cut off.
  var isCutOff: Bool { !bytes.isEmpty && position == bytes.count && bytes.last != Self.newline }

  /// The next line that is not empty, without its line feed; `nil` at the end.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  mutating func next() throws(VStreamError) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = bytes[searched...].firstIndex(of: Self.newline) {
        let line = bytes[position..<end]
        position = end + 1
        lineNumber += 1
        if !line.isEmpty { return line }
        searched = position
        continue
      }
      bytes.removeFirst(position)
      searched = bytes.count
      position = 0
      guard try !file.read(into: &bytes) else { continue }
      guard !bytes.isEmpty else { return nil }
      lineNumber += 1
      position = bytes.count
      return bytes[...]
    }
  }
}
