/* The dynamics of spheres and bones beyond dynamics.h.
 *
 * All calls are for dynamics made of a phenotype with spheres. dynamics_set_target() and
 * dynamics_drive_state() take the number of a drive: a length, m, or angle, rad, is asked for and
 * read. */
#ifndef SIMULATOR_SPHERES_DYNAMICS_SPHERES_H
#define SIMULATOR_SPHERES_DYNAMICS_SPHERES_H

#include "common/growth/sphere_body.h"
#include "simulator/body/dynamics.h"

extern const struct dynamics_solver dynamics_spheres;

/* Puts a sphere; contacts and warm starts are forgotten. */
void dynamics_place_sphere(struct dynamics *dynamics, int sphere, const struct part_state *state);
/* Length of a bone and its rate. */
void dynamics_bone_state(const struct dynamics *dynamics, int bone, double *length_m,
                         double *rate_m_s);
/* Angle of a joint about its axis 0 or 1 since birth, rad, and its rate; balls: axis 0, the angle
 * from where the bone was at birth. */
void dynamics_sphere_joint_state(const struct dynamics *dynamics, int joint, int axis,
                                 double *angle_rad, double *rate_rad_s);
/* 1 if the sphere touched ground, obstacle or another sphere in the last step. */
int dynamics_sphere_touches(const struct dynamics *dynamics, int sphere);

#endif
