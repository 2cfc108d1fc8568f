import Foundation
import Testing
import VStreamTestSupport

/// Models listed, described, verified and downloaded by the built program, from a local server.
struct ModelsTests {
  private let folder: TemporaryFolder
  private var served: String { folder.file("served") }

  init() throws {
    folder = try TemporaryFolder()
    try Data("not a network, but bytes".utf8).write(to: URL(filePath: folder.file("served")))
  }

  private func hash(_ path: String) throws -> String {
    String(try Program.run("/usr/bin/env", ["sha256sum", path]).text.prefix(64))
  }

  private func models(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramResult {
    try Program.vstream(
      ["models"] + arguments, environment: ["XDG_DATA_HOME": folder.file("data")].merging(environment) { $1 })
  }

  @Test func `all models are listed, with the command that installs the missing ones`() throws {
    let result = try models([])
    #expect(result.status == 0)
    for name in ["ssd-int8", "ssd-mobilenet-v2", "centerface-int8", "face-mesh", "yolox-nano"] {
      #expect(result.text.contains("\n\(name) (") || result.text.hasPrefix("\(name) ("), "\(name)")
    }
    #expect(result.text.contains("'vstream models get yolox-nano' downloads it"))
    #expect(try models(["list"]).text == result.text)
  }

  @Test func `the error of a missing model names the command that installs it`() throws {
    let result = try Program.vstream(
      [Checkout.sample("street.avi"), "-o", "null", "--object-model", "yolox-nano"],
      environment: ["XDG_DATA_HOME": folder.file("data")])
    #expect(result.status == 69)
    #expect(result.errors.contains("'vstream models get yolox-nano' downloads it"), "\(result.errors)")
    #expect(oneLine(result.errors))
  }

  /// The shell opens the program, removes it, and runs the open file.
  @Test func `models beside a program are found even if the program was removed or replaced`() throws {
    for name in ["bin", "share/vstream/models"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    try Data("beside".utf8).write(to: URL(filePath: folder.file("share/vstream/models/yolox_nano.onnx")))
    // Copied by another process: a program started meanwhile by another test could inherit this copy open for writing.
    let steps = "cp \"$0\" bin/vstream && exec 3<bin/vstream && rm bin/vstream && exec /proc/self/fd/3 models"
    let result = try Program.run(
      "/bin/bash", ["-c", steps, Program.vstreamPath],
      environment: ["XDG_DATA_HOME": folder.file("data")], folder: folder.path)
    #expect(result.status == 0)
    #expect(result.text.contains("bin/../share/vstream/models/yolox_nano.onnx\n"), "\(result.text)")
  }

  @Test func `installed models are verified and described`() throws {
    let all = try models(["check"])
    #expect(all.status == 0, "\(all.text)")
    #expect(all.text.split(separator: "\n").filter { $0.hasSuffix(": valid") }.count == 8)
    #expect(all.text.contains("  takes     ") && all.text.contains("[1,1917,80] float32"))
    let one = try models(["describe", "ssd-mobilenet-v2"])
    #expect(one.status == 0)
    #expect(one.text.contains("  layout    ssd-mobilenet-v2"))
    #expect(one.text.contains("  classes   80: person, bicycle, car, motorcycle, airplane, …"))
  }

  @Test func `a wrong or invalid model file is detected`() throws {
    let mine = folder.file("mine")
    try FileManager.default.createDirectory(atPath: mine, withIntermediateDirectories: true)
    // A face model under another's name, and a file that is not a model.
    for end in ["xml", "bin"] {
      let path = Checkout.root.appending(path: ".deps/models/iris.\(end)").path
      try FileManager.default.copyItem(atPath: path, toPath: "\(mine)/face-mesh.\(end)")
    }
    try FileManager.default.copyItem(atPath: served, toPath: "\(mine)/yolox_nano.onnx")
    let result = try models(["check", "face-mesh", "yolox-nano", "iris"], environment: ["VSTREAM_MODELS": mine])
    #expect(result.status == 1)
    let lines = result.text.split(separator: "\n")
    #expect(
      lines.contains { $0.hasPrefix("face-mesh: '\(mine)/face-mesh.xml' is not face-mesh: it takes [[1, 64, 64, 3]]") })
    #expect(lines.contains { $0.hasPrefix("yolox-nano: '\(mine)/yolox_nano.onnx' is not yolox-nano: its SHA-256 is") })
    #expect(lines.contains("iris: valid"))
  }

  @Test func `a user's model file is downloaded into the folder of models`() throws {
    let server = try FileServer(served, ["cut:5", "whole"])
    let result = try models(["get", server.prefix + "a/net.onnx?x=1", "--sha256", hash(served)])
    #expect(result.status == 0, "\(result.errors)")
    let target = folder.file("data") + "/vstream/models/net.onnx"
    #expect(result.text == target + "\n")
    #expect(try Data(contentsOf: URL(filePath: target)) == Data(contentsOf: URL(filePath: served)))
    #expect(try server.requests(2) == ["bytes=0-", "bytes=5-"])
    let again = try models(["get", server.prefix + "a/net.onnx", "--sha256", hash(served)])
    #expect(again.status == 0)
    #expect(again.text.contains("is present"))
    #expect(try server.requests(2).count == 2)
  }

  @Test(arguments: [true, false])
  func `a mirror replaces the publisher's server, and a wrong file from it is refused`(isOption: Bool) throws {
    let server = try FileServer(served)
    let named = isOption ? ["--mirror", server.prefix + "models"] : []
    let result = try models(
      ["get", "yolox-nano", "--folder", folder.file("mine")] + named,
      environment: isOption ? [:] : ["VSTREAM_MODEL_MIRROR": server.prefix + "models/"])
    #expect(result.status == 74)
    #expect(result.errors.contains("/models/yolox_nano.onnx' is not the expected file"), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("mine")).isEmpty)
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [String]
    let status: Int32
    let expected: String
  }

  @Test(arguments: [
    Fault(
      testDescription: "an unknown name", arguments: ["get", "nothing"], status: 64,
      expected: "these can be downloaded: yolox-nano"),
    Fault(
      testDescription: "a model that bootstrap creates", arguments: ["get", "iris"], status: 64,
      expected: "scripts/bootstrap --all makes it"),
    Fault(
      testDescription: "an address without a hash", arguments: ["get", "http://a/b.onnx"], status: 64,
      expected: "requires its SHA-256"),
    Fault(
      testDescription: "an invalid hash", arguments: ["get", "http://a/b.onnx", "--sha256", "abc"], status: 64,
      expected: "requires its SHA-256"),
    Fault(
      testDescription: "an address without a name",
      arguments: ["get", "http://a/", "--sha256", String(repeating: "0", count: 64)], status: 64,
      expected: "does not end in a file's name"),
    Fault(
      testDescription: "a file that is not a model", arguments: ["describe", "/etc/passwd"], status: 69,
      expected: "is not a model that can be read"),
  ])
  func `a wrong command line gives an error of one line`(fault: Fault) throws {
    let result = try models(fault.arguments)
    #expect(result.status == fault.status, "\(result.errors)")
    #expect(result.errors.contains(fault.expected), "\(result.errors)")
    #expect(oneLine(result.errors))
  }

  @Test func `an unreachable server is an error with a remedy`() throws {
    let port = try LocalPort.unused()
    let result = try models(["get", "yolox-nano", "--mirror", "http://127.0.0.1:\(port)"])
    #expect(result.status == 66)
    #expect(result.errors.contains("connection refused"), "\(result.errors)")
    #expect(oneLine(result.errors.split(separator: "\n").last.map { "\($0)\n" } ?? ""))
  }

  @Test func `a model is quantised, detects nearly the same, and replaces no file unasked`() throws {
    let clip = try ClipFolder(street: 15)
    for ending in ["xml", "bin"] {
      try FileManager.default.copyItem(
        at: Checkout.root.appending(path: ".deps/models/ssd-mobilenet-v2.\(ending)"),
        to: URL(filePath: clip.folder.file("own.\(ending)")))
    }
    _ = try clip.folder.write("own.json", #"{"score": 0.4}"#)
    let result = try clip.vstream(["models", "quantise", "own.xml", "--with", "in.avi"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("own-int8.xml: 8 bits, measured on 3 frames"), "\(result.text)")
    #expect(result.text.contains("3 other frames, objects of a score of at least 0.4"), "\(result.text)")
    let same = try #require(result.text.firstMatch(of: /same +([0-9.]+) % of those before, ([0-9.]+) % of those after/))
    #expect(Double(same.1) ?? 0 >= 80 && Double(same.2) ?? 0 >= 80, "\(same.0)")
    let names = try FileManager.default.contentsOfDirectory(atPath: clip.folder.path).sorted()
    #expect(
      names == ["in.avi", "own-int8.bin", "own-int8.json", "own-int8.xml", "own.bin", "own.json", "own.xml"], "\(names)"
    )
    let run = try clip.vstream(["in.avi", "-o", "null", "--object-model", "own-int8.xml", "--records", "r.jsonl"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try clip.text("r.jsonl").contains(#""minScore":0.4"#))

    for (words, expected) in [
      ("own.xml", "'own-int8.xml' exists"), ("own.xml -y -o own.xml", "is the model that is quantised"),
      ("own-int8.xml", "it is quantised already"), ("own.xml -y --with -", "the videos are read twice"),
    ] {
      let again = try clip.vstream(
        ["models", "quantise"] + words.split(separator: " ").map(String.init) + ["--with", "in.avi"])
      #expect(again.status != 0 && again.errors.contains(expected), "\(again.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: clip.folder.path).count == names.count + 1)
  }

  struct Unquantised: CustomTestStringConvertible, Sendable {
    let words: String
    let expected: String
    var testDescription: String { words }
  }

  @Test(arguments: [
    Unquantised(words: "absent.onnx --with served", expected: "absent.onnx: there is no such file"),
    Unquantised(words: "served --with served", expected: "is not a model that can be read"),
    Unquantised(words: "ssd-mobilenet-v2 --with absent.mp4 -o q.xml", expected: "absent.mp4"),
    Unquantised(words: "ssd-mobilenet-v2 --with served -o q.xml", expected: "served"),
    Unquantised(words: "ssd-mobilenet-v2 --with served -o q.onnx", expected: "does not end in .xml"),
    Unquantised(words: "ssd-mobilenet-v2", expected: "--with"),
  ])
  func `what cannot be quantised is named, and leaves nothing behind`(row: Unquantised) throws {
    let words = row.words.split(separator: " ").map(String.init)
    let result = try Program.vstream(["models", "quantise"] + words, folder: folder.path)
    #expect(result.status != 0 && result.errors.contains(row.expected), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["served"])
  }
}
