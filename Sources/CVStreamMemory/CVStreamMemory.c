#define _GNU_SOURCE
#include "CVStreamMemory.h"

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

void CVStreamMemory_limitArenas(int count) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, count);
#endif
}

void CVStreamMemory_releaseUnused(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

bool CVStreamMemory_beginCounting(void) {
  void (*begin)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "CVStreamAllocations_begin");
  if (begin) begin();
  return begin != NULL;
}

uint64_t CVStreamMemory_allocationCount(void) {
  uint64_t (*count)(void) = (uint64_t (*)(void))dlsym(RTLD_DEFAULT, "CVStreamAllocations_count");
  return count ? count() : 0;
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && defined(__GLIBC__)

// libx264 allocates its memory with memalign, and reads some of it before writing to it (release 3095): the same frames are
// then encoded a little differently in a process that has used the memory before. Zeroed memory makes its output
// deterministic.
void *memalign(size_t alignment, size_t size) {
  static _Atomic(void *) next;
  void *function = atomic_load_explicit(&next, memory_order_relaxed);
  if (!function) {
    function = dlsym(RTLD_NEXT, "memalign");
    atomic_store_explicit(&next, function, memory_order_relaxed);
  }
  void *memory = ((void *(*)(size_t, size_t))function)(alignment, size);
  return memory ? memset(memory, 0, size) : NULL;
}

#endif
