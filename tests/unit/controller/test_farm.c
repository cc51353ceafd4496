/* The farm with real processes. This program is its own simulator: started again with --worker=KIND
 * (by way of farm.launcher) it speaks the protocol and misbehaves as KIND says. Whatever happens,
 * each task leaves the farm exactly once with the right digest, and no process, handle or
 * descriptor is left. speed: long checks: forked */
#include "controller/workers/farm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/math/hash.h"
#include "common/system/file.h"
#include "common/system/log.h"
#include "tests/chain_genome.h"
#include "tests/sanitized.h"
#include "tests/suite.h"

/* The task that goes wrong. */
#define BAD_TASK 7
/* One that keeps the farm at work meanwhile. */
#define LONG_TASK 11
/* Any number. */
#define MANY INT_MAX

static uint64_t digest_of(uint64_t id, uint64_t seed)
{
    return hash_u64(hash_u64(HASH_START, id), seed);
}

/* ---- the simulator's side ---- */

static struct pack_writer out;

static void fake_send(void)
{
    const char *bytes = out.buffer.data;
    size_t left = out.buffer.size;
    while (left > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, left);
        if (written <= 0)
            _exit(1);
        bytes += written;
        left -= (size_t)written;
    }
    pack_writer_clear(&out);
}

static void fake_send_raw(const char *bytes, size_t length)
{
    pack_raw(&out, bytes, length);
    fake_send();
}

static void fake_write_result(uint64_t id, uint64_t creature, int verdict, uint64_t seed)
{
    struct result result = {.id = id,
                            .creature = creature,
                            .verdict = verdict,
                            .digest = digest_of(id, seed),
                            .cost = {.wall_ms = 1, .cpu_ms = 1}};
    message_encode(&out, MESSAGE_RESULT, &result);
}

static void fake_answer(const struct task *task)
{
    fake_write_result(task->id, task->creature, VERDICT_OK, task->seed);
    fake_send();
}

static void fake_die(int signal_number)
{
    struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    _exit(99);
}

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void burn_ms(long ms)
{
    clock_t until = clock() + ms * (CLOCKS_PER_SEC / 1000);
    while (clock() < until)
        continue;
}

/* A result of another kind than the task's, or half of one. */
static void fake_other(const struct result *result, size_t share)
{
    message_encode(&out, MESSAGE_RESULT, result);
    out.buffer.size /= share;
    fake_send();
    if (share > 1)
        _exit(0);
}

static void sleep_long(void)
{
    sleep_ms(3600 * 1000L);
}

static void spin(void)
{
    for (;;)
        clock();
}

static char marks[160]; /* where this test's processes tell one another something */

