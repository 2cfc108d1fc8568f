#if canImport(Glibc)
  internal import Glibc
#endif

/// Whether paths name the same file.
package enum PathIdentity {
  /// Whether two paths name the same location, whether or not a file is there.
  package static func isSameLocation(_ one: String, _ other: String) -> Bool {
    one == other || isSameFile(one, other) || canonicalPath(of: one) == canonicalPath(of: other)
  }

  /// Whether two paths name one existing regular file.
  package static func isSameFile(_ one: String, _ other: String) -> Bool {
    guard let first = FileStatus(of: one), let second = FileStatus(of: other) else { return false }
    return first.device == second.device && first.number == second.number && first.kind == .regular
  }

  /// The absolute path with the links of its folders resolved; the file itself need not exist. The path unchanged if its
  /// folder does not exist.
  package static func canonicalPath(of path: String) -> String {
    guard let folder = realPath(Path.folder(of: path)) else { return path }
    return "\(folder)/\(Path.name(of: path))"
  }

  /// The file that a symbolic link leads to; the path unchanged if it is no link, or if it leads nowhere.
  package static func resolvingLink(_ path: String) -> String {
    guard FileStatus(of: path, followsLink: false)?.kind == .link else { return path }
    return realPath(path) ?? path
  }

  private static func realPath(_ path: String) -> String? {
    let real = realpath(path, nil)
    defer { free(real) }
    return real.map { String(cString: $0) }
  }
}

/// The parts of a path.
package enum Path {
  /// The folder, with its slash at the end; `.` for a name alone.
  package static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

  /// The part after the last slash.
  package static func name(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }

  /// Without the last dot of the name and what follows it.
  package static func withoutEnding(_ path: String) -> Substring {
    name(of: path).lastIndex(of: ".").map { path[..<$0] } ?? path[...]
  }
}
