/* Messages: round trips, refusals that name the field, and every bit flip, byte and truncation of
 * every message. runs: watched */
#include "proto/message.h"

#include "common/version.h"
#include "tests/sanitized.h"
#include "tests/packed.h"
#include "tests/plain_fixture.h"
#include "tests/unit/genome_fixture.h"

static struct pack_writer writer;
static struct message decoded;
static struct task task;
static struct result result;
static struct hello hello;
static struct task epoch_task;
static struct result epoch_result;
static uint64_t rejected_id;

/* Two parts and a muscle with an oscillator: every table of a genome is used. */
static void make_genome(struct genome *genome)
{
    fixture_make_worm(genome, 0.4);
    genome->bodies[1].sensors = SENSOR_BIT(SENSOR_JOINT);
    genome->neurons[0].inputs[2] = fixture_sensor(SCOPE_OWN, SENSOR_JOINT, 0, -0.1);
    ck_ok(genome_check(genome, &error));
}

/* An epoch in which one creature arrives and one must not live, and its end. */
static void make_epoch(void)
{
    struct epoch_order *order = epoch_order_create();
    struct epoch_end *end = epoch_end_create();
    order->world = 3;
    order->epoch = 12;
    order->arrival_count = order->without_count = 1;
    order->without[0] = 99;
    order->deed_count = 2;
    order->deeds[0] = (struct epoch_deed){.kind = DEED_put, .x_m = 1.5, .y_m = 2.5};
    order->deeds[0].genome = malloc(sizeof *order->deeds[0].genome);
    make_genome(order->deeds[0].genome);
    order->deeds[1] = (struct epoch_deed){.kind = DEED_feed, .y_m = 3, .energy_uj = 7000000};
    order->spared_count = 1;
    order->spared[0] = 98;
    ck_assert_int_eq(packed_bytes_set(&order->state, "state", 5), 0);
    ck_assert_int_eq(packed_bytes_set(&order->arrivals[0], "egg", 3), 0);
    ck_assert_int_eq(packed_bytes_set(&end->state, "later", 5), 0);
    ck_assert_int_eq(packed_bytes_set(&end->traveller, "another", 7), 0);
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        end->facts[i] = INT64_C(1000000007) * i;
    struct epoch_life life = {.id = 7,
                              .mother = 5,
                              .family = 2,
                              .born_tick = -3,
                              .died_tick = 44,
                              .cause = 1,
                              .children = 6,
                              .topology = 77,
                              .preyed_tick = 40};
    ck_assert_int_eq(epoch_end_add_life(end, &life), 0);
    struct epoch_form form = {.topology = 77, .life = 7};
    ck_assert_int_eq(packed_bytes_set(&form.egg, "form", 4), 0);
    ck_assert_int_eq(epoch_end_add_form(end, &form), 0);
    ck_assert(epoch_end_has_form(end, 77) && !epoch_end_has_form(end, 78));
    epoch_task = (struct task){.id = 78, .attempt = 1, .seed = 4, .epoch = order};
    epoch_result = (struct result){.id = 78, .digest = 55, .epoch = end};
}

