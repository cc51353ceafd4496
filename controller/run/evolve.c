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
 * run's end the best take the champion's exam (exam.h), until one passes.
 *
 * Everything happens on the loop's thread, so nothing here is locked. The order in which results
 * come in decides nothing: the search takes them by id, and a lagged method (search.h) counts them by
 * id too, so that its children can be bred, and stored, after every result. Results are committed once a second
 * (farm.commit_s) and when a generation is complete.
 *
 *   RUNNING --last generation complete, signal, failure--> STOPPING --farm is gone--> loop ends
 *
 * In a run with choices (search_interactive.c) a complete generation is closed and waits for the
 * order to go on. It is closed again, with the choices, when the next one is opened.
 *
 * Orders come in through the control socket (control.h): another number of workers, pause, continue,
 * status, choices. Only choices change what the search gets, and the store keeps them.
 *
 * While STOPPING no result is taken: what is in flight is simulated again after a resume. */
#include "controller/run/evolve.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/judge/behaviour.h"
#include "common/judge/exam.h"
#include "common/log.h"
#include "controller/run/control.h"
#include "controller/workers/farm.h"
#include "controller/run/live.h"
#include "controller/run/reuse.h"
#include "controller/evolution/referee.h"
#include "controller/store/run_directory.h"
#include "controller/store/run_log.h"

#define EXIT_SECOND_SIGNAL 130

/* The progress line is looked at this often. */
#define DRAW_MS 200

/* This many known results are taken before the loop looks at anything else. */
enum { KNOWN_AT_ONCE = 64 };

