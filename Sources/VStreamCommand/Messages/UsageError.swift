internal import VStreamScene

/// Wrong usage of an option: `--min-score 7.0: is not a score; give more than 0, at most 1`.
///
/// - Parameter value: empty for an option that is wrong whatever its value.
func usageError(_ option: String, _ value: String, _ problem: String, remedy: String) -> VStreamError {
  let shown = value.isEmpty ? option : "\(option) \(ShownLocation.text(value))"
  return VStreamError(.usage, "\(shown): \(problem)", remedy: "\(remedy)")
}
