/* A worker's answer is checked against its task. message_decode() checks each field alone;
 * this is the one place that checks an answer as a whole, before anything believes it. */
#ifndef PROTO_ANSWER_H
#define PROTO_ANSWER_H

#include "proto/message.h"

/* Whether a result can be one of the task, in a run of these parameters: the same creature, as many
 * rivals, measures within their bounds; of an epoch a state that is there, unpacks and has the
 * digest, numbers that can be counted, energies that add up, and lives that end after their
 * birth. 0, or ERR_RANGE, ERR_FORMAT, ERR_LIMIT or ERR_MEMORY with a message that names the
 * field. A wrong result of a simulator within these bounds is not seen. */
int answer_check(const struct task *task, const struct result *result, const struct params *params,
                 struct error *error);

#endif
