/* The senses of all bodies whose parts have faces (enum face). For the physics of their kinds. */
#ifndef SIMULATOR_BODY_FACE_SENSES_H
#define SIMULATOR_BODY_FACE_SENSES_H

#include "simulator/body/physics.h"

/* The reading of an accelerometer at that many times standard gravity: within a bound, since
 * impacts are sharp. */
double face_senses_bound_acceleration(double value);

/* A vector of the world in the axes of a part's genes. */
typedef struct vec3 face_senses_to_genes(const struct senses *senses,
                                         const struct dynamics *dynamics, int part, struct vec3 v);

/* The senses of a kind with faces besides contacts; of bodies in the plane and in space. */
struct face_senses_feeling {
    int count; /* of faces */
    face_senses_to_genes *to_genes;
    void (*feel_acceleration)(struct senses *senses, const struct dynamics *dynamics,
                              const struct surroundings *around);
    void (*see)(struct senses *senses, const struct dynamics *dynamics,
                const struct surroundings *around, int sight);
};
/* A sight from a place: a way to it that has this length, and its level. */
struct ray {
    struct vec3 way;
    double length, level;
};
struct ray face_senses_ray(const struct surroundings *around, int sight, struct vec3 place);

/* Contacts, accelerations and sights, as far as they are switched on. */
void face_senses_feel(const struct face_senses_feeling *feeling, struct senses *senses,
                      const struct dynamics *dynamics, const struct surroundings *around);

#endif
