/* Our bodies in MuJoCo: an independent program, in joint coordinates like ours, with algorithms of
 * its own (composite rigid bodies, sparse factors, spatial vectors in three dimensions). Each body
 * is written as MJCF from its links: a slide along x, a slide along z and a hinge carry the root, a
 * hinge or a slide every other link; masses, centres and inertias outright; no geometry, so MuJoCo
 * sees no contacts.
 *
 * Both use classical RK4 with the same step and the same coordinates, hence have the same error of
 * integration: what is left between them is rounding, grown by the motion. Where ours is the
 * constraint solver (absolute coordinates, adaptive steps), MuJoCo gets a fine step.
 *
 * Needs MuJoCo (libmujoco-dev on Debian) when it is built; else it says so and exits with 77. With
 * the argument --table it prints what it measures. */

#ifndef HAVE_MUJOCO

#include <stdio.h>

int main(void)
{
    printf("skipped: built without MuJoCo (libmujoco-dev)\n");
    return 77;
}

#else

#include <mujoco/mujoco.h>

#include "simulator/planar/tree/tree.h"
#include "tests/oracle/mujoco_fixture.h"
#include "tests/random_genome.h"
#include "tests/unit/stage_fixture.h"
#include "tests/scene_fixture.h"

enum { MJCF_BYTES = 32 * 1024 };

/* ---------------------------------------------------------------- bodies for MuJoCo */

struct mjcf {
    char text[MJCF_BYTES];
    int size;
};

static void __attribute__((format(printf, 2, 3)))
mjcf_add(struct mjcf *mjcf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size =
        vsnprintf(mjcf->text + mjcf->size, (size_t)(MJCF_BYTES - mjcf->size), format, arguments);
    va_end(arguments);
    ck_assert_int_lt(size, MJCF_BYTES - mjcf->size);
    mjcf->size += size;
}

/* What drives the joints, all of it optional. */
struct drives {
    double stiffness[BODY_LINKS_MAX], rest[BODY_LINKS_MAX], damping[BODY_LINKS_MAX];
    double torque[BODY_LINKS_MAX];
};

/* x to the right is MuJoCo's x, y upwards its z; counter-clockwise is a turn about -y. */
static void mjcf_add_link(struct mjcf *mjcf, const struct phenotype *p, const struct drives *drives,
                          int i)
{
    const struct body_link *link = &p->body->links[i];
    mjcf_add(mjcf, "<body pos='%.17g 0 %.17g'>\n", link->joint.x, link->joint.y);
    mjcf_add(mjcf, "<inertial pos='%.17g 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
             link->centre.x, link->centre.y, link->mass_kg, link->inertia.zz, link->inertia.zz,
             link->inertia.zz);
    if (i == 0)
        mjcf_add(mjcf, "<joint name='x' type='slide' axis='1 0 0'/>\n"
                       "<joint name='y' type='slide' axis='0 0 1'/>\n");
    if (i > 0 && link->kind == LINK_LINEAR)
        mjcf_add(mjcf, "<joint name='%d' type='slide' axis='%.17g 0 %.17g'", i, link->axis.x,
                 link->axis.y);
    else
        mjcf_add(mjcf, "<joint name='%d' type='hinge' axis='0 -1 0'", i);
    if (drives)
        mjcf_add(mjcf, " stiffness='%.17g' springref='%.17g' damping='%.17g'", drives->stiffness[i],
                 drives->rest[i], drives->damping[i]);
    mjcf_add(mjcf, "/>\n");
    for (int child = i + 1; child < p->body->link_count; child++)
        if (p->body->links[child].parent == i)
            mjcf_add_link(mjcf, p, drives, child);
    mjcf_add(mjcf, "</body>\n");
}

/* A body in MuJoCo, and where it keeps our coordinates. */
struct peer {
    mjModel *model;
    mjData *data;
    int dof;
    int address[BODY_DOF_MAX]; /* -1: of the root that is the world */
};

