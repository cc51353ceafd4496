/* The farm's speed: tasks a second through real processes, what the controller spends on one, and
 * how long the workers wait for work.
 *
 *   bench_farm [burn|sleep|echo|prefetch[,...]] [ROUNDS]
 *
 * The workers are this program again (--burn=MICROSECONDS, --sleep=MICROSECONDS). Scenes, with
 * tasks of 0, 0.1, 1 and 10 ms on 1, 2, 4, 16 and 64 workers, prefetch 2:
 *
 *   burn      a task burns its time of the processor, as an evaluation does
 *   sleep     a task sleeps, so that many workers are as quick as many cores would be
 *   echo      no farm: a child reads as many bytes as a task has and answers as many as a result
 *             has, one after another over two pipes; what this machine asks for the bytes alone
 *   prefetch  burn, on all cores, with prefetch 1 and 8
 *
 * A round begins when every worker has answered once. Of the rounds the fastest and the median are
 * printed as CSV. controller_us is processor time of this process per task (making the task
 * included): of a 1 ms task, 20 us are 2 %. idle_share is the share of the workers' time in which
 * they neither worked nor waited for a processor: Linux counts both (/proc/PID/schedstat), so that
 * other programs on the machine are no idleness; they do delay the controller, and with it the
 * workers. It is exact to one task in hand at the round's begin and end, so that it may come out a
 * little below zero. */
#define _GNU_SOURCE /* sysconf(_SC_NPROCESSORS_ONLN), prctl() */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/system/log.h"
#include "controller/workers/farm.h"
#include "tests/chain_genome.h"
#include "tests/bench/bench.h"

enum { ROUNDS = 3, ROUNDS_MAX = 1000, PARTS = 8, WORKERS_MAX = 64 };

/* What a worker does for a task, and which word of the command line says so. */
enum { KIND_BURN, KIND_SLEEP, KIND_COUNT };
static const char *const kind_options[KIND_COUNT] = {"--burn=", "--sleep="};

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the worker ---- */

static void fail(const char *reason)
{
    fprintf(stderr, "bench_farm: %s\n", reason);
    exit(1);
}

static void work(int kind, double task_us)
{
    double until_s = clock_s(CLOCK_THREAD_CPUTIME_ID) + task_us * 1e-6;
    struct timespec pause = {0, (long)(task_us * 1e3)};
    if (kind == KIND_SLEEP && task_us > 0)
        nanosleep(&pause, NULL);
    while (kind == KIND_BURN && task_us > 0 && clock_s(CLOCK_THREAD_CPUTIME_ID) < until_s)
        continue;
}

static int worker_main(int kind, double task_us)
{
    struct frame_reader reader;
    struct pack_writer writer;
    char bytes[16384];
    ssize_t count;
    prctl(PR_SET_TIMERSLACK, 1);
    frame_reader_init(&reader);
    pack_writer_init(&writer);
    struct hello hello;
    hello_init(&hello, 0);
    message_encode(&writer, MESSAGE_HELLO, &hello);
    do {
        if (writer.buffer.size > 0 &&
            write(STDOUT_FILENO, writer.buffer.data, writer.buffer.size) < 0)
            return 1;
        pack_writer_clear(&writer);
        count = read(STDIN_FILENO, bytes, sizeof bytes);
        if (count <= 0 || frame_reader_feed(&reader, bytes, (size_t)count) != 0)
            return 0;
        const unsigned char *payload;
        size_t length;
        struct error error;
        while (frame_reader_next(&reader, &payload, &length, &error) == 1) {
            struct message message;
            uint64_t rejected_id;
            if (message_decode(&message, payload, length, &rejected_id, &error) != 0)
                return 1;
            if (message.type == MESSAGE_SETUP)
                message_encode(&writer, MESSAGE_READY, &(struct ready){message.as.setup.digest});
            if (message.type == MESSAGE_TASK) {
                work(kind, task_us);
                struct result result = {.id = message.as.task.id};
                message_encode(&writer, MESSAGE_RESULT, &result);
            }
            int is_end = message.type == MESSAGE_STOP;
            message_deinit(&message);
            if (is_end)
                return 0;
        }
    } while (1);
}

/* ---- the controller ---- */

static struct {
    struct farm *farm;
    int workers, answered; /* how many of them answered at least once */
    char has_answered[WORKERS_MAX];
    uint64_t submitted, finished, total, begun_at;
    double start_s, start_cpu_s, start_busy_s, end_s, end_cpu_s, end_busy_s;
} round_state;

/* What all workers together have worked and waited for a processor until now; NAN where the system
 * does not count it. */
