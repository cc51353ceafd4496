/* Worker mode.
 *
 * One loop: read what there is, evaluate each task as its frame is complete, write each result at
 * once. Everything is blocking, since there is nothing else to do; tasks that the controller
 * prefetches wait in the pipe or in the frame reader. One arena serves all tasks, so that the first
 * one pays for the memory and an evaluation allocates nothing.
 *
 * No orphan survives: the end of the input ends the loop; a worker that computes is killed by the
 * kernel when its parent dies (Linux); and an evaluation that hangs, which neither would end under
 * another system, runs into its own alarm on processor time. That alarm is a last resort: the
 * deterministic limits are in evaluate_list(), and the controller, which looks at the same clock,
 * acts first. Memory has a limit of its own, too, so that one task cannot take the machine's. */
#include "simulator/task_server.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "common/math/hash.h"
#include "common/system/log.h"
#include "common/system/process.h"
#include "common/version.h"
#include "proto/message.h"
#include "simulator/evaluate/contest.h"
#include "simulator/fault.h"
#include "simulator/fingerprint.h"
#include "simulator/preserve/preserve_epoch.h"
#include "simulator/sandbox.h"

enum {
    READ_BYTES = 64 * 1024,
    /* the least room within a memory limit: a smaller limit makes no sense */
    MEMORY_FREE_BYTES = 16 << 20,
};

/* Beyond the controller's deadline, s, so that it is always the first to act. */
#define ALARM_SLACK_S 2.0

enum server_phase { SERVER_EXPECTS_HELLO, SERVER_EXPECTS_SETUP, SERVER_TAKES_TASKS };

/* The simulator at its end of the pipes: what a worker of the farm runs. */
struct task_server {
    int input, output;
    enum server_phase phase;
    struct frame_reader reader;
    struct pack_writer writer;
    struct arena arena;
    struct preserve_memory preserve; /* of a run of a preserve */
    int has_preserve;
    struct params params;
    uint64_t tasks_done;
    uint64_t fingerprint;
    int is_stopped;
    int is_confined; /* see sandbox.h */
};

/* ---- output ---- */

/* Logs errno. Returns ERR_IO. */
static int server_fail(const char *event)
{
    char text[128];
    log_event(LOG_ERROR, event, "reason=%s", log_quote(strerror(errno), text, sizeof text));
    return ERR_IO;
}

/* Writes all of it. 0, or ERR_IO (logged). */
static int server_flush(struct task_server *server)
{
    const char *bytes = server->writer.buffer.data;
    size_t left = server->writer.buffer.size;
    while (left > 0) {
        ssize_t written = write(server->output, bytes, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return server_fail("write_failed");
        bytes += written;
        left -= (size_t)written;
    }
    pack_writer_clear(&server->writer);
    return 0;
}

/* Tells the controller that it refuses what it got (id 0: not a task). 0 or ERR_IO. */
static int server_reject(struct task_server *server, uint64_t id, const char *reason)
{
    char text[600];
    log_event(LOG_ERROR, "rejected", "task=%" PRIu64 " reason=%s", id,
              log_quote(reason, text, sizeof text));
    message_encode_rejected(&server->writer, id, reason);
    return server_flush(server);
}

/* ---- the alarm ---- */

/* Processor time until the alarm; 0 switches it off. */
static void server_set_alarm(double seconds)
{
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - floor(seconds)) * 1e6);
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* The work on a task begins, and what it costs is counted until server_end_work(). The clock is
 * that of the only thread: the process's own goes by ticks while there is an alarm on it. */
static struct task_cost server_begin_work(const struct task_server *server, const struct task *task)
{
    fault_set_task(task->id, task->creature);
    server_set_alarm(server->params.farm_deadline_s * task_patience(task->attempt) + ALARM_SLACK_S);
    return (struct task_cost){.wall_ms = -clock_ms(CLOCK_MONOTONIC),
                              .cpu_ms = -clock_ms(CLOCK_THREAD_CPUTIME_ID)};
}

