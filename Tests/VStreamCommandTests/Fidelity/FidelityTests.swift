import Foundation
import Testing
import VStreamTestSupport

/// Without detection the output equals the input: every frame with its time and colours, and every other stream.
struct FidelityTests {
  @Test(arguments: FidelityRow.all)
  func `frames, times, colours and other streams are kept`(row: FidelityRow) throws {
    let run = try FidelityRun(row)
    guard run.result.status == 0 else {
      Issue.record("exit code \(run.result.status): \(run.result.errors)")
      return
    }
    run.checkWarnings()
    let streams = try Comparison(
      row, before: Contents(row.input, in: run.path), after: Contents(run.output, in: run.path))
    streams.checkList()
    streams.checkPicture()
    streams.checkFrames()
    streams.checkCopies()
    streams.checkFile()
    try run.checkRepacked(streams)
    try run.checkPixels(streams)
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let name: String
    let make: String
    var input = "in.mkv"
    var output = "out.mkv"
    let options: String
    let expected: [String]
    var testDescription: String { name }
  }

  static let refusals =
    // SVT-AV1 4, which comes with FFmpeg 9, accepts any size.
    ([("libx265", "2x2")] + (Program.ffmpegVersion < 9 ? [("libsvtav1", "2x2"), ("libsvtav1", "64x48")] : [])).map {
      codec, size in
      Refusal(
        name: "\(size), \(codec)", make: FidelityRow.video(size, frames: 3) + "-c:v ffv1 -pix_fmt yuv420p",
        options: "--codec \(codec)",
        expected: ["\(codec) cannot encode \(size.replacing("x", with: "×"))", "--codec ffv1", ".mkv"]
          + (codec == "libsvtav1" ? ["it accepts 64×64 and larger", "libaom-av1"] : []))
    } + [
      Refusal(
        name: "irregular times in AVI", make: FidelityRow.video() + FidelityRow.irregular + FidelityRow.h264,
        output: "out.avi", options: "--codec mpeg4", expected: ["AVI supports a constant frame rate only", ".mkv"]),
      Refusal(
        name: "FFVHuff in MP4", make: FidelityRow.video() + FidelityRow.h264, output: "out.mp4",
        options: "--codec ffvhuff", expected: ["mp4 cannot hold ffvhuff", ".mkv"]),
      Refusal(
        name: "H.264 in WebM", make: FidelityRow.video() + FidelityRow.h264, output: "out.webm",
        options: "--codec libx264", expected: ["webm cannot hold h264", ".mkv"]),
      Refusal(
        name: "4:2:2 of mpeg4", make: FidelityRow.video() + FidelityRow.h264,
        options: "--codec mpeg4 --pixel-format yuv422p",
        expected: ["mpeg4 does not support --pixel-format yuv422p", "yuv420p"]),
    ]

