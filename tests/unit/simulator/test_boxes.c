/* Creatures of boxes as physics sees them: both solvers move them alike; what they feel; guards,
 * overlap, and starts that are perturbed. That they move alike in a mirror, and turned about the
 * vertical, is in tests/oracle/test_spatial_mirror.c and test_spatial_alike.c; that they move as
 * their boxes do in another program, in test_mjcf.c and test_transfer.c. */
#include "common/creature/creature.h"
#include "common/math/detmath.h"
#include "common/growth/body.h"
#include "simulator/links/spatial_state.h"
#include "simulator/mind/senses.h"
#include "tests/plain_fixture.h"
#include "tests/quoted.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/random_genome.h"

enum { CREATURES = 20 };

/* The beginning of a creature's text. */
#define BOXES "{'format': 'bestiary-creature', 'version': 4, 'body': 'boxes',"

static struct phenotype phenotype;
static struct world world;

static void set_up(void)
{
    params_set_defaults(&params);
    params.creature_body = BODY_BOXES;
    arena_open(EVALUATE_ARENA_BYTES);
}

/* Grows a random creature and makes its world; 0 if it is none. */
static int grow(uint64_t id)
{
    SCOPED(genome) genome;
    arena_reset(&arena);
    random_genome(&genome, &params, RNG_TEST, 1, id);
    world_init(&world, &params, BODY_BOXES);
    return phenotype_express(&phenotype, &genome, &params, &arena) == VERDICT_OK;
}

/* The first after `id` that is one, grown; 0 after the last. */
static uint64_t next(uint64_t id)
{
    do
        id++;
    while (id <= CREATURES && !grow(id));
    return id <= CREATURES ? id : 0;
}

static struct dynamics *make(void)
{
    struct dynamics_settings settings = {.solver = params.simulation_solver,
                                         .dt_s = 1.0 / 240,
                                         .rtol = 1e-9,
                                         .servo_rad_s = params.creature_servo_rad_s,
                                         .joint_speed_rad_s = params.creature_joint_speed_rad_s,
                                         .joint_speed_m_s = params.creature_joint_speed_m_s,
                                         .hill_curvature = params.creature_hill_curvature};
    struct dynamics *dynamics = dynamics_create(&phenotype, &world, &settings, &arena);
    ck_assert_ptr_nonnull(dynamics);
    return dynamics;
}

static struct vec3 place_of(const struct dynamics *dynamics, int part)
{
    struct part_state s;
    dynamics_part_state(dynamics, part, &s);
    return s.at_m;
}

/* ---------------------------------------------------------------- both solvers */

/* Puts the root, the rest as at birth. */
static void put_root(struct dynamics *dynamics, double height, struct quaternion turn)
{
    double q[7 + 4 * PHENOTYPE_PARTS_MAX], qd[6 + 3 * PHENOTYPE_PARTS_MAX] = {0};
    const struct spatial_tree *tree = spatial_state_tree(spatial_state_of(dynamics));
    spatial_tree_birth(tree, q);
    q[1] = height;
    q[3] = turn.w;
    q[4] = turn.x;
    q[5] = turn.y;
    q[6] = turn.z;
    dynamics_set_state(dynamics, q, qd);
}

/* The places of all parts after limp motion from a state that turns, by the solver of the
 * parameters. */
static void move_limp(double time_s, struct vec3 *places)
{
    struct dynamics *dynamics = make();
    double qd[JOINT_RATES_MAX * PHENOTYPE_PARTS_MAX] = {0.3, 0.2, -0.1, 1, -2, 0.5};
    put_root(dynamics, 2, quaternion_exp((struct vec3){0.3, -0.2, 0.4}));
    dynamics_set_effectors(dynamics, EFFECTORS_SLACK);
    dynamics_set_state(dynamics, dynamics->q, qd);
    dynamics_reset_ledger(dynamics);
    for (int step = 0; step < 240 * time_s; step++)
        ck_assert_int_eq(dynamics_step(dynamics), 0);
    for (int i = 0; i < phenotype.part_count; i++)
        places[i] = place_of(dynamics, i);
    if (params.simulation_solver == SOLVER_CONSTRAINT)
        ck_assert_double_le(fabs(dynamics_ledger(dynamics)->residual_j), 1e-6);
}

