/* See waters.h. */
#include "viewer/replay/waters.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/store/run_reader.h"
#include "simulator/preserve/preserve_epoch.h"

/* Rails shorter than that are not seen; and how wide they are drawn. */
#define RAIL_LEAST_M 0.01
#define RAIL_WIDTH_M 0.015F

/* SQLite is built for one thread at a time; a feed reads beside the window. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

struct waters_source {
    struct run_reader *reader;
    struct preserve_memory memory;
    struct params params;
    int world;
    uint32_t epoch; /* the next one */
    struct packed_bytes state;
    struct waters_event *events;
    int event_count, event_room;
};

/* Simulating. */
struct filming {
    struct waters_source *source;
    struct waters *waters;
    atomic_int *stop;
    double tick_s;
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
    ENSURE(count >= 0 && *room >= count, "%d of %d", count, *room);
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
static void take_rail(struct waters_moment *m, const struct preserve_view *view, int i)
{
    const struct part *part = &view->phenotype->parts[i];
    if (part->parent < 0)
        return;
    struct vec3 a = carried(view, part->parent, part->anchor);
    struct vec3 b = carried(view, i, part->anchor);
    double length_m = hypot(b.x - a.x, b.y - a.y);
    if (length_m > RAIL_LEAST_M)
        m->parts[m->part_count++] = (struct waters_part){
            (float)(a.x + b.x) / 2, (float)(a.y + b.y) / 2, (float)det_atan2(b.y - a.y, b.x - a.x),
            (float)length_m, RAIL_WIDTH_M};
}

static void take_parts(struct waters_moment *m, const struct preserve_view *view)
{
    for (int i = 0; i < view->phenotype->part_count; i++) {
        struct part_state s;
        dynamics_part_state(view->dynamics, i, &s);
        double grown = det_exp(dynamics_part_stretch(view->dynamics, i));
        m->parts[m->part_count++] =
            (struct waters_part){(float)s.at_m.x, (float)s.at_m.y, (float)s.angle_rad,
                                 (float)(view->phenotype->parts[i].width_m * grown),
                                 (float)(view->phenotype->parts[i].height_m / grown)};
        take_rail(m, view, i);
    }
}

static void take_mouths(struct waters_moment *m, const struct preserve_view *view)
{
    for (int i = 0; i < view->mouth_count; i++) {
        const struct preserve_mouth *mouth = &view->mouths[i];
        m->mouths[m->mouth_count++] =
            (struct waters_mouth){(float)mouth->at.x, (float)mouth->at.y, (float)mouth->width_m,
                                  mouth->kind, mouth->is_eating};
    }
}

static void take_creatures(struct filming *f, struct waters_moment *m,
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
        m->creatures[m->creature_count++] = (struct waters_creature){
            .id = c->descent.id,
            .mother = c->descent.mother,
            .father = c->descent.father,
            .family = c->descent.family,
            .form = (int)(preserve_topology(views[i].phenotype, &c->genome) & INT32_MAX),
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
            .starved_j = (float)joules_of(c->starved),
            .way_m = (float)c->way_m,
            .first_part = m->part_count,
            .first_mouth = m->mouth_count,
            .mouth_count = views[i].mouth_count};
        for (int food = 0; food < FOOD_COUNT; food++)
            m->creatures[i].gained_j[food] = (float)joules_of(c->gained[food]);
        take_parts(m, &views[i]);
        take_mouths(m, &views[i]);
        m->creatures[i].part_count = m->part_count - m->creatures[i].first_part;
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
        m->eggs[m->egg_count++] =
            (struct waters_thing){(float)egg->x_m,
                                  (float)egg->y_m,
                                  0.12F,
                                  (float)fmin(lain_s / fmax(params->preserve_hatch_s, 1e-9), 1),
                                  egg->descent.family,
                                  egg->descent.id};
    }
    for (int i = 0; i < state->carcass_count && f->status == 0; i++) {
        const struct carcass *c = &state->carcasses[i];
        m->carcasses[m->carcass_count++] =
            (struct waters_thing){(float)c->x_m, (float)c->y_m, (float)c->radius_m, 0, 0, 0};
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
    if (f->stop && atomic_load(f->stop))
        f->status = ERR_BUSY;
    if (f->status != 0)
        return 1;
    double next_s = w->from_s + w->moment_count * w->step_s;
    if (time_s < next_s - 1e-9 || time_s > w->to_s + 1e-9 ||
        !make_room(f, &w->moments, w->moment_count, &w->moment_room, sizeof w->moments[0]))
        return 0;
    struct waters_moment *m = &w->moments[w->moment_count++];
    *m = (struct waters_moment){.time_s = time_s, .daylight = daylight};
    take_creatures(f, m, state, views, count);
    take_things(f, m, state);
    return 0;
}

static void hear(void *context, const struct preserve_event *event)
{
    struct filming *f = context;
    struct waters_source *s = f->source;
    const struct creature_state *c = event->creature;
    if ((event->kind != PRESERVE_HATCHED && event->kind != PRESERVE_DIED) ||
        !make_room(f, &s->events, s->event_count, &s->event_room, sizeof s->events[0]))
        return;
    s->events[s->event_count++] =
        (struct waters_event){(double)event->tick * f->tick_s,
                              c->descent.id,
                              (float)event->x_m,
                              (float)event->y_m,
                              (float)joules_of(c->reserve + c->body),
                              event->kind == PRESERVE_DIED ? event->cause : -1};
}

/* ---- epochs ---- */

static int copy_events(struct filming *f)
{
    const struct waters_source *s = f->source;
    struct waters *w = f->waters;
    while (w->event_count < s->event_count) {
        if (!make_room(f, &w->events, w->event_count, &w->event_room, sizeof w->events[0]))
            return ERR_MEMORY;
        w->events[w->event_count] = s->events[w->event_count];
        w->event_count++;
    }
    return 0;
}

/* Lives through an order; the state after it becomes the source's. */
static int live(struct filming *f, struct epoch_order *order, uint64_t digest, struct error *error)
{
    struct waters_source *s = f->source;
    struct preserve_state world;
    struct packed_bytes traveller = {NULL, 0};
    struct preserve_watcher watcher = {.hear = hear, .look = look, .context = f};
    int status = preserve_epoch_begin(&world, &s->params, 0, order, &s->memory, &watcher, error);
    if (status)
        return status;
    status =
        preserve_epoch_live(&world, &s->params, order, &watcher, &s->memory, &traveller, error);
    packed_bytes_deinit(&traveller);
    if (!status && !f->status && preserve_state_pack(&world, &s->state))
        status = error_memory(error);
    f->waters->recorded++;
    f->waters->verified += !status && !f->status && preserve_digest(&world) == digest;
    preserve_state_deinit(&world);
    return status;
}

/* The epoch's order; where the state is not kept it is that of the one before. */
int waters_source_live(struct waters_source *s, struct waters *w, atomic_int *stop,
                       struct error *error)
{
    struct filming f = {
        .source = s, .waters = w, .stop = stop, .tick_s = 1 / s->params.simulation_brain_hz};
    struct epoch_order *order = epoch_order_create();
    uint64_t digest;
    if (!order)
        return error_memory(error);
    order->world = (uint32_t)s->world;
    order->epoch = s->epoch;
    pthread_mutex_lock(&reading);
    int status = run_reader_get_epoch(s->reader, order, &digest, error);
    pthread_mutex_unlock(&reading);
    if (!status && !order->state.bytes) {
        order->state = s->state;
        s->state = (struct packed_bytes){NULL, 0};
    }
    if (!status && !order->state.bytes)
        status = error_set(error, ERR_MISSING, "world %d: its state is no longer kept", s->world);
    if (!status) {
        packed_bytes_deinit(&s->state);
        status = live(&f, order, digest, error);
    }
    if (!status)
        status = f.status ? f.status : copy_events(&f);
    if (status && f.status)
        error_set(error, f.status,
                  f.status == ERR_BUSY ? "stopped" : "world %d: that does not fit into memory",
                  s->world);
    s->epoch += !status;
    epoch_order_destroy(order);
    return status;
}

/* ---- sources ---- */

int waters_source_open(struct waters_source **result, const char *run_directory, int world,
                       double time_s, struct error *error)
{
    struct waters_source *s = *result = calloc(1, sizeof *s);
    uint32_t first = 0;
    if (!s || preserve_memory_init(&s->memory)) {
        free(s);
        *result = NULL;
        return error_memory(error);
    }
    s->world = world;
    pthread_mutex_lock(&reading);
    int status = run_reader_open(&s->reader, run_directory, error);
    if (!status)
        status = run_reader_find_state(s->reader, (uint32_t)world, (uint32_t)(time_s / EPOCH_S),
                                       &s->params, &first, error);
    pthread_mutex_unlock(&reading);
    preserve_apply(&s->params);
    s->epoch = first + 1;
    if (status) {
        waters_source_close(s);
        *result = NULL;
    }
    return status;
}

void waters_source_close(struct waters_source *s)
{
    if (!s)
        return;
    run_reader_close(s->reader);
    preserve_memory_deinit(&s->memory);
    packed_bytes_deinit(&s->state);
    free(s->events);
    free(s);
}

double waters_source_time(const struct waters_source *s)
{
    return (s->epoch - 1) * EPOCH_S;
}

int waters_find_end(const char *run_directory, int world, double *end_s, struct error *error)
{
    struct run_reader *reader;
    struct params params;
    uint32_t last = 0;
    pthread_mutex_lock(&reading);
    int status = run_reader_open(&reader, run_directory, error);
    /* the last state is always kept */
    if (!status)
        status = run_reader_find_state(reader, (uint32_t)world, INT32_MAX, &params, &last, error);
    run_reader_close(reader);
    pthread_mutex_unlock(&reading);
    *end_s = last * EPOCH_S;
    return status;
}

/* An egg lies for a while before it hatches; a carcass is seen for a while. */
#define EGG_SEEN_S     3.0
#define CARCASS_SEEN_S 10.0

int waters_find_life(const char *run_directory, uint64_t id, int *world, double *from_s,
                     double *to_s, struct error *error)
{
    struct run_reader *reader;
    struct run_life life;
    struct params params;
    uint32_t last;
    pthread_mutex_lock(&reading);
    int status = run_reader_open(&reader, run_directory, error);
    if (!status)
        status = run_reader_get_life(reader, id, &life, error);
    if (!status)
        status = run_reader_find_state(reader, life.world, INT32_MAX, &params, &last, error);
    run_reader_close(reader);
    pthread_mutex_unlock(&reading);
    if (status)
        return status;
    *world = (int)life.world;
    *from_s = fmax(life.born_s - params.preserve_hatch_s - EGG_SEEN_S, 0);
    *to_s = fmin(life.died_s + CARCASS_SEEN_S, last * EPOCH_S); // of the living: the end
    return 0;
}

struct waters *waters_source_begin(const struct waters_source *s, double from_s, double to_s,
                                   double step_s)
{
    ENSURE(to_s >= from_s && step_s > 0, "%g to %g s by %g s", from_s, to_s, step_s);
    struct waters *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->params = s->params;
    w->world = s->world;
    w->columns = (int)(s->params.preserve_width_m / PLANTS_CELL_M + 0.5);
    w->rows = (int)(s->params.preserve_height_m / PLANTS_CELL_M + 0.5);
    w->from_s = from_s;
    w->to_s = to_s;
    w->step_s = step_s;
    return w;
}

/* ---- some of a world's time ---- */

static int simulate(struct waters_source *s, struct waters *w, struct error *error)
{
    int status = 0;
    while (!status && waters_source_time(s) < w->to_s - 1e-9)
        status = waters_source_live(s, w, NULL, error);
    /* a run may end before the time that is asked for */
    if (status == ERR_MISSING && w->moment_count > 0)
        status = 0;
    if (status == ERR_MISSING || (!status && w->moment_count == 0))
        status = error_set(error, ERR_MISSING, "world %d has not come so far", w->world);
    return status;
}

/* Beginning with the last state that is kept before a time. */
static int create_from(struct waters **result, const struct waters_request *request, double time_s,
                       struct error *error)
{
    struct waters_source *source;
    *result = NULL;
    int status = waters_source_open(&source, request->run_directory, request->world, time_s, error);
    if (status)
        return status;
    if (request->budget > 0)
        source->memory.work_max = 1e9 * request->budget;
    *result = waters_source_begin(source, request->from_s, request->to_s, request->step_s);
    status = *result ? simulate(source, *result, error) : error_memory(error);
    waters_source_close(source);
    if (status) {
        waters_destroy(*result);
        *result = NULL;
    }
    return status;
}

int waters_create(struct waters **result, const struct waters_request *request, struct error *error)
{
    ENSURE(request->step_s > 0 && request->world >= 0, "world %d by %g s", request->world,
           request->step_s);
    int status = create_from(result, request, request->from_s, error);
    /* the end of a run is its last epoch's last moment */
    if (status == ERR_MISSING && request->from_s >= EPOCH_S)
        status = create_from(result, request, request->from_s - 1e-6, error);
    return status;
}

void waters_destroy(struct waters *w)
{
    for (int i = 0; w && i < w->moment_count; i++) {
        free(w->moments[i].creatures);
        free(w->moments[i].parts);
        free(w->moments[i].mouths);
        free(w->moments[i].eggs);
        free(w->moments[i].carcasses);
        free(w->moments[i].plants);
    }
    if (w) {
        free(w->moments);
        free(w->events);
    }
    free(w);
}

/* ---- looking up ---- */

const struct waters_creature *waters_find_living(const struct waters_moment *moment, uint64_t id)
{
    for (int i = 0; i < moment->creature_count; i++)
        if (moment->creatures[i].id == id)
            return &moment->creatures[i];
    return NULL;
}

const struct waters_event *waters_find_event(const struct waters *w, uint64_t id, int is_death)
{
    for (int i = w->event_count; i-- > 0;)
        if (w->events[i].id == id && (w->events[i].cause >= 0) == is_death)
            return &w->events[i];
    return NULL;
}

/* Carcasses only sink: the nearest below where it died. */
static const struct waters_thing *find_carcass(const struct waters_moment *moment,
                                               const struct waters_event *death)
{
    const struct waters_thing *nearest = NULL;
    for (int i = 0; i < moment->carcass_count; i++) {
        const struct waters_thing *c = &moment->carcasses[i];
        if (fabsf(c->x_m - death->x_m) < 0.01F && c->y_m < death->y_m + 0.01F &&
            (!nearest || c->y_m > nearest->y_m))
            nearest = c;
    }
    return nearest;
}

static enum waters_being tell_place(enum waters_being being, float at_x_m, float at_y_m,
                                    double *x_m, double *y_m)
{
    *x_m = (double)at_x_m;
    *y_m = (double)at_y_m;
    return being;
}

enum waters_being waters_find(const struct waters *w, int moment, uint64_t id, double *x_m,
                              double *y_m)
{
    ENSURE(moment >= 0 && moment < w->moment_count, "moment %d of %d", moment, w->moment_count);
    const struct waters_moment *m = &w->moments[moment];
    const struct waters_creature *living = waters_find_living(m, id);
    const struct waters_event *death = waters_find_event(w, id, 1);
    const struct waters_thing *carcass =
        death && death->time_s <= m->time_s ? find_carcass(m, death) : NULL;
    if (living)
        return tell_place(WATERS_LIVING, living->x_m, living->y_m, x_m, y_m);
    for (int i = 0; i < m->egg_count; i++)
        if (m->eggs[i].id == id)
            return tell_place(WATERS_EGG, m->eggs[i].x_m, m->eggs[i].y_m, x_m, y_m);
    if (carcass)
        return tell_place(WATERS_CARCASS, carcass->x_m, carcass->y_m, x_m, y_m);
    return WATERS_NOWHERE;
}

int waters_moment_at(const struct waters *w, double time_s)
{
    ENSURE(w->moment_count > 0, "waters without a moment");
    double number = floor((time_s - w->from_s) / w->step_s + 1e-6);
    return (int)fmin(fmax(number, 0), w->moment_count - 1);
}
