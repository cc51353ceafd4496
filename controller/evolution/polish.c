/* See polish.h. */
#include "controller/evolution/polish.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/genetics/genetics_numbers.h"
#include "common/judge/behaviour.h"
#include "controller/evolution/referee.h"

/* At one success in five the step stays: GROWS * SHRINKS^4 = 1. */
#define GROWS   1.5
#define SHRINKS 0.9036020036098449

/* The starts of a score: its own, and the two of a group that differ in all signs
 * (simulator/evaluate/perturb.c). */
static const int starts[] = {0, TRIAL_PERTURBATION_MAX - TRIAL_POLISH_STARTS + 1,
                             TRIAL_PERTURBATION_MAX};
enum { STARTS = sizeof starts / sizeof starts[0] };

/* One strategy. `tried` is under way or comes next, at first it is the creature itself. */
struct strategy {
    struct individual tried; /* with the result from its own start, and as fitness the least */
    struct genome original, best;
    double parent_kept;
    double first_score, score; /* of the creature itself, and of the best; -1: not known */
    double step;
    struct rng rng;
    int done; /* evaluations */
    int is_out;
    int start; /* of `tried`: which comes next */
};

struct polish {
    const struct params *params;
    struct strategy strategies[POLISH_MOST];
    int count;
    int each; /* evaluations of a strategy */
};

double polish_adapt_step(double step, int is_success)
{
    ENSURE(step > 0, "a step of %g", step);
    step *= is_success ? GROWS : SHRINKS;
    return step < POLISH_STEP_LEAST ? POLISH_STEP : fmin(step, POLISH_STEP_MOST);
}

/* ---- making ---- */

static int begin(struct strategy *strategy, const struct params *params, uint32_t generation,
                 const struct individual *creature)
{
    *strategy = (struct strategy){.first_score = -1, .score = -1, .step = POLISH_STEP};
    strategy->tried.id = creature->id;
    strategy->tried.seed = creature->seed;
    strategy->parent_kept = referee_kept(creature, params);
    genome_init(&strategy->tried.genome);
    genome_init(&strategy->original);
    genome_init(&strategy->best);
    rng_init(&strategy->rng, (uint64_t)params->run_seed, RNG_POLISH, generation, creature->id);
    if (genome_copy(&strategy->tried.genome, &creature->genome) ||
        genome_copy(&strategy->original, &creature->genome) ||
        genome_copy(&strategy->best, &creature->genome))
        return ERR_MEMORY;
    return 0;
}

/* Whether an earlier one moves alike. */
static int is_repeat(const struct population *ranked, int rank)
{
    for (int i = 0; i < rank; i++)
        if (ranked->individuals[i].seed == ranked->individuals[rank].seed)
            return 1;
    return 0;
}

int polish_create(struct polish **polish, const struct params *params,
                  const struct population *ranked, uint64_t born)
{
    double evaluations = params->evolution_polish * (double)born;
    int most = (int)fmin(POLISH_MOST, evaluations / POLISH_LEAST), judged, status = 0;
    *polish = NULL;
    if (most == 0)
        return 0;
    *polish = calloc(1, sizeof **polish);
    if (!*polish)
        return ERR_MEMORY;
    (*polish)->params = params;
    judged = ranked->count - ranked->unjudged;
    for (int i = 0; i < judged && (*polish)->count < most && !status; i++) {
        const struct individual *creature = &ranked->individuals[i];
        if (creature->fitness > 0 && !is_repeat(ranked, i))
            status = begin(&(*polish)->strategies[(*polish)->count++], params,
                           (uint32_t)(params->evolution_generations - 1), creature);
    }
    if (!status && (*polish)->count > 0) {
        (*polish)->each = (int)(evaluations / (*polish)->count);
        return 0;
    }
    polish_destroy(*polish);
    *polish = NULL;
    return status;
}

void polish_destroy(struct polish *polish)
{
    for (int i = 0; polish && i < polish->count; i++) {
        genome_deinit(&polish->strategies[i].tried.genome);
        genome_deinit(&polish->strategies[i].original);
        genome_deinit(&polish->strategies[i].best);
    }
    free(polish);
}

/* ---- ask and tell ---- */

static int is_over(const struct polish *polish, const struct strategy *strategy)
{
    return strategy->done >= polish->each;
}

