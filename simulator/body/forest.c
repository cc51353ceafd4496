/* See forest.h. Sizes: 2 to 4 creatures in a contest, some hundred in a preserve, of which a few
 * touch. */
#include "simulator/body/forest.h"

#include <math.h>

#include "common/math/islands.h"
#include "simulator/body/dynamics.h"

/* How far beyond its bounds a body may come in the steps of a tick: it may go twice as fast as the
 * fastest part of all bodies that it can come near, and this farther. */
#define MARGIN_M 0.02
#define SPEED_UP 2
/* A thing that moves more slowly, with no body near it, rests. */
#define REST_M_S   1e-5
#define REST_RAD_S 1e-4

int forest_create(struct forest *forest, struct dynamics *const *all, const int *numbers, int count,
                  struct arena *arena, struct error *error)
{
    ENSURE(count > 0, "a forest of %d bodies", count);
    size_t room = (size_t)count;
    *forest = (struct forest){.count = count,
                              .all = arena_take(arena, room, sizeof forest->all[0]),
                              .is_gone = arena_take(arena, room, sizeof forest->is_gone[0]),
                              .is_broken = arena_take(arena, room, sizeof forest->is_broken[0]),
                              .low = arena_take(arena, room, sizeof forest->low[0]),
                              .high = arena_take(arena, room, sizeof forest->high[0]),
                              .speed = arena_take(arena, room, sizeof forest->speed[0]),
                              .fastest = arena_take(arena, room, sizeof forest->fastest[0]),
                              .order = arena_take(arena, room, sizeof forest->order[0]),
                              .crowd = arena_take(arena, room, sizeof forest->crowd[0]),
                              .island = arena_take(arena, room, sizeof forest->island[0]),
                              .members = arena_take(arena, room, sizeof forest->members[0]),
                              .along = arena_take(arena, room, sizeof forest->along[0]),
                              .some = arena_take(arena, room, sizeof forest->some[0]),
                              .results = arena_take(arena, room, sizeof forest->results[0])};
    if (arena->is_exhausted)
        return error_set(error, ERR_MEMORY, "%d bodies do not fit into memory", count);
    const struct dynamics_solver *solver = all[0]->solver;
    for (int i = 0; i < count; i++) {
        forest->all[i] = all[i];
        forest->order[i] = forest->crowd[i] = forest->island[i] = i;
        all[i]->creature = numbers ? numbers[i] : i;
        if (all[i]->solver != solver || (count > 1 && !solver->create_meeting))
            return error_set(error, ERR_UNAVAILABLE,
                             "bodies 0 and %d cannot be in one world: they need one solver that "
                             "lets bodies meet",
                             i);
    }
    if (count == 1)
        return 0;
    forest->meeting = solver->create_meeting(all, count, arena);
    if (!forest->meeting)
        return error_set(error, ERR_MEMORY, "%d bodies that meet do not fit into memory", count);
    return 0;
}

/* ---------------------------------------------------------------- islands */

static int do_overlap(const struct forest *f, int a, int b)
{
    const struct vec3 *low_a = &f->low[a], *high_a = &f->high[a];
    const struct vec3 *low_b = &f->low[b], *high_b = &f->high[b];
    return low_a->x <= high_b->x && low_b->x <= high_a->x && low_a->y <= high_b->y &&
           low_b->y <= high_a->y && low_a->z <= high_b->z && low_b->z <= high_a->z;
}

/* By insertion, since little changes from time to time. */
static void sort_along_x(const struct forest *f, int *some, int count)
{
    for (int i = 1; i < count; i++) {
        int moved = some[i], at = i;
        for (; at > 0 && f->low[some[at - 1]].x > f->low[moved].x; at--)
            some[at] = some[at - 1];
        some[at] = moved;
    }
}

