import ArgumentParser
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamServe

/// What the command line means.
struct ServeOptionsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ arguments: [String]) throws -> ServeConfiguration {
    try ServeOptions.parse(arguments).configuration()
  }

  @Test func `cameras without a configuration are named by their hosts, and have the same settings`() throws {
    let configuration = try configuration([
      "rtsp://front/stream", "rtsp://front:8554/other", "rtsp://yard/", "--classes", "person,car", "--min-score", "0.4",
      "--passes-per-second", "2", "--timeout", "3", "--detect", "objects,faces",
    ])
    #expect(configuration.cameras.map(\.name) == ["front", "front-2", "yard"])
    #expect(configuration.listen == [ListeningAddress.standard] && configuration.tokenFile == nil)
    for camera in configuration.cameras.map(\.settings) {
      #expect(camera.classes == ["person", "car"] && camera.minScore == 0.4 && camera.passesPerSecond == 2)
      #expect(camera.timeout == 3 && camera.detect == [.objects, .faces])
    }
  }

  @Test func `options of the server replace those of the file`() throws {
    let path = try folder.write(
      "c.yaml", "listen: 127.0.0.1:1\ntoken-file: a\ncameras: {front: {source: rtsp://front/}}\n")
    let plain = try configuration([path])
    #expect(plain.listen.map(\.port) == [1] && plain.tokenFile == "a")
    let replaced = try configuration([
      path, "--listen", "0.0.0.0:2", "--listen", "[::1]:3", "--token-file", "b", "--tls-certificate", "c", "--tls-key",
      "d",
    ])
    #expect(replaced.listen.map(\.description) == ["0.0.0.0:2", "[::1]:3"])
    #expect(replaced.tokenFile == "b" && replaced.tlsCertificate == "c" && replaced.tlsKey == "d")
  }

  @Test func `trusted proxies of the command line replace those of the file`() throws {
    let path = try folder.write(
      "c.yaml", "trusted-proxies: [10.0.0.0/8]\ncameras: {front: {source: rtsp://front/}}\n")
    #expect(try configuration([path]).trustedProxies.ranges == [try #require(AddressRange("10.0.0.0/8"))])
    let given = try configuration([path, "--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1"])
    #expect(given.trustedProxies.ranges == ["127.0.0.1", "::1"].compactMap { AddressRange($0) })
    #expect(try configuration(["rtsp://a/"]).trustedProxies.ranges.isEmpty)
  }

  @Test(arguments: ["c.yaml", "C.YML", "c.json"]) func `files that are configurations`(name: String) throws {
    let path = try folder.write(name, "{\"cameras\": {\"front\": {\"source\": \"rtsp://front/\"}}}\n")
    #expect(try ServeOptions.parse([path]).configurationPath == path)
    #expect(try configuration([path]).cameras.map(\.name) == ["front"])
  }

  @Test func `a file that is no configuration is a camera`() throws {
    let path = try folder.write("clip.mp4", "")
    let configuration = try configuration([path, "/dev/video0"].filter { $0 == path })
    #expect(configuration.cameras.map(\.name) == ["clip"] && configuration.cameras[0].settings.source == path)
  }

  @Test func `a configuration that is not UTF-8`() throws {
    let path = folder.file("c.yaml")
    try Program.ffmpeg(["-f", "lavfi", "-i", "color=size=16x16:duration=1", "-frames:v", "1", "-f", "rawvideo", path])
    let error = #expect(throws: VStreamError.self) { try configuration([path]) }
    #expect(error?.code == .usage)
  }

  @Test(arguments: [LogFormat.text, .json]) func `the format of messages`(format: LogFormat) throws {
    #expect(try ServeOptions.parse(["x", "--log-format", format.rawValue]).logFormat == format)
    #expect(try ServeOptions.parse(["x"]).logFormat == .text)
  }
}
