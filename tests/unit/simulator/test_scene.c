/* Scenes: what is read, what is refused and where the message points, how bodies become links, and
 * that both solvers move the same. runs: watched */
#include "tests/readout.h"
#include "tests/scene_fixture.h"

/* In fine steps, by either solver. */
static void begin_finely(const char *text, int solver, double dt_s, double rtol)
{
    ck_ok(read_quoted(text));
    scene.settings.solver = solver;
    scene.settings.dt_s = dt_s;
    scene.settings.rtol = rtol;
    start_scene();
}

/* Places and angles of that many bodies by both solvers. */
static void assert_alike(const struct part_state *a, const struct part_state *b, int count,
                         double tolerance)
{
    for (int i = 0; i < count; i++) {
        ck_assert_xy(a[i].at_m, b[i].at_m.x, b[i].at_m.y, tolerance);
        ck_assert_double_eq_tol(a[i].angle_rad, b[i].angle_rad, tolerance);
    }
}

#define BODY        "'name': 'a', 'mass_kg': 1, 'inertia_kg_m2': 1"
#define ONE(more)   "{'scene': 1, 'bodies': [{" BODY more "}]}"
#define JOINT(more) ", 'joint': {'to': 'world'" more "}"
#define TOP(more)   "{'scene': 1, " more ", 'bodies': [{" BODY "}]}"
#define SHAPE(more) "{'scene': 1, 'bodies': [{'name': 'a', 'rectangles': [" more "]}]}"

