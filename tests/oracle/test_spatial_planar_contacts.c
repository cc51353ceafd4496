/* Planar reference cases of contacts, put into a turned plane in space, by both solvers: gravity lies
 * in the plane, the ground is a fixed box, and all boxes are 0.3 m deep. Numbers and tolerances are
 * those of cases.json: tol_engine for the fast solver, twice tol_ref for the reference. Boxes that
 * slide, bounce and meet have references of their own in space, in test_spatial_touching.c and
 * test_spatial_exact.c. */
#include "simulator/links/spatial_state.h"
#include "simulator/tools/scenes/scene.h"
#include "tests/oracle/rows.h"
#include "tests/plain_fixture.h"

#define NUMBERS "tests/oracle/cases.json"
#define STEP_S  (1.0 / 240)
#define GRAVITY 9.81

enum { ROWS_MAX = 32 };

/* A plane askew, with x, y and the normal as columns. */
static const struct quaternion turn = {0.5, 0.1, -0.7, 0.5};
static struct mat3 plane;

static json_t *cases, *rows;
static int is_measured[ROWS_MAX];
static struct scene scene;
static struct dynamics *run;
static int solver;
static double now_s;

static void setup(void)
{
    rows_load(&cases, NUMBERS);
    arena_open(SCENE_ARENA_BYTES);
    plane = quaternion_matrix(quaternion_normalised(turn));
}

/* ---------------------------------------------------------------- rows */

static void open_case(const char *name)
{
    rows = json_object_get(cases, name);
    ck_assert(json_array_size(rows) > 0 && json_array_size(rows) <= ROWS_MAX);
    memset(is_measured, 0, sizeof is_measured);
}

static void expect(const char *quantity, const char *of, double value)
{
    const char *tolerance_name = solver == SOLVER_CONSTRAINT ? "tol_ref" : "tol_engine";
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(word(row, "quantity"), quantity) != 0 || strcmp(word(row, "of"), of) != 0)
            continue;
        double expected = number(row, "value");
        double tolerance = (solver == SOLVER_CONSTRAINT ? 2 : 1) * number(row, tolerance_name);
        ck_assert_msg(fabs(value - expected) <= tolerance, "%s %s: %.12g instead of %.12g +- %.1e",
                      quantity, of, value, expected, tolerance);
        is_measured[i] = 1;
    }
}

/* ---------------------------------------------------------------- scenes */

static struct vec3 in_space(double x, double y)
{
    return mat3_apply(&plane, (struct vec3){x, y, 0});
}

/* With the ground below y = 0 of the plane, which fills a box. */
static void begin(double gravity, double friction, double elasticity)
{
    memset(&scene, 0, sizeof scene);
    scene.form = &scene_in_space;
    struct vec3 down = in_space(0, -gravity);
    scene.world.gravity_x_m_s2 = down.x;
    scene.world.gravity_m_s2 = -down.y;
    scene.world.gravity_z_m_s2 = down.z;
    solids_place(&scene.space.obstacles[0], in_space(0, -1), &plane, (struct vec3){20, 1, 5});
    scene.world.friction = scene.world.own_friction = friction;
    scene.world.elasticity = scene.world.own_elasticity = elasticity;
    scene.world.solids = scene.space.obstacles;
    scene.world.solid_count = 1;
    scene.settings.dt_s = scene.settings.constraint_tau_s = STEP_S;
    scene.settings.solver = solver;
    scene.settings.rtol = 1e-12;
}

/* A box of that inertia about the normal, whose shape is `above` its centre of mass; angle and
 * velocity in the plane. */
static void add_box(double mass, double inertia, double width, double height, double above,
                    const double place[3], const double velocity[2])
{
    const struct vec3 at = in_space(place[0], place[1]), v = in_space(velocity[0], velocity[1]);
    struct quaternion q = quaternion_product(quaternion_normalised(turn),
                                             quaternion_about((struct vec3){0, 0, 1}, place[2]));
    const double state[7] = {at.x, at.y, at.z, q.w, q.x, q.y, q.z}, rates[6] = {v.x, v.y, v.z};
    struct body_link *link = &scene.links[scene.body_count];
    *link = body_link_unlimited(-1, LINK_FREE);
    link->mass_kg = mass;
    link->inertia = (struct sym3){0.1 * mass, 0, 0, 0.2 * mass, 0, inertia};
    scene.space.boxes[scene.space.box_count++] = (struct body_box){.link = scene.body_count++,
                                                                   .centre = {0, above, 0},
                                                                   .turn = QUATERNION_ONE,
                                                                   .size_m = {width, height, 0.3}};
    memcpy(scene.q + scene.space.coordinates, state, sizeof state);
    memcpy(scene.qd + scene.space.rates, rates, sizeof rates);
    scene.space.coordinates += 7;
    scene.space.rates += 6;
}

static void add_plain_box(double mass, double width, double height, double x, double y, double vx)
{
    add_box(mass, mass * (width * width + height * height) / 12, width, height, 0,
            (double[]){x, y, 0}, (double[]){vx, 0});
}

