/* The digest of a run: a hash of all that two equal runs have in common, of the parameters and of
 * each generation. Its rows come from the run store (controller/store/store_digest.c) or from a
 * search in memory (library/search.c); the types of values are hashed with them, so that nothing
 * differs from 0, and "a", "bc" from "ab", "c". */
#ifndef CONTROLLER_EVOLUTION_RUN_DIGEST_H
#define CONTROLLER_EVOLUTION_RUN_DIGEST_H

#include "controller/evolution/search.h"

/* Numbered as by SQLite. */
enum run_value_type { RUN_WHOLE = 1, RUN_REAL, RUN_TEXT, RUN_BYTES, RUN_NOTHING };
struct run_value {
    enum run_value_type type;
    int64_t whole;
    double real;
    const void *bytes; /* of a text, too; it need not end with 0 */
    size_t length;
};

/* In the order in which a generation's rows are hashed. Columns: run_digest.c. */
enum run_table {
    RUN_GENERATIONS,
    RUN_INDIVIDUALS, /* born up to the generation, and not hashed before; by id */
    RUN_BARS,        /* of the same that have one */
    RUN_MEMBERS,     /* this and the following: of the generation, by their keys */
    RUN_CONTESTS,
    RUN_EPOCHS,
    RUN_DEEDS,
    RUN_ARCHIVE,
    RUN_CHOICES,
    RUN_TABLES
};
/* Gives the rows of a table to run_digest_row(). 0 or ERR_*. */
typedef int run_rows(void *context, enum run_table table, int64_t generation, uint64_t *hash,
                     struct error *error);

void run_digest_row(uint64_t *hash, const struct run_value *values, int count);
/* A generation's own digest; called in their order. 0, or what `rows` returned. */
int run_digest_generation(run_rows *rows, void *context, int64_t generation, uint64_t *hash,
                          struct error *error);
/* Adds the parameters by name, but for those of scope F and those that have their default: a new
 * key that is off changes no digest. */
void run_digest_params(uint64_t *hash, const struct params *params);

#endif
