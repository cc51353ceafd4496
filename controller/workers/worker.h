/* One worker: a slot that runs one simulator process after another, as a machine of states and
 * events.
 *
 * worker.c has the table and the states' diagram, worker_*.c what each event does. Only the farm
 * (farm.c) talks to workers: it hires, feeds, stops and retires them, and tells them that time
 * passes. */
#ifndef CONTROLLER_WORKERS_WORKER_H
#define CONTROLLER_WORKERS_WORKER_H

#include <uv.h>

#include "controller/workers/farm.h"
#include "controller/workers/program.h"
#include "controller/workers/task_queue.h"
#include "controller/workers/worker_process.h"
#include "controller/workers/launcher.h"

enum {
    WORKER_PREFETCH_MAX = 64,
    WORKER_CAUSE_SIZE = 320,
};

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

/* The data of an event; only its own fields are set. */
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
    struct worker_process *process;              /* NULL in WAITING and GONE */
    struct farm_task *held[WORKER_PREFETCH_MAX]; /* oldest first */
    int held_count;
    struct farm_task *reserved;    /* to be tried alone by the next process */
    int is_retiring;               /* gets no more tasks, then ends */
    int is_direct;                 /* the process is the simulator, not something in front of it */
    struct task_watch watch;       /* of the oldest task, while BUSY */
    uint64_t deadline_ms;          /* in the farm's running time; 0 = none */
    char cause[WORKER_CAUSE_SIZE]; /* why it was given up, before its exit; else empty */
    int is_overdue;                /* ... because its task took too much processor time */
    int is_let_go;                 /* told to stop in the midst of a task: it need not hear that */
    int has_log;                   /* this process, at its start */
    int was_ready;                 /* this process */
    int was_asked;                 /* its launcher has had its SIGTERM */
    struct hello place;            /* what this process said of itself; all 0 before */
    uint64_t results_of_process;
    int failures; /* since its last result: ends of processes, and tasks that they rejected */
    uint64_t tasks_done, spawns, restarts;
    double busy_s, busy_share;
    int busy_ticks; /* that the share is of, to WORKER_BUSY_TICKS */
};

/* A slot that was never in use: GONE until it is hired. */
void worker_init(struct worker *worker, struct farm *farm, int slot);

/* Does what the table says for this state and event; `occasion` may be NULL if nothing belongs to
 * the event. */
void worker_dispatch(struct worker *worker, enum worker_event event,
                     const struct occasion *occasion);

/* Asserts what must hold between any two events. */
void worker_check(const struct worker *worker);

/* Whether it may be given a task while it holds at most held_max. */
int worker_has_room(const struct worker *worker, int held_max);
/* Sends it a task, which it then holds. If its pipe is broken the task is requeued. */
void worker_give(struct worker *worker, struct farm_task *entry);
/* Sends an IDLE worker the task that is reserved for it, if there is one. */
void worker_give_reserved(struct worker *worker);

/* Time has passed: looks at deadlines, and at whether the log is long, or lost. */
void worker_tick(struct worker *worker);

/* The tasks a worker has, and what becomes of them when its process ends.
 *
 * Whatever `held` contains at the exit goes back to the queue, unless it is finished or another
 * worker holds it, too. Only the oldest held task was being executed, and only it is judged, unless
 * it is finished:
 *
 *   self-inflicted end (SIGSEGV, ..., out of memory, more processor time than farm.deadline_s)
 *                                      faults + 1; from the 2nd on it is tried alone; 3rd:
 *                                      quarantine
 *   any other end                      losses + 1; from the 3rd on it is tried alone; no limit
 *
 * Alone means: reserved for this slot, whose next process is fresh, and nothing is prefetched
 * beside it. So a result depends on nothing that happened here, and a task leaves the farm exactly
 * once. */

enum {
    WORKER_FAULTS_ALONE = 2,      /* self-inflicted ends after which a task is tried alone */
    WORKER_FAULTS_QUARANTINE = 3, /* ... and after which it is put in quarantine */
    WORKER_LOSSES_ALONE = 3,      /* other ends after which it is tried alone */
};

/* Those it holds, and the reserved one; the index goes from 0 to the count. */
int worker_task_count(const struct worker *worker);
struct farm_task *worker_task(const struct worker *worker, int index);
/* All held tasks go back, the prefetched ones unblamed. Returns the one that has to leave the farm
 * for the quarantine, or NULL. */
struct farm_task *worker_give_back(struct worker *worker, int is_self_inflicted);
/* Tells the owner of the farm, with the end of the worker's log, and frees the task. */
void worker_quarantine(struct worker *worker, struct farm_task *entry, const char *reason);
/* Everything it still does is dropped. */
void worker_drop_tasks(struct worker *worker);

/* Shared by the files of a worker: the small steps, and the actions that worker.c has in its
 * table. Only worker*.c open it. */

/* ---- small steps: worker.c, and of the last three worker_end.c ---- */