static void setup(void)
{
    pack_writer_init(&writer);
    params_set_defaults(&params);
    params.simulation_duration_s = 7.5;
    params.world_friction = 0.3;
    params.farm_deadline_s = 12;
    task = (struct task){.id = 77,
                         .creature = 5,
                         .attempt = 2,
                         .seed = UINT64_MAX - 3,
                         .trial = {TRIAL_CHAMPION, 7, 2, 1, 3},
                         .bar = {0.25, 1.5},
                         .rivals = {{.creature = 6}},
                         .rival_count = 1};
    make_genome(&task.genome);
    make_genome(&task.rivals[0].genome);
    task.rivals[0].genome.bodies[0].width_m = 0.75;
    result = (struct result){.id = 77,
                             .creature = 5,
                             .verdict = VERDICT_SPINNING,
                             .digest = UINT64_C(0xfedcba9876543210),
                             .pace_least_m_s = 0.75,
                             .cost = {.wall_ms = 12.5, .cpu_ms = 12, .arena_bytes = 65536},
                             .rivals = {{.verdict = VERDICT_ENERGY}},
                             .rival_count = 1};
    for (int i = 0; i < MEASURE_COUNT; i++) {
        measures_set(&result.measures, i, i / 3.0 - 2);
        measures_set(&result.rivals[0].measures, i, 2 - i / 7.0);
    }
    make_epoch();
    hello = (struct hello){.protocol_version = PROTOCOL_VERSION,
                           .pid = 4711,
                           .fingerprint = UINT64_C(0x0123456789abcdef),
                           .host = "n3",
                           .job = "1207",
                           .step = "4"};
    strcpy(hello.build, message_build_id());
}

static void teardown(void)
{
    task_deinit(&task);
    task_deinit(&epoch_task);
    epoch_end_destroy(epoch_result.epoch);
    pack_writer_deinit(&writer);
    message_deinit(&decoded);
}

/* Every message there is, by number. */
static void encode_all(int index)
{
    pack_writer_clear(&writer);
    if (index == 0)
        message_encode(&writer, MESSAGE_HELLO, &hello);
    else if (index == 1)
        message_encode_setup(&writer, &params);
    else if (index == 2)
        message_encode(&writer, MESSAGE_TASK, &task);
    else if (index == 3)
        message_encode(&writer, MESSAGE_STOP, NULL);
    else if (index == 4)
        message_encode(&writer, MESSAGE_READY, &(struct ready){99});
    else if (index == 5)
        message_encode(&writer, MESSAGE_RESULT, &result);
    else if (index == 6)
        message_encode(&writer, MESSAGE_EPOCH, &epoch_task);
    else if (index == 7)
        message_encode(&writer, MESSAGE_EPOCH_END, &epoch_result);
    else
        message_encode_rejected(&writer, 77, "task.genome: no root");
}
enum { MESSAGE_KINDS = 9 };

/* Decodes what the writer holds, which must be exactly one frame. */
static int decode(void)
{
    SCOPED(frame_reader) reader;
    const unsigned char *payload;
    size_t length;
    frame_reader_init(&reader);
    ck_assert_int_eq(frame_reader_feed(&reader, writer.buffer.data, writer.buffer.size), 0);
    ck_assert_int_eq(frame_reader_next(&reader, &payload, &length, &error), 1);
    ck_assert_uint_eq(frame_reader_pending(&reader), 0);
    return message_decode(&decoded, payload, length, &rejected_id, &error);
}

/* The message that the writer holds, of that type; until the next call. */
static const struct message *decode_good(int type)
{
    message_deinit(&decoded);
    ck_ok(decode());
    ck_assert_int_eq(decoded.type, type);
    return &decoded;
}

static const struct message *encode_and_decode(int index, int type)
{
    encode_all(index);
    return decode_good(type);
}

/* A payload that a test writes by hand, or of a frame behind its header; nobody frees the message.
 * */
static int decode_written(struct message *message, size_t header_bytes)
{
    return message_decode(message, writer.buffer.data + header_bytes,
                          writer.buffer.size - header_bytes, &rejected_id, &error);
}

/* ---- round trips ---- */

static void assert_same_hello(const struct hello *a, const struct hello *b)
{
    ck_assert_uint_eq(a->protocol_version, b->protocol_version);
    ck_assert_str_eq(a->build, b->build);
    ck_assert_uint_eq(a->pid, b->pid);
    ck_assert_uint_eq(a->fingerprint, b->fingerprint);
    ck_assert_str_eq(a->host, b->host);
    ck_assert_str_eq(a->job, b->job);
    ck_assert_str_eq(a->step, b->step);
}