static void start(void)
{
    arena_reset(&arena);
    now_s = 0;
    ck_ok(scene_start(&scene, &arena, &run, &error));
}

static void step(void)
{
    ck_assert_int_eq(dynamics_step(run), 0);
    now_s += STEP_S;
}

static void run_to(double time_s)
{
    while (now_s < time_s - STEP_S / 2)
        step();
}

/* In the plane's axes; nothing leaves the plane. */
static struct vec3 place(int body)
{
    return mat3_back(&plane,
                     spatial_tree_centre(&spatial_state_tree(spatial_state_of(run))->links[body]));
}

static struct vec3 velocity(int body)
{
    return mat3_back(&plane, spatial_tree_centre_velocity(
                                 &spatial_state_tree(spatial_state_of(run))->links[body]));
}

static double spin(int body)
{
    return mat3_back(&plane, spatial_state_tree(spatial_state_of(run))->links[body].velocity.w).z;
}

static void stay_in_plane(void)
{
    for (int i = 0; i < scene.body_count; i++) {
        struct vec3 w =
            mat3_back(&plane, spatial_state_tree(spatial_state_of(run))->links[i].velocity.w);
        ck_assert_double_le(fabs(place(i).z) + fabs(velocity(i).z), 1e-5);
        ck_assert_double_le(fabs(w.x) + fabs(w.y), 1e-4);
    }
}

/* Sums of the last step's impulses at points near a place. */
static void sum_impulses(double x, double y, double sum[2])
{
    const struct contact_point *points;
    int count = dynamics_contacts(run, &points);
    sum[0] = sum[1] = 0;
    for (int i = 0; i < count; i++) {
        struct vec3 at = mat3_back(&plane, points[i].at);
        if (fabs(at.x - x) > 0.05 || fabs(at.y - y) > 0.05)
            continue;
        sum[0] += points[i].normal_impulse_n_s;
        sum[1] += points[i].friction_impulse_n_s;
    }
}

/* ---------------------------------------------------------------- cases */

static void stacked(void)
{
    double impulse[2];
    begin(GRAVITY, 0.6, 0);
    add_plain_box(2, 0.4, 0.2, 0, 0.1, 0);
    add_plain_box(1, 0.4, 0.2, 0.1, 0.3, 0);
    start();
    run_to(10);
    sum_impulses(-0.1, 0.2, impulse);
    expect("N_top_at_x=-0.1", "", impulse[0] / STEP_S);
    sum_impulses(0.2, 0.2, impulse);
    expect("N_top_at_x=+0.2", "", impulse[0] / STEP_S);
    sum_impulses(-0.2, 0, impulse);
    expect("N_floor_left", "", impulse[0] / STEP_S);
    sum_impulses(0.2, 0, impulse);
    expect("N_floor_right", "", impulse[0] / STEP_S);
    expect("drift_in_10_s", "", fmax(fabs(place(0).x), fabs(place(1).x - 0.1)));
    stay_in_plane();
}

/* The corner is an edge here, with two contacts. It strikes in the middle of the step, where
 * impacts act. */
static void corner_impact(void)
{
    static const struct {
        const char *of;
        double friction, speed;
    } impacts[] = {{"frictionless", 0, 0}, {"sticking", 100, 0}, {"coulomb_sliding_mu0.2", 0.2, 3}};
    const double angle = acos(-1) / 6, rx = -cos(angle) / 2, ry = -0.25, above = 2 * STEP_S / 2;
    for (int i = 0; i < 3; i++) {
        begin(0, impacts[i].friction, 0.5);
        add_box(1, 1.0 / 12, 1, 0.1, 0.05, (double[]){0, 0.25 + above, angle},
                (double[]){impacts[i].speed, -2});
        start();
        double before = dynamics_ledger(run)->kinetic_j;
        struct vec3 from = velocity(0);
        step();
        struct vec3 v = velocity(0);
        expect("jn", impacts[i].of, v.y - from.y);
        expect("jt", impacts[i].of, v.x - from.x);
        expect("vx_after", impacts[i].of, v.x);
        expect("vy_after", impacts[i].of, v.y);
        expect("omega_after", impacts[i].of, spin(0));
        expect("contact_vt_after", impacts[i].of, v.x - spin(0) * ry);
        expect("contact_vn_after", impacts[i].of, v.y + spin(0) * rx);
        expect("dE", impacts[i].of, dynamics_ledger(run)->kinetic_j - before);
        stay_in_plane();
    }
}

static const struct {
    const char *name;
    void (*measure)(void);
} measures[] = {{"stacked_boxes_forces", stacked}, {"rod_corner_impact", corner_impact}};
enum { CASES = sizeof measures / sizeof measures[0] };

TEST_LOOP(embedded_contacts, 0, 2 * CASES)
{
    solver = _i < CASES ? SOLVER_ARTICULATED : SOLVER_CONSTRAINT;
    open_case(measures[_i % CASES].name);
    measures[_i % CASES].measure();
    rows_expect_all(rows, is_measured);
}

SUITE("space_planar_contacts", 240, setup, NULL)
