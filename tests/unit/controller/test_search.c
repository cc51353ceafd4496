/* Search: ask and tell, ranking, survival, parents; and that a search taken apart at any point
 * and restored goes on exactly as one that was never stopped. Lagged methods are in
 * test_search_archive.c.
 *
 * The simulator's place is taken by a toy: a creature's "reach" is a function of its genome (ties,
 * zeros, disqualifications and scores that the referee refuses included). Statistical tests have
 * fixed seeds and bounds of 6.2 standard deviations (one false alarm in 1e9 seeds). */
#include "controller/evolution/search.h"

#include <inttypes.h>

#include "common/growth/phenotype_key.h"
#include "controller/evolution/islands.h"
#include "controller/evolution/referee.h"
#include "tests/counts.h"
#include "tests/unit/search_fixture.h"

static void set_up(void)
{
    params_set_defaults(&params);
    set("evolution.search=sims", "seed=77", "population.size=60", "guard.perturbed_runs=1",
        "guard.fine_runs=0", "evolution.generations=8", "evolution.behaviour=platform");
}

/* ---- the toy ---- */

struct score {
    int verdict;
    struct measures measures;
    uint64_t digest;
};

/* Rewards total width near 2 m; a tenth is disqualified, a tenth has no fitness, ties are
 * common. */
static struct score evaluate_toy(const struct individual *individual)
{
    struct score score = {.verdict = VERDICT_OK};
    double width = 0;
    for (int i = 0; i < individual->genome.body_count; i++)
        width += individual->genome.bodies[i].width_m;
    score.digest = genome_hash(&individual->genome);
    score.measures.reach_m = (int)(100 * (1 - fmin(1, fabs(width - 2) / 2))) / 100.0;
    if (score.digest % 10 == 0)
        score.verdict = VERDICT_OVERLAP;
    if (score.digest % 10 == 1)
        score.measures.reach_m = 0;
    return score;
}

/* Where it is now: results move individuals. */
static const struct individual *individual_of(const struct search *of, uint64_t id)
{
    const struct individual *found = find_individual(of, id);
    ck_assert_msg(found, "there is no %" PRIu64, id);
    return found;
}

static int has_all_results(const struct search *of)
{
    const struct population *among = search_population(of);
    int missing = 0;
    for (int i = 0; i < among->count; i++)
        missing += !among->individuals[i].has_result;
    return missing == 0;
}

static void tell_toy(struct search *of, uint64_t id)
{
    struct score score = evaluate_toy(individual_of(of, id));
    const struct individual *told =
        search_tell(of, id, score.verdict, &score.measures, score.digest);
    ck_assert_ptr_nonnull(told);
    ck_assert(told->id == id && told->has_result);
}

/* At a quarter of the step a third of the creatures lose half of their score, and some all of
 * it. */
static struct score score_before_referee(const struct individual *individual)
{
    struct score score = evaluate_toy(individual);
    if (score.digest % 9 == 2)
        score.verdict = VERDICT_OVERLAP;
    else if (score.digest % 3 == 2)
        score.measures.reach_m /= 2;
    else if (score.digest % 5 == 3)
        score.measures.reach_m *= 0.9; /* its untried children stand lower, and may rise */
    return score;
}

/* In the tests that ask for it when all results are there, the referee's word counts at once. */
static void tell_toy_referee(struct search *of, uint64_t id)
{
    struct score score = score_before_referee(individual_of(of, id));
    const struct individual *told = search_tell_referee(of, id, score.verdict, &score.measures);
    ck_assert_ptr_nonnull(told);
    /* its word counts at once, or after that of another before it */
    ck_assert(told->id == id && told->has_result && (told->heard || told->has_glance));
    double share = params.guard_referee_share * told->measures.reach_m;
    ck_assert(!told->heard || (told->fitness < share) == (told->referee_fitness < share));
}

/* Asks for as many as there are, results first, else the referee's; tells up to `count` of them
 * (-1: all) in order, or shuffled. Returns how many were told. */
static int evaluate_round(struct search *of, int count, struct rng *rng)
{
    const struct individual *one;
    uint64_t asked[1000];
    int total = 0;
    while (total < 1000 && (one = search_ask(of)))
        asked[total++] = one->id;
    int is_referee = total == 0 && has_all_results(of);
    while (is_referee && total < 1000 && (one = search_ask_referee(of)))
        asked[total++] = one->id;
    if (count < 0 || count > total)
        count = total;
    for (int i = 0; i < count; i++) {
        int k = rng ? i + (int)rng_below(rng, (uint32_t)(total - i)) : i;
        (is_referee ? tell_toy_referee : tell_toy)(of, asked[k]);
        asked[k] = asked[i];
    }
    return count;
}

/* Tells up to `count` results (-1: all) of the generation, the referee's included. */
static void evaluate_some(struct search *of, int count, struct rng *rng)
{
    int told;
    do {
        told = evaluate_round(of, count, rng);
        count -= count > 0 ? told : 0;
    } while (told > 0 && count != 0);
}

static void run_generation(struct search *of)
{
    evaluate_some(of, -1, NULL);
    ck_assert(search_is_complete(of));
}

/* Evaluates all of the generation, and breeds the next. */
static void pass_generation(struct search *of)
{
    run_generation(of);
    advance(of);
}

static void assert_same_individual(const struct individual *a, const struct individual *b)
{
    ck_assert(a->id == b->id && a->generation == b->generation && a->seed == b->seed);
    ck_assert(a->method == b->method);
    ck_assert(a->parents[0] == b->parents[0] && a->parents[1] == b->parents[1]);
    ck_assert_str_eq(a->mutations, b->mutations);
    ck_assert(genome_is_equal(&a->genome, &b->genome));
    ck_assert_int_eq(a->has_result, b->has_result);
    if (a->has_result) {
        ck_assert_int_eq(a->verdict, b->verdict);
        ck_assert(a->digest == b->digest && a->fitness == b->fitness);
    }
    ck_assert_int_eq(a->heard, b->heard);
    ck_assert(a->referee_fitness == b->referee_fitness);
}

static void assert_same(const struct search *a, const struct search *b)
{
    const struct population *x = search_population(a), *y = search_population(b);
    ck_assert_uint_eq(search_generation(a), search_generation(b));
    ck_assert(search_next_id(a) == search_next_id(b));
    ck_assert_int_eq(x->count, y->count);
    for (int i = 0; i < x->count; i++)
        assert_same_individual(&x->individuals[i], &y->individuals[i]);
}

