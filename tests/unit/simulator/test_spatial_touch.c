/* Boxes in space that touch: on slopes, pushed out of one another, too fast to be missed; and what
 * holds for all of them: momentum is what impulses and gravity give, passive bodies gain no energy,
 * and contacts obey their law. runs: watched */
#include "simulator/reference/spatial_constraint.h"
#include "simulator/spatial/steps/spatial_step.h"

#include "tests/links.h"
#include "tests/vectors.h"
#include "tests/direction_search.h"
#include "tests/suite.h"

enum { BODIES_MAX = 12 };

/* Free boxes and chains of them, to be put somewhere. */
struct heap {
    struct body_link links[BODIES_MAX];
    struct body_box boxes[BODIES_MAX];
    int count;
    struct spatial_world world;
    struct dynamics_settings settings;
    struct arena arena;
    struct spatial_state *dynamics;
    double q[7 * BODIES_MAX], qd[6 * BODIES_MAX];
};

static struct heap heap;
static struct rng rng;

static void setup(void)
{
    arena_deinit(&heap.arena);
    heap = (struct heap){.settings = {.dt_s = 1.0 / 240}};
    heap.world.gravity_m_s2.y = -9.81;
    heap.world.surfaces =
        (struct spatial_surfaces){.has_ground = 1, .friction = 0.5, .own_friction = 0.5};
    rng_init(&rng, 21, RNG_TEST, 0, 0);
    ck_assert_int_eq(arena_init(&heap.arena, 16u << 20), 0);
}

static int add_box(double mass_kg, struct vec3 size)
{
    heap.links[heap.count] = box_link(-1, LINK_FREE, mass_kg, size);
    heap.boxes[heap.count] =
        (struct body_box){.link = heap.count, .turn = QUATERNION_ONE, .size_m = size};
    return heap.count++;
}

/* Joins the last box to the one before, end to end along x. */
static void join(enum link_joint kind)
{
    struct body_link *link = &heap.links[heap.count - 1];
    double half = heap.boxes[heap.count - 1].size_m.x / 2;
    double before = heap.boxes[heap.count - 2].size_m.x / 2;
    link->kind = kind;
    link->parent = heap.count - 2;
    link->joint = (struct vec3){heap.links[heap.count - 2].centre.x + before, 0, 0};
    link->centre = heap.boxes[heap.count - 1].centre = (struct vec3){half, 0, 0};
}

static void start_by(int solver)
{
    const struct body body = {.links = heap.links,
                              .link_count = heap.count,
                              .boxes = heap.boxes,
                              .box_count = heap.count};
    arena_reset(&heap.arena);
    heap.dynamics =
        (solver == SOLVER_CONSTRAINT ? spatial_constraint_create : spatial_dynamics_create)(
            &body, &heap.world, &heap.settings, &heap.arena);
    ck_assert_ptr_nonnull(heap.dynamics);
    spatial_tree_birth(spatial_state_tree(heap.dynamics), heap.q);
}

static void start(void)
{
    start_by(SOLVER_ARTICULATED);
}

/* Puts a free body somewhere; spin in the world's axes. */
static void put(int body, struct vec3 at, struct quaternion turn, struct vec3 velocity,
                struct vec3 spin)
{
    const struct spatial_tree_link *l = &spatial_state_tree(heap.dynamics)->links[body];
    double *q = heap.q + l->coordinate, *qd = heap.qd + l->rate;
    turn = quaternion_normalised(turn);
    struct mat3 columns = quaternion_matrix(turn);
    struct vec3 own = mat3_back(&columns, spin);
    const double place[7] = {at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z};
    const double rates[6] = {velocity.x, velocity.y, velocity.z, own.x, own.y, own.z};
    for (int i = 0; i < 7; i++)
        q[i] = place[i];
    for (int i = 0; i < 6; i++)
        qd[i] = rates[i];
}

static void set_state(void)
{
    dynamics_set_state(&heap.dynamics->dynamics, heap.q, heap.qd);
}

static struct vec3 place_of(int body)
{
    return spatial_tree_centre(&spatial_state_tree(heap.dynamics)->links[body]);
}

static struct vec3 velocity_of(int body)
{
    return spatial_tree_centre_velocity(&spatial_state_tree(heap.dynamics)->links[body]);
}

static void step(void)
{
    ck_assert_int_eq(dynamics_step(&heap.dynamics->dynamics), 0);
    ck_assert_double_le(heap.dynamics->law_residual, 1e-5);
}

static void steps(int count)
{
    for (; count > 0; count--)
        step();
}

static const struct vec3 still = {0, 0, 0};

static struct quaternion yawed(double angle)
{
    return quaternion_about((struct vec3){0, 1, 0}, angle);
}

