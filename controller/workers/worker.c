/* One worker: the state machine of a slot that runs one simulator process after another. The life of a slot
 * (arrows: event / action), as docs/farm.md has it, too:
 *
 *                    timer / worker_spawn
 *        WAITING --------------------------> STARTING --hello/worker_greet--> SETUP
 *           ^                                                                   |
 *           | exit / worker_reap (back-off)                 ready/worker_begin  |
 *           |                                                                   v
 *         DEAD <---- bad, late / worker_kill_bad, worker_kill_late ---- IDLE <----> BUSY
 *           ^------- closed / worker_lose ----------------------------          result, rejected;
 *                                                                              worker_give
 *
 *     any living state --stop/worker_stop--> STOPPING --exit/worker_reap--> GONE
 *     WAITING ----------stop/worker_leave---------------------------------> GONE
 *     IDLE, with nothing reserved --retire/worker_retire--> STOPPING        GONE --hire--> WAITING
 *
 * A worker retires because there are too many, or because its log has become long: then its slot gets
 * a new process, which begins another log.
 *
 * Time. A start, an end and a silence are measured in the farm's own running time: ticks, of which a
 * late one counts like a punctual one, so that a suspended machine or a stopped controller is
 * nobody's fault. A BUSY worker is late when its oldest task takes too long (task_watch.h).
 *
 * An exit may come in every living state. DEAD means: killed, or its pipe broke, and its exit has
 * not been seen yet; results it wrote before still count there. What becomes of the tasks it held is in
 * worker_tasks.h.
 *
 * Callbacks of the farm's owner are the last thing that happens in an event, when the state is consistent,
 * since they may submit tasks or stop the farm. */
#include "controller/workers/worker.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/hash.h"
#include "common/log.h"
#include "common/version.h"
#include "controller/workers/farm_shared.h"
#include "controller/workers/worker_tasks.h"

enum {
    WORKER_BACKOFF_MIN_MS = 100,
    WORKER_BACKOFF_MAX_MS = 5000,
    WORKER_SETUP_MS = 30000,              /* from setup to ready */
    WORKER_TERM_MS = 2000,                /* from SIGTERM to SIGKILL, of launchers */
    WORKER_LINGER_MS = 2000,              /* from stop to kill */
    WORKER_CLOSING_MS = 1000,             /* from a broken pipe to kill */
    WORKER_UNSENT_MAX_BYTES = 256 * 1024, /* a worker with more in its pipe gets no further task */
    WORKER_LOG_LIMITS = 2, /* farm.log_mb: what a log that was not yet long may grow to in a task */
    WORKER_BUSY_TICKS = 20, /* that the share of busy ones is of, fading */
};

static const char *const worker_state_names[WORKER_STATE_COUNT] = {
    "waiting", "starting", "setup", "idle", "busy", "stopping", "dead", "gone"};

/* ---- invariants ---- */

/* Its process, its deadline and its timer fit its state. */
static void worker_check_state(const struct worker *worker)
{
    int has_process = worker->process != NULL;
    int is_without = worker->state == WORKER_WAITING || worker->state == WORKER_GONE;
    ENSURE(has_process == !is_without, "worker %d is %s", worker->slot,
           worker_state_names[worker->state]);
    int must_answer = (worker->state == WORKER_STARTING && worker->farm->start_ms > 0) ||
                      worker->state == WORKER_SETUP || worker->state == WORKER_STOPPING;
    ENSURE(worker->state == WORKER_DEAD || (worker->deadline_ms > 0) == must_answer,
           "worker %d is %s and has until %" PRIu64, worker->slot,
           worker_state_names[worker->state], worker->deadline_ms);
    ENSURE(worker->state == WORKER_WAITING || !uv_is_active((const uv_handle_t *)&worker->backoff),
           "worker %d is %s and waits for a start", worker->slot,
           worker_state_names[worker->state]);
}

