/* The dice of genetics: how many mutations, which kind, which method, which parents, which
 * crossing points. Each is thrown often and the counts are compared with the probabilities asked
 * for; and thrown again with a planted bias, a few per cent off, which must be caught.
 *
 * A right program fails one of these checks with a probability of at most ALARM, if the seeds were
 * others; as they are fixed, a check that passes once passes always.
 * speed: long runs: seldom */
#include "controller/evolution/breeding.h"
#include "common/genetics/genetics.h"
#include "tests/sanitized.h"
#include "tests/unit/statistics.h"
#include "tests/plain_fixture.h"

#define ALARM 1e-6

static struct rng rng;

static void set_up(void)
{
    params_set_defaults(&params);
    rng_init(&rng, 20261, RNG_TEST, 0, 0);
}

static void print_counts(const int64_t *counts, const double *probabilities, int count,
                         int64_t trials, char text[512])
{
    int length = 0;
    for (int i = 0; i < count && length < 480; i++)
        length += snprintf(text + length, 512 - (size_t)length, " %lld/%.0f", (long long)counts[i],
                           probabilities[i] * (double)trials);
}

/* Passes if the counts are biased as they should be, or not. */
static void judge(const char *what, const int64_t *counts, const double *probabilities, int count,
                  int64_t trials, int should_be_biased)
{
    char text[512] = "";
    print_counts(counts, probabilities, count, trials, text);
    ck_assert_msg(statistics_is_biased(counts, probabilities, count, trials, ALARM) ==
                      should_be_biased,
                  "%s: %s, counts/expected:%s", what,
                  should_be_biased ? "the planted bias was not seen" : "biased", text);
}

/* ---- the statistics themselves ---- */

TEST(tails_are_right)
{
    /* P(X >= 15) of 20 fair coins, P(X <= 0) of 10 at 0.1, and a symmetric middle */
    ck_assert_double_eq_tol(statistics_binomial_tail(20, 0.5, 15), 21700 / 1048576.0, 1e-14);
    ck_assert_double_eq_tol(statistics_binomial_tail(10, 0.1, 0), 0.3486784401, 1e-12);
    ck_assert_double_eq_tol(statistics_binomial_tail(3, 0.5, 2), 0.5, 1e-14);
    ck_assert_double_eq_tol(statistics_binomial_tail(1000000, 0.25, 250000), 0.5, 1e-3);
    ck_assert_double_eq(statistics_binomial_tail(5, 0, 1), 0);
    ck_assert_double_eq(statistics_binomial_tail(5, 1, 5), 1);
    /* quantiles of tables, and df 2, where the tail is exp(-x / 2) */
    ck_assert_double_eq_tol(statistics_chi_square_tail(3.841458820694124, 1), 0.05, 1e-10);
    ck_assert_double_eq_tol(statistics_chi_square_tail(18.307038053275146, 10), 0.05, 1e-10);
    ck_assert_double_eq_tol(statistics_chi_square_tail(124.342113404, 100), 0.05, 1e-9);
    ck_assert_double_eq_tol(statistics_chi_square_tail(1.5, 2), exp(-0.75), 1e-12);
    ck_assert_double_eq_tol(statistics_chi_square_tail(40, 2) / exp(-20), 1, 1e-10);
}

/* Fair dice are called biased about as often as stated: never in 2000 throws at 1e-6, sometimes but
 * at most as often as stated at 0.1; loaded dice always. */
TEST(the_alarm_rate_is_kept)
{
    static const double probabilities[6] = {1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6.};
    static const double loaded[6] = {1 / 6. + 0.02, 1 / 6. - 0.02, 1 / 6., 1 / 6., 1 / 6., 1 / 6.};
    int alarms = 0, loose_alarms = 0, chi_alarms = 0, found = 0;
    for (int i = 0; i < 2000; i++) {
        int64_t fair[6] = {0}, unfair[6] = {0};

        for (int k = 0; k < 3000; k++)
            fair[rng_below(&rng, 6)]++;
        for (int k = 0; i < 20 && k < 20000; k++)
            unfair[rng_pick(&rng, loaded, 6)]++;
        alarms += statistics_is_biased(fair, probabilities, 6, 3000, ALARM);
        loose_alarms += statistics_is_biased(fair, probabilities, 6, 3000, 0.1);
        chi_alarms += statistics_chi_square(fair, 6, 3000) < 0.1;
        found += i < 20 && statistics_is_biased(unfair, probabilities, 6, 20000, ALARM);
    }
    ck_assert_int_eq(alarms, 0);
    ck_assert_int_eq(found, 20);
    ck_assert_int_gt(loose_alarms, 50);
    ck_assert_int_lt(loose_alarms, 270);
    /* 200 expected of the approximation, deviation 13 */
    ck_assert_int_gt(chi_alarms, 120);
    ck_assert_int_lt(chi_alarms, 280);
}

