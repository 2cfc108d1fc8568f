internal import VStreamSystem

/// What Linux reports of the processor.
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
