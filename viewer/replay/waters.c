/* See waters.h. */
#include "viewer/replay/waters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/store/run_reader.h"
#include "simulator/preserve/preserve_epoch.h"

/* Simulating. */
struct filming {
    struct waters *waters;
    double step_s, next_s, tick_s;
    int status;
};

static void *take(struct filming *f, size_t count, size_t size)
{
    f->waters->bytes += count * size;
    void *taken = f->waters->bytes > WATERS_BYTES_MAX ? NULL : calloc(count ? count : 1, size);
    f->status = taken ? f->status : ERR_LIMIT;
    return taken;
}

/* Room for one more in an array that doubles. */
static int make_room(struct filming *f, void *items, int count, int *room, size_t size)
{
    void **at = items;
    if (count < *room)
        return 1;
    int more = *room ? 2 * *room : 64;
    void *larger = realloc(*at, (size_t)more * size);
    if (!larger) {
        f->status = ERR_MEMORY;
        return 0;
    }
    *at = larger;
    *room = more;
    return 1;
}

static void take_parts(struct waters_moment *m, const struct preserve_view *view)
{
    for (int i = 0; i < view->phenotype->part_count; i++) {
        struct part_state s;
        dynamics_part_state(view->dynamics, i, &s);
        m->parts[m->part_count++] = (struct waters_part){
            (float)s.at_m.x, (float)s.at_m.y, (float)s.angle_rad,
            (float)view->phenotype->parts[i].width_m, (float)view->phenotype->parts[i].height_m};
    }
}

static void take_creatures(struct filming *f, struct waters_moment *m,
                           const struct preserve_view *views, int count)
{
    size_t parts = 0;
    for (int i = 0; i < count; i++)
        parts += (size_t)views[i].phenotype->part_count;
    m->creatures = take(f, (size_t)count, sizeof m->creatures[0]);
    m->parts = take(f, parts, sizeof m->parts[0]);
    for (int i = 0; i < count && f->status == 0; i++) {
        const struct creature_state *c = views[i].creature;
        struct vec3 centre = dynamics_centre_of_mass(views[i].dynamics);
        m->creatures[m->creature_count++] = (struct waters_creature){
            .id = c->descent.id,
            .family = c->descent.family,
            .is_hunter = c->descent.is_hunter,
            .generation = c->descent.generation,
            .children = c->children,
            .is_eating = views[i].is_eating,
            .fullness = (float)views[i].fullness,
            .age_s = (float)(m->time_s - (double)c->born_tick * f->tick_s),
            .x_m = (float)centre.x,
            .y_m = (float)centre.y,
            .mouth_x_m = (float)views[i].mouth.x,
            .mouth_y_m = (float)views[i].mouth.y,
            .mouth_m = (float)views[i].phenotype->parts[views[i].phenotype->head].width_m,
            .first_part = m->part_count,
            .part_count = views[i].phenotype->part_count};
        take_parts(m, &views[i]);
    }
}

static void take_things(struct filming *f, struct waters_moment *m,
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
        m->eggs[m->egg_count++] = (struct waters_thing){
            (float)egg->x_m, (float)egg->y_m, 0.12F,
            (float)fmin(lain_s / fmax(params->preserve_hatch_s, 1e-9), 1), egg->descent.family};
    }
    for (int i = 0; i < state->carcass_count && f->status == 0; i++) {
        const struct carcass *c = &state->carcasses[i];
        m->carcasses[m->carcass_count++] =
            (struct waters_thing){(float)c->x_m, (float)c->y_m, (float)c->radius_m, 0, 0};
    }
    for (int i = 0; i < state->plant_count && f->status == 0; i++)
        m->plants[i] = (unsigned char)fmin(255 * (double)state->plants[i] / most, 255);
}

static int look(void *context, const struct preserve_state *state,
                const struct preserve_view *views, int count, double daylight)
{
    struct filming *f = context;
    struct waters *w = f->waters;
    double time_s = (double)state->tick * f->tick_s;
    if (time_s < f->next_s - 1e-9 || time_s > w->to_s + 1e-9 || f->status != 0 ||
        !make_room(f, &w->moments, w->moment_count, &w->moment_room, sizeof w->moments[0]))
        return 0;
    struct waters_moment *m = &w->moments[w->moment_count++];
    *m = (struct waters_moment){.time_s = time_s, .daylight = daylight};
    take_creatures(f, m, views, count);
    take_things(f, m, state);
    f->next_s += f->step_s;
    return 0;
}

