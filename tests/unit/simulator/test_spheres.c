/* The dynamics of spheres and bones against closed forms: momentum to rounding, the order of
 * convergence, a bone as a pendulum, a tumbling tetrahedron against Euler's equations, balls that
 * bounce, roll and slide, joints and muscles, and the energy ledger of bodies that move as wildly
 * as they can. That contacts and gravity give all their momentum, so that nobody lifts itself, is in
 * tests/oracle/test_keeping.c. runs: watched */
#include "common/math/detmath.h"
#include "tests/vectors.h"
#include "tests/sphere_fixture.h"
#include "tests/suite.h"

static struct sphere_fixture fixture;
static struct sphere_fixture *f = &fixture;

static void setup(void)
{
    fixture_init(f);
}

static void steps(int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(dynamics_step(f->dynamics), 0);
}

static struct sphere_state state_of(int sphere)
{
    struct sphere_state state;
    read_sphere(f->dynamics, sphere, &state);
    return state;
}

static void set_velocity(int sphere, double x, double y, double z)
{
    struct sphere_state state = state_of(sphere);
    state.velocity_m_s = (struct vec3){x, y, z};
    place_sphere(f->dynamics, sphere, &state);
}

static void set_spin(int sphere, double x, double y, double z)
{
    struct sphere_state state = state_of(sphere);
    state.spin_rad_s = (struct vec3){x, y, z};
    place_sphere(f->dynamics, sphere, &state);
}

/* What check_momentum() finds again. */
static struct vec3 kept_linear, kept_angular;

static void keep_momentum(void)
{
    dynamics_momentum(f->dynamics, &kept_linear, &kept_angular);
}

static void check_momentum(double linear_tolerance, double angular_tolerance)
{
    struct vec3 linear, angular;
    dynamics_momentum(f->dynamics, &linear, &angular);
    ck_assert_double_lt(vec3_distance(linear, kept_linear), linear_tolerance);
    ck_assert_double_lt(vec3_distance(angular, kept_angular), angular_tolerance);
}

/* All spheres turn about the origin. */
static void set_turning(struct vec3 omega)
{
    for (int i = 0; i < f->body.sphere_count; i++) {
        struct vec3 v = vec3_cross(omega, state_of(i).at_m);
        set_velocity(i, v.x, v.y, v.z);
    }
    dynamics_reset_ledger(f->dynamics);
}

static void leave_the_ground(void)
{
    f->world.gravity_m_s2 = 0;
    f->world.has_ground = 0;
}

static void set_step(double dt_s, int substeps)
{
    f->settings.dt_s = dt_s;
    f->settings.spheres.substeps = substeps;
}

/* ---------------------------------------------------------------- free flight */

/* Square waves at full rate. */
static void kick_muscles(int step, int period)
{
    for (int d = 0; d < f->body.drive_count; d++) {
        const struct sphere_drive *drive = &f->drives[d];
        int is_long = (step / period + d) % 2;
        dynamics_set_target(f->dynamics, d, is_long ? drive->high : drive->low, 0);
    }
}

TEST(momentum_is_kept_to_rounding_whatever_the_muscles_do)
{
    fixture_make_spider(f);
    leave_the_ground();
    fixture_start(f);
    set_turning((struct vec3){1, 2, 3});
    keep_momentum();
    for (int i = 0; i < 2400; i++) {
        kick_muscles(i, 20);
        steps(1);
    }
    ck_assert_double_gt(vec3_length(kept_angular), 0.5);
    check_momentum(1e-11, 1e-11 * vec3_length(kept_angular));
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_gt(ledger->work_effector_positive_j, 10);
    ck_assert_double_lt(fabs(ledger->residual_j), 0.005 * ledger->work_effector_positive_j);
}

/* Two spheres, 1 and 2 kg, 1 m apart, turning at 3 rad/s: where they are after 2 s, turned by 6
 * rad. */
static struct vec3 turn_dumbbell(int substeps)
{
    fixture_init(f);
    leave_the_ground();
    set_step(1.0 / 60, substeps);
    fixture_add_sphere(f, 0.1, 1, 2.0 / 3, 0, 0);
    fixture_add_sphere(f, 0.1, 2, -1.0 / 3, 0, 0);
    fixture_add_bone(f, 0, 1);
    fixture_start(f);
    set_turning((struct vec3){0, 0, 3});
    steps(120);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_le(fabs(ledger->residual_j), 1e-3 * ledger->energy_start_j);
    return state_of(0).at_m;
}

/* To a bone that gives a little: one that cannot stretch is not what they converge to. */
TEST(two_spheres_and_a_bone_converge_with_the_square_of_the_step)
{
    struct vec3 stiff = {2.0 / 3 * det_cos(6), 2.0 / 3 * det_sin(6), 0}, exact = turn_dumbbell(512);
    double coarse = vec3_distance(turn_dumbbell(8), exact),
           fine = vec3_distance(turn_dumbbell(16), exact),
           finest = vec3_distance(turn_dumbbell(32), exact);
    ck_assert_double_lt(vec3_distance(exact, stiff), 2e-3);
    ck_assert_double_lt(coarse, 2e-3);
    ck_assert_double_gt(coarse / fine, 3.2);
    ck_assert_double_lt(coarse / fine, 4.8);
    ck_assert_double_gt(fine / finest, 3.2);
    ck_assert_double_lt(fine / finest, 4.8);
}

