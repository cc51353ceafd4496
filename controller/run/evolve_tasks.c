/* Tasks of a run: what the search, the referee, the polish and the exam want simulated goes to the
 * farm, unless its result is known (reuse.h); results and quarantines go back to them, and to the
 * store. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controller/evolution/referee.h"
#include "controller/store/run_directory.h"

/* This many known results are taken before the loop looks at anything else. */
enum { KNOWN_AT_ONCE = 64 };
/* Of a creature that crashed. */
static const struct measures no_measures;

/* The next individual to simulate, and how: one before the referee (others may wait for it), one
 * without a result, one that is polished, or the candidate for champion. */
static const struct individual *ask(struct evolve *evolve, struct task *task)
{
    const struct individual *individual = search_ask_referee(evolve->search);
    if (individual) {
        task->trial = referee_trial(individual, individual->referee_trial, evolve->params);
        return individual;
    }
    individual = search_ask(evolve->search);
    if (!individual && evolve->polish)
        individual = polish_ask(evolve->polish, &task->trial);
    return individual ? individual : evolve_ask_exam(evolve, task);
}

void evolve_count_result(struct evolve *evolve, int status)
{
    ENSURE(status <= 0, "status %d", status);
    if (evolve_end_if(evolve, status))
        return;
    progress_count(evolve->progress);
    evolve_advance(evolve);
    evolve_count_generation(evolve);
}

/* The referee's result; what it means is stored as soon as the search knows. */
static void take_entry(struct evolve *evolve, const struct task *task, int verdict,
                       const struct measures *measures)
{
    if (search_tell_referee(evolve->search, task->creature, verdict, measures))
        evolve_advance(evolve);
}

/* Takes the result of one of the referee's tasks. */
static void take_trial(struct evolve *evolve, const struct task *task, int verdict,
                       const struct measures *measures)
{
    static void (*const take[TRIAL_PURPOSE_COUNT])(struct evolve *, const struct task *, int,
                                                   const struct measures *) = {
        [TRIAL_ENTRY] = take_entry,
        [TRIAL_CHAMPION] = evolve_take_champion,
        [TRIAL_POLISH] = evolve_take_polish};
    take[task->trial.purpose](evolve, task, verdict, measures);
}

static void take_result(struct evolve *evolve, const struct task *task, const struct result *result,
                        const struct store_cost *cost)
{
    struct store_cost own = *cost;
    if (evolve->contests)
        own.reused = 0; /* a bout's result may be another's, a creature's is its own */
    if (evolve_end_if(evolve, store_put_cost(evolve->store, task->creature, &task->trial, &own,
                                             &evolve->error)))
        return;
    if (evolve->contests) {
        evolve_take_contest(evolve, task, result);
    } else if (task->trial.purpose != TRIAL_FIRST) {
        take_trial(evolve, task, result->verdict, &result->measures);
    } else {
        const struct individual *individual = search_tell(
            evolve->search, task->creature, result->verdict, &result->measures, result->digest);
        if (individual)
            evolve_count_result(evolve,
                                store_put_result(evolve->store, individual, &evolve->error));
    }
}

static void on_result(void *context, const struct task *task, const struct result *result, int slot)
{
    ENSURE(task->id > 0 && slot >= 0, "task %" PRIu64 " of worker %d", task->id, slot);
    struct evolve *evolve = context;
    struct store_cost cost = {.task = result->cost,
                              .simulations = 1,
                              .worker = slot,
                              .attempt = task->attempt,
                              .pace_least_m_s = result->pace_least_m_s};
    struct reuse *reuse = evolve->reuse[task->trial.purpose];
    if (evolve->is_stopping)
        return;
    if (evolve->preserve) {
        evolve_take_epoch(evolve, task, result);
        return;
    }
    if (!evolve_end_if(evolve, reuse ? reuse_tell(reuse, task, result, &evolve->error) : 0))
        take_result(evolve, task, result, &cost);
}

/* The loop has looked round: more known results may be taken. */
static void on_more(uv_idle_t *more)
{
    struct evolve *evolve = more->data;
    uv_idle_stop(more);
    if (!evolve->is_stopping)
        farm_wake(evolve->farm);
}

