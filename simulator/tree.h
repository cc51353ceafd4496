/* A tree of links in the plane: kinematics and the articulated-body algorithm in joint coordinates.
 *
 * Featherstone's algorithm (Rigid Body Dynamics Algorithms, 2008, table 7.1) in planar 3-vectors:
 * motion (w, vx, vy) and force (n, fx, fy), all in world axes about one point, the root link's
 * origin. That choice needs no coordinate transforms between links. S = (1, p.y, -p.x) for a hinge at
 * p, (0, axis) for a linear joint. O(links) per call, 2 to 16 links, some 130 flops a link; nothing is allocated after
 * tree_create(). */
#ifndef SIMULATOR_TREE_H
#define SIMULATOR_TREE_H

#include "simulator/phenotype.h"

/* Planar spatial vectors and symmetric tensors, about the root's origin. */
struct motion {
    double w, x, y;
};
struct force {
    double n, x, y;
};
struct tensor {
    double nn, nx, ny, xx, xy, yy;
};

struct tree_link {
    /* constant */
    int parent;
    int is_linear;           /* the joint slides along (axis_x, axis_y) of the parent's frame */
    double joint_x, joint_y; /* joint in the parent's frame; linear: at extension 0 */
    double axis_x, axis_y;
    double centre_x, centre_y; /* centre of mass in the own frame */
    double mass, inertia;      /* inertia about the centre of mass */
    struct tensor drag;        /* linear drag about the link's origin, in its frame */
    /* pose: tree_set_pose() */
    double angle, cos, sin;
    double px, py;   /* joint, relative to the root's origin */
    double cx, cy;   /* centre of mass, likewise */
    struct motion s; /* the joint's direction: velocity of the link is that of its parent + s qd */
    /* velocity: tree_set_velocity() */
    struct motion v;
    /* a joint whose acceleration is given, 0 where is_driven is not set; for scenes */
    int is_driven;
    double drive;
    /* scratch of the last tree_accelerate() */
    struct motion v_start; /* at this pose, of the rates at the start of the step */
    struct motion bias;    /* acceleration without joint accelerations, see tree.c */
    struct motion a;
    struct tensor world_drag;
    struct tensor ia;
    struct force pa;
    double cbx, cby;
    double un, ux, uy, d, u;
    /* factors of the plain mass matrix: tree_factor() */
    double fn, fx, fy, fd;
};

struct tree {
    struct tree_link *links;
    int count;
    int dof; /* 2 + count */
    int has_drag;
    int is_root_fixed; /* links[0] stays where it is: its rates must be 0 */
    double gravity_x;  /* to the right, m/s^2 */
    double mass;
    double root_x, root_y; /* position of the root's origin */
    struct tensor root_ia; /* of the last factorisation */
};

/* Takes everything from the arena; ERR_MEMORY when it is full. viscosity in Pa s, see world.h. */
int tree_create(struct tree *tree, const struct phenotype *phenotype, double viscosity_pa_s,
                struct arena *arena);
/* Computes the links' drag tensors anew for another viscosity. */
void tree_set_viscosity(struct tree *tree, const struct phenotype *phenotype,
                        double viscosity_pa_s);

/* Angles, positions of joints and centres of mass from q (layout in dynamics.h). */
void tree_set_pose(struct tree *tree, const double *q);
/* Velocities v of all links from qd, at the pose. */
void tree_set_velocity(struct tree *tree, const double *qd);
/* Velocities of all links at the pose for other rates, into v_start. */
void tree_set_start_velocity(struct tree *tree, const double *qd);

/* Accelerations qdd under joint torques (linear joints: forces) tau (index 2 + link; root entries unused), gravity and drag.
 *
 * half_step = 0: drag acts with the velocity v. half_step = h/2: drag acts with the mean velocity of
 * the step, v_start + half_step * qdd (implicit, unconditionally stable), and extra_d[i] is added to
 * the joint's articulated inertia for implicit servos. */
void tree_accelerate(struct tree *tree, const double *tau, const double *extra_d,
                     double gravity_m_s2, double half_step, double *qdd);

/* Torque or force that the last tree_accelerate() needed at a driven joint. */
double tree_drive_effort(const struct tree *tree, int link);

/* Power or impulse of the drag in the last tree_accelerate(): sum over links of F . V, where V comes
 * from the rates given (velocities at the same pose). Negative. */
double tree_drag_power(struct tree *tree, const double *qd, double half_step);

/* Factors the plain mass matrix at the pose, for tree_impulse(). */
void tree_factor(struct tree *tree);

/* Velocity change under a spatial impulse on link a, its opposite on link b (-1: none), and a unit
 * impulse times joint_impulse along joint `joint` (-1: none). Writes dqd[dof] and the links' dv[count]. */
void tree_impulse(const struct tree *tree, struct force impulse, int a, int b, int joint,
                  double joint_impulse, double *dqd, struct motion *dv);

/* At the pose and velocity. */
double tree_kinetic_energy(const struct tree *tree);
double tree_potential_energy(const struct tree *tree, double gravity_m_s2);

#endif
