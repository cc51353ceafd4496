/* See preserve_feed.h. The lock guards what stands below it. */
#include "viewer/replay/preserve_feed.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { READY_MAX = 2 };

struct preserve_feed {
    struct preserve_source *source; /* the thread's */
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
    double time_s = preserve_source_time(feed->source);
    struct preserve_replay *w =
        preserve_source_begin(feed->source, time_s, time_s + EPOCH_S, EPOCH_S);
    struct error unused;
    if (w && preserve_source_glimpse(feed->source, w, &unused) != 0) {
        preserve_replay_destroy(w);
        w = NULL;
    }
    return w;
}

/* The next epoch; before from_s nothing of it is recorded. */
static struct preserve_replay *live(struct preserve_feed *feed, struct error *error)
{
    double from_s = preserve_source_time(feed->source), to_s = from_s + EPOCH_S;
    if (to_s <= feed->from_s)
        from_s = to_s = to_s + 1; // nothing is seen of it
    struct preserve_replay *w = preserve_source_begin(feed->source, from_s, to_s, feed->step_s);
    if (!w)
        error_memory(error);
    else if (preserve_source_live(feed->source, w, &feed->stop, error) != 0) {
        preserve_replay_destroy(w);
        w = NULL;
    }
    return w;
}

/* Under the lock. */
static void put(struct preserve_feed *feed, struct preserve_replay *w, const struct error *error)
{
    feed->simulated_s = preserve_source_time(feed->source);
    if (!w)
        feed->end = *error;
    else if (w->moment_count > 0)
        feed->ready[feed->ready_count++] = w;
    else
        preserve_replay_destroy(w);
}

static void *work(void *context)
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
        struct preserve_replay *w = live(feed, &error);
        pthread_mutex_lock(&feed->lock);
        put(feed, w, &error);
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
    return NULL;
}

int preserve_feed_create(struct preserve_feed **result, const struct preserve_feed_request *request,
                         struct error *error)
{
    ENSURE(request->step_s > 0 && request->world >= 0, "world %d by %g s", request->world,
           request->step_s);
    struct preserve_feed *feed = *result = calloc(1, sizeof *feed);
    if (!feed)
        return error_memory(error);
    feed->from_s = EPOCH_S * floor(request->from_s / EPOCH_S);
    feed->step_s = request->step_s;
    int status = preserve_source_open(&feed->source, request->run_directory, request->world,
                                      feed->from_s, error);
    if (!status) {
        feed->simulated_s = preserve_source_time(feed->source);
        pthread_mutex_init(&feed->lock, NULL);
        pthread_cond_init(&feed->changed, NULL);
        if (pthread_create(&feed->thread, NULL, work, feed) == 0)
            return 0;
        status = error_set(error, ERR_LIMIT, "no thread can be had");
    }
    preserve_source_close(feed->source);
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
    preserve_source_close(feed->source);
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
