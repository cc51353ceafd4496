/* Rules of bodies in space that need no reference values: the order of both ways to step for each
 * type of joint, what is conserved, and what must not change, or change in a known way, when a body
 * is turned, moved, mirrored, described from another root, merged, run backwards, or moved beside
 * others. */
#include "simulator/spatial/steps/spatial_step.h"
#include "tests/vectors.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"

enum { LINKS_MAX = 8, RATES_MAX = 24, COORDINATES_MAX = 28 };
static const int ways[2] = {INTEGRATOR_RK4, INTEGRATOR_MIDPOINT};

/* A body with its start. */
struct scene {
    struct body_link links[LINKS_MAX];
    int count;
    struct spatial_world world;
    struct dynamics_settings settings;
    double stiffness; /* of springs in all joints that have a parent */
    /* of muscles in the joint of link 1, which pull with all that they have at their speed */
    double strength;
    double q[COORDINATES_MAX], qd[RATES_MAX];
    int coordinates, rates;
};

static void setup(void)
{
    arena_open(1u << 20);
}

/* ---------------------------------------------------------------- building */

static struct scene empty(int integrator)
{
    struct scene s = {.count = 0};
    s.settings.dt_s = 1.0 / 240;
    s.settings.integrator = integrator;
    s.world.gravity_m_s2 = (struct vec3){0, -9.81, 0};
    return s;
}

/* A box that is long in x, whose centre is off the joint; its start is at q = 0 and at rest. */
static struct body_link *add_link(struct scene *s, int parent, enum link_joint kind,
                                  struct vec3 joint, double mass)
{
    struct body_link *l = &s->links[s->count++];
    struct sym3 inertia = {0.004 * mass, 0, 0, 0.011 * mass, 0, 0.013 * mass};
    *l = link_with(parent, kind, mass, inertia);
    l->joint = joint;
    l->centre = (struct vec3){0.15, 0.02, -0.01};
    const struct joint_kind *joint_row = &joint_kinds[kind];
    int plain = joint_row->slides + joint_row->turns;
    if (joint_row->has_ball)
        s->q[s->coordinates + plain] = 1;
    s->coordinates += joint_coordinates(joint_row);
    s->rates += joint_rates(joint_row);
    return l;
}

static struct quaternion turn_of(double x, double y, double z)
{
    return quaternion_exp((struct vec3){x, y, z});
}

/* Where the coordinates and rates of link i begin. */
static double *q_of(struct scene *s, int i)
{
    double *q = s->q;
    for (int k = 0; k < i; k++)
        q += joint_coordinates(&joint_kinds[s->links[k].kind]);
    return q;
}

static double *qd_of(struct scene *s, int i)
{
    double *qd = s->qd;
    for (int k = 0; k < i; k++)
        qd += joint_rates(&joint_kinds[s->links[k].kind]);
    return qd;
}

/* A tumbling box with a limb on each type of joint, all in motion. */
static struct scene menagerie(int integrator)
{
    static const enum link_joint kinds[] = {LINK_UNIVERSAL, LINK_REVOLUTE, LINK_BEND_TWIST,
                                            LINK_TWIST,     LINK_LINEAR,   LINK_SPHERICAL,
                                            LINK_TWIST_BEND};
    static const int parents[] = {0, 1, 0, 3, 0, 5, 0};
    struct scene s = empty(integrator);
    add_link(&s, -1, LINK_FREE, (struct vec3){0, 0, 0}, 3);
    for (int i = 0; i < 7; i++) {
        struct vec3 at = {0.1 + 0.03 * i, 0.05 * (i % 3) - 0.05, 0.04 * (i % 2)};
        add_link(&s, parents[i], kinds[i], at, 0.5 + 0.1 * i)->frame =
            turn_of(0.3 * i, -0.5 + 0.2 * i, 0.7 - 0.1 * i);
    }
    s.stiffness = 2;
    for (int i = 0; i < s.rates; i++)
        s.qd[i] = 0.8 * (i % 5) - 1.1;
    for (int i = 1; i < s.count; i++)
        if (!joint_kinds[s.links[i].kind].has_ball)
            q_of(&s, i)[0] = 0.1 * i - 0.35;
    return s;
}