/* ---- how many mutations ---- */

enum { COUNT_CATEGORIES = 9 }; /* 0 to 7, and more */

/* 25 % none, 50 % exactly one, the rest 2, 3, ... halving. */
static const double count_probabilities[COUNT_CATEGORIES] = {
    0.25, 0.5, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.00390625};

static void throw_counts(int64_t tally[COUNT_CATEGORIES], int is_mated, int64_t trials)
{
    memset(tally, 0, COUNT_CATEGORIES * sizeof(*tally));
    for (int64_t i = 0; i < trials; i++) {
        int count = genetics_mutation_count(&params, is_mated, &rng);

        tally[count < COUNT_CATEGORIES - 1 ? count : COUNT_CATEGORIES - 1]++;
    }
}

TEST(a_quarter_none_half_one)
{
    static const char *const biases[][2] = {{"mutation.none=0.26", "mutation.one=0.49"},
                                            {"mutation.none=0.24", "mutation.one=0.5"},
                                            {"mutation.one=0.51", "mutation.step=1"},
                                            {"mutation.more_continue=0.53", "mutation.step=1"},
                                            {"mutation.mated_scale=0.97", "mutation.step=1"}};
    int64_t tally[COUNT_CATEGORIES], trials = 400000;
    for (int is_mated = 0; is_mated < 2; is_mated++) {
        throw_counts(tally, is_mated, trials);
        judge("mutations", tally, count_probabilities, COUNT_CATEGORIES, trials, 0);
    }
    for (size_t i = 0; i < sizeof(biases) / sizeof(biases[0]); i++) {
        params_set_defaults(&params);
        set(biases[i][0]);
        set(biases[i][1]);
        throw_counts(tally, 1, trials);
        judge(biases[i][0], tally, count_probabilities, COUNT_CATEGORIES, trials, 1);
    }
}

/* ---- children of given parents ---- */

enum { PARENTS = 5 };

struct family {
    struct individual individuals[PARENTS];
    const struct individual *list[PARENTS];
    double weights[PARENTS];
    struct breeding_parents parents;
    uint64_t next_id;
};

/* Parents 1 to 5 with fitness 1 to 5. */
static void family_init(struct family *family)
{
    memset(family, 0, sizeof(*family));
    for (int i = 0; i < PARENTS; i++) {
        family->individuals[i].id = (uint64_t)i + 1;
        ck_assert_int_eq(breeding_make_random(&params, &family->individuals[i]), 0);
        family->list[i] = &family->individuals[i];
        family->weights[i] = i + 1;
    }
    family->parents = (struct breeding_parents){family->list, family->weights, PARENTS};
    family->next_id = PARENTS + 1;
}

static void family_deinit(struct family *family)
{
    for (int i = 0; i < PARENTS; i++)
        individual_deinit(&family->individuals[i]);
}

static void bear(struct family *family, struct individual *child)
{
    memset(child, 0, sizeof(*child));
    genome_init(&child->genome);
    child->id = family->next_id++;
    child->generation = 1;
    ck_assert_int_eq(breeding_make_child(&params, NULL, &family->parents, child), 0);
}

/* Children by their number of mutations, told apart by the words that are recorded. */
TEST_LOOP(words_tell_as_many_mutations, 0, 2)
{
    static const double probabilities[4] = {0.25, 0.5, 0.125, 0.125};
    int64_t trials = 10000;
    int64_t tally[4] = {0};
    SCOPED(family) family;

    family_init(&family);
    if (_i)
        set("mutation.one=0.54");
    for (int64_t i = 0; i < trials; i++) {
        SCOPED(individual) child;
        int count = 0;

        bear(&family, &child);
        for (const char *at = child.mutations; at && *at; at = strstr(at, "; "), count++)
            at += *at == ';' ? 2 : 0;
        tally[count < 3 ? count : 3]++;
    }
    judge("words", tally, probabilities, 4, trials, _i);
}

