/* Reference cases of boxes in space that touch, of joints at limits and of drag, by the reference
 * solver: its events have instants, so they are held against the references' own tolerances,
 * tol_ref, mostly 1e-9. Scenes are those of test_spatial_touching.c, joints and blocks those of
 * test_spatial_forms.c, which have the fast solver.
 *
 * Three differ: friction of 1e6 keeps the box that tips from slipping while it hardly presses;
 * bounces slower than 1 mm/s are no more, which ends them up to 1 ms early; and the slope at which
 * a box tips is known as well as a pull of a corner, 2e-6 degrees. An instant is found by steps of
 * 1/240 s, and each time of a 16th of that.
 *
 * With the argument --markdown: a line for each case, for docs/physics-space.md; part of `make
 * accuracy`. Then a case's name: that one alone. */
#include "simulator/reference/spatial_system.h"
#include "simulator/links/spatial_state.h"
#include "simulator/tools/scenes/scene.h"
#include "tests/oracle/rows.h"
#include "tests/plain_fixture.h"

#define FOLDER "tests/oracle/space/"
#define PI     3.14159265358979323846
#define STEP_S (1.0 / 240)

enum { ROWS_MAX = 64, LEVELS = 8, FINER = 16 };

static json_t *touching, *forms, *rows;
static int is_measured[ROWS_MAX];
static struct scene scene;
static struct dynamics *run;
static double now_s;
/* Before the last step; losses before the run was last started anew. */
static double before_q[SCENE_COORDINATES_MAX], before_qd[SCENE_RATES_MAX];
static struct ledger before_ledger, carried;

/* The row so far that is nearest to its tolerance, or farthest beyond. */
static struct {
    int count, bad;
    double share, error, tolerance;
    char worst[200];
} outcome;

/* Within a test and without. */
static void need(int is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "test_spatial_exact: it does not hold: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---------------------------------------------------------------- rows */

static void judge(size_t at, const double *values, int count)
{
    json_t *row = json_array_get(rows, at), *list = json_object_get(row, "value");
    double tolerance = number(row, "tol_ref"), far = 0;
    need((int)json_array_size(list) == count, word(row, "quantity"));
    for (int k = 0; k < count; k++) {
        double off = fabs(values[k] - json_number_value(json_array_get(list, (size_t)k)));
        far = off <= far ? far : off;
    }
    is_measured[at] = 1;
    outcome.count++;
    outcome.bad += !(far <= tolerance);
    if (far / tolerance <= outcome.share)
        return;
    outcome.share = far / tolerance;
    outcome.error = far;
    outcome.tolerance = tolerance;
    snprintf(outcome.worst, sizeof outcome.worst, "%s %s%s: %.12g, off by %.2e, allowed %.2e",
             word(row, "quantity"), word(row, "of"), word(row, "axis"), values[0], far, tolerance);
}

/* The row of that quantity and, unless NULL or below 0, of that subject and time. */
static void expect(const char *quantity, const char *of, double t_s, const double *values,
                   int count)
{
    int found = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (strcmp(word(row, "quantity"), quantity) != 0 ||
            (of && strcmp(word(row, "of"), of) != 0) ||
            (t_s >= 0 && fabs(number(row, "t_s") - t_s) > 1e-9))
            continue;
        judge(i, values, count);
        found++;
    }
    need(found == 1, quantity);
}

static void expect_one(const char *quantity, const char *of, double value)
{
    expect(quantity, of, -1, &value, 1);
}

static void expect_vector(const char *quantity, const char *of, double t_s, struct vec3 v)
{
    expect(quantity, of, t_s, (double[]){v.x, v.y, v.z}, 3);
}

static void expect_xz(const char *quantity, double t_s, struct vec3 v)
{
    expect(quantity, NULL, t_s, (double[]){v.x, v.z}, 2);
}

/* ---------------------------------------------------------------- motion */

/* The scene's gravity. */
static void set_gravity(struct vec3 gravity)
{
    scene.world.gravity_x_m_s2 = gravity.x;
    scene.world.gravity_m_s2 = -gravity.y;
    scene.world.gravity_z_m_s2 = gravity.z;
}

