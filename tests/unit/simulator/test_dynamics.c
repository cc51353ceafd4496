/* The dynamics away from contacts: conservation, orders of convergence, exact solutions, servos,
 * drag, and the ledger. Contacts and limits are in test_contacts.c, symmetries in
 * tests/oracle/test_metamorphic.c, reference cases with numbers in tests/oracle. Comments say what
 * was measured; tolerances leave a factor of a few. */
#include "simulator/body/dynamics.h"

#include "tests/unit/stage_fixture.h"

enum { DOF = BODY_DOF_MAX };

static struct rng rng;

static const int integrators[] = {INTEGRATOR_RK4, INTEGRATOR_MIDPOINT};
enum { INTEGRATORS = 2, WAYS = INTEGRATORS + 1 };

/* By an integrator of the articulated solver, or by the constraint solver. */
static void use_way(int way)
{
    stage.settings.integrator = integrators[way % INTEGRATORS];
    if (way < INTEGRATORS)
        return;
    stage.settings.solver = SOLVER_CONSTRAINT;
    stage.settings.constraint_tau_s = 0.01;
    stage.settings.rtol = 1e-10;
}

static void setup(void)
{
    stage_open(&stage);
    rng_init(&rng, 22, RNG_TEST, 0, 1);
}

/* The passive chain of five links, with rates up to 2 rad/s. */
static void build_chain(double *q, double *qd)
{
    static const double angles[7] = {0, 0, 0.3, -0.4, 0.9, 0.5, -0.7};
    static const double rates[7] = {0.4, -0.3, 0.5, -0.5, 1, -1, 2};
    body_init_chain(&stage.body, 5, 0.4, 0.1, 0.2);
    stage_build(&stage);
    for (int i = 0; i < 7; i++) {
        q[i] = angles[i];
        qd[i] = rates[i];
    }
    stage_set(&stage, q, qd);
}

/* ---------------------------------------------------------------- conservation and order */

/* The first joint towards a target for so long. */
static void pull(double value, double rate, double seconds)
{
    dynamics_set_target(stage.dynamics, 1, value, rate);
    stage_run(&stage, seconds);
}

/* By RK4, and by the constraint solver at the tolerance of evaluations. */
TEST_LOOP(free_chain_keeps_energy_and_momentum, 0, 2)
{
    double q[DOF], qd[DOF], before[3], after[3];
    use_way(_i * INTEGRATORS);
    stage.settings.rtol = 1e-8;
    build_chain(q, qd);
    double energy = stage_energy(&stage);
    read_momentum(stage.dynamics, before);
    stage_run(&stage, 10);
    read_momentum(stage.dynamics, after);
    double drift = fabs(stage_energy(&stage) - energy) / energy;
    double linear = hypot(after[0] - before[0], after[1] - before[1]) / hypot(before[0], before[1]);
    double angular = fabs(after[2] - before[2]) / fabs(before[2]);
    ck_assert_double_lt(drift, 1e-8);
    ck_assert_double_lt(linear, 1e-8);
    ck_assert_double_lt(angular, 1e-8);
    ck_assert(_i || stage_is_all_rk4(&stage));
}

/* From one step to half of it the error is divided by this, of RK4 and of midpoint steps. */
static const double orders[INTEGRATORS] = {16, 4};

/* With servos, damping, drag and gravity too; the implicit terms must not spoil the order. */
static void start_driven(void)
{
    body_init_driven_chain(&stage.body, 4, 0.3, 0.1, 0.1, 100);
    stage_build(&stage);
    for (int i = 1; i < 4; i++)
        dynamics_set_target(stage.dynamics, i, 0.2 * i, i == 2 ? -0.5 : 0.3);
}

/* ---------------------------------------------------------------- linear joints */

/* A tree of five links, of which two slide, thrown and spinning. */
static void build_sliders(double torque_n_m)
{
    struct body_part parts[] = {
        {ROOT(0.5, 0.3, 0.6)},
        {PART(0, 0.4, 0, 0.3, 0.12, 0.15), ANCHOR(0.25, 0), .is_linear = 1, .axis_rad = 0.5},
        {PART(1, 0.7, 0.1, 0.3, 0.12, 0.2), ANCHOR(0.55, 0)},
        {PART(2, 1, 0.2, 0.3, 0.12, 0.25), ANCHOR(0.9, 0), .is_linear = 1, .axis_rad = -1},
        {PART(0, -0.4, -0.2, 0.3, 0.12, 0.3), ANCHOR(-0.25, -0.1)}};
    static const double q[7] = {0.3, 2, 0.4, 0.05, -0.3, -0.1, 0.6};
    static const double qd[7] = {0.5, -0.2, 1.2, 0.3, -1.5, 0.2, 1};
    for (int i = 1; i < 5; i++)
        parts[i].torque_max_n_m = torque_n_m;
    body_init(&stage.body, parts, 5);
    stage_start(&stage, q, qd);
    for (int i = 1; i < 5; i++)
        dynamics_set_target(stage.dynamics, i, 0.1 * i, i == 2 ? -0.5 : 0.2);
}

