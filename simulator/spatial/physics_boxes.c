/* The physics row of boxes, see simulator/body/physics.h. They feel the freedoms of their joints,
 * six faces, height, acceleration and light, all in the axes of the genes. */

#include "common/growth/body.h"
#include "common/math/detmath.h"
#include "simulator/body/face_senses.h"
#include "simulator/body/linked_body.h"
#include "simulator/body/physics_kinds.h"
#include "simulator/links/spatial_state.h"

/* ---------------------------------------------------------------- senses */

/* The axes of a part's genes in the world. */
static struct mat3 gene_axes(const struct senses *senses, const struct dynamics *dynamics, int part)
{
    struct mat3 turn = quaternion_matrix(dynamics_part_turn(dynamics, part));
    turn.z = vec3_scale(turn.z, senses->phenotype->parts[part].mirror);
    return turn;
}

static struct vec3 to_genes(const struct senses *senses, const struct dynamics *dynamics, int part,
                            struct vec3 v)
{
    struct mat3 axes = gene_axes(senses, dynamics, part);
    return mat3_back(&axes, v);
}

/* The acceleration since the last reading, less gravity: what a mass on springs would show. */
static void feel_acceleration(struct senses *senses, const struct dynamics *dynamics,
                              const struct surroundings *around)
{
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        struct mat3 axes = gene_axes(senses, dynamics, i);
        struct vec3 a = vec3_negated(around->gravity_m_s2);
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        struct vec3 v = state.velocity_m_s;
        if (around->tick_s > 0)
            a = vec3_along(a, vec3_sub(v, senses->before[i]), 1 / around->tick_s);
        senses->before[i] = v;
        a = vec3_scale(mat3_back(&axes, a), 1 / STANDARD_GRAVITY_M_S2);
        felt[SENSOR_ACCELERATION_ALONG] = face_senses_bound_acceleration(a.x);
        felt[SENSOR_ACCELERATION_ACROSS] = face_senses_bound_acceleration(a.y);
        felt[SENSOR_ACCELERATION_THROUGH] = face_senses_bound_acceleration(a.z);
    }
}

static void see(struct senses *senses, const struct dynamics *dynamics,
                const struct surroundings *around, int of)
{
    const struct sight_info *sight = &sights[of];
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        struct mat3 axes = gene_axes(senses, dynamics, i);
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        struct ray ray = face_senses_ray(around, of, state.at_m);
        struct vec3 way =
            mat3_back(&axes, vec3_scale(ray.way, ray.length > 0 ? 1 / ray.length : 0));
        felt[sight->along] = way.x;
        felt[sight->across] = way.y;
        felt[sight->through] = way.z;
        felt[sight->level] = ray.level;
    }
}

static const struct face_senses_feeling feeling = {FACE_COUNT, to_genes, feel_acceleration, see};

static void feel(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *around)
{
    linked_body_feel(senses, dynamics);
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        senses->values[i * SENSOR_COUNT + SENSOR_HEIGHT] = state.at_m.y;
    }
    face_senses_feel(&feeling, senses, dynamics, around);
}

/* ---------------------------------------------------------------- the body as a whole */

static int judge(const struct phenotype *phenotype, const struct world *world,
                 const struct params *params, double dt_s)
{
    int is_explicit =
        params->simulation_integrator == INTEGRATOR_RK4 && world->drag_law == DRAG_LAW_LINEAR;
    double length_m = 2 * world->viscosity_pa_s_m * dt_s / params->creature_density_kg_m3;
    return linked_body_judge(phenotype, params, is_explicit ? length_m : 0);
}

/* A box that moves with u along an axis has two faces of area A there, each with k A u^2 against
 * it, of which one leads; and half a density times A u^2 is what the medium has. Turns about an
 * axis have the same ratio. */
