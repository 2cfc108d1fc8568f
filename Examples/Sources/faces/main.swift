import VStream

// faces IMAGE FOLDER: saves an upright picture of each face, and the image with all of them covered.
let frame = try VideoFrame(contentsOf: CommandLine.arguments[1])
let folder = CommandLine.arguments[2]
let faces = try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage)).results(in: frame)
for (index, face) in faces.enumerated() {
  let name = "face-\(index + 1).jpg"
  try frame.crop(of: face).write(to: "\(folder)/\(name)", overwrite: true)
  print(name, face.box, "turned by \(Int(face.angles?.y ?? 0))°")
}
try frame.redacting(faces).write(to: "\(folder)/covered.jpg", overwrite: true)
print(faces.count, "faces covered in covered.jpg")
