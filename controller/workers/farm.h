/* The farm: simulator processes fed over pipes, on one libuv loop.
 *
 * Tasks go in, results come out by task id; workers that crash, hang, talk nonsense or are killed
 * are replaced and their tasks done again, which changes nothing in the results. The life of a
 * worker is a table of states and events in worker.c; docs/farm.md tells of it. */
#ifndef CONTROLLER_WORKERS_FARM_H
#define CONTROLLER_WORKERS_FARM_H

#include <uv.h>

#include "common/params/params.h"
#include "proto/message.h"

struct farm;

#define FARM_WORKERS_MAX 1024

struct farm_settings {
    const struct params *params; /* farm.* and what workers are set up with; outlives the farm */
    int worker_count;            /* 1 .. FARM_WORKERS_MAX */
    const char *simulator_path;  /* the program */
    const char *log_directory;   /* worker-NN.log are appended there; "" = logs are dropped */
    uint64_t fingerprint;        /* what each worker must compute; 0 = is not looked at */
};

struct farm_callbacks {
    void *context;
    /* A result arrived from worker `slot` (each submitted task gets exactly one on_result or
     * on_quarantine). The task is good during the call. */
    void (*on_result)(void *context, const struct task *task, const struct result *result,
                      int slot);
    /* The task crashed its simulator, or took more processor time than the deadline, twice, and
     * once more alone in a fresh worker. `log` has the last lines of that worker's log, "" if there
     * is none. */
    void (*on_quarantine)(void *context, const struct task *task, const char *reason,
                          const char *log);
    /* Room for more tasks than are queued: submit now. */
    void (*on_hungry)(void *context, int room);
    /* A message for the user, once. */
    void (*on_notice)(void *context, const char *text);
    /* No worker can be started (program missing, wrong version, ...): the run cannot go on. */
    void (*on_failure)(void *context, const char *reason);
};

/* Makes sure that a run with so many workers may have enough files open; raises the limit where it
 * can. 0, or ERR_LIMIT with a message. */
int farm_check_descriptors(int worker_count, struct error *error);

/* Starts workers on the loop (from the loop: nothing is called back before it runs). NULL with a
 * message if nothing can be started at all. SIGPIPE is ignored in this process from now on. */
struct farm *farm_create(uv_loop_t *loop, const struct farm_settings *settings,
                         const struct farm_callbacks *callbacks, struct error *error);

/* Queues a task; takes over its genome. Ids must be unique among tasks under way. 0, or ERR_MEMORY,
 * or ERR_BUSY once the farm is stopping; the genome then stays the caller's. */
int farm_submit(struct farm *farm, struct task *task);

/* Ends: drops what is queued, sends stop to the workers, kills those that linger; on_stopped is
 * called once, when every process is gone and every handle closed; the farm is freed after it
 * returns. No other callback comes any more. May be called within a callback. */
void farm_stop(struct farm *farm, void (*on_stopped)(void *context), void *context);

/* Another number of workers, 1 .. FARM_WORKERS_MAX. New ones start at once; those that are too many
 * finish what they hold and end. */
void farm_set_worker_count(struct farm *farm, int worker_count);
/* While the farm is paused, workers finish what they hold and get nothing more. */
void farm_set_paused(struct farm *farm, int is_paused);
int farm_is_paused(const struct farm *farm);
/* There is work again: asks for it, as after a result. */
void farm_wake(struct farm *farm);

struct farm_worker_status {
    int slot; /* from 1: the NN of its log */
    int pid;  /* of the process here: the simulator's, or its launcher's; 0 = none */
    const char *host, *job, *step; /* where the simulator says it is; "" = not known */
    const char *state; /* "starting", "idle", "busy", ...; "gone" after fewer were asked for */
    uint64_t task, creature; /* that it works on, 0 = none */
    struct trial trial;      /* of that task */
    int attempt;             /* of it, from 0 */
    double task_cpu_s;       /* that it took so far, to half a second; 0 if not known */
    double busy_share;       /* of about the last ten seconds */
    uint64_t tasks_done;
    uint64_t restarts; /* processes that ended without being asked to */
    double busy_s;     /* summed cost of its results */
};
/* The number of workers asked for. */
int farm_worker_count(const struct farm *farm);
/* Slots there are or were: the indices of farm_worker_status(). */
int farm_slot_count(const struct farm *farm);
void farm_worker_status(const struct farm *farm, int index, struct farm_worker_status *status);

#endif
