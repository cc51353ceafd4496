/* Reference cases of boxes in space that touch, as scenes, at 240 Hz: impacts, boxes that slide,
 * spin, tip, fall and bounce. The numbers come from closed forms, quadrature or integration with
 * 25 to 40 digits; they are in space/touching.json, the scenes in space/touching/. All tolerances
 * are absolute. Every row must be measured: none is left out in silence. What presses and does not
 * slide moves to second order of the step.
 *
 * With the argument --markdown: a line for each case, for `make oracle`. */
#include "simulator/links/spatial_state.h"
#include "simulator/tools/scenes/scene.h"
#include "tests/oracle/rows.h"
#include "tests/plain_fixture.h"
#include "tests/tally.h"

#define FOLDER "tests/oracle/space/"
#define STEP_S (1.0 / 240)

enum { ROWS_MAX = 64, VALUES_MAX = 3 };

static json_t *cases, *rows;
static int is_measured[ROWS_MAX];
static struct scene scene;
static struct spatial_state *dynamics;
static long steps;

static void setup(void)
{
    rows_load(&cases, FOLDER "touching.json");
    arena_open(SCENE_ARENA_BYTES);
}

/* ---------------------------------------------------------------- rows and scenes */

static void read_scene(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "touching/%s.json", name);
    ck_ok(scene_read_file(&scene, path, &error));
}

static void open_case(const char *name)
{
    rows = json_object_get(cases, name);
    tally_open(name);
    ck_assert_msg(json_array_size(rows) > 0 && json_array_size(rows) <= ROWS_MAX, "%s", name);
    memset(is_measured, 0, sizeof is_measured);
    read_scene(name);
}

static void start(void)
{
    struct dynamics *run;
    arena_reset(&arena);
    ck_ok(scene_start(&scene, &arena, &run, &error));
    dynamics = spatial_state_of(run);
    steps = 0;
}

static void step(void)
{
    ck_assert_int_eq(dynamics_step(&dynamics->dynamics), 0);
    ck_assert_double_le(dynamics->law_residual, 1e-5);
    steps++;
}

/* Compares with the row of that quantity and, unless NULL and not below 0, of that subject and
 * time. */
static void expect(const char *quantity, const char *of, double t_s, const double *values,
                   int count)
{
    json_t *row;
    size_t i;
    int found = 0;
    json_array_foreach(rows, i, row)
    {
        json_t *list = json_object_get(row, "value");
        double tolerance = number(row, "tol");
        if (strcmp(word(row, "quantity"), quantity) != 0 ||
            (of && strcmp(word(row, "of"), of) != 0))
            continue;
        if (t_s >= 0 && fabs(number(row, "t_s") - t_s) > 1e-9)
            continue;
        double worst = 0;
        ck_assert_int_eq(json_array_size(list), count);
        for (int k = 0; k < count; k++) {
            worst =
                fmax(worst, fabs(values[k] - json_number_value(json_array_get(list, (size_t)k))));
            ck_assert_msg(fabs(values[k] - json_number_value(json_array_get(list, (size_t)k))) <=
                              tolerance,
                          "%s %s at %g s, number %d: %.9g instead of %.9g, within %g", quantity,
                          word(row, "of"), t_s, k, values[k],
                          json_number_value(json_array_get(list, (size_t)k)), tolerance);
        }
        tally_number(worst, tolerance);
        is_measured[i] = 1;
        found++;
    }
    ck_assert_msg(found == 1, "%d rows of %s %s", found, quantity, of ? of : "");
}

static void expect_one(const char *quantity, const char *of, double t_s, double value)
{
    expect(quantity, of, t_s, &value, 1);
}

static void expect_vector(const char *quantity, const char *of, double t_s, struct vec3 v)
{
    const double values[3] = {v.x, v.y, v.z};
    expect(quantity, of, t_s, values, 3);
}

static void expect_xz(const char *quantity, double t_s, struct vec3 v)
{
    const double values[2] = {v.x, v.z};
    expect(quantity, NULL, t_s, values, 2);
}

static const struct spatial_tree_link *link_of(int body)
{
    return &spatial_state_tree(dynamics)->links[body];
}

static struct vec3 place(int body)
{
    return spatial_tree_centre(link_of(body));
}

static struct vec3 velocity(int body)
{
    return spatial_tree_centre_velocity(link_of(body));
}

/* The turn of the first body about the vertical, from its x axis. It is never wrapped if this is
 * called in every step. */
