import Foundation
import Testing
import VStreamTestSupport

/// Passwords with special characters in addresses, with the built command.
struct PasswordTests {
  @Test(arguments: [
    ("p#a/s?s@w", "p#a/s?s@w"), ("12#x", "12#x"), ("12?x", "12?x"), ("/", "/"), ("p@ss", "p@ss"), ("a:b", "a:b"),
    ("a@b#c", "a@b#c"), ("a b\"\\|[]é&+", "a b\"\\|[]é&+"), ("100%", "100%"), ("p%23a%2fs%25", "p#a/s%"),
  ])
  func `a server gets the password as it is meant`(written: String, sent: String) throws {
    let folder = try TemporaryFolder()
    let clip = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -c:v libx264 -pix_fmt yuv420p in.mp4"
    try Program.ffmpeg(FidelityRun.words(clip), folder: folder.path)
    let server = try FileServer(folder.file("in.mp4"), ["login:me:\(sent)"])
    let records = ["--records", "r.jsonl", "--stats", "s.json", "--log-level", "debug"]
    let result = try Program.vstream(
      ["http://me:\(written)@127.0.0.1:\(server.port)/in.mp4", "-o", "null", "--detect", "none"] + records,
      folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let wrong = try Program.vstream(
      ["http://me:x\(written)@127.0.0.1:\(server.port)/in.mp4", "-o", "null", "--detect", "none"], folder: folder.path)
    #expect(wrong.status == 66)
    #expect(wrong.errors.contains("requires a user and password (401)"), "\(wrong.errors)")
    guard sent.count > 3 else { return }
    let files = ["r.jsonl", "s.json"].map(folder.file)
    for text in [result.errors, wrong.errors] + (try files.map { try String(contentsOfFile: $0, encoding: .utf8) }) {
      #expect(!text.contains(written) && !text.contains(sent))
    }
  }

  /// Addresses at which nobody answers, with parts of a secret in capitals.
  static let addresses = [
    "rtsp://me:SEC#RET@127.0.0.1:9/a", "rtsp://me:SEC/RET@127.0.0.1:9/a", "rtsp://me:SEC?RET@127.0.0.1:9/a",
    "rtsp://me:SEC@RET@127.0.0.1:9/a", "rtsp://me:SEC|RET@127.0.0.1:9/a", "rtsp://me:SEC RET@127.0.0.1:9/a",
    "rtsp://me:SEC://RET@127.0.0.1:9/a", "rtsp://me:12/SEC:RET@127.0.0.1:9/a", "rtsp://me:12?SECRET@127.0.0.1:9/a",
    "rtsp://me:12#SECRET@127.0.0.1:9/a", "rtsp://me:a@SEC/RET@127.0.0.1:9/a", "rtsp://m/e:SECRET@127.0.0.1:9/a",
    "rtsp://me:SEC#x@127.0.0.1:9/a?b=c@RET", "rtsps://me:SEC/RET@127.0.0.1:9/a", "http://me:SEC#RET@127.0.0.1:9/a",
    "https://me:SEC/RET@127.0.0.1:9/a", "rtsp:/me:SEC/RET@127.0.0.1:9/a", "rstp://me:SEC/RET@127.0.0.1:9/a",
    "ftp://me:SEC/RET@127.0.0.1:9/a", "rtmp://me:SEC/RET@127.0.0.1:9/app/KEY", "rtmp://127.0.0.1:9/app/SEC#R?ET",
    "srt://127.0.0.1:9?passphrase=SEC#RET/12345&latency=20", "srt://127.0.0.1:9?passphrase=SEC RET@12345",
    "srt://127.0.0.1:9?passphrase=SEC|RET12345", "srt://127.0.0.1:9?passphrase=SEC&RET12345",
    "srt://127.0.0.1:9?streamid=#!::r=SECRET",
  ]

  @Test(arguments: addresses) func `no part of a secret is printed`(address: String) throws {
    let folder = try TemporaryFolder()
    let clip = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -c:v libx264 -pix_fmt yuv420p in.mp4"
    try Program.ffmpeg(FidelityRun.words(clip), folder: folder.path)
    let runs = [
      [address, "-o", "null"], ["in.mp4", "-o", address, "--output-format", "mpegts"],
      [address, address, "-o", "null"],
      ["in.mp4", "-o", address, "-o", address], ["bench", address], ["split", address, "-o", "p.json"],
      ["in.mp4", "-o", "null", "--records", address], ["--no-such-option", address],
    ]
    for arguments in runs {
      let result = try Program.vstream(arguments + ["--timeout", "1", "--log-level", "debug"], folder: folder.path)
      #expect(result.status != 0)
      for part in ["SEC", "RET", "R?ET", "KEY"] {
        #expect(!(result.errors + result.text).contains(part), "\(arguments): \(result.errors)")
      }
    }
  }
}
