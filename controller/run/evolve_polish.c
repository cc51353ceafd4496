/* Polish of a run: after the last generation its best are changed a little, many times
 * (controller/evolution/polish.h). Improved copies join that generation as newborns, are
 * simulated, ranked and tried by the referee as all others, and may take the exam.
 *
 * The store has nothing of a polish that is under way: after a restart it begins again and comes to
 * the same. It is over when its children are born. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>

#include "common/system/log.h"

static void count_evaluations(struct evolve *evolve)
{
    struct progress_state *state = &evolve->state;
    state->polish_done = state->polish_count = 0;
    if (evolve->polish)
        polish_get_progress(evolve->polish, &state->polish_done, &state->polish_count);
}

/* The copies that became better are born. 0, or an error. */
static int end(struct evolve *evolve)
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

const struct individual *evolve_ask_polish(struct evolve *evolve, struct task *task)
{
    return evolve->polish ? polish_ask(evolve->polish, &task->trial) : NULL;
}

void evolve_take_polish(struct evolve *evolve, const struct task *task, int verdict,
                        const struct measures *measures)
{
    ENSURE(evolve->polish, "creature %" PRIu64 " is not polished", task->creature);
    int status = polish_tell(evolve->polish, task->creature, verdict, measures);
    count_evaluations(evolve);
    if (!status && polish_is_over(evolve->polish)) {
        status = end(evolve);
        count_evaluations(evolve);
        if (!status)
            evolve_advance(evolve);
    }
    evolve_end_if(evolve, status);
}
