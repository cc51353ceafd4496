/* Results given again: which creature gets the result of which, waiting, bars, checks, and a full
 * table. */
#include "controller/run/reuse.h"

#include "common/math/hash.h"
#include "tests/unit/genome_fixture.h"
#include "tests/plain_fixture.h"

static struct reuse *reuse;

static void setup(void)
{
    params_set_defaults(&params);
    reuse = reuse_create(&params);
    ck_assert_ptr_nonnull(reuse);
}

static void teardown(void)
{
    reuse_destroy(reuse);
}

/* A task whose creature has a body that no other number gives. */
static struct task make_task(uint64_t creature, int body)
{
    struct task task = {.id = creature, .creature = creature, .seed = creature};
    fixture_make(&task.genome);
    task.genome.bodies[0].width_m = 0.1 + 1e-6 * body;
    return task;
}

static struct result result_of(int body, int verdict, double pace_least_m_s)
{
    struct result result = {.verdict = verdict,
                            .digest = (uint64_t)body,
                            .pace_least_m_s = pace_least_m_s,
                            .cost = {.cpu_ms = 3}};
    result.measures.time_s = 10;
    result.measures.size_m = 1;
    result.measures.distance_m = body;
    return result;
}

static const struct result *known;

static int ask(struct task *task)
{
    known = NULL;
    return reuse_ask(reuse, task, &known);
}

static void tell(struct task *task, struct result result)
{
    result.creature = task->creature;
    ck_ok(reuse_tell(reuse, task, &result, &error));
}

/* Simulates the task if it is not known; frees it. */
static void answer(struct task *task, int body)
{
    ck_assert_int_eq(ask(task), REUSE_UNKNOWN);
    tell(task, result_of(body, VERDICT_OK, 1));
    genome_deinit(&task->genome);
}

static void answer_new(uint64_t creature, int body)
{
    struct task task = make_task(creature, body);
    answer(&task, body);
}

/* Asks for a creature of that body, which must be known from another. */
static void expect_known(uint64_t creature, int body, uint64_t from)
{
    SCOPED(task) task = make_task(creature, body);
    ck_assert_int_eq(ask(&task), REUSE_KNOWN);
    ck_assert_uint_eq(known->creature, from);
    ck_assert_uint_eq(known->digest, (uint64_t)body);
    ck_assert_double_eq(known->measures.distance_m, body);
    ck_assert_double_eq(known->cost.cpu_ms, 0);
}

static int is_checked(uint64_t creature)
{
    return hash_u64(HASH_START, creature) % REUSE_CHECKED == 0;
}

TEST(the_first_of_each_body_is_simulated)
{
    for (int body = 1; body <= 3; body++)
        answer_new((uint64_t)body, body);
    expect_known(4, 2, 2);
    expect_known(5, 1, 1);
    expect_known(6, 2, 2);
    const struct reuse_counts *counts = reuse_get_counts(reuse);
    ck_assert(counts->known == 3 && counts->simulated == 3 && counts->checked == 0);
}

/* Neither another trial nor another start is answered by it. */
TEST(a_trial_is_another_question)
{
    answer_new(1, 1);
    for (int k = 0; k < 3; k++) {
        SCOPED(task) task = make_task(2 + (uint64_t)k, 1);
        task.trial = (struct trial){.purpose = TRIAL_ENTRY, .perturbation = 1};
        task.seed = k == 1 ? 8 : 7;
        if (k < 2) {
            answer(&task, 10 + k);
            continue;
        }
        ck_assert_int_eq(ask(&task), REUSE_KNOWN);
        ck_assert_uint_eq(known->creature, 2);
    }
}

