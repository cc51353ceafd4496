/* controller status: where a run stands, also while a controller works on it. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/formats/json_text.h"
#include "common/system/output.h"
#include "common/text.h"
#include "controller/evolution/islands.h"
#include "controller/evolution/search.h"
#include "controller/evolution/cells.h"
#include "controller/commands/commands.h"
#include "controller/run/evolve.h"
#include "controller/run/control.h"
#include "controller/run/progress.h"
#include "controller/store/run_directory.h"

/* How long the controller may take to tell of itself, and how often it is asked to. */
#define ANSWER_MS 3000
#define WATCH_S   1

/* A task that took so much processor time is one that others wait for. */
#define LONG_TASK_S 2
/* Creatures in quarantine that are shown to people. */
#define QUARANTINE_SHOWN 10

struct report {
    const char *directory;
    struct store *run; /* open, so that all is of one moment */
    struct store_status store;
    struct params params;
    pid_t holder;                /* the controller at work, 0 = none */
    char host[STORE_PLACE_SIZE]; /* where it is, or may be, if that is another machine; else "" */
    json_t *live;                /* what it tells of itself; NULL = nothing */
    int64_t disk_bytes;
    struct store_quarantine *quarantine; /* all, or the first ones */
    int quarantine_count;
    struct store_spent *spent; /* by kind of trial */
    int spent_count;
};

static void report_deinit(struct report *report)
{
    store_free_quarantine(report->quarantine, report->quarantine_count);
    free(report->spent);
    store_close(report->run);
    json_decref(report->live);
}

static const char *state_name(const struct report *report)
{
    if (report->holder && json_is_true(json_object_get(report->live, "is_paused")))
        return "paused";
    if (report->holder && json_is_true(json_object_get(report->live, "is_waiting")))
        return "waiting";
    if (report->holder)
        return "running";
    return report->store.is_finished ? "finished" : "stopped";
}

static json_t *ask_live(const char *directory)
{
    struct error error;
    char *answer;
    if (control_ask(directory, "status", ANSWER_MS, &answer, &error))
        return NULL;
    json_t *live = json_loads(answer, 0, NULL);
    free(answer);
    return live;
}

static int make_report(const char *directory, struct report *report, int is_whole,
                       struct error *error)
{
    char lock[RUN_PATH_SIZE];
    memset(report, 0, sizeof *report);
    report->directory = directory;
    if (command_open_run(directory, &report->run, &report->params, error) ||
        store_get_status(report->run, &report->store, error) ||
        run_directory_path(directory, "lock", lock, error))
        return error->code;
    report->holder = run_directory_lock_holder(lock);
    command_find_elsewhere(&report->store, report->host, sizeof report->host);
    report->disk_bytes = run_directory_disk_bytes(directory);
    report->live = report->holder ? ask_live(directory) : NULL;
    int has_failed = store_get_quarantine(report->run, is_whole ? -1 : QUARANTINE_SHOWN,
                                          &report->quarantine, &report->quarantine_count, error) ||
                     store_get_spent(report->run, &report->spent, &report->spent_count, error);
    report->spent_count = store_sum_spent(report->spent, report->spent_count);
    return has_failed ? error->code : 0;
}

/* Cells of the archive's grid, 0 if the run has none. */
static int count_cells(const struct report *report)
{
    struct cell_grid grid;
    struct error error;
    if (!search_params_method(&report->params)->has_cells ||
        cell_grid_parse(&grid, report->params.archive_cells, &error))
        return 0;
    return grid.count;
}

/* ---- for people ---- */

static void print_choices(const struct report *report)
{
    const struct store_status *store = &report->store;
    if (!search_is_interactive(&report->params) || store->is_finished)
        return;
    output_print(stdout,
                 "choices     %" PRId64 " to breed, %" PRId64 " to keep, %" PRId64
                 " banned in generation %" PRIu32 "\n",
                 store->breed_count, store->keep_count, store->ban_count, store->generation);
    if (!strcmp(state_name(report), "waiting"))
        output_print(
            stdout,
            "            choose in the window:  controller view %s\n"
            "            or here:               controller choose %s [ID keep|ban|breed|none]... "
            "[--next]\n",
            report->directory, report->directory);
}