/* The tasks it has fit its state; one that must be alone is alone. */
static void worker_check_tasks(const struct worker *worker)
{
    ENSURE(worker->held_count >= 0 && worker->held_count <= worker->farm->prefetch,
           "worker %d holds %d", worker->slot, worker->held_count);
    ENSURE(worker->held_count == 0 || worker->state == WORKER_BUSY || worker->state == WORKER_DEAD,
           "worker %d is %s and holds %d", worker->slot, worker_state_names[worker->state],
           worker->held_count);
    ENSURE(worker->state != WORKER_BUSY || worker->held_count > 0, "worker %d is busy with nothing",
           worker->slot);
    for (int i = 0; i < worker->held_count; i++)
        ENSURE(!worker->held[i]->is_alone || worker->held_count == 1,
               "worker %d: task %" PRIu64 " is not alone", worker->slot, worker->held[i]->task.id);
    if (worker->reserved == NULL)
        return;
    ENSURE(worker->state != WORKER_GONE, "worker %d is gone and has a reserved task", worker->slot);
    ENSURE(worker->reserved->is_alone, "worker %d: reserved task %" PRIu64 " need not be alone",
           worker->slot, worker->reserved->task.id);
    ENSURE(worker->held_count == 0, "worker %d holds %d beside its reserved task", worker->slot,
           worker->held_count);
}

void worker_check(const struct worker *worker)
{
    worker_check_state(worker);
    worker_check_tasks(worker);
}

/* ---- small steps ---- */

static void worker_set_deadline(struct worker *worker, uint64_t after_ms)
{
    worker->deadline_ms = farm_now_ms(worker->farm) + after_ms;
}

static void worker_enter(struct worker *worker, enum worker_state state)
{
    worker->state = state;
    worker->deadline_ms = 0;
}

/* The state that follows from what it holds; the next task is watched from the next tick on. */
static void worker_enter_idle_or_busy(struct worker *worker)
{
    worker_enter(worker, worker->held_count > 0 ? WORKER_BUSY : WORKER_IDLE);
    worker->watch.task = 0;
    worker->farm->needs_pump = 1;
}

static void worker_note_cause(struct worker *worker, const char *cause)
{
    if (worker->cause[0] == '\0')
        snprintf(worker->cause, sizeof worker->cause, "%s", cause);
}

/* A launcher is asked first, so that it can end what it has started, or leave its queue. */
static void worker_kill(struct worker *worker, const char *cause)
{
    int is_asked = worker->farm->launcher.word_count > 0 && !worker->was_asked;
    worker_note_cause(worker, cause);
    worker_process_mute(worker->process);
    worker_process_kill(worker->process, is_asked ? SIGTERM : SIGKILL);
    worker_enter(worker, WORKER_DEAD);
    if (is_asked)
        worker_set_deadline(worker, WORKER_TERM_MS);
    worker->was_asked = 1;
}

/* A frame to the process; a broken pipe becomes an event of its own. 0 or ERR_*. */
static int worker_send(struct worker *worker, const struct pack_writer *frame)
{
    return worker_process_write(worker->process, frame->buffer.data, frame->buffer.size);
}

/* ---- the end of a process ---- */

/* Whether its task is to blame; a launcher's signal is the launcher's. */
static int worker_is_guilty(const struct worker *worker, const struct occasion *occasion,
                            struct process_end end)
{
    if (worker->is_overdue)
        return 1;
    if (occasion->end.signal != 0 && !worker->is_direct)
        return 0;
    return process_end_is_self_inflicted(end);
}

static void worker_log_end(const struct worker *worker, const char *end, int is_abnormal)
{
    char cause[WORKER_CAUSE_SIZE + 16], quoted_end[96];
    const struct task *task = worker->held_count > 0 ? &worker->held[0]->task : NULL;
    log_quote(worker->cause, cause, sizeof cause);
    log_quote(end, quoted_end, sizeof quoted_end);
    log_event(is_abnormal ? LOG_WARN : LOG_INFO, "worker_exited",
              "worker=%d pid=%d state=%s end=%s cause=%s task=%" PRIu64 " creature=%" PRIu64
              " requeued=%d",
              worker->slot, worker_process_pid(worker->process), worker_state_names[worker->state],
              quoted_end, cause, task ? task->id : 0, task ? task->creature : 0,
              worker->held_count);
    int descriptor = is_abnormal ? worker_log_open(&worker->farm->logs, worker->slot) : -1;
    if (descriptor < 0)
        return;
    log_event_to(descriptor, LOG_ERROR, "worker_died",
                 "worker=%d pid=%d end=%s cause=%s task=%" PRIu64 " creature=%" PRIu64,
                 worker->slot, worker_process_pid(worker->process), quoted_end, cause,
                 task ? task->id : 0, task ? task->creature : 0);
    close(descriptor);
}