/* On a tilted fixed box: friction above the tangent of the slope holds, below it does not. */
TEST_LOOP(a_slope_holds_or_does_not, 0, 2)
{
    struct solid slope;
    double tilt = 0.3;
    struct mat3 turn = quaternion_matrix(quaternion_about((struct vec3){0, 0, 1}, tilt));
    solids_place(&slope, (struct vec3){0, 1, 0}, &turn, (struct vec3){2, 0.1, 2});
    heap.world.surfaces.fixed = &slope;
    heap.world.surfaces.fixed_count = 1;
    heap.count = 0;
    heap.world.surfaces.friction = (_i ? 0.97 : 1.03) * tan(tilt);
    add_box(2, (struct vec3){0.4, 0.1, 0.3});
    start();
    struct vec3 at = vec3_along(slope.centre, turn.y, 0.15);
    put(0, at, quaternion_product(quaternion_about((struct vec3){0, 0, 1}, tilt), yawed(0.4)),
        still, still);
    set_state();
    steps(240);
    double speed = vec3_length(velocity_of(0));
    if (_i)
        ck_assert_double_eq_tol(speed, 0.03 * 9.81 * sin(tilt), 5e-3);
    else
        ck_assert_double_le(speed, 1e-6);
    const struct contact_point *points;
    ck_assert_int_eq(dynamics_contacts(&heap.dynamics->dynamics, &points), 4);
    ck_assert_int_eq(points[0].other, CONTACT_OBSTACLE);
}

/* What presses along a line across the boxes, kg. */
static double load_at(double x, double y)
{
    const struct contact_point *points;
    double sum = 0;
    for (int k = dynamics_contacts(&heap.dynamics->dynamics, &points); k-- > 0;)
        if (fabs(points[k].at.x - x) < 0.05 && fabs(points[k].at.y - y) < 0.05)
            sum += points[k].normal_impulse_n_s / heap.settings.dt_s / 9.81;
    return sum;
}

/* A box on another one of twice its mass, a quarter of its width aside, presses by its levers and
 * stays there, by either solver. */
TEST_LOOP(a_stack_bears_its_loads, 0, 2)
{
    heap.settings.rtol = 1e-12;
    heap.settings.constraint_tau_s = heap.settings.dt_s;
    for (int i = 0; i < 2; i++)
        add_box(2 - i, (struct vec3){0.4, 0.2, 0.3});
    start_by(_i ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED);
    for (int i = 0; i < 2; i++)
        put(i, (struct vec3){0.1 * i, 0.1 + 0.2 * i, 0}, QUATERNION_ONE, still, still);
    set_state();
    steps(_i ? 240 : 2400);
    double near = _i ? 1e-8 : 1e-3;
    ck_assert_double_eq_tol(load_at(-0.1, 0.2), 1.0 / 3, near);
    ck_assert_double_eq_tol(load_at(0.2, 0.2), 2.0 / 3, near);
    ck_assert_double_eq_tol(load_at(-0.2, 0), 1.25, near);
    ck_assert_double_eq_tol(load_at(0.2, 0), 1.75, near);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(place_of(i).x, 0.1 * i, 1e-6);
}

/* Boxes that overlap come apart slowly and stop within the slop. */
TEST(what_overlaps_is_pushed_out)
{
    heap.world.gravity_m_s2 = still;
    heap.world.surfaces.has_ground = 0;
    add_box(1, (struct vec3){0.4, 0.2, 0.3});
    add_box(1, (struct vec3){0.3, 0.2, 0.4});
    start();
    put(0, still, QUATERNION_ONE, still, still);
    put(1, (struct vec3){0.05, 0.19, 0}, yawed(0.5), still, still);
    set_state();
    for (int k = 0; k < 240; k++) {
        step();
        ck_assert_double_le(vec3_length(velocity_of(1)), 0.051);
    }
    ck_assert_double_ge(place_of(1).y - place_of(0).y, 0.1985);
    ck_assert_double_gt(dynamics_ledger(&heap.dynamics->dynamics)->gain_push_out_j, 0);
}

/* Small boxes thrown at a thin plate at up to 40 m/s, 17 times its thickness a step, stay on their
 * side. */
TEST(nothing_tunnels)
{
    struct solid plate = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {3, 0.005, 3}, 0};
    heap.world.surfaces.has_ground = 0;
    heap.world.surfaces.fixed = &plate;
    heap.world.surfaces.fixed_count = 1;
    for (int i = 0; i < 60; i++) {
        heap.count = 0;
        add_box(1, (struct vec3){0.1, 0.2, 0.15});
        start();
        struct quaternion turn = quaternion_exp(vec3_scale(draw_direction(&rng), 3));
        struct vec3 velocity = {rng_uniform(&rng, -5, 5), -rng_uniform(&rng, 5, 40),
                                rng_uniform(&rng, -5, 5)};
        put(0, (struct vec3){0, rng_uniform(&rng, 0.3, 0.8), 0}, turn, velocity,
            vec3_scale(draw_direction(&rng), 10));
        set_state();
        for (int k = 0; k < 60; k++) {
            step();
            ck_assert_double_gt(place_of(0).y, 0);
        }
    }
}

