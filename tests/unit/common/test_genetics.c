/* Genetics: what random genomes are like, mutation by mutation, crossover and grafting on marked
 * genes, and a long chain of random breedings in which every child must be sound.
 *
 * Statistical tests use fixed seeds, so they never flake; their bounds are 6.2 standard deviations
 * of the binomial distribution, so that a right program with other seeds would fail one in 1e9
 * times. checks: forked */
#include "common/genetics/genetics.h"

#include "common/genome/body_kind.h"
#include "common/creature/creature.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/counts.h"
#include "tests/set_param.h"
#include "tests/plain_fixture.h"

static struct rng rng;

/* The genome of a test, and as it was before a mutation. */
static struct genome genome, before;

static void set_up(void)
{
    params_set_defaults(&params);
    rng_init(&rng, 4242, RNG_TEST, 0, 0);
    genome_init(&genome);
    genome_init(&before);
}

static void tear_down(void)
{
    genome_deinit(&genome);
    genome_deinit(&before);
}

/* ---- helpers ---- */

/* A random genome with the genes of a creature of that number. */
static void make(struct genome *made, uint64_t creature)
{
    struct gene_counter ids = {.creature = creature};
    ck_assert_int_eq(genetics_random(made, &params, &rng, &ids), 0);
}

static void copy(struct genome *to, const struct genome *from)
{
    ck_assert_int_eq(genome_copy(to, from), 0);
}

/* As make(), in the place of the one before. */
static void renew(uint64_t creature)
{
    genome_deinit(&genome);
    make(&genome, creature);
}

/* One with at least so many bodies and neurons. */
static void renew_large(int bodies, int neurons)
{
    do
        renew(1);
    while (genome.body_count < bodies || genome.neuron_count < neurons);
}

/* The words of the last mutations. */
static char text[256];

static void mutate(struct genome *mutant, int count, uint64_t creature)
{
    struct gene_counter ids = {.creature = creature};
    ck_assert_int_eq(genetics_mutate(mutant, count, &params, &rng, &ids, text, 256), 0);
}

/* A new genome, `before`, and what mutations make of it. */
static void renew_and_mutate(uint64_t creature, int count, uint64_t mutant)
{
    renew(creature);
    genome_deinit(&before);
    copy(&before, &genome);
    mutate(&genome, count, mutant);
}

/* The genes of a creature of that number; how many got new ids. */
static int crossover(struct genome *child, const struct genome *a, const struct genome *b,
                     uint64_t creature)
{
    struct gene_counter ids = {.creature = creature};
    ck_assert_int_eq(genetics_crossover(child, a, b, &params, &rng, &ids), 0);
    return (int)ids.count;
}

static int graft(struct genome *child, const struct genome *a, const struct genome *b,
                 uint64_t creature)
{
    struct gene_counter ids = {.creature = creature};
    ck_assert_int_eq(genetics_graft(child, a, b, &params, &rng, &ids), 0);
    return (int)ids.count;
}

/* Everything that holds for every result of genetics. */
static void assert_sound(const struct genome *result, const char *what)
{
    SCOPED(genome) collected;
    ck_assert_msg(!genome_check(result, &error), "%s: %s", what, error.message);
    copy(&collected, result);
    genome_collect_garbage(&collected);
    ck_assert_msg(genome_is_equal(&collected, result), "%s: garbage is left", what);
}

static void assert_round_trip(const struct genome *kept)
{
    SCOPED(pack_writer) writer;
    SCOPED(genome) read;
    pack_writer_init(&writer);
    genome_encode(kept, &writer);
    ck_ok(genome_decode_bytes(&read, writer.buffer.data, writer.buffer.size, &error));
    ck_assert(genome_is_equal(&read, kept));
    ck_assert(genome_hash(&read) == genome_hash(kept));
}

static int is_rate(const char *key)
{
    return (strncmp(key, "mutation.", 9) == 0 && strcmp(key, "mutation.more_continue") != 0 &&
            strcmp(key, "mutation.mated_scale") != 0) ||
           strncmp(key, "spheres.mutation_", 17) == 0;
}

/* All rates become 0; how many there are. */
static int stop_mutations(void)
{
    int count = 0;
    for (int i = 0; i < param_count; i++)
        if (strncmp(param_table[i].help, "rate per ", 9) == 0) {
            *(double *)((char *)&params + param_table[i].offset) = 0;
            count++;
        }
    for (int i = 0; i < param_constant_count; i++)
        if (is_rate(param_constants[i].key)) {
            *(double *)((char *)&params + param_constants[i].offset) = 0;
            count++;
        }
    return count;
}

/* All rates 0 but one. */
static void allow_only(const char *kind)
{
    stop_mutations();
    if (kind)
        set(printed("%s=1", params_key_now(printed("mutation.%s", kind))));
}

/* ---- random genomes ---- */

TEST(gene_ids_name_creature_and_count)
{
    struct gene_counter ids = {.creature = 7};
    ck_assert(gene_counter_next(&ids) == (7 << 10 | 1));
    ck_assert(gene_counter_next(&ids) == (7 << 10 | 2));
    ck_assert_uint_eq(ids.count, 2);
}

TEST_SIGNAL(gene_ids_do_not_run_over, 6)
{
    struct gene_counter ids = {.creature = 7, .count = 1023};
    gene_counter_next(&ids);
}

/* A file, or another run, brings a genome whose genes have the number of a child to come. */
TEST(new_genes_of_a_child_have_other_ids_than_those_it_inherits)
{
    for (uint64_t number = 1; number <= 20; number++) {
        SCOPED(genome) mate, child;
        struct gene_counter ids = {.creature = number};
        make(&mate, number);
        renew_and_mutate(number, 8, number);
        assert_sound(&genome, text);
        ck_assert_int_eq(genetics_graft(&child, &genome, &mate, &params, &rng, &ids), 0);
        assert_sound(&child, "graft");
        ck_assert(gene_counter_next(&ids) >> 10 != number);
    }
}

