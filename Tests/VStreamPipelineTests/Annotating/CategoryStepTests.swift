import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia

@testable import VStreamPipeline

/// When the classifier of categories is made.
struct CategoryStepTests {
  private func annotation(_ found: Detections) -> Annotation {
    var annotation = Annotation()
    annotation.found = found
    return annotation
  }

  @Test func `without objects no classifier is made`() throws {
    var step = CategoryStep { throw VStreamError(.missingDependency, "no network") }
    let faces = Detections(faces: [DetectedFace(score: 1, box: Box(x: 0, y: 0, width: 9, height: 9))])
    for found in [Detections(), faces] {
      var annotation = annotation(found)
      try step.categorise(&annotation, in: try Scripted.frame(0), timer: UntimedSteps())
      #expect(annotation.found == found)
    }
  }

  @Test func `a classifier that cannot be made is an error at the first frame with objects`() throws {
    var step = CategoryStep { throw VStreamError(.missingDependency, "no network") }
    let frame = try Scripted.frame(0)
    var annotation = annotation(Detections(objects: [Scripted.object()]))
    let error = #expect(throws: VStreamError.self) {
      try step.categorise(&annotation, in: frame, timer: UntimedSteps())
    }
    #expect(error?.code == .missingDependency)
  }
}
