internal import VStreamScene

/// Networks of one model that are not at work, so that several looks can be under way at once. One owner at a time.
struct NetworkPool<Network> {
  private let make: () throws(VStreamError) -> Network
  private var idle: [Network]

  /// - Throws: the `VStreamError` of making the first.
  init(_ make: @escaping () throws(VStreamError) -> Network) throws(VStreamError) {
    self.make = make
    idle = [try make()]
  }

  /// One that is given back once it has done its work; one that failed is not.
  mutating func take() throws(VStreamError) -> Network {
    if let network = idle.popLast() { return network }
    return try make()
  }

  mutating func giveBack(_ network: Network) { idle.append(network) }
}