/* A number of what the controller tells; 0: it has none of that name. */
static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void print_speed(const struct report *report)
{
    const json_t *exam = json_object_get(report->live, "exam");
    const json_t *polish = json_object_get(report->live, "polish");
    if (json_is_object(polish)) {
        output_print(stdout, "polish      %.0f of %.0f evaluations\n", number_of(polish, "done"),
                     number_of(polish, "evaluations"));
        return;
    }
    if (json_is_object(exam)) {
        output_print(stdout, "exam        candidate %.0f, trial %.0f of %.0f\n",
                     number_of(exam, "candidate"), number_of(exam, "trial"),
                     number_of(exam, "trials"));
        return;
    }
    double rate = report->live ? number_of(report->live, "evaluations_per_s")
                               : report->store.evaluations_per_s;
    if (strcmp(state_name(report), "running") || rate <= 0)
        return;
    output_print(stdout, "speed       %.1f evaluations/s", rate);
    if (json_is_real(json_object_get(report->live, "left_s"))) {
        char left[48];
        progress_format_duration(number_of(report->live, "left_s"), left, sizeof left);
        output_print(stdout, ", %s left", left);
    }
    output_print(stdout, "\n");
}

/* Where it is, of one on another machine or in a job. */
static void print_place(const json_t *worker)
{
    const char *host = json_string_value(json_object_get(worker, "host"));
    const char *job = json_string_value(json_object_get(worker, "job"));
    const char *step = json_string_value(json_object_get(worker, "step"));
    char here[256] = "";
    gethostname(here, sizeof here - 1);
    if (host != NULL && (job != NULL || strcmp(host, here) != 0))
        output_print(stdout, "  on %s", host);
    if (job != NULL)
        output_print(stdout, ", job %s", job);
    if (step != NULL)
        output_print(stdout, ", step %s", step);
}

static void print_worker(const json_t *worker)
{
    double creature = number_of(worker, "creature"), cpu_s = number_of(worker, "task_cpu_s");
    char text[128] = "-";
    if (creature > 0)
        snprintf(text, sizeof text, "%.0f%s", creature,
                 json_is_true(json_object_get(worker, "is_referee")) ? " (referee)" : "");
    if (creature > 0 && cpu_s >= LONG_TASK_S)
        text_append(text, sizeof text, ", task %.0f (%.16s) for %.0f s, attempt %.0f",
                    number_of(worker, "task"), json_string_value(json_object_get(worker, "trial")),
                    cpu_s, 1 + number_of(worker, "attempt"));
    output_print(stdout, "  %6.0f %8.0f  %-8s %4.0f %% %10.0f %9.0f  %s",
                 number_of(worker, "worker"), number_of(worker, "process"),
                 json_string_value(json_object_get(worker, "state")),
                 100 * number_of(worker, "busy_share"), number_of(worker, "tasks_done"),
                 number_of(worker, "restarts"), text);
    print_place(worker);
    output_print(stdout, "\n");
}

static void print_workers(const struct report *report)
{
    const json_t *workers = json_object_get(report->live, "workers");
    if (report->holder && !report->live && !report->host[0])
        output_print(stdout, "workers     the controller does not answer\n");
    if (!report->live)
        return;
    output_print(stdout, "workers     %.0f, %.0f restarts\n",
                 number_of(report->live, "workers_wanted"), number_of(report->live, "restarts"));
    output_print(stdout, "  %6s %8s  %-8s %6s %10s %9s  %s\n", "worker", "process", "state", "busy",
                 "tasks", "restarts", "creature");
    for (size_t i = 0; i < json_array_size(workers); i++)
        print_worker(json_array_get(workers, i));
}

