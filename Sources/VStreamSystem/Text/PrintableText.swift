extension String {
  /// The text with each control character but line breaks in the form `\x1b`, also those that reverse the direction of
  /// writing: names of files, tags and models, which a message repeats, must not control the terminal.
  public var printable: String {
    var shown = ""
    for scalar in unicodeScalars {
      if scalar.properties.generalCategory == .control || scalar.properties.isBidiControl, scalar != "\n" {
        let digits = String(scalar.value, radix: 16)
        shown += "\\x" + String(repeating: "0", count: max(0, 2 - digits.count)) + digits
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}
