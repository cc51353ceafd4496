/* The state of a preserve between two epochs: plain data, which travels and is kept as MessagePack.
 *
 * An epoch begins by growing all bodies anew and putting them where the state says; so a world that
 * is taken up again moves as one that never stopped. */
#ifndef SIMULATOR_PRESERVE_PRESERVE_STATE_H
#define SIMULATOR_PRESERVE_PRESERVE_STATE_H

#include "common/error.h"
#include "common/formats/pack.h"
#include "common/genome/genome.h"
#include "common/preserve/epoch_order.h"
#include "simulator/preserve/ecology.h"
#include "simulator/world/scent.h"
#include "simulator/world/sound.h"

enum {
    PRESERVE_LIVING_MAX = 200,    /* the upper bound of preserve.most */
    PRESERVE_EGGS_MAX = 4096,     /* of these and of carcasses: what a state may hold */
    PRESERVE_NUMBERS_MAX = 65536, /* of a body's motion */
    PRESERVE_HEARD_MAX = 4096,    /* sounds that are on their way to one listener */
};

/* Causes of death; the names are those of epoch_cause_names. */
enum death {
    DEATH_HUNGER,
    DEATH_AGE,
    DEATH_BITTEN,
    DEATH_GUARD,
    DEATH_REMOVED, /* by people, or since its epoch crashed: it leaves no carcass */
    DEATH_STRAIN,  /* injuries, where preserve.injure is on */
    DEATH_COUNT
};
/* Kinds of food. */
enum food { FOOD_PLANT, FOOD_CARRION, FOOD_LIVING, FOOD_COUNT };

/* The greatest debt of a creature. */
#define OWED_MOST_J 1.0
/* Nothing is farther from the water's corner, m. */
#define PRESERVE_PLACE_MOST_M 1e4

/* The identity of a creature. */
struct descent {
    uint64_t id, mother, father; /* 0: none */
    int family;                  /* of founders: a number from 0, which is inherited */
    int generation;              /* founders: 0 */
};

/* The body of the first mutant that was drawn for a child and grew, before any draw was refused:
 * mutations without selection. 0: none grew, or it is a founder. */
struct first_draw {
    double area_m2;
    int parts;
};

/* A sound that is on its way to a listener, and when it will be there. */
struct heard {
    int64_t tick;
    struct noise noise;
};

/* Creatures live or wait in an egg. */
struct creature_state {
    struct descent descent;
    struct first_draw drawn;
    struct genome genome;
    microjoules reserve, body;
    int64_t born_tick; /* eggs: laid; negative: before the world began */
    double x_m, y_m;   /* of its centre of mass */
    /* of the living: */
    microjoules body_whole; /* energy at birth */
    microjoules bitten;     /* lost to mouths of late; half a minute takes 1 - 1/e of it away */
    microjoules starved;    /* the same, lost otherwise */
    double owed_j;          /* less than a microjoule, not yet paid */
    int children;
    microjoules gained[FOOD_COUNT]; /* digested energy */
    double way_m;                   /* of its centre of mass, by steps of a second */
    double depth_sum_m;             /* of its centre of mass below the surface, a step a second */
    int depth_steps;
    double from_x_m, from_y_m; /* where the last such step ended */
    uint64_t met;              /* the last of its family that touched it; 0: none */
    int64_t met_tick;          /* when */
    double *numbers;           /* the motion of body and mind, as the runtime made them; heap */
    int number_count;          /* 0: it is at rest as it was born, turned by turn_rad */
    double turn_rad;
    struct noise ear;    /* last sound heard, fading */
    struct heard *heard; /* what it will hear; heap */
    int heard_count;
};

struct carcass {
    microjoules energy;
    double x_m, y_m, radius_m;
};

struct preserve_counts {
    uint64_t births, deaths[DEATH_COUNT];
    microjoules eaten[FOOD_COUNT];
};

