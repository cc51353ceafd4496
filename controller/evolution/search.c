/* The machinery every search method shares: the population, tasks that were asked for, results,
 * ranking, the change of generations. search_lagged.c has the lagged methods' own ways.
 *
 * State: generation number, population, next creature id; everything else follows from them and
 * from the parameters. The population is kept in order of id while results are missing (so that
 * a result finds its individual by bisection) and is ranked when the last one arrives; then the
 * referee looks at the top. The ranks are made anew with each of its words, until all in the top
 * are looked at. The words count in the order of ranks, whenever they came in.
 * Typical: 300 individuals of about 10 kB. */
#include "controller/evolution/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/judge/behaviour.h"
#include "common/math/rng.h"
#include "controller/evolution/cells.h"
#include "controller/evolution/contests.h"
#include "controller/evolution/islands.h"
#include "controller/evolution/referee.h"
#include "controller/evolution/search_private.h"
#include "controller/evolution/seeding.h"

const char *const breeding_method_names[METHOD_COUNT] = {"random", "asexual", "crossover",
                                                         "graft",  "seed",    "polish"};

const char *breeding_method_words(const char *name)
{
    static const char *const words[METHOD_COUNT] = {"random",       "child of one", "child of two",
                                                    "graft of two", "seed",         "polished"};
    for (int i = 0; i < METHOD_COUNT; i++)
        if (!strcmp(name, breeding_method_names[i]))
            return words[i];
    return name;
}

const struct search_method *const search_methods[SEARCH_COUNT] = {
    [SEARCH_SIMS] = &search_sims,
    [SEARCH_RANDOM] = &search_random,
    [SEARCH_ARCHIVE] = &search_archive,
};

void individual_deinit(struct individual *individual)
{
    genome_deinit(&individual->genome);
    packed_bytes_deinit(&individual->packed);
}

int individual_copy_genome(const struct individual *individual, struct genome *genome,
                           struct packed_bytes *packed)
{
    int status = genome_copy(genome, &individual->genome);
    *packed = (struct packed_bytes){NULL, 0};
    return status ? status
                  : packed_bytes_set(packed, individual->packed.bytes, individual->packed.length);
}

/* Whether a lagged method keeps it when the generation ends. */
static int is_still_needed(const struct individual *individual)
{
    return !individual->is_counted || individual->cell || individual->trials ||
           individual->is_waiting || individual->is_resting;
}

void individual_leave_archive(struct individual *individual)
{
    individual->cell = individual->trials = individual->is_waiting = individual->is_counted = 0;
}

void search_free_individuals(struct individual *individuals, int count)
{
    for (int i = 0; individuals && i < count; i++)
        individual_deinit(&individuals[i]);
    free(individuals);
}

/* ---- order ---- */

/* Resting ones last, before them spare ones, then fitness descending, then id ascending: a total
 * order, so that sorting gives one result. */
int search_compare_ranks(const void *a, const void *b)
{
    const struct individual *x = a, *y = b;
    return 8 * ORDER(x->is_resting, y->is_resting) + 4 * ORDER(x->is_spare, y->is_spare) +
           2 * ORDER(y->fitness, x->fitness) + ORDER(x->id, y->id);
}

void search_sort(struct population *population, int (*compare)(const void *a, const void *b))
{
    if (population->count > 0)
        qsort(population->individuals, (size_t)population->count, sizeof(struct individual),
              compare);
}

void search_keep(struct population *population, int (*is_kept)(const struct individual *individual))
{
    int kept = 0;
    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];
        if (is_kept(individual))
            population->individuals[kept++] = *individual;
        else
            individual_deinit(individual);
    }
    population->count = kept;
    population->unjudged = 0;
}

/* Fitness of an individual that has a result, after the referee's word. One that keeps too
 * little counts less than it kept, but more than nothing: where all that move are fragile, a run
 * would have no parents. */
