/* The binary form: {"format", "version", "checksum", "creature"}, where "creature" holds the
 * content, itself MessagePack, as bytes, and "checksum" is their hash. The checksum is verified
 * before the content is looked at, so that a damaged file is called damaged and never read as
 * another creature. */
#include <inttypes.h>
#include <string.h>

#include "common/creature/creature_codec.h"
#include "common/math/hash.h"
#include "common/version.h"

enum { PARENT_COUNT = 2 };

static const char *const file_keys[] = {"format", "version", "checksum", "creature", NULL};
static const char *const content_keys[] = {"name",       "note",   "id",        "parents",
                                           "generation", "method", "mutations", "genome",
                                           "evaluation", NULL};
static const char *const evaluation_keys[] = {"simulator_version", "seed",     "verdict",
                                              "fitness",           "digest",   "genome_hash",
                                              "parameters",        "measures", NULL};

static size_t count_keys(const char *const *keys)
{
    size_t count = 0;
    while (keys[count])
        count++;
    return count;
}

/* ---- writing ---- */

/* The key of the value that follows. */
static struct pack_writer *at(struct pack_writer *writer, const char *key)
{
    pack_text(writer, key);
    return writer;
}

static void encode_evaluation(const struct creature *creature, struct pack_writer *writer)
{
    pack_map(writer, count_keys(evaluation_keys));
    pack_i64(at(writer, "simulator_version"), creature->simulator_version);
    pack_u64(at(writer, "seed"), creature->seed);
    pack_u64(at(writer, "verdict"), (uint64_t)creature->verdict);
    pack_double(at(writer, "fitness"), creature->fitness);
    pack_u64(at(writer, "digest"), creature->digest);
    pack_u64(at(writer, "genome_hash"), creature->genome_hash);
    params_encode_rows(&creature->params, creature_records_param, at(writer, "parameters"));
    pack_map(at(writer, "measures"), MEASURE_COUNT);
    for (int i = 0; i < MEASURE_COUNT; i++)
        pack_double(at(writer, measure_table[i].name), measures_get(&creature->measures, i));
}

static void encode_content(const struct creature *creature, struct pack_writer *writer)
{
    pack_map(writer, count_keys(content_keys));
    pack_text(at(writer, "name"), creature->name);
    pack_text(at(writer, "note"), creature->note);
    pack_u64(at(writer, "id"), creature->id);
    pack_array(at(writer, "parents"), PARENT_COUNT);
    for (int i = 0; i < PARENT_COUNT; i++)
        pack_u64(writer, creature->parents[i]);
    pack_i64(at(writer, "generation"), creature->generation);
    pack_text(at(writer, "method"), creature->method);
    pack_text(at(writer, "mutations"), creature->mutations);
    genome_encode(&creature->genome, at(writer, "genome"));
    pack_text(writer, "evaluation");
    if (creature->has_evaluation)
        encode_evaluation(creature, writer);
    else
        pack_nil(writer);
}

void creature_encode(const struct creature *creature, struct pack_writer *writer)
{
    struct pack_writer content;
    pack_writer_init(&content);
    encode_content(creature, &content);
    pack_map(writer, count_keys(file_keys));
    pack_text(at(writer, "format"), CREATURE_FORMAT_NAME);
    pack_u64(at(writer, "version"), (uint64_t)creature_format_version(creature));
    pack_u64(at(writer, "checksum"),
             hash_bytes(HASH_START, content.buffer.data, content.buffer.size));
    pack_bytes(at(writer, "creature"), content.buffer.data, content.buffer.size);
    writer->has_failed |= content.has_failed;
    pack_writer_deinit(&content);
}

/* ---- reading ---- */

/* A map with exactly these keys. */
static int check_keys(const msgpack_object *object, const char *const *keys, const char *where,
                      struct error *error)
{
    if (!object || object->type != MSGPACK_OBJECT_MAP)
        return error_set(error, ERR_FORMAT, "%s: expected a map", where);
    for (size_t i = 0; keys[i]; i++)
        if (!pack_find(object, keys[i]))
            return error_set(error, ERR_MISSING, "%s.%s: missing", where, keys[i]);
    if (object->via.map.size != count_keys(keys))
        return error_set(error, ERR_FORMAT, "%s: has unknown or double keys", where);
    return 0;
}

static int decode_measures(struct measures *measures, const msgpack_object *object,
                           struct error *error)
{
    if (object->type != MSGPACK_OBJECT_MAP)
        return error_set(error, ERR_FORMAT, "evaluation.measures: expected a map");
    for (uint32_t i = 0; i < object->via.map.size; i++) {
        char name[64];
        double value = 0;
        int rc = pack_get_text(&object->via.map.ptr[i].key, name, sizeof(name),
                               "evaluation.measures: a name", error);
        if (rc != 0)
            return rc;
        int index = measure_find(name);
        if (index < 0)
            return error_set(error, ERR_UNKNOWN, "evaluation.measures: unknown measure %s", name);
        rc = pack_get_double(&object->via.map.ptr[i].val, &value, name, error);
        if (rc != 0)
            return rc;
        measures_set(measures, index, value);
    }
    return 0;
}

static int decode_verdict(const msgpack_object *object, int *verdict, struct error *error)
{
    uint64_t number = 0;
    int rc = pack_get_u64(object, INT32_MAX, &number, "evaluation.verdict", error);
    if (rc != 0)
        return rc;
    if (verdict_find(verdict_name((int)number)) != (int)number)
        return error_set(error, ERR_UNKNOWN, "evaluation.verdict: %" PRIu64 " is not known",
                         number);
    *verdict = (int)number;
    return 0;
}

