internal import ArgumentParser
internal import CVStreamMemory
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

@main
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vstream serve",
    abstract: "Runs many cameras in one process and shows them on a live page.",
    usage: "vstream serve CONFIGURATION.yaml [options]\n       vstream serve SOURCE… [options]",
    discussion: "The page is at http://127.0.0.1:8480/ by default. docs/serve.md describes the configuration.",
    version: ProgramVersion.name)

  @OptionGroup var options: ServeOptions

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    CVStreamMemory_limitArenas(Int32(max(2, PipelineConfiguration.processorCount)))
    do {
      let command = try parse(Array(CommandLine.arguments.dropFirst()))
      try command.serve()
      Glibc.exit(command.options.check ? 0 : ServeSignals.exitCode)
    } catch let error as VStreamError {
      printLine("vstream: \(error.text(naming: \.configurationKey))")
      Glibc.exit(error.exitCode)
    } catch {
      end(parsing: error)
    }
  }

  private func serve() throws(VStreamError) {
    let configuration = try options.configuration()
    if options.check {
      let detectors = CameraDetectors(threads: 1)
      defer { detectors.stop() }
      try detectors.check(configuration)
      print(
        "\(configuration.cameras.count.counted("camera")): \(configuration.cameras.map(\.name).joined(separator: ", "))"
      )
      return
    }
    // The libraries' code and data are freed at an ordinary exit, which no thread may still use.
    if try !Server(options, configuration).run() { _exit(ServeSignals.exitCode) }
  }

  /// Prints help to standard output, or the error of the arguments to standard error, on one line.
  private static func end(parsing error: any Error) -> Never {
    guard exitCode(for: error) != .success else {
      print(fullMessage(for: error))
      Glibc.exit(0)
    }
    let problem = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
    printLine("vstream: \(problem) ('vstream serve --help' lists the options)")
    Glibc.exit(VStreamError(.usage, "").exitCode)
  }

  private static func printLine(_ text: String) {
    StandardError.write("\(ShownLocation.inText(text).printable.replacing("\n", with: "\\x0a"))\n")
  }
}

extension Setting {
  /// The key of the configuration, `object-model` for `objectModel`.
  var configurationKey: String {
    if self == .objectModel { return "object-model" }
    return name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  }
}

/// The command line of `vstream-serve`, which `vstream serve` passes on.
struct ServeOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("A configuration file (.yaml), or cameras: URLs, devices or files.", valueName: "input"))
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      "Address and port to listen at; may be repeated. (default: 127.0.0.1:8480)", valueName: "address"))
  var listen: [String] = []

  @Option(
    help: ArgumentHelp(
      "File with the token that clients need; required unless all addresses are loopback.", valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("Certificate chain in PEM format; HTTPS is then served instead of HTTP.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("Private key of the certificate, in PEM format.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "IP address or network of a proxy whose X-Forwarded headers are believed; may be repeated.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Flag(help: "Only check the configuration: exit status 0, or 64 and what is wrong in which line.")
  var check = false

  @Option(help: ArgumentHelp("Write messages as text or as JSON lines.", valueName: "text|json"))
  var logFormat = LogFormat.text

  @Option(
    help: ArgumentHelp(
      "What to detect of objects,faces,poses, or none, without a configuration. (default: objects)", valueName: "list"))
  var detect: String?

  @Option(help: ArgumentHelp("Detect only these classes, without a configuration.", valueName: "list"))
  var classes: String?

  @Option(help: ArgumentHelp("Object model, without a configuration.", valueName: "name|path"))
  var objectModel: String?

  @Option(help: ArgumentHelp("Minimum score that starts a track, without a configuration.", valueName: "score"))
  var minScore: String?

  @Option(
    help: ArgumentHelp(
      "Runs of the object network a second and camera, without a configuration. (default: 5)", valueName: "n"))
  var passesPerSecond: String?

  @Option(
    help: ArgumentHelp(
      "Seconds that opening a source, and each read, may take, without a configuration. (default: 10)",
      valueName: "seconds"))
  var timeout: String?

  /// The options that are settings of every camera, by their keys.
  private var cameraOptions: [(key: String, value: String)] {
    [
      ("detect", detect), ("classes", classes), ("object-model", objectModel), ("min-score", minScore),
      ("passes-per-second", passesPerSecond), ("timeout", timeout),
    ].compactMap { key, value in value.map { (key, $0) } }
  }

  /// The path of the configuration; `nil` if the inputs are cameras.
  var configurationPath: String? {
    inputs.first { input in [".yaml", ".yml", ".json"].contains { input.lowercased().hasSuffix($0) } }
  }

  /// The configuration that the command line states, by a file or by itself.
  ///
  /// - Throws: `VStreamError` for errors in the file or on the command line.
  func configuration() throws(VStreamError) -> ServeConfiguration {
    var configuration = try statedConfiguration()
    let listening = try Self.values(
      listen, of: "--listen", ListeningAddress.init, "is not an address", remedy: "write, for example, 127.0.0.1:8480")
    if !listening.isEmpty { configuration.listen = listening }
    configuration.tokenFile = tokenFile ?? configuration.tokenFile
    configuration.tlsCertificate = tlsCertificate ?? configuration.tlsCertificate
    configuration.tlsKey = tlsKey ?? configuration.tlsKey
    let proxies = try Self.values(
      trustedProxy, of: "--trusted-proxy", AddressRange.init, "is neither an IP address nor a network",
      remedy: AddressRange.remedy)
    if !proxies.isEmpty { configuration.trustedProxies.ranges = proxies }
    try configuration.check()
    return configuration
  }

  private static func values<Value>(
    _ texts: [String], of option: String, _ parse: (String) -> Value?, _ problem: String, remedy: String
  ) throws(VStreamError) -> [Value] {
    try texts.map { (text) throws(VStreamError) in
      guard let value = parse(text) else {
        throw VStreamError(.usage, "\(option) \(text): \(problem)", remedy: Message(remedy))
      }
      return value
    }
  }

  private func statedConfiguration() throws(VStreamError) -> ServeConfiguration {
    guard let path = configurationPath else { return try sourcesConfiguration() }
    guard inputs.count == 1 else {
      throw VStreamError(
        .usage, "'\(path)' is a configuration, and there are other inputs", remedy: "name the cameras in the file")
    }
    if let option = cameraOptions.first {
      throw VStreamError(
        .usage, "--\(option.key) is a setting of cameras, which '\(path)' has",
        remedy: "write '\(option.key): \(option.value)' under 'defaults:' in the file")
    }
    return try ConfigurationReader.read(path)
  }

  private func sourcesConfiguration() throws(VStreamError) -> ServeConfiguration {
    var settings = CameraConfiguration()
    for (key, value) in cameraOptions {
      try CameraKeys.apply(key, ConfigurationNode(option: key, value), to: &settings)
    }
    var configuration = ServeConfiguration()
    for source in inputs {
      settings.source = source
      try settings.input.requireExists(format: nil)
      let name = CameraName.name(for: source, taken: Set(configuration.cameras.map(\.name)))
      configuration.cameras.append(.init(name: name, settings: settings))
    }
    return configuration
  }
}

/// How messages are written.
enum LogFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// `2026-11-25T08:00:00Z front: lost: …`.
  case text
  /// One JSON object a line.
  case json
}
