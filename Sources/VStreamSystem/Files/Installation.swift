package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Where the files are that the program needs: beside the program once installed, under `.deps` in a checkout.
package enum Installation {
  /// The folder of the running program. If the program has been removed or replaced since it was started, it is still the
  /// folder that it was started from: the kernel reports the change only after the name.
  package static let programFolder: String = {
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &name, name.count)
    guard count > 0 else { return "." }
    return parent(of: String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self))
  }()

  /// The `.deps` folder of the checkout that the program was built in, otherwise (a program in another package) of the
  /// checkout that this library was built in. `nil` for an installed program, which has all that it needs beside it.
  package static let dependencyFolder: String? = {
    if let own = dependencyFolder(above: programFolder) { return own }
    guard !isInstalled else { return nil }
    return dependencyFolder(above: #filePath)
  }()

  /// Whether the program was installed, with OpenVINO and the models beside it.
  private static let isInstalled = FileCheck.isReadable(programFolder + "/../lib/vstream")

  /// The command that installs OpenVINO and the models: with its path for a program of another package.
  package static let setUpCommand: String = {
    if isInstalled { return "reinstalling vstream (its .deb, or scripts/install)" }
    let command = "scripts/bootstrap"
    // This file is in Sources/VStreamSystem/Files.
    let checkout = (0..<4).reduce(#filePath) { path, _ in parent(of: path) }
    let isOwnProgram = programFolder.hasPrefix(checkout + "/")
    return !isOwnProgram && FileCheck.isReadable("\(checkout)/\(command)") ? "\(checkout)/\(command)" : command
  }()

  /// The same, with the models of landmarks and poses.
  package static var completeSetUpCommand: String { isInstalled ? setUpCommand : setUpCommand + " --all" }

  /// The `.deps` folder in the nearest folder above a path.
  static func dependencyFolder(above path: String) -> String? {
    sequence(first: path) { $0.isEmpty ? nil : parent(of: $0) }.lazy
      .map { $0 + "/.deps" }.first(where: FileCheck.isReadable)
  }

  /// The folder for compiled models: `$XDG_CACHE_HOME/vstream`, otherwise `~/.cache/vstream`. Created if it does not exist;
  /// `nil` if it cannot be, or is not this user's own.
  package static func cacheFolder() -> String? {
    let root = environment("XDG_CACHE_HOME") ?? environment("HOME").map { $0 + "/.cache" }
    guard let root else { return nil }
    mkdir(root, 0o755)
    return PrivateFolder.make(root + "/vstream")
  }

  /// The value of an environment variable; `nil` if it is not set or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The bytes of a file that may be missing; `nil` if it is.
  ///
  /// - Throws: `VStreamError.missingDependency` if it exists and cannot be read.
  package static func contents(_ path: String) throws(VStreamError) -> [UInt8]? {
    do throws(VStreamError) {
      return try ReadableFile.bytes(of: path)
    } catch {
      if error.code == .inputNotFound { return nil }
      var error = error
      error.code = .missingDependency
      throw error
    }
  }

  /// Without the slash: empty for the root.
  private static func parent(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
}
