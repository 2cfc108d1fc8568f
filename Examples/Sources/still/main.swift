import VStream

// still PICTURE: what is in a picture, the best first.
let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
for object in try detector.results(in: VideoFrame(contentsOf: CommandLine.arguments[1])) {
  print(object.label, object.score, object.box.x, object.box.y, object.box.width, object.box.height)
}
