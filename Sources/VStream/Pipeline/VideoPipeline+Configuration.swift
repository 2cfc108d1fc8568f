internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

extension VideoPipeline.Options {
  /// The configuration of the run.
  ///
  /// - Throws: `VStreamError` for options that have no meaning, and for files and models that cannot be used.
  func configuration(input: MediaInput) throws(VStreamError) -> PipelineConfiguration {
    var lowercased = self
    lowercased.redaction?.labels = Set((redaction?.labels ?? []).map { $0.lowercased().trimmed })
    if ownDetectors.contains(where: { $0.kind == .objects }) {
      let names = lowercased.redaction?.labels ?? []
      lowercased.redaction?.uncertainLabels = names.filter { DetectionKind(redactionName: $0) == .objects }
    }
    return try lowercased.checkedConfiguration(input: input)
  }

  private func checkedConfiguration(input: MediaInput) throws(VStreamError) -> PipelineConfiguration {
    try check()
    var configuration = PipelineConfiguration(
      input: input, fontPath: fontPath ?? LabelFont.path,
      threads: threads ?? PipelineConfiguration.processorCount)
    try addDetectors(to: &configuration)
    configuration.start = start?.inSeconds
    configuration.duration = duration?.inSeconds
    configuration.mode = detectorMode
    configuration.detectEvery = .every(detectEvery)
    configuration.isRealtime = isRealtime
    configuration.reconnectSeconds = reconnectFor.inSeconds
    configuration.counted.zones = zones
    configuration.counted.lines = lines
    configuration.overlay = overlay
    if let marks { configuration.marks = { marks(VideoPipeline.Frame($0, size: $1.size)) } }
    if let drawing {
      configuration.drawing = { try Self.draw(drawing, VideoPipeline.Frame($0, size: $1.size), on: &$1) }
    }
    configuration.redaction = redaction
    configuration.records = records
    configuration.recordsEvents = recordsEvents
    configuration.recordsDetections = recordsDetections
    configuration.recordOptions = recordedOptions(configuration)
    configuration.overwritesFiles = overwritesOutput
    for path in records { try RecordFormat(path: path).requireHolds(configuration.kinds, path: path) }
    try checkFiles(reading: input)
    configuration.output = try pipelineOutput()
    return configuration
  }

  /// The frame keeps its time and format, whatever the user's function makes of it.
  private static func draw(
    _ drawing: (VideoPipeline.Frame, inout VideoFrame) throws -> Void, _ frame: VideoPipeline.Frame,
    on image: inout VideoFrame
  ) throws {
    let (time, duration, format) = (image.time, image.durationTicks, image.format)
    try drawing(frame, &image)
    guard image.size == frame.size else {
      throw VStreamError(
        .usage, "drawing made a frame of \(image.size) of one of \(frame.size)",
        remedy: "keep its size, or set encoder.size")
    }
    if image.format != format { image = try FrameConverter(size: frame.size, format: format).convert(image) }
    if image.time != time { image = try image.retimed(to: time, duration: duration) }
  }

  private func check() throws(VStreamError) {
    if let start { try NumberLimit.seconds.check(start.inSeconds, of: .start) }
    if let duration { try NumberLimit.duration.check(duration.inSeconds, of: .duration) }
    try NumberLimit.seconds.check(reconnectFor.inSeconds, of: .reconnect)
    try NumberLimit.count(of: "frames").check(detectEvery, of: .detectEvery)
    if let threads {
      let limit = PipelineConfiguration.maximumThreads
      try NumberLimit("is not a number of threads for this machine", remedy: "give 1 to \(limit)") {
        (1...Double(limit)).contains($0)
      }.check(threads, of: .threads)
    }
    try checkUses()
    try objects?.check()
    try faces?.check()
    try poses?.check()
    for own in ownDetectors { try own.tracking.check() }
    try CountedRegions.check(zones: zones, lines: lines)
    guard let redaction else { return }
    if let lookBack = redaction.lookBack { try NumberLimit.seconds.check(lookBack.inSeconds, of: .lookBack) }
    if output == nil {
      throw VStreamError(
        .usage, "\(.redact) without \(.output): nothing is written", setting: .redact,
        remedy: "set \(.output), or omit \(.redact)")
    }
  }

