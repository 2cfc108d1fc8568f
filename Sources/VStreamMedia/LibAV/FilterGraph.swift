internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

/// A chain of libavfilter's filters for video or audio of one format. The first chain loads the library.
///
/// One owner at a time.
final class FilterGraph {
  /// The arguments of the chain's source, which describe the format of its input.
  let source: String
  private let filter: OpaquePointer

  /// - Parameters:
  ///   - source: the arguments of libavfilter's `buffer` or `abuffer`.
  ///   - description: the chain in the syntax of FFmpeg's `-vf` and `-af`.
  ///   - failure: what cannot be done without the chain, for the error.
  /// - Throws: `VStreamError.missingDependency` if libavfilter is not installed or has no such filter.
  init(
    _ type: AVMediaType, source: String, description: String, failure: @autoclosure () -> String
  ) throws(VStreamError) {
    var opened: OpaquePointer?
    try requireLibAV(
      .missingDependency, failure(),
      remedy: "check that libavfilter is installed (\(Installation.setUpCommand) installs it)"
    ) { CVStreamLibAV_openFilter(type, source, description, &opened) }
    guard let opened else { throw outOfMemory("filter") }
    filter = opened
    self.source = source
  }

  deinit { CVStreamLibAV_closeFilter(filter) }

  /// The time base of the frames that the chain returns.
  var timeBase: AVRational { CVStreamLibAV_filterTimeBase(filter) }

  /// Gives the chain a frame, or `nil` at the end of the stream.
  func send(_ frame: UnsafeMutablePointer<AVFrame>?) throws(VStreamError) {
    try requireLibAV(.library, "a filter") { CVStreamLibAV_sendToFilter(filter, frame) }
  }

  /// Fills an empty frame with the next one that is ready.
  ///
  /// - Returns: `false` if the chain needs more input, or has ended.
  func receive(_ frame: UnsafeMutablePointer<AVFrame>) throws(VStreamError) -> Bool {
    if case .value = try libav(.library, "a filter", { CVStreamLibAV_receiveFromFilter(filter, frame) }) { return true }
    return false
  }
}
