/* Orders to a run at work, as they come in through the control socket (control.h): another number
 * of workers, pause, continue, status, choices. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/json_text.h"
#include "common/system/log.h"
#include "controller/run/deeds.h"

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
    evolve_put_event(evolve, "workers", detail);
    snprintf(detail, sizeof detail, "%ld worker%s from now on", count, count == 1 ? "" : "s");
    progress_print(evolve->progress, "%s", detail);
    return print_answer("ok\n", detail);
}

static char *order_pause(struct evolve *evolve, int is_paused)
{
    const char *text = is_paused ? "paused" : "continued";
    if (farm_is_paused(evolve->farm) == is_paused)
        return print_answer("ok\n", is_paused ? "paused already" : "not paused");
    farm_set_paused(evolve->farm, is_paused);
    evolve->state.is_paused = is_paused;
    evolve_put_event(evolve, text, "");
    progress_print(evolve->progress, "%s", text);
    return print_answer("ok\n", text);
}

/* "choose ID CHOICE" */
static char *order_choose(struct evolve *evolve, const char *arguments)
{
    char name[16], text[160];
    uint64_t id;
    int choice;
    if (sscanf(arguments, "%" SCNu64 " %15s", &id, name) != 2 || choice_find(name, &choice))
        return print_answer("error: ", "that is no choice");
    if (store_check_choice(evolve->store, id, &evolve->error)) {
        char *answer = print_answer("error: ", evolve->error.message);
        evolve->error.code = 0;
        return answer;
    }
    if (evolve_end_if(evolve, store_put_choice(evolve->store, id, choice, &evolve->error) ||
                                  store_commit(evolve->store, &evolve->error)))
        return print_answer("error: ", evolve->error.message);
    search_choose(evolve->search, id, choice);
    snprintf(text, sizeof text, "creature %" PRIu64 " in generation %" PRIu32 ": %s", id,
             search_generation(evolve->search), choice_name(choice));
    return print_answer("ok\n", text);
}

/* "next": the generation that waits is bred from. */
static char *order_next(struct evolve *evolve)
{
    char text[64];
    if (!evolve->is_waiting)
        return print_answer("error: ", "the generation is not complete yet");
    uint32_t generation = search_generation(evolve->search);
    if (evolve_put_event(evolve, "chosen", ""))
        return print_answer("error: ", evolve->error.message);
    evolve->is_waiting = evolve->state.is_waiting = 0;
    evolve->is_chosen = 1;
    evolve_advance(evolve);
    farm_wake(evolve->farm);
    snprintf(text, sizeof text, "generation %" PRIu32 " is bred", generation + 1);
    return print_answer("ok\n", text);
}

/* "tend WORLD DEED", see deeds.h. */
static char *order_tend(struct evolve *evolve, const char *line)
{
    struct error error = {0};
    char text[160];
    uint32_t world;
    if (!evolve->preserve)
        return print_answer("error: ", "the run is no preserve");
    if (sscanf(line, "%9" SCNu32, &world) != 1 || world >= evolve->params->preserve_worlds)
        return print_answer("error: ", "that is no world of this run");
    if (deeds_put(evolve->store, evolve->params, line, evolve_find_next_epoch(evolve, world), text,
                  sizeof text, &error))
        return print_answer("error: ", error.message);
    evolve_end_if(evolve, store_commit(evolve->store, &evolve->error));
    progress_print(evolve->progress, "%s", text);
    return print_answer("ok\n", text);
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *describe_worker(const struct farm_worker_status *status)
{
    char trial[TRIAL_TEXT_SIZE];
    trial_to_text(&status->trial, trial);
    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:s, s:i, s:f, s:f, s:I, s:I, s:f}",
        "worker", status->slot, "process", json_integer_if(status->pid != 0, status->pid), "host",
        text_or_null(status->host), "job", text_or_null(status->job), "step",
        text_or_null(status->step), "state", status->state, "task",
        json_integer_if(status->task > 0, (json_int_t)status->task), "creature",
        json_integer_if(status->creature > 0, (json_int_t)status->creature), "is_referee",
        status->trial.purpose != TRIAL_FIRST, "trial", trial, "attempt", status->attempt,
        "task_cpu_s", status->task_cpu_s, "busy_share", status->busy_share, "tasks_done",
        (json_int_t)status->tasks_done, "restarts", (json_int_t)status->restarts, "busy_s",
        status->busy_s);
}

