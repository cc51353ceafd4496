/* The physics of a kind of body: the third row of the table of kinds, after its genes
 * (common/genome/body_kind.h) and its genetics (common/genetics/genetics_kind.h). Here stand
 * the questions that dynamics.h does not answer and that differ from kind to kind. Nothing outside
 * of a kind's folder asks which kind a body is of. */
#ifndef SIMULATOR_BODY_PHYSICS_H
#define SIMULATOR_BODY_PHYSICS_H

#include "common/genome/sensor.h"
#include "common/math/rng.h"
#include "simulator/body/dynamics.h"
#include "simulator/body/model.h"
#include "simulator/world/scent.h"

/* The unit of accelerometers, and the scale of energies and costs in worlds without gravity. */
#define STANDARD_GRAVITY_M_S2 9.81

/* Each kind writes its creatures' sensor values (feel() below), once a brain tick. */
struct senses {
    const struct phenotype *phenotype;
    uint64_t on;         /* set of SENSOR_BIT(): switched on */
    double *values;      /* parts x SENSOR_COUNT */
    struct vec3 *before; /* velocity of each part's centre at the last reading */
};

/* A thing seen from afar. Its level is brightness / (1 + distance squared). */
struct seen {
    int is_there;
    struct vec3 at;
    double brightness;
};

/* Its surroundings at a reading. */
struct surroundings {
    struct seen seen[SIGHT_COUNT]; /* also what is heard; not scents */
    const struct scent *scent;     /* NULL: there are none */
    double pain, reserve;          /* what these sensors read */
    const int *families;           /* of creatures, by number; NULL: they have none */
    int family;                    /* its own */
    struct vec3 gravity_m_s2;
    double tick_s; /* since the last reading; 0 at the first */
};

/* Whether a sight is to be read. */
static inline int senses_see(const struct senses *senses, const struct surroundings *around,
                             int sight)
{
    int is_there = sight >= SIGHT_SCENT_1 ? around->scent != NULL : around->seen[sight].is_there;
    return is_there && (senses->on & SENSOR_BIT(sights[sight].along));
}

struct body_physics {
    /* By SOLVER_*; NULL: it does not know such bodies, and the first moves them. */
    const struct dynamics_solver *solvers[SOLVER_COUNT];

    /* The effectors' task while overlapping parts are pushed apart. */
    enum effector_state effectors_apart;
    /* Fills a model for other programs, root at the origin; all memory is the arena's. 0 or
     * ERR_MEMORY. NULL: there is none. */
    int (*model)(const struct phenotype *phenotype, const struct world *world,
                 const struct dynamics_settings *settings, struct body_model *model,
                 struct arena *arena);

    /* A verdict on the body before it moves; VERDICT_OK: the steps can simulate it. */
    int (*judge)(const struct phenotype *phenotype, const struct world *world,
                 const struct params *params, double dt_s);
    /* Writes the sensors that differ from part to part; also those that are switched off, where
     * that costs nothing. */
    void (*feel)(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *surroundings);
    /* Changes the world in which the body comes to rest, so that motion decays at least at this
     * rate. NULL: the damping of joints does that. */
    void (*thicken)(const struct phenotype *phenotype, double rate_1_s, struct world *world);
    /* 1 where such bodies stay in the plane z = 0; NULL: they are in space. */
    int (*is_flat)(const struct params *params);
    /* Turns the body by a rotation vector (of flat ones: along z), and joints, within their limits,
     * by angles up to `most_rad`, which the generator draws. */
    void (*perturb)(struct dynamics *dynamics, const struct phenotype *phenotype, struct vec3 turn,
                    struct rng *rng, double most_rad);
    /* Turns the whole body by 180 degrees about the vertical through the origin, exact to the bit:
     * numbers change their signs and places. NULL: in the plane, where a body grows as its mirror
     * image instead. */
    void (*half_turn)(struct dynamics *dynamics);
    /* By which share the body's worst connection is out of its range; NULL: connections cannot
     * leave it. */
    double (*strain)(const struct dynamics *dynamics, const struct phenotype *phenotype);
    /* The energy that counts against the guard, J, of a ledger whose gains sum up to gain_j. */
    double (*unearned_j)(const struct ledger *ledger, double gain_j);
};

/* The table of kinds, by BODY_*. */
extern const struct body_physics *const body_physics[];
static inline const struct body_physics *physics_of(const struct phenotype *phenotype)
{
    return body_physics[phenotype->kind];
}

#endif
