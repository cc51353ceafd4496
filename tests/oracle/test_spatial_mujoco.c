/* Bodies in space beside MuJoCo's, an independent program with algorithms of its own: trees of all
 * joints with motors, springs and dampers, written as MJCF by the code that exports creatures
 * (simulator/tools/mjcf.h).
 *
 * Both move by RK4. MuJoCo's is of order 4 where all joints are hinges and slides, and of order 2
 * where a free body or a ball turns: it takes one exponential of averaged rates. So ours has a
 * fine step, MuJoCo's error falls with its step by 16 or by 4, and two steps extrapolated, (16 b -
 * a) / 15 or (4 b - a) / 3, leave what is compared with ours. Limits and contacts are other models
 * there: no test here has them but that of the cone's tendon.
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

#include "simulator/body/linked_body.h"
#include "simulator/tools/mjcf.h"
#include "simulator/links/spatial_state.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/oracle/mujoco_fixture.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "tests/scene_fixture.h"

enum { LINKS_MAX = 8, RATES_MAX = 32, COORDINATES_MAX = 40 };
/* Steps per second: of ours, and MuJoCo's coarsest. */
enum { FINE_HZ = 3840, COARSE_HZ = 960 };

/* Trees with servos and a start. */
struct tree_scene {
    struct body_link links[LINKS_MAX];
    struct body_box boxes[LINKS_MAX];
    int count, box_count, coordinates, rates;
    struct servo servos[RATES_MAX];
    double q[COORDINATES_MAX], qd[RATES_MAX];
    struct vec3 gravity;
    struct spatial_drag_law drag;
};

static struct rng rng;

static void setup(void)
{
    scene_set_up();
    rng_init(&rng, 1, RNG_TEST, 40, 0);
}

/* ---------------------------------------------------------------- building */

static double draw(double most)
{
    return rng_uniform(&rng, -most, most);
}

static struct vec3 draw_vector(double most)
{
    struct vec3 v;
    v.x = draw(most);
    v.y = draw(most);
    v.z = draw(most);
    return v;
}

/* An inertia that a body can have, in axes of its own. */
static struct sym3 draw_inertia(double mass)
{
    struct sym3 own = {.xx = 0.006 * mass, .yy = 0.011 * mass, .zz = 0.014 * mass};
    struct mat3 turn = quaternion_matrix(quaternion_exp(draw_vector(2)));
    return sym3_turned(&own, &turn);
}

/* A link with a joint of that kind, turned and moving at random; the root is at its parent's
 * origin. */
static struct body_link *add_link(struct tree_scene *s, int parent, enum link_joint kind)
{
    const struct joint_kind *row = &joint_kinds[kind];
    struct body_link *l = &s->links[s->count++];
    double mass = rng_uniform(&rng, 0.5, 2);
    *l = body_link_unlimited(parent, kind);
    l->mass_kg = mass;
    l->joint = draw_vector(0.3);
    l->frame = quaternion_exp(draw_vector(2));
    l->centre = draw_vector(0.2);
    l->inertia = draw_inertia(mass);
    double *q = s->q + s->coordinates;
    for (int k = 0; k < row->slides + row->turns; k++)
        *q++ = draw(k < row->slides ? 0.2 : 1);
    if (row->has_ball) {
        struct quaternion turn = quaternion_exp(draw_vector(1));
        memcpy(q, &(double[]){turn.w, turn.x, turn.y, turn.z}, 4 * sizeof *q);
    }
    s->coordinates += joint_coordinates(row);
    for (int k = 0; k < joint_rates(row); k++)
        s->qd[s->rates++] = draw(k < row->slides ? 0.3 : 2);
    return l;
}

