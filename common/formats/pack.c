/* MessagePack, bounded.
 *
 * The scan walks the bytes once, without recursion and without memory of its own: a stack of at
 * most PACK_DEPTH_MAX counts says how many objects each open array or map still wants. Every
 * object takes at least one byte, so a count above the number of bytes left is refused before
 * anything is allocated. Then msgpack-c needs at most 24 bytes for each object (48 for a pair of
 * a map). */
#include "common/formats/pack.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/text.h"

/* ---- writing ---- */

void pack_writer_init(struct pack_writer *writer)
{
    msgpack_sbuffer_init(&writer->buffer);
    writer->has_failed = 0;
}

void pack_writer_deinit(struct pack_writer *writer)
{
    msgpack_sbuffer_destroy(&writer->buffer);
    pack_writer_init(writer);
}

void pack_writer_clear(struct pack_writer *writer)
{
    msgpack_sbuffer_clear(&writer->buffer);
    writer->has_failed = 0;
}

/* Made anew for each object, so that the compiler knows the packer's callbacks and can inline them:
 * packing a genome takes half the instructions. */
static msgpack_packer packer_of(struct pack_writer *writer)
{
    msgpack_packer packer;
    msgpack_packer_init(&packer, &writer->buffer, msgpack_sbuffer_write);
    return packer;
}

static void note_result(struct pack_writer *writer, int rc)
{
    if (rc != 0)
        writer->has_failed = 1;
}

void pack_raw(struct pack_writer *writer, const void *bytes, size_t length)
{
    ENSURE(bytes || length == 0, "%zu bytes of nothing", length);
    note_result(writer, msgpack_sbuffer_write(&writer->buffer, bytes, length));
}

/* Defines a writer of an object by the call that packs it. */
#define WRITER(declaration, call)                                                                  \
    declaration                                                                                    \
    {                                                                                              \
        msgpack_packer packer = packer_of(writer);                                                 \
        note_result(writer, call);                                                                 \
    }
WRITER(void pack_map(struct pack_writer *writer, size_t count), msgpack_pack_map(&packer, count))
WRITER(void pack_array(struct pack_writer *writer, size_t count),
       msgpack_pack_array(&packer, count))
WRITER(void pack_u64(struct pack_writer *writer, uint64_t value),
       msgpack_pack_uint64(&packer, value))
WRITER(void pack_i64(struct pack_writer *writer, int64_t value), msgpack_pack_int64(&packer, value))
WRITER(void pack_double(struct pack_writer *writer, double value),
       msgpack_pack_double(&packer, value))
WRITER(void pack_bool(struct pack_writer *writer, int value),
       value ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer))
WRITER(void pack_nil(struct pack_writer *writer), msgpack_pack_nil(&packer))

void pack_text(struct pack_writer *writer, const char *text)
{
    ENSURE(text, "no text");
    msgpack_packer packer = packer_of(writer);
    size_t length = strlen(text);
    note_result(writer, msgpack_pack_str(&packer, length));
    note_result(writer, msgpack_pack_str_body(&packer, text, length));
}

void pack_bytes(struct pack_writer *writer, const void *bytes, size_t length)
{
    ENSURE(bytes || length == 0, "%zu bytes of nothing", length);
    msgpack_packer packer = packer_of(writer);
    note_result(writer, msgpack_pack_bin(&packer, length));
    note_result(writer, msgpack_pack_bin_body(&packer, bytes, length));
}

/* ---- the scan ---- */

struct scan {
    const unsigned char *bytes;
    size_t length, offset;
    size_t wanted[PACK_DEPTH_MAX + 1]; /* objects still wanted, outermost first */
    int depth;
    struct error *error;
};

static int fail_at(struct scan *scan, int code, const char *what)
{
    return error_set(scan->error, code, "byte %zu: %s", scan->offset, what);
}

/* A big-endian count of `width` bytes at the offset, which moves on. */
static int scan_count(struct scan *scan, int width, size_t *count)
{
    if (scan->length - scan->offset < (size_t)width)
        return fail_at(scan, ERR_FORMAT, "cut short");
    *count = 0;
    for (int i = 0; i < width; i++)
        *count = *count << 8 | scan->bytes[scan->offset++];
    return 0;
}

static int scan_skip(struct scan *scan, size_t length)
{
    if (scan->length - scan->offset < length)
        return fail_at(scan, ERR_FORMAT, "cut short");
    scan->offset += length;
    return 0;
}

