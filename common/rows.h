/* Tables on the heap that grow row by row: some tens to some thousands of rows. The room doubles, so
 * that a row costs as much however many there are. */
#ifndef COMMON_ROWS_H
#define COMMON_ROWS_H

#include <stddef.h>

/* Appends a zeroed row of `size` bytes to a table of *count rows, which has room for *room; `table`
 * is the address of the pointer to its first row. Returns the row, or NULL where there are `most`
 * already or memory is out, and the table is as it was. */
void *rows_add(void *table, int *count, int *room, int most, size_t size);

/* For qsort(): below 0, 0 or above 0, as a is less than b, equal or greater. Of several keys the
 * first one weighs most: 2 * ORDER(family) + ORDER(id). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
