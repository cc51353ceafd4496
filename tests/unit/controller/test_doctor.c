/* The statistics of a run and what the doctor makes of them: a healthy run is silent, what is
 * planted is found with its figure, and every setting it proposes is one that parameters take. */
#include "controller/analysis/run_statistics.h"

#include "tests/unit/planted_run.h"
#include "tests/plain_fixture.h"

#define GENERATIONS 20

static struct run_facts facts;
static struct run_statistics statistics;
static struct doctor_finding findings[DOCTOR_FINDINGS_MAX];
static int finding_count;

static void tear_down(void)
{
    run_facts_deinit(&facts);
    run_statistics_deinit(&statistics);
}

static void plant(const struct planted *planted)
{
    tear_down();
    planted_make(&facts, planted);
}

static void plant_healthy(void)
{
    plant(&(struct planted){.generations = GENERATIONS});
}

/* Each setting must be one that parameters take, and change something. */
static void check_setting(const struct doctor_finding *finding)
{
    struct params changed = facts.params;
    if (!finding->setting[0])
        return;
    ck_assert_msg(set_param(&changed, finding->setting, &error) == 0, "%s: %s", finding->setting,
                  error.message);
    ck_assert_msg(memcmp(&changed, &facts.params, sizeof changed) != 0, "%s changes nothing",
                  finding->setting);
}

static void examine(void)
{
    run_statistics_deinit(&statistics);
    ck_assert_int_eq(run_statistics_make(&statistics, &facts), 0);
    finding_count = doctor_examine(&statistics, &facts.params, findings);
    ck_assert_int_gt(finding_count, 15);
    for (int i = 0; i < finding_count; i++) {
        const struct doctor_finding *finding = &findings[i];
        int is_told = finding->state == DOCTOR_PROBLEM || finding->state == DOCTOR_NOTE;
        ck_assert(i == 0 || findings[i - 1].state <= finding->state);
        ck_assert_msg(finding->figure[0], "%s says nothing", finding->name);
        ck_assert_msg(!finding->advice[0] == !is_told, "%s: %s", finding->name, finding->advice);
        ck_assert(is_told || !finding->setting[0]);
        check_setting(finding);
    }
}

static const struct doctor_finding *find(const char *name)
{
    for (int i = 0; i < finding_count; i++)
        if (!strcmp(findings[i].name, name))
            return &findings[i];
    ck_abort_msg("nothing of the name %s", name);
    return NULL;
}

/* One thing is told, with these words in its figure and its setting, and nothing else is. */
static void check_told(const char *name, enum doctor_state state, const char *figure,
                       const char *setting)
{
    examine();
    const struct doctor_finding *finding = find(name);
    ck_assert_msg(finding->state == state, "%s: state %d, %s", name, (int)finding->state,
                  finding->figure);
    ck_assert_msg(strstr(finding->figure, figure) != NULL, "%s: %s", name, finding->figure);
    ck_assert_msg(!strncmp(finding->setting, setting, strlen(setting)), "%s: %s", name,
                  finding->setting);
    for (int i = 0; i < finding_count; i++)
        ck_assert_msg(findings[i].state >= DOCTOR_FINE || &findings[i] == finding, "besides %s: %s",
                      name, findings[i].figure);
}

/* Gives that share of everyone a verdict. */
static void plant_verdict(int verdict, int part, int whole)
{
    for (int i = 0; i < facts.fact_count; i++)
        if (i * part % whole < part) {
            facts.facts[i].verdict = verdict;
            facts.facts[i].motion = 0;
        }
}

/* ---- statistics ---- */

