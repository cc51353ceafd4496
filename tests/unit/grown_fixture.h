/* One genome that a test fills with genes, and what it takes to grow and evaluate it: for tests of a kind of body. */
#ifndef TESTS_UNIT_GROWN_FIXTURE_H
#define TESTS_UNIT_GROWN_FIXTURE_H

#include <check.h>

#include "common/system/arena.h"
#include "common/genome/genome.h"
#include "common/params/params.h"
#include "simulator/evaluate/evaluate.h"

static struct genome genome;
static struct params params;
static struct arena arena;
static struct error error;

/* An empty genome of that kind, whose root will be the body gene 1, and default parameters. */
static inline void grown_set_up(int kind)
{
    genome_init(&genome);
    genome.kind = kind;
    genome.root = 1;
    params_set_defaults(&params);
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
}

static inline void grown_tear_down(void)
{
    genome_deinit(&genome);
    arena_deinit(&arena);
}

/* "section.key=value" */
static inline void set(const char *assignment)
{
    ck_assert_msg(params_set_assignment(&params, assignment, &error) == 0, "%s", error.message);
}

#endif
