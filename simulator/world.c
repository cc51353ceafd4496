#include "simulator/world.h"

void world_init(struct world *world, const struct params *params)
{
    world->gravity_m_s2 = params->world_gravity_m_s2;
    world->gravity_x_m_s2 = 0;
    world->viscosity_pa_s = params->world_viscosity_pa_s;
    world->drag_law = params->world_drag_law;
    world->quadratic_drag_kg_m2 = params->world_quadratic_drag_kg_m2;
    world->drag_faces = params->world_drag_faces;
    world->drag_exposure = params->world_drag_exposure;
    world->has_ground = params->world_ground;
    world->friction = params->world_friction;
    world->elasticity = params->world_elasticity;
}

int world_has_drag(const struct world *world)
{
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    return (is_quadratic ? world->quadratic_drag_kg_m2 : world->viscosity_pa_s) > 0;
}
