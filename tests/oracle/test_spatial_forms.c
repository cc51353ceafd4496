/* Closed forms for bodies in space: the kinematics of every type of joint, readings of balls,
 * limits of joints, and drag. The numbers, worked out with 25 to 40 digits, are in
 * space/closed-forms.json; tolerances are absolute, per component: tol_ref where no step is taken,
 * tol_engine else, at 1/240 s. Every number must be measured.
 *
 * With the argument --markdown: a line for each case, for `make oracle`. */

#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/oracle/rows.h"
#include "tests/oracle/limits.h"
#include "tests/plain_fixture.h"
#include "tests/tally.h"

#define NUMBERS "tests/oracle/space/closed-forms.json"
#define STEP    (1.0 / 240)

enum { VALUES_MAX = 8, RATES_MAX = 6 };

static json_t *cases;

static void setup(void)
{
    rows_load(&cases, NUMBERS);
    arena_open(1u << 20);
}

/* ---------------------------------------------------------------- rows */

static struct vec3 vector(json_t *row, const char *key)
{
    double v[VALUES_MAX] = {0};
    numbers(row, key, v, VALUES_MAX);
    return (struct vec3){v[0], v[1], v[2]};
}

static struct quaternion quaternion(json_t *row, const char *key)
{
    double v[VALUES_MAX] = {1};
    numbers(row, key, v, VALUES_MAX);
    return (struct quaternion){v[0], v[1], v[2], v[3]};
}

static void check_row(json_t *row, const double *values, const char *tolerance)
{
    double expected[VALUES_MAX];
    int count = numbers(row, "value", expected, VALUES_MAX);
    double worst = 0;
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(values[i] - expected[i]));
    tally_number(worst, number(row, tolerance));
    for (int i = 0; i < count; i++)
        ck_assert_msg(fabs(values[i] - expected[i]) <= number(row, tolerance),
                      "%s %s[%d]: %.15g instead of %.15g +- %.1e", word(row, "quantity"),
                      word(row, "joint"), i, values[i], expected[i], number(row, tolerance));
}

static void check_vector(json_t *row, struct vec3 v, const char *tolerance)
{
    check_row(row, (double[]){v.x, v.y, v.z}, tolerance);
}

/* The sign is the one of the expected one. */
static void check_quaternion(json_t *row, struct quaternion q, const char *tolerance)
{
    struct quaternion e = quaternion(row, "value");
    double sign = e.w * q.w + e.x * q.x + e.y * q.y + e.z * q.z < 0 ? -1 : 1;
    check_row(row, (double[]){sign * q.w, sign * q.x, sign * q.y, sign * q.z}, tolerance);
}