/* Chains and boxes at random, that fall on one another. */
static void build_pile(int seed)
{
    static const enum link_joint kinds[] = {LINK_UNIVERSAL,  LINK_SPHERICAL, LINK_REVOLUTE,
                                            LINK_TWIST_BEND, LINK_LINEAR,    LINK_RIGID};
    rng_init(&rng, (uint64_t)seed, RNG_TEST, 0, 0);
    heap.count = 0;
    for (int i = 0; i < 8; i++) {
        add_box(rng_uniform(&rng, 0.5, 3),
                (struct vec3){rng_uniform(&rng, 0.15, 0.4), rng_uniform(&rng, 0.1, 0.3),
                              rng_uniform(&rng, 0.1, 0.3)});
        if (i % 4 != 0)
            join(kinds[(i + seed) % 6]);
    }
    start();
    for (int i = 0; i < 8; i += 4)
        put(i, (struct vec3){-0.2, 0.6 + 0.2 * i, 0},
            quaternion_exp(vec3_scale(draw_direction(&rng), 3)),
            vec3_scale(draw_direction(&rng), 1), vec3_scale(draw_direction(&rng), 3));
    set_state();
}

/* The momentum of the whole, about the world's origin. */
static void read_momentum(struct vec3 *linear, struct vec3 *angular)
{
    spatial_tree_momentum(spatial_state_tree(heap.dynamics), linear, angular);
}

/* A step after which the momentum is what was and what gravity, drag and the ground gave; 0:
 * nothing was counted. */
static int step_by_impulses(void)
{
    struct vec3 linear, angular, now, turning;
    read_momentum(&linear, &angular);
    step();
    if (!heap.dynamics->is_given)
        return 0;
    read_momentum(&now, &turning);
    const struct impulse_sum *given = &heap.dynamics->given;
    ck_assert_double_le(vec3_distance(now, vec3_add(linear, given->linear)), 1e-9 * given->size);
    ck_assert_double_le(vec3_distance(turning, vec3_add(angular, given->angular)),
                        1e-9 * given->size);
    return 1;
}

/* In every step with contact: what is there afterwards is what was, and what gravity and the ground
 * gave. */
TEST(momentum_is_what_impulses_give)
{
    for (int seed = 0; seed < 12; seed++) {
        build_pile(seed);
        int touching = 0;
        for (int k = 0; k < 240; k++)
            touching += step_by_impulses();
        ck_assert_int_gt(touching, 60);
    }
}

/* Likewise where there is drag, linear and quadratic, whole and leading faces, in every step. What
 * is mended for that is small, so that the impulses of drag are those by which bodies are slowed
 * down. */
TEST_LOOP(drag_gives_momentum, 0, 3)
{
    static const struct spatial_drag_law laws[] = {
        {.coefficient = 150},
        {.coefficient = 150, .is_quadratic = 1, .is_leading = 1},
        {.coefficient = 150, .has_exposure = 1}};
    heap.world.drag = laws[_i];
    for (int seed = 0; seed < 3; seed++) {
        build_pile(seed);
        for (int k = 0; k < 120; k++)
            ck_assert_int_eq(step_by_impulses(), 1);
        const struct ledger *l = dynamics_ledger(&heap.dynamics->dynamics);
        ck_assert_double_gt(l->loss_drag_j, 1);
        ck_assert_double_le(l->mended_j, 5e-3 * l->loss_drag_j);
    }
}

/* Energy falls but for what the ledger calls unearned, and the ledger closes. */
TEST(passive_bodies_gain_no_energy)
{
    for (int seed = 20; seed < 32; seed++) {
        heap.world.surfaces.elasticity = heap.world.surfaces.own_elasticity = seed % 3 * 0.4;
        build_pile(seed);
        double first = 0, lowest = HUGE_VAL, unearned = 0;
        for (int k = 0; k < 480; k++) {
            step();
            const struct ledger *l = dynamics_ledger(&heap.dynamics->dynamics);
            double energy = l->kinetic_j + l->potential_j;
            if (k == 0)
                first = energy;
            unearned = l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j + l->mended_j;
            ck_assert_double_le(energy, lowest + 0.01 * first + unearned);
            lowest = fmin(lowest, energy - unearned);
        }
        const struct ledger *l = dynamics_ledger(&heap.dynamics->dynamics);
        double losses = l->loss_friction_j + l->loss_impact_j + l->loss_limit_j;
        ck_assert_double_gt(losses, 1);
        ck_assert_double_le(l->gain_impact_j, 1e-3 * losses);
        ck_assert_double_le(fabs(l->residual_j), 0.01 * losses);
    }
}

SUITE("spatial_touch", 120, setup, NULL)
