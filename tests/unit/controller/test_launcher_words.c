/* The words of farm.launcher: where they are cut, and that a command is refused before anything
 * starts if its program is missing. runs: watched */
#include "controller/workers/launcher.h"

#include <unistd.h>

#include "controller/workers/farm.h"
#include "tests/plain_fixture.h"

static struct launcher launcher;

static void set_up(void)
{
    ck_assert_int_eq(setenv("PATH", "/no/such/folder:/bin:/usr/bin", 1), 0);
    error = (struct error){0};
}

static void tear_down(void)
{
    launcher_deinit(&launcher);
}

/* `count` words, each "true". */
static const char *true_words(int count)
{
    static char words[5 * (LAUNCHER_WORDS_MAX + 2)];
    words[0] = '\0';
    for (int i = 0; i < count; i++)
        strcat(words, "true ");
    return words;
}

/* The launcher starts these words; the last one is the simulator's path. */
#define expect_words(...) expect_all_words((const char *const[]){__VA_ARGS__, NULL})

static void expect_all_words(const char *const *words)
{
    int count = 0;
    for (; words[count]; count++)
        ck_assert_str_eq(launcher.argv[count], words[count]);
    ck_assert_ptr_null(launcher.argv[count]);
}

TEST(test_words_are_cut_at_spaces_and_tabs)
{
    ck_assert_int_eq(launcher_init(&launcher, " \tnice  -n\t 5 ", 0, "/no/simulator", &error), 0);
    ck_assert_int_eq(launcher.word_count, 3);
    expect_words("nice", "-n", "5", "/no/simulator");
}

TEST(test_quotes_are_letters)
{
    ck_assert_int_eq(launcher_init(&launcher, "env 'A=b c'", 0, "/no/simulator", &error), 0);
    ck_assert_int_eq(launcher.word_count, 3);
    expect_words("env", "'A=b", "c'", "/no/simulator");
}

TEST(test_no_words_mean_the_simulator_alone)
{
    ck_assert_int_eq(launcher_init(&launcher, " \t", 0, "/bin/sh", &error), 0);
    ck_assert_int_eq(launcher.word_count, 0);
    expect_words("/bin/sh");
    ck_assert_int_eq(launcher_check("", &error), 0);
}

TEST(test_a_missing_simulator_is_named)
{
    ck_refused_as(launcher_init(&launcher, "", 0, "/no/simulator", &error), ERR_MISSING,
                  "simulator not found: /no/simulator");
}

TEST(test_a_missing_program_is_named)
{
    ck_refused_as(launcher_init(&launcher, "no-such-launcher -x", 0, "/bin/sh", &error),
                  ERR_MISSING, "farm.launcher: program not found: no-such-launcher");
    ck_refused_as(launcher_check("/bin/no-such-launcher", &error), ERR_MISSING,
                  "farm.launcher: program not found: /bin/no-such-launcher");
}

/* A file that cannot be executed is no program. */
TEST(test_a_program_can_be_executed)
{
    ck_assert_int_eq(launcher_check("/etc/passwd", &error), ERR_MISSING);
    ck_assert_int_eq(launcher_check("/bin/sh", &error), 0);
}

TEST(test_all_of_path_is_searched)
{
    ck_assert_int_eq(launcher_check("sh", &error), 0);
    setenv("PATH", "/no/such/folder", 1);
    ck_assert_int_eq(launcher_check("sh", &error), ERR_MISSING);
    setenv("PATH", "", 1);
    ck_assert_int_eq(launcher_check("sh", &error), ERR_MISSING);
}

TEST(test_words_are_counted)
{
    ck_ok(launcher_init(&launcher, true_words(LAUNCHER_WORDS_MAX), 0, "/no/simulator", &error));
    ck_assert_int_eq(launcher.word_count, LAUNCHER_WORDS_MAX);
    ck_assert_str_eq(launcher.argv[LAUNCHER_WORDS_MAX], "/no/simulator");
    ck_assert_ptr_null(launcher.argv[LAUNCHER_WORDS_MAX + 1]);
    ck_refused_as(launcher_check(true_words(LAUNCHER_WORDS_MAX + 1), &error), ERR_LIMIT,
                  "farm.launcher: more than 64 words");
}

