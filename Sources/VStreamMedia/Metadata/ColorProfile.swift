/// A colour profile reduced to its colours: primaries, white and tone curves.
///
/// Tables, descriptions and private tags may contain anything. Source: ICC.1:2022, "Image technology colour management", 7.
enum ColorProfile {
  private static let headerSize = 128
  /// Names of tags, and the most bytes that each has.
  private static let kept = [
    "rXYZ": 20, "gXYZ": 20, "bXYZ": 20, "wtpt": 20, "bkpt": 20, "chad": 44, "cicp": 12, "rTRC": 8204, "gTRC": 8204,
    "bTRC": 8204, "kTRC": 8204,
  ]
  /// Types of the tags' data, and the most bytes that each has.
  private static let types = ["XYZ ": 20, "sf32": 44, "curv": 8204, "para": 40, "cicp": 12]
  /// Fields of the header that name devices, and the profile's own hash.
  private static let cleared = [4..<8, 40..<64, 80..<100, 100..<128]

  private struct Tag: Hashable {
    let name: String
    let data: [UInt8]
  }

  /// - Returns: the profile; empty if it describes its colours by tables alone, or cannot be read.
  static func cleaned(_ profile: [UInt8]) -> [UInt8] {
    func number(_ offset: Int) -> Int? {
      offset + 4 <= profile.count ? profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } : nil
    }
    guard let count = number(headerSize), count <= 100 else { return [] }
    var names: Set<String> = []
    let tags = (0..<count).compactMap { index -> Tag? in
      let entry = headerSize + 4 + 12 * index
      guard let start = number(entry + 4), let length = number(entry + 8), entry + 4 <= profile.count,
        start <= profile.count, length >= 8, length <= profile.count - start
      else { return nil }
      let name = String(decoding: profile[entry..<entry + 4], as: UTF8.self)
      let data = Array(profile[start..<start + length])
      guard let most = kept[name], let mostOfType = types[String(decoding: data.prefix(4), as: UTF8.self)],
        length <= min(most, mostOfType), names.insert(name).inserted
      else {
        return nil
      }
      return Tag(name: name, data: data)
    }
    guard names.isSuperset(of: ["wtpt"]),
      names.contains("kTRC") || names.isSuperset(of: ["rXYZ", "gXYZ", "bXYZ", "rTRC"])
    else { return [] }
    return assembled(tags, header: Array(profile[..<headerSize]))
  }

  private static func assembled(_ tags: [Tag], header: [UInt8]) -> [UInt8] {
    func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    var table = bytes(tags.count)
    var data: [UInt8] = []
    let start = headerSize + 4 + 12 * tags.count
    for tag in tags {
      table += Array(tag.name.utf8) + bytes(start + data.count) + bytes(tag.data.count)
      data += tag.data + [UInt8](repeating: 0, count: -tag.data.count & 3)
    }
    var header = header
    for field in cleared { header.replaceSubrange(field, with: [UInt8](repeating: 0, count: field.count)) }
    header.replaceSubrange(0..<4, with: bytes(start + data.count))
    return header + table + data
  }
}