/* ---------------------------------------------------------------- moving */

static struct spatial_state *start(const struct scene *s)
{
    struct body body = {.links = (struct body_link *)s->links, .link_count = s->count};
    struct servo spring = {
        .law = SERVO_SPRING, .kp = s->stiffness, .kd = 0.01 * s->stiffness, .torque_max = HUGE_VAL};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, &s->world, &s->settings, &arena);
    ck_assert_ptr_nonnull(d);
    const struct spatial_tree *tree = spatial_state_tree(d);
    for (int i = 0; i < s->count && s->stiffness > 0; i++)
        for (int k = 0; k < tree->links[i].rates && s->links[i].kind != LINK_FREE; k++)
            spatial_state_set_servo(d, tree->links[i].rate + k, &spring);
    const struct servo muscle = {.law = SERVO_EFFECTOR,
                                 .kp = 5,
                                 .kd = 0.1,
                                 .torque_max = s->strength,
                                 .hill_n_m = 0.25 * s->strength,
                                 .hill_s_rad = 1 / (0.25 * 20),
                                 .target = 1.5};
    for (int k = 0; k < tree->links[1].rates && s->strength > 0; k++)
        spatial_state_set_servo(d, tree->links[1].rate + k, &muscle);
    dynamics_set_state(&d->dynamics, s->q, s->qd);
    return d;
}

/* What links do, in the world. */
struct states {
    struct vec3 centre[LINKS_MAX], velocity[LINKS_MAX], w[LINKS_MAX];
    struct mat3 turned[LINKS_MAX];
};

static struct states read_states(struct spatial_state *d)
{
    struct states states;
    const struct spatial_tree *tree = spatial_state_tree(d);
    memset(&states, 0, sizeof states);
    for (int i = 0; i < tree->count; i++) {
        states.centre[i] = spatial_tree_centre(&tree->links[i]);
        states.velocity[i] = spatial_tree_centre_velocity(&tree->links[i]);
        states.w[i] = tree->links[i].velocity.w;
        states.turned[i] = tree->links[i].turned;
    }
    return states;
}

static void steps(struct spatial_state *d, long count)
{
    for (; count > 0; count--)
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
}

/* loss_j: what limits took, or NULL. */
static struct states move_with_loss(const struct scene *s, double until_s, double *loss_j)
{
    struct spatial_state *d = start(s);
    steps(d, lround(until_s / s->settings.dt_s));
    if (loss_j)
        *loss_j = dynamics_ledger(&d->dynamics)->loss_limit_j;
    return read_states(d);
}

static struct states move(const struct scene *s, double until_s)
{
    return move_with_loss(s, until_s, NULL);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The largest difference of links' states. */
static double difference(const struct states *a, const struct states *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = larger(most, vec3_distance(a->centre[i], b->centre[i]));
        most = larger(most, vec3_distance(a->velocity[i], b->velocity[i]));
        most = larger(most, vec3_distance(a->w[i], b->w[i]));
        most = larger(most, vec3_distance(a->turned[i].x, b->turned[i].x));
        most = larger(most, vec3_distance(a->turned[i].y, b->turned[i].y));
    }
    return most;
}

/* ---------------------------------------------------------------- orders */

/* How much less a motion errs with half the step. */
static double find_order_ratio(struct scene s, double dt_s)
{
    struct states runs[3];
    for (int i = 0; i < 3; i++) {
        s.settings.dt_s = dt_s / (1 << i);
        runs[i] = move(&s, 1);
    }
    return difference(&runs[0], &runs[1], s.count) / difference(&runs[1], &runs[2], s.count);
}

