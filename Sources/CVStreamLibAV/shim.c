#define _GNU_SOURCE
#include "CVStreamLibAV.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

const int64_t CVStreamLibAV_NOPTS = AV_NOPTS_VALUE;
const int CVStreamLibAV_EAGAIN = AVERROR(EAGAIN);
const int CVStreamLibAV_EOF = AVERROR_EOF;
const int CVStreamLibAV_INVALIDDATA = AVERROR_INVALIDDATA;
const int CVStreamLibAV_PATCHWELCOME = AVERROR_PATCHWELCOME;
const int CVStreamLibAV_BUG = AVERROR_BUG;
const int CVStreamLibAV_EXIT = AVERROR_EXIT;
const int CVStreamLibAV_HTTP_UNAUTHORIZED = AVERROR_HTTP_UNAUTHORIZED;
const int CVStreamLibAV_HTTP_FORBIDDEN = AVERROR_HTTP_FORBIDDEN;
const int CVStreamLibAV_HTTP_NOT_FOUND = AVERROR_HTTP_NOT_FOUND;
const int CVStreamLibAV_HTTP_OTHER_4XX = AVERROR_HTTP_OTHER_4XX;
const int CVStreamLibAV_HTTP_SERVER_ERROR = AVERROR_HTTP_SERVER_ERROR;
const int CVStreamLibAV_PROTOCOL_NOT_FOUND = AVERROR_PROTOCOL_NOT_FOUND;

static _Thread_local char firstMessage[512];
static atomic_int echoLimit = AV_LOG_QUIET;
static _Atomic(CVStreamLibAV_Echo) echo = NULL;

static void keepMessage(void *context, int level, const char *format, va_list arguments) {
  if (level > AV_LOG_ERROR && level > atomic_load(&echoLimit)) return;
  char line[1024];
  int printPrefix = 1;
  va_list copy;
  va_copy(copy, arguments);
  av_log_format_line2(context, level, format, copy, line, sizeof line, &printPrefix);
  va_end(copy);
  CVStreamLibAV_Echo shown = atomic_load(&echo);
  if (level <= atomic_load(&echoLimit) && shown) shown(line);
  if (level <= AV_LOG_ERROR && firstMessage[0] == 0) {
    // Without libav's prefix "[demuxer @ 0x55…] ", whose address is of no use to a user.
    const char *text = line;
    while (*text == '[' && strchr(text, ']')) {
      text = strchr(text, ']') + 1;
      while (*text == ' ') text++;
    }
    snprintf(firstMessage, sizeof firstMessage, "%s", text);
    firstMessage[strcspn(firstMessage, "\r\n")] = 0;
  }
}

void CVStreamLibAV_keepMessages(int echoLevel, CVStreamLibAV_Echo shown) {
  atomic_store(&echoLimit, echoLevel);
  atomic_store(&echo, shown);
  av_log_set_callback(keepMessage);
}

const char *CVStreamLibAV_firstMessage(void) { return firstMessage; }

void CVStreamLibAV_forgetMessage(void) { firstMessage[0] = 0; }

int CVStreamLibAV_memoryFile(void) { return memfd_create("vstream", MFD_CLOEXEC); }
