internal import CVStreamFreeType
package import VStreamCore

/// The bitmap of one character.
struct Glyph {
  let width: Int
  let height: Int
  /// Pixels from the pen to the bitmap's left edge.
  let left: Int
  /// Pixels from the baseline up to the bitmap's top edge.
  let top: Int
  /// The pen's advance in 1/64 pixel.
  let advance: Int
  /// `height` rows of `width` values, 0…255.
  let coverage: [UInt8]
}

/// Renders the characters of a font with FreeType, each of them once.
///
/// Not thread-safe.
package final class GlyphCache {
  private let library: FT_Library
  private let face: FT_Face
  private var glyphs: [Unicode.Scalar: Glyph] = [:]
  /// Font size in pixels.
  package private(set) var pixelSize = 0

  /// - Throws: `VStreamError.missingDependency` if there is no font at the path, or FreeType cannot read it.
  package init(fontPath: String) throws(VStreamError) {
    var opened: FT_Library?
    guard FT_Init_FreeType(&opened) == 0, let library = opened else {
      throw VStreamError(.library, "FreeType cannot be initialised")
    }
    var loaded: FT_Face?
    guard FT_New_Face(library, fontPath, 0, &loaded) == 0, let face = loaded else {
      FT_Done_FreeType(library)
      throw VStreamError(
        .missingDependency, "the font '\(fontPath)' cannot be read", subject: fontPath,
        remedy: "install fonts-dejavu-core, or name another with VSTREAM_FONT; \(.draw, "boxes") needs none")
    }
    self.library = library
    self.face = face
  }

  deinit {
    FT_Done_Face(face)
    FT_Done_FreeType(library)
  }

  /// Sets the font size; a change clears the cache.
  func setSize(_ pixels: Int) {
    guard pixels != pixelSize, FT_Set_Pixel_Sizes(face, 0, FT_UInt(max(1, pixels))) == 0 else { return }
    pixelSize = pixels
    glyphs.removeAll()
  }

  /// Replaces `line` by the glyphs of a text; characters that the font lacks have its replacement glyph.
  func list(_ text: String, in line: inout [Glyph]) {
    line.removeAll(keepingCapacity: true)
    for scalar in text.unicodeScalars {
      if let glyph = glyph(scalar) { line.append(glyph) }
    }
  }

  private func glyph(_ scalar: Unicode.Scalar) -> Glyph? {
    if let known = glyphs[scalar] { return known }
    guard FT_Load_Char(face, FT_ULong(scalar.value), Int32(CVSTREAM_FT_RENDER)) == 0,
      let slot = face.pointee.glyph
    else { return nil }
    let bitmap = slot.pointee.bitmap
    let (width, height) = (Int(bitmap.width), Int(bitmap.rows))
    var coverage: [UInt8] = []
    coverage.reserveCapacity(width * height)
    if let buffer = bitmap.buffer, bitmap.pixel_mode == UInt8(FT_PIXEL_MODE_GRAY.rawValue) {
      for row in 0..<height {
        coverage += UnsafeBufferPointer(start: buffer.advanced(by: row * Int(bitmap.pitch)), count: width)
      }
    }
    let made = Glyph(
      width: width, height: height, left: Int(slot.pointee.bitmap_left), top: Int(slot.pointee.bitmap_top),
      advance: Int(slot.pointee.advance.x), coverage: coverage)
    glyphs[scalar] = made
    return made
  }
}