TEST(hello_round_trip)
{
    assert_same_hello(&encode_and_decode(0, MESSAGE_HELLO)->as.hello, &hello);
}

TEST(setup_round_trip)
{
    const struct message *message = encode_and_decode(1, MESSAGE_SETUP);
    ck_assert_uint_eq(message->as.setup.digest, params_evaluation_digest(&params));
    ck_assert_uint_eq(params_evaluation_digest(&message->as.setup.params),
                      params_evaluation_digest(&params));
    ck_assert_double_eq(message->as.setup.params.simulation_duration_s, 7.5);
    ck_assert_double_eq(message->as.setup.params.farm_deadline_s, 12);
}

TEST(task_round_trip)
{
    const struct task *got = &encode_and_decode(2, MESSAGE_TASK)->as.task;
    ck_assert(got->id == 77 && got->creature == 5 && got->attempt == 2);
    ck_assert_uint_eq(got->seed, UINT64_MAX - 3);
    ck_assert_mem_eq(&got->trial, &task.trial, sizeof task.trial);
    ck_assert(got->bar.m_s == 0.25 && got->bar.sizes_s == 1.5);
    ck_assert_int_eq(genome_is_equal(&got->genome, &task.genome), 1);
    ck_assert(got->rival_count == 1 && got->rivals[0].creature == 6);
    ck_assert(genome_is_equal(&got->rivals[0].genome, &task.rivals[0].genome));
}

TEST(result_round_trip)
{
    const struct result *got = &encode_and_decode(5, MESSAGE_RESULT)->as.result;
    ck_assert(got->id == 77 && got->creature == 5 && got->verdict == VERDICT_SPINNING);
    ck_assert_uint_eq(got->digest, result.digest);
    ck_assert_int_eq(measures_find_difference(&got->measures, &result.measures), -1);
    ck_assert(got->pace_least_m_s == 0.75 && got->cost.wall_ms == 12.5 && got->cost.cpu_ms == 12);
    ck_assert_uint_eq(got->cost.arena_bytes, 65536);
    ck_assert(got->rival_count == 1 && got->rivals[0].verdict == VERDICT_ENERGY);
    ck_assert_int_eq(measures_find_difference(&got->rivals[0].measures, &result.rivals[0].measures),
                     -1);
}

TEST(epoch_round_trip)
{
    const struct message *message = encode_and_decode(6, MESSAGE_EPOCH);
    const struct epoch_order *order = message->as.task.epoch;
    ck_assert_uint_eq(message->as.task.id, 78);
    ck_assert_uint_eq(message->as.task.seed, 4);
    ck_assert(order->world == 3 && order->epoch == 12 && order->founder_count == 0);
    ck_assert(order->state.length == 5 && order->arrival_count == 1);
    ck_assert_mem_eq(order->arrivals[0].bytes, "egg", 3);
    ck_assert(order->without_count == 1 && order->without[0] == 99);
    ck_assert(order->deed_count == 2 && order->spared_count == 1 && order->spared[0] == 98);
    ck_assert(order->deeds[0].kind == DEED_put && order->deeds[0].genome->body_count > 0);
    ck_assert(order->deeds[0].x_m == 1.5 && order->deeds[1].energy_uj == 7000000);
    message = encode_and_decode(7, MESSAGE_EPOCH_END);
    const struct epoch_end *end = message->as.result.epoch;
    ck_assert_uint_eq(message->as.result.digest, 55);
    ck_assert_mem_eq(end->state.bytes, "later", 5);
    ck_assert_mem_eq(end->facts, epoch_result.epoch->facts, sizeof end->facts);
    ck_assert(end->life_count == 1 && end->lives[0].died_tick == 44 && end->lives[0].cause == 1);
    ck_assert(end->lives[0].topology == 77 && end->lives[0].preyed_tick == 40);
    ck_assert(end->form_count == 1 && end->forms[0].topology == 77 && end->forms[0].life == 7);
    ck_assert_mem_eq(end->forms[0].egg.bytes, "form", 4);
}

