import Foundation
import Testing
import VStreamTestSupport

/// The inputs that fuzzing started from and what it found, so that every test run repeats them without libFuzzer.
struct SeedTests {
  /// A file in the folder of a target.
  struct Seed: CustomTestStringConvertible, Sendable {
    let target: FuzzTarget
    let name: String
    var testDescription: String { "\(target)/\(name)" }
  }

  private static func folder(of target: FuzzTarget) -> String { Checkout.fixture("Seeds/\(target)") }

  static let seeds = FuzzTarget.all.flatMap { target in
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: target))) ?? []
    return names.sorted().map { Seed(target: target, name: $0) }
  }

  @Test(arguments: seeds)
  func `the properties hold for a seed`(seed: Seed) throws {
    let bytes = try Data(contentsOf: URL(filePath: "\(Self.folder(of: seed.target))/\(seed.name)"))
    #expect(throws: Never.self) { try seed.target.run([UInt8](bytes)) }
  }

  @Test(arguments: FuzzTarget.all)
  func `each target has seeds and a dictionary, and accepts inputs without any structure`(target: FuzzTarget) throws {
    #expect(Self.seeds.filter { $0.target.name == target.name }.count >= 3)
    #expect(FileManager.default.fileExists(atPath: Checkout.fixture("Dictionaries/\(target).dict")))
    for bytes: [UInt8] in [[], [0], [0x0A], [0xFF, 0xFE], Array(repeating: 0x20, count: 100)] {
      #expect(throws: Never.self) { try target.run(bytes) }
    }
  }

  @Test func `a property that does not hold is a finding`() {
    #expect(throws: Finding.self) { try requireLine("one\r\ntwo") }
    #expect(throws: Finding.self) { try requireLine("") }
    #expect(throws: Finding.self) { try accepted { throw CancellationError() } }
  }
}
