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

/* At rest in the pose of birth, root origin at (0, 0). NULL when the arena is full. */
struct dynamics *dynamics_create(const struct phenotype *phenotype, const struct world *world,
                                 const struct dynamics_settings *settings, struct arena *arena);

/* The signal of a drive's effector, sign and unit of its value: a target (position mode; clamped to
 * the drive's limits here) or a share of the strength (torque mode; clamped to -1 .. 1). It changes
 * at `rate` per second until set again. */
void dynamics_set_target(struct dynamics *dynamics, int drive, double target, double rate);
/* Gives a drive a servo of its own instead of the one made of its strength; for scenes. */
void dynamics_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo);
/* The law of a drive; its target may be an old one. NULL: it is no servo. */
const struct servo *dynamics_servo(const struct dynamics *dynamics, int drive);
void dynamics_set_effectors(struct dynamics *dynamics, enum effector_state state);
/* World quantities that settling changes: gravity, ground, friction, passive joint damping
 * (1/s). */
void dynamics_set_world(struct dynamics *dynamics, const struct world *world);
void dynamics_set_joint_damping(struct dynamics *dynamics, double rate_1_s);
/* Only while pushing parts apart at birth: the speed at which overlap is resolved, m/s (0:
 * normal). */
void dynamics_set_push_out(struct dynamics *dynamics, double speed_m_s);

/* One step of settings.dt_s. Returns 0; DYNAMICS_BROKEN when the state is no longer finite or the
 * arena of creation is exhausted; DYNAMICS_UNSOLVED when the reference finds no solution for its
 * contacts, which is then off their law by touches.law_miss_m per dt_s. Beyond settings.work_max a
 * step may end anywhere. */
enum { DYNAMICS_BROKEN = 1, DYNAMICS_UNSOLVED };
int dynamics_step(struct dynamics *dynamics);

/* Puts the state; contacts and warm starts are forgotten. */
void dynamics_set_state(struct dynamics *dynamics, const double *q, const double *qd);
/* Moves the whole body; contacts and warm starts are forgotten. */
void dynamics_shift(struct dynamics *dynamics, struct vec3 by_m);
/* Zeroes velocities, the ledger and warm starts. */
void dynamics_stop(struct dynamics *dynamics);

void dynamics_part_state(const struct dynamics *dynamics, int part, struct part_state *state);
/* How a part is turned: its own axes to the world's. */
struct quaternion dynamics_part_turn(const struct dynamics *dynamics, int part);
/* Axis-aligned bounds of a part. Returns 0 in the plane, where place, sides and angle say more. */
int dynamics_part_bounds(const struct dynamics *dynamics, int part, struct vec3 *low,
                         struct vec3 *high);
/* How a link is turned; of solvers that know more than an angle. */
struct quaternion dynamics_link_turn(const struct dynamics *dynamics, int link);
/* Centre of mass of a link, its angle since birth in the plane, and their rates. */
void dynamics_link_state(const struct dynamics *dynamics, int link, struct part_state *state);
/* The logarithm of a part's width over that at birth, the other way round of its height; 0 of rigid
 * parts. */
double dynamics_part_stretch(const struct dynamics *dynamics, int part);
/* Value, rate and effort of a drive, also of one without an effector. */
void dynamics_drive_state(const struct dynamics *dynamics, int drive, struct drive_state *state);
struct vec3 dynamics_centre_of_mass(const struct dynamics *dynamics);
/* Linear momentum and angular momentum about the world's origin. */
void dynamics_momentum(const struct dynamics *dynamics, struct vec3 *linear, struct vec3 *angular);
/* The impulses of the last step, about a point, for a body whose centre of mass was there before
 * the step and moved with `velocity`. Returns 0 if the solver does not say, as that of rectangles
 * by integrator `rk4` where there is drag. */
int dynamics_impulses(const struct dynamics *dynamics, struct vec3 centre, struct vec3 velocity,
                      struct impulse_sum *impulses);
/* Axis-aligned bounds of all parts. */
void dynamics_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high);
/* Continues the hash over the state of a part: all numbers by which it moves. */
uint64_t dynamics_hash_part(const struct dynamics *dynamics, int part, uint64_t hash);
/* Deepest overlap of parts that collide, as contacts have it, m; 0 if none. */
double dynamics_overlap(const struct dynamics *dynamics);

void dynamics_reset_ledger(struct dynamics *dynamics);
/* The ledger with the energies of the present state; good until the next call on the dynamics. */
const struct ledger *dynamics_ledger(struct dynamics *dynamics);

/* The points of contact in the last step; returns their number. */
int dynamics_contacts(const struct dynamics *dynamics, const struct contact_point **contacts);

#endif
