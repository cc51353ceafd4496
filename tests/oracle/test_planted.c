/* Errors planted in the physics, one at a time: sound creatures must lose their score, with a
 * reason.
 *
 * The functions between the solver and its parts are wrapped by the linker (see the Makefile): the
 * programs know nothing of this. A fault of 0 calls them as they are, which shows that what is
 * found is the fault and not the creature. */
#include <signal.h>

#include "common/creature/creature.h"
#include "simulator/planar/contacts/contacts.h"
#include "simulator/planar/tree/tree.h"
#include "tests/suite.h"
#include "tests/wrapped.h"
#include "simulator/evaluate/evaluate.h"

enum fault {
    FAULT_NONE,
    FAULT_IMPULSE_SIGN,     /* a contact pulls where it should push, now and then */
    FAULT_IMPULSE_SIZE,     /* impulses act a tenth more than they were computed */
    FAULT_IMPULSE_LOST,     /* a thousandth of the contacts' impulses is forgotten */
    FAULT_STRETCH_IMPULSE,  /* contacts act on stretches by a fifth less than they were computed */
    FAULT_CONTACT_UNBOOKED, /* friction and impacts cost nothing */
    FAULT_DRAG_BOOKED,      /* a tenth of the drag is forgotten */
    FAULT_DRAG_SIGN,        /* drag is booked as if it pushed */
    FAULT_GRAVITY,          /* a tenth more than the ledger knows of */
    FAULT_ACCELERATION,     /* the spatial acceleration taken for that of the point */
    FAULT_TORQUE,           /* effectors act twice as strongly as booked */
};

static enum fault fault, armed; /* it acts in the scored time only */
static long planted;            /* how often it acted */
static long solves, bookings;   /* of contacts */

WRAP(void, contacts_solve, struct contacts *s)
{
    static long calls;
    double factor = 1, *kick = s->bodies[0]->kick;
    __real_contacts_solve(s);
    solves++;
    /* two in a row: what differs from the step before is solved again */
    if (fault == FAULT_IMPULSE_SIGN && ++calls % 50 < 2)
        factor = -1;
    if (fault == FAULT_IMPULSE_SIZE)
        factor = 1.1;
    for (int i = 0; i < s->bodies[0]->dof && factor != 1; i++)
        kick[i] *= factor;
    planted += factor != 1;
    for (int i = 1; i < s->bodies[0]->links && fault == FAULT_STRETCH_IMPULSE; i++) {
        int is_stretch = s->bodies[0]->tree->links[i].stretch != NULL;
        kick[2 + i] *= is_stretch ? 0.8 : 1;
        planted += is_stretch;
    }
}

WRAP(void, contacts_book, const struct contacts *s)
{
    bookings++;
    if (fault == FAULT_CONTACT_UNBOOKED)
        planted++;
    else
        __real_contacts_book(s);
}

WRAP(struct force, contacts_outer_impulse, const struct contacts *s, int body, struct vec2 *late)
{
    struct force sum = __real_contacts_outer_impulse(s, body, late);
    planted += fault == FAULT_IMPULSE_LOST;
    if (fault == FAULT_IMPULSE_LOST)
        sum.x *= 0.999;
    return sum;
}

static double misbook(double power)
{
    planted += fault == FAULT_DRAG_BOOKED || fault == FAULT_DRAG_SIGN;
    return fault == FAULT_DRAG_BOOKED ? 0.9 * power : fault == FAULT_DRAG_SIGN ? -power : power;
}

WRAP(double, tree_drag_power, struct tree *tree, const double *qd, double half_step,
     struct force *sum)
{
    return misbook(__real_tree_drag_power(tree, qd, half_step, sum));
}

WRAP(double, tree_drag_power_now, const struct tree *tree, struct force *sum)
{
    return misbook(__real_tree_drag_power_now(tree, sum));
}

WRAP(void, tree_accelerate, struct tree *tree, const double *tau, const double *extra_d,
     double gravity_m_s2, double half_step, double *qdd)
{
    const struct motion *v = &tree->links[0].velocity;
    double twice[2 + PHENOTYPE_PARTS_MAX];
    for (int i = 0; i < tree->dof; i++)
        twice[i] = 2 * tau[i];
    planted += fault >= FAULT_GRAVITY;
    __real_tree_accelerate(tree, fault == FAULT_TORQUE ? twice : tau, extra_d,
                           fault == FAULT_GRAVITY ? 1.1 * gravity_m_s2 : gravity_m_s2, half_step,
                           qdd);
    if (fault == FAULT_ACCELERATION) {
        qdd[0] += v->w * v->y;
        qdd[1] -= v->w * v->x;
    }
}

/* ---------------------------------------------------------------- trials */

static int arm(void *context, const struct evaluate_view *view)
{
    (void)context;
    if (view->phase == PHASE_SCORE)
        fault = armed;
    return 0;
}

static struct params params_of(const char *preset, double dt_s)
{
    struct params params;
    struct error error;
    params_set_defaults(&params);
    ck_assert_int_eq(params_set(&params, "world.preset", preset, &error), 0);
    params.simulation_duration_s = 4;
    params.simulation_dt_s = dt_s;
    params.simulation_brain_hz = dt_s > 1.0 / 60 ? 1 / dt_s : 60;
    return params;
}

static struct evaluation evaluate_path(const char *path, struct params params)
{
    SCOPED(creature) creature;
    struct error error;
    struct evaluation result;
    SCOPED(arena) arena;
    ck_ok(creature_read(&creature, path, &error));
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    planted = solves = bookings = 0;
    fault = FAULT_NONE;
    evaluate(&creature.genome, &params, 1, &arena, arm, NULL, &result);
    fault = FAULT_NONE;
    return result;
}

