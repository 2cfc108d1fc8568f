internal import VStreamInference
internal import VStreamSystem

/// Where the font for labels is.
public enum LabelFont {
  /// `$VSTREAM_FONT`, beside the program, or where Debian and others keep DejaVu Sans.
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