static void peer_open(struct peer *peer, const struct phenotype *p, const struct drives *drives,
                      double gravity_m_s2, double dt_s)
{
    struct mjcf *mjcf = calloc(1, sizeof *mjcf);
    ck_assert_ptr_nonnull(mjcf);
    mjcf_add(mjcf,
             "<mujoco><compiler angle='radian' coordinate='local'/>\n"
             "<option integrator='RK4' timestep='%.17g' gravity='0 0 %.17g'/>\n<worldbody>\n",
             dt_s, -gravity_m_s2);
    if (!body_is_fixed(p->body))
        mjcf_add_link(mjcf, p, drives, 0);
    for (int i = 1; body_is_fixed(p->body) && i < p->body->link_count; i++)
        if (p->body->links[i].parent == 0)
            mjcf_add_link(mjcf, p, drives, i);
    mjcf_add(mjcf, "</worldbody></mujoco>\n");
    peer->model = mujoco_load(mjcf->text, (size_t)mjcf->size);
    free(mjcf);
    peer->data = mj_makeData(peer->model);
    ck_assert_ptr_nonnull(peer->data);
    peer->dof = 2 + p->body->link_count;
    for (int i = 0; i < peer->dof; i++) {
        const char *name = printed("%d", i - 2);
        int joint = mj_name2id(peer->model, mjOBJ_JOINT, i == 0 ? "x" : i == 1 ? "y" : name);
        peer->address[i] = joint < 0 ? -1 : peer->model->jnt_qposadr[joint];
        ck_assert(joint >= 0 || body_is_fixed(p->body));
        if (drives && i >= 2 && joint >= 0)
            peer->data->qfrc_applied[peer->address[i]] = drives->torque[i - 2];
    }
}

static void peer_close(struct peer *peer)
{
    mj_deleteData(peer->data);
    mj_deleteModel(peer->model);
}

static void peer_set(struct peer *peer, const double *q, const double *qd)
{
    for (int i = 0; i < peer->dof; i++) {
        if (peer->address[i] < 0)
            continue;
        peer->data->qpos[peer->address[i]] = q[i];
        peer->data->qvel[peer->address[i]] = qd[i];
    }
}

static void peer_run(struct peer *peer, long count)
{
    while (count-- > 0)
        mj_step(peer->model, peer->data);
}

/* The greatest difference of coordinates. What is not a number counts as infinite. */
static double peer_distance(const struct peer *peer, const double *q)
{
    double largest = 0;
    for (int i = 0; i < peer->dof; i++) {
        double difference =
            peer->address[i] < 0 ? 0 : fabs(peer->data->qpos[peer->address[i]] - q[i]);
        if (!(difference <= largest))
            largest = difference == difference ? difference : INFINITY;
    }
    return largest;
}

/* ---------------------------------------------------------------- accelerations */

static void random_state(const struct phenotype *p, struct rng *rng, double rate, double *q,
                         double *qd)
{
    for (int i = 0; i < 2 + p->body->link_count; i++) {
        q[i] = rng_uniform(rng, -3, 3);
        qd[i] = rng_uniform(rng, -rate, rate);
    }
}

/* Trees of 1 to 20 parts, four joints in ten linear, under gravity and torques: the worst
 * difference as a share of the largest. */