static int decode_evaluation(struct creature *creature, const msgpack_object *object,
                             struct error *error)
{
    uint64_t version = 0;
    int rc;
    if ((rc = check_keys(object, evaluation_keys, "evaluation", error)) ||
        (rc = pack_get_u64(pack_find(object, "simulator_version"), INT32_MAX, &version,
                           "evaluation.simulator_version", error)) ||
        (rc = pack_get_u64(pack_find(object, "seed"), UINT64_MAX, &creature->seed,
                           "evaluation.seed", error)) ||
        (rc = decode_verdict(pack_find(object, "verdict"), &creature->verdict, error)) ||
        (rc = pack_get_double(pack_find(object, "fitness"), &creature->fitness,
                              "evaluation.fitness", error)) ||
        (rc = pack_get_u64(pack_find(object, "digest"), UINT64_MAX, &creature->digest,
                           "evaluation.digest", error)) ||
        (rc = pack_get_u64(pack_find(object, "genome_hash"), UINT64_MAX, &creature->genome_hash,
                           "evaluation.genome_hash", error)) ||
        (rc = params_decode(&creature->params, pack_find(object, "parameters"), &creature->remark,
                            error)) ||
        (rc = decode_measures(&creature->measures, pack_find(object, "measures"), error)))
        return rc;
    creature->simulator_version = (int)version;
    creature->has_evaluation = 1;
    return 0;
}

static int decode_parents(struct creature *creature, const msgpack_object *object,
                          struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int rc = pack_get_array(object, PARENT_COUNT, PARENT_COUNT, &items, &count, "parents", error);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = pack_get_u64(&items[i], INT64_MAX, &creature->parents[i], "parents", error);
    return rc;
}

static int decode_content(struct creature *creature, const msgpack_object *object,
                          struct error *error)
{
    int rc;
    if ((rc = check_keys(object, content_keys, "creature", error)) ||
        (rc = pack_get_text(pack_find(object, "name"), creature->name, sizeof(creature->name),
                            "name", error)) ||
        (rc = pack_get_text(pack_find(object, "note"), creature->note, sizeof(creature->note),
                            "note", error)) ||
        (rc = pack_get_u64(pack_find(object, "id"), INT64_MAX, &creature->id, "id", error)) ||
        (rc = decode_parents(creature, pack_find(object, "parents"), error)) ||
        (rc = pack_get_i64(pack_find(object, "generation"), &creature->generation, "generation",
                           error)) ||
        (rc = pack_get_text(pack_find(object, "method"), creature->method, sizeof(creature->method),
                            "method", error)) ||
        (rc = pack_get_text(pack_find(object, "mutations"), creature->mutations,
                            sizeof(creature->mutations), "mutations", error)) ||
        (rc = genome_decode(&creature->genome, pack_find(object, "genome"), error)))
        return rc;
    const msgpack_object *evaluation = pack_find(object, "evaluation");
    return evaluation->type == MSGPACK_OBJECT_NIL ? 0
                                                  : decode_evaluation(creature, evaluation, error);
}

/* Format, version and checksum; *content is then the content's bytes. */
static int check_envelope(const msgpack_object *root, const msgpack_object **content,
                          uint64_t *file_version, struct error *error)
{
    char format[sizeof(CREATURE_FORMAT_NAME)] = "";
    uint64_t version = 0, checksum = 0;
    int rc;
    if (pack_get_text(pack_find(root, "format"), format, sizeof(format), "format", error) != 0 ||
        strcmp(format, CREATURE_FORMAT_NAME) != 0)
        return error_set(error, ERR_FORMAT, "not a creature file");
    if ((rc = pack_get_u64(pack_find(root, "version"), UINT64_MAX, &version, "version", error)))
        return rc;
    if (version < 1 || version > CREATURE_FORMAT_VERSION)
        return error_set(error, ERR_VERSION,
                         "format version %" PRIu64 " is not supported (this program reads 1 to %d)",
                         version, CREATURE_FORMAT_VERSION);
    if ((rc = check_keys(root, file_keys, "file", error)) ||
        (rc = pack_get_u64(pack_find(root, "checksum"), UINT64_MAX, &checksum, "checksum", error)))
        return rc;
    *file_version = version;
    *content = pack_find(root, "creature");
    if ((*content)->type != MSGPACK_OBJECT_BIN)
        return error_set(error, ERR_FORMAT, "creature: expected bytes");
    if (hash_bytes(HASH_START, (*content)->via.bin.ptr, (*content)->via.bin.size) != checksum)
        return error_set(error, ERR_FORMAT, "damaged: the checksum does not match the content");
    return 0;
}

int creature_decode_binary(struct creature *creature, const void *bytes, size_t length,
                           struct error *error)
{
    struct pack_reader file, inner;
    const msgpack_object *content = NULL;
    uint64_t version = 0;
    int rc = pack_open(&file, bytes, length, error);
    if (rc != 0) {
        error_prefix(error, "not a creature file, or damaged");
        return rc;
    }
    rc = check_envelope(file.root, &content, &version, error);
    if (rc == 0)
        rc = pack_open(&inner, content->via.bin.ptr, content->via.bin.size, error);
    if (rc == 0) {
        rc = decode_content(creature, inner.root, error);
        pack_close(&inner);
    }
    // the version stands outside of what the checksum covers
    if (rc == 0 && version != (uint64_t)creature_format_version(creature) &&
        (version > 2 || creature_format_version(creature) > 2))
        rc = error_set(error, ERR_FORMAT, "damaged: version %" PRIu64 " with content of version %d",
                       version, creature_format_version(creature));
    pack_close(&file);
    return rc;
}