/* Motors, or springs with dampers; those of a ball are at rest at no turn. */
static void add_servos(struct tree_scene *s)
{
    int rate = 0;
    for (int i = 0; i < s->count; i++) {
        const struct joint_kind *row = &joint_kinds[s->links[i].kind];
        int is_motor = rng_chance(&rng, 0.5), rates = joint_rates(row);
        for (int k = 0; k < rates && s->links[i].kind != LINK_FREE; k++) {
            double target = row->has_ball && !is_motor ? 0 : draw(0.5);
            s->servos[rate + k] = (struct servo){.law = is_motor ? SERVO_TORQUE : SERVO_SPRING,
                                                 .kp = is_motor ? 0 : rng_uniform(&rng, 0, 2),
                                                 .kd = is_motor ? 0 : rng_uniform(&rng, 0, 0.1),
                                                 .torque_max = is_motor ? 0.6 : HUGE_VAL,
                                                 .damping = rng_uniform(&rng, 0, 0.05),
                                                 .target = target};
        }
        rate += rates;
    }
}

/* A root and two links, each joined by that kind; the root is free, or hangs on the world by the
 * kind, too. */
static struct tree_scene make_chain(enum link_joint kind, int is_free)
{
    struct tree_scene s = {.gravity = {0, -9.81, 0}};
    rng_init(&rng, (uint64_t)kind + 1, RNG_TEST, 41, 0);
    add_link(&s, -1, is_free ? LINK_FREE : kind);
    add_link(&s, 0, kind);
    add_link(&s, 1, kind);
    add_servos(&s);
    return s;
}

/* A tree of up to LINKS_MAX links of any kind. */
static struct tree_scene make_tree(uint64_t seed)
{
    struct tree_scene s = {.count = 0};
    rng_init(&rng, seed, RNG_TEST, 42, 0);
    s.gravity = draw_vector(10);
    int count = 1 + (int)rng_below(&rng, LINKS_MAX);
    add_link(&s, -1, rng_chance(&rng, 0.7) ? LINK_FREE : LINK_UNIVERSAL);
    while (s.count < count) {
        int parent = (int)rng_below(&rng, (uint32_t)s.count);
        add_link(&s, parent, (enum link_joint)rng_below(&rng, LINK_FREE));
    }
    add_servos(&s);
    return s;
}

/* ---------------------------------------------------------------- both programs */

static struct spatial_state *start(const struct tree_scene *s, double dt_s, int integrator)
{
    struct body body = {.links = (struct body_link *)s->links,
                        .link_count = s->count,
                        .boxes = (struct body_box *)s->boxes,
                        .box_count = s->box_count};
    const struct spatial_world world = {.gravity_m_s2 = s->gravity, .drag = s->drag};
    const struct dynamics_settings settings = {.dt_s = dt_s, .integrator = integrator};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(d);
    for (int i = 0; i < s->rates; i++)
        spatial_state_set_servo(d, i, &s->servos[i]);
    dynamics_set_state(&d->dynamics, s->q, s->qd);
    return d;
}

/* MuJoCo with the scene at its start; an actuator for each servo, in their order. */
struct peer {
    mjModel *model;
    mjData *data;
};

static void peer_open(struct peer *peer, const struct tree_scene *s, double dt_s)
{
    struct body body = {.links = (struct body_link *)s->links,
                        .link_count = s->count,
                        .boxes = (struct body_box *)s->boxes,
                        .box_count = s->box_count};
    const struct world world = {.gravity_x_m_s2 = s->gravity.x,
                                .gravity_m_s2 = -s->gravity.y,
                                .gravity_z_m_s2 = s->gravity.z};
    struct effector effectors[RATES_MAX];
    struct phenotype phenotype = {.effectors = effectors, .body = &body};
    struct body_model model;
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    arena_reset(&arena);
    ck_assert_int_eq(linked_body_fill(&phenotype, &model, &arena), 0);
    memcpy(model.servos, s->servos, (size_t)s->rates * sizeof model.servos[0]);
    if (s->drag.is_quadratic)
        model.medium_kg_m3 = s->drag.coefficient * (s->drag.is_leading ? 2 : 4);
    for (int i = 0; i < s->rates; i++)
        if (s->servos[i].torque_max > 0)
            effectors[phenotype.effector_count++].drive = i;
    mjcf_write(file, &(struct mjcf_scene){.name = "tree",
                                          .model = &model,
                                          .phenotype = &phenotype,
                                          .world = &world,
                                          .q = s->q,
                                          .qd = s->qd,
                                          .step_s = dt_s});
    ck_assert_int_eq(fclose(file), 0);
    peer->model = mujoco_load(text, size);
    free(text);
    peer->model->opt.integrator = mjINT_RK4;
    peer->data = mj_makeData(peer->model);
    ck_assert_ptr_nonnull(peer->data);
    ck_assert_int_eq(peer->model->nbody, s->count + 1);
    ck_assert_int_eq(peer->model->nv, s->rates);
    mj_resetDataKeyframe(peer->model, peer->data, 0);
    for (int i = 0; i < phenotype.effector_count; i++)
        peer->data->ctrl[i] = s->servos[effectors[i].drive].target;
}

