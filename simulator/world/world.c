#include "simulator/world/world.h"

#include <math.h>

#include "common/genome/body_kind.h"

void world_set_relief(struct world *world, const struct params *params, int kind, double depth_m,
                      uint64_t seed)
{
    relief_init(&world->relief, depth_m, params->world_relief_wavelength_m, seed,
                body_kinds[kind].is_flat);
}

void world_init(struct world *world, const struct params *params, int kind)
{
    world->gravity_m_s2 = params->world_gravity_m_s2;
    world->gravity_x_m_s2 = world->gravity_z_m_s2 = 0;
    world->viscosity_pa_s = params->world_viscosity_pa_s;
    world->drag_law = params->world_drag_law;
    world->quadratic_drag_kg_m2 = params->world_quadratic_drag_kg_m2;
    world->viscosity_pa_s_m = params->world_viscosity_pa_s_m;
    world->quadratic_drag_kg_m3 = params->world_quadratic_drag_kg_m3;
    world->drag_faces = params->world_drag_faces;
    world->drag_exposure = params->world_drag_exposure;
    world->has_ground = params->world_ground;
    world_set_relief(world, params, kind, params->world_relief_m,
                     (uint64_t)params->world_relief_seed);
    double own = params->creature_friction, other = params->world_friction;
    world->friction = own == other ? own : sqrt(own * other);
    world->elasticity = det_max(params->creature_elasticity, params->world_elasticity);
    world->own_friction = own;
    world->own_elasticity = params->creature_elasticity;
    world->solids = NULL;
    world->solid_count = 0;
    world->half_depth_m = params->spheres_dimensions == 2 ? HUGE_VAL : params->world_depth_m / 2;
    struct error error;
    obstacles_parse(&world->obstacles, params->world_obstacles, &error);
}

int world_has_drag(const struct world *world)
{
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    return (is_quadratic ? world->quadratic_drag_kg_m2 : world->viscosity_pa_s) > 0;
}
