/// A unit of AV1 (AV1 Bitstream & Decoding Process Specification, 5.3).
struct OpenBitstreamUnit {
  /// 1 for the header of a sequence, 3, 4 and 6 for pictures, 5 for metadata.
  let kind: UInt8
  let bytes: ArraySlice<UInt8>

  /// Whether it belongs to the picture or its display: no padding, and of metadata light levels, layers and timecodes alone.
  var isPlain: Bool {
    switch kind {
    case 1...4, 6, 7: true
    case 5: bytes.first.map { [1, 2, 3, 5].contains($0) } == true
    default: false
    }
  }

  static func all(in bytes: [UInt8]) -> [OpenBitstreamUnit] {
    var (units, rest): ([OpenBitstreamUnit], ArraySlice<UInt8>) = ([], bytes[...])
    while let header = rest.popFirst() {
      if header & 4 != 0 { rest = rest.dropFirst() }
      var size = rest.count
      if header & 2 != 0 {
        size = 0
        for shift in stride(from: 0, to: 35, by: 7) {
          guard let byte = rest.popFirst() else { return units }
          size |= Int(byte & 127) << shift
          if byte < 128 { break }
        }
      }
      units.append(OpenBitstreamUnit(kind: header >> 3 & 15, bytes: rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return units
  }
}

/// A segment of a JPEG image (ITU-T T.81, annex B).
struct JPEGSegment {
  let marker: UInt8
  let bytes: ArraySlice<UInt8>

  /// Whether decoding needs it, or it is an empty one of JFIF, AVI or Adobe, or libav's name.
  var isPlain: Bool {
    switch marker {
    case 0xc0...0xcf, 0xda...0xdd: true
    case 0xe0: bytes.count < 15 && (bytes.starts(with: "JFIF".utf8) || bytes.starts(with: "AVI1".utf8))
    case 0xee: bytes.count == 12 && bytes.starts(with: "Adobe".utf8)
    case 0xfe: bytes.count < 24 && bytes.starts(with: "Lavc".utf8)
    default: false
    }
  }

  /// The segments up to the pixels, and one of marker 0 with the bytes behind the image.
  static func all(in bytes: [UInt8]) -> [JPEGSegment] {
    var (segments, position): ([JPEGSegment], Int) = ([], 2)
    while position + 4 <= bytes.count, bytes[position] == 0xff {
      let marker = bytes[position + 1]
      // Any number of bytes may fill the place before a marker.
      if marker == 0xff {
        position += 1
        continue
      }
      let size = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      let end = min(bytes.count, position + 2 + max(2, size))
      segments.append(JPEGSegment(marker: marker, bytes: bytes[position + 4..<end]))
      position = end
      if marker == 0xda { break }
    }
    while position + 1 < bytes.count, bytes[position] != 0xff || bytes[position + 1] != 0xd9 { position += 1 }
    let rest = bytes.dropFirst(position + 2)
    return rest.contains { $0 != 0 } ? segments + [JPEGSegment(marker: 0, bytes: rest)] : segments
  }
}
