/* Encoding and decoding of the messages.
 *
 * Each message is one array: its number, then its fields in a fixed order. Decoding looks at the
 * number, then hands the fields to the reader of that message; every reader checks the count of its
 * fields first and each field's type and range then, naming it "message.field". pack_open() has
 * scanned the whole structure before (depth, counts against bytes), so no count is trusted here.
 * `hello` alone may have more fields than are known: it must stay readable across versions, or a
 * mismatch could not be told in words. */
#include "proto/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/version.h"

#define MESSAGE_TEXT2(x) #x
#define MESSAGE_TEXT(x)  MESSAGE_TEXT2(x)

/* Elements of each array, the message number included. */
enum {
    HELLO_FIELDS = 8,
    HELLO_FIELDS_MIN = 4, /* of any version */
    HELLO_FIELDS_MAX = 16,
    SETUP_FIELDS = 6,
    TASK_FIELDS = 10,
    STOP_FIELDS = 1,
    READY_FIELDS = 2,
    RESULT_FIELDS = 9,
    REJECTED_FIELDS = 3,
    COST_FIELDS = 3,
    RIVAL_FIELDS = 2, /* both ways */
    EPOCH_FIELDS = 4 + EPOCH_ORDER_FIELDS,
    EPOCH_RESULT_FIELDS = 4 + EPOCH_END_FIELDS,
};

/* The limits of the parameters' table. */
#define SETUP_DEADLINE_MAX_S 86400.0
#define SETUP_MEMORY_MAX_MB  1048576
#define SETUP_NICE_MAX       19

const char *message_build_id(void)
{
    return "bestiary " BESTIARY_VERSION " simulator " MESSAGE_TEXT(SIMULATOR_VERSION);
}

double task_patience(uint32_t attempt)
{
    return attempt < 63 ? 1.0 + attempt : 64.0;
}

/* ---- decoding ---- */

static int message_expect_fields(size_t count, size_t expected, const char *name,
                                 struct error *error)
{
    if (count == expected)
        return 0;
    return error_set(error, ERR_FORMAT, "%s: %zu fields, expected %zu", name, count, expected);
}

/* The fields of this version, behind those of all. */
static int message_read_place(struct hello *hello, const msgpack_object *fields, size_t count,
                              struct error *error)
{
    if (count < HELLO_FIELDS)
        return error_set(error, ERR_FORMAT, "hello: %zu fields, expected %d", count, HELLO_FIELDS);
    int status =
        pack_get_u64(&fields[4], UINT64_MAX, &hello->fingerprint, "hello.fingerprint", error);
    if (status == 0)
        status = pack_get_text(&fields[5], hello->host, sizeof hello->host, "hello.host", error);
    if (status == 0)
        status = pack_get_text(&fields[6], hello->job, sizeof hello->job, "hello.job", error);
    if (status == 0)
        status = pack_get_text(&fields[7], hello->step, sizeof hello->step, "hello.step", error);
    return status;
}

static int message_read_hello(struct message *message, const msgpack_object *fields, size_t count,
                              struct error *error)
{
    struct hello *hello = &message->as.hello;
    if (count < HELLO_FIELDS_MIN || count > HELLO_FIELDS_MAX)
        return error_set(error, ERR_FORMAT, "hello: %zu fields, expected %d .. %d", count,
                         HELLO_FIELDS_MIN, HELLO_FIELDS_MAX);
    uint64_t version = 0;
    int status = pack_get_u64(&fields[1], UINT32_MAX, &version, "hello.protocol_version", error);
    if (status == 0)
        status = pack_get_text(&fields[2], hello->build, sizeof hello->build, "hello.build", error);
    if (status == 0)
        status = pack_get_u64(&fields[3], UINT64_MAX, &hello->pid, "hello.pid", error);
    hello->protocol_version = (uint32_t)version;
    if (status == 0 && version == PROTOCOL_VERSION)
        status = message_read_place(hello, fields, count, error);
    return status;
}

