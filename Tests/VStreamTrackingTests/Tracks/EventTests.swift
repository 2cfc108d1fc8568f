import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// The events of a tracker.
struct EventTests {
  /// Kind, ID and time of all events of a run, in short.
  private func events(_ tracker: inout Tracker, _ frames: [(time: Double, found: [DetectedObject])]) -> [String] {
    frames.flatMap { frame in
      _ = tracker.update(frame.found, at: frame.time)
      return tracker.events.map { "\($0.kind.rawValue) \($0.id) \($0.time)" }
    }
  }

  private let here = [object(100, 100)]

  @Test func `an object enters with its first detection and is confirmed with its second`() {
    var tracker = Tracker()
    #expect(events(&tracker, [(0.5, here)]) == [])
    #expect(events(&tracker, [(0.75, here)]) == ["enter 1 0.5", "confirm 1 0.75"])
    #expect(events(&tracker, [(1, here), (1.25, here)]) == [])
  }

  @Test func `with confirm-after 1 an object enters and is confirmed at once`() {
    var tracker = Tracker(TrackerOptions(confirmAfter: 1))
    #expect(events(&tracker, [(2, here)]) == ["enter 1 2.0", "confirm 1 2.0"])
  }

  @Test func `an object is lost once, at the first update without a match, and recovered with the next`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
    _ = events(&tracker, [(0, here), (0.25, here)])
    #expect(events(&tracker, [(0.5, []), (0.75, []), (1, [])]) == ["lost 1 0.5"])
    #expect(events(&tracker, [(1.25, here), (1.5, here)]) == ["recovered 1 1.25"])
    #expect(events(&tracker, [(1.75, [])]) == ["lost 1 1.75"])
  }

  @Test func `an object exits after lost-after, at any later update`() {
    for notice in [2.5, 3.0, 60.0] {
      var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
      _ = events(&tracker, [(0, here), (1, here), (1.5, [])])
      #expect(events(&tracker, [(notice, here)]) == ["exit 1 2.0"])
      #expect(events(&tracker, [(notice + 0.1, here)]).count == 2)
    }
  }

  @Test func `an object does not exit before it is lost`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 0.1))
    _ = events(&tracker, [(0, here), (1, here)])
    #expect(events(&tracker, [(2, []), (3, [])]) == ["lost 1 2.0", "exit 1 2.0"])
  }

  @Test func `no ID goes on in another shot; the tracks of the one before are lost there, and exit`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
    _ = events(&tracker, [(0, here), (0.25, here)])
    tracker.change(toShot: 1)
    #expect(tracker.predicted(at: 0.5) == [])
    #expect(events(&tracker, [(0.5, here), (0.75, here)]) == ["lost 1 0.5", "enter 2 0.5", "confirm 2 0.75"])
    #expect(events(&tracker, [(1, here), (1.5, here)]) == ["exit 1 1.25"])
    tracker.finish(at: 2)
    #expect(tracker.events.map(\.id) == [2])
  }

  @Test func `where a shot goes on after another one, so do its IDs, and those of the other one end`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
    _ = events(&tracker, [(0, here), (0.25, here)])
    tracker.change(toShot: 1)
    _ = events(&tracker, [(0.5, here), (0.75, here)])
    tracker.change(toShot: 0)
    #expect(tracker.predicted(at: 1).map(\.id) == [])
    #expect(events(&tracker, [(1, here)]) == ["lost 2 1.0", "recovered 1 1.0"])
    #expect(events(&tracker, [(1.5, here), (2, here)]) == ["exit 2 1.75"])
  }

  @Test func `of two shots that take turns, each keeps its IDs`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1))
    let there = [object(400, 300)]
    let ids = (0..<12).map { step -> Int? in
      tracker.change(toShot: step / 2 % 2)
      return tracker.update(step / 2 % 2 == 0 ? here : there, at: 0.1 * Double(step)).first?.id
    }
    #expect(ids == [1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2])
    tracker.finish(at: 1.2)
    #expect(Set(tracker.events.filter { $0.kind == .exit }.map(\.id)) == [1, 2])
  }

  @Test func `a shot in which nothing was searched changes nothing`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
    _ = events(&tracker, [(0, here), (0.25, here)])
    tracker.change(toShot: 1)
    tracker.change(toShot: 0)
    #expect(events(&tracker, [(0.75, here)]) == [])
    #expect(tracker.predicted(at: 0.75).map(\.id) == [1])
  }

  @Test func `a track that was never confirmed has no events`() {
    var tracker = Tracker()
    #expect(events(&tracker, [(0, here), (0.1, []), (5, [])]) == [])
    tracker.finish(at: 6)
    #expect(tracker.events == [])
  }

  @Test func `at the end of the stream all tracks exit`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
    let other = object(400, 100, label: "car", classIndex: 2)
    _ = events(&tracker, [(0, here + [other]), (0.5, here + [other]), (1, here)])
    tracker.finish(at: 1.25)
    #expect(
      tracker.events.map { "\($0.kind.rawValue) \($0.id) \($0.label) \($0.time)" } == [
        "exit 1 person 1.25", "exit 2 car 1.25",
      ])
    #expect(tracker.predicted(at: 1.25) == [])
  }

  @Test func `each ID's events are in the order of its life`() {
    var generator = SeededNumbers(seed: 21)
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 0.5))
    var lives: [Int: [TrackEvent]] = [:]
    for step in 0..<600 {
      let found = (0..<8).filter { _ in Double.random(in: 0...1, using: &generator) < 0.5 }
        .map { object(100 + Double($0) * 90, 100) }
      let reported = tracker.update(found, at: Double(step) / 10)
      for event in tracker.events { lives[event.id, default: []].append(event) }
      for one in reported { #expect(one.id.map { lives[$0] != nil } == true) }
    }
    tracker.finish(at: 60)
    for event in tracker.events { lives[event.id, default: []].append(event) }
    #expect(lives.count > 8)
    for (id, life) in lives {
      #expect(life.prefix(2).map(\.kind) == [.enter, .confirm], "ID \(id)")
      #expect(life.last?.kind == .exit, "ID \(id)")
      for (index, event) in life.dropFirst(2).dropLast().enumerated() {
        #expect(event.kind == (index % 2 == 0 ? .lost : .recovered), "ID \(id)")
      }
      #expect(zip(life, life.dropFirst()).allSatisfy { $0.time <= $1.time }, "ID \(id)")
    }
  }
}