static double search_judge(const struct search *search, const struct individual *individual)
{
    const struct params *params = &search->params;
    double fitness = behaviour_fitness(individual->verdict, &individual->measures, params);
    double told = individual->referee_fitness, share = params->guard_referee_share * fitness;
    int is_own = params->guard_score == SCORE_OWN;
    if (params->guard_referee_top == 0 || fitness == 0)
        return fitness;
    if (individual->heard == REFEREE_NOT)
        return !is_own && individual->kept > 0 ? individual->kept * fitness : fitness;
    if (is_own)
        return told < share ? 0 : fitness;
    if (told < share)
        return told * told / share;
    return params->guard_score == SCORE_MEAN ? told : fmin(told, fitness);
}

/* Without a goal a score says nothing, and contests have other starts anyway: then there is no
 * referee. */
int search_has_referee(const struct search *search)
{
    return search->params.evolution_behaviour != BEHAVIOUR_INTERACTIVE &&
           !contests_are_wanted(&search->params);
}

/* Whether the referee would see the individual of that rank if it saw so many. */
static int is_wanted(const struct search *search, int rank, int64_t top)
{
    const struct individual *individual = &search->population.individuals[rank];
    return rank < top && individual->fitness > 0 && !individual->is_resting &&
           search_has_referee(search) &&
           individual->heard < referee_find_wanted(rank == 0, &search->params);
}

/* Whether the referee wants to see the individual of that rank. */
static int is_called(const struct search *search, int rank)
{
    return is_wanted(search, rank, search->params.guard_referee_top);
}

/* How many of the top will keep too little when their word counts: others come up then. */
static int count_falling(const struct search *search)
{
    const struct params *params = &search->params;
    int count = 0;
    for (int i = 0; i < search->population.count && i < params->guard_referee_top; i++) {
        const struct individual *individual = &search->population.individuals[i];
        double own = behaviour_fitness(individual->verdict, &individual->measures, params);
        count += individual->has_glance &&
                 individual->glance_fitness < params->guard_referee_share * own;
    }
    return count;
}

void search_hear(struct search *search, struct individual *individual)
{
    ENSURE(individual->has_glance, "creature %llu was not tried",
           (unsigned long long)individual->id);
    if (search->params.guard_score == SCORE_MEAN || individual->heard == REFEREE_NOT ||
        individual->glance_fitness < individual->referee_fitness) {
        individual->referee_fitness = individual->glance_fitness;
        memcpy(individual->referee_words, individual->glance_words,
               sizeof individual->referee_words);
    }
    individual->heard = referee_stage(individual->referee_trial - 1, &search->params);
    individual->referee_trial = referee_trial_after(individual->heard, &search->params);
    individual->has_glance = 0;
    individual->fitness = search_judge(search, individual);
    individual->is_news = 1;
    search->news++;
}

ROW_ORDER(compare_places, struct individual, ORDER(a->place, b->place));

/* In the order of ranks, species in turns. */
static void sort_ranks(struct search *search)
{
    struct population *population = &search->population;
    int species_count = contests_species_count(&search->params), counts[CONTESTS_SPECIES_MAX] = {0};
    search_sort(population, search_compare_ranks);
    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];
        int species = contests_species(&search->params, individual->id);
        individual->place = counts[species]++ * species_count + species;
    }
    search_sort(population, compare_places);
}

/* Ranks a population without missing results and calls the top before the referee. A word of the
 * referee may bring a creature down or up (kept), so that the calls depend on the order of the
 * words: they count in the order of ranks, the first that is called first, whenever they came
 * in. */
static void rank(struct search *search)
{
    struct individual *first;
    do {
        sort_ranks(search);
        search->called = search->cursor = 0;
        first = NULL;
        for (int i = 0; i < search->population.count; i++) {
            if (!is_called(search, i))
                continue;
            if (search->called++ == 0)
                first = &search->population.individuals[i];
        }
        if (first && first->has_glance)
            search_hear(search, first);
        else
            first = NULL;
    } while (first);
}

