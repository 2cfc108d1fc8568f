package import VStreamCore
internal import VStreamSystem

/// Boxes and labels as a subtitle script (Advanced SubStation Alpha), which players show over the video.
///
/// Positions are in pixels of the upright frame, whose size the script declares. Source: the specification "Sub Station Alpha v4.00+".
package struct OverlayScript: Sendable {
  /// The elements that a script can show.
  package static let elements: Set<OverlayOptions.Element> = [.boxes, .labels, .ids]

  private let options: OverlayOptions
  private let metrics: OverlayMetrics
  /// Line height of DejaVu Sans by its font size: scripts specify the line height.
  private static let lineHeight = 1.164
  /// The assumed mean width of a character by the font size, since the player's font is unknown.
  private static let letterWidth = 0.6
  /// The opacity of drawn labels, 216/256, as transparency.
  private static let backgroundAlpha = "&H28&"

  /// - Parameter size: of the upright frame.
  package init(_ options: OverlayOptions, size: PixelSize) {
    self.options = options
    metrics = OverlayMetrics(size)
  }

  /// The sections before the lines: the frame size, and the styles of boxes and labels.
  package var header: String {
    let size = metrics.frame
    let font = "DejaVu Sans,\((Double(metrics.fontSize) * Self.lineHeight).formatted(.decimals(0...2)))"
    let colors = "&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000"
    let plain = "0,0,0,0,100,100,0,0"
    return """
      [Script Info]
      ; Boxes and labels, made by vstream.
      ScriptType: v4.00+
      PlayResX: \(size.width)
      PlayResY: \(size.height)
      LayoutResX: \(size.width)
      LayoutResY: \(size.height)
      WrapStyle: 2
      ScaledBorderAndShadow: yes
      YCbCr Matrix: None

      [V4+ Styles]
      Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
      Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, \
      MarginV, Encoding
      Style: Box,\(font),\(colors),\(plain),1,0,0,7,0,0,0,1
      Style: Label,\(font),\(colors),\(plain),3,\(padding.formatted(.decimals(0...2))),0,7,0,0,0,1

      [Events]
      Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

      """
  }

  /// A line that is shown for the duration of a frame.
  package struct Line: Hashable, Sendable {
    /// Higher layers cover lower ones.
    package let layer: Int
    package let style: String
    package let text: String
  }

  /// A line for each box and each label of a frame.
  package func lines(_ annotations: FrameAnnotations) -> [Line] {
    let marks = Mark.all(annotations.found)
    let (withLabel, withID) = (options.elements.contains(.labels), options.elements.contains(.ids))
    var lines = options.elements.contains(.boxes) ? marks.compactMap(outline) : []
    var backgrounds: [Box] = []
    for mark in withLabel || withID ? marks : [] {
      lines.append(label(mark, mark.text(withLabel: withLabel, withID: withID), avoiding: &backgrounds))
    }
    return lines
  }

  /// A box's outline as a shape with a hole.
  private func outline(_ mark: Mark) -> Line? {
    let half = metrics.lineWidth / 2
    let box = mark.box
    guard !box.isEmpty else { return nil }
    let (left, top) = (box.x - half, box.y - half)
    let outer = (width: Self.eighths(box.width + 2 * half), height: Self.eighths(box.height + 2 * half))
    let line = Self.eighths(2 * half)
    var shape = "m 0 0 l \(outer.width) 0 \(outer.width) \(outer.height) 0 \(outer.height)"
    if outer.width > 2 * line, outer.height > 2 * line {
      let (right, bottom) = (outer.width - line, outer.height - line)
      // In the opposite direction, which makes it a hole.
      shape += " m \(line) \(line) l \(line) \(bottom) \(right) \(bottom) \(right) \(line)"
    }
    let position = "\\pos(\(left.formatted(.decimals(0...2))),\(top.formatted(.decimals(0...2))))"
    // \p4: coordinates are eighths of a pixel.
    return Line(layer: 0, style: "Box", text: "{\(position)\\1c\(Self.color(mark.color))\\p4}\(shape){\\p0}")
  }

  private func label(_ mark: Mark, _ text: String, avoiding backgrounds: inout [Box]) -> Line {
    let textWidth = Double(metrics.fontSize) * Self.letterWidth * Double(text.count)
    let width = Int(textWidth.rounded(.up)) + 2 * metrics.padding
    let background = metrics.background(labelOfWidth: width, at: mark.box, avoiding: backgrounds)
    backgrounds.append(background)
    let (x, y) = (background.x + padding, background.y + padding)
    let position = "\\pos(\(x.formatted(.decimals(0...2))),\(y.formatted(.decimals(0...2))))"
    let textColor = mark.color.brightness > 0.45 ? Color.black : .white
    let colors = "\\1c\(Self.color(textColor))\\3c\(Self.color(mark.color))\\3a\(Self.backgroundAlpha)"
    return Line(layer: 1, style: "Label", text: "{\(position)\(colors)}\(Self.escaped(text))")
  }

  /// The distance from a line of text to the edge of its background, which is then as high as a drawn label's.
  private var padding: Double {
    max(1, (Double(metrics.labelHeight) - Double(metrics.fontSize) * Self.lineHeight) / 2)
  }

  /// The text with the script's control characters replaced by similar ones.
  ///
  /// A brace with a combining mark is one `Character`, but still a brace to players.
  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.replacing("\r\n", with: " ").unicodeScalars {
      switch scalar {
      case "{": result.append("(")
      case "}": result.append(")")
      case "\\": result.append("/")
      default: result.append(Character(scalar).isNewline || scalar.value < 0x20 ? " " : scalar)
      }
    }
    return String(result)
  }

  /// `&H0000FF&` is red.
  private static func color(_ color: Color) -> String {
    let digits = [color.blue, color.green, color.red].map { channel in
      let value = Int((min(max(0, channel), 1) * 255).rounded())
      return (value < 16 ? "0" : "") + String(value, radix: 16, uppercase: true)
    }
    return "&H\(digits.joined())&"
  }

  private static func eighths(_ pixels: Double) -> Int { Int(clamping: (pixels * 8).rounded()) }
}
