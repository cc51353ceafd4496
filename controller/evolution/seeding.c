/* Seeds of a run. See seeding.h.
 *
 * Ids of genes are made of creatures' numbers, and those in a file are of another run: kept as
 * they are they would meet genes of this one. So all get new ids. Seeds of one run, which
 * crossover is to align, go on sharing ids: a gene is looked up by its old id among the seeds
 * before. There are few seeds with some dozens of genes, so a linear search will do. Creatures
 * of different runs may share ids by chance. Then crossover aligns genes that are not related,
 * which does no harm. */
#include "controller/evolution/seeding.h"

#include <stdlib.h>

#include "controller/evolution/breeding.h"
#include "common/genetics/genetics.h"
#include "common/genome/body_kind.h"

void seeding_deinit(struct seeding *seeding)
{
    for (int i = 0; i < seeding->count; i++)
        creature_deinit(&seeding->seeds[i].creature);
    free(seeding->seeds);
    *seeding = (struct seeding){NULL, 0};
}

int seeding_fit(const struct params *params, const char *name, struct genome *genome,
                struct error *error)
{
    struct sight_exchange see;
    if (genome->kind != params->creature_body)
        return error_set(error, ERR_RANGE, "%s: a creature of %s, but creature.body is %s", name,
                         body_kinds[genome->kind].name, body_kinds[params->creature_body].name);
    if (!*params->evolution_seeds_see)
        return 0;
    int status = sights_read_exchange(params->evolution_seeds_see, &see, error);
    if (status)
        return error_prefix(error, "evolution.seeds_see");
    genome_see_instead(genome, see.sights[0], see.sights[1]);
    status = genome_check(genome, error);
    return status ? error_prefix(error, "%s", name) : 0;
}

int seeding_add(struct seeding *seeding, const char *source, struct creature *creature,
                struct error *error)
{
    ENSURE(seeding->count >= 0 && seeding->count <= SEEDS_MAX, "%d seeds", seeding->count);
    struct seed *seeds;
    if (seeding->count == SEEDS_MAX)
        return error_set(error, ERR_LIMIT, "%s: more than %d seeds", source, SEEDS_MAX);
    seeds = realloc(seeding->seeds, (size_t)(seeding->count + 1) * sizeof(*seeds));
    if (!seeds)
        return error_memory(error);
    seeding->seeds = seeds;
    snprintf(seeds[seeding->count].source, sizeof(seeds->source), "%s", source);
    seeds[seeding->count].creature = *creature;
    creature_init(creature);
    seeding->count++;
    return 0;
}

/* ---- ids ---- */

/* The new id that an earlier seed has given to a gene of that old id, or the next one. */
static gene_id draw_id(const struct seeding *seeding, const struct individual *individuals,
                       int seed, enum genome_table table, gene_id old, struct gene_counter *ids)
{
    int row;
    for (int i = 0; i < seed; i++) {
        row = genome_find(&seeding->seeds[i].creature.genome, table, old);
        if (row >= 0)
            return genome_row_id(&individuals[i].genome, table, row);
    }
    return gene_counter_next(ids);
}

/* The new id of an old one: rows are the same in both. */
static gene_id translate(const struct genome *before, const struct genome *after,
                         enum genome_table table, gene_id old)
{
    int row = old ? genome_find(before, table, old) : -1;
    return row < 0 ? 0 : genome_row_id(after, table, row);
}

static void translate_input(const struct genome *before, const struct genome *after,
                            struct input_gene *input)
{
    if (input->kind == INPUT_NEURON)
        input->source = translate(before, after, GENOME_NEURONS, input->source);
    if (input->kind != INPUT_CONSTANT && input->scope == SCOPE_CHILD)
        input->via = translate(before, after, GENOME_CONNECTIONS, input->via);
    if (input->kind != INPUT_CONSTANT && input->scope == SCOPE_PART)
        input->via = translate(before, after, GENOME_BODIES, input->via);
}

/* All references of `after`, still those of `before`, to its own ids. */
static void translate_references(const struct genome *before, struct genome *after)
{
    struct input_gene *input;
    after->root = translate(before, after, GENOME_BODIES, before->root);
    for (int i = 0; i < after->body_count; i++)
        for (int k = 0; (input = genome_body_input(&after->bodies[i], k)); k++)
            translate_input(before, after, input);
    for (int i = 0; i < after->connection_count; i++) {
        struct connection_gene *connection = &after->connections[i];
        connection->from = translate(before, after, GENOME_BODIES, connection->from);
        connection->to = translate(before, after, GENOME_BODIES, connection->to);
    }
    for (int i = 0; i < after->neuron_count; i++) {
        struct neuron_gene *neuron = &after->neurons[i];
        neuron->owner = translate(before, after, GENOME_BODIES, neuron->owner);
        for (int k = 0; k < neuron_functions[neuron->function].input_count; k++)
            translate_input(before, after, &neuron->inputs[k]);
    }
}

/* Gives individual number `seed` the seed's genome, with new ids. */
static int plant(const struct seeding *seeding, struct individual *individuals, int seed)
{
    const struct genome *before = &seeding->seeds[seed].creature.genome;
    struct individual *individual = &individuals[seed];
    struct gene_counter ids = {.creature = individual->id};
    struct genome *after = &individual->genome;
    genome_deinit(after);
    if (genome_copy(after, before))
        return ERR_MEMORY;
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        for (int i = 0; i < before->counts[table]; i++)
            *(gene_id *)genome_row(after, table, i) =
                draw_id(seeding, individuals, seed, table, genome_row_id(before, table, i), &ids);
    translate_references(before, after);
    individual->method = METHOD_SEED;
    return 0;
}

/* ---- the population ---- */

/* A copy of a seed would only be simulated twice, so a mutant has at least one mutation. Where
 * bodies do not mutate, it is the seed's body with a new brain. */
static int make_mutant(const struct params *params, const struct individual *seed,
                       struct individual *child)
{
    struct gene_counter ids = {.creature = child->id};
    struct rng rng;
    genome_deinit(&child->genome);
    if (genome_copy(&child->genome, &seed->genome))
        return ERR_MEMORY;
    child->method = METHOD_ASEXUAL;
    child->parents[0] = seed->id;
    if (params->mutation_body)
        return breeding_mutate(params, child, 0, 1, &ids);
    breeding_init_stream(&rng, params, RNG_MUTATION, child);
    return genetics_random_brain(&child->genome, params, &rng, &ids);
}

int seeding_populate(const struct seeding *seeding, const struct params *params,
                     struct individual *individuals, int count)
{
    ENSURE(count > 0 && seeding->count <= count, "%d seeds among %d", seeding->count, count);
    int seed_count = seeding->count < count ? seeding->count : count;
    int seeded = (int)(params->evolution_seeded_share * count + 0.5);
    int i, status = 0;
    if (!params->mutation_body || params->mutation_plan == PLAN_KEEP)
        seeded = count;
    if (seed_count == 0)
        return 0;
    for (i = 0; !status && i < seed_count; i++)
        status = plant(seeding, individuals, i);
    for (; !status && i < seeded; i++)
        status = make_mutant(params, &individuals[(i - seed_count) % seed_count], &individuals[i]);
    return status;
}