/* All processor time of the run, and where it went. */
static void print_time(const struct report *report)
{
    double all_s = report->store.controller_cpu_s;
    char name[96];
    for (int i = 0; i < report->spent_count; i++)
        all_s += report->spent[i].cpu_ms / 1000;
    if (report->spent_count == 0)
        return;
    output_print(stdout, "processor   %.1f s: ", all_s);
    for (int i = 0; i < report->spent_count; i++) {
        trial_describe_kind(&report->spent[i].trial, &report->params, name, sizeof name);
        output_print(stdout, "%s %.1f, ", name, report->spent[i].cpu_ms / 1000);
    }
    output_print(stdout, "controller %.1f\n", report->store.controller_cpu_s);
}

static void print_quarantine(const struct report *report)
{
    for (int i = 0; i < report->quarantine_count; i++)
        output_print(stdout, "quarantine  creature %" PRIu64 ": %s\n            %s\n",
                     report->quarantine[i].id, report->quarantine[i].reason,
                     report->quarantine[i].command);
    if (report->store.quarantined > report->quarantine_count)
        output_print(stdout, "            and %" PRId64 " more: see --json\n",
                     report->store.quarantined - report->quarantine_count);
}

static void print_generation(const struct report *report)
{
    const struct store_status *store = &report->store;
    char start[ISLANDS_TEXT_SIZE];
    output_print(stdout,
                 "\ngeneration  %" PRIu32 " of 0 .. %" PRId64 ", %" PRId64 " of %" PRId64
                 " creatures evaluated\n",
                 store->generation, report->params.evolution_generations - 1,
                 store->evaluated_in_generation, store->members_in_generation);
    if (store->closed_generation < 0)
        return;
    islands_name_start(&report->params, (uint32_t)store->closed_generation, start);
    output_print(stdout,
                 "fitness     best %.6g (creature %" PRIu64 "), median %.6g, in generation %" PRId64
                 "%s%s",
                 store->best, store->best_id, store->median, store->closed_generation,
                 *start ? ", " : "", start);
    if (*start && store->best_of_all > store->best)
        output_print(stdout, " (so far %.6g)", store->best_of_all);
    output_print(stdout, "\n");
}

/* Prints which epoch of a preserve is over, and what the store counts. */
static void print_epoch(const struct report *report)
{
    const struct store_status *store = &report->store;
    output_print(stdout, "\nepoch       %" PRId64 " of 0 .. %" PRId64 " is over, in all worlds\n",
                 store->closed_generation, report->params.evolution_generations - 1);
    if (store->closed_generation >= 0)
        output_print(stdout,
                     "living      %.0f in the fullest of %" PRId64
                     " worlds, %.0f in the median one\n",
                     store->best, report->params.preserve_worlds, store->median);
}

static void print_text(const struct report *report)
{
    const struct store_status *store = &report->store;
    output_print(stdout, "run         %s (%s, seed %" PRId64 ", begun %s)\n", report->directory,
                 report->params.run_name, report->params.run_seed, store->created_utc);
    output_print(stdout, "state       %s%s", state_name(report),
                 strcmp(state_name(report), "waiting") ? "" : " for choices");
    if (report->host[0])
        output_print(stdout,
                     report->holder ? " on %s: orders are given there"
                                    : ", or at work on %s: ask there",
                     report->host);
    else if (report->holder)
        output_print(stdout, " (process %ld)", (long)report->holder);
    (preserve_is_wanted(&report->params) ? print_epoch : print_generation)(report);
    print_choices(report);
    if (store->has_best_so_far && store->closed_generation < (int64_t)store->generation)
        output_print(stdout, "            best so far in generation %" PRIu32 ": %.6g\n",
                     store->generation, store->best_so_far);
    if (!preserve_is_wanted(&report->params)) {
        char text[STORE_CHAMPION_SIZE];
        store_describe_champion(store, &report->params, 1, text);
        output_print(stdout, "champion    %s\n", text);
        if (store_describe_ancestor(store, &report->params, text))
            output_print(stdout, "ancestor    %s\n", text);
    }
    if (store->cells_filled >= 0)
        output_print(stdout, "archive     %" PRId64 " of %d cells filled\n", store->cells_filled,
                     count_cells(report));
    output_print(stdout,
                 "creatures   %" PRId64 " bred, %" PRId64 " evaluated, %" PRId64 " in quarantine",
                 store->individuals, store->evaluated, store->quarantined);
    if (store->referee_quarantined)
        output_print(stdout, ", and %" PRId64 " task%s of the referee's",
                     store->referee_quarantined, store->referee_quarantined == 1 ? "" : "s");
    output_print(stdout, "\n");
    if (store->reused)
        output_print(stdout,
                     "reused      %" PRId64
                     " results (%.0f %%), of creatures with the same body and brain\n",
                     store->reused, 100 * (double)store->reused / (double)store->evaluated);
    print_speed(report);
    print_time(report);
    output_print(stdout, "disk        %.1f MB\n", (double)report->disk_bytes / 1e6);
    print_workers(report);
    print_quarantine(report);
}

