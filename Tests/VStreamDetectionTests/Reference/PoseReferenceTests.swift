import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamTestSupport

/// Poses compared with MediaPipe's Python package, as recorded by `scripts/fixtures/record-reference poses`.
struct PoseReferenceTests {
  /// MediaPipe's poses in images derived from the portrait.
  struct Reference: Decodable, Sendable {
    struct Image: Decodable, Sendable, CustomTestStringConvertible {
      let name: String
      /// FFmpeg's filters that derive it from the portrait.
      let filters: String
      /// x, y, and visibility of each landmark.
      let landmarks: [[Double]]
      var testDescription: String { name }
    }

    let images: [Image]

    static let recorded = Result {
      try JSONDecoder().decode(
        Self.self, from: Data(contentsOf: URL(filePath: Checkout.fixture("poses-mediapipe.json")))
      ).images
    }
  }

  @Test func `landmarks that are visible to both differ by less than a hundredth of the person's height`() throws {
    let images = try Reference.recorded.get()
    #expect(images.count == 8)
    for image in images {
      var detector = try SharedPoseModels.detector { $0.detectorMode = .singleImage }
      let found = try detector.poses(in: try Portrait.frame(image.filters), timer: NoTimer())
      let pose = try #require(found.first, "\(image.name)")
      #expect(image.landmarks.count == pose.landmarks.count)
      let heights = image.landmarks.map { $0[1] }
      let height = (heights.max() ?? 0) - (heights.min() ?? 0)
      let distances = zip(pose.landmarks, image.landmarks).compactMap { own, theirs in
        own.inFrameLikelihood > 0.5 && theirs[2] > 0.5
          ? hypot(own.position.x - theirs[0], own.position.y - theirs[1]) / height : nil
      }
      #expect(distances.count >= 12, "\(image.name)")
      let mean = distances.reduce(0, +) / Double(max(1, distances.count))
      #expect(mean < 0.01, "\(image.name): \(mean)")
    }
  }

  /// Landmarks with a high visibility of one do not have a low one of the other.
  @Test func `likelihoods agree with MediaPipe's visibilities`() throws {
    for image in try Reference.recorded.get() {
      var detector = try SharedPoseModels.detector { $0.detectorMode = .singleImage }
      let found = try detector.poses(in: try Portrait.frame(image.filters), timer: NoTimer())
      for (own, theirs) in zip(try #require(found.first).landmarks, image.landmarks) {
        let likelihood = own.inFrameLikelihood
        if theirs[2] > 0.95 { #expect(likelihood > 0.5, "\(image.name), \(own.kind)") }
        if theirs[2] < 0.05 { #expect(likelihood < 0.5, "\(image.name), \(own.kind)") }
      }
    }
  }
}