TEST(random_genomes_are_sound)
{
    for (uint64_t i = 1; i <= 800; i++) {
        renew(i);
        assert_sound(&genome, "random");
        ck_assert_int_ge(genome.body_count, params.initial_bodies_min);
        ck_assert_int_le(genome.body_count, params.initial_bodies_max);
        ck_assert_int_ge(genome.connection_count, genome.body_count - 1);
        for (int k = 0; k < genome.body_count; k++) {
            const struct body_gene *body = &genome.bodies[k];
            double low = params.initial_side_min_m, high = params.initial_side_max_m;
            ck_assert(body->id >> 10 == i);
            ck_assert(body->width_m >= low && body->width_m <= high);
            ck_assert(body->height_m >= low && body->height_m <= high);
            double length = 2 * genome_reach_m(body);
            int is_linear = body->joint == JOINT_LINEAR;
            /* the root grows after its limits are drawn */
            double least = k == 0 ? 0 : is_linear ? 0.05 * length : 0.1;
            double most =
                is_linear ? params.initial_extension_max * length : params.initial_limit_max_rad;
            ck_assert(body->lower <= -least && body->lower >= -most);
            ck_assert(body->upper >= least && body->upper <= most);
            /* signals are made for angles, weights turn them into extensions of the part's size */
            double unit = is_linear ? genome_reach_m(body) : 1;
            double weight = fabs(body->effector_input.weight);
            if (body->has_effector && body->effector_input.kind != INPUT_CONSTANT)
                ck_assert(weight >= 0.79 * unit && weight <= 1.21 * unit);
            ck_assert(body->recursive_limit >= 1 && body->recursive_limit <= 4);
        }
    }
}

TEST(random_genomes_keep_the_shares_asked_for)
{
    int joints = 0, rigid = 0, effectors = 0, driven = 0, linear = 0, phases[4] = {0};
    int drives = 0, neurons = 0;
    /* So many bodies that one joint nearly always has a drive by chance. */
    set("initial.bodies_min=12", "initial.bodies_max=12", "initial.neurons_max=0",
        "initial.central_max=0");
    for (uint64_t i = 1; i <= 700; i++) {
        renew(i);
        for (int k = 0; k < genome.body_count; k++) {
            const struct body_gene *body = &genome.bodies[k];
            /* Not of the root, whose joint may be unused. */
            joints += k > 0;
            rigid += k > 0 && body->joint == JOINT_RIGID;
            linear += k > 0 && body->joint == JOINT_LINEAR;
            effectors += k > 0 && body->has_effector;
            drives += body->has_effector;
            driven += body->has_effector && body->effector_input.kind == INPUT_NEURON &&
                      body->effector_input.scope == SCOPE_OWN;
        }
        for (int k = 0; k < genome.neuron_count; k++) {
            const struct neuron_gene *neuron = &genome.neurons[k];
            const struct input_gene *inputs = neuron->inputs;
            ck_assert_int_eq(neuron->function, NEURON_OSCILLATE_WAVE);
            ck_assert_int_eq(inputs[0].kind, INPUT_CONSTANT);
            ck_assert(inputs[0].value >= 0.5 && inputs[0].value <= 2.5);
            ck_assert(inputs[1].value >= 0.3 && inputs[1].value <= 1.2);
            phases[(int)(4 * neuron->initial)]++;
            neurons++;
        }
    }
    assert_share(rigid, joints, params.initial_rigid, "rigid");
    assert_share(linear, joints - rigid, params.initial_linear, "linear");
    assert_share(effectors, joints - rigid, params.initial_effectors, "effectors");
    assert_share(driven, drives, params.initial_oscillators, "oscillators");
    for (int k = 0; k < 4; k++)
        assert_share(phases[k], neurons, 0.25, "phases");
}

/* A joint that is in use: the root's is not, unless the root may occur again. */
static int has_joint(const struct body_gene *body)
{
    for (int i = 0; i < genome.connection_count; i++)
        if (genome.connections[i].to == body->id)
            return body->joint != JOINT_RIGID &&
                   (body->id != genome.root || body->recursive_limit > 1);
    return 0;
}

static int count_oscillating_joints(int *joints)
{
    int oscillating = 0;
    *joints = 0;
    for (int i = 0; i < genome.body_count; i++) {
        const struct body_gene *body = &genome.bodies[i];
        int row = genome_find_neuron(&genome, body->effector_input.source);
        *joints += has_joint(body);
        oscillating += has_joint(body) && body->has_effector && row >= 0 &&
                       (genome.neurons[row].function == NEURON_OSCILLATE_WAVE ||
                        genome.neurons[row].function == NEURON_OSCILLATE_SAW);
    }
    return oscillating;
}

/* Kinds whose effectors move joints. */
static const int jointed_kinds[] = {BODY_RECTANGLES, BODY_BOXES};

TEST_LOOP(random_genomes_with_a_joint_move_it, 0, 2)
{
    int joints;
    params.creature_body = jointed_kinds[_i];
    params.initial_effectors = 0.5;
    params.initial_oscillators = 0.5;
    for (uint64_t i = 1; i <= 300; i++) {
        renew(i);
        int oscillating = count_oscillating_joints(&joints);
        ck_assert(oscillating > 0 || joints == 0);
    }
    /* Unless that is not wanted. */
    params.initial_effectors = 0;
    for (uint64_t i = 1; i <= 100; i++) {
        renew(i);
        ck_assert_int_eq(genome.neuron_count, 0);
    }
}

TEST_LOOP(random_genomes_are_expressed, 0, 2)
{
    int parts[65] = {0}, trials = 400;
    params.creature_body = jointed_kinds[_i];
    arena_open(EVALUATE_ARENA_BYTES);
    for (int i = 1; i <= trials; i++) {
        struct phenotype phenotype;
        renew((uint64_t)i);
        arena_reset(&arena);
        ck_assert_int_eq(phenotype_express(&phenotype, &genome, &params, &arena), VERDICT_OK);
        parts[phenotype.part_count]++;
    }
    ck_assert_int_eq(parts[0] + parts[1], 0);
    /* Small ones and large ones. */
    ck_assert_int_gt(parts[2] + parts[3], trials / 10);
    ck_assert_int_gt(parts[6] + parts[7] + parts[8], trials / 20);
}

static const struct body_gene *body_of(const struct genome *of, gene_id id)
{
    return &of->bodies[genome_find_body(of, id)];
}

/* With initial.tidy = 1 the root lies along x, pairs hang on the sides of single parts, nothing is at
 * an angle; of connections that evolution adds, too. */
