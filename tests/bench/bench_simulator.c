/* How long the simulator takes: two fixed bodies under fixed gaits (the dynamics alone), whole
 * evaluations of random and of evolved creatures, and brain and expression alone. What each
 * workload is stands in README.md. */
#include <unistd.h>

#include "common/creature/creature.h"
#include "common/genetics/genetics.h"
#include "simulator/tools/scenes/scene.h"
#include "tests/bench/bench.h"
#include "tests/bench/expected.h"
#include "tests/bench/fixed_dynamics.h"
#include "tests/sphere_fixture.h"
#include "tests/readout.h"
#include "simulator/evaluate/evaluate.h"

static struct arena arena;

/* ---------------------------------------------------------------- C5 and C12 */

/* 10 s of one gait, from nothing to nothing. */
static int run_gait(const struct fixed_creature *creature, const struct world *world, int gait)
{
    struct dynamics_settings settings = fixed_settings();
    arena_reset(&arena);
    struct dynamics *dynamics = fixed_create(creature, world, &settings, &arena);
    return dynamics ? fixed_move(dynamics, creature, gait, FIXED_AMPLITUDE_RAD,
                                 FIXED_SECONDS * FIXED_TICKS_HZ, 240 / FIXED_TICKS_HZ)
                    : -1;
}

struct fixed_case {
    const struct fixed_creature *creature;
    struct world world;
};
#define LAND                                                                                       \
    {                                                                                              \
        .gravity_m_s2 = FIXED_GRAVITY_M_S2, .has_ground = 1, .friction = FIXED_FRICTION,           \
        .own_friction = FIXED_FRICTION                                                             \
    }
#define WATER                                                                                      \
    {                                                                                              \
        .viscosity_pa_s = 1, .own_friction = FIXED_FRICTION                                        \
    }
#define SPACE                                                                                      \
    {                                                                                              \
        .own_friction = FIXED_FRICTION                                                             \
    }
static const struct fixed_case c5_land = {&fixed_c5, LAND}, c5_water = {&fixed_c5, WATER},
                               c5_free = {&fixed_c5, SPACE}, c12_land = {&fixed_c12, LAND},
                               c12_water = {&fixed_c12, WATER}, c12_free = {&fixed_c12, SPACE};