/* All results are there: either more children are wanted, or they are ranked. 0 or ERR_MEMORY. */
static int end_results(struct search *search)
{
    int status = search_fill(search);
    if (!search->missing)
        rank(search);
    return status;
}

/* Notes the row among the best with results, if it belongs there. */
static void note_top(struct search *search, int row)
{
    const struct individual *individuals = search->population.individuals;
    int at = search->top_count;
    while (at > 0 && search_compare_ranks(&individuals[row], &individuals[search->top[at - 1]]) < 0)
        at--;
    if (at == search->params.guard_referee_top)
        return;
    if (search->top_count < search->params.guard_referee_top)
        search->top_count++;
    memmove(&search->top[at + 1], &search->top[at],
            (size_t)(search->top_count - 1 - at) * sizeof search->top[0]);
    search->top[at] = row;
}

int search_count_resting(const struct population *population)
{
    int count = 0;
    for (int i = 0; i < population->count; i++)
        count += population->individuals[i].is_resting;
    return count;
}

/* Cheap: whatever is there is counted. */
static void check(const struct search *search)
{
    const struct population *p = &search->population;
    ENSURE(p->count >= 0 && (p->count == 0 || p->individuals), "%d individuals", p->count);
    ENSURE(search->missing >= 0 && search->missing <= p->count, "%d of %d results are missing",
           search->missing, p->count);
    ENSURE(search->called >= 0 && search->called <= p->count, "%d of %d are called", search->called,
           p->count);
    ENSURE(search->cursor >= 0 && search->cursor <= p->count, "row %d of %d", search->cursor,
           p->count);
    ENSURE(search->top_count >= 0 && search->top_count <= search->params.guard_referee_top,
           "%d in the top", search->top_count);
}

void search_update(struct search *search)
{
    search->missing = search->cursor = search->called = search->top_count = 0;
    search->taken = search->population.count;
    search->population.unjudged = search_count_resting(&search->population);
    for (int i = 0; i < search->population.count; i++)
        search->missing += !search->population.individuals[i].has_result;
    if (!search->missing) {
        rank(search);
        return;
    }
    search_sort(&search->population, rows_compare_ids);
    for (int i = 0; i < search->population.count; i++)
        if (search->population.individuals[i].has_result &&
            !search->population.individuals[i].is_resting)
            note_top(search, i);
    check(search);
}

/* ---- making and freeing ---- */

struct individual *search_make_individuals(const struct search *search, int kept, int born,
                                           int generations_on)
{
    struct individual *individuals = calloc((size_t)(kept + born), sizeof(*individuals));
    for (int i = 0; individuals && i < born; i++) {
        struct individual *child = &individuals[kept + i];
        child->id = search->next_id + (uint64_t)i;
        child->generation = search->generation + (uint32_t)generations_on;
        child->body = search_method_of(search)->is_lagged ? child->id : 0;
        genome_init(&child->genome);
    }
    return individuals;
}

int search_adopt(struct search *search, struct individual *all, int kept, int born, int status)
{
    struct population *population = &search->population;
    if (!status)
        status = search_complete_newborns(search, all + kept, born);
    if (status) {
        search_free_individuals(all, kept + born);
        return status;
    }
    if (kept > 0)
        memcpy(all, population->individuals, (size_t)kept * sizeof(*all));
    free(population->individuals);
    population->individuals = all;
    population->count = kept + born;
    search->next_id += (uint64_t)born;
    return 0;
}

int search_count_known(struct search *search, int count)
{
    census_clear(search->population.census);
    return census_note_all(search->population.census, &search->params,
                           search->population.individuals, count);
}

