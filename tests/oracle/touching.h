/* Reference cases of boxes in space that touch: the rows of space/touching.json, the scenes, and
 * what the tests of both solvers measure in the same way. */
#ifndef TESTS_ORACLE_TOUCHING_H
#define TESTS_ORACLE_TOUCHING_H

#include "simulator/links/spatial_state.h"
#include "tests/oracle/rows.h"
#include "tests/scene_fixture.h"
#include "tests/tally.h"

#define FOLDER "tests/oracle/space/"
#define PI     3.14159265358979323846
#define STEP_S (1.0 / 240)

enum { ROWS_MAX = 64 };

/* All cases; the rows of the one that is open, and which of them were measured. */
static json_t *touching, *rows;
static int is_measured[ROWS_MAX];
static const char *tolerance_key; /* of the rows */

/* ---------------------------------------------------------------- rows */

static inline void open_rows(const char *name, json_t *list)
{
    rows = list;
    tally_open(name);
    ck_assert_msg(json_array_size(rows) > 0 && json_array_size(rows) <= ROWS_MAX, "%s", name);
    memset(is_measured, 0, sizeof is_measured);
}

/* Compares with the row of that number. */
static inline void judge(size_t at, const double *values, int count)
{
    const json_t *row = json_array_get(rows, at);
    double expected[4], tolerance = number(row, tolerance_key), worst = 0;
    ck_assert_int_eq(numbers(row, "value", expected, 4), count);
    is_measured[at] = 1;
    for (int k = 0; k < count; k++)
        worst = fmax(worst, fabs(values[k] - expected[k]));
    tally_number(worst, tolerance);
    for (int k = 0; k < count; k++)
        ck_assert_msg(fabs(values[k] - expected[k]) <= tolerance,
                      "%s %s%s at %g s, number %d: %.12g instead of %.12g, within %g",
                      word(row, "quantity"), word(row, "of"), word(row, "axis"), number(row, "t_s"),
                      k, values[k], expected[k], tolerance);
}

/* The row of that quantity and, unless NULL or below 0, of that subject and time. */
static inline void expect(const char *quantity, const char *of, double t_s, const double *values,
                          int count)
{
    int found = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (strcmp(word(row, "quantity"), quantity) != 0 ||
            (of && strcmp(word(row, "of"), of) != 0) ||
            (t_s >= 0 && fabs(number(row, "t_s") - t_s) > 1e-9))
            continue;
        judge(i, values, count);
        found++;
    }
    ck_assert_msg(found == 1, "%d rows of %s %s", found, quantity, of ? of : "");
}

static inline void expect_one(const char *quantity, const char *of, double t_s, double value)
{
    expect(quantity, of, t_s, &value, 1);
}

static inline void expect_vector(const char *quantity, const char *of, double t_s, struct vec3 v)
{
    expect(quantity, of, t_s, (double[]){v.x, v.y, v.z}, 3);
}

static inline void expect_xz(const char *quantity, double t_s, struct vec3 v)
{
    expect(quantity, NULL, t_s, (double[]){v.x, v.z}, 2);
}

/* ---------------------------------------------------------------- scenes */

static inline void read_scene(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "touching/%s.json", name);
    ck_ok(scene_read_file(&scene, path, &error));
}

static inline const struct spatial_tree *tree(void)
{
    return spatial_state_tree(spatial_state_of(run));
}

static inline const struct spatial_tree_link *link_of(int body)
{
    return &tree()->links[body];
}

static inline struct vec3 place(int body)
{
    return spatial_tree_centre(link_of(body));
}

static inline struct vec3 velocity(int body)
{
    return spatial_tree_centre_velocity(link_of(body));
}

static inline struct vec3 rate(int body)
{
    return link_of(body)->velocity.w;
}

/* Of the first body, m/s and rad/s. */
static inline double speeds(void)
{
    return vec3_length(velocity(0)) + vec3_length(rate(0));
}

static inline double kinetic(void)
{
    return dynamics_ledger(run)->kinetic_j;
}

/* The turn of the first body about the vertical, from its x axis. It is never wrapped if this is
 * called in every step. */
static inline double yaw_after(double before)
{
    struct vec3 axis = link_of(0)->turned.x;
    double yaw = atan2(-axis.z, axis.x);
    return yaw + 2 * PI * floor((before - yaw) / (2 * PI) + 0.5);
}