TEST(statistics_count)
{
    plant_healthy();
    examine();
    ck_assert_int_eq(statistics.generation_count, GENERATIONS);
    for (int i = 0; i < GENERATIONS; i++) {
        const struct run_generation *generation = &statistics.generations[i];
        ck_assert_int_eq(generation->members, PLANTED_POPULATION);
        ck_assert_int_eq(generation->scored, PLANTED_POPULATION);
        ck_assert_int_eq(generation->survivors, PLANTED_SURVIVORS);
        ck_assert_int_eq(generation->families, PLANTED_SURVIVORS);
        ck_assert_int_eq(generation->kinds, PLANTED_SURVIVORS);
        ck_assert_int_eq(generation->largest_family, 1);
        ck_assert_int_eq(generation->motions, PLANTED_SURVIVORS);
        ck_assert_int_eq(generation->born, i ? 80 : 100);
        ck_assert_int_eq(generation->verdicts[VERDICT_OK], generation->born);
        ck_assert(generation->fitness.best == facts.generations[i].best);
        ck_assert(generation->fitness.q1 <= generation->fitness.median);
        ck_assert(generation->fitness.median <= generation->fitness.q3);
        ck_assert_double_eq(generation->cpu_ms, 90);
    }
    ck_assert_int_eq(statistics.evaluated, 100 + 80 * (GENERATIONS - 1));
    ck_assert_int_eq(statistics.children, 80 * (GENERATIONS - 1));
    ck_assert_int_eq(statistics.copies, 0);
    ck_assert_int_eq(statistics.seen, 10 * GENERATIONS);
    ck_assert_int_eq(statistics.methods[METHOD_RANDOM].born, 100);
    ck_assert_int_eq(statistics.methods[METHOD_RANDOM].had_parent, 0);
    ck_assert_int_eq(statistics.methods[METHOD_RANDOM].champions, 1);
    ck_assert_int_eq(statistics.worker_count, 2);
    ck_assert_double_eq_tol(statistics.working_s, statistics.evaluated * 0.05, 1e-6);
    ck_assert_double_eq_tol(statistics.worker_s, 2 * statistics.working_s, 1e-6);
}

TEST(quartiles_are_between_ranks)
{
    plant_healthy();
    for (int i = 0; i < PLANTED_POPULATION; i++)
        facts.members[i].fitness = PLANTED_POPULATION - i;
    examine();
    ck_assert_double_eq(statistics.generations[0].fitness.q1, 25.75);
    ck_assert_double_eq(statistics.generations[0].fitness.median, 50.5);
    ck_assert_double_eq(statistics.generations[0].fitness.q3, 75.25);
    ck_assert_double_eq(statistics.generations[0].fitness.best, 100);
}

/* The time between a stop and the resume is no work. */
TEST(pauses_do_not_count)
{
    plant_healthy();
    int half = facts.fact_count / 2;
    for (int i = half; i < facts.fact_count; i++)
        facts.facts[i].cost.time_s += 3600;
    const char *resumed = printed("2026-03-01T11:00:%06.3fZ", half * 0.05);
    facts.events[1] = (struct store_event){"2026-03-01T10:10:00.000Z", "stopped", "", NULL};
    facts.events[2] = (struct store_event){resumed, "resume", "", NULL};
    facts.event_count = 3;
    examine();
    ck_assert_double_eq_tol(statistics.working_s, facts.fact_count * 0.05, 0.01);
}

TEST(times_are_read)
{
    ck_assert_double_eq(run_parse_time("1970-01-01T00:00:00.000Z"), 0);
    ck_assert_double_eq(run_parse_time("2000-02-29T12:00:01.500Z"), 951825601.5);
    ck_assert_double_eq(run_parse_time("2026-03-01T10:15:30.145Z"), 1772360130.145);
    ck_assert_double_eq(run_parse_time("2100-03-01T00:00:00.000Z"), 4107542400);
    ck_assert(run_parse_time("") < 0 && run_parse_time("2026-13-01T00:00:00.000Z") < 0);
    ck_assert(run_parse_time("yesterday") < 0 && run_parse_time("2026-03-01T10:15:30Zx") < 0);
}

