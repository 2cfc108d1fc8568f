import VStream

// newest INPUT: detects objects in the newest frame whenever the detector is free.
let frames = VideoFrames(contentsOf: CommandLine.arguments[1])
for try await result in try ObjectDetector().results(for: frames, late: .drop) {
  print(result.frame.time, result.found.map(\.label), "after \(result.dropped) dropped frames")
}
