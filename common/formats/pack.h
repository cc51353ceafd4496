/* MessagePack, bounded: a growing writer and a reader that trusts nothing.
 *
 * msgpack-c itself has no limits (a five-byte header can ask for 100 GB), so pack_open() first
 * scans the structure of the whole buffer (counts against the bytes that are left, depth, no
 * extension types, exactly one object) and only then unpacks. */
#ifndef COMMON_FORMATS_PACK_H
#define COMMON_FORMATS_PACK_H

#include <msgpack.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define PACK_DEPTH_MAX 16

/* ---- writing ---- */
/* A heap buffer that msgpack-c packs into. */
struct pack_writer {
    msgpack_sbuffer buffer; /* buffer.data, buffer.size: what was written */
    int has_failed;         /* memory was out: what was written is not whole */
};
void pack_writer_init(struct pack_writer *writer);
void pack_writer_deinit(struct pack_writer *writer);
/* Begins anew in the memory that it has. */
void pack_writer_clear(struct pack_writer *writer);
/* Bytes as they are: an object, or a part of one, that was packed before. */
void pack_raw(struct pack_writer *writer, const void *bytes, size_t length);
void pack_map(struct pack_writer *writer, size_t count);
void pack_array(struct pack_writer *writer, size_t count);
void pack_text(struct pack_writer *writer, const char *text);
void pack_bytes(struct pack_writer *writer, const void *bytes, size_t length);
void pack_u64(struct pack_writer *writer, uint64_t value);
void pack_i64(struct pack_writer *writer, int64_t value);
void pack_double(struct pack_writer *writer, double value); /* always 64-bit float */
void pack_bool(struct pack_writer *writer, int value);
void pack_nil(struct pack_writer *writer);

/* ---- reading ---- */
struct pack_reader {
    msgpack_unpacked unpacked;
    const msgpack_object *root;
};
/* Scans and unpacks exactly `length` bytes. The reader refers to `bytes`, which must outlive it.
 * Returns 0, ERR_FORMAT, ERR_LIMIT or ERR_MEMORY with a message. Call pack_close() if it was 0. */
int pack_open(struct pack_reader *reader, const void *bytes, size_t length, struct error *error);
void pack_close(struct pack_reader *reader);

/* The length of the one object that `bytes` begin with, which may go on for `most` bytes: only its
 * structure is looked at. Returns as pack_open() does. */
int pack_measure(const void *bytes, size_t most, size_t *length, struct error *error);

/* Typed access: 0 or ERR_FORMAT / ERR_RANGE with the message "`where`: expected ...". Texts are
 * copied and never cut: one that is too long is ERR_LIMIT; they must be clean (see
 * text_is_clean()). Doubles accept integers; they must be finite. An object that is NULL (see
 * pack_find()) is ERR_MISSING. */
int pack_get_u64(const msgpack_object *object, uint64_t max, uint64_t *value, const char *where,
                 struct error *error);
int pack_get_i64(const msgpack_object *object, int64_t *value, const char *where,
                 struct error *error);
int pack_get_double(const msgpack_object *object, double *value, const char *where,
                    struct error *error);
int pack_get_bool(const msgpack_object *object, int *value, const char *where, struct error *error);
int pack_get_text(const msgpack_object *object, char *buffer, size_t size, const char *where,
                  struct error *error);
/* An array of at most max elements (exactly `exact` if that is not negative). */
int pack_get_array(const msgpack_object *object, size_t max, int exact,
                   const msgpack_object **items, size_t *count, const char *where,
                   struct error *error);
/* The value of a text key in a map, or NULL; `object` need not be a map (then NULL). */
const msgpack_object *pack_find(const msgpack_object *object, const char *key);
/* 0 if it is a map of exactly these keys (NULL behind the last), else ERR_*. */
int pack_check_keys(const msgpack_object *object, const char *const *keys, const char *where,
                    struct error *error);

/* MessagePack that is read object by object, from bytes or from what zlib made of them: nothing is
 * in memory but a window, and what the reader keeps. For what may be large and comes from outside;
 * a tree of msgpack-c takes 24 bytes for a byte. */

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
