import Testing
import VStreamCore
import VStreamPipeline

@testable import VStreamServe

struct ConfigurationTests {
  private static let text = """
    listen: [127.0.0.1:8480, "[::1]:9000"]
    token-file: token
    trusted-proxies: [127.0.0.1]
    defaults: {detect: [objects], classes: [person, car], passes-per-second: 5}
    cameras:
      front:
        source: rtsp://user:${PASSWORD}@front/stream
        zones: {door: "10%,20%;40%,20%;40%,90%"}
        lines: {gate: "0,300;768,300"}
        records: records/front-{date}.jsonl
        weight: 2
      yard: {source: rtsp://yard/stream, detect: "objects, faces", classes: [dog], min-score: 0.3}
    """

  private func read(_ text: String) throws -> ServeConfiguration {
    try ConfigurationReader.read(
      text, of: ConfigurationText(name: "c", hasLines: true) { $0 == "PASSWORD" ? "se:cret" : nil })
  }

  @Test func `recordings have defaults, which a camera replaces as a whole`() throws {
    let configuration = try ConfigurationReader.read(
      """
      recordings: {path: /srv/video, max-size: 500GB, min-free: 10GB}
      defaults: {record: {mode: always, keep: 7d}}
      cameras:
        front: {source: a}
        yard: {source: b, record: {mode: events, before: 2s, after: 1m}}
        gate: {source: c, record: {mode: never}}
      """, of: .file("c.yaml"))
    let space = try #require(configuration.recordings)
    #expect((space.path, space.maximumBytes, space.minimumFree) == ("/srv/video", 500_000_000_000, 10_000_000_000))
    let recorded = configuration.cameras.map(\.settings.record)
    #expect(recorded.map(\.mode) == [.always, .events, .never])
    #expect(recorded.map(\.keep) == [604_800, nil, nil])
    #expect(recorded.map(\.before) == [5, 2, 5] && recorded.map(\.after) == [10, 60, 10])
    // A camera whose recording changes is another one.
    #expect(configuration.cameras[0].settings != configuration.cameras[2].settings)
  }

  @Test func `the example of the contract`() throws {
    let configuration = try read(Self.text)
    #expect(configuration.listen.map(\.description) == ["127.0.0.1:8480", "[::1]:9000"])
    #expect(configuration.tokenFile == "token")
    #expect(configuration.trustedProxies.ranges == [try #require(AddressRange("127.0.0.1"))])
    #expect(configuration.cameras.map(\.name) == ["front", "yard"])
    let front = configuration.cameras[0].settings
    #expect(front.source == "rtsp://user:se:cret@front/stream")
    #expect(front.classes == ["person", "car"])
    #expect(front.passesPerSecond == 5)
    #expect(front.counted.zones.map(\.name) == ["door"])
    #expect(front.counted.zones[0].corners[0] == .init(x: .fraction(0.1), y: .fraction(0.2)))
    #expect(front.counted.lines[0].corners[1] == .init(x: .pixels(768), y: .pixels(300)))
    #expect(front.weight == 2)
    #expect(front.records == "records/front-{date}.jsonl")
  }

  @Test func `a camera's own settings replace the defaults`() throws {
    let yard = try read(Self.text).cameras[1].settings
    #expect(yard.classes == ["dog"])
    #expect(yard.detect == [.objects, .faces])
    #expect(yard.minScore == 0.3)
    #expect(yard.passesPerSecond == 5)
    #expect(yard.weight == 1)
  }

  @Test func `a dollar sign that is doubled stands for itself`() throws {
    let configuration = try read("cameras: {a: {source: 'rtsp://u:a$${b}$@h/'}}")
    #expect(configuration.cameras[0].settings.source == "rtsp://u:a${b}$@h/")
  }

  struct NameRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    init(_ source: String, _ name: String) { (testDescription, self.name) = (source, name) }
  }

  @Test(arguments: [
    NameRow("rtsp://front/stream", "front"), NameRow("rtsp://user:a@b@yard:554/s?x=/y", "yard"),
    NameRow("rtsp://192.168.1.5/live", "192.168.1.5"), NameRow("rtsp://[fe80::1]/live", "fe80--1"),
    NameRow("rtsp://user:p#a/s?s@w@yard:554/s", "yard"), NameRow("rtsp://user:a@sec/ret@yard/s", "yard"),
    NameRow("rtsp://user:12#secret@yard/s", "yard"), NameRow("srt://yard:9000?passphrase=a@b", "yard"),
    NameRow("/dev/video0", "video0"), NameRow("clips/a clip.mp4", "a-clip"), NameRow("http://.hidden/x", "camera"),
  ]) func `cameras of the command line are named by their source`(row: NameRow) {
    #expect(CameraName.name(for: row.testDescription, taken: []) == row.name)
    #expect(CameraName.name(for: row.testDescription, taken: [row.name]) == "\(row.name)-2")
    #expect(CameraName.isValid(row.name))
  }

  struct AddressRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let address: String?
    var isLoopback = true
    init(_ text: String, _ address: String?, isLoopback: Bool = true) {
      (testDescription, self.address, self.isLoopback) = (text, address, isLoopback)
    }
  }

  @Test(arguments: [
    AddressRow("8480", "127.0.0.1:8480"), AddressRow("127.1.2.3:1", "127.1.2.3:1"), AddressRow("[::1]:80", "[::1]:80"),
    AddressRow("localhost:0", "localhost:0"), AddressRow("0.0.0.0:8480", "0.0.0.0:8480", isLoopback: false),
    AddressRow("127.evil.example:80", "127.evil.example:80", isLoopback: false),
    AddressRow("[::]:80", "[::]:80", isLoopback: false), AddressRow("::1:80", nil), AddressRow(":80", nil),
    AddressRow("host:", nil), AddressRow("host:-1", nil),
  ]) func `addresses to listen at`(row: AddressRow) {
    let address = ListeningAddress(row.testDescription)
    #expect(address?.description == row.address)
    if let address { #expect(address.isLoopback == row.isLoopback) }
  }

  @Test func `an address that others reach needs a token`() throws {
    var configuration = try read(Self.text)
    configuration.listen = [ListeningAddress(host: "0.0.0.0", port: 8480)]
    try configuration.check()
    configuration.tokenFile = nil
    let error = #expect(throws: VStreamError.self) { try configuration.check() }
    #expect(error?.description.contains("token") == true)
  }

  @Test func `a certificate needs its key`() throws {
    var configuration = try read(Self.text)
    configuration.tlsCertificate = "c.pem"
    #expect(throws: VStreamError.self) { try configuration.check() }
  }
}
