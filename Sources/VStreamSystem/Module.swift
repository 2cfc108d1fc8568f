/// # VStreamSystem: files and text
///
/// The operating system's files for the other modules (`Files/`): existence checks before something is written,
/// path identity, atomic replacement, locks, free space, reading of whole files, writing by lines, the installation's paths.
/// And numbers as text and text as numbers (`Text/`), without regard to locale or platform: the same values give the same
/// bytes.
///
/// Paths are strings, and the calls are glibc's. swift-system has no counterpart for most of them (`realpath`,
/// `flock`, `statvfs`, `rename`, `mkdir`, `opendir`); it would replace only `open`, `read`, `write` and `close`, at the price
/// of a second path type beside the strings that FFmpeg and OpenVINO take. SHA-256 is in VStreamMedia, as it is libavutil's.
///
/// May import: VStreamCore.
