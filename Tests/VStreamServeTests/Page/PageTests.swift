import Foundation
import Testing

@testable import VStreamServe

/// The page's file.
struct PageTests {
  private let text = String(decoding: Page.response().body, as: UTF8.self)

  @Test func `it has everything in itself`() {
    #expect(text.hasPrefix("<!DOCTYPE html>"))
    let addresses = text.matches(of: /https?:\/\/[^'"` ]+/).map { String($0.0) }
    // The name of SVG's elements is not an address that is opened.
    #expect(addresses.allSatisfy { $0.hasPrefix("http://www.w3.org/") || $0.hasPrefix("https:") }, "\(addresses)")
    #expect(!text.contains("src=\"") && !text.contains("@import") && !text.contains("url("))
    #expect(text.matches(of: /<script/).count == 1 && text.matches(of: /<style/).count == 1)
  }

  /// Texts of cameras and labels are never read as HTML, and nothing runs but the page's own script.
  @Test func `it makes no HTML of texts`() {
    for word in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "onclick=", " style=",
    ] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test func `every element that its script asks for exists`() {
    let asked = Set(text.matches(of: /getElementById\('([a-z]+)'\)/).map { String($0.1) })
    let ids = text.matches(of: /id="([a-z]+)"/).map { String($0.1) }
    #expect(asked.isSubset(of: Set(ids)), "\(asked.subtracting(ids))")
    #expect(Set(ids).count == ids.count)
    #expect(ids.count > 8)
  }

  @Test func `it is of use to all`() {
    #expect(text.contains("<html lang=\"en\">") && text.contains("name=\"viewport\""))
    #expect(text.contains("prefers-color-scheme: dark") && text.contains(":focus-visible"))
    for element in ["legend", "label", "main", "h1"] { #expect(text.contains("<\(element)"), "\(element)") }
    #expect(text.contains("role=\"status\"") && text.contains("role=\"alert\""))
  }

  @Test func `its addresses are the server's`() {
    #expect(
      text.contains("new URL('api/v1/cameras', BASE)")
        && text.contains("new URL(`api/v1/cameras/${encodeURIComponent(this.name)}/live")
    )
  }

  /// A proxy may have put the page below any path.
  @Test func `no address begins at the host's root`() {
    for start in ["fetch('/", "fetch(`/", "URL('/", "URL(`/", "href=\"/", "location.host", "`/api", "'/api"] {
      #expect(!text.contains(start), "\(start)")
    }
  }

  @Test func `each response has another number`() {
    let numbers = (0..<20).map { _ in
      Page.response().headers.first { $0.name == "Content-Security-Policy" }?.value ?? ""
    }
    #expect(Set(numbers).count == 20)
    #expect(numbers.allSatisfy { !$0.contains("unsafe") && $0.contains("base-uri 'none'") })
  }
}
