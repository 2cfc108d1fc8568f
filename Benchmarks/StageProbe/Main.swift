#if canImport(Glibc)
  import Glibc
#endif

/// Runs one of the pipeline's steps on made data so many times, and nothing else, for scripts/checks/guard to count what it costs:
///
///     StageProbe STEP COUNT
///
/// Without arguments it prints the names of the steps, each with the count after which it has done all that it ever does.
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
      _exit(0)  // what belongs to an ordinary end would be counted
    } catch {
      print("StageProbe: \(error)")
      exit(70)
    }
  }

  private static var steps: [(name: String, cycle: Int, run: (Int) throws -> Void)] {
    [
      ("sampling-objects", 20, ObjectSampling.run), ("sampling-face", 20, FaceSampling.run),
      ("decoding", 20, Decoding.run), ("tracking", 80, Tracking.run), ("copying", 20, Copying.run),
      ("drawing", 10, Drawing.run), ("redaction", 10, Redaction.run), ("records", 80, Records.run),
    ]
  }
}

/// One frame's work of one kind, with all that it is done on.
protocol Step {
  /// Makes what the step works on.
  init() throws
  /// Does the work once.
  ///
  /// - Returns: what came of it, as a number that is known beforehand.
  mutating func run() throws -> Int
  static var expected: Int { get }
}

extension Step {
  /// Does the work as often as it takes for nothing to be new, and then so many times to be counted.
  ///
  /// - Throws: `ProbeError` if anything else came of it than should: the cost of a step that fails says nothing.
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

/// From here on is counted: scripts/checks/guard has callgrind look for this function by its name.
@inline(never)
private func counted(_ body: () throws -> Void) rethrows { try body() }

enum ProbeError: Error {
  case arguments([String])
  case outcome(Int, expected: Int, run: Int)
}