static double yaw_after(double before)
{
    struct vec3 axis = link_of(0)->turned.x;
    double yaw = atan2(-axis.z, axis.x), turn = 2 * acos(-1);
    return yaw + turn * floor((before - yaw) / turn + 0.5);
}

/* Between the last step and the one before it, at a time. */
static struct vec3 between(struct vec3 before, struct vec3 now, double t_s)
{
    double share = t_s / STEP_S - (double)(steps - 1);
    return vec3_along(before, vec3_sub(now, before), share);
}

/* ---------------------------------------------------------------- impacts */

static double kinetic(void)
{
    return dynamics_ledger(&dynamics->dynamics)->kinetic_j;
}

/* Three steps, with an impact in the last. */
static struct vec3 collide(double elasticity, double friction)
{
    scene.world.elasticity = scene.world.own_elasticity = elasticity;
    scene.world.friction = friction;
    start();
    for (int i = 0; i < 3; i++)
        step();
    ck_assert(dynamics->is_given);
    return dynamics->given.linear;
}

TEST_LOOP(box_impacts, 0, 3)
{
    static const char *const names[] = {"box-impact-flat", "box-impact-edge", "box-impact-corner"};
    static const struct {
        const char *name;
        double friction;
    } kinds[] = {{"frictionless", 0}, {"sticking", 1e4}, {"coulomb_mu0.2", 0.2}};
    open_case(names[_i]);
    for (int k = 0; k < 3; k++)
        for (int bounces = 0; bounces < 2; bounces++) {
            char of[64];
            snprintf(of, sizeof of, "%s, e %s", kinds[k].name, bounces ? "0.5" : "0.0");
            struct vec3 impulse = collide(bounces * 0.5, kinds[k].friction);
            double after = kinetic();
            expect_vector("impulse", of, -1, impulse);
            expect_vector("velocity_after", of, -1, velocity(0));
            expect_vector("omega_after_world", of, -1, link_of(0)->velocity.w);
            start();
            expect_one("energy_change", of, -1, after - kinetic());
        }
    rows_expect_all(rows, is_measured);
}

TEST(edge_edge_impact)
{
    open_case("edge-edge-impact");
    for (int bounces = 0; bounces < 2; bounces++) {
        const char *of = bounces ? "e 0.5" : "e 0.0";
        collide(bounces * 0.5, 0);
        double after = kinetic();
        expect_one("impulse", of, -1, vec3_length(velocity(0)) * scene.links[0].mass_kg);
        expect_vector("velocity_after_a", of, -1, velocity(0));
        expect_vector("velocity_after_b", of, -1, velocity(1));
        expect_vector("omega_after_a", of, -1, link_of(0)->velocity.w);
        expect_vector("omega_after_b", of, -1, link_of(1)->velocity.w);
        start();
        expect_one("energy_change", of, -1, after - kinetic());
    }
    rows_expect_all(rows, is_measured);
}

TEST(bouncing_box)
{
    static const char *const counts[] = {"0", "1", "2", "3", "4", "5"};
    open_case("bouncing-box");
    start();
    double before = 0, highest = 0, last = 0, floor_m = 0.1;
    int bounces = 0;
    struct vec3 axis = link_of(0)->turned.x;
    while (steps * STEP_S < 2) {
        double from = place(0).y - floor_m;
        step();
        double now = velocity(0).y;
        if (before < 0 && now > 0.02) { /* where the falling and the rising way meet on the floor */
            double instant = (steps - 1) * STEP_S + (from > 0 ? from / -before : 0);
            if (bounces > 0 && bounces < 5)
                expect_one("apex_height", counts[bounces], -1, highest);
            bounces++;
            if (bounces == 1)
                expect_one("first_impact", NULL, -1, instant);
            else if (bounces <= 5)
                expect_one("impact_time", counts[bounces], -1, instant);
            highest = 0;
            last = instant;
        }
        highest = fmax(highest, place(0).y - floor_m);
        before = now;
        if (vec3_length(velocity(0)) > 0.02)
            last = steps * STEP_S;
    }
    expect_one("all_bounces_end", NULL, -1, last);
    expect_one("rotation", NULL, -1, vec3_length(vec3_sub(link_of(0)->turned.x, axis)));
    rows_expect_all(rows, is_measured);
}

/* ---------------------------------------------------------------- sliding */

