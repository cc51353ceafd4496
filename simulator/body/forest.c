/* See forest.h. Sizes: 2 to 4 creatures in a contest, some hundred in a preserve, of which a few touch. */
#include "simulator/body/forest.h"

#include <math.h>

#include "simulator/body/dynamics_solver.h"

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
                              .some = arena_take(arena, room, sizeof forest->some[0]),
                              .results = arena_take(arena, room, sizeof forest->results[0])};
    if (!forest->all || !forest->is_gone || !forest->is_broken || !forest->low || !forest->high ||
        !forest->order || !forest->island || !forest->some || !forest->results)
        return error_set(error, ERR_MEMORY, "%d bodies do not fit into memory", count);
    const struct dynamics_solver *solver = all[0]->solver;
    for (int i = 0; i < count; i++) {
        forest->all[i] = all[i];
        forest->order[i] = forest->island[i] = i;
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

static void find_islands(struct forest *f)
{
    for (int i = 0; i < f->count; i++) {
        f->island[i] = i;
        f->low[i] = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
        f->high[i] = vec3_scale(f->low[i], -1);
        if (!f->is_gone[i])
            f->all[i]->solver->sweep(f->all[i], &f->low[i], &f->high[i]);
    }
    sort_along_x(f);
    for (int i = 0; i < f->count; i++)
        for (int k = i + 1; k < f->count && f->low[f->order[k]].x <= f->high[f->order[i]].x; k++)
            if (do_overlap(f, f->order[i], f->order[k]))
                join(f->island, f->order[i], f->order[k]);
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

int forest_step(struct forest *f)
{
    int has_broken = 0;
    if (f->meeting) {
        if (f->all[0]->solver->begin_meeting)
            f->all[0]->solver->begin_meeting(f->meeting);
        find_islands(f);
    }
    for (int i = 0; i < f->count; i++)
        if (f->island[i] == i && !f->is_gone[i])
            step_island(f, i);
    for (int i = 0; i < f->count; i++) {
        has_broken |= f->is_broken[i] && !f->is_gone[i];
        f->is_gone[i] |= f->is_broken[i];
    }
    return has_broken;
}

int forest_island_size(const struct forest *f, int place)
{
    int size = 0;
    for (int i = 0; i < f->count; i++)
        size += f->island[i] == f->island[place];
    return size;
}

void forest_momentum(const struct forest *f, struct vec3 *linear, struct vec3 *angular)
{
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < f->count; i++) {
        struct vec3 p, l;
        dynamics_momentum(f->all[i], &p, &l);
        *linear = vec3_add(*linear, p);
        *angular = vec3_add(*angular, l);
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
