#include "common/system/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

void option_describe_fault(char **argv, int answer, char *text, size_t size)
{
    const char *word = argv[optind - 1];
    if (answer == ':')
        snprintf(text, size, "option '%s' needs a value", word);
    else if (optopt > 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
        snprintf(text, size, "unknown option '-%c'", optopt);
    else
        snprintf(text, size, "unknown option '%s'", word);
}