/* A text, and what the message must say. */
static const struct {
    const char *text, *words;
} refused[] = {
    {"", "test: line 1"},
    {"[1]", "an object is expected"},
    {"{'scene': 1, 'scene': 1}", "duplicate"},
    {"{'bodies': []}", "test: scene: missing"},
    {"{'scene': 2, 'bodies': []}", "test: scene: 2 is not within 1 .. 1"},
    {"{'scene': 1, 'dimensions': 4, 'bodies': []}", "test: dimensions: 2 or 3 is expected"},
    {"{'scene': 1}", "test: bodies: an array"},
    {"{'scene': 1, 'bodies': []}", "test: bodies: an array"},
    {"{'scene': 1, 'bodies': [3]}", "test: bodies[0]: an object is expected"},
    {"{'scene': 1, 'bodies': [{}]}", "test: bodies[0].name"},
    {"{'scene': 1, 'bodies': [{'name': 'a'}]}", "test: bodies[0].mass_kg: missing"},
    {"{'scene': 1, 'bodies': [{'name': 'world'}]}", "test: bodies[0].name"},
    {"{'scene': 1, 'bodies': [{'name': 'A B'}]}", "test: bodies[0].name"},
    {TOP("'colour': 1"), "test: colour: unknown here"},
    {TOP("'description': 1"), "test: description: a text"},
    {TOP("'world': 1"), "test: world: an object"},
    {TOP("'world': {'friction': -1}"), "test: world.friction: -1 is not within"},
    {TOP("'world': {'ground': 1}"), "test: world.ground: true or false"},
    {TOP("'world': {'wind': 1}"), "test: world.wind: unknown here"},
    {TOP("'simulation': {'solver': 'best'}"), "articulated constraint"},
    {TOP("'simulation': {'dt_s': '1/240'}"), "test: simulation.dt_s: a number"},
    {ONE(", 'position_m': [1]"), "test: bodies[0].position_m: 2 numbers"},
    {ONE(", 'position_m': [1, 1e300]"), "test: bodies[0].position_m: 1e+300 is not within"},
    {ONE(", 'position_m': [1, '2']"), "test: bodies[0].position_m: a number"},
    {ONE(JOINT("") ", 'position_m': [1, 2]"), "test: bodies[0].position_m: unknown here"},
    {ONE(", 'joint': {}"), "test: bodies[0].joint.to"},
    {ONE(", 'joint': {'to': 'a'}"), "no earlier body"},
    {ONE(", 'joint': {'to': 'b'}"), "no earlier body"},
    {ONE(JOINT(", 'kind': 'screw'")), "joint.kind: one of these words is expected: rotary"},
    {ONE(JOINT(", 'kind': 'linear', 'lower_rad': 1")), "joint.lower_rad: unknown here"},
    {ONE(JOINT(", 'motion_rad': 1, 'angle_rad': 1")), "joint.angle_rad: unknown here"},
    {ONE(JOINT(", 'motion_rad': {'amplitude': 1}")), "motion_rad.frequency_hz: missing"},
    {ONE(JOINT(", 'torque_n_m': {'table': []}")), "torque_n_m.table: points"},
    {ONE(JOINT(", 'torque_n_m': {'table': [[0, 1], [0, 2]]}")), "table: times do not rise"},
    {ONE(JOINT(", 'torque_n_m': {'table': [[0, 1, 2]]}")), "table: points"},
    {ONE(JOINT(", 'torque_n_m': {'wave': 1}")), "torque_n_m.wave: unknown here"},
    {TOP("'world': {'obstacles': [{'kind': 'disk'}]}"), "obstacles[0].radius_m: missing"},
    {TOP("'world': {'obstacles': [{'kind': 'plane', 'width_m': 1}]}"),
     "obstacles[0].width_m: unknown here"},
    {TOP("'world': {'ground': {'height_m': 1}}"), "world.ground.height_m: unknown here"},
    {TOP("'world': {'gravity_m_s2': [1]}"), "world.gravity_m_s2: 2 numbers"},
    {TOP("'loops': 1"), "test: loops: an array"},
    {TOP("'loops': [{'body': 'b', 'to': 'world'}]"), "test: loops[0].body"},
    {TOP("'loops': [{'body': 'a', 'to': 'b'}]"), "test: loops[0].to"},
    {TOP("'loops': [{'body': 'a', 'to': 'a'}]"), "loops[0].to: is the body itself"},
    {ONE(JOINT(", 'kind': 'rigid', 'rate_rad_s': 1")), "joint.rate_rad_s: unknown here"},
    {ONE(JOINT(", 'lower_rad': 1, 'upper_rad': 0")), "joint.lower_rad: is above"},
    {ONE(JOINT(", 'spring': {}")), "joint.spring.stiffness_n_m_rad: missing"},
    {ONE(JOINT(", 'servo': {'kp_n_m_rad': 1}, 'torque_n_m': 1")), "not together"},
    {ONE(JOINT(", 'servo': {'kp_n_m_rad': 1, 'ki': 1}")), "joint.servo.ki: unknown here"},
    {"{'scene': 1, 'bodies': [{" BODY "}, {" BODY "}]}", "bodies[1].name: an earlier body"},
    {SHAPE("{}"), "test: bodies[0].rectangles[0].width_m: missing"},
    {SHAPE("{'width_m': 1, 'height_m': 0, 'mass_kg': 1}"), "rectangles[0].height_m: 0 is not"},
    {SHAPE("{'width_m': 1, 'height_m': 1}"), "rectangles[0].density_kg_m2: missing"},
    {SHAPE("{'width_m': 1, 'height_m': 1, 'mass_kg': 0}"), "body a: without mass"},
    {"{'scene': 1, 'bodies': [{'name': 'a', 'mass_kg': 1, 'inertia_kg_m2': 0}]}",
     "body a: without inertia"},
    {"{'scene': 1, 'bodies': [{'name': 'a', 'mass_kg': 1, 'inertia_kg_m2': 1, "
     "'rectangles': [{'width_m': 1, 'height_m': 1, 'mass_kg': 1}]}]}",
     "rectangles[0].mass_kg: unknown here"},
};

TEST_LOOP(refuses, 0, (int)(sizeof refused / sizeof refused[0]))
{
    int code = read_quoted(refused[_i].text);
    ck_assert_msg(code < 0 && code == error.code, "%s: code %d", refused[_i].text, code);
    ck_assert_msg(strstr(error.message, refused[_i].words) != NULL, "%s: \"%s\" lacks \"%s\"",
                  refused[_i].text, error.message, refused[_i].words);
}

