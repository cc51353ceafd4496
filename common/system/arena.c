/* The arena: a bump allocator over one block of the heap.
 *
 * Block and every allocation are multiples of 16 bytes, so that the space left is always one, too,
 * and rounding a request up can never run over the end. */
#include "common/system/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"

#define ARENA_ALIGNMENT 16

static size_t round_up(size_t bytes)
{
    return (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

static void check(const struct arena *arena)
{
    ENSURE(arena->base, "arena_take before arena_init");
    ENSURE(arena->size_bytes % ARENA_ALIGNMENT == 0 && arena->used_bytes % ARENA_ALIGNMENT == 0,
           "%zu of %zu bytes are taken", arena->used_bytes, arena->size_bytes);
    ENSURE(arena->used_bytes <= arena->size_bytes, "%zu of %zu bytes are taken", arena->used_bytes,
           arena->size_bytes);
    ENSURE(arena->high_water_bytes <= arena->size_bytes, "%zu of %zu bytes were taken",
           arena->high_water_bytes, arena->size_bytes);
}

int arena_init(struct arena *arena, size_t size_bytes)
{
    *arena = (struct arena){0};
    if (size_bytes > SIZE_MAX - ARENA_ALIGNMENT)
        return ERR_MEMORY;
    size_t rounded = size_bytes ? round_up(size_bytes) : ARENA_ALIGNMENT;
    arena->base = aligned_alloc(ARENA_ALIGNMENT, rounded);
    if (!arena->base)
        return ERR_MEMORY;
    arena->size_bytes = rounded;
    return 0;
}

void arena_deinit(struct arena *arena)
{
    free(arena->base);
    *arena = (struct arena){0};
}

void arena_reset(struct arena *arena)
{
    arena->used_bytes = 0;
    arena->is_exhausted = 0;
}

void *arena_take_unset(struct arena *arena, size_t count, size_t size)
{
    check(arena);
    size_t left = arena->size_bytes - arena->used_bytes;
    if (size && count > left / size) {
        arena->is_exhausted = 1;
        return NULL;
    }
    size_t bytes = round_up(count * size);
    void *memory = arena->base + arena->used_bytes;
    arena->used_bytes += bytes;
    if (arena->used_bytes > arena->high_water_bytes)
        arena->high_water_bytes = arena->used_bytes;
    return memory;
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    void *memory = arena_take_unset(arena, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void *arena_extend(struct arena *arena, const void *array, size_t used, size_t count, size_t size)
{
    ENSURE(used <= count, "%zu objects do not fit into %zu", used, count);
    ENSURE(array || used == 0, "%zu objects of nothing", used);
    void *memory = arena_take(arena, count, size);
    if (memory && used > 0)
        memcpy(memory, array, used * size);
    return memory;
}
