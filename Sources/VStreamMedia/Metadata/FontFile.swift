/// Fonts by their content.
enum FontFile {
  private static let signatures: [[UInt8]] = [[0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8)]
  /// The most tables that a font has.
  private static let maximumTables = 64

  /// Tables of outlines, metrics and layout. Tables of images (`SVG `, `sbix`, `CBDT`, …) and of others are not among them.
  private static let tableNames: Set = [
    "cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post", "cvt ", "fpgm", "glyf", "loca", "prep", "gasp",
    "CFF ",
    "CFF2", "VORG", "BASE", "GDEF", "GPOS", "GSUB", "kern",
    "vhea", "vmtx", "COLR", "CPAL", "avar", "cvar", "fvar", "gvar", "HVAR", "MVAR", "STAT", "VVAR",
  ]
  /// Tables that fonts have and text needs not; some may hold any bytes.
  private static let omittedNames: Set = ["DSIG", "FFTM", "JSTF", "LTSH", "MATH", "PCLT", "VDMX", "hdmx", "meta"]
  private static let headMagic: [UInt8] = [0x5F, 0x0F, 0x3C, 0xF5]
  /// Offset in `head` of a number that makes the sum of the file this constant.
  private static let adjustmentOffset = 8
  private static let adjustedSum: UInt32 = 0xB1B0_AFBA

  private struct Table {
    let name: String
    let range: Range<Int>
  }

  /// A TrueType or OpenType font without tables that text does not need.
  ///
  /// Collections and compressed fonts, which may contain anything, are not recognised. Source: OpenType, "Organization of an
  /// OpenType Font", "head".
  /// - Returns: `nil` for what is no font, consists of more than a font's tables, or has an image in one of them.
  static func cleaned(_ bytes: [UInt8]) -> [UInt8]? {
    guard signatures.contains(where: bytes.starts), let tables = tables(of: bytes) else { return nil }
    let names = Set(tables.map(\.name))
    guard names.isSubset(of: tableNames.union(omittedNames)), names.isSuperset(of: ["cmap", "head", "hhea", "maxp"]),
      names.count == tables.count, let head = tables.first(where: { $0.name == "head" })?.range, head.count >= 54,
      bytes[head].dropFirst(12).starts(with: headMagic)
    else { return nil }
    // Tables are aligned to four bytes; more than that between or behind them is something else.
    var end = 12 + 16 * tables.count
    for table in tables.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard (end...end + 3).contains(table.range.lowerBound) else { return nil }
      end = table.range.upperBound
    }
    let kept = tables.filter { !omittedNames.contains($0.name) }
    guard bytes.count <= end + 3, !kept.contains(where: { $0.name == "name" && hasEncodedText(bytes[$0.range]) }) else {
      return nil
    }
    let font = kept.count == tables.count ? bytes : font(of: kept, from: bytes)
    return ImageSignature.isIn(font) ? nil : font
  }

  /// Whether names, which are in ASCII or UTF-16, may be an image.
  private static func hasEncodedText(_ names: ArraySlice<UInt8>) -> Bool {
    EncodedText.isIn(String(decoding: names.filter { $0 != 0 }, as: UTF8.self))
  }

  private static func tables(of bytes: [UInt8]) -> [Table]? {
    func number(_ offset: Int, _ count: Int) -> Int {
      offset + count <= bytes.count ? bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } : Int.max
    }
    let count = number(4, 2)
    guard (1...maximumTables).contains(count) else { return nil }
    var tables: [Table] = []
    for entry in stride(from: 12, to: 12 + 16 * count, by: 16) {
      let (start, length) = (number(entry + 8, 4), number(entry + 12, 4))
      guard start <= bytes.count, length <= bytes.count - start else { return nil }
      tables.append(
        Table(name: String(decoding: bytes[entry..<entry + 4], as: UTF8.self), range: start..<start + length))
    }
    return tables
  }

  /// A font of some tables of another one.
  private static func font(of tables: [Table], from bytes: [UInt8]) -> [UInt8] {
    let power = Int.bitWidth - 1 - tables.count.leadingZeroBitCount
    let search = 16 << power
    var font = Array(bytes[..<4]) + [tables.count, search, power, 16 * tables.count - search].flatMap(Self.short)
    var data: [UInt8] = []
    var adjustment: Int?
    for table in tables {
      var contents = Array(bytes[table.range])
      let start = 12 + 16 * tables.count + data.count
      if table.name == "head" {
        adjustment = start + adjustmentOffset
        for index in adjustmentOffset..<adjustmentOffset + 4 { contents[index] = 0 }
      }
      font += Array(table.name.utf8) + long(sum(of: contents)) + long(UInt32(truncatingIfNeeded: start))
      font += long(UInt32(truncatingIfNeeded: contents.count))
      data += contents + [UInt8](repeating: 0, count: -contents.count & 3)
    }
    font += data
    if let adjustment { font.replaceSubrange(adjustment..<adjustment + 4, with: long(adjustedSum &- sum(of: font))) }
    return font
  }

  /// The sum of a table, or file, as numbers of four bytes.
  private static func sum(of bytes: [UInt8]) -> UInt32 {
    stride(from: 0, to: bytes.count, by: 4).reduce(0) { sum, index in
      let end = min(index + 4, bytes.count)
      let number = bytes[index..<end].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return sum &+ number << UInt32(8 * (4 - (end - index)))
    }
  }

  private static func short(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }

  private static func long(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
}
