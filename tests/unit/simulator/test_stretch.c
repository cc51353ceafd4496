/* Rectangles that stretch, in motion, by either solver: what they keep in free flight, drag, contacts
 * and the ledger. The equations of the tree are compared with dense ones in test_tree.c, and with
 * those of the reference in tests/oracle/test_stretching.c. */
#include <float.h>

#include "simulator/body/present_shape.h"
#include "tests/unit/stage_fixture.h"

static struct rng rng;

static void setup(void)
{
    stage_open(&stage);
    stage.settings.constraint_tau_s = 0.01;
    stage.settings.rtol = 1e-10;
    rng_init(&rng, 48, RNG_TEST, 0, 1);
}

/* The coordinate of the stretch of a part. */
static int coordinate(int part)
{
    return 2 + stage.body.parts[part].link;
}

/* A root that stretches, a child that is hinged to it, one that hangs rigidly, and on that one that
 * stretches. */
static void build_family(double strength)
{
    const struct body_part parts[] = {
        {ROOT(0.5, 0.3, 3), .stretch = 0.6, .stretch_n_m = strength},
        {PART(0, 0.45, 0.1, 0.4, 0.1, 1), ANCHOR(0.25, 0.05), .angle_rad = 0.3,
         .torque_max_n_m = strength},
        {PART(0, -0.4, 0, 0.3, 0.2, 1.5), ANCHOR(-0.25, 0), .is_rigid = 1, .angle_rad = -0.2},
        {PART(2, -0.7, 0.1, 0.3, 0.15, 1), ANCHOR(-0.55, 0.05), .is_rigid = 1, .angle_rad = 0.4,
         .stretch = 0.5, .stretch_n_m = strength}};
    body_init(&stage.body, parts, 4);
    stage_build(&stage);
}

/* One rectangle. */
static void build_box(double width_m, double height_m, double stretch, double strength)
{
    const struct body_part box = {ROOT(width_m, height_m, 2), .stretch = stretch,
                                  .stretch_n_m = strength};
    body_init(&stage.body, &box, 1);
    stage_build(&stage);
}

static void drive(double time_s)
{
    for (int i = 1; i < stage.body.body.link_count; i++)
        if (stage.body.links[i].strength > 0)
            dynamics_set_target(stage.dynamics, i, 0.4 * sin(5 * time_s + i),
                                2 * cos(5 * time_s + i));
}

static void fly(double seconds)
{
    for (int tick = 0; tick < (int)(60 * seconds + 0.5); tick++) {
        drive(tick / 60.0);
        stage_run(&stage, 1.0 / 60);
    }
}

TEST_LOOP(free_flight_keeps_momentum_and_the_ledger_balances, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    struct vec3 before[2], after[2];
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0.3, -0.2, 1.5};
    stage.settings.solver = _i;
    for (int i = 0; i < (_i == SOLVER_ARTICULATED ? 2 : 1); i++) {
        stage.settings.integrator = i ? INTEGRATOR_MIDPOINT : INTEGRATOR_AUTO;
        build_family(40);
        stage_set(&stage, q, qd);
        dynamics_momentum(stage.dynamics, &before[0], &before[1]);
        fly(2);
        dynamics_momentum(stage.dynamics, &after[0], &after[1]);
        const struct ledger *l = dynamics_ledger(stage.dynamics);
        double size = l->work_effector_positive_j + l->kinetic_j, least = i ? 1e-2 : 1e-4;
        ck_assert_double_gt(fabs(stage.dynamics->q[coordinate(0)]), 0.02);
        ck_assert_double_gt(l->work_effector_positive_j, 0.5);
        ck_assert_xy(after[0], before[0].x, before[0].y, 1e-9);
        ck_assert_double_eq_tol(after[1].z, before[1].z, 1e-9);
        ck_assert_double_le(fabs(l->residual_j), least * size);
    }
}

/* I o, and without a force I e'^2 + L^2 / I, with I = m (w^2 + h^2) / 12. */
TEST_LOOP(a_free_rectangle_turns_slower_when_it_is_longer, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0, 0, 2};
    stage.settings.solver = _i;
    build_box(0.6, 0.3, 5, 0);
    int at = coordinate(0);
    qd[at] = 0.4;
    stage_set(&stage, q, qd);
    double spin = 0, energy = 0;
    for (int i = 0; i <= 10; i++) {
        const double *now = stage.dynamics->q, *rate = stage.dynamics->qd;
        double width = 0.6 * exp(now[at]), height = 0.3 * exp(-now[at]);
        double inertia = 2 * (width * width + height * height) / 12;
        double is = inertia * rate[2], has = inertia * rate[at] * rate[at] + is * is / inertia;
        spin = i ? spin : is;
        energy = i ? energy : has;
        ck_assert_double_eq_tol(is, spin, 1e-9 * spin);
        ck_assert_double_eq_tol(has, energy, 1e-7 * energy);
        ck_assert_double_eq(dynamics_part_stretch(stage.dynamics, 0), now[at]);
        stage_run(&stage, 0.1);
    }
    ck_assert_double_gt(fabs(stage.dynamics->q[at]), 0.2);
}

