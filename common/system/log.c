/* logfmt lines on a descriptor.
 *
 * A line is composed in a buffer on the stack and leaves in one write(2); lines are shorter than
 * PIPE_BUF (4096 on Linux), so that the lines of processes that share a pipe stay whole. A line
 * that does not fit is cut, its open quote closed, and marked `cut=true`. Logging never fails and
 * never changes errno: there is nowhere to report it. A few lines a second per worker; nothing here
 * is hot. */
#include "common/system/log.h"
#include "common/system/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"

#define LINE_BYTES_MAX 2048
static const char cut_mark[] = "\" cut=true"; /* without its quote where none is open */

static int log_descriptor = STDERR_FILENO;
static enum log_level log_lowest = LOG_INFO;

static const char *const level_names[] = {"debug", "info", "warn", "error"};

void log_set(int descriptor, enum log_level level)
{
    ENSURE((int)level >= LOG_DEBUG && level <= LOG_ERROR, "level %d", (int)level);
    log_descriptor = descriptor;
    log_lowest = level;
}

/* "time=2026-01-31T12:34:56.789Z level=info event=NAME", cut to size. */
static size_t print_head(char *line, size_t size, enum log_level level, const char *event)
{
    char time_utc[32];
    int length = snprintf(line, size, "time=%s level=%s event=%s", clock_print_utc(time_utc),
                          level_names[level], event);
    return length < 0 ? 0 : (size_t)length;
}

/* Whether a quote is open at the end; `*end` is moved back before a dangling backslash. */
static int has_open_quote(const char *line, size_t *end)
{
    int is_open = 0;
    for (size_t i = 0; i < *end; i++) {
        if (line[i] == '"')
            is_open = !is_open;
        else if (line[i] == '\\' && is_open && ++i == *end)
            *end -= 1;
    }
    return is_open;
}

/* Ends a line that was too long; the result fits LINE_BYTES_MAX with its newline. */
static size_t cut_line(char *line)
{
    size_t end = LINE_BYTES_MAX - sizeof cut_mark - 1;
    const char *mark = has_open_quote(line, &end) ? cut_mark : cut_mark + 1;
    memcpy(line + end, mark, strlen(mark));
    return end + strlen(mark);
}

static void write_event(int descriptor, enum log_level level, const char *event, const char *format,
                        va_list arguments)
{
    if (level < log_lowest)
        return;
    int saved_errno = errno;
    char line[LINE_BYTES_MAX];
    size_t length = print_head(line, sizeof line, level, event);
    if (length < sizeof line - 1 && format && *format) {
        line[length++] = ' ';
        int added = vsnprintf(line + length, sizeof line - length, format, arguments);
        length += added > 0 ? (size_t)added : 0;
    }
    if (length > sizeof line - 1)
        length = cut_line(line);

    /* Whatever the fields held, it is one line. */
    line[length] = '\0';
    length = strlen(text_clean(line, ""));
    line[length++] = '\n';
    while (write(descriptor, line, length) < 0 && errno == EINTR)
        continue;
    errno = saved_errno;
}

void log_event(enum log_level level, const char *event, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_event(log_descriptor, level, event, format, arguments);
    va_end(arguments);
}

void log_event_to(int descriptor, enum log_level level, const char *event, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_event(descriptor, level, event, format, arguments);
    va_end(arguments);
}

static int needs_quotes(const char *text)
{
    if (!*text)
        return 1;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c <= 0x20 || c >= 0x7f || c == '"' || c == '=' || c == '\\')
            return 1;
    }
    return 0;
}

/* One character of a quoted value: \" \\ \n \r \t, bytes outside ASCII's visible part as \xNN. */
static int escape(unsigned char c, char out[5])
{
    static const char plain[] = "\"\\\n\r\t", letter[] = "\"\\nrt";
    const char *at = c ? strchr(plain, c) : NULL;
    if (at) {
        out[0] = '\\';
        out[1] = letter[at - plain];
        return 2;
    }
    if (c >= 0x20 && c < 0x7f) {
        out[0] = (char)c;
        return 1;
    }
    return snprintf(out, 5, "\\x%02x", c);
}

const char *log_quote(const char *text, char *buffer, int size)
{
    if (size <= 0)
        return buffer;
    if (!text)
        text = "";
    if (!needs_quotes(text) || size < 3) {
        snprintf(buffer, (size_t)size, "%s", size < 3 ? "" : text);
        return buffer;
    }

    /* Whole characters as long as the closing quote and the zero byte still fit. */
    int used = 0;
    buffer[used++] = '"';
    for (; *text; text++) {
        char escaped[5];
        int length = escape((unsigned char)*text, escaped);
        if (used + length + 2 > size)
            break;
        memcpy(buffer + used, escaped, (size_t)length);
        used += length;
    }
    buffer[used++] = '"';
    buffer[used] = 0;
    return buffer;
}
