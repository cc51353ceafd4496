/* Grids of cells: what is read, what is refused and where, which cell a creature falls into.
 * runs: watched */
#include "controller/evolution/cells.h"

#include "common/params/params.h"
#include "tests/plain_fixture.h"

static struct cell_grid grid;

static int parse(const char *text)
{
    memset(&error, 0, sizeof error);
    return cell_grid_parse(&grid, text, &error);
}

TEST(a_grid_is_read)
{
    ck_assert_int_eq(parse("links:3,4,6 size_m:0.6,1.2"), 0);
    ck_assert_int_eq(grid.count, 12);
    ck_assert_int_eq(grid.axis_count, 2);
    ck_assert_int_eq(grid.axes[0].measure, MEASURE_links);
    ck_assert(grid.axes[1].bounds[1] == 1.2);
    ck_assert_int_eq(parse("  work_net_j:-1e3,0,+2.5E1   "), 0);
    ck_assert_int_eq(grid.count, 4);
    ck_assert_int_eq(parse(""), 0);
    ck_assert_int_eq(grid.count, 1);
}

TEST(the_default_is_a_grid)
{
    params_set_defaults(&params);
    ck_assert_int_eq(parse(params.archive_cells), 0);
    ck_assert_int_gt(grid.count, 20);
}

/* Every cell is met, bounds belong to the upper cell, and what is no number to the lowest. */
TEST(cells_are_found)
{
    static const double links[] = {0, 2.9, 3, 3.5, 4, 5, 6, 100}, sizes[] = {-1, 0.6, 1.2};
    struct measures measures = {.links = 0};
    char is_met[13] = {0};
    ck_assert_int_eq(parse("links:3,4,6 size_m:0.6,1.2"), 0);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            measures.links = links[i];
            measures.size_m = sizes[k];
            int cell = cell_grid_find(&grid, &measures);
            ck_assert_int_eq(cell, 1 + i / 2 * 3 + k);
            is_met[cell] = 1;
        }
    for (int cell = 1; cell <= 12; cell++)
        ck_assert_int_eq(is_met[cell], 1);
    measures.links = NAN;
    measures.size_m = INFINITY;
    ck_assert_int_eq(cell_grid_find(&grid, &measures), 3);
}

static const struct {
    const char *text, *message;
} refused[] = {
    {"link:3", "column 1: no measure is called link"},
    {"links:3 sise_m:1", "column 9: no measure is called sise_m"},
    {"links", "column 6: expected ':' and bounds"},
    {"links 3", "column 6: expected ':' and bounds"},
    {"links:", "column 7: expected a number"},
    {"links:3,", "column 9: expected a number"},
    {"links: 3", "column 7: expected a number"},
    {"links:nan", "column 7: expected a number"},
    {"links:0x3", "column 7: expected a number"},
    {"links:1e999", "column 7: the number is too large"},
    {"links:3,3", "column 9: bounds must rise"},
    {"links:3:4", "column 8: expected ',' or a blank"},
    {"links:3;4", "column 8: expected ',' or a blank"},
    {",3", "column 1: expected the name of a measure"},
    {"links:1 links:1 links:1 links:1 links:1 links:1 links:1 links:1 links:1",
     "column 65: too many measures (at most 8)"},
    {"links:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
     "33",
     "column 94: too many bounds (at most 32)"},
    {"links:1,2,3,4,5,6,7,8,9 parts:1,2,3,4,5,6,7,8,9 mass_kg:1,2,3,4,5,6,7,8,9 "
     "size_m:1,2,3,4,5,6,7,8,9 path_m:1,2,3,4,5,6,7,8,9 time_s:1",
     "column 133: more than 100000 cells"},
};

TEST_LOOP(nonsense_is_refused, 0, (int)(sizeof refused / sizeof refused[0]))
{
    ck_assert_int_ne(parse(refused[_i].text), 0);
    ck_assert_str_eq(error.message, refused[_i].message);
}

/* A name as long as a parameter may be is cut in the message, not in memory. */
TEST(long_names_are_refused)
{
    char text[200];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_ne(parse(text), 0);
}

SUITE("cells", 0, NULL, NULL)
