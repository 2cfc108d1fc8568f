internal import FoundationEssentials
package import VStreamCore
internal import VStreamSystem

/// A description beside the detector's file: the preparation of its input and decoding of its outputs.
///
/// Omitted values follow from the layout, and an omitted layout from the outputs' shapes where they are unambiguous. As a
/// file it is JSON and lies beside the model, `model.json` for `model.onnx`.
package struct DetectorDescription: Hashable, Sendable, Codable {
  /// How a frame is fitted to the network's input.
  package enum Fit: String, Hashable, Sendable, Codable, CaseIterable {
    /// Stretched, whatever its aspect ratio.
    case stretch
    /// In its own aspect ratio at the top left; padding to the right or below.
    case topLeft = "top-left"
    /// In its own aspect ratio at the centre; padding on both sides.
    case center
  }

  /// How the network's input is computed from pixels.
  package struct Input: Hashable, Sendable, Codable {
    /// Width and height in pixels, for a network whose file leaves them open or that is to have another size.
    package var size: [Int]?
    /// `rgb` or `bgr`.
    package var order: String?
    /// Subtracted from 0…255, channel by channel in `order`; one value stands for all three.
    package var mean: [Float]?
    /// Divides the result of the subtraction; one value stands for all three channels.
    package var deviation: [Float]?
    package var fit: Fit?
    /// The grey level of the padding, 0…255, before `mean` and `deviation`.
    package var padding: Float?

    package init() {}

    enum CodingKeys: CodingKey {
      case size, order, mean, deviation, fit, padding
    }
  }

  /// The name of the outputs' layout, for example `yolox`.
  package var layout: String?
  package var input: Input?
  /// The classes' names in their order, or the name of a list: `coco` (80) or `coco-91`.
  package var labels: Labels?
  /// The number that the network gives the first class.
  package var firstClass: Int?
  /// The score that starts a track, unless the user gives one.
  package var score: Double?

  package enum Labels: Hashable, Sendable, Codable {
    case names([String])
    case list(String)

    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let names = try? container.decode([String].self) {
        self = .names(names)
      } else {
        self = .list(try container.decode(String.self))
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .names(let names): try container.encode(names)
      case .list(let name): try container.encode(name)
      }
    }
  }

  package init() {}

  enum CodingKeys: CodingKey {
    case layout, input, labels, firstClass, score
  }

  /// The first value that is invalid, as messages word it; `nil` if all are valid.
  var invalidValue: String? {
    if let layout, OutputLayoutRegistry.named(layout) == nil { return "layout '\(layout)' is not known" }
    if let firstClass, !(0...1000).contains(firstClass) { return "firstClass is not 0 to 1000" }
    if let score, !(score > 0 && score <= 1) { return "score is not more than 0 and at most 1" }
    if case .list(let name)? = labels, name != "coco", name != "coco-91" {
      return "labels '\(name)' is neither coco nor coco-91 nor a list of names"
    }
    if case .names(let names)? = labels, names.isEmpty { return "labels names no class" }
    return input?.invalidValue
  }
}

extension DetectorDescription.Input {
  fileprivate var invalidValue: String? {
    if let size, size.count != 2 || !size.allSatisfy((8...8192).contains) {
      return "size is not a width and a height of 8 to 8192 pixels"
    }
    if let order, order != "rgb", order != "bgr" { return "order '\(order)' is neither rgb nor bgr" }
    for (name, values) in [("mean", mean), ("deviation", deviation)] {
      guard let values, ![1, 3].contains(values.count) || !values.allSatisfy(\.isFinite) else { continue }
      return "\(name) is not one number or three"
    }
    if deviation?.contains(0) == true { return "deviation is 0, which is no divisor" }
    if deviation?.contains(where: { !(1 / $0).isFinite }) == true { return "deviation is too small for a divisor" }
    if let padding, !(0...255).contains(padding) { return "padding is not 0 to 255" }
    return nil
  }
}

extension DetectorDescription {
  /// Path of the file that describes a model.
  package static func path(beside model: String) -> String { "\(Path.withoutEnding(model)).json" }

  /// Reads the file beside a model; `nil` if there is none.
  ///
  /// - Throws: `VStreamError.missingDependency` if the file is not a valid description.
  package init?(beside model: String) throws(VStreamError) {
    let path = Self.path(beside: model)
    guard let json = try Installation.contents(path) else { return nil }
    try self.init(json: json, path: path)
  }

  /// - Parameters:
  ///   - json: a file's bytes.
  ///   - path: the file's path, for messages.
  /// - Throws: `VStreamError.missingDependency` if the bytes are not a valid description.
  package init(json: [UInt8], path: String) throws(VStreamError) {
    let unknown: String?
    do {
      let keys = try JSONDecoder().decode(Keys.self, from: Data(json))
      self = try JSONDecoder().decode(DetectorDescription.self, from: Data(json))
      unknown = keys.unknown
    } catch {
      throw Self.fault(path, "is not a description of a detector: \(Self.reason(error))")
    }
    if let unknown { throw Self.fault(path, "has the unknown key '\(unknown)'") }
    if let invalidValue { throw Self.fault(path, "is invalid: \(invalidValue)") }
  }

  /// The keys of a file, known or not.
  private struct Keys: Decodable {
    /// The first unknown key in alphabetical order.
    let unknown: String?

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let file = try decoder.container(keyedBy: Key.self)
      let input = try? file.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "input"))
      let names = file.allKeys.map(\.stringValue).filter { DetectorDescription.CodingKeys(stringValue: $0) == nil }
      let more = input?.allKeys.map(\.stringValue).filter { Input.CodingKeys(stringValue: $0) == nil } ?? []
      unknown = (names + more).min()
    }
  }

  private static func fault(_ path: String, _ problem: String) -> VStreamError {
    VStreamError(
      .missingDependency, "'\(path)' \(problem)",
      remedy: #"for example {"layout":"yolox","input":{"order":"bgr","fit":"top-left"},"labels":["cat","dog"]}; "#
        + "layouts: \(OutputLayoutRegistry.names)")
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be read" }
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty
        ? "it is not JSON, or a number in it is too large or must be an integer"
        : "\(path) is invalid"
    case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
    @unknown default: return "it cannot be read"
    }
  }
}
