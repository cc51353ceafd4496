/* Frames on a byte stream.
 *
 * Typical frames are 200 to 2000 bytes, setup 3 kB, and a read brings 64 kB at most, so that the
 * buffer usually holds a few frames and a piece of the next. Given-out frames are only skipped;
 * the rest is moved to the front when new bytes come. The length is judged as
 * soon as its four bytes are there, before memory for the frame is taken. */
#include "proto/frame.h"

#include <string.h>

void frame_reader_init(struct frame_reader *reader)
{
    pack_writer_init(&reader->bytes);
    reader->start = 0;
}

void frame_reader_deinit(struct frame_reader *reader)
{
    pack_writer_deinit(&reader->bytes);
    reader->start = 0;
}

size_t frame_reader_pending(const struct frame_reader *reader)
{
    return reader->bytes.buffer.size - reader->start;
}

int frame_reader_feed(struct frame_reader *reader, const void *bytes, size_t length)
{
    size_t waiting = frame_reader_pending(reader);
    if (reader->start > 0)
        memmove(reader->bytes.buffer.data, reader->bytes.buffer.data + reader->start, waiting);
    reader->bytes.buffer.size = waiting;
    reader->start = 0;
    if (length > 0)
        pack_raw(&reader->bytes, bytes, length);
    return reader->bytes.has_failed ? ERR_MEMORY : 0;
}

int frame_reader_next(struct frame_reader *reader, const unsigned char **payload, size_t *length,
                      struct error *error)
{
    if (frame_reader_pending(reader) < FRAME_HEADER_BYTES)
        return 0;
    const unsigned char *header = (unsigned char *)reader->bytes.buffer.data + reader->start;
    uint32_t announced = (uint32_t)header[0] << 24 | (uint32_t)header[1] << 16 |
                         (uint32_t)header[2] << 8 | (uint32_t)header[3];
    if (announced == 0)
        return error_set(error, ERR_FORMAT, "frame: length 0, expected 1 .. %d", FRAME_PAYLOAD_MAX);
    if (announced > FRAME_PAYLOAD_MAX)
        return error_set(error, ERR_LIMIT, "frame: length %lu, expected 1 .. %d",
                         (unsigned long)announced, FRAME_PAYLOAD_MAX);
    if (frame_reader_pending(reader) - FRAME_HEADER_BYTES < announced)
        return 0;
    *payload = header + FRAME_HEADER_BYTES;
    *length = announced;
    reader->start += FRAME_HEADER_BYTES + announced;
    return 1;
}

void frame_write_header(unsigned char header[FRAME_HEADER_BYTES], size_t length)
{
    ENSURE(length > 0 && length <= FRAME_PAYLOAD_MAX, "frame of %zu bytes", length);
    header[0] = (unsigned char)(length >> 24);
    header[1] = (unsigned char)(length >> 16);
    header[2] = (unsigned char)(length >> 8);
    header[3] = (unsigned char)length;
}
