/* libbestiary: worlds of preserves. */
#include <stdlib.h>

#include "library/library.h"
#include "simulator/preserve/preserve_epoch.h"

struct bestiary_world {
    struct params params;
    struct preserve_state state;
    struct preserve_memory memory;
};

/* A world without a state yet. 0, or an error. */
static int make(struct bestiary_world **world, const struct bestiary_params *params,
                struct error *own)
{
    *world = calloc(1, sizeof **world);
    if (!*world)
        return error_memory(own);
    preserve_state_init(&(*world)->state);
    (*world)->params = params->p;
    preserve_apply(&(*world)->params);
    int status = params_check(&(*world)->params, own);
    if (!status)
        status = preserve_check(&(*world)->params, own);
    return status;
}

/* Memory to live in, taken before it is needed first. */
static int take_memory(struct bestiary_world *world, struct error *own)
{
    if (world->memory.bodies.base)
        return 0;
    return preserve_memory_init(&world->memory) ? error_memory(own) : 0;
}

static int give(struct bestiary_world **world, int status, const struct error *own,
                struct bestiary_error *error)
{
    if (status) {
        bestiary_world_free(*world);
        *world = NULL;
    }
    return library_say(error, status, own);
}

int bestiary_world_found(struct bestiary_world **world, const struct bestiary_params *params,
                         uint64_t seed, const struct bestiary_creature *const *founders, int count,
                         struct bestiary_error *error)
{
    struct error own = {0};
    const struct genome *genomes[EPOCH_FOUNDERS_MAX];
    const char *names[EPOCH_FOUNDERS_MAX];
    int status = make(world, params, &own);
    if (!status && (count < 1 || count > EPOCH_FOUNDERS_MAX))
        status =
            error_set(&own, ERR_USAGE, "%d founders, expected 1 .. %d", count, EPOCH_FOUNDERS_MAX);
    for (int i = 0; !status && i < count; i++) {
        genomes[i] = &founders[i]->c.genome;
        names[i] = founders[i]->c.name;
    }
    if (!status)
        status = take_memory(*world, &own);
    if (!status)
        status = preserve_found(&(*world)->state, &(*world)->params, seed, 0,
                                &(struct preserve_founders){genomes, names, count},
                                &(*world)->memory, &own);
    return give(world, status, &own, error);
}

int bestiary_world_read(struct bestiary_world **world, const struct bestiary_params *params,
                        const void *bytes, size_t length, struct bestiary_error *error)
{
    struct error own = {0};
    const struct packed_bytes packed = {(unsigned char *)(uintptr_t)bytes, length};
    int status = make(world, params, &own);
    if (!status) {
        struct preserve_cells cells = preserve_cells_of(&(*world)->params);
        status = preserve_state_unpack_of(&(*world)->state, &packed, &cells, &own);
    }
    return give(world, status, &own, error);
}

int bestiary_world_live(struct bestiary_world *world, struct bestiary_error *error)
{
    struct error own = {0};
    int status = take_memory(world, &own);
    if (!status)
        status = preserve_run(&world->state, &world->params, preserve_epoch_ticks(&world->params),
                              NULL, &world->memory, &own);
    return library_say(error, status, &own);
}

int bestiary_world_write(const struct bestiary_world *world, struct bestiary_bytes *bytes,
                         struct bestiary_error *error)
{
    struct packed_bytes packed = {NULL, 0};
    int status = preserve_state_pack(&world->state, &packed);
    *bytes = (struct bestiary_bytes){packed.bytes, packed.length};
    return library_say(error, status, NULL);
}

uint64_t bestiary_world_facts(const struct bestiary_world *world, int64_t *facts, int size)
{
    int64_t all[EPOCH_FACT_COUNT];
    preserve_epoch_facts(&world->state, all);
    for (int i = 0; i < size && i < EPOCH_FACT_COUNT; i++)
        facts[i] = all[i];
    return preserve_digest(&world->state);
}

int bestiary_world_creature(const struct bestiary_world *world, int index,
                            struct bestiary_creature **creature, struct bestiary_error *error)
{
    struct error own = {0};
    const struct preserve_state *state = &world->state;
    *creature = NULL;
    if (index < 0 || index >= state->living_count)
        return library_say(
            error, error_set(&own, ERR_MISSING, "%d creatures live", state->living_count), &own);
    *creature = library_creature_make();
    int status =
        *creature ? genome_copy(&(*creature)->c.genome, &state->living[index].genome) : ERR_MEMORY;
    if (!status)
        (*creature)->c.id = state->living[index].descent.id;
    return library_creature_give(creature, status, &own, error);
}

void bestiary_world_free(struct bestiary_world *world)
{
    if (!world)
        return;
    preserve_state_deinit(&world->state);
    preserve_memory_deinit(&world->memory);
    free(world);
}
