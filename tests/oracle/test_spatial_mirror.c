/* Bodies in space move as their mirror images do, while they are driven and touch the ground, one
 * another and their joints' limits: images in z = 0 and in x = 0, with links and boxes in any
 * order; a body that is its own image stays so; and what is turned by half about the vertical moves
 * the same to the bit. Loads that several contacts share have no unique answer: what decides is to
 * be no order of contacts, and nothing that was left from the step before. */
#include "simulator/links/spatial_state.h"
#include "simulator/evaluate/evaluate.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"

#define PI 3.14159265358979323846
/* Farther apart, m, nothing moves as its image does. */
#define SAME_M 1e-7

/* In another order sums are rounded in another way, which impacts, one after the other, let grow:
 * from 1e-16 m to 1e-10 m in 400 steps, and to 1e-6 m in 480 in the worst case. */
enum { LINKS_MAX = PHENOTYPE_PARTS_MAX, RATES_MAX = 128, STEPS = 480, ORDER_STEPS = 400 };

struct own_body {
    struct body_link links[LINKS_MAX];
    struct body_box boxes[LINKS_MAX];
    int count, box_count;
    struct vec3 at[LINKS_MAX], velocity[LINKS_MAX], rate[LINKS_MAX]; /* of free links */
    struct quaternion turn[LINKS_MAX];
    /* of the other links' freedoms */
    struct servo servos[LINKS_MAX][3];
    struct signal signals[LINKS_MAX][3];
    double friction, elasticity, timestep_s, viscosity;
    int has_ground;
};

static void setup(void)
{
    arena_open(EVALUATE_ARENA_BYTES);
}

/* ---------------------------------------------------------------- images */

/* Signs of x, y, z; links and boxes in the opposite order, as far as parents come first. */
struct image {
    struct vec3 signs;
    int is_reversed;
};

static double determinant(struct image m)
{
    return m.signs.x * m.signs.y * m.signs.z;
}

static struct vec3 seen(struct image m, struct vec3 v)
{
    return (struct vec3){m.signs.x * v.x, m.signs.y * v.y, m.signs.z * v.z};
}

/* The image of an angular velocity or of a vector of a turn, whose axis turns about in a mirror. */
static struct vec3 axis_seen(struct image m, struct vec3 v)
{
    return vec3_scale(seen(m, v), determinant(m));
}

static struct quaternion turn_seen(struct image m, struct quaternion q)
{
    struct vec3 v = axis_seen(m, (struct vec3){q.x, q.y, q.z});
    return (struct quaternion){q.w, v.x, v.y, v.z};
}