/* Runs until the body stands; its place at two times is expected on the way. */
static double slide_to_stop(const double *times, int count, const char *quantity, int is_xz)
{
    struct vec3 from = place(0);
    for (int next = 0; vec3_length(velocity(0)) + vec3_length(link_of(0)->velocity.w) > 1e-3;) {
        struct vec3 before = place(0);
        step();
        for (; next < count && times[next] <= steps * STEP_S + 1e-9; next++) {
            struct vec3 way = vec3_sub(between(before, place(0), times[next]), from);
            if (is_xz)
                expect_xz(quantity, times[next], way);
            else
                expect_vector(quantity, NULL, times[next], way);
        }
    }
    return steps * STEP_S;
}

TEST(sliding_box_oblique)
{
    static const double times[] = {0.191131498470948, 0.382262996941896};
    open_case("sliding-box-oblique");
    start();
    struct vec3 from = place(0);
    double yaw = yaw_after(0);
    double stop = slide_to_stop(times, 2, "position_change", 0);
    struct vec3 way = vec3_sub(place(0), from);
    expect_one("stop_time", NULL, -1, stop);
    expect_one("distance", NULL, -1, vec3_length(way));
    expect_vector("stop_position_change", NULL, -1, way);
    expect_one("direction_angle", NULL, -1, atan2(way.z, way.x));
    expect_one("yaw_change", NULL, -1, yaw_after(yaw) - yaw);
    expect_one("friction_loss", NULL, -1, -dynamics_ledger(&dynamics->dynamics)->loss_friction_j);
    rows_expect_all(rows, is_measured);
}

TEST(spinning_box_friction)
{
    open_case("spinning-box-friction");
    start();
    struct vec3 from = place(0);
    double yaw = yaw_after(0), first = yaw;
    while (vec3_length(link_of(0)->velocity.w) > 1e-3) {
        step();
        yaw = yaw_after(yaw);
    }
    expect_one("stop_time", NULL, -1, steps * STEP_S);
    expect_one("angle_turned", NULL, -1, yaw - first);
    expect_one("centre_displacement", NULL, -1, vec3_length(vec3_sub(place(0), from)));
    expect_one("friction_loss", NULL, -1, -dynamics_ledger(&dynamics->dynamics)->loss_friction_j);
    rows_expect_all(rows, is_measured);
}

/* Normal forces of the feet, one box each. */
static void expect_loads(double t_s)
{
    const struct contact_point *points;
    double loads[3] = {0, 0, 0};
    int count = dynamics_contacts(&dynamics->dynamics, &points);
    for (int i = 0; i < count; i++)
        loads[points[i].part] += points[i].normal_impulse_n_s / STEP_S;
    expect("foot_loads", NULL, t_s, loads, 3);
}

TEST(tripod_slide_spin)
{
    static const double times[] = {0.1, 0.25, 0.5};
    open_case("tripod-slide-spin");
    start();
    struct vec3 from = place(0);
    double yaw = 0;
    for (int i = 0; i < 3; i++) {
        while (steps < lround(times[i] / STEP_S)) {
            step();
            yaw = yaw_after(yaw);
        }
        expect_xz("position_change_xz", times[i], vec3_sub(place(0), from));
        expect_xz("velocity_xz", times[i], velocity(0));
        expect_one("yaw", NULL, times[i], yaw);
        expect_one("yaw_rate", NULL, times[i], link_of(0)->velocity.w.y);
        expect_loads(times[i]);
    }
    while (vec3_length(velocity(0)) + vec3_length(link_of(0)->velocity.w) > 1e-3) {
        step();
        yaw = yaw_after(yaw);
    }
    expect_one("stop_time", NULL, -1, steps * STEP_S);
    expect_xz("stop_position_xz", -1, vec3_sub(place(0), from));
    expect_one("stop_yaw", NULL, -1, yaw);
    rows_expect_all(rows, is_measured);
}

/* Speed after 5 s from rest with this friction. */
static double rest_speed(double friction)
{
    scene.world.friction = friction;
    for (int k = 0; k < 6; k++)
        scene.qd[k] = 0;
    start();
    while (steps < 1200)
        step();
    return vec3_length(velocity(0));
}

TEST(incline_oblique)
{
    static const double times[] = {0.25, 0.5, 1};
    open_case("incline-oblique");
    start();
    struct vec3 from = place(0);
    for (int i = 0; i < 3; i++) {
        while (steps < lround(times[i] / STEP_S))
            step();
        expect_xz("position_change_xz", times[i], vec3_sub(place(0), from));
        expect_xz("velocity_xz", times[i], velocity(0));
    }
    /* the least friction that holds it, between one that does and one that does not */
    double limit = 0.4663076581549986, off = 1e-4;
    ck_assert_double_le(rest_speed(limit + off), 1e-6);
    ck_assert_double_ge(rest_speed(limit - off), 2e-3);
    expect_one("limit_friction_rest", NULL, -1, limit);
    rows_expect_all(rows, is_measured);
}

