/* Contests of a generation: pairs, sums that no order changes, the hall, crashes. */
#include "common/judge/behaviour.h"
#include "controller/evolution/contests.h"
#include "tests/chain_genome.h"
#include "tests/plain_fixture.h"

enum { COUNT = 12, TOLD_MAX = 400 };

static struct population population;
static struct contests *contests;

/* Creatures with other widths move differently; by each its number, from 1. */
static void make_individual(struct individual *individual, int number)
{
    *individual = (struct individual){.id = (uint64_t)number, .seed = (uint64_t)number};
    chain_genome_make(&individual->genome, 2);
    individual->genome.bodies[0].width_m = 0.1 + 0.01 * number;
}

static void setup(void)
{
    params_set_defaults(&params);
    set("evolution.behaviour=contest", "evolution.search=sims", "evolution.reevaluate=yes",
        "sensor.other=yes", "sensor.object=yes");
    params.population_size = COUNT;
    population.count = COUNT;
    population.individuals = calloc(COUNT, sizeof *population.individuals);
    for (int i = 0; i < COUNT; i++)
        make_individual(&population.individuals[i], i + 1);
    contests = contests_create(&params);
    ck_assert_ptr_nonnull(contests);
}

static void teardown(void)
{
    contests_destroy(contests);
    for (int i = 0; i < COUNT; i++)
        individual_deinit(&population.individuals[i]);
    free(population.individuals);
}

static void add_to_hall(int number)
{
    SCOPED(individual) member;
    make_individual(&member, number);
    ck_assert_int_eq(contests_add_to_hall(contests, member.id, &member.genome), 0);
}

/* ---- a generation ---- */

struct generation {
    struct contests_wanted told[TOLD_MAX];
    uint64_t ids[TOLD_MAX][2];
    int told_count;
    struct contests_outcome outcomes[COUNT + 1]; /* by id */
    int outcome_count;
};
static struct generation got; /* by most tests */

/* The younger one wins, by more the younger it is. */
static void tell(struct contests_wanted *wanted)
{
    struct result result = {.rival_count = 1, .digest = (uint64_t)wanted->number + 100};
    double margin = ((double)wanted->sides[0]->id - (double)wanted->sides[1]->id) / 1000.0;
    result.measures = (struct measures){.parts = (double)wanted->number + 1,
                                        .contest_margin = margin,
                                        .contest_won = margin > 0,
                                        .contest_touched = 1};
    result.rivals[0].measures = (struct measures){.parts = (double)wanted->number + 1,
                                                  .contest_margin = 0 - margin,
                                                  .contest_won = margin < 0,
                                                  .contest_approach = 0.5};
    ck_assert_int_eq(contests_tell(contests, &(struct task){.bout = wanted->number}, &result), 0);
}

static void take_all(struct generation *of)
{
    struct contests_outcome outcome;
    while (contests_take(contests, &outcome)) {
        ck_assert_uint_le(outcome.id, COUNT);
        of->outcomes[outcome.id] = outcome;
        of->outcome_count++;
    }
}

/* Other contests, with that pattern and a hall of 101 to `last`. */
static void begin_anew(const char *pattern, int last)
{
    set(printed("contest.pattern=%s", pattern));
    contests_destroy(contests);
    contests = contests_create(&params);
    for (int number = 101; number <= last; number++)
        add_to_hall(number);
}

/* Results come in by the handful, in their order or backwards. */
static void play(struct generation *of, uint32_t generation, int is_backwards)
{
    memset(of, 0, sizeof *of);
    ck_assert_int_eq(contests_open(contests, &population, generation), 0);
    take_all(of);
    for (;;) {
        int from = of->told_count;
        while (of->told_count < TOLD_MAX && of->told_count < from + 7 &&
               contests_ask(contests, &of->told[of->told_count])) {
            struct contests_wanted *wanted = &of->told[of->told_count];
            ck_assert_int_eq(wanted->count, 2);
            for (int i = 0; i < 2; i++)
                of->ids[of->told_count][i] = wanted->sides[i]->id;
            of->told_count++;
        }
        if (of->told_count == from)
            return;
        for (int i = 0; i < of->told_count - from; i++)
            tell(&of->told[is_backwards ? of->told_count - 1 - i : from + i]);
        take_all(of);
    }
}

