import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamInference

/// Models read, run, and refused.
@Suite struct ModelTests {
  static let configuration = ModelConfiguration(threads: 1, precision: .float32, usesCache: false)

  @Test func describesInputsAndOutputs() throws {
    let model = try TinyModel(type: "f32", shape: [2, 3]).compile()
    #expect(model.inputs == [Model.Port(name: "in", shape: [2, 3], element: .float32)])
    #expect(model.outputs == [Model.Port(name: "out", shape: [2, 3], element: .float32)])
  }

  @Test func openDimensionsAreMinusOne() throws {
    let model = try TinyModel(type: "f32", shape: [-1, 3]).compile()
    #expect(model.inputs.map(\.shape) == [[-1, 3]])
  }

  @Test func runsOnItsInput() throws {
    let request = try InferenceRequest(try TinyModel(type: "f32", shape: [2, 3]).compile())
    for values: [Float] in [[-2, -1, 0, 1, 2, 3], [7, -7, 0.5, -0.5, 0, 1]] {
      request.fill(values)
      try request.infer()
      let output = try request.withOutput(0) { floats, shape in
        #expect(shape == [2, 3])
        return (0..<floats.count).map { floats[$0] }
      }
      #expect(output == values.map { max(0, $0) })
    }
  }

  @Test func requestsOfOneModelDoNotDisturbEachOther() throws {
    let model = try TinyModel(type: "f32", shape: [1, 1]).compile()
    let requests = try (0..<3).map { _ in try InferenceRequest(model) }
    for (index, request) in requests.enumerated() { request.fill([Float(index)]) }
    for request in requests { try request.infer() }
    let outputs = try requests.map { try $0.withOutput(0) { floats, _ in floats[0] } }
    #expect(outputs == [0, 1, 2])
  }

  @Test func requestsInFlightTogetherHaveTheirOwnOutputs() throws {
    let model = try TinyModel(type: "f32", shape: [1, 1]).compile()
    let requests = try (0..<3).map { _ in try InferenceRequest(model) }
    for round in 0..<2 {
      for (index, request) in requests.enumerated() {
        request.fill([Float(10 * round + index)])
        try request.start()
      }
      for request in requests { try request.wait() }
      let outputs = try requests.map { try $0.withOutput(0) { floats, _ in floats[0] } }
      #expect(outputs == [0, 1, 2].map { Float(10 * round + $0) })
    }
  }

  @Test func requestRefusesInputsOfOpenShape() throws {
    let model = try TinyModel(type: "f32", shape: [-1, 3]).compile()
    let error = #expect(throws: VStreamError.self) { try InferenceRequest(model) }
    #expect(error?.code == .library)
    #expect(error?.message == "'\(model.path)' takes 'in' [-1, 3], which is not a fixed shape")
  }

  @Test(arguments: [
    ("f32", Model.Element.float32), ("f16", .float16), ("i32", .int32), ("i64", .int64), ("u8", .uint8),
  ])
  func valuesOfOtherElementTypesAreConverted(type: String, element: Model.Element) throws {
    let model = try TinyModel(type: type, shape: [2, 3]).compile()
    #expect(model.inputs.map(\.element) == [element])
    let request = try InferenceRequest(model)
    let values: [Float] = [0, 1, 2, 3, 100, 250]
    try request.setInput(0, values)
    try request.infer()
    let (output, shape) = try request.output(0)
    #expect(output == values)
    #expect(shape == [2, 3])
    #expect(throws: VStreamError.self) { try request.setInput(0, [1, 2]) }
  }

  @Test(
    arguments: [
      ("u8", [-1]), ("u8", [256]), ("u8", [.nan]), ("i32", [3e9]), ("i32", [-.infinity]), ("i64", [1e30]),
    ] as [(String, [Float])])
  func valueThatTheTypeCannotHoldIsAnError(type: String, values: [Float]) throws {
    let request = try InferenceRequest(try TinyModel(type: type, shape: [1]).compile())
    let error = #expect(throws: VStreamError.self) { try request.setInput(0, values) }
    #expect(error?.code == .library)
    #expect(error?.message.hasSuffix("cannot hold the value \(values[0])") == true, "\(error?.message ?? "")")
  }

  @Test func floatsAreLentOfOtherElementTypesAsWell() throws {
    let request = try InferenceRequest(try TinyModel(type: "f16", shape: [2]).compile())
    try request.setInput(0, [3, -4])
    try request.infer()
    #expect(try request.withOutput(0) { floats, shape in [floats[0], floats[1], Float(shape[0])] } == [3, 0, 2])
    let error = #expect(throws: VStreamError.self) { try request.withInput(0) { $0[0] = 1 } }
    #expect(error?.message.hasSuffix("takes 'in' as float16, not as 32-bit floats") == true)
  }