/* `count` objects follow, each of one byte at least. */
static int scan_open(struct scan *scan, size_t count)
{
    if (count > scan->length - scan->offset)
        return fail_at(scan, ERR_FORMAT, "a count larger than the bytes that are left");
    if (scan->depth >= PACK_DEPTH_MAX)
        return fail_at(scan, ERR_LIMIT, "nested too deeply");
    scan->wanted[++scan->depth] = count;
    return 0;
}

/* An object whose head says how long it is: `width` bytes of count, then text, bytes or objects. */
static int scan_counted(struct scan *scan, int width, int objects_per_count)
{
    size_t count = 0;
    int rc = scan_count(scan, width, &count);
    if (rc != 0)
        return rc;
    return objects_per_count == 0 ? scan_skip(scan, count)
                                  : scan_open(scan, count * (size_t)objects_per_count);
}

/* What follows a head, from `first` to `last` on: bytes, or a count of them or of objects. */
static const struct {
    unsigned char first, last;
    int width; /* of the first, in bytes; each next one is twice as wide */
    int is_count, objects_per_count;
} heads[] = {{0xca, 0xcb, 4, 0, 0},                        /* floats */
             {0xcc, 0xcf, 1, 0, 0},                        /* integers */
             {0xd0, 0xd3, 1, 0, 0}, {0xc2, 0xc3, 0, 0, 0}, /* false, true, nil */
             {0xc0, 0xc0, 0, 0, 0}, {0xd9, 0xdb, 1, 1, 0}, /* texts, bytes */
             {0xc4, 0xc6, 1, 1, 0}, {0xdc, 0xdd, 2, 1, 1}, /* arrays, maps */
             {0xde, 0xdf, 2, 1, 2}};

/* One object: its head, and the body of what is not an array or a map. */
static int scan_object(struct scan *scan)
{
    if (scan->offset >= scan->length)
        return fail_at(scan, ERR_FORMAT, "cut short");
    unsigned char head = scan->bytes[scan->offset++];
    if (head < 0x80 || head >= 0xe0) // small integers
        return 0;
    if (head < 0x90)
        return scan_open(scan, 2 * (size_t)(head & 0x0f));
    if (head < 0xa0)
        return scan_open(scan, head & 0x0f);
    if (head < 0xc0)
        return scan_skip(scan, head & 0x1f);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (head >= heads[i].first && head <= heads[i].last) {
            int width = heads[i].width << (head - heads[i].first);
            return heads[i].is_count ? scan_counted(scan, width, heads[i].objects_per_count)
                                     : scan_skip(scan, (size_t)width);
        }
    scan->offset--;
    return fail_at(scan, ERR_FORMAT, "a type that is not used here");
}

int pack_measure(const void *bytes, size_t most, size_t *length, struct error *error)
{
    struct scan scan = {.bytes = bytes, .length = most, .wanted = {1}, .error = error};
    *length = 0;
    while (scan.depth >= 0) {
        if (scan.wanted[scan.depth] == 0) {
            scan.depth--;
            continue;
        }
        scan.wanted[scan.depth]--;
        int rc = scan_object(&scan);
        if (rc != 0)
            return rc;
    }
    *length = scan.offset;
    return 0;
}

/* Exactly one object, complete, with nothing behind it. */
static int scan_structure(const void *bytes, size_t length, struct error *error)
{
    size_t scanned;
    int rc = pack_measure(bytes, length, &scanned, error);
    if (rc == 0 && scanned < length)
        rc = error_set(error, ERR_FORMAT, "byte %zu: bytes after the end", scanned);
    return rc;
}

/* ---- reading ---- */

int pack_open(struct pack_reader *reader, const void *bytes, size_t length, struct error *error)
{
    int rc = scan_structure(bytes, length, error);
    if (rc != 0)
        return rc;
    msgpack_unpacked_init(&reader->unpacked);
    size_t offset = 0;
    switch (msgpack_unpack_next(&reader->unpacked, bytes, length, &offset)) {
    case MSGPACK_UNPACK_SUCCESS:
        reader->root = &reader->unpacked.data;
        return 0;
    case MSGPACK_UNPACK_NOMEM_ERROR:
        rc = error_memory(error);
        break;
    default:
        rc = error_set(error, ERR_FORMAT, "not MessagePack");
    }
    msgpack_unpacked_destroy(&reader->unpacked);
    return rc;
}

void pack_close(struct pack_reader *reader)
{
    msgpack_unpacked_destroy(&reader->unpacked);
    reader->root = NULL;
}

static int fail_type(const msgpack_object *object, const char *expected, const char *where,
                     struct error *error)
{
    if (!object)
        return error_set(error, ERR_MISSING, "%s: missing", where);
    return error_set(error, ERR_FORMAT, "%s: expected %s", where, expected);
}