TEST(refuses_too_many)
{
    static char text[16384];
    strcpy(text, "{'scene': 1, 'bodies': [");
    for (int i = 0; i <= SCENE_BODIES_MAX; i++)
        sprintf(text + strlen(text), "%s{'name': 'b%d', 'mass_kg': 1, 'inertia_kg_m2': 1%s}",
                i ? ", " : "", i, JOINT(""));
    strcat(text, "]}");
    ck_assert_int_eq(read_quoted(text), ERR_LIMIT);
    strcpy(text, "{'scene': 1, 'bodies': [{'name': 'a', 'rectangles': [");
    for (int i = 0; i <= SCENE_SHAPES_MAX; i++)
        sprintf(text + strlen(text), "%s{'width_m': 1, 'height_m': 1, 'mass_kg': 1}",
                i ? ", " : "");
    strcat(text, "]}]}");
    ck_assert_int_eq(read_quoted(text), ERR_LIMIT);
}

static const char arm[] =
    "{'scene': 1, 'world': {'viscosity_pa_s': 0.5}, 'bodies': ["
    "{'name': 'post', 'rectangles': [{'width_m': 0.2, 'height_m': 2, "
    "'density_kg_m2': 0}], 'joint': {'to': 'world', 'kind': 'rigid', 'at_m': [0.6, "
    "-0.6], 'angle_rad': 0.2}},"
    "{'name': 'upper', 'rectangles': [{'width_m': 1, 'height_m': 0.1, 'mass_kg': 2}], "
    "'joint': {'to': 'world', 'own_at_m': [-0.5, 0], 'angle_rad': -2.5}},"
    "{'name': 'hand', 'rectangles': [{'width_m': 0.2, 'height_m': 0.4, 'mass_kg': 0.5}], "
    "'joint': {'to': 'upper', 'kind': 'rigid', 'at_m': [0.5, 0], 'own_at_m': [0, -0.2], "
    " 'angle_rad': 0.4}},"
    "{'name': 'finger', 'rectangles': [{'width_m': 0.3, 'height_m': 0.05, "
    "'mass_kg': 0.1}], 'joint': {'to': 'hand', 'at_m': [0, 0.2], 'own_at_m': [-0.15, 0], "
    "'angle_rad': 0.7,  'rate_rad_s': 2, 'lower_rad': -1, 'upper_rad': 1.5, "
    "'damping_n_m_s_rad': 0.01}}]}";

/* What is rigid is one link; frames, masses and angles come out as written. */
TEST(builds_links)
{
    struct part_state state;
    ck_ok(read_quoted(arm));
    ck_assert_int_eq(scene.phenotype.body->link_count, 3);
    ck_assert_int_eq(body_is_fixed(scene.phenotype.body), 1);
    ck_assert_int_eq(scene.bodies[0].link, 0);
    ck_assert_int_eq(scene.bodies[2].link, scene.bodies[1].link);
    ck_assert_double_eq_tol(scene.phenotype.mass_kg, 2.6, 1e-12);
    ck_assert_double_eq_tol(scene.links[1].mass_kg, 2.5, 1e-12);
    start_scene();

    /* upper points along -2.5 rad, the hand 0.4 further, the finger 0.7 from there */
    scene_body_state(&scene, run, 0, &state);
    ck_assert_double_eq_tol(state.at_m.x, 0.6, 1e-12);
    ck_assert_double_eq_tol(state.angle_rad, 0.2, 1e-12);
    scene_body_state(&scene, run, 2, &state);
    double x = cos(-2.5) - 0.2 * sin(-2.1), y = sin(-2.5) + 0.2 * cos(-2.1);
    ck_assert_double_eq_tol(state.angle_rad, -2.1, 1e-12);
    ck_assert_xy(state.at_m, x, y, 1e-12);
    scene_body_state(&scene, run, 3, &state);
    x += -0.2 * sin(-2.1) + 0.15 * cos(-1.4);
    y += 0.2 * cos(-2.1) + 0.15 * sin(-1.4);
    ck_assert_double_eq_tol(state.angle_rad, -1.4, 1e-12);
    ck_assert_xy(state.at_m, x, y, 1e-12);
    ck_assert_double_eq_tol(state.spin_rad_s.z, 2, 1e-12);
    struct vec2 tip = scene_body_point(&scene, run, 3, (struct vec2){0.15, 0});
    ck_assert_double_eq_tol(tip.x, x + 0.15 * cos(-1.4), 1e-12);
    ck_assert_double_eq_tol(run->q[2 + scene.bodies[3].link], 0.7, 1e-12);
}

