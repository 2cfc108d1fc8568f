/// libav: its headers, and shims for what Swift cannot import (macros, variadic callbacks).
/// Imported by VStreamMedia alone.
#ifndef CVSTREAM_LIBAV_H
#define CVSTREAM_LIBAV_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/cpu.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mem.h>
#include <libavutil/murmur3.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <libavutil/time.h>
#include <libavutil/timecode.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libswscale/swscale.h>

#include "CVStreamCamera.h"
#include "CVStreamLibAVDevice.h"
#include "CVStreamLibAVFilter.h"
#include "CVStreamLibAVScaler.h"
#include "CVStreamLibAVVersions.h"

// Macros.
extern const int64_t CVStreamLibAV_NOPTS;
extern const int CVStreamLibAV_EAGAIN;
extern const int CVStreamLibAV_EOF;
extern const int CVStreamLibAV_INVALIDDATA;
extern const int CVStreamLibAV_PATCHWELCOME;
extern const int CVStreamLibAV_BUG;
extern const int CVStreamLibAV_EXIT;
extern const int CVStreamLibAV_HTTP_UNAUTHORIZED;
extern const int CVStreamLibAV_HTTP_FORBIDDEN;
extern const int CVStreamLibAV_HTTP_NOT_FOUND;
extern const int CVStreamLibAV_HTTP_OTHER_4XX;
extern const int CVStreamLibAV_HTTP_SERVER_ERROR;
extern const int CVStreamLibAV_PROTOCOL_NOT_FOUND;

/// A new file in memory, without a name: its descriptor, or -1. The C function is `memfd_create`.
int CVStreamLibAV_memoryFile(void);

/// Shows a message, which usually ends with a newline; called by any thread.
typedef void (*CVStreamLibAV_Echo)(const char *line);

/// Installs a log callback that records the first error of each thread, and passes messages up to `echoLevel` to `shown` (an
/// AV_LOG level; AV_LOG_QUIET for none).
void CVStreamLibAV_keepMessages(int echoLevel, CVStreamLibAV_Echo shown);

/// The first error that libav logged on this thread since `CVStreamLibAV_forgetMessage`, without a newline; "" if none.
const char *CVStreamLibAV_firstMessage(void);

/// Discards the recorded error of this thread.
void CVStreamLibAV_forgetMessage(void);

#endif