/* A box that tumbles, free or hung up, with a limb on the joint and another limb below. */
static struct scene joined(enum link_joint kind, int integrator)
{
    struct scene s = empty(integrator);
    add_link(&s, -1, LINK_FREE, (struct vec3){0, 0, 0}, 1);
    add_link(&s, 0, kind, (struct vec3){0.2, 0.1, 0.05}, 0.7)->frame = turn_of(0.3, -0.4, 0.5);
    add_link(&s, 1, LINK_SPHERICAL, (struct vec3){0.3, 0, 0.02}, 0.4);
    s.stiffness = 1;
    for (int i = 0; i < s.rates; i++)
        s.qd[i] = 1.3 - 0.7 * (i % 4);
    return s;
}

TEST_LOOP(orders, 0, 2 * LINK_FREE)
{
    enum link_joint kind = (enum link_joint)(_i % LINK_FREE);
    int is_midpoint = _i >= LINK_FREE;
    struct scene s = joined(kind, ways[is_midpoint]);
    double ratio = find_order_ratio(s, is_midpoint ? 1.0 / 480 : 1.0 / 120);
    double ideal = is_midpoint ? 4 : 16, allowed = is_midpoint ? 0.4 : 3;
    ck_assert_msg(fabs(ratio - ideal) <= allowed, "%s joint, %s: half the step errs by 1/%.3g",
                  joint_kinds[kind].name, is_midpoint ? "midpoint" : "RK4", ratio);
}

/* Muscles at their bounds weaken with their speed, which is known only after the step. */
TEST_LOOP(muscles_at_their_bounds, LINK_REVOLUTE, LINK_FREE)
{
    enum link_joint kind = (enum link_joint)_i;
    struct scene s = joined(kind, INTEGRATOR_MIDPOINT);
    s.stiffness = 0;
    s.strength = 2;
    s.settings.dt_s = 1.0 / 240;
    struct states coarse = move(&s, 0.5);
    s.settings.dt_s = 1.0 / 7680;
    struct states exact = move(&s, 0.5);
    double off = difference(&coarse, &exact, s.count);
    ck_assert_msg(off <= 0.012, "%s joint: off by %g", joint_kinds[kind].name, off);
}

/* A free root alone, and a ball alone, have the order of the rule. */
TEST(orders_of_roots)
{
    for (int is_midpoint = 0; is_midpoint < 2; is_midpoint++)
        for (int is_free = 0; is_free < 2; is_free++) {
            struct scene s = empty(ways[is_midpoint]);
            add_link(&s, -1, is_free ? LINK_FREE : LINK_SPHERICAL, (struct vec3){0, 0, 0}, 1);
            for (int i = 0; i < s.rates; i++)
                s.qd[i] = 1 + 1.5 * (i % 3);
            double ratio = find_order_ratio(s, is_midpoint ? 1.0 / 480 : 1.0 / 120);
            ck_assert_double_eq_tol(ratio, is_midpoint ? 4 : 16, is_midpoint ? 0.4 : 3);
        }
}

/* ---------------------------------------------------------------- what is conserved */

/* A box that tumbles for a minute. */
TEST_LOOP(tumbling_keeps_energy, 0, 2)
{
    static const double allowed_energy[2] = {1e-10, 4e-6}, allowed_spin[2] = {1e-9, 4e-5};
    struct scene s = empty(ways[_i]);
    struct vec3 p, before, after;
    struct body_link *l = add_link(&s, -1, LINK_FREE, (struct vec3){0, 0, 0}, 1.5);
    l->centre = (struct vec3){0, 0, 0};
    l->inertia = (struct sym3){0.0125, 0, 0, 0.0325, 0, 0.0425};
    s.world.gravity_m_s2 = (struct vec3){0, 0, 0};
    s.qd[3] = 3;
    s.qd[4] = 1;
    s.qd[5] = 2;
    struct spatial_state *d = start(&s);
    double energy = dynamics_ledger(&d->dynamics)->kinetic_j;
    spatial_tree_momentum(spatial_state_tree(d), &p, &before);
    steps(d, 60 * 240);
    spatial_tree_momentum(spatial_state_tree(d), &p, &after);
    ck_assert_double_le(fabs(dynamics_ledger(&d->dynamics)->kinetic_j / energy - 1),
                        allowed_energy[_i]);
    ck_assert_double_le(vec3_distance(before, after) / vec3_length(before), allowed_spin[_i]);
}