const struct individual *polish_ask(struct polish *polish, struct trial *trial)
{
    for (int i = 0; i < polish->count; i++) {
        struct strategy *strategy = &polish->strategies[i];
        if (strategy->is_out || is_over(polish, strategy))
            continue;
        strategy->is_out = 1;
        *trial = (struct trial){.purpose = TRIAL_POLISH, .perturbation = starts[strategy->start]};
        return &strategy->tried;
    }
    return NULL;
}

static void exchange(struct genome *a, struct genome *b)
{
    struct genome genome = *a;
    *a = *b;
    *b = genome;
}

/* The next changed copy of the best, after one whose score is known, or below the best. */
static int go_on(const struct polish *polish, struct strategy *strategy, double score)
{
    int is_first = strategy->score<0, is_success = score> strategy->score;
    if (is_first) {
        strategy->first_score = strategy->score = score;
    } else {
        strategy->step = polish_adapt_step(strategy->step, is_success);
        if (is_success) {
            exchange(&strategy->best, &strategy->tried.genome);
            strategy->score = score;
        }
    }
    strategy->start = 0;
    genome_deinit(&strategy->tried.genome);
    if (genome_copy(&strategy->tried.genome, &strategy->best))
        return ERR_MEMORY;
    return genetics_change_numbers(&strategy->tried.genome, polish->params,
                                   2 * strategy->done < polish->each, strategy->step,
                                   &strategy->rng);
}

/* The least score so far. */
static double find_score(const struct polish *polish, struct strategy *strategy, int verdict,
                         const struct measures *measures)
{
    struct individual *tried = &strategy->tried;
    if (strategy->start > 0)
        return fmin(tried->fitness, referee_fitness(tried, verdict, measures, polish->params));
    tried->verdict = verdict;
    tried->measures = *measures;
    return behaviour_fitness(verdict, measures, polish->params);
}

int polish_tell(struct polish *polish, uint64_t id, int verdict, const struct measures *measures)
{
    struct strategy *strategy = polish->strategies;
    while (strategy < polish->strategies + polish->count && strategy->tried.id != id)
        strategy++;
    ENSURE(strategy < polish->strategies + polish->count && strategy->is_out,
           "creature %" PRIu64 " is not polished", id);
    strategy->is_out = 0;
    strategy->done++;
    strategy->tried.fitness = find_score(polish, strategy, verdict, measures);
    if (strategy->tried.fitness > strategy->score && ++strategy->start < STARTS)
        return 0;
    return go_on(polish, strategy, strategy->tried.fitness);
}

int polish_is_over(const struct polish *polish)
{
    for (int i = 0; i < polish->count; i++)
        if (!is_over(polish, &polish->strategies[i]))
            return 0;
    return 1;
}

void polish_get_progress(const struct polish *polish, int *done, int *count)
{
    *done = 0;
    *count = polish->count * polish->each;
    for (int i = 0; i < polish->count; i++)
        *done += polish->strategies[i].done;
}

/* ---- the end ---- */

static int make_child(struct strategy *strategy, const struct params *params, uint32_t generation,
                      struct individual *child)
{
    int brain, body;
    int status =
        genetics_count_changed(&strategy->original, &strategy->best, params, &brain, &body);
    *child = (struct individual){.generation = generation,
                                 .method = METHOD_POLISH,
                                 .parents = {strategy->tried.id},
                                 .kept = strategy->parent_kept};
    genome_init(&child->genome);
    if (status)
        return status;
    snprintf(child->mutations, sizeof child->mutations,
             "%d numbers of the brain and %d of the body changed in %d evaluations: %.4g -> %.4g",
             brain, body, strategy->done, strategy->first_score, strategy->score);
    exchange(&child->genome, &strategy->best);
    return 0;
}

int polish_take_children(struct polish *polish, uint32_t generation,
                         struct individual children[POLISH_MOST])
{
    int count = 0, status = 0;
    ENSURE(polish_is_over(polish), "children of a polish that is under way");
    for (int i = 0; i < polish->count && !status; i++)
        if (polish->strategies[i].score > polish->strategies[i].first_score)
            status =
                make_child(&polish->strategies[i], polish->params, generation, &children[count++]);
    for (int i = 0; status && i < count; i++)
        individual_deinit(&children[i]);
    return status ? status : count;
}
