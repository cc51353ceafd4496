/* The run itself.
 *
 *            on_hungry: ask, submit                on_result: tell, put_result
 *   search ------------------------------> farm ------------------------------> search, store
 *                   |                                                       |
 *                   +-- reuse: known already (reuse.h), as if it came back --+
 *      ^                                                                           |
 *      +----- search_advance, store_put_generation <--- generation complete? ------+
 *
 * When a generation has all results, its best go the same way as the referee's trials. At the
 * run's end the best are polished (polish.h) and take the champion's exam (exam.h), until one
 * passes.
 *
 * Everything happens on the loop's thread, so nothing here is locked. The order in which results
 * come in decides nothing: the search takes them by id, and a lagged method (search.h) counts them
 * by id too, so that its children can be bred, and stored, after every result. Results are
 * committed once a second (farm.commit_s) and when a generation is complete.
 *
 *   RUNNING --last generation complete, signal, failure--> STOPPING --farm is gone--> loop ends
 *
 * In a run with choices (search_interactive.c) a complete generation is closed and waits for the
 * order to go on. It is closed again, with the choices, when the next one is opened.
 *
 * Orders come in through the control socket (control.h): another number of workers, pause,
 * continue, status, choices. Only choices change what the search gets, and the store keeps them.
 *
 * While STOPPING no result is taken: tasks in flight are simulated again after a resume. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/system/log.h"
#include "common/system/process.h"
#include "controller/store/run_directory.h"

#define EXIT_SECOND_SIGNAL 130

/* The progress line is looked at this often. */
#define DRAW_MS 200

