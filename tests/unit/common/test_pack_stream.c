/* Objects read one by one: what a writer wrote comes back, from bytes and from zlib, and what is cut
 * short, goes on, or is of another kind is refused. runs: watched */
#include "common/formats/pack.h"

#include <zlib.h>
#include "tests/plain_fixture.h"

static struct pack_writer writer;

static void setup(void)
{
    pack_writer_deinit(&writer);
    pack_writer_init(&writer);
}

static const int64_t wholes[] = {0,         1,          127,       128,      255, 256, 65535, 65536,
                                 INT32_MAX, UINT32_MAX, INT64_MAX, -1,       -32, -33, -128,  -129,
                                 -32768,    -32769,     INT32_MIN, INT64_MIN};
enum { WHOLES = sizeof wholes / sizeof wholes[0] };

static void write_objects(void)
{
    pack_array(&writer, WHOLES + 3);
    for (int i = 0; i < WHOLES; i++)
        pack_i64(&writer, wholes[i]);
    pack_double(&writer, -0.1);
    pack_bool(&writer, 1);
    pack_nil(&writer);
}

static void read_objects(struct pack_stream *stream)
{
    msgpack_object object;
    int64_t whole;
    double real;
    int truth;
    ck_assert_int_eq(pack_stream_take(stream, &object, &error), 0);
    ck_assert_int_eq(object.type, MSGPACK_OBJECT_ARRAY);
    ck_assert_uint_eq(object.via.array.size, WHOLES + 3);
    for (int i = 0; i < WHOLES; i++) {
        ck_assert_int_eq(pack_stream_take(stream, &object, &error), 0);
        ck_ok(pack_get_i64(&object, &whole, "here", &error));
        ck_assert_int_eq(whole, wholes[i]);
    }
    ck_assert_int_eq(pack_stream_take(stream, &object, &error), 0);
    ck_assert_int_eq(pack_get_double(&object, &real, "here", &error), 0);
    ck_assert(real == -0.1);
    ck_assert_int_eq(pack_stream_take(stream, &object, &error), 0);
    ck_assert_int_eq(pack_get_bool(&object, &truth, "here", &error), 0);
    ck_assert_int_eq(truth, 1);
    ck_assert_int_eq(pack_stream_take(stream, &object, &error), 0);
    ck_assert_int_eq(object.type, MSGPACK_OBJECT_NIL);
}

TEST(what_was_written_comes_back)
{
    struct pack_stream stream;
    write_objects();
    pack_stream_open(&stream, writer.buffer.data, writer.buffer.size);
    read_objects(&stream);
    ck_assert_int_eq(pack_stream_end(&stream, &error), 0);
    pack_stream_close(&stream);
}

TEST(what_is_cut_short_or_goes_on_is_refused)
{
    struct pack_stream stream;
    msgpack_object object;
    write_objects();
    for (size_t length = 0; length < writer.buffer.size; length++) {
        int status = 0;
        pack_stream_open(&stream, writer.buffer.data, length);
        for (int i = 0; i < WHOLES + 4 && status == 0; i++)
            status = pack_stream_take(&stream, &object, &error);
        ck_assert_int_eq(status, ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "cut short"));
    }
    pack_nil(&writer);
    pack_stream_open(&stream, writer.buffer.data, writer.buffer.size);
    read_objects(&stream);
    ck_assert_int_eq(pack_stream_end(&stream, &error), ERR_FORMAT);
}

TEST(texts_and_bytes_are_no_numbers)
{
    struct pack_stream stream;
    msgpack_object object;
    pack_text(&writer, "seven");
    pack_stream_open(&stream, writer.buffer.data, writer.buffer.size);
    ck_assert_int_eq(pack_stream_take(&stream, &object, &error), ERR_FORMAT);
}

/* Packed bytes on the heap. */
static unsigned char *compress_all(uLongf *length)
{
    *length = compressBound((uLong)writer.buffer.size);
    unsigned char *packed = malloc(*length);
    ck_assert_int_eq(
        compress2(packed, length, (const Bytef *)writer.buffer.data, (uLong)writer.buffer.size, 1),
        Z_OK);
    return packed;
}

/* More than a window holds: a hundred times the objects, and a whole one between them. */
TEST(the_same_through_zlib)
{
    enum { ROUNDS = 12000 };
    struct pack_stream stream;
    const unsigned char *bytes;
    uLongf packed_length;
    size_t length;
    for (int i = 0; i < ROUNDS; i++) {
        write_objects();
        pack_array(&writer, 1);
        pack_text(&writer, "whole");
    }
    FREED unsigned char *packed = compress_all(&packed_length);
    ck_assert(writer.buffer.size > 4 * PACK_STREAM_WHOLE_MAX);
    ck_ok(pack_stream_open_packed(&stream, packed, packed_length, writer.buffer.size, &error));
    for (int i = 0; i < ROUNDS; i++) {
        read_objects(&stream);
        ck_assert_int_eq(pack_stream_take_whole(&stream, &bytes, &length, &error), 0);
        ck_assert(length == 7 && memcmp(bytes, "\x91\xa5whole", 7) == 0);
    }
    ck_assert_int_eq(pack_stream_end(&stream, &error), 0);
    pack_stream_close(&stream);
}

static int read_all(const unsigned char *packed, size_t packed_length, size_t length)
{
    struct pack_stream stream;
    msgpack_object object;
    int status = pack_stream_open_packed(&stream, packed, packed_length, length, &error);
    for (int i = 0; i < WHOLES + 4 && status == 0; i++)
        status = pack_stream_take(&stream, &object, &error);
    status = status ? status : pack_stream_end(&stream, &error);
    pack_stream_close(&stream);
    return status;
}

TEST(a_wrong_length_and_a_cut_end_are_refused)
{
    uLongf packed_length;
    write_objects();
    FREED unsigned char *packed = compress_all(&packed_length);
    size_t length = writer.buffer.size;
    ck_assert_int_eq(read_all(packed, packed_length, length), 0);
    ck_assert_int_ne(read_all(packed, packed_length, length - 1), 0);
    ck_assert_int_ne(read_all(packed, packed_length, length + 1), 0);
    for (size_t cut = 0; cut < packed_length; cut++)
        ck_assert_msg(read_all(packed, cut, length) != 0, "cut after %zu bytes", cut);
}

TEST(a_whole_object_has_a_longest_length)
{
    struct pack_stream stream;
    const unsigned char *bytes;
    size_t length;
    FREED char *much = calloc(1, PACK_STREAM_WHOLE_MAX);
    pack_bytes(&writer, much, PACK_STREAM_WHOLE_MAX);
    pack_stream_open(&stream, writer.buffer.data, writer.buffer.size);
    ck_assert_int_ne(pack_stream_take_whole(&stream, &bytes, &length, &error), 0);
}

SUITE("pack_stream", 0, setup, NULL)
