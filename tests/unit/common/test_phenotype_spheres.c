/* Growth and senses of spheres and bones: bodies of hand-made genes, values felt while they move;
 * and brains that evolve alone where that is wanted. */
#include "common/creature/creature.h"
#include "controller/evolution/breeding.h"
#include "common/genetics/genetics.h"
#include "common/growth/sphere_body.h"
#include "tests/unit/grown_fixture.h"
#include "simulator/evaluate/evaluate.h"

static struct phenotype phenotype;
static const struct sphere_body *body;

static void set_up(void)
{
    grown_set_up(BODY_SPHERES);
}

static struct body_gene *add_sphere(double radius_m)
{
    struct body_gene *gene = grown_body(JOINT_FREE);
    gene->sphere.radius_m = radius_m;
    gene->sphere.friction = 1;
    return gene;
}

static struct connection_gene *join(gene_id from, gene_id to, double length_m, double angle_rad,
                                    double tilt_rad)
{
    struct connection_gene *gene = grown_connection(from, to);
    gene->bone.length_m = length_m;
    gene->angle_rad = angle_rad;
    gene->bone.tilt_rad = tilt_rad;
    return gene;
}

static struct connection_gene *brace(gene_id from, gene_id to, int kind)
{
    struct connection_gene *gene = join(from, to, 0, 0, 0);
    gene->brace = (uint8_t)kind;
    return gene;
}

/* Balls, then rods as long as their ends are apart. */
static void check_shapes(void)
{
    ck_assert_int_eq(phenotype.shape_count, body->sphere_count + body->bone_count);
    for (int i = 0; i < phenotype.shape_count; i++) {
        const struct shape *shape = &phenotype.shapes[i];
        const struct vec3 *at = &phenotype.parts[shape->part].centre;
        if (i < body->sphere_count) {
            ck_assert(shape->kind == SHAPE_BALL && shape->part == i);
            ck_assert(shape->half_m.z == body->spheres[i].radius_m);
            ck_assert(at->z == body->spheres[i].centre.z);
            continue;
        }
        const struct bone *bone = &body->bones[i - body->sphere_count];
        double apart = vec3_length(vec3_sub(phenotype.parts[shape->other].centre, *at));
        ck_assert(shape->kind == SHAPE_ROD && shape->part == bone->a && shape->other == bone->b);
        ck_assert_double_eq_tol(2 * shape->half_m.x, apart, 1e-12);
        ck_assert_int_eq(shape->drive >= 0, bone->is_muscle);
        if (shape->drive >= 0)
            ck_assert_int_eq(body->drives[shape->drive].index, i - body->sphere_count);
    }
}

static void express(void)
{
    arena_reset(&arena);
    ck_ok(genome_check(&genome, &error));
    ck_assert_int_eq(phenotype_express(&phenotype, &genome, &params, &arena), VERDICT_OK);
    body = sphere_body_of(&phenotype);
    ck_assert_ptr_nonnull(body);
    ck_assert_int_eq(body->sphere_count, phenotype.part_count);
    ck_assert_int_eq(body->drive_count, phenotype.effector_count);
    ck_assert_ptr_null(phenotype.body);
    check_shapes();
}

static void assert_at(int sphere, double x, double y, double z)
{
    struct vec3 at = body->spheres[sphere].centre;
    ck_assert_xyz(at, x, y, z, 1e-12);
}

static int has_bone(int a, int b)
{
    for (int i = 0; i < body->bone_count; i++)
        if ((body->bones[i].a == a && body->bones[i].b == b) ||
            (body->bones[i].a == b && body->bones[i].b == a))
            return 1;
    return 0;
}

/* ---- places ---- */

TEST(bones_lead_where_their_angles_say)
{
    add_sphere(0.1);
    add_sphere(0.2);
    add_sphere(0.05)->is_head = 1;
    join(1, 2, 0.5, acos(-1) / 2, 0);
    join(2, 3, 0.25, 0, acos(-1) / 6);
    express();
    assert_at(0, 0, 0, 0);
    assert_at(1, 0, 0.5, 0);
    // on from there: ahead is up, sideways is still z
    assert_at(2, 0, 0.5 + 0.25 * sqrt(0.75), 0.125);
    ck_assert_int_eq(body->bone_count, 2);
    ck_assert_double_eq_tol(body->bones[1].length_m, 0.25, 1e-12);
    ck_assert_int_eq(body->bones[1].is_muscle, 0);
    ck_assert_double_eq_tol(body->spheres[1].mass_kg, 150 * 4.0 / 3 * acos(-1) * 0.008, 1e-9);
    ck_assert_int_eq(phenotype.head, 2);
    ck_assert_double_eq_tol(phenotype.parts[1].width_m, 0.4, 1e-12);
}

