/* Contacts whose normals turn and whose places wander: balls and disks that roll, against closed
 * forms and the reference solver; faces and edges that turn while they slide over one another
 * without friction, which keeps all energy. What they gain by turning within a step is wrapped by
 * the linker (see the Makefile): without it, or with the touching point of a ball taken for a point
 * of matter, the same cases fail. */
#include "simulator/planar/contacts/contacts.h"
#include "simulator/reference/spatial_constraint.h"
#include "simulator/spatial/contacts/spatial_contacts.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "tests/scene_fixture.h"
#include "tests/wrapped.h"

enum fault {
    FAULT_NONE,
    FAULT_STILL,  /* in the plane: nothing is gained by turning */
    FAULT_MATTER, /* in space: what touches is matter, and normals stand */
};

#define GRAVITY_M_S2 9.81

static enum fault fault;

WRAP(void, contacts_add_drifts, struct contacts *s, double *const *middle)
{
    if (fault != FAULT_STILL)
        __real_contacts_add_drifts(s, middle);
    for (int i = 0; i < s->rows && fault == FAULT_STILL; i++)
        s->drift[i] = 0;
}

WRAP(void, spatial_contacts_measure_drifts, struct spatial_contacts *s)
{
    __real_spatial_contacts_measure_drifts(s);
    for (int i = 0; i < s->count && s->is_whole && fault == FAULT_MATTER; i++) {
        const struct spatial_contact *c = &s->list[i];
        struct vec3 gain = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const struct spatial_mover *m = side == 0 ? c->pair->one : c->pair->two;
            if (!m)
                continue;
            struct vec3 arm = vec3_sub(c->at, m->link->at), w = m->link->velocity.w;
            struct vec3 turn = vec3_cross(w, vec3_cross(w, arm));
            gain = vec3_along(gain, turn, side == 0 ? 1 : -1);
        }
        s->drift[3 * i] = s->dt_s / 2 * vec3_dot(gain, c->normal);
        for (int k = 0; k < 2; k++)
            s->drift[3 * i + 1 + k] = s->dt_s / 2 * vec3_dot(gain, c->tangents[k]);
    }
}

static void setup(void)
{
    scene_set_up();
    fault = FAULT_NONE;
}

/* ---------------------------------------------------------------- balls */

#define RADIUS_M 0.125

/* Free balls and boxes, with a ground or a fixed box below. */
struct rolling {
    double tilt_rad; /* of gravity, about z */
    double friction, own_friction;
    int has_ground, count;
    struct solid fixed;
    struct {
        struct vec3 size, at, velocity, rate;
        int is_round;
        double mass_kg;
    } bodies[2];
};

static struct spatial_state *state;

