/* MessagePack, bounded.
 *
 * The walk goes through the bytes without recursion: a stack of at most PACK_DEPTH_MAX counts says
 * how many objects each open array or map still wants. Every object takes at least one byte, so a
 * count above the number of bytes left is refused before anything is allocated. The first walk
 * judges, counts the objects, of 24 bytes each, and reads as many as the reader has room for: all of
 * a result. Others are read by a second walk. */
#include "common/formats/pack.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/text.h"

/* ---- writing ---- */

void pack_writer_init(struct pack_writer *writer)
{
    msgpack_sbuffer_init(&writer->buffer);
    msgpack_packer_init(&writer->packer, &writer->buffer, msgpack_sbuffer_write);
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

static void note_result(struct pack_writer *writer, int rc)
{
    if (rc != 0)
        writer->has_failed = 1;
}

void pack_raw(struct pack_writer *writer, const void *bytes, size_t length)
{
    note_result(writer, msgpack_sbuffer_write(&writer->buffer, bytes, length));
}

void pack_map(struct pack_writer *writer, size_t count)
{
    note_result(writer, msgpack_pack_map(&writer->packer, count));
}

void pack_array(struct pack_writer *writer, size_t count)
{
    note_result(writer, msgpack_pack_array(&writer->packer, count));
}

void pack_text(struct pack_writer *writer, const char *text)
{
    size_t length = strlen(text);
    note_result(writer, msgpack_pack_str(&writer->packer, length));
    note_result(writer, msgpack_pack_str_body(&writer->packer, text, length));
}

void pack_bytes(struct pack_writer *writer, const void *bytes, size_t length)
{
    note_result(writer, msgpack_pack_bin(&writer->packer, length));
    note_result(writer, msgpack_pack_bin_body(&writer->packer, bytes, length));
}

void pack_u64(struct pack_writer *writer, uint64_t value)
{
    note_result(writer, msgpack_pack_uint64(&writer->packer, value));
}

void pack_i64(struct pack_writer *writer, int64_t value)
{
    note_result(writer, msgpack_pack_int64(&writer->packer, value));
}

void pack_double(struct pack_writer *writer, double value)
{
    note_result(writer, msgpack_pack_double(&writer->packer, value));
}

void pack_bool(struct pack_writer *writer, int value)
{
    note_result(writer,
                value ? msgpack_pack_true(&writer->packer) : msgpack_pack_false(&writer->packer));
}

void pack_nil(struct pack_writer *writer)
{
    note_result(writer, msgpack_pack_nil(&writer->packer));
}

/* ---- the walk ---- */

/* The elements of an open array or map: how many are wanted still, and where the next goes. */
struct level {
    size_t wanted;
    msgpack_object *next; /* NULL: they are only counted */
};

/* Walks through the bytes, from one object to the next. */
struct walk {
    const unsigned char *bytes;
    size_t length, offset;
    struct level levels[PACK_DEPTH_MAX + 1]; /* outermost first */
    int depth;
    size_t count;         /* of the objects so far, with those that are wanted */
    msgpack_object *room; /* for so many objects; the others are only counted */
    size_t room_count;
    struct error *error;
};

static int fail_at(struct walk *walk, int code, const char *what)
{
    return error_set(walk->error, code, "byte %zu: %s", walk->offset, what);
}

/* The next `length` bytes; NULL: there are not so many. */
static inline const unsigned char *walk_over(struct walk *walk, size_t length)
{
    const unsigned char *at = walk->bytes + walk->offset;
    if (walk->length - walk->offset < length) {
        fail_at(walk, ERR_FORMAT, "cut short");
        return NULL;
    }
    walk->offset += length;
    return at;
}

static inline uint64_t read_4(const unsigned char *at)
{
    return (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | at[3];
}

/* A number of `width` bytes (1, 2, 4 or 8), the highest first; 0, or ERR_FORMAT. */
static inline int walk_number(struct walk *walk, size_t width, uint64_t *number)
{
    const unsigned char *at = walk_over(walk, width);
    if (!at)
        return ERR_FORMAT;
    *number = width == 8   ? read_4(at) << 32 | read_4(at + 4)
              : width == 4 ? read_4(at)
              : width == 2 ? (uint64_t)at[0] << 8 | at[1]
                           : at[0];
    return 0;
}

static int walk_unsigned(struct walk *walk, size_t width, msgpack_object *object)
{
    object->type = MSGPACK_OBJECT_POSITIVE_INTEGER;
    return walk_number(walk, width, &object->via.u64);
}

/* As the library does it: what is not negative becomes an unsigned number. */
static int walk_signed(struct walk *walk, size_t width, msgpack_object *object)
{
    uint64_t number = 0, sign = UINT64_C(1) << (8 * width - 1);
    int rc = walk_number(walk, width, &number);
    object->via.u64 = (number ^ sign) - sign;
    object->type =
        number & sign ? MSGPACK_OBJECT_NEGATIVE_INTEGER : MSGPACK_OBJECT_POSITIVE_INTEGER;
    return rc;
}

static int walk_float(struct walk *walk, msgpack_object *object)
{
    uint64_t number = 0;
    float value;
    int rc = walk_number(walk, 4, &number);
    uint32_t bits = (uint32_t)number;
    memcpy(&value, &bits, sizeof value);
    object->type = MSGPACK_OBJECT_FLOAT32;
    object->via.f64 = (double)value;
    return rc;
}

static int walk_double(struct walk *walk, msgpack_object *object)
{
    uint64_t bits = 0;
    int rc = walk_number(walk, 8, &bits);
    object->type = MSGPACK_OBJECT_FLOAT64;
    memcpy(&object->via.f64, &bits, sizeof bits);
    return rc;
}

/* A text or bytes. */
static int walk_string(struct walk *walk, msgpack_object_type type, size_t length,
                       msgpack_object *object)
{
    const unsigned char *at = walk_over(walk, length);
    object->type = type;
    if (type == MSGPACK_OBJECT_STR)
        object->via.str = (msgpack_object_str){(uint32_t)length, (const char *)at};
    else
        object->via.bin = (msgpack_object_bin){(uint32_t)length, (const char *)at};
    return at ? 0 : ERR_FORMAT;
}

/* `count` elements, each with `parts` objects of one byte at least. */
static int walk_into(struct walk *walk, msgpack_object_type type, size_t count, size_t parts,
                     msgpack_object *object)
{
    size_t end = walk->count + count * parts;
    msgpack_object *first = end <= walk->room_count ? walk->room + walk->count : NULL;
    if (count * parts > walk->length - walk->offset)
        return fail_at(walk, ERR_FORMAT, "a count larger than the bytes that are left");
    if (walk->depth >= PACK_DEPTH_MAX)
        return fail_at(walk, ERR_LIMIT, "nested too deeply");
    object->type = type;
    if (type == MSGPACK_OBJECT_ARRAY)
        object->via.array = (msgpack_object_array){(uint32_t)count, first};
    else
        object->via.map = (msgpack_object_map){(uint32_t)count, (msgpack_object_kv *)first};
    walk->levels[++walk->depth] = (struct level){count * parts, first};
    walk->count = end;
    return 0;
}

/* An object whose head says how long it is: `width` bytes of count, then text, bytes or elements. */
static int walk_counted(struct walk *walk, msgpack_object_type type, size_t width,
                        msgpack_object *object)
{
    uint64_t count;
    int rc = walk_number(walk, width, &count);
    if (rc != 0)
        return rc;
    if (type == MSGPACK_OBJECT_ARRAY || type == MSGPACK_OBJECT_MAP)
        return walk_into(walk, type, count, type == MSGPACK_OBJECT_MAP ? 2 : 1, object);
    return walk_string(walk, type, count, object);
}

/* One object: its head, and the body of what is not an array or a map. */
static int walk_object(struct walk *walk, msgpack_object *object)
{
    const unsigned char *at = walk_over(walk, 1);
    if (!at)
        return ERR_FORMAT;
    unsigned head = *at;
    if (head < 0x80 || head >= 0xe0) { // small integers
        object->type =
            head < 0x80 ? MSGPACK_OBJECT_POSITIVE_INTEGER : MSGPACK_OBJECT_NEGATIVE_INTEGER;
        object->via.i64 = head < 0x80 ? (int64_t)head : (int64_t)head - 0x100;
        return 0;
    }
    if (head < 0x90)
        return walk_into(walk, MSGPACK_OBJECT_MAP, head & 0x0f, 2, object);
    if (head < 0xa0)
        return walk_into(walk, MSGPACK_OBJECT_ARRAY, head & 0x0f, 1, object);
    if (head < 0xc0)
        return walk_string(walk, MSGPACK_OBJECT_STR, head & 0x1f, object);
    switch (head) {
    case 0xc0:
        object->type = MSGPACK_OBJECT_NIL;
        return 0;
    case 0xc2: // false, true
    case 0xc3:
        object->type = MSGPACK_OBJECT_BOOLEAN;
        object->via.boolean = head == 0xc3;
        return 0;
    case 0xc4: // bytes
    case 0xc5:
    case 0xc6:
        return walk_counted(walk, MSGPACK_OBJECT_BIN, (size_t)1 << (head - 0xc4), object);
    case 0xca:
        return walk_float(walk, object);
    case 0xcb:
        return walk_double(walk, object);
    case 0xcc: // integers
    case 0xcd:
    case 0xce:
    case 0xcf:
        return walk_unsigned(walk, (size_t)1 << (head - 0xcc), object);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return walk_signed(walk, (size_t)1 << (head - 0xd0), object);
    case 0xd9: // texts
    case 0xda:
    case 0xdb:
        return walk_counted(walk, MSGPACK_OBJECT_STR, (size_t)1 << (head - 0xd9), object);
    case 0xdc: // arrays
    case 0xdd:
        return walk_counted(walk, MSGPACK_OBJECT_ARRAY, (size_t)2 << (head - 0xdc), object);
    case 0xde: // maps
    case 0xdf:
        return walk_counted(walk, MSGPACK_OBJECT_MAP, (size_t)2 << (head - 0xde), object);
    default:
        walk->offset--;
        return fail_at(walk, ERR_FORMAT, "a type that is not used here");
    }
}

/* Exactly one object, complete, with nothing behind it: reads it and all its parts into `room`, the
 * root first, as far as that goes, and counts them. */
static int walk_all(struct walk *walk, msgpack_object *room, size_t room_count)
{
    walk->offset = 0;
    walk->depth = 0;
    walk->count = 1;
    walk->room = room;
    walk->room_count = room_count;
    walk->levels[0] = (struct level){1, room};
    while (walk->depth >= 0) {
        struct level *level = &walk->levels[walk->depth];
        msgpack_object counted;
        if (level->wanted == 0) {
            walk->depth--;
            continue;
        }
        level->wanted--;
        int rc = walk_object(walk, level->next ? level->next++ : &counted);
        if (rc != 0)
            return rc;
    }
    return walk->offset == walk->length ? 0 : fail_at(walk, ERR_FORMAT, "bytes after the end");
}

/* ---- reading ---- */

/* The pairs of a map lie as their keys and values in turns. */
_Static_assert(sizeof(msgpack_object_kv) == 2 * sizeof(msgpack_object), "pairs");

int pack_open(struct pack_reader *reader, const void *bytes, size_t length, struct error *error)
{
    struct walk walk;
    walk.bytes = bytes;
    walk.length = length;
    walk.error = error;
    reader->taken = NULL;
    reader->root = reader->own;
    int rc = walk_all(&walk, reader->own, PACK_OBJECTS_OWN);
    if (rc != 0 || walk.count <= PACK_OBJECTS_OWN)
        return rc;
    reader->root = reader->taken = malloc(walk.count * sizeof *reader->taken);
    return reader->taken ? walk_all(&walk, reader->taken, walk.count)
                         : error_set(error, ERR_MEMORY, "out of memory");
}

void pack_close(struct pack_reader *reader)
{
    free(reader->taken);
    reader->taken = NULL;
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
    if (!object || object->type != MSGPACK_OBJECT_STR)
        return fail_type(object, "a text", where, error);
    size_t length = object->via.str.size;
    if (length >= size)
        return error_set(error, ERR_LIMIT, "%s: expected a text of at most %zu bytes, not %zu",
                         where, size - 1, length);
    if (!text_is_clean(object->via.str.ptr, length))
        return error_set(error, ERR_FORMAT, "%s: expected UTF-8 without control characters", where);
    if (length > 0)
        memcpy(buffer, object->via.str.ptr, length);
    buffer[length] = '\0';
    return 0;
}

int pack_get_array(const msgpack_object *object, size_t max, int exact,
                   const msgpack_object **items, size_t *count, const char *where,
                   struct error *error)
{
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
