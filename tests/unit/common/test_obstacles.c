/* Obstacles: their text, and what bodies do on them, on both solvers: blocks on slopes against
 * closed forms, boxes that rest, bounce, slide over seams and off edges; creatures that begin above
 * them. */
#include "common/params/obstacles.h"

#include "common/creature/creature.h"
#include "simulator/contact/collide.h"
#include "simulator/evaluate/terrain.h"
#include "tests/unit/stage_fixture.h"
#include "tests/plain_fixture.h"
#include "simulator/evaluate/evaluate.h"

enum { DOF = BODY_DOF_MAX };

/* ---------------------------------------------------------------- text */

TEST(text_is_read)
{
    struct obstacles o;
    ck_assert_int_eq(obstacles_parse(&o, "", &error), 0);
    ck_assert_int_eq(o.count, 0);
    ck_ok(obstacles_parse(&o, " 1 0.05 .4 1e-1 -0.5 ,2 3 4 5 6*3 0.5 -0.25,", &error));
    ck_assert_int_eq(o.count, 4);
    ck_assert_double_eq(o.list[0].x_m, 1);
    ck_assert_double_eq(o.list[0].y_m, 0.05);
    ck_assert_double_eq(o.list[0].width_m, 0.4);
    ck_assert_double_eq(o.list[0].height_m, 0.1);
    ck_assert_double_eq(o.list[0].angle_rad, -0.5);
    ck_assert_double_eq(o.list[3].x_m, 3);
    ck_assert_double_eq(o.list[3].y_m, 2.5);
    ck_assert_double_eq(o.list[3].height_m, 5);
    ck_assert_int_eq(obstacles_parse(&o, "0 0 1 1 0 * 32 1 0", &error), 0);
    ck_assert_int_eq(o.count, OBSTACLES_MAX);
}

TEST(bad_text_is_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 2 3 4", "entry 1: angle_rad is not a number: \"\""},
        {"1 2 3 4 0, 1 x 3 4 0", "entry 2: y_m is not a number: \"x 3 4 0\""},
        {"1 2 3 4 0x1", "entry 1: angle_rad is not a number: \"0x1\""},
        {"1 2 3 4 0 5", "entry 1: \"5\" behind it"},
        {"1 2 0 4 0", "entry 1: width_m 0 is not within 0.01 .. 1000"},
        {"1 2 3 -4 0", "entry 1: height_m -4 is not within"},
        {"1 2 3 4 7", "entry 1: angle_rad 7 is not within"},
        {"1e9 2 3 4 0", "entry 1: x_m 1e9 is not within -1000 .. 1000"},
        {"1e999 2 3 4 0", "entry 1: x_m 1e999 is not within"},
        {"nan 2 3 4 0", "entry 1: x_m is not a number"},
        {"1..2 2 3 4 0", "entry 1: x_m is not a number"},
        {"1 2 3 4 0 * 2.5 1 1", "entry 1: count 2.5 is not a whole number"},
        {"1 2 3 4 0 * 33 1 1", "entry 1: count 33 is not within 1 .. 32"},
        {"1 2 3 4 0 * 2 1", "entry 1: dy_m is not a number"},
        {"1 2 3 4 0 * 20 1 1, 1 2 3 4 0 * 13 0 0", "entry 2: more than 32 obstacles"},
        {",", "entry 1: x_m is not a number: \",\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct obstacles o;
        ck_assert_int_lt(obstacles_parse(&o, cases[i].text, &error), 0);
        ck_assert_msg(strstr(error.message, cases[i].message) != NULL, "%s: %s", cases[i].text,
                      error.message);
        ck_assert_int_eq(o.count, 0);
    }
}

