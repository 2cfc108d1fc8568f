import Foundation
import Testing
import VStreamTestSupport

/// Models that were damaged on the disk, or planted: nothing is redacted by a network that finds nothing.
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
  ///
  /// - Parameter types: of the elements, as alternatives in a regular expression.
  private func copyWithoutWeights(_ name: String, of types: String = "f16|f32", to folder: TemporaryFolder) throws {
    let models = Checkout.root.appending(path: ".deps/models")
    let network = try String(contentsOf: models.appending(path: "\(name).xml"), encoding: .utf8)
    var weights = try Data(contentsOf: models.appending(path: "\(name).bin"))
    let pattern = try Regex(#"element_type="(?:\#(types))" shape="[^"]*" offset="(\d+)" size="(\d+)""#)
    for match in network.matches(of: pattern) {
      let numbers = match.output.dropFirst().compactMap { $0.substring.flatMap { Int($0) } }
      let (offset, size) = (try #require(numbers.first), try #require(numbers.last))
      // Smaller ones are parameters of operations.
      if size >= 64 { weights.resetBytes(in: offset..<(offset + size)) }
    }
    _ = try folder.write("\(name).xml", network)
    try weights.write(to: URL(filePath: folder.file("\(name).bin")))
  }

  @Test func `a face model without its weights is an error, whatever its checksum`() throws {
    let folder = try TemporaryFolder()
    try copyWithoutWeights("centerface-int8", to: folder)
    func run() throws -> ProgramResult {
      try Program.vstream(
        [Checkout.sample("face.mp4")] + Self.options,
        environment: ["VSTREAM_MODELS": folder.path], folder: folder.path)
    }
    let unknown = try run()
    #expect(unknown.status == 69 && unknown.errors.contains("no SHA256SUMS beside it"), "\(unknown.errors)")
    let sums = try Program.run("/bin/sh", ["-c", "sha256sum *.xml *.bin"], folder: folder.path).text
    _ = try folder.write("SHA256SUMS", sums)
    let planted = try run()
    #expect(planted.status == 69, "\(planted.errors)")
    #expect(planted.errors.contains("does not find the face of its test"), "\(planted.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.mp4")))
  }

  /// Copies the object network with its recorded checksums.
  ///
  /// - Parameter damage: the part of the weights in which a bit of each byte is flipped, in percent.
  private func copyObjectModel(to folder: TemporaryFolder, damage: Range<Int>? = nil) throws {
    let models = Checkout.root.appending(path: ".deps/models")
    for name in ["ssd-int8.xml", "SHA256SUMS"] {
      try Data(contentsOf: models.appending(path: name)).write(to: URL(filePath: folder.file(name)))
    }
    var weights = try Data(contentsOf: models.appending(path: "ssd-int8.bin"))
    if let damage {
      let part = (weights.count / 100 * damage.lowerBound)..<(weights.count / 100 * damage.upperBound)
      for index in part where weights[index] != 0 { weights[index] ^= 0x10 }
    }
    try weights.write(to: URL(filePath: folder.file("ssd-int8.bin")))
    // The same time whatever was written.
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file("ssd-int8.bin"))
  }

  @Test func `an object model whose weights are damaged redacts and verifies nothing`() throws {
    let clip = try ClipFolder(person: 3)
    try copyObjectModel(to: clip.folder, damage: 20..<23)
    let environment = ["VSTREAM_MODELS": clip.folder.path, "XDG_CACHE_HOME": clip.folder.file("cache")]
    let people = ["in.avi", "-o", "out.mp4", "--redact", "fill", "--redact-what", "person", "--receipt", "r.json"]
    let damaged = try clip.vstream(people, environment: environment)
    #expect(damaged.status == 69, "\(damaged.errors)")
    #expect(damaged.errors.contains("ssd-int8.bin' is damaged: its SHA-256 is"), "\(damaged.errors)")
    #expect(damaged.errors.contains("remove it; scripts/bootstrap installs it"), "\(damaged.errors)")
    #expect(!clip.folder.names.contains { $0.hasPrefix("out.mp4") || $0 == "r.json" }, "\(clip.folder.names)")
    // A replay runs no detector, and its verification does.
    let records = ["--records", "r.jsonl", "--record-detections", "--detect", "objects"]
    #expect(try clip.vstream(["in.avi", "-o", "null"] + records).status == 0)
    let verified = try clip.vstream(people + ["--from-records", "r.jsonl"], environment: environment)
    #expect(verified.status == 69 && !clip.folder.names.contains("r.json"), "\(verified.errors)")
    // With the checksum of the damaged file beside it, the test on a drawn person remains.
    try copyWithoutWeights("ssd-int8", of: "i8", to: clip.folder)
    let sums = try Program.run("/bin/sh", ["-c", "sha256sum ssd-int8.*"], folder: clip.folder.path).text
    _ = try clip.folder.write("SHA256SUMS", sums)
    let planted = try clip.vstream(people + ["-y"], environment: environment)
    #expect(planted.status == 69, "\(planted.errors)")
    #expect(planted.errors.contains("does not detect the person of its test"), "\(planted.errors)")
    try copyObjectModel(to: clip.folder)
    let intact = try clip.vstream(people + ["-y"], environment: environment)
    #expect(intact.status == 0 && intact.errors.contains("3 frames redacted"), "\(intact.errors)")
    let models = try #require(try JSON(try clip.text("r.json"))["models"].list)
    #expect(models.compactMap { $0["file"].string } == ["ssd-int8.xml", "ssd-int8.bin"])
    #expect(models.allSatisfy { $0["known"].int == 1 })
  }

  @Test func `a model of the user's own is used, and the receipt states that its checksum is not known`() throws {
    let clip = try ClipFolder(person: 2)
    try copyObjectModel(to: clip.folder)
    try FileManager.default.removeItem(atPath: clip.folder.file("SHA256SUMS"))
    let people = ["--redact", "fill", "--redact-what", "person", "--receipt", "r.json", "-y"]
    let own = try clip.vstream(["in.avi", "-o", "out.mp4", "--object-model", "./ssd-int8.xml"] + people)
    #expect(own.status == 0, "\(own.errors)")
    let models = try #require(try JSON(try clip.text("r.json"))["models"].list)
    #expect(models.count == 2 && models.allSatisfy { $0["known"].int == 0 })
    // With checksums beside it, it is compared.
    _ = try clip.folder.write("SHA256SUMS", String(repeating: "0", count: 64) + "  ssd-int8.bin\n")
    let other = try clip.vstream(["in.avi", "-o", "out.mp4", "--object-model", "./ssd-int8.xml"] + people)
    #expect(other.status == 69 && other.errors.contains("correct SHA256SUMS beside it"), "\(other.errors)")
  }

  @Test func `a model whose weights have changed is compiled again, though its name and time are the same`() throws {
    let street = try ClipFolder(street: 3)
    func records() throws -> String {
      let result = try street.vstream(
        ["in.avi", "-o", "null", "--records", "r.jsonl", "--confirm-after", "1", "-y"],
        environment: ["VSTREAM_MODELS": street.folder.path, "XDG_CACHE_HOME": street.folder.file("cache")])
      #expect(result.status == 0, "\(result.errors)")
      return try street.text("r.jsonl")
    }
    try copyObjectModel(to: street.folder)
    let found = try records()
    #expect(found.contains("\"person\""))
    let compiledFiles = try compiled(in: street.folder.file("cache")).count
    try copyObjectModel(to: street.folder, damage: 20..<23)
    #expect(try records() != found)
    try copyObjectModel(to: street.folder)
    #expect(try records() == found)
    #expect(try compiled(in: street.folder.file("cache")).count == compiledFiles, "none is left of the damaged model")
  }
}
