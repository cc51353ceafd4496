/* What the velocities of contacts in space gain by turning alone, against differences: two trees of
 * boxes and balls that touch, a little before and after at the same rates. */
#include "simulator/spatial/contacts/spatial_contacts.h"
#include "tests/vectors.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"

enum { LINKS = 2, RATES_MOST = 12, COORDINATES_MOST = 16 };
#define EPSILON_S 1e-6

static struct rng rng;
static struct spatial_surfaces surfaces;
static const struct dynamics_settings settings = {.dt_s = 1.0 / 240};

/* Two bodies that share contacts. */
static struct body_of_two {
    struct body_link links[LINKS];
    struct body_box boxes[LINKS];
    struct spatial_tree tree;
    struct spatial_limits limits;
    struct spatial_contacts contacts;
    struct dynamics dynamics;
    double q[COORDINATES_MOST], rates[RATES_MOST];
} bodies[2];
static struct spatial_contacts shared;

static void setup(void)
{
    rng_init(&rng, 60, RNG_TEST, 0, 2);
    arena_open(4u << 20);
}

static struct vec3 random_size(int is_round)
{
    double x = rng_uniform(&rng, 0.1, 0.8), y = rng_uniform(&rng, 0.1, 0.8);
    double z = rng_uniform(&rng, 0.1, 0.8);
    return is_round ? (struct vec3){x, x, x} : (struct vec3){x, y, z};
}

static void draw_body(struct body_of_two *b, enum link_joint joint, double balls)
{
    for (int i = 0; i < LINKS; i++) {
        int is_round = rng_chance(&rng, balls);
        b->links[i] = link_with(i - 1, i == 0 ? LINK_FREE : joint, 1,
                                (struct sym3){.xx = 0.1, .yy = 0.1, .zz = 0.1});
        if (i > 0)
            b->links[i].joint = draw_vec3(&rng, 0.3);
        struct quaternion turn = quaternion_exp(draw_vec3(&rng, 2));
        b->boxes[i] = (struct body_box){.link = i,
                                        .centre = draw_vec3(&rng, 0.3),
                                        .turn = turn,
                                        .size_m = random_size(is_round),
                                        .is_round = is_round};
    }
    ck_assert_int_eq(spatial_tree_create(&b->tree, b->links, LINKS, (struct vec3){0, 0, 0}, &arena),
                     0);
    ck_assert_int_eq(spatial_limits_create(&b->limits, &b->tree, b->links, &arena), 0);
    const struct spatial_contact_body body = {.tree = &b->tree,
                                              .limits = &b->limits,
                                              .surfaces = &surfaces,
                                              .rates = {b->rates, b->rates, b->rates},
                                              .dynamics = &b->dynamics};
    ck_assert_int_eq(
        spatial_contacts_create(&b->contacts, &body, b->boxes, LINKS, &settings, &arena), 0);
    b->contacts.own.pair_count = 0;
    spatial_tree_birth(&b->tree, b->q);
    double turned[RATES_MOST];
    for (int i = 0; i < b->tree.rates; i++) {
        turned[i] = i < 3 ? 0 : rng_uniform(&rng, -1, 1);
        b->rates[i] = rng_uniform(&rng, -2, 2);
    }
    double q[COORDINATES_MOST];
    spatial_tree_advance(&b->tree, b->q, turned, 1, q);
    for (int i = 0; i < COORDINATES_MOST; i++)
        b->q[i] = q[i];
}

static void draw_bodies(enum link_joint joint, double balls)
{
    struct spatial_contacts *all[2] = {&bodies[0].contacts, &bodies[1].contacts};
    arena_reset(&arena);
    for (int k = 0; k < 2; k++)
        draw_body(&bodies[k], joint, balls);
    ck_assert_int_eq(spatial_contacts_create_shared(&shared, all, 2, &settings, &arena), 0);
    for (int k = 0; k < 2; k++)
        spatial_contacts_gather(&shared, all[k]);
    shared.is_whole = 1;
}

static void find_at(double time_s)
{
    for (int k = 0; k < 2; k++) {
        double q[COORDINATES_MOST];
        spatial_tree_advance(&bodies[k].tree, bodies[k].q, bodies[k].rates, time_s, q);
        spatial_tree_set_pose(&bodies[k].tree, q);
        spatial_tree_set_velocity(&bodies[k].tree, bodies[k].rates);
    }
    spatial_contacts_find(&shared);
}

/* The velocity of the first against the second where they touch. */
static struct vec3 velocity_across(const struct spatial_contact *c)
{
    struct vec3 u = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        const struct spatial_tree_link *l = (side == 0 ? c->pair->one : c->pair->two)->link;
        struct vec3 v = vec3_add(l->velocity.v, vec3_cross(l->velocity.w, vec3_sub(c->at, l->at)));
        u = vec3_along(u, v, side == 0 ? 1 : -1);
    }
    return u;
}

