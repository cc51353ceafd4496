/* Command lines: what is wrong with an option. */
#ifndef COMMON_SYSTEM_OPTIONS_H
#define COMMON_SYSTEM_OPTIONS_H

#include <stddef.h>

/* In words, after getopt_long() answered ':' or '?' (with opterr = 0, since it would print the word
 * as it is, and a list of short options that begins with a colon). */
void option_describe_fault(char **argv, int answer, char *text, size_t size);

#endif
