/// Key-frame-only decoding of a live video while nothing moves; frames are also skipped while no detector is free.
///
/// Once nothing has moved for a while, only key frames are decoded, each by itself. Motion is noticed in the next key frame,
/// or at once by a packet that is much larger than usual: encoders describe changes. Then the packets skipped since the last
/// key frame are decoded, as later frames refer to them, and decoding goes on.
///
/// Where detectors have reported nothing for a while, decoding would take processor time that they need.
///
/// Pure: decisions depend on the packets and the detectors' reports.
struct KeyFrameDecoding {
  /// A packet's properties before it is decoded.
  struct PacketFacts {
    var isKey: Bool
    var byteCount: Int
    /// The stream time of its frame; `nil` if unknown.
    var seconds: Double?
  }

  /// The detectors' report since the packet before.
  enum Scene {
    case still
    case moving
    /// Nothing new.
    case unknown
  }

  enum Step: Hashable {
    case decode
    /// A key frame whose next packets may be skipped.
    case decodeAlone
    /// - Parameter isUnchanged: whether the scene is known to be still.
    case skip(isUnchanged: Bool)
    /// The packets skipped since the last key frame are decoded, then this one.
    case resume
  }

  /// Whether only key frames are decoded.
  private(set) var isActive = false
  /// Stream time since which nothing has moved.
  private var stillSince: Double?
  /// Stream time of the detectors' last report.
  private var lastReport: Double?
  private var lastTime: Double?
  private var lastKey: Double?
  /// Seconds between the last two key frames.
  private var keyInterval = Double.infinity
  /// Stream time of the last packet out of display order, or of the last key frame that gave no frame.
  private var unsupportedAt = -Double.infinity
  private var sizes = PacketSizes()
  private var skippedBytes = 0

  private enum Rule {
    /// Seconds without motion before frames are skipped.
    static let delay = 2.0
    /// Seconds without a report before frames are skipped.
    static let reportDelay = 1.0
    /// The longest time between key frames in seconds, as motion may be noticed only then.
    static let keyInterval = 2.6
    /// Seconds without a report after which a still scene is unknown again.
    static let reportMemory = 6.0
    /// Seconds after `unsupportedAt` for which every frame is decoded.
    static let unsupportedMemory = 30.0
    /// The most bytes that are skipped, as they are kept.
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
    if isActive { return nextWhenActive(packet, isLarge: isLarge, at: seconds) }
    return packet.isKey && canStart(at: seconds) ? decodeAlone() : .decode
  }

  private mutating func nextWhenActive(_ packet: PacketFacts, isLarge: Bool, at seconds: Double) -> Step {
    skippedBytes += packet.byteCount
    guard stillSince != nil || lacksDetectors(at: seconds), !isLarge, keyInterval <= Rule.keyInterval,
      unsupportedAt < seconds - Rule.unsupportedMemory,
      packet.isKey || seconds - (lastKey ?? seconds) <= Rule.keyInterval && skippedBytes <= Rule.skippedBytes
    else {
      isActive = false
      stillSince = nil
      // The skipped packets are before this key frame.
      return packet.isKey ? .decode : .resume
    }
    return packet.isKey ? decodeAlone() : .skip(isUnchanged: stillSince != nil)
  }

  /// Notes that a packet decoded alone gave no frame, as with intra refresh: decoding resumes.
  mutating func noteMissingFrame() {
    (isActive, stillSince) = (false, nil)
    unsupportedAt = lastTime ?? 0
  }

  private mutating func decode() -> Step {
    defer { self = KeyFrameDecoding() }
    return isActive ? .resume : .decode
  }

  private mutating func decodeAlone() -> Step {
    isActive = true
    skippedBytes = 0
    return .decodeAlone
  }

  private func canStart(at seconds: Double) -> Bool {
    guard stillSince.map({ seconds - $0 >= Rule.delay }) == true || lacksDetectors(at: seconds) else { return false }
    return keyInterval <= Rule.keyInterval && unsupportedAt < seconds - Rule.unsupportedMemory
  }

  private func lacksDetectors(at seconds: Double) -> Bool {
    seconds - (lastReport ?? seconds) > Rule.reportDelay
  }

  private mutating func noteTime(_ seconds: Double, isKey: Bool) {
    if let lastTime, seconds <= lastTime { unsupportedAt = seconds }
    lastTime = seconds
    guard isKey else { return }
    keyInterval = lastKey.map { seconds > $0 ? seconds - $0 : .infinity } ?? .infinity
    lastKey = seconds
  }
}

/// The usual packet sizes of a still scene, without key frames.
private struct PacketSizes {
  private var mean = 0.0
  private var deviation = 0.0
  /// The largest, forgotten slowly: a clock in the frame makes a larger packet each second.
  private var peak = 0.0
  private var count = 0.0

  private enum Rule {
    /// Packets over which sizes are averaged.
    static let memory = 100.0
    /// Packets that are known before one can be unusual.
    static let fewest = 20.0
    /// The least difference of an unusual size from the mean: in mean deviations, in means, and in bytes.
    static let deviations = 8.0
    static let means = 1.0
    static let bytes = 200.0
    /// The same as a multiple of the recent peak, and the peak's decay with each packet.
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