enum { EVOLVE_SIGNALS = 3 };
static const int evolve_signals[EVOLVE_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

struct evolve {
    const struct evolve_settings *settings;
    uv_loop_t loop;
    uv_timer_t commit, draw;
    uv_idle_t more; /* active while known results may be left */
    uv_signal_t signals[EVOLVE_SIGNALS];
    struct farm *farm;
    struct control *control;                  /* NULL: there is none */
    struct reuse *reuse[TRIAL_PURPOSE_COUNT]; /* NULL: everybody is simulated */
    uint64_t task_count;
    struct progress_state state;
    int is_starting; /* farm_create() is under way: the farm cannot be stopped yet */
    int is_stopping;
    int is_finished;
    int is_waiting;       /* for choices */
    int is_chosen;        /* the order has come to go on */
    int64_t chosen_until; /* generations before this one have their choices from another run */
    int champion_rank;    /* in the last generation, of the candidate for champion; 0 = best */
    uint64_t *failed;     /* seeds that failed the exam: others that move alike would */
    int failed_count;
    int is_exam_begun;     /* of that candidate */
    int is_champion_known; /* or that nobody has passed */
    struct exam exam;
    struct error error; /* code 0: none */
};

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

static void stop_farm(struct evolve *evolve)
{
    if (evolve->farm)
        farm_stop(evolve->farm, on_farm_stopped, evolve);
    else
        on_farm_stopped(evolve);
}

static void stop(struct evolve *evolve)
{
    if (evolve->is_stopping)
        return;
    evolve->is_stopping = 1;
    if (!evolve->is_starting)
        stop_farm(evolve);
}

/* evolve->error is set: says so in the log and ends the run. */
static void stop_failed(struct evolve *evolve)
{
    char text[600];
    log_event(LOG_ERROR, "run_failed", "reason=%s",
              log_quote(evolve->error.message, text, sizeof text));
    stop(evolve);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct evolve *evolve = handle->data;
    log_event(LOG_INFO, "signal", "number=%d", number);
    if (evolve->is_stopping) {
        progress_end(evolve->settings->progress);
        _exit(EXIT_SECOND_SIGNAL);
    }
    progress_print(evolve->settings->progress, "stopping (once more: at once)");
    stop(evolve);
}

/* ---- generations ---- */

/* Evaluations in all generations after the current one. */
static int64_t evaluations_to_come(const struct evolve *evolve)
{
    const struct params *params = evolve->settings->params;
    struct search *search = evolve->settings->search;
    int64_t generations_left =
        (int64_t)evolve->state.last_generation - (int64_t)search_generation(search);
    int64_t each = params->population_size;
    if (!params->evolution_reevaluate)
        each -= search_survivor_count(search);
    return generations_left > 0 ? generations_left * each : 0;
}

static void count_generation(struct evolve *evolve)
{
    struct progress_state *state = &evolve->state;
    state->generation = search_generation(evolve->settings->search);
    search_get_progress(evolve->settings->search, &state->evaluated, &state->members);
    state->evaluations_left = evaluations_to_come(evolve) + state->members - state->evaluated;
}

/* Best and median of a complete generation, for the log and the progress line. Returns the best one's id. */
static uint64_t note_fitness(struct evolve *evolve)
{
    const struct population *ranked = search_population(evolve->settings->search);
    struct progress_state *state = &evolve->state;
    int judged = ranked->count - ranked->unjudged, middle = judged / 2;
    state->has_best = 1;
    state->best = ranked->individuals[0].fitness;
    state->median = judged % 2 ? ranked->individuals[middle].fitness
                               : 0.5 * ranked->individuals[middle - 1].fitness +
                                     0.5 * ranked->individuals[middle].fitness;
    return ranked->individuals[0].id;
}

/* Of a generation that is in the store. */
static void log_generation(struct evolve *evolve, uint32_t number, uint64_t best_id)
{
    const struct progress_state *state = &evolve->state;
    log_event(LOG_INFO, "generation",
              "number=%" PRIu32 " best=%.9g median=%.9g best_id=%" PRIu64 " rate_hz=%.1f", number,
              state->best, state->median, best_id, progress_rate(evolve->settings->progress));
    run_log_rotate(evolve->settings->log);
}

/* ---- choices ---- */

/* Choices that the store has for the generation under way: of another run, or given before a restart. */
static int take_stored_choices(struct evolve *evolve)
{
    struct search *search = evolve->settings->search;
    uint32_t generation = search_generation(search);
    struct store_choice *choices;
    int count;
    if (!search_is_interactive(evolve->settings->params))
        return 0;
    int status =
        store_get_choices(evolve->settings->store, generation, &choices, &count, &evolve->error);
    for (int i = 0; !status && i < count; i++)
        if (search_choose(search, choices[i].id, choices[i].choice))
            status = error_set(&evolve->error, ERR_MISSING,
                               "there are choices for generation %" PRIu32
                               ", but its creature %" PRIu64 " is not in it: another run's choices",
                               generation, choices[i].id);
    free(choices);
    return status;
}

/* Closes the complete generation for the time being, so that it can be looked at. */
static int show_generation(struct evolve *evolve)
{
    struct search *search = evolve->settings->search;
    struct store_closing closing;
    int status = store_closing_init(&closing, search_population(search), 0);
    if (status)
        return error_set(&evolve->error, status, "out of memory");
    status = store_close_generation(evolve->settings->store, search_generation(search), &closing,
                                    &evolve->error);
    store_closing_deinit(&closing);
    return status;
}

static void begin_waiting(struct evolve *evolve)
{
    const char *directory = evolve->settings->directory;
    uint32_t generation = search_generation(evolve->settings->search);
    if (show_generation(evolve)) {
        stop_failed(evolve);
        return;
    }
    evolve->is_waiting = evolve->state.is_waiting = 1;
    log_event(LOG_INFO, "waiting", "generation=%" PRIu32, generation);
    progress_print(evolve->settings->progress,
                   "generation %" PRIu32
                   " waits for your choices: controller view %s, or controller "
                   "choose %s",
                   generation, directory, directory);
}

/* Whether the complete generation has to wait for somebody. */
static int must_wait(struct evolve *evolve)
{
    struct search *search = evolve->settings->search;
    if (evolve->is_chosen || search_generation(search) < evolve->chosen_until ||
        !search_wants_choices(search))
        return 0;
    if (!evolve->is_waiting)
        begin_waiting(evolve);
    return 1;
}

/* The search breeds the next generation; the store closes this one and opens that. */
static int open_next(struct evolve *evolve, const struct store_closing *closing)
{
    struct search *search = evolve->settings->search;
    uint32_t generation = search_generation(search);
    int status = search_advance(search);
    if (status)
        return error_set(&evolve->error, status, "generation %" PRIu32 " cannot be bred: %s",
                         generation + 1, error_text(status));
    status = store_put_generation(evolve->settings->store, generation + 1,
                                  search_population(search), closing, &evolve->error);
    if (!status)
        status = take_stored_choices(evolve);
    if (!status)
        count_generation(evolve);
    return status;
}

static int complete_generation(struct evolve *evolve)
{
    struct search *search = evolve->settings->search;
    struct store_closing closing;
    search_select(search);
    uint32_t number = search_generation(search);
    uint64_t best_id = note_fitness(evolve);
    int status =
        store_closing_init(&closing, search_population(search), search_survivor_count(search));
    if (status)
        return error_set(&evolve->error, status, "out of memory");
    if (search_is_finished(search)) {
        status = store_finish(evolve->settings->store, search_generation(search), &closing,
                              &evolve->error);
        evolve->is_finished = !status;
    } else {
        status = open_next(evolve, &closing);
    }
    if (!status)
        log_generation(evolve, number, best_id);
    store_closing_deinit(&closing);
    return status;
}

/* Stores the children bred since the last time. */
static int store_newborns(struct evolve *evolve)
{
    const struct individual *newborn;
    int status = search_take_newborn(evolve->settings->search, &newborn);
    while (!status && newborn) {
        status = store_put_newborn(evolve->settings->store, newborn, &evolve->error);
        if (!status)
            status = search_take_newborn(evolve->settings->search, &newborn);
    }
    if (status && !evolve->error.code)
        error_set(&evolve->error, status, "a child cannot be bred: %s", error_text(status));
    return status;
}

/* Stores the referee's words that count from now on. */
static int store_refereed(struct evolve *evolve)
{
    const struct individual *individual;
    int status = 0;
    while (!status && (individual = search_take_refereed(evolve->settings->search)) != NULL) {
        log_event(LOG_INFO, "referee",
                  "creature=%" PRIu64 " referee_fitness=%.9g fitness=%.9g words=\"%s\"",
                  individual->id, individual->referee_fitness, individual->fitness,
                  individual->referee_words);
        status = store_put_referee(evolve->settings->store, individual, &evolve->error);
    }
    return status;
}

/* Whether the generation is complete; -1: it failed. Everything new is stored. */
static int check_complete(struct evolve *evolve)
{
    int is_complete = search_is_complete(evolve->settings->search);
    if (store_refereed(evolve) || store_newborns(evolve)) {
        stop_failed(evolve);
        return -1;
    }
    return is_complete;
}

/* The candidate for champion, which must pass the exam before the run ends; NULL: there is no
 * candidate now. */
static const struct individual *find_candidate(const struct evolve *evolve)
{
    const struct params *params = evolve->settings->params;
    struct search *search = evolve->settings->search;
    const struct population *ranked = search_population(search);
    if (evolve->is_champion_known || params->evolution_behaviour == BEHAVIOUR_INTERACTIVE ||
        !search_is_finished(search) || evolve->failed_count >= params->guard_exam_candidates ||
        evolve->champion_rank >= ranked->count - ranked->unjudged)
        return NULL;
    const struct individual *candidate = &ranked->individuals[evolve->champion_rank];
    return candidate->fitness > 0 ? candidate : NULL;
}

/* Advances while generations are complete: more than once only if a generation has nothing to
 * evaluate (all of it survives). Ends the run after the last one. */
static void advance(struct evolve *evolve)
{
    while (!evolve->is_finished && check_complete(evolve) == 1 && !find_candidate(evolve) &&
           !must_wait(evolve)) {
        struct progress_state done = evolve->state;
        if (complete_generation(evolve)) {
            stop_failed(evolve);
            return;
        }
        evolve->is_chosen = 0;
        done.has_best = 1;
        done.best = evolve->state.best;
        done.median = evolve->state.median;
        progress_show(evolve->settings->progress, &done, 1);
    }
    if (evolve->is_finished)
        stop(evolve);
}

/* ---- what the farm calls ---- */

/* The candidate for champion, if one of its trials can be simulated now. */
static const struct individual *ask_exam(struct evolve *evolve, struct task *task)
{
    const struct params *params = evolve->settings->params;
    const struct individual *candidate = find_candidate(evolve);
    if (!candidate)
        return NULL;
    if (!evolve->is_exam_begun)
        exam_begin(&evolve->exam,
                   behaviour_fitness(candidate->verdict, &candidate->measures, params),
                   candidate->genome.kind, params);
    evolve->is_exam_begun = 1;
    return exam_ask(&evolve->exam, &task->trial) ? candidate : NULL;
}

/* The next individual to simulate, and how: one before the referee (others may wait for it), one
 * without a result, or the candidate for champion. */
static const struct individual *ask(struct evolve *evolve, struct task *task)
{
    const struct individual *individual = search_ask_referee(evolve->settings->search);
    if (individual) {
        task->trial = referee_trial(individual->referee_trial, evolve->settings->params);
        return individual;
    }
    individual = search_ask(evolve->settings->search);
    return individual ? individual : ask_exam(evolve, task);
}

/* Counts the new result and goes on to the next generation if it was the last of this one. */
static void count_result(struct evolve *evolve, int status)
{
    if (status) {
        stop_failed(evolve);
        return;
    }
    evolve->state.evaluations_left--;
    progress_count(evolve->settings->progress);
    advance(evolve);
    search_get_progress(evolve->settings->search, &evolve->state.evaluated, &evolve->state.members);
}

/* The referee's result; what it means is stored as soon as the search knows. */
static void take_entry(struct evolve *evolve, const struct task *task, int verdict,
                       const struct measures *measures)
{
    if (search_tell_referee(evolve->settings->search, task->creature, verdict, measures))
        advance(evolve);
}

static int has_failed(const struct evolve *evolve, uint64_t seed)
{
    for (int i = 0; i < evolve->failed_count; i++)
        if (evolve->failed[i] == seed)
            return 1;
    return 0;
}

/* The next in rank that does not move like one that has failed. */
static void go_to_next_candidate(struct evolve *evolve)
{
    const struct population *ranked = search_population(evolve->settings->search);
    evolve->failed[evolve->failed_count++] = ranked->individuals[evolve->champion_rank].seed;
    do
        evolve->champion_rank++;
    while (evolve->champion_rank < ranked->count &&
           has_failed(evolve, ranked->individuals[evolve->champion_rank].seed));
}

/* The exam is over: the run has its champion, or the next in rank is examined. If all fail, the
 * store says so of the best. */
static void end_exam(struct evolve *evolve, uint64_t candidate)
{
    struct store_champion champion = {.id = candidate, .holds = exam_holds(&evolve->exam)};
    exam_describe(&evolve->exam, champion.words);
    log_event(LOG_INFO, "champion", "creature=%" PRIu64 " holds=%d words=\"%s\"", champion.id,
              champion.holds, champion.words);
    if (!champion.holds && evolve->champion_rank == 0)
        progress_print(evolve->settings->progress,
                       "creature %" PRIu64 " is not the champion: %s; others are examined",
                       champion.id, champion.words);
    if ((champion.holds || evolve->champion_rank == 0) &&
        store_put_champion(evolve->settings->store, &champion, &evolve->error)) {
        stop_failed(evolve);
        return;
    }
    evolve->is_exam_begun = 0;
    if (!champion.holds)
        go_to_next_candidate(evolve);
    evolve->is_champion_known = champion.holds || !find_candidate(evolve);
    advance(evolve);
}

static void take_champion(struct evolve *evolve, const struct task *task, int verdict,
                          const struct measures *measures)
{
    const struct params *params = evolve->settings->params;
    const struct individual *candidate = find_candidate(evolve);
    struct store_trial trial = {.id = candidate->id, .trial = task->trial, .verdict = verdict};
    trial.fitness = referee_fitness(candidate, verdict, measures, params);
    if (store_put_trial(evolve->settings->store, &trial, &evolve->error)) {
        stop_failed(evolve);
        return;
    }
    exam_tell(&evolve->exam, &task->trial, trial.fitness);
    if (exam_is_over(&evolve->exam))
        end_exam(evolve, candidate->id);
}

/* Of the referee's tasks. */
static void take_trial(struct evolve *evolve, const struct task *task, int verdict,
                       const struct measures *measures)
{
    static void (*const take[TRIAL_PURPOSE_COUNT])(struct evolve *, const struct task *, int,
                                                   const struct measures *) = {
        [TRIAL_ENTRY] = take_entry, [TRIAL_CHAMPION] = take_champion};
    take[task->trial.purpose](evolve, task, verdict, measures);
}

static void take_first(struct evolve *evolve, const struct task *task, const struct result *result,
                       const struct store_cost *cost)
{
    const struct individual *individual =
        search_tell(evolve->settings->search, task->creature, result->verdict, &result->measures,
                    result->digest);
    if (!individual)
        return;
    count_result(evolve,
                 store_put_result(evolve->settings->store, individual, cost, &evolve->error));
}

static void take_result(struct evolve *evolve, const struct task *task, const struct result *result,
                        const struct store_cost *cost)
{
    if (task->trial.purpose == TRIAL_FIRST)
        take_first(evolve, task, result, cost);
    else
        take_trial(evolve, task, result->verdict, &result->measures);
}

/* As if it had come back from a worker. */
static void take_known(struct evolve *evolve, const struct task *task, const struct result *known)
{
    struct store_cost cost = {
        .worker = -1, .reused = known->creature, .pace_least_m_s = known->pace_least_m_s};
    take_result(evolve, task, known, &cost);
}

static void on_result(void *context, const struct task *task, const struct result *result, int slot)
{
    struct evolve *evolve = context;
    struct store_cost cost = {.task = result->cost,
                              .worker = slot,
                              .attempt = task->attempt,
                              .pace_least_m_s = result->pace_least_m_s};
    struct reuse *reuse = evolve->reuse[task->trial.purpose];
    if (evolve->is_stopping)
        return;
    if (reuse && reuse_tell(reuse, task, result, &evolve->error))
        stop_failed(evolve);
    else
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
    error_set(&evolve->error, status, "creature %" PRIu64 " cannot be submitted: %s",
              task->creature, error_text(status));
    stop_failed(evolve);
}

/* A copy of what the search asks for; 0: there is nothing, or it failed. */
static int make_task(struct evolve *evolve, struct task *task)
{
    *task = (struct task){.id = evolve->task_count + 1};
    const struct individual *individual = ask(evolve, task);
    if (!individual)
        return 0;
    evolve->task_count++;
    task->creature = individual->id;
    task->seed = individual->seed;
    task->bar = individual->bar;
    if (task->trial.purpose == TRIAL_FIRST &&
        !phenotype_key_has_seed(evolve->settings->params, &task->trial))
        task->key = individual->key;
    int status = genome_copy(&task->genome, &individual->genome);
    if (!status)
        status = packed_genome_copy(&task->packed, &individual->packed);
    if (status)
        stop_at_task(evolve, task, status);
    return !status;
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
    struct evolve *evolve = context;
    int known_count = 0;
    struct task task;
    while (!evolve->is_stopping && room > 0 && known_count < KNOWN_AT_ONCE &&
           next_task(evolve, &task)) {
        const struct result *known;
        struct reuse *reuse = evolve->reuse[task.trial.purpose];
        int status = reuse ? reuse_ask(reuse, &task, &known) : REUSE_UNKNOWN;
        if (status == REUSE_KNOWN) {
            take_known(evolve, &task, known);
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
    quote_path(evolve->settings->directory, directory, sizeof directory);
    snprintf(text, size,
             "controller save %s %" PRIu64 " -o creature-%" PRIu64
             ".creature && simulator evaluate creature-%" PRIu64 ".creature %s/params.ini",
             directory, id, id, id, directory);
}

/* It crashed before the referee only: it loses its fitness, and the run's events tell of it. */
static void on_referee_quarantine(struct evolve *evolve, const struct task *task,
                                  const char *reason)
{
    static const struct measures no_measures;
    char where[80], trial[TRIAL_TEXT_SIZE];
    char command[2 * RUN_PATH_SIZE + 256], detail[sizeof command + 512];
    trial_describe(&task->trial, evolve->settings->params, where, sizeof where);
    trial_to_text(&task->trial, trial);
    print_reproduction(evolve, task->creature, command, sizeof command);
    progress_print(evolve->settings->progress, "quarantine: creature %" PRIu64 " %s: %s",
                   task->creature, where, reason);
    snprintf(detail, sizeof detail, "creature %" PRIu64 " %s: %s; shown again by: %s --trial %s",
             task->creature, where, reason, command, trial);
    if (store_put_event(evolve->settings->store, "referee_quarantined", detail, &evolve->error))
        stop_failed(evolve);
    else
        take_trial(evolve, task, VERDICT_QUARANTINED, &no_measures);
}

static void on_quarantine(void *context, const struct task *task, const char *reason,
                          const char *log)
{
    static const struct measures no_measures;
    struct evolve *evolve = context;
    char command[2 * RUN_PATH_SIZE + 256];
    if (evolve->is_stopping)
        return;
    if (evolve->reuse[task->trial.purpose])
        reuse_forget(evolve->reuse[task->trial.purpose], task);
    if (task->trial.purpose != TRIAL_FIRST) {
        on_referee_quarantine(evolve, task, reason);
        return;
    }
    const struct individual *individual =
        search_tell(evolve->settings->search, task->creature, VERDICT_QUARANTINED, &no_measures, 0);
    if (!individual)
        return;
    progress_print(evolve->settings->progress, "creature %" PRIu64 " is in quarantine: %s",
                   task->creature, reason);
    print_reproduction(evolve, task->creature, command, sizeof command);
    count_result(evolve, store_put_quarantine(evolve->settings->store, individual, reason, command,
                                              log, &evolve->error));
}

static void on_notice(void *context, const char *text)
{
    struct evolve *evolve = context;
    progress_print(evolve->settings->progress, "%s", text);
}

static void on_failure(void *context, const char *reason)
{
    struct evolve *evolve = context;
    error_set(&evolve->error, ERR_IO, "%s", reason);
    stop_failed(evolve);
}

/* ---- orders ---- */

static char *print_answer(const char *head, const char *text)
{
    size_t size = strlen(head) + strlen(text) + 2;
    char *answer = malloc(size);
    if (answer)
        snprintf(answer, size, "%s%s\n", head, text);
    return answer;
}

static char *order_workers(struct evolve *evolve, const char *number)
{
    char *end, detail[64];
    long count = strtol(number, &end, 10);
    if (end == number || *end || count < 1 || count > FARM_WORKERS_MAX)
        return print_answer("error: ", "that is no number of workers");
    struct error error = {0};
    if (farm_check_descriptors((int)count, &error))
        return print_answer("error: ", error.message);
    snprintf(detail, sizeof detail, "%d -> %ld", farm_worker_count(evolve->farm), count);
    farm_set_worker_count(evolve->farm, (int)count);
    if (store_put_event(evolve->settings->store, "workers", detail, &evolve->error))
        stop_failed(evolve);
    snprintf(detail, sizeof detail, "%ld worker%s from now on", count, count == 1 ? "" : "s");
    progress_print(evolve->settings->progress, "%s", detail);
    return print_answer("ok\n", detail);
}

static char *order_pause(struct evolve *evolve, int is_paused)
{
    const char *text = is_paused ? "paused" : "continued";
    if (farm_is_paused(evolve->farm) == is_paused)
        return print_answer("ok\n", is_paused ? "paused already" : "not paused");
    farm_set_paused(evolve->farm, is_paused);
    if (store_put_event(evolve->settings->store, text, "", &evolve->error))
        stop_failed(evolve);
    progress_print(evolve->settings->progress, "%s", text);
    return print_answer("ok\n", text);
}

/* "choose ID CHOICE" */
static char *order_choose(struct evolve *evolve, const char *arguments)
{
    struct search *search = evolve->settings->search;
    char name[16], text[160];
    uint64_t id;
    int choice;
    if (sscanf(arguments, "%" SCNu64 " %15s", &id, name) != 2 || choice_find(name, &choice))
        return print_answer("error: ", "that is no choice");
    if (store_check_choice(evolve->settings->store, id, &evolve->error)) {
        char *answer = print_answer("error: ", evolve->error.message);
        evolve->error.code = 0;
        return answer;
    }
    if (store_put_choice(evolve->settings->store, id, choice, &evolve->error) ||
        store_commit(evolve->settings->store, &evolve->error)) {
        stop_failed(evolve);
        return print_answer("error: ", evolve->error.message);
    }
    search_choose(search, id, choice);
    snprintf(text, sizeof text, "creature %" PRIu64 " in generation %" PRIu32 ": %s", id,
             search_generation(search), choice_name(choice));
    return print_answer("ok\n", text);
}

/* "next": the generation that waits is bred from. */
static char *order_next(struct evolve *evolve)
{
    char text[64];
    uint32_t generation = search_generation(evolve->settings->search);
    if (!evolve->is_waiting)
        return print_answer("error: ", "the generation is not complete yet");
    if (store_put_event(evolve->settings->store, "chosen", "", &evolve->error)) {
        stop_failed(evolve);
        return print_answer("error: ", evolve->error.message);
    }
    evolve->is_waiting = evolve->state.is_waiting = 0;
    evolve->is_chosen = 1;
    advance(evolve);
    farm_wake(evolve->farm);
    snprintf(text, sizeof text, "generation %" PRIu32 " is bred", generation + 1);
    return print_answer("ok\n", text);
}

static char *on_order(void *context, const char *line)
{
    static const char workers[] = "workers ", choose[] = "choose ";
    struct evolve *evolve = context;
    if (strcmp(line, "status") == 0) {
        char *live =
            live_print(evolve->farm, &evolve->state, progress_rate(evolve->settings->progress));
        char *answer = live ? print_answer("ok\n", live) : NULL;
        free(live);
        return answer;
    }
    if (!evolve->farm || evolve->is_stopping)
        return print_answer("error: ", "the run is ending");
    if (strncmp(line, workers, strlen(workers)) == 0)
        return order_workers(evolve, line + strlen(workers));
    if (strcmp(line, "pause") == 0 || strcmp(line, "continue") == 0)
        return order_pause(evolve, line[0] == 'p');
    if (strncmp(line, choose, strlen(choose)) == 0)
        return order_choose(evolve, line + strlen(choose));
    if (strcmp(line, "next") == 0)
        return order_next(evolve);
    return print_answer("error: ", "unknown order");
}

/* A run goes on without orders where there can be no socket. */
static void start_control(struct evolve *evolve)
{
    char text[600];
    struct error error = {0};
    evolve->control =
        control_create(&evolve->loop, evolve->settings->directory, on_order, evolve, &error);
    if (!evolve->control)
        log_event(LOG_WARN, "no_control", "reason=%s", log_quote(error.message, text, sizeof text));
}

/* ---- timers and setting up ---- */

static void on_commit(uv_timer_t *timer)
{
    struct evolve *evolve = timer->data;
    struct store *store = evolve->settings->store;
    if (!evolve->is_stopping &&
        (store_commit(store, &evolve->error) || store_check_place(store, &evolve->error)))
        stop_failed(evolve);
}

static void on_draw(uv_timer_t *timer)
{
    struct evolve *evolve = timer->data;
    if (!evolve->is_stopping)
        progress_show(evolve->settings->progress, &evolve->state, 0);
}

/* Under nohup a hangup must not end the run. */
static int is_ignored(int number)
{
    struct sigaction action;
    return number == SIGHUP && !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

static void start_handles(struct evolve *evolve)
{
    uint64_t commit_ms = (uint64_t)(evolve->settings->params->farm_commit_s * 1000.0);
    uv_timer_init(&evolve->loop, &evolve->commit);
    uv_timer_init(&evolve->loop, &evolve->draw);
    uv_idle_init(&evolve->loop, &evolve->more);
    evolve->commit.data = evolve->draw.data = evolve->more.data = evolve;
    uv_timer_start(&evolve->commit, on_commit, commit_ms, commit_ms);
    uv_timer_start(&evolve->draw, on_draw, DRAW_MS, DRAW_MS);
    for (int i = 0; i < EVOLVE_SIGNALS; i++) {
        uv_signal_init(&evolve->loop, &evolve->signals[i]);
        evolve->signals[i].data = evolve;
        if (!is_ignored(evolve_signals[i]))
            uv_signal_start(&evolve->signals[i], on_signal, evolve_signals[i]);
    }
}

static void start_farm(struct evolve *evolve)
{
    char logs[RUN_PATH_SIZE];
    struct farm_settings settings = {.params = evolve->settings->params,
                                     .worker_count = evolve->settings->worker_count,
                                     .simulator_path = evolve->settings->simulator_path,
                                     .fingerprint = evolve->settings->fingerprint,
                                     .log_directory = logs};
    struct farm_callbacks callbacks = {.context = evolve,
                                       .on_result = on_result,
                                       .on_quarantine = on_quarantine,
                                       .on_hungry = on_hungry,
                                       .on_notice = on_notice,
                                       .on_failure = on_failure};
    evolve->is_starting = 1;
    if (!run_directory_path(evolve->settings->directory, "logs", logs, &evolve->error))
        evolve->farm = farm_create(&evolve->loop, &settings, &callbacks, &evolve->error);
    if (!evolve->farm)
        stop_failed(evolve);
    evolve->is_starting = 0;
    if (evolve->is_stopping)
        stop_farm(evolve);
}

static void restore_result(void *context, const struct individual *individual,
                           double pace_least_m_s)
{
    reuse_restore(context, individual, pace_least_m_s);
}

/* With the first results of the run so far; the store does not keep those of trials. 0, or ERR_* with a message. */
static int start_reuse(struct evolve *evolve)
{
    if (!evolve->settings->params->farm_reuse)
        return 0;
    for (int i = 0; i < TRIAL_PURPOSE_COUNT; i++) {
        evolve->reuse[i] = reuse_create(evolve->settings->params);
        if (!evolve->reuse[i])
            return error_set(&evolve->error, ERR_MEMORY, "out of memory");
    }
    return store_get_results(evolve->settings->store, restore_result, evolve->reuse[TRIAL_FIRST],
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
    struct evolve evolve = {.settings = settings};
    evolve.failed = calloc((size_t)settings->params->guard_exam_candidates, sizeof *evolve.failed);
    if (!evolve.failed)
        return error_set(error, ERR_MEMORY, "out of memory");
    if (uv_loop_init(&evolve.loop)) {
        free(evolve.failed);
        return error_set(error, ERR_IO, "the event loop cannot be made");
    }
    evolve.state.last_generation = (uint32_t)(settings->params->evolution_generations - 1);
    count_generation(&evolve);
    start_handles(&evolve);
    if (store_get_chosen_until(settings->store, &evolve.chosen_until, &evolve.error) ||
        take_stored_choices(&evolve) || start_reuse(&evolve))
        stop_failed(&evolve);
    else
        advance(&evolve);
    if (!evolve.is_stopping)
        start_control(&evolve);
    if (!evolve.is_stopping)
        start_farm(&evolve);
    uv_run(&evolve.loop, UV_RUN_DEFAULT);
    int open_handles = uv_loop_close(&evolve.loop);
    ENSURE(open_handles == 0, "the loop ended with open handles");
    progress_end(settings->progress);
    end_reuse(&evolve);
    free(evolve.failed);

    *outcome = evolve.is_finished ? EVOLVE_FINISHED : EVOLVE_STOPPED;
    if (evolve.error.code)
        *error = evolve.error;
    return evolve.error.code;
}
