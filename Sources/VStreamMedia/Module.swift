/// # VStreamMedia: FFmpeg's libraries in Swift
///
/// Packets in (`MediaReader`), frames out of them (`VideoDecoder`), frames made alike (`FrameNormaliser`), frames into
/// packets (`VideoEncoder`), packets out (`MediaWriter`). Each is a plain synchronous type with one owner at a time.
/// The only module that names libav; no C type appears in a public signature.
///
/// May import: VStreamScene, VStreamSystem, CVStreamLibAV.