/* What a store that was tampered with may hold. */
TEST(nonsense_does_no_harm)
{
    plant_healthy();
    facts.facts[5].parents[0] = facts.facts[5].id;
    facts.facts[6].parents[0] = facts.facts[900].id;
    facts.facts[7].parents[0] = UINT64_MAX;
    facts.facts[8].generation = UINT32_MAX;
    facts.facts[9].verdict = -1;
    facts.facts[10].cost.worker = 1 << 30;
    facts.facts[11].fitness = INFINITY;
    facts.facts[12].parts = -1e300;
    facts.facts[13].cost.time_s = INFINITY;
    facts.members[3].id = UINT64_MAX;
    facts.members[150].generation = UINT32_MAX;
    facts.members[10].fitness = -INFINITY;
    facts.generations[4].best_id = 0;
    facts.events[0].time_utc = "9999-99-99T99:99:99.999Z";
    examine();
    ck_assert_int_eq(statistics.generations[0].members, PLANTED_POPULATION - 1);
}

TEST(an_empty_run_is_too_young)
{
    plant(&(struct planted){.generations = 1});
    facts.fact_count = facts.member_count = facts.generation_count = facts.event_count = 0;
    examine();
    ck_assert_int_eq(find("progress")->state, DOCTOR_UNKNOWN);
    ck_assert_int_eq(find("overlap at birth")->state, DOCTOR_UNKNOWN);
    ck_assert_int_eq(find("crashes")->state, DOCTOR_FINE);
}

/* ---- the doctor ---- */

TEST(a_healthy_run_is_silent)
{
    plant_healthy();
    examine();
    for (int i = 0; i < finding_count; i++)
        ck_assert_msg(findings[i].state == DOCTOR_FINE, "%s: %s", findings[i].name,
                      findings[i].figure);
}

TEST(overlap_is_told)
{
    plant_healthy();
    facts.params.creature_overlap = OVERLAP_REJECT;
    plant_verdict(VERDICT_OVERLAP, 31, 100);
    check_told("overlap at birth", DOCTOR_PROBLEM, "31 % of the bodies were rejected", "");
    ck_assert_str_eq(find("overlap at birth")->setting, "");
    ck_assert_ptr_nonnull(
        strstr(find("overlap at birth")->advice, "creature.overlap=reject is set on purpose"));
    facts.params.creature_overlap = OVERLAP_PUSH;
    check_told("overlap at birth", DOCTOR_PROBLEM, "31 %", "initial.recursion_max=3");
}

TEST(motionless_is_told)
{
    plant_healthy();
    plant_verdict(VERDICT_MOTIONLESS, 20, 100);
    /* they all moved alike: not at all */
    for (int i = 0; i < facts.fact_count; i++)
        if (facts.facts[i].verdict == VERDICT_MOTIONLESS)
            facts.facts[i].motion = (uint64_t)i;
    check_told("motionless", DOCTOR_NOTE, "20 % were motionless", "initial.oscillators=0.85");
}

/* Every verdict that costs evaluations is told, and its remedy can be set. */
TEST_LOOP(each_verdict_is_told, 0, 13)
{
    static const int verdicts[] = {
        VERDICT_NOT_EXPRESSED, VERDICT_UNSETTLED,   VERDICT_NOT_FINITE, VERDICT_TOO_FAST,
        VERDICT_SPINNING,      VERDICT_PENETRATION, VERDICT_ENERGY,     VERDICT_UNSTABLE_DRAG,
        VERDICT_BUDGET,        VERDICT_VIBRATION,   VERDICT_UNBALANCED, VERDICT_MOMENTUM,
        VERDICT_JOINT_SPEED};
    plant_healthy();
    plant_verdict(verdicts[_i], 25, 100);
    examine();
    ck_assert_int_eq(findings[0].state, DOCTOR_PROBLEM);
    ck_assert_msg(strstr(findings[0].figure, "25 %") != NULL, "%s", findings[0].figure);
    ck_assert_msg(findings[0].setting[0], "%s: no remedy", findings[0].name);
    ck_assert_int_ge(findings[1].state, DOCTOR_FINE);
}

