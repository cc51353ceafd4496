/* See pack_fields.h. */
#include "common/formats/pack_fields.h"

#include <inttypes.h>
#include <stdlib.h>

void pack_fields_fail(struct pack_fields *f, int code, const char *name, const char *format, ...)
{
    char text[sizeof f->error->message];
    va_list arguments;
    if (f->rc != 0)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    f->rc =
        error_set(f->error, code, "%s%s%s: %s", f->where, name ? "." : "", name ? name : "", text);
}

void pack_fields_note(struct pack_fields *f, const char *name, int rc)
{
    if (rc != 0)
        f->rc = error_prefix(f->error, "%s%s%s", f->where, name ? "." : "", name ? name : "");
}

/* Whether an element of the array is read now. */
static int is_next(struct pack_fields *f)
{
    if (f->rc != 0 || !f->is_reading)
        return 0;
    if (f->left == 0 && f->may_end)
        return 0;
    ENSURE(f->left > 0, "%s: more fields than its array has", f->where);
    f->left--;
    return 1;
}

const msgpack_object *pack_fields_next(struct pack_fields *f, msgpack_object *room)
{
    if (f->keys && f->writer)
        pack_text(f->writer, *f->keys++);
    if (!is_next(f))
        return NULL;
    if (f->keys)
        return pack_find(f->map, *f->keys++);
    if (!f->stream)
        return f->elements++;
    f->rc = pack_stream_take(f->stream, room, f->error);
    return f->rc == 0 ? room : NULL;
}

/* What pack_get_*() says of a field begins with its name. */
static void note_result(struct pack_fields *f, int rc)
{
    struct error told = *f->error;
    if (rc != 0)
        f->rc = error_set(f->error, rc, "%s.%.300s", f->where, told.message);
}

void pack_fields_u64(struct pack_fields *f, const char *name, uint64_t *value, uint64_t most)
{
    msgpack_object room;
    const msgpack_object *object = pack_fields_next(f, &room);
    if (object)
        note_result(f, pack_get_u64(object, most, value, name, f->error));
    else if (f->writer)
        pack_u64(f->writer, *value);
    else if (*value > most)
        pack_fields_fail(f, ERR_RANGE, name, "expected at most %" PRIu64 ", not %" PRIu64, most,
                         *value);
}

void pack_fields_u8(struct pack_fields *f, const char *name, uint8_t *value, uint8_t most)
{
    uint64_t number = *value;
    pack_fields_u64(f, name, &number, most);
    *value = (uint8_t)number;
}

void pack_fields_u32(struct pack_fields *f, const char *name, uint32_t *value, uint32_t most)
{
    uint64_t number = *value;
    pack_fields_u64(f, name, &number, most);
    *value = (uint32_t)number;
}

void pack_fields_i64(struct pack_fields *f, const char *name, int64_t *value, int64_t least,
                     int64_t most)
{
    msgpack_object room;
    const msgpack_object *object = pack_fields_next(f, &room);
    int64_t number = *value;
    if (f->writer)
        pack_i64(f->writer, number);
    if (object)
        note_result(f, pack_get_i64(object, &number, name, f->error));
    if (!f->writer && (number < least || number > most))
        pack_fields_fail(f, ERR_RANGE, name, "expected %" PRId64 " to %" PRId64 ", not %" PRId64,
                         least, most, number);
    if (object && f->rc == 0)
        *value = number;
}

void pack_fields_int(struct pack_fields *f, const char *name, int *value, int least, int most)
{
    int64_t number = *value;
    pack_fields_i64(f, name, &number, least, most);
    *value = (int)number;
}

void pack_fields_real(struct pack_fields *f, const char *name, double *value, double least,
                      double most)
{
    msgpack_object room;
    const msgpack_object *object = pack_fields_next(f, &room);
    double number = *value;
    if (f->writer)
        pack_double(f->writer, number);
    if (object)
        note_result(f, pack_get_double(object, &number, name, f->error));
    if (!f->writer && !(number >= least && number <= most))
        pack_fields_fail(f, ERR_RANGE, name, "expected %g to %g, not %g", least, most, number);
    if (object && f->rc == 0)
        *value = number;
}

