package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Another program, run to its end.
package enum ChildProcess {
  /// Runs a program, whose output goes to a file, and waits for it.
  ///
  /// - Parameters:
  ///   - environment: `NAME=value`, beside the variables of this process and before them.
  ///   - log: path of the file for its output.
  ///   - isInterrupted: asked twenty times a second; the program is killed when it is `true`.
  /// - Returns: its exit status; of a program that a signal ended, 128 and the signal's number.
  /// - Throws: `VStreamError.missingDependency` if it cannot be started. The C function is `posix_spawn`.
  package static func run(
    _ program: String, _ arguments: [String], environment: [String], log: String, isInterrupted: () -> Bool
  ) throws(VStreamError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) }
    var next = environ
    while let variable = next.pointee {
      variables.append(strdup(variable))
      next += 1
    }
    variables.append(nil)
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, nil, words, variables)
    guard code == 0 else {
      throw VStreamError(
        .missingDependency, "'\(program)' cannot be run: \(String(cString: strerror(code)))", subject: program)
    }
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if isInterrupted() { kill(process, SIGKILL) }
      usleep(50_000)
    }
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }
}
