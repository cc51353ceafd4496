/* Reference cases for the articulated solver. Values come from closed forms in 60-digit arithmetic
 * and from two independent formulations integrated in 128-bit floating point (double pendulum,
 * chain).
 *
 * Each case is run with the default step of 1/240 s and compared within the tolerance meant for a
 * production integrator; where the solver takes RK4 throughout it also runs at 1/1920 s and is
 * compared within the tolerance of a reference. All tolerances are absolute. A creature's root is
 * free, so what is pinned hangs on a gantry that stands on the ground: an RK4 step is never taken
 * there, and smaller steps are needed for the tolerances. */
#include "simulator/planar/tree/tree.h"

#include <string.h>

#include "tests/unit/body_fixture.h"
#include "tests/suite.h"

enum { DOF = BODY_DOF_MAX };
#define TOLERANCE_REFERENCE 1e-9

static struct stage stage;

static void setup(void)
{
    stage_open(&stage);
}

static void teardown(void)
{
    stage_close(&stage);
}

/* The default step, the same with the midpoint step alone, and the reference. */
struct accuracy {
    double dt_s;
    int integrator;
    int is_reference;
};
static const struct accuracy accuracies[] = {{1.0 / 240, INTEGRATOR_AUTO, 0},
                                             {1.0 / 240, INTEGRATOR_MIDPOINT, 0},
                                             {1.0 / 1920, INTEGRATOR_RK4, 1}};
enum { ACCURACIES = 3 };

static void use(const struct accuracy *accuracy)
{
    stage.settings.dt_s = accuracy->dt_s;
    stage.settings.integrator = accuracy->integrator;
}

/* Compares within the engine's tolerance, or the reference's. */
static void check(const struct accuracy *accuracy, const char *what, double value, double expected,
                  double engine)
{
    double tolerance = accuracy->is_reference ? TOLERANCE_REFERENCE : engine;
    ck_assert_msg(fabs(value - expected) <= tolerance,
                  "%s: %.12g instead of %.12g, off by %.2e (allowed %.2e), integrator %d", what,
                  value, expected, fabs(value - expected), tolerance, accuracy->integrator);
}

/* ---------------------------------------------------------------- free flight */

/* projectile_vacuum: apex and landing are interpolated within a step, on the parabola through
 * it. */
TEST(projectile_vacuum)
{
    const struct body_part box = {
        .parent = -1, .width_m = 0.3, .height_m = 0.3, .mass_kg = 2, .inertia_kg_m2 = 0.1};
    for (int a = 0; a < ACCURACIES; a++) {
        const struct accuracy *accuracy = &accuracies[a];
        double q[DOF] = {0, 1, 0}, qd[DOF] = {5, 8, 7}, g = BODY_GRAVITY;
        use(accuracy);
        stage.world = (struct world){.gravity_m_s2 = g};
        body_init(&stage.body, &box, 1);
        stage_build(&stage);
        stage_set(&stage, q, qd);
        check(accuracy, "E_total", stage_energy(&stage), 111.07, 0.02);
        int one_second = (int)(1 / accuracy->dt_s + 0.5), has_landed = 0;
        for (int step = 1; !has_landed; step++) {
            struct part_state before = stage_part(&stage, 0);
            stage_run(&stage, accuracy->dt_s);
            struct part_state now = stage_part(&stage, 0);
            double t = (step - 1) * accuracy->dt_s;
            if (step == one_second) {
                check(accuracy, "x", now.at_m.x, 5, 1e-6);
                check(accuracy, "y", now.at_m.y, 4.095, 0.005);
                check(accuracy, "theta", now.angle_rad, 7, 1e-9);
            }
            if (before.velocity_m_s.y > 0 && now.velocity_m_s.y <= 0) {
                double rise = before.velocity_m_s.y / g;
                check(accuracy, "t_apex", t + rise, 0.8154943934760448, 0.001);
                check(accuracy, "y_apex", before.at_m.y + before.velocity_m_s.y * rise / 2,
                      4.261977573904179, 0.002);
            }
            if (now.at_m.y <= 0) {
                double v = before.velocity_m_s.y,
                       fall = (v + sqrt(v * v + 2 * g * before.at_m.y)) / g;
                check(accuracy, "t_land_y0", t + fall, 1.7476449736721167, 0.002);
                check(accuracy, "x_land", before.at_m.x + before.velocity_m_s.x * fall,
                      8.738224868360584, 0.01);
                has_landed = 1;
            }
        }
        check(accuracy, "E_total", stage_energy(&stage), 111.07, 0.02);
    }
}

