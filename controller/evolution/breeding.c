/* The making of one child, for all search methods. See breeding.h. */
#include "controller/evolution/breeding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/genetics/genetics.h"
#include "common/system/arena.h"
#include "controller/evolution/referee.h"

int breeding_parents_init(struct breeding_parents *parents, int most)
{
    parents->count = 0;
    parents->individuals = calloc((size_t)most + 1, sizeof *parents->individuals);
    parents->weights = calloc((size_t)most + 1, sizeof *parents->weights);
    return parents->individuals && parents->weights ? 0 : ERR_MEMORY;
}

void breeding_parents_add(struct breeding_parents *parents, const struct individual *individual,
                          double weight)
{
    parents->individuals[parents->count] = individual;
    parents->weights[parents->count++] = weight;
}

void breeding_parents_deinit(struct breeding_parents *parents)
{
    free(parents->individuals);
    free(parents->weights);
}

void breeding_init_stream(struct rng *rng, const struct params *params, enum rng_purpose purpose,
                          const struct individual *child)
{
    uint32_t drawn = (uint32_t)purpose | (uint32_t)child->draw << RNG_PURPOSE_BITS;
    rng_init(rng, (uint64_t)params->run_seed, drawn, child->generation, child->id);
}

static void forget(struct individual *child)
{
    genome_deinit(&child->genome);
    genome_init(&child->genome);
    child->key = (struct phenotype_key){{0, 0}};
    child->mutations[0] = 0;
    child->parents[0] = child->parents[1] = 0;
}

int breeding_draw(const struct params *params, struct census *census, struct individual *child,
                  breeding_maker *make, void *context)
{
    ENSURE(child->id > 0 && child->genome.body_count == 0, "creature %" PRIu64 " is made already",
           child->id);
    int is_new = 0, status = make(context, child);
    if (!census || params->breeding_draws == 1)
        return status;
    while (!status) {
        status = census_note(census, params, child, &is_new);
        if (status || is_new || child->draw + 1 >= params->breeding_draws)
            break;
        forget(child);
        child->draw++;
        status = make(context, child);
    }
    return status;
}

int breeding_make_random(const struct params *params, struct individual *child)
{
    ENSURE(child->id > 0, "a creature without a number");
    struct gene_counter ids = {.creature = child->id};
    struct rng rng;
    breeding_init_stream(&rng, params, RNG_RANDOM_GENOME, child);
    child->method = METHOD_RANDOM;
    return genetics_random(&child->genome, params, &rng, &ids);
}

/* The parents and streams of a child. */
struct making {
    const struct params *params;
    const struct breeding_parents *parents;
    const struct individual *body;
};

static int make_fresh(void *context, struct individual *child)
{
    const struct making *making = context;
    struct gene_counter ids = {.creature = child->id};
    struct rng rng;
    int is_kept = !making->params->mutation_body || making->params->mutation_plan == PLAN_KEEP;
    if (!is_kept || !making->body)
        return breeding_make_random(making->params, child);
    int status = genome_copy(&child->genome, &making->body->genome);
    if (status)
        return status;
    breeding_init_stream(&rng, making->params, RNG_RANDOM_GENOME, child);
    child->method = METHOD_ASEXUAL;
    child->parents[0] = making->body->id;
    return genetics_random_brain(&child->genome, making->params, &rng, &ids);
}

int breeding_make_fresh(const struct params *params, struct census *census,
                        const struct individual *body, struct individual *child)
{
    struct making making = {.params = params, .body = body};
    return breeding_draw(params, census, child, make_fresh, &making);
}

static const int methods[BREEDING_GENE_COUNT] = {[BREEDING_ASEXUAL] = METHOD_ASEXUAL,
                                                 [BREEDING_CROSSOVER] = METHOD_CROSSOVER,
                                                 [BREEDING_GRAFT] = METHOD_GRAFT};

static int draw_other(const struct breeding_parents *parents, int first, struct rng *rng)
{
    double weight = parents->weights[first];
    parents->weights[first] = 0;
    int second = rng_pick(rng, parents->weights, parents->count);
    parents->weights[first] = weight;
    return second < 0 ? first : second;
}

int breeding_mutate(const struct params *params, struct individual *child, int is_mated, int least,
                    struct gene_counter *ids)
{
    struct rng rng;
    breeding_init_stream(&rng, params, RNG_MUTATION, child);
    int count = genetics_mutation_count(params, is_mated, &rng);
    if (count < least)
        count = least;
    return count == 0 ? 0
                      : genetics_mutate(&child->genome, count, params, &rng, ids, child->mutations,
                                        sizeof child->mutations);
}

