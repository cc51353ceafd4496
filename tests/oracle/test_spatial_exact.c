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
#include "tests/oracle/limits.h"
#include "tests/oracle/touching.h"

enum { LEVELS = 8, FINER = 16 };

static json_t *forms;
static double now_s;
/* Before the last step; losses before the run was last started anew. */
static double before_q[SCENE_COORDINATES_MAX], before_qd[SCENE_RATES_MAX];
static struct ledger before_ledger, carried;

/* ---------------------------------------------------------------- motion */

static void start_at(double dt_s)
{
    scene.settings.dt_s = dt_s;
    start_scene();
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
    memcpy(before_q, run->q, (size_t)tree()->coordinates * sizeof before_q[0]);
    memcpy(before_qd, run->qd, (size_t)tree()->rates * sizeof before_qd[0]);
    before_ledger = *dynamics_ledger(run);
    run_steps(1);
    now_s += scene.settings.dt_s;
}

/* Goes on from a state, with another step and a ledger that begins anew. */
static void go_on(const double *q, const double *qd, const struct ledger *ledger, double dt_s)
{
    carried.loss_friction_j += ledger->loss_friction_j;
    carried.loss_impact_j += ledger->loss_impact_j;
    carried.loss_limit_j += ledger->loss_limit_j;
    memmove(scene.q, q, (size_t)tree()->coordinates * sizeof scene.q[0]);
    memmove(scene.qd, qd, (size_t)tree()->rates * sizeof scene.qd[0]);
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

static void go_to(double time_s)
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
    return speeds() < 1e-6;
}

/* ---------------------------------------------------------------- impacts */