/* How stiff a body is does not depend on the step; and where it asks for finer steps, it takes
 * them. */
TEST(stiffness_is_the_bodys_and_not_the_steps)
{
    static const int substeps[4] = {2, 8, 64, 1};
    double force[4];
    for (int i = 0; i < 4; i++) {
        fixture_init(f);
        leave_the_ground();
        set_step(i == 3 ? 1.0 / 60 : 1.0 / 240, substeps[i]);
        fixture_add_sphere(f, 0.1, 1, 0.5, 0, 0);
        fixture_add_sphere(f, 0.1, 2, -0.5, 0, 0);
        fixture_add_bone(f, 0, 1);
        fixture_start(f);
        struct sphere_state state = state_of(0);
        state.at_m.x += 0.01;
        place_sphere(f->dynamics, 0, &state);
        /* U = k (D - L^2)^2 / (8 L^2), and the force is -k (D - L^2) d / (2 L^2) */
        force[i] = -4 * 1.01 / (1.01 * 1.01 - 1) * dynamics_ledger(f->dynamics)->potential_j;
        steps(120);
        ck_assert_double_eq_tol(state_of(0).at_m.x - state_of(1).at_m.x, 1, 2e-3);
    }
    /* 75 Hz with inertias of 1 and 2 kg */
    ck_assert_double_eq_tol(-force[0], 0.01 * pow(2 * DET_PI * 75, 2) / 1.5, 0.03 * -force[0]);
    for (int i = 1; i < 4; i++)
        ck_assert_double_eq_tol(force[i], force[0], 1e-9 * -force[0]);
}

/* Four masses of 1 kg at (+-a, +-b, +-c) with an even number of minus signs: principal axes are the
 * coordinates', inertias 4 (b2 + c2) ... = 1, 2, 3 for these. */
static const double tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

TEST(a_tetrahedron_tumbles_as_eulers_equations_say)
{
    double a = sqrt(0.5), b = 0.5, c = 0, inertia[3] = {1, 2, 3};
    leave_the_ground();
    set_step(1.0 / 240, 4);
    for (int i = 0; i < 4; i++)
        fixture_add_sphere(f, 0.01, 1, tetrahedron[i][0] * a, tetrahedron[i][1] * b,
                           tetrahedron[i][2] * c);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            fixture_add_bone(f, i, j);
    fixture_start(f);
    set_turning((struct vec3){0.8, 0, 0.6});
    double times[3] = {1, 4, 5};
    double oracle[3][3] = {{0.669037752904666686, 0.438621118037280739, 0.543939799000994177},
                           {-0.542457865143097635, 0.587996143307413964, 0.494725693509580822},
                           {0.0894770480901236897, -0.794980413510344098, 0.386439362269995432}};
    for (int k = 0; k < 3; k++) {
        steps((int)(times[k] * 240));
        /* the axes: e1 along (0 + 1) - (2 + 3), e2 along (0 + 2) - (1 + 3) */
        struct vec3 p[4], e[3];
        for (int i = 0; i < 4; i++)
            p[i] = state_of(i).at_m;
        e[0] = vec3_add(p[0], p[1]);
        e[1] = vec3_add(p[0], p[2]);
        e[2] = vec3_cross(e[0], e[1]);
        struct vec3 linear, l;
        dynamics_momentum(f->dynamics, &linear, &l);
        for (int i = 0; i < 3; i++) {
            double rate = vec3_dot(l, e[i]) / vec3_length(e[i]) / inertia[i];
            ck_assert_double_eq_tol(rate, oracle[k][i], 2e-3);
        }
    }
}

/* Torn to three times its length, a bone pulls back and swings, and does not run away. */
TEST(a_bone_that_is_torn_apart_comes_back)
{
    leave_the_ground();
    fixture_add_sphere(f, 0.1, 1, 0, 0, 0);
    fixture_add_sphere(f, 0.1, 1, 0.5, 0, 0);
    fixture_add_bone(f, 0, 1);
    fixture_start(f);
    struct sphere_state far = state_of(1);
    far.at_m.x = 1.5;
    place_sphere(f->dynamics, 1, &far);
    dynamics_reset_ledger(f->dynamics);
    double start = dynamics_ledger(f->dynamics)->energy_start_j;
    for (int i = 0; i < 240; i++) {
        steps(1);
        ck_assert_double_lt(dynamics_ledger(f->dynamics)->kinetic_j, 1.1 * start);
    }
    ck_assert_double_eq_tol(vec3_distance(state_of(0).at_m, state_of(1).at_m), 0.5, 0.01);
}

/* ---------------------------------------------------------------- a pendulum */

/* Arithmetic-geometric mean: T = 2 pi sqrt(L / g) / agm(1, cos(amplitude / 2)). */
static double pendulum_period(double length, double amplitude)
{
    double a = 1, g = det_cos(amplitude / 2);
    for (int i = 0; i < 8; i++) {
        double mean = (a + g) / 2;
        g = sqrt(a * g);
        a = mean;
    }
    return 2 * DET_PI * sqrt(length / 9.81) / a;
}

