/// libavfilter, loaded with dlopen on first use: with its dependencies it costs 18 MB and 30 ms, and most runs filter
/// nothing.
#ifndef CVSTREAM_LIBAV_FILTER_H
#define CVSTREAM_LIBAV_FILTER_H

#include <libavutil/frame.h>

/// A chain of filters with one input and one output.
typedef struct CVStreamLibAV_Filter CVStreamLibAV_Filter;

/// Creates a chain for video or audio. `source` are the arguments of libavfilter's `buffer` or `abuffer`, `description` is
/// the chain in the syntax of FFmpeg's -vf and -af. Returns 0 or a libav code; AVERROR_FILTER_NOT_FOUND also if the library is not installed.
int CVStreamLibAV_openFilter(
    enum AVMediaType type, const char *source, const char *description, CVStreamLibAV_Filter **filter);
void CVStreamLibAV_closeFilter(CVStreamLibAV_Filter *filter);

/// av_buffersrc_add_frame_flags, keeping the caller's reference; NULL for the end.
int CVStreamLibAV_sendToFilter(CVStreamLibAV_Filter *filter, AVFrame *frame);
/// av_buffersink_get_frame.
int CVStreamLibAV_receiveFromFilter(CVStreamLibAV_Filter *filter, AVFrame *frame);
/// av_buffersink_get_time_base.
AVRational CVStreamLibAV_filterTimeBase(const CVStreamLibAV_Filter *filter);

#endif
