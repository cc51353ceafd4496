/* The reference solver in space, its own declarations, shared by its files:
 *
 *   spatial_touch.c        what touches: points of boxes, disks and half-planes, joints at limits
 *   spatial_system.c       places, forces, rows of joints
 *   spatial_equation.c     the constraint-force equation
 *   spatial_impulses.c     impulses, and what presses
 *   spatial_constraint.c   adaptive steps, events, the interface of spatial_constraint.h
 *   dynamics_constraint.c  bodies in the plane: the interface of dynamics.h
 *
 * The state y holds STATE_SIZE numbers a body (place, quaternion, velocity, spin, stretch and its
 * rate). Quadratures follow in its derivatives: the power of each freedom's servo, losses by
 * damping, drag and friction, and the force of each touch that presses. */
#ifndef SIMULATOR_REFERENCE_SPATIAL_SYSTEM_H
#define SIMULATOR_REFERENCE_SPATIAL_SYSTEM_H

#include "simulator/contact/solids.h"
#include "simulator/reference/dormand_prince.h"
#include "simulator/reference/contact_law.h"
#include "simulator/reference/qr.h"
#include "simulator/reference/spatial_constraint.h"

enum { STATE_SIZE = 15, JOINT_ROWS_MAX = 6, LOSSES = 3 };
/* Velocities of a body: of its centre, of turning, of its stretch. */
enum { BODY_RATES = 7 };
/* Room for touches at first, besides limits; where there are more there is twice as much, until
 * memory is out. */
enum { TOUCHES_ROOM = 64 };
enum { WORLD = -1 };
/* Two that are closer touch, m or rad: it takes part in impacts and rests. */
#define TOUCH_NEAR 2e-10

/* Two bodies that a joint joins: by it one hangs on the other, or it closes a loop. */
struct hinge {
    /* constant */
    int child, parent; /* bodies; the parent may be WORLD */
    const struct joint_kind *joint;
    struct mat3 frame, own_frame; /* of the joint, in the parent's axes and in the child's */
    struct vec3 own, parents; /* the joint from either centre of mass, in their axes, at birth */
    /* in a state: both frames and the arms in the world, how their ends move with the stretches,
     * and the way from the parent's end to the child's, with what of its acceleration no
     * accelerations make */
    struct mat3 f, turned;
    struct vec3 rc, rp, sc, sp, d, d_rate, inward;
};

/* Velocities or forces on one body: of or at its centre of mass, about it, and of its stretch. */
struct wrench {
    struct vec3 v, w;
    double stretch;
};

struct rigid {
    /* constant */
    int parent; /* or WORLD */
    const struct body_link *link;
    const struct joint_kind *joint;
    int coordinate, rate, rates, plain; /* plain: all freedoms but those of a ball, which follow */
    int stretch;                        /* the freedom that stretches, the last; or `rates` */
    double mass, inverse_mass;
    /* in a state, but for what does not stretch */
    struct sym3 inertia, inverse_inertia;
    struct sym3 root;                          /* L' of the inertia's Cholesky factors */
    double stretch_mass, inverse_stretch_mass; /* kg m^2; both 0 of what does not stretch, as ... */
    double inertia_rate;                       /* ... how the inertia changes with the stretch */
    struct vec3 sides;                         /* those now as shares of those at birth */
    struct sym3 grown, shrunk; /* from places at birth to those now, and back; own axes */
    /* in a state */
    struct spatial_place place;
    struct mat3 turned; /* own axes in the world's */
    struct sym3 inverse;
    struct sym3 spread; /* from a place, from the centre, to how it moves with the stretch; or 0 */
    struct hinge hinge; /* on the parent */
    struct vec3 axes[JOINT_RATES_MAX];
    struct wrench push; /* forces */
    struct wrench free; /* accelerations */
};

/* A scalar constraint on two bodies: its deviation D has D' = j (velocities) and D'' = j
 * (accelerations) + curvature. Its force acts along g, which is j but where friction of what slides
 * goes with it. */
struct row {
    int bodies[2];
    struct wrench j[2], g[2];
    struct wrench yields[2]; /* M^-1 g, in the equation */
    double deviation, rate, curvature;
    int driven;   /* the freedom that it prescribes, or -1 */
    int is_askew; /* g is not j */
};

enum touch_kind { TOUCH_FACE, TOUCH_EDGES, TOUCH_ROUND, TOUCH_RELIEF, TOUCH_LIMIT };
enum touch_mode { TOUCH_FREE, TOUCH_STICKS, TOUCH_SLIDES };

/* Where a body's box touches another one, or the world; or a joint at a limit. Bodies, points,
 * directions: of the one that comes near, 0, and of the one that it comes to, 1. */
