/* One worker: the state machine of a slot that runs one simulator process after another. The life
 * of a slot (arrows: event / action):
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
 * A worker retires because there are too many, or because its log has become long: then its slot
 * gets a new process, which begins another log.
 *
 * Time. A start, an end and a silence are measured in the farm's own running time: ticks, of which
 * a late one counts like a punctual one, so that a suspended machine or a stopped controller is
 * no task's fault. A BUSY worker is late when its oldest task takes too long (task_queue.h).
 *
 * An exit may come in every living state. DEAD means: killed, or its pipe broke, and its exit has
 * not been seen yet; results it wrote before still count there. The fate of the tasks it held
 * is told in worker.h.
 *
 * Here are the table, what must hold between events, and hiring, retiring and time. The actions are
 * in worker_start.c (until a process takes tasks), worker_results.c (tasks and results) and
 * worker_end.c (ends of processes).
 *
 * Callbacks of the farm's owner are the last thing that happens in an event, when the state is
 * consistent, since they may submit tasks or stop the farm. */
#include "controller/workers/worker.h"

#include <inttypes.h>

/* Ticks that the share of busy ones is of, fading. */
enum { WORKER_BUSY_TICKS = 20 };

static const char *const state_names[WORKER_STATE_COUNT] = {"waiting", "starting", "setup", "idle",
                                                            "busy",    "stopping", "dead",  "gone"};

const char *worker_state_name(const struct worker *worker)
{
    return state_names[worker->state];
}

/* ---- invariants ---- */

/* Its process, its deadline and its timer fit its state. */
static void worker_check_state(const struct worker *worker)
{
    int has_process = worker->process != NULL;
    int is_without = worker->state == WORKER_WAITING || worker->state == WORKER_GONE;
    ENSURE(has_process == !is_without, "worker %d is %s", worker->slot, worker_state_name(worker));
    int must_answer = (worker->state == WORKER_STARTING && worker->farm->start_ms > 0) ||
                      worker->state == WORKER_SETUP || worker->state == WORKER_STOPPING;
    ENSURE(worker->state == WORKER_DEAD || (worker->deadline_ms > 0) == must_answer,
           "worker %d is %s and has until %" PRIu64, worker->slot, worker_state_name(worker),
           worker->deadline_ms);
    ENSURE(worker->state == WORKER_WAITING || !uv_is_active((const uv_handle_t *)&worker->backoff),
           "worker %d is %s and waits for a start", worker->slot, worker_state_name(worker));
}