/* While the first is out the others wait, whenever they ask; then they come in their order. */
TEST(twins_wait)
{
    SCOPED(task) first = make_task(1, 1);
    struct task task;
    ck_assert_int_eq(ask(&first), REUSE_UNKNOWN);
    for (uint64_t id = 2; id <= 4; id++) {
        task = make_task(id, 1);
        ck_assert_int_eq(ask(&task), REUSE_WAITS);
        ck_assert_int_eq(task.genome.body_count, 0);
    }
    ck_assert_int_eq(reuse_take(reuse, &task), 0);
    tell(&first, result_of(1, VERDICT_OK, 1));
    for (uint64_t id = 2; id <= 4; id++) {
        ck_assert_int_eq(reuse_take(reuse, &task), 1);
        ck_assert_uint_eq(task.creature, id);
        ck_assert_int_eq(ask(&task), REUSE_KNOWN);
        genome_deinit(&task.genome);
    }
    ck_assert_int_eq(reuse_take(reuse, &task), 0);
}

/* Where nothing comes back the next is simulated, and the others wait for that one. What waits at
 * the end is freed. */
TEST(a_crash_is_nobody_elses)
{
    struct task first = make_task(1, 1), task;
    ck_assert_int_eq(ask(&first), REUSE_UNKNOWN);
    for (uint64_t id = 2; id <= 5; id++) {
        task = make_task(id, 1);
        ck_assert_int_eq(ask(&task), REUSE_WAITS);
    }
    reuse_forget(reuse, &first);
    genome_deinit(&first.genome);
    ck_assert_int_eq(reuse_take(reuse, &task), 1);
    ck_assert_uint_eq(task.creature, 2);
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    genome_deinit(&task.genome);
    ck_assert_int_eq(reuse_take(reuse, &task), 1);
    ck_assert_int_eq(ask(&task), REUSE_WAITS);
}

/* A result holds for bars that would not have changed it. */
TEST(bars)
{
    params.guard_hopeless_s = 3;
    answer_new(1, 1); /* least pace 1 m/s */
    SCOPED(task) task = make_task(2, 1);
    task.bar.m_s = 0.9;
    ck_assert_int_eq(ask(&task), REUSE_KNOWN);
    task.bar = (struct early_stop_bar){0, 0.9};
    ck_assert_int_eq(ask(&task), REUSE_KNOWN);
    genome_deinit(&task.genome);
    /* stopped; known for that bar, no more for others */
    task = make_task(3, 1);
    task.bar.m_s = 1.5;
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    tell(&task, result_of(1, VERDICT_HOPELESS, 1.2));
    ck_assert_int_eq(ask(&task), REUSE_KNOWN);
    ck_assert_int_eq(known->verdict, VERDICT_HOPELESS);
    task.bar.m_s = 1.3;
    ck_assert_int_eq(ask(&task), REUSE_KNOWN);
    task.bar.m_s = 1.6;
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    reuse_forget(reuse, &task);
    task.bar.m_s = 1.1;
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    reuse_forget(reuse, &task);
}

/* One in 256 is simulated all the same, and no task waits for it; a difference names both. */
TEST(hits_are_checked)
{
    static const char *const words[] = {"verdict", "digest", "least pace", "distance_m", NULL};
    answer_new(1, 1);
    uint64_t id = 2;
    for (int i = 0; i < 5; i++, id++) {
        for (; !is_checked(id); id++)
            ;
        SCOPED(task) task = make_task(id, 1);
        ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
        expect_known(2, 1, 1);
        struct result result = result_of(1, VERDICT_OK, 1);
        result.verdict = i == 0 ? VERDICT_FELL : VERDICT_OK;
        result.digest += i == 1;
        result.pace_least_m_s += i == 2 ? 1e-15 : 0;
        result.measures.distance_m += i == 3 ? 1e-15 : 0;
        int status = reuse_tell(reuse, &task, &result, &error);
        ck_assert_int_eq(status, words[i] ? ERR_FORMAT : 0);
        if (!words[i])
            break;
        ck_assert_ptr_nonnull(strstr(error.message, printed("creatures 1 and %d ", (int)id)));
        ck_assert_ptr_nonnull(strstr(error.message, printed("(%s)", words[i])));
    }
    const struct reuse_counts *counts = reuse_get_counts(reuse);
    ck_assert(counts->checked == 5 && counts->simulated == 1 && counts->known == 5);
    int checked = 0;
    for (uint64_t k = 0; k < 100 * REUSE_CHECKED; k++)
        checked += is_checked(k);
    ck_assert_int_gt(checked, 70);
    ck_assert_int_lt(checked, 130);
}

