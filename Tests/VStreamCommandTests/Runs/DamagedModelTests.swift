import Foundation
import Testing
import VStreamTestSupport

/// Face models that were damaged on the disk, or planted: nothing is redacted by a network that finds nothing.
struct DamagedModelTests {
  private static let options = [
    "--detect", "faces", "--redact", "fill", "--duration", "0.2", "-y", "-o", "out.mp4",
  ]

  /// The frames of the face's video that are covered, by the summary.
  private func redacted(
    in folder: TemporaryFolder, environment: [String: String]
  ) throws -> (result: ProgramResult, frames: Int?) {
    let result = try Program.vstream(
      [Checkout.sample("face.mp4")] + Self.options, environment: environment, folder: folder.path)
    return (result, result.errors.firstMatch(of: /(\d+) frames? redacted/).flatMap { Int($0.1) })
  }

  private func compiled(in cache: String) throws -> [URL] {
    let folder = URL(filePath: cache)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "blob" }.sorted { $0.path < $1.path }
  }

  @Test func `a compiled model that has changed is compiled again`() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_CACHE_HOME": folder.file("cache")]
    let first = try redacted(in: folder, environment: environment)
    let frames = try #require(first.frames)
    #expect(first.result.status == 0 && frames > 0, "\(first.result.errors)")
    let files = try compiled(in: folder.file("cache"))
    #expect(files.count == 1)
    let file = try #require(files.first)
    let whole = try Data(contentsOf: file)
    var numbers = SeededNumbers(seed: 18)
    for _ in 0..<8 {
      var changed = whole
      changed[Int.random(in: 0..<whole.count, using: &numbers)] ^= 0x40
      try FileManager.default.removeItem(at: file)
      try changed.write(to: file)
      let again = try redacted(in: folder, environment: environment)
      #expect(again.result.status == 0 && again.frames == frames, "\(again.result.errors)")
      #expect(try Data(contentsOf: file) == whole)
    }
  }

  @Test func `a compiled model that another program left is not read`() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_CACHE_HOME": folder.file("cache")]
    let frames = try redacted(in: folder, environment: environment).frames
    let file = try #require(try compiled(in: folder.file("cache")).first)
    let other = file.deletingLastPathComponent().appending(path: "1.blob")
    try Data("planted".utf8).write(to: other)
    #expect(try redacted(in: folder, environment: environment).frames == frames)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test func `the cache is readable by its user alone, and no link`() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_CACHE_HOME": folder.file("cache")]
    _ = try redacted(in: folder, environment: environment)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file("cache/vstream"))[.posixPermissions]
    #expect(mode as? Int == 0o700)
    let elsewhere = folder.file("elsewhere")
    try FileManager.default.moveItem(atPath: folder.file("cache/vstream"), toPath: elsewhere)
    for file in try compiled(in: elsewhere) { try FileManager.default.removeItem(at: file) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("cache/vstream"), withDestinationPath: elsewhere)
    let linked = try redacted(in: folder, environment: environment)
    #expect(linked.result.status == 0 && (linked.frames ?? 0) > 0, "\(linked.result.errors)")
    #expect(try compiled(in: elsewhere).isEmpty)
  }

  /// Copies a model, with zeros instead of its weights.
  private func copyWithoutWeights(_ name: String, to folder: TemporaryFolder) throws {
    let models = Checkout.root.appending(path: ".deps/models")
    let network = try String(contentsOf: models.appending(path: "\(name).xml"), encoding: .utf8)
    var weights = try Data(contentsOf: models.appending(path: "\(name).bin"))
    for match in network.matches(of: /element_type="f(?:16|32)" shape="[^"]*" offset="(\d+)" size="(\d+)"/) {
      let (offset, size) = (try #require(Int(match.1)), try #require(Int(match.2)))
      // Smaller ones are parameters of operations.
      if size >= 64 { weights.resetBytes(in: offset..<(offset + size)) }
    }
    _ = try folder.write("\(name).xml", network)
    try weights.write(to: URL(filePath: folder.file("\(name).bin")))
  }

  @Test(arguments: ["accurate", "fast"])
  func `a face model without its weights is an error`(mode: String) throws {
    let folder = try TemporaryFolder()
    try copyWithoutWeights(mode == "fast" ? "blazeface-short-range" : "blazeface-full-range", to: folder)
    let result = try Program.vstream(
      [Checkout.sample("face.mp4")] + Self.options + ["--face-mode", mode],
      environment: ["VSTREAM_MODELS": folder.path],
      folder: folder.path)
    #expect(result.status == 69, "\(result.errors)")
    #expect(result.errors.contains("does not find the face of its test"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.mp4")))
  }
}
