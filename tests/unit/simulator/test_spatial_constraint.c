/* The constraint solver in space against the articulated one, with which it shares no equation
 * of motion: trees of all joints at random. What both must agree with is in
 * tests/oracle/test_space.c. */
#include "common/math/detmath.h"
#include "simulator/reference/spatial_system.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "tests/vectors.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"

enum { LINKS = 6, RATES_MAX = JOINT_RATES_MAX * LINKS, COORDINATES_MAX = 7 * LINKS };

static struct rng rng;
static struct body_link links[LINKS];
static struct body_box boxes[LINKS];
static struct body body = {.links = links, .link_count = LINKS, .boxes = boxes, .box_count = LINKS};
static struct spatial_world world;
static struct dynamics_settings settings;
static double q[COORDINATES_MAX], qd[RATES_MAX];
static struct spatial_state *fast;
static struct spatial_state *exact;
static int rates, seen[LINK_JOINT_COUNT];

static struct quaternion random_turn(void)
{
    return quaternion_exp(draw_vec3(&rng, 2));
}

static void make_link(int i)
{
    struct vec3 size = draw_vec3(&rng, 0.1), middle = draw_vec3(&rng, 0.2);
    struct body_link *link = &links[i];
    size = (struct vec3){0.2 + size.x, 0.2 + size.y, 0.2 + size.z};
    *link = (struct body_link){.parent = i == 0 ? -1 : (int)rng_below(&rng, (uint64_t)i),
                               .kind = (enum link_joint)rng_below(&rng, LINK_FREE),
                               .joint = draw_vec3(&rng, 0.2),
                               .frame = random_turn(),
                               .mass_kg = 1000 * size.x * size.y * size.z,
                               .centre = middle,
                               .cone_rad = HUGE_VAL};
    if (i == 0 && rng_below(&rng, 2) == 0)
        *link = (struct body_link){.parent = -1,
                                   .kind = rng_below(&rng, 4) ? LINK_FREE : LINK_PLANAR,
                                   .frame = QUATERNION_ONE,
                                   .mass_kg = link->mass_kg,
                                   .centre = middle,
                                   .cone_rad = HUGE_VAL};
    struct sym3 principal = box_inertia(link->mass_kg, size);
    boxes[i] = (struct body_box){i, middle, random_turn(), size, 0, 0};
    struct mat3 turned = quaternion_matrix(boxes[i].turn);
    link->inertia = sym3_turned(&principal, &turned);
    for (int k = 0; k < JOINT_RATES_MAX; k++) {
        link->lower[k] = -HUGE_VAL;
        link->upper[k] = HUGE_VAL;
    }
    seen[link->kind]++;
}

