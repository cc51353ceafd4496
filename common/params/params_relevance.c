/* The rows of a run's printed configuration: not those of other kinds of body, of methods and
 * things that this run does without, nor those that are hardly ever set. Each is shown where it has
 * another value than by default or by the world's preset, so that the printed text says all. */
#include <string.h>

#include "common/params/params.h"

static unsigned conditions_met(const struct params *p)
{
    unsigned met = 0;
#define CONDITION_MET(name, holds) met |= (holds) ? IF_##name : 0;
    PARAM_CONDITIONS(CONDITION_MET)
#undef CONDITION_MET
    return met;
}

/* The row's value if it is not set. */
static void print_unset(const struct params *params, int index, char value[PARAM_TEXT_SIZE])
{
    char preset[PARAM_TEXT_SIZE];
    struct params unset;
    struct error error;
    params_set_defaults(&unset);
    params_print_value(params, params_find("world.preset"), preset, sizeof preset);
    if (strcmp(param_table[index].key, "world.preset") != 0)
        params_set(&unset, "world.preset", preset, &error);
    params_print_value(&unset, index, value, PARAM_TEXT_SIZE);
}

int params_is_shown(const struct params *params, int index)
{
    char value[PARAM_TEXT_SIZE], unset[PARAM_TEXT_SIZE];
    if ((param_table[index].when & ~conditions_met(params)) == 0)
        return 1;
    params_print_value(params, index, value, sizeof value);
    print_unset(params, index, unset);
    return strcmp(value, unset) != 0;
}
