/* Constant lag: the machinery of search methods that breed child by child.
 *
 * Results count in the order of ids, and the next child is bred as soon as fewer than
 * evolution.lag of those bred are not counted yet. So child k knows the results up to k - lag
 * and nothing else, whatever arrived in the meantime: the run does not depend on the number and
 * the speed of the workers. As long as lag is a few times the tasks that the workers hold, no
 * worker waits for a generation's end or for the referee. A result counts only after the
 * referee's word, so the referee looks ahead.
 *
 *              bred            told, in any order        head of the row, referee satisfied
 *   [breed] ---------> waiting ------------------> has result ---------------------> counted
 *   [count]
 *      ^                                                                                |
 *      +--------------------- fewer than lag bred and not counted ----------------------+
 *
 * A generation is population.size results counted; those in flight at its end are carried into the
 * next. After a restart the kept individuals and those in flight are as they were when the
 * generation began; later children are counted again in the same order (those that the store has
 * are taken, those it lost are bred a second time, equal to the first). */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/math/rng.h"
#include "controller/evolution/islands.h"

static struct individual *row(const struct search *search, int index)
{
    return &search->population.individuals[index];
}

/* ---- breeding ---- */

/* Results still to be counted in the whole run, or before the next island. */
static int64_t results_left(const struct search *search)
{
    int64_t generations = islands_generations_left(&search->params, search->generation);
    return search->quota - search->counted + generations * search->params.population_size;
}

/* Whether the next child is a random one, for one that is dead. */
static int draw_again(struct search *search)
{
    int is_fresh = search->redrawn < search->dead;
    search->redrawn += is_fresh;
    return is_fresh;
}

static void breed(struct search *search)
{
    struct individual *child = row(search, search->population.count);
    memset(child, 0, sizeof(*child));
    child->id = search->next_id;
    child->generation = search->generation;
    genome_init(&child->genome);
    search->failure = archive_breed(search->lagged, &search->population, child, draw_again(search));
    if (!search->failure)
        search->failure = search_complete_newborns(search, child, 1);
    if (search->failure) {
        individual_deinit(child);
        return;
    }
    search->next_id++;
    search->population.count++;
    search->born++;
}

/* Takes the next child that was bred before a restart. */
static void note_birth(struct search *search)
{
    struct individual *child = row(search, search->born++);
    int is_new;
    draw_again(search);
    archive_note_birth(&search->population, child);
    search->failure = census_note(search->population.census, &search->params, child, &is_new);
}

/* Breeds until the lag is full or the run has enough. */
static void breed_due(struct search *search)
{
    int64_t most = search->params.evolution_lag, left = results_left(search);
    if (most > left)
        most = left;
    while (!search->failure && search->born - search->head < most) {
        if (search->born < search->population.count) {
            note_birth(search);
        } else {
            breed(search);
        }
    }
}

/* ---- counting ---- */

/* Whether the head of the row has to see the referee first. */
static int is_called(const struct search *search, const struct individual *individual)
{
    return !individual->is_resting &&
           individual->heard < archive_find_wanted(search->lagged, individual);
}

/* The judged by rank, then those in flight by id. */
static void rank(struct search *search)
{
    struct population *population = &search->population;
    qsort(population->individuals, (size_t)search->head, sizeof(struct individual),
          search_compare_ranks);
    population->unjudged = population->count - search->head + search_count_resting(population);
    population->more = search->dead + search_count_added(search);
    search->is_ranked = 1;
}

/* Whether its result may count now. Whether the referee is asked depends only on those before it in
 * the row, whenever the referee's word came in. */
static int is_ready(struct search *search, struct individual *individual)
{
    if (!individual->has_result)
        return 0;
    while (is_called(search, individual)) {
        if (!individual->has_glance)
            return 0;
        search_hear(search, individual);
    }
    return 1;
}

/* In the first generation of a start the dead are replaced. */
static int is_replaced(const struct search *search, const struct individual *individual)
{
    int64_t most = (search->params.evolution_living_draws - 1) * search->params.population_size;
    return islands_is_start(&search->params, search->generation) && search->dead < most &&
           individual->generation == search->generation && search_is_dead(individual);
}

static void count(struct search *search, struct individual *individual)
{
    int is_dead = is_replaced(search, individual);
    individual->is_counted = 1;
    if (!individual->is_resting)
        archive_count(search->lagged, &search->population, individual);
    search->head++;
    search->counted += !individual->is_resting;
    search->dead += is_dead;
    search->quota += is_dead;
}

/* Counts what can be counted. */
static void settle(struct search *search)
{
    while (!search->is_ranked && !search->failure) {
        struct individual *individual = row(search, search->head);
        if (search->counted == search->quota) {
            rank(search);
            return;
        }
        if (search->head == search->born)
            breed_due(search);
        ENSURE(search->failure || search->head < search->born, "nothing in flight at %d of %d",
               search->counted, search->quota);
        if (search->failure || !is_ready(search, individual))
            return;
        count(search, individual);
        breed_due(search);
    }
}