static void start_at(double dt_s)
{
    arena_reset(&arena);
    scene.settings.dt_s = dt_s;
    need(scene_start(&scene, &arena, &run, &error) == 0, error.message);
}

static void start(void)
{
    scene.settings.solver = SOLVER_CONSTRAINT;
    scene.settings.rtol = 1e-12;
    scene.settings.constraint_tau_s = STEP_S;
    carried = (struct ledger){0};
    now_s = 0;
    start_at(STEP_S);
}

static void step(void)
{
    memcpy(before_q, run->q,
           (size_t)spatial_state_tree(spatial_state_of(run))->coordinates * sizeof before_q[0]);
    memcpy(before_qd, run->qd,
           (size_t)spatial_state_tree(spatial_state_of(run))->rates * sizeof before_qd[0]);
    before_ledger = *dynamics_ledger(run);
    need(dynamics_step(run) == 0, "the motion is finite");
    now_s += scene.settings.dt_s;
}

/* Goes on from a state, with another step and a ledger that begins anew. */
static void go_on(const double *q, const double *qd, const struct ledger *ledger, double dt_s)
{
    carried.loss_friction_j += ledger->loss_friction_j;
    carried.loss_impact_j += ledger->loss_impact_j;
    carried.loss_limit_j += ledger->loss_limit_j;
    memmove(scene.q, q,
            (size_t)spatial_state_tree(spatial_state_of(run))->coordinates * sizeof scene.q[0]);
    memmove(scene.qd, qd,
            (size_t)spatial_state_tree(spatial_state_of(run))->rates * sizeof scene.qd[0]);
    start_at(dt_s);
}

static void go_on_from_here(double dt_s)
{
    struct ledger ledger = *dynamics_ledger(run);
    go_on(run->q, run->qd, &ledger, dt_s);
}

/* To the end of the first of very small steps at whose end it has happened. */
static void run_until(int (*has_happened)(void))
{
    go_on_from_here(STEP_S);
    for (int level = 0;; level++) {
        do
            step();
        while (!has_happened());
        if (level == LEVELS - 1)
            return;
        now_s -= scene.settings.dt_s;
        go_on(before_q, before_qd, &before_ledger, scene.settings.dt_s / FINER);
    }
}

static void run_to(double time_s)
{
    go_on_from_here(STEP_S);
    while (now_s + STEP_S <= time_s)
        step();
    if (now_s == time_s)
        return;
    go_on_from_here(time_s - now_s);
    step();
    now_s = time_s;
}

static const struct spatial_tree_link *link_of(int body)
{
    return &spatial_state_tree(spatial_state_of(run))->links[body];
}

static struct vec3 place(int body)
{
    return spatial_tree_centre(link_of(body));
}

static struct vec3 velocity(int body)
{
    return spatial_tree_centre_velocity(link_of(body));
}

static struct vec3 rate(int body)
{
    return link_of(body)->velocity.w;
}

static double yaw_after(double before)
{
    struct vec3 axis = link_of(0)->turned.x;
    double yaw = atan2(-axis.z, axis.x);
    return yaw + 2 * PI * floor((before - yaw) / (2 * PI) + 0.5);
}

static double kinetic(void)
{
    return dynamics_ledger(run)->kinetic_j;
}

static double loss_of_impacts(void)
{
    return dynamics_ledger(run)->loss_impact_j;
}

static int has_collided(void)
{
    return loss_of_impacts() > 1e-9;
}

static int is_slow(void)
{
    return vec3_length(velocity(0)) + vec3_length(rate(0)) < 1e-6;
}

static void open_scene(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "touching/%s.json", name);
    need(scene_read_file(&scene, path, &error) == 0, error.message);
}

/* ---------------------------------------------------------------- impacts */

static struct vec3 momentum(void)
{
    struct vec3 linear, angular;
    spatial_tree_momentum(spatial_state_tree(spatial_state_of(run)), &linear, &angular);
    return linear;
}

