/* Quality-diversity: an archive of the best creature of each kind as the population (MAP-Elites,
 * Mouret and Clune 2015), with what body-brain evolution needs besides.
 *
 * Kinds are cells of a grid over measures of body and behaviour (archive.cells). A creature fills
 * its cell if that is empty or held by a worse one, the referee agreeing. Parents are drawn from
 * the filled cells by rank of fitness, weight (1 - rank / filled)^archive.pressure, and breed as in
 * `sims`.
 *
 * A mutated body starts with a brain made for another and would lose to what has been tuned for
 * long (Cheney et al. 2018). So a child whose body is new, and which has archive.trial_share of the
 * fitness of its cell's holder, is protected until archive.trials other settings of its weights
 * were tried, one after the other, each from the best so far; what a trial gains is in its genome,
 * hence inherited. Trials are creatures like others: each costs an evaluation and may fill a cell.
 *
 * For the last archive.frozen of the run bodies stay as they are, and brains only are changed.
 *
 * State: the holder of each cell, how many trials a body still gets, and whether one is under way;
 * fields of the individuals. Typical: 150 filled cells, 20 protected. Older creatures win ties
 * everywhere. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/genome/body_kind.h"
#include "common/math/hash.h"
#include "controller/evolution/breeding.h"
#include "controller/evolution/cells.h"
#include "controller/evolution/referee.h"
#include "controller/evolution/search_private.h"
#include "common/genetics/genetics.h"

struct archive {
    struct params params;
    struct params frozen; /* with which only brains change */
    struct params trial;  /* with which only weights change */
    struct cell_grid grid;
    struct individual **cells;  /* holders; [0] is not used */
    struct individual **ranked; /* holders, best first */
    double *weights;            /* of the ranked */
    int count;                  /* filled cells */
};

/* ---- making ---- */

/* Nothing of the body changes any more, and no genes are mixed. */
static void freeze_bodies(struct params *params)
{
    params->breeding_choice = CHOICE_PERCENTAGE;
    params->breeding_crossover = params->breeding_graft = 0;
    params->mutation_body_size = params->mutation_body_joint = params->mutation_body_limits = 0;
    params->mutation_body_recursion = params->mutation_body_symmetry = 0;
    params->mutation_add_body = params->mutation_add_connection = 0;
    params->mutation_connection_placement = params->mutation_connection_scale = 0;
    params->mutation_connection_flags = params->mutation_connection_target = 0;
    params->mutation_remove_connection = 0;
}

/* In the brain, too, only numbers change, and effectors. */
static void freeze_wiring(struct params *params)
{
    freeze_bodies(params);
    params->mutation_body_sensors = params->mutation_neuron_function = 0;
    params->mutation_neuron_input = params->mutation_add_neuron = 0;
    params->mutation_breeding_method = 0;
}

void archive_destroy(struct archive *archive)
{
    if (!archive)
        return;
    free(archive->cells);
    free(archive->ranked);
    free(archive->weights);
    free(archive);
}

struct archive *archive_create(const struct params *params)
{
    struct archive *archive = calloc(1, sizeof(*archive));
    struct error error;
    if (!archive)
        return NULL;
    ENSURE(cell_grid_parse(&archive->grid, params->archive_cells, &error) == 0, "%s",
           error.message);
    size_t room = (size_t)archive->grid.count + 1;
    archive->params = archive->frozen = archive->trial = *params;
    freeze_bodies(&archive->frozen);
    freeze_wiring(&archive->trial);
    archive->cells = calloc(room, sizeof(*archive->cells));
    archive->ranked = calloc(room, sizeof(*archive->ranked));
    archive->weights = calloc(room, sizeof(*archive->weights));
    if (!archive->cells || !archive->ranked || !archive->weights) {
        archive_destroy(archive);
        return NULL;
    }
    return archive;
}

/* ---- cells ---- */

