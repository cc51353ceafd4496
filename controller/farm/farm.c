/* The farm: a queue of tasks, and worker slots that each run one simulator process after another.
 *
 * Sizes: 1 to 1024 workers (usually the cores there are), prefetch 1 to 64 tasks each (usually 2),
 * tasks of 300 to 3000 bytes, up to some ten thousand results a second. Everything happens on the
 * loop's one thread. The life of a slot (arrows: event / action), as docs/farm.md has it, too:
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
 * nobody's fault. What a task costs is measured in its worker's processor time, so that a busy
 * machine is not, either. A BUSY worker is late when its oldest task has used more than
 * farm.deadline_s, or when it has used no processor time at all for farm.silence_s (it sleeps, or is
 * stopped). Whose processor time cannot be seen (behind ssh, say) may be silent for the sum of both.
 * Each attempt has more of all that than the one before (task_patience()).
 *
 * An exit may come in every living state. DEAD means: killed, or its pipe broke, and its exit has
 * not been seen yet; results it wrote before still count there. Whatever `held` contains at the exit
 * goes back to the queue. Only the oldest held task was being executed, and only it is judged:
 *
 *   self-inflicted end (SIGSEGV, ..., out of memory, more processor time than farm.deadline_s)
 *                                      faults + 1; from the 2nd on it is tried alone; 3rd: quarantine
 *   any other end                      losses + 1; from the 3rd on it is tried alone; no limit
 *
 * Alone means: reserved for this slot, whose next process is fresh, and nothing is prefetched beside
 * it. So a result depends on nothing that happened here, and a task leaves the farm exactly once.
 *
 * Callbacks of the owner are the last thing that happens in an event, when the state is consistent,
 * since they may submit tasks or stop the farm. Feeding happens once per turn of the loop (prepare),
 * after all results of that turn are in. */
#include "controller/farm/farm.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/log.h"
#include "common/version.h"
#include "controller/farm/launcher.h"
#include "controller/farm/process_end.h"
#include "controller/farm/task_queue.h"
#include "controller/farm/task_watch.h"
#include "controller/farm/worker_log.h"
#include "controller/farm/worker_process.h"

enum {
    FARM_FAULTS_ALONE = 2,      /* self-inflicted ends after which a task is tried alone */
    FARM_FAULTS_QUARANTINE = 3, /* ... and after which it is put in quarantine */
    FARM_LOSSES_ALONE = 3,      /* other ends after which it is tried alone */
    FARM_STARTS_FIRST = 4,      /* failed starts of every slot that end a farm that never worked */
    FARM_STARTS_LATER = 30,     /* the same once it has worked: about two minutes */
    FARM_BACKOFF_MIN_MS = 100,
    FARM_BACKOFF_MAX_MS = 5000,
    FARM_TICK_MS = 500,      /* deadlines are looked at */
    FARM_TICK_MAX_MS = 1000, /* what a late tick counts at most */
    FARM_START_MS = 30000,   /* from spawn to hello, from setup to ready */
    FARM_LINGER_MS = 2000,   /* from stop to kill */
    FARM_CLOSING_MS = 1000,  /* from a broken pipe to kill */
    FARM_PREFETCH_MAX = 64,
    FARM_DESCRIPTORS = 40, /* of the run but for its workers, and those of a process that begins */
    FARM_WORKER_DESCRIPTORS = 2,
    FARM_UNSENT_MAX_BYTES = 256 * 1024, /* a worker with more in its pipe gets no further task */
    FARM_CAUSE_SIZE = 320,
    FARM_LOG_LIMITS = 2,  /* farm.log_mb: what a log that was not yet long may grow to in a task */
    FARM_BUSY_TICKS = 20, /* that the share of busy ones is of, fading */
};

/* ---- types ---- */

enum worker_state {
    WORKER_WAITING,
    WORKER_STARTING,
    WORKER_SETUP,
    WORKER_IDLE,
    WORKER_BUSY,
    WORKER_STOPPING,
    WORKER_DEAD,
    WORKER_GONE,
    WORKER_STATE_COUNT
};

static const char *const worker_state_names[WORKER_STATE_COUNT] = {
    "waiting", "starting", "setup", "idle", "busy", "stopping", "dead", "gone"};

enum worker_event {
    EVENT_TIMER,    /* the back-off is over */
    EVENT_HELLO,    /* messages */
    EVENT_READY,    /* ... */
    EVENT_RESULT,   /* ... */
    EVENT_REJECTED, /* ... */
    EVENT_BAD,      /* it talks nonsense */
    EVENT_CLOSED,   /* its pipe broke */
    EVENT_LATE,     /* its deadline passed */
    EVENT_EXIT,     /* its process is gone */
    EVENT_STOP,     /* the farm stops */
    EVENT_RETIRE,   /* there are too many workers */
    EVENT_HIRE,     /* there are too few */
    WORKER_EVENT_COUNT
};

