import NIOCore
import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamServe

/// Frames that are encoded for the live view.
struct LiveEncoderTests {
  /// A gray frame, so that no change of scene asks for a key frame.
  private static func frame(_ index: Int, width: Int = 64, height: Int = 48) throws -> VideoFrame {
    let format = try #require(PixelFormat(name: "yuv420p"))
    var frame = try VideoFrame(
      format: format, size: PixelSize(width: width, height: height),
      time: Time(ticks: Int64(index) * 40, base: .milliseconds))
    try frame.withMutablePlanes { planes in
      for (plane, rows) in [height, (height + 1) / 2, (height + 1) / 2].enumerated() {
        planes.bases[plane]?.initializeMemory(as: UInt8.self, repeating: 128, count: rows * planes.strides[plane])
      }
    }
    return frame
  }

  /// `start`, `key` or `fragment` for each message.
  private static func kinds(_ messages: [LiveMessage]) -> [String] {
    messages.map { message in
      switch message.kind {
      case .start: "start"
      case .fragment(let isKey): isKey ? "key" : "fragment"
      case .record: "record"
      case .state: "state"
      }
    }
  }

  @Test func `the first frame starts a video, and each frame leaves at once`() throws {
    var encoder = LiveEncoder(frameRate: Rational(25, 1))
    #expect(!encoder.isOpen)
    #expect(Self.kinds(try encoder.messages(Self.frame(0))) == ["start", "start", "key"])
    for index in 1..<49 {
      #expect(Self.kinds(try encoder.messages(Self.frame(index))) == ["fragment"])
    }
    #expect(encoder.isOpen)
  }

  @Test func `a key frame every two seconds at least`() throws {
    var encoder = LiveEncoder(frameRate: Rational(25, 1))
    let keys = try (0..<151).filter { try Self.kinds(encoder.messages(Self.frame($0))).contains("key") }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 <= 50 } && keys.count >= 4, "\(keys)")
  }

  @Test func `a frame of another size starts another video`() throws {
    var encoder = LiveEncoder(frameRate: nil)
    _ = try encoder.messages(Self.frame(0))
    let messages = try encoder.messages(Self.frame(1, width: 32, height: 32))
    #expect(Self.kinds(messages) == ["start", "start", "key"])
    #expect(String(buffer: messages[0].bytes).contains("\"width\":32,\"height\":32"))
  }

  @Test func `after it was closed, it starts again`() throws {
    var encoder = LiveEncoder(frameRate: Rational(25, 1))
    _ = try encoder.messages(Self.frame(0))
    encoder.close()
    #expect(!encoder.isOpen)
    #expect(Self.kinds(try encoder.messages(Self.frame(9))) == ["start", "start", "key"])
  }

  @Test func `odd sizes are encoded as even ones`() throws {
    var encoder = LiveEncoder(frameRate: Rational(25, 1))
    let messages = try encoder.messages(Self.frame(0, width: 63, height: 47))
    #expect(String(buffer: messages[0].bytes).contains("\"width\":64,\"height\":48"))
  }
}
