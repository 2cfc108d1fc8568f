#include "CVStreamAllocations.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static _Atomic bool isCounting;
static _Atomic uint64_t count;

uint64_t CVStreamAllocations_count(void) { return atomic_load(&count); }

void CVStreamAllocations_limitPools(int number) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, number);
#endif
}

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || !defined(__GLIBC__)

bool CVStreamAllocations_begin(void) { return false; }

#else

bool CVStreamAllocations_begin(void) {
  atomic_store(&isCounting, true);
  return true;
}

// The C library's own, under the names that it keeps for who replaces the usual ones.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void note(void) {
  if (atomic_load_explicit(&isCounting, memory_order_relaxed)) atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
  note();
  return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

// This is where libx264 takes its memory. It reads some of that before it writes to it (release 3095 does), and codes the
// same frames a little differently in a process that has used the memory before.
void *memalign(size_t alignment, size_t size) {
  note();
  void *memory = __libc_memalign(alignment, size);
  return memory ? memset(memory, 0, size) : NULL;
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
  note();
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *pointer = memory;
  return 0;
}

#endif
