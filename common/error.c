/* Error codes, one-line messages and the end of the program at a bug.
 *
 * Messages may carry foreign text (paths, keys, values from files), so control characters are
 * replaced: a message is always one line. Both functions format into a buffer of their own
 * first, because the arguments may point into the message being replaced. */
#include "common/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"

#define BUG_REPORT_SIZE 2048

const char *error_text(int code)
{
    switch (code) {
    case 0:
        return "no error";
#define X(name, number, text)                                                                      \
    case -(number):                                                                                \
        return text;
        ERROR_CODES(X)
#undef X
    default:
        return "unknown error";
    }
}

int error_set(struct error *error, int code, const char *format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_clean(message, "");
    memcpy(error->message, message, sizeof message);
    error->code = code;
    return code;
}

int error_memory(struct error *error)
{
    return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
}

int error_prefix(struct error *error, const char *format, ...)
{
    char context[sizeof error->message], message[2 * sizeof error->message + 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
    snprintf(message, sizeof message, "%s: %s", context, error->message);
    text_clean(message, "");
    message[sizeof error->message - 1] = 0;
    memcpy(error->message, message, sizeof error->message);
    return error->code;
}

void error_bug(const char *file, int line, const char *expression, const char *format, ...)
{
    char message[sizeof((struct error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_clean(message, "");

    /* One write, so that the report stays whole beside the lines of other processes. */
    char report[BUG_REPORT_SIZE];
    int length = snprintf(report, sizeof report, "bug: %s:%d: %s does not hold: %s\n", file, line,
                          expression, message);
    if (length >= (int)sizeof report) {
        length = (int)sizeof report - 1;
        report[length - 1] = '\n';
    }
    ssize_t ignored = length > 0 ? write(STDERR_FILENO, report, (size_t)length) : 0;
    (void)ignored;
    abort();
}
