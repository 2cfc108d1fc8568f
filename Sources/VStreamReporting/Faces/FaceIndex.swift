package import VStreamCore
internal import VStreamSystem

/// The frame, face and file of a saved face crop.
package struct SavedFace: Hashable, Sendable {
  /// Name of the image file, without its folder.
  package var file: String
  /// Index of the decoded frame in this run, from 0.
  package var frame: Int
  package var time: Time
  package var face: DetectedFace
  package var quality: FaceQuality

  package init(file: String, frame: Int, time: Time, face: DetectedFace, quality: FaceQuality) {
    self.file = file
    self.frame = frame
    self.time = time
    self.face = face
    self.quality = quality
  }
}

/// The table of saved faces (CSV, RFC 4180): times in seconds, boxes in pixels of the upright frame, angles in degrees.
///
/// Unknown values are empty: the ID of a face in a photo, the angles of one without a mesh.
package enum FaceIndex {
  package static let heading = "file,id,frame,pts,left,top,width,height,score,x,y,z,sharpness,frontality"

  package static func line(_ saved: SavedFace) -> String {
    let (face, angles) = (saved.face, saved.face.angles)
    let box = [face.box.x, face.box.y, face.box.width, face.box.height]
    let rotation = [angles?.x, angles?.y, angles?.z].map { $0.map { $0.formatted(.decimals(1...4)) } ?? "" }
    let fields =
      [CSVEncoder.quoted(saved.file), face.id.map { "\($0)" } ?? "", "\(saved.frame)"]
      + [saved.time.seconds.formatted(.decimals(1...6))] + box.map { $0.formatted(.decimals(1...2)) }
      + [face.score.formatted(.decimals(1...4))] + rotation
      + [saved.quality.sharpness, saved.quality.frontality].map { $0.formatted(.decimals(1...4)) }
    return fields.joined(separator: ",")
  }
}