/* Momentum and angular momentum of a free tree whose springs work, and its ledger. */
TEST_LOOP(momentum_and_ledger, 0, 2)
{
    static const double allowed_momentum[2] = {1e-6, 1e-2}, allowed_residual[2] = {1e-6, 1e-2};
    struct scene s = menagerie(ways[_i]);
    struct vec3 p0, l0, p1, l1;
    s.world.gravity_m_s2 = (struct vec3){0, 0, 0};
    struct spatial_state *d = start(&s);
    spatial_tree_momentum(spatial_state_tree(d), &p0, &l0);
    steps(d, 240);
    spatial_tree_momentum(spatial_state_tree(d), &p1, &l1);
    ck_assert_double_le(vec3_distance(p0, p1), allowed_momentum[_i]);
    ck_assert_double_le(vec3_distance(l0, l1), allowed_momentum[_i]);
    const struct ledger *ledger = dynamics_ledger(&d->dynamics);
    ck_assert_double_gt(fabs(ledger->work_effector_j), 0.01);
    ck_assert_double_le(fabs(ledger->residual_j), allowed_residual[_i]);
}

/* ---------------------------------------------------------------- what must not change */

/* A root's pose and velocity, turned and shifted. */
static void turn_root(struct scene *s, struct quaternion turn, struct vec3 shift)
{
    struct mat3 r = quaternion_matrix(turn);
    struct quaternion own = {s->q[3], s->q[4], s->q[5], s->q[6]};
    struct vec3 at = mat3_apply(&r, (struct vec3){s->q[0], s->q[1], s->q[2]});
    struct vec3 v = mat3_apply(&r, (struct vec3){s->qd[0], s->qd[1], s->qd[2]});
    own = quaternion_normalised(quaternion_product(turn, own));
    memcpy(s->q,
           (double[]){at.x + shift.x, at.y + shift.y, at.z + shift.z, own.w, own.x, own.y, own.z},
           7 * sizeof(double));
    memcpy(s->qd, (double[]){v.x, v.y, v.z}, 3 * sizeof(double));
    s->world.gravity_m_s2 = mat3_apply(&r, s->world.gravity_m_s2);
}

static void turn_states(struct states *states, int count, struct quaternion turn, struct vec3 shift)
{
    struct mat3 r = quaternion_matrix(turn);
    for (int i = 0; i < count; i++) {
        states->centre[i] = vec3_add(mat3_apply(&r, states->centre[i]), shift);
        states->velocity[i] = mat3_apply(&r, states->velocity[i]);
        states->w[i] = mat3_apply(&r, states->w[i]);
        states->turned[i] = mat3_product(&r, &states->turned[i]);
    }
}

TEST_LOOP(turned_with_gravity, 0, 2)
{
    struct quaternion turn = turn_of(0.7, -1.9, 1.1);
    struct vec3 nowhere = {0, 0, 0};
    struct scene s = menagerie(ways[_i]);
    struct states plain = move(&s, 1);
    turn_root(&s, turn, nowhere);
    struct states turned = move(&s, 1);
    turn_states(&plain, s.count, turn, nowhere);
    ck_assert_double_le(difference(&plain, &turned, s.count), 1e-10);
}

TEST_LOOP(shifted, 0, 2)
{
    struct vec3 far = {1000, -2000, 500};
    struct scene s = menagerie(ways[_i]);
    struct states plain = move(&s, 1);
    turn_root(&s, QUATERNION_ONE, far);
    struct states there = move(&s, 1);
    turn_states(&plain, s.count, QUATERNION_ONE, far);
    ck_assert_double_le(difference(&plain, &there, s.count), 1e-9);
}

