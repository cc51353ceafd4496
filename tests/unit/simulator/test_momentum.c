/* Momentum and angular momentum: a body's gain in a step is the impulse of its contacts and of
 * gravity, whatever muscles, limits and own parts do to one another. */
#include "tests/unit/stage_fixture.h"

enum { BODIES = 60, STEPS = 240 };

static double
    lost_in_flight; /* at most, in RK4 steps since the last contact, by the weight's impulse */
static struct rng rng;

static void setup(void)
{
    stage_open(&stage);
    rng_init(&rng, 29, RNG_TEST, 0, 1);
}

/* Momentum, angular momentum about the centre of mass at the start, and how large impulses were, N
 * s. */
struct balance {
    double along_x, along_y, turning, size;
};

/* What the last step's contacts and gravity gave a body whose centre of mass was at `centre` and
 * moved with `velocity` before. Where the step was taken in parts, since impacts follow one another,
 * gravity acts in each of them, and the body says at which lever: no farther from that of a whole
 * step than impacts can throw it. */
static struct balance sum_impulses(struct vec3 centre, struct vec2 velocity)
{
    const struct contact_point *points;
    struct impulse_sum told;
    double h = stage.settings.dt_s, mass = stage.body.phenotype.mass_kg;
    double fall = -mass * BODY_GRAVITY * h, lever = h / 2 * velocity.x, touch = 0;
    struct balance sum = {0, fall, 0, fabs(fall)};
    int count = dynamics_contacts(stage.dynamics, &points);
    for (int i = 0; i < count; i++) {
        const struct contact_point *p = &points[i];
        double normal = p->normal_impulse_n_s, friction = p->friction_impulse_n_s;
        double x = p->normal.x * normal + p->normal.y * friction;
        double y = p->normal.y * normal - p->normal.x * friction;
        if (p->other >= 0)
            continue;
        sum.along_x += x;
        sum.along_y += y;
        touch += (p->at.x - centre.x) * y - (p->at.y - centre.y) * x;
        sum.size += fabs(normal) + fabs(friction);
    }
    ck_assert(
        dynamics_impulses(stage.dynamics, centre, (struct vec3){velocity.x, velocity.y, 0}, &told));
    double told_lever = (told.angular.z - touch) / fall;
    ck_assert_double_le(fabs(told_lever - lever), h * sum.size / mass + 1e-9);
    sum.turning = touch + told_lever * fall;
    return sum;
}

/* Momentum, angular momentum about the world's origin, and the centre of mass. */
struct state {
    double momentum[3];
    struct vec3 centre;
};

static struct state state_now(void)
{
    struct state now = {.centre = dynamics_centre_of_mass(stage.dynamics)};
    read_momentum(stage.dynamics, now.momentum);
    return now;
}

/* As it should be after a step in which nothing but gravity acts. */
static struct state fall(const struct state *from)
{
    double h = stage.settings.dt_s, mass = stage.body.phenotype.mass_kg;
    double fall = -mass * BODY_GRAVITY * h;
    const double *p = from->momentum;
    return (struct state){
        .momentum = {p[0], p[1] + fall, p[2] + (from->centre.x + h / 2 * p[0] / mass) * fall},
        .centre = {from->centre.x + h * p[0] / mass, from->centre.y + h * (p[1] + fall / 2) / mass,
                   0}};
}

/* How much of a step's momentum comes from nowhere, as a share of the impulses. Steps of RK4 leave
 * in *is what should be, so that their errors would add up. */
static double step_from_nowhere(struct state *is)
{
    double mass = stage.body.phenotype.mass_kg;
    const double *before = is->momentum;
    struct vec3 centre = is->centre;
    uint64_t flown = stage.dynamics->rk4_steps;
    ck_assert_int_eq(dynamics_step(stage.dynamics), 0);
    struct state after = state_now();
    struct vec2 velocity = {before[0] / mass, before[1] / mass};
    struct balance sum = sum_impulses(centre, velocity);
    double x = after.momentum[0] - before[0], y = after.momentum[1] - before[1];
    double turn = after.momentum[2] - before[2] - (centre.x * y - centre.y * x);
    double off = fabs(x - sum.along_x) + fabs(y - sum.along_y) + fabs(turn - sum.turning);
    /* what 64 bits hold of the momentum itself */
    double rounding = 1e-13 * (fabs(before[0]) + fabs(before[1]) + fabs(before[2]) + mass);
    if (stage.dynamics->rk4_steps > flown) {
        lost_in_flight = fmax(lost_in_flight, off / sum.size);
        *is = fall(is);
        return 0;
    }
    *is = after;
    return off > rounding ? (off - rounding) / sum.size : 0;
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

static double run_bodies(double friction, double elasticity, double linear)
{
    double worst = 0;
    stage.world = land_of(friction, elasticity);
    for (int k = 0; k < BODIES; k++) {
        draw_body(linear);
        struct state is = state_now();
        for (int step = 0; step < STEPS; step++) {
            for (int i = 1; i < stage.body.phenotype.body->link_count && step % 4 == 0; i++)
                dynamics_set_target(stage.dynamics, i, rng_uniform(&rng, -1, 1), 0);
            worst = fmax(worst, step_from_nowhere(&is));
        }
    }
    return worst;
}

TEST(contacts_and_gravity_give_all_momentum)
{
    static const struct {
        double friction, elasticity, linear;
    } cases[] = {{0, 0, 0}, {0.8, 0, 0}, {0.8, 0, 0.5}, {0, 0.6, 0}, {0.8, 0.6, 0.5}};
    for (int i = 0; i < 5; i++) {
        double worst = run_bodies(cases[i].friction, cases[i].elasticity, cases[i].linear);
        printf("momentum: friction %.1f, elasticity %.1f: %.1e of a step's impulses from nowhere\n",
               cases[i].friction, cases[i].elasticity, worst);
        ck_assert_double_lt(worst, 1e-9);
    }
    printf("momentum: flights: %.1e of a step's weight\n", lost_in_flight);
    ck_assert_double_lt(lost_in_flight, 1e-9);
}

/* In a medium, with what the solver says that it gave: steps of RK4, too. */
static double step_from_medium(void)
{
    struct stage_gain gain = stage_step_gain(&stage);
    return fmax(gain.off - 1e-13 * (gain.size + stage.body.phenotype.mass_kg), 0) / gain.given;
}

/* Light and heavy drag, hinges alone and linear joints, with and without gravity. */
TEST_LOOP(drag_gives_what_it_says, 0, 8)
{
    double worst = 0;
    uint64_t flown = 0;
    stage.world = (struct world){.gravity_m_s2 = _i % 2 ? BODY_GRAVITY : 0,
                                 .viscosity_pa_s = _i / 2 % 2 ? 20 : 0.5,
                                 .drag_exposure = _i / 4,
                                 .has_ground = 1,
                                 .friction = 0.5};
    for (int k = 0; k < 30; k++) {
        draw_body(_i / 4 ? 0.5 : 0);
        for (int step = 0; step < STEPS; step++) {
            for (int i = 1; i < stage.body.phenotype.body->link_count && step % 4 == 0; i++)
                dynamics_set_target(stage.dynamics, i, rng_uniform(&rng, -1, 1), 0);
            worst = fmax(worst, step_from_medium());
        }
        flown += stage.dynamics->rk4_steps;
    }
    ck_assert_double_lt(worst, 1e-9);
    ck_assert_uint_gt(flown, 100);
}

SUITE("momentum", 600, setup, NULL)
