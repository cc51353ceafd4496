/* Errors planted in the physics of bodies in space, one at a time, and what the ledger, momentum
 * and limits make of them. The functions between the dynamics and its parts are wrapped by the
 * linker (see the Makefile). A fault of none shows that what is found is the fault and not the
 * scene. */
#include "simulator/spatial/tree/spatial_limits.h"
#include "simulator/spatial/tree/spatial_momentum.h"
#include "simulator/links/spatial_state.h"
#include "simulator/spatial/contacts/spatial_contacts.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/stress/violent.h"
#include "tests/scene_fixture.h"
#include "tests/wrapped.h"
#include "simulator/evaluate/evaluate.h"

enum fault {
    FAULT_NONE,
    FAULT_SECOND_AXIS, /* the second axis of a joint is taken for one fixed in the parent */
    FAULT_BALL,        /* and the axes of a ball */
    FAULT_SLIDE,       /* Coriolis' acceleration of a slide is halved */
    FAULT_GRAVITY,     /* a thousandth more than the ledger knows of */
    FAULT_DRAG_SIGN,   /* drag pushes */
    FAULT_LIMITS,      /* impulses of limits act half more than they were booked */
    FAULT_MENDING,     /* momentum is what joint coordinates make of it */
    FAULT_NORMAL,      /* impulses of contacts pull */
    FAULT_TANGENT,     /* friction drives what slides */
    FAULT_SLIP,        /* friction is a tenth less */
    FAULT_BOOK,        /* the work of contacts is forgotten */
    /* of two bodies that meet, the second gets a thousandth more momentum than the first gives */
    FAULT_REACTION,
    FAULT_IMPULSE, /* the ground gives a thousandth more momentum than its impulses are */
    FAULT_COVERED, /* faces that other boxes cover feel drag, too */
    FAULT_BARE,    /* a face in sight of the medium feels none */
    FAULT_LOADS,   /* what pressed until an impact is forgotten */
    FAULT_STRICT,  /* what a solution may miss counts as energy from nothing */
    FAULT_STRIDE,  /* steps are not parted before something thin */
    /* what slides along a limit is to move along it in the middle of the step, not at its end */
    FAULT_CONE,
};

static enum fault fault;
static long planted; /* how often it acted */

WRAP(void, spatial_tree_set_velocity, struct spatial_tree *tree, const double *qd)
{
    __real_spatial_tree_set_velocity(tree, qd);
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        const double *rates = qd + l->rate;
        struct vec3 up = l->up->velocity.w, none = {0, 0, 0};
        if (fault == FAULT_SECOND_AXIS && l->joint->turns == 2) {
            struct vec3 first = vec3_scale(l->axes[0].s, rates[0]);
            struct vec3 second = vec3_scale(l->axes[1].s, rates[1]);
            l->bias.w = vec3_cross(up, vec3_add(first, second));
            planted++;
        }
        if (fault == FAULT_BALL && l->joint->has_ball && l->parent >= 0) {
            l->bias.w = none;
            planted++;
        }
        if (fault == FAULT_SLIDE && l->slides == 1) {
            struct vec3 slide = vec3_scale(l->axes[0].s, rates[0]);
            l->bias.v = vec3_sub(l->bias.v, vec3_cross(up, slide));
            planted++;
        }
    }
}

WRAP(void, spatial_tree_accelerate, struct spatial_tree *tree, const double *tau, double *qdd)
{
    struct vec3 gravity = tree->gravity;
    if (fault == FAULT_GRAVITY) {
        tree->gravity = vec3_scale(gravity, 1.001);
        planted++;
    }
    __real_spatial_tree_accelerate(tree, tau, qdd);
    tree->gravity = gravity;
}

WRAP(void, spatial_drag_set, const struct spatial_drag *drag, struct spatial_tree *tree)
{
    struct spatial_drag pushing = *drag;
    struct spatial_tensor own[SCENE_BODIES_MAX];
    if (fault != FAULT_DRAG_SIGN) {
        __real_spatial_drag_set(drag, tree);
        return;
    }
    for (int i = 0; i < tree->count; i++) {
        double *from = (double *)&drag->own[i], *to = (double *)&own[i];
        for (size_t k = 0; k < sizeof own[0] / sizeof(double); k++)
            to[k] = -1e-3 * from[k];
    }
    pushing.own = own;
    __real_spatial_drag_set(&pushing, tree);
    planted++;
}

