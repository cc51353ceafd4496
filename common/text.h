/* Small helpers for text that people write and read: numbers, names, suggestions. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>

/* Enough for any double printed by text_print_double(), and for any 64-bit integer. */
#define TEXT_NUMBER_SIZE 32

/* The shortest of %.15g, %.16g and %.17g that reads back as the same double; returns buffer. */
const char *text_print_double(double value, char buffer[TEXT_NUMBER_SIZE]);

/* 1 if text is valid UTF-8 without control characters and without those that turn the direction of
 * text (so that it can go to a terminal, a log, an INI or a JSON file as it is). */
int text_is_clean(const char *text, size_t length);

/* Makes it so, in place: a blank for each control character of ASCII, '?' for whatever else is not
 * clean; the characters of `kept` ("\n", say, or "") stay. Everything of foreign origin passes here
 * before it is printed. Returns text. */
char *text_clean(char *text, const char *kept);

/* Edits (insert, delete, replace one character, exchange two neighbours) that turn a into b; texts
 * longer than 63 bytes are as far apart as the longer one is long. */
int text_distance(const char *a, const char *b);

/* 1 if a person who wrote `typed` may well have meant `name`. */
int text_is_similar(const char *typed, const char *name);

#endif
