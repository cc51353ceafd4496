/* A set of keys by open addressing; the keys are hashes already, and their first words say where
 * they stand. Typical: 300 to 3000 keys, of which a question looks at one or two; a key that is not
 * known takes some 4 us, in which the creature grows. */
#include "controller/evolution/breeding.h"

#include <stdlib.h>
#include <string.h>

#include "common/system/arena.h"

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
                    struct individual *individual)
{
    static const struct trial first = {.purpose = TRIAL_FIRST};
    return phenotype_key_is_equal(&individual->key, &no_key)
               ? phenotype_key_grow(&individual->key, &individual->genome, params, &first, 0,
                                    &census->arena)
               : 0;
}

int census_note(struct census *census, const struct params *params, struct individual *individual,
                int *is_new)
{
    if (census_find_key(census, params, individual))
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