static void peer_close(struct peer *peer)
{
    mj_deleteData(peer->data);
    mj_deleteModel(peer->model);
}

/* Where links are and how they are turned, in our axes: origin, x and y axis. */
struct poses {
    struct vec3 of[3 * LINKS_MAX];
};

static struct vec3 from_mujoco(const mjtNum *v, int stride)
{
    return (struct vec3){v[0], v[2 * stride], -v[stride]};
}

static struct poses peer_poses(const struct peer *peer, int count)
{
    struct poses poses = {.of = {{0, 0, 0}}};
    for (int i = 0; i < count; i++) {
        const mjtNum *turn = peer->data->xmat + 9 * (i + 1);
        poses.of[3 * i] = from_mujoco(peer->data->xpos + 3 * (i + 1), 1);
        poses.of[3 * i + 1] = from_mujoco(turn, 3);
        poses.of[3 * i + 2] = from_mujoco(turn + 2, 3); /* its z axis is our y */
    }
    return poses;
}

/* Links come in another order there where a tree branches: MuJoCo's is depth first. */
static void order_of(const struct tree_scene *s, int link, int *order, int *count)
{
    order[(*count)++] = link;
    for (int i = link + 1; i < s->count; i++)
        if (s->links[i].parent == link)
            order_of(s, i, order, count);
}

static struct poses own_poses(const struct tree_scene *s, struct spatial_state *d)
{
    const struct spatial_tree *tree = spatial_state_tree(d);
    struct poses poses = {.of = {{0, 0, 0}}};
    int order[LINKS_MAX], count = 0;
    order_of(s, 0, order, &count);
    for (int i = 0; i < s->count; i++) {
        const struct spatial_tree_link *l = &tree->links[order[i]];
        poses.of[3 * i] = l->at;
        poses.of[3 * i + 1] = l->turned.x;
        poses.of[3 * i + 2] = l->turned.y;
    }
    return poses;
}

static struct poses move_own(const struct tree_scene *s, double hz, double until_s, int integrator)
{
    struct spatial_state *d = start(s, 1 / hz, integrator);
    for (long i = lround(until_s * hz); i > 0; i--)
        ck_assert_int_eq(dynamics_step(&d->dynamics), 0);
    return own_poses(s, d);
}

static struct poses move_peer(const struct tree_scene *s, double hz, double until_s)
{
    struct peer peer;
    peer_open(&peer, s, 1 / hz);
    for (long i = lround(until_s * hz); i > 0; i--)
        mj_step(peer.model, peer.data);
    mj_kinematics(peer.model, peer.data);
    struct poses poses = peer_poses(&peer, s->count);
    peer_close(&peer);
    return poses;
}

/* a + share (b - a) */
static struct poses extrapolate(const struct poses *a, const struct poses *b, double share)
{
    struct poses poses;
    for (int i = 0; i < 3 * LINKS_MAX; i++)
        poses.of[i] = vec3_along(a->of[i], vec3_sub(b->of[i], a->of[i]), share);
    return poses;
}

/* The greatest difference, m or of unit vectors. What is not a number counts as infinite. */
static double apart(const struct poses *a, const struct poses *b, int count)
{
    double largest = 0;
    for (int i = 0; i < 3 * count; i++) {
        double distance = vec3_length(vec3_sub(a->of[i], b->of[i]));
        if (!(distance <= largest))
            largest = distance == distance ? distance : INFINITY;
    }
    return largest;
}

