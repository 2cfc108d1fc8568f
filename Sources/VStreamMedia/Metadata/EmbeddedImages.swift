// Images besides the video that a file may contain, which redaction of the video does not cover.

extension StreamInfo {
  /// Whether the stream may contain images: other video, covers, data, and attached files other than fonts.
  public var mayContainImages: Bool {
    switch kind {
    case .video, .data, .unknown: true
    case .audio, .subtitle: false
    case .attachment: !(["ttf", "otf"].contains(codecName) || metadata["mimetype"]?.contains("font") == true)
    }
  }
}

extension ContainerInfo {
  /// The container without the thumbnails in its image metadata.
  public var withoutThumbnails: ContainerInfo {
    var copy = self
    copy.photo = photo?.withoutThumbnails
    return copy
  }

  /// Whether the image metadata contains a thumbnail.
  public var hasThumbnail: Bool { photo.map { $0 != $0.withoutThumbnails } ?? false }
}

extension ImageMetadata {
  /// The metadata without thumbnails, and without makers' notes, which often contain previews. Exif that may still contain
  /// an image, or that cannot be parsed, is removed as a whole. Source: CIPA DC-008 (Exif), 4.6.
  var withoutThumbnails: ImageMetadata {
    guard !exif.isEmpty else { return self }
    var copy = self
    let isClean = copy.eraseThumbnails() && !copy.containsJPEG
    if !isClean { copy.exif = [] }
    return copy
  }

  /// The byte order, a fixed number, and the offset of the first directory.
  private static let headerLength = 8

  private enum Tag {
    static let stripOffset = 0x0111
    static let stripLength = 0x0117
    static let jpegOffset = 0x0201
    static let jpegLength = 0x0202
    static let exifDirectory = 0x8769
    static let makerNote = 0x927C
  }

  /// - Returns: `false` if the directories cannot be parsed, or overlap what would be erased.
  private mutating func eraseThumbnails() -> Bool {
    guard let first = number(at: 4, bytes: 4), let end = directoryEnd(first), let next = number(at: end, bytes: 4),
      first >= Self.headerLength
    else { return false }
    // The header and the directory of the image itself.
    let kept = [0..<Self.headerLength, first..<end + 4]
    guard eraseMakerNote(in: first, except: kept) else { return false }
    guard next != 0 else { return true }
    guard let nextEnd = directoryEnd(next) else { return false }
    for (offset, length) in [(Tag.jpegOffset, Tag.jpegLength), (Tag.stripOffset, Tag.stripLength)] {
      guard let start = value(of: offset, in: next) else { continue }
      // A thumbnail of several strips is not supported: the caller then removes all of Exif.
      guard let length = value(of: length, in: next), start + length <= exif.count,
        erase(start, length, except: kept + [next..<nextEnd])
      else { return false }
    }
    guard erase(next, nextEnd - next, except: kept) else { return false }
    return erase(end, 4, except: [])
  }

  /// Erases the maker's note, if there is one.
  private mutating func eraseMakerNote(in first: Int, except kept: [Range<Int>]) -> Bool {
    guard let directory = value(of: Tag.exifDirectory, in: first), let end = directoryEnd(directory),
      let note = entry(Tag.makerNote, in: directory),
      let length = number(at: note + 4, bytes: 4), let start = number(at: note + 8, bytes: 4)
    else { return true }
    if length > 4, !erase(start, length, except: kept + [directory..<end]) { return false }
    return erase(note + 4, 8, except: kept)
  }

  /// The offset after a directory's entries.
  private func directoryEnd(_ directory: Int) -> Int? {
    number(at: directory, bytes: 2).map { directory + 2 + 12 * $0 }.flatMap { $0 <= exif.count ? $0 : nil }
  }

  /// The offset of a tag's entry.
  private func entry(_ tag: Int, in directory: Int) -> Int? {
    guard let count = number(at: directory, bytes: 2) else { return nil }
    return (0..<count).lazy.map { directory + 2 + 12 * $0 }.first { number(at: $0, bytes: 2) == tag }
  }

  /// The value of an entry with one number.
  private func value(of tag: Int, in directory: Int) -> Int? {
    guard let entry = entry(tag, in: directory), number(at: entry + 4, bytes: 4) == 1 else { return nil }
    return number(at: entry + 8, bytes: number(at: entry + 2, bytes: 2) == 3 ? 2 : 4)
  }

  /// Replaces bytes by zeros, up to the end of the block.
  ///
  /// - Returns: `false`, with nothing erased, if some of them are to be kept.
  private mutating func erase(_ start: Int, _ length: Int, except kept: [Range<Int>]) -> Bool {
    let range = start..<max(start, min(exif.count, start + length))
    guard !kept.contains(where: range.overlaps) else { return false }
    for offset in range { exif[offset] = 0 }
    return true
  }

  /// Whether Exif contains the start of a JPEG file.
  private var containsJPEG: Bool {
    exif.indices.dropLast(2).contains { exif[$0] == 0xFF && exif[$0 + 1] == 0xD8 && exif[$0 + 2] == 0xFF }
  }
}