/* What came with an event; only what belongs to it is set. */
struct occasion {
    const struct message *message; /* hello, ready, result, rejected */
    const char *reason;            /* bad, closed, late */
    int is_overdue;                /* late: by its own processor time */
    struct process_end end;        /* exit */
};

struct worker {
    struct farm *farm;
    int slot;
    enum worker_state state;
    uv_timer_t backoff;
    struct worker_process *process;            /* NULL in WAITING and GONE */
    struct farm_task *held[FARM_PREFETCH_MAX]; /* oldest first */
    int held_count;
    struct farm_task *reserved;  /* to be tried alone by the next process */
    int is_retiring;             /* gets no more tasks, then ends */
    int is_direct;               /* the process is the simulator, not something in front of it */
    struct task_watch watch;     /* of the oldest task, while BUSY */
    uint64_t deadline_ms;        /* in the farm's running time; 0 = none */
    char cause[FARM_CAUSE_SIZE]; /* why it was given up, before its exit; else empty */
    int is_overdue;              /* ... because its task took too much processor time */
    int was_ready;               /* this process */
    uint64_t results_of_process;
    int barren_ends;   /* processes in a row that ended without any result */
    int failed_starts; /* processes in a row that ended before they were ready */
    uint64_t tasks_done, spawns, restarts;
    double busy_s, busy_share;
    int busy_ticks; /* that the share is of, to FARM_BUSY_TICKS */
};

struct farm {
    uv_loop_t *loop;
    struct farm_callbacks callbacks;
    struct worker *workers;       /* FARM_WORKERS_MAX, of which the first slot_count are in use */
    int slot_count, worker_count; /* ever, wanted */
    int prefetch, is_pinned, is_paused;
    struct task_limits limits;
    struct worker_logs logs;
    uint64_t params_digest;
    struct pack_writer setup; /* the whole frame, the same for everyone */
    struct pack_writer scratch;
    struct launcher launcher;

    struct task_queue queue;
    int needs_pump;

    uv_timer_t tick;
    uv_prepare_t pump;
    uint64_t last_tick_ms; /* loop time */
    uint64_t clock_ms;     /* running time at the last tick */
    int was_ever_ready, has_failed, is_stopping, is_closing;
    int open_handles, open_processes;
    void (*on_stopped)(void *context);
    void *stopped_context;
};

static void worker_dispatch(struct worker *worker, enum worker_event event,
                            const struct occasion *occasion);
static void farm_settle(struct farm *farm);

/* ---- invariants ---- */

static void worker_check(const struct worker *worker)
{
    int has_process = worker->process != NULL;
    int is_without = worker->state == WORKER_WAITING || worker->state == WORKER_GONE;
    ENSURE(has_process == !is_without, "worker %d is %s", worker->slot,
           worker_state_names[worker->state]);
    ENSURE(worker->held_count >= 0 && worker->held_count <= worker->farm->prefetch,
           "worker %d holds %d", worker->slot, worker->held_count);
    ENSURE(worker->held_count == 0 || worker->state == WORKER_BUSY || worker->state == WORKER_DEAD,
           "worker %d is %s and holds %d", worker->slot, worker_state_names[worker->state],
           worker->held_count);
    ENSURE(worker->state != WORKER_BUSY || worker->held_count > 0, "worker %d is busy with nothing",
           worker->slot);
    int must_answer = worker->state == WORKER_STARTING || worker->state == WORKER_SETUP ||
                      worker->state == WORKER_STOPPING;
    ENSURE(worker->state == WORKER_DEAD || (worker->deadline_ms > 0) == must_answer,
           "worker %d is %s and has until %" PRIu64, worker->slot,
           worker_state_names[worker->state], worker->deadline_ms);
    ENSURE(worker->state != WORKER_GONE || worker->reserved == NULL, "worker %d", worker->slot);
    for (int i = 0; i < worker->held_count; i++)
        ENSURE(!worker->held[i]->is_alone || worker->held_count == 1,
               "worker %d: task %" PRIu64 " is not alone", worker->slot, worker->held[i]->task.id);
    ENSURE(worker->reserved == NULL || worker->reserved->is_alone, "worker %d", worker->slot);
}

static void farm_check(const struct farm *farm)
{
    int out_count = 0;
    for (int i = 0; i < farm->slot_count; i++) {
        worker_check(&farm->workers[i]);
        out_count += farm->workers[i].held_count + (farm->workers[i].reserved != NULL);
    }
    task_queue_check(&farm->queue, out_count);
}

