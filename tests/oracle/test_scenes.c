/* Reference cases as scenes, moved by both solvers: closed forms in 60-digit arithmetic, and
 * motions integrated in 128-bit floating point by two independent formulations (pendulums, chain).
 * The numbers are in cases.json, the scenes in scenes/. All tolerances are absolute.
 *
 *   default      articulated, 1/240 s, integrator auto      within tol_engine (two cases say
 *                                                           otherwise)
 *   rk4          articulated, RK4 with a fine step          within tol_ref, where nothing touches
 *   constraint   rtol 1e-12, touching within 1e-10 m        within tol_ref
 *   midpoint     articulated, 1/240 s, no step of RK4       within tol_engine, a few cases
 *
 * With the argument --markdown there is one line for each case, for docs/physics.md and `make
 * oracle`; without it the same is a Check program, which names what is wrong. Every number of
 * cases.json must be measured by every run that its case names: none is left out in silence. */
#include <jansson.h>

#include "tests/readout.h"
#include "tests/documented.h"
#include "tests/scene_fixture.h"

#define FOLDER "tests/oracle/"
#define PI     3.14159265358979323846
#define DEGREE (PI / 180)

enum way { WAY_DEFAULT, WAY_RK4, WAY_CONSTRAINT, WAY_MIDPOINT, WAY_COUNT };
enum { WITH_DEFAULT = 1, WITH_RK4 = 2, WITH_CONSTRAINT = 4, WITH_ALL = 7, WITH_MIDPOINT = 8 };
static const char *const way_names[WAY_COUNT] = {"default", "rk4", "constraint", "midpoint"};

/* A number to be found. */
struct expected {
    const char *quantity, *of; /* `of` tells variants of the case apart; "" where there are none */
    double t_s;                /* < 0: not at a time */
    double value, tol_ref;
    double tol_engine; /* 0: too sensitive for the default */
    double measured[WAY_COUNT];
    int is_measured[WAY_COUNT];
};

struct oracle_case {
    const char *name;
    void (*measure)(void);
    int runs;              /* WITH_* */
    double default_dt_s;   /* 0: 1/240 */
    double fine_dt_s;      /* of the runs rk4 and constraint; 0: 1/3840, and 1/960 */
    struct expected *list; /* from cases.json */
    size_t count;
};

/* The case that is moved, in which way, and which variant of it. */
static struct oracle_case *moved;
static enum way moved_way;
static char variant[64];

static json_t *cases_json;

/* ---------------------------------------------------------------- trials */

static void die(const char *what, const char *message)
{
    fprintf(stderr, "test_scenes: %s: %s\n", what, message);
    exit(EXIT_FAILURE);
}

/* Names the variant that is measured from now on. */
static void __attribute__((format(printf, 1, 2))) trial_name(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(variant, sizeof variant, format, arguments);
    va_end(arguments);
}

/* Reads a scene; the trial may change it before trial_start(). */
static void trial_read(const char *name)
{
    ck_ok(scene_read_file(&scene, printed(FOLDER "scenes/%s.json", name), &error));
}

static double trial_dt(void)
{
    double fine = moved->fine_dt_s;
    if (moved_way == WAY_DEFAULT || moved_way == WAY_MIDPOINT)
        return moved->default_dt_s > 0 ? moved->default_dt_s : 1.0 / 240;
    if (fine > 0)
        return fine;
    return moved_way == WAY_RK4 ? 1.0 / 3840 : 1.0 / 960;
}

static void trial_start(void)
{
    struct dynamics_settings *settings = &scene.settings;
    settings->dt_s = trial_dt();
    settings->integrator = moved_way == WAY_RK4        ? INTEGRATOR_RK4
                           : moved_way == WAY_MIDPOINT ? INTEGRATOR_MIDPOINT
                                                       : INTEGRATOR_AUTO;
    settings->solver = moved_way == WAY_CONSTRAINT ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
    settings->rtol = 1e-12;
    start_scene();
}

static void trial_begin(const char *name)
{
    trial_read(name);
    trial_start();
}

/* Joint coordinates of body i, when every body has a link. */
static double angle_of(int i)
{
    return run->q[2 + scene.bodies[i].link];
}

static double rate_of(int i)
{
    return run->qd[2 + scene.bodies[i].link];
}

static struct part_state state_of(int i)
{
    struct part_state state;
    scene_body_state(&scene, run, i, &state);
    return state;
}