static void start_free_sliders(void)
{
    build_sliders(0);
}

static void start_driven_sliders(void)
{
    build_sliders(100);
}

TEST_LOOP(linear_joints_keep_the_orders, 0, 2 * INTEGRATORS)
{
    static const double tolerance[INTEGRATORS] = {3, 0.5};
    int driven = _i / INTEGRATORS, i = _i % INTEGRATORS;
    stage.settings.integrator = integrators[i];
    if (driven) {
        stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .viscosity_pa_s = 0.8};
        stage.settings.servo_rad_s = 15;
        stage.settings.joint_damping_1_s = 2;
    }
    /* errors of the midpoint's guesses are of third order: they must have faded */
    double dt_s = integrators[i] == INTEGRATOR_MIDPOINT ? 1.0 / 1920 : 1.0 / 480;
    double ratio =
        stage_order(&stage, driven ? start_driven_sliders : start_free_sliders, dt_s, 0.5);
    ck_assert_double_eq_tol(ratio, orders[i], tolerance[i]);
}

TEST(linear_joints_keep_energy_and_momentum)
{
    double before[3], after[3];
    stage.settings.integrator = INTEGRATOR_RK4;
    build_sliders(0);
    double energy = stage_energy(&stage);
    read_momentum(stage.dynamics, before);
    stage_run(&stage, 2);
    read_momentum(stage.dynamics, after);
    ck_assert_double_gt(fabs(stage.dynamics->q[3]), 0.5);
    ck_assert_double_eq_tol(stage_energy(&stage), energy, 1e-7 * energy);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(after[i], before[i], 1e-9);
}

/* A body that slides on another along axis_rad, neither of which feels anything else. */
static void build_pair(double inertia_kg_m2, double axis_rad, double force_n)
{
    const struct body_part pair[] = {{ROOT(0.4, 0.2, 4), .inertia_kg_m2 = inertia_kg_m2},
                                     {PART(0, 0, 0, 0.2, 0.2, 1), .is_linear = 1,
                                      .axis_rad = axis_rad, .torque_max_n_m = force_n}};
    body_init(&stage.body, pair, 2);
    stage_build(&stage);
}

/* On a rod that nothing slows down: x = x0 cosh(w t) from the common centre. Measured 2e-9 (RK4),
 * 2e-4 (midpoint). */
TEST_LOOP(a_bead_on_a_spinning_rod_flies_off_as_cosh, 0, WAYS)
{
    static const double tolerance[WAYS] = {2e-8, 1e-3, 1e-7};
    double apart = _i < INTEGRATORS ? 1e-12 : 1e-7;
    use_way(_i);
    build_pair(1e12, 0.7, 0);
    /* the centre of mass, a fifth of the way, is at rest */
    double q[DOF] = {0, 0, 0, 0.1}, qd[DOF] = {0, 0, 2};
    qd[0] = 2 * 0.02 * sin(0.7);
    qd[1] = -2 * 0.02 * cos(0.7);
    stage_set(&stage, q, qd);
    stage_run(&stage, 1.5);
    double extension = stage.dynamics->q[3];
    ck_assert_double_eq_tol(extension, 0.1 * cosh(3), tolerance[_i]);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 0.2 * sinh(3), 4 * tolerance[_i]);
    struct part_state root = stage_part(&stage, 0), bead = stage_part(&stage, 1);
    ck_assert_double_eq_tol(bead.at_m.x - root.at_m.x, extension * cos(3.7), apart);
    ck_assert_double_eq_tol(bead.at_m.y - root.at_m.y, extension * sin(3.7), apart);
    ck_assert_double_le(fabs(bead.angle_rad - root.angle_rad), _i < INTEGRATORS ? 0 : 1e-9);
}