/* Whatever the text, nothing but a result or a message. */
TEST(any_text_is_survived)
{
    static const char letters[] = "0123456789 .,*-+e\txnai";
    struct rng rng = test_rng(3, 0, 1);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        struct obstacles o;
        int length = (int)rng_below(&rng, sizeof text);
        for (int k = 0; k < length; k++)
            text[k] = letters[rng_below(&rng, sizeof letters - 1)];
        text[length] = '\0';
        int rc = obstacles_parse(&o, text, &error);
        ck_assert_int_le(o.count, OBSTACLES_MAX);
        ck_assert(rc <= 0);
    }
}

TEST(parameters_are_checked)
{
    params_set_defaults(&params);
    ck_assert_int_eq(params_set(&params, "world.obstacles", "1 2 3 4", &error), 0);
    ck_assert_int_eq(params_check(&params, &error), ERR_FORMAT);
    ck_assert_int_eq(params_set(&params, "world.obstacles", "1 2 3 4 0", &error), 0);
    ck_assert_int_eq(params_check(&params, &error), 0);
    params.world_ground = 0;
    params.simulation_integrator = INTEGRATOR_RK4;
    ck_refused(params_check(&params, &error), ERR_RANGE, "world.obstacles");
}

/* ---------------------------------------------------------------- geometry */

TEST(lifts_end_where_overlap_ends)
{
    struct rng rng = test_rng(4, 0, 1);
    int overlaps = 0;
    for (int i = 0; i < 3000; i++) {
        struct obstacle o = {rng_uniform(&rng, -1, 1), rng_uniform(&rng, -1, 1),
                             rng_uniform(&rng, 0.1, 2), rng_uniform(&rng, 0.1, 2),
                             rng_uniform(&rng, -3, 3)};
        double angle = rng_uniform(&rng, -3, 3), low, high;
        struct box obstacle, box = {.x = rng_uniform(&rng, -1, 1),
                                    .half_width = rng_uniform(&rng, 0.05, 0.5),
                                    .half_height = rng_uniform(&rng, 0.05, 0.5),
                                    .cos = cos(angle),
                                    .sin = sin(angle)};
        collide_place_obstacle(&o, &obstacle);
        if (!collide_lift_range(&box, &obstacle, &low, &high)) {
            ck_assert_double_ge(collide_separation(&box, &obstacle), -1e-9);
            continue;
        }
        overlaps++;
        double ends[4] = {low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6};
        for (int k = 0; k < 4; k++) {
            box.y = ends[k];
            ck_assert_int_eq(collide_separation(&box, &obstacle) < 0, k == 1 || k == 2);
        }
    }
    ck_assert_int_gt(overlaps, 1000);
}

/* ---------------------------------------------------------------- motions */

static void use_solver(int solver)
{
    stage.settings.solver = solver;
    stage.settings.rtol = 1e-8;
    stage.settings.constraint_tau_s = 0.01;
}

static void add_obstacle(double x, double y, double width, double height, double angle)
{
    stage.world.obstacles.list[stage.world.obstacles.count++] =
        (struct obstacle){x, y, width, height, angle};
}

/* A block on a slope of 20 degrees, with friction mu: slides down with a = g (sin - mu cos), or
 * stays. The block is shorter than it is wide, so that it does not tip. */
