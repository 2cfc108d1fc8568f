internal import VStreamScene
internal import VStreamSystem

/// COCO's 17 keypoints of a person.
enum COCOKeypoints {
  /// In COCO's order.
  private static let all: [(name: String, kind: PoseLandmark.Kind)] = [
    ("nose", .nose), ("left_eye", .leftEye), ("right_eye", .rightEye), ("left_ear", .leftEar),
    ("right_ear", .rightEar), ("left_shoulder", .leftShoulder), ("right_shoulder", .rightShoulder),
    ("left_elbow", .leftElbow), ("right_elbow", .rightElbow), ("left_wrist", .leftWrist),
    ("right_wrist", .rightWrist), ("left_hip", .leftHip), ("right_hip", .rightHip), ("left_knee", .leftKnee),
    ("right_knee", .rightKnee), ("left_ankle", .leftAnkle), ("right_ankle", .rightAnkle),
  ]

  /// The lines between keypoints, by their numbers from 1, as COCO's annotation files have them.
  private static let skeleton = [
    (16, 14), (14, 12), (17, 15), (15, 13), (12, 13), (6, 12), (7, 13), (6, 7), (6, 8), (7, 9), (8, 10), (9, 11),
    (2, 3), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7),
  ]

  /// The in-frame likelihood from which a keypoint is marked as visible.
  private static let visibleLikelihood = 0.5

  /// Adds x, y and visibility of each keypoint: 2 if it is visible, 1 if its position is an estimate, 0 if it is missing.
  static func add(_ landmarks: [PoseLandmark], to json: inout TextBuffer) {
    let points = all.map { keypoint in landmarks.first { $0.kind == keypoint.kind } }
    json.addList("keypoints") { list in
      for point in points {
        guard let point else {
          for _ in 0..<3 { list.addInteger(0) }
          continue
        }
        list.addNumber(point.position.x, places: 2)
        list.addNumber(point.position.y, places: 2)
        list.addInteger(point.inFrameLikelihood >= visibleLikelihood ? 2 : 1)
      }
    }
    json.add("num_keypoints", points.count { $0 != nil })
  }

  /// Adds the members of their category.
  static func addDescription(to json: inout TextBuffer) {
    json.addList("keypoints") { list in for keypoint in all { list.addText(keypoint.name) } }
    json.addList("skeleton") { list in
      for (one, other) in skeleton {
        list.addList { ends in
          ends.addInteger(one)
          ends.addInteger(other)
        }
      }
    }
  }
}