/* Both solvers move the arm the same until it meets the post, which stops it and stays. */
TEST(solvers_agree)
{
    struct part_state states[2][4];
    for (int solver = 0; solver < 2; solver++) {
        begin_finely(arm, solver, 1.0 / 960, 1e-11);
        run_steps(288);
        for (int i = 0; i < 4; i++)
            scene_body_state(&scene, run, i, &states[solver][i]);
        double deepest = 0;
        for (int i = 0; i < 4000; i++) {
            ck_assert_int_eq(dynamics_step(run), 0);
            deepest = fmax(deepest, run->touches.penetration_m);
        }
        struct part_state post;
        scene_body_state(&scene, run, 0, &post);
        ck_assert_double_eq(post.at_m.x, states[solver][0].at_m.x);
        ck_assert_double_eq(post.spin_rad_s.z, 0);
        ck_assert_double_lt(deepest, 5e-3);
        ck_assert_double_gt(dynamics_ledger(run)->loss_impact_j, 0.01);
    }
    assert_alike(states[0], states[1], 4, 1e-8);
}

/* Point masses on rods move the same on both solvers, one of which needs inertias; energies too. */
TEST(point_masses)
{
    static const char text[] =
        "{'scene': 1, 'bodies': ["
        "{'name': 'a', 'mass_kg': 1, 'inertia_kg_m2': 0, 'centre_m': [1, 0], "
        "'joint': {'to': 'world', 'at_m': [0, 2]}},"
        "{'name': 'b', 'mass_kg': 2, 'inertia_kg_m2': 0, 'centre_m': [0.5, 0], "
        "'joint': {'to': 'a', 'at_m': [1, 0], 'angle_rad': 1}}]}";
    struct part_state states[2][2];
    for (int solver = 0; solver < 2; solver++) {
        begin_finely(text, solver, 1.0 / 1920, 1e-12);
        ck_assert_double_eq_tol(dynamics_ledger(run)->potential_j,
                                9.81 * (3 * 2 + 2 * 0.5 * sin(1)), 1e-12);
        ck_assert_double_eq_tol(dynamics_centre_of_mass(run).x, (1 + 2 * (1 + 0.5 * cos(1))) / 3,
                                1e-12);
        run_steps(1920);
        for (int i = 0; i < 2; i++)
            scene_body_state(&scene, run, i, &states[solver][i]);
        ck_assert_double_eq_tol(dynamics_ledger(run)->residual_j, 0, 1e-7);
    }
    assert_alike(states[0], states[1], 2, 1e-7);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(states[0][i].velocity_m_s.y, states[1][i].velocity_m_s.y, 1e-6);
    SCOPED(arena) small;
    ck_assert_int_eq(arena_init(&small, 4096), 0);
    scene.settings.solver = SOLVER_ARTICULATED;
    ck_assert_int_eq(scene_start(&scene, &small, &run, &error), ERR_MEMORY);
}

#define RECTANGLE "'rectangles': [{'width_m': 0.4, 'height_m': 0.2, 'mass_kg': 1}]"

/* Several free bodies, among them one with a limb and one on a rail, far from the origin: the
 * solvers agree, and free bodies do not know of one another. */
