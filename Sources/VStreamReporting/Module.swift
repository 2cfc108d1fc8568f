/// # VStreamReporting: what was found, and how it went
///
/// Records of a run, frame by frame, as JSON lines and in MOTChallenge form (`RecordWriter`), and its figures
/// (`Statistics`). Text is made here without regard to locale or platform: the same values give the same bytes.
///
/// May import: VStreamScene, VStreamSystem.
