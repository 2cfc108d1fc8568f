import Foundation
import VStreamInference
import VStreamTestSupport

/// A network with constant outputs, whatever its inputs, written as OpenVINO IR.
struct ConstantNetwork {
  struct Output {
    var name: String
    var shape: [Int]
    var values: [Float] = []
    /// OpenVINO's name of the element type.
    var type = "f32"
  }

  let folder: TemporaryFolder
  var path: String { folder.file("model.xml") }

  /// - Parameters:
  ///   - inputs: shapes; a dimension of −1 is open.
  ///   - inputNames: by default `in0`, `in1`, ….
  ///   - inputTypes: OpenVINO's names of element types; by default `f32` for images and `i64` for others.
  ///   - description: the text of `model.json`; none by default.
  init(
    inputs: [[Int]], inputNames: [String]? = nil, inputTypes: [String]? = nil, outputs: [Output],
    description: String? = nil
  ) throws {
    folder = try TemporaryFolder()
    var (layers, edges, weights) = ("", "", Data())
    for (index, shape) in inputs.enumerated() {
      let type = inputTypes?[index] ?? (shape.count == 4 ? "f32" : "i64")
      let name = inputNames?[index] ?? "in\(index)"
      layers += """
        <layer id="\(index)" name="\(name)" type="Parameter" version="opset1">
        <data shape="\(Self.list(shape))" element_type="\(type)"/><output>\(Self.port(shape, type, name))</output>
        </layer>

        """
    }
    for (index, output) in outputs.enumerated() {
      let count = output.shape.reduce(1, *)
      let values = output.values + [Float](repeating: 0, count: count - output.values.count)
      let bytes =
        switch output.type {
        case "i64": values.map { Int64($0) }.withUnsafeBytes { Data($0) }
        case "i32": values.map { Int32($0) }.withUnsafeBytes { Data($0) }
        case "f16": values.map { Float16($0) }.withUnsafeBytes { Data($0) }
        default: values.withUnsafeBytes { Data($0) }
        }
      let (constant, result) = (inputs.count + 2 * index, inputs.count + 2 * index + 1)
      let shape = Self.list(output.shape)
      layers += """
        <layer id="\(constant)" name="\(output.name)" type="Const" version="opset1">
        <data element_type="\(output.type)" shape="\(shape)" offset="\(weights.count)" size="\(bytes.count)"/>
        <output>\(Self.port(output.shape, output.type, output.name))</output></layer>
        <layer id="\(result)" name="result\(index)" type="Result" version="opset1">
        <input>\(Self.port(output.shape, output.type, nil))</input></layer>

        """
      edges += #"<edge from-layer="\#(constant)" from-port="0" to-layer="\#(result)" to-port="0"/>"#
      weights += bytes
    }
    let text = """
      <?xml version="1.0"?>
      <net name="constant" version="11"><layers>\(layers)</layers><edges>\(edges)</edges></net>
      """
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try weights.write(to: URL(filePath: folder.file("model.bin")))
    try description?.write(toFile: folder.file("model.json"), atomically: true, encoding: .utf8)
  }

  private static func list(_ shape: [Int]) -> String { shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ",") }

  private static func port(_ shape: [Int], _ type: String, _ name: String?) -> String {
    let dimensions = shape.map { "<dim>\($0)</dim>" }.joined()
    let precision = ["f32": "FP32", "f16": "FP16"][type] ?? type.uppercased()
    return #"<port id="0" precision="\#(precision)"\#(name.map { #" names="\#($0)""# } ?? "")>\#(dimensions)</port>"#
  }
}
