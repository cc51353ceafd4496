/* Steps two links at a time against Runge-Kutta's method written down plainly with
 * tree_accelerate(), which has tests of its own: random trees of hinges, with and without drag,
 * servos that are clamped and some that are not, roots that are free and fixed. */
#include "simulator/planar/steps/flight.h"

#include "common/error.h"
#include "simulator/body/servo.h"
#include "tests/unit/body_fixture.h"
#include "tests/suite.h"

enum { DOF = BODY_DOF_MAX, LINKS = BODY_LINKS_MAX, TREES = 1500 };

/* Largest relative difference measured: 7e-12, of light links on heavy ones. */
#define TOLERANCE 1e-10

static struct arena arena;
static struct test_body body;
static struct tree tree;
static struct rng rng;

/* A state, what drives it, and what comes of it. */
struct sample {
    double q[DOF], qd[DOF], aim[3][DOF], gravity, h;
    struct flight_law laws[LINKS];
};
struct outcome {
    double q[DOF], qd[DOF], work[DOF], acceleration[DOF], torque[DOF];
    double drag[3]; /* its impulse, about where the root's origin was */
};

static void setup(void)
{
    ck_assert_int_eq(arena_init(&arena, 1u << 20), 0);
    rng_init(&rng, 31, RNG_TEST, 0, 1);
}

static void teardown(void)
{
    arena_deinit(&arena);
}

static void draw_sample(struct sample *s, int parts, double viscosity, double fastest_rad_s)
{
    *s = (struct sample){.gravity = rng_uniform(&rng, 0, 20), .h = rng_uniform(&rng, 0.001, 0.01)};
    arena_reset(&arena);
    body_init_mixed(&body, parts, 0, &rng);
    if (rng_chance(&rng, 0.3))
        body.links[0].kind = LINK_RIGID;
    ck_assert_int_eq(tree_create(&tree, &body.phenotype, viscosity, &arena), 0);
    tree.gravity_x = rng_uniform(&rng, -2, 2);
    for (int i = 0; i < tree.dof; i++) {
        int is_fixed = i < 3 && tree.is_root_fixed;
        s->q[i] = rng_uniform(&rng, -4, 4);
        s->qd[i] = is_fixed ? 0 : rng_uniform(&rng, -fastest_rad_s, fastest_rad_s);
        for (int k = 0; k < 3; k++)
            s->aim[k][i] = rng_uniform(&rng, -1, 1);
    }
    for (int i = 1; i < tree.count; i++)
        s->laws[i] = (struct flight_law){.kp = rng_uniform(&rng, 0, 0.3),
                                         .kd = rng_uniform(&rng, 0, 0.02),
                                         .damping = rng_uniform(&rng, 0, 0.01),
                                         .most = rng_uniform(&rng, 0, 2)};
    int has_curve = rng_chance(&rng, 0.5);
    for (int i = 1; i < tree.count && has_curve; i++) {
        double curvature = rng_uniform(&rng, 0.1, 1);
        s->laws[i].hill_n_m = curvature * s->laws[i].most;
        s->laws[i].hill_s_rad = 1 / (curvature * rng_uniform(&rng, 5, 50));
    }
}

/* The powers at a stage: of drag and damping, lost, and of effectors. */
static void find_powers(const struct sample *s, const double *qd, const double *torque,
                        double *power)
{
    power[0] = tree.has_drag ? -tree_drag_power_now(&tree) : 0;
    power[1] = power[2] = 0;
    for (int i = 1; i < tree.count; i++) {
        power[1] += s->laws[i].damping * qd[2 + i] * qd[2 + i];
        power[2 + i] = torque[i] * qd[2 + i];
    }
}

