/* "key=value" as after -s, for constants too (common/params/constants.h), which only tests try with
 * another value. */
#ifndef TESTS_SET_PARAM_H
#define TESTS_SET_PARAM_H

#include <stdlib.h>
#include <string.h>

#include "common/params/params.h"

/* 0, or params_set_assignment()'s error. */
static inline int set_param(struct params *params, const char *assignment, struct error *error)
{
    for (int i = 0; i < param_constant_count; i++) {
        const struct param_constant *row = &param_constants[i];
        size_t length = strlen(row->key);
        if (strncmp(assignment, row->key, length) != 0 || assignment[length] != '=')
            continue;
        double value = strtod(assignment + length + 1, NULL);
        if (row->is_int)
            *(int64_t *)((char *)params + row->offset) = (int64_t)value;
        else
            *(double *)((char *)params + row->offset) = value;
        return 0;
    }
    return params_set_assignment(params, assignment, error);
}

#endif
