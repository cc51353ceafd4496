/* Seeds: creatures from files with which a run begins (evolution.seeds, --seed-creature). For
 * example, a swimmer goes on on land. */
#ifndef CONTROLLER_EVOLUTION_SEEDING_H
#define CONTROLLER_EVOLUTION_SEEDING_H

#include "common/creature/creature.h"
#include "controller/evolution/search.h"

enum { SEEDS_MAX = 64 };

struct seed {
    char source[PARAM_TEXT_SIZE]; /* where it was read from, for people */
    struct creature creature;
};

/* {NULL, 0} is empty. */
struct seeding {
    struct seed *seeds;
    int count;
};
void seeding_deinit(struct seeding *seeding);

/* Adds a creature, which is taken over (and emptied). ERR_LIMIT beyond SEEDS_MAX, ERR_MEMORY. */
int seeding_add(struct seeding *seeding, const char *source, struct creature *creature,
                struct error *error);

/* Makes a genome from a file one of this run: exchanges what it sees as evolution.seeds_see says. A
 * second time makes it what it was. ERR_RANGE: its body is not of the run's kind; ERR_* with a
 * message that names it. */
int seeding_fit(const struct params *params, const char *name, struct genome *genome,
                struct error *error);

/* Puts the seeds in the places of the first of `count` random individuals of generation 0, and
 * mutants of them (each in turn, at least one mutation) in the next, up to evolution.seeded_share
 * of all. Genes get new ids, of the individual that brings them; genes of several seeds that had
 * the same id have the same id again. 0 or ERR_MEMORY. */
int seeding_populate(const struct seeding *seeding, const struct params *params,
                     struct individual *individuals, int count);

#endif
