#include "CVStreamCamera.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>

static int query(int descriptor, unsigned long request, void *result) {
  int code;
  do {
    code = ioctl(descriptor, request, result);
  } while (code < 0 && errno == EINTR);
  return code < 0 ? -errno : 0;
}

int CVStreamCamera_canCapture(int descriptor) {
  struct v4l2_capability found;
  memset(&found, 0, sizeof found);
  int code = query(descriptor, VIDIOC_QUERYCAP, &found);
  if (code < 0) return code;
  uint32_t capabilities = found.capabilities & V4L2_CAP_DEVICE_CAPS ? found.device_caps : found.capabilities;
  return capabilities & V4L2_CAP_VIDEO_CAPTURE && capabilities & V4L2_CAP_STREAMING;
}

int CVStreamCamera_format(int descriptor, uint32_t index, uint32_t *code) {
  struct v4l2_fmtdesc format;
  memset(&format, 0, sizeof format);
  format.index = index;
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  int result = query(descriptor, VIDIOC_ENUM_FMT, &format);
  *code = format.pixelformat;
  return result;
}

int CVStreamCamera_sizes(int descriptor, uint32_t code, uint32_t index, CVStreamCamera_Sizes *sizes) {
  struct v4l2_frmsizeenum found;
  memset(&found, 0, sizeof found);
  found.index = index;
  found.pixel_format = code;
  int result = query(descriptor, VIDIOC_ENUM_FRAMESIZES, &found);
  if (result < 0) return result;
  if (found.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
    *sizes = (CVStreamCamera_Sizes){found.discrete.width,  found.discrete.width,  0,
                                    found.discrete.height, found.discrete.height, 0};
    return 0;
  }
  if (index > 0) return -EINVAL; // a range is the only entry
  *sizes = (CVStreamCamera_Sizes){found.stepwise.min_width,  found.stepwise.max_width,  found.stepwise.step_width,
                                  found.stepwise.min_height, found.stepwise.max_height, found.stepwise.step_height};
  return 0;
}

int CVStreamCamera_rate(
    int descriptor, uint32_t code, uint32_t width, uint32_t height, uint32_t index, uint32_t *numerator,
    uint32_t *denominator) {
  struct v4l2_frmivalenum found;
  memset(&found, 0, sizeof found);
  found.pixel_format = code;
  found.width = width;
  found.height = height;
  // A range is one entry of V4L2; here its minimum and maximum are two.
  int result = query(descriptor, VIDIOC_ENUM_FRAMEINTERVALS, &found);
  if (result < 0) return result;
  struct v4l2_fract interval;
  if (found.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
    found.index = index;
    result = query(descriptor, VIDIOC_ENUM_FRAMEINTERVALS, &found);
    if (result < 0) return result;
    interval = found.discrete;
  } else {
    if (index > 1) return -EINVAL;
    interval = index == 0 ? found.stepwise.min : found.stepwise.max;
  }
  // The rate is the interval's inverse.
  *numerator = interval.denominator;
  *denominator = interval.numerator;
  return 0;
}
