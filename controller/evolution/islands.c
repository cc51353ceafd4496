/* Islands. See islands.h. */
#include "controller/evolution/islands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/text.h"

int islands_check_params(const struct params *params, struct error *error)
{
    if (params->evolution_islands > 1 && search_is_interactive(params))
        return error_set(error, ERR_RANGE,
                         "evolution.islands is %lld, but parents are chosen by hand",
                         (long long)params->evolution_islands);
    return 0;
}

/* A stretch of generations of one island, in which all others rest. In round 0 it begins with
 * random creatures, in the rounds after it one of the best starts goes on, the last round is the
 * merger. */
struct segment {
    int round, place;   /* the place in the round, from 0 */
    int count;          /* starts of the round; of the merger 0 */
    int64_t begin, end; /* generations; the end is not of it */
};

static int is_merger(const struct segment *segment)
{
    return segment->count == 0;
}

/* How many starts of `count` a round has; 0: it is the merger. */
static int round_starts(const struct params *params, int count, int round)
{
    return round > params->evolution_island_halvings ? 0 : count >> round;
}

/* Generations of each. */
static int64_t round_generations(const struct params *params, int round)
{
    return round ? params->evolution_halving_generations : params->evolution_island_generations;
}

/* Generations before the merger. */
static int64_t count_before_merger(const struct params *params, int count)
{
    int64_t generations = 0;
    for (int round = 0; round_starts(params, count, round) > 0; round++)
        generations += round_starts(params, count, round) * round_generations(params, round);
    return generations;
}

int islands_count(const struct params *params)
{
    int64_t most = params->evolution_generations - params->evolution_island_generations;
    int count = (int)params->evolution_islands;
    while (count > 1 && count_before_merger(params, count) > most)
        count--;
    return count;
}

static struct segment find_segment(const struct params *params, uint32_t generation)
{
    int count = islands_count(params);
    struct segment segment = {.count = round_starts(params, count, 0)};
    while (count > 1 && segment.count > 0) {
        int64_t length = round_generations(params, segment.round);
        int64_t place = (generation - segment.begin) / length;
        if (place < segment.count) {
            segment.place = (int)place;
            segment.begin += place * length;
            segment.end = segment.begin + length;
            return segment;
        }
        segment.begin += segment.count * length;
        segment.count = round_starts(params, count, ++segment.round);
    }
    /* without islands the only start is all of it, and so is what follows the merger */
    segment.end = INT64_MAX;
    return segment;
}

int64_t islands_generations_left(const struct params *params, uint32_t generation)
{
    int64_t end = find_segment(params, generation).end;
    if (end > params->evolution_generations)
        end = params->evolution_generations;
    return end > (int64_t)generation + 1 ? end - 1 - (int64_t)generation : 0;
}

int islands_is_opening(const struct params *params, uint32_t generation)
{
    return generation == find_segment(params, generation).begin;
}

int islands_is_start(const struct params *params, uint32_t generation)
{
    return islands_is_opening(params, generation) && find_segment(params, generation).round == 0;
}

int islands_is_end(const struct params *params, uint32_t generation)
{
    return islands_is_opening(params, generation + 1);
}

void islands_name_start(const struct params *params, uint32_t generation,
                        char text[ISLANDS_TEXT_SIZE])
{
    struct segment segment = find_segment(params, generation);
    text[0] = '\0';
    if (islands_count(params) > 1 && !is_merger(&segment))
        snprintf(text, ISLANDS_TEXT_SIZE, "start %d of %s%d", segment.place + 1,
                 segment.round ? "the best " : "", segment.count);
}

void islands_describe(const struct params *params, char text[ISLANDS_WORDS_SIZE])
{
    int count = islands_count(params);
    snprintf(text, ISLANDS_WORDS_SIZE,
             "%d starts from random creatures, of %" PRId64 " generations each; then ", count,
             params->evolution_island_generations);
    for (int round = 1; round_starts(params, count, round) > 0; round++)
        text_append(text, ISLANDS_WORDS_SIZE, "the best %d for %" PRId64 " more each; then ",
                    round_starts(params, count, round), params->evolution_halving_generations);
    text_append(text, ISLANDS_WORDS_SIZE, "the best %" PRId64 " breed on together",
                params->evolution_islands_merged);
}

int islands_founders_max(const struct params *params)
{
    double survivors = params->population_survival * (double)params->population_size;
    int most = (int)(survivors / (double)params->evolution_islands_merged + 0.5);
    return most > 0 ? most : 1;
}

