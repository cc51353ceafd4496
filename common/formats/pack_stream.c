/* See pack.h. The window holds the longest object twice; when less than that object is left
 * in it, the rest moves to its beginning and zlib fills it up. */
#include "common/formats/pack.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define WINDOW_BYTES (2 * PACK_STREAM_WHOLE_MAX)
/* The longest number: its head and eight bytes. */
#define NUMBER_BYTES 9

void pack_stream_open(struct pack_stream *stream, const void *bytes, size_t length)
{
    *stream = (struct pack_stream){.bytes = bytes, .length = length};
}

int pack_stream_open_packed(struct pack_stream *stream, const void *bytes, size_t length,
                            size_t unpacked, struct error *error)
{
    unsigned char *window = malloc(WINDOW_BYTES);
    z_stream *inflating = calloc(1, sizeof *inflating);
    *stream = (struct pack_stream){
        .bytes = window, .window = window, .inflating = inflating, .rest = unpacked};
    if (inflating) {
        inflating->next_in = (z_const Bytef *)bytes;
        inflating->avail_in = (uInt)length;
    }
    if (window && inflating && length <= UINT32_MAX && inflateInit(inflating) == Z_OK)
        return 0;
    free(window);
    free(inflating);
    *stream = (struct pack_stream){.length = 0};
    return error_memory(error);
}

void pack_stream_close(struct pack_stream *stream)
{
    if (stream->inflating)
        inflateEnd(stream->inflating);
    free(stream->inflating);
    free(stream->window);
    *stream = (struct pack_stream){.length = 0};
}

/* The compressed data must end where their bytes do. */
static int has_ended(z_stream *inflating)
{
    unsigned char more;
    inflating->next_out = &more;
    inflating->avail_out = 1;
    int result = inflate(inflating, Z_SYNC_FLUSH);
    inflating->next_out = NULL;
    return result == Z_STREAM_END && inflating->avail_out == 1;
}

/* Makes `wanted` bytes ready, or all that there are. */
static int fill(struct pack_stream *s, size_t wanted, struct error *error)
{
    size_t left = s->length - s->at;
    if (left >= wanted || s->rest == 0)
        return 0;
    memmove(s->window, s->window + s->at, left);
    s->past += s->at;
    s->at = 0;
    s->length = left;
    size_t room = WINDOW_BYTES - left < s->rest ? WINDOW_BYTES - left : s->rest;
    s->inflating->next_out = s->window + left;
    s->inflating->avail_out = (uInt)room;
    int rc = inflate(s->inflating, Z_SYNC_FLUSH);
    s->rest -= room;
    if (s->inflating->avail_out > 0 || (rc != Z_OK && rc != Z_STREAM_END) ||
        (s->rest == 0 && rc != Z_STREAM_END && !has_ended(s->inflating)))
        return error_set(error, ERR_FORMAT, "it cannot be uncompressed");
    s->length += room;
    return 0;
}

static int fail_at(const struct pack_stream *s, const char *what, struct error *error)
{
    return error_set(error, ERR_FORMAT, "byte %zu: %s", s->past + s->at, what);
}

/* A big-endian number of `width` bytes behind the head. */
static uint64_t read_big(const unsigned char *bytes, int width)
{
    uint64_t value = 0;
    for (int i = 0; i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* How many bytes of number or count follow a head; -1: not of a kind that is taken. */
static int width_of(unsigned char head)
{
    if (head < 0x80 || head >= 0xe0 || (head & 0xf0) == 0x90)
        return 0;
    switch (head) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
        return 0;
    case 0xca:
        return 4;
    case 0xcb:
        return 8;
    case 0xdc:
        return 2;
    case 0xdd:
        return 4;
    default:
        return head >= 0xcc && head <= 0xd3 ? 1 << (head & 3) : -1;
    }
}

static void set_whole(msgpack_object *object, int64_t value)
{
    object->type = value < 0 ? MSGPACK_OBJECT_NEGATIVE_INTEGER : MSGPACK_OBJECT_POSITIVE_INTEGER;
    object->via.i64 = value;
}

static void set_float(msgpack_object *object, uint64_t bits, int width)
{
    uint32_t half = (uint32_t)bits;
    float single;
    object->type = MSGPACK_OBJECT_FLOAT64;
    memcpy(&single, &half, sizeof single);
    if (width == 4)
        object->via.f64 = single;
    else
        memcpy(&object->via.f64, &bits, sizeof bits);
}

static void set_array(msgpack_object *object, uint64_t size)
{
    object->type = MSGPACK_OBJECT_ARRAY;
    object->via.array.size = (uint32_t)size;
    object->via.array.ptr = NULL;
}

static void set_object(msgpack_object *object, unsigned char head, uint64_t value, int width)
{
    *object = (msgpack_object){.type = MSGPACK_OBJECT_NIL};
    if (head < 0x80 || head >= 0xe0)
        set_whole(object, (int8_t)head);
    else if ((head & 0xf0) == 0x90)
        set_array(object, head & 0x0f);
    else if (head >= 0xdc)
        set_array(object, value);
    else if (head >= 0xd0) // sign extended
        set_whole(object, (int64_t)(value << (64 - 8 * width)) >> (64 - 8 * width));
    else if (head >= 0xcc) {
        object->type = MSGPACK_OBJECT_POSITIVE_INTEGER;
        object->via.u64 = value;
    } else if (head >= 0xca)
        set_float(object, value, width);
    else if (head >= 0xc2) {
        object->type = MSGPACK_OBJECT_BOOLEAN;
        object->via.boolean = head == 0xc3;
    }
}

int pack_stream_take(struct pack_stream *s, msgpack_object *object, struct error *error)
{
    int rc = fill(s, NUMBER_BYTES, error);
    if (rc != 0)
        return rc;
    if (s->at == s->length)
        return fail_at(s, "cut short", error);
    unsigned char head = s->bytes[s->at];
    int width = width_of(head);
    if (width < 0)
        return fail_at(s, "a type that is not used here", error);
    if (s->length - s->at < 1 + (size_t)width)
        return fail_at(s, "cut short", error);
    set_object(object, head, read_big(s->bytes + s->at + 1, width), width);
    s->at += 1 + (size_t)width;
    return 0;
}

int pack_stream_take_whole(struct pack_stream *s, const unsigned char **bytes, size_t *length,
                           struct error *error)
{
    *length = 0;
    int rc = fill(s, PACK_STREAM_WHOLE_MAX, error);
    if (rc != 0)
        return rc;
    size_t there = s->length - s->at;
    *bytes = s->bytes + s->at;
    rc = pack_measure(*bytes, there < PACK_STREAM_WHOLE_MAX ? there : PACK_STREAM_WHOLE_MAX, length,
                      error);
    s->at += *length;
    return rc;
}

int pack_stream_end(struct pack_stream *s, struct error *error)
{
    return s->at == s->length && s->rest == 0 ? 0 : fail_at(s, "bytes after the end", error);
}
