/// A shared library that counts the memory allocations of a process, for measurements only:
///
///     LD_PRELOAD=.build/debug/libvstream-allocations.so vstream bench …
///
/// When preloaded, it replaces malloc, calloc, realloc, memalign, posix_memalign and aligned_alloc in the whole process,
/// libraries included, and counts the calls. vstream finds the functions below by their names.
#ifndef CVSTREAM_ALLOCATIONS_H
#define CVSTREAM_ALLOCATIONS_H

#include <stdint.h>

/// Starts to count; before that, an allocation only costs the check of a flag.
void CVStreamAllocations_begin(void);

/// The number of allocations since `CVStreamAllocations_begin`, on all threads.
uint64_t CVStreamAllocations_count(void);

#endif
