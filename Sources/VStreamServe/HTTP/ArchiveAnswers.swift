internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

/// Answers requests about the past: recordings, tracks and events.
struct ArchiveAnswers {
  let store: RecordingStore

  /// - Parameter path: after `/api/v1`.
  /// - Returns: `nil` for other addresses.
  func answer(_ request: WebRequest, _ path: [String]) -> WebResponse? {
    do throws(VStreamError) {
      let query = ArchiveQuery(request.query)
      switch path {
      case ["tracks"]:
        let filter = try query.tracks()
        return .json(ArchiveJSON.tracks(try store.index.read { try filter.fetch($0) }))
      case ["events"]: return try events(request, query)
      case ["timeline"]:
        let (camera, span) = (try query.camera(), try query.span())
        let seconds = try query.number("step", in: 1...86400) ?? 60
        guard (span.upperBound - span.lowerBound) / seconds <= Double(Self.maximumParts) else {
          throw query.fault("step", "gives too many parts", remedy: "give \(Self.maximumParts) at most")
        }
        let tracks = try store.index.read { try TrackCounts($0, camera: camera, in: span, every: seconds) }
        return .json(ArchiveJSON.timeline(store.files(of: camera, in: span), tracks))
      case ["recordings"]:
        let (files, limit) = (store.files(of: request.query["camera"], in: try query.span()), try query.limit(1000))
        return .json(ArchiveJSON.recordings(files.prefix(limit)))
      default: break
      }
      if path.count == 3, path[0] == "tracks", path[2] == "picture.jpg", let id = Int64(path[1]) {
        return try picture(id)
      }
      guard path.count == 3, path[0] == "recordings" else { return nil }
      let span = try query.span()
      switch path[2] {
      case "video.mp4": return video(path[1], span)
      case "boxes.jsonl":
        let files = store.files(of: path[1], in: span).map { file in
          (file, store.path(of: file), "\(store.path)/\(file.camera)/\(file.boxesName)")
        }
        return WebResponse(contentType: "application/jsonl", stream: StreamedBody(RecordedBoxes(files)))
      default: return nil
      }
    } catch {
      return .error(error)
    }
  }

  private static let maximumParts = 10_000

  private func picture(_ id: Int64) throws(VStreamError) -> WebResponse {
    guard let jpeg = try store.index.picture(of: id) else { return .error(404, "there is no picture of this track") }
    return WebResponse(contentType: "image/jpeg", body: jpeg)
  }

  private func video(_ camera: String, _ span: ClosedRange<Double>) -> WebResponse {
    let files = store.files(of: camera, in: span).map { ($0, store.path(of: $0)) }
    guard let recorded = RecordingSpan(files, in: span) else {
      return .error(404, "nothing was recorded then", remedy: "GET /api/v1/recordings lists what was")
    }
    let name = "\(camera)-\(UTCTime(secondsSince1970: Int(recorded.start)).text.replacing(":", with: "-")).mp4"
    return WebResponse(contentType: "video/mp4", stream: StreamedBody(recorded))
      .adding("Content-Disposition", "inline; filename=\"\(name)\"")
      .adding("Vstream-Start", recorded.start.formatted(.decimals(6)))
  }

  private func events(_ request: WebRequest, _ query: ArchiveQuery) throws(VStreamError) -> WebResponse {
    let camera = request.query["camera"]
    guard request.headers["accept"]?.contains("text/event-stream") == true else {
      let (span, limit, after) = (try query.span(), try query.limit(), try query.number("after", in: 0...1e15))
      let events = try store.index.read { database in
        try IndexedEvent.fetch(database, camera: camera, after: after.map { Int64($0) }, in: span, limit: limit)
      }
      return .json(ArchiveJSON.events(events))
    }
    let last = (request.headers["last-event-id"] ?? request.query["after"]).flatMap { Int64($0) }
    let after = if let last { last } else { try store.index.lastEvent() }
    let source = EventStream(store.index, camera: camera, after: after)
    return WebResponse(contentType: "text/event-stream", stream: StreamedBody(source))
  }
}

/// The parameters of a request about the past.
struct ArchiveQuery {
  private let parameters: [String: String]

  static let addresses: Set = ["tracks", "events", "timeline", "recordings"]
  static let maximumLimit = 1000

  init(_ parameters: [String: String]) { self.parameters = parameters }

  func fault(_ name: String, _ problem: String, remedy: String) -> VStreamError {
    VStreamError(.usage, Message("\(name) \(problem)"), remedy: Message(remedy))
  }

  func number(_ name: String, in limits: ClosedRange<Double>) throws(VStreamError) -> Double? {
    guard let text = parameters[name] else { return nil }
    guard let number = Double(text), limits.contains(number) else {
      throw fault(
        name, "is no number of that kind",
        remedy: "give \(limits.lowerBound.formatted(.shortest)) to \(limits.upperBound.formatted(.shortest))")
    }
    return number
  }

  func camera() throws(VStreamError) -> String {
    guard let camera = parameters["camera"] else { throw fault("camera", "is missing", remedy: "add camera=NAME") }
    return camera
  }

  func limit(_ usual: Int = 100) throws(VStreamError) -> Int {
    try number("limit", in: 1...Double(Self.maximumLimit)).map { Int($0) } ?? usual
  }

  /// In seconds since 1970; all of the past without parameters.
  func span() throws(VStreamError) -> ClosedRange<Double> {
    let limits = 0...1e11
    let (from, to) = (try number("from", in: limits) ?? 0, try number("to", in: limits) ?? limits.upperBound)
    guard from <= to else { throw fault("to", "is before from", remedy: "give seconds since 1970") }
    return from...to
  }

  func tracks() throws(VStreamError) -> TrackFilter {
    TrackFilter(
      camera: parameters["camera"], label: parameters["label"], zone: parameters["zone"], span: try span(),
      limit: try limit())
  }
}

/// Events as Server-Sent Events, as they come.
struct EventStream: BodySource {
  private let index: ArchiveIndex
  private let camera: String?
  private var after: Int64
  private let now: @Sendable () -> Double
  private var sentAt: Double

  /// Seconds after which a comment shows that the connection is alive.
  private static let keepAlive = 10.0
  private static let maximumCount = 200

  /// - Parameter now: seconds of a clock that never goes back.
  init(
    _ index: ArchiveIndex, camera: String?, after: Int64, now: @escaping @Sendable () -> Double = { MonotonicTime.now }
  ) {
    (self.index, self.camera, self.after, self.now, sentAt) = (index, camera, after, now, now())
  }

  mutating func next() throws(VStreamError) -> BodyPiece {
    let (camera, last) = (camera, after)
    let events = try index.read { database in
      try IndexedEvent.fetch(
        database, camera: camera, after: last, in: 0...Double.greatestFiniteMagnitude, limit: Self.maximumCount)
    }
    guard let newest = events.last else {
      guard now() - sentAt >= Self.keepAlive else { return .wait }
      sentAt = now()
      return .bytes(Array(":\n\n".utf8))
    }
    (after, sentAt) = (newest.seq, now())
    return .bytes(Array(events.map { "id: \($0.seq)\ndata: \($0.message)\n\n" }.joined().utf8))
  }
}
