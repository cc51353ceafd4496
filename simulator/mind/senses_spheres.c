/* What a creature of spheres feels: bones and joints, touch and height, light; see senses.h. A part has the
 * bone that leads to it and the joint of that bone. */
#include <math.h>

#include "simulator/spheres/dynamics_spheres.h"
#include "simulator/mind/senses.h"

static double length_of(struct vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static struct vec3 place_of(const struct dynamics *dynamics, int sphere)
{
    struct part_state state;
    dynamics_part_state(dynamics, sphere, &state);
    return (struct vec3){state.x_m, state.y_m, state.z_m};
}

/* Bone i - 1 leads to part i. */
static void feel_bones(struct senses *senses, const struct dynamics *dynamics)
{
    const struct sphere_body *body = senses->phenotype->spheres;
    for (int i = 1; i < body->sphere_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        double at_birth = body->bones[i - 1].length_m, length, rate;
        dynamics_bone_state(dynamics, i - 1, &length, &rate);
        felt[SENSOR_BONE] = length / at_birth - 1;
        felt[SENSOR_BONE_RATE] = rate / at_birth;
    }
}

static void feel_joints(struct senses *senses, const struct dynamics *dynamics)
{
    const struct sphere_body *body = senses->phenotype->spheres;
    for (int i = 0; i < body->joint_count; i++) {
        double *felt = senses->values + body->joints[i].end * SENSOR_COUNT, rate;
        dynamics_sphere_joint_state(dynamics, i, 0, &felt[SENSOR_JOINT], &felt[SENSOR_JOINT_RATE]);
        if (body->joints[i].kind == SPHERE_SADDLE)
            dynamics_sphere_joint_state(dynamics, i, 1, &felt[SENSOR_JOINT_2], &rate);
    }
}

/* Seen along the bone that leads to the part (the root: along the bone to its first child), and upwards. */
static void see_light(struct senses *senses, const struct dynamics *dynamics,
                      const struct light *light)
{
    const struct phenotype *phenotype = senses->phenotype;
    for (int i = 0; i < phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        int behind = i > 0 ? phenotype->parts[i].parent : 0;
        int before = i > 0 || phenotype->part_count == 1 ? i : 1;
        struct vec3 here = place_of(dynamics, i), from = place_of(dynamics, behind);
        struct vec3 to = place_of(dynamics, before);
        struct vec3 ray = {light->at.x - here.x, light->at.y - here.y, 0 - here.z};
        struct vec3 along = {to.x - from.x, to.y - from.y, to.z - from.z};
        double distance = length_of(ray), length = length_of(along);
        double product = ray.x * along.x + ray.y * along.y + ray.z * along.z;
        felt[SENSOR_LIGHT_ALONG] = distance > 0 && length > 0 ? product / (distance * length) : 0;
        felt[SENSOR_LIGHT_ACROSS] = distance > 0 ? ray.y / distance : 0;
        felt[SENSOR_LIGHT_LEVEL] = light->brightness / (1 + distance * distance);
    }
}

void senses_read_spheres(struct senses *senses, const struct dynamics *dynamics,
                         const struct light *light)
{
    feel_bones(senses, dynamics);
    feel_joints(senses, dynamics);
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        felt[SENSOR_TOUCH] = dynamics_sphere_touches(dynamics, i) ? 1 : -1;
        felt[SENSOR_HEIGHT] = place_of(dynamics, i).y;
    }
    if (senses->on & SENSOR_BIT(SENSOR_LIGHT_ALONG) && light->kind != LIGHT_NONE)
        see_light(senses, dynamics, light);
}
