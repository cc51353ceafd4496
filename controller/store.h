/* The run store: RUN_DIR/run.db (SQLite), the only file of the controller that includes sqlite3.h.
 *
 * The schema is in store_schema.h and documented in docs/run-store.md. Results are committed in batches within
 * a generation; a generation is closed, and the next one opened, in one transaction. */
#ifndef CONTROLLER_STORE_H
#define CONTROLLER_STORE_H

#include "common/creature.h"
#include "controller/search.h"
#include "proto/message.h"

struct store;

/* Makes a new database at `path` (ERR_EXISTS if there is one), with the run's parameters. */
int store_create(struct store **store, const char *path, const struct params *params,
                 struct error *error);
/* Opens for writing (ERR_BUSY if another controller holds the run) or read-only. */
int store_open(struct store **store, const char *path, int is_read_only, struct error *error);
/* Commits and closes; NULL is allowed. */
void store_close(struct store *store);

int store_get_params(struct store *store, struct params *params, struct error *error);

/* Opens a generation: writes its new individuals and its members (everyone in the population). If
 * `closed` is not NULL it is the complete, ranked population of the generation before, which is
 * closed in the same transaction. */
int store_put_generation(struct store *store, uint32_t generation,
                         const struct population *population, const struct population *closed,
                         int survivor_count, struct error *error);
/* Closes the last generation (no next one) and marks the run finished. */
int store_finish(struct store *store, uint32_t generation, const struct population *closed,
                 int survivor_count, struct error *error);

/* Adds a result to the open batch; store_commit() makes it durable. */
int store_put_result(struct store *store, const struct individual *individual,
                     const struct task_cost *cost, int worker, struct error *error);
int store_put_quarantine(struct store *store, const struct individual *individual,
                         const char *reason, const char *command, struct error *error);
int store_put_event(struct store *store, const char *event, const char *detail,
                    struct error *error);
int store_commit(struct store *store, struct error *error);

struct store_status {
    int has_generation;
    uint32_t generation; /* the last opened */
    int is_finished;
    uint64_t next_id;
    int64_t individuals, evaluated, quarantined;
    int64_t evaluated_in_generation, members_in_generation;
};
int store_get_status(struct store *store, struct store_status *status, struct error *error);

/* The last opened generation with the results known so far; the caller owns `population`. */
int store_get_population(struct store *store, uint32_t generation, struct population *population,
                         struct error *error);

/* One line of a table of survivors. */
struct store_entry {
    uint64_t id;
    uint32_t generation; /* of birth */
    int rank;            /* 1 = best */
    double fitness;
    int verdict;
    char method[16];
    uint64_t parents[2];
    char mutations[256];
    struct measures measures;
    uint64_t digest, seed;
    double cost_ms;
};
/* The best `top` of a closed generation (-1: the last closed one), in rank order. The caller frees
 * *entries. `generation_found` receives the generation meant. */
int store_get_top(struct store *store, int64_t generation, int top, struct store_entry **entries,
                  int *count, uint32_t *generation_found, struct error *error);

/* Fitness of the generations: best, median, mean of the members, in order; the caller frees. */
struct store_generation {
    uint32_t generation;
    double best, median, mean;
    uint64_t best_id;
    int64_t evaluations; /* up to and including this generation */
};
int store_get_curve(struct store *store, struct store_generation **generations, int *count,
                    struct error *error);

/* A creature with everything known of it, ready to be written to a file. */
int store_get_creature(struct store *store, uint64_t id, struct creature *creature,
                       struct error *error);

#endif
