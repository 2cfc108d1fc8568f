internal import VStreamCore

enum OutputLayoutRegistry {
  /// In the messages' order.
  static let all: [any OutputLayout] = [
    SSDMobileNetV2Layout(),
    YOLOXLayout(),
    YOLOv5Layout(),
    YOLOv8Layout(),
    YOLOEndToEndLayout(),
    RTDETRJoinedLayout(),
    DETRLayout(),
    RTDETRLayout(),
    OpenVINOSSDLayout(),
    TensorFlowSSDLayout(),
    NanoDetPlusLayout(),
    PicoDetLayout(),
    PicoDetBoxesLayout(),
    PaddleDetectionLayout(),
  ]

  /// The layouts' names, between commas.
  static var names: String { all.map(\.name).joined(separator: ", ") }

  static func named(_ name: String) -> (any OutputLayout)? { all.first { $0.name == name } }

  /// The layouts that fit outputs best: one where the shapes leave no doubt, several where they are ambiguous.
  ///
  /// An unusual number of classes makes some shapes ambiguous: 5 + C of one layout is 4 + C' of another.
  static func recognised(_ outputs: ModelOutputs, input: PixelSize) -> [any OutputLayout] {
    let matches = all.map { (layout: $0, match: $0.match(outputs, input: input)) }
    guard let best = matches.map(\.match).max(), best > .none else { return [] }
    return matches.filter { $0.match == best }.map(\.layout)
  }

  /// The most boxes that networks report which suppress duplicates themselves.
  static let maximumQueries = 1000
}