TEST(several_bodies)
{
    static const char text[] =
        "{'scene': 1, 'world': {'gravity_m_s2': [3, -4], 'viscosity_pa_s': 0.2}, 'bodies': ["
        "{'name': 'a', " RECTANGLE ", 'position_m': [1000, 1], 'velocity_m_s': [1, 2], "
        "'rate_rad_s': 3},"
        "{'name': 'b', " RECTANGLE ", 'position_m': [1005, 1], 'angle_rad': 0.5},"
        "{'name': 'limb', " RECTANGLE ", 'joint': {'to': 'b', 'at_m': [0.2, 0], "
        "'own_at_m': [-0.2, 0], 'rate_rad_s': 2, 'torque_n_m': {'amplitude': 0.2, "
        "'frequency_hz': 1}}},"
        "{'name': 'car', " RECTANGLE ", 'joint': {'to': 'world', 'kind': 'linear', "
        "'at_m': [1002, 4], 'axis_rad': 0.3, 'extension_m': 0.5, 'rate_m_s': -1, "
        "'spring': {'stiffness_n_m': 20}, 'damping_n_s_m': 0.5}}]}";
    struct part_state states[2][4];
    for (int solver = 0; solver < 2; solver++) {
        begin_finely(text, solver, 1.0 / 1920, 1e-12);
        struct drive_state joint = scene_joint_state(&scene, run, 3);
        ck_assert_double_eq_tol(joint.value, 0.5, 1e-12);
        ck_assert_double_eq_tol(joint.rate, -1, 1e-12);
        run_steps(1920);
        for (int i = 0; i < 4; i++)
            scene_body_state(&scene, run, i, &states[solver][i]);
        ck_assert_double_eq_tol(dynamics_ledger(run)->residual_j, 0, 1e-6);
        ck_assert_double_gt(fabs(dynamics_ledger(run)->work_effector_j), 0.01);
    }
    assert_alike(states[0], states[1], 4, 1e-8);
}

/* A plate of 5 mm that flies at a wall of 5 mm at 1 m/s stays on its side, by either solver,
 * wherever it starts. */
TEST(thin_plates_meet)
{
    static const char text[] =
        "{'scene': 1, 'world': {'gravity_m_s2': 0, 'obstacles': [{'width_m': 0.005, "
        "'height_m': 2}]}, 'bodies': ["
        "{'name': 'a', 'rectangles': [{'width_m': 0.005, 'height_m': 0.3, 'mass_kg': 1}], "
        "'velocity_m_s': [1, 0]}]}";
    for (int solver = 0; solver < 2; solver++)
        for (int k = 0; k < 24; k++) {
            struct part_state state;
            ck_ok(read_quoted(text));
            scene.settings.solver = solver;
            scene.bodies[0].at = (struct vec2){-0.02 - 1.7e-4 * k, 0.01};
            start_scene();
            run_steps(24);
            scene_body_state(&scene, run, 0, &state);
            ck_assert_double_lt(state.at_m.x, -0.0049);
            ck_assert_double_eq_tol(state.velocity_m_s.x, 0, 1e-9);
        }
}

/* A table and a sine prescribe motions, which both solvers follow exactly whatever hangs on them;
 * the work goes into the ledger, also when something is struck. */
TEST(prescribed_motions)
{
    static const char text[] =
        "{'scene': 1, 'world': {'viscosity_pa_s': 0.3, 'elasticity': 0.3}, 'bodies': ["
        "{'name': 'paddle', " RECTANGLE ", 'joint': {'to': 'world', 'own_at_m': [-0.2, 0], "
        "'motion_rad': {'offset': 0.2, 'amplitude': 1, 'frequency_hz': 0.7}}},"
        "{'name': 'arm', " RECTANGLE ", 'joint': {'to': 'paddle', 'at_m': [0.2, 0], "
        "'own_at_m': [-0.2, 0], 'damping_n_m_s_rad': 0.1}},"
        "{'name': 'lift', " RECTANGLE ", 'joint': {'to': 'world', 'kind': 'linear', "
        "'at_m': [3, 0], 'axis_rad': 1.5707963267948966, 'motion_m': {'table': [[0, 0.1], "
        "[0.5, 0.5], [1, -0.2]]}}},"
        "{'name': 'load', " RECTANGLE ", 'position_m': [3, 0.6]}]}";
    struct part_state states[2][2];
    for (int solver = 0; solver < 2; solver++) {
        begin_finely(text, solver, 1.0 / 960, 1e-11);
        for (int i = 1; i <= 1440; i++) {
            ck_assert_int_eq(dynamics_step(run), 0);
            struct drive_state sine = scene_joint_state(&scene, run, 0);
            struct drive_state table = scene_joint_state(&scene, run, 2);
            double at = i / 960.0, w = 2 * 3.14159265358979323846 * 0.7;
            ck_assert_double_eq_tol(sine.value, 0.2 + sin(w * at), 1e-9);
            ck_assert_double_eq_tol(sine.rate, w * cos(w * at), 1e-7);
            if (i == 480)
                ck_assert_double_eq_tol(table.value, 0.5, 1e-9);
            if (i == 240)
                for (int k = 0; k < 2; k++)
                    scene_body_state(&scene, run, 1 + 2 * k, &states[solver][k]);
        }
        struct drive_state end = scene_joint_state(&scene, run, 2);
        ck_assert_double_eq_tol(end.value, -0.2, 1e-9);
        ck_assert_double_eq_tol(end.rate, 0, 1e-7);
        const struct ledger *l = dynamics_ledger(run);
        ck_assert_double_gt(l->loss_impact_j, 0.1);
        ck_assert_double_lt(fabs(l->residual_j), 2e-3 * l->work_effector_positive_j);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(states[0][i].angle_rad, states[1][i].angle_rad, 1e-6);
        ck_assert_double_eq_tol(states[0][i].at_m.y, states[1][i].at_m.y, 2e-4);
    }
}

