/* The farm's speed: tasks a second through real processes, and what the controller spends on one.
 *
 * The workers are this program again (--worker=MICROSECONDS) and burn that much processor time per
 * task instead of simulating. Scenes: empty tasks (the pipes alone) and 1 ms (a fast evaluation), on 1
 * worker up to as many as there are cores, with prefetch 2; on all cores also with 1 and 8. After a
 * warm-up the fastest and the median of the rounds are printed as CSV; controller_us is processor time
 * of this process per task: of a 1 ms task, 20 us are 2 %. */
#define _GNU_SOURCE /* sysconf(_SC_NPROCESSORS_ONLN) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "controller/farm.h"
#include "tests/bench/bench.h"

enum { ROUNDS = 5, PARTS = 8 };

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the worker ---- */

static int worker_main(double task_us)
{
    struct frame_reader reader;
    struct pack_writer writer;
    char bytes[16384];
    ssize_t count;
    frame_reader_init(&reader);
    pack_writer_init(&writer);
    message_encode_hello(&writer, 0);
    do {
        if (writer.buffer.size > 0 &&
            write(STDOUT_FILENO, writer.buffer.data, writer.buffer.size) < 0)
            return 1;
        msgpack_sbuffer_clear(&writer.buffer);
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
            double until_s = clock_s(CLOCK_THREAD_CPUTIME_ID) + task_us * 1e-6;
            if (message.type == MESSAGE_SETUP)
                message_encode_ready(&writer, message.as.setup.digest);
            if (message.type == MESSAGE_TASK) {
                while (task_us > 0 && clock_s(CLOCK_THREAD_CPUTIME_ID) < until_s)
                    continue;
                struct result result = {.id = message.as.task.id};
                message_encode_result(&writer, &result);
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
    uint64_t submitted, finished, warm_up, total;
    double start_s, start_cpu_s, end_s, end_cpu_s;
} round_state;

static void on_stopped(void *context)
{
}

static void on_result(void *context, const struct task *task, const struct result *result, int slot)
{
    round_state.finished++;
    if (round_state.finished == round_state.warm_up) {
        round_state.start_s = clock_s(CLOCK_MONOTONIC);
        round_state.start_cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    }
    if (round_state.finished != round_state.warm_up + round_state.total)
        return;
    round_state.end_s = clock_s(CLOCK_MONOTONIC);
    round_state.end_cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    farm_stop(round_state.farm, on_stopped, NULL);
}

static void fail(const char *reason)
{
    fprintf(stderr, "bench_farm: %s\n", reason);
    exit(1);
}

static void on_quarantine(void *context, const struct task *task, const char *reason,
                          const char *log)
{
    fail(reason);
}

static void on_failure(void *context, const char *reason)
{
    fail(reason);
}

/* A chain of parts: about a kilobyte, as a usual task. */
static void make_genome(struct genome *genome)
{
    genome_init(genome);
    genome->root = 1;
    for (gene_id id = 1; id <= PARTS; id++)
        *genome_add_body(genome) = (struct body_gene){.id = id,
                                                      .width_m = 0.4,
                                                      .height_m = 0.1,
                                                      .joint = JOINT_ROTARY,
                                                      .lower = -1,
                                                      .upper = 1,
                                                      .recursive_limit = 1};
    for (gene_id id = 1; id < PARTS; id++)
        *genome_add_connection(genome) = (struct connection_gene){
            .id = 100 + id, .from = id, .to = id + 1, .child_face = FACE_LEFT, .scale = 1};
}

static void on_hungry(void *context, int room)
{
    for (; room > 0; room--) {
        struct task task = {.id = ++round_state.submitted};
        make_genome(&task.genome);
        if (farm_submit(round_state.farm, &task) != 0)
            fail("out of memory");
    }
}

static void run_round(const char *self, int workers, int task_us, int prefetch, uint64_t total)
{
    uv_loop_t loop;
    struct params params;
    struct error error = {0};
    params_set_defaults(&params);
    params.farm_prefetch = prefetch;
    int length = snprintf(params.farm_launcher, sizeof params.farm_launcher, "%s --worker=%d", self,
                          task_us);
    if (length < 0 || (size_t)length >= sizeof params.farm_launcher)
        fail("its path is too long");
    memset(&round_state, 0, sizeof round_state);
    round_state.warm_up = total / 10;
    round_state.total = total;
    struct farm_settings settings = {&params, workers, "simulator", ""};
    struct farm_callbacks callbacks = {NULL, on_result, on_quarantine, on_hungry, on_failure};
    if (uv_loop_init(&loop) != 0)
        fail("no loop");
    round_state.farm = farm_create(&loop, &settings, &callbacks, &error);
    if (round_state.farm == NULL)
        fail(error.message);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

static void run_scene(const char *self, const struct bench_machine *machine, int workers,
                      int task_us, int prefetch)
{
    double rates[ROUNDS], costs_us[ROUNDS];
    uint64_t total = task_us > 0 ? 500 * (uint64_t)workers : 20000;
    for (int i = 0; i < ROUNDS; i++) {
        run_round(self, workers, task_us, prefetch, total);
        rates[i] = (double)total / (round_state.end_s - round_state.start_s);
        costs_us[i] = (round_state.end_cpu_s - round_state.start_cpu_s) / (double)total * 1e6;
    }
    qsort(rates, ROUNDS, sizeof rates[0], bench_compare);
    qsort(costs_us, ROUNDS, sizeof costs_us[0], bench_compare);
    printf("farm,%d,%d,%d,%.0f,%.0f,%.2f,%.2f,%d,%s,%s,%s\n", workers, prefetch, task_us,
           rates[ROUNDS - 1], rates[ROUNDS / 2], costs_us[0], costs_us[ROUNDS / 2], ROUNDS,
           machine->commit, machine->compiler, machine->cpu);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char option[] = "--worker=";
    static const int tasks_us[] = {0, 1000};
    char self[4096];
    struct bench_machine machine;
    if (argc > 1 && strncmp(argv[1], option, strlen(option)) == 0)
        return worker_main(atof(argv[1] + strlen(option)));
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        fail("its own path is unknown");
    self[length] = '\0';
    log_set(STDERR_FILENO, LOG_ERROR);
    bench_describe(&machine);
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    printf("workload,workers,prefetch,task_us,tasks_per_s_best,tasks_per_s_median,"
           "controller_us_best,controller_us_median,repetitions,commit,compiler,cpu\n");
    for (int t = 0; t < 2; t++) {
        for (int workers = 1; workers < cores; workers *= 2)
            run_scene(self, &machine, workers, tasks_us[t], 2);
        run_scene(self, &machine, cores, tasks_us[t], 1);
        run_scene(self, &machine, cores, tasks_us[t], 2);
        run_scene(self, &machine, cores, tasks_us[t], 8);
    }
    return 0;
}
