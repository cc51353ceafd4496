/* One block of memory from which an evaluation takes everything it needs; reset between
 * evaluations.
 *
 * Allocation is a bump of an offset, aligned to 16 bytes. Nothing is freed singly. */
#ifndef COMMON_SYSTEM_ARENA_H
#define COMMON_SYSTEM_ARENA_H

#include <stddef.h>

struct arena {
    unsigned char *base;
    size_t size_bytes;
    size_t used_bytes;
    size_t high_water_bytes; /* the largest use since arena_init */
    int is_exhausted;        /* something did not fit since it was made or reset */
};

/* Takes size_bytes from the heap. Returns 0 or ERR_MEMORY. */
int arena_init(struct arena *arena, size_t size_bytes);
void arena_deinit(struct arena *arena);

/* Forgets every allocation, keeps the block and the high-water mark. */
void arena_reset(struct arena *arena);

/* Zeroed memory for count objects of size bytes, or NULL when the arena is full (checked for
 * overflow). count 0 gives a valid pointer. */
void *arena_take(struct arena *arena, size_t count, size_t size);
/* Takes memory that is not zeroed: for tables whose rows are set when they are used. */
void *arena_take_unset(struct arena *arena, size_t count, size_t size);
/* Zeroed memory for count objects, of which the first `used` become those of array; NULL when the
 * arena is full. The old block is not given back: arrays that grow had better double. */
void *arena_extend(struct arena *arena, const void *array, size_t used, size_t count, size_t size);

#endif
