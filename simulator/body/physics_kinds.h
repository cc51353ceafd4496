/* The rows that the table of kinds is made of; for the table and the kinds' own folders. */
#ifndef SIMULATOR_BODY_PHYSICS_KINDS_H
#define SIMULATOR_BODY_PHYSICS_KINDS_H

#include "simulator/body/physics.h"

extern const struct body_physics physics_rectangles, physics_spheres, physics_boxes;

#endif