TEST(tidy_births_have_a_plan)
{
    int pairs = 0, ends = 0;
    set("creature.body=boxes", "initial.tidy=1", "initial.symmetric=0.6");
    allow_only("add_body");
    for (uint64_t i = 1; i <= 100; i++) {
        renew(i);
        mutate(&genome, 2, 1000);
        const struct body_gene *root = body_of(&genome, genome.root);
        int is_parent = 0;
        for (int k = 0; k < genome.connection_count; k++) {
            const struct connection_gene *c = &genome.connections[k];
            const struct body_gene *from = body_of(&genome, c->from);
            const struct body_gene *to = body_of(&genome, c->to);
            is_parent |= from == root;
            ck_assert(c->angle_rad == 0 && c->mount.tilt_rad == 0 && c->mount.roll_rad == 0);
            if (from->is_symmetric)
                continue;
            ck_assert_int_eq(c->parent_face == FACE_FRONT, to->is_symmetric != 0);
            ck_assert(to->is_symmetric || c->parent_face == FACE_LEFT ||
                      c->parent_face == FACE_RIGHT);
            pairs += to->is_symmetric != 0;
            ends += !to->is_symmetric;
        }
        if (is_parent)
            ck_assert_double_ge(root->width_m, fmax(root->height_m, root->box.depth_m));
    }
    ck_assert(pairs > 50 && ends > 50);
}

/* The longest side of a body by its rank, 0: the longest. */
static double side_of(const struct body_gene *body, int rank)
{
    double a = fmax(body->width_m, body->height_m), b = fmin(body->width_m, body->height_m);
    double c = body->box.depth_m, longest = fmax(a, c), shortest = fmin(b, c);
    return rank == 0 ? longest : rank == 2 ? shortest : a + b + c - longest - shortest;
}

/* How often a side is above the bound of initial.taper = 1. */
static int count_thick(const struct genome *of)
{
    int count = 0;
    for (int i = 0; i < of->connection_count; i++) {
        const struct connection_gene *c = &of->connections[i];
        const struct body_gene *from = body_of(of, c->from), *to = body_of(of, c->to);
        for (int rank = 0; rank < 3; rank++)
            count += side_of(to, rank) * c->scale > side_of(from, rank) * (1 + 1e-9) &&
                     side_of(to, rank) > params.creature_side_min_m && c->scale > GENOME_SCALE_MIN;
    }
    return count;
}

/* With initial.taper = 1 no part of a random body is thicker than its parent, nor does mutation or
 * mating make one. */
TEST(bodies_taper)
{
    int thick_without = 0;
    params.creature_body = BODY_BOXES;
    for (uint64_t i = 1; i <= 100; i++) {
        SCOPED(genome) mate, child, grafted;
        params.initial_taper = 0;
        renew(i);
        thick_without += count_thick(&genome);
        params.initial_taper = 1;
        make(&mate, 1000 + i);
        renew_and_mutate(i, 8, 2000 + i);
        ck_assert_int_eq(count_thick(&before) + count_thick(&mate), 0);
        ck_assert_msg(count_thick(&genome) == 0, "%s", text);
        crossover(&child, &genome, &mate, 5000 + i);
        graft(&grafted, &genome, &mate, 5000 + i);
        ck_assert_int_eq(count_thick(&child) + count_thick(&grafted), 0);
        assert_sound(&grafted, "a tapered graft");
    }
    ck_assert_int_gt(thick_without, 100);
}

/* What an ancestor has thick stays so in its children, until its own sizes change. */
TEST(thick_parts_are_inherited)
{
    params.creature_body = BODY_BOXES;
    do
        renew(1);
    while (count_thick(&genome) < 3);
    int thick = count_thick(&genome);
    params.initial_taper = 1;
    allow_only("neuron_weight");
    mutate(&genome, 20, 2);
    ck_assert_int_eq(count_thick(&genome), thick);
    allow_only("body_size");
    mutate(&genome, 60, 3);
    ck_assert_int_eq(count_thick(&genome), 0);
}

/* Only allowed functions, whatever evolution does; drives fall back from waves to saws to none. */
TEST_LOOP(functions_can_be_left_out, 0, 4)
{
    static const char *const texts[] = {
        "sum product oscillate-saw", "-oscillate-wave -oscillate-saw", "sigmoid", "oscillate-wave"};
    uint32_t allowed, seen = 0;
    snprintf(params.initial_functions, sizeof(params.initial_functions), "%s", texts[_i]);
    ck_ok(params_check(&params, &error));
    ck_ok(neuron_parse_set(texts[_i], &allowed, &error));
    for (uint64_t i = 1; i <= 400; i++) {
        renew_and_mutate(i, 12, 1000000 + i);
        assert_sound(&genome, text);
        for (int n = 0; n < genome.neuron_count; n++)
            seen |= NEURON_BIT(genome.neurons[n].function);
    }
    ck_assert_msg(seen == allowed, "%s: %x of %x", texts[_i], (unsigned)seen, (unsigned)allowed);
}

TEST(random_bodies_keep_their_constraints)
{
    int bodies = 0;
    set("initial.recursion_max=2", "initial.symmetric=1", "initial.rigid=0", "initial.linear=1");
    for (uint64_t i = 1; i <= 300; i++) {
        renew(i);
        bodies += genome.body_count;
        for (int b = 0; b < genome.body_count; b++)
            ck_assert(genome.bodies[b].recursive_limit <= 2 && genome.bodies[b].is_symmetric == 1 &&
                      genome.bodies[b].joint == JOINT_LINEAR);
    }
    ck_assert_int_gt(bodies, 600);
}

TEST(random_genomes_differ_and_repeat)
{
    SCOPED(genome) again;
    for (int i = 0; i < 2; i++) {
        rng_init(&rng, 5, RNG_RANDOM_GENOME, 0, 9);
        make(i ? &again : &genome, 9);
    }
    ck_assert(genome_is_equal(&again, &genome));
    renew(9);
    ck_assert(!genome_is_equal(&again, &genome));
}

TEST(random_genomes_at_the_bounds_are_sound)
{
    static const int64_t sizes[][4] = {/* bodies min, max, neurons, central */
                                       {1, 1, 0, 0},
                                       {1, 1, 3, 2},
                                       {32, 32, 32, 32},
                                       {1, 32, 0, 32},
                                       {2, 2, 32, 0}};
    params.initial_connections = 4;
    for (int i = 0; i < 500; i++) {
        params.initial_bodies_min = sizes[i % 5][0];
        params.initial_bodies_max = sizes[i % 5][1];
        params.initial_neurons_max = sizes[i % 5][2];
        params.initial_central_max = sizes[i % 5][3];
        params.initial_rigid = i % 3 / 2.0;
        params.initial_linear = i % 5 / 4.0;
        params.initial_extension_max = i % 7 ? 0.05 : 10;
        params.initial_effectors = i % 4 / 3.0;
        params.initial_limit_max_rad = i % 2 ? 0.1 : GENOME_LIMIT_MAX_RAD;
        renew(1);
        assert_sound(&genome, "random at a bound");
        ck_assert_int_ge(genome.connection_count, 1);
        ck_assert(genome.body_count > 1 || genome.bodies[0].recursive_limit >= 2);
    }
}