static int message_read_setup(struct message *message, const msgpack_object *fields, size_t count,
                              struct error *error)
{
    int status = message_expect_fields(count, SETUP_FIELDS, "setup", error);
    if (status != 0)
        return status;
    struct params *params = &message->as.setup.params;
    params_set_defaults(params);
    status = pack_get_u64(&fields[1], UINT64_MAX, &message->as.setup.digest, "setup.digest", error);
    double deadline_s = 0;
    uint64_t memory_mb = 0, nice = 0;
    struct params_remark remark;
    if (status == 0)
        status = pack_get_double(&fields[2], &deadline_s, "setup.deadline_s", error);
    if (status == 0 && !(deadline_s > 0 && deadline_s <= SETUP_DEADLINE_MAX_S))
        status = error_set(error, ERR_RANGE, "setup.deadline_s: %g, expected above 0, at most %g",
                           deadline_s, SETUP_DEADLINE_MAX_S);
    if (status == 0)
        status =
            pack_get_u64(&fields[3], SETUP_MEMORY_MAX_MB, &memory_mb, "setup.memory_mb", error);
    if (status == 0)
        status = pack_get_u64(&fields[4], SETUP_NICE_MAX, &nice, "setup.nice", error);
    if (status == 0 && (status = params_decode(params, &fields[5], &remark, error)) != 0)
        error_prefix(error, "setup.params");
    params->farm_deadline_s = deadline_s;
    params->farm_memory_mb = (int64_t)memory_mb;
    params->farm_nice = (int64_t)nice;
    return status;
}

static int message_read_pace(const msgpack_object *field, double *pace, const char *where,
                             struct error *error)
{
    int status = pack_get_double(field, pace, where, error);
    if (status == 0 && !(*pace >= 0 && *pace <= EARLY_STOP_MAX))
        status =
            error_set(error, ERR_RANGE, "%s: %g, expected 0 .. %g", where, *pace, EARLY_STOP_MAX);
    return status;
}

static int message_read_trial(const msgpack_object *field, struct trial *trial, struct error *error)
{
    char text[TRIAL_TEXT_SIZE];
    int status = pack_get_text(field, text, sizeof text, "task.trial", error);
    if (status == 0 && (status = trial_from_text(trial, text, error)) != 0)
        error_prefix(error, "task.trial");
    return status;
}

static int message_read_rival(struct task_rival *rival, const msgpack_object *object,
                              struct error *error)
{
    const msgpack_object *items;
    size_t count;
    int status =
        pack_get_array(object, RIVAL_FIELDS, RIVAL_FIELDS, &items, &count, "task.rivals", error);
    if (status == 0)
        status =
            pack_get_u64(&items[0], UINT64_MAX, &rival->creature, "task.rivals.creature", error);
    if (status == 0 && (status = genome_decode(&rival->genome, &items[1], error)) != 0)
        error_prefix(error, "task.rivals.genome");
    return status;
}

/* On an error nothing of the task is owned. */
static int message_read_rivals(struct task *task, const msgpack_object *object, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status = pack_get_array(object, TASK_RIVALS_MAX, -1, &items, &count, "task.rivals", error);
    for (size_t i = 0; i < count && status == 0; i++) {
        status = message_read_rival(&task->rivals[i], &items[i], error);
        task->rival_count += status == 0;
    }
    if (status == 0 && task->rival_count != (task->trial.bout > 0))
        status = error_set(error, ERR_RANGE, "task.rivals: %d, but task.trial is%s of a contest",
                           task->rival_count, task->trial.bout > 0 ? "" : " not");
    if (status != 0)
        task_deinit(task);
    return status;
}

/* The fields that all tasks begin with. */
static int message_read_task_id(struct task *task, const msgpack_object *field, struct error *error)
{
    int status = pack_get_u64(field, UINT64_MAX, &task->id, "task.id", error);
    if (status == 0 && task->id == 0)
        status = error_set(error, ERR_RANGE, "task.id: 0, expected 1 or more");
    return status;
}

static int message_read_task(struct message *message, const msgpack_object *fields, size_t count,
                             struct error *error)
{
    struct task *task = &message->as.task;
    int status = message_expect_fields(count, TASK_FIELDS, "task", error);
    if (status != 0)
        return status;
    uint64_t attempt = 0;
    status = message_read_task_id(task, &fields[1], error);
    if (status == 0)
        status = pack_get_u64(&fields[2], UINT64_MAX, &task->creature, "task.creature", error);
    if (status == 0)
        status = pack_get_u64(&fields[3], UINT32_MAX, &attempt, "task.attempt", error);
    if (status == 0)
        status = pack_get_u64(&fields[4], UINT64_MAX, &task->seed, "task.seed", error);
    if (status == 0)
        status = message_read_trial(&fields[5], &task->trial, error);
    if (status == 0)
        status = message_read_pace(&fields[6], &task->bar.m_s, "task.hopeless_m_s", error);
    if (status == 0)
        status = message_read_pace(&fields[7], &task->bar.sizes_s, "task.hopeless_sizes_s", error);
    if (status == 0 && (status = genome_decode(&task->genome, &fields[8], error)) != 0)
        error_prefix(error, "task.genome");
    if (status == 0)
        status = message_read_rivals(task, &fields[9], error);
    task->attempt = (uint32_t)attempt;
    return status;
}

