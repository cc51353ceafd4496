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

/* A line of a text that jansson made, whole characters; ferror() says if it could not be written.
 */
void json_text_put(FILE *file, const char *text, size_t length);

/* A text of foreign origin, cleaned but for ends of lines (text_clean()), which need not be UTF-8.
 * NULL when memory is out. */
json_t *json_text_make(const char *text);

#endif
