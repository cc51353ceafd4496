/* See forest.h. Sizes: 2 to 4 creatures in a contest, some hundred in a preserve, of which a few
 * touch. */
#include "simulator/body/forest.h"

#include <math.h>

#include "simulator/body/dynamics_solver.h"

/* How far beyond its bounds a body may come in the steps of a tick: its fastest part may go twice
 * as fast as at the tick's beginning, and this farther. */
#define MARGIN_M 0.02
#define SPEED_UP 2
/* A thing that moves more slowly, and that nobody is near, rests. */
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
                              .order = arena_take(arena, room, sizeof forest->order[0]),
                              .island = arena_take(arena, room, sizeof forest->island[0]),
                              .is_crowded = arena_take(arena, room, sizeof forest->is_crowded[0]),
                              .some = arena_take(arena, room, sizeof forest->some[0]),
                              .results = arena_take(arena, room, sizeof forest->results[0])};
    if (!forest->all || !forest->is_gone || !forest->is_broken || !forest->low || !forest->high ||
        !forest->order || !forest->island || !forest->is_crowded || !forest->some ||
        !forest->results)
        return error_set(error, ERR_MEMORY, "%d bodies do not fit into memory", count);
    const struct dynamics_solver *solver = all[0]->solver;
    for (int i = 0; i < count; i++) {
        forest->all[i] = all[i];
        forest->order[i] = forest->island[i] = i;
        forest->is_crowded[i] = 1;
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

/* The lowest number of an island, to which all links lead downwards. */
static int root_of(int *island, int i)
{
    while (island[i] != i)
        i = island[i] = island[island[i]];
    return i;
}

static void join(int *island, int a, int b)
{
    a = root_of(island, a);
    b = root_of(island, b);
    if (a < b)
        island[b] = a;
    else
        island[a] = b;
}

static int do_overlap(const struct forest *f, int a, int b)
{
    const struct vec3 *low_a = &f->low[a], *high_a = &f->high[a];
    const struct vec3 *low_b = &f->low[b], *high_b = &f->high[b];
    return low_a->x <= high_b->x && low_b->x <= high_a->x && low_a->y <= high_b->y &&
           low_b->y <= high_a->y && low_a->z <= high_b->z && low_b->z <= high_a->z;
}

/* By insertion, since little changes from step to step. */
static void sort_along_x(struct forest *f)
{
    for (int i = 1; i < f->count; i++) {
        int moved = f->order[i], at = i;
        for (; at > 0 && f->low[f->order[at - 1]].x > f->low[moved].x; at--)
            f->order[at] = f->order[at - 1];
        f->order[at] = moved;
    }
}

/* Bounds of bodies that are nowhere: none overlaps with them. */
static void clear_bounds(struct forest *f, int i)
{
    f->low[i] = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    f->high[i] = vec3_scale(f->low[i], -1);
}

/* Calls `meet` for each two of them whose bounds overlap, in the order along x. */
static void for_each_pair(struct forest *f, void (*meet)(struct forest *f, int a, int b))
{
    sort_along_x(f);
    for (int i = 0; i < f->count; i++)
        for (int k = i + 1; k < f->count && f->low[f->order[k]].x <= f->high[f->order[i]].x; k++)
            if (do_overlap(f, f->order[i], f->order[k]))
                meet(f, f->order[i], f->order[k]);
}

static void join_islands(struct forest *f, int a, int b)
{
    join(f->island, a, b);
}

static void find_islands(struct forest *f)
{
    for (int i = 0; i < f->count; i++) {
        f->island[i] = i;
        clear_bounds(f, i);
        if (!f->is_gone[i] && f->is_crowded[i])
            f->all[i]->solver->sweep(f->all[i], &f->low[i], &f->high[i]);
    }
    for_each_pair(f, join_islands);
    for (int i = 0; i < f->count; i++)
        f->island[i] = root_of(f->island, i);
}

/* ---------------------------------------------------------------- steps */

static void step_island(struct forest *f, int island)
{
    int count = 0;
    for (int i = island; i < f->count; i++)
        if (f->island[i] == island)
            f->some[count++] = f->all[i];
    if (count == 1) {
        f->is_broken[island] = dynamics_step(f->some[0]);
        return;
    }
    f->some[0]->solver->step_together(f->meeting, f->some, count, f->results);
    for (int i = f->count; i-- > island;)
        if (f->island[i] == island)
            f->is_broken[i] = f->results[--count];
}

/* A step of the crowd. */
static int step_crowd(struct forest *f)
{
    int has_broken = 0;
    if (f->meeting) {
        if (f->all[0]->solver->begin_meeting)
            f->all[0]->solver->begin_meeting(f->meeting);
        find_islands(f);
    }
    for (int i = 0; i < f->count; i++)
        if (f->island[i] == i && !f->is_gone[i] && f->is_crowded[i])
            step_island(f, i);
    for (int i = 0; i < f->count; i++) {
        has_broken |= f->is_broken[i] && !f->is_gone[i];
        f->is_gone[i] |= f->is_broken[i];
    }
    return has_broken;
}

int forest_step(struct forest *f)
{
    for (int i = 0; i < f->count; i++)
        f->is_crowded[i] = 1;
    return step_crowd(f);
}

/* ---------------------------------------------------------------- ticks */

/* Squares of the speed and the rate of turning of its fastest part. */
static void find_speeds(const struct dynamics *d, int part_count, double *speed, double *turning)
{
    *speed = *turning = 0;
    for (int k = 0; k < part_count; k++) {
        struct part_state s;
        dynamics_part_state(d, k, &s);
        *speed = fmax(*speed, vec3_dot(s.velocity_m_s, s.velocity_m_s));
        *turning = fmax(*turning, vec3_dot(s.spin_rad_s, s.spin_rad_s));
    }
}

static void crowd(struct forest *f, int a, int b)
{
    f->is_crowded[a] = f->is_crowded[b] = 1;
}

/* Whom somebody can come near within the tick. */
static void find_crowd(struct forest *f, const struct forest_tick *tick)
{
    for (int i = 0; i < f->count; i++) {
        double speed, turning;
        f->is_crowded[i] = 0;
        f->island[i] = i;
        clear_bounds(f, i);
        if (f->is_gone[i] || !f->meeting)
            continue;
        find_speeds(f->all[i], tick->part_counts[i], &speed, &turning);
        double by = MARGIN_M + SPEED_UP * sqrt(speed) * tick->steps * tick->dt_s;
        f->all[i]->solver->sweep(f->all[i], &f->low[i], &f->high[i]);
        f->low[i] = vec3_sub(f->low[i], (struct vec3){by, by, by});
        f->high[i] = vec3_add(f->high[i], (struct vec3){by, by, by});
    }
    if (f->meeting)
        for_each_pair(f, crowd);
}

static int is_resting(const struct forest *f, const struct forest_tick *tick, int i)
{
    double speed, turning;
    if (!tick->may_rest[i])
        return 0;
    find_speeds(f->all[i], tick->part_counts[i], &speed, &turning);
    return speed < REST_M_S * REST_M_S && turning < REST_RAD_S * REST_RAD_S;
}

/* The steps of one that is alone. */
static int step_loner(struct forest *f, const struct forest_tick *tick, int i)
{
    int is_over = 0, rests = is_resting(f, tick, i);
    for (int s = 0; s < tick->steps && !f->is_gone[i] && !rests && !is_over; s++) {
        f->is_gone[i] = f->is_broken[i] = dynamics_step(f->all[i]);
        is_over = tick->after(tick->context, i);
    }
    return is_over;
}

static void announce(const struct forest_tick *tick, int place)
{
    if (tick->before)
        tick->before(tick->context, place);
}

void forest_tick(struct forest *f, const struct forest_tick *tick)
{
    int is_over = 0, first = f->count;
    find_crowd(f, tick);
    for (int i = 0; i < f->count && !is_over; i++) {
        if (f->is_crowded[i]) {
            first = i < first ? i : first;
            continue;
        }
        announce(tick, i);
        is_over = step_loner(f, tick, i);
    }
    if (first < f->count && !is_over)
        announce(tick, first);
    for (int s = 0; s < tick->steps && first < f->count && !is_over; s++) {
        step_crowd(f);
        for (int i = 0; i < f->count; i++)
            if (f->is_crowded[i])
                is_over |= tick->after(tick->context, i);
    }
}

void forest_check(const struct forest *f)
{
    for (int i = 0; i < f->count; i++) {
        ENSURE(f->all[i]->solver == f->all[0]->solver, "body %d has a solver of its own", i);
        ENSURE(f->island[i] >= 0 && f->island[i] <= i && f->island[f->island[i]] == f->island[i],
               "body %d is in the island of %d", i, f->island[i]);
        ENSURE(f->order[i] >= 0 && f->order[i] < f->count, "place %d of the order is body %d", i,
               f->order[i]);
        ENSURE(!f->is_broken[i] || f->is_gone[i], "body %d is broken and still there", i);
    }
}
