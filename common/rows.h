/* Tables on the heap that grow row by row: some tens to some thousands of rows. The room doubles, so
 * that a row costs as much however many there are. */
#ifndef COMMON_ROWS_H
#define COMMON_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Appends a zeroed row of `size` bytes to a table of *count rows, which has room for *room; `table`
 * is the address of the pointer to its first row. Returns the row, or NULL where there are `most`
 * already or memory is out, and the table is as it was. */
void *rows_add(void *table, int *count, int *room, int most, size_t size);

/* For qsort(): below 0, 0 or above 0, as a is less than b, equal or greater. Of several keys the
 * first one weighs most: 2 * ORDER(family) + ORDER(id). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
/* Defines name(), a function for qsort() and bsearch() that compares rows `a` and `b` of a type:
 * ROW_ORDER(compare_lives, struct life, ORDER(a->born, b->born)). */
#define ROW_ORDER(name, type, order)                                                               \
    static int name(const void *one, const void *other)                                            \
    {                                                                                              \
        const type *a = one;                                                                       \
        const type *b = other;                                                                     \
        return order;                                                                              \
    }                                                                                              \
    static int name(const void *one, const void *other)

/* By id: the order of rows that begin with a uint64_t, and the row with an id among such that are
 * in that order; NULL: there is none. */
int rows_compare_ids(const void *one, const void *other);
void *rows_find_id(const void *rows, int count, size_t size, uint64_t id);

/* 1 if the number is one of a list, which has any order. */
int rows_contain(const uint64_t *numbers, int count, uint64_t number);

#endif
