import VStream

// frames INPUT OUTPUT: frames of your own through a pipeline, here every second one of a video. The largest person is shown in
// the corner as well.
var options = VideoPipeline.Options()
options.objects?.classes = ["person"]
options.overwritesOutput = true
options.drawing = { frame, picture in
  guard let largest = frame.objects.max(by: { $0.box.area < $1.box.area }) else { return }
  let person = try picture.crop(largest.box)
  try picture.paste(person.scaled(to: PixelSize(width: 120, height: 240)), at: Point(x: 8, y: 8))
}
let frames = VideoFrames(contentsOf: CommandLine.arguments[1]).filter { $0.time.ticks.isMultiple(of: 2) }
let pipeline = try VideoPipeline(frames: frames, output: CommandLine.arguments[2], options: options)
let summary = try await pipeline.run { frame in print(frame.time.seconds, frame.objects.count, "people") }
print(summary.frames, "frames in", summary.outputURL?.lastPathComponent ?? "")
