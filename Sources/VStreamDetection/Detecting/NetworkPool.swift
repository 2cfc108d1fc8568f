internal import VStreamScene

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
