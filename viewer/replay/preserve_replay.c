/* See preserve_replay.h. */
#include "viewer/replay/preserve_replay.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/rows.h"

/* SQLite is built for one thread at a time; a feed reads beside the window. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static int begin_reading(struct run_reader **reader, const char *run_directory, struct error *error)
{
    pthread_mutex_lock(&reading);
    return run_reader_open(reader, run_directory, error);
}

/* Closes the reader (NULL: none). */
static void end_reading(struct run_reader *reader)
{
    run_reader_close(reader);
    pthread_mutex_unlock(&reading);
}

/* Epochs of a world, one after the other. */
struct source {
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
    struct preserve_replay_epoch *kept =
        rows_add(&w->epochs, &w->epoch_count, &w->epoch_room, INT_MAX, sizeof *kept);
    if (!kept)
        return error_memory(error);
    kept->digest = digest;
    pack_writer_init(&writer);
    pack_array(&writer, EPOCH_ORDER_FIELDS);
    epoch_order_visit(&(struct pack_fields){.writer = &writer}, &order);
    int is_kept = !writer.has_failed &&
                  !packed_bytes_set(&kept->order, writer.buffer.data, writer.buffer.size);
    pack_writer_deinit(&writer);
    return is_kept ? 0 : error_memory(error);
}

