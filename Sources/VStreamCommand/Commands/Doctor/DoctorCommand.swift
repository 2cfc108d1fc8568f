internal import ArgumentParser

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks that what runs need is present and works: libraries, models, processor, cameras, cache.",
    discussion: """
      Each line is one check: ok, note (everything works without it, or slower) or missing (runs fail without it), and \
      what to do. Exit status 69 if something is missing.
      """)

  func run() throws {
    var isComplete = true
    for check in Diagnosis.checks {
      for finding in check() {
        Terminal.printResult(finding.line)
        if finding.state == .missing { isComplete = false }
      }
    }
    if !isComplete { throw ExitCode(ExitStatus.missingDependency) }
  }
}
