/* The physics row of rectangles, see simulator/body/physics.h. Joints and contacts are felt from
 * the solver's tables; accelerometers and eyes need the state of each part and are read only where
 * switched on. */
#include <math.h>

#include "common/body/plane_body.h"
#include "common/math/detmath.h"
#include "simulator/body/faces.h"
#include "simulator/body/physics_kinds.h"
#include "simulator/planar/plane_model.h"

/* Explicit steps with drag are stable while 2 k h / (density x thinnest side) stays below this. */
#define DRAG_STABILITY 0.5

/* ---------------------------------------------------------------- senses */

/* A vector of the world in the part's gene frame: along its width, across to its top. */
static struct vec2 to_part(const struct part *part, const struct part_state *state, double x,
                           double y)
{
    double s, c;
    det_sincos(state->angle_rad, &s, &c);
    return (struct vec2){x * c + y * s, (y * c - x * s) * part->mirror};
}

static void feel_joints(struct senses *senses, const struct dynamics *dynamics)
{
    const struct phenotype *phenotype = senses->phenotype;
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        double *felt = senses->values + i * SENSOR_COUNT;
        const struct link *links = phenotype->plane->links, *link = &links[part->link];
        struct drive_state state;
        if (link->joint_kind == LINK_STRETCH) {
            dynamics_drive_state(dynamics, part->link, &state);
            felt[SENSOR_STRETCH] = state.value / link->scale;
            link = &links[link->parent];
        }
        int joint = (int)(link - links), has_joint = joint > 0 && link->part == i;
        if (has_joint)
            dynamics_drive_state(dynamics, joint, &state);
        felt[SENSOR_JOINT] = has_joint ? link->mirror * state.value / link->scale : 0;
        felt[SENSOR_JOINT_RATE] = has_joint ? link->mirror * state.rate / link->scale : 0;
    }
}

static struct vec3 to_genes(const struct senses *senses, const struct dynamics *dynamics, int part,
                            struct vec3 v)
{
    struct part_state state;
    dynamics_part_state(dynamics, part, &state);
    return vec3_of_plane(to_part(&senses->phenotype->parts[part], &state, v.x, v.y));
}

/* The acceleration since the last reading, less gravity: as a mass on springs would show it. */
static void feel_acceleration(struct senses *senses, const struct dynamics *dynamics,
                              const struct surroundings *around)
{
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        struct vec3 *before = &senses->before[i];
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        double x = -around->gravity_m_s2.x, y = -around->gravity_m_s2.y;
        if (around->tick_s > 0) {
            x += (state.velocity_m_s.x - before->x) / around->tick_s;
            y += (state.velocity_m_s.y - before->y) / around->tick_s;
        }
        *before = state.velocity_m_s;
        struct vec2 a = to_part(&senses->phenotype->parts[i], &state, x / STANDARD_GRAVITY_M_S2,
                                y / STANDARD_GRAVITY_M_S2);
        felt[SENSOR_ACCELERATION_ALONG] = faces_bound_acceleration(a.x);
        felt[SENSOR_ACCELERATION_ACROSS] = faces_bound_acceleration(a.y);
    }
}

static void see(struct senses *senses, const struct dynamics *dynamics,
                const struct surroundings *around, int of)
{
    const struct sight_info *sight = &sights[of];
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        struct ray ray = faces_ray(around, of, state.at_m);
        struct vec2 way = to_part(&senses->phenotype->parts[i], &state, ray.way.x, ray.way.y);
        felt[sight->along] = ray.length > 0 ? way.x / ray.length : 0;
        felt[sight->across] = ray.length > 0 ? way.y / ray.length : 0;
        felt[sight->level] = ray.level;
    }
}

static const struct faces_feeling feeling = {FACE_FLAT_COUNT, to_genes, feel_acceleration, see};

static void feel(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *around)
{
    feel_joints(senses, dynamics);
    faces_feel(&feeling, senses, dynamics, around);
}

/* ---------------------------------------------------------------- the body as a whole */

/* Light links on heavy ones, and the other way round, need steps finer than the settings'. */
static int has_balance(const struct phenotype *phenotype, double most)
{
    for (int i = 1; i < phenotype->plane->link_count && most > 0; i++) {
        const struct link *link = &phenotype->plane->links[i];
        const struct link *links = phenotype->plane->links, *parent = &links[link->parent];
        if (parent->mass_kg == 0 && parent->parent >= 0)
            parent = &links[parent->parent]; /* a joint, whose part stretches */
        double mass = link->mass_kg, other = parent->mass_kg;
        if (mass == 0 || other == 0)
            continue;
        if (mass > most * other || other > most * mass)
            return 0;
    }
    return 1;
}

static int judge(const struct phenotype *phenotype, const struct world *world,
                 const struct params *params, double dt_s)
{
    double thinnest_m = HUGE_VAL;
    int is_explicit = params->simulation_solver == SOLVER_ARTICULATED &&
                      params->simulation_integrator == INTEGRATOR_RK4;
    if (!has_balance(phenotype, params->guard_mass_ratio))
        return VERDICT_UNBALANCED;
    for (int i = 0; i < phenotype->part_count; i++)
        thinnest_m = fmin(thinnest_m, phenotype->parts[i].cross_section_m);
    double stiffness =
        2 * world->viscosity_pa_s * dt_s / (params->rectangles_density_kg_m2 * thinnest_m);
    return world->drag_law == DRAG_LAW_LINEAR && is_explicit && stiffness > DRAG_STABILITY
               ? VERDICT_UNSTABLE_DRAG
               : VERDICT_OK;
}

static int is_flat(const struct params *params)
{
    return 1;
}

static void perturb(struct dynamics *dynamics, const struct phenotype *phenotype, struct vec3 turn,
                    struct rng *rng, double most_rad)
{
    double q[PLANE_RATES_MAX], *values = q + PLANE_ROOT_RATES;
    for (int i = 0; i < dynamics_dof(dynamics); i++)
        q[i] = dynamics_q(dynamics)[i];
    values[0] += turn.z;
    for (int i = phenotype->first_drive; i < phenotype->drive_count; i++) {
        const struct drive *drive = &phenotype->drives[i];
        double turned = values[i] + rng_uniform(rng, -most_rad, most_rad);
        values[i] = turned < drive->lower   ? fmin(values[i], drive->lower)
                    : turned > drive->upper ? fmax(values[i], drive->upper)
                                            : turned;
    }
    dynamics_set_state(dynamics, q, dynamics_qd(dynamics));
}

const struct body_physics physics_rectangles = {
    .solvers =
        {[SOLVER_ARTICULATED] = &dynamics_articulated, [SOLVER_CONSTRAINT] = &dynamics_constraint},
    .effectors_apart = EFFECTORS_SLACK,
    .model = plane_model,
    .judge = judge,
    .feel = feel,
    .is_flat = is_flat,
    .perturb = perturb,
    .unearned_j = ledger_unearned_j,
};
