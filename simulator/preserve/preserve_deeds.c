#include "simulator/preserve/preserve_epoch.h"

#include <math.h>
#include <string.h>

#include "common/math/detmath.h"
#include "simulator/preserve/preserve_world.h"

/* The share of a full reserve that a creature has when it is put in. */
#define PUT_SHARE 0.4
/* Places that are tried for a creature that is moved, farther and farther from the one that is
 * wanted. */
#define MOVE_WAY_M  3.0
#define MOVE_PLACES 32
/* Two are apart when their middles are so many times the sum of the square roots of their areas
 * away. */
#define APART 1.5

struct doing {
    struct preserve_state *state;
    const struct params *params;
    struct preserve_memory *memory;
    const struct preserve_watcher *watcher;
    struct error *error;
};

/* Nothing is done, and that is no error: 0. */
static int refuse(const struct doing *doing, const struct epoch_deed *deed, const char *why)
{
    if (doing->watcher && doing->watcher->refuse)
        doing->watcher->refuse(doing->watcher->context, deed, why);
    return 0;
}

/* ---- put ---- */

static int do_put(struct doing *doing, const struct epoch_deed *deed)
{
    struct preserve_state *s = doing->state;
    const struct params *params = doing->params;
    double area_m2 = preserve_area_of(deed->genome, params, doing->memory);
    if (!(area_m2 > 0))
        return refuse(doing, deed, "it cannot be grown");
    if (s->egg_count == PRESERVE_EGGS_MAX)
        return error_set(doing->error, ERR_LIMIT, "an egg is put where %d are", s->egg_count);
    struct creature_state *egg = preserve_state_add_egg(s);
    if (!egg || (genome_init(&egg->genome), genome_copy(&egg->genome, deed->genome)) != 0)
        return error_memory(doing->error);
    preserve_give_mouth(&egg->genome, MOUTH_PLANTS);
    uint64_t id = egg->descent.id = s->next_id++;
    /* above the families of founders, and by their ids */
    egg->descent.family = 1000000 * (int)(1 + (id >> 40) % 2000) + (int)(id % 1000000);
    egg->x_m = deed->x_m;
    egg->y_m = deed->y_m;
    egg->born_tick = s->tick;
    egg->body = egg->body_whole = microjoules_of(params->preserve_body_j_m2 * area_m2);
    egg->reserve = microjoules_of(PUT_SHARE * params->preserve_reserve_j_m2 * area_m2);
    s->ledger.arrivals += egg->body + egg->reserve;
    return 0;
}

/* ---- feed ---- */

static int is_near(const struct epoch_deed *deed, int column, int row)
{
    double dx = (column + 0.5) * PLANTS_CELL_M - deed->x_m;
    double dy = (row + 0.5) * PLANTS_CELL_M - deed->y_m;
    return dx * dx + dy * dy <= DEED_FEED_M * DEED_FEED_M;
}

/* Cell by cell, evenly, as far as there is room. */
static int do_feed(struct doing *doing, const struct epoch_deed *deed)
{
    struct preserve_state *s = doing->state;
    struct plants plants;
    int near = 0;
    arena_reset(&doing->memory->bodies);
    if (plants_create(&plants, doing->params, &doing->memory->bodies) != 0)
        return error_memory(doing->error);
    for (int i = 0; i < s->plant_count; i++)
        near += is_near(deed, i % plants.columns, i / plants.columns);
    for (int i = 0; i < s->plant_count; i++) {
        microjoules room = plants.most - s->plants[i];
        if (!is_near(deed, i % plants.columns, i / plants.columns) || room <= 0)
            continue;
        microjoules given = deed->energy_uj / near < room ? deed->energy_uj / near : room;
        s->plants[i] += given;
        s->ledger.arrivals += given;
    }
    return near == 0 ? refuse(doing, deed, "no plants grow there") : 0;
}

/* ---- move, remove ---- */

/* A measure of its body: a square as large has this side. */
static double side_of(const struct doing *doing, const struct creature_state *c)
{
    return sqrt(joules_of(c->body_whole) / doing->params->preserve_body_j_m2);
}

