/* What differs between two genomes, in words: genes are matched by their ids, as crossover does. */
#ifndef COMMON_GENETICS_GENETICS_DIFF_H
#define COMMON_GENETICS_GENETICS_DIFF_H

#include <stdio.h>

#include "common/genome/genome.h"

/* How many genes of `before` and `after` are in both and the same, in both but changed, or in one
 * of them only. */
struct genetics_diff {
    int same, changed, added, removed;
    int is_moved; /* the root, the order of rows or the breeding method is another */
};

/* Writes a line for each difference to `out`: "+" a gene that only `after` has, "-" one that only
 * `before` has, "~" one that changed, with every field that did. Rows are those of the genome that
 * has the gene (`after`, if both have it). Writes nothing if, and only if, genome_is_equal(). */
struct genetics_diff genetics_diff(const struct genome *before, const struct genome *after,
                                   FILE *out);

#endif
