/* common/formats/pack: what is written is read back; lies about sizes, depth, types and ends are
 * refused before anything is allocated; random and damaged bytes never crash. runs: watched */
#include "common/formats/pack.h"

#include "tests/packed.h"
#include "tests/plain_fixture.h"

static struct pack_writer writer;
static struct pack_reader reader;

static void setup(void)
{
    memset(&error, 0, sizeof error);
    pack_writer_init(&writer);
}

static void teardown(void)
{
    pack_writer_deinit(&writer);
}

static int open_written(void)
{
    return pack_open(&reader, writer.buffer.data, writer.buffer.size, &error);
}

TEST(round_trip)
{
    static const uint64_t unsigned_numbers[] = {0, 127, 128, 255, 65536, UINT32_MAX, UINT64_MAX};
    static const int64_t signed_numbers[] = {-1, -32, -33, -129, INT32_MIN, INT64_MIN, INT64_MAX};
    static const double doubles[] = {0.1, -1.0 / 3.0, 5e-324, 1.7976931348623157e308};
    put(&writer, MAP(5), TEXT("u"), ARRAY(7));
    for (int i = 0; i < 7; i++)
        pack_u64(&writer, unsigned_numbers[i]);
    put(&writer, TEXT("i"), ARRAY(7));
    for (int i = 0; i < 7; i++)
        pack_i64(&writer, signed_numbers[i]);
    put(&writer, TEXT("d"), ARRAY(4));
    for (int i = 0; i < 4; i++)
        pack_double(&writer, doubles[i]);
    pack_text(&writer, "flag");
    pack_bool(&writer, 1);
    put(&writer, TEXT("text"), TEXT("h\xc3\xb6hle"));
    ck_assert_int_eq(writer.has_failed, 0);
    ck_ok(open_written());

    const msgpack_object *items;
    size_t count;
    ck_ok(pack_get_array(pack_find(reader.root, "u"), 7, 7, &items, &count, "u", &error));
    for (int i = 0; i < 7; i++) {
        uint64_t value;
        ck_assert_int_eq(pack_get_u64(&items[i], UINT64_MAX, &value, "u", &error), 0);
        ck_assert_uint_eq(value, unsigned_numbers[i]);
    }
    ck_ok(pack_get_array(pack_find(reader.root, "i"), 7, -1, &items, &count, "i", &error));
    for (int i = 0; i < 7; i++) {
        int64_t value;
        ck_assert_int_eq(pack_get_i64(&items[i], &value, "i", &error), 0);
        ck_assert_int_eq(value, signed_numbers[i]);
    }
    ck_ok(pack_get_array(pack_find(reader.root, "d"), 9, -1, &items, &count, "d", &error));
    ck_assert_uint_eq(count, 4);
    for (int i = 0; i < 4; i++) {
        double value;
        ck_assert_int_eq(pack_get_double(&items[i], &value, "d", &error), 0);
        ck_assert_mem_eq(&value, &doubles[i], sizeof value);
    }
    int flag = 0;
    char text[7];
    ck_assert_int_eq(pack_get_bool(pack_find(reader.root, "flag"), &flag, "flag", &error), 0);
    ck_assert_int_eq(flag, 1);
    ck_assert_int_eq(pack_get_text(pack_find(reader.root, "text"), text, 7, "text", &error), 0);
    ck_assert_str_eq(text, "h\xc3\xb6hle");
    ck_assert_ptr_null(pack_find(reader.root, "tex"));
    ck_assert_ptr_null(pack_find(pack_find(reader.root, "u"), "u"));
    ck_assert_ptr_null(pack_find(NULL, "u"));
    pack_close(&reader);
}

/* A writer that is cleared begins anew; what was packed before goes in as it is. */
TEST(packed_parts_go_in_whole)
{
    SCOPED(pack_writer) part;
    pack_writer_init(&part);
    pack_text(&part, "kept");
    pack_u64(&writer, 7);
    pack_writer_clear(&writer);
    ck_assert_uint_eq(writer.buffer.size, 0);
    pack_array(&writer, 2);
    pack_raw(&writer, part.buffer.data, part.buffer.size);
    pack_u64(&writer, 7);
    ck_assert_int_eq(writer.has_failed, 0);
    ck_assert_uint_eq(writer.buffer.size, 1 + 5 + 1);
    ck_assert_mem_eq(writer.buffer.data, "\x92\xa4kept\x07", 7);
}

