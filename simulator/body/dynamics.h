/* Dynamics: the interface to the solvers, one of which the settings name. A creature's links move
 * under joints' effectors, gravity, viscosity, contacts and limits; an energy ledger accounts for
 * every joule.
 *
 * Generalised coordinates q and their rates qd are those of the joints in order, the root's first
 * (joint.h); of spheres three for each sphere. Where there are joints, drive i of the
 * phenotype is the rate phenotype.root_rates + i. SI units; right-handed, y up; in the plane z = 0,
 * and angles are never wrapped. All memory comes from the arena given at creation; a step allocates
 * nothing. */
#ifndef SIMULATOR_BODY_DYNAMICS_H
#define SIMULATOR_BODY_DYNAMICS_H

#include "common/error.h"
#include "common/growth/phenotype.h"
#include "common/math/vec3.h"
#include "simulator/world/world.h"

struct servo; /* servo.h */

/* The further state of the dynamics of spheres. */
struct sphere_settings {
    int substeps; /* at least; 0 for the default */
    /* 0 for none: lever of the load against rolling, and radius of the patch that touches, as
     * shares of the sphere's radius; rate at which motion within the body decays */
    double rolling_resistance, spin_resistance, body_damping_1_s;
};

struct dynamics_settings {
    int solver; /* SOLVER_* */
    double dt_s;
    int integrator;     /* INTEGRATOR_*; RK4: no contacts and no limits, in either solver */
    int contact_sweeps; /* at most, where nothing else solves contacts; 0 for the default of 3000 */
    double servo_rad_s;
    double joint_speed_rad_s, joint_speed_m_s; /* of hinges and of linear joints */
    double hill_curvature; /* of the curve between an effector's bound and its speed; 0: none */
    int effector_mode;     /* EFFECTOR_* */
    double joint_damping_1_s;
    double restitution_speed_m_s; /* slower impacts do not bounce; 0 for the default of 0.2 */
    /* of the constraint solver; constraint_tau_s: 0 for dt_s */
    double constraint_tau_s, rtol;
    uint64_t work_max; /* see dynamics_step(); 0: no end */
    struct sphere_settings spheres;
};

/* As the parameters say. */
struct dynamics_settings dynamics_settings_of(const struct params *params);

/* Energy terms since the last dynamics_reset_ledger(), J. Losses and gains are >= 0. */
struct ledger {
    double kinetic_j, potential_j;   /* now */
    double energy_start_j;           /* kinetic + potential at the reset */
    double work_effector_j;          /* net */
    double work_effector_positive_j; /* sum of the positive work of each effector and step */
    double loss_friction_j, loss_impact_j, loss_limit_j, loss_drag_j, loss_damping_j;
    double gain_push_out_j, gain_impact_j, gain_limit_j; /* unearned */
    double exchange_j; /* net, from other creatures by contacts: 0 in sum over all */
    /* energy that the mending of momentum gave or took, without sign; part of the residual */
    double mended_j;
    double
        residual_j; /* energy now - start - work - exchange + losses - gains: integration error */
};

/* A negative loss or gain is a bug. */
void ledger_check(const struct ledger *ledger);
/* The energy that came in and went since the reset, J. */
double ledger_booked_j(const struct ledger *ledger);
/* Energy from nowhere, J, of a ledger whose gains sum up to gain_j: these, what the mending of
 * momentum moved, and the residual of either sign. */
double ledger_unearned_j(const struct ledger *ledger, double gain_j);
/* Books the work of a contact, normal and tangent, or of a limit: gains by what did them, losses by
 * what lost. */
static inline void ledger_book_touch(struct ledger *l, int is_limit, int is_push_out, double normal,
                                     double tangent)
{
    double work = normal + tangent;
    if (work > 0) {
        if (is_limit)
            l->gain_limit_j += work;
        else if (is_push_out)
            l->gain_push_out_j += work;
        else
            l->gain_impact_j += work;
    } else if (is_limit) {
        l->loss_limit_j -= work;
    } else if (normal > 0) {
        l->loss_friction_j -= work;
    } else if (tangent > 0) {
        l->loss_impact_j -= work;
    } else {
        l->loss_impact_j -= normal;
        l->loss_friction_j -= tangent;
    }
}

/* Impulses of contacts with the world and of gravity in a step: N s, N m s about a point, and the
 * sum of their sizes, N s. */
struct impulse_sum {
    struct vec3 linear, angular;
    double size;
    /* by how much momentum may be off until a later step mends it; 0: momentum is exact */
    double truncation_share;
};

/* Momentum that the integrator `rk4` may lose: limbs that thrash lose 2e-4. */
#define RK4_TRUNCATION_SHARE 1e-3

enum { CONTACT_GROUND = -1, CONTACT_OBSTACLE = -2 };

