public import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// A folder of numbered pictures, `face-0001.jpg` and so on, and a table of what they are.
public struct ImageFolder: Hashable, Sendable {
  /// Without a slash at its end.
  public let path: String
  /// What the pictures' names begin with.
  public let prefix: String
  /// The name of the table.
  public let index: String
  public let format: ImageFormat
  /// Whether files that exist are replaced.
  public let overwrites: Bool

  public init(_ path: String, prefix: String, index: String, format: ImageFormat, overwrites: Bool) {
    let trimmed = path.reversed().drop { $0 == "/" }.reversed()
    self.path = trimmed.isEmpty ? path : String(trimmed)
    self.prefix = prefix
    self.index = index
    self.format = format
    self.overwrites = overwrites
  }

  public var indexPath: String { place(of: index) }

  /// The name of a picture, of four digits or more.
  public func name(_ number: Int) -> String {
    let digits = "\(number)"
    return prefix + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "." + format.rawValue
  }

  public func picturePath(_ number: Int) -> String { place(of: name(number)) }

  private func place(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Whether a name in the folder is one that may be written.
  func isOurs(_ name: String) -> Bool {
    let name = name.hasSuffix(".part") ? String(name.dropLast(5)) : name
    if name == index { return true }
    let digits = name.dropFirst(prefix.count).dropLast(format.rawValue.count + 1)
    guard name.hasPrefix(prefix), let number = Int(digits), number >= 0 else { return false }
    return name == self.name(number)
  }

  /// Whether a path is that of a file that may be written.
  public func mayWrite(to path: String) -> Bool {
    let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    return isOurs(name) && PathIdentity.isSameLocation(place(of: name), path)
  }

  /// - Throws: `VStreamError.cannotCreateOutput` if the folder can neither be made nor written to, or if files are in it
  ///   that would have to be replaced unasked.
  public func requireCreatable() throws(VStreamError) {
    guard FileCheck.exists(path) else { return try FileCheck.requireCreatable(path, overwrite: overwrites) }
    guard let names = try? Folder.names(in: path) else {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' is not a folder that can be looked into", remedy: "name another folder")
    }
    guard Folder.isWritable(path) else {
      throw VStreamError(.cannotCreateOutput, "the folder '\(path)' is not writable", remedy: "name another folder")
    }
    guard !overwrites, let name = names.filter(isOurs).min() else { return }
    throw VStreamError(
      .cannotCreateOutput, "'\(place(of: name))' exists already",
      remedy: "name another folder; --overwrite (-y) replaces it")
  }

  /// Makes the folder if it is not there.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  public func create() throws(VStreamError) { try Folder.create(path) }

  /// Writes a picture.
  ///
  /// - Parameter number: it may be written once.
  /// - Throws: `VStreamError`: `cannotCreateOutput` if it exists by now, `inputOutput`, `library`.
  public func write(_ picture: VideoFrame, number: Int) throws(VStreamError) {
    let path = picturePath(number)
    try FileCheck.requireCreatable(path, overwrite: overwrites)
    try PartFile.write(try format.file(of: picture), for: path)
    try PartFile.commit(path)
  }
}