static uint64_t worker_backoff_ms(const struct worker *worker)
{
    uint64_t delay_ms = worker->barren_ends > 0 ? WORKER_BACKOFF_MIN_MS : 0;
    for (int i = 1; i < worker->barren_ends && delay_ms < WORKER_BACKOFF_MAX_MS; i++)
        delay_ms *= 2;
    return delay_ms < WORKER_BACKOFF_MAX_MS ? delay_ms : WORKER_BACKOFF_MAX_MS;
}

static void worker_on_backoff(uv_timer_t *timer)
{
    worker_dispatch(timer->data, EVENT_TIMER, NULL);
}

/* Waits for the next start, or gives the farm up. */
static void worker_wait(struct worker *worker, const char *end)
{
    struct farm *farm = worker->farm;
    worker->barren_ends = worker->results_of_process > 0 ? 0 : worker->barren_ends + 1;
    worker->failed_starts = worker->was_ready ? 0 : worker->failed_starts + 1;
    /* a process that somebody killed meanwhile tells nothing about its host */
    if (!worker->was_ready && farm->launcher.word_count > 0 && worker->cause[0] != '\0' &&
        hosts_note_failed_start(&farm->hosts, worker->place.host, worker->cause))
        farm_tell_left_out(farm, worker->place.host);
    worker_enter(worker, WORKER_WAITING);
    worker->is_retiring &= worker->slot > farm->worker_count;
    if (!farm->has_failed && farm_is_hopeless(farm)) {
        char reason[WORKER_CAUSE_SIZE * 2];
        snprintf(reason, sizeof reason, "simulator %s cannot be started: %s",
                 farm->launcher.simulator_path, worker->cause[0] ? worker->cause : end);
        farm_fail(farm, reason);
    }
    if (!farm->has_failed && !farm->is_stopping)
        uv_timer_start(&worker->backoff, worker_on_backoff, worker_backoff_ms(worker), 0);
}

static void worker_reap(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    int has_launcher = farm->launcher.word_count > 0;
    struct process_end end = has_launcher ? process_end_of_child(occasion->end) : occasion->end;
    char text[64];
    process_end_print(end, text, sizeof text);
    int is_expected = worker->state == WORKER_STOPPING && end.signal == 0 && end.exit_code == 0;
    worker->restarts += worker->state != WORKER_STOPPING;
    worker_log_end(worker, text, !is_expected);

    struct farm_task *condemned = worker_give_back(worker, worker_is_guilty(worker, occasion, end));
    worker_process_release(worker->process);
    worker->process = NULL;
    int is_surplus = worker->is_retiring && worker->slot > farm->worker_count;
    if (farm->is_stopping || (is_surplus && worker->reserved == NULL)) {
        worker_enter(worker, WORKER_GONE);
        farm_settle(farm);
    } else {
        worker_wait(worker, text);
    }
    if (condemned != NULL)
        worker_quarantine(worker, condemned, worker->cause[0] != '\0' ? worker->cause : text);
}

/* ---- the start of a process ---- */

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
        {MESSAGE_HELLO, EVENT_HELLO},
        {MESSAGE_READY, EVENT_READY},
        {MESSAGE_RESULT, EVENT_RESULT},
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
    int status = worker_process_spawn(&worker->process, farm->loop, farm->launcher.argv, descriptor,
                                      &callbacks, error);
    if (descriptor >= 0)
        close(descriptor);
    if (status != ERR_MEMORY)
        farm->open_processes++;
    return status;
}

static void worker_send_hello(struct worker *worker)
{
    struct pack_writer *scratch = &worker->farm->scratch;
    pack_writer_clear(scratch);
    message_encode_hello(scratch, &worker->farm->hello);
    if (worker_send(worker, scratch) != 0)
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
}

static void worker_spawn(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    struct error error = {0};
    worker->cause[0] = '\0';
    worker->is_overdue = worker->was_ready = worker->was_asked = 0;
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
    worker_send_hello(worker);
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
    worker_kill(worker, reason);
    if (has_launcher && hosts_leave_out(&farm->hosts, worker->place.host, reason)) {
        farm_tell_left_out(farm, worker->place.host);
    } else if (!has_launcher && !farm->was_ever_ready) {
        char text[WORKER_CAUSE_SIZE * 2];
        snprintf(text, sizeof text, "simulator %s: %s", farm->launcher.simulator_path, reason);
        farm_fail(farm, text);
    }
}

