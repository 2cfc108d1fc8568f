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