/* Of a number that is found twice the worse one counts. */
static void record_at(const char *quantity, double t_s, double value)
{
    for (size_t i = 0; i < moved->count; i++) {
        struct expected *e = &moved->list[i];
        if (strcmp(e->quantity, quantity) != 0 || strcmp(e->of, variant) != 0 ||
            fabs(e->t_s - t_s) > 1e-9)
            continue;
        if (!e->is_measured[moved_way] ||
            !(fabs(value - e->value) <= fabs(e->measured[moved_way] - e->value)))
            e->measured[moved_way] = value;
        e->is_measured[moved_way] = 1;
    }
}

static void record(const char *quantity, double value)
{
    record_at(quantity, -1, value);
}

/* A quantity at a share of a step of h, from its values and rates at both ends: by the cubic
 * through them. */
static double between(double x0, double v0, double x1, double v1, double h, double s)
{
    double r = 1 - s;
    return r * r * (1 + 2 * s) * x0 + s * s * (3 - 2 * s) * x1 + s * r * r * h * v0 -
           s * s * r * h * v1;
}

/* Where in a step of h a quantity passes a level. */
static double find_crossing(double x0, double v0, double x1, double v1, double h, double level)
{
    double low = 0, high = 1, sign = x1 > x0 ? 1 : -1;
    for (int i = 0; i < 60; i++) {
        double s = (low + high) / 2;
        if (sign * (between(x0, v0, x1, v1, h, s) - level) < 0)
            low = s;
        else
            high = s;
    }
    return h * low;
}

/* Steps until the angle of body 0 has passed the level; the time when it did. */
static double run_to_angle(double level)
{
    double angle = angle_of(0), rate = rate_of(0);
    double side = angle > level ? 1 : -1;
    while (side * (angle_of(0) - level) > 0) {
        angle = angle_of(0);
        rate = rate_of(0);
        run_steps(1);
    }
    return time_now() - scene.settings.dt_s +
           find_crossing(angle, rate, angle_of(0), rate_of(0), scene.settings.dt_s, level);
}

/* Steps until the rate of body 0 has changed its sign; the angle where it did, on the parabola that
 * has both rates, improved by both angles. */
static double run_to_turn(void)
{
    double angle = angle_of(0), rate = rate_of(0);
    do {
        angle = angle_of(0);
        rate = rate_of(0);
        run_steps(1);
    } while (rate_of(0) * rate > 0);
    double now = rate_of(0);
    return between(angle, rate, angle_of(0), now, scene.settings.dt_s, rate / (rate - now));
}

/* ---------------------------------------------------------------- free flight and drag */

static void measure_projectile(void)
{
    const double g = 9.81;
    trial_begin("projectile");
    record("E_total", energy_now());
    for (int has_landed = 0; !has_landed;) {
        struct part_state before = state_of(0);
        double time = time_now(), v = before.velocity_m_s.y;
        run_steps(1);
        struct part_state now = state_of(0);
        record_at("x", time_now(), now.at_m.x);
        record_at("y", time_now(), now.at_m.y);
        record_at("theta", time_now(), now.angle_rad);
        if (v > 0 && now.velocity_m_s.y <= 0) {
            record("t_apex", time + v / g);
            record("y_apex", before.at_m.y + v * v / g / 2);
        }
        if (now.at_m.y <= 0) {
            double fall = (v + sqrt(v * v + 2 * g * before.at_m.y)) / g;
            record("t_land_y0", time + fall);
            record("x_land", before.at_m.x + before.velocity_m_s.x * fall);
            has_landed = 1;
        }
    }
    record("E_total", energy_now());
    record("E_total", energy_now() - dynamics_ledger(run)->residual_j);
}

static void measure_terminal_velocity(void)
{
    trial_begin("falling-square");
    run_to(1);
    record_at("speed", 1, -state_of(0).velocity_m_s.y);
    run_to(5);
    record_at("fall_distance", 5, -state_of(0).at_m.y);
    run_to(20);
    record("v_terminal", -state_of(0).velocity_m_s.y);
}

static void measure_reaction_wheel(void)
{
    trial_begin("reaction-wheel");
    run_to(5);
    record("body_rotation", state_of(0).angle_rad);
    record("joint_angle_reported", angle_of(1));
}

/* An edge, as vn in its middle, rate, length and coefficient of drag. */
struct moving_edge {
    const char *of;
    double speed, rate, length, coefficient;
};
static const struct moving_edge moving_edges[] = {{"v 1 w 0 L 1 k 2", 1, 0, 1, 2},
                                                  {"v 0.3 w 2 L 0.8 k 5", 0.3, 2, 0.8, 5},
                                                  {"v -0.4 w 3 L 1.2 k 1.5", -0.4, 3, 1.2, 1.5},
                                                  {"v 0.9 w -1 L 0.5 k 4", 0.9, -1, 0.5, 4}};

