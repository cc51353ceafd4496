/* See emitter.h. */
#include "common/genome/emitter.h"

const char *const emitter_names[EMITTER_COUNT] = {"sound", "scent_1", "scent_2"};

int emitter_is_on(int emitter, const struct params *params)
{
    ENSURE(emitter >= 0 && emitter < EMITTER_COUNT, "emitter %d", emitter);
    return (emitters_switched_on(params) & EMITTER_BIT(emitter)) != 0;
}

int emitter_count_on(const struct params *params)
{
    return __builtin_popcount(emitters_switched_on(params));
}
