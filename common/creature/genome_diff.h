/* The difference of two genomes, as their text form has them (docs/creature-format.md). Genes are
 * matched by their ids, as crossover does. */
#ifndef COMMON_CREATURE_GENOME_DIFF_H
#define COMMON_CREATURE_GENOME_DIFF_H

#include <stdio.h>

#include "common/genome/genome.h"

/* How many genes of `before` and `after` are in both and the same, in both but changed, or in one
 * of them only. */
struct genome_diff {
    int same, changed, added, removed;
    int is_moved; /* the kind, the root, the breeding method or the order of rows is another */
};

/* Writes a line for each difference to `out`: "+" a gene that only `after` has, "-" one that only
 * `before` has, "~" one that changed, with every field that did. Writes nothing if, and only if,
 * genome_is_equal(). 0 or ERR_MEMORY. */
int genome_diff(const struct genome *before, const struct genome *after, FILE *out,
                struct genome_diff *counts);

#endif
