/* A tree of links in the plane: kinematics and the articulated-body algorithm in joint coordinates.
 *
 * Featherstone's algorithm (Rigid Body Dynamics Algorithms, 2008, chapter 7) with every link's
 * reference point at its own joint, in world axes: a child hands true accelerations and forces at
 * the joint to its parent. Inertias about the joint do not depend on the pose, and a hinge passes
 * no more than a force and a known torque on, so of the six numbers of the articulated inertia only
 * the three of its forces go down the tree, unless a servo or drag is implicit. Velocities enter
 * through w^2 alone. About 130 flops and one division a link with sine and cosine.
 *
 * 2 to 16 links, O(links) per call; nothing is allocated after tree_create(). */
#ifndef SIMULATOR_PLANAR_TREE_TREE_H
#define SIMULATOR_PLANAR_TREE_TREE_H

#include <stddef.h>

#include "common/growth/body.h"
#include "common/growth/phenotype.h"

/* A motion is an angular velocity and the velocity of a point, a force a moment about that point
 * and a force, a tensor maps one to the other. */
struct motion {
    double w, x, y;
};
struct force {
    double n, x, y;
};
struct tensor {
    double nn, nx, ny, xx, xy, yy;
};

/* Adds `share` of a tensor. */
static inline void tensor_add(struct tensor *to, const struct tensor *t, double share)
{
    to->nn += share * t->nn;
    to->nx += share * t->nx;
    to->ny += share * t->ny;
    to->xx += share * t->xx;
    to->xy += share * t->xy;
    to->yy += share * t->yy;
}

/* Two tensors, number beside number. */
struct tensor_pair {
    double nn[2], nx[2], ny[2], xx[2], xy[2], yy[2];
};

/* A link. Its origin is its joint; of two fields x, y the names differ in that letter alone. SI
 * units; the world's axes, but where a frame is named. Fields named `across` are turned by a right
 * angle, (-y, x). Letters that stand alone are those of the equations in tree_accelerate.c:
 *
 *   r         m        from the parent's origin to the own
 *   h         kg m     mass times the centre of mass from the origin
 *   s                  of a linear joint: its axis, a unit
 *   p         m        the origin, from the root's origin
 *   b         m/s^2    acceleration of the origin against the parent's, without angular ones
 *   ia, pa             articulated inertia (X, n, J) and bias force (p, pn)
 *   g                  1 / (J + e) of a hinge, 1 / (s.X s + e) of a linear joint
 *   k                  of a hinge n; of a linear joint U = X s, and kn = n.s
 *   u, un              ux, uy, un: g k; u alone: g (tau - pn) of a hinge, g (tau - p.s) of a linear
 *                      joint: its acceleration on a parent at rest; or the acceleration given
 *   share              e g of a hinge, which implicit servos hold back; 1 where it is given
 *   a         m/s^2    acceleration of the origin, seen from free fall
 *   f, inverse         as g k and g, of the plain mass matrix (e = 0): tree_factor()
 *
 * A link that stretches has k = U and g = 1 / (D + e) of its struct tree_stretch. */
struct tree_link {
    /* constant */
    struct tree_link *up; /* the parent; of the root NULL */
    int index, parent;
    int is_linear;           /* the joint slides along the axis */
    double joint_x, joint_y; /* parent's frame: the joint; linear: at extension 0 */
    double joint_across_x, joint_across_y;
    double axis_x, axis_y;     /* parent's frame */
    double moment_x, moment_y; /* own frame: mass times the centre of mass */
    double moment_across_x, moment_across_y;
    double mass;
    double inertia; /* about the origin */
    /* pose: tree_set_pose() */
    double angle, cos, sin;
    double rx, ry;
    double across_x, across_y; /* of r */
    double hx, hy;
    double sx, sy;
    double px, py;
    /* velocity: tree_set_velocity() */
    struct motion velocity;       /* of the origin */
    double rate;                  /* of a linear joint, or of a stretch */
    struct tree_stretch *stretch; /* NULL: the link is rigid */
    /* of scenes, a joint whose acceleration is given: tree_set_driven(); else 0 */
    int is_driven;
    double drive;
    /* of the last tree_accelerate(); turn: velocity.w^2 */
    double bx, by, turn;
    struct tensor ia;
    struct force pa;
    struct tensor_pair
        twins; /* instead of ia: with implicit servos, and of the plain mass matrix */
    double un, ux, uy, u, share;
    double g, kn, kx, ky;
    struct tensor handed; /* inertia that the parent gets */
    struct motion a;
    struct motion start;      /* velocity at this pose for the rates at the start of the step */
    struct motion bias;       /* the part of `a` that does not come from accelerations of joints */
    struct tensor world_drag; /* about the origin */
    struct force drag_force;  /* explicit drag: minus the force */
    struct tensor drag;       /* own frame, about the origin */
    double fn, fx, fy, inverse;
    /* constant, seldom used */
    double centre_x, centre_y; /* own frame: centre of mass */
    double own_inertia;        /* about it */
    /* where the parent stretches: the joint at birth, in its frame; the joint from its origin, and
     * how far that moves with its stretch, both in the world's axes */
    double birth_x, birth_y;
    double out_x, out_y;
    double drift_x, drift_y;
};

