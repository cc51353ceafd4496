#include "common/formats/json_stream.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/formats/json_text.h"

#define INDENT 2

static void break_line(struct json_stream *stream)
{
    if (!stream->is_compact)
        fprintf(stream->file, "\n%*s", stream->depth * INDENT, "");
}

static void begin_element(struct json_stream *stream, const char *key)
{
    if (stream->count)
        putc(',', stream->file);
    if (stream->depth)
        break_line(stream);
    if (key)
        fprintf(stream->file, stream->is_compact ? "\"%s\":" : "\"%s\": ", key);
    stream->count = 1;
}

/* jansson begins at the margin, and only its layout has line breaks. */
static void print_indented(struct json_stream *stream, const char *text)
{
    size_t length;
    for (; text[length = strcspn(text, "\n")]; text += length + 1) {
        json_text_put(stream->file, text, length);
        break_line(stream);
    }
    json_text_put(stream->file, text, length);
}

void json_stream_put(struct json_stream *stream, const char *key, json_t *value)
{
    size_t layout = stream->is_compact ? JSON_COMPACT : JSON_INDENT(INDENT);
    char *text =
        value ? json_dumps(value, layout | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    stream->has_failed |= !text;
    if (!text)
        return;
    begin_element(stream, key);
    print_indented(stream, text);
    free(text);
    stream->has_failed |= ferror(stream->file) != 0;
}

void json_stream_begin(struct json_stream *stream, const char *key, char bracket)
{
    ENSURE(bracket == '[' || bracket == '{', "bracket %c", bracket);
    begin_element(stream, key);
    putc(bracket, stream->file);
    stream->depth++;
    stream->count = 0;
}

void json_stream_end(struct json_stream *stream, char bracket)
{
    ENSURE(bracket == ']' || bracket == '}', "bracket %c", bracket);
    stream->depth--;
    if (stream->count)
        break_line(stream);
    putc(bracket, stream->file);
    stream->count = 1;
    stream->has_failed |= ferror(stream->file) != 0;
}
