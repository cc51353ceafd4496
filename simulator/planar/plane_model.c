#include "simulator/planar/plane_model.h"

#include <math.h>

#include "simulator/planar/tree/tree.h"

enum { ROOT_JOINTS = 3 };

static void fill_root(struct body_model *model)
{
    static const struct model_joint root[ROOT_JOINTS] = {
        {MODEL_SLIDE, "root_x", 0, 0, {1, 0, 0}, -HUGE_VAL, HUGE_VAL, HUGE_VAL},
        {MODEL_SLIDE, "root_y", 1, 1, {0, 1, 0}, -HUGE_VAL, HUGE_VAL, HUGE_VAL},
        {MODEL_HINGE, "root_angle", 2, 2, {0, 0, 1}, -HUGE_VAL, HUGE_VAL, HUGE_VAL},
    };
    for (int k = 0; k < ROOT_JOINTS; k++)
        model->joints[k] = root[k];
    model->links[0].joint_count = ROOT_JOINTS;
}

static void fill_joint(struct body_model *model, int i, const struct link *link)
{
    int is_linear = link->joint_kind == LINK_LINEAR, at = ROOT_JOINTS + i - 1;
    model->joints[at] =
        (struct model_joint){.kind = is_linear ? MODEL_SLIDE : MODEL_HINGE,
                             .coordinate = PLANE_ROOT_RATES + i,
                             .rate = PLANE_ROOT_RATES + i,
                             .axis = is_linear ? vec3_of_plane(link->axis) : (struct vec3){0, 0, 1},
                             .lower = link->lower,
                             .upper = link->upper,
                             .cone_rad = HUGE_VAL};
    model->links[i].first_joint = at;
    model->links[i].joint_count = 1;
}

static void fill_link(struct body_model *model, int i, const struct link *link)
{
    double inertia = link->inertia_kg_m2;
    model->links[i] = (struct model_link){.parent = link->parent,
                                          .at = vec3_of_plane(link->joint),
                                          .turn = QUATERNION_ONE,
                                          .mass_kg = link->mass_kg,
                                          .centre = vec3_of_plane(link->centre),
                                          .inertia = {inertia, 0, 0, inertia, 0, inertia}};
    if (i == 0)
        fill_root(model);
    else
        fill_joint(model, i, link);
}

/* Gains are for what a joint feels when the whole body floats, as in the solvers. */
static int fill_servos(struct body_model *model, const struct phenotype *phenotype,
                       const struct dynamics_settings *settings, struct arena *arena)
{
    double q[PLANE_RATES_MAX] = {0};
    struct tree_rows rows;
    struct tree tree;
    if (tree_create(&tree, phenotype, 0, arena) || tree_create_rows(&tree, &rows, 1, arena))
        return ERR_MEMORY;
    tree_set_pose(&tree, q);
    tree_factor(&tree);
    for (int i = 1; i < phenotype->plane->link_count; i++) {
        const struct link *link = &phenotype->plane->links[i];
        const struct muscle muscle = {link->has_effector, link->joint_kind == LINK_LINEAR,
                                      link->strength};
        servo_init(&model->servos[PLANE_ROOT_RATES + i], &muscle,
                   1 / tree_joint_mobility(&tree, i, &rows), settings, settings->joint_damping_1_s);
    }
    return 0;
}

int plane_model(const struct phenotype *phenotype, const struct world *world,
                const struct dynamics_settings *settings, struct body_model *model,
                struct arena *arena)
{
    size_t links = (size_t)phenotype->plane->link_count, parts = (size_t)phenotype->part_count;
    *model = (struct body_model){.link_count = phenotype->plane->link_count,
                                 .joint_count = ROOT_JOINTS + phenotype->plane->link_count - 1,
                                 .part_count = phenotype->part_count,
                                 .rate_count = PLANE_ROOT_RATES + phenotype->plane->link_count,
                                 .root_rates = PLANE_ROOT_RATES};
    model->links = arena_take(arena, links, sizeof model->links[0]);
    model->joints = arena_take(arena, links + ROOT_JOINTS - 1, sizeof model->joints[0]);
    model->parts = arena_take(arena, parts, sizeof model->parts[0]);
    model->servos = arena_take(arena, links + PLANE_ROOT_RATES, sizeof model->servos[0]);
    if (!model->links || !model->joints || !model->parts || !model->servos)
        return ERR_MEMORY;
    for (int i = 0; i < phenotype->plane->link_count; i++)
        fill_link(model, i, &phenotype->plane->links[i]);
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        model->parts[i] =
            (struct model_part){part->link, vec3_of_plane(part->local),
                                quaternion_about((struct vec3){0, 0, 1}, part->local_angle_rad)};
    }
    return fill_servos(model, phenotype, settings, arena);
}