/* A force on a link that stretches and what of it acts on the stretch, D; or a column of such a
 * link's tensor, for the rate of the stretch. */
struct tree_column {
    double n, x, y, d;
};

/* The further state of a link that stretches, see tree_stretch.c. A point r from the origin is
 * moved by its stretch along J r, r mirrored in the line along the width. */
struct tree_stretch {
    /* constant, own frame */
    double axis_x, axis_y;     /* along the width, a unit */
    double centre_x, centre_y; /* centre of mass at birth */
    double birth_half_width, birth_half_height;
    /* pose */
    double grow, shrink; /* exp(e), exp(-e) */
    double half_width, half_height;
    double hx, hy; /* J h */
    double n;      /* moment of m J c about the origin, c: the centre of mass from there */
    double slope;  /* half the change of the inertia about the origin with e */
    /* of the last tree_accelerate() or tree_factor(): U and D of all it carries, and the bias */
    struct tree_column sum;
    double bias;
    double acceleration;
    double start_rate;             /* that belongs to `start` */
    struct tree_column drag;       /* own frame, about the origin: see drag.h */
    struct tree_column world_drag; /* the same in the world's axes */
    double drag_force;             /* explicit drag on the stretch: minus that */
    struct tree_column dragged;    /* scratch of tree_drag_power() */
};