static void server_end_work(struct task_cost *cost)
{
    server_set_alarm(0);
    fault_set_task(0, 0);
    cost->wall_ms += clock_ms(CLOCK_MONOTONIC);
    cost->cpu_ms += clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- the machine's share ---- */

/* Limits this process's addresses. 0, or ERR_MEMORY if too little would be left to work with. */
static int server_limit_memory(int64_t memory_mb)
{
    struct rlimit limit;
    if (memory_mb == 0 || IS_SANITIZED || getrlimit(RLIMIT_AS, &limit) != 0)
        return 0;
    rlim_t bytes = (rlim_t)memory_mb << 20;
    if (limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max)
        limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 0;
    /* volatile: compilers may leave out unused memory */
    void *volatile probe = malloc(MEMORY_FREE_BYTES);
    int has_room = probe != NULL;
    free(probe);
    return has_room ? 0 : ERR_MEMORY;
}

/* Never less nice than it was started. */
static void server_give_way(int64_t nice_level)
{
    errno = 0;
    int now = getpriority(PRIO_PROCESS, 0);
    if (errno == 0 && nice_level > now)
        setpriority(PRIO_PROCESS, 0, (int)nice_level);
}

/* ---- messages ---- */

static int server_take_hello(struct task_server *server, const struct message *message)
{
    if (message->as.hello.protocol_version == PROTOCOL_VERSION &&
        strcmp(message->as.hello.build, message_build_id()) == 0) {
        server->phase = SERVER_EXPECTS_SETUP;
        return 0;
    }
    char reason[256];
    snprintf(reason, sizeof reason,
             "wrong version: the controller has protocol %" PRIu32
             ", \"%s\"; this is protocol %d, \"%s\"",
             message->as.hello.protocol_version, message->as.hello.build, PROTOCOL_VERSION,
             message_build_id());
    server_reject(server, 0, reason);
    return ERR_VERSION;
}

static int server_take_setup(struct task_server *server, const struct message *message)
{
    uint64_t digest = params_evaluation_digest(&message->as.setup.params);
    if (digest != message->as.setup.digest) {
        server_reject(server, 0, "setup: the parameters do not have the digest they came with");
        return ERR_VERSION;
    }
    server->params = message->as.setup.params;
    if (server_limit_memory(server->params.farm_memory_mb) != 0) {
        char reason[128];
        snprintf(reason, sizeof reason, "farm.memory_mb: %" PRId64 " leaves no room to work",
                 server->params.farm_memory_mb);
        server_reject(server, 0, reason);
        return ERR_LIMIT;
    }
    server_give_way(server->params.farm_nice);
    server->is_confined |= sandbox_enter();
    server->phase = SERVER_TAKES_TASKS;
    char text[17];
    hash_to_text(digest, text);
    log_event(LOG_INFO, "setup",
              "params_digest=%s deadline_s=%g memory_mb=%" PRId64 " nice=%" PRId64 " confined=%d",
              text, server->params.farm_deadline_s, server->params.farm_memory_mb,
              server->params.farm_nice, server->is_confined);
    message_encode(&server->writer, MESSAGE_READY, &(struct ready){digest});
    return server_flush(server);
}

static void server_log_result(const struct task *task, const struct result *result, uint64_t work)
{
    char digest[17], trial[TRIAL_TEXT_SIZE];
    hash_to_text(result->digest, digest);
    trial_to_text(&task->trial, trial);
    log_event(LOG_INFO, "task",
              "task=%" PRIu64 " creature=%" PRIu64 " attempt=%" PRIu32
              " trial=%s verdict=%s digest=%s parts=%d time_s=%.6g cost_ms=%.3f cpu_ms=%.3f"
              " arena_bytes=%" PRIu64 " work=%.3g",
              task->id, task->creature, task->attempt, trial, verdict_name(result->verdict), digest,
              (int)result->measures.parts, result->measures.time_s, result->cost.wall_ms,
              result->cost.cpu_ms, result->cost.arena_bytes, 1e-9 * (double)work);
}

static void server_set_result(struct result *result, const struct task *task,
                              const struct evaluation *evaluations)
{
    result->id = task->id;
    result->creature = task->creature;
    result->verdict = evaluations[0].verdict;
    result->measures = evaluations[0].measures;
    result->digest = evaluations[0].digest;
    result->pace_least_m_s = evaluations[0].pace_least_m_s;
    result->cost.arena_bytes = evaluations[0].arena_bytes;
    result->rival_count = task->rival_count;
    for (int i = 0; i < task->rival_count; i++)
        result->rivals[i] =
            (struct rival_result){evaluations[1 + i].verdict, evaluations[1 + i].measures};
}

/* A contest needs more than an evaluation, and most runs have none. 0 or ERR_MEMORY. */
static int server_make_room(struct task_server *server, const struct task *task)
{
    if (task->rival_count == 0 || server->arena.size_bytes >= CONTEST_ARENA_BYTES)
        return 0;
    arena_deinit(&server->arena);
    int status = arena_init(&server->arena, CONTEST_ARENA_BYTES);
    if (status != 0)
        log_event(LOG_ERROR, "no_memory", "bytes=%u", CONTEST_ARENA_BYTES);
    return status;
}

static int server_take_task(struct task_server *server, const struct message *message)
{
    const struct task *task = &message->as.task;
    const struct genome *genomes[1 + TASK_RIVALS_MAX] = {&task->genome, &task->rivals[0].genome};
    struct params params = server->params;
    const struct evaluate_order order = {.genomes = genomes,
                                         .count = 1 + task->rival_count,
                                         .params = &params,
                                         .trial = &task->trial,
                                         .seed = task->seed};
    struct error error = {0};
    if (evaluate_list_check(&order, &error))
        return server_reject(server, task->id, error.message);
    if (server_make_room(server, task))
        return ERR_MEMORY;
    struct evaluation evaluations[1 + TASK_RIVALS_MAX];
    early_stop_apply_bar(&task->bar, &params);
    struct result result = {.cost = server_begin_work(server, task)};
    evaluate_list(&order, NULL, &server->arena, evaluations);
    server_end_work(&result.cost);
    server_set_result(&result, task, evaluations);
    server->tasks_done++;
    server_log_result(task, &result, evaluations[0].work);
    message_encode(&server->writer, MESSAGE_RESULT, &result);
    return server_flush(server);
}

/* ---- epochs ---- */

/* Only runs of a preserve have need of it. 0 or ERR_MEMORY. */
static int server_make_preserve(struct task_server *server)
{
    if (server->has_preserve)
        return 0;
    int status = preserve_memory_init(&server->preserve);
    server->has_preserve = status == 0;
    if (status != 0)
        log_event(LOG_ERROR, "no_memory", "bytes=%u", PRESERVE_ARENA_BYTES);
    return status;
}

/* An epoch under way. */
struct epoch_run {
    uint64_t task;
    struct epoch_end *end;
    int status;
};

static void epoch_hear(void *context, const struct preserve_event *event)
{
    struct epoch_run *run = context;
    struct epoch_life life;
    if (preserve_epoch_life(event, &life) && run->status == 0)
        run->status = epoch_end_add_life(run->end, &life);
    if (run->status == 0)
        run->status = preserve_epoch_form(event, run->end);
}

static void epoch_busy(void *context, uint64_t creature)
{
    fault_set_task(((struct epoch_run *)context)->task, creature);
}

static void epoch_refuse(void *context, const struct epoch_deed *deed, const char *why)
{
    log_event(LOG_WARN, "vain_deed", "deed=%s life=%" PRIu64 " reason=\"%s\"",
              epoch_deed_names[deed->kind], deed->life, why);
}

/* 0, or ERR_* with a message. */
static int server_live_epoch(struct task_server *server, const struct task *task,
                             struct result *result, struct error *error)
{
    struct preserve_state state;
    struct params params = server->params;
    struct epoch_run run = {.task = task->id, .end = result->epoch};
    struct preserve_watcher watcher = {
        .hear = epoch_hear, .busy = epoch_busy, .refuse = epoch_refuse, .context = &run};
    preserve_apply(&params);
    int status = preserve_epoch_begin(&state, &params, task->seed, task->epoch, &server->preserve,
                                      &watcher, error);
    if (status != 0)
        return status;
    status = preserve_epoch_live(&state, &params, task->epoch, &watcher, &server->preserve,
                                 &result->epoch->traveller, error);
    if (status == 0 && (run.status || preserve_state_pack(&state, &result->epoch->state)))
        status = error_memory(error);
    preserve_epoch_facts(&state, result->epoch->facts);
    result->digest = preserve_digest(&state);
    preserve_state_deinit(&state);
    return status;
}

static void server_log_epoch(const struct task *task, const struct result *result)
{
    char digest[17];
    hash_to_text(result->digest, digest);
    log_event(LOG_INFO, "epoch",
              "task=%" PRIu64 " world=%" PRIu32 " epoch=%" PRIu32 " attempt=%" PRIu32
              " digest=%s living=%" PRId64 " bytes=%zu cost_ms=%.3f cpu_ms=%.3f",
              task->id, task->epoch->world, task->epoch->epoch, task->attempt, digest,
              result->epoch->facts[EPOCH_living], result->epoch->state.length, result->cost.wall_ms,
              result->cost.cpu_ms);
}

static int server_take_epoch(struct task_server *server, const struct message *message)
{
    const struct task *task = &message->as.task;
    struct error error = {0};
    struct result result = {.id = task->id, .epoch = epoch_end_create()};
    if (!result.epoch || server_make_preserve(server) != 0) {
        epoch_end_destroy(result.epoch);
        return ERR_MEMORY;
    }
    result.cost = server_begin_work(server, task);
    int status = server_live_epoch(server, task, &result, &error);
    server_end_work(&result.cost);
    result.cost.arena_bytes = server->preserve.bodies.high_water_bytes;
    if (status == 0) {
        server->tasks_done++;
        server_log_epoch(task, &result);
        message_encode(&server->writer, MESSAGE_EPOCH_END, &result);
        status = server_flush(server);
    } else
        status = server_reject(server, task->id, error.message);
    epoch_end_destroy(result.epoch);
    return status;
}

/* A decoded message, if this is the time for it. 0, or ERR_* (already logged or told). */
static int server_take_message(struct task_server *server, const struct message *message)
{
    if (message->type == MESSAGE_HELLO && server->phase == SERVER_EXPECTS_HELLO)
        return server_take_hello(server, message);
    if (message->type == MESSAGE_SETUP && server->phase != SERVER_EXPECTS_HELLO)
        return server_take_setup(server, message);
    if (message->type == MESSAGE_TASK && server->phase == SERVER_TAKES_TASKS)
        return server_take_task(server, message);
    if (message->type == MESSAGE_EPOCH && server->phase == SERVER_TAKES_TASKS)
        return server_take_epoch(server, message);
    if (message->type == MESSAGE_STOP && server->phase != SERVER_EXPECTS_HELLO) {
        server->is_stopped = 1;
        return 0;
    }
    log_event(LOG_ERROR, "bad_frame", "reason=\"message %d does not belong here\"", message->type);
    return ERR_FORMAT;
}

static int server_take_frame(struct task_server *server, const unsigned char *payload,
                             size_t length)
{
    struct message message;
    struct error error = {0};
    uint64_t rejected_id;
    int status = message_decode(&message, payload, length, &rejected_id, &error);
    if (status == ERR_MEMORY) {
        log_event(LOG_ERROR, "out_of_memory", "task=%" PRIu64 " memory_mb=%" PRId64, rejected_id,
                  server->params.farm_memory_mb);
        return status;
    }
    if (status != 0 && rejected_id != 0 && server->phase == SERVER_TAKES_TASKS)
        return server_reject(server, rejected_id, error.message);
    if (status != 0) {
        char text[600];
        log_event(LOG_ERROR, "bad_frame", "reason=%s", log_quote(error.message, text, sizeof text));
        return status;
    }
    status = server_take_message(server, &message);
    message_deinit(&message);
    return status;
}

/* ---- the loop ---- */

/* The bytes that were read, as far as their frames are complete. 0, or ERR_*. */
static int server_take_bytes(struct task_server *server, const char *bytes, size_t length)
{
    struct error error = {0};
    int status = frame_reader_feed(&server->reader, bytes, length);
    if (status != 0) {
        log_event(LOG_ERROR, "read_failed", "reason=\"%s\"", error_text(status));
        return status;
    }
    while (status == 0 && !server->is_stopped) {
        const unsigned char *payload;
        size_t payload_length;
        int found = frame_reader_next(&server->reader, &payload, &payload_length, &error);
        if (found == 0)
            return 0;
        if (found < 0) {
            log_event(LOG_ERROR, "bad_frame", "reason=\"%s\"", error.message);
            return found;
        }
        status = server_take_frame(server, payload, payload_length);
    }
    return status;
}

static int server_serve(struct task_server *server)
{
    struct hello hello;
    hello_init(&hello, server->fingerprint);
    message_encode(&server->writer, MESSAGE_HELLO, &hello);
    int status = server_flush(server);
    while (status == 0 && !server->is_stopped) {
        char bytes[READ_BYTES];
        ssize_t count = read(server->input, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return server_fail("read_failed");
        size_t pending = frame_reader_pending(&server->reader);
        if (count == 0 && pending > 0) {
            log_event(LOG_ERROR, "bad_frame", "reason=\"the input ended inside a frame\" bytes=%zu",
                      pending);
            return ERR_FORMAT;
        }
        if (count == 0)
            return 0;
        status = server_take_bytes(server, bytes, (size_t)count);
    }
    return status;
}

/* A terminal's Ctrl-C reaches the whole process group, but the controller decides what it means.
 * Returns 0, or ERR_MISSING if the parent died meanwhile. */
static int server_set_signals(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    fault_watch();
#ifdef __linux__
    pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return ERR_MISSING;
#endif
    return 0;
}

/* A terminal would change bytes on their way: it adds carriage returns. */
static void server_make_raw(int output)
{
    struct termios terminal;
    if (tcgetattr(output, &terminal) != 0)
        return;
    terminal.c_oflag &= ~(tcflag_t)OPOST;
    terminal.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
    tcsetattr(output, TCSANOW, &terminal);
}

int task_server_run(int input, int output)
{
    struct task_server server = {.input = input, .output = output};
    sandbox_close_files(input, output);
    server_make_raw(output);
    log_event(LOG_INFO, "start", "pid=%d version=%s simulator_version=%d protocol=%d",
              (int)getpid(), BESTIARY_VERSION, SIMULATOR_VERSION, PROTOCOL_VERSION);
    frame_reader_init(&server.reader);
    pack_writer_init(&server.writer);
    params_set_defaults(&server.params);
    int status = arena_init(&server.arena, EVALUATE_ARENA_BYTES);
    if (status != 0)
        log_event(LOG_ERROR, "no_memory", "bytes=%u", EVALUATE_ARENA_BYTES);
    if (status == 0)
        status = server_set_signals();
    if (status == 0) {
        server.fingerprint = fingerprint_compute(&server.arena);
        status = server_serve(&server);
        log_event(status == 0 ? LOG_INFO : LOG_ERROR, "end", "tasks=%" PRIu64 " reason=%s",
                  server.tasks_done,
                  status != 0         ? "error"
                  : server.is_stopped ? "stop"
                                      : "end-of-input");
        arena_deinit(&server.arena);
    }
    if (server.has_preserve)
        preserve_memory_deinit(&server.preserve);
    pack_writer_deinit(&server.writer);
    frame_reader_deinit(&server.reader);
    return status == 0 ? 0 : status == ERR_MEMORY ? WORKER_EXIT_MEMORY : 1;
}
