/* Films: see preserve_replay.h. */
#include "viewer/replay/preserve_replay.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/math/detmath.h"
#include "common/rows.h"

/* Rails shorter than that are not seen; and how wide they are drawn. */
#define RAIL_LEAST_M 0.01
#define RAIL_WIDTH_M 0.015F

static void *take(struct preserve_film *f, size_t count, size_t size)
{
    f->waters->bytes += count * size;
    void *taken = f->waters->bytes > WATERS_BYTES_MAX ? NULL : calloc(count ? count : 1, size);
    f->status = taken ? f->status : ERR_LIMIT;
    return taken;
}

/* Where a point of the world at birth that is fixed to a part is now: it stretches with the
 * part. */
static struct vec3 carried(const struct preserve_view *view, int index, struct vec3 point)
{
    const struct part *part = &view->phenotype->parts[index];
    struct part_state now;
    dynamics_part_state(view->dynamics, index, &now);
    double sine, cosine, x = point.x - part->centre.x, y = point.y - part->centre.y;
    det_sincos(part->angle_rad, &sine, &cosine);
    double grown = det_exp(dynamics_part_stretch(view->dynamics, index));
    double along = (cosine * x + sine * y) * grown, across = (cosine * y - sine * x) / grown;
    det_sincos(now.angle_rad, &sine, &cosine);
    return (struct vec3){now.at_m.x + cosine * along - sine * across,
                         now.at_m.y + sine * along + cosine * across, 0};
}

/* The rail of a joint that slides, from its place on the parent to its place on the part. */
static void take_rail(struct preserve_replay_moment *m, const struct preserve_view *view, int i)
{
    const struct part *part = &view->phenotype->parts[i];
    if (part->parent < 0)
        return;
    struct vec3 a = carried(view, part->parent, part->anchor);
    struct vec3 b = carried(view, i, part->anchor);
    double length_m = hypot(b.x - a.x, b.y - a.y);
    if (length_m > RAIL_LEAST_M)
        m->parts[m->part_count++] = (struct preserve_replay_part){
            (float)(a.x + b.x) / 2, (float)(a.y + b.y) / 2, (float)det_atan2(b.y - a.y, b.x - a.x),
            (float)length_m, RAIL_WIDTH_M};
}

static void take_parts(struct preserve_replay_moment *m, const struct preserve_view *view)
{
    for (int i = 0; i < view->phenotype->part_count; i++) {
        struct part_state s;
        dynamics_part_state(view->dynamics, i, &s);
        double grown = det_exp(dynamics_part_stretch(view->dynamics, i));
        m->parts[m->part_count++] =
            (struct preserve_replay_part){(float)s.at_m.x, (float)s.at_m.y, (float)s.angle_rad,
                                          (float)(view->phenotype->parts[i].width_m * grown),
                                          (float)(view->phenotype->parts[i].height_m / grown)};
        take_rail(m, view, i);
    }
}

