import Foundation
import VStreamCore

@testable import VStreamDetection
@testable import VStreamInference

extension FuzzTarget {
  /// `model.json`, the description of a detector.
  static let modelDescription = FuzzTarget(name: "model-description") { bytes in
    let parsed = try accepted { try DetectorDescription(json: bytes, path: "model.json") }
    guard let description = parsed else { return }
    try requireRanges(description)
    try requireUse(description)
    let written = try JSONEncoder().encode(description)
    let read = try accepted { try DetectorDescription(json: [UInt8](written), path: "model.json") }
    try require(read == description, "written and read again it differs: \(String(decoding: written, as: UTF8.self))")
  }

  /// The ranges that the documentation states.
  private static func requireRanges(_ description: DetectorDescription) throws {
    try require(description.firstClass.map { (0...1000).contains($0) } ?? true, "firstClass is out of range")
    if case .names(let names)? = description.labels { try require(!names.isEmpty, "labels are empty") }
    guard let input = description.input else { return }
    if let size = input.size {
      try require(size.count == 2 && size.allSatisfy((8...8192).contains), "size \(size) is out of range")
    }
    for values in [input.mean, input.deviation].compactMap(\.self) {
      try require([1, 3].contains(values.count) && values.allSatisfy(\.isFinite), "\(values) are not numbers")
    }
    try require(input.deviation?.contains(0) != true, "deviation is 0")
    try require(input.padding.map { (0...255).contains($0) } ?? true, "padding is out of range")
  }

  /// What a detector makes of an accepted description.
  private static func requireUse(_ description: DetectorDescription) throws {
    let shape = ImageInput.fixed([-1, 3, -1, -1], size: description.input?.size)
    try require(shape[0] == 1 && shape[1] == 3, "an open shape becomes \(shape)")
    let size = PixelSize(width: max(1, shape[3]), height: max(1, shape[2]))
    let preset = InputPreset().overridden(by: description.input)
    let format = preset.format(size: size, layout: .planar)
    try require((0..<3).allSatisfy { format.scale[$0].isFinite }, "pixels are multiplied by \(format.scale)")
    let region = preset.fit.region(showing: Box(x: 3, y: 5, width: 640, height: 480), in: size)
    // The fitted side is computed by a division.
    try require(region.width >= 640 - 1e-9 && region.height >= 480 - 1e-9, "the input shows only \(region)")
  }
}
