/* logfmt lines: time=2026-01-31T12:34:56.789Z level=info event=task_done task=17 creature=204 ...
 *
 * One write(2) per line, so that lines of several processes never mix. Values with blanks, quotes,
 * '=' or control characters are quoted and escaped. */
#ifndef COMMON_SYSTEM_LOG_H
#define COMMON_SYSTEM_LOG_H

#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Lines go to the descriptor (default 2, standard error); lines below level are dropped. */
void log_set(int descriptor, enum log_level level);

/* Writes one line. `format` is a printf format of further logfmt fields, for example
 * "task=%" PRIu64 " verdict=%s"; use log_quote() for texts of foreign origin. */
void log_event(enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the line into another log's descriptor: about something that has a log of its own. */
void log_event_to(int descriptor, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Copies text as a logfmt value (quoted where needed, cut to fit) into buffer; returns buffer. */
const char *log_quote(const char *text, char *buffer, int size);

#endif
