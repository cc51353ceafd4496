/* Frames: whole, in pieces, many at once, and the lengths that are refused. runs: watched */
#include "proto/frame.h"
#include "tests/plain_fixture.h"

static struct frame_reader reader;

static void setup(void)
{
    frame_reader_init(&reader);
}

static void teardown(void)
{
    frame_reader_deinit(&reader);
}

static unsigned char *make_frame(size_t length, unsigned char fill)
{
    unsigned char *bytes = malloc(FRAME_HEADER_BYTES + length);
    ck_assert_ptr_nonnull(bytes);
    frame_write_header(bytes, length);
    memset(bytes + FRAME_HEADER_BYTES, fill, length);
    return bytes;
}

static int next(const unsigned char **payload, size_t *length)
{
    error = (struct error){0};
    int status = frame_reader_next(&reader, payload, length, &error);
    ck_assert_int_eq(error.code, status < 0 ? status : 0);
    return status;
}

static void expect_frame(size_t expected_length, unsigned char fill)
{
    const unsigned char *payload;
    size_t length;
    ck_assert_int_eq(next(&payload, &length), 1);
    ck_assert_uint_eq(length, expected_length);
    size_t wrong = 0;
    for (size_t i = 0; i < length; i++)
        wrong += payload[i] != fill;
    ck_assert_uint_eq(wrong, 0);
}

static void expect_nothing(void)
{
    const unsigned char *payload;
    size_t length;
    ck_assert_int_eq(next(&payload, &length), 0);
}

TEST(header_is_big_endian)
{
    unsigned char header[FRAME_HEADER_BYTES];
    frame_write_header(header, 0x0a0b0c);
    ck_assert_mem_eq(header, "\x00\x0a\x0b\x0c", 4);
}

TEST(byte_by_byte)
{
    FREED unsigned char *bytes = make_frame(300, 7);
    for (size_t i = 0; i < FRAME_HEADER_BYTES + 300; i++) {
        expect_nothing();
        ck_assert_uint_eq(frame_reader_pending(&reader), i);
        ck_assert_int_eq(frame_reader_feed(&reader, bytes + i, 1), 0);
    }
    expect_frame(300, 7);
    expect_nothing();
    ck_assert_uint_eq(frame_reader_pending(&reader), 0);
}

/* Frames of many sizes as one stream, cut into pieces of many sizes. */
TEST(every_cut_of_a_stream)
{
    enum { FRAMES = 60 };
    FREED unsigned char *stream = malloc(1 << 20);
    size_t size = 0;
    for (int i = 0; i < FRAMES; i++) {
        size_t length = 1 + (size_t)(i * i * 7) % 9000;
        FREED unsigned char *bytes = make_frame(length, (unsigned char)i);
        memcpy(stream + size, bytes, FRAME_HEADER_BYTES + length);
        size += FRAME_HEADER_BYTES + length;
    }
    for (size_t piece = 1; piece < size; piece = piece * 3 + 1) {
        int found = 0;
        for (size_t at = 0; at < size; at += piece) {
            const unsigned char *payload;
            size_t length, rest = size - at;
            int is_good = frame_reader_feed(&reader, stream + at, rest < piece ? rest : piece) == 0;
            while (is_good && frame_reader_next(&reader, &payload, &length, &error) == 1) {
                is_good = length == 1 + (size_t)(found * found * 7) % 9000 &&
                          payload[0] == (unsigned char)found &&
                          payload[length - 1] == (unsigned char)found;
                found++;
            }
            if (!is_good || error.code != 0)
                ck_abort_msg("piece %zu, frame %d: %s", piece, found, error.message);
        }
        ck_assert_int_eq(found, FRAMES);
        ck_assert_uint_eq(frame_reader_pending(&reader), 0);
    }
}

TEST(largest_frame_is_taken)
{
    FREED unsigned char *bytes = make_frame(FRAME_PAYLOAD_MAX, 1);
    ck_assert_int_eq(frame_reader_feed(&reader, bytes, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX), 0);
    expect_frame(FRAME_PAYLOAD_MAX, 1);
}

static void expect_refusal(const char *header, int code)
{
    const unsigned char *payload;
    size_t length;
    ck_assert_int_eq(frame_reader_feed(&reader, header, FRAME_HEADER_BYTES), 0);
    ck_assert_int_eq(next(&payload, &length), code);
    ck_assert_int_eq(next(&payload, &length), code);
}

/* Judged by the header alone: no memory is taken for what is announced. */
TEST(too_long_is_refused)
{
    expect_refusal("\x01\x00\x00\x01", ERR_LIMIT);
    ck_assert_uint_le(reader.bytes.buffer.alloc, 8192);
}

TEST(four_gigabytes_are_refused)
{
    expect_refusal("\xff\xff\xff\xff", ERR_LIMIT);
    ck_assert_uint_le(reader.bytes.buffer.alloc, 8192);
}

TEST(empty_is_refused)
{
    expect_refusal("\x00\x00\x00\x00", ERR_FORMAT);
}

TEST(refusal_comes_after_good_frames)
{
    FREED unsigned char *bytes = make_frame(5, 9);
    ck_assert_int_eq(frame_reader_feed(&reader, bytes, FRAME_HEADER_BYTES + 5), 0);
    ck_assert_int_eq(frame_reader_feed(&reader, "GET / HTTP/1.1\r\n", 16), 0);
    expect_frame(5, 9);
    const unsigned char *payload;
    size_t length;
    ck_assert_int_eq(next(&payload, &length), ERR_LIMIT);
}

TEST(nothing_is_nothing)
{
    ck_assert_int_eq(frame_reader_feed(&reader, NULL, 0), 0);
    expect_nothing();
    frame_reader_deinit(&reader);
    frame_reader_deinit(&reader);
}

SUITE("frame", 0, setup, teardown)
