/* See spatial_world_create() in spatial_state.h: from a world to surfaces and the law of drag. */
#include "simulator/links/spatial_state.h"

#include "common/math/detmath.h"

static void place_obstacle(struct solid *solid, const struct obstacle *obstacle, double half_depth)
{
    struct mat3 turn =
        quaternion_matrix(quaternion_about((struct vec3){0, 0, 1}, obstacle->angle_rad));
    struct vec3 half = {obstacle->width_m / 2, obstacle->height_m / 2, half_depth};
    solids_place(solid, (struct vec3){obstacle->x_m, obstacle->y_m, 0}, &turn, half);
}

void spatial_world_set(struct spatial_world *to, const struct world *world)
{
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    to->gravity_m_s2 = world_gravity(world);
    to->drag = (struct spatial_drag_law){.coefficient = is_quadratic ? world->quadratic_drag_kg_m3
                                                                     : world->viscosity_pa_s_m,
                                         .is_quadratic = is_quadratic,
                                         .is_leading = world->drag_faces == DRAG_FACES_LEADING,
                                         .has_exposure = world->drag_exposure};
    to->surfaces.has_ground = world->has_ground;
    to->surfaces.relief = world->relief;
    to->surfaces.friction = world->friction;
    to->surfaces.elasticity = world->elasticity;
    to->surfaces.own_friction = world->own_friction;
    to->surfaces.own_elasticity = world->own_elasticity;
    to->surfaces.fixed_count = world->obstacles.count + world->solid_count;
}

int spatial_world_create(struct spatial_world *to, const unsigned char *meetings,
                         const struct world *world, struct arena *arena)
{
    int count = world->obstacles.count;
    struct solid *fixed = arena_take(arena, (size_t)(count + world->solid_count), sizeof fixed[0]);
    if (!fixed)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++)
        place_obstacle(&fixed[i], &world->obstacles.list[i], world->half_depth_m);
    for (int i = 0; i < world->solid_count; i++)
        fixed[count + i] = world->solids[i];
    *to = (struct spatial_world){.surfaces = {.fixed = fixed, .meetings = meetings}};
    spatial_world_set(to, world);
    return 0;
}

static int may_collide(const struct spatial_tree_link *one, const struct spatial_tree_link *two,
                       unsigned char meeting)
{
    int are_joined = one->up == two || two->up == one;
    return spatial_tree_piece(one) != spatial_tree_piece(two) && meeting != PAIR_PASS &&
           (meeting != PAIR_USUAL || !are_joined);
}

void spatial_surfaces_list(const struct spatial_surfaces *s, const struct spatial_tree *tree,
                           const struct body_box *boxes, int box_count,
                           void (*add)(void *to, int a, int b), void *to)
{
    for (int a = 0; a < box_count; a++) {
        const struct spatial_tree_link *own = spatial_surfaces_link(tree, &boxes[a]);
        int is_moving = spatial_tree_piece(own)->up != NULL;
        if (is_moving && s->has_ground)
            add(to, a, CONTACT_GROUND);
        for (int k = 0; k < s->fixed_count && is_moving; k++)
            add(to, a, CONTACT_OBSTACLE - k);
        for (int b = a + 1; b < box_count; b++)
            if (may_collide(own, spatial_surfaces_link(tree, &boxes[b]),
                            pair_meeting(s->meetings, box_count, a, b)))
                add(to, a, b);
    }
}
