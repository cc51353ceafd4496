/* common/system/arena: alignment, zeroing, exhaustion, overflow, reset and the high-water mark.
 * runs: watched */
#include "common/system/arena.h"

#include <stdint.h>

#include "tests/plain_fixture.h"

static int is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return 0;
    return 1;
}

TEST(memory_is_aligned_zeroed_and_apart)
{
    arena_open(4096);
    unsigned char *previous_end = arena.base;
    for (size_t size = 1; size < 60; size++) {
        unsigned char *bytes = arena_take(&arena, 1, size);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_uint_eq((uintptr_t)bytes % 16, 0);
        ck_assert(bytes >= previous_end);
        ck_assert(bytes + size <= arena.base + arena.size_bytes);
        ck_assert(is_zero(bytes, size));
        memset(bytes, 0xff, size);
        previous_end = bytes + size;
    }
}

/* Zeroed again, or as it is. */
TEST_LOOP(used_memory_is_taken_again, 0, 2)
{
    arena_open(256);
    memset(arena_take(&arena, 16, 16), 0xa5, 256);
    arena_reset(&arena);
    unsigned char *bytes = (_i ? arena_take_unset : arena_take)(&arena, 3, 7);
    ck_assert_ptr_eq(bytes, arena.base);
    ck_assert_uint_eq(arena.used_bytes, 32);
    ck_assert(_i ? bytes[20] == 0xa5 : is_zero(bytes, 21));
    ck_assert_ptr_null(arena_take_unset(&arena, 3, 75));
    ck_assert_uint_eq(arena.used_bytes, 32);
}

TEST(a_full_arena_gives_null_and_stays_usable)
{
    arena_open(64);
    ck_assert_ptr_nonnull(arena_take(&arena, 1, 33));
    ck_assert_uint_eq(arena.used_bytes, 48);
    ck_assert_ptr_null(arena_take(&arena, 1, 17));
    ck_assert_ptr_null(arena_take(&arena, 17, 1));
    ck_assert_uint_eq(arena.used_bytes, 48);
    ck_assert_ptr_nonnull(arena_take(&arena, 2, 8));
    ck_assert_ptr_null(arena_take(&arena, 1, 1));
    ck_assert_ptr_nonnull(arena_take(&arena, 0, 8));
    ck_assert_ptr_nonnull(arena_take(&arena, 8, 0));
}

TEST(products_that_overflow_are_refused)
{
    arena_open(1024);
    ck_assert_ptr_null(arena_take(&arena, SIZE_MAX, 2));
    ck_assert_ptr_null(arena_take(&arena, 2, SIZE_MAX));
    ck_assert_ptr_null(arena_take(&arena, SIZE_MAX, SIZE_MAX));
    ck_assert_ptr_null(arena_take(&arena, SIZE_MAX / 2 + 2, 2));
    ck_assert_ptr_null(arena_take(&arena, 1, SIZE_MAX - 3));
    ck_assert_uint_eq(arena.used_bytes, 0);
}

TEST(the_high_water_mark_survives_a_reset)
{
    arena_open(1024);
    ck_assert_uint_eq(arena.high_water_bytes, 0);
    arena_take(&arena, 1, 500);
    arena_reset(&arena);
    ck_assert_uint_eq(arena.used_bytes, 0);
    ck_assert_uint_eq(arena.high_water_bytes, 512);
    arena_take(&arena, 1, 100);
    ck_assert_uint_eq(arena.high_water_bytes, 512);
    arena_take(&arena, 1, 500);
    ck_assert_uint_eq(arena.high_water_bytes, 112 + 512);
}

TEST(an_array_is_extended)
{
    arena_open(1024);
    int *some = arena_take(&arena, 3, sizeof some[0]);
    for (int i = 0; i < 3; i++)
        some[i] = i + 1;
    int *more = arena_extend(&arena, some, 3, 6, sizeof more[0]);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(more[i], i < 3 ? i + 1 : 0);
    ck_assert_int_eq(arena.is_exhausted, 0);
    ck_assert_ptr_null(arena_extend(&arena, more, 6, 1000, sizeof more[0]));
    ck_assert_int_eq(more[2], 3);
}

TEST(what_did_not_fit_is_remembered)
{
    arena_open(64);
    arena_take(&arena, 1, 64);
    ck_assert_int_eq(arena.is_exhausted, 0);
    ck_assert_ptr_null(arena_take(&arena, 1, 1));
    ck_assert_ptr_nonnull(arena_take(&arena, 0, 1));
    ck_assert_int_eq(arena.is_exhausted, 1);
    arena_reset(&arena);
    ck_assert_int_eq(arena.is_exhausted, 0);
}

TEST(sizes_at_the_ends)
{
    arena_open(0);
    ck_assert_ptr_nonnull(arena_take(&arena, 0, 100));
    arena_deinit(&arena);
    ck_assert_ptr_null(arena.base);
    arena_deinit(&arena);
    ck_assert_int_eq(arena_init(&arena, SIZE_MAX), ERR_MEMORY);
    ck_assert_ptr_null(arena.base);
}

SUITE("arena", 0, NULL, NULL)
