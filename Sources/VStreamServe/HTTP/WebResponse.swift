internal import VStreamScene
internal import VStreamSystem

/// A response, without the network.
struct WebResponse: Hashable, Sendable {
  var status: Int
  var contentType: String
  var body: [UInt8]
  /// Beside those that all responses have.
  var headers: [Header] = []

  struct Header: Hashable, Sendable {
    var name: String
    var value: String
  }

  init(status: Int = 200, contentType: String, body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  static func text(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  static func json(_ json: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "application/json", body: Array("\(json)\n".utf8))
  }

  /// `{"error":…}`: what is wrong, and what to do.
  static func error(_ status: Int, _ problem: String, remedy: String = "") -> WebResponse {
    json(
      TextBuffer.json { json in
        json.add("error", problem)
        if !remedy.isEmpty { json.add("remedy", remedy) }
      }, status: status)
  }

  static func error(_ error: VStreamError) -> WebResponse {
    let status =
      switch error.code {
      case .usage: 400
      case .missingDependency: 503
      default: 500
      }
    return .error(
      status, error.problem.text(naming: \.configurationKey), remedy: error.advice.text(naming: \.configurationKey))
  }

  static let notFound = WebResponse.error(404, "there is no such address", remedy: "docs/serve.md lists them")

  func adding(_ name: String, _ value: String) -> WebResponse {
    var response = self
    response.headers.append(Header(name: name, value: value))
    return response
  }
}