int pack_get_u64(const msgpack_object *object, uint64_t max, uint64_t *value, const char *where,
                 struct error *error)
{
    if (!object || object->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
        return fail_type(object, "a whole number, not negative", where, error);
    if (object->via.u64 > max)
        return error_set(error, ERR_RANGE, "%s: expected at most %" PRIu64 ", not %" PRIu64, where,
                         max, object->via.u64);
    *value = object->via.u64;
    return 0;
}

int pack_get_i64(const msgpack_object *object, int64_t *value, const char *where,
                 struct error *error)
{
    if (object && object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        *value = object->via.i64;
        return 0;
    }
    if (!object || object->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
        return fail_type(object, "a whole number", where, error);
    if (object->via.u64 > INT64_MAX)
        return error_set(error, ERR_RANGE, "%s: expected at most %" PRId64 ", not %" PRIu64, where,
                         INT64_MAX, object->via.u64);
    *value = (int64_t)object->via.u64;
    return 0;
}

int pack_get_double(const msgpack_object *object, double *value, const char *where,
                    struct error *error)
{
    double number;
    switch (object ? object->type : MSGPACK_OBJECT_NIL) {
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        number = object->via.f64;
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        number = (double)object->via.u64;
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        number = (double)object->via.i64;
        break;
    default:
        return fail_type(object, "a number", where, error);
    }
    if (!isfinite(number))
        return error_set(error, ERR_RANGE, "%s: expected a finite number", where);
    *value = number;
    return 0;
}

int pack_get_bool(const msgpack_object *object, int *value, const char *where, struct error *error)
{
    if (!object || object->type != MSGPACK_OBJECT_BOOLEAN)
        return fail_type(object, "true or false", where, error);
    *value = object->via.boolean ? 1 : 0;
    return 0;
}

int pack_get_text(const msgpack_object *object, char *buffer, size_t size, const char *where,
                  struct error *error)
{
    ENSURE(buffer && size > 0, "%s: no room for a text", where);
    if (!object || object->type != MSGPACK_OBJECT_STR)
        return fail_type(object, "a text", where, error);
    size_t length = object->via.str.size;
    if (length >= size)
        return error_set(error, ERR_LIMIT, "%s: expected a text of at most %zu bytes, not %zu",
                         where, size - 1, length);
    if (!text_is_clean(object->via.str.ptr, length))
        return error_set(error, ERR_FORMAT,
                         "%s: expected UTF-8 without control or invisible characters", where);
    if (length > 0)
        memcpy(buffer, object->via.str.ptr, length);
    buffer[length] = '\0';
    return 0;
}

int pack_get_array(const msgpack_object *object, size_t max, int exact,
                   const msgpack_object **items, size_t *count, const char *where,
                   struct error *error)
{
    ENSURE(items && count, "%s: nowhere to put an array", where);
    if (!object || object->type != MSGPACK_OBJECT_ARRAY)
        return fail_type(object, "an array", where, error);
    size_t size = object->via.array.size;
    if (exact >= 0 && size != (size_t)exact)
        return error_set(error, ERR_FORMAT, "%s: expected %d elements, not %zu", where, exact,
                         size);
    if (size > max)
        return error_set(error, ERR_LIMIT, "%s: expected at most %zu elements, not %zu", where, max,
                         size);
    *items = object->via.array.ptr;
    *count = size;
    return 0;
}

const msgpack_object *pack_find(const msgpack_object *object, const char *key)
{
    ENSURE(key && key[0], "a key without a name");
    if (!object || object->type != MSGPACK_OBJECT_MAP)
        return NULL;
    size_t length = strlen(key);
    for (uint32_t i = 0; i < object->via.map.size; i++) {
        const msgpack_object *found = &object->via.map.ptr[i].key;
        if (found->type == MSGPACK_OBJECT_STR && found->via.str.size == length &&
            memcmp(found->via.str.ptr, key, length) == 0)
            return &object->via.map.ptr[i].val;
    }
    return NULL;
}

int pack_check_keys(const msgpack_object *object, const char *const *keys, const char *where,
                    struct error *error)
{
    uint32_t count = 0;
    if (!object || object->type != MSGPACK_OBJECT_MAP)
        return fail_type(object, "a map", where, error);
    for (; keys[count]; count++)
        if (!pack_find(object, keys[count]))
            return error_set(error, ERR_MISSING, "%s.%s: missing", where, keys[count]);
    if (object->via.map.size != count)
        return error_set(error, ERR_FORMAT, "%s: has unknown or double keys", where);
    return 0;
}
