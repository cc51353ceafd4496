/* On land two solvers cannot agree to many digits: the instant of an impact is known to a step
 * only, and tumbling is chaotic. The sums of the contacts' impulses must agree.
 *
 * Random bodies, limp, are put down, pushed to 2 m/s and left alone until they lie still: how far
 * they come, how high they lie, and what the ground gave them. The impulses of each solver must be
 * the change of momentum, which neither knows of when it makes them; distances and heights must
 * agree in the mean and, where a body slides without tumbling, one by one. */
#include "common/genetics/genetics_random.h"
#include "tests/random_genome.h"
#include "tests/readout.h"
#include "tests/plain_fixture.h"
#include "simulator/evaluate/evaluate.h"

/* The distance that four in five keep to is chance where there are few: small changes of the steps
 * made it 17 and 32 mm for 30 bodies, 14 and 17 mm for 90. */
enum { BODIES = 90, DOF_MAX = 2 + PHENOTYPE_PARTS_MAX, NUMBERS_MAX = 700 };
#define PUSH_M_S   2.0
#define DURATION_S 3.0
#define DROP_M     0.02

/* What the median, and four in five bodies, must keep to, m. */
#define NEAR_M     2e-3
#define FAR_M      2e-2
#define NEAR_SHARE 0.8
/* Errors of the impulses in sum, by m x 2 m/s. */
#define ARTICULATED_SHARE 2e-3
#define CONSTRAINT_SHARE  1e-6

/* One body on one solver, from the push to rest. */
struct slide {
    int is_pushed;
    double mass_kg;
    double time_s, start_x_m, distance_m, height_m;
    double momentum[3], change[2]; /* at the push; since then */
    double impulse[2];             /* of the ground, so far */
};

static void setup(void)
{
    params_set_defaults(&params);
    set("world.preset=land", "creature.effectors=no", "guard.motionless_s=0",
        "guard.energy_share=0", "guard.momentum_share=0", "guard.turn_rad=0",
        "simulation.brain_hz=240", "initial.bodies_max=4", "creature.parts_max=6");
    params.simulation_duration_s = DURATION_S;
    arena_open(EVALUATE_ARENA_BYTES);
}

static void push(struct slide *slide, struct dynamics *dynamics)
{
    double q[DOF_MAX], qd[DOF_MAX] = {PUSH_M_S};
    for (int i = 0; i < dynamics->dof; i++)
        q[i] = dynamics->q[i];
    q[1] += DROP_M;
    dynamics_set_state(dynamics, q, qd);
    slide->is_pushed = 1;
    slide->start_x_m = dynamics_centre_of_mass(dynamics).x;
    read_momentum(dynamics, slide->momentum);
}

/* A tick is a step here, so no impulse is missed. */
static int follow(void *context, const struct evaluate_view *view)
{
    struct slide *slide = context;
    struct dynamics *dynamics = (struct dynamics *)view->dynamics;
    const struct contact_point *points;
    double momentum[3];
    if (view->phase != PHASE_SCORE)
        return 0;
    if (!slide->is_pushed) {
        push(slide, dynamics);
        return 0;
    }
    int count = dynamics_contacts(dynamics, &points);
    for (int i = 0; i < count; i++) {
        const struct contact_point *p = &points[i];
        if (p->other != CONTACT_GROUND)
            continue;
        slide->impulse[0] += p->friction_impulse_n_s;
        slide->impulse[1] += p->normal_impulse_n_s;
    }
    slide->time_s += params.simulation_dt_s;
    slide->distance_m = dynamics_centre_of_mass(dynamics).x - slide->start_x_m;
    slide->height_m = dynamics_centre_of_mass(dynamics).y;
    read_momentum(dynamics, momentum);
    slide->mass_kg = view->phenotype->mass_kg;
    slide->change[0] = momentum[0] - slide->momentum[0];
    slide->change[1] = momentum[1] - slide->momentum[1] +
                       slide->mass_kg * params.world_gravity_m_s2 * slide->time_s;
    return 0;
}

