/* The door to standard output and standard error.
 *
 * A line is composed in memory and leaves at once, so that lines of processes that share a terminal
 * stay whole. Lines are short and few; the logs of a long run are 10^6 of them. */
#include "common/system/output.h"

#include <errno.h>
#include <fcntl.h>
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

enum { CONVERSION_SIZE = 64 };

/* Copies a conversion, from its % to its letter, with numbers for its stars; a precision below 0 is
 * none. Returns what follows it. */
static const char *copy_conversion(const char *at, char conversion[CONVERSION_SIZE],
                                   va_list *arguments)
{
    size_t letter = 1 + strspn(at + 1, "-+ #0123456789.*hlzj"), used = 0;
    ENSURE(at[letter] && strchr("diuxXoceEfFgGsp%", at[letter]), "conversion %%%c", at[letter]);
    for (size_t i = 0; i <= letter; i++) {
        int number = at[i] == '*' ? va_arg(*arguments, int) : 0;
        ENSURE(used + TEXT_NUMBER_SIZE < CONVERSION_SIZE, "conversion %s", at);
        if (at[i] != '*')
            conversion[used++] = at[i];
        else if (number < 0 && conversion[used - 1] == '.')
            used--;
        else
            used += (size_t)sprintf(conversion + used, "%d", number);
    }
    conversion[used] = '\0';
    return at + letter + 1;
}

/* The precision cuts the text before it is put, the width is for what is put. */
static void print_text(FILE *line, char *conversion, output_text *put, const char *text)
{
    char *dot = strchr(conversion, '.');
    char *copy = strndup(text ? text : "", dot ? strtoul(dot + 1, NULL, 10) : SIZE_MAX);
    if (!copy)
        return;
    strcpy(dot ? dot : conversion + strlen(conversion) - 1, "s");
    put(line, conversion, copy);
    free(copy);
}

static void print_whole(FILE *line, const char *conversion, va_list *arguments)
{
    if (strstr(conversion, "ll"))
        fprintf(line, conversion, va_arg(*arguments, long long));
    else if (strchr(conversion, 'j'))
        fprintf(line, conversion, va_arg(*arguments, intmax_t));
    else if (strpbrk(conversion, "lz"))
        fprintf(line, conversion, va_arg(*arguments, long));
    else
        fprintf(line, conversion, va_arg(*arguments, int));
}

static void print_conversion(FILE *line, char *conversion, output_text *put, va_list *arguments)
{
    char letter = conversion[strlen(conversion) - 1], character[2] = "";
    if (letter == 's') {
        print_text(line, conversion, put, va_arg(*arguments, const char *));
    } else if (letter == 'c') {
        character[0] = (char)va_arg(*arguments, int);
        print_text(line, conversion, put, character);
    } else if (letter == 'p') {
        fprintf(line, "%p", va_arg(*arguments, void *));
    } else if (letter == '%') {
        fputc('%', line);
    } else if (strchr("eEfFgG", letter)) {
        fprintf(line, conversion, va_arg(*arguments, double));
    } else {
        print_whole(line, conversion, arguments);
    }
}

void output_format(FILE *line, const char *format, va_list *arguments, output_text *put)
{
    char conversion[CONVERSION_SIZE];
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        fwrite(at, 1, plain, line);
        at += plain;
        if (*at) {
            at = copy_conversion(at, conversion, arguments);
            print_conversion(line, conversion, put, arguments);
        }
    }
}

/* ---- printing ---- */

static void put_clean(FILE *line, const char *format, char *text)
{
    fprintf(line, format, text_clean(text, ""));
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
