/* Scenes in space at the ends of what may be asked for, by both solvers: what a torque beside a
 * spring does, and what whirls or trembles faster than a step. */
#include "common/math/detmath.h"
#include "simulator/links/spatial_state.h"
#include "tests/scene_fixture.h"

/* ---------------------------------------------------------------- torques beside springs */

/* A cube with an inertia of 1 kg m^2 on a ball, with a weak spring and 2 N m about z, at the angle
 * (T/k) (1 - cos(t sqrt(k))); and with a torque that rises as T t: (T/k) (t - sin(t sqrt(k)) /
 * sqrt(k)). */
TEST_LOOP(torque_beside_a_spring_is_a_torque, 0, 8)
{
    static const char *const kinds[] = {"spherical", "revolute"};
    static const char *const torques[] = {"2", "{'slope_1_s': 2}"};
    int is_ball = _i / 2 % 2 == 0, is_rising = _i % 2;
    char text[600];
    snprintf(text, sizeof text,
             "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0}, 'bodies': [{'name': 'b',"
             " 'mass_kg': 1, 'inertia_kg_m2': [1, 1, 1], 'joint': {'to': 'world', 'kind': '%s',"
             " 'freedoms': [%s{'torque_n_m': %s, 'spring': {'stiffness_n_m_rad': 0.1}}]}}]}",
             kinds[!is_ball], is_ball ? "{}, {}, " : "", torques[is_rising]);
    begin_scene(text, _i / 4 == 0 ? SOLVER_ARTICULATED : SOLVER_CONSTRAINT, 0);
    run_for(1);
    double w = sqrt(0.1), expected = is_rising ? 20 * (1 - sin(w) / w) : 20 * (1 - cos(w));
    struct drive_state drive;
    dynamics_drive_state(run, is_ball ? 2 : 0, &drive);
    ck_assert_double_eq_tol(drive.value, expected, 1e-4);
    ck_assert_double_eq_tol(drive.effort, 2 - 0.1 * expected, 5e-3);
}

/* ---------------------------------------------------------------- faster than a step */

/* A box that spins by 1000 rad/s keeps its momentum, and nearly its energy. */
TEST(fast_spins_stay_finite)
{
    struct vec3 p0, l0, p1, l1;
    begin_scene(
        "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0}, 'bodies': [{'name': 'b',"
        " 'boxes': [{'size_m': [0.2, 0.1, 0.05], 'mass_kg': 1}], 'rate_rad_s': [1000, 100, 50]}]}",
        SOLVER_ARTICULATED, 0);
    spatial_tree_momentum(spatial_state_tree(spatial_state_of(run)), &p0, &l0);
    run_for(1);
    spatial_tree_momentum(spatial_state_tree(spatial_state_of(run)), &p1, &l1);
    ck_assert_double_lt(fabs(dynamics_ledger(run)->residual_j), 0.01 * 543.75);
    ck_assert_double_lt(vec3_length(vec3_sub(l1, l0)), 0.01 * vec3_length(l0));
}

/* A chain of `count` links of 10 g on balls or hinges, the last one heavy, falls from its side. */
static void start_chain(const char *joint, int count, double heavy_kg, double first_turn)
{
    static char text[1 << 14];
    int length =
        snprintf(text, sizeof text,
                 "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 9.81}, 'bodies': [");
    for (int i = 0; i < count; i++) {
        char to[24] = "world";
        if (i > 0)
            snprintf(to, sizeof to, "l%d", i - 1);
        length += snprintf(
            text + length, sizeof text - (size_t)length,
            "%s{'name': 'l%d', 'boxes': [{'size_m': [0.2, 0.05, 0.05], 'mass_kg': %g, 'at_m':"
            " [0.1, 0, 0]}], 'joint': {'to': '%s', 'kind': '%s', 'at_m': [%g, 0, 0]",
            i > 0 ? ", " : "", i, i == count - 1 ? heavy_kg : 0.01, to, joint, i > 0 ? 0.2 : 0.0);
        if (strcmp(joint, "spherical") == 0)
            length += snprintf(text + length, sizeof text - (size_t)length,
                               ", 'start_quaternion': [1, 0.05, %g, %g]", i % 2 ? -0.1 : 0.1,
                               i > 0 ? 0.1 : first_turn);
        length += snprintf(text + length, sizeof text - (size_t)length, "}}");
    }
    snprintf(text + length, sizeof text - (size_t)length, "]}");
    begin_scene(text, SOLVER_ARTICULATED, 0);
}

/* In the second one, links of which nothing touches another come near one another, so that some
 * steps are midpoint steps. */
