/* The physics row of spheres, see simulator/body/physics.h. They feel bones and joints, touch and
 * height, light; a part has the bone that leads to it and the joint of that bone. */

#include "common/math/detmath.h"
#include "simulator/body/physics_kinds.h"
#include "simulator/spheres/dynamics_spheres.h"

/* ---------------------------------------------------------------- senses */

static struct vec3 place_of(const struct dynamics *dynamics, int sphere)
{
    struct part_state state;
    dynamics_part_state(dynamics, sphere, &state);
    return state.at_m;
}

/* Bone i - 1 leads to part i. */
static void feel_bones(struct senses *senses, const struct dynamics *dynamics)
{
    const struct sphere_body *body = sphere_body_of(senses->phenotype);
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
    const struct sphere_body *body = sphere_body_of(senses->phenotype);
    for (int i = 0; i < body->joint_count; i++) {
        double *felt = senses->values + body->joints[i].end * SENSOR_COUNT, rate;
        dynamics_sphere_joint_state(dynamics, i, 0, &felt[SENSOR_JOINT], &felt[SENSOR_JOINT_RATE]);
        if (body->joints[i].kind == SPHERE_SADDLE)
            dynamics_sphere_joint_state(dynamics, i, 1, &felt[SENSOR_JOINT_2], &rate);
    }
}

/* Seen along the bone that leads to the part (the root: along the bone to its first child), and
 * upwards. */
static void see_light(struct senses *senses, const struct dynamics *dynamics,
                      const struct seen *light)
{
    const struct phenotype *phenotype = senses->phenotype;
    for (int i = 0; i < phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        int behind = i > 0 ? phenotype->parts[i].parent : 0;
        int before = i > 0 || phenotype->part_count == 1 ? i : 1;
        struct vec3 here = place_of(dynamics, i), from = place_of(dynamics, behind);
        struct vec3 to = place_of(dynamics, before);
        struct vec3 ray = vec3_sub(light->at, here), along = vec3_sub(to, from);
        double distance = vec3_length(ray), length = vec3_length(along);
        double product = vec3_dot(ray, along);
        felt[SENSOR_LIGHT_ALONG] = distance > 0 && length > 0 ? product / (distance * length) : 0;
        felt[SENSOR_LIGHT_ACROSS] = distance > 0 ? ray.y / distance : 0;
        felt[SENSOR_LIGHT_LEVEL] = light->brightness / (1 + distance * distance);
    }
}

static void feel(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *around)
{
    feel_bones(senses, dynamics);
    feel_joints(senses, dynamics);
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        felt[SENSOR_TOUCH] = dynamics_sphere_touches(dynamics, i) ? 1 : -1;
        felt[SENSOR_HEIGHT] = place_of(dynamics, i).y;
    }
    if (senses_see(senses, around, SIGHT_LIGHT))
        see_light(senses, dynamics, &around->seen[SIGHT_LIGHT]);
}

/* ---------------------------------------------------------------- the body as a whole */

/* Light spheres on heavy ones, and the other way round, need steps finer than the settings'. */
static int judge(const struct phenotype *phenotype, const struct world *world,
                 const struct params *params, double dt_s)
{
    const struct sphere_body *body = sphere_body_of(phenotype);
    double most = params->guard_mass_ratio;
    for (int i = 0; i < body->bone_count && most > 0; i++) {
        double a = body->spheres[body->bones[i].a].mass_kg;
        double b = body->spheres[body->bones[i].b].mass_kg;
        if (a > most * b || b > most * a)
            return VERDICT_UNBALANCED;
    }
    return VERDICT_OK;
}

/* Without joints between the bones nothing else brings spheres to rest: Stokes' law, so that every
 * sphere loses at least that rate of its speed. */
static void thicken(const struct phenotype *phenotype, double rate_1_s, struct world *world)
{
    const struct sphere_body *body = sphere_body_of(phenotype);
    double most = 0;
    for (int i = 0; i < body->sphere_count; i++)
        most = det_max(most, body->spheres[i].mass_kg / body->spheres[i].radius_m);
    world->drag_law = DRAG_LAW_LINEAR;
    world->viscosity_pa_s = rate_1_s * most / (6 * DET_PI);
}

static int is_flat(const struct params *params)
{
    return params->spheres_dimensions == 2;
}

/* The body as it is: its bones keep their lengths. */
static void perturb(struct dynamics *dynamics, const struct phenotype *phenotype, struct vec3 turn,
                    struct rng *rng, double most_rad)
{
    struct mat3 rotation = quaternion_matrix(quaternion_exp(turn));
    for (int i = 0; i < phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        state.at_m = mat3_apply(&rotation, state.at_m);
        dynamics_place_sphere(dynamics, i, &state);
    }
}

/* How far bones are out of their length, or of a muscle's range. */
static double strain(const struct dynamics *dynamics, const struct phenotype *phenotype)
{
    const struct sphere_body *body = sphere_body_of(phenotype);
    double worst = 0;
    for (int i = 0; i < body->bone_count; i++) {
        const struct bone *bone = &body->bones[i];
        double length, rate, low = bone->length_m, high = low;
        dynamics_bone_state(dynamics, i, &length, &rate);
        if (bone->is_muscle) {
            low = bone->shortest_m;
            high = bone->longest_m;
        }
        double off = length > high ? length - high : length < low ? low - length : 0;
        worst = det_max(worst, off / bone->length_m);
    }
    return worst;
}

/* Bones that give lose energy. A residual below 0 is such a loss. */
static double unearned_j(const struct ledger *ledger, double gain_j)
{
    return gain_j + det_max(ledger->residual_j, 0);
}

const struct body_physics physics_spheres = {
    .solvers = {&dynamics_spheres},
    .effectors_apart = EFFECTORS_HOLD,
    .judge = judge,
    .feel = feel,
    .thicken = thicken,
    .is_flat = is_flat,
    .perturb = perturb,
    .strain = strain,
    .unearned_j = unearned_j,
};
