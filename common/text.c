/* Small helpers for text. Nothing here is called in a simulation's step. */
#include "common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"

#define DISTANCE_LENGTH_MAX 63

const char *text_print_double(double value, char buffer[TEXT_NUMBER_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, TEXT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

static int is_gap(char c)
{
    return c == ' ' || c == '\t';
}

void text_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    ENSURE(used < size, "a text of %zu in %zu bytes", used, size);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, size - used, format, values);
    va_end(values);
}

int text_cut_word(char **rest, char **word)
{
    char *from = *rest, *to;
    int is_quoted = 0;
    while (is_gap(*from))
        from++;
    *word = to = from;
    if (*from == '\0')
        return 0;
    for (; *from && (is_quoted || !is_gap(*from)); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (is_quoted && from[1] == '"')
            *to++ = *from++;
        else
            is_quoted = !is_quoted;
    }
    *rest = *from ? from + 1 : from;
    *to = '\0';
    return is_quoted ? ERR_FORMAT : 1;
}

static void put_char(char c, char *text, size_t size, size_t *length)
{
    if (*length + 1 < size)
        text[*length] = c;
    (*length)++;
}

size_t text_quote_word(const char *word, char *text, size_t size)
{
    size_t length = 0;
    if (word[0] && !word[strcspn(word, " \t\"")])
        return (size_t)snprintf(text, size, "%s", word);
    put_char('"', text, size, &length);
    for (; *word; word++) {
        if (*word == '"')
            put_char('"', text, size, &length);
        put_char(*word, text, size, &length);
    }
    put_char('"', text, size, &length);
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    return length;
}

/* Bytes of the well-formed UTF-8 sequence at text (RFC 3629, table 3-7 of Unicode), or 0. */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    unsigned char first = text[0];
    if (first < 0x80)
        return left > 0;
    size_t length = 2 + (first >= 0xe0) + (first >= 0xf0);
    if (first < 0xc2 || first > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    // overlong forms, surrogates and what lies beyond U+10FFFF
    if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
        (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

size_t text_decode(const char *text, size_t left, uint32_t *code_point)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = sequence_length(bytes, left);
    *code_point = bytes[0] & first_bits[length];
    for (size_t i = 1; i < length; i++)
        *code_point = *code_point << 6 | (bytes[i] & 0x3f);
    return length;
}

/* What steers a terminal, ends a line, turns the direction of text, or cannot be seen, so that two
 * names look like one: controls (Cc), line and paragraph separators (Zl, Zp), formats (Cf) but for
 * the visible ones of some scripts, and Default_Ignorable_Code_Point of Unicode 15. */
static const struct {
    uint32_t first, last;
} unprintable[] = {
    {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
    {0x061c, 0x061c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};
enum { UNPRINTABLE_COUNT = sizeof unprintable / sizeof unprintable[0] };

int text_is_printable(uint32_t code_point)
{
    for (int i = 0; i < UNPRINTABLE_COUNT && unprintable[i].first <= code_point; i++)
        if (code_point <= unprintable[i].last)
            return 0;
    // the last two of each plane are no characters
    return (code_point & 0xfffe) != 0xfffe;
}

/* Bytes of the character at text if it may be printed, else 0. */
static size_t clean_length(const char *text, size_t left)
{
    uint32_t code_point;
    size_t length = text_decode(text, left, &code_point);
    return length > 0 && text_is_printable(code_point) ? length : 0;
}

int text_is_clean(const char *text, size_t length)
{
    for (size_t i = 0, step; i < length; i += step)
        if ((step = clean_length(text + i, length - i)) == 0)
            return 0;
    return 1;
}

char *text_clean(char *text, const char *kept)
{
    size_t left = strlen(text);
    char *to = text;
    for (const char *from = text; *from;) {
        size_t length = strchr(kept, *from) ? 1 : clean_length(from, left), step = length;
        if (length == 0) {
            /* skips a whole character, or one byte that belongs to no character */
            step = sequence_length((const unsigned char *)from, left);
            step += step == 0;
            *to++ = (unsigned char)*from < 0x80 ? ' ' : '?';
        }
        memmove(to, from, length);
        to += length;
        from += step;
        left -= step;
    }
    *to = '\0';
    return text;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment, three rows of the table at a time. */
int text_distance(const char *a, const char *b)
{
    int length_a = (int)strlen(a), length_b = (int)strlen(b);
    if (length_a > DISTANCE_LENGTH_MAX || length_b > DISTANCE_LENGTH_MAX)
        return length_a > length_b ? length_a : length_b;
    int rows[3][DISTANCE_LENGTH_MAX + 1];
    for (int j = 0; j <= length_b; j++)
        rows[0][j] = j;
    for (int i = 1; i <= length_a; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int cost = a[i - 1] != b[j - 1];
            row[j] = min_int(min_int(above[j], row[j - 1]) + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_int(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[length_a % 3][length_b];
}

int text_is_similar(const char *typed, const char *name)
{
    int length = (int)strlen(name);
    int allowed = length < 4 ? 1 : length < 9 ? 2 : 3;
    int typed_length = (int)strlen(typed);
    if (allowed > typed_length / 2) /* "new" is no "view" */
        allowed = typed_length / 2;
    /* lengths alone are so far apart, which is soon known */
    return abs(typed_length - length) <= allowed && text_distance(typed, name) <= allowed;
}

const char *text_nearer(const char *typed, const char *name, const char *best)
{
    if (!text_is_similar(typed, name))
        return best;
    return !best || text_distance(typed, name) < text_distance(typed, best) ? name : best;
}

const char *text_suggest(const char *name, char buffer[TEXT_SUGGESTION_SIZE])
{
    buffer[0] = '\0';
    if (name)
        snprintf(buffer, TEXT_SUGGESTION_SIZE, " (did you mean %s?)", name);
    return buffer;
}

int text_find_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int number = 0;; number++) {
        size_t size = strcspn(words, "|");
        if (size == length && strncmp(words, word, length) == 0)
            return number;
        if (words[size] == '\0')
            return -1;
        words += size + 1;
    }
}