  @Test(arguments: ["out.mp4", "out.mkv", "out.webm"])
  func `Opus keeps its number of samples, as the padding of its last packet is kept`(output: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(
      FidelityRun.words(FidelityRow.video()) + [
        "-f", "lavfi", "-i", "sine=sample_rate=48000:duration=0.613", "-c:v", "libvpx", "-c:a", "libopus", "in.mkv",
      ], folder: folder.path)
    let result = try Program.vstream(["in.mkv", "-o", output, "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    for name in ["in.mkv", output] {
      let samples = try Program.ffmpeg(["-i", name, "-map", "0:a", "-f", "s16le", "-"], folder: folder.path).output
      #expect(samples.count == 2 * 48 * 613, "\(name)")
    }
  }

  @Test(arguments: refusals)
  func `an unsupported output is refused before anything is written`(refusal: Refusal) throws {
    let row = FidelityRow(
      name: refusal.name, input: refusal.input, output: refusal.output, make: refusal.make, options: refusal.options)
    let run = try FidelityRun(row)
    #expect(run.result.status == 64)
    #expect(oneLine(run.result.errors), "\(run.result.errors)")
    for words in refusal.expected { #expect(run.result.errors.contains(words), "\(run.result.errors)") }
    #expect(run.folder.names.allSatisfy { !$0.hasPrefix("out") }, "\(run.folder.names)")
  }
}

/// A row's input and the program's run on it, in a temporary folder.
struct FidelityRun {
  let row: FidelityRow
  let folder: TemporaryFolder
  let result: ProgramResult
  var path: String { folder.path }

  init(_ row: FidelityRow) throws {
    self.row = row
    folder = try TemporaryFolder()
    try Self.addFiles(to: folder, for: row.make)
    let ending = row.input.drop { $0 != "." }
    let first = row.then == nil ? row.input : "first\(ending)"
    try Program.ffmpeg(Self.words(row.make) + [first], folder: folder.path)
    if let then = row.then {
      try Program.ffmpeg(Self.words(then) + [row.input], folder: folder.path)
    }
    if let matrix = row.matrix { try Self.turn(folder.file(row.input), by: matrix) }
    result = try Program.vstream(
      [row.input, "-o", row.output, "--detect", "none"] + Self.words(row.options), folder: folder.path)
  }

  static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  /// Writes the files that FFmpeg's options for the input name.
  private static func addFiles(to folder: TemporaryFolder, for make: String) throws {
    let srt = "1\n00:00:00,100 --> 00:00:00,200\nfirst\n\n2\n00:00:00,280 --> 00:00:00,400\nsecond\n"
    let chapters =
      ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=480\ntitle=one\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=480\nEND=1200\ntitle=two\n"
    // A red bar of 8 x 2 pixels, shown at 0.1 s and removed at 0.3 s.
    let sup =
      "UEcAACMoAAAAABYAEwCgAHgQAACAAAABAAAAAAAKAApQRwAAIygAAAAAFwAKAQAACgAKAAgAAlBHAAAjKAAAAAAUAAcAAAHrgID/UEcAACMoAAAA"
      + "ABUAHwAAAMAAABgACAACAQEBAQEBAQEAAAEBAQEBAQEBAABQRwAAIygAAAAAgAAAUEcAAGl4AAAAABYACwCgAHgQAAEAAAAAUEcAAGl4AAAA"
      + "ABcACgEAAAoACgAIAAJQRwAAaXgAAAAAgAAA"
    if make.contains("words.srt") { try Data(srt.utf8).write(to: URL(filePath: folder.file("words.srt"))) }
    if make.contains("chapters.txt") { try Data(chapters.utf8).write(to: URL(filePath: folder.file("chapters.txt"))) }
    if make.contains("words.sup") { try Data(base64Encoded: sup)?.write(to: URL(filePath: folder.file("words.sup"))) }
    if make.contains("cover.png") {
      try Program.ffmpeg(words(FidelityRow.video("64x48", frames: 1)) + ["cover.png"], folder: folder.path)
    }
  }

  /// Writes a display matrix into the track header of an MP4's only track.
  static func turn(_ path: String, by matrix: [Int]) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    let header = try #require(bytes.range(of: Data("tkhd".utf8)))
    let one: [UInt8] = [0, 1, 0, 0]
    let zeros = [UInt8](repeating: 0, count: 12)
    let upright = Data(one + zeros + one + zeros + [0x40, 0, 0, 0])
    let place = try #require(bytes.range(of: upright, in: header.upperBound..<bytes.endIndex))
    func fixed(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: (value << 16) >> (24 - 8 * $0)) } }
    let none: [UInt8] = [0, 0, 0, 0]
    let turned = fixed(matrix[0]) + fixed(matrix[1]) + none + fixed(matrix[2]) + fixed(matrix[3]) + zeros
    bytes.replaceSubrange(place.lowerBound..<place.upperBound - 4, with: turned)
    try bytes.write(to: URL(filePath: path))
  }

  /// The output as an input of FFmpeg: segments are concatenated.
  var output: String {
    guard row.output.contains("%") else { return row.output }
    return "concat:" + folder.names.filter { $0.hasPrefix("out") }.joined(separator: "|")
  }

  func checkWarnings() {
    let warnings = result.errors.split(separator: "\n").filter { $0.hasPrefix("vstream: warning: ") }
    #expect(warnings.count == row.warns.count, "\(result.errors)")
    let others = result.errors.split(separator: "\n").filter { !$0.contains("videos, stream #") }
    #expect(others.count == warnings.count + 1, "a summary line besides: \(result.errors)")
    for (warning, words) in zip(warnings, row.warns) { #expect(warning.contains(words), "\(warning)") }
    #expect(!folder.names.contains { $0.hasSuffix(".part") })
  }

  /// Compares the input's frames, after the row's filters, with the output's, without its padding.
  func checkPixels(_ comparison: Comparison) throws {
    let input = comparison.video.before
    let cut = row.paddedSize == nil ? "null" : "crop=\(input.width ?? 0):\(input.height ?? 0):0:0:exact=1"
    let format = row.comparedIn.map { ",format=\($0)" } ?? ""
    let pictures = "[0:\(input.index)]\(row.after)\(format)"
    switch row.pixels {
    case .same:
      let graph = "\(pictures)[a];[1:v:0]\(cut)\(format)[b]"
      let hashes = try ffmpeg(["-filter_complex", graph, "-map", "[a]", "-map", "[b]"], "framemd5")
      let rows = hashes.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      }
      let (wanted, got) = (rows.filter { $0[0] == "0" }.map { $0[5] }, rows.filter { $0[0] == "1" }.map { $0[5] })
      #expect(!wanted.isEmpty)
      #expect(got == wanted)
    case .near(let bound):
      let count = "settb=1/1000,setpts=N"
      let graph = "\(pictures),\(count)[a];[1:v:0]\(cut)\(format),\(count)[b];[b][a]psnr=stats_file=-"
      let values = try ffmpeg(["-filter_complex", graph], "null").split(separator: "\n").map { line in
        line.split(separator: " ").first { $0.hasPrefix("psnr_avg:") }.map { Double($0.dropFirst(9)) ?? .infinity } ?? 0
      }
      #expect(!values.isEmpty)
      #expect(values.allSatisfy { $0 >= bound }, "\(values)")
    }
  }

  private func ffmpeg(_ arguments: [String], _ format: String) throws -> String {
    // Not every container stores how many samples at the start to skip, so none are skipped.
    let inputs = [row.input, output].flatMap { ["-flags2", "+skip_manual", "-i", $0] }
    return try Program.ffmpeg(inputs + arguments + ["-fps_mode", "passthrough", "-f", format, "-"], folder: path).text
  }

  /// Compares the decoded contents of streams whose packets were repacked.
  func checkRepacked(_ comparison: Comparison) throws {
    for (before, after) in comparison.copies where row.repacked.contains(before.index) {
      let maps = ["-map", "0:\(before.index)", "-map", "1:\(after.index)", "-c:a", "pcm_s16le", "-c:v", "rawvideo"]
      let hashes = try ffmpeg(maps, "streamhash").split(separator: "\n").compactMap { $0.split(separator: "=").last }
      #expect(hashes.count == 2)
      #expect(hashes.first == hashes.last, "stream #\(before.index), decoded")
    }
  }
}