/* Both solvers with the same tree, in the same state at random. */
static void make_pair(void)
{
    arena_reset(&arena);
    for (int i = 0; i < LINKS; i++)
        make_link(i);
    fast = spatial_dynamics_create(&body, &world, &settings, &arena);
    exact = spatial_constraint_create(&body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(fast);
    ck_assert_ptr_nonnull(exact);
    const struct spatial_tree *tree = spatial_state_tree(fast);
    rates = tree->rates;
    for (int i = 0; i < LINKS; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        int plain = l->slides + l->joint->turns;
        for (int k = 0; k < l->rates; k++)
            qd[l->rate + k] = rng_uniform(&rng, -2, 2);
        for (int k = 0; k < plain; k++)
            q[l->coordinate + k] = rng_uniform(&rng, -0.5, 0.5);
        if (l->joint->has_ball) {
            struct quaternion turn = random_turn();
            double *at = q + l->coordinate + plain;
            at[0] = turn.w;
            at[1] = turn.x;
            at[2] = turn.y;
            at[3] = turn.z;
        }
    }
    dynamics_set_state(&fast->dynamics, q, qd);
    dynamics_set_state(&exact->dynamics, q, qd);
}

/* How far joints are from being closed, m or rad, at most. */
static double find_gap(void)
{
    struct spatial_constraint *c = spatial_constraint_of(&exact->dynamics);
    double most = 0;
    spatial_system_list_joints(c, 0);
    for (int i = 0; i < c->row_count; i++)
        most = fmax(most, fabs(c->rows[i].deviation));
    return most;
}

/* The greatest difference of all links, m. */
static double find_difference(void)
{
    const struct spatial_tree *tree = spatial_state_tree(fast);
    double most = 0;
    for (int i = 0; i < LINKS; i++)
        most = fmax(most,
                    vec3_distance(spatial_tree_centre(&tree->links[i]),
                                  spatial_constraint_of(&exact->dynamics)->bodies[i].place.centre));
    return most;
}

static void setup(void)
{
    world = (struct spatial_world){.gravity_m_s2 = {0, -9.81, 0}};
    settings = (struct dynamics_settings){.dt_s = 1.0 / 1920,
                                          .integrator = INTEGRATOR_RK4,
                                          .rtol = 1e-11,
                                          .servo_rad_s = 10,
                                          .joint_speed_rad_s = 10,
                                          .joint_speed_m_s = 10,
                                          .joint_damping_1_s = 1};
    rng_init(&rng, 1, RNG_LIGHT, 0, 0);
    arena_open(1 << 24);
}

/* The state goes in and comes out; joints are closed. */
TEST(states_are_the_same)
{
    for (int round = 0; round < 100; round++) {
        make_pair();
        ck_assert_double_lt(find_difference(), 1e-12);
        ck_assert_double_lt(find_gap(), 1e-12);
        for (int i = 0; i < rates; i++)
            ck_assert_double_eq_tol(exact->qd[i], qd[i], 1e-12);
    }
    for (int i = 0; i < LINK_STRETCH; i++)
        ck_assert_int_gt(seen[i], 0);
}

TEST(freedoms_feel_the_same_inertia)
{
    for (int round = 0; round < 100; round++) {
        make_pair();
        for (int i = 0; i < rates; i++) {
            double inertia = fast->birth_inertia[i];
            ck_assert_double_eq_tol(exact->birth_inertia[i], inertia, 1e-7 * inertia);
        }
    }
}

/* Gravity, passive damping, servos on some freedoms, drag by one law or another. */
TEST(trees_move_alike)
{
    double most = 0, off = 0;
    for (int round = 0; round < 8; round++) {
        world.drag = (struct spatial_drag_law){.coefficient = round % 3 * 50.0,
                                               .is_quadratic = round % 2,
                                               .is_leading = round % 4 == 1};
        make_pair();
        int first = links[0].kind == LINK_FREE ? JOINT_RATES_MAX : 0;
        for (int i = first; i < rates; i += 2) {
            double target = rng_uniform(&rng, -0.5, 0.5);
            spatial_state_set_effector(fast, i, 1000);
            spatial_state_set_effector(exact, i, 1000);
            fast->servos[i].target = exact->servos[i].target = target;
            fast->servos[i].rate = exact->servos[i].rate = 0.5;
        }
        for (int i = 0; i < 96; i++) {
            ck_assert_int_eq(dynamics_step(&fast->dynamics), 0);
            ck_assert_int_eq(dynamics_step(&exact->dynamics), 0);
        }
        most = fmax(most, find_difference());
        off = fmax(off, fabs(dynamics_ledger(&exact->dynamics)->residual_j));
        ck_assert_double_lt(find_gap(), 1e-9);
    }
    printf("space: two solvers apart after 0.05 s: %.1e m; ledger of constraint: %.1e J\n", most,
           off);
    ck_assert_double_lt(most, 1e-9);
    ck_assert_double_lt(off, 1e-8);
}

/* Two cubes, one four times as heavy, that overlap by 0.1 m come apart from rest to rest, no faster
 * than they may, and their centre of mass stays. */
TEST(boxes_part)
{
    for (int i = 0; i < 2; i++) {
        double mass = i == 0 ? 1 : 4, inertia = mass / 6;
        links[i] =
            link_with(-1, LINK_FREE, mass, (struct sym3){inertia, 0, 0, inertia, 0, inertia});
        boxes[i] = (struct body_box){i, {0, 0, 0}, QUATERNION_ONE, {1, 1, 1}, 0, 0};
    }
    const struct body pair = {.links = links, .link_count = 2, .boxes = boxes, .box_count = 2};
    settings.integrator = INTEGRATOR_AUTO;
    world.gravity_m_s2 = (struct vec3){0, 0, 0};
    exact = spatial_constraint_create(&pair, &world, &settings, &arena);
    ck_assert_ptr_nonnull(exact);
    memset(q, 0, sizeof q);
    memset(qd, 0, sizeof qd);
    q[3] = q[10] = 1;
    q[7] = 0.9;
    dynamics_set_state(&exact->dynamics, q, qd);
    dynamics_set_push_out(&exact->dynamics, 0.5);
    ck_assert_int_eq(dynamics_step(&exact->dynamics), 0);
    double apart = exact->q[7] - exact->q[0];
    ck_assert_double_eq_tol(apart, 0.9 + 0.5 * settings.dt_s, 1e-12);
    for (int i = 0; i < 500; i++)
        ck_assert_int_eq(dynamics_step(&exact->dynamics), 0);
    const double *now = exact->q;
    ck_assert_double_eq_tol(now[7] - now[0], 1, 1e-9);
    ck_assert_double_eq_tol(now[0] + 4 * now[7], 4 * 0.9, 1e-9);
    for (int i = 0; i < 12; i++)
        ck_assert_double_eq(exact->qd[i], 0);
}

SUITE("spatial_constraint", 240, setup, NULL)
