/* How long the simulator takes: two fixed bodies under fixed gaits (the dynamics alone), whole
 * evaluations of random and of evolved creatures, and brain and expression alone. What each workload
 * is stands in README.md. */
#include <math.h>
#include <unistd.h>

#include "common/creature.h"
#include "common/detmath.h"
#include "controller/genetics.h"
#include "simulator/evaluate.h"
#include "tests/bench/bench.h"

#define TWO_PI 6.28318530717958647692

static struct arena arena;

/* ---------------------------------------------------------------- C5 and C12 */

/* Bodies of other physics benchmarks: world coordinates at the start, angle 0, the feet 1 m up. Body 0
 * is the root; joint i joins body i + 1 to its parent. */
struct fixed_body {
    double x_m, y_m, width_m, height_m;
};
struct fixed_joint {
    int parent;
    double x_m, y_m, phase_rad;
};
struct fixed_creature {
    const struct fixed_body *bodies;
    const struct fixed_joint *joints;
    int body_count;
};

/* A torso with two legs of two segments. */
static const struct fixed_body c5_bodies[] = {
    {0, 2, 1, 0.4},         {-0.5, 1.75, 0.15, 0.5}, {-0.5, 1.25, 0.15, 0.5},
    {0.5, 1.75, 0.15, 0.5}, {0.5, 1.25, 0.15, 0.5},
};
static const struct fixed_joint c5_joints[] = {
    {0, -0.5, 2, 0},
    {1, -0.5, 1.5, TWO_PI / 4},
    {0, 0.5, 2, TWO_PI / 2},
    {3, 0.5, 1.5, TWO_PI * 3 / 4},
};
static const struct fixed_creature c5 = {c5_bodies, c5_joints, 5};

/* A spine of four with four legs of two segments. */
static const struct fixed_body c12_bodies[] = {
    {-0.9, 1.95, 0.6, 0.3}, {-0.3, 1.95, 0.6, 0.3}, {0.3, 1.95, 0.6, 0.3},  {0.9, 1.95, 0.6, 0.3},
    {-0.9, 1.6, 0.12, 0.4}, {-0.9, 1.2, 0.12, 0.4}, {-0.3, 1.6, 0.12, 0.4}, {-0.3, 1.2, 0.12, 0.4},
    {0.3, 1.6, 0.12, 0.4},  {0.3, 1.2, 0.12, 0.4},  {0.9, 1.6, 0.12, 0.4},  {0.9, 1.2, 0.12, 0.4},
};
static const struct fixed_joint c12_joints[] = {
    {0, -0.6, 1.95, 0},
    {1, 0, 1.95, TWO_PI / 4},
    {2, 0.6, 1.95, TWO_PI * 2 / 4},
    {0, -0.9, 1.8, TWO_PI * 3 / 4},
    {4, -0.9, 1.4, TWO_PI * 4 / 4},
    {1, -0.3, 1.8, TWO_PI * 5 / 4},
    {6, -0.3, 1.4, TWO_PI * 6 / 4},
    {2, 0.3, 1.8, TWO_PI * 7 / 4},
    {8, 0.3, 1.4, TWO_PI * 8 / 4},
    {3, 0.9, 1.8, TWO_PI * 9 / 4},
    {10, 0.9, 1.4, TWO_PI * 10 / 4},
};
static const struct fixed_creature c12 = {c12_bodies, c12_joints, 12};

enum { FIXED_BODIES_MAX = 16 };
#define FIXED_STRENGTH_N_M  5.0
#define FIXED_LIMIT_RAD     1.2
#define FIXED_AMPLITUDE_RAD 0.8
#define FIXED_FREQUENCY_HZ  1.0
enum { FIXED_GAITS = 16, FIXED_SECONDS = 10, FIXED_TICKS_HZ = 60, FIXED_STEPS_PER_TICK = 4 };