/* x the other way round: turns about x keep their sign, those about y and z change it. */
static void mirror_scene(struct scene *s)
{
    for (int i = 0; i < s->count; i++) {
        struct body_link *l = &s->links[i];
        const struct joint_kind *joint = &joint_kinds[l->kind];
        double *q = q_of(s, i), *qd = qd_of(s, i);
        l->joint.x = -l->joint.x;
        l->centre.x = -l->centre.x;
        l->frame.y = -l->frame.y;
        l->frame.z = -l->frame.z;
        l->inertia.xy = -l->inertia.xy;
        l->inertia.xz = -l->inertia.xz;
        for (int k = 0; k < joint->slides + joint->turns; k++) {
            int is_slide = k < joint->slides;
            int axis = is_slide ? k : joint->axes[k - joint->slides];
            double sign = is_slide == (axis == 0) ? -1 : 1;
            q[k] *= sign;
            qd[k] *= sign;
        }
        q += joint->slides + joint->turns;
        qd += joint->slides + joint->turns;
        for (int k = 1; k < 3 && joint->has_ball; k++) {
            q[k + 1] = -q[k + 1];
            qd[k] = -qd[k];
        }
    }
}

TEST_LOOP(mirrored_to_the_bit, 0, 2)
{
    struct scene s = menagerie(ways[_i]);
    struct states plain = move(&s, 1);
    mirror_scene(&s);
    struct states other = move(&s, 1);
    for (int i = 0; i < s.count; i++) {
        ck_assert(other.centre[i].x == -plain.centre[i].x);
        ck_assert(other.centre[i].y == plain.centre[i].y);
        ck_assert(other.centre[i].z == plain.centre[i].z);
        ck_assert(other.velocity[i].x == -plain.velocity[i].x);
        ck_assert(other.w[i].x == plain.w[i].x);
        ck_assert(other.w[i].y == -plain.w[i].y);
        ck_assert(other.turned[i].x.x == plain.turned[i].x.x);
        ck_assert(other.turned[i].x.y == -plain.turned[i].x.y);
    }
}

TEST_LOOP(sign_of_quaternions, 0, 2)
{
    struct scene s = menagerie(ways[_i]);
    struct states plain = move(&s, 1);
    for (int i = 3; i < 7; i++)
        s.q[i] = -s.q[i];
    struct states other = move(&s, 1);
    ck_assert_double_eq(difference(&plain, &other, s.count), 0);
}

TEST_LOOP(at_rest_to_the_bit, 0, 2)
{
    struct scene s = menagerie(ways[_i]);
    s.stiffness = 0;
    s.world.gravity_m_s2 = (struct vec3){0, 0, 0};
    memset(s.qd, 0, sizeof s.qd);
    struct quaternion turn = turn_of(0.4, 2, -0.3);
    turn_root(&s, turn, (struct vec3){1, 2, 3});
    struct spatial_state *d = start(&s);
    struct states before = read_states(d);
    steps(d, 240);
    struct states after = read_states(d);
    ck_assert_double_eq(difference(&before, &after, s.count), 0);
}

