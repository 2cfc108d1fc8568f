internal import VStreamScene

/// The members of a line of records that are read back.
struct RecordLine: Decodable {
  struct Input: Decodable {
    var width: Int
    var height: Int
    var timeBase: String
  }

  struct Options: Decodable {
    var detect: [String]?
    var recordDetections: Bool?
    var classes: [String]?
  }

  struct Object: Decodable {
    var id: Int?
    var label: String
    var score: Double
    var box: [Double]
    var category: String?
    var categoryScore: Double?
  }

  struct Face: Decodable {
    var id: Int?
    var score: Double
    var box: [Double]
    var angles: HeadAngles?
    var landmarks: [String: [Double]]?
    var contours: [String: [[Double]]]?
    var smiling: Double?
    var leftEyeOpen: Double?
    var rightEyeOpen: Double?
  }

  struct Pose: Decodable {
    struct Landmark: Decodable {
      var type: String
      var x: Double
      var y: Double
      var z: Double
      var inFrameLikelihood: Double
    }

    var id: Int?
    var score: Double
    var box: [Double]
    var landmarks: [Landmark]
  }

  /// Lists of observations, which a line holds itself and under `detections`.
  struct Lists: Decodable {
    var objects: [Object]?
    var faces: [Face]?
    var poses: [Pose]?
  }

  var type: String
  var version: Int?
  var input: Input?
  var options: Options?
  var ticks: Int64?
  var source: AnnotationSource?
  var objects: [Object]?
  var faces: [Face]?
  var poses: [Pose]?
  var detections: Lists?

  var lists: Lists { Lists(objects: objects, faces: faces, poses: poses) }
}