/* The joint moves the reduced mass 0.8 kg: damping, a position servo, forces and their bounds. */
TEST_LOOP(drives_of_linear_joints_follow_their_closed_forms, 0, WAYS)
{
    static const double tolerance[WAYS] = {1e-6, 5e-4, 1e-8};
    double q[DOF] = {0}, qd[DOF] = {0, 0, 0, 3}, error = 0;
    use_way(_i);
    stage.settings.servo_rad_s = 20;
    stage.settings.joint_damping_1_s = 1.5;
    build_pair(0, 0.7, 0);
    stage_set(&stage, q, qd);
    stage_run(&stage, 0.5);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 3 * exp(-1.5), tolerance[_i]);
    ck_assert_double_eq_tol(dynamics_ledger(stage.dynamics)->loss_damping_j,
                            0.4 * (9 - 9 * exp(-3)), 3 * tolerance[_i]);
    stage.settings.joint_damping_1_s = 0;

    build_pair(0, 0.7, 1000);
    dynamics_set_target(stage.dynamics, 1, 0.3, 0);
    for (int step = 1; step <= 240; step++) {
        stage_run(&stage, stage.settings.dt_s);
        double t = step * stage.settings.dt_s;
        error = fmax(error, fabs(stage.dynamics->q[3] - 0.3 * (1 - (1 + 20 * t) * exp(-20 * t))));
    }
    ck_assert_double_lt(error, tolerance[_i]);

    /* a weak servo with a far target pushes evenly */
    build_pair(0, 0.7, 2);
    pull(100, 0, 1);
    ck_assert_double_eq_tol(stage.dynamics->q[3], 2 / 0.8 / 2, 1e-9);
    ck_assert_double_eq_tol(read_effort(stage.dynamics, 1), 2, 1e-8);
    ck_assert_double_eq_tol(dynamics_ledger(stage.dynamics)->work_effector_j, 2 * 1.25, 1e-8);
}

/* The speed at which an effector's force vanishes is that of linear joints. */
TEST_LOOP(linear_effectors_have_a_speed_of_their_own, 0, INTEGRATORS)
{
    stage.settings.integrator = integrators[_i];
    stage.settings.effector_mode = EFFECTOR_TORQUE;
    stage.settings.joint_speed_rad_s = 10;
    stage.settings.joint_speed_m_s = 0.5;
    build_pair(0, -2, 3);
    pull(1, 0, 3);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 0.5, 1e-6);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(l->work_effector_j, l->kinetic_j, 1e-6);
}

/* ---------------------------------------------------------------- muscles */

/* When a muscle that moves 0.8 kg has come to a speed, by Hill's curve: (F0 + a)(b - ...) solved
 * for the acceleration, dt = m (v + b) / (a (vmax - v)) dv. */
static double time_to_speed(double speed, double strength, double curvature, double speed_max)
{
    double a = curvature * strength, b = curvature * speed_max;
    return 0.8 / a * ((speed_max + b) * log(speed_max / (speed_max - speed)) - speed);
}

/* How far the time is from the closed form's. A quarter of the way in rate the curve is already at
 * 3/8. */
static double muscle_error(double dt_s, double strength_n)
{
    stage.settings.dt_s = dt_s;
    stage.settings.joint_speed_m_s = 2;
    build_pair(0, 0.7, strength_n);
    pull(1000, 0, 0.5);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(l->residual_j, 0, 1e-6 * l->work_effector_j);
    return fabs(time_to_speed(stage.dynamics->qd[3], strength_n, 0.25, 2) - 0.5);
}

TEST_LOOP(muscles_shorten_as_hill_has_it, 0, INTEGRATORS)
{
    static const double tolerance[INTEGRATORS] = {3, 0.4};
    stage.settings.hill_curvature = 0.25;
    stage.settings.integrator = integrators[_i];
    /* errors of the midpoint's guesses are of third order: they must have faded */
    double dt_s = integrators[_i] == INTEGRATOR_MIDPOINT ? 1.0 / 1920 : 1.0 / 240;
    double error = muscle_error(1.0 / 240, 4);
    double ratio = muscle_error(dt_s, 4) / muscle_error(dt_s / 2, 4);
    ck_assert_double_lt(error, 5e-6);
    ck_assert_double_eq_tol(ratio, orders[_i], tolerance[_i]);
}

/* Muscles that are much too strong for what they move take a small part of a step to their greatest
 * speed. They get there without ringing, also when they are turned about, and up to a stiffness of
 * a few steps no faster. Beyond that the step that turns them about goes too far: its mean rate is
 * below the greatest, its end is not. */
TEST(stiff_muscles_do_not_ring)
{
    stage.settings.hill_curvature = 0.25;
    stage.settings.joint_speed_m_s = 2;
    stage.settings.servo_rad_s = 200;
    for (double strength = 10; strength < 1e6; strength *= 4) {
        double most = strength > 300 ? 3 * 2 : 2 * (1 + 1e-12);
        build_pair(0, 0.7, strength);
        for (int way = 1; way >= -1; way -= 2) {
            double last = -HUGE_VAL;
            dynamics_set_target(stage.dynamics, 1, way * 1e9, 0);
            for (int step = 0; step < 480; step++) {
                stage_run(&stage, 1.0 / 240);
                double rate = way * stage.dynamics->qd[3];
                ck_assert_double_le(rate, most);
                ck_assert_double_ge(rate, last - 1e-9);
                last = rate;
            }
            ck_assert_double_gt(last, strength > 99 ? 1.99 : 1.9);
        }
        const struct ledger *l = dynamics_ledger(stage.dynamics);
        ck_assert_double_eq_tol(l->residual_j, 0, 1e-3 * l->work_effector_positive_j);
    }
}