static int model(const struct phenotype *phenotype, const struct world *world,
                 const struct dynamics_settings *settings, struct body_model *model,
                 struct arena *arena)
{
    int status = linked_body_model(phenotype, world, settings, model, arena);
    if (world->drag_law == DRAG_LAW_QUADRATIC)
        model->medium_kg_m3 =
            world->quadratic_drag_kg_m3 * (world->drag_faces == DRAG_FACES_LEADING ? 2 : 4);
    return status;
}

/* A turn about a vector whose components are drawn. */
static struct quaternion draw_turn(struct rng *rng, double most_rad)
{
    struct vec3 turn;
    turn.x = rng_uniform(rng, -most_rad, most_rad);
    turn.y = rng_uniform(rng, -most_rad, most_rad);
    turn.z = rng_uniform(rng, -most_rad, most_rad);
    return quaternion_exp(turn);
}

/* The root in the world's axes, a joint in its own. */
static void perturb_ball(const struct body_link *link, double *q, struct vec3 turn, struct rng *rng,
                         double most_rad)
{
    struct quaternion ball = quaternion_read(q);
    int is_root = link->parent < 0;
    ball = is_root ? quaternion_product(quaternion_exp(turn), ball)
                   : quaternion_product(ball, draw_turn(rng, most_rad));
    ball = quaternion_normalised(ball);
    double twist = joint_twist(ball);
    /* within its cone and its twist's limits */
    if (is_root ||
        (joint_swing(ball) <= link->cone_rad && twist >= link->lower[0] && twist <= link->upper[0]))
        quaternion_write(q, ball);
}

static void perturb(struct dynamics *dynamics, const struct phenotype *phenotype, struct vec3 turn,
                    struct rng *rng, double most_rad)
{
    const struct spatial_tree *tree = spatial_state_tree(spatial_state_of(dynamics));
    double q[JOINT_RATES_MAX + 1 + 4 * PHENOTYPE_PARTS_MAX];
    for (int i = 0; i < tree->coordinates; i++)
        q[i] = dynamics->q[i];
    for (int i = 0; i < tree->count; i++) {
        const struct body_link *link = &phenotype->body->links[i];
        const struct spatial_tree_link *l = &tree->links[i];
        double *own = q + l->coordinate;
        int plain = spatial_tree_plain(l);
        for (int k = 0; k < plain && i > 0; k++) {
            double moved = own[k] + rng_uniform(rng, -most_rad, most_rad);
            own[k] = moved < link->lower[k]   ? det_min(own[k], link->lower[k])
                     : moved > link->upper[k] ? det_max(own[k], link->upper[k])
                                              : moved;
        }
        if (l->joint->has_ball)
            perturb_ball(link, own + plain, turn, rng, most_rad);
    }
    dynamics_set_state(dynamics, q, dynamics->qd);
}

/* The product of (0, 0, 1, 0) and the root's quaternion, w x y z, which is that of the root's
 * joint. */
static void half_turn(struct dynamics *dynamics)
{
    const struct spatial_tree *tree = spatial_state_tree(spatial_state_of(dynamics));
    double q[JOINT_RATES_MAX + 1 + 4 * PHENOTYPE_PARTS_MAX];
    for (int i = 0; i < tree->coordinates; i++)
        q[i] = dynamics->q[i];
    struct quaternion turn = quaternion_read(q + 3);
    q[0] = 0 - q[0];
    q[2] = 0 - q[2];
    quaternion_write(q + 3, (struct quaternion){0 - turn.y, turn.z, turn.w, 0 - turn.x});
    dynamics_set_state(dynamics, q, dynamics->qd);
}

const struct body_physics physics_boxes = {
    .solvers =
        {[SOLVER_ARTICULATED] = &dynamics_boxes, [SOLVER_CONSTRAINT] = &dynamics_constraint_space},
    .effectors_apart = EFFECTORS_SLACK,
    .model = model,
    .judge = judge,
    .feel = feel,
    .perturb = perturb,
    .half_turn = half_turn,
    .unearned_j = ledger_unearned_j,
};
