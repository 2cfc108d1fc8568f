import Foundation
import Synchronization
import Testing
import VStreamCore
import VStreamPipeline
import VStreamTestSupport

@testable import VStreamServe

/// Cameras that are added, replaced and removed at run time.
struct CameraRegistryTests {
  private let registry = CameraRegistry(
    CameraDetectors(threads: 1), log: ServeLog(format: .text, write: { _ in }))

  private static func camera(_ name: String, weight: Double = 1, classes: [String]? = nil)
    -> ServeConfiguration.NamedCamera
  {
    var settings = CameraConfiguration()
    settings.source = "rtsp://127.0.0.1:9/\(name)"
    settings.detect = classes == nil ? [] : [.objects]
    settings.classes = classes
    settings.weight = weight
    return .init(name: name, settings: settings)
  }

  private static func configuration(_ cameras: [ServeConfiguration.NamedCamera]) -> ServeConfiguration {
    var configuration = ServeConfiguration()
    configuration.cameras = cameras
    return configuration
  }

  @Test func `a configuration touches only the cameras that it changes`() throws {
    try registry.replace(by: Self.configuration(["a", "b", "c", "d", "e", "f", "g", "h"].map { Self.camera($0) }))
    let before = registry.all
    #expect(before.map(\.name) == ["a", "b", "c", "d", "e", "f", "g", "h"])
    var next = ["a", "b", "c", "d", "e", "f", "g"].map { Self.camera($0) }
    next[2] = Self.camera("c", weight: 2)
    next.append(Self.camera("new"))
    try registry.replace(by: Self.configuration(next))
    let after = registry.all
    #expect(after.map(\.name) == ["a", "b", "c", "d", "e", "f", "g", "new"])
    for (index, camera) in after.enumerated() where ![2, 7].contains(index) { #expect(camera === before[index]) }
    #expect(after[2] !== before[2] && after[2].settings.weight == 2)
    for removed in [before[2], before[7]] { #expect(removed.read(\.status.phase) == .stopped) }
    registry.stop()
    #expect(registry.all.isEmpty)
  }

  @Test func `a configuration of which one camera cannot run changes nothing`() throws {
    try registry.replace(by: Self.configuration([Self.camera("a")]))
    let before = registry.all
    #expect(throws: VStreamError.self) {
      try registry.replace(by: Self.configuration([Self.camera("b"), Self.camera("c", classes: ["unicorn"])]))
    }
    #expect(registry.all.count == 1 && registry.all[0] === before[0])
    #expect(before[0].read(\.status.phase) != .stopped)
    registry.stop()
  }

  @Test func `no camera is added to a server that stops`() throws {
    registry.stop()
    #expect(throws: VStreamError.self) { try registry.put(Self.camera("a")) }
    #expect(registry.all.isEmpty)
  }

  /// Its threads keep a camera until they have ended, and nothing else does.
  @Test(arguments: [nil, "rtsp://127.0.0.1:9/b"]) func `a camera that was removed is freed`(detectSource: String?)
    throws
  {
    var named = Self.camera("a")
    named.settings.detectSource = detectSource
    try registry.put(named)
    weak let camera = registry.camera(named: "a")
    #expect(camera != nil && registry.remove("a"))
    let deadline = ContinuousClock.now + .seconds(Program.limit)
    while camera != nil, ContinuousClock.now < deadline { sched_yield() }
    #expect(camera == nil)
    registry.stop()
  }

  @Test func `cameras by name`() throws {
    #expect(try registry.put(Self.camera("a")) == false)
    #expect(try registry.put(Self.camera("a")) == nil)
    #expect(try registry.put(Self.camera("a", weight: 2)) == true)
    #expect(registry.camera(named: "a")?.settings.weight == 2)
    #expect(registry.camera(named: "b") == nil)
    #expect(!registry.remove("b") && registry.remove("a") && !registry.remove("a"))
    registry.stop()
  }

  @Test func `the defaults are those of the configuration that was read last`() throws {
    var configuration = Self.configuration([Self.camera("a")])
    configuration.defaults.weight = 5
    try registry.replace(by: configuration)
    #expect(registry.defaults.weight == 5)
    registry.stop()
  }

  /// Those who follow a camera that is removed are not left waiting.
  @Test func `viewers of a removed camera end`() throws {
    try registry.put(Self.camera("a"))
    let camera = try #require(registry.camera(named: "a"))
    let wakes = Atomic(0)
    let viewer = LiveViewer(.live) { wakes.add(1, ordering: .relaxed) }
    camera.handle(.joined(viewer))
    while camera.next(for: viewer) != .wait {}
    #expect(camera.read { $0.viewerCount(.live) } == 1)
    #expect(registry.remove("a"))
    #expect(camera.read { $0.viewerCount(.live) } == 0 && camera.next(for: viewer) == .end)
    #expect(wakes.load(ordering: .relaxed) > 0)
    registry.stop()
  }

  @Test func `a camera's JSON states what it is, and no password`() throws {
    var named = Self.camera("a")
    named.settings.source = "rtsp://user:secret@127.0.0.1:9/live"
    named.settings.counted.zones = [
      .init(name: "door", corners: try #require(CountedRegions.Corner.list("10%,20%;40%,20%;40%,90%")))
    ]
    try registry.put(named)
    let camera = try #require(registry.camera(named: "a"))
    let text = CameraJSON.one(camera)
    #expect(text.contains("\"source\":\"rtsp://user:…@127.0.0.1:9/live\""), "\(text)")
    for member in [
      "state", "stateSeconds", "framesPerSecond", "decodedPerSecond", "passesWanted", "passesMet", "frames", "zones",
      "history",
    ] {
      #expect(text.contains("\"\(member)\":"), "\(member)")
    }
    #expect(!text.contains("secret") && !text.contains("\n"))
    #expect(CameraJSON.list([camera, camera]).components(separatedBy: "\"name\":\"a\"").count == 3)
    #expect(
      CameraJSON.state("a", camera.read(\.status), at: 0).hasPrefix("{\"type\":\"state\",\"name\":\"a\",\"state\":"))
    registry.stop()
  }
}