/* One rectangle and its link; the phenotype's origin is the root's centre. */
static void place_part(struct phenotype *phenotype, const struct fixed_creature *creature, int i)
{
    const struct fixed_body *body = &creature->bodies[i], *root = &creature->bodies[0];
    const struct fixed_joint *joint = i > 0 ? &creature->joints[i - 1] : NULL;
    struct vec2 centre = {body->x_m - root->x_m, body->y_m - root->y_m}, anchor = centre;
    if (joint)
        anchor = (struct vec2){joint->x_m - root->x_m, joint->y_m - root->y_m};
    double mass_kg = body->width_m * body->height_m;
    double square_m2 = body->width_m * body->width_m + body->height_m * body->height_m;
    struct part *part = &phenotype->parts[i];
    *part = (struct part){.body = (gene_id)i + 1,
                          .parent = joint ? joint->parent : -1,
                          .depth = joint ? phenotype->parts[joint->parent].depth + 1 : 0,
                          .mirror = 1,
                          .link = i,
                          .width_m = body->width_m,
                          .height_m = body->height_m,
                          .mass_kg = mass_kg,
                          .centre = centre,
                          .anchor = anchor,
                          .local = {centre.x - anchor.x, centre.y - anchor.y},
                          .cross_section_m = fmin(body->width_m, body->height_m)};
    phenotype->links[i] = (struct link){.parent = part->parent,
                                        .part = i,
                                        .parent_part = part->parent,
                                        .mass_kg = mass_kg,
                                        .centre = part->local,
                                        .inertia_kg_m2 = mass_kg * square_m2 / 12,
                                        .lower = -FIXED_LIMIT_RAD,
                                        .upper = FIXED_LIMIT_RAD,
                                        .has_effector = i > 0,
                                        .mirror = 1,
                                        .strength = FIXED_STRENGTH_N_M};
    if (joint) {
        struct vec2 origin = phenotype->parts[joint->parent].anchor;
        phenotype->links[i].joint = (struct vec2){anchor.x - origin.x, anchor.y - origin.y};
    }
    phenotype->mass_kg += mass_kg;
}

/* Makes the creature, its feet 1 m above the ground. NULL: no memory. */
static struct dynamics *build_fixed(const struct fixed_creature *creature,
                                    const struct world *world)
{
    size_t count = (size_t)creature->body_count;
    struct phenotype *phenotype = arena_take(&arena, 1, sizeof *phenotype);
    if (!phenotype)
        return NULL;
    phenotype->parts = arena_take(&arena, count, sizeof *phenotype->parts);
    phenotype->links = arena_take(&arena, count, sizeof *phenotype->links);
    if (!phenotype->parts || !phenotype->links)
        return NULL;
    phenotype->part_count = phenotype->link_count = creature->body_count;
    for (int i = 0; i < creature->body_count; i++)
        place_part(phenotype, creature, i);

    struct params defaults;
    params_set_defaults(&defaults);
    struct dynamics_settings settings = {.dt_s = 1.0 / (FIXED_TICKS_HZ * FIXED_STEPS_PER_TICK),
                                         .integrator = INTEGRATOR_AUTO,
                                         .contact_sweeps = (int)defaults.simulation_contact_sweeps,
                                         .servo_rad_s = defaults.creature_servo_rad_s,
                                         .joint_speed_rad_s = defaults.creature_joint_speed_rad_s,
                                         .joint_speed_m_s = defaults.creature_joint_speed_m_s,
                                         .effector_mode = EFFECTOR_POSITION};
    struct dynamics *dynamics = dynamics_create(phenotype, world, &settings, &arena);
    if (!dynamics)
        return NULL;
    double q[2 + FIXED_BODIES_MAX] = {creature->bodies[0].x_m, creature->bodies[0].y_m},
                 qd[2 + FIXED_BODIES_MAX] = {0};
    dynamics_set_state(dynamics, q, qd);
    return dynamics;
}

