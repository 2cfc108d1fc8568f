import Foundation
import Testing
import VStreamTestSupport

/// The output of a run that a signal ends.
struct KillTests {
  /// Frames that libx264 delays with the preset `veryfast` and two threads: 10 of its lookahead, 4 in its
  /// lookahead's own thread (one more than the B-frames in a row), 1 in the second thread, 1 whose duration it waits for.
  static let encoderDelay = 10 + 4 + 1 + 1
  /// Frames that may be missing at the end of the output: those of a second, and those in the encoder.
  static let maximumLost = PacedInput.frameRate + encoderDelay

  struct Moment: CustomTestStringConvertible, Sendable {
    let seed: Int
    let output: String
    /// Number of frames that the command receives: four seconds at most, and enough for a first fragment.
    var frames: Int {
      var numbers = SeededNumbers(seed: UInt64(seed))
      return KillTests.maximumLost + 1 + numbers.below(4 * PacedInput.frameRate - KillTests.maximumLost)
    }
    var testDescription: String { "seed \(seed): \(output) at frame \(frames)" }
  }

  static let moments = [
    "a.mp4", "b.mp4", "c.mp4", "a.mkv", "b.mkv", "c.mkv", "a.mov", "b.mov", "a.ts", "b.ts",
  ].enumerated().map { Moment(seed: $0.offset, output: $0.element) }

  @Test(arguments: moments)
  func `kill -9 leaves all frames but those of the last second, and those in the encoder`(moment: Moment) throws {
    let folder = try TemporaryFolder()
    let arguments = ["-o", folder.file(moment.output), "--detect", "none", "--threads", "2"]
    let (program, written, input) = try PacedInput(seconds: 4).run(frames: moment.frames, arguments)
    program.send(SIGKILL)
    #expect(program.wait() == nil, "the signal ended it")
    withExtendedLifetime(input) {}

    #expect(folder.names == ["\(moment.output).part"])
    let part = try Probe(folder.file("\(moment.output).part"))
    try checkRow(part, frames: written - Self.maximumLost...moment.frames)
    #expect(part.audio.count == 1)
  }

  /// Checks that frames follow each other without a gap; a truncated file may have one or two more after a gap, as
  /// frames are coded before the B-frames that are shown before them.
  private func checkRow(_ probe: Probe, frames: ClosedRange<Int>) throws {
    let times = try probe.frameTimes()
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    let inRow = 1 + steps.prefix { abs($0 * Double(PacedInput.frameRate) - 1) < 0.05 }.count
    #expect(frames.contains(inRow), "\(times)")
    #expect(inRow...inRow + 2 ~= times.count, "\(times)")
  }

  @Test(arguments: [SIGINT, SIGTERM], ["out.mp4", "out.mkv"])
  func `a signal leaves a finished file with all frames received`(signal: Int32, output: String) throws {
    let folder = try TemporaryFolder()
    let arguments = ["-o", folder.file(output), "--detect", "none"]
    let (program, written, input) = try PacedInput(seconds: 2).run(frames: 40, arguments)
    program.send(signal)
    #expect(program.wait() == 130, "\(program.errors)")
    withExtendedLifetime(input) {}
    #expect(folder.names == [output])
    try checkRow(try Probe(folder.file(output)), frames: written...40)
  }
}
