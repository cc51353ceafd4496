/* Orders to a controller at work.
 *
 * A socket's address has room for some hundred bytes, and a run's directory may be longer. So both
 * sides open the directory for bind() and connect(), and name it by its descriptor. libuv would keep
 * that name and remove whatever has it when the process ends, so the socket is made by hand.
 *
 * Clients are few (a person typed a command) and trusted with orders, not with memory: at most
 * CLIENTS_MAX at a time, each with one short line. One that sends nothing keeps its place until the
 * run ends or a newer one needs it. A client that is closed without a byte in answer was not read:
 * it asks again, as one that finds the queue full, until its time is over.
 *
 * accept() is called here: libuv's listeners call it again and again, within one turn of the loop,
 * while this process may not open another file. The listener rests for a second then. */
#define _GNU_SOURCE /* O_PATH, SOCK_CLOEXEC, accept4() */
#include "controller/run/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/system/log.h"
#include "common/system/process.h"

#define CONTROL_NAME "control"

enum { CLIENTS_MAX = 16, BACKLOG = 16, ANSWER_MAX_BYTES = 4 << 20, REST_MS = 1000 };

/* After which a client whose order was not read gives it again. */
#define RETRY_NS 20000000L

struct client {
    uv_pipe_t pipe;
    uv_write_t write;
    struct control *control;
    char line[CONTROL_LINE_MAX + 2];
    size_t used;
    char *answer;
    struct client *next; /* younger ones first */
};

struct control {
    uv_poll_t listener;
    uv_timer_t rest; /* after which it listens again */
    int descriptor;
    control_answer *answer;
    void *context;
    struct client *clients;
    int client_count, open_handles, is_closing;
    char *directory;
    struct stat socket; /* to know it again */
};

/* ---- the place of the socket ---- */

/* The directory, or -1, and the socket's address in it. */
static int open_place(const char *directory, struct sockaddr_un *address)
{
    int place = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/" CONTROL_NAME, place);
    return place;
}

static int is_socket(int place, struct stat *info)
{
    return fstatat(place, CONTROL_NAME, info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(info->st_mode);
}

/* The socket if its last call went well; else closes it and returns -1, with errno as it was. */
static int leave_place(int place, int descriptor, int status)
{
    int reason = errno;
    if (place >= 0)
        close(place);
    if (status && descriptor >= 0)
        close(descriptor);
    errno = reason;
    return status ? -1 : descriptor;
}

/* ---- clients of this controller ---- */

static void control_settle(struct control *control)
{
    if (!control->is_closing || control->open_handles > 0)
        return;
    close(control->descriptor);
    free(control->directory);
    free(control);
}

static void client_on_close(uv_handle_t *handle)
{
    struct client *client = handle->data;
    struct control *control = client->control;
    free(client->answer);
    free(client);
    control->open_handles--;
    control_settle(control);
}

static void client_end(struct client *client)
{
    struct control *control = client->control;
    if (uv_is_closing((uv_handle_t *)&client->pipe))
        return;
    for (struct client **at = &control->clients; *at; at = &(*at)->next)
        if (*at == client) {
            *at = client->next;
            break;
        }
    control->client_count--;
    uv_close((uv_handle_t *)&client->pipe, client_on_close);
}

static void client_on_written(uv_write_t *write, int status)
{
    client_end(write->data);
}

static void client_answer(struct client *client)
{
    uv_read_stop((uv_stream_t *)&client->pipe);
    client->answer = client->control->answer(client->control->context, client->line);
    if (!client->answer) {
        client_end(client);
        return;
    }
    client->write.data = client;
    uv_buf_t buffer = uv_buf_init(client->answer, (unsigned)strlen(client->answer));
    if (uv_write(&client->write, (uv_stream_t *)&client->pipe, &buffer, 1, client_on_written))
        client_end(client);
}

static void client_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct client *client = handle->data;
    *buffer =
        uv_buf_init(client->line + client->used, (unsigned)(CONTROL_LINE_MAX + 1 - client->used));
}

static void client_on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct client *client = stream->data;
    if (count > 0)
        client->used += (size_t)count;
    client->line[client->used] = '\0';
    char *end = strchr(client->line, '\n');
    if (end) {
        *end = '\0';
        client_answer(client);
    } else if (count < 0 || client->used > CONTROL_LINE_MAX) {
        client_end(client);
    }
}

