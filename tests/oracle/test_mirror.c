/* Rectangles in the plane move as their mirror images in x = 0 do, while they are driven and touch
 * the ground, one another and their joints' limits, with parts in any order; a body that is its own
 * image stays so. Loads that several contacts share have no unique answer: what decides is to be no
 * order of contacts (test_spatial_mirror.c has the same in space). */
#include "simulator/body/servo.h"
#include "tests/unit/stage_fixture.h"

/* Farther apart, m and rad, nothing moves as its image does. */
#define SAME 1e-7

enum { STEPS = 480 };

struct walker {
    struct body_part parts[BODY_PARTS_MAX];
    struct signal signals[BODY_PARTS_MAX];
    double kp[BODY_PARTS_MAX]; /* 0: no servo */
    int count;
    double height_m, turn_rad, speed_m_s, rise_m_s, spin_rad_s;
    double friction, elasticity, viscosity, gravity_m_s2;
};

/* ---------------------------------------------------------------- images */

struct image {
    int is_mirrored, is_reversed;
};

/* Where the parts are in an image's list: in their order, or with the last child first. */
static void order_parts(struct image m, const struct walker *w, int *place)
{
    int count = 0, is_listed[BODY_PARTS_MAX] = {0};
    while (count < w->count)
        for (int i = 0; i < w->count; i++) {
            int k = m.is_reversed ? w->count - 1 - i : i, parent = w->parts[k].parent;
            if (is_listed[k] || (parent >= 0 && !is_listed[parent]))
                continue;
            is_listed[k] = 1;
            place[k] = count++;
        }
}

static void mirror_part(struct body_part *part, struct signal *signal)
{
    part->x_m = -part->x_m;
    part->anchor_x_m = -part->anchor_x_m;
    part->angle_rad = -part->angle_rad;
    if (part->is_linear) {
        part->axis_rad = BODY_PI - part->axis_rad;
        return;
    }
    double lower = part->lower_rad;
    part->lower_rad = -part->upper_rad;
    part->upper_rad = -lower;
    signal->amplitude = -signal->amplitude;
    signal->offset = -signal->offset;
}

static void see(struct image m, const struct walker *from, struct walker *to, int *place)
{
    *to = *from;
    order_parts(m, from, place);
    for (int i = 0; i < from->count; i++) {
        int k = place[i], parent = from->parts[i].parent;
        to->parts[k] = from->parts[i];
        to->parts[k].parent = parent < 0 ? -1 : place[parent];
        to->signals[k] = from->signals[i];
        to->kp[k] = from->kp[i];
        if (m.is_mirrored)
            mirror_part(&to->parts[k], &to->signals[k]);
    }
    double sign = m.is_mirrored ? -1 : 1;
    to->turn_rad *= sign;
    to->speed_m_s *= sign;
    to->spin_rad_s *= sign;
}

/* ---------------------------------------------------------------- motion */

static void start(struct walker *w)
{
    double q[BODY_DOF_MAX] = {0, w->height_m, w->turn_rad};
    double qd[BODY_DOF_MAX] = {w->speed_m_s, w->rise_m_s, w->spin_rad_s};
    body_init(&stage.body, w->parts, w->count);
    stage.world = (struct world){.gravity_m_s2 = w->gravity_m_s2,
                                 .has_ground = 1,
                                 .viscosity_pa_s = w->viscosity,
                                 .friction = w->friction,
                                 .own_friction = w->friction,
                                 .elasticity = w->elasticity,
                                 .own_elasticity = w->elasticity};
    stage_build(&stage);
    for (int i = 1; i < w->count; i++) {
        struct servo servo = {.law = SERVO_SPRING,
                              .kp = w->kp[i],
                              .kd = w->kp[i] / 40,
                              .torque_max = 40,
                              .signal = &w->signals[i]};
        if (w->kp[i] > 0)
            dynamics_set_servo(stage.dynamics, stage.body.parts[i].link, &servo);
    }
    stage_set(&stage, q, qd);
}

/* States of each part after each step. */
static struct part_state path[2][STEPS][BODY_PARTS_MAX];