WRAP(int, spatial_limits_find, struct spatial_limits *limits, const struct spatial_tree *tree,
     const double *q, const double *middle, const double *end, double half_s, int are_pushed)
{
    int found = __real_spatial_limits_find(limits, tree, q, middle, end, half_s, are_pushed);
    for (int i = 0; i < found && fault == FAULT_CONE; i++) {
        limits->rows[i].bound = fmin(-limits->rows[i].gap / half_s, 0);
        planted++;
    }
    return found;
}

WRAP(double, spatial_limits_solve, struct spatial_limits *limits, struct spatial_tree *tree,
     const double *middle, double *rates)
{
    double before[SCENE_RATES_MAX];
    for (int i = 0; i < tree->rates; i++)
        before[i] = rates[i];
    double work = __real_spatial_limits_solve(limits, tree, middle, rates);
    for (int i = 0; i < tree->rates && fault == FAULT_LIMITS; i++)
        rates[i] += (rates[i] - before[i]) / 2;
    planted += fault == FAULT_LIMITS;
    return work;
}

WRAP(double, spatial_momentum_set, const struct spatial_tree *tree, int root,
     const struct spatial_momentum *now, const struct spatial_momentum *target, double turned_s,
     double *q, double *qd)
{
    if (fault != FAULT_MENDING)
        return __real_spatial_momentum_set(tree, root, now, target, turned_s, q, qd);
    planted++;
    return 0;
}

static void forget_loads(struct contact_solver *s)
{
    for (int i = 0; i < s->rows; i++) {
        s->impulse[i] = 0;
        s->velocity[i] = s->free[i];
    }
    planted++;
}

/* Contacts come before limits, three rows each. */
WRAP(void, contact_solver_solve, struct contact_solver *s)
{
    for (int i = 0; i < s->count && fault == FAULT_SLIP; i++)
        s->laws[i].friction *= 0.9;
    planted += fault == FAULT_SLIP;
    s->enough = fabs(s->enough);
    __real_contact_solver_solve(s);
    if (fault == FAULT_STRICT)
        s->enough = -s->enough;
    for (int i = 0; i < s->count && fault == FAULT_LOADS; i++)
        if (s->laws[i].bound == -HUGE_VAL)
            forget_loads(s);
    planted += fault == FAULT_STRICT;
    if (fault != FAULT_NORMAL && fault != FAULT_TANGENT)
        return;
    for (int k = 0; k < s->columns; k++)
        s->whole[k] = 0;
    for (int i = 0; i < s->count; i++) {
        const struct cone_law *law = &s->laws[i];
        for (int k = 0; k < law->size; k++) {
            double *impulse = &s->impulse[law->row + k];
            if (law->size == 3 && (k == 0) == (fault == FAULT_NORMAL))
                *impulse = -*impulse;
            for (int j = law->from; j < law->to; j++)
                s->whole[j] += contact_solver_row(s, law->row + k)[j] * *impulse;
        }
    }
    planted++;
}

WRAP(void, spatial_contacts_book, const struct spatial_contacts *contacts,
     const struct spatial_contact_body *body)
{
    if (fault != FAULT_BOOK)
        __real_spatial_contacts_book(contacts, body);
    planted += fault == FAULT_BOOK;
}

WRAP(void, spatial_contacts_impulse, const struct spatial_contacts *contacts,
     const struct spatial_contact_body *body, int root, struct vec3 about, struct vec3 *linear,
     struct vec3 *angular)
{
    __real_spatial_contacts_impulse(contacts, body, root, about, linear, angular);
    if (fault != FAULT_IMPULSE && (fault != FAULT_REACTION || body->dynamics->creature != 1))
        return;
    *linear = vec3_scale(*linear, 1.001);
    planted++;
}