/* Where the corner touches, as the case has it: the scene begins earlier, with digits of its
 * own. */
static void put_on_corner(void)
{
    const double q[7] = {0, 0.252, 0, 0.8, 0.2, 0.4, -0.4};
    struct mat3 r = quaternion_matrix((struct quaternion){0.8, 0.2, 0.4, -0.4});
    struct vec3 w = mat3_back(&r, (struct vec3){1, -2, 0.5});
    const double qd[6] = {1, -3, -0.7, w.x, w.y, w.z};
    memcpy(scene.q, q, sizeof q);
    memcpy(scene.qd, qd, sizeof qd);
}

/* Returns the change of momentum; *energy_j: that of the kinetic energy. */
static struct vec3 collide(const char *name, double elasticity, double friction, double *energy_j)
{
    open_scene(name);
    scene.world.elasticity = scene.world.own_elasticity = elasticity;
    scene.world.friction = scene.world.own_friction = friction;
    if (strcmp(name, "box-impact-corner") == 0)
        put_on_corner();
    start();
    struct vec3 from = momentum();
    double energy = kinetic();
    run_until(has_collided);
    *energy_j = kinetic() - energy;
    return vec3_sub(momentum(), from);
}

static void box_impacts(const char *name)
{
    static const struct {
        const char *name;
        double friction;
    } kinds[] = {{"frictionless", 0}, {"sticking", 1e4}, {"coulomb_mu0.2", 0.2}};
    for (int k = 0; k < 6; k++) {
        char of[64];
        double energy_j;
        snprintf(of, sizeof of, "%s, e %s", kinds[k / 2].name, k % 2 ? "0.5" : "0.0");
        struct vec3 impulse = collide(name, k % 2 * 0.5, kinds[k / 2].friction, &energy_j);
        expect_vector("impulse", of, -1, impulse);
        expect_vector("velocity_after", of, -1, velocity(0));
        expect_vector("omega_after_world", of, -1, rate(0));
        expect_one("energy_change", of, energy_j);
    }
}

static void edge_edge_impact(const char *name)
{
    for (int bounces = 0; bounces < 2; bounces++) {
        const char *of = bounces ? "e 0.5" : "e 0.0";
        double energy_j;
        collide(name, bounces * 0.5, 0, &energy_j);
        expect_one("impulse", of, vec3_length(velocity(0)) * scene.links[0].mass_kg);
        expect_vector("velocity_after_a", of, -1, velocity(0));
        expect_vector("velocity_after_b", of, -1, velocity(1));
        expect_vector("omega_after_a", of, -1, rate(0));
        expect_vector("omega_after_b", of, -1, rate(1));
        expect_one("energy_change", of, energy_j);
    }
}

static int falls(void)
{
    return velocity(0).y < 0;
}

static void bouncing_box(const char *name)
{
    static const char *const counts[] = {"0", "1", "2", "3", "4", "5"};
    open_scene(name);
    scene.settings.restitution_speed_m_s = 1e-3;
    start();
    struct vec3 axis = link_of(0)->turned.x;
    for (int bounce = 1;; bounce++) {
        run_until(has_collided);
        if (velocity(0).y < 1e-6)
            break;
        if (bounce == 1)
            expect_one("first_impact", NULL, now_s);
        else if (bounce <= 5)
            expect_one("impact_time", counts[bounce], now_s);
        if (bounce > 4)
            continue;
        run_until(falls);
        expect_one("apex_height", counts[bounce], place(0).y - 0.1);
    }
    expect_one("all_bounces_end", NULL, now_s);
    expect_one("rotation", NULL, vec3_length(vec3_sub(link_of(0)->turned.x, axis)));
}

/* ---------------------------------------------------------------- sliding */

static double loss_of_friction(void)
{
    return carried.loss_friction_j + dynamics_ledger(run)->loss_friction_j;
}

/* Until it stands; what it would still have slid at the rate at which it slowed down is added to
 * the time. */
