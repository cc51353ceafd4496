/* The common workload in space for several physics engines: what a scene is, and what an engine
 * must do with it. As peers.h for the plane; bench_space_peers.c measures. Also C++.
 *
 * y up, right-handed axes, SI units. Quaternions (w, x, y, z), body to world. Joint i joins body
 * i + 1 - (joints == bodies) to its parent. */
#ifndef BENCH_PEERS_SPACE_PEERS_H
#define BENCH_PEERS_SPACE_PEERS_H

#include "bench/peers/engine.h"

enum { PEER_BODIES_MAX = 9 };

#define PEER_FRICTION  0.8
#define PEER_LIMIT_RAD 1.2

struct peer_body {
    double at_m[3], turn[4];
    double size_m[3]; /* 0: touches nothing */
    double mass_kg, inertia_kg_m2[3];
    double v_m_s[3], w_rad_s[3]; /* of the centre; both in the world */
};

/* How many angles: axis1 is fixed in the parent, axis2 in the child, both as they are in the world
 * at the start. */
enum peer_joint_kind { PEER_HINGE = 1, PEER_UNIVERSAL, PEER_BALL };

struct peer_joint {
    enum peer_joint_kind kind;
    int parent, child; /* bodies; parent -1: the world */
    double at_m[3], axes[2][3];
    double amplitude_rad[2], phase_rad[2], kv_n_m_s[2]; /* of the servos, at 1 Hz */
};

struct peer_scene {
    struct peer_body bodies[PEER_BODIES_MAX];
    struct peer_joint joints[PEER_BODIES_MAX];
    int body_count, joint_count;
    int has_ground, has_limits, has_motors;
    double gravity_m_s2, torque_max_n_m;
};

struct peer_state {
    double at_m[3], turn[4], v_m_s[3], w_rad_s[3];
};

/* The servo of an angle; for engines that take torques, at the start of the step. */
static inline double space_peer_torque(const struct peer_scene *scene, int joint, int axis,
                                       double target, double rate, double angle, double angle_rate)
{
    double most = scene->torque_max_n_m;
    double torque =
        scene->joints[joint].kv_n_m_s[axis] * (10 * (target - angle) + rate - angle_rate);
    return torque > most ? most : torque < -most ? -most : torque;
}

/* ---- turns, for all engines ---- */

static inline void space_peer_rotate(const double *q, const double *v, double *to)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]);
    double tz = 2 * (x * v[1] - y * v[0]);
    to[0] = v[0] + w * tx + y * tz - z * ty;
    to[1] = v[1] + w * ty + z * tx - x * tz;
    to[2] = v[2] + w * tz + x * ty - y * tx;
}

/* In the body's axes. */
static inline void space_peer_rotate_back(const double *q, const double *v, double *to)
{
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    space_peer_rotate(back, v, to);
}

static inline void space_peer_multiply(const double *a, const double *b, double *to)
{
    to[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    to[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    to[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    to[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* b as a sees it: a^-1 b. */
static inline void space_peer_relative(const double *a, const double *b, double *to)
{
    const double back[4] = {a[0], -a[1], -a[2], -a[3]};
    space_peer_multiply(back, b, to);
}

static inline double space_peer_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The joint that carries a body, or -1. */
static inline int space_peer_joint_of(const struct peer_scene *scene, int body)
{
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].child == body)
            return i;
    return -1;
}

/* A joint's angular velocity at the start, in the world. */
static inline void space_peer_spin(const struct peer_scene *scene, int joint, double *w)
{
    const struct peer_joint *j = &scene->joints[joint];
    for (int k = 0; k < 3; k++)
        w[k] = scene->bodies[j->child].w_rad_s[k] -
               (j->parent < 0 ? 0 : scene->bodies[j->parent].w_rad_s[k]);
}

#ifdef __cplusplus
extern "C" {
#endif
extern const struct peer_engine space_peer_bestiary, space_peer_bestiary_midpoint;
extern const struct peer_engine space_peer_mujoco_euler, space_peer_mujoco_rk4;
extern const struct peer_engine space_peer_bullet;
extern const struct peer_engine space_peer_box3d, space_peer_box3d_one;
extern const struct peer_engine space_peer_ode_quick, space_peer_ode_exact;
#ifdef __cplusplus
}
#endif

#endif