/* 10 s of one gait: at 60 Hz every joint gets the next stretch of a polygon along its sine. */
static int run_gait(const struct fixed_creature *creature, const struct world *world, int gait)
{
    arena_reset(&arena);
    struct dynamics *dynamics = build_fixed(creature, world);
    if (!dynamics)
        return -1;
    double last[FIXED_BODIES_MAX];
    for (int tick = 0; tick <= FIXED_SECONDS * FIXED_TICKS_HZ; tick++) {
        for (int i = 1; i < creature->body_count; i++) {
            double shift = gait * (TWO_PI / FIXED_GAITS) * (i - 1);
            double angle = TWO_PI * FIXED_FREQUENCY_HZ * tick / FIXED_TICKS_HZ;
            double target =
                FIXED_AMPLITUDE_RAD * det_sin(angle + creature->joints[i - 1].phase_rad + shift);
            if (tick > 0)
                dynamics_set_target(dynamics, i, last[i], (target - last[i]) * FIXED_TICKS_HZ);
            last[i] = target;
        }
        for (int k = 0; tick > 0 && k < FIXED_STEPS_PER_TICK; k++)
            if (dynamics_step(dynamics) != 0)
                return -1;
    }
    return 0;
}

struct fixed_case {
    const struct fixed_creature *creature;
    struct world world;
};
#define LAND                                                                                       \
    {                                                                                              \
        .gravity_m_s2 = 9.81, .has_ground = 1, .friction = 0.8                                     \
    }
#define WATER                                                                                      \
    {                                                                                              \
        .viscosity_pa_s = 1, .friction = 0.8                                                       \
    }
#define SPACE                                                                                      \
    {                                                                                              \
        .friction = 0.8                                                                            \
    }
static const struct fixed_case c5_land = {&c5, LAND}, c5_water = {&c5, WATER},
                               c5_free = {&c5, SPACE}, c12_land = {&c12, LAND},
                               c12_water = {&c12, WATER}, c12_free = {&c12, SPACE};

/* The tables above have the feet 1 m up, and nothing overlaps. */
static int check_fixed(const void *context)
{
    const struct fixed_case *fixed = context;
    double bounds[4];
    arena_reset(&arena);
    struct dynamics *dynamics = build_fixed(fixed->creature, &fixed->world);
    if (dynamics)
        dynamics_bounds(dynamics, bounds);
    if (dynamics && fabs(bounds[1] - 1) < 1e-9 && dynamics_overlap(dynamics) < 1e-9)
        return 0;
    fprintf(stderr, "the body is not the one that is meant\n");
    return -1;
}

static int run_fixed(const void *context)
{
    const struct fixed_case *fixed = context;
    for (int gait = 0; gait < FIXED_GAITS; gait++)
        if (run_gait(fixed->creature, &fixed->world, gait) != 0) {
            fprintf(stderr, "gait %d: no memory, or the state is no longer finite\n", gait);
            return -1;
        }
    return FIXED_GAITS;
}

/* ---------------------------------------------------------------- whole evaluations */

enum { CREATURES_MAX = 64 };
static struct creature creatures[CREATURES_MAX];
static int creature_count;

static void forget_creatures(void)
{
    while (creature_count > 0)
        creature_deinit(&creatures[--creature_count]);
}

/* Creatures of a first generation, in the world of that preset. */
static int make_random_creatures(const void *preset)
{
    struct params params;
    struct error error;
    params_set_defaults(&params);
    if (params_set(&params, "world.preset", preset, &error) != 0) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    while (creature_count < CREATURES_MAX) {
        struct creature *creature = &creatures[creature_count];
        struct gene_counter ids = {.creature = (uint64_t)creature_count + 1};
        struct rng rng;
        rng_init(&rng, 1, RNG_RANDOM_GENOME, 0, ids.creature);
        creature_init(creature);
        creature->params = params;
        creature->seed = rng_mix_seed(1, ids.creature);
        if (genetics_random(&creature->genome, &params, &rng, &ids) != 0)
            return -1;
        creature_count++;
    }
    return 0;
}

/* Reads NAME-1.creature, NAME-2.creature, ... up to the first that is not there. */
static int read_creatures(const void *name)
{
    while (creature_count < CREATURES_MAX) {
        char path[128];
        struct error error;
        snprintf(path, sizeof path, "tests/bench/creatures/%s-%d.creature", (const char *)name,
                 creature_count + 1);
        if (creature_count > 0 && access(path, F_OK) != 0)
            return 0;
        if (creature_read(&creatures[creature_count], path, &error) != 0) {
            fprintf(stderr, "%s\n", error.message);
            return -1;
        }
        creature_count++;
    }
    return 0;
}

