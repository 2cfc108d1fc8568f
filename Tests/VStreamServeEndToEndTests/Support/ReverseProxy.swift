import Foundation
import VStreamTestSupport

/// nginx with the configuration of `docs/serve.md`, below the path `/cams/`.
final class ReverseProxy {
  private let program: Background
  let port: UInt16

  /// - Parameters:
  ///   - server: the port of the server behind it.
  ///   - edit: changes the documented configuration.
  init(
    to server: UInt16, in folder: TemporaryFolder, edit: (String) -> String = { $0 }
  ) throws {
    port = try LocalPort.unused()
    let block = try edit(Self.documented()).replacingOccurrences(of: "127.0.0.1:8480", with: "127.0.0.1:\(server)")
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.file($0));" }.joined(separator: " ")
    let text = """
      daemon off; master_process off; pid \(folder.file("nginx.pid")); error_log stderr;
      events {}
      http { access_log off; \(folders) server { listen 127.0.0.1:\(port); \(block) } }
      """
    program = try Background(
      ["/usr/sbin/nginx", "-p", folder.path, "-e", "stderr", "-c", folder.write("nginx.conf", text)])
    try LocalPort.waitUntilListening(port)
  }

  var said: String { program.said }

  /// The block of the documentation.
  private static func documented() throws -> String {
    let text = try String(contentsOf: Checkout.root.appending(path: "docs/serve.md"), encoding: .utf8)
    let start = "```nginx\n"
    let parts = text.components(separatedBy: start)
    guard parts.count == 2, let block = parts[1].components(separatedBy: "```").first else {
      throw ProgramFailure(description: "docs/serve.md has no block of nginx")
    }
    return block
  }
}