/* Reads the next epoch's order; a state that is not kept is that at the end of the one before. */
static int read_order(struct source *s, struct epoch_order *order, uint64_t *digest,
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

/* Adds the next epoch. `stop` (may be NULL) ends it soon when it becomes other than 0: ERR_BUSY.
 * ERR_MISSING if the run has not come so far. */
static int live_epoch(struct source *s, struct preserve_replay *w, atomic_int *stop,
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

/* ---- sources ---- */

/* When its next epoch begins. */
static double source_time(const struct source *s)
{
    return (s->epoch - 1) * EPOCH_S;
}

static void source_close(struct source *s)
{
    run_reader_close(s->reader);
    preserve_film_deinit(&s->film);
}

/* Begins with the last state that is kept before time_s. ERR_MISSING if there is none; it is to be
 * closed then, too. */
static int source_open(struct source *s, const char *run_directory, int world, double time_s,
                       struct error *error)
{
    uint32_t first = 0;
    *s = (struct source){.world = world};
    if (preserve_memory_init(&s->film.memory))
        return error_memory(error);
    int status = begin_reading(&s->reader, run_directory, error);
    if (!status)
        status = run_reader_find_state(s->reader, (uint32_t)world, (uint32_t)(time_s / EPOCH_S),
                                       &s->film.params, &first, error);
    pthread_mutex_unlock(&reading);
    preserve_apply(&s->film.params);
    s->epoch = first + 1;
    return status;
}

int preserve_replay_find_end(const char *run_directory, int world, double *end_s,
                             struct error *error)
{
    struct run_reader *reader;
    struct params params;
    uint32_t last = 0;
    int status = begin_reading(&reader, run_directory, error);
    /* the last state is always kept */
    if (!status)
        status = run_reader_find_state(reader, (uint32_t)world, INT32_MAX, &params, &last, error);
    end_reading(reader);
    *end_s = last * EPOCH_S;
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
    int status = begin_reading(&reader, run_directory, error);
    if (!status)
        status = run_reader_get_life(reader, id, &life, error);
    if (!status)
        status = run_reader_find_state(reader, life.world, INT32_MAX, &params, &last, error);
    end_reading(reader);
    if (status)
        return status;
    *world = (int)life.world;
    *from_s = fmax(life.born_s - params.preserve_hatch_s - EGG_SEEN_S, 0);
    *to_s = fmin(life.died_s + CARCASS_SEEN_S, last * EPOCH_S); // of the living: the end
    return 0;
}

/* ---- some of a world's time ---- */

static int simulate(struct source *s, struct preserve_replay *w, struct error *error)
{
    int status = 0;
    while (!status && source_time(s) < w->to_s - 1e-9)
        status = live_epoch(s, w, NULL, error);
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
    struct source source;
    *result = NULL;
    int status = source_open(&source, request->run_directory, request->world, time_s, error);
    if (!status && !(*result = preserve_film_begin(&source.film, request->world, request->from_s,
                                                   request->to_s, request->step_s)))
        status = error_memory(error);
    if (request->budget > 0)
        source.film.memory.work_max = 1e9 * request->budget;
    if (!status) {
        (*result)->keeps_epochs = request->keeps_epochs;
        status = simulate(&source, *result, error);
    }
    source_close(&source);
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

/* ---- a feed ---- */

enum { READY_MAX = 2 };

/* The lock guards what stands below it. */
struct preserve_feed {
    struct source source; /* the thread's */
    double from_s, step_s;
    pthread_t thread;
    atomic_int stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct preserve_replay *ready[READY_MAX];
    int ready_count;
    double simulated_s;
    struct error end; /* code 0: it goes on */
};

/* The state that is kept, at once; NULL: there is none to be seen. */
static struct preserve_replay *glimpse(struct preserve_feed *feed)
{
    struct source *source = &feed->source;
    struct preserve_film *film = &source->film;
    double time_s = source_time(source);
    atomic_int stop = 0;
    int events = film->event_count;
    struct preserve_replay *w =
        preserve_film_begin(film, source->world, time_s, time_s + EPOCH_S, EPOCH_S);
    struct error unused;
    if (!w)
        return NULL;
    w->is_glimpse = 1;
    film->show = stop_film;
    film->context = &stop;
    int status = live_epoch(source, w, &stop, &unused);
    film->show = NULL;
    film->event_count = events;
    if (!status || (status == ERR_BUSY && w->moment_count > 0))
        return w;
    preserve_replay_destroy(w);
    return NULL;
}

/* The next epoch; before from_s nothing of it is recorded. */
static struct preserve_replay *feed_epoch(struct preserve_feed *feed, struct error *error)
{
    struct source *source = &feed->source;
    double from_s = source_time(source), to_s = from_s + EPOCH_S;
    if (to_s <= feed->from_s)
        from_s = to_s = to_s + 1; // nothing is seen of it
    struct preserve_replay *w =
        preserve_film_begin(&source->film, source->world, from_s, to_s, feed->step_s);
    if (!w)
        error_memory(error);
    else if (live_epoch(source, w, &feed->stop, error) != 0) {
        preserve_replay_destroy(w);
        w = NULL;
    }
    return w;
}

/* Under the lock. */
static void put(struct preserve_feed *feed, struct preserve_replay *w, const struct error *error)
{
    feed->simulated_s = source_time(&feed->source);
    if (!w)
        feed->end = *error;
    else if (w->moment_count > 0)
        feed->ready[feed->ready_count++] = w;
    else
        preserve_replay_destroy(w);
}

static void *feed_work(void *context)
{
    struct preserve_feed *feed = context;
    struct preserve_replay *first = glimpse(feed);
    pthread_mutex_lock(&feed->lock);
    if (first)
        put(feed, first, NULL);
    while (!atomic_load(&feed->stop) && !feed->end.code) {
        struct error error = {0};
        if (feed->ready_count == READY_MAX) {
            pthread_cond_wait(&feed->changed, &feed->lock);
            continue;
        }
        pthread_mutex_unlock(&feed->lock);
        struct preserve_replay *w = feed_epoch(feed, &error);
        pthread_mutex_lock(&feed->lock);
        put(feed, w, &error);
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
    return NULL;
}

int preserve_feed_create(struct preserve_feed **result,
                         const struct preserve_replay_request *request, struct error *error)
{
    ENSURE(request->step_s > 0 && request->world >= 0, "world %d by %g s", request->world,
           request->step_s);
    struct preserve_feed *feed = *result = calloc(1, sizeof *feed);
    if (!feed)
        return error_memory(error);
    feed->from_s = EPOCH_S * floor(request->from_s / EPOCH_S);
    feed->step_s = request->step_s;
    int status =
        source_open(&feed->source, request->run_directory, request->world, feed->from_s, error);
    if (!status) {
        feed->simulated_s = source_time(&feed->source);
        pthread_mutex_init(&feed->lock, NULL);
        pthread_cond_init(&feed->changed, NULL);
        if (pthread_create(&feed->thread, NULL, feed_work, feed) == 0)
            return 0;
        status = error_set(error, ERR_LIMIT, "no thread can be had");
    }
    source_close(&feed->source);
    free(feed);
    *result = NULL;
    return status;
}

void preserve_feed_destroy(struct preserve_feed *feed)
{
    if (!feed)
        return;
    atomic_store(&feed->stop, 1);
    pthread_mutex_lock(&feed->lock);
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
    pthread_join(feed->thread, NULL);
    for (int i = 0; i < feed->ready_count; i++)
        preserve_replay_destroy(feed->ready[i]);
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->lock);
    source_close(&feed->source);
    free(feed);
}

struct preserve_replay *preserve_feed_take(struct preserve_feed *feed, struct error *error)
{
    struct preserve_replay *w = NULL;
    pthread_mutex_lock(&feed->lock);
    if (feed->ready_count > 0) {
        w = feed->ready[0];
        feed->ready[0] = feed->ready[1];
        feed->ready_count--;
        pthread_cond_broadcast(&feed->changed);
    } else if (feed->end.code) {
        *error = feed->end;
    } else {
        error_set(error, ERR_BUSY, "simulating: %d:%02d", (int)feed->simulated_s / 60,
                  (int)feed->simulated_s % 60);
    }
    pthread_mutex_unlock(&feed->lock);
    return w;
}

void preserve_feed_wait(struct preserve_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (feed->ready_count == 0 && !feed->end.code)
        pthread_cond_wait(&feed->changed, &feed->lock);
    pthread_mutex_unlock(&feed->lock);
}

/* ---- the river of forms ---- */

/* Lives come tree by tree: one band is filled at a time, and of the full ones
 * the least takes the way into the band of the others. */
struct river_reading {
    struct preserve_river *river;
    struct preserve_band band, others; /* counts: what changes at a span */
    int64_t topology;                  /* of the band; 0: there is none yet */
};

/* The band is full: it takes a place, or the place of a smaller one. */
static void end_band(struct river_reading *sums)
{
    struct preserve_river *river = sums->river;
    struct preserve_band *least = &sums->band;
    if (!sums->topology)
        return;
    if (river->count < PRESERVE_BANDS_MAX - 1) {
        river->bands[river->count++] = sums->band;
        return;
    }
    for (int i = 0; i < river->count; i++)
        if (river->bands[i].lived_s < least->lived_s)
            least = &river->bands[i];
    sums->others.first_s = fmin(sums->others.first_s, least->first_s);
    sums->others.lived_s += least->lived_s;
    for (int k = 0; k < PRESERVE_SPANS; k++)
        sums->others.counts[k] += least->counts[k];
    *least = sums->band;
}

/* The first span whose middle is not before a time; or none of them. */
static int span_of(const struct preserve_river *river, double time_s)
{
    return (int)fmin(ceil(time_s / river->end_s * PRESERVE_SPANS - 0.5), PRESERVE_SPANS);
}

static void hear_life(void *context, const struct run_life *life)
{
    struct river_reading *sums = context;
    struct preserve_band *band = &sums->band;
    double end_s = isnan(life->died_s) ? INFINITY : life->died_s;
    int from = span_of(sums->river, life->born_s), to = span_of(sums->river, end_s);
    if (life->topology != sums->topology) {
        end_band(sums);
        *band = (struct preserve_band){.form = preserve_form_of((uint64_t)life->topology),
                                       .first_s = life->born_s};
        sums->topology = life->topology;
    }
    if (from >= to) // between two middles, or none of the time
        return;
    band->lived_s += fmin(end_s, sums->river->end_s) - life->born_s;
    band->counts[from]++;
    if (to < PRESERVE_SPANS)
        band->counts[to]--;
}

ROW_ORDER(compare_bands, struct preserve_band, ORDER(a->first_s, b->first_s));

int preserve_river_read(struct preserve_river *river, const char *run_directory, int world,
                        double end_s, struct error *error)
{
    ENSURE(end_s > 0, "a river of %g s", end_s);
    struct river_reading sums = {.river = river,
                                 .others = {.form = PRESERVE_FORM_OTHERS, .first_s = INFINITY}};
    *river = (struct preserve_river){.end_s = end_s};
    struct run_reader *reader;
    int status = begin_reading(&reader, run_directory, error);
    if (!status)
        status = run_reader_tell_lives(reader, (uint32_t)world, hear_life, &sums, error);
    end_reading(reader);
    if (status) {
        river->count = 0;
        return status;
    }
    end_band(&sums);
    qsort(river->bands, (size_t)river->count, sizeof river->bands[0], compare_bands);
    if (sums.others.lived_s > 0)
        river->bands[river->count++] = sums.others;
    /* counts of changes */
    for (int k = 0; k < PRESERVE_SPANS; k++) {
        int sum = 0;
        for (int i = 0; i < river->count; i++) {
            river->bands[i].counts[k] += k > 0 ? river->bands[i].counts[k - 1] : 0;
            sum += river->bands[i].counts[k];
        }
        river->most = sum > river->most ? sum : river->most;
    }
    return 0;
}

int preserve_river_find(const struct preserve_river *river, int form)
{
    int i = 0;
    while (i < river->count && river->bands[i].form != form &&
           river->bands[i].form != PRESERVE_FORM_OTHERS)
        i++;
    return i < river->count ? i : -1;
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