TEST(images_are_exact_mirror_images)
{
    static const struct {
        int symmetry;
        double x, y, z; /* signs of the image's place */
    } cases[] = {
        {SYMMETRY_SIDES, 1, 1, -1}, {SYMMETRY_ENDS, -1, 1, 1}, {SYMMETRY_LEVELS, 1, -1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        grown_tear_down();
        set_up();
        add_sphere(0.1);
        add_sphere(0.1)->is_symmetric = (uint8_t)cases[i].symmetry;
        struct body_gene *foot = add_sphere(0.1);
        foot->joint = JOINT_HINGE;
        foot->lower = -0.2;
        foot->upper = 0.7;
        join(1, 2, 0.5, 0.3, 0.6);
        join(1, 2, 0.9, 1, 1); // its own numbers do not count
        join(2, 3, 0.3, -1.1, 0.4);
        express();
        // depth first: limb, foot, image, its foot
        ck_assert_int_eq(body->sphere_count, 5);
        for (int k = 1; k <= 2; k++) {
            struct vec3 at = body->spheres[k].centre, image = body->spheres[k + 2].centre;
            ck_assert(image.x == cases[i].x * at.x && image.y == cases[i].y * at.y &&
                      image.z == cases[i].z * at.z);
        }
        ck_assert_int_eq(phenotype.parts[1].mirror, 1);
        ck_assert_int_eq(phenotype.parts[4].mirror, -1);
        // turns about a mirrored axis go the other way, so the axis is turned round and limits stay
        ck_assert_int_eq(body->joint_count, 2);
        ck_assert(body->joints[1].axis.x == -cases[i].x * body->joints[0].axis.x);
        ck_assert(body->joints[1].axis.y == -cases[i].y * body->joints[0].axis.y);
        ck_assert(body->joints[1].axis.z == -cases[i].z * body->joints[0].axis.z);
        ck_assert(body->joints[1].lower[0] == -0.2 && body->joints[1].upper[0] == 0.7);
    }
}

TEST(recursion_scales_and_ends)
{
    add_sphere(0.2)->recursive_limit = 4;
    add_sphere(0.1);
    join(1, 1, 0.4, 0, 0)->scale = 0.5;
    join(1, 2, 0.3, 1, 0)->is_terminal_only = 1;
    set("spheres.bone_min_m=0.06", "spheres.radius_min_m=0.03");
    express();
    ck_assert_int_eq(body->sphere_count, 5);
    assert_at(1, 0.2, 0, 0);
    assert_at(2, 0.3, 0, 0);
    assert_at(3, 0.36, 0, 0); // 0.05 is too short
    ck_assert(body->spheres[2].radius_m == 0.05);
    ck_assert(body->spheres[3].radius_m == 0.03);
    ck_assert_uint_eq(phenotype.parts[4].body, 2);
    set("creature.parts_max=3");
    express();
    ck_assert_int_eq(body->sphere_count, 3);
}

TEST(a_plane_has_no_third_dimension)
{
    add_sphere(0.1);
    struct body_gene *limb = add_sphere(0.1);
    limb->is_symmetric = SYMMETRY_SIDES;
    limb->joint = JOINT_HINGE;
    limb->sphere.axis_rad = 1;
    join(1, 2, 0.5, 0.3, 0.6);
    join(1, 2, 0.5, 0.3, 0.6);
    set("spheres.dimensions=2");
    express();
    for (int i = 0; i < 3; i++)
        ck_assert(body->spheres[i].centre.z == 0);
    ck_assert(body->spheres[2].centre.x == -body->spheres[1].centre.x);
    ck_assert(fabs(body->joints[0].axis.z) == 1);
}

/* ---- braces ---- */

/* A trunk with a pair of limbs of two spheres each. */
static void make_limbs(void)
{
    add_sphere(0.1);
    add_sphere(0.1)->is_symmetric = SYMMETRY_SIDES;
    add_sphere(0.1);
    join(1, 2, 0.3, -0.5, 0.8);
    join(1, 2, 0.3, 0, 0);
    join(2, 3, 0.3, 0.5, 0);
}

/* A pair that one connection grew is a pair for braces, and so is what hangs on it. */
TEST(braces_find_twins)
{
    add_sphere(0.1);
    add_sphere(0.1)->is_symmetric = SYMMETRY_SIDES;
    add_sphere(0.1);
    join(1, 2, 0.3, -0.5, 0.8);
    join(2, 3, 0.3, 0.5, 0);
    set("creature.twins=yes");
    brace(3, 3, BRACE_TWIN);
    brace(2, 2, BRACE_TWIN);
    express();
    ck_assert_int_eq(body->sphere_count, 5);
    ck_assert_int_eq(body->bone_count, 6);
    ck_assert(has_bone(1, 2) && has_bone(3, 4));
    ck_assert(body->spheres[2].centre.x == body->spheres[1].centre.x);
    ck_assert(body->spheres[2].centre.z == -body->spheres[1].centre.z);
}

TEST(braces_find_their_ends)
{
    static const struct {
        gene_id from, to;
        int kind, bones[4]; /* pairs that are joined besides the tree; -1: none */
    } cases[] = {{3, 1, BRACE_ANCESTOR, {2, 0, 4, 0}},    {3, 2, BRACE_ANCESTOR, {-1, -1, -1, -1}},
                 {3, 3, BRACE_TWIN, {2, 4, -1, -1}},      {2, 2, BRACE_SIBLING, {1, 3, -1, -1}},
                 {3, 3, BRACE_SIBLING, {-1, -1, -1, -1}}, {3, 2, BRACE_TWIN, {-1, -1, -1, -1}},
                 {3, 2, BRACE_NEAREST, {2, 3, 4, 1}},     {1, 3, BRACE_NEAREST, {0, 2, -1, -1}},
                 {1, 1, BRACE_NEAREST, {-1, -1, -1, -1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int wanted = 4;
        grown_tear_down();
        set_up();
        make_limbs();
        brace(cases[i].from, cases[i].to, cases[i].kind);
        express();
        ck_assert_int_eq(body->sphere_count, 5);
        for (int k = 0; k < 4; k += 2) {
            if (cases[i].bones[k] < 0)
                continue;
            wanted++;
            ck_assert_msg(has_bone(cases[i].bones[k], cases[i].bones[k + 1]), "case %zu", i);
        }
        ck_assert_msg(body->bone_count == wanted, "case %zu: %d bones", i, body->bone_count);
        for (int k = 4; k < body->bone_count; k++) {
            struct vec3 a = body->spheres[body->bones[k].a].centre;
            struct vec3 b = body->spheres[body->bones[k].b].centre;
            double apart = sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) +
                                (a.z - b.z) * (a.z - b.z));
            ck_assert_double_eq_tol(body->bones[k].length_m, apart, 1e-12);
        }
    }
}

/* Siblings close a ring; no two bones join the same two; spheres.bones_max bounds braces alone. */
TEST(rings_close_once)
{
    add_sphere(0.1);
    add_sphere(0.1);
    for (int i = 0; i < 5; i++)
        join(1, 2, 0.5, 1.2 * i, 0);
    brace(2, 2, BRACE_SIBLING);
    brace(2, 2, BRACE_SIBLING);
    express();
    ck_assert_int_eq(body->bone_count, 10);
    for (int i = 0; i < 5; i++)
        ck_assert(has_bone(1 + i, 1 + (i + 1) % 5));
    set("spheres.bones_max=7");
    express();
    ck_assert_int_eq(body->bone_count, 7);
    set("spheres.bones_max=1");
    express();
    ck_assert_int_eq(body->bone_count, 5);
}

/* ---- muscles and joints ---- */

TEST(muscles_have_range_rate_and_strength)
{
    add_sphere(0.1);
    struct body_gene *limb = add_sphere(0.05);
    struct connection_gene *bone = join(1, 2, 0.5, 0, 0);
    bone->bone.gain = -0.5;
    bone->bone.shortest = 0.6;
    bone->bone.longest = 1.2;
    bone->bone.rate_1_s = 3;
    express();
    // without an effector it is a bone
    ck_assert_int_eq(body->bones[0].is_muscle, 0);
    ck_assert_int_eq(body->drive_count, 0);
    limb->has_effector = 1;
    limb->effector_strength = 0.25;
    limb->effector_input = (struct input_gene){.value = 0.5, .weight = 1};
    express();
    const struct bone *muscle = &body->bones[0];
    ck_assert_int_eq(muscle->is_muscle, 1);
    ck_assert_double_eq_tol(muscle->shortest_m, 0.3, 1e-12);
    ck_assert_double_eq_tol(muscle->longest_m, 0.6, 1e-12);
    ck_assert_double_eq_tol(muscle->rate_m_s, 1.5, 1e-12);
    ck_assert_double_eq_tol(muscle->strength_n, params.spheres_muscle_strength_n_m * 0.2 * 0.25,
                            1e-9);
    const struct sphere_drive *drive = &body->drives[0];
    ck_assert_int_eq(drive->kind, SPHERE_DRIVE_BONE);
    ck_assert_double_eq_tol(drive->unit, -0.5 * 0.4 * 0.5, 1e-12);
    ck_assert_double_eq_tol(drive->rest, 0.5, 1e-12);
    ck_assert(drive->low == muscle->shortest_m && drive->high == muscle->longest_m);
    const struct drive *common = &phenotype.drives[0];
    ck_assert(common->part == 1 && common->is_linear && common->strength == muscle->strength_n);
    ck_assert_double_eq_tol(common->least, -1, 1e-12); // a negative gain exchanges the ends
    ck_assert_double_eq_tol(common->most, 2, 1e-12);
    ck_assert_int_eq(phenotype.effectors[0].input.kind, WIRE_CONSTANT);
    ck_assert(phenotype.effectors[0].input.value == 0.5);
    set("spheres.muscle_speed_m_s=0.7");
    express();
    ck_assert(body->bones[0].rate_m_s == 0.7);
}

TEST(joints_hold_against_the_bone_before)
{
    make_limbs();
    struct body_gene *foot = &genome.bodies[2];
    foot->joint = JOINT_SADDLE;
    foot->lower = -0.3;
    foot->upper = 0.4;
    foot->sphere.lower_2 = -0.1;
    foot->sphere.upper_2 = 0.2;
    foot->drive_strength = 0.5;
    foot->drives[1] = (struct input_gene){.value = 0.1, .weight = 2};
    foot->sensors = SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_2);
    genome.bodies[1].joint = JOINT_BALL;
    genome.bodies[1].upper = 0.6;
    genome.bodies[1].sensors = SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_2);
    genome.bodies[0].sensors = SENSOR_BIT(SENSOR_BONE) | SENSOR_BIT(SENSOR_HEIGHT);
    express();
    // the root's first child has nothing to be held against; its second has the first
    ck_assert_int_eq(body->joint_count, 3);
    const struct sphere_joint *first = &body->joints[0], *second = &body->joints[1];
    ck_assert_int_eq(first->kind, SPHERE_SADDLE);
    ck_assert(first->sphere == 1 && first->base == 0 && first->end == 2);
    ck_assert_int_eq(first->reference, 3);
    ck_assert(second->sphere == 0 && second->base == 1 && second->end == 3);
    ck_assert_int_eq(second->kind, SPHERE_BALL);
    ck_assert(second->upper[0] == 0.6 && second->strength_n_m == 0);
    ck_assert(first->lower[1] == -0.1 && first->upper[1] == 0.2);
    ck_assert_double_eq_tol(first->strength_n_m, 40 * 0.2 * 0.5, 1e-12);
    // axis and bone are at right angles
    struct vec3 a = body->spheres[1].centre, b = body->spheres[2].centre, n = first->axis;
    ck_assert_double_eq_tol((b.x - a.x) * n.x + (b.y - a.y) * n.y + (b.z - a.z) * n.z, 0, 1e-12);
    ck_assert_int_eq(body->drive_count, 4);
    ck_assert_int_eq(body->drives[1].axis, 1);
    ck_assert(body->drives[1].low == -0.1 && body->drives[1].high == 0.2);
    ck_assert_double_eq_tol(phenotype.effectors[1].input.value, 0.2, 1e-15);
    // what is not there is not felt
    ck_assert_uint_eq(phenotype.parts[0].sensors, SENSOR_BIT(SENSOR_HEIGHT));
    ck_assert_uint_eq(phenotype.parts[1].sensors, 0);
    ck_assert_uint_eq(phenotype.parts[3].sensors, SENSOR_BIT(SENSOR_JOINT));
    ck_assert_uint_eq(phenotype.parts[2].sensors,
                      SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_2));
}