/* reaction_wheel: a servo turns a wheel on the common centre of mass three times. */
TEST(reaction_wheel)
{
    for (int a = 0; a < ACCURACIES; a++) {
        const struct accuracy *accuracy = &accuracies[a];
        use(accuracy);
        body_init_wheels(&stage.body, 1e6, 0, 0);
        stage_build(&stage);
        dynamics_set_target(stage.dynamics, 1, 6 * BODY_PI, 0);
        stage_run(&stage, 4);
        check(accuracy, "body_rotation", stage_part(&stage, 0).angle_rad, -3.7699111843077517,
              0.001);
        check(accuracy, "joint_angle_reported", stage.dynamics->q[3], 18.84955592153876, 0.001);
    }
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

/* terminal_velocity_linear: a square of 0.4 m, 2 kg, in 3 Pa s. */
TEST(terminal_velocity_linear)
{
    for (int a = 0; a < ACCURACIES; a++) {
        const struct accuracy *accuracy = &accuracies[a];
        use(accuracy);
        stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .viscosity_pa_s = 3};
        body_init_box(&stage.body, 0.4, 0.4, 2);
        stage_build(&stage);
        stage_run(&stage, 1);
        check(accuracy, "speed", -stage_part(&stage, 0).velocity_m_s.y, 5.712737317617748, 0.01);
        stage_run(&stage, 4);
        check(accuracy, "fall_distance", -stage_part(&stage, 0).at_m.y, 34.07938649920354, 0.02);
        stage_run(&stage, 15);
        check(accuracy, "v_terminal", -stage_part(&stage, 0).velocity_m_s.y, 8.175, 0.01);
    }
}

/* paddle_spin_down, free and pinned at a short side (there on a root too heavy to move). */
TEST(paddle_spin_down)
{
    const struct body_part pinned[] = {
        {.parent = -1, .width_m = 0.1, .height_m = 0.1, .mass_kg = 1e12, .inertia_kg_m2 = 1e12},
        {.parent = 0, .x_m = 0.4, .width_m = 0.8, .height_m = 0.1, .mass_kg = 0.5}};
    for (int a = 0; a < ACCURACIES; a++) {
        const struct accuracy *accuracy = &accuracies[a];
        double q[DOF] = {0}, qd[DOF] = {0, 0, 5}, qd_pinned[DOF] = {0, 0, 0, 5};
        use(accuracy);
        stage.world = (struct world){.viscosity_pa_s = 6};
        body_init_box(&stage.body, 0.8, 0.1, 0.5);
        stage_build(&stage);
        stage_set(&stage, q, qd);
        stage_run(&stage, 0.2);
        check(accuracy, "omega", stage.dynamics->qd[2], 0.11316936468019405, 0.01);
        stage_run(&stage, 4);
        check(accuracy, "total_angle", stage.dynamics->q[2], 0.26397011046133856, 0.005);

        body_init(&stage.body, pinned, 2);
        stage_build(&stage);
        stage_set(&stage, q, qd_pinned);
        stage_run(&stage, 0.1);
        check(accuracy, "omega pinned", stage.dynamics->qd[3], 0.7378423297108402, 0.01);
        stage_run(&stage, 4);
        check(accuracy, "total_angle pinned", stage.dynamics->q[3], 0.2613063282902229, 0.005);
    }
}

/* ---------------------------------------------------------------- joints */

/* joint_limit_beyond_half_turn: an even torque turns a rod from -260 to +270 degrees. */
TEST(joint_limit_beyond_half_turn)
{
    const struct accuracy engine = accuracies[0], fine = {1.0 / 960, INTEGRATOR_AUTO, 1};
    for (int a = 0; a < 2; a++) {
        const struct accuracy *accuracy = a ? &fine : &engine;
        double q[DOF] = {0, 0, 0, -260 * BODY_DEGREE}, zero[DOF] = {0};
        use(accuracy);
        stage.settings.effector_mode = EFFECTOR_TORQUE;
        stage.settings.joint_speed_rad_s = 1e12;
        body_init_stopped_rod(&stage.body, 1e12);
        stage_build(&stage);
        stage_set(&stage, q, zero);
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
        ck_assert_double_eq_tol(dynamics_ledger(stage.dynamics)->loss_limit_j, 4.625122517784973,
                                0.02);
    }
}

