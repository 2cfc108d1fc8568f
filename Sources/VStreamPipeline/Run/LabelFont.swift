internal import VStreamSystem

/// The font of labels.
public enum LabelFont {
  /// `$VSTREAM_FONT`, the font that is installed with the program, or the system's DejaVu Sans.
  public static var path: String {
    if let named = Installation.environment("VSTREAM_FONT") { return named }
    let candidates = [
      "\(Installation.programFolder)/../share/vstream/fonts/DejaVuSans.ttf",
      "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
      "/usr/share/fonts/TTF/DejaVuSans.ttf",
    ]
    return candidates.first(where: FileCheck.isReadable) ?? candidates[1]
  }
}
