/* From a worker's start to the moment when it takes tasks: its process, hello, setup. Here, too,
 * what the process sends becomes an event. */
#include "controller/workers/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/math/hash.h"
#include "common/system/log.h"
#include "common/version.h"

enum {
    WORKER_SETUP_MS = 30000, /* from setup to ready */
    WORKER_LOG_LIMITS = 2, /* farm.log_mb: what a log that was not yet long may grow to in a task */
};

/* ---- events from the process ---- */

static void farm_on_process_freed(void *context)
{
    struct farm *farm = context;
    farm->open_processes--;
    farm_settle(farm);
}

static void worker_on_frame(void *context, const unsigned char *payload, size_t length)
{
    static const struct {
        int type;
        enum worker_event event;
    } events[] = {
        {MESSAGE_HELLO, EVENT_HELLO},       {MESSAGE_READY, EVENT_READY},
        {MESSAGE_RESULT, EVENT_RESULT},     {MESSAGE_EPOCH_END, EVENT_RESULT},
        {MESSAGE_REJECTED, EVENT_REJECTED},
    };
    struct worker *worker = context;
    struct message message;
    struct error error = {0};
    uint64_t rejected_id;
    if (message_decode(&message, payload, length, &rejected_id, &error) != 0) {
        worker_dispatch(worker, EVENT_BAD, &(struct occasion){.reason = error.message});
        return;
    }
    enum worker_event event = EVENT_BAD;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (events[i].type == message.type)
            event = events[i].event;
    worker_dispatch(
        worker, event,
        &(struct occasion){.message = &message, .reason = "a message for simulators only"});
    message_deinit(&message);
}

static void worker_on_broken(void *context, int is_garbage, const char *reason)
{
    worker_dispatch(context, is_garbage ? EVENT_BAD : EVENT_CLOSED,
                    &(struct occasion){.reason = reason});
}

static void worker_on_exit(void *context, int exit_code, int signal)
{
    worker_dispatch(context, EVENT_EXIT,
                    &(struct occasion){.end = {.exit_code = exit_code, .signal = signal}});
}

/* ---- its start ---- */

/* Starts a process with its log. 0, or ERR_* with a message. */
static int worker_start_process(struct worker *worker, struct error *error)
{
    struct farm *farm = worker->farm;
    struct worker_process_callbacks callbacks = {
        .context = worker,
        .on_frame = worker_on_frame,
        .on_broken = worker_on_broken,
        .on_exit = worker_on_exit,
        .on_freed = farm_on_process_freed,
        .freed_context = farm,
    };
    worker_log_rotate(&farm->logs, worker->slot);
    int descriptor = worker_log_open(&farm->logs, worker->slot);
    worker->has_log = descriptor >= 0;
    int status = worker_process_spawn(&worker->process, farm->loop, farm->launcher.argv, descriptor,
                                      &callbacks, error);
    if (descriptor >= 0)
        close(descriptor);
    if (status != ERR_MEMORY)
        farm->open_processes++;
    return status;
}

void worker_spawn(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    struct error error = {0};
    worker->cause[0] = '\0';
    worker->is_overdue = worker->is_let_go = worker->was_ready = worker->was_asked = 0;
    worker->place = (struct hello){0};
    worker->results_of_process = 0;
    worker->spawns++;
    if (worker_start_process(worker, &error) != 0) {
        char text[512];
        log_event(LOG_WARN, "worker_not_started", "worker=%d reason=%s", worker->slot,
                  log_quote(error.message, text, sizeof text));
        worker_wait(worker, error.message);
        return;
    }
    log_event(LOG_INFO, "worker_started", "worker=%d pid=%d start=%" PRIu64, worker->slot,
              worker_process_pid(worker->process), worker->spawns);
    worker_process_limit_files(worker->process, WORKER_LOG_LIMITS * (int64_t)farm->logs.max_bytes);
    if (farm->is_pinned)
        worker_process_pin(worker->process, worker->slot - 1);
    worker_enter(worker, WORKER_STARTING);
    if (farm->start_ms > 0)
        worker_set_deadline(worker, farm->start_ms);
    pack_writer_clear(&farm->scratch);
    message_encode(&farm->scratch, MESSAGE_HELLO, &farm->hello);
    if (worker_send(worker, &farm->scratch) != 0)
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
}

