/// The version of vstream, which records state.
public enum ProgramVersion {
  public static let number = "0.1.0"
  /// `vstream 0.1.0`.
  public static let name = "vstream \(number)"
}
