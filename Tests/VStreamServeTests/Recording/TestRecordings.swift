import VStreamMedia
import VStreamTestSupport

@testable import VStreamServe

/// The fragments of a clip with 10 frames and one key frame a second, and sound.
struct TestFragments {
  let start: [UInt8]
  /// In the order of their decoding.
  let all: [(bytes: [UInt8], isKey: Bool)]

  init(_ folder: TemporaryFolder, _ size: String = "96x64", seconds: Int = 6) throws {
    let path = folder.file("\(size).mp4")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=10:duration=\(seconds)"]
        + ["-f", "lavfi", "-i", "sine=duration=\(seconds)", "-c:v", "libx264", "-preset", "ultrafast", "-g", "10"]
        + ["-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", path])
    let reader = try MediaReader(MediaInput(path))
    let writer = try FragmentWriter(reader.video, sound: reader.sound)
    var all: [(bytes: [UInt8], isKey: Bool)] = []
    while case .packet(let packet) = try reader.next() {
      guard let bytes = try writer.fragment(packet) else { continue }
      all.append((bytes, packet.streamIndex == reader.video.index && packet.isKey))
    }
    (start, self.all) = (writer.initialization, all)
  }

  /// The bytes of whole seconds, from one key frame to another.
  func bytes(_ seconds: Range<Int>) -> [UInt8] {
    let keys = all.indices.filter { all[$0].isKey } + [all.count]
    // Sound may come before the first key frame.
    let first = seconds.lowerBound == 0 ? 0 : keys[seconds.lowerBound]
    return start + all[first..<keys[seconds.upperBound]].flatMap(\.bytes)
  }
}

/// Files in a folder of recordings.
enum TestRecordings {
  /// The start of the first file: 2026-11-25, 08:00:00.
  static let start = 1_795_593_600.0
  static let log = ServeLog(format: .text, write: { _ in })

  static func space(_ folder: TemporaryFolder) -> RecordingSpace {
    var space = RecordingSpace()
    (space.path, space.minimumFree) = (folder.file("recordings"), 0)
    return space
  }

  static func store(_ folder: TemporaryFolder) throws -> RecordingStore { try RecordingStore(space(folder), log: log) }

  /// Adds a finished file.
  ///
  /// - Parameters:
  ///   - offset: seconds from the start of the first file.
  ///   - seconds: of its length.
  @discardableResult
  static func add(
    _ bytes: [UInt8], boxes: String = "", to store: RecordingStore, camera: String = "front", at offset: Double = 0,
    seconds: Double = 0, hasEvent: Bool = false
  ) throws -> RecordedFile {
    var open = try store.create(camera, at: start + offset)
    try open.video.write(bytes)
    try open.boxes.write(Array(boxes.utf8))
    open.video.close()
    open.boxes.close()
    open.file.end += seconds
    (open.file.bytes, open.file.isOpen) = (bytes.count + boxes.utf8.count, false)
    open.file.hasEvent = hasEvent
    store.finish(open.file)
    return open.file
  }
}

extension BodySource {
  /// All bytes up to the end.
  func contents() throws -> [UInt8] {
    var (source, bytes) = (self, [UInt8]())
    while case .bytes(let piece) = try source.next() { bytes += piece }
    return bytes
  }
}
