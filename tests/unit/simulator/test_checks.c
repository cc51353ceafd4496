/* Invariants: sound bodies pass the checks at every step; each fault planted here aborts its
 * program. (Each test is a process of its own.)
 * checks: forked runs: watched */
#include <signal.h>

#include "simulator/spatial/contacts/spatial_contacts.h"
#include "simulator/planar/contacts/contacts.h"
#include "simulator/spheres/dynamics_spheres.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/unit/stage_fixture.h"
#include "tests/forest_step.h"
#include "tests/plain_fixture.h"

static struct rng rng;
static struct tree tree;
static struct contacts contacts;

/* Two boxes in space, one on the other, that share contacts. */
static struct spatial_tree trees[2];
static struct spatial_limits limits[2];
static struct spatial_surfaces surfaces;
static struct spatial_contacts own[2], shared;

static void setup(void)
{
    stage_open(&stage);
    rng_init(&rng, 37, RNG_TEST, 0, 1);
    stage.world = (struct world){
        .gravity_m_s2 = BODY_GRAVITY, .has_ground = 1, .friction = 0.8, .own_friction = 0.8};
}

static struct dynamics dynamics[2];

/* A chain of three on the ground, and what it touches. */
static void make_chain(void)
{
    double q[BODY_DOF_MAX] = {0, 0.05}, qd[BODY_DOF_MAX] = {0};
    body_init_chain(&stage.body, 3, 0.4, 0.1, 1);
    ck_assert_int_eq(tree_create(&tree, &stage.body.phenotype, 0, &stage.arena), 0);
    ck_assert_int_eq(contacts_create(&contacts, &dynamics[0], &stage.body.phenotype, &tree,
                                     &stage.world, &stage.settings, &stage.arena),
                     0);
    tree_set_pose(&tree, q);
    contacts.own.q_middle = q;
    contacts.own.rates[PLANE_FREE] = qd;
    contacts_find(&contacts);
    ck_assert_int_gt(contacts.count, 3);
}

static void make_box_in_space(int i)
{
    static struct body_link links[2];
    const struct vec3 size = {1, 0.2, 1};
    const struct body_box box = {.turn = QUATERNION_ONE, .size_m = size};
    double *rates[SPACE_MOMENTS], q[7];
    links[i] = (struct body_link){.parent = -1,
                                  .kind = LINK_FREE,
                                  .frame = QUATERNION_ONE,
                                  .mass_kg = 1,
                                  .inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1}};
    ck_assert_int_eq(
        spatial_tree_create(&trees[i], &links[i], 1, (struct vec3){0, -9.81, 0}, &stage.arena), 0);
    ck_assert_int_eq(spatial_limits_create(&limits[i], &trees[i], &links[i], &stage.arena), 0);
    for (int k = 0; k < SPACE_MOMENTS; k++) {
        rates[k] = arena_take(&stage.arena, 6, sizeof(double));
        ck_assert_ptr_nonnull(rates[k]);
    }
    const struct spatial_contact_body body = {.tree = &trees[i],
                                              .limits = &limits[i],
                                              .surfaces = &surfaces,
                                              .rates = {rates[0], rates[1], rates[2]},
                                              .dynamics = &dynamics[i]};
    ck_assert_int_eq(
        spatial_contacts_create(&own[i], &body, &box, 1, &stage.settings, &stage.arena), 0);
    spatial_tree_birth(&trees[i], q);
    q[1] = 0.1 + 0.199 * i;
    spatial_tree_set_pose(&trees[i], q);
    spatial_tree_factor_mass(&trees[i]);
}

static void make_boxes_that_meet(void)
{
    struct spatial_contacts *all[] = {&own[0], &own[1]};
    surfaces.has_ground = 1;
    for (int i = 0; i < 2; i++)
        make_box_in_space(i);
    ck_assert_int_eq(spatial_contacts_create_shared(&shared, all, 2, &stage.settings, &stage.arena),
                     0);
    for (int i = 0; i < 2; i++)
        spatial_contacts_gather(&shared, all[i]);
    ck_assert_int_eq(spatial_contacts_find(&shared), 8);
    spatial_contacts_solve(&shared);
    spatial_contacts_check(&shared);
}

TEST(what_is_sound_passes)
{
    struct dynamics *bodies[2];
    struct forest forest;
    static struct test_body other;
    make_chain();
    tree_check(&tree);
    contacts_check(&contacts);
    for (int round = 0; round < 20; round++) {
        arena_reset(&stage.arena);
        body_init_mixed(&stage.body, 6, 0.3, &rng);
        body_init_mixed(&other, 6, 0.3, &rng);
        phenotype_check(&other.phenotype);
        double q[BODY_DOF_MAX] = {0, 2}, qd[BODY_DOF_MAX] = {0};
        for (int i = 0; i < 2; i++) {
            const struct phenotype *p = i ? &other.phenotype : &stage.body.phenotype;
            bodies[i] = dynamics_create(p, &stage.world, &stage.settings, &stage.arena);
            q[0] = 1.5 * i;
            dynamics_set_state(bodies[i], q, qd);
            dynamics_reset_ledger(bodies[i]);
        }
        ck_assert_int_eq(forest_create(&forest, bodies, NULL, 2, &stage.arena, &error), 0);
        for (int step = 0; step < 240; step++) {
            ck_assert_int_eq(forest_step(&forest), 0);
            forest_check(&forest);
            for (int i = 0; i < 2; i++)
                ledger_check(dynamics_ledger(bodies[i]));
        }
    }
}