TEST(a_block_slides_down_a_slope)
{
    static const double frictions[] = {0, 0.2, 0.5};
    const double angle = 20 * BODY_DEGREE;
    for (int solver = SOLVER_ARTICULATED; solver <= SOLVER_CONSTRAINT; solver++)
        for (int i = 0; i < 3; i++)
            for (int side = -1; side <= 1; side += 2) {
                double mu = frictions[i], slope = side * angle;
                use_solver(solver);
                stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .friction = mu};
                add_obstacle(1, 2, 10, 0.5, slope);
                body_init_box(&stage.body, 0.4, 0.2, 1.5);
                stage_build(&stage);

                /* its lower face on the slope's upper one */
                double nx = -sin(slope), ny = cos(slope);
                double q[DOF] = {1 + 0.35 * nx, 2 + 0.35 * ny, slope}, zero[DOF] = {0};
                stage_set(&stage, q, zero);
                stage_run(&stage, 1);
                struct part_state box = stage_part(&stage, 0);
                double a = BODY_GRAVITY * (sin(angle) - mu * cos(angle));
                double way =
                    side * -((box.at_m.x - q[0]) * cos(slope) + (box.at_m.y - q[1]) * sin(slope));
                double off = (box.at_m.x - q[0]) * nx + (box.at_m.y - q[1]) * ny;
                double expected = a > 0 ? a / 2 : 0;
                ck_assert_msg(fabs(way - expected) < 2e-3 * (1 + expected),
                              "solver %d, friction %g: %.6f m down, not %.6f", solver, mu, way,
                              expected);
                ck_assert_double_eq_tol(off, 0, 1e-4);
                ck_assert_double_eq_tol(box.angle_rad, slope, 1e-4);
                const struct ledger *l = dynamics_ledger(stage.dynamics);
                ck_assert_double_eq_tol(l->residual_j, 0, 2e-3);
                ck_assert_double_eq_tol(l->loss_friction_j,
                                        mu * 1.5 * BODY_GRAVITY * cos(angle) * way, 2e-2);
            }
}

/* A box dropped half a metre onto a step that stands on the ground: it comes to rest at its height,
 * and the contacts are the step's. */
TEST_LOOP(a_box_rests_on_a_step, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    double q[DOF] = {3, 1, 0}, zero[DOF] = {0};
    use_solver(_i);
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .has_ground = 1, .friction = 0.8};
    add_obstacle(-4, 0.1, 1, 0.2, 0);
    add_obstacle(3, 0.2, 1, 0.4, 0);
    body_init_box(&stage.body, 0.3, 0.2, 1);
    stage_start(&stage, q, zero);
    stage_run(&stage, 2);
    struct part_state box = stage_part(&stage, 0);
    ck_assert_double_eq_tol(box.at_m.y, 0.5, 1.1e-3);
    ck_assert_double_eq_tol(box.at_m.x, 3, 1e-6);
    ck_assert_double_eq_tol(box.velocity_m_s.y, 0, 1e-5);
    const struct contact_point *points;
    int count = dynamics_contacts(stage.dynamics, &points);
    double load = 0;
    ck_assert_int_ge(count, 1);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(points[i].other, CONTACT_OBSTACLE - 1);
        ck_assert_double_eq_tol(points[i].normal.y, 1, 1e-9);
        load += points[i].normal_impulse_n_s;
    }
    ck_assert_double_eq_tol(load, BODY_GRAVITY * stage.settings.dt_s, 1e-4);
}

/* It bounces as high as the elasticity says. Restitution of the default solver: to a step. */
TEST_LOOP(a_box_bounces_on_an_obstacle, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    double q[DOF] = {0, 2.1, 0}, zero[DOF] = {0}, highest = 0;
    use_solver(_i);
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .elasticity = 0.5};
    add_obstacle(0, 0.5, 2, 1, 0);
    body_init_box(&stage.body, 0.2, 0.2, 1);
    stage_start(&stage, q, zero);
    stage_run(&stage, 0.5);
    for (int i = 0; i < 120; i++) {
        stage_run(&stage, stage.settings.dt_s);
        highest = fmax(highest, stage_part(&stage, 0).at_m.y - 1.1);
    }
    ck_assert_double_eq_tol(highest, 0.25, 0.01);
}