/* The reference solver shares no equation of motion with the other one; limits are met on the
 * way. */
TEST(both_solvers_move_a_creature_alike)
{
    static struct vec3 places[SOLVER_COUNT][PHENOTYPE_PARTS_MAX];
    int count = 0;
    set("world.preset=water");
    for (uint64_t id = 1; id <= CREATURES; id++) {
        if (!grow(id) || phenotype.part_count > 5)
            continue;
        for (int solver = SOLVER_ARTICULATED; solver <= SOLVER_CONSTRAINT; solver++) {
            params.simulation_solver = solver;
            move_limp(0.1, places[solver]);
        }
        for (int i = 0; i < phenotype.part_count; i++) {
            struct vec3 off = vec3_sub(places[SOLVER_CONSTRAINT][i], places[SOLVER_ARTICULATED][i]);
            ck_assert_msg(vec3_length(off) < 2e-3, "creature %d: part %d is %g m off", (int)id, i,
                          vec3_length(off));
        }
        count++;
    }
    ck_assert_int_gt(count, 3);
}

/* ---------------------------------------------------------------- senses */

/* A box with a small one on a face of it, which a joint joins, maybe as its mirror image. */
static void make_pair(struct genome *genome, int face, int joint, int is_mirrored)
{
    genome_init(genome);
    genome->kind = BODY_BOXES;
    genome->root = 1;
    for (int i = 0; i < 2; i++) {
        struct body_gene *body = genome_add(genome, GENOME_BODIES);
        *body = (struct body_gene){.id = (gene_id)i + 1,
                                   .width_m = i == 0 ? 0.5 : 0.1,
                                   .height_m = i == 0 ? 0.4 : 0.1,
                                   .box = {.depth_m = i == 0 ? 0.3 : 0.1},
                                   .joint = joint,
                                   .lower = -1,
                                   .upper = 1,
                                   .recursive_limit = 1};
        if (i == 1) {
            body->has_effector = 1;
            body->effector_strength = 1;
            body->effector_input = (struct input_gene){.kind = INPUT_CONSTANT};
        }
        for (int k = 0; i == 1 && k < genome_drive_count(body); k++)
            body->drives[k] = body->effector_input;
        if (joint == JOINT_UNIVERSAL || joint == JOINT_SPHERICAL)
            body->box.upper_2 = 1;
        if (joint == JOINT_UNIVERSAL)
            body->box.lower_2 = -1;
    }
    struct connection_gene *connection = genome_add(genome, GENOME_CONNECTIONS);
    *connection = (struct connection_gene){.id = 10,
                                           .from = 1,
                                           .to = 2,
                                           .parent_face = face,
                                           .child_face = FACE_LEFT,
                                           .scale = 1,
                                           .is_reflected = is_mirrored};
}

static void grow_pair(int face, int joint, int is_mirrored)
{
    SCOPED(genome) genome;
    arena_reset(&arena);
    make_pair(&genome, face, joint, is_mirrored);
    ck_assert_int_eq(phenotype_express(&phenotype, &genome, &params, &arena), VERDICT_OK);
    world_init(&world, &params, BODY_BOXES);
    ck_assert_int_eq(phenotype.parts[1].mirror, is_mirrored ? -1 : 1);
}

static const double *feel(struct dynamics *dynamics, struct senses *senses, struct light *light)
{
    struct surroundings around = {
        .seen[SIGHT_LIGHT] = {light->kind != LIGHT_NONE, light->at, light->brightness},
        .gravity_m_s2 = {0, -9.81, 0},
        .tick_s = 1.0 / 60};
    ck_assert_int_eq(senses_create(senses, &phenotype, &params, &arena), 0);
    senses_read(senses, dynamics, &around);
    return senses->values;
}

