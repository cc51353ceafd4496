/* The messages between controller and simulator; proto/PROTOCOL.md is the specification.
 *
 * Every message is a MessagePack array whose first element is its number. Controller to simulator:
 * 1..31; simulator to controller: 32..63; retired numbers stay retired. message_decode() checks
 * every count, range and length and gives an error that names the message and the field. */
#ifndef PROTO_MESSAGE_H
#define PROTO_MESSAGE_H

#include "common/growth/phenotype_key.h"
#include "common/creature/creature.h"
#include "common/judge/early_stop.h"
#include "common/judge/trial.h"
#include "common/preserve/epoch_order.h"
#include "proto/frame.h"

enum message_type {
    MESSAGE_HELLO = 1,      /* both ways, first: protocol version, build id, process, host */
    MESSAGE_SETUP = 2,      /* parameters and their digest */
    MESSAGE_TASK = 3,       /* evaluate a genome, or those of a contest */
    MESSAGE_STOP = 4,       /* finish what is queued, then exit 0 */
    MESSAGE_EPOCH = 5,      /* let a world of a preserve live through an epoch */
    MESSAGE_READY = 32,     /* set up: echoes the parameters' digest */
    MESSAGE_RESULT = 33,    /* verdict, measures, digest, cost */
    MESSAGE_REJECTED = 34,  /* a task that could not be read: id and reason */
    MESSAGE_EPOCH_END = 35, /* what became of the world, cost */
};

/* How a program introduces itself; texts are empty where they are not known. */
struct hello {
    uint32_t protocol_version;
    char build[64];
    uint64_t pid;
    /* of a simulator: what it computes (simulator/fingerprint.h); of a controller: what it wants to
     * hear, 0 = anything */
    uint64_t fingerprint;
    char host[64];
    char job[64], step[64]; /* of Slurm; "12_3" is task 3 of array 12 */
};

/* Most creatures of a task besides the first. */
enum { TASK_RIVALS_MAX = 1 };

struct task_rival {
    uint64_t creature;
    struct genome genome;
    struct packed_bytes packed;
};

/* An evaluation, or an epoch of a preserve. */
struct task {
    uint64_t id;       /* unique in a run of the controller */
    uint64_t creature; /* for logs */
    uint32_t attempt;  /* 0, 1, ... */
    uint64_t seed;
    struct trial trial;        /* what it is for */
    struct early_stop_bar bar; /* raises guard.hopeless_m_s and hopeless_sizes_s */
    struct genome genome;
    struct packed_bytes packed; /* the same, if it was packed already; is not sent twice */
    struct task_rival rivals[TASK_RIVALS_MAX]; /* the creatures in the world with it */
    int rival_count;
    struct epoch_order *epoch; /* heap; NULL: it is an evaluation. Else id, attempt and seed hold */

    /* The sender's own, which are not sent. */
    uint64_t tag;
    int bout;                 /* its number among those of a generation (contests.h) */
    struct phenotype_key key; /* of its motion; 0, 0: not known */
};
void task_deinit(struct task *task);
/* `from` is left without what it owned. */
void task_move(struct task *to, struct task *from);

/* Facts that may differ between two equal runs. */
struct task_cost {
    double wall_ms, cpu_ms;
    uint64_t arena_bytes; /* high-water mark */
};

struct rival_result {
    int verdict;
    struct measures measures;
};

struct result {
    uint64_t id, creature;
    int verdict;
    struct measures measures;
    uint64_t digest;
    double pace_least_m_s; /* see simulator/evaluate/evaluate.h */
    struct task_cost cost;
    struct rival_result rivals[TASK_RIVALS_MAX];
    int rival_count;
    struct epoch_end *epoch; /* heap; NULL: of an evaluation. Else id, digest and cost hold */
};

struct setup {
    struct params params;
    uint64_t digest;
};

struct ready {
    uint64_t digest;
};

struct rejected {
    uint64_t id;
    char reason[256];
};

struct message {
    int type;
    union {
        struct hello hello;
        struct setup setup;
        struct task task;
        struct ready ready;
        struct result result;
        struct rejected rejected;
    } as;
};

/* Decodes a payload. On 0 call message_deinit() later (a task owns its genome). On ERR_* nothing is
 * owned; rejected_id receives the task's id if that much could be read, else 0. */
int message_decode(struct message *message, const void *payload, size_t length,
                   uint64_t *rejected_id, struct error *error);
void message_deinit(struct message *message);

/* Encodes as a whole frame, header included, appended to `writer` (see pack_writer). `part` is what
 * the message has of `as`; a task that carries an epoch's order is MESSAGE_EPOCH, a result that
 * carries an epoch's end MESSAGE_EPOCH_END, and MESSAGE_STOP has NULL. */
void message_encode(struct pack_writer *writer, enum message_type type, const void *part);
void message_encode_setup(struct pack_writer *writer, const struct params *params);
void message_encode_rejected(struct pack_writer *writer, uint64_t id, const char *reason);

/* Exit codes of a simulator that says why it ends. */
#define WORKER_EXIT_HUNG   3 /* more processor time than the deadline allows */
#define WORKER_EXIT_MEMORY 4 /* no memory left within its limit */
#define WORKER_EXIT_SENT   5 /* a signal like those of crashes came from outside: no fault */

/* Processor time a task may use at this attempt, and how long a worker may stand still with it, as
 * multiples of the settings: more each time, so that a slow machine gets everything done. */
double task_patience(uint32_t attempt);

/* hello.c: describes this process: its host's name, and its job where Slurm started it (SLURM_JOB_ID and
 * others). */
void hello_init(struct hello *hello, uint64_t fingerprint);

/* "bestiary 0.24.0 simulator 27": what both ends must agree on besides the protocol's version. */
const char *message_build_id(void);

#endif
