#include "common/formats/html.h"

#include <string.h>

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
