internal import VStreamCore

/// Reads the files of an image sequence as the packets of one video, one tick apart.
struct ImageSequence {
  private let files: ImageFiles
  private var index = 0
  /// A notice on the images read so far; `nil` for none.
  private(set) var notice: String?

  init(_ files: ImageFiles) { self.files = files }

  /// In their order; the time of each is its index, in ticks.
  var paths: [String] { files.paths }

  /// Continues with an image, numbered from 0.
  mutating func seek(to index: Int) { self.index = min(files.paths.count, max(0, index)) }

  /// The next image as a packet of a stream.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func next(in video: StreamInfo) throws(VStreamError) -> MediaReader.Read {
    guard index < files.paths.count else { return .end }
    let (path, ticks) = (files.paths[index], Int64(index))
    index += 1
    guard let bytes = ImageFiles.bytes(of: path), !bytes.isEmpty else {
      return .damaged(reason: "'\(path)' cannot be read")
    }
    let metadata = ImageMetadata(of: bytes)
    if !metadata.exif.isEmpty, notice == nil {
      notice = "the Exif data of '\(path)' and other images is omitted: only the output of a single image has it"
    }
    return .packet(
      try Packet(
        imageFile: bytes, metadata: metadata, stream: video.index, ticks: ticks, timeBase: video.timeBase))
  }
}