/* Starts a plate, body 0, whose upper side is that edge. */
static void start_plate(const struct moving_edge *edge)
{
    struct scene_body *body = &scene.bodies[0];
    body->velocity =
        (struct vec2){-sin(body->angle_rad) * edge->speed, cos(body->angle_rad) * edge->speed};
    body->rate_rad_s = edge->rate;
    scene.parts[0].width_m = edge->length;
    trial_start();
}

/* Force and torque are mass times the derivative of the velocity at the start, by a one-sided
 * formula of order 8, which needs more digits of the velocities than steps of 1/240 s give. */
static void find_drag(double *force, double *torque)
{
    static const double weights[9] = {-761.0 / 280, 8,         -14,     56.0 / 3, -35.0 / 2,
                                      56.0 / 5,     -14.0 / 3, 8.0 / 7, -1.0 / 8};
    const struct scene_body *body = &scene.bodies[0];
    double nx = -sin(body->angle_rad), ny = cos(body->angle_rad), along = 0, spin = 0;
    for (int j = 0; j < 9; j++) {
        run_to(j / 120.0);
        struct part_state s = state_of(0);
        along += 120 * weights[j] * (nx * s.velocity_m_s.x + ny * s.velocity_m_s.y);
        spin += 120 * weights[j] * s.spin_rad_s.z;
    }
    *force = body->mass_kg * along;
    *torque = body->inertia_kg_m2 * spin;
}

/* A plate is two edges back to back; the thickness w adds k w^3 / 6 to the spin. All other laws on
 * a plate of which one side is hidden. */
static void measure_edge_drag(void)
{
    static const struct {
        const char *of;
        int law, faces;
    } laws[] = {{"leading linear", DRAG_LAW_LINEAR, DRAG_FACES_LEADING},
                {"quadratic", DRAG_LAW_QUADRATIC, DRAG_FACES_ALL},
                {"leading quadratic", DRAG_LAW_QUADRATIC, DRAG_FACES_LEADING}};
    double force, torque;
    for (size_t i = 0; i < sizeof moving_edges / sizeof moving_edges[0]; i++) {
        const struct moving_edge *edge = &moving_edges[i];
        trial_read("drag-plate");
        double k = edge->coefficient, w = scene.parts[0].height_m;
        scene.world.viscosity_pa_s = k;
        trial_name("%s", edge->of);
        start_plate(edge);
        find_drag(&force, &torque);
        record("force", force / 2);
        record("torque", (torque + k * edge->rate * w * w * w / 6) / 2);
        for (size_t law = 0; law < sizeof laws / sizeof laws[0]; law++) {
            trial_read("drag-edge");
            scene.world.drag_law = laws[law].law;
            scene.world.drag_faces = laws[law].faces;
            scene.world.viscosity_pa_s = scene.world.quadratic_drag_kg_m2 = k;
            trial_name("%s, %s", laws[law].of, edge->of);
            start_plate(edge);
            find_drag(&force, &torque);
            record("force", force);
            record("torque", torque);
        }
    }
}

static void measure_paddle(void)
{
    trial_name("%s", "a");
    trial_begin("paddle-free");
    run_to(0.2);
    record_at("omega", 0.2, rate_of(0));
    run_to(4);
    record("total_angle", angle_of(0));

    trial_name("%s", "b");
    trial_begin("paddle-pinned");
    run_to(0.1);
    record_at("omega", 0.1, rate_of(0));
    run_to(4);
    record("total_angle", angle_of(0));
}

/* ---------------------------------------------------------------- joints */

/* Four times the way from rest to the lowest point. */
static void measure_period(const char *file, const char *quantity)
{
    static const double amplitudes_deg[] = {5, 30, 60, 90, 120, 150, 170, 175};
    for (size_t i = 0; i < sizeof amplitudes_deg / sizeof amplitudes_deg[0]; i++) {
        trial_name("%g deg", amplitudes_deg[i]);
        trial_read(file);
        scene.bodies[0].freedom.start = (amplitudes_deg[i] - 90) * DEGREE;
        trial_start();
        record(quantity, 4 * run_to_angle(-PI / 2));
    }
    trial_name("%s", "");
}

static void measure_pendulum(void)
{
    measure_period("pendulum-rod", "period_rod");
    measure_period("pendulum-point", "period_point_mass");
}

static void record_chain(double t_s, double last_length)
{
    char name[16];
    struct vec3 com = dynamics_centre_of_mass(run);
    double p[3];
    int count = scene.body_count;
    read_momentum(run, p);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "q%d", i + 1);
        record_at(name, t_s, angle_of(i));
        snprintf(name, sizeof name, "dq%d/dt", i + 1);
        record_at(name, t_s, rate_of(i));
    }
    struct vec2 tip = scene_body_point(&scene, run, count - 1, (struct vec2){last_length, 0});
    record_at("E_mech", t_s, energy_now());
    record_at("L_about_com", t_s, p[2] - (com.x * p[1] - com.y * p[0]));
    record_at("com_x", t_s, com.x);
    record_at("com_y", t_s, com.y);
    record_at("tip_x", t_s, tip.x);
    record_at("tip_y", t_s, tip.y);
}