static int count_pairs(const struct generation *of)
{
    int count = 0;
    for (int i = 0; i < of->told_count; i++) {
        count += of->told[i].trial.bout == 1;
        for (int k = 0; k < i; k++)
            ck_assert(of->ids[i][0] != of->ids[k][0] || of->ids[i][1] != of->ids[k][1] ||
                      of->told[i].trial.bout != of->told[k].trial.bout);
    }
    return count;
}

/* ---- tests ---- */

/* As many pairs as the patterns have, none twice, and each creature has its share, in
 * whatever order results come in. */
TEST(patterns_have_their_pairs)
{
    static const struct {
        const char *pattern;
        int pairs, own; /* contests of each; 0: not the same for all */
    } patterns[] = {{"all-vs-hall", 3 * COUNT, 3},
                    {"all-vs-best", COUNT, 1},
                    {"random", 2 * COUNT, 4},
                    {"all-vs-all", COUNT * (COUNT - 1) / 2, COUNT - 1},
                    {"tournament", COUNT - 1, 0}};
    static struct generation other;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        begin_anew(patterns[i].pattern, 106);
        play(&got, 5, 0);
        play(&other, 5, 1);
        ck_assert_msg(count_pairs(&got) == patterns[i].pairs, "%s: %d pairs", patterns[i].pattern,
                      count_pairs(&got));
        ck_assert_int_eq(got.told_count, 2 * patterns[i].pairs);
        ck_assert_int_eq(got.outcome_count, COUNT);
        for (int id = 1; id <= COUNT; id++) {
            const struct contests_outcome *a = &got.outcomes[id], *b = &other.outcomes[id];
            if (patterns[i].own)
                ck_assert_double_eq(a->measures.contests, 2.0 * patterns[i].own);
            ck_assert_int_eq(measures_find_difference(&a->measures, &b->measures), -1);
            ck_assert_uint_eq(a->digest, b->digest);
        }
        play(&other, 6, 0);
        ck_assert_msg(i == 3 || memcmp(got.ids, other.ids, sizeof got.ids) != 0 || i == 1,
                      "%s: the next generation has the same contests", patterns[i].pattern);
    }
}

/* Of two species each meets the other one, also in the hall, and in tag those of odd ids hunt: they
 * are the first in every bout, by the order of genomes and bouts (contest_first()). */
TEST(species_meet_one_another)
{
    static const struct {
        const char *pattern, *goal;
        int pairs, bouts;
    } cases[] = {{"all-vs-hall", "cube", 3 * COUNT, 2},
                 {"all-vs-best", "cube", COUNT, 2},
                 {"all-vs-all", "cube", COUNT * COUNT / 4, 2},
                 {"all-vs-hall", "tag", 3 * COUNT, 1}};
    set("contest.species=2");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set(printed("contest.goal=%s", cases[i].goal));
        begin_anew(cases[i].pattern, 112);
        ck_ok(contests_check_params(&params, &error));
        play(&got, 5, 0);
        ck_assert_int_eq(got.told_count, cases[i].bouts * cases[i].pairs);
        ck_assert_int_eq(got.outcome_count, COUNT);
        for (int k = 0; k < got.told_count; k++) {
            const struct contests_wanted *wanted = &got.told[k];
            uint64_t hashes[2];
            for (int j = 0; j < 2; j++)
                hashes[j] = genome_hash(&wanted->sides[j]->genome);
            int first = (hashes[0] > hashes[1]) ^ (wanted->trial.bout % 2 == 0);
            ck_assert_uint_ne(got.ids[k][0] % 2, got.ids[k][1] % 2);
            ck_assert(cases[i].bouts == 2 || got.ids[k][first] % 2 == 1);
        }
    }
}

/* The best of both species stand first in the ranks, then the second best, whatever their scores;
 * children have parents of their own species. */