/* Breeding only, without mutation. */
static void breed_only(const char *method)
{
    set("mutation.none=1", "mutation.one=0", "breeding.asexual=0", "breeding.crossover=0",
        "breeding.graft=0");
    set(method);
}

TEST_LOOP(offspring_in_proportion_to_fitness, 0, !TESTS_ARE_SANITIZED)
{
    static const double probabilities[PARENTS] = {1 / 15., 2 / 15., 3 / 15., 4 / 15., 5 / 15.};
    static const double biases[][PARENTS] = {{1, 2, 3, 4, 5.2}, /* one is favoured by 4 % */
                                             {1.05, 2, 3, 4, 5},
                                             {1.1, 2.1, 3.1, 4.1, 5.1}, /* an offset */
                                             {1, 1, 1, 1, 1}};
    int64_t trials = 200000;
    breed_only("breeding.asexual=1");
    for (int b = -1; b < (int)(sizeof(biases) / sizeof(biases[0])); b++) {
        int64_t tally[PARENTS] = {0};
        SCOPED(family) family;

        family_init(&family);
        if (b >= 0)
            memcpy(family.weights, biases[b], sizeof(family.weights));
        for (int64_t i = 0; i < trials; i++) {
            SCOPED(individual) child;

            bear(&family, &child);
            tally[child.parents[0] - 1]++;
        }
        judge("first parents", tally, probabilities, PARENTS, trials, b >= 0);
    }
}

/* The second parent in proportion to fitness among the others: pairs (first, second). */
TEST_LOOP(pairs_in_proportion_to_fitness, 0, 2)
{
    double probabilities[PARENTS * PARENTS];
    int64_t trials = 40000;
    breed_only("breeding.crossover=1");
    for (int i = 0; i < PARENTS; i++)
        for (int k = 0; k < PARENTS; k++)
            probabilities[PARENTS * i + k] = i == k ? 0 : (i + 1) / 15. * (k + 1) / (15. - (i + 1));
    int64_t tally[PARENTS * PARENTS] = {0};
    SCOPED(family) family;

    family_init(&family);
    if (_i)
        family.weights[0] = 1.25;
    for (int64_t i = 0; i < trials; i++) {
        SCOPED(individual) child;

        bear(&family, &child);
        tally[PARENTS * (child.parents[0] - 1) + child.parents[1] - 1]++;
    }
    judge("pairs", tally, probabilities, PARENTS * PARENTS, trials, _i);
}

TEST_LOOP(methods_by_percentage, 0, 2)
{
    static const double probabilities[METHOD_COUNT] = {
        [METHOD_ASEXUAL] = 0.4, [METHOD_CROSSOVER] = 0.3, [METHOD_GRAFT] = 0.3};
    int64_t trials = 60000;
    int64_t tally[METHOD_COUNT] = {0};
    SCOPED(family) family;

    family_init(&family);
    set("mutation.none=1", "mutation.one=0");
    if (_i)
        set("breeding.asexual=43");
    for (int64_t i = 0; i < trials; i++) {
        SCOPED(individual) child;

        bear(&family, &child);
        tally[child.method]++;
    }
    judge("methods", tally, probabilities, METHOD_COUNT, trials, _i);
}

/* ---- kinds of mutation ---- */

enum { KINDS = 4 };

/* Kinds that always change something, so that none is drawn again; by their words. */
static const struct {
    const char *rate, *words;
    double value;
} kinds[KINDS] = {{"mutation.body_symmetry", "symmetric", 0.5},
                  {"mutation.connection_flags", "connection ", 1},
                  {"mutation.breeding_method", "breeding method", 2},
                  {"mutation.neuron_weight", "of neuron ", 0.3}};

static int kind_of(const char *words)
{
    for (int i = 0; i < KINDS; i++)
        if (strstr(words, kinds[i].words) || (i == 3 && strstr(words, "neuron ")))
            return i;
    ck_abort_msg("unknown words: %s", words);
    return 0;
}