/* A point of contact in the last step, for sensors, traces and viewers. A contact of two creatures
 * is a point of each, as seen from its side. */
struct contact_point {
    int creature, part;
    int other_creature; /* the same, another one, or -1: the world */
    int other;          /* its part; CONTACT_GROUND, or CONTACT_OBSTACLE - its number from 0 */
    struct vec3 at;     /* world */
    struct vec3 normal; /* from `other` towards `part` */
    double gap_m;       /* negative: penetration */
    double normal_impulse_n_s, friction_impulse_n_s; /* in the last substep */
};

/* 1 if a creature touches itself. */
static inline int contact_is_inner(const struct contact_point *point)
{
    return point->other_creature == point->creature;
}

/* The contacts of a body in its last step: those with an impulse, or a gap below 1 mm. */
struct touches {
    struct arena *arena; /* the body's own: points live as long as the body */
    struct contact_point *points;
    int count, room;
    double penetration_m; /* the deepest */
    /* by how much a contact came off its law, because the solver could not hold it */
    double law_miss_m;
};

/* The effectors' task: follow their targets (default), nothing, or hold the pose of birth as
 * position servos whatever their mode. */
enum effector_state { EFFECTORS_ON, EFFECTORS_SLACK, EFFECTORS_HOLD };

/* A body in motion. Its solver writes the fields, and dynamics.c what is set for all solvers; others
 * read them. */
struct dynamics {
    const struct dynamics_solver *solver;
    int creature;  /* whose body it is: its number in the world */
    uint64_t work; /* arithmetic operations so far, roughly, on every machine the same */
    uint64_t steps, rk4_steps; /* taken; those of them with RK4 */
    int substeps;              /* in a step; the impulses of contacts are those of the last */
    int dof;                   /* the number of rates */
    int root_slides;           /* the first coordinates say where the body is: 2, or 3 in space */
    double *q, *qd;
    const double *still; /* rates that are 0 */
    double push_out_m_s; /* of dynamics_set_push_out() */
    enum effector_state effectors;
    /* The rates of all drives in their order. NULL: at an instant they are those of stiff springs
     * that chatter, the more the finer the step, and say little of the motion. */
    const double *drive_rates;
    struct touches touches; /* dynamics_contacts() has those of the last step */
    struct ledger ledger;   /* dynamics_ledger() has it with the energies of the present state */
};

/* Where the centre of a part is and how it moves, in the world's axes; dynamics_part_turn() says
 * how it is turned. Bodies in the plane have z = 0 and turn about z alone. */
struct part_state {
    struct vec3 at_m, velocity_m_s, spin_rad_s;
    double angle_rad; /* about z, never wrapped; 0 of what turns in space or is round */
};

/* The state of a drive: angle, rad, or length, m; its rate; torque, N m, or force, N, in the last
 * step. */
struct drive_state {
    double value, rate, effort;
};

/* The functions of a solver; for the solvers themselves and the calls below, whose words are true of
 * their namesakes here. A solver's state begins with a struct dynamics; `create` takes everything
 * from the arena and fills `solver`. */

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

/* At rest in the pose of birth, root origin at (0, 0). NULL when the arena is full. */
struct dynamics *dynamics_create(const struct phenotype *phenotype, const struct world *world,
                                 const struct dynamics_settings *settings, struct arena *arena);

/* The signal of a drive's effector, sign and unit of its value: a target (position mode; clamped to
 * the drive's limits here) or a share of the strength (torque mode; clamped to -1 .. 1). It changes
 * at `rate` per second until set again. */
static inline void dynamics_set_target(struct dynamics *dynamics, int drive, double target,
                                       double rate)
{
    dynamics->solver->set_target(dynamics, drive, target, rate);
}
/* Gives a drive a servo of its own instead of the one made of its strength; for scenes. */
static inline void dynamics_set_servo(struct dynamics *dynamics, int drive,
                                      const struct servo *servo)
{
    dynamics->solver->set_servo(dynamics, drive, servo);
}
/* The law of a drive; its target may be an old one. NULL: it is no servo. */
static inline const struct servo *dynamics_servo(const struct dynamics *dynamics, int drive)
{
    return dynamics->solver->servo ? dynamics->solver->servo(dynamics, drive) : NULL;
}
void dynamics_set_effectors(struct dynamics *dynamics, enum effector_state state);
/* World quantities that settling changes: gravity, ground, friction, passive joint damping
 * (1/s). */
static inline void dynamics_set_world(struct dynamics *dynamics, const struct world *world)
{
    dynamics->solver->set_world(dynamics, world);
}
static inline void dynamics_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    dynamics->solver->set_joint_damping(dynamics, rate_1_s);
}
/* Only while pushing parts apart at birth: the speed at which overlap is resolved, m/s (0:
 * normal). */
