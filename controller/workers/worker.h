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
#include "controller/workers/process_end.h"
#include "controller/workers/task_queue.h"
#include "controller/workers/task_watch.h"
#include "controller/workers/worker_process.h"

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

void worker_get_status(const struct worker *worker, struct farm_worker_status *status);

#endif
