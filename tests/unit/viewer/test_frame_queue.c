/* Frames come out of the pipe whole and in order, however slowly it is read; a reader that goes
 * away ends it. Meant to be run under ThreadSanitizer as well. */
#include "viewer/replay/frame_queue.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "tests/suite.h"

/* More than a pipe holds, and less. */
#define FRAME_BYTES 300000
#define SMALL_BYTES 5000
#define FRAMES      120

static int ends[2];
static pid_t reader;

static void set_up(void)
{
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(ends), 0);
}

static void tear_down(void)
{
    close(ends[1]);
}

/* Frame i is full of i, with its number at both ends. */
static void fill_frame(unsigned char *frame, size_t length, int i)
{
    memset(frame, i & 255, length);
    memcpy(frame, &i, sizeof i);
    memcpy(frame + length - sizeof i, &i, sizeof i);
}

/* In a process of its own: its exit code is 0 if `count` frames come as they should, and the
 * end. */
static void start_reader(int count, size_t length, int is_slow)
{
    reader = fork();
    ck_assert_int_ge(reader, 0);
    if (reader > 0) {
        close(ends[0]);
        return;
    }
    unsigned char *frame = malloc(length), *expected = malloc(length);
    int status = frame && expected ? 0 : 1;
    close(ends[1]);
    for (int i = 0; i < count && !status; i++) {
        size_t have = 0;
        for (ssize_t got; have < length; have += (size_t)got) {
            got = read(ends[0], frame + have, length - have);
            if (got <= 0)
                _exit(2);
            if (is_slow && i % 16 == 0)
                nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        }
        fill_frame(expected, length, i);
        status = memcmp(frame, expected, length) ? 3 : 0;
    }
    if (!status && count == FRAMES && read(ends[0], frame, 1) != 0)
        status = 4;
    _exit(status);
}

static int await_reader(void)
{
    int status;
    ck_assert_int_eq(waitpid(reader, &status, 0), reader);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* _i: 0 an even reader, 1 one that dawdles; 2 and 3 with small frames. */
TEST_LOOP(frames_come_in_order, 0, 4)
{
    struct frame_queue *queue;
    size_t length = _i < 2 ? FRAME_BYTES : SMALL_BYTES;
    start_reader(FRAMES, length, _i & 1);
    ck_assert_int_eq(frame_queue_create(&queue, ends[1], length), 0);
    ck_assert_ptr_null(frame_queue_last(queue));
    for (int i = 0; i < FRAMES; i++) {
        unsigned char *frame = frame_queue_next(queue);
        const unsigned char *last = frame_queue_last(queue);
        int number;
        ck_assert_ptr_nonnull(frame);
        ck_assert_ptr_ne(frame, last);
        fill_frame(frame, length, i);
        frame_queue_push(queue);
        if (last) {
            memcpy(&number, last, sizeof number);
            ck_assert_int_eq(number, i - 1);
        }
    }
    ck_assert_int_eq(frame_queue_finish(queue), 0);
    close(ends[1]);
    ck_assert_int_eq(await_reader(), 0);
}

TEST(a_reader_that_goes_ends_it)
{
    struct frame_queue *queue;
    int pushed = 0;
    start_reader(3, FRAME_BYTES, 0);
    ck_assert_int_eq(frame_queue_create(&queue, ends[1], FRAME_BYTES), 0);
    for (unsigned char *frame; (frame = frame_queue_next(queue)) && pushed < 100000; pushed++) {
        fill_frame(frame, FRAME_BYTES, pushed);
        frame_queue_push(queue);
    }
    ck_assert_int_lt(pushed, 100000);
    ck_assert_ptr_null(frame_queue_next(queue));
    ck_assert_int_eq(frame_queue_finish(queue), ERR_IO);
    ck_assert_int_eq(await_reader(), 0);
}

TEST(nothing_pushed_is_nothing_written)
{
    struct frame_queue *queue;
    char byte;
    ck_assert_int_eq(frame_queue_create(&queue, ends[1], FRAME_BYTES), 0);
    ck_assert_int_eq(frame_queue_finish(queue), 0);
    close(ends[1]);
    ck_assert_int_eq((int)read(ends[0], &byte, 1), 0);
    ck_assert_int_eq(frame_queue_finish(NULL), 0);
    /* frames too large for more than two of them */
    ck_assert_int_eq(frame_queue_create(&queue, -1, (size_t)40 << 20), 0);
    ck_assert_ptr_nonnull(frame_queue_next(queue));
    frame_queue_push(queue);
    ck_assert_int_eq(frame_queue_finish(queue), ERR_IO);
}

SUITE("frame_queue", 60, set_up, tear_down)