ROW_ORDER(compare_numbers, int, ORDER(*a, *b));

/* The starts that have creatures in the population, in order. Returns how many. */
static int list_islands(const struct population *population, int islands[ISLANDS_MAX])
{
    int count = 0;
    for (int i = 0; i < population->count; i++) {
        int island = population->individuals[i].island, k = 0;
        while (k < count && islands[k] != island)
            k++;
        if (k == count && island > 0 && count < ISLANDS_MAX)
            islands[count++] = island;
    }
    qsort(islands, (size_t)count, sizeof *islands, compare_numbers);
    return count;
}

int islands_under_way(const struct search *search, uint32_t generation)
{
    struct segment segment = find_segment(&search->params, generation);
    int islands[ISLANDS_MAX];
    if (islands_count(&search->params) == 1 || is_merger(&segment))
        return 0;
    if (segment.round == 0)
        return segment.place + 1;
    int count = list_islands(&search->population, islands);
    return count == 0 ? 0 : islands[segment.place < count ? segment.place : count - 1];
}

/* It is counted, and the archive does not hold it. The store keeps how the generation before held
 * it, so this is done again whenever a search is restored. */
static void put_to_rest(struct individual *individual)
{
    individual_leave_archive(individual);
    individual->is_resting = individual->is_counted = 1;
}

void islands_find_resting(struct search *search)
{
    const struct params *params = &search->params;
    struct segment now = find_segment(params, search->generation);
    int is_opening = islands_is_opening(params, search->generation) && now.round > 0;
    int island = islands_under_way(search, search->generation);
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];
        individual->is_resting = 0;
        if (now.round ? island && individual->island != island : individual->generation < now.begin)
            put_to_rest(individual);
        /* those that woke are counted anew */
        else if (is_opening && individual->generation < search->generation)
            individual_leave_archive(individual);
    }
}

static int is_resting(const struct individual *individual)
{
    return individual->is_resting;
}

/* The first individuals by rank rest, as many as may, and the very first even without a score, so
 * that each start has a survivor. Those of other islands go on resting. */
static void rest(struct search *search)
{
    int most = islands_founders_max(&search->params);
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];
        if (individual->is_resting || i == 0 || (i < most && individual->fitness > 0))
            put_to_rest(individual);
    }
}

/* The best fitness of each start, in `best`. */
static void find_best(const struct search *search, double *best)
{
    for (int i = 0; i < search->population.count; i++) {
        const struct individual *individual = &search->population.individuals[i];
        if (individual->fitness > best[individual->island])
            best[individual->island] = individual->fitness;
    }
}

/* How many starts have done better, or as well and earlier. */
static int rank_start(const double *best, const int *islands, int count, int island)
{
    int rank = 0;
    for (int i = 0; i < count; i++)
        rank += best[islands[i]] > best[island] ||
                (best[islands[i]] == best[island] && islands[i] < island);
    return rank;
}

/* Only the best starts go on; to the merger only those with a score. */
static void leave_out(struct search *search, const struct segment *next)
{
    int most = is_merger(next) ? (int)search->params.evolution_islands_merged : next->count;
    double best[ISLANDS_MAX + 1] = {0};
    int islands[ISLANDS_MAX], count = list_islands(&search->population, islands);
    find_best(search, best);
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];
        individual->is_resting = rank_start(best, islands, count, individual->island) < most &&
                                 (individual->fitness > 0 || !is_merger(next));
    }
    search_keep(&search->population, is_resting);
}

/* Creatures of the island that comes next, at the merger all of them, are as any others; lagged
 * methods count them anew. */
static void wake(struct search *search, const struct segment *next)
{
    int island = islands_under_way(search, search->generation + 1);
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];
        if (is_merger(next) || individual->island == island)
            individual->is_resting = individual->is_counted = 0;
    }
}

void islands_leave(struct search *search)
{
    struct segment segment = find_segment(&search->params, search->generation);
    struct segment next = find_segment(&search->params, search->generation + 1);
    ENSURE(islands_is_end(&search->params, search->generation),
           "generation %u is not the last of an island", (unsigned)search->generation);
    rest(search);
    search_keep(&search->population, is_resting);
    if (next.round != segment.round)
        leave_out(search, &next);
    if (next.round > 0)
        wake(search, &next);
}
