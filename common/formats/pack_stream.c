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

/* How many bytes of a size follow the head of an array; -1: it is of something else. */
static int array_width(unsigned char head)
{
    return (head & 0xf0) == 0x90 ? 0 : head == 0xdc ? 2 : head == 0xdd ? 4 : -1;
}

/* Of a number, a truth value or nil. */
static int is_plain(unsigned char head)
{
    return head < 0x80 || head >= 0xe0 || (head >= 0xca && head <= 0xd3) || head == 0xc0 ||
           head == 0xc2 || head == 0xc3;
}

int pack_stream_take(struct pack_stream *s, msgpack_object *object, struct error *error)
{
    int rc = fill(s, NUMBER_BYTES, error);
    if (rc != 0)
        return rc;
    const unsigned char *bytes = s->bytes + s->at;
    size_t left = s->length - s->at, used = 0;
    int width = left > 0 ? array_width(bytes[0]) : -1;
    if (left > 0 && width < 0 && !is_plain(bytes[0]))
        return fail_at(s, "a type that is not used here", error);
    /* plain objects need no memory */
    if (left < 1 + (size_t)(width < 0 ? 0 : width) ||
        (width < 0 &&
         msgpack_unpack((const char *)bytes, left, &used, NULL, object) == MSGPACK_UNPACK_CONTINUE))
        return fail_at(s, "cut short", error);
    if (width >= 0) {
        *object = (msgpack_object){.type = MSGPACK_OBJECT_ARRAY};
        object->via.array.size = width == 0 ? bytes[0] & 0x0f : 0;
        for (used = 1; used <= (size_t)width; used++)
            object->via.array.size = object->via.array.size << 8 | bytes[used];
    }
    s->at += used;
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