static void only_these_kinds(double factor_of_first)
{

    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];

        if (!strcmp(info->section, "mutation") && info->max == 1000)
            *(double *)((char *)&params + info->offset) = 0;
    }
    for (int i = 0; i < param_constant_count; i++)
        if (strncmp(param_constants[i].key, "mutation.", 9) == 0)
            *(double *)((char *)&params + param_constants[i].offset) = 0;
    for (int i = 0; i < KINDS; i++) {
        set(printed("%s=%g", kinds[i].rate, kinds[i].value * (i == 0 ? factor_of_first : 1)));
    }
}

TEST(kinds_by_rate_and_sites)
{
    struct gene_counter ids = {.creature = 1};
    SCOPED(genome) genome;
    int64_t trials = 40000;

    set("breeding.choice=inherited", "initial.bodies_min=4");
    ck_assert_int_eq(genetics_random(&genome, &params, &rng, &ids), 0);
    double weights[KINDS] = {genome.body_count, genome.connection_count, 1, genome.neuron_count};
    double sum = 0, probabilities[KINDS];
    for (int i = 0; i < KINDS; i++)
        sum += weights[i] *= kinds[i].value;
    for (int i = 0; i < KINDS; i++)
        probabilities[i] = weights[i] / sum;
    ck_assert_int_gt(genome.neuron_count, 1);
    for (int is_planted = 0; is_planted < 2; is_planted++) {
        int64_t tally[KINDS] = {0};

        only_these_kinds(is_planted ? 1.12 : 1);
        for (int64_t i = 0; i < trials; i++) {
            struct gene_counter child_ids = {.creature = 2};
            SCOPED(genome) child;
            char text[256];

            ck_assert_int_eq(genome_copy(&child, &genome), 0);
            ck_assert_int_eq(genetics_mutate(&child, 1, &params, &rng, &child_ids, text, 256), 0);
            tally[kind_of(text)]++;
        }
        judge("kinds", tally, probabilities, KINDS, trials, is_planted);
    }
}

/* ---- crossing points ---- */

#define MARK 7.5

enum { SLOTS = 10, POINTS_MAX = 3, SETS_MAX = 1 << SLOTS };

/* A genome with SLOTS genes, none of which is garbage or changes when another is exchanged: a root
 * with one child body, and so many central neurons in a chain that drives the child's joint. */
static void make_row(struct genome *genome)
{
    genome_init(genome);
    for (int i = 0; i < 2; i++) {
        struct body_gene *body = genome_add(genome, GENOME_BODIES);

        *body = (struct body_gene){.id = (gene_id)i + 1,
                                   .width_m = 0.3,
                                   .height_m = 0.2,
                                   .joint = JOINT_ROTARY,
                                   .lower = -1,
                                   .upper = 1,
                                   .recursive_limit = 1};
    }
    genome->root = 1;
    *(struct connection_gene *)genome_add(genome, GENOME_CONNECTIONS) =
        (struct connection_gene){.id = 1, .from = 1, .to = 2, .scale = 1};
    for (int i = 0; i < SLOTS - 3; i++) {
        struct neuron_gene *neuron = genome_add(genome, GENOME_NEURONS);

        neuron->id = (gene_id)i + 1;
        neuron->function = NEURON_ABS;
        neuron->inputs[0] = (struct input_gene){
            .kind = INPUT_NEURON, .scope = SCOPE_CENTRAL, .source = (gene_id)i, .weight = 1};
    }
    genome->neurons[0].inputs[0] = (struct input_gene){.kind = INPUT_CONSTANT, .weight = 1};
    genome->bodies[1].has_effector = 1;
    genome->bodies[1].effector_strength = 1;
    genome->bodies[1].effector_input = (struct input_gene){
        .kind = INPUT_NEURON, .scope = SCOPE_CENTRAL, .source = SLOTS - 3, .weight = 1};
}

static void mark(struct genome *genome)
{
    genome->bodies[0].width_m = genome->bodies[1].width_m = MARK;
    genome->connections[0].scale = MARK;
    for (int i = 0; i < genome->neuron_count; i++)
        genome->neurons[i].inputs[0].weight = MARK;
}

/* The set of places where a child of the row and its marked copy changes sides, bit i between genes
 * i and i + 1 of the chromosome: central neurons, then each body with its connections. */
