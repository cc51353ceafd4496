/* A creature's surroundings, in the form that the dynamics use; made from the world.*
 * parameters. */
#ifndef SIMULATOR_WORLD_WORLD_H
#define SIMULATOR_WORLD_WORLD_H

#include "common/params/obstacles.h"
#include "common/params/params.h"
#include "common/math/relief.h"
#include "common/math/solids.h"

struct world {
    double gravity_m_s2;         /* downwards */
    double gravity_x_m_s2;       /* to the right; scenes, and slopes of the exam */
    double gravity_z_m_s2;       /* out of the plane; slopes of the exam, in space */
    double viscosity_pa_s;       /* linear, per face: force per length and normal speed */
    int drag_law;                /* DRAG_LAW_* */
    double quadratic_drag_kg_m2; /* of that law: force per length and normal speed squared */
    double viscosity_pa_s_m, quadratic_drag_kg_m3; /* the same of boxes: force per area */
    int drag_faces;                                /* DRAG_FACES_* */
    int drag_exposure;                             /* covered and facing edges feel none */
    int has_ground;                                /* y = 0 and its relief, downwards */
    struct relief relief;
    double friction; /* between parts and the ground or an obstacle */
    double elasticity;
    double own_friction; /* between parts */
    double own_elasticity;
    struct obstacles obstacles;
    /* boxes that are turned in space, of scenes; they outlive the world */
    const struct solid *solids;
    int solid_count;
    double
        half_depth_m; /* of the obstacles, where there is a third dimension; infinite in a plane */
};

static inline struct vec3 world_gravity(const struct world *world)
{
    return (struct vec3){world->gravity_x_m_s2, -world->gravity_m_s2, world->gravity_z_m_s2};
}
/* 1 if the world's law of viscosity slows anything. */
int world_has_drag(const struct world *world);
/* Another depth and seed for the relief; bodies in the plane have waves along x alone. */
void world_set_relief(struct world *world, const struct params *params, int kind, double depth_m,
                      uint64_t seed);
/* The world of a body of that kind (BODY_*): creature.body is but the kind of random genomes, which
 * an evaluation knows nothing of. Surfaces of two materials: Coulomb's coefficient is the geometric mean of both, restitution the
 * larger one. params_check() must have accepted the parameters. */
void world_init(struct world *world, const struct params *params, int kind);

#endif
