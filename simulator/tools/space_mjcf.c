#include "simulator/tools/space_mjcf.h"

#include "simulator/boxes/space_model.h"
#include "simulator/tools/mjcf.h"

/* What the writer reads of a creature: shapes, and which rates are driven. */
static int fill_phenotype(const struct space_scene *scene, const struct body_model *model,
                          struct phenotype *phenotype, struct arena *arena)
{
    size_t boxes = (size_t)scene->box_count, rates = (size_t)scene->rates;
    *phenotype = (struct phenotype){.part_count = scene->box_count, .meetings = scene->passes};
    phenotype->parts = arena_take(arena, boxes, sizeof phenotype->parts[0]);
    phenotype->shapes = arena_take(arena, boxes, sizeof phenotype->shapes[0]);
    phenotype->effectors = arena_take(arena, rates, sizeof phenotype->effectors[0]);
    if (!phenotype->parts || !phenotype->shapes || !phenotype->effectors)
        return ERR_MEMORY;
    for (int i = 0; i < scene->box_count; i++) {
        phenotype->parts[i].depth = scene->boxes[i].link;
        phenotype->shapes[i].turn = QUATERNION_ONE;
        phenotype->shapes[i].half_m = vec3_scale(scene->boxes[i].size_m, 0.5);
    }
    for (int i = 0; i < scene->rates; i++) {
        const struct servo *servo = &model->servos[i];
        int is_pulling = servo->law == SERVO_TORQUE || servo->kp > 0 || servo->kd > 0;
        if (servo->law != SERVO_MOTION && servo->torque_max > 0 && is_pulling)
            phenotype->effectors[phenotype->effector_count++].drive = i;
    }
    return 0;
}

static int has_motions(const struct space_scene *scene)
{
    for (int i = 0; i < scene->rates; i++)
        if (scene->freedoms[i].drive.law == SERVO_MOTION)
            return 1;
    return 0;
}

/* The servos of all but free bodies, whose freedoms have none. */
static void fill_servos(const struct space_scene *scene, struct body_model *model)
{
    for (int i = 0; i < model->joint_count; i++) {
        const struct model_joint *joint = &model->joints[i];
        int rates = joint->kind == MODEL_BALL ? 3 : joint->kind == MODEL_FREE ? 0 : 1;
        for (int k = 0; k < rates; k++)
            model->servos[joint->rate + k] = scene->freedoms[joint->rate + k].drive;
    }
}

int space_mjcf_write(const struct space_scene *scene, const char *name, FILE *model_file,
                     FILE *signals, uint64_t steps, struct arena *arena)
{
    const struct space_body body = {scene->links, scene->body_count, scene->boxes,
                                    scene->box_count};
    const struct space_world *world = &scene->world;
    struct mjcf_box fixed[SPACE_SCENE_OBSTACLES_MAX];
    struct phenotype phenotype;
    struct body_model model;
    int status = space_model(&body, &model, arena);
    if (status)
        return status;
    fill_servos(scene, &model);
    model.medium_kg_m3 = space_model_medium(&world->drag);
    for (int i = 0; i < world->surfaces.fixed_count; i++) {
        const struct solid *solid = &world->surfaces.fixed[i];
        struct mat3 axes = {solid->axes[0], solid->axes[1], solid->axes[2]};
        fixed[i] = (struct mjcf_box){
            solid->centre, quaternion_of(&axes), {solid->half[0], solid->half[1], solid->half[2]}};
    }
    status = fill_phenotype(scene, &model, &phenotype, arena);
    if (status)
        return status;
    const struct mjcf_scene to = {.name = name,
                                  .model = &model,
                                  .phenotype = &phenotype,
                                  .gravity_m_s2 = world->gravity_m_s2,
                                  .has_ground = world->surfaces.has_ground,
                                  .relief = &world->surfaces.relief,
                                  .friction = world->surfaces.friction,
                                  .own_friction = world->surfaces.own_friction,
                                  .fixed = fixed,
                                  .fixed_count = world->surfaces.fixed_count,
                                  .q = scene->q,
                                  .qd = scene->qd,
                                  .step_s = scene->settings.dt_s,
                                  .has_drag = world->drag.coefficient > 0,
                                  .has_elasticity = world->surfaces.elasticity > 0 ||
                                                    world->surfaces.own_elasticity > 0,
                                  .has_motions = has_motions(scene)};
    if (model_file)
        mjcf_write(model_file, &to);
    if (signals)
        mjcf_write_controls(signals, &to, steps);
    return 0;
}
