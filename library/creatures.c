/* libbestiary: versions and names, parameters, creatures. See include/bestiary.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/genetics/genetics.h"
#include "common/preserve/epoch.h"
#include "common/system/arena.h"
#include "common/version.h"
#include "library/library.h"
#include "simulator/evaluate/evaluate.h"
#include "simulator/fingerprint.h"

_Static_assert((int)BESTIARY_ERROR_MEMORY == ERR_MEMORY && (int)BESTIARY_ERROR_USAGE == ERR_USAGE,
               "the header's error codes are those of common/error.h");

int library_say(struct bestiary_error *to, int status, const struct error *own)
{
    if (!status || !to)
        return status;
    to->code = status;
    snprintf(to->message, sizeof to->message, "%s",
             own && own->code ? own->message : error_text(status));
    return status;
}

int library_copy(struct bestiary_bytes *bytes, const void *data, size_t length)
{
    bytes->data = malloc(length ? length : 1);
    bytes->length = bytes->data ? length : 0;
    if (!bytes->data)
        return ERR_MEMORY;
    if (length)
        memcpy(bytes->data, data, length);
    return 0;
}

void bestiary_bytes_free(struct bestiary_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bestiary_bytes){NULL, 0};
}

const char *bestiary_version(int *simulator_version)
{
    if (simulator_version)
        *simulator_version = SIMULATOR_VERSION;
    return BESTIARY_VERSION;
}

uint64_t bestiary_fingerprint(void)
{
    struct arena arena;
    if (arena_init(&arena, EVALUATE_ARENA_BYTES))
        return 0;
    uint64_t fingerprint = fingerprint_compute(&arena);
    arena_deinit(&arena);
    return fingerprint;
}

const char *bestiary_measure_name(int index)
{
    return index >= 0 && index < MEASURE_COUNT ? measure_table[index].name : NULL;
}

const char *bestiary_fact_name(int index)
{
    return index >= 0 && index < EPOCH_FACT_COUNT ? epoch_fact_names[index] : NULL;
}

/* ---- parameters ---- */

int bestiary_params_make(struct bestiary_params **params, const char *ini,
                         struct bestiary_error *error)
{
    struct error own = {0};
    *params = malloc(sizeof **params);
    if (!*params)
        return library_say(error, ERR_MEMORY, NULL);
    params_set_defaults(&(*params)->p);
    int status = ini ? params_read_text(&(*params)->p, ini, "parameters", &own) : 0;
    if (!status)
        return 0;
    bestiary_params_free(*params);
    *params = NULL;
    return library_say(error, status, &own);
}

int bestiary_params_of(struct bestiary_params **params, const struct bestiary_creature *creature,
                       struct bestiary_error *error)
{
    int status = bestiary_params_make(params, NULL, error);
    if (!status && creature->c.has_evaluation)
        (*params)->p = creature->c.params;
    return status;
}

int bestiary_params_set(struct bestiary_params *params, const char *key, const char *value,
                        struct bestiary_error *error)
{
    struct error own = {0};
    return library_say(error, params_set(&params->p, key, value, &own), &own);
}

int bestiary_params_get(const struct bestiary_params *params, const char *key, char *value,
                        size_t size, struct bestiary_error *error)
{
    struct error own;
    int index = params_find(key);
    if (index < 0)
        return library_say(error, error_set(&own, ERR_UNKNOWN, "there is no parameter %.80s", key),
                           &own);
    params_print_value(&params->p, index, value, size);
    return 0;
}

void bestiary_params_free(struct bestiary_params *params)
{
    free(params);
}

/* ---- creatures ---- */

struct bestiary_creature *library_creature_make(void)
{
    struct bestiary_creature *creature = malloc(sizeof *creature);
    if (creature)
        creature_init(&creature->c);
    return creature;
}

int library_creature_give(struct bestiary_creature **creature, int status, const struct error *own,
                          struct bestiary_error *error)
{
    if (status) {
        bestiary_creature_free(*creature);
        *creature = NULL;
    }
    return library_say(error, status, own);
}

