/* The beginning of many tests: the suite, parameters, memory and an error. */
#ifndef TESTS_PLAIN_FIXTURE_H
#define TESTS_PLAIN_FIXTURE_H

#include "common/error.h"
#include "common/params/params.h"
#include "common/system/arena.h"
#include "tests/set_param.h"
#include "tests/suite.h"

static struct arena arena;
static struct params params;
static struct error error;

/* set("section.key=value", ...), any number of them. */
#define set(...) set_each((const char *const[]){__VA_ARGS__, NULL})

static inline void set_each(const char *const *assignments)
{
    for (; *assignments; assignments++)
        ck_assert_msg(set_param(&params, *assignments, &error) == 0, "%s", error.message);
}

/* An empty arena of that size; it is kept until the next is opened, and needs no end. */
static inline void arena_open(size_t bytes)
{
    arena_deinit(&arena);
    ck_assert_int_eq(arena_init(&arena, bytes), 0);
}

#endif