static struct evaluation evaluate_file(const char *name, const char *preset, double dt_s)
{
    return evaluate_path(printed("examples/creatures/%s.json", name), params_of(preset, dt_s));
}

static const struct planted_trial {
    const char *what;
    enum fault fault;
    const char *creature, *preset;
    double steps_per_s;
    int verdict;
} trials[] = {
    {"a contact that pulls", FAULT_IMPULSE_SIGN, "inchworm", "land", 240, VERDICT_ENERGY},
    {"impulses too large by a tenth", FAULT_IMPULSE_SIZE, "inchworm", "land", 240, VERDICT_ENERGY},
    {"impulses lost, a thousandth", FAULT_IMPULSE_LOST, "inchworm", "land", 240, VERDICT_MOMENTUM},
    {"contacts not booked", FAULT_CONTACT_UNBOOKED, "inchworm", "land", 240, VERDICT_ENERGY},
    {"drag booked too small by a tenth", FAULT_DRAG_BOOKED, "fish", "water", 240, VERDICT_ENERGY},
    {"drag booked with a wrong sign", FAULT_DRAG_SIGN, "fish", "water", 240, VERDICT_ENERGY},
    {"gravity too large by a tenth", FAULT_GRAVITY, "fish", "air", 240, VERDICT_ENERGY},
    {"spatial for common acceleration", FAULT_ACCELERATION, "fish", "air", 240, VERDICT_ENERGY},
    {"torques twice as large as booked", FAULT_TORQUE, "fish", "water", 240, VERDICT_ENERGY},
    {"a step ten times too large", FAULT_NONE, "biped", "land", 24, VERDICT_ENERGY},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

START_TEST(a_planted_error_is_found)
{
    const struct planted_trial *t = &trials[_i];
    armed = FAULT_NONE;
    struct evaluation sound = evaluate_file(t->creature, t->preset, 1.0 / 240);
    ck_assert_msg(sound.verdict == VERDICT_OK, "%s in %s: %s", t->creature, t->preset,
                  verdict_name(sound.verdict));
    ck_assert_double_lt(sound.measures.residual_share, 0.01);
    ck_assert_int_eq(planted, 0);

    armed = t->fault;
    struct evaluation broken = evaluate_file(t->creature, t->preset, 1 / t->steps_per_s);
    ck_assert(planted > 0 || t->fault == FAULT_NONE);
    ck_assert_int_eq(broken.verdict, t->verdict);
    if (t->verdict == VERDICT_ENERGY)
        ck_assert_double_gt(broken.measures.residual_share, 0.01);
}

/* A worm whose faces strike and leave the ground sixteen times a second goes as far as by the
 * reference, which shares no step and no contact with the tree. */
TEST(fast_stretches_in_contact)
{
    struct params params = params_of("land", 1.0 / 240);
    struct error error;
    struct evaluation way[3];
    params.simulation_duration_s = 10;
    params.creature_stretch_max = 0.5;
    for (int k = 0; k < 3; k++) {
        armed = k == 1 ? FAULT_STRETCH_IMPULSE : FAULT_NONE;
        const char *solver = k == 2 ? "constraint" : "articulated";
        ck_assert_int_eq(params_set(&params, "simulation.solver", solver, &error), 0);
        way[k] = evaluate_path("tests/creatures/fast-worm.json", params);
        ck_assert((planted > 0) == (k == 1));
    }
    double right = way[2].measures.distance_m;
    ck_assert_int_eq(way[0].verdict, VERDICT_OK);
    ck_assert_double_eq_tol(right, 3.397, 0.01);
    ck_assert_double_eq_tol(way[0].measures.distance_m, right, 0.05 * right);
    ck_assert(way[1].verdict != VERDICT_OK ||
              fabs(way[1].measures.distance_m - right) > 0.05 * right);
}

/* The first five worms that score of random ones, which wave 4 to 8 times a second. They were drawn
 * after the length of steps was chosen. The third goes 11 % too far. */
TEST_LOOP(other_fast_worms, 1, 6)
{
    struct params params = params_of("land", 1.0 / 240);
    const char *path = printed("tests/creatures/fast-worm-%d.json", _i);
    params.simulation_duration_s = 10;
    params.creature_stretch_max = 0.6;
    struct evaluation way = evaluate_path(path, params);
    params.simulation_solver = SOLVER_CONSTRAINT;
    struct evaluation right = evaluate_path(path, params);
    double distance_m = right.measures.distance_m;
    ck_assert_int_eq(way.verdict, VERDICT_OK);
    ck_assert_int_eq(right.verdict, VERDICT_OK);
    ck_assert_double_eq_tol(way.measures.distance_m, distance_m, 0.12 * distance_m);
}

/* What presses as hard as in the step before is no impact, for which a step is solved twice. */
TEST_LOOP(loads_that_last_are_no_impacts, 0, 2)
{
    static const char *const names[] = {"inchworm", "biped"};
    armed = FAULT_NONE;
    struct evaluation sound = evaluate_file(names[_i], "land", 1.0 / 240);
    ck_assert(sound.verdict == VERDICT_OK);
    ck_assert_int_gt(bookings, 400);
    ck_assert_int_lt(solves * 100, bookings * 125);
}

int main(void)
{
    static struct defined_test each[TRIALS];
    for (int i = 0; i < TRIALS; i++) {
        /* where checks are dear, ledger_check() finds a loss below 0 before any guard does */
        int is_checked = CHECKS_ARE_DEAR && trials[i].fault == FAULT_DRAG_SIGN;
        each[i] = (struct defined_test){.test = a_planted_error_is_found,
                                        .signal = is_checked ? SIGABRT : 0,
                                        .low = i,
                                        .high = i + 1};
        define_test(&each[i]);
    }
    return run_defined_tests("planted", 60, NULL, NULL);
}