/* ---------------------------------------------------------------- pinned rods */

/* While something stands on the ground the midpoint step is of first order: with the default step
 * the angles below are off by 4e-3 (double pendulum, 2 s) and 1e-2 (chain, 0.2 s). */
#define PINNED_DT_S (1.0 / 15360)

/* A gantry on the ground with `count` slender rods hung one on another, pinned at a height of 3 m.
 * Its part 0 is the hanger, centred 1 m above the pin. */
enum { GANTRY_PARTS = 4, RODS_MAX = 5 };
#define PIN_HEIGHT_M 3.0

static void build_rods(int count, const double *lengths, const double *masses, const double *angles)
{
    struct body_part parts[GANTRY_PARTS + RODS_MAX] = {
        {.parent = -1, .width_m = 0.01, .height_m = 2, .mass_kg = 100},
        {.parent = 0, .x_m = -1.5, .y_m = 1, .width_m = 3, .height_m = 0.01},
        {.parent = 1, .x_m = -3, .y_m = -1.5, .width_m = 0.01, .height_m = 5},
        {.parent = 2, .y_m = -3.95, .width_m = 8, .height_m = 0.1}};
    for (int i = 1; i < GANTRY_PARTS; i++) {
        parts[i].is_rigid = 1;
        parts[i].mass_kg = 100;
    }
    double x = 0, q[DOF] = {0, PIN_HEIGHT_M + 1, 0}, zero[DOF] = {0};
    for (int i = 0; i < count; i++) {
        parts[GANTRY_PARTS + i] =
            (struct body_part){.parent = i ? GANTRY_PARTS + i - 1 : 0,
                               .x_m = x + lengths[i] / 2,
                               .y_m = -1,
                               .width_m = lengths[i],
                               .height_m = 1e-3,
                               .mass_kg = masses[i],
                               .inertia_kg_m2 = masses[i] * lengths[i] * lengths[i] / 12,
                               .anchor_x_m = x,
                               .anchor_y_m = -1};
        x += lengths[i];
        q[3 + i] = angles[i];
    }
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .has_ground = 1, .friction = 1};
    body_init(&stage.body, parts, GANTRY_PARTS + count);
    stage_build(&stage);
    stage_set(&stage, q, zero);
}

static void check_gantry_stands(void)
{
    ck_assert_double_eq_tol(stage.dynamics->q[0], 0, 1e-5);
    ck_assert_double_eq_tol(stage.dynamics->q[1], PIN_HEIGHT_M + 1, 1e-5);
    ck_assert_double_eq_tol(stage.dynamics->q[2], 0, 1e-5);
}

/* pendulum_period, rod of 1 m: amplitude in degrees, period, tolerance. */
static const struct {
    double amplitude_deg, period_s, engine;
} pendulum_cases[] = {
    {5, 1.638726531011004, 0.003277453062022008},
    {30, 1.6664612665004273, 0.0033329225330008547},
    {60, 1.7578148046738582, 0.0035156296093477165},
    {90, 1.9333348543732458, 0.0038666697087464917},
    {120, 2.248704928854736, 0.004497409857709472},
    {150, 2.8863955824243193, 0.005772791164848638},
    {170, 3.9955458384939617, 0.007991091676987923},
    {175, 4.7134591254573195, 0.00942691825091464},
};

TEST(pendulum_period)
{
    double length = 1, mass = 1;
    for (size_t i = 0; i < sizeof pendulum_cases / sizeof pendulum_cases[0]; i++) {
        double angle = (pendulum_cases[i].amplitude_deg - 90) * BODY_DEGREE;
        use(&accuracies[0]);
        build_rods(1, &length, &mass, &angle);

        /* half a period: the rate returns to zero, taken as linear within the step */
        double before = -1, now = -1, time = 0;
        for (; now < 0; time += stage.settings.dt_s) {
            stage_run(&stage, stage.settings.dt_s);
            before = now;
            now = stage.dynamics->qd[3];
        }
        double half = time - stage.settings.dt_s * now / (now - before);
        check_gantry_stands();
        check(&accuracies[0], "period_rod", 2 * half, pendulum_cases[i].period_s,
              pendulum_cases[i].engine);
    }
}

/* States of pinned rods: angles (the first absolute) and rates with their tolerances, and the
 * tip. */
