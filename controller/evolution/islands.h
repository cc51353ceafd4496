/* Islands: several short starts in one run, one after the other. Each begins with random creatures
 * and lasts for evolution.island_generations; its best rest. After the last start the best half of
 * the starts go on, one after the other, each for evolution.halving_generations, and then the best
 * half of these, evolution.island_halvings times (successive halving: which start wins shows
 * early). Then the best of evolution.islands_merged starts breed on together.
 *
 * In each run from one random population a single founder takes over within a few generations, and
 * one run in three has no good one. The lineages that go on are chosen here after some generations
 * of breeding, not by the luck of the first. Each creature has the number of its start, from 1,
 * which the run store keeps; which start is under way follows from the generation and the starts
 * that have creatures in the population. */
#ifndef CONTROLLER_EVOLUTION_ISLANDS_H
#define CONTROLLER_EVOLUTION_ISLANDS_H

#include "controller/evolution/search_private.h"

#define ISLANDS_MAX 1000 /* as evolution.islands */

/* Demands on the parameters. 0 or ERR_*. */
int islands_check_params(const struct params *params, struct error *error);

/* How many starts there are: evolution.islands, but only as many as leave the generations after
 * them and their halvings at least the length of a start. 1: no islands. */
int islands_count(const struct params *params);
/* The number of the start that newborns of a generation belong to, as the search's population says;
 * 0: after the merger, and without islands. */
int islands_under_way(const struct search *search, uint32_t generation);
/* Generations of the same island that follow this one. */
int64_t islands_generations_left(const struct params *params, uint32_t generation);
/* Whether a generation is the first of a start, of one that goes on, or after the merger. */
int islands_is_opening(const struct params *params, uint32_t generation);
/* Whether a generation begins with random creatures. */
int islands_is_start(const struct params *params, uint32_t generation);
/* Whether the generation after this one does not breed from all of it. */
int islands_is_end(const struct params *params, uint32_t generation);

/* "start 2 of 8", or "start 2 of the best 4", for a generation before the merger; else "". */
enum { ISLANDS_TEXT_SIZE = 40 };
void islands_name_start(const struct params *params, uint32_t generation,
                        char text[ISLANDS_TEXT_SIZE]);

/* "8 starts from random creatures, of 3 generations each; then the best 4 for 2 more each; then the
 * best 2 breed on together". */
enum { ISLANDS_WORDS_SIZE = 400 };
void islands_describe(const struct params *params, char text[ISLANDS_WORDS_SIZE]);

/* How many of a start may rest. */
int islands_founders_max(const struct params *params);
/* Of a restored search: creatures of other islands rest, and those that have just woken count
 * anew. */
void islands_find_resting(struct search *search);
/* At the end of an island, its generation being ranked: the best of it rest, and of the population
 * only the resting stay. At the end of a round only the best starts stay. Then the creatures
 * that breed on wake. */
void islands_leave(struct search *search);

#endif
