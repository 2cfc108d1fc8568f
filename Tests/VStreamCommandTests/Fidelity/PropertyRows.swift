import Foundation
import Testing
import VStreamTestSupport

/// A property of an input, and how it is read back.
struct PropertyRow: CustomTestStringConvertible, Sendable {
  let name: String
  /// FFmpeg's arguments that make the inputs, one run each; the last one makes that of the row.
  let make: [String]
  /// Changes the input's bytes.
  var change: @Sendable (_ path: String) throws -> Void = { _ in }
  var options = ""
  /// The value that counts as kept.
  let expected: String
  /// Other forms of it.
  var converted: Set<String> = []
  /// Whether it has to be converted.
  var isConverted = false
  /// What the warning contains.
  let warning: String
  /// The stream that has the property, which may be omitted.
  var stream = "#1"
  let value: @Sendable (ReadBack) -> String?
  var testDescription: String { name }

  var input: String { make.last?.split(separator: " ").last.map(String.init) ?? "" }

  /// A folder with the input.
  func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let chapters = [(0, "one"), (500, "two")].map { start, title in
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(start)\nEND=\(start + 500)\ntitle=\(title)\n"
    }
    _ = try folder.write("chapters.txt", ";FFMETADATA1\n" + chapters.joined())
    _ = try folder.write("note.txt", "A note.")
    for make in make { try Program.ffmpeg(FidelityRun.words(make), folder: folder.path) }
    try change(folder.file(input))
    return folder
  }

  static let all = ofFrames + ofVideo + ofStreams + ofFile
}

// MARK: - Inputs

extension PropertyRow {
  private static let source = "-f lavfi -i testsrc2=size=96x72:rate=25:duration=1"
  private static let sound = "-f lavfi -i sine=sample_rate=48000:duration=1"
  private static let h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"
  private static let hevc = "-pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params log-level=error"
  private static let both = "\(source) \(sound) \(h264) -c:a aac"
  private static let light =
    "\(source) \(hevc):master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
    + ":max-cll=1000,400 in.mkv"

  /// Adds a box of an MP4 at the end of another one, which is named by its path, with the bytes before each box's children.
  private static func insert(_ box: [UInt8], into boxes: [(name: String, header: Int)], of path: String) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    func size(at index: Int) -> Int { bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
    var parents: [Int] = []
    var index = 0
    for box in boxes {
      while Array(bytes[index + 4..<index + 8]) != Array(box.name.utf8) { index += size(at: index) }
      parents.append(index)
      index += 8 + box.header
    }
    let end = try #require(parents.last.map { $0 + size(at: $0) })
    for parent in parents { bytes.replaceSubrange(parent..<parent + 4, with: number(size(at: parent) + box.count)) }
    bytes.insert(contentsOf: box, at: end)
    try Data(bytes).write(to: URL(filePath: path))
  }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func box(_ name: String, _ contents: [UInt8]) -> [UInt8] {
    number(8 + contents.count) + Array(name.utf8) + contents
  }

  /// Google's Spherical Video V1: an XML document in the track.
  @Sendable private static func addSphericalMark(_ path: String) throws {
    let values = [
      ("Spherical", "true"), ("Stitched", "true"), ("StitchingSoftware", "x"), ("ProjectionType", "equirectangular"),
    ]
    let xml = values.map { "<GSpherical:\($0)>\($1)</GSpherical:\($0)>" }.joined()
    let identifier: [UInt8] = [
      0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD,
    ]
    try insert(box("uuid", identifier + Array(xml.utf8)), into: [("moov", 0), ("trak", 0)], of: path)
  }

  /// Profile 8.1: a base layer that HDR10 players show.
  @Sendable private static func addDolbyVision(_ path: String) throws {
    let record: [UInt8] = [1, 0, 0x10, 0x0D, 0x10] + [UInt8](repeating: 0, count: 19)
    try insert(
      box("dvvC", record),
      into: [("moov", 0), ("trak", 0), ("mdia", 0), ("minf", 0), ("stbl", 0), ("stsd", 8), ("hvc1", 78)], of: path)
  }
}

// MARK: - Rows

