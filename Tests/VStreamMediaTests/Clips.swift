import Foundation
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// Small inputs, made by FFmpeg's command.
enum Clip {
  /// FFmpeg's options for a moving test pattern.
  static func video(_ size: String = "96x64", rate: String = "10", seconds: String = "1") -> [String] {
    ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=\(rate):duration=\(seconds)"]
  }

  /// FFmpeg's options for a tone.
  static func tone(seconds: String = "1") -> [String] { ["-f", "lavfi", "-i", "sine=duration=\(seconds)"] }
}

/// The decoded contents of a file.
struct Decoded {
  var frames: [VideoFrame] = []
  var damagedPackets = 0

  init(_ path: String) throws {
    let reader = try MediaReader(MediaInput(path))
    let decoder = try VideoDecoder(reader.video)
    while case .packet(let packet) = try reader.next() {
      if packet.streamIndex == reader.video.index { add(try decoder.decode(packet)) }
    }
    add(try decoder.decode(nil))
  }

  private mutating func add(_ output: VideoDecoder.Output) {
    frames += output.frames
    if output.isDamaged { damagedPackets += 1 }
  }
}

/// Transcodes a file as the pipeline does, but on one thread.
struct Transcoder {
  var settings = EncoderSettings(preset: "ultrafast")
  /// Seconds that opening and each write may take.
  var timeout: Double?
  var options: [(key: String, value: String)] = []
  /// Interrupts a blocked write.
  var interrupt: Interrupt?
  /// Whether cover images are copied besides audio and subtitles.
  var copiesCovers = false
  /// Called after each video packet is written, with the number of packets and the latest time in seconds.
  var onPacket: (_ count: Int, _ seconds: Double) throws -> Void = { _, _ in }

  /// - Returns: the streams that the container cannot hold.
  @discardableResult
  func run(_ input: String, to output: String, format: String? = nil) throws -> [OmittedStream] {
    let reader = try MediaReader(MediaInput(input))
    let decoder = try VideoDecoder(reader.video)
    var destination = try OutputDestination(output, format: format, options: options, overwrite: false)
    destination.timeout = timeout
    var early: [Packet] = []
    var sink: Sink?

    let normaliser = FrameNormaliser(orientation: .upright) { [settings] (frame) throws(VStreamError) in
      try VideoCodec(encoder: settings.codec).target(for: frame, wanted: settings.pixelFormat)
    }
    func write(_ frames: [VideoFrame]) throws {
      for frame in try frames.flatMap(normaliser.normalise) {
        if sink == nil {
          sink = try Sink(destination, self, first: frame, reader: reader)
          for packet in early { try sink?.media.writeCopy(packet) }
        }
        try sink?.write(frame, onPacket)
      }
    }
    while case .packet(let packet) = try reader.next() {
      if packet.streamIndex == reader.video.index {
        try write(try decoder.decode(packet).frames)
      } else if let sink {
        try sink.media.writeCopy(packet)
      } else {
        early.append(packet)
      }
    }
    try write(try decoder.decode(nil).frames)
    try sink?.finish(onPacket)
    return sink?.media.omitted ?? []
  }

  /// Encoder and writer.
  private final class Sink {
    let encoder: VideoEncoder
    let media: any MediaSink
    private var count = 0

    init(
      _ destination: OutputDestination, _ transcoder: Transcoder, first: VideoFrame, reader: MediaReader
    ) throws {
      let settings = transcoder.settings
      encoder = try VideoEncoder(
        VideoCodec(encoder: settings.codec), settings: settings, first: first, frameRate: reader.video.frameRate,
        rules: destination.rules)
      let copied = reader.streams.filter {
        $0.kind == .audio || $0.kind == .subtitle || (transcoder.copiesCovers && $0.attachedPicture != nil)
      }
      media = try destination.open(
        video: encoder, first: first, source: reader.video, copying: copied, container: reader.container, shift: 0,
        interrupt: transcoder.interrupt)
    }

    func write(_ frame: VideoFrame, _ onPacket: (Int, Double) throws -> Void) throws {
      try write(try encoder.encode(frame), onPacket)
    }

    private func write(_ packets: [Packet], _ onPacket: (Int, Double) throws -> Void) throws {
      for packet in packets {
        try media.writeVideo(packet)
        count += 1
        try onPacket(count, packet.presentationTime?.seconds ?? 0)
      }
    }

    func finish(_ onPacket: (Int, Double) throws -> Void) throws {
      try write(try encoder.finish(), onPacket)
      _ = try media.finish(isComplete: true)
    }
  }
}

extension VideoFrame {
  /// The bytes of all planes, row by row, without padding.
  var pixels: [UInt8] {
    guard let layout = format.layout else { return [] }
    var planes: [Int: (rowBytes: Int, rows: Int)] = [:]
    for component in layout.components {
      let width = (size.width + (1 << component.shiftX) - 1) >> component.shiftX
      let rows = (size.height + (1 << component.shiftY) - 1) >> component.shiftY
      planes[component.plane] = (width * component.step, rows)
    }
    return withPlanes { lent in
      var bytes: [UInt8] = []
      for (plane, extent) in planes.sorted(by: { $0.key < $1.key }) {
        guard let base = lent.bases[plane] else { continue }
        for row in 0..<extent.rows {
          bytes += UnsafeRawBufferPointer(start: base + row * lent.strides[plane], count: extent.rowBytes)
        }
      }
      return bytes
    }
  }

  /// Address of the first plane: equal for frames that share their pixels.
  var address: UInt { withPlanes { UInt(bitPattern: $0.bases[0]) } }
}

/// Runs `body`, which must throw, and returns the error if it is a `VStreamError`.
func failure(of body: () throws -> Void) -> VStreamError? {
  do {
    try body()
    return nil
  } catch {
    return error as? VStreamError
  }
}
