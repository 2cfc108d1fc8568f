/// The metadata of AVIF and other HEIF images: boxes whose items are the image and its Exif. The orientation is a property of the
/// image, whatever Exif says.
///
/// Source: ISO/IEC 14496-12 (boxes), ISO/IEC 23008-12 (HEIF), 6.5.10 and 6.5.12.
struct HEIFImage {
  private let file: [UInt8]
  private var meta: Range<Int> = 0..<0

  /// Boxes that are read of one parent.
  private static let maximumBoxes = 1000

  /// - Returns: `nil` if the file is none.
  init?(_ file: [UInt8]) {
    self.file = file
    guard file.count > 16, Array(file[4..<8]) == Array("ftyp".utf8),
      let meta = boxes(in: 0..<file.count).first(where: { $0.name == "meta" })?.body, meta.count > 4
    else { return nil }
    self.meta = meta.dropFirst(4)
  }

  /// The Exif orientation that makes the image upright, 1…8.
  var orientation: Int {
    let properties = boxes(in: body("iprp")).first { $0.name == "ipco" }.map { boxes(in: $0.body) } ?? []
    var matrix = (a: 1, b: 0, c: 0, d: 1)
    for index in associations where properties.indices.contains(index - 1) {
      let property = properties[index - 1]
      guard let value = number(at: property.body.lowerBound, bytes: 1) else { continue }
      if property.name == "irot" {
        // Quarter turns, counter-clockwise.
        for _ in 0..<value % 4 { matrix = (matrix.c, matrix.d, -matrix.a, -matrix.b) }
      } else if property.name == "imir" {
        matrix =
          value & 1 == 1 ? (-matrix.a, -matrix.b, matrix.c, matrix.d) : (matrix.a, matrix.b, -matrix.c, -matrix.d)
      }
    }
    let all = [
      (1, 0, 0, 1), (-1, 0, 0, 1), (-1, 0, 0, -1), (1, 0, 0, -1), (0, 1, 1, 0), (0, -1, 1, 0), (0, -1, -1, 0),
      (0, 1, -1, 0),
    ]
    return 1 + (all.firstIndex { $0 == (matrix.a, matrix.b, matrix.c, matrix.d) } ?? 0)
  }

  /// The Exif block, starting with its TIFF header; empty for none.
  var exif: [UInt8] {
    guard let item = exifItem, let range = location(of: item), let skipped = number(at: range.lowerBound, bytes: 4),
      4 + skipped <= range.count
    else { return [] }
    return Array(file[range.dropFirst(4 + skipped)])
  }

  // MARK: Boxes

  private func boxes(in range: Range<Int>) -> [(name: String, body: Range<Int>)] {
    var boxes: [(name: String, body: Range<Int>)] = []
    var offset = range.lowerBound
    while boxes.count < Self.maximumBoxes, offset + 8 <= range.upperBound {
      guard var length = number(at: offset, bytes: 4) else { break }
      var header = 8
      if length == 1, let long = number(at: offset + 8, bytes: 8) { (length, header) = (long, 16) }
      if length == 0 { length = range.upperBound - offset }
      guard length >= header, length <= range.upperBound - offset else { break }
      let name = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
      boxes.append((name, offset + header..<offset + length))
      offset += length
    }
    return boxes
  }

  private func body(_ name: String) -> Range<Int> { boxes(in: meta).first { $0.name == name }?.body ?? 0..<0 }

  /// An unsigned integer; `nil` past the end.
  private func number(at offset: Int, bytes: Int) -> Int? {
    guard offset >= 0, bytes <= 8, offset + bytes <= file.count else { return nil }
    let value = file[offset..<offset + bytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }

  /// Reads integers one after the other.
  private struct Reader {
    let image: HEIFImage
    var range: Range<Int>

    mutating func next(_ bytes: Int) -> Int? {
      guard bytes <= range.count, let value = image.number(at: range.lowerBound, bytes: bytes) else { return nil }
      range = range.dropFirst(bytes)
      return value
    }
  }

  private func version(_ range: Range<Int>) -> Int { number(at: range.lowerBound, bytes: 1) ?? 0 }

  private var primaryItem: Int {
    let range = body("pitm")
    return number(at: range.lowerBound + 4, bytes: version(range) == 0 ? 2 : 4) ?? 0
  }

  /// The numbers of the primary item's properties, in their order.
  private var associations: [Int] {
    for box in boxes(in: body("iprp")) where box.name == "ipma" {
      var reader = Reader(image: self, range: box.body)
      guard let flags = reader.next(4), let count = reader.next(4) else { return [] }
      for _ in 0..<min(count, Self.maximumBoxes) {
        guard let item = reader.next(flags >> 24 == 0 ? 2 : 4), let number = reader.next(1) else { return [] }
        let (bytes, mask) = flags & 1 == 0 ? (1, 0x7F) : (2, 0x7FFF)
        let properties = (0..<number).compactMap { _ in reader.next(bytes).map { $0 & mask } }
        if item == primaryItem { return properties }
      }
    }
    return []
  }

  private var exifItem: Int? {
    let range = body("iinf")
    let header = version(range) == 0 ? 6 : 8
    guard range.count > header else { return nil }
    for box in boxes(in: range.dropFirst(header)) where box.name == "infe" && version(box.body) >= 2 {
      var reader = Reader(image: self, range: box.body.dropFirst(min(4, box.body.count)))
      guard let item = reader.next(version(box.body) == 2 ? 2 : 4), reader.next(2) != nil, let type = reader.next(4)
      else {
        continue
      }
      // "Exif"
      if type == 0x4578_6966 { return item }
    }
    return nil
  }

  /// The bytes of an item that is in one piece.
  private func location(of wanted: Int) -> Range<Int>? {
    let box = body("iloc")
    let version = version(box)
    var reader = Reader(image: self, range: box.dropFirst(min(4, box.count)))
    guard let sizes = reader.next(2), let count = reader.next(version < 2 ? 2 : 4) else { return nil }
    for _ in 0..<min(count, Self.maximumBoxes) {
      guard let item = reader.next(version < 2 ? 2 : 4), let method = version > 0 ? reader.next(2) : 0,
        reader.next(2) != nil,
        let base = reader.next(sizes >> 4 & 15), let extents = reader.next(2)
      else { return nil }
      for index in 0..<extents {
        if version > 0, sizes & 15 > 0 { _ = reader.next(sizes & 15) }
        guard let offset = reader.next(sizes >> 12), let length = reader.next(sizes >> 8 & 15) else { return nil }
        guard item == wanted, method == 0, extents == 1, index == 0 else { continue }
        let (start, overflows) = base.addingReportingOverflow(offset)
        guard !overflows, start <= file.count, length <= file.count - start else { return nil }
        return start..<start + length
      }
    }
    return nil
  }
}