static double run_to_stop(double slowing)
{
    run_until(is_slow);
    double stop = now_s + (vec3_length(velocity(0)) + vec3_length(rate(0))) / slowing;
    run_to(now_s + STEP_S);
    return stop;
}

static void sliding_box_oblique(const char *name)
{
    static const double times[] = {0.191131498470948, 0.382262996941896};
    open_scene(name);
    start();
    struct vec3 from = place(0);
    double yaw = yaw_after(0);
    for (int i = 0; i < 2; i++) {
        run_to(times[i]);
        expect_vector("position_change", NULL, times[i], vec3_sub(place(0), from));
    }
    expect_one("stop_time", NULL, run_to_stop(0.4 * 9.81));
    struct vec3 way = vec3_sub(place(0), from);
    expect_one("distance", NULL, vec3_length(way));
    expect_vector("stop_position_change", NULL, -1, way);
    expect_one("direction_angle", NULL, atan2(way.z, way.x));
    expect_one("yaw_change", NULL, yaw_after(yaw) - yaw);
    expect_one("friction_loss", NULL, -loss_of_friction());
}

static void spinning_box_friction(const char *name)
{
    open_scene(name);
    start();
    struct vec3 from = place(0);
    double yaw = yaw_after(0), first = yaw, spin = rate(0).y;
    run_to(STEP_S);
    double slowing = (spin - rate(0).y) / STEP_S;
    while (rate(0).y > 1) {
        yaw = yaw_after(yaw);
        step();
    }
    expect_one("stop_time", NULL, run_to_stop(slowing));
    expect_one("angle_turned", NULL, yaw_after(yaw) - first);
    expect_one("centre_displacement", NULL, vec3_length(vec3_sub(place(0), from)));
    expect_one("friction_loss", NULL, -loss_of_friction());
}

/* Normal forces of the feet, one box each, in a very small step. */
static void expect_loads(double t_s)
{
    const double instant_s = 1e-8;
    const struct contact_point *points;
    double loads[3] = {0, 0, 0};
    go_on_from_here(instant_s);
    need(dynamics_step(run) == 0, "the motion is finite");
    int count = dynamics_contacts(run, &points);
    for (int i = 0; i < count; i++)
        loads[points[i].part] += points[i].normal_impulse_n_s / instant_s;
    expect("foot_loads", NULL, t_s, loads, 3);
    now_s += instant_s;
}

static void tripod_slide_spin(const char *name)
{
    static const double times[] = {0.1, 0.25, 0.5};
    open_scene(name);
    start();
    struct vec3 from = place(0);
    double yaw = 0;
    for (int i = 0; i < 3; i++) {
        run_to(times[i]);
        yaw = yaw_after(yaw);
        expect_xz("position_change_xz", times[i], vec3_sub(place(0), from));
        expect_xz("velocity_xz", times[i], velocity(0));
        expect("yaw", NULL, times[i], &yaw, 1);
        expect("yaw_rate", NULL, times[i], (double[]){rate(0).y}, 1);
        expect_loads(times[i]);
    }
    expect_one("stop_time", NULL, run_to_stop(3));
    expect_xz("stop_position_xz", -1, vec3_sub(place(0), from));
    expect_one("stop_yaw", NULL, yaw_after(yaw));
}

/* Speed after half a second from rest with this friction. */
static double rest_speed(double friction)
{
    open_scene("incline-oblique");
    scene.world.friction = friction;
    for (int k = 0; k < 6; k++)
        scene.qd[k] = 0;
    start();
    run_to(0.5);
    return vec3_length(velocity(0));
}

static void incline_oblique(const char *name)
{
    static const double times[] = {0.25, 0.5, 1};
    open_scene(name);
    start();
    struct vec3 from = place(0);
    for (int i = 0; i < 3; i++) {
        run_to(times[i]);
        expect_xz("position_change_xz", times[i], vec3_sub(place(0), from));
        expect_xz("velocity_xz", times[i], velocity(0));
    }
    /* the least friction that holds it, between one that does and one that does not */
    double limit = 0.4663076581549986, off = 1e-6;
    need(rest_speed(limit + off) <= 1e-7, "friction holds");
    need(rest_speed(limit - off) >= 1e-6, "friction is too weak");
    expect_one("limit_friction_rest", NULL, limit);
}

