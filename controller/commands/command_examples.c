/* controller examples: the parameter files that come with the programs, a line each: what evolves,
 * and how long it takes. Both stand in the comment that each file begins with. */
#include <string.h>

#include "common/system/examples.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"

/* The text between two words, on one line. */
static const char *find_between(const char *text, const char *before, const char *after,
                                int *length)
{
    const char *start = strstr(text, before);
    const char *end = start ? strstr(start, after) : NULL;
    if (!end)
        return "";
    start += strlen(before);
    *length = (int)(end - start);
    return start;
}

static void print_example(void *context, const char *name, const char *comment)
{
    int line_length = 0, time_length = 0;
    const char *line = find_between(comment, "; ", "\n", &line_length);
    const char *time = find_between(comment, "; Takes ", " on two cores.", &time_length);
    output_print(stdout, "%-16s %-19.*s  %.*s\n", name, time_length, time, line_length, line);
}

static int list_examples(char **operands, int count, void *request, struct error *error)
{
    return examples_each(print_example, NULL, error);
}

OPERAND_COMMAND(examples, list_examples, 0, 0, "", "",
                "what there is to evolve: names, and how long it takes",
                "Lists the examples: 'controller run NAME' evolves one of them, and wherever a "
                "parameter file may stand, its name may, too. The time is that of two cores.");
