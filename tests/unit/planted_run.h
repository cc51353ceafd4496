/* Made-up runs as the store would give them, for the tests of statistics, doctor and report.
 *
 * Each generation has PLANTED_SURVIVORS survivors of the one before; each of these has the same
 * number of children, of which the first takes its place. So nothing changes but the score, which
 * rises and levels off, and nothing is wrong with the run, unless a test plants something. */
#ifndef TESTS_UNIT_PLANTED_RUN_H
#define TESTS_UNIT_PLANTED_RUN_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "controller/analysis/run_statistics.h"

#define PLANTED_POPULATION 100
#define PLANTED_SURVIVORS  20
#define PLANTED_START      "2026-03-01T10:00:00.000Z"

/* What differs from a healthy run. */
struct planted {
    int generations;
    int clone_from;      /* from this generation on all descend from its best; 0: never */
    int stagnant_from;   /* from this generation on the score stays; 0: never */
    double rise;         /* of the score in a generation, without levelling off; 0: it does */
    int is_size_only;    /* the best's size is in proportion to its score */
    double losers_score; /* of the best of those that do not survive; negative: 0 */
};

static inline double planted_best(const struct planted *planted, int generation)
{
    int until = planted->stagnant_from && generation > planted->stagnant_from
                    ? planted->stagnant_from
                    : generation;
    return planted->rise > 0 ? pow(1 + planted->rise, until) : 3 - 2 * exp(-until / 4.0);
}

static inline struct store_fact *planted_fact(struct run_facts *facts, uint64_t id)
{
    return &facts->facts[id - 1];
}

static inline void planted_bear(struct run_facts *facts, const struct planted *planted,
                                int generation, int place, uint64_t parent)
{
    static const int methods[] = {METHOD_ASEXUAL, METHOD_CROSSOVER, METHOD_GRAFT};
    uint64_t id = (uint64_t)++facts->fact_count;
    const struct store_fact *from = parent ? planted_fact(facts, parent) : NULL;
    double best = planted_best(planted, generation);
    double losers = planted->losers_score < 0 ? 0 : 0.5 * best;
    struct store_fact fact = {
        .id = id,
        .parents = {parent, 0},
        .generation = (uint32_t)generation,
        .method = parent ? methods[(place / PLANTED_SURVIVORS + place) % 3] : METHOD_RANDOM,
        .verdict = VERDICT_OK,
        .fitness = place < PLANTED_SURVIVORS ? best * (1 - 0.001 * place) : losers,
        .parts = from ? from->parts : 3 + place % 4,
        .links = from ? from->links : 3,
        .neurons = 5,
        .size_m = planted->is_size_only ? 0.5 * best : 1,
        .motion = id * 977,
        .has_cost = 1,
    };
    fact.has_referee = place < 10;
    fact.referee_fitness = fact.fitness;
    fact.cost = (struct store_cost){.task = {.wall_ms = 95, .cpu_ms = 90},
                                    .simulations = 1,
                                    .worker = 1 + (int)(id % 2),
                                    .time_s = run_parse_time(PLANTED_START) + (double)id * 0.05};
    *planted_fact(facts, id) = fact;
}

/* The best of the generation before are the survivors of this one's opening. */
static inline void planted_judge(struct run_facts *facts, int generation, const uint64_t *ids)
{
    for (int rank = 1; rank <= PLANTED_POPULATION; rank++) {
        const struct store_fact *fact = planted_fact(facts, ids[rank - 1]);
        facts->members[facts->member_count++] =
            (struct store_member){.generation = (uint32_t)generation,
                                  .rank = rank,
                                  .survived = rank <= PLANTED_SURVIVORS,
                                  .id = fact->id,
                                  .fitness = fact->fitness};
    }
    facts->generations[generation] =
        (struct store_generation){.generation = (uint32_t)generation,
                                  .best = planted_fact(facts, ids[0])->fitness,
                                  .best_id = ids[0],
                                  .evaluations = facts->fact_count};
    facts->generation_count = generation + 1;
}

/* What the trials of all facts took on two workers, by their costs: the referee's trial of a
 * creature takes as long as its first. */
static inline void planted_spend(struct run_facts *facts)
{
    facts->spent_count = 4;
    for (int i = 0; i < facts->spent_count; i++)
        facts->spent[i] = (struct store_spent){.trial.purpose = i < 2 ? TRIAL_FIRST : TRIAL_ENTRY,
                                               .worker = 1 + i % 2};
    for (int i = 0; i < facts->fact_count; i++) {
        const struct store_fact *fact = &facts->facts[i];
        for (int purpose = 0; purpose <= fact->has_referee; purpose++) {
            struct store_spent *spent = &facts->spent[2 * purpose + (int)(fact->id % 2)];
            spent->simulated++;
            spent->repeated += fact->cost.attempt > 0;
            spent->wall_ms += fact->cost.task.wall_ms;
            spent->cpu_ms += fact->cost.task.cpu_ms;
        }
    }
}

/* The caller gives it back with run_facts_deinit(). */
static inline void planted_make(struct run_facts *facts, const struct planted *planted)
{
    size_t most = (size_t)planted->generations * PLANTED_POPULATION;
    uint64_t survivors[PLANTED_SURVIVORS], ids[PLANTED_POPULATION];
    memset(facts, 0, sizeof *facts);
    params_set_defaults(&facts->params);
    facts->params.evolution_search = SEARCH_SIMS;
    facts->params.evolution_generations = planted->generations;
    facts->facts = calloc(most, sizeof *facts->facts);
    facts->members = calloc(most, sizeof *facts->members);
    facts->generations = calloc((size_t)planted->generations, sizeof *facts->generations);
    facts->events = calloc(4, sizeof *facts->events);
    facts->spent = calloc(4, sizeof *facts->spent);
    ck_assert(facts->facts && facts->members && facts->generations && facts->events &&
              facts->spent);
    for (int g = 0; g < planted->generations; g++) {
        int is_clone = planted->clone_from && g >= planted->clone_from;
        int newborn = g == 0 ? PLANTED_POPULATION : PLANTED_POPULATION - PLANTED_SURVIVORS;
        for (int k = 0; k < newborn; k++) {
            uint64_t parent = g == 0 ? 0 : survivors[is_clone ? 0 : k % PLANTED_SURVIVORS];
            planted_bear(facts, planted, g, k, parent);
            ids[k] = (uint64_t)facts->fact_count;
        }
        for (int k = newborn; k < PLANTED_POPULATION; k++)
            ids[k] = survivors[k - newborn];
        planted_judge(facts, g, ids);
        memcpy(survivors, ids, sizeof survivors);
    }
    facts->event_count = 1;
    for (int i = 0; i < 4; i++)
        facts->events[i] = (struct store_event){"", "", "", NULL};
    facts->events[0].time_utc = PLANTED_START;
    facts->events[0].event = "run";
    facts->status.is_finished = 1;
    facts->status.champion.id = 7;
    facts->status.champion.holds = 1;
    planted_spend(facts);
    strcpy(facts->status.champion.words, "10 at h; from perturbed starts 9.8 at h/4 (median of 8), "
                                         "9.1 with solver constraint (least of 4)");
}

#endif
