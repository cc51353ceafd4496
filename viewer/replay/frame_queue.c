#include "viewer/replay/frame_queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/system/file.h"

/* At 1280x720 a frame has 1.4 MB: a second of video, while an encoder starts. */
#define QUEUE_BYTES      ((size_t)48 << 20)
#define QUEUE_FRAMES_MAX 32

/* A ring. Frame number i has its place at i modulo frame_count; the numbers only grow, and
 * written <= pushed <= written + frame_count. The lock guards what stands below it. */
struct frame_queue {
    int descriptor;
    size_t frame_bytes;
    size_t frame_count; /* >= 2, so that the last frame is not the next one's place */
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
    return queue->frames + number % queue->frame_count * queue->frame_bytes;
}

/* ---- the writer ---- */

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
        int status = file_write_all(queue->descriptor, frame, queue->frame_bytes);
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
    free(queue->frames);
    free(queue);
}

int frame_queue_create(struct frame_queue **queue, int descriptor, size_t frame_bytes)
{
    struct frame_queue *made = calloc(1, sizeof *made);
    *queue = NULL;
    ENSURE(frame_bytes > 0, "frames of nothing");
    if (!made)
        return ERR_MEMORY;
    size_t count = QUEUE_BYTES / frame_bytes;
    made->frame_count = count < 2 ? 2 : count > QUEUE_FRAMES_MAX ? QUEUE_FRAMES_MAX : count;
    made->frame_bytes = frame_bytes;
    made->descriptor = descriptor;
    made->frames = calloc(made->frame_count, frame_bytes);
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
    while (!queue->status && queue->pushed - queue->written == queue->frame_count)
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
    ENSURE(queue->pushed - queue->written < queue->frame_count || queue->status,
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
