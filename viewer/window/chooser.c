#include "viewer/window/chooser.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/params/choice.h"
#include "common/system/process.h"

#define ORDERS_MAX 256

extern char **environ;

/* controller COMMAND [OPTION] -- RUN_DIR WORDS */
struct order {
    uint64_t id; /* of a choice; 0: it is none */
    const char *command, *option;
    char words[96];
};
enum { WORDS_MAX = 8 };

struct chooser {
    char directory[4096];
    struct order orders[ORDERS_MAX]; /* [0] is under way if there is a child */
    int order_count;
    pid_t child; /* 0: none */
    int output;  /* where its output is read, or -1 */
    char text[512];
    size_t used;
};

struct chooser *chooser_create(const char *run_directory)
{
    struct chooser *chooser = calloc(1, sizeof *chooser);
    if (!chooser)
        return NULL;
    snprintf(chooser->directory, sizeof chooser->directory, "%s", run_directory);
    chooser->output = -1;
    return chooser;
}

/* The invariants between two calls. */
static void chooser_check(const struct chooser *chooser)
{
    ENSURE(chooser->order_count >= 0 && chooser->order_count <= ORDERS_MAX, "%d orders",
           chooser->order_count);
    ENSURE(!chooser->child || chooser->order_count > 0, "process %d without an order",
           (int)chooser->child);
    ENSURE((chooser->child > 0) == (chooser->output >= 0), "process %d, its output %d",
           (int)chooser->child, chooser->output);
    ENSURE(chooser->used < sizeof chooser->text, "%zu bytes were said", chooser->used);
}

static void reap(struct chooser *chooser, int *wait_status)
{
    ENSURE(chooser->child > 0, "no process to wait for");
    pid_t ended;
    close(chooser->output);
    chooser->output = -1;
    do {
        ended = waitpid(chooser->child, wait_status, 0);
    } while (ended < 0 && errno == EINTR);
    chooser->child = 0;
}

void chooser_destroy(struct chooser *chooser)
{
    int unused;
    if (!chooser)
        return;
    if (chooser->child)
        reap(chooser, &unused);
    free(chooser);
}

static int add_order(struct chooser *chooser, struct order order)
{
    chooser_check(chooser);
    if (chooser->order_count == ORDERS_MAX)
        return ERR_LIMIT;
    chooser->orders[chooser->order_count++] = order;
    return 0;
}

int chooser_choose(struct chooser *chooser, uint64_t id, int choice)
{
    struct order order = {.id = id, .command = "choose"};
    snprintf(order.words, sizeof order.words, "%" PRIu64 " %s", id, choice_name(choice));
    return add_order(chooser, order);
}

int chooser_next(struct chooser *chooser)
{
    return add_order(chooser, (struct order){.command = "choose", .option = "--next"});
}

int chooser_tend(struct chooser *chooser, int world, const char *words)
{
    ENSURE(world >= 0 && words[0], "world %d: '%s'", world, words);
    struct order order = {.command = "tend"};
    snprintf(order.words, sizeof order.words, "%d %s", world, words);
    return add_order(chooser, order);
}

int chooser_is_busy(const struct chooser *chooser)
{
    return chooser && chooser->order_count > 0;
}

/* ---- one order ---- */

/* Starts a program and reads both its outputs through one pipe; 0 or an errno. */
static int spawn(struct chooser *chooser, const char *path, const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends))
        return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int result =
        posix_spawn(&chooser->child, path, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    chooser->output = ends[0];
    chooser->used = 0;
    if (result) {
        close(ends[0]);
        chooser->child = 0;
    }
    return result;
}

static int start(struct chooser *chooser, struct error *error)
{
    struct order order = chooser->orders[0];
    const char *arguments[5 + WORDS_MAX + 1] = {"controller", order.command};
    char path[4096], *rest = order.words, *word;
    int count = 2;
    int status = find_program("controller", path, sizeof path, error);
    if (status)
        return status;
    if (order.option)
        arguments[count++] = order.option;
    arguments[count++] = "--";
    arguments[count++] = chooser->directory;
    while (count < 5 + WORDS_MAX && (word = strtok_r(rest, " ", &rest)) != NULL)
        arguments[count++] = word;
    int result = spawn(chooser, path, arguments);
    return result ? error_set(error, ERR_IO, "%s: cannot be started: %s", path, strerror(result))
                  : 0;
}

/* Reads its words; 1 when it has ended. Text that does not fit is read and dropped. */
static int listen_to(struct chooser *chooser)
{
    char piece[256];
    for (;;) {
        ssize_t count = read(chooser->output, piece, sizeof piece);
        if (count < 0)
            return errno != EAGAIN && errno != EINTR;
        if (count == 0)
            return 1;
        size_t room = sizeof chooser->text - 1 - chooser->used;
        size_t kept = (size_t)count < room ? (size_t)count : room;
        memcpy(chooser->text + chooser->used, piece, kept);
        chooser->used += kept;
    }
}

/* The order is done with. `chooser->text` is what was said: its first line, without the program's
 * name. */
static int finish(struct chooser *chooser, struct chooser_answer *answer, struct error *error)
{
    static const char head[] = "controller: ";
    char *text = chooser->text;
    int wait_status;
    chooser->text[chooser->used] = '\0';
    chooser->text[strcspn(chooser->text, "\n")] = '\0';
    if (!strncmp(text, head, strlen(head)))
        text += strlen(head);
    reap(chooser, &wait_status);
    snprintf(answer->text, sizeof answer->text, "%.*s", (int)sizeof answer->text - 1, text);
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return 0;
    return error_set(error, ERR_IO, "%s", *text ? answer->text : "the order failed");
}

int chooser_poll(struct chooser *chooser, struct chooser_answer *answer, struct error *error)
{
    chooser_check(chooser);
    int status = 0;
    if (!chooser->order_count)
        return ERR_BUSY;
    if (!chooser->child)
        status = start(chooser, error);
    if (!status && !listen_to(chooser))
        return ERR_BUSY;
    answer->id = chooser->orders[0].id;
    if (!status)
        status = finish(chooser, answer, error);
    memmove(chooser->orders, chooser->orders + 1,
            (size_t)--chooser->order_count * sizeof *chooser->orders);
    return status;
}