struct preserve_state {
    uint64_t seed;
    int64_t tick; /* since the world began */
    uint64_t next_id;
    struct energy_ledger ledger;
    struct preserve_counts counts;
    microjoules *plants; /* row by row, see ecology.h */
    int plant_count;
    microjoules *scents; /* a channel after the other, see scent.h */
    int scent_count;     /* 0: there is no scent */
    struct creature_state *living, *eggs;
    int living_count, egg_count, living_room, egg_room;
    struct carcass *carcasses;
    int carcass_count, carcass_room;
    /* not of the state: the order that it lives by, with creatures that must not live and those
     * that mouths spare; NULL: there is none */
    const struct epoch_order *order;
};
int preserve_state_is_without(const struct preserve_state *state, uint64_t id);
int preserve_state_is_spared(const struct preserve_state *state, uint64_t id);

/* All creatures: the living, and behind them the eggs. */
static inline int preserve_state_count(const struct preserve_state *state)
{
    return state->living_count + state->egg_count;
}
static inline struct creature_state *preserve_state_creature(const struct preserve_state *state,
                                                             int i)
{
    return i < state->living_count ? &state->living[i] : &state->eggs[i - state->living_count];
}

void creature_state_deinit(struct creature_state *creature);
void preserve_state_init(struct preserve_state *state);
void preserve_state_deinit(struct preserve_state *state);
/* The number of the living creature with that id, or -1. */
int preserve_state_find_living(const struct preserve_state *state, uint64_t id);
/* Appends a zeroed one, or NULL when memory is out, or where there are PRESERVE_EGGS_MAX eggs or
 * carcasses. */
struct creature_state *preserve_state_add_living(struct preserve_state *state);
struct creature_state *preserve_state_add_egg(struct preserve_state *state);
struct carcass *preserve_state_add_carcass(struct preserve_state *state);
/* Takes an egg out of the list; its memory is the caller's. */
void preserve_state_remove_egg(struct preserve_state *state, int i);
/* The energy in stores of each kind, and in all of them together. */
enum energy_store {
    STORE_PLANTS,
    STORE_RESERVES,
    STORE_BODIES,
    STORE_EGGS,
    STORE_CARCASSES,
    STORE_SCENT,
    STORE_COUNT
};
void preserve_state_stores(const struct preserve_state *state, microjoules stores[STORE_COUNT]);
microjoules preserve_state_total(const struct preserve_state *state);
/* Energies that are negative or beyond ENERGY_SUM_MAX, or a ledger that is not equal, are a bug. */
void preserve_state_check(const struct preserve_state *state);
/* Whether all numbers are within the bounds of a state: a state that is read must be, and one that
 * lived must still be. ERR_RANGE names the first that is not. */
int preserve_state_bound(const struct preserve_state *state, struct error *error);

void preserve_state_encode(const struct preserve_state *state, struct pack_writer *writer);
/* Hashes the whole state. */
uint64_t preserve_digest(const struct preserve_state *state);
/* From unchecked bytes. Initialises `state`, and leaves it empty on error. ERR_FORMAT, ERR_RANGE,
 * ERR_LIMIT or ERR_MEMORY with a message that names the place. Besides its cells it takes ten times
 * its bytes of memory and 16 MB at most, whatever they unpack to. */
int preserve_state_decode(struct preserve_state *state, const void *bytes, size_t length,
                          struct error *error);
/* Packs the state and compresses it: so it travels and is kept. `packed` must be empty. 0 or
 * ERR_MEMORY. */
int preserve_state_pack(const struct preserve_state *state, struct packed_bytes *packed);
int preserve_state_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                          struct error *error);
/* The same of a state that has no more cells than that. */
struct preserve_cells {
    int plants, scents;
};
int preserve_state_unpack_of(struct preserve_state *state, const struct packed_bytes *packed,
                             const struct preserve_cells *most, struct error *error);
/* An egg on its way to another world. */
int preserve_egg_pack(const struct creature_state *egg, struct packed_bytes *packed);
/* Adds it to the eggs of a state. */
int preserve_egg_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                        struct error *error);

#endif