/* Fields that XY() of pair.h takes as one stand side by side. */
#define FOLLOWS(of, first, second)                                                                 \
    _Static_assert(offsetof(struct of, second) == offsetof(struct of, first) + sizeof(double),     \
                   #second " comes right after " #first)
FOLLOWS(motion, x, y);
FOLLOWS(force, x, y);
FOLLOWS(tensor, nx, ny);
FOLLOWS(tensor, xx, xy);
FOLLOWS(tree_link, joint_x, joint_y);
FOLLOWS(tree_link, joint_across_x, joint_across_y);
FOLLOWS(tree_link, axis_x, axis_y);
FOLLOWS(tree_link, moment_x, moment_y);
FOLLOWS(tree_link, moment_across_x, moment_across_y);
FOLLOWS(tree_link, cos, sin);
FOLLOWS(tree_link, rx, ry);
FOLLOWS(tree_link, across_x, across_y);
FOLLOWS(tree_link, hx, hy);
FOLLOWS(tree_link, sx, sy);
FOLLOWS(tree_link, px, py);
FOLLOWS(tree_link, bx, by);
FOLLOWS(tree_link, ux, uy);
FOLLOWS(tree_link, kx, ky);
FOLLOWS(tree_link, fx, fy);
FOLLOWS(tree_link, centre_x, centre_y);
FOLLOWS(tree_link, birth_x, birth_y);
FOLLOWS(tree_link, out_x, out_y);
FOLLOWS(tree_link, drift_x, drift_y);
FOLLOWS(tree_column, x, y);
FOLLOWS(tree_stretch, axis_x, axis_y);
FOLLOWS(tree_stretch, centre_x, centre_y);
FOLLOWS(tree_stretch, hx, hy);

/* The inverse of a tensor. */
struct solver {
    double det, inverse_det, inverse_all;
    double kx, ky;
    struct tensor t;
};

/* Solves the symmetric, positive definite t a = f: forces first, since their block is close to the
 * total mass; two divisions that do not wait for one another. */
static inline void solver_init(struct solver *s, const struct tensor *t)
{
    s->t = (struct tensor){t->nn, t->nx, t->ny, t->xx, t->xy, t->yy};
    s->det = t->xx * t->yy - t->xy * t->xy;
    s->kx = t->yy * t->nx - t->xy * t->ny;
    s->ky = t->xx * t->ny - t->xy * t->nx;
    s->inverse_all = 1 / (t->nn * s->det - (t->nx * s->kx + t->ny * s->ky));
    s->inverse_det = 1 / s->det;
}

static inline struct motion solver_solve(const struct solver *s, struct force f)
{
    const struct tensor *t = &s->t;
    double w = (f.n * s->det - (f.x * s->kx + f.y * s->ky)) * s->inverse_all;
    double x = f.x - t->nx * w, y = f.y - t->ny * w;
    return (struct motion){w, (t->yy * x - t->xy * y) * s->inverse_det,
                           (t->xx * y - t->xy * x) * s->inverse_det};
}

struct tree {
    struct tree_link *links;
    struct tree_link **order; /* from the root outward, see tree.c */
    int *parents;             /* of the links, once more */
    int count;
    int dof; /* 2 + count */
    int has_drag;
    int are_hinges;    /* all joints, and their accelerations are not given; no link stretches */
    int is_root_fixed; /* links[0] stays where it is: its rates must be 0 */
    double gravity_x;  /* to the right, m/s^2 */
    double mass;
    double root_x, root_y;         /* position of the root's origin */
    double *angle, *sine, *cosine; /* of the links, for sines and cosines in one go */
    double *base_angle, *base_sine, *base_cosine; /* from which tree_turn() turns them */
    int has_base;
    int is_factored; /* tree_accelerate() has found the factors of the plain mass matrix, too */
    struct motion *change;   /* scratch of tree_respond() */
    struct solver root;      /* of the last tree_factor() */
    struct solver free_root; /* of the last tree_accelerate() */
};
FOLLOWS(solver, kx, ky);
FOLLOWS(tree, root_x, root_y);

/* A tree whose links are not in order, or are not placed, is a bug. */
void tree_check(const struct tree *tree);
/* Takes everything from the arena; ERR_MEMORY when it is full. viscosity in Pa s, see world.h. Of
 * links that stretch the drag is to be set at each pose. */
int tree_create(struct tree *tree, const struct phenotype *phenotype, double viscosity_pa_s,
                struct arena *arena);
/* Computes the links' drag tensors anew for another viscosity. */
void tree_set_viscosity(struct tree *tree, const struct phenotype *phenotype,
                        double viscosity_pa_s);

void tree_set_driven(struct tree *tree, int link, int is_driven);

/* Angles, positions of joints and centres of mass from q (layout in dynamics.h). */
void tree_set_pose(struct tree *tree, const double *q);
/* Sets the pose, and velocities from qd; cheaper where links have turned little since the last
 * time. The last bits depend on the poses before, back to the last tree_forget_turns(). */
void tree_turn(struct tree *tree, const double *q, const double *qd);
void tree_forget_turns(struct tree *tree);
/* Velocities of all links from qd, at the pose. */
void tree_set_velocity(struct tree *tree, const double *qd);
/* Velocities of all links at the pose for other rates, into `start`. */
void tree_set_start_velocity(struct tree *tree, const double *qd);

/* Accelerations qdd under joint torques (linear joints: forces) tau (index 2 + link; root entries
 * unused), gravity and drag.
 *
 * half_step = 0: drag acts with the velocity set. half_step = h/2: drag acts with the mean velocity
 * of the step, `start` + half_step * qdd (implicit, unconditionally stable), and extra[i] is added
 * to the joint's articulated inertia for implicit servos; explicit ones have none. */
void tree_accelerate(struct tree *tree, const double *tau, const double *extra, double gravity_m_s2,
                     double half_step, double *qdd);

/* Accelerations once more, for the velocities that are set now and other torques, at the pose and
 * with the `extra` of the last tree_accelerate(): inertias are not computed again. Without drag
 * only. */
void tree_accelerate_again(struct tree *tree, const double *tau, double gravity_m_s2, double *qdd);

/* Torque or force that the last tree_accelerate() needed at a driven joint. */
double tree_drive_effort(const struct tree *tree, int link);

/* Power or impulse of the drag in the last tree_accelerate(), with half_step > 0: sum over links of
 * F . V, where V comes from the rates given (velocities at the same pose). Negative. `sum`: all
 * forces, about the root's origin. */
double tree_drag_power(struct tree *tree, const double *qd, double half_step, struct force *sum);
/* The same for half_step = 0 and the velocity that is set. */
double tree_drag_power_now(const struct tree *tree, struct force *sum);

/* Factors the plain mass matrix at the pose: M = L' D L along the tree. */
void tree_factor(struct tree *tree);

/* Impulses as the factors see them, L^-T f: what each joint on the way to the root takes of one,
 * and what arrives there. */
struct tree_rows {
    int stride;     /* the links, made even */
    double *shares; /* rows x stride; 0 for joints that are not on the way */
    double *rates;  /* likewise: the shares times what each joint yields to one */
    /* per row: what arrives at the root, and what that alone would do to it */
    double *n, *x, *y, *response_w, *response_x, *response_y;
};
/* Takes so many rows from the arena, made even; ERR_MEMORY when it is full. */
int tree_create_rows(const struct tree *tree, struct tree_rows *rows, int count,
                     struct arena *arena);
/* Before the first rows, made even, are used again. */
void tree_clear_rows(struct tree_rows *rows, int count);
/* Rows that do not act on the tree. */
void tree_leave_rows(struct tree_rows *rows, int row, int count);
/* Two forces side by side: of a contact along its normal and along its tangent. stretch: what of
 * them acts on the stretch of their link; of no meaning where it has none. */
struct force_pair {
    double n[2], x[2], y[2], stretch[2];
};
/* Two impulses on link a, and two on link b (-1: none), moments about the links' origins, as the
 * row and the next one: both go the same way. */
void tree_carry(const struct tree *tree, int a, const struct force_pair *on_a, int b,
                const struct force_pair *on_b, struct tree_rows *rows, int row);
/* A unit impulse times `sign` along a joint. */
void tree_carry_joint(const struct tree *tree, int joint, double sign, struct tree_rows *rows,
                      int row);
/* f M^-1 g of the impulses of all pairs of the first `count` rows, symmetric to the bit, into lines
 * that are `stride` long: count made even, and there are as many lines. Between an odd number of
 * rows and the one beyond, which must have been cleared with them: 0. */
void tree_couple(const struct tree *tree, const struct tree_rows *rows, int count, int stride,
                 double *couplings);
/* How fast a joint gets by a unit impulse along it, after tree_factor(); uses the first row. */
double tree_joint_mobility(const struct tree *tree, int joint, struct tree_rows *rows);
/* The change of the rates: M^-1 of the impulse with these shares (per link) and this rest. */
void tree_respond(const struct tree *tree, const double *shares, struct force root, double *dqd);

/* Acceleration of a link's origin that neither those of joints nor gravity make, at the velocity of
 * the last tree_accelerate(). */
static inline struct vec2 tree_bias(const struct tree_link *l)
{
    struct vec2 sum = {0, 0};
    for (; l->up; l = l->up) {
        sum.x += l->bx;
        sum.y += l->by;
    }
    return sum;
}

/* How far the stretch of a link that has one moves a place, from its origin in the world's axes, by
 * its rate; and the velocity of that, 0 where the link is rigid. */
struct vec2 tree_stretch_way(const struct tree_link *link, struct vec2 at);
struct vec2 tree_drift(const struct tree_link *link, struct vec2 at);
/* Half the sides and the centre, in the link's frame, of the part of a link that stretches. */
struct tree_sides {
    double half_width, half_height;
    struct vec2 centre;
};
struct tree_sides tree_sides(const struct tree_link *link);

/* Centre of mass of a link, from the root's origin. */
static inline struct vec2 tree_centre(const struct tree_link *l)
{
    return (struct vec2){l->px + (l->cos * l->centre_x - l->sin * l->centre_y),
                         l->py + (l->sin * l->centre_x + l->cos * l->centre_y)};
}

static inline struct motion tree_centre_velocity(const struct tree_link *l)
{
    double x = l->cos * l->centre_x - l->sin * l->centre_y;
    double y = l->sin * l->centre_x + l->cos * l->centre_y;
    const struct motion *v = &l->velocity;
    struct vec2 drift = tree_drift(l, (struct vec2){x, y});
    return (struct motion){v->w, v->x - v->w * y + drift.x, v->y + v->w * x + drift.y};
}

/* A tree as if it were rigid for an instant, at the pose and velocity. */
struct tree_bulk {
    double centre_x, centre_y;     /* of mass, from the root's origin */
    double velocity_x, velocity_y; /* of it */
    double spin, inertia;          /* angular momentum and inertia about it */
};
struct tree_bulk tree_bulk(const struct tree *tree);
/* tree_turn() and tree_bulk() in one go. */
struct tree_bulk tree_move(struct tree *tree, const double *q, const double *qd);
/* At the pose and velocity, J; inner: the kinetic energy without that of the centre of mass. */
struct tree_energy {
    double kinetic, inner, potential;
};
struct tree_energy tree_energy(const struct tree *tree, double gravity_m_s2);
double tree_kinetic_energy(const struct tree *tree);

#endif