static const int evolve_signals[EVOLVE_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* ---- ending ---- */

static void on_farm_stopped(void *context)
{
    struct evolve *evolve = context;
    evolve->farm = NULL;
    control_destroy(evolve->control);
    evolve->control = NULL;
    uv_close((uv_handle_t *)&evolve->commit, NULL);
    uv_close((uv_handle_t *)&evolve->draw, NULL);
    uv_close((uv_handle_t *)&evolve->more, NULL);
    for (int i = 0; i < EVOLVE_SIGNALS; i++)
        uv_close((uv_handle_t *)&evolve->signals[i], NULL);
}

void evolve_stop(struct evolve *evolve)
{
    if (evolve->is_stopping)
        return;
    evolve->is_stopping = 1;
    if (evolve->farm)
        farm_stop(evolve->farm, on_farm_stopped, evolve);
    else
        on_farm_stopped(evolve);
}

int evolve_end_if(struct evolve *evolve, int status)
{
    char text[600];
    if (!status)
        return 0;
    if (!evolve->error.code)
        error_set(&evolve->error, status, "%s", error_text(status));
    log_event(LOG_ERROR, "run_failed", "reason=%s",
              log_quote(evolve->error.message, text, sizeof text));
    evolve_stop(evolve);
    return status;
}

int evolve_put_event(struct evolve *evolve, const char *event, const char *detail)
{
    return evolve_end_if(evolve, store_put_event(evolve->store, event, detail, &evolve->error));
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct evolve *evolve = handle->data;
    log_event(LOG_INFO, "signal", "number=%d", number);
    if (evolve->is_stopping) {
        progress_end(evolve->progress);
        _exit(EXIT_SECOND_SIGNAL);
    }
    progress_print(evolve->progress, "stopping (once more: at once)");
    evolve_stop(evolve);
}

/* ---- timers and setting up ---- */

/* A controller that only waits has nothing to write. */
#define CPU_LEAST_S 0.01

static int put_own_time(struct evolve *evolve)
{
    double cpu_s = 1e-3 * clock_ms(CLOCK_PROCESS_CPUTIME_ID), more_s = cpu_s - evolve->cpu_s;
    if (more_s < CPU_LEAST_S)
        return 0;
    evolve->cpu_s = cpu_s;
    return store_add_controller_time(evolve->store, more_s, &evolve->error);
}

static void on_commit(uv_timer_t *timer)
{
    struct evolve *evolve = timer->data;
    if (evolve->is_stopping)
        return;
    int status = put_own_time(evolve) || store_commit(evolve->store, &evolve->error) ||
                 store_check_place(evolve->store, &evolve->error);
    if (!evolve_end_if(evolve, status))
        run_log_restore(evolve->log);
}

static void on_draw(uv_timer_t *timer)
{
    struct evolve *evolve = timer->data;
    if (!evolve->is_stopping)
        progress_show(evolve->progress, &evolve->state, 0);
}

static void start_handles(struct evolve *evolve)
{
    struct sigaction hangup;
    uint64_t commit_ms = (uint64_t)(evolve->params->farm_commit_s * 1000.0);
    uv_timer_init(&evolve->loop, &evolve->commit);
    uv_timer_init(&evolve->loop, &evolve->draw);
    uv_idle_init(&evolve->loop, &evolve->more);
    evolve->commit.data = evolve->draw.data = evolve->more.data = evolve;
    uv_timer_start(&evolve->commit, on_commit, commit_ms, commit_ms);
    uv_timer_start(&evolve->draw, on_draw, DRAW_MS, DRAW_MS);
    for (int i = 0; i < EVOLVE_SIGNALS; i++) {
        uv_signal_init(&evolve->loop, &evolve->signals[i]);
        evolve->signals[i].data = evolve;
        /* under nohup a hangup must not end the run */
        if (evolve_signals[i] != SIGHUP || sigaction(SIGHUP, NULL, &hangup) ||
            hangup.sa_handler != SIG_IGN)
            uv_signal_start(&evolve->signals[i], on_signal, evolve_signals[i]);
    }
}

/* With the first results of the run so far; the store does not keep those of trials. 0, or ERR_*
 * with a message. */
static int start_reuse(struct evolve *evolve)
{
    if (!evolve->params->farm_reuse || evolve->preserve)
        return 0;
    for (int i = 0; i < TRIAL_PURPOSE_COUNT; i++) {
        evolve->reuse[i] = reuse_create(evolve->params);
        if (!evolve->reuse[i])
            return error_memory(&evolve->error);
    }
    if (evolve->contests) /* what is stored is of several bouts */
        return 0;
    return store_get_results(evolve->store, reuse_restore, evolve->reuse[TRIAL_FIRST],
                             &evolve->error);
}

static void end_reuse(struct evolve *evolve)
{
    for (int i = 0; i < TRIAL_PURPOSE_COUNT; i++) {
        if (evolve->reuse[i]) {
            char trial[TRIAL_TEXT_SIZE];
            trial_to_text(&(struct trial){.purpose = i}, trial);
            const struct reuse_counts *counts = reuse_get_counts(evolve->reuse[i]);
            log_event(LOG_INFO, "reuse",
                      "trial=%s reused=%" PRIu64 " simulated=%" PRIu64 " other_bar=%" PRIu64
                      " checked=%" PRIu64,
                      trial, counts->known, counts->simulated, counts->barred, counts->checked);
        }
        reuse_destroy(evolve->reuse[i]);
    }
}

int evolve_run(const struct evolve_settings *settings, enum evolve_outcome *outcome,
               struct error *error)
{
    const struct params *params = settings->farm.params;
    ENSURE(params && settings->store && settings->progress, "a run without parameters or store");
    ENSURE(settings->farm.worker_count > 0 && settings->farm.worker_count <= FARM_WORKERS_MAX,
           "%d workers", settings->farm.worker_count);
    ENSURE((settings->search == NULL) == preserve_is_wanted(params),
           "a search in a preserve, or none");
    struct evolve evolve = {.settings = settings,
                            .params = params,
                            .directory = settings->directory,
                            .search = settings->search,
                            .seeding = settings->seeding,
                            .store = settings->store,
                            .progress = settings->progress,
                            .log = settings->log};
    if (uv_loop_init(&evolve.loop))
        return error_set(error, ERR_IO, "the event loop cannot be made");
    start_handles(&evolve);
    int status = evolve_start_preserve(&evolve) || evolve_start_count(&evolve) ||
                 store_get_chosen_until(settings->store, &evolve.chosen_until, &evolve.error) ||
                 evolve_start_contests(&evolve) || start_reuse(&evolve);
    if (!evolve_end_if(&evolve, status)) {
        evolve_count_generation(&evolve);
        evolve_advance(&evolve);
    }
    if (!evolve.is_stopping)
        evolve_start_control(&evolve);
    if (!evolve.is_stopping)
        evolve_start_farm(&evolve);
    uv_run(&evolve.loop, UV_RUN_DEFAULT);
    int open_handles = uv_loop_close(&evolve.loop);
    ENSURE(open_handles == 0, "the loop ended with open handles");
    progress_end(settings->progress);
    end_reuse(&evolve);
    contests_destroy(evolve.contests);
    polish_destroy(evolve.polish);
    free(evolve.preserve);

    if (!evolve.error.code)
        put_own_time(&evolve);
    *outcome = evolve.is_finished ? EVOLVE_FINISHED : EVOLVE_STOPPED;
    if (evolve.error.code)
        *error = evolve.error;
    return evolve.error.code;
}