/* What stretches a muscle is held with its strength at rest, whatever the speed. */
TEST_LOOP(stretched_muscles_hold_their_strength, 0, INTEGRATORS)
{
    double q[DOF] = {0}, qd[DOF] = {0, 0, 0, -5};
    stage.settings.integrator = integrators[_i];
    stage.settings.hill_curvature = 0.25;
    stage.settings.joint_speed_m_s = 2;
    build_pair(0, 0.7, 4);
    stage_set(&stage, q, qd);
    pull(1000, 0, 0.5);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], -5 + 0.5 * 4 / 0.8, 1e-9);
    ck_assert_double_eq_tol(read_effort(stage.dynamics, 1), 4, 1e-8);
}

/* A driven chain in water with muscles that are at their bounds half of the time: the articulated
 * solver comes to the same as the other one, whose steps are as fine as it takes. Bounds that begin
 * and end within steps make single ratios of errors uneven: measured 3e-5, and with 16 times as
 * many steps 1e-7 (RK4) and 8e-7 (midpoint). */
static void swing_chain(int solver, double dt_s, double *end)
{
    stage.settings.solver = solver;
    stage.settings.dt_s = dt_s;
    body_init_driven_chain(&stage.body, 4, 0.3, 0.1, 0.1, 0.06);
    stage_build(&stage);
    for (int i = 1; i < 4; i++)
        dynamics_set_target(stage.dynamics, i, i == 2 ? -1 : 1, 0);
    stage_run(&stage, 0.25);
    for (int i = 1; i < 4; i++)
        dynamics_set_target(stage.dynamics, i, i == 2 ? 1 : -1, 0);
    stage_run(&stage, 0.25);
    memcpy(end, stage.dynamics->q, 6 * sizeof end[0]);
}

TEST(solvers_agree_on_muscles)
{
    double reference[DOF], end[DOF];
    stage.world = (struct world){.viscosity_pa_s = 0.8};
    stage.settings.hill_curvature = 0.25;
    stage.settings.joint_speed_rad_s = 10;
    stage.settings.servo_rad_s = 20;
    stage.settings.rtol = 1e-9;
    swing_chain(SOLVER_CONSTRAINT, 1.0 / 240, reference);
    for (int i = 0; i < INTEGRATORS; i++) {
        double error[2] = {0};
        stage.settings.integrator = integrators[i];
        for (int k = 0; k < 2; k++) {
            swing_chain(SOLVER_ARTICULATED, k ? 1.0 / 3840 : 1.0 / 240, end);
            for (int n = 0; n < 6; n++)
                error[k] = fmax(error[k], fabs(end[n] - reference[n]));
        }
        ck_assert_double_lt(error[0], 1e-4);
        ck_assert_double_lt(error[1], error[0] / 20);
    }
}

/* A driven, damped body in water that hangs on the world by joints without mass: as one that is
 * free, whose momentum alone is mended after midpoint steps. */
TEST_LOOP(a_body_hung_on_the_world_swims_as_a_free_one, 0, INTEGRATORS)
{
    struct part_state parts[5];
    double q[DOF] = {0}, qd[DOF] = {0};
    double apart = integrators[_i] == INTEGRATOR_MIDPOINT ? 1e-4 : 1e-8;
    stage.settings.integrator = integrators[_i];
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .viscosity_pa_s = 0.5};
    build_sliders(2);
    memcpy(q + 3, stage.dynamics->q, 7 * sizeof q[0]);
    memcpy(qd + 3, stage.dynamics->qd, 7 * sizeof qd[0]);
    stage_run(&stage, 1);
    stage_read_parts(&stage, parts, 5);
    struct ledger free_ledger = *dynamics_ledger(stage.dynamics);

    body_hang_free(&stage.body);
    stage_start(&stage, q, qd);
    for (int k = 1; k < 5; k++)
        dynamics_set_target(stage.dynamics, 3 + k, 0.1 * k, k == 2 ? -0.5 : 0.2);
    stage_run(&stage, 1);
    stage_check_parts(&stage, parts, 5, apart);
    for (int k = 0; k < 5; k++)
        ck_assert_double_eq_tol(stage_part(&stage, k).velocity_m_s.x, parts[k].velocity_m_s.x,
                                10 * apart);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(l->work_effector_j, free_ledger.work_effector_j, 20 * apart);
    ck_assert_double_eq_tol(l->loss_drag_j, free_ledger.loss_drag_j, 20 * apart);
    ck_assert_double_eq_tol(l->residual_j, free_ledger.residual_j, 20 * apart);
}

