internal import VStreamCore
internal import VStreamSystem

/// The times of a camera's recording, and the age of its files.
struct RecordingSettings: Hashable, Sendable {
  enum Mode: String, CaseIterable, Hashable, Sendable {
    case always
    /// While something is tracked.
    case events
    case never
  }

  var mode = Mode.never
  /// Seconds before and after an event.
  var before = 5.0
  var after = 10.0
  /// Seconds after which a file is deleted; `nil`: only where there is no space.
  var keep: Double?
  /// The same for files in which something was tracked, and for tracks; `nil` for `keep`.
  var keepEvents: Double?

  var keepsEvents: Double? { keepEvents ?? keep }

  /// - Throws: `VStreamError.usage`.
  init(_ node: ConfigurationNode) throws(VStreamError) {
    for (key, value) in try node.entries() {
      switch key {
      case "mode": mode = try value.value(Mode.self)
      case "before": before = try value.seconds(in: 0...60)
      case "after": after = try value.seconds(in: 0...3600)
      case "keep": keep = try value.seconds(in: 60...1e9)
      case "keep-events": keepEvents = try value.seconds(in: 60...1e9)
      default: throw value.unknownKey(of: ["mode", "before", "after", "keep", "keep-events"])
      }
    }
  }

  init() {}
}

/// The folder of recordings, and their limits of space.
struct RecordingSpace: Hashable, Sendable {
  var path = "recordings"
  /// Bytes of all files; `nil` for no limit.
  var maximumBytes: Int?
  /// Bytes that stay free on the disk.
  var minimumFree = 1_000_000_000

  /// - Throws: `VStreamError.usage`.
  init(_ node: ConfigurationNode) throws(VStreamError) {
    for (key, value) in try node.entries() {
      switch key {
      case "path": path = try value.string()
      case "max-size": maximumBytes = try value.byteCount()
      case "min-free": minimumFree = try value.byteCount()
      default: throw value.unknownKey(of: ["path", "max-size", "min-free"])
      }
    }
  }

  init() {}
}

extension ConfigurationNode {
  private static let secondsByUnit: [(String, Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400),
  ]
  private static let bytesByUnit: [(String, Double)] = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)]

  /// A duration: `5s`, `10m`, `12h`, `7d`.
  func seconds(in limits: ClosedRange<Double>) throws(VStreamError) -> Double {
    let text = try string()
    guard let seconds = Self.quantity(text, Self.secondsByUnit) else {
      throw fault("'\(text)' is not a duration", remedy: "write, for example, 5s, 10m, 12h or 7d")
    }
    guard limits.contains(seconds) else {
      throw fault(
        "\(text) is out of range",
        remedy: "give \(limits.lowerBound.formatted(.shortest))s to \(limits.upperBound.formatted(.shortest))s")
    }
    return seconds
  }

  /// A size: `500GB`, `200MB`.
  func byteCount() throws(VStreamError) -> Int {
    let text = try string()
    guard let bytes = Self.quantity(text, Self.bytesByUnit), bytes <= 1e18 else {
      throw fault("'\(text)' is not a size", remedy: "write, for example, 500GB or 200MB")
    }
    return Int(bytes)
  }

  private static func quantity(_ text: String, _ units: [(String, Double)]) -> Double? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits), number.isFinite,
      let unit = units.first(where: { $0.0 == text.dropFirst(digits.count) })
    else { return nil }
    return number * unit.1
  }
}
