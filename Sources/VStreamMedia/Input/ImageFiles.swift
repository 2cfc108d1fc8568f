internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

/// The files of an image sequence, in their order: a folder's files, or the files that match a pattern.
struct ImageFiles: Hashable, Sendable {
  let paths: [String]

  /// - Parameters:
  ///   - location: A folder, whose images are sorted by name, with the numbers in names compared as numbers; or a path with
  ///     one `%d` or `%05d` in its last component, whose numbers may have gaps.
  ///   - options: FFmpeg's options of the input; `start_number` is applied here.
  /// - Returns: `nil` if the location is neither.
  /// - Throws: `VStreamError`: `inputNotFound` if no file matches the pattern; `unreadableInput` for a folder without
  ///   images, or with images of more than one kind; `usage` for invalid options.
  init?(_ location: String, options: [(key: String, value: String)] = []) throws(VStreamError) {
    if let status = FileStatus(of: location) {
      guard status.kind == .folder else { return nil }
      _ = try Self.firstNumber(options, isNumbered: false)
      paths = try Self.images(in: location)
    } else {
      guard !MediaInput(location).isURL, Self.isPattern(location) else { return nil }
      paths = try Self.matches(of: location, from: try Self.firstNumber(options, isNumbered: true))
    }
  }

  /// Whether libav takes a path for a pattern.
  static func isPattern(_ path: String) -> Bool {
    !NumberPattern.isEndless(path) && av_filename_number_test(path) != 0
  }

  /// The smallest number whose image is read.
  private static func firstNumber(
    _ options: [(key: String, value: String)], isNumbered: Bool
  ) throws(VStreamError) -> Int {
    var first = 0
    for (key, value) in options where !optionsOfLibAV.contains(key) {
      guard key == "start_number", isNumbered, let number = Int(value), number >= 0 else {
        throw .unsupported(
          .inputOption, "\(key)=\(value)", by: isNumbered ? "the reader of numbered images" : "the reader of a folder",
          remedy: isNumbered ? "use framerate=F and start_number=N" : "use framerate=F")
      }
      first = number
    }
    return first
  }

  /// The options that FFmpeg's image reader applies.
  private static let optionsOfLibAV: Set = ["framerate", "pixel_format", "video_size"]

  /// The file extensions of videos.
  private static let videoKinds: Set = [
    "mp4", "m4v", "mov", "mkv", "webm", "avi", "ts", "mts", "m2ts", "mpg", "mpeg", "wmv", "flv", "3gp", "ogv", "mxf",
  ]

  /// - Throws: `VStreamError.unreadableInput` for a folder with as many videos as images or more, which somebody may take for
  ///   several inputs.
  private static func requireNoVideos(
    _ files: [String], besides imageCount: Int, in folder: String
  ) throws(VStreamError) {
    let videos = files.filter { videoKinds.contains(kind(of: $0)) }.sorted()
    guard let first = videos.first, videos.count >= imageCount else { return }
    let images = imageCount == 0 ? "no images" : imageCount.counted("image")
    let example = "\(folder.hasSuffix("/") ? folder : folder + "/")*.\(kind(of: first))"
    throw VStreamError(
      .unreadableInput,
      "the folder '\(folder)' has \(videos.count.counted("video")) and \(images): a folder is read as the images of one video",
      remedy: "name the videos themselves, for example \(example)\(imageCount == 0 ? "" : ", or the images")")
  }

  /// The file extensions of images.
  private static let kinds: Set = [
    "jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "ppm", "pgm", "jp2", "tga", "exr",
  ]

  private static func images(in folder: String) throws(VStreamError) -> [String] {
    let files = try Folder.names(in: folder).filter {
      !$0.hasPrefix(".") && FileStatus.isRegularFile("\(folder)/\($0)")
    }
    let names = files.filter { kinds.contains(kind(of: $0)) }
    try requireNoVideos(files, besides: names.count, in: folder)
    // All images share one decoder.
    let found = Set(names.map { kind(of: $0) == "jpeg" ? "jpg" : kind(of: $0) })
    guard let first = found.first else {
      throw VStreamError(
        .unreadableInput,
        "the folder '\(folder)' has no images" + (files.isEmpty ? "" : ", but \(files.count.counted("other file"))"),
        remedy: "name a folder of .jpg, .png or .webp files, or a file in it")
    }
    guard found.count == 1 else {
      throw VStreamError(
        .unreadableInput, "the folder '\(folder)' has images of \(found.sorted().joined(separator: " and "))",
        remedy: "select one kind by a pattern, for example '\(folder)/%05d.\(first)'")
    }
    return names.map(NaturalName.init).sorted()
      .map { "\(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)/\($0.name)" }
  }

  private static func matches(of location: String, from first: Int) throws(VStreamError) -> [String] {
    let cut = location.lastIndex(of: "/").map(location.index(after:)) ?? location.startIndex
    guard let pattern = NumberPattern(location[cut...]) else {
      throw VStreamError(
        .inputNotFound, "no file matches '\(ShownLocation.text(location))'",
        remedy: "put the number into the file's name")
    }
    let folder = NumberPattern.unescaped(location[..<cut])
    let numbers = try Folder.names(in: folder.isEmpty ? "." : folder).compactMap(pattern.number).filter { $0 >= first }
    guard !numbers.isEmpty else {
      throw VStreamError(
        .inputNotFound, "no file matches '\(ShownLocation.text(location))'" + (first > 0 ? " from \(first) on" : ""),
        remedy: "%d is a number of any length, %05d one of five digits with leading zeros")
    }
    return numbers.sorted().map { folder + pattern.name($0) }
  }

  /// The number in a file's name; `nil` if the name does not match the pattern in the last component of `location`.
  static func trailingNumber(of path: String, like location: String) -> Int? {
    NumberPattern(MediaInput(location).fileName)?.number(in: MediaInput(path).fileName)
  }

  private static func kind(of name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// The maximum size of a libav packet in bytes.
  private static let maximumSize = Int(Int32.max) - 64

  /// The content of a file.
  ///
  /// - Returns: `nil` if it cannot be read, or is too large for a packet.
  static func bytes(of path: String) -> [UInt8]? {
    // Opening a pipe would block, and a folder has no size.
    guard let status = FileStatus(of: path), status.kind == .regular, status.size <= maximumSize else { return nil }
    return try? ReadableFile.bytes(of: path)
  }
}

/// A file name that is compared by its text and its numbers in turn, so that `img2` comes before `img10`.
private struct NaturalName: Comparable {
  let name: String
  private let parts: [Part]

  private struct Part: Equatable {
    let text: String
    /// -1 for none.
    let number: Int
  }

  init(_ name: String) {
    self.name = name
    var parts: [Part] = []
    var rest = name[...]
    while !rest.isEmpty {
      let text = rest.prefix { !($0.isASCII && $0.isNumber) }
      let digits = rest.dropFirst(text.count).prefix { $0.isASCII && $0.isNumber }
      parts.append(Part(text: String(text), number: Int(digits) ?? (digits.isEmpty ? -1 : Int.max)))
      rest = rest.dropFirst(text.count + digits.count)
    }
    self.parts = parts
  }

  static func < (one: NaturalName, other: NaturalName) -> Bool {
    for (a, b) in zip(one.parts, other.parts) where a != b { return (a.text, a.number) < (b.text, b.number) }
    return (one.parts.count, one.name) < (other.parts.count, other.name)
  }
}

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
