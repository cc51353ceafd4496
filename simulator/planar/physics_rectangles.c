/* The physics row of rectangles, see simulator/body/physics.h. Joints and contacts are felt from
 * the solver's tables; accelerometers and eyes need the state of each part and are read only where
 * switched on. */

#include "common/growth/body.h"
#include "common/math/detmath.h"
#include "simulator/body/face_senses.h"
#include "simulator/body/linked_body.h"
#include "simulator/body/physics_kinds.h"

/* ---------------------------------------------------------------- senses */

/* A vector of the world in the part's gene frame: along its width, across to its top. */
static struct vec2 to_part(const struct part *part, const struct part_state *state, double x,
                           double y)
{
    double s, c, along = part->is_reversed ? -1 : 1;
    det_sincos(state->angle_rad, &s, &c);
    return (struct vec2){(x * c + y * s) * along, (y * c - x * s) * along * part->mirror};
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
        felt[SENSOR_ACCELERATION_ALONG] = face_senses_bound_acceleration(a.x);
        felt[SENSOR_ACCELERATION_ACROSS] = face_senses_bound_acceleration(a.y);
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
        struct ray ray = face_senses_ray(around, of, state.at_m);
        struct vec2 way = to_part(&senses->phenotype->parts[i], &state, ray.way.x, ray.way.y);
        felt[sight->along] = ray.length > 0 ? way.x / ray.length : 0;
        felt[sight->across] = ray.length > 0 ? way.y / ray.length : 0;
        felt[sight->level] = ray.level;
    }
}

static const struct face_senses_feeling feeling = {FACE_FLAT_COUNT, to_genes, feel_acceleration,
                                                   see};

static void feel(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *around)
{
    linked_body_feel(senses, dynamics);
    face_senses_feel(&feeling, senses, dynamics, around);
}

/* ---------------------------------------------------------------- the body as a whole */

static int judge(const struct phenotype *phenotype, const struct world *world,
                 const struct params *params, double dt_s)
{
    int is_explicit = params->simulation_solver == SOLVER_ARTICULATED &&
                      params->simulation_integrator == INTEGRATOR_RK4 &&
                      world->drag_law == DRAG_LAW_LINEAR;
    double length_m = 2 * world->viscosity_pa_s * dt_s / params->rectangles_density_kg_m2;
    return linked_body_judge(phenotype, params, is_explicit ? length_m : 0);
}

static int is_flat(const struct params *params)
{
    return 1;
}

static void perturb(struct dynamics *dynamics, const struct phenotype *phenotype, struct vec3 turn,
                    struct rng *rng, double most_rad)
{
    double q[PLANE_RATES_MAX], *values = q + PLANE_ROOT_RATES;
    for (int i = 0; i < dynamics->dof; i++)
        q[i] = dynamics->q[i];
    values[0] += turn.z;
    for (int i = phenotype->first_drive; i < phenotype->drive_count; i++) {
        const struct drive *drive = &phenotype->drives[i];
        double turned = values[i] + rng_uniform(rng, -most_rad, most_rad);
        values[i] = turned < drive->lower   ? det_min(values[i], drive->lower)
                    : turned > drive->upper ? det_max(values[i], drive->upper)
                                            : turned;
    }
    dynamics_set_state(dynamics, q, dynamics->qd);
}

const struct body_physics physics_rectangles = {
    .solvers =
        {[SOLVER_ARTICULATED] = &dynamics_articulated, [SOLVER_CONSTRAINT] = &dynamics_constraint},
    .effectors_apart = EFFECTORS_SLACK,
    .model = linked_body_model,
    .judge = judge,
    .feel = feel,
    .is_flat = is_flat,
    .perturb = perturb,
    .unearned_j = ledger_unearned_j,
};
