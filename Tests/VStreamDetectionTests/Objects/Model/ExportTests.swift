import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// Detectors as their publishers' own tools export them: inputs beside the image, outputs, colours and classes.
struct ExportTests {
  struct Export: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var inputs: [(name: String, shape: [Int], type: String)]
    let outputs: [ConstantNetwork.Output]
    var description: String?
    let layout: String
    /// The values of the inputs beside the image.
    var constants: [[Float]] = []
    /// In a frame of 768 × 576.
    var box = Box(x: 96, y: 144, width: 192, height: 216)
    /// A white pixel of the network's input.
    var white: [Float] = [1, 1, 1]
  }

  private static let image = (name: "image", shape: [1, 3, 64, 64], type: "f32")
  private static let imageNetWhite: [Float] = [2.2489083, 2.4285715, 2.64]
  private static let imageNet = #""mean":[123.675,116.28,103.53],"deviation":[58.395,57.12,57.375]"#

  private static func output(_ name: String, _ shape: [Int], _ values: [Float], type: String = "f32")
    -> ConstantNetwork.Output
  {
    ConstantNetwork.Output(name: name, shape: shape, values: values, type: type)
  }

  /// Two boxes, the first of class 1 with a score of 0.75.
  private static let deim = [
    output("labels", [1, 2], [1, 0], type: "i64"), output("boxes", [1, 2, 4], [8, 16, 24, 40]),
    output("scores", [1, 2], [0.75, 0]),
  ]

  private static let paddle = [
    output("multiclass_nms3_0.tmp_0", [2, 6], [1, 0.75, 8, 16, 24, 40, 0, 0.9, 0, 0, 64, 64]),
    output("multiclass_nms3_0.tmp_2", [1], [1], type: "i32"),
  ]

  /// One box, of class 1 with a score of 0.75, in the fourth cell of stride 16: its centre is at (56, 8).
  private static func picoDet() -> [ConstantNetwork.Output] {
    let cells = [64, 16, 4, 1]
    var outputs = (0..<8).map { output("scale_\($0)", [1, cells[$0 % 4], $0 < 4 ? 2 : 32], []) }
    outputs[1].values = [Float](repeating: 0, count: 7) + [0.75]
    // Each distance is one bin of 16 pixels, with certainty.
    let distance: [Float] = [0, 99, 0, 0, 0, 0, 0, 0]
    outputs[5].values = [Float](repeating: 0, count: 3 * 32) + distance + distance + distance + distance
    return outputs
  }

  static let exports = [
    Export(
      testDescription: "DEIMv2 and D-FINE",
      inputs: [("images", [-1, 3, 64, 64], "f32"), ("orig_target_sizes", [-1, 2], "i64")], outputs: deim,
      description: #"{"labels":["cat","dog"]}"#, layout: "rt-detr", constants: [[64, 64]]),
    Export(
      testDescription: "DEIMv2, inputs and outputs in another order",
      inputs: [("orig_target_sizes", [-1, 2], "i64"), ("images", [-1, 3, 64, 64], "f32")],
      outputs: [deim[2], deim[0], deim[1]],
      description: #"{"labels":["cat","dog"]}"#, layout: "rt-detr", constants: [[64, 64]]),
    Export(
      testDescription: "DEIMv2 with DINOv3, which is normalised",
      inputs: [("images", [-1, 3, 64, 64], "f32"), ("orig_target_sizes", [-1, 2], "i64")], outputs: deim,
      description: #"{"labels":["cat","dog"],"input":{\#(imageNet)}}"#, layout: "rt-detr", constants: [[64, 64]],
      white: imageNetWhite),
    Export(
      testDescription: "PicoDet", inputs: [image], outputs: picoDet(), description: #"{"labels":["cat","dog"]}"#,
      layout: "picodet", box: Box(x: 480, y: 0, width: 288, height: 216), white: imageNetWhite),
    Export(
      testDescription: "PicoDet without NMS", inputs: [image],
      outputs: [
        output("boxes", [1, 85, 4], [8, 16, 24, 40]),
        output("scores", [1, 2, 85], [Float](repeating: 0, count: 85) + [0.75]),
      ],
      description: #"{"labels":["cat","dog"]}"#, layout: "picodet-boxes", white: imageNetWhite),
    Export(
      testDescription: "PaddleDetection with NMS",
      inputs: [("image", [-1, 3, 64, 64], "f32"), ("scale_factor", [-1, 2], "f32")], outputs: paddle,
      description: #"{"labels":["cat","dog"],"input":{\#(imageNet)}}"#, layout: "paddledetection",
      constants: [[1, 1]], white: imageNetWhite),
    Export(
      testDescription: "RT-DETR of PaddleDetection",
      inputs: [("im_shape", [-1, 2], "f32"), ("image", [-1, 3, 32, 64], "f32"), ("scale_factor", [-1, 2], "f32")],
      outputs: paddle, description: #"{"labels":["cat","dog"],"input":{"mean":[0]}}"#, layout: "paddledetection",
      constants: [[32, 64], [1, 1]], box: Box(x: 96, y: 288, width: 192, height: 288)),
  ]

  private func load(_ row: Export) throws -> ObjectModel {
    let network = try ConstantNetwork(
      inputs: row.inputs.map(\.shape), inputNames: row.inputs.map(\.name), inputTypes: row.inputs.map(\.type),
      outputs: row.outputs, description: row.description)
    return try ObjectModel(
      path: network.path, configuration: ModelConfiguration(threads: 1, precision: .float32, usesCache: false))
  }

  @Test(arguments: exports) func `an export is recognised, and its boxes are mapped to the frame`(_ row: Export) throws
  {
    let model = try load(row)
    #expect(model.layout.name == row.layout)
    #expect(model.isLayoutRecognised)
    #expect(model.constantInputs.map(\.values) == row.constants)
    let white = (0..<3).map { 255 * model.format.scale[$0] + model.format.offset[$0] }
    #expect(zip(white, row.white).allSatisfy { abs($0 - $1) < 1e-4 }, "\(white)")
    #expect(model.format.order == .rgb && model.fit == .stretch)
    var detector = try ObjectDetectionStage(model)
    let found = try detector.objects(in: try SampleFrames.read("street.avi", at: [0])[0], timer: NoTimer())
    #expect(found.map(\.label) == ["dog"])
    #expect(abs((found.first?.score ?? 0) - 0.75) < 1e-6)
    #expect((found.first?.box.iou(row.box) ?? 0) > 0.9999, "\(found)")
  }

  @Test func `an export whose pixels cannot be known is refused, with a description to begin with`() throws {
    var row = try #require(Self.exports.first { $0.layout == "paddledetection" })
    row.description = nil
    let error = #expect(throws: VStreamError.self) { try load(row) }
    #expect(error?.message.contains("it is not clear how its input is computed") == true, "\(error?.message ?? "")")
    #expect(error?.remedy.contains(#"{"layout":"paddledetection","labels":"coco","input":{"mean":"#) == true)
  }
}