TEST(accelerations_agree)
{
    double largest = 0;
    stage_open(&stage);
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct peer peer;
        struct tree tree;
        double q[BODY_DOF_MAX], qd[BODY_DOF_MAX], tau[BODY_DOF_MAX] = {0};
        double zero[BODY_DOF_MAX] = {0}, qdd[BODY_DOF_MAX], scale = 0, worst = 0;
        struct rng rng = test_rng(seed, 10, 0);
        body_init_mixed(&stage.body, 20, 0.4, &rng);
        const struct phenotype *p = &stage.body.phenotype;
        random_state(p, &rng, 6, q, qd);
        peer_open(&peer, p, NULL, BODY_GRAVITY, 1.0 / 240);
        peer_set(&peer, q, qd);
        for (int i = 3; i < peer.dof; i++) {
            tau[i] = rng_uniform(&rng, -2, 2);
            peer.data->qfrc_applied[peer.address[i]] = tau[i];
        }
        mj_forward(peer.model, peer.data);
        arena_reset(&stage.arena);
        ck_assert_int_eq(tree_create(&tree, p, 0, &stage.arena), 0);
        tree_set_pose(&tree, q);
        tree_set_velocity(&tree, qd);
        tree_accelerate(&tree, tau, zero, BODY_GRAVITY, 0, qdd);
        for (int i = 0; i < peer.dof; i++) {
            scale = fmax(scale, fabs(qdd[i]));
            worst = fmax(worst, fabs(qdd[i] - peer.data->qacc[peer.address[i]]));
        }
        largest = fmax(largest, worst / scale);
        peer_close(&peer);
    }
    report("accelerations of 500 trees of up to 20 parts, relative", largest, 1e-10);
}

/* ---------------------------------------------------------------- free motion */

/* Moves the stage's body from a state in both; the greatest distance until the time. */
static double motion_distance(const struct drives *drives, const double *q, const double *qd,
                              double until_s)
{
    struct peer peer;
    double largest = 0;
    stage.settings.integrator = INTEGRATOR_RK4;
    stage_build(&stage);
    for (int i = 1; drives && i < stage.body.phenotype.body->link_count; i++) {
        struct servo servo = {.law = SERVO_SPRING,
                              .torque_max = HUGE_VAL,
                              .kp = drives->stiffness[i],
                              .target = drives->rest[i],
                              .damping = drives->damping[i]};
        if (drives->torque[i] != 0)
            servo = (struct servo){.law = SERVO_TORQUE,
                                   .torque_max = fabs(drives->torque[i]),
                                   .damping = drives->damping[i],
                                   .target = drives->torque[i] > 0 ? 1 : -1};
        dynamics_set_servo(stage.dynamics, i, &servo);
    }
    stage_set(&stage, q, qd);
    peer_open(&peer, &stage.body.phenotype, drives, stage.world.gravity_m_s2, stage.settings.dt_s);
    peer_set(&peer, q, qd);
    for (long step = 0; step < lround(until_s / stage.settings.dt_s); step++) {
        ck_assert_int_eq(dynamics_step(stage.dynamics), 0);
        peer_run(&peer, 1);
        largest = fmax(largest, peer_distance(&peer, stage.dynamics->q));
    }
    peer_close(&peer);
    return largest;
}

/* Chains of 2 to 8 equal links in empty space, from random poses and rates. Some whip, and in 10 s
 * that makes much of the rounding: nine in ten must agree then. */
TEST(free_chains_agree)
{
    enum { COUNT = 28 };
    double at_1_s = 0, at_10_s[COUNT];
    stage_open(&stage);
    for (int i = 0; i < COUNT; i++) {
        double q[BODY_DOF_MAX], qd[BODY_DOF_MAX];
        struct rng rng = test_rng((uint64_t)i + 1, 11, 0);
        body_init_chain(&stage.body, 2 + i % 7, 0.4, 0.1, 1);
        random_state(&stage.body.phenotype, &rng, 1, q, qd);
        at_1_s = fmax(at_1_s, motion_distance(NULL, q, qd, 1));
        at_10_s[i] = motion_distance(NULL, q, qd, 10);
    }
    report("28 free chains of 2 to 8 links, 1 s", at_1_s, 1e-11);
    report("the same, 10 s, nine in ten", stage_quantile(at_10_s, COUNT, 0.9), 1e-9);
    report("the same, 10 s, all", stage_quantile(at_10_s, COUNT, 1), 1e-2);
}

/* Branched trees of hinges and linear joints in gravity, every joint with a damper and either a
 * spring or an even torque. The step is one at which ours halves none. */