WRAP(double, spatial_contacts_stride, struct spatial_contacts *contacts, double time_s,
     double least_s)
{
    double stride = __real_spatial_contacts_stride(contacts, time_s, least_s);
    planted += fault == FAULT_STRIDE && stride < time_s;
    return fault == FAULT_STRIDE ? time_s : stride;
}

WRAP(int, exposure_find, const struct solid *solid, int face, struct exposure_other *others,
     int count, struct exposure_piece pieces[EXPOSURE_PIECES_MAX])
{
    int found = __real_exposure_find(solid, face, others, count, pieces);
    if (fault == FAULT_COVERED) {
        planted++;
        return 0;
    }
    if (fault == FAULT_BARE && face == 1) {
        planted++;
        return EXPOSURE_ALL_HIDDEN;
    }
    return found;
}

/* ---------------------------------------------------------------- closed forms */

/* A second of steps. */
enum { STEPS = 480 };

static struct vec3 way_of_root(struct spatial_state *d)
{
    const double *q = d->q, *q0 = scene.q;
    return (struct vec3){q[0] - q0[0], q[1] - q0[1], q[2] - q0[2]};
}

/* A box slides v^2 / (2 mu g) on the ground and stands. */
static double slide(struct spatial_state *d)
{
    struct vec3 v = {scene.qd[0], scene.qd[1], scene.qd[2]}, way = way_of_root(d);
    double expected = vec3_dot(v, v) / (2 * scene.world.friction * scene.world.gravity_m_s2);
    return fabs(vec3_length(way) - expected) / 0.01;
}

/* Limits take what they take in the reference. */
static double lose_at_limits(struct spatial_state *d)
{
    const struct ledger *ledger = dynamics_ledger(&d->dynamics);
    double gained = ledger->gain_limit_j, lost = ledger->loss_limit_j - gained;
    scene.settings.solver = SOLVER_CONSTRAINT;
    start_scene();
    run_steps(STEPS);
    double expected = dynamics_ledger(run)->loss_limit_j;
    return fmax(fabs(lost / expected - 1) / 0.03, gained / (0.01 * expected));
}

/* Two cubes of a metre and 100 kg, face to face along x, slow down as one box of both: v0 exp(-2 k
 * t / m). */
static const char cubes[] =
    "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0, 'viscosity_pa_s_m': 150, "
    "'drag_exposure': true}, 'bodies': [{'name': 'pair', 'velocity_m_s': [2, 0, 0], 'boxes': "
    "[{'size_m': [1, 1, 1], 'mass_kg': 100, 'at_m': [-0.5, 0, 0]}, {'size_m': [1, 1, 1], "
    "'mass_kg': 100, 'at_m': [0.5, 0, 0]}]}]}";
static double slow_down(struct spatial_state *d)
{
    return fabs(d->qd[0] - 2 * exp(-2 * 150 * 1.0 / 200)) / 1e-4;
}

/* A box slides along the cone of its ball, which has no friction: it keeps its energy. */
static const char cone[] =
    "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0}, 'bodies': [{'name': 'a', 'boxes': "
    "[{'size_m': [0.5, 0.1, 0.2], 'mass_kg': 1, 'at_m': [0.25, 0, 0]}], 'joint': {'to': 'world', "
    "'kind': 'spherical', 'cone_rad': 0.5, 'start_quaternion': [0.9689124217106447, 0, 0, "
    "0.24740395925452294], 'freedoms': [{}, {'rate_rad_s': -8}, {}]}}]}";
static double keep_energy(struct spatial_state *d)
{
    const struct ledger *l = dynamics_ledger(&d->dynamics);
    double kept = (l->kinetic_j + l->potential_j) / l->energy_start_j;
    return fabs(kept - 1) / 0.005;
}

/* Two cubes meet face to face and bounce without loss. */
static const char bounce[] =
    "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0, 'elasticity': 1}, 'bodies': "
    "[{'name': 'one', 'velocity_m_s': [1, 0, 0], 'boxes': [{'size_m': [0.1, 0.1, 0.1], 'mass_kg': "
    "1}]}, {'name': 'two', 'position_m': [0.11, 0, 0], 'boxes': [{'size_m': [0.1, 0.1, 0.1], "
    "'mass_kg': 1}]}]}";

