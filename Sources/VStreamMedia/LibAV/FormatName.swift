internal import CVStreamLibAV

extension UnsafePointer<AVOutputFormat> {
  /// FFmpeg's name of the format.
  var name: String { String(cString: pointee.name) }
}

extension UnsafePointer<AVFormatContext> {
  /// FFmpeg's name of an output's format.
  var formatName: String { String(cString: pointee.oformat.pointee.name) }
}

extension UnsafeMutablePointer<AVFormatContext> {
  /// FFmpeg's name of an output's format.
  var formatName: String { UnsafePointer(self).formatName }
}
