public import VStreamDetection
public import VStreamMedia
internal import VStreamScene

/// Adds the objects' categories to the annotations of one stream: by the object's class, or by inference once for each track
/// and again when it has grown.
///
/// It runs on the annotator thread, as the category is part of the frame's record and depends on the frame's tracks. It does not
/// delay the run: in 4 s of street.avi there are 8 inferences, while the detector's threads run 80, and the run takes as long as
/// without categories.
public struct CategoryStep {
  private let makeClassifier: @Sendable () throws -> CategoryClassifier
  private var categories = TrackCategoryCache()
  /// `nil` before the first frame.
  private var classifier: CategoryClassifier?

  /// - Parameter makeClassifier: called once, at the first frame with objects.
  public init(_ makeClassifier: @escaping @Sendable () throws -> CategoryClassifier) {
    self.makeClassifier = makeClassifier
  }

  /// - Throws: `VStreamError` of the classifier.
  public mutating func categorise(
    _ annotation: inout Annotation, in frame: VideoFrame, timer: any StepTimer
  ) throws {
    categories.forget(annotation.ended[.objects] ?? [])
    guard let objects = annotation.found.objects else { return }
    var classifier = try classifier ?? makeClassifier()
    annotation.found.objects = try categories.categorise(objects, isDetected: annotation.source == .detected) { box in
      try classifier.category(of: box, in: frame, timer: timer)
    }
    self.classifier = classifier
  }
}
