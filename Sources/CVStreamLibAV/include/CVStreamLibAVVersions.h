/// Declarations that differ between FFmpeg 5.1 and 9: each function has one meaning with all of them.
#ifndef CVSTREAM_LIBAV_VERSIONS_H
#define CVSTREAM_LIBAV_VERSIONS_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>

/// The frame's duration in ticks of its time base; 0 if unknown.
int64_t CVStreamLibAV_duration(const AVFrame *frame);
void CVStreamLibAV_setDuration(AVFrame *frame, int64_t ticks);

/// Whether odd and even lines are from two different times: 1 or 0.
int CVStreamLibAV_isInterlaced(const AVFrame *frame);

/// Removes the mark of a key frame.
void CVStreamLibAV_clearKeyFrame(AVFrame *frame);

/// The side data of the whole stream: an array of `count` entries, owned by the stream.
const AVPacketSideData *CVStreamLibAV_sideData(const AVStream *stream, int *count);

/// Adds side data of `size` bytes to an output stream before its header is written. Returns the memory to be filled,
/// owned by the stream; NULL if there is none.
uint8_t *CVStreamLibAV_addSideData(AVStream *stream, enum AVPacketSideDataType type, size_t size);

/// Removes the Exif that a decoder attached to a frame, and that encoders would write with all that is in it.
void CVStreamLibAV_removeExif(AVFrame *frame);

/// av_get_pix_fmt_loss: the loss of a conversion to a format; more samples or bits than the source has are no loss.
int CVStreamLibAV_formatLoss(enum AVPixelFormat destination, enum AVPixelFormat source, int hasAlpha);

// Whether the muxer of MP4 writes the mark of two views, and that of MOV the mark of a sphere, so that libav reads them back.
int CVStreamLibAV_mp4HoldsStereo(void);
int CVStreamLibAV_movHoldsSphere(void);

// An encoder's supported values: an array of `count` values, without a terminator; NULL and 0 if it accepts any.
const enum AVPixelFormat *CVStreamLibAV_pixelFormats(const AVCodec *codec, int *count);
const AVRational *CVStreamLibAV_frameRates(const AVCodec *codec, int *count);
const enum AVSampleFormat *CVStreamLibAV_sampleFormats(const AVCodec *codec, int *count);
const int *CVStreamLibAV_sampleRates(const AVCodec *codec, int *count);

#endif