TEST(doubles_are_always_64_bits)
{
    pack_double(&writer, 1);
    ck_assert_uint_eq(writer.buffer.size, 9);
    ck_assert_uint_eq((unsigned char)writer.buffer.data[0], 0xcb);
}

TEST(doubles_accept_integers_but_only_finite_numbers)
{
    double value = 7;
    put(&writer, ARRAY(5), U64(3), I64(-3), DOUBLE(NAN), DOUBLE(-INFINITY), NIL);
    ck_assert_int_eq(open_written(), 0);
    const msgpack_object *items = reader.root->via.array.ptr;
    ck_assert_int_eq(pack_get_double(&items[0], &value, "x", &error), 0);
    ck_assert(value == 3);
    ck_assert_int_eq(pack_get_double(&items[1], &value, "x", &error), 0);
    ck_assert(value == -3);
    ck_refused_as(pack_get_double(&items[2], &value, "x", &error), ERR_RANGE,
                  "x: expected a finite number");
    ck_assert_int_eq(pack_get_double(&items[3], &value, "x", &error), ERR_RANGE);
    ck_refused_as(pack_get_double(&items[4], &value, "x", &error), ERR_FORMAT,
                  "x: expected a number");
    ck_assert(value == -3);
    pack_close(&reader);
}

/* [300, -1, "abcdef", true, [1, 2, 3], bytes, a text with a line feed] */
TEST(wrong_types_and_ranges_are_named)
{
    put(&writer, ARRAY(7), U64(300), I64(-1), TEXT("abcdef"));
    pack_bool(&writer, 1);
    pack_array(&writer, 3);
    for (int i = 0; i < 3; i++)
        pack_u64(&writer, 1);
    pack_bytes(&writer, "\0\1", 2);
    pack_text(&writer, "a\nb");
    ck_assert_int_eq(open_written(), 0);
    const msgpack_object *items = reader.root->via.array.ptr, *found;
    uint64_t number;
    int64_t whole;
    int flag;
    char text[6];
    size_t count;
    ck_refused_as(pack_get_u64(&items[0], 255, &number, "n", &error), ERR_RANGE,
                  "n: expected at most 255, not 300");
    ck_refused_as(pack_get_u64(&items[1], 255, &number, "n", &error), ERR_FORMAT,
                  "n: expected a whole number, not negative");
    ck_refused_as(pack_get_u64(NULL, 255, &number, "n", &error), ERR_MISSING, "n: missing");
    ck_assert_int_eq(pack_get_i64(&items[2], &whole, "n", &error), ERR_FORMAT);
    ck_refused_as(pack_get_bool(&items[0], &flag, "f", &error), ERR_FORMAT,
                  "f: expected true or false");
    ck_refused_as(pack_get_text(&items[2], text, sizeof text, "t", &error), ERR_LIMIT,
                  "t: expected a text of at most 5 bytes, not 6");
    ck_assert_int_eq(pack_get_text(&items[3], text, sizeof text, "t", &error), ERR_FORMAT);
    ck_assert_int_eq(pack_get_text(&items[5], text, sizeof text, "t", &error), ERR_FORMAT);
    ck_refused_as(pack_get_text(&items[6], text, sizeof text, "t", &error), ERR_FORMAT,
                  "t: expected UTF-8 without control or invisible characters");
    ck_refused_as(pack_get_array(&items[4], 2, -1, &found, &count, "a", &error), ERR_LIMIT,
                  "a: expected at most 2 elements, not 3");
    ck_refused_as(pack_get_array(&items[4], 9, 4, &found, &count, "a", &error), ERR_FORMAT,
                  "a: expected 4 elements, not 3");
    ck_assert_int_eq(pack_get_array(&items[0], 9, 4, &found, &count, "a", &error), ERR_FORMAT);
    pack_close(&reader);
}

TEST(large_unsigned_numbers_are_no_signed_ones)
{
    int64_t whole = 0;
    pack_u64(&writer, (uint64_t)INT64_MAX + 1);
    ck_assert_int_eq(open_written(), 0);
    ck_assert_int_eq(pack_get_i64(reader.root, &whole, "n", &error), ERR_RANGE);
    pack_close(&reader);
}

