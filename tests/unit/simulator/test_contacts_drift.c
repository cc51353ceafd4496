/* What the velocities of contacts gain by turning alone, against differences: two random trees that
 * touch, a little before and after at the same rates. */
#include "common/error.h"
#include "simulator/planar/contacts/contacts.h"
#include "tests/unit/body_fixture.h"
#include "tests/plain_fixture.h"

enum { DOF = BODY_DOF_MAX, PARTS_MOST = 4 };
#define EPSILON_S 1e-6

static struct rng rng;
static struct world world;
static struct dynamics_settings settings;

/* Two bodies that share contacts. */
static struct couple {
    struct test_body body[2];
    struct tree tree[2];
    struct contacts own[2], shared;
    struct dynamics dynamics[2];
    double q[2][DOF], qd[2][DOF];
} pair_of_bodies, *const couple = &pair_of_bodies;

static void setup(void)
{
    rng_init(&rng, 60, RNG_TEST, 0, 1);
    settings = stage_default_settings();
    arena_open(4u << 20);
}

static void draw_body(int k, int has_stretch, double disks)
{
    struct test_body *body = &couple->body[k];
    if (has_stretch)
        body_init_stretching(body, PARTS_MOST, &rng);
    else
        body_init_mixed(body, PARTS_MOST, 0.3, &rng);
    for (int i = 0; i < body->phenotype.part_count && !has_stretch; i++)
        if (rng_chance(&rng, disks)) {
            body->parts[i].shape = PART_DISK;
            body->parts[i].height_m = body->parts[i].width_m;
        }
    ck_assert_int_eq(tree_create(&couple->tree[k], &body->phenotype, 0, &arena), 0);
    struct contact_body *own = &couple->own[k].own;
    couple->dynamics[k].creature = k;
    ck_assert_int_eq(contacts_create(&couple->own[k], &couple->dynamics[k], &body->phenotype,
                                     &couple->tree[k], &world, &settings, &arena),
                     0);
    for (int i = 0; i < couple->tree[k].dof; i++) {
        couple->q[k][i] = i < 2 ? 0 : rng_uniform(&rng, -1, 1);
        couple->qd[k][i] = rng_uniform(&rng, -2, 2);
    }
    own->pair_count = 0;
    for (int i = 0; i < PLANE_MOMENTS; i++)
        own->rates[i] = couple->qd[k];
}

static void draw_couple(int has_stretch, double disks)
{
    struct contacts *all[2] = {&couple->own[0], &couple->own[1]};
    arena_reset(&arena);
    for (int k = 0; k < 2; k++)
        draw_body(k, has_stretch, disks);
    settings.dt_s = 1.0 / 240;
    ck_assert_int_eq(contacts_create_shared(&couple->shared, all, 2, &settings, &arena), 0);
    for (int k = 0; k < 2; k++)
        contacts_gather(&couple->shared, all[k]);
    ck_assert_int_eq(contacts_end_gathering(&couple->shared), 0);
}

/* Finds the contacts at the time given from now, at the same rates. */
static void find_at(double time_s)
{
    double q[2][DOF];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < couple->tree[k].dof; i++)
            q[k][i] = couple->q[k][i] + time_s * couple->qd[k][i];
        tree_set_pose(&couple->tree[k], q[k]);
        couple->own[k].own.q_middle = q[k];
    }
    contacts_find(&couple->shared);
}

static const struct contact *find_same(const struct contact *as)
{
    for (int i = 0; i < couple->shared.count; i++) {
        const struct contact *c = &couple->shared.list[i];
        if (c->part == as->part && c->other == as->other && c->feature == as->feature &&
            c->of_b == as->of_b)
            return c;
    }
    return NULL;
}

/* The velocity across a contact, and its part along the contact's own normal. */
static struct vec2 velocity_across(const struct contact *c, double *along)
{
    const double *v = couple->shared.impulses.free + c->first_row;
    *along = v[0];
    return (struct vec2){c->normal.x * v[0] + c->normal.y * v[1],
                         c->normal.y * v[0] - c->normal.x * v[1]};
}

