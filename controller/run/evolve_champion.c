/* The end of a run: the best of the last generation take the exam (common/judge/exam.h) one after
 * the other, until one passes. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>

#include "common/judge/behaviour.h"
#include "common/rows.h"
#include "common/system/log.h"
#include "controller/evolution/referee.h"

/* First evaluations of the run that its exams may cost as much as; 0: there is no bound. */
static double count_affordable(const struct evolve *evolve)
{
    double bred = (double)(search_next_id(evolve->search) - 1);
    return evolve->params->guard_exam_cost * bred;
}

/* Whether another exam like the last one is within guard.exam_candidates and guard.exam_cost. */
static int may_examine(const struct evolve *evolve)
{
    if (evolve->failed_count == 0)
        return 1;
    return evolve->failed_count < evolve->params->guard_exam_candidates &&
           (evolve->params->guard_exam_cost == 0 ||
            evolve->exam_spent + evolve->exam_price <= count_affordable(evolve));
}

const struct individual *evolve_find_candidate(const struct evolve *evolve)
{
    ENSURE(evolve->champion_rank >= 0 && evolve->failed_count >= 0, "rank %d, %d failed",
           evolve->champion_rank, evolve->failed_count);
    const struct population *ranked = search_population(evolve->search);
    if (evolve->is_champion_known || !search_is_finished(evolve->search))
        return NULL;
    if (!evolve->is_polished || evolve->params->evolution_behaviour == BEHAVIOUR_INTERACTIVE ||
        evolve->champion_rank >= ranked->count - ranked->unjudged || !may_examine(evolve))
        return NULL;
    const struct individual *candidate = &ranked->individuals[evolve->champion_rank];
    return candidate->fitness > 0 ? candidate : NULL;
}

void evolve_count_trials(struct evolve *evolve, int told, int count)
{
    struct progress_state *state = &evolve->state;
    state->exam_candidate = evolve->failed_count + 1;
    state->exam_trials = count;
    state->exam_trial = told + (told < count);
}

static void begin_exam(struct evolve *evolve, const struct individual *candidate)
{
    exam_begin(&evolve->exam,
               behaviour_fitness(candidate->verdict, &candidate->measures, evolve->params),
               candidate->genome.kind, evolve->params);
    if (evolve->params->guard_exam_cost > 0)
        exam_cut(&evolve->exam, count_affordable(evolve));
    evolve->exam_price = exam_cost(&evolve->exam);
    evolve->is_exam_begun = 1;
    evolve_count_trials(evolve, 0, exam_trial_count(&evolve->exam));
}

const struct individual *evolve_ask_exam(struct evolve *evolve, struct task *task)
{
    const struct individual *candidate = evolve_find_candidate(evolve);
    if (!candidate)
        return NULL;
    if (!evolve->is_exam_begun)
        begin_exam(evolve, candidate);
    return exam_ask(&evolve->exam, &task->trial) ? candidate : NULL;
}

/* The next in rank that does not move like one that has failed. */
static void go_to_next_candidate(struct evolve *evolve)
{
    const struct population *ranked = search_population(evolve->search);
    evolve->failed[evolve->failed_count++] = ranked->individuals[evolve->champion_rank].seed;
    do
        evolve->champion_rank++;
    while (evolve->champion_rank < ranked->count &&
           rows_contain(evolve->failed, evolve->failed_count,
                        ranked->individuals[evolve->champion_rank].seed));
}

void evolve_end_exam(struct evolve *evolve, struct store_champion *champion, double spent)
{
    int is_first = evolve->champion_rank == 0;
    champion->id = evolve_find_candidate(evolve)->id;
    log_event(LOG_INFO, "champion", "creature=%" PRIu64 " holds=%d words=\"%s\"", champion->id,
              champion->holds, champion->words);
    if ((champion->holds || is_first) &&
        evolve_end_if(evolve, store_put_champion(evolve->store, champion, &evolve->error)))
        return;
    evolve->is_exam_begun = 0;
    evolve->exam_spent += spent;
    if (!champion->holds)
        go_to_next_candidate(evolve);
    evolve->is_champion_known = champion->holds || !evolve_find_candidate(evolve);
    if (is_first && !evolve->is_champion_known)
        progress_print(evolve->progress,
                       "creature %" PRIu64 " is not the champion: %s; others are examined",
                       champion->id, champion->words);
    evolve_advance(evolve);
}