/* ---------------------------------------------------------------- tipping */

static int has_fallen(void)
{
    return loss_of_impacts() > 0.1;
}

static void box_tipping_fall(const char *name)
{
    open_scene(name);
    scene.world.friction = 1e6;
    start();
    const struct ledger *ledger = dynamics_ledger(run);
    double start_j = ledger->kinetic_j + ledger->potential_j;
    run_until(has_fallen);
    expect_one("fall_time", NULL, now_s);
    expect_one("omega_at_impact", NULL,
               sqrt(before_qd[3] * before_qd[3] + before_qd[4] * before_qd[4] +
                    before_qd[5] * before_qd[5]));
    expect_one("energy_before_impact_change", NULL,
               before_ledger.kinetic_j + before_ledger.potential_j - start_j);
}

/* 1 if a box begins to tip where gravity leans by this, deg, towards a direction in the plane. */
static int tips(double slope_deg, double direction_deg)
{
    double slope = slope_deg * PI / 180, way = direction_deg * PI / 180;
    set_gravity((struct vec3){9.81 * sin(slope) * cos(way), -9.81 * cos(slope),
                              9.81 * sin(slope) * sin(way)});
    start();
    for (int i = 0; i < 4; i++)
        step();
    return vec3_length(rate(0)) > 1e-10;
}

static void box_tipping_threshold(const char *name)
{
    open_scene(name);
    for (int i = 0; i < 4; i++) {
        char of[16];
        snprintf(of, sizeof of, "%d", 30 * i);
        double low = 5, high = 60;
        while (high - low > 1e-8) {
            double middle = (low + high) / 2;
            if (tips(middle, 30 * i))
                high = middle;
            else
                low = middle;
        }
        expect_one("critical_slope", of, (low + high) / 2);
    }
}

/* ---------------------------------------------------------------- limits */

/* One link on the world, without gravity. */
static void set_link(enum link_joint kind, double mass, struct sym3 inertia)
{
    struct body_link *link = &scene.links[0];
    memset(&scene, 0, sizeof scene);
    scene.form = &scene_in_space;
    *link = body_link_unlimited(-1, kind);
    link->mass_kg = mass;
    link->inertia = inertia;
    scene.space.rates = joint_rates(&joint_kinds[kind]);
    scene.body_count = 1;
}

static int has_stopped(void)
{
    return dynamics_ledger(run)->loss_limit_j > 1e-6;
}

static void expect_turn(size_t at)
{
    double value[4], sign = 0;
    struct quaternion q = quaternion_of(&link_of(0)->turned);
    json_t *list = json_object_get(json_array_get(rows, at), "value");
    const double own[4] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 4; k++)
        sign += own[k] * json_number_value(json_array_get(list, (size_t)k));
    for (int k = 0; k < 4; k++)
        value[k] = sign < 0 ? -own[k] : own[k];
    judge(at, value, 4);
}

/* A ball with an inertia of 0.02 kg m^2 in all directions turns until it is stopped. */
static void turn_ball(struct quaternion q, struct vec3 w_world)
{
    struct mat3 r = quaternion_matrix(q);
    struct vec3 w = mat3_back(&r, w_world);
    const double start_q[4] = {q.w, q.x, q.y, q.z}, start_qd[3] = {w.x, w.y, w.z};
    memcpy(scene.q, start_q, sizeof start_q);
    memcpy(scene.qd, start_qd, sizeof start_qd);
    start();
    double start_j = kinetic();
    run_until(has_stopped);
    double stop = now_s, lost_j = start_j - kinetic();
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *quantity = word(row, "quantity");
        struct vec3 now = rate(0);
        if (json_object_get(row, "after_s"))
            run_to(stop + number(row, "after_s"));
        if (strncmp(quantity, "quaternion", 10) == 0)
            expect_turn(i);
        else if (strncmp(quantity, "omega", 5) == 0)
            judge(i, (double[]){now.x, now.y, now.z}, 3);
        else if (strncmp(quantity, "time", 4) == 0)
            judge(i, &stop, 1);
        else if (strcmp(quantity, "energy_loss") == 0)
            judge(i, &lost_j, 1);
        else if (strcmp(quantity, "energy_loss_share") == 0)
            judge(i, (double[]){lost_j / start_j}, 1);
    }
}

