/* Milestones of a line of descent: both ends, the largest gains, and ties. */
#include "common/judge/milestones.h"
#include "tests/suite.h"

struct entry {
    int other;
    double fitness;
};

TEST(the_largest_gains_between_both_ends)
{
    static const struct entry line[] = {{0, 9}, {0, 8}, {0, 5}, {0, 6}, {0, 2}, {0, 1}, {0, 0}};
    int chosen[7];
    ck_assert_int_eq(milestones_choose(&line->fitness, sizeof *line, 7, 4, chosen), 4);
    ck_assert_int_eq(chosen[0], 6);
    ck_assert_int_eq(chosen[1], 3); /* 2 to 6 */
    ck_assert_int_eq(chosen[2], 1); /* 5 to 8 */
    ck_assert_int_eq(chosen[3], 0);
    ck_assert_int_eq(milestones_choose(&line->fitness, sizeof *line, 7, 7, chosen), 7);
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(chosen[i], 6 - i);
}

TEST(short_lines_and_equal_gains)
{
    static const double line[] = {3, 2, 1, 0};
    int chosen[4];
    ck_assert_int_eq(milestones_choose(line, sizeof *line, 1, 2, chosen), 1);
    ck_assert_int_eq(milestones_choose(line, sizeof *line, 4, 2, chosen), 2);
    ck_assert_int_eq(chosen[0], 3);
    ck_assert_int_eq(chosen[1], 0);
    ck_assert_int_eq(milestones_choose(line, sizeof *line, 4, 3, chosen), 3);
    ck_assert_int_eq(chosen[1], 1); /* the younger one */
}

SUITE("milestones", 0, NULL, NULL)
