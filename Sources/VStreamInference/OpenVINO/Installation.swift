public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Where the files lie that a program needs: beside the program once installed, under `.deps` in a checkout.
public enum Installation {
  /// Path of the folder that the running program was started from, even if the program has been removed or replaced since:
  /// the kernel then says so behind its name.
  public static let programFolder: String = {
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &name, name.count)
    guard count > 0 else { return "." }
    return folder(of: String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self))
  }()

  /// The `.deps` folder of the checkout that the program was built in, else of the one that this library was: that of a
  /// program in another package. `nil` once the program is installed, with all that it needs beside it.
  public static let dependencyFolder: String? = {
    let around = sequence(first: programFolder) { $0.isEmpty ? nil : folder(of: $0) }
    if let own = around.map({ $0 + "/.deps" }).first(where: exists) { return own }
    guard !exists(programFolder + "/../lib/vstream") else { return nil }
    // This file is four folders below the checkout: Sources/VStreamInference/OpenVINO.
    let checkout = folder(of: folder(of: folder(of: folder(of: #filePath))))
    return exists(checkout + "/.deps") ? checkout + "/.deps" : nil
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

  /// Makes a folder, and those that it lies in.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  public static func makeFolder(_ path: String) throws(VStreamError) {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += made.isEmpty && part.isEmpty ? "/" : made.isEmpty || made == "/" ? "\(part)" : "/\(part)"
      guard !made.isEmpty, mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
      if errno == EROFS || errno == EACCES, exists(made) { continue }
      throw VStreamError(
        .cannotCreateOutput, "the folder '\(made)' cannot be created: \(String(cString: strerror(errno)))",
        remedy: "see to its permissions, or name another")
    }
  }

  /// The value of an environment variable; `nil` if it is not set or empty.
  public static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Whether a file, if its name says XML, begins as XML does.
  static func looksLikeModel(_ path: String) -> Bool {
    guard path.lowercased().hasSuffix(".xml"), let file = fopen(path, "r") else { return true }
    defer { fclose(file) }
    var first = fgetc(file)
    while first >= 0, isspace(first) != 0 { first = fgetc(file) }
    return first == Int32(UInt8(ascii: "<"))
  }

  /// A file's bytes; `nil` if there is no such file.
  ///
  /// - Throws: `VStreamError.missingDependency` if it is there and cannot be read.
  public static func contents(_ path: String) throws(VStreamError) -> [UInt8]? {
    guard let file = fopen(path, "r") else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw VStreamError(.missingDependency, "'\(path)' cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let next = fgetc(file), next >= 0 { bytes.append(UInt8(next)) }
    return bytes
  }

  public static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