TEST(driven_trees_agree)
{
    double largest = 0;
    stage_open(&stage);
    stage.settings.dt_s = 1.0 / 1920;
    stage.world.gravity_m_s2 = BODY_GRAVITY;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct drives drives = {.torque = {0}};
        double q[BODY_DOF_MAX], qd[BODY_DOF_MAX];
        struct rng rng = test_rng(seed, 12, 0);
        body_init_mixed(&stage.body, 12, 0.4, &rng);
        random_state(&stage.body.phenotype, &rng, 1, q, qd);
        for (int i = 1; i < stage.body.phenotype.body->link_count; i++) {
            const struct body_link *link = &stage.body.links[i];
            double reach = hypot(link->centre.x, link->centre.y);
            double inertia = link->inertia.zz + link->mass_kg * reach * reach;
            if (link->kind == LINK_LINEAR)
                inertia = link->mass_kg;
            drives.damping[i] = inertia * rng_uniform(&rng, 0, 2);
            drives.rest[i] = rng_uniform(&rng, -1, 1);
            if (rng_chance(&rng, 0.5))
                drives.torque[i] = inertia * rng_uniform(&rng, -10, 10);
            else
                drives.stiffness[i] = inertia * rng_uniform(&rng, 0, 60);
        }
        largest = fmax(largest, motion_distance(&drives, q, qd, 2));
    }
    report("30 falling trees with springs, dampers, forces, 1/1920 s, at 2 s", largest, 1e-9);
}

/* ---------------------------------------------------------------- scenes */

/* A scene of this folder that hangs on the world, with any solver and step; the distance at its
 * end. */
static double scene_distance(const char *name, int solver, double dt_s, double until_s)
{
    struct peer peer;
    scene_set_up();
    ck_ok(scene_read_file(&scene, printed("tests/oracle/scenes/%s.json", name), &error));
    scene.settings.solver = solver;
    scene.settings.integrator = solver == SOLVER_CONSTRAINT ? INTEGRATOR_AUTO : INTEGRATOR_RK4;
    scene.settings.rtol = 1e-12;
    scene.settings.dt_s = dt_s;
    start_scene();
    double fine_s = solver == SOLVER_CONSTRAINT ? dt_s / 16 : dt_s;
    peer_open(&peer, &scene.phenotype, NULL, scene.world.gravity_m_s2, fine_s);
    peer_set(&peer, scene.q, scene.qd);
    run_to(until_s);
    peer_run(&peer, lround(until_s / fine_s));
    double distance = peer_distance(&peer, run->q);
    peer_close(&peer);
    return distance;
}

TEST(hung_chains_agree)
{
    report("hanging double pendulum, at 10 s",
           scene_distance("double-pendulum-rods", SOLVER_ARTICULATED, 1.0 / 240, 10), 1e-11);
    report("hanging chain of five, 1/960 s, at 2 s",
           scene_distance("chain5-pinned", SOLVER_ARTICULATED, 1.0 / 960, 2), 1e-10);
}

TEST(constraint_solver_agrees)
{
    report("the pendulum, constraint solver, MuJoCo at 1/3840 s, at 3 s",
           scene_distance("double-pendulum-rods", SOLVER_CONSTRAINT, 1.0 / 240, 3), 1e-10);
    report("the chain, constraint solver, MuJoCo at 1/15360 s, at 1 s",
           scene_distance("chain5-pinned", SOLVER_CONSTRAINT, 1.0 / 960, 1), 1e-10);
}

/* ---------------------------------------------------------------- passive fall */

/* Grows a creature of a first generation, or returns 0. */
static int grow(struct phenotype *phenotype, uint64_t id)
{
    SCOPED(genome) genome;
    params_set_defaults(&params);
    random_genome(&genome, &params, RNG_RANDOM_GENOME, 1, id);
    return phenotype_express(phenotype, &genome, &params, &arena) == VERDICT_OK;
}

/* Drops a limp creature, turning and with bent joints, until a contact or a limit makes a step
 * other than RK4. The time it fell; the greatest distance on the way. */