static void start_rolling(const struct rolling *r, int solver, double dt_s)
{
    static struct body_link links[2];
    static struct body_box boxes[2];
    double q[14], qd[12], tilt = r->tilt_rad;
    const struct body body = {
        .links = links, .link_count = r->count, .boxes = boxes, .box_count = r->count};
    const struct dynamics_settings settings = {.dt_s = dt_s, .rtol = 1e-10};
    const struct spatial_world world = {
        .gravity_m_s2 = {GRAVITY_M_S2 * sin(tilt), -GRAVITY_M_S2 * cos(tilt), 0},
        .surfaces = {.has_ground = r->has_ground,
                     .friction = r->friction,
                     .own_friction = r->own_friction,
                     .fixed = &r->fixed,
                     .fixed_count = r->fixed.half[0] > 0}};
    for (int i = 0; i < r->count; i++) {
        struct vec3 s = r->bodies[i].size;
        double m = r->bodies[i].mass_kg, share = r->bodies[i].is_round ? m / 20 : m / 12;
        links[i] = (struct body_link){.parent = -1,
                                      .kind = LINK_FREE,
                                      .frame = QUATERNION_ONE,
                                      .mass_kg = m,
                                      .inertia = {.xx = share * (s.y * s.y + s.z * s.z),
                                                  .yy = share * (s.x * s.x + s.z * s.z),
                                                  .zz = share * (s.x * s.x + s.y * s.y)}};
        boxes[i] = (struct body_box){
            .link = i, .turn = QUATERNION_ONE, .size_m = s, .is_round = r->bodies[i].is_round};
        const struct vec3 at = r->bodies[i].at, v = r->bodies[i].velocity, w = r->bodies[i].rate;
        const double of_q[] = {at.x, at.y, at.z, 1, 0, 0, 0},
                     of_qd[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(q + 7 * i, of_q, sizeof of_q);
        memcpy(qd + 6 * i, of_qd, sizeof of_qd);
    }
    arena_reset(&arena);
    state = solver == SOLVER_CONSTRAINT
                ? spatial_constraint_create(&body, &world, &settings, &arena)
                : spatial_dynamics_create(&body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(state);
    dynamics_set_state(&state->dynamics, q, qd);
    dynamics_reset_ledger(&state->dynamics);
}

static void run_rolling(double time_s)
{
    for (int i = 0; i < time_s / state->settings.dt_s - 0.5; i++)
        ck_assert_int_eq(dynamics_step(&state->dynamics), 0);
}

static double kept_energy(void)
{
    const struct ledger *l = dynamics_ledger(&state->dynamics);
    return l->kinetic_j + l->potential_j - l->energy_start_j;
}

static const struct rolling level = {.friction = 0.5,
                                     .has_ground = 1,
                                     .count = 1,
                                     .bodies = {{{2 * RADIUS_M, 2 * RADIUS_M, 2 * RADIUS_M},
                                                 {0, RADIUS_M, 0},
                                                 {0, 0, 0},
                                                 {0, 0, 0},
                                                 1,
                                                 1}}};

/* A ball on the ground, rolling at once or sliding at first, on the level or down a slope: how far
 * the place, velocity and spin are off those of I = 2/5 m r^2, as a share. */
static double rolls_off_by(int solver, double speed, double spin, double tilt, double friction)
{
    struct rolling r = level;
    double g = GRAVITY_M_S2 * cos(tilt), down = GRAVITY_M_S2 * sin(tilt), time_s = 2;
    double v = speed, w = spin, x = 0, left = time_s, slip = v + RADIUS_M * w;
    if (slip != 0) {
        double a = down - copysign(friction * g, slip), t;
        double turn = -copysign(2.5 * friction * g / RADIUS_M, slip);
        t = -slip / (a + RADIUS_M * turn);
        x = v * t + a * t * t / 2;
        v += a * t;
        w += turn * t;
        left -= t;
    }
    double a = down / 1.4;
    x += v * left + a * left * left / 2;
    v += a * left;
    w -= a / RADIUS_M * left;
    r.tilt_rad = tilt;
    r.friction = friction;
    r.bodies[0].velocity.x = speed;
    r.bodies[0].rate.z = spin;
    start_rolling(&r, solver, 1.0 / 240);
    run_rolling(time_s);
    const double *q = state->q, *qd = state->qd;
    double off = fmax(fabs(q[0] - x), fabs(qd[0] - v));
    off = fmax(off, fabs(qd[5] - w) * RADIUS_M);
    return fmax(off, fabs(q[1] - RADIUS_M)) / (1 + fabs(v));
}

static const double speeds[] = {0.2, 0.5, 1, 2, 5, 20};

TEST(a_ball_rolls_on_the_level)
{
    for (int solver = 0; solver < 2; solver++)
        for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
            double off = rolls_off_by(solver, speeds[i], -speeds[i] / RADIUS_M, 0, 0.5);
            ck_assert_msg(off < 1e-9, "solver %d, %g m/s: off by %g", solver, speeds[i], off);
        }
    fault = FAULT_MATTER;
    ck_assert_double_gt(rolls_off_by(SOLVER_ARTICULATED, 2, -16, 0, 0.5), 0.05);
}

TEST(a_ball_slides_and_rolls)
{
    for (int solver = 0; solver < 2; solver++) {
        double slides = rolls_off_by(solver, 2, 0, 0, 0.5),
               down = rolls_off_by(solver, 0, 0, 0.3, 0.5);
        double against = rolls_off_by(solver, -1, -12, 0.1, 0.4);
        ck_assert_msg(slides < 1e-5 && down < 1e-9 && against < 1e-5, "off by %g, %g, %g", slides,
                      down, against);
    }
    fault = FAULT_MATTER;
    ck_assert_double_gt(rolls_off_by(SOLVER_ARTICULATED, 2, 0, 0, 0.5), 1e-3);
}

/* A ball that slides on a box, which slides on the ground: what they have when it rolls. */
TEST_LOOP(a_ball_rolls_on_a_box, 0, 2)
{
    struct rolling r = level;
    double mass = 3, v = 1, given = v / (1 + 2.5 + 1 / mass);
    r.count = 2;
    r.friction = 0;
    r.own_friction = 0.5;
    r.bodies[1].size = (struct vec3){4, 0.2, 1};
    r.bodies[1].at = (struct vec3){0, 0.1, 0};
    r.bodies[1].mass_kg = mass;
    r.bodies[0].at.y += 0.2;
    r.bodies[0].velocity.x = v;
    start_rolling(&r, _i, 1.0 / 240);
    run_rolling(1);
    ck_assert_double_eq_tol(state->qd[0], v - given, 1e-6);
    ck_assert_double_eq_tol(state->qd[5], -2.5 * given / RADIUS_M, 1e-4);
    ck_assert_double_eq_tol(state->qd[6], given / mass, 1e-6);
    ck_assert_double_eq_tol(state->q[1], 0.2 + RADIUS_M, 1e-6);
}

/* About the edge of a box or a corner of one, which is below the ball at the start, or over another
 * ball that lies on the ground. */
static struct rolling about(int is_corner, double aside)
{
    struct rolling r = level;
    struct vec3 n = {sin(aside), cos(aside), is_corner ? 0.1 : 0};
    r.has_ground = 0;
    r.friction = 10;
    n = vec3_scale(n, 1 / vec3_length(n));
    r.bodies[0].at = vec3_scale(n, RADIUS_M);
    struct vec3 w = {is_corner ? 0.4 : 0, 0, -1};
    r.bodies[0].velocity = vec3_cross(w, r.bodies[0].at);
    r.bodies[0].rate = w;
    /* turned by 45 degrees, about z or so that a corner is up */
    struct quaternion turn = quaternion_about((struct vec3){0, 0, 1}, atan(1));
    if (is_corner)
        turn =
            quaternion_product(quaternion_about((struct vec3){1, 0, 0}, 0.6154797086703874), turn);
    struct mat3 axes = quaternion_matrix(turn);
    const struct vec3 half = {0.5, 0.5, 0.5};
    struct vec3 up = vec3_scale(vec3_add(axes.x, axes.y), 0.5);
    if (is_corner)
        up = vec3_along(up, axes.z, axes.z.y > 0 ? 0.5 : -0.5);
    solids_place(&r.fixed, vec3_negated(up), &axes, half);
    return r;
}

static struct rolling over_a_ball(void)
{
    struct rolling r = level;
    r.count = 2;
    r.own_friction = 10;
    r.bodies[1] = r.bodies[0];
    r.bodies[1].mass_kg = 2;
    r.bodies[0].at = (struct vec3){2 * RADIUS_M * sin(0.1), RADIUS_M + 2 * RADIUS_M * cos(0.1), 0};
    return r;
}

/* Rolling takes no energy, and the reference has the same motion. */
static void check_kept(const struct rolling *r, double time_s, const char *what)
{
    double at[3][2], off[2];
    start_rolling(r, SOLVER_CONSTRAINT, 1.0 / 240);
    run_rolling(time_s);
    ck_assert_double_lt(fabs(kept_energy()), 1e-7);
    at[2][0] = state->q[0];
    at[2][1] = state->q[1];
    for (int k = 0; k < 2; k++) {
        start_rolling(r, SOLVER_ARTICULATED, 1.0 / (240 << k));
        run_rolling(time_s);
        off[k] = fabs(kept_energy());
        at[k][0] = state->q[0] - at[2][0];
        at[k][1] = state->q[1] - at[2][1];
        ck_assert_msg(hypot(at[k][0], at[k][1]) < 2e-4, "%s: %g m off", what,
                      hypot(at[k][0], at[k][1]));
    }
    ck_assert_msg(off[0] < 2e-4 && off[1] < off[0] / 3.5 + 1e-7, "%s: %g and %g J", what, off[0],
                  off[1]);
}

TEST(a_ball_rolls_over_edges_corners_and_balls)
{
    struct rolling edge = about(0, 0.2), corner = about(1, -0.2), ball = over_a_ball();
    check_kept(&edge, 0.125, "edge");
    check_kept(&corner, 0.125, "corner");
    check_kept(&ball, 0.25, "ball");
}

/* ---------------------------------------------------------------- faces and edges */

static char text[2048];

/* A plate on the upper corner of a rectangle that is turned by 45 degrees and `turned`: where along
 * the plate, how it is tilted, turns and slides there. */
struct plate {
    double width, height, along, tilt, rate, slip, turned;
};

/* The same seen in a mirror. */
static struct plate mirrored(struct plate p)
{
    return (struct plate){p.width, p.height, -p.along, -p.tilt, -p.rate, -p.slip, -p.turned};
}

static void write_plate(const struct plate *p, int is_space)
{
    double c = cos(p->tilt), s = sin(p->tilt), x = p->along * c - p->height / 2 * s;
    double y = p->along * s + p->height / 2 * c;
    double vx = p->slip * c - p->rate * y, vy = p->slip * s + p->rate * x;
    double down = atan(1) + p->turned, reach = sqrt(0.125);
    double ox = reach * sin(p->turned), oy = -reach * cos(p->turned);
    if (is_space)
        snprintf(text, sizeof text,
                 "{'scene': 1, 'dimensions': 3, 'world': {'friction': 0, 'obstacles': [{'size_m': "
                 "[0.5, 0.5, 4], 'at_m': [%.17g, %.17g, 0], 'quaternion': [%.17g, 0, 0, %.17g]}]}, "
                 "'bodies': [{'name': 'b', 'boxes': [{'size_m': [%.17g, %.17g, 0.5], 'mass_kg': "
                 "1}], 'position_m': [%.17g, %.17g, 0], 'quaternion': [%.17g, 0, 0, %.17g], "
                 "'velocity_m_s': [%.17g, %.17g, 0], 'rate_rad_s': [0, 0, %.17g]}]}",
                 ox, oy, cos(down / 2), sin(down / 2), p->width, p->height, x, y, cos(p->tilt / 2),
                 sin(p->tilt / 2), vx, vy, p->rate);
    else
        snprintf(
            text, sizeof text,
            "{'scene': 1, 'world': {'friction': 0, 'obstacles': [{'width_m': 0.5, 'height_m': 0.5, "
            "'at_m': [%.17g, %.17g], 'angle_rad': %.17g}]}, 'bodies': [{'name': 'b', 'rectangles': "
            "[{'width_m': %.17g, 'height_m': %.17g, 'mass_kg': 1}], 'position_m': [%.17g, %.17g], "
            "'angle_rad': %.17g, 'velocity_m_s': [%.17g, %.17g], 'rate_rad_s': %.17g}]}",
            ox, oy, down, p->width, p->height, x, y, p->tilt, vx, vy, p->rate);
}

/* Energy that the scene gains in a time, J. */
static double gained_in(double time_s, double dt_s)
{
    begin_scene(text, SOLVER_ARTICULATED, dt_s);
    run_for(time_s);
    return energy_now() - dynamics_ledger(run)->energy_start_j;
}

/* Half the step divides what is gained or lost by about four. */
static void check_order(double time_s, const char *what)
{
    double off = fabs(gained_in(time_s, 1.0 / 240)), half = fabs(gained_in(time_s, 1.0 / 480));
    ck_assert_msg(off < 2e-4 && half < off / 3.5 + 1e-6, "%s: %g J, and %g J at half the step",
                  what, off, half);
}

static const struct plate plates[] = {
    {2, 0.02, -0.2, 0, 2, 1, 0},      {2, 0.3, -0.2, 0, 2, 0.7, 0},
    {2, 0.3, 0.2, 0.1, 1, -0.5, 0.2}, {1, 0.1, 0.1, -0.2, -3, 1, -0.3},
    {3, 0.6, 0.5, 0, -1.5, 1.5, 0},   {1.5, 0.02, 0, 0.3, 3, 0.5, 0.1}};

TEST_LOOP(a_face_turns_on_an_edge, 0, (int)(sizeof plates / sizeof plates[0]))
{
    struct plate images[2] = {plates[_i], mirrored(plates[_i])};
    for (int k = 0; k < 4; k++) {
        write_plate(&images[k % 2], k / 2);
        check_order(0.125, k / 2 ? "space" : "plane");
    }
    /* a face that turns the other way would lift itself off, which costs nothing */
    for (int k = 0; k < 2 && plates[_i].rate * plates[_i].slip > 0; k++) {
        write_plate(&images[0], k);
        fault = k ? FAULT_MATTER : FAULT_STILL;
        double off = fabs(gained_in(0.125, 1.0 / 240)), half = fabs(gained_in(0.125, 1.0 / 480));
        ck_assert_msg(half > off / 3 && half > 1e-4, "a fault in %s: %g and %g J",
                      k ? "space" : "the plane", off, half);
        fault = FAULT_NONE;
    }
}

/* An edge along x, of a bar that turns about its three axes, slides over the edge along z of
 * another box. */
static void write_bar(double turn, double rate, double slip, int is_mirrored)
{
    double sign = is_mirrored ? -1 : 1, h = sqrt(0.02), c = cos(turn / 2), s = sin(turn / 2);
    double a = cos(atan(1) / 2), b = sin(atan(1) / 2);
    /* the bar lies with an edge down, turned about y against x */
    double qw = c * a, qx = c * b, qy = s * a * sign, qz = -s * b * sign;
    snprintf(text, sizeof text,
             "{'scene': 1, 'dimensions': 3, 'world': {'friction': 0, 'obstacles': [{'size_m': "
             "[0.5, 0.5, 4], 'at_m': [0, %.17g, 0], 'quaternion': [%.17g, 0, 0, %.17g]}]}, "
             "'bodies': [{'name': 'b', 'boxes': [{'size_m': [2, 0.2, 0.2], 'mass_kg': 1}], "
             "'position_m': [0, %.17g, 0], 'quaternion': [%.17g, %.17g, %.17g, %.17g], "
             "'velocity_m_s': [%.17g, 0, 0.2], 'rate_rad_s': [0, %.17g, %.17g]}]}",
             -sqrt(0.125), cos(atan(1) / 2), sin(atan(1) / 2), h, qw, qx, qy, qz, slip * sign,
             rate * sign, rate * sign);
}

TEST_LOOP(an_edge_turns_on_an_edge, 0, 4)
{
    static const double cases[][3] = {{0, 2, 1}, {0.5, 1, 0.5}, {-0.7, -2, 0.7}, {1, 1.5, -0.3}};
    for (int k = 0; k < 2; k++) {
        write_bar(cases[_i][0], cases[_i][1], cases[_i][2], k);
        check_order(0.125, "edges");
    }
    fault = FAULT_MATTER;
    double off = fabs(gained_in(0.125, 1.0 / 240)), half = fabs(gained_in(0.125, 1.0 / 480));
    ck_assert_msg(cases[_i][1] * cases[_i][2] < 0 || (half > off / 3 && half > 1e-4),
                  "a fault: %g and %g J", off, half);
}

SUITE("turning", 120, setup, NULL)
