/* Reference cases of bodies in space, as scenes: trees of boxes with every type of joint,
 * integrated by extrapolation with a mantissa of 64 bits and confirmed by absolute coordinates
 * with constraint forces, by closed forms (tops) and, for planar motions in a turned plane, by the
 * planar reference cases. The numbers are in space/cases.json, the scenes in space/scenes/. All
 * tolerances are absolute, per component.
 *
 *   rk4 fine     RK4 at 1/960 s, periods of tops at 1/3840 s    within tol_ref
 *   rk4          RK4 at 1/240 s                                 within tol_rk4
 *   midpoint     midpoint at 1/240 s                            within tol_midpoint; without one it
 *                                                               is too sensitive
 *   constraint   the reference solver, relative error 1e-13     within twice tol_ref: an unstable
 *                                                               spin loses to rounding what it
 *                                                               gains by accuracy
 *
 * tol_rk4 is three times the error of a plain RK4, and at least 1e-9; tol_midpoint six times the
 * largest error of an explicit midpoint in the case. Coordinates are allowed twice what the states
 * of links are: a quaternion errs by half an angle.
 *
 * With the argument --markdown the same is a table, a line for each case, for
 * docs/physics-space.md; that is part of `make accuracy`. Every number of cases.json must be
 * measured: none is left out in silence. */
#include <jansson.h>

#include "simulator/links/spatial_state.h"
#include "tests/documented.h"
#include "tests/scene_fixture.h"

#define FOLDER "tests/oracle/space/"
#define PAGE   "docs/physics-space.md"
#define PI     3.14159265358979323846

enum way { WAY_FINE, WAY_RK4, WAY_MIDPOINT, WAY_CONSTRAINT, WAY_COUNT };
static const char *const way_names[WAY_COUNT] = {"rk4 fine", "rk4", "midpoint", "constraint"};
static const char *const tolerance_names[WAY_COUNT] = {"tol_ref", "tol_rk4", "tol_midpoint",
                                                       "tol_ref"};

enum { VALUES_MAX = SCENE_COORDINATES_MAX };

/* What comes out of a run: of its numbers the one nearest to its tolerance, or beyond. */
struct outcome {
    int count, bad;
    double share, error, tolerance; /* of the worst */
    char worst[160];
};

static json_t *cases;

static const struct spatial_tree *tree(void)
{
    return spatial_state_tree(spatial_state_of(run));
}

/* ---------------------------------------------------------------- what is read */

static int put(double *values, struct vec3 v)
{
    values[0] = v.x;
    values[1] = v.y;
    values[2] = v.z;
    return 3;
}

static int put_quaternion(double *values, struct quaternion q)
{
    values[0] = q.w;
    values[1] = q.x;
    values[2] = q.y;
    values[3] = q.z;
    return 4;
}

/* The present value of a quantity; how many numbers it has, 0 if it is unknown. */
static int read_quantity(const char *name, int body, double *values)
{
    const struct spatial_tree_link *l = &tree()->links[body];
    const struct ledger *ledger = dynamics_ledger(run);
    struct vec3 linear, angular;
    const struct {
        const char *name;
        double value;
    } scalars[] = {
        {"kinetic_energy", ledger->kinetic_j},
        {"potential_energy", ledger->potential_j},
        {"work_of_servos", ledger->work_effector_j},
        {"work_of_joints", ledger->work_effector_j - ledger->loss_damping_j},
        {"work_of_drag", -ledger->loss_drag_j},
    };
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (strcmp(name, scalars[i].name) == 0) {
            values[0] = scalars[i].value;
            return 1;
        }
    if (strcmp(name, "centre") == 0)
        return put(values, spatial_tree_centre(l));
    if (strcmp(name, "velocity") == 0)
        return put(values, spatial_tree_centre_velocity(l));
    if (strcmp(name, "omega") == 0)
        return put(values, l->velocity.w);
    if (strcmp(name, "quaternion") == 0)
        return put_quaternion(values, quaternion_of(&l->turned));
    spatial_tree_momentum(tree(), &linear, &angular);
    if (strcmp(name, "momentum") == 0)
        return put(values, linear);
    if (strcmp(name, "angular_momentum") == 0)
        return put(values, angular);
    if (strcmp(name, "q") == 0) {
        memcpy(values, run->q, (size_t)tree()->coordinates * sizeof *values);
        return tree()->coordinates;
    }
    if (strcmp(name, "qd") == 0) {
        memcpy(values, run->qd, (size_t)tree()->rates * sizeof *values);
        return tree()->rates;
    }
    return 0;
}

/* Signs of quaternions among the values that are opposite to the expected ones are turned. */
static void match_signs(const char *name, double *values, const double *expected)
{
    int is_link = strcmp(name, "quaternion") == 0;
    for (int i = 0; i < scene.body_count; i++) {
        const struct spatial_tree_link *l = &tree()->links[i];
        int at = is_link ? 0 : l->coordinate + l->slides + l->joint->turns;
        double dot = 0;
        if (!is_link && (!l->joint->has_ball || strcmp(name, "q") != 0))
            continue;
        for (int k = 0; k < 4; k++)
            dot += values[at + k] * expected[at + k];
        for (int k = 0; k < 4 && dot < 0; k++)
            values[at + k] = -values[at + k];
        if (is_link)
            return;
    }
}