/* A turn that takes a face of a part whose axes are the world's down. */
static struct quaternion face_down(int face)
{
    static const struct vec3 vectors[FACE_COUNT] = {
        [FACE_RIGHT] = {0, 0, -1}, [FACE_TOP] = {2, 0, 0},   [FACE_LEFT] = {0, 0, 1},
        [FACE_BOTTOM] = {0, 0, 0}, [FACE_FRONT] = {1, 0, 0}, [FACE_BACK] = {-1, 0, 0}};
    return quaternion_exp(vec3_scale(vectors[face], DET_PI / 2));
}

static int opposite(int face)
{
    static const int faces[FACE_COUNT] = {
        [FACE_RIGHT] = FACE_LEFT, [FACE_TOP] = FACE_BOTTOM, [FACE_LEFT] = FACE_RIGHT,
        [FACE_BOTTOM] = FACE_TOP, [FACE_FRONT] = FACE_BACK, [FACE_BACK] = FACE_FRONT};
    return faces[face];
}

TEST_LOOP(the_face_that_it_stands_on_feels_contact, 0, FACE_COUNT)
{
    struct senses senses;
    struct light light = {.kind = LIGHT_NONE};
    grow_pair(opposite(_i), JOINT_REVOLUTE, 0);
    struct dynamics *dynamics = make();
    struct vec3 low, high;
    put_root(dynamics, 0, face_down(_i));
    dynamics_bounds(dynamics, &low, &high);
    dynamics_shift(dynamics, (struct vec3){0, -low.y, 0});
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(dynamics_step(dynamics), 0);
    const double *felt = feel(dynamics, &senses, &light);
    for (int k = 0; k < FACE_COUNT; k++) {
        ck_assert_double_eq(felt[face_sensors[k]], k == _i ? 1 : -1);
        ck_assert_double_eq(felt[SENSOR_COUNT + face_sensors[k]], -1);
    }
}

/* A mirrored part that lies on its front in the world lies on the back of its genes. */
TEST_LOOP(a_mirrored_part_feels_in_the_axes_of_its_genes, 0, 2)
{
    struct senses senses;
    struct light light = {.kind = LIGHT_STILL, .at = {3, 1, -2}, .brightness = 2};
    set("sensor.light=yes");
    grow_pair(FACE_TOP, JOINT_REVOLUTE, _i);
    struct dynamics *dynamics = make();
    put_root(dynamics, 5, quaternion_exp((struct vec3){0.5, -0.3, 0.2}));
    const double *felt = feel(dynamics, &senses, &light) + SENSOR_COUNT;
    struct vec3 at = place_of(dynamics, 1), way = vec3_sub(light.at, at);
    struct mat3 turn = quaternion_matrix(dynamics_part_turn(dynamics, 1));
    struct vec3 ray = vec3_scale(mat3_back(&turn, way), 1 / vec3_length(way));
    ck_assert_double_eq_tol(felt[SENSOR_LIGHT_ALONG], ray.x, 1e-12);
    ck_assert_double_eq_tol(felt[SENSOR_LIGHT_ACROSS], ray.y, 1e-12);
    ck_assert_double_eq_tol(felt[SENSOR_LIGHT_THROUGH], _i ? -ray.z : ray.z, 1e-12);
    ck_assert_double_eq_tol(felt[SENSOR_LIGHT_LEVEL], 2 / (1 + vec3_dot(way, way)), 1e-12);
    ck_assert_double_eq_tol(felt[SENSOR_HEIGHT], at.y, 1e-12);
}

