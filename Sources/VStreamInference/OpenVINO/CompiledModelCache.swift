internal import VStreamMedia
internal import VStreamSystem

/// OpenVINO's folder with one compiled model, for the next run.
///
/// OpenVINO trusts the files there: a byte that changed on the disk may give a network that finds nothing. So the files'
/// hashes are kept beside them and compared before OpenVINO reads them, and hashes of the model's own files, whose names may
/// stay when their contents change. Files that differ are removed, and the model is compiled again. The folder is this user's
/// alone, so that the hashes need not withstand attacks.
struct CompiledModelCache {
  let folder: String
  private let lock: SharedLock
  private let isNew: Bool
  /// Hashes of the model's files.
  private let source: String

  private static let sums = "hashes"

  /// - Parameter path: of the model's file.
  /// - Returns: `nil` if there is no folder of this user's for it, or another process is writing it.
  init?(of path: String, _ configuration: ModelConfiguration, inputShapes: [[Int]]?) {
    guard let root = Installation.cacheFolder(), let source = Self.source(of: path) else { return nil }
    self.source = source
    let settings = configuration.properties.map { "\($0.name)=\($0.value)" }
    let parts = [path, OpenVINO.version ?? "", configuration.device] + settings + ["\(inputShapes ?? [])"]
    let file = path.split(separator: "/").last.map(String.init) ?? ""
    let name = "\(file.prefix(64))-\(String(parts.joined(separator: "\n").stableHash, radix: 16))"
    guard let folder = PrivateFolder.make("\(root)/\(name)"), let lock = SharedLock("\(folder)/lock") else {
      return nil
    }
    (self.folder, self.lock) = (folder, lock)
    if lock.take(.shared), Self.isIntact(folder, source) {
      isNew = false
      return
    }
    guard lock.take(.exclusive) else { return nil }
    // Another process may have written it meanwhile.
    isNew = !Self.isIntact(folder, source)
    if isNew, !Self.empty(folder) { return nil }
  }

  /// Records what OpenVINO has written. Without it, the next run compiles again.
  func seal() {
    guard isNew, let text = Self.text(of: folder, source) else { return }
    let sums = "\(folder)/\(Self.sums)"
    do {
      try PartFile.write(Array(text.utf8), for: sums)
      try PartFile.commit(sums)
    } catch {
      PartFile.discard(sums)
    }
  }

  private static func isIntact(_ folder: String, _ source: String) -> Bool {
    guard let recorded = try? ReadableFile.bytes(of: "\(folder)/\(sums)"), recorded.starts(with: source.utf8),
      let found = text(of: folder, source)
    else { return false }
    return recorded.elementsEqual(found.utf8)
  }

  /// A line for each of the model's files, with its hash; `nil` if one cannot be read.
  private static func source(of path: String) -> String? { lines(Model.files(of: path)) }

  /// The hashes of the model's files, and those of the compiled files; `nil` if one cannot be read.
  private static func text(of folder: String, _ source: String) -> String? {
    compiledFiles(in: folder).flatMap { lines($0.map { "\(folder)/\($0)" }) }.map { source + $0 }
  }

  private static func lines(_ paths: [String]) -> String? {
    var text = ""
    for path in paths {
      guard let hash = try? FileHash.quick(of: path) else { return nil }
      text += "\(hash)  \(Path.name(of: path))\n"
    }
    return text
  }

  /// - Returns: whether all compiled files could be removed.
  private static func empty(_ folder: String) -> Bool {
    guard let names = compiledFiles(in: folder) else { return false }
    for name in names { PartFile.remove("\(folder)/\(name)") }
    return compiledFiles(in: folder)?.isEmpty == true
  }

  private static func compiledFiles(in folder: String) -> [String]? {
    (try? Folder.names(in: folder))?.filter { $0.hasSuffix(".blob") || $0.hasSuffix(".cl_cache") }.sorted()
  }
}