/* A bone of 1 m on a pivot of 1e6 kg that rests on the ground. */
TEST(a_bone_swings_with_the_period_of_the_elliptic_integral)
{
    double amplitude = 2.0, height = 3;
    f->world.friction = 10;
    fixture_add_sphere(f, height, 1e6, 0, height, 0);
    fixture_add_sphere(f, 0.05, 1, det_sin(amplitude), height - det_cos(amplitude), 0);
    fixture_add_bone(f, 0, 1);
    fixture_start(f);
    double before = state_of(1).velocity_m_s.x, period = pendulum_period(1, amplitude);
    int crossings = 0, step = 0;
    double crossed_s = 0;
    for (; crossings < 4 && step < 240 * 12; step++) {
        steps(1);
        double now = state_of(1).at_m.x;
        before = step == 0 ? now : before;
        if (before * now < 0) {
            crossings++;
            crossed_s = (step + before / (before - now)) / 240;
        }
        before = now;
    }
    /* a quarter and three halves of a period */
    ck_assert_int_eq(crossings, 4);
    ck_assert_double_eq_tol(crossed_s, 1.75 * period, 2e-3 * period);
}

/* ---------------------------------------------------------------- contact */

TEST(a_ball_bounces_to_the_square_of_its_elasticity)
{
    double heights[6] = {0.64, 0.4096, 0.262144, 0.16777216, 0.1073741824, 0.068719476736};
    double times[6] = {0.451523640985730904, 1.17396146656290035, 1.75191172702463591,
                       2.21427193539402436,  2.58416010208953511, 2.88007063544594372};
    f->world.elasticity = 0.8;
    fixture_add_sphere(f, 0.1, 1, 0, 1.1, 0);
    fixture_start(f);
    double highest = 0, speed = 0;
    int bounces = 0;
    for (int i = 0; i < 240 * 3 + 20; i++) {
        steps(1);
        struct sphere_state s = state_of(0);
        if (speed < -0.3 && s.velocity_m_s.y > 0) {
            if (bounces > 0 && bounces <= 6)
                ck_assert_double_eq_tol(highest, heights[bounces - 1], 0.01);
            if (bounces < 6)
                ck_assert_double_eq_tol((i + 1) / 240.0, times[bounces], 0.005 + 1 / 240.0);
            bounces++;
            highest = 0;
        }
        speed = s.velocity_m_s.y;
        highest = fmax(highest, s.at_m.y - 0.1);
    }
    ck_assert_int_ge(bounces, 6);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_lt(fabs(ledger->residual_j), 1e-9);
    ck_assert_double_le(ledger->gain_impact_j + ledger->gain_push_out_j, 1e-9);
}

/* A ball on an obstacle at an angle. */
static void start_on_slope(double r, double slope)
{
    double height = 0.5 + r;
    f->world.has_ground = 0;
    f->world.half_depth_m = 10;
    f->world.obstacles.count = 1;
    f->world.obstacles.list[0] =
        (struct obstacle){.width_m = 100, .height_m = 1, .angle_rad = slope};
    fixture_add_ball(f, r, 1, -height * det_sin(slope), height * det_cos(slope), 0);
    fixture_start(f);
}

/* On an incline of 10 degrees, without slipping: a = g sin / (1 + 2/5). */
TEST(a_ball_rolls_down_as_a_solid_sphere)
{
    double slope = 10 * DET_PI / 180, r = 0.2, a = 9.81 * det_sin(slope) / 1.4;
    f->world.friction = 0.5;
    start_on_slope(r, slope);
    struct vec3 start = state_of(0).at_m;
    steps(480);
    struct sphere_state end = state_of(0);
    ck_assert_double_eq_tol(vec3_distance(start, end.at_m), 0.5 * a * 4, 0.01);
    ck_assert_double_eq_tol(end.spin_rad_s.z, a * 2 / r, 0.05);
    ck_assert_double_eq_tol(dynamics_ledger(f->dynamics)->loss_friction_j, 0, 2e-3);
}

/* Slides at 4 m/s without spin: rolls at 5/7 of it after 2 v / (7 mu g), 12/49 of v^2 / (mu g)
 * on. */
TEST(a_ball_slides_until_it_rolls)
{
    double mu = 0.25, r = 0.2, v = 4, until = 2 * v / (7 * mu * 9.81);
    f->world.friction = mu;
    fixture_add_ball(f, r, 1, 0, r, 0);
    fixture_start(f);
    set_velocity(0, v, 0, 0);
    dynamics_reset_ledger(f->dynamics);
    int count = (int)(until * 240);
    steps(count);
    double t = count / 240.0;
    ck_assert_double_eq_tol(state_of(0).velocity_m_s.x, v - mu * 9.81 * t, 5e-3);
    ck_assert_double_eq_tol(state_of(0).at_m.x, v * t - 0.5 * mu * 9.81 * t * t, 5e-3);
    steps(240);
    ck_assert_double_eq_tol(state_of(0).velocity_m_s.x, v * 5 / 7, 5e-3);
    ck_assert_double_eq_tol(state_of(0).spin_rad_s.z, -v * 5 / 7 / r, 0.05);
    ck_assert_double_eq_tol(dynamics_ledger(f->dynamics)->loss_friction_j, v * v / 7, 0.02);
}