TEST(a_clone_is_told)
{
    plant(&(struct planted){.generations = GENERATIONS, .clone_from = 7});
    facts.params.evolution_search = SEARCH_ARCHIVE;
    for (int i = 0; i < facts.generation_count; i++)
        facts.generations[i].cells = 60;
    check_told("variety", DOCTOR_NOTE, "one clone since generation 7", "archive.pressure=3");
    /* it is worse when nothing moves on */
    plant(&(struct planted){.generations = GENERATIONS, .clone_from = 7, .stagnant_from = 5});
    examine();
    ck_assert_int_eq(find("variety")->state, DOCTOR_PROBLEM);
}

TEST(standing_still_is_told)
{
    plant(&(struct planted){.generations = GENERATIONS, .stagnant_from = 8});
    check_told("progress", DOCTOR_PROBLEM, "not risen by 1 % since generation 8 (of 19)", "");
    /* nothing is proposed that undoes what is set */
    ck_assert_str_eq(find("progress")->setting, "");
    ck_assert_ptr_nonnull(
        strstr(find("progress")->advice, "evolution.search=sims is set on purpose"));
    facts.params.evolution_search = SEARCH_ARCHIVE;
    for (int i = 0; i < facts.generation_count; i++)
        facts.generations[i].cells = 60;
    check_told("progress", DOCTOR_PROBLEM, "since generation 8", "archive.pressure=3");
}

/* What is set away from the default stays; on the way away from it a setting is proposed. */
TEST(what_is_set_on_purpose_is_not_undone)
{
    for (int parts = 9; parts <= 20; parts += 11) {
        plant_healthy();
        for (int i = 0; i < facts.fact_count; i++)
            facts.facts[i].parts = parts;
        facts.params.creature_parts_max = parts;
        examine();
        const struct doctor_finding *finding = find("bound of parts");
        ck_assert_int_eq(finding->state, DOCTOR_NOTE);
        ck_assert_str_eq(finding->setting, parts < 16 ? "" : "creature.parts_max=31");
        ck_assert_int_eq(strstr(finding->advice, "creature.parts_max=9 is set on purpose") != NULL,
                         parts < 16);
    }
}

/* The best falls where a start begins: no progress is told of before the merger. */
TEST(starts_are_no_standstill)
{
    plant(&(struct planted){.generations = GENERATIONS, .stagnant_from = 8});
    facts.params.evolution_islands = 4;
    facts.params.evolution_island_generations = 6;
    facts.params.evolution_generations = 40;
    examine();
    ck_assert_int_eq(find("progress")->state, DOCTOR_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(find("progress")->figure, "start 4 of 4 is under way"));
    facts.params.evolution_island_generations = 3;
    examine();
    ck_assert_int_eq(find("progress")->state, DOCTOR_PROBLEM);
}

TEST(rising_still_is_told)
{
    plant(&(struct planted){.generations = GENERATIONS, .rise = 0.04});
    check_told("progress", DOCTOR_NOTE, "rose by 12 % in the last 3 generations",
               "evolution.generations=40");
}

TEST(growth_by_size_is_told)
{
    plant(&(struct planted){.generations = GENERATIONS, .is_size_only = 1});
    check_told("score and size", DOCTOR_PROBLEM, "the best score became", "creature.parts_max=");
    ck_assert_ptr_nonnull(strstr(find("score and size")->advice, "by size only"));
}

TEST(copies_are_told)
{
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i++)
        if (facts.facts[i].parents[0] && i % 10 < 4)
            facts.facts[i].motion = planted_fact(&facts, facts.facts[i].parents[0])->motion;
    check_told("copies", DOCTOR_NOTE, "40 % of the children move exactly", "mutation.none=0.125");
}

TEST(a_poor_start_is_told)
{
    plant_healthy();
    for (int i = 1; i < PLANTED_POPULATION; i++)
        facts.members[i].fitness = 0;
    check_told("the first generation", DOCTOR_NOTE, "1.0 % of the first generation scored",
               "population.size=600");
}

