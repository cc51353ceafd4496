/* What all bodies feel alike whose parts have faces (enum face). For the physics of their kinds. */
#ifndef SIMULATOR_BODY_FACES_H
#define SIMULATOR_BODY_FACES_H

#include "simulator/body/physics.h"

/* What an accelerometer reads of that many times standard gravity: within a bound, since impacts
 * are sharp. */
double faces_bound_acceleration(double value);

/* A vector of the world in the axes of a part's genes. */
typedef struct vec3 faces_to_genes(const struct senses *senses, const struct dynamics *dynamics,
                                   int part, struct vec3 v);

/* The contact sensors of the first `count` faces of all parts: 1 where a face looks against the
 * normal of a contact within 60 degrees, else -1. Not the face that is nearest to the point counts,
 * since the corners that something stands on are as near to others. */
void faces_feel_contacts(struct senses *senses, const struct dynamics *dynamics, int count,
                         faces_to_genes *to_genes);

#endif
