/* See evolve.h. Everything happens on the loop's thread. */
#include "controller/run/evolve.h"

#include <inttypes.h>

#include "controller/run/reuse.h"

/* Bouts between two words of progress. */
enum { PROGRESS_STEP = 200 };

struct matches {
    const struct matches_settings *settings;
    uv_loop_t loop;
    struct farm *farm;
    struct contests *contests;
    struct reuse *reuse;
    uint64_t task_count;
    int done;
    int is_stopping;
    struct error error;
};

/* ---- ending ---- */

static void on_stopped(void *context)
{
    struct matches *matches = context;
    matches->farm = NULL;
}

static void stop(struct matches *matches)
{
    if (matches->is_stopping)
        return;
    matches->is_stopping = 1;
    if (matches->farm)
        farm_stop(matches->farm, on_stopped, matches);
}

/* Ends all for an error, if status is one. */
static void stop_if(struct matches *matches, int status)
{
    if (!status)
        return;
    if (!matches->error.code)
        error_set(&matches->error, status, "%s", error_text(status));
    stop(matches);
}

/* ---- tasks ---- */

/* 1: a task; 0: there is none now, or memory is out. */
static int make_task(struct matches *matches, struct task *task)
{
    struct contests_wanted wanted;
    *task = (struct task){.id = matches->task_count + 1};
    if (!contests_ask(matches->contests, &wanted))
        return 0;
    matches->task_count++;
    int status = contests_make_task(&wanted, task);
    if (status)
        task_deinit(task);
    stop_if(matches, status);
    return !status;
}

static void show_progress(const struct matches *matches)
{
    int left, count;
    contests_get_progress(matches->contests, &left, &count);
    if (matches->settings->on_progress)
        matches->settings->on_progress(count - left, count,
                                       reuse_get_counts(matches->reuse)->simulated);
}

/* A result that came in, or was known. */
static void take_result(struct matches *matches, const struct task *task,
                        const struct result *result)
{
    stop_if(matches, contests_tell(matches->contests, task, result));
    if (++matches->done % PROGRESS_STEP == 0)
        show_progress(matches);
}

static void stop_at_end(struct matches *matches)
{
    int left, count;
    contests_get_progress(matches->contests, &left, &count);
    if (left == 0)
        stop(matches);
}

/* ---- what the farm calls ---- */

static void on_result(void *context, const struct task *task, const struct result *result, int slot)
{
    struct matches *matches = context;
    (void)slot;
    if (matches->is_stopping)
        return;
    stop_if(matches, reuse_tell(matches->reuse, task, result, &matches->error));
    take_result(matches, task, result);
    stop_at_end(matches);
}

static void on_quarantine(void *context, const struct task *task, const char *reason,
                          const char *log)
{
    struct matches *matches = context;
    char text[256];
    (void)log;
    if (matches->is_stopping)
        return;
    reuse_forget(matches->reuse, task);
    snprintf(text, sizeof text, "creature %" PRIu64 " in a contest%s: %s", task->creature,
             task->bout == CONTESTS_ALONE ? " tries alone" : "", reason);
    if (matches->settings->on_notice)
        matches->settings->on_notice(text);
    stop_if(matches, contests_tell_crash(matches->contests, task, reason));
    stop_at_end(matches);
}

static void on_hungry(void *context, int room)
{
    struct matches *matches = context;
    struct task task;
    while (!matches->is_stopping && room > 0 &&
           (reuse_take(matches->reuse, &task) || make_task(matches, &task))) {
        const struct result *known;
        int status = reuse_ask(matches->reuse, &task, &known);
        if (status == REUSE_KNOWN) {
            take_result(matches, &task, known);
        } else if (status == REUSE_UNKNOWN) {
            status = farm_submit(matches->farm, &task);
            room--;
        }
        stop_if(matches, status < 0 ? status : 0);
        task_deinit(&task);
    }
    stop_at_end(matches);
}

static void on_notice(void *context, const char *text)
{
    struct matches *matches = context;
    if (matches->settings->on_notice)
        matches->settings->on_notice(text);
}

static void on_failure(void *context, const char *reason)
{
    struct matches *matches = context;
    error_set(&matches->error, ERR_IO, "%s", reason);
    stop(matches);
}

/* ---- the whole ---- */

static void run_farm(struct matches *matches)
{
    struct farm_settings farm = matches->settings->farm;
    farm.log_directory = "";
    struct farm_callbacks callbacks = {.context = matches,
                                       .on_result = on_result,
                                       .on_quarantine = on_quarantine,
                                       .on_hungry = on_hungry,
                                       .on_notice = on_notice,
                                       .on_failure = on_failure};
    matches->farm = farm_create(&matches->loop, &farm, &callbacks, &matches->error);
    uv_run(&matches->loop, UV_RUN_DEFAULT);
}

int matches_play(const struct matches_settings *settings, struct contests *contests,
                 struct error *error)
{
    ENSURE(settings->farm.worker_count > 0, "%d workers", settings->farm.worker_count);
    struct matches matches = {.settings = settings, .contests = contests};
    int left, count;
    contests_get_progress(contests, &left, &count);
    if (left == 0)
        return 0;
    matches.reuse = reuse_create(settings->farm.params);
    if (!matches.reuse)
        return error_memory(error);
    if (uv_loop_init(&matches.loop)) {
        reuse_destroy(matches.reuse);
        return error_set(error, ERR_IO, "the event loop cannot be made");
    }
    run_farm(&matches);
    int open_handles = uv_loop_close(&matches.loop);
    ENSURE(open_handles == 0, "the loop ended with open handles");
    show_progress(&matches);
    reuse_destroy(matches.reuse);
    if (matches.error.code)
        *error = matches.error;
    return matches.error.code;
}
