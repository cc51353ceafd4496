/* How much energy boxes in space keep where the answer is known: along the cone and the twist's
 * limit of a ball, which have no friction; in the impacts of Housner's block, and of boxes that
 * bounce without loss. Cases are turned, mirrored and taken with several steps. */
#include "simulator/links/spatial_state.h"
#include "tests/scene_fixture.h"

/* ---------------------------------------------------------------- balls */

/* A box on a ball at the edge of its cone, `swing` about y or z (`across`) away from the axis, with
 * rates about its axes. */
struct ball {
    double size[3], cone, twist, rates[3];
    int is_across;
    double gravity;
};

static const char *ball_text(const struct ball *b)
{
    static char text[1024], twist[128] = "";
    double half = b->cone / 2, s = sin(half);
    if (b->twist > 0)
        snprintf(twist, sizeof twist, "'twist_lower_rad': %.17g, 'twist_upper_rad': %.17g,",
                 -b->twist, b->twist);
    snprintf(text, sizeof text,
             "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': %.17g}, 'bodies': [{'name': "
             "'a', 'boxes': [{'size_m': [%.17g, %.17g, %.17g], 'at_m': [%.17g, 0, 0], 'mass_kg': "
             "1}], 'joint': {'to': 'world', 'at_m': [0, 2, 0], 'kind': 'spherical', "
             "'start_quaternion': [%.17g, 0, %.17g, %.17g], 'cone_rad': %.17g, %s 'freedoms': "
             "[{'rate_rad_s': %.17g}, {'rate_rad_s': %.17g}, {'rate_rad_s': %.17g}]}}]}",
             b->gravity, b->size[0], b->size[1], b->size[2], b->size[0] / 2, cos(half),
             b->is_across ? s : 0, b->is_across ? 0 : s, b->cone, twist, b->rates[0], b->rates[1],
             b->rates[2]);
    return text;
}

/* The share of its energy that it loses in a time. */
static double lost_by(const struct ball *b, double dt_s, double time_s)
{
    begin_scene(ball_text(b), SOLVER_ARTICULATED, dt_s);
    double before = energy_now();
    run_for(time_s);
    return 1 - energy_now() / before;
}

/* Allowed: 1 % in 10 s at 240 Hz, and 10 times less at 960 Hz. */
static const struct ball sliding[] = {
    {{0.5, 0.1, 0.2}, 0.5, 0, {0, -8, 0}, 0, 0}, {{0.5, 0.1, 0.2}, 0.5, 0, {0, 8, 0}, 0, 0},
    {{0.5, 0.2, 0.1}, 0.5, 0, {0, 0, 8}, 1, 0},  {{0.5, 0.1, 0.2}, 0.3, 0, {0, -8, 0}, 0, 0},
    {{0.5, 0.1, 0.2}, 1.2, 0, {0, 8, 0}, 0, 0},  {{0.5, 0.1, 0.2}, 0.1, 0, {0, -3, 0}, 0, 0},
    {{0.2, 0.6, 0.1}, 0.8, 0, {0, 6, 0}, 0, 0},  {{0.5, 0.1, 0.1}, 0.5, 0, {20, -6, 0}, 0, 0},
    {{0.5, 0.1, 0.2}, 0.7, 0, {0, 1, 0}, 0, 0},  {{0.5, 0.1, 0.2}, 0.1, 0, {0, -8, 0}, 0, 0},
    {{0.5, 0.1, 0.2}, 0.05, 0, {0, 8, 0}, 0, 0},
};

TEST_LOOP(a_cone_has_no_friction, 0, (int)(sizeof sliding / sizeof sliding[0]))
{
    double coarse = lost_by(&sliding[_i], 1.0 / 240, 10),
           fine = lost_by(&sliding[_i], 1.0 / 960, 10);
    ck_assert_msg(fabs(coarse) < 0.01, "loses %.4f at 240 Hz", coarse);
    ck_assert_msg(fabs(fine) < 0.001, "loses %.5f at 960 Hz", fine);
}

/* Servos drive a ball between two boxes, free in space, against its cone, and along it. */
static const struct driven {
    double cone, twist, frequency_hz;
} driven[] = {{0.1, 0, 1}, {0.1, 0.3, 2}, {0.2, 0, 2}, {0.4, 0, 2}, {0.6, 0, 2}, {1, 0.3, 4}};

