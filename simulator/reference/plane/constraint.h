/* The constraint solver's own declarations, shared by its files:
 *
 *   constraint_touch.c      where corners, faces and joint limits touch, and how fast
 *   constraint_system.c     forces of the world, rows, the constraint-force equation
 *   constraint_reduced.c    forces or impulses of the touches alone
 *   constraint_modes.c      which touches press, stick or slide
 *   constraint_impulses.c   impacts, steps by impulses, what they do to the ledger
 *   constraint_state.c      the state from joint coordinates, and back
 *   constraint_step.c       adaptive steps, events
 *   dynamics_constraint.c   creation, the interface of dynamics.h
 *
 * Every link has its own three coordinates: the position of its centre of mass and its angle. The
 * state y holds 3 coordinates for each link, then 3 velocities for each. A link that hangs on the
 * fixed root by two linear joints whose links have no mass, and a rotary one, is a free body here,
 * without rows; links without mass take no part in the motion. */
#ifndef SIMULATOR_REFERENCE_PLANE_CONSTRAINT_H
#define SIMULATOR_REFERENCE_PLANE_CONSTRAINT_H

#include "simulator/body/shapes/collide.h"
#include "simulator/plane/steps/drag.h"
#include "simulator/body/dynamics_solver.h"
#include "simulator/reference/dormand_prince.h"
#include "simulator/reference/qr.h"
#include "simulator/body/servo.h"

/* Touching points besides joint limits, at most. (Rules of contact that both solvers share, such as
 * the slowest impact that bounces, have the values of simulator/plane/contacts/contacts*.c.) */
#define TOUCHES_MAX 64
/* Within epsilon and no faster than this, m/s or rad/s, a touch rests: it is held by a constraint
 * as soon as it presses. Faster ones collide. */
#define TOUCH_REST_SPEED 1e-3
/* Sliding that turns round by more than this, m/s, is an event. */
#define TOUCH_TURN_SPEED 1e-6

struct body {
    int parent;
    int has_joint; /* rows of its own: not the root, and nothing on links without mass, see below */
    double inverse_mass, inverse_inertia;
    double mass, inertia;
    int is_linear;
    struct vec2 axis;    /* of a linear joint, in the parent's frame */
    struct vec2 own;     /* the joint to the parent, from the centre of mass */
    struct vec2 parents; /* the same joint, from the parent's centre of mass */
};

/* A link in a state. */
struct place {
    double x, y, angle, vx, vy, w;
    double cos, sin;
};

/* A face of a part in its link's frame, from the link's centre of mass. */
struct edge {
    struct vec2 middle, normal;
    double half_length;
};

/* One scalar constraint: its deviation D has D' = J v and D'' = J v' + curvature, and its force
 * acts along G, which is J but where sliding friction goes with it. */
struct row {
    int a, b; /* links; b = -1: the world */
    double ja[3], jb[3];
    double ga[3], gb[3];
    double deviation, rate, curvature;
    double bias; /* curvature + 2/tau D' + D/tau^2 */
};

enum touch_mode { TOUCH_FREE, TOUCH_STICKS, TOUCH_SLIDES };
/* The kinds of touches: a corner, or a disk, on a line (the ground, a half-plane, a face); or a
 * disk and a point: a corner, or the centre of another disk; or, TOUCH_EDGE, a face of `part` and
 * an obstacle's corner; or, TOUCH_RELIEF, a corner or the lowest point of a face on a ground with
 * relief. */
enum touch_kind { TOUCH_CORNER, TOUCH_DISK, TOUCH_POINT, TOUCH_EDGE, TOUCH_RELIEF };

/* A corner or a disk on the ground, on a face or on a point, or a joint at its limit. */
struct touch {
    int key; /* names what touches what */
    enum touch_kind kind;
    int part, corner; /* part -1: a limit */
    int other, face;  /* other as in contact_point; of TOUCH_POINT the other's corner */
    int a, b;         /* links; of a limit: the joint's link and its parent */
    double side;      /* limit: +1 lower, -1 upper */
    enum touch_mode mode;
    double direction;    /* of sliding, +1 or -1 */
    double slop;         /* depth at which it rests */
    double floor;        /* speed along the direction below which sliding has turned round */
    double anchor;       /* along the face, where it sticks */
    double force[2];     /* normal and friction, of the last evaluation */
    double reference[2]; /* the same, of the last step */
    struct vec2 at, normal;
    double
        along; /* of the corner or the disk's centre, on the line; TOUCH_RELIEF: of the point on the face */
    struct row rows[2]; /* normal and tangent; rows[0].deviation is the gap */
};

/* Impulses of a touch in the step of dynamics_step(). */
struct mark {
    int key;
    struct contact_point point;
};

/* Touches as rows of their own, joints eliminated: response X of the velocities to a unit force or
 * impulse, W = J X. */
