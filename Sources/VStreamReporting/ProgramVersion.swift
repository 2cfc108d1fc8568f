/// The version of vstream, which records state.
package enum ProgramVersion {
  package static let number = "0.1.0"
  /// `vstream 0.1.0`.
  package static let name = "vstream \(number)"
}