/* All slots that have a process or wait for one; returns the restarts of all. */
static uint64_t describe_workers(const struct farm *farm, json_t *workers)
{
    uint64_t restarts = 0;
    for (int i = 0; farm && i < farm_slot_count(farm); i++) {
        struct farm_worker_status status;
        farm_worker_status(farm, i, &status);
        restarts += status.restarts;
        if (strcmp(status.state, "gone") != 0)
            json_array_append_new(workers, describe_worker(&status));
    }
    return restarts;
}

/* A report of the controller at work for `controller status`: one JSON object on one line, the keys
 * as docs/run-store.md has them. */
static char *order_status(const struct evolve *evolve)
{
    const struct farm *farm = evolve->farm;
    const struct progress_state *state = &evolve->state;
    double rate_hz = progress_rate(evolve->progress);
    json_t *workers = json_array(), *polish = json_null(), *exam = json_null();
    int64_t left = state->evaluations_left;
    int is_paused = farm && farm_is_paused(farm);
    int is_known = rate_hz > 0 && !is_paused && !state->is_waiting && !state->exam_candidate &&
                   !state->polish_count;
    uint64_t restarts = describe_workers(farm, workers);
    if (state->polish_count)
        polish =
            json_pack("{s:i, s:i}", "done", state->polish_done, "evaluations", state->polish_count);
    if (state->exam_candidate)
        exam = json_pack("{s:i, s:i, s:i}", "candidate", state->exam_candidate, "trial",
                         state->exam_trial, "trials", state->exam_trials);
    json_t *live = json_pack(
        "{s:b, s:b, s:o, s:o, s:f, s:I, s:o, s:i, s:I, s:o}", "is_paused", is_paused, "is_waiting",
        state->is_waiting, "polish", polish, "exam", exam, "evaluations_per_s", rate_hz,
        "evaluations_left", (json_int_t)left, "left_s",
        json_real_if(is_known, (double)left / rate_hz), "workers_wanted",
        farm ? farm_worker_count(farm) : 0, "restarts", (json_int_t)restarts, "workers", workers);
    char *text = json_dumps(live, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(live);
    char *answer = text ? print_answer("ok\n", text) : NULL;
    free(text);
    return answer;
}

static char *on_order(void *context, const char *line)
{
    static const char workers[] = "workers ", choose[] = "choose ", tend[] = "tend ";
    struct evolve *evolve = context;
    if (strcmp(line, "status") == 0)
        return order_status(evolve);
    if (!evolve->farm || evolve->is_stopping)
        return print_answer("error: ", "the run is ending");
    if (strncmp(line, workers, strlen(workers)) == 0)
        return order_workers(evolve, line + strlen(workers));
    if (strcmp(line, "pause") == 0 || strcmp(line, "continue") == 0)
        return order_pause(evolve, line[0] == 'p');
    if (strncmp(line, choose, strlen(choose)) == 0)
        return order_choose(evolve, line + strlen(choose));
    if (strncmp(line, tend, strlen(tend)) == 0)
        return order_tend(evolve, line + strlen(tend));
    if (strcmp(line, "next") == 0)
        return order_next(evolve);
    return print_answer("error: ", "unknown order");
}

void evolve_start_control(struct evolve *evolve)
{
    char text[600];
    struct error error = {0};
    evolve->control = control_create(&evolve->loop, evolve->directory, on_order, evolve, &error);
    if (!evolve->control)
        log_event(LOG_WARN, "no_control", "reason=%s", log_quote(error.message, text, sizeof text));
}
