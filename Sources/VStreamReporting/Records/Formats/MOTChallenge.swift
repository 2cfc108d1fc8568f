package import VStreamCore
internal import VStreamSystem

/// MOTChallenge's text: one line per object, without faces and poses.
struct MOTChallengeEncoder: RecordEncoder {
  static let format = RecordFormat("MOTChallenge", fileNameEndings: [".txt"], kinds: [.objects])

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    for object in record.annotations.found.objects ?? [] {
      MOTText.add(object, frame: record.annotations.frame + 1, to: &text)
    }
  }
}

/// The text of a MOTChallenge file.
package struct MOTText: Sendable {
  private var buffer = TextBuffer()

  package init() {}

  package var bytes: [UInt8] { buffer.bytes }

  /// Adds the line `frame,id,left,top,width,height,score,class,1`. Classes are numbered from 1; the ID of an object
  /// without one is −1.
  ///
  /// - Parameter frame: numbered from 1.
  package mutating func add(_ object: DetectedObject, frame: Int) { Self.add(object, frame: frame, to: &buffer) }

  static func add(_ object: DetectedObject, frame: Int, to text: inout TextBuffer) {
    text.append(frame)
    text.append(",")
    text.append(object.id ?? -1)
    text.append(",")
    object.box.forEachNumber { number in
      text.append(number, places: 2)
      text.append(",")
    }
    text.append(object.score, places: 4)
    text.append(",")
    text.append(object.classIndex + 1)
    text.append(",1\n")
  }
}
