/// Splits subtitles that are shown at the same time into successive ones, for formats that show one at a time (MP4's timed
/// text): each lasts as long as the same texts are shown.
struct CueTimeline {
  /// Texts that are shown together, in ticks of the stream.
  struct Cue: Hashable {
    let start: Int64
    let end: Int64
    let texts: [String]
  }

  /// The texts that are shown from `time` on, in the order of their starts.
  private var active: [(end: Int64, text: String)] = []
  private var time = Int64.min

  /// Adds a subtitle, and returns earlier ones that end before it. Subtitles come in the order of their starts.
  mutating func add(start: Int64, end: Int64, text: String) -> [Cue] {
    let ended = advance(to: start)
    time = max(time, start)
    if end > time { active.append((end, text)) }
    return ended
  }

  /// Returns the remaining subtitles, at the end of the stream.
  mutating func finish() -> [Cue] { advance(to: .max) }

  private mutating func advance(to next: Int64) -> [Cue] {
    var cues: [Cue] = []
    while time < next, let end = active.map(\.end).min() {
      let last = min(end, next)
      cues.append(Cue(start: time, end: last, texts: active.map(\.text)))
      time = last
      active.removeAll { $0.end <= last }
    }
    return cues
  }
}
