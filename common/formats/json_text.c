/* A printer for jansson's trees. A container is first printed on one line and then again, broken,
 * if that line gets too long: at most depth times the size of work. */
#include "common/formats/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/error.h"
#include "common/formats/pack.h"

#define LINE_WIDTH 100
#define INDENT     2
#define FILL_DEPTH 2 /* of rows: {tables: [rows]} */

static void append_text(struct pack_writer *writer, const char *text)
{
    pack_raw(writer, text, strlen(text));
}

/* The character that begins a text, as it stands in JSON: itself, or escaped where it must not go
 * to a terminal, and read back as the same. Returns the bytes that it takes. */
static size_t escape_unprintable(const char *text, size_t left, char escaped[16])
{
    uint32_t code_point;
    size_t length = text_decode(text, left, &code_point);
    if (length == 0)
        snprintf(escaped, 16, "\\ufffd");
    else if (text_is_printable(code_point))
        snprintf(escaped, 16, "%.*s", (int)length, text);
    else if (code_point < 0x10000)
        snprintf(escaped, 16, "\\u%04" PRIx32, code_point);
    else // a pair of surrogates
        snprintf(escaped, 16, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd7c0 + (code_point >> 10),
                 0xdc00 + (code_point & 0x3ff));
    return length + (length == 0);
}

static void append_string(struct pack_writer *writer, const char *text, size_t length)
{
    pack_raw(writer, "\"", 1);
    for (size_t i = 0; i < length;) {
        char escaped[16];
        if (text[i] == '"' || text[i] == '\\')
            pack_raw(writer, "\\", 1);
        i += escape_unprintable(text + i, length - i, escaped);
        append_text(writer, escaped);
    }
    pack_raw(writer, "\"", 1);
}

static void append_scalar(struct pack_writer *writer, json_t *value)
{
    char number[TEXT_NUMBER_SIZE];
    double real;
    switch (json_typeof(value)) {
    case JSON_STRING:
        append_string(writer, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        append_text(writer, number);
        break;
    case JSON_REAL:
        // the whole number -0 would be read as 0
        real = json_real_value(value);
        append_text(writer, real == 0 && signbit(real) ? "-0.0" : text_print_double(real, number));
        break;
    default:
        append_text(writer, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

static void append_break(struct pack_writer *writer, int indent)
{
    pack_raw(writer, "\n", 1);
    for (int i = 0; i < indent; i++)
        pack_raw(writer, " ", 1);
}

static size_t line_length(const struct pack_writer *writer)
{
    size_t start = writer->buffer.size;
    while (start > 0 && writer->buffer.data[start - 1] != '\n')
        start--;
    return writer->buffer.size - start;
}

static void append_key(struct pack_writer *writer, const char *key)
{
    if (!key)
        return;
    append_string(writer, key, strlen(key));
    append_text(writer, ": ");
}

/* How a container is printed: on one line, which is left unfinished where it gets too long (the
 * caller sees the same by line_length() and takes it back); as many elements on a line as fit; or
 * each on a line of its own. */
enum layout { FLAT, FILLED, BROKEN };

static void print(struct pack_writer *writer, json_t *value, int depth);
static void print_elements(struct pack_writer *writer, json_t *value, int depth,
                           enum layout layout);

static void print_flat(struct pack_writer *writer, json_t *value)
{
    if (json_is_object(value) || json_is_array(value))
        print_elements(writer, value, 0, FLAT);
    else
        append_scalar(writer, value);
}

/* What an element that is not the last one ends with. */
static const char *const gaps[] = {[FLAT] = ", ", [FILLED] = ",", [BROKEN] = ","};

static void print_elements(struct pack_writer *writer, json_t *value, int depth, enum layout layout)
{
    int is_object = json_is_object(value);
    void *at = NULL;
    size_t count = is_object ? json_object_size(value) : json_array_size(value);
    append_text(writer, is_object ? "{" : "[");
    for (size_t i = 0; i < count; i++) {
        at = !is_object ? NULL : at ? json_object_iter_next(value, at) : json_object_iter(value);
        const char *key = is_object ? json_object_iter_key(at) : NULL;
        json_t *element = is_object ? json_object_iter_value(at) : json_array_get(value, i);
        const char *gap = i + 1 < count ? gaps[layout] : "";
        size_t start = writer->buffer.size;
        if (layout == BROKEN)
            append_break(writer, (depth + 1) * INDENT);
        append_text(writer, layout == FILLED && i > 0 ? " " : "");
        append_key(writer, key);
        if (layout == BROKEN)
            print(writer, element, depth + 1);
        else
            print_flat(writer, element);
        append_text(writer, gap);
        int is_long = layout != BROKEN && line_length(writer) >= LINE_WIDTH;
        if (is_long && layout == FLAT)
            return;
        if (!is_long || writer->has_failed)
            continue;
        writer->buffer.size = start;
        if (i > 0)
            append_break(writer, depth * INDENT + 1);
        append_key(writer, key);
        print(writer, element, depth + 1);
        append_text(writer, gap);
    }
    if (layout == BROKEN)
        append_break(writer, depth * INDENT);
    append_text(writer, is_object ? "}" : "]");
}

/* Small containers take one line; large ones a line for each element at the outside, where the
 * sections and the tables are, and filled lines further inside, where the rows are. */
static void print(struct pack_writer *writer, json_t *value, int depth)
{
    size_t start = writer->buffer.size;
    int is_container = json_is_object(value) || json_is_array(value);
    if (depth > 0 || !is_container) {
        print_flat(writer, value);
        if (!is_container || writer->has_failed || line_length(writer) < LINE_WIDTH)
            return;
        writer->buffer.size = start;
    }
    print_elements(writer, value, depth, depth >= FILL_DEPTH ? FILLED : BROKEN);
}

char *json_text_dump(json_t *value)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    print(&writer, value, 0);
    pack_raw(&writer, "\n", sizeof "\n");
    char *text = writer.has_failed ? NULL : msgpack_sbuffer_release(&writer.buffer);
    pack_writer_deinit(&writer);
    return text;
}

/* A line of a text that jansson made, whole characters. */
static void put_line(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        char escaped[16];
        i += escape_unprintable(text + i, length - i, escaped);
        fputs(escaped, file);
    }
}

json_t *json_text_make(const char *text)
{
    char *copy = strdup(text);
    json_t *value = copy ? json_string(text_clean(copy, "\n")) : NULL;
    free(copy);
    return value;
}

json_t *json_integer_if(int is_known, json_int_t value)
{
    return is_known ? json_integer(value) : json_null();
}

json_t *json_real_if(int is_known, double value)
{
    return is_known ? json_real(value) : json_null();
}

/* ---- written while it is made ---- */

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
        put_line(stream->file, text, length);
        break_line(stream);
    }
    put_line(stream->file, text, length);
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
