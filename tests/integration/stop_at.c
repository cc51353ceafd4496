/* Loaded into the controller (LD_PRELOAD) by test_stops.sh: kills it at the STOP_AT-th point at
 * which something new is stored.
 *
 * Points are the commits that the controller makes by itself, files that get their names, and the
 * ends of those turns of its loop that have written something, since its timer may commit there:
 * the shim commits the open batch before it kills. What lies between two points is never in the
 * store without the rest. With STOP_AT=cN turns are not counted. Children of the controller do not
 * load this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef int on_row(void *context, int count, char **values, char **names);

static sqlite3 *database; /* the one that is written to */
static int points_left, is_without_turns, changes;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("STOP_AT");
    is_without_turns = at && *at == 'c';
    points_left = at ? atoi(at + is_without_turns) : 0;
    unsetenv("LD_PRELOAD");
}

static int execute(sqlite3 *handle, const char *sql, on_row *take, void *context, char **message)
{
    int (*next)(sqlite3 *, const char *, on_row *, void *, char **);
    *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_exec");
    return next(handle, sql, take, context, message);
}

static void pass_point(void)
{
    if (--points_left)
        return;
    if (database && !sqlite3_get_autocommit(database))
        execute(database, "COMMIT", NULL, NULL, NULL);
    kill(getpid(), SIGKILL);
}

int sqlite3_exec(sqlite3 *handle, const char *sql, on_row *take, void *context, char **message)
{
    int result = execute(handle, sql, take, context, message);
    if (strncmp(sql, "BEGIN", 5) == 0)
        database = handle;
    if (strcmp(sql, "COMMIT") == 0 && result == SQLITE_OK) {
        changes = sqlite3_total_changes(handle);
        pass_point();
    }
    return result;
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "rename");
    int result = next(from, to);
    pass_point();
    return result;
}

int sqlite3_close(sqlite3 *handle)
{
    int (*next)(sqlite3 *);
    *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_close");
    database = handle == database ? NULL : database;
    return next(handle);
}

static void end_turn(void)
{
    if (is_without_turns || !database || sqlite3_total_changes(database) == changes)
        return;
    changes = sqlite3_total_changes(database);
    pass_point();
}

int epoll_wait(int poll, struct epoll_event *events, int count, int timeout_ms)
{
    int (*next)(int, struct epoll_event *, int, int);
    *(void **)&next = dlsym(RTLD_NEXT, "epoll_wait");
    end_turn();
    return next(poll, events, count, timeout_ms);
}

int epoll_pwait(int poll, struct epoll_event *events, int count, int timeout_ms,
                const sigset_t *mask)
{
    int (*next)(int, struct epoll_event *, int, int, const sigset_t *);
    *(void **)&next = dlsym(RTLD_NEXT, "epoll_pwait");
    end_turn();
    return next(poll, events, count, timeout_ms, mask);
}