/* ---- creatures made by hand ---- */

static void read_example(const char *name, struct creature *creature)
{
    const char *path = printed("examples/creatures/%s.json", name);
    ck_ok(creature_read(creature, path, &error));
    path = printed("examples/%s.ini", name);
    params_set_defaults(&params);
    ck_ok(params_read_file(&params, path, &error));
}

static const struct {
    const char *name;
    int spheres, bones;
} examples[] = {{"spider", 12, 24}, {"tripod", 4, 6}, {"caterpillar", 7, 11}, {"hopper", 5, 10}};

TEST_LOOP(examples_are_what_they_say, 0, (int)(sizeof examples / sizeof examples[0]))
{
    SCOPED(creature) creature;
    SCOPED(genome) collected;
    read_example(examples[_i].name, &creature);
    genome_deinit(&genome);
    ck_assert_int_eq(genome_copy(&genome, &creature.genome), 0);
    ck_assert_int_eq(genome_copy(&collected, &genome), 0);
    genome_collect_garbage(&collected);
    ck_assert(genome_is_equal(&collected, &genome));
    express();
    ck_assert_int_eq(body->sphere_count, examples[_i].spheres);
    ck_assert_int_eq(body->bone_count, examples[_i].bones);
    ck_assert_uint_ne(phenotype.parts[phenotype.head].sensors & SENSOR_BIT(SENSOR_HEIGHT), 0);
}