/* Housner's block falls from one edge on the other once, which leaves it (1 - 3/2 sin^2)^2 of its
 * energy. */
static const char block[] =
    "{'scene': 1, 'dimensions': 3, 'world': {'ground': true, 'friction': 1}, 'bodies': [{'name': "
    "'b', 'boxes': [{'size_m': [0.1, 0.4, 0.3], 'mass_kg': 1}], 'position_m': [0.001515095717, "
    "0.206149713764, 0], 'quaternion': [0.992949839019, 0, 0, 0.118535299352]}]}";
static double keep_share(struct spatial_state *d)
{
    const struct ledger *l = dynamics_ledger(&d->dynamics);
    const double least = 9.81 * 0.2, sine = sin(atan2(0.1, 0.4));
    double kept = (l->kinetic_j + l->potential_j - least) / (l->energy_start_j - least);
    return fabs(kept - pow(1 - 1.5 * sine * sine, 2)) / 0.005;
}

/* A plate of 5 mm flies at 20 m/s at a wall of 5 mm and stays in front of it. */
static const char wall[] =
    "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0, 'obstacles': [{'size_m': [0.005, "
    "4, 4], 'at_m': [0, 0, 0]}]}, 'bodies': [{'name': 'plate', 'velocity_m_s': [20, 0, 0], "
    "'position_m': [-0.3, 0.01, 0.013], 'boxes': [{'size_m': [0.005, 0.3, 0.3], 'mass_kg': 1}]}]}";
static double pass(struct spatial_state *d)
{
    return fabs(d->q[0] + 0.005) / 1e-3;
}

/* ---------------------------------------------------------------- finding */

struct plant {
    enum fault fault;
    const char *scene; /* a file, or a text, which begins with a brace */
    int integrator;
    double residual_share; /* of the energy that is turned over, if all is sound */
    double (*miss)(struct spatial_state *d); /* how far off a closed form; or NULL */
};

static void read_scene(const char *from)
{
    ck_ok(*from == '{' ? read_quoted(from) : scene_read_file(&scene, from, &error));
}

/* What a second of the scene shows: how far energy and momentum are off, joints beyond limits,
 * boxes in one another, and how far a closed form is missed, each as a share of what is sound;
 * below 1. */
static double find_error(const struct plant *plant)
{
    struct vec3 p0, l0, p1, l1;
    read_scene(plant->scene);
    scene.settings.integrator = plant->integrator;
    scene.settings.dt_s = 1.0 / STEPS;
    start_scene();
    struct spatial_state *d = spatial_state_of(run);
    spatial_tree_momentum(spatial_state_tree(d), &p0, &l0);
    double beyond = 0, deepest = 0;
    for (int i = 0; i < STEPS; i++) {
        if (dynamics_step(&d->dynamics) != 0)
            return HUGE_VAL;
        const struct spatial_tree *tree = spatial_state_tree(d);
        deepest = fmax(deepest, d->dynamics.touches.penetration_m);
        for (int k = 0; k < tree->count; k++)
            for (int j = 0; j < tree->links[k].joint->turns; j++) {
                double q = d->q[tree->links[k].coordinate + j];
                beyond =
                    fmax(beyond, fmax(q - scene.links[k].upper[j], scene.links[k].lower[j] - q));
            }
    }
    spatial_tree_momentum(spatial_state_tree(d), &p1, &l1);
    const struct ledger *ledger = dynamics_ledger(&d->dynamics);
    double turnover = ledger->work_effector_positive_j + fabs(ledger->kinetic_j) +
                      fabs(ledger->loss_drag_j) + ledger->loss_friction_j + ledger->loss_impact_j +
                      0.01;
    double off = (fabs(ledger->residual_j) + ledger->mended_j) / (plant->residual_share * turnover);
    int is_free = scene.links[0].kind == LINK_FREE && scene.world.viscosity_pa_s_m == 0 &&
                  scene.world.solid_count == 0 && vec3_length(world_gravity(&scene.world)) == 0;
    if (is_free)
        off = fmax(off, fmax(vec3_length(vec3_sub(l1, l0)), vec3_length(vec3_sub(p1, p0))) / 1e-4);
    if (ledger->loss_drag_j < 0)
        off = fmax(off, 10);
    if (plant->miss)
        off = fmax(off, plant->miss(d));
    return fmax(off, fmax(beyond / 1e-3, deepest / 4e-3));
}

