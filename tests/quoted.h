/* JSON in C, with ' for ". */
#ifndef TESTS_QUOTED_H
#define TESTS_QUOTED_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A copy with a quotation mark for each apostrophe; the caller frees it. */
static inline char *quoted(const char *text)
{
    char *copy = strdup(text);
    ck_assert_ptr_nonnull(copy);
    for (char *at = copy; (at = strchr(at, '\'')); at++)
        *at = '"';
    return copy;
}

#endif
