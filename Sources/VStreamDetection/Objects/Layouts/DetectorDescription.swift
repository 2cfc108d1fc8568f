internal import FoundationEssentials
internal import VStreamInference
public import VStreamScene
internal import VStreamSystem

/// What is known of a detector beside its file: how its input is made and its outputs are read. What is left out follows
/// from the layout, and the layout, where that is beyond doubt, from the outputs' shapes.
///
/// As a file it is JSON and lies beside the model, `model.json` for `model.onnx`.
public struct DetectorDescription: Hashable, Sendable, Codable {
  /// How a frame is made to fit the network's input.
  public enum Fit: String, Hashable, Sendable, Codable, CaseIterable {
    /// Stretched, whatever its shape.
    case stretch
    /// In its own shape, at the top left; padding to the right or below.
    case topLeft = "top-left"
    /// In its own shape, in the middle; padding on both sides.
    case center
  }

  /// How the network's input is made of pixels.
  public struct Input: Hashable, Sendable, Codable {
    /// Width and height in pixels, for a network whose file leaves them open or that is to be given another size.
    public var size: [Int]?
    /// `rgb` or `bgr`.
    public var order: String?
    /// 0…255 less `mean`, divided by `deviation`, channel by channel in `order`; one number stands for all three.
    public var mean: [Float]?
    public var deviation: [Float]?
    public var fit: Fit?
    /// The grey of the padding, 0…255, before `mean` and `deviation`.
    public var padding: Float?

    public init() {}

    fileprivate enum CodingKeys: CodingKey {
      case size, order, mean, deviation, fit, padding
    }
  }

  public var layout: OutputLayout?
  public var input: Input?
  /// The classes' names in their order, or the name of a list: `coco` (80) or `coco-91`.
  public var labels: Labels?
  /// The number that the network gives the first class.
  public var firstClass: Int?

  public enum Labels: Hashable, Sendable, Codable {
    case names([String])
    case list(String)

    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let names = try? container.decode([String].self) {
        self = .names(names)
      } else {
        self = .list(try container.decode(String.self))
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .names(let names): try container.encode(names)
      case .list(let name): try container.encode(name)
      }
    }
  }

  public init() {}

  private enum CodingKeys: CodingKey {
    case layout, input, labels, firstClass
  }

  /// The file that describes a model.
  public static func path(beside model: String) -> String {
    let name = model.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let end = name.lastIndex(of: ".").map { model[..<$0] } ?? model[...]
    return "\(end).json"
  }

  /// What is said in the file beside a model; `nil` if there is none.
  ///
  /// - Throws: `VStreamError.missingDependency` for what is no description.
  public init?(beside model: String) throws(VStreamError) {
    let path = Self.path(beside: model)
    guard let json = try Installation.contents(path) else { return nil }
    try self.init(json: json, path: path)
  }

  /// - Parameters:
  ///   - json: a file's bytes.
  ///   - path: what messages call it.
  /// - Throws: `VStreamError.missingDependency` for what is no description.
  public init(json: [UInt8], path: String) throws(VStreamError) {
    let unknown: String?
    do {
      let keys = try JSONDecoder().decode(Keys.self, from: Data(json))
      self = try JSONDecoder().decode(DetectorDescription.self, from: Data(json))
      unknown = keys.unknown
    } catch {
      throw Self.fault(path, "is no description of a detector: \(Self.reason(error))")
    }
    if let unknown { throw Self.fault(path, "has '\(unknown)', which is not known here") }
    if let size = input?.size, size.count != 2 || !size.allSatisfy((8...8192).contains) {
      throw Self.fault(path, "size is not a width and a height of 8 to 8192 pixels")
    }
    if let order = input?.order, order != "rgb", order != "bgr" {
      throw Self.fault(path, "order '\(order)' is neither rgb nor bgr")
    }
    for (name, numbers) in [("mean", input?.mean), ("deviation", input?.deviation)] {
      guard let numbers, ![1, 3].contains(numbers.count) || !numbers.allSatisfy(\.isFinite) else { continue }
      throw Self.fault(path, "\(name) is not one number or three")
    }
    if input?.deviation?.contains(0) == true {
      throw Self.fault(path, "deviation is 0, which nothing can be divided by")
    }
    if let padding = input?.padding, !(0...255).contains(padding) {
      throw Self.fault(path, "padding is not 0 to 255")
    }
    if let firstClass, !(0...1000).contains(firstClass) {
      throw Self.fault(path, "firstClass is not 0 to 1000")
    }
    if case .list(let name)? = labels, name != "coco", name != "coco-91" {
      throw Self.fault(path, "labels '\(name)' is neither coco nor coco-91 nor a list of names")
    }
    if case .names(let names)? = labels, names.isEmpty { throw Self.fault(path, "labels names no class") }
  }

  /// What is named in a file, whether it is known here or not.
  private struct Keys: Decodable {
    /// The first name that is not known.
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

  private static func fault(_ path: String, _ what: String) -> VStreamError {
    VStreamError(
      .missingDependency, "'\(path)' \(what)",
      remedy: #"for example {"layout":"yolox","input":{"order":"bgr","fit":"top-left"},"labels":["cat","dog"]}; "#
        + "layouts: \(OutputLayout.allCases.map(\.rawValue).joined(separator: ", "))")
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be read" }
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      return place.isEmpty
        ? "it is not JSON, or a number in it is too large or should be a whole one"
        : "\(place) is not what it should be"
    case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
    @unknown default: return "it cannot be read"
    }
  }
}