/* ---------------------------------------------------------------- faults */

TEST_SIGNAL(a_part_before_its_parent, SIGABRT)
{
    body_init_chain(&stage.body, 3, 0.4, 0.1, 1);
    stage.body.parts[1].parent = 2;
    stage_build(&stage);
}

TEST_SIGNAL(a_link_of_no_body, SIGABRT)
{
    body_init_chain(&stage.body, 3, 0.4, 0.1, 1);
    stage.body.parts[2].link = 3;
    stage_build(&stage);
}

TEST_SIGNAL(limits_the_wrong_way_round, SIGABRT)
{
    body_init_chain(&stage.body, 3, 0.4, 0.1, 1);
    stage.body.links[2].lower[0] = 1;
    stage.body.links[2].upper[0] = -1;
    stage_build(&stage);
}

TEST_SIGNAL(a_wire_to_nothing, SIGABRT)
{
    struct neuron neuron = {.part = -1, .inputs = {{.kind = WIRE_NEURON, .index = 1}}};
    body_init_chain(&stage.body, 3, 0.4, 0.1, 1);
    stage.body.phenotype.neurons = &neuron;
    stage.body.phenotype.neuron_count = 1;
    phenotype_check(&stage.body.phenotype);
}

TEST_SIGNAL(a_tree_that_hangs_on_its_leaf, SIGABRT)
{
    make_chain();
    tree.links[1].parent = 2;
    tree_check(&tree);
}

TEST_SIGNAL(a_mass_that_is_nowhere, SIGABRT)
{
    make_chain();
    tree.mass *= 1.001;
    tree_check(&tree);
}

TEST_SIGNAL(a_direction_that_is_none, SIGABRT)
{
    make_chain();
    tree.links[1].sin += 0.01;
    tree_check(&tree);
}

TEST_SIGNAL(a_reaction_that_is_not_opposite, SIGABRT)
{
    make_chain();
    struct contact *c = &contacts.list[0];
    c->of_b = c->of_a;
    c->b = c->a;
    c->on_b = c->on_a;
    contacts_check(&contacts);
}

TEST_SIGNAL(a_row_too_many, SIGABRT)
{
    make_chain();
    contacts.rows++;
    contacts_check(&contacts);
}

TEST_SIGNAL(a_contact_of_no_body, SIGABRT)
{
    make_chain();
    contacts.list[1].of_a = 1;
    contacts_check(&contacts);
}

TEST_SIGNAL(a_body_in_the_columns_of_another, SIGABRT)
{
    make_boxes_that_meet();
    own[1].own.column = 0;
    spatial_contacts_check(&shared);
}

TEST_SIGNAL(a_contact_of_a_body_that_has_parted, SIGABRT)
{
    make_boxes_that_meet();
    shared.body_count = 1;
    spatial_contacts_check(&shared);
}

TEST_SIGNAL(a_contact_that_moves_one_of_two, SIGABRT)
{
    make_boxes_that_meet();
    for (int i = 0; i < shared.count; i++)
        if (shared.list[i].pair->two)
            shared.cones.laws[i].to = own[1].own.column;
    spatial_contacts_check(&shared);
}

TEST_SIGNAL(a_normal_that_is_none, SIGABRT)
{
    make_boxes_that_meet();
    shared.list[4].normal.y *= 1.001;
    spatial_contacts_check(&shared);
}

TEST_SIGNAL(a_negative_loss, SIGABRT)
{
    struct ledger ledger = {.loss_friction_j = -0.1, .work_effector_positive_j = 1};
    ledger_check(&ledger);
}

TEST_SIGNAL(more_work_than_was_positive, SIGABRT)
{
    struct ledger ledger = {.work_effector_j = 2, .work_effector_positive_j = 1};
    ledger_check(&ledger);
}

static struct forest *make_forest(void)
{
    static struct forest forest;
    static struct test_body boxes[2];
    struct dynamics *bodies[2];
    for (int i = 0; i < 2; i++) {
        body_init_box(&boxes[i], 0.4, 0.4, 1);
        bodies[i] =
            dynamics_create(&boxes[i].phenotype, &stage.world, &stage.settings, &stage.arena);
    }
    ck_assert_int_eq(forest_create(&forest, bodies, NULL, 2, &stage.arena, &error), 0);
    return &forest;
}

TEST_SIGNAL(an_island_with_another_name, SIGABRT)
{
    struct forest *forest = make_forest();
    forest->island[0] = 1;
    forest_check(forest);
}

TEST_SIGNAL(a_broken_body_in_the_world, SIGABRT)
{
    struct forest *forest = make_forest();
    forest->is_broken[1] = 1;
    forest_check(forest);
}

TEST_SIGNAL(dynamics_of_another_solver, SIGABRT)
{
    struct part_state state = {0};
    body_init_box(&stage.body, 0.4, 0.4, 1);
    stage_build(&stage);
    dynamics_place_sphere(stage.dynamics, 0, &state);
}

SUITE("checks", 60, setup, NULL)