const char *worker_state_name(const struct worker *worker);
/* The new state has no deadline until one is set. */
void worker_enter(struct worker *worker, enum worker_state state);
void worker_set_deadline(struct worker *worker, uint64_t after_ms);
/* A WAITING worker starts a process then. */
void worker_start_after(struct worker *worker, uint64_t delay_ms);
/* The state that follows from what it holds. */
void worker_enter_idle_or_busy(struct worker *worker);
/* A frame to its process. 0, or ERR_*, which the caller makes an event of. */
int worker_send(struct worker *worker, const struct pack_writer *frame);
/* Ends its process, DEAD until its exit is seen; the first cause is kept. A launcher is asked
 * first, so that it can end what it has started, or leave its queue. */
void worker_kill(struct worker *worker, const char *cause, ...)
    __attribute__((format(printf, 2, 3)));
/* Another end, or task rejected, since its last result: gives the farm up where all slots have too
 * many. */
void worker_count_failure(struct worker *worker, const char *cause);
/* Without a process: waits for the next start, or gives the farm up. `end` says how the last
 * process ended. */
void worker_wait(struct worker *worker, const char *end);

/* ---- actions ---- */

typedef void worker_action(struct worker *worker, const struct occasion *occasion);

/* worker_start.c */
worker_action worker_spawn, worker_greet, worker_begin, worker_refused;
/* worker_results.c */
worker_action worker_take_result, worker_take_rejected;
/* worker_end.c */
worker_action worker_kill_bad, worker_kill_unexpected, worker_kill_late, worker_kill_lingering;
worker_action worker_lose, worker_reap, worker_stop, worker_stop_dead, worker_leave;

/* The log files of a farm's workers: worker-NN.log of slot NN, and worker-NN.old.log, the one
 * before.
 *
 * Every process of a slot appends to its log. A log that has become too long is put away before the
 * next process starts. */

enum { WORKER_LOG_TAIL_BYTES = 3000 };

struct worker_logs {
    char *directory; /* "" = there are no logs */
    off_t max_bytes; /* beyond which a log begins anew */
};

/* Whether the next process should begin another log: it is long or, if it must be there, was
 * deleted. */
int worker_log_is_due(const struct worker_logs *logs, int slot, int must_be_there);

/* Puts a long log away, in the place of the one before. */
void worker_log_rotate(const struct worker_logs *logs, int slot);

/* A descriptor to append to, or -1; makes the folder again where it was deleted. The failure is
 * told in the controller's log. */
int worker_log_open(const struct worker_logs *logs, int slot);

/* The last lines of the slot's last process, whole ones; "" without a log. */
void worker_log_read_tail(const struct worker_logs *logs, int slot,
                          char text[WORKER_LOG_TAIL_BYTES + 1]);

/* Shared by a farm and its workers. Only farm.c and worker*.c open it. */

enum { FARM_TURNAROUNDS = 64 };

struct farm {
    uv_loop_t *loop;
    struct farm_callbacks callbacks;
    struct worker *workers;       /* FARM_WORKERS_MAX; the first slot_count are in use */
    int slot_count, worker_count; /* ever, wanted */
    int prefetch, is_pinned, is_paused;
    struct task_limits limits;
    struct worker_logs logs;
    const struct params *params;
    uint64_t params_digest;
    struct hello hello; /* of this process, with the fingerprint that its workers must have */
    uint64_t start_ms;  /* from a process's start to its hello; 0 = as long as it takes */
    struct hosts hosts;
    struct pack_writer setup;   /* the whole frame, the same for everyone */
    struct pack_writer scratch; /* for a frame that is sent at once */
    struct launcher launcher;

    struct task_queue queue;
    uint64_t turnaround_ms[FARM_TURNAROUNDS]; /* of the last tasks, from sending to result */
    uint64_t turnaround_count;                /* ever */
    uint64_t checks;
    int needs_pump; /* workers may have room: feed them in this turn of the loop */

    uv_timer_t tick;
    uv_prepare_t pump;
    uint64_t last_tick_ms; /* loop time */
    uint64_t clock_ms;     /* running time at the last tick */
    int was_ever_ready, has_failed, is_stopping, is_closing;
    int open_handles, open_processes;
    void (*on_stopped)(void *context);
    void *stopped_context;
};

/* The farm's running time, in which a late tick counts like a punctual one. */
uint64_t farm_now_ms(const struct farm *farm);

/* 1 when every slot has failed so often since its last result that trying on is pointless. */
int farm_is_hopeless(const struct farm *farm);
/* A host is left out from now on: tells the owner and the launcher. */
void farm_tell_left_out(struct farm *farm, const char *host);
/* Tells the owner, once, that the run cannot go on. */
void farm_fail(struct farm *farm, const char *reason);

/* While the farm stops: frees it when nothing of it is left on the loop; closes its handles when no
 * slot is alive. */
void farm_settle(struct farm *farm);

#endif