#define EACH_ROW(case_name, row)                                                                   \
    size_t row##_at;                                                                               \
    json_t *row, *row##_list = json_object_get(cases, case_name);                                  \
    ck_assert_int_gt((int)json_array_size(row##_list), 0);                                         \
    tally_open(case_name);                                                                         \
    json_array_foreach(row##_list, row##_at, row)

static int is(json_t *row, const char *quantity)
{
    return strcmp(word(row, "quantity"), quantity) == 0;
}

/* ---------------------------------------------------------------- one link */

static struct spatial_state *start(const struct body_link *link, const struct body_box *box,
                                   const struct spatial_world *world, const double *q,
                                   const double *qd)
{
    struct body body = {.links = (struct body_link *)link,
                        .link_count = 1,
                        .boxes = (struct body_box *)box,
                        .box_count = box != NULL};
    struct dynamics_settings settings = {.dt_s = STEP, .integrator = INTEGRATOR_AUTO};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, world, &settings, &arena);
    ck_assert_ptr_nonnull(d);
    dynamics_set_state(&d->dynamics, q, qd);
    return d;
}

/* ---------------------------------------------------------------- kinematics */

/* A child on the world; accelerations are those of a joint that does not accelerate. */
TEST(joint_kinematics)
{
    const struct vec3 point = {0.3, 0.1, -0.2};
    EACH_ROW("joint-kinematics", row)
    {
        double q[VALUES_MAX], qd[VALUES_MAX], zero[RATES_MAX] = {0}, qdd[RATES_MAX];
        enum link_joint kind = joint_of(word(row, "joint"));
        struct body_link link = link_with(-1, kind, 1, (struct sym3){1, 0, 0, 1, 0, 1});
        link.joint = (struct vec3){0.5, 0.2, -0.1};
        link.frame = (struct quaternion){0.8, 0.4, -0.2, 0.4};
        struct spatial_tree tree;
        arena_reset(&arena);
        ck_assert_int_eq(spatial_tree_create(&tree, &link, 1, (struct vec3){0, 0, 0}, &arena), 0);
        ck_assert_int_eq(numbers(row, "q", q, VALUES_MAX), tree.coordinates);
        ck_assert_int_eq(numbers(row, "qd", qd, VALUES_MAX), tree.rates);
        for (int i = 0; i < tree.rates; i++)
            tree.is_driven[i] = 1;
        spatial_tree_set_pose(&tree, q);
        spatial_tree_set_velocity(&tree, qd);
        spatial_tree_factor(&tree, zero, 0);
        spatial_tree_accelerate(&tree, zero, qdd);
        const struct spatial_tree_link *l = &tree.links[0];
        struct vec3 r = mat3_apply(&l->turned, point), w = l->velocity.w;
        struct vec3 swept = vec3_cross(w, r);
        struct vec3 bent = vec3_add(vec3_cross(l->acceleration.w, r), vec3_cross(w, swept));
        if (is(row, "quaternion")) {
            struct mat3 m = quaternion_matrix(quaternion(row, "value"));
            ck_assert_double_le(vec3_length(vec3_sub(m.x, l->turned.x)), 4e-11);
            ck_assert_double_le(vec3_length(vec3_sub(m.y, l->turned.y)), 4e-11);
        } else if (is(row, "point")) {
            check_vector(row, vec3_add(l->at, r), "tol_ref");
        } else if (is(row, "omega")) {
            check_vector(row, w, "tol_ref");
        } else if (is(row, "point_velocity")) {
            check_vector(row, vec3_add(l->velocity.v, swept), "tol_ref");
        } else {
            ck_assert(is(row, "point_acceleration_qdd0"));
            check_vector(row, vec3_add(l->acceleration.v, bent), "tol_ref");
        }
    }
}

TEST(readings)
{
    EACH_ROW("sensors-3d", row)
    {
        struct quaternion q = quaternion(row, "quaternion");
        if (is(row, "swing")) {
            check_row(row, (double[]){joint_swing(q)}, "tol_ref");
        } else if (is(row, "twist")) {
            check_row(row, (double[]){joint_twist(q)}, "tol_ref");
        } else if (is(row, "rotation_vector")) {
            check_vector(row, quaternion_log(q), "tol_ref");
        } else {
            ck_assert(is(row, "light_direction_in_part_axes"));
            struct mat3 r = quaternion_matrix(quaternion_normalised(q));
            struct vec3 way = vec3_sub(vector(row, "light"), vector(row, "part_centre"));
            way = vec3_scale(way, 1 / vec3_length(way));
            check_vector(row, mat3_back(&r, way), "tol_ref");
        }
    }
}

/* Gradients of swing and twist against differences. */
TEST(gradients)
{
    const double h = 1e-6;
    for (int i = 0; i < 50; i++) {
        struct quaternion q = quaternion_exp(
            (struct vec3){0.9 * sin(i), 1.1 * sin(2.0 * i + 1), 0.8 * sin(3.0 * i + 2)});
        struct vec3 swing = joint_swing_gradient(q), twist = joint_twist_gradient(q);
        const double s[3] = {swing.x, swing.y, swing.z}, t[3] = {twist.x, twist.y, twist.z};
        for (int k = 0; k < 3; k++) {
            struct vec3 turn = {k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0};
            struct quaternion up = quaternion_product(q, quaternion_exp(turn));
            struct quaternion down = quaternion_product(q, quaternion_exp(vec3_negated(turn)));
            ck_assert_double_eq_tol(s[k], (joint_swing(up) - joint_swing(down)) / (2 * h), 1e-7);
            ck_assert_double_eq_tol(t[k], (joint_twist(up) - joint_twist(down)) / (2 * h), 1e-7);
        }
    }
}

/* ---------------------------------------------------------------- limits */

static const struct spatial_world nowhere = {.gravity_m_s2 = {0, 0, 0}};

/* What happens at a limit. */
struct stop {
    double time_s, energy_j;   /* of the stop, and before */
    struct vec3 before, after; /* rates, world; `after` when the limit holds */
    struct quaternion at;
};

static struct quaternion ball_of(const struct spatial_state *d)
{
    const double *q = d->q;
    return (struct quaternion){q[0], q[1], q[2], q[3]};
}

static struct vec3 rate_of(struct spatial_state *d)
{
    return spatial_state_tree(d)->links[0].velocity.w;
}

/* Until a limit has taken energy; the instant is where the free rotation about a fixed axis passes
 * it. */
static struct stop run_to_limit(struct spatial_state *d,
                                double (*gap)(const struct spatial_state *))
{
    struct stop stop = {.energy_j = dynamics_ledger(&d->dynamics)->kinetic_j};
    for (int i = 0; i < 2400; i++) {
        double before = gap(d);
        stop.before = rate_of(d);
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
        ck_assert_double_ge(gap(d), -1e-3);
        if (dynamics_ledger(&d->dynamics)->loss_limit_j < 0.01 * stop.energy_j)
            continue;
        double rate = (before - gap(d)) / STEP;
        stop.time_s = (i + 1) * STEP - (gap(d) > 0 ? 0 : STEP - before / (rate > 0 ? rate : 1));
        stop.time_s = stop.time_s < i * STEP ? i * STEP : stop.time_s;
        stop.at = ball_of(d);
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
        stop.after = rate_of(d);
        return stop;
    }
    ck_abort_msg("nothing stops");
}

static const struct body_link *limited;

static double cone_gap(const struct spatial_state *d)
{
    return limited->cone_rad - joint_swing(ball_of(d));
}

static double twist_gap(const struct spatial_state *d)
{
    return limited->upper[0] - joint_twist(ball_of(d));
}

static double angle_gap(const struct spatial_state *d)
{
    return limited->upper[0] - d->q[0];
}

/* The case's rows, for a ball at its limit. */
static void check_ball(const char *name, struct spatial_state *d,
                       double (*gap)(const struct spatial_state *))
{
    double start_j = dynamics_ledger(&d->dynamics)->kinetic_j;
    struct stop stop = run_to_limit(d, gap);
    double lost_j = dynamics_ledger(&d->dynamics)->loss_limit_j;
    double time_s = stop.time_s;
    int step = (int)lround(ceil(stop.time_s / STEP)) + 1;
    EACH_ROW(name, row)
    {
        double after_s = number(row, "after_s");
        for (; after_s > 0 && step * STEP < time_s + after_s - STEP / 2; step++)
            ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
        ck_assert_double_ge(gap(d), -1e-3);
        if (is(row, "time_to_cone") || is(row, "time_to_limit"))
            check_row(row, &time_s, "tol_engine");
        else if (is(row, "quaternion_at_cone"))
            check_quaternion(row, stop.at, "tol_engine");
        else if (is(row, "omega_after_world"))
            check_vector(row, stop.after, "tol_engine");
        else if (is(row, "energy_loss_share"))
            check_row(row, (double[]){lost_j / start_j}, "tol_engine");
        else if (is(row, "energy_loss"))
            check_row(row, &lost_j, "tol_engine");
        else if (is(row, "quaternion_after"))
            check_quaternion(row, ball_of(d), "tol_engine");
        else if (is(row, "omega_world"))
            check_vector(row, rate_of(d), "tol_engine");
        else
            ck_abort_msg("%s: not measured", word(row, "quantity"));
    }
}

TEST_LOOP(balls_at_their_limits, 0, BALL_CASES)
{
    const struct ball_case *c = &ball_cases[_i];
    struct body_link link = ball_link(c);
    struct vec3 w = ball_rate(c);
    limited = &link;
    check_ball(c->name,
               start(&link, NULL, &nowhere, (double[]){c->q.w, c->q.x, c->q.y, c->q.z},
                     (double[]){w.x, w.y, w.z}),
               c->twist_rad > 0 ? twist_gap : cone_gap);
}

TEST(hinge_limit)
{
    struct body_link link = hinge_link();
    limited = &link;
    struct spatial_state *d = start(&link, NULL, &nowhere, link.lower, (double[]){0});
    spatial_state_set_servo(d, 0, &hinge_drive);
    double before = 0, inertia = link.inertia.zz, rate = 0;
    int step = 0;
    for (; dynamics_ledger(&d->dynamics)->loss_limit_j == 0 && step < 2400; step++) {
        before = angle_gap(d);
        rate = d->qd[0];
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
    }
    double time_s = (step - 1) * STEP + before / rate;
    double at_stop = rate + 0.5 / inertia * (before / rate);
    for (int i = 0; i < 240; i++)
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
    ck_assert_double_ge(angle_gap(d), -1e-3);
    EACH_ROW("hinge-limit-oblique-axis", row)
    {
        const struct {
            const char *name;
            double value;
        } values[] = {{"inertia_about_axis", inertia},
                      {"time_to_stop", time_s},
                      {"omega_at_stop", at_stop},
                      {"angle_after", d->q[0]},
                      {"energy_loss", dynamics_ledger(&d->dynamics)->loss_limit_j},
                      {"hinge_torque_across_axis_just_before_stop", hinge_bend(at_stop, inertia)}};
        size_t i = 0, count = sizeof values / sizeof values[0];
        while (i < count && !is(row, values[i].name))
            i++;
        ck_assert_msg(i < count, "%s: not measured", word(row, "quantity"));
        check_row(row, &values[i].value, "tol_engine");
    }
}

/* ---------------------------------------------------------------- drag */

static struct spatial_wrench wrench_of(const struct spatial_tensor *t, struct vec3 v, struct vec3 w)
{
    struct vec3 n = vec3_add(sym3_apply(&t->nn, w), mat3_back(&t->nv, v));
    struct vec3 f = vec3_add(mat3_apply(&t->nv, w), sym3_apply(&t->fv, v));
    return (struct spatial_wrench){vec3_negated(n), vec3_negated(f)};
}

/* A face across z, s along x and t along y: the force, and its moments along s and t. */
static void check_face(json_t *row)
{
    double s = number(row, "L_s") / 2, t = number(row, "L_t") / 2, w[6] = {0};
    double v0 = number(row, "vn_centre"), vs = number(row, "slope_s"), vt = number(row, "slope_t");
    struct spatial_drag_law law = {.coefficient = number(row, "k"),
                                   .is_quadratic = strstr(word(row, "kind"), "quadratic") != NULL,
                                   .is_leading = strstr(word(row, "kind"), "leading") != NULL};
    const struct exposure_piece whole = {4, {{-s, -t}, {s, -t}, {s, t}, {-s, t}}};
    double k = -law.coefficient;
    spatial_drag_integrate(&law, &whole, v0, vs, vt, w);
    check_row(row,
              (double[]){k * (v0 * w[0] + vs * w[1] + vt * w[2]),
                         k * (v0 * w[1] + vs * w[3] + vt * w[4]),
                         k * (v0 * w[2] + vs * w[4] + vt * w[5])},
              "tol_ref");
}

static void check_box(json_t *row)
{
    struct spatial_drag_law law = {.coefficient = number(row, "k"),
                                   .is_quadratic = strcmp(word(row, "law"), "quadratic") == 0};
    struct body_link link = link_with(-1, LINK_FREE, 1, (struct sym3){1, 0, 0, 1, 0, 1});
    struct body_box box = {.turn = QUATERNION_ONE, .size_m = vector(row, "size")};
    struct vec3 v = vector(row, "velocity"), w = vector(row, "omega");
    struct spatial_tree tree;
    struct spatial_drag drag;
    double q[7];
    arena_reset(&arena);
    ck_assert_int_eq(spatial_tree_create(&tree, &link, 1, (struct vec3){0, 0, 0}, &arena), 0);
    ck_assert_int_eq(spatial_drag_create(&drag, &law, &box, 1, &link, 1, &arena), 0);
    spatial_tree_birth(&tree, q);
    spatial_tree_set_pose(&tree, q);
    spatial_tree_set_velocity(&tree, (double[]){v.x, v.y, v.z, w.x, w.y, w.z});
    spatial_drag_set(&drag, &tree);
    struct spatial_wrench wrench = wrench_of(&tree.links[0].drag, v, w);
    check_row(row,
              (double[]){wrench.f.x, wrench.f.y, wrench.f.z, wrench.n.x, wrench.n.y, wrench.n.z},
              "tol_ref");
}

TEST(drag_integrals)
{
    EACH_ROW("face-drag-integrals", row)
    {
        if (is(row, "face"))
            check_face(row);
        else
            check_box(row);
    }
}

static const struct body_box block = {.turn = {1, 0, 0, 0}, .size_m = {0.4, 0.2, 0.3}};

/* A block in viscosity, with gravity along an axis, or turning about it. */
static struct spatial_state *start_block(int axis, double gravity, double rate)
{
    static struct body_link link;
    double q[7] = {0, 0, 0, 1, 0, 0, 0}, qd[6] = {0};
    struct spatial_world world = {.drag = {.coefficient = 5}};
    double *g = axis == 0   ? &world.gravity_m_s2.x
                : axis == 1 ? &world.gravity_m_s2.y
                            : &world.gravity_m_s2.z;
    *g = -gravity;
    qd[3 + axis] = rate;
    link = box_link(-1, LINK_FREE, 600 * 0.4 * 0.2 * 0.3, block.size_m);
    return start(&link, &block, &world, q, qd);
}

static void run(struct spatial_state *d, double time_s)
{
    for (long i = lround(time_s / STEP); i > 0; i--)
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
}

TEST(drag_decay)
{
    EACH_ROW("box-drag-decay", row)
    {
        const char *up = word(row, "axis_up"), *about = word(row, "axis");
        int axis = (*up ? *up : *about) - 'x';
        struct spatial_state *d = start_block(axis, *up ? 9.81 : 0, *up ? 0 : 5);
        double angle = 0, value;
        if (is(row, "terminal_velocity")) {
            run(d, 500);
            value = -d->qd[axis];
        } else if (is(row, "angle")) {
            for (int i = 0; i < 480; i++) {
                angle += d->qd[3 + axis] * STEP / 2;
                run(d, STEP);
                angle += d->qd[3 + axis] * STEP / 2;
            }
            value = angle;
        } else {
            run(d, 2);
            value = is(row, "fall_in_2s") ? -d->q[axis]
                    : is(row, "omega")    ? d->qd[3 + axis]
                                          : dynamics_ledger(&d->dynamics)->loss_drag_j;
        }
        check_row(row, &value, "tol_engine");
    }
}

/* Drag of any strength takes energy and never gives any. */
TEST_LOOP(drag_never_gives_energy, 0, 4)
{
    struct spatial_world world = {
        .drag = {.coefficient = 1e5, .is_quadratic = _i & 1, .is_leading = _i >> 1}};
    struct body_link link = link_with(-1, LINK_FREE, 0.1, (struct sym3){1e-4, 0, 0, 2e-4, 0, 2e-4});
    double q[7] = {0, 0, 0, 1, 0, 0, 0}, qd[6] = {3, -2, 1, 20, -30, 10};
    struct spatial_state *d = start(&link, &block, &world, q, qd);
    double last = dynamics_ledger(&d->dynamics)->kinetic_j;
    for (int k = 0; k < 240; k++) {
        run(d, STEP);
        double now = dynamics_ledger(&d->dynamics)->kinetic_j;
        ck_assert_double_le(now, last * (1 + 1e-12));
        last = now;
    }
}

TALLY_SUITE("space_forms", 120, setup, NULL)