/* ---------------------------------------------------------------- accelerations */

/* Torques of the servos at the start. */
static void find_torques(const struct tree_scene *s, double *tau)
{
    int rate = 0, coordinate = 0;
    for (int i = 0; i < s->count; i++) {
        const struct joint_kind *row = &joint_kinds[s->links[i].kind];
        int plain = row->slides + row->turns;
        const double *q = s->q + coordinate;
        struct vec3 ball = {0, 0, 0};
        if (row->has_ball)
            ball = quaternion_log(
                (struct quaternion){q[plain], q[plain + 1], q[plain + 2], q[plain + 3]});
        for (int k = 0; k < joint_rates(row); k++, rate++) {
            const struct servo *servo = &s->servos[rate];
            double value = k < plain ? q[k] : (double[]){ball.x, ball.y, ball.z}[k - plain];
            tau[rate] = servo->law == SERVO_TORQUE ? servo->torque_max * servo->target
                                                   : servo->kp * (servo->target - value);
            tau[rate] -= (servo->kd + servo->damping) * s->qd[rate];
        }
        coordinate += joint_coordinates(row);
    }
}

/* Rates of a link in MuJoCo's order and axes; returns behind them. */
static double *put_rates(const struct body_link *link, const double *qd, double *to)
{
    const struct joint_kind *row = &joint_kinds[link->kind];
    struct mat3 frame = quaternion_matrix(link->frame);
    if (link->kind == LINK_FREE) {
        struct vec3 v = mat3_apply(&frame, (struct vec3){qd[0], qd[1], qd[2]});
        *to++ = v.x;
        *to++ = -v.z;
        *to++ = v.y;
        qd += 3;
    }
    if (row->has_ball) {
        *to++ = qd[0];
        *to++ = -qd[2];
        *to++ = qd[1];
        return to;
    }
    for (int k = 0; k < joint_rates(row); k++)
        *to++ = qd[k];
    return to;
}

static double acceleration_difference(const struct tree_scene *s)
{
    struct spatial_tree tree;
    struct peer peer;
    double tau[RATES_MAX], zero[RATES_MAX] = {0}, qdd[RATES_MAX], ours[RATES_MAX], *at = ours;
    double scale = 0, worst = 0;
    int order[LINKS_MAX], count = 0;
    peer_open(&peer, s, 1e-3);
    mj_forward(peer.model, peer.data);
    arena_reset(&arena);
    ck_assert_int_eq(spatial_tree_create(&tree, s->links, s->count, s->gravity, &arena), 0);
    spatial_tree_set_pose(&tree, s->q);
    spatial_tree_set_velocity(&tree, s->qd);
    spatial_tree_factor(&tree, zero, 0);
    find_torques(s, tau);
    spatial_tree_accelerate(&tree, tau, qdd);
    order_of(s, 0, order, &count);
    for (int i = 0; i < count; i++)
        at = put_rates(&s->links[order[i]], qdd + tree.links[order[i]].rate, at);
    for (int i = 0; i < s->rates; i++) {
        scale = fmax(scale, fabs(ours[i]));
        worst = fmax(worst, fabs(ours[i] - peer.data->qacc[i]));
    }
    peer_close(&peer);
    return worst == worst && s->rates > 0 ? worst / scale : worst;
}

TEST(accelerations_agree)
{
    if (prints_table)
        printf("\n| with MuJoCo %s | largest difference | allowed |\n|---|---|---|\n",
               mj_versionString());
    double largest = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct tree_scene s = make_tree(seed);
        largest = fmax(largest, acceleration_difference(&s));
    }
    report("accelerations of 300 trees of up to 8 links, relative", largest, 1e-11);
}

/* ---------------------------------------------------------------- motion */

/* Distances that are no error of a step, m or of unit vectors. */
#define ROUNDING 1e-11

/* How MuJoCo's motion comes near to ours with its step. */
struct nearing {
    double coarse;       /* distance at the coarse step */
    double ratio;        /* of the distance to that at half the step */
    double extrapolated; /* distance of what two steps say */
};

