import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamInference
import VStreamMedia
import VStreamTestSupport

/// The stage's inputs and results.
@Suite struct ObjectDetectionStageTests {
  @Test func refusesAnotherModel() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("other.xml")
    try Self.otherNetwork.write(toFile: path, atomically: true, encoding: .utf8)
    try Data().write(to: URL(filePath: folder.file("other.bin")))
    let error = #expect(throws: VStreamError.self) {
      try ObjectModel(path: path, configuration: ModelConfiguration(threads: 1, usesCache: false))
    }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.hasPrefix("the model '\(path)' takes ") == true)
    #expect(error?.message.hasSuffix("it takes no image of a fixed size") == true)
    #expect(error?.remedy == "export it with fixed sizes, [1,3,height,width]")
  }

  @Test func refusesATensorOfAnotherSize() throws {
    var detector = try SharedModel.detector()
    let error = #expect(throws: VStreamError.self) { try detector.detect(inTensor: [1, 2, 3]) }
    #expect(error?.message == "3 values for an input of 270000")
  }

  @Test func nothingIsDetectedInAPlainImage() throws {
    var detector = try SharedModel.detector()
    #expect(try detector.detect(inTensor: [Float](repeating: 127, count: 270_000)).isEmpty)
  }

  @Test func frameAndItsTensorGiveTheSame() throws {
    var detector = try SharedModel.detector()
    let frame = try SampleFrames.read("street.avi", at: [100])[0]
    let inFrame = try detector.objects(in: frame, timer: NoTimer())
    let tensor = try detector.lastInput()
    #expect(tensor.count == 270_000)
    #expect(tensor.allSatisfy { $0 >= 0 && $0 <= 255 })
    let inTensor = try detector.detect(inTensor: tensor)
    #expect(!inFrame.isEmpty)
    #expect(inFrame.map(\.score) == inTensor.map(\.score))
    for (one, other) in zip(inFrame, inTensor) {
      #expect(abs(one.box.x / 768 - other.box.x / 300) < 1e-6)
      #expect(abs(one.box.bottom / 576 - other.box.bottom / 300) < 1e-6)
    }
  }

  @Test func reportsOnlyRequestedClasses() throws {
    let frame = try SampleFrames.read("street.avi", at: [100])[0]
    var everything = try SharedModel.detector(ObjectDetectionOptions(minimumScore: 0.1))
    let all = try everything.objects(in: frame, timer: NoTimer())
    #expect(Set(all.map(\.label)).count > 1)
    let persons = ClassList.coco.names.firstIndex(of: "person").map { Set([$0]) }
    var strict = try SharedModel.detector(ObjectDetectionOptions(minimumScore: 0.5, classes: persons))
    let found = try strict.objects(in: frame, timer: NoTimer())
    #expect(!found.isEmpty)
    #expect(found == all.filter { $0.label == "person" && $0.score >= 0.5 })
  }

  @Test func timesBothSteps() throws {
    let timer = CountingTimer()
    var detector = try SharedModel.detector()
    _ = try detector.detect(in: try SampleFrames.read("street.avi", at: [0])[0], timer: timer)
    #expect(timer.steps == ["sampling", "inferring"])
  }

  /// A network of one layer, in OpenVINO's own format.
  private static let otherNetwork = """
    <?xml version="1.0"?>
    <net name="other" version="11">
      <layers>
        <layer id="0" name="in" type="Parameter" version="opset1">
          <data shape="1,3" element_type="f32"/>
          <output><port id="0" precision="FP32" names="in"><dim>1</dim><dim>3</dim></port></output>
        </layer>
        <layer id="1" name="relu" type="ReLU" version="opset1">
          <input><port id="0" precision="FP32"><dim>1</dim><dim>3</dim></port></input>
          <output><port id="1" precision="FP32" names="out"><dim>1</dim><dim>3</dim></port></output>
        </layer>
        <layer id="2" name="result" type="Result" version="opset1">
          <input><port id="0" precision="FP32"><dim>1</dim><dim>3</dim></port></input>
        </layer>
      </layers>
      <edges>
        <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
        <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
      </edges>
    </net>
    """
}