/* ---------------------------------------------------------------- tipping */

TEST(box_tipping_fall)
{
    open_case("box-tipping-fall");
    start();
    double start_j = dynamics_ledger(&dynamics->dynamics)->energy_start_j, before_j = 0;
    double speed = 0, last = 0,
           left = 0; /* the way to where it lies, at the start of the last step */
    while (dynamics_ledger(&dynamics->dynamics)->loss_impact_j < 0.1) {
        const struct ledger *l = dynamics_ledger(&dynamics->dynamics);
        last = speed;
        speed = vec3_length(link_of(0)->velocity.w);
        left = asin(link_of(0)->turned.y.y);
        before_j = l->kinetic_j + l->potential_j;
        step();
    }
    expect_one("fall_time", NULL, -1, (steps - 1) * STEP_S + left / speed);
    expect_one("omega_at_impact", NULL, -1, speed + (speed - last) / STEP_S * left / speed);
    expect_one("energy_before_impact_change", NULL, -1, before_j - start_j);
    rows_expect_all(rows, is_measured);
}

/* What the falling box has lost of its 2.6 J after 0.625 s, which slipping alone may take. */
static double loss_of_tipping(double dt_s)
{
    scene.world.friction = 1e6;
    scene.settings.dt_s = dt_s;
    start();
    for (long left = lround(0.625 / dt_s); left > 0; left--)
        step();
    const struct ledger *l = dynamics_ledger(&dynamics->dynamics);
    return l->energy_start_j - l->kinetic_j - l->potential_j;
}

/* The law holds for the velocities at the end of a step in the pose of its end: in the pose of the
 * middle the loss would be 0.35 mJ, and half of that with half the step. */
TEST(what_tips_errs_by_second_order)
{
    open_case("box-tipping-fall");
    double whole = loss_of_tipping(STEP_S), half = loss_of_tipping(STEP_S / 2);
    ck_assert_double_lt(whole, 1.5e-4);
    ck_assert_double_gt(half, 0);
    ck_assert_double_eq_tol(whole / half, 4, 0.4);
}

/* 1 if a box falls within 3 s where gravity leans by this, deg, towards a direction in the
 * plane. */
static int tips(double slope_deg, double direction_deg)
{
    double slope = slope_deg * acos(-1) / 180, way = direction_deg * acos(-1) / 180;
    scene.world.gravity_x_m_s2 = 9.81 * sin(slope) * cos(way);
    scene.world.gravity_m_s2 = 9.81 * cos(slope);
    scene.world.gravity_z_m_s2 = 9.81 * sin(slope) * sin(way);
    start();
    while (steps < 720)
        step();
    return link_of(0)->turned.y.y < 0.9;
}

TEST(box_tipping_threshold)
{
    open_case("box-tipping-threshold");
    for (int i = 0; i < 4; i++) {
        char of[16];
        snprintf(of, sizeof of, "%d", 30 * i);
        double low = 5, high = 60;
        while (high - low > 0.05) {
            double middle = (low + high) / 2;
            if (tips(middle, 30 * i))
                high = middle;
            else
                low = middle;
        }
        expect_one("critical_slope", of, -1, (low + high) / 2);
    }
    rows_expect_all(rows, is_measured);
}

/* How far the body is up after 0.1 s. */
static double lifted(double dt_s)
{
    scene.settings.dt_s = dt_s;
    start();
    for (long left = lround(0.1 / dt_s); left > 0; left--)
        step();
    return spatial_state_value(dynamics, 6);
}

/* A servo acts at the rates that the ground leaves: its spring's x = 0.1 m (1 - (1 + wt) e^-wt). At
 * those of a foot that falls freely this would err by 27 %, by first order. */
TEST(what_a_servo_lifts_errs_by_second_order)
{
    read_scene("servo-lift");
    double exact = 0.1 * (1 - 2 * exp(-1));
    double whole = lifted(STEP_S) / exact - 1, half = lifted(STEP_S / 2) / exact - 1;
    ck_assert_double_lt(fabs(whole), 0.02);
    ck_assert_double_eq_tol(whole / half, 4, 0.4);
}

/* As many tests as cases. */
TEST(all_cases_are_here)
{
    ck_assert_int_eq(json_object_size(cases), 11);
}

TALLY_SUITE("spatial_touching", 120, setup, NULL)
