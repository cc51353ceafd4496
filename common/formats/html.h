/* Texts of foreign origin in HTML and SVG, and bytes. */
#ifndef COMMON_FORMATS_HTML_H
#define COMMON_FORMATS_HTML_H

#include <stdio.h>

/* Writes a text so that it stands for itself between tags and in quoted attributes. Of a text that
 * is not clean UTF-8 (text_is_clean) all that is not printable ASCII becomes '?'. */
void html_write(FILE *file, const char *text);
/* fprintf() of a page's own tags; what %s and %c stand for is written by html_write(). */
void html_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes as base64 (RFC 4648), without line breaks. */
void html_write_base64(FILE *file, const unsigned char *bytes, size_t length);

#endif
