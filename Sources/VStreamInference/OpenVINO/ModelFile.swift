internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Checks of a model file before OpenVINO reads it.
enum ModelFile {
  /// Whether a file starts as its name promises: one that ends in `.xml` with `<`. `true` for other names, and for a file
  /// that cannot be opened.
  static func hasExpectedStart(_ path: String) -> Bool {
    guard path.lowercased().hasSuffix(".xml"), let file = fopen(path, "r") else { return true }
    defer { fclose(file) }
    var first = fgetc(file)
    while first >= 0, isspace(first) != 0 { first = fgetc(file) }
    return first == Int32(UInt8(ascii: "<"))
  }

  /// The files that an ONNX model names for its weights, relative to its folder, by name; none if the model cannot be read.
  ///
  /// Source: onnx.proto, `TensorProto.external_data`: entries of a key (field 1) and a value (field 2).
  static func weightsOfONNX(_ path: String) -> [String] {
    guard path.lowercased().hasSuffix(".onnx"), let bytes = try? ReadableFile.bytes(of: path) else { return [] }
    let key = [0x0A, 8] + Array("location".utf8) + [0x12]
    var names: Set<String> = []
    var place = 0
    while let start = bytes[place...].firstIndex(of: key[0]) {
      place = start + 1
      guard bytes[start...].starts(with: key), let name = text(in: bytes, at: start + key.count) else { continue }
      names.insert(name)
    }
    return names.sorted()
  }

  /// A text after its length in one byte or two.
  private static func text(in bytes: [UInt8], at place: Int) -> String? {
    guard place + 1 < bytes.count else { return nil }
    let isLong = bytes[place] >= 0x80
    let length = isLong ? Int(bytes[place] & 0x7F) | Int(bytes[place + 1]) << 7 : Int(bytes[place])
    let start = place + (isLong ? 2 : 1)
    guard length > 0, start + length <= bytes.count else { return nil }
    return String(decoding: bytes[start..<start + length], as: UTF8.self)
  }
}

extension Model {
  /// The files of a model that is read from a path: the network, and its weights where they are in a file of their own.
  package static func files(of path: String) -> [String] {
    if path.lowercased().hasSuffix(".xml") {
      return [path] + [path.dropLast("xml".count) + "bin"].filter(FileCheck.isReadable)
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let weights = ModelFile.weightsOfONNX(path).map { folder + $0 }
    return [path] + weights.filter(FileCheck.isReadable)
  }
}

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
