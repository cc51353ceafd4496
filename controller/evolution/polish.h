/* Polish: before the exam the best of a run become better by small changes of all their numbers.
 *
 * Each of the best is the start of a (1+1) evolution strategy with the one-fifth rule (Rechenberg
 * 1973): a changed copy takes its place if its score is higher; where more than one of five copies
 * is, the step grows, else it shrinks. The first half of the evaluations changes numbers of the
 * brain only, which is safe, the second half all. A score is the least of three: from the
 * creature's own start, and from two starts of the exam's kind (but none of its own) that are off
 * in opposite ways; they are simulated only as long as the score is high enough. With one of the
 * referee's starts instead, which are off by far less, all three polished walkers of a run of three
 * turned round or fell before or in their exam.
 *
 *   polish_create -> polish_ask, simulate, polish_tell, ... -> polish_is_over -> polish_take_child
 *
 * No I/O, no clock; the cost is counted in evaluations. Each strategy waits for its own results
 * only, and has a stream of random numbers of its own: the order in which results come in decides
 * nothing, and one that is begun again comes to the same end. Three run at once. */
#ifndef CONTROLLER_EVOLUTION_POLISH_H
#define CONTROLLER_EVOLUTION_POLISH_H

#include "controller/evolution/search.h"

/* The first step, as a share of each number, and its bounds: one that shrinks beyond the least
 * begins anew. */
#define POLISH_STEP       0.1
#define POLISH_STEP_LEAST 0.003
#define POLISH_STEP_MOST  0.6

/* A creature gets at least so many evaluations: with fewer its numbers hardly change. */
#define POLISH_LEAST 20
#define POLISH_MOST  3 /* creatures */

/* The step of a strategy after a success or a failure. */
double polish_adapt_step(double step, int is_success);

struct polish;

/* For the best of a ranked population that move in different ways; `born` is how many creatures the
 * run has bred, of which evolution.polish is the share of evaluations. `params` must stay. *polish
 * is NULL if that is too few, or if no creature has a score. 0 or ERR_MEMORY. */
int polish_create(struct polish **polish, const struct params *params,
                  const struct population *ranked, uint64_t born);
void polish_destroy(struct polish *polish); /* NULL is fine */

/* A creature to be simulated, with `trial`: it has the id and the seed of the one that it was made
 * from. NULL: each strategy waits for a result, or is over. It is good until polish_tell(). */
const struct individual *polish_ask(struct polish *polish, struct trial *trial);
/* The result, by the id. 0 or ERR_MEMORY. */
int polish_tell(struct polish *polish, uint64_t id, int verdict, const struct measures *measures);
int polish_is_over(const struct polish *polish);
/* Evaluations that were told, and all. */
void polish_get_progress(const struct polish *polish, int *done, int *count);

/* Moves what became better into `children`, as newborns of `generation` without id: genome, method,
 * parent, words. Returns how many, in the order of the ranks; or ERR_MEMORY. */
int polish_take_children(struct polish *polish, uint32_t generation,
                         struct individual children[POLISH_MOST]);

#endif