/* ---- numbers of mutations ---- */

static void count_mutations(int is_mated, int64_t trials, int64_t tally[4])
{
    memset(tally, 0, 4 * sizeof(*tally));
    for (int64_t i = 0; i < trials; i++) {
        int count = genetics_mutation_count(&params, is_mated, &rng);
        tally[count < 3 ? count : 3]++;
    }
}

TEST_LOOP(mutation_counts_are_25_50_25, 0, 2)
{
    int64_t tally[4], trials = 200000;
    count_mutations(_i, trials, tally);
    assert_share(tally[0], trials, 0.25, "none");
    assert_share(tally[1], trials, 0.5, "one");
    assert_share(tally[2], trials, 0.125, "two: half of the rest");
    assert_share(tally[3], trials, 0.125, "three or more");
}

TEST(mated_children_can_mutate_less)
{
    int64_t tally[4], trials = 200000;
    params.mutation_mated_scale = 0.4;
    count_mutations(0, trials, tally);
    assert_share(tally[0], trials, 0.25, "none, asexual");
    count_mutations(1, trials, tally);
    assert_share(tally[0], trials, 0.7, "none, mated");
    assert_share(tally[1], trials, 0.2, "one, mated");
    params.mutation_mated_scale = 0;
    count_mutations(1, 1000, tally);
    ck_assert_int_eq(tally[0], 1000);
}

TEST(mutation_counts_are_bounded)
{
    set("mutation.none=0", "mutation.one=0", "mutation.more_continue=1");
    ck_assert_int_eq(genetics_mutation_count(&params, 0, &rng), 64);
    params.mutation_one = 1;
    ck_assert_int_eq(genetics_mutation_count(&params, 0, &rng), 1);
    params.mutation_none = 1;
    ck_assert_int_eq(genetics_mutation_count(&params, 0, &rng), 0);
}

/* ---- mutation ---- */

#define KIND(body, kind, ...)                                                                      \
    {                                                                                              \
        body, kind,                                                                                \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* Every kind and how its text begins and goes on. */
static const struct {
    int body; /* tried on */
    const char *kind;
    const char *words[4];
} kinds[] = {
    KIND(BODY_RECTANGLES, "breeding_method", "breeding method ", " -> asexual", " -> crossover",
         " -> graft"),
    KIND(BODY_RECTANGLES, "body_size", "width of body ", "height of body ", " m"),
    KIND(BODY_RECTANGLES, "body_joint", "joint of body ", "rigid", "rotary", "linear"),
    KIND(BODY_RECTANGLES, "body_limits", "lower limit of body ", "upper limit of body ", " rad",
         " m"),
    KIND(BODY_RECTANGLES, "body_recursion", "recursive limit of body ", " -> "),
    KIND(BODY_RECTANGLES, "body_symmetry", " became symmetric", " is no longer symmetric", "body "),
    KIND(BODY_RECTANGLES, "body_sensors", " gained the sensor ", " lost the sensor ",
         "contact-left", "joint"),
    KIND(BODY_SPHERES, "sphere_surface", "friction of sphere ", " became the head", " rolls now",
         " rolls no longer"),
    KIND(BODY_SPHERES, "sphere_axis", "axis of sphere ", " rad"),
    KIND(BODY_RECTANGLES, "effector", " gained an effector", " lost its effector",
         "the effector of body ", "strength of the effector"),
    KIND(BODY_SPHERES, "sphere_drive", " is driven", " is no longer driven", "the drive of sphere ",
         "strength of the drive"),
    KIND(BODY_SPHERES, "bone_length", "length of bone ", " m"),
    KIND(BODY_SPHERES, "bone_muscle", " muscle", "est of ", "rate of ", "gain of "),
    KIND(BODY_RECTANGLES, "stretch", " gained a stretch", " lost its stretch",
         "limit of the stretch of body ", "the stretch of body "),
    KIND(BODY_RECTANGLES, "body_mouth", "mouth of body ", "none -> plants", "none -> flesh"),
    KIND(BODY_RECTANGLES, "emitter", " gained a ", " lost its ", "the sound of body ",
         "the scent_"),
    KIND(BODY_RECTANGLES, "neuron_function", "function of neuron ", " -> ", "sin", "sigmoid"),
    KIND(BODY_RECTANGLES, "neuron_weight", "weight of input ", "constant of input ",
         "phase of neuron ", " turns"),
    KIND(BODY_RECTANGLES, "neuron_lag", "lag of neuron ", " in a row ", " of images ", " -> 0.500"),
    KIND(BODY_RECTANGLES, "neuron_input", " now reads sensor ", " now reads neuron ",
         " now reads constant ", "input "),
    KIND(BODY_RECTANGLES, "add_body", "added body ", " to body ", "rotary", "rigid"),
    KIND(BODY_RECTANGLES, "add_neuron", "added a neuron ", " to body ", " to the central set"),
    KIND(BODY_RECTANGLES, "connection_placement", "position of connection ", " face of connection ",
         "angle of connection ", " rad"),
    KIND(BODY_RECTANGLES, "connection_scale", "scale of connection ", " -> "),
    KIND(BODY_RECTANGLES, "connection_flags", " became reflected", " is no longer reflected",
         " became terminal-only", "connection "),
    KIND(BODY_RECTANGLES, "connection_target", "connection ", " now leads to body "),
    KIND(BODY_RECTANGLES, "add_connection", "added a connection from body ", " to body "),
    KIND(BODY_RECTANGLES, "remove_connection", "removed connection ", " (body "),
    KIND(BODY_SPHERES, "bone_brace", "brace ", " leads to ancestor", " leads to twin",
         " instead of nearest"),
    KIND(BODY_SPHERES, "add_brace", "added a brace from sphere "),
    // mutations that all kinds of body have, in the words of these
    KIND(BODY_SPHERES, "body_size", "radius of sphere ", " m"),
    KIND(BODY_SPHERES, "body_joint", "joint of sphere ", "free", "ball", "saddle"),
    KIND(BODY_SPHERES, "body_limits", "lower limit of sphere ", "upper limit of sphere ", "second ",
         " rad"),
    KIND(BODY_SPHERES, "body_symmetry", " is no longer symmetric", "sides", "ends", "levels"),
    KIND(BODY_SPHERES, "body_sensors", " gained the sensor ", " lost the sensor ", "touch",
         "bone-rate"),
    KIND(BODY_SPHERES, "effector", " gained an effector", " lost its effector",
         "the effector of sphere ", "strength of the effector"),
    KIND(BODY_SPHERES, "add_body", "added sphere ", " to sphere ", "free", "hinge"),
    KIND(BODY_SPHERES, "connection_placement", "angle of bone ", "tilt of bone "),
    KIND(BODY_SPHERES, "connection_scale", "scale of bone ", " -> "),
    KIND(BODY_SPHERES, "add_connection", "added a bone from sphere ", " to sphere "),
    KIND(BODY_BOXES, "body_size", "width of box ", "height of box ", "depth of box ", " m"),
    KIND(BODY_BOXES, "body_joint", "joint of box ", "spherical", "twist-bend", "linear"),
    KIND(BODY_BOXES, "body_limits", "lower limit of box ", "upper limit of box ", "second ", " m"),
    KIND(BODY_BOXES, "body_symmetry", " is no longer symmetric", "sides", "ends", "levels"),
    KIND(BODY_BOXES, "body_sensors", " gained the sensor ", " lost the sensor ", "contact-front",
         "joint-rate-3"),
    KIND(BODY_BOXES, "effector", " gained an effector", " lost its effector",
         "the effector of box ", " (third freedom)"),
    KIND(BODY_BOXES, "add_body", "added box ", " to box ", "universal", "revolute"),
    KIND(BODY_BOXES, "connection_placement", "second parent position of connection ", "front",
         "roll of connection ", " of connection "),
    KIND(BODY_BOXES, "add_neuron", "added a neuron ", " to box ", " to the central set"),
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]), KINDS_AGAIN = 19 };

