/* common/formats/pack_fields: one function writes, reads and checks; what is read is bounded, and errors name the
 * field. */
#include "common/formats/pack_fields.h"
#include "tests/plain_fixture.h"

struct thing {
    uint64_t id;
    uint8_t kind;
    uint32_t world;
    int64_t tick;
    int children, is_hunter, count;
    double way_m, *numbers;
    char name[8];
};

static struct pack_writer writer;
static struct pack_reader reader;

static void setup(void)
{
    pack_writer_deinit(&writer);
    memset(&error, 0, sizeof error);
    pack_writer_init(&writer);
}

static void visit(struct pack_fields *f, struct thing *thing)
{
    struct pack_fields in = pack_fields_record(f, "thing", 9);
    pack_fields_u64(&in, "id", &thing->id, 1000);
    pack_fields_u8(&in, "kind", &thing->kind, 3);
    pack_fields_u32(&in, "world", &thing->world, 64);
    pack_fields_i64(&in, "tick", &thing->tick, -5, 5);
    pack_fields_int(&in, "children", &thing->children, 0, 9);
    pack_fields_bool(&in, "is_hunter", &thing->is_hunter);
    pack_fields_real(&in, "way_m", &thing->way_m, -1, 1);
    pack_fields_text(&in, "name", thing->name, sizeof thing->name);
    struct pack_fields list = pack_fields_list(&in, "thing.numbers", &thing->count, 3);
    if (f->is_reading)
        thing->numbers = pack_fields_memory(&list, thing->count, sizeof thing->numbers[0]);
    for (int i = 0; thing->numbers && i < thing->count; i++)
        pack_fields_real(&list, "number", &thing->numbers[i], 0, 10);
    pack_fields_close(&in, &list);
    pack_fields_close(f, &in);
}

static double numbers[] = {1, 2.5};

static struct thing good(void)
{
    return (struct thing){.id = 7,
                          .kind = 2,
                          .world = 64,
                          .tick = -5,
                          .children = 9,
                          .is_hunter = 1,
                          .count = 2,
                          .way_m = -0.5,
                          .numbers = numbers,
                          .name = "worm"};
}

/* Writes it, and reads it again. */
static int pass_on(struct thing *thing, struct thing *copy)
{
    pack_writer_clear(&writer);
    visit(&(struct pack_fields){.writer = &writer}, thing);
    ck_assert_int_eq(pack_open(&reader, writer.buffer.data, writer.buffer.size, &error), 0);
    struct pack_fields f = {.is_reading = 1, .elements = reader.root, .left = 1, .error = &error};
    *copy = (struct thing){.id = 0};
    visit(&f, copy);
    pack_close(&reader);
    return f.rc;
}

TEST(what_is_written_is_read)
{
    struct thing thing = good(), copy;
    ck_ok(pass_on(&thing, &copy));
    ck_assert(copy.id == 7 && copy.kind == 2 && copy.world == 64 && copy.tick == -5);
    ck_assert(copy.children == 9 && copy.is_hunter == 1 && copy.way_m == -0.5);
    ck_assert_str_eq(copy.name, "worm");
    ck_assert(copy.count == 2 && copy.numbers[1] == 2.5);
    free(copy.numbers);
}

static const char *const faults[] = {"thing.id: ",     "thing.kind: ",  "thing.world: ",
                                     "thing.tick: ",   "thing.tick: ",  "thing.children: ",
                                     "thing.way_m: ",  "thing.way_m: ", "thing.numbers.number: ",
                                     "thing.numbers: "};

static struct thing bad(int fault)
{
    static double too_large[] = {1, 11, 0, 0};
    struct thing thing = good();
    thing.id += fault == 0 ? 1000 : 0;
    thing.kind += fault == 1 ? 2 : 0;
    thing.world += fault == 2;
    thing.tick += fault == 3 ? -1 : fault == 4 ? 11 : 0;
    thing.children += fault == 5;
    thing.way_m += fault == 6 ? -0.75 : fault == 7 ? 2 : 0;
    thing.numbers = fault >= 8 ? too_large : numbers;
    thing.count = fault == 9 ? 4 : 2;
    return thing;
}

/* Whether it is read or checked. */
TEST_LOOP(a_value_out_of_its_bounds_is_named, 0, 9)
{
    struct thing thing = bad(_i), copy;
    ck_assert_int_eq(pass_on(&thing, &copy), ERR_RANGE);
    ck_ok(strncmp(error.message, faults[_i], strlen(faults[_i])));
    free(copy.numbers);
    struct pack_fields checks = {.error = &error};
    visit(&checks, &thing);
    ck_assert_int_eq(checks.rc, ERR_RANGE);
    ck_ok(strncmp(error.message, faults[_i], strlen(faults[_i])));
}

