#if canImport(Glibc)
  internal import Glibc
#endif

/// The model files that OpenVINO keeps mapped into memory.
enum MappedModelFiles {
  /// Releases the memory of read-only mappings of model files (compiled models and weights).
  ///
  /// A compiled network has its own copy of the weights in the order of its computation; the file's pages are read once
  /// and then only occupy memory. If one is needed again, the kernel reads it from the file.
  static func release() {
    for (start, end) in mappings() {
      guard let pointer = UnsafeMutableRawPointer(bitPattern: start) else { continue }
      madvise(pointer, Int(end - start), pageOut)
    }
  }

  /// `MADV_PAGEOUT`, which is safe even if another mapping has the address by now; ignored by kernels before 5.4.
  private static let pageOut: Int32 = 21

  /// Address ranges of shared, read-only mappings of files that end in `.blob` or `.bin`.
  private static func mappings() -> [(start: UInt, end: UInt)] {
    guard let file = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(file) }
    var found: [(start: UInt, end: UInt)] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
      // Split by bytes for speed: this runs before the second frame, over many lines.
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
