/* The binary form: {"format", "version", "checksum", "creature"}, where "creature" holds the
 * content, itself MessagePack, as bytes, and "checksum" is their hash. The checksum is verified
 * before the content is looked at, so that a damaged file is called damaged and never read as
 * another creature. */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "common/creature/creature_codec.h"
#include "common/formats/pack_fields.h"
#include "common/math/hash.h"
#include "common/version.h"

static const char *const file_keys[] = {"format", "version", "checksum", "creature", NULL};
static const char *const content_keys[] = {"name",       "note",   "id",        "parents",
                                           "generation", "method", "mutations", "genome",
                                           "evaluation", NULL};
static const char *const evaluation_keys[] = {"simulator_version", "seed",     "verdict",
                                              "fitness",           "digest",   "genome_hash",
                                              "parameters",        "measures", NULL};

/* The map of measures by name; one that a file lacks is 0. */
static int decode_measures(struct measures *measures, const msgpack_object *object,
                           struct error *error)
{
    if (object->type != MSGPACK_OBJECT_MAP)
        return error_set(error, ERR_FORMAT, "expected a map");
    for (uint32_t i = 0; i < object->via.map.size; i++) {
        char name[64];
        double value = 0;
        int rc = pack_get_text(&object->via.map.ptr[i].key, name, sizeof(name), "a name", error);
        if (rc != 0)
            return rc;
        int index = measure_find(name);
        if (index < 0)
            return error_set(error, ERR_UNKNOWN, "unknown measure %s", name);
        rc = pack_get_double(&object->via.map.ptr[i].val, &value, name, error);
        if (rc != 0)
            return rc;
        measures_set(measures, index, value);
    }
    return 0;
}

static void visit_measures(struct pack_fields *f, struct measures *measures)
{
    const msgpack_object *object = pack_fields_next(f, NULL);
    if (object)
        pack_fields_note(f, "measures", decode_measures(measures, object, f->error));
    if (!f->writer)
        return;
    pack_map(f->writer, MEASURE_COUNT);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        pack_text(f->writer, measure_table[i].name);
        pack_double(f->writer, measures_get(measures, i));
    }
}

static void visit_evaluation(struct pack_fields *f, struct creature *creature)
{
    struct pack_fields in = pack_fields_map(f, "evaluation", evaluation_keys);
    pack_fields_int(&in, "simulator_version", &creature->simulator_version, 0, INT32_MAX);
    pack_fields_u64(&in, "seed", &creature->seed, UINT64_MAX);
    pack_fields_int(&in, "verdict", &creature->verdict, 0, INT32_MAX);
    if (in.is_reading && verdict_find(verdict_name(creature->verdict)) != creature->verdict)
        pack_fields_fail(&in, ERR_UNKNOWN, "verdict", "%d is not known", creature->verdict);
    pack_fields_real(&in, "fitness", &creature->fitness, -DBL_MAX, DBL_MAX);
    pack_fields_u64(&in, "digest", &creature->digest, UINT64_MAX);
    pack_fields_u64(&in, "genome_hash", &creature->genome_hash, UINT64_MAX);
    const msgpack_object *params = pack_fields_next(&in, NULL);
    if (in.writer)
        params_encode_rows(&creature->params, creature_records_param, NULL, in.writer);
    if (params)
        pack_fields_note(&in, NULL,
                         params_decode(&creature->params, params, &creature->remark, in.error));
    visit_measures(&in, &creature->measures);
    creature->has_evaluation = 1;
    pack_fields_close(f, &in);
}

static void visit_content(struct pack_fields *f, struct creature *creature)
{
    struct pack_fields in = pack_fields_map(f, "creature", content_keys);
    pack_fields_text(&in, "name", creature->name, sizeof(creature->name));
    pack_fields_text(&in, "note", creature->note, sizeof(creature->note));
    pack_fields_u64(&in, "id", &creature->id, INT64_MAX);
    struct pack_fields parents = pack_fields_record(&in, "parents", 2);
    for (int i = 0; i < 2; i++)
        pack_fields_u64(&parents, "id", &creature->parents[i], INT64_MAX);
    pack_fields_close(&in, &parents);
    pack_fields_i64(&in, "generation", &creature->generation, INT64_MIN, INT64_MAX);
    pack_fields_text(&in, "method", creature->method, sizeof(creature->method));
    pack_fields_text(&in, "mutations", creature->mutations, sizeof(creature->mutations));
    genome_visit(&in, NULL, &creature->genome);
    const msgpack_object *evaluation = pack_find(in.map, "evaluation");
    if (f->writer ? creature->has_evaluation : evaluation && evaluation->type != MSGPACK_OBJECT_NIL)
        visit_evaluation(&in, creature);
    else
        pack_fields_nil(&in);
    pack_fields_close(f, &in);
}

/* Visiting changes nothing of what is written. */
void creature_encode(const struct creature *creature, struct pack_writer *writer)
{
    struct pack_writer content;
    pack_writer_init(&content);
    visit_content(&(struct pack_fields){.writer = &content}, (struct creature *)creature);
    pack_map(writer, sizeof file_keys / sizeof file_keys[0] - 1);
    pack_text(writer, "format");
    pack_text(writer, CREATURE_FORMAT_NAME);
    pack_text(writer, "version");
    pack_u64(writer, (uint64_t)creature_format_version(creature));
    pack_text(writer, "checksum");
    pack_u64(writer, hash_bytes(HASH_START, content.buffer.data, content.buffer.size));
    pack_text(writer, "creature");
    pack_bytes(writer, content.buffer.data, content.buffer.size);
    writer->has_failed |= content.has_failed;
    pack_writer_deinit(&content);
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
    if ((rc = pack_check_keys(root, file_keys, "file", error)) ||
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
        struct pack_fields f = {
            .is_reading = 1, .elements = inner.root, .left = 1, .where = "", .error = error};
        visit_content(&f, creature);
        rc = f.rc;
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