static void measure_chain(const char *file, double last_length)
{
    trial_begin(file);
    double t_s = 0;
    for (size_t i = 0; i < moved->count; i++) {
        if (moved->list[i].t_s <= t_s)
            continue;
        t_s = moved->list[i].t_s;
        run_to(t_s);
        record_chain(t_s, last_length);
    }
}

static void measure_double_pendulum(void)
{
    measure_chain("double-pendulum-rods", 0.7);
}

static void measure_point_pendulum(void)
{
    measure_chain("double-pendulum-point", 1);
}

static void measure_chain5(void)
{
    measure_chain("chain5-pinned", 0.2);
}

static void measure_hinge_pd(void)
{
    static const double times[] = {0.1, 0.5, 1, 2};
    trial_begin("hinge-pd-rod");
    for (int i = 0; i < 4; i++) {
        run_to(times[i]);
        record_at("theta", times[i], angle_of(0));
        record_at("omega", times[i], rate_of(0));
    }
    trial_start();
    run_steps(1);
    double over = run_to_turn() - 1, under = 1 - run_to_turn();
    double decrement = log(over / under);
    record("overshoot", over);
    record("damping_ratio", decrement / sqrt(PI * PI + decrement * decrement));
}

static void measure_joint_limit(void)
{
    const double limit = 270 * DEGREE;
    trial_begin("joint-limit");

    /* the last state before the stop, and from there on by the exact motion */
    double angle = 0, rate = 0;
    while (rate_of(0) >= rate && time_now() < 3) {
        angle = angle_of(0);
        rate = rate_of(0);
        run_steps(1);
    }
    double at_stop = sqrt(rate * rate + 2 * 5 * (limit - angle));
    record("time_to_stop", time_now() - scene.settings.dt_s + (at_stop - rate) / 5);
    record("omega_at_stop", at_stop);
    run_to(3);
    record("angle_after", angle_of(0));
    record("stop_energy_loss", dynamics_ledger(run)->loss_limit_j);
}

/* Damping that gives a ratio: c = 2 ratio sqrt(k m). Adhesive: until it is back where it began;
 * clamped: until the force is zero. */
static void measure_spring_dashpot(void)
{
    static const double ratios[] = {0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7};
    double duration = 0;
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        double k = 1e4, c = 2 * ratios[i] * 100;
        trial_name("zeta %g", ratios[i]);
        trial_read("spring-dashpot");
        scene.bodies[0].freedom.drive.damping = c;
        trial_start();
        double h = scene.settings.dt_s, has_let_go = 0;
        for (int is_back = 0; !is_back;) {
            double x = angle_of(0), v = rate_of(0), a = -k * x - c * v;
            run_steps(1);
            double x1 = angle_of(0), v1 = rate_of(0), a1 = -k * x1 - c * v1;
            if (!has_let_go && steps > 1 && v1 > 0 && a1 <= 0) {
                /* a' = -k v - c a; the speed there from both ends: v is a cubic in time, too */
                double s = find_crossing(a, -k * v - c * a, a1, -k * v1 - c * a1, h, 0) / h;
                record("restitution_clamped_f>=0", between(v, a, v1, a1, h, s));
                has_let_go = 1;
            }
            is_back = x < 0 && x1 >= 0;
            if (is_back) {
                double s = find_crossing(x, v, x1, v1, h, 0) / h;
                record("restitution_adhesive", between(v, a, v1, a1, h, s));
                if (i == 0)
                    duration = time_now() - h + h * s;
            }
        }
    }
    trial_name("%s", "");
    record("contact_duration_undamped", duration);
    trial_read("spring-dashpot");
    struct scene_freedom *slide = &scene.bodies[0].freedom;
    slide->rate = 0;
    slide->drive.damping = 140;
    slide->drive.target = -9.81 / slide->drive.kp;
    trial_start();
    run_to(1);
    record("static_penetration_mg/k", -angle_of(0));
}

/* ---------------------------------------------------------------- contacts */