/* 1 if a corner touches a face, not a place where an edge is cut off at the side of the face. */
static int is_corner(const struct spatial_contact *c)
{
    const struct solid_manifold *m = &c->pair->found;
    int feature = m->points[c->point].feature, is_face = m->axis < SOLIDS_FACES;
    return !is_face || (feature % 8 < 4 && feature / 8 % 8 < 4);
}

/* The contact that just touches; NULL: there is none. */
static const struct spatial_contact *find_touching(int a, int b)
{
    find_at(0);
    for (int i = 0; i < shared.count; i++) {
        const struct spatial_contact *c = &shared.list[i];
        if (c->pair->a == a && c->pair->b == b && fabs(c->gap) < 1e-9 && is_corner(c))
            return c;
    }
    return NULL;
}

/* The same at another time. */
static const struct spatial_contact *find_same(const struct spatial_contact *as, int axis,
                                               int feature)
{
    for (int i = 0; i < shared.count; i++) {
        const struct spatial_contact *c = &shared.list[i];
        const struct solid_manifold *m = &c->pair->found;
        if (c->pair->a == as->pair->a && c->pair->b == as->pair->b && m->axis == axis &&
            m->points[c->point].feature == feature)
            return c;
    }
    return NULL;
}

/* Moves the second body until a box of it touches one of the first. */
static void touch(int a, int b)
{
    struct solid_manifold m;
    struct vec3 at = draw_vec3(&rng, 1);
    for (int k = 0; k < 3; k++)
        bodies[1].q[k] = (&at.x)[k];
    for (int pass = 0; pass < 30; pass++) {
        find_at(0);
        const struct solid *one = &bodies[0].contacts.own.movers[a].solid;
        const struct solid *two = &bodies[1].contacts.own.movers[b].solid;
        solids_meet(one, two, 1e3, NULL, &m);
        double gap = HUGE_VAL;
        for (int i = 0; i < m.count; i++)
            gap = fmin(gap, m.points[i].gap);
        /* edges do not cross, or no face is opposed */
        gap = m.count > 0 ? gap : 0.1;
        at = vec3_scale(m.normal, gap);
        for (int k = 0; k < 3; k++)
            bodies[1].q[k] += (&at.x)[k];
    }
}

static int kinds[4]; /* compared: with a face, an edge of each, a ball, two balls */

static int kind_of(const struct spatial_contact *c)
{
    int balls = c->pair->one->is_round + c->pair->two->is_round;
    return balls > 0 ? 1 + balls : c->pair->found.axis >= SOLIDS_FACES;
}

/* How far the drift is off, as a share of what all the terms could be; 0: nothing is compared. */
static double compare(int a, int b)
{
    const struct spatial_contact *c = find_touching(a, b);
    if (!c)
        return 0;
    /* the second body does not come nearer */
    struct vec3 nearer = vec3_scale(c->normal, vec3_dot(velocity_across(c), c->normal));
    for (int k = 0; k < 3; k++)
        bodies[1].rates[k] += (&nearer.x)[k];
    const struct spatial_contact now = *(c = find_touching(a, b));
    int axis = now.pair->found.axis, feature = now.pair->found.points[now.point].feature;
    spatial_contacts_measure(&shared);
    const double *drift = &shared.drift[3 * (c - shared.list)];
    double gained[3], by_difference[3] = {0, 0, 0}, size = 1, worst = 0;
    for (int k = 0; k < 3; k++)
        gained[k] = drift[k] / (settings.dt_s / 2);
    for (int k = -1; k <= 1; k += 2) {
        find_at(k * EPSILON_S);
        if (!(c = find_same(&now, axis, feature)))
            return 0;
        struct vec3 u = velocity_across(c);
        by_difference[0] += k * vec3_dot(u, c->normal) / (2 * EPSILON_S);
        for (int i = 0; i < 2; i++)
            by_difference[1 + i] += k * vec3_dot(u, now.tangents[i]) / (2 * EPSILON_S);
    }
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(gained[k] - by_difference[k]));
    for (int k = 0; k < 3; k++)
        size += fabs(by_difference[k]);
    kinds[kind_of(&now)]++;
    return worst / size;
}

TEST(drifts_are_what_velocities_gain)
{
    static const enum link_joint joints[] = {LINK_REVOLUTE, LINK_UNIVERSAL, LINK_SPHERICAL,
                                             LINK_LINEAR};
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        int a = (int)rng_below(&rng, LINKS), b = (int)rng_below(&rng, LINKS);
        draw_bodies(joints[i % 4], i % 2 ? 0.4 : 0);
        touch(a, b);
        worst = fmax(worst, compare(a, b));
    }
    for (int k = 0; k < 4; k++)
        ck_assert_int_gt(kinds[k], 100);
    ck_assert_double_lt(worst, 1e-6);
}

SUITE("spatial_contacts_drift", 60, setup, NULL)
