/* Orders to a controller at work: RUN_DIR/control, a local stream socket.
 *
 * A client sends one line and gets a text until the end of the stream: "ok\n" or "error: ...\n",
 * and the answer behind it. The controller's side lives on its loop, so that orders are obeyed
 * between two results and nothing is locked; all that may write in the run's directory may give
 * orders. A run whose file system has no sockets goes on without. */
#ifndef CONTROLLER_RUN_CONTROL_H
#define CONTROLLER_RUN_CONTROL_H

#include <uv.h>

#include "common/error.h"

/* Longest line, without its end. */
#define CONTROL_LINE_MAX 200

struct control;

/* Answers a line: the text, allocated with malloc, freed by the callee; NULL if memory is out. */
typedef char *control_answer(void *context, const char *line);

/* Listens; a socket that a killed controller left is replaced. NULL with a message if it cannot. */
struct control *control_create(uv_loop_t *loop, const char *directory, control_answer *answer,
                               void *context, struct error *error);
/* Removes the socket and closes all handles, freeing everything within the loop's next turns. NULL
 * is allowed. */
void control_destroy(struct control *control);

/* The client: gives an order to the controller of a run, again while it has no room, and waits at
 * most `timeout_ms` for the whole of the answer. 0 and *answer (freed by the caller; without its
 * first line and the end of its last one; of foreign origin); ERR_MISSING if no process listens
 * there; ERR_BUSY if no answer comes; ERR_IO if it breaks off; ERR_RANGE with what the controller
 * said if it refused. */
int control_ask(const char *directory, const char *line, int timeout_ms, char **answer,
                struct error *error);

#endif