/* Whether the text has a word of the kind; notes which. */
static int say_some(int kind, int seen[4])
{
    int said = 0;
    for (int i = 0; i < 4; i++)
        if (kinds[kind].words[i] && strstr(text, kinds[kind].words[i]))
            seen[i] = said = 1;
    return said;
}

/* Applies a kind to a random genome; 1 if it found something to change. */
static int apply_kind(int kind, uint64_t creature, int seen[4])
{
    const char *name = kinds[kind].kind;
    char plain[256];
    renew_and_mutate(creature, 1, creature + 1000000);
    assert_sound(&genome, name);
    int is_change = !genome_is_equal(&genome, &before);
    ck_assert_msg(is_change == (text[0] != 0), "%s: %s", name, text);
    if (is_change) {
        ck_assert_msg(say_some(kind, seen), "%s: %s", name, text);
        ck_assert_msg(!strstr(text, "; "), "%s: %s", name, text);
        mutation_words_shorten(text, plain, sizeof plain);
        ck_assert_msg(strcmp(plain, text) != 0, "%s: not in plain words", text);
        ck_assert_int_gt(genome.connection_count, 0);
    }
    return is_change;
}

TEST_LOOP(every_kind_occurs_and_says_what_it_did, 0, KIND_COUNT)
{
    /* some kinds need more than their rate */
    static const char *const needed[][2] = {{"breeding_method", "breeding.choice=inherited"},
                                            {"emitter", "sensor.sound=true"},
                                            {"emitter", "sensor.scent=true"},
                                            {"stretch", "creature.stretch_max=0.5"},
                                            {"body_mouth", "evolution.behaviour=preserve"}};
    const char *name = kinds[_i].kind;
    int tried = 0, changed = 0, missing = 1, seen[4] = {0};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!strcmp(name, needed[i][0]))
            set(needed[i][1]);
    params.creature_body = kinds[_i].body;
    params.spheres_initial_held = 0.8;
    allow_only(name);
    while (tried < 400 && (tried < 50 || missing > 0)) {
        changed += apply_kind(_i, (uint64_t)++tried, seen);
        missing = 0;
        for (int k = 0; k < 4; k++)
            missing += kinds[_i].words[k] && !seen[k];
    }
    ck_assert_msg(changed > tried / 2, "%s: only %d of %d changed", name, changed, tried);
    for (int k = 0; k < 4; k++)
        ck_assert_msg(!kinds[_i].words[k] || seen[k], "%s: never \"%s\"", name, kinds[_i].words[k]);
}

/* The same draws, with a smaller scale of the newest connection. */
TEST_LOOP(new_parts_may_begin_small, 0, 2)
{
    const struct rng start = rng;
    double scales[3];
    for (int i = 0; i < 3; i++) {
        rng = start;
        renew(5);
        allow_only(_i ? "add_connection" : "add_body");
        params.mutation_small = (double[]){1, 0.4, 0.05}[i];
        mutate(&genome, 1, 7);
        scales[i] = genome.connections[genome.connection_count - 1].scale;
    }
    ck_assert_double_eq(scales[1], 0.4 * scales[0]);
    ck_assert_double_eq(scales[2], fmax(0.05 * scales[0], GENOME_SCALE_MIN));
}

TEST(kinds_here_are_those_of_the_parameters)
{
    ck_assert_int_eq(stop_mutations(), KIND_COUNT - KINDS_AGAIN);
}

/* Rates times sites: two kinds against each other on one genome. */
TEST(sites_are_drawn_by_rate_and_number)
{
    int trials = 5000, flags = 0;
    params.initial_bodies_min = params.initial_bodies_max = 4;
    renew(1);
    allow_only("body_symmetry");
    params.mutation_connection_flags = 3;
    double expected =
        3.0 * genome.connection_count / (3.0 * genome.connection_count + genome.body_count);
    for (int i = 0; i < trials; i++) {
        SCOPED(genome) child;
        copy(&child, &genome);
        mutate(&child, 1, 2);
        flags += !strncmp(text, "connection", 10);
    }
    assert_share(flags, trials, expected, "flags of connections");
}

