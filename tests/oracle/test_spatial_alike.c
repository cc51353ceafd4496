/* What must not matter to bodies in space that touch the ground: where they are, which way they
 * look, whether they are mirrored, which link is the root, and whether a rigid joint or none holds
 * two boxes together. A box slides askew on the ground and carries a limb that swings on a hinge
 * against a spring. test_spatial_rules.c has the same of bodies in flight. Not the same bits: names
 * of corners, and with them the order of contacts, and coordinates differ. */
#include "simulator/spatial/steps/spatial_step.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"

enum { SLED, LIMB, CAP, LINKS };

enum variant { PLAIN, SHIFTED, TURNED, MIRRORED, MERGED, REROOTED, VARIANTS };

static const double tolerances[VARIANTS] = {[PLAIN] = 1e-15,   [SHIFTED] = 1e-9, [TURNED] = 1e-9,
                                            [MIRRORED] = 1e-9, [MERGED] = 1e-9,  [REROOTED] = 1e-4};

static void setup(void)
{
    arena_open(4u << 20);
}

/* Two masses of which one is away from the joint. */
static void merge(struct body_link *to, const struct body_link *from, struct vec3 at)
{
    double mass = to->mass_kg + from->mass_kg;
    struct vec3 centre = vec3_scale(
        vec3_add(vec3_scale(to->centre, to->mass_kg), vec3_scale(at, from->mass_kg)), 1 / mass);
    struct sym3 sum = sym3_add(&to->inertia, &from->inertia);
    const struct body_link *parts[2] = {to, from};
    const struct vec3 centres[2] = {to->centre, at};
    for (int i = 0; i < 2; i++) {
        struct vec3 d = vec3_sub(centres[i], centre);
        double m = parts[i]->mass_kg, square = m * vec3_dot(d, d);
        sum.xx += square;
        sum.yy += square;
        sum.zz += square;
        sum = sym3_along(&sum, d, -m);
    }
    to->inertia = sum;
    to->mass_kg = mass;
    to->centre = centre;
}

struct own_body {
    struct body_link links[LINKS];
    struct body_box boxes[LINKS];
    int count, sled; /* links; and which of them is the sled */
    double q[7 + 1], qd[6 + 1];
};

/* The sled's centre is the origin of its link, and the hinge is above it; the cap sits on the
 * limb's end. */
static struct own_body build(enum variant variant)
{
    const struct vec3 sled = {0.5, 0.1, 0.3}, limb = {0.06, 0.3, 0.05}, cap = {0.1, 0.1, 0.1};
    double side = variant == MIRRORED ? -1 : 1;
    const struct vec3 hinge = {0.05, 0.06, 0.07 * side}, up = {0, 0.15, 0}, top = {0.03, 0.2, 0};
    struct own_body b = {.count = LINKS};
    b.links[SLED] = box_link(-1, LINK_FREE, 4, sled);
    b.links[LIMB] = box_link(SLED, LINK_REVOLUTE, 0.5, limb);
    b.links[CAP] = box_link(LIMB, LINK_RIGID, 0.3, cap);
    b.boxes[SLED] = (struct body_box){.link = SLED, .turn = QUATERNION_ONE, .size_m = sled};
    b.boxes[LIMB] =
        (struct body_box){.link = LIMB, .centre = up, .turn = QUATERNION_ONE, .size_m = limb};
    b.boxes[CAP] = (struct body_box){.link = CAP, .turn = QUATERNION_ONE, .size_m = cap};
    b.links[LIMB].joint = hinge;
    b.links[LIMB].centre = up;
    b.links[CAP].joint = vec3_add(up, top);
    if (variant == MERGED) {
        merge(&b.links[LIMB], &b.links[CAP], b.links[CAP].joint);
        b.boxes[CAP].link = LIMB;
        b.boxes[CAP].centre = b.links[CAP].joint;
        b.count = 2;
    }
    /* where the sled is; v in the world, spin about the vertical */
    struct vec3 at = {0, 0.05, 0}, v = {1.2, 0, 0.5 * side};
    struct quaternion turn = quaternion_about((struct vec3){0, 1, 0}, 0.3 * side);
    double spin = 0.4 * side, angle = 0.5, rate = -1;
    if (variant == SHIFTED)
        at = (struct vec3){3.25, 0.05, -7.5};
    if (variant == TURNED) {
        struct quaternion way = quaternion_about((struct vec3){0, 1, 0}, 1);
        struct mat3 m = quaternion_matrix(way);
        v = mat3_apply(&m, v);
        turn = quaternion_product(way, turn);
    }
    struct vec3 w = {0, spin, 0};
    if (variant == REROOTED) {
        /* the limb first, and the sled on a hinge at the limb's origin, the other way round */
        struct body_link first = b.links[SLED];
        struct mat3 m = quaternion_matrix(turn);
        b.links[SLED] = b.links[LIMB];
        b.links[SLED].parent = -1;
        b.links[SLED].kind = LINK_FREE;
        b.links[SLED].joint = (struct vec3){0, 0, 0};
        b.links[LIMB] = first;
        b.links[LIMB].parent = SLED;
        b.links[LIMB].kind = LINK_REVOLUTE;
        b.links[LIMB].centre = vec3_negated(hinge);
        b.links[CAP].parent = SLED;
        b.boxes[SLED].link = LIMB;
        b.boxes[SLED].centre = vec3_negated(hinge);
        b.boxes[LIMB].link = SLED;
        b.sled = LIMB;
        struct vec3 arm = mat3_apply(&m, hinge);
        at = vec3_add(at, arm);
        v = vec3_add(v, vec3_cross(w, arm));
        w = vec3_along(w, m.z, rate);
        turn = quaternion_product(turn, quaternion_about((struct vec3){0, 0, 1}, angle));
        angle = -angle;
        rate = -rate;
    }
    struct mat3 m = quaternion_matrix(turn);
    struct vec3 own = mat3_back(&m, w);
    const double q[] = {at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z, angle};
    const double qd[] = {v.x, v.y, v.z, own.x, own.y, own.z, rate};
    memcpy(b.q, q, sizeof q);
    memcpy(b.qd, qd, sizeof qd);
    return b;
}

