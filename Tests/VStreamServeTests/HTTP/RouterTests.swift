import Testing
import VStreamCore
import VStreamPipeline

@testable import VStreamServe

/// What each address answers, without a network.
struct RouterTests {
  private let cameras: CameraRegistry
  private let detectors = CameraDetectors(threads: 1)

  init() throws {
    cameras = CameraRegistry(detectors, log: ServeLog(format: .text, write: { _ in }))
    var settings = CameraConfiguration()
    settings.source = "rtsp://user:secret@127.0.0.1:9/live"
    settings.detect = []
    settings.counted.lines = [
      .init(name: "gate", corners: try #require(CountedRegions.Corner.list("0,10;20,10")))
    ]
    try cameras.put(.init(name: "front", settings: settings))
  }

  private func router(token: String? = nil) -> Router {
    Router(cameras: cameras, access: AccessControl(token: token.map { Array($0.utf8) }), reload: nil)
  }

  private func respond(
    _ method: String, _ target: String, body: String = "", headers: [(name: String, value: String)] = []
  ) throws -> WebResponse {
    var request = try #require(
      WebRequest(
        method: method, target: target, headers: headers + [("Host", "localhost:8480")], client: "127.0.0.1"))
    request.body = Array(body.utf8)
    return router().respond(to: request)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let status: Int
    /// What the answer contains.
    let piece: String

    init(_ request: String, _ status: Int, _ piece: String = "") {
      testDescription = request
      self.status = status
      self.piece = piece
    }
  }

  static let rows = [
    Row("GET /", 200, "<title>vstream</title>"),
    Row("GET /?x=y", 200, "<title>vstream</title>"),
    Row("GET /healthz", 200, "ok"),
    Row("HEAD /healthz", 200),
    Row("POST /healthz", 404),
    Row("GET /metrics", 200, "vstream_camera_up{camera=\"front\"} 0"),
    Row("GET /api/v1/cameras", 200, "{\"cameras\":[{\"name\":\"front\""),
    Row("GET /api/v1/cameras/", 200, "{\"cameras\":["),
    Row("GET /api/v1/cameras/front", 200, "{\"name\":\"front\""),
    Row("GET /api/v1/cameras/%66ront", 200, "{\"name\":\"front\""),
    Row("GET /api/v1/cameras/back", 404, "no camera of this name"),
    Row("GET /api/v1/cameras/front/frame.jpg", 503, "no frame"),
    Row("GET /api/v1/cameras/front/live", 426, "WebSocket"),
    Row("GET /api/v1/cameras/front/records", 426, "WebSocket"),
    Row("GET /api/v1/cameras/front/other", 404),
    Row("GET /api/v1/cameras/front/frame.jpg/x", 404),
    Row("DELETE /api/v1/cameras/front/frame.jpg", 404),
    Row("PUT /api/v1/cameras", 404),
    Row("PUT /api/v1/cameras/a%2Fb", 400, "not a camera's name"),
    Row("POST /api/v1/reload", 409, "no configuration file"),
    Row("GET /api/v1/reload", 404),
    Row("GET /../../etc/passwd", 404),
    Row("GET /%2e%2e/%2e%2e/etc/passwd", 404),
    Row("GET /page.html", 404),
    Row("BREW /", 404),
  ]