TEST(a_list_that_is_too_long_is_refused)
{
    struct thing thing = bad(9), copy;
    ck_assert_int_eq(pass_on(&thing, &copy), ERR_LIMIT);
    ck_ok(strncmp(error.message, faults[9], strlen(faults[9])));
    ck_assert(copy.count == 0 && !copy.numbers);
}

/* The first error stays; what comes after it keeps its value. */
TEST(nothing_is_read_after_an_error)
{
    struct thing thing = bad(1), copy;
    ck_assert_int_eq(pass_on(&thing, &copy), ERR_RANGE);
    ck_assert(copy.id == 7 && copy.tick == 0 && copy.name[0] == '\0' && !copy.numbers);
}

TEST(a_text_must_fit)
{
    char long_name[] = "caterpillar";
    struct pack_fields out = {.writer = &writer};
    pack_fields_text(&out, "name", long_name, sizeof long_name);
    ck_assert_int_eq(pack_open(&reader, writer.buffer.data, writer.buffer.size, &error), 0);
    struct pack_fields f = {
        .is_reading = 1, .elements = reader.root, .left = 1, .where = "thing", .error = &error};
    pack_fields_text(&f, "name", long_name, 4);
    ck_assert_int_eq(f.rc, ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "thing.name: "));
    pack_close(&reader);
}

/* Object by object. */
TEST(a_stream_is_read_alike)
{
    struct pack_stream stream;
    uint64_t id = 7, copy = 0;
    const unsigned char *bytes;
    size_t length = 0;
    struct pack_fields out = {.writer = &writer};
    struct pack_fields record = pack_fields_record(&out, "pair", 2);
    pack_fields_u64(&record, "id", &id, 10);
    ck_assert(!pack_fields_whole(&record, &bytes, &length));
    pack_array(&writer, 2);
    pack_nil(&writer);
    pack_nil(&writer);
    pack_stream_open(&stream, writer.buffer.data, writer.buffer.size);
    struct pack_fields in = {
        .is_reading = 1, .stream = &stream, .left = 1, .where = "pair", .error = &error};
    record = pack_fields_record(&in, "pair", 2);
    pack_fields_u64(&record, "id", &copy, 10);
    ck_assert(pack_fields_whole(&record, &bytes, &length));
    pack_fields_close(&in, &record);
    ck_assert(in.rc == 0 && copy == 7 && length == 3);
    ck_assert_int_eq(pack_stream_end(&stream, &error), 0);
    pack_stream_close(&stream);
}

/* What another decoder said gets the field's name. */
TEST(errors_of_others_are_named)
{
    struct pack_fields f = {.is_reading = 1, .where = "task", .error = &error};
    pack_fields_note(&f, "genome", 0);
    ck_assert_int_eq(f.rc, 0);
    pack_fields_note(&f, "genome", error_set(&error, ERR_FORMAT, "no root"));
    ck_assert_int_eq(f.rc, ERR_FORMAT);
    ck_assert_str_eq(error.message, "task.genome: no root");
}

/* A form of two fields, to which a third was added. */
static void visit_grown(struct pack_fields *f, int64_t values[3])
{
    struct pack_fields in = pack_fields_grown(f, "grown", 3, 2);
    pack_fields_i64(&in, "a", &values[0], 0, 9);
    pack_fields_i64(&in, "b", &values[1], 0, 9);
    pack_fields_i64(&in, "c", &values[2], 0, 9);
    pack_fields_close(f, &in);
}

/* Arrays of 1 to 4 elements: those of two and three are forms. */
TEST_LOOP(later_fields_may_be_missing, 1, 5)
{
    pack_array(&writer, (size_t)_i);
    for (int i = 0; i < _i; i++)
        pack_i64(&writer, i + 1);
    int64_t values[3] = {0, 0, 7};
    ck_assert_int_eq(pack_open(&reader, writer.buffer.data, writer.buffer.size, &error), 0);
    struct pack_fields f = {.is_reading = 1, .elements = reader.root, .left = 1, .error = &error};
    visit_grown(&f, values);
    pack_close(&reader);
    ck_assert_int_eq(f.rc == 0, _i == 2 || _i == 3);
    if (f.rc)
        return;
    ck_assert(values[0] == 1 && values[1] == 2 && values[2] == (_i == 3 ? 3 : 7));
}

SUITE("pack_fields", 10, setup, NULL)
