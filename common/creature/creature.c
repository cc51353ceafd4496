/* Creature files: reading and writing; which of the two forms is told by the first byte. The forms
 * are in creature_binary.c and creature_json_{read,write}.c. A typical file has 2 to 6 kB. */
#include "common/creature/creature.h"

#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/genome/gene_switch.h"
#include "common/creature/creature_codec.h"
#include "common/system/examples.h"
#include "common/system/file.h"
#include "common/system/output.h"
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

static int emitter_is_there(const struct body_gene *body)
{
    for (int k = 0; k < EMITTER_COUNT; k++)
        if (body->emitters[k].is_there)
            return 1;
    return 0;
}

int creature_format_version(const struct creature *creature)
{
    int version = body_kinds[creature->genome.kind].format_version;
    for (int i = 0; version < 2 && i < creature->genome.body_count; i++)
        if (creature->genome.bodies[i].joint == JOINT_LINEAR)
            version = 2;
    for (int i = 0; i < creature->genome.neuron_count; i++)
        if (genome_has_lags(&creature->genome.neurons[i]))
            version = 5;
    for (int i = 0; i < creature->genome.body_count; i++)
        if (creature->genome.bodies[i].sensors >> SENSOR_OTHER_ALONG)
            version = version < 6 ? 6 : version;
    for (int i = 0; i < creature->genome.body_count; i++)
        if (creature->genome.bodies[i].sensors >> SENSOR_SOUND_ALONG ||
            emitter_is_there(&creature->genome.bodies[i]))
            version = 7;
    for (int i = 0; i < creature->genome.body_count; i++)
        if (creature->genome.bodies[i].sensors >> SENSOR_STRETCH ||
            creature->genome.bodies[i].stretch.limit != 0)
            version = 8;
    if (genome_has_mouth(&creature->genome, MOUTH_PLANTS) ||
        genome_has_mouth(&creature->genome, MOUTH_FLESH))
        version = 9;
    for (int i = 0; i < creature->genome.body_count; i++)
        if (!(gene_without(body_kinds[creature->genome.kind].body, &creature->genome.bodies[i]) &
              GENE_HEAD))
            version = 10;
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

int creature_read(struct creature *creature, const char *path, struct error *error)
{
    char *bytes;
    size_t length;
    creature_init(creature);
    int rc = file_read(path, CREATURE_FILE_BYTES_MAX, &bytes, &length, error);
    if (rc == 0)
        rc = creature_decode(creature, bytes, length, path, error);
    free(bytes);
    return rc == 0 ? 0 : file_kind_explain(path, FILE_CREATURE, error);
}

int creature_read_exchanged(struct creature *creature, const char *path,
                            const struct sight_exchange *see, const char *program,
                            struct error *error)
{
    int status = creature_read(creature, path, error);
    if (status || !see->is_given)
        return status;
    if (!genome_see_instead(&creature->genome, see->sights[0], see->sights[1])) {
        const struct sight_info *to = &sights[see->sights[1]];
        int is_seen = (genome_sensors_read(&creature->genome) & to->sensors) != 0;
        output_print(stderr, "%s: %s: it sees %s%s, and stays as it is\n", program, path,
                     is_seen ? to->name : "no ",
                     is_seen ? " already" : sights[see->sights[0]].name);
    }
    return genome_check(&creature->genome, error) ? error_prefix(error, "%s", path) : 0;
}

int creature_choose_params(const struct creature *creature, const char *params_path,
                           const char *const *assignments, int count, struct params *params,
                           struct error *error)
{
    ENSURE(count >= 0 && (count == 0 || assignments), "%d assignments", count);
    char path[4096];
    int status = 0;
    params_set_defaults(params);
    if (params_path)
        status = example_find(params_path, path, sizeof path, error);
    if (params_path && !status)
        status = params_read_file(params, path, error);
    else if (creature->has_evaluation)
        *params = creature->params;
    for (int i = 0; i < count && !status; i++)
        if ((status = params_set_assignment(params, assignments[i], error)) != 0)
            error_prefix(error, "-s %s", assignments[i]);
    return status ? status : body_kind_check_params(creature->genome.kind, params, error);
}

void creature_tell_switches(const struct creature *creature, const struct params *params,
                            const char *program, const char *path)
{
    char text[GENE_SWITCH_TEXT_SIZE];
    if (gene_switches_explain(&creature->genome, params, text))
        output_print(stderr, "%s: %s: %s\n", program, path, text);
}

uint64_t creature_choose_seed(const struct creature *creature, const struct params *params)
{
    return creature->has_evaluation ? creature->seed
                                    : rng_mix_seed((uint64_t)params->run_seed, creature->id);
}

static int write_text(const struct creature *creature, const char *path, struct error *error)
{
    char *text = creature_to_json(creature);
    if (!text)
        return error_set(error, ERR_MEMORY, "%s: out of memory", path);
    int rc = file_write(path, text, strlen(text), error);
    free(text);
    return rc;
}

static int write_binary(const struct creature *creature, const char *path, struct error *error)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    creature_encode(creature, &writer);
    int rc = writer.has_failed ? error_set(error, ERR_MEMORY, "%s: out of memory", path)
                               : file_write(path, writer.buffer.data, writer.buffer.size, error);
    pack_writer_deinit(&writer);
    return rc;
}

int creature_write(const struct creature *creature, const char *path, int is_text,
                   struct error *error)
{
    int rc = genome_check(&creature->genome, error);
    if (rc != 0) {
        error_prefix(error, "%s: not written", path);
        return rc;
    }
    return is_text ? write_text(creature, path, error) : write_binary(creature, path, error);
}