static void follow(const struct walker *from, struct image m,
                   struct part_state (*states)[BODY_PARTS_MAX])
{
    static struct walker w;
    int place[BODY_PARTS_MAX];
    see(m, from, &w, place);
    start(&w);
    for (int step = 0; step < STEPS; step++) {
        ck_assert_int_eq(dynamics_step(stage.dynamics), 0);
        for (int i = 0; i < from->count; i++)
            states[step][i] = stage_part(&stage, place[i]);
    }
}

static double path_difference(struct image m, int count)
{
    double most = 0, sign = m.is_mirrored ? -1 : 1;
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < count; i++) {
            const struct part_state *one = &path[0][step][i], *other = &path[1][step][i];
            most = fmax(most, fabs(one->at_m.x - sign * other->at_m.x));
            most = fmax(most, fabs(one->at_m.y - other->at_m.y));
            most = fmax(most, fabs(one->angle_rad - sign * other->angle_rad));
        }
    return most;
}

/* ---------------------------------------------------------------- bodies */

struct mirror_case {
    const char *name;
    void (*build)(struct walker *w, const struct mirror_case *c);
    int pairs;    /* of legs */
    double skew;  /* of the left side's drives against the right side's, rad */
    double limit; /* of all joints either way, rad; 0: none */
};

static int add(struct walker *w, struct body_part part)
{
    w->parts[w->count] = part;
    return w->count++;
}

/* A rectangle along `angle_rad` from where it hangs. */
static int add_limb(struct walker *w, int parent, double x, double y, double angle_rad,
                    double length_m, double thickness_m)
{
    return add(w, (struct body_part){PART(parent, x + length_m / 2 * cos(angle_rad),
                                          y + length_m / 2 * sin(angle_rad), length_m, thickness_m,
                                          20 * length_m * thickness_m),
                                     ANCHOR(x, y), .angle_rad = angle_rad});
}

static void drive(struct walker *w, int i, double kp, double amplitude, double phase)
{
    w->kp[i] = kp;
    w->signals[i] =
        (struct signal){.amplitude = amplitude, .rate_rad_s = 2 * BODY_PI, .phase_rad = phase};
}

static void limit(struct walker *w, double most)
{
    for (int i = 1; i < w->count; i++) {
        w->parts[i].lower_rad = -most;
        w->parts[i].upper_rad = most;
    }
}

static void begin(struct walker *w, double width_m, double height_m, double friction)
{
    *w = (struct walker){.friction = friction, .gravity_m_s2 = BODY_GRAVITY};
    add(w, (struct body_part){ROOT(width_m, height_m, 20 * width_m * height_m)});
}

/* A trunk on pairs of legs, of two limbs each, that do the same on both sides; or not, by the
 * skew. */
static void build_legs(struct walker *w, const struct mirror_case *c)
{
    begin(w, 1.4, 0.12, 0.5);
    w->height_m = 0.7;
    for (int k = 0; k < c->pairs; k++)
        for (int side = 1; side >= -1; side -= 2) {
            double x = side * (0.65 - 0.4 * k), phase = 1.3 * k + (side < 0 ? c->skew : 0);
            double angle = -BODY_PI / 2 + 0.3 * side;
            int thigh = add_limb(w, 0, x, 0, angle, 0.3, 0.06);
            int shin =
                add_limb(w, thigh, x + 0.3 * cos(angle), 0.3 * sin(angle), -BODY_PI / 2, 0.3, 0.06);
            drive(w, thigh, 40, 0.3 * side, phase);
            drive(w, shin, 20, 0.4 * side, phase + 1);
        }
}

/* Lies flat: all corners of all parts touch. */
static void build_snake(struct walker *w, const struct mirror_case *c)
{
    begin(w, 0.4, 0.1, 0.8);
    w->height_m = 0.05;
    for (int side = 1; side >= -1; side -= 2)
        for (int k = 0, parent = 0; k < 3; k++) {
            double at = side * (0.2 + 0.4 * k);
            parent = add_limb(w, parent, at, 0, 0, side * 0.4, 0.1);
            w->parts[parent].width_m = 0.4;
            w->parts[parent].mass_kg = 0.8;
            drive(w, parent, 40, 0.5 * side, 1.2 * k + (side < 0 ? c->skew : 0));
        }
}

/* A thin plate slides. */
static void build_plate(struct walker *w, const struct mirror_case *c)
{
    begin(w, 0.4, 0.002, 0.4);
    w->height_m = 0.001;
    w->speed_m_s = 2;
}