/* A wall stops what runs into it, at any speed, and an obstacle's corner stops a long side. */
TEST(walls_stop_bodies)
{
    for (int solver = SOLVER_ARTICULATED; solver <= SOLVER_CONSTRAINT; solver++)
        for (int i = 0; i < 4; i++) {
            double speed = i == 0 ? 0.5 : 8.0 * i;
            double q[DOF] = {0}, qd[DOF] = {speed};
            use_solver(solver);
            stage.world = (struct world){.friction = 0.3};
            add_obstacle(1, 0.1, 0.05, 0.6, 0);
            body_init_box(&stage.body, 0.3, 0.2, 1);
            stage_start(&stage, q, qd);
            double deepest = 0;
            for (int k = 0; k < 480; k++) {
                stage_run(&stage, stage.settings.dt_s);
                deepest = fmax(deepest, stage.dynamics->touches.penetration_m);
            }
            ck_assert_double_lt(stage_part(&stage, 0).at_m.x, 0.83);
            ck_assert_double_lt(deepest, 2e-3);
        }
}

TEST_LOOP(a_corner_carries_a_beam, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    /* a beam laid on the corner of a turned obstacle, balanced, stays; pushed over, it tips */
    double top = 0.5 * sqrt(2), zero[DOF] = {0};
    double q[DOF] = {0, top + 0.05, 0}, off[DOF] = {0.1, top + 0.05, 0};
    use_solver(_i);
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .friction = 0.9};
    add_obstacle(0, 0, 1, 1, 45 * BODY_DEGREE);
    body_init_box(&stage.body, 2, 0.1, 1);
    stage_start(&stage, q, zero);
    stage_run(&stage, 0.1);
    ck_assert_double_eq_tol(stage_part(&stage, 0).at_m.y, top + 0.05, 1e-3);
    stage_set(&stage, off, zero);
    stage_run(&stage, 0.4);
    struct part_state beam = stage_part(&stage, 0);
    ck_assert_double_lt(beam.angle_rad, -0.1);
    /* still on the corner: its distance from the lower side */
    double dx = 0 - beam.at_m.x, dy = top - beam.at_m.y;
    double side = -sin(beam.angle_rad) * dx + cos(beam.angle_rad) * dy;
    ck_assert_double_eq_tol(side, -0.05, 2e-3);
}

/* Obstacles side by side are one floor, and flush with the ground they are not there. */
TEST_LOOP(seams_do_not_catch, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    double q[DOF] = {0, 0.6, 0}, qd[DOF] = {3};
    use_solver(_i);
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .friction = 0.1};
    for (int i = 0; i < 8; i++)
        add_obstacle(0.5 * i, 0.25, 0.5, 0.5, 0);
    body_init_box(&stage.body, 0.3, 0.2, 1);
    stage_start(&stage, q, qd);
    stage_run(&stage, 1);
    struct part_state box = stage_part(&stage, 0);
    double expected = 3 - 0.1 * BODY_GRAVITY / 2;
    ck_assert_double_eq_tol(box.at_m.x, expected, 0.02);
    ck_assert_double_eq_tol(box.at_m.y, 0.6, 2e-3);
}

/* A body far away, and one mirrored, do the same. */
TEST(places_do_not_matter)
{
    struct part_state ends[3];
    for (int i = 0; i < 3; i++) {
        int sign = i == 1 ? -1 : 1;
        double shift = i == 2 ? 100 : 0;
        double q[DOF] = {sign * 0.1 + shift, 2, sign * 0.4}, qd[DOF] = {sign * 1.0, 0, sign * -2};
        use_solver(SOLVER_ARTICULATED);
        stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .friction = 0.5};
        add_obstacle(sign * 0.2 + shift, 1, 1.5, 0.3, sign * 0.2);
        body_init_box(&stage.body, 0.4, 0.2, 1);
        stage_start(&stage, q, qd);
        stage_run(&stage, 0.6);
        ends[i] = stage_part(&stage, 0);
    }
    ck_assert_xy(ends[1].at_m, -ends[0].at_m.x, ends[0].at_m.y, 1e-6);
    ck_assert_double_eq_tol(ends[1].angle_rad, -ends[0].angle_rad, 1e-6);
    ck_assert_double_eq_tol(ends[2].at_m.x - 100, ends[0].at_m.x, 1e-6);
    ck_assert_double_eq_tol(ends[2].at_m.y, ends[0].at_m.y, 1e-6);
}

