import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamInference

/// Inputs that are reshaped, rounded or wrong, and requests in unusual states.
struct RequestTests {
  private static func reshaped(_ shapes: [[Int]], from shape: [Int] = [-1, 3]) throws -> Model {
    let tiny = try TinyModel(type: "f32", shape: shape)
    return try Model(path: tiny.path, configuration: ModelTests.configuration, inputShapes: shapes)
  }

  @Test(arguments: [[2, 3], [1, 3], [5, 3]])
  func `an open dimension is fixed by the shape that is requested`(shape: [Int]) throws {
    let model = try Self.reshaped([shape])
    #expect(model.inputs.map(\.shape) == [shape])
    #expect(model.outputs.map(\.shape) == [shape])
    let request = try InferenceRequest(model)
    let values = (0..<shape[0] * 3).map { Float($0) - 2 }
    try request.setInput(0, values)
    try request.infer()
    let output = try request.output(0)
    #expect(output.values == values.map { max(0, $0) } && output.shape == shape)
  }

  @Test func `shapes for more inputs than the network has are refused`() throws {
    let error = #expect(throws: VStreamError.self) { try Self.reshaped([[2, 3], [2, 3]]) }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.contains("with inputs of [[2, 3], [2, 3]]") == true, "\(error?.message ?? "")")
    #expect(error?.remedy == "export it with inputs of that size, or name a size that it supports")
  }

  @Test(
    arguments: [
      ("u8", 0.5, 1), ("u8", 254.6, 255), ("u8", -0.4, 0), ("u8", 255.4, 255), ("i32", 2.5, 3), ("i32", 2.4, 2),
      ("i64", 1e6, 1e6), ("f16", 65_504, 65_504), ("f16", 0.1, 0.099975586), ("f16", .infinity, .infinity),
    ] as [(String, Float, Float)])
  func `a value is rounded to the nearest that the type can hold`(type: String, value: Float, expected: Float) throws {
    let request = try InferenceRequest(try TinyModel(type: type, shape: [1]).compile())
    try request.setInput(0, [value])
    try request.infer()
    #expect(try request.output(0).values == [expected])
  }

  @Test(arguments: [Float(65_520), 1e6, -1e6])
  func `a finite value beyond 16-bit floats is an error, not infinite`(value: Float) throws {
    let request = try InferenceRequest(try TinyModel(type: "f16", shape: [1]).compile())
    let error = #expect(throws: VStreamError.self) { try request.setInput(0, [value]) }
    #expect(error?.message.hasSuffix("cannot hold the value \(value)") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [0, 5, 7])
  func `another number of values than the shape has is an error`(count: Int) throws {
    let request = try InferenceRequest(try TinyModel(type: "f32", shape: [2, 3]).compile())
    try request.setInput(0, [1, 2, 3, 4, 5, 6])
    let error = #expect(throws: VStreamError.self) { try request.setInput(0, [Float](repeating: 9, count: count)) }
    #expect(error?.code == .library)
    #expect(error?.message == "\(count) values for an input of 6")
    try request.infer()
    #expect(try request.output(0).values == [1, 2, 3, 4, 5, 6], "the input is unchanged")
  }

  @Test func `inputs keep their values from run to run`() throws {
    let request = try InferenceRequest(try TinyModel(type: "f32", shape: [2]).compile())
    try request.setInput(0, [3, -4])
    for _ in 0..<3 {
      try request.infer()
      #expect(try request.output(0).values == [3, 0])
    }
  }

  @Test func `a copied output is not changed by later runs`() throws {
    let request = try InferenceRequest(try TinyModel(type: "f32", shape: [1]).compile())
    try request.setInput(0, [1])
    try request.infer()
    let first = try request.output(0).values
    try request.setInput(0, [2])
    try request.infer()
    #expect(first == [1])
    #expect(try request.output(0).values == [2])
  }

  @Test func `a request released during its run does not disturb others`() throws {
    let model = try TinyModel(type: "f32", shape: [1]).compile()
    for _ in 0..<20 {
      let released = try InferenceRequest(model)
      try released.setInput(0, [1])
      try released.start()
    }
    let request = try InferenceRequest(model)
    try request.setInput(0, [8])
    try request.infer()
    #expect(try request.output(0).values == [8])
  }

  @Test func `an error thrown while memory is lent reaches the caller`() throws {
    struct Refused: Error {}
    let request = try InferenceRequest(try TinyModel(type: "f32", shape: [1]).compile())
    #expect(throws: Refused.self) { try request.withInput(0) { _ in throw Refused() } }
    try request.infer()
    #expect(throws: Refused.self) { try request.withOutput(0) { _, _ in throw Refused() } }
  }

  @Test func `a request keeps its model`() throws {
    let request = try InferenceRequest(try TinyModel(type: "f32", shape: [1]).compile())
    #expect(request.model.inputs.map(\.name) == ["in"])
    try request.setInput(0, [5])
    try request.infer()
    #expect(try request.output(0).values == [5])
  }

  @Test func `a network cut in the middle is refused in one line`() throws {
    let tiny = try TinyModel(type: "f32", shape: [1])
    let whole = try String(contentsOfFile: tiny.path, encoding: .utf8)
    try String(whole.prefix(whole.count / 2)).write(toFile: tiny.path, atomically: true, encoding: .utf8)
    let error = #expect(throws: VStreamError.self) { try tiny.compile() }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.hasPrefix("the model '\(tiny.path)' cannot be compiled for CPU: ") == true)
    #expect(error?.remedy.hasPrefix("the file may be truncated") == true)
    #expect(error?.description.contains("\n") == false)
  }
}