/* What a store would give back: a deep copy, in an order of its own. */
static struct population copy_population(const struct search *of, struct rng *rng)
{
    const struct population *from = search_population(of);
    struct population copy = {.count = from->count};
    copy.individuals = calloc((size_t)from->count, sizeof(*copy.individuals));
    ck_assert_ptr_nonnull(copy.individuals);
    for (int i = 0; i < from->count; i++) {
        copy_individual(&copy.individuals[i], &from->individuals[i]);
        copy.individuals[i].is_resting = copy.individuals[i].is_counted = 0;
    }
    for (int i = copy.count - 1; rng && i > 0; i--) {
        int k = (int)rng_below(rng, (uint32_t)i + 1);
        struct individual swapped = copy.individuals[i];
        copy.individuals[i] = copy.individuals[k];
        copy.individuals[k] = swapped;
    }
    return copy;
}

static struct search *stop_and_restore(struct search *of, struct rng *rng)
{
    struct population copy = copy_population(of, rng);
    uint32_t generation = search_generation(of);
    uint64_t next_id = search_next_id(of);
    search_destroy(of);
    struct search *restored = search_restore(&params, generation, &copy, next_id);
    ck_assert_ptr_nonnull(restored);
    ck_assert_ptr_null(copy.individuals);
    return restored;
}

/* ---- ask and tell ---- */

TEST(methods_are_those_of_the_parameter)
{
    char names[128] = "";
    for (int i = 0; i < SEARCH_COUNT; i++) {
        strcat(names, i ? "|" : "");
        strcat(names, search_methods[i]->name);
        ck_assert((search_methods[i]->next != NULL) != search_methods[i]->is_lagged);
    }
    ck_assert_str_eq(names, param_table[params_find("evolution.search")].choices);
    ck_assert_str_eq(breeding_method_names[METHOD_GRAFT], "graft");
}

/* ---- bars ---- */

/* All have gone the toy's height as their way, in 10 s. */
static void tell_walkers(double share)
{
    const struct individual *one;
    while ((one = search_ask(search))) {
        double way_m = share * (double)(100 + one->id);
        struct measures measures = {.size_m = 1, .distance_m = way_m, .displacement_m = way_m};
        search_tell(search, one->id, VERDICT_OK, &measures, one->id);
    }
    ck_assert(search_is_complete(search));
}

static int count_bars(void)
{
    int bars = 0;
    for (each(one))
        bars += early_stop_has_bar(&one->bar);
    return bars;
}

/* The slowest survivor of all sets the bar, in the unit of the behaviour. */
TEST_LOOP(the_slowest_survivor_sets_the_bar, 0, 2)
{
    const struct individual *last;
    params.evolution_behaviour = _i ? BEHAVIOUR_SWIM : BEHAVIOUR_WALK;
    set("guard.hopeless_share=0.5", "guard.referee_top=0");
    begin();
    ck_assert_int_eq(count_bars(), 0);
    while (_i == 1 && (last = search_ask(search))) {
        struct measures measures = {.size_m = 1, .displacement_m = (double)last->id};
        for (int k = 0; k < MEASURE_WINDOWS; k++)
            measures_set(&measures, MEASURE_window_1_m + k, (double)last->id / 8);
        search_tell(search, last->id, VERDICT_OK, &measures, 1);
    }
    if (_i == 0)
        tell_walkers(1);
    last = &population->individuals[search_survivor_count(search) - 1];
    double pace = (_i == 0 ? last->measures.distance_m : last->measures.displacement_m) /
                  params.simulation_duration_s;
    advance(search);
    for (each(one)) {
        ck_assert(early_stop_has_bar(&one->bar) == !one->has_result);
        if (one->has_result)
            continue;
        ck_assert_double_eq(one->bar.sizes_s, _i == 0 ? 0.5 * pace : 0);
        ck_assert_double_eq(one->bar.m_s, _i == 1 ? 0.5 * pace : 0);
    }
}

/* No bar: switched off, places for survivors left that any score would fill, or a behaviour in
 * which a late start may win. */
TEST_LOOP(there_may_be_no_bar, 0, 3)
{
    params.guard_referee_top = 0;
    params.evolution_behaviour = _i == 2 ? BEHAVIOUR_PLATFORM : BEHAVIOUR_WALK;
    params.guard_hopeless_share = _i == 0 ? 0 : 1;
    begin();
    tell_walkers(_i == 1 ? 1.0 / 305 : 1);
    advance(search);
    ck_assert_int_eq(count_bars(), 0);
}

/* And everyone is asked for once. */
TEST(the_first_generation_is_random)
{
    begin();
    ck_assert_uint_eq(search_generation(search), 0);
    ck_assert_int_eq(population->count, 60);
    ck_assert(search_next_id(search) == 61);
    uint64_t id = 0;
    for (each(one)) {
        ck_assert(one->id == ++id && search_ask(search)->id == id);
        ck_assert_int_eq(one->method, METHOD_RANDOM);
        ck_assert(one->parents[0] == 0 && one->parents[1] == 0 && !one->has_result);
        ck_assert_int_eq(genome_check(&one->genome, &error), 0);
        ck_assert(id == 1 || !genome_is_equal(&one->genome, &one[-1].genome));
    }
    ck_assert_ptr_null(search_ask(search));
    ck_assert(!search_is_complete(search));
    search_destroy(NULL);
}

/* Over some generations, so that there are copies where children are drawn once. */
TEST_LOOP(those_who_move_alike_have_one_seed, 0, 2)
{
    struct phenotype_key keys[60];
    int alike = 0, count = 0;
    params.breeding_draws = _i ? 8 : 1;
    begin();
    arena_open(PHENOTYPE_KEY_ARENA_BYTES);
    for (int i = 0; i < 4; i++)
        pass_generation(search);
    for (each(one)) {
        ck_ok(phenotype_key_grow(&keys[count], &one->genome, &params,
                                 &(struct trial){.purpose = TRIAL_FIRST}, 0, &arena));
        for (int k = 0; k < count; k++) {
            int is_alike = phenotype_key_is_equal(&keys[count], &keys[k]);
            ck_assert_int_eq(one->seed == population->individuals[k].seed, is_alike);
            alike += is_alike;
        }
        count++;
    }
    ck_assert(_i ? alike <= 1 : alike > 5);
}

TEST(strange_results_change_nothing)
{
    begin();
    struct measures measures = {.reach_m = 3};
    ck_assert_ptr_null(search_tell(search, 0, VERDICT_OK, &measures, 1));
    ck_assert_ptr_null(search_tell(search, 61, VERDICT_OK, &measures, 1));
    const struct individual *told = search_tell(search, 5, VERDICT_OK, &measures, 11);
    ck_assert_ptr_nonnull(told);
    ck_assert(told->id == 5 && told->fitness == 3 && told->digest == 11);
    measures.reach_m = 9;
    ck_assert_ptr_null(search_tell(search, 5, VERDICT_OK, &measures, 12));
    ck_assert(told->fitness == 3 && told->digest == 11);
    evaluate_some(search, -1, NULL);
    ck_assert(search_is_complete(search));
    /* Nor when it is ranked. */
    ck_assert_ptr_null(search_tell(search, 5, VERDICT_OK, &measures, 12));
    ck_assert_ptr_null(search_tell(search, 99, VERDICT_OK, &measures, 12));
    ck_assert_ptr_null(search_ask(search));
}

