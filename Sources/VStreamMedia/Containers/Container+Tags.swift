internal import CVStreamLibAV
internal import VStreamCore

/// The chapters and tags that libavformat's muxers write.
extension Container {
  private static let formatsWithChapters: Set = [
    "matroska", "webm", "mp4", "mov", "ipod", "3gp", "3g2", "nut", "asf", "asf_stream",
  ]

  /// Whether an output has chapters. libavformat writes Ogg's chapters with Opus alone.
  private static func holdsChapters(_ output: UnsafePointer<AVFormatContext>) -> Bool {
    let name = output.formatName
    let streams = UnsafeBufferPointer(start: output.pointee.streams, count: Int(output.pointee.nb_streams))
    let hasOpus = streams.contains { $0?.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_OPUS }
    return formatsWithChapters.contains(name) || (["ogg", "ogv", "oga"].contains(name) && hasOpus)
  }

  /// Formats that hold a tag of any name.
  private static let formatsWithAnyTag: Set = [
    "matroska", "webm", "mp4", "mov", "ipod", "nut", "asf", "asf_stream", "ogg", "ogv", "oga", "flv",
  ]

  /// The tags that the MP4 family stores under names of its own, so that every player shows them.
  private static let standardTags: [String: Set<String>] = [
    "mp4": musicTags, "ipod": musicTags, "3gp": mobileTags, "3g2": mobileTags,
    "mov": [
      "title", "artist", "author", "album", "date", "comment", "genre", "copyright", "make", "model", "location",
      "timecode", "creation_time", "software",
    ],
    "avi": [
      "title", "artist", "album", "date", "comment", "genre", "copyright", "language", "track", "encoded_by",
      "timecode", "software",
    ],
  ]

  private static let mobileTags: Set = [
    "title", "author", "genre", "comment", "album", "copyright", "date", "location", "creation_time",
  ]

  private static let musicTags: Set = [
    "title", "artist", "album_artist", "composer", "album", "date", "comment", "genre", "copyright", "grouping",
    "lyrics", "description", "synopsis", "show", "episode_id", "network", "keywords", "episode_sort", "season_number",
    "media_type", "hd_video", "gapless_playback", "compilation", "track", "disc", "tmpo", "location", "timecode",
    "creation_time",
  ]

  /// The flag (of `movflags`) for storing the tags of an MP4 or MOV by QuickTime's metadata keys, which allow any name but
  /// which fewer players show; empty if all tags have standard names.
  static func metadataFlag(for output: UnsafeMutablePointer<AVFormatContext>) -> String {
    let (format, metadata) = (output.formatName, [String: String](output.pointee.metadata))
    let needsKeys =
      formatsWithAnyTag.contains(format) && standardTags[format] != nil && !otherTags(metadata, format: format).isEmpty
    return needsKeys ? "+use_metadata_tags" : ""
  }

  /// The tags of an input that have no name of their own in a format, sorted.
  private static func otherTags(_ metadata: [String: String], format: String) -> [String] {
    let known = standardTags[format] ?? (formatsOfProduction.contains(format) ? ["timecode"] : [])
    return Set(metadata.keys.map(tagName)).filter { isCopied($0) && !known.contains($0) }.sorted()
  }

  /// The input's chapters and tags that an output cannot hold, one line each.
  static func lostDescriptions(
    of chapters: [Chapter], _ metadata: [String: String], in output: UnsafePointer<AVFormatContext>
  ) -> [Message] {
    guard let format = output.pointee.oformat else { return [] }
    let name = format.name
    guard describesStreams(format) else { return [] }
    var notices: [Message] = []
    if !chapters.isEmpty, !holdsChapters(output) {
      let what = chapters.count == 1 ? "the chapter is" : "the \(chapters.count) chapters are"
      notices.append("\(what) omitted, as \(name) cannot hold chapters; an .mkv or .mp4 output can")
    }
    let lost = formatsWithAnyTag.contains(name) ? [] : otherTags(metadata, format: name).filter { $0 != timecodeTag }
    if !lost.isEmpty {
      let list = lost.prefix(5).joined(separator: ", ") + (lost.count > 5 ? " and \(lost.count - 5) more" : "")
      notices.append(
        "tag\(lost.count == 1 ? "" : "s") omitted, as \(name) cannot hold \(lost.count == 1 ? "it" : "them"): \(list); an "
          + ".mkv output can")
    }
    return notices
  }
}
