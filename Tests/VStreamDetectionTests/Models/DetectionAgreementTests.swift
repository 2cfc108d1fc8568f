import Testing
import VStreamCore
import VStreamDetection

/// How the objects of two detectors are compared.
struct DetectionAgreementTests {
  private func object(_ classIndex: Int, _ x: Double) -> DetectedObject {
    DetectedObject(
      classIndex: classIndex, label: "\(classIndex)", score: 0.9, box: Box(x: x, y: 0, width: 10, height: 10))
  }

  @Test func `objects of a class are the same if they overlap by half, each once and the nearest first`() {
    var agreement = DetectionAgreement()
    agreement.add([object(0, 1), object(0, 2), object(1, 100)], to: [object(0, 0), object(0, 50), object(0, 100)])
    #expect((agreement.expected, agreement.found, agreement.common) == (3, 3, 1))
    #expect(agreement.meanIoU == 9.0 / 11)
    agreement.add([object(2, 0)], to: [object(2, 0)])
    #expect(agreement.recall == 0.5 && agreement.precision == 0.5)
  }

  @Test func `nothing says nothing`() {
    let none = DetectionAgreement()
    #expect(none.recall == nil && none.precision == nil && none.meanIoU == nil)
  }
}