static void measure_sliding_block(void)
{
    static const double frictions[] = {0.5, 0.1, 0.3, 0.8, 1};
    for (size_t i = 0; i < sizeof frictions / sizeof frictions[0]; i++) {
        trial_name("mu %g", frictions[i]);
        trial_read("sliding-block");
        scene.world.friction = frictions[i];
        trial_start();

        /* the last speeds before it stops tell when it does */
        double speed = 3, before = 3;
        for (double now = 3; now > 1e-6 && time_now() < 5; now = state_of(0).velocity_m_s.x) {
            before = speed;
            speed = now;
            run_steps(1);
        }
        double left = speed / (before - speed) * scene.settings.dt_s;
        record("stop_time", time_now() - scene.settings.dt_s + left);
        run_to(time_now() + 1);
        double stopped = state_of(0).at_m.x;
        record("stop_distance", stopped);
        record("height", state_of(0).at_m.y);
        record("friction_loss", dynamics_ledger(run)->loss_friction_j);
        run_to(time_now() + 1);
        record("creep_after_stop_per_s", state_of(0).at_m.x - stopped);
    }
}

/* The times and heights of bounces are a geometric series, and so is what is left after the sixth:
 * its ratio is that of those measured. */
static void measure_bouncing(void)
{
    const double g = 9.81, radius = 0.1;
    double times[6], heights[6], path;
    trial_begin("bouncing-ball");
    path = state_of(0).at_m.y - radius;
    for (int bounce = 0; bounce < 6 && time_now() < 4;) {
        struct part_state before = state_of(0);
        double time = time_now();
        run_steps(1);
        struct part_state now = state_of(0);
        if (!(before.velocity_m_s.y < 0 && now.velocity_m_s.y > 0))
            continue;
        double speed =
            sqrt(before.velocity_m_s.y * before.velocity_m_s.y + 2 * g * (before.at_m.y - radius));
        times[bounce] = time + (speed + before.velocity_m_s.y) / g;
        heights[bounce] = now.at_m.y - radius + now.velocity_m_s.y * now.velocity_m_s.y / g / 2;
        path += 2 * heights[bounce];
        trial_name("bounce %d", bounce + 1);
        record("bounce_time", times[bounce]);
        record("impact_speed", speed);
        record("apex_height_after", heights[bounce++]);
    }
    double last = times[5] - times[4], ratio = sqrt(sqrt(last / (times[1] - times[0])));
    double fall = heights[5] / heights[4];
    trial_name("%s", "");
    record("zeno_time", times[5] + last * ratio / (1 - ratio));
    record("total_path", path + 2 * heights[5] * fall / (1 - fall));
}

/* Sums of the impulses in the step just taken of the contacts at x along, within 5 cm. */
static void sum_impulses(double x, double y, double sum[2])
{
    const struct contact_point *points;
    int count = dynamics_contacts(run, &points);
    sum[0] = sum[1] = 0;
    for (int i = 0; i < count; i++)
        if (fabs(points[i].at.x - x) < 0.05 && fabs(points[i].at.y - y) < 0.05) {
            sum[0] += points[i].normal_impulse_n_s;
            sum[1] += points[i].friction_impulse_n_s;
        }
}

/* A disk's mass is within it, a ring's at the rim. Friction is what it takes to turn: least that of
 * the forces' ratio. */
static void measure_rolling(void)
{
    const double slope = 10 * DEGREE;
    for (int is_ring = 0; is_ring < 2; is_ring++) {
        trial_read("rolling-incline");
        struct scene_body *body = &scene.bodies[0];
        struct vec2 start = body->at;
        if (is_ring)
            body->inertia_kg_m2 = body->mass_kg * 0.2 * 0.2;
        trial_start();
        run_to(2);
        struct part_state s = state_of(0);
        double impulse[2];
        double way = (s.at_m.x - start.x) * cos(slope) - (s.at_m.y - start.y) * sin(slope);
        record(is_ring ? "acceleration_ring" : "acceleration_disk",
               (s.velocity_m_s.x * cos(slope) - s.velocity_m_s.y * sin(slope)) / 2);
        if (is_ring)
            continue;
        sum_impulses(s.at_m.x - 0.2 * sin(slope), s.at_m.y - 0.2 * cos(slope), impulse);
        record_at("distance_disk", 2, way);
        record_at("omega_disk", 2, -s.spin_rad_s.z);
        record("friction_force_disk", fabs(impulse[1]) / scene.settings.dt_s);
        record("mu_min_disk", fabs(impulse[1]) / impulse[0]);
    }
}

/* The speed of the disk's lowest point falls evenly until it is 0; what it was in the two steps
 * before tells when. */