TEST(poor_children_are_told)
{
    plant(&(struct planted){.generations = GENERATIONS, .losers_score = -1});
    for (int i = 0; i < PLANTED_POPULATION; i++)
        facts.members[i].fitness = 1;
    check_told("children", DOCTOR_PROBLEM, "75 % of the children", "mutation.step=0.15");
}

TEST(the_referee_is_told)
{
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i++)
        if (facts.facts[i].has_referee && i % 2)
            facts.facts[i].fitness = 0;
    check_told("the referee", DOCTOR_PROBLEM, "refused 50 %", "simulation.dt_s=0.00208");
}

TEST(the_exam_is_told)
{
    plant_healthy();
    facts.status.champion.holds = 0;
    strcpy(facts.status.champion.words,
           "10 at h; from perturbed starts 0.4 with solver constraint (least of 4)");
    check_told("the champion", DOCTOR_NOTE, "creature 7: 10 at h;", "simulation.dt_s=0.00208");
    facts.status.champion.id = 0;
    examine();
    ck_assert_int_eq(find("the champion")->state, DOCTOR_UNKNOWN);
}

TEST(bounds_are_told)
{
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i++)
        facts.facts[i].parts = (double)facts.params.creature_parts_max;
    check_told("bound of parts", DOCTOR_NOTE, "100 % of the last generation",
               "creature.parts_max=25");
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i++)
        facts.facts[i].neurons = (double)facts.params.creature_neurons_max;
    check_told("bound of neurons", DOCTOR_NOTE, "100 %", "creature.neurons_max=512");
}

TEST(dear_evaluations_are_told)
{
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i++)
        facts.facts[i].cost.task.cpu_ms = 10.0 * (1 + facts.facts[i].generation);
    check_told("time of an evaluation", DOCTOR_NOTE, "10 ms of processor time at first, 200 ms",
               "creature.parts_max=12");
}

TEST(useless_methods_are_told)
{
    plant_healthy();
    for (int i = 0; i < facts.member_count; i++) {
        struct store_fact *fact = planted_fact(&facts, facts.members[i].id);
        if (facts.members[i].survived && fact->method == METHOD_GRAFT)
            fact->method = METHOD_ASEXUAL;
    }
    check_told("breeding methods", DOCTOR_NOTE, "of graft ones 0 %", "breeding.graft=15");
}

TEST(idle_workers_are_told)
{
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i++) {
        facts.facts[i].cost.task.wall_ms = 40;
        facts.facts[i].has_referee = i < 20;
    }
    planted_spend(&facts);
    check_told("workers", DOCTOR_NOTE, "busy 40 % of their time (2 of them", "farm.prefetch=4");
}

TEST(lost_workers_and_crashes_are_told)
{
    plant_healthy();
    for (int i = 0; i < facts.fact_count; i += 50)
        facts.facts[i].cost.attempt = 1;
    planted_spend(&facts);
    check_told("lost workers", DOCTOR_NOTE, "33 of 1620 evaluations were repeated", "");
    plant_healthy();
    facts.facts[77].verdict = VERDICT_QUARANTINED;
    check_told("crashes", DOCTOR_PROBLEM, "1 creatures crashed", "");
}

TEST(an_empty_archive_is_told)
{
    plant_healthy();
    facts.params.evolution_search = SEARCH_ARCHIVE;
    for (int i = 0; i < facts.generation_count; i++)
        facts.generations[i].cells = 10;
    check_told("cells of the archive", DOCTOR_NOTE, "10 of 96 cells", "archive.pressure=3");
}

/* ---- choosing by hand ---- */

/* In each of the first generations the first in rank breeds, the second is kept, the third banned;
 * then the run waited for a minute. */
