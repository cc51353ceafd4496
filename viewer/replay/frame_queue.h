/* Frames on their way into a pipe: a thread writes them while the next ones are made.
 *
 * A pipe holds less than a frame of a video, so that without a queue the drawing waits for
 * the encoder, then the other way round; with it, both cores are busy. Frames have one size;
 * some tens of megabytes of them wait at most. One thread fills, the queue's own empties; SIGPIPE
 * must be ignored. */
#ifndef VIEWER_REPLAY_FRAME_QUEUE_H
#define VIEWER_REPLAY_FRAME_QUEUE_H

#include <stddef.h>

struct frame_queue;

/* Writes to `descriptor`, which stays the caller's. 0, ERR_MEMORY, or ERR_LIMIT where no thread can
 * be had. */
int frame_queue_create(struct frame_queue **queue, int descriptor, size_t frame_bytes);
/* Room for the next frame; waits until there is some. NULL once a write has failed. */
unsigned char *frame_queue_next(struct frame_queue *queue);
/* The frame that was pushed last, to be read only, until the next push; NULL: none was. */
const unsigned char *frame_queue_last(const struct frame_queue *queue);
/* Sends off what frame_queue_next() gave. */
void frame_queue_push(struct frame_queue *queue);
/* Waits until all is written, or a write failed (ERR_IO), and frees the queue (NULL: nothing). */
int frame_queue_finish(struct frame_queue *queue);

#endif