#define SCENES "tests/oracle/space/scenes/"
#define LIMITS "tests/oracle/space/limits/"
#define SLIDE  "tests/oracle/space/touching/sliding-box-oblique.json"
static const struct plant plants[] = {
    {FAULT_SECOND_AXIS, SCENES "chain5-free-torques.json", INTEGRATOR_RK4, 1e-4, NULL},
    {FAULT_BALL, SCENES "chain5-free-torques.json", INTEGRATOR_RK4, 1e-4, NULL},
    {FAULT_SLIDE, SCENES "slider-coriolis.json", INTEGRATOR_RK4, 1e-4, NULL},
    {FAULT_GRAVITY, SCENES "double-spherical-pendulum.json", INTEGRATOR_RK4, 1e-4, NULL},
    {FAULT_DRAG_SIGN, SCENES "swimmer3-drag.json", INTEGRATOR_MIDPOINT, 1e-4, NULL},
    {FAULT_LIMITS, "examples/scenes/space/arm.json", INTEGRATOR_AUTO, 5e-3, NULL},
    {FAULT_LIMITS, LIMITS "spherical-servo.json", INTEGRATOR_AUTO, 5e-3, lose_at_limits},
    {FAULT_LIMITS, LIMITS "universal-servo.json", INTEGRATOR_AUTO, 5e-3, lose_at_limits},
    {FAULT_MENDING, LIMITS "spherical-servo.json", INTEGRATOR_AUTO, 5e-3, lose_at_limits},
    {FAULT_MENDING, LIMITS "universal-servo.json", INTEGRATOR_AUTO, 5e-3, lose_at_limits},
    {FAULT_NORMAL, SLIDE, INTEGRATOR_AUTO, 1e-2, slide},
    {FAULT_TANGENT, SLIDE, INTEGRATOR_AUTO, 1e-2, slide},
    {FAULT_SLIP, SLIDE, INTEGRATOR_AUTO, 1e-2, slide},
    {FAULT_BOOK, SLIDE, INTEGRATOR_AUTO, 1e-2, slide},
    {FAULT_IMPULSE, SLIDE, INTEGRATOR_AUTO, 1e-4, slide},
    {FAULT_COVERED, cubes, INTEGRATOR_AUTO, 1e-2, slow_down},
    {FAULT_BARE, cubes, INTEGRATOR_AUTO, 1e-2, slow_down},
    {FAULT_LOADS, block, INTEGRATOR_AUTO, 1e-2, keep_share},
    {FAULT_STRICT, bounce, INTEGRATOR_AUTO, 1e-2, keep_energy},
    {FAULT_STRIDE, wall, INTEGRATOR_AUTO, 1e-2, pass},
    {FAULT_CONE, cone, INTEGRATOR_AUTO, 1e-2, keep_energy},
};

TEST_LOOP(planted_fault_is_found, 0, (int)(sizeof plants / sizeof plants[0]))
{
    fault = FAULT_NONE;
    double sound = find_error(&plants[_i]);
    ck_assert_msg(sound < 1, "%.60s is off by %.3g as it is", plants[_i].scene, sound);
    fault = plants[_i].fault;
    planted = 0;
    double faulty = find_error(&plants[_i]);
    ck_assert_int_gt(planted, 0);
    ck_assert_msg(faulty > 2, "fault %d is not found: off by %.3g", fault, faulty);
}

/* ---------------------------------------------------------------- two that meet */

/* Two cubes that meet, turned and beside the middle; momentum from nowhere, as a share of what the
 * first had. */