static double fall_distance(const struct phenotype *p, struct rng *rng, double *distance)
{
    struct world world = {.gravity_m_s2 = BODY_GRAVITY,
                          .has_ground = 1,
                          .friction = 0.8,
                          .elasticity = 0.2,
                          .own_friction = 0.8,
                          .own_elasticity = 0.2};
    struct dynamics_settings settings = stage_default_settings();
    struct dynamics *dynamics = dynamics_create(p, &world, &settings, &arena);
    ck_assert_ptr_nonnull(dynamics);
    double q[BODY_DOF_MAX] = {0}, qd[BODY_DOF_MAX], bounds[4];
    ck_assert_int_le(2 + p->body->link_count, BODY_DOF_MAX);
    for (int i = 0; i < 2 + p->body->link_count; i++) {
        qd[i] = rng_uniform(rng, -0.5, 0.5);
        if (i >= 2)
            q[i] = rng_uniform(rng, -0.1, 0.1);
    }
    for (int i = 1; i < p->body->link_count; i++)
        dynamics_set_servo(dynamics, i, &(struct servo){.law = SERVO_SPRING});
    dynamics_set_state(dynamics, q, qd);
    read_bounds(dynamics, bounds);
    q[1] = 2 - bounds[1];
    dynamics_set_state(dynamics, q, qd);
    struct peer peer;
    peer_open(&peer, p, NULL, world.gravity_m_s2, settings.dt_s);
    peer_set(&peer, q, qd);
    double fallen_s = 0;
    *distance = 0;
    for (uint64_t count = 0, rk4_steps = 0; count == rk4_steps;) {
        *distance = fmax(*distance, peer_distance(&peer, dynamics->q));
        fallen_s = (double)count * settings.dt_s;
        ck_assert_double_lt(fallen_s, 5);
        ck_assert_int_eq(dynamics_step(dynamics), 0);
        count = dynamics->steps;
        rk4_steps = dynamics->rk4_steps;
        peer_run(&peer, 1);
    }
    peer_close(&peer);
    return fallen_s;
}

TEST(passive_falls_agree)
{
    double largest = 0, total_s = 0;
    int fallen = 0;
    arena_open(8u << 20);
    struct rng rng = test_rng(1, 13, 0);
    for (uint64_t id = 1; id <= 200; id++) {
        struct phenotype phenotype;
        double distance;
        arena_reset(&arena);
        if (!grow(&phenotype, id))
            continue;
        double fallen_s = fall_distance(&phenotype, &rng, &distance);
        if (fallen_s < 0.3)
            continue;
        largest = fmax(largest, distance);
        total_s += fallen_s;
        fallen++;
    }
    ck_assert_int_ge(fallen, 50);
    report(printed("%d random creatures falling, %.0f s in all", fallen, total_s), largest, 1e-11);
}

/* ---------------------------------------------------------------- planted faults */

/* A mass 1e-6 too large, and a joint 1 um off, show at once. */
TEST_LOOP(faults_are_noticed, 0, 2)
{
    stage_open(&stage);
    struct peer peer;
    double q[BODY_DOF_MAX], qd[BODY_DOF_MAX];
    struct rng rng = test_rng(1, 14, 0);
    body_init_chain(&stage.body, 4, 0.4, 0.1, 1);
    random_state(&stage.body.phenotype, &rng, 1, q, qd);
    stage_start(&stage, q, qd);
    if (_i)
        stage.body.links[2].joint.x += 1e-6;
    else
        stage.body.links[2].mass_kg *= 1 + 1e-6;
    peer_open(&peer, &stage.body.phenotype, NULL, 0, stage.settings.dt_s);
    peer_set(&peer, q, qd);
    stage_run(&stage, 1);
    peer_run(&peer, 240);
    ck_assert_double_gt(peer_distance(&peer, stage.dynamics->q), 1e-8);
    peer_close(&peer);
}

int main(int argc, char **argv)
{
    prints_table = argc > 1 && strcmp(argv[1], "--table") == 0;
    if (prints_table)
        printf("| with MuJoCo %s | largest difference, m or rad | allowed |\n|---|---|---|\n",
               mj_versionString());
    return run_tests_or_table("mujoco", 120, NULL, NULL, prints_table);
}

#endif
