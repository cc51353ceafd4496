/* Generations of a run: a complete one is closed in the store and the next one opened, unless it
 * waits for choices; children and the referee's words are stored as they come. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/judge/behaviour.h"
#include "common/system/log.h"
#include "controller/evolution/islands.h"
#include "controller/store/run_directory.h"

/* Evaluations in all generations after the current one. */
static int64_t evaluations_to_come(const struct evolve *evolve)
{
    int64_t generations_left =
        (int64_t)evolve->state.last_generation - (int64_t)search_generation(evolve->search);
    int64_t each = evolve->params->population_size;
    if (!evolve->params->evolution_reevaluate)
        each -= search_survivor_count(evolve->search);
    return generations_left > 0 ? generations_left * each : 0;
}

int evolve_start_count(struct evolve *evolve)
{
    struct store_status status;
    int result = store_get_status(evolve->store, &status, &evolve->error);
    evolve->state.last_generation = (uint32_t)(evolve->params->evolution_generations - 1);
    evolve->state.best_so_far = status.best_of_all;
    return result;
}

void evolve_count_generation(struct evolve *evolve)
{
    struct progress_state *state = &evolve->state;
    if (evolve->preserve) {
        evolve_count_epochs(evolve);
        return;
    }
    uint32_t generation = search_generation(evolve->search);
    islands_name_start(evolve->params, generation, state->start);
    if (generation != state->generation && *state->start &&
        islands_is_opening(evolve->params, generation))
        state->has_best = 0;
    state->generation = generation;
    search_get_progress(evolve->search, &state->evaluated, &state->members);
    state->evaluations_left = evaluations_to_come(evolve) + state->members - state->evaluated;
}

/* Choices that the store has for the complete generation: of another run, or given before a
 * restart. */
static int take_choices(struct evolve *evolve)
{
    uint32_t generation = search_generation(evolve->search);
    struct store_choice *choices;
    int count;
    if (!search_is_interactive(evolve->params))
        return 0;
    int status = stored_get_choices(store_database(evolve->store), generation, &choices, &count,
                                    &evolve->error);
    for (int i = 0; !status && i < count; i++)
        if (search_choose(evolve->search, choices[i].id, choices[i].choice))
            status = error_set(&evolve->error, ERR_MISSING,
                               "there are choices for generation %" PRIu32
                               ", but its creature %" PRIu64 " is not in it: another run's choices",
                               generation, choices[i].id);
    free(choices);
    return status;
}

/* Closes the complete generation for the time being, so that it can be looked at. */
static int show_generation(struct evolve *evolve)
{
    struct generation_closing closing;
    int status = generation_closing_init(&closing, search_population(evolve->search), 0);
    if (status)
        return status;
    status = store_close_generation(evolve->store, search_generation(evolve->search), &closing,
                                    &evolve->error);
    generation_closing_deinit(&closing);
    return status;
}

static void begin_waiting(struct evolve *evolve)
{
    uint32_t generation = search_generation(evolve->search);
    if (evolve_end_if(evolve, show_generation(evolve)))
        return;
    evolve->is_waiting = evolve->state.is_waiting = 1;
    log_event(LOG_INFO, "waiting", "generation=%" PRIu32, generation);
    progress_print(evolve->progress,
                   "generation %" PRIu32
                   " waits for your choices: controller view %s, or controller "
                   "choose %s",
                   generation, evolve->directory, evolve->directory);
}

/* Whether the complete generation has to wait for choices. */
static int must_wait(struct evolve *evolve)
{
    if (evolve->is_chosen || search_generation(evolve->search) < evolve->chosen_until ||
        !search_wants_choices(evolve->search))
        return 0;
    if (!evolve->is_waiting)
        begin_waiting(evolve);
    return 1;
}

/* The search breeds the next generation; the store closes this one and opens that. */
static int open_next(struct evolve *evolve, const struct generation_closing *closing)
{
    uint32_t generation = search_generation(evolve->search);
    int status = search_advance(evolve->search);
    if (status)
        return error_set(&evolve->error, status, "generation %" PRIu32 " cannot be bred: %s",
                         generation + 1, error_text(status));
    status = store_put_generation(evolve->store, generation + 1, search_population(evolve->search),
                                  closing, &evolve->error);
    if (!status)
        evolve_count_generation(evolve);
    return status;
}

/* A fitness that no creature of the first generation has leaves a run without a goal. 0, or an
 * error. */
