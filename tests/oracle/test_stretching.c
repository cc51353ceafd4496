/* Bodies whose parts stretch, by both solvers: of the tree in coordinates of joints, and of the
 * reference in those of links, with constraint forces and a column for each stretch. They share no
 * equation of motion and no drag.
 * speed: long runs: seldom */
#include "tests/sanitized.h"
#include "tests/unit/stage_fixture.h"

enum { DOF = BODY_DOF_MAX, BODIES = TESTS_ARE_SANITIZED ? 20 : 200, PARTS = 8 };

static struct rng rng;
static enum effector_state effectors;
static double strength; /* N m or N; where servos have aims, more than they take */

static void setup(void)
{
    stage_open(&stage);
    stage.settings.integrator = INTEGRATOR_RK4;
    stage.settings.constraint_tau_s = 0.01;
    stage.settings.rtol = 1e-11;
    rng_init(&rng, 48, RNG_TEST, 0, 2);
}

/* ---------------------------------------------------------------- random bodies */

struct sample {
    int dof;
    double q[DOF], qd[DOF], target[DOF], rate[DOF];
};

/* A body with servos at some joints and stretches; those without one are slack. */
static void draw(struct sample *s)
{
    *s = (struct sample){0};
    body_init_stretching(&stage.body, PARTS, &rng);
    s->dof = 2 + stage.body.body.link_count;
    for (int i = 0; i < s->dof; i++) {
        struct body_link *l = i < 3 ? NULL : &stage.body.links[i - 2];
        double most = l && l->kind == LINK_STRETCH ? 0.6 : 1;
        if (l && l->kind == LINK_RIGID)
            continue;
        if (l)
            l->strength = rng_chance(&rng, 0.7) ? rng_uniform(&rng, 1, 2) * strength : 0;
        s->q[i] = rng_uniform(&rng, -most, most);
        s->qd[i] = rng_uniform(&rng, -2, 2);
        s->target[i] = s->q[i] + rng_uniform(&rng, -0.2, 0.2);
        s->rate[i] = rng_uniform(&rng, -1, 1);
    }
}

/* A chain of three that falls, whose parts stretch within limits and may touch one another. */
static void draw_lander(struct sample *s)
{
    enum { LANDERS = 3 };
    struct body_part parts[LANDERS];
    *s = (struct sample){.q = {0, 0.9, rng_uniform(&rng, -3, 3)}, .qd = {0.5, -1, 1}};
    for (int i = 0; i < LANDERS; i++)
        parts[i] = (struct body_part){
            PART(i - 1, 0.42 * i, 0, 0.4, rng_uniform(&rng, 0.1, 0.2), rng_uniform(&rng, 0.5, 2)),
            ANCHOR(i ? 0.42 * i - 0.21 : 0, 0),
            .is_rigid = i == 2 && rng_chance(&rng, 0.5),
            .torque_max_n_m = 20,
            .stretch = i == 1 || rng_chance(&rng, 0.5) ? 0.3 : 0,
            .stretch_n_m = 20};
    body_init(&stage.body, parts, LANDERS);
    s->dof = 2 + stage.body.body.link_count;
    for (int i = 3; i < s->dof; i++) {
        s->target[i] = rng_uniform(&rng, -0.4, 0.4);
        s->rate[i] = rng_uniform(&rng, -1, 1);
    }
}

static void start(const struct sample *s, int solver, double dt_s)
{
    stage.settings.solver = solver;
    stage.settings.dt_s = dt_s;
    stage_start(&stage, s->q, s->qd);
    dynamics_set_effectors(stage.dynamics, effectors);
    for (int i = 3; i < s->dof; i++)
        dynamics_set_target(stage.dynamics, i - 2, s->target[i], s->rate[i]);
}

/* What the water does to it, and what its muscles do, by number. */
enum { WORLDS = 6 };
static void set_world(int number)
{
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY,
                                 .viscosity_pa_s = number > 0 ? 2 : 0,
                                 .quadratic_drag_kg_m2 = 3,
                                 .drag_law = number > 2 ? DRAG_LAW_QUADRATIC : DRAG_LAW_LINEAR};
    stage.world.drag_faces = number == 2 || number == 4 ? DRAG_FACES_LEADING : DRAG_FACES_ALL;
    stage.settings.joint_damping_1_s = number == 5 ? 0.5 : 0;
    stage.settings.effector_mode = number == 3 ? EFFECTOR_TORQUE : EFFECTOR_POSITION;
    strength = number == 3 ? 2 : 1e4;
    effectors = number == 4 ? EFFECTORS_HOLD : EFFECTORS_ON;
}

/* The change of rates in a tiny step, per s; all stretches go faster by a share. */
static void read_accelerations(const struct sample *s, int solver, double faster, double *to)
{
    const double dt = 1e-5;
    struct sample own = *s;
    for (int i = 3; i < s->dof; i++)
        if (stage.body.links[i - 2].kind == LINK_STRETCH)
            own.qd[i] *= 1 + faster;
    start(&own, solver, dt);
    ck_assert_int_eq(dynamics_step(stage.dynamics), 0);
    for (int i = 0; i < s->dof; i++)
        to[i] = (stage.dynamics->qd[i] - own.qd[i]) / dt;
}

/* The greatest difference of accelerations by both solvers, by the greatest of them. */
static double acceleration_error(const struct sample *s, double faster)
{
    double one[DOF], two[DOF], most = 0, off = 0;
    read_accelerations(s, SOLVER_ARTICULATED, 0, one);
    read_accelerations(s, SOLVER_CONSTRAINT, faster, two);
    for (int i = 0; i < s->dof; i++) {
        most = fmax(most, fabs(one[i]));
        off = fmax(off, fabs(one[i] - two[i]));
    }
    return off / most;
}