TEST(the_complete_population_is_ranked)
{
    int ties = 0;
    begin();
    run_generation(search);
    for (each(one)) {
        if (one == population->individuals)
            continue;
        ck_assert(one[-1].fitness > one->fitness ||
                  (one[-1].fitness == one->fitness && one[-1].id < one->id));
        ties += one[-1].fitness == one->fitness;
    }
    ck_assert_int_gt(ties, 0);
}

TEST(other_seeds_give_other_runs)
{
    begin();
    params.run_seed = 78;
    OWNED(search) *other = search_create(&params, NULL);
    ck_assert(!genome_is_equal(&population->individuals[0].genome,
                               &search_population(other)->individuals[0].genome));
}

/* ---- the referee ---- */

/* Scores by rank of birth: creature 1 has 1 m, creature 60 has 60 m. */
static void make_ladder(int top)
{
    const struct individual *one;
    params.guard_referee_top = top;
    begin();
    while ((one = search_ask(search))) {
        if (one->id < 54)
            ck_assert_ptr_null(search_ask_referee(search));
        ck_assert_ptr_null(search_tell_referee(search, one->id, VERDICT_OK,
                                               &(struct measures){.reach_m = (double)one->id}));
        tell_reach(one->id, VERDICT_OK, (double)one->id);
    }
}

/* Those that the referee is to try, in their order, and no others; 0: none. */
#define expect_called(...) expect_all_called((const uint64_t[]){__VA_ARGS__, 0})

static void expect_all_called(const uint64_t *ids)
{
    for (; *ids; ids++) {
        const struct individual *individual = search_ask_referee(search);
        ck_assert_ptr_nonnull(individual);
        ck_assert_uint_eq(individual->id, *ids);
    }
    ck_assert_ptr_null(search_ask_referee(search));
}

/* At a quarter of the step the creature keeps this share of its score. NULL: nobody has asked. */
static const struct individual *say_share(uint64_t id, double share)
{
    struct measures measures = {.reach_m = share * (double)id};
    return search_tell_referee(search, id, VERDICT_OK, &measures);
}

static const struct individual *tell_share(uint64_t id, double share)
{
    const struct individual *told = say_share(id, share);
    ck_assert_ptr_nonnull(told);
    return told;
}

/* An accepted creature has the least of its scores; others, that come up so, are called. */
TEST(the_least_score_counts)
{
    const struct individual *individuals;
    params.guard_score = SCORE_LEAST;
    make_ladder(2);
    individuals = population->individuals;
    expect_called(60, 59);
    ck_assert_double_eq(tell_share(60, 0.75)->fitness, 45);
    ck_assert_double_eq(tell_share(59, 3)->fitness, 59);
    expect_called(58);
    /* which keeps less than guard.referee_share, and so counts less than that */
    ck_assert_double_eq_tol(tell_share(58, 0.5)->fitness, 29 * 0.5 / 0.7, 1e-12);
    expect_called(57);
    ck_assert_double_eq(tell_share(57, 1)->fitness, 57);
    ck_assert(search_is_complete(search));
    ck_assert(individuals[0].id == 59 && individuals[1].id == 57 && individuals[2].id == 56);
    /* of the one with 45 that is not called, and the one that has it by the referee, the older */
    ck_assert(individuals[13].id == 45 && individuals[14].id == 60);
}

/* The first of all is tried at a quarter of the step, too, and only while it is the first. */
TEST(the_first_is_tried_finely)
{
    params.guard_fine_runs = 1;
    make_ladder(3);
    expect_called(60, 59, 58);
    tell_share(59, 1);
    tell_share(58, 1);
    expect_called(0);
    const struct individual *told = tell_share(60, 0.99);
    ck_assert(told->heard == REFEREE_TOP && told->fitness == 0.99 * 60);
    expect_called(60);
    take(stop_and_restore(search, NULL));
    expect_called(60, 59, 58);
    ck_assert_int_eq(individual_of(search, 60)->referee_trial, 1);
    tell_share(59, 1);
    tell_share(58, 1);
    told = tell_share(60, 0.96);
    ck_assert(told->heard == REFEREE_FIRST && told->fitness == 0.96 * 60);
    ck_assert_str_eq(told->referee_words, "keeps 96 % from perturbed start 1 at h/4");
    /* another has become the first */
    expect_called(59);
    ck_assert_double_eq(tell_share(59, 1)->fitness, 59);
    ck_assert(search_is_complete(search));
    ck_assert_int_eq(individual_of(search, 58)->heard, REFEREE_TOP);
}

/* An untried child stands at its score times what its nearest tried ancestor kept. */
TEST(children_stand_at_what_their_ancestors_kept)
{
    struct measures measures = {.reach_m = 10};
    struct individual parent = {.verdict = VERDICT_OK, .measures = measures, .fitness = 10};
    ck_assert_double_eq(referee_kept(&parent, &params), 0);
    parent.kept = 0.8;
    ck_assert_double_eq(referee_kept(&parent, &params), 0.8);
    parent.heard = REFEREE_TOP;
    parent.fitness = 9.5;
    ck_assert_double_eq(referee_kept(&parent, &params), 0.95);
    parent.fitness = 11; /* a mean */
    ck_assert_double_eq(referee_kept(&parent, &params), 1);
    /* one that was refused leaves what it had */
    parent.fitness = 0;
    ck_assert_double_eq(referee_kept(&parent, &params), 0.8);

    params.guard_score = SCORE_LEAST;
    make_ladder(60);
    for (const struct individual *one; (one = search_ask_referee(search));)
        tell_share(one->id, 0.9);
    advance(search);
    for (const struct individual *one; (one = search_ask(search));) {
        ck_assert_double_eq_tol(one->kept, 0.9, 1e-15);
        ck_assert_double_eq(search_tell(search, one->id, VERDICT_OK, &measures, 1)->fitness,
                            one->kept * 10);
        break;
    }
}

