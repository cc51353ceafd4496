/* The limits that a shell or a system sets to this process (ulimit), looked at before they hurt. */
#ifndef COMMON_SYSTEM_LIMITS_H
#define COMMON_SYSTEM_LIMITS_H

#include "common/error.h"

/* Room on the stack for everything that the programs do; ERR_LIMIT names the limit if there is
 * less. */
int limits_check_stack(struct error *error);

/* So many files may be open at once: raises the limit as far as is allowed. ERR_LIMIT if that is
 * not enough; `what` says in the message who needs them. */
int limits_raise_files(int count, const char *what, struct error *error);

#endif
