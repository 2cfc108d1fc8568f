internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamSystem

/// The checks of the installation and of this machine.
enum Diagnosis {
  /// In printing order.
  static let checks: [@Sendable () -> [Finding]] = [
    program, ffmpeg, openVINO, models, font, { processor() }, cameras, cache,
  ]

  static func program() -> [Finding] {
    [Finding(state: .ok, subject: "vstream", detail: "\(Version.number), \(Installation.programFolder)/vstream")]
  }

  /// The libraries themselves are loaded, or the program would not run; encoders depend on how they were built.
  static func ffmpeg() -> [Finding] {
    let versions = LibAV.versions.joined(separator: ", ")
    do throws(VStreamError) {
      _ = try VideoCodec(encoder: EncoderSettings().codec)
      return [Finding(state: .ok, subject: "FFmpeg", detail: versions)]
    } catch {
      return [
        Finding(
          state: .note, subject: "FFmpeg",
          detail: "\(versions), without the default encoder \(EncoderSettings().codec)",
          remedy: "install FFmpeg with it, or give --codec")
      ]
    }
  }

  static func openVINO() -> [Finding] {
    do throws(VStreamError) {
      return [Finding(state: .ok, subject: "OpenVINO", detail: try OpenVINO.requireVersion())]
    } catch {
      return [Finding(missing: "OpenVINO", error)]
    }
  }

  /// Loads every model that is part of an installation, and compares its shapes and checksum.
  static func models() -> [Finding] {
    guard OpenVINO.version != nil else { return [] }
    do throws(VStreamError) {
      try ModelCatalogue.requireNamedFolder()
    } catch {
      return [Finding(missing: "models", error)]
    }
    var findings: [Finding] = []
    var valid = 0
    for model in ModelCatalogue.all where model.publisher == nil || model.locate() != nil {
      do throws(VStreamError) {
        _ = try ModelCheck.check(model)
        valid += 1
      } catch {
        findings.append(Finding(missing: "models", error))
      }
    }
    do throws(VStreamError) {
      let standard = try DefaultObjectModel.name()
      findings.append(
        Finding(state: .ok, subject: "models", detail: "\(valid) are valid; \(standard) detects objects by default"))
    } catch {
      findings.append(Finding(missing: "models", error))
    }
    return findings
  }

  static func font() -> [Finding] {
    let path = LabelFont.path
    guard !FileCheck.isReadable(path) else { return [Finding(state: .ok, subject: "font", detail: path)] }
    return [
      Finding(
        state: .missing, subject: "font", detail: "'\(path)' cannot be read",
        remedy: "install fonts-dejavu-core, or set VSTREAM_FONT to a font file; --draw none needs none")
    ]
  }

  static func processor() -> [Finding] {
    let text = (try? ReadableFile.bytes(of: "/proc/cpuinfo")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return [processor(ProcessorFacts(text), threads: PipelineConfiguration.processorCount)]
  }

  /// - Parameter threads: the process's available threads.
  static func processor(_ facts: ProcessorFacts, threads: Int) -> Finding {
    let detail = "\(facts.name), \(threads.counted("thread"))"
    guard let features = facts.features else { return Finding(state: .ok, subject: "processor", detail: detail) }
    guard features.contains("sse4_2") else {
      return Finding(
        state: .missing, subject: "processor", detail: "\(detail), without SSE4.2, which OpenVINO requires",
        remedy: "use a processor of 2009 or later; --detect none runs")
    }
    guard features.contains("avx2") else {
      return Finding(
        state: .note, subject: "processor", detail: "\(detail), without AVX2: inference is slow",
        remedy: "--accuracy fast takes the least")
    }
    let known = [("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_vnni", "VNNI"), ("avx_vnni", "AVX-VNNI")]
    let names = known.filter { features.contains($0.0) }.map(\.1)
    return Finding(state: .ok, subject: "processor", detail: "\(detail), \(names.joined(separator: ", "))")
  }

  static func cameras() -> [Finding] {
    let cameras = ConnectedCamera.all()
    if cameras.isEmpty { return [Finding(state: .note, subject: "cameras", detail: "none is connected")] }
    return cameras.map { camera in
      if let problem = camera.problem {
        return Finding(state: .note, subject: "cameras", detail: problem.commandText)
      }
      let largest = camera.offers.map(\.size).max { $0.width * $0.height < $1.width * $1.height }
      return Finding(
        state: .ok, subject: "cameras", detail: camera.path + (largest.map { ", up to \($0)" } ?? ""))
    }
  }

  static func cache() -> [Finding] {
    guard let folder = Installation.cacheFolder() else {
      return [
        Finding(
          state: .note, subject: "cache", detail: "no folder for compiled models: each run starts more slowly",
          remedy: "set XDG_CACHE_HOME to a folder that you own")
      ]
    }
    return [Finding(state: .ok, subject: "cache", detail: folder)]
  }
}

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

/// The result of one check of the installation.
struct Finding: Hashable {
  enum State: String {
    case ok
    /// Everything works without it, or slower.
    case note
    /// Runs fail without it.
    case missing
  }

  let state: State
  /// The subject of the check, in a word.
  let subject: String
  let detail: String
  /// The remedy; empty for none.
  var remedy = ""

  /// `missing  models      face-mesh is not installed; scripts/bootstrap installs it`.
  var line: String {
    let advice = remedy.isEmpty ? "" : "; \(remedy)"
    return "\(Self.padded(state.rawValue, to: 8)) \(Self.padded(subject, to: 10)) \(detail)\(advice)"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension Finding {
  /// Something that runs need and that failed with an error.
  init(missing subject: String, _ error: VStreamError) {
    self.init(state: .missing, subject: subject, detail: error.commandText)
  }
}

/// Linux's description of the processor.
struct ProcessorFacts: Hashable {
  let name: String
  /// The instruction sets of an x86 processor, by Linux's names; `nil` for another.
  let features: Set<String>?

  /// - Parameter text: the content of `/proc/cpuinfo`.
  init(_ text: String) {
    func value(_ key: String) -> String? {
      let line = text.split(separator: "\n").first { $0.prefix { $0 != ":" }.trimmed == key }
      return line.flatMap { line in line.firstIndex(of: ":").map { line[line.index(after: $0)...].trimmed } }
    }
    name = value("model name") ?? "a processor"
    features = value("flags").map { Set($0.split(separator: " ").map(String.init)) }
  }
}