TEST_LOOP(accelerations_agree, 0, WORLDS)
{
    double errors[BODIES];
    set_world(_i);
    for (int k = 0; k < BODIES; k++) {
        struct sample s;
        draw(&s);
        errors[k] = acceleration_error(&s, 0);
    }
    double largest = stage_quantile(errors, BODIES, 1);
    printf(
        "stretching: accelerations of %d bodies, world %d: off by %.1e (median), %.1e (largest)\n",
        BODIES, _i, stage_quantile(errors, BODIES, 0.5), largest);
    ck_assert_double_lt(largest, 1e-9);
}

/* The comparison sees a stretch that goes by a share of 1e-6 faster. */
TEST(faults_show)
{
    double errors[BODIES];
    set_world(1);
    for (int k = 0; k < BODIES; k++) {
        struct sample s;
        draw(&s);
        errors[k] = acceleration_error(&s, 1e-6);
    }
    ck_assert_double_gt(stage_quantile(errors, BODIES, 0.5), 1e-8);
}

/* ---------------------------------------------------------------- ways */

struct places {
    int count;
    double at[4 * BODY_PARTS_MAX]; /* of each part: centre, angle, stretch */
};

/* Where all parts are after a time. */
static struct places move(const struct sample *s, int solver, double dt_s, double seconds)
{
    struct places places = {.count = 0};
    start(s, solver, dt_s);
    stage_run(&stage, seconds);
    for (int i = 0; i < stage.body.phenotype.part_count; i++) {
        struct part_state state = stage_part(&stage, i);
        places.at[places.count++] = state.at_m.x;
        places.at[places.count++] = state.at_m.y;
        places.at[places.count++] = state.angle_rad;
        places.at[places.count++] = dynamics_part_stretch(stage.dynamics, i);
    }
    return places;
}

static double apart(const struct places *a, const struct places *b)
{
    double most = 0;
    for (int i = 0; i < a->count; i++)
        most = fmax(most, fabs(a->at[i] - b->at[i]));
    return most;
}

/* How far the tree's way, with steps of dt_s and half of that, is from the reference's, of bodies
 * drawn: medians. The energy of the reference balances but for this share. */
struct comparison {
    const char *what;
    void (*draw)(struct sample *);
    int count;
    double dt_s, seconds, residual, middle[2];
};

static void check_ledger(double share)
{
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    double size = l->work_effector_positive_j + fabs(l->energy_start_j) + 1;
    ck_assert_double_le(fabs(l->residual_j), share * size);
}

static void compare_ways(struct comparison *c)
{
    double errors[2][BODIES], largest[2];
    for (int k = 0; k < c->count; k++) {
        struct sample s;
        c->draw(&s);
        struct places exact = move(&s, SOLVER_CONSTRAINT, 1.0 / 240, c->seconds);
        check_ledger(c->residual);
        for (int half = 0; half < 2; half++) {
            struct places now = move(&s, SOLVER_ARTICULATED, c->dt_s / (1 + half), c->seconds);
            errors[half][k] = apart(&now, &exact);
        }
    }
    for (int half = 0; half < 2; half++) {
        c->middle[half] = stage_quantile(errors[half], c->count, 0.5);
        largest[half] = stage_quantile(errors[half], c->count, 1);
    }
    printf("stretching: %d bodies, %s, %g s: the tree at 1/%.0f s is apart by %.1e (median), "
           "%.1e (largest), at half the step by %.1e, %.1e\n",
           c->count, c->what, c->seconds, 1 / c->dt_s, c->middle[0], largest[0], c->middle[1],
           largest[1]);
}

/* RK4 where drag is smooth; exposure is looked at once a step. */
TEST_LOOP(ways_agree, 0, 2 * WORLDS - 1)
{
    int is_exposed = _i >= WORLDS, number = is_exposed ? _i - WORLDS + 1 : _i;
    set_world(number);
    stage.world.drag_exposure = is_exposed;
    const char *what = printed("world %d%s", number, is_exposed ? ", exposed" : "");
    struct comparison c = {what, draw, BODIES / 8, 1.0 / 960, 0.25, 1e-9, {0}};
    compare_ways(&c);
    ck_assert_double_lt(c.middle[1], is_exposed ? 3e-4 : 1e-8);
    ck_assert_double_gt(c.middle[0] / c.middle[1], is_exposed ? 1.7 : 8);
}

/* Bodies that fall on the ground, which may have waves. */
TEST_LOOP(contacts_agree, 0, 2)
{
    struct comparison c = {
        _i ? "waves" : "ground", draw_lander, BODIES / 16, 1.0 / 1920, 0.6, 1e-3, {0}};
    stage.settings.integrator = INTEGRATOR_AUTO;
    stage.settings.rtol = 1e-8;
    set_world(0);
    stage.world.has_ground = 1;
    stage.world.friction = 0.8;
    stage.world.own_friction = 0.3;
    if (_i)
        relief_init(&stage.world.relief, 0.1, 0.8, 7, 1);
    compare_ways(&c);
    ck_assert_double_lt(c.middle[1], 5e-3);
    if (!TESTS_ARE_SANITIZED) /* of many, for some part from an impact on */
        ck_assert_double_gt(c.middle[0] / c.middle[1], 1.3);
}

SUITE("stretching", 600, setup, NULL)