/* A ball on an obstacle at an angle that rolls with resistance c; returns how far it got in a
 * time. */
static double roll_down(double slope, double resistance, double speed, int count)
{
    double r = 0.2;
    fixture_init(f);
    f->settings.spheres.rolling_resistance = resistance;
    start_on_slope(r, slope);
    struct vec3 start = state_of(0).at_m;
    set_velocity(0, -speed * det_cos(slope), -speed * det_sin(slope), 0);
    set_spin(0, 0, 0, speed / r);
    dynamics_reset_ledger(f->dynamics);
    steps(count);
    return vec3_distance(start, state_of(0).at_m);
}

/* Coulomb's law of rolling, torque c r N: a = g (sin - c cos) / (1 + 2/5), and rest where tan <
 * c. */
TEST(a_ball_rolls_against_its_resistance_and_stays_on_slopes_below_it)
{
    double slope = 0.05, a = 9.81 / 1.4 * (det_sin(slope) - 0.02 * det_cos(slope));
    ck_assert_double_eq_tol(roll_down(slope, 0.02, 0, 480), 0.5 * a * 4, 2e-3);
    double speed = 1, stop = 9.81 / 1.4 * 0.05;
    ck_assert_double_eq_tol(roll_down(0, 0.05, speed, 480), speed * 2 - 0.5 * stop * 4, 5e-3);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    double slower = speed - stop * 2, lost = 0.5 * 1.4 * (speed * speed - slower * slower);
    ck_assert_double_eq_tol(ledger->loss_friction_j, lost, 5e-3);
    ck_assert_double_lt(fabs(ledger->residual_j), 1e-9);
    ck_assert_double_eq_tol(roll_down(0, 0.05, speed, 960), 0.5 * speed * speed / stop, 5e-3);
    ck_assert_double_lt(roll_down(slope, 0.06, 0, 480), 1e-9);
    ck_assert_double_gt(roll_down(slope, 0, 0, 480), 0.5);
}

/* About the normal: 2/3 mu a N for a patch of radius a that presses evenly. */
TEST(a_ball_that_spins_on_the_spot_is_braked_by_its_patch)
{
    double r = 0.2, patch = 0.1, rate = 2.0 / 3 * 0.8 * patch * r * 9.81 / (0.4 * r * r);
    f->settings.spheres.spin_resistance = patch;
    fixture_add_ball(f, r, 1, 0, r, 0);
    fixture_start(f);
    set_spin(0, 0, 10, 0);
    dynamics_reset_ledger(f->dynamics);
    steps(60);
    ck_assert_double_eq_tol(state_of(0).spin_rad_s.y, 10 - rate / 4, 0.05);
    steps(480);
    ck_assert_double_eq_tol(state_of(0).spin_rad_s.y, 0, 1e-12);
    ck_assert_double_eq_tol(dynamics_ledger(f->dynamics)->loss_friction_j, 0.5 * 0.4 * r * r * 100,
                            1e-9);
}

/* Two spheres on a slack muscle lose the speed at which they part, and a wheel its spin; not what
 * the body does as a whole. */
TEST(a_body_loses_its_inner_motion_only)
{
    leave_the_ground();
    f->settings.spheres.body_damping_1_s = 1;
    fixture_add_ball(f, 0.1, 1, 0, 0, 0);
    fixture_add_sphere(f, 0.1, 2, 1, 0, 0);
    fixture_add_sphere(f, 0.1, 2, 1, 1, 0.5);
    fixture_add_muscle(f, 0, 1, 0.9, 1, 1);
    fixture_add_bone(f, 1, 2);
    fixture_start(f);
    dynamics_set_effectors(f->dynamics, EFFECTORS_SLACK);
    set_spin(0, 3, 20, 1);
    set_velocity(0, -0.4, 0, 0);
    dynamics_reset_ledger(f->dynamics);
    keep_momentum();
    double length, rate;
    steps(240);
    dynamics_bone_state(f->dynamics, 0, &length, &rate);
    ck_assert_double_eq_tol(rate, 0.4 * det_exp(-1), 0.04);
    ck_assert_double_eq_tol(state_of(0).spin_rad_s.y, 20 * det_exp(-1), 0.2);
    steps(240 * 20);
    check_momentum(1e-12, 1e-11);
    dynamics_bone_state(f->dynamics, 0, &length, &rate);
    ck_assert_double_lt(fabs(rate), 0.01);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_gt(ledger->loss_damping_j, 0.1);
    ck_assert_double_lt(fabs(ledger->residual_j), 1e-3 * ledger->loss_damping_j);
}

TEST(two_balls_collide_head_on)
{
    leave_the_ground();
    f->world.own_elasticity = 0.6;
    fixture_add_ball(f, 0.1, 2, -1, 0, 0);
    fixture_add_ball(f, 0.1, 3, 1, 0, 0);
    fixture_start(f);
    set_velocity(0, 4, 0, 0);
    set_velocity(1, -1, 0, 0);
    dynamics_reset_ledger(f->dynamics);
    steps(240);
    ck_assert_double_eq_tol(state_of(0).velocity_m_s.x, -0.8, 1e-12);
    ck_assert_double_eq_tol(state_of(1).velocity_m_s.x, 2.2, 1e-12);
    ck_assert_double_eq_tol(dynamics_ledger(f->dynamics)->loss_impact_j, 9.6, 1e-9);
}

