/// The units of H.264 and HEVC in packets: separated by start codes, or each with its length before it.
///
/// Source: ITU-T H.264 and H.265, 7.3 and annex B; ISO/IEC 14496-15, 5.3.3 and 8.3.3.
struct NALUnits: Sendable {
  let isHEVC: Bool
  /// The bytes of a unit's length; `nil` where start codes separate units.
  let lengthSize: Int?

  /// - Parameter header: of the stream, from its container.
  init(isHEVC: Bool, header: [UInt8]) {
    self.isHEVC = isHEVC
    // The header of a file begins with version 1; a start code begins with 0.
    let place = isHEVC ? 21 : 4
    lengthSize = header.first == 1 && header.count > place + 1 ? Int(header[place] & 3) + 1 : nil
  }

  /// The type of a unit: 5 and 19 to 21 of pictures that decoding can start at, for example.
  func kind(of unit: some Collection<UInt8>) -> UInt8? { unit.first.map { isHEVC ? $0 >> 1 & 63 : $0 & 31 } }

  /// Whether a unit is a slice of a picture.
  func isSlice(_ unit: some Collection<UInt8>) -> Bool {
    kind(of: unit).map { isHEVC ? $0 < 32 : (1...5).contains($0) } == true
  }

  /// Whether a unit belongs to the picture: slices of one view, sets of parameters, marks of access units and ends, fillers. Units of
  /// messages are judged by `messages(in:)`.
  func isPlain(_ unit: some Collection<UInt8>) -> Bool {
    guard let kind = kind(of: unit) else { return true }
    let isFiller = kind == (isHEVC ? 38 : 12)
    if isFiller { return unit.dropFirst(isHEVC ? 2 : 1).allSatisfy { [0xff, 0x80].contains($0) } }
    guard isHEVC else { return (1...11).contains(kind) }
    let isBaseLayer = (unit.first ?? 0) & 1 == 0 && (unit.dropFirst().first ?? 0) & 0xf8 == 0
    return isBaseLayer && (kind < 22 || (32...40).contains(kind))
  }

  /// The numbers of the sets of parameters that units have: those in the sets of pictures, which name their own and another one.
  func setNumbers(in units: [[UInt8]]) -> Set<Int> {
    var numbers: Set<Int> = []
    for unit in units where kind(of: unit) == (isHEVC ? 34 : 8) {
      var bits = Self.unescaped(unit.prefix(16)).dropFirst(isHEVC ? 2 : 1).flatMap { byte in
        (0..<8).reversed().map { byte >> $0 & 1 }
      }[...]
      for _ in 0..<2 {
        let zeros = bits.prefix { $0 == 0 }.count
        numbers.insert(bits.dropFirst(zeros).prefix(zeros + 1).reduce(0) { $0 << 1 | Int($1) } - 1)
        bits = bits.dropFirst(2 * zeros + 1)
      }
    }
    return numbers
  }

  /// Whether a unit is a set of parameters.
  func isSet(_ unit: some Collection<UInt8>) -> Bool {
    kind(of: unit).map { isHEVC ? (32...34).contains($0) : (7...8).contains($0) } == true
  }

  func units(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    guard let lengthSize else { return Self.separated(bytes) }
    var (units, position): ([ArraySlice<UInt8>], Int) = ([], 0)
    while position + lengthSize <= bytes.count {
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      position += lengthSize
      guard length <= bytes.count - position else { break }
      units.append(bytes[position..<position + length])
      position += length
    }
    return units
  }

  /// A unit without the zeros behind it, which are none of it.
  static func trimmed(_ unit: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    unit.prefix((unit.lastIndex { $0 != 0 } ?? unit.startIndex - 1) + 1 - unit.startIndex)
  }