static struct vec3 momentum(void)
{
    struct vec3 linear, angular;
    spatial_tree_momentum(tree(), &linear, &angular);
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
    read_scene(name);
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

static void strike_ground(const char *name)
{
    for (int k = 0; k < BOX_IMPACTS; k++) {
        double energy_j;
        expect_box_impact(box_impacts[k].name, collide(name, box_impacts[k].elasticity,
                                                       box_impacts[k].friction, &energy_j));
        expect_one("energy_change", box_impacts[k].name, -1, energy_j);
    }
}

static void edge_edge_impact(const char *name)
{
    for (int bounces = 0; bounces < 2; bounces++) {
        const char *of = bounces ? "e 0.5" : "e 0.0";
        double energy_j;
        collide(name, bounces * 0.5, 0, &energy_j);
        expect_edge_impact(of);
        expect_one("energy_change", of, -1, energy_j);
    }
}

static int falls(void)
{
    return velocity(0).y < 0;
}

static void bouncing_box(const char *name)
{
    static const char *const counts[] = {"0", "1", "2", "3", "4", "5"};
    read_scene(name);
    scene.settings.restitution_speed_m_s = 1e-3;
    start();
    struct vec3 axis = link_of(0)->turned.x;
    for (int bounce = 1;; bounce++) {
        run_until(has_collided);
        if (velocity(0).y < 1e-6)
            break;
        if (bounce == 1)
            expect_one("first_impact", NULL, -1, now_s);
        else if (bounce <= 5)
            expect_one("impact_time", counts[bounce], -1, now_s);
        if (bounce > 4)
            continue;
        run_until(falls);
        expect_one("apex_height", counts[bounce], -1, place(0).y - 0.1);
    }
    expect_one("all_bounces_end", NULL, -1, now_s);
    expect_one("rotation", NULL, -1, vec3_length(vec3_sub(link_of(0)->turned.x, axis)));
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
    double stop = now_s + speeds() / slowing;
    go_to(now_s + STEP_S);
    return stop;
}

static void sliding_box_oblique(const char *name)
{
    static const double times[] = {0.191131498470948, 0.382262996941896};
    read_scene(name);
    start();
    struct vec3 from = place(0);
    double yaw = yaw_after(0);
    for (int i = 0; i < 2; i++) {
        go_to(times[i]);
        expect_vector("position_change", NULL, times[i], vec3_sub(place(0), from));
    }
    double stop = run_to_stop(0.4 * 9.81);
    expect_slide(from, stop, yaw_after(yaw) - yaw, loss_of_friction());
}

static void spinning_box_friction(const char *name)
{
    read_scene(name);
    start();
    struct vec3 from = place(0);
    double yaw = yaw_after(0), first = yaw, spin = rate(0).y;
    go_to(STEP_S);
    double slowing = (spin - rate(0).y) / STEP_S;
    while (rate(0).y > 1) {
        yaw = yaw_after(yaw);
        step();
    }
    double stop = run_to_stop(slowing);
    expect_spin(from, stop, yaw_after(yaw) - first, loss_of_friction());
}

static void tripod_slide_spin(const char *name)
{
    static const double times[] = {0.1, 0.25, 0.5};
    read_scene(name);
    start();
    struct vec3 from = place(0);
    double yaw = 0;
    for (int i = 0; i < 3; i++) {
        go_to(times[i]);
        yaw = yaw_after(yaw);
        expect_way(from, times[i]);
        expect_one("yaw", NULL, times[i], yaw);
        expect_one("yaw_rate", NULL, times[i], rate(0).y);
        /* what presses is known in a very small step */
        const double instant_s = 1e-8;
        go_on_from_here(instant_s);
        ck_assert_int_eq(dynamics_step(run), 0);
        expect_loads(times[i], instant_s);
        now_s += instant_s;
    }
    expect_one("stop_time", NULL, -1, run_to_stop(3));
    expect_xz("stop_position_xz", -1, vec3_sub(place(0), from));
    expect_one("stop_yaw", NULL, -1, yaw_after(yaw));
}

/* Speed after half a second from rest with this friction. */
static double rest_speed(double friction)
{
    read_scene("incline-oblique");
    scene.world.friction = friction;
    for (int k = 0; k < 6; k++)
        scene.qd[k] = 0;
    start();
    go_to(0.5);
    return vec3_length(velocity(0));
}

static void incline_oblique(const char *name)
{
    static const double times[] = {0.25, 0.5, 1};
    read_scene(name);
    start();
    struct vec3 from = place(0);
    for (int i = 0; i < 3; i++) {
        go_to(times[i]);
        expect_way(from, times[i]);
    }
    /* the least friction that holds it, between one that does and one that does not */
    double limit = 0.4663076581549986, off = 1e-6;
    ck_assert_double_le(rest_speed(limit + off), 1e-7);
    ck_assert_double_ge(rest_speed(limit - off), 1e-6);
    expect_one("limit_friction_rest", NULL, -1, limit);
}

/* ---------------------------------------------------------------- tipping */

static int has_fallen(void)
{
    return loss_of_impacts() > 0.1;
}

static void box_tipping_fall(const char *name)
{
    read_scene(name);
    scene.world.friction = 1e6;
    start();
    const struct ledger *ledger = dynamics_ledger(run);
    double start_j = ledger->kinetic_j + ledger->potential_j;
    run_until(has_fallen);
    expect_one("fall_time", NULL, -1, now_s);
    expect_one("omega_at_impact", NULL, -1,
               sqrt(before_qd[3] * before_qd[3] + before_qd[4] * before_qd[4] +
                    before_qd[5] * before_qd[5]));
    expect_one("energy_before_impact_change", NULL, -1,
               before_ledger.kinetic_j + before_ledger.potential_j - start_j);
}

/* 1 if the box begins to tip. */
static int tips(void)
{
    start();
    for (int i = 0; i < 4; i++)
        step();
    return vec3_length(rate(0)) > 1e-10;
}

static void box_tipping_threshold(const char *name)
{
    read_scene(name);
    expect_thresholds(tips, 1e-8);
}

/* ---------------------------------------------------------------- limits */

/* One link on the world, without gravity. */
static void set_link(struct body_link link)
{
    memset(&scene, 0, sizeof scene);
    scene.form = &scene_in_space;
    scene.links[0] = link;
    scene.space.rates = joint_rates(&joint_kinds[link.kind]);
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

/* A ball turns until it is stopped. */
static void turn_ball(const char *name)
{
    const struct ball_case *c = ball_cases;
    while (strcmp(c->name, name) != 0)
        c++;
    struct vec3 w = ball_rate(c);
    set_link(ball_link(c));
    memcpy(scene.q, (double[]){c->q.w, c->q.x, c->q.y, c->q.z}, 4 * sizeof scene.q[0]);
    memcpy(scene.qd, (double[]){w.x, w.y, w.z}, 3 * sizeof scene.qd[0]);
    start();
    double start_j = kinetic();
    run_until(has_stopped);
    double stop = now_s, lost_j = start_j - kinetic();
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *quantity = word(row, "quantity");
        struct vec3 now = rate(0);
        if (json_object_get(row, "after_s"))
            go_to(stop + number(row, "after_s"));
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

static void hinge_limit(const char *name)
{
    set_link(hinge_link());
    scene.space.freedoms[0].drive = hinge_drive;
    scene.q[0] = scene.links[0].lower[0];
    start();
    run_until(has_stopped);
    double stop = now_s, speed = before_qd[0], inertia = scene.links[0].inertia.zz;
    double lost_j = dynamics_ledger(run)->loss_limit_j;
    go_to(stop + 1);
    expect_one("inertia_about_axis", NULL, -1, spatial_state_of(run)->birth_inertia[0]);
    expect_one("time_to_stop", NULL, -1, stop);
    expect_one("omega_at_stop", NULL, -1, speed);
    expect_one("angle_after", NULL, -1, run->q[0]);
    expect_one("energy_loss", NULL, -1, lost_j);
    expect_one("hinge_torque_across_axis_just_before_stop", NULL, -1, hinge_bend(speed, inertia));
}

/* ---------------------------------------------------------------- drag */

/* A block in viscosity, with gravity along an axis, or turning about it. */
static void start_block(int axis, double gravity, double spin)
{
    const struct vec3 size_m = {0.4, 0.2, 0.3};
    set_link(box_link(-1, LINK_FREE, 600 * size_m.x * size_m.y * size_m.z, size_m));
    scene.space.boxes[0] = (struct body_box){.turn = QUATERNION_ONE, .size_m = size_m};
    scene.space.box_count = 1;
    scene.world.viscosity_pa_s_m = 5;
    scene.world.gravity_x_m_s2 = axis == 0 ? -gravity : 0;
    scene.world.gravity_m_s2 = axis == 1 ? gravity : 0;
    scene.world.gravity_z_m_s2 = axis == 2 ? -gravity : 0;
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
        go_to(2);
        expect_of_axis("fall_in_2s", "axis_up", axis, -run->q[axis]);
        /* what an exponential from rest comes to, by two moments (Aitken) */
        start_block(axis, 9.81, 0);
        go_to(20);
        double early = -run->qd[axis];
        go_to(40);
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
        set_link(link_with(-1, kind, 1, (struct sym3){1, 0, 0, 1, 0, 1}));
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
        struct vec3 bent = vec3_add(vec3_cross(b->free.w, r), vec3_cross(w, swept));
        const struct {
            const char *name;
            struct vec3 value;
        } vectors[] = {{"point", vec3_add(b->place.centre, r)},
                       {"omega", w},
                       {"point_velocity", vec3_add(b->place.velocity, swept)},
                       {"point_acceleration_qdd0", vec3_add(b->free.v, bent)}};
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
} measures[] = {{"box-impact-flat", strike_ground, 0},
                {"box-impact-edge", strike_ground, 0},
                {"box-impact-corner", strike_ground, 0},
                {"edge-edge-impact", edge_edge_impact, 0},
                {"bouncing-box", bouncing_box, 1},
                {"sliding-box-oblique", sliding_box_oblique, 0},
                {"spinning-box-friction", spinning_box_friction, 0},
                {"tripod-slide-spin", tripod_slide_spin, 0},
                {"incline-oblique", incline_oblique, 0},
                {"box-tipping-fall", box_tipping_fall, 1},
                {"box-tipping-threshold", box_tipping_threshold, 1},
                {"hinge-limit-oblique-axis", hinge_limit, 0},
                {"spherical-cone-touch", turn_ball, 0},
                {"spherical-cone-limit", turn_ball, 0},
                {"spherical-twist-limit", turn_ball, 0},
                {"box-drag-decay", drag_decay, 1},
                {"joint-kinematics", joint_kinematics, 0}};
enum { CASES = sizeof measures / sizeof measures[0] };

static const char *only; /* this case, unless NULL */

static void setup(void)
{
    rows_load(&touching, FOLDER "touching.json");
    rows_load(&forms, FOLDER "closed-forms.json");
    tolerance_key = "tol_ref";
    scene_set_up();
}

TEST_LOOP(exact_case, 0, CASES)
{
    const char *name = measures[_i].name;
    if ((CHECKS_ARE_DEAR && measures[_i].is_long) || (only && strcmp(only, name) != 0))
        return;
    json_t *list = json_object_get(touching, name);
    open_rows(name, list ? list : json_object_get(forms, name));
    measures[_i].measure(name);
    rows_expect_all(rows, is_measured);
}

int main(int argc, char **argv)
{
    int is_table = argc > 1 && strcmp(argv[1], "--markdown") == 0;
    only = is_table && argc > 2 ? argv[2] : NULL;
    int status = run_tests_or_table("space_exact", 240, setup, NULL, is_table);
    if (is_table) {
        printf("| case | numbers | constraint |\n|---|---|---|\n");
        tally_print();
    }
    return status;
}