/* Holders that stand before it. */
static int find_rank(const struct archive *archive, const struct individual *individual)
{
    int low = 0, high = archive->count;
    while (low < high) {
        int middle = (low + high) / 2;
        const struct individual *other = archive->ranked[middle];
        int is_before = other->fitness != individual->fitness ? other->fitness > individual->fitness
                                                              : other->id < individual->id;
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Holders stand in cells and in ranks, each once, best first. */
static void check(const struct archive *archive)
{
    int held = 0;
    for (int cell = 1; cell <= archive->grid.count; cell++) {
        const struct individual *holder = archive->cells[cell];
        held += holder != NULL;
        ENSURE(!holder || holder->cell == cell, "cell %d is held by %" PRIu64 ", of cell %d", cell,
               holder ? holder->id : 0, holder ? holder->cell : 0);
        ENSURE(!holder || holder->fitness > 0, "cell %d is held by one of no fitness", cell);
    }
    ENSURE(held == archive->count, "%d cells are held, %d ranks", held, archive->count);
    for (int i = 0; i < archive->count; i++) {
        const struct individual *one = archive->ranked[i];
        ENSURE(archive->cells[one->cell] == one, "rank %d is in no cell", i);
        ENSURE(i == 0 || archive->ranked[i - 1]->fitness >= one->fitness,
               "rank %d has more fitness than the one before", i);
    }
}

static void leave_cell(struct archive *archive, struct individual *holder)
{
    int rank = find_rank(archive, holder);
    ENSURE(rank < archive->count && archive->ranked[rank] == holder,
           "creature %" PRIu64 " is not rank %d of %d", holder->id, rank, archive->count);
    ENSURE(holder->cell > 0 && holder->cell <= archive->grid.count,
           "creature %" PRIu64 " is in cell %d of %d", holder->id, holder->cell,
           archive->grid.count);
    memmove(archive->ranked + rank, archive->ranked + rank + 1,
            (size_t)(archive->count - rank - 1) * sizeof(*archive->ranked));
    archive->count--;
    archive->cells[holder->cell] = NULL;
    holder->cell = 0;
}

/* The cell it would fill, or 0. */
static int find_place(const struct archive *archive, const struct individual *individual)
{
    int cell = cell_grid_find(&archive->grid, &individual->measures);
    const struct individual *holder = archive->cells[cell];
    if (!(individual->fitness > 0) || (holder && holder->fitness >= individual->fitness))
        return 0;
    return cell;
}

static void place(struct archive *archive, struct individual *individual)
{
    int cell = find_place(archive, individual), rank;
    if (!cell)
        return;
    if (archive->cells[cell])
        leave_cell(archive, archive->cells[cell]);
    rank = find_rank(archive, individual);
    memmove(archive->ranked + rank + 1, archive->ranked + rank,
            (size_t)(archive->count - rank) * sizeof(*archive->ranked));
    archive->ranked[rank] = individual;
    archive->cells[cell] = individual;
    archive->count++;
    individual->cell = cell;
    ENSURE(archive->count <= archive->grid.count, "%d of %d cells are held", archive->count,
           archive->grid.count);
    CHECK_DEARLY(check(archive));
}

void archive_restore(struct archive *archive, struct population *population)
{
    memset(archive->cells, 0, ((size_t)archive->grid.count + 1) * sizeof(*archive->cells));
    archive->count = 0;
    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];
        if (!individual->is_counted || !individual->cell)
            continue;
        individual->cell = 0;
        place(archive, individual);
    }
}

int archive_find_wanted(const struct archive *archive, const struct individual *individual)
{
    const struct params *params = &archive->params;
    int rank = find_rank(archive, individual);
    if (params->guard_referee_top == 0 || !find_place(archive, individual) ||
        (params->archive_referee == ARCHIVE_REFEREE_TOP && rank >= params->guard_referee_top))
        return REFEREE_NOT;
    return referee_find_wanted(rank == 0, params);
}

int archive_is_stale(const struct archive *archive, const struct individual *individual)
{
    return individual->cell && archive->params.guard_referee_top > 0 &&
           archive->params.archive_referee == ARCHIVE_REFEREE_ENTRANTS &&
           individual->heard < referee_find_wanted(0, &archive->params);
}

/* ---- trials ---- */

/* The oldest body that waits for its next trial, or NULL. */
static struct individual *find_untried(const struct population *population)
{
    for (int i = 0; i < population->count && population->individuals[i].is_counted; i++)
        if (population->individuals[i].trials > 0 && !population->individuals[i].is_waiting)
            return &population->individuals[i];
    return NULL;
}

/* The better of a trial and of what it was made from goes on with the trials that are left. */
static void end_trial(struct population *population, struct individual *trial)
{
    struct individual *base = search_find_id(population, trial->parents[0]);
    int left = trial->trials;
    trial->trials = 0;
    if (!base || !base->is_waiting)
        return;
    base->is_waiting = base->trials = 0;
    *(trial->fitness > base->fitness ? &trial->trials : &base->trials) = left;
}