/* ---------------------------------------------------------------- exact solutions */

TEST_LOOP(a_free_box_turns_evenly_for_many_turns, 0, INTEGRATORS)
{
    double q[DOF] = {0}, qd[DOF] = {0.5, -0.25, 100};
    stage.settings.integrator = integrators[_i];
    body_init_box(&stage.body, 0.7, 0.3, 2);
    stage_start(&stage, q, qd);
    stage_run(&stage, 10);
    ck_assert_double_eq(stage.dynamics->qd[2], 100);
    ck_assert_double_eq_tol(stage_part(&stage, 0).angle_rad, 1000, 1e-9);
    ck_assert_xy(stage_part(&stage, 0).at_m, 5, -2.5, 1e-9);
}

TEST_LOOP(joint_damping_slows_the_joint, 0, INTEGRATORS)
{
    /* two wheels on one axle: the relative rate falls as exp(-2 rate t), since damping = 2 rate
     * D0 */
    static const double tolerance[INTEGRATORS] = {1e-9, 2e-4};
    const struct body_part wheels[] = {{ROOT(1, 0.2, 1), .inertia_kg_m2 = 0.08},
                                       {PART(0, 0, 0, 0.3, 0.3, 1), .inertia_kg_m2 = 0.02}};
    double q[DOF] = {0}, qd[DOF] = {0, 0, -1, 5};
    stage.settings.integrator = integrators[_i];
    stage.settings.joint_damping_1_s = 1.5;
    body_init(&stage.body, wheels, 2);
    stage_start(&stage, q, qd);
    stage_run(&stage, 0.5);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 5 * exp(-1.5), tolerance[_i]);
    const struct ledger *ledger = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(ledger->loss_damping_j, ledger->energy_start_j - ledger->kinetic_j,
                            1e-9);
    dynamics_set_joint_damping(stage.dynamics, 0);
    stage_run(&stage, 0.5);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 5 * exp(-1.5), tolerance[_i]);
}

/* A driven chain in a contact-free world with everything else. */
static void build_everything(int integrator)
{
    stage.settings.integrator = integrator;
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .viscosity_pa_s = 0.5};
    stage.settings.servo_rad_s = 20;
    start_driven();
}

TEST(looking_changes_nothing)
{
    double q[DOF];
    build_everything(INTEGRATOR_AUTO);
    stage_run(&stage, 1);
    memcpy(q, stage.dynamics->q, 6 * sizeof q[0]);
    build_everything(INTEGRATOR_AUTO);
    for (int i = 0; i < 240; i++) {
        dynamics_ledger(stage.dynamics);
        dynamics_overlap(stage.dynamics);
        dynamics_centre_of_mass(stage.dynamics);
        stage_run(&stage, stage.settings.dt_s);
    }
    ck_assert_mem_eq(q, stage.dynamics->q, 6 * sizeof q[0]);
}

/* ---------------------------------------------------------------- servos */

static void build_servo(double torque_max_n_m, double lower_rad, double upper_rad)
{
    body_init_wheels(&stage.body, torque_max_n_m, lower_rad, upper_rad);
    stage_build(&stage);
}

/* Gains are those of one joint with all others free. Three joints bending together carry more
 * inertia than that: they settle all the same, after an overshoot (measured: 39 %). */
TEST_LOOP(servos_of_a_chain_settle, 0, INTEGRATORS)
{
    double largest = 0;
    stage.settings.integrator = integrators[_i];
    stage.settings.servo_rad_s = 20;
    body_init_driven_chain(&stage.body, 4, 0.3, 0.1, 0.1, 100);
    stage_build(&stage);
    for (int k = 1; k < 4; k++)
        dynamics_set_target(stage.dynamics, k, 0.3, 0);
    for (int step = 0; step < 960; step++) {
        stage_run(&stage, stage.settings.dt_s);
        for (int k = 1; k < 4; k++)
            largest = fmax(largest, stage.dynamics->q[2 + k]);
    }
    for (int k = 1; k < 4; k++)
        ck_assert_double_eq_tol(stage.dynamics->q[2 + k], 0.3, 1e-3);
    ck_assert_double_lt(largest, 0.3 * 1.5);
}

TEST_LOOP(a_moving_target_is_followed_without_lag, 0, INTEGRATORS)
{
    stage.settings.integrator = integrators[_i];
    build_servo(1000, 0, 0);
    pull(0, 2, 1);
    ck_assert_double_eq_tol(stage.dynamics->q[3], 2, 1e-6);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 2, 1e-6);
}

/* A weak servo with a far target: the torque stays at the bound, so the motion is even acceleration
 * until it brakes; the bound holds in every step. */
