internal import VStreamScene
internal import VStreamSystem

extension TextBuffer {
  /// Appends a box's corner and size, in pixels.
  mutating func append(_ box: Box, separator: String) {
    append(box.x, places: 2)
    append(separator)
    append(box.y, places: 2)
    append(separator)
    append(box.width, places: 2)
    append(separator)
    append(box.height, places: 2)
  }

  /// Appends a member `[x,y,width,height]`, in pixels.
  mutating func addBox(_ key: String, _ box: Box) {
    addList(key) { $0.append(box, separator: ",") }
  }
}
