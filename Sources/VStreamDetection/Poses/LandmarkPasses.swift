internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// The landmark network's looks at bodies, several at once. One owner at a time; the model is shared.
struct LandmarkPasses {
  /// A look that has begun.
  struct Look {
    fileprivate let straight: BodyNetwork
    fileprivate let mirrored: BodyNetwork?
  }

  /// Whether each body is looked at in the mirror as well.
  private let mirrorsPass: Bool
  private var networks: NetworkPool<BodyNetwork>

  init(_ model: Model, mirrorsPass: Bool) throws(VStreamError) {
    self.mirrorsPass = mirrorsPass
    networks = try NetworkPool { () throws(VStreamError) in try BodyNetwork(model) }
  }

  mutating func start(in frame: VideoFrame, region: RotatedBox, timer: any StepTimer) throws -> Look {
    func started(isMirrored: Bool) throws -> BodyNetwork {
      var network = try networks.take()
      try network.start(in: frame, region: region, isMirrored: isMirrored, timer: timer)
      return network
    }
    let straight = try started(isMirrored: false)
    return Look(straight: straight, mirrored: mirrorsPass ? try started(isMirrored: true) : nil)
  }

  /// Waits for what a look sees.
  mutating func finish(_ look: Look, timer: any StepTimer) throws -> BodyLandmarks {
    let body = try look.straight.finish(timer: timer)
    networks.giveBack(look.straight)
    guard let network = look.mirrored else { return body }
    let other = try network.finish(timer: timer)
    networks.giveBack(network)
    return body.mean(with: other)
  }
}
