/* The messages, written and read.
 *
 * Each message is one array: its number, then its fields in a fixed order. One function for each
 * kind visits the fields (common/formats/pack_fields.h): so it is written and read, and each field's
 * type and range are checked, naming it "message.field". pack_open() has scanned the whole structure
 * before (depth, counts against bytes), so no count is trusted here. `hello` alone may have more
 * fields than are known: it must stay readable across versions, or a mismatch could not be told in
 * words. */
#include "proto/message.h"

#include <float.h>
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
    COST_FIELDS = 3,
    RIVAL_FIELDS = 2, /* both ways */
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

/* ---- the fields ---- */

static void visit_hello(struct pack_fields *f, void *part)
{
    struct hello *hello = part;
    pack_fields_u32(f, "protocol_version", &hello->protocol_version, UINT32_MAX);
    pack_fields_text(f, "build", hello->build, sizeof hello->build);
    pack_fields_u64(f, "pid", &hello->pid, UINT64_MAX);
    if (f->is_reading && hello->protocol_version != PROTOCOL_VERSION)
        return;
    if (f->is_reading && f->left < HELLO_FIELDS - HELLO_FIELDS_MIN)
        pack_fields_fail(f, ERR_FORMAT, NULL, "%zu fields, expected %d", f->left + HELLO_FIELDS_MIN,
                         HELLO_FIELDS);
    pack_fields_u64(f, "fingerprint", &hello->fingerprint, UINT64_MAX);
    pack_fields_text(f, "host", hello->host, sizeof hello->host);
    pack_fields_text(f, "job", hello->job, sizeof hello->job);
    pack_fields_text(f, "step", hello->step, sizeof hello->step);
}

static void visit_setup(struct pack_fields *f, void *part)
{
    struct setup *setup = part;
    struct params *params = &setup->params;
    double deadline_s = params->farm_deadline_s;
    uint64_t memory_mb = (uint64_t)params->farm_memory_mb, nice = (uint64_t)params->farm_nice;
    struct params_remark remark;
    pack_fields_u64(f, "digest", &setup->digest, UINT64_MAX);
    pack_fields_real(f, "deadline_s", &deadline_s, 0, SETUP_DEADLINE_MAX_S);
    if (deadline_s == 0 && f->is_reading)
        pack_fields_fail(f, ERR_RANGE, "deadline_s", "0, expected above 0");
    pack_fields_u64(f, "memory_mb", &memory_mb, SETUP_MEMORY_MAX_MB);
    pack_fields_u64(f, "nice", &nice, SETUP_NICE_MAX);
    const msgpack_object *object = pack_fields_next(f, NULL);
    /* an evaluation that breeds needs the rules of breeding */
    if (f->writer)
        params_encode(params, params->evolution_behaviour == BEHAVIOUR_PRESERVE, f->writer);
    if (object)
        pack_fields_note(f, "params", params_decode(params, object, &remark, f->error));
    params->farm_deadline_s = deadline_s;
    params->farm_memory_mb = (int64_t)memory_mb;
    params->farm_nice = (int64_t)nice;
}

static void visit_ready(struct pack_fields *f, void *part)
{
    struct ready *ready = part;
    pack_fields_u64(f, "digest", &ready->digest, UINT64_MAX);
}

/* What all tasks begin with. */
static void visit_task_id(struct pack_fields *f, struct task *task)
{
    pack_fields_u64(f, "id", &task->id, UINT64_MAX);
    if (f->is_reading && task->id == 0)
        pack_fields_fail(f, ERR_RANGE, "id", "0, expected 1 or more");
}

static void visit_trial(struct pack_fields *f, struct trial *trial)
{
    char text[TRIAL_TEXT_SIZE];
    if (f->writer)
        trial_to_text(trial, text);
    pack_fields_text(f, "trial", text, sizeof text);
    if (f->is_reading && f->rc == 0)
        pack_fields_note(f, "trial", trial_from_text(trial, text, f->error));
}

static void visit_genome(struct pack_fields *f, struct genome *genome,
                         const struct packed_bytes *packed)
{
    if (f->writer && packed->bytes)
        pack_raw(f->writer, packed->bytes, packed->length);
    else
        genome_visit(f, "genome", genome);
}