/* Spinning balls that meet off centre: friction turns both, and angular momentum is kept. */
TEST(friction_between_balls_keeps_angular_momentum)
{
    leave_the_ground();
    fixture_add_ball(f, 0.2, 1, -1, 0.15, 0.05);
    fixture_add_ball(f, 0.3, 2, 1, 0, 0);
    fixture_start(f);
    set_velocity(0, 3, 0, 0);
    keep_momentum();
    steps(480);
    ck_assert_double_gt(fabs(state_of(0).spin_rad_s.z), 0.1);
    check_momentum(1e-12, 1e-12);
}

/* Over the seam of two platforms, and off the edge in the third dimension. */
TEST(a_ball_passes_seams_and_falls_off_at_the_side)
{
    f->world.has_ground = 0;
    f->world.half_depth_m = 0.5;
    f->world.obstacles.count = 2;
    f->world.obstacles.list[0] = (struct obstacle){-1, -0.5, 2, 1, 0};
    f->world.obstacles.list[1] = (struct obstacle){1, -0.5, 2, 1, 0};
    fixture_add_ball(f, 0.1, 1, -0.5, 0.1, 0);
    fixture_start(f);
    set_velocity(0, 1, 0, 0);
    set_spin(0, 0, 0, -10);
    steps(240);
    ck_assert_double_eq_tol(state_of(0).at_m.x, 0.5, 1e-3);
    ck_assert_double_eq_tol(state_of(0).at_m.y, 0.1, 1e-4);
    set_velocity(0, 0, 0, 1.5);
    steps(240);
    ck_assert_double_lt(state_of(0).at_m.y, -0.5);
    ck_assert_double_gt(state_of(0).at_m.z, 0.6);
}

/* A ball of random size and speed flies at a wall of 2 to 20 mm across x = 0, or at a ball that
 * nothing moves. 1 if it comes to the other side. */
static int passes(struct rng *rng, int is_wall)
{
    double thickness = 0.002 * det_exp(rng_unit(rng) * det_log(10)),
           radius = 0.02 + 0.08 * rng_unit(rng);
    double speed = det_exp(rng_unit(rng) * det_log(100)),
           aside = is_wall ? rng_uniform(rng, -1, 1) : 0;
    fixture_init(f);
    f->world = (struct world){.friction = 0.5, .own_friction = 0.5, .half_depth_m = 100};
    fixture_add_ball(f, radius, 0.5, rng_uniform(rng, -0.6, -0.3), 0, 0);
    if (is_wall)
        f->world.obstacles.list[f->world.obstacles.count++] =
            (struct obstacle){0, 0, thickness, 999, 0};
    else
        fixture_add_ball(f, 0.02, 1e6, 0, 0, 0);
    fixture_start(f);
    set_velocity(0, speed, speed * aside, 0);
    steps(240);
    return state_of(0).at_m.x > 0;
}

TEST_LOOP(fast_balls_pass_nothing, 0, 2)
{
    int passed = 0;
    struct rng rng = test_rng(7, 0, 1);
    for (int i = 0; i < 200; i++)
        passed += passes(&rng, _i);
    ck_assert_int_eq(passed, 0);
}

/* A stopped creature still feels the ground, also at the first question. */
TEST(what_touched_is_known_after_a_stop)
{
    fixture_add_sphere(f, 0.1, 1, 0, 0.1, 0);
    fixture_add_sphere(f, 0.1, 1, 0.5, 0.4, 0);
    fixture_add_bone(f, 0, 1);
    fixture_start(f);
    ck_assert_int_eq(dynamics_sphere_touches(f->dynamics, 0), 0);
    steps(3);
    dynamics_stop(f->dynamics);
    ck_assert_int_eq(dynamics_sphere_touches(f->dynamics, 0), 1);
    ck_assert_int_eq(dynamics_sphere_touches(f->dynamics, 1), 0);
    const struct contact_point *points;
    ck_assert_int_eq(dynamics_contacts(f->dynamics, &points), 0);
}

/* ---------------------------------------------------------------- viscosity */

TEST(a_sphere_falls_at_the_speed_of_stokes)
{
    double eta = 2, r = 0.1, m = 0.5;
    f->world.has_ground = 0;
    f->world.viscosity_pa_s = eta;
    fixture_add_ball(f, r, m, 0, 0, 0);
    fixture_start(f);
    set_spin(0, 0, 5, 0);
    steps(240);
    double rate = 6 * DET_PI * eta * r / m, speed = 9.81 / rate * (1 - det_exp(-rate));
    double turn_rate = 8 * DET_PI * eta * r * r * r / (0.4 * m * r * r);
    ck_assert_double_eq_tol(-state_of(0).velocity_m_s.y, speed, 1e-4);
    ck_assert_double_eq_tol(state_of(0).spin_rad_s.y, 5 * det_exp(-turn_rate), 1e-4);
    dynamics_reset_ledger(f->dynamics);
    steps(240);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_gt(ledger->loss_drag_j, 1);
    ck_assert_double_lt(fabs(ledger->residual_j), 1e-9 * ledger->loss_drag_j + 1e-9);
}

