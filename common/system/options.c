#include "common/system/options.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

/* The long option that may have been meant by "--WORD" or "--WORD=VALUE"; NULL: there is none. */
static const char *find_meant(const char *word, const struct option *options)
{
    const char *best = NULL;
    char typed[64];
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (; options->name; options++)
        best = text_nearer(typed, options->name, best);
    return best;
}

void option_describe_fault(char **argv, const struct option *options, int answer, char *text,
                           size_t size)
{
    const char *word = argv[optind - 1], *meant = find_meant(word, options);
    if (answer == ':')
        snprintf(text, size, "option '%s' needs a value", word);
    else if (optopt > 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
        snprintf(text, size, "unknown option '-%c'", optopt);
    else
        snprintf(text, size, "unknown option '%s'%s%s%s", word, meant ? " (did you mean --" : "",
                 meant ? meant : "", meant ? "?)" : "");
}

void options_read_words(int argc, char **argv)
{
    static char help[] = "--help", version[] = "--version";
    int has_command = argc > 2 && argv[2][0] != '-';
    if (argc < 2)
        return;
    if (!strcmp(argv[1], "version"))
        argv[1] = version;
    if (strcmp(argv[1], "help"))
        return;
    argv[1] = has_command ? argv[2] : help;
    if (has_command)
        argv[2] = help;
}
