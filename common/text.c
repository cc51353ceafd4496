/* Small helpers for text. Nothing here is called in a simulation's step. */
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Bytes of the well-formed UTF-8 sequence at text (RFC 3629, table 3-7 of Unicode), or 0. */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first > 0xf4 || length > left)
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

/* C1, and what turns the direction of text: U+061C, U+200E, U+200F, U+202A .. U+202E, U+2066 .. U+2069. */
static int is_control(const unsigned char *bytes, size_t length)
{
    if (length == 2)
        return (bytes[0] == 0xc2 && bytes[1] < 0xa0) || (bytes[0] == 0xd8 && bytes[1] == 0x9c);
    if (length != 3 || bytes[0] != 0xe2)
        return 0;
    unsigned low = bytes[2];
    return (bytes[1] == 0x80 && (low == 0x8e || low == 0x8f || (low >= 0xaa && low <= 0xae))) ||
           (bytes[1] == 0x81 && low >= 0xa6 && low <= 0xa9);
}

/* Bytes of the character at text if it may be printed, else 0. */
static size_t clean_length(const unsigned char *text, size_t left)
{
    size_t length = sequence_length(text, left);
    return text[0] < 0x20 || text[0] == 0x7f || is_control(text, length) ? 0 : length;
}

int text_is_clean(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0, step; i < length; i += step)
        if ((step = clean_length(bytes + i, length - i)) == 0)
            return 0;
    return 1;
}

char *text_clean(char *text, const char *kept)
{
    size_t left = strlen(text);
    char *to = text;
    for (const char *from = text; *from;) {
        const unsigned char *bytes = (const unsigned char *)from;
        size_t length = strchr(kept, *from) ? 1 : clean_length(bytes, left), step = length;
        if (length == 0) {
            /* skips a whole control character, or one byte that belongs to no character */
            step = sequence_length(bytes, left);
            step += step == 0;
            *to++ = bytes[0] < 0x80 ? ' ' : '?';
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
    /* lengths alone are so far apart, which is soon known */
    return abs((int)strlen(typed) - length) <= allowed && text_distance(typed, name) <= allowed;
}