static void take_creatures(struct preserve_film *f, struct preserve_replay_moment *m,
                           const struct preserve_state *state, const struct preserve_view *views,
                           int count)
{
    size_t parts = 0, mouths = 0;
    for (int i = 0; i < count; i++) {
        parts += 2 * (size_t)views[i].phenotype->part_count; /* with rails */
        mouths += (size_t)views[i].mouth_count;
    }
    m->creatures = take(f, (size_t)count, sizeof m->creatures[0]);
    m->parts = take(f, parts, sizeof m->parts[0]);
    m->mouths = take(f, mouths, sizeof m->mouths[0]);
    for (int i = 0; i < count && f->status == 0; i++) {
        const struct creature_state *c = views[i].creature;
        struct vec3 centre = dynamics_centre_of_mass(views[i].dynamics);
        m->creatures[m->creature_count++] = (struct preserve_replay_creature){
            .id = c->descent.id,
            .mother = c->descent.mother,
            .father = c->descent.father,
            .family = c->descent.family,
            .form = preserve_form_of(preserve_topology(views[i].phenotype, &c->genome)),
            .is_hunter = genome_has_mouth(&c->genome, MOUTH_FLESH),
            .is_spared = preserve_state_is_spared(state, c->descent.id),
            .generation = c->descent.generation,
            .children = c->children,
            .fullness = (float)views[i].fullness,
            .born_s = (float)((double)c->born_tick * f->tick_s),
            .x_m = (float)centre.x,
            .y_m = (float)centre.y,
            .reserve_j = (float)joules_of(c->reserve),
            .body_j = (float)joules_of(c->body),
            .whole_j = (float)joules_of(c->body_whole),
            .bitten_j = (float)joules_of(c->bitten),
            .way_m = (float)c->way_m,
            .first_part = m->part_count,
            .first_mouth = m->mouth_count,
            .mouth_count = views[i].mouth_count};
        for (int food = 0; food < FOOD_COUNT; food++)
            m->creatures[i].gained_j[food] = (float)joules_of(c->gained[food]);
        take_parts(m, &views[i]);
        for (int k = 0; k < views[i].mouth_count; k++) {
            const struct preserve_mouth *mouth = &views[i].mouths[k];
            m->mouths[m->mouth_count++] = (struct preserve_replay_mouth){
                (float)mouth->at.x, (float)mouth->at.y, (float)mouth->width_m, mouth->kind,
                mouth->is_eating};
        }
        m->creatures[i].part_count = m->part_count - m->creatures[i].first_part;
    }
}

static void take_things(struct preserve_film *f, struct preserve_replay_moment *m,
                        const struct preserve_state *state)
{
    const struct params *params = &f->waters->params;
    double most = params->preserve_plants_j_m2 * PLANTS_CELL_M * PLANTS_CELL_M * 1e6;
    m->eggs = take(f, (size_t)state->egg_count, sizeof m->eggs[0]);
    m->carcasses = take(f, (size_t)state->carcass_count, sizeof m->carcasses[0]);
    m->plants = take(f, (size_t)state->plant_count, 1);
    for (int i = 0; i < state->egg_count && f->status == 0; i++) {
        const struct creature_state *egg = &state->eggs[i];
        double lain_s = (double)(state->tick - egg->born_tick) * f->tick_s;
        m->eggs[m->egg_count++] = (struct preserve_replay_thing){
            (float)egg->x_m,
            (float)egg->y_m,
            0.12F,
            (float)fmin(lain_s / fmax(params->preserve_hatch_s, 1e-9), 1),
            egg->descent.family,
            egg->descent.id};
    }
    for (int i = 0; i < state->carcass_count && f->status == 0; i++) {
        const struct carcass *c = &state->carcasses[i];
        m->carcasses[m->carcass_count++] = (struct preserve_replay_thing){
            (float)c->x_m, (float)c->y_m, (float)c->radius_m, 0, 0, 0};
    }
    for (int i = 0; i < state->plant_count && f->status == 0; i++)
        m->plants[i] = (unsigned char)fmin(255 * (double)state->plants[i] / most, 255);
}

static int look(void *context, const struct preserve_state *state,
                const struct preserve_view *views, int count, double daylight)
{
    struct preserve_film *f = context;
    struct preserve_replay *w = f->waters;
    double time_s = (double)state->tick * f->tick_s;
    if (f->stop && atomic_load(f->stop))
        f->status = ERR_BUSY;
    if (f->status != 0)
        return 1;
    double next_s = w->from_s + w->moment_count * w->step_s;
    if (time_s < next_s - 1e-9 || time_s > w->to_s + 1e-9)
        return 0;
    struct preserve_replay_moment *m =
        rows_add(&w->moments, &w->moment_count, &w->moment_room, INT_MAX, sizeof *m);
    if (!m) {
        f->status = ERR_MEMORY;
        return 0;
    }
    *m = (struct preserve_replay_moment){.time_s = time_s, .daylight = daylight};
    take_creatures(f, m, state, views, count);
    take_things(f, m, state);
    if (f->show && f->status == 0)
        f->show(f->context, w);
    return 0;
}

