/* Momentum and angular momentum: a body's gain in a step is the impulse of its contacts, of gravity
 * and of drag, whatever muscles, limits and own parts do to one another. What a solver must not name
 * as given is in tests/oracle/test_keeping.c. */
#include "tests/unit/stage_fixture.h"

enum { STEPS = 240 };

static struct rng rng;

static void setup(void)
{
    stage_open(&stage);
    rng_init(&rng, 29, RNG_TEST, 0, 1);
}

/* A random body with muscles in limits of its own, its lowest point just above the ground,
 * moving. */
static void draw_body(double linear)
{
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX], bounds[4];
    body_init_mixed(&stage.body, 8, linear, &rng);
    for (int i = 1; i < stage.body.phenotype.body->link_count; i++) {
        struct body_link *link = &stage.body.links[i];
        double range = link->kind == LINK_LINEAR ? 0.2 : 1.5;
        link->lower[0] = -range;
        link->upper[0] = range;
        link->strength = rng_uniform(&rng, 0, 5);
    }
    stage_build(&stage);
    for (int i = 0; i < stage.body.phenotype.body->link_count + 2; i++)
        qd[i] = rng_uniform(&rng, -3, 3);
    read_bounds(stage.dynamics, bounds);
    q[1] = 0.02 - bounds[1];
    stage_set(&stage, q, qd);
}

/* The largest share of a step's impulses that comes from nowhere, beyond what 64 bits hold of the
 * momentum itself, in the motions of random bodies; steps of RK4, too. */
static double run_bodies(int bodies, double linear)
{
    double worst = 0;
    uint64_t flown = 0;
    for (int k = 0; k < bodies; k++) {
        draw_body(linear);
        for (int step = 0; step < STEPS; step++) {
            for (int i = 1; i < stage.body.phenotype.body->link_count && step % 4 == 0; i++)
                dynamics_set_target(stage.dynamics, i, rng_uniform(&rng, -1, 1), 0);
            struct stage_gain gain = stage_step_gain(&stage);
            double rounding = 1e-13 * (gain.size + stage.body.phenotype.mass_kg);
            worst = fmax(worst, fmax(gain.off - rounding, 0) / gain.given);
        }
        flown += stage.dynamics->rk4_steps;
    }
    ck_assert_uint_gt(flown, 100);
    return worst;
}

TEST_LOOP(contacts_and_gravity_give_all_momentum, 0, 5)
{
    static const struct {
        double friction, elasticity, linear;
    } cases[] = {{0, 0, 0}, {0.8, 0, 0}, {0.8, 0, 0.5}, {0, 0.6, 0}, {0.8, 0.6, 0.5}};
    stage.world = land_of(cases[_i].friction, cases[_i].elasticity);
    ck_assert_double_lt(run_bodies(60, cases[_i].linear), 1e-9);
}

/* Light and heavy drag, hinges alone and linear joints, with and without gravity. */
TEST_LOOP(drag_gives_what_it_says, 0, 8)
{
    stage.world = (struct world){.gravity_m_s2 = _i % 2 ? BODY_GRAVITY : 0,
                                 .viscosity_pa_s = _i / 2 % 2 ? 20 : 0.5,
                                 .drag_exposure = _i / 4,
                                 .has_ground = 1,
                                 .friction = 0.5};
    ck_assert_double_lt(run_bodies(30, _i / 4 ? 0.5 : 0), 1e-9);
}

SUITE("momentum", 600, setup, NULL)
