internal import VStreamCore
internal import VStreamSystem

extension EncoderProfile {
  /// The encoder's options for a user's settings.
  ///
  /// - Parameter hasAlpha: whether the frames have an alpha channel.
  /// - Returns: private options, and libav's quantiser scale for encoders that use it.
  /// - Throws: `VStreamError.usage` for a setting that the encoder does not have, or a value out of its range.
  func options(
    _ settings: EncoderSettings, hasAlpha: Bool = false
  ) throws(VStreamError) -> (private: [(key: String, value: String)], quantiser: Double?) {
    var options = fixed + (settings.isLowDelay ? lowDelay : []) + (hasAlpha ? alpha : [])
    if let preset = try presetOption(settings) { options.append(preset) }
    if let crf = settings.crf, settings.bitRate != nil {
      throw .conflict(.crf, crf.formatted(.shortest), with: .bitrate)
    }
    let value = try qualityValue(settings)
    var quantiser: Double?
    if let value, settings.bitRate == nil {
      switch quality {
      case .option(let name, _, _): options.append((name, value.formatted(.shortest)))
      case .quantiser: quantiser = value
      case .lossless, .none: break
      }
    }
    return (Self.merged(options, settings.options), quantiser)
  }

  /// Options with the user's, which override them; lists of the encoder's own parameters (`x265-params`) are joined.
  private static func merged(
    _ options: [(key: String, value: String)], _ requested: [(key: String, value: String)]
  ) -> [(key: String, value: String)] {
    var merged = options
    for (key, value) in requested {
      let index = merged.lastIndex { $0.key == key }
      guard let index, key.hasSuffix("-params") else {
        merged.removeAll { $0.key == key }
        merged.append((key, value))
        continue
      }
      merged[index].value += ":" + value
    }
    return merged
  }

  /// The value of the constant quality: the user's, or the encoder's default; `nil` for encoders without one.
  private func qualityValue(_ settings: EncoderSettings) throws(VStreamError) -> Double? {
    switch quality {
    case .option(_, let range, let standard), .quantiser(let range, let standard):
      guard let crf = settings.crf else { return standard }
      guard range.contains(crf) else {
        throw .outOfRange(crf, of: .crf, limits: range, for: settings.codec)
      }
      return crf
    case .lossless:
      try requireNoCRF(settings, reason: "it is lossless")
    case .none:
      try requireNoCRF(settings, reason: "it has no constant quality")
    }
    return nil
  }

  private func requireNoCRF(_ settings: EncoderSettings, reason: Message) throws(VStreamError) {
    guard let crf = settings.crf else { return }
    throw .unsupported(.crf, crf.formatted(.shortest), by: settings.codec, reason: reason)
  }

  private func presetOption(_ settings: EncoderSettings) throws(VStreamError) -> (key: String, value: String)? {
    let codec = settings.codec
    switch preset {
    case .none:
      guard let preset = settings.preset else { return nil }
      throw .unsupported(.preset, preset, by: codec)
    case .names(let option, let names, let standard):
      let value = settings.preset ?? standard
      guard names.contains(value) else {
        throw .unknownValue(value, of: .preset, expected: "a preset of \(codec)", known: names)
      }
      return (option, value)
    case .levels(let option, let range, let standard):
      let value = settings.preset ?? "\(standard)"
      guard let level = Int(value), range.contains(level) else {
        throw .unknownValue(
          value, of: .preset, expected: "a preset of \(codec)",
          remedy: "use \(range.lowerBound) (slow) to \(range.upperBound) (fast)")
      }
      return (option, value)
    }
  }
}