struct rods_case {
    double t_s;
    double q[RODS_MAX], q_engine;
    double qd[RODS_MAX], qd_engine; /* 0: too sensitive to compare */
    double tip[2];
};

/* double_pendulum_rods: 1 m and 1 kg, 0.7 m and 0.8 kg, released 30 degrees below the
 * horizontal. */
static const struct rods_case double_pendulum_cases[] = {
    {0.25,
     {-0.8367732373993625, 0.39169573332786956},
     0.0001247,
     {-2.204186315861183, 1.9512253654774623},
     0.0002892,
     {1.3016662437474336, -1.0438549875236895}},
    {0.5,
     {-1.3946676139385057, 0.19293403709633025},
     0.0002083,
     {-1.8174264022753055, -4.29668258880533},
     0.0028745000000000003,
     {0.4277385145469452, -1.6373954956852055}},
    {1.0,
     {-2.560323500508677, 0.1651047095777072},
     0.0005435,
     {-1.2898565243311384, 0.8367610999931181},
     0.005485,
     {-1.349675488315332, -1.0243718503775716}},
    {2.0,
     {-0.9318885855883805, 0.30911228954819836},
     0.00045005,
     {3.067173668586628, -4.833524393366236},
     0.007845000000000001,
     {1.1649025267110962, -1.2110523114057568}},
    {3.0,
     {-1.7801620571899592, -0.742938865834985},
     0.000794,
     {-2.135128794461212, -2.7720990142341058},
     0.001111,
     {-0.7781672443913871, -1.3840278042414502}},
};

/* chain5_pinned: five rods of 0.2 m and 0.2 kg, released from the horizontal. */
static const struct rods_case chain_cases[] = {
    {0.1,
     {-0.27923369248886315, 0.31169203328174516, -0.03414234619151194, 0.0010284016706846855,
      0.001061828366806429},
     0.0004443,
     {-4.732262475142392, 4.037378652330572, 1.1570980535785078, -0.6254218714345703,
      0.22300545195577612},
     0.00741,
     {0.9921476976938453, -0.049019969087478486}},
    {0.2,
     {-0.7141419973129843, 0.3337092287734241, 0.4219209818589402, -0.033872429250884996,
      -0.013739903892192864},
     0.0013395,
     {-3.277312542328175, -3.5113029718842608, 4.913914346323839, 3.020715744707675,
      -1.6072957425571266},
     0.027795,
     {0.9366502491661, -0.1966647387521164}},
    {0.3,
     {-1.0294863794240747, 0.16076724606150894, 0.20772725419448623, 0.6580652305488829,
      0.05410292097572715},
     0.0025954999999999997,
     {-2.9709195016544414, -0.2512773284622822, -5.6997845370653915, 2.725213103144104,
      9.480271715918763},
     0.09985000000000001,
     {0.7898268655538548, -0.43724193255996013}},
    {0.4,
     {-1.2862087542579868, 0.03189704865051548, 0.0985069514813558, -0.030535891697014435,
      0.8349107814855187},
     0.0040680000000000004,
     {-3.9698989453026488, 3.979370425642863, -7.818813687073769, 0.09889719016217653,
      -13.075822616674785},
     0.31074999999999997,
     {0.4618215238369558, -0.8192951937778367}},
    {0.5,
     {-1.5675013606462593, -0.0498934469937795, 0.07796211288305684, -0.4965179539746016,
      -0.5084588559470996},
     0.011009999999999999,
     {-6.4946934665655025, 9.784391842823524, -12.720933243831754, -2.9555750997834545,
      5.176976356005602},
     0,
     {-0.2574823505190385, -0.8908970005529215}},
    {0.75,
     {-2.9447607737018195, -0.03421622786203983, 0.46595318382139866, -0.2103637467055737,
      0.2004547209967234},
     0.013935,
     {-1.3380447176153238, -7.885529301110442, 8.875547701410685, 1.3083484230509772,
      -1.949239032481115},
     0,
     {-0.9009687762864672, -0.38630315565598866}},
    {1.0,
     {-2.6270969810037093, -0.536189272970478, -0.7152455501215866, 0.9200440591742547,
      0.4107550460527569},
     0.03785,
     {4.212849821892304, -1.291071101647352, -4.082926192781786, -6.268383246252788,
      9.505397143150166},
     0.41795,
     {-0.8845809500604356, -0.10800545473671706}},
    {1.5,
     {-0.7131398555020148, -0.8359530661964548, 0.256213618946584, 0.20154631654026164,
      2.0949924138097415},
     0.03802,
     {12.053036055000879, -17.223036329851002, 19.720069939180593, -20.40560622461709,
      13.103523168430149},
     0,
     {0.41017777229183283, -0.5318810512131084}},
};