/* ---- for programs ---- */

static json_t *champion_of(const struct store_status *store)
{
    const struct store_champion *champion = &store->champion;
    if (!champion->id)
        return json_null();
    return json_pack("{s:I, s:b, s:s}", "id", (json_int_t)champion->id, "holds", champion->holds,
                     "scores", champion->words);
}

static json_t *ancestor_of(const struct store_status *store)
{
    const struct store_ancestor *ancestor = &store->ancestor;
    if (!ancestor->id)
        return json_null();
    return json_pack("{s:I, s:f, s:o}", "id", (json_int_t)ancestor->id, "fitness",
                     ancestor->fitness, "source", json_text_make(ancestor->source));
}

static json_t *choices_of(const struct report *report)
{
    const struct store_status *store = &report->store;
    if (!search_is_interactive(&report->params))
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "breed", (json_int_t)store->breed_count, "keep",
                     (json_int_t)store->keep_count, "ban", (json_int_t)store->ban_count);
}

/* All members of an object, whose reference is taken. */
static void put_all(struct json_stream *stream, json_t *object)
{
    const char *key;
    json_t *value;
    stream->has_failed |= object == NULL;
    json_object_foreach(object, key, value)
    {
        json_stream_put(stream, key, json_incref(value));
    }
    json_decref(object);
}

static void put_time(struct json_stream *stream, const struct report *report)
{
    char trial[TRIAL_TEXT_SIZE];
    json_stream_put(stream, "controller_cpu_s", json_real(report->store.controller_cpu_s));
    json_stream_begin(stream, "trials", '[');
    for (int i = 0; i < report->spent_count; i++) {
        const struct store_spent *spent = &report->spent[i];
        struct trial kind = spent->trial;
        kind.perturbation = 0;
        trial_to_text(&kind, trial);
        json_stream_put(stream, NULL,
                        json_pack("{s:s, s:I, s:I, s:f}", "trial", trial, "simulated",
                                  (json_int_t)spent->simulated, "given", (json_int_t)spent->given,
                                  "cpu_s", spent->cpu_ms / 1000));
    }
    json_stream_end(stream, ']');
}

static void put_cost(struct json_stream *stream, const struct report *report)
{
    const struct store_status *store = &report->store;
    json_stream_begin(stream, "cost", '{');
    json_stream_put(stream, "process", json_integer_if(report->holder != 0, report->holder));
    json_stream_put(stream, "elsewhere",
                    report->host[0] ? json_text_make(report->host) : json_null());
    json_stream_put(stream, "created_utc", json_string(store->created_utc));
    json_stream_put(stream, "evaluations_per_s",
                    json_real_if(report->holder != 0, store->evaluations_per_s));
    json_stream_put(stream, "reused", json_integer(store->reused));
    put_time(stream, report);
    json_stream_put(stream, "disk_bytes", json_integer(report->disk_bytes));
    json_stream_begin(stream, "quarantine", '[');
    for (int i = 0; i < report->quarantine_count; i++) {
        const struct store_quarantine *entry = &report->quarantine[i];
        json_stream_put(stream, NULL,
                        json_pack("{s:I, s:s, s:s, s:s, s:s}", "id", (json_int_t)entry->id,
                                  "time_utc", entry->time_utc, "reason", entry->reason, "command",
                                  entry->command, "log", entry->log));
    }
    json_stream_end(stream, ']');
    json_stream_put(stream, "live", report->live ? json_incref(report->live) : json_null());
    json_stream_end(stream, '}');
}

