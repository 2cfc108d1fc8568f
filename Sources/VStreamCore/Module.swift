/// # VStreamCore: the shared value types
///
/// Plain `Sendable` values that all other modules use: points and boxes, stream time, observations and their protocol,
/// track events and counts, and the error type with the settings that it refers to. Nothing here does I/O, starts a thread
/// or uses a C library other than the platform's mathematics.
///
/// May import: nothing.
