/* The result of an epoch of a preserve, as messages and run stores have it: numbers, and lives. */
#ifndef COMMON_PRESERVE_EPOCH_H
#define COMMON_PRESERVE_EPOCH_H

#include "common/error.h"
#include <stddef.h>
#include <stdint.h>

#include "common/params/params.h"

/* Whether a run is one of a preserve, in which creatures are not judged. */
static inline int preserve_is_wanted(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_PRESERVE;
}

/* A warning where a world's energies favour a dull creature: one that never moves, or is tiny; or
 * where no creature can pay a child like itself. Returns whether there is one. The rules:
 * docs/preserve.md, "What pays". */
int preserve_warn(const struct params *params, char *text, size_t size);

/* An epoch of a world; epoch 0 founds it and takes no time. */
#define EPOCH_S 30.0

/* Bounds of what workers, files and run stores say: the last epoch of a run, a time of a world in
 * s, its ticks, and what is counted by one (whole numbers that a double holds). */
enum { EPOCH_MOST = 1000000 };
#define EPOCH_TIME_MOST_S 1e9
#define EPOCH_TICK_MOST   (INT64_C(1) << 48)
#define EPOCH_COUNT_MOST  (INT64_C(1) << 53)
/* Areas and ways of creatures, in m2 and m. */
#define LIFE_MOST 1e12

/* The numbers of a world at the end of an epoch. Births, deaths, what was eaten and the flows are
 * sums since the world began; energies are in microjoules. */
#define EPOCH_FACTS(X)                                                                             \
    X(living)                                                                                      \
    X(eggs)                                                                                        \
    X(families)                                                                                    \
    X(hunters)                                                                                     \
    X(births)                                                                                      \
    X(died_of_hunger)                                                                              \
    X(died_of_age)                                                                                 \
    X(died_of_mouths)                                                                              \
    X(died_of_guards)                                                                              \
    X(removed)                                                                                     \
    X(died_of_strain)                                                                              \
    X(eaten_plants_uj)                                                                             \
    X(eaten_carrion_uj)                                                                            \
    X(eaten_living_uj)                                                                             \
    X(plants_uj)                                                                                   \
    X(reserves_uj)                                                                                 \
    X(bodies_uj)                                                                                   \
    X(eggs_uj)                                                                                     \
    X(carcasses_uj)                                                                                \
    X(scent_uj)                                                                                    \
    X(start_uj)                                                                                    \
    X(sun_uj)                                                                                      \
    X(heat_uj)                                                                                     \
    X(arrivals_uj)                                                                                 \
    X(departures_uj)

/* No fact is greater: 1e11 J, a year of sun on the default water. */
#define EPOCH_FACT_MOST INT64_C(100000000000000000)

enum epoch_fact {
#define X(name) EPOCH_##name,
    EPOCH_FACTS(X)
#undef X
        EPOCH_FACT_COUNT
};
extern const char *const epoch_fact_names[EPOCH_FACT_COUNT];
/* Energy in stores less what flows made of it, uJ: 0 in a world whose energy adds up. Wraps around
 * where a sum is no int64. */
int64_t epoch_imbalance(const int64_t facts[EPOCH_FACT_COUNT]);

/* The names of causes of death, in the order of the simulator's: hunger age bitten guard
 * removed strain. */
enum { EPOCH_CAUSE_COUNT = 6 };
extern const char *const epoch_cause_names[EPOCH_CAUSE_COUNT];

/* The kinds of food, in the order of the simulator's: plants carrion living. */
enum { EPOCH_FOOD_COUNT = 3 };

/* Firsts of a run (preserve.pause). */
enum epoch_first { FIRST_PREDATION, FIRST_TOPOLOGY, FIRST_TROPHIC_LEVEL, FIRST_COUNT };
extern const char *const epoch_first_names[FIRST_COUNT];
/* Reads names with spaces or commas between them, or none, as bits 1 << FIRST_*. ERR_USAGE names
 * what is no such name. */
int epoch_parse_firsts(const char *text, unsigned *firsts, struct error *error);

/* Deeds of people in a world, at the beginning of an epoch. */
#define EPOCH_DEEDS(X)                                                                             \
    X(put)     /* an egg of a creature, at a place */                                              \
    X(feed)    /* plants at a place, by an energy */                                               \
    X(move)    /* a creature to a place */                                                         \
    X(remove)  /* a creature out of the world */                                                   \
    X(protect) /* mouths spare a creature from now on */                                           \
    X(expose)  /* no longer */
enum epoch_deed_kind {
#define X(name) DEED_##name,
    EPOCH_DEEDS(X)
#undef X
        DEED_COUNT
};
extern const char *const epoch_deed_names[DEED_COUNT];
/* Where a deed may be, from the water's corner. */
#define DEED_PLACE_MOST_M 1e4
/* The most energy that DEED_feed gives at once. */
#define DEED_ENERGY_MAX_UJ INT64_C(1000000000000)

/* A creature that hatched, ate of the living for the first time, or died in an epoch, as it was
 * then. */
struct epoch_life {
    uint64_t id, mother, father; /* parents: 0 = none */
    int64_t family, generation;
    int is_hunter;
    int64_t born_tick, died_tick; /* of the world; died_tick -1: it lives */
    int64_t cause;                /* of death, as in epoch_cause_names; -1: it lives */
    int64_t children;
    int64_t part_count;
    double area_m2, way_m; /* of its body; how far it has come */
    double depth_m;        /* its mean depth so far */
    double
        drawn_m2; /* the body of the first mutant drawn for it, before any was refused; 0: none */
    int64_t drawn_parts;
    int64_t gained_uj[EPOCH_FOOD_COUNT]; /* what it has digested, by food */
    uint64_t topology;   /* hash of the tree of its parts, whatever their sizes; up to INT64_MAX */
    int64_t preyed_tick; /* when it ate of the living first; -1: not at this event */
};

#endif
