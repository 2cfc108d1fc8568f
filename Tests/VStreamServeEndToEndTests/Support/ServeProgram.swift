import Foundation
import VStreamTestSupport

/// The running server.
final class ServeProgram {
  private let program: Background
  let port: UInt16

  static let path = URL(filePath: Program.vstreamPath).deletingLastPathComponent().appending(path: "vstream-serve").path

  /// - Parameter arguments: without the address, which is any free port of this machine.
  init(_ arguments: [String], environment: [String: String] = [:], listen: String = "127.0.0.1:0") throws {
    program = try Background([Self.path, "--listen", listen] + arguments, environment: environment)
    port = try program.wait(for: "its address") { said in
      let address = said.firstMatch(of: /serving .* at https?:\/\/127\.0\.0\.1:([0-9]+)\//)
      return address.flatMap { UInt16($0.1) }
    }
  }

  var said: String { program.said }

  /// Waits until its messages contain a text.
  func wait(for text: String, count: Int = 1) throws {
    try program.wait(for: "'\(text)'") { $0.components(separatedBy: text).count > count ? true : nil }
  }

  func send(_ signal: Int32) { program.send(signal) }

  /// Ends it.
  ///
  /// - Returns: its exit code.
  func stop() -> Int32 {
    program.send(SIGTERM)
    return program.wait()
  }

  func request(
    _ method: String, _ path: String, headers: [String] = [], body: String = "", host: String? = nil
  ) throws -> TestResponse {
    try TestResponse(
      method, path, port: port, headers: ["Connection: close"] + headers, body: body, host: host)
  }

  /// A camera's JSON.
  func camera(_ name: String) throws -> JSONValue { try request("GET", "/api/v1/cameras/\(name)").json }

  /// Waits until a camera satisfies a condition, which is asked at each of its live messages.
  func waitUntil(_ name: String, _ isEnough: (JSONValue) -> Bool) throws {
    let socket = try TestWebSocket(port: port, "/api/v1/cameras/\(name)/live")
    while !isEnough(try camera(name)) {
      guard socket.next() != nil else {
        throw ProgramFailure(description: "\(name): \(try camera(name)); \(said)")
      }
    }
  }
}
