/* JSON written while it is made, in jansson's layout: of a long array one element is in memory. */
#ifndef COMMON_FORMATS_JSON_STREAM_H
#define COMMON_FORMATS_JSON_STREAM_H

#include <jansson.h>
#include <stdio.h>

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