/* Where the family is after a second, in flight. */
static double last_stretch(double dt_s, int integrator)
{
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0.3, -0.2, 1.5};
    stage.settings.dt_s = dt_s;
    stage.settings.integrator = integrator;
    build_family(0);
    qd[coordinate(0)] = 0.2;
    qd[coordinate(3)] = -0.3;
    stage_set(&stage, q, qd);
    stage_run(&stage, 0.5);
    return stage.dynamics->q[coordinate(0)];
}

TEST(errors_fall_with_the_order_of_the_integrator)
{
    double exact = last_stretch(1.0 / 1920, INTEGRATOR_RK4);
    double rk4 = (last_stretch(1.0 / 60, INTEGRATOR_RK4) - exact) /
                 (last_stretch(1.0 / 120, INTEGRATOR_RK4) - exact);
    double midpoint = (last_stretch(1.0 / 240, INTEGRATOR_MIDPOINT) - exact) /
                      (last_stretch(1.0 / 480, INTEGRATOR_MIDPOINT) - exact);
    ck_assert_double_eq_tol(rk4, 16, 3);
    ck_assert_double_eq_tol(midpoint, 4, 0.6);
}

/* m I e'' = -k w h (w + h) / 2 e' of a rectangle in a thick medium; and the drag of one that also
 * turns and slides takes what energy it loses. */
TEST_LOOP(drag_holds_a_stretch_back, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0}, k = 0.5, w = 0.6, h = 0.3;
    stage.settings.solver = _i;
    stage.world.viscosity_pa_s = k;
    build_box(w, h, 5, 0);
    int at = coordinate(0);
    qd[at] = 1e-6; /* hardly any change of shape */
    stage_set(&stage, q, qd);
    stage_run(&stage, 0.5);
    double inertia = 2 * (w * w + h * h) / 12, rate = k * w * h * (w + h) / 2 / inertia;
    ck_assert_double_eq_tol(stage.dynamics->qd[at], 1e-6 * exp(-0.5 * rate), 1e-12);

    for (int i = 0; i < 4; i++) {
        stage.world.drag_exposure = i & 1;
        stage.world.drag_law = i & 2 ? DRAG_LAW_QUADRATIC : DRAG_LAW_LINEAR;
        stage.world.quadratic_drag_kg_m2 = 2;
        build_family(40);
        fly(2);
        const struct ledger *l = dynamics_ledger(stage.dynamics);
        ck_assert_double_gt(l->loss_drag_j, 0.1);
        ck_assert_double_le(fabs(l->residual_j), 3e-3 * l->work_effector_positive_j);
    }
}

/* A box on the ground that gets slowly higher does the work m g dh / 2; it rests on the ground all
 * the while, at its present height. */
TEST_LOOP(growing_on_the_ground_lifts_the_weight, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    double from, q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0};
    stage.settings.solver = _i;
    stage.world.has_ground = 1;
    stage.world.gravity_m_s2 = BODY_GRAVITY;
    stage.world.friction = 0.8;
    build_box(0.4, 0.3, 0.69, 30);
    q[1] = 0.15;
    stage_set(&stage, q, qd);
    stage_run(&stage, 0.5);
    from = dynamics_ledger(stage.dynamics)->work_effector_j;
    double low = stage_part(&stage, 0).at_m.y;
    dynamics_set_target(stage.dynamics, stage.body.parts[0].link, 0, -0.1);
    stage_run(&stage, 4);
    dynamics_set_target(stage.dynamics, stage.body.parts[0].link, -0.4, 0);
    stage_run(&stage, 1);
    struct part_state state = stage_part(&stage, 0);
    double stretch = dynamics_part_stretch(stage.dynamics, 0);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    double height = 0.3 * exp(-stretch), risen = state.at_m.y - low;
    ck_assert_double_lt(stretch, -0.2);
    ck_assert_double_eq_tol(state.at_m.y, height / 2, 1.5e-3);
    ck_assert_double_eq_tol(l->work_effector_j - from - l->loss_friction_j,
                            2 * BODY_GRAVITY * risen, 0.02 * 2 * BODY_GRAVITY * risen);
}

enum { SEGMENTS = 8, WAVE = 4 };

/* Segments in a row; no joint moves. */
static void build_worm(void)
{
    struct body_part parts[SEGMENTS];
    for (int i = 0; i < SEGMENTS; i++)
        parts[i] = (struct body_part){PART(i - 1, 0.3 * i, 0, 0.3, 0.2, 0.5),
                                      ANCHOR(i > 0 ? 0.3 * i - 0.15 : 0, 0), .is_rigid = i > 0,
                                      .stretch = 0.6, .stretch_n_m = 60};
    body_init(&stage.body, parts, SEGMENTS);
    stage_build(&stage);
}

/* A wave of short segments, each fourth at its shortest, runs from front to back. */
static void crawl(double time_s)
{
    const double pace = 2 * DET_PI * 0.5;
    for (int i = 0; i < SEGMENTS; i++) {
        double turn = pace * time_s + 2 * DET_PI * i / WAVE;
        dynamics_set_target(stage.dynamics, stage.body.parts[i].link, 0.4 * sin(turn),
                            0.4 * pace * cos(turn));
    }
}