static void plant_choices(int behaviour, int generations)
{
    facts.params.evolution_behaviour = behaviour;
    facts.params.evolution_search = SEARCH_SIMS;
    facts.params.interactive_share = 0.5;
    facts.choices = calloc(3 * (size_t)generations + 1, sizeof *facts.choices);
    ck_assert_ptr_nonnull(facts.choices);
    for (int g = 0; g < generations; g++)
        for (int rank = 1; rank <= 3; rank++)
            for (int i = 0; i < facts.member_count; i++)
                if ((int)facts.members[i].generation == g && facts.members[i].rank == rank)
                    facts.choices[facts.choice_count++] =
                        (struct store_choice){.generation = (uint32_t)g,
                                              .id = facts.members[i].id,
                                              .choice = rank == 1   ? CHOICE_BREED
                                                        : rank == 2 ? CHOICE_KEEP
                                                                    : CHOICE_BAN};
    for (int i = 0; i < facts.fact_count; i++)
        facts.facts[i].cost.time_s += 60 * facts.facts[i].generation;
}

/* Without a goal everyone is as good as another. */
static void plant_equals(void)
{
    for (int i = 0; i < facts.fact_count; i++)
        facts.facts[i].fitness = facts.facts[i].has_referee = 0;
    for (int i = 0; i < facts.member_count; i++) {
        facts.members[i].fitness = 1;
        if ((int)facts.members[i].generation == facts.generation_count - 1)
            facts.members[i].survived = 0;
    }
    for (int i = 0; i < facts.generation_count; i++)
        facts.generations[i].best = 1;
    facts.status.champion.id = 0;
}

TEST(choices_are_counted)
{
    const struct store_member *first = NULL;
    plant_healthy();
    plant_choices(BEHAVIOUR_WALK, 12);
    facts.choices[facts.choice_count++] = (struct store_choice){11, 1000000, CHOICE_BREED};
    facts.params.interactive_every = 2;
    examine();
    ck_assert_int_eq(statistics.bred, 12);
    ck_assert_int_eq(statistics.kept, 12);
    ck_assert_int_eq(statistics.banned, 12);
    ck_assert_int_eq(statistics.answered, 12);
    /* after 1, 3, .. 17, of which those before 12 were answered, as were 0, 2, .. 10 */
    ck_assert_int_eq(statistics.asked, 15);
    ck_assert_int_eq(statistics.generations[11].bred, 1);
    ck_assert_int_eq(statistics.generations[12].bred, 0);
    first = &facts.members[0];
    ck_assert_int_eq(run_facts_choice(&facts, 0, first->id), CHOICE_BREED);
    ck_assert_int_eq(run_facts_choice(&facts, 12, first->id), CHOICE_NONE);
    ck_assert_int_eq(run_facts_choice(&facts, 0, 1000000), CHOICE_NONE);
    int chosen = 0;
    for (int i = 0; i < METHOD_COUNT; i++)
        chosen += statistics.methods[i].chosen;
    ck_assert_int_eq(chosen, 24);
    facts.choice_count = 0;
    ck_assert_int_eq(run_facts_choice(&facts, 0, first->id), CHOICE_NONE);
}

/* Where scores are all alike nothing is said of them, nor is the archive proposed. */
TEST(without_a_goal_scores_are_no_matter)
{
    static const char *const scores[] = {"progress", "score and size", "the first generation",
                                         "children", "the referee",    "the other solver"};
    plant_healthy();
    plant_choices(BEHAVIOUR_INTERACTIVE, GENERATIONS - 1);
    plant_equals();
    examine();
    for (int i = 0; i < finding_count; i++) {
        ck_assert_msg(findings[i].state >= DOCTOR_FINE, "%s", findings[i].figure);
        for (size_t k = 0; k < sizeof scores / sizeof scores[0]; k++)
            ck_assert_str_ne(findings[i].name, scores[k]);
    }
    ck_assert_ptr_nonnull(strstr(find("choices")->figure,
                                 "in 19 of 19 generations something was chosen: 19 to breed, 19 to "
                                 "keep, 19 banned"));
    /* of the last generation, without survivors, all count */
    ck_assert_int_eq(statistics.generations[GENERATIONS - 1].survivors, PLANTED_POPULATION);
    ck_assert_int_eq(statistics.generations[GENERATIONS - 2].survivors, PLANTED_SURVIVORS);
}

