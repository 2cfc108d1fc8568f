/// Rebuilds an Exif block from a list of tags, so that nothing else of the original remains: no thumbnail in any form, no
/// maker's note, no position, no names.
///
/// Source: CIPA DC-008 (Exif), 4.6; TIFF 6.0, section 2.
struct ExifRedaction {
  /// The kept part of the original.
  enum Scope {
    /// Orientation, time, exposure and colour.
    case harmless
    /// All numbers and texts that are too short for an image.
    case description
  }

  /// An entry of a directory: its tag, the type and number of its values, and their bytes.
  struct Entry: Hashable {
    let tag: Int
    let type: Int
    let count: Int
    let bytes: [UInt8]
  }

  private let original: ImageMetadata
  private let scope: Scope

  init(of original: ImageMetadata, keeping scope: Scope) {
    self.original = original
    self.scope = scope
  }

  /// The new block, in the byte order of the original; empty if nothing is kept.
  var block: [UInt8] {
    guard let first = original.number(at: 4, bytes: 4), first >= 8 else { return [] }
    let image = entries(at: first, Self.imageTags)
    let photo = directory(Pointer.exif, in: first).map { entries(at: $0, Self.photoTags) } ?? []
    let position =
      scope == .description ? directory(Pointer.position, in: first).map { entries(at: $0, [:]) } ?? [] : []
    if image.isEmpty, photo.isEmpty, position.isEmpty { return [] }
    return Writer(isLittleEndian: original.isLittleEndian).block(image, photo: photo, position: position)
  }

  /// Whether the original has a description of the place, of persons or of devices that is not kept.
  var losesDescription: Bool {
    guard scope == .harmless, let first = original.number(at: 4, bytes: 4) else { return false }
    if directory(Pointer.position, in: first) != nil { return true }
    let photo = directory(Pointer.exif, in: first).map { tags(at: $0) } ?? []
    return !Self.describing.isDisjoint(with: tags(at: first) + photo)
  }

  /// Whether the original has a second directory, directories or strips of further images, or a maker's note, which often
  /// contains previews.
  var hasImages: Bool {
    guard let first = original.number(at: 4, bytes: 4), let count = original.number(at: first, bytes: 2) else {
      return false
    }
    let photo = directory(Pointer.exif, in: first).map { tags(at: $0) } ?? []
    let next = original.number(at: first + 2 + 12 * count, bytes: 4) ?? 0
    return next != 0 || !Set(tags(at: first) + photo).isDisjoint(with: [0x014A, 0x0111, 0x0144, 0x0201, 0x927C])
  }

  // MARK: Reading

  private enum Pointer {
    static let exif = 0x8769
    static let position = 0x8825
  }

  /// Values of a directory that are longer than this may be images.
  private static let maximumBytes = 512
  private static let maximumEntries = 128
  /// Bytes of a directory's numbers, in all.
  private static let maximumTotal = 512
  /// Numbers in a value that describes a place, a person or a device.
  private static let maximumNumbers = 8

