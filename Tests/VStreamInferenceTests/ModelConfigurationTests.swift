import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamInference

/// Properties of compilation, descriptions of ports, and checks of model files.
struct ModelConfigurationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let configuration: ModelConfiguration
    /// Without processor pinning, which depends on the build.
    let properties: [String]
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "defaults, without cache", configuration: ModelConfiguration(usesCache: false),
      properties: ["NUM_STREAMS=1"]),
    Row(
      name: "several streams and threads", configuration: ModelConfiguration(streams: 3, threads: 2, usesCache: false),
      properties: ["NUM_STREAMS=3", "INFERENCE_NUM_THREADS=2"]),
    Row(
      name: "no streams: one", configuration: ModelConfiguration(streams: 0, usesCache: false),
      properties: ["NUM_STREAMS=1"]),
    Row(
      name: "a negative number of threads: OpenVINO's choice",
      configuration: ModelConfiguration(threads: -1, usesCache: false), properties: ["NUM_STREAMS=1"]),
    Row(
      name: "32-bit floats on another device",
      configuration: ModelConfiguration(device: "GPU", precision: .float32, usesCache: false),
      properties: ["NUM_STREAMS=1", "INFERENCE_PRECISION_HINT=f32"]),
  ]

  @Test(arguments: rows)
  func `a configuration becomes properties of OpenVINO`(row: Row) {
    let properties = row.configuration.properties
    #expect(properties.filter { $0.name != "ENABLE_CPU_PINNING" }.map { "\($0.name)=\($0.value)" } == row.properties)
    #expect(properties.contains { $0.name == "ENABLE_CPU_PINNING" } == (row.configuration.device == "CPU"))
  }

  @Test(arguments: [
    (Model.Port(name: "images", shape: [1, 3, 416, 416], element: .float32), "images [1,3,416,416] float32"),
    (Model.Port(name: "", shape: [-1, 3], element: .uint8), "[?,3] uint8"),
    (Model.Port(name: "scalar", shape: [], element: .int64), "scalar [] int64"),
  ])
  func `a port is described by name, shape and element`(port: Model.Port, label: String) {
    #expect(port.label == label)
  }

  @Test func `the range of 64-bit integers holds only values that convert`() throws {
    let range = try #require(Model.Element.int64.integerRange)
    #expect(Int64(exactly: range.lowerBound) != nil && Int64(exactly: range.upperBound) != nil)
    #expect(Int64(exactly: range.upperBound.nextUp) == nil)
    #expect(Model.Element.other.integerRange == nil)
  }

  @Test(arguments: [
    ("plain.xml", "<?xml version=\"1.0\"?>", true), ("spaced.xml", " \t\r\n<net/>", true), ("UPPER.XML", "no", false),
    ("UPPER.XML", "<net/>", true), ("late.xml", "net <net/>", false), ("network.onnx", "any bytes", true),
  ])
  func `an XML file must start with a tag`(name: String, contents: String, isExpected: Bool) throws {
    let folder = try TemporaryFolder()
    try contents.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    #expect(ModelFile.hasExpectedStart(folder.file(name)) == isExpected)
  }

  private static func externalData(_ location: String) -> [UInt8] {
    let length = location.utf8.count
    let bytes = length < 128 ? [UInt8(length)] : [UInt8(length & 127) | 128, UInt8(length >> 7)]
    return [0x6A, 22, 0x0A, 8] + Array("location".utf8) + [0x12] + bytes + Array(location.utf8)
  }

  @Test func `a model's files are those that it names for its weights`() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "w", count: 200)
    let network = ["weights.bin", "missing.bin", "weights.bin", long].flatMap(Self.externalData)
    try Data(network + [0x0A, 8] + Array("locat".utf8)).write(to: URL(filePath: folder.file("a.onnx")))
    for name in ["weights.bin", long, "a.onnx.data", "b.xml", "b.bin"] { _ = try folder.write(name, "x") }
    #expect(Model.files(of: folder.file("a.onnx")) == ["a.onnx", "weights.bin", long].map(folder.file))
    #expect(Model.files(of: folder.file("b.xml")) == ["b.xml", "b.bin"].map(folder.file))
    #expect(Model.files(of: folder.file("none.onnx")) == [folder.file("none.onnx")])
  }

  @Test func `a file that cannot be opened has no wrong start`() {
    #expect(ModelFile.hasExpectedStart("/nowhere/network.xml"))
  }
}
