/* Reference cases of boxes in space that touch, as scenes, at 240 Hz: impacts, boxes that slide,
 * spin, tip, fall and bounce. The numbers come from closed forms, quadrature or integration with
 * 25 to 40 digits; they are in space/touching.json, the scenes in space/touching/. All tolerances
 * are absolute. Every row must be measured: none is left out in silence. What presses and does not
 * slide moves to second order of the step.
 *
 * With the argument --markdown: a line for each case, for `make oracle`. */
#include "tests/oracle/touching.h"

static void setup(void)
{
    rows_load(&touching, FOLDER "touching.json");
    tolerance_key = "tol";
    scene_set_up();
}

static void open_case(const char *name)
{
    open_rows(name, json_object_get(touching, name));
    read_scene(name);
}

static void step(void)
{
    run_steps(1);
    ck_assert_double_le(spatial_state_of(run)->law_residual, 1e-5);
}

static void step_to(double time_s)
{
    while (steps < lround(time_s / STEP_S))
        step();
}

/* Between the last step and the one before it, at a time. */
static struct vec3 between(struct vec3 before, struct vec3 now, double t_s)
{
    double share = t_s / STEP_S - (double)(steps - 1);
    return vec3_along(before, vec3_sub(now, before), share);
}

/* ---------------------------------------------------------------- impacts */

/* Three steps, with an impact in the last. */
static struct vec3 collide(double elasticity, double friction)
{
    scene.world.elasticity = scene.world.own_elasticity = elasticity;
    scene.world.friction = friction;
    start_scene();
    for (int i = 0; i < 3; i++)
        step();
    ck_assert(spatial_state_of(run)->is_given);
    return spatial_state_of(run)->given.linear;
}

TEST_LOOP(boxes_strike_the_ground, 0, 3)
{
    static const char *const names[] = {"box-impact-flat", "box-impact-edge", "box-impact-corner"};
    open_case(names[_i]);
    for (int k = 0; k < BOX_IMPACTS; k++) {
        const char *of = box_impacts[k].name;
        expect_box_impact(of, collide(box_impacts[k].elasticity, box_impacts[k].friction));
        double after = kinetic();
        start_scene();
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
        expect_edge_impact(of);
        start_scene();
        expect_one("energy_change", of, -1, after - kinetic());
    }
    rows_expect_all(rows, is_measured);
}

TEST(bouncing_box)
{
    static const char *const counts[] = {"0", "1", "2", "3", "4", "5"};
    open_case("bouncing-box");
    start_scene();
    double before = 0, highest = 0, last = 0, floor_m = 0.1;
    int bounces = 0;
    struct vec3 axis = link_of(0)->turned.x;
    while (time_now() < 2) {
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
            last = time_now();
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
    for (int next = 0; speeds() > 1e-3;) {
        struct vec3 before = place(0);
        step();
        for (; next < count && times[next] <= time_now() + 1e-9; next++) {
            struct vec3 way = vec3_sub(between(before, place(0), times[next]), from);
            if (is_xz)
                expect_xz(quantity, times[next], way);
            else
                expect_vector(quantity, NULL, times[next], way);
        }
    }
    return time_now();
}

TEST(sliding_box_oblique)
{
    static const double times[] = {0.191131498470948, 0.382262996941896};
    open_case("sliding-box-oblique");
    start_scene();
    struct vec3 from = place(0);
    double yaw = yaw_after(0);
    double stop = slide_to_stop(times, 2, "position_change", 0);
    expect_slide(from, stop, yaw_after(yaw) - yaw, dynamics_ledger(run)->loss_friction_j);
    rows_expect_all(rows, is_measured);
}

TEST(spinning_box_friction)
{
    open_case("spinning-box-friction");
    start_scene();
    struct vec3 from = place(0);
    double yaw = yaw_after(0), first = yaw;
    while (vec3_length(rate(0)) > 1e-3) {
        step();
        yaw = yaw_after(yaw);
    }
    expect_spin(from, time_now(), yaw - first, dynamics_ledger(run)->loss_friction_j);
    rows_expect_all(rows, is_measured);
}

TEST(tripod_slide_spin)
{
    static const double times[] = {0.1, 0.25, 0.5};
    open_case("tripod-slide-spin");
    start_scene();
    struct vec3 from = place(0);
    double yaw = 0;
    for (int i = 0; i < 3; i++) {
        while (steps < lround(times[i] / STEP_S)) {
            step();
            yaw = yaw_after(yaw);
        }
        expect_way(from, times[i]);
        expect_one("yaw", NULL, times[i], yaw);
        expect_one("yaw_rate", NULL, times[i], rate(0).y);
        expect_loads(times[i], STEP_S);
    }
    while (speeds() > 1e-3) {
        step();
        yaw = yaw_after(yaw);
    }
    expect_one("stop_time", NULL, -1, time_now());
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
    start_scene();
    step_to(5);
    return vec3_length(velocity(0));
}

TEST(incline_oblique)
{
    static const double times[] = {0.25, 0.5, 1};
    open_case("incline-oblique");
    start_scene();
    struct vec3 from = place(0);
    for (int i = 0; i < 3; i++) {
        step_to(times[i]);
        expect_way(from, times[i]);
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
    start_scene();
    double start_j = dynamics_ledger(run)->energy_start_j, before_j = 0;
    double speed = 0, last = 0,
           left = 0; /* the way to where it lies, at the start of the last step */
    while (dynamics_ledger(run)->loss_impact_j < 0.1) {
        const struct ledger *l = dynamics_ledger(run);
        last = speed;
        speed = vec3_length(rate(0));
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
    start_scene();
    for (long left = lround(0.625 / dt_s); left > 0; left--)
        step();
    const struct ledger *l = dynamics_ledger(run);
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

/* 1 if the box falls within 3 s. */
static int tips(void)
{
    start_scene();
    step_to(3);
    return link_of(0)->turned.y.y < 0.9;
}

TEST(box_tipping_threshold)
{
    open_case("box-tipping-threshold");
    expect_thresholds(tips, 0.05);
    rows_expect_all(rows, is_measured);
}

/* How far the body is up after 0.1 s. */
static double lifted(double dt_s)
{
    scene.settings.dt_s = dt_s;
    start_scene();
    for (long left = lround(0.1 / dt_s); left > 0; left--)
        step();
    return spatial_state_value(spatial_state_of(run), 6);
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
    ck_assert_int_eq(json_object_size(touching), 11);
}

TALLY_SUITE("spatial_touching", 120, setup, NULL)
