internal import VStreamSystem

/// The page: one file, in which everything is.
enum Page {
  /// What stands for the response's own number in the file.
  private static let placeholder = "NONCE"
  private static let text = String(decoding: PackageResources.page_html, as: UTF8.self)

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
