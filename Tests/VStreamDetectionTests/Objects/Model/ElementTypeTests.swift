import Testing
import VStreamCore
import VStreamInference
import VStreamTestSupport

@testable import VStreamDetection

/// Models whose element types or shapes do not fit: an error on loading, or converted.
struct ElementTypeTests {
  private static let configuration = ModelConfiguration(threads: 1, precision: .float32, usesCache: false)
  private static let image = [[1, 3, 64, 64]]

  private static func load(_ network: ConstantNetwork) throws -> ObjectModel {
    try ObjectModel(path: network.path, configuration: configuration)
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var inputs = image
    let types: [String]
    var outputs = [ConstantNetwork.Output(name: "out", shape: [1, 3, 6])]
    let description: String
    let expected: [String]
  }

  static let refusals = [
    Refusal(
      testDescription: "negative values for bytes", types: ["u8"],
      description: #"{"labels":["a","b"],"input":{"mean":[10],"deviation":[1]}}"#,
      expected: ["in0 [1,3,64,64] uint8 cannot hold values from -10.0 to 245.0", "mean and deviation"]),
    Refusal(
      testDescription: "too large values for bytes", types: ["u8"],
      description: #"{"labels":["a","b"],"input":{"deviation":[1,1,0.5]}}"#, expected: ["values from 0.0 to 510.0"]),
    Refusal(
      testDescription: "too large values for integers", types: ["i32"],
      description: #"{"labels":["a","b"],"input":{"deviation":[1e-9]}}"#, expected: ["int32 cannot hold values from"]),
    Refusal(
      testDescription: "an infinite scale", types: ["i32"],
      description: #"{"labels":["a","b"],"input":{"mean":[0],"deviation":[1e-37]}}"#, expected: ["mean and deviation"]),
    Refusal(
      testDescription: "an image's size in bytes", inputs: [[1, 3, 320, 320], [1, 2]], types: ["f32", "u8"],
      description: #"{"labels":["a","b"]}"#, expected: ["in1 [1,2] uint8 cannot hold values from 0.0 to 320.0"]),
    Refusal(
      testDescription: "outputs of signed bytes", types: ["f32"],
      outputs: [ConstantNetwork.Output(name: "out", shape: [1, 3, 6], type: "i8")],
      description: #"{"labels":["a","b"]}"#,
      expected: ["the elements of out [1,3,6] other are not supported", "export it with 32-bit floats"]),
    Refusal(
      testDescription: "an unreasonable size", inputs: [[1, 3, 8, 4_000_000]], types: ["f32"],
      description: #"{"labels":["a","b"]}"#, expected: ["takes no image of a fixed size"]),
  ]

  @Test(arguments: refusals) func `values that an input cannot hold are an error on loading`(_ row: Refusal) throws {
    let network = try ConstantNetwork(
      inputs: row.inputs, inputTypes: row.types, outputs: row.outputs, description: row.description)
    let error = #expect(throws: VStreamError.self) { try Self.load(network) }
    #expect(error?.code == .missingDependency)
    for part in row.expected {
      #expect(error?.description.contains(part) == true, "\(part): \(error?.description ?? "")")
    }
  }

  /// 0 to 255, and the bounds of the type but for rounding.
  @Test(arguments: [("u8", 1.0), ("u8", 255), ("i32", 1e-5), ("i64", 1e-5), ("f16", 1)])
  func `values that an input can hold are accepted`(type: String, deviation: Double) throws {
    let network = try ConstantNetwork(
      inputs: Self.image, inputTypes: [type],
      outputs: [.init(name: "out", shape: [1, 3, 6], values: [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"],"input":{"deviation":[\#(deviation)]}}"#)
    var detector = try ObjectDetectionStage(try Self.load(network))
    let found = try detector.objects(in: try SampleFrames.read("street.avi", at: [0])[0], timer: NoTimer())
    #expect(found.map(\.label) == ["dog"])
    #expect(throws: VStreamError.self) { try detector.lastInput() }
  }

  @Test func `half-precision outputs of the built-in layout are converted`() throws {
    var scores = [Float](repeating: 0, count: 1917 * 80)
    scores[900 * 80] = 0.75
    let network = try ConstantNetwork(
      inputs: [[1, 300, 300, 3]],
      outputs: [
        .init(name: "boxes", shape: [1, 1917, 4], type: "f16"),
        .init(name: "scores", shape: [1, 1917, 80], values: scores, type: "f16"),
      ])
    var detector = try ObjectDetectionStage(try Self.load(network))
    let found = try detector.objects(in: try SampleFrames.read("street.avi", at: [0])[0], timer: NoTimer())
    #expect(found.map(\.label) == ["person"])
    #expect(found.map(\.score) == [0.75])
  }

  @Test(arguments: ["f16", "u8"]) func `face networks take 32-bit floats alone`(type: String) throws {
    let network = try ConstantNetwork(
      inputs: [[1, 192, 192, 3]], inputTypes: [type],
      outputs: [.init(name: "points", shape: [1, 1, 1, 1404]), .init(name: "presence", shape: [1, 1, 1, 1])])
    let model = try Model(path: network.path, configuration: Self.configuration)
    let error = #expect(throws: VStreamError.self) { try FaceMeshNetwork(model) }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.contains("is not the face mesh: its input is in0 [1,192,192,3]") == true)
  }

  @Test func `a category network with other outputs is refused`() throws {
    let network = try ConstantNetwork(inputs: [[1, 280, 280, 3]], outputs: [.init(name: "out", shape: [1, 10])])
    let model = try Model(path: network.path, configuration: Self.configuration)
    let error = #expect(throws: VStreamError.self) { try CategoryModel(model) }
    #expect(error?.message.contains("is not the category network: its shapes are") == true)
  }
}