/* ---------------------------------------------------------------- measures of both solvers */

static const struct {
    const char *name;
    double friction, elasticity;
} box_impacts[] = {{"frictionless, e 0.0", 0, 0},    {"frictionless, e 0.5", 0, 0.5},
                   {"sticking, e 0.0", 1e4, 0},      {"sticking, e 0.5", 1e4, 0.5},
                   {"coulomb_mu0.2, e 0.0", 0.2, 0}, {"coulomb_mu0.2, e 0.5", 0.2, 0.5}};
enum { BOX_IMPACTS = sizeof box_impacts / sizeof box_impacts[0] };

/* After a box has struck. */
static inline void expect_box_impact(const char *of, struct vec3 impulse)
{
    expect_vector("impulse", of, -1, impulse);
    expect_vector("velocity_after", of, -1, velocity(0));
    expect_vector("omega_after_world", of, -1, rate(0));
}

/* After an edge has struck an edge. */
static inline void expect_edge_impact(const char *of)
{
    expect_one("impulse", of, -1, vec3_length(velocity(0)) * scene.links[0].mass_kg);
    expect_vector("velocity_after_a", of, -1, velocity(0));
    expect_vector("velocity_after_b", of, -1, velocity(1));
    expect_vector("omega_after_a", of, -1, rate(0));
    expect_vector("omega_after_b", of, -1, rate(1));
}

/* A box that slid from a place and stands. */
static inline void expect_slide(struct vec3 from, double stop_s, double yaw_change, double loss_j)
{
    struct vec3 way = vec3_sub(place(0), from);
    expect_one("stop_time", NULL, -1, stop_s);
    expect_one("distance", NULL, -1, vec3_length(way));
    expect_vector("stop_position_change", NULL, -1, way);
    expect_one("direction_angle", NULL, -1, atan2(way.z, way.x));
    expect_one("yaw_change", NULL, -1, yaw_change);
    expect_one("friction_loss", NULL, -1, -loss_j);
}

/* A box that spun and stands. */
static inline void expect_spin(struct vec3 from, double stop_s, double angle_rad, double loss_j)
{
    expect_one("stop_time", NULL, -1, stop_s);
    expect_one("angle_turned", NULL, -1, angle_rad);
    expect_one("centre_displacement", NULL, -1, vec3_length(vec3_sub(place(0), from)));
    expect_one("friction_loss", NULL, -1, -loss_j);
}

/* A body on its way along the ground. */
static inline void expect_way(struct vec3 from, double t_s)
{
    expect_xz("position_change_xz", t_s, vec3_sub(place(0), from));
    expect_xz("velocity_xz", t_s, velocity(0));
}

/* Normal forces of the feet, one box each, in the last step. */
static inline void expect_loads(double t_s, double step_s)
{
    const struct contact_point *points;
    double loads[3] = {0, 0, 0};
    int count = dynamics_contacts(run, &points);
    for (int i = 0; i < count; i++)
        loads[points[i].part] += points[i].normal_impulse_n_s / step_s;
    expect("foot_loads", NULL, t_s, loads, 3);
}

/* Gravity that leans by this, deg, towards a direction in the plane. */
static inline void lean_gravity(double slope_deg, double direction_deg)
{
    double slope = slope_deg * PI / 180, way = direction_deg * PI / 180;
    scene.world.gravity_x_m_s2 = 9.81 * sin(slope) * cos(way);
    scene.world.gravity_m_s2 = 9.81 * cos(slope);
    scene.world.gravity_z_m_s2 = 9.81 * sin(slope) * sin(way);
}

/* The slopes at which a box tips, to that resolution, deg. */
static inline void expect_thresholds(int (*tips)(void), double resolution_deg)
{
    for (int i = 0; i < 4; i++) {
        char of[16];
        snprintf(of, sizeof of, "%d", 30 * i);
        double low = 5, high = 60;
        while (high - low > resolution_deg) {
            double middle = (low + high) / 2;
            lean_gravity(middle, 30 * i);
            *(tips() ? &high : &low) = middle;
        }
        expect_one("critical_slope", of, -1, (low + high) / 2);
    }
}

#endif
