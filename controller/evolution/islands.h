/* Islands: several short starts in one run, one after the other. Each begins with random creatures
 * and lasts for evolution.island_generations; its best rest. After the last start the best of
 * evolution.islands_merged starts breed on together.
 *
 * In each run from one random population a single founder takes over within a few generations, and
 * one run in three has no good one. Whose lineage goes on is decided here after some generations of
 * breeding, not by the luck of the first. A creature's island follows from the generation of its
 * birth, so the run store needs to know nothing of islands. */
#ifndef CONTROLLER_EVOLUTION_ISLANDS_H
#define CONTROLLER_EVOLUTION_ISLANDS_H

#include "controller/evolution/search_private.h"

#define ISLANDS_MAX 1000 /* as evolution.islands */

/* Demands on the parameters. 0 or ERR_*. */
int islands_check_params(const struct params *params, struct error *error);

/* How many starts there are: evolution.islands, but only as many as leave the generations after
 * them at least the length of a start. 1: no islands. */
int islands_count(const struct params *params);
/* The start to which a generation belongs, from 0; islands_count(): all those after the merger.
 * Without islands 0 is the only one. */
int islands_find(const struct params *params, uint32_t generation);
/* Generations of the same island that follow this one. */
int64_t islands_generations_left(const struct params *params, uint32_t generation);
/* Whether a generation begins with random creatures. */
int islands_is_start(const struct params *params, uint32_t generation);
/* Whether the generation after this one is of another island. */
int islands_is_end(const struct params *params, uint32_t generation);

/* "start 2 of 8" for a generation before the merger; else "". */
enum { ISLANDS_TEXT_SIZE = 32 };
void islands_name_start(const struct params *params, uint32_t generation,
                        char text[ISLANDS_TEXT_SIZE]);

/* How many of a start may rest. */
int islands_founders_max(const struct params *params);
/* Of a restored search: creatures of earlier islands rest, or count anew where the islands have just
 * come together. */
void islands_find_resting(struct search *search);
/* At the end of a start, its generation being ranked: the best of it rest, and of the population
 * only the resting stay. Before the merger those of the best starts wake instead, and the others
 * go. */
void islands_leave(struct search *search);

#endif
