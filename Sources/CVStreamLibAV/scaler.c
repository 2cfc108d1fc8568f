#include "CVStreamLibAVScaler.h"

#include <libavutil/opt.h>
#include <libswscale/swscale.h>

static void set(struct SwsContext *context, const char *option, int64_t value) { av_opt_set_int(context, option, value, 0); }

CVStreamLibAV_Scaler *CVStreamLibAV_openScaler(
    CVStreamLibAV_Samples from, CVStreamLibAV_Samples to, enum AVColorSpace matrix) {
  struct SwsContext *context = sws_alloc_context();
  if (!context) return NULL;
  set(context, "srcw", from.width);
  set(context, "srch", from.height);
  set(context, "src_format", from.format);
  set(context, "dstw", to.width);
  set(context, "dsth", to.height);
  set(context, "dst_format", to.format);
  // The ranges are set before the context is initialised: between equal formats libswscale decides there whether samples
  // are only copied.
  set(context, "src_range", from.isFullRange);
  set(context, "dst_range", to.isFullRange);
  set(context, "sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT);
  if (sws_init_context(context, NULL, NULL) < 0) {
    sws_freeContext(context);
    return NULL;
  }
  // Without this libswscale assumes BT.601.
  const int *coefficients = sws_getCoefficients(matrix);
  sws_setColorspaceDetails(
      context, coefficients, from.isFullRange, coefficients, to.isFullRange, 0, 1 << 16, 1 << 16);
  return (CVStreamLibAV_Scaler *)context;
}

void CVStreamLibAV_closeScaler(CVStreamLibAV_Scaler *scaler) { sws_freeContext((struct SwsContext *)scaler); }

int CVStreamLibAV_scale(CVStreamLibAV_Scaler *scaler, AVFrame *to, const AVFrame *from) {
  return sws_scale_frame((struct SwsContext *)scaler, to, from);
}