/* The mean of its own score and its trials', of both stages; a restart knows it. */
TEST(the_mean_score_counts)
{
    set("guard.score=mean", "guard.perturbed_runs=2", "guard.fine_runs=1");
    make_ladder(2);
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_nonnull(search_ask_referee(search));
    ck_assert_double_eq(tell_share(60, 0.4)->fitness, 60);
    ck_assert_uint_eq(search_ask_referee(search)->id, 60);
    const struct individual *told = tell_share(60, 1.6);
    ck_assert(told->heard == REFEREE_TOP && told->fitness == 60);
    ck_assert_str_eq(told->referee_words, "keeps 100 % in the mean of 3 starts");
    take(stop_and_restore(search, NULL));
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_nonnull(search_ask_referee(search));
    told = tell_share(60, 1.4);
    ck_assert(told->heard == REFEREE_FIRST);
    ck_assert_double_eq_tol(told->fitness, 1.1 * 60, 1e-12);
    ck_assert_double_eq(tell_share(59, 0)->fitness, 59);
    ck_assert_uint_eq(search_ask_referee(search)->id, 59);
    /* a third of its score is less than guard.referee_share */
    ck_assert_double_eq_tol(tell_share(59, 0)->fitness, 59.0 / 3 / 3 / 0.7, 1e-12);
}

TEST(the_referee_sees_the_top)
{
    static const uint64_t ranks[] = {60, 58, 56, 55, 53, 52};
    const struct individual *individuals;
    struct measures measures = {.reach_m = 100};
    params.guard_score = SCORE_OWN;
    make_ladder(5);
    individuals = population->individuals;
    ck_assert(!search_is_complete(search));
    expect_called(60, 59, 58, 57, 56);
    tell_share(60, 2);
    tell_share(58, params.guard_referee_share);
    tell_share(56, 1);
    /* the word of one counts when those before it have theirs */
    const struct individual *refused = search_tell_referee(search, 57, VERDICT_OVERLAP, &measures);
    ck_assert(refused->fitness == 57 && !refused->heard);
    refused = tell_share(59, 0.69);
    ck_assert(individual_of(search, 57)->fitness == 0);
    ck_assert(individual_of(search, 57)->referee_fitness == 0);
    ck_assert(refused->fitness == 0 && refused->heard);
    ck_assert(refused->referee_fitness == 0.69 * 59);
    ck_assert(refused->verdict == VERDICT_OK && refused->measures.reach_m == 59);
    ck_assert(refused->digest == 59);

    /* Two came up. */
    ck_assert(!search_is_complete(search));
    expect_called(55, 54);
    tell_share(54, 0);
    tell_share(55, 1);
    expect_called(53);
    tell_share(53, 1);
    ck_assert(search_is_complete(search));
    expect_called(0);
    for (int i = 0; i < 6; i++)
        ck_assert(individuals[i].id == ranks[i] && individuals[i].fitness == (double)ranks[i]);
    for (int i = 57; i < 60; i++)
        ck_assert(individuals[i].fitness == 0 && individuals[i].heard);
}

TEST(strange_words_of_the_referee_change_nothing)
{
    make_ladder(3);
    ck_assert_ptr_null(say_share(0, 1));
    ck_assert_ptr_null(say_share(61, 1));
    ck_assert_ptr_null(say_share(57, 1));
    /* One that was not asked for is not taken, another once. */
    ck_assert_ptr_null(say_share(59, 0));
    expect_called(60, 59, 58);
    tell_share(59, 1);
    ck_assert_ptr_null(say_share(59, 0));
    tell_share(58, 1);
    tell_share(60, 1);
    ck_assert(search_is_complete(search));
    ck_assert_ptr_null(say_share(60, 0));
    ck_assert(population->individuals[0].id == 60);
}

/* Asks as a farm of three does: the referee's first, told in random order. Counts those that the
 * referee saw before all results were there, and those of them without a call. */
static void evaluate_eagerly(struct search *of, struct rng *rng, int *early, int *needless)
{
    uint64_t tasks[3], seen[100];
    int is_referee[3], count = 0, seen_count = 0;
    while (!search_is_complete(of)) {
        while (count < 3) {
            const struct individual *one = search_ask_referee(of);
            is_referee[count] = one != NULL;
            if (!one && !(one = search_ask(of)))
                break;
            tasks[count++] = one->id;
        }
        ck_assert_int_gt(count, 0);
        int k = (int)rng_below(rng, (uint32_t)count);
        if (is_referee[k] && !has_all_results(of))
            seen[seen_count++] = tasks[k];
        (is_referee[k] ? tell_toy_referee : tell_toy)(of, tasks[k]);
        tasks[k] = tasks[--count];
        is_referee[k] = is_referee[count];
    }
    *early += seen_count;
    for (int k = 0; k < seen_count; k++)
        *needless += !individual_of(of, seen[k])->heard;
}

/* Workers need not wait for the rest of the top. */
TEST(who_comes_up_is_called_at_once)
{
    const struct individual *one;
    uint64_t last = 0;
    int called = 0;
    begin();
    while ((one = search_ask(search)))
        tell_toy(search, one->id);
    for (; (one = search_ask_referee(search)); called++)
        last = one->id;
    ck_assert_int_gt(called, 1);
    ck_assert_ptr_nonnull(
        search_tell_referee(search, last, VERDICT_OVERLAP, &(struct measures){0}));
    ck_assert_ptr_nonnull(search_ask_referee(search));
}

/* A creature that the referee sees early, before its call is sure, changes nothing. */
TEST(the_referee_may_look_early)
{
    int early = 0, needless = 0;
    params.evolution_generations = 30;
    begin();
    OWNED(search) *patient = search_create(&params, NULL);
    struct rng rng = test_rng(5, 0, 0);
    for (int generation = 0; generation < 30; generation++) {
        evaluate_some(patient, -1, NULL);
        evaluate_eagerly(search, &rng, &early, &needless);
        assert_same(patient, search);
        advance(patient);
        advance(search);
        assert_same(patient, search);
    }
    ck_assert_msg(early > 30 && needless < early / 2, "%d early, %d needless", early, needless);
}

/* Refused early, but beaten by later ones: never called for, so not refused. */
TEST(what_nobody_calls_for_changes_nothing)
{
    params.guard_referee_top = 3;
    begin();
    for (uint64_t id = 1; id <= 60; id++) {
        ck_assert_uint_eq(search_ask(search)->id, id);
        tell_reach(id, VERDICT_OK, (double)id);
        for (uint64_t top = 52; id == 54 && top <= 54; top++) {
            ck_assert_uint_eq(search_ask_referee(search)->id, top);
            ck_assert(!tell_share(top, 0)->heard);
        }
    }
    expect_called(60, 59, 58);
    for (uint64_t id = 60; id >= 58; id--)
        tell_share(id, 1);
    ck_assert(search_is_complete(search));
    uint64_t id = 60;
    for (each(one)) {
        ck_assert(one->id == id && one->fitness > 0);
        ck_assert_int_eq(one->heard != REFEREE_NOT, id-- >= 58);
    }
}