/// The metadata of two files, compared.
struct Comparison {
  let row: FidelityRow
  let before: Contents
  let after: Contents
  /// The re-encoded stream in both files.
  let video: (before: Contents.Stream, after: Contents.Stream)
  /// The other streams in both files.
  let copies: [(before: Contents.Stream, after: Contents.Stream)]
  private let wanted: [Contents.Stream]
  private let got: [Contents.Stream]
  private let holder: Holder

  init(_ row: FidelityRow, before: Contents, after: Contents) throws {
    self.row = row
    self.before = before
    self.after = after
    holder = Holder(row.output)
    // The stream of chapter titles; chapters are compared separately.
    func isRequested(_ stream: Contents.Stream) -> Bool { stream.codec_name != "bin_data" }
    let videos = before.streams.filter { $0.codec_type == "video" && !$0.isPicture }
    let main = try #require(videos.max { ($0.width ?? 0) < ($1.width ?? 0) })
    video = (main, try #require(after.streams.first))
    wanted = before.streams.filter { $0.index != main.index && !row.omits.contains($0.index) && isRequested($0) }
    got = after.streams.dropFirst().filter(isRequested)
    copies = Array(zip(wanted, got))
  }

  /// The streams, their order, titles and languages.
  func checkList() {
    #expect(got.map(\.codec_type) == wanted.map(\.codec_type))
    for (before, after) in copies {
      #expect(after.codec_name == before.codec_name)
      #expect(after.profile == before.profile)
      #expect(after.sample_rate == before.sample_rate)
      #expect(after.channels == before.channels)
      #expect(after.channel_layout == before.channel_layout)
      #expect(after.isPicture == before.isPicture)
      if before.codec_type == "attachment" { #expect(after.extradata_hash == before.extradata_hash) }
    }
    for (before, after) in copies + [video] {
      let what = "of \(before.codec_type) #\(before.index)"
      if !before.isPicture { #expect(holder.kept(tags: after.tags) == holder.kept(tags: before.tags), "tags \(what)") }
      #expect(holder.kept(disposition: after) == holder.kept(disposition: before), "dispositions \(what)")
    }
  }

  /// Size, sample aspect ratio, orientation and colours of the video.
  func checkPicture() {
    let (before, after) = video
    #expect(after.codec_type == "video")
    #expect(
      [after.width ?? 0, after.height ?? 0] == row.paddedSize ?? row.size ?? [before.width ?? 0, before.height ?? 0])
    #expect(after.pix_fmt == row.pixelFormat ?? before.pix_fmt)
    #expect((after.sample_aspect_ratio ?? "1:1") == (row.aspect ?? before.sample_aspect_ratio ?? "1:1"))
    #expect(["progressive", "unknown"].contains(after.field_order ?? "unknown"))
    let tags: [(name: String, before: String?, after: String?)] = [
      ("color_range", before.color_range, after.color_range), ("color_space", before.color_space, after.color_space),
      ("color_transfer", before.color_transfer, after.color_transfer),
      ("color_primaries", before.color_primaries, after.color_primaries),
      ("chroma_location", before.chroma_location, after.chroma_location),
    ]
    for tag in tags {
      let usual = Self.usual[tag.name] ?? "unknown"
      #expect(tag.after ?? usual == row.colours[tag.name] ?? tag.before ?? usual, "\(tag.name)")
    }
    #expect(light(of: self.after, after) == light(of: self.before, before))
    #expect(after.side_data_list?.contains { $0.values["side_data_type"] == "Display Matrix" } != true)
  }

  /// The default values of tags that are not set.
  private static let usual = ["color_range": "tv", "chroma_location": "left"]

  /// Mastering display and content light, of the container or of the first frame.
  private func light(of contents: Contents, _ stream: Contents.Stream) -> Set<Contents.SideData> {
    let all = (stream.side_data_list ?? []) + (contents.frames[stream.index]?.first?.sideData ?? [])
    return Set(
      all.filter {
        ["Mastering display metadata", "Content light level metadata"].contains($0.values["side_data_type"] ?? "")
      })
  }

  /// Number and times of the frames.
  func checkFrames() {
    let wanted = before.frames[video.before.index] ?? []
    let got = after.frames[video.after.index] ?? []
    #expect(!wanted.isEmpty)
    #expect(got.count == wanted.count)
    #expect(got.allSatisfy { !$0.isInterlaced })
    let (from, to) = (wanted.compactMap(\.ticks), got.compactMap(\.ticks))
    #expect(from.count == wanted.count && to.count == got.count, "every frame has a time")
    let base = Double(video.before.base.numerator) / Double(video.before.base.denominator)
    let start = Int((before.start / base).rounded())
    let expected = from.map { rescaled($0 - start, from: video.before.base, to: video.after.base) }
    switch holder.timeline {
    case .kept: #expect(to == expected)
    case .shifted: #expect(difference(to, expected) <= 1, "\(to) instead of \(expected)")
    }
    // Times in milliseconds do not distinguish 24 from 23.976.
    let isRounded = row.input.hasSuffix(".mkv") && !row.output.hasSuffix(".mkv")
    if !row.isVariable, !isRounded { #expect(video.after.r_frame_rate == video.before.r_frame_rate) }
  }

  /// The largest difference between two lists of times, both counted from their first.
  private func difference(_ one: [Int], _ other: [Int]) -> Int {
    guard let first = one.first, let otherFirst = other.first else { return 0 }
    return zip(one, other).map { abs(($0 - first) - ($1 - otherFirst)) }.max() ?? 0
  }

  /// A time in ticks of another base, rounded to nearest.
  private func rescaled(
    _ ticks: Int, from: (numerator: Int, denominator: Int), to: (numerator: Int, denominator: Int)
  ) -> Int {
    let exact = Double(ticks) * Double(from.numerator) * Double(to.denominator) / Double(from.denominator)
    return Int((exact / Double(to.numerator)).rounded())
  }

  /// The packets of copied streams: number, data, and times relative to the video.
  func checkCopies() {
    let start = (first(before, video.before), first(after, video.after))
    for (before, after) in copies where !row.repacked.contains(before.index) {
      let what = "of \(before.codec_type) #\(before.index)"
      let wanted = (self.before.packets[before.index] ?? []).filter(holder.isRequested).filter { packet in
        let (time, duration) = (seconds(packet.ticks, before), seconds(packet.duration, before))
        return time >= 0 || before.codec_type != "audio" || !holder.omitsHiddenSound || time + 2 * duration > 0
      }
      let got = (self.after.packets[after.index] ?? []).filter(holder.isRequested)
      if before.codec_type != "attachment" { #expect(!wanted.isEmpty, "packets \(what)") }
      #expect(got.map(\.hash) == wanted.map(\.hash), "data \(what)")
      let (from, to) = (wanted.map { seconds($0.ticks, before) }, got.map { seconds($0.ticks, after) })
      if !before.isPicture {
        let furthest = zip(from, to).map { abs(($0 - start.0) - ($1 - start.1)) }.max() ?? 0
        #expect(furthest <= tolerance(after), "times \(what): \(from) became \(to)")
      }
      if before.codec_type == "subtitle" {
        let (from, to) = (wanted.map { seconds($0.duration, before) }, got.map { seconds($0.duration, after) })
        #expect(zip(from, to).allSatisfy { abs($0 - $1) <= 0.001 }, "durations \(what): \(from) became \(to)")
      }
      if holder.keepsPriming(of: before.codec_name) { checkSamples(before, after) }
    }
  }

  /// The number of audio samples, except for the last packet, whose padding not every container stores.
  private func checkSamples(_ before: Contents.Stream, _ after: Contents.Stream) {
    let wanted = (self.before.frames[before.index] ?? []).map(\.samples)
    let got = (self.after.frames[after.index] ?? []).map(\.samples)
    let difference = abs(got.reduce(0, +) - wanted.reduce(0, +))
    #expect(difference == 0 || difference < wanted.max() ?? 0, "samples of #\(before.index): \(wanted) became \(got)")
  }

  /// Half a tick of each stream, and the rounding of the containers.
  private func tolerance(_ stream: Contents.Stream) -> Double {
    let bases = [stream.base, video.after.base].map { Double($0.numerator) / Double($0.denominator) }
    return bases.reduce(holder.startTolerance + 0.0001, +)
  }

  private func first(_ contents: Contents, _ stream: Contents.Stream) -> Double {
    seconds(contents.frames[stream.index]?.first?.ticks, stream)
  }

  private func seconds(_ ticks: Int?, _ stream: Contents.Stream) -> Double {
    Double(ticks ?? 0) * Double(stream.base.numerator) / Double(stream.base.denominator)
  }

  /// Chapters, tags and duration of the file.
  func checkFile() {
    #expect(holder.kept(tags: after.tags, isFile: true) == holder.kept(tags: before.tags, isFile: true))
    if holder.keepsChapters {
      #expect(
        after.chapters.map { [$0.start_time, $0.end_time] } == before.chapters.map { [$0.start_time, $0.end_time] })
      #expect(after.chapters.map { $0.tags?["title"] } == before.chapters.map { $0.tags?["title"] })
    }
    if holder.ending == Holder(row.input).ending, holder.timeline == .kept {
      // Matroska and MP4 count from 0, and the output starts there.
      let countsFromZero = [".mkv", ".mp4"].contains { row.input.hasSuffix($0) }
      let (wanted, got) = ((before.duration ?? 0) - (countsFromZero ? before.start : 0), after.duration ?? 0)
      let hasSound = before.streams.contains { $0.codec_type == "audio" }
      #expect(abs(wanted - got) <= holder.lengthTolerance(hasSound: hasSound), "length \(wanted) s became \(got) s")
    }
  }
}

/// The properties of a file that a container can store.
struct Holder {
  enum Timeline {
    /// Times are the input's, rounded to ticks of the output.
    case kept
    /// Times are the input's, except for their start.
    case shifted
  }

  let ending: String

  init(_ name: String) { ending = String(name.split(separator: ".").last ?? "") }

  private var isTransport: Bool { ["ts", "m3u8"].contains(ending) }
  private var keepsTitles: Bool { ["mkv", "webm", "nut"].contains(ending) }
  private var isMovie: Bool { ["mp4", "mov"].contains(ending) }

  /// Transport streams start later, because of their clock.
  var timeline: Timeline { isTransport ? .shifted : .kept }
  var keepsChapters: Bool { ["mp4", "mov", "mkv", "webm", "nut"].contains(ending) }

  /// Seconds that a file may be longer: only MP4 and MOV store the duration of the last audio packet, and not always.
  func lengthTolerance(hasSound: Bool) -> Double { !hasSound ? 0.0015 : isMovie ? 0.01 : 0.03 }

  /// Allowed deviation of the time between two streams in seconds: MP4 and MOV round the start of a track to ticks.
  var startTolerance: Double { isMovie || ending == "m3u8" ? 0.001 : 0 }

  /// Whether it stores how many audio samples at the start to skip.
  func keepsPriming(of codec: String?) -> Bool {
    isMovie || (["mkv", "webm"].contains(ending) && codec == "opus")
  }

  /// Whether sound that ends before 0 is omitted: readers of Matroska know no times before 0.
  var omitsHiddenSound: Bool { ["mkv", "webm"].contains(ending) }

  /// MP4 text has empty packets where no subtitle is shown.
  func isRequested(_ packet: Contents.Packet) -> Bool { packet.size > 2 }

  /// Tags except those of the container itself.
  func kept(tags: [String: String]?, isFile: Bool = false) -> [String: String] {
    let own: Set = [
      "encoder", "software", "handler_name", "vendor_id", "duration", "major_brand", "minor_version", "variant_bitrate",
      "compatible_brands", "alpha_mode",
    ]
    let lowered = (tags ?? [:]).map { ($0.key.lowercased(), $0.value) }
    let kept = Dictionary(lowered.filter { !own.contains($0.0) && $0.1 != "und" }) { $1 }
    return keepsTitles || isFile ? kept : kept.filter { $0.key == "language" }
  }

  /// The disposition of a stream.
  func kept(disposition stream: Contents.Stream) -> Set<String> {
    if isTransport || ["avi", "nut"].contains(ending) { return [] }
    let all = Set((stream.disposition ?? [:]).filter { $0.value != 0 }.keys)
    // In MP4 and MOV one track of each type is enabled, also if the input has no default.
    return isMovie ? all.subtracting(["default"]) : all
  }
}
