import Synchronization
import VStream

// marks INPUT OUTPUT: drawing of your own. Each person has a trail of where they have been, and a caption instead of the
// box and label that are drawn otherwise.
let trails = Mutex<[Int: [Point]]>([:])
var options = VideoPipeline.Options()
options.objects?.classes = ["person"]
options.overlay = OverlayOptions(elements: [])
options.marks = { frame in
  trails.withLock { trails in
    frame.objects.map { person in
      let id = person.id ?? 0
      let feet = Point(x: person.box.center.x, y: person.box.bottom)
      trails[id] = (trails[id] ?? []).suffix(40) + [feet]
      return OverlayMark(points: trails[id] ?? [], text: "visitor \(id)", color: Color(number: id))
    }
  }
}
options.output = CommandLine.arguments[2]
options.overwritesOutput = true
let summary = try await VideoPipeline(input: CommandLine.arguments[1], options: options).run()
print(summary.frames, "frames,", summary.countsByLabel["person"] ?? 0, "visitors")
