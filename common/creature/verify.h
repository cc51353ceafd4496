/* Whether a creature's record agrees with its evaluation. The record may have been changed. */
#ifndef COMMON_CREATURE_VERIFY_H
#define COMMON_CREATURE_VERIFY_H

#include "common/creature/creature.h"

enum record_status {
    RECORD_VERIFIED,      /* same genome, verdict, digest and measures, and its fitness can be */
    RECORD_DIFFERS,       /* not the same */
    RECORD_UNRECORDED,    /* nothing to compare with */
    RECORD_OTHER_VERSION, /* not the same, but recorded by another version of the simulator */
    RECORD_REFUSED,       /* the same, but its fitness is 0, as if the referee had refused it */
    RECORD_STATUS_COUNT
};

#define RECORD_STATUS_NAMES "verified", "differs", "unrecorded", "other version", "refused"
#define RECORD_DETAIL_SIZE  160

/* Makes an evaluation by the creature's parameters and seed its record. */
void verify_put(struct creature *creature, int verdict, uint64_t digest,
                const struct measures *measures);
/* The evaluation was made with the record's parameters and seed. `detail` says what differs. */
enum record_status verify_compare(const struct creature *creature, int verdict, uint64_t digest,
                                  const struct measures *measures, char detail[RECORD_DETAIL_SIZE]);

/* The result of an evaluation by the record's parameters. The record's fitness may be less: the
 * least over the referee's trials, which this does not repeat. */
double verify_own_fitness(const struct creature *creature, int verdict,
                          const struct measures *measures);

#endif