static void hear(void *context, const struct preserve_event *event)
{
    struct filming *f = context;
    struct waters *w = f->waters;
    if (event->kind != PRESERVE_DIED ||
        !make_room(f, &w->deaths, w->death_count, &w->death_room, sizeof w->deaths[0]))
        return;
    double x_m = event->creature->x_m, y_m = event->creature->y_m;
    const struct waters_moment *last = w->moment_count ? &w->moments[w->moment_count - 1] : NULL;
    for (int i = 0; last && i < last->creature_count; i++)
        if (last->creatures[i].id == event->creature->descent.id) {
            x_m = last->creatures[i].x_m;
            y_m = last->creatures[i].y_m;
        }
    w->deaths[w->death_count++] = (struct waters_death){(double)event->tick * f->tick_s, (float)x_m,
                                                        (float)y_m, event->cause};
}

/* The epoch's order; where the state is not kept it is that of the one before. */
static int live_epoch(struct filming *f, struct run_reader *reader, uint32_t epoch,
                      struct packed_bytes *state, struct preserve_memory *memory,
                      struct error *error)
{
    struct waters *w = f->waters;
    struct preserve_state world;
    struct packed_bytes traveller = {NULL, 0};
    struct preserve_watcher watcher = {.hear = hear, .look = look, .context = f};
    struct epoch_order *order = epoch_order_create();
    uint64_t digest;
    if (!order)
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    order->world = (uint32_t)w->world;
    order->epoch = epoch;
    int status = run_reader_get_epoch(reader, order, &digest, error);
    if (!status && !order->state.bytes) {
        order->state = *state;
        *state = (struct packed_bytes){NULL, 0};
    }
    if (!status)
        status = preserve_epoch_begin(&world, &w->params, 0, order, memory, error);
    if (!status) {
        status =
            preserve_epoch_live(&world, &w->params, order, &watcher, memory, &traveller, error);
        packed_bytes_deinit(state);
        if (!status && preserve_state_pack(&world, state))
            status = error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
        w->recorded++;
        w->verified += !status && preserve_digest(&world) == digest;
        preserve_state_deinit(&world);
    }
    if (!status && f->status)
        status = error_set(error, f->status, "world %d: so long a time does not fit into memory",
                           w->world);
    packed_bytes_deinit(&traveller);
    epoch_order_destroy(order);
    return status;
}

static int simulate(struct filming *f, struct run_reader *reader,
                    const struct waters_request *request, struct preserve_memory *memory,
                    struct error *error)
{
    struct waters *w = f->waters;
    struct packed_bytes state = {NULL, 0};
    uint32_t first;
    int status =
        run_reader_find_state(reader, (uint32_t)w->world, (uint32_t)(request->from_s / EPOCH_S),
                              &w->params, &first, error);
    if (status)
        return status;
    preserve_apply(&w->params);
    w->columns = (int)(w->params.preserve_width_m / PLANTS_CELL_M + 0.5);
    w->rows = (int)(w->params.preserve_height_m / PLANTS_CELL_M + 0.5);
    f->tick_s = 1 / w->params.simulation_brain_hz;
    for (uint32_t epoch = first + 1; !status && (epoch - 1) * EPOCH_S < request->to_s - 1e-9;
         epoch++)
        status = live_epoch(f, reader, epoch, &state, memory, error);
    /* a run may end before the time that is asked for */
    if (status == ERR_MISSING && w->moment_count > 0)
        status = 0;
    packed_bytes_deinit(&state);
    if (!status && w->moment_count == 0)
        status = error_set(error, ERR_MISSING, "world %d has not come so far", w->world);
    return status;
}

int waters_create(struct waters **result, const struct waters_request *request, struct error *error)
{
    struct preserve_memory memory;
    struct run_reader *reader;
    struct waters *w = *result = calloc(1, sizeof *w);
    struct filming f = {.waters = w, .step_s = request->step_s, .next_s = request->from_s};
    if (!w || preserve_memory_init(&memory)) {
        free(w);
        *result = NULL;
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    }
    w->world = request->world;
    w->from_s = request->from_s;
    w->to_s = request->to_s;
    int status = run_reader_open(&reader, request->run_directory, error);
    if (!status)
        status = simulate(&f, reader, request, &memory, error);
    run_reader_close(reader);
    preserve_memory_deinit(&memory);
    if (status) {
        waters_destroy(w);
        *result = NULL;
    }
    return status;
}

void waters_destroy(struct waters *w)
{
    for (int i = 0; w && i < w->moment_count; i++) {
        free(w->moments[i].creatures);
        free(w->moments[i].parts);
        free(w->moments[i].eggs);
        free(w->moments[i].carcasses);
        free(w->moments[i].plants);
    }
    if (w) {
        free(w->moments);
        free(w->deaths);
    }
    free(w);
}
