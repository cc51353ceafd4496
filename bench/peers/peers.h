/* The common workload for several physics engines: what a scene is, and what an engine must do
 * with it. Each engine is one file, peer_ENGINE; bench_peers.c measures them in turns. Also C++.
 *
 * All bodies start with angle 0. Joint i joins body i + 1 - hangs_on_world to its parent. */
#ifndef BENCH_PEERS_PEERS_H
#define BENCH_PEERS_PEERS_H

#include "tests/bench/fixed.h"
#include "bench/peers/engine.h"

enum { PEER_BODIES_MAX = FIXED_BODIES_MAX };

struct peer_body {
    double x_m, y_m;          /* centre of mass at the start */
    double width_m, height_m; /* 0: touches nothing */
    double mass_kg, inertia_kg_m2;
    double vx_m_s, vy_m_s, omega_rad_s;
};
struct peer_joint {
    int parent, child; /* bodies; parent -1: the world */
    double x_m, y_m;
};
struct peer_scene {
    const struct fixed_creature *creature; /* of joints with motors, as is the gait */
    int gait;
    struct peer_body bodies[PEER_BODIES_MAX];
    struct peer_joint joints[PEER_BODIES_MAX];
    int body_count, joint_count;
    int has_ground, has_limits, has_motors; /* friction, limits and strength: fixed.h */
    double gravity_m_s2;
};

struct peer_state {
    double x_m, y_m, angle_rad, vx_m_s, vy_m_s, omega_rad_s; /* of the centre of mass */
};

/* Each engine follows the targets by its own means, with at most FIXED_STRENGTH_N_M: how fast a
 * joint is to turn, for engines whose motors take a speed. */
static inline double peer_motor_speed(double target, double rate, double angle)
{
    return 10 * (target - angle) + rate;
}

#ifdef __cplusplus
extern "C" {
#endif
extern const struct peer_engine peer_bestiary, peer_bestiary_midpoint;
extern const struct peer_engine peer_box2d, peer_chipmunk, peer_ode;
extern const struct peer_engine peer_mujoco_euler, peer_mujoco_rk4;
#ifdef __cplusplus
}
#endif

#endif
