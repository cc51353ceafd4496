/* Command lines: what is wrong with an option, and words for options. */
#ifndef COMMON_SYSTEM_OPTIONS_H
#define COMMON_SYSTEM_OPTIONS_H

#include <getopt.h>
#include <stddef.h>

/* In words, after getopt_long() answered ':' or '?' (with opterr = 0, since it would print the word
 * as it is, and a list of short options that begins with a colon). A long option that is similar
 * is suggested. */
void option_describe_fault(char **argv, const struct option *options, int answer, char *text,
                           size_t size);

/* The words `help` and `version` in the place of a command become the options, and `help COMMAND`
 * becomes `COMMAND --help`. */
void options_read_words(int argc, char **argv);

#endif