/* ---------------------------------------------------------------- muscles and joints */

TEST(a_muscle_keeps_its_rate_and_its_force)
{
    leave_the_ground();
    fixture_add_sphere(f, 0.1, 1, 0, 0, 0);
    fixture_add_sphere(f, 0.1, 1, 1, 0, 0);
    fixture_add_muscle(f, 0, 1, 0.5, 0.5, 3);
    fixture_start(f);
    f->phenotype.drive_count = 1;
    dynamics_set_target(f->dynamics, 0, 1.4, 0);
    double length, rate, fastest = 0;
    struct drive_state drive;
    for (int i = 0; i < 480; i++) {
        steps(1);
        dynamics_bone_state(f->dynamics, 0, &length, &rate);
        dynamics_drive_state(f->dynamics, 0, &drive);
        ck_assert_double_le(fabs(drive.effort), 3 + 1e-12);
        fastest = fmax(fastest, rate);
    }
    ck_assert_double_eq_tol(length, 1.4, 1e-3);
    ck_assert_double_gt(fastest, 0.49);
    ck_assert_double_lt(fastest, 0.6);
}

/* A base of three spheres, heavy; a bone that turns on it about z. */
static int make_hinge(double strength, double lower, double upper)
{
    leave_the_ground();
    fixture_add_sphere(f, 0.05, 5, 0, 0, 0);
    fixture_add_sphere(f, 0.05, 5, -1, 0, 0);
    fixture_add_sphere(f, 0.05, 5, -0.5, 1, 0);
    fixture_add_sphere(f, 0.05, 0.5, 0.5, 0, 0);
    fixture_add_bone(f, 0, 1);
    fixture_add_bone(f, 1, 2);
    fixture_add_bone(f, 2, 0);
    fixture_add_bone(f, 0, 3);
    f->body.joint_count = 1;
    f->joints[0] = (struct sphere_joint){.sphere = 0,
                                         .base = 1,
                                         .end = 3,
                                         .reference = 2,
                                         .kind = SPHERE_HINGE,
                                         .axis = {0, 0, 1},
                                         .lower = {lower, 0},
                                         .upper = {upper, 0},
                                         .strength_n_m = strength,
                                         .rate_rad_s = 2};
    if (strength > 0) {
        f->body.drive_count = 1;
        f->drives[0] = (struct sphere_drive){
            .kind = SPHERE_DRIVE_JOINT, .index = 0, .unit = 1, .low = lower, .high = upper};
    }
    fixture_start(f);
    return 3;
}

TEST(a_hinge_turns_about_its_axis_only_and_stops_at_its_limit)
{
    int end = make_hinge(0, -0.3, 0.8);
    set_velocity(end, 0, 1, 0.3);
    dynamics_reset_ledger(f->dynamics);
    keep_momentum();
    double angle, rate, most = 0, aside = 0;
    for (int i = 0; i < 480; i++) {
        steps(1);
        dynamics_sphere_joint_state(f->dynamics, 0, 0, &angle, &rate);
        most = fmax(most, angle);
        dynamics_sphere_joint_state(f->dynamics, 0, 1, &angle, &rate);
        aside = fmax(aside, fabs(angle));
    }
    ck_assert_double_gt(most, 0.79);
    ck_assert_double_lt(most, 0.85);
    ck_assert_double_lt(aside, 0.02);
    check_momentum(1e-12, 1e-12);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_lt(fabs(ledger->residual_j), 0.01 * ledger->energy_start_j);
}

TEST(a_motor_turns_its_bone_and_the_base_turns_back)
{
    make_hinge(1, -1, 1);
    dynamics_set_target(f->dynamics, 0, 0.6, 0);
    steps(480);
    double angle, rate;
    dynamics_sphere_joint_state(f->dynamics, 0, 0, &angle, &rate);
    ck_assert_double_eq_tol(angle, 0.6, 0.01);
    kept_linear = kept_angular = (struct vec3){0, 0, 0};
    check_momentum(1e-12, 1e-12);
    ck_assert_double_gt(state_of(2).at_m.x, -0.49);
    const struct ledger *ledger = dynamics_ledger(f->dynamics);
    ck_assert_double_lt(fabs(ledger->residual_j), 0.01 * ledger->work_effector_positive_j);
}

TEST(a_ball_joint_keeps_within_its_cone_and_a_saddle_within_its_limits)
{
    for (int kind = SPHERE_BALL; kind <= SPHERE_SADDLE; kind += 2) {
        fixture_init(f);
        make_hinge(0, -0.4, 0.4);
        f->joints[0].kind = kind;
        f->joints[0].lower[1] = -0.2;
        f->joints[0].upper[1] = 0.2;
        fixture_start(f);
        set_velocity(3, 0, 0.7, 0.9);
        double angle, rate, most[2] = {0, 0};
        for (int i = 0; i < 720; i++) {
            steps(1);
            for (int axis = 0; axis < 2; axis++) {
                dynamics_sphere_joint_state(f->dynamics, 0, axis, &angle, &rate);
                most[axis] = fmax(most[axis], fabs(angle));
            }
        }
        ck_assert_double_gt(most[0], 0.35);
        ck_assert_double_lt(most[0], 0.43);
        if (kind == SPHERE_SADDLE)
            ck_assert_double_eq_tol(most[1], 0.2, 0.03);
    }
}

