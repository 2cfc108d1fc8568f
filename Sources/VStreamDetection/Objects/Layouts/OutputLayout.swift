internal import VStreamCore
internal import VStreamInference

/// A layout of a detector's outputs: its tensors, their contents, and the default preparation of the input.
///
/// In comments K is the number of boxes, C of classes, and G of cells: those of the grids of the input at strides 8, 16
/// and 32. A new layout is one file in this folder and one line in `OutputLayoutRegistry`.
protocol OutputLayout: Sendable {
  /// The value of `layout` in a detector's description.
  var name: String { get }
  /// The outputs' shapes, as messages show them.
  var shapes: String { get }
  /// Whether the network itself reports each object once.
  var suppressesDuplicates: Bool { get }
  /// The number that the network gives its first class.
  var firstClass: Int { get }

  /// How well outputs fit this layout by their shapes alone.
  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch
  /// The indices of the outputs in the layout's own order; `nil` if they are not of this layout.
  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]?
  /// The number of classes, by the shapes of the arranged outputs; `nil` where they do not determine it.
  func classCount(_ shapes: [[Int]]) -> Int?
  /// Whether the last of `classCount` classes means "no object".
  func hasNoObjectClass(classCount: Int) -> Bool
  /// Whether classes are numbered as in COCO's 91-entry label map, unless the description names them.
  func usesCOCOLabelMap(classCount: Int?) -> Bool
  /// How the input is prepared, unless the description says otherwise; `nil` where models of this layout differ.
  func inputPreset(classCount: Int?) -> InputPreset?
  /// A smaller input with which parts of a frame are searched as well; `nil` for none.
  ///
  /// - Parameter own: the size of the model's file.
  func smallInput(own: PixelSize) -> PixelSize?
  /// The decoder of one model's outputs.
  func makeDecoder(for model: ObjectModel, options: ObjectDetectionOptions) -> any ObjectDecoding
}

extension OutputLayout {
  var firstClass: Int { 0 }
  func hasNoObjectClass(classCount: Int) -> Bool { false }
  func usesCOCOLabelMap(classCount: Int?) -> Bool { classCount == 91 }
  func smallInput(own: PixelSize) -> PixelSize? { nil }

  /// A description, as messages show it where one is needed.
  func descriptionExample(classCount: Int?) -> String {
    let labels = classCount == nil ? #""labels":"coco","# : ""
    return #"{"layout":"\#(name)",\#(labels)"input":{"mean":[0],"deviation":[255],"fit":"stretch"}}"#
  }
}

/// A layout whose outputs are read into boxes in the pixels of the network's input.
protocol RawDetectionLayout: OutputLayout {
  /// The detections with at least a score, in no particular order; rows with invalid values are skipped.
  ///
  /// - Parameters:
  ///   - outputs: in the layout's order.
  ///   - input: size of the network's input.
  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection]
  /// Values which show that the outputs are of another layout with the same shapes; `nil` if there are none.
  func contradiction(in outputs: [OutputTable], minimumScore: Float) -> String?
}

extension RawDetectionLayout {
  func contradiction(in outputs: [OutputTable], minimumScore: Float) -> String? { nil }

  func makeDecoder(for model: ObjectModel, options: ObjectDetectionOptions) -> any ObjectDecoding {
    RawDetectionDecoder(model, layout: self, options: options)
  }
}

/// How well the shapes of outputs fit a layout.
enum LayoutMatch: Int, Comparable {
  case none
  /// The ranks fit, and sizes that other layouts may have as well.
  case plausible
  /// A size follows from the network's input, or no other layout has such outputs.
  case definite

  static func < (one: LayoutMatch, other: LayoutMatch) -> Bool { one.rawValue < other.rawValue }
}

/// A model's outputs, as layouts test them.
struct ModelOutputs {
  let ports: [Model.Port]

  /// Rows and columns of `[1,rows,columns]`, if that is the only output.
  var table: (rows: Int, columns: Int)? {
    ports.count == 1 && ports[0].shape.count == 3 ? (ports[0].shape[1], ports[0].shape[2]) : nil
  }

  /// The outputs' ranks, smallest first.
  var ranks: [Int] { ports.map(\.shape.count).sorted() }

  func indices(ofRank rank: Int) -> [Int] { ports.indices.filter { ports[$0].shape.count == rank } }

  /// The first of some outputs whose name contains one of the words.
  func index(of words: [String], among indices: [Int]) -> Int? {
    indices.first { index in words.contains { ports[index].name.lowercased().contains($0) } }
  }
}
