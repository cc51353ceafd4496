/* Reference cases for the articulated solver that a scene of test_scenes.c cannot have: forces of
 * drag, a stop found by a fine step, and rods on a gantry of a creature's own. Values come from closed
 * forms in 60-digit arithmetic, and from gantry.h.
 *
 * A case is compared within the tolerance meant for a production integrator, which is absolute. A
 * creature's root is free, so what is pinned hangs on a gantry that stands on the ground: an RK4
 * step is never taken there, and smaller steps are needed for the tolerances. */
#include "simulator/planar/tree/tree.h"

#include "tests/oracle/gantry.h"
#include "tests/unit/stage_fixture.h"

enum { DOF = BODY_DOF_MAX };
#define TOLERANCE_REFERENCE 1e-9

/* The default step. */
struct accuracy {
    double dt_s;
    int integrator;
    int is_reference;
};
static const struct accuracy engine = {1.0 / 240, INTEGRATOR_AUTO, 0};

static void use(const struct accuracy *accuracy)
{
    stage.settings.dt_s = accuracy->dt_s;
    stage.settings.integrator = accuracy->integrator;
}

/* Compares within the engine's tolerance, or the reference's. */
static void check(const struct accuracy *accuracy, const char *what, double value, double expected,
                  double allowed)
{
    double tolerance = accuracy->is_reference ? TOLERANCE_REFERENCE : allowed;
    ck_assert_msg(fabs(value - expected) <= tolerance,
                  "%s: %.12g instead of %.12g, off by %.2e (allowed %.2e), integrator %d", what,
                  value, expected, fabs(value - expected), tolerance, accuracy->integrator);
}

/* ---------------------------------------------------------------- drag */

/* edge_drag_integrals, the linear law on both sides: a rectangle without thickness is two such
 * edges back to back. Velocity, rate, length, viscosity; force along the normal, torque about the
 * middle. */
static const struct edge_case {
    double speed, rate, length, viscosity, force, torque;
} edge_cases[] = {
    {1.0, 0.0, 1.0, 2.0, -2.0, 0.0},
    {0.3, 2.0, 0.8, 5.0, -1.2, -0.4266666666666667},
    {-0.4, 3.0, 1.2, 1.5, 0.72, -0.648},
    {0.9, -1.0, 0.5, 4.0, -1.8, 0.041666666666666664},
};

TEST(edge_drag_integrals)
{
    for (size_t i = 0; i < sizeof edge_cases / sizeof edge_cases[0]; i++) {
        const struct edge_case *edge = &edge_cases[i];
        const double angle = 0.7, zero[DOF] = {0};
        double q[DOF] = {0, 0, angle}, qdd[DOF];
        double qd[DOF] = {-sin(angle) * edge->speed, cos(angle) * edge->speed, edge->rate};
        struct tree tree;
        arena_reset(&stage.arena);
        body_init_box(&stage.body, edge->length, 1e-12, 1);
        tree_create(&tree, &stage.body.phenotype, edge->viscosity, &stage.arena);
        tree_set_pose(&tree, q);
        tree_set_velocity(&tree, qd);
        tree_accelerate(&tree, zero, zero, 0, 0, qdd);
        double inertia = stage.body.links[0].inertia.zz;
        double along = -sin(angle) * qdd[0] + cos(angle) * qdd[1];
        ck_assert_double_eq_tol(along / 2, edge->force, 1e-9);
        ck_assert_double_eq_tol(inertia * qdd[2] / 2, edge->torque, 1e-9);
        ck_assert_double_eq_tol(cos(angle) * qdd[0] + sin(angle) * qdd[1], 0, 1e-9);
    }
}

/* ---------------------------------------------------------------- joints */

/* joint_limit_beyond_half_turn: an even torque turns a rod from -260 to +270 degrees. */
TEST_LOOP(joint_limit_beyond_half_turn, 0, 2)
{
    const struct accuracy fine = {1.0 / 960, INTEGRATOR_AUTO, 1};
    const struct accuracy *accuracy = _i ? &fine : &engine;
    double q[DOF] = {0, 0, 0, -260 * BODY_DEGREE}, zero[DOF] = {0};
    use(accuracy);
    stage.settings.effector_mode = EFFECTOR_TORQUE;
    stage.settings.joint_speed_rad_s = 1e12;
    body_init_stopped_rod(&stage.body, 1e12);
    stage_start(&stage, q, zero);
    dynamics_set_target(stage.dynamics, 1, 1, 0);

    /* the last state before the stop, and from there on by the exact motion */
    int step = 0;
    double angle = 0, rate = 0;
    while (stage.dynamics->qd[3] >= rate && step < 4000) {
        angle = stage.dynamics->q[3];
        rate = stage.dynamics->qd[3];
        stage_run(&stage, accuracy->dt_s);
        step++;
    }
    double rest = 270 * BODY_DEGREE - angle, t = (step - 1) * accuracy->dt_s;
    double at_stop = sqrt(rate * rate + 2 * 5 * rest);
    check(accuracy, "time_to_stop", t + (at_stop - rate) / 5, 1.923563883583797, 0.005);
    check(accuracy, "omega_at_stop", at_stop, 9.617819417918984, 0.02);
    stage_run(&stage, 1);
    ck_assert_double_eq_tol(stage.dynamics->q[3], 4.71238898038469, 0.005);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 0, 1e-9);
    ck_assert_double_eq_tol(dynamics_ledger(stage.dynamics)->loss_limit_j, 4.625122517784973, 0.02);
}

