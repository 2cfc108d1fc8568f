#include "CVStreamLibAVVersions.h"

#include <libavutil/pixdesc.h>
#include <libavutil/version.h>

#define SINCE(library, major, minor) (LIB##library##_VERSION_INT >= AV_VERSION_INT(major, minor, 0))

// FFmpeg 6.0.
int64_t CVStreamLibAV_duration(const AVFrame *frame) {
#if SINCE(AVUTIL, 57, 30)
  return frame->duration;
#else
  return frame->pkt_duration;
#endif
}

void CVStreamLibAV_setDuration(AVFrame *frame, int64_t ticks) {
#if SINCE(AVUTIL, 57, 30)
  frame->duration = ticks;
#else
  frame->pkt_duration = ticks;
#endif
}

// FFmpeg 6.1.
int CVStreamLibAV_isInterlaced(const AVFrame *frame) {
#if SINCE(AVUTIL, 58, 7)
  return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame->interlaced_frame != 0;
#endif
}

void CVStreamLibAV_clearKeyFrame(AVFrame *frame) {
#if SINCE(AVUTIL, 58, 7)
  frame->flags &= ~AV_FRAME_FLAG_KEY;
#else
  frame->key_frame = 0;
#endif
}

// FFmpeg 6.1 also counts excess resolution and depth.
int CVStreamLibAV_formatLoss(enum AVPixelFormat destination, enum AVPixelFormat source, int hasAlpha) {
  int loss = av_get_pix_fmt_loss(destination, source, hasAlpha);
#if defined(FF_LOSS_EXCESS_RESOLUTION) && defined(FF_LOSS_EXCESS_DEPTH)
  loss &= ~(FF_LOSS_EXCESS_RESOLUTION | FF_LOSS_EXCESS_DEPTH);
#endif
  return loss;
}

// FFmpeg 8.0.
void CVStreamLibAV_removeExif(AVFrame *frame) {
#if SINCE(AVUTIL, 60, 8)
  av_frame_remove_side_data(frame, AV_FRAME_DATA_EXIF);
#else
  (void)frame;
#endif
}

// FFmpeg 6.1.
const AVPacketSideData *CVStreamLibAV_sideData(const AVStream *stream, int *count) {
#if SINCE(AVCODEC, 60, 30)
  *count = stream->codecpar->nb_coded_side_data;
  return stream->codecpar->coded_side_data;
#else
  *count = stream->nb_side_data;
  return stream->side_data;
#endif
}

uint8_t *CVStreamLibAV_addSideData(AVStream *stream, enum AVPacketSideDataType type, size_t size) {
#if SINCE(AVCODEC, 60, 30)
  AVCodecParameters *parameters = stream->codecpar;
  AVPacketSideData *added = av_packet_side_data_new(
      &parameters->coded_side_data, &parameters->nb_coded_side_data, type, size, 0);
  return added ? added->data : NULL;
#else
  return av_stream_new_side_data(stream, type, size);
#endif
}

// FFmpeg 7.1. Before, each list has a terminator of its own.
#if SINCE(AVCODEC, 61, 13)
#define SUPPORTED(type, name, config, member, isLast)                                           \
  const type *name(const AVCodec *codec, int *count) {                                          \
    const void *list = NULL;                                                                    \
    *count = 0;                                                                                 \
    return avcodec_get_supported_config(NULL, codec, config, 0, &list, count) < 0 ? NULL : list; \
  }
#else
#define SUPPORTED(type, name, config, member, isLast)                      \
  const type *name(const AVCodec *codec, int *count) {                     \
    *count = 0;                                                            \
    for (const type *next = codec->member; next && !(isLast); next++) ++*count; \
    return codec->member;                                                  \
  }
#endif

SUPPORTED(enum AVPixelFormat, CVStreamLibAV_pixelFormats, AV_CODEC_CONFIG_PIX_FORMAT, pix_fmts, *next == AV_PIX_FMT_NONE)
SUPPORTED(AVRational, CVStreamLibAV_frameRates, AV_CODEC_CONFIG_FRAME_RATE, supported_framerates, next->num == 0)
SUPPORTED(
    enum AVSampleFormat, CVStreamLibAV_sampleFormats, AV_CODEC_CONFIG_SAMPLE_FORMAT, sample_fmts,
    *next == AV_SAMPLE_FMT_NONE)
SUPPORTED(int, CVStreamLibAV_sampleRates, AV_CODEC_CONFIG_SAMPLE_RATE, supported_samplerates, *next == 0)

// FFmpeg 7.1 writes Apple's box, with fewer kinds of two views, in place of Google's.
int CVStreamLibAV_mp4HoldsStereo(void) { return !SINCE(AVFORMAT, 61, 7); }
int CVStreamLibAV_movHoldsSphere(void) { return SINCE(AVFORMAT, 61, 7); }