  /// Checks that all options have an effect.
  private func checkUses() throws(VStreamError) {
    if output == nil {
      for (name, isSet) in [("encoder", encoder != nil), ("marks", marks != nil), ("drawing", drawing != nil)]
      where isSet {
        throw VStreamError(
          .usage, "\(name) has no effect without \(.output)", remedy: "set \(.output), or omit it")
      }
    }
    for (setting, isSet, contents) in [
      (Setting.events, recordsEvents, RecordFormat.Contents.events),
      (.recordDetections, recordsDetections, .detections),
    ] where isSet {
      let formats = try records.map { (path) throws(VStreamError) in try RecordFormat(path: path) }
      if formats.contains(where: { $0.contents.contains(contents) }) { continue }
      throw VStreamError(
        .usage, "\(setting) has no effect without a .jsonl file (\(.records))", setting: setting,
        remedy: "add one to \(.records)")
    }
    if output == "-", records.contains("-") {
      throw VStreamError(
        .usage, "standard output has the video, and cannot have \(.records) as well", setting: .records,
        remedy: "write one of them to a file")
    }
  }

  private func checkFiles(reading input: MediaInput) throws(VStreamError) {
    let written = records + [output].compactMap { $0.map { MediaInput($0).location } }.filter { $0 != "-" }
    try WrittenPaths.check(written, reading: input.frames == nil ? [input.location] : [])
    for path in records.filter({ $0 != "-" }) where try !FileCheck.isSpecial(path) {
      try FileCheck.requireCreatable(path, overwrite: overwritesOutput)
    }
  }

  private func pipelineOutput() throws(VStreamError) -> PipelineOutput? {
    guard let output else { return nil }
    let destination = try OutputDestination(output, overwrite: overwritesOutput)
    var settings = encoder ?? EncoderSettings(codec: destination.defaultEncoder, threads: threads ?? 0)
    let codec = try VideoCodec(encoder: settings.codec)
    settings.codec = codec.name
    try codec.check(settings)
    try destination.requireHolds(codec)
    return PipelineOutput(destination: destination, codec: codec, encoder: settings, audio: audio)
  }

  /// The options that records state, by the names of the command's options.
  private func recordedOptions(
    _ configuration: PipelineConfiguration
  ) -> [(name: String, value: RecordHeader.OptionValue)] {
    var options: [(name: String, value: RecordHeader.OptionValue)] = [
      ("detect", .list(configuration.kinds.map(\.rawValue).sorted()))
    ]
    if configuration.kinds.isEmpty { return options }
    if let detectorMode { options.append(("mode", .text(detectorMode.rawValue))) }
    options.append(("detectEvery", .text("\(detectEvery)")))
    if let objects, configuration.kinds.contains(.objects), !ownDetectors.contains(where: { $0.kind == .objects }) {
      options.append(("objectModel", .text(MediaInput(objects.model).fileName)))
      if objects.shouldEnableCategories { options.append(("categories", .flag(true))) }
      let passes = passes(of: objects)
      if let passes { options.append(("passes", .number(passes))) }
      if passes == nil, objects.accuracy == .accurate { options.append(("accurate", .flag(true))) }
      if let classes = objects.classes { options.append(("classes", .list(classes))) }
      if let limit = objects.limit { options.append(("maxObjects", .integer(limit))) }
    }
    if let faces = searchedFaces, !ownDetectors.contains(where: { $0.kind == .faces }) { options += faces.recorded }
    if let poses, !ownDetectors.contains(where: { $0.kind == .poses }) { options += poses.recorded }
    let tracking = configuration.trackerOptions(of: configuration.kinds.contains(.objects) ? .objects : .faces)
    options.append(("minScore", .number(tracking.minimumScore)))
    options.append(("lostAfter", .number(tracking.lostAfterSeconds)))
    options.append(("confirmAfter", .integer(tracking.confirmAfter)))
    options.append(("minIoU", .number(tracking.minimumIoU)))
    if recordsEvents { options.append(("events", .flag(true))) }
    if recordsDetections { options.append(("recordDetections", .flag(true))) }
    return options
  }
}
