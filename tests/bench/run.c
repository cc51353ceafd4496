/* Whole runs, with the programs as users start them (`make bench-run`, from the project's folder).
 *
 *   run whole [GENERATIONS]     examples/walk.ini and swim.ini at the size of Sims (1994), 300
 *                               creatures and 100 generations, on all cores
 *   run scaling [GENERATIONS]   both, 300 creatures and 6 generations, on 1, 2, 4 ... workers up to
 *                               as many as there are cores, in turns, three times; times_one_worker
 *                               is the median over the turns of the evaluations per second as a
 *                               multiple of those on one worker in the same turn
 *
 * CSV: evaluations are the first trials of run.db's costs (the referee's come on top of them, in time too);
 * core_share is the processor time of controller and simulators as a share of the wall time of the
 * cores that the workers can use; controller_share the controller's part of all processor time.
 * The program beside it is bin/controller of the same build. Runs are made under /tmp and
 * removed. */
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"

enum { POPULATION = 300, WHOLE_GENERATIONS = 100, SCALING_GENERATIONS = 6, TURNS = 3 };
enum { WORKERS_MAX = 64, CHOICES_MAX = 8 };

struct outcome {
    double wall_s, controller_s, simulators_s, evaluations;
};

static char controller[4096]; /* its path */
static int core_count;

static void die(const char *what)
{
    fprintf(stderr, "run: %s\n", what);
    exit(1);
}

/* bin/controller beside bench/run. */
static void find_controller(void)
{
    ssize_t length = readlink("/proc/self/exe", controller, sizeof controller - 32);
    if (length <= 0)
        die("its own path is unknown");
    controller[length] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(controller, '/');
        if (!slash)
            die("its own path is unknown");
        *slash = 0;
    }
    strcat(controller, "/bin/controller");
    if (access(controller, X_OK) != 0)
        die("bin/controller is not built");
}

/* Processor times of a process that has ended but is not forgotten: its own, its children's. */
static int read_times(pid_t pid, struct outcome *outcome)
{
    char path[64], text[1024];
    unsigned long user, system;
    long child_user, child_system;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = 0;
    char *after_name = strrchr(text, ')');
    if (!after_name ||
        sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
               &user, &system, &child_user, &child_system) != 4)
        return -1;
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    outcome->controller_s = (double)(user + system) * tick_s;
    outcome->simulators_s = (double)(child_user + child_system) * tick_s;
    return 0;
}

static double count_evaluations(const char *directory)
{
    char path[128];
    sqlite3 *database = NULL;
    sqlite3_stmt *query = NULL;
    double count = -1;
    snprintf(path, sizeof path, "%s/run.db", directory);
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, "SELECT count(*) FROM costs WHERE trial = 'first'", -1, &query,
                           NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW)
        count = sqlite3_column_double(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(database);
    return count;
}

static void remove_folder(const char *path)
{
    char command[160];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    if (system(command) != 0)
        fprintf(stderr, "run: %s: left behind\n", path);
}