/* ---------------------------------------------------------------- surfaces of two materials */

TEST(surfaces_are_combined)
{
    struct world world;
    params_set_defaults(&params);
    world_init(&world, &params, BODY_RECTANGLES);
    ck_assert_double_eq(world.friction, 0.8);
    ck_assert_double_eq(world.own_friction, 0.8);
    ck_assert_double_eq(world.elasticity, 0);
    params.world_friction = 0.2;
    params.creature_elasticity = 0.3;
    world_init(&world, &params, BODY_RECTANGLES);
    ck_assert_double_eq_tol(world.friction, 0.4, 1e-15);
    ck_assert_double_eq(world.own_friction, 0.8);
    ck_assert_double_eq(world.elasticity, 0.3);
    ck_assert_double_eq(world.own_elasticity, 0.3);
    params.world_elasticity = 0.7;
    params.creature_friction = 0;
    world_init(&world, &params, BODY_RECTANGLES);
    ck_assert_double_eq(world.friction, 0);
    ck_assert_double_eq(world.elasticity, 0.7);
}

/* ---------------------------------------------------------------- creatures */

static double start_lowest_m, overlap_m;

/* At the start of each phase nothing is inside an obstacle. */
static int look(void *context, const struct evaluate_view *view)
{
    const struct obstacles *obstacles = context;
    for (int i = 0; i < view->phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(view->dynamics, i, &state);
        struct box obstacle, box = {.x = state.at_m.x,
                                    .y = state.at_m.y,
                                    .half_width = view->phenotype->parts[i].width_m / 2,
                                    .half_height = view->phenotype->parts[i].height_m / 2,
                                    .cos = cos(state.angle_rad),
                                    .sin = sin(state.angle_rad)};
        for (int k = 0; k < obstacles->count; k++) {
            collide_place_obstacle(&obstacles->list[k], &obstacle);
            overlap_m = fmax(overlap_m, -collide_separation(&box, &obstacle));
        }
    }
    if (view->phase == PHASE_SCORE && view->time_s == 0) {
        double bounds[4];
        read_bounds(view->dynamics, bounds);
        start_lowest_m = bounds[1];
    }
    return 0;
}

static const char *const creatures[] = {"examples/creatures/inchworm.json",
                                        "examples/creatures/biped.json"};

/* An example creature in a world of the examples, with settings "key=value" on top. */
static void judge(const char *creature_path, const char *world, const char *const *settings,
                  evaluate_observer *observer, struct obstacles *obstacles,
                  struct evaluation *result)
{
    SCOPED(creature) creature;
    params_set_defaults(&params);
    if (world != NULL)
        ck_ok(params_read_file(&params, world, &error));
    for (int i = 0; settings[i] != NULL; i++)
        ck_assert_int_eq(set_param(&params, settings[i], &error), 0);
    ck_ok(params_check(&params, &error));
    ck_assert_int_eq(creature_read(&creature, creature_path, &error), 0);
    if (obstacles != NULL)
        ck_assert_int_eq(obstacles_parse(obstacles, params.world_obstacles, &error), 0);
    arena_open(EVALUATE_ARENA_BYTES);
    start_lowest_m = overlap_m = 0;
    evaluate(&creature.genome, &params, 1, &arena, observer, obstacles, result);
}

static const char *solver_setting(int solver)
{
    return solver == SOLVER_CONSTRAINT ? "simulation.solver=constraint"
                                       : "simulation.solver=articulated";
}

