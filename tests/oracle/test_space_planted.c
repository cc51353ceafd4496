/* Errors planted in the physics of bodies in space, one at a time, and what the ledger, momentum and limits make of
 * them. The functions between the dynamics and its parts are wrapped by the linker (see the Makefile). A fault of none
 * shows that what is found is the fault and not the scene. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "simulator/boxes/space_limits.h"
#include "simulator/tools/space_run.h"
#include "tests/suite.h"

enum fault {
    FAULT_NONE,
    FAULT_SECOND_AXIS, /* the second axis of a joint is taken for one fixed in the parent */
    FAULT_BALL,        /* and the axes of a ball */
    FAULT_SLIDE,       /* Coriolis' acceleration of a slide is halved */
    FAULT_GRAVITY,     /* a thousandth more than the ledger knows of */
    FAULT_DRAG_SIGN,   /* drag pushes */
    FAULT_LIMITS,      /* impulses of limits act half more than they were booked */
};

static enum fault fault;
static long planted; /* how often it acted */

void __real_space_tree_set_velocity(struct space_tree *tree, const double *qd);
void __wrap_space_tree_set_velocity(struct space_tree *tree, const double *qd);
void __real_space_tree_accelerate(struct space_tree *tree, const double *tau, double *qdd);
void __wrap_space_tree_accelerate(struct space_tree *tree, const double *tau, double *qdd);
void __real_space_drag_set(const struct space_drag *drag, struct space_tree *tree);
void __wrap_space_drag_set(const struct space_drag *drag, struct space_tree *tree);
double __real_space_limits_solve(struct space_limits *limits, struct space_tree *tree,
                                 const double *middle, double *rates);
double __wrap_space_limits_solve(struct space_limits *limits, struct space_tree *tree,
                                 const double *middle, double *rates);

void __wrap_space_tree_set_velocity(struct space_tree *tree, const double *qd)
{
    __real_space_tree_set_velocity(tree, qd);
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
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

void __wrap_space_tree_accelerate(struct space_tree *tree, const double *tau, double *qdd)
{
    struct vec3 gravity = tree->gravity;
    if (fault == FAULT_GRAVITY) {
        tree->gravity = vec3_scale(gravity, 1.001);
        planted++;
    }
    __real_space_tree_accelerate(tree, tau, qdd);
    tree->gravity = gravity;
}

void __wrap_space_drag_set(const struct space_drag *drag, struct space_tree *tree)
{
    struct space_drag pushing = *drag;
    struct space_tensor own[SPACE_SCENE_BODIES_MAX];
    if (fault != FAULT_DRAG_SIGN) {
        __real_space_drag_set(drag, tree);
        return;
    }
    for (int i = 0; i < tree->count; i++) {
        double *from = (double *)&drag->own[i], *to = (double *)&own[i];
        for (size_t k = 0; k < sizeof own[0] / sizeof(double); k++)
            to[k] = -1e-3 * from[k];
    }
    pushing.own = own;
    __real_space_drag_set(&pushing, tree);
    planted++;
}

double __wrap_space_limits_solve(struct space_limits *limits, struct space_tree *tree,
                                 const double *middle, double *rates)
{
    double before[SPACE_SCENE_RATES_MAX];
    for (int i = 0; i < tree->rates; i++)
        before[i] = rates[i];
    double work = __real_space_limits_solve(limits, tree, middle, rates);
    for (int i = 0; i < tree->rates && fault == FAULT_LIMITS; i++)
        rates[i] += (rates[i] - before[i]) / 2;
    planted += fault == FAULT_LIMITS;
    return work;
}

/* ---------------------------------------------------------------- finding */

static struct space_scene scene;

/* What a second of the scene shows: how far energy and momentum are off, and joints beyond limits, each as a share of
 * what is sound; below 1. */
static double find_error(const char *path, int integrator, double residual_share)
{
    struct error error = {0};
    struct arena arena;
    struct space_run run;
    struct vec3 p0, l0, p1, l1;
    ck_assert_msg(space_scene_read_file(&scene, path, &error) == 0, "%s", error.message);
    ck_assert_int_eq(arena_init(&arena, SCENE_ARENA_BYTES), 0);
    scene.settings.integrator = integrator;
    scene.settings.dt_s = 1.0 / 480;
    ck_assert_int_eq(space_run_start(&run, &scene, &arena, &error), 0);
    struct space_dynamics *d = run.state;
    space_tree_momentum(space_dynamics_tree(d), &p0, &l0);
    double beyond = 0;
    for (int i = 0; i < 480; i++) {
        ck_assert_int_eq(space_dynamics_step(d), 0);
        const struct space_tree *tree = space_dynamics_tree(d);
        for (int k = 0; k < tree->count; k++)
            for (int j = 0; j < tree->links[k].joint->turns; j++) {
                double q = space_dynamics_q(d)[tree->links[k].coordinate + j];
                beyond =
                    fmax(beyond, fmax(q - scene.links[k].upper[j], scene.links[k].lower[j] - q));
            }
    }
    space_tree_momentum(space_dynamics_tree(d), &p1, &l1);
    const struct ledger *ledger = space_dynamics_ledger(d);
    double turnover = ledger->work_effector_positive_j + fabs(ledger->kinetic_j) +
                      fabs(ledger->loss_drag_j) + 0.01;
    double off = fabs(ledger->residual_j) / (residual_share * turnover);
    int is_free = scene.links[0].kind == SPACE_FREE && scene.world.drag.coefficient == 0 &&
                  vec3_length(scene.world.gravity_m_s2) == 0;
    if (is_free)
        off = fmax(off, vec3_length(vec3_sub(l1, l0)) / 1e-4);
    if (ledger->loss_drag_j < 0)
        off = fmax(off, 10);
    arena_deinit(&arena);
    return fmax(off, beyond / 1e-3);
}

#define SCENES "tests/oracle/space/scenes/"
static const struct {
    enum fault fault;
    const char *path;
    int integrator;
    double residual_share; /* of the energy that is turned over, if all is sound */
} plants[] = {
    {FAULT_SECOND_AXIS, SCENES "chain5-free-torques.json", INTEGRATOR_RK4, 1e-4},
    {FAULT_BALL, SCENES "chain5-free-torques.json", INTEGRATOR_RK4, 1e-4},
    {FAULT_SLIDE, SCENES "slider-coriolis.json", INTEGRATOR_RK4, 1e-4},
    {FAULT_GRAVITY, SCENES "double-spherical-pendulum.json", INTEGRATOR_RK4, 1e-4},
    {FAULT_DRAG_SIGN, SCENES "swimmer3-drag.json", INTEGRATOR_MIDPOINT, 1e-4},
    {FAULT_LIMITS, "examples/scenes/space/arm.json", INTEGRATOR_AUTO, 5e-3},
};

START_TEST(planted_fault_is_found)
{
    fault = FAULT_NONE;
    double sound = find_error(plants[_i].path, plants[_i].integrator, plants[_i].residual_share);
    ck_assert_msg(sound < 1, "%s is off by %.3g as it is", plants[_i].path, sound);
    fault = plants[_i].fault;
    planted = 0;
    double faulty = find_error(plants[_i].path, plants[_i].integrator, plants[_i].residual_share);
    ck_assert_int_gt(planted, 0);
    ck_assert_msg(faulty > 2, "fault %d is not found: off by %.3g", fault, faulty);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("space_planted");
    TCase *tests = tcase_create("planted");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, planted_fault_is_found, 0, (int)(sizeof plants / sizeof plants[0]));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
