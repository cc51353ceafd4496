/* Small helpers for text that people write and read: numbers, names, suggestions. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Enough for any double printed by text_print_double(), and for any 64-bit integer. */
#define TEXT_NUMBER_SIZE 32

/* The shortest of %.15g, %.16g and %.17g that reads back as the same double; returns buffer. */
const char *text_print_double(double value, char buffer[TEXT_NUMBER_SIZE]);

/* The first character of a text of `left` bytes, 1 or more: its code point, and its bytes; 0 bytes
 * if no character of UTF-8 begins there. */
size_t text_decode(const char *text, size_t left, uint32_t *code_point);

/* 1 if a character can go to a terminal as it is: it can be seen, or is a blank, and does not steer
 * the terminal or the text around it. */
int text_is_printable(uint32_t code_point);

/* 1 if text is valid UTF-8 of printable characters (so that it can go to a terminal, a log, an INI
 * or a JSON file as it is). */
int text_is_clean(const char *text, size_t length);

/* Makes it so, in place: a blank for each control character of ASCII, '?' for whatever else is not
 * clean; the characters of `kept` ("\n", say, or "") stay. Returns text. */
char *text_clean(char *text, const char *kept);

/* Prints behind the text that a buffer of `size` bytes holds, cut to fit. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next of the words of a text, which blanks and tabs part; a part in double quotes keeps its
 * blanks, and "" in it is a quote. Cuts the text in place: *word begins in it, *rest is behind it.
 * 1; 0: there is no further word; ERR_FORMAT: a quote is not closed. */
int text_cut_word(char **rest, char **word);

/* The place of a word among "a|b|c", from 0, or -1. */
int text_find_word(const char *words, const char *word);
/* The word as text_cut_word() reads it back, in quotes where it needs them. Returns its length, as
 * snprintf() does. */
size_t text_quote_word(const char *word, char *text, size_t size);

/* Edits (insert, delete, replace one character, exchange two neighbours) that turn a into b; texts
 * longer than 63 bytes are as far apart as the longer one is long. */
int text_distance(const char *a, const char *b);

/* 1 if `typed` may well mean `name`. */
int text_is_similar(const char *typed, const char *name);

/* The name that a person meant, found in a walk over a table: `name` if it is similar to what was
 * typed, and more so than `best`, which may be NULL; else `best`. */
const char *text_nearer(const char *typed, const char *name, const char *best);

/* " (did you mean NAME?)", or nothing where `name` is NULL; returns buffer. */
#define TEXT_SUGGESTION_SIZE 96
const char *text_suggest(const char *name, char buffer[TEXT_SUGGESTION_SIZE]);

#endif