TEST(every_freedom_is_felt)
{
    static const enum sensor values[] = {SENSOR_JOINT, SENSOR_JOINT_2, SENSOR_JOINT_3};
    static const enum sensor rates[] = {SENSOR_JOINT_RATE, SENSOR_JOINT_RATE_2,
                                        SENSOR_JOINT_RATE_3};
    static const int joints[] = {JOINT_REVOLUTE, JOINT_UNIVERSAL, JOINT_SPHERICAL};
    struct senses senses;
    struct light light = {.kind = LIGHT_NONE};
    for (int j = 0; j < 3; j++)
        for (int is_mirrored = 0; is_mirrored < 2; is_mirrored++) {
            grow_pair(FACE_TOP, joints[j], is_mirrored);
            struct dynamics *dynamics = make();
            const struct body_link *link = &phenotype.body->links[1];
            ck_assert_int_eq(body_freedoms(link), j + 1);
            for (int step = 0; step < 40; step++) {
                for (int k = 0; k <= j; k++)
                    dynamics_set_target(dynamics, k, 0.2 * (k + 1), 0);
                ck_assert_int_eq(dynamics_step(dynamics), 0);
            }
            const double *felt = feel(dynamics, &senses, &light) + SENSOR_COUNT;
            for (int k = 0; k <= j; k++) {
                struct drive_state state;
                dynamics_drive_state(dynamics, k, &state);
                ck_assert_double_gt(state.value, 0.01);
                ck_assert_double_eq(felt[values[k]], link->sign[k] * state.value);
                ck_assert_double_eq(felt[rates[k]], link->sign[k] * state.rate);
                ck_assert_double_eq(dynamics->drive_rates[k], state.rate);
            }
            for (int k = j + 1; k < 3; k++)
                ck_assert_double_eq(felt[values[k]], 0);
        }
}

/* ---------------------------------------------------------------- guards */

static void evaluate_random(uint64_t id, struct evaluation *result)
{
    SCOPED(genome) genome;
    random_genome(&genome, &params, RNG_TEST, 1, id);
    evaluate(&genome, &params, id, &arena, NULL, NULL, result);
}

/* Turning about any axis counts, and not only about z. */
TEST_LOOP(what_spins_is_seen, 0, 4)
{
    static const char *const guards[] = {"guard.turn_rad=0.0001", "guard.speed_m_s=0.001",
                                         "guard.mass_ratio=1.0001", "guard.motionless_m=9"};
    static const int verdicts[] = {VERDICT_SPINNING, VERDICT_TOO_FAST, VERDICT_UNBALANCED,
                                   VERDICT_MOTIONLESS};
    int seen = 0;
    set("simulation.duration_s=3", guards[_i]);
    for (uint64_t id = 1; id <= CREATURES; id++) {
        struct evaluation result;
        evaluate_random(id, &result);
        seen += result.verdict == verdicts[_i];
    }
    ck_assert_msg(seen > CREATURES / 3, "%s: %d", guards[_i], seen);
}

/* Joints stay within their limits, the whole turns by no more than it may, and each number is
 * another start. */
TEST(a_perturbed_start_is_near)
{
    for (uint64_t id = next(0); id; id = next(id)) {
        const struct body *body = phenotype.body;
        struct dynamics *dynamics = make();
        struct rng rng = test_rng(id, 0, 1);
        struct vec3 turned = {rng_uniform(&rng, -0.1, 0.1), rng_uniform(&rng, -0.1, 0.1),
                              rng_uniform(&rng, -0.1, 0.1)};
        physics_of(&phenotype)->perturb(dynamics, &phenotype, turned, &rng, 0.1);
        struct vec3 turn = quaternion_log(dynamics_part_turn(dynamics, 0));
        ck_assert(vec3_length(turn) > 0 && vec3_length(turn) < 0.1 * 1.74);
        for (int i = 1; i < phenotype.body->link_count; i++)
            for (int k = 0; k < body_freedoms(&body->links[i]); k++) {
                const struct body_link *link = &body->links[i];
                struct drive_state state;
                dynamics_drive_state(dynamics, link->first_drive + k, &state);
                ck_assert_double_lt(fabs(state.value), 0.18);
                if (link->kind != LINK_SPHERICAL)
                    ck_assert(state.value >= link->lower[k] && state.value <= link->upper[k]);
            }
    }
}

