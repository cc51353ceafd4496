/* The two bodies of the fixed workloads, C5 and C12, and their gaits, as numbers alone: what any
 * physics engine can build. Plain enough for C++, because other engines are measured with them,
 * too.
 *
 * World coordinates at the start, angle 0, the feet 1 m above the ground y = 0. Body 0 is the
 * root; joint i joins body i + 1 to its parent. Hinges; parent and child do not collide, all other
 * pairs do. */
#ifndef TESTS_BENCH_FIXED_H
#define TESTS_BENCH_FIXED_H

#define FIXED_TWO_PI        6.28318530717958647692
#define FIXED_DENSITY_KG_M2 1.0
#define FIXED_STRENGTH_N_M  5.0
#define FIXED_LIMIT_RAD     1.2
#define FIXED_AMPLITUDE_RAD 0.8
#define FIXED_FREQUENCY_HZ  1.0
#define FIXED_FRICTION      0.8
#define FIXED_GRAVITY_M_S2  9.81
enum { FIXED_BODIES_MAX = 16, FIXED_GAITS = 16, FIXED_SECONDS = 10 };

struct fixed_body {
    double x_m, y_m, width_m, height_m;
};
struct fixed_joint {
    int parent;
    double x_m, y_m, phase_rad;
};
struct fixed_creature {
    const struct fixed_body *bodies;
    const struct fixed_joint *joints;
    int body_count;
};

/* A torso with two legs of two segments. */
static const struct fixed_body fixed_c5_bodies[] = {
    {0, 2, 1, 0.4},         {-0.5, 1.75, 0.15, 0.5}, {-0.5, 1.25, 0.15, 0.5},
    {0.5, 1.75, 0.15, 0.5}, {0.5, 1.25, 0.15, 0.5},
};
static const struct fixed_joint fixed_c5_joints[] = {
    {0, -0.5, 2, 0},
    {1, -0.5, 1.5, FIXED_TWO_PI / 4},
    {0, 0.5, 2, FIXED_TWO_PI / 2},
    {3, 0.5, 1.5, FIXED_TWO_PI * 3 / 4},
};
static const struct fixed_creature fixed_c5 = {fixed_c5_bodies, fixed_c5_joints, 5};

/* A spine of four with four legs of two segments. */
static const struct fixed_body fixed_c12_bodies[] = {
    {-0.9, 1.95, 0.6, 0.3}, {-0.3, 1.95, 0.6, 0.3}, {0.3, 1.95, 0.6, 0.3},  {0.9, 1.95, 0.6, 0.3},
    {-0.9, 1.6, 0.12, 0.4}, {-0.9, 1.2, 0.12, 0.4}, {-0.3, 1.6, 0.12, 0.4}, {-0.3, 1.2, 0.12, 0.4},
    {0.3, 1.6, 0.12, 0.4},  {0.3, 1.2, 0.12, 0.4},  {0.9, 1.6, 0.12, 0.4},  {0.9, 1.2, 0.12, 0.4},
};
static const struct fixed_joint fixed_c12_joints[] = {
    {0, -0.6, 1.95, 0},
    {1, 0, 1.95, FIXED_TWO_PI / 4},
    {2, 0.6, 1.95, FIXED_TWO_PI * 2 / 4},
    {0, -0.9, 1.8, FIXED_TWO_PI * 3 / 4},
    {4, -0.9, 1.4, FIXED_TWO_PI * 4 / 4},
    {1, -0.3, 1.8, FIXED_TWO_PI * 5 / 4},
    {6, -0.3, 1.4, FIXED_TWO_PI * 6 / 4},
    {2, 0.3, 1.8, FIXED_TWO_PI * 7 / 4},
    {8, 0.3, 1.4, FIXED_TWO_PI * 8 / 4},
    {3, 0.9, 1.8, FIXED_TWO_PI * 9 / 4},
    {10, 0.9, 1.4, FIXED_TWO_PI * 10 / 4},
};
static const struct fixed_creature fixed_c12 = {fixed_c12_bodies, fixed_c12_joints, 12};

/* The angle at which the target's sine of a joint (0: the first) is at a time. */
static inline double fixed_phase(const struct fixed_creature *creature, int gait, int joint,
                                 double t_s)
{
    return FIXED_TWO_PI * (FIXED_FREQUENCY_HZ * t_s + gait * joint / (double)FIXED_GAITS) +
           creature->joints[joint].phase_rad;
}

#endif