/* A world is founded in epoch 0, and only then. */
TEST_LOOP(epochs_that_break_a_rule, 0, 6)
{
    struct message message;
    pack_writer_clear(&writer);
    epoch_task.epoch->epoch = _i == 0 ? 0 : 12;
    epoch_task.epoch->world = _i == 1 ? EPOCH_WORLDS_MAX : 3;
    epoch_task.epoch->deeds[0].kind = _i == 2 ? DEED_COUNT : _i == 3 ? DEED_move : DEED_put;
    epoch_task.epoch->deeds[1].energy_uj = _i == 4 ? DEED_ENERGY_MAX_UJ + 1 : 7;
    if (_i == 5)
        packed_bytes_deinit(&epoch_task.epoch->state);
    message_encode(&writer, MESSAGE_EPOCH, &epoch_task);
    ck_assert_int_eq(decode_written(&message, FRAME_HEADER_BYTES), ERR_RANGE);
    ck_assert_uint_eq(rejected_id, 78);
}

TEST(small_round_trips)
{
    encode_and_decode(3, MESSAGE_STOP);
    ck_assert_uint_eq(encode_and_decode(4, MESSAGE_READY)->as.ready.digest, 99);
    const struct message *message = encode_and_decode(8, MESSAGE_REJECTED);
    ck_assert_uint_eq(message->as.rejected.id, 77);
    ck_assert_str_eq(message->as.rejected.reason, "task.genome: no root");
}

/* A reason too long for the other end is cut, between characters. */
TEST(long_reason_is_cut)
{
    char reason[600];
    for (int i = 0; i < 598; i += 2)
        memcpy(reason + i, "\xc3\xa9", 3);
    message_encode_rejected(&writer, 1, reason);
    ck_assert_uint_eq(strlen(decode_good(MESSAGE_REJECTED)->as.rejected.reason), 254);
}

