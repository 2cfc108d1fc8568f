/// Questions to a V4L2 camera: the requests are macros, their answers unions, and ioctl is variadic.
#ifndef CVSTREAM_CAMERA_H
#define CVSTREAM_CAMERA_H

#include <stdint.h>

/// Whether the open device captures pictures and hands them out in buffers: 1, 0, or a negative errno.
int CVStreamCamera_canCapture(int descriptor);

/// The four-character code of a pixel format, numbered from 0. Returns 0 or a negative errno (-EINVAL: no more).
int CVStreamCamera_format(int descriptor, uint32_t index, uint32_t *code);

/// Sizes that a camera has: one (step 0, minimum and maximum equal), or all from a minimum to a maximum in steps.
typedef struct {
  uint32_t minWidth, maxWidth, stepWidth;
  uint32_t minHeight, maxHeight, stepHeight;
} CVStreamCamera_Sizes;

/// Sizes of a format, numbered from 0. Returns 0 or a negative errno (-EINVAL: no more).
int CVStreamCamera_sizes(int descriptor, uint32_t code, uint32_t index, CVStreamCamera_Sizes *sizes);

/// Frames per second, as a fraction, of a format and size, numbered from 0: of a range its fastest and slowest.
/// Returns 0 or a negative errno (-EINVAL: no more).
int CVStreamCamera_rate(
    int descriptor, uint32_t code, uint32_t width, uint32_t height, uint32_t index, uint32_t *numerator,
    uint32_t *denominator);

#endif
