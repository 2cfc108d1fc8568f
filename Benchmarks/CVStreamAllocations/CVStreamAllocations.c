#include "CVStreamAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static _Atomic bool isCounting;
static _Atomic uint64_t count;

uint64_t CVStreamAllocations_count(void) { return atomic_load(&count); }

void CVStreamAllocations_begin(void) { atomic_store(&isCounting, true); }

// Sanitizers replace the same functions, and other C libraries than glibc do not export the functions that these call.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && defined(__GLIBC__)

// glibc's own functions, under names that stay available when the usual ones are replaced.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void countOne(void) {
  if (atomic_load_explicit(&isCounting, memory_order_relaxed)) atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  countOne();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  countOne();
  return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
  countOne();
  return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  countOne();
  return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
  countOne();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
  countOne();
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *pointer = memory;
  return 0;
}

#endif
