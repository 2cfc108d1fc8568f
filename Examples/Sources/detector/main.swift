import VStream

// detector INPUT OUTPUT: a detector of your own. It finds what is brightest in a frame: lamps, the sun, reflections; and is
// tracked, drawn and recorded as the built-in ones are.
struct LampDetector: FrameDetector {
  /// Pixels of a cell, which is bright or not.
  static let cell = 16

  mutating func detect(in frame: VideoFrame) throws -> [DetectedObject] {
    let luma = try frame.pixels(as: .gray)
    let (width, height) = (frame.size.width, frame.size.height)
    var lamps: [DetectedObject] = []
    for top in stride(from: 0, to: height - Self.cell, by: Self.cell) {
      for left in stride(from: 0, to: width - Self.cell, by: Self.cell) {
        var sum = 0
        for y in top..<top + Self.cell {
          for x in left..<left + Self.cell { sum += Int(luma[y * width + x]) }
        }
        let brightness = Double(sum) / Double(Self.cell * Self.cell * 255)
        guard brightness > 0.7 else { continue }
        let cell = Box(x: Double(left), y: Double(top), width: Double(Self.cell), height: Double(Self.cell))
        // Cells that touch are one lamp.
        let reach = Box(x: cell.x - 1, y: cell.y - 1, width: cell.width + 2, height: cell.height + 2)
        if let index = lamps.firstIndex(where: { $0.box.intersection(reach) != nil }) {
          lamps[index].box = lamps[index].box.hull(cell)
        } else {
          lamps.append(DetectedObject(classIndex: 0, label: "lamp", score: brightness, box: cell))
        }
      }
    }
    return lamps
  }
}

var options = VideoPipeline.Options()
options.use { LampDetector() }
options.output = CommandLine.arguments[2]
options.overwritesOutput = true
let summary = try await VideoPipeline(input: CommandLine.arguments[1], options: options).run()
print(summary.frames, "frames:", summary.countsByLabel)