static void worker_greet(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    char reason[WORKER_CAUSE_SIZE];
    worker->place = occasion->message->as.hello;
    const char *why = hosts_why_left_out(&farm->hosts, worker->place.host);
    if (why != NULL) {
        snprintf(reason, sizeof reason, "its host is left out: %.290s", why);
        worker_kill(worker, reason);
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

static void worker_begin(struct worker *worker, const struct occasion *occasion)
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
    worker->failed_starts = 0;
    worker->farm->was_ever_ready = 1;
    worker_enter_idle_or_busy(worker);
}

/* It refused its setup: the version or the parameters. */
static void worker_refused(struct worker *worker, const struct occasion *occasion)
{
    char cause[WORKER_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "refused: %s", occasion->message->as.rejected.reason);
    worker_kill(worker, cause);
}

/* ---- tasks and results ---- */

/* The first result of a task. It is kept while others have the task, too. */
static void worker_finish(struct worker *worker, struct farm_task *entry,
                          const struct result *result)
{
    struct farm *farm = worker->farm;
    entry->is_finished = 1;
    entry->result = *result;
    entry->result_slot = worker->slot;
    snprintf(entry->result_host, sizeof entry->result_host, "%s", worker->place.host);
    farm_note_turnaround(farm, farm_now_ms(farm) - entry->given_ms);
    task_queue_end(&farm->queue, entry);
    entry->holder_count++; /* the callback may stop the farm */
    farm->callbacks.on_result(farm->callbacks.context, &entry->task, result, worker->slot);
    entry->holder_count--;
    farm_task_settle(entry);
}

static int results_are_equal(const struct result *a, const struct result *b)
{
    return a->verdict == b->verdict && a->digest == b->digest &&
           memcmp(&a->measures, &b->measures, sizeof a->measures) == 0;
}

/* A later result must be the first one: it is a function of the task. */
static void worker_compare(struct worker *worker, struct farm_task *entry,
                           const struct result *result)
{
    char first[17], second[17], reason[WORKER_CAUSE_SIZE * 2];
    int is_equal = results_are_equal(&entry->result, result);
    hash_to_text(entry->result.digest, first);
    hash_to_text(result->digest, second);
    log_event(is_equal ? LOG_INFO : LOG_ERROR, "late_result",
              "worker=%d task=%" PRIu64 " creature=%" PRIu64 " first_worker=%d equal=%d",
              worker->slot, entry->task.id, entry->task.creature, entry->result_slot, is_equal);
    snprintf(reason, sizeof reason,
             "creature %" PRIu64 " (task %" PRIu64
             ") has two results: worker %d on host %s says %s "
             "%s, worker %d on host %s says %s %s; one of these machines or builds is at fault",
             entry->task.creature, entry->task.id, entry->result_slot, entry->result_host,
             verdict_name(entry->result.verdict), first, worker->slot, worker->place.host,
             verdict_name(result->verdict), second);
    farm_task_settle(entry);
    if (!is_equal)
        farm_fail(worker->farm, reason);
}

static void worker_take_result(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    const struct result *result = &occasion->message->as.result;
    struct farm_task *entry = worker_find_held(worker, result->id);
    if (entry == NULL || entry->task.creature != result->creature) {
        char cause[WORKER_CAUSE_SIZE];
        snprintf(cause, sizeof cause,
                 "result for task %" PRIu64 " creature %" PRIu64 ", which it does not hold",
                 result->id, result->creature);
        worker_kill(worker, cause);
        return;
    }
    worker_release_held(worker, entry);
    worker->results_of_process++;
    worker->barren_ends = 0;
    worker->tasks_done++;
    worker->busy_s += result->cost.wall_ms / 1000;
    if (worker->state == WORKER_BUSY)
        worker_enter_idle_or_busy(worker);
    farm->needs_pump = 1;
    if (entry->is_finished)
        worker_compare(worker, entry, result);
    else
        worker_finish(worker, entry, result);
}

/* A task that its simulator could not read counts like one that crashed it, but nobody died. */
static void worker_take_rejected(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    uint64_t id = occasion->message->as.rejected.id;
    struct farm_task *entry = worker_find_held(worker, id);
    char cause[WORKER_CAUSE_SIZE];
    if (entry == NULL) {
        snprintf(cause, sizeof cause, "rejected task %" PRIu64 ", which it does not hold: %s", id,
                 occasion->message->as.rejected.reason);
        worker_kill(worker, cause);
        return;
    }
    worker_release_held(worker, entry);
    snprintf(cause, sizeof cause, "rejected: %s", occasion->message->as.rejected.reason);
    char text[WORKER_CAUSE_SIZE + 16];
    log_event(LOG_WARN, "task_rejected", "worker=%d task=%" PRIu64 " reason=%s", worker->slot, id,
              log_quote(cause, text, sizeof text));
    entry->task.attempt++;
    entry->faults++;
    entry->is_alone = 0;
    farm->needs_pump = 1;
    if (worker->state == WORKER_BUSY)
        worker_enter_idle_or_busy(worker);
    if (entry->is_finished)
        farm_task_settle(entry);
    else if (entry->holder_count == 0 && entry->faults >= WORKER_FAULTS_QUARANTINE)
        worker_quarantine(worker, entry, cause);
    else if (entry->holder_count == 0)
        task_queue_put_back(&farm->queue, entry);
}

int worker_lags(const struct worker *worker)
{
    return worker->held_count > 0 &&
           (worker->held[0]->is_finished || worker->held[0]->last_slot != worker->slot);
}

int worker_has_room(const struct worker *worker, int held_max)
{
    if (worker->state != WORKER_IDLE && worker->state != WORKER_BUSY)
        return 0;
    if (worker->is_retiring || worker->reserved != NULL || worker_lags(worker) ||
        (worker->held_count > 0 && worker->held[0]->is_alone))
        return 0;
    return worker->held_count <= held_max &&
           worker_process_unsent_bytes(worker->process) < WORKER_UNSENT_MAX_BYTES;
}

void worker_give(struct worker *worker, struct farm_task *entry)
{
    struct farm *farm = worker->farm;
    pack_writer_clear(&farm->scratch);
    message_encode_task(&farm->scratch, &entry->task);
    if (worker_send(worker, &farm->scratch) != 0) {
        if (entry->is_alone && entry->holder_count == 0)
            worker_reserve(worker, entry);
        else
            worker_requeue(worker, entry);
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
        return;
    }
    entry->last_slot = worker->slot;
    entry->given_ms = farm_now_ms(farm);
    worker_hold(worker, entry);
    if (worker->held_count == 1)
        worker_enter_idle_or_busy(worker);
}

void worker_give_reserved(struct worker *worker)
{
    if (worker->reserved == NULL || worker->state != WORKER_IDLE)
        return;
    struct farm_task *entry = worker_take_reserved(worker);
    if (entry != NULL)
        worker_give(worker, entry);
    else
        worker->farm->needs_pump = 1;
}

/* ---- ways to end a process ---- */

static void worker_kill_bad(struct worker *worker, const struct occasion *occasion)
{
    char cause[WORKER_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "bad frame: %s", occasion->reason);
    worker_kill(worker, cause);
}

/* A message that must not come in this state. */
static void worker_kill_unexpected(struct worker *worker, const struct occasion *occasion)
{
    char cause[WORKER_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "message %d while %s", occasion->message->type,
             worker_state_names[worker->state]);
    worker_kill(worker, cause);
}

static void worker_kill_late(struct worker *worker, const struct occasion *occasion)
{
    char cause[WORKER_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "late while %s: %s", worker_state_names[worker->state],
             occasion->reason);
    worker->is_overdue = occasion->is_overdue;
    worker_kill(worker, cause);
}

static void worker_kill_lingering(struct worker *worker, const struct occasion *occasion)
{
    worker_kill(worker, "closed its pipe without exiting");
}

/* The pipe broke: its exit follows at once, as a rule, and says more. */
static void worker_lose(struct worker *worker, const struct occasion *occasion)
{
    char text[WORKER_CAUSE_SIZE + 16];
    log_event(LOG_DEBUG, "worker_pipe_closed", "worker=%d reason=%s", worker->slot,
              log_quote(occasion->reason, text, sizeof text));
    worker_enter(worker, WORKER_DEAD);
    worker_set_deadline(worker, WORKER_CLOSING_MS);
}

static void worker_stop(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    worker_drop_tasks(worker);
    worker_enter(worker, WORKER_STOPPING);
    worker_set_deadline(worker, WORKER_LINGER_MS);
    pack_writer_clear(&farm->scratch);
    message_encode_stop(&farm->scratch);
    if (worker_send(worker, &farm->scratch) != 0)
        worker_kill(worker, "write failed");
}

static void worker_stop_dead(struct worker *worker, const struct occasion *occasion)
{
    worker_drop_tasks(worker);
}

static void worker_leave(struct worker *worker, const struct occasion *occasion)
{
    worker_drop_tasks(worker);
    uv_timer_stop(&worker->backoff);
    worker_enter(worker, WORKER_GONE);
}

/* ---- hired and retired ---- */

void worker_init(struct worker *worker, struct farm *farm, int slot)
{
    worker->farm = farm;
    worker->slot = slot;
    worker->state = WORKER_GONE;
    uv_timer_init(farm->loop, &worker->backoff);
    worker->backoff.data = worker;
}

/* It ends as soon as it has nothing left to do; the pump asks again until then. */
static void worker_retire(struct worker *worker, const struct occasion *occasion)
{
    worker->is_retiring = 1;
    worker->farm->needs_pump = 1;
    if (worker->held_count > 0 || worker->reserved != NULL || worker->state == WORKER_DEAD)
        return;
    if (worker->state == WORKER_WAITING)
        worker_leave(worker, occasion);
    else
        worker_stop(worker, occasion);
}

/* It stays after all. */
static void worker_keep(struct worker *worker, const struct occasion *occasion)
{
    worker->is_retiring = 0;
    worker->farm->needs_pump = 1;
}

static void worker_hire(struct worker *worker, const struct occasion *occasion)
{
    worker->is_retiring = 0;
    worker->barren_ends = worker->failed_starts = worker->busy_ticks = 0;
    worker->busy_share = 0;
    worker_enter(worker, WORKER_WAITING);
    uv_timer_start(&worker->backoff, worker_on_backoff, 0, 0);
}

static void worker_ignore(struct worker *worker, const struct occasion *occasion)
{
}

/* ---- the table ---- */

typedef void worker_action(struct worker *worker, const struct occasion *occasion);

/* As long as its process is there and not told to stop. */
#define ON_DUTY                                                                                    \
    [EVENT_BAD] = worker_kill_bad, [EVENT_CLOSED] = worker_lose, [EVENT_EXIT] = worker_reap,       \
    [EVENT_STOP] = worker_stop, [EVENT_RETIRE] = worker_retire, [EVENT_HIRE] = worker_keep

/* The same, having said hello and got the settings: tasks may come back. */
#define READY_FOR_TASKS                                                                            \
    ON_DUTY, [EVENT_HELLO] = worker_kill_unexpected, [EVENT_READY] = worker_kill_unexpected,       \
             [EVENT_RESULT] = worker_take_result, [EVENT_REJECTED] = worker_take_rejected

/* Events without an entry cannot happen. */
static worker_action *const worker_table[WORKER_STATE_COUNT][WORKER_EVENT_COUNT] = {
    [WORKER_WAITING] =
        {
            [EVENT_TIMER] = worker_spawn,
            [EVENT_STOP] = worker_leave,
            [EVENT_RETIRE] = worker_retire,
            [EVENT_HIRE] = worker_keep,
        },
    [WORKER_STARTING] =
        {
            ON_DUTY,
            [EVENT_HELLO] = worker_greet,
            [EVENT_READY] = worker_kill_unexpected,
            [EVENT_RESULT] = worker_kill_unexpected,
            [EVENT_REJECTED] = worker_refused,
            [EVENT_LATE] = worker_kill_late,
        },
    [WORKER_SETUP] =
        {
            ON_DUTY,
            [EVENT_HELLO] = worker_kill_unexpected,
            [EVENT_READY] = worker_begin,
            [EVENT_RESULT] = worker_kill_unexpected,
            [EVENT_REJECTED] = worker_refused,
            [EVENT_LATE] = worker_kill_late,
        },
    [WORKER_IDLE] = {READY_FOR_TASKS},
    [WORKER_BUSY] = {READY_FOR_TASKS, [EVENT_LATE] = worker_kill_late},
    [WORKER_STOPPING] =
        {
            [EVENT_HELLO] = worker_ignore,
            [EVENT_READY] = worker_ignore,
            [EVENT_RESULT] = worker_ignore,
            [EVENT_REJECTED] = worker_ignore,
            [EVENT_BAD] = worker_ignore,
            [EVENT_CLOSED] = worker_ignore,
            [EVENT_LATE] = worker_kill_late,
            [EVENT_EXIT] = worker_reap,
            [EVENT_STOP] = worker_ignore,
            [EVENT_RETIRE] = worker_ignore,
            [EVENT_HIRE] = worker_keep,
        },
    [WORKER_DEAD] =
        {
            [EVENT_HELLO] = worker_ignore,
            [EVENT_READY] = worker_ignore,
            [EVENT_RESULT] = worker_take_result,
            [EVENT_REJECTED] = worker_take_rejected,
            [EVENT_BAD] = worker_kill_bad,
            [EVENT_CLOSED] = worker_ignore,
            [EVENT_LATE] = worker_kill_lingering,
            [EVENT_EXIT] = worker_reap,
            [EVENT_STOP] = worker_stop_dead,
            [EVENT_RETIRE] = worker_retire,
            [EVENT_HIRE] = worker_keep,
        },
    [WORKER_GONE] =
        {
            [EVENT_STOP] = worker_ignore,
            [EVENT_RETIRE] = worker_ignore,
            [EVENT_HIRE] = worker_hire,
        },
};

void worker_dispatch(struct worker *worker, enum worker_event event,
                     const struct occasion *occasion)
{
    worker_action *action = worker_table[worker->state][event];
    ENSURE(action != NULL, "worker %d: event %d while %s", worker->slot, (int)event,
           worker_state_names[worker->state]);
    action(worker, occasion);
    worker_check(worker);
}

/* ---- time and status ---- */

/* Looks at the oldest task of a BUSY worker. */
static enum task_lateness worker_watch_task(struct worker *worker, char *reason, size_t size)
{
    const struct farm *farm = worker->farm;
    int64_t cpu_ns = worker->is_direct ? worker_process_cpu_ns(worker->process) : -1;
    return task_watch_look(&worker->watch, &worker->held[0]->task, cpu_ns, farm_now_ms(farm),
                           &farm->limits, reason, size);
}

void worker_tick(struct worker *worker)
{
    char reason[96] = "no answer in time";
    int is_late = worker->deadline_ms > 0 && farm_now_ms(worker->farm) >= worker->deadline_ms;
    enum task_lateness lateness = TASK_IN_TIME;
    if (worker->state == WORKER_BUSY) {
        lateness = worker_watch_task(worker, reason, sizeof reason);
        is_late = lateness != TASK_IN_TIME;
    }
    worker->busy_ticks += worker->busy_ticks < WORKER_BUSY_TICKS;
    worker->busy_share +=
        ((worker->state == WORKER_BUSY) - worker->busy_share) / worker->busy_ticks;
    if (is_late)
        worker_dispatch(
            worker, EVENT_LATE,
            &(struct occasion){.reason = reason, .is_overdue = lateness == TASK_OVERDUE});
    else if ((worker->state == WORKER_IDLE || worker->state == WORKER_BUSY) &&
             !worker->is_retiring && worker_log_is_long(&worker->farm->logs, worker->slot))
        worker_dispatch(worker, EVENT_RETIRE, NULL);
}

void worker_get_status(const struct worker *worker, struct farm_worker_status *status)
{
    status->slot = worker->slot;
    status->pid = worker->process != NULL ? worker_process_pid(worker->process) : 0;
    status->host = worker->place.host;
    status->job = worker->place.job;
    status->step = worker->place.step;
    status->state = worker_state_names[worker->state];
    const struct task *task = worker->held_count > 0 ? &worker->held[0]->task : NULL;
    status->task = task != NULL ? task->id : 0;
    status->creature = task != NULL ? task->creature : 0;
    status->trial = task != NULL ? task->trial : (struct trial){0};
    status->attempt = task != NULL ? (int)task->attempt : 0;
    status->task_cpu_s = worker->state == WORKER_BUSY && worker->watch.task == status->task
                             ? task_watch_used_s(&worker->watch)
                             : 0;
    status->busy_share = worker->busy_share;
    status->tasks_done = worker->tasks_done;
    status->restarts = worker->restarts;
    status->busy_s = worker->busy_s;
}
