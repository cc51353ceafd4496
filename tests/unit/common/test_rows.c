/* common/rows: rows are appended and zeroed, up to a bound. */
#include "common/rows.h"

#include <limits.h>

#include "tests/suite.h"

struct row {
    int number, other;
};

TEST(rows_keep_their_content_and_new_ones_are_zero)
{
    FREED struct row *rows = NULL;
    int count = 0, room = 0;
    for (int i = 0; i < 1000; i++) {
        struct row *row = rows_add(&rows, &count, &room, INT_MAX, sizeof *row);
        ck_assert_ptr_eq(row, &rows[i]);
        ck_assert(row->number == 0 && row->other == 0 && count == i + 1 && room >= count);
        *row = (struct row){i, -i};
    }
    for (int i = 0; i < 1000; i++)
        ck_assert(rows[i].number == i && rows[i].other == -i);
}

TEST(a_full_table_stays_as_it_is)
{
    FREED struct row *rows = NULL;
    int count = 0, room = 0;
    for (int i = 0; i < 5; i++)
        ck_assert_ptr_nonnull(rows_add(&rows, &count, &room, 5, sizeof *rows));
    struct row *before = rows;
    ck_assert_ptr_null(rows_add(&rows, &count, &room, 5, sizeof *rows));
    ck_assert(rows == before && count == 5);
}

SUITE("rows", 5, NULL, NULL)
