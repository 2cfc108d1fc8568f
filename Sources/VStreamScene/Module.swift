/// # VStreamScene: the vocabulary
///
/// Plain `Sendable`, `Codable` values that all other modules speak: points and boxes, stream time, what was found in
/// a frame, and the one error type. Nothing here does I/O, starts a thread or knows a C library.
///
/// May import: nothing.
