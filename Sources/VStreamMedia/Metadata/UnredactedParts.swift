internal import CVStreamLibAV

/// What a file holds beside the pictures that are shown, and that pictures may hide in.

extension StreamInfo {
  /// Whether it may show what is redacted in the video: other video, covers, data, and attached files other than fonts.
  public var mayShowPictures: Bool {
    switch kind {
    case .video, .data, .unknown: true
    case .audio, .subtitle: false
    case .attachment: !(["ttf", "otf"].contains(codecName) || metadata["mimetype"]?.contains("font") == true)
    }
  }
}

extension ContainerInfo {
  /// The same without pictures in what a photo's file says beside its pixels.
  public var withoutThumbnails: ContainerInfo {
    var copy = self
    copy.photo = photo?.withoutThumbnails
    return copy
  }

  /// Whether there is a picture in what a photo's file says beside its pixels.
  public var hasThumbnail: Bool { photo.map { $0 != $0.withoutThumbnails } ?? false }
}

extension ImageMetadata {
  /// The same without pictures in it: thumbnails, and makers' notes, in which previews often are. Exif that a picture may
  /// still be in, or that cannot be understood, is left out as a whole. Source: CIPA DC-008 (Exif), 4.6.
  var withoutThumbnails: ImageMetadata {
    guard !exif.isEmpty else { return self }
    var copy = self
    let isClean = copy.cutThumbnails() && !copy.holdsJPEG
    if !isClean { copy.exif = [] }
    return copy
  }

  private enum Tag {
    static let stripOffset = 0x0111
    static let stripLength = 0x0117
    static let jpegOffset = 0x0201
    static let jpegLength = 0x0202
    static let exifDirectory = 0x8769
    static let makerNote = 0x927C
  }

  /// - Returns: `false` if the directories cannot be understood.
  private mutating func cutThumbnails() -> Bool {
    guard let first = number(at: 4, bytes: 4), let end = directoryEnd(first),
      let next = number(at: end, bytes: 4)
    else { return false }
    if let place = value(of: Tag.exifDirectory, in: first), let note = entry(Tag.makerNote, in: place),
      let length = number(at: note + 4, bytes: 4), let start = number(at: note + 8, bytes: 4)
    {
      if length > 4 { erase(start, length) }
      erase(note + 4, 8)
    }
    guard next != 0 else { return true }
    guard let nextEnd = directoryEnd(next) else { return false }
    for (offset, length) in [(Tag.jpegOffset, Tag.jpegLength), (Tag.stripOffset, Tag.stripLength)] {
      guard let start = value(of: offset, in: next) else { continue }
      // Strips of an uncompressed thumbnail may be many; their list is not followed.
      guard let length = value(of: length, in: next), start + length <= exif.count else { return false }
      erase(start, length)
    }
    erase(next, nextEnd - next)
    erase(end, 4)
    return true
  }

  /// Where a directory's entries end.
  private func directoryEnd(_ directory: Int) -> Int? {
    number(at: directory, bytes: 2).map { directory + 2 + 12 * $0 }.flatMap { $0 <= exif.count ? $0 : nil }
  }

  private func entry(_ tag: Int, in directory: Int) -> Int? {
    guard let count = number(at: directory, bytes: 2) else { return nil }
    return (0..<count).lazy.map { directory + 2 + 12 * $0 }.first { number(at: $0, bytes: 2) == tag }
  }

  /// The value of an entry that holds one number of four bytes.
  private func value(of tag: Int, in directory: Int) -> Int? {
    guard let place = entry(tag, in: directory), number(at: place + 4, bytes: 4) == 1 else { return nil }
    return number(at: place + 8, bytes: number(at: place + 2, bytes: 2) == 3 ? 2 : 4)
  }

  private mutating func erase(_ start: Int, _ length: Int) {
    for place in max(0, start)..<max(0, start, min(exif.count, start + length)) { exif[place] = 0 }
  }

  /// Whether the beginning of a JPEG file is somewhere in it.
  private var holdsJPEG: Bool {
    exif.indices.dropLast(2).contains { exif[$0] == 0xFF && exif[$0 + 1] == 0xD8 && exif[$0 + 2] == 0xFF }
  }
}
