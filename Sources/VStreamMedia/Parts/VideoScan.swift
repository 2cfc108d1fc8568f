internal import CVStreamLibAV
package import VStreamCore

/// The packets of an input's video, read without decoding them.
package struct VideoScan {
  /// A packet of the video.
  package struct Entry: Hashable, Sendable {
    /// Presentation time in ticks; `nil` if the packet has none.
    package var ticks: Int64?
    package var isKey: Bool
    /// Whether its frame is decoded and not shown, as one before the start of an edit list.
    package var isHidden = false

    package init(ticks: Int64?, isKey: Bool, isHidden: Bool = false) {
      self.ticks = ticks
      self.isKey = isKey
      self.isHidden = isHidden
    }
  }

  /// In the order of decoding.
  package var entries: [Entry] = []
  /// Packets, or data between them, that are damaged.
  package var damaged = 0
  package let video: StreamInfo
  /// Whether frames can be decoded from a key frame on, whatever preceded it.
  package let startsAtKeyFrames: Bool
  private let reader: MediaReader

  /// Reads an input to its end.
  ///
  /// - Parameter onProgress: called with the seconds of stream time so far, now and then.
  /// - Throws: `VStreamError` of opening and reading.
  package init(_ input: MediaInput, onProgress: (Double) -> Void = { _ in }) throws(VStreamError) {
    reader = try MediaReader(input)
    video = reader.video
    startsAtKeyFrames = video.startsAtKeyFrames
    while true {
      switch try reader.next() {
      case .end: return
      case .damaged: damaged += 1
      case .packet(let packet) where packet.streamIndex == video.index:
        if packet.isCorrupt { damaged += 1 }
        entries.append(
          Entry(
            ticks: packet.presentationTime?.ticks, isKey: packet.isKey,
            isHidden: packet.isHidden))
        if entries.count % 1000 == 0 { onProgress(packet.presentationTime?.seconds ?? 0) }
      case .packet: continue
      }
    }
  }

  /// Whether a seek finds a key frame, at the time that reading from the beginning gives it.
  package func canSeek(toKeyFrameAt ticks: Int64) -> Bool {
    guard reader.isSeekable, !video.wrapsAround, reader.seek(toTicks: ticks) else { return false }
    for _ in 0..<Self.packetsBeforeKeyFrame {
      guard case .packet(let packet)? = try? reader.next() else { return false }
      guard packet.streamIndex == video.index else { continue }
      return packet.isKey && packet.presentationTime?.ticks == ticks
    }
    return false
  }

  /// Packets of other streams that may precede the key frame after a seek.
  private static let packetsBeforeKeyFrame = 10_000
}

extension MediaReader {
  /// Continues at the key frame at a time of the video in ticks, or at the last one before it.
  ///
  /// - Returns: `false` if the container cannot seek to this time; the position is undefined then.
  package func seek(toTicks ticks: Int64) -> Bool {
    // Half a tick more: the seconds are rounded.
    seek(toSeconds: (Double(ticks) + 0.5) * video.timeBase.value)
  }
}

extension StreamInfo {
  /// Codecs whose decoders keep nothing from before a key frame, besides intra-only codecs.
  private static let restartingCodecs: Set = [
    "h264", "hevc", "vp8", "vp9", "av1", "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4v2", "msmpeg4v3", "h263", "flv1",
    "wmv1", "wmv2", "ffv1", "theora",
  ]

  var startsAtKeyFrames: Bool {
    let coded = parameters.av.pointee
    let isProgressive = [AV_FIELD_PROGRESSIVE, AV_FIELD_UNKNOWN].contains(coded.field_order)
    let isIntraOnly = avcodec_descriptor_get(coded.codec_id).map {
      $0.pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0
    }
    return isProgressive && (isIntraOnly == true || Self.restartingCodecs.contains(codecName))
  }
}
