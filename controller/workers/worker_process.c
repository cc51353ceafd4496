/* One simulator process.
 *
 * The end of a process shows in two places in any order: its exit status, and the end of its
 * output. Results that it wrote just before dying must count, and a child of a launcher may hold
 * the pipe open for ever, so neither waits for the other: on exit, what lies in the pipe is read
 * until there is nothing left at that instant (it was all written before the end), then on_exit is
 * called.
 *
 * Hosts greet: a shell that starts a launcher or the simulator there may write a line of its own
 * first. The first frame is a short one, so its first byte is 0, which no text has: what comes
 * before it is a greeting, and is skipped. */
#define _GNU_SOURCE /* sched_setaffinity(), prlimit() */
#include "controller/workers/worker_process.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"
#include "proto/frame.h"

enum {
    READ_BUFFER_BYTES = 64 * 1024,
    HANDLE_COUNT = 3,
    GREETING_BYTES_MAX = 64 * 1024, /* a longer one is no greeting */
    GREETING_KEPT_SIZE = 121,
};

struct worker_process {
    struct worker_process_callbacks callbacks;
    uv_process_t process;
    uv_pipe_t input, output; /* its stdin, its stdout */
    struct frame_reader reader;
    int has_begun; /* the first byte of a frame has come */
    size_t greeting_bytes;
    char greeting[GREETING_KEPT_SIZE]; /* its beginning */
    int is_muted;                      /* its output is dropped */
    int is_broken;                     /* on_broken was called */
    int has_exited;
    int open_handles;
    char read_buffer[READ_BUFFER_BYTES];
};

struct write_request {
    uv_write_t write;
    char bytes[];
};

/* ---- from the process ---- */

static void worker_process_break(struct worker_process *process, int is_garbage, const char *reason)
{
    if (process->is_muted || process->is_broken)
        return;
    process->is_broken = 1;
    if (is_garbage)
        worker_process_mute(process);
    process->callbacks.on_broken(process->callbacks.context, is_garbage, reason);
}

/* A greeting, and nothing of the protocol behind it. */
static void worker_process_break_greeting(struct worker_process *process)
{
    struct error error;
    error_set(&error, ERR_FORMAT, "wrote \"%s\" and no message of the protocol",
              worker_process_greeting(process));
    worker_process_break(process, 1, error.message);
}

/* How many of the bytes are of a greeting. */
static size_t worker_process_skip_greeting(struct worker_process *process, const char *bytes,
                                           size_t length)
{
    size_t count = 0, known = process->greeting_bytes;
    while (!process->has_begun && count < length && bytes[count] != '\0')
        count++;
    process->has_begun |= count < length;
    process->greeting_bytes += count;
    for (size_t i = 0; i < count && known + i < GREETING_KEPT_SIZE - 1; i++)
        process->greeting[known + i] = bytes[i];
    if (process->greeting_bytes > GREETING_BYTES_MAX)
        worker_process_break_greeting(process);
    return count;
}

static void worker_process_take_bytes(struct worker_process *process, const char *bytes,
                                      size_t length)
{
    struct error error = {0};
    size_t skipped = worker_process_skip_greeting(process, bytes, length);
    bytes += skipped;
    length -= skipped;
    if (frame_reader_feed(&process->reader, bytes, length) != 0) {
        worker_process_break(process, 1, error_text(ERR_MEMORY));
        return;
    }
    while (!process->is_muted) {
        const unsigned char *payload;
        size_t payload_length;
        int status = frame_reader_next(&process->reader, &payload, &payload_length, &error);
        if (status < 0)
            worker_process_break(process, 1, error.message);
        if (status <= 0)
            return;
        process->callbacks.on_frame(process->callbacks.context, payload, payload_length);
    }
}

static void worker_process_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct worker_process *process = handle->data;
    *buffer = uv_buf_init(process->read_buffer, sizeof process->read_buffer);
}

static void worker_process_on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct worker_process *process = stream->data;
    if (count > 0)
        worker_process_take_bytes(process, buffer->base, (size_t)count);
    if (count >= 0)
        return;
    uv_read_stop(stream);
    if (!process->has_begun && process->greeting_bytes > 0)
        worker_process_break_greeting(process);
    else if (count != UV_EOF)
        worker_process_break(process, 0, uv_strerror((int)count));
    else if (frame_reader_pending(&process->reader) > 0)
        worker_process_break(process, 0, "output ended inside a frame");
    else
        worker_process_break(process, 0, "output ended");
}

