/* Shared by the solvers of bodies in space: the front of their state, and what others read of it.
 * simulator/links/dynamics_space.h has it as functions of struct dynamics_solver. */
#ifndef SIMULATOR_LINKS_SPATIAL_STATE_H
#define SIMULATOR_LINKS_SPATIAL_STATE_H

#include "common/math/relief.h"
#include "simulator/body/dynamics.h"
#include "simulator/body/servo.h"
#include "simulator/links/spatial_drag.h"
#include "simulator/links/spatial_tree.h"

/* The surroundings of boxes: against ground and fixed boxes, and among themselves. */
struct spatial_surfaces {
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

/* The link of a box, or the world. */
static inline const struct spatial_tree_link *spatial_surfaces_link(const struct spatial_tree *tree,
                                                                    const struct body_box *box)
{
    return box->link < 0 ? &tree->world : &tree->links[box->link];
}
/* Tells `add` of all that may ever touch: a box that can move and the ground, CONTACT_GROUND, or the
 * fixed box of a number, CONTACT_OBSTACLE - number; and boxes a < b, but within a rigid piece and,
 * usually, where a joint joins their links. */
void spatial_surfaces_list(const struct spatial_surfaces *surfaces, const struct spatial_tree *tree,
                           const struct body_box *boxes, int box_count,
                           void (*add)(void *to, int a, int b), void *to);

struct spatial_world {
    struct vec3 gravity_m_s2;
    struct spatial_drag_law drag;
    struct spatial_surfaces surfaces;
};

/* The surroundings, as the solvers of bodies in space want them; all memory is the arena's.
 * ERR_MEMORY when the arena is full. */
int spatial_world_create(struct spatial_world *to, const unsigned char *meetings,
                         const struct world *world, struct arena *arena);
/* Sets what needs no memory of the world. The obstacles of creation stay, or all of them go. */
void spatial_world_set(struct spatial_world *to, const struct world *world);

struct spatial_state;
/* A solver's own: the tree at the present state, to be read; good until the next step. */
typedef const struct spatial_tree *spatial_tree_finder(struct spatial_state *s);

/* A body in motion: to be read. Functions change it. */
struct spatial_state {
    struct dynamics dynamics;
    spatial_tree_finder *find_tree;
    const struct phenotype *phenotype; /* NULL: parts and drives are not read */
    const struct body_box *boxes;
    int box_count;
    struct spatial_world world;
    struct dynamics_settings settings;
    const struct spatial_tree *form; /* its links and freedoms; the pose may be an old one */
    double *q, *qd;                  /* the state: coordinates and rates, see joint.h */
    /* per rate of struct dynamics: that of the tree, or -1 where nothing moves; NULL: the same */
    const int *rate_of;
    /* per rate: */
    int *link_of;
    struct servo *servos;
    double *torque;        /* torque or force that drives it, of the last step */
    double *birth_inertia; /* its inertia at birth while the whole floats, 1 / (M^-1)_ii */
    double law_residual;   /* how far contacts were off their law in the last step, m/s */
    /* what contacts, gravity and drag gave all bodies in the last step, about the world's origin,
     * to rounding, where it is known */
    struct impulse_sum given;
    int is_given;
};

/* The state of such dynamics, and its tree at the present pose; good until the next step. */
struct spatial_state *spatial_state_of(const struct dynamics *dynamics);
static inline const struct spatial_tree *spatial_state_tree(struct spatial_state *s)
{
    return s->find_tree(s);
}

/* For solvers: the front of a state whose links are those of `form`. ERR_MEMORY when the arena is
 * full. */
int spatial_state_init(struct spatial_state *s, const struct dynamics_solver *solver,
                       spatial_tree_finder *find_tree, const struct spatial_tree *form,
                       const struct dynamics_settings *settings, struct arena *arena);

/* The drive of a freedom, by the index of its rate. The servos of a ball have torques in the
 * child's axes; their targets are a rotation vector. */
void spatial_state_set_servo(struct spatial_state *s, int rate, const struct servo *servo);
/* An effector of that strength, N m or N, with gains for the inertia that the freedom feels at
 * birth. */
void spatial_state_set_effector(struct spatial_state *s, int rate, double strength);
/* How far the values of the freedoms of a link of `form` have still to go from q to their servos'
 * targets, `ahead` after the start of the step, and how these change. Targets of slides and turns
 * stay within the limits of `link`. The way of a ball is the turn to its target, in its own axes. */
void spatial_state_find_ways(const struct spatial_state *s, const struct spatial_tree_link *l,
                             const struct body_link *link, const double *q, double ahead,
                             double way[JOINT_RATES_MAX], double change[JOINT_RATES_MAX]);
/* The reading of a freedom: angle or length; of a ball a component of its rotation vector. */
double spatial_state_value(const struct spatial_state *s, int rate);

#endif