/* Several frames in one buffer, as they leave in one write. */
TEST(frames_append)
{
    SCOPED(frame_reader) reader;
    const unsigned char *payload;
    size_t length;
    message_encode(&writer, MESSAGE_STOP, NULL);
    message_encode(&writer, MESSAGE_READY, &(struct ready){1});
    message_encode(&writer, MESSAGE_STOP, NULL);
    frame_reader_init(&reader);
    ck_assert_int_eq(frame_reader_feed(&reader, writer.buffer.data, writer.buffer.size), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(frame_reader_next(&reader, &payload, &length, &error), 1);
    ck_assert_int_eq(frame_reader_next(&reader, &payload, &length, &error), 0);
}

/* The example bytes of PROTOCOL.md. */
TEST(documented_bytes)
{
    message_encode(&writer, MESSAGE_STOP, NULL);
    message_encode_rejected(&writer, 7, "no root");
    ck_assert_uint_eq(writer.buffer.size, 6 + 15);
    ck_assert_mem_eq(writer.buffer.data, "\x00\x00\x00\x02\x91\x04", 6);
    ck_assert_mem_eq(writer.buffer.data + 6, "\x00\x00\x00\x0b\x93\x22\x07\xa7no root", 15);
}

static const char *read_page(void)
{
    static char text[64 * 1024];
    FILE *file = fopen("proto/PROTOCOL.md", "r");
    ck_assert_msg(file != NULL, "run from the project's directory");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* The page's hello, with the protocol's and the program's version, is what is sent. */
TEST(documented_hello)
{
    const char *at = strstr(read_page(), "\nhello ");
    ck_assert_ptr_nonnull(at);
    at += 7;
    message_encode(&writer, MESSAGE_HELLO, &hello);
    for (size_t i = 0; i < writer.buffer.size; i++) {
        char *end;
        long byte = strtol(at, &end, 16);
        ck_assert_msg(end != at && byte == (unsigned char)writer.buffer.data[i], "byte %zu", i);
        at = end;
    }
    at += strspn(at, " ");
    ck_assert_int_eq(*at, '[');
}

/* The page's result is what is sent: its length, and how many measures it has. */
TEST(documented_result)
{
    struct result sent = {
        .id = 7, .creature = 204, .verdict = 1, .digest = 1, .cost = {.arena_bytes = 4096}};
    message_encode(&writer, MESSAGE_RESULT, &sent);
    const unsigned char *bytes = (const unsigned char *)writer.buffer.data;
    const char *expected = printed(
        "\nresult  %02x %02x %02x %02x  99 21 07 cc cc 01 01 %02x %02x %02x cb 00 ...  "
        "[33, 7, 204, 1, 1, [%d doubles],",
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[11], bytes[12], bytes[13], MEASURE_COUNT);
    ck_assert_msg(strstr(read_page(), expected) != NULL, "not in PROTOCOL.md: %s", expected);
}

/* PROTOCOL.md lists the measures in their order: "1 `parts`, 2 `links`, ...". */
TEST(documented_measures)
{
    const char *at = strstr(read_page(), "<!-- measures -->");
    ck_assert_ptr_nonnull(at);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const char *entry = printed("%d `%s`", i + 1, measure_table[i].name);
        const char *found = strstr(at, entry);
        ck_assert_msg(found != NULL, "%s", entry);
        /* Nothing between two entries but a comma and white space. */
        ck_assert_uint_le((size_t)(found - at), i == 0 ? 18 : 2);
        at = found + strlen(entry);
    }
    ck_assert_int_eq(strncmp(at, "\n<!-- end of measures -->", 25), 0);
}

/* ---- refusals ---- */

/* A payload by hand is refused, with a message that has these words. */
static void expect_refusal(int code, uint64_t expected_id, const char *words)
{
    struct message message;
    error = (struct error){0};
    rejected_id = 12345;
    int status = decode_written(&message, 0);
    ck_assert_msg(status == code, "%d, not %d: %s", status, code, error.message);
    ck_assert_uint_eq(rejected_id, expected_id);
    ck_assert_int_ne(error.message[0], 0);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
    pack_writer_clear(&writer);
}

TEST(not_a_message)
{
    static const struct {
        uint64_t type;
        int fields, code; /* all of which are the type */
    } cases[] = {{63, 1, ERR_UNKNOWN},
                 {UINT64_MAX, 1, ERR_RANGE},
                 {1, 17, ERR_LIMIT},
                 {1, 0, ERR_FORMAT},
                 {MESSAGE_STOP, 2, ERR_FORMAT}};
    static const int alone[] = {MESSAGE_HELLO, MESSAGE_SETUP,  MESSAGE_TASK,
                                MESSAGE_READY, MESSAGE_RESULT, MESSAGE_REJECTED};
    pack_u64(&writer, 3);
    expect_refusal(ERR_FORMAT, 0, "");
    put(&writer, ARRAY(1), TEXT("hello"));
    expect_refusal(ERR_FORMAT, 0, "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pack_array(&writer, (size_t)cases[i].fields);
        for (int k = 0; k < cases[i].fields; k++)
            pack_u64(&writer, cases[i].type);
        expect_refusal(cases[i].code, 0, "");
    }
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        put(&writer, ARRAY(1), U64((uint64_t)alone[i]));
        expect_refusal(ERR_FORMAT, 0, "");
    }
}

/* A later protocol's hello may have more fields; it must stay readable. */
TEST(hello_of_the_future)
{
    SCOPED(message) message;
    put(&writer, ARRAY(6), U64(MESSAGE_HELLO), U64(PROTOCOL_VERSION + 1), TEXT("bestiary 9"),
        U64(1), NIL, TEXT("?"));
    ck_ok(decode_written(&message, 0));
    ck_assert_uint_eq(message.as.hello.protocol_version, PROTOCOL_VERSION + 1);
    ck_assert_str_eq(message.as.hello.build, "bestiary 9");
}