/* ---------------------------------------------------------------- harsh use */

/* A tree of spheres with braces, half of the bones muscles; some hinges and balls. */
static void make_random(uint64_t number)
{
    struct rng rng;
    rng_init(&rng, 7, RNG_PERTURBATION, 0, number);
    fixture_init(f);
    int count = 3 + (int)rng_uniform(&rng, 0, 10);
    for (int i = 0; i < count; i++) {
        double r = rng_uniform(&rng, 0.04, 0.15), m = 400 * 4.19 * r * r * r;
        struct vec3 at = {0, 0, 0};
        int parent = i > 0 ? (int)rng_uniform(&rng, 0, i) : 0;
        if (i > 0) {
            at = f->spheres[parent].centre;
            at.x += rng_uniform(&rng, -0.5, 0.5);
            at.y += rng_uniform(&rng, -0.5, 0.5);
            at.z += rng_uniform(&rng, -0.5, 0.5);
            if (vec3_distance(at, f->spheres[parent].centre) < 0.1)
                at.y += 0.2;
        }
        fixture_add_sphere(f, r, m, at.x, at.y, at.z);
        if (rng_uniform(&rng, 0, 1) < 0.2)
            f->spheres[i].inertia_kg_m2 = 0.4 * m * r * r;
        for (int j = 0; j < i; j++) {
            int is_bone = j == parent || rng_uniform(&rng, 0, 1) < 0.3;
            if (!is_bone || vec3_distance(at, f->spheres[j].centre) < 0.05)
                continue;
            double share = rng_uniform(&rng, 0.05, 0.5), strength = rng_uniform(&rng, 1, 100);
            if (rng_uniform(&rng, 0, 1) < 0.5)
                fixture_add_muscle(f, i, j, share, 3, strength);
            else
                fixture_add_bone(f, i, j);
        }
    }
    for (int b = 1; b < f->body.bone_count && b < 8; b++) {
        const struct bone *bone = &f->bones[b], *base = &f->bones[b - 1];
        int shared = bone->b;
        if ((base->a != shared && base->b != shared) || rng_uniform(&rng, 0, 1) < 0.5)
            continue;
        int other = base->a == shared ? base->b : base->a,
            reference = (int)rng_uniform(&rng, 0, count);
        if (reference == shared || reference == other || reference == bone->a || other == bone->a)
            reference = -1;
        f->joints[f->body.joint_count++] =
            (struct sphere_joint){.sphere = shared,
                                  .base = other,
                                  .end = bone->a,
                                  .reference = reference,
                                  .kind = (int)rng_uniform(&rng, 0, 3),
                                  .axis = {1, 0.2, 0.1},
                                  .lower = {-0.5, -0.4},
                                  .upper = {0.6, 0.4}};
    }
    f->world.elasticity = rng_uniform(&rng, 0, 1) < 0.3 ? 0.5 : 0;
}

static double lowest(void)
{
    struct vec3 low, high;
    dynamics_bounds(f->dynamics, &low, &high);
    return low.y;
}

/* Dropped from 10 m, square waves at full rate for 5 s: finite, and within its energy. Returns the
 * share of unearned energy. */
static double drop(void)
{
    fixture_start(f);
    dynamics_shift(f->dynamics, (struct vec3){0, 10 - lowest(), 0});
    dynamics_reset_ledger(f->dynamics);
    for (int i = 0; i < 1200; i++) {
        kick_muscles(i, 12);
        steps(1);
    }
    const struct ledger *l = dynamics_ledger(f->dynamics);
    double losses = l->loss_friction_j + l->loss_impact_j + l->loss_damping_j + l->loss_limit_j;
    double turnover = l->work_effector_positive_j + losses + l->energy_start_j;
    double gains = l->gain_impact_j + l->gain_push_out_j + l->gain_limit_j + fmax(l->residual_j, 0);
    ck_assert_double_ge(l->loss_damping_j, 0);
    double allowed = l->energy_start_j + l->work_effector_j - losses + gains;
    ck_assert_double_le(l->kinetic_j + l->potential_j, allowed * (1 + 1e-9));
    for (int i = 0; i < f->body.sphere_count; i++) {
        struct vec3 v = state_of(i).velocity_m_s;
        double energy = 0.5 * f->spheres[i].mass_kg * (v.x * v.x + v.y * v.y + v.z * v.z);
        ck_assert_double_le(energy, l->kinetic_j * (1 + 1e-12));
    }
    return gains / turnover;
}

/* With joints whose third sphere nothing holds, too. The guard on energy sees to the few; see
 * docs/physics-spheres.md for how many they are. */
TEST(nothing_explodes_and_next_to_nothing_feeds_on_the_constraints)
{
    int gaining[2] = {0, 0};
    for (uint64_t number = 0; number < 300; number++) {
        int has_joints = number % 2;
        make_random(number);
        f->body.joint_count *= has_joints;
        gaining[has_joints] += drop() > 0.01;
    }
    ck_assert_int_le(gaining[0], 1);
    ck_assert_int_le(gaining[1], 1);
}