/* ---------------------------------------------------------------- times and angles of tops */

/* A quantity over the last steps, for interpolation by a polynomial through six points. */
enum { SAMPLES = 6 };
struct samples {
    double values[SAMPLES]; /* oldest first */
    int count;
};

static void add_sample(struct samples *s, double value)
{
    memmove(s->values, s->values + 1, (SAMPLES - 1) * sizeof s->values[0]);
    s->values[SAMPLES - 1] = value;
    s->count++;
}

/* At a place among the samples, 0 to 5 from the oldest one. */
static double interpolate(const struct samples *s, double at)
{
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double weight = 1;
        for (int k = 0; k < SAMPLES; k++)
            weight *= k == i ? 1 : (at - k) / (i - k);
        sum += weight * s->values[i];
    }
    return sum;
}

/* 1 if the value passes 0 in the middle of the samples, upwards or (sign -1) downwards; and
 * where. */
static int find_crossing(const struct samples *s, double sign, double *at)
{
    double low = 2, high = 3;
    if (s->count < SAMPLES || !(sign * s->values[2] < 0) || !(sign * s->values[3] >= 0))
        return 0;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (sign * interpolate(s, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    *at = high;
    return 1;
}

static double time_of(double at)
{
    return ((double)steps - (SAMPLES - 1) + at) * scene.settings.dt_s;
}

/* The time between two passages of the rate about the middle axis. */
static double find_period(void)
{
    struct samples rate = {.count = 0};
    double first = -1, at;
    for (;;) {
        run_steps(1);
        add_sample(&rate, run->qd[4]);
        if (!find_crossing(&rate, 1, &at))
            continue;
        if (first >= 0)
            return time_of(at) - first;
        first = time_of(at);
    }
}

/* Finds how the heavy top nods: its axis swings between two angles from the vertical, the low and
 * the high one. Also the period of that, and how far the top precesses in one. */
static void find_nutation(double *low, double *high, double *period, double *precession)
{
    struct samples height = {.count = 0}, speed = {.count = 0}, azimuth = {.count = 0};
    double at;
    *low = *high = acos(tree()->links[0].turned.x.y);
    struct vec3 start = tree()->links[0].turned.x;
    for (int crossings = 0; crossings < 2;) {
        run_steps(1);
        const struct spatial_tree_link *l = &tree()->links[0];
        struct vec3 axis = l->turned.x;
        add_sample(&height, axis.y);
        add_sample(&speed, vec3_cross(l->velocity.w, axis).y);
        add_sample(&azimuth, atan2(start.z, start.x) - atan2(axis.z, axis.x));
        double sign = crossings == 0 ? 1 : -1;
        if (!find_crossing(&speed, sign, &at))
            continue;
        *(crossings == 0 ? high : low) = acos(interpolate(&height, at));
        *period = time_of(at);
        *precession = fabs(interpolate(&azimuth, at));
        crossings++;
    }
}

/* How far body 0 has turned since the start. */
static double find_turn(double until_s)
{
    struct mat3 start = tree()->links[0].turned;
    run_to(until_s);
    struct mat3 now = tree()->links[0].turned;
    double trace = vec3_dot(start.x, now.x) + vec3_dot(start.y, now.y) + vec3_dot(start.z, now.z);
    return acos((trace - 1) / 2);
}

/* Quantities that are not read at a time; 0 if the name is unknown. */
static int measure_special(const char *name, double *value)
{
    double low, high, period, precession;
    if (strcmp(name, "period_of_body_rates") == 0) {
        *value = find_period();
        return 1;
    }
    if (strcmp(name, "rotation_angle_after_one_cycle") == 0) {
        *value = find_turn(1);
        return 1;
    }
    const struct {
        const char *name;
        double *value;
        double unit;
    } of_top[] = {{"theta_min_deg", &low, 180 / PI},
                  {"theta_max_deg", &high, 180 / PI},
                  {"nutation_period", &period, 1},
                  {"precession_per_nutation", &precession, 1}};
    for (size_t i = 0; i < sizeof of_top / sizeof of_top[0]; i++)
        if (strcmp(name, of_top[i].name) == 0) {
            find_nutation(&low, &high, &period, &precession);
            *value = *of_top[i].value * of_top[i].unit;
            return 1;
        }
    return 0;
}

/* ---------------------------------------------------------------- runs */

/* The reference solver chooses its own steps, but is looked at as often as it is asked to. */
static void start_run(enum way way, double fine_dt_s)
{
    double reference_dt_s = fine_dt_s < 1.0 / 960 ? fine_dt_s : 1.0 / 240;
    scene.settings.solver = way == WAY_CONSTRAINT ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
    scene.settings.rtol = 1e-13;
    scene.settings.integrator = way == WAY_MIDPOINT ? INTEGRATOR_MIDPOINT : INTEGRATOR_RK4;
    scene.settings.dt_s = way == WAY_FINE         ? fine_dt_s
                          : way == WAY_CONSTRAINT ? reference_dt_s
                                                  : 1.0 / 240;
    start_scene();
}

/* Compares a row; what is not a number is bad. */
static void judge(struct outcome *o, const char *name, int body, double t_s, const double *values,
                  const double *expected, int count, double tolerance)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double off = fabs(values[i] - expected[i]);
        most = off <= most ? most : off;
    }
    double share = most / tolerance;
    o->count++;
    o->bad += !(most <= tolerance);
    if (share <= o->share)
        return;
    o->share = share;
    o->error = most;
    o->tolerance = tolerance;
    snprintf(o->worst, sizeof o->worst, "%s of body %d at %g s: off by %.2e, allowed %.2e", name,
             body, t_s, most, tolerance);
}