/* One of this version must say where it is. */
TEST(hello_of_the_past)
{
    struct message message;
    for (uint64_t version = PROTOCOL_VERSION - 1; version <= PROTOCOL_VERSION; version++) {
        pack_writer_clear(&writer);
        put(&writer, ARRAY(4), U64(MESSAGE_HELLO), U64(version), TEXT("bestiary"), U64(1));
        ck_assert_int_eq(decode_written(&message, 0), version == PROTOCOL_VERSION ? ERR_FORMAT : 0);
    }
    ck_assert_str_eq(error.message, "hello: 4 fields, expected 8");
}

/* The variables that Slurm gives a process of its job. */
TEST(hello_knows_its_job)
{
    struct hello ours;
    unsetenv("SLURM_ARRAY_JOB_ID");
    setenv("SLURM_JOB_ID", "31", 1);
    setenv("SLURM_STEP_ID", "2", 1);
    hello_init(&ours, 5);
    ck_assert_uint_eq(ours.fingerprint, 5);
    ck_assert_str_eq(ours.build, message_build_id());
    ck_assert_str_ne(ours.host, "");
    ck_assert_str_eq(ours.job, "31");
    ck_assert_str_eq(ours.step, "2");
    setenv("SLURM_ARRAY_JOB_ID", "29", 1);
    setenv("SLURM_ARRAY_TASK_ID", "4", 1);
    hello_init(&ours, 5);
    ck_assert_str_eq(ours.job, "29_4");
}

/* A task up to its genome. */
static void begin_task(uint64_t id, uint64_t attempt, const char *trial, double m_s, double sizes_s)
{
    put(&writer, ARRAY(10), U64(MESSAGE_TASK), U64(id), U64(5), U64(attempt), U64(1), TEXT(trial),
        DOUBLE(m_s), DOUBLE(sizes_s));
}

/* A task without rivals. */
static void put_task(uint64_t id, uint64_t attempt, const char *trial, double m_s, double sizes_s)
{
    begin_task(id, attempt, trial, m_s, sizes_s);
    genome_encode(&task.genome, &writer);
    pack_array(&writer, 0);
}