/* Falls on a corner and tumbles. */
static void build_tumbler(struct walker *w, const struct mirror_case *c)
{
    begin(w, 0.4, 0.2, 0.5);
    w->height_m = 0.6;
    w->turn_rad = 0.3;
    w->speed_m_s = 1;
    w->spin_rad_s = -5;
}

static void build_bouncer(struct walker *w, const struct mirror_case *c)
{
    build_legs(w, c);
    w->elasticity = 0.6;
    w->rise_m_s = -1;
}

/* Two arms on a trunk clap over it, and push on. */
static void build_clapper(struct walker *w, const struct mirror_case *c)
{
    begin(w, 0.6, 0.2, 0.5);
    w->height_m = 0.1;
    for (int side = 1; side >= -1; side -= 2) {
        int arm = add_limb(w, 0, 0.2 * side, 0.1, BODY_PI / 2, 0.3, 0.08);
        drive(w, arm, 20, 0.9 * side, 0);
    }
}

/* Feet slide out of the trunk and back. */
static void build_pistons(struct walker *w, const struct mirror_case *c)
{
    begin(w, 0.8, 0.1, 0.6);
    w->height_m = 0.35;
    for (int side = 1; side >= -1; side -= 2) {
        int foot = add_limb(w, 0, 0.3 * side, -0.05, -BODY_PI / 2, 0.3, 0.1);
        w->parts[foot].is_linear = 1;
        w->parts[foot].axis_rad = -BODY_PI / 2 + 0.3 * side;
        w->parts[foot].lower_rad = -0.05;
        w->parts[foot].upper_rad = 0.2;
        drive(w, foot, 600, 0.1, 0.4);
    }
}

static void build_swimmer(struct walker *w, const struct mirror_case *c)
{
    build_snake(w, c);
    w->gravity_m_s2 = 0;
    w->height_m = 3;
    w->viscosity = 10;
}

static const struct mirror_case cases[] = {{"legs", build_legs, 1, 0, 0},
                                           {"quadruped", build_legs, 2, 0, 0},
                                           {"trotter", build_legs, 2, 1.9, 0},
                                           {"quadruped at limits", build_legs, 2, 0, 0.3},
                                           {"legs at limits", build_legs, 1, 1.9, 0.3},
                                           {"snake", build_snake, 0, 0, 0},
                                           {"wave", build_snake, 0, 2.1, 0},
                                           {"plate", build_plate, 0, 0, 0},
                                           {"tumbler", build_tumbler, 0, 0, 0},
                                           {"bouncer", build_bouncer, 1, 0, 0},
                                           {"clapper", build_clapper, 0, 0, 0},
                                           {"pistons", build_pistons, 0, 0, 0},
                                           {"swimmer", build_swimmer, 0, 2.1, 0}};
enum { CASES = sizeof cases / sizeof cases[0] };

static void build(struct walker *w, const struct mirror_case *c)
{
    c->build(w, c);
    if (c->limit > 0)
        limit(w, c->limit);
}

static const struct image plain = {0, 0};

static void compare(int i, const struct walker *w, const char *what, struct image m)
{
    follow(w, m, path[1]);
    double off = path_difference(m, w->count);
    ck_assert_msg(off <= SAME, "%s, %s: %.3g apart", cases[i].name, what, off);
}

TEST_LOOP(images_move_alike, 0, CASES)
{
    static struct walker w;
    build(&w, &cases[_i]);
    follow(&w, plain, path[0]);
    compare(_i, &w, "in x = 0", (struct image){1, 0});
    compare(_i, &w, "in another order", (struct image){0, 1});
    compare(_i, &w, "in x = 0 in another order", (struct image){1, 1});
}

/* A leg that is a micrometre out of its place is seen. */
TEST(a_body_that_is_no_image_is_found_out)
{
    static struct walker w;
    build(&w, &cases[0]);
    follow(&w, plain, path[0]);
    w.parts[1].anchor_x_m += 1e-6;
    follow(&w, (struct image){1, 0}, path[1]);
    ck_assert_double_gt(path_difference((struct image){1, 0}, w.count), SAME);
}

SUITE("mirror", 120, stage_set_up, NULL)
