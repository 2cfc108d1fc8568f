/// # VStreamReporting: records and statistics
///
/// The records of a run in several formats (`RecordWriter`, `RecordReader`), its statistics (`Statistics`, `BenchReport`) and
/// the verification of redactions (`ResidualReport`). Text is independent of locale and platform: the same values give the
/// same bytes.
///
/// May import: VStreamCore, VStreamSystem.
