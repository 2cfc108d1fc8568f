import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia

@testable import VStreamPipeline

/// How often the models of a detector are loaded.
struct DetectorModelsTests {
  private struct Nothing: FrameDetecting {
    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections { Detections() }
  }

  private let loads = Monitor(0)
  private let models = DetectorModels()

  private func spec(failures: Int = 0) -> DetectorSpec {
    DetectorSpec(.objects) { [loads] _, _ in
      let count = loads.update { count in
        count += 1
        return count
      }
      if count <= failures { throw VStreamError(.missingDependency, "no model") }
      return { Nothing() }
    }
  }

  private let live = DetectorRequirements(mode: .stream, isLive: true)

  @Test func `a call that comes while the models are being loaded waits for them`() async throws {
    let spec = spec()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { [models] in _ = try spec.load(live, 1, 2, from: models) } }
      try await group.waitForAll()
    }
    #expect(loads.read { $0 } == 1)
  }

  @Test func `other requirements load them again, and so does a failure`() throws {
    let spec = spec(failures: 1)
    #expect(throws: VStreamError.self) { try spec.load(live, 1, 2, from: models) }
    _ = try spec.load(live, 1, 2, from: models)
    _ = try spec.load(DetectorRequirements(mode: .singleImage), 1, 2, from: models)
    #expect(loads.read { $0 } == 3)
  }
}