/* ---- small parts of a worker ---- */

/* The farm's running time: what a late tick takes too long does not count. */
static uint64_t farm_now_ms(const struct farm *farm)
{
    uint64_t since_ms = uv_now(farm->loop) - farm->last_tick_ms;
    return farm->clock_ms + (since_ms < FARM_TICK_MAX_MS ? since_ms : FARM_TICK_MAX_MS);
}

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

/* NULL: not held. */
static struct farm_task *worker_find_held(const struct worker *worker, uint64_t id)
{
    for (int i = 0; i < worker->held_count; i++)
        if (worker->held[i]->task.id == id)
            return worker->held[i];
    return NULL;
}

/* Takes a task out of `held`. */
static void worker_release_held(struct worker *worker, const struct farm_task *entry)
{
    int at = 0;
    while (worker->held[at] != entry)
        at++;
    worker->held_count--;
    memmove(&worker->held[at], &worker->held[at + 1],
            (size_t)(worker->held_count - at) * sizeof worker->held[0]);
}

/* A task it could not do is the next one again. */
static void worker_requeue(struct worker *worker, struct farm_task *entry)
{
    task_queue_put_front(&worker->farm->queue, entry);
    worker->farm->needs_pump = 1;
}

static void worker_note_cause(struct worker *worker, const char *cause)
{
    if (worker->cause[0] == '\0')
        snprintf(worker->cause, sizeof worker->cause, "%s", cause);
}

static void worker_kill(struct worker *worker, const char *cause)
{
    worker_note_cause(worker, cause);
    worker_process_mute(worker->process);
    worker_process_kill(worker->process, SIGKILL);
    worker_enter(worker, WORKER_DEAD);
}

/* A frame to the process; a broken pipe becomes an event of its own. 0 or ERR_*. */
static int worker_send(struct worker *worker, const struct pack_writer *frame)
{
    return worker_process_write(worker->process, frame->buffer.data, frame->buffer.size);
}

/* ---- how processes end ---- */

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

static void farm_fail(struct farm *farm, const char *reason)
{
    if (farm->has_failed || farm->is_stopping)
        return;
    farm->has_failed = 1;
    char text[512];
    log_event(LOG_ERROR, "farm_failed", "reason=%s", log_quote(reason, text, sizeof text));
    farm->callbacks.on_failure(farm->callbacks.context, reason);
}

/* 1 when every slot has failed to start so often that trying on is pointless. */
static int farm_is_hopeless(const struct farm *farm)
{
    int limit = farm->was_ever_ready ? FARM_STARTS_LATER : FARM_STARTS_FIRST;
    for (int i = 0; i < farm->slot_count; i++)
        if (farm->workers[i].state != WORKER_GONE && farm->workers[i].failed_starts < limit)
            return 0;
    return 1;
}

/* Puts the task that was being executed where it belongs after the end of its process. Returns it
 * when it has to leave the farm for the quarantine, else NULL. */
static struct farm_task *worker_judge(struct worker *worker, struct farm_task *entry,
                                      int is_self_inflicted)
{
    entry->task.attempt++;
    if (is_self_inflicted)
        entry->faults++;
    else
        entry->losses++;
    if (entry->faults >= FARM_FAULTS_QUARANTINE)
        return entry;
    if (entry->faults >= FARM_FAULTS_ALONE || entry->losses >= FARM_LOSSES_ALONE)
        entry->is_alone = 1;
    ENSURE(worker->reserved == NULL, "worker %d has two to try alone", worker->slot);
    if (entry->is_alone)
        worker->reserved = entry;
    else
        worker_requeue(worker, entry);
    return NULL;
}

/* All held tasks go back, the prefetched ones unblamed. */
static struct farm_task *worker_give_back(struct worker *worker, int is_self_inflicted)
{
    struct farm_task *condemned = NULL;
    while (worker->held_count > 0) {
        struct farm_task *entry = worker->held[--worker->held_count];
        if (worker->held_count > 0)
            worker_requeue(worker, entry);
        else
            condemned = worker_judge(worker, entry, is_self_inflicted);
    }
    return condemned;
}