/* Islands of some bodies, by their bounds; sorts them along x. */
static void find_islands(const struct forest *f, int *some, int count, int *island)
{
    sort_along_x(f, some, count);
    for (int i = 0; i < count; i++)
        island[some[i]] = some[i];
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count && f->low[some[k]].x <= f->high[some[i]].x; k++)
            if (do_overlap(f, some[i], some[k]))
                islands_join(island, some[i], some[k]);
    for (int i = 0; i < count; i++)
        island[some[i]] = islands_root(island, some[i]);
}

/* ---------------------------------------------------------------- bounds */

/* Its bounds within a step. A body that is gone has none: no other body overlaps with it. */
static void find_bounds(struct forest *f, int i)
{
    vec3_no_bounds(&f->low[i], &f->high[i]);
    if (!f->is_gone[i])
        f->all[i]->solver->sweep(f->all[i], &f->low[i], &f->high[i]);
}

/* Squares of the speed and the rate of turning of its fastest part. */
static void find_speeds(const struct dynamics *d, int part_count, double *speed, double *turning)
{
    *speed = *turning = 0;
    for (int k = 0; k < part_count; k++) {
        struct part_state s;
        dynamics_part_state(d, k, &s);
        *speed = det_max(*speed, vec3_dot(s.velocity_m_s, s.velocity_m_s));
        *turning = det_max(*turning, vec3_dot(s.spin_rad_s, s.spin_rad_s));
    }
}

/* It can go as fast as this meanwhile. */
static void widen(struct forest *f, const struct forest_tick *tick, int i, double speed)
{
    double by = SPEED_UP * (speed - f->speed[i]) * tick->steps * tick->dt_s;
    f->speed[i] = speed;
    f->low[i] = vec3_sub(f->low[i], (struct vec3){by, by, by});
    f->high[i] = vec3_add(f->high[i], (struct vec3){by, by, by});
}

/* Where each can be within the tick by itself. */
static void find_wide_bounds(struct forest *f, const struct forest_tick *tick, int i)
{
    double speed = 0, turning;
    find_bounds(f, i);
    f->low[i] = vec3_sub(f->low[i], (struct vec3){MARGIN_M, MARGIN_M, MARGIN_M});
    f->high[i] = vec3_add(f->high[i], (struct vec3){MARGIN_M, MARGIN_M, MARGIN_M});
    if (!f->is_gone[i])
        find_speeds(f->all[i], tick->part_counts[i], &speed, &turning);
    f->speed[i] = 0;
    widen(f, tick, i, sqrt(speed));
}

/* A collision can give a body the speed of the faster one: raises every body's speed to its crowd's
 * greatest. Returns 1 if any bound grew. */
static int pass_speeds_on(struct forest *f, const struct forest_tick *tick)
{
    int has_grown = 0;
    for (int i = 0; i < f->count; i++)
        f->fastest[f->crowd[i]] =
            f->crowd[i] == i ? f->speed[i] : det_max(f->fastest[f->crowd[i]], f->speed[i]);
    for (int i = 0; i < f->count; i++) {
        double fastest = f->fastest[f->crowd[i]];
        has_grown |= fastest > f->speed[i];
        widen(f, tick, i, fastest);
    }
    return has_grown;
}

/* The pairs of bodies that can come near one another within the tick. */
static void find_crowds(struct forest *f, const struct forest_tick *tick)
{
    if (!f->meeting)
        return;
    for (int i = 0; i < f->count; i++)
        find_wide_bounds(f, tick, i);
    do
        find_islands(f, f->order, f->count, f->crowd);
    while (pass_speeds_on(f, tick));
}

/* ---------------------------------------------------------------- steps */

/* The members of an island, which are among those of the crowd, in the order of places. */
static void step_island(struct forest *f, int island, int crowd_count)
{
    int count = 0;
    for (int k = 0; k < crowd_count; k++)
        if (f->island[f->members[k]] == island)
            f->some[count++] = f->all[f->members[k]];
    if (count == 1)
        f->results[0] = dynamics_step(f->some[0]);
    else
        f->some[0]->solver->step_together(f->meeting, f->some, count, f->results);
    for (int k = crowd_count; k-- > 0;)
        if (f->island[f->members[k]] == island)
            f->is_broken[f->members[k]] = f->results[--count];
}

