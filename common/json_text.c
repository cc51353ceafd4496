/* A printer for jansson's trees. A container is first printed on one line and broken into one element
 * a line only where that line gets too long: at most depth times the size of work. */
#include "common/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

#define LINE_WIDTH 100
#define INDENT     2

struct buffer {
    char *text;
    size_t length, room;
    int has_failed; /* memory was out */
};

static void append(struct buffer *buffer, const char *text, size_t length)
{
    if (buffer->room - buffer->length <= length) {
        size_t room = (buffer->length + length + 1) * 2;
        char *grown = buffer->has_failed ? NULL : realloc(buffer->text, room);
        if (!grown) {
            buffer->has_failed = 1;
            return;
        }
        buffer->text = grown;
        buffer->room = room;
    }
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

static void append_text(struct buffer *buffer, const char *text)
{
    append(buffer, text, strlen(text));
}

static void append_string(struct buffer *buffer, const char *text, size_t length)
{
    append(buffer, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escaped[8];
        if (c == '"' || c == '\\')
            append(buffer, "\\", 1);
        if (c < 0x20)
            append(buffer, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\u%04x", c));
        else
            append(buffer, text + i, 1);
    }
    append(buffer, "\"", 1);
}

static void append_scalar(struct buffer *buffer, json_t *value)
{
    char number[TEXT_NUMBER_SIZE];
    double real;
    switch (json_typeof(value)) {
    case JSON_STRING:
        append_string(buffer, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        append_text(buffer, number);
        break;
    case JSON_REAL:
        // the whole number -0 would be read as 0
        real = json_real_value(value);
        append_text(buffer, real == 0 && signbit(real) ? "-0.0" : text_print_double(real, number));
        break;
    default:
        append_text(buffer, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

static void append_break(struct buffer *buffer, int depth)
{
    append(buffer, "\n", 1);
    for (int i = 0; i < depth * INDENT; i++)
        append(buffer, " ", 1);
}

static void print(struct buffer *buffer, json_t *value, int depth, int is_flat);

/* Separator and key in front of an element. */
static void begin_element(struct buffer *buffer, int is_first, const char *key, int depth,
                          int is_flat)
{
    if (!is_first)
        append_text(buffer, is_flat ? ", " : ",");
    if (!is_flat)
        append_break(buffer, depth + 1);
    if (key) {
        append_string(buffer, key, strlen(key));
        append_text(buffer, ": ");
    }
}

static void print_container(struct buffer *buffer, json_t *value, int depth, int is_flat)
{
    int is_object = json_is_object(value), is_first = 1;
    append_text(buffer, is_object ? "{" : "[");
    if (is_object) {
        for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at)) {
            begin_element(buffer, is_first, json_object_iter_key(at), depth, is_flat);
            print(buffer, json_object_iter_value(at), depth + 1, is_flat);
            is_first = 0;
        }
    } else {
        for (size_t i = 0; i < json_array_size(value); i++) {
            begin_element(buffer, i == 0, NULL, depth, is_flat);
            print(buffer, json_array_get(value, i), depth + 1, is_flat);
            is_first = 0;
        }
    }
    if (!is_flat && !is_first)
        append_break(buffer, depth);
    append_text(buffer, is_object ? "}" : "]");
}

static size_t line_length(const struct buffer *buffer)
{
    size_t start = buffer->length;
    while (start > 0 && buffer->text[start - 1] != '\n')
        start--;
    return buffer->length - start;
}

static void print(struct buffer *buffer, json_t *value, int depth, int is_flat)
{
    if (!json_is_object(value) && !json_is_array(value)) {
        append_scalar(buffer, value);
        return;
    }
    size_t start = buffer->length;
    // the outermost object is always broken, so that files have lines
    if (is_flat || depth > 0) {
        print_container(buffer, value, depth, 1);
        if (is_flat || buffer->has_failed || line_length(buffer) < LINE_WIDTH)
            return;
        buffer->length = start;
    }
    print_container(buffer, value, depth, 0);
}

char *json_text_dump(json_t *value)
{
    struct buffer buffer = {0};
    print(&buffer, value, 0, 0);
    append(&buffer, "\n", 1);
    if (buffer.has_failed) {
        free(buffer.text);
        return NULL;
    }
    return buffer.text;
}