int search_complete_newborns(struct search *search, struct individual *children, int count)
{
    int status = 0;
    for (int i = 0; i < count && !status; i++) {
        struct individual *child = &children[i];
        status = census_find_key(search->population.census, &search->params, child, &child->key);
        child->seed = rng_mix_seed((uint64_t)search->params.run_seed, child->key.words[0]);
        child->born_trials = child->trials;
        child->island = islands_under_way(search, child->generation);
        if (!status)
            status = genome_pack(&child->packed, &child->genome, &search->scratch);
    }
    return status;
}

static struct search *make_search(const struct params *params, uint32_t generation,
                                  uint64_t next_id)
{
    size_t top_bytes = (size_t)params->guard_referee_top * sizeof(int);
    struct search *search = calloc(1, sizeof(*search) + top_bytes);
    if (!search)
        return NULL;
    search->population.census = census_create();
    if (!search->population.census) {
        free(search);
        return NULL;
    }
    pack_writer_init(&search->scratch);
    search->params = *params;
    search->generation = generation;
    search->next_id = next_id;
    return search;
}

const struct search_method *search_method_of(const struct search *search)
{
    return search_params_method(&search->params);
}

int search_check_params(const struct params *params, struct error *error)
{
    struct cell_grid grid;
    if (cell_grid_parse(&grid, params->archive_cells, error))
        return error_prefix(error, "archive.cells");
    if (body_kind_check_params(params->creature_body, params, error) ||
        behaviour_check_params(params, error) || behaviour_check_use(params, error) ||
        islands_check_params(params, error) || contests_check_params(params, error))
        return error->code;
    if (search_params_method(params)->is_lagged && params->evolution_reevaluate)
        return error_set(error, ERR_RANGE,
                         "evolution.reevaluate is on, but evolution.search %s keeps its results",
                         search_params_method(params)->name);
    if (search_params_method(params)->is_lagged && search_is_interactive(params))
        return error_set(error, ERR_RANGE,
                         "evolution.search %s breeds without a break, so choices are not possible; "
                         "with "
                         "evolution.behaviour interactive or interactive.share use sims",
                         search_params_method(params)->name);
    return 0;
}

/* A population that is whole: ready to be asked. */
static int begin(struct search *search)
{
    if (search_method_of(search)->is_lagged)
        return lagged_begin(search);
    search_update(search);
    return search->missing ? 0 : end_results(search);
}

/* Makes the random creatures of a start in the search's generation, behind those that are there. */
static int begin_start(struct search *search, const struct seeding *seeding)
{
    struct population *population = &search->population;
    const struct params *params = &search->params;
    int kept = population->count, count = (int)params->population_size;
    struct individual *all = search_make_individuals(search, kept, count, 0);
    int status = all ? 0 : ERR_MEMORY;
    for (int i = 0; !status && i < count; i++)
        status = breeding_make_random(params, &all[kept + i]);
    if (!status && seeding)
        status = seeding_populate(seeding, params, all + kept, count);
    return search_adopt(search, all, kept, count, status);
}

struct search *search_create(const struct params *params, const struct seeding *seeding)
{
    struct search *search = make_search(params, 0, 1);
    if (search && (begin_start(search, seeding) || begin(search))) {
        search_destroy(search);
        return NULL;
    }
    return search;
}

struct search *search_restore(const struct params *params, uint32_t generation,
                              struct population *population, uint64_t next_id)
{
    struct search *search = make_search(params, generation, next_id);
    if (!search)
        return NULL;
    search->population.individuals = population->individuals;
    search->population.count = population->count;
    memset(population, 0, sizeof(*population));
    for (int i = 0; !search_method_of(search)->is_lagged && i < search->population.count; i++)
        individual_leave_archive(&search->population.individuals[i]);
    islands_find_resting(search);
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];

        /* Gives the number that is stored, unless what fitness means was changed for the resumed
         * run. */
        if (individual->has_result)
            individual->fitness = search_judge(search, individual);
        if (individual->id >= search->next_id)
            search->next_id = individual->id + 1;
        individual->is_asked = individual->is_before_referee = 0;
        individual->has_glance = individual->is_news = 0;
        individual->referee_trial = referee_trial_after(individual->heard, params);
    }
    if (begin(search)) {
        search_destroy(search);
        return NULL;
    }
    return search;
}

