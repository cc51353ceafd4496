/* See packed_bytes.h. */
#include "common/creature/packed_bytes.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* The greatest size of what is packed, in bytes. */
#define STATE_BYTES_MAX (64u << 20)
/* Packed bytes begin with their length before compression, in LENGTH_BYTES. */
#define LENGTH_BYTES 4

int packed_bytes_set(struct packed_bytes *copy, const void *bytes, size_t length)
{
    ENSURE(!copy->bytes && copy->length == 0, "a copy of %zu bytes is there already", copy->length);
    if (length == 0)
        return 0;
    copy->bytes = malloc(length);
    if (!copy->bytes)
        return ERR_MEMORY;
    memcpy(copy->bytes, bytes, length);
    copy->length = length;
    return 0;
}

void packed_bytes_deinit(struct packed_bytes *packed)
{
    free(packed->bytes);
    *packed = (struct packed_bytes){NULL, 0};
}

int packed_bytes_compress(struct packed_bytes *packed, const struct pack_writer *writer)
{
    size_t length = writer->buffer.size;
    uLongf room = compressBound((uLong)length);
    if (writer->has_failed || !(packed->bytes = malloc(LENGTH_BYTES + room)))
        return ERR_MEMORY;
    for (int i = 0; i < LENGTH_BYTES; i++)
        packed->bytes[i] = (unsigned char)(length >> (24 - 8 * i));
    if (compress2(packed->bytes + LENGTH_BYTES, &room, (const Bytef *)writer->buffer.data,
                  (uLong)length, Z_BEST_SPEED) != Z_OK) {
        packed_bytes_deinit(packed);
        return ERR_MEMORY;
    }
    packed->length = LENGTH_BYTES + room;
    return 0;
}

int packed_bytes_uncompress(const struct packed_bytes *packed, unsigned char **bytes,
                            size_t *length, struct error *error)
{
    uLongf room = 0;
    *bytes = NULL;
    if (packed->length <= LENGTH_BYTES)
        return error_set(error, ERR_FORMAT, "state: %zu bytes", packed->length);
    for (int i = 0; i < LENGTH_BYTES; i++)
        room = room << 8 | packed->bytes[i];
    *length = room;
    if (room == 0 || room > STATE_BYTES_MAX)
        return error_set(error, ERR_LIMIT, "state: %zu bytes, at most %u", *length,
                         STATE_BYTES_MAX);
    *bytes = malloc(room);
    if (!*bytes)
        return error_set(error, ERR_MEMORY, "state: %s", error_text(ERR_MEMORY));
    if (uncompress(*bytes, &room, packed->bytes + LENGTH_BYTES,
                   (uLong)(packed->length - LENGTH_BYTES)) == Z_OK &&
        room == *length)
        return 0;
    free(*bytes);
    *bytes = NULL;
    return error_set(error, ERR_FORMAT, "state: it cannot be uncompressed");
}