static void worker_log_end(const struct worker *worker, const char *end, int is_abnormal)
{
    char cause[FARM_CAUSE_SIZE + 16], quoted_end[96];
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
    uint64_t delay_ms = worker->barren_ends > 0 ? FARM_BACKOFF_MIN_MS : 0;
    for (int i = 1; i < worker->barren_ends && delay_ms < FARM_BACKOFF_MAX_MS; i++)
        delay_ms *= 2;
    return delay_ms < FARM_BACKOFF_MAX_MS ? delay_ms : FARM_BACKOFF_MAX_MS;
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
    worker_enter(worker, WORKER_WAITING);
    worker->is_retiring &= worker->slot > farm->worker_count;
    if (!farm->has_failed && farm_is_hopeless(farm)) {
        char reason[FARM_CAUSE_SIZE * 2];
        snprintf(reason, sizeof reason, "simulator %s cannot be started: %s",
                 farm->launcher.simulator_path, worker->cause[0] ? worker->cause : end);
        farm_fail(farm, reason);
    }
    if (!farm->has_failed && !farm->is_stopping)
        uv_timer_start(&worker->backoff, worker_on_backoff, worker_backoff_ms(worker), 0);
}

static void farm_quarantine(struct worker *worker, struct farm_task *entry, const char *reason)
{
    struct farm *farm = worker->farm;
    char log[WORKER_LOG_TAIL_BYTES + 1];
    char text[FARM_CAUSE_SIZE + 16];
    log_event(LOG_ERROR, "task_quarantined", "task=%" PRIu64 " creature=%" PRIu64 " reason=%s",
              entry->task.id, entry->task.creature, log_quote(reason, text, sizeof text));
    farm->needs_pump = 1;
    task_queue_end(&farm->queue, entry);
    worker_log_read_tail(&farm->logs, worker->slot, log);
    if (!farm->is_stopping)
        farm->callbacks.on_quarantine(farm->callbacks.context, &entry->task, reason, log);
    farm_task_free(entry);
}

/* ---- actions ---- */

static void worker_ignore(struct worker *worker, const struct occasion *occasion)
{
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
        farm_quarantine(worker, condemned, worker->cause[0] != '\0' ? worker->cause : text);
}

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

static void worker_spawn(struct worker *worker, const struct occasion *occasion)
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
    struct error error = {0};
    worker->cause[0] = '\0';
    worker->is_overdue = worker->was_ready = 0;
    worker->results_of_process = 0;
    worker->spawns++;
    worker_log_rotate(&farm->logs, worker->slot);
    int descriptor = worker_log_open(&farm->logs, worker->slot);
    int status = worker_process_spawn(&worker->process, farm->loop, farm->launcher.argv, descriptor,
                                      &callbacks, &error);
    if (descriptor >= 0)
        close(descriptor);
    if (status != ERR_MEMORY)
        farm->open_processes++;
    if (status != 0) {
        char text[512];
        log_event(LOG_WARN, "worker_not_started", "worker=%d reason=%s", worker->slot,
                  log_quote(error.message, text, sizeof text));
        worker_wait(worker, error.message);
        return;
    }
    log_event(LOG_INFO, "worker_started", "worker=%d pid=%d start=%" PRIu64, worker->slot,
              worker_process_pid(worker->process), worker->spawns);
    worker_process_limit_files(worker->process, FARM_LOG_LIMITS * (int64_t)farm->logs.max_bytes);
    if (farm->is_pinned)
        worker_process_pin(worker->process, worker->slot - 1);
    worker_enter(worker, WORKER_STARTING);
    worker_set_deadline(worker, FARM_START_MS);
    msgpack_sbuffer_clear(&farm->scratch.buffer);
    message_encode_hello(&farm->scratch, (uint64_t)getpid());
    if (worker_send(worker, &farm->scratch) != 0)
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
}

static void worker_kill_bad(struct worker *worker, const struct occasion *occasion)
{
    char cause[FARM_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "bad frame: %s", occasion->reason);
    worker_kill(worker, cause);
}

/* A message that has no place in this state. */
static void worker_kill_unexpected(struct worker *worker, const struct occasion *occasion)
{
    char cause[FARM_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "message %d while %s", occasion->message->type,
             worker_state_names[worker->state]);
    worker_kill(worker, cause);
}

static void worker_kill_late(struct worker *worker, const struct occasion *occasion)
{
    char cause[FARM_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "late while %s: %s", worker_state_names[worker->state],
             occasion->reason);
    worker->is_overdue = occasion->is_overdue;
    worker_kill(worker, cause);
}

/* The pipe broke: its exit follows at once, as a rule, and says more. */
static void worker_lose(struct worker *worker, const struct occasion *occasion)
{
    char text[FARM_CAUSE_SIZE + 16];
    log_event(LOG_DEBUG, "worker_pipe_closed", "worker=%d reason=%s", worker->slot,
              log_quote(occasion->reason, text, sizeof text));
    worker_enter(worker, WORKER_DEAD);
    worker_set_deadline(worker, FARM_CLOSING_MS);
}

static void worker_kill_lingering(struct worker *worker, const struct occasion *occasion)
{
    worker_kill(worker, "closed its pipe without exiting");
}

