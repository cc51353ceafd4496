/* JSON as people like to read it: numbers with as few digits as read back exactly, and small objects
 * and arrays on one line each. (jansson prints 0.1 as 0.10000000000000001 and one number a line.) */
#ifndef COMMON_FORMATS_JSON_TEXT_H
#define COMMON_FORMATS_JSON_TEXT_H

#include <jansson.h>

/* The text with a newline at its end, from malloc; NULL when memory is out. Keys keep their order. */
char *json_text_dump(json_t *value);

#endif
