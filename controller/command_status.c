/* controller status: where a run stands, also while a controller works on it. */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "controller/cells.h"
#include "controller/commands.h"
#include "controller/run_directory.h"

static const char help[] =
    "usage: controller status RUN_DIR [--json]\n"
    "Says where a run stands, also while it is running.\n"
    "\n"
    "      --json    one object; the keys are explained in docs/run-store.md\n"
    "  -h, --help\n";

struct report {
    const char *directory;
    struct store_status store;
    struct params params;
    pid_t holder; /* the controller at work, 0 = none */
    int64_t disk_bytes;
};

static const char *state_name(const struct report *report)
{
    if (report->holder)
        return "running";
    return report->store.is_finished ? "finished" : "stopped";
}

static int make_report(const char *directory, struct report *report, struct error *error)
{
    struct store *store = NULL;
    char lock[RUN_PATH_SIZE];
    report->directory = directory;
    int status = command_open_run(directory, &store, error);
    if (!status)
        status = store_get_status(store, &report->store, error);
    if (!status)
        status = store_get_params(store, &report->params, error);
    if (!status)
        status = run_directory_path(directory, "lock", lock, error);
    if (!status) {
        report->holder = run_directory_lock_holder(lock);
        report->disk_bytes = run_directory_disk_bytes(directory);
    }
    store_close(store);
    return status;
}

/* Cells of the archive's grid, 0 if the run has none. */
static int count_cells(const struct report *report)
{
    struct cell_grid grid;
    struct error error;
    if (report->params.evolution_search != SEARCH_ARCHIVE ||
        cell_grid_parse(&grid, report->params.archive_cells, &error))
        return 0;
    return grid.count;
}

static void print_text(const struct report *report)
{
    const struct store_status *store = &report->store;
    printf("run         %s (%s, seed %" PRId64 ", begun %s)\n", report->directory,
           report->params.run_name, report->params.run_seed, store->created_utc);
    printf("state       %s", state_name(report));
    if (report->holder)
        printf(" (process %ld)", (long)report->holder);
    printf("\ngeneration  %" PRIu32 " of 0 .. %" PRId64 ", %" PRId64 " of %" PRId64
           " creatures evaluated\n",
           store->generation, report->params.evolution_generations - 1,
           store->evaluated_in_generation, store->members_in_generation);
    if (store->closed_generation >= 0)
        printf("fitness     best %.6g (creature %" PRIu64 "), median %.6g, in generation %" PRId64
               "\n",
               store->best, store->best_id, store->median, store->closed_generation);
    if (store->has_best_so_far && store->closed_generation < (int64_t)store->generation)
        printf("            best so far in generation %" PRIu32 ": %.6g\n", store->generation,
               store->best_so_far);
    if (store->cells_filled >= 0)
        printf("archive     %" PRId64 " of %d cells filled\n", store->cells_filled,
               count_cells(report));
    printf("creatures   %" PRId64 " bred, %" PRId64 " evaluated, %" PRId64 " in quarantine\n",
           store->individuals, store->evaluated, store->quarantined);
    if (report->holder && store->evaluations_per_s > 0)
        printf("speed       %.1f evaluations/s\n", store->evaluations_per_s);
    printf("disk        %.1f MB\n", (double)report->disk_bytes / 1e6);
}

static void set_fitness(json_t *object, const struct store_status *store)
{
    int has_closed = store->closed_generation >= 0;
    json_object_set_new(object, "closed_generation",
                        has_closed ? json_integer(store->closed_generation) : json_null());
    json_object_set_new(object, "best", has_closed ? json_real(store->best) : json_null());
    json_object_set_new(object, "best_id",
                        has_closed ? json_integer((json_int_t)store->best_id) : json_null());
    json_object_set_new(object, "median", has_closed ? json_real(store->median) : json_null());
    json_object_set_new(object, "best_so_far",
                        store->has_best_so_far ? json_real(store->best_so_far) : json_null());
}

static json_t *cost_of(const struct report *report)
{
    const struct store_status *store = &report->store;
    json_t *cost = json_object();
    json_object_set_new(cost, "process",
                        report->holder ? json_integer(report->holder) : json_null());
    json_object_set_new(cost, "created_utc", json_string(store->created_utc));
    json_object_set_new(cost, "evaluations_per_s",
                        report->holder ? json_real(store->evaluations_per_s) : json_null());
    json_object_set_new(cost, "disk_bytes", json_integer(report->disk_bytes));
    return cost;
}

static int print_json(const struct report *report)
{
    const struct store_status *store = &report->store;
    json_t *object = json_object();
    json_object_set_new(object, "run", json_string(report->directory));
    json_object_set_new(object, "name", json_string(report->params.run_name));
    json_object_set_new(object, "seed", json_integer(report->params.run_seed));
    json_object_set_new(object, "state", json_string(state_name(report)));
    json_object_set_new(object, "is_running", json_boolean(report->holder));
    json_object_set_new(object, "is_finished", json_boolean(store->is_finished));
    json_object_set_new(object, "generation",
                        store->has_generation ? json_integer(store->generation) : json_null());
    json_object_set_new(object, "generations", json_integer(report->params.evolution_generations));
    json_object_set_new(object, "evaluated_in_generation",
                        json_integer(store->evaluated_in_generation));
    json_object_set_new(object, "members_in_generation",
                        json_integer(store->members_in_generation));
    json_object_set_new(object, "individuals", json_integer(store->individuals));
    json_object_set_new(object, "evaluated", json_integer(store->evaluated));
    json_object_set_new(object, "quarantined", json_integer(store->quarantined));
    set_fitness(object, store);
    json_object_set_new(object, "cells_filled",
                        store->cells_filled >= 0 ? json_integer(store->cells_filled) : json_null());
    json_object_set_new(object, "cells",
                        count_cells(report) ? json_integer(count_cells(report)) : json_null());
    json_object_set_new(object, "cost", cost_of(report));
    int status = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    putchar('\n');
    return status ? COMMAND_FAILED : COMMAND_OK;
}

int command_status(int argc, char **argv)
{
    enum { OPTION_JSON = 256 };
    static const struct option options[] = {{"json", no_argument, NULL, OPTION_JSON},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int is_json = 0, answer;
    opterr = 0;
    while ((answer = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (answer == 'h') {
            fputs(help, stdout);
            return command_finish_output();
        }
        if (answer != OPTION_JSON)
            return command_bad_option(argv, answer);
        is_json = 1;
    }
    int result = command_check_operands(argc, argv, 1, 1, "RUN_DIR");
    if (result)
        return result;

    struct report report = {.holder = 0};
    struct error error = {0};
    if (make_report(argv[optind], &report, &error))
        return command_fail(&error);
    if (!is_json)
        print_text(&report);
    else if (print_json(&report))
        return COMMAND_FAILED;
    return command_finish_output();
}
