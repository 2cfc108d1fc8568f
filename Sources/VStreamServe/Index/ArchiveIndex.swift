internal import Foundation
internal import GRDB
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

extension IndexedTrack: FetchableRecord, PersistableRecord {
  static let databaseTableName = "tracks"
}

/// The index of recordings, tracks and events: an SQLite database with one writer. Its readers wait for nobody.
///
/// docs/serve.md describes its tables.
final class ArchiveIndex: Sendable {
  private let pool: DatabasePool
  /// The files that the index had when it was opened.
  let files: [RecordedFile]
  private let lastTrack: Monitor<Int64>
  private let state = Monitor(State())
  private let log: ServeLog

  private struct State: Sendable {
    /// Changes that wait for the writer.
    var pending = 0
    var lost = 0
    /// Whether the user was warned of the present failure.
    var hasWarned = false
  }

  /// Changes that may wait, for example for a slow disk.
  private static let maximumPending = 10_000

  /// Opens the database, or creates it. A damaged one is set aside, and another one is created.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`.
  init(_ path: String, log: ServeLog) throws(VStreamError) {
    self.log = log
    do {
      let last: Int64
      do {
        (pool, files, last) = try Self.open(path)
      } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
        let damaged = "\(path).damaged-\(Int(WallClock.now))"
        guard rename(path, damaged) == 0 else { throw error }
        for ending in ["-wal", "-shm"] { PartFile.remove(path + ending) }
        log.warn("the index was damaged, and another one is used; '\(damaged)' has what was in it")
        (pool, files, last) = try Self.open(path)
      }
      lastTrack = Monitor(last)
    } catch {
      throw VStreamError(
        .cannotCreateOutput, "the index '\(path)' cannot be used: \(Self.reason(error))", subject: path,
        remedy: "check its folder and the space on its disk")
    }
  }

  /// - Returns: the database, its files, and the ID of the last track.
  private static func open(_ path: String) throws -> (DatabasePool, [RecordedFile], Int64) {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 4
    configuration.prepareDatabase { database in
      // Of a power cut, the last moments may be lost; the file stays whole.
      if !database.configuration.readonly { try database.execute(sql: "PRAGMA synchronous = NORMAL") }
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try IndexSchema.migrator.migrate(pool)
    return try pool.write { database in
      // Open tracks of an earlier run of the program.
      let open = try IndexedTrack.fetchAll(database, sql: "SELECT * FROM tracks WHERE hasEnded = 0 ORDER BY id")
      try store(
        open.map { track in
          var track = track
          track.hasEnded = true
          return TrackJournal.Update(track: track, change: .end)
        }, at: WallClock.now, in: database)
      let last = try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'tracks'")
      return (pool, try RecordedFile.fetchAll(database), last ?? 0)
    }
  }

  static func reason(_ error: any Error) -> String {
    if let error = error as? DatabaseError { return error.message ?? "\(error.resultCode)" }
    return VStreamError(any: error).description
  }

  /// The ID of a new track.
  func makeTrackID() -> Int64 {
    lastTrack.update { last in
      last += 1
      return last
    }
  }

  /// Changes that could not be written, since the program started.
  var lostCount: Int { state.read(\.lost) }

  /// Writes a change after those before it, without waiting for the disk.
  func write(_ change: @escaping @Sendable (Database) throws -> Void) {
    let isAccepted = state.update { state in
      guard state.pending < Self.maximumPending else {
        state.lost += 1
        return false
      }
      state.pending += 1
      return true
    }
    guard isAccepted else {
      let warns = state.update { state in
        defer { state.hasWarned = true }
        return !state.hasWarned
      }
      if warns { log.warn("the index is not written: its disk is too slow") }
      return
    }
    pool.asyncWrite(change) { [self] _, result in
      let error = if case .failure(let error) = result { Self.reason(error) } else { String?.none }
      let warns = state.update { state in
        defer { state.hasWarned = error != nil }
        state.pending -= 1
        if error != nil { state.lost += 1 }
        return error != nil && !state.hasWarned
      }
      if warns, let error { log.warn("the index is not written: \(error)") }
    }
  }

  /// Waits for the changes that were requested before.
  func waitUntilWritten() { pool.writeWithoutTransaction { _ in } }

  /// - Throws: `VStreamError.inputOutput`.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) throws(VStreamError) -> Value {
    do {
      return try pool.read(body)
    } catch {
      throw VStreamError(.inputOutput, "the index cannot be read: \(Self.reason(error))")
    }
  }

  /// The number of the last event; 0 for none.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  func lastEvent() throws(VStreamError) -> Int64 {
    try read { try Int64.fetchOne($0, sql: "SELECT max(seq) FROM events") } ?? 0
  }

  /// The picture of a track's best moment, as a JPEG image; `nil` if there is none.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  func picture(of track: Int64) throws(VStreamError) -> [UInt8]? {
    try read { database in
      try Data.fetchOne(database, sql: "SELECT jpeg FROM pictures WHERE track = ?", arguments: [track]).map(Array.init)
    }
  }

  func storePicture(_ jpeg: [UInt8], of track: Int64) {
    write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO pictures (track, jpeg) SELECT id, ? FROM tracks WHERE id = ?",
        arguments: [Data(jpeg), track])
    }
  }

  /// Stores the present state of tracks, and their changes as events.
  func store(_ updates: [TrackJournal.Update], at now: Double) {
    if !updates.isEmpty { write { try Self.store(updates, at: now, in: $0) } }
  }

  private static func store(_ updates: [TrackJournal.Update], at now: Double, in database: Database) throws {
    for update in updates {
      let track = update.track
      try track.upsert(database)
      for zone in track.zones {
        try database.execute(
          sql: "INSERT OR IGNORE INTO trackZones (track, zone, camera, first) VALUES (?, ?, ?, ?)",
          arguments: [track.id, zone, track.camera, track.first])
      }
      guard let change = update.change else { continue }
      try database.execute(
        sql: "INSERT INTO events (id, camera, time, message) VALUES (?, ?, ?, ?)",
        arguments: [track.id, track.camera, now, ArchiveJSON.event(track, change)])
    }
  }

  /// Deletes tracks that ended, and events, before moments, in seconds since 1970. A part at a time, so that the writer is soon free.
  ///
  /// - Parameters:
  ///   - moments: by camera.
  ///   - others: of cameras that have no moment of their own; `nil` if theirs are kept.
  func deleteTracks(endedBefore moments: [String: Double], others: Double?) {
    if moments.isEmpty, others == nil { return }
    write { try Self.delete(moments, others, in: $0) }
  }

  private static func delete(_ moments: [String: Double], _ others: Double?, in database: Database) throws {
    func delete(_ condition: String, _ cameras: [String], before moment: Double) throws {
      let (names, time) = (StatementArguments(cameras), StatementArguments([moment]))
      try database.execute(
        sql: """
          DELETE FROM tracks WHERE id IN
            (SELECT id FROM tracks WHERE \(condition) AND first < ? AND last < ? AND hasEnded ORDER BY first LIMIT 5000)
          """, arguments: names + time + time)
      try database.execute(
        sql: """
          DELETE FROM events WHERE seq IN
            (SELECT seq FROM events WHERE \(condition) AND time < ? ORDER BY time LIMIT 5000)
          """, arguments: names + time)
    }
    for (camera, moment) in moments { try delete("camera = ?", [camera], before: moment) }
    guard let others else { return }
    let places = moments.map { _ in "?" }.joined(separator: ", ")
    try delete("+camera NOT IN (\(places))", Array(moments.keys), before: others)
  }
}