/* Every sensor shows what the dynamics say. */
static int feel(void *context, const struct evaluate_view *view)
{
    int *seen = context;
    for (int i = 0;
         i < view->phenotype->part_count && view->phase == PHASE_SCORE && view->time_s > 0; i++) {
        const double *felt = view->sensors + i * SENSOR_COUNT;
        ck_assert(felt[SENSOR_TOUCH] == 1 || felt[SENSOR_TOUCH] == -1);
        seen[0] |= felt[SENSOR_TOUCH] > 0 ? 1 : 2;
        seen[1] |= fabs(felt[SENSOR_BONE]) > 0.02;
        seen[2] |= fabs(felt[SENSOR_JOINT]) > 0.02;
        seen[3] |= felt[SENSOR_HEIGHT] > 0.1;
        ck_assert(i > 0 || (felt[SENSOR_BONE] == 0 && felt[SENSOR_JOINT] == 0));
        ck_assert(felt[SENSOR_CONTACT_TOP] == 0 && felt[SENSOR_LIGHT_LEVEL] == 0);
    }
    return view->phase == PHASE_SCORE && view->time_s > 1;
}

/* With their switches off. */
static int feel_nothing(void *context, const struct evaluate_view *view)
{
    for (int i = 0; i < view->phenotype->part_count; i++) {
        const double *felt = view->sensors + i * SENSOR_COUNT;
        ck_assert(felt[SENSOR_TOUCH] == 0 && felt[SENSOR_BONE] == 0);
        ck_assert(felt[SENSOR_BONE_RATE] == 0 && felt[SENSOR_HEIGHT] == 0);
    }
    return view->phase == PHASE_SCORE && view->time_s > 0.5;
}

