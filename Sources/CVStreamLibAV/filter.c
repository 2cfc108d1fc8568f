#include "CVStreamLibAVFilter.h"

#include <dlfcn.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavfilter/version.h>
#include <pthread.h>
#include <stdlib.h>

#define FUNCTIONS(X)              \
  X(avfilter_graph_alloc)         \
  X(avfilter_graph_free)          \
  X(avfilter_get_by_name)         \
  X(avfilter_graph_create_filter) \
  X(avfilter_graph_parse_ptr)     \
  X(avfilter_graph_config)        \
  X(avfilter_inout_alloc)         \
  X(avfilter_inout_free)          \
  X(av_buffersrc_add_frame_flags) \
  X(av_buffersink_get_frame)      \
  X(av_buffersink_get_time_base)

#define DECLARE(name) __typeof__(&name) name##_;
static struct {
  FUNCTIONS(DECLARE)
} table;

#define TEXT(x) #x
#define LIBRARY(major) "libavfilter.so." TEXT(major)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int isLoaded;

static void load(void) {
  void *library = dlopen(LIBRARY(LIBAVFILTER_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  isLoaded = library != NULL;
#define LOAD(name) \
  if (library && !(table.name##_ = (__typeof__(&name))dlsym(library, #name))) isLoaded = 0;
  FUNCTIONS(LOAD)
}

struct CVStreamLibAV_Filter {
  AVFilterGraph *graph;
  AVFilterContext *source;
  AVFilterContext *sink;
};

static AVFilterInOut *end(const char *name, AVFilterContext *context) {
  AVFilterInOut *link = table.avfilter_inout_alloc_();
  if (link) {
    link->name = av_strdup(name);
    link->filter_ctx = context;
  }
  return link;
}

int CVStreamLibAV_openFilter(
    enum AVMediaType type, const char *source, const char *description, CVStreamLibAV_Filter **result) {
  pthread_once(&once, load);
  if (!isLoaded) return AVERROR_FILTER_NOT_FOUND;
  CVStreamLibAV_Filter *filter = calloc(1, sizeof *filter);
  if (!filter) return AVERROR(ENOMEM);
  int isAudio = type == AVMEDIA_TYPE_AUDIO;
  AVFilterInOut *outputs = NULL, *inputs = NULL;
  int code = AVERROR(ENOMEM);
  if (!(filter->graph = table.avfilter_graph_alloc_())) goto done;
  filter->graph->nb_threads = 1;
  code = table.avfilter_graph_create_filter_(
      &filter->source, table.avfilter_get_by_name_(isAudio ? "abuffer" : "buffer"), "in", source, NULL, filter->graph);
  if (code < 0) goto done;
  code = table.avfilter_graph_create_filter_(
      &filter->sink, table.avfilter_get_by_name_(isAudio ? "abuffersink" : "buffersink"), "out", NULL, NULL,
      filter->graph);
  if (code < 0) goto done;
  outputs = end("in", filter->source);
  inputs = end("out", filter->sink);
  code = AVERROR(ENOMEM);
  if (!outputs || !inputs) goto done;
  code = table.avfilter_graph_parse_ptr_(filter->graph, description, &inputs, &outputs, NULL);
  if (code >= 0) code = table.avfilter_graph_config_(filter->graph, NULL);
done:
  table.avfilter_inout_free_(&outputs);
  table.avfilter_inout_free_(&inputs);
  if (code < 0) {
    CVStreamLibAV_closeFilter(filter);
  } else {
    *result = filter;
    code = 0;
  }
  return code;
}

void CVStreamLibAV_closeFilter(CVStreamLibAV_Filter *filter) {
  if (!filter) return;
  table.avfilter_graph_free_(&filter->graph);
  free(filter);
}

int CVStreamLibAV_sendToFilter(CVStreamLibAV_Filter *filter, AVFrame *frame) {
  return table.av_buffersrc_add_frame_flags_(filter->source, frame, AV_BUFFERSRC_FLAG_KEEP_REF);
}

int CVStreamLibAV_receiveFromFilter(CVStreamLibAV_Filter *filter, AVFrame *frame) {
  return table.av_buffersink_get_frame_(filter->sink, frame);
}

AVRational CVStreamLibAV_filterTimeBase(const CVStreamLibAV_Filter *filter) {
  return table.av_buffersink_get_time_base_(filter->sink);
}
