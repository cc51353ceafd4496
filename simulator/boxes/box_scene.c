/* See box_scene_create() in dynamics_boxes.h: from phenotype and world to links, boxes and
 * surfaces. */
#include "simulator/boxes/dynamics_boxes.h"

#include "common/math/detmath.h"

/* The joints of the genes in the physics' table; boxes of a rigid joint are of one link. */
static const enum space_joint_kind joint_kinds[] = {
    [JOINT_REVOLUTE] = SPACE_REVOLUTE,     [JOINT_TWIST] = SPACE_TWIST,
    [JOINT_UNIVERSAL] = SPACE_UNIVERSAL,   [JOINT_BEND_TWIST] = SPACE_BEND_TWIST,
    [JOINT_TWIST_BEND] = SPACE_TWIST_BEND, [JOINT_SPHERICAL] = SPACE_SPHERICAL,
    [JOINT_LINEAR] = SPACE_LINEAR};

/* A free root has no freedoms of its own in the phenotype, and no limits. */
static void set_limits(struct space_link *to, const struct box_link *from)
{
    int is_ball = space_joints[to->kind].has_ball, intervals = is_ball ? 1 : from->freedoms;
    for (int k = 0; k < SPACE_RATES_MAX; k++) {
        to->lower[k] = -HUGE_VAL;
        to->upper[k] = HUGE_VAL;
    }
    to->cone_rad = HUGE_VAL;
    if (from->parent < 0)
        return;
    for (int k = 0; k < intervals && k < GENOME_FREEDOMS_MAX; k++) {
        to->lower[k] = from->lower[k];
        to->upper[k] = from->upper[k];
    }
    if (is_ball)
        to->cone_rad = from->cone_rad;
}

static void set_link(struct space_link *to, const struct box_link *from)
{
    *to = (struct space_link){.parent = from->parent,
                              .kind = from->parent < 0 ? SPACE_FREE : joint_kinds[from->joint],
                              .joint = from->at,
                              .frame = from->turn,
                              .mass_kg = from->mass_kg,
                              .centre = from->centre,
                              .inertia = from->inertia};
    set_limits(to, from);
}

static void place_obstacle(struct solid *solid, const struct obstacle *obstacle, double half_depth)
{
    struct mat3 turn =
        quaternion_matrix(quaternion_about((struct vec3){0, 0, 1}, obstacle->angle_rad));
    struct vec3 half = {obstacle->width_m / 2, obstacle->height_m / 2, half_depth};
    solids_place(solid, (struct vec3){obstacle->x_m, obstacle->y_m, 0}, &turn, half);
}

void box_scene_set_world(struct box_scene *scene, const struct world *world)
{
    struct space_world *to = &scene->world;
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    to->gravity_m_s2 = world_gravity(world);
    to->drag = (struct space_drag_law){.coefficient = is_quadratic ? world->quadratic_drag_kg_m3
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
    to->surfaces.fixed_count = world->obstacles.count;
}

int box_scene_create(struct box_scene *scene, const struct phenotype *phenotype,
                     const struct world *world, struct arena *arena)
{
    const struct box_body *body = box_body_of(phenotype);
    size_t obstacles = (size_t)world->obstacles.count;
    struct space_link *links = arena_take(arena, (size_t)body->link_count, sizeof links[0]);
    struct space_box *boxes = arena_take(arena, (size_t)body->box_count, sizeof boxes[0]);
    struct solid *fixed = arena_take(arena, obstacles, sizeof fixed[0]);
    if (!links || !boxes || !fixed)
        return ERR_MEMORY;
    for (int i = 0; i < body->link_count; i++)
        set_link(&links[i], &body->links[i]);
    for (int i = 0; i < body->box_count; i++)
        boxes[i] = (struct space_box){.link = body->boxes[i].link,
                                      .centre = body->boxes[i].centre,
                                      .turn = body->boxes[i].turn,
                                      .size_m = body->boxes[i].size_m};
    for (size_t i = 0; i < obstacles; i++)
        place_obstacle(&fixed[i], &world->obstacles.list[i], world->half_depth_m);
    scene->body = (struct space_body){links, body->link_count, boxes, body->box_count};
    scene->world =
        (struct space_world){.surfaces = {.fixed = fixed, .meetings = phenotype->meetings}};
    box_scene_set_world(scene, world);
    return 0;
}
