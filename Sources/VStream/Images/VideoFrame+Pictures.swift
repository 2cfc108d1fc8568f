public import VStreamCore
internal import VStreamDetection
public import VStreamMedia
public import VStreamOverlay
internal import VStreamPipeline

/// Pictures made of a frame, which stays as it is.
extension VideoFrame {
  /// The part of the frame in a box, which is clipped to the frame, in whole pixels of RGB.
  ///
  /// - Throws: `VStreamError.usage` if the box is outside the frame.
  public func crop(_ box: Box) throws(VStreamError) -> VideoFrame {
    guard let part = box.clipped(to: size) else {
      throw VStreamError(
        .usage, "the box \(box.x), \(box.y), \(box.width) × \(box.height) is outside the frame of \(size)",
        remedy: "give pixels of the upright frame, from its top left corner")
    }
    let (left, top) = (Int(part.x), Int(part.y))
    let (right, bottom) = (
      min(size.width, Int(part.right.rounded(.up))), min(size.height, Int(part.bottom.rounded(.up)))
    )
    let pixels = try pixels(as: .rgb)
    let rows = (top..<bottom).map { row in pixels[(row * size.width + left) * 3..<(row * size.width + right) * 3] }
    return try VideoFrame(
      rgb: Array(rows.joined()), size: PixelSize(width: right - left, height: bottom - top), profile: colorProfile
    ).retimed(to: time, duration: durationTicks)
  }

  /// The image of a face: rotated upright, in RGB; black beyond the frame's edges.
  ///
  /// - Parameters:
  ///   - face: of this frame.
  ///   - margin: on each side, as a fraction of the face's box.
  ///   - longestSide: in pixels; larger faces are reduced.
  /// - Throws: `VStreamError.usage` for a face that is not in the frame, and for other numbers than margins of 0 to 10.
  public func crop(
    of face: DetectedFace, margin: Double = 0.3, longestSide: Int = 512
  ) throws(VStreamError) -> VideoFrame {
    guard FaceCrop.isPossible(of: face, in: size) else {
      throw VStreamError(
        .usage, "the face at \(face.box.x), \(face.box.y) is outside the frame of \(size)",
        remedy: "crop it from the frame that it was detected in")
    }
    guard (0...10).contains(margin), (1...Self.maximumSide).contains(longestSide) else {
      throw VStreamError(
        .usage, "a margin of \(margin) and a side of \(longestSide) are not those of a crop",
        remedy: "give a margin of 0 to 10, and 1 to \(Self.maximumSide) pixels")
    }
    return try FaceCrop.image(of: face, in: self, margin: margin, longestSide: longestSide)
      .retimed(to: time, duration: durationTicks)
  }

