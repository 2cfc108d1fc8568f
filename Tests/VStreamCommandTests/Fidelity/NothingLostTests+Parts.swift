import Foundation
import Testing
import VStreamTestSupport

/// Parts of inputs, and times where the container has none: what scripts/checks/compare-with-ffmpeg found.
extension NothingLostTests {
  static let parts = [
    Row(
      name: "the first frame after --start, where the position is between key frames",
      make: ["-f lavfi -i testsrc2=size=64x48:rate=24:duration=2 -c:v libx265 -x265-params keyint=24:bframes=2 in.ts"],
      arguments: "in.ts -o out.mkv --start 0.7 --codec ffv1",
      check: { folder in
        // 0.708 s is the first whole frame; a decoder that begins between key frames returns later or broken ones.
        #expect(try packetCount("out.mkv", "v:0", in: folder) == 31)
        let compared = try Program.run(
          "/usr/bin/env",
          FidelityRun.words(
            "ffmpeg -v error -i in.ts -i out.mkv -lavfi [0:v]trim=start_frame=17,settb=1/24,setpts=N,format=yuv420p[a];"
              + "[1:v]settb=1/24,setpts=N,format=yuv420p[b];[a][b]psnr=stats_file=psnr.log -f null -"),
          folder: folder.path)
        #expect(compared.status == 0, "\(compared.errors)")
        let lines = try String(contentsOfFile: folder.file("psnr.log"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 31 && lines.allSatisfy { $0.contains("psnr_avg:inf") }, "\(lines.first ?? "")")
      }),
    Row(
      name: "the last frame of a part lasts as long as others", make: ["\(video) -c:v libx264 -bf 0 in.mp4"],
      arguments: "in.mp4 -o out.mp4 --duration 0.5", check: lasts("out.mp4", 0.5)),
    Row(
      name: "the last frames of a part of a second video",
      make: ["\(video) -f lavfi -i testsrc2=size=32x32:rate=10:duration=2 -map 0 -map 1 -c:v libx264 -bf 2 in.mkv"],
      arguments: "in.mkv -o out.mkv --duration 1", check: hasFrames("out.mkv", "v:1", 12...12)),
    Row(
      name: "times beside texts in fragments",
      make: ["-f lavfi -i testsrc2=size=128x96:rate=25:duration=2 -i cues.srt -c:v ffv1 -c:s ass in.mkv"],
      arguments: "in.mkv -o out.mov --output-format mov",
      check: { folder in
        let piped = "'\(Program.vstreamPath)' in.mkv -o - --output-format mp4 --detect none > piped.mp4"
        #expect(try Program.run("/bin/sh", ["-c", piped], folder: folder.path).status == 0)
        for name in ["out.mov", "piped.mp4"] {
          let times = try Probe(folder.file(name)).frameTimes()
          #expect(times.count == 50)
          #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 0.001 }, "\(name): \(times)")
        }
      }),
    Row(
      name: "the last packet of a part of Vorbis",
      make: ["-f lavfi -i testsrc2=size=64x48:rate=120:duration=1 \(sound) -t 1 -c:v libtheora -c:a libvorbis in.ogv"],
      arguments: "in.ogv -o out.mp4 --start 0.5", check: hasFrames("out.mp4", "a:0", 1...100)),
    Row(
      name: "sound that an edit list hides, in Matroska",
      make: ["\(video) \(sound) -c:v libx264 -c:a alac whole.mp4", "-ss 1 -i whole.mp4 -c copy in.mp4"],
      arguments: "in.mp4 -o out.mkv",
      check: { folder in
        let times = try Probe(folder.file("out.mkv")).packets("a:0").map(\.time)
        #expect(times.count(where: { $0 == nil }) <= 2 && times.count > 8, "\(times.prefix(5))")
      }),
    Row(
      name: "the first packets of AAC from a pipe, after the video",
      make: [
        "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -itsoffset 0.5 -f lavfi -i sine=d=1 -c:v libx264 -c:a aac in.ts"
      ],
      arguments: "in.ts -o out.mkv",
      check: { folder in
        let piped = "cat in.ts | '\(Program.vstreamPath)' - -o piped.mkv --detect none -y"
        #expect(try Program.run("/bin/sh", ["-c", piped], folder: folder.path).status == 0)
        for name in ["out.mkv", "piped.mkv"] {
          let times = try Probe(folder.file(name)).packets("a:0").compactMap(\.time)
          #expect(
            times.count > 40 && zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.0232) < 0.002 },
            "\(name): \(times)")
        }
      }),
    Row(
      name: "the last text of a part of a fragmented file",
      make: [
        "\(video) -i cues.srt -c:v libx264 -c:s mov_text whole.mp4",
        "-i whole.mp4 -map 0 -c copy -movflags +frag_keyframe+empty_moov in.mp4",
      ],
      arguments: "in.mp4 -o out.mp4 --duration 0.6",
      // Until FFmpeg 8, texts of fragments have no durations.
      check: showsText("out.mp4", Program.ffmpegVersion < 9 ? "--> 00:00:00,600" : "--> 00:00:00,700")),
    Row(
      name: "the first frame of a second video in NUT",
      make: ["\(video) \(video) -map 0 -map 1 -c:v mpeg4 -output_ts_offset 1.4 in.mkv"],
      arguments: "in.mkv -o out.nut --codec mpeg4", check: hasFrames("out.nut", "v:1", 20...20)),
    Row(
      name: "a timecode in MXF",
      make: ["-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -timecode 01:00:00:00 -c:v mpeg2video in.mxf"],
      arguments: "in.mxf -o out.mxf --codec mpeg2video", unexpected: ["omitted"],
      check: has("out.mxf", "v:0", "format_tags=timecode", "01:00:00:00")),
    Row(
      name: "frames of MPEG-4 in AVI that are decoded in another order",
      make: ["\(video) -c:v mpeg4 -bf 2 in.avi"], arguments: "in.avi -o out.avi --codec mpeg4",
      check: hasFrames("out.avi", "v:0", 20...20)),
  ]
}
