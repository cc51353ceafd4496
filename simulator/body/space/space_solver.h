/* What solvers of bodies in space have in common: the front of their state and a row of functions.
 * A creature of boxes, a scene and a test ask for the same, whichever moves them. */
#ifndef SIMULATOR_BODY_SPACE_SPACE_SOLVER_H
#define SIMULATOR_BODY_SPACE_SPACE_SOLVER_H

#include "common/math/relief.h"
#include "simulator/body/dynamics.h"
#include "simulator/body/servo.h"
#include "simulator/body/space/space_drag.h"
#include "simulator/body/space/space_tree.h"

/* What boxes touch, and how: against ground and fixed boxes, and among themselves. */
struct space_surfaces {
    int has_ground; /* y = 0 and its relief, downwards */
    struct relief relief;
    double friction, elasticity;
    double own_friction, own_elasticity;
    const struct solid *fixed;
    int fixed_count;
    const unsigned char *meetings; /* boxes x boxes: how two meet, as in a phenotype; or NULL */
    /* Per box its enum part_shape, of bodies in the plane z = 0, which the reference alone knows.
     * There boxes of the world have the link -1. NULL: they are boxes in space */
    const unsigned char *shapes;
};

struct space_world {
    struct vec3 gravity_m_s2;
    struct space_drag_law drag;
    struct space_surfaces surfaces;
};

/* The surroundings, as the solvers of bodies in space want them; all memory is the arena's.
 * ERR_MEMORY when the arena is full. */
int space_world_create(struct space_world *to, const unsigned char *meetings,
                       const struct world *world, struct arena *arena);
/* Sets what needs no memory of the world. The obstacles of creation stay, or all of them go. */
void space_world_set(struct space_world *to, const struct world *world);

/* A body in motion: to be read. Functions change it. */
struct space_state {
    const struct space_solver *solver;
    struct dynamics_settings settings;
    const struct space_tree *form; /* its links and freedoms; the pose may be an old one */
    double *q, *qd;                /* the state: coordinates and rates, see joint.h */
    /* per rate: */
    int *link_of;
    struct servo *servos;
    double *torque;        /* torque or force that drives it, of the last step */
    double *birth_inertia; /* what it feels at birth while the whole floats, 1 / (M^-1)_ii */
    enum effector_state effectors;
    struct ledger ledger;     /* solver->ledger() has it with the energies of the present state */
    uint64_t steps, rk_steps; /* taken, and those of them with Runge-Kutta */
    double law_residual;      /* how far contacts were off their law in the last step, m/s */
    /* what contacts, gravity and drag gave all bodies in the last step, about the world's origin,
     * to rounding, where it is known */
    struct impulse_sum given;
    int is_given;
};

struct space_solver {
    /* At rest in the pose of birth. All memory is the arena's; NULL when it is full. */
    struct space_state *(*create)(const struct body *body, const struct space_world *world,
                                  const struct dynamics_settings *settings, struct arena *arena);
    /* Moves on by dt_s. Returns 0, or DYNAMICS_*. */
    int (*step)(struct space_state *s);
    /* Servos, or what they may do, have changed. */
    void (*heed_servos)(struct space_state *s);
    /* Puts the state, and resets the ledger. */
    void (*set_state)(struct space_state *s, const double *q, const double *qd);
    /* Another world: with the fixed boxes of creation, or without any. It may have ground and
     * friction only if the world of creation had them. Motion and ledger stay. */
    void (*set_world)(struct space_state *s, const struct space_world *world);
    /* Only while pushing boxes apart at birth: the speed at which overlap is resolved, m/s (0:
     * normal). */
    void (*set_push_out)(struct space_state *s, double speed_m_s);
    /* The tree at the present state, to be read; good until the next step. */
    const struct space_tree *(*tree)(struct space_state *s);
    void (*reset_ledger)(struct space_state *s);
    /* With the energies of the present state; good until the next call. */
    const struct ledger *(*ledger)(struct space_state *s);
    /* Contacts with an impulse, or a gap below 1 mm, in the last step. part: a box; other: a box,
     * or as in struct contact_point. */
    int (*contacts)(const struct space_state *s, const struct contact_point **contacts);
    /* Deepest penetration in the last step, m. */
    double (*penetration)(const struct space_state *s);
    /* Arithmetic operations so far, roughly and the same on every machine. */
    uint64_t (*work)(const struct space_state *s);
};

/* The row of a solver whose functions are called as those of the row. */
#define SPACE_SOLVER                                                                               \
    {                                                                                              \
        .create = create, .step = step, .heed_servos = heed_servos, .set_state = set_state,        \
        .set_world = set_world, .set_push_out = set_push_out, .tree = find_tree,                   \
        .reset_ledger = reset_ledger, .ledger = find_ledger, .contacts = find_contacts,            \
        .penetration = penetration, .work = work                                                   \
    }

/* Articulated bodies (space_dynamics.h), and the reference
 * (simulator/reference/space/space_constraint.h). By SOLVER_*. */
extern const struct space_solver space_solver_articulated, space_solver_constraint;
static inline const struct space_solver *space_solver_of(int solver)
{
    return solver == SOLVER_CONSTRAINT ? &space_solver_constraint : &space_solver_articulated;
}

/* For solvers: the front of a state whose links are those of `form`. ERR_MEMORY when the arena is
 * full. */
int space_state_init(struct space_state *s, const struct space_solver *solver,
                     const struct space_tree *form, const struct dynamics_settings *settings,
                     struct arena *arena);

/* What drives a freedom, by the index of its rate. The servos of a ball have torques in the child's
 * axes; their targets are a rotation vector. */
void space_state_set_servo(struct space_state *s, int rate, const struct servo *servo);
/* An effector of that strength, N m or N, with gains for the inertia that the freedom feels at
 * birth. */
void space_state_set_effector(struct space_state *s, int rate, double strength);
void space_state_set_effectors(struct space_state *s, enum effector_state state);
/* Passive damping of every joint, 1/s. */
void space_state_set_joint_damping(struct space_state *s, double rate_1_s);
/* What a freedom reads: angle or length; of a ball a component of its rotation vector. */
double space_state_value(const struct space_state *s, int rate);

#endif