/* The client that gives way: the oldest whose order was not read, else the oldest. */
static struct client *find_least(struct control *control)
{
    struct client *least = control->clients;
    for (struct client *client = least; client; client = client->next)
        if (!client->answer || least->answer)
            least = client;
    return least;
}

static void client_begin(struct control *control, int descriptor)
{
    struct client *client = calloc(1, sizeof *client);
    if (!client) {
        close(descriptor);
        return;
    }
    if (control->client_count == CLIENTS_MAX)
        client_end(find_least(control));
    uv_pipe_init(control->listener.loop, &client->pipe, 0);
    client->pipe.data = client;
    client->control = control;
    client->next = control->clients;
    control->clients = client;
    control->client_count++;
    control->open_handles++;
    int status = uv_pipe_open(&client->pipe, descriptor);
    if (status)
        close(descriptor);
    if (status || uv_read_start((uv_stream_t *)&client->pipe, client_on_alloc, client_on_read))
        client_end(client);
}

/* ---- listening ---- */

static void control_on_connection(uv_poll_t *listener, int status, int events);

static void control_on_rest(uv_timer_t *rest)
{
    struct control *control = rest->data;
    uv_poll_start(&control->listener, UV_READABLE, control_on_connection);
}

static void control_on_connection(uv_poll_t *listener, int status, int events)
{
    struct control *control = listener->data;
    int descriptor = accept4(control->descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) {
        client_begin(control, descriptor);
        return;
    }
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
        return;
    log_event(LOG_WARN, "no_answer", "reason=\"%s\"", strerror(errno));
    uv_poll_stop(listener);
    uv_timer_start(&control->rest, control_on_rest, REST_MS, 0);
}

/* The descriptor of a socket bound in the directory, or -1. */
static int bind_there(const char *directory, struct stat *info)
{
    struct sockaddr_un address;
    int place = open_place(directory, &address), status = -1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (place >= 0 && descriptor >= 0) {
        if (is_socket(place, info))
            unlinkat(place, CONTROL_NAME, 0);
        mode_t mask = umask(0177);
        status = bind(descriptor, (struct sockaddr *)&address, sizeof address);
        umask(mask);
        if (status == 0)
            status = is_socket(place, info) ? listen(descriptor, BACKLOG) : -1;
    }
    return leave_place(place, descriptor, status);
}

static void control_on_close(uv_handle_t *handle)
{
    struct control *control = handle->data;
    control->open_handles--;
    control_settle(control);
}

