/* Creature files: reading and writing, and the lines on standard error that go with it. A typical
 * file has 2 to 6 kB. */
#include "common/creature/creature.h"

#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/genome/body_kind.h"
#include "common/genome/genome.h"
#include "common/system/examples.h"
#include "common/system/file.h"
#include "common/system/output.h"

int creature_read(struct creature *creature, const char *name, struct error *error)
{
    char *bytes, path[4096];
    size_t length;
    creature_init(creature);
    int rc = example_find(EXAMPLE_CREATURE, name, path, sizeof path, error);
    if (rc != 0)
        return file_kind_explain(name, FILE_CREATURE, error);
    rc = file_read(path, CREATURE_FILE_BYTES_MAX, &bytes, &length, error);
    if (rc == 0)
        rc = creature_decode(creature, bytes, length, path, error);
    free(bytes);
    params_tell_remark(&creature->remark);
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
        status = example_find(EXAMPLE_PARAMS, params_path, path, sizeof path, error);
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
