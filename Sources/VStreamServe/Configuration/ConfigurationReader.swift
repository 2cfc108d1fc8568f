internal import VStreamScene
internal import VStreamSystem

/// Reads configurations. Every error names the file, the line, and what would be right.
enum ConfigurationReader {
  private static let topKeys = [
    "listen", "token-file", "tls-certificate", "tls-key", "trusted-proxies", "defaults", "cameras",
  ]

  /// The configuration of a file.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`; `usage` for what is wrong in it.
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
      case "listen": configuration.listen = try addresses(node)
      case "token-file": configuration.tokenFile = try node.string()
      case "tls-certificate": configuration.tlsCertificate = try node.string()
      case "tls-key": configuration.tlsKey = try node.string()
      case "trusted-proxies": configuration.trustedProxies.ranges = try proxies(node)
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

  private static func proxies(_ node: ConfigurationNode) throws(VStreamError) -> [AddressRange] {
    try node.list().map { (element) throws(VStreamError) in
      let text = try element.string()
      guard let range = AddressRange(text) else {
        throw element.fault("'\(text)' is neither an IP address nor a network", remedy: AddressRange.remedy)
      }
      return range
    }
  }

  private static func addresses(_ node: ConfigurationNode) throws(VStreamError) -> [ListeningAddress] {
    try node.list().map { (element) throws(VStreamError) in
      let text = try element.string()
      guard let address = ListeningAddress(text) else {
        throw element.fault("'\(text)' is not an address", remedy: "write, for example, 127.0.0.1:8480")
      }
      return address
    }
  }
}