static void worker_greet(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    const struct message *message = occasion->message;
    if (message->as.hello.protocol_version == PROTOCOL_VERSION &&
        strcmp(message->as.hello.build, message_build_id()) == 0) {
        worker->is_direct = message->as.hello.pid == (uint64_t)worker_process_pid(worker->process);
        worker_enter(worker, WORKER_SETUP);
        worker_set_deadline(worker, FARM_START_MS);
        if (worker_send(worker, &farm->setup) != 0)
            worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
        return;
    }
    char cause[FARM_CAUSE_SIZE];
    snprintf(cause, sizeof cause,
             "wrong version: it has protocol %" PRIu32 ", \"%s\"; needed is protocol %d, \"%s\"",
             message->as.hello.protocol_version, message->as.hello.build, PROTOCOL_VERSION,
             message_build_id());
    worker_kill(worker, cause);
    if (!farm->was_ever_ready) {
        char reason[FARM_CAUSE_SIZE * 2];
        snprintf(reason, sizeof reason, "simulator %s: %s", farm->launcher.simulator_path, cause);
        farm_fail(farm, reason);
    }
}

static void worker_begin(struct worker *worker, const struct occasion *occasion)
{
    if (occasion->message->as.ready.digest != worker->farm->params_digest) {
        worker_kill(worker, "ready with another digest of the parameters");
        return;
    }
    log_event(LOG_INFO, "worker_ready", "worker=%d pid=%d", worker->slot,
              worker_process_pid(worker->process));
    worker->was_ready = 1;
    worker->failed_starts = 0;
    worker->farm->was_ever_ready = 1;
    worker_enter_idle_or_busy(worker);
}

/* Refused what it was told before any task: its version or the parameters. */
static void worker_refused(struct worker *worker, const struct occasion *occasion)
{
    char cause[FARM_CAUSE_SIZE];
    snprintf(cause, sizeof cause, "refused: %s", occasion->message->as.rejected.reason);
    worker_kill(worker, cause);
}

