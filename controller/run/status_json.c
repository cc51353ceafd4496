/* The report of a controller at work: live_print(). */
#include "controller/run/evolve_private.h"

#include <jansson.h>
#include <string.h>

static json_t *id_or_null(uint64_t id)
{
    return id ? json_integer((json_int_t)id) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *describe_worker(const struct farm_worker_status *status)
{
    json_t *worker = json_object();
    char trial[TRIAL_TEXT_SIZE];
    trial_to_text(&status->trial, trial);
    json_object_set_new(worker, "worker", json_integer(status->slot));
    json_object_set_new(worker, "process", id_or_null((uint64_t)status->pid));
    json_object_set_new(worker, "host", text_or_null(status->host));
    json_object_set_new(worker, "job", text_or_null(status->job));
    json_object_set_new(worker, "step", text_or_null(status->step));
    json_object_set_new(worker, "state", json_string(status->state));
    json_object_set_new(worker, "task", id_or_null(status->task));
    json_object_set_new(worker, "creature", id_or_null(status->creature));
    json_object_set_new(worker, "is_referee", json_boolean(status->trial.purpose != TRIAL_FIRST));
    json_object_set_new(worker, "trial", json_string(trial));
    json_object_set_new(worker, "attempt", json_integer(status->attempt));
    json_object_set_new(worker, "task_cpu_s", json_real(status->task_cpu_s));
    json_object_set_new(worker, "busy_share", json_real(status->busy_share));
    json_object_set_new(worker, "tasks_done", json_integer((json_int_t)status->tasks_done));
    json_object_set_new(worker, "restarts", json_integer((json_int_t)status->restarts));
    json_object_set_new(worker, "busy_s", json_real(status->busy_s));
    return worker;
}

static json_t *describe_exam(const struct progress_state *state)
{
    return json_pack("{s:i, s:i, s:i}", "candidate", state->exam_candidate, "trial",
                     state->exam_trial, "trials", state->exam_trials);
}

static json_t *describe_polish(const struct progress_state *state)
{
    return json_pack("{s:i, s:i}", "done", state->polish_done, "evaluations", state->polish_count);
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

char *live_print(const struct farm *farm, const struct progress_state *state, double rate_hz)
{
    json_t *live = json_object(), *workers = json_array();
    int64_t left = state->evaluations_left;
    int is_paused = farm && farm_is_paused(farm);
    json_object_set_new(live, "is_paused", json_boolean(is_paused));
    json_object_set_new(live, "is_waiting", json_boolean(state->is_waiting));
    json_object_set_new(live, "polish", state->polish_count ? describe_polish(state) : json_null());
    json_object_set_new(live, "exam", state->exam_candidate ? describe_exam(state) : json_null());
    json_object_set_new(live, "evaluations_per_s", json_real(rate_hz));
    json_object_set_new(live, "evaluations_left", json_integer(left));
    json_object_set_new(live, "left_s",
                        rate_hz > 0 && !is_paused && !state->is_waiting && !state->exam_candidate &&
                                !state->polish_count
                            ? json_real((double)left / rate_hz)
                            : json_null());
    json_object_set_new(live, "workers_wanted", json_integer(farm ? farm_worker_count(farm) : 0));
    json_object_set_new(live, "restarts",
                        json_integer((json_int_t)describe_workers(farm, workers)));
    json_object_set_new(live, "workers", workers);
    char *text = json_dumps(live, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(live);
    return text;
}