static const char *driven_text(const struct driven *of)
{
    static char text[4096], twist[128] = "";
    static const double rates[] = {4, -3, 6};
    if (of->twist > 0)
        snprintf(twist, sizeof twist, "'twist_lower_rad': %g, 'twist_upper_rad': %g,", -of->twist,
                 of->twist);
    int length = snprintf(
        text, sizeof text,
        "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0}, 'bodies': [{'name': 'a', "
        "'boxes': [{'size_m': [0.2, 0.5, 0.4], 'mass_kg': 6}]}, {'name': 'b', 'boxes': [{'size_m': "
        "[0.4, 0.4, 0.2], 'mass_kg': 5, 'at_m': [0.2, 0.03, -0.09]}], 'collides': false, 'joint': "
        "{'to': 'a', 'kind': 'spherical', 'at_m': [0.1, 0.2, 0.05], 'quaternion': [1, 0.3, -0.2, "
        "0.4], 'cone_rad': %g, %s 'freedoms': [",
        of->cone, twist);
    for (int k = 0; k < 3; k++)
        length += snprintf(
            text + length, sizeof text - (size_t)length,
            "%s{'rate_rad_s': %g, 'servo': {'kp_n_m_rad': 60, 'kd_n_m_s_rad': 4, 'bound_n_m': 60, "
            "'target_rad': {'amplitude': 2, 'frequency_hz': %g, 'phase_rad': %d}}}",
            k > 0 ? ", " : "", rates[k], of->frequency_hz, k);
    snprintf(text + length, sizeof text - (size_t)length, "]}}]}");
    return text;
}

TEST_LOOP(limits_of_driven_balls_make_no_work, 0, sizeof driven / sizeof driven[0])
{
    begin_scene(driven_text(&driven[_i]), SOLVER_ARTICULATED, 1.0 / 240);
    run_for(5);
    const struct ledger *l = dynamics_ledger(run);
    double off = ledger_unearned_j(l, l->gain_limit_j);
    double share = off / (l->work_effector_positive_j + l->loss_limit_j);
    ck_assert_double_gt(l->loss_limit_j, 1);
    ck_assert_double_lt(share, 1.5e-3);
}

/* A swimmer of three plates: one hinge flaps, the other one leans on its limit. Returns how far it
 * comes in 5 s; `off`: the energy that its limit makes and that is missing, by its muscles' work. */
static double swim_leaning(double dt_s, double *off)
{
    begin_scene(
        "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0, 'viscosity_pa_s_m': 300}, "
        "'bodies': [{'name': 'a', 'boxes': [{'size_m': [0.4, 0.1, 0.3], 'mass_kg': 12}]}, {'name': "
        "'b', 'boxes': [{'size_m': [0.4, 0.05, 0.3], 'mass_kg': 6, 'at_m': [0.2, 0, 0]}], "
        "'collides': false, 'joint': {'to': 'a', 'kind': 'revolute', 'at_m': [0.2, 0, 0], "
        "'freedoms': [{'lower_rad': -1, 'upper_rad': 0.3, 'servo': {'kp_n_m_rad': 60, "
        "'kd_n_m_s_rad': 4, 'bound_n_m': 60, 'target_rad': {'offset': 0.6}}}]}}, {'name': 'c', "
        "'boxes': [{'size_m': [0.4, 0.05, 0.3], 'mass_kg': 6, 'at_m': [-0.2, 0, 0]}], 'collides': "
        "false, 'joint': {'to': 'a', 'kind': 'revolute', 'at_m': [-0.2, 0, 0], 'freedoms': "
        "[{'servo': {'kp_n_m_rad': 60, 'kd_n_m_s_rad': 4, 'bound_n_m': 60, 'target_rad': "
        "{'amplitude': 0.8, 'frequency_hz': 2}}}]}}]}",
        SOLVER_ARTICULATED, dt_s);
    run_for(5);
    const struct ledger *l = dynamics_ledger(run);
    *off = ledger_unearned_j(l, l->gain_limit_j) / l->work_effector_positive_j;
    ck_assert_double_gt(l->loss_drag_j, 1);
    return vec3_length(dynamics_centre_of_mass(run));
}

TEST(a_joint_that_leans_in_water_swims_as_with_fine_steps)
{
    double off, fine_off, fine = swim_leaning(1.0 / 960, &fine_off);
    ck_assert_double_eq_tol(swim_leaning(1.0 / 60, &off), fine, 0.02 * fine);
    ck_assert_double_lt(off, 3e-4);
    ck_assert_double_lt(fine_off, 1e-4);
}

/* Under gravity, which carries it off the cone and lets it hit again: as the reference solver has
 * it. */
