/* The door to standard output and standard error.
 *
 * A line is composed in memory and leaves at once, so that lines of processes that share a terminal
 * stay whole. Lines are short and few; the logs of a long run are 10^6 of them. */
#include "common/system/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"

/* Why something could not be written to standard output, 0: nothing of the kind happened. */
static int lost_errno;

void output_begin(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
            abort();
}

int output_columns(int descriptor)
{
    struct winsize size;
    if (!isatty(descriptor))
        return 0;
    return ioctl(descriptor, TIOCGWINSZ, &size) || size.ws_col < 20 ? 80 : size.ws_col;
}

static void note_loss(FILE *file)
{
    if (file == stdout && ferror(file) && !lost_errno)
        lost_errno = errno;
}

void output_flush(void)
{
    errno = 0;
    fflush(stdout);
    note_loss(stdout);
}

int output_finish(const char *program)
{
    output_flush();
    if (!ferror(stdout))
        return 0;
    output_print(stderr, "%s: standard output: %s\n", program,
                 lost_errno ? strerror(lost_errno) : "cannot be written");
    return ERR_IO;
}

/* ---- conversions ---- */

enum size { SIZE_INT, SIZE_LONG, SIZE_LONG_LONG, SIZE_SIZE, SIZE_INTMAX };

/* The text between % and the letter. */
struct conversion {
    char flags[8];
    int width, precision; /* as printf() takes them for a star: a width below 0 is to the left, a
                             precision is none */
    enum size size;
    char letter;
};

/* Digits, or the argument for a star. */
static const char *read_count(const char *at, int *count, va_list *arguments)
{
    if (*at == '*') {
        *count = va_arg(*arguments, int);
        return at + 1;
    }
    char *end;
    *count = (int)strtol(at, &end, 10);
    return end;
}

static const char *read_size(const char *at, enum size *size)
{
    static const struct {
        const char *text;
        enum size size;
    } sizes[] = {{"hh", SIZE_INT}, {"h", SIZE_INT},  {"ll", SIZE_LONG_LONG},
                 {"l", SIZE_LONG}, {"z", SIZE_SIZE}, {"j", SIZE_INTMAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strncmp(at, sizes[i].text, strlen(sizes[i].text)) == 0) {
            *size = sizes[i].size;
            return at + strlen(sizes[i].text);
        }
    return at;
}

/* From behind the %; returns what follows the letter. */
static const char *read_conversion(const char *at, struct conversion *conversion,
                                   va_list *arguments)
{
    *conversion = (struct conversion){.precision = -1};
    size_t flag_count = strspn(at, "-+ #0");
    ENSURE(flag_count < sizeof conversion->flags, "flags of %s", at);
    memcpy(conversion->flags, at, flag_count);
    at += flag_count;
    if (*at == '*' || (*at >= '1' && *at <= '9'))
        at = read_count(at, &conversion->width, arguments);
    if (*at == '.')
        at = read_count(at + 1, &conversion->precision, arguments);
    at = read_size(at, &conversion->size);
    conversion->letter = *at;
    ENSURE(*at && strchr("diuxXoceEfFgGsp%", *at), "conversion %%%c", *at);
    return at + 1;
}

static intmax_t take_signed(enum size size, va_list *arguments)
{
    switch (size) {
    case SIZE_LONG:
        return va_arg(*arguments, long);
    case SIZE_LONG_LONG:
        return va_arg(*arguments, long long);
    case SIZE_SIZE:
        return (intmax_t)va_arg(*arguments, size_t);
    case SIZE_INTMAX:
        return va_arg(*arguments, intmax_t);
    default:
        return va_arg(*arguments, int);
    }
}

static uintmax_t take_unsigned(enum size size, va_list *arguments)
{
    switch (size) {
    case SIZE_LONG:
        return va_arg(*arguments, unsigned long);
    case SIZE_LONG_LONG:
        return va_arg(*arguments, unsigned long long);
    case SIZE_SIZE:
        return va_arg(*arguments, size_t);
    case SIZE_INTMAX:
        return va_arg(*arguments, uintmax_t);
    default:
        return va_arg(*arguments, unsigned);
    }
}

static void print_text(FILE *line, const struct conversion *conversion, output_text *put,
                       const char *text)
{
    size_t most = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;
    char format[16], *copy = strndup(text ? text : "", most);
    if (!copy)
        return;
    snprintf(format, sizeof format, "%%%s*s", conversion->flags);
    put(line, format, conversion->width, copy);
    free(copy);
}

static void print_conversion(FILE *line, const struct conversion *conversion, output_text *put,
                             va_list *arguments)
{
    char format[24], character[2] = "";
    snprintf(format, sizeof format, "%%%s*.*%s%c", conversion->flags,
             strchr("diuxXo", conversion->letter) ? "j" : "", conversion->letter);
    int width = conversion->width, precision = conversion->precision;
    switch (conversion->letter) {
    case 'd':
    case 'i':
        fprintf(line, format, width, precision, take_signed(conversion->size, arguments));
        break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        fprintf(line, format, width, precision, take_unsigned(conversion->size, arguments));
        break;
    case 's':
        print_text(line, conversion, put, va_arg(*arguments, const char *));
        break;
    case 'c':
        character[0] = (char)va_arg(*arguments, int);
        print_text(line, conversion, put, character);
        break;
    case 'p':
        fprintf(line, "%p", va_arg(*arguments, void *));
        break;
    case '%':
        fputc('%', line);
        break;
    default:
        fprintf(line, format, width, precision, va_arg(*arguments, double));
    }
}

void output_format(FILE *line, const char *format, va_list *arguments, output_text *put)
{
    struct conversion conversion;
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        fwrite(at, 1, plain, line);
        at += plain;
        if (*at) {
            at = read_conversion(at + 1, &conversion, arguments);
            print_conversion(line, &conversion, put, arguments);
        }
    }
}

/* ---- printing ---- */

static void put_clean(FILE *line, const char *format, int width, char *text)
{
    fprintf(line, format, width, text_clean(text, ""));
}

void output_print(FILE *file, const char *format, ...)
{
    char *text = NULL;
    size_t length = 0;
    FILE *line = open_memstream(&text, &length);
    va_list arguments;
    va_start(arguments, format);
    if (line)
        output_format(line, format, &arguments, put_clean);
    va_end(arguments);
    errno = 0;
    if (line && fclose(line) == 0)
        fwrite(text, 1, length, file);
    else
        fputs("out of memory\n", file);
    note_loss(file);
    free(text);
}

void output_lines(FILE *file, const char *text)
{
    char *copy = strdup(text);
    errno = 0;
    fputs(copy ? text_clean(copy, "\n") : "out of memory\n", file);
    note_loss(file);
    free(copy);
}