/* The momentum after 2 s of a body at rest in empty space, whose arm and slider follow tables. */
static double find_momentum(const char *others, int integrator, double dt_s)
{
    static const char bodies[] =
        "{'scene': 1, 'world': {'gravity_m_s2': 0}, 'bodies': ["
        "{'name': 'base', " RECTANGLE "},"
        "{'name': 'arm', " RECTANGLE ", 'joint': {'to': 'base', 'at_m': [0.2, 0.05], "
        "'own_at_m': [-0.3, 0], 'motion_rad': {'table': [[0.101, 0], [0.403, 1.2], [0.807, "
        "-0.5], [1.303, 0.3]]}}},"
        "{'name': 'hand', " RECTANGLE ", 'joint': {'to': 'arm', 'at_m': [0.3, 0], "
        "'own_at_m': [-0.15, 0]}},"
        "{'name': 'slider', " RECTANGLE ", 'joint': {'kind': 'linear', 'to': 'base', "
        "'at_m': [-0.2, 0], 'axis_rad': 0.4, 'motion_m': {'table': [[0.1, 0], [0.5, 0.3], "
        "[0.9, -0.1]]}}}";
    double momentum[3];
    ck_ok(read_quoted(printed("%s%s]}", bodies, others)));
    scene.settings.integrator = integrator;
    scene.settings.dt_s = dt_s;
    start_scene();
    for (double t = 0; t < 2; t += dt_s)
        ck_assert_int_eq(dynamics_step(run), 0);
    read_momentum(run, momentum);
    return fmax(fabs(momentum[0]), fmax(fabs(momentum[1]), fabs(momentum[2])));
}

/* Where a table begins and ends its acceleration jumps, within a step: what is joined answers. A
 * body that is alone is the root of its tree, one of two hangs on the world. RK4 keeps momentum to
 * its order until something touches. */
TEST_LOOP(motions_keep_momentum, 0, 4)
{
    static const double most[] = {2e-6, 1e-12, 4e-4, 6e-4}, gains[] = {4, 1, 8, 8};
    static const int integrators[] = {INTEGRATOR_AUTO, INTEGRATOR_MIDPOINT};
    static const char *const others[] = {"",
                                         ","
                                         "{'name': 'far', " RECTANGLE ", 'position_m': [30, 0]}"};
    int integrator = integrators[_i % 2];
    double coarse = find_momentum(others[_i / 2], integrator, 1.0 / 240);
    double fine = find_momentum(others[_i / 2], integrator, 1.0 / 960);
    ck_assert_double_lt(coarse, most[_i]);
    ck_assert_double_lt(fine, coarse / gains[_i] + 1e-12);
}

/* A box slides on the ground without friction and hits one that rests, e = 1, at speeds at which
 * they meet between two steps and within one: nothing is lost. */
