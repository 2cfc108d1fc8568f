internal import VStreamCore
internal import VStreamMedia
package import VStreamReporting
internal import VStreamSystem

/// The groups of pictures of an output of which some were copied.
package struct WrittenGroups: Sendable {
  package private(set) var parts: [RedactionReceipt.Groups] = []
  /// Of the copied packets, in their order, if the output is verified.
  var fingerprints: [Int] = []

  /// - Parameter count: 0 for frames of a copied group that had to be encoded.
  mutating func add(frames: Int, groups count: Int, areCopied: Bool) {
    if let last = parts.last, last.areCopied == areCopied {
      parts[parts.count - 1].frames += frames
      parts[parts.count - 1].count += count
    } else {
      let first = parts.last.map { $0.firstFrame + $0.frames } ?? 0
      parts.append(.init(firstFrame: first, frames: frames, count: count, areCopied: areCopied))
    }
  }

  var summary: Message {
    let copied = parts.filter(\.areCopied)
    let frames = parts.reduce(0) { $0 + $1.frames }
    let share = frames > 0 ? 100 * copied.reduce(0) { $0 + $1.frames } / frames : 0
    let groups = copied.reduce(0) { $0 + $1.count }
    let encoded = parts.reduce(0) { $0 + $1.count } - groups
    return
      "\(groups) groups of pictures are copied, \(encoded) encoded: \(share) % of the frames are the input's own"
  }

  /// Checks that a file has the packets that were copied to it, in their order.
  ///
  /// - Throws: `VStreamError.inputOutput` if it has not; the error of reading it.
  func requireCopies(in location: String) throws(VStreamError) {
    guard !fingerprints.isEmpty else { return }
    let reader = try MediaReader(MediaInput(location))
    guard let groups = PictureGroups(of: reader.video) else { return }
    var rest = fingerprints[...]
    while case .packet(let packet) = try reader.next() {
      if packet.streamIndex == reader.video.index, groups.fingerprint(of: packet) == rest.first { rest.removeFirst() }
    }
    guard !rest.isEmpty else { return }
    throw VStreamError(
      .inputOutput,
      "'\(ShownLocation.text(location))' cannot be verified: \(rest.count) packets that were copied to it are not the input's",
      remedy: "write another format, for example .mkv, or omit \(.encode)")
  }
}
