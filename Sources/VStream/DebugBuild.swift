internal import VStreamSystem

/// A warning of programs that were built without optimisation: they take some thirty times as long for each pixel.
enum DebugBuild {
  /// Written to standard error when it is first read, in debug builds only.
  static let warning: Void = assert(write())

  private static func write() -> Bool {
    StandardError.write("vstream: this is a debug build, some 30 times slower; build with -c release\n")
    return true
  }
}
