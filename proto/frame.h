/* Frames on a byte stream: 4 bytes of length, big-endian, then that many bytes of payload. */
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/formats/pack.h"

#define FRAME_HEADER_BYTES 4
#define FRAME_PAYLOAD_MAX  (16 << 20)

/* Collects bytes as they arrive and gives out whole frames. Memory grows with the frame at hand, up
 * to the limit, which is checked before memory is taken. */
struct frame_reader {
    struct pack_writer bytes;
    size_t start; /* of those that were not given out */
};
void frame_reader_init(struct frame_reader *reader);
void frame_reader_deinit(struct frame_reader *reader);
/* Adds bytes. 0 or ERR_MEMORY. */
int frame_reader_feed(struct frame_reader *reader, const void *bytes, size_t length);
/* 1: a frame (payload valid until the next feed or next); 0: needs more bytes; negative: ERR_LIMIT
 * (length above the maximum) or ERR_FORMAT (empty frame), after which the stream is useless. */
int frame_reader_next(struct frame_reader *reader, const unsigned char **payload, size_t *length,
                      struct error *error);
/* Bytes that wait for the rest of their frame. */
size_t frame_reader_pending(const struct frame_reader *reader);

void frame_write_header(unsigned char header[FRAME_HEADER_BYTES], size_t length);

#endif
