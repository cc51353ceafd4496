/* Nothing in the plane passes what is thin, at any speed that creatures are allowed: plates and
 * rectangles, tilted and spinning, against walls, against other bodies of the scene, and against
 * other creatures. */
#include "common/math/detmath.h"
#include "tests/forest_step.h"
#include "tests/unit/body_fixture.h"

enum { STARTS = 200, STEPS = 240 };

static struct stage stage, other;
static struct rng rng;

static void setup(void)
{
    stage_open(&stage);
    stage_open(&other);
    rng_init(&rng, 7, RNG_TEST, 0, 1);
}

/* From least to most, as likely in each octave. */
static double draw_size(double least, double most)
{
    return least * det_exp(rng_unit(&rng) * det_log(most / least));
}

/* A plate or a rectangle that flies from the left at what is 2 to 20 mm thick, across x = 0. */
struct start {
    double thickness_m, width_m, height_m;
    double q[3], qd[3];
};

static struct start draw_start(void)
{
    double thickness = draw_size(0.002, 0.02), speed = draw_size(1, 100);
    double height = rng_uniform(&rng, 0.05, 0.25);
    return (struct start){
        .thickness_m = thickness,
        .width_m = rng_chance(&rng, 0.7) ? thickness : height,
        .height_m = height * rng_uniform(&rng, 0.3, 1.3),
        .q = {rng_uniform(&rng, -0.5, -0.3), 0, rng_uniform(&rng, -3, 3)},
        .qd = {speed, speed * rng_uniform(&rng, -0.5, 0.5), rng_uniform(&rng, -30, 30)}};
}

/* ---------------------------------------------------------------- walls */

/* What momentum a step gives beyond what it says that contacts and gravity gave, as a share of
 * these. */
static double step_from_nowhere(void)
{
    struct stage_gain gain = stage_step_gain(&stage);
    return (gain.off - 1e-14 * gain.size) / gain.given;
}

static int passes_wall(const struct start *s)
{
    double q[BODY_DOF_MAX] = {s->q[0], s->q[1], s->q[2]},
           qd[BODY_DOF_MAX] = {s->qd[0], s->qd[1], s->qd[2]};
    stage.world = (struct world){.friction = 0.5, .gravity_m_s2 = BODY_GRAVITY};
    stage.world.obstacles.list[stage.world.obstacles.count++] =
        (struct obstacle){0, 0, s->thickness_m, 999, 0};
    body_init_box(&stage.body, s->width_m, s->height_m, 0.5);
    stage_start(&stage, q, qd);
    for (int i = 0; i < STEPS; i++)
        ck_assert_double_lt(step_from_nowhere(), 1e-9);
    return stage_part(&stage, 0).at_m.x > 0;
}

/* ---------------------------------------------------------------- other bodies */

/* A long and heavy plate. */
static const struct body_part plate = {.parent = -1, .height_m = 20, .mass_kg = 1e4};

/* 1: on the other side of the plate. */
static int is_beyond(const struct part_state *part, const struct part_state *of)
{
    return (part->at_m.x - of->at_m.x) * cos(of->angle_rad) +
               (part->at_m.y - of->at_m.y) * sin(of->angle_rad) >
           0;
}

static int passes_creature(const struct start *s)
{
    double q[BODY_DOF_MAX] = {s->q[0], s->q[1], s->q[2]},
           qd[BODY_DOF_MAX] = {s->qd[0], s->qd[1], s->qd[2]};
    struct body_part thin = plate;
    struct forest forest;
    struct error error;
    struct vec3 linear, angular;
    thin.width_m = s->thickness_m;
    body_init_box(&stage.body, s->width_m, s->height_m, 0.5);
    body_init(&other.body, &thin, 1);
    stage.world = other.world = (struct world){.own_friction = 0.5, .friction = 0.5};
    stage_build(&stage);
    stage_build(&other);
    stage_set(&stage, q, qd);
    struct dynamics *both[] = {stage.dynamics, other.dynamics};
    ck_assert_int_eq(forest_create(&forest, both, NULL, 2, &other.arena, &error), 0);
    for (int i = 0; i < STEPS; i++)
        ck_assert_int_eq(forest_step(&forest), 0);
    forest_momentum(&forest, &linear, &angular);
    double moved = 0.5 * hypot(s->qd[0], s->qd[1]);
    ck_assert_xy(linear, 0.5 * s->qd[0], 0.5 * s->qd[1], 1e-10 * moved);
    struct part_state flown = stage_part(&stage, 0), stood = stage_part(&other, 0);
    return is_beyond(&flown, &stood);
}

/* ---------------------------------------------------------------- own parts */

/* An arm of two plates hinged at a shoulder swings at a post that stands on the same trunk. */
static int passes_part(const struct start *s)
{
    double length = s->height_m, rate = s->qd[0] / length, side = rng_chance(&rng, 0.5) ? 1 : -1;
    double q[BODY_DOF_MAX] = {0, 0, 0, side * 1.2}, qd[BODY_DOF_MAX] = {0, 0, 0, -side * rate};
    const struct body_part parts[] = {
        {ROOT(0.5, 0.02, 1e4), .y_m = 0},
        {PART(0, 0, 0.01 + length / 2, s->width_m < length / 4 ? s->width_m : length / 4, length,
              0.1),
         ANCHOR(0, 0.01)},
        {PART(0, 0.5, 0.5, 0.02, 1, 1), ANCHOR(0.5, 0), .is_rigid = 1},
        {PART(2, 0, 0.01 + length * 1.05, s->thickness_m, length * 0.3, 1), ANCHOR(0.5, 0.9),
         .is_rigid = 1}};
    body_init(&stage.body, parts, 4);
    stage.world = (struct world){.own_friction = 0.3};
    stage_start(&stage, q, qd);
    int has_passed = 0;
    for (int i = 0; i < STEPS; i++) {
        ck_assert_int_eq(dynamics_step(stage.dynamics), 0);
        has_passed |= stage.dynamics->q[3] * side < 0;
    }
    return has_passed;
}

static int (*const passes[])(const struct start *s) = {passes_wall, passes_creature, passes_part};

TEST_LOOP(what_is_thin_holds, 0, 3)
{
    int passed = 0;
    for (int i = 0; i < STARTS; i++) {
        struct start s = draw_start();
        passed += passes[_i](&s);
    }
    ck_assert_int_eq(passed, 0);
}

SUITE("walls", 120, setup, NULL)
