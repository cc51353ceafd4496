/* The state of a body of spheres and bones while it moves; for the files of the solver only:
 * sphere_build.c (creation), sphere_step.c (steps), dynamics_spheres.c (ledger, interface),
 * sphere_contacts.c, sphere_joints.c.
 *
 * A step is made of substeps of h. Between them positions are those of the middle of a substep,
 * from which impulses act: see sphere_step.c. All memory comes from the arena at creation. */
#ifndef SIMULATOR_SPHERES_SPHERE_SYSTEM_H
#define SIMULATOR_SPHERES_SPHERE_SYSTEM_H

#include <math.h>

#include "common/math/pair.h"
#include "simulator/contact/collide.h"
#include "simulator/body/dynamics.h"
#include "simulator/spheres/dynamics_spheres.h"

/* As det_max() and det_min(), but without their rules for values that are not numbers. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Without jumps: which way it goes is hard to foretell, and a wrong guess costs more than all of
 * it. */
static inline double clamp(double value, double low, double high)
{
    value = high < value ? high : value;
    return low > value ? low : value;
}

/* Where most of the work is vectors are in two lanes and one: bit for bit the sums and products of
 * struct vec3, in fewer instructions. Their source is at a multiple of 16 bytes; and was stored so,
 * too: to load both lanes of what has just been stored one by one waits for the stores. */
struct lanes {
    pair xy;
    double z;
};

static inline struct lanes lanes_of(const struct vec3 *v)
{
    return (struct lanes){*(const pair_aligned *)v, v->z};
}

/* Lanes of any vector, wherever it is. */
static inline struct lanes lanes_from(struct vec3 v)
{
    return (struct lanes){{v.x, v.y}, v.z};
}

static inline void lanes_store(struct lanes a, struct vec3 *v)
{
    *(pair_aligned *)v = a.xy;
    v->z = a.z;
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    return (struct lanes){a.xy + b.xy, a.z + b.z};
}

static inline struct lanes lanes_sub(struct lanes a, struct lanes b)
{
    return (struct lanes){a.xy - b.xy, a.z - b.z};
}

/* a + s b */
static inline struct lanes lanes_along(struct lanes a, struct lanes b, double s)
{
    return (struct lanes){a.xy + b.xy * pair_of(s), a.z + b.z * s};
}

static inline double lanes_dot(struct lanes a, struct lanes b)
{
    pair p = a.xy * b.xy;
    return p[0] + p[1] + a.z * b.z;
}

/* Bones shorter than this have no direction, m. */
#define ROD_SHORTEST_M 1e-9
/* Bones are damped every other step: more often costs more than it is worth. */
#define ROD_DAMPING_STEPS 2

/* A sphere in motion. */
struct ball {
    _Alignas(16) struct vec3 at; /* in the middle of the substep */
    double inverse_mass;
    struct vec3 velocity;
    double radius;
    struct vec3 start; /* velocity at the start of the substep */
    double mass;
};

/* The fields of a sphere that are used less often. */
struct ball_matter {
    double inertia, inverse_inertia; /* 0: it does not turn */
    double friction, elasticity;
    double drag, spin_drag;       /* of the linear law: N s/m, N m s */
    struct vec3 spin, spin_start; /* rad/s: now, and at the start of the substep */
    struct lanes damped;          /* change of the velocity by damping, m/s, and of the spin */
    struct vec3 spin_damped;
    double shares;   /* bones and rows of joints that may pull at it together */
    int is_touching; /* in the last step */
    int round;       /* of ordering bones */
};

/* A bone in motion. Its impulse is a number times the vector d from b to a, on a; minus that on
 * b. */
struct rod {
    int a, b;
    struct ball *ball_a, *ball_b;
    double length_sq; /* at rest; muscles: at birth */
    double least;     /* that length_sq - d.d counts as */
    double damping;   /* share of the rate it loses a step / (length_sq, sum of inverse masses) */
    double gain, stiffness; /* number = gain (length_sq - d.d); N/m */
};

