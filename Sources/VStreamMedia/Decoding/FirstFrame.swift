public import VStreamScene

/// The first frame of an input, for callers that need a still image.
public enum FirstFrame {
  /// Decodes the first frame of an input and makes it upright.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput` if no frame can be decoded.
  public static func read(_ input: MediaInput) throws(VStreamError) -> VideoFrame {
    let reader = try MediaReader(input)
    defer { reader.close() }
    let decoder = try VideoDecoder(reader.video, threads: 1)
    let normaliser = FrameNormaliser(orientation: reader.video.orientation) { (frame) throws(VStreamError) in
      FrameTarget(format: frame.format.addressable)
    }
    while true {
      let (packet, isEnd) = try next(of: reader)
      for frame in try packet != nil || isEnd ? decoder.decode(packet).frames : [] {
        if let upright = try normaliser.normalise(frame).first { return upright }
      }
      if isEnd { break }
    }
    if let last = try normaliser.finish().first { return last }
    throw VStreamError(
      .unreadableInput, "no frame of \(input.displayName) could be decoded", remedy: "check that the file is complete")
  }

  /// The next packet if it belongs to the video, and whether the input is at its end.
  private static func next(of reader: MediaReader) throws(VStreamError) -> (packet: Packet?, isEnd: Bool) {
    switch try reader.next() {
    case .end: (nil, true)
    case .packet(let packet) where packet.streamIndex == reader.video.index: (packet, false)
    case .packet, .damaged: (nil, false)
    }
  }
}