/* Moves the second body until a part of it touches one of the first. */
static void touch(int part, int other)
{
    struct box a, b;
    struct manifold m;
    for (int k = 0; k < 2; k++)
        tree_set_pose(&couple->tree[k], couple->q[k]);
    couple->q[1][0] = rng_uniform(&rng, -1, 1);
    couple->q[1][1] = rng_uniform(&rng, -1, 1);
    for (int pass = 0; pass < 20; pass++) {
        tree_set_pose(&couple->tree[1], couple->q[1]);
        contacts_place_box(&couple->own[0].own, part, &a);
        contacts_place_box(&couple->own[1].own, other, &b);
        a.x += couple->tree[0].root_x - couple->tree[1].root_x;
        collide_boxes(&a, &b, 1e3, &m);
        double gap = HUGE_VAL;
        for (int i = 0; i < m.count; i++)
            gap = fmin(gap, m.points[i].gap);
        /* no face of the other box is opposed */
        gap = m.count > 0 ? gap : 0.1;
        couple->q[1][0] += m.normal_x * gap;
        couple->q[1][1] += m.normal_y * gap;
    }
    tree_set_pose(&couple->tree[1], couple->q[1]);
}

/* The second body does not come nearer by itself. */
static void slide_along(const struct contact *c)
{
    double along;
    velocity_across(c, &along);
    couple->qd[1][0] += c->normal.x * along;
    couple->qd[1][1] += c->normal.y * along;
}

static void accelerate(int k)
{
    double tau[DOF] = {0}, qdd[DOF];
    tree_set_velocity(&couple->tree[k], couple->qd[k]);
    tree_accelerate(&couple->tree[k], tau, NULL, 0, 0, qdd);
}

/* A contact between two bodies, just touching, that is of one face or none; NULL: there is none. */
static const struct contact *find_touching(void)
{
    find_at(0);
    for (int i = 0; i < couple->shared.count; i++) {
        const struct contact *c = &couple->shared.list[i];
        int is_of_both = c->radius[0] == HUGE_VAL && c->radius[1] == HUGE_VAL;
        if (c->part >= 0 && fabs(c->gap) < 1e-9 && !is_of_both)
            return c;
    }
    return NULL;
}

/* How far the drift is off, as a share of what all the terms could be; -1: nothing is compared. */
static double compare(void)
{
    double half = couple->shared.dt_s / 2, along[2], size = 1;
    const struct contact *c = find_touching();
    if (!c)
        return -1;
    slide_along(c);
    struct contact now = *(c = find_touching());
    for (int k = 0; k < 2; k++)
        accelerate(k);
    contacts_prepare(&couple->shared, 0);
    const double *drift = couple->shared.drift + now.first_row;
    double normal = drift[0] / half, tangent = drift[1] / half;
    struct vec2 u[2];
    for (int k = 0; k < 2; k++) {
        find_at(k == 0 ? -EPSILON_S : EPSILON_S);
        c = find_same(&now);
        if (!c)
            return -1;
        u[k] = velocity_across(c, &along[k]);
    }
    double along_normal = (along[1] - along[0]) / (2 * EPSILON_S);
    double along_tangent =
        ((u[1].x - u[0].x) * now.normal.y - (u[1].y - u[0].y) * now.normal.x) / (2 * EPSILON_S);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < couple->tree[k].dof; i++)
            size += couple->qd[k][i] * couple->qd[k][i];
    /* what slides on a stretching face gains along it, too: that decides nothing */
    double off = now.a->stretch || now.b->stretch ? 0 : fabs(tangent - along_tangent);
    return fmax(fabs(normal - along_normal), off) / size;
}

/* The worst of many, and how many there were. */
static double compare_many(int has_stretch, double disks, int *count)
{
    double worst = 0;
    for (int i = 0; i < 2000; i++) {
        draw_couple(has_stretch, disks);
        touch((int)rng_below(&rng, (uint32_t)couple->body[0].phenotype.part_count),
              (int)rng_below(&rng, (uint32_t)couple->body[1].phenotype.part_count));
        double off = compare();
        *count += off >= 0;
        worst = fmax(worst, off);
    }
    return worst;
}

TEST_LOOP(drifts_are_what_velocities_gain, 0, 3)
{
    static const struct {
        int has_stretch;
        double disks;
    } cases[] = {{0, 0}, {0, 0.6}, {1, 0}};
    int count = 0;
    double worst = compare_many(cases[_i].has_stretch, cases[_i].disks, &count);
    ck_assert_int_gt(count, 300);
    ck_assert_double_lt(worst, 1e-6);
}

SUITE("contacts_drift", 60, setup, NULL)