static void measure_slide_to_roll(void)
{
    trial_begin("slide-to-roll");
    struct part_state s = state_of(0), held = s;
    double slip = 4, before = 4;
    for (double now = 4; now > 1e-3 && time_now() < 5;
         now = state_of(0).velocity_m_s.x + 0.2 * state_of(0).spin_rad_s.z) {
        before = slip;
        slip = now;
        held = state_of(0);
        run_steps(1);
    }
    double left = slip / (before - slip) * scene.settings.dt_s, slowing = 9.81 * 0.25;
    record("time_to_roll", time_now() - scene.settings.dt_s + left);
    record("distance_at_roll",
           held.at_m.x + held.velocity_m_s.x * left - slowing * left * left / 2);
    run_to(time_now() + 1);
    s = state_of(0);
    record("final_speed", s.velocity_m_s.x);
    record("energy_lost", dynamics_ledger(run)->loss_friction_j);
}

static void measure_stacked_boxes(void)
{
    static const struct {
        const char *quantity;
        double x, y;
    } places[] = {{"N_top_at_x=-0.1", -0.1, 0.2},
                  {"N_top_at_x=+0.2", 0.2, 0.2},
                  {"N_floor_left", -0.2, 0},
                  {"N_floor_right", 0.2, 0}};
    trial_begin("stacked-boxes");
    double bottom = state_of(0).at_m.x, top = state_of(1).at_m.x, impulse[2];
    run_to(10);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        sum_impulses(places[i].x, places[i].y, impulse);
        record(places[i].quantity, impulse[0] / scene.settings.dt_s);
    }
    record("drift_in_10_s",
           fmax(fabs(state_of(0).at_m.x - bottom), fabs(state_of(1).at_m.x - top)));
}

static void measure_head_on(void)
{
    double p[3];
    trial_begin("head-on-collision");
    run_to(0.5);
    read_momentum(run, p);
    record("v1", state_of(0).velocity_m_s.x);
    record("v2", state_of(1).velocity_m_s.x);
    record("momentum", p[0]);
    record("energy_lost", dynamics_ledger(run)->loss_impact_j);
}

/* The loop is closed at the start and turned until the crank is where it is asked for. */
static void measure_four_bar(void)
{
    trial_begin("four-bar");
    run_to(0.1);
    struct part_state coupler = state_of(1), rocker = state_of(2);
    struct vec2 joint = scene_body_point(&scene, run, 1, (struct vec2){3, 0});
    record("theta3", coupler.angle_rad);
    record("theta4", rocker.angle_rad);
    record("omega3", coupler.spin_rad_s.z);
    record("omega4", rocker.spin_rad_s.z);
    record("coupler_joint_x", joint.x);
    record("coupler_joint_y", joint.y);
}

static void measure_corner_impact(void)
{
    static const struct {
        const char *of;
        double friction, speed;
    } impacts[] = {{"frictionless", 0, 0}, {"sticking", 100, 0}, {"coulomb_sliding_mu0.2", 0.2, 3}};
    const double rx = -cos(30 * DEGREE) / 2, ry = -0.25;
    for (size_t i = 0; i < sizeof impacts / sizeof impacts[0]; i++) {
        trial_name("%s", impacts[i].of);
        trial_read("rod-corner-impact");
        scene.world.friction = impacts[i].friction;
        scene.bodies[0].velocity.x = impacts[i].speed;
        trial_start();
        double before = energy_now(), jn = 0, jt = 0;
        run_steps(1);
        const struct contact_point *points;
        int count = dynamics_contacts(run, &points);
        for (int k = 0; k < count; k++) {
            jn += points[k].normal_impulse_n_s;
            jt += points[k].friction_impulse_n_s;
        }
        struct part_state s = state_of(0);
        record("jn", jn);
        record("jt", jt);
        record("vx_after", s.velocity_m_s.x);
        record("vy_after", s.velocity_m_s.y);
        record("omega_after", s.spin_rad_s.z);
        record("contact_vt_after", s.velocity_m_s.x - s.spin_rad_s.z * ry);
        record("contact_vn_after", s.velocity_m_s.y + s.spin_rad_s.z * rx);
        const struct ledger *l = dynamics_ledger(run);
        record("dE", energy_now() - before);
        record("dE", -l->loss_impact_j - l->loss_friction_j);
        record("dE", energy_now() - before - l->residual_j);
    }
}

/* ---------------------------------------------------------------- cases */