static void measure_row(enum way way, json_t *row, struct outcome *o)
{
    const char *name = json_string_value(json_object_get(row, "quantity"));
    json_t *list = json_object_get(row, "value"), *time = json_object_get(row, "t_s");
    double tolerance = json_number_value(json_object_get(row, tolerance_names[way]));
    int body = (int)json_integer_value(json_object_get(row, "body"));
    int count = (int)json_array_size(list), found;
    double values[VALUES_MAX], expected[VALUES_MAX], t_s = json_number_value(time);
    if (tolerance <= 0)
        return;
    tolerance *= way == WAY_CONSTRAINT ? 2 : 1;
    for (int i = 0; i < count; i++)
        expected[i] = json_number_value(json_array_get(list, (size_t)i));
    if (time) {
        if (lround(t_s / scene.settings.dt_s) < steps)
            start_run(way, 1.0 / 960);
        run_to(t_s);
        found = read_quantity(name, body, values);
        if (found == count)
            match_signs(name, values, expected);
    } else {
        start_run(way, 1.0 / 3840);
        found = measure_special(name, values);
        start_run(way, 1.0 / 960);
    }
    ck_assert_msg(found == count, "%s has another number of values", name);
    judge(o, name, body, t_s, values, expected, count, tolerance);
}

static struct outcome measure(const char *name, enum way way)
{
    struct outcome outcome = {.share = -1};
    json_t *rows = json_object_get(cases, name), *row;
    size_t i;
    ck_ok(scene_read_file(&scene, printed(FOLDER "scenes/%s.json", name), &error));
    start_run(way, 1.0 / 960);
    json_array_foreach(rows, i, row) measure_row(way, row, &outcome);
    return outcome;
}

static const char *case_name(int i)
{
    void *at = json_object_iter(cases);
    while (i-- > 0)
        at = json_object_iter_next(cases, at);
    return json_object_iter_key(at);
}

TEST_LOOP(oracle_case, 0, 0) /* main() has counted the cases */
{
    const char *name = case_name(_i);
    double documented[WAY_COUNT] = {INFINITY}; /* the table has no column of WAY_FINE */
    documented_shares(PAGE, name, documented + WAY_RK4, WAY_COUNT - WAY_RK4);
    /* where checks are dear the reference would take a minute; test_spatial_constraint.c has it
     * there */
    int count = CHECKS_ARE_DEAR ? WAY_CONSTRAINT : WAY_COUNT;
    for (int way = 0; way < count; way++) {
        struct outcome o = measure(name, (enum way)way);
        ck_assert_int_gt(o.count, 0);
        ck_assert_msg(documented[way] >= 0 && o.share <= 10 * documented[way] + 0.01,
                      "%s: %s, %s has an error of %.1e of what is allowed now (make accuracy)",
                      PAGE, name, way_names[way], o.share);
        ck_assert_msg(o.bad == 0, "%s, %s: %d of %d are wrong, first %s", name, way_names[way],
                      o.bad, o.count, o.worst);
    }
}

START_TEST(print_markdown)
{
    scene_set_up();
    int bad = 0;
    printf("| case | RK4 | midpoint | constraint |\n|---|---|---|---|\n");
    for (int i = 0; i < (int)json_object_size(cases); i++) {
        const char *name = case_name(i);
        printf("| %s |", name);
        for (int way = WAY_RK4; way < WAY_COUNT; way++) {
            struct outcome o = measure(name, (enum way)way);
            printf(" %.0e/%.0e |", o.error, o.tolerance);
            bad += o.bad;
            if (o.bad)
                fprintf(stderr, "%s, %s: %d of %d are wrong, first %s\n", name, way_names[way],
                        o.bad, o.count, o.worst);
        }
        printf("\n");
    }
    ck_assert_int_eq(bad, 0);
}

int main(int argc, char **argv)
{
    json_error_t fault;
    cases = json_load_file(FOLDER "cases.json", JSON_REJECT_DUPLICATES, &fault);
    if (!cases) {
        fprintf(stderr, "cases.json: %s\n", fault.text);
        return EXIT_FAILURE;
    }
    defined_tests->high = (int)json_object_size(cases);
    int result = argc > 1 && strcmp(argv[1], "--markdown") == 0
                     ? run_only(print_markdown, 600)
                     : run_defined_tests("space", 240, scene_set_up, NULL);
    json_decref(cases);
    return result;
}
