/* How a worker's process ends: by its own end, or because it is given up. */

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/system/log.h"
#include "controller/workers/worker.h"

enum {
    WORKER_BACKOFF_MIN_MS = 100,
    WORKER_BACKOFF_MAX_MS = 5000,
    WORKER_TERM_MS = 2000,    /* from SIGTERM to SIGKILL, of launchers */
    WORKER_LINGER_MS = 2000,  /* from stop to kill */
    WORKER_CLOSING_MS = 1000, /* from a broken pipe to kill */
};

/* ---- ways to end it ---- */

void worker_kill(struct worker *worker, const char *cause, ...)
{
    int is_asked = worker->farm->launcher.word_count > 0 && !worker->was_asked;
    va_list values;
    va_start(values, cause);
    if (worker->cause[0] == '\0')
        vsnprintf(worker->cause, sizeof worker->cause, cause, values);
    va_end(values);
    worker_process_mute(worker->process);
    worker_process_kill(worker->process, is_asked ? SIGTERM : SIGKILL);
    worker_enter(worker, WORKER_DEAD);
    if (is_asked)
        worker_set_deadline(worker, WORKER_TERM_MS);
    worker->was_asked = 1;
}

void worker_kill_bad(struct worker *worker, const struct occasion *occasion)
{
    worker_kill(worker, "bad frame: %s", occasion->reason);
}

/* A message that must not come in this state. */
void worker_kill_unexpected(struct worker *worker, const struct occasion *occasion)
{
    worker_kill(worker, "message %d while %s", occasion->message->type, worker_state_name(worker));
}

void worker_kill_late(struct worker *worker, const struct occasion *occasion)
{
    worker->is_overdue = occasion->is_overdue;
    worker_kill(worker, "late while %s: %s", worker_state_name(worker), occasion->reason);
}

void worker_kill_lingering(struct worker *worker, const struct occasion *occasion)
{
    worker_kill(worker, "closed its pipe without exiting");
}

/* The pipe broke: its exit follows at once, as a rule, and says more. */
void worker_lose(struct worker *worker, const struct occasion *occasion)
{
    char text[WORKER_CAUSE_SIZE + 16];
    log_event(LOG_DEBUG, "worker_pipe_closed", "worker=%d reason=%s", worker->slot,
              log_quote(occasion->reason, text, sizeof text));
    worker_enter(worker, WORKER_DEAD);
    worker_set_deadline(worker, WORKER_CLOSING_MS);
}

void worker_stop(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    worker->is_let_go = worker->held_count > 0;
    worker_drop_tasks(worker);
    worker_enter(worker, WORKER_STOPPING);
    worker_set_deadline(worker, WORKER_LINGER_MS);
    pack_writer_clear(&farm->scratch);
    message_encode(&farm->scratch, MESSAGE_STOP, NULL);
    if (worker_send(worker, &farm->scratch) != 0)
        worker_kill(worker, "write failed");
}

void worker_stop_dead(struct worker *worker, const struct occasion *occasion)
{
    worker_drop_tasks(worker);
}

void worker_leave(struct worker *worker, const struct occasion *occasion)
{
    worker_drop_tasks(worker);
    uv_timer_stop(&worker->backoff);
    worker_enter(worker, WORKER_GONE);
}

/* ---- its end ---- */

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
              worker->slot, worker_process_pid(worker->process), worker_state_name(worker),
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
    uint64_t delay_ms = worker->failures > 0 ? WORKER_BACKOFF_MIN_MS : 0;
    for (int i = 1; i < worker->failures && delay_ms < WORKER_BACKOFF_MAX_MS; i++)
        delay_ms *= 2;
    return delay_ms < WORKER_BACKOFF_MAX_MS ? delay_ms : WORKER_BACKOFF_MAX_MS;
}

void worker_count_failure(struct worker *worker, const char *cause)
{
    struct farm *farm = worker->farm;
    char reason[WORKER_CAUSE_SIZE * 2];
    worker->failures++;
    if (!farm_is_hopeless(farm))
        return;
    snprintf(reason, sizeof reason, "simulator %s %s: %s", farm->launcher.simulator_path,
             farm->was_ever_ready ? "starts again and again, but brings no result"
                                  : "cannot be started",
             cause);
    farm_fail(farm, reason);
}

void worker_wait(struct worker *worker, const char *end)
{
    struct farm *farm = worker->farm;
    /* a process that was killed meanwhile tells nothing about its host */
    if (!worker->was_ready && farm->launcher.word_count > 0 && worker->cause[0] != '\0' &&
        hosts_note_failed_start(&farm->hosts, worker->place.host, worker->cause))
        farm_tell_left_out(farm, worker->place.host);
    worker_enter(worker, WORKER_WAITING);
    worker->is_retiring &= worker->slot > farm->worker_count;
    if (worker->results_of_process == 0)
        worker_count_failure(worker, worker->cause[0] ? worker->cause : end);
    if (!farm->has_failed && !farm->is_stopping)
        worker_start_after(worker, worker_backoff_ms(worker));
}

void worker_reap(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    int has_launcher = farm->launcher.word_count > 0;
    struct process_end end = has_launcher ? process_end_of_child(occasion->end) : occasion->end;
    char text[64];
    process_end_print(end, text, sizeof text);
    int is_good = end.signal == 0 && end.exit_code == 0;
    int is_expected = worker->state == WORKER_STOPPING ? is_good : worker->is_let_go;
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