static struct oracle_case cases[] = {
    {"projectile_vacuum", measure_projectile, .runs = WITH_ALL | WITH_MIDPOINT},
    {"terminal_velocity_linear", measure_terminal_velocity, .runs = WITH_ALL | WITH_MIDPOINT},
    {"pendulum_period", measure_pendulum, .runs = WITH_ALL},
    {"double_pendulum_rods", measure_double_pendulum, .runs = WITH_ALL},
    {"double_pendulum_point", measure_point_pendulum, .runs = WITH_ALL},
    {"chain5_pinned", measure_chain5, .runs = WITH_ALL},
    {"hinge_pd_rod", measure_hinge_pd, .runs = WITH_ALL},
    {"reaction_wheel", measure_reaction_wheel, .runs = WITH_ALL | WITH_MIDPOINT},
    {"joint_limit_beyond_half_turn", measure_joint_limit, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"sliding_block_stop", measure_sliding_block, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"bouncing_ball", measure_bouncing, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"rolling_disk_incline", measure_rolling, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"slide_to_roll", measure_slide_to_roll, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"stacked_boxes_forces", measure_stacked_boxes, .runs = WITH_DEFAULT | WITH_CONSTRAINT,
     .fine_dt_s = 1.0 / 240},
    {"head_on_collision", measure_head_on, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"rod_corner_impact", measure_corner_impact, .runs = WITH_DEFAULT | WITH_CONSTRAINT},
    {"edge_drag_integrals", measure_edge_drag, .runs = WITH_ALL, .default_dt_s = 1.0 / 1920},
    {"paddle_spin_down", measure_paddle, .runs = WITH_ALL | WITH_MIDPOINT},
    {"four_bar_kinematics", measure_four_bar, .runs = WITH_CONSTRAINT},
    {"spring_dashpot_restitution", measure_spring_dashpot, .runs = WITH_ALL,
     .fine_dt_s = 1.0 / 30720},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static void load_expected(struct oracle_case *oracle)
{
    json_t *list = json_object_get(cases_json, oracle->name);
    oracle->count = json_array_size(list);
    oracle->list = calloc(oracle->count + 1, sizeof oracle->list[0]);
    if (oracle->count == 0 || !oracle->list)
        die(oracle->name, "no numbers in cases.json");
    for (size_t i = 0; i < oracle->count; i++) {
        json_t *row = json_array_get(list, i);
        struct expected *e = &oracle->list[i];
        json_error_t fault;
        *e = (struct expected){.of = "", .t_s = -1};
        if (json_unpack_ex(row, &fault, JSON_STRICT, "{s:s, s?s, s?F, s:F, s:F, s?F}", "quantity",
                           &e->quantity, "of", &e->of, "t_s", &e->t_s, "value", &e->value,
                           "tol_ref", &e->tol_ref, "tol_engine", &e->tol_engine) != 0)
            die(oracle->name, fault.text);
    }
}

static void measure(struct oracle_case *oracle)
{
    for (int way = 0; way < WAY_COUNT; way++) {
        if (!(oracle->runs & 1 << way))
            continue;
        moved = oracle;
        moved_way = way;
        trial_name("%s", "");
        oracle->measure();
    }
}

static void load_cases(void)
{
    json_error_t fault;
    cases_json = json_load_file(FOLDER "cases.json", JSON_REJECT_DUPLICATES, &fault);
    if (!cases_json)
        die("cases.json", fault.text);
    if (json_object_size(cases_json) != CASE_COUNT)
        die("cases.json", "has other cases than this program");
    for (int i = 0; i < CASE_COUNT; i++)
        load_expected(&cases[i]);
}

static void unload_cases(void)
{
    for (int i = 0; i < CASE_COUNT; i++)
        free(cases[i].list);
    json_decref(cases_json);
}

static int is_engine(int way)
{
    return way == WAY_DEFAULT || way == WAY_MIDPOINT;
}

/* 1 if a run is to find the number. */
static int is_due(const struct oracle_case *oracle, const struct expected *e, int way)
{
    return (oracle->runs & 1 << way) && (!is_engine(way) || e->tol_engine > 0);
}

/* The constraint solver finds an impact at a depth of 1e-10 m: of six bounces that makes 1.6e-9
 * m. */
static double tolerance(const struct expected *e, int way)
{
    return is_engine(way) ? e->tol_engine : way == WAY_CONSTRAINT ? 2 * e->tol_ref : e->tol_ref;
}

/* Written so that what is not a number is bad. */
static int is_good(const struct expected *e, int way)
{
    return e->is_measured[way] && fabs(e->measured[way] - e->value) <= tolerance(e, way);
}

/* -------------------------------------------------------------- the table in the documentation */

#define PAGE "docs/physics.md"

/* The columns of its table. */
static const enum way documented[] = {WAY_DEFAULT, WAY_CONSTRAINT};
enum { DOCUMENTED = sizeof documented / sizeof documented[0] };

/* The number of a run that comes nearest to its tolerance, or passes it; NULL: none is due. */
static const struct expected *worst_of(const struct oracle_case *oracle, int way)
{
    const struct expected *worst = NULL;
    double largest = -1;
    for (size_t k = 0; k < oracle->count; k++) {
        const struct expected *e = &oracle->list[k];
        double share = fabs(e->measured[way] - e->value) / tolerance(e, way);
        if (is_due(oracle, e, way) && !(share <= largest)) {
            largest = share;
            worst = e;
        }
    }
    return worst;
}

static void print_row(const struct oracle_case *oracle)
{
    printf("| %s |", oracle->name);
    for (int i = 0; i < DOCUMENTED; i++) {
        enum way way = documented[i];
        const struct expected *e = worst_of(oracle, way);
        if (e)
            printf(" %.0e/%.0e |", fabs(e->measured[way] - e->value), tolerance(e, way));
        else
            printf(" |");
    }
    printf("\n");
}

START_TEST(print_markdown)
{
    scene_set_up();
    int failed = 0;
    printf("| case | articulated | constraint |\n|---|---|---|\n");
    for (int i = 0; i < CASE_COUNT; i++) {
        measure(&cases[i]);
        print_row(&cases[i]);
        for (size_t k = 0; k < cases[i].count; k++)
            for (int way = 0; way < WAY_COUNT; way++)
                failed |=
                    is_due(&cases[i], &cases[i].list[k], way) && !is_good(&cases[i].list[k], way);
    }
    ck_assert_int_eq(failed, 0);
}

/* The documented table has every case, and its errors are still the size of those measured. `make
 * accuracy` writes it. */
static void check_documented(const struct oracle_case *oracle)
{
    double shares[DOCUMENTED];
    documented_shares(PAGE, oracle->name, shares, DOCUMENTED);
    for (int i = 0; i < DOCUMENTED; i++) {
        enum way way = documented[i];
        const struct expected *e = worst_of(oracle, way);
        double share = e ? fabs(e->measured[way] - e->value) / tolerance(e, way) : -1;
        int is_current = e ? shares[i] >= 0 && share <= 10 * shares[i] + 0.01 : shares[i] < 0;
        ck_assert_msg(is_current,
                      "%s: %s, %s has an error of %.1e of what is allowed now (make accuracy)",
                      PAGE, oracle->name, way_names[way], share);
    }
}

/* Rows between the lines that `make accuracy` writes between: as many as there are cases. */
TEST(documented_cases_exist)
{
    char line[400];
    int is_inside = 0, rows = 0;
    FILE *page = fopen(PAGE, "r");
    ck_assert_msg(page != NULL, "%s cannot be opened", PAGE);
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "<!-- oracle: ", 13) == 0)
            is_inside = !is_inside;
        rows += is_inside && line[0] == '|';
    }
    fclose(page);
    ck_assert_msg(rows == CASE_COUNT + 2, "%s has %d rows for %d cases (make accuracy)", PAGE,
                  rows - 2, (int)CASE_COUNT);
}