static void visit_rivals(struct pack_fields *f, struct task *task)
{
    struct pack_fields list =
        pack_fields_list(f, "task.rivals", &task->rival_count, TASK_RIVALS_MAX);
    for (int i = 0; i < task->rival_count; i++) {
        struct task_rival *rival = &task->rivals[i];
        struct pack_fields in = pack_fields_record(&list, "task.rivals", RIVAL_FIELDS);
        pack_fields_u64(&in, "creature", &rival->creature, UINT64_MAX);
        visit_genome(&in, &rival->genome, &rival->packed);
        pack_fields_close(&list, &in);
    }
    pack_fields_close(f, &list);
    if (f->is_reading && task->rival_count != (task->trial.bout > 0))
        pack_fields_fail(f, ERR_RANGE, "rivals", "%d, but task.trial is%s of a contest",
                         task->rival_count, task->trial.bout > 0 ? "" : " not");
}

static void visit_task(struct pack_fields *f, void *part)
{
    struct task *task = part;
    visit_task_id(f, task);
    pack_fields_u64(f, "creature", &task->creature, UINT64_MAX);
    pack_fields_u32(f, "attempt", &task->attempt, UINT32_MAX);
    pack_fields_u64(f, "seed", &task->seed, UINT64_MAX);
    visit_trial(f, &task->trial);
    pack_fields_real(f, "hopeless_m_s", &task->bar.m_s, 0, EARLY_STOP_MAX);
    pack_fields_real(f, "hopeless_sizes_s", &task->bar.sizes_s, 0, EARLY_STOP_MAX);
    visit_genome(f, &task->genome, &task->packed);
    visit_rivals(f, task);
}