/* The types of joint that the settings give no share never come up, not by mutation either. */
TEST_LOOP(types_of_joint_without_a_share_never_come, 0, 6)
{
    static const struct {
        double rigid, linear;
        int allowed; /* set of types */
    } settings[] = {{0, 0, 1 << JOINT_ROTARY},
                    {0, 1, 1 << JOINT_LINEAR},
                    {1, 0.5, 1 << JOINT_RIGID},
                    {0, 0.5, 1 << JOINT_ROTARY | 1 << JOINT_LINEAR},
                    {0.5, 0, 1 << JOINT_ROTARY | 1 << JOINT_RIGID},
                    {0.5, 1, 1 << JOINT_LINEAR | 1 << JOINT_RIGID}};
    int seen = 0;
    params.initial_rigid = settings[_i].rigid;
    params.initial_linear = settings[_i].linear;
    params.mutation_body_joint = 20;
    for (uint64_t i = 1; i <= 100; i++) {
        renew_and_mutate(i, 8, i + 1000);
        assert_sound(&genome, text);
        for (int k = 0; k < genome.body_count; k++)
            seen |= 1 << genome.bodies[k].joint;
    }
    ck_assert_int_eq(seen, settings[_i].allowed);
}

/* A joint that turns into a linear one keeps its range and its signal by the part's reach, and the
 * other way round; the limits stay within their bounds. */
TEST(a_change_of_type_keeps_range_and_signal)
{
    int to_linear = 0, to_rotary = 0;
    allow_only("body_joint");
    params.initial_rigid = 0;
    for (uint64_t i = 1; i <= 300; i++) {
        params.initial_limit_max_rad = i % 2 ? 1.6 : GENOME_LIMIT_MAX_RAD;
        params.creature_effector_mode = i % 3 ? EFFECTOR_POSITION : EFFECTOR_TORQUE;
        renew_and_mutate(i, 1, i + 1000);
        for (int k = 0; k < genome.body_count; k++) {
            const struct body_gene *a = &before.bodies[k], *b = &genome.bodies[k];
            int is_linear = b->joint == JOINT_LINEAR;
            double reach = genome_reach_m(a), factor = is_linear ? reach : 1 / reach;
            double most = is_linear ? GENOME_LIMIT_MAX_M : GENOME_LIMIT_MAX_RAD;
            if (a->joint == b->joint)
                continue;
            to_linear += is_linear;
            to_rotary += !is_linear;
            ck_assert_double_eq_tol(b->lower, fmax(a->lower * factor, -most), 1e-12);
            ck_assert_double_eq_tol(b->upper, fmin(a->upper * factor, most), 1e-12);
            if (params.creature_effector_mode == EFFECTOR_TORQUE)
                factor = 1;
            if (a->has_effector)
                ck_assert_double_eq_tol(b->effector_input.weight, a->effector_input.weight * factor,
                                        1e-12);
        }
    }
    ck_assert(to_linear > 50 && to_rotary > 20);
}

/* A joint of boxes keeps its freedoms' inputs and limits as far as the new type has them; what is
 * new follows the first freedom, one way or the other. */
TEST(a_change_of_type_keeps_freedoms)
{
    int gained = 0, kept = 0, cones = 0;
    params.creature_body = BODY_BOXES;
    allow_only("body_joint");
    params.initial_rigid = params.initial_linear = 0;
    for (uint64_t i = 1; i <= 300; i++) {
        renew_and_mutate(i, 1, i + 1000);
        assert_sound(&genome, text);
        for (int k = 0; k < genome.body_count; k++) {
            const struct body_gene *a = &before.bodies[k], *b = &genome.bodies[k];
            int inputs = genome_drive_count(a);
            if (a->joint == b->joint || !a->has_effector)
                continue;
            ck_assert(gene_is_equal_input(&a->effector_input, &b->effector_input));
            for (int d = 0; d < genome_drive_count(b); d++) {
                struct input_gene expected = d < inputs ? a->drives[d] : a->effector_input;
                kept += d < inputs;
                gained += d >= inputs;
                if (d >= inputs && b->drives[d].weight != expected.weight)
                    expected.weight = -expected.weight;
                ck_assert(gene_is_equal_input(&expected, &b->drives[d]));
            }
            if (joint_types[a->joint].freedoms > 1 && joint_types[b->joint].freedoms > 1)
                ck_assert(b->box.upper_2 == fmin(a->box.upper_2, genome_limit_max(b->joint)));
            cones += b->joint == JOINT_SPHERICAL && b->box.lower_2 == 0 && b->box.upper_2 > 0;
        }
    }
    ck_assert(gained > 50 && kept > 50 && cones > 20);
}

TEST(several_mutations_come_in_the_order_of_the_kinds)
{
    allow_only("body_symmetry");
    params.mutation_connection_flags = 1;
    for (uint64_t i = 1; i <= 300; i++) {
        renew_and_mutate(i, 4, 100000);
        ck_assert_int_eq(count_text(text, "; "), 3);
        const char *connection = strstr(text, "connection");
        ck_assert_msg(!connection || !strstr(connection, "body"), "%s", text);
    }
}

TEST(a_mutation_always_changes_the_genome)
{
    for (uint64_t i = 1; i <= 800; i++) {
        renew_and_mutate(i, 1, 100000);
        ck_assert(!genome_is_equal(&genome, &before));
        ck_assert_str_ne(text, "");
        assert_sound(&genome, text);
    }
}

TEST(nothing_to_change_ends)
{
    strcpy(text, "old");
    renew_and_mutate(1, 0, 2);
    ck_assert_str_eq(text, "");
    /* No rate at all. */
    allow_only(NULL);
    mutate(&genome, 5, 2);
    ck_assert_str_eq(text, "");
    ck_assert(genome_is_equal(&genome, &before));
    /* The only kind allowed can change nothing: a lone body has no other target, and its only
     * connection stays. */
    set("initial.bodies_min=1", "initial.bodies_max=1", "initial.connections=1");
    allow_only("connection_target");
    renew_and_mutate(1, 3, 2);
    allow_only("remove_connection");
    mutate(&genome, 3, 2);
    ck_assert(genome_is_equal(&genome, &before));
}

/* Six mutations are told in less and less room: whole words of the first ones, then "...". */
TEST(texts_are_cut_to_fit)
{
    char whole[1024], cut[sizeof(whole)];
    renew_large(3, 2);
    for (int size = (int)sizeof(whole); size >= 0; size--) {
        struct gene_counter ids = {.creature = 2};
        SCOPED(genome) child;
        rng_init(&rng, 4242, RNG_TEST, 1, 0);
        memset(cut, 'x', sizeof(cut));
        copy(&child, &genome);
        ck_assert_int_eq(genetics_mutate(&child, 6, &params, &rng, &ids, size ? cut : NULL, size),
                         0);
        ck_assert(size == (int)sizeof(cut) || cut[size] == 'x');
        if (size == 0)
            continue;
        ck_assert_ptr_nonnull(memchr(cut, '\0', (size_t)size));
        if (size == (int)sizeof(whole))
            strcpy(whole, cut);
        size_t length = strlen(cut);
        if (strcmp(cut, whole) != 0 && length > 0) {
            ck_assert_int_ge((int)length, 3);
            ck_assert_str_eq(cut + length - 3, "...");
            ck_assert_int_eq(strncmp(cut, whole, length - 3), 0);
        }
        ck_assert(size < 8 || length > 0);
    }
}