struct touch {
    enum touch_kind kind;
    int bodies[2];
    int pair, feature; /* name it; of a limit: -1 and its number */
    int is_swapped;    /* the pair's first box is 1 */
    int size;          /* rows that count: the normal, and two across it, or the one of the plane */
    /* in the bodies' axes, from their centres of mass, at birth */
    struct vec3 points[2];
    struct vec3 normal;      /* of a face: in 1 */
    struct vec3 tangents[2]; /* likewise */
    struct vec3
        edges[2];    /* TOUCH_EDGES: their directions; TOUCH_ROUND: that of 1, if it is an edge */
    double sign;     /* of their product */
    double radii[2]; /* TOUCH_ROUND: about the points; of the second 0 if it is not round */
    enum solids_nearest nearest; /* TOUCH_ROUND: what of 1 is touched */
    double along[2];             /* TOUCH_RELIEF: place on what touches, see relief.h */
    double friction, elasticity;
    /* in a state: the normal row, two across it; in the plane the last of them is along z */
    struct row rows[3];
    struct vec3 at, directions[3];
    /* while it presses */
    enum touch_mode mode;
    int may_stick;       /* it slides by so little that it sticks if that is possible */
    struct vec3 way;     /* of sliding, at the start of the step */
    double steadying;    /* ... and how much of it steadies the direction of sliding, m/s */
    double mobility;     /* acceleration across the normal by a unit force, with the joints, 1/kg */
    double floor;        /* speed along it below which sliding may have stopped, m/s */
    double rest;         /* the gap that is kept */
    double force[3];     /* along directions, of the last evaluation */
    double reference[3]; /* in the last step: of many solutions the nearest is taken */
};

/* Two boxes that may touch, the second may be CONTACT_GROUND or one of the obstacles; and how they
 * last did. */
struct touch_pair {
    int a, b;
    struct solid_manifold held; /* its axis */
    int axis;                   /* when touches were last looked for; -1: no axis */
    unsigned char meeting;      /* which half of one is there */
};

/* Impulse of a touch in a step of dt_s. */
struct touch_mark {
    int pair, feature;
    struct contact_point point;
};

/* An end of what a joint may do: side * (its coordinate - end) >= 0. */
struct limit {
    int body, freedom;
    double side, end; /* rad or m */
};

/* What bodies may do: move along so many axes, the first ones, and turn about so many, the last or
 * all. Joints have no rows for the others. */
struct room {
    int moves, turns;
};

struct spatial_constraint {
    struct spatial_state base;
    const struct room *room; /* space or the plane */
    struct arena *arena;     /* of more room; where that is exhausted, steps fail */
    struct rigid ground;     /* the world as a body */
    struct rigid *bodies;
    int count, rates, coordinates;
    struct hinge *loops;
    int loop_count;
    double mass;
    struct spatial_drag drag;
    struct body_box *wet;         /* its boxes, of bodies in the plane */
    struct spatial_tree carriers; /* of poses and velocities to drag, and of its tensors back */

    struct dormand_prince rk;
    double *y, *dy;                        /* dy: of a state within a step */
    double *effector_work, losses[LOSSES]; /* since they were booked, J: see above */
    double *turned_to; /* per coordinate: turns of the base's are unwrapped near those of the last
                        * accepted state */
    double h_s;

    /* boxes */
    const struct body_box *boxes;
    const unsigned char *shapes; /* see struct spatial_surfaces */
    int box_count;
    struct solid *solids; /* at the state that touches were last looked for at */
    double thinnest_m;    /* the shortest side that there may ever be */
    struct touch_pair *pairs;
    int pair_count;
    struct limit *limits;
    int limit_count;
    struct touch *touches, *found; /* those that press; of the last spatial_touch_find() */
    int touch_count, found_count, touch_room, found_room;
    int is_stale;      /* the touches that press are to be found anew */
    double slip_m_s;   /* slower sliding may stop at once */
    double pressing_n; /* forces of all touches together, when they were last found */
    double turning_s;  /* the direction of sliding settles no faster */
    int has_reference; /* forces are the nearest to those before; 0: the least ones */
    struct touch_mark *marks;
    int mark_count, mark_room;
    uint64_t work;
    int is_tree_placed; /* carriers are at the present state */
    int tries;          /* steps tried in this dt_s */

