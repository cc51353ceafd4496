/* Error codes and error messages.
 *
 * Functions that can fail return 0 or a negative ERR_* code. Those that meet users' input also take
 * a `struct error *` (never NULL) and leave in it one line that names what is wrong and where.
 * Three kinds are kept apart: an expected outcome (a lethal genotype) is a result with a reason, a
 * failure of the environment is an error code, and a bug is an ENSURE() that stays on in
 * release. */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

#include <stdarg.h>

#define ERROR_CODES(X)                                                                             \
    X(MEMORY, 1, "out of memory")                                                                  \
    X(IO, 2, "input or output failed")                                                             \
    X(FORMAT, 3, "malformed data")                                                                 \
    X(VERSION, 4, "unsupported version")                                                           \
    X(RANGE, 5, "value out of range")                                                              \
    X(UNKNOWN, 6, "unknown name")                                                                  \
    X(MISSING, 7, "missing")                                                                       \
    X(EXISTS, 8, "already exists")                                                                 \
    X(LIMIT, 9, "limit exceeded")                                                                  \
    X(BUSY, 10, "in use")                                                                          \
    X(USAGE, 11, "wrong usage")                                                                    \
    X(UNAVAILABLE, 12, "left out of this build")

enum {
#define X(name, number, text) ERR_##name = -(number),
    ERROR_CODES(X)
#undef X
};

/* One line for people, without a trailing newline; code is 0 while nothing has gone wrong. */
struct error {
    int code;
    char message[480];
};

/* The general text of a code, for example "value out of range". */
const char *error_text(int code);

/* Sets code and message (printf format); returns code, so that a caller may `return
 * error_set()`. */
int error_set(struct error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The commonest one: ERR_MEMORY, with its general text. */
int error_memory(struct error *error);
/* Puts "context: " in front of the message; returns its code. */
int error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A broken invariant: prints the expression, the place and the message, and aborts. On in
 * release. */
#define ENSURE(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            error_bug(__FILE__, __LINE__, #condition, __VA_ARGS__);                                \
    } while (0)

/* A check that is dear, by a call: in debug and sanitized builds only. (Defined as 1 by the
 * Makefile.) */
#ifndef CHECKS_ARE_DEAR
#define CHECKS_ARE_DEAR 0
#endif
#define CHECK_DEARLY(call)                                                                         \
    do {                                                                                           \
        if (CHECKS_ARE_DEAR)                                                                       \
            call;                                                                                  \
    } while (0)

void error_bug(const char *file, int line, const char *expression, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

#endif