static struct nearing compare(const struct tree_scene *s, double until_s, int order)
{
    struct poses ours = move_own(s, FINE_HZ, until_s, INTEGRATOR_RK4);
    struct poses coarse = move_peer(s, COARSE_HZ, until_s);
    struct poses fine = move_peer(s, 2 * COARSE_HZ, until_s);
    double power = pow(2, order);
    struct poses both = extrapolate(&coarse, &fine, power / (power - 1));
    double at_coarse = apart(&coarse, &ours, s->count);
    return (struct nearing){at_coarse, at_coarse / apart(&fine, &ours, s->count),
                            apart(&both, &ours, s->count)};
}

static void report_nearing(const char *joint, const char *root, int order, struct nearing n,
                           double allowed)
{
    double ratio = pow(2, order);
    if (prints_table)
        printf(" %.1e |", n.extrapolated);
    ck_assert_msg(fabs(n.ratio - ratio) < 0.2 * ratio || n.coarse < ROUNDING,
                  "%s, %s: distances fall by %.2f", joint, root, n.ratio);
    ck_assert_msg(n.extrapolated <= allowed, "%s, %s: %.2e, allowed are %.0e", joint, root,
                  n.extrapolated, allowed);
}

/* Three links with one kind of joint, of order 4 if none of them turns by a quaternion. */
static void check_joint(enum link_joint kind, int is_free)
{
    int order = is_free || joint_kinds[kind].has_ball ? 2 : 4;
    struct tree_scene s = make_chain(kind, is_free);
    report_nearing(joint_kinds[kind].name, is_free ? "free" : "the world", order,
                   compare(&s, 1, order), order == 4 ? 1e-9 : 1e-7);
}

TEST(each_joint_agrees)
{
    if (prints_table)
        printf("| joint of three links, 1 s | root on the world | root free |\n|---|---|---|\n");
    for (int kind = LINK_RIGID; kind < LINK_FREE; kind++) {
        if (prints_table)
            printf("| %s |%s", joint_kinds[kind].name, kind == LINK_RIGID ? " |" : "");
        if (kind != LINK_RIGID)
            check_joint((enum link_joint)kind, 0);
        check_joint((enum link_joint)kind, 1);
        if (prints_table)
            printf("\n");
    }
}

/* Trees of all joints at once. */
TEST(trees_agree)
{
    enum { COUNT = 40 };
    double largest = 0;
    for (uint64_t seed = 1; seed <= COUNT; seed++) {
        struct tree_scene s = make_tree(seed);
        largest = fmax(largest, compare(&s, 0.5, 2).extrapolated);
    }
    report("40 of these trees after 0.5 s", largest, 1e-7);
}

/* A mass that is 1e-5 too large, a joint that is 2 um off, a spring that is 1e-4 too strong, the
 * second axis of another joint: each shows. */
TEST_LOOP(faults_are_noticed, 0, 4)
{
    struct tree_scene s = make_chain(LINK_UNIVERSAL, 1), other = s;
    struct poses ours = move_own(&s, FINE_HZ, 1, INTEGRATOR_RK4);
    if (_i == 0)
        other.links[2].mass_kg *= 1 + 1e-5;
    else if (_i == 1)
        other.links[2].joint.y += 2e-6;
    else if (_i == 2)
        for (int i = 0; i < s.rates; i++)
            other.servos[i].kp *= 1 + 1e-4, other.servos[i].target *= 1 + 1e-4;
    else
        other.links[1].kind = LINK_BEND_TWIST;
    struct poses coarse = move_peer(&other, COARSE_HZ, 1);
    struct poses fine = move_peer(&other, 2 * COARSE_HZ, 1);
    struct poses both = extrapolate(&coarse, &fine, 4.0 / 3);
    ck_assert_msg(apart(&both, &ours, s.count) > 2e-7, "_i %d is not seen: %.1e", _i,
                  apart(&both, &ours, s.count));
}

/* ---------------------------------------------------------------- scenes */