extension PropertyRow {
  private static let ofFrames = [
    PropertyRow(
      name: "stereo mark", make: ["\(source) \(h264) -metadata:s:v stereo_mode=left_right in.mkv"],
      expected: "side by side", warning: "the stereo mark is not kept"
    ) { $0.sideData("Stereo", "type") },
    PropertyRow(
      name: "stereo mark, lines", make: ["\(source) \(h264) -metadata:s:v stereo_mode=row_interleaved_lr in.mkv"],
      expected: "interleaved lines", warning: "the stereo mark is not kept"
    ) { $0.sideData("Stereo", "type") },
    PropertyRow(
      name: "spherical mark", make: ["\(source) \(h264) in.mp4"], change: addSphericalMark,
      expected: "equirectangular", warning: "the spherical mark is not kept"
    ) { $0.sideData("Spherical", "projection") },
    PropertyRow(
      name: "mastering display", make: [light], expected: "yes", warning: "the mastering display is not kept"
    ) { $0.sideData("Mastering display", "max_luminance").map { _ in "yes" } },
    PropertyRow(
      name: "content light level", make: [light], expected: "1000.0", warning: "the content light level is not kept"
    ) { $0.sideData("Content light", "max_content") },
    PropertyRow(
      name: "Dolby Vision", make: ["\(source) \(hevc) -tag:v hvc1 in.mp4"], change: addDolbyVision, expected: "8.0",
      warning: "Dolby Vision is not kept"
    ) { $0.sideData("DOVI", "dv_profile") },
  ]

  private static let ofVideo = [
    PropertyRow(
      name: "rotation",
      make: ["\(source) \(h264) one.mp4", Program.rotating("one.mp4", by: 90).joined(separator: " ") + " in.mp4"],
      expected: "96, matrix", converted: ["72"], isConverted: true, warning: "rotat", value: shape),
    PropertyRow(
      name: "mirroring", make: ["\(source) \(h264) in.mp4"],
      change: { try FidelityRun.turn($0, by: [-1, 0, 0, 1]) },
      expected: "96, matrix", converted: ["96"], isConverted: true, warning: "mirror", value: shape),
    PropertyRow(
      name: "pixel aspect ratio", make: ["\(source) -vf setsar=4/3 \(h264) in.mkv"], expected: "4:3",
      warning: "pixel aspect ratio is not kept"
    ) { $0.video?["sample_aspect_ratio"]?.text },
    PropertyRow(
      name: "pixel aspect ratio, not of MPEG-2", make: ["\(source) -vf setsar=3/2 \(h264) in.mkv"], expected: "3:2",
      warning: "pixel aspect ratio is not kept"
    ) { $0.video?["sample_aspect_ratio"]?.text },
    PropertyRow(
      name: "colour tags",
      make: [
        "\(source) -vf setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv \(h264) in.mkv"
      ],
      expected: "bt2020 smpte2084 bt2020nc", warning: "the colour description is not kept"
    ) { found in
      let members = ["color_primaries", "color_transfer", "color_space"].compactMap { found.video?[$0]?.text }
      return members.isEmpty ? nil : members.joined(separator: " ")
    },
    PropertyRow(
      name: "field order", make: ["\(source) -vf setfield=tff \(h264) -flags +ildct -x264opts tff=1 in.mkv"],
      expected: "tb", converted: ["progressive", "unknown"], isConverted: true, warning: "field order"
    ) { $0.video?["field_order"]?.text ?? "unknown" },
    PropertyRow(
      name: "timecode", make: ["\(source) \(h264) -timecode 01:00:00:12 in.mov"], expected: "01:00:00:12",
      warning: "the timecode is not kept"
    ) { $0.tag("timecode") },
    PropertyRow(
      name: "timecode, with --fps 50", make: ["\(source) \(h264) -timecode 01:00:00:12 in.mov"], options: "--fps 50",
      expected: "01:00:00:12", converted: ["01:00:00:24"], isConverted: true, warning: "the timecode is not kept"
    ) { $0.tag("timecode") },
  ]

