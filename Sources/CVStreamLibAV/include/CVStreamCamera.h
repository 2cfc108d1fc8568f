/// Queries of a V4L2 camera that Swift cannot make: the requests are macros, the results are unions, ioctl is variadic.
#ifndef CVSTREAM_CAMERA_H
#define CVSTREAM_CAMERA_H

#include <stdint.h>

/// Whether the open device captures video with streaming I/O: 1, 0, or a negative errno.
int CVStreamCamera_canCapture(int descriptor);

/// The four-character code of the pixel format with an index from 0. Returns 0 or a negative errno (-EINVAL: no more).
int CVStreamCamera_format(int descriptor, uint32_t index, uint32_t *code);

/// Frame sizes of a camera: one (step 0, minimum and maximum equal), or a range with steps.
typedef struct {
  uint32_t minWidth, maxWidth, stepWidth;
  uint32_t minHeight, maxHeight, stepHeight;
} CVStreamCamera_Sizes;

/// The sizes of a format with an index from 0. Returns 0 or a negative errno (-EINVAL: no more).
int CVStreamCamera_sizes(int descriptor, uint32_t code, uint32_t index, CVStreamCamera_Sizes *sizes);

/// The frame rate, as a fraction, of a format and size, with an index from 0; a range has its maximum and minimum.
/// Returns 0 or a negative errno (-EINVAL: no more).
int CVStreamCamera_rate(
    int descriptor, uint32_t code, uint32_t width, uint32_t height, uint32_t index, uint32_t *numerator,
    uint32_t *denominator);

#endif
