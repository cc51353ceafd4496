#include "simulator/world.h"

void world_init(struct world *world, const struct params *params)
{
    world->gravity_m_s2 = params->world_gravity_m_s2;
    world->gravity_x_m_s2 = 0;
    world->viscosity_pa_s = params->world_viscosity_pa_s;
    world->has_ground = params->world_ground;
    world->friction = params->world_friction;
    world->elasticity = params->world_elasticity;
}