static int check_fitness(struct evolve *evolve)
{
    const struct population *population = search_population(evolve->search);
    int scored = 0, defined = 0;
    for (int i = 0; i < population->count; i++) {
        const struct individual *individual = &population->individuals[i];
        if (!individual->has_result || !verdict_is_scored(individual->verdict))
            continue;
        scored++;
        defined += behaviour_is_defined(&individual->measures, evolve->params);
    }
    if (search_generation(evolve->search) > 0 || scored == 0 || defined > 0)
        return 0;
    return error_set(&evolve->error, ERR_RANGE,
                     "fitness.expression is not a finite number for any of the %d creatures of "
                     "generation 0 that have a score: %s",
                     scored, evolve->params->fitness_expression);
}

static int complete_generation(struct evolve *evolve)
{
    struct generation_closing closing;
    if (take_choices(evolve))
        return evolve->error.code;
    search_select(evolve->search);
    if (check_fitness(evolve))
        return evolve->error.code;
    uint32_t number = search_generation(evolve->search);
    int status = generation_closing_init(&closing, search_population(evolve->search),
                                         search_survivor_count(evolve->search));
    if (status)
        return status;
    struct progress_state *state = &evolve->state;
    state->has_best = 1;
    state->best = closing.ranks[0].fitness;
    state->best_so_far = fmax(state->best_so_far, state->best);
    state->median = closing.median;
    if (search_is_finished(evolve->search)) {
        status = store_finish(evolve->store, search_generation(evolve->search), &closing,
                              &evolve->error);
        evolve->is_finished = !status;
    } else {
        status = open_next(evolve, &closing);
    }
    if (!status) {
        log_event(LOG_INFO, "generation",
                  "number=%" PRIu32 " best=%.9g median=%.9g best_id=%" PRIu64 " rate_hz=%.1f",
                  number, state->best, state->median, closing.ranks[0].id,
                  progress_rate(evolve->progress));
        run_log_rotate(evolve->log);
    }
    generation_closing_deinit(&closing);
    return status;
}

/* Stores the children bred since the last time. */
static int store_newborns(struct evolve *evolve)
{
    const struct individual *newborn;
    int status = search_take_newborn(evolve->search, &newborn);
    while (!status && newborn) {
        status = store_put_newborn(evolve->store, newborn, &evolve->error);
        if (!status)
            status = search_take_newborn(evolve->search, &newborn);
    }
    if (status && !evolve->error.code)
        error_set(&evolve->error, status, "a child cannot be bred: %s", error_text(status));
    return status;
}

/* Stores the referee's words that count from now on. */
static int store_refereed(struct evolve *evolve)
{
    const struct individual *individual;
    int status = 0;
    while (!status && (individual = search_take_refereed(evolve->search)) != NULL) {
        log_event(LOG_INFO, "referee",
                  "creature=%" PRIu64 " referee_fitness=%.9g fitness=%.9g words=\"%s\"",
                  individual->id, individual->referee_fitness, individual->fitness,
                  individual->referee_words);
        status = store_put_referee(evolve->store, individual, &evolve->error);
    }
    return status;
}

/* Whether the generation is complete; -1: it failed. Everything new is stored. */
static int check_complete(struct evolve *evolve)
{
    int is_complete = search_is_complete(evolve->search);
    int has_failed = store_refereed(evolve) || store_newborns(evolve);
    return evolve_end_if(evolve, has_failed) ? -1 : is_complete;
}

/* Advances while generations are complete: more than once only if a generation has nothing to
 * evaluate (all of it survives). Ends the run after the last one. */
void evolve_advance(struct evolve *evolve)
{
    ENSURE(!evolve->preserve == (evolve->search != NULL), "a search in a preserve");
    if (evolve->preserve) {
        evolve_advance_epochs(evolve);
        return;
    }
    while (!evolve->is_finished && check_complete(evolve) == 1 && !evolve_is_polishing(evolve) &&
           !evolve_find_candidate(evolve) && !must_wait(evolve)) {
        struct progress_state done = evolve->state;
        if (evolve_end_if(evolve, complete_generation(evolve)))
            return;
        evolve->is_chosen = 0;
        done.has_best = 1;
        done.best = evolve->state.best;
        done.median = evolve->state.median;
        done.best_so_far = evolve->state.best_so_far;
        progress_show(evolve->progress, &done, 1);
    }
    if (evolve->is_finished)
        evolve_stop(evolve);
}
