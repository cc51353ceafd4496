#include "controller/report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/formats/html.h"

/* A row's text; a longer one ends early. */
enum { ROW_SIZE = 8192 };
#define MARKS "#~`*=@"
/* Between cells, while a row is printed: no clean text has it. */
#define BAR '\x1f'

static void write_bars(FILE *file, char *text)
{
    int color = 0;
    fputs("<span class='bar'>", file);
    for (char *share = strtok(text, ","); share; share = strtok(NULL, ","), color += 2)
        fprintf(file, "<i class='s%d' style='width:%.1f%%'></i>", color, strtod(share, NULL));
    fputs("</span>", file);
}

/* A class for the text of a number or a long text, of '@' the first word. */
static void write_cell(FILE *file, const char *tag, char mark, char *text)
{
    size_t word = mark == '@' ? strcspn(text, " ") : 0;
    fprintf(file, "<%s", tag);
    if (mark == '#' || mark == '~' || mark == '*')
        fprintf(file, " class='%s'", mark == '#' ? "n" : "long");
    if (mark == '@')
        fprintf(file, " class='%.*s'", (int)word, text);
    fputs(mark == '`' ? "><code>" : mark == '*' ? "><b>" : ">", file);
    if (mark == '=')
        write_bars(file, text);
    else
        html_write(file, text + word + (text[word] && word > 0));
    fprintf(file, "%s</%s>", mark == '`' ? "</code>" : mark == '*' ? "</b>" : "", tag);
}

/* Takes the marks of cells out of a format, and separates its cells. */
static void split_cells(const char *format, char split[ROW_SIZE])
{
    ENSURE(strlen(format) < ROW_SIZE, "%zu characters", strlen(format));
    for (const char *c = format; *c; c++)
        if ((c > format && c[-1] != '|') || !strchr(MARKS, *c))
            *split++ = *c == '|' ? BAR : *c;
    *split = '\0';
}

/* Writes cells of a text that is split, with the marks that their format has. */
static void write_cells(FILE *file, const char *tag, const char *format, char *text)
{
    for (const char *bar, *cell = format; cell; cell = bar ? bar + 1 : NULL) {
        bar = strchr(cell, '|');
        char *end = bar ? strchr(text, BAR) : NULL, *next = text + strlen(text);
        if (end) {
            *end = '\0';
            next = end + 1;
        }
        write_cell(file, tag, *cell, text);
        text = next;
    }
}

static void print_cells(FILE *file, const char *format, va_list arguments)
{
    char split[ROW_SIZE], row[ROW_SIZE];
    split_cells(format, split);
    vsnprintf(row, sizeof row, split, arguments);
    write_cells(file, "td", format, row);
}

void page_table(FILE *file, const char *columns)
{
    fputs("<div class='wide'><table>", file);
    if (!columns)
        return;
    char heads[ROW_SIZE];
    split_cells(columns, heads);
    fputs("<tr>", file);
    write_cells(file, "th", columns, heads);
    fputs("</tr>\n", file);
}

void page_table_end(FILE *file)
{
    fputs("</table></div>\n", file);
}

void page_cells(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_cells(file, format, arguments);
    va_end(arguments);
}

void page_row(FILE *file, const char *format, ...)
{
    va_list arguments;
    fputs("<tr>", file);
    va_start(arguments, format);
    print_cells(file, format, arguments);
    va_end(arguments);
    fputs("</tr>\n", file);
}

const char *page_time(double seconds, char text[16])
{
    int is_time = seconds >= 0 && seconds < 1e9;
    snprintf(text, 16, is_time ? "%d:%02d" : "?", is_time ? (int)(seconds / 60) : 0,
             is_time ? (int)fmod(seconds, 60) : 0);
    return text;
}

void page_note(FILE *file, const char *format, ...)
{
    va_list arguments;
    fputs("<p class='soft'>", file);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputs("</p>\n", file);
}

void page_tile(FILE *file, const char *name, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(file, "<div class='tile'><b>%s</b><span>%s</span></div>\n", text, name);
}