TEST(the_referee_can_be_off)
{
    make_ladder(0);
    ck_assert(search_is_complete(search));
    expect_called(0);
    ck_assert_ptr_null(say_share(60, 0));
    /* Switched off for a resumed run: what it said before does not count. */
    make_ladder(1);
    expect_called(60);
    tell_share(60, 0);
    params.guard_referee_top = 0;
    take(stop_and_restore(search, NULL));
    ck_assert(search_is_complete(search));
    ck_assert(population->individuals[0].fitness == 60);
}

/* More places than creatures, and none is accepted. */
TEST(everyone_may_be_refused)
{
    make_ladder(1000);
    for (uint64_t id = 60; id > 0; id--) {
        ck_assert_uint_eq(search_ask_referee(search)->id, id);
        tell_share(id, 0);
    }
    ck_assert(search_is_complete(search));
    ck_assert_int_eq(search_survivor_count(search), 1);
    advance(search);
    ck_assert_int_eq(population->individuals[59].method, METHOD_RANDOM);
}

/* None twice in a whole run, survivors included; in the end the top consists of accepted ones. */
TEST_LOOP(nobody_is_seen_twice, 0, 2)
{
    enum { IDS = 1000 };
    char is_seen[IDS] = {0};
    const struct individual *asked;
    int seen = 0;
    params.evolution_reevaluate = _i;
    begin();
    for (;;) {
        evaluate_round(search, -1, NULL);
        while ((asked = search_ask_referee(search))) {
            ck_assert(asked->id < IDS && !is_seen[asked->id]);
            is_seen[asked->id] = 1;
            seen++;
            tell_toy_referee(search, asked->id);
        }
        ck_assert(search_is_complete(search));
        for (each(one)) {
            ck_assert_int_eq(one->heard, is_seen[one->id]);
            ck_assert(one - population->individuals >= 10 || one->heard || one->fitness == 0);
        }
        if (search_is_finished(search))
            break;
        advance(search);
    }
    ck_assert(seen > 20 && seen < 8 * 30);
}

/* ---- stopping and going on ---- */

/* Whether all results are there, but not the referee's. */
static int is_before_referee(struct search *of)
{
    return has_all_results(of) && !search_is_complete(of);
}

/* Generations 0 to 2 and 3 to 5 are the islands, 6 to 8 what follows. */
static void set_up_islands(void)
{
    set("evolution.generations=9", "evolution.islands=2", "evolution.island_generations=3",
        "evolution.islands_merged=1", "evolution.living_draws=3");
}

/* Four starts of two generations, 0 to 7; then the best two have two more each, 8 to 11. */
static void set_up_halving(void)
{
    set_up_islands();
    set("evolution.generations=14", "evolution.islands=4", "evolution.island_generations=2",
        "evolution.island_halvings=1");
}

/* Straight on the one side; on the other stopped and restored before, in the middle of (at a random
 * number of results, told in random order) and after each generation. */
TEST_LOOP(restored_equals_uninterrupted, 0, 12)
{
    int stops_before_referee = 0;
    params.evolution_search = _i % 2 ? SEARCH_RANDOM : SEARCH_SIMS;
    params.evolution_reevaluate = _i / 2 % 2;
    params.guard_fine_runs = _i / 2 % 2;
    if (_i >= 4)
        set_up_islands();
    if (_i >= 8)
        set_up_halving();
    OWNED(search) *straight = search_create(&params, NULL);
    begin();
    struct rng rng = test_rng(2, 0, (uint64_t)_i);
    while (!search_is_finished(straight)) {
        ck_assert(!search_is_complete(straight));
        for (int stops = 0; stops < 3; stops++) {
            evaluate_some(search, (int)rng_below(&rng, 30), &rng);
            take(stop_and_restore(search, stops == 1 ? NULL : &rng));
        }
        /* Now the results that are left, and the referee bit by bit. */
        evaluate_round(search, -1, &rng);
        while (is_before_referee(search)) {
            stops_before_referee++;
            take(stop_and_restore(search, &rng));
            evaluate_some(search, 1 + (int)rng_below(&rng, 4), &rng);
        }
        evaluate_some(search, -1, &rng);
        take(stop_and_restore(search, &rng));
        ck_assert(search_is_complete(search));
        run_generation(straight);
        assert_same(straight, search);
        if (search_is_finished(straight))
            break;
        advance(straight);
        advance(search);
        assert_same(straight, search);
        take(stop_and_restore(search, &rng));
    }
    ck_assert_uint_eq(search_generation(straight), params.evolution_generations - 1);
    ck_assert(search_is_complete(straight) && search_is_finished(search));
    ck_assert_int_gt(stops_before_referee, _i < 4 ? 8 : 4);
}

/* Two changed copies of the best, as polish makes them. */
static void add_two(struct search *of)
{
    struct individual children[2];
    for (int i = 0; i < 2; i++) {
        const struct individual *parent = &search_population(of)->individuals[i];
        children[i] = (struct individual){
            .generation = search_generation(of), .method = METHOD_POLISH, .parents = {parent->id}};
        ck_assert_int_eq(genome_copy(&children[i].genome, &parent->genome), 0);
        children[i].genome.bodies[0].width_m *= 1.001;
    }
    ck_assert_int_eq(search_add(of, children, 2), 0);
}

/* Newborns of the complete last generation are news, are judged as all others, and breed on where
 * the run becomes longer. */
TEST(the_last_generation_gets_more)
{
    const struct individual *newborn;
    params.evolution_generations = 3;
    begin();
    OWNED(search) *straight = search_create(&params, NULL);
    struct search *both[] = {straight, search};
    for (int i = 0; i < 2; i++) {
        run_generation(both[i]);
        while (!search_is_finished(both[i])) {
            advance(both[i]);
            run_generation(both[i]);
        }
        ck_assert_int_eq(search_count_added(both[i]), 0);
        add_two(both[i]);
    }
    ck_assert(!search_is_complete(straight) && search_count_added(straight) == 2);
    uint64_t first = search_next_id(straight) - 2;
    int count = search_population(straight)->count;
    for (uint64_t id = first; id < first + 2; id++) {
        ck_assert_int_eq(search_take_newborn(straight, &newborn), 0);
        ck_assert(newborn && newborn->id == id && newborn->seed != 0);
    }
    ck_assert_int_eq(search_take_newborn(straight, &newborn), 0);
    ck_assert_ptr_null(newborn);
    struct rng rng = test_rng(2, 0, 0);
    take(stop_and_restore(search, &rng));
    ck_assert_uint_eq(search_ask(straight)->id, first);
    tell_toy(straight, first);
    evaluate_some(straight, -1, NULL);
    evaluate_some(search, 1, NULL);
    take(stop_and_restore(search, &rng));
    evaluate_some(search, -1, NULL);
    assert_same(straight, search);
    ck_assert(search_is_finished(straight) && search_is_finished(search));
    ck_assert(population->count == count && population->more == 2);
    ck_assert_int_eq(search_population(straight)->more, 2);
    params.evolution_generations = 4;
    take(stop_and_restore(search, NULL));
    ck_assert(!search_is_finished(search));
    advance(search);
    ck_assert_int_eq(population->count, 60);
    ck_assert_int_eq(search_count_added(search), 0);
}

