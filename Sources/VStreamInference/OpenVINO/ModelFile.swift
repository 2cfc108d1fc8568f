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
}

extension Model {
  /// The files of a model that is read from a path: the network, and its weights where they are in a file of their own.
  public static func files(of path: String) -> [String] {
    let weights =
      path.lowercased().hasSuffix(".xml") ? [path.dropLast("xml".count) + "bin"] : ["\(path).data", "\(path)_data"]
    return [path] + weights.filter(FileCheck.isReadable)
  }
}