/// The tables, by the version of the program that introduced them.
enum IndexSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE files (
            camera TEXT NOT NULL, name TEXT NOT NULL, start REAL NOT NULL, "end" REAL NOT NULL, bytes INTEGER NOT NULL,
            hasEvent INTEGER NOT NULL, PRIMARY KEY (camera, name));
          CREATE TABLE tracks (
            id INTEGER PRIMARY KEY AUTOINCREMENT, camera TEXT NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL, track INTEGER NOT NULL,
            first REAL NOT NULL, last REAL NOT NULL, hasEnded INTEGER NOT NULL, score REAL NOT NULL, best REAL NOT NULL,
            x REAL NOT NULL, y REAL NOT NULL, width REAL NOT NULL, height REAL NOT NULL, zones TEXT NOT NULL,
            crossings TEXT NOT NULL, isStationary INTEGER NOT NULL);
          CREATE INDEX tracksByTime ON tracks (first);
          CREATE INDEX tracksByCamera ON tracks (camera, first, label);
          CREATE INDEX tracksByLabel ON tracks (label, first);
          CREATE INDEX tracksByCameraAndLabel ON tracks (camera, label, first);
          CREATE INDEX openTracks ON tracks (id) WHERE hasEnded = 0;
          CREATE INDEX longTracks ON tracks (first) WHERE last - first > 3600;
          CREATE TABLE trackZones (
            track INTEGER NOT NULL REFERENCES tracks (id) ON DELETE CASCADE, zone TEXT NOT NULL, camera TEXT NOT NULL,
            first REAL NOT NULL, PRIMARY KEY (zone, first, track)) WITHOUT ROWID;
          CREATE INDEX trackZonesByTrack ON trackZones (track);
          CREATE TABLE pictures (
            track INTEGER PRIMARY KEY REFERENCES tracks (id) ON DELETE CASCADE, jpeg BLOB NOT NULL);
          CREATE TABLE events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL, camera TEXT NOT NULL, time REAL NOT NULL,
            message TEXT NOT NULL);
          CREATE INDEX eventsByCamera ON events (camera, time);
          CREATE INDEX eventsByTime ON events (time);
          """)
    }
    return migrator
  }
}
