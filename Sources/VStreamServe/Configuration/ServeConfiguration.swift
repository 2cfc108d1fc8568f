internal import VStreamCore
internal import VStreamMedia
internal import VStreamSystem

/// Where the server listens, how it is protected, and its cameras.
struct ServeConfiguration: Sendable {
  var listen = [ListeningAddress.standard]
  /// Path of a file with the token; `nil` for none.
  var tokenFile: String?
  var tlsCertificate: String?
  var tlsKey: String?
  var trustedProxies = TrustedProxies()
  /// The settings of cameras that do not have their own.
  var defaults = CameraConfiguration()
  var cameras: [NamedCamera] = []
  /// `nil` for the standard folder, where a camera is recorded.
  var recordings: RecordingSpace?

  /// A camera with its name in the interface.
  struct NamedCamera: Hashable, Sendable {
    var name: String
    var settings: CameraConfiguration
  }

  /// - Throws: `VStreamError.usage` if there is none.
  func requireCameras() throws(VStreamError) {
    if cameras.isEmpty {
      throw VStreamError(
        .usage, "there is no camera", remedy: "name a source, or a configuration file with 'cameras:'")
    }
  }

  /// Checks what only holds for the settings together.
  ///
  /// - Throws: `VStreamError.usage`.
  func check() throws(VStreamError) {
    try requireCameras()
    if (tlsCertificate == nil) != (tlsKey == nil) {
      throw VStreamError(.usage, "TLS takes a certificate and a key", remedy: "give tls-certificate and tls-key")
    }
    if tokenFile == nil, let open = listen.first(where: { !$0.isLoopback }) {
      throw VStreamError(
        .usage, "\(open) can be reached from other machines, and there is no token",
        remedy: "give token-file a file with a secret, or listen at 127.0.0.1")
    }
  }
}

/// A name that is part of addresses and of file names: letters, digits, `.`, `-` and `_`.
enum CameraName {
  static let maximumLength = 64
  static let remedy = "use letters, digits, '.', '-' and '_', 64 at most"

  static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= maximumLength && !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }

  /// A name for a source of the command line: its host, or its file's name.
  ///
  /// - Parameter taken: names of other cameras.
  static func name(for source: String, taken: Set<String>) -> String {
    let base = cleaned(baseName(of: source))
    if !taken.contains(base) { return base }
    return (2...).lazy.map { "\(base)-\($0)" }.first { !taken.contains($0) } ?? base
  }

  private static func baseName(of source: String) -> String {
    guard MediaInput(source).isURL, let host = ShownLocation.host(source) else {
      let file = MediaInput(source).fileName
      return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    }
    return host
  }

  private static func cleaned(_ text: String) -> String {
    let name = String(text.map { isValid("x\($0)") ? $0 : "-" }.prefix(maximumLength - 4))
    return isValid(name) ? name : "camera"
  }
}

/// Reads configurations. Every error names the file, the line, and what would be right.
enum ConfigurationReader {
  private static let topKeys = [
    "listen", "token-file", "tls-certificate", "tls-key", "trusted-proxies", "recordings", "defaults", "cameras",
  ]

  /// The configuration of a file.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`; `usage` for errors in it.
  static func read(_ path: String) throws(VStreamError) -> ServeConfiguration {
    let bytes = try ReadableFile.bytes(of: path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw VStreamError(.usage, "'\(path)' is not UTF-8", subject: path, remedy: "save it in that encoding")
    }
    return try read(text, of: .file(path))
  }

  static func read(_ text: String, of source: ConfigurationText) throws(VStreamError) -> ServeConfiguration {
    let entries = try source.root(of: text).entries()
    var configuration = ServeConfiguration()
    var cameras: ConfigurationNode?
    for (key, node) in entries {
      switch key {
      case "listen":
        configuration.listen = try values(
          node, ListeningAddress.init, "is not an address", remedy: "write, for example, 127.0.0.1:8480")
      case "token-file": configuration.tokenFile = try node.string()
      case "tls-certificate": configuration.tlsCertificate = try node.string()
      case "tls-key": configuration.tlsKey = try node.string()
      case "trusted-proxies":
        configuration.trustedProxies.ranges = try values(
          node, AddressRange.init, "is neither an IP address nor a network", remedy: AddressRange.remedy)
      case "recordings": configuration.recordings = try RecordingSpace(node)
      case "defaults":
        for (key, node) in try node.entries() {
          try CameraKeys.apply(key, node, to: &configuration.defaults, excluding: CameraKeys.own)
        }
      case "cameras": cameras = node
      default: throw node.unknownKey(of: topKeys)
      }
    }
    for (name, node) in try cameras?.entries() ?? [] {
      configuration.cameras.append(try camera(name, node, configuration.defaults))
    }
    return configuration
  }

  /// The settings of one camera, as a request has them.
  static func camera(
    _ name: String, _ node: ConfigurationNode, _ defaults: CameraConfiguration
  ) throws(VStreamError) -> ServeConfiguration.NamedCamera {
    guard CameraName.isValid(name) else {
      throw node.fault("'\(name)' is not a camera's name", remedy: CameraName.remedy)
    }
    var camera = defaults
    for (key, value) in try node.entries() { try CameraKeys.apply(key, value, to: &camera) }
    guard !camera.source.isEmpty else {
      throw node.fault("has no source", remedy: "add 'source: rtsp://…', a device or a file")
    }
    return ServeConfiguration.NamedCamera(name: name, settings: camera)
  }

  private static func values<Value>(
    _ node: ConfigurationNode, _ parse: (String) -> Value?, _ problem: String, remedy: String
  ) throws(VStreamError) -> [Value] {
    try node.list().map { (element) throws(VStreamError) in
      let text = try element.string()
      guard let value = parse(text) else { throw element.fault("'\(text)' \(problem)", remedy: remedy) }
      return value
    }
  }
}