static int run_evaluations(const void *context)
{
    for (int i = 0; i < creature_count; i++) {
        struct evaluation result;
        evaluate(&creatures[i].genome, &creatures[i].params, creatures[i].seed, &arena, NULL, NULL,
                 &result);
    }
    return creature_count;
}

/* ---------------------------------------------------------------- expression and brain alone */

enum { EXPRESSIONS_EACH = 20, THINKS_EACH = 500 };
#define THINK_DT_S (1.0 / 120)

static int run_expressions(const void *context)
{
    for (int k = 0; k < EXPRESSIONS_EACH; k++)
        for (int i = 0; i < creature_count; i++) {
            struct phenotype phenotype;
            arena_reset(&arena);
            phenotype_express(&phenotype, &creatures[i].genome, &creatures[i].params, &arena);
        }
    return EXPRESSIONS_EACH * creature_count;
}

struct thinker {
    struct brain *brain;
    double *sensors, *signals;
};
static struct thinker thinkers[CREATURES_MAX];
static int thinker_count;

/* The brains of random creatures, all in the arena, sensors at fixed values. */
static int make_brains(const void *preset)
{
    arena_reset(&arena);
    thinker_count = 0;
    if (make_random_creatures(preset) != 0)
        return -1;
    for (int i = 0; i < creature_count; i++) {
        struct phenotype *phenotype = arena_take(&arena, 1, sizeof *phenotype);
        if (!phenotype || phenotype_express(phenotype, &creatures[i].genome, &creatures[i].params,
                                            &arena) != VERDICT_OK)
            continue;
        int sensor_count = phenotype->part_count * SENSOR_COUNT;
        struct thinker *thinker = &thinkers[thinker_count];
        thinker->brain = brain_create(phenotype, &arena);
        thinker->sensors = arena_take(&arena, (size_t)sensor_count, sizeof(double));
        thinker->signals = arena_take(&arena, (size_t)phenotype->effector_count, sizeof(double));
        if (!thinker->brain || !thinker->sensors || !thinker->signals) {
            fprintf(stderr, "the arena is full\n");
            return -1;
        }
        for (int k = 0; k < sensor_count; k++)
            thinker->sensors[k] = k % 3 * 0.4 - 0.4;
        thinker_count++;
    }
    return 0;
}

static int run_brains(const void *context)
{
    for (int i = 0; i < thinker_count; i++) {
        const struct thinker *thinker = &thinkers[i];
        brain_reset(thinker->brain);
        for (int k = 0; k < THINKS_EACH; k++)
            brain_think(thinker->brain, thinker->sensors, thinker->signals, THINK_DT_S);
    }
    return THINKS_EACH * thinker_count;
}

/* ---------------------------------------------------------------- the table */

#define FIXED(name, repetitions)                                                                   \
    {                                                                                              \
#name, "us/evaluation", repetitions, 0, &name, check_fixed, run_fixed, NULL                \
    }
#define EVALUATIONS(name, repetitions, of, set_up)                                                 \
    {                                                                                              \
        name, "us/evaluation", repetitions, 0, of, set_up, run_evaluations, forget_creatures       \
    }

static const struct bench_workload workloads[] = {
    FIXED(c5_land, 9),
    FIXED(c5_water, 9),
    FIXED(c5_free, 9),
    FIXED(c12_land, 5),
    FIXED(c12_water, 5),
    FIXED(c12_free, 5),
    EVALUATIONS("random_walk", 7, "land", make_random_creatures),
    EVALUATIONS("random_swim", 7, "water", make_random_creatures),
    EVALUATIONS("evolved_walk", 25, "walk", read_creatures),
    EVALUATIONS("evolved_swim", 25, "swim", read_creatures),
    {"brain_only", "us/think", 25, 0, "land", make_brains, run_brains, forget_creatures},
    {"express_only", "us/expression", 25, 0, "land", make_random_creatures, run_expressions,
     forget_creatures},
};

int main(int argc, char **argv)
{
    if (arena_init(&arena, EVALUATE_ARENA_BYTES) != 0)
        return 1;
    int result = bench_main(argc, argv, workloads, (int)(sizeof workloads / sizeof workloads[0]));
    arena_deinit(&arena);
    return result;
}
