/* Metamorphic rules: what must not change, or change in a known way, when a scene is mirrored,
 * moved, turned, sent on its way, run backwards, relabelled or enlarged. Both solvers, and both
 * integrators of the articulated one; no reference values.
 *
 * The scene is a free body with four limbs of all kinds of joints and drives, and a second free
 * body beside it, so that both the free root and the chain of links without mass are used. Nothing
 * touches: contacts are solved in an order, which a mirror or a relabelling changes. */
#include "common/math/detmath.h"
#include "tests/scene_fixture.h"

enum { BODIES = 6, STEPS = 240 };

#define BOX(name, width, height, more)                                                             \
    "{'name': '" name "', 'rectangles': [{'width_m': " #width ", 'height_m': " #height             \
    ", 'density_kg_m2': 20}]" more "}"
#define TORSO                                                                                      \
    BOX("torso", 0.5, 0.3,                                                                         \
        ", 'position_m': [0.3, 2], 'angle_rad': 0.2, "                                             \
        "'velocity_m_s': [0.4, 1], 'rate_rad_s': 0.7")
#define LEFT                                                                                       \
    BOX("left", 0.4, 0.1,                                                                          \
        ", 'joint': {'to': 'torso', 'at_m': [-0.25, 0.1], "                                        \
        "'own_at_m': [0.2, 0], 'angle_rad': 0.4, 'rate_rad_s': -1, "                               \
        "'spring': {'stiffness_n_m_rad': 3, 'rest_rad': 0.5}}")
#define RIGHT                                                                                      \
    BOX("right", 0.3, 0.1,                                                                         \
        ", 'joint': {'to': 'torso', 'at_m': [0.25, -0.1], "                                        \
        "'own_at_m': [-0.15, 0], 'angle_rad': -0.9, 'torque_n_m': "                                \
        "{'offset': 0.1, 'amplitude': 0.3, 'frequency_hz': 1.5}, "                                 \
        "'damping_n_m_s_rad': 0.02}")
#define HAND                                                                                       \
    BOX("hand", 0.2, 0.08,                                                                         \
        ", 'joint': {'to': 'right', 'kind': 'linear', "                                            \
        "'at_m': [0.15, 0], 'own_at_m': [-0.1, 0], 'extension_m': 0.05, "                          \
        "'servo': {'kp_n_m': 30, 'kd_n_s_m': 2, 'target_m': 0.2}}")
#define FOOT                                                                                       \
    BOX("foot", 0.3, 0.1,                                                                          \
        ", 'joint': {'to': 'torso', 'at_m': [0, -0.15], "                                          \
        "'own_at_m': [-0.15, 0], 'motion_rad': "                                                   \
        "{'offset': -1.7, 'amplitude': 0.5, 'frequency_hz': 0.8}}")
#define OTHER                                                                                      \
    BOX("other", 0.4, 0.2,                                                                         \
        ", 'position_m': [4, 3], 'velocity_m_s': [-0.5, 0], "                                      \
        "'rate_rad_s': 2")
#define SCENE(world, bodies) "{'scene': 1, 'world': {" world "}, 'bodies': [" bodies "]}"
#define EARTH                "'viscosity_pa_s': 0.4, 'quadratic_drag_kg_m2': 1"
#define SPACE                "'gravity_m_s2': 0"

/* A loop test's number: way to step and scene. */
static const struct way {
    int solver, integrator;
} ways[] = {{SOLVER_ARTICULATED, INTEGRATOR_RK4},
            {SOLVER_ARTICULATED, INTEGRATOR_MIDPOINT},
            {SOLVER_CONSTRAINT, INTEGRATOR_RK4}};
enum { WAYS = 3 };
#define WAY   (ways[_i % WAYS])
#define SHAPE (_i / WAYS)

static void use_way(struct way way)
{
    scene.settings.solver = way.solver;
    scene.settings.integrator = way.integrator;
    scene.settings.rtol = 1e-11;
}

static void read_text(const char *text, struct way way)
{
    ck_ok(read_quoted(text));
    use_way(way);
}