/* A check that is out ends as one, though another result has taken the place of what it checks: who
 * waits for that one's twin goes on waiting, and the entry makes room later. */
TEST(checks_of_what_gave_way)
{
    params.guard_hopeless_s = 3;
    answer_new(1, 1); /* least pace 1 m/s */
    uint64_t id = 2;
    while (!is_checked(id))
        id++;
    SCOPED(task) check = make_task(id, 1);
    check.bar.m_s = 0.9;
    ck_assert_int_eq(ask(&check), REUSE_UNKNOWN);
    ck_assert_uint_eq(reuse_get_counts(reuse)->checked, 1);
    SCOPED(task) task = make_task(id + 1, 1);
    task.bar.m_s = 1.5;
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    struct result stopped = result_of(1, VERDICT_HOPELESS, 1.2);
    tell(&task, stopped);
    task.bar.m_s = 1.6;
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    SCOPED(task) twin = make_task(id + 2, 1);
    ck_assert_int_eq(ask(&twin), REUSE_WAITS);
    tell(&check, result_of(1, VERDICT_OK, 1));
    ck_assert_int_eq(reuse_take(reuse, &twin), 0);
    tell(&task, stopped);
    ck_assert_int_eq(reuse_take(reuse, &twin), 1);
    for (int body = 2; body <= REUSE_ENTRIES_MAX + 1; body++)
        answer_new(id + (uint64_t)body + 2, body);
    SCOPED(task) last = make_task(3, 1);
    last.bar.m_s = 1.6;
    ck_assert_int_eq(ask(&last), REUSE_UNKNOWN);
}

/* After a restart the table is as it was: the same creature is the source. */
TEST(results_of_before_a_restart)
{
    params.guard_hopeless_s = 3;
    for (uint64_t id = 1; id <= 6; id++) {
        SCOPED(task) task = make_task(id, (int)(id % 2));
        struct individual individual = {.id = id, .seed = id, .genome = task.genome};
        struct result result = result_of((int)(id % 2), VERDICT_OK, 1);
        individual.verdict = result.verdict;
        individual.measures = result.measures;
        individual.digest = result.digest;
        reuse_restore(reuse, &individual, 1);
    }
    expect_known(7, 1, 1);
    expect_known(8, 0, 2);
    SCOPED(task) task = make_task(9, 1);
    task.bar.m_s = 1.5;
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    reuse_forget(reuse, &task);
}

/* The oldest key makes room, unless its creature is out. */
TEST(the_table_has_an_end)
{
    SCOPED(task) out = make_task(1, 0);
    ck_assert_int_eq(ask(&out), REUSE_UNKNOWN);
    for (int body = 1; body <= REUSE_ENTRIES_MAX - 1; body++)
        answer_new((uint64_t)body + 1, body);
    expect_known(2, 1, 2);
    /* the next stands where one is out: it has no entry, twice */
    for (int i = 0; i < 2; i++)
        answer_new(3, REUSE_ENTRIES_MAX);
    tell(&out, result_of(0, VERDICT_OK, 1));
    expect_known(2, 0, 1);
    for (int body = REUSE_ENTRIES_MAX; body < REUSE_ENTRIES_MAX + 2; body++)
        answer_new((uint64_t)body + 1, body);
    /* bodies 0 and 1 are gone, 2 is the oldest */
    expect_known(2, 2, 3);
    SCOPED(task) task = make_task(2, 1);
    ck_assert_int_eq(ask(&task), REUSE_UNKNOWN);
    reuse_forget(reuse, &task);
    expect_known(2, REUSE_ENTRIES_MAX, REUSE_ENTRIES_MAX + 1);
}

SUITE("reuse", 60, setup, teardown)