/* ---------------------------------------------------------------- pinned rods */

/* While something stands on the ground the midpoint step is of first order: with the default step
 * the angles below are off by 4e-3 (double pendulum, 2 s) and 1e-2 (chain, 0.2 s). */
#define PINNED_DT_S (1.0 / 15360)

static void check_gantry_stands(void)
{
    ck_assert_double_eq_tol(stage.dynamics->q[0], 0, 1e-5);
    ck_assert_double_eq_tol(stage.dynamics->q[1], PIN_HEIGHT_M + 1, 1e-5);
    ck_assert_double_eq_tol(stage.dynamics->q[2], 0, 1e-5);
}

/* pendulum_period, rod of 1 m: amplitudes in degrees. */
static const double amplitudes_deg[] = {5, 30, 60, 90, 120, 150, 170, 175};

TEST(pendulum_period)
{
    double length = 1, mass = 1;
    json_t *cases = NULL, *row;
    size_t k;
    rows_load(&cases, "tests/oracle/cases.json");
    for (size_t i = 0; i < sizeof amplitudes_deg / sizeof amplitudes_deg[0]; i++) {
        double angle = (amplitudes_deg[i] - 90) * BODY_DEGREE;
        use(&engine);
        build_rods(&stage, 1, &length, &mass, &angle);

        /* half a period: the rate returns to zero, taken as linear within the step */
        double before = -1, now = -1, time = 0;
        for (; now < 0; time += stage.settings.dt_s) {
            stage_run(&stage, stage.settings.dt_s);
            before = now;
            now = stage.dynamics->qd[3];
        }
        double half = time - stage.settings.dt_s * now / (now - before);
        check_gantry_stands();
        int found = 0;
        const char *of = printed("%g deg", amplitudes_deg[i]);
        json_array_foreach(json_object_get(cases, "pendulum_period"), k,
                           row) if (!strcmp(word(row, "quantity"), "period_rod") &&
                                    !strcmp(word(row, "of"), of))
        {
            check(&engine, of, 2 * half, number(row, "value"), number(row, "tol_engine"));
            found++;
        }
        ck_assert_int_eq(found, 1);
    }
    json_decref(cases);
}

/* Runs to a case's time and returns the largest error of an angle. */
static double run_to(const struct rods_case *c, int count, double seconds)
{
    double error = 0;
    stage_run(&stage, seconds);
    for (int i = 0; i < count; i++)
        error = fmax(error, fabs(stage.dynamics->q[3 + i] - c->q[i]));
    return error;
}

static void check_rods(const struct rods_case *c, const struct rods *rods)
{
    const struct accuracy *accuracy = &engine;
    int count = rods->count;
    for (int i = 0; i < count; i++) {
        check(accuracy, "q", stage.dynamics->q[3 + i], c->q[i], c->q_engine);
        if (c->qd_engine > 0)
            check(accuracy, "dq/dt", stage.dynamics->qd[3 + i], c->qd[i], c->qd_engine);
    }
    struct part_state last = stage_part(&stage, GANTRY_PARTS + count - 1);
    double half = rods->lengths[count - 1] / 2;
    check(accuracy, "tip x", last.at_m.x + half * cos(last.angle_rad), c->tip[0], c->q_engine);
    check(accuracy, "tip y", last.at_m.y + half * sin(last.angle_rad) - PIN_HEIGHT_M, c->tip[1],
          c->q_engine);
}

/* All cases; then the first at half the step: the error must fall at least to half. */
static void check_rod_cases(const struct rods *rods)
{
    double t = 0, coarse = 0;
    rods_read(rods);
    use(&engine);
    stage.settings.dt_s = PINNED_DT_S;
    build_rods(&stage, rods->count, rods->lengths, rods->masses, rods->angles);
    double energy = stage_energy(&stage);
    for (const struct rods_case *c = rods_cases; c < rods_cases + rods->case_count; c++) {
        double error = run_to(c, rods->count, c->t_s - t);
        t = c->t_s;
        if (c == rods_cases)
            coarse = error;
        check_rods(c, rods);
        ck_assert_double_eq_tol(stage_energy(&stage), energy, 0.05);
    }
    check_gantry_stands();

    stage.settings.dt_s /= 2;
    build_rods(&stage, rods->count, rods->lengths, rods->masses, rods->angles);
    double fine = run_to(&rods_cases[0], rods->count, rods_cases[0].t_s);
    printf("articulated: %s, error at %g s: %.1e, at half the step %.1e\n", rods->name,
           rods_cases[0].t_s, coarse, fine);
    ck_assert_double_gt(coarse / fine, 1.7);
}

TEST(double_pendulum_rods)
{
    check_rod_cases(&double_pendulum);
}

TEST(chain5_pinned)
{
    check_rod_cases(&chain5);
}

SUITE("articulated", 60, stage_set_up, NULL)