/* States of all bodies after the steps; returns the work of all drives. */
static double move(int count, struct part_state *states)
{
    start_scene();
    run_steps(count);
    for (int i = 0; i < scene.body_count; i++)
        scene_body_state(&scene, run, i, &states[i]);
    return dynamics_ledger(run)->work_effector_j;
}

static void check_near(const struct part_state *a, const struct part_state *b, double tolerance)
{
    ck_assert_xy(a->at_m, b->at_m.x, b->at_m.y, tolerance);
    ck_assert_double_eq_tol(a->angle_rad, b->angle_rad, tolerance);
    ck_assert_xy(a->velocity_m_s, b->velocity_m_s.x, b->velocity_m_s.y, 10 * tolerance);
    ck_assert_double_eq_tol(a->spin_rad_s.z, b->spin_rad_s.z, 10 * tolerance);
}

/* Both shapes of root: one free body with its limbs, and two free bodies. */
static const char *const on_earth[] = {
    SCENE(EARTH, TORSO "," LEFT "," RIGHT "," HAND "," FOOT),
    SCENE(EARTH, TORSO "," LEFT "," RIGHT "," HAND "," FOOT "," OTHER)};
static const char *const in_space[] = {
    SCENE(SPACE, TORSO "," LEFT "," RIGHT "," HAND "," FOOT),
    SCENE(SPACE, TORSO "," LEFT "," RIGHT "," HAND "," FOOT "," OTHER)};
static void mirror_vector(struct vec2 *v)
{
    v->x = -v->x;
}

/* x, angles and torques the other way round; a linear joint slides along x. */
static void mirror_scene(void)
{
    for (int i = 0; i < scene.body_count; i++) {
        struct scene_body *body = &scene.bodies[i];
        struct scene_freedom *f = &body->freedom;
        struct signal *s = &f->signal;
        struct vec2 *vectors[] = {&body->at, &body->own_at, &body->velocity, &body->centre};
        double *numbers[] = {&body->angle_rad, &body->rate_rad_s, &f->start,
                             &f->rate,         &f->drive.target,  &f->drive.rate,
                             &s->offset,       &s->slope,         &s->amplitude};
        for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
            mirror_vector(vectors[k]);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            *numbers[k] = -*numbers[k];
        double lower = f->lower;
        f->lower = -f->upper;
        f->upper = -lower;
    }
    for (int i = 0; i < scene.part_count; i++) {
        scene.parts[i].centre.x = -scene.parts[i].centre.x;
        scene.parts[i].angle_rad = -scene.parts[i].angle_rad;
    }
}

/* To the bit, by every law of drag: linear or quadratic, on all faces or the leading ones, on all
 * that there is or what is exposed; the reference, whose steps follow its errors, by the first. */
TEST_LOOP(mirror, 0, 2 * WAYS)
{
    int laws = WAY.solver == SOLVER_ARTICULATED ? 8 : 1;
    for (int drag = 0; drag < laws; drag++) {
        struct part_state plain[BODIES], mirrored[BODIES];
        read_text(on_earth[SHAPE], WAY);
        scene.world.drag_law = drag & 1 ? DRAG_LAW_QUADRATIC : DRAG_LAW_LINEAR;
        scene.world.drag_faces = drag & 2 ? DRAG_FACES_LEADING : DRAG_FACES_ALL;
        scene.world.drag_exposure = drag & 4 ? 1 : 0;
        double work_j = move(STEPS, plain);
        mirror_scene();
        ck_assert_double_eq(move(STEPS, mirrored), work_j);
        for (int i = 0; i < scene.body_count; i++) {
            const struct part_state *p = &plain[i], *m = &mirrored[i];
            ck_assert_xy(p->at_m, -m->at_m.x, m->at_m.y, 0);
            ck_assert_double_eq(p->angle_rad, -m->angle_rad);
            ck_assert_xy(p->velocity_m_s, -m->velocity_m_s.x, m->velocity_m_s.y, 0);
            ck_assert_double_eq(p->spin_rad_s.z, -m->spin_rad_s.z);
        }
    }
}