/* Whether its results would be those of this build on this machine; else says why not. */
static int worker_is_equal(const struct farm *farm, const struct hello *hello,
                           char reason[WORKER_CAUSE_SIZE])
{
    char theirs[17], ours[17];
    hash_to_text(hello->fingerprint, theirs);
    hash_to_text(farm->hello.fingerprint, ours);
    if (hello->protocol_version != farm->hello.protocol_version ||
        strcmp(hello->build, farm->hello.build) != 0) {
        snprintf(reason, WORKER_CAUSE_SIZE,
                 "wrong version: it has protocol %" PRIu32
                 ", \"%s\"; needed is protocol %d, \"%s\"",
                 hello->protocol_version, hello->build, PROTOCOL_VERSION, farm->hello.build);
        return 0;
    }
    if (farm->hello.fingerprint != 0 && hello->fingerprint != farm->hello.fingerprint) {
        snprintf(reason, WORKER_CAUSE_SIZE,
                 "its simulator computes other bits (fingerprint %s; here it is %s): it was built "
                 "otherwise, or its processor is at fault",
                 theirs, ours);
        return 0;
    }
    return 1;
}

/* It cannot be used. If it was started directly, no other can be either; a launcher may find
 * another host. */
static void worker_refuse(struct worker *worker, const char *reason)
{
    struct farm *farm = worker->farm;
    int has_launcher = farm->launcher.word_count > 0;
    worker_kill(worker, "%s", reason);
    if (has_launcher && hosts_leave_out(&farm->hosts, worker->place.host, reason)) {
        farm_tell_left_out(farm, worker->place.host);
    } else if (!has_launcher && !farm->was_ever_ready) {
        char text[WORKER_CAUSE_SIZE * 2];
        snprintf(text, sizeof text, "simulator %s: %s", farm->launcher.simulator_path, reason);
        farm_fail(farm, text);
    }
}

void worker_greet(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    char reason[WORKER_CAUSE_SIZE], text[WORKER_CAUSE_SIZE];
    worker->place = occasion->message->as.hello;
    const char *greeting = worker_process_greeting(worker->process);
    if (greeting[0] != '\0')
        log_event(LOG_INFO, "worker_greeting", "worker=%d text=%s", worker->slot,
                  log_quote(greeting, text, sizeof text));
    const char *why = hosts_why_left_out(&farm->hosts, worker->place.host);
    if (why != NULL) {
        worker_kill(worker, "its host is left out: %.290s", why);
        return;
    }
    if (!worker_is_equal(farm, &worker->place, reason)) {
        worker_refuse(worker, reason);
        return;
    }
    worker->is_direct = worker->place.pid == (uint64_t)worker_process_pid(worker->process) &&
                        strcmp(worker->place.host, farm->hello.host) == 0;
    worker_enter(worker, WORKER_SETUP);
    worker_set_deadline(worker, WORKER_SETUP_MS);
    if (worker_send(worker, &farm->setup) != 0)
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
}

void worker_begin(struct worker *worker, const struct occasion *occasion)
{
    if (occasion->message->as.ready.digest != worker->farm->params_digest) {
        worker_kill(worker, "ready with another digest of the parameters");
        return;
    }
    char host[HOST_NAME_SIZE + 16], job[HOST_NAME_SIZE + 16], step[HOST_NAME_SIZE + 16];
    log_event(LOG_INFO, "worker_ready", "worker=%d pid=%d host=%s job=%s step=%s", worker->slot,
              worker_process_pid(worker->process), log_quote(worker->place.host, host, sizeof host),
              log_quote(worker->place.job, job, sizeof job),
              log_quote(worker->place.step, step, sizeof step));
    hosts_note_ready(&worker->farm->hosts, worker->place.host);
    worker->was_ready = 1;
    worker->farm->was_ever_ready = 1;
    worker_enter_idle_or_busy(worker);
}

/* It refused its setup: the version or the parameters. */
void worker_refused(struct worker *worker, const struct occasion *occasion)
{
    worker_kill(worker, "refused: %s", occasion->message->as.rejected.reason);
}