/* Runs to a case's time and returns the largest error of an angle. */
static double run_to(const struct rods_case *c, int count, double seconds)
{
    double error = 0;
    stage_run(&stage, seconds);
    for (int i = 0; i < count; i++)
        error = fmax(error, fabs(stage.dynamics->q[3 + i] - c->q[i]));
    return error;
}

static void check_rods(const struct rods_case *c, int count, const double *lengths)
{
    const struct accuracy *accuracy = &accuracies[0];
    for (int i = 0; i < count; i++) {
        check(accuracy, "q", stage.dynamics->q[3 + i], c->q[i], c->q_engine);
        if (c->qd_engine > 0)
            check(accuracy, "dq/dt", stage.dynamics->qd[3 + i], c->qd[i], c->qd_engine);
    }
    struct part_state last = stage_part(&stage, GANTRY_PARTS + count - 1);
    double half = lengths[count - 1] / 2;
    check(accuracy, "tip x", last.at_m.x + half * cos(last.angle_rad), c->tip[0], c->q_engine);
    check(accuracy, "tip y", last.at_m.y + half * sin(last.angle_rad) - PIN_HEIGHT_M, c->tip[1],
          c->q_engine);
}

/* All cases; then the first at half the step: the error must fall at least to half. */
static void check_rod_cases(const struct rods_case *cases, int case_count, int count,
                            const double *lengths, const double *masses, const double *angles)
{
    double t = 0, coarse = 0;
    use(&accuracies[0]);
    stage.settings.dt_s = PINNED_DT_S;
    build_rods(count, lengths, masses, angles);
    double energy = stage_energy(&stage);
    for (int i = 0; i < case_count; i++) {
        double error = run_to(&cases[i], count, cases[i].t_s - t);
        t = cases[i].t_s;
        if (i == 0)
            coarse = error;
        check_rods(&cases[i], count, lengths);
        ck_assert_double_eq_tol(stage_energy(&stage), energy, 0.05);
    }
    check_gantry_stands();

    stage.settings.dt_s /= 2;
    build_rods(count, lengths, masses, angles);
    double fine = run_to(&cases[0], count, cases[0].t_s);
    printf("articulated: %d pinned rods, error at %g s: %.1e, at half the step %.1e\n", count,
           cases[0].t_s, coarse, fine);
    ck_assert_double_gt(coarse / fine, 1.7);
}

TEST(double_pendulum_rods)
{
    static const double lengths[] = {1, 0.7}, masses[] = {1, 0.8}, angles[] = {-BODY_PI / 6, 0};
    check_rod_cases(double_pendulum_cases,
                    sizeof double_pendulum_cases / sizeof double_pendulum_cases[0], 2, lengths,
                    masses, angles);
}

TEST(chain5_pinned)
{
    static const double lengths[] = {0.2, 0.2, 0.2, 0.2, 0.2}, masses[] = {0.2, 0.2, 0.2, 0.2, 0.2},
                        angles[5] = {0};
    check_rod_cases(chain_cases, sizeof chain_cases / sizeof chain_cases[0], 5, lengths, masses,
                    angles);
}

/* ---------------------------------------------------------------- contact */

/* sliding_block_stop: friction, distance, time (0: not given), tolerance. */
static const struct {
    double friction, distance_m, time_s, engine;
} sliding_cases[] = {
    {0.5, 0.9174311926605505, 0.6116207951070336, 0.005},
    {0.1, 4.587155963302752, 0, 0.01},
    {0.3, 1.529051987767584, 0, 0.01},
    {0.8, 0.573394495412844, 0, 0.01},
    {1.0, 0.45871559633027525, 0, 0.01},
};