TEST_LOOP(translate, 0, 2 * WAYS)
{
    struct part_state plain[BODIES], moved[BODIES];
    read_text(on_earth[SHAPE], WAY);
    move(STEPS, plain);
    for (int i = 0; i < scene.body_count; i++)
        if (scene.bodies[i].parent < 0)
            scene.bodies[i].at.x += 1000;
    move(STEPS, moved);
    for (int i = 0; i < scene.body_count; i++) {
        moved[i].at_m.x -= 1000;
        check_near(&plain[i], &moved[i], 1e-9);
    }
}

static struct vec2 turn(double angle, double x, double y)
{
    double s, c;
    det_sincos(angle, &s, &c);
    return (struct vec2){c * x - s * y, s * x + c * y};
}

TEST_LOOP(rotate, 0, 2 * WAYS)
{
    struct part_state plain[BODIES], turned[BODIES];
    read_text(in_space[SHAPE], WAY);
    move(STEPS, plain);
    for (int i = 0; i < scene.body_count; i++) {
        struct scene_body *body = &scene.bodies[i];
        if (body->joint != LINK_PLANAR)
            continue;
        body->at = turn(1, body->at.x, body->at.y);
        body->velocity = turn(1, body->velocity.x, body->velocity.y);
        body->angle_rad += 1;
    }
    move(STEPS, turned);
    for (int i = 0; i < scene.body_count; i++) {
        struct vec2 at = turn(-1, turned[i].at_m.x, turned[i].at_m.y);
        struct vec2 v = turn(-1, turned[i].velocity_m_s.x, turned[i].velocity_m_s.y);
        turned[i].at_m.x = at.x, turned[i].at_m.y = at.y;
        turned[i].velocity_m_s.x = v.x, turned[i].velocity_m_s.y = v.y;
        turned[i].angle_rad -= 1;
        check_near(&plain[i], &turned[i], WAY.solver == SOLVER_ARTICULATED ? 1e-12 : 1e-10);
    }
}

TEST_LOOP(galilean, 0, 2 * WAYS)
{
    struct part_state plain[BODIES], moving[BODIES];
    read_text(in_space[SHAPE], WAY);
    move(STEPS, plain);
    for (int i = 0; i < scene.body_count; i++) {
        scene.bodies[i].velocity.x += 7;
        scene.bodies[i].velocity.y -= 3;
    }
    move(STEPS, moving);
    double time = STEPS * scene.settings.dt_s;
    for (int i = 0; i < scene.body_count; i++) {
        moving[i].at_m.x -= 7 * time;
        moving[i].at_m.y += 3 * time;
        moving[i].velocity_m_s.x -= 7;
        moving[i].velocity_m_s.y += 3;
        check_near(&plain[i], &moving[i], 1e-9);
    }
}

static void read_pendulum(struct way way)
{
    ck_ok(scene_read_file(&scene, "tests/oracle/scenes/double-pendulum-rods.json", &error));
    use_way(way);
}

/* There and back again: midpoint steps to the order of their error. */
TEST_LOOP(time_reversal, 0, WAYS)
{
    double q[8], qd[8];
    double near = WAY.integrator == INTEGRATOR_MIDPOINT ? 1e-4 : 1e-6;
    read_pendulum(WAY);
    start_scene();
    int dof = run->dof;
    run_steps(480);
    for (int i = 0; i < dof; i++) {
        q[i] = run->q[i];
        qd[i] = -run->qd[i];
    }
    dynamics_set_state(run, q, qd);
    run_steps(480);
    for (int i = 0; i < dof; i++) {
        ck_assert_double_eq_tol(run->q[i], scene.q[i], near);
        ck_assert_double_eq_tol(run->qd[i], 0, 10 * near);
    }
}

