/// The way in which a redacted region is made unrecognisable.
public enum RedactionStyle: String, Hashable, Sendable, CaseIterable {
  /// Cells of one colour each.
  case mosaic
  /// The cells' colours, interpolated.
  case blur
  /// Black.
  case fill
}
