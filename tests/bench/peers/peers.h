/* The common workload for several physics engines: what a scene is, and what an engine must do with it.
 * Each engine is one file, peer_ENGINE, behind this table; bench_peers.c measures them in turns. Also C++.
 *
 * All bodies start with angle 0. Joint i joins body i + 1 - hangs_on_world to its parent. */
#ifndef TESTS_BENCH_PEERS_PEERS_H
#define TESTS_BENCH_PEERS_PEERS_H

#include "tests/bench/fixed.h"

enum { PEER_BODIES_MAX = FIXED_BODIES_MAX, PEER_TICKS_HZ = 60 };

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
    struct peer_body bodies[PEER_BODIES_MAX];
    struct peer_joint joints[PEER_BODIES_MAX];
    int body_count, joint_count;
    int has_ground, has_limits, has_motors; /* friction, limits and strength: fixed.h */
    double gravity_m_s2;
};

struct peer_state {
    double x_m, y_m, angle_rad, vx_m_s, vy_m_s, omega_rad_s; /* of the centre of mass */
};

struct peer_engine {
    const char *name;
    const char *setting; /* what else there is to choose; "" if nothing */
    const char *(*version)(void);
    /* 1 / hz: the step. NULL: no memory. */
    void *(*create)(const struct peer_scene *scene, double hz);
    /* One step. Targets of the joints' angles and their rates at the start of the step, when there are
     * motors: each engine follows them by its own means, with at most FIXED_STRENGTH_N_M. */
    void (*step)(void *world, const double *targets, const double *rates);
    void (*read)(void *world, struct peer_state *states);
    void (*destroy)(void *world);
};

/* How fast a joint is to turn, for engines whose motors take a speed. */
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
