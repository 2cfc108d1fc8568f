/// # VStreamOverlay: drawing on the planes that a frame was decoded to
///
/// Shapes become coverage masks, and masks are blended into the planes in one pass, in the frame's own colours and depth
/// (`Canvas`); nothing is converted to RGB and back. `OverlayPainter` draws a frame's annotations, `GlyphCache` renders
/// text, `OverlayScript` writes boxes and labels as subtitles. `RedactionPainter` makes regions of a frame unrecognisable,
/// irreversibly.
///
/// May import: VStreamCore, VStreamSystem, VStreamMedia, CVStreamFreeType.