/* Siblings in another order move the same to rounding; in the same order to the bit. */
TEST_LOOP(relabel, 0, 2 * WAYS)
{
    static const char *const other[] = {
        SCENE(EARTH, TORSO "," FOOT "," RIGHT "," LEFT "," HAND),
        SCENE(EARTH, OTHER "," TORSO "," RIGHT "," HAND "," FOOT "," LEFT)};
    struct part_state plain[BODIES], again[BODIES], relabelled[BODIES];
    char names[BODIES][SCENE_NAME_MAX + 1];
    read_text(on_earth[SHAPE], WAY);
    move(STEPS, plain);
    move(STEPS, again);
    int count = scene.body_count;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(memcmp(&plain[i], &again[i], sizeof plain[i]), 0);
        strcpy(names[i], scene.bodies[i].name);
    }
    read_text(other[SHAPE], WAY);
    move(STEPS, relabelled);
    ck_assert_int_eq(scene.body_count, count);
    for (int i = 0; i < count; i++) {
        int found = scene_find_body(&scene, names[i]);
        ck_assert_int_ge(found, 0);
        check_near(&plain[i], &relabelled[found], 1e-9);
    }
}

/* Lengths four times, masses sixteen times, times twice as large: the same angles. */
TEST_LOOP(scale, 0, WAYS)
{
    double angles[2][2];
    for (int is_large = 0; is_large < 2; is_large++) {
        read_pendulum(WAY);
        for (int i = 0; i < 2 && is_large; i++) {
            struct scene_body *body = &scene.bodies[i];
            body->at.x *= 4;
            body->centre.x *= 4;
            body->mass_kg *= 16;
            body->inertia_kg_m2 *= 256;
        }
        scene.settings.dt_s = is_large ? 1.0 / 120 : 1.0 / 240;
        scene.settings.constraint_tau_s *= is_large ? 2 : 1;
        start_scene();
        run_steps(480);
        for (int i = 0; i < 2; i++)
            angles[is_large][i] = scene_joint_state(&scene, run, i).value;
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_double_gt(fabs(angles[0][i]), 0.01);
        if (WAY.solver == SOLVER_ARTICULATED)
            ck_assert_double_eq(angles[0][i], angles[1][i]);
        else
            ck_assert_double_eq_tol(angles[0][i], angles[1][i], 1e-7);
    }
}

/* Without gravity, drives and velocities nothing begins to move, in a viscous world. */
TEST_LOOP(rest, 0, 2 * WAYS)
{
    read_text(in_space[SHAPE], WAY);
    scene.world.viscosity_pa_s = 1;
    for (int i = 0; i < scene.body_count; i++) {
        struct scene_body *body = &scene.bodies[i];
        body->freedom.drive = (struct servo){.law = SERVO_TORQUE};
        body->rate_rad_s = body->freedom.rate = 0;
        body->velocity = (struct vec2){0, 0};
    }
    start_scene();
    struct part_state before[BODIES], after;
    // frames of rigid parts are rounded where the reference closes them
    double slack = WAY.solver == SOLVER_ARTICULATED ? 0 : 1e-12;
    for (int i = 0; i < scene.body_count; i++)
        scene_body_state(&scene, run, i, &before[i]);
    run_steps(STEPS);
    for (int i = 0; i < scene.body_count; i++) {
        scene_body_state(&scene, run, i, &after);
        ck_assert_double_le(fabs(after.at_m.x - before[i].at_m.x), slack);
        ck_assert_double_le(fabs(after.at_m.y - before[i].at_m.y), slack);
        ck_assert_double_le(fabs(after.angle_rad - before[i].angle_rad), slack);
        ck_assert_double_le(fabs(after.spin_rad_s.z), slack);
    }
}

/* The rules notice a world that is not the same for all: a wind, as it were, to the right. */
TEST(planted_fault)
{
    struct part_state plain[BODIES], mirrored[BODIES];
    read_text(on_earth[0], ways[0]);
    scene.world.gravity_x_m_s2 = 1e-9;
    move(STEPS, plain);
    mirror_scene();
    move(STEPS, mirrored);
    ck_assert(plain[0].at_m.x != -mirrored[0].at_m.x);
}

SUITE("metamorphic", 60, scene_set_up, NULL)
