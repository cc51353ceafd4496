#include "common/params/params.h"

#include <stdlib.h>
#include <string.h>

#include "common/system/output.h"

/* Values that are gone from the choices of a row, and which one a record means now. */
static const struct {
    const char *key, *value, *now;
} retired_values[] = {
    {"simulation.solver", "rejection", "articulated"},
    {"simulation.solver", "nudge", "articulated"},
};

int params_set_recorded(struct params *params, const char *key, const char *value,
                        struct error *error)
{
    static int is_said;
    for (size_t i = 0; i < sizeof retired_values / sizeof retired_values[0]; i++) {
        if (strcmp(key, retired_values[i].key) || strcmp(value, retired_values[i].value))
            continue;
        if (!is_said++)
            output_print(stderr, "%s = %s is gone: %s takes its place\n", key, value,
                         retired_values[i].now);
        value = retired_values[i].now;
    }
    return params_set(params, key, value, error);
}