struct control *control_create(uv_loop_t *loop, const char *directory, control_answer *answer,
                               void *context, struct error *error)
{
    ENSURE(loop && answer, "no function answers orders");
    struct control *control = calloc(1, sizeof *control);
    char *copy = strdup(directory);
    int descriptor = control && copy ? bind_there(directory, &control->socket) : -1;
    int status = descriptor < 0 ? 0 : uv_poll_init(loop, &control->listener, descriptor);
    if (descriptor < 0 || status) {
        error_set(error, ERR_IO, "%s/" CONTROL_NAME ": %s", directory,
                  status ? uv_strerror(status) : strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        free(control);
        free(copy);
        return NULL;
    }
    control->answer = answer;
    control->context = context;
    control->directory = copy;
    control->descriptor = descriptor;
    uv_timer_init(loop, &control->rest);
    control->open_handles = 2;
    control->listener.data = control->rest.data = control;
    uv_poll_start(&control->listener, UV_READABLE, control_on_connection);
    return control;
}

void control_destroy(struct control *control)
{
    if (!control)
        return;
    control->is_closing = 1;
    /* the directory may have been moved, and another be in its place */
    struct sockaddr_un unused;
    struct stat info;
    int place = open_place(control->directory, &unused);
    if (is_socket(place, &info) && info.st_dev == control->socket.st_dev &&
        info.st_ino == control->socket.st_ino)
        unlinkat(place, CONTROL_NAME, 0);
    leave_place(place, -1, 0);
    while (control->clients)
        client_end(control->clients);
    uv_close((uv_handle_t *)&control->listener, control_on_close);
    uv_close((uv_handle_t *)&control->rest, control_on_close);
}

/* ---- the other side ---- */

/* Without waiting: a stopped controller accepts no client, and EAGAIN says so when its queue is
 * full. */
static int connect_there(const char *directory)
{
    struct sockaddr_un address;
    struct stat info;
    int place = open_place(directory, &address), status = -1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* connect() would follow a link */
    if (is_socket(place, &info))
        status = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    else if (place >= 0)
        errno = ENOTSOCK;
    return leave_place(place, descriptor, status);
}

static int fail_busy(const char *directory, struct error *error)
{
    return error_set(error, ERR_BUSY, "%s: the controller does not answer", directory);
}

/* The next bytes, once they are there; 0 at the end of the stream, -1 with errno, which is
 * ETIMEDOUT at the deadline. */
static ssize_t read_until(int descriptor, char *bytes, size_t size, int64_t deadline_ms)
{
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    int64_t left_ms = deadline_ms - (int64_t)clock_ms(CLOCK_MONOTONIC);
    int status = left_ms > 0 ? poll(&ready, 1, (int)left_ms) : 0;
    if (status == 0)
        errno = ETIMEDOUT;
    return status > 0 ? read(descriptor, bytes, size) : -1;
}

/* Everything until the end of the stream. ERR_BUSY if not a byte came. */
static int read_answer(const char *directory, int descriptor, int64_t deadline_ms, char **answer,
                       struct error *error)
{
    size_t used = 0, room = 4096;
    char *text = malloc(room);
    while (text) {
        ssize_t count = read_until(descriptor, text + used, room - 1 - used, deadline_ms);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        used += count > 0 ? (size_t)count : 0;
        if (count == 0 && used > 0) {
            text[used] = '\0';
            *answer = text;
            return 0;
        }
        if (count <= 0 || used >= ANSWER_MAX_BYTES) {
            free(text);
            return used == 0 || errno == ETIMEDOUT
                       ? fail_busy(directory, error)
                       : error_set(error, ERR_IO, "%s: the controller's answer has no end",
                                   directory);
        }
        if (room - used > 1024)
            continue;
        char *grown = realloc(text, room *= 2);
        if (!grown)
            free(text);
        text = grown;
    }
    return error_memory(error);
}

/* Takes the first line away, "ok" or an error, and the end of the last one. */
static int judge_answer(char **answer, struct error *error)
{
    size_t length = strcspn(*answer, "\n");
    if (length == 2 && !strncmp(*answer, "ok\n", 3)) {
        memmove(*answer, *answer + 3, strlen(*answer + 3) + 1);
        length = strlen(*answer);
        if (length > 0 && (*answer)[length - 1] == '\n')
            (*answer)[length - 1] = '\0';
        return 0;
    }
    (*answer)[length] = '\0';
    error_set(error, ERR_RANGE, "%s", !strncmp(*answer, "error: ", 7) ? *answer + 7 : "no answer");
    free(*answer);
    *answer = NULL;
    return ERR_RANGE;
}

/* One connection. ERR_BUSY if the order was not read, or if the time is over. */
static int ask_once(const char *directory, const char *text, int64_t deadline_ms, char **answer,
                    struct error *error)
{
    int descriptor = connect_there(directory);
    if (descriptor < 0 && errno == EAGAIN)
        return fail_busy(directory, error);
    if (descriptor < 0)
        return error_set(error, ERR_MISSING, "%s: no controller is working on this run", directory);
    ssize_t length = (ssize_t)strlen(text);
    int status = send(descriptor, text, (size_t)length, MSG_NOSIGNAL) == length
                     ? read_answer(directory, descriptor, deadline_ms, answer, error)
                     : fail_busy(directory, error);
    close(descriptor);
    return status;
}

int control_ask(const char *directory, const char *line, int timeout_ms, char **answer,
                struct error *error)
{
    ENSURE(line[0] && timeout_ms > 0, "no order, or no time for it");
    char text[CONTROL_LINE_MAX + 2];
    int64_t deadline_ms = (int64_t)clock_ms(CLOCK_MONOTONIC) + timeout_ms;
    *answer = NULL;
    int length = snprintf(text, sizeof text, "%s\n", line);
    if (length < 0 || length >= (int)sizeof text)
        return error_set(error, ERR_LIMIT, "the order is too long");
    int status = ask_once(directory, text, deadline_ms, answer, error);
    while (status == ERR_BUSY && (int64_t)clock_ms(CLOCK_MONOTONIC) < deadline_ms) {
        nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
        status = ask_once(directory, text, deadline_ms, answer, error);
    }
    return status ? status : judge_answer(answer, error);
}
