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

int params_is_shown(const struct params *params, int index)
{
    char preset[PARAM_TEXT_SIZE];
    struct params unset;
    struct error error;
    if ((param_table[index].when & ~conditions_met(params)) == 0)
        return 1;
    params_set_defaults(&unset);
    params_print_value(params, params_find("world.preset"), preset, sizeof preset);
    if (strcmp(param_table[index].key, "world.preset") != 0)
        params_set(&unset, "world.preset", preset, &error);
    return !params_is_same(params, &unset, index);
}
