/* The command that starts a worker: the words of farm.launcher, and then the simulator's path. */
#ifndef CONTROLLER_LAUNCHER_H
#define CONTROLLER_LAUNCHER_H

#include "common/error.h"

enum { LAUNCHER_WORDS_MAX = 64 };

struct launcher {
    char *words;                        /* cut in place; argv points into it */
    char *simulator_path;               /* the last of argv */
    char *argv[LAUNCHER_WORDS_MAX + 2]; /* ends with NULL */
    int word_count;                     /* 0 = the simulator is started directly */
};

/* Whether `words` are not too many and begin with a program that can be run; it is no error if there are
 * no words. 0, or ERR_* with a message. */
int launcher_check(const char *words, struct error *error);

/* Makes the command; its program (the first word, or else the simulator) must exist. 0, or ERR_* with a
 * message; launcher_deinit() is due in both cases. */
int launcher_init(struct launcher *launcher, const char *words, const char *simulator_path,
                  struct error *error);
void launcher_deinit(struct launcher *launcher);

#endif