TEST(sliding_block_stop)
{
    for (size_t i = 0; i < sizeof sliding_cases / sizeof sliding_cases[0]; i++) {
        double q[DOF] = {0, 0.05}, qd[DOF] = {3}, stopped_s = 0;
        use(&accuracies[0]);
        stage.world = (struct world){
            .gravity_m_s2 = BODY_GRAVITY, .has_ground = 1, .friction = sliding_cases[i].friction};
        body_init_box(&stage.body, 0.6, 0.1, 1);
        stage_build(&stage);
        stage_set(&stage, q, qd);
        for (int step = 1; step <= 960; step++) {
            stage_run(&stage, stage.settings.dt_s);
            if (stopped_s == 0 && stage.dynamics->qd[0] < 1e-6)
                stopped_s = step * stage.settings.dt_s;
        }
        double stopped_m = stage.dynamics->q[0];
        check(&accuracies[0], "stop_distance", stopped_m, sliding_cases[i].distance_m,
              sliding_cases[i].engine);
        if (sliding_cases[i].time_s > 0)
            check(&accuracies[0], "stop_time", stopped_s, sliding_cases[i].time_s, 0.005);

        /* what slid away is booked as friction; nothing creeps afterwards */
        ck_assert_double_eq_tol(dynamics_ledger(stage.dynamics)->loss_friction_j, 4.5, 1e-3);
        stage_run(&stage, 1);
        check(&accuracies[0], "creep_after_stop_per_s", stage.dynamics->q[0] - stopped_m, 0, 1e-4);
    }
}

/* rod_corner_impact: a slender rod at 30 degrees whose lower end touches, e = 0.5. */
static const struct impact_case {
    const char *name;
    double friction, vx_in, jn, jt, vx, vy, omega, vt, vn, energy_j;
} impact_cases[] = {
    {"frictionless", 0, 0, 0.9230769230769231, 0, 0, -1.0769230769230769, -4.796448390190737,
     -1.1991120975476843, 1, -0.46153846153846156},
    {"sticking", 100, 0, 1.3125, 0.9742785792574935, 0.9742785792574935, -0.6875,
     -3.897114317029974, 0, 1, -0.65625},
    {"sliding", 0.2, 3, 0.8547477023910438, -0.17094954047820876, 2.8290504595217913,
     -1.145252297608956, -4.954247966016776, 1.5904884680175972, 1, -0.8197447982845844},
};

TEST(rod_corner_impact)
{
    const struct body_part rod = {
        .parent = -1, .width_m = 1, .height_m = 1e-9, .mass_kg = 1, .inertia_kg_m2 = 1.0 / 12};
    const double angle = 30 * BODY_DEGREE, rx = -cos(angle) / 2, ry = -sin(angle) / 2;
    for (size_t i = 0; i < sizeof impact_cases / sizeof impact_cases[0]; i++) {
        const struct impact_case *c = &impact_cases[i];
        double q[DOF] = {0, -ry, angle}, qd[DOF] = {c->vx_in, -2, 0};
        use(&accuracies[0]);
        stage.world = (struct world){.has_ground = 1, .friction = c->friction, .elasticity = 0.5};
        body_init(&stage.body, &rod, 1);
        stage_build(&stage);
        stage_set(&stage, q, qd);
        double before = stage_energy(&stage), jn = 0, jt = 0;
        stage_run(&stage, stage.settings.dt_s);
        const struct contact_point *points;
        int count = dynamics_contacts(stage.dynamics, &points);
        for (int k = 0; k < count; k++) {
            jn += points[k].normal_impulse_n_s;
            jt += points[k].friction_impulse_n_s;
        }
        struct part_state after = stage_part(&stage, 0);
        check(&accuracies[0], "jn", jn, c->jn, 0.005);
        check(&accuracies[0], "jt", jt, c->jt, 0.005);
        check(&accuracies[0], "vx_after", after.velocity_m_s.x, c->vx, 0.005);
        check(&accuracies[0], "vy_after", after.velocity_m_s.y, c->vy, 0.005);
        check(&accuracies[0], "omega_after", after.spin_rad_s.z, c->omega, 0.02);
        check(&accuracies[0], "contact_vt_after", after.velocity_m_s.x - after.spin_rad_s.z * ry,
              c->vt, 0.005);
        check(&accuracies[0], "contact_vn_after", after.velocity_m_s.y + after.spin_rad_s.z * rx,
              c->vn, 0.005);
        check(&accuracies[0], "dE", stage_energy(&stage) - before, c->energy_j, 0.01);
        const struct ledger *l = dynamics_ledger(stage.dynamics);
        ck_assert_double_eq_tol(l->loss_impact_j + l->loss_friction_j, -c->energy_j, 0.01);
    }
}

SUITE("articulated", 60, setup, teardown)
