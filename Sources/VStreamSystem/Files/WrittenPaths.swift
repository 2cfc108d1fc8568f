public import VStreamScene

/// Checks that a run writes each file once, and none that it reads.
public enum WrittenPaths {
  /// - Parameters:
  ///   - written: the files that will be written, first as `PATH.part`.
  ///   - read: the files that are read.
  /// - Throws: `VStreamError.usage` for the first file that is read as well, or named twice.
  public static func check(_ written: [String], reading read: [String]) throws(VStreamError) {
    for (index, path) in written.enumerated() {
      if read.contains(where: { PathIdentity.isSameLocation($0, path) }) {
        throw VStreamError(
          .usage, "'\(path)' is the input itself and would be overwritten", remedy: "give the output another name")
      }
      if read.contains(where: { input in
        PartFile.paths(for: path).contains { PathIdentity.isSameLocation(input, $0) }
      }) {
        throw VStreamError(
          .usage, "'\(path)' is first written as '\(PartFile.path(for: path))', which is the input",
          remedy: "rename the input")
      }
      if written[..<index].contains(where: { PathIdentity.isSameLocation($0, path) }) {
        throw VStreamError(.usage, "'\(path)' is named for two outputs", remedy: "give each a name of its own")
      }
    }
  }
}