/* A sum of three numbers uniform in -1 .. 1 has a mean size of 13/16; 4000 of them (deviation 0.58)
 * are within 0.06 of it but for one time in 1e10. */
TEST_LOOP(numeric_changes_follow_the_step, 0, 2)
{
    double sum = 0;
    params.mutation_step = _i ? 0.4 : 0.1;
    set("initial.bodies_min=2", "initial.bodies_max=2", "initial.connections=1");
    allow_only("connection_scale");
    for (int i = 0; i < 4000; i++) {
        renew_and_mutate(1, 1, 2);
        ck_assert_int_eq(genome.connection_count, 2);
        for (int k = 0; k < 2; k++)
            sum += fabs(genome.connections[k].scale / before.connections[k].scale - 1);
    }
    ck_assert_double_eq_tol(sum / 4000 / params.mutation_step, 13.0 / 16, 0.06);
}

static void fill_tables(void)
{
    set("initial.bodies_min=32", "initial.bodies_max=32", "initial.connections=4",
        "initial.neurons_max=32");
}

TEST(a_full_genome_mutates_within_its_tables)
{
    fill_tables();
    for (uint64_t i = 1; i <= 60; i++) {
        renew_and_mutate(i, 20, 100000);
        ck_assert_int_eq(before.connection_count, GENOME_CONNECTIONS_MAX);
        assert_sound(&genome, text);
    }
}

/* ---- crossover ---- */

TEST(a_genome_crossed_with_itself_stays)
{
    for (uint64_t i = 1; i <= 500; i++) {
        SCOPED(genome) child;
        renew_and_mutate(i, 3, 50000);
        crossover(&child, &genome, &genome, 100000);
        ck_assert(genome_is_equal(&child, &genome));
    }
}

/* A copy in which every gene carries a mark that the original does not. */
#define MARK 7.5
/* A copy in which every gene carries a mark that the original does not. */
#define MARK 7.5
static void copy_marked(struct genome *marked)
{
    copy(marked, &genome);
    for (int i = 0; i < marked->body_count; i++)
        marked->bodies[i].width_m = MARK;
    for (int i = 0; i < marked->connection_count; i++)
        marked->connections[i].scale = MARK;
    for (int i = 0; i < marked->neuron_count; i++)
        marked->neurons[i].inputs[0].weight = MARK;
}

/* The genes that a child of a genome and its marked copy has of the copy, and where it changes
 * sides, in the order of the chromosome: central neurons, then each body with its connections and
 * its neurons. */
struct reading {
    int side, switches, marked;
};
static void read_gene(struct reading *reading, double mark)
{
    int side = mark == MARK;
    reading->switches += side != reading->side;
    reading->marked += side;
    reading->side = side;
}

static struct reading read_child(const struct genome *child)
{
    struct reading reading = {0, 0, 0};
    for (int n = 0; n < child->neuron_count; n++)
        if (!child->neurons[n].owner)
            read_gene(&reading, child->neurons[n].inputs[0].weight);
    for (int b = 0; b < child->body_count; b++) {
        gene_id id = child->bodies[b].id;
        read_gene(&reading, child->bodies[b].width_m);
        for (int c = 0; c < child->connection_count; c++)
            if (child->connections[c].from == id)
                read_gene(&reading, child->connections[c].scale);
        for (int n = 0; n < child->neuron_count; n++)
            if (child->neurons[n].owner == id)
                read_gene(&reading, child->neurons[n].inputs[0].weight);
    }
    return reading;
}

TEST(crossing_points_are_one_to_the_maximum)
{
    int trials = 6000, tally[5] = {0};
    SCOPED(genome) marked;
    renew_large(2, 4);
    copy_marked(&marked);
    params.breeding_crossover_points_max = 3;
    for (int i = 0; i < trials; i++) {
        SCOPED(genome) child;
        crossover(&child, &genome, &marked, 2);
        int switches = read_child(&child).switches;
        ck_assert_int_le(switches, 4);
        tally[switches]++;
    }
    ck_assert_int_eq(tally[0] + tally[4], 0);
    for (int i = 1; i <= 3; i++)
        assert_share(tally[i], trials, 1.0 / 3, "crossing points");
}

/* Each gap between two neighbouring genes is a crossing point as often as any other. */
TEST(crossing_points_are_everywhere)
{
    int trials = 6000, first[64] = {0};
    SCOPED(genome) other;
    renew_large(3, 3);
    copy_marked(&other);
    int rows = genome.body_count + genome.connection_count + genome.neuron_count;
    params.breeding_crossover_points_max = 1;
    for (int i = 0; i < trials; i++) {
        SCOPED(genome) child;
        crossover(&child, &genome, &other, 2);
        int marked = read_child(&child).marked;
        ck_assert(marked > 0 && marked < rows);
        first[marked]++;
    }
    for (int k = 1; k < rows; k++)
        assert_share(first[k], trials, 1.0 / (rows - 1), "place of the crossing point");
}

static int count_bodies_of(const struct genome *child, uint64_t creature)
{
    int count = 0;
    for (int i = 0; i < child->body_count; i++)
        count += child->bodies[i].id >> 10 == creature;
    return count;
}

/* Parents of all sorts mate: children are sound, and have bodies of both. Hand-written genomes use
 * the same small ids for different things; of a genome that mates itself all genes of the graft are
 * there already, and get new ids; full ones stay within the tables. */
