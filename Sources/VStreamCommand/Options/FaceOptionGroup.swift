internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamPipeline
internal import VStreamReporting

struct FaceOptionGroup: DetectorOptionGroup {
  static let kind = DetectionKind.faces

  @Option(
    help: ArgumentHelp(
      "fast detects faces from 0.03 of the frame's width, accurate from 0.01, or from --min-face-size. "
        + "(default: fast; accurate when faces are redacted)", valueName: "fast|accurate"),
    completion: .list(["fast", "accurate"]))
  var faceMode: String?

  @Flag(help: "Detect ten landmarks of each face: eyes, ears, cheeks, nose, mouth.")
  var faceLandmarks = false

  @Flag(help: "Detect fifteen contours of each face, 133 points.")
  var faceContours = false

  @Flag(help: "Classify whether each face smiles and has its eyes open.")
  var faceClassification = false

  @Option(
    help: ArgumentHelp(
      "Width of the smallest face to detect, as a fraction of the frame's width, and at least 8 pixels. "
        + "(default: 0.03; 0.01 with --face-mode accurate, and when faces are redacted)", valueName: "fraction"))
  var minFaceSize: Double?

  @Option(
    help: ArgumentHelp(
      "Seconds between searches of the whole frame for new faces, at most of every fifth frame and at least one a second; "
        + "known faces are tracked on every frame. 0 searches the whole of every frame, as is always done when faces are "
        + "redacted, and with --detect-every. (default: 0.2)", valueName: "seconds"))
  var faceSearch: Double?

  static var rules: [OptionRule] {
    detectionRules([
      GivenOption("--face-mode", \.faces.faceMode), GivenOption("--face-landmarks", \.faces.faceLandmarks),
      GivenOption("--face-contours", \.faces.faceContours),
      GivenOption("--face-classification", \.faces.faceClassification),
      GivenOption("--min-face-size") { $0.faces.minFaceSize.map { "\($0)" } },
      GivenOption("--face-search") { $0.faces.faceSearch.map { "\($0)" } },
    ])
  }

  func detector(for purpose: DetectionPurpose, _ run: RunContext) throws(VStreamError) -> DetectorSpec {
    let drawsAngles = try run.command.drawing.drawsAngles()
    let needsAngles = run.recordsFaces || drawsAngles
    var options = try options(for: purpose, needsAngles: needsAngles)
    options.minimumScore = run.detectorScore
    options.device = run.device
    return DetectorSpec(.faces(options))
  }

  /// The detector's options for a purpose.
  ///
  /// - Parameter needsAngles: whether the head's angles are recorded or drawn; they are also detected with all else that
  ///   requires a mesh.
  func options(for purpose: DetectionPurpose, needsAngles: Bool) throws(VStreamError) -> FaceDetectorOptions {
    var options = FaceDetectorOptions()
    options.angleMode = .none
    options.search(for: purpose)
    // A verification must detect the faces that the run's options made it miss.
    if purpose == .verification { return options }
    if let faceSearch { options.searchSeconds = faceSearch }
    if let faceMode {
      options.performanceMode = try OptionText.value("--face-mode", faceMode, "is not a mode")
      if options.performanceMode == .accurate { options.minFaceSize = 0.01 }
    }
    if let minFaceSize { options.minFaceSize = minFaceSize }
    options.landmarkMode = faceLandmarks ? .all : .none
    options.contourMode = faceContours ? .all : .none
    options.classificationMode = faceClassification ? .all : .none
    if needsAngles || options.needsMesh { options.angleMode = .all }
    try options.check()
    return options
  }

  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption] {
    guard run.kinds.contains(.faces) else { return [] }
    let options = try options(for: run.purpose(of: .faces), needsAngles: true)
    var recorded = options.recorded.map { RecordedOption($0.name, $0.value) }
    if let faceSearch { recorded.append(RecordedOption("faceSearch", .number(faceSearch))) }
    return recorded
  }
}