static double workers_busy_s(void)
{
    char path[64];
    int pid;
    double sum_s = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "r");
    while (children && fscanf(children, "%d", &pid) == 1) {
        double ran_ns = NAN, waited_ns = NAN;
        snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%lf %lf", &ran_ns, &waited_ns) != 2)
            sum_s = NAN;
        sum_s += (ran_ns + waited_ns) * 1e-9;
        if (file)
            fclose(file);
    }
    if (!children)
        return NAN;
    fclose(children);
    return sum_s;
}

static void on_stopped(void *context)
{
}

static void begin_round(void)
{
    round_state.begun_at = round_state.finished;
    round_state.start_busy_s = workers_busy_s();
    round_state.start_s = clock_s(CLOCK_MONOTONIC);
    round_state.start_cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static void end_round(void)
{
    round_state.end_s = clock_s(CLOCK_MONOTONIC);
    round_state.end_cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    round_state.end_busy_s = workers_busy_s();
}

static void on_result(void *context, const struct task *task, const struct result *result, int slot)
{
    round_state.finished++;
    if (round_state.answered < round_state.workers) {
        int index = slot % WORKERS_MAX;
        round_state.answered += !round_state.has_answered[index];
        round_state.has_answered[index] = 1;
        if (round_state.answered == round_state.workers)
            begin_round();
    } else if (round_state.finished == round_state.begun_at + round_state.total) {
        end_round();
        farm_stop(round_state.farm, on_stopped, NULL);
    }
}

static void on_quarantine(void *context, const struct task *task, const char *reason,
                          const char *log)
{
    fail(reason);
}

static void on_notice(void *context, const char *text)
{
}

static void on_failure(void *context, const char *reason)
{
    fail(reason);
}

static void on_hungry(void *context, int room)
{
    for (; room > 0; room--) {
        struct task task = {.id = ++round_state.submitted};
        chain_genome_make(&task.genome, PARTS);
        if (farm_submit(round_state.farm, &task) != 0)
            fail("out of memory");
    }
}

static void run_round(const char *self, int kind, int workers, int task_us, int prefetch,
                      uint64_t total)
{
    uv_loop_t loop;
    struct params params;
    struct error error = {0};
    params_set_defaults(&params);
    params.farm_prefetch = prefetch;
    int length = snprintf(params.farm_launcher, sizeof params.farm_launcher, "%s %s%d", self,
                          kind_options[kind], task_us);
    if (length < 0 || (size_t)length >= sizeof params.farm_launcher)
        fail("its path is too long");
    memset(&round_state, 0, sizeof round_state);
    round_state.workers = workers;
    round_state.total = total;
    struct farm_settings settings = {&params, workers, "simulator", "", 0};
    struct farm_callbacks callbacks = {NULL,      on_result, on_quarantine,
                                       on_hungry, on_notice, on_failure};
    if (uv_loop_init(&loop) != 0)
        fail("no loop");
    round_state.farm = farm_create(&loop, &settings, &callbacks, &error);
    if (round_state.farm == NULL)
        fail(error.message);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

/* ---- the bare pipes ---- */

static void transfer(int is_write, int file, char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = is_write ? write(file, bytes + done, size - done)
                                 : read(file, bytes + done, size - done);
        if (count <= 0)
            fail("a pipe broke");
        done += (size_t)count;
    }
}

/* Bytes of a task's and of a result's frame. */
static void measure_frames(size_t *task_bytes, size_t *result_bytes)
{
    struct pack_writer writer;
    struct task task = {.id = 1};
    struct result result = {.id = 1};
    chain_genome_make(&task.genome, PARTS);
    pack_writer_init(&writer);
    message_encode(&writer, MESSAGE_TASK, &task);
    *task_bytes = writer.buffer.size;
    message_encode(&writer, MESSAGE_RESULT, &result);
    *result_bytes = writer.buffer.size - *task_bytes;
    pack_writer_deinit(&writer);
    genome_deinit(&task.genome);
}

static void run_echo(int task_us, uint64_t total)
{
    enum { PAGE = 16384 };
    static char bytes[PAGE];
    size_t task_bytes, result_bytes;
    int there[2], back[2];
    measure_frames(&task_bytes, &result_bytes);
    if (task_bytes > PAGE || result_bytes > PAGE || pipe(there) != 0 || pipe(back) != 0)
        fail("no pipes");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    for (uint64_t i = 0; child == 0 && i <= total; i++) {
        transfer(0, there[0], bytes, task_bytes);
        work(KIND_BURN, task_us);
        transfer(1, back[1], bytes, result_bytes);
        if (i == total)
            pause();
    }
    for (uint64_t i = 0; i <= total; i++) {
        if (i == 1)
            begin_round();
        transfer(1, there[1], bytes, task_bytes);
        transfer(0, back[0], bytes, result_bytes);
    }
    end_round();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int i = 0; i < 2; i++) {
        close(there[i]);
        close(back[i]);
    }
}

/* ---- scenes ---- */