/* The tables have the feet 1 m up, and nothing overlaps. */
static int check_fixed(const void *context)
{
    const struct fixed_case *fixed = context;
    double bounds[4];
    arena_reset(&arena);
    struct dynamics_settings settings = fixed_settings();
    struct dynamics *dynamics = fixed_create(fixed->creature, &fixed->world, &settings, &arena);
    if (dynamics)
        read_bounds(dynamics, bounds);
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

/* ---------------------------------------------------------------- spheres */

/* 10 s of the spider, every muscle to and fro four times a second by a fifth of its length; its
 * ledger is read at every tick, as an evaluation does. */
static int run_spider(const void *context)
{
    static struct sphere_fixture spider;
    fixture_make_spider(&spider);
    spider.settings.spheres.body_damping_1_s = 1;
    fixture_start(&spider);
    for (int tick = 0; tick < 600; tick++) {
        for (int i = 0; i < spider.body.drive_count; i++) {
            const struct sphere_drive *drive = &spider.drives[i];
            double share = (tick / 8 + i) % 2 ? 0.2 : -0.2;
            dynamics_set_target(spider.dynamics, i, drive->rest + share * drive->unit, 0);
        }
        for (int i = 0; i < 4; i++)
            if (dynamics_step(spider.dynamics) != 0)
                return -1;
        if (!(dynamics_ledger(spider.dynamics)->kinetic_j < 1000))
            return -1;
    }
    return 1;
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

/* ---------------------------------------------------------------- an exact pendulum */

enum { PENDULUM_SECONDS = 10 };

/* The double pendulum of the oracle, RK4 at 240 Hz, made and moved for so long. NULL: it failed. */
static struct dynamics *move_pendulum(struct scene *scene, double seconds)
{
    struct error error;
    struct dynamics *dynamics;
    arena_reset(&arena);
    scene->settings.integrator = INTEGRATOR_RK4;
    scene->settings.dt_s = 1.0 / 240;
    if (scene_start(scene, &arena, &dynamics, &error) != 0) {
        fprintf(stderr, "%s\n", error.message);
        return NULL;
    }
    for (int steps = (int)(seconds * 240 + 0.5); steps > 0; steps--)
        if (dynamics_step(dynamics) != 0)
            return NULL;
    return dynamics;
}

static struct scene pendulum;

static int read_pendulum(const void *context)
{
    struct error error;
    if (scene_read_file(&pendulum, "tests/oracle/scenes/double-pendulum-rods.json", &error) == 0)
        return 0;
    fprintf(stderr, "%s\n", error.message);
    return -1;
}

static int run_pendulum(const void *context)
{
    return move_pendulum(&pendulum, PENDULUM_SECONDS) ? 1 : -1;
}

/* How far the tip is off after 10 s, m. */
static double measure_pendulum(const void *context)
{
    const char *name = "double_pendulum_rods";
    struct dynamics *dynamics = move_pendulum(&pendulum, PENDULUM_SECONDS);
    if (!dynamics)
        return NAN;
    struct vec2 tip = scene_body_point(&pendulum, dynamics, 1, (struct vec2){0.7, 0});
    return hypot(tip.x - expected_number(name, "tip_x", PENDULUM_SECONDS),
                 tip.y - expected_number(name, "tip_y", PENDULUM_SECONDS));
}

/* ---------------------------------------------------------------- a walker without its brain */

/* What a walker's effectors did in its scored time, and from where. */
enum { TAPE_TICKS_MAX = 2000, TAPE_DOF_MAX = 64 };
static struct tape {
    double signals[TAPE_TICKS_MAX][TAPE_DOF_MAX];
    double q[TAPE_DOF_MAX], end[TAPE_DOF_MAX];
    int ticks; /* recorded, the start included */
} tape;

static int record_tick(void *context, const struct evaluate_view *view)
{
    size_t dof = (size_t)view->dynamics->dof * sizeof(double);
    if (view->phase != PHASE_SCORE || dof > sizeof tape.q || tape.ticks == TAPE_TICKS_MAX)
        return 0;
    if (tape.ticks == 0)
        memcpy(tape.q, view->dynamics->q, dof);
    memcpy(tape.end, view->dynamics->q, dof);
    for (int i = 0; i < view->phenotype->effector_count; i++)
        tape.signals[tape.ticks][i] = view->signals[i];
    tape.ticks++;
    return 0;
}

/* Moves body and servos by the tape, and nothing else. 0, or -1 if that is another motion. */
static int replay_tape(const struct creature *creature)
{
    struct phenotype phenotype;
    struct dynamics *dynamics = NULL;
    const struct params *p = &creature->params;
    struct world world;
    double tick_s = 1 / p->simulation_brain_hz, qd[TAPE_DOF_MAX] = {0};
    int steps = (int)ceil(tick_s / p->simulation_dt_s - 1e-6);
    struct dynamics_settings settings = {.solver = p->simulation_solver,
                                         .dt_s = tick_s / steps,
                                         .integrator = p->simulation_integrator,
                                         .servo_rad_s = p->creature_servo_rad_s,
                                         .joint_speed_rad_s = p->creature_joint_speed_rad_s,
                                         .joint_speed_m_s = p->creature_joint_speed_m_s,
                                         .effector_mode = p->creature_effector_mode,
                                         .joint_damping_1_s = p->creature_joint_damping_1_s,
                                         .hill_curvature = p->creature_hill_curvature};
    world_init(&world, p, creature->genome.kind);
    arena_reset(&arena);
    if (phenotype_express(&phenotype, &creature->genome, p, &arena) == VERDICT_OK)
        dynamics = dynamics_create(&phenotype, &world, &settings, &arena);
    if (!dynamics)
        return -1;
    dynamics_set_state(dynamics, tape.q, qd);
    for (int tick = 1; tick < tape.ticks; tick++) {
        for (int i = 0; i < phenotype.effector_count; i++) {
            int drive = phenotype.effectors[i].drive;
            double from = tape.signals[tick - 1][i], to = tape.signals[tick][i];
            double unit = phenotype.drives[drive].unit;
            dynamics_set_target(dynamics, drive, unit * from, unit * (to - from) / tick_s);
        }
        for (int k = 0; k < steps; k++)
            if (dynamics_step(dynamics) != 0)
                return -1;
    }
    return memcmp(dynamics->q, tape.end, (size_t)dynamics->dof * sizeof(double)) == 0 ? 0 : -1;
}

static double time_evaluation(const struct creature *creature, double duration_s)
{
    struct evaluation result;
    struct params params = creature->params;
    params.simulation_duration_s = duration_s;
    double from_us = bench_now_us(0);
    evaluate(&creature->genome, &params, creature->seed, &arena, NULL, NULL, &result);
    return bench_now_us(0) - from_us;
}

/* The scored time of evolved creatures (without settling: the difference to next to no scored
 * time), as a multiple of the same motions without brain, sensors, measures, guards and digest. */
static double measure_brain_share(const void *context)
{
    double with_us = 0, without_us = 0;
    for (int i = 0; i < creature_count; i++) {
        const struct creature *creature = &creatures[i];
        double tick_s = 1 / creature->params.simulation_brain_hz;
        struct evaluation result;
        tape.ticks = 0;
        evaluate(&creature->genome, &creature->params, creature->seed, &arena, record_tick, NULL,
                 &result);
        double whole_us = time_evaluation(creature, creature->params.simulation_duration_s);
        with_us += whole_us - time_evaluation(creature, tick_s);
        double from_us = bench_now_us(0);
        if (tape.ticks < 2 || replay_tape(creature) != 0) {
            fprintf(stderr, "creature %d: its motion cannot be repeated\n", i + 1);
            return NAN;
        }
        without_us += bench_now_us(0) - from_us;
    }
    return with_us / without_us;
}

/* ---------------------------------------------------------------- the table */

#define FIXED(name, repetitions)                                                                   \
    {                                                                                              \
#name, "us/evaluation", repetitions, 0, &name, check_fixed, run_fixed, NULL, NULL          \
    }
#define EVALUATIONS(name, repetitions, of, set_up)                                                 \
    {                                                                                              \
        name, "us/evaluation", repetitions, 0, of, set_up, run_evaluations, NULL, forget_creatures \
    }

static const struct bench_workload workloads[] = {
    FIXED(c5_land, 9),
    FIXED(c5_water, 9),
    FIXED(c5_free, 9),
    FIXED(c12_land, 5),
    FIXED(c12_water, 5),
    FIXED(c12_free, 5),
    {"spider", "us/evaluation", 25, 0, NULL, NULL, run_spider, NULL, NULL},
    EVALUATIONS("random_walk", 7, "land", make_random_creatures),
    EVALUATIONS("random_swim", 7, "water", make_random_creatures),
    EVALUATIONS("evolved_walk", 25, "walk", read_creatures),
    EVALUATIONS("evolved_swim", 25, "swim", read_creatures),
    EVALUATIONS("boxes_walk", 9, "walk3d", read_creatures),
    EVALUATIONS("boxes_swim", 9, "swim3d", read_creatures),
    {"evolved_walk_brain", "times without brain", 25, 0, "walk", read_creatures, NULL,
     measure_brain_share, forget_creatures},
    {"evolved_swim_brain", "times without brain", 25, 0, "swim", read_creatures, NULL,
     measure_brain_share, forget_creatures},
    {"brain_only", "us/think", 25, 0, "land", make_brains, run_brains, NULL, forget_creatures},
    {"express_only", "us/expression", 25, 0, "land", make_random_creatures, run_expressions, NULL,
     forget_creatures},
    {"pendulum_rk4", "us/evaluation", 25, 0, NULL, read_pendulum, run_pendulum, NULL, NULL},
    {"pendulum_rk4_error", "m off after 10 s", 1, 0, NULL, read_pendulum, NULL, measure_pendulum,
     NULL},
};

int main(int argc, char **argv)
{
    if (arena_init(&arena, SCENE_ARENA_BYTES) != 0)
        return 1;
    int result = bench_main(argc, argv, workloads, (int)(sizeof workloads / sizeof workloads[0]));
    arena_deinit(&arena);
    return result;
}
