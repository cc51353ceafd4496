/* What moves in the plane, read as the tests of rectangles compare it. */
#ifndef TESTS_READOUT_H
#define TESTS_READOUT_H

#include "simulator/body/dynamics.h"

/* Linear momentum along x and y, angular momentum about z. */
static inline void read_momentum(const struct dynamics *dynamics, double momentum[3])
{
    struct vec3 linear, angular;
    dynamics_momentum(dynamics, &linear, &angular);
    momentum[0] = linear.x;
    momentum[1] = linear.y;
    momentum[2] = angular.z;
}

/* Min x, min y, max x, max y. */
static inline void read_bounds(const struct dynamics *dynamics, double bounds[4])
{
    struct vec3 low, high;
    dynamics_bounds(dynamics, &low, &high);
    bounds[0] = low.x;
    bounds[1] = low.y;
    bounds[2] = high.x;
    bounds[3] = high.y;
}

/* Torque, N m, or force, N, of a joint's effector in the last step. */
static inline double read_effort(const struct dynamics *dynamics, int drive)
{
    struct drive_state state;
    dynamics_drive_state(dynamics, drive, &state);
    return state.effort;
}

#endif
