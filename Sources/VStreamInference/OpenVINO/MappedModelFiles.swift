#if canImport(Glibc)
  internal import Glibc
#endif

/// The model files that OpenVINO keeps mapped into memory.
enum MappedModelFiles {
  /// Gives back the memory that holds read-only mappings of model files (compiled models and weights).
  ///
  /// A compiled network has its own copy of the weights in the order that it computes with; the file's pages are looked
  /// at once and then only take memory. Should one be needed again, it is read from the file again.
  static func release() {
    for (start, end) in mappings() {
      guard let pointer = UnsafeMutableRawPointer(bitPattern: start) else { continue }
      madvise(pointer, Int(end - start), pageOut)
    }
  }

  /// `MADV_PAGEOUT`, which loses nothing whatever lies at the address by now; ignored by kernels before 5.4.
  private static let pageOut: Int32 = 21

  /// Address ranges of shared, read-only mappings of files that end in `.blob` or `.bin`.
  private static func mappings() -> [(start: UInt, end: UInt)] {
    guard let file = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(file) }
    var found: [(start: UInt, end: UInt)] = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let text = line.map({ String(cString: $0) }) {
      // By bytes, as the many lines of a process are looked at before its second frame.
      let fields = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.map(Substring.init)
      guard fields.count >= 6, fields[1] == "r--s", fields[5...].last.map({ isModel(String($0)) }) == true else {
        continue
      }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2, ends[0] < ends[1] { found.append((ends[0], ends[1])) }
    }
    return found
  }

  private static func isModel(_ path: String) -> Bool { path.hasSuffix(".blob") || path.hasSuffix(".bin") }
}