static int has_room(const struct doing *doing, int one, double x_m, double y_m)
{
    const struct preserve_state *s = doing->state;
    double side_m = side_of(doing, &s->living[one]);
    if (x_m < side_m || y_m < side_m || x_m > doing->params->preserve_width_m - side_m ||
        y_m > doing->params->preserve_height_m - side_m)
        return 0;
    for (int i = 0; i < s->living_count; i++) {
        double dx = s->living[i].x_m - x_m, dy = s->living[i].y_m - y_m;
        double least = APART * (side_m + side_of(doing, &s->living[i]));
        if (i != one && dx * dx + dy * dy < least * least)
            return 0;
    }
    return 1;
}

/* The first two coordinates of its motion are its place; each is followed by its rate. A creature
 * without motion yet is put at its place. */
static void place(struct creature_state *c, double x_m, double y_m)
{
    double dx = x_m - c->x_m, dy = y_m - c->y_m;
    if (c->number_count >= 4) {
        c->numbers[0] += dx;
        c->numbers[2] += dy;
    }
    c->x_m = x_m;
    c->y_m = y_m;
    c->from_x_m += dx;
    c->from_y_m += dy;
}

static int do_move(struct doing *doing, const struct epoch_deed *deed)
{
    int i = preserve_state_find_living(doing->state, deed->life);
    if (i < 0)
        return refuse(doing, deed, "it does not live here");
    for (int k = 0; k < MOVE_PLACES; k++) {
        double way_m = MOVE_WAY_M * k / MOVE_PLACES, sine, cosine;
        det_sincos(2.4 * k, &sine, &cosine);
        double x_m = deed->x_m + way_m * cosine, y_m = deed->y_m + way_m * sine;
        if (!has_room(doing, i, x_m, y_m))
            continue;
        place(&doing->state->living[i], x_m, y_m);
        return 0;
    }
    return refuse(doing, deed, "there is no room");
}

void preserve_remove(struct preserve_state *s, const struct params *params, int i,
                     const struct preserve_watcher *watcher)
{
    struct creature_state *c = &s->living[i];
    struct preserve_event event = {.kind = PRESERVE_DIED,
                                   .tick = s->tick,
                                   .creature = c,
                                   .cause = DEATH_REMOVED,
                                   .x_m = c->x_m,
                                   .y_m = c->y_m,
                                   .area_m2 =
                                       joules_of(c->body_whole) / params->preserve_body_j_m2};
    if (watcher && watcher->hear)
        watcher->hear(watcher->context, &event);
    s->counts.deaths[DEATH_REMOVED]++;
    creature_state_deinit(c);
    memmove(c, c + 1, (size_t)(s->living_count - i - 1) * sizeof *c);
    s->living_count--;
}

static int do_remove(struct doing *doing, const struct epoch_deed *deed)
{
    struct preserve_state *s = doing->state;
    int i = preserve_state_find_living(s, deed->life);
    if (i < 0)
        return refuse(doing, deed, "it does not live here");
    s->ledger.departures += s->living[i].reserve + s->living[i].body;
    preserve_remove(s, doing->params, i, doing->watcher);
    return 0;
}

int preserve_do(struct preserve_state *state, const struct params *params,
                const struct epoch_order *order, struct preserve_memory *memory,
                const struct preserve_watcher *watcher, struct error *error)
{
    /* NULL: the order has the creatures that mouths spare, and nothing is to be done */
    static int (*const acts[DEED_COUNT])(struct doing *,
                                         const struct epoch_deed *) = {[DEED_put] = do_put,
                                                                       [DEED_feed] = do_feed,
                                                                       [DEED_move] = do_move,
                                                                       [DEED_remove] = do_remove};
    struct doing doing = {state, params, memory, watcher, error};
    int status = 0;
    for (int i = 0; i < order->deed_count && status == 0; i++)
        if (acts[order->deeds[i].kind])
            status = acts[order->deeds[i].kind](&doing, &order->deeds[i]);
    return status;
}
