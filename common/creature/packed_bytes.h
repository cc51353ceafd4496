/* Bytes as they travel and are kept: genomes as MessagePack; states of worlds and eggs as that,
 * compressed by zlib behind 4 bytes of its length. Only the simulator reads what is in the latter
 * (simulator/preserve/preserve_state.h). */
#ifndef COMMON_CREATURE_PACKED_BYTES_H
#define COMMON_CREATURE_PACKED_BYTES_H

#include <stddef.h>

#include "common/error.h"
#include "common/formats/pack.h"

struct packed_bytes {
    unsigned char *bytes; /* heap; NULL: there are none */
    size_t length;
};
/* `copy` must be empty. 0 or ERR_MEMORY. */
int packed_bytes_set(struct packed_bytes *copy, const void *bytes, size_t length);
void packed_bytes_deinit(struct packed_bytes *packed);

/* Compresses what was written; `packed` must be empty. 0 or ERR_MEMORY. */
int packed_bytes_compress(struct packed_bytes *packed, const struct pack_writer *writer);
/* Begins to read what was compressed, which the stream unpacks piece by piece; close the stream if
 * this is 0. ERR_FORMAT, ERR_LIMIT or ERR_MEMORY with a message. */
int packed_bytes_open(const struct packed_bytes *packed, struct pack_stream *stream,
                      struct error *error);
/* Uncompresses onto the heap. ERR_FORMAT, ERR_LIMIT or ERR_MEMORY with a message; *bytes is
 * NULL then. */
int packed_bytes_uncompress(const struct packed_bytes *packed, unsigned char **bytes,
                            size_t *length, struct error *error);

#endif
