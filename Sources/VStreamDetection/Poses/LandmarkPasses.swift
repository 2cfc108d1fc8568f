internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// The passes of the landmark network, several in flight at once. One owner at a time; the model is shared.
struct LandmarkPasses {
  /// A pass in flight.
  struct Pass {
    fileprivate let unmirrored: BodyNetwork
    fileprivate let mirrored: BodyNetwork?
  }

  /// Whether each crop is also run mirrored, and the results are averaged.
  private let addsMirrored: Bool
  private var networks: NetworkPool<BodyNetwork>

  init(_ model: Model, addsMirrored: Bool) throws(VStreamError) {
    self.addsMirrored = addsMirrored
    networks = try NetworkPool { () throws(VStreamError) in try BodyNetwork(model) }
  }

  mutating func start(on frame: VideoFrame, crop: RotatedBox, timer: any StepTimer) throws -> Pass {
    func started(isMirrored: Bool) throws -> BodyNetwork {
      var network = try networks.take()
      try network.start(on: frame, crop: crop, isMirrored: isMirrored, timer: timer)
      return network
    }
    let unmirrored = try started(isMirrored: false)
    return Pass(unmirrored: unmirrored, mirrored: addsMirrored ? try started(isMirrored: true) : nil)
  }

  /// Waits for the body of a pass.
  mutating func finish(_ pass: Pass, timer: any StepTimer) throws -> BodyLandmarks {
    let body = try pass.unmirrored.finish(timer: timer)
    networks.putBack(pass.unmirrored)
    guard let network = pass.mirrored else { return body }
    let other = try network.finish(timer: timer)
    networks.putBack(network)
    return body.mean(with: other)
  }
}