static int message_read_epoch(struct message *message, const msgpack_object *fields, size_t count,
                              struct error *error)
{
    struct task *task = &message->as.task;
    uint64_t attempt = 0;
    int status = message_expect_fields(count, EPOCH_FIELDS, "epoch", error);
    if (status == 0)
        status = message_read_task_id(task, &fields[1], error);
    if (status == 0)
        status = pack_get_u64(&fields[2], UINT32_MAX, &attempt, "epoch.attempt", error);
    if (status == 0)
        status = pack_get_u64(&fields[3], UINT64_MAX, &task->seed, "epoch.seed", error);
    task->attempt = (uint32_t)attempt;
    if (status == 0 && (task->epoch = epoch_order_decode(&fields[4], error)) == NULL)
        status = error->code;
    return status;
}

static int message_read_ready(struct message *message, const msgpack_object *fields, size_t count,
                              struct error *error)
{
    int status = message_expect_fields(count, READY_FIELDS, "ready", error);
    if (status != 0)
        return status;
    return pack_get_u64(&fields[1], UINT64_MAX, &message->as.ready.digest, "ready.digest", error);
}

/* Whether a simulator may send it: quarantines are the controller's. */
static int verdict_is_sent(uint64_t verdict)
{
    switch (verdict) {
#define X(id, number, name, words, text) case number:
        VERDICTS(X)
#undef X
        return verdict != VERDICT_QUARANTINED;
    default:
        return 0;
    }
}

static int message_read_cost(struct task_cost *cost, const msgpack_object *object,
                             struct error *error)
{
    const msgpack_object *items;
    size_t count;
    int status =
        pack_get_array(object, COST_FIELDS, COST_FIELDS, &items, &count, "result.cost", error);
    if (status == 0)
        status = pack_get_double(&items[0], &cost->wall_ms, "result.cost.wall_ms", error);
    if (status == 0)
        status = pack_get_double(&items[1], &cost->cpu_ms, "result.cost.cpu_ms", error);
    if (status == 0)
        status = pack_get_u64(&items[2], UINT64_MAX, &cost->arena_bytes, "result.cost.arena_bytes",
                              error);
    if (status == 0 && !(cost->wall_ms >= 0 && cost->cpu_ms >= 0))
        status = error_set(error, ERR_RANGE, "result.cost: a time below 0");
    return status;
}

static int message_read_verdict(const msgpack_object *field, int *verdict, const char *where,
                                struct error *error)
{
    uint64_t number = 0;
    int status = pack_get_u64(field, INT32_MAX, &number, where, error);
    if (status == 0 && !verdict_is_sent(number))
        status = error_set(error, ERR_RANGE, "%s: %lu is no verdict of a simulator", where,
                           (unsigned long)number);
    *verdict = (int)number;
    return status;
}

static int message_read_rival_result(struct rival_result *rival, const msgpack_object *object,
                                     struct error *error)
{
    const msgpack_object *items;
    size_t count;
    int status =
        pack_get_array(object, RIVAL_FIELDS, RIVAL_FIELDS, &items, &count, "result.rivals", error);
    if (status == 0)
        status = message_read_verdict(&items[0], &rival->verdict, "result.rivals.verdict", error);
    if (status == 0 && (status = measures_decode(&rival->measures, &items[1], error)) != 0)
        error_prefix(error, "result.rivals.measures");
    return status;
}

static int message_read_rival_results(struct result *result, const msgpack_object *object,
                                      struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status =
        pack_get_array(object, TASK_RIVALS_MAX, -1, &items, &count, "result.rivals", error);
    for (size_t i = 0; i < count && status == 0; i++)
        status = message_read_rival_result(&result->rivals[i], &items[i], error);
    result->rival_count = (int)count;
    return status;
}

