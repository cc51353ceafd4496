/* A run in which creatures are judged by contests: bouts and their results, crashes, the hall
 * of fame, the champion's exam. contests.h finds the pairs. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/system/log.h"

/* The hall is what the store says: so a run that was stopped has the one that it would have. */
static int add_member(struct evolve *evolve, uint64_t id)
{
    struct creature creature;
    int status = stored_get_creature(store_database(evolve->store), id, &creature, &evolve->error);
    if (!status && contests_add_to_hall(evolve->contests, id, &creature.genome))
        status = error_memory(&evolve->error);
    creature_deinit(&creature);
    return status;
}

/* The first of the ranks, of each species one. */
static int add_best(struct evolve *evolve, uint32_t generation)
{
    struct store_entry *best;
    uint32_t found;
    int count, species_count = contests_species_count(evolve->params);
    int status = store_get_best(evolve->store, generation, STORE_RANKS, species_count, &best,
                                &count, &found, &evolve->error);
    if (!status && count < species_count)
        status = error_set(&evolve->error, ERR_FORMAT, "generation %" PRIu32 " has %d ranks",
                           generation, count);
    for (int i = 0; i < count && !status; i++)
        status = add_member(evolve, best[i].id);
    free(best);
    return status;
}

/* The founders and the best of all generations before this one. */
static int fill_hall(struct evolve *evolve, uint32_t generation)
{
    int founders = contests_founder_count(evolve->params), status = 0;
    while (!status && contests_hall_count(evolve->contests) < founders)
        status = add_member(evolve, (uint64_t)contests_hall_count(evolve->contests) + 1);
    int species_count = contests_species_count(evolve->params), known;
    while (!status && (known = contests_hall_count(evolve->contests) - founders) <
                          (int)generation * species_count)
        status = add_best(evolve, (uint32_t)(known / species_count));
    return status;
}

int evolve_start_contests(struct evolve *evolve)
{
    if (!contests_are_wanted(evolve->params))
        return 0;
    evolve->contests_of = -1;
    evolve->contests = contests_create(evolve->params);
    return evolve->contests ? 0 : error_memory(&evolve->error);
}

/* ---- what comes of them ---- */

static void take_outcome(struct evolve *evolve, const struct contests_outcome *outcome)
{
    const struct individual *individual = search_tell(evolve->search, outcome->id, outcome->verdict,
                                                      &outcome->measures, outcome->digest);
    if (!individual)
        return;
    if (outcome->crash)
        evolve_put_quarantine(evolve, individual, outcome->crash, "");
    else
        evolve_count_result(evolve, store_put_result(evolve->store, individual, &evolve->error));
}

/* The next candidate's exam, if there is one, has to be planned. */
static void end_exam(struct evolve *evolve)
{
    struct store_champion champion = {.words = "no other was the best of an earlier generation"};
    int won, count, rivals;
    contests_get_exam(evolve->contests, &won, &count, &rivals);
    champion.holds = count > 0 && won >= CONTESTS_EXAM_SHARE * count;
    if (count > 0)
        snprintf(champion.words, sizeof champion.words,
                 "won %d of %d contests with the best %d of the first generations", won, count,
                 rivals);
    evolve->contests_of = -1;
    evolve->exam_price = contests_exam_cost(evolve->contests);
    evolve_end_exam(evolve, &champion, evolve->exam_price);
}

/* Takes all that are through; the last one ends the generation. */
static void take_outcomes(struct evolve *evolve)
{
    int64_t generation = evolve->contests_of;
    struct contests_outcome outcome;
    while (!evolve->is_stopping && evolve->contests_of == generation &&
           generation == search_generation(evolve->search) &&
           contests_take(evolve->contests, &outcome)) {
        if (evolve->is_contest_exam)
            end_exam(evolve);
        else
            take_outcome(evolve, &outcome);
    }
}

/* ---- asking ---- */

static void count_trials(struct evolve *evolve)
{
    int left, count;
    contests_get_progress(evolve->contests, &left, &count);
    if (evolve->is_contest_exam)
        evolve_count_trials(evolve, count - left, count);
}

/* Plans what the search's generation needs, unless it is planned. 0 or ERR_*. */
static int plan(struct evolve *evolve)
{
    uint32_t generation = search_generation(evolve->search);
    const struct individual *candidate = evolve_find_candidate(evolve);
    int is_exam = search_is_finished(evolve->search);
    if ((evolve->contests_of == generation && evolve->is_contest_exam == is_exam) ||
        (is_exam && !candidate))
        return 0;
    int status = fill_hall(evolve, generation);
    evolve->contests_of = generation;
    if (!status) {
        evolve->is_contest_exam |= is_exam;
        status = is_exam ? contests_open_exam(evolve->contests, candidate)
                         : contests_open(evolve->contests, search_population(evolve->search),
                                         generation);
    }
    count_trials(evolve);
    if (!evolve_end_if(evolve, status))
        take_outcomes(evolve);
    return status;
}

int evolve_ask_contest(struct evolve *evolve, struct task *task, int *status)
{
    ENSURE(evolve->contests && evolve->contests_of >= -1, "contests of generation %lld",
           (long long)evolve->contests_of);
    struct contests_wanted wanted;
    int64_t before;
    int failed;
    do {
        before = evolve->contests_of;
        failed = evolve->failed_count;
        if (plan(evolve) || evolve->is_stopping)
            return 0;
    } while (before != evolve->contests_of || failed != evolve->failed_count);
    if (!contests_ask(evolve->contests, &wanted))
        return 0;
    *status = contests_make_task(&wanted, task);
    return 1;
}

/* ---- results ---- */

static int put_bout(struct evolve *evolve, const struct task *task, const struct result *result)
{
    struct store_contest contest = {
        .generation = (uint32_t)evolve->contests_of,
        .ids = {task->creature, task->rivals[0].creature},
        .trial = task->trial,
        .seed = task->seed,
        .verdicts = {result->verdict, result->rivals[0].verdict},
        .margins = {result->measures.contest_margin, result->rivals[0].measures.contest_margin},
        .digest = result->digest};
    return store_put_contest(evolve->store, &contest, &evolve->error);
}

void evolve_take_contest(struct evolve *evolve, const struct task *task,
                         const struct result *result)
{
    ENSURE(evolve->contests, "a contest in a run without contests");
    int status = task->bout == CONTESTS_ALONE ? 0 : put_bout(evolve, task, result);
    if (!status)
        status = contests_tell(evolve->contests, task, result);
    count_trials(evolve);
    if (!evolve_end_if(evolve, status))
        take_outcomes(evolve);
}

void evolve_quarantine_contest(struct evolve *evolve, const struct task *task, const char *reason)
{
    ENSURE(evolve->contests && reason, "a crash of a contest in a run without contests");
    char detail[512];
    int status = 0;
    if (task->bout == CONTESTS_ALONE) {
        progress_print(evolve->progress, "creature %" PRIu64 " is in quarantine: %s",
                       task->creature, reason);
    } else {
        snprintf(detail, sizeof detail,
                 "creatures %" PRIu64 " and %" PRIu64 " in a contest: %s; both are tried alone",
                 task->creature, task->rivals[0].creature, reason);
        status = store_put_event(evolve->store, "contest_crashed", detail, &evolve->error);
    }
    if (!status)
        status = contests_tell_crash(evolve->contests, task, reason);
    if (!evolve_end_if(evolve, status))
        take_outcomes(evolve);
}
