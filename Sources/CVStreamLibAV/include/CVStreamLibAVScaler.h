/// libswscale's scaler, whose type Swift imports in another form since FFmpeg 8.
#ifndef CVSTREAM_LIBAV_SCALER_H
#define CVSTREAM_LIBAV_SCALER_H

#include <libavutil/frame.h>

typedef struct CVStreamLibAV_Scaler CVStreamLibAV_Scaler;

/// The properties of frames that a scaler is made for.
typedef struct {
  int width, height;
  enum AVPixelFormat format;
  int isFullRange;
} CVStreamLibAV_Samples;

/// A scaler from one kind of samples to another, both of `matrix`; NULL if libswscale cannot convert between the formats, or
/// memory runs out.
CVStreamLibAV_Scaler *CVStreamLibAV_openScaler(
    CVStreamLibAV_Samples from, CVStreamLibAV_Samples to, enum AVColorSpace matrix);
void CVStreamLibAV_closeScaler(CVStreamLibAV_Scaler *scaler);

/// sws_scale_frame: returns a negative libav code if it fails.
int CVStreamLibAV_scale(CVStreamLibAV_Scaler *scaler, AVFrame *to, const AVFrame *from);

#endif
