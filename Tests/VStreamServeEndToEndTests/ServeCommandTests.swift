import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// The command line of the server.
struct ServeCommandTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [String]
    let status: Int32
    let pieces: [String]

    init(_ name: String, _ arguments: [String], _ status: Int32, _ pieces: String...) {
      testDescription = name
      self.arguments = arguments
      self.status = status
      self.pieces = pieces
    }
  }

  static let rows = [
    Row("no camera", [], 64, "there is no camera", "source"),
    Row("an address that others reach", ["rtsp://a/", "--listen", "0.0.0.0:0"], 64, "token"),
    Row("an address that is none", ["rtsp://a/", "--listen", "here"], 64, "--listen here", "127.0.0.1:8480"),
    Row("a file that does not exist", ["no-such.mp4"], 66, "there is no file 'no-such.mp4'"),
    Row("a configuration that does not exist", ["no-such.yaml"], 66, "there is no file 'no-such.yaml'"),
    Row("a configuration and a source", ["c.yaml", "rtsp://a/"], 64, "other inputs"),
    Row("a camera's option and a configuration", ["c.yaml", "--classes", "person"], 64, "--classes", "defaults:"),
    Row("a kind that does not exist", ["rtsp://a/", "--detect", "cats"], 64, "--detect", "'cats'"),
    Row("a score that is none", ["rtsp://a/", "--min-score", "7"], 64, "--min-score", "out of range"),
    Row("a class that does not exist", ["rtsp://a/", "--classes", "unicorn", "--check"], 64, "unicorn"),
    Row("a model that does not exist", ["rtsp://a/", "--object-model", "none.onnx", "--check"], 69, "none.onnx"),
    Row("a proxy that is a name", ["rtsp://a/", "--trusted-proxy", "proxy"], 64, "--trusted-proxy proxy", "127.0.0.1"),
    Row("a network that is none", ["rtsp://a/", "--trusted-proxy", "10.0.0.0/33"], 64, "10.0.0.0/33", "172.16.0.0/12"),
    Row("a port with a sign", ["rtsp://a/", "--listen", "127.0.0.1:+80"], 64, "is not an address"),
    Row("an option that does not exist", ["rtsp://a/", "--colour"], 64, "--colour", "serve --help"),
    Row("a certificate without a key", ["rtsp://a/", "--tls-certificate", "c.pem"], 64, "tls-key"),
    Row("a token file that does not exist", ["rtsp://a/", "--token-file", "no-such"], 66, "no-such"),
  ]

  @Test(arguments: rows) func `what is wrong is stated on one line`(row: Row) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("c.yaml", "cameras: {a: {source: x}}\n")
    let result = try Program.run(ServeProgram.path, row.arguments, folder: folder.path)
    #expect(result.status == row.status, "\(result.errors)")
    #expect(result.errors.hasPrefix("vstream: "))
    #expect(result.errors.split(separator: "\n").count == 1)
    for piece in row.pieces { #expect(result.errors.contains(piece), "\(piece) in: \(result.errors)") }
  }

  @Test func `a configuration is checked without being run`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "c.yaml", "cameras:\n  front: {source: 'rtsp://u:${PASSWORD}@front/'}\n  yard: {source: rtsp://yard/}\n")
    let good = try Program.run(ServeProgram.path, [path, "--check"], environment: ["PASSWORD": "secret"])
    #expect(good.status == 0, "\(good.errors)")
    #expect(good.text == "2 cameras: front, yard\n")
    let bad = try Program.run(ServeProgram.path, [path, "--check"])
    #expect(bad.status == 64)
    #expect(bad.errors.contains("line 2: cameras.front.source: the environment has no variable 'PASSWORD'"))
  }

  @Test func `vstream serve starts the program beside it, or states how to get it`() throws {
    let help = try Program.vstream(["serve", "--help"])
    #expect(help.status == 0)
    #expect(help.text.contains("--token-file") && help.text.contains("vstream serve CONFIGURATION.yaml"))
    #expect(try Program.vstream(["help", "serve"]).text == help.text)
    let folder = try TemporaryFolder()
    // By another process: one that this one starts at the same time would inherit the file while it is written, and a
    // file that is open for writing cannot be started.
    #expect(try Program.run("/bin/cp", [Program.vstreamPath, folder.file("vstream")]).status == 0)
    let missing = try Program.run(folder.file("vstream"), ["serve", "rtsp://a/"])
    #expect(missing.status == 69)
    #expect(missing.errors.contains("\(folder.path)/vstream-serve") && missing.errors.contains("scripts/install"))
  }
}