TEST(senses_feel_the_body)
{
    SCOPED(creature) creature;
    struct evaluation evaluation;
    int seen[4] = {0};
    read_example("spider", &creature);
    evaluate(&creature.genome, &params, 1, &arena, feel, seen, &evaluation);
    ck_assert_int_eq(seen[0], 3);
    ck_assert(seen[1] && seen[2] && seen[3]);
    set("spheres.sensor_bone=no", "sensor.height=no", "sensor.contact=no");
    evaluate(&creature.genome, &params, 1, &arena, feel_nothing, NULL, &evaluation);
}

/* ---- brains alone ---- */

static int is_same_body(const struct genome *a, const struct genome *b)
{
    if (a->body_count != b->body_count || a->connection_count != b->connection_count)
        return 0;
    for (int i = 0; i < a->body_count; i++) {
        const struct body_gene *p = &a->bodies[i], *q = &b->bodies[i];
        if (p->id != q->id || p->joint != q->joint || p->lower != q->lower ||
            p->upper != q->upper || p->is_symmetric != q->is_symmetric ||
            p->recursive_limit != q->recursive_limit || p->has_effector != q->has_effector ||
            p->sphere.radius_m != q->sphere.radius_m || p->is_head != q->is_head)
            return 0;
    }
    for (int i = 0; i < a->connection_count; i++)
        if (memcmp(&a->connections[i].bone, &b->connections[i].bone,
                   sizeof a->connections[i].bone) ||
            a->connections[i].to != b->connections[i].to)
            return 0;
    return 1;
}