TEST(a_cone_is_left_and_hit_as_by_the_reference)
{
    const struct ball ball = {{0.5, 0.1, 0.2}, 1.0, 0.4, {0.5, 5, 1}, 0, 9.81};
    double kept[2];
    for (int k = 0; k < 2; k++) {
        begin_scene(ball_text(&ball), k == 0 ? SOLVER_ARTICULATED : SOLVER_CONSTRAINT, 1.0 / 480);
        run_for(1);
        kept[k] = energy_now();
    }
    ck_assert_double_eq_tol(kept[0], kept[1], 5e-3);
}

/* ---------------------------------------------------------------- impacts */

/* Housner's block: tilted about an edge by a share of what lets it fall over and let go, it falls
 * on the other edge, which leaves it (1 - 3/2 sin^2)^2 of its energy (Housner, Bull. Seismol. Soc.
 * Am. 53, 1963). Turned about y by `turn`. */
static double kept_by_block(double width, double height, double share, double turn, double dt_s)
{
    char text[512];
    double tilt = share * atan2(width, height), c = cos(tilt), s = sin(tilt);
    double x = (width * c - height * s) / 2, y = (width * s + height * c) / 2;
    double ct = cos(turn / 2), st = sin(turn / 2), ch = cos(tilt / 2), sh = sin(tilt / 2);
    snprintf(text, sizeof text,
             "{'scene': 1, 'dimensions': 3, 'world': {'ground': true, 'friction': 1}, 'bodies': "
             "[{'name': 'b', 'boxes': [{'size_m': [%.17g, %.17g, 0.3], 'mass_kg': 2}], "
             "'position_m': [%.17g, %.17g, %.17g], 'quaternion': [%.17g, %.17g, %.17g, %.17g]}]}",
             width, height, x * cos(turn), y, -x * sin(turn), ct * ch, st * sh, st * ch, ct * sh);
    begin_scene(text, SOLVER_ARTICULATED, dt_s);
    double least = 2 * 9.81 * height / 2, before = energy_now() - least, highest = y;
    int has_hit = 0;
    for (int i = 0; i < 2 / dt_s; i++) {
        double last = run->q[1];
        ck_assert_int_eq(dynamics_step(run), 0);
        has_hit |= energy_now() - least < 0.95 * before;
        if (has_hit && run->q[1] < last && last > height / 2 * 1.002)
            break;
        highest = last;
    }
    ck_assert(has_hit && highest < y);
    return (energy_now() - least) / before;
}

TEST_LOOP(a_rocking_block_loses_what_it_must, 0, 3)
{
    const double sizes[][2] = {{0.1, 0.4}, {0.25, 1}, {0.1, 0.25}}, turns[] = {0, 1, -2.2};
    double width = sizes[_i][0], height = sizes[_i][1], sum = 0;
    double sine = sin(atan2(width, height)), kept = pow(1 - 1.5 * sine * sine, 2);
    for (int k = 0; k < 12; k++) {
        double off = kept_by_block(width, height, 0.4 + 0.04 * k, turns[k % 3], 1.0 / 240) - kept;
        ck_assert_msg(fabs(off) < 0.012, "keeps %.4f too much of %.4f", off, kept);
        sum += off;
    }
    ck_assert_double_eq_tol(sum / 12, 0, 0.004);
}

/* Boxes that bounce without loss, on nothing or on a smooth ground, keep their energy to 1e-4. */
TEST_LOOP(what_bounces_without_loss_keeps_its_energy, 0, 2)
{
    const double speeds[] = {0.5, 1, 2, 4}, masses[] = {1, 0.1, 2, 3};
    char text[1024];
    for (int k = 0; k < 16; k++) {
        snprintf(text, sizeof text,
                 "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': %g, 'ground': true, "
                 "'friction': 0, 'elasticity': 1}, 'bodies': [{'name': 'a', 'boxes': [{'size_m': "
                 "[0.4, 0.2, 0.3], 'mass_kg': 1}], 'position_m': [0, 0.1, 0], 'velocity_m_s': [%g, "
                 "0, 0]}, {'name': 'b', 'boxes': [{'size_m': [0.4, 0.2, 0.3], 'mass_kg': %g}], "
                 "'position_m': [0.47, 0.1, 0]}]}",
                 _i ? 9.81 : 0, speeds[k / 4], masses[k % 4]);
        begin_scene(text, SOLVER_ARTICULATED, 1.0 / 240);
        double before = energy_now(), moving = dynamics_ledger(run)->kinetic_j;
        run_for(0.4);
        ck_assert_msg(fabs(energy_now() - before) < 1e-4 * moving,
                      "%g m/s on %g kg: %.3g J of %.3g lost", speeds[k / 4], masses[k % 4],
                      before - energy_now(), moving);
    }
}

SUITE("space_kept", 60, scene_set_up, NULL)