TEST(one_body_bred_by_hand_is_told)
{
    plant(&(struct planted){.generations = GENERATIONS, .clone_from = 7});
    plant_choices(BEHAVIOUR_INTERACTIVE, GENERATIONS - 1);
    plant_equals();
    check_told("variety", DOCTOR_NOTE, "one clone since generation 7", "");
    ck_assert_str_eq(find("variety")->setting, "");
    ck_assert_ptr_nonnull(strstr(find("variety")->advice, "keep or breed some of another kind"));
}

TEST(a_goal_beside_choices_is_looked_at)
{
    plant(&(struct planted){.generations = GENERATIONS, .stagnant_from = 5});
    plant_choices(BEHAVIOUR_WALK, GENERATIONS - 1);
    check_told("progress", DOCTOR_PROBLEM, "has not risen by 1 %", "interactive.share=0.25");
    ck_assert_ptr_null(strstr(find("progress")->advice, "search"));
    facts.params.interactive_share = 0.05;
    check_told("progress", DOCTOR_PROBLEM, "has not risen by 1 %", "");
    ck_assert_str_eq(find("progress")->setting, "");
}

TEST(generations_without_choice_are_told)
{
    plant_healthy();
    plant_choices(BEHAVIOUR_INTERACTIVE, 5);
    plant_equals();
    check_told("choices", DOCTOR_NOTE, "in 5 of 19 generations", "");
    ck_assert_ptr_nonnull(strstr(find("choices")->advice, "all creatures breed"));
    plant_healthy();
    plant_choices(BEHAVIOUR_WALK, 9);
    check_told("choices", DOCTOR_NOTE, "in 9 of 19 generations", "interactive.every=2");
    plant_healthy();
    plant_choices(BEHAVIOUR_WALK, 10);
    examine();
    ck_assert_int_eq(find("choices")->state, DOCTOR_FINE);
    plant_healthy();
    plant_choices(BEHAVIOUR_WALK, 0);
    facts.params.interactive_every = GENERATIONS;
    examine();
    ck_assert_int_eq(find("choices")->state, DOCTOR_UNKNOWN);
}

/* A minute at each of 19 generations, without work. */
TEST(waiting_for_choices_is_no_work)
{
    plant_healthy();
    examine();
    double working_s = statistics.working_s, worker_s = statistics.worker_s;
    plant_choices(BEHAVIOUR_WALK, GENERATIONS - 1);
    examine();
    ck_assert(fabs(statistics.working_s - working_s) < 2);
    ck_assert(fabs(statistics.worker_s - worker_s) < 4);
    ck_assert_int_eq(find("workers")->state, DOCTOR_FINE);
    facts.params.interactive_share = 0;
    examine();
    ck_assert(statistics.working_s > working_s + 60 * (GENERATIONS - 2));
}

/* Where a parameter is at its bound already, no setting beyond is proposed. */
TEST_LOOP(no_remedy_lies_beyond_the_bounds, 0, 2)
{
    plant(&(struct planted){.generations = GENERATIONS,
                            .clone_from = 3,
                            .stagnant_from = 3,
                            .is_size_only = 1,
                            .losers_score = -1});
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        const char *value = printed("%.17g", _i ? info->max : info->min);
        if (info->type == PARAM_REAL || (info->type == PARAM_INT && info->max < 1e15))
            ck_assert_int_eq(params_set(&facts.params, info->key, value, &error), 0);
    }
    facts.params.evolution_search = SEARCH_ARCHIVE;
    for (int verdict = 1; verdict < 18; verdict++) {
        plant_verdict(verdict, 30, 100);
        examine();
    }
}

SUITE("doctor", 60, NULL, tear_down)
