extension StringProtocol {
  /// FNV-1a, 64 bits, of its UTF-8: the same in every run, unlike `hashValue`; a name, not a protection.
  public var stableHash: UInt64 {
    utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Without the white space around it.
  public var trimmed: String {
    String(String(drop(while: \.isWhitespace)).reversed().drop(while: \.isWhitespace).reversed())
  }
}