static int make_child(void *context, struct individual *child)
{
    const struct making *making = context;
    const struct params *params = making->params;
    const struct breeding_parents *parents = making->parents;
    struct gene_counter ids = {.creature = child->id};
    const struct individual *b;
    int is_inherited = params->breeding_choice == CHOICE_INHERITED;
    struct rng rng;
    int status;
    breeding_init_stream(&rng, params, RNG_SELECTION, child);
    int breeding = genetics_draw_breeding(params, &rng);
    int first = rng_pick(&rng, parents->weights, parents->count);
    const struct individual *a = parents->individuals[first];
    if (is_inherited && a->genome.breeding)
        breeding = a->genome.breeding;
    child->method = methods[breeding];
    child->parents[0] = a->id;
    child->kept = referee_kept(a, params);
    if (child->method == METHOD_ASEXUAL) {
        status = genome_copy(&child->genome, &a->genome);
    } else {
        b = parents->individuals[draw_other(parents, first, &rng)];
        child->parents[1] = b->id;
        breeding_init_stream(&rng, params, RNG_BREEDING, child);
        status = (child->method == METHOD_CROSSOVER ? genetics_crossover : genetics_graft)(
            &child->genome, &a->genome, &b->genome, params, &rng, &ids);
    }
    if (status)
        return status;
    if (is_inherited && !child->genome.breeding)
        child->genome.breeding = (uint8_t)breeding;
    return breeding_mutate(params, child, child->method != METHOD_ASEXUAL, 0, &ids);
}

int breeding_make_child(const struct params *params, struct census *census,
                        const struct breeding_parents *parents, struct individual *child)
{
    ENSURE(parents->count > 0 && child->id > 0, "%d parents of creature %" PRIu64, parents->count,
           child->id);
    for (int i = 0; i < parents->count; i++)
        ENSURE(parents->weights[i] >= 0, "parent %d weighs %g", i, parents->weights[i]);
    struct making making = {.params = params, .parents = parents};
    return breeding_draw(params, census, child, make_child, &making);
}

/* ---- the census ----
 *
 * A set of keys by open addressing; the keys are hashes already, and their first words say where
 * they stand. Typical: 300 to 3000 keys. A question looks at one or two of them; a key that is not
 * known takes some 4 us, in which the creature grows. */

#define ROOM_LEAST 1024

struct census {
    struct phenotype_key *keys; /* 0, 0: free */
    size_t count, room;         /* room: a power of two, more than twice the count */
    struct arena arena;         /* where creatures grow */
};

static const struct phenotype_key no_key;

struct census *census_create(void)
{
    struct census *census = calloc(1, sizeof *census);
    if (!census)
        return NULL;
    census->room = ROOM_LEAST;
    census->keys = calloc(census->room, sizeof *census->keys);
    if (census->keys && !arena_init(&census->arena, PHENOTYPE_KEY_ARENA_BYTES))
        return census;
    census_destroy(census);
    return NULL;
}

void census_destroy(struct census *census)
{
    if (!census)
        return;
    free(census->keys);
    arena_deinit(&census->arena);
    free(census);
}

void census_clear(struct census *census)
{
    memset(census->keys, 0, census->room * sizeof *census->keys);
    census->count = 0;
}

/* Where the key stands, or the free place for it. */
static struct phenotype_key *find_place(struct phenotype_key *keys, size_t room,
                                        const struct phenotype_key *key)
{
    size_t at = (size_t)key->words[0] & (room - 1);
    while (!phenotype_key_is_equal(&keys[at], key) && !phenotype_key_is_equal(&keys[at], &no_key))
        at = (at + 1) & (room - 1);
    return &keys[at];
}

/* Twice the room. 0 or ERR_MEMORY. */
static int grow(struct census *census)
{
    size_t room = 2 * census->room;
    struct phenotype_key *keys = calloc(room, sizeof *keys);
    if (!keys)
        return ERR_MEMORY;
    for (size_t i = 0; i < census->room; i++)
        if (!phenotype_key_is_equal(&census->keys[i], &no_key))
            *find_place(keys, room, &census->keys[i]) = census->keys[i];
    free(census->keys);
    census->keys = keys;
    census->room = room;
    return 0;
}

int census_find_key(struct census *census, const struct params *params,
                    const struct individual *individual, struct phenotype_key *key)
{
    static const struct trial first = {.purpose = TRIAL_FIRST};
    *key = individual->key;
    return phenotype_key_is_equal(key, &no_key)
               ? phenotype_key_grow(key, &individual->genome, params, &first, 0, &census->arena)
               : 0;
}

int census_note(struct census *census, const struct params *params, struct individual *individual,
                int *is_new)
{
    if (census_find_key(census, params, individual, &individual->key))
        return ERR_MEMORY;
    if (2 * (census->count + 1) >= census->room && grow(census))
        return ERR_MEMORY;
    struct phenotype_key *place = find_place(census->keys, census->room, &individual->key);
    *is_new = phenotype_key_is_equal(place, &no_key);
    census->count += (size_t)*is_new;
    *place = individual->key;
    ENSURE(census->room >= ROOM_LEAST && (census->room & (census->room - 1)) == 0,
           "room for %zu keys", census->room);
    ENSURE(2 * census->count < census->room, "%zu keys in room for %zu", census->count,
           census->room);
    return 0;
}

int census_note_all(struct census *census, const struct params *params,
                    struct individual *individuals, int count)
{
    int is_new, status = 0;
    for (int i = 0; i < count && !status; i++)
        status = census_note(census, params, &individuals[i], &is_new);
    return status;
}