static void stop_at_task(struct evolve *evolve, const struct task *task, int status)
{
    evolve_end_if(evolve,
                  error_set(&evolve->error, status, "creature %" PRIu64 " cannot be submitted: %s",
                            task->creature, error_text(status)));
}

/* Fills in which creature is evaluated and how, as the search says. 0 or ERR_MEMORY. */
static int describe_task(const struct evolve *evolve, const struct individual *individual,
                         struct task *task)
{
    task->creature = individual->id;
    task->seed = individual->seed;
    if (task->trial.purpose == TRIAL_FIRST) {
        task->bar = individual->bar;
        if (!phenotype_key_has_seed(evolve->params, &task->trial))
            task->key = individual->key;
    }
    return individual_copy_genome(individual, &task->genome, &task->packed);
}

/* A copy of what the search asks for; 0: there is nothing, or it failed. */
static int make_task(struct evolve *evolve, struct task *task)
{
    int is_wanted, status = 0;
    if (evolve->preserve)
        return evolve_ask_epoch(evolve, task);
    *task = (struct task){.id = evolve->task_count + 1};
    if (evolve->contests) {
        is_wanted = evolve_ask_contest(evolve, task, &status);
    } else {
        const struct individual *individual = ask(evolve, task);
        is_wanted = individual != NULL;
        status = individual ? describe_task(evolve, individual, task) : 0;
    }
    evolve->task_count += (uint64_t)is_wanted;
    if (status)
        stop_at_task(evolve, task, status);
    return is_wanted && !status;
}

/* Tasks that waited come before tasks that the search asks for: both are in order of id. */
static int next_task(struct evolve *evolve, struct task *task)
{
    for (int i = 0; i < TRIAL_PURPOSE_COUNT; i++)
        if (evolve->reuse[i] && reuse_take(evolve->reuse[i], task))
            return 1;
    return make_task(evolve, task);
}

static void on_hungry(void *context, int room)
{
    ENSURE(room > 0, "room for %d tasks", room);
    struct evolve *evolve = context;
    int known_count = 0;
    struct task task;
    while (!evolve->is_stopping && room > 0 && known_count < KNOWN_AT_ONCE &&
           next_task(evolve, &task)) {
        const struct result *known;
        struct reuse *reuse = evolve->reuse[task.trial.purpose];
        int status = reuse ? reuse_ask(reuse, &task, &known) : REUSE_UNKNOWN;
        if (status == REUSE_KNOWN) {
            /* as if it had come back from a worker */
            take_result(evolve, &task, known,
                        &(struct store_cost){.worker = -1,
                                             .reused = known->creature,
                                             .pace_least_m_s = known->pace_least_m_s});
            known_count++;
        } else if (status == REUSE_UNKNOWN) {
            status = farm_submit(evolve->farm, &task);
            room--;
        }
        if (status < 0)
            stop_at_task(evolve, &task, status);
        task_deinit(&task);
    }
    if (known_count == KNOWN_AT_ONCE)
        uv_idle_start(&evolve->more, on_more);
}

/* A path as one word of a shell. */
static void quote_path(const char *path, char *text, size_t size)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "_./+-:,@%=";
    if (path[strspn(path, harmless)] == '\0') {
        snprintf(text, size, "%s", path);
        return;
    }
    size_t used = 0;
    text[used++] = '\'';
    for (; *path && used + 6 < size; path++) {
        const char *piece = *path == '\'' ? "'\\''" : (char[2]){*path, '\0'};
        memcpy(text + used, piece, strlen(piece));
        used += strlen(piece);
    }
    text[used++] = '\'';
    text[used] = '\0';
}

/* Says how to see the crash again: the creature as a file, simulated by hand. */
static void print_reproduction(const struct evolve *evolve, uint64_t id, char *text, size_t size)
{
    char directory[RUN_PATH_SIZE];
    quote_path(evolve->directory, directory, sizeof directory);
    snprintf(text, size,
             "controller save %s %" PRIu64 " -o creature-%" PRIu64
             ".creature && simulator evaluate creature-%" PRIu64 ".creature %s/params.ini",
             directory, id, id, id, directory);
}

