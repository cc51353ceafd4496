/* The worker loop over real pipes: the conversation in order, every kind of wrong input, and the
 * ends. The worker is a child process, so that its exit code and what it sent are seen as the
 * controller sees them. checks: forked runs: watched */
#define _GNU_SOURCE /* prlimit() */
#include "simulator/task_server.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/version.h"
#include "proto/message.h"
#include "simulator/fingerprint.h"
#include "tests/chain_genome.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/plain_fixture.h"

static pid_t child;
static int to_child, from_child; /* to_child: -1 once it is closed */
static struct message message;   /* the last of the worker */
static struct frame_reader reader;
static struct pack_writer writer;
static char log_path[32];
static int log_file;

static void setup(void)
{
    int input[2], output[2];
    ck_assert_int_eq(pipe(input), 0);
    ck_assert_int_eq(pipe(output), 0);
    strcpy(log_path, "/tmp/test_task_server.XXXXXX");
    log_file = mkstemp(log_path);
    ck_assert_int_ge(log_file, 0);
    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(input[1]);
        close(output[0]);
        dup2(log_file, STDERR_FILENO);
        _exit(task_server_run(input[0], output[1]));
    }
    close(input[0]);
    close(output[1]);
    to_child = input[1];
    from_child = output[0];
    signal(SIGPIPE, SIG_IGN);
    frame_reader_init(&reader);
    pack_writer_init(&writer);
    params_set_defaults(&params);
    params.simulation_duration_s = 0.5;
}

static void teardown(void)
{
    frame_reader_deinit(&reader);
    pack_writer_deinit(&writer);
    close(to_child);
    close(from_child);
    unlink(log_path);
}

/* ---- talking ---- */

static void send_raw(const void *bytes, size_t length)
{
    ck_assert_int_eq(write(to_child, bytes, length), (ssize_t)length);
}

static void send_written(void)
{
    send_raw(writer.buffer.data, writer.buffer.size);
    pack_writer_clear(&writer);
}

/* The next message of the worker; 0 at the end of its output. */
static int receive(void)
{
    for (;;) {
        const unsigned char *payload;
        size_t length;
        uint64_t rejected_id;
        char bytes[4096];
        int found = frame_reader_next(&reader, &payload, &length, &error);
        ck_assert_int_ge(found, 0);
        if (found == 1) {
            ck_ok(message_decode(&message, payload, length, &rejected_id, &error));
            return 1;
        }
        ssize_t count = read(from_child, bytes, sizeof bytes);
        ck_assert_int_ge(count, 0);
        if (count == 0)
            return 0;
        ck_assert_int_eq(frame_reader_feed(&reader, bytes, (size_t)count), 0);
    }
}

static void expect(int type)
{
    ck_assert_int_eq(receive(), 1);
    ck_assert_int_eq(message.type, type);
}

static void expect_silence(void)
{
    ck_assert_int_eq(receive(), 0);
}

static int wait_for_end(void)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void expect_exit(int code)
{
    int status = wait_for_end();
    ck_assert_msg(WIFEXITED(status), "status %d", status);
    ck_assert_int_eq(WEXITSTATUS(status), code);
}

/* The worker says nothing more. */
static void expect_last(int code)
{
    expect_silence();
    expect_exit(code);
}

static void hang_up(void)
{
    close(to_child);
    to_child = -1;
}

/* Ends the worker in the usual way. */
static void end_worker(void)
{
    hang_up();
    expect_exit(0);
}

static int is_in_log(const char *text)
{
    char bytes[8192];
    ssize_t count = pread(log_file, bytes, sizeof bytes - 1, 0);
    ck_assert_int_ge(count, 0);
    bytes[count] = '\0';
    return strstr(bytes, text) != NULL;
}

static void send_task_as(struct task task, uint64_t id)
{
    task.id = id;
    task.creature = id + 100;
    task.seed = 9;
    chain_genome_make(&task.genome, 2);
    message_encode(&writer, MESSAGE_TASK, &task);
    send_written();
    genome_deinit(&task.genome);
}

static void send_task(uint64_t id)
{
    send_task_as((struct task){.id = 0}, id);
}

/* A task that is done: its result is the last message. */
static const struct result *do_task(struct task task)
{
    send_task_as(task, 5);
    expect(MESSAGE_RESULT);
    return &message.as.result;
}