/* 1 in the one process of a test that makes a mark first. */
static int fake_mark(const char *name)
{
    int descriptor = open(printed("%s.%s", marks, name), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

static int fake_has_mark(const char *name)
{
    return access(printed("%s.%s", marks, name), F_OK) == 0;
}

/* The bad task waits until the one behind it has been answered. 1 if that was done here. */
static int fake_overtake(const char *kind, const struct task *task)
{
    static struct task waiting;
    int is_rejected = strcmp(kind, "reject-early") == 0;
    if (!is_rejected && strcmp(kind, "answer-early") != 0)
        return 0;
    if (task->id == BAD_TASK && task->attempt == 0) {
        waiting = (struct task){.id = task->id, .creature = task->creature, .seed = task->seed};
        return 1;
    }
    if (waiting.id == 0)
        return 0;
    if (is_rejected)
        message_encode_rejected(&out, task->id, "too early");
    else
        fake_write_result(task->id, task->creature, VERDICT_OK, task->seed);
    fake_answer(&waiting);
    waiting.id = 0;
    return 1;
}

/* How a kind dies of the bad task, at so many attempts: of a signal, or with an exit code. */
static const struct {
    const char *kind;
    int attempts, signal_number, exit_code;
} deaths[] = {{"crash", MANY, SIGSEGV, 0},
              {"crash-twice", 2, SIGABRT, 0},
              {"launcher", 6, SIGSEGV, 0},
              {"sent-often", 6, 0, WORKER_EXIT_SENT},
              {"exit-often", 4, 0, 9},
              {"memory", MANY, 0, WORKER_EXIT_MEMORY},
              {"alarm", MANY, 0, WORKER_EXIT_HUNG}};

static void fake_die_of(const char *kind, const struct task *task)
{
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        if (strcmp(kind, deaths[i].kind) != 0 || (int)task->attempt >= deaths[i].attempts)
            continue;
        if (deaths[i].signal_number)
            fake_die(deaths[i].signal_number);
        _exit(deaths[i].exit_code);
    }
}

/* A worker of that kind errs at the first attempt of the bad task, before it answers. */
static void fake_err_once(const char *kind, const struct task *task)
{
    struct result other = {.id = task->id, .creature = task->creature};
    if (strcmp(kind, "garbage") == 0)
        fake_send_raw("\xde\xad\xbe\xef, said the simulator", 25);
    if (strcmp(kind, "bad-message") == 0)
        fake_send_raw("\x00\x00\x00\x02\x91\x3f", 6);
    if (strcmp(kind, "truncate") == 0)
        fake_other(&other, 2);
    if (strcmp(kind, "hang") == 0)
        sleep_long();
    if (strcmp(kind, "stopped") == 0)
        raise(SIGSTOP);
    if (strcmp(kind, "spin") == 0 || strcmp(kind, "slow-spin") == 0)
        spin();
    if (strcmp(kind, "close") == 0) {
        close(STDOUT_FILENO);
        sleep_long();
    }
    if (strcmp(kind, "unknown") == 0)
        fake_answer(&(struct task){.id = 999999});
    other.verdict = strcmp(kind, "quarantined") == 0 ? VERDICT_QUARANTINED : VERDICT_OK;
    other.creature += strcmp(kind, "other-creature") == 0;
    other.rival_count = strcmp(kind, "rival") == 0;
    other.measures.distance_m = strcmp(kind, "huge") == 0 ? 1e308 : 0;
    if (other.verdict != VERDICT_OK || other.creature != task->creature || other.rival_count ||
        other.measures.distance_m > 0)
        fake_other(&other, 1);
}

/* What each kind does with a task; the default is to answer. */
static void fake_take_task(const char *kind, const struct task *task)
{
    int is_bad = task->id == BAD_TASK;
    if (fake_overtake(kind, task))
        return;
    if (is_bad)
        fake_die_of(kind, task);
    if (is_bad && task->attempt == 0)
        fake_err_once(kind, task);
    if (strcmp(kind, "answer-and-crash") == 0 && is_bad) {
        fake_answer(task);
        fake_die(SIGSEGV);
    }
    if (strcmp(kind, "suicide") == 0 && task->id % 3 == 0 && task->attempt == 0)
        fake_die(SIGKILL);
    if (strcmp(kind, "stopped-once") == 0 && is_bad && fake_mark("stopped"))
        raise(SIGSTOP);
    if (strncmp(kind, "late", 4) == 0 && is_bad && fake_mark("late")) {
        sleep_ms(2000);
        fake_write_result(task->id, task->creature, VERDICT_OK,
                          task->seed + (strcmp(kind, "late-liar") == 0));
        fake_send();
        return;
    }
    if (strncmp(kind, "late", 4) == 0 && task->id == LONG_TASK)
        sleep_ms(3500);
    if (strcmp(kind, "lost-in-queue") == 0 && is_bad && task->attempt < 3 &&
        !fake_has_mark("queue")) {
        if (task->attempt == 2)
            fake_mark("queue");
        _exit(9);
    }
    if (strcmp(kind, "slow-spin") == 0 && is_bad)
        burn_ms(250);
    if (strcmp(kind, "endless") == 0 && is_bad)
        spin();
    if (strcmp(kind, "slow") == 0 || strcmp(kind, "chatty") == 0)
        sleep_ms(30);
    for (int i = 0; i < 600 && strcmp(kind, "chatty") == 0; i++)
        fprintf(stderr, "%0100d\n", i);
    for (int i = 0; i < 25000 && strcmp(kind, "flood") == 0 && is_bad; i++)
        fprintf(stderr, "%0200d\n", i);
    if (strcmp(kind, "brief") == 0)
        sleep_ms(1);
    if (strcmp(kind, "reject-all") == 0 || (strcmp(kind, "reject") == 0 && is_bad)) {
        message_encode_rejected(&out, task->id, "do not like it");
        fake_send();
        return;
    }
    /* at once, so that the run does not end between the two */
    if (strcmp(kind, "double") == 0 && is_bad)
        fake_write_result(task->id, task->creature, VERDICT_OK, task->seed);
    fake_answer(task);
}

static void fake_take_message(const char *kind, const struct message *message)
{
    switch (message->type) {
    case MESSAGE_SETUP:
        if (strcmp(kind, "refuse") == 0)
            message_encode_rejected(&out, 0, "not these parameters");
        else
            message_encode(
                &out, MESSAGE_READY,
                &(struct ready){message->as.setup.digest + (strcmp(kind, "digest") == 0)});
        fake_send();
        break;
    case MESSAGE_TASK:
        if ((strcmp(kind, "deaf") == 0 || strcmp(kind, "hidden") == 0) &&
            message->as.task.id == 1 && message->as.task.attempt == 0)
            sleep_long();
        fake_take_task(kind, &message->as.task);
        break;
    case MESSAGE_STOP:
        if (strcmp(kind, "stubborn") == 0 || strcmp(kind, "deaf-to-term") == 0)
            sleep_long();
        _exit(0);
    default:
        break;
    }
}

static void fake_say_hello(const char *kind)
{
    struct hello hello;
    hello_init(&hello, 1);
    if (strcmp(kind, "hidden") == 0 || strcmp(kind, "launcher") == 0)
        hello.pid = 1;
    if (strcmp(kind, "strange") == 0 && fake_mark("strange")) {
        snprintf(hello.host, sizeof hello.host, "strange");
        hello.fingerprint = 2;
    }
    if (strcmp(kind, "other-bits") == 0)
        hello.fingerprint = 2;
    message_encode(&out, MESSAGE_HELLO, &hello);
}

static int fake_main(const char *kind, const char *program)
{
    signal(SIGXFSZ, SIG_IGN);
    static const char wrong_hello[] = "\x00\x00\x00\x0a\x94\x01\x7f\xa5older\x01";
    struct frame_reader reader;
    if (strcmp(kind, "stillborn") == 0)
        return 1;
    if (strcmp(kind, "deaf-to-term") == 0)
        signal(SIGTERM, SIG_IGN);
    if (strcmp(kind, "queued") == 0)
        sleep_ms(2500);
    snprintf(marks, sizeof marks, "%s", program);
    /* one only: on a busy machine other workers may just be starting, too */
    if (strcmp(kind, "lost-in-queue") == 0 && fake_has_mark("queue") && fake_mark("waits"))
        sleep_long();
    frame_reader_init(&reader);
    pack_writer_init(&out);
    if (strcmp(kind, "version") == 0)
        fake_send_raw(wrong_hello, 14);
    else
        fake_say_hello(kind);
    fake_send();
    for (;;) {
        char bytes[4096];
        ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
        const unsigned char *payload;
        size_t length;
        struct error error = {0};
        if (count <= 0 || frame_reader_feed(&reader, bytes, (size_t)count) != 0)
            _exit(0);
        while (frame_reader_next(&reader, &payload, &length, &error) == 1) {
            SCOPED(message) message;
            uint64_t rejected_id;
            if (message_decode(&message, payload, length, &rejected_id, &error) != 0)
                _exit(2);
            fake_take_message(kind, &message);
        }
    }
}

/* ---- the controller's side ---- */

enum { TASKS_MAX = 4000 };

static struct {
    uv_loop_t loop;
    struct farm *farm;
    struct params params;
    int total, submitted, finished;
    int results[TASKS_MAX + 1], quarantines[TASKS_MAX + 1];
    int stop_after;           /* this many results, if not 0 */
    int pause_at;             /* the controller stands still after this many results, if not 0 */
    int is_fat;               /* tasks are large */
    const int *worker_counts; /* wanted after each further ten results, ends with 0 */
    int failures, stops, notices;
    char reason[512]; /* of the last quarantine or failure */
    char notice[512]; /* the last */
    uint64_t fingerprint;
    int hungry_depth; /* on_hungry must not be called from within itself */
    uv_timer_t chaos; /* kills workers */
    struct rng rng;
    int has_chaos, kills, kill_at; /* not before so many results, so that slow starts get on */
    char directory[64];
    int descriptors_before;
} run;

static char self_path[4096]; /* of this program */
static char link_path[96];   /* a short name for it, since a launcher has limits */

static int count_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(directory);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

static void make_genome(struct genome *genome)
{
    chain_genome_make(genome, 2);
    for (gene_id id = 10; run.is_fat && id < 10 + GENOME_NEURONS_MAX; id++)
        *(struct neuron_gene *)genome_add(genome, GENOME_NEURONS) = (struct neuron_gene){.id = id};
}

static uint64_t seed_of(uint64_t id)
{
    return rng_mix_seed(5, id);
}

static void on_stopped(void *context)
{
    run.stops++;
    run.farm = NULL;
    if (run.has_chaos)
        uv_close((uv_handle_t *)&run.chaos, NULL);
}

static void finish_one(void)
{
    run.finished++;
    if (run.worker_counts != NULL && run.finished % 10 == 0 && *run.worker_counts > 0)
        farm_set_worker_count(run.farm, *run.worker_counts++);
    if (run.finished == run.pause_at)
        sleep_ms(1700);
    int is_end = run.stop_after > 0 ? run.finished == run.stop_after : run.finished == run.total;
    if (is_end)
        farm_stop(run.farm, on_stopped, NULL);
}

static void on_result(void *context, const struct task *task, const struct result *result, int slot)
{
    ck_assert_int_ge(slot, 1);
    ck_assert_int_le(slot, farm_slot_count(run.farm));
    ck_assert_ptr_eq(context, &run);
    ck_assert_int_eq(run.stops, 0);
    ck_assert_uint_eq(task->id, result->id);
    ck_assert_uint_eq(task->seed, seed_of(task->id));
    ck_assert_int_eq(task->genome.body_count, 2);
    run.results[task->id]++;
    if (run.params.farm_launcher[0] != '\0')
        ck_assert_uint_eq(result->digest, digest_of(task->id, task->seed));
    finish_one();
}

static void on_quarantine(void *context, const struct task *task, const char *reason,
                          const char *log)
{
    run.quarantines[task->id]++;
    snprintf(run.reason, sizeof run.reason, "%s", reason);
    finish_one();
}

static void on_hungry(void *context, int room)
{
    ck_assert_int_eq(run.hungry_depth++, 0);
    ck_assert_int_gt(room, 0);
    for (; room > 0 && run.submitted < run.total; room--) {
        uint64_t id = (uint64_t)++run.submitted;
        struct task task = {.id = id, .creature = id + 1000, .seed = seed_of(id)};
        make_genome(&task.genome);
        ck_assert_int_eq(farm_submit(run.farm, &task), 0);
        ck_assert_ptr_null(task.genome.bodies);
    }
    run.hungry_depth--;
}

static void on_notice(void *context, const char *text)
{
    run.notices++;
    snprintf(run.notice, sizeof run.notice, "%s", text);
}

static void on_failure(void *context, const char *reason)
{
    run.failures++;
    snprintf(run.reason, sizeof run.reason, "%s", reason);
    farm_stop(run.farm, on_stopped, NULL);
}

static void setup(void)
{
    memset(&run, 0, sizeof run);
    run.descriptors_before = count_descriptors();
    ck_assert_int_eq(uv_loop_init(&run.loop), 0);
    params_set_defaults(&run.params);
    snprintf(run.directory, sizeof run.directory, "/tmp/test_farm.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(run.directory));
    snprintf(link_path, sizeof link_path, "%s/self", run.directory);
    ck_assert_int_eq(symlink(self_path, link_path), 0);
    int descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(descriptor, 0);
    log_set(descriptor, LOG_INFO);
    run.descriptors_before++;
}

static void teardown(void)
{
    ck_assert_int_eq(system(printed("rm -r '%s'", run.directory)), 0);
}

/* Everything is over: nothing of the farm is left. */
static void expect_nothing_left(void)
{
    ck_assert_int_eq(uv_run(&run.loop, UV_RUN_NOWAIT), 0);
    ck_assert_int_eq(uv_loop_close(&run.loop), 0);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    /* libuv's own signal pipe is made once for the process and stays. */
    ck_assert_int_le(count_descriptors(), run.descriptors_before + 2);
}

static struct farm *create_farm(int worker_count, const char *simulator, struct error *error)
{
    struct farm_settings settings = {.params = &run.params,
                                     .worker_count = worker_count,
                                     .simulator_path = simulator,
                                     .log_directory = run.directory,
                                     .fingerprint = run.fingerprint};
    struct farm_callbacks callbacks = {&run,      on_result, on_quarantine,
                                       on_hungry, on_notice, on_failure};
    return farm_create(&run.loop, &settings, &callbacks, error);
}

static void start_farm(const char *kind, int worker_count, int total)
{
    struct error error = {0};
    run.total = total;
    snprintf(run.params.farm_launcher, sizeof run.params.farm_launcher, "%s  --worker=%s",
             link_path, kind);
    run.farm = create_farm(worker_count, "simulator", &error);
    ck_assert_msg(run.farm != NULL, "%s", error.message);
    ck_assert_int_eq(farm_worker_count(run.farm), worker_count);
}

/* Until it has stopped. */
static void run_to_the_end(void)
{
    uv_run(&run.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(run.stops, 1);
    expect_nothing_left();
}

static void run_farm(const char *kind, int worker_count, int total)
{
    start_farm(kind, worker_count, total);
    run_to_the_end();
}

/* Each task has one result; `quarantined` (0: none) is in quarantine instead. */
static void expect_all_done(int quarantined)
{
    const char *launcher = run.params.farm_launcher;
    ck_assert_msg(run.failures == 0, "%s: %s", launcher, run.reason);
    for (int i = 1; i <= run.total; i++)
        ck_assert_msg(run.results[i] == (i != quarantined) &&
                          run.quarantines[i] == (i == quarantined),
                      "%s: task %d: %d results, %d times in quarantine", launcher, i,
                      run.results[i], run.quarantines[i]);
}

/* How many lines of a worker's log contain the text. */
static int count_in_log(int slot, const char *text)
{
    char line[4096];
    int count = 0;
    FILE *file = fopen(printed("%s/worker-%02d.log", run.directory, slot), "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        count += strstr(line, text) != NULL;
    if (file != NULL)
        fclose(file);
    return count;
}

TEST_LOOP(every_task_once, 0, 9)
{
    run.params.farm_prefetch = 1 + _i % 3;
    run_farm("good", 1 + _i / 3, TESTS_ARE_SANITIZED ? 300 : 2000);
    expect_all_done(0);
}

static int count_in_logs(const char *text)
{
    int count = 0;
    for (int slot = 1; slot <= 4; slot++)
        count += count_in_log(slot, text);
    return count;
}

/* Faults of workers, and their consequences. */
static const struct {
    const char *kind;
    int workers, tasks;
    /* a task in quarantine for exactly this reason; 0 and NULL: all get done by others */
    int quarantined;
    const char *reason;
    const char *failure; /* of the whole farm, with these words in its reason */
    /* how often the logs of all workers have this text; of a failure, how many tasks are done */
    const char *log;
    int least, most;
    /* other parameters than usual, if not 0 */
    double silence_s, deadline_s, start_s;
    int prefetch, is_fat, pause_at;
    uint64_t fingerprint;
    const char *notice; /* the only one has these words */
} troubles[] = {
    {"crash", 1, 60, BAD_TASK, "SIGSEGV", .log = "event=worker_died", .least = 3, .most = 3},
    {"crash", 2, 60, BAD_TASK, "SIGSEGV", .log = "event=worker_died", .least = 3, .most = 3},
    {"crash", 3, 60, BAD_TASK, "SIGSEGV", .log = "event=worker_died", .least = 3, .most = 3},
    {"crash", 1, 20, BAD_TASK, "SIGSEGV", .log = "end=SIGSEGV cause=\"\" task=7 creature=1007",
     .least = 3, .most = 3},
    /* two crashes are forgiven if the third attempt, alone, succeeds */
    {"crash-twice", 2, .tasks = 60},
    /* a result that was written before the end counts, and the next task is the one to blame */
    {"answer-and-crash", 1, .tasks = 60},
    /* ends from outside never condemn a task, however many */
    {"exit-often", 1, 40, .log = "event=worker_died", .least = 4, .most = 4},
    /* signals like those of crashes, sent to simulators or to what stands in front of them */
    {"sent-often", 2, 40, .log = "end=\"exit code 5 (a signal from outside)\"", .least = 6,
     .most = 6},
    {"launcher", 2, 40, .log = "end=SIGSEGV", .least = 6, .most = 6},
    {"suicide", 2, .tasks = 30},
    /* nonsense is survived */
    {"garbage", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"bad-message", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"truncate", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"unknown", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"double", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"close", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"quarantined", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"other-creature", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"rival", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    {"huge", 2, 60, .log = "event=worker_died", .least = 1, .most = MANY},
    /* a worker whose answers overtake one another is killed; the oldest task is not blamed for it */
    {"answer-early", 2, 60, .log = "out of order: ", .least = 1, .most = MANY, .prefetch = 4},
    {"reject-early", 2, 60, .log = "out of order: ", .least = 1, .most = MANY, .prefetch = 4},
    /* asleep, stopped, and with its pipe full (of 64 large tasks): no processor time is used */
    {"hang", 2, 140, .log = "late while busy: stood still for 0.3 s", .least = 1, .most = MANY,
     .silence_s = 0.3, .prefetch = 64, .is_fat = 1},
    {"stopped", 2, 140, .log = "late while busy: stood still for 0.3 s", .least = 1, .most = MANY,
     .silence_s = 0.3, .prefetch = 64, .is_fat = 1},
    {"deaf", 2, 140, .log = "late while busy: stood still for 0.3 s", .least = 1, .most = MANY,
     .silence_s = 0.3, .prefetch = 64, .is_fat = 1},
    /* a worker whose processor time is not seen may be silent for longer */
    {"hidden", 2, 20, .log = "late while busy: stood still for 0.7 s", .least = 1, .most = MANY,
     .silence_s = 0.3, .deadline_s = 0.4},
    /* a worker that is stopped holds up nothing, although its silence is not noticed for an hour:
     * others do what it has, and it gets no more */
    {"stopped-once", 3, 200, .log = "late while busy", .silence_s = 3600, .prefetch = 1},
    {"stopped-once", 3, 200, .log = "late while busy", .silence_s = 3600, .prefetch = 4},
    /* a result that comes after another worker's is compared with it and counts no more */
    {"late", 4, 40, .log = "which it does not hold"},
    /* a task that is to be tried alone by a process that never comes, since it waits in a queue, is
     * done by others */
    {"lost-in-queue", 3, 100, .start_s = 3600},
    /* on a busy machine a copy may have been sent, which spins, too */
    {"spin", 2, 60, .log = "late while busy: used more than 0.3 s of processor time", .least = 1,
     .most = 2, .deadline_s = 0.3},
    /* what never ends is tried three times, the last one alone, and no more */
    {"endless", 2, 30, BAD_TASK, "late while busy: used more than 0.3 s of processor time",
     .log = "of processor time", .least = 3, .most = 3, .deadline_s = 0.1},
    {"alarm", 2, 30, BAD_TASK, "exit code 3 (its own alarm)",
     .log = "end=\"exit code 3 (its own alarm)\"", .least = 3, .most = 3},
    {"memory", 2, 30, BAD_TASK, .reason = "exit code 4 (out of memory)"},
    {"reject", 2, 60, BAD_TASK, .reason = "rejected: do not like it"},
    /* time in which the controller itself stood still is not counted against its workers */
    {"brief", 2, 60, .log = "event=worker_died", .silence_s = 1, .pause_at = 20},
    /* what stands in front of a simulator gets SIGTERM first, and SIGKILL if that does not end it */
    {"stubborn", 1, 20, .log = "end=SIGTERM", .least = 1, .most = 1},
    {"deaf-to-term", 1, 20, .log = "end=SIGKILL", .least = 1, .most = 1},
    {"version", 2, 10, .failure = "wrong version: it has protocol 127, \"older\""},
    {"stillborn", 2, 10, .failure = "exit code 1"},
    {"refuse", 2, 10, .failure = "refused: not these parameters"},
    /* a host on which three starts in a row fail is left out */
    {"refuse", 1, 10, .failure = "",
     .notice = "is left out: 3 starts in a row failed, the last "
               "one: refused: not these parameters"},
    /* a machine that computes other bits gets no work; the others do it, which is said once */
    {"strange", 3, 200, .fingerprint = 1,
     .notice = "host strange is left out: its simulator computes"},
    {"digest", 2, 10, .failure = "another digest"},
    /* workers that start, but reject every task: enough for the slower one to start */
    {"reject-all", 2, TASKS_MAX, .failure = "brings no result: rejected: do not like it",
     .most = MANY}};
enum { TROUBLES = sizeof troubles / sizeof troubles[0] };

static void set_if(double *parameter, double value)
{
    *parameter = value > 0 ? value : *parameter;
}

TEST_LOOP(trouble_is_dealt_with, 0, TROUBLES)
{
    const char *kind = troubles[_i].kind, *log = troubles[_i].log, *notice = troubles[_i].notice;
    set_if(&run.params.farm_silence_s, troubles[_i].silence_s);
    set_if(&run.params.farm_deadline_s, troubles[_i].deadline_s);
    set_if(&run.params.farm_start_s, troubles[_i].start_s);
    if (troubles[_i].prefetch)
        run.params.farm_prefetch = troubles[_i].prefetch;
    run.is_fat = troubles[_i].is_fat;
    run.pause_at = troubles[_i].pause_at;
    run.fingerprint = troubles[_i].fingerprint;
    run_farm(kind, troubles[_i].workers, troubles[_i].tasks);
    if (troubles[_i].failure) {
        ck_assert_msg(run.failures == 1, "%s: %d failures", kind, run.failures);
        ck_assert_msg(strstr(run.reason, troubles[_i].failure) != NULL, "%s: %s", kind, run.reason);
    } else {
        expect_all_done(troubles[_i].quarantined);
    }
    if (troubles[_i].reason)
        ck_assert_msg(strcmp(run.reason, troubles[_i].reason) == 0, "%s: %s", kind, run.reason);
    if (notice)
        ck_assert_msg(run.notices == 1 && strstr(run.notice, notice), "%s: %s", kind, run.notice);
    int count = log ? count_in_logs(log) : troubles[_i].failure ? run.finished : 0;
    ck_assert_msg(count >= troubles[_i].least && count <= troubles[_i].most, "%s: %d times %s",
                  kind, count, log ? log : "done");
}

static void on_chaos(uv_timer_t *timer)
{
    struct farm_worker_status status;
    if (run.farm == NULL || run.finished < run.kill_at)
        return;
    run.kill_at = run.finished + 5;
    farm_worker_status(run.farm, (int)rng_below(&run.rng, (uint32_t)farm_worker_count(run.farm)),
                       &status);
    if (status.pid > 0 && strcmp(status.state, "dead") != 0 && kill(status.pid, SIGKILL) == 0)
        run.kills++;
}

TEST_LOOP(killed_at_random, 0, 2)
{
    rng_init(&run.rng, 1, RNG_TEST, 0, (uint64_t)_i);
    run.has_chaos = 1;
    uv_timer_init(&run.loop, &run.chaos);
    uv_timer_start(&run.chaos, on_chaos, 15, 15);
    run_farm("brief", 3, TESTS_ARE_SANITIZED ? 250 : 800);
    expect_all_done(0);
    ck_assert_int_gt(run.kills, 3);
}

/* ---- backup copies ---- */

TEST(late_result_that_differs_ends_the_run)
{
    struct hello hello;
    hello_init(&hello, 0);
    run_farm("late-liar", 4, 40);
    ck_assert_int_eq(run.failures, 1);
    ck_assert_int_lt(run.finished, run.total);
    ck_assert_int_eq(run.results[BAD_TASK], 1);
    const char *names = printed("creature 1007 (task 7) has two results: worker ");
    ck_assert_msg(strstr(run.reason, names) == run.reason, "%s", run.reason);
    names = printed(" on host %s says ok ", hello.host);
    const char *first = strstr(run.reason, names);
    ck_assert_msg(first != NULL && strstr(first + 1, names) != NULL, "%s", run.reason);
}

/* A second attempt has twice the time: what takes longer than the deadline gets done, without
 * blame. */
TEST(slow_task_gets_done)
{
    run.params.farm_deadline_s = 0.2;
    run_farm("slow-spin", 2, 30);
    expect_all_done(0);
    int kills = count_in_logs("of processor time");
    ck_assert_int_ge(kills, 1);
    ck_assert_int_le(kills, 2);
    ck_assert_int_eq(count_in_logs("event=worker_died"), kills);
}

/* ---- another number of workers, and pauses ---- */

static void on_stop_timer(uv_timer_t *timer)
{
    uv_close((uv_handle_t *)timer, NULL);
    farm_stop(run.farm, on_stopped, NULL);
}

TEST_LOOP(number_of_workers_changes, 0, 3)
{
    static const int counts[][12] = {
        {2, 1, 4, 3, 1, 2, 4, 1, 3, 0},
        {4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 0},
    };
    static const char *const kinds[] = {"brief", "suicide", "crash"};
    run.worker_counts = counts[_i % 2];
    run.params.farm_prefetch = 1 + _i;
    run_farm(kinds[_i % 3], 1 + _i % 3, TESTS_ARE_SANITIZED ? 150 : 400);
    expect_all_done(_i % 3 == 2 ? BAD_TASK : 0);
    ck_assert_int_eq(*run.worker_counts, 0);
}

/* A long log is put away by a worker that has finished its tasks; no worker is lost. */
TEST(long_log_begins_anew)
{
    struct stat info;
    run.params.farm_log_mb = 1;
    run_farm("chatty", 1, 36);
    expect_all_done(0);
    ck_assert_int_eq(stat(printed("%s/worker-01.old.log", run.directory), &info), 0);
    ck_assert_int_gt(info.st_size, 1 << 20);
    ck_assert_int_eq(count_in_logs("event=worker_died"), 0);
}

/* 5 MB within a task. */
TEST(log_is_bound_within_a_task)
{
    struct stat info;
    run.params.farm_log_mb = 1;
    run_farm("flood", 1, 20);
    expect_all_done(0);
    for (int is_old = 0; is_old < 2; is_old++) {
        const char *path = printed("%s/worker-01%s.log", run.directory, is_old ? ".old" : "");
        ck_assert(stat(path, &info) != 0 || info.st_size < 3 << 20);
    }
}

static void on_settled(uv_timer_t *timer)
{
    struct farm_worker_status status;
    int alive = 0, busy = 0;
    for (int i = 0; i < farm_slot_count(run.farm); i++) {
        farm_worker_status(run.farm, i, &status);
        alive += status.pid > 0;
        busy += strcmp(status.state, "busy") == 0;
    }
    int *stage = timer->data;
    if (*stage == 0 && busy == 3) {
        farm_set_paused(run.farm, 1);
        farm_set_worker_count(run.farm, 2);
        *stage = 1;
    } else if (*stage == 1 && alive == 2 && busy == 0) {
        ck_assert_int_lt(run.finished, run.total);
        ck_assert_int_eq(farm_is_paused(run.farm), 1);
        farm_set_paused(run.farm, 0);
        *stage = 2;
    } else if (*stage == 2 && busy == 2) {
        uv_close((uv_handle_t *)timer, NULL);
    }
}

/* A paused farm finishes what it holds, lets the surplus worker go, does nothing more, and goes
 * on. */
TEST(pause_and_go_on)
{
    static uv_timer_t timer;
    int stage = 0;
    start_farm("slow", 3, 120);
    uv_timer_init(&run.loop, &timer);
    timer.data = &stage;
    uv_timer_start(&timer, on_settled, 5, 5);
    run_to_the_end();
    ck_assert_int_eq(stage, 2);
    expect_all_done(0);
}

/* A farm is told to stop while it is paused, at once, and at any instant of its start: spawned,
 * greeted, set up, busy. */
TEST_LOOP(stop_while_starting, 0, 14)
{
    static uv_timer_t timer;
    int is_paused = _i == 12, is_at_once = _i == 13;
    start_farm("good", is_paused || is_at_once ? 3 : 2, TASKS_MAX);
    if (is_paused) {
        farm_set_paused(run.farm, 1);
        farm_set_worker_count(run.farm, 1);
    }
    if (is_at_once) {
        farm_stop(run.farm, on_stopped, NULL);
    } else {
        uv_timer_init(&run.loop, &timer);
        uv_timer_start(&timer, on_stop_timer, is_paused ? 50 : (uint64_t)_i, 0);
    }
    run_to_the_end();
    ck_assert(!(is_paused || is_at_once) || run.finished == 0);
}

TEST(other_bits_everywhere_are_a_failure)
{
    run.fingerprint = 1;
    run_farm("other-bits", 2, 10);
    ck_assert_int_eq(run.failures, 1);
    ck_assert_int_eq(run.finished, 0);
    ck_assert_msg(strstr(run.reason, "computes other bits") != NULL ||
                      strstr(run.reason, "its host is left out") != NULL,
                  "%s", run.reason);
    ck_assert_int_eq(run.notices, 1);
}

/* Behind a launcher the first hello may take as long as farm.start_s says, and no longer. */
TEST_LOOP(starts_may_take_their_time, 0, 2)
{
    run.params.farm_start_s = _i == 0 ? 20 : 1;
    run.stop_after = _i == 0 ? 0 : 1;
    run_farm("queued", 1, 5);
    ck_assert_int_eq(run.failures, _i);
    if (_i == 0)
        expect_all_done(0);
    else
        ck_assert_ptr_nonnull(strstr(run.reason, "late while starting: no answer in time"));
}

TEST(missing_program_is_refused)
{
    struct error error = {0};
    ck_assert_ptr_null(create_farm(1, "/nowhere/simulator", &error));
    ck_refused_as(error.code, ERR_MISSING, "simulator not found: /nowhere/simulator");
    expect_nothing_left();
}

TEST(missing_program_behind_a_launcher)
{
    struct error error = {0};
    snprintf(run.params.farm_launcher, sizeof run.params.farm_launcher, "env");
    run.farm = create_farm(1, "/nowhere/simulator", &error);
    ck_assert_ptr_nonnull(run.farm);
    uv_run(&run.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(run.failures, 1);
    ck_assert_ptr_nonnull(strstr(run.reason, "/nowhere/simulator"));
    ck_assert_ptr_nonnull(strstr(run.reason, "not found"));
    expect_nothing_left();
}

/* A file that is no program for this machine. */
TEST(unrunnable_program)
{
    const char *path = printed("%s/simulator", run.directory);
    struct error error = {0};
    const char text[] = "\177ELF, but not really";
    ck_ok(file_write(path, text, strlen(text), &error));
    ck_assert_int_eq(chmod(path, 0700), 0);
    run.farm = create_farm(2, path, &error);
    ck_assert_ptr_nonnull(run.farm);
    uv_run(&run.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(run.failures, 1);
    expect_nothing_left();
}

TEST(stop_while_busy)
{
    run.stop_after = 10;
    run_farm("slow", 3, 500);
    ck_assert_int_eq(run.finished, 10);
}

/* One that does not hear of the end, as it is at work, is killed, and that is no failure of its. */
TEST(stop_in_the_midst_of_a_task)
{
    run.stop_after = 15;
    run_farm("hang", 2, 500);
    ck_assert_int_eq(run.finished, 15);
    for (int slot = 1; slot <= 2; slot++)
        ck_assert_int_eq(count_in_log(slot, "event=worker_died"), 0);
}

int main(int argc, char **argv)
{
    static const char option[] = "--worker=";
    if (argc > 1 && strncmp(argv[1], option, strlen(option)) == 0)
        return fake_main(argv[1] + strlen(option), argv[0]);
    ssize_t length = readlink("/proc/self/exe", self_path, sizeof self_path - 1);
    if (length <= 0)
        return 1;
    return run_defined_tests("farm", 60, setup, teardown);
}