/* ---------------------------------------------------------------- as tests */

TEST_LOOP(oracle_case, 0, CASE_COUNT)
{
    struct oracle_case *oracle = &cases[_i];
    int bad = 0;
    char first[240] = "";
    measure(oracle);
    for (size_t k = 0; k < oracle->count; k++) {
        const struct expected *e = &oracle->list[k];
        for (int way = 0; way < WAY_COUNT; way++) {
            if (!is_due(oracle, e, way) || is_good(e, way))
                continue;
            if (bad++ == 0)
                snprintf(first, sizeof first, "%s %s at %g s, %s: %.17g instead of %.17g +- %.1e",
                         e->quantity, e->of, e->t_s, way_names[way], e->measured[way], e->value,
                         tolerance(e, way));
        }
    }
    ck_assert_msg(bad == 0, "%s: %d numbers are wrong, first %s", oracle->name, bad, first);
    check_documented(oracle);
}

/* A mass 1 % off, and gravity 0.1 % off, are noticed. */
TEST(planted_faults)
{
    for (int fault = 0; fault < 2; fault++) {
        struct oracle_case oracle = cases[3];
        double gravity = fault ? 9.81 * 1.001 : 9.81;
        moved = &oracle;
        moved_way = WAY_DEFAULT;
        trial_name("%s", "");
        trial_read("double-pendulum-rods");
        scene.world.gravity_m_s2 = gravity;
        scene.bodies[1].mass_kg *= fault ? 1 : 1.01;
        trial_start();
        run_to(1);
        record_chain(1, 0.7);
        int bad = 0;
        for (size_t k = 0; k < oracle.count; k++)
            bad += oracle.list[k].t_s == 1 && !is_good(&oracle.list[k], WAY_DEFAULT);
        ck_assert_int_gt(bad, 0);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    load_cases();
    int result = strcmp(what, "--markdown") == 0
                     ? run_only(print_markdown, 600)
                     : run_defined_tests("scenes", 120, scene_set_up, NULL);
    unload_cases();
    return result;
}
