/* What many tests begin with: parameters, memory and an error. */
#ifndef TESTS_PLAIN_FIXTURE_H
#define TESTS_PLAIN_FIXTURE_H

#include <check.h>

#include "common/error.h"
#include "common/params/params.h"
#include "common/system/arena.h"
#include "tests/set_param.h"

static struct arena arena;
static struct params params;
static struct error error;

/* "section.key=value" */
static inline void set(const char *assignment)
{
    ck_assert_msg(set_param(&params, assignment, &error) == 0, "%s", error.message);
}

static inline void arena_open(size_t bytes)
{
    ck_assert_int_eq(arena_init(&arena, bytes), 0);
}

static inline void arena_close(void)
{
    arena_deinit(&arena);
}

#endif