  @Test(arguments: rows) func `addresses and methods`(row: Row) throws {
    let parts = row.testDescription.split(separator: " ").map(String.init)
    let response = try respond(parts[0], parts[1], body: "source: x")
    #expect(response.status == row.status)
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(row.piece.isEmpty || text.contains(row.piece), "\(text)")
    #expect(!text.contains("secret"))
    if row.status >= 400 { #expect(text.contains("\"error\":")) }
  }

  @Test func `cameras are added, kept, replaced and removed`() throws {
    let put = "/api/v1/cameras/yard"
    let camera = "{\"source\":\"rtsp://127.0.0.1:9/a\",\"detect\":[]}"
    #expect(try respond("PUT", put, body: "{\"source\":\"rtsp://127.0.0.1:9/a\",\"detect\":\"none\"}").status == 201)
    let first = try #require(cameras.camera(named: "yard"))
    #expect(try respond("PUT", put, body: "{\"source\":\"rtsp://127.0.0.1:9/a\",\"detect\":\"none\"}").status == 200)
    #expect(cameras.camera(named: "yard") === first)
    #expect(try respond("PUT", put, body: "source: rtsp://127.0.0.1:9/b\ndetect: none\n").status == 200)
    #expect(cameras.camera(named: "yard") !== first)
    #expect(first.read(\.status.phase) == .stopped)
    #expect(try respond("DELETE", put).status == 204)
    #expect(cameras.all.map(\.name) == ["front"])
    #expect(try respond("PUT", put, body: "{").status == 400)
    #expect(try respond("PUT", put, body: camera.replacing("source", with: "sauce")).status == 400)
    #expect(cameras.all.map(\.name) == ["front"])
    cameras.stop()
  }

  /// What comes over the network does not read the environment.
  @Test func `a request's variables are texts`() throws {
    let body = "{\"source\":\"rtsp://127.0.0.1:9/${HOME}\",\"detect\":\"none\"}"
    #expect(try respond("PUT", "/api/v1/cameras/x", body: body).status == 201)
    #expect(cameras.camera(named: "x")?.settings.source == "rtsp://127.0.0.1:9/${HOME}")
    cameras.stop()
  }

  @Test(arguments: [true, false]) func `the token of the page's address becomes a cookie`(usesTLS: Bool) throws {
    let token = "a-token-of-24-characters"
    let request = try #require(
      WebRequest(
        method: "GET", target: "/?token=\(token)", headers: [("Host", "nvr")], client: "10.0.0.1", usesTLS: usesTLS))
    let response = router(token: token).respond(to: request)
    #expect(response.status == 303 && response.body.isEmpty)
    // Relative, as the path of a proxy is not known.
    #expect(response.headers.first { $0.name == "Location" }?.value == "./")
    let cookie = try #require(response.headers.first { $0.name == "Set-Cookie" }?.value)
    #expect(cookie.contains("HttpOnly; SameSite=Strict") && cookie.contains("Secure") == usesTLS)
    #expect(!cookie.contains(token) && !cookie.contains("Path="))
    // Programs get what they ask for.
    let api = try #require(
      WebRequest(method: "GET", target: "/api/v1/cameras?token=\(token)", headers: [], client: "10.0.0.1"))
    #expect(router(token: token).respond(to: api).status == 200)
  }

  struct SocketRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let target: String
    let headers: [String: String]
    /// `nil` for one that is answered like other requests.
    let status: Int?

    init(_ name: String, _ target: String, _ status: Int?, _ headers: [String: String] = [:]) {
      (testDescription, self.target, self.headers, self.status) = (name, target, headers, status)
    }
  }

  private static let token = "a-token-of-24-characters"
  private static let bearer = ["Authorization": "Bearer \(token)"]

  @Test(arguments: [
    SocketRow("the live view", "/api/v1/cameras/front/live", 101, bearer),
    SocketRow("the records", "/api/v1/cameras/front/records", 101, bearer),
    SocketRow("the token in the address", "/api/v1/cameras/front/live?token=\(token)", 101),
    SocketRow("sound that there is not", "/api/v1/cameras/front/live?sound=1", 101, bearer),
    SocketRow("an image", "/api/v1/cameras/front/frame.jpg", nil, bearer),
    SocketRow("another address", "/live", nil, bearer),
    SocketRow("no camera", "/api/v1/cameras/back/live", 404, bearer),
    SocketRow("no token", "/api/v1/cameras/front/live", 401),
    SocketRow("no token and no camera", "/api/v1/cameras/back/live", 401),
    SocketRow("a wrong token", "/api/v1/cameras/front/live", 401, ["Authorization": "Bearer x"]),
    SocketRow(
      "its own page", "/api/v1/cameras/front/live?x", 101,
      bearer.merging(["Origin": "http://localhost:8480"]) { $1 }),
    SocketRow(
      "another server's page", "/api/v1/cameras/front/live?y", 403,
      bearer.merging(["Origin": "http://evil.example"]) { $1 }),
  ]) func `WebSockets`(row: SocketRow) throws {
    let headers = row.headers.map { (name: $0.key, value: $0.value) }
    let request = try #require(
      WebRequest(
        method: "GET", target: row.target, headers: headers + [("Host", "localhost:8480"), ("Upgrade", "websocket")],
        client: "127.0.0.1"))
    let status: Int? =
      switch router(token: Self.token).feed(of: request) {
      case .feed: 101
      case .refused(let response): response.status
      case .none: nil
      }
    #expect(status == row.status)
  }

  @Test func `every metric has its help and type, and values that are numbers`() throws {
    let lines = Metrics.text(cameras.all).split(separator: "\n")
    var described: Set<Substring> = []
    for line in lines {
      let parts = line.split(separator: " ")
      if line.hasPrefix("# TYPE ") {
        described.insert(parts[2])
        #expect(["gauge", "counter", "histogram"].contains(parts[3]))
      } else if !line.hasPrefix("#") {
        let name = parts[0].prefix { $0 != "{" }
        let family = ["_bucket", "_sum", "_count"].first(where: name.hasSuffix).map { name.dropLast($0.count) } ?? name
        #expect(described.contains(family), "\(line)")
        #expect(Double(parts[1]) != nil, "\(line)")
      }
    }
    let contract = [
      "vstream_camera_up", "vstream_frames_total", "vstream_detector_passes_total", "vstream_latency_seconds",
      "vstream_reconnects_total", "vstream_viewers", "process_resident_memory_bytes", "process_cpu_seconds_total",
    ]
    for name in contract { #expect(described.contains(name[...]), "\(name)") }
    #expect(ProcessMeasures.residentBytes > 1 << 20 && ProcessMeasures.processorSeconds > 0)
    cameras.stop()
  }
}