/* Returns an exit code. */
static int print_json(const struct report *report, int is_compact)
{
    const struct store_status *store = &report->store;
    struct json_stream whole = {.file = stdout, .is_compact = is_compact}, *stream = &whole;
    json_stream_begin(stream, NULL, '{');
    int has_closed = store->closed_generation >= 0;
    put_all(stream,
            json_pack("{s:o, s:s, s:I, s:s, s:b, s:b, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
                      "run", json_text_make(report->directory), "name", report->params.run_name,
                      "seed", (json_int_t)report->params.run_seed, "state", state_name(report),
                      "is_running", report->holder != 0, "is_finished", store->is_finished,
                      "generation", json_integer_if(store->has_generation, store->generation),
                      "generations", (json_int_t)report->params.evolution_generations,
                      "evaluated_in_generation", (json_int_t)store->evaluated_in_generation,
                      "members_in_generation", (json_int_t)store->members_in_generation,
                      "individuals", (json_int_t)store->individuals, "evaluated",
                      (json_int_t)store->evaluated, "quarantined", (json_int_t)store->quarantined,
                      "referee_quarantined", (json_int_t)store->referee_quarantined));
    put_all(stream,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "closed_generation",
                      json_integer_if(has_closed, store->closed_generation), "best",
                      json_real_if(has_closed, store->best), "best_id",
                      json_integer_if(has_closed, (json_int_t)store->best_id), "median",
                      json_real_if(has_closed, store->median), "best_so_far",
                      json_real_if(store->has_best_so_far, store->best_so_far), "champion",
                      champion_of(store), "ancestor", ancestor_of(store), "choices",
                      choices_of(report), "cells_filled",
                      json_integer_if(store->cells_filled >= 0, store->cells_filled), "cells",
                      json_integer_if(count_cells(report) > 0, count_cells(report))));
    put_cost(stream, report);
    json_stream_end(stream, '}');
    output_print(stdout, "\n");
    return command_finish_output() || whole.has_failed ? COMMAND_FAILED : COMMAND_OK;
}

struct choices {
    int is_json, is_watch;
};

/* One report. Returns -1 if there may be another, or the exit code. */
static int show(const char *directory, const struct choices *choices)
{
    struct report report;
    struct error error = {0};
    int result = COMMAND_OK;
    if (make_report(directory, &report, choices->is_json, &error)) {
        report_deinit(&report);
        return command_fail(&error);
    }
    /* on a terminal each report takes the place of the last */
    if (choices->is_watch && !choices->is_json)
        output_print(stdout, isatty(STDOUT_FILENO) ? "\033[H\033[J" : "\n");
    if (choices->is_json)
        result = print_json(&report, choices->is_watch);
    else
        print_text(&report);
    if (!result)
        result = command_finish_output();
    int is_last = result || !choices->is_watch || !report.holder;
    report_deinit(&report);
    return is_last ? result : -1;
}

static int command_status(int argc, char **argv)
{
    struct choices choices = {0};
    int result = command_begin(&status_command, argc, argv, &choices, 1, 1, "RUN_DIR");
    if (result >= 0)
        return result;
    while ((result = show(argv[optind], &choices)) < 0)
        nanosleep(&(struct timespec){.tv_sec = WATCH_S}, NULL);
    return result;
}

static const struct option_row options[] = {
    {"watch", 0, NULL, "again every second, until the run ends",
     OPTION_AT(FLAG, choices, is_watch)},
    {"json", 0, NULL,
     "one object; the keys are explained in docs/run-store.md. With --watch one on each line",
     OPTION_AT(FLAG, choices, is_json)},
    {.name = NULL}};
COMMAND(status, "RUN_DIR", "where a run stands, also while it is running", options,
        "Says where a run stands, also while it is running.");