struct scene {
    const char *name;
    int kind, workers, prefetch, task_us;
};

/* About a quarter of a second of burning in a round, or a second of sleep, and some tasks for each
 * worker. */
static uint64_t count_tasks(const struct scene *scene)
{
    uint64_t work_us = scene->kind == KIND_SLEEP ? 1000000 * (uint64_t)scene->workers : 250000;
    uint64_t count = scene->task_us > 0 ? work_us / (uint64_t)scene->task_us : 10000;
    uint64_t least = 4 * (uint64_t)scene->workers, most = 10000;
    return count < least ? least : count > most ? most : count;
}

static void run_scene(const char *self, const struct bench_machine *machine,
                      const struct scene *scene, int rounds)
{
    double rates[ROUNDS_MAX], costs_us[ROUNDS_MAX], idle[ROUNDS_MAX];
    uint64_t total = count_tasks(scene);
    for (int i = 0; i < rounds; i++) {
        if (scene->prefetch == 0)
            run_echo(scene->task_us, total);
        else
            run_round(self, scene->kind, scene->workers, scene->task_us, scene->prefetch, total);
        double seconds = round_state.end_s - round_state.start_s;
        double busy_s = round_state.end_busy_s - round_state.start_busy_s;
        if (scene->kind == KIND_SLEEP)
            busy_s += (double)total * scene->task_us * 1e-6;
        rates[i] = (double)total / seconds;
        costs_us[i] = (round_state.end_cpu_s - round_state.start_cpu_s) / (double)total * 1e6;
        idle[i] = 1 - busy_s / (seconds * scene->workers);
    }
    qsort(rates, (size_t)rounds, sizeof rates[0], bench_compare);
    qsort(costs_us, (size_t)rounds, sizeof costs_us[0], bench_compare);
    qsort(idle, (size_t)rounds, sizeof idle[0], bench_compare);
    printf("%s,%d,%d,%d,%.0f,%.0f,%.2f,%.2f,%.3f,%.3f,%d,%s,%s,%s\n", scene->name, scene->workers,
           scene->prefetch, scene->task_us, rates[rounds - 1], rates[rounds / 2], costs_us[0],
           costs_us[rounds / 2], idle[0], idle[rounds / 2], rounds, machine->commit,
           machine->compiler, machine->cpu);
    fflush(stdout);
}

static void run_scenes(const char *self, const char *names, int rounds)
{
    static const int tasks_us[] = {0, 100, 1000, 10000}, workers[] = {1, 2, 4, 16, WORKERS_MAX};
    static const struct scene grids[] = {{"burn", KIND_BURN, 0, 2, 0},
                                         {"sleep", KIND_SLEEP, 0, 2, 0}};
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct bench_machine machine;
    bench_describe(&machine);
    printf("workload,workers,prefetch,task_us,tasks_per_s_best,tasks_per_s_median,"
           "controller_us_best,controller_us_median,idle_share_best,idle_share_median,repetitions,"
           "commit,compiler,cpu\n");
    for (int t = 0; t < 4; t++) {
        struct scene echo = {"echo", KIND_BURN, 1, 0, tasks_us[t]};
        if (bench_is_selected(names, echo.name))
            run_scene(self, &machine, &echo, rounds);
        for (int i = 0; i < 2 * 5; i++) {
            struct scene scene = grids[i / 5];
            scene.workers = workers[i % 5];
            scene.task_us = tasks_us[t];
            if (bench_is_selected(names, scene.name))
                run_scene(self, &machine, &scene, rounds);
        }
        struct scene ahead = {"prefetch", KIND_BURN, cores < WORKERS_MAX ? cores : WORKERS_MAX, 1,
                              tasks_us[t]};
        for (; bench_is_selected(names, ahead.name) && ahead.prefetch <= 8; ahead.prefetch *= 8)
            run_scene(self, &machine, &ahead, rounds);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"burn", "sleep", "echo", "prefetch"};
    char self[4096];
    for (int kind = 0; argc > 1 && kind < KIND_COUNT; kind++) {
        size_t length = strlen(kind_options[kind]);
        if (strncmp(argv[1], kind_options[kind], length) == 0)
            return worker_main(kind, atof(argv[1] + length));
    }
    int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS, is_known = argc < 2;
    for (size_t i = 0; argc > 1 && i < sizeof names / sizeof names[0]; i++)
        is_known |= bench_is_selected(argv[1], names[i]);
    if (!is_known || rounds < 1 || rounds > ROUNDS_MAX)
        fail("usage: bench_farm [burn|sleep|echo|prefetch[,...]] [ROUNDS]");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        fail("its own path is unknown");
    self[length] = '\0';
    log_set(STDERR_FILENO, LOG_ERROR);
    run_scenes(self, argc > 1 ? argv[1] : NULL, rounds);
    return 0;
}