TEST_LOOP(light_chains_with_a_heavy_end_keep_their_energy, 0, 4)
{
    static const struct {
        const char *joint;
        int count;
        double heavy_kg, first_turn, time_s, share;
    } chains[] = {{"spherical", 5, 100, 0.1, 1.5, 0.002},
                  {"spherical", 5, 100, -0.3, 10, 0.002},
                  {"spherical", 5, 10, -0.3, 5, 0.002},
                  {"revolute", 20, 1, 0, 3, 0.05}};
    start_chain(chains[_i].joint, chains[_i].count, chains[_i].heavy_kg, chains[_i].first_turn);
    double turned = chains[_i].heavy_kg * 9.81 * 0.2 * chains[_i].count;
    run_for(chains[_i].time_s);
    ck_assert_double_lt(fabs(dynamics_ledger(run)->residual_j), chains[_i].share * turned);
}

/* ---------------------------------------------------------------- thin walls */

/* A plate or a cube of random size flies at a random speed, angle and spin at a wall of 2 to 20 mm
 * across x = 0, which is fixed, or a body that nothing moves. 1 if its centre comes to the other
 * side. */
static int passes_wall(struct rng *rng, int is_body)
{
    char text[1000], wall[200];
    double thickness = 0.002 * exp(rng_unit(rng) * log(10.0));
    double speed = 1 * exp(rng_unit(rng) * log(100.0)), side = 0.05 + 0.2 * rng_unit(rng);
    double plate = rng_unit(rng) < 0.7 ? thickness : side, spin[3], turn[4];
    for (int k = 0; k < 3; k++)
        spin[k] = 60 * (rng_unit(rng) - 0.5);
    for (int k = 0; k < 4; k++)
        turn[k] = rng_unit(rng) - 0.5 + (k == 0 && rng_unit(rng) < 0.5);
    snprintf(
        wall, sizeof wall,
        is_body
            ? "}, 'bodies': [{'name': 'w', 'boxes': [{'size_m': [%g, 99, 99], 'mass_kg': 1e9}]}, "
            : ", 'obstacles': [{'size_m': [%g, 999, 999]}]}, 'bodies': [",
        thickness);
    snprintf(text, sizeof text,
             "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0%s"
             "{'name': 'b', 'boxes': [{'size_m': [%g,"
             " %g, %g], 'mass_kg': 0.5}], 'position_m': [%g, 0, 0], 'quaternion': [%g, %g, %g, %g],"
             " 'velocity_m_s': [%g, %g, %g], 'rate_rad_s': [%g, %g, %g]}]}",
             wall, plate, side, side * (0.3 + rng_unit(rng)), -0.3 - 0.2 * rng_unit(rng), turn[0],
             turn[1], turn[2], turn[3], speed, speed * (rng_unit(rng) - 0.5),
             speed * (rng_unit(rng) - 0.5), spin[0], spin[1], spin[2]);
    begin_scene(text, SOLVER_ARTICULATED, 0);
    const double *x = run->q + (is_body ? 7 : 0);
    for (int i = 0; i < 240 && *x < 0.1; i++)
        ck_assert_int_eq(dynamics_step(run), 0);
    return *x > 0;
}

TEST_LOOP(thin_walls_hold, 0, 2)
{
    struct rng rng;
    rng_init(&rng, 7, 0, 0, 0);
    int passed = 0;
    for (int i = 0; i < 200; i++)
        passed += passes_wall(&rng, _i);
    ck_assert_int_eq(passed, 0);
}

/* Plates that fly straight at walls as thin as they are stay in front of them. */
TEST_LOOP(plates_stop_at_walls, 0, 4)
{
    static const struct {
        double thickness_m, from_m, speed_m_s;
    } plates[] = {{0.005, -0.3, 5}, {0.02, -1.0204166666666667, 10}};
    char text[500];
    snprintf(text, sizeof text,
             "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0, 'obstacles': [{'size_m': "
             "[%g, 4, 4]}]}, 'bodies': [{'name': 'b', 'boxes': [{'size_m': [%g, 0.3, 0.3],"
             " 'mass_kg': 1}], 'position_m': [%.17g, 0.01, 0.013], 'velocity_m_s': [%g, 0, 0]}]}",
             plates[_i / 2].thickness_m, plates[_i / 2].thickness_m, plates[_i / 2].from_m,
             plates[_i / 2].speed_m_s);
    begin_scene(text, _i % 2 == 0 ? SOLVER_ARTICULATED : SOLVER_CONSTRAINT, 0);
    run_for(0.25);
    ck_assert_double_eq_tol(run->q[0], -plates[_i / 2].thickness_m, 1e-3);
}

SUITE("space_extremes", 60, scene_set_up, NULL)
