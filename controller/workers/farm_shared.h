/* Shared by a farm and its workers. Only farm.c and worker*.c open it. */
#ifndef CONTROLLER_WORKERS_FARM_SHARED_H
#define CONTROLLER_WORKERS_FARM_SHARED_H

#include "controller/workers/farm.h"
#include "controller/workers/hosts.h"
#include "controller/workers/launcher.h"
#include "controller/workers/task_queue.h"
#include "controller/workers/task_watch.h"
#include "controller/workers/worker.h"
#include "controller/workers/worker_log.h"

enum { FARM_TURNAROUNDS = 64 };

struct farm {
    uv_loop_t *loop;
    struct farm_callbacks callbacks;
    struct worker *workers;       /* FARM_WORKERS_MAX, of which the first slot_count are in use */
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

void farm_note_turnaround(struct farm *farm, uint64_t ms);

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