/* A step right under the creature, and something far above it: it starts on the step, and walks. */
TEST(creatures_start_above_obstacles)
{
    for (int i = 0; i < 2; i++)
        for (int solver = SOLVER_ARTICULATED; solver <= SOLVER_CONSTRAINT; solver++) {
            const char *const settings[] = {"simulation.duration_s=1",
                                            "world.obstacles=0 0.1 6 0.3 0, 0 9 1 1 0",
                                            solver_setting(solver), NULL};
            struct obstacles obstacles;
            struct evaluation result;
            judge(creatures[i], NULL, settings, look, &obstacles, &result);
            ck_assert_int_eq(result.verdict, VERDICT_OK);
            ck_assert_double_eq_tol(start_lowest_m, 0.25, 2e-3);
            ck_assert_double_lt(overlap_m, 3e-3);
            ck_assert_double_gt(result.measures.contact_share, 0.5);
            ck_assert_double_lt(result.measures.residual_share, 0.01);
        }
}

static struct world terrain_of(const char *text, int has_ground)
{
    struct world world = {.gravity_m_s2 = BODY_GRAVITY, .has_ground = has_ground};
    ck_assert_int_eq(obstacles_parse(&world.obstacles, text, &error), 0);
    return world;
}

TEST(surfaces_are_found)
{
    struct world w = terrain_of("", 0);
    ck_assert(!terrain_can_carry(&w));
    ck_assert_double_eq(terrain_start_height(&w, 0), 0);
    ck_assert_double_eq(terrain_lowest_surface(&w), 0);
    w = terrain_of("0 -3 2 1 0, 0 0.5 2 1 0, 0 2 2 1 0, 5 -9 1 2 0", 0);
    ck_assert(terrain_can_carry(&w));
    ck_assert_double_eq_tol(terrain_start_height(&w, 0), 1, 1e-12);
    ck_assert_double_eq_tol(terrain_lowest_surface(&w), -8, 1e-12);
    w.has_ground = 1;
    ck_assert_double_eq(terrain_start_height(&w, 0), 0);
    ck_assert_double_eq(terrain_lowest_surface(&w), 0);
    w = terrain_of("3 1 2 1 0", 0);
    ck_assert_double_eq(terrain_start_height(&w, 0), 0);
    w.gravity_m_s2 = 0;
    ck_assert(!terrain_can_carry(&w));

    /* a slope of 30 degrees, written lying, and the same one standing on its end */
    const double angle = 30 * BODY_DEGREE;
    double there = 0.1 / cos(angle), lower = 0.1 * cos(angle) - 2 * sin(angle);
    for (int i = 0; i < 4; i++) {
        int is_standing = i % 2;
        double turn =
            (is_standing ? angle + 90 * BODY_DEGREE : angle) - (i / 2) * 180 * BODY_DEGREE;
        w = terrain_of("0 0 4 0.2 0", 0);
        w.obstacles.list[0].angle_rad = turn;
        if (is_standing) {
            w.obstacles.list[0].width_m = 0.2;
            w.obstacles.list[0].height_m = 4;
        }
        ck_assert_double_eq_tol(terrain_start_height(&w, 0), there, 1e-12);
        ck_assert_double_eq_tol(terrain_lowest_surface(&w), lower, 1e-12);
    }
}

