internal import VStreamScene
internal import VStreamSystem

/// KITTI's tracking format: frame, ID, class, KITTI's placeholders for unknown values, the box's corners, and the score.
struct KITTIEncoder: RecordEncoder {
  static let format = RecordFormat("KITTI", fileNameEndings: [".kitti.txt"])

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    record.annotations.found.forEachEntry { entry in
      text.append(record.annotations.frame)
      text.append(" ")
      text.append(entry.id ?? -1)
      text.append(" ")
      // Columns are separated by spaces.
      text.append(entry.label.contains(where: \.isWhitespace) ? Self.withoutSpaces(entry.label) : entry.label)
      // Truncation, occlusion and observation angle.
      text.append(" -1 -1 -10")
      for corner in [entry.box.x, entry.box.y, entry.box.right, entry.box.bottom] {
        text.append(" ")
        text.append(corner, places: 2)
      }
      // Dimensions, position and rotation in space.
      text.append(" -1 -1 -1 -1000 -1000 -1000 -10 ")
      text.append(entry.score, places: 4)
      text.append("\n")
    }
  }

  private static func withoutSpaces(_ label: String) -> String {
    String(label.map { $0.isWhitespace ? "_" : $0 })
  }
}