/* A name in front of all others in PATH. */
static void plant_srun(void)
{
    char folder[] = "/tmp/test_words.XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(symlink("/bin/true", printed("%s/srun", folder)), 0);
    setenv("PATH", folder, 1);
}

static void remove_srun(void)
{
    unlink(printed("%s/srun", getenv("PATH")));
    rmdir(getenv("PATH"));
}

TEST(test_slurm_stands_for_srun)
{
#define SRUN                                                                                       \
    "srun", "--unbuffered", "--exact", "--nodes=1", "--ntasks=1", "--cpus-per-task=1", "--wait=0", \
        "--kill-on-bad-exit=0", "--mem-per-cpu=300M", "-p", "long"
    plant_srun();
    ck_assert_int_eq(launcher_init(&launcher, " slurm -p long", 300, "/no/simulator", &error), 0);
    ck_assert_int_eq(launcher.is_slurm, 1);
    expect_words(SRUN, "/no/simulator");
    launcher_leave_out(&launcher, "n1,n3");
    expect_words(SRUN, "--exclude=n1,n3", "/no/simulator");
    launcher_deinit(&launcher);
    ck_assert_int_eq(
        launcher_init(&launcher, true_words(LAUNCHER_WORDS_MAX), 300, "/no/simulator", &error),
        ERR_MISSING);
    remove_srun();
}

TEST(test_only_slurm_can_leave_hosts_out)
{
    ck_assert_int_eq(launcher_init(&launcher, "env slurm", 300, "/no/simulator", &error), 0);
    launcher_leave_out(&launcher, "n1");
    ck_assert_int_eq(launcher.is_slurm, 0);
    expect_words("env", "slurm", "/no/simulator");
}

TEST(test_slurm_without_srun_is_refused)
{
    setenv("PATH", "/no/such/folder", 1);
    ck_refused_as(launcher_check("slurm", &error), ERR_MISSING,
                  "farm.launcher: program not found: srun");
}

/* A worker gets at most a processor's share of what its job has. */
TEST(test_memory_is_the_jobs)
{
    unsetenv("SLURM_MEM_PER_CPU");
    unsetenv("SLURM_MEM_PER_NODE");
    setenv("SLURM_CPUS_ON_NODE", "4", 1);
    ck_assert_int_eq(launcher_memory_mb("slurm", 1024), 1024);
    setenv("SLURM_MEM_PER_NODE", "2000", 1);
    ck_assert_int_eq(launcher_memory_mb("slurm -p long", 1024), 500);
    ck_assert_int_eq(launcher_memory_mb("slurm", 0), 500);
    ck_assert_int_eq(launcher_memory_mb("slurm", 100), 100);
    ck_assert_int_eq(launcher_memory_mb("nice", 1024), 1024);
    ck_assert_int_eq(launcher_memory_mb("", 1024), 1024);
    setenv("SLURM_MEM_PER_CPU", "700", 1);
    ck_assert_int_eq(launcher_memory_mb("slurm", 1024), 700);
}

/* Not more than the job has; its tasks where srun starts them. */
TEST(test_workers_are_the_jobs)
{
    unsetenv("SLURM_NTASKS");
    unsetenv("SLURM_CPUS_ON_NODE");
    int cores = launcher_worker_count("");
    ck_assert_int_ge(cores, 1);
    ck_assert_int_eq(launcher_worker_count("slurm"), cores);
    setenv("SLURM_NTASKS", "2000", 1);
    setenv("SLURM_CPUS_ON_NODE", "1", 1);
    ck_assert_int_eq(launcher_worker_count("slurm -p long"), FARM_WORKERS_MAX);
    ck_assert_int_eq(launcher_worker_count(""), 1);
    ck_assert_int_eq(launcher_worker_count("nice"), 1);
    setenv("SLURM_NTASKS", "7", 1);
    ck_assert_int_eq(launcher_worker_count("slurm"), 7);
    ck_assert_int_eq(launcher_worker_count("srun -u"), 7);
    setenv("SLURM_CPUS_ON_NODE", "99999", 1);
    ck_assert_int_eq(launcher_worker_count(""), cores);
}

SUITE("launcher_words", 0, set_up, tear_down)
