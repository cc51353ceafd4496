/* Reference numbers for benchmarks of accuracy, from the oracle's list. */
#ifndef TESTS_BENCH_EXPECTED_H
#define TESTS_BENCH_EXPECTED_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of tests/oracle/cases.json. Ends the program with a message if there is none. */
static inline double expected_number(const char *name, const char *quantity, double t_s)
{
    json_error_t fault;
    json_t *cases = json_load_file("tests/oracle/cases.json", 0, &fault), *row;
    size_t i;
    double value = NAN;
    json_array_foreach(json_object_get(cases, name), i, row)
    {
        const char *of = json_string_value(json_object_get(row, "quantity"));
        if (of && strcmp(of, quantity) == 0 &&
            fabs(json_number_value(json_object_get(row, "t_s")) - t_s) < 1e-9)
            value = json_number_value(json_object_get(row, "value"));
    }
    json_decref(cases);
    if (value == value)
        return value;
    fprintf(stderr, "tests/oracle/cases.json: no %s of %s at %g s\n", quantity, name, t_s);
    exit(1);
}

#endif
