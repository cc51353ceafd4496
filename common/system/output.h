/* The programs' words on standard output and standard error. All of them go through here, so that
 * one place decides what may reach a terminal, and the fate of output without a reader. */
#ifndef COMMON_SYSTEM_OUTPUT_H
#define COMMON_SYSTEM_OUTPUT_H

#include <stdarg.h>
#include <stdio.h>

/* For main(), after signals_begin(). A reader that goes away, or a file at its limit, is an error
 * of a write from now on and does not end the program; standard descriptors that are closed lead to
 * /dev/null, so that no file gets their numbers. */
void output_begin(void);

/* fprintf(), and what %s and %c stand for is cleaned (text_clean(), newlines too): it may be of
 * foreign origin. The rest of the format is the program's own and goes out as it is. Conversions: d
 * i u x X o c e f g s p %, with flags, width, precision, stars, and hh h l ll z j. NULL is an empty
 * text. One write for an unbuffered file. */
void output_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The conversions of output_print(), with `put` for what %s and %c stand for: a copy of the text,
 * and the format ("%-8s") that takes it. */
typedef void output_text(FILE *file, const char *format, char *text);
void output_format(FILE *file, const char *format, va_list *arguments, output_text *put);

/* Several lines, cleaned but for their ends. */
void output_lines(FILE *file, const char *text);

/* The columns of the terminal that the descriptor is (80 if it does not say); 0: it is none, and lines
 * may be as long as they like. */
int output_columns(int descriptor);

/* Flushes standard output. */
void output_flush(void);
/* Flushes standard output at the end of a program. 0, or ERR_IO with a line on standard error
 * ("controller: standard output: Broken pipe") if anything that was printed could not be written:
 * the program then ends with exit code 1. */
int output_finish(const char *program);

#endif