TEST(species_breed_apart)
{
    set("contest.species=2", "breeding.crossover=0.5", "population.survival=0.5");
    struct search *search = search_create(&params, NULL);
    ck_assert_ptr_nonnull(search);
    for (int generation = 0; generation < 4; generation++) {
        const struct individual *one;
        while ((one = search_ask(search)) != NULL) {
            struct measures measures = {.contests = 2};
            measures.contest_margin = one->id % 2 ? -0.5 : 0.01 * (double)one->id;
            search_tell(search, one->id, VERDICT_OK, &measures, 0);
        }
        const struct population *ranked = search_population(search);
        for (int i = 0; i < ranked->count; i++) {
            one = &ranked->individuals[i];
            ck_assert(i >= 8 || i + 1 == ranked->count || (int)(one->id % 2) == (i % 2 == 0));
            for (int k = 0; k < 2; k++)
                ck_assert(!one->parents[k] || one->parents[k] % 2 == one->id % 2);
        }
        ck_assert_int_eq(search_advance(search), 0);
    }
    search_destroy(search);
}

/* The start is drawn for each generation, the same for all in it, where sides are exchanged it is
 * the same, and none is one of the exam. */
TEST(starts_are_drawn_for_a_generation)
{
    int last = 0, changes = 0;
    set("contest.pattern=all-vs-best");
    add_to_hall(101);
    for (uint32_t generation = 0; generation < 8; generation++) {
        play(&got, generation, 0);
        int start = got.told[0].trial.perturbation;
        ck_assert(start > TRIAL_RUN_STARTS + CONTESTS_EXAM_BOUTS &&
                  start <= TRIAL_PERTURBATION_MAX);
        for (int i = 0; i < got.told_count; i++)
            ck_assert_int_eq(got.told[i].trial.perturbation, start);
        changes += start != last;
        last = start;
    }
    ck_assert_int_ge(changes, 6);
    set("contest.headings=4"); /* two starts, from each with sides exchanged */
    play(&got, 3, 0);
    int starts[5] = {0};
    for (int i = 0; i < got.told_count; i++)
        starts[got.told[i].trial.bout] = got.told[i].trial.perturbation;
    ck_assert(starts[1] == starts[2] && starts[3] == starts[4] && starts[1] != starts[3]);
}

/* Means by hand: number 1 against 100, the last best. */
TEST(sums_are_as_by_hand)
{
    set("contest.pattern=all-vs-best");
    add_to_hall(100);
    add_to_hall(101);
    add_to_hall(100); /* stays once, and is the last best again */
    ck_assert_int_eq(contests_hall_count(contests), 3);
    population.individuals[11].has_result = 1;
    play(&got, 2, 0);
    ck_assert_int_eq(got.outcome_count, COUNT - 1);
    ck_assert_uint_eq(got.ids[0][1], 100);
    const struct measures *measures = &got.outcomes[1].measures;
    ck_assert_double_eq(measures->contests, 2);
    ck_assert_double_eq(measures->contest_margin, -0.099);
    ck_assert_double_eq(measures->contest_won, 0);
    ck_assert_double_eq(measures->contest_touched, 1);
    ck_assert_double_eq(measures->parts, 1); /* the rest is of the first bout */
    ck_assert_double_eq(behaviour_fitness(VERDICT_OK, measures, &params), 1 - 0.099);
}

/* The youngest wins the tournament; one that is out early has lost the rounds it did not reach. */
TEST(a_tournament_has_a_winner)
{
    set("contest.pattern=tournament");
    play(&got, 0, 0);
    for (int id = 1; id < COUNT; id++)
        ck_assert(got.outcomes[id].measures.contest_margin <
                  got.outcomes[COUNT].measures.contest_margin);
    ck_assert_double_eq(got.outcomes[COUNT].measures.contest_won, 1);
    int lowest = 0;
    for (int id = 1; id <= COUNT; id++)
        lowest += got.outcomes[id].measures.contest_margin < -0.7;
    ck_assert_int_eq(lowest, COUNT / 2);
}