void evolve_take_champion(struct evolve *evolve, const struct task *task, int verdict,
                          const struct measures *measures)
{
    ENSURE(task->trial.purpose == TRIAL_CHAMPION, "creature %" PRIu64 " sits no exam",
           task->creature);
    const struct individual *candidate = evolve_find_candidate(evolve);
    struct store_trial trial = {.id = candidate->id, .trial = task->trial, .verdict = verdict};
    trial.fitness = referee_fitness(candidate, verdict, measures, evolve->params);
    if (evolve_end_if(evolve, store_put_trial(evolve->store, &trial, &evolve->error)))
        return;
    exam_tell(&evolve->exam, &task->trial, trial.fitness);
    evolve_count_trials(evolve, evolve->exam.told, exam_trial_count(&evolve->exam));
    if (exam_is_over(&evolve->exam)) {
        struct store_champion champion = {.holds = exam_holds(&evolve->exam)};
        exam_describe(&evolve->exam, champion.words);
        evolve_end_exam(evolve, &champion, exam_spent(&evolve->exam));
    }
}

/* ---- the polish before the exam ----
 *
 * After the last generation its best are changed a little, many times
 * (controller/evolution/polish.h). Improved copies join that generation as newborns, are
 * simulated, ranked and tried by the referee as all others, and may take the exam.
 *
 * The store has nothing of a polish that is under way: after a restart it begins again and comes to
 * the same. It is over when its children are born. */

static void count_evaluations(struct evolve *evolve)
{
    struct progress_state *state = &evolve->state;
    state->polish_done = state->polish_count = 0;
    if (evolve->polish)
        polish_get_progress(evolve->polish, &state->polish_done, &state->polish_count);
}

/* The copies that became better are born. 0, or an error. */
static int end_polish(struct evolve *evolve)
{
    struct individual children[POLISH_MOST];
    int count = polish_take_children(evolve->polish, search_generation(evolve->search), children);
    polish_destroy(evolve->polish);
    evolve->polish = NULL;
    evolve->is_polished = 1;
    log_event(LOG_INFO, "polish", "evaluations=%d better=%d", evolve->state.polish_count, count);
    int status = count > 0 ? search_add(evolve->search, children, count) : count;
    return status ? error_set(&evolve->error, status, "the best cannot be polished: %s",
                              error_text(status))
                  : 0;
}

int evolve_is_polishing(struct evolve *evolve)
{
    if (evolve->is_polished || evolve->polish || !search_is_finished(evolve->search))
        return evolve->polish != NULL;
    int status = 0;
    if (search_has_referee(evolve->search) && search_count_added(evolve->search) == 0)
        status = polish_create(&evolve->polish, evolve->params, search_population(evolve->search),
                               search_next_id(evolve->search) - 1);
    evolve->is_polished = !evolve->polish;
    count_evaluations(evolve);
    evolve_end_if(evolve, status);
    return !evolve->is_polished;
}

void evolve_take_polish(struct evolve *evolve, const struct task *task, int verdict,
                        const struct measures *measures)
{
    ENSURE(evolve->polish, "creature %" PRIu64 " is not polished", task->creature);
    int status = polish_tell(evolve->polish, task->creature, verdict, measures);
    count_evaluations(evolve);
    if (!status && polish_is_over(evolve->polish)) {
        status = end_polish(evolve);
        count_evaluations(evolve);
        if (!status)
            evolve_advance(evolve);
    }
    evolve_end_if(evolve, status);
}