TEST_LOOP(torque_never_exceeds_its_bound, 0, INTEGRATORS)
{
    double most = 0;
    stage.settings.integrator = integrators[_i];
    build_servo(0.05, 0, 0);
    dynamics_set_target(stage.dynamics, 1, 3, 0);
    for (int step = 1; step <= 1200; step++) {
        stage_run(&stage, stage.settings.dt_s);
        most = fmax(most, fabs(read_effort(stage.dynamics, 1)));
        if (step == 120)
            ck_assert_double_eq_tol(stage.dynamics->qd[3], 0.05 / 0.016 * 0.5, 1e-9);
    }
    ck_assert_double_le(most, 0.05 * (1 + 1e-8));
    ck_assert_double_ge(most, 0.05 * (1 - 1e-8));
}

/* Targets beyond them are not aimed at, of a hinge or of a joint that slides. */
TEST_LOOP(targets_are_clamped_to_the_limits, 0, 2 * INTEGRATORS)
{
    stage.settings.integrator = integrators[_i % INTEGRATORS];
    if (_i < INTEGRATORS)
        build_servo(1000, -0.4, 0.5);
    else
        build_pair(0, 0, 1000);
    stage.body.links[1].lower[0] = -0.4;
    stage.body.links[1].upper[0] = 0.5;
    stage_build(&stage);
    pull(25, 10, 2);
    ck_assert_double_eq_tol(stage.dynamics->q[3], 0.5, 1e-5);
    ck_assert_double_eq_tol(read_effort(stage.dynamics, 1), 0, 1e-3);
    pull(-25, 0, 2);
    ck_assert_double_eq_tol(stage.dynamics->q[3], -0.4, 1e-5);
}

TEST(slack_effectors_do_nothing_and_holding_ones_keep_the_pose)
{
    double q[DOF] = {0, 0, 0, 0.2}, qd[DOF] = {0, 0, 0, 1};
    build_servo(1000, 0, 0);
    dynamics_set_effectors(stage.dynamics, EFFECTORS_SLACK);
    dynamics_set_target(stage.dynamics, 1, 1, 0);
    stage_set(&stage, q, qd);
    stage_run(&stage, 1);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 1, 1e-12);
    ck_assert_double_eq(read_effort(stage.dynamics, 1), 0);
    ck_assert_double_eq(dynamics_ledger(stage.dynamics)->work_effector_j, 0);

    for (int mode = EFFECTOR_POSITION; mode <= EFFECTOR_TORQUE; mode++) {
        stage.settings.effector_mode = mode;
        build_servo(1000, 0, 0);
        dynamics_set_effectors(stage.dynamics, EFFECTORS_HOLD);
        dynamics_set_target(stage.dynamics, 1, 1, 0);
        stage_set(&stage, q, qd);
        stage_run(&stage, 1);
        ck_assert_double_eq_tol(stage.dynamics->q[3], 0, 1e-6);
    }
}

/* Torque mode: an even torque does the work torque x angle; signals beyond 1 are clamped; the
 * torque falls with the speed and vanishes at joint_speed_rad_s. */
TEST_LOOP(torque_mode_works_as_torque_times_angle, 0, INTEGRATORS)
{
    stage.settings.integrator = integrators[_i];
    stage.settings.effector_mode = EFFECTOR_TORQUE;
    stage.settings.joint_speed_rad_s = 1e12;
    build_servo(0.8, 0, 0);
    pull(-5, 0, 0.5);
    double angle = stage.dynamics->q[3];
    ck_assert_double_eq_tol(read_effort(stage.dynamics, 1), -0.8, 1e-9);
    ck_assert_double_eq_tol(angle, -0.8 / 0.016 * 0.125, 1e-9);
    const struct ledger *ledger = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(ledger->work_effector_j, -0.8 * angle, 1e-9);
    ck_assert_double_eq_tol(ledger->work_effector_positive_j, -0.8 * angle, 1e-9);
    ck_assert_double_lt(fabs(ledger->residual_j), 1e-9);

    stage.settings.joint_speed_rad_s = 10;
    build_servo(0.8, 0, 0);
    pull(1, 0, 3);
    ck_assert_double_eq_tol(stage.dynamics->qd[3], 10, 1e-3);
}

/* ---------------------------------------------------------------- ledger */

/* A driven, damped creature in water: everything is booked. */
TEST_LOOP(everything_is_booked, 0, INTEGRATORS)
{
    static const double share[INTEGRATORS] = {2e-5, 4e-3};
    stage.settings.joint_damping_1_s = 1;
    build_everything(integrators[_i]);
    for (int tick = 0; tick < 300; tick++) {
        for (int k = 1; k < 4; k++)
            dynamics_set_target(stage.dynamics, k, 0.6 * sin(0.1 * tick + k), 0);
        stage_run(&stage, 4 * stage.settings.dt_s);
    }
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_gt(l->work_effector_positive_j, 0.5);
    ck_assert_double_gt(l->loss_drag_j, 0.1);
    ck_assert_double_gt(l->loss_damping_j, 0.01);
    ck_assert_double_eq(l->loss_friction_j + l->loss_impact_j + l->loss_limit_j, 0);
    ck_assert_double_eq(l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j, 0);
    ck_assert_double_lt(fabs(l->residual_j), share[_i] * l->work_effector_positive_j);
}

