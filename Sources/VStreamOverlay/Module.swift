/// # VStreamOverlay: drawing on the planes that a frame was decoded to
///
/// Shapes become masks of coverage, and masks are blended into the planes in one pass, in the frame's own colours and
/// depth (`Canvas`); nothing is converted to RGB and back. `OverlayStage` knows what is drawn of a frame's annotations,
/// `GlyphCache` how letters look. `RedactionStage` makes parts of a frame unrecognisable, for good.
///
/// May import: VStreamScene, VStreamSystem, VStreamMedia, CVStreamFreeType.
