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

  /// The streams, in their order.
  var streams: [UnsafeMutablePointer<AVStream>] { (0..<Int(pointee.nb_streams)).compactMap { pointee.streams[$0] } }

  /// The codec parameters of the streams, in their order.
  var codecs: [AVCodecParameters] { streams.map(\.pointee.codecpar.pointee) }
}
