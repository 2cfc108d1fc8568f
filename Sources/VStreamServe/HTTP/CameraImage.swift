internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene

/// The newest frame of a camera as a JPEG image.
enum CameraImage {
  static func response(_ camera: Camera, isAnnotated: Bool) -> WebResponse {
    guard let newest = camera.newestFrame else {
      return .error(
        503, "the camera has no frame", remedy: "it is \(camera.currentStatus.phase.rawValue); try again later")
    }
    do {
      var frame = newest.image
      if isAnnotated {
        // Records refer to the frames of the source, of which the decoded ones may be smaller copies.
        let size = camera.settings.shownInput == nil ? frame.size : camera.currentStatus.size
        if size != frame.size { frame = try FrameConverter(size: size, format: frame.format).convert(frame) }
        try draw(newest.record, camera.settings.counted, on: &frame)
      }
      let target = try VideoCodec(encoder: "mjpeg").target(for: frame, wanted: nil)
      let converter = FrameConverter(size: frame.size, format: target.format, range: target.range)
      return WebResponse(
        contentType: "image/jpeg", body: try ImageFormat.jpeg.file(of: converter.convert(frame)))
    } catch {
      return .error(VStreamError(any: error))
    }
  }

  private static func draw(_ record: FrameRecord, _ regions: CountedRegions, on frame: inout VideoFrame) throws {
    var painter = try OverlayPainter(OverlayOptions(), fontPath: LabelFont.path)
    let marks = record.counts.map { regions.marks(in: frame.size, $0) } ?? []
    try painter.draw(record.annotations, regions: marks, on: &frame)
  }
}
