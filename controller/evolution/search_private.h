/* Shared by search.c and search_lagged.c: the search itself. */
#ifndef CONTROLLER_EVOLUTION_SEARCH_PRIVATE_H
#define CONTROLLER_EVOLUTION_SEARCH_PRIVATE_H

#include "common/rows.h"
#include "controller/evolution/breeding.h"
#include "controller/evolution/search.h"

struct search {
    struct params params;
    uint32_t generation;
    uint64_t next_id;
    struct population population;
    struct pack_writer scratch; /* where newborns are packed */
    int missing;                /* individuals without a result */
    int called;                 /* individuals in the top that the referee has yet to see */
    int cursor;                 /* row to look at first when either is asked for */

    /* In lagged methods the population in order of id is
     *   [0, head) counted   [head, born) bred, not counted   [born, count) bred before a restart
     * and has room for all that will be bred in the generation. */
    struct archive *lagged; /* the method's state; NULL: the method is generational */
    int head, born;
    int counted, quota; /* results counted in this generation, and needed for its end */
    int dead, redrawn;  /* counted results of the dead that are replaced, and those replaced */
    int taken;          /* newborns before this row were taken */
    int news;           /* individuals that search_take_refereed() has yet to give */
    int is_ranked;
    int failure; /* ERR_MEMORY: a child could not be bred */

    /* While results are missing: rows of the best guard.referee_top individuals with a result, best
     * first. */
    int top_count;
    int top[];
};

const struct search_method *search_method_of(const struct search *search);
/* NULL: it is not there. The second finds it in a population in order of id. */
struct individual *search_find(struct search *search, uint64_t id);
struct individual *search_find_id(const struct population *population, uint64_t id);
/* The referee has spoken, and it counts. */
void search_hear(struct search *search, struct individual *individual);
/* By rank (fitness descending, then id ascending); for qsort(). */
int search_compare_ranks(const void *a, const void *b);
void search_sort(struct population *population, int (*compare)(const void *a, const void *b));
/* Removes those that are not kept; the others close up, in their order. */
void search_keep(struct population *population,
                 int (*is_kept)(const struct individual *individual));

/* The lagged counterparts of the functions of search.h. begin takes the population of the search,
 * from any maker, in any order; 0 or ERR_MEMORY. */
int lagged_begin(struct search *search);
const struct individual *lagged_ask(struct search *search);
const struct individual *lagged_tell(struct search *search, struct individual *individual);
const struct individual *lagged_ask_referee(struct search *search);
int lagged_is_complete(struct search *search);
/* Counts those from row `first` on, too, which were added to the last generation. 0 or
 * ERR_MEMORY. */
int lagged_add(struct search *search, int first);
/* Opens the search's generation, whose population is there. 0 or ERR_MEMORY. */
int lagged_open(struct search *search);

/* The state of the lagged method, which is made of its individuals' fields, so that it can be made
 * again from the kept ones. Populations are in order of id. NULL: out of memory. */
struct archive *archive_create(const struct params *params);
void archive_destroy(struct archive *archive);
/* Begins anew with those that are kept, wherever they now stand in memory. */
void archive_restore(struct archive *archive, struct population *population);
/* enum referee_stage: how far the referee must have tried it before its result counts. */
int archive_find_wanted(const struct archive *archive, const struct individual *individual);
/* Whether one that is kept has to be counted again, since the referee never saw it. */
int archive_is_stale(const struct archive *archive, const struct individual *individual);
/* Counts its result, and the referee's word if it has one. */
void archive_count(struct archive *archive, struct population *population,
                   struct individual *individual);
/* Makes the next child (id and generation are set), a random one if is_fresh. 0 or ERR_MEMORY. */
int archive_breed(struct archive *archive, struct population *population, struct individual *child,
                  int is_fresh);
/* Notes a child that was bred before the search was stopped. */
void archive_note_birth(struct population *population, const struct individual *child);

/* Opens the next generation with the selected. */
int interactive_advance(struct search *search);
/* Breeds, in a generation whose results are all there, more children, for places that the dead and,
 * where choices are made, the copies leave. It may be ranked after that, or miss results again. 0
 * or ERR_MEMORY. */
int search_fill(struct search *search);
/* Whether it was disqualified, or did not move. */
int search_is_dead(const struct individual *individual);
/* Room for `kept` individuals and after it `born` newborn ones of the search's generation, or a
 * later one, still without genomes and seeds; or NULL. */
struct individual *search_make_individuals(const struct search *search, int kept, int born,
                                           int generations_on);
/* Makes a census of the first `count` of the population. 0 or ERR_MEMORY. */
int search_count_known(struct search *search, int count);
/* Makes key, seed and packed genome of newborns. 0 or ERR_MEMORY. */
int search_complete_newborns(struct search *search, struct individual *children, int count);
void search_free_individuals(struct individual *individuals, int count);
/* Completes the newborns of a population from search_make_individuals() and takes it over, with the
 * old one, `kept` individuals, in front; if that fails, or status is not 0, it is freed instead.
 * 0 or ERR_MEMORY. */
int search_adopt(struct search *search, struct individual *all, int kept, int born, int status);
/* Removes those that are not selected; the others begin a generation. */
void search_keep_selected(struct search *search);
int search_count_resting(const struct population *population);
/* Sorts the population by id and counts the missing results. */
void search_update(struct search *search);

#endif