static int message_read_result(struct message *message, const msgpack_object *fields, size_t count,
                               struct error *error)
{
    struct result *result = &message->as.result;
    int status = message_expect_fields(count, RESULT_FIELDS, "result", error);
    if (status != 0)
        return status;
    status = pack_get_u64(&fields[1], UINT64_MAX, &result->id, "result.id", error);
    if (status == 0)
        status = pack_get_u64(&fields[2], UINT64_MAX, &result->creature, "result.creature", error);
    if (status == 0)
        status = message_read_verdict(&fields[3], &result->verdict, "result.verdict", error);
    if (status == 0)
        status = pack_get_u64(&fields[4], UINT64_MAX, &result->digest, "result.digest", error);
    if (status == 0 && (status = measures_decode(&result->measures, &fields[5], error)) != 0)
        error_prefix(error, "result.measures");
    if (status == 0)
        status =
            pack_get_double(&fields[6], &result->pace_least_m_s, "result.pace_least_m_s", error);
    if (status == 0 && !(result->pace_least_m_s >= 0))
        status = error_set(error, ERR_RANGE, "result.pace_least_m_s: below 0");
    if (status == 0)
        status = message_read_cost(&result->cost, &fields[7], error);
    if (status == 0)
        status = message_read_rival_results(result, &fields[8], error);
    return status;
}

static int message_read_epoch_end(struct message *message, const msgpack_object *fields,
                                  size_t count, struct error *error)
{
    struct result *result = &message->as.result;
    int status = message_expect_fields(count, EPOCH_RESULT_FIELDS, "epoch_end", error);
    if (status == 0)
        status = pack_get_u64(&fields[1], UINT64_MAX, &result->id, "epoch_end.id", error);
    if (status == 0)
        status = pack_get_u64(&fields[2], UINT64_MAX, &result->digest, "epoch_end.digest", error);
    if (status == 0)
        status = message_read_cost(&result->cost, &fields[3], error);
    if (status == 0 && (result->epoch = epoch_end_decode(&fields[4], error)) == NULL)
        status = error->code;
    return status;
}

static int message_read_rejected(struct message *message, const msgpack_object *fields,
                                 size_t count, struct error *error)
{
    int status = message_expect_fields(count, REJECTED_FIELDS, "rejected", error);
    if (status == 0)
        status =
            pack_get_u64(&fields[1], UINT64_MAX, &message->as.rejected.id, "rejected.id", error);
    if (status == 0)
        status = pack_get_text(&fields[2], message->as.rejected.reason,
                               sizeof message->as.rejected.reason, "rejected.reason", error);
    return status;
}

static int message_read_stop(struct message *message, const msgpack_object *fields, size_t count,
                             struct error *error)
{
    return message_expect_fields(count, STOP_FIELDS, "stop", error);
}

/* By number. Only what a message of that kind has of `as` is made zero before it is read:
 * parameters are large. */
#define PART(name) sizeof(((struct message *)0)->as.name)
static const struct message_kind {
    size_t bytes;
    int (*read)(struct message *message, const msgpack_object *fields, size_t count,
                struct error *error);
} message_kinds[] = {
    [MESSAGE_HELLO] = {PART(hello), message_read_hello},
    [MESSAGE_SETUP] = {PART(setup), message_read_setup},
    [MESSAGE_TASK] = {PART(task), message_read_task},
    [MESSAGE_STOP] = {0, message_read_stop},
    [MESSAGE_EPOCH] = {PART(task), message_read_epoch},
    [MESSAGE_READY] = {PART(ready), message_read_ready},
    [MESSAGE_RESULT] = {PART(result), message_read_result},
    [MESSAGE_REJECTED] = {PART(rejected), message_read_rejected},
    [MESSAGE_EPOCH_END] = {PART(result), message_read_epoch_end},
};
#undef PART

static int message_read(struct message *message, uint64_t type, const msgpack_object *fields,
                        size_t count, struct error *error)
{
    size_t kind_count = sizeof message_kinds / sizeof message_kinds[0];
    const struct message_kind *kind = type < kind_count ? &message_kinds[type] : &message_kinds[0];
    if (!kind->read)
        return error_set(error, ERR_UNKNOWN, "message: unknown number %" PRIu64, type);
    message->type = (int)type;
    memset(&message->as, 0, kind->bytes);
    return kind->read(message, fields, count, error);
}

