/* The limits that a shell or a system sets to this process (ulimit), looked at before they hurt. */
#ifndef COMMON_SYSTEM_LIMITS_H
#define COMMON_SYSTEM_LIMITS_H

#include "common/error.h"

/* Room on the stack for everything that the programs do; ERR_LIMIT names the limit if there is
 * less. */
int limits_check_stack(struct error *error);

/* Raises the limit of open files to that number, as far as is allowed. ERR_LIMIT if that is not
 * enough; `what` names their user in the message. */
int limits_raise_files(int count, const char *what, struct error *error);

#endif