/* Two bodies, joined by a bend and a twist, from either end: reversed it is a twist and a bend. */
TEST_LOOP(rerooted, 0, 2)
{
    struct scene a = empty(ways[_i]), b = empty(ways[_i]);
    struct vec3 joint = {0.25, 0.03, -0.02}, origin = {0, 0, 0};
    add_link(&a, -1, LINK_FREE, origin, 1);
    add_link(&a, 0, LINK_BEND_TWIST, joint, 0.6);
    memcpy(a.qd, (double[]){0.3, 0.5, -0.2, 0.7, -1.1, 0.9, 1.3, -0.8}, 8 * sizeof(double));
    memcpy(q_of(&a, 1), (double[]){0.5, -0.4}, 2 * sizeof(double));
    struct spatial_state *d = start(&a);
    const struct spatial_tree_link *second = &spatial_state_tree(d)->links[1];
    struct vec3 at = second->at, v = second->velocity.v;
    struct vec3 w = mat3_back(&second->turned, second->velocity.w);
    struct quaternion turned = quaternion_product(quaternion_about((struct vec3){0, 0, 1}, 0.5),
                                                  quaternion_about((struct vec3){1, 0, 0}, -0.4));

    add_link(&b, -1, LINK_FREE, origin, 0.6);
    struct body_link *other = add_link(&b, 0, LINK_TWIST_BEND, origin, 1);
    other->centre = vec3_sub(other->centre, joint);
    memcpy(b.q, (double[]){at.x, at.y, at.z, turned.w, turned.x, turned.y, turned.z, 0.4, -0.5},
           9 * sizeof(double));
    memcpy(b.qd, (double[]){v.x, v.y, v.z, w.x, w.y, w.z, 0.8, -1.3}, 8 * sizeof(double));
    a.settings.dt_s = b.settings.dt_s = _i == 0 ? 1.0 / 480 : 1.0 / 7680;
    struct states one = move(&a, 1), two = move(&b, 1), same = two;
    for (int i = 0; i < 2; i++) {
        same.centre[i] = two.centre[1 - i];
        same.velocity[i] = two.velocity[1 - i];
        same.w[i] = two.w[1 - i];
        same.turned[i] = two.turned[1 - i];
    }
    ck_assert_double_le(difference(&one, &same, 2), _i == 0 ? 1e-8 : 1e-5);
}

/* A rigid joint, against one link with the mass of both. */
TEST_LOOP(merged, 0, 2)
{
    struct scene a = empty(ways[_i]), b;
    struct vec3 at = {0.2, -0.1, 0.05};
    struct quaternion frame = turn_of(0.4, 0.9, -0.6);
    struct mat3 r = quaternion_matrix(frame);
    add_link(&a, -1, LINK_SPHERICAL, (struct vec3){0, 1, 0}, 1);
    for (int k = 0; k < 3; k++)
        a.qd[k] = 2 - 1.5 * k;
    b = a;
    struct body_link *rigid = add_link(&a, 0, LINK_RIGID, at, 0.5), *whole = &b.links[0];
    rigid->frame = frame;
    struct vec3 second = vec3_add(at, mat3_apply(&r, rigid->centre)), first = whole->centre;
    struct vec3 centre = vec3_scale(vec3_along(first, second, 0.5), 1 / 1.5);
    struct sym3 turned = sym3_turned(&rigid->inertia, &r);
    const struct vec3 arms[2] = {vec3_sub(first, centre), vec3_sub(second, centre)};
    const double masses[2] = {1, 0.5};
    whole->inertia = sym3_add(&whole->inertia, &turned);
    for (int k = 0; k < 2; k++) {
        double square = masses[k] * vec3_dot(arms[k], arms[k]);
        struct sym3 point = {square, 0, 0, square, 0, square};
        point = sym3_along(&point, arms[k], -masses[k]);
        whole->inertia = sym3_add(&whole->inertia, &point);
    }
    whole->centre = centre;
    whole->mass_kg = 1.5;
    struct states one = move(&a, 1), two = move(&b, 1);
    ck_assert_double_le(vec3_distance(one.w[0], two.w[0]), 1e-12);
    ck_assert_double_le(vec3_distance(one.turned[0].x, two.turned[0].x), 1e-12);
    ck_assert_double_le(vec3_distance(one.turned[0].y, two.turned[0].y), 1e-12);
}

/* Trees side by side do not know of one another. */
TEST_LOOP(forest, 0, 2)
{
    struct scene a = joined(LINK_UNIVERSAL, ways[_i]), both = a;
    struct states alone = move(&a, 1);
    add_link(&both, -1, LINK_SPHERICAL, (struct vec3){3, 0, 0}, 2);
    add_link(&both, 3, LINK_TWIST, (struct vec3){0.2, 0, 0}, 1);
    qd_of(&both, 4)[0] = 7;
    struct states together = move(&both, 1);
    ck_assert_double_eq(difference(&alone, &together, a.count), 0);
}

