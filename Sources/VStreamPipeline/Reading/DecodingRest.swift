/// Decides which packets of a live video are not decoded, as nothing moves in it, or as the detectors have no time for it.
///
/// Once nothing has moved for a while, only key frames are decoded, each by itself. What begins to move is noticed in the next key
/// frame, or at once by a packet that is much larger than those before: encoders describe what has changed. Then what was skipped
/// since the last key frame is decoded, as later frames refer to it, and decoding goes on.
///
/// Where detectors have reported nothing for a while, decoding would take time that they need: it rests until they do.
///
/// Pure: decisions depend on the packets and what is known of the scene.
struct DecodingRest {
  /// What is known of a packet without decoding it.
  struct PacketFacts {
    var isKey: Bool
    var byteCount: Int
    /// Stream time at which its frame is shown; `nil` if that is not known.
    var seconds: Double?
  }

  /// What the detectors have reported since the packet before.
  enum Scene {
    case still
    case moving
    /// Nothing new.
    case unknown
  }

  enum Step: Hashable {
    case decode
    /// A key frame, of which the packets that follow may be skipped.
    case decodeAlone
    /// - Parameter isUnchanged: whether nothing has moved, as far as is known.
    case skip(isUnchanged: Bool)
    /// What was skipped since the last key frame is decoded, and then this one.
    case resume
  }

  private(set) var isResting = false
  /// Stream time since which nothing has moved.
  private var stillSince: Double?
  /// Stream time of the last packet with which detectors had something new to report.
  private var lastReport: Double?
  private var lastTime: Double?
  private var lastKey: Double?
  /// Seconds between the last two key frames.
  private var keyInterval = Double.infinity
  /// Stream time at which packets were last not in the order in which their frames are shown, or a key frame was none.
  private var unfitAt = -Double.infinity
  private var sizes = PacketSizes()
  private var skippedBytes = 0

  private enum Rule {
    /// Seconds without motion before decoding rests.
    static let delay = 2.0
    /// Seconds without a report from which on decoding rests for want of detectors.
    static let reportDelay = 1.0
    /// Seconds between key frames at most, as what moves may be noticed only then.
    static let keyInterval = 2.6
    /// Seconds without a report after which it is not known any more that nothing moves.
    static let reportMemory = 6.0
    /// Seconds for which it is remembered that a stream is unfit.
    static let unfitMemory = 30.0
    /// Bytes that are skipped at most, as they are kept.
    static let skippedBytes = 4 << 20
  }

  mutating func next(_ packet: PacketFacts, _ scene: Scene) -> Step {
    guard let seconds = packet.seconds else { return decode() }
    noteTime(seconds, isKey: packet.isKey)
    if scene != .unknown || lastReport == nil { lastReport = seconds }
    if seconds - (lastReport ?? seconds) > Rule.reportMemory { stillSince = nil }
    switch scene {
    case .still: stillSince = stillSince ?? seconds
    case .moving: stillSince = nil
    case .unknown: break
    }
    let isLarge = packet.isKey ? false : sizes.add(packet.byteCount, isStill: stillSince != nil)
    return isResting
      ? nextAtRest(packet, isLarge: isLarge, at: seconds) : packet.isKey && canRest(at: seconds) ? rest() : .decode
  }

  private mutating func nextAtRest(_ packet: PacketFacts, isLarge: Bool, at seconds: Double) -> Step {
    skippedBytes += packet.byteCount
    guard stillSince != nil || lacksDetectors(at: seconds), !isLarge, keyInterval <= Rule.keyInterval,
      unfitAt < seconds - Rule.unfitMemory,
      packet.isKey || seconds - (lastKey ?? seconds) <= Rule.keyInterval && skippedBytes <= Rule.skippedBytes
    else {
      isResting = false
      stillSince = nil
      // What was skipped is before this key frame.
      return packet.isKey ? .decode : .resume
    }
    return packet.isKey ? rest() : .skip(isUnchanged: stillSince != nil)
  }

  /// Notes that a packet which was decoded alone gave no frame, as where a picture is refreshed bit by bit: decoding resumes.
  mutating func noteMissingFrame() {
    (isResting, stillSince) = (false, nil)
    unfitAt = lastTime ?? 0
  }

  private mutating func decode() -> Step {
    defer { self = DecodingRest() }
    return isResting ? .resume : .decode
  }

  private mutating func rest() -> Step {
    isResting = true
    skippedBytes = 0
    return .decodeAlone
  }

  private func canRest(at seconds: Double) -> Bool {
    guard stillSince.map({ seconds - $0 >= Rule.delay }) == true || lacksDetectors(at: seconds) else { return false }
    return keyInterval <= Rule.keyInterval && unfitAt < seconds - Rule.unfitMemory
  }

  private func lacksDetectors(at seconds: Double) -> Bool {
    seconds - (lastReport ?? seconds) > Rule.reportDelay
  }

  private mutating func noteTime(_ seconds: Double, isKey: Bool) {
    if let lastTime, seconds <= lastTime { unfitAt = seconds }
    lastTime = seconds
    guard isKey else { return }
    keyInterval = lastKey.map { seconds > $0 ? seconds - $0 : .infinity } ?? .infinity
    lastKey = seconds
  }
}

/// The usual sizes of the packets of a still scene that are no key frames.
private struct PacketSizes {
  private var mean = 0.0
  private var deviation = 0.0
  /// The largest, which is forgotten slowly: a clock in the picture makes a larger packet each second.
  private var peak = 0.0
  private var count = 0.0

  private enum Rule {
    /// Packets over which sizes are averaged.
    static let memory = 100.0
    /// Packets that are known before one can be unusual.
    static let fewest = 20.0
    /// What an unusual size differs by from the mean, at least: in mean deviations, in means, and in bytes.
    static let deviations = 8.0
    static let means = 1.0
    static let bytes = 200.0
    /// The same as a multiple of the largest one lately, and by how much that is forgotten with each packet.
    static let peaks = 1.3
    static let peakMemory = 0.998
  }

  /// Adds the size of a packet, if the scene is still.
  ///
  /// - Returns: whether it is unusually large for a still scene.
  mutating func add(_ byteCount: Int, isStill: Bool) -> Bool {
    let difference = Double(byteCount) - mean
    let limit = max(Rule.deviations * deviation, Rule.means * mean, Rule.bytes)
    let isLarge = count >= Rule.fewest && difference > limit && Double(byteCount) > Rule.peaks * peak
    guard isStill else { return isLarge }
    peak = max(Rule.peakMemory * peak, Double(byteCount))
    count = min(count + 1, Rule.memory)
    mean += difference / count
    deviation += (abs(difference) - deviation) / count
    return isLarge
  }
}
