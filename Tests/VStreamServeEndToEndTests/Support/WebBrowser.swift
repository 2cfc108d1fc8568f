import Foundation
import VStreamTestSupport

/// Debian's Chromium without a screen, driven by the WebDriver protocol.
final class WebBrowser {
  private let driver: Background
  private let port: UInt16
  private var session = ""

  private static let options: [String: any Sendable] = [
    "binary": "/usr/bin/chromium",
    "args": [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
      "--autoplay-policy=no-user-gesture-required",
    ],
  ]

  init() throws {
    port = try LocalPort.unused()
    driver = try Background(["chromedriver", "--port=\(port)"])
    try driver.wait(for: "its start") { $0.contains("started successfully") ? true : nil }
    let capabilities = ["browserName": "chrome", "goog:chromeOptions": Self.options] as [String: Any]
    let answer = try send("POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
    session = (answer as? [String: Any])?["sessionId"] as? String ?? ""
    guard !session.isEmpty else { throw ProgramFailure(description: "no browser: \(answer)") }
  }

  deinit { _ = try? send("DELETE", "/session/\(session)") }

  /// Runs a script in each page before the page's own.
  func runFirst(_ script: String) throws {
    let command = ["cmd": "Page.addScriptToEvaluateOnNewDocument", "params": ["source": script]] as [String: Any]
    _ = try send("POST", "/session/\(session)/goog/cdp/execute", command)
  }

  /// An image of the page in PNG format.
  func screenshot() throws -> Data {
    let text = try send("GET", "/session/\(session)/screenshot") as? String ?? ""
    return Data(base64Encoded: text) ?? Data()
  }

  func open(_ url: String) throws { _ = try send("POST", "/session/\(session)/url", ["url": url]) }

  /// Runs a script in the page; what it returns.
  @discardableResult
  func run(_ script: String) throws -> Any {
    try send("POST", "/session/\(session)/execute/sync", ["script": script, "args": [Any]()])
  }

  /// Runs a script that calls `done` with its result.
  func runUntilDone(_ script: String) throws -> Any {
    let body = "const done = arguments[arguments.length - 1]; \(script)"
    return try send("POST", "/session/\(session)/execute/async", ["script": body, "args": [Any]()])
  }

  /// Waits, in the page, until an expression is true.
  func wait(for expression: String) throws {
    let script = """
      const start = performance.now();
      const check = () => { if (\(expression)) done(true); else if (performance.now() - start > 25000) done(false);
        else requestAnimationFrame(check); };
      check();
      """
    guard try runUntilDone(script) as? Bool == true else {
      throw ProgramFailure(description: "the page did not come to \(expression); \(try messages())")
    }
  }

  func press(_ key: String) throws {
    _ = try send(
      "POST", "/session/\(session)/actions",
      [
        "actions": [
          [
            "type": "key", "id": "keyboard",
            "actions": [["type": "keyDown", "value": key], ["type": "keyUp", "value": key]],
          ]
        ]
      ])
  }

  func resize(width: Int, height: Int) throws {
    _ = try send("POST", "/session/\(session)/window/rect", ["width": width, "height": height])
  }

  /// The errors and warnings of the page.
  func messages() throws -> [String] {
    let entries = try send("POST", "/session/\(session)/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
    return entries.compactMap { $0["message"] as? String }
  }

  /// - Returns: the value of the answer.
  private func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any {
    let connection = try TestConnection(port: port, seconds: 120)
    let data = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(data.count)\r\nConnection: close\r\n\r\n"
    connection.send(Array(head.utf8) + data)
    guard let answer = connection.takeHead(),
      let length = answer.firstMatch(of: /[Cc]ontent-[Ll]ength: *([0-9]+)/).flatMap({ Int($0.1) }),
      let bytes = connection.take(length),
      let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    else { throw ProgramFailure(description: "chromedriver does not answer \(path)") }
    if let value = object["value"] as? [String: Any], let error = value["error"] as? String {
      throw ProgramFailure(description: "\(path): \(error): \(value["message"] ?? "")")
    }
    return object["value"] ?? NSNull()
  }
}
