/* Rows of numbers in JSON, against which tests of bodies in space compare. */
#ifndef TESTS_ORACLE_ROWS_H
#define TESTS_ORACLE_ROWS_H

#include <check.h>
#include <jansson.h>
#include <string.h>

#include "common/growth/joint.h"

/* Fills the rows of the file, by cases, in place of those that are there (NULL: none). They are kept
 * until then. */
static inline void rows_load(json_t **rows, const char *path)
{
    json_error_t fault;
    json_decref(*rows);
    *rows = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
    ck_assert_msg(*rows != NULL, "%s: %s", path, fault.text);
}

/* A text of the row; "" where there is none. */
static inline const char *word(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

/* A number of the row; 0 where there is none. */
static inline double number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

/* Numbers of an array of the row, `most` at the most; how many. */
static inline int numbers(const json_t *row, const char *key, double *values, int most)
{
    json_t *list = json_object_get(row, key);
    int count = (int)json_array_size(list);
    ck_assert_int_le(count, most);
    for (int i = 0; i < count; i++)
        values[i] = json_number_value(json_array_get(list, (size_t)i));
    return count;
}

/* The kind of joint of that name. */
static inline enum link_joint joint_of(const char *name)
{
    for (int i = 0; i < LINK_JOINT_COUNT; i++)
        if (strcmp(joint_kinds[i].name, name) == 0)
            return (enum link_joint)i;
    ck_abort_msg("there is no joint %s", name);
    return LINK_FREE;
}

/* Fails where a row was not measured. */
static inline void rows_expect_all(const json_t *rows, const int *is_measured)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        ck_assert_msg(is_measured[i], "%s %s is not measured",
                      word(json_array_get(rows, i), "quantity"),
                      word(json_array_get(rows, i), "of"));
}

#endif
