/* See preserve_replay.h. */
#include "viewer/replay/preserve_replay.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "viewer/replay/preserve_film.h"

/* SQLite is built for one thread at a time; a feed reads beside the window. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

struct preserve_source {
    struct run_reader *reader;
    struct preserve_film film;
    int world;
    uint32_t epoch; /* the next one */
};

/* ---- epochs ---- */

static int keep_epoch(struct preserve_replay *w, struct epoch_order *order, uint64_t digest,
                      struct error *error)
{
    struct pack_writer writer;
    struct preserve_replay_epoch *more =
        realloc(w->epochs, (size_t)(w->epoch_count + 1) * sizeof w->epochs[0]);
    if (!more)
        return error_memory(error);
    w->epochs = more;
    more[w->epoch_count] = (struct preserve_replay_epoch){.digest = digest};
    pack_writer_init(&writer);
    pack_array(&writer, EPOCH_ORDER_FIELDS);
    epoch_order_visit(&(struct pack_fields){.writer = &writer}, &order);
    int is_kept = !writer.has_failed && !packed_bytes_set(&more[w->epoch_count].order,
                                                          writer.buffer.data, writer.buffer.size);
    pack_writer_deinit(&writer);
    w->epoch_count += is_kept;
    return is_kept ? 0 : error_memory(error);
}

/* Reads the next epoch's order; a state that is not kept is that at the end of the one before. */
static int read_order(struct preserve_source *s, struct epoch_order *order, uint64_t *digest,
                      struct error *error)
{
    order->world = (uint32_t)s->world;
    order->epoch = s->epoch;
    pthread_mutex_lock(&reading);
    int status = run_reader_get_epoch(s->reader, order, digest, error);
    pthread_mutex_unlock(&reading);
    if (!status && !order->state.bytes) {
        order->state = s->film.state;
        s->film.state = (struct packed_bytes){NULL, 0};
    }
    if (!status && !order->state.bytes)
        status = error_set(error, ERR_MISSING, "world %d: its state is no longer kept", s->world);
    return status;
}

int preserve_source_live(struct preserve_source *s, struct preserve_replay *w, atomic_int *stop,
                         struct error *error)
{
    uint64_t digest;
    struct epoch_order *order = epoch_order_create();
    if (!order)
        return error_memory(error);
    s->film.stop = stop;
    int status = read_order(s, order, &digest, error);
    if (!status && w->keeps_epochs && s->epoch * EPOCH_S > w->from_s)
        status = keep_epoch(w, order, digest, error);
    if (!status)
        status = preserve_film_live(&s->film, w, order, digest, error);
    s->epoch += !status;
    epoch_order_destroy(order);
    return status;
}

static void stop_film(void *stop, const struct preserve_replay *w)
{
    atomic_store((atomic_int *)stop, 1);
}

int preserve_source_glimpse(struct preserve_source *s, struct preserve_replay *w,
                            struct error *error)
{
    atomic_int stop = 0;
    int events = s->film.event_count;
    w->is_glimpse = 1;
    s->film.show = stop_film;
    s->film.context = &stop;
    int status = preserve_source_live(s, w, &stop, error);
    s->film.show = NULL;
    s->film.event_count = events;
    return status == ERR_BUSY && w->moment_count > 0 ? 0 : status;
}

/* ---- sources ---- */

int preserve_source_open(struct preserve_source **result, const char *run_directory, int world,
                         double time_s, struct error *error)
{
    struct preserve_source *s = *result = calloc(1, sizeof *s);
    uint32_t first = 0;
    if (!s || preserve_memory_init(&s->film.memory)) {
        free(s);
        *result = NULL;
        return error_memory(error);
    }
    s->world = world;
    pthread_mutex_lock(&reading);
    int status = run_reader_open(&s->reader, run_directory, error);
    if (!status)
        status = run_reader_find_state(s->reader, (uint32_t)world, (uint32_t)(time_s / EPOCH_S),
                                       &s->film.params, &first, error);
    pthread_mutex_unlock(&reading);
    preserve_apply(&s->film.params);
    s->epoch = first + 1;
    if (status) {
        preserve_source_close(s);
        *result = NULL;
    }
    return status;
}

void preserve_source_close(struct preserve_source *s)
{
    if (!s)
        return;
    run_reader_close(s->reader);
    preserve_film_deinit(&s->film);
    free(s);
}

double preserve_source_time(const struct preserve_source *s)
{
    return (s->epoch - 1) * EPOCH_S;
}

int preserve_replay_find_end(const char *run_directory, int world, double *end_s,
                             struct error *error)
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

int preserve_replay_tell_lives(const char *run_directory, int world, run_hear_life *hear,
                               void *context, struct error *error)
{
    struct run_reader *reader;
    pthread_mutex_lock(&reading);
    int status = run_reader_open(&reader, run_directory, error);
    if (!status)
        status = run_reader_tell_lives(reader, (uint32_t)world, hear, context, error);
    run_reader_close(reader);
    pthread_mutex_unlock(&reading);
    return status;
}