int bestiary_creature_read(struct bestiary_creature **creature, const void *bytes, size_t length,
                           struct bestiary_error *error)
{
    struct error own = {0};
    *creature = library_creature_make();
    int status =
        *creature ? creature_decode(&(*creature)->c, bytes, length, "creature", &own) : ERR_MEMORY;
    return library_creature_give(creature, status, &own, error);
}

/* The stream of a creature that a caller makes: its seed alone tells it from other streams. */
static void making_rng_init(uint64_t seed, struct rng *rng)
{
    rng_init(rng, seed, RNG_BREEDING, 0, 1);
}

int bestiary_creature_random(struct bestiary_creature **creature,
                             const struct bestiary_params *params, uint64_t seed,
                             struct bestiary_error *error)
{
    struct error own = {0};
    struct gene_counter ids = {1, 0};
    struct rng rng;
    *creature = library_creature_make();
    int status = *creature ? params_check(&params->p, &own) : ERR_MEMORY;
    making_rng_init(seed, &rng);
    if (!status)
        status = genetics_random(&(*creature)->c.genome, &params->p, &rng, &ids);
    return library_creature_give(creature, status, &own, error);
}

/* Two parents: a child by crossover or graft; one (b is NULL): a copy. */
static int mate(struct creature *child, const struct creature *a, const struct creature *b,
                int is_graft, const struct params *params, struct rng *rng,
                struct gene_counter *ids, struct error *error)
{
    if (!b)
        return genome_copy(&child->genome, &a->genome);
    if (a->genome.kind != b->genome.kind)
        return error_set(error, ERR_USAGE, "parents of different kinds");
    return (is_graft ? genetics_graft : genetics_crossover)(&child->genome, &a->genome, &b->genome,
                                                            params, rng, ids);
}

int bestiary_creature_breed(struct bestiary_creature **child, const struct bestiary_creature *a,
                            const struct bestiary_creature *b, int is_graft, int mutations,
                            const struct bestiary_params *params, uint64_t seed,
                            struct bestiary_error *error)
{
    struct error own = {0};
    struct gene_counter ids = {1, 0};
    struct rng rng;
    *child = library_creature_make();
    int status = *child ? params_check(&params->p, &own) : ERR_MEMORY;
    making_rng_init(seed, &rng);
    gene_counter_avoid(&ids, &a->c.genome, &(b ? b : a)->c.genome);
    if (!status)
        status =
            mate(&(*child)->c, &a->c, b ? &b->c : NULL, is_graft, &params->p, &rng, &ids, &own);
    if (!status && mutations < 0)
        mutations = genetics_mutation_count(&params->p, b != NULL, &rng);
    if (!status && mutations > 0)
        status = genetics_mutate(&(*child)->c.genome, mutations, &params->p, &rng, &ids,
                                 (*child)->c.mutations, sizeof(*child)->c.mutations);
    return library_creature_give(child, status, &own, error);
}

int bestiary_creature_write(const struct bestiary_creature *creature, enum bestiary_form form,
                            struct bestiary_bytes *bytes, struct bestiary_error *error)
{
    int status;
    *bytes = (struct bestiary_bytes){NULL, 0};
    if (form == BESTIARY_JSON) {
        char *text = creature_to_json(&creature->c);
        status = text ? library_copy(bytes, text, strlen(text)) : ERR_MEMORY;
        free(text);
    } else {
        struct pack_writer writer;
        pack_writer_init(&writer);
        creature_encode(&creature->c, &writer);
        status = writer.has_failed ? ERR_MEMORY
                                   : library_copy(bytes, writer.buffer.data, writer.buffer.size);
        pack_writer_deinit(&writer);
    }
    return library_say(error, status, NULL);
}

int bestiary_creature_record(const struct bestiary_creature *creature,
                             struct bestiary_record *record)
{
    const struct creature *c = &creature->c;
    *record = (struct bestiary_record){.id = c->id, .seed = 1};
    if (!c->has_evaluation)
        return ERR_MISSING;
    *record = (struct bestiary_record){.id = c->id,
                                       .seed = c->seed,
                                       .digest = c->digest,
                                       .verdict = c->verdict,
                                       .simulator_version = c->simulator_version,
                                       .fitness = c->fitness};
    return 0;
}

void bestiary_creature_free(struct bestiary_creature *creature)
{
    if (creature)
        creature_deinit(&creature->c);
    free(creature);
}