/* ---- ask and tell ---- */

const struct individual *lagged_ask(struct search *search)
{
    settle(search);
    while (!search->is_ranked && search->cursor < search->born) {
        struct individual *individual = row(search, search->cursor++);
        if (individual->has_result || individual->is_asked)
            continue;
        individual->is_asked = 1;
        return individual;
    }
    return NULL;
}

const struct individual *lagged_tell(struct search *search, struct individual *individual)
{
    uint64_t id = individual->id;
    settle(search);
    /* ranking moves it */
    return search->is_ranked ? search_find(search, id) : individual;
}

/* Not the head of the row alone, but every creature that would be called if it stood there now.
 * Results between may make a trial needless; without looking ahead all workers but one would
 * wait. */
const struct individual *lagged_ask_referee(struct search *search)
{
    settle(search);
    for (int i = search->head; !search->is_ranked && i < search->born; i++) {
        struct individual *individual = row(search, i);
        if (!individual->has_result || individual->is_before_referee || individual->has_glance ||
            !is_called(search, individual))
            continue;
        individual->is_before_referee = 1;
        return individual;
    }
    return NULL;
}

int lagged_is_complete(struct search *search)
{
    settle(search);
    return search->is_ranked;
}

/* ---- generations ---- */

/* The kept and those in flight stand in front, in order of id: makes rows for what will be bred. */
static int make_room(struct search *search)
{
    struct population *population = &search->population;
    size_t redrawn = islands_is_start(&search->params, search->generation)
                         ? (size_t)search->params.evolution_living_draws
                         : 1;
    size_t room = (size_t)population->count + redrawn * (size_t)search->quota +
                  (size_t)search->params.evolution_lag;
    struct individual *grown =
        realloc(population->individuals, room * sizeof(*population->individuals));
    if (!grown)
        return ERR_MEMORY;
    population->individuals = grown;
    return 0;
}

/* Evaluations are not comparable any more, or the referee has to look again: all kept creatures
 * are counted once more, with those in flight. */
static void recount(struct search *search)
{
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = row(search, i);
        if (individual->is_counted)
            individual->trials = 0;
        individual->is_counted = individual->is_waiting = individual->cell = 0;
    }
}

static int must_recount(const struct search *search)
{
    int must = 0;
    for (int i = 0; i < search->population.count; i++) {
        const struct individual *individual = row(search, i);
        must |= individual->is_counted &&
                (!individual->has_result || archive_is_stale(search->lagged, individual));
    }
    return must;
}

/* Those bred before this generation began, and all that made the first one of a start. */
static int count_born(const struct search *search)
{
    int born = search->head, count = search->population.count;
    while (born < count && row(search, born)->generation < search->generation)
        born++;
    if (islands_is_start(&search->params, search->generation))
        born += (int)search->params.population_size;
    return born < count ? born : count;
}

/* Those up to row `end` whose result is to be counted in this generation. */
static int count_waiting(const struct search *search, int end)
{
    int count = 0;
    for (int i = search->head; i < end; i++)
        count += !row(search, i)->is_resting;
    return count;
}

/* The population is brought in order of id, kept ones first since they are older. */
int lagged_open(struct search *search)
{
    struct population *population = &search->population;
    search_sort(population, rows_compare_ids);
    search->head = 0;
    while (search->head < population->count && row(search, search->head)->is_counted)
        search->head++;
    search->born = count_born(search);
    search->counted = search->cursor = search->is_ranked = search->dead = search->redrawn = 0;
    search->quota = (int)search->params.population_size;
    /* After a recount all of them are in flight; with those that were added before a restart, the
     * generation is all that was born */
    int waiting = count_waiting(search, search->born);
    if (search->quota < waiting)
        search->quota = waiting;
    if (search_count_added(search))
        search->quota = count_waiting(search, population->count);
    search->taken = population->count;
    population->due = search->quota;
    population->unjudged = 0;
    if (make_room(search) || search_count_known(search, search->born))
        return ERR_MEMORY;
    archive_restore(search->lagged, population);
    return 0;
}

int lagged_add(struct search *search, int first)
{
    struct population *population = &search->population;
    ENSURE(search->is_ranked && results_left(search) == 0, "%d results are missing",
           (int)results_left(search));
    search_sort(population, rows_compare_ids);
    search->quota += population->count - search->head;
    search->taken = first;
    search->born = search->cursor = search->head;
    search->is_ranked = 0;
    archive_restore(search->lagged, population);
    settle(search);
    return search->failure;
}

int lagged_begin(struct search *search)
{
    search->lagged = archive_create(&search->params);
    if (!search->lagged)
        return ERR_MEMORY;
    if (must_recount(search))
        recount(search);
    return lagged_open(search);
}
