/* Polish: the one-fifth rule; a strategy makes a toy's creatures better, in whatever order results
 * come in; which creatures take part, and for how long. */
#include "controller/evolution/polish.h"

#include "common/genetics/genetics.h"
#include "common/genetics/genetics_numbers.h"
#include "tests/plain_fixture.h"

enum { COUNT = 5 };

static struct individual individuals[COUNT];
static struct population population;

static void set_up(void)
{
    params_set_defaults(&params);
    set("evolution.behaviour=platform", "evolution.polish=0.1", "seed=3");
    for (int i = 0; i < COUNT; i++) {
        struct gene_counter ids = {.creature = (uint64_t)i + 1};
        struct rng rng = test_rng(7, 0, (uint64_t)i);
        individuals[i] = (struct individual){.id = (uint64_t)i + 1,
                                             .seed = 100 + (uint64_t)i,
                                             .has_result = 1,
                                             .verdict = VERDICT_OK,
                                             .fitness = 10.0 - i};
        individuals[i].measures.reach_m = 10.0 - i;
        ck_assert_int_eq(genetics_random(&individuals[i].genome, &params, &rng, &ids), 0);
    }
    population = (struct population){.individuals = individuals, .count = COUNT};
}

static void tear_down(void)
{
    for (int i = 0; i < COUNT; i++)
        individual_deinit(&individuals[i]);
}

/* How near all numbers are to half of their size at first; less from another start. */
static double score(const struct individual *tried, const struct trial *trial)
{
    SCOPED(genome) genome, original;
    FREED struct genetics_number *numbers, *first;
    double distance = 0;
    int count, same;
    ck_assert_int_eq(genome_copy(&genome, &tried->genome), 0);
    ck_assert_int_eq(genome_copy(&original, &individuals[tried->id - 1].genome), 0);
    ck_assert_int_eq(genetics_list_numbers(&genome, &params, &numbers, &count), 0);
    ck_assert_int_eq(genetics_list_numbers(&original, &params, &first, &same), 0);
    ck_assert_int_eq(count, same);
    for (int i = 0; i < count; i++)
        distance += fabs(*numbers[i].at - 0.5 * *first[i].at);
    return 100 / (1 + distance) - 0.1 * trial->perturbation;
}

static void tell(struct polish *polish, const struct individual *tried, const struct trial *trial)
{
    struct measures measures = {.reach_m = score(tried, trial)};
    ck_assert_int_eq(polish_tell(polish, tried->id, VERDICT_OK, &measures), 0);
}

/* To the end; in random order if `rng`. Returns how many children there are. */
static int run(struct individual children[POLISH_MOST], uint64_t born, struct rng *rng)
{
    struct polish *polish;
    int done, count, asked_count = 0;
    const struct individual *asked[POLISH_MOST];
    struct trial trials[POLISH_MOST];
    ck_assert_int_eq(polish_create(&polish, &params, &population, born), 0);
    ck_assert_ptr_nonnull(polish);
    while (!polish_is_over(polish)) {
        while (asked_count < POLISH_MOST &&
               (asked[asked_count] = polish_ask(polish, &trials[asked_count])) != NULL) {
            ck_assert_int_eq(trials[asked_count].purpose, TRIAL_POLISH);
            ck_assert(asked[asked_count]->seed == 99 + asked[asked_count]->id);
            asked_count++;
        }
        ck_assert_int_gt(asked_count, 0);
        int k = rng ? (int)rng_below(rng, (uint32_t)asked_count) : 0;
        tell(polish, asked[k], &trials[k]);
        asked_count--;
        asked[k] = asked[asked_count];
        trials[k] = trials[asked_count];
    }
    polish_get_progress(polish, &done, &count);
    ck_assert(done == count && count <= params.evolution_polish * (double)born);
    count = polish_take_children(polish, 4, children);
    polish_destroy(polish);
    return count;
}

