internal import VStreamCore
internal import VStreamInference
internal import VStreamSystem

/// The idle networks of one model, so that several passes can be in flight at once. One owner at a time.
struct NetworkPool<Network> {
  private let make: () throws(VStreamError) -> Network
  private var idle: [Network]

  /// - Throws: the `VStreamError` of making the first.
  init(_ make: @escaping () throws(VStreamError) -> Network) throws(VStreamError) {
    self.make = make
    idle = [try make()]
  }

  /// An idle network, or a new one. It is put back after its pass; one that failed is dropped.
  mutating func take() throws(VStreamError) -> Network {
    if let network = idle.popLast() { return network }
    return try make()
  }

  mutating func putBack(_ network: Network) { idle.append(network) }
}

extension Model {
  /// - Parameters:
  ///   - expected: the shapes of the inputs, then of the outputs.
  ///   - description: the model's purpose, for the message.
  ///   - element: the type of the inputs' values.
  /// - Throws: `VStreamError.missingDependency` unless the model has these shapes and its inputs this type.
  func require(
    _ expected: [[Int]], _ description: String, element: Element = .float32
  ) throws(VStreamError) {
    let remedy: Message = "\(Installation.completeSetUpCommand) makes it"
    let shapes = (inputs + outputs).map(\.shape)
    guard shapes == expected else {
      throw VStreamError(
        .missingDependency, "'\(path)' is not \(description): its shapes are \(shapes), not \(expected)",
        remedy: remedy)
    }
    if let other = inputs.first(where: { $0.element != element }) {
      throw VStreamError(
        .missingDependency, "'\(path)' is not \(description): its input is \(other.label), not of \(element)",
        remedy: remedy)
    }
  }
}