void search_destroy(struct search *search)
{
    if (!search)
        return;
    archive_destroy(search->lagged);
    search_free_individuals(search->population.individuals, search->population.count);
    census_destroy(search->population.census);
    pack_writer_deinit(&search->scratch);
    free(search);
}

/* ---- ask and tell ---- */

uint32_t search_generation(const struct search *search)
{
    return search->generation;
}

uint64_t search_next_id(const struct search *search)
{
    return search->next_id;
}

const struct population *search_population(const struct search *search)
{
    return &search->population;
}

const struct individual *search_ask(struct search *search)
{
    if (search->lagged)
        return lagged_ask(search);
    while (search->missing && search->cursor < search->population.count) {
        const struct individual *individual = &search->population.individuals[search->cursor++];
        if (!individual->has_result)
            return individual;
    }
    return NULL;
}

struct individual *search_find_id(const struct population *population, uint64_t id)
{
    return rows_find_id(population->individuals, population->count, sizeof *population->individuals,
                        id);
}

struct individual *search_find(struct search *search, uint64_t id)
{
    struct individual *individuals = search->population.individuals;
    if (search->lagged ? !search->is_ranked : search->missing > 0)
        return search_find_id(&search->population, id);
    for (int i = 0; i < search->population.count; i++)
        if (individuals[i].id == id)
            return &individuals[i];
    return NULL;
}

const struct individual *search_tell(struct search *search, uint64_t id, int verdict,
                                     const struct measures *measures, uint64_t digest)
{
    struct individual *individual = search_find(search, id);
    check(search);
    ENSURE(measures, "a result of creature %llu without measures", (unsigned long long)id);
    if (!individual || individual->has_result)
        return NULL;
    individual->has_result = 1;
    individual->verdict = verdict;
    individual->measures = *measures;
    individual->digest = digest;
    individual->fitness = search_judge(search, individual);
    if (search->lagged)
        return lagged_tell(search, individual);
    note_top(search, (int)(individual - search->population.individuals));
    if (--search->missing)
        return individual;
    /* The last one: ranking moves it. */
    search->failure = end_results(search);
    return search_find(search, id);
}

/* The referee's simulations are the longest. If they began after all others, workers would wait
 * for one another. So the top is tried when nine tenths of the generation have been given out; a
 * few of these trials are in vain. */
static struct individual *ask_early(struct search *search)
{
    struct population *population = &search->population;
    struct individual *first = NULL;
    if (!search_has_referee(search) || population->count - search->cursor > population->count / 10)
        return NULL;
    for (int i = 0; i < search->top_count; i++) {
        struct individual *individual = &population->individuals[search->top[i]];
        if (individual->fitness > 0 && !individual->has_glance && !individual->is_before_referee &&
            individual->heard < referee_find_wanted(0, &search->params) &&
            (!first || individual < first))
            first = individual;
    }
    return first;
}

const struct individual *search_ask_referee(struct search *search)
{
    struct individual *individual = NULL;
    if (search->lagged)
        return lagged_ask_referee(search);
    if (search->missing)
        individual = ask_early(search);
    int64_t top = search->params.guard_referee_top + (search->missing ? 0 : count_falling(search));
    while (!search->missing && !individual && search->cursor < search->population.count &&
           search->cursor < top) {
        int at = search->cursor++;
        if (is_wanted(search, at, top) && !search->population.individuals[at].is_before_referee &&
            !search->population.individuals[at].has_glance)
            individual = &search->population.individuals[at];
    }
    if (individual)
        individual->is_before_referee = 1;
    return individual;
}

const struct individual *search_take_refereed(struct search *search)
{
    for (int i = 0; search->news > 0 && i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];
        if (!individual->is_news)
            continue;
        individual->is_news = 0;
        search->news--;
        return individual;
    }
    return NULL;
}

