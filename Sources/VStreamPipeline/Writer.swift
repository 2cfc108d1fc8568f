internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// The last thread: frames into packets, packets into the output.
struct Writer {
  let configuration: PipelineConfiguration
  let container: ContainerInfo
  let stream: StreamInfo
  let copied: [StreamInfo]
  let state: RunState
  let coded: Channel<SinkItem>
  let timer = StageTimer()
  private var output: (encoder: VideoEncoder, media: MediaWriter)?
  /// Packets that came before the first frame, with which the output is opened.
  private var early: [Packet] = []

  init(
    configuration: PipelineConfiguration, container: ContainerInfo, stream: StreamInfo, copied: [StreamInfo],
    state: RunState, coded: Channel<SinkItem>
  ) {
    self.configuration = configuration
    self.container = container
    self.stream = stream
    self.copied = copied
    self.state = state
    self.coded = coded
  }

  /// Writes all that comes, and closes the output whatever happened before.
  mutating func run() {
    do {
      while let item = coded.receive() { try write(item) }
      try finish()
    } catch {
      state.fail(error)
    }
    coded.cancel()
    state.add(timer)
    state.contents.update { $0.writerHasEnded = true }
  }

  private mutating func write(_ item: SinkItem) throws {
    switch item {
    case .copy(let packet):
      guard let output else { return early.append(packet) }
      try timer.measure(.mux) { try output.media.writeCopy(packet) }
    case .frame(let frame):
      if let settings = configuration.output { try write(frame, settings) }
      state.contents.update { contents in
        contents.counts.framesOut += 1
        if contents.firstFrameAt == nil { contents.firstFrameAt = monotonicSeconds() }
      }
    }
  }

  private mutating func write(_ frame: VideoFrame, _ settings: PipelineOutput) throws {
    let output = try output ?? open(settings, first: frame)
    self.output = output
    let packets = try timer.measure(.encode) { try output.encoder.encode(frame) }
    for packet in packets { try timer.measure(.mux) { try output.media.writeVideo(packet) } }
  }

  private mutating func open(
    _ settings: PipelineOutput, first: VideoFrame
  ) throws -> (encoder: VideoEncoder, media: MediaWriter) {
    let encoder = try VideoEncoder(
      settings.codec, settings: settings.encoder, first: first, frameRate: stream.frameRate,
      usesGlobalHeader: settings.destination.usesGlobalHeader)
    let media = try MediaWriter(
      settings.destination, video: encoder, source: stream, copying: copied, container: container)
    for left in media.leftOut { state.warn("stream \(left.stream.label) is left out: \(left.reason)") }
    for packet in early { try media.writeCopy(packet) }
    early = []
    return (encoder, media)
  }

  private mutating func finish() throws {
    guard let output else { return }
    let packets = try timer.measure(.encode) { try output.encoder.finish() }
    try timer.measure(.mux) {
      for packet in packets { try output.media.writeVideo(packet) }
      if let warning = try output.media.finish() { state.warn(warning) }
    }
  }
}