/* Where the sled and the cap are after 0.4 s, seen as the plain ones. */
static void move(enum variant variant, double dt_s, struct vec3 places[2])
{
    struct own_body b = build(variant);
    struct body body = {
        .links = b.links, .link_count = b.count, .boxes = b.boxes, .box_count = LINKS};
    struct spatial_world world = {
        .gravity_m_s2 = {0, -9.81, 0},
        .surfaces = {.has_ground = 1, .friction = 0.3, .own_friction = 0.3}};
    struct dynamics_settings settings = {.dt_s = dt_s};
    struct servo spring = {.law = SERVO_SPRING, .kp = 4, .kd = 0.02, .torque_max = HUGE_VAL};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(d);
    spatial_state_set_servo(d, 6, &spring);
    dynamics_set_state(&d->dynamics, b.q, b.qd);
    for (long i = lround(0.4 / dt_s); i > 0; i--)
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
    const struct spatial_tree *tree = spatial_state_tree(d);
    ck_assert_double_gt(dynamics_ledger(&d->dynamics)->loss_friction_j, 0.5);
    const int owners[2] = {b.sled, b.boxes[CAP].link};
    const struct vec3 centres[2] = {b.boxes[SLED].centre, b.boxes[CAP].centre};
    for (int i = 0; i < 2; i++) {
        const struct spatial_tree_link *l = &tree->links[owners[i]];
        struct vec3 p = vec3_add(l->at, mat3_apply(&l->turned, centres[i]));
        if (variant == SHIFTED)
            p = vec3_sub(p, (struct vec3){3.25, 0, -7.5});
        if (variant == TURNED) {
            struct mat3 m = quaternion_matrix(quaternion_about((struct vec3){0, 1, 0}, 1));
            p = mat3_back(&m, p);
        }
        if (variant == MIRRORED)
            p.z = -p.z;
        places[i] = p;
    }
}

static double difference(enum variant variant, double dt_s)
{
    struct vec3 plain[2], other[2];
    move(PLAIN, dt_s, plain);
    move(variant, dt_s, other);
    ck_assert_double_gt(plain[0].x, 0.2);
    return fmax(vec3_length(vec3_sub(plain[0], other[0])),
                vec3_length(vec3_sub(plain[1], other[1])));
}

TEST_LOOP(the_same_motion, 0, VARIANTS)
{
    double off = difference((enum variant)_i, 1.0 / 240);
    ck_assert_msg(off <= tolerances[_i], "variant %d: %.3g m apart", _i, off);
}

/* Coordinates of another root err otherwise, but little at any step. */
TEST(another_root_errs_little)
{
    for (int parts = 1; parts <= 4; parts *= 2)
        ck_assert_double_le(difference(REROOTED, 1.0 / (240 * parts)), tolerances[REROOTED]);
}

SUITE("space_alike", 120, setup, NULL)
