/* Whether what a record says of its evaluation is found out, each thing alone. */
#include "common/creature/verify.h"

#include "common/version.h"
#include "tests/suite.h"
#include "tests/unit/genome_fixture.h"

#define OWN 1.25

static struct creature creature;
static struct measures measures; /* of the evaluation made anew */
static char detail[RECORD_DETAIL_SIZE];

/* A record of a walker that is worth OWN. */
static void setup(void)
{
    creature_deinit(&creature);
    creature_init(&creature);
    fixture_make(&creature.genome);
    creature.has_evaluation = 1;
    creature.genome_hash = genome_hash(&creature.genome);
    creature.simulator_version = SIMULATOR_VERSION;
    creature.digest = 17;
    memset(&measures, 0, sizeof measures);
    measures.size_m = measures.size_max_m = 1;
    measures.distance_m = OWN + 0.5;
    creature.measures = measures;
    creature.fitness = OWN;
}

static int compare(void)
{
    return verify_compare(&creature, VERDICT_OK, 17, &measures, detail);
}

static void expect(enum record_status status, const char *words)
{
    ck_assert_int_eq(compare(), status);
    ck_assert_msg(strstr(detail, words) != NULL, "'%s' is not in '%s'", words, detail);
}

TEST(a_true_record_is_verified)
{
    expect(RECORD_VERIFIED, "");
    ck_assert_str_eq(detail, "");
    creature.has_evaluation = 0;
    expect(RECORD_UNRECORDED, "");
}

TEST(each_forgery_differs)
{
    creature.verdict = VERDICT_MOTIONLESS;
    expect(RECORD_DIFFERS, "recorded verdict motionless, now ok");
    creature.verdict = VERDICT_OK;
    creature.digest ^= 1;
    expect(RECORD_DIFFERS, "moves otherwise");
    creature.digest ^= 1;
    creature.genome_hash ^= 1;
    expect(RECORD_DIFFERS, "the genome");
    creature.genome_hash ^= 1;
    for (int i = 0; i < MEASURE_COUNT; i++) {
        measures_set(&creature.measures, i, measures_get(&measures, i) + 1e-3);
        expect(RECORD_DIFFERS, measure_table[i].name);
        creature.measures = measures;
    }
    expect(RECORD_VERIFIED, "");
}

/* No trial adds to the creature's own score, and one that keeps too little has none. */
TEST(a_fitness_that_cannot_be_differs)
{
    static const double forged[] = {1000, OWN * (1 + 1e-15), -OWN};
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        creature.fitness = forged[i];
        expect(RECORD_DIFFERS, "fitness: recorded ");
    }
    creature.fitness = INFINITY;
    expect(RECORD_DIFFERS, "fitness: recorded inf, now 1.25");
    creature.fitness = NAN;
    expect(RECORD_DIFFERS, "fitness: recorded nan, now 1.25");
}

/* By the parameters that the file records. */
TEST(the_least_over_trials_can_be)
{
    creature.fitness = 0.7 * OWN;
    expect(RECORD_VERIFIED, "");
    creature.fitness = 0.3 * OWN; /* it kept less than guard.referee_share */
    expect(RECORD_VERIFIED, "");
    creature.fitness = 0;
    expect(RECORD_REFUSED, "fitness: recorded 0, now 1.25");
    double runs = creature.params.guard_perturbed_runs, fine = creature.params.guard_fine_runs;
    creature.params.guard_perturbed_runs = creature.params.guard_fine_runs = 0;
    expect(RECORD_DIFFERS, "fitness: recorded 0, now 1.25");
    creature.params.guard_perturbed_runs = runs;
    creature.params.guard_fine_runs = fine;
    creature.fitness = 0.5 * OWN;
    creature.params.guard_score = SCORE_OWN;
    expect(RECORD_DIFFERS, "fitness");
    creature.params.guard_score = SCORE_MEAN;
    expect(RECORD_VERIFIED, "");
    creature.params.guard_score = SCORE_LEAST;
    creature.params.evolution_behaviour = BEHAVIOUR_JUMP;
    expect(RECORD_DIFFERS, "fitness: recorded 0.625, now 0");
    ck_assert_double_eq(verify_own_fitness(&creature, VERDICT_OK, &measures), 0);
}

TEST(another_version_is_said_to_be_one)
{
    creature.simulator_version = SIMULATOR_VERSION - 1;
    expect(RECORD_VERIFIED, "");
    creature.fitness = 1000;
    expect(RECORD_OTHER_VERSION, "recorded by simulator version");
    expect(RECORD_OTHER_VERSION, "; fitness: recorded 1000, now 1.25");
}

SUITE("record", 0, setup, NULL)
