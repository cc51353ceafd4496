/* The motions of a population: finds at once whether a creature moves like one in it.
 *
 * A child whose body and brain grow like another's gives the same result. Fourteen to fifty-one of
 * a hundred children do, most of them by mutations of genes that do not grow, so breeding draws
 * such a child again (breeding.h). */
#ifndef CONTROLLER_EVOLUTION_CENSUS_H
#define CONTROLLER_EVOLUTION_CENSUS_H

#include "controller/evolution/search.h"

/* NULL: out of memory. */
struct census *census_create(void);
void census_destroy(struct census *census); /* NULL is fine */
/* Forgets all creatures. */
void census_clear(struct census *census);

/* Finds the key of an individual's motion, unless it has it. 0 or ERR_MEMORY, as the next. */
int census_find_key(struct census *census, const struct params *params,
                    struct individual *individual);
/* Notes an individual. *is_new: 1 if no creature that moves like it was noted before. */
int census_note(struct census *census, const struct params *params, struct individual *individual,
                int *is_new);
/* Notes the first `count` of a population. */
int census_note_all(struct census *census, const struct params *params,
                    struct individual *individuals, int count);

#endif
