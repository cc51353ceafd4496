/* Impulses of limits in space, in random trees whose joints are at several limits at once: each row
 * that acts is at its bound, no other one is below it, and none pulls. */
#include "simulator/spatial/tree/spatial_limits.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"
#include "tests/vectors.h"

enum { LINKS = 9, RATES_MOST = 6 + 3 * LINKS, COORDINATES_MOST = 7 + 4 * LINKS };

static struct rng rng;
static struct body_link links[LINKS];
static struct spatial_tree tree;
static struct spatial_limits limits;
static double q[COORDINATES_MOST], rates[RATES_MOST], before[RATES_MOST];

static void setup(void)
{
    rng_init(&rng, 61, RNG_TEST, 0, 3);
    arena_open(8u << 20);
}

/* A tree at birth, whose limits are there, on one side or on both. */
static void draw_tree(void)
{
    static const enum link_joint joints[] = {LINK_REVOLUTE, LINK_UNIVERSAL, LINK_SPHERICAL};
    arena_reset(&arena);
    for (int i = 0; i < LINKS; i++) {
        double mass = exp(rng_uniform(&rng, -3, 3)), inertia = 0.02 * mass;
        links[i] = link_with(i == 0 ? -1 : (int)rng_below(&rng, (uint32_t)i),
                             i == 0 ? LINK_FREE : joints[rng_below(&rng, 3)], mass,
                             (struct sym3){.xx = inertia, .yy = 2 * inertia, .zz = 2 * inertia});
        links[i].joint = draw_vec3(&rng, 0.3);
        links[i].cone_rad = 0.05;
        for (int k = 0; k < 3; k++) {
            links[i].lower[k] = rng_chance(&rng, 0.7) ? 0 : -0.01;
            links[i].upper[k] = rng_chance(&rng, 0.7) ? 0.02 : 0;
        }
    }
    ck_assert_int_eq(spatial_tree_create(&tree, links, LINKS, (struct vec3){0, 0, 0}, &arena), 0);
    ck_assert_int_eq(spatial_limits_create(&limits, &tree, links, &arena), 0);
    spatial_tree_birth(&tree, q);
    for (int k = 0; k < tree.rates; k++)
        before[k] = rates[k] = rng_uniform(&rng, -3, 3);
    spatial_tree_set_pose(&tree, q);
    spatial_tree_factor_mass(&tree);
}

TEST(rows_that_act_are_at_their_bounds)
{
    int acting = 0, rows = 0;
    for (int round = 0; round < 500; round++) {
        draw_tree();
        spatial_limits_find(&limits, &tree, q, rates, rates, 1.0 / 120, 0);
        spatial_limits_solve(&limits, &tree, before, rates);
        rows += limits.count;
        for (int i = 0; i < limits.count; i++) {
            const struct spatial_limit *row = &limits.rows[i];
            double above = spatial_limits_rate(row, rates) - row->bound;
            ck_assert_double_ge(row->impulse, 0);
            ck_assert_double_ge(above, -1e-9);
            ck_assert_msg(row->impulse == 0 || above < 1e-9, "round %d, row %d: %g above, %g N s",
                          round, i, above, row->impulse);
            acting += row->impulse > 0;
        }
    }
    ck_assert_int_gt(acting, 4 * 500);
    ck_assert_int_gt(rows - acting, 4 * 500);
}

SUITE("spatial_limits", 60, setup, NULL)
