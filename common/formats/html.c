#include "common/formats/html.h"

#include <string.h>

#include "common/error.h"
#include "common/system/output.h"
#include "common/text.h"

void html_write(FILE *file, const char *text)
{
    int is_clean = text_is_clean(text, strlen(text));
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '<')
            fputs("&lt;", file);
        else if (*c == '>')
            fputs("&gt;", file);
        else if (*c == '&')
            fputs("&amp;", file);
        else if (*c == '"')
            fputs("&quot;", file);
        else if (*c == '\'')
            fputs("&#39;", file);
        else
            fputc(is_clean || (*c >= 0x20 && *c < 0x7f) ? *c : '?', file);
    }
}

static void put_text(FILE *file, const char *format, char *text)
{
    ENSURE(strcmp(format, "%s") == 0, "%s on a page", format);
    html_write(file, text);
}

void html_print(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_format(file, format, &arguments, put_text);
    va_end(arguments);
}

void html_write_base64(FILE *file, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned word = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                        (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[word >> 18], file);
        fputc(digits[word >> 12 & 63], file);
        fputc(left > 1 ? digits[word >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[word & 63] : '=', file);
    }
}