static int read_points(const struct genome *child)
{
    int sides[SLOTS], count = 0, set_of_points = 0;
    for (int i = 0; i < child->neuron_count; i++)
        sides[count++] = child->neurons[i].inputs[0].weight == MARK;
    sides[count++] = child->bodies[0].width_m == MARK;
    sides[count++] = child->connections[0].scale == MARK;
    sides[count++] = child->bodies[1].width_m == MARK;
    ck_assert_int_eq(count, SLOTS);
    ck_assert_int_eq(sides[0], 0);
    for (int i = 1; i < SLOTS; i++)
        set_of_points |= (sides[i] != sides[i - 1]) << (i - 1);
    return set_of_points;
}

static int count_bits(int bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Sets of crossing points of many children. With a bias one place is given up every tenth time. */
static void throw_points(int64_t sets[SETS_MAX], int64_t trials, int is_planted)
{
    struct gene_counter ids = {.creature = 1000};
    struct genome a, b, child;
    make_row(&a);
    make_row(&b);
    mark(&b);
    memset(sets, 0, SETS_MAX * sizeof(*sets));
    for (int64_t i = 0; i < trials; i++) {
        int points;

        do {
            ck_assert_int_eq(genetics_crossover(&child, &a, &b, &params, &rng, &ids), 0);
            points = read_points(&child);
            genome_deinit(&child);
        } while (is_planted && (points & 8) && rng_chance(&rng, 0.1));
        sets[points]++;
    }
    genome_deinit(&a);
    genome_deinit(&b);
}

/* For each number of points: every place is one of them equally often, and all sets are alike. */
static void judge_places(const int64_t sets[SETS_MAX], int points, int should_be_biased)
{
    int64_t places[SLOTS - 1] = {0}, counts[SETS_MAX], trials = 0;
    double probabilities[SLOTS - 1];
    int set_count = 0;
    for (int s = 0; s < 1 << (SLOTS - 1); s++) {
        if (count_bits(s) != points)
            continue;
        counts[set_count++] = sets[s];
        trials += sets[s];
        for (int i = 0; i < SLOTS - 1; i++)
            places[i] += s & 1 << i ? sets[s] : 0;
    }
    for (int i = 0; i < SLOTS - 1; i++)
        probabilities[i] = points / (SLOTS - 1.0);
    judge("places", places, probabilities, SLOTS - 1, trials, should_be_biased);
    if (!should_be_biased)
        ck_assert_double_gt(statistics_chi_square(counts, set_count, trials), ALARM);
}

TEST_LOOP(crossing_points_are_uniform, 0, !TESTS_ARE_SANITIZED)
{
    static int64_t sets[SETS_MAX];
    int64_t trials = 90000;
    for (int is_planted = 0; is_planted < 2; is_planted++) {
        throw_points(sets, trials, is_planted);
        for (int points = 1; points <= POINTS_MAX; points++)
            judge_places(sets, points, is_planted);
    }
}

/* Uneven sets with even places: those of two neighbours are seldom. The chi square sees it. */
TEST(uneven_sets_are_seen)
{
    int64_t counts[36], trials = 0;
    for (int i = 0; i < 36; i++)
        trials += counts[i] = i % 4 == 0 ? 700 : 833;
    ck_assert_double_lt(statistics_chi_square(counts, 36, trials), ALARM);
}

TEST_LOOP(numbers_of_points_are_uniform, 0, 2)
{
    static int64_t sets[SETS_MAX];
    static const double probabilities[POINTS_MAX + 2] = {0, 1 / 3., 1 / 3., 1 / 3., 0};
    int64_t trials = 30000;
    int64_t tally[POINTS_MAX + 2] = {0};
    if (_i)
        set("breeding.crossover_points_max=4");
    throw_points(sets, trials, 0);
    for (int s = 0; s < SETS_MAX; s++)
        tally[count_bits(s) <= 4 ? count_bits(s) : 4] += sets[s];
    judge("numbers of points", tally, probabilities, POINTS_MAX + 2, trials, _i);
}

/* The two that take longest are left out where sanitizers watch: what they call is checked for its
 * accesses by test_genetics. */
SUITE("genetics_statistics", 300, set_up, NULL)