/* Whatever else is wrong with a task, its id is given back. */
TEST(bad_tasks)
{
    static const struct {
        uint64_t id, attempt;
        const char *trial;
        double m_s, sizes_s;
        const char *words;
    } cases[] = {{0, 0, "first", 0, 0, ""},
                 {9, UINT64_C(1) << 32, "first", 0, 0, "task.attempt"},
                 {9, 0, "first", -1, 0, "task.hopeless_m_s"},
                 {9, 0, "first", 0, 1.01 * EARLY_STOP_MAX, "task.hopeless_sizes_s"},
                 {9, 0, "", 0, 0, "task.trial"},
                 {9, 0, "last", 0, 0, "task.trial"},
                 {9, 0, "first+", 0, 0, "task.trial"},
                 {9, 0, "entry+finer-7", 0, 0, "task.trial"},
                 {9, 0, "entry+finer-0", 0, 0, "task.trial"},
                 {9, 0, "entry+perturbed-49", 0, 0, "task.trial"},
                 {9, 0, "entry+finer-2+perturbed-1", 0, 0, "task.trial"},
                 {9, 0, "first+bout-9", 0, 0, "task.trial"},
                 {9, 0, "first+perturbed-1+bout-1", 0, 0, "task.trial"},
                 {9, 0, "champion+other-solver+other-solver", 0, 0, "task.trial"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_task(cases[i].id, cases[i].attempt, cases[i].trial, cases[i].m_s, cases[i].sizes_s);
        expect_refusal(ERR_RANGE, cases[i].id, cases[i].words);
    }
    begin_task(9, 0, "first", 0, 0);
    put(&writer, ARRAY(0), ARRAY(0));
    expect_refusal(ERR_FORMAT, 9, "task.genome");
    task.genome.bodies[0].width_m = 0;
    put_task(9, 0, "first", 0, 0);
    expect_refusal(ERR_RANGE, 9, "width");
}

/* A task with so many rivals, the last of which has so many fields. */
static void put_rivals(const char *trial, int count, int fields)
{
    begin_task(9, 0, trial, 0, 0);
    genome_encode(&task.genome, &writer);
    pack_array(&writer, (size_t)count);
    for (int i = 0; i < count; i++) {
        put(&writer, ARRAY(fields), U64(6));
        for (int k = 1; k < fields; k++)
            genome_encode(&task.rivals[0].genome, &writer);
    }
}

/* A contest is of two, and nothing else is. */
TEST(bad_rivals)
{
    put_rivals("first+bout-1", 2, 2);
    expect_refusal(ERR_LIMIT, 9, "task.rivals");
    put_rivals("first+bout-1", 0, 2);
    expect_refusal(ERR_RANGE, 9, "task.rivals: 0");
    put_rivals("first", 1, 2);
    expect_refusal(ERR_RANGE, 9, "task.rivals: 1");
    put_rivals("first+bout-1", 1, 3);
    expect_refusal(ERR_FORMAT, 9, "");
    task.rivals[0].genome.bodies[0].width_m = 0;
    put_rivals("first+bout-1", 1, 2);
    expect_refusal(ERR_RANGE, 9, "task.rivals.genome");
}

TEST(bad_results)
{
    static const struct {
        double pace_m_s, wall_ms;
        int verdict, measures, code;
        const char *words;
    } rows[] = {{0, 1, VERDICT_UNSOLVED + 1, MEASURE_COUNT, ERR_RANGE, "result.verdict"},
                {0, 1, VERDICT_QUARANTINED, MEASURE_COUNT, ERR_RANGE, "result.verdict"},
                {0, -1, 0, MEASURE_COUNT, ERR_RANGE, ""},
                {0, INFINITY, 0, MEASURE_COUNT, ERR_RANGE, ""},
                {0, 1, 0, MEASURE_COUNT - 1, ERR_FORMAT, "result.measures"},
                {0, 1, 0, MEASURE_COUNT + 1, ERR_FORMAT, ""},
                {-1e-9, 1, 0, MEASURE_COUNT, ERR_RANGE, "result.pace_least_m_s"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        put(&writer, ARRAY(9), U64(MESSAGE_RESULT), U64(77), U64(5), U64((uint64_t)rows[k].verdict),
            U64(1), ARRAY(rows[k].measures));
        for (int i = 0; i < rows[k].measures; i++)
            pack_double(&writer, 0);
        put(&writer, DOUBLE(rows[k].pace_m_s), ARRAY(3), DOUBLE(rows[k].wall_ms), DOUBLE(0), U64(0),
            ARRAY(0));
        expect_refusal(rows[k].code, 0, rows[k].words);
    }
}

TEST(bad_setups)
{
    static const struct {
        double deadline_s;
        const char *key;
        double value;
        int code;
        const char *words;
    } cases[] = {{0, "world.friction", 1, ERR_RANGE, ""},
                 {1e9, "world.friction", 1, ERR_RANGE, ""},
                 {60, "world.fiction", 1, ERR_UNKNOWN, "world.fiction"},
                 {60, "world.friction", 11, ERR_RANGE, "world.friction"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put(&writer, ARRAY(6), U64(MESSAGE_SETUP), U64(1), DOUBLE(cases[i].deadline_s), U64(64),
            U64(19), MAP(1), TEXT(cases[i].key), DOUBLE(cases[i].value));
        expect_refusal(cases[i].code, 0, cases[i].words);
    }
}

TEST(too_long_is_refused)
{
    struct message message;
    FREED unsigned char *bytes = calloc(1, FRAME_PAYLOAD_MAX + 1);
    ck_assert_int_eq(message_decode(&message, bytes, FRAME_PAYLOAD_MAX + 1, &rejected_id, &error),
                     ERR_LIMIT);
}

/* ---- hostile bytes ---- */

/* Decodes from a block of exactly that size, so that reading beyond it is seen by the
 * sanitizers. */
static int decode_bytes(const unsigned char *bytes, size_t length)
{
    struct message message;
    FREED unsigned char *copy = malloc(length > 0 ? length : 1);
    error = (struct error){0};
    memcpy(copy, bytes, length);
    int status = message_decode(&message, copy, length, &rejected_id, &error);
    if (status > 0 || error.code != status || (error.message[0] != '\0') != (status != 0))
        ck_abort_msg("status %d, error %d \"%s\"", status, error.code, error.message);
    if (status == 0)
        message_deinit(&message);
    return status;
}

static unsigned char *copy_payload(int kind, size_t *length)
{
    encode_all(kind);
    *length = writer.buffer.size - FRAME_HEADER_BYTES;
    unsigned char *bytes = malloc(*length);
    memcpy(bytes, writer.buffer.data + FRAME_HEADER_BYTES, *length);
    ck_assert_int_eq(decode_bytes(bytes, *length), 0);
    return bytes;
}

TEST_LOOP(every_truncation, 0, MESSAGE_KINDS)
{
    size_t length;
    FREED unsigned char *bytes = copy_payload(_i, &length);
    for (size_t cut = 0; cut < length; cut += BYTE_STEP)
        ck_assert_int_ne(decode_bytes(bytes, cut), 0);
}

TEST_LOOP(every_bit_flip, 0, MESSAGE_KINDS)
{
    size_t length;
    FREED unsigned char *bytes = copy_payload(_i, &length);
    for (size_t bit = 0; bit < length * 8; bit += BIT_STEP) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        decode_bytes(bytes, length);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

TEST_LOOP(every_byte_to_the_extremes, 0, MESSAGE_KINDS)
{
    static const unsigned char extremes[] = {0x00, 0x7f, 0x80, 0x9f, 0xc0, 0xc1, 0xc7,
                                             0xcb, 0xcf, 0xd3, 0xdb, 0xdd, 0xdf, 0xff};
    size_t length;
    FREED unsigned char *bytes = copy_payload(_i, &length);
    for (size_t i = 0; i < length; i += BYTE_STEP) {
        unsigned char kept = bytes[i];
        for (size_t k = 0; k < sizeof extremes; k++) {
            bytes[i] = extremes[k];
            decode_bytes(bytes, length);
        }
        bytes[i] = kept;
    }
}

/* Several random bytes at once, and random bytes inserted or taken out. */
TEST_LOOP(random_damage, 0, MESSAGE_KINDS)
{
    size_t length;
    FREED unsigned char *bytes = copy_payload(_i, &length);
    FREED unsigned char *damaged = malloc(length + 1);
    struct rng rng = test_rng(1, 0, (uint64_t)_i);
    for (int round = 0; round < (TESTS_ARE_SANITIZED ? 600 : 3000); round++) {
        memcpy(damaged, bytes, length);
        size_t size = length, at = rng_below(&rng, (uint32_t)length);
        int kind = (int)rng_below(&rng, 3);
        if (kind == 1) {
            memmove(damaged + at, damaged + at + 1, --size - at);
        } else if (kind == 2) {
            memmove(damaged + at + 1, damaged + at, size++ - at);
            damaged[at] = (unsigned char)rng_u32(&rng);
        }
        for (uint32_t i = rng_below(&rng, 4); i > 0; i--)
            damaged[rng_below(&rng, (uint32_t)size)] = (unsigned char)rng_u32(&rng);
        decode_bytes(damaged, size);
    }
}

SUITE("message", 60, setup, teardown)
