internal import VStreamPipeline
internal import VStreamScene
internal import VStreamSystem

/// Answers requests. Calls may block, and come from any thread.
final class Router: Sendable {
  private let cameras: CameraRegistry
  private let access: AccessControl
  private let usesTLS: Bool
  /// Reads the configuration again; `nil` without a file.
  private let reload: (@Sendable () throws(VStreamError) -> Void)?

  init(
    cameras: CameraRegistry, access: AccessControl, usesTLS: Bool, reload: (@Sendable () throws(VStreamError) -> Void)?
  ) {
    self.cameras = cameras
    self.access = access
    self.usesTLS = usesTLS
    self.reload = reload
  }

  /// The feed of a WebSocket's address; otherwise `nil`, and the request is answered like others.
  func feed(of request: WebRequest) -> LiveFeed? {
    guard request.method == .get, request.path.count == 5, request.path.prefix(3) == ["api", "v1", "cameras"],
      [.allowed, .allowedByAddress].contains(access.decide(request, at: MonotonicTime.now)),
      let camera = cameras.camera(named: request.path[3])
    else { return nil }
    switch request.path[4] {
    case "live": return request.query["sound"] == "1" && camera.hasSound ? camera.liveWithSound : camera.live
    case "records": return camera.records
    default: return nil
    }
  }

  func respond(to request: WebRequest) -> WebResponse {
    if request.path == ["healthz"], request.method == .get || request.method == .head { return .text("ok\n") }
    switch access.decide(request, at: MonotonicTime.now) {
    case .allowed: return answer(request)
    case .allowedByAddress: return request.path.isEmpty ? withCookie(request) : answer(request)
    case .unauthorised:
      return .error(401, "a token is needed", remedy: "send 'Authorization: Bearer TOKEN', or open /?token=TOKEN")
        .adding("WWW-Authenticate", "Bearer")
    case .limited(let seconds):
      return .error(429, "too many wrong tokens", remedy: "wait \(seconds) s").adding("Retry-After", "\(seconds)")
    case .forbidden(let reason): return .error(403, reason)
    }
  }

  /// The page's address without the token, and a cookie in its place.
  private func withCookie(_ request: WebRequest) -> WebResponse {
    let cookie = "\(AccessControl.cookieName)=\(access.session); Path=/; HttpOnly; SameSite=Strict"
    return WebResponse.text("", status: 303).adding("Location", "/").adding(
      "Set-Cookie", cookie + (usesTLS ? "; Secure" : ""))
  }

  private func answer(_ request: WebRequest) -> WebResponse {
    let isRead = request.method == .get || request.method == .head
    switch request.path {
    case [] where isRead: return Page.response()
    case ["metrics"] where isRead:
      return WebResponse(
        contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(Metrics.text(cameras.all).utf8))
    case ["api", "v1", "cameras"] where isRead: return .json(CameraJSON.list(cameras.all))
    case ["api", "v1", "reload"] where request.method == .post: return reloaded()
    default: break
    }
    guard request.path.count >= 4, request.path.prefix(3) == ["api", "v1", "cameras"] else { return .notFound }
    return answer(request, aboutCamera: request.path[3], Array(request.path.dropFirst(4)))
  }

  private func answer(_ request: WebRequest, aboutCamera name: String, _ rest: [String]) -> WebResponse {
    if rest.isEmpty, request.method == .put { return put(request, name) }
    guard let camera = cameras.camera(named: name) else {
      return .error(404, "there is no camera of this name", remedy: "GET /api/v1/cameras lists them")
    }
    switch (request.method, rest) {
    case (.get?, []), (.head?, []): return .json(CameraJSON.one(camera))
    case (.delete?, []):
      _ = cameras.remove(name)
      return WebResponse.text("", status: 204)
    case (.get?, ["frame.jpg"]), (.head?, ["frame.jpg"]):
      return CameraImage.response(camera, isAnnotated: request.query["annotated"] == "1")
    case (.get?, ["live"]), (.get?, ["records"]): return .error(426, "this is the address of a WebSocket")
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
