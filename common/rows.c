/* See rows.h. */
#include "common/rows.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"

enum { FIRST_ROOM = 8 };

void *rows_add(void *table, int *count, int *room, int most, size_t size)
{
    void *rows;
    ENSURE(*count >= 0 && *count <= *room, "%d rows in a table with room for %d", *count, *room);
    memcpy(&rows, table, sizeof rows);
    if (*count >= most)
        return NULL;
    if (*count == *room) {
        int wanted = *room < FIRST_ROOM / 2 ? FIRST_ROOM : *room > most / 2 ? most : 2 * *room;
        void *larger = realloc(rows, (size_t)wanted * size);
        if (!larger)
            return NULL;
        rows = larger;
        memcpy(table, &rows, sizeof rows);
        *room = wanted;
    }
    return memset((char *)rows + (size_t)(*count)++ * size, 0, size);
}

int rows_compare_ids(const void *one, const void *other)
{
    return ORDER(*(const uint64_t *)one, *(const uint64_t *)other);
}

void *rows_find_id(const void *rows, int count, size_t size, uint64_t id)
{
    return count > 0 ? bsearch(&id, rows, (size_t)count, size, rows_compare_ids) : NULL;
}

int rows_contain(const uint64_t *numbers, int count, uint64_t number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return 1;
    return 0;
}