TEST_LOOP(boxes_on_the_ground_bounce, 0, 4)
{
    static const double speeds_m_s[] = {0.25, 0.3, 0.5, 3};
    begin_scene(printed("{'scene': 1, 'world': {'friction': 0, 'elasticity': 1, 'ground': true},"
                        "'bodies': [{'name': 'a', " RECTANGLE
                        ", 'position_m': [0, 0.1], 'velocity_m_s': [%g, 0]},"
                        "{'name': 'b', 'rectangles': [{'width_m': 0.4, 'height_m': 0.2,"
                        "'mass_kg': 2}], 'position_m': [0.5, 0.1]}]}",
                        speeds_m_s[_i]),
                SOLVER_ARTICULATED, 0);
    run_steps(240);
    const struct ledger *l = dynamics_ledger(run);
    ck_assert_double_lt(l->loss_impact_j, 1e-4 * speeds_m_s[_i] * speeds_m_s[_i]);
}

/* Five alike in a row, e = 1, with small gaps between them: one or more come in from the left. As
 * many go out to the right, at the same speed; impacts follow one another within a step. */
static const struct cradle {
    int dimensions, incoming, is_round;
    double gap_m, speed_m_s;
} cradles[] = {{2, 1, 0, 1e-3, 1}, {2, 2, 0, 1e-3, 1}, {2, 3, 0, 1e-3, 1}, {2, 2, 1, 1e-3, 1},
               {2, 2, 0, 2e-3, 1}, {2, 4, 1, 2e-3, 2}, {3, 1, 0, 1e-3, 1}, {3, 2, 0, 1e-3, 1},
               {3, 3, 0, 1e-3, 1}, {3, 2, 0, 2e-3, 2}};
enum { CRADLE = 5 };

static void write_cradle(const struct cradle *c, char *text, size_t size)
{
    static const char *const shapes[] = {"'rectangles': [{'width_m': 0.1, 'height_m': 0.1, ",
                                         "'disks': [{'radius_m': 0.05, ",
                                         "'boxes': [{'size_m': [0.1, 0.1, 0.1], "};
    const char *deep = c->dimensions == 3 ? ", 0" : "";
    int length = snprintf(text, size,
                          "{'scene': 1, 'dimensions': %d, 'world': {'gravity_m_s2': 0, "
                          "'elasticity': 1}, 'bodies': [",
                          c->dimensions);
    for (int i = 0; i < CRADLE; i++) {
        double way_m = i < c->incoming ? 0 : 0.05;
        length +=
            snprintf(text + length, size - (size_t)length,
                     "%s{'name': 'b%d', %s'mass_kg': 1}], 'position_m': "
                     "[%.17g, 0%s], 'velocity_m_s': [%g, 0%s]}",
                     i > 0 ? ", " : "", i, shapes[c->dimensions == 3 ? 2 : c->is_round],
                     i * (0.1 + c->gap_m) + way_m, deep, i < c->incoming ? c->speed_m_s : 0, deep);
    }
    snprintf(text + length, size - (size_t)length, "]}");
}

TEST_LOOP(as_many_go_out_as_come_in, 0, sizeof cradles / sizeof cradles[0])
{
    const struct cradle *c = &cradles[_i];
    char text[2000];
    write_cradle(c, text, sizeof text);
    begin_scene(text, SOLVER_ARTICULATED, 0);
    run_steps(240);
    for (int i = 0; i < CRADLE; i++) {
        struct part_state state;
        dynamics_part_state(run, i, &state);
        double out_m_s = i < CRADLE - c->incoming ? 0 : c->speed_m_s;
        ck_assert_double_eq_tol(state.velocity_m_s.x, out_m_s, 5e-3);
    }
    const struct ledger *l = dynamics_ledger(run);
    ck_assert_double_lt(l->loss_impact_j + l->gain_impact_j, 1e-5);
}

/* What does not collide falls through another body and through the ground, on which the other
 * stays. */
