/* Mutation, in the order Sims published (genetics_mutations.c); then garbage collection.
 *
 * One table of kinds in that order, and after it those that a kind of body has of its own
 * (genetics_kind.h): the rate (a row of the parameters), how many sites a genome offers, and what
 * is done at a random site. The kinds of all of a creature's mutations are drawn first and sorted.
 * Each mutation is tried on a copy; where the collected copy equals the genome before, or has
 * nothing but a root left, the copy is dropped and another kind is drawn in its place among all
 * kinds (it waits for its turn in the order). */
#include "common/genetics/genetics.h"

#include <stdio.h>
#include <string.h>

#include "common/genetics/genetics_kind.h"
#include "common/genetics/genetics_random.h"
#include "common/genetics/genetics_wiring.h"
#include "common/text.h"

enum { TRIES_PER_MUTATION = 64, KINDS_MAX = 128, KINDS_WEIGHED = 64 };

/* The kinds that all bodies share, then those of the genome's kind of body. NULL beyond the
 * last. */
static const struct mutation_kind *kind_at(const struct genome *genome, int number)
{
    const struct mutation_kind *own = genetics_kind_of(genome)->mutations;
    if (number < mutation_kind_count)
        return &mutation_kinds[number];
    number -= mutation_kind_count;
    return own && own[number].count_sites ? &own[number] : NULL;
}

/* A kind by rate and number of sites; -1: not one is possible. */
static int draw_kind(const struct genome *genome, const struct params *params, struct rng *rng)
{
    double weights[KINDS_WEIGHED];
    const struct mutation_kind *kind;
    int count;
    for (count = 0; (kind = kind_at(genome, count)); count++) {
        double rate = mutation_param(params, kind->rate_offset);

        ENSURE(count < KINDS_WEIGHED, "%d kinds of mutation", count);
        if ((kind->of != OF_BRAIN && !params->mutation_body) ||
            (kind->of == OF_PLAN && params->mutation_plan == PLAN_KEEP) ||
            (kind->is_on && !kind->is_on(params)))
            rate = 0;
        weights[count] = rate > 0 ? rate * kind->count_sites(genome) : 0;
    }
    return rng_pick(rng, weights, count);
}

static void sort_kinds(int *drawn, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && drawn[k] < drawn[k - 1]; k--) {
            int earlier = drawn[k];

            drawn[k] = drawn[k - 1];
            drawn[k - 1] = earlier;
        }
}

/* Tries one mutation on a copy. 1: `genome` is changed, 0: it is not, or ERR_MEMORY. */
static int try_kind(struct maker *maker, struct genome *genome, int kind)
{
    struct gene_counter ids_before = *maker->ids;
    struct genome trial;
    int is_change;
    ENSURE(kind_at(genome, kind), "mutation %d is of no kind", kind);
    /* An earlier mutation may have taken the last site. */
    if (kind_at(genome, kind)->count_sites(genome) == 0)
        return 0;
    if (genome_copy(&trial, genome))
        return ERR_MEMORY;
    maker->genome = &trial;
    maker->status = 0;
    maker->words[0] = '\0';
    if (kind_at(genome, kind)->apply)
        kind_at(genome, kind)->apply(maker);
    else
        mutation_change_any(maker, kind_at(genome, kind)->change);
    is_change = !maker->status;
    if (is_change) {
        if (genetics_taper(maker, genome, NULL))
            text_append(maker->words, sizeof maker->words, ", tapered");
        wiring_tidy(maker);
        is_change = !genome_is_equal(&trial, genome) &&
                    (trial.connection_count > 0 || genome->connection_count == 0);
    }
    if (is_change) {
        genome_deinit(genome);
        *genome = trial;
    } else {
        genome_deinit(&trial);
        *maker->ids = ids_before;
    }
    return maker->status == ERR_MEMORY ? ERR_MEMORY : is_change;
}

/* Appends to the list; text beyond its room is left out, and "..." says so. */
static void add_words(const char *words, char *text, int text_size)
{
    int length = text_size > 0 ? (int)strlen(text) : 0;
    int is_cut = length >= 3 && strcmp(text + length - 3, "...") == 0;
    const char *gap = length ? "; " : "";
    int room = text_size - length - 2 - (int)sizeof("; ...");
    if (is_cut)
        return;
    if ((int)strlen(words) <= room)
        snprintf(text + length, (size_t)(text_size - length), "%s%s", gap, words);
    else if (length + (int)sizeof("; ...") <= text_size)
        snprintf(text + length, (size_t)(text_size - length), "%s...", gap);
}

static int mutate(struct maker *maker, struct genome *genome, int count, char *text, int text_size)
{
    int drawn[KINDS_MAX], i, tries = TRIES_PER_MUTATION * count, done = 0;
    for (i = 0; i < count; i++) {
        drawn[i] = draw_kind(genome, maker->params, maker->rng);
        if (drawn[i] < 0)
            return 0;
    }
    sort_kinds(drawn, count);
    while (done < count && tries-- > 0) {
        int result = try_kind(maker, genome, drawn[done]);

        if (result < 0)
            return result;
        if (result > 0) {
            add_words(maker->words, text, text_size);
            done++;
            continue;
        }
        drawn[done] = draw_kind(genome, maker->params, maker->rng);
        if (drawn[done] < 0)
            return 0;
        sort_kinds(drawn + done, count - done);
    }
    return 0;
}

int genetics_mutate(struct genome *genome, int count, const struct params *params, struct rng *rng,
                    struct gene_counter *ids, char *text, int text_size)
{
    struct maker maker = {.params = params, .rng = rng, .ids = ids};
    struct genome work;
    int status;
    ENSURE(count >= 0 && text_size >= 0, "%d mutations in %d letters", count, text_size);
    gene_counter_avoid(ids, genome, NULL);
    if (text_size > 0)
        text[0] = '\0';
    if (genome_copy(&work, genome))
        return ERR_MEMORY;
    /* A genome written by hand may bring garbage, whose removal is not a mutation. */
    genome_collect_garbage(&work);
    status = mutate(&maker, &work, count < KINDS_MAX ? count : KINDS_MAX, text, text_size);
    if (status) {
        genome_deinit(&work);
        return status;
    }
    genome_deinit(genome);
    *genome = work;
    CHECK_DEARLY(genetics_check(genome));
    return 0;
}
