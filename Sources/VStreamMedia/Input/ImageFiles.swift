internal import CVStreamLibAV
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The files of pictures that are read as one video, in their order: those of a folder, or those that fit a pattern.
struct ImageFiles: Hashable, Sendable {
  let paths: [String]

  /// - Parameters:
  ///   - location: a folder, whose pictures are taken in the order of their names, numbers in them as numbers; or a path
  ///     with one `%d` or `%05d` in its last part, whose numbers may have gaps.
  ///   - options: FFmpeg's for the input, of which `start_number` is followed here.
  /// - Returns: `nil` if the location is neither.
  /// - Throws: `VStreamError`: `inputNotFound` if no file fits the pattern; `unreadableInput` for a folder without
  ///   pictures, or of pictures of more than one kind; `usage` for options that cannot be meant.
  init?(_ location: String, options: [(key: String, value: String)] = []) throws(VStreamError) {
    if let status = FileStatus(of: location) {
      guard status.kind == .folder else { return nil }
      _ = try Self.firstNumber(options, isNumbered: false)
      paths = try Self.pictures(in: location)
    } else {
      guard !MediaInput(location).isURL, av_filename_number_test(location) == 1 else { return nil }
      paths = try Self.matches(of: location, from: try Self.firstNumber(options, isNumbered: true))
    }
  }

  /// The number from which on pictures are read.
  private static func firstNumber(
    _ options: [(key: String, value: String)], isNumbered: Bool
  ) throws(VStreamError) -> Int {
    var first = 0
    for (key, value) in options where !optionsOfLibAV.contains(key) {
      guard key == "start_number", isNumbered, let number = Int(value), number >= 0 else {
        throw VStreamError(
          .usage, "--input-option \(key)=\(value) cannot be meant for \(isNumbered ? "numbered pictures" : "a folder")",
          remedy: isNumbered ? "they take framerate=F and start_number=N" : "it takes framerate=F")
      }
      first = number
    }
    return first
  }

  /// The options of FFmpeg's reader of pictures that are followed there.
  private static let optionsOfLibAV: Set = ["framerate", "pixel_format", "video_size"]

  /// The kinds of picture that are looked for, by the ends of their names.
  private static let kinds: Set = [
    "jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "ppm", "pgm", "jp2", "tga", "exr",
  ]

  private static func pictures(in folder: String) throws(VStreamError) -> [String] {
    let names = try Folder.names(in: folder).filter {
      !$0.hasPrefix(".") && kinds.contains(kind(of: $0)) && FileStatus.isRegularFile("\(folder)/\($0)")
    }
    // The decoder is chosen once.
    let found = Set(names.map { kind(of: $0) == "jpeg" ? "jpg" : kind(of: $0) })
    guard let first = found.first else {
      throw VStreamError(
        .unreadableInput, "the folder '\(folder)' has no pictures",
        remedy: "name a folder of .jpg, .png or .webp files, or a file in it")
    }
    guard found.count == 1 else {
      throw VStreamError(
        .unreadableInput, "the folder '\(folder)' has pictures of \(found.sorted().joined(separator: " and "))",
        remedy: "name those of one kind by a pattern, for example '\(folder)/%05d.\(first)'")
    }
    return names.map { (name: $0, key: naturalKey($0)) }.sorted { ($0.key.count, $0.name) < ($1.key.count, $1.name) }
      .sorted { isBefore($0.key, $1.key) }
      .map { "\(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)/\($0.name)" }
  }

  private static func matches(of location: String, from first: Int) throws(VStreamError) -> [String] {
    let cut = location.lastIndex(of: "/").map(location.index(after:)) ?? location.startIndex
    guard let pattern = NumberPattern(location[cut...]) else {
      throw VStreamError(.inputNotFound, "no file fits '\(location)'", remedy: "put the number in the file's name")
    }
    let folder = NumberPattern.unescaped(location[..<cut])
    let numbers = try Folder.names(in: folder.isEmpty ? "." : folder).compactMap(pattern.number).filter { $0 >= first }
    guard !numbers.isEmpty else {
      throw VStreamError(
        .inputNotFound, "no file fits '\(location)'" + (first > 0 ? " from \(first) on" : ""),
        remedy: "%d stands for a number as it is, %05d for one of five digits with zeros before it")
    }
    return numbers.sorted().map { folder + pattern.name($0) }
  }

  /// The number that a file's name has where a pattern's has its place; `nil` if the name does not fit.
  static func trailingNumber(of path: String, like location: String) -> Int? {
    func name(_ path: String) -> String {
      path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
    return NumberPattern(name(location))?.number(in: name(path))
  }

  /// The files that an input is read from.
  ///
  /// - Throws: as `init`.
  static func paths(
    of location: String, options: [(key: String, value: String)]
  ) throws(VStreamError) -> [String] {
    try ImageFiles(location, options: options)?.paths ?? [location]
  }

  private static func kind(of name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// A name as text and numbers in turn, so that `img2` comes before `img10`.
  private static func naturalKey(_ name: String) -> [(text: String, number: Int)] {
    var key: [(text: String, number: Int)] = []
    var rest = name[...]
    while !rest.isEmpty {
      let text = rest.prefix { !($0.isASCII && $0.isNumber) }
      let digits = rest.dropFirst(text.count).prefix { $0.isASCII && $0.isNumber }
      key.append((String(text), Int(digits) ?? (digits.isEmpty ? -1 : Int.max)))
      rest = rest.dropFirst(text.count + digits.count)
    }
    return key
  }

  private static func isBefore(_ one: [(text: String, number: Int)], _ other: [(text: String, number: Int)]) -> Bool {
    for (a, b) in zip(one, other) where a != b { return a < b }
    return one.count < other.count
  }

  /// Bytes that a packet of libav's can hold.
  private static let largest = Int(Int32.max) - 64

  /// A file's bytes.
  ///
  /// - Returns: `nil` if it cannot be read.
  static func bytes(of path: String) -> [UInt8]? {
    // Opening a pipe would block, and a folder has no size.
    guard let status = FileStatus(of: path), status.kind == .regular, status.size <= largest else { return nil }
    return try? ReadableFile.bytes(of: path)
  }
}
