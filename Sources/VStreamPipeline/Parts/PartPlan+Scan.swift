public import VStreamMedia
public import VStreamScene
internal import VStreamSystem

extension PartPlan {
  /// Plans the parts of an input, which is read to its end and not decoded.
  ///
  /// - Parameters:
  ///   - seconds: the length of a part, rounded up to whole cells of the grid.
  ///   - fromStart: whether each part is read from the input's beginning.
  /// - Throws: `VStreamError`: those of opening and reading; `usage` for an input that has no parts, as a camera or a photo.
  public init(of input: MediaInput, partSeconds seconds: Double, fromStart: Bool) throws(VStreamError) {
    guard [.file, .network].contains(input.kind), try input.files() == [input.location] else {
      throw VStreamError(
        .usage, "\(input.displayName) has no parts: only files of video do", subject: input.location,
        remedy: "process it as a whole")
    }
    let identity = try InputIdentity(of: input)
    let scan = try VideoScan(input)
    let planner = PartPlanner(
      scan.entries, base: scan.video.timeBase,
      startsAtKeyFrames: scan.startsAtKeyFrames && scan.damaged == 0 && !fromStart)
    var parts = planner.parts(of: seconds)
    guard !parts.isEmpty else {
      throw VStreamError(
        .unreadableInput, "\(input.displayName) has no frames with times", subject: input.location,
        remedy: "process it as a whole")
    }
    for index in parts.indices {
      parts[index].seeks = parts[index].keyTicks.map { scan.canSeek(toKeyFrameAt: $0) } ?? false
    }
    let location = input.isURL ? input.location : PathIdentity.canonicalPath(of: input.location)
    self.init(input: identity, location: location, video: scan.video, parts: parts)
  }
}
