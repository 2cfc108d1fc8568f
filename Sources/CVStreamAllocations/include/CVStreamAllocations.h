/// How memory is taken in the whole process, its libraries included, and how often. For the program alone: whoever links it
/// has the C library's malloc, calloc, realloc, memalign, posix_memalign and aligned_alloc called through it, and all zeros
/// from memalign.
#ifndef CVSTREAM_ALLOCATIONS_H
#define CVSTREAM_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Begins to count; until then nothing is counted, and nothing is lost but a look at a flag. False where that cannot be:
/// where a sanitizer looks after memory, or the C library is another than glibc.
bool CVStreamAllocations_begin(void);

/// How often memory was taken since `CVStreamAllocations_begin`, on all threads.
uint64_t CVStreamAllocations_count(void);

/// Has all threads take memory from so many pools together, instead of from one each, most of which would lie about unused.
/// Before threads are started.
void CVStreamAllocations_limitPools(int number);

#endif