static const struct sym3 round_inertia = {0.02, 0, 0, 0.02, 0, 0.02};

static void cone_touch(const char *name)
{
    set_link(LINK_SPHERICAL, 1, round_inertia);
    scene.links[0].cone_rad = 50 * PI / 180;
    turn_ball(QUATERNION_ONE, (struct vec3){0.5, 1, 2});
}

static void cone_limit(const char *name)
{
    set_link(LINK_SPHERICAL, 1, round_inertia);
    scene.links[0].cone_rad = 60 * PI / 180;
    turn_ball((struct quaternion){0.93969262078590838405, 0, 0, 0.34202014332566873304},
              (struct vec3){1, -1.9, 1.4});
}

static void twist_limit(const char *name)
{
    struct quaternion tilted = {0.96592582628906828675, 0, 0, 0.25881904510252076235};
    struct mat3 r = quaternion_matrix(tilted);
    set_link(LINK_SPHERICAL, 1, round_inertia);
    scene.links[0].cone_rad = 60 * PI / 180;
    scene.links[0].lower[0] = -40 * PI / 180;
    scene.links[0].upper[0] = 40 * PI / 180;
    turn_ball(tilted, vec3_scale(r.x, 3));
}

/* A box on a hinge along (1, 2, 2) / 3 through its centre, see test_spatial_forms.c. */
static void hinge_limit(const char *name)
{
    const struct vec3 axis = {1.0 / 3, 2.0 / 3, 2.0 / 3}, z = {0, 0, 1};
    struct vec3 across = vec3_cross(z, axis);
    struct vec3 unit = vec3_scale(across, 1 / vec3_length(across));
    struct quaternion frame = quaternion_about(unit, acos(axis.z));
    struct mat3 back = quaternion_matrix(quaternion_back(frame));
    struct sym3 own = {2 * (0.04 + 0.09) / 12, 0, 0,
                       2 * (0.16 + 0.09) / 12, 0, 2 * (0.16 + 0.04) / 12};
    set_link(LINK_REVOLUTE, 2, sym3_turned(&own, &back));
    scene.links[0].frame = frame;
    scene.links[0].lower[0] = -200 * PI / 180;
    scene.links[0].upper[0] = 250 * PI / 180;
    scene.space.freedoms[0].drive =
        (struct servo){.law = SERVO_TORQUE, .torque_max = 0.5, .target = 1};
    scene.q[0] = scene.links[0].lower[0];
    start();
    run_until(has_stopped);
    double stop = now_s, speed = before_qd[0], inertia = scene.links[0].inertia.zz;
    double lost_j = dynamics_ledger(run)->loss_limit_j;
    run_to(stop + 1);
    /* J w' + w x J w without what is along the axis; w' = n tau / I */
    struct vec3 l = sym3_apply(&own, axis), w = vec3_scale(axis, speed);
    struct vec3 bend = vec3_along(vec3_cross(w, vec3_scale(l, speed)), l, 0.5 / inertia);
    bend = vec3_along(bend, axis, -vec3_dot(bend, axis));
    expect_one("inertia_about_axis", NULL, spatial_state_of(run)->birth_inertia[0]);
    expect_one("time_to_stop", NULL, stop);
    expect_one("omega_at_stop", NULL, speed);
    expect_one("angle_after", NULL, run->q[0]);
    expect_one("energy_loss", NULL, lost_j);
    expect_one("hinge_torque_across_axis_just_before_stop", NULL, vec3_length(bend));
}

/* ---------------------------------------------------------------- drag */