static double component(struct vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* How the image of a freedom of a joint turns or slides. */
static double freedom_sign(struct image m, const struct body_link *link, int k)
{
    const struct joint_kind *joint = &joint_kinds[link->kind];
    if (k < joint->slides)
        return component(m.signs, k);
    int axis = joint->has_ball ? k - joint->slides : joint->axes[k - joint->slides];
    return determinant(m) * component(m.signs, axis);
}

static void see_link(struct image m, const struct own_body *from, int old, struct own_body *to,
                     int new)
{
    const struct body_link *link = &from->links[old];
    struct body_link *l = &to->links[new];
    *l = *link;
    l->joint = seen(m, link->joint);
    l->frame = turn_seen(m, link->frame);
    l->centre = seen(m, link->centre);
    l->inertia.xy *= m.signs.x * m.signs.y;
    l->inertia.xz *= m.signs.x * m.signs.z;
    l->inertia.yz *= m.signs.y * m.signs.z;
    to->at[new] = seen(m, from->at[old]);
    to->velocity[new] = seen(m, from->velocity[old]);
    to->turn[new] = turn_seen(m, from->turn[old]);
    to->rate[new] = axis_seen(m, from->rate[old]);
    for (int k = 0; k < 3 && link->kind != LINK_FREE && k < joint_rates(&joint_kinds[link->kind]);
         k++) {
        double sign = freedom_sign(m, link, k);
        if (sign < 0) {
            l->lower[k] = -link->upper[k];
            l->upper[k] = -link->lower[k];
        }
        to->servos[new][k] = from->servos[old][k];
        to->signals[new][k] = from->signals[old][k];
        to->signals[new][k].amplitude *= sign;
        to->signals[new][k].offset *= sign;
    }
}

/* Where the links of a body are in its image's list: in their order, or with the last child
 * first. */
static void order_links(struct image m, const struct own_body *b, int *place)
{
    int count = 0, is_listed[LINKS_MAX] = {0};
    while (count < b->count)
        for (int i = 0; i < b->count; i++) {
            int k = m.is_reversed ? b->count - 1 - i : i, parent = b->links[k].parent;
            if (is_listed[k] || (parent >= 0 && !is_listed[parent]))
                continue;
            is_listed[k] = 1;
            place[k] = count++;
        }
}

static void see_body(struct image m, const struct own_body *from, struct own_body *to, int *place)
{
    *to = *from;
    order_links(m, from, place);
    for (int i = 0; i < from->count; i++) {
        see_link(m, from, i, to, place[i]);
        to->links[place[i]].parent = from->links[i].parent < 0 ? -1 : place[from->links[i].parent];
    }
    for (int i = 0; i < from->box_count; i++) {
        struct body_box *box = &to->boxes[m.is_reversed ? from->box_count - 1 - i : i];
        *box = from->boxes[i];
        box->link = place[from->boxes[i].link];
        box->centre = seen(m, box->centre);
        box->turn = turn_seen(m, box->turn);
    }
}

/* ---------------------------------------------------------------- motion */

static struct spatial_state *start(struct own_body *b, struct quaternion way)
{
    struct dynamics_settings settings = {.dt_s = b->timestep_s > 0 ? b->timestep_s : 1.0 / 240};
    struct body body = {
        .links = b->links, .link_count = b->count, .boxes = b->boxes, .box_count = b->box_count};
    struct spatial_world world = {.gravity_m_s2 = {0, -9.81, 0},
                                  .drag = {.coefficient = b->viscosity, .has_exposure = 1},
                                  .surfaces = {.has_ground = b->has_ground,
                                               .friction = b->friction,
                                               .own_friction = b->friction,
                                               .elasticity = b->elasticity,
                                               .own_elasticity = b->elasticity}};
    if (b->viscosity > 0)
        world.gravity_m_s2.y = 0;
    double q[RATES_MAX * 2], qd[RATES_MAX] = {0};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(d);
    const struct spatial_tree *tree = spatial_state_tree(d);
    struct mat3 world_turn = quaternion_matrix(way);
    spatial_tree_birth(tree, q);
    for (int i = 0; i < b->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        for (int k = 0; k < 3 && b->links[i].kind != LINK_FREE && k < l->rates; k++) {
            b->servos[i][k].signal = &b->signals[i][k];
            spatial_state_set_servo(d, l->rate + k, &b->servos[i][k]);
        }
        if (b->links[i].kind != LINK_FREE)
            continue;
        struct vec3 at = mat3_apply(&world_turn, b->at[i]);
        struct vec3 v = mat3_apply(&world_turn, b->velocity[i]), w = b->rate[i];
        struct quaternion turn = quaternion_product(way, b->turn[i]);
        const double of_q[] = {at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z};
        const double of_qd[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(q + l->coordinate, of_q, sizeof of_q);
        memcpy(qd + l->rate, of_qd, sizeof of_qd);
    }
    dynamics_set_state(&d->dynamics, q, qd);
    return d;
}

/* A corner of each box after each step. */
static struct vec3 path[2][STEPS][LINKS_MAX];

static void follow(const struct own_body *from, struct image m, struct quaternion way,
                   struct vec3 (*places)[LINKS_MAX])
{
    static struct own_body b;
    int place[LINKS_MAX];
    see_body(m, from, &b, place);
    struct spatial_state *d = start(&b, way);
    for (int step = 0; step < STEPS; step++) {
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
        const struct spatial_tree *tree = spatial_state_tree(d);
        for (int i = 0; i < from->box_count; i++) {
            const struct body_box *box = &from->boxes[i];
            struct mat3 turn = quaternion_matrix(box->turn);
            struct vec3 corner =
                vec3_add(box->centre, mat3_apply(&turn, vec3_scale(box->size_m, 0.5)));
            const struct spatial_tree_link *l = &tree->links[place[box->link]];
            struct vec3 arm = seen(m, corner);
            places[step][i] = vec3_add(l->at, mat3_apply(&l->turned, arm));
        }
    }
}

static double path_difference(struct image m, struct vec3 (*one)[LINKS_MAX],
                              struct vec3 (*other)[LINKS_MAX], int count)
{
    double most = 0;
    for (int step = 0; step < (m.is_reversed ? ORDER_STEPS : STEPS); step++)
        for (int i = 0; i < count; i++)
            most = fmax(most, vec3_length(vec3_sub(one[step][i], seen(m, other[step][i]))));
    return most;
}

/* ---------------------------------------------------------------- bodies */

/* A case that holds in any order of links and boxes, or only in the order that it has. */
struct mirror_case {
    const char *name;
    void (*build)(struct own_body *b, const struct mirror_case *c);
    int has_order;
    double limit, cone; /* of all joints either way, rad; 0: none */
    enum link_joint hip;
    int is_own_image;
    double yaw, roll, pitch; /* of the first of a couple, rad */
};

static int add_link(struct own_body *b, int parent, enum link_joint kind, struct vec3 joint,
                    struct vec3 centre, struct vec3 size, double mass)
{
    struct body_link *l = &b->links[b->count];
    *l = box_link(parent, kind, mass, size);
    l->joint = joint;
    l->centre = centre;
    b->boxes[b->box_count++] = (struct body_box){
        .link = b->count, .centre = centre, .turn = QUATERNION_ONE, .size_m = size};
    b->turn[b->count] = QUATERNION_ONE;
    return b->count++;
}

static int add_box(struct own_body *b, struct vec3 at, struct vec3 size, double mass)
{
    int i = add_link(b, -1, LINK_FREE, (struct vec3){0, 0, 0}, (struct vec3){0, 0, 0}, size, mass);
    b->at[i] = at;
    return i;
}

static void drive(struct own_body *b, int link, int k, double kp, double amplitude, double phase)
{
    b->servos[link][k] =
        (struct servo){.law = SERVO_SPRING, .kp = kp, .kd = kp / 10, .torque_max = 40};
    b->signals[link][k] =
        (struct signal){.amplitude = amplitude, .rate_rad_s = 2 * PI, .phase_rad = phase};
}

static void limit(struct own_body *b, int link, double most)
{
    for (int k = 0; k < JOINT_RATES_MAX; k++) {
        b->links[link].lower[k] = -most;
        b->links[link].upper[k] = most;
    }
}

/* A trunk on two hinged legs, all of them as wide as the trunk. */
static void build_legs(struct own_body *b, const struct mirror_case *c)
{
    *b = (struct own_body){.has_ground = 1, .friction = 0.6};
    int trunk = add_box(b, (struct vec3){0, 0.6, 0}, (struct vec3){0.6, 0.1, 0.3}, 2);
    for (int side = 1; side >= -1; side -= 2) {
        int leg = add_link(b, trunk, LINK_REVOLUTE, (struct vec3){0.3 * side, 0, 0},
                           (struct vec3){0, -0.2, 0}, (struct vec3){0.1, 0.4, 0.3}, 1);
        drive(b, leg, 0, 20, 0.6, side > 0 ? 0 : 1.57);
    }
}

/* A thin plate slides and spins. */
static void build_plate(struct own_body *b, const struct mirror_case *c)
{
    *b = (struct own_body){.has_ground = 1, .friction = 0.4};
    int plate = add_box(b, (struct vec3){0, 0.001, 0}, (struct vec3){0.4, 0.002, 0.3}, 1);
    b->velocity[plate] = (struct vec3){2, 0, 0};
    b->rate[plate] = (struct vec3){0, 8, 0};
}

/* Four legs with hips of that kind, and hinges for knees; the left ones do as the right ones, or as
 * they like. */
static void build_quadruped(struct own_body *b, const struct mirror_case *c)
{
    static const double legs[4][3] = {
        {0.4, 0.3, 0}, {0.4, -0.3, 0}, {-0.4, 0.3, PI}, {-0.4, -0.3, PI}};
    const struct vec3 along = {0.2, 0, 0}, size = {0.4, 0.12, 0.12};
    *b = (struct own_body){.has_ground = 1, .friction = 0.8};
    int trunk = add_box(b, (struct vec3){0, 1.15, 0}, (struct vec3){1, 0.3, 0.6}, 18);
    for (int i = 0; i < 4; i++) {
        double phase = legs[i][2] + (c->is_own_image ? 0 : 0.7 * i), side = legs[i][1] > 0 ? 1 : -1;
        int thigh = add_link(b, trunk, c->hip, (struct vec3){legs[i][0], -0.15, legs[i][1]}, along,
                             size, 0.6);
        b->links[thigh].frame = quaternion_about((struct vec3){0, 0, 1}, -PI / 2);
        int rates = joint_rates(&joint_kinds[c->hip]);
        for (int k = 0; k < rates; k++) {
            double sign =
                side > 0 ? 1 : freedom_sign((struct image){{1, 1, -1}, 0}, &b->links[thigh], k);
            drive(b, thigh, k, 40, (k == 0 ? 0.5 : 0.3) * sign, phase + PI / 2 * k);
        }
        int shin = add_link(b, thigh, LINK_REVOLUTE, (struct vec3){0.4, 0, 0}, along, size, 0.6);
        drive(b, shin, 0, 15, 0.6, phase + PI / 2);
    }
}

/* Lies flat, about twenty contacts. */
static void build_snake(struct own_body *b, const struct mirror_case *c)
{
    const struct vec3 size = {0.4, 0.12, 0.16};
    *b = (struct own_body){.has_ground = 1, .friction = 0.8};
    int last = add_box(b, (struct vec3){-1, 0.06, 0}, size, 4);
    for (int i = 0; i < 5; i++) {
        last = add_link(b, last, LINK_UNIVERSAL, (struct vec3){i == 0 ? 0.2 : 0.4, 0, 0},
                        (struct vec3){0.2, 0, 0}, size, 4);
        drive(b, last, 0, 40, 0.15, 2.77 + 1.2 * i);
        drive(b, last, 1, 40, 0.5, 1.2 + 1.2 * i);
    }
}

/* Boxes on top of one another, of which the upper ones slide. */
static void build_pile(struct own_body *b, const struct mirror_case *c)
{
    *b = (struct own_body){.has_ground = 1, .friction = 0.5};
    for (int i = 0; i < 3; i++) {
        int box = add_box(b, (struct vec3){0.02 * i, 0.1 + 0.2 * i, 0.01 * i},
                          (struct vec3){0.4, 0.2, 0.3}, 1 + i);
        b->velocity[box] = (struct vec3){0.3 * i, 0, 0.2 * i};
        b->rate[box] = (struct vec3){0, 0.7 * i, 0};
    }
}

/* A pile in the plane of the mirror. */
static void build_straight_pile(struct own_body *b, const struct mirror_case *c)
{
    build_pile(b, c);
    for (int i = 0; i < b->count; i++) {
        b->at[i].z = b->velocity[i].z = 0;
        b->rate[i] = (struct vec3){0, 0, 0};
    }
}

/* Cubes and one that is turned by an eighth about the vertical on top of one. */
static void build_star(struct own_body *b, const struct mirror_case *c)
{
    *b = (struct own_body){.has_ground = 1, .friction = 0.5};
    for (int i = 0; i < 3; i++) {
        int box =
            add_box(b, (struct vec3){0.01 * i, 0.1 + 0.2 * i, 0}, (struct vec3){0.2, 0.2, 0.2}, 1);
        b->turn[box] = quaternion_about((struct vec3){0, 1, 0}, i * PI / 4);
        b->velocity[box] = (struct vec3){0.6 * i, 0, 0};
    }
}

/* Two boxes, images of one another, come together. */
static void build_couple(struct own_body *b, const struct mirror_case *c)
{
    *b = (struct own_body){.has_ground = 1, .friction = 0.4};
    for (int side = 1; side >= -1; side -= 2) {
        int box = add_box(b, (struct vec3){0, 0.15, 0.3 * side}, (struct vec3){0.4, 0.2, 0.3}, 1);
        struct quaternion q =
            quaternion_exp((struct vec3){c->roll * side, c->yaw * side, c->pitch});
        b->turn[box] = q;
        b->velocity[box] = (struct vec3){0.3, 0.4, -1.5 * side};
        b->rate[box] = (struct vec3){0.5 * side, 1 * side, 0.3};
    }
}

static void build_faces(struct own_body *b, const struct mirror_case *c)
{
    build_couple(b, c);
    for (int i = 0; i < 2; i++) {
        b->at[i].y = 0.1;
        b->rate[i] = (struct vec3){0, 0, 0};
        b->velocity[i].y = 0;
    }
}

/* Two arms on a trunk clap, and push on. */
static void build_clapper(struct own_body *b, const struct mirror_case *c)
{
    *b = (struct own_body){.has_ground = 1, .friction = 0.5};
    int trunk = add_box(b, (struct vec3){0, 0.15, 0}, (struct vec3){0.4, 0.3, 0.5}, 5);
    for (int side = 1; side >= -1; side -= 2) {
        int arm = add_link(b, trunk, LINK_UNIVERSAL, (struct vec3){0.2, 0.05, 0.2 * side},
                           (struct vec3){0.2, 0, 0}, (struct vec3){0.4, 0.1, 0.08}, 1);
        drive(b, arm, 0, 20, 0.2, 0.5);
        drive(b, arm, 1, 20, 0.8 * side, 0);
    }
}

static void build_bouncers(struct own_body *b, const struct mirror_case *c)
{
    build_couple(b, c);
    b->elasticity = 0.6;
}

static void build_swimmer(struct own_body *b, const struct mirror_case *c)
{
    build_snake(b, c);
    b->has_ground = 0;
    b->viscosity = 20;
}

static const struct mirror_case cases[] = {
    {"legs", build_legs, .has_order = 0},
    {"legs at limits", build_legs, .limit = 0.3},
    {"plate", build_plate, .has_order = 0},
    {"trotter", build_quadruped, .hip = LINK_UNIVERSAL},
    {"bounder on balls at limits", build_quadruped, .hip = LINK_SPHERICAL, .is_own_image = 1,
     .limit = 0.2, .cone = 0.3},
    {"trotter on balls at limits", build_quadruped, .hip = LINK_SPHERICAL, .limit = 0.2,
     .cone = 0.3},
    {"snake", build_snake, .has_order = 0},
    {"pile", build_pile, .has_order = 1},
    {"straight pile", build_straight_pile, .has_order = 0},
    {"star", build_star, .has_order = 1},
    {"faces", build_faces, .has_order = 0},
    {"edges", build_couple, .has_order = 1, .yaw = 0.3},
    {"other edges", build_couple, .has_order = 1, .roll = 0.4},
    {"corners", build_couple, .has_order = 1, .yaw = 0.3, .roll = 0.4, .pitch = 0.2},
    {"clapper", build_clapper, .has_order = 1},
    {"bouncers", build_bouncers, .has_order = 1, .yaw = 0.3, .roll = 0.4, .pitch = 0.2},
    {"swimmer", build_swimmer, .has_order = 0}};
enum { CASES = sizeof cases / sizeof cases[0] };

static void build(struct own_body *b, const struct mirror_case *c)
{
    c->build(b, c);
    for (int i = 1; i < b->count && c->limit > 0; i++) {
        limit(b, i, c->limit);
        b->links[i].cone_rad = c->cone > 0 ? c->cone : b->links[i].cone_rad;
    }
}

static const struct image plain = {{1, 1, 1}, 0};

static void compare(int i, const struct own_body *b, const char *what, struct image m)
{
    follow(b, m, QUATERNION_ONE, path[1]);
    double off = path_difference(m, path[0], path[1], b->box_count);
    ck_assert_msg(off <= SAME_M, "%s, %s: %.3g m apart", cases[i].name, what, off);
}

TEST_LOOP(images_move_alike, 0, CASES)
{
    static struct own_body b;
    build(&b, &cases[_i]);
    follow(&b, plain, QUATERNION_ONE, path[0]);
    compare(_i, &b, "in z = 0", (struct image){{1, 1, -1}, 0});
    compare(_i, &b, "in x = 0", (struct image){{-1, 1, 1}, 0});
    if (cases[_i].has_order)
        return;
    compare(_i, &b, "in another order", (struct image){{1, 1, 1}, 1});
    compare(_i, &b, "in z = 0 in another order", (struct image){{1, 1, -1}, 1});
}

TEST_LOOP(half_a_turn_changes_no_bit, 0, CASES)
{
    static struct own_body b;
    const struct image half = {{-1, 1, -1}, 0};
    build(&b, &cases[_i]);
    follow(&b, plain, QUATERNION_ONE, path[0]);
    follow(&b, plain, (struct quaternion){0, 0, 1, 0}, path[1]);
    ck_assert_msg(path_difference(half, path[0], path[1], b.box_count) == 0, "%s", cases[_i].name);
}

/* A leg that is a micrometre out of its place is seen. */
TEST(a_body_that_is_no_image_is_found_out)
{
    static struct own_body b;
    build(&b, &cases[0]);
    follow(&b, plain, QUATERNION_ONE, path[0]);
    b.links[1].joint.z += 1e-6;
    const struct image in_z = {{1, 1, -1}, 0};
    follow(&b, in_z, QUATERNION_ONE, path[1]);
    ck_assert_double_gt(path_difference(in_z, path[0], path[1], b.box_count), SAME_M);
}

SUITE("space_mirror", 120, setup, NULL)