static double best_fitness(void)
{
    return population->individuals[0].fitness;
}

/* How many of that start are there, and of these how many take no part. */
static int count_of_island(int island, int *resting)
{
    int count = 0;
    *resting = 0;
    for (each(one)) {
        count += one->island == island;
        *resting += one->island == island && one->is_resting;
    }
    return count;
}

/* A fifth of 60 survive: 12 rest, and none of them is asked for, ranked or a parent before the
 * islands are over. Then only the better island has children. */
TEST(islands_begin_anew_and_the_best_breeds_on)
{
    double best[2];
    int done, needed;
    set_up_islands();
    begin();
    for (int island = 0; island < 2; island++) {
        for (int i = 0; i < 3; i++) {
            search_get_progress(search, &done, &needed);
            ck_assert_int_eq(needed, 60);
            run_generation(search);
            ck_assert_int_eq(population->unjudged, 12 * island);
            best[island] = best_fitness();
            advance(search);
        }
        int resting = 0;
        for (each(one)) {
            resting += one->is_resting && one->generation < 3;
            ck_assert(island == 1 || one->is_resting ||
                      (one->method == METHOD_RANDOM && one->generation == 3));
        }
        ck_assert_int_eq(resting, island ? 0 : 12);
    }
    uint32_t better = best[1] > best[0];
    ck_assert_double_ne(best[0], best[1]);
    ck_assert_int_eq(population->count, 60);
    for (each(one))
        ck_assert(one - population->individuals < 12 ? one->generation / 3 == better
                                                     : !one->has_result);
    run_generation(search);
    ck_assert_double_ge(best_fitness(), fmax(best[0], best[1]));
}

/* Of four starts the best two go on, one after the other, in the order in which they began; then
 * the better of these. */
TEST(the_best_half_of_the_starts_goes_on)
{
    double best[5] = {0};
    int going[2], count = 0, resting;
    char name[ISLANDS_TEXT_SIZE];
    set_up_halving();
    ck_assert_int_eq(islands_count(&params), 4);
    begin();
    for (int generation = 0; generation < 8; generation++) {
        int island = generation / 2 + 1;
        ck_assert_int_eq(islands_is_start(&params, (uint32_t)generation), generation % 2 == 0);
        run_generation(search);
        ck_assert_int_ge(count_of_island(island, &resting), 60);
        ck_assert_int_eq(resting, 0);
        best[island] = best_fitness();
        advance(search);
    }
    for (int island = 1; island <= 4; island++) {
        int better = 0;
        for (int other = 1; other <= 4; other++)
            better += best[other] > best[island] || (best[other] == best[island] && other < island);
        if (better < 2)
            going[count++] = island;
    }
    for (int generation = 8; generation < 12; generation++) {
        int island = going[generation >= 10], other = going[generation < 10];
        islands_name_start(&params, (uint32_t)generation, name);
        ck_assert_str_eq(name, generation < 10 ? "start 1 of the best 2" : "start 2 of the best 2");
        ck_assert(!islands_is_start(&params, (uint32_t)generation));
        ck_assert(count_of_island(island, &resting) == 60 && resting == 0);
        ck_assert(count_of_island(other, &resting) == 12 && resting == 12);
        run_generation(search);
        ck_assert_double_ge(best_fitness(), best[island]);
        best[island] = best_fitness();
        advance(search);
    }
    islands_name_start(&params, 12, name);
    ck_assert_str_eq(name, "");
    ck_assert_int_eq(population->count, 60);
    ck_assert_int_eq(count_of_island(going[best[going[1]] > best[going[0]]], &resting), 12);
    ck_assert_int_eq(count_of_island(0, &resting), 48);
}

/* As many more as are dead, in rounds, up to thrice the population. */
TEST(the_dead_of_a_start_are_drawn_again)
{
    int living = 0;
    params.evolution_living_draws = 3;
    begin();
    run_generation(search);
    for (each(one)) {
        living += verdict_is_scored(one->verdict);
        ck_assert_int_eq(one->method, METHOD_RANDOM);
    }
    ck_assert_int_eq(living, 60);
    ck_assert_int_gt(population->count, 60);
    ck_assert_int_eq(population->more, population->count - 60);
    ck_assert_int_eq(search_survivor_count(search), 12);
    advance(search);
    ck_assert_int_eq(population->count, 60);
    run_generation(search);
    ck_assert_int_eq(population->count, 60);
}

/* 30 generations hold five islands of three and as many after them; fewer hold fewer, or none. */
TEST(short_runs_have_fewer_islands)
{
    static const struct {
        int generations, count;
    } cases[] = {{30, 5}, {18, 5}, {17, 4}, {9, 2}, {8, 1}, {2, 1}};

    set("evolution.islands=5", "evolution.island_generations=3");
    for (int i = 0; i < 6; i++) {
        params.evolution_generations = cases[i].generations;
        ck_assert_int_eq(islands_count(&params), cases[i].count);
        for (uint32_t g = 0; g < 30; g++) {
            int is_start = g % 3 == 0 && (int)g < 3 * cases[i].count;
            ck_assert_int_eq(islands_is_start(&params, g), cases[i].count > 1 ? is_start : g == 0);
        }
    }
    ck_assert_int_eq(search_check_params(&params, &error), 0);
    params.interactive_share = 0.5;
    ck_assert_int_eq(search_check_params(&params, &error), ERR_RANGE);
}

TEST(settings_may_change_when_restored)
{
    begin();
    run_generation(search);
    set("population.size=90", "evolution.behaviour=walk");
    take(stop_and_restore(search, NULL));
    /* The measures have no walk in them. */
    ck_assert(population->individuals[0].fitness == 0);
    advance(search);
    ck_assert_int_eq(population->count, 90);
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    take(stop_and_restore(search, NULL));
    run_generation(search);
    params.population_size = 10;
    take(stop_and_restore(search, NULL));
    advance(search);
    ck_assert_int_eq(population->count, 10);
}

/* A next id from a damaged store must not give an id twice. */
TEST(ids_are_not_given_twice)
{
    begin();
    run_generation(search);
    struct population copy = copy_population(search, NULL);
    drop_search();
    take(search_restore(&params, 0, &copy, 3));
    ck_assert(search_next_id(search) == 61);
}

/* ---- survival ---- */