/* A block in viscosity, with gravity along an axis, or turning about it. */
static void start_block(int axis, double gravity, double spin)
{
    const double mass = 600 * 0.4 * 0.2 * 0.3, g[3] = {-gravity, -gravity, -gravity};
    set_link(LINK_FREE, mass,
             (struct sym3){mass * (0.04 + 0.09) / 12, 0, 0, mass * (0.16 + 0.09) / 12, 0,
                           mass * (0.16 + 0.04) / 12});
    scene.space.boxes[0] = (struct body_box){.turn = QUATERNION_ONE, .size_m = {0.4, 0.2, 0.3}};
    scene.space.box_count = 1;
    scene.world.viscosity_pa_s_m = 5;
    set_gravity((struct vec3){axis == 0 ? g[0] : 0, axis == 1 ? g[1] : 0, axis == 2 ? g[2] : 0});
    scene.q[3] = 1;
    scene.qd[3 + axis] = spin;
    start();
}

static double turn_about(int axis, double near)
{
    const double *q = run->q + 3;
    double turn = 2 * atan2(q[1 + axis], q[0]);
    return turn + 2 * PI * floor((near - turn) / (2 * PI) + 0.5);
}

/* The row of that quantity whose `key` is that axis. */
static void expect_of_axis(const char *quantity, const char *key, int axis, double value)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (strcmp(word(row, "quantity"), quantity) == 0 && *word(row, key) == 'x' + axis)
            judge(i, &value, 1);
    }
}

static void drag_decay(const char *name)
{
    for (int axis = 0; axis < 3; axis++) {
        start_block(axis, 9.81, 0);
        run_to(2);
        expect_of_axis("fall_in_2s", "axis_up", axis, -run->q[axis]);
        /* what an exponential from rest comes to, by two moments (Aitken) */
        start_block(axis, 9.81, 0);
        run_to(20);
        double early = -run->qd[axis];
        run_to(40);
        double late = -run->qd[axis];
        expect_of_axis("terminal_velocity", "axis_up", axis, early * early / (2 * early - late));
        start_block(axis, 0, 5);
        double angle = 0, start_j = kinetic();
        while (now_s < 2 - STEP_S / 2) {
            step();
            angle = turn_about(axis, angle);
        }
        expect_of_axis("omega", "axis", axis, run->qd[3 + axis]);
        expect_of_axis("angle", "axis", axis, angle);
        expect_of_axis("energy_lost", "axis", axis, start_j - kinetic());
    }
}

/* ---------------------------------------------------------------- kinematics */

/* A child on the world whose joint does not accelerate: slides and turns are prescribed, and a
 * round inertia about the joint keeps the rates of a ball. */
static void joint_kinematics(const char *name)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *quantity = word(row, "quantity");
        enum link_joint kind = joint_of(word(row, "joint"));
        set_link(kind, 1, (struct sym3){1, 0, 0, 1, 0, 1});
        scene.links[0].joint = (struct vec3){0.5, 0.2, -0.1};
        scene.links[0].frame = (struct quaternion){0.8, 0.4, -0.2, 0.4};
        numbers(row, "q", scene.q, SCENE_COORDINATES_MAX);
        numbers(row, "qd", scene.qd, SCENE_RATES_MAX);
        int plain = joint_kinds[kind].slides + joint_kinds[kind].turns;
        for (int k = 0; k < plain && kind != LINK_FREE; k++) {
            scene.space.freedoms[k].signal =
                (struct signal){.offset = scene.q[k], .slope = scene.qd[k]};
            scene.space.freedoms[k].drive =
                (struct servo){.law = SERVO_MOTION, .signal = &scene.space.freedoms[k].signal};
        }
        start();
        scene.settings.constraint_tau_s = 1; /* rounding is not fed back as an acceleration */
        start_at(STEP_S);
        struct spatial_constraint *c = spatial_constraint_of(run);
        spatial_equation_derive(c, c->y, 0, c->rk.k[0]);
        const struct rigid *b = &c->bodies[0];
        struct vec3 w = b->place.spin, r = mat3_apply(&b->turned, (struct vec3){0.3, 0.1, -0.2});
        struct vec3 swept = vec3_cross(w, r);
        struct vec3 bent = vec3_add(vec3_cross(b->free_w, r), vec3_cross(w, swept));
        const struct {
            const char *name;
            struct vec3 value;
        } vectors[] = {{"point", vec3_add(b->place.centre, r)},
                       {"omega", w},
                       {"point_velocity", vec3_add(b->place.velocity, swept)},
                       {"point_acceleration_qdd0", vec3_add(b->free_v, bent)}};
        if (strcmp(quantity, "quaternion") == 0)
            expect_turn(i);
        for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
            if (strcmp(quantity, vectors[k].name) == 0)
                judge(i, (double[]){vectors[k].value.x, vectors[k].value.y, vectors[k].value.z}, 3);
    }
}