TEST(bodies_stay_where_only_brains_evolve)
{
    SCOPED(creature) creature;
    struct genome pool[4];
    struct rng rng;
    int different = 0;
    read_example("spider", &creature);
    ck_assert_int_eq(params.mutation_body, 0);
    for (int i = 0; i < 4; i++) {
        struct gene_counter ids = {.creature = (uint64_t)i + 1};
        rng_init(&rng, 1, RNG_TEST, 0, (uint64_t)i);
        ck_assert_int_eq(genome_copy(&pool[i], &creature.genome), 0);
        ck_assert_int_eq(genetics_random_brain(&pool[i], &params, &rng, &ids), 0);
        ck_assert(is_same_body(&pool[i], &creature.genome));
        different += !genome_is_equal(&pool[i], &creature.genome);
    }
    ck_assert_int_eq(different, 4);
    for (int i = 0; i < 300; i++) {
        struct gene_counter ids = {.creature = (uint64_t)i + 10};
        struct genome child;
        char words[512];
        rng_init(&rng, 2, RNG_TEST, 0, (uint64_t)i);
        const struct genome *a = &pool[rng_below(&rng, 4)], *b = &pool[rng_below(&rng, 4)];
        ck_assert_int_eq(i % 2 ? genetics_crossover(&child, a, b, &params, &rng, &ids)
                               : genetics_graft(&child, a, b, &params, &rng, &ids),
                         0);
        ck_assert_int_eq(genetics_mutate(&child, 2, &params, &rng, &ids, words, (int)sizeof words),
                         0);
        ck_assert_msg(is_same_body(&child, &creature.genome), "%s", words);
        ck_ok(genome_check(&child, &error));
        genome_deinit(&pool[i % 4]);
        pool[i % 4] = child;
    }
    for (int i = 0; i < 4; i++)
        genome_deinit(&pool[i]);
}

/* Where none is fit, new ones have the body of another; where bodies evolve, any. */
TEST(who_comes_afresh_keeps_the_body)
{
    struct individual base = {.id = 3}, child = {.id = 4};
    SCOPED(creature) creature;
    read_example("hopper", &creature);
    ck_assert_int_eq(genome_copy(&base.genome, &creature.genome), 0);
    ck_assert_int_eq(breeding_make_fresh(&params, NULL, &base, &child), 0);
    ck_assert(is_same_body(&child.genome, &creature.genome));
    ck_assert(!genome_is_equal(&child.genome, &creature.genome));
    ck_assert_uint_eq(child.parents[0], 3);
    genome_deinit(&child.genome);
    /* so do all whom random search makes */
    struct population ranked = {.individuals = &base, .count = 1};
    for (int survivors = 0; survivors < 2; survivors++) {
        struct individual children[3] = {{.id = 5}, {.id = 6}, {.id = 7}};
        ck_assert_int_eq(search_random.next(&params, 1, &ranked, survivors, children, 3), 0);
        for (int i = 0; i < 3; i++) {
            ck_assert(is_same_body(&children[i].genome, &creature.genome));
            ck_assert(!genome_is_equal(&children[i].genome, &creature.genome));
            genome_deinit(&children[i].genome);
        }
    }
    params.mutation_body = 1;
    ck_assert_int_eq(breeding_make_fresh(&params, NULL, &base, &child), 0);
    ck_assert(!is_same_body(&child.genome, &creature.genome));
    ck_assert_int_eq(child.genome.kind, BODY_SPHERES);
    genome_deinit(&child.genome);
    genome_deinit(&base.genome);
}

/* Kinds of body do not mix: the child is a copy of the first parent. */
TEST(kinds_do_not_mate)
{
    struct gene_counter ids = {.creature = 9};
    struct genome a, b, child;
    struct rng rng = test_rng(1, 0, 0);
    ck_assert_int_eq(genetics_random(&a, &params, &rng, &ids), 0);
    params.creature_body = BODY_SPHERES;
    ck_assert_int_eq(genetics_random(&b, &params, &rng, &ids), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(i ? genetics_crossover(&child, &a, &b, &params, &rng, &ids)
                           : genetics_graft(&child, &a, &b, &params, &rng, &ids),
                         0);
        ck_assert(genome_is_equal(&child, &a));
        genome_deinit(&child);
    }
    genome_deinit(&a);
    genome_deinit(&b);
}

SUITE("phenotype_spheres", 60, set_up, grown_tear_down)