/* A creature that moves like its opponent is even with it, and nothing is simulated. */
TEST(equals_are_even)
{
    set("contest.pattern=all-vs-best");
    add_to_hall(4);
    play(&got, 0, 0);
    ck_assert_int_eq(got.told_count, 2 * (COUNT - 1));
    ck_assert_double_eq(got.outcomes[4].measures.contest_margin, 0);
    ck_assert_double_eq(got.outcomes[4].measures.contests, 2);
    ck_assert_int_eq(got.outcomes[4].verdict, VERDICT_OK);
}

/* The champion meets the first of the hall, but no founders, from starts of the exam alone; in tag
 * two bouts are one contest. */
TEST_LOOP(the_exam_is_against_the_first_of_the_hall, 0, 2)
{
    struct contests_wanted wanted;
    SCOPED(individual) champion;
    int won, count, rivals, asked = 0;
    params.contest_goal = _i ? CONTEST_TAG : params.contest_goal;
    make_individual(&champion, 50);
    for (int number = 1; number <= 3 + 14; number++)
        add_to_hall(number);
    ck_assert_int_eq(contests_open_exam(contests, &champion), 0);
    for (; contests_ask(contests, &wanted); asked++) {
        uint64_t rival = wanted.sides[wanted.sides[1]->id == 50 ? 0 : 1]->id;
        ck_assert(rival > 3 && rival <= 13);
        ck_assert(wanted.trial.bout > 4 && wanted.trial.perturbation > TRIAL_RUN_STARTS);
        tell(&wanted);
    }
    contests_get_exam(contests, &won, &count, &rivals);
    ck_assert_int_eq(asked, _i ? 80 : 40);
    ck_assert(count == 40 && won == 40 && rivals == 10);
}

/* A list of pairs: from starts of the exam at the run's own step; the younger one is the first side
 * in either order, and the margin that of who is asked for. */
TEST(pairs_of_a_list)
{
    static const struct contests_pair pairs[] = {{3, 1}, {1, 3}, {2, 2}};
    struct contests_wanted wanted, turned = {.number = -1};
    double margin, touched[2];
    int left, count, asked = 0;
    ck_assert_int_eq(
        contests_open_pairs(contests, population.individuals, population.count, pairs, 3, 2), 0);
    contests_get_progress(contests, &left, &count);
    ck_assert_int_eq(count, 6);
    ck_assert_int_eq(left, 4); /* creatures that move alike are even */
    while (contests_ask(contests, &wanted)) {
        ck_assert(wanted.sides[0]->id == 4 && wanted.sides[1]->id == 2);
        ck_assert(wanted.trial.bout > 4 && wanted.trial.perturbation > TRIAL_RUN_STARTS);
        ck_assert_int_eq(wanted.trial.halvings, 0);
        if (asked == 0)
            turned = wanted;
        ck_assert_int_eq(phenotype_key_is_equal(&wanted.key, &turned.key), asked % 2 == 0);
        tell(&wanted);
        asked++;
    }
    ck_assert_int_eq(asked, 4);
    contests_get_progress(contests, &left, &count);
    ck_assert_int_eq(left, 0);
    contests_get_bout(contests, 1, 3, &margin, touched);
    ck_assert_double_eq_tol(margin, 0.002, 1e-15);
    ck_assert(touched[0] == 1 && touched[1] == 0);
    contests_get_bout(contests, 2, 1, &margin, touched);
    ck_assert_double_eq_tol(margin, -0.002, 1e-15);
    ck_assert(touched[0] == 0 && touched[1] == 1);
    contests_get_bout(contests, 4, 2, &margin, touched);
    ck_assert_double_eq(margin, 0);
}

/* Nobody crashes alone but the first. Returns how many were tried. */
static int try_alone(uint64_t last)
{
    struct contests_wanted wanted;
    int alone = 0;
    while (contests_ask(contests, &wanted) && wanted.number == CONTESTS_ALONE) {
        uint64_t id = wanted.sides[0]->id;
        ck_assert(wanted.count == 1 && wanted.trial.bout == 0);
        struct task task = {.bout = CONTESTS_ALONE, .creature = id};
        if (id == 1)
            contests_tell_crash(contests, &task, "SIGSEGV");
        else
            contests_tell(contests, &task, &(struct result){.id = 0});
        alone++;
        if (id == last)
            break;
    }
    return alone;
}

