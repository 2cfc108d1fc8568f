import Testing
import VStreamCore
import VStreamPipeline
import VStreamReporting

@testable import VStreamCommand

/// Wrong values of options, and the complete error line of each.
struct WrongOptionTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let words: [String]
    let message: String
    init(_ words: String, _ message: String) {
      self.words = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
      self.message = message
    }
    var testDescription: String { words.joined(separator: " ") }
  }

  /// The most threads that are accepted.
  private static let threads = max(8, 4 * PipelineConfiguration.processorCount)

  static let rows = [
    // Source.
    Row("--start x", "--start x: is not a time; give seconds, for example 12.5, or 1:23:45.6"),
    Row("--duration 1:2:3:4", "--duration 1:2:3:4: is not a time; give seconds, for example 12.5, or 1:23:45.6"),
    Row("--timeout 0", "--timeout 0.0: is not a time; give more than 0 seconds"),
    Row("--reconnect=-1", "--reconnect -1.0: is not a time; give 0 seconds or more"),
    Row("--late maybe", "--late maybe: is not a late-frame policy; use drop or wait"),
    Row("--hold nan", "--hold nan: is not a time; give 0 seconds or more"),
    Row("--input-option framerate", "--input-option framerate: is not KEY=VALUE; write, for example, framerate=30"),
    // Detection.
    Row("--detect dogs", "--detect dogs: 'dogs' cannot be detected; use objects, faces, poses or none"),
    Row("--detect ''", "--detect '': is empty; use objects, faces, poses or none"),
    Row(
      "--detect none,faces",
      "--detect none,faces: none cannot be combined with others; use objects, faces, poses or none"),
    Row("--mode photo", "--mode photo: is not a mode; use stream or single-image"),
    Row("--detect objects --accuracy best", "--accuracy best: is no accuracy; use fast, balanced or accurate"),
    Row("--detect objects --passes 0", "--passes 0.0: is not a number of passes; give 0.1 to 20"),
    Row("--detect-every 0", "--detect-every 0: is not a number of frames; give 1 or more, or auto"),
    Row("--device TPU", "--device TPU: is not a device; use CPU, GPU, NPU, AUTO"),
    // Objects.
    Row("--classes ''", "--classes '': is empty; omit it for all classes"),
    Row("--max-objects 0", "--max-objects 0: is not a number of objects; give 1 or more"),
    Row("--categories --detect faces", "--categories: no objects are detected; add objects to --detect"),
    Row("--face-mode accurate --detect objects", "--face-mode accurate: faces are not detected; add faces to --detect"),
    Row("--face-landmarks --detect none", "--face-landmarks: faces are not detected; add faces to --detect"),
    Row("--min-face-size 0.1 --detect poses", "--min-face-size 0.1: faces are not detected; add faces to --detect"),
    Row("--min-score 1.5", "--min-score 1.5: is not a score; give more than 0, at most 1"),
    Row("--min-score nan", "--min-score nan: is not a score; give more than 0, at most 1"),
    // Tracking.
    Row("--lost-after=-1", "--lost-after -1.0: is not a time; give 0 seconds or more"),
    Row("--confirm-after 0", "--confirm-after 0: is not a number of detections; give 1 or more"),
    Row("--min-iou 1", "--min-iou 1.0: is not an overlap; give more than 0 and less than 1"),
    // Counting.
    Row("--zone door", "--zone door: has no name; write, for example, door:10%,20%;40%,20%;40%,90%;10%,90%"),
    Row("--zone a:1,2;3,4", "--zone a:1,2;3,4: has 2 corners; give three or more"),
    Row(
      "--zone a:1,x;1,1;2,2",
      "--zone a:1,x;1,1;2,2: '1,x' is not a point; write, for example, door:10%,20%;40%,20%;40%,90%;10%,90%"),
    Row(
      "--zone a:1,2%x;1,1;2,2",
      "--zone a:1,2%x;1,1;2,2: '1,2%x' is not a point; write, for example, door:10%,20%;40%,20%;40%,90%;10%,90%"),
    Row(
      "--zone a:1,2%3;1,1;2,2",
      "--zone a:1,2%3;1,1;2,2: '1,2%3' is not a point; write, for example, door:10%,20%;40%,20%;40%,90%;10%,90%"),
    Row("--line a:1,1;1,1", "--line a:1,1;1,1: is not a line; give its two ends, for example gate:0%,50%;100%,50%"),
    Row("--line a:1,1;2,2 --line a:1,1;2,2", "--line a: is named twice; give each a name of its own"),
    // Drawing.
    Row(
      "--draw circles",
      "--draw circles: 'circles' cannot be drawn; "
        + "use boxes, labels, ids, landmarks, contours, skeleton, angles, zones or none"),
    Row("--draw ''", "--draw '': is empty; use none to draw nothing"),
    Row("--overlay-track srt -o out.mkv", "--overlay-track srt: is not a subtitle format; use ass"),
    Row(
      "--overlay-track ass --detect none -o out.mkv",
      "--overlay-track: with --detect none nothing is shown; omit one of them"),
    Row(
      "--overlay-track ass --draw none -o out.mkv",
      "--overlay-track: with --draw none nothing is shown; use boxes, labels, ids"),
    Row(
      "--overlay-track ass --draw skeleton -o out.mkv",
      "--draw skeleton: 'skeleton' cannot be shown by subtitles (--overlay-track); use boxes, labels, ids"),
    Row(
      "--overlay-track ass -o out.m3u8",
      "--overlay-track: hls does not hold such subtitles; write an .mkv, or use --output-format matroska"),
    Row(
      "--overlay-track ass -o out%d.png",
      "--overlay-track: images are re-encoded, not copied; write an .mkv, or use --output-format matroska"),
    // Redaction.
    Row("--redact pixels", "--redact pixels: is not a redaction style; use mosaic, blur or fill"),
    Row(
      "--redact fill --redact-what ''",
      "--redact-what '': is empty; name faces, or classes, for example person,car"),
    Row(
      "--redact fill --redact-what zebro",
      "--redact-what zebro: 'zebro' is not a class of this model; name faces, or classes, for example person,car"),
    Row(
      "--redact fill --redact-what person --classes car",
      "--redact-what person: person is not detected (--classes); add it to --classes"),
    Row(
      "--redact fill --redact-what person --detect faces",
      "--redact-what person: cannot be redacted with --detect faces; omit --detect, or add objects to it"),
    Row("--redact fill --look-back=-1", "--look-back -1.0: is not a time; give 0 seconds or more"),
    // Records.
    Row(
      "--records r.xml",
      "'r.xml' is not a file name that ends like a record format (--records); end it in one of "
        + RecordFormat.list),
    Row("--save-faces ''", "--save-faces '': is empty; name a folder"),
    Row("--save-faces f --detect objects", "--save-faces f: faces are not detected; add faces to --detect"),
    Row(
      "--save-faces f --crop-format gif", "--crop-format gif: is not an image format for faces; use jpg or png"),
    // Running.
    Row("--threads 0", "--threads 0: is not a number of threads for this machine; give 1 to \(threads)"),
    Row("--threads 1024", "--threads 1024: is not a number of threads for this machine; give 1 to \(threads)"),
  ]

  @Test(arguments: rows)
  func `the error of a wrong value names it, with a valid example`(row: Row) throws {
    #expect(try CommandLineOptions.message(row.words) == row.message)
  }

  private static let models = "ssd-int8, ssd-mobilenet-v2, yolox-nano, yolox-tiny, nanodet-plus-m"

  static let detectors = [
    Row("--detect faces --face-mode slow", "--face-mode slow: is not a mode; use fast or accurate"),
    Row("--detect faces --min-face-size 0", "--min-face-size 0.0: is not a fraction; give more than 0, at most 1"),
    Row("--detect faces --face-search=-1", "--face-search -1.0: is not a time; give 0 seconds or more"),
    Row("--detect poses --pose-mode heavy", "--pose-mode heavy: is not a mode; use base or accurate"),
    Row("--detect poses --max-poses 0", "--max-poses 0: is not a number of people; give 1 or more"),
    Row(
      "--detect objects --object-model no.xml",
      "there is no model file 'no.xml' (--object-model); models by name: \(models)"),
    Row(
      "--detect objects --object-model yolo",
      "--object-model yolo: is neither a known model nor a file; known: \(models)"),
  ]

  @Test(arguments: detectors)
  func `a wrong value of a detector is named`(row: Row) throws {
    let command = try CommandLineOptions(row.words).command
    let run = try RunContext(command)
    var group: (any DetectorOptionGroup)? { command.detectorGroups.first { run.kinds.contains(type(of: $0).kind) } }
    let error = #expect(throws: (any Error).self) {
      _ = try group?.detector(for: .annotation, run)
    }
    #expect((error as? VStreamError)?.commandText == row.message)
  }
}
