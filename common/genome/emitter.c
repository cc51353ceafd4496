/* See emitter.h. */
#include "common/genome/emitter.h"

const char *const emitter_names[EMITTER_COUNT] = {"sound", "scent_1", "scent_2"};

int emitter_is_on(int emitter, const struct params *params)
{
    ENSURE(emitter >= 0 && emitter < EMITTER_COUNT, "emitter %d", emitter);
    return emitter == EMITTER_SOUND ? params->sensor_sound : params->sensor_scent;
}

int emitter_count_on(const struct params *params)
{
    int count = 0;
    for (int i = 0; i < EMITTER_COUNT; i++)
        count += emitter_is_on(i, params);
    return count;
}
