/// # VStreamMedia: FFmpeg's libraries in Swift
///
/// - Reading: `MediaReader` (packets from a file, camera, pipe, network stream or image sequence), `VideoDecoder`
///   (frames from packets), `FrameNormaliser` (frames upright, progressive, of one size and pixel format).
/// - Writing: `VideoEncoder` (packets from frames), `OutputDestination` and the `MediaSink` that it opens (packets to a
///   file, a network stream or images).
/// - Between them, for streams other than the video: `StreamMap` (which are written), and for streams that need
///   conversion for the container, `AudioConverter` and `SubtitleConverter`.
/// - Beside them: `ImageMetadata` (Exif and ICC profiles of photos), `FileDownload`.
///
/// Each reader, decoder, encoder and writer is synchronous and has one owner at a time; another thread may only trigger
/// its `Interrupt`. This is the only module that imports libav, and no C type appears in a public declaration.
///
/// May import: VStreamCore, VStreamSystem, CVStreamLibAV.