/* ---------------------------------------------------------------- neighbours */

static void read_quoted(struct creature *creature, const char *text)
{
    FREED char *json = quoted(text);
    ck_ok(creature_decode(creature, json, strlen(json), "json", &error));
}

/* A lid on a hinge in the middle of a trunk's top, which a muscle pulls to the side. */
static const char lid[] =
    BOXES " 'bodies': [{'id': 1, 'width_m': 0.4, 'height_m': 0.4, 'depth_m': 0.4}, {'id': 2, "
          "'width_m': 0.3, 'height_m': 0.05, 'depth_m': 0.3, 'joint': 'revolute', 'limits_rad': "
          "[-3, 3], 'effector': {'input': 3}}], 'connections': [{'id': 3, 'from': 1, 'to': 2, "
          "'parent_face': 'top', 'child_face': 'left'}]}";

/* How far it turns, rad. */
static double close_lid(void)
{
    SCOPED(creature) creature;
    struct drive_state state;
    read_quoted(&creature, lid);
    arena_reset(&arena);
    ck_assert_int_eq(phenotype_express(&phenotype, &creature.genome, &params, &arena), VERDICT_OK);
    world_init(&world, &params, BODY_BOXES);
    struct dynamics *dynamics = make();
    dynamics_set_target(dynamics, 0, 3, 0);
    for (int step = 0; step < 240; step++)
        ck_assert_int_eq(dynamics_step(dynamics), 0);
    dynamics_drive_state(dynamics, 0, &state);
    return state.value;
}

/* The near edge of its far half comes down first, 0.15 m from the hinge and half a thickness
 * below. */
TEST_LOOP(a_lid_closes_on_its_trunk, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    double closed_rad = atan2(0.15, 0.025);
    set("world.gravity_m_s2=0", "world.ground=no");
    params.simulation_solver = _i;
    set("boxes.neighbours=auto");
    ck_assert_double_eq_tol(close_lid(), closed_rad, 1e-4);
    set("boxes.neighbours=pass");
    ck_assert_double_gt(close_lid(), 2.5);
}

/* ---------------------------------------------------------------- gaits */

static struct measures measure_creature(const struct creature *creature)
{
    struct evaluation result;
    evaluate(&creature->genome, &params, 1, &arena, NULL, NULL, &result);
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    return result.measures;
}

static struct measures measure_example(const char *path)
{
    SCOPED(creature) creature;
    ck_ok(creature_read(&creature, path, &error));
    return measure_creature(&creature);
}

/* One that trots on four legs, by oscillators of 1.8 Hz, and one that lies on the ground and beats
 * with its wings. */
TEST(a_gait_is_measured)
{
    set("world.preset=land", "simulation.duration_s=5");
    struct measures trot = measure_example("examples/creatures/quadruped.json");
    struct measures ray = measure_example("examples/creatures/ray.json");
    ck_assert_double_lt(trot.slip_share, 0.1);
    ck_assert_double_eq(trot.belly_share, 0);
    ck_assert_double_eq(trot.feet, 4);
    ck_assert_double_eq_tol(trot.stride_hz, 1.8, 0.21); /* of a whole number of swings */
    ck_assert_double_eq_tol(trot.stride_m * trot.stride_hz * trot.time_s, trot.distance_m, 1e-9);
    ck_assert_double_gt(ray.slip_share, 1);
    ck_assert_double_gt(ray.belly_share, 0.3);
    ck_assert_double_lt(ray.belly_share, 0.6);
    ck_assert_double_eq(ray.pairs, 3);
}

static struct measures measure_json(const char *text)
{
    SCOPED(creature) creature;
    read_quoted(&creature, text);
    return measure_creature(&creature);
}