  @Test(
    arguments: [
      (Model.Element.uint8, 0.0...255.0), (.int32, -2_147_483_648...2_147_483_647), (.float16, nil), (.float32, nil),
    ] as [(Model.Element, ClosedRange<Double>?)])
  func integerTypesHaveARange(element: Model.Element, range: ClosedRange<Double>?) {
    #expect(element.integerRange == range)
  }

  @Test func requestRefusesUnsupportedElementTypes() throws {
    let model = try TinyModel(type: "f64", shape: [2, 3]).compile()
    let error = #expect(throws: VStreamError.self) { try InferenceRequest(model) }
    #expect(error?.code == .library)
    #expect(error?.message == "'\(model.path)' has 'in' with elements of an unsupported type")
  }

  @Test func missingFileIsNamed() throws {
    let error = #expect(throws: VStreamError.self) { try Model(path: "/nowhere/at-all.xml") }
    #expect(error?.code == .missingDependency)
    #expect(error?.message == "the model '/nowhere/at-all.xml' does not exist")
    #expect(
      error?.remedy == "give the path of a model's file; scripts/bootstrap installs the models that vstream uses itself"
    )
  }

  @Test(arguments: [
    ("text.xml", "no model at all\n"), ("empty.xml", ""), ("blank.xml", " \n"), ("network.txt", "<net/>"),
  ])
  func fileWithAnotherSyntaxIsRefused(name: String, contents: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(name)
    try contents.write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: VStreamError.self) { try Model(path: path, configuration: Self.configuration) }
    #expect(error?.code == .missingDependency)
    #expect(error?.message == "'\(path)' is not a model that can be read")
    #expect(error?.remedy == "a model's name ends in .xml, .onnx, .tflite, .pb")
  }

  @Test(arguments: [("page.xml", "<html></html>\n"), ("text.onnx", "no model at all\n")])
  func fileThatIsNotAModelIsRefused(name: String, contents: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(name)
    try contents.write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: VStreamError.self) { try Model(path: path, configuration: Self.configuration) }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.hasPrefix("the model '\(path)' cannot be compiled for CPU: ") == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test func unknownDeviceIsNamed() throws {
    let tiny = try TinyModel(type: "f32", shape: [1])
    var configuration = Self.configuration
    configuration.device = "ABACUS"
    let error = #expect(throws: VStreamError.self) { try Model(path: tiny.path, configuration: configuration) }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.contains("cannot be compiled for ABACUS: ") == true, "\(error?.message ?? "")")
  }

  @Test func libraryHasAVersion() throws {
    let version = try #require(OpenVINO.version)
    #expect(version.first?.isNumber == true)
  }
}

extension InferenceRequest {
  func fill(_ values: [Float]) {
    #expect(throws: Never.self) {
      try withInput(0) { tensor in
        #expect(tensor.count == values.count)
        for index in values.indices { tensor[index] = values[index] }
      }
    }
  }
}

/// A network of one layer, max(0, x), in OpenVINO's own format.
struct TinyModel {
  private let folder: TemporaryFolder
  var path: String { folder.file("tiny.xml") }

  init(type: String, shape: [Int]) throws {
    folder = try TemporaryFolder()
    let dimensions = shape.map { "<dim>\($0)</dim>" }.joined()
    let sizes = shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ",")
    let precision = type.uppercased().replacingOccurrences(of: "F", with: "FP")
    let network = """
      <?xml version="1.0"?>
      <net name="tiny" version="11">
        <layers>
          <layer id="0" name="in" type="Parameter" version="opset1">
            <data shape="\(sizes)" element_type="\(type)"/>
            <output><port id="0" precision="\(precision)" names="in">\(dimensions)</port></output>
          </layer>
          <layer id="1" name="relu" type="ReLU" version="opset1">
            <input><port id="0" precision="\(precision)">\(dimensions)</port></input>
            <output><port id="1" precision="\(precision)" names="out">\(dimensions)</port></output>
          </layer>
          <layer id="2" name="result" type="Result" version="opset1">
            <input><port id="0" precision="\(precision)">\(dimensions)</port></input>
          </layer>
        </layers>
        <edges>
          <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
          <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
        </edges>
      </net>
      """
    try network.write(toFile: path, atomically: true, encoding: .utf8)
    // A file of weights goes with it, though there are none.
    try Data().write(to: URL(filePath: folder.file("tiny.bin")))
  }

  func compile() throws -> Model { try Model(path: path, configuration: ModelTests.configuration) }
}
