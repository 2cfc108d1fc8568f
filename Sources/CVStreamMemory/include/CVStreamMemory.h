/// Settings of the C library's memory allocator for the whole process. Only for programs, not for libraries: a program that
/// links this gets zeroed memory from `memalign` (see CVStreamMemory.c).
#ifndef CVSTREAM_MEMORY_H
#define CVSTREAM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/// Limits the number of malloc arenas. glibc's default, eight per processor, leaves most of them with unused memory.
/// Must be called before threads are started; has no effect with other C libraries.
void CVStreamMemory_limitArenas(int count);

/// Gives memory that is allocated and not used back to the system. Takes milliseconds, for which allocations wait.
void CVStreamMemory_releaseUnused(void);

/// Starts to count allocations, if the library vstream-allocations is preloaded (see CVStreamAllocations.h).
///
/// Returns false if it is not preloaded.
bool CVStreamMemory_beginCounting(void);

/// The number of allocations since `CVStreamMemory_beginCounting`, on all threads; 0 without that library.
uint64_t CVStreamMemory_allocationCount(void);

#endif