static int deserves_trials(const struct archive *archive, const struct individual *individual)
{
    int cell = cell_grid_find(&archive->grid, &individual->measures);
    const struct individual *holder = archive->cells[cell];
    return individual->body == individual->id && individual->fitness > 0 &&
           (!holder ||
            individual->fitness >= archive->params.archive_trial_share * holder->fitness);
}

void archive_count(struct archive *archive, struct population *population,
                   struct individual *individual)
{
    if (individual->is_trial)
        end_trial(population, individual);
    else if (deserves_trials(archive, individual))
        individual->trials = (int)archive->params.archive_trials;
    place(archive, individual);
}

/* ---- children ---- */

/* A hash of everything that makes the body; the brain, with effectors and sensors, is left out. */
static uint64_t hash_body(const struct genome *genome)
{
    const struct body_kind_info *kind = &body_kinds[genome->kind];
    uint64_t hash = hash_u64(HASH_START, (uint64_t)genome_find_body(genome, genome->root));
    for (int i = 0; i < genome->body_count; i++)
        hash = gene_hash(kind->body, &genome->bodies[i], GENE_BRAIN | GENE_LINK, hash);
    for (int i = 0; i < genome->connection_count; i++) {
        const struct connection_gene *connection = &genome->connections[i];
        hash = hash_u64(hash, (uint64_t)genome_find_body(genome, connection->from));
        hash = hash_u64(hash, (uint64_t)genome_find_body(genome, connection->to));
        hash = gene_hash(kind->connection, connection, GENE_BRAIN | GENE_LINK, hash);
    }
    return hash;
}

struct trying {
    const struct params *params;
    const struct individual *base;
};

static int make_trial(void *context, struct individual *child)
{
    const struct trying *trying = context;
    struct gene_counter ids = {.creature = child->id};
    child->method = METHOD_ASEXUAL;
    child->parents[0] = trying->base->id;
    child->kept = referee_kept(trying->base, trying->params);
    int status = genome_copy(&child->genome, &trying->base->genome);
    return status ? status : breeding_mutate(trying->params, child, 0, 1, &ids);
}

static int breed_trial(const struct archive *archive, struct census *census,
                       struct individual *base, struct individual *child)
{
    struct trying trying = {.params = &archive->trial, .base = base};
    ENSURE(base->trials > 0 && !base->is_waiting, "creature %" PRIu64 " has %d trials left",
           base->id, base->trials);
    child->body = base->body;
    child->is_trial = 1;
    child->trials = base->trials - 1;
    base->is_waiting = 1;
    return breeding_draw(&archive->trial, census, child, make_trial, &trying);
}

/* (1 - rank / count)^pressure, up to a factor. */
static void weigh_parents(struct archive *archive)
{
    for (int i = 0; i < archive->count; i++) {
        double share = (double)(archive->count - i) / archive->count;
        archive->weights[i] = 1;
        for (int k = 0; k < archive->params.archive_pressure; k++)
            archive->weights[i] *= share;
    }
}

static int breed_from_cells(struct archive *archive, struct population *population,
                            struct individual *child)
{
    struct breeding_parents parents = {.individuals = (const struct individual **)archive->ranked,
                                       .weights = archive->weights,
                                       .count = archive->count};
    int is_frozen = child->generation >= (1 - archive->params.archive_frozen) *
                                             (double)archive->params.evolution_generations;
    weigh_parents(archive);
    int status = breeding_make_child(is_frozen ? &archive->frozen : &archive->params,
                                     population->census, &parents, child);
    if (status)
        return status;
    const struct individual *parent = search_find_id(population, child->parents[0]);
    child->body = parent && hash_body(&parent->genome) == hash_body(&child->genome) ? parent->body
                                                                                    : child->id;
    return 0;
}

int archive_breed(struct archive *archive, struct population *population, struct individual *child,
                  int is_fresh)
{
    struct individual *untried = is_fresh ? NULL : find_untried(population);
    if (untried)
        return breed_trial(archive, population->census, untried, child);
    if (!is_fresh && archive->count > 0)
        return breed_from_cells(archive, population, child);
    child->body = child->id;
    return breeding_make_fresh(&archive->params, population->census,
                               population->count > 0 ? &population->individuals[0] : NULL, child);
}

void archive_note_birth(struct population *population, const struct individual *child)
{
    struct individual *base =
        child->is_trial ? search_find_id(population, child->parents[0]) : NULL;
    if (base)
        base->is_waiting = 1;
}

const struct search_method search_archive = {
    .name = "archive",
    .help = "the best of each kind of body and motion, new bodies protected (MAP-Elites)",
    .is_lagged = 1,
    .has_parents = 1,
    .has_cells = 1,
};
