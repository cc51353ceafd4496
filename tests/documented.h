/* Tables of the documentation that tests print: their rows are read back, to see that they still
 * say what is measured. */
#ifndef TESTS_DOCUMENTED_H
#define TESTS_DOCUMENTED_H

#include <check.h>
#include <stdio.h>
#include <string.h>

/* The row of a page that begins with the name, then has `count` columns: of "ERROR/ALLOWED" the
 * share, of anything else -1. The test fails where the page has no such row. */
static inline void documented_shares(const char *page, const char *name, double *shares, int count)
{
    char line[400], start[80];
    int is_found = 0, length = snprintf(start, sizeof start, "| %s |", name);
    FILE *file = fopen(page, "r");
    ck_assert_msg(file != NULL, "%s cannot be opened", page);
    while (!is_found && fgets(line, sizeof line, file)) {
        char *at = line + length - 1;
        if (strncmp(line, start, (size_t)length) != 0)
            continue;
        is_found = 1;
        for (int i = 0; i < count; i++) {
            double error, allowed;
            at = strchr(at, '|');
            ck_assert_msg(at != NULL, "%s: the row of %s has too few columns", page, name);
            at++;
            shares[i] = sscanf(at, "%lf/%lf", &error, &allowed) == 2 ? error / allowed : -1;
        }
    }
    fclose(file);
    ck_assert_msg(is_found, "%s: no row for %s (make accuracy)", page, name);
}

#endif
