import Testing
import VStreamCore
import VStreamInference
import VStreamMedia

@testable import VStreamDetection

/// The drawing on which object detectors are tested before a redaction relies on them.
struct DrawnPersonTests {
  @Test(arguments: [ModelCatalogue.ssdInt8, ModelCatalogue.ssdMobileNetV2])
  func `the object models of the catalogue detect the drawn person, with much to spare`(known: KnownModel) throws {
    let path = try known.requirePath()
    let model = try ObjectModel(path: path, configuration: ModelConfiguration(threads: 1))
    try DrawnPerson.require(by: model, at: path)
    var stage = try ObjectDetectionStage(model)
    let person = try #require(try stage.objects(in: try DrawnPerson.image(), timer: UntimedSteps()).first)
    #expect(person.label == "person" && person.score > 0.8, "\(person)")
    #expect(person.box.iou(DrawnPerson.box) > 0.7, "\(person.box)")
  }
}
