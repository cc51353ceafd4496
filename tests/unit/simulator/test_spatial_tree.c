/* What trees in space say in two ways: the rows of impulses, out of the six of each link, and the
 * response of the whole tree; a pose of which roots have slid on, and a new one. */
#include "simulator/links/spatial_tree.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

#include "tests/plain_fixture.h"

enum { TREES = 60, LINKS = 9, COORDINATES_MAX = 7 * LINKS, RATES_MAX = 6 * LINKS };

static struct rng rng;
static struct spatial_tree tree;
static double q[COORDINATES_MAX], rows[3][RATES_MAX + 2], tau[RATES_MAX];

static void setup(void)
{
    rng_init(&rng, 4, RNG_TEST, 0, 0);
    arena_open(1 << 20);
}

static struct vec3 draw_vector(void)
{
    double x = rng_uniform(&rng, -1, 1), y = rng_uniform(&rng, -1, 1);
    return (struct vec3){x, y, rng_uniform(&rng, -1, 1)};
}

static struct quaternion draw_turn(void)
{
    return quaternion_exp(draw_vector());
}

/* Links of all joints, on one of two free roots. */
static void draw_tree(void)
{
    struct body_link links[LINKS];
    for (int i = 0; i < LINKS; i++) {
        int parent = i < 2 ? -1 : (int)rng_uniform(&rng, 0, i);
        int kind = i < 2 ? LINK_FREE : (int)rng_uniform(&rng, 0, LINK_FREE);
        links[i] = (struct body_link){.parent = parent,
                                      .kind = (enum link_joint)kind,
                                      .joint = draw_vector(),
                                      .frame = draw_turn(),
                                      .mass_kg = rng_uniform(&rng, 0.5, 2),
                                      .centre = draw_vector(),
                                      .inertia = {0.1, 0, 0, 0.2, 0, 0.15},
                                      .cone_rad = HUGE_VAL};
    }
    arena_reset(&arena);
    ck_assert_int_eq(spatial_tree_create(&tree, links, LINKS, (struct vec3){0, -9.81, 0}, &arena),
                     0);
    for (int i = 0; i < tree.coordinates; i++)
        q[i] = rng_uniform(&rng, -1, 1);
    spatial_tree_normalise(&tree, q);
    spatial_tree_set_pose(&tree, q);
}

static void check_same(const double *row, const double *response, int from, int to)
{
    double dqd[RATES_MAX];
    for (int k = 0; k < tree.rates; k++)
        if (k < from || k >= to)
            ck_assert_double_eq(row[k], 0);
    spatial_tree_unwhiten(&tree, row, dqd);
    for (int k = 0; k < tree.rates; k++)
        ck_assert_double_eq_tol(dqd[k], response[k], 1e-9 * (1 + fabs(response[k])));
}

/* L^-T L^-1 J' f is M^-1 J' f; impulses between two links are one row. */
TEST(rows_of_impulses_give_the_response)
{
    for (int n = 0; n < TREES; n++) {
        int a = n % LINKS, b = (int)rng_uniform(&rng, 0, LINKS), from = 0, to = 0;
        struct spatial_wrench on[3], back[3], wrenches[LINKS];
        double response[RATES_MAX];
        draw_tree();
        memset(rows, 0, sizeof rows);
        for (int i = 0; i < 3; i++) {
            on[i] = (struct spatial_wrench){draw_vector(), draw_vector()};
            back[i] = (struct spatial_wrench){draw_vector(), draw_vector()};
        }
        spatial_tree_factor_mass(&tree);
        spatial_tree_whiten(&tree, a, on, 3, rows[0], RATES_MAX + 2, &from, &to);
        spatial_tree_whiten(&tree, b, back, 3, rows[0], RATES_MAX + 2, &from, &to);
        for (int i = 0; i < 3; i++) {
            memset(wrenches, 0, sizeof wrenches);
            wrenches[a] = on[i];
            wrenches[b].n = vec3_add(wrenches[b].n, back[i].n);
            wrenches[b].f = vec3_add(wrenches[b].f, back[i].f);
            spatial_tree_respond(&tree, tau, wrenches, response);
            check_same(rows[i], response, from, to);
        }
    }
}

TEST(rows_of_joints_give_the_response)
{
    for (int n = 0; n < TREES; n++) {
        double joint[JOINT_RATES_MAX], torques[RATES_MAX] = {0}, response[RATES_MAX];
        int link = n % LINKS, from = 0, to = 0;
        draw_tree();
        memset(rows, 0, sizeof rows);
        const struct spatial_tree_link *l = &tree.links[link];
        for (int k = 0; k < l->rates; k++)
            joint[k] = torques[l->rate + k] = rng_uniform(&rng, -1, 1);
        spatial_tree_factor_mass(&tree);
        spatial_tree_whiten_joint(&tree, link, joint, rows[0], &from, &to);
        spatial_tree_respond(&tree, torques, NULL, response);
        check_same(rows[0], response, from, to);
    }
}

TEST(a_shift_of_roots_is_a_new_pose)
{
    struct vec3 at[LINKS], way[LINKS];
    for (int n = 0; n < TREES; n++) {
        draw_tree();
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++)
                q[tree.links[i].coordinate + k] += rng_uniform(&rng, -0.1, 0.1);
        spatial_tree_shift(&tree, q);
        for (int i = 0; i < LINKS; i++) {
            at[i] = tree.links[i].at;
            way[i] = tree.links[i].r;
        }
        spatial_tree_set_pose(&tree, q);
        for (int i = 0; i < LINKS; i++) {
            ck_assert_mem_eq(&at[i], &tree.links[i].at, sizeof at[i]);
            ck_assert_mem_eq(&way[i], &tree.links[i].r, sizeof way[i]);
        }
    }
}

SUITE("spatial_tree", 0, setup, NULL)
