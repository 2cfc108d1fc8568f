import Foundation
import Testing
import VStreamDetection
import VStreamScene
import VStreamTestSupport

/// Our poses beside those of MediaPipe's Python package, as recorded by `scripts/evaluate/poses --record`.
struct PoseReferenceTests {
  /// What MediaPipe found in a picture made of the portrait.
  struct Reference: Decodable, Sendable {
    struct Picture: Decodable, Sendable, CustomTestStringConvertible {
      let name: String
      /// Of FFmpeg, that made it of the portrait.
      let filters: String
      /// x, y, and visibility of each landmark.
      let landmarks: [[Double]]
      var testDescription: String { name }
    }

    let pictures: [Picture]

    static let recorded = Result {
      try JSONDecoder().decode(
        Self.self, from: Data(contentsOf: URL(filePath: Checkout.fixture("poses-mediapipe.json")))
      ).pictures
    }
  }

  @Test func `landmarks that both see differ by less than a hundredth of the person's height`() throws {
    let pictures = try Reference.recorded.get()
    #expect(pictures.count == 8)
    for picture in pictures {
      var detector = try SharedPoseModels.detector { $0.detectorMode = .singleImage }
      let found = try detector.poses(in: try Portrait.frame(picture.filters), timer: NoTimer())
      let pose = try #require(found.first, "\(picture.name)")
      #expect(picture.landmarks.count == pose.landmarks.count)
      let heights = picture.landmarks.map { $0[1] }
      let height = (heights.max() ?? 0) - (heights.min() ?? 0)
      let distances = zip(pose.landmarks, picture.landmarks).compactMap { own, theirs in
        own.inFrameLikelihood > 0.5 && theirs[2] > 0.5
          ? hypot(own.position.x - theirs[0], own.position.y - theirs[1]) / height : nil
      }
      #expect(distances.count >= 12, "\(picture.name)")
      let mean = distances.reduce(0, +) / Double(max(1, distances.count))
      #expect(mean < 0.01, "\(picture.name): \(mean)")
    }
  }

  /// What one is sure to see, the other does not take for unlikely.
  @Test func `likelihoods go with MediaPipe's visibilities`() throws {
    for picture in try Reference.recorded.get() {
      var detector = try SharedPoseModels.detector { $0.detectorMode = .singleImage }
      let found = try detector.poses(in: try Portrait.frame(picture.filters), timer: NoTimer())
      for (own, theirs) in zip(try #require(found.first).landmarks, picture.landmarks) {
        let likelihood = own.inFrameLikelihood
        if theirs[2] > 0.95 { #expect(likelihood > 0.5, "\(picture.name), \(own.kind)") }
        if theirs[2] < 0.05 { #expect(likelihood < 0.5, "\(picture.name), \(own.kind)") }
      }
    }
  }
}