/* Takes a trial into the mean of the creature's own evaluation and its trials, of all stages. */
static void note_mean(struct individual *individual, int number, int is_first_of_stage, double own,
                      double fitness)
{
    double before = number == 0         ? own
                    : is_first_of_stage ? individual->referee_fitness
                                        : individual->glance_fitness;
    individual->glance_fitness = before + (fitness - before) / (number + 2);
    snprintf(individual->glance_words, sizeof individual->glance_words,
             "keeps %.0f %% in the mean of %d starts", 100 * individual->glance_fitness / own,
             number + 2);
}

/* Keeps the worst of the trials of a stage, or the mean. 1 if the stage ends: with its last one, or
 * with a failure. */
static int note_trial(struct search *search, struct individual *individual, int verdict,
                      const struct measures *measures)
{
    const struct params *params = &search->params;
    double own = behaviour_fitness(individual->verdict, &individual->measures, params);
    double fitness = referee_fitness(individual, verdict, measures, params);
    int number = individual->referee_trial++, stage = referee_stage(number, params);
    int is_first = number == referee_trial_after(stage - 1, params);
    int is_last = individual->referee_trial == referee_trial_after(stage, params);
    struct trial trial = referee_trial(individual, number, params);
    if (params->guard_score == SCORE_MEAN) {
        note_mean(individual, number, is_first, own, fitness);
        return is_last;
    }
    if (is_first || fitness < individual->glance_fitness) {
        individual->glance_fitness = fitness;
        referee_describe(individual, &trial, verdict, measures, params, individual->glance_words,
                         sizeof individual->glance_words);
    }
    return is_last || fitness < params->guard_referee_share * own;
}

const struct individual *search_tell_referee(struct search *search, uint64_t id, int verdict,
                                             const struct measures *measures)
{
    struct individual *individual = search_find(search, id);
    if (!individual || !individual->is_before_referee || individual->is_counted)
        return NULL;
    individual->is_before_referee = 0;
    int at = (int)(individual - search->population.individuals);
    if (!note_trial(search, individual, verdict, measures)) {
        if (!search->lagged && !search->missing && search->cursor > at)
            search->cursor = at;
        return individual;
    }
    individual->has_glance = 1;
    if (search->lagged || search->missing || !is_called(search, at))
        return search->lagged ? lagged_tell(search, individual) : individual;
    /* ranking moves it, may let its word count, and may call another */
    rank(search);
    return search_find(search, id);
}

int search_take_newborn(struct search *search, const struct individual **newborn)
{
    *newborn = NULL;
    if (search->taken < search->population.count)
        *newborn = &search->population.individuals[search->taken++];
    return *newborn ? 0 : search->failure;
}

int search_is_complete(struct search *search)
{
    if (search->lagged)
        return lagged_is_complete(search);
    return search->missing == 0 && search->called == 0;
}

void search_get_progress(const struct search *search, int *done, int *needed)
{
    if (search->lagged) {
        *done = search->counted;
        *needed = search->quota;
    } else {
        *needed = search->population.count - search_count_resting(&search->population);
        *done = *needed - search->missing;
    }
}

int search_count_added(const struct search *search)
{
    const struct population *population = &search->population;
    int count = 0;
    for (int i = 0; i < population->count; i++)
        count += population->individuals[i].method == METHOD_POLISH &&
                 population->individuals[i].generation == search->generation;
    return count;
}

int search_add(struct search *search, struct individual *children, int count)
{
    int before = search->population.count;
    struct individual *all = search_make_individuals(search, before, count, 0);
    ENSURE(search_is_complete(search), "generation %u is under way", (unsigned)search->generation);
    for (int i = 0; i < count; i++) {
        children[i].id = search->next_id + (uint64_t)i;
        children[i].body = search->lagged ? children[i].id : 0;
        if (all)
            all[before + i] = children[i];
        else
            individual_deinit(&children[i]);
    }
    int status = search_adopt(search, all, before, count, all ? 0 : ERR_MEMORY);
    if (status)
        return status;
    if (search->lagged)
        return lagged_add(search, before);
    search_update(search);
    search->taken = before; /* these are news */
    return 0;
}