TEST_LOOP(all_parents_mate, 0, 4)
{
    static const struct {
        const char *name;
        uint64_t first, second;
        int is_full, matings;
    } parents[] = {{"unrelated", 1, 2, 0, 300},
                   {"hand-written", 0, 0, 0, 300},
                   {"itself", 1, 1, 0, 300},
                   {"full", 1, 2, 1, 20}};
    int mixed = 0, renamed = 0, is_itself = parents[_i].first == 1 && parents[_i].second == 1;
    params.initial_central_max = parents[_i].is_full ? 32 : params.initial_central_max;
    if (parents[_i].is_full)
        fill_tables();
    for (int i = 0; i < parents[_i].matings; i++) {
        SCOPED(genome) mate, child, grafted;
        renew(parents[_i].first);
        make(&mate, parents[_i].second);
        const struct genome *second = is_itself ? &genome : &mate;
        crossover(&child, &genome, second, 3);
        assert_sound(&child, parents[_i].name);
        ck_assert_int_gt(child.connection_count, 0);
        mixed += count_bodies_of(&child, 1) > 0 && count_bodies_of(&child, 2) > 0;
        renamed += graft(&grafted, &genome, second, 3);
        assert_sound(&grafted, parents[_i].name);
        ck_assert(!is_itself || count_bodies_of(&grafted, 3) > 0);
    }
    ck_assert(_i != 0 || mixed > 90);
    ck_assert(!is_itself || renamed > 600);
}

/* What hangs where. */
static void assert_plan_kept(const struct genome *child, const struct genome *a)
{
    ck_assert(child->body_count == a->body_count && child->root == a->root &&
              child->connection_count == a->connection_count);
    for (int i = 0; i < a->body_count; i++) {
        const struct body_gene *own = &child->bodies[i], *of = &a->bodies[i];
        ck_assert(own->id == of->id && own->joint == of->joint &&
                  own->is_symmetric == of->is_symmetric &&
                  own->recursive_limit == of->recursive_limit);
    }
    for (int i = 0; i < a->connection_count; i++) {
        struct connection_gene own = child->connections[i];
        own.scale = a->connections[i].scale;
        ck_assert_mem_eq(&own, &a->connections[i], sizeof own);
    }
}

/* mutation.plan = keep: 300 children of two plans have those of their first parents, though sizes
 * differ; parents of one plan cross. */
TEST(plans_are_kept)
{
    int resized = 0, crossed = 0;
    set("creature.body=boxes", "mutation.plan=keep");
    for (int i = 0; i < 100; i++) {
        SCOPED(genome) mate;
        struct genome children[3];
        make(&mate, 2);
        renew_and_mutate(1, 6, 4);
        const struct genome *a = &before, *kin = &genome;
        crossover(&children[0], a, &mate, 3);
        graft(&children[1], a, &mate, 3);
        crossover(&children[2], a, kin, 3);
        crossed += !genome_is_equal(&children[2], a) && !genome_is_equal(&children[2], kin);
        assert_plan_kept(kin, a);
        for (int k = 0; k < a->body_count; k++)
            resized += kin->bodies[k].width_m != a->bodies[k].width_m;
        for (int k = 0; k < 3; k++) {
            assert_plan_kept(&children[k], a);
            assert_sound(&children[k], "a kept plan");
            genome_deinit(&children[k]);
        }
    }
    ck_assert(resized > 20 && crossed > 20);
}

/* ---- grafting ---- */

TEST(a_graft_brings_a_section_along)
{
    int central = 0;
    for (int i = 0; i < 500; i++) {
        SCOPED(genome) mate, child;
        int leading = 0;
        renew(1);
        make(&mate, 2);
        ck_assert_int_eq(graft(&child, &genome, &mate, 3), 0);
        assert_sound(&child, "graft");
        ck_assert(child.root == genome.root);
        /* Exactly one connection leads from the first one's genes to the mate's, none leads back. */
        for (int k = 0; k < child.connection_count; k++) {
            const struct connection_gene *connection = &child.connections[k];
            ck_assert(connection->id >> 10 == connection->from >> 10);
            leading += connection->from >> 10 == 1 && connection->to >> 10 == 2;
            ck_assert(connection->from >> 10 == 1 || connection->to >> 10 == 2);
        }
        ck_assert_int_eq(leading, 1);
        for (int k = 0; k < child.neuron_count; k++)
            central += child.neurons[k].owner == 0 && child.neurons[k].id >> 10 == 2;
    }
    ck_assert_int_gt(central, 0);
}

TEST(a_root_without_connections_takes_a_graft)
{
    SCOPED(genome) mate, child;
    renew(1);
    make(&mate, 2);
    while (genome.connection_count)
        genome_remove(&genome, GENOME_CONNECTIONS, 0);
    genome_collect_garbage(&genome);
    ck_assert_int_eq(genome.body_count, 1);
    graft(&child, &genome, &mate, 3);
    assert_sound(&child, "graft on a root");
    ck_assert_int_ge(child.body_count, 2);
}

/* ---- the long chain ---- */

enum { CHAIN_SIZE = 40 };

/* One child of random parents takes the place of a random one. */
static void breed_one(struct genome population[CHAIN_SIZE], uint64_t creature)
{
    struct gene_counter ids = {.creature = creature};
    const struct genome *a = &population[rng_below(&rng, CHAIN_SIZE)];
    const struct genome *b = &population[rng_below(&rng, CHAIN_SIZE)];
    int method = (int)rng_below(&rng, 3);
    struct genome child;
    if (method == 0)
        copy(&child, a);
    else
        (method == 1 ? crossover : graft)(&child, a, b, creature);
    assert_sound(&child, "mated");
    int count = genetics_mutation_count(&params, method != 0, &rng);
    ck_assert_int_eq(genetics_mutate(&child, count, &params, &rng, &ids, text, (int)sizeof(text)),
                     0);
    assert_sound(&child, text);
    assert_round_trip(&child);
    struct genome *place = &population[rng_below(&rng, CHAIN_SIZE)];
    genome_deinit(place);
    *place = child;
}

static void run_chain(int children)
{
    struct genome population[CHAIN_SIZE];
    /* Some as if written by hand, with the same small ids. */
    for (int i = 0; i < CHAIN_SIZE; i++)
        make(&population[i], i < 6 ? 0 : (uint64_t)i);
    for (int i = 0; i < children; i++)
        breed_one(population, (uint64_t)(CHAIN_SIZE + i));
    for (int i = 0; i < CHAIN_SIZE; i++)
        genome_deinit(&population[i]);
}

TEST(a_chain_of_breedings_stays_sound)
{
    run_chain(4000);
}

TEST(a_chain_of_growing_genomes_stays_sound)
{
    set("initial.bodies_max=12", "initial.neurons_max=8", "mutation.none=0", "mutation.one=0.2",
        "mutation.more_continue=0.9", "mutation.step=5", "mutation.add_body=20",
        "mutation.add_neuron=20", "mutation.add_connection=20");
    run_chain(400);
}

SUITE("genetics", 120, set_up, tear_down)