/* Forwards, then back with all rates turned round. */
TEST(time_reversal)
{
    struct scene s = menagerie(INTEGRATOR_RK4);
    s.stiffness = 0;
    struct spatial_state *d = start(&s);
    struct states before = read_states(d);
    double qd[RATES_MAX];
    steps(d, 240);
    for (int i = 0; i < s.rates; i++)
        qd[i] = -d->qd[i];
    dynamics_set_state(&d->dynamics, d->q, qd);
    steps(d, 240);
    struct states after = read_states(d);
    for (int i = 0; i < s.count; i++)
        ck_assert_double_le(vec3_distance(before.centre[i], after.centre[i]), 1e-5);
}

/* Servos that are far too stiff for their step, and bounded ones: nothing explodes, and no energy
 * comes from nowhere. */
TEST(stiff_servos_hold)
{
    struct scene s = menagerie(INTEGRATOR_AUTO);
    s.world.gravity_m_s2 = (struct vec3){0, 0, 0};
    s.stiffness = 1e6;
    for (int i = 1; i < s.count; i++)
        if (!joint_kinds[s.links[i].kind].has_ball)
            q_of(&s, i)[0] = 0;
    struct spatial_state *d = start(&s);
    double energy = dynamics_ledger(&d->dynamics)->kinetic_j;
    steps(d, 480);
    ck_assert_double_le(dynamics_ledger(&d->dynamics)->kinetic_j, 2 * energy + 1);
    struct servo bounded = {
        .law = SERVO_EFFECTOR, .kp = 1e4, .kd = 10, .torque_max = 0.5, .target = 3};
    for (int i = 6; i < s.rates; i++)
        spatial_state_set_servo(d, i, &bounded);
    dynamics_set_state(&d->dynamics, s.q, s.qd);
    for (int i = 0; i < 480; i++) {
        steps(d, 1);
        for (int k = 6; k < s.rates; k++)
            ck_assert_double_le(fabs(d->torque[k]), 0.5 * (1 + 1e-9));
    }
}

/* Joints of each type that hit a limit and stay there. What comes after is as exact as if there was
 * none, wherever in a step the hit is, but at its very ends. */
TEST_LOOP(hits_are_in_time, LINK_REVOLUTE, LINK_FREE)
{
    enum link_joint kind = (enum link_joint)_i;
    struct scene s = empty(INTEGRATOR_AUTO);
    s.world.gravity_m_s2 = (struct vec3){0, 0, 0};
    add_link(&s, -1, LINK_FREE, (struct vec3){0, 0, 0}, 1);
    struct body_link *l = add_link(&s, 0, kind, (struct vec3){0.3, 0, 0}, 0.7);
    l->frame = turn_of(0.4, -0.3, 0.2);
    for (int i = 0; i < s.rates; i++)
        s.qd[i] = 0.3 * (i % 4) - 0.4;
    qd_of(&s, 1)[0] = 3;
    double most = 0, exact_loss = 0, loss = 0;
    for (int i = 0; i < 12; i++) {
        l->upper[0] = l->cone_rad = 0.4 + 0.011 * i;
        s.settings.dt_s = 1.0 / 7680;
        struct states exact = move_with_loss(&s, 0.5, &exact_loss);
        s.settings.dt_s = 1.0 / 120;
        struct states coarse = move_with_loss(&s, 0.5, &loss);
        most = larger(most, difference(&coarse, &exact, s.count));
    }
    ck_assert_msg(most <= 3e-5, "%s joint: off by %g", joint_kinds[kind].name, most);
    ck_assert_double_eq_tol(loss, exact_loss, 1e-5 * exact_loss);
}

SUITE("space_rules", 120, setup, NULL)
