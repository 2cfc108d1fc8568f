import Testing

@testable import VStream

/// Messages that name options of the command, in the library's words.
struct LibraryTermsTests {
  @Test(arguments: [
    ("'in.avi' exists already", "'in.avi' exists already"),
    ("--overwrite (-y) replaces it", "overwritesOutput replaces it"),
    ("see --timeout and --reconnect", "see the command's --timeout and reconnectSeconds"),
    ("'x' is no class (--classes)", "'x' is no class (classes)"),
    ("a--classes -- --", "a--classes -- --"),
    ("", ""),
  ])
  func `options are named as the library has them, or said to be the command's`(message: String, own: String) {
    #expect(LibraryTerms.text(message) == own)
  }
}
