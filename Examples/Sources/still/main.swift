import VStream

// still IMAGE: prints the objects of an image, highest score first.
let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
for object in try detector.results(in: VideoFrame(contentsOf: CommandLine.arguments[1])) {
  print(object.label, object.score, object.box.x, object.box.y, object.box.width, object.box.height)
}
