import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// libav's codes as values and errors.
struct LibAVCodeTests {
  @Test(arguments: [(LibAVCode(0), false), (LibAVCode(5), false), (.tryAgain, true), (.system(EIO), true)])
  func `only negative codes are failures`(code: LibAVCode, isFailure: Bool) {
    #expect(code.isFailure == isFailure)
  }

  @Test func `a system error's code has its errno`() {
    #expect(LibAVCode.system(ENOENT).systemError == ENOENT)
    #expect(LibAVCode.system(EAGAIN) == .tryAgain)
  }

  @Test(arguments: [
    (LibAVCode.system(ENOENT), "No such file or directory"), (.endOfStream, "End of file"),
    (.invalidData, "Invalid data found when processing input"), (LibAVCode(-1_234_567), "error -1234567"),
  ])
  func `a reason is libav's text`(code: LibAVCode, text: String) {
    CVStreamLibAV_forgetMessage()
    #expect(code.reason == text)
  }

  @Test func `a reason has the first message that libav logged during the call`() {
    let code = LibAVCode {
      withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { _ in
        var context: UnsafeMutablePointer<AVFormatContext>?
        return avformat_open_input(&context, "nothing-here://x", nil, nil)
      }
    }
    #expect(code.isFailure)
    #expect(code.reason.hasPrefix("Protocol not found"))
    _ = LibAVCode { 0 }
    #expect(LibAVCode.endOfStream.reason == "End of file", "the next call has no message of an earlier one")
  }

  @Test(arguments: [
    ("Error setting option cryptokey to value abc.def.", "Error setting option cryptokey to value …."),
    ("Unable to parse option value \"a \"key\"\" as binary", "Unable to parse option value \"…\" as binary"),
    ("Query string option 'abc' does not exist", "Query string option '…' does not exist"),
    ("Option key not found.", "Option key not found."), ("moov atom not found", "moov atom not found"),
  ])
  func `a reason hides an option's value`(message: String, shown: String) {
    #expect(LibAVCode.withoutValue(message) == shown)
  }

  @Test(arguments: [
    (
      "Failed to resolve hostname secret: Name or service not known",
      "Failed to resolve hostname …: Name or service not known"
    ),
    ("getaddrinfo(secret, 554): Name or service not known", "getaddrinfo(…, 554): Name or service not known"),
    ("Connection to tcp://me:secret@host failed", "Connection to tcp://me:…@host failed"),
  ])
  func `a message hides a host that cannot be found, which may be part of a password`(message: String, shown: String) {
    #expect(LibAVCode.shown(message) == shown)
  }

  @Test func `values, try-again and end-of-file are results, and other codes are thrown`() throws {
    guard case .value(7) = try libav(.library, "it", { 7 }) else { throw VStreamError(.library, "no value") }
    guard case .tryAgain = try libav(.library, "it", { LibAVCode.tryAgain.rawValue }) else {
      throw VStreamError(.library, "not try again")
    }
    guard case .endOfStream = try libav(.library, "it", { LibAVCode.endOfStream.rawValue }) else {
      throw VStreamError(.library, "not the end")
    }
    let error = failure { _ = try libav(.inputOutput, "it", remedy: "do this", { LibAVCode.system(EIO).rawValue }) }
    #expect(error == VStreamError(.inputOutput, "it: Input/output error", remedy: "do this"))
  }

  @Test(arguments: [LibAVCode.tryAgain, .endOfStream, .system(EIO)])
  func `where a value is required, every failure is thrown`(code: LibAVCode) {
    let error = failure { try requireLibAV(.library, "it") { code.rawValue } }
    #expect(error?.message == "it: \(code.reason)")
  }

  @Test func `a dictionary returns the options that were not used`() {
    let (result, unused) = withDictionary([("a", "1"), ("b", "2"), ("c", "3")]) { dictionary in
      av_dict_set(dictionary, "b", nil, 0)
      return entries(of: dictionary.pointee).map { "\($0.key)=\($0.value)" }
    }
    #expect(result == ["a=1", "c=3"])
    #expect(unused == ["a", "c"])
    #expect(entries(of: nil).isEmpty)
  }

  @Test func `versions name the four libraries`() {
    #expect(LibAV.versions.map { $0.prefix { $0 != " " } } == ["libavformat", "libavcodec", "libavutil", "libswscale"])
    #expect(LibAV.versions.allSatisfy { $0.split(separator: ".").count == 3 })
    #expect(LibAV.processorCount >= 1)
  }
}