static void visit_epoch(struct pack_fields *f, void *part)
{
    struct task *task = part;
    visit_task_id(f, task);
    pack_fields_u32(f, "attempt", &task->attempt, UINT32_MAX);
    pack_fields_u64(f, "seed", &task->seed, UINT64_MAX);
    epoch_order_visit(f, &task->epoch);
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

static void visit_verdict(struct pack_fields *f, int *verdict)
{
    uint64_t number = (uint64_t)*verdict;
    pack_fields_u64(f, "verdict", &number, INT32_MAX);
    if (f->is_reading && !verdict_is_sent(number))
        pack_fields_fail(f, ERR_RANGE, "verdict", "%lu is no verdict of a simulator",
                         (unsigned long)number);
    *verdict = (int)number;
}

static void visit_measures(struct pack_fields *f, struct measures *measures)
{
    const msgpack_object *object = pack_fields_next(f, NULL);
    if (f->writer)
        measures_encode(measures, f->writer);
    if (object)
        pack_fields_note(f, "measures", measures_decode(measures, object, f->error));
}

static void visit_cost(struct pack_fields *f, struct task_cost *cost)
{
    struct pack_fields in = pack_fields_record(f, "result.cost", COST_FIELDS);
    pack_fields_real(&in, "wall_ms", &cost->wall_ms, 0, DBL_MAX);
    pack_fields_real(&in, "cpu_ms", &cost->cpu_ms, 0, DBL_MAX);
    pack_fields_u64(&in, "arena_bytes", &cost->arena_bytes, UINT64_MAX);
    pack_fields_close(f, &in);
}

static void visit_rival_results(struct pack_fields *f, struct result *result)
{
    struct pack_fields list =
        pack_fields_list(f, "result.rivals", &result->rival_count, TASK_RIVALS_MAX);
    for (int i = 0; i < result->rival_count; i++) {
        struct pack_fields in = pack_fields_record(&list, "result.rivals", RIVAL_FIELDS);
        visit_verdict(&in, &result->rivals[i].verdict);
        visit_measures(&in, &result->rivals[i].measures);
        pack_fields_close(&list, &in);
    }
    pack_fields_close(f, &list);
}

static void visit_result(struct pack_fields *f, void *part)
{
    struct result *result = part;
    pack_fields_u64(f, "id", &result->id, UINT64_MAX);
    pack_fields_u64(f, "creature", &result->creature, UINT64_MAX);
    visit_verdict(f, &result->verdict);
    pack_fields_u64(f, "digest", &result->digest, UINT64_MAX);
    visit_measures(f, &result->measures);
    pack_fields_real(f, "pace_least_m_s", &result->pace_least_m_s, 0, DBL_MAX);
    visit_cost(f, &result->cost);
    visit_rival_results(f, result);
}

static void visit_epoch_end(struct pack_fields *f, void *part)
{
    struct result *result = part;
    pack_fields_u64(f, "id", &result->id, UINT64_MAX);
    pack_fields_u64(f, "digest", &result->digest, UINT64_MAX);
    visit_cost(f, &result->cost);
    epoch_end_visit(f, &result->epoch);
}

static void visit_rejected(struct pack_fields *f, void *part)
{
    struct rejected *rejected = part;
    pack_fields_u64(f, "id", &rejected->id, UINT64_MAX);
    pack_fields_text(f, "reason", rejected->reason, sizeof rejected->reason);
}

static void visit_nothing(struct pack_fields *f, void *part)
{
    ENSURE(f->left == 0, "%zu fields of a message that has none", f->left);
}

/* By number. Only what a message of that kind has of `as` is made zero before it is read:
 * parameters are large. */
static const struct message_kind {
    const char *name;
    size_t field_count; /* the number included */
    size_t bytes;
    void (*visit)(struct pack_fields *f, void *part); /* what the kind has of `as` */
} message_kinds[] = {
    [MESSAGE_HELLO] = {"hello", HELLO_FIELDS, sizeof(struct hello), visit_hello},
    [MESSAGE_SETUP] = {"setup", 6, sizeof(struct setup), visit_setup},
    [MESSAGE_TASK] = {"task", 10, sizeof(struct task), visit_task},
    [MESSAGE_STOP] = {"stop", 1, 0, visit_nothing},
    [MESSAGE_EPOCH] = {"epoch", 4 + EPOCH_ORDER_FIELDS, sizeof(struct task), visit_epoch},
    [MESSAGE_READY] = {"ready", 2, sizeof(struct ready), visit_ready},
    [MESSAGE_RESULT] = {"result", 9, sizeof(struct result), visit_result},
    [MESSAGE_REJECTED] = {"rejected", 3, sizeof(struct rejected), visit_rejected},
    [MESSAGE_EPOCH_END] = {"epoch_end", 4 + EPOCH_END_FIELDS, sizeof(struct result),
                           visit_epoch_end},
};

/* ---- decoding ---- */

static int message_read(struct message *message, uint64_t type, const msgpack_object *fields,
                        size_t count, struct error *error)
{
    size_t kind_count = sizeof message_kinds / sizeof message_kinds[0];
    const struct message_kind *kind = type < kind_count ? &message_kinds[type] : &message_kinds[0];
    if (!kind->visit)
        return error_set(error, ERR_UNKNOWN, "message: unknown number %" PRIu64, type);
    if (type == MESSAGE_HELLO ? count < HELLO_FIELDS_MIN : count != kind->field_count)
        return error_set(error, ERR_FORMAT, "%s: %zu fields, expected %zu", kind->name, count,
                         kind->field_count);
    struct pack_fields f = {.is_reading = 1,
                            .elements = &fields[1],
                            .left = count - 1,
                            .where = kind->name,
                            .error = error};
    message->type = (int)type;
    memset(&message->as, 0, kind->bytes);
    kind->visit(&f, &message->as);
    if (f.rc != 0)
        message_deinit(message);
    return f.rc;
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
    packed_bytes_deinit(&task->packed);
    for (int i = 0; i < task->rival_count; i++) {
        genome_deinit(&task->rivals[i].genome);
        packed_bytes_deinit(&task->rivals[i].packed);
    }
    task->rival_count = 0;
    epoch_order_destroy(task->epoch);
    task->epoch = NULL;
}

void task_move(struct task *to, struct task *from)
{
    *to = *from;
    genome_init(&from->genome);
    from->packed = (struct packed_bytes){NULL, 0};
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

/* Visiting changes nothing of what is written. Messages are small; a process that cannot have memory
 * for one has no way to go on. */
void message_encode(struct pack_writer *writer, enum message_type type, const void *part)
{
    static const char room[FRAME_HEADER_BYTES];
    const struct message_kind *kind = &message_kinds[type];
    struct pack_fields f = {.writer = writer, .where = kind->name};
    unsigned char header[FRAME_HEADER_BYTES];
    size_t at = writer->buffer.size;
    pack_raw(writer, room, sizeof room);
    pack_array(writer, kind->field_count);
    pack_u64(writer, type);
    kind->visit(&f, (void *)part);
    ENSURE(!writer->has_failed, "%s", error_text(ERR_MEMORY));
    frame_write_header(header, writer->buffer.size - at - FRAME_HEADER_BYTES);
    memcpy(writer->buffer.data + at, header, sizeof header);
}

void message_encode_setup(struct pack_writer *writer, const struct params *params)
{
    struct setup setup = {.params = *params, .digest = params_evaluation_digest(params)};
    message_encode(writer, MESSAGE_SETUP, &setup);
}

void message_encode_rejected(struct pack_writer *writer, uint64_t id, const char *reason)
{
    /* Cut to what the other end takes, not inside a character of UTF-8. */
    struct rejected rejected = {.id = id};
    size_t length = strlen(reason);
    if (length >= sizeof rejected.reason)
        for (length = sizeof rejected.reason - 1;
             length > 0 && ((unsigned char)reason[length] & 0xc0) == 0x80;)
            length--;
    memcpy(rejected.reason, reason, length);
    message_encode(writer, MESSAGE_REJECTED, &rejected);
}