/* Reads what is in the pipe now. */
static void worker_process_drain(struct worker_process *process)
{
    uv_os_fd_t descriptor;
    if (process->is_muted || uv_fileno((uv_handle_t *)&process->output, &descriptor) != 0)
        return;
    uv_read_stop((uv_stream_t *)&process->output);
    while (!process->is_muted) {
        ssize_t count = read(descriptor, process->read_buffer, sizeof process->read_buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        worker_process_take_bytes(process, process->read_buffer, (size_t)count);
    }
}

static void worker_process_on_exit(uv_process_t *handle, int64_t exit_code, int signal)
{
    struct worker_process *process = handle->data;
    process->has_exited = 1;
    worker_process_drain(process);
    if (!process->has_begun && process->greeting_bytes > 0)
        worker_process_break_greeting(process);
    process->is_muted = 1;
    process->callbacks.on_exit(process->callbacks.context, (int)exit_code, signal);
}

/* ---- life ---- */

static void worker_process_on_close(uv_handle_t *handle)
{
    struct worker_process *process = handle->data;
    if (--process->open_handles > 0)
        return;
    struct worker_process_callbacks callbacks = process->callbacks;
    frame_reader_deinit(&process->reader);
    free(process);
    callbacks.on_freed(callbacks.freed_context);
}

void worker_process_release(struct worker_process *process)
{
    process->is_muted = 1;
    uv_close((uv_handle_t *)&process->process, worker_process_on_close);
    uv_close((uv_handle_t *)&process->input, worker_process_on_close);
    uv_close((uv_handle_t *)&process->output, worker_process_on_close);
}

int worker_process_spawn(struct worker_process **process_out, uv_loop_t *loop, char **argv,
                         int log_descriptor, const struct worker_process_callbacks *callbacks,
                         struct error *error)
{
    *process_out = NULL;
    struct worker_process *process = calloc(1, sizeof *process);
    if (process == NULL)
        return error_memory(error);
    process->callbacks = *callbacks;
    process->open_handles = HANDLE_COUNT;
    frame_reader_init(&process->reader);
    int status = uv_pipe_init(loop, &process->input, 0);
    ENSURE(status == 0, "uv_pipe_init: %s", uv_strerror(status));
    status = uv_pipe_init(loop, &process->output, 0);
    ENSURE(status == 0, "uv_pipe_init: %s", uv_strerror(status));
    process->process.data = process->input.data = process->output.data = process;

    uv_stdio_container_t stdio[3] = {{0}};
    stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
    stdio[0].data.stream = (uv_stream_t *)&process->input;
    stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
    stdio[1].data.stream = (uv_stream_t *)&process->output;
    stdio[2].flags = log_descriptor >= 0 ? UV_INHERIT_FD : UV_IGNORE;
    stdio[2].data.fd = log_descriptor;
    uv_process_options_t options = {0};
    options.file = argv[0];
    options.args = argv;
    options.stdio = stdio;
    options.stdio_count = 3;
    options.exit_cb = worker_process_on_exit;

    /* A failed spawn leaves an initialised handle, too: everything is closed the same way. */
    status = uv_spawn(loop, &process->process, &options);
    process->process.data = process;
    if (status != 0) {
        worker_process_release(process);
        return error_set(error, status == UV_ENOENT ? ERR_MISSING : ERR_IO, "%s: %s", argv[0],
                         uv_strerror(status));
    }
    status = uv_read_start((uv_stream_t *)&process->output, worker_process_on_alloc,
                           worker_process_on_read);
    ENSURE(status == 0, "uv_read_start: %s", uv_strerror(status));
    *process_out = process;
    return 0;
}

int worker_process_pid(const struct worker_process *process)
{
    return uv_process_get_pid(&process->process);
}

const char *worker_process_greeting(struct worker_process *process)
{
    return text_clean(process->greeting, "");
}

int64_t worker_process_cpu_ns(const struct worker_process *process)
{
#if defined(_POSIX_CPUTIME) && _POSIX_CPUTIME >= 0
    clockid_t clock;
    struct timespec time;
    if (!process->has_exited && clock_getcpuclockid(worker_process_pid(process), &clock) == 0 &&
        clock_gettime(clock, &time) == 0)
        return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
#endif
    return -1;
}

void worker_process_pin(const struct worker_process *process, int number)
{
#ifdef __linux__
    cpu_set_t allowed, chosen;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    int wanted = number % CPU_COUNT(&allowed);
    CPU_ZERO(&chosen);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &allowed) && wanted-- == 0)
            CPU_SET(core, &chosen);
    sched_setaffinity(worker_process_pid(process), sizeof chosen, &chosen);
#endif
}

void worker_process_limit_files(const struct worker_process *process, int64_t bytes)
{
#ifdef __linux__
    struct rlimit limit;
    pid_t pid = worker_process_pid(process);
    if (prlimit(pid, RLIMIT_FSIZE, NULL, &limit) != 0)
        return;
    if (limit.rlim_max > (rlim_t)bytes)
        limit.rlim_max = (rlim_t)bytes;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    prlimit(pid, RLIMIT_FSIZE, &limit, NULL);
#endif
}

void worker_process_kill(struct worker_process *process, int signal)
{
    /* After the exit the id may belong to another process. */
    if (!process->has_exited)
        uv_process_kill(&process->process, signal);
}

void worker_process_mute(struct worker_process *process)
{
    process->is_muted = 1;
    uv_read_stop((uv_stream_t *)&process->output);
}

/* ---- to the process ---- */

size_t worker_process_unsent_bytes(const struct worker_process *process)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&process->input);
}

static void worker_process_on_written(uv_write_t *write, int status)
{
    struct worker_process *process = write->handle->data;
    free(write->data);
    if (status != 0 && status != UV_ECANCELED)
        worker_process_break(process, 0, uv_strerror(status));
}

static int worker_process_queue(struct worker_process *process, const char *bytes, size_t length)
{
    struct write_request *request = malloc(sizeof *request + length);
    if (request == NULL)
        return ERR_MEMORY;
    memcpy(request->bytes, bytes, length);
    request->write.data = request;
    uv_buf_t buffer = uv_buf_init(request->bytes, (unsigned)length);
    if (uv_write(&request->write, (uv_stream_t *)&process->input, &buffer, 1,
                 worker_process_on_written) == 0)
        return 0;
    free(request);
    return ERR_IO;
}

int worker_process_write(struct worker_process *process, const void *bytes, size_t length)
{
    const char *rest = bytes;
    uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)length);
    int written = uv_try_write((uv_stream_t *)&process->input, &buffer, 1);
    if (written < 0 && written != UV_EAGAIN)
        return ERR_IO;
    if (written < 0)
        written = 0;
    if ((size_t)written == length)
        return 0;
    return worker_process_queue(process, rest + written, length - (size_t)written);
}
