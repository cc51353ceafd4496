/* A scene of a test, from a text of JSON with ' for ", and its motion. */
#ifndef TESTS_SCENE_FIXTURE_H
#define TESTS_SCENE_FIXTURE_H

#include "simulator/tools/scenes/scene.h"
#include "tests/plain_fixture.h"
#include "tests/quoted.h"

static struct scene scene;
static struct dynamics *run;
static long steps; /* since its start */

/* setup() of a suite: room for a motion. */
static inline void scene_set_up(void)
{
    arena_open(SCENE_ARENA_BYTES);
    error = (struct error){0};
}

/* 0, or the code of the error. */
static inline int read_quoted(const char *text)
{
    FREED char *json = quoted(text);
    return scene_read_text(&scene, json, strlen(json), "test", &error);
}

/* The motion of the scene as it is now, in place of that before. */
static inline void start_scene(void)
{
    arena_reset(&arena);
    steps = 0;
    ck_ok(scene_start(&scene, &arena, &run, &error));
}

/* Reads and starts, with the text's step for 0. */
static inline void begin_scene(const char *text, int solver, double dt_s)
{
    ck_ok(read_quoted(text));
    scene.settings.solver = solver;
    if (dt_s > 0)
        scene.settings.dt_s = dt_s;
    start_scene();
}

static inline void run_steps(long count)
{
    for (; count > 0; count--, steps++)
        ck_assert_msg(dynamics_step(run) == 0, "not finite in step %ld", steps);
}

static inline void run_for(double time_s)
{
    run_steps(lround(time_s / scene.settings.dt_s));
}

/* Since the start. */
static inline double time_now(void)
{
    return (double)steps * scene.settings.dt_s;
}

static inline void run_to(double time_s)
{
    run_steps(lround(time_s / scene.settings.dt_s) - steps);
}

static inline double energy_now(void)
{
    const struct ledger *l = dynamics_ledger(run);
    return l->kinetic_j + l->potential_j;
}

#endif
