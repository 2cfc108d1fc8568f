internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

extension OutputDestination {
  /// Whether the output is one image file.
  package var isSingleImage: Bool { style == .images && !isNumbered }

  /// Whether a path is one of the output's image files or part files.
  package func writes(to path: String) -> Bool {
    guard style == .images else { return false }
    let name = path.hasSuffix(".part") ? String(path.dropLast(5)) : path
    if !isNumbered { return PathIdentity.isSameLocation(name, location) }
    guard let number = ImageFiles.trailingNumber(of: name, like: location) else { return false }
    return PathIdentity.isSameLocation(name, self.path(number: number))
  }

  /// Whether the name has a placeholder for a number.
  var isNumbered: Bool { av_filename_number_test(location) == 1 }

  /// - Throws: `VStreamError.usage` for numbers that libav would cut off, so that one file would replace another.
  func requireWholeNumbers() throws(VStreamError) {
    if isNumbered, NumberPattern(location) == nil { throw Self.tooManyDigits(location) }
  }

  static func tooManyDigits(_ location: String) -> VStreamError {
    VStreamError(
      .usage, "'\(ShownLocation.text(location))' has numbers of more than 19 digits", setting: .output, value: location,
      remedy: "use fewer, for example %05d")
  }

  /// The number of the first image.
  ///
  /// - Throws: `VStreamError.usage` for another option than `start_number`, or if that is not a number.
  func firstNumber() throws(VStreamError) -> Int {
    var first = 1
    for (key, value) in options {
      guard key == "start_number", let number = Int(value), (0...1_000_000_000).contains(number) else {
        throw .unsupported(.outputOption, "\(key)=\(value)", by: "an image output", remedy: "use start_number=N")
      }
      first = number
    }
    return first
  }

  /// The file of an image.
  func path(number: Int) -> String {
    guard isNumbered else { return location }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let base = buffer.baseAddress,
        av_get_frame_filename(base, Int32(buffer.count), location, Int32(clamping: number)) == 0
      else { return location }
      return String(cString: base)
    }
  }

  /// The name of an image's file, without its folder; `nil` if the output is not images.
  ///
  /// - Parameter index: from 0, in writing order.
  package func imageName(_ index: Int) -> String? {
    guard style == .images, let first = try? firstNumber() else { return nil }
    return MediaInput(path(number: first + index)).fileName
  }

  /// The name with a placeholder for a number: `out.png` as `out-%05d.png`.
  var numberedExample: String {
    let dot = location.lastIndex(of: ".") ?? location.endIndex
    return NumberPattern.escaped(location[..<dot]) + "-%05d" + NumberPattern.escaped(location[dot...])
  }
}