static void add_event(struct preserve_film *f, struct preserve_replay_event **events, int *count,
                      int *room, struct preserve_replay_event event)
{
    struct preserve_replay_event *added = rows_add(events, count, room, INT_MAX, sizeof event);
    if (added)
        *added = event;
    else
        f->status = ERR_MEMORY;
}

static void hear(void *context, const struct preserve_event *event)
{
    struct preserve_film *f = context;
    const struct creature_state *c = event->creature;
    if (event->kind == PRESERVE_HATCHED || event->kind == PRESERVE_DIED)
        add_event(f, &f->events, &f->event_count, &f->event_room,
                  (struct preserve_replay_event){(double)event->tick * f->tick_s, c->descent.id,
                                                 (float)event->x_m, (float)event->y_m,
                                                 (float)joules_of(c->reserve + c->body),
                                                 event->kind == PRESERVE_DIED ? event->cause : -1});
}

/* ---- epochs ---- */

/* The state after the order becomes the film's. */
static int live(struct preserve_film *f, const struct epoch_order *order, uint64_t digest,
                struct error *error)
{
    struct preserve_state world;
    struct packed_bytes traveller = {NULL, 0};
    struct preserve_watcher watcher = {.hear = hear, .look = look, .context = f};
    int status = preserve_epoch_begin(&world, &f->params, 0, order, &f->memory, &watcher, error);
    if (status)
        return status;
    status =
        preserve_epoch_live(&world, &f->params, order, &watcher, &f->memory, &traveller, error);
    packed_bytes_deinit(&traveller);
    packed_bytes_deinit(&f->state);
    if (!status && !f->status && preserve_state_pack(&world, &f->state))
        status = error_memory(error);
    f->waters->recorded += digest != 0;
    f->waters->verified +=
        digest != 0 && !status && !f->status && preserve_digest(&world) == digest;
    preserve_state_deinit(&world);
    return status;
}

int preserve_film_live(struct preserve_film *f, struct preserve_replay *w,
                       const struct epoch_order *order, uint64_t digest, struct error *error)
{
    f->waters = w;
    f->tick_s = 1 / f->params.simulation_brain_hz;
    f->status = 0;
    int status = live(f, order, digest, error);
    while (!status && !f->status && w->event_count < f->event_count)
        add_event(f, &w->events, &w->event_count, &w->event_room, f->events[w->event_count]);
    if (!status)
        status = f->status;
    if (status && f->status)
        error_set(error, f->status,
                  f->status == ERR_BUSY ? "stopped" : "world %u: that does not fit into memory",
                  order->world);
    return status;
}

/* ---- the whole ---- */

void preserve_film_deinit(struct preserve_film *f)
{
    preserve_memory_deinit(&f->memory);
    packed_bytes_deinit(&f->state);
    free(f->events);
}

struct preserve_replay *preserve_film_begin(const struct preserve_film *f, int world, double from_s,
                                            double to_s, double step_s)
{
    ENSURE(to_s >= from_s && step_s > 0, "%g to %g s by %g s", from_s, to_s, step_s);
    struct preserve_replay *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->params = f->params;
    w->world = world;
    w->columns = (int)(f->params.preserve_width_m / PLANTS_CELL_M + 0.5);
    w->rows = (int)(f->params.preserve_height_m / PLANTS_CELL_M + 0.5);
    w->from_s = from_s;
    w->to_s = to_s;
    w->step_s = step_s;
    return w;
}

const char *preserve_replay_verdict(const struct preserve_replay *w)
{
    return w->verified != w->recorded ? "differs" : w->recorded ? "verified" : "other version";
}

void preserve_replay_destroy(struct preserve_replay *w)
{
    for (int i = 0; w && i < w->moment_count; i++) {
        free(w->moments[i].creatures);
        free(w->moments[i].parts);
        free(w->moments[i].mouths);
        free(w->moments[i].eggs);
        free(w->moments[i].carcasses);
        free(w->moments[i].plants);
    }
    for (int i = 0; w && i < w->epoch_count; i++)
        packed_bytes_deinit(&w->epochs[i].order);
    if (w) {
        free(w->epochs);
        free(w->moments);
        free(w->events);
    }
    free(w);
}