/* 0 if there is no such body, or it does not settle. */
static int run(uint64_t number, int solver, struct slide *slide)
{
    SCOPED(genome) genome;
    struct evaluation evaluation;
    random_genome(&genome, &params, RNG_RANDOM_GENOME, 1995, number);
    params.simulation_solver = solver;
    evaluate(&genome, &params, number, &arena, follow, slide, &evaluation);
    return verdict_is_scored(evaluation.verdict) && evaluation.measures.parts > 1;
}

static double impulse_error(const struct slide *slide)
{
    double size = slide->mass_kg * PUSH_M_S;
    return fmax(fabs(slide->impulse[0] - slide->change[0]),
                fabs(slide->impulse[1] - slide->change[1])) /
           size;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the solvers are apart, sorted; sums of the distances; the largest errors of the
 * impulses. */
struct statistics {
    int count;
    double distances[BODIES], heights[BODIES], sums[2], errors[2];
};

/* The articulated solver gets `friction`. */
static void compare(int bodies, double friction, struct statistics *statistics)
{
    static const int solvers[] = {SOLVER_ARTICULATED, SOLVER_CONSTRAINT};
    double plain = params.world_friction;
    *statistics = (struct statistics){0};
    for (uint64_t number = 1; number < NUMBERS_MAX && statistics->count < bodies; number++) {
        struct slide slides[2] = {{0}, {0}};
        params.world_friction = friction;
        int is_sound = run(number, solvers[0], &slides[0]);
        params.world_friction = plain;
        if (!is_sound || !run(number, solvers[1], &slides[1]))
            continue;
        for (int k = 0; k < 2; k++) {
            statistics->sums[k] += slides[k].distance_m;
            statistics->errors[k] = fmax(statistics->errors[k], impulse_error(&slides[k]));
        }
        int at = statistics->count++;
        statistics->distances[at] = fabs(slides[0].distance_m - slides[1].distance_m);
        statistics->heights[at] = fabs(slides[0].height_m - slides[1].height_m);
    }
    ck_assert_int_eq(statistics->count, bodies);
    qsort(statistics->distances, (size_t)bodies, sizeof(double), compare_doubles);
    qsort(statistics->heights, (size_t)bodies, sizeof(double), compare_doubles);
}

TEST(sliding_bodies_agree)
{
    struct statistics s;
    int most = (int)(NEAR_SHARE * BODIES);
    compare(BODIES, params.world_friction, &s);
    printf("land: %d limp bodies: stopping distance %.4f, %.4f m in the mean; apart by %.1e m "
           "(median), %.1e m (80 %%); height by %.1e, %.1e m; impulses off by %.1e, %.1e of m v\n",
           BODIES, s.sums[0] / BODIES, s.sums[1] / BODIES, s.distances[BODIES / 2],
           s.distances[most], s.heights[BODIES / 2], s.heights[most], s.errors[0], s.errors[1]);
    ck_assert_double_lt(s.distances[BODIES / 2], NEAR_M);
    ck_assert_double_lt(s.distances[most], FAR_M);
    ck_assert_double_lt(s.heights[BODIES / 2], NEAR_M);
    ck_assert_double_lt(s.heights[most], FAR_M);
    ck_assert_double_eq_tol(s.sums[0] / s.sums[1], 1, 0.1);
    ck_assert_double_lt(s.errors[0], ARTICULATED_SHARE);
    ck_assert_double_lt(s.errors[1], CONSTRAINT_SHARE);
}

/* A twentieth less friction for one of them is noticed. */
TEST(planted_friction)
{
    struct statistics s;
    compare(9, 0.95 * params.world_friction, &s);
    ck_assert_double_gt(s.distances[4], NEAR_M);
}

SUITE("land", 240, setup, NULL)