/* An egg lies for a while before it hatches; a carcass is seen for a while. */
#define EGG_SEEN_S     3.0
#define CARCASS_SEEN_S 10.0

int preserve_replay_find_life(const char *run_directory, uint64_t id, int *world, double *from_s,
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

struct preserve_replay *preserve_source_begin(const struct preserve_source *s, double from_s,
                                              double to_s, double step_s)
{
    return preserve_film_begin(&s->film, s->world, from_s, to_s, step_s);
}

/* ---- some of a world's time ---- */

static int simulate(struct preserve_source *s, struct preserve_replay *w, struct error *error)
{
    int status = 0;
    while (!status && preserve_source_time(s) < w->to_s - 1e-9)
        status = preserve_source_live(s, w, NULL, error);
    /* a run may end before the time that is asked for */
    if (status == ERR_MISSING && w->moment_count > 0)
        status = 0;
    if (status == ERR_MISSING || (!status && w->moment_count == 0))
        status = error_set(error, ERR_MISSING, "world %d has not come so far", w->world);
    return status;
}

/* Beginning with the last state that is kept before a time. */
static int create_from(struct preserve_replay **result,
                       const struct preserve_replay_request *request, double time_s,
                       struct error *error)
{
    struct preserve_source *source;
    *result = NULL;
    int status =
        preserve_source_open(&source, request->run_directory, request->world, time_s, error);
    if (status)
        return status;
    if (request->budget > 0)
        source->film.memory.work_max = 1e9 * request->budget;
    *result = preserve_source_begin(source, request->from_s, request->to_s, request->step_s);
    if (*result)
        (*result)->keeps_epochs = request->keeps_epochs;
    status = *result ? simulate(source, *result, error) : error_memory(error);
    preserve_source_close(source);
    if (status) {
        preserve_replay_destroy(*result);
        *result = NULL;
    }
    return status;
}

int preserve_replay_create(struct preserve_replay **result,
                           const struct preserve_replay_request *request, struct error *error)
{
    ENSURE(request->step_s > 0 && request->world >= 0, "world %d by %g s", request->world,
           request->step_s);
    int status = create_from(result, request, request->from_s, error);
    /* the end of a run is its last epoch's last moment */
    if (status == ERR_MISSING && request->from_s >= EPOCH_S)
        status = create_from(result, request, request->from_s - 1e-6, error);
    return status;
}

/* ---- looking up ---- */

const struct preserve_replay_creature *preserve_replay_find_living(
    const struct preserve_replay_moment *moment, uint64_t id)
{
    for (int i = 0; i < moment->creature_count; i++)
        if (moment->creatures[i].id == id)
            return &moment->creatures[i];
    return NULL;
}

const struct preserve_replay_event *preserve_replay_find_event(const struct preserve_replay *w,
                                                               uint64_t id, int is_death)
{
    for (int i = w->event_count; i-- > 0;)
        if (w->events[i].id == id && (w->events[i].cause >= 0) == is_death)
            return &w->events[i];
    return NULL;
}

/* Carcasses only sink: the nearest below where it died. */
static const struct preserve_replay_thing *find_carcass(const struct preserve_replay_moment *moment,
                                                        const struct preserve_replay_event *death)
{
    const struct preserve_replay_thing *nearest = NULL;
    for (int i = 0; i < moment->carcass_count; i++) {
        const struct preserve_replay_thing *c = &moment->carcasses[i];
        if (fabsf(c->x_m - death->x_m) < 0.01F && c->y_m < death->y_m + 0.01F &&
            (!nearest || c->y_m > nearest->y_m))
            nearest = c;
    }
    return nearest;
}

static enum preserve_replay_being tell_place(enum preserve_replay_being being, float at_x_m,
                                             float at_y_m, double *x_m, double *y_m)
{
    *x_m = (double)at_x_m;
    *y_m = (double)at_y_m;
    return being;
}

enum preserve_replay_being preserve_replay_find(const struct preserve_replay *w, int moment,
                                                uint64_t id, double *x_m, double *y_m)
{
    ENSURE(moment >= 0 && moment < w->moment_count, "moment %d of %d", moment, w->moment_count);
    const struct preserve_replay_moment *m = &w->moments[moment];
    const struct preserve_replay_creature *living = preserve_replay_find_living(m, id);
    const struct preserve_replay_event *death = preserve_replay_find_event(w, id, 1);
    const struct preserve_replay_thing *carcass =
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

int preserve_replay_moment_at(const struct preserve_replay *w, double time_s)
{
    ENSURE(w->moment_count > 0, "waters without a moment");
    double number = floor((time_s - w->from_s) / w->step_s + 1e-6);
    return (int)fmin(fmax(number, 0), w->moment_count - 1);
}