TEST(survivors_keep_their_results)
{
    struct individual best[12];
    int missing = 0;
    begin();
    run_generation(search);
    ck_assert_int_eq(search_survivor_count(search), 12);
    memcpy(best, population->individuals, sizeof(best));
    advance(search);
    ck_assert_uint_eq(search_generation(search), 1);
    ck_assert_int_eq(population->count, 60);
    ck_assert(search_next_id(search) == 61 + 48);
    for (each(one)) {
        int is_survivor = 0;
        ck_assert(one == population->individuals || one[-1].id < one->id);
        for (int k = 0; k < 12; k++)
            is_survivor |= best[k].id == one->id && best[k].fitness == one->fitness;
        ck_assert(one->has_result == is_survivor && (one->id <= 60) == is_survivor);
        ck_assert_uint_eq(one->generation, is_survivor ? 0 : 1);
        missing += !one->has_result;
    }
    ck_assert_int_eq(missing, 48);
}

TEST(survivors_can_be_simulated_again)
{
    params.evolution_reevaluate = 1;
    begin();
    pass_generation(search);
    for (int i = 0; i < 60; i++)
        ck_assert_ptr_nonnull(search_ask(search));
    ck_assert_ptr_null(search_ask(search));
}

/* Tells every result: the first `good` ids get a fitness, the others none; the referee agrees. */
static void tell_good(uint64_t good)
{
    const struct individual *one;
    while ((one = search_ask(search)))
        tell_reach(one->id, VERDICT_OK, one->id <= good);
    while ((one = search_ask_referee(search))) {
        struct measures measures = one->measures;
        search_tell_referee(search, one->id, VERDICT_OK, &measures);
    }
}

/* With 5 good ones of 12 survivors there are 48 children, and random ones in the places of 7. With
 * none, one stays, so that the generation has a best, but it does not breed. */
TEST_LOOP(zeros_are_replaced_by_random_ones, 0, 2)
{
    int bred = 0, fresh = 0;
    uint64_t good = _i ? 0 : 5;
    begin();
    tell_good(good);
    ck_assert_int_eq(search_survivor_count(search), _i ? 1 : 5);
    advance(search);
    ck_assert_int_eq(population->count, 60);
    for (each(one)) {
        ck_assert(!one->has_result || one->id <= good || _i);
        bred += !one->has_result && one->method != METHOD_RANDOM;
        fresh += !one->has_result && one->method == METHOD_RANDOM;
        ck_assert(one->parents[0] <= good && one->parents[1] <= good);
    }
    ck_assert_int_eq(bred, _i ? 0 : 48);
    ck_assert_int_eq(fresh, _i ? 59 : 7);
}

TEST(small_and_immortal_populations_work)
{
    params.population_size = 2;
    begin();
    for (int i = 0; i < 5; i++) {
        tell_good(UINT64_MAX);
        ck_assert_int_eq(search_survivor_count(search), 1);
        advance(search);
    }
    params.population_survival = 1;
    begin();
    tell_good(UINT64_MAX);
    ck_assert_int_eq(search_survivor_count(search), 2);
    advance(search);
    ck_assert(search_is_complete(search));
    ck_assert(search_next_id(search) == 3);
}

/* ---- parents ---- */

enum { PARENTS = 5, CHILDREN = 8000 };

/* Breeding genes of the parents by id, where methods are inherited; they can be without. */
static int parent_genes[PARENTS + 1];
static int has_unset_parents;

static struct individual children[CHILDREN];

static void forget_children(void)
{
    drop_search();
    for (int i = 0; i < CHILDREN; i++)
        individual_deinit(&children[i]);
    memset(children, 0, sizeof children);
}

static int count_by(int method)
{
    int count = 0;
    for (int i = 0; i < CHILDREN; i++)
        count += children[i].method == method;
    return count;
}

/* Breeds them from parents whose ids are 1 .. and whose fitness equals their id, best first. */
static void breed_many(void)
{
    struct population ranked = {.count = PARENTS};
    forget_children();
    params.population_size = PARENTS;
    params.population_survival = 1;
    begin();
    ranked.individuals = population->individuals;
    for (int i = 0; i < PARENTS; i++) {
        ranked.individuals[i].id = (uint64_t)(PARENTS - i);
        ranked.individuals[i].fitness = PARENTS - i;
        if (params.breeding_choice == CHOICE_INHERITED)
            ranked.individuals[i].genome.breeding =
                has_unset_parents ? BREEDING_UNSET : (uint8_t)(BREEDING_ASEXUAL + i % 3);
        parent_genes[PARENTS - i] = ranked.individuals[i].genome.breeding;
    }
    for (int i = 0; i < CHILDREN; i++) {
        children[i].id = (uint64_t)(PARENTS + 1 + i);
        children[i].generation = 1;
    }
    ck_assert_int_eq(search_sims.next(&params, 1, &ranked, PARENTS, children, CHILDREN), 0);
}

/* The shares of the methods as the parameters have them by default. */
static void check_shares(void)
{
    ck_assert_int_eq(count_by(METHOD_RANDOM), 0);
    assert_share(count_by(METHOD_ASEXUAL), CHILDREN, 0.4, "asexual");
    assert_share(count_by(METHOD_CROSSOVER), CHILDREN, 0.3, "crossover");
    assert_share(count_by(METHOD_GRAFT), CHILDREN, 0.3, "graft");
}

FIXTURE(set_up, forget_children)

TEST(methods_keep_their_shares)
{
    breed_many();
    for (int i = 0; i < CHILDREN; i++)
        ck_assert((children[i].parents[1] != 0) == (children[i].method != METHOD_ASEXUAL));
    check_shares();
}

TEST(weights_of_methods_are_obeyed)
{
    params.breeding_asexual = params.breeding_crossover = 0;
    breed_many();
    ck_assert_int_eq(count_by(METHOD_GRAFT), CHILDREN);
    params.breeding_graft = 0;
    breed_many();
    ck_assert_int_eq(count_by(METHOD_ASEXUAL), CHILDREN);
}

static const int method_of_gene[] = {-1, METHOD_ASEXUAL, METHOD_CROSSOVER, METHOD_GRAFT};

static void inherit_methods(void)
{
    set("breeding.choice=inherited", "mutation.none=1", "mutation.one=0");
}

/* Parents breed as their genes say, and hand the gene on. */
TEST(methods_can_be_inherited)
{
    int tally[BREEDING_GENE_COUNT] = {0}, of_second = 0, mated = 0;
    inherit_methods();
    breed_many();
    for (int i = 0; i < CHILDREN; i++) {
        const struct individual *child = &children[i];
        int gene = parent_genes[child->parents[0]];
        int second = child->parents[1] ? parent_genes[child->parents[1]] : gene;
        ck_assert_int_eq(child->method, method_of_gene[gene]);
        ck_assert(child->genome.breeding == gene ||
                  (child->method == METHOD_CROSSOVER && child->genome.breeding == second));
        tally[gene]++;
        mated += child->method == METHOD_CROSSOVER && gene != second;
        of_second += child->genome.breeding != gene;
    }
    for (int gene = BREEDING_ASEXUAL; gene < BREEDING_GENE_COUNT; gene++)
        ck_assert_int_gt(tally[gene], 0);
    assert_share(of_second, mated, 0.5, "gene of the second parent");
}

