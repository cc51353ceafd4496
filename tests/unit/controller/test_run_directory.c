/* A run's directory: made only where nothing is, recognised, locked by one process at a time.
 * runs: watched */
#include "controller/store/run_directory.h"
#include "common/system/file.h"
#include "tests/unit/directory_fixture.h"

#include <sys/wait.h>

static char path[RUN_PATH_SIZE];
static struct error error;

static const char *below(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    ck_ok(file_write(name, text, strlen(text), &error));
}

TEST(test_create)
{
    ck_assert_int_eq(run_directory_create(below("a/b/run"), &error), 0);
    ck_assert_int_eq(access(below("a/b/run/logs"), W_OK), 0);
    write_file(below("a/b/run/run.db"), "");
    ck_refused(run_directory_create(below("a/b/run"), &error), ERR_EXISTS, "a/b/run");
    write_file(below("file"), "x");
    ck_assert_int_eq(run_directory_create(directory, &error), ERR_EXISTS);
}

TEST(test_create_in_empty_or_through_file)
{
    ck_assert_int_eq(run_directory_create(directory, &error), 0);
    write_file(below("file"), "x");
    ck_assert_int_eq(run_directory_create(below("file"), &error), ERR_EXISTS);
    ck_assert_int_eq(run_directory_create(below("file/run"), &error), ERR_IO);
}

/* A controller that had no room for run.db, or was killed, leaves this behind. */
TEST(test_an_unfinished_beginning_is_begun_again)
{
    static const char *const files[] = {"lock", "run.db.new", "run.db.new-journal"};
    ck_assert_int_eq(run_directory_create(directory, &error), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        write_file(below(files[i]), i ? "half" : "");
    ck_assert_int_eq(run_directory_create(directory, &error), 0);
    ck_refused(run_directory_check(directory, &error), ERR_MISSING, "controller run");
}

/* Foreign files are left alone. */
TEST(test_nothing_else_is_begun_again)
{
    static const char *const others[] = {"file", "run.db", "params.ini", "logs/controller.log"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert_int_eq(run_directory_create(directory, &error), 0);
        write_file(below(others[i]), "");
        ck_assert_msg(run_directory_create(directory, &error) == ERR_EXISTS, "%s", others[i]);
        ck_assert_int_eq(remove(below(others[i])), 0);
    }
    write_file(below("lock"), "mine");
    ck_assert_int_eq(run_directory_create(directory, &error), ERR_EXISTS);
    ck_assert_int_eq(remove(below("lock")), 0);
    ck_assert_int_eq(symlink("logs", below("lock")), 0);
    ck_assert_int_eq(run_directory_create(directory, &error), ERR_EXISTS);
    ck_assert_int_eq(remove(below("lock")), 0);
    ck_assert_int_eq(remove(below("logs")), 0);
    ck_assert_int_eq(symlink("/tmp", below("logs")), 0);
    ck_assert_int_eq(run_directory_create(directory, &error), ERR_EXISTS);
}

TEST(test_check)
{
    ck_assert_int_eq(run_directory_check(below("nothing"), &error), ERR_MISSING);
    ck_refused(run_directory_check(directory, &error), ERR_MISSING, "not a run");
    write_file(below("file"), "x");
    ck_assert_int_eq(run_directory_check(below("file"), &error), ERR_MISSING);
    ck_assert_int_eq(run_directory_create(below("a/b/run"), &error), 0);
    write_file(below("a/b/run/run.db"), "");
    ck_assert_int_eq(run_directory_check(below("a/b/run"), &error), 0);
}

TEST(test_params_are_read_back)
{
    struct params params, found;
    params_set_defaults(&params);
    params_set_defaults(&found);
    params.population_size = 33;
    ck_assert_int_eq(run_directory_create(below("a/b/run"), &error), 0);
    ck_assert_int_eq(run_directory_write_params(below("a/b/run"), &params, &error), 0);
    params.population_size = 34;
    ck_assert_int_eq(run_directory_write_params(below("a/b/run"), &params, &error), 0);
    ck_assert_int_eq(params_read_file(&found, below("a/b/run/params.ini"), &error), 0);
    ck_assert_int_eq(found.population_size, 34);
    ck_assert_int_ne(access(below("a/b/run/params.ini.new"), F_OK), 0);
    ck_assert_int_eq(run_directory_write_params(below("nothing"), &params, &error), ERR_MISSING);
}

TEST(test_lock)
{
    int ready[2], done[2], descriptor;
    char byte = 0;
    below("lock");
    ck_assert_int_eq(run_directory_lock_holder(path), 0);
    ck_assert_int_eq(pipe(ready) | pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        close(done[1]);
        if (run_directory_lock(path, &descriptor, &error) || write(ready[1], &byte, 1) != 1)
            _exit(1);
        _exit(read(done[0], &byte, 1) == 0 ? 0 : 1);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(run_directory_lock_holder(path), child);
    ck_assert_int_eq(run_directory_lock(path, &descriptor, &error), ERR_BUSY);
    close(done[0]);
    close(done[1]);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(run_directory_lock_holder(path), 0);
    ck_assert_int_eq(run_directory_lock(path, &descriptor, &error), 0);
    close(descriptor);
}

TEST(test_paths_are_bounded)
{
    char name[RUN_PATH_SIZE + 8];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(run_directory_path(directory, name, path, &error), ERR_LIMIT);
    ck_assert_int_eq(run_directory_create(name, &error), ERR_LIMIT);
    ck_assert_int_eq(run_directory_check(name, &error), ERR_LIMIT);
}

TEST(test_disk_bytes)
{
    ck_assert_int_eq(run_directory_disk_bytes(below("nothing")), 0);
    ck_assert_int_eq(run_directory_create(below("a/b/run"), &error), 0);
    write_file(below("a/b/run/run.db"), "12345");
    ck_assert_int_eq(run_directory_disk_bytes(below("a/b/run")), 5);
}

SUITE("run_directory", 0, open_directory, close_directory)
