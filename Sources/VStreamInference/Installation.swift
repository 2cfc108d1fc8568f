#if canImport(Glibc)
  internal import Glibc
#endif

/// Where the program's own files lie: beside the program once installed, under `.deps` in a checkout.
public enum Installation {
  /// Path of the folder that holds the running program.
  public static let programFolder: String = {
    let resolved = realpath("/proc/self/exe", nil)
    defer { free(resolved) }
    return resolved.map { folder(of: String(cString: $0)) } ?? "."
  }()

  /// The `.deps` folders of the checkout that the program was built in, and of the one it is run in.
  public static let dependencyFolders: [String] = {
    let resolved = realpath(".", nil)
    defer { free(resolved) }
    let working = resolved.map { String(cString: $0) } ?? ""
    let found = [programFolder, working].compactMap { start in
      sequence(first: start) { $0.isEmpty ? nil : folder(of: $0) }.map { $0 + "/.deps" }.first(where: exists)
    }
    return found.count == 2 && found[0] == found[1] ? [found[0]] : found
  }()

  /// Where compiled models are kept between runs: `$XDG_CACHE_HOME/vstream`, else `~/.cache/vstream`. Made if it is not
  /// there; `nil` if it cannot be.
  public static func cacheFolder() -> String? {
    let root =
      environment("XDG_CACHE_HOME") ?? environment("HOME").map { $0 + "/.cache" }
    guard let root else { return nil }
    mkdir(root, 0o755)
    mkdir(root + "/vstream", 0o755)
    return access(root + "/vstream", W_OK) == 0 ? root + "/vstream" : nil
  }

  /// The value of an environment variable; `nil` if it is not set or empty.
  public static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  public static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