static void encode_hello(void)
{
    struct hello hello;
    hello_init(&hello, 0);
    message_encode(&writer, MESSAGE_HELLO, &hello);
}

/* As far as ready. */
static void open_conversation(void)
{
    encode_hello();
    message_encode_setup(&writer, &params);
    send_written();
    expect(MESSAGE_HELLO);
    ck_assert_uint_eq(message.as.hello.protocol_version, PROTOCOL_VERSION);
    ck_assert_str_eq(message.as.hello.build, message_build_id());
    ck_assert_uint_eq(message.as.hello.pid, (uint64_t)child);
    struct hello ours;
    hello_init(&ours, 0);
    ck_assert_str_eq(message.as.hello.host, ours.host);
    arena_open(EVALUATE_ARENA_BYTES);
    ck_assert_uint_eq(message.as.hello.fingerprint, fingerprint_compute(&arena));
    expect(MESSAGE_READY);
    ck_assert_uint_eq(message.as.ready.digest, params_evaluation_digest(&params));
}

/* ---- in order ---- */

TEST(tasks_and_stop)
{
    uint64_t digests[3];
    open_conversation();
    for (int i = 0; i < 3; i++)
        send_task(5);
    message_encode(&writer, MESSAGE_STOP, NULL);
    send_written();
    for (int i = 0; i < 3; i++) {
        expect(MESSAGE_RESULT);
        ck_assert_uint_eq(message.as.result.id, 5);
        ck_assert_uint_eq(message.as.result.creature, 105);
        ck_assert_double_eq(message.as.result.measures.parts, 2);
        ck_assert_uint_gt(message.as.result.cost.arena_bytes, 0);
        digests[i] = message.as.result.digest;
    }
    ck_assert_uint_eq(digests[0], digests[1]);
    ck_assert_uint_eq(digests[0], digests[2]);
    expect_last(0);
    ck_assert(is_in_log("event=start pid="));
    ck_assert(is_in_log("event=task task=5 creature=105 attempt=0 trial=first verdict=ok digest="));
    ck_assert(is_in_log("event=end tasks=3 reason=stop"));
}

/* None is too short for the clock. While the alarm of a task is set, the kernel may sum the
 * process's time only a few hundred times a second: a task in between then took none. */
TEST(each_task_has_its_processor_time)
{
    open_conversation();
    for (int i = 0; i < 200; i++) {
        double cpu_ms = do_task((struct task){.id = 0})->cost.cpu_ms;
        ck_assert_msg(cpu_ms > 0.001, "task %d: %g ms", i, cpu_ms);
    }
    end_worker();
}

/* The motion of the same task evaluated here, with other parameters. */
static uint64_t digest_with(struct params own)
{
    SCOPED(genome) genome;
    struct evaluation evaluation;
    arena_open(EVALUATE_ARENA_BYTES);
    chain_genome_make(&genome, 2);
    evaluate(&genome, &own, 9, &arena, NULL, NULL, &evaluation);
    return evaluation.digest;
}

static uint64_t digest_at(double dt_s)
{
    struct params own = params;
    own.simulation_dt_s = dt_s;
    return digest_with(own);
}

/* The step is halved for the one task only. */
TEST(halved_steps)
{
    static const int halvings[] = {0, 2, 1, 0};
    uint64_t digests[4];
    open_conversation();
    for (int i = 0; i < 4; i++)
        digests[i] = do_task((struct task){.trial = {.halvings = halvings[i]}})->digest;
    ck_assert_uint_eq(digests[0], digest_at(params.simulation_dt_s));
    ck_assert_uint_eq(digests[1], digest_at(params.simulation_dt_s / 4));
    ck_assert_uint_eq(digests[2], digest_at(params.simulation_dt_s / 2));
    ck_assert_uint_eq(digests[3], digests[0]);
    ck_assert(digests[1] != digests[0] && digests[2] != digests[0] && digests[1] != digests[2]);
    ck_assert(is_in_log(
        "event=task task=5 creature=105 attempt=0 trial=first+finer-2 verdict=ok digest="));
    end_worker();
}