/* Share of m g H that a random body without orders has at most as kinetic energy, in a second after
 * others. */
static double stutter(uint64_t number, int after_s)
{
    struct vec3 low, high;
    make_random(number);
    f->settings.spheres.rolling_resistance = 0.01;
    f->settings.spheres.spin_resistance = 0.05;
    f->settings.spheres.body_damping_1_s = 1;
    fixture_start(f);
    dynamics_shift(f->dynamics, (struct vec3){0, 0.1 - lowest(), 0});
    steps(240 * after_s);
    double most = 0;
    for (int i = 0; i < 240; i++) {
        steps(1);
        most = fmax(most, dynamics_ledger(f->dynamics)->kinetic_j);
    }
    dynamics_bounds(f->dynamics, &low, &high);
    return most / (f->phenotype.mass_kg * 9.81 * (high.y - low.y));
}

/* With the damping of the defaults. Those that rock on three points need more than 10 s. */
TEST(what_lies_rests)
{
    for (uint64_t number = 0; number < 100; number++) {
        double share = stutter(number, 10);
        if (share >= 1e-6)
            share = stutter(number, 25);
        ck_assert_msg(share < 1e-6, "body %d keeps %g of m g H", (int)number, share);
    }
}

/* Loose spheres thrown about between walls. */
static void throw_crowd(struct sphere_fixture *crowd, uint64_t number)
{
    struct rng rng;
    rng_init(&rng, 8, RNG_PERTURBATION, 0, number);
    fixture_init(crowd);
    crowd->world.obstacles.count = 3;
    crowd->world.obstacles.list[0] = (struct obstacle){-1.5, 1, 0.4, 2, 0.1};
    crowd->world.obstacles.list[1] = (struct obstacle){1.5, 1, 0.4, 2, 0};
    crowd->world.obstacles.list[2] = (struct obstacle){0, 0.3, 0.6, 0.2, -0.3};
    for (int i = 0; i < 10; i++)
        fixture_add_ball(crowd, rng_uniform(&rng, 0.03, 0.1), 0.2, -1 + 0.22 * i,
                         rng_uniform(&rng, 0.8, 2), rng_uniform(&rng, -0.3, 0.3));
    fixture_start(crowd);
    for (int i = 0; i < 10; i++) {
        struct sphere_state state;
        read_sphere(crowd->dynamics, i, &state);
        state.velocity_m_s = (struct vec3){rng_uniform(&rng, -8, 8), rng_uniform(&rng, -8, 8),
                                           rng_uniform(&rng, -1, 1)};
        place_sphere(crowd->dynamics, i, &state);
    }
}

/* A search for near bodies at every step, as a world that has been set forces it, finds no
 * more. */
TEST(what_is_near_is_looked_for_in_time)
{
    static struct sphere_fixture crowd, careful;
    int met_sphere = 0, met_obstacle = 0;
    for (uint64_t number = 0; number < 20; number++) {
        throw_crowd(&crowd, number);
        throw_crowd(&careful, number);
        for (int i = 0; i < 480; i++) {
            const struct contact_point *contacts;
            dynamics_set_world(careful.dynamics, &careful.world);
            ck_assert_int_eq(dynamics_step(crowd.dynamics), 0);
            ck_assert_int_eq(dynamics_step(careful.dynamics), 0);
            ck_assert_mem_eq(crowd.dynamics->q, careful.dynamics->q, 30 * sizeof(double));
            for (int k = dynamics_contacts(crowd.dynamics, &contacts); k-- > 0;) {
                met_sphere += contacts[k].other >= 0;
                met_obstacle += contacts[k].other <= CONTACT_OBSTACLE;
            }
        }
    }
    ck_assert_int_gt(met_sphere, 20);
    ck_assert_int_gt(met_obstacle, 100);
    arena_deinit(&crowd.arena);
    arena_deinit(&careful.arena);
}

/* ---------------------------------------------------------------- repeatable */

TEST(an_image_moves_as_an_image)
{
    static double here[3 * FIXTURE_SPHERES];
    for (int mirror = 0; mirror < 2; mirror++) {
        make_random(5);
        for (int i = 0; i < f->body.sphere_count && mirror; i++)
            f->spheres[i].centre.z *= -1;
        f->body.joint_count = 0;
        fixture_start(f);
        dynamics_shift(f->dynamics, (struct vec3){0, 1 - lowest(), 0});
        for (int i = 0; i < 480; i++) {
            kick_muscles(i, 24);
            steps(1);
        }
        const double *q = f->dynamics->q;
        for (int i = 0; i < f->body.sphere_count && !mirror; i++)
            memcpy(here + 3 * i, q + 3 * i, 3 * sizeof *q);
        for (int i = 0; i < f->body.sphere_count && mirror; i++) {
            ck_assert_double_eq(q[3 * i], here[3 * i]);
            ck_assert_double_eq(q[3 * i + 1], here[3 * i + 1]);
            ck_assert_double_eq(q[3 * i + 2], -here[3 * i + 2]);
        }
    }
}

SUITE("spheres", 600, setup, NULL)
