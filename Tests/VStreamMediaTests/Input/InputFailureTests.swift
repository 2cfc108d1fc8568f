import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// The errors of inputs by libav's codes, without a network.
struct InputFailureTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: LibAVCode
    let expected: String
    let remedy: String
  }

  static let rows = [
    Row(testDescription: "401", code: .httpUnauthorized, expected: "(401)", remedy: "USER:PASSWORD and an @"),
    Row(testDescription: "403", code: .httpForbidden, expected: "(403)", remedy: "administrator"),
    Row(testDescription: "404", code: .httpNotFound, expected: "(404)", remedy: "the URL's path"),
    Row(
      testDescription: "another client error", code: .httpOtherClientError, expected: "refuses", remedy: "check the URL"
    ),
    Row(testDescription: "a server error", code: .httpServerError, expected: "the server failed", remedy: "try again"),
    Row(
      testDescription: "refused", code: .system(ECONNREFUSED), expected: "connection refused",
      remedy: "address and port"),
    Row(testDescription: "no route", code: .system(EHOSTUNREACH), expected: "no route to host", remedy: "the network"),
    Row(testDescription: "no network", code: .system(ENETUNREACH), expected: "no route to host", remedy: "the network"),
    Row(
      testDescription: "timed out", code: .system(ETIMEDOUT), expected: "connection timed out", remedy: "the network"),
    Row(testDescription: "another", code: .system(ECONNRESET), expected: "reset by peer", remedy: "server is running"),
  ]

  @Test(arguments: rows)
  func `a URL that cannot be opened has a cause and a remedy`(row: Row) {
    CVStreamLibAV_forgetMessage()
    let error = InputFailure(MediaInput("rtsp://host/a"), kind: .network, isCamera: false).opening(row.code)
    #expect(error.code == (row.code == .httpUnauthorized ? .inputDenied : .inputNotFound))
    #expect(error.message.hasPrefix("'rtsp://host/a' cannot be opened: "))
    #expect(error.message.contains(row.expected), "\(error.message)")
    #expect(error.remedy.contains(row.remedy), "\(error.remedy)")
    #expect(error.subject == "rtsp://host/a")
  }

  struct Kind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let input: MediaInput
    let kind: InputKind
    var isCamera = false
    let opening: (VStreamError.Code, String)
    let probing: (VStreamError.Code, String)
    let reading: (VStreamError.Code, String)
  }

  static let kinds = [
    Kind(
      testDescription: "a file", input: MediaInput("a.mp4"), kind: .file,
      opening: (.unreadableInput, "'a.mp4' is not media"), probing: (.unreadableInput, "the streams of 'a.mp4'"),
      reading: (.inputOutput, "reading 'a.mp4' failed")),
    Kind(
      testDescription: "standard input", input: MediaInput("-"), kind: .pipe,
      opening: (.unreadableInput, "standard input is not media"),
      probing: (.unreadableInput, "the streams of standard input"),
      reading: (.inputOutput, "reading standard input failed")),
    Kind(
      testDescription: "a URL", input: MediaInput("http://me:secret@host/a"), kind: .network,
      opening: (.inputNotFound, "'http://me:…@host/a' cannot be opened"),
      probing: (.unreadableInput, "'http://me:…@host/a'"), reading: (.inputOutput, "'http://me:…@host/a' failed")),
    Kind(
      testDescription: "a screen", input: MediaInput(":0", format: "x11grab"), kind: .device,
      opening: (.inputNotFound, "the device ':0'"), probing: (.unreadableInput, "':0'"),
      reading: (.inputOutput, "reading ':0' failed")),
    Kind(
      testDescription: "a camera", input: MediaInput("/dev/video9"), kind: .device, isCamera: true,
      opening: (.unreadableInput, "the camera '/dev/video9' cannot be opened"),
      probing: (.unreadableInput, "the camera '/dev/video9' cannot be opened"),
      reading: (.inputOutput, "the camera '/dev/video9' failed")),
  ]

  @Test(arguments: kinds)
  func `an error is worded for the kind of input`(row: Kind) {
    let failure = InputFailure(row.input, kind: row.kind, isCamera: row.isCamera)
    for (error, expected) in [
      (failure.opening(.system(EIO)), row.opening), (failure.probing(.system(EIO)), row.probing),
      (failure.reading(.system(EIO)), row.reading),
    ] {
      #expect(error.code == expected.0)
      #expect(error.message.contains(expected.1), "\(error.message)")
    }
  }

  @Test(arguments: [(nil, "10"), (0.5, "0.5"), (3, "3")] as [(Double?, String)])
  func `a timeout gives its limit and the settings that change it`(timeout: Double?, limit: String) {
    let input = MediaInput("rtsp://host/a", timeout: timeout)
    let failure = InputFailure(input, kind: .network, isCamera: false)
    for error in [failure.opening(.interrupted), failure.probing(.interrupted), failure.reading(.interrupted)] {
      #expect(error.message.hasSuffix("for \(limit) s"), "\(error.message)")
      #expect(error.advice.settings.contains(.timeout))
    }
    #expect(failure.reading(.interrupted).advice.settings == [.timeout, .reconnect])
  }

  @Test func `data that is not media is not an unreachable host`() {
    let failure = InputFailure(MediaInput("http://host/a"), kind: .network, isCamera: false)
    #expect(failure.opening(.invalidData).code == .unreadableInput)
    #expect(failure.opening(.protocolNotFound).code == .usage)
  }
}
