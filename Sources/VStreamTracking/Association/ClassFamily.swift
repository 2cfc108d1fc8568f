/// A family of classes that detectors confuse on one object.
enum ClassFamily: Hashable, Sendable {
  case roadVehicle
  case cycle

  /// The family of a class; `nil` for classes without one.
  init?(label: String) {
    switch label {
    case "car", "truck", "bus": self = .roadVehicle
    case "bicycle", "motorcycle": self = .cycle
    default: return nil
    }
  }
}