int search_is_finished(struct search *search)
{
    return search_is_complete(search) &&
           search->generation + 1 >= (uint64_t)search->params.evolution_generations;
}

/* ---- bars ----
 *
 * Bars for children: a child much slower than those it has to beat is stopped early (verdict
 * hopeless). Sims did so in 1994 with creatures clearly worse than the worst survivor of the
 * generation before.
 *
 * Where survivors compete with all children (sims, random) the slowest survivor sets the bar for
 * all, but only if fitness fills all places for survivors; before, any score may survive.
 * Where a child competes with its like (archive) there is no bar: the pace of the slowest holder
 * would stop no creature, that of the best would kill all other kinds, and that of the slower
 * parent stopped one child in five and gained nothing (3000 walkers: 8.9 s and best 23.9 without,
 * 9.1 s and 23.7 with it).
 *
 * A stopped child has less fitness than the creature that set the bar, and would stay below it
 * at that pace. A creature that only gets going late is stopped too. */

static void set_bars(const struct params *params, const struct individual *survivors,
                     int survivor_count, int quota, struct individual *children, int count)
{
    ENSURE(survivor_count >= 0 && count >= 0, "%d survivors, %d children", survivor_count, count);
    double slowest = 0;
    if (survivor_count < quota || survivor_count == 0 ||
        !(survivors[survivor_count - 1].fitness > 0))
        return;
    for (int i = 0; i < survivor_count; i++) {
        double pace = early_stop_of(&survivors[i].measures, params);
        if (i == 0 || pace < slowest)
            slowest = pace;
    }
    struct early_stop_bar bar = early_stop_make_bar(slowest, params);
    for (int i = 0; i < count; i++)
        children[i].bar = bar;
}

/* ---- generations ---- */

/* Places of the generation that can be survived: not of those that rest or were replaced. At the
 * end of an island only the next generation counts. */
static int count_places(const struct search *search)
{
    const struct population *population = &search->population;
    int count = 0;
    if (islands_is_end(&search->params, search->generation))
        return (int)search->params.population_size;
    for (int i = 0; i < population->count; i++)
        count += !population->individuals[i].is_resting && !population->individuals[i].is_spare;
    return count;
}

/* Places for survivors. */
static int find_quota(const struct search *search)
{
    int64_t most = search->params.population_size;
    int count = count_places(search);
    int quota = (int)(search->params.population_survival * count + 0.5);
    if (most > count)
        most = count;
    return quota > most ? (int)most : quota;
}

/* The share that survives, but not those without fitness (unless none has any: the first of the
 * ranks is always kept, so that a generation has a best). */
int search_survivor_count(const struct search *search)
{
    const struct population *population = &search->population;
    int quota = islands_is_end(&search->params, search->generation)
                    ? islands_founders_max(&search->params)
                    : find_quota(search);
    int count = 0;
    if (search->lagged || search_is_interactive(&search->params))
        return 0;
    while (count < quota && count < population->count && population->individuals[count].fitness > 0)
        count++;
    return count > 0 || population->count == 0 ? count : 1;
}

static int is_selected(const struct individual *individual)
{
    return individual->is_selected;
}

void search_keep_selected(struct search *search)
{
    struct population *population = &search->population;
    search_keep(population, is_selected);
    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];
        individual->choice = CHOICE_NONE;
        individual->is_selected = 0;
        individual->is_spare &= !search_is_interactive(&search->params);
        individual->has_result &= individual->is_resting || !search->params.evolution_reevaluate;
    }
}