static void step_plainly(const struct sample *s, struct outcome *out)
{
    static const double weight[4] = {1, 2, 2, 1}, ahead[4] = {0, 0.5, 0.5, 1};
    double q[DOF], qd[DOF], tau[DOF] = {0}, power[DOF] = {0};
    *out = (struct outcome){.q = {0}};
    memcpy(out->q, s->q, sizeof q);
    memcpy(out->qd, s->qd, sizeof qd);
    memcpy(q, s->q, sizeof q);
    memcpy(qd, s->qd, sizeof qd);
    for (int k = 0; k < 4; k++) {
        double past[DOF] = {0};
        for (int i = 0; i < tree.dof && k > 0; i++) {
            past[i] = qd[i];
            q[i] = s->q[i] + ahead[k] * s->h * past[i];
            qd[i] = s->qd[i] + ahead[k] * s->h * out->acceleration[i];
        }
        for (int i = 1; i < tree.count; i++) {
            const struct flight_law *law = &s->laws[i];
            double torque = s->aim[(k + 1) / 2][2 + i] - law->kp * q[2 + i] - law->kd * qd[2 + i];
            double rate = torque > 0 ? qd[2 + i] : -qd[2 + i];
            double most = muscle_most(law->most, law->hill_n_m, law->hill_s_rad, rate);
            out->torque[i] = fmax(-most, fmin(most, torque));
            tau[2 + i] = out->torque[i] - law->damping * qd[2 + i];
        }
        tree_set_pose(&tree, q);
        tree_set_velocity(&tree, qd);
        tree_accelerate(&tree, tau, NULL, s->gravity, 0, out->acceleration);
        find_powers(s, qd, out->torque, power);
        struct force drag = tree.has_drag ? tree_drag_force_now(&tree) : (struct force){0, 0, 0};
        drag.n += (q[0] - s->q[0]) * drag.y - (q[1] - s->q[1]) * drag.x;
        const double given[3] = {drag.n, drag.x, drag.y};
        for (int i = 0; i < 3; i++)
            out->drag[i] += s->h * weight[k] / 6 * given[i];
        for (int i = 0; i < tree.dof; i++) {
            out->q[i] += s->h * weight[k] / 6 * qd[i];
            out->qd[i] += s->h * weight[k] / 6 * out->acceleration[i];
            out->work[i] += s->h * weight[k] / 6 * power[i];
        }
    }
}

static void init_flight(const struct sample *s, struct flight *flight)
{
    ck_assert(flight_suits(&tree));
    ck_assert_int_eq(flight_create(flight, &tree, &arena), 0);
    for (int i = 1; i < tree.count; i++)
        flight_set_law(flight, i, &s->laws[i]);
}

static void fly(struct flight *flight, const struct sample *s, struct outcome *out)
{
    *out = (struct outcome){.q = {0}};
    struct flight_step step = {.from_q = s->q,
                               .from_qd = s->qd,
                               .q = out->q,
                               .qd = out->qd,
                               .work = out->work,
                               .acceleration = out->acceleration,
                               .torque = out->torque,
                               .aim = {s->aim[0], s->aim[1], s->aim[2]},
                               .gravity_m_s2 = s->gravity,
                               .h_s = s->h};
    flight_advance(flight, &tree, &step);
    out->drag[0] = step.drag.n;
    out->drag[1] = step.drag.x;
    out->drag[2] = step.drag.y;
}

static void step_in_pairs(const struct sample *s, struct outcome *out)
{
    struct flight flight;
    init_flight(s, &flight);
    fly(&flight, s, out);
}