TEST_LOOP(passes_through, 0, 2)
{
    static const char text[] =
        "{'scene': 1, 'world': {'ground': true}, 'bodies': ["
        "{'name': 'a', " RECTANGLE ", 'position_m': [0, 0.1]},"
        "{'name': 'ghost', " RECTANGLE ", 'position_m': [0, 0.5], 'collides': false}]}";
    struct part_state a, ghost;
    begin_scene(text, _i, 0);
    run_steps(240);
    scene_body_state(&scene, run, 0, &a);
    scene_body_state(&scene, run, 1, &ghost);
    ck_assert_double_eq_tol(a.at_m.y, 0.1, 1e-6);
    ck_assert_double_eq_tol(ghost.at_m.y, 0.5 - 9.81 / 2, 1e-9);
}

/* A four-bar linkage closes from where it stands, at rest as it must be, and stays closed; what
 * cannot close is said. */
TEST(loops)
{
    static const char bar[] =
        "{'scene': 1, 'bodies': ["
        "{'name': 'a', 'mass_kg': 1, 'inertia_kg_m2': 0.1, 'centre_m': [0.5, 0], "
        "'joint': {'to': 'world', 'angle_rad': 1.2, 'rate_rad_s': 1}},"
        "{'name': 'b', 'mass_kg': 1, 'inertia_kg_m2': 0.1, 'centre_m': [0.5, 0], "
        "'joint': {'to': 'a', 'at_m': [1, 0], 'angle_rad': -1}}], 'loops': [{'body': 'b', "
        "'to': 'world', 'at_m': [%s, 0], 'own_at_m': [1, 0]%s}]}";
    static const char *const kinds[] = {"", ", 'kind': 'linear', 'angle_rad': -0.7",
                                        ", 'kind': 'rigid', 'angle_rad': -0.9"};
    for (int kind = 0; kind < 3; kind++) {
        ck_ok(read_quoted(printed(bar, "1.3", kinds[kind])));
        arena_reset(&arena);
        ck_refused(scene_start(&scene, &arena, &run, &error), ERR_UNAVAILABLE,
                   "constraint solver only");
        scene.settings.solver = SOLVER_CONSTRAINT;
        scene.settings.rtol = 1e-10;
        arena_reset(&arena);
        int result = scene_start(&scene, &arena, &run, &error);
        if (kind == 2) {
            /* two bars and a fixed end: one angle too many */
            ck_refused(result, ERR_RANGE, "loops[0], b to world: it does not close");
            continue;
        }
        ck_ok(result);
        for (int i = 0; i < 240; i++) {
            ck_assert_int_eq(dynamics_step(run), 0);
            struct vec2 end = scene_body_point(&scene, run, 1, (struct vec2){1, 0});
            struct part_state b;
            scene_body_state(&scene, run, 1, &b);
            ck_assert_double_eq_tol(end.y, 0, 1e-8);
            if (kind == 0)
                ck_assert_double_eq_tol(end.x, 1.3, 1e-8);
            else
                ck_assert_double_eq_tol(b.angle_rad, -0.7, 1e-8);
        }
        ck_assert_double_eq_tol(dynamics_ledger(run)->residual_j, 0, 1e-7);
    }
    ck_ok(read_quoted(printed(bar, "2.5", "")));
    scene.settings.solver = SOLVER_CONSTRAINT;
    arena_reset(&arena);
    ck_refused(scene_start(&scene, &arena, &run, &error), ERR_RANGE, "does not close");
}

/* Cut off anywhere, or with any byte changed, a scene is read or refused with one line. */
TEST(corrupt)
{
    static char text[sizeof arm];
    FREED char *json = quoted(arm);
    size_t length = strlen(arm);
    for (size_t i = 0; i < length; i++) {
        ck_assert_int_lt(scene_read_text(&scene, json, i, "test", &error), 0);
        ck_assert_ptr_null(strchr(error.message, '\n'));
    }
    for (size_t i = 0; i < length; i++) {
        memcpy(text, json, length);
        text[i] = (char)(text[i] ^ (1 << i % 7));
        int code = scene_read_text(&scene, text, length, "test", &error);
        ck_assert_int_le(code, 0);
    }
}

SUITE("scene", 60, scene_set_up, NULL)