static void worker_take_result(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    const struct result *result = &occasion->message->as.result;
    struct farm_task *entry = worker_find_held(worker, result->id);
    if (entry == NULL || entry->task.creature != result->creature) {
        char cause[FARM_CAUSE_SIZE];
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
    task_queue_end(&farm->queue, entry);
    farm->callbacks.on_result(farm->callbacks.context, &entry->task, result, worker->slot);
    farm_task_free(entry);
}

/* A task that its simulator could not read counts like one that crashed it, but nobody died. */
static void worker_take_rejected(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    uint64_t id = occasion->message->as.rejected.id;
    struct farm_task *entry = worker_find_held(worker, id);
    char cause[FARM_CAUSE_SIZE];
    if (entry == NULL) {
        snprintf(cause, sizeof cause, "rejected task %" PRIu64 ", which it does not hold: %s", id,
                 occasion->message->as.rejected.reason);
        worker_kill(worker, cause);
        return;
    }
    worker_release_held(worker, entry);
    snprintf(cause, sizeof cause, "rejected: %s", occasion->message->as.rejected.reason);
    char text[FARM_CAUSE_SIZE + 16];
    log_event(LOG_WARN, "task_rejected", "worker=%d task=%" PRIu64 " reason=%s", worker->slot, id,
              log_quote(cause, text, sizeof text));
    entry->task.attempt++;
    entry->faults++;
    entry->is_alone = 0;
    farm->needs_pump = 1;
    if (worker->state == WORKER_BUSY)
        worker_enter_idle_or_busy(worker);
    if (entry->faults >= FARM_FAULTS_QUARANTINE)
        farm_quarantine(worker, entry, cause);
    else
        task_queue_put_back(&farm->queue, entry);
}

/* Everything it still does is dropped. */
static void worker_drop_tasks(struct worker *worker)
{
    while (worker->held_count > 0)
        task_queue_drop(&worker->farm->queue, worker->held[--worker->held_count]);
    if (worker->reserved != NULL)
        task_queue_drop(&worker->farm->queue, worker->reserved);
    worker->reserved = NULL;
}

static void worker_stop(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    worker_drop_tasks(worker);
    worker_enter(worker, WORKER_STOPPING);
    worker_set_deadline(worker, FARM_LINGER_MS);
    msgpack_sbuffer_clear(&farm->scratch.buffer);
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

/* It ends as soon as it has nothing to do any more; the pump asks again until then. */
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

/* ---- the table ---- */

typedef void worker_action(struct worker *worker, const struct occasion *occasion);

/* NULL: cannot happen. Columns: timer, hello, ready, result, rejected, bad, closed, late, exit,
 * stop, retire, hire. */
static worker_action *const worker_table[WORKER_STATE_COUNT][WORKER_EVENT_COUNT] = {
    [WORKER_WAITING] = {worker_spawn, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, worker_leave,
                        worker_retire, worker_keep},
    [WORKER_STARTING] = {NULL, worker_greet, worker_kill_unexpected, worker_kill_unexpected,
                         worker_refused, worker_kill_bad, worker_lose, worker_kill_late,
                         worker_reap, worker_stop, worker_retire, worker_keep},
    [WORKER_SETUP] = {NULL, worker_kill_unexpected, worker_begin, worker_kill_unexpected,
                      worker_refused, worker_kill_bad, worker_lose, worker_kill_late, worker_reap,
                      worker_stop, worker_retire, worker_keep},
    [WORKER_IDLE] = {NULL, worker_kill_unexpected, worker_kill_unexpected, worker_take_result,
                     worker_take_rejected, worker_kill_bad, worker_lose, NULL, worker_reap,
                     worker_stop, worker_retire, worker_keep},
    [WORKER_BUSY] = {NULL, worker_kill_unexpected, worker_kill_unexpected, worker_take_result,
                     worker_take_rejected, worker_kill_bad, worker_lose, worker_kill_late,
                     worker_reap, worker_stop, worker_retire, worker_keep},
    [WORKER_STOPPING] = {NULL, worker_ignore, worker_ignore, worker_ignore, worker_ignore,
                         worker_ignore, worker_ignore, worker_kill_late, worker_reap, worker_ignore,
                         worker_ignore, worker_keep},
    [WORKER_DEAD] = {NULL, worker_ignore, worker_ignore, worker_take_result, worker_take_rejected,
                     worker_kill_bad, worker_ignore, worker_kill_lingering, worker_reap,
                     worker_stop_dead, worker_retire, worker_keep},
    [WORKER_GONE] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, worker_ignore,
                     worker_ignore, worker_hire},
};

static void worker_dispatch(struct worker *worker, enum worker_event event,
                            const struct occasion *occasion)
{
    worker_action *action = worker_table[worker->state][event];
    ENSURE(action != NULL, "worker %d: event %d while %s", worker->slot, (int)event,
           worker_state_names[worker->state]);
    action(worker, occasion);
    worker_check(worker);
}

/* ---- feeding ---- */

static void worker_give(struct worker *worker, struct farm_task *entry)
{
    struct farm *farm = worker->farm;
    msgpack_sbuffer_clear(&farm->scratch.buffer);
    message_encode_task(&farm->scratch, &entry->task);
    if (worker_send(worker, &farm->scratch) != 0) {
        if (entry->is_alone)
            worker->reserved = entry;
        else
            worker_requeue(worker, entry);
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
        return;
    }
    worker->held[worker->held_count++] = entry;
    if (worker->held_count == 1)
        worker_enter_idle_or_busy(worker);
}

static int worker_has_room(const struct worker *worker, int held_max)
{
    if (worker->state != WORKER_IDLE && worker->state != WORKER_BUSY)
        return 0;
    if (worker->is_retiring || worker->reserved != NULL ||
        (worker->held_count > 0 && worker->held[0]->is_alone))
        return 0;
    return worker->held_count <= held_max &&
           worker_process_unsent_bytes(worker->process) < FARM_UNSENT_MAX_BYTES;
}

/* Those that have finished and are too many end. */
static void farm_retire(struct farm *farm)
{
    for (int i = 0; i < farm->slot_count; i++) {
        struct worker *worker = &farm->workers[i];
        if (worker->is_retiring && worker->reserved == NULL &&
            (worker->state == WORKER_IDLE || worker->state == WORKER_WAITING))
            worker_dispatch(worker, EVENT_RETIRE, NULL);
    }
}

/* First those that must be alone, then one for everybody, then the second for everybody ... */
static void farm_feed(struct farm *farm)
{
    for (int i = 0; i < farm->slot_count; i++) {
        struct worker *worker = &farm->workers[i];
        if (worker->reserved == NULL || worker->state != WORKER_IDLE)
            continue;
        struct farm_task *entry = worker->reserved;
        worker->reserved = NULL;
        worker_give(worker, entry);
    }
    for (int held_max = 0; held_max < farm->prefetch; held_max++)
        for (int i = 0; i < farm->slot_count && farm->queue.waiting_count > 0; i++)
            if (worker_has_room(&farm->workers[i], held_max))
                worker_give(&farm->workers[i], task_queue_take(&farm->queue));
}

static void farm_on_pump(uv_prepare_t *pump)
{
    struct farm *farm = pump->data;
    uint64_t submitted_before;
    if (!farm->needs_pump || farm->is_stopping || farm->has_failed)
        return;
    farm_retire(farm);
    do {
        farm->needs_pump = 0;
        if (farm->is_paused)
            break;
        farm_feed(farm);
        submitted_before = farm->queue.submitted_count;
        int room = farm->worker_count * farm->prefetch - farm->queue.waiting_count;
        if (room > 0)
            farm->callbacks.on_hungry(farm->callbacks.context, room);
    } while (farm->queue.submitted_count != submitted_before && !farm->is_stopping);
    farm_check(farm);
}

/* Looks at the oldest task of a BUSY worker. */
static enum task_lateness worker_watch_task(struct worker *worker, char *reason, size_t size)
{
    const struct farm *farm = worker->farm;
    int64_t cpu_ns = worker->is_direct ? worker_process_cpu_ns(worker->process) : -1;
    return task_watch_look(&worker->watch, &worker->held[0]->task, cpu_ns, farm_now_ms(farm),
                           &farm->limits, reason, size);
}

static void worker_tick(struct worker *worker)
{
    char reason[96] = "no answer in time";
    int is_late = worker->deadline_ms > 0 && farm_now_ms(worker->farm) >= worker->deadline_ms;
    enum task_lateness lateness = TASK_IN_TIME;
    if (worker->state == WORKER_BUSY) {
        lateness = worker_watch_task(worker, reason, sizeof reason);
        is_late = lateness != TASK_IN_TIME;
    }
    worker->busy_ticks += worker->busy_ticks < FARM_BUSY_TICKS;
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

static void farm_on_tick(uv_timer_t *tick)
{
    struct farm *farm = tick->data;
    farm->clock_ms = farm_now_ms(farm);
    farm->last_tick_ms = uv_now(farm->loop);
    for (int i = 0; i < farm->slot_count; i++)
        worker_tick(&farm->workers[i]);
}

/* ---- the farm's own life ---- */

static void farm_free(struct farm *farm)
{
    pack_writer_deinit(&farm->setup);
    pack_writer_deinit(&farm->scratch);
    free(farm->workers);
    launcher_deinit(&farm->launcher);
    free(farm->logs.directory);
    free(farm);
}

static void farm_on_close(uv_handle_t *handle)
{
    struct farm *farm = handle->data;
    farm->open_handles--;
    farm_settle(farm);
}

static void farm_close_handle(struct farm *farm, uv_handle_t *handle)
{
    handle->data = farm;
    uv_close(handle, farm_on_close);
}

/* Frees the farm when nothing of it is left on the loop; closes its handles when no slot is alive. */
static void farm_settle(struct farm *farm)
{
    if (!farm->is_stopping)
        return;
    if (farm->is_closing && farm->open_handles == 0 && farm->open_processes == 0) {
        void (*on_stopped)(void *context) = farm->on_stopped;
        void *context = farm->stopped_context;
        ENSURE(farm->queue.pending_count == 0, "%d tasks left", farm->queue.pending_count);
        log_event(LOG_INFO, "farm_stopped", "workers=%d", farm->slot_count);
        on_stopped(context);
        farm_free(farm);
        return;
    }
    for (int i = 0; i < farm->slot_count; i++)
        if (farm->workers[i].state != WORKER_GONE)
            return;
    if (farm->is_closing)
        return;
    farm->is_closing = 1;
    farm_close_handle(farm, (uv_handle_t *)&farm->tick);
    farm_close_handle(farm, (uv_handle_t *)&farm->pump);
    for (int i = 0; i < farm->slot_count; i++)
        farm_close_handle(farm, (uv_handle_t *)&farm->workers[i].backoff);
}

void farm_stop(struct farm *farm, void (*on_stopped)(void *context), void *context)
{
    ENSURE(!farm->is_stopping, "stopped twice");
    farm->is_stopping = 1;
    farm->on_stopped = on_stopped;
    farm->stopped_context = context;
    while (farm->queue.waiting_count > 0)
        task_queue_drop(&farm->queue, task_queue_take(&farm->queue));
    for (int i = 0; i < farm->slot_count; i++)
        worker_dispatch(&farm->workers[i], EVENT_STOP, NULL);
    farm_settle(farm);
}

int farm_submit(struct farm *farm, struct task *task)
{
    if (farm->is_stopping)
        return ERR_BUSY;
    int status = task_queue_submit(&farm->queue, task);
    farm->needs_pump |= status == 0;
    return status;
}

int farm_worker_count(const struct farm *farm)
{
    return farm->worker_count;
}

int farm_slot_count(const struct farm *farm)
{
    return farm->slot_count;
}

/* A slot that was never in use. */
static void farm_add_slot(struct farm *farm)
{
    struct worker *worker = &farm->workers[farm->slot_count++];
    worker->farm = farm;
    worker->slot = farm->slot_count;
    worker->state = WORKER_GONE;
    farm->open_handles++;
    uv_timer_init(farm->loop, &worker->backoff);
    worker->backoff.data = worker;
}

void farm_set_worker_count(struct farm *farm, int worker_count)
{
    ENSURE(worker_count > 0 && worker_count <= FARM_WORKERS_MAX, "%d workers", worker_count);
    if (farm->is_stopping)
        return;
    log_event(LOG_INFO, "workers", "before=%d now=%d", farm->worker_count, worker_count);
    farm->worker_count = worker_count;
    while (farm->slot_count < worker_count)
        farm_add_slot(farm);
    for (int i = 0; i < farm->slot_count; i++)
        worker_dispatch(&farm->workers[i], i < worker_count ? EVENT_HIRE : EVENT_RETIRE, NULL);
    farm->needs_pump = 1;
}

void farm_set_paused(struct farm *farm, int is_paused)
{
    if (farm->is_paused != is_paused)
        log_event(LOG_INFO, is_paused ? "paused" : "continued", "queued=%d",
                  farm->queue.waiting_count);
    farm->is_paused = is_paused;
    farm->needs_pump = 1;
}

void farm_wake(struct farm *farm)
{
    farm->needs_pump = 1;
}

int farm_is_paused(const struct farm *farm)
{
    return farm->is_paused;
}

void farm_worker_status(const struct farm *farm, int index, struct farm_worker_status *status)
{
    const struct worker *worker = &farm->workers[index];
    status->slot = worker->slot;
    status->pid = worker->process != NULL ? worker_process_pid(worker->process) : 0;
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

int farm_check_launcher(const char *launcher, struct error *error)
{
    return launcher_check(launcher, error);
}

int farm_check_descriptors(int worker_count, struct error *error)
{
    char what[64];
    snprintf(what, sizeof what, "%d worker%s and their controller", worker_count,
             worker_count == 1 ? "" : "s");
    return limits_raise_files(FARM_DESCRIPTORS + FARM_WORKER_DESCRIPTORS * worker_count, what,
                              error);
}

static void farm_start(struct farm *farm)
{
    /* A worker that dies while it is written to is an error code here, not a signal. */
    signal(SIGPIPE, SIG_IGN);
    uv_update_time(farm->loop);
    farm->last_tick_ms = uv_now(farm->loop);
    farm->clock_ms = 1;
    farm->open_handles = 2;
    uv_timer_init(farm->loop, &farm->tick);
    uv_prepare_init(farm->loop, &farm->pump);
    farm->tick.data = farm->pump.data = farm;
    uv_timer_start(&farm->tick, farm_on_tick, FARM_TICK_MS, FARM_TICK_MS);
    uv_prepare_start(&farm->pump, farm_on_pump);
    farm->needs_pump = 1;
    for (int i = 0; i < farm->worker_count; i++) {
        farm_add_slot(farm);
        worker_dispatch(&farm->workers[i], EVENT_HIRE, NULL);
    }
}

struct farm *farm_create(uv_loop_t *loop, const struct farm_settings *settings,
                         const struct farm_callbacks *callbacks, struct error *error)
{
    ENSURE(settings->worker_count > 0 && settings->worker_count <= FARM_WORKERS_MAX, "%d workers",
           settings->worker_count);
    struct farm *farm = calloc(1, sizeof *farm);
    if (farm == NULL) {
        error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
        return NULL;
    }
    const struct params *params = settings->params;
    farm->loop = loop;
    farm->callbacks = *callbacks;
    farm->worker_count = settings->worker_count;
    farm->prefetch =
        params->farm_prefetch < FARM_PREFETCH_MAX ? (int)params->farm_prefetch : FARM_PREFETCH_MAX;
    farm->limits.deadline_s = params->farm_deadline_s;
    farm->limits.silence_s = params->farm_silence_s;
    farm->is_pinned = params->farm_pin;
    farm->logs.max_bytes = (off_t)params->farm_log_mb << 20;
    farm->params_digest = params_evaluation_digest(params);
    pack_writer_init(&farm->setup);
    pack_writer_init(&farm->scratch);
    message_encode_setup(&farm->setup, params);
    farm->workers = calloc(FARM_WORKERS_MAX, sizeof farm->workers[0]);
    farm->logs.directory = strdup(settings->log_directory);
    int status = 0;
    if (!farm->workers || !farm->logs.directory)
        status = error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    if (status == 0)
        status =
            launcher_init(&farm->launcher, params->farm_launcher, settings->simulator_path, error);
    if (status != 0) {
        farm_free(farm);
        return NULL;
    }
    farm_start(farm);
    return farm;
}