/* So are perturbation, solver and bar others. */
TEST(other_trials)
{
    static const struct task tasks[] = {{.trial = {TRIAL_ENTRY, .perturbation = 2}},
                                        {.trial = {TRIAL_CHAMPION, .has_other_solver = 1}},
                                        {.trial = {.purpose = TRIAL_FIRST}},
                                        {.bar = {0, 50}}};
    struct params own[4];
    uint64_t digests[4];
    params.guard_hopeless_s = 0.5;
    open_conversation();
    own[0] = own[1] = own[2] = own[3] = params;
    own[0].simulation_perturbation = 2;
    own[1].simulation_solver = SOLVER_CONSTRAINT;
    own[3].guard_hopeless_sizes_s = 50;
    for (int i = 0; i < 4; i++) {
        digests[i] = do_task(tasks[i])->digest;
        ck_assert_uint_eq(digests[i], digest_with(own[i]));
    }
    ck_assert(digests[0] != digests[2] && digests[1] != digests[2] && digests[0] != digests[1]);
    ck_assert(digests[3] != digests[2]);
    ck_assert(is_in_log("trial=first verdict=hopeless"));
    ck_assert(is_in_log("trial=entry+perturbed-2 verdict="));
    ck_assert(is_in_log("trial=champion+other-solver verdict="));
    end_worker();
}

TEST(end_of_input)
{
    open_conversation();
    send_task(1);
    hang_up();
    expect(MESSAGE_RESULT);
    expect_last(0);
    ck_assert(is_in_log("reason=end-of-input"));
}

/* One byte at a time: the loop must not depend on how the pipe cuts. */
TEST(in_single_bytes)
{
    encode_hello();
    message_encode_setup(&writer, &params);
    message_encode(&writer, MESSAGE_STOP, NULL);
    for (size_t i = 0; i < writer.buffer.size; i++)
        send_raw(writer.buffer.data + i, 1);
    expect(MESSAGE_HELLO);
    expect(MESSAGE_READY);
    expect_last(0);
}

/* ---- what is refused ---- */

/* A task that cannot be read is given back by its id; the next one is done. */
TEST(unreadable_task)
{
    struct task task = {.id = 11, .creature = 1};
    open_conversation();
    chain_genome_make(&task.genome, 2);
    task.genome.root = 99;
    message_encode(&writer, MESSAGE_TASK, &task);
    send_written();
    genome_deinit(&task.genome);
    send_task(12);
    expect(MESSAGE_REJECTED);
    ck_assert_uint_eq(message.as.rejected.id, 11);
    ck_assert_ptr_nonnull(strstr(message.as.rejected.reason, "task.genome"));
    expect(MESSAGE_RESULT);
    ck_assert_uint_eq(message.as.result.id, 12);
    end_worker();
}

static void expect_refusal(const char *reason)
{
    expect(MESSAGE_HELLO);
    expect(MESSAGE_REJECTED);
    ck_assert_uint_eq(message.as.rejected.id, 0);
    ck_assert_msg(strstr(message.as.rejected.reason, reason) != NULL, "%s",
                  message.as.rejected.reason);
    expect_last(1);
}

TEST(other_version)
{
    send_raw("\x00\x00\x00\x0a\x94\x01\x7f\xa5older\x01", 14);
    expect_refusal("the controller has protocol 127, \"older\"");
}

TEST(other_digest)
{
    encode_hello();
    /* The digest is the first field after the message's number, as 64 bits. */
    size_t at = writer.buffer.size;
    message_encode_setup(&writer, &params);
    ck_assert_uint_eq((unsigned char)writer.buffer.data[at + 6], 0xcf);
    writer.buffer.data[at + 8] ^= 1;
    send_written();
    expect_refusal("digest");
}

static void expect_bad_frame(void)
{
    expect_last(1);
    ck_assert(is_in_log("level=error event=bad_frame"));
}

TEST_LOOP(garbage, 0, 24)
{
    unsigned char bytes[512];
    struct rng rng = test_rng(1, 0, (uint64_t)_i);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)rng_u32(&rng);
    if (_i % 2 == 1)
        open_conversation();
    else
        expect(MESSAGE_HELLO);
    /* Half of the rounds: garbage inside a frame of good length. */
    if (_i % 4 >= 2)
        frame_write_header(bytes, sizeof bytes - FRAME_HEADER_BYTES);
    else
        bytes[0] |= 1;
    send_raw(bytes, sizeof bytes);
    expect_bad_frame();
}