    /* the constraint-force equation: rows of joints first */
    struct row *rows;
    int joint_rows, row_count;
    double *scale, *lambda, *reference;
    double *joints, *inverse; /* Cholesky's factor of their matrix; of its diagonal */
    int *first;               /* of a row of it: the first number that is not 0 */
    double *along, *against;  /* per row of a touch: columns and rows beside it, divided by it */
    double *w, *right, *pressing; /* what is left to touches, its right side, its solution */
    struct qr qr;
    int *island;  /* per body: the least number of those that joints and touches join with it */
    int *members; /* rows of touches of one island, of which w is */
    /* touches with the joints eliminated */
    struct contact_law law;
    double *responses; /* rows x BODY_RATES of each body: see set_response() */
    double *before;    /* per row: velocity before impulses */
};

static const struct vec3 none = {0, 0, 0};

static inline double wrench_dot(const struct wrench *a, const struct wrench *b)
{
    return vec3_dot(a->v, b->v) + vec3_dot(a->w, b->w) + a->stretch * b->stretch;
}
/* a + s b */
static inline struct wrench wrench_along(struct wrench a, const struct wrench *b, double s)
{
    return (struct wrench){vec3_along(a.v, b->v, s), vec3_along(a.w, b->w, s),
                           a.stretch + s * b->stretch};
}
static inline double spatial_system_product(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}
static inline const struct rigid *spatial_system_body(const struct spatial_constraint *c, int i)
{
    return i < 0 ? &c->ground : &c->bodies[i];
}
static inline struct rigid *spatial_system_moved(struct spatial_constraint *c, int i)
{
    return i < 0 ? &c->ground : &c->bodies[i];
}
static inline struct vec3 spatial_system_axis(const struct mat3 *m, int i)
{
    return i == 0 ? m->x : i == 1 ? m->y : m->z;
}
static inline int spatial_system_stretches(const struct rigid *b)
{
    return b->stretch < b->rates;
}
/* Where a place at birth is now, from the centre of mass, in the body's axes; and how one at an arm in
 * the world moves with the stretch. */
static inline struct vec3 spatial_system_grown(const struct rigid *b, struct vec3 at)
{
    return spatial_system_stretches(b) ? sym3_apply(&b->grown, at) : at;
}
static inline struct vec3 spatial_system_spread(const struct rigid *b, struct vec3 arm)
{
    return spatial_system_stretches(b) ? sym3_apply(&b->spread, arm) : none;
}
/* The velocity of what of a body is at an arm from its centre of mass, which moves so with the
 * stretch; and its acceleration where the body has none. See spatial_system.c. */
static inline struct vec3 spatial_system_velocity(const struct rigid *b, struct vec3 arm,
                                                  struct vec3 spread)
{
    struct vec3 turning = vec3_add(b->place.velocity, vec3_cross(b->place.spin, arm));
    return vec3_along(turning, spread, b->place.stretch_rate);
}
static inline struct vec3 spatial_system_inward(const struct rigid *b, struct vec3 arm,
                                                struct vec3 spread)
{
    double rate = b->place.stretch_rate;
    struct vec3 sum = vec3_cross(b->place.spin, vec3_cross(b->place.spin, arm));
    if (!spatial_system_stretches(b))
        return sum;
    return vec3_along(vec3_along(sum, vec3_cross(b->place.spin, spread), 2 * rate), arm,
                      rate * rate);
}

/* ---- spatial_touch.c */

/* Lists what may ever touch; ERR_MEMORY when the arena is full. Bodies and settings are there. */
int spatial_touch_create(struct spatial_constraint *c, struct arena *arena);
/* The pairs that may touch in the world as it is. */
void spatial_touch_list_pairs(struct spatial_constraint *c);
/* Fills found[] with what is closer than a margin, m or rad, at the state that bodies are placed
 * at. */
void spatial_touch_find(struct spatial_constraint *c, double margin);
/* Rows of a touch at the placed state. */
void spatial_touch_update(const struct spatial_constraint *c, struct touch *t);
/* The one of found[] that a touch is; NULL: it is no longer there. */
struct touch *spatial_touch_match(const struct spatial_constraint *c, const struct touch *t);
/* The present sides of a box; in the plane it has no depth. */
struct vec3 spatial_touch_size_m(const struct spatial_constraint *c, int box);
/* The touches found decide from which side boxes touch next time. */
void spatial_touch_hold(struct spatial_constraint *c);
/* The sum of forces or impulses along the directions of a touch, in the world. */
struct vec3 spatial_touch_force(const struct touch *t, const double force[3]);
/* The steadying of a touch that slides with this speed and presses with this force: the missing
 * speed for friction to turn the direction no faster than in turning_s; 0 in the plane. */
double spatial_touch_steadying(const struct spatial_constraint *c, const struct touch *t,
                               double speed, double force);

/* ---- spatial_system.c */