/* The tasks it has fit its state; one that must be alone is alone. */
static void worker_check_tasks(const struct worker *worker)
{
    ENSURE(worker->held_count >= 0 && worker->held_count <= worker->farm->prefetch,
           "worker %d holds %d", worker->slot, worker->held_count);
    ENSURE(worker->held_count == 0 || worker->state == WORKER_BUSY || worker->state == WORKER_DEAD,
           "worker %d is %s and holds %d", worker->slot, worker_state_name(worker),
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

void worker_set_deadline(struct worker *worker, uint64_t after_ms)
{
    worker->deadline_ms = farm_now_ms(worker->farm) + after_ms;
}

void worker_enter(struct worker *worker, enum worker_state state)
{
    worker->state = state;
    worker->deadline_ms = 0;
}

static void worker_on_backoff(uv_timer_t *timer)
{
    worker_dispatch(timer->data, EVENT_TIMER, NULL);
}

void worker_start_after(struct worker *worker, uint64_t delay_ms)
{
    uv_timer_start(&worker->backoff, worker_on_backoff, delay_ms, 0);
}

/* The state that follows from what it holds; the next task is watched from the next tick on. */
void worker_enter_idle_or_busy(struct worker *worker)
{
    worker_enter(worker, worker->held_count > 0 ? WORKER_BUSY : WORKER_IDLE);
    worker->watch.task = 0;
    worker->farm->needs_pump = 1;
}

int worker_send(struct worker *worker, const struct pack_writer *frame)
{
    return worker_process_write(worker->process, frame->buffer.data, frame->buffer.size);
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
    worker->failures = worker->busy_ticks = 0;
    worker->busy_share = 0;
    worker_enter(worker, WORKER_WAITING);
    worker_start_after(worker, 0);
}

static void worker_ignore(struct worker *worker, const struct occasion *occasion)
{
}

/* ---- the table ---- */

/* As long as its process is there and not told to stop. */
#define ON_DUTY                                                                                    \
    [EVENT_BAD] = worker_kill_bad, [EVENT_CLOSED] = worker_lose, [EVENT_EXIT] = worker_reap,       \
    [EVENT_STOP] = worker_stop, [EVENT_RETIRE] = worker_retire, [EVENT_HIRE] = worker_keep

/* It has not got so far. */
#define NOT_READY                                                                                  \
    ON_DUTY, [EVENT_RESULT] = worker_kill_unexpected, [EVENT_REJECTED] = worker_refused,           \
             [EVENT_LATE] = worker_kill_late

/* It has said hello and got the settings besides: tasks may come back. */
#define READY_FOR_TASKS                                                                            \
    ON_DUTY, [EVENT_HELLO] = worker_kill_unexpected, [EVENT_READY] = worker_kill_unexpected,       \
             [EVENT_RESULT] = worker_take_result, [EVENT_REJECTED] = worker_take_rejected

/* Its exit is all that is waited for. */
#define ENDING                                                                                     \
    [EVENT_HELLO] = worker_ignore, [EVENT_READY] = worker_ignore, [EVENT_CLOSED] = worker_ignore,  \
    [EVENT_EXIT] = worker_reap, [EVENT_HIRE] = worker_keep

/* Events without an entry cannot happen. */
static worker_action *const worker_table[WORKER_STATE_COUNT][WORKER_EVENT_COUNT] = {
    [WORKER_WAITING] = {[EVENT_TIMER] = worker_spawn,
                        [EVENT_STOP] = worker_leave,
                        [EVENT_RETIRE] = worker_retire,
                        [EVENT_HIRE] = worker_keep},
    [WORKER_STARTING] =
        {NOT_READY, [EVENT_HELLO] = worker_greet, [EVENT_READY] = worker_kill_unexpected},
    [WORKER_SETUP] =
        {NOT_READY, [EVENT_HELLO] = worker_kill_unexpected, [EVENT_READY] = worker_begin},
    [WORKER_IDLE] = {READY_FOR_TASKS},
    [WORKER_BUSY] = {READY_FOR_TASKS, [EVENT_LATE] = worker_kill_late},
    [WORKER_STOPPING] = {ENDING, [EVENT_RESULT] = worker_ignore, [EVENT_REJECTED] = worker_ignore,
                         [EVENT_BAD] = worker_ignore, [EVENT_LATE] = worker_kill_late,
                         [EVENT_STOP] = worker_ignore, [EVENT_RETIRE] = worker_ignore},
    [WORKER_DEAD] =
        {ENDING, [EVENT_RESULT] = worker_take_result, [EVENT_REJECTED] = worker_take_rejected,
         [EVENT_BAD] = worker_kill_bad, [EVENT_LATE] = worker_kill_lingering,
         [EVENT_STOP] = worker_stop_dead, [EVENT_RETIRE] = worker_retire},
    [WORKER_GONE] =
        {[EVENT_STOP] = worker_ignore, [EVENT_RETIRE] = worker_ignore, [EVENT_HIRE] = worker_hire},
};

void worker_dispatch(struct worker *worker, enum worker_event event,
                     const struct occasion *occasion)
{
    worker_action *action = worker_table[worker->state][event];
    ENSURE(action != NULL, "worker %d: event %d while %s", worker->slot, (int)event,
           worker_state_name(worker));
    action(worker, occasion);
    worker_check(worker);
}

/* ---- time and status ---- */

void worker_tick(struct worker *worker)
{
    const struct farm *farm = worker->farm;
    char reason[96] = "no answer in time";
    int is_late = worker->deadline_ms > 0 && farm_now_ms(farm) >= worker->deadline_ms;
    enum task_lateness lateness = TASK_IN_TIME;
    if (worker->state == WORKER_BUSY) {
        int64_t cpu_ns = worker->is_direct ? worker_process_cpu_ns(worker->process) : -1;
        lateness = task_watch_look(&worker->watch, &worker->held[0]->task, cpu_ns,
                                   farm_now_ms(farm), &farm->limits, reason, sizeof reason);
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
             !worker->is_retiring && worker_log_is_due(&farm->logs, worker->slot, worker->has_log))
        worker_dispatch(worker, EVENT_RETIRE, NULL);
}

void farm_worker_status(const struct farm *farm, int index, struct farm_worker_status *status)
{
    const struct worker *worker = &farm->workers[index];
    status->slot = worker->slot;
    status->pid = worker->process != NULL ? worker_process_pid(worker->process) : 0;
    status->host = worker->place.host;
    status->job = worker->place.job;
    status->step = worker->place.step;
    status->state = worker_state_name(worker);
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