static void read_scene(const char *name, double hz)
{
    ck_ok(scene_read_file(&scene, printed("tests/oracle/space/scenes/%s.json", name), &error));
    scene.settings.dt_s = 1 / hz;
    scene.settings.integrator = INTEGRATOR_RK4;
    ck_assert_int_le(scene.body_count, LINKS_MAX);
    arena_reset(&arena);
}

static struct poses scene_here(const char *name, double hz, double until_s)
{
    struct poses poses = {.of = {{0, 0, 0}}};
    read_scene(name, hz);
    start_scene();
    run_to(until_s);
    const struct spatial_tree *tree = spatial_state_tree(spatial_state_of(run));
    for (int i = 0; i < tree->count; i++) {
        poses.of[3 * i] = tree->links[i].at;
        poses.of[3 * i + 1] = tree->links[i].turned.x;
        poses.of[3 * i + 2] = tree->links[i].turned.y;
    }
    return poses;
}

/* By the exported model and its table of controls. */
static struct poses scene_there(const char *name, double hz, double until_s, int *count)
{
    struct poses poses = {.of = {{0, 0, 0}}};
    char *texts[2];
    size_t sizes[2];
    FILE *model_file = open_memstream(&texts[0], &sizes[0]);
    FILE *signals = open_memstream(&texts[1], &sizes[1]);
    uint64_t count_of_steps = (uint64_t)lround(until_s * hz);
    read_scene(name, hz);
    ck_assert(model_file && signals);
    ck_assert_int_eq(mjcf_write_scene(&scene, name, model_file, signals, count_of_steps, &arena),
                     0);
    ck_assert_int_eq(fclose(model_file) | fclose(signals), 0);
    mjModel *model = mujoco_load(texts[0], sizes[0]);
    mjData *data = mj_makeData(model);
    char *line = strchr(texts[1], '\n') + 1;
    model->opt.integrator = mjINT_RK4;
    mj_resetDataKeyframe(model, data, 0);
    for (uint64_t step = 0; step < count_of_steps; step++) {
        ck_assert_double_eq_tol(strtod(line, &line), data->time, 1e-9);
        for (int i = 0; i < model->nu; i++)
            data->ctrl[i] = strtod(line + 1, &line);
        ck_assert_int_eq(*line++, '\n');
        mj_step(model, data);
    }
    ck_assert_int_eq(*line, 0);
    mj_kinematics(model, data);
    *count = scene.body_count;
    for (int i = 0; i < scene.body_count; i++) {
        int id = mj_name2id(model, mjOBJ_BODY, printed("link%d", i));
        poses.of[3 * i] = from_mujoco(data->xpos + 3 * id, 1);
        poses.of[3 * i + 1] = from_mujoco(data->xmat + 9 * id, 3);
        poses.of[3 * i + 2] = from_mujoco(data->xmat + 9 * id + 2, 3);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    free(texts[0]);
    free(texts[1]);
    return poses;
}

/* The reference cases without drag and without prescribed motions, written by `simulator scene
 * --mjcf`. */
TEST(scenes_agree)
{
    static const char *const names[] = {"free-top-asymmetric",
                                        "dzhanibekov-flip",
                                        "heavy-top",
                                        "spherical-pendulum",
                                        "double-spherical-pendulum",
                                        "universal-pendulum",
                                        "twist-pair-free",
                                        "bend-twist-arm",
                                        "twist-bend-arm",
                                        "chain5-free-torques",
                                        "tree7-servo",
                                        "slider-coriolis",
                                        "embed-chain5-pinned",
                                        "embed-double-pendulum-rods",
                                        "embed-hinge-pd-rod"};
    double largest = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int count;
        struct poses ours = scene_here(names[i], FINE_HZ, 0.5);
        struct poses coarse = scene_there(names[i], COARSE_HZ, 0.5, &count);
        struct poses fine = scene_there(names[i], 2 * COARSE_HZ, 0.5, &count);
        struct poses both = extrapolate(&coarse, &fine, 4.0 / 3);
        largest = fmax(largest, apart(&both, &ours, count));
    }
    report("15 reference cases after 0.5 s", largest, 1e-7);
}