static inline void dynamics_set_push_out(struct dynamics *dynamics, double speed_m_s)
{
    dynamics->push_out_m_s = speed_m_s;
}

/* One step of settings.dt_s. Returns 0; DYNAMICS_BROKEN when the state is no longer finite or the
 * arena of creation is exhausted; DYNAMICS_UNSOLVED when the reference finds no solution for its
 * contacts, which is then off their law by touches.law_miss_m per dt_s. Beyond settings.work_max a
 * step may end anywhere. */
enum { DYNAMICS_BROKEN = 1, DYNAMICS_UNSOLVED };
static inline int dynamics_step(struct dynamics *dynamics)
{
    return dynamics->solver->step(dynamics);
}

/* Puts the state; contacts and warm starts are forgotten. */
static inline void dynamics_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    dynamics->solver->set_state(dynamics, q, qd);
}
/* Moves the whole body; contacts and warm starts are forgotten. */
void dynamics_shift(struct dynamics *dynamics, struct vec3 by_m);
/* Zeroes velocities, the ledger and warm starts. */
void dynamics_stop(struct dynamics *dynamics);

static inline void dynamics_part_state(const struct dynamics *dynamics, int part,
                                       struct part_state *state)
{
    dynamics->solver->read->part_state(dynamics, part, state);
}
/* How a part is turned: its own axes to the world's. */
struct quaternion dynamics_part_turn(const struct dynamics *dynamics, int part);
/* Axis-aligned bounds of a part. Returns 0 in the plane, where place, sides and angle say more. */
static inline int dynamics_part_bounds(const struct dynamics *dynamics, int part, struct vec3 *low,
                                       struct vec3 *high)
{
    if (dynamics->solver->read->part_bounds)
        dynamics->solver->read->part_bounds(dynamics, part, low, high);
    return dynamics->solver->read->part_bounds != NULL;
}
/* How a link is turned; of solvers that know more than an angle. */
static inline struct quaternion dynamics_link_turn(const struct dynamics *dynamics, int link)
{
    return dynamics->solver->read->link_turn(dynamics, link);
}
/* Centre of mass of a link, its angle since birth in the plane, and their rates. */
static inline void dynamics_link_state(const struct dynamics *dynamics, int link,
                                       struct part_state *state)
{
    dynamics->solver->read->link_state(dynamics, link, state);
}
/* The logarithm of a part's width over that at birth, the other way round of its height; 0 of rigid
 * parts. */
static inline double dynamics_part_stretch(const struct dynamics *dynamics, int part)
{
    return dynamics->solver->read->part_stretch
               ? dynamics->solver->read->part_stretch(dynamics, part)
               : 0;
}
/* Value, rate and effort of a drive, also of one without an effector. */
static inline void dynamics_drive_state(const struct dynamics *dynamics, int drive,
                                        struct drive_state *state)
{
    dynamics->solver->read->drive_state(dynamics, drive, state);
}
static inline struct vec3 dynamics_centre_of_mass(const struct dynamics *dynamics)
{
    return dynamics->solver->read->centre_of_mass(dynamics);
}
/* Linear momentum and angular momentum about the world's origin. */
static inline void dynamics_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                                     struct vec3 *angular)
{
    dynamics->solver->read->momentum(dynamics, linear, angular);
}
/* The impulses of the last step, about a point, for a body whose centre of mass was there before
 * the step and moved with `velocity`. Returns 0 if the solver does not say, as that of rectangles
 * by integrator `rk4` where there is drag. */
static inline int dynamics_impulses(const struct dynamics *dynamics, struct vec3 centre,
                                    struct vec3 velocity, struct impulse_sum *impulses)
{
    const struct dynamics_reader *read = dynamics->solver->read;
    return read->impulses && read->impulses(dynamics, centre, velocity, impulses);
}
/* Axis-aligned bounds of all parts. */
static inline void dynamics_bounds(const struct dynamics *dynamics, struct vec3 *low,
                                   struct vec3 *high)
{
    dynamics->solver->read->bounds(dynamics, low, high);
}
/* Continues the hash over the state of a part: all numbers by which it moves. */
static inline uint64_t dynamics_hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    return dynamics->solver->read->hash_part(dynamics, part, hash);
}
/* Deepest overlap of parts that collide, as contacts have it, m; 0 if none. */
static inline double dynamics_overlap(const struct dynamics *dynamics)
{
    return dynamics->solver->read->overlap(dynamics);
}

void dynamics_reset_ledger(struct dynamics *dynamics);
/* The ledger with the energies of the present state; good until the next call on the dynamics. */
const struct ledger *dynamics_ledger(struct dynamics *dynamics);

/* The points of contact in the last step; returns their number. */
int dynamics_contacts(const struct dynamics *dynamics, const struct contact_point **contacts);

/* ---------------------------------------------------------------- for solvers */

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