  /// The frame with what was found made unrecognisable: an ellipse through the corners of each box.
  ///
  /// For single images. In streams, use `VideoPipeline.Options.redaction`, which covers subjects in frames that miss them too.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  public func redacting(
    _ found: [some Detection], style: RedactionStyle = .mosaic
  ) throws(VStreamError) -> VideoFrame {
    try redacting(found.map(\.box), style: style)
  }

  /// The frame with the ellipses around boxes made unrecognisable; see `redacting(_:style:)`.
  public func redacting(_ boxes: [Box], style: RedactionStyle = .mosaic) throws(VStreamError) -> VideoFrame {
    let regions = boxes.map { RedactedEllipse(Ellipse(around: $0), extent: max($0.width, $0.height)) }
    return try changed { (frame) in
      var painter = RedactionPainter(style)
      try painter.redact(regions, in: &frame)
    }
  }

  /// The frame with boxes, labels and points of what was found.
  ///
  /// - Parameters:
  ///   - found: in pixels of this frame.
  ///   - elements: the parts of the overlay.
  /// - Throws: `VStreamError.missingDependency` if the font of labels is missing.
  public func drawing(
    _ found: Detections, elements: Set<OverlayOptions.Element> = Set(OverlayOptions.Element.allCases)
  ) throws(VStreamError) -> VideoFrame {
    var painter = try OverlayPainter(OverlayOptions(elements: elements), fontPath: LabelFont.path)
    return try changed { (frame) in
      try painter.draw(FrameAnnotations(frame: 0, time: frame.time, source: .detected, found: found), on: &frame)
    }
  }

  /// The frame with boxes, labels and points of what was found; see `drawing(_:elements:)`.
  public func drawing(_ found: [some Detection]) throws(VStreamError) -> VideoFrame {
    try drawing(Detections(found))
  }

  /// The frame in another size.
  ///
  /// - Throws: `VStreamError.usage` for a size without pixels, or of more than 16384 on a side.
  public func scaled(to size: PixelSize) throws(VStreamError) -> VideoFrame {
    guard (1...Self.maximumSide).contains(size.width), (1...Self.maximumSide).contains(size.height) else {
      throw VStreamError(.usage, "a frame cannot be scaled to \(size)", remedy: "give 1 to \(Self.maximumSide) pixels")
    }
    return try FrameConverter(size: size, format: format).convert(self)
  }

  /// Copies an image onto the frame, in the frame's colours, as an opaque rectangle. Pixels beyond its edges are omitted.
  ///
  /// - Parameters:
  ///   - picture: of any size and format.
  ///   - point: where its top left corner is put, in pixels, rounded down to a whole sample of chroma (mostly an even number).
  /// - Throws: `VStreamError.library` if the picture cannot be converted to the frame's format.
  public mutating func paste(_ picture: VideoFrame, at point: Point) throws(VStreamError) {
    guard let left = Int(exactly: point.x.rounded(.down)), let top = Int(exactly: point.y.rounded(.down)) else {
      throw VStreamError(.usage, "\(point.x), \(point.y) is no point of a frame", remedy: "give pixels")
    }
    let converter = FrameConverter(
      size: picture.size, format: format, range: color.isFullRange(format: format) ? .full : .limited,
      matrix: color.matrix(height: size.height))
    try place(try converter.convert(picture), left: left, top: top)
  }

  private func changed(_ change: (inout VideoFrame) throws -> Void) throws(VStreamError) -> VideoFrame {
    var copy = self
    do { try change(&copy) } catch { throw VStreamError(any: error) }
    return copy
  }
}

/// The form of an image file.
public enum ImageEncoding: Hashable, Sendable {
  /// - Parameter quality: 0 to 1; about 0.9 shows no loss.
  case jpeg(quality: Double = 0.9)
  case png
}

/// Image files in memory.
extension VideoFrame {
  /// Reads an image file, or the first frame of a video, from memory, upright.
  ///
  /// - Parameters:
  ///   - bytes: JPEG, PNG, WebP, HEIF, TIFF, …, or any video.
  ///   - orientation: how it is stored; `nil` for what the file says.
  /// - Throws: `VStreamError.unreadableInput`.
  public init(encoded bytes: [UInt8], orientation: ImageOrientation? = nil) throws(VStreamError) {
    if bytes.isEmpty {
      throw VStreamError(.unreadableInput, "0 bytes are no image file", remedy: "give the file's bytes")
    }
    let file = try MemoryFile(bytes)
    self = try DecodedFrames.first(of: MediaInput(file.path), orientation: orientation?.orientation)
  }

  /// The frame as an image file, with its ICC profile.
  ///
  /// - Throws: `VStreamError.usage` for a quality that is not 0 to 1; `library` if the encoder fails.
  public func encoded(as encoding: ImageEncoding) throws(VStreamError) -> [UInt8] {
    switch encoding {
    case .png: return try ImageFormat.png.file(of: self)
    case .jpeg(let quality):
      guard (0...1).contains(quality) else {
        throw VStreamError(.usage, "\(quality) is not a quality of JPEG", remedy: "give 0 to 1")
      }
      return try ImageFormat.jpeg.file(of: self, quality: quality)
    }
  }
}