/* Targets that jump, and servos that are stiffer together than alone: steps too fast for RK4 are
 * halved. Measured 1.5e-4; 3.3e-4 without halving. */
TEST(jumps_are_balanced)
{
    stage.world = (struct world){.viscosity_pa_s = 1};
    stage.settings.servo_rad_s = 30;
    stage.settings.integrator = INTEGRATOR_RK4;
    body_init_driven_chain(&stage.body, 4, 0.3, 0.1, 0.1, 100);
    stage_build(&stage);
    for (int tick = 0; tick < 300; tick++) {
        for (int i = 1; i < 4; i++)
            dynamics_set_target(stage.dynamics, i, (tick / 24 + i) % 2 ? 0.5 : -0.5, 0);
        stage_run(&stage, 4 * stage.settings.dt_s);
    }
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    double share = fabs(l->residual_j) / (l->work_effector_positive_j + l->loss_drag_j);
    ck_assert_double_gt(l->work_effector_positive_j, 0.5);
    ck_assert_double_lt(share, 2e-4);
}

/* A chain of 23 rods that hangs on the world and is let go of horizontally whips its end faster and
 * faster: passive motion is halved, too. Without halving it is not finite after 3 s. */
TEST(whips_are_balanced)
{
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY};
    stage.settings.integrator = INTEGRATOR_RK4;
    body_init_chain(&stage.body, BODY_PARTS_MAX, 0.1, 0.01, 0.1);
    stage.body.links[0].kind = LINK_RIGID;
    stage.body.links[0].mass_kg = 0;
    stage_build(&stage);
    stage_run(&stage, 10);
    ck_assert_double_lt(fabs(dynamics_ledger(stage.dynamics)->residual_j), 0.4);
}

/* A planted error: energy that comes from nowhere stands in the residual to the last digit. */
TEST(energy_from_nowhere_is_the_residual)
{
    double q[DOF], qd[DOF];
    stage.settings.integrator = INTEGRATOR_RK4;
    build_chain(q, qd);
    stage_run(&stage, 0.5);
    double kinetic = dynamics_ledger(stage.dynamics)->kinetic_j;
    ck_assert_double_lt(fabs(dynamics_ledger(stage.dynamics)->residual_j), 1e-9);
    for (int i = 0; i < 7; i++) {
        q[i] = stage.dynamics->q[i];
        qd[i] = 1.01 * stage.dynamics->qd[i];
    }
    dynamics_set_state(stage.dynamics, q, qd);
    stage_run(&stage, 0.5);
    ck_assert_double_eq_tol(dynamics_ledger(stage.dynamics)->residual_j,
                            kinetic * (1.01 * 1.01 - 1), 1e-8);
    dynamics_reset_ledger(stage.dynamics);
    ck_assert_double_eq(dynamics_ledger(stage.dynamics)->residual_j, 0);
}

/* ---------------------------------------------------------------- the interface */

TEST(birth_is_the_phenotype)
{
    const struct body_part parts[] = {
        {ROOT(0.6, 0.2, 1)},
        {PART(0, 0.2, 0.4, 0.3, 0.1, 0.5), .is_rigid = 1, .angle_rad = 1},
        {PART(1, 0.7, 0.9, 0.5, 0.1, 0.4), ANCHOR(0.4, 0.6), .angle_rad = -2}};
    body_init(&stage.body, parts, 3);
    stage_build(&stage);
    ck_assert_int_eq(stage.dynamics->dof, 4);
    double x = 0, y = 0;
    for (int i = 0; i < 3; i++) {
        struct part_state state = stage_part(&stage, i);
        ck_assert_xy(state.at_m, parts[i].x_m, parts[i].y_m, 1e-15);
        ck_assert_double_eq_tol(state.angle_rad, parts[i].angle_rad, 1e-15);
        ck_assert_double_eq(state.spin_rad_s.z, 0);
        x += parts[i].mass_kg * parts[i].x_m / 1.9;
        y += parts[i].mass_kg * parts[i].y_m / 1.9;
    }
    struct vec3 centre = dynamics_centre_of_mass(stage.dynamics);
    ck_assert_xy(centre, x, y, 1e-15);

    double bounds[4];
    read_bounds(stage.dynamics, bounds);
    ck_assert_double_eq_tol(bounds[0], -0.3, 1e-15);
    ck_assert_double_eq_tol(bounds[1], -0.1, 1e-15);
    ck_assert_double_eq_tol(bounds[2], 0.7 + 0.25 * fabs(cos(2)) + 0.05 * sin(2), 1e-15);
    ck_assert_double_eq_tol(bounds[3], 0.9 + 0.25 * sin(2) + 0.05 * fabs(cos(2)), 1e-15);
}