  /// Bytes of a value by type, from 1: BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED, SSHORT, SLONG, SRATIONAL.
  private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8]

  private func tags(at directory: Int) -> [Int] {
    let count = min(original.number(at: directory, bytes: 2) ?? 0, Self.maximumEntries)
    return (0..<count).compactMap { original.number(at: directory + 2 + 12 * $0, bytes: 2) }
  }

  /// The offset of a directory to which an entry refers.
  private func directory(_ tag: Int, in parent: Int) -> Int? {
    guard let index = tags(at: parent).firstIndex(of: tag) else { return nil }
    return original.number(at: parent + 2 + 12 * index + 8, bytes: 4)
  }

  /// The entries of a directory that are kept, by ascending tag, each once.
  ///
  /// - Parameter harmless: the harmless tags, with the type and the largest number of values of each.
  private func entries(at directory: Int, _ harmless: [Int: Rule]) -> [Entry] {
    var kept: [Int: Entry] = [:]
    var byteCount = 0
    for (index, tag) in tags(at: directory).enumerated() where kept[tag] == nil {
      guard let entry = entry(at: directory + 2 + 12 * index, tag: tag), isKept(entry, harmless[tag]) else { continue }
      // An image may be in pieces.
      if entry.type != 2 { byteCount += entry.bytes.count }
      if byteCount <= Self.maximumTotal { kept[tag] = entry }
    }
    return kept.values.sorted { $0.tag < $1.tag }
  }

  private func isKept(_ entry: Entry, _ rule: Rule?) -> Bool {
    if let rule, rule.types.contains(entry.type), entry.count <= rule.count { return isPlain(entry) }
    // Undefined bytes may be anything, and pointers refer to removed data.
    let isPointer = [Pointer.exif, Pointer.position, 0x014A, 0x0111, 0x0117, 0x0144, 0x0145, 0x0201, 0x0202, 0xA005]
      .contains(entry.tag)
    return scope == .description && Self.isStandard(entry.tag) && entry.type != 7 && entry.type != 1 && !isPointer
      && isPlain(entry) && (entry.type == 2 || entry.count <= Self.maximumNumbers)
  }

  /// Whether a text is one.
  private func isPlain(_ entry: Entry) -> Bool {
    entry.type != 2 || entry.bytes.allSatisfy { $0 == 0 || (0x20..<0x7F).contains($0) || $0 >= 0xA0 }
  }

  /// Whether a tag is one of TIFF and Exif, or of positions.
  private static func isStandard(_ tag: Int) -> Bool {
    !storage.contains(tag)
      && [0...0x1F, 0x0100...0x0213, 0x4746...0x4749, 0x8298...0x9292, 0xA000...0xA500].contains { $0.contains(tag) }
  }

  /// Tags of how a TIFF's pixels are stored.
  private static let storage: Set = [
    0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0107, 0x010A, 0x0115, 0x0116, 0x011C, 0x013D, 0x0140, 0x0142, 0x0143,
    0x0152,
    0x0153,
  ]

  private func entry(at offset: Int, tag: Int) -> Entry? {
    guard let type = original.number(at: offset + 2, bytes: 2), let count = original.number(at: offset + 4, bytes: 4),
      let size = Self.sizes[type], count > 0, count <= Self.maximumBytes, size * count <= Self.maximumBytes
    else { return nil }
    let length = size * count
    let start = length <= 4 ? offset + 8 : original.number(at: offset + 8, bytes: 4) ?? Int.max
    guard start <= original.exif.count - length else { return nil }
    return Entry(tag: tag, type: type, count: count, bytes: Array(original.exif[start..<start + length]))
  }

  // MARK: Tags

  struct Rule {
    let types: Set<Int>
    /// The largest number of values.
    let count: Int
    init(_ types: Set<Int>, _ count: Int = 1) {
      self.types = types
      self.count = count
    }
  }

  private static let number = Rule([3, 4])
  private static let ratio = Rule([5, 10])
  private static let time = Rule([2], 20)

  /// Of the image: orientation, resolution, time of the change, position of chroma.
  private static let imageTags: [Int: Rule] = [
    0x0112: number, 0x011A: ratio, 0x011B: ratio, 0x0128: number, 0x0132: time, 0x0213: number,
  ]

  /// Of how it was taken: times, exposure, lens setting, colour.
  private static let photoTags: [Int: Rule] = [
    0x829A: ratio, 0x829D: ratio, 0x8822: number, 0x8827: Rule([3], 2), 0x8830: number, 0x8832: number,
    0x9000: Rule([7], 4), 0x9003: time, 0x9004: time, 0x9010: Rule([2], 7), 0x9011: Rule([2], 7),
    0x9012: Rule([2], 7), 0x9101: Rule([7], 4), 0x9201: ratio, 0x9202: ratio, 0x9203: ratio, 0x9204: ratio,
    0x9205: ratio, 0x9207: number, 0x9208: number, 0x9209: number, 0x920A: ratio, 0x9290: Rule([2], 8),
    0x9291: Rule([2], 8), 0x9292: Rule([2], 8), 0xA000: Rule([7], 4), 0xA001: number, 0xA210: number, 0xA402: number,
    0xA403: number, 0xA404: ratio, 0xA405: number, 0xA406: number, 0xA407: number, 0xA408: number, 0xA409: number,
    0xA40A: number, 0xA500: ratio,
  ]

  /// Texts and notes about places, persons and devices: description, make, model, artist, copyright, comment, owner, serial
  /// numbers, lens, Windows' title to subject, IPTC, XMP and Photoshop's block.
  private static let describing: Set = [
    0x010E, 0x010F, 0x0110, 0x013B, 0x013C, 0x8298, 0x9286, 0xA430, 0xA431, 0xA432, 0xA433, 0xA434, 0xA435, 0x9C9B,
    0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F, 0x83BB, 0x02BC, 0x8649, 0xA420, 0x927C,
  ]
}

extension ExifRedaction {
  /// Writes directories one after another, each followed by its values that do not fit into its entries.
  private struct Writer {
    let isLittleEndian: Bool

    func block(_ image: [Entry], photo: [Entry], position: [Entry]) -> [UInt8] {
      var pointers: [(tag: Int, entries: [Entry])] = []
      if !photo.isEmpty { pointers.append((Pointer.exif, photo)) }
      if !position.isEmpty { pointers.append((Pointer.position, position)) }
      var offset = 8 + size(of: image, pointers: pointers.count)
      var first = image
      var rest: [UInt8] = []
      for pointer in pointers {
        first.append(Entry(tag: pointer.tag, type: 4, count: 1, bytes: bytes(offset, count: 4)))
        rest += directory(pointer.entries, at: offset)
        offset += size(of: pointer.entries)
      }
      let header = Array((isLittleEndian ? "II" : "MM").utf8) + bytes(42, count: 2) + bytes(8, count: 4)
      return header + directory(first.sorted { $0.tag < $1.tag }, at: 8) + rest
    }

    private func size(of entries: [Entry], pointers: Int = 0) -> Int {
      6 + 12 * (entries.count + pointers) + entries.reduce(0) { $0 + outside($1) }
    }

    /// Bytes of a value that are stored after the directory, an even number.
    private func outside(_ entry: Entry) -> Int { entry.bytes.count <= 4 ? 0 : (entry.bytes.count + 1) & ~1 }

    private func directory(_ entries: [Entry], at start: Int) -> [UInt8] {
      var table = bytes(entries.count, count: 2)
      var values: [UInt8] = []
      let end = start + 6 + 12 * entries.count
      for entry in entries {
        table += bytes(entry.tag, count: 2) + bytes(entry.type, count: 2) + bytes(entry.count, count: 4)
        let padding = [UInt8](repeating: 0, count: max(4, outside(entry)) - entry.bytes.count)
        if entry.bytes.count <= 4 {
          table += entry.bytes + padding
        } else {
          table += bytes(end + values.count, count: 4)
          values += entry.bytes + padding
        }
      }
      // No further directory.
      return table + bytes(0, count: 4) + values
    }

    private func bytes(_ number: Int, count: Int) -> [UInt8] {
      let lowestFirst = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return isLittleEndian ? lowestFirst : lowestFirst.reversed()
    }
  }
}
