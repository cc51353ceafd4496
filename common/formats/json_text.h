/* JSON as people like to read it: numbers with as few digits as read back exactly, and small
 * objects and arrays on one line each. (jansson prints 0.1 as 0.10000000000000001 and one number a
 * line.) Characters that must not reach a terminal (text_is_printable()) are escaped, here as in
 * what jansson lays out. */
#ifndef COMMON_FORMATS_JSON_TEXT_H
#define COMMON_FORMATS_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

/* The text with a newline at its end, from malloc; NULL when memory is out. Keys keep their order.
 */
char *json_text_dump(json_t *value);

/* A text of foreign origin, cleaned but for ends of lines (text_clean()), which need not be UTF-8.
 * NULL when memory is out. */
json_t *json_text_make(const char *text);
/* A number, or null where it is not known. */
json_t *json_integer_if(int is_known, json_int_t value);
json_t *json_real_if(int is_known, double value);

/* JSON written while it is made, in jansson's layout: of a long array one element is in memory. */

/* Begins with {.file, .is_compact}, and zeros. */
struct json_stream {
    FILE *file;
    int is_compact; /* one line without blanks; else a line for each element */
    int depth;      /* of open containers */
    int count;      /* elements of the innermost one so far; 1 stands for all of them */
    int has_failed; /* memory was out, or the file took no more */
};

/* An element of the innermost container. Keys are plain ASCII; NULL in arrays and at the outside.
 * The value's reference is taken; NULL, as jansson gives it where memory is out, is a failure. */
void json_stream_put(struct json_stream *stream, const char *key, json_t *value);
/* A container as an element, '{' or '['; later values go into it until json_stream_end() with
 * '}' or ']'. */
void json_stream_begin(struct json_stream *stream, const char *key, char bracket);
void json_stream_end(struct json_stream *stream, char bracket);

#endif
