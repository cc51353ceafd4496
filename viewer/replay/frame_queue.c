#define _GNU_SOURCE /* for vmsplice and F_GETPIPE_SZ, where there are such things */
#include "viewer/replay/frame_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/error.h"
#include "common/system/file.h"

/* At 1280x720 a frame has 1.4 MB: a second of video, while an encoder starts. */
#define QUEUE_BYTES      ((size_t)48 << 20)
#define QUEUE_FRAMES_MAX 32

/* A ring. Frame number i has its place at i modulo frame_count; the numbers only grow, and
 * written <= pushed <= written + frame_count - kept. The lock guards what stands below it.
 *
 * Where the system lets one lend pages to a pipe (vmsplice) they are not copied into it. Lent
 * pages must not change until it is read: a frame of more pages than the pipe can hold has been
 * read when the whole of the next one is in the pipe, so that the place of the last one written is
 * kept. */
struct frame_queue {
    int descriptor;
    size_t frame_bytes;
    size_t place_bytes; /* frame_bytes, up to a page's end */
    size_t frame_count; /* >= 3, so that the last frame is not the next one's place */
    size_t kept;        /* 1 if pages are lent, else 0 */
    unsigned char *frames;
    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t pushed, written;
    int is_closed; /* nothing more is pushed */
    int status;    /* of writing */
};

static unsigned char *find_place(const struct frame_queue *queue, size_t number)
{
    return queue->frames + number % queue->frame_count * queue->place_bytes;
}

/* ---- the writer ---- */

#ifdef SPLICE_F_MOVE
/* Whether the pipe holds less than a frame. */
static int can_lend(int descriptor, size_t frame_bytes)
{
    int pipe_bytes = fcntl(descriptor, F_GETPIPE_SZ);
    return pipe_bytes > 0 && (size_t)pipe_bytes <= frame_bytes;
}

static int lend_frame(int descriptor, const unsigned char *frame, size_t length)
{
    while (length > 0) {
        struct iovec rest = {.iov_base = (void *)frame, .iov_len = length};
        ssize_t put = vmsplice(descriptor, &rest, 1, 0);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == ENOSYS || errno == EPERM))
            return file_write_all(descriptor, frame, length); /* forbidden here: copied */
        if (put < 0)
            return ERR_IO;
        frame += put;
        length -= (size_t)put;
    }
    return 0;
}
#else
static int can_lend(int descriptor, size_t frame_bytes)
{
    return 0;
}

static int lend_frame(int descriptor, const unsigned char *frame, size_t length)
{
    return file_write_all(descriptor, frame, length);
}
#endif

static void *write_frames(void *argument)
{
    struct frame_queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    while (!queue->status && (queue->written < queue->pushed || !queue->is_closed)) {
        if (queue->written == queue->pushed) {
            pthread_cond_wait(&queue->changed, &queue->lock);
            continue;
        }
        const unsigned char *frame = find_place(queue, queue->written);
        pthread_mutex_unlock(&queue->lock);
        int status = queue->kept ? lend_frame(queue->descriptor, frame, queue->frame_bytes)
                                 : file_write_all(queue->descriptor, frame, queue->frame_bytes);
        pthread_mutex_lock(&queue->lock);
        queue->status = status;
        queue->written++;
        pthread_cond_signal(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* ---- the queue ---- */

static void release(struct frame_queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    if (queue->frames)
        munmap(queue->frames, queue->frame_count * queue->place_bytes);
    free(queue);
}

int frame_queue_create(struct frame_queue **queue, int descriptor, size_t frame_bytes)
{
    struct frame_queue *made = calloc(1, sizeof *made);
    *queue = NULL;
    ENSURE(frame_bytes > 0, "frames of nothing");
    if (!made)
        return ERR_MEMORY;
    size_t count = QUEUE_BYTES / frame_bytes, page = (size_t)sysconf(_SC_PAGESIZE);
    made->frame_count = count < 3 ? 3 : count > QUEUE_FRAMES_MAX ? QUEUE_FRAMES_MAX : count;
    made->frame_bytes = frame_bytes;
    made->place_bytes = (frame_bytes + page - 1) / page * page;
    made->descriptor = descriptor;
    made->kept = (size_t)can_lend(descriptor, frame_bytes);
    /* never given back to malloc: lent pages are still in the pipe when the queue is gone */
    void *places = mmap(NULL, made->frame_count * made->place_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    made->frames = places == MAP_FAILED ? NULL : places;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    if (made->frames && !pthread_create(&made->writer, NULL, write_frames, made)) {
        *queue = made;
        return 0;
    }
    int status = made->frames ? ERR_LIMIT : ERR_MEMORY;
    release(made);
    return status;
}

unsigned char *frame_queue_next(struct frame_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (!queue->status && queue->pushed - queue->written + queue->kept == queue->frame_count)
        pthread_cond_wait(&queue->changed, &queue->lock);
    int status = queue->status;
    pthread_mutex_unlock(&queue->lock);
    return status ? NULL : find_place(queue, queue->pushed);
}

/* `pushed` is changed by this thread only. */
const unsigned char *frame_queue_last(const struct frame_queue *queue)
{
    return queue->pushed > 0 ? find_place(queue, queue->pushed - 1) : NULL;
}

void frame_queue_push(struct frame_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    ENSURE(queue->pushed - queue->written + queue->kept < queue->frame_count || queue->status,
           "%zu frames wait in room for %zu", queue->pushed - queue->written, queue->frame_count);
    queue->pushed++;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

int frame_queue_finish(struct frame_queue *queue)
{
    if (!queue)
        return 0;
    pthread_mutex_lock(&queue->lock);
    queue->is_closed = 1;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->writer, NULL);
    int status = queue->status;
    release(queue);
    return status;
}