void pack_fields_bool(struct pack_fields *f, const char *name, int *value)
{
    msgpack_object room;
    const msgpack_object *object = pack_fields_next(f, &room);
    if (f->writer)
        pack_bool(f->writer, *value);
    if (object)
        note_result(f, pack_get_bool(object, value, name, f->error));
}

void pack_fields_text(struct pack_fields *f, const char *name, char *text, size_t size)
{
    const msgpack_object *object = pack_fields_next(f, NULL);
    if (f->writer)
        pack_text(f->writer, text);
    if (object)
        note_result(f, pack_get_text(object, text, size, name, f->error));
}

int pack_fields_whole(struct pack_fields *f, const unsigned char **bytes, size_t *length)
{
    if (is_next(f))
        f->rc = pack_stream_take_whole(f->stream, bytes, length, f->error);
    return f->rc == 0 && f->is_reading;
}

/* Opens an array of `least` to `most` elements. */
static struct pack_fields open_array(struct pack_fields *f, const char *where, int *count,
                                     int least, int most)
{
    struct pack_fields array = *f;
    msgpack_object room;
    const msgpack_object *object = pack_fields_next(f, &room);
    array.where = where;
    array.left = 0;
    array.may_end = 0;
    array.keys = NULL;
    if (f->writer)
        pack_array(f->writer, (size_t)*count);
    if (object)
        f->rc = pack_get_array(object, (size_t)most, least == most ? most : -1, &array.elements,
                               &array.left, where, f->error);
    array.rc = f->rc;
    if (f->is_reading)
        *count = (int)array.left;
    return array;
}

struct pack_fields pack_fields_record(struct pack_fields *f, const char *where, size_t count)
{
    int fields = (int)count;
    return open_array(f, where, &fields, fields, fields);
}

struct pack_fields pack_fields_grown(struct pack_fields *f, const char *where, size_t count,
                                     size_t oldest)
{
    int fields = (int)count;
    struct pack_fields array = open_array(f, where, &fields, (int)oldest, (int)count);
    if (f->is_reading && array.rc == 0 && array.left < oldest)
        pack_fields_fail(&array, ERR_FORMAT, NULL, "expected %zu elements at least, not %zu",
                         oldest, array.left);
    array.may_end = 1;
    return array;
}

struct pack_fields pack_fields_list(struct pack_fields *f, const char *where, int *count, int most)
{
    return open_array(f, where, count, 0, most);
}

struct pack_fields pack_fields_map(struct pack_fields *f, const char *where,
                                   const char *const *keys)
{
    struct pack_fields map = *f;
    map.map = pack_fields_next(f, NULL);
    map.where = where;
    map.keys = keys;
    map.left = 0;
    while (keys[map.left])
        map.left++;
    if (f->writer)
        pack_map(f->writer, map.left);
    if (map.map)
        f->rc = pack_check_keys(map.map, keys, where, f->error);
    map.rc = f->rc;
    return map;
}

void pack_fields_nil(struct pack_fields *f)
{
    pack_fields_next(f, NULL);
    if (f->writer)
        pack_nil(f->writer);
}

void pack_fields_close(struct pack_fields *f, const struct pack_fields *array)
{
    ENSURE(array->rc || !array->is_reading || array->left == 0, "%s: %zu elements are left",
           array->where, array->left);
    f->rc = f->rc ? f->rc : array->rc;
}

void *pack_fields_memory(struct pack_fields *f, int count, size_t size)
{
    if (f->rc != 0 || !f->is_reading || count == 0)
        return NULL;
    void *memory = calloc((size_t)count, size);
    if (!memory)
        pack_fields_fail(f, ERR_MEMORY, NULL, "%s", error_text(ERR_MEMORY));
    return memory;
}