/* ---------------------------------------------------------------- water */

static struct tree_scene make_box(int is_leading)
{
    const struct vec3 size = {0.3, 0.2, 0.1};
    double mass = 500 * size.x * size.y * size.z, m = mass / 12;
    struct tree_scene s = {.count = 0};
    struct body_link *l = add_link(&s, -1, LINK_FREE);
    l->joint = l->centre = (struct vec3){0, 0, 0};
    l->frame = QUATERNION_ONE;
    l->mass_kg = mass;
    l->inertia = (struct sym3){.xx = m * (size.y * size.y + size.z * size.z),
                               .yy = m * (size.x * size.x + size.z * size.z),
                               .zz = m * (size.x * size.x + size.y * size.y)};
    memset(s.q, 0, sizeof s.q);
    memset(s.qd, 0, sizeof s.qd);
    s.q[3] = 1;
    s.boxes[s.box_count++] = (struct body_box){.turn = QUATERNION_ONE, .size_m = size};
    s.drag =
        (struct spatial_drag_law){.coefficient = 250, .is_quadratic = 1, .is_leading = is_leading};
    return s;
}

/* Quadratic drag of a box that moves along an axis, or turns about one, is that of a medium. */
TEST(drag_is_a_medium)
{
    double largest = 0, slowed = 0;
    for (int i = 0; i < 12; i++) {
        struct tree_scene s = make_box(i >= 6);
        s.qd[i % 6] = 2;
        struct poses ours = move_own(&s, FINE_HZ, 1, INTEGRATOR_AUTO);
        struct poses theirs = move_peer(&s, FINE_HZ, 1);
        largest = fmax(largest, apart(&ours, &theirs, 1));
        s.drag.coefficient = 0;
        struct poses without = move_own(&s, FINE_HZ, 1, INTEGRATOR_AUTO);
        slowed = fmax(slowed, apart(&ours, &without, 1));
    }
    ck_assert_double_gt(slowed, 0.5);
    report("a box in water along and about its axes after 1 s", largest, 1e-6);
}

/* ---------------------------------------------------------------- the cone */

/* How far the ball's x axis leaves the frame's, and the ball its place at birth, in 2 s of
 * MuJoCo. */
static void swing_out(const struct tree_scene *s, double *swing, double *turn)
{
    struct peer peer;
    peer_open(&peer, s, 1e-3);
    *swing = *turn = 0;
    for (int i = 0; i < 2000; i++) {
        mj_step(peer.model, peer.data);
        const mjtNum *q = peer.data->qpos;
        struct quaternion ball = {q[0], q[1], q[3], -q[2]};
        *swing = fmax(*swing, joint_swing(ball));
        *turn = fmax(*turn, vec3_length(quaternion_log(ball)));
    }
    peer_close(&peer);
}

/* Both are held to 0.02 rad, since MuJoCo's limits are soft; without them it goes much farther. */
TEST(contact_solver_hold)
{
    struct tree_scene s = {.count = 0};
    double swing, turn, most = 2 * acos(cos(0.3) * cos(0.2));
    struct body_link *l = add_link(&s, -1, LINK_SPHERICAL);
    const double start[] = {1, 0, 0, 0}, spin[] = {1.5, 2, 1};
    memcpy(s.q, start, sizeof start);
    memcpy(s.qd, spin, sizeof spin);
    swing_out(&s, &swing, &turn);
    ck_assert_double_gt(swing, 1);
    l->cone_rad = 0.6;
    swing_out(&s, &swing, &turn);
    ck_assert_double_eq_tol(swing, 0.6, 0.02);
    ck_assert_double_gt(turn, 1);
    l->lower[0] = -0.4;
    l->upper[0] = 0.4;
    swing_out(&s, &swing, &turn);
    ck_assert_double_le(swing, 0.62);
    ck_assert_double_eq_tol(turn, most, 0.02);
}

int main(int argc, char **argv)
{
    prints_table = argc > 1 && strcmp(argv[1], "--table") == 0;
    return run_tests_or_table("space_mujoco", 120, setup, NULL, prints_table);
}

#endif