/* Largest difference relative to the largest number of a vector, and to 1. */
static double difference(const double *a, const double *b, int count)
{
    double most = 0, size = 1;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

static double outcome_difference(const struct outcome *a, const struct outcome *b)
{
    double most = difference(a->q, b->q, tree.dof);
    most = fmax(most, difference(a->qd, b->qd, tree.dof));
    most = fmax(most, difference(a->work, b->work, tree.dof));
    most = fmax(most, difference(a->drag, b->drag, 3));
    most = fmax(most, difference(a->acceleration, b->acceleration, tree.dof));
    return fmax(most, difference(a->torque + 1, b->torque + 1, tree.count - 1));
}

/* Fast ones turn so far within a step that the series for small turns do not do. */
TEST_LOOP(pairs_step_as_single_links_do, 0, 2)
{
    double fastest_rad_s = _i == 0 ? 5 : 60, most = 0;
    for (int k = 0; k < TREES; k++) {
        struct sample s;
        struct outcome plain, paired;
        draw_sample(&s, 1 + (int)rng_below(&rng, 16), k % 2 ? 0.3 : 0, fastest_rad_s);
        step_plainly(&s, &plain);
        step_in_pairs(&s, &paired);
        most = fmax(most, outcome_difference(&paired, &plain));
    }
    printf("flight: steps of %d trees, up to %g rad/s: largest relative difference %.1e\n", TREES,
           fastest_rad_s, most);
    ck_assert_double_lt(most, TOLERANCE);
}

/* A step that goes on from the last one has its pose from there; links that turn leave the base of
 * their sines again and again. In the end the tree is where the state says. */
TEST(steps_go_on_from_one_another)
{
    double most = 0, posed = 0;
    for (int k = 0; k < TREES / 10; k++) {
        struct sample plainly, in_pairs;
        struct outcome plain, paired;
        struct flight flight;
        draw_sample(&plainly, 1 + (int)rng_below(&rng, 8), k % 2 ? 0.3 : 0, 5);
        plainly.h = 1.0 / 240;
        in_pairs = plainly;
        init_flight(&plainly, &flight);
        for (int step = 0; step < 12; step++) {
            step_plainly(&plainly, &plain);
            fly(&flight, &in_pairs, &paired);
            memcpy(plainly.q, plain.q, sizeof plain.q);
            memcpy(plainly.qd, plain.qd, sizeof plain.qd);
            memcpy(in_pairs.q, paired.q, sizeof paired.q);
            memcpy(in_pairs.qd, paired.qd, sizeof paired.qd);
            if (step == 5)
                flight_forget(&flight);
        }
        most = fmax(most, outcome_difference(&paired, &plain));
        struct tree_link flown[LINKS];
        tree_place_hinges(&tree, paired.q, paired.qd);
        memcpy(flown, tree.links, (size_t)tree.count * sizeof flown[0]);
        tree_set_pose(&tree, paired.q);
        tree_set_velocity(&tree, paired.qd);
        for (int i = 0; i < tree.count; i++) {
            const struct tree_link *a = &flown[i], *b = &tree.links[i];
            double numbers[2][9] = {{a->sin, a->cos, a->hx, a->px, a->py, a->velocity.x,
                                     a->velocity.y, a->ry, a->angle},
                                    {b->sin, b->cos, b->hx, b->px, b->py, b->velocity.x,
                                     b->velocity.y, b->ry, b->angle}};
            posed = fmax(posed, difference(numbers[0], numbers[1], 9));
        }
    }
    printf("flight: 12 steps: largest relative difference %.1e, of poses %.1e\n", most, posed);
    ck_assert_double_lt(most, TOLERANCE);
    ck_assert_double_lt(posed, 1e-14);
}

/* A state that is not the last step's end, if only by a little, is not taken for it. */
TEST(another_state_is_noticed)
{
    struct sample s;
    struct outcome first, again, fresh;
    struct flight flight;
    draw_sample(&s, 5, 0.3, 5);
    init_flight(&s, &flight);
    fly(&flight, &s, &first);
    fly(&flight, &s, &again);
    ck_assert_int_eq(memcmp(&first, &again, sizeof first), 0);
    memcpy(s.q, first.q, sizeof s.q);
    memcpy(s.qd, first.qd, sizeof s.qd);
    s.q[3] += 0.01;
    fly(&flight, &s, &again);
    step_in_pairs(&s, &fresh);
    ck_assert_int_eq(memcmp(&fresh, &again, sizeof fresh), 0);
}

/* What a flight computed before leaves no trace in the bits, not even in lanes without a link. */
TEST(bits_do_not_depend_on_earlier_flights)
{
    for (int k = 0; k < TREES / 10; k++) {
        struct sample s, other;
        struct outcome out, fresh;
        struct flight flight;
        draw_sample(&s, 2 + (int)rng_below(&rng, 8), k % 2 ? 0.3 : 0, 60);
        other = s;
        init_flight(&s, &flight);
        for (int step = 0; step < 200; step++) {
            fly(&flight, &s, &out);
            memcpy(s.q, out.q, sizeof s.q);
            memcpy(s.qd, out.qd, sizeof s.qd);
        }
        flight_forget(&flight);
        fly(&flight, &other, &out);
        step_in_pairs(&other, &fresh);
        ck_assert_int_eq(memcmp(&fresh, &out, sizeof fresh), 0);
    }
}

TEST(comparison_notices_an_aim)
{
    struct sample s;
    struct outcome plain, paired;
    draw_sample(&s, 5, 0.3, 5);
    s.laws[1].most = 10;
    step_plainly(&s, &plain);
    s.aim[1][3] += 1e-6;
    step_in_pairs(&s, &paired);
    ck_assert_double_gt(outcome_difference(&paired, &plain), 10 * TOLERANCE);
}

TEST(other_joints_do_not_suit)
{
    struct sample s;
    draw_sample(&s, 4, 0, 1);
    tree.links[tree.count - 1].is_linear = 1;
    ck_assert(!flight_suits(&tree));
    tree.links[tree.count - 1].is_linear = 0;
    tree.links[tree.count - 1].is_driven = 1;
    ck_assert(!flight_suits(&tree));
}

TEST(full_arena_is_an_error)
{
    struct sample s;
    struct flight flight;
    struct arena small;
    draw_sample(&s, 4, 0, 1);
    ck_assert_int_eq(arena_init(&small, 64), 0);
    ck_assert_int_eq(flight_create(&flight, &tree, &small), ERR_MEMORY);
    arena_deinit(&small);
}

SUITE("flight", 0, setup, teardown)