TEST(end_inside_a_frame)
{
    open_conversation();
    send_raw("\x00\x00\x00\x05\x91", 5);
    hang_up();
    expect_bad_frame();
}

/* Messages that are good, but not now, or not from this side. */
TEST_LOOP(out_of_order, 0, 4)
{
    if (_i >= 2)
        open_conversation();
    else
        expect(MESSAGE_HELLO);
    if (_i == 0)
        message_encode_setup(&writer, &params);
    else if (_i == 3)
        message_encode(&writer, MESSAGE_READY, &(struct ready){1});
    else
        encode_hello();
    send_written();
    if (_i == 1)
        send_task(1);
    expect_bad_frame();
}

/* ---- ends from outside ---- */

TEST(signals)
{
    open_conversation();
    /* Ctrl-C is the controller's business. */
    ck_assert_int_eq(kill(child, SIGINT), 0);
    send_task(1);
    expect(MESSAGE_RESULT);
    ck_assert_int_eq(kill(child, SIGTERM), 0);
    expect_silence();
    int status = wait_for_end();
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(nobody_listens)
{
    open_conversation();
    close(from_child);
    send_task(1);
    expect_exit(1);
    ck_assert(is_in_log("event=write_failed"));
}

/* An evaluation far beyond its deadline ends the process by its own alarm. */
TEST(hung_task)
{
    params.simulation_duration_s = 3600;
    params.simulation_dt_s = 0.0001;
    params.guard_motionless_s = 0;
    params.farm_deadline_s = 0.05;
    params.guard_budget = 0;
    open_conversation();
    send_task(1);
    expect_last(WORKER_EXIT_HUNG);
    ck_assert(is_in_log("event=hung"));
}

/* A second attempt has twice the time: what the first could not do in its time is done then. */
TEST(patience_grows)
{
    ck_assert(task_patience(0) == 1);
    ck_assert(task_patience(1) == 2);
    ck_assert(task_patience(1000000) == 64);
    ck_assert(task_patience(UINT32_MAX) == 64);
}

TEST(gives_way)
{
    int before = getpriority(PRIO_PROCESS, 0), wanted = before < 17 ? before + 2 : 19;
    params.farm_nice = wanted > 0 ? wanted : 1;
    open_conversation();
    ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)child), (int)params.farm_nice);
    hang_up();
    expect_last(0);
}

/* The sanitizers need terabytes of addresses, so that the worker sets no limit under them. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !defined(__has_feature)
#define HAS_LIMITS 1
#elif !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define HAS_LIMITS 1
#endif
#endif

#ifdef HAS_LIMITS
TEST(memory_has_a_limit)
{
    struct rlimit limit;
    params.farm_memory_mb = 300;
    open_conversation();
    ck_assert_int_eq(prlimit(child, RLIMIT_AS, NULL, &limit), 0);
    ck_assert_uint_eq(limit.rlim_cur, 300u << 20);
    send_task(1);
    expect(MESSAGE_RESULT);
    hang_up();
    expect_last(0);
}

TEST(senseless_memory_limit)
{
    params.farm_memory_mb = 8;
    encode_hello();
    message_encode_setup(&writer, &params);
    send_written();
    expect(MESSAGE_HELLO);
    expect(MESSAGE_REJECTED);
    ck_assert_uint_eq(message.as.rejected.id, 0);
    ck_assert_str_eq(message.as.rejected.reason, "farm.memory_mb: 8 leaves no room to work");
    expect_last(1);
}

TEST(out_of_memory)
{
    static const char frame[600000] = {0, 15};
    struct rlimit none = {4096, 4096};
    open_conversation();
    ck_assert_int_eq(prlimit(child, RLIMIT_AS, &none, NULL), 0);
    for (size_t sent = 0; sent < sizeof frame;) {
        ssize_t written = write(to_child, frame + sent, sizeof frame - sent);
        if (written <= 0)
            break;
        sent += (size_t)written;
    }
    expect_last(WORKER_EXIT_MEMORY);
    ck_assert(is_in_log("out of memory"));
}
#endif

SUITE("worker", 60, setup, teardown)