/* A trunk with a hat, which a limb of two segments drags along: the body whose root is `root`. */
static struct measures crawl(int root, const char *hat_joint)
{
    return measure_json(printed(
        BOXES
        " 'root': %d, 'bodies': [{'id': 1, 'width_m': 0.1, 'height_m': 0.1, 'depth_m': 0.1, "
        "'joint': 'rigid'}, {'id': 2, 'width_m': 0.6, 'height_m': 0.1, 'depth_m': 0.3, 'joint': "
        "'rigid'}, {'id': 3, 'width_m': 0.4, 'height_m': 0.06, 'depth_m': 0.2, 'joint': "
        "'revolute', 'limits_rad': [-1.5, 1.5], 'effector': {'input': {'neuron': 1}}}, {'id': 4, "
        "'width_m': 0.4, 'height_m': 0.06, 'depth_m': 0.2, 'joint': 'revolute', 'limits_rad': "
        "[-1.5, 1.5], 'effector': {'input': {'neuron': 2}}}], 'connections': [{'id': 1, %s}, "
        "{'id': 11, 'from': 2, 'to': 3, 'parent_face': 'right'}, {'id': 12, 'from': 3, 'to': 4, "
        "'parent_face': 'right'}], 'neurons': [{'id': 1, 'in': 3, 'function': 'oscillate-wave', "
        "'inputs': [2, 0.9, 0.1]}, {'id': 2, 'in': 4, 'function': 'oscillate-wave', 'inputs': [2, "
        "0.8, -0.7], 'initial': 0.23}]}",
        root, hat_joint));
}

/* The trunk is the belly, be it the root or the hat. */
TEST(the_belly_is_no_matter_of_the_root)
{
    set("world.preset=land", "simulation.duration_s=5");
    struct measures trunk =
        crawl(2, "'from': 2, 'to': 1, 'parent_face': 'top', 'child_face': 'bottom'");
    struct measures hat =
        crawl(1, "'from': 1, 'to': 2, 'parent_face': 'bottom', 'child_face': 'top'");
    ck_assert_double_gt(trunk.belly_share, 0.5);
    ck_assert_double_lt(trunk.belly_share, 1);
    ck_assert_double_eq_tol(hat.belly_share, trunk.belly_share, 0.02);
    ck_assert_double_eq(trunk.feet, 1);
    ck_assert_double_eq(hat.feet, 1);
    /* the hat does nothing, unless it carries the others */
    ck_assert_double_eq(trunk.idle_share, 0.25);
    ck_assert_double_eq(hat.idle_share, 0);
    /* its head is the last segment, ahead of it: it pulls itself there, or pushes itself back */
    ck_assert_double_gt(fabs(trunk.head_first), 0.3);
    ck_assert_int_eq(trunk.head_first > 0, trunk.way_x_m > 0);
}

/* A block that lies, with a small one on its end: the block is belly, be it the root or not. */
TEST_LOOP(of_two_parts_the_heavier_is_belly, 1, 3)
{
    set("world.preset=land", "creature.parts_min=1", "simulation.duration_s=1");
    struct measures pair = measure_json(
        printed(BOXES " 'root': %d, 'bodies': [{'id': 1, 'width_m': 0.6, 'height_m': 0.2, "
                      "'depth_m': 0.4}, {'id': 2, 'width_m': 0.1, 'height_m': 0.1, 'depth_m': "
                      "0.1}], 'connections': [{'id': 1, 'from': %d, 'to': %d}]}",
                _i, _i, 3 - _i));
    ck_assert_double_gt(pair.belly_share, 0.8);
    ck_assert_double_eq(pair.feet, 0);
}

/* It has no limb. */
TEST(a_body_of_one_part_is_all_belly)
{
    set("world.preset=land", "creature.parts_min=1", "simulation.duration_s=1");
    struct measures block = measure_json(
        BOXES " 'bodies': [{'id': 1, 'width_m': 0.4, 'height_m': 0.4, 'depth_m': 0.4}]}");
    ck_assert_double_eq(block.belly_share, 1);
    ck_assert_double_eq(block.feet, 0);
}

SUITE("boxes", 60, set_up, NULL)
