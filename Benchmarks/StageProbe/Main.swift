#if canImport(Glibc)
  import Glibc
#endif

/// Runs one of the pipeline's steps on synthetic data, for scripts/checks/guard to count its instructions and allocations:
///
///     StageProbe STEP COUNT
///
/// Without arguments it prints the names of the steps, each with the number of runs after which its data repeats.
@main
struct Main {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      if arguments.isEmpty { return steps.forEach { print($0.name, $0.cycle) } }
      guard arguments.count == 2, let count = arguments.last.flatMap({ Int($0) }), count > 0,
        let step = steps.first(where: { $0.name == arguments.first })
      else { throw ProbeError.arguments(Array(arguments)) }
      try step.run(count)
      _exit(0)  // an ordinary exit would be counted too
    } catch {
      print("StageProbe: \(error)")
      exit(70)
    }
  }

  private static var steps: [(name: String, cycle: Int, run: (Int) throws -> Void)] {
    [
      ("sampling-objects", 20, ObjectSampling.run), ("sampling-face", 20, FaceSampling.run),
      ("motion", 20, MotionDetection.run), ("decoding", 20, Decoding.run), ("tracking", 80, Tracking.run),
      ("copying", 20, Copying.run),
      ("drawing", 10, Drawing.run), ("redaction", 10, Redaction.run), ("records", 80, Records.run),
    ]
  }
}

/// One step of the pipeline for one frame, with its data.
protocol Step {
  /// Makes the step's data.
  init() throws
  /// Runs the step once.
  ///
  /// - Returns: a number that summarises the result, to be compared with `expected`.
  mutating func run() throws -> Int
  static var expected: Int { get }
}

extension Step {
  /// Runs the step `count` times as a warm-up, and then `count` times counted.
  ///
  /// - Throws: `ProbeError` if a result is not the expected one: the cost of a failed step is meaningless.
  static func run(_ count: Int) throws {
    var step = try Self()
    func repeatedly() throws {
      for index in 0..<count {
        let outcome = try step.run()
        guard outcome == expected else { throw ProbeError.outcome(outcome, expected: expected, run: index) }
      }
    }
    try repeatedly()
    try counted(repeatedly)
  }
}

/// Counting starts here: scripts/checks/guard passes this function's name to callgrind.
@inline(never)
private func counted(_ body: () throws -> Void) rethrows { try body() }

enum ProbeError: Error {
  case arguments([String])
  case outcome(Int, expected: Int, run: Int)
}