/* No ground: they settle on obstacles under them, and none begins inside anything. */
TEST(creatures_settle_on_platforms)
{
    static const char *const worlds[] = {"examples/steps.ini", "examples/hop.ini",
                                         "examples/platform.ini", "examples/course.ini"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            for (int solver = SOLVER_ARTICULATED; solver <= SOLVER_CONSTRAINT; solver++) {
                const char *const settings[] = {"simulation.duration_s=1", solver_setting(solver),
                                                NULL};
                struct obstacles obstacles;
                struct evaluation result;
                judge(creatures[k], worlds[i], settings, look, &obstacles, &result);
                ck_assert_int_eq(result.verdict, VERDICT_OK);
                ck_assert_double_gt(result.measures.settle_s, 0.4);
                ck_assert_double_eq_tol(result.measures.lowest_start_m, 0, 2e-3);
                ck_assert_double_lt(overlap_m, 3e-3);
                ck_assert_double_gt(result.measures.contact_share, 0.5);
                ck_assert_double_eq(result.measures.fell, 0);
            }
}

/* On a slope, turned a little at the start: still outside of it. */
TEST_LOOP(perturbed_poses_are_outside, 1, 9)
{
    const char *number = printed("simulation.perturbation=%d", _i);
    const char *const settings[] = {"simulation.duration_s=0.1",
                                    "world.obstacles=0 -1 20 2 0.3",
                                    "world.ground=no",
                                    "settle.required=no",
                                    "exam.turn_rad=0.1",
                                    "exam.drop_m=0",
                                    number,
                                    NULL};
    struct obstacles obstacles;
    struct evaluation result;
    judge(creatures[0], NULL, settings, look, &obstacles, &result);
    ck_assert(start_lowest_m != 0);
    ck_assert_double_lt(overlap_m, 3e-3);
}

TEST(creatures_fall_where_nothing_carries_them)
{
    struct evaluation result;
    const char *off[] = {"world.ground=no", "world.obstacles=30 0 4 1 0", "simulation.until=fall",
                         NULL, NULL};
    judge(creatures[1], NULL, off, NULL, NULL, &result);
    ck_assert_int_eq(result.verdict, VERDICT_UNSETTLED);
    off[3] = "settle.required=no";
    judge(creatures[1], NULL, off, NULL, NULL, &result);
    ck_assert_int_eq(result.verdict, VERDICT_FELL);
    ck_assert_double_lt(result.measures.settle_s, 1);

    /* dropped above a platform that is high up */
    const char *const high[] = {"world.ground=no", "world.obstacles=0 1.5 4 1 0", "settle.drop_m=1",
                                NULL};
    judge(creatures[1], NULL, high, NULL, NULL, &result);
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    ck_assert_double_eq_tol(result.measures.lowest_start_m, 3, 1e-9);
    ck_assert_double_eq(result.measures.fell, 0);

    /* it walks off a small one: no way counts beyond the edge; then a lower one catches it */
    const char *small[] = {"world.ground=no", "world.obstacles=0 -0.25 1.5 0.5 0",
                           "simulation.until=fall", NULL};
    judge(creatures[1], NULL, small, NULL, NULL, &result);
    ck_assert_int_eq(result.verdict, VERDICT_FELL);
    ck_assert_double_eq(result.measures.fell, 1);
    ck_assert_double_gt(result.measures.reach_m, 0.5);
    ck_assert_double_le(result.measures.reach_m, 0.75);
    ck_assert_double_gt(result.measures.distance_m, 0.75);
    small[1] = "world.obstacles=0 -0.25 1.5 0.5 0, 0 -1 20 0.5 0";
    judge(creatures[1], NULL, small, NULL, NULL, &result);
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    ck_assert_double_eq(result.measures.fell, 0);
    ck_assert_double_gt(result.measures.reach_m, 0.75);
}

/* A wide obstacle is a ground: the same walk on both, as exactly as chaos allows. */
TEST_LOOP(wide_obstacles_are_ground, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    struct evaluation ground, floor;
    const char *const land[] = {"simulation.duration_s=0.5", solver_setting(_i), NULL};
    const char *const rock[] = {"simulation.duration_s=0.5", solver_setting(_i), "world.ground=no",
                                "world.obstacles=0 -2 60 4 0", NULL};
    judge(creatures[1], NULL, land, NULL, NULL, &ground);
    judge(creatures[1], NULL, rock, NULL, NULL, &floor);
    ck_assert_double_gt(ground.measures.path_m, 0.05);
    ck_assert_double_eq_tol(floor.measures.distance_m, ground.measures.distance_m, 2e-3);
    ck_assert_double_eq_tol(floor.measures.height_mean_m, ground.measures.height_mean_m, 2e-3);
}

SUITE("obstacles", 120, stage_set_up, NULL)
