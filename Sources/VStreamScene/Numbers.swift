extension Int {
  /// The nearest whole number that can be represented; 0 for what is not a number.
  public init(clamping value: Double) {
    let rounded = value.rounded()
    self = rounded.isNaN ? 0 : rounded >= 9.2e18 ? .max : rounded <= -9.2e18 ? .min : Int(rounded)
  }
}
