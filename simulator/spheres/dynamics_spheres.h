/* What the dynamics of spheres and bones know beyond dynamics.h: the third dimension, spin, bones.
 *
 * All calls are for dynamics made of a phenotype with spheres. The planar calls of dynamics.h work, too:
 * they show the x-y plane. dynamics_set_target() takes the number of a drive for the link: the length, m,
 * or angle, rad, that it asks for. */
#ifndef SIMULATOR_DYNAMICS_SPHERES_H
#define SIMULATOR_DYNAMICS_SPHERES_H

#include "simulator/body/dynamics.h"
#include "common/body/sphere_body.h"

struct sphere_state {
    struct vec3 at_m, velocity_m_s, spin_rad_s;
};

void dynamics_sphere_state(const struct dynamics *dynamics, int sphere, struct sphere_state *state);
/* Puts a sphere; contacts and warm starts are forgotten. */
void dynamics_set_sphere_state(struct dynamics *dynamics, int sphere,
                               const struct sphere_state *state);
/* Moves the whole body. */
void dynamics_shift_spheres(struct dynamics *dynamics, struct vec3 by_m);
/* Length of a bone and its rate. */
void dynamics_bone_state(const struct dynamics *dynamics, int bone, double *length_m,
                         double *rate_m_s);
/* Force along a bone in the last step, N: positive when it pushes its spheres apart. */
double dynamics_bone_force(const struct dynamics *dynamics, int bone);
/* Angle of a joint about its axis 0 or 1 since birth, rad, and its rate; balls: axis 0, the angle from where
 * the bone was at birth. */
void dynamics_sphere_joint_state(const struct dynamics *dynamics, int joint, int axis,
                                 double *angle_rad, double *rate_rad_s);
/* Substeps in a step; contacts are those of the last. */
int dynamics_sphere_substeps(const struct dynamics *dynamics);
/* 1 if the sphere touched ground, obstacle or another sphere in the last step. */
int dynamics_sphere_touches(const struct dynamics *dynamics, int sphere);
struct vec3 dynamics_centre_of_mass_3d(const struct dynamics *dynamics);
/* Linear momentum, and angular momentum about the world's origin. */
void dynamics_momentum_3d(const struct dynamics *dynamics, struct vec3 *linear,
                          struct vec3 *angular);
/* Bounds of all spheres. */
void dynamics_bounds_3d(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high);

#endif
