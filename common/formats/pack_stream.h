/* MessagePack that is read object by object, from bytes or from what zlib made of them: nothing is
 * in memory but a window, and what the reader keeps. For what may be large and comes from outside;
 * a tree of msgpack-c takes 24 bytes for a byte. */
#ifndef COMMON_FORMATS_PACK_STREAM_H
#define COMMON_FORMATS_PACK_STREAM_H

#include "common/formats/pack.h"

struct z_stream_s; /* zlib's */

struct pack_stream {
    const unsigned char *bytes; /* the window: from `at` to `length` is not read yet */
    size_t at, length;
    size_t past;                  /* bytes before the window */
    unsigned char *window;        /* heap; NULL: the bytes are the caller's, whole */
    struct z_stream_s *inflating; /* heap; NULL as the window is */
    size_t rest;                  /* bytes that are still to come out of zlib */
};

/* The longest object that pack_stream_take_whole() gives, in bytes. */
#define PACK_STREAM_WHOLE_MAX (1u << 18)

/* The bytes must outlive the stream. */
void pack_stream_open(struct pack_stream *stream, const void *bytes, size_t length);
/* Of what was compressed, and is `unpacked` bytes long. ERR_MEMORY, ERR_FORMAT. */
int pack_stream_open_packed(struct pack_stream *stream, const void *bytes, size_t length,
                            size_t unpacked, struct error *error);
void pack_stream_close(struct pack_stream *stream);

/* The next object: a number, a truth value or nil; or an array by its size alone, whose elements
 * come next (`object` then has no `ptr`). ERR_FORMAT, ERR_MEMORY. */
int pack_stream_take(struct pack_stream *stream, msgpack_object *object, struct error *error);
/* The next object with all that is in it, as bytes that stay until the next call. ERR_LIMIT. */
int pack_stream_take_whole(struct pack_stream *stream, const unsigned char **bytes, size_t *length,
                           struct error *error);
/* ERR_FORMAT where something is left. */
int pack_stream_end(struct pack_stream *stream, struct error *error);

#endif
