/* Frames on a byte stream.
 *
 * Typical frames are 200 to 2000 bytes, setup 3 kB, and a read brings 64 kB at most, so that the
 * buffer usually holds a few frames and a piece of the next. Given-out frames are only skipped;
 * the rest is moved to the front when new bytes do not fit behind it. The length is judged as
 * soon as its four bytes are there, before memory for the frame is taken. */
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_READER_ROOM_MIN 4096

void frame_reader_init(struct frame_reader *reader)
{
    memset(reader, 0, sizeof *reader);
}

void frame_reader_deinit(struct frame_reader *reader)
{
    free(reader->bytes);
    frame_reader_init(reader);
}

size_t frame_reader_pending(const struct frame_reader *reader)
{
    return reader->used - reader->start;
}

/* Makes room for `length` more bytes behind those that wait. */
static int frame_reader_reserve(struct frame_reader *reader, size_t length)
{
    size_t waiting = frame_reader_pending(reader);
    if (length <= reader->room - reader->used)
        return 0;
    if (reader->start > 0) {
        memmove(reader->bytes, reader->bytes + reader->start, waiting);
        reader->start = 0;
        reader->used = waiting;
    }
    if (length <= reader->room - reader->used)
        return 0;
    if (length > SIZE_MAX / 2 - waiting)
        return ERR_MEMORY;
    size_t room = reader->room > 0 ? reader->room : FRAME_READER_ROOM_MIN;
    while (room < waiting + length)
        room *= 2;
    unsigned char *bytes = realloc(reader->bytes, room);
    if (bytes == NULL)
        return ERR_MEMORY;
    reader->bytes = bytes;
    reader->room = room;
    return 0;
}

int frame_reader_feed(struct frame_reader *reader, const void *bytes, size_t length)
{
    if (length == 0)
        return 0;
    int status = frame_reader_reserve(reader, length);
    if (status != 0)
        return status;
    memcpy(reader->bytes + reader->used, bytes, length);
    reader->used += length;
    return 0;
}

int frame_reader_next(struct frame_reader *reader, const unsigned char **payload, size_t *length,
                      struct error *error)
{
    if (frame_reader_pending(reader) < FRAME_HEADER_BYTES)
        return 0;
    const unsigned char *header = reader->bytes + reader->start;
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
