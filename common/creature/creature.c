/* Creatures in memory: decoding, where the first byte tells which of the two forms the bytes have.
 * The forms are in creature_binary.c and creature_json.c. */
#include "common/creature/creature.h"

#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/creature/creature_codec.h"
#include "common/math/rng.h"

void creature_init(struct creature *creature)
{
    memset(creature, 0, sizeof(*creature));
    genome_init(&creature->genome);
    params_set_defaults(&creature->params);
}

void creature_deinit(struct creature *creature)
{
    genome_deinit(&creature->genome);
    creature_init(creature);
}

static void raise_to(int *version, int least, int is_needed)
{
    if (is_needed && *version < least)
        *version = least;
}

int creature_format_version(const struct creature *creature)
{
    const struct genome *genome = &creature->genome;
    int version = body_kinds[genome->kind].format_version;
    for (int i = 0; i < genome->body_count; i++) {
        const struct body_gene *body = &genome->bodies[i];
        raise_to(&version, 2, body->joint == JOINT_LINEAR);
        for (int k = 0; k < SENSOR_COUNT; k++)
            raise_to(&version, sensors[k].since, (body->sensors & SENSOR_BIT(k)) != 0);
        /* rows that formats 7 to 10 added, in the order of their flags */
        unsigned without = gene_without(body_kinds[genome->kind].body, body);
        for (int late = 0; GENE_LATE << late <= GENE_HEAD; late++)
            raise_to(&version, 7 + late, !(without & (unsigned)GENE_LATE << late));
    }
    for (int i = 0; i < genome->neuron_count; i++)
        raise_to(&version, 5, genome_has_lags(&genome->neurons[i]));
    return version;
}

/* A JSON object begins with '{', perhaps after blanks; a binary file is a map of four pairs. */
static int is_json(const unsigned char *bytes, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", bytes[i]) && bytes[i] != '\0')
        i++;
    return i < length && bytes[i] == '{';
}

int creature_decode(struct creature *creature, const void *bytes, size_t length, const char *name,
                    struct error *error)
{
    int rc;
    creature_init(creature);
    if (length > CREATURE_FILE_BYTES_MAX)
        return error_set(error, ERR_LIMIT, "%s: larger than %d bytes", name,
                         CREATURE_FILE_BYTES_MAX);
    if (is_json(bytes, length))
        rc = creature_decode_json(creature, bytes, length, error);
    else
        rc = creature_decode_binary(creature, bytes, length, error);
    if (rc != 0) {
        creature_deinit(creature);
        error_prefix(error, "%s", name);
    }
    return rc;
}

uint64_t creature_choose_seed(const struct creature *creature, const struct params *params)
{
    return creature->has_evaluation ? creature->seed
                                    : rng_mix_seed((uint64_t)params->run_seed, creature->id);
}