TEST(children_of_parents_without_the_gene_get_one)
{
    has_unset_parents = 1;
    inherit_methods();
    breed_many();
    for (int i = 0; i < CHILDREN; i++)
        ck_assert_int_eq(children[i].method, method_of_gene[children[i].genome.breeding]);
    check_shares();
    has_unset_parents = 0;
}

TEST(offspring_is_in_proportion_to_fitness)
{
    int first[PARENTS + 1] = {0}, second[PARENTS + 1] = {0}, mated = 0;
    breed_many();
    for (int i = 0; i < CHILDREN; i++) {
        first[children[i].parents[0]]++;
        second[children[i].parents[1]]++;
        mated += children[i].parents[1] != 0;
        ck_assert(children[i].parents[0] != children[i].parents[1]);
    }
    for (int k = 1; k <= PARENTS; k++) {
        double expected = 0;
        assert_share(first[k], CHILDREN, k / 15.0, "first parent");
        /* The second in proportion among the others. */
        for (int other = 1; other <= PARENTS; other++)
            expected += other == k ? 0 : other / 15.0 * k / (15.0 - other);
        assert_share(second[k], mated, expected, "second parent");
    }
}

TEST(a_quarter_of_the_children_does_not_mutate)
{
    int none = 0, one = 0;
    breed_many();
    for (int i = 0; i < CHILDREN; i++) {
        none += children[i].mutations[0] == 0;
        one += children[i].mutations[0] && !strstr(children[i].mutations, "; ");
    }
    assert_share(none, CHILDREN, 0.25, "no mutation");
    assert_share(one, CHILDREN, 0.5, "one mutation");
}

TEST(children_do_not_depend_on_one_another)
{
    SCOPED(individual) child = {.id = 70, .generation = 1};
    begin();
    run_generation(search);
    ck_assert_int_eq(search_sims.next(&params, 1, population, 12, &child, 1), 0);
    advance(search);
    ck_assert(genome_is_equal(&individual_of(search, 70)->genome, &child.genome));
}

/* ---- the methods ---- */

/* The fitness of the last survivors together: the best alone reaches the top by chance. */
static double survivors_after(int method, uint64_t seed)
{
    double sum = 0;
    params.evolution_search = method;
    params.run_seed = (int64_t)seed;
    begin();
    run_generation(search);
    while (!search_is_finished(search)) {
        double before = best_fitness();
        advance(search);
        run_generation(search);
        ck_assert(best_fitness() >= before);
    }
    for (int i = 0; i < 12; i++)
        sum += population->individuals[i].fitness;
    return sum;
}

TEST(random_is_a_control_at_equal_evaluations)
{
    params.evolution_search = SEARCH_RANDOM;
    begin();
    pass_generation(search);
    for (int i = 0; i < 48; i++) {
        const struct individual *one = search_ask(search);
        ck_assert(one && one->method == METHOD_RANDOM && one->generation == 1);
    }
    ck_assert_ptr_null(search_ask(search));
}

TEST(sims_finds_more_than_random)
{
    double sims = 0, control = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sims += survivors_after(SEARCH_SIMS, seed);
        control += survivors_after(SEARCH_RANDOM, seed);
    }
    ck_assert_msg(sims > control, "%g against %g", sims, control);
}

/* ---- several trials ---- */

/* A failing one does so in one of the trials: the first or second, or the one at a finer step. */
static struct score score_in_trial(const struct individual *individual, int trial)
{
    static const int failing[] = {0, 1, 4};
    struct score score = score_before_referee(individual), sound = evaluate_toy(individual);
    return failing[score.digest / 9 % 3] == trial ? score : sound;
}

/* The generation, told in order or shuffled; counts the trials of each creature. */
static void run_trials(struct search *of, struct rng *rng, int trials[])
{
    const struct individual *one;
    uint64_t asked[100];
    int numbers[100], count;
    do {
        while ((one = search_ask(of)))
            tell_toy(of, one->id);
        for (count = 0; count < 100 && (one = search_ask_referee(of)) != NULL; count++) {
            asked[count] = one->id;
            numbers[count] = one->referee_trial;
            ck_assert_int_eq(one->referee_trial, trials[one->id]++);
        }
        for (int left = count; left > 0; left--) {
            int k = rng ? (int)rng_below(rng, (uint32_t)left) : 0;
            struct score score = score_in_trial(individual_of(of, asked[k]), numbers[k]);
            ck_assert_ptr_nonnull(
                search_tell_referee(of, asked[k], score.verdict, &score.measures));
            asked[k] = asked[left - 1];
            numbers[k] = numbers[left - 1];
        }
    } while (count > 0);
    ck_assert(search_is_complete(of));
}

/* The accepted have survived all trials of their stage, the refused failed in the last they had;
 * any order will do. */
TEST(the_referee_tries_several_times)
{
    enum { MOST = 400 };
    int trials[MOST] = {0}, again[MOST] = {0}, seen = 0, refused = 0, early = 0;
    set("guard.perturbed_runs=4", "guard.fine_runs=1");
    begin();
    OWNED(search) *other = search_create(&params, NULL);
    struct rng rng = test_rng(3, 0, 0);
    for (int generation = 0; generation < 4; generation++) {
        run_trials(search, NULL, trials);
        run_trials(other, &rng, again);
        assert_same(search, other);
        for (each(one)) {
            int is_heard = one->heard != REFEREE_NOT, tried = trials[one->id];
            int is_refused =
                one->referee_fitness < params.guard_referee_share * one->measures.reach_m;
            ck_assert_str_eq(one->referee_words, individual_of(other, one->id)->referee_words);
            ck_assert_int_eq(is_heard, tried > 0);
            seen += is_heard;
            refused += is_heard && is_refused;
            early += is_heard && tried < 2;
            if (is_heard && !is_refused)
                ck_assert_int_eq(tried, one->heard == REFEREE_FIRST ? 5 : 2);
            if (is_heard && is_refused)
                ck_assert_ptr_nonnull(
                    strstr(one->referee_words, tried < 5 ? "from perturbed start" : "at h/4"));
        }
        advance(search);
        advance(other);
    }
    ck_assert_msg(seen > 40 && refused > 4 && early > 1 && early < refused,
                  "%d seen, %d refused, %d early", seen, refused, early);
}

SUITE("search", 120, set_up, drop_search)