/* The must-fail corpus: bytes, and a part of the message. */
static const struct {
    const char *bytes;
    size_t length;
    const char *message;
} bad[] = {
    {"", 0, "byte 0: cut short"},
    {"\x92\x01", 2, "larger than the bytes"},
    {"\x92\x01\xcc", 3, "byte 3: cut short"},
    {"\xa5hell", 5, "cut short"},
    {"\xd9", 1, "cut short"},
    {"\xda\x01", 2, "cut short"},
    {"\xdb\xff\xff\xff\xff", 5, "cut short"},
    {"\xc6\xff\xff\xff\xff", 5, "cut short"},
    {"\xcb\x01\x02\x03", 4, "cut short"},
    {"\xca\x01\x02\x03", 4, "cut short"},
    {"\xcf\x01\x02\x03", 4, "cut short"},
    {"\xd3", 1, "cut short"},
    {"\xdd\xff\xff\xff\xff", 5, "larger than the bytes"},
    {"\xdf\xff\xff\xff\xff", 5, "larger than the bytes"},
    {"\xdf\x80\x00\x00\x00", 5, "larger than the bytes"},
    {"\xdc\x00\x03\x01\x01", 5, "larger than the bytes"},
    {"\x82\x01\x02", 3, "larger than the bytes"},
    {"\x81\x01", 2, "larger than the bytes"},
    {"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x01", 18, "too deep"},
    {"\xc1", 1, "byte 0: a type that is not used"},
    {"\xd4\x01\x02", 3, "a type that is not used"},
    {"\xd8\x01", 2, "a type that is not used"},
    {"\xc7\x01\x05\x00", 4, "a type that is not used"},
    {"\x91\xc9\x00\x00\x00\x01\x05\x00", 8, "byte 1: a type that is not used"},
    {"\x01\x02", 2, "byte 1: bytes after the end"},
    {"\x90\x90", 2, "bytes after the end"},
};

TEST(lies_are_refused)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        // in a block of just that size, so that a sanitizer sees every step too far
        FREED char *exact = malloc(bad[i].length + 1);
        memcpy(exact + 1, bad[i].bytes, bad[i].length);
        ck_assert_msg(pack_open(&reader, exact + 1, bad[i].length, &error) < 0, "case %zu", i);
        ck_assert_msg(strstr(error.message, bad[i].message), "case %zu: %s", i, error.message);
    }
}

TEST(depth_just_allowed)
{
    for (int i = 0; i < PACK_DEPTH_MAX; i++)
        pack_array(&writer, 1);
    pack_nil(&writer);
    ck_ok(open_written());
    pack_close(&reader);
}

TEST(every_truncation_is_refused)
{
    put(&writer, MAP(2), TEXT("a"), ARRAY(3), DOUBLE(1), U64(UINT64_MAX));
    pack_bytes(&writer, "12345", 5);
    pack_text(&writer, "b");
    pack_bool(&writer, 0);
    for (size_t length = 0; length < writer.buffer.size; length++)
        ck_assert_int_lt(pack_open(&reader, writer.buffer.data, length, &error), 0);
    ck_assert_int_eq(open_written(), 0);
    pack_close(&reader);
}

/* Walks what was opened, so that every object is touched. */
static size_t count_objects(const msgpack_object *object)
{
    size_t count = 1;
    if (object->type == MSGPACK_OBJECT_ARRAY)
        for (uint32_t i = 0; i < object->via.array.size; i++)
            count += count_objects(&object->via.array.ptr[i]);
    if (object->type == MSGPACK_OBJECT_MAP)
        for (uint32_t i = 0; i < object->via.map.size; i++)
            count += count_objects(&object->via.map.ptr[i].key) +
                     count_objects(&object->via.map.ptr[i].val);
    return count;
}

TEST(random_bytes_never_crash)
{
    unsigned char bytes[48];
    int opened = 0;
    struct rng rng = test_rng(1, 0, 0);
    for (int round = 0; round < 200000; round++) {
        size_t length = 1 + rng_below(&rng, sizeof bytes);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (unsigned char)rng_u32(&rng);
        // often a container in front, else most rounds end at once
        if (round % 2)
            bytes[0] = (unsigned char)(0x80 + rng_below(&rng, 32));
        if (pack_open(&reader, bytes, length, &error) != 0)
            continue;
        opened++;
        ck_assert_uint_le(count_objects(reader.root), length);
        pack_close(&reader);
    }
    ck_assert_int_gt(opened, 100);
}

SUITE("pack", 60, setup, teardown)