struct muscle {
    double shortest, longest, rate, strength, birth;
    double shortest_sq, longest_sq;
    double stiffness, damping;  /* N/m, N s/m */
    double reach;               /* how far off it gives its greatest force, m */
    double length, rest_rate;   /* at rest, now; m/s */
    double target, target_rate; /* length asked for, and how it changes until set again */
    /* as of the start of the step: number = spring (length^2 - d.d) + damper (length rest_rate -
     * d.w), within +-most */
    double length_sq, pushed, spring, damper, most;
    double inverse_length;   /* of the muscle itself */
    double pull, rate_start; /* the number in this substep, and d.w before it */
};

/* The action of a rod in this substep, or in each half of it: an impulse of number d on a, minus
 * that on b; of fixed ones number gain d. */
struct pull {
    struct lanes d;
    double number;
};

/* An end of a rod: its change of the velocity there is factor number d. */
struct rod_end {
    const struct pull *pull;
    double factor;
};

/* An angle of a joint: unit torque about it is a set of forces on four spheres, which also measures
 * its rate: rate = sum of force . velocity. Forces and torques vanish in sum, so momentum is
 * kept. */
struct joint_row {
    struct vec3 force[4]; /* on sphere, base, end, reference */
    double inverse;       /* of the inertia that unit torque turns */
    int can_act;          /* it has a direction now */
    double hold;          /* torque of the hinge or of a limit, N m */
    double store;         /* energy that it has taken, J */
    double angle;         /* rad */
    double lever;         /* rate of the angle = force . velocity / lever */
    double stiffness;     /* N m/rad, as of birth; and the most that is meant now */
    double most_stiff;
    double motor_stiffness, motor_damping;
    double rest, torque; /* of the motor: the angle it holds now, rad, and its torque, N m */
};

struct angle {
    const struct sphere_joint *joint;
    int ball[4];                    /* sphere, base, end, reference (or sphere again) */
    int has_frame, is_flat;         /* is_flat: in a plane, without a reference */
    struct vec3 rest, axis, across; /* at birth in the base's frame: bone, axis, axis x bone */
    double rest_angle;              /* without a frame: between the bones at birth */
    struct joint_row rows[2];
    double target[2], target_rate[2];
};

/* Adds by d to the velocity. */
static inline void ball_push(struct ball *ball, struct lanes d, double by)
{
    lanes_store(lanes_along(lanes_of(&ball->velocity), d, by), &ball->velocity);
}

/* A thing that a sphere may touch: another one, or a flat piece of the world. */
struct touch {
    int a, b;                   /* b: sphere, CONTACT_GROUND, or CONTACT_OBSTACLE - number */
    struct sphere_system *of_b; /* whose sphere b is; NULL: the world's */
    struct vec3 normal;         /* towards a */
    double arm_a, arm_b;        /* from the centres to where they touch */
    double gap;                 /* in the middle of the substep */
    double friction, elasticity;
    double impulse;
    struct vec3 rub;   /* impulse of friction on a */
    struct vec3 brake; /* impulse of the torque against rolling and spinning on a */
    int is_push_out, is_booked;
};

struct sphere_pair {
    int a, b;
};

/* What bodies need to meet: the touches between them; `of_a` of each. */
struct meeting {
    struct touch *list;
    struct sphere_system **of_a;
    int count, room;
    struct arena *arena; /* of more room; where that is exhausted, steps fail */
};

struct sphere_system {
    struct dynamics base;
    struct arena *arena;
    const struct phenotype *phenotype;
    const struct sphere_body *body;
    struct world world;
    struct dynamics_settings settings;
    double h;
    /* upper bound of all vibrations in the body, from the stiffness of bones and joints */
    double vibration_rad_s;
    double bone_damping; /* share of the rate of its length that a bone loses when it is damped */
    double damping_1_s;

    int balls, rods, fixed_rods, muscle_count, angles;
    struct ball *ball;
    struct ball_matter *matter;
    int has_spin;          /* some sphere turns */
    struct rod *rod;       /* fixed bones, then muscles */
    struct muscle *muscle; /* rod fixed_rods + number */
    int *rod_of;           /* of each bone */
    struct pull *pull;     /* of each rod */
    /* all ends of rods: at sphere i those of fixed ones from first_end[2 i], of muscles from
     * first_end[2 i + 1], to first_end[2 i + 2]. So each velocity is read and written once, and
     * does not wait for the one before. */
    struct rod_end *ends;
    int *first_end;
    struct angle *angle;