struct reduced {
    int count; /* rows */
    double *w, *x;
    double *free;    /* of each row, without contact forces */
    double *value;   /* with those found so far */
    double *target;  /* least value of normal rows, value of tangent rows */
    double *impulse; /* forces or impulses */
    int *slide;      /* tangent rows: 0 sticks if it can, else the direction of sliding */
    double *sweep_impulse;
    double *motion; /* rows x links: impulse of a prescribed motion by a unit impulse of the row */
    int *impact;    /* the first row of the impact that a row is part of */
    int *state, *direction, *unknown, *is_normal; /* of the exact solution */
    int *is_stiff;                                /* hardly anything can move the row */
    double *friction;                             /* of the touch, at its normal row */
};

struct constraint {
    struct dynamics base;
    const struct phenotype *phenotype;
    struct dynamics_settings settings;
    struct world world;
    int links, parts, dof;
    int has_motions;        /* a servo prescribes how its joint moves */
    int joints, joints_max; /* rows of joints, loops and prescribed motions; joints_max: room */
    double mass_kg, thinnest_m;
    uint64_t steps, free_steps;
    enum effector_state effectors;
    double damping_rate, epsilon_m, turn_speed_m_s, restitution_speed_m_s;
    struct dynamics *pusher; /* pushes parts apart at birth, see constraint_step.c */
    int is_pushing;

    /* the body */
    struct body *bodies;
    struct servo *servos;
    double *birth_inertia;
    double *lower, *upper;
    struct vec2
        *corners;       /* parts x 4, in the link's frame, from its centre of mass; of a disk and of
                             a half-plane its centre, four times */
    struct edge *faces; /* parts x 4 */
    double *part_cos, *part_sin, *part_radius;
    int obstacle_room; /* obstacles of the world at creation: there may be fewer, but not more */
    struct box *obstacles;

    /* the state, and what was computed at one */
    double *y;
    double *q, *qd; /* joint coordinates of y */
    struct place *places;
    struct box *boxes;
    double *force;          /* external, 3 a link */
    double *drag;           /* the part of it that is drag */
    struct drag viscosity;  /* of all variants but the plain law, see drag.h */
    double *torque;         /* of effectors */
    double *damping_torque; /* passive */
    double *rate;           /* of joints */
    double *acceleration;   /* 3 a link */

    /* touches */
    struct touch *touches; /* those that press */
    int touch_count, touch_room,
        mark_room; /* rooms are fixed: what does not fit exhausts the arena */
    struct arena *arena;
    struct touch *found; /* of the last touch_find() */
    int found_count;
    int is_stale;  /* modes are to be chosen anew */
    int is_wedged; /* not all of them can be pushed out at once */
    struct mark *marks;
    int mark_count;
    struct contact_point *points;
    int point_count;
    double penetration_m;

    /* the constraint-force equation */
    int rows_max;
    struct row *rows;
    double *gamma, *scale, *right, *lambda;
    double ahead_s;    /* time since the start of the step, for rows that depend on it */
    double *rounding;  /* of joints: deviations of the state that was set, which are no errors */
    double *reference; /* of joints, in the last step: of many solutions the nearest is taken */
    struct qr qr, joints_qr;
    struct reduced reduced;

    struct dormand_prince rk;
    double *y0;
    double h_s, last_error;
    double *effector_work;
    int *pierced; /* keys */
    int pierced_count;
    int *stiff; /* keys of touches that are left alone, see system_is_stiff() */
    int stiff_count;

    struct ledger ledger;
};

static inline struct constraint *constraint_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_constraint);
}

/* Derivatives of the state and powers, for dormand_prince: velocities and accelerations; then the
 * power of each effector, of drag and of damping; then of each touch its two forces and their
 * powers. */
void constraint_derive(void *system, const double *y, double ahead, double *k);
/* Two calls of dynamics_solver.h. */
int constraint_step(struct dynamics *dynamics);
void constraint_set_state(struct dynamics *dynamics, const double *q, const double *qd);
/* Sets q and qd from the placed state. */
void constraint_set_coordinates(struct constraint *c);
/* Sets kinetic and potential energy in the ledger. */
void constraint_set_energies(struct constraint *c);
/* After the state was changed: nothing presses, and nothing is known of the last step. */
void constraint_forget_touches(struct constraint *c);

/* The row of the point at arm s on link a along e, fixed in link b (-1: in the world) at arm r; but
 * for its deviation. Arms and e as they are in the world. */
void touch_set_row(const struct constraint *c, struct row *row, int a, struct vec2 s, int b,
                   struct vec2 r, struct vec2 e);
/* The row of the way from arm `others` of link b's frame to arm `own` of link a's, along a
 * direction of b's frame: its deviation is that way. */
void touch_set_slide_row(const struct constraint *c, struct row *row, int a, struct vec2 own, int b,
                         struct vec2 others, struct vec2 direction);