/* The segments that are thickest now stand; returns the first. */
static int find_stander(void)
{
    int thickest = 0;
    for (int i = 1; i < SEGMENTS; i++)
        if (dynamics_part_stretch(stage.dynamics, i) <
            dynamics_part_stretch(stage.dynamics, thickest) - 1e-3)
            thickest = i;
    return thickest;
}

/* From the first segment's centre to that of another one, by their widths. */
static double way_to(int segment)
{
    double sum = 0;
    for (int i = 0; i < segment; i++)
        sum += 0.15 * (exp(dynamics_part_stretch(stage.dynamics, i)) +
                       exp(dynamics_part_stretch(stage.dynamics, i + 1)));
    return sum;
}

/* Segments that stand stay where they are, and the others are carried on: in each cycle a worm goes
 * as far as its first segment moves against those that stand in turn, less what slips where the
 * load goes from one to the next: 0.9 % at 1/3840 s, 1.1 % by the other solver. */
TEST(a_worm_goes_as_far_as_its_stroke)
{
    double q[BODY_DOF_MAX] = {0, 0.1}, qd[BODY_DOF_MAX] = {0}, stroke = 0, start = 0;
    stage.world.has_ground = 1;
    stage.world.gravity_m_s2 = BODY_GRAVITY;
    stage.world.friction = 0.8;
    build_worm();
    stage_set(&stage, q, qd);
    for (int step = 0; step < 6 * 240; step++) {
        if (step == 2 * 240) {
            start = stage_part(&stage, 0).at_m.x;
            stroke = 0;
        }
        if (step % 4 == 0)
            crawl(step / 240.0);
        int stander = find_stander();
        double before = way_to(stander);
        stage_run(&stage, 1.0 / 240);
        stroke += before - way_to(stander);
    }
    double way = stage_part(&stage, 0).at_m.x - start;
    ck_assert_double_gt(fabs(stroke), 0.1);
    ck_assert_double_eq_tol(way, stroke, 0.02 * fabs(stroke));
}

/* The area of what it touches with stays that at birth, to 2 ulp. */
TEST_LOOP(the_area_is_kept, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0}, width = 0.37, height = 0.23;
    struct shape shape = {.half_m = {width / 2, height / 2, 1}};
    stage.settings.solver = _i;
    build_box(width, height, 1, 0);
    shape.drive = stage.body.parts[0].link;
    for (int i = -100; i <= 100; i++) {
        q[coordinate(0)] = log(2) * i / 100; /* the most that a gene may have */
        stage_set(&stage, q, qd);
        struct vec3 half = present_half(stage.dynamics, &shape);
        double area = 4 * half.x * half.y;
        ck_assert_double_le(fabs(area / (width * height) - 1), 2 * DBL_EPSILON);
        ck_assert_double_eq_tol(half.x, width / 2 * exp(q[coordinate(0)]), 1e-15);
    }
}

/* Between two walls it presses with its strength over its way, and is stopped by its limit. */
TEST_LOOP(limits_hold, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    stage.settings.solver = _i;
    build_box(0.4, 0.3, 0.3, 30);
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX] = {0};
    int at = coordinate(0);
    qd[at] = 8;
    stage_set(&stage, q, qd);
    dynamics_set_effectors(stage.dynamics, EFFECTORS_SLACK);
    double most = 0;
    for (int i = 0; i < 60; i++) {
        stage_run(&stage, 1.0 / 60);
        most = fmax(most, fabs(stage.dynamics->q[at]));
    }
    ck_assert_double_gt(most, 0.29);
    ck_assert_double_lt(most, 0.303);
}

/* Random bodies, whose parts mostly lie in one another, come apart by motions within limits. */
TEST_LOOP(what_overlaps_comes_apart_within_limits, SOLVER_ARTICULATED, SOLVER_COUNT)
{
    double before = 0, after = 0;
    stage.settings.solver = _i;
    for (int round = 0; round < 40; round++) {
        body_init_stretching(&stage.body, 6, &rng);
        for (int i = 1; i < stage.body.body.link_count; i++)
            if (stage.body.links[i].kind == LINK_STRETCH)
                stage.body.links[i].upper[0] = -(stage.body.links[i].lower[0] = -0.4);
        stage_build(&stage);
        before += dynamics_overlap(stage.dynamics);
        dynamics_set_effectors(stage.dynamics, EFFECTORS_SLACK);
        dynamics_set_push_out(stage.dynamics, 0.5);
        stage_run(&stage, 0.5);
        after += dynamics_overlap(stage.dynamics);
        for (int i = 0; i < stage.body.phenotype.part_count; i++)
            ck_assert_double_le(fabs(dynamics_part_stretch(stage.dynamics, i)), 0.45);
    }
    ck_assert_double_gt(before, 1);
    ck_assert_double_lt(after, before / 2);
}

SUITE("stretch", 60, setup, NULL)