/* ---------------------------------------------------------------- the whole */

static const struct {
    const char *name;
    void (*measure)(const char *name);
    int is_long; /* too long where checks are dear */
} measures[] = {{"box-impact-flat", box_impacts, 0},
                {"box-impact-edge", box_impacts, 0},
                {"box-impact-corner", box_impacts, 0},
                {"edge-edge-impact", edge_edge_impact, 0},
                {"bouncing-box", bouncing_box, 1},
                {"sliding-box-oblique", sliding_box_oblique, 0},
                {"spinning-box-friction", spinning_box_friction, 0},
                {"tripod-slide-spin", tripod_slide_spin, 0},
                {"incline-oblique", incline_oblique, 0},
                {"box-tipping-fall", box_tipping_fall, 1},
                {"box-tipping-threshold", box_tipping_threshold, 1},
                {"hinge-limit-oblique-axis", hinge_limit, 0},
                {"spherical-cone-touch", cone_touch, 0},
                {"spherical-cone-limit", cone_limit, 0},
                {"spherical-twist-limit", twist_limit, 0},
                {"box-drag-decay", drag_decay, 1},
                {"joint-kinematics", joint_kinematics, 0}};
enum { CASES = sizeof measures / sizeof measures[0] };

static void measure(int i)
{
    rows = json_object_get(touching, measures[i].name);
    rows = rows ? rows : json_object_get(forms, measures[i].name);
    need(json_array_size(rows) > 0 && json_array_size(rows) <= ROWS_MAX, measures[i].name);
    memset(is_measured, 0, sizeof is_measured);
    memset(&outcome, 0, sizeof outcome);
    outcome.share = -1;
    measures[i].measure(measures[i].name);
    for (size_t k = 0; k < json_array_size(rows); k++)
        need(is_measured[k], word(json_array_get(rows, k), "quantity"));
}

TEST_LOOP(exact_case, 0, CASES)
{
    if (CHECKS_ARE_DEAR && measures[_i].is_long)
        return;
    measure(_i);
    ck_assert_msg(outcome.bad == 0, "%s: %d of %d are wrong, first %s", measures[_i].name,
                  outcome.bad, outcome.count, outcome.worst);
}

static void setup(void)
{
    rows_load(&touching, FOLDER "touching.json");
    rows_load(&forms, FOLDER "closed-forms.json");
    arena_open(SCENE_ARENA_BYTES);
}

static int print_markdown(const char *only)
{
    int bad = 0;
    setup();
    printf("| case | numbers | constraint |\n|---|---|---|\n");
    for (int i = 0; i < CASES; i++) {
        if (only && strcmp(only, measures[i].name) != 0)
            continue;
        measure(i);
        printf("| %s | %d | %.0e/%.0e |\n", measures[i].name, outcome.count, outcome.error,
               outcome.tolerance);
        if (outcome.bad)
            fprintf(stderr, "%s: %d are wrong, first %s\n", measures[i].name, outcome.bad,
                    outcome.worst);
        bad += outcome.bad;
    }
    return bad > 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--markdown") == 0)
        return print_markdown(argc > 2 ? argv[2] : NULL);
    return run_defined_tests("space_exact", 240, setup, NULL);
}
