internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

/// Answers requests. Calls may block, and come from any thread.
final class Router: Sendable {
  private let cameras: CameraRegistry
  private let access: AccessControl
  let proxies: TrustedProxies
  /// Reads the configuration again; `nil` without a file.
  private let reload: (@Sendable () throws(VStreamError) -> Void)?

  init(
    cameras: CameraRegistry, access: AccessControl, proxies: TrustedProxies = TrustedProxies(),
    reload: (@Sendable () throws(VStreamError) -> Void)?
  ) {
    self.cameras = cameras
    self.access = access
    self.proxies = proxies
    self.reload = reload
  }

  /// The answer to a request to open a WebSocket.
  enum SocketAnswer: Sendable {
    case feed(Camera, CameraFeed)
    case refused(WebResponse)
    /// It is not the address of a WebSocket: the request is answered like others.
    case none
  }

  func feed(of request: WebRequest) -> SocketAnswer {
    guard request.method == .get, request.path.count == 5, request.path.prefix(3) == ["api", "v1", "cameras"],
      ["live", "records"].contains(request.path[4])
    else { return .none }
    let decision = access.decide(request, at: MonotonicTime.now)
    if let response = Self.refusal(decision) { return .refused(response) }
    guard let camera = cameras.camera(named: request.path[3]) else { return .refused(Self.noCamera) }
    if request.path[4] == "records" { return .feed(camera, .records) }
    return .feed(camera, request.query["sound"] == "1" && camera.read(\.hasSound) ? .liveWithSound : .live)
  }

  /// The response to a request that needs no access to the cameras, and therefore waits for no other request.
  func immediateResponse(to request: WebRequest) -> WebResponse? {
    let isRead = request.method == .get || request.method == .head
    return isRead && request.path == ["healthz"] ? .text("ok\n") : nil
  }

  func respond(to request: WebRequest) -> WebResponse {
    if let response = immediateResponse(to: request) { return response }
    let decision = access.decide(request, at: MonotonicTime.now)
    if let response = Self.refusal(decision) { return response }
    return decision == .allowedByAddress && request.path.isEmpty ? withCookie(request) : answer(request)
  }

  /// The response to a refused request.
  private static func refusal(_ decision: AccessControl.Decision) -> WebResponse? {
    switch decision {
    case .allowed, .allowedByAddress: nil
    case .unauthorised:
      .error(
        401, "a token is needed", remedy: "send 'Authorization: Bearer TOKEN', or open the page with ?token=TOKEN"
      ).adding("WWW-Authenticate", "Bearer")
    case .limited(let seconds):
      .error(
        429, "too many wrong tokens",
        remedy: "wait \(seconds) s; clients of a proxy count as one unless trusted-proxies names it"
      ).adding("Retry-After", "\(seconds)")
    case .forbidden(let reason, let remedy): .error(403, reason, remedy: remedy)
    }
  }

  /// The page's address without the token, and a cookie in its place. Both are relative to the address that the browser knows,
  /// which a proxy may have put below a path.
  private func withCookie(_ request: WebRequest) -> WebResponse {
    let cookie = "\(AccessControl.cookieName)=\(access.session); HttpOnly; SameSite=Strict"
    return WebResponse.text("", status: 303).adding("Location", "./").adding(
      "Set-Cookie", cookie + (request.client.usesTLS ? "; Secure" : ""))
  }

  private static let noCamera = WebResponse.error(
    404, "there is no camera of this name", remedy: "GET /api/v1/cameras lists them")

  private func answer(_ request: WebRequest) -> WebResponse {
    let isRead = request.method == .get || request.method == .head
    switch request.path {
    case [] where isRead: return Page.response()
    case ["metrics"] where isRead:
      return WebResponse(
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        body: Array(Metrics.text(cameras.all, cameras.recordings?.measures).utf8))
    case ["api", "v1", "openapi.json"] where isRead:
      return WebResponse(contentType: "application/json", body: PackageResources.openapi_json)
    case ["api", "v1", "cameras"] where isRead: return .json(CameraJSON.list(cameras.all))
    case ["api", "v1", "reload"] where request.method == .post: return reloaded()
    default: break
    }
    if isRead, request.path.prefix(2) == ["api", "v1"], request.path.count > 2,
      ArchiveQuery.addresses.contains(request.path[2])
    {
      guard let store = cameras.recordings else {
        return .error(404, "nothing is recorded", remedy: "set recordings, or record of a camera")
      }
      return ArchiveAnswers(store: store).answer(request, Array(request.path.dropFirst(2))) ?? .notFound
    }
    guard request.path.count >= 4, request.path.prefix(3) == ["api", "v1", "cameras"] else { return .notFound }
    return answer(request, aboutCamera: request.path[3], Array(request.path.dropFirst(4)))
  }

  private func answer(_ request: WebRequest, aboutCamera name: String, _ rest: [String]) -> WebResponse {
    if rest.isEmpty, request.method == .put { return put(request, name) }
    guard let camera = cameras.camera(named: name) else { return Self.noCamera }
    switch (request.method, rest) {
    case (.get?, []), (.head?, []): return .json(CameraJSON.one(camera))
    case (.delete?, []):
      _ = cameras.remove(name)
      return WebResponse.text("", status: 204)
    case (.get?, ["frame.jpg"]), (.head?, ["frame.jpg"]):
      return CameraImage.response(camera, isAnnotated: request.query["annotated"] == "1")
    case (.get?, ["live"]), (.get?, ["records"]):
      return .error(
        426, "this is the address of a WebSocket", remedy: "a proxy has to pass the headers Upgrade and Connection on"
      ).adding("Upgrade", "websocket").adding("Sec-WebSocket-Version", "13")
    default: return .notFound
    }
  }

  private func put(_ request: WebRequest, _ name: String) -> WebResponse {
    do throws(VStreamError) {
      guard let text = String(validating: request.body, as: UTF8.self) else {
        throw VStreamError(.usage, "the request is not UTF-8")
      }
      let node = try ConfigurationText.request.root(of: text)
      let replaced = try cameras.put(ConfigurationReader.camera(name, node, cameras.defaults))
      guard let camera = cameras.camera(named: name) else { return .notFound }
      return .json(CameraJSON.one(camera), status: replaced == false ? 201 : 200)
    } catch {
      return .error(error)
    }
  }

  private func reloaded() -> WebResponse {
    guard let reload else { return .error(409, "there is no configuration file to read") }
    do throws(VStreamError) {
      try reload()
      return .json(CameraJSON.list(cameras.all))
    } catch {
      return .error(error)
    }
  }
}

/// The page: one file with its style and scripts.
enum Page {
  /// Stands for the response's own number in the file.
  private static let placeholder = "NONCE"
  private static let text = {
    let scripts = [PackageResources.screen_js, PackageResources.past_js, PackageResources.live_js]
    let script = scripts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    return String(decoding: PackageResources.page_html, as: UTF8.self).replacing("SCRIPTS", with: script)
  }()

  /// The page, whose script and style only run with a number that no other response has.
  static func response() -> WebResponse {
    var generator = SystemRandomNumberGenerator()
    let nonce = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    let policy = [
      "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
      "img-src 'self' data:", "media-src 'self' blob:", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ]
    return WebResponse(
      contentType: "text/html; charset=utf-8", body: Array(text.replacing(placeholder, with: nonce).utf8)
    ).adding("Content-Security-Policy", policy.joined(separator: "; "))
  }
}
