package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// A folder of numbered images, `face-0001.jpg` and so on, with an index file.
package struct ImageFolder: Hashable, Sendable {
  /// Without a slash at its end.
  package let path: String
  /// The start of the images' names.
  package let prefix: String
  /// The name of the index file.
  package let index: String
  package let format: ImageFormat
  /// Whether files that exist are replaced.
  package let overwrites: Bool

  package init(_ path: String, prefix: String, index: String, format: ImageFormat, overwrites: Bool) {
    let end = path.lastIndex { $0 != "/" }
    self.path = end.map { String(path[...$0]) } ?? path
    self.prefix = prefix
    self.index = index
    self.format = format
    self.overwrites = overwrites
  }

  package var indexPath: String { path(of: index) }

  /// The name of an image, with four digits or more.
  package func name(_ number: Int) -> String {
    let digits = "\(number)"
    return prefix + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "." + format.rawValue
  }

  package func imagePath(_ number: Int) -> String { path(of: name(number)) }

  private func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Whether a name in the folder is that of an image, of the index or of a part file.
  func isReserved(_ name: String) -> Bool {
    let name = name.hasSuffix(".part") ? String(name.dropLast(5)) : name
    if name == index { return true }
    let digits = name.dropFirst(prefix.count).dropLast(format.rawValue.count + 1)
    guard name.hasPrefix(prefix), let number = Int(digits), number >= 0 else { return false }
    return name == self.name(number)
  }

  /// Whether a path is that of a file that may be written to.
  package func mayWrite(to path: String) -> Bool {
    let name = String(Path.name(of: path))
    return isReserved(name) && PathIdentity.isSameLocation(self.path(of: name), path)
  }

  /// - Throws: `VStreamError.cannotCreateOutput` if the folder can neither be created nor written to, or if it has files that
  ///   would have to be overwritten without permission.
  package func requireCreatable() throws(VStreamError) {
    guard FileCheck.exists(path) else {
      try FileCheck.requireCreatable(path, overwrite: overwrites)
      try Folder.create(path)
      rmdir(path)
      return
    }
    guard let names = try? Folder.names(in: path) else {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' is not a folder that can be read", subject: path, remedy: "name another folder")
    }
    guard Folder.isWritable(path) else {
      throw VStreamError(.cannotCreateOutput, "the folder '\(path)' is not writable", remedy: "name another folder")
    }
    guard !overwrites, let name = names.filter(isReserved).min() else { return }
    throw VStreamError(
      .cannotCreateOutput, "'\(path(of: name))' exists already",
      subject: path(of: name), remedy: "name another folder; \(.overwrite) replaces it")
  }

  /// Creates the folder if it does not exist.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  package func create() throws(VStreamError) { try Folder.create(path) }

  /// Writes an image.
  ///
  /// - Parameter number: each may be written once.
  /// - Throws: `VStreamError`: `cannotCreateOutput` if it exists in the meantime, `inputOutput`, `library`.
  package func write(_ image: VideoFrame, number: Int) throws(VStreamError) {
    let path = imagePath(number)
    try FileCheck.requireCreatable(path, overwrite: overwrites)
    try PartFile.write(try format.file(of: image), for: path)
    try PartFile.commit(path)
  }
}