/* Breeds the next generation from the first `survivors` of the ranks. 0 or ERR_MEMORY. */
static int breed_generation(struct search *search, int survivors)
{
    int kept = survivors + search_count_resting(&search->population);
    int born = (int)search->params.population_size - survivors;
    struct population ranked = search->population;
    struct individual *all = search_make_individuals(search, kept, born, 1);
    int status = all ? search_count_known(search, ranked.count) : ERR_MEMORY;
    ranked.count = count_places(search);
    if (!status)
        status = search_method_of(search)->next(&search->params, search->generation + 1, &ranked,
                                                survivors, all + kept, born);
    if (!status) {
        set_bars(&search->params, ranked.individuals, survivors, find_quota(search), all + kept,
                 born);
        for (int i = 0; i < search->population.count; i++)
            ranked.individuals[i].is_selected = i < survivors || ranked.individuals[i].is_resting;
        search_keep_selected(search);
    }
    status = search_adopt(search, all, kept, born, status);
    if (status)
        return status;
    search->generation++;
    search_update(search);
    return 0;
}

/* Opens the first generation of an island that begins with random creatures. */
static int open_start(struct search *search)
{
    search->generation++;
    if (begin_start(search, NULL)) {
        search->generation--;
        return ERR_MEMORY;
    }
    if (search->lagged)
        return lagged_open(search);
    search_update(search);
    return 0;
}

int search_advance(struct search *search)
{
    int survivors = search_survivor_count(search);
    check(search);
    ENSURE(survivors >= 0 && survivors <= search->population.count, "%d of %d survive", survivors,
           search->population.count);
    if (search_is_interactive(&search->params))
        return interactive_advance(search);
    ENSURE(search->missing == 0 && search->called == 0, "%d results and %d referees are missing",
           search->missing, search->called);
    if (islands_is_end(&search->params, search->generation)) {
        islands_leave(search);
        search_sort(&search->population, search_compare_ranks);
        survivors = search->population.count - search_count_resting(&search->population);
    }
    if (islands_is_start(&search->params, search->generation + 1))
        return open_start(search);
    if (!search->lagged)
        return breed_generation(search, survivors);
    search_keep(&search->population, is_still_needed);
    search->generation++;
    return lagged_open(search);
}

/* ---- what is kept of a generation ---- */

/* Mean in rank order and median of the ranked fitness; no sum is greater than what is summed. */
static void summarise(struct generation_closing *closing)
{
    const struct generation_rank *ranks = closing->ranks;
    int count = closing->count;
    for (int i = 0; i < count; i++)
        closing->mean += ranks[i].fitness / count;
    closing->median = count % 2
                          ? ranks[count / 2].fitness
                          : 0.5 * ranks[count / 2 - 1].fitness + 0.5 * ranks[count / 2].fitness;
}

int generation_closing_init(struct generation_closing *closing, const struct population *ranked,
                            int survivor_count)
{
    int count = ranked->count - ranked->unjudged;
    ENSURE(count > 0 && survivor_count >= 0, "%d ranked, %d unjudged, %d survivors", ranked->count,
           ranked->unjudged, survivor_count);
    closing->count = 0;
    closing->mean = closing->median = 0;
    closing->unjudged = ranked->unjudged;
    closing->more = ranked->more;
    closing->ranks = calloc((size_t)count, sizeof *closing->ranks);
    if (!closing->ranks)
        return ERR_MEMORY;
    for (; closing->count < count; closing->count++) {
        const struct individual *individual = &ranked->individuals[closing->count];
        closing->ranks[closing->count] =
            (struct generation_rank){.id = individual->id,
                                     .fitness = individual->fitness,
                                     .survived = closing->count < survivor_count ||
                                                 individual->cell || individual->is_selected,
                                     .cell = individual->cell,
                                     .trials = individual->trials,
                                     .is_waiting = individual->is_waiting};
    }
    summarise(closing);
    return 0;
}

void generation_closing_deinit(struct generation_closing *closing)
{
    free(closing->ranks);
    memset(closing, 0, sizeof *closing);
}