  /// Units in the form of the stream's packets.
  func joined(_ units: [some Collection<UInt8>]) -> [UInt8] {
    var bytes: [UInt8] = []
    for unit in units {
      if let lengthSize {
        for byte in (0..<lengthSize).reversed() { bytes.append(UInt8(truncatingIfNeeded: unit.count >> (8 * byte))) }
      } else {
        bytes += [0, 0, 0, 1]
      }
      bytes += unit
    }
    return bytes
  }

  /// The sets of parameters in the header of a file, in lists of one type each, and the bytes around them; `nil` for another form.
  private func lists(
    _ header: [UInt8]
  ) -> (start: ArraySlice<UInt8>, lists: [(first: UInt8, sets: [[UInt8]])], end: ArraySlice<UInt8>)? {
    guard lengthSize != nil else { return nil }
    let start = header.prefix(isHEVC ? 23 : 5)
    var (rest, lists): (ArraySlice<UInt8>, [(UInt8, [[UInt8]])]) = (header.dropFirst(start.count), [])
    func number(_ bytes: Int) -> Int? {
      guard rest.count >= bytes else { return nil }
      defer { rest = rest.dropFirst(bytes) }
      return rest.prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
    }
    for list in 0..<(isHEVC ? Int(start.last ?? 0) : 2) {
      // Of H.264 the count is in the first byte; of HEVC the type is, and the count follows.
      guard let first = rest.first.map({ _ in UInt8(truncatingIfNeeded: number(1) ?? 0) }),
        let count = isHEVC ? number(2) : Int(list == 0 ? first & 31 : first)
      else { return nil }
      var sets: [[UInt8]] = []
      for _ in 0..<count {
        guard let size = number(2), rest.count >= size else { return nil }
        sets.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      lists.append((first, sets))
    }
    return (start, lists, rest)
  }

  /// The sets of parameters in the header of a file.
  func sets(in header: [UInt8]) -> [[UInt8]] { (lists(header)?.lists.flatMap(\.sets) ?? []).filter(isSet) }

  /// The header of a file with further sets of parameters, and perhaps without messages; `nil` if it is of another form, or has none of
  /// a set's type.
  func header(_ header: [UInt8], adding sets: [[UInt8]], omitsMessages: Bool = false) -> [UInt8]? {
    guard let (start, all, end) = lists(header) else { return nil }
    let lists = isHEVC && omitsMessages ? all.filter { (32...34).contains($0.first & 63) } : all
    var (bytes, added) = (Array(start), 0)
    if isHEVC { bytes[22] = UInt8(lists.count) }
    for (number, list) in lists.enumerated() {
      let type = isHEVC ? list.first & 63 : UInt8(7 + number)
      let all = list.sets + sets.filter { kind(of: $0) == type }
      guard all.count < 32, all.allSatisfy({ $0.count < 65_536 }) else { return nil }
      bytes += isHEVC ? [list.first, 0, UInt8(all.count)] : [(number == 0 ? 0xe0 : 0) | UInt8(all.count)]
      for set in all {
        bytes += [UInt8(truncatingIfNeeded: set.count >> 8), UInt8(truncatingIfNeeded: set.count)] + set
      }
      added += all.count - list.sets.count
    }
    return added == sets.count ? bytes + end : nil
  }

  /// The units of a byte stream.
  static func separated(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var starts: [(unit: Int, code: Int)] = []
    var (index, zeros) = (0, 0)
    while index < bytes.count {
      if bytes[index] == 1, zeros >= 2 { starts.append((index + 1, index - zeros)) }
      zeros = bytes[index] == 0 ? zeros + 1 : 0
      index += 1
    }
    return starts.indices.map { number in
      let end = number + 1 < starts.count ? starts[number + 1].code : bytes.count
      return trimmed(bytes[starts[number].unit..<max(starts[number].unit, end)])
    }
  }

  /// The messages of a packet's supplemental enhancement information.
  func messages(in bytes: [UInt8]) -> [(type: Int, bytes: ArraySlice<UInt8>)] {
    units(in: bytes).filter { unit in kind(of: unit).map { isHEVC ? [39, 40].contains($0) : $0 == 6 } == true }
      .flatMap { Self.messages(of: Self.unescaped($0).dropFirst(isHEVC ? 2 : 1)) }
  }

  private static func messages(of unit: ArraySlice<UInt8>) -> [(type: Int, bytes: ArraySlice<UInt8>)] {
    var (messages, rest): ([(Int, ArraySlice<UInt8>)], ArraySlice<UInt8>) = ([], unit)
    func number() -> Int? {
      var sum = 0
      while let byte = rest.popFirst() {
        sum += Int(byte)
        if byte != 255 { return sum }
      }
      return nil
    }
    while rest.count > 1, let type = number(), let size = number() {
      messages.append((type, rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return messages
  }

  /// A unit without the bytes that keep start codes from appearing in it.
  private static func unescaped(_ unit: some Collection<UInt8>) -> [UInt8] {
    var (bytes, zeros): ([UInt8], Int) = ([], 0)
    bytes.reserveCapacity(unit.count)
    for byte in unit {
      if byte == 3, zeros >= 2 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    return bytes
  }

  private static func escaped(_ unit: [UInt8]) -> [UInt8] {
    var (bytes, zeros): ([UInt8], Int) = ([], 0)
    bytes.reserveCapacity(unit.count + 16)
    for byte in unit {
      if byte <= 3, zeros >= 2 {
        bytes.append(3)
        zeros = 0
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    return bytes
  }

  /// A picture of clean random access of HEVC, as one before which a link is broken: it refers to no picture before, and none that
  /// is presented before it follows.
  func afterBrokenLink(_ unit: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard isHEVC, kind(of: unit) == 21, let first = unit.first else { return unit }
    return [first & 0x81 | 18 << 1] + unit.dropFirst()
  }

  /// A unit of an HEVC encoder, with 15 as the number of its parameter sets in place of 0.
  ///
  /// In the code of such numbers 0 takes one bit and 15 nine, so that the rest moves by whole bytes.
  ///
  /// - Returns: `nil` for a unit of another form, and for messages that name the sets.
  func renumbered(_ unit: ArraySlice<UInt8>) -> [UInt8]? {
    guard let type = kind(of: unit), unit.count > 4 else { return nil }
    var bytes = Self.unescaped(unit)
    switch type {
    case 32: bytes[2] |= 0xf0
    case 33:
      // After the set's number of the video, sub-layers, of which there is one, and 96 bits of profile and level.
      guard bytes[2] & 0x0e == 0, Self.replaceZero(at: 16 + 8 + 96, in: &bytes) else { return nil }
      bytes[2] |= 0xf0
    case 34: guard Self.replaceZero(at: 16, in: &bytes), Self.replaceZero(at: 16 + 9, in: &bytes) else { return nil }
    case 0..<32:
      // Pictures that decoding can start at have one more flag before the number.
      guard Self.replaceZero(at: (16..<24).contains(type) ? 18 : 17, in: &bytes) else { return nil }
    case 39, 40:
      // Buffering periods and active parameter sets.
      return Self.messages(of: bytes.dropFirst(2)).contains { [0, 129].contains($0.type) } ? nil : Array(unit)
    default: break
    }
    return Self.escaped(bytes)
  }

  /// Replaces the number 0, of one bit, by 15, of nine.
  private static func replaceZero(at bit: Int, in bytes: inout [UInt8]) -> Bool {
    let (place, before) = (bit / 8, bit % 8)
    guard place < bytes.count, bytes[place] << before & 0x80 != 0 else { return false }
    let value = UInt16(bytes[place])
    let after = 7 - before
    let wide = (value >> (after + 1)) << (16 - before) | 16 << after | value & ((1 << after) - 1)
    bytes.replaceSubrange(place...place, with: [UInt8(wide >> 8), UInt8(truncatingIfNeeded: wide)])
    return true
  }
}