/* A new body of a joint and a link: what does not change, and that of one that does not stretch. */
void spatial_system_init_body(struct rigid *b, const struct body_link *link);
/* Values that follow from a body's stretch and turn. */
void spatial_system_form(struct rigid *b);
/* Bodies at a state. */
void spatial_system_place(struct spatial_constraint *c, const double *y);
struct spatial_place spatial_system_place_at(const double *y);
void spatial_system_put(double *y, const struct spatial_place *p);
/* The places of bodies become the state, and bodies are placed there. */
void spatial_system_keep(struct spatial_constraint *c);
/* The axes of a body's freedoms in the world. */
void spatial_system_find_axes(struct rigid *b);
double spatial_system_kinetic_energy(const struct spatial_constraint *c);
/* No point of any box moves faster, m/s. */
double spatial_system_top_speed(const struct spatial_constraint *c);

/* Gravity becomes all that acts. */
void spatial_system_clear_forces(struct spatial_constraint *c, struct vec3 gravity);
/* An effort along freedom k of a body: on the body, and back on its parent. */
void spatial_system_push(struct spatial_constraint *c, struct rigid *b, int k, double effort);
/* All forces but those of rows; returns the power of drag, W, 0 or less. */
double spatial_system_push_all(struct spatial_constraint *c, double ahead);

/* A row on two bodies with its rate; g = j. */
void spatial_system_set_row(const struct spatial_constraint *c, struct row *row, int one, int two,
                            struct wrench j_one, struct wrench j_two);
/* A row of a joint whose rate is g.(its bodies' relative spin), and g' = change. */
void spatial_system_set_turn_row(const struct spatial_constraint *c, const struct hinge *hinge,
                                 struct vec3 g, struct vec3 change, struct row *row);
/* The row of freedom k of a body, a slide or a turn; its deviation is the coordinate. */
void spatial_system_set_freedom_row(const struct spatial_constraint *c, int i, int k,
                                    struct row *row);
/* Rows of the joints at the placed state, `ahead` after the start of the step of dt_s. */
void spatial_system_list_joints(struct spatial_constraint *c, double ahead);

/* ---- spatial_equation.c */

/* Takes memory for rows; ERR_MEMORY when the arena is full. Touches and limits are counted. */
int spatial_equation_create(struct spatial_constraint *c);
/* Room for so many touches that press; those that there were, and derivatives, are gone.
 * ERR_MEMORY: as before. */
int spatial_equation_extend(struct spatial_constraint *c, int touches);
/* dy/dt at y, and the rates of quadratures, with the touches that press; `system`: a struct
 * spatial_constraint. */
void spatial_equation_derive(void *system, const double *y, double ahead, double *dy);
/* From the forces that stand to accelerations, with the first `touches` of those that press. */
void spatial_equation_accelerate(struct spatial_constraint *c, double ahead, int touches);
/* A row's acceleration by those of its bodies. */
double spatial_equation_acceleration_of(const struct spatial_constraint *c, const struct row *row);
/* The mass that a force along a row moves, joints apart, kg or kg m^2. */
double spatial_equation_row_mass(const struct spatial_constraint *c, const struct row *row);
/* Makes the rows of joints that are listed ready for spatial_equation_respond(). */
void spatial_equation_factor_joints(struct spatial_constraint *c);
/* Accelerations become those by a unit force along a row alone, and what joints add to stay closed;
 * or velocities, by an impulse. */
void spatial_equation_respond(struct spatial_constraint *c, struct row *row);
/* Closes loops, with the prescribed motions at their start, by small motions of all bodies: places,
 * then velocities, each time with the least change in the sense of its energy. Where that is
 * impossible it comes as near as it can. */
void spatial_equation_close(struct spatial_constraint *c);
/* The inertia of each freedom at birth while nothing else holds the body. */
void spatial_equation_weigh_freedoms(struct spatial_constraint *c);

/* ---- spatial_impulses.c */

/* Impulses on all of found[] that touches; velocities in y change. Returns 1 if they have no
 * solution, and changes nothing then. */
int spatial_impulses_collide(struct spatial_constraint *c, double ahead);
/* Finds which of found[] press, and whether they stick or slide. Returns 1 if that has no
 * solution. */
int spatial_impulses_choose_modes(struct spatial_constraint *c, double ahead);
/* A step of first order with impulses: y moves on by h. Returns 1 if they have no solution. */
int spatial_impulses_step(struct spatial_constraint *c, double ahead, double h);
/* A step of a body at rest whose boxes overlap, no faster than this: the least motion that parts
 * them, in the sense of its energy. Joints are no longer closed then. */
void spatial_impulses_part(struct spatial_constraint *c, double speed_m_s);
/* Books an impulse of a touch, in the world. */
void spatial_impulses_mark(struct spatial_constraint *c, const struct touch *t,
                           struct vec3 impulse);

#endif