  private static let ofStreams =
    [
      PropertyRow(
        name: "language of the video", make: ["\(both) -metadata:s:v language=fra in.mkv"], expected: "fra",
        converted: ["fre"], warning: "the language of stream #0 is not kept", stream: "#0"
      ) { $0.video.flatMap { ReadBack.tag("language", of: $0) } },
      PropertyRow(
        name: "language of the audio", make: ["\(both) -metadata:s:a language=deu in.mkv"], expected: "deu",
        converted: ["ger"], warning: "the language of stream #1 is not kept"
      ) { $0.audio.first.flatMap { ReadBack.tag("language", of: $0) } },
      PropertyRow(
        name: "audio's service type", make: ["\(source) \(sound) \(h264) -c:a ac3 -audio_service_type vi in.mp4"],
        expected: "1.0", warning: "the disposition 'visually impaired' of stream #1 is not kept"
      ) { $0.audio.first?["disposition"]?["visual_impaired"]?.number.flatMap { $0 > 0 ? "\($0)" : nil } },
      PropertyRow(
        name: "audio's delay", make: ["\(source) -itsoffset 0.4 \(sound) \(h264) -c:a aac in.mkv"], expected: "0.4",
        warning: "the delay of stream #1, "
      ) { $0.delay.map { abs($0 - 0.4) < 0.1 ? "0.4" : "\($0)" } },
    ]
    + [
      ("default", "default"), ("forced", "forced"), ("comment", "comment"), ("dub", "dub"),
      ("hearing_impaired", "hearing impaired"),
    ].map(disposition)

  /// A disposition of the second sound.
  private static func disposition(_ member: String, _ name: String) -> PropertyRow {
    let streams = "\(source) \(sound) \(sound) -map 0 -map 1 -map 2 \(h264) -c:a aac -disposition:a:0 0"
    // Matroska and MP4 mark the only default track of a kind by themselves.
    return PropertyRow(
      name: "disposition \(name)", make: ["\(streams) -disposition:a:1 \(member) in.mkv"], expected: "1.0",
      warning: "the disposition '\(name)' of stream #2 is not kept", stream: "#2"
    ) { $0.audio.last?["disposition"]?[member]?.number.flatMap { $0 > 0 ? "\($0)" : nil } }
  }

  private static let ofFile = [
    PropertyRow(
      name: "chapters", make: ["\(both) one.mkv", "-i one.mkv -i chapters.txt -map_metadata 1 -map 0 -c copy in.mkv"],
      expected: "one, two", warning: "the 2 chapters are omitted", stream: "of the file"
    ) { $0.chapters.isEmpty ? nil : $0.chapters.joined(separator: ", ") },
    PropertyRow(
      name: "cover image",
      make: [
        "\(both) one.mp4", "\(source) -frames:v 1 cover.png",
        "-i one.mp4 -i cover.png -map 0 -map 1 -c copy -disposition:v:1 attached_pic in.mp4",
      ],
      expected: "png", warning: "cannot hold cover images"
    ) { $0.streams.first { $0["disposition"]?["attached_pic"]?.number == 1 }?["codec_name"]?.text },
    PropertyRow(
      name: "attached file",
      make: ["\(both) one.mkv", "-i one.mkv -c copy -attach note.txt -metadata:s:t mimetype=text/plain in.mkv"],
      expected: "note.txt", warning: "cannot hold attached files"
    ) { $0.tag("filename") },
    PropertyRow(
      name: "start time", make: ["\(both) -output_ts_offset 10 in.ts"], expected: "later", converted: ["0"],
      isConverted: true, warning: "start", stream: "of the file"
    ) { $0.start.map { $0 < 1 ? "0" : "later" } },
    PropertyRow(
      name: "title", make: ["\(both) -metadata title=T in.mkv"], expected: "T", warning: ": title",
      stream: "of the file"
    ) { $0.tag("title") },
    PropertyRow(
      name: "tag of any name", make: ["\(both) -metadata place=Yard in.mkv"], expected: "Yard", warning: ": place",
      stream: "of the file"
    ) { $0.tag("place") },
  ]

  /// The width, and whether players rotate or mirror the frames.
  @Sendable private static func shape(_ found: ReadBack) -> String? {
    let hasMatrix = found.sideData("Display Matrix", "rotation") != nil
    return found.video?["width"]?.number.map { "\(Int($0))" + (hasMatrix ? ", matrix" : "") }
  }
}
