import VStream

// live INPUT [OUTPUT]: prints the objects and faces of a camera, stream or file, frame by frame, and from time to time how long
// it has been running.
var options = VideoPipeline.Options()
options.faces = FaceDetectorOptions()
options.output = CommandLine.arguments.dropFirst(2).first
options.overwritesOutput = true
let pipeline = try VideoPipeline(input: CommandLine.arguments[1], options: options)
let clock = Task {
  let start = ContinuousClock.now
  while !Task.isCancelled {
    print("running for", ContinuousClock.now - start)
    try await Task.sleep(for: .milliseconds(100))
  }
}
let summary = try await pipeline.run { frame in
  for object in frame.objects {
    print(frame.time.seconds, frame.isPredicted ? "predicted" : "detected", object.id ?? 0, object.label, object.box)
  }
  for face in frame.faces {
    print(frame.time.seconds, frame.isPredicted ? "predicted" : "detected", face.id ?? 0, "face", face.box)
  }
}
clock.cancel()
print(summary.frames, "frames:", summary.countsByLabel)