static double meet(void)
{
    static const char *const texts[] = {
        "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0}, 'bodies': [{'name': 'one', "
        "'velocity_m_s': [1, 0, 0], 'rate_rad_s': [0, 1, 2], 'boxes': [{'size_m': [1, 1, 1], "
        "'mass_kg': 1}]}]}",
        "{'scene': 1, 'dimensions': 3, 'world': {'gravity_m_s2': 0}, 'bodies': [{'name': 'two', "
        "'position_m': [1.8, 0.3, 0.2], 'velocity_m_s': [-1, 0, 0], 'boxes': [{'size_m': [1, 0.5, "
        "1], 'mass_kg': 2}]}]}"};
    static struct scene scenes[2];
    struct dynamics *runs[2];
    struct spatial_state *states[2];
    struct vec3 before = {0, 0, 0}, after = {0, 0, 0}, linear, angular;
    int is_broken[2], contacts = 0;
    arena_reset(&arena);
    for (int i = 0; i < 2; i++) {
        FREED char *json = quoted(texts[i]);
        ck_ok(scene_read_text(&scenes[i], json, strlen(json), "text", &error));
        ck_assert_int_eq(scene_start(&scenes[i], &arena, &runs[i], &error), 0);
        states[i] = spatial_state_of(runs[i]);
        runs[i]->creature = i;
        spatial_tree_momentum(spatial_state_tree(states[i]), &linear, &angular);
        before = vec3_add(before, vec3_add(linear, angular));
    }
    struct meeting *meeting = runs[0]->solver->create_meeting(runs, 2, &arena);
    ck_assert_ptr_nonnull(meeting);
    for (int step = 0; step < 240; step++) {
        const struct contact_point *points;
        runs[0]->solver->step_together(meeting, runs, 2, is_broken);
        ck_assert_int_eq(is_broken[0] | is_broken[1], 0);
        contacts += dynamics_contacts(&states[1]->dynamics, &points);
    }
    for (int i = 0; i < 2; i++) {
        spatial_tree_momentum(spatial_state_tree(states[i]), &linear, &angular);
        after = vec3_add(after, vec3_add(linear, angular));
    }
    ck_assert_int_gt(contacts, 0);
    return vec3_length(vec3_sub(after, before));
}

TEST(reaction_that_is_not_opposite_is_found)
{
    fault = FAULT_NONE;
    double sound = meet();
    fault = FAULT_REACTION;
    planted = 0;
    double faulty = meet();
    ck_assert_int_gt(planted, 0);
    ck_assert_double_lt(sound, 1e-9);
    ck_assert_double_gt(faulty, 1e-4);
}

/* ---------------------------------------------------------------- the guard */

/* How many of twenty creatures whose joints whip from limit to limit, in empty space, the guard on
 * momentum refuses; nothing else is guarded. */
static int count_refused(void)
{
    static const char *const all[] = {
        "creature.body=boxes",    "world.gravity_m_s2=0",      "world.ground=no",
        "settle.required=no",     "settle.limit_s=0",          "guard.speed_m_s=0",
        "guard.turn_rad=0",       "guard.penetration_m=0",     "guard.energy_share=0",
        "guard.reversals_hz=0",   "guard.joint_speed_rad_s=0", "guard.joint_speed_m_s=0",
        "simulation.duration_s=1"};
    int refused = 0;
    arena_open(EVALUATE_ARENA_BYTES);
    for (uint64_t number = 1; number <= 20; number++) {
        SCOPED(genome) genome;
        struct evaluation evaluation;
        params_set_defaults(&params);
        violent_params(&params, number);
        params.initial_limit_max_rad = 0.4;
        params.initial_bodies_max = 2;
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            ck_assert_int_eq(set_param(&params, all[i], &error), 0);
        ck_assert_int_eq(violent_genome(&genome, &params, number), 0);
        evaluate(&genome, &params, number, &arena, NULL, NULL, &evaluation);
        refused += evaluation.verdict == VERDICT_MOMENTUM;
    }
    return refused;
}

TEST(guard_alone_sees_momentum_from_nowhere)
{
    fault = FAULT_NONE;
    ck_assert_int_eq(count_refused(), 0);
    fault = FAULT_MENDING;
    planted = 0;
    ck_assert_int_gt(count_refused(), 10);
    ck_assert_int_gt(planted, 0);
}

SUITE("space_planted", 120, scene_set_up, NULL)
