/// An entry of a TIFF directory: values, data that its values point to, or a directory.
struct TIFFEntry: Sendable {
  enum Value: Sendable {
    /// Stored as they are.
    case bytes([UInt8])
    case numbers([Int])
    /// Stored anywhere, with their offsets as the values.
    case data([[UInt8]])
    case directory([TIFFEntry])
  }

  let tag: Int
  let type: Int
  let value: Value

  init(_ tag: Int, _ type: Int, _ numbers: [Int]) { (self.tag, self.type, value) = (tag, type, .numbers(numbers)) }
  init(bytes tag: Int, type: Int, _ bytes: [UInt8]) { (self.tag, self.type, value) = (tag, type, .bytes(bytes)) }
  init(text tag: Int, _ text: String) { self.init(bytes: tag, type: 2, Array(text.utf8) + [0]) }
  init(data tag: Int, _ parts: [UInt8]...) { (self.tag, type, value) = (tag, 4, .data(parts)) }
  init(_ tag: Int, _ entries: [TIFFEntry]) { (self.tag, type, value) = (tag, 4, .directory(entries)) }
}

/// A TIFF block with chained directories, as cameras write it. Source: TIFF 6.0, section 2.
struct TIFFBlock {
  private(set) var bytes: [UInt8]
  private let isLittleEndian: Bool

  init(_ directories: [[TIFFEntry]], isLittleEndian: Bool) {
    self.isLittleEndian = isLittleEndian
    bytes = Array((isLittleEndian ? "II" : "MM").utf8)
    bytes += number(42, count: 2) + number(8, count: 4)
    for (index, directory) in directories.enumerated() {
      let next = add(directory)
      if index + 1 < directories.count { set(next, to: bytes.count) }
    }
  }

  /// - Returns: the offset of the number that points to the next directory.
  private mutating func add(_ entries: [TIFFEntry]) -> Int {
    let start = bytes.count
    bytes += number(entries.count, count: 2) + [UInt8](repeating: 0, count: 12 * entries.count + 4)
    for (index, entry) in entries.enumerated() {
      let (count, values) = stored(entry)
      let place = start + 2 + 12 * index
      replace(place, number(entry.tag, count: 2) + number(entry.type, count: 2) + number(count, count: 4))
      if values.count <= 4 {
        replace(place + 8, values)
      } else {
        set(place + 8, to: bytes.count)
        bytes += values
      }
    }
    return start + 2 + 12 * entries.count
  }

  /// The number of an entry's values, and their bytes.
  private mutating func stored(_ entry: TIFFEntry) -> (count: Int, values: [UInt8]) {
    let size = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1][entry.type] ?? 4
    switch entry.value {
    case .bytes(let bytes): return (bytes.count / size, bytes)
    case .numbers(let numbers):
      // A ratio is two numbers.
      return (entry.type == 5 ? numbers.count / 2 : numbers.count, numbers.flatMap { number($0, count: min(size, 4)) })
    case .data(let parts):
      let offsets = parts.map { part in
        defer { bytes += part }
        return bytes.count
      }
      return (offsets.count, offsets.flatMap { number($0, count: 4) })
    case .directory(let entries):
      let start = bytes.count
      _ = add(entries)
      return (1, number(start, count: 4))
    }
  }

  private mutating func set(_ offset: Int, to value: Int) { replace(offset, number(value, count: 4)) }

  private mutating func replace(_ offset: Int, _ new: [UInt8]) {
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }

  private func number(_ value: Int, count: Int) -> [UInt8] {
    let lowestFirst = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isLittleEndian ? lowestFirst : lowestFirst.reversed()
  }
}