/* Rates of all parts against differences of their poses. */
TEST(velocities_are_the_derivatives_of_the_poses)
{
    for (int i = 0; i < 50; i++) {
        double q[DOF], qd[DOF], before[3], eps = 1e-6;
        struct part_state now[BODY_PARTS_MAX];
        body_init_random(&stage.body, 8, &rng);
        stage_build(&stage);
        int dof = stage.dynamics->dof, parts = stage.body.phenotype.part_count;
        for (int k = 0; k < dof; k++) {
            q[k] = rng_uniform(&rng, -3, 3);
            qd[k] = rng_uniform(&rng, -3, 3);
        }
        stage_set(&stage, q, qd);
        read_momentum(stage.dynamics, before);
        struct vec3 centre = dynamics_centre_of_mass(stage.dynamics);
        stage_read_parts(&stage, now, parts);
        for (int k = 0; k < dof; k++)
            q[k] += eps * qd[k];
        stage_set(&stage, q, qd);
        for (int k = 0; k < parts; k++) {
            struct part_state then = stage_part(&stage, k);
            ck_assert_double_eq_tol((then.at_m.x - now[k].at_m.x) / eps, now[k].velocity_m_s.x,
                                    1e-3);
            ck_assert_double_eq_tol((then.at_m.y - now[k].at_m.y) / eps, now[k].velocity_m_s.y,
                                    1e-3);
            ck_assert_double_eq_tol((then.angle_rad - now[k].angle_rad) / eps, now[k].spin_rad_s.z,
                                    1e-6);
        }
        struct vec3 moved = dynamics_centre_of_mass(stage.dynamics);
        double mass = stage.body.phenotype.mass_kg;
        ck_assert_double_eq_tol(mass * (moved.x - centre.x) / eps, before[0], 1e-2);
        ck_assert_double_eq_tol(mass * (moved.y - centre.y) / eps, before[1], 1e-2);
    }
}

TEST(stopping_leaves_the_pose)
{
    double q[DOF], qd[DOF];
    build_chain(q, qd);
    stage_run(&stage, 0.1);
    memcpy(q, stage.dynamics->q, 7 * sizeof q[0]);
    dynamics_stop(stage.dynamics);
    ck_assert_mem_eq(stage.dynamics->q, q, 7 * sizeof q[0]);
    for (int i = 0; i < 7; i++)
        ck_assert_double_eq(stage.dynamics->qd[i], 0);
    ck_assert_double_eq(stage_energy(&stage), 0);
    ck_assert_double_eq(dynamics_ledger(stage.dynamics)->energy_start_j, 0);
}

TEST(the_world_can_be_changed)
{
    double q[DOF] = {0}, qd[DOF] = {1, 0, 0};
    struct world water = {.viscosity_pa_s = 2};
    body_init_box(&stage.body, 0.4, 0.2, 0.5);
    stage_start(&stage, q, qd);
    stage_run(&stage, 0.5);
    ck_assert_double_eq(stage.dynamics->qd[0], 1);
    dynamics_set_world(stage.dynamics, &water);
    stage_run(&stage, 0.5);
    ck_assert_double_eq_tol(stage.dynamics->qd[0], exp(-2 * 2 * 0.2 * 0.5 / 0.5), 1e-9);
}

TEST_LOOP(a_state_that_is_not_finite_is_reported, 0, WAYS)
{
    double q[DOF], qd[DOF];
    use_way(_i);
    build_chain(q, qd);
    qd[4] = HUGE_VAL;
    dynamics_set_state(stage.dynamics, q, qd);
    ck_assert_int_eq(dynamics_step(stage.dynamics), 1);
}

/* Every size of arena: either no dynamics, or one that works. */
TEST_LOOP(a_full_arena_is_noticed, 0, WAYS)
{
    int failures = 0;
    use_way(_i);
    body_init_random(&stage.body, 8, &rng);
    for (size_t size = 64; size < 1u << 20; size += size / 8) {
        SCOPED(arena) small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        struct dynamics *d =
            dynamics_create(&stage.body.phenotype, &stage.world, &stage.settings, &small);
        if (d)
            ck_assert_int_eq(dynamics_step(d), 0);
        else
            failures++;
    }
    ck_assert_int_gt(failures, 5);
}

SUITE("dynamics", 60, setup, NULL)
