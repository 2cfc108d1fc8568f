import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamReporting

struct RecordWriterTests {
  @Test func `an unknown format is an error before any file is created`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: VStreamError.self) { try RecordWriter(path: folder.file("r.xml"), overwrite: true) }
    #expect(error?.code == .usage)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: RecordFormat.all)
  func `a folder that does not exist is an error with the file's path`(_ format: RecordFormat) {
    let path = "/nonexistent/r\(format.fileNameEndings[0])"
    let error = #expect(throws: VStreamError.self) { try RecordWriter(path: path, overwrite: true) }
    #expect(error?.code == .cannotCreateOutput && error?.message.contains(path) == true)
  }

  @Test func `an existing file is replaced`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("r.csv")
    try String(repeating: "old\n", count: 100).write(toFile: path, atomically: true, encoding: .utf8)
    var writer = try RecordWriter(path: path, overwrite: true)
    try writer.write(RecordScene.header)
    try writer.finish(RunCounts())
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == "frame,pts,source,kind,id,label,score,left,top,width,height,category,categoryScore,predicted\n")
  }

  @Test(arguments: RecordFormat.all)
  func `the same values give the same bytes`(_ format: RecordFormat) throws {
    let ending = format.fileNameEndings[0]
    #expect(try RecordScene.text(ending) == RecordScene.text(ending.uppercased()))
  }

  @Test(arguments: RecordFormat.all)
  func `values that are not finite leave no such number in the text`(_ format: RecordFormat) throws {
    let object = DetectedObject(
      classIndex: 0, label: "person", score: .nan, box: Box(x: .infinity, y: -.infinity, width: .nan, height: 1))
    let record = FrameRecord(RecordScene.frame(0, ticks: 0, .detected, Detections(objects: [object])))
    let text = try RecordScene.text(format.fileNameEndings[0], [record]).lowercased()
    #expect(!text.contains("nan") && !text.contains("inf,") && !text.contains("infinity"))
  }

  @Test func `a full device is an error of writing`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("full.jsonl")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    var writer = try RecordWriter(path: path, overwrite: true)
    try writer.write(RecordScene.header)
    let error = #expect(throws: VStreamError.self) { try writer.finish(RunCounts()) }
    #expect(error?.code == .inputOutput && error?.message.contains(path) == true)
  }
}