static void crash(int bouts)
{
    struct contests_wanted wanted[2];
    for (int i = 0; i < bouts; i++)
        ck_assert(contests_ask(contests, &wanted[i]));
    for (int i = 0; i < bouts; i++)
        ck_assert_int_eq(
            contests_tell_crash(contests, &(struct task){.bout = wanted[i].number}, "SIGSEGV"), 0);
}

/* When a bout has crashed, each creature is tried alone. The one that crashes alone is in
 * quarantine; the other one has won by walkover. If neither does, both have lost. */
TEST(who_crashes_is_blamed)
{
    struct contests_outcome outcome;
    set("contest.pattern=all-vs-best", "contest.headings=1");
    add_to_hall(101);
    ck_assert_int_eq(contests_open(contests, &population, 1), 0);
    crash(2);
    ck_assert(!contests_take(contests, &outcome));
    ck_assert_int_eq(try_alone(101), 3);
    ck_assert(contests_take(contests, &outcome));
    ck_assert(outcome.id == 1 && outcome.verdict == VERDICT_QUARANTINED);
    ck_assert_str_eq(outcome.crash, "SIGSEGV");
    ck_assert(contests_take(contests, &outcome));
    ck_assert_uint_eq(outcome.id, 2);
    ck_assert_ptr_null(outcome.crash);
    ck_assert_double_eq(outcome.measures.contest_margin, -1);
}

/* When two meet, the one that crashes alone loses by walkover. */
TEST(the_innocent_wins)
{
    struct contests_outcome outcome;
    set("contest.pattern=all-vs-all", "contest.headings=1");
    population.count = 2;
    ck_assert_int_eq(contests_open(contests, &population, 1), 0);
    crash(1);
    try_alone(0);
    ck_assert(contests_take(contests, &outcome));
    ck_assert_int_eq(outcome.verdict, VERDICT_QUARANTINED);
    ck_assert(contests_take(contests, &outcome));
    ck_assert_int_eq(outcome.verdict, VERDICT_OK);
    ck_assert_double_eq(outcome.measures.contest_margin, 0.5);
    ck_assert(!contests_take(contests, &outcome));
    population.count = COUNT;
}

/* The best of several generations is in the hall once. */
TEST(nobody_is_in_the_hall_twice)
{
    set("contest.opponents=9");
    for (int i = 0; i < 8; i++)
        add_to_hall(101 + i % 4);
    play(&got, 1, 0);
    ck_assert_int_eq(count_pairs(&got), 4 * COUNT);
}

/* What a run of contests must be, one demand after the other. */
TEST(demands_on_the_parameters)
{
    static const char *const wrong[][2] = {{"evolution.search=archive", "sims"},
                                           {"evolution.reevaluate=no", "reevaluate"},
                                           {"evolution.islands=2", "islands"},
                                           {"sensor.other=no", "sensor.other"},
                                           {"sensor.object=no", "sensor.object"},
                                           {"light.kind=still", "light.kind"},
                                           {"creature.body=spheres", "creature.body"},
                                           {"contest.pattern=random", "contest.pattern"},
                                           {"population.size=3", "population.size"},
                                           {"contest.headings=1", "contest.headings"},
                                           {"simulation.solver=constraint", "simulation.solver"}};
    ck_assert_int_eq(contests_check_params(&params, &error), 0);
    params.contest_species = 2;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct params good = params;
        ck_assert_int_eq(contests_check_params(&params, &error), 0);
        set(wrong[i][0]);
        if (params.contest_headings == 1) /* of two species each is a hunter or hunted */
            params.contest_goal = CONTEST_TAG;
        ck_assert_int_eq(contests_check_params(&params, &error), ERR_RANGE);
        ck_assert_msg(strstr(error.message, wrong[i][1]) != NULL, "%s", error.message);
        params = good;
    }
    set("contest.pattern=all-vs-all");
    params.population_size = 2000;
    ck_assert_int_eq(contests_check_params(&params, &error), ERR_LIMIT);
}

SUITE("contests", 0, setup, teardown)
