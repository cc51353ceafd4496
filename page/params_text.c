/* A page reads no parameter files: it sets what differs from the defaults, one by one. */
#include "common/params/params.h"

int params_read_text(struct params *params, const char *text, const char *name, struct error *error)
{
    return error_set(error, ERR_UNAVAILABLE, "%s: the page reads no INI", name);
}