/* It is no success, and the run's events tell of it. */
static void put_later_quarantine(struct evolve *evolve, const struct task *task, const char *event,
                                 const char *detail)
{
    if (!evolve_put_event(evolve, event, detail))
        take_trial(evolve, task, VERDICT_QUARANTINED, &no_measures);
}

/* A changed copy of a creature crashed, which is stored nowhere. */
static void on_polish_quarantine(struct evolve *evolve, const struct task *task, const char *reason)
{
    char detail[512];
    snprintf(detail, sizeof detail, "a polished copy of creature %" PRIu64 ": %s", task->creature,
             reason);
    progress_print(evolve->progress, "quarantine: %s", detail);
    put_later_quarantine(evolve, task, "polish_quarantined", detail);
}

/* It crashed before the referee only: it loses its fitness, and the run's events tell of it. */
static void on_referee_quarantine(struct evolve *evolve, const struct task *task,
                                  const char *reason)
{
    char where[80], trial[TRIAL_TEXT_SIZE];
    char command[2 * RUN_PATH_SIZE + 256], detail[sizeof command + 512];
    trial_describe(&task->trial, evolve->params, where, sizeof where);
    trial_to_text(&task->trial, trial);
    print_reproduction(evolve, task->creature, command, sizeof command);
    progress_print(evolve->progress, "quarantine: creature %" PRIu64 " %s: %s", task->creature,
                   where, reason);
    snprintf(detail, sizeof detail, "creature %" PRIu64 " %s: %s; shown again by: %s --trial %s",
             task->creature, where, reason, command, trial);
    put_later_quarantine(evolve, task, "referee_quarantined", detail);
}

void evolve_put_quarantine(struct evolve *evolve, const struct individual *individual,
                           const char *reason, const char *log)
{
    char command[2 * RUN_PATH_SIZE + 256];
    print_reproduction(evolve, individual->id, command, sizeof command);
    evolve_count_result(evolve, store_put_quarantine(evolve->store, individual, reason, command,
                                                     log, &evolve->error));
}

static void on_first_quarantine(struct evolve *evolve, const struct task *task, const char *reason,
                                const char *log)
{
    const struct individual *individual =
        search_tell(evolve->search, task->creature, VERDICT_QUARANTINED, &no_measures, 0);
    if (!individual)
        return;
    progress_print(evolve->progress, "creature %" PRIu64 " is in quarantine: %s", task->creature,
                   reason);
    evolve_put_quarantine(evolve, individual, reason, log);
}

static void on_quarantine(void *context, const struct task *task, const char *reason,
                          const char *log)
{
    ENSURE(task->id > 0 && reason, "task %" PRIu64, task->id);
    struct evolve *evolve = context;
    if (evolve->is_stopping)
        return;
    if (evolve->reuse[task->trial.purpose])
        reuse_forget(evolve->reuse[task->trial.purpose], task);
    if (evolve->preserve)
        evolve_quarantine_epoch(evolve, task, reason, log);
    else if (evolve->contests)
        evolve_quarantine_contest(evolve, task, reason);
    else if (task->trial.purpose == TRIAL_FIRST)
        on_first_quarantine(evolve, task, reason, log);
    else if (task->trial.purpose == TRIAL_POLISH)
        on_polish_quarantine(evolve, task, reason);
    else
        on_referee_quarantine(evolve, task, reason);
}

static void on_notice(void *context, const char *text)
{
    struct evolve *evolve = context;
    progress_print(evolve->progress, "%s", text);
}

static void on_failure(void *context, const char *reason)
{
    struct evolve *evolve = context;
    evolve_end_if(evolve, error_set(&evolve->error, ERR_IO, "%s", reason));
}

void evolve_start_farm(struct evolve *evolve)
{
    char logs[RUN_PATH_SIZE];
    struct farm_settings settings = evolve->settings->farm;
    settings.log_directory = logs;
    struct farm_callbacks callbacks = {.context = evolve,
                                       .on_result = on_result,
                                       .on_quarantine = on_quarantine,
                                       .on_hungry = on_hungry,
                                       .on_notice = on_notice,
                                       .on_failure = on_failure};
    if (!run_directory_path(evolve->directory, "logs", logs, &evolve->error))
        evolve->farm = farm_create(&evolve->loop, &settings, &callbacks, &evolve->error);
    evolve_end_if(evolve, !evolve->farm);
}