/* A step of a crowd. Tells `after` of the bodies that took it, and returns its answer. */
static int step_crowd(struct forest *f, const struct forest_tick *tick, int count)
{
    int is_over = 0;
    for (int k = 0; k < count; k++)
        find_bounds(f, f->members[k]);
    find_islands(f, f->along, count, f->island);
    for (int k = 0; k < count; k++) {
        int i = f->members[k];
        if (f->island[i] == i && !f->is_gone[i])
            step_island(f, i, count);
    }
    for (int k = 0; k < count; k++) {
        int i = f->members[k];
        if (f->is_gone[i])
            continue;
        f->is_gone[i] = f->is_broken[i];
        is_over |= tick->after(tick->context, i);
    }
    return is_over;
}

static int is_resting(const struct forest *f, const struct forest_tick *tick, int i)
{
    double speed, turning;
    if (!tick->may_rest[i])
        return 0;
    find_speeds(f->all[i], tick->part_counts[i], &speed, &turning);
    return speed < REST_M_S * REST_M_S && turning < REST_RAD_S * REST_RAD_S;
}

/* All steps of a body that no other one can come near. */
static int tick_alone(struct forest *f, const struct forest_tick *tick, int i)
{
    int is_over = 0;
    f->island[i] = i;
    for (int s = 0; s < tick->steps && !is_over && !f->is_gone[i]; s++) {
        f->is_gone[i] = f->is_broken[i] = dynamics_step(f->all[i]);
        is_over = tick->after(tick->context, i);
    }
    return is_over;
}

/* All steps of those that can come near the first of them. */
static int tick_crowd(struct forest *f, const struct forest_tick *tick, int first)
{
    int count = 0, is_over = 0;
    for (int i = first; i < f->count; i++)
        if (f->crowd[i] == first)
            f->members[count] = f->along[count] = i, count++;
    if (count == 1 && is_resting(f, tick, first))
        return 0;
    if (tick->before)
        tick->before(tick->context, first);
    if (count == 1)
        return tick_alone(f, tick, first);
    for (int s = 0; s < tick->steps && !is_over; s++)
        is_over = step_crowd(f, tick, count);
    return is_over;
}

void forest_tick(struct forest *f, const struct forest_tick *tick)
{
    int is_over = 0;
    if (f->meeting && f->all[0]->solver->begin_meeting)
        f->all[0]->solver->begin_meeting(f->meeting);
    find_crowds(f, tick);
    for (int i = 0; i < f->count && !is_over; i++) {
        if (f->crowd[i] != i)
            continue;
        is_over = tick_crowd(f, tick, i);
        for (int k = i; tick->done && k < f->count; k++)
            if (f->crowd[k] == i)
                tick->done(tick->context, k);
    }
}

void forest_check(const struct forest *f)
{
    for (int i = 0; i < f->count; i++) {
        ENSURE(f->all[i]->solver == f->all[0]->solver, "body %d has a solver of its own", i);
        ENSURE(f->island[i] >= 0 && f->island[i] <= i && f->island[f->island[i]] == f->island[i],
               "body %d is in the island of %d", i, f->island[i]);
        ENSURE(f->crowd[i] >= 0 && f->crowd[i] <= i && f->crowd[f->island[i]] == f->crowd[i],
               "body %d is of the crowd of %d, and in the island of %d", i, f->crowd[i],
               f->island[i]);
        ENSURE(f->order[i] >= 0 && f->order[i] < f->count, "place %d of the order is body %d", i,
               f->order[i]);
        ENSURE(!f->is_broken[i] || f->is_gone[i], "body %d is broken and still there", i);
    }
}