int message_decode(struct message *message, const void *payload, size_t length,
                   uint64_t *rejected_id, struct error *error)
{
    message->type = 0;
    *rejected_id = 0;
    if (length > FRAME_PAYLOAD_MAX)
        return error_set(error, ERR_LIMIT, "message: %zu bytes, at most %d", length,
                         FRAME_PAYLOAD_MAX);
    struct pack_reader reader;
    int status = pack_open(&reader, payload, length, error);
    if (status != 0) {
        error_prefix(error, "message");
        return status;
    }
    const msgpack_object *fields = NULL;
    size_t count = 0;
    uint64_t type = 0;
    status = pack_get_array(reader.root, HELLO_FIELDS_MAX, -1, &fields, &count, "message", error);
    if (status == 0 && count == 0)
        status = error_set(error, ERR_FORMAT, "message: empty array");
    if (status == 0)
        status = pack_get_u64(&fields[0], INT32_MAX, &type, "message number", error);
    /* The id first: whatever else is wrong, the sender can be told which task it was. */
    if (status == 0 && (type == MESSAGE_TASK || type == MESSAGE_EPOCH) && count >= 2 &&
        fields[1].type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        *rejected_id = fields[1].via.u64;
    if (status == 0)
        status = message_read(message, type, fields, count, error);
    pack_close(&reader);
    return status;
}

void task_deinit(struct task *task)
{
    genome_deinit(&task->genome);
    packed_genome_deinit(&task->packed);
    for (int i = 0; i < task->rival_count; i++) {
        genome_deinit(&task->rivals[i].genome);
        packed_genome_deinit(&task->rivals[i].packed);
    }
    task->rival_count = 0;
    epoch_order_destroy(task->epoch);
    task->epoch = NULL;
}

void task_move(struct task *to, struct task *from)
{
    *to = *from;
    genome_init(&from->genome);
    from->packed = (struct packed_genome){NULL, 0};
    from->rival_count = 0;
    from->epoch = NULL;
}

void message_deinit(struct message *message)
{
    if (message->type == MESSAGE_TASK || message->type == MESSAGE_EPOCH)
        task_deinit(&message->as.task);
    else if (message->type == MESSAGE_EPOCH_END)
        epoch_end_destroy(message->as.result.epoch);
    message->type = 0;
}

/* ---- encoding ---- */

/* Leaves room for the header; returns where it is. */
static size_t message_begin(struct pack_writer *writer, int type, size_t field_count)
{
    static const char room[FRAME_HEADER_BYTES];
    size_t at = writer->buffer.size;
    pack_raw(writer, room, sizeof room);
    pack_array(writer, field_count);
    pack_u64(writer, (uint64_t)type);
    return at;
}

/* Messages are small; a process that cannot have memory for one has no way to go on. */
static void message_end(struct pack_writer *writer, size_t at)
{
    ENSURE(!writer->has_failed, "%s", error_text(ERR_MEMORY));
    unsigned char header[FRAME_HEADER_BYTES];
    frame_write_header(header, writer->buffer.size - at - FRAME_HEADER_BYTES);
    memcpy(writer->buffer.data + at, header, sizeof header);
}

void message_encode_hello(struct pack_writer *writer, const struct hello *hello)
{
    size_t at = message_begin(writer, MESSAGE_HELLO, HELLO_FIELDS);
    pack_u64(writer, hello->protocol_version);
    pack_text(writer, hello->build);
    pack_u64(writer, hello->pid);
    pack_u64(writer, hello->fingerprint);
    pack_text(writer, hello->host);
    pack_text(writer, hello->job);
    pack_text(writer, hello->step);
    message_end(writer, at);
}

void message_encode_setup(struct pack_writer *writer, const struct params *params)
{
    size_t at = message_begin(writer, MESSAGE_SETUP, SETUP_FIELDS);
    pack_u64(writer, params_evaluation_digest(params));
    pack_double(writer, params->farm_deadline_s);
    pack_u64(writer, (uint64_t)params->farm_memory_mb);
    pack_u64(writer, (uint64_t)params->farm_nice);
    /* an evaluation that breeds needs the rules of breeding */
    params_encode(params, params->evolution_behaviour == BEHAVIOUR_PRESERVE, writer);
    message_end(writer, at);
}

static void encode_genome(struct pack_writer *writer, const struct genome *genome,
                          const struct packed_genome *packed)
{
    if (packed->bytes)
        pack_raw(writer, packed->bytes, packed->length);
    else
        genome_encode(genome, writer);
}

void message_encode_task(struct pack_writer *writer, const struct task *task)
{
    size_t at = message_begin(writer, MESSAGE_TASK, TASK_FIELDS);
    char trial[TRIAL_TEXT_SIZE];
    trial_to_text(&task->trial, trial);
    pack_u64(writer, task->id);
    pack_u64(writer, task->creature);
    pack_u64(writer, task->attempt);
    pack_u64(writer, task->seed);
    pack_text(writer, trial);
    pack_double(writer, task->bar.m_s);
    pack_double(writer, task->bar.sizes_s);
    encode_genome(writer, &task->genome, &task->packed);
    pack_array(writer, (size_t)task->rival_count);
    for (int i = 0; i < task->rival_count; i++) {
        pack_array(writer, RIVAL_FIELDS);
        pack_u64(writer, task->rivals[i].creature);
        encode_genome(writer, &task->rivals[i].genome, &task->rivals[i].packed);
    }
    message_end(writer, at);
}

void message_encode_epoch(struct pack_writer *writer, const struct task *task)
{
    size_t at = message_begin(writer, MESSAGE_EPOCH, EPOCH_FIELDS);
    pack_u64(writer, task->id);
    pack_u64(writer, task->attempt);
    pack_u64(writer, task->seed);
    epoch_order_encode(task->epoch, writer);
    message_end(writer, at);
}

static void encode_cost(struct pack_writer *writer, const struct task_cost *cost)
{
    pack_array(writer, COST_FIELDS);
    pack_double(writer, cost->wall_ms);
    pack_double(writer, cost->cpu_ms);
    pack_u64(writer, cost->arena_bytes);
}

void message_encode_epoch_end(struct pack_writer *writer, const struct result *result)
{
    size_t at = message_begin(writer, MESSAGE_EPOCH_END, EPOCH_RESULT_FIELDS);
    pack_u64(writer, result->id);
    pack_u64(writer, result->digest);
    encode_cost(writer, &result->cost);
    epoch_end_encode(result->epoch, writer);
    message_end(writer, at);
}

void message_encode_stop(struct pack_writer *writer)
{
    message_end(writer, message_begin(writer, MESSAGE_STOP, STOP_FIELDS));
}

void message_encode_ready(struct pack_writer *writer, uint64_t digest)
{
    size_t at = message_begin(writer, MESSAGE_READY, READY_FIELDS);
    pack_u64(writer, digest);
    message_end(writer, at);
}

void message_encode_result(struct pack_writer *writer, const struct result *result)
{
    size_t at = message_begin(writer, MESSAGE_RESULT, RESULT_FIELDS);
    pack_u64(writer, result->id);
    pack_u64(writer, result->creature);
    pack_u64(writer, (uint64_t)result->verdict);
    pack_u64(writer, result->digest);
    measures_encode(&result->measures, writer);
    pack_double(writer, result->pace_least_m_s);
    encode_cost(writer, &result->cost);
    pack_array(writer, (size_t)result->rival_count);
    for (int i = 0; i < result->rival_count; i++) {
        pack_array(writer, RIVAL_FIELDS);
        pack_u64(writer, (uint64_t)result->rivals[i].verdict);
        measures_encode(&result->rivals[i].measures, writer);
    }
    message_end(writer, at);
}

void message_encode_rejected(struct pack_writer *writer, uint64_t id, const char *reason)
{
    /* Cut to what the other end takes, not inside a character of UTF-8. */
    char text[sizeof(((struct message *)0)->as.rejected.reason)];
    size_t length = strlen(reason);
    if (length >= sizeof text)
        for (length = sizeof text - 1;
             length > 0 && ((unsigned char)reason[length] & 0xc0) == 0x80;)
            length--;
    memcpy(text, reason, length);
    text[length] = '\0';
    size_t at = message_begin(writer, MESSAGE_REJECTED, REJECTED_FIELDS);
    pack_u64(writer, id);
    pack_text(writer, text);
    message_end(writer, at);
}