static void run_once(const char *example, int generations, int workers, struct outcome *outcome)
{
    char folder[] = "/tmp/bestiary-bench-XXXXXX", output[64], file[64], count[16], size[48],
         length[48];
    siginfo_t info;
    if (!mkdtemp(folder))
        die("/tmp: cannot make a folder");
    snprintf(output, sizeof output, "%s/run", folder);
    snprintf(file, sizeof file, "examples/%s.ini", example);
    snprintf(count, sizeof count, "%d", workers);
    snprintf(size, sizeof size, "population.size=%d", POPULATION);
    snprintf(length, sizeof length, "evolution.generations=%d", generations);
    fflush(stdout);
    double from_us = bench_now_us(1);
    pid_t pid = fork();
    if (pid == 0) {
        if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
            execl(controller, controller, "run", file, "--seed", "1", "-j", count, "-o", output,
                  "-s", size, "-s", length, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0)
        die("cannot start the controller");
    outcome->wall_s = (bench_now_us(1) - from_us) * 1e-6;
    int is_read = read_times(pid, outcome) == 0, status;
    if (waitpid(pid, &status, 0) != pid || status != 0 || !is_read)
        die("the run failed");
    outcome->evaluations = count_evaluations(output);
    remove_folder(folder);
    if (!(outcome->evaluations > 0))
        die("the run has no evaluations");
}

/* ---------------------------------------------------------------- printing */

static void print_header(void)
{
    printf("workload,workers,population,generations,evaluations,wall_s_fastest,wall_s_median,"
           "evaluations_per_s,times_one_worker,core_share,controller_share,repetitions,commit,"
           "compiler,cpu\n");
}

static double median_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], bench_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Rates and shares are those of all turns together. */
static void print_line(const char *example, int workers, int generations,
                       const struct outcome *outcomes, int turns, double times_one_worker)
{
    struct bench_machine machine;
    double walls[TURNS], wall_s = 0, controller_s = 0, busy_s = 0, evaluations = 0;
    int cores = workers < core_count ? workers : core_count;
    bench_describe(&machine);
    for (int i = 0; i < turns; i++) {
        walls[i] = outcomes[i].wall_s;
        wall_s += outcomes[i].wall_s;
        controller_s += outcomes[i].controller_s;
        busy_s += outcomes[i].controller_s + outcomes[i].simulators_s;
        evaluations += outcomes[i].evaluations;
    }
    double median_s = median_of(walls, turns);
    char times[16] = "";
    if (!isnan(times_one_worker))
        snprintf(times, sizeof times, "%.3f", times_one_worker);
    printf("%s,%d,%d,%d,%.0f,%.2f,%.2f,%.1f,%s,%.4f,%.4f,%d,%s,%s,%s\n", example, workers,
           POPULATION, generations, outcomes[0].evaluations, walls[0], median_s,
           evaluations / wall_s, times, busy_s / (wall_s * cores), controller_s / busy_s, turns,
           machine.commit, machine.compiler, machine.cpu);
    fflush(stdout);
}

/* ---------------------------------------------------------------- the two kinds */

static void run_whole(const char *example, int generations)
{
    struct outcome outcome;
    run_once(example, generations, core_count, &outcome);
    print_line(example, core_count, generations, &outcome, 1, NAN);
}

static void run_scaling(const char *example, int generations)
{
    static struct outcome outcomes[CHOICES_MAX][TURNS];
    int choices[CHOICES_MAX], count = 0;
    for (int workers = 1; workers < core_count && count < CHOICES_MAX - 1; workers *= 2)
        choices[count++] = workers;
    choices[count++] = core_count;
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < count; i++)
            run_once(example, generations, choices[i], &outcomes[i][turn]);
    for (int i = 0; i < count; i++) {
        double ratios[TURNS];
        for (int turn = 0; turn < TURNS; turn++)
            ratios[turn] = outcomes[0][turn].wall_s / outcomes[i][turn].wall_s;
        print_line(example, choices[i], generations, outcomes[i], TURNS, median_of(ratios, TURNS));
    }
}

int main(int argc, char **argv)
{
    static const char *const examples[] = {"walk", "swim"};
    int is_whole = argc > 1 && strcmp(argv[1], "whole") == 0;
    int is_scaling = argc > 1 && strcmp(argv[1], "scaling") == 0;
    int generations = argc > 2 ? atoi(argv[2]) : is_whole ? WHOLE_GENERATIONS : SCALING_GENERATIONS;
    if (argc > 3 || is_whole == is_scaling || generations < 1) {
        fprintf(stderr, "usage: run whole|scaling [GENERATIONS]\n");
        return 2;
    }
    core_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (core_count > WORKERS_MAX)
        core_count = WORKERS_MAX;
    find_controller();
    print_header();
    for (int i = 0; i < 2; i++) {
        if (is_whole)
            run_whole(examples[i], generations);
        else
            run_scaling(examples[i], generations);
    }
    return 0;
}
