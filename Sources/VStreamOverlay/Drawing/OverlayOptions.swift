/// The elements of an overlay.
public struct OverlayOptions: Hashable, Sendable {
  /// A part of an overlay.
  public enum Element: String, CaseIterable, Hashable, Sendable {
    case boxes
    case labels
    case ids
    case landmarks
    case contours
    /// The limbs of poses.
    case skeleton
    /// The rotation of heads, as a small axis.
    case angles
    /// Zones and lines with their counts.
    case zones
  }

  /// What is drawn; empty for nothing.
  public var elements: Set<Element>

  public init(elements: Set<Element> = Set(Element.allCases)) { self.elements = elements }

  /// Whether any of the elements has text.
  public var needsFont: Bool { !elements.isDisjoint(with: [.labels, .ids, .zones]) }
}
