import Foundation
import Testing
import VStreamTestSupport

/// Runs whose output does not fit on the disk: a file system of 3 MiB in memory, mounted for the run alone.
struct FullDiskTests {
  /// Frames that may be missing: one second, and the encoder's.
  private static let maximumLost = 25 + 16

  /// The output grows by about 10 kB per frame, so that the disk is full after about 12 seconds of video.
  private static func makeNoise(_ folder: TemporaryFolder, seconds: Int) throws {
    let noise = "testsrc2=size=160x120:rate=25:duration=\(seconds),noise=alls=60:allf=t"
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", noise, "-f", "lavfi", "-i", "sine=duration=\(seconds)"]
        + ["-c:v", "mpeg4", "-q:v", "2", "-c:a", "aac", folder.file("in.mkv")])
  }

  /// Mounts the disk as `disk`, as root or as a user who may create a mount namespace, runs the command in the
  /// folder, and copies the disk's contents to `left`.
  private static let script = """
    mkdir disk left
    for how in -m -rm; do
      if unshare $how mount -t tmpfs none disk 2>/dev/null; then
        exec unshare $how sh -c '
          mount -t tmpfs -o size=3m none disk && "$0" "$@"; status=$?
          cp disk/* left/ 2>/dev/null; exit $status' "$0" "$@"
      fi
    done
    echo "no small disk can be mounted here: neither root nor user name spaces" >&2
    exit 99
    """

  private static func run(_ folder: TemporaryFolder, _ arguments: [String]) throws -> ProgramResult {
    try Program.run(
      "/bin/sh", ["-c", script, Program.vstreamPath, "in.mkv", "--detect", "none", "--threads", "2"] + arguments,
      folder: folder.path)
  }

  private static func left(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file("left")).sorted()
  }

  @Test(arguments: ["out.mp4", "out.mov", "out.mkv", "out.ts", "out.avi"])
  func `a full disk ends the run, and the written part plays`(output: String) throws {
    let folder = try TemporaryFolder()
    try Self.makeNoise(folder, seconds: 16)
    let result = try Self.run(folder, ["-o", "disk/\(output)", "--records", "r.jsonl"])
    #expect(result.status == 74, "\(result.errors)")
    #expect(
      result.errors
        == "vstream: 'disk/\(output)' cannot be written: the disk is full (3.1 MB written, 0 bytes free); "
        + "what was written plays: 'disk/\(output).part'; free some space and run it again with --overwrite (-y)\n")

    #expect(try Self.left(folder) == ["\(output).part"])
    let run = try RecordedRun(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    let coded = try #require(run.summary["framesOut"].int)
    let times = try Probe(folder.file("left/\(output).part")).frameTimes()
    #expect((coded - Self.maximumLost...coded).contains(times.count), "\(times.count) of \(coded) frames")
  }

  @Test(arguments: ["out.mp4", "out.mov"])
  func `without space for the fast-start copy, the fragmented file gets the output's name`(output: String) throws {
    let folder = try TemporaryFolder()
    try Self.makeNoise(folder, seconds: 8)
    let result = try Self.run(folder, ["-o", "disk/\(output)"])
    #expect(result.status == 0)
    let said = result.errors.split(separator: "\n")
    #expect(said.count == 2)
    #expect(
      said.first?.hasPrefix(
        "vstream: warning: 'disk/\(output)' remains a fragmented file, as it could not be rewritten: "
          + "the disk has not enough space (") == true, "\(result.errors)")
    #expect(try Self.left(folder) == [output])
    #expect(try Probe(folder.file("left/\(output)")).frameTimes().count == 200)
  }

  @Test(arguments: ["out.mp4", "out.mkv", "out.ts"])
  func `on a disk that is full from the start no file is left`(output: String) throws {
    let folder = try TemporaryFolder()
    try Self.makeNoise(folder, seconds: 1)
    let fill = "head -c 3m /dev/zero >disk/zeros; exec \"$0\" \"$@\""
    let result = try Program.run(
      "/bin/sh",
      ["-c", Self.script, "/bin/sh", "-c", fill, Program.vstreamPath, "in.mkv", "-o", "disk/\(output)"]
        + ["--detect", "none"], folder: folder.path)
    #expect(result.status == 74, "\(result.errors)")
    #expect(
      result.errors
        == "vstream: 'disk/\(output)' cannot be written: the disk is full (0 bytes written, 0 bytes free); "
        + "free some space there\n")
    #expect(try Self.left(folder) == ["zeros"])
  }

  @Test func `face crops without space are an error that names the file`() throws {
    let folder = try TemporaryFolder()
    let fill = "head -c 3m /dev/zero >disk/zeros; exec \"$0\" \"$@\""
    let arguments = [Checkout.sample("face.mp4"), "-o", "null", "--detect", "faces", "--duration", "0.3"]
    let result = try Program.run(
      "/bin/sh",
      ["-c", Self.script, "/bin/sh", "-c", fill, Program.vstreamPath] + arguments + ["--save-faces", "disk/faces"],
      folder: folder.path)
    #expect(result.status == 74, "\(result.errors)")
    #expect(result.errors.contains("'disk/faces/faces.csv' failed: No space left"), "\(result.errors)")
  }
}
