/* The functions of a solver behind dynamics.h; for the solvers themselves and dynamics.c only.
 *
 * A solver's state begins with a struct dynamics. The functions do what dynamics.h says of their
 * namesakes; `create` takes everything from the arena and fills `solver`. */
#ifndef SIMULATOR_BODY_DYNAMICS_SOLVER_H
#define SIMULATOR_BODY_DYNAMICS_SOLVER_H

#include "common/error.h"
#include "simulator/body/dynamics.h"

struct meeting; /* what bodies of one solver need to meet one another */

/* The present state and the last step, for others to read. */
struct dynamics_reader {
    void (*part_state)(const struct dynamics *dynamics, int part, struct part_state *state);
    double (*part_stretch)(const struct dynamics *dynamics, int part);         /* NULL: 0 */
    struct quaternion (*part_turn)(const struct dynamics *dynamics, int part); /* NULL: about z */
    /* NULL: as in the plane */
    void (*part_bounds)(const struct dynamics *dynamics, int part, struct vec3 *low,
                        struct vec3 *high);
    struct quaternion (*link_turn)(const struct dynamics *dynamics,
                                   int link); /* NULL in the plane */
    void (*link_state)(const struct dynamics *dynamics, int link, struct part_state *state);
    void (*drive_state)(const struct dynamics *dynamics, int drive, struct drive_state *state);
    struct vec3 (*centre_of_mass)(const struct dynamics *dynamics);
    void (*momentum)(const struct dynamics *dynamics, struct vec3 *linear, struct vec3 *angular);
    /* NULL: it never says */
    int (*impulses)(const struct dynamics *dynamics, struct vec3 centre, struct vec3 velocity,
                    struct impulse_sum *impulses);
    void (*bounds)(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high);
    uint64_t (*hash_part)(const struct dynamics *dynamics, int part, uint64_t hash);
    double (*overlap)(const struct dynamics *dynamics);
};

struct dynamics_solver {
    struct dynamics *(*create)(const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena);
    int (*step)(struct dynamics *dynamics);

    /* Several bodies, see forest.h. NULL when the arena is full. All have the same world and
     * settings. */
    struct meeting *(*create_meeting)(struct dynamics *const *all, int count, struct arena *arena);
    /* A tick begins, of one or more steps of all. NULL: that changes nothing. */
    void (*begin_meeting)(struct meeting *meeting);
    /* Widens bounds to where the body may touch another one within a step, and somewhat beyond. */
    void (*sweep)(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high);
    /* As step(), of bodies that may touch one another; what it would return, of each. */
    void (*step_together)(struct meeting *meeting, struct dynamics *const *some, int count,
                          int *is_broken);

    void (*set_target)(struct dynamics *dynamics, int drive, double target, double rate);
    /* NULL: scenes have no such bodies */
    void (*set_servo)(struct dynamics *dynamics, int drive, const struct servo *servo);
    const struct servo *(*servo)(const struct dynamics *dynamics, int drive); /* NULL: none */
    /* The effectors' task, a servo or its damping has changed. NULL: the solver reads them at each
     * step. */
    void (*heed_servos)(struct dynamics *dynamics);
    void (*set_world)(struct dynamics *dynamics, const struct world *world);
    void (*set_joint_damping)(struct dynamics *dynamics, double rate_1_s);

    void (*set_state)(struct dynamics *dynamics, const double *q, const double *qd);
    /* NULL: by the coordinates of the root, and by rates that are 0 */
    void (*shift)(struct dynamics *dynamics, struct vec3 by_m);
    void (*stop)(struct dynamics *dynamics);

    const struct dynamics_reader *read;
    /* Energies of the present state, J. */
    void (*energy)(struct dynamics *dynamics, double *kinetic_j, double *potential_j);
    /* Fills the touches. NULL: the step has done so. */
    void (*report)(const struct dynamics *dynamics);
};

static inline void dynamics_heed_servos(struct dynamics *dynamics)
{
    if (dynamics->solver->heed_servos)
        dynamics->solver->heed_servos(dynamics);
}

/* Slower impacts do not bounce, m/s. */
static inline double dynamics_bouncing_speed(const struct dynamics_settings *settings)
{
    return settings->restitution_speed_m_s > 0 ? settings->restitution_speed_m_s : 0.2;
}

/* Forgets the points of contact. */
static inline void touches_clear(struct touches *touches)
{
    touches->count = 0;
    touches->penetration_m = touches->law_miss_m = 0;
}

/* A new point, not set. NULL: the body's arena is exhausted, and the step fails. */
struct contact_point *touches_add(struct touches *touches);

/* The solver's own struct, which begins with the dynamics. The solver must have created them: its table
 * may be a copy with other steps. */
static inline void *dynamics_of(const struct dynamics *dynamics,
                                const struct dynamics_solver *solver)
{
    ENSURE(dynamics->solver->create == solver->create, "dynamics of another solver");
    return (void *)dynamics;
}

/* hash_part() of bodies in the plane. */
uint64_t dynamics_hash_flat_part(const struct dynamics *dynamics, int part, uint64_t hash);

extern const struct dynamics_solver dynamics_articulated, dynamics_boxes;
/* The reference: of bodies in the plane, and in space. */
extern const struct dynamics_solver dynamics_constraint, dynamics_constraint_space;

#endif
