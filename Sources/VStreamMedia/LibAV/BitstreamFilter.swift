internal import CVStreamLibAV
internal import VStreamCore

/// Rewrites the packets of a copied stream to the form that the output's container requires, without decoding them.
final class BitstreamFilter {
  private let context: UnsafeMutablePointer<AVBSFContext>

  /// Creates the filter that a stream needs in a container.
  ///
  /// - Returns: `nil` if its packets can be copied as they are.
  /// - Throws: `VStreamError.library` if the filter cannot be created.
  init?(for stream: StreamInfo, in container: UnsafePointer<AVOutputFormat>) throws(VStreamError) {
    let coded = stream.parameters.av.pointee
    // Transport streams carry AAC with an ADTS header on each packet; other containers carry its content once, in their
    // own header. libav converts it by itself only in files without fragments.
    guard coded.codec_id == AV_CODEC_ID_AAC, coded.extradata_size == 0,
      container.pointee.flags & AVFMT_GLOBALHEADER != 0, let filter = av_bsf_get_by_name("aac_adtstoasc")
    else { return nil }
    var allocated: UnsafeMutablePointer<AVBSFContext>?
    try requireLibAV(.library, "a bitstream filter") { av_bsf_alloc(filter, &allocated) }
    guard let allocated else { throw outOfMemory("bitstream filter") }
    context = allocated
    try requireLibAV(.library, "a bitstream filter") {
      avcodec_parameters_copy(allocated.pointee.par_in, stream.parameters.av)
    }
    allocated.pointee.time_base_in = stream.timeBase.av
    try requireLibAV(.library, "a bitstream filter") { av_bsf_init(allocated) }
  }

  deinit {
    var context: UnsafeMutablePointer<AVBSFContext>? = context
    av_bsf_free(&context)
  }

  /// Rewrites a packet in place.
  ///
  /// - Returns: `false` if the filter returned no packet: this one is damaged, or the filter delays it.
  func rewrite(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    !LibAVCode(av_bsf_send_packet(context, packet)).isFailure
      && !LibAVCode(av_bsf_receive_packet(context, packet)).isFailure
  }
}
