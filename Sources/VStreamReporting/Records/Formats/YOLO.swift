internal import VStreamCore
internal import VStreamSystem

/// YOLO's label text: `class cx cy width height score` for each object, without faces and poses.
///
/// Classes are numbered from 0; boxes are clipped to the frame and given in fractions of its size. In the records of a
/// video each line starts with the frame number, from 0.
struct YOLOEncoder: RecordEncoder {
  static let format = RecordFormat("YOLO", fileNameEndings: [".yolo.txt"], kinds: [.objects])

  private var size = PixelSize(width: 1, height: 1)
  private var isStillImage = false

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    size = header.size
    isStillImage = header.isStillImage
  }

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    for object in record.annotations.found.objects ?? [] {
      guard let box = object.box.clipped(to: size)?.scaled(x: 1 / Double(size.width), y: 1 / Double(size.height))
      else { continue }
      if !isStillImage {
        text.append(record.annotations.frame)
        text.append(" ")
      }
      text.append(object.classIndex)
      for value in [box.center.x, box.center.y, box.width, box.height] {
        text.append(" ")
        text.append(value, places: 6)
      }
      text.append(" ")
      text.append(object.score, places: 4)
      text.append("\n")
    }
  }
}