/* The row of a joint's coordinate: angle or extension, which is its deviation. */
void touch_set_joint_row(const struct constraint *c, int link, struct row *row);
/* Places all links and parts at the state. */
void touch_place(struct constraint *c, const double *y);
void touch_place_box(const struct constraint *c, int part, struct box *box);
/* Rows of a touch at the placed state: gap, rate, directions. */
void touch_update(const struct constraint *c, struct touch *touch);
double touch_friction(const struct constraint *c, const struct touch *touch);
double touch_elasticity(const struct constraint *c, const struct touch *touch);
/* Fills found[] with all touches closer than margin_m (limits: rad) at the placed state. */
void touch_find(struct constraint *c, double margin_m);
/* 1 if a corner is in front of its face, or not so deep behind it that another one is nearer. */
int touch_is_on_face(const struct constraint *c, const struct touch *touch);
/* The touch of that key among those that press, or NULL. */
struct touch *touch_pressing(const struct constraint *c, int key);
/* No point of any link moves faster, m/s. */
double touch_top_speed(const struct constraint *c);

int system_create(struct constraint *c, struct arena *arena);
/* Counts the rows of joints anew, for the servos as they are. */
void system_count_joints(struct constraint *c);
/* Sets deviations of the placed state to 0 if they are no larger than rounding: a body at rest
 * stays there to the last bit. */
void system_forgive_rounding(struct constraint *c);
/* Closes loops and meets prescribed motions with the least change of places and velocities. If that
 * is impossible, it comes as near as it can. */
void system_close(struct constraint *c);
/* What a joint feels at birth, 1 / (M^-1)_ii, at the placed state. */
double system_joint_inertia(struct constraint *c, int link);
/* What a force along the row moves, joints apart: kg or kg m^2. */
double system_row_mass(const struct constraint *c, const struct row *row);
/* Accelerations at state y, ahead_s after the targets were set, with the touches that press; their
 * forces are stored in them. */
void system_accelerate(struct constraint *c, const double *y, double ahead_s);
/* Finds the touches that press, and whether they stick or slide. Returns 0, or 1 if nothing
 * fits. */
int system_choose_modes(struct constraint *c, double ahead_s);
/* 1 if a touch that rests without pressing would, at the placed state with its accelerations, come
 * closer than a constraint lets it. */
int system_wants_to_press(const struct constraint *c, const struct touch *touch);
/* 1 if nothing could move that touch when touches were last looked at together. */
int system_is_stiff(const struct constraint *c, int key);
/* Impulses on all of found[] together; velocities in c->y change, and the ledger. */
void system_collide(struct constraint *c);
/* One step of first order with impulses, after too many events: y moves on by h. */
void system_step_by_impulses(struct constraint *c, double ahead_s, double h_s);
/* Takes the forces of the last evaluation as those of the last step. */
void system_keep_forces(struct constraint *c);
/* Books the work and the impulses of a touch; is_impact: both at an instant. */
void system_book_touch(struct constraint *c, const struct touch *touch, const double impulse[2],
                       const double work[2], int is_impact);

/* ---- what the files of the system share ---- */

/* Directions in which the scaled Gamma is weaker than this are left alone, where something touches.
 * A box on two corners cannot tell one friction force from the other, nor can a straight chain that
 * lies on the ground; where it is nearly straight, forces of many times its weight would answer to
 * the errors of its velocities. */
#define RANK_TOLERANCE 1e-7
/* Depth that is left alone where it was there from the start, m or rad. */
#define SLOP 1e-3
/* Sweeps of reduced_sweep() at most. */
#define SWEEPS 1000

/* Rows of a touch: normal and tangent, or that of a joint's limit. */
static inline int touch_row_count(const struct touch *t)
{
    return t->part < 0 ? 1 : 2;
}

/* J v of a row; and what a force along it adds to the accelerations, or an impulse to the
 * velocities. */
double system_row_rate(const struct row *row, const double *v);
void system_push(const struct constraint *c, const struct row *row, double force, double *v);
/* The row is also the direction in which its force acts. */
void system_push_along_itself(struct row *row);
/* 1 / sqrt(J M^-1 J'), by which rows and columns are scaled. */
double system_row_scale(const struct constraint *c, const struct row *row);
/* Whether a joint follows a prescribed motion. */
int system_has_motion(const struct constraint *c, int link);
/* Rows of all joints; and of all that acts: returns their number. */
void system_set_joint_rows(struct constraint *c);
int system_set_rows(struct constraint *c);
/* How fast what is too deep is pushed out, m/s or rad/s; the acceleration that a touch shall
 * have. */
double system_push_out_speed(const struct constraint *c, const struct touch *t);
double system_touch_acceleration(const struct constraint *c, const struct touch *t,
                                 double deviation, double rate);
/* Operations of that many equations are counted; the first `count` rows are made equations and
 * factored. */
void system_count_equations(struct constraint *c, int count);
void system_factor_gamma(struct constraint *c, int count, struct qr *qr);
/* What the external forces do to links without joints. */
void system_set_free_acceleration(struct constraint *c);
/* found[] becomes: all within the margin, and all that press. */
void system_gather(struct constraint *c, double margin);
/* X and W of found[], at the placed state. */
void reduced_build(struct constraint *c);
/* Sweeps; rows that cannot all be pushed out at once would load one another without end: then they
 * are only kept from going deeper. Returns 0, or 1 where even that has no end. */
int reduced_sweep(struct constraint *c, int sweeps, double share);
/* Forces or impulses that obey everything. Returns 0, or 1 if it finds no such forces. */
int reduced_solve(struct constraint *c);

#endif