    /* contacts */
    struct sphere_pair *pairs, *near; /* that may touch at all; that are near */
    struct sphere_pair *near_boxes;   /* sphere, obstacle */
    int pair_count, near_count, near_box_count, box_room;
    struct box *boxes; /* the obstacles; there may be fewer later, but not more */
    double *reach_sq;  /* of centres that are near, for a slack on both sides, of each pair, m^2 */
    double reach_most; /* of all pairs, m */
    double slack;      /* spheres farther apart than this are not near */
    double travel, range; /* of the fastest sphere since the last look, and until the next one */
    double way;           /* of the fastest sphere in the last substep, m */
    struct touch *touch;
    int touch_count, touch_room;
    int is_reported; /* the touches are those of the last substep */

    /* by contacts with the world and drag, in this step: about the world's origin; and see
     * spheres_impulses() */
    struct impulse_sum given;
    struct vec3 slowed; /* of that, by drag before the first substep */
    struct vec3 given_sums, given_sums_of_sums;
};

static inline struct sphere_system *sphere_system_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_spheres);
}

/* From b to a, now. */
static inline struct lanes rod_vector(const struct rod *rod)
{
    return lanes_sub(lanes_of(&rod->ball_a->at), lanes_of(&rod->ball_b->at));
}

/* d . w of a rod's spheres. */
static inline double rod_rate(const struct rod *rod, struct lanes d)
{
    return lanes_dot(d,
                     lanes_sub(lanes_of(&rod->ball_a->velocity), lanes_of(&rod->ball_b->velocity)));
}

/* The calls of struct dynamics_solver by which a body is made and moves. */
struct dynamics *sphere_system_create(const struct phenotype *phenotype, const struct world *world,
                                      const struct dynamics_settings *settings,
                                      struct arena *arena);
int sphere_step(struct dynamics *dynamics);
struct meeting *sphere_create_meeting(struct dynamics *const *all, int count, struct arena *arena);
void sphere_sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high);
void sphere_step_together(struct meeting *meeting, struct dynamics *const *some, int count,
                          int *is_broken);

/* By the world's viscosity. */
void sphere_system_set_viscosity(struct sphere_system *s);
/* After a state has been set: nothing touches, and near spheres are to be looked for anew. */
void sphere_system_forget(struct sphere_system *s);

/* Pairs and room; ERR_MEMORY. */
int sphere_contacts_create(struct sphere_system *s, struct arena *arena);
/* Finds and solves what touches in this substep, after the bones. */
void sphere_contacts_solve(struct sphere_system *s);
/* Books the work and the impulses of the contacts of the substep. */
void sphere_contacts_book(struct sphere_system *s);
/* Fills the points of the last substep and says which spheres touch, unless that has been done: few
 * steps are asked for it. */
void sphere_contacts_report(const struct dynamics *dynamics);
/* As overlap() of struct dynamics_reader. */
double sphere_contacts_overlap(const struct dynamics *dynamics);
/* Finds and solves what touches between two bodies in this substep, before sphere_contacts_solve()
 * of both; the touches go behind those that are there. */
void sphere_contacts_meet(struct sphere_system *s, struct sphere_system *others,
                          struct meeting *touches);
/* Books them, before sphere_contacts_book() of the bodies. */
void sphere_contacts_book_meeting(const struct meeting *touches);
/* Adds them to what both bodies report of their contacts. */
void sphere_contacts_report_meeting(const struct meeting *touches);

int sphere_joints_create(struct sphere_system *s, struct arena *arena);
/* Places the rows and says what motors, limits and hinges do in this substep. */
void sphere_joints_place(struct sphere_system *s);
/* Lets them do a share of it. */
void sphere_joints_act(struct sphere_system *s, double share);
/* Books the work of the motors in the substep. */
void sphere_joints_book(struct sphere_system *s);
/* Every angle loses a share of its rate, those that are held a fixed share at least. */
void sphere_joints_damp(struct sphere_system *s, double share);
/* Energy of hinges and limits that are held beyond where they should be, J. */
double sphere_joints_energy(const struct sphere_system *s);
/* Angle and rate about an axis, now. */
void sphere_joint_state(const struct sphere_system *s, const struct angle *angle, int axis,
                        double *angle_rad, double *rate_rad_s);

#endif