TEST(the_step_stays_at_one_success_in_five)
{
    double step = 0.1;
    for (int i = 0; i < 100; i++)
        step = polish_adapt_step(step, i % 5 == 0);
    ck_assert_double_eq_tol(step, 0.1, 1e-12);
    ck_assert_double_gt(polish_adapt_step(0.1, 1), 0.1);
    ck_assert_double_lt(polish_adapt_step(0.1, 0), 0.1);
    for (int i = 0; i < 20; i++)
        step = polish_adapt_step(step, 1);
    ck_assert_double_eq(step, POLISH_STEP_MOST);
    for (int i = 0; i < 100; i++) {
        double before = step;
        step = polish_adapt_step(step, 0);
        ck_assert(step < before || step == POLISH_STEP);
        ck_assert_double_ge(step, POLISH_STEP_LEAST);
    }
}

TEST(the_best_become_better)
{
    struct individual children[POLISH_MOST], again[POLISH_MOST];
    struct trial perturbed = {.perturbation = TRIAL_PERTURBATION_MAX};
    struct rng rng = test_rng(1, 0, 0);
    individuals[1].kept = 0.9;
    ck_assert_int_eq(run(children, 6000, NULL), 3);
    ck_assert_int_eq(run(again, 6000, &rng), 3);
    for (int i = 0; i < 3; i++) {
        struct individual tried = {.id = (uint64_t)i + 1, .genome = children[i].genome};
        ck_assert(children[i].method == METHOD_POLISH && children[i].generation == 4);
        ck_assert(children[i].parents[0] == (uint64_t)i + 1 && children[i].parents[1] == 0);
        ck_assert_double_eq(children[i].kept, i == 1 ? 0.9 : 0);
        ck_assert_double_gt(score(&tried, &perturbed), 1.2 * score(&individuals[i], &perturbed));
        ck_assert_ptr_nonnull(strstr(children[i].mutations, " changed in 200 evaluations: "));
        ck_assert(genome_is_equal(&children[i].genome, &again[i].genome));
        ck_assert_str_eq(children[i].mutations, again[i].mutations);
        individual_deinit(&children[i]);
        individual_deinit(&again[i]);
    }
}

TEST(those_that_move_alike_are_one)
{
    struct polish *polish;
    struct trial trial;
    individuals[1].seed = individuals[0].seed;
    individuals[3].fitness = 0;
    population.unjudged = 1;
    ck_assert_int_eq(polish_create(&polish, &params, &population, 6000), 0);
    ck_assert_uint_eq(polish_ask(polish, &trial)->id, 1);
    ck_assert_uint_eq(polish_ask(polish, &trial)->id, 3);
    ck_assert_ptr_null(polish_ask(polish, &trial));
    polish_destroy(polish);
}

/* A creature gets POLISH_LEAST evaluations, or none. */
TEST(a_short_run_polishes_fewer)
{
    static const struct {
        uint64_t born;
        int creatures;
    } cases[] = {{199, 0}, {200, 1}, {399, 1}, {400, 2}, {600, 3}, {60000, 3}};
    struct polish *polish;
    struct trial trial;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int count = 0;
        ck_assert_int_eq(polish_create(&polish, &params, &population, cases[i].born), 0);
        while (polish && polish_ask(polish, &trial))
            count++;
        ck_assert_int_eq(count, cases[i].creatures);
        polish_destroy(polish);
    }
    params.evolution_polish = 0;
    ck_assert_int_eq(polish_create(&polish, &params, &population, 60000), 0);
    ck_assert_ptr_null(polish);
    params.evolution_polish = 1;
    for (int i = 0; i < COUNT; i++)
        individuals[i].fitness = 0;
    ck_assert_int_eq(polish_create(&polish, &params, &population, 60000), 0);
    ck_assert_ptr_null(polish);
}

/* A simulator that crashes is no success. */
TEST(what_never_succeeds_has_no_child)
{
    static const struct measures none;
    struct individual children[POLISH_MOST];
    struct polish *polish;
    struct trial trial;
    const struct individual *tried;
    ck_assert_int_eq(polish_create(&polish, &params, &population, 600), 0);
    while ((tried = polish_ask(polish, &trial)))
        ck_assert_int_eq(polish_tell(polish, tried->id, VERDICT_QUARANTINED, &none), 0);
    ck_assert(polish_is_over(polish));
    ck_assert_int_eq(polish_take_children(polish, 4, children), 0);
    polish_destroy(polish);
}

SUITE("polish", 0, set_up, tear_down)
