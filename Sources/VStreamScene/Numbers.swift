extension Int {
  /// The nearest representable integer; 0 for NaN.
  public init(clamping value: Double) {
    let rounded = value.rounded()
    self = rounded.isNaN ? 0 : rounded >= 9.2e18 ? .max : rounded <= -9.2e18 ? .min : Int(rounded)
  }
}
