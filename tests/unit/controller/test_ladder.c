/* Ladders by hand: slopes, permutation tests, order, triads; their file, words and pictures.
 * runs: watched */
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/file.h"
#include "controller/analysis/ladder.h"
#include "controller/report/report.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

enum { MEETINGS_MAX = 1000 };

static struct ladder ladder;

/* Rungs are generations 0, 10, 20, ... */
static void make(int rungs)
{
    memset(&ladder, 0, sizeof ladder);
    ladder.rung_count = rungs;
    ladder.rival_count = 2;
    ladder.settings = (struct ladder_settings){"a build", 77, 2, 1, 3};
    for (int i = 0; i < rungs; i++)
        ladder.rungs[i] = (struct ladder_rung){10 * (uint32_t)i, 100 + (uint64_t)i};
    ladder.meetings = calloc(MEETINGS_MAX, sizeof *ladder.meetings);
    ck_assert_ptr_nonnull(ladder.meetings);
}

static void meet(enum ladder_part part, int a, int b, double margin)
{
    ck_assert_int_lt(ladder.meeting_count, MEETINGS_MAX);
    ladder.meetings[ladder.meeting_count++] =
        (struct ladder_meeting){(int)part, a, b, margin, {1, 0}};
}

/* Each beats all before it. */
static void make_ladder(int rungs)
{
    make(rungs);
    for (int a = 1; a < rungs; a++)
        for (int b = 0; b < a; b++)
            meet(LADDER_CHAMPIONS, a, b, 0.5);
}

static void tear_down(void)
{
    ladder_deinit(&ladder);
}

/* ---- permutation tests ---- */

/* Four values have 24 orders, and one of them is as steep as the true one. Scores are -0.5, -1/6,
 * 1/6, 0.5 at generations 0, 10, 20, 30: 1/30 each. */
TEST(a_ladder_rises)
{
    make_ladder(4);
    struct ladder_trend trend = ladder_find_trend(&ladder, LADDER_CHAMPIONS);
    ck_assert_int_eq(trend.count, 4);
    ck_assert_double_eq_tol(trend.slope, 1.0 / 30, 1e-15);
    ck_assert_int_eq(trend.is_exact, 1);
    ck_assert_double_eq(trend.p, 1.0 / 24);
    ck_assert_int_eq(ladder_count_triads(&ladder), 0);
    struct ladder_order order = ladder_find_order(&ladder, -1);
    ck_assert(order.won == 6 && order.even == 0 && order.lost == 0);
    order = ladder_find_order(&ladder, 2);
    ck_assert(order.won == 2 && order.even == 0 && order.lost == 0);
    ck_assert_double_eq(ladder_margin(&ladder, LADDER_CHAMPIONS, 0, 3), -0.5);
    ck_assert(isnan(ladder_margin(&ladder, LADDER_CONTROL, 0, -1)));
}

/* The 6 orders of (0, 1, 3) at 0, 1, 2 have the slopes 3/2, 1, 1/2 and their opposites. */
TEST(orders_are_counted)
{
    static const struct {
        double y[3], slope, p;
    } cases[] = {{{0, 1, 3}, 1.5, 1.0 / 6}, {{1, 0, 3}, 1, 2.0 / 6},
                 {{0, 3, 1}, 0.5, 3.0 / 6}, {{1, 3, 0}, -0.5, 4.0 / 6},
                 {{3, 0, 1}, -1, 5.0 / 6},  {{3, 1, 0}, -1.5, 1},
                 {{2, 2, 2}, 0, 1},         {{0.1, 0.1, 0.7}, 0.3, 2.0 / 6}};
    static const double x[3] = {0, 1, 2};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ladder_trend trend = ladder_fit(x, cases[i].y, 3);
        ck_assert_double_eq_tol(trend.slope, cases[i].slope, 1e-15);
        ck_assert_double_eq_tol(trend.p, cases[i].p, 1e-15);
    }
    ck_assert_double_eq(ladder_fit(x, cases[0].y, 1).p, 1);
    ck_assert_double_eq(ladder_fit(x, cases[0].y, 0).p, 1);
}

/* One of 12! orders is as steep: it is hardly ever drawn. The drawn share of 9 values is near the
 * exact one. */
TEST(many_orders_are_drawn)
{
    make_ladder(12);
    struct ladder_trend trend = ladder_find_trend(&ladder, LADDER_CHAMPIONS);
    ck_assert_int_eq(trend.is_exact, 0);
    ck_assert_double_eq_tol(trend.p, 1.0 / (LADDER_DRAWS + 1), 1e-15);
    double x[9], y[9];
    for (int i = 0; i < 9; i++) {
        x[i] = i;
        y[i] = i % 3 == 1;
    }
    trend = ladder_fit(x, y, 9);
    ck_assert_double_eq_tol(trend.slope, 0, 1e-15);
    /* sums of 3 of 0 .. 8 that are at least 12: 46 of 84 */
    ck_assert_double_eq_tol(trend.p, 46.0 / 84, 0.02);
}

TEST(rock_paper_scissors)
{
    make(3);
    meet(LADDER_CHAMPIONS, 1, 0, 0.3);
    meet(LADDER_CHAMPIONS, 2, 1, 0.3);
    meet(LADDER_CHAMPIONS, 2, 0, -0.3);
    ck_assert_int_eq(ladder_count_triads(&ladder), 1);
    struct ladder_trend trend = ladder_find_trend(&ladder, LADDER_CHAMPIONS);
    ck_assert_double_eq(trend.slope, 0);
    ck_assert_double_eq(trend.p, 1);
    struct ladder_order order = ladder_find_order(&ladder, -1);
    ck_assert(order.won == 2 && order.lost == 1);
}

/* ---- shares ---- */

TEST(shares_are_of_ones_own_meetings)
{
    int count;
    make(3);
    meet(LADDER_RIVALS, 2, 0, 1);
    meet(LADDER_RIVALS, 2, 1, 0);
    meet(LADDER_RIVALS, 0, 2, 1); /* a rival is not a rung */
    meet(LADDER_POPULATIONS, 2, 0, 0.4);
    meet(LADDER_POPULATIONS, 2, 0, -0.2);
    meet(LADDER_POPULATIONS, 1, 2, 0.1);
    ck_assert_double_eq(ladder_won(&ladder, LADDER_RIVALS, 2, &count), 0.5);
    ck_assert_int_eq(count, 2);
    ck_assert_double_eq(ladder_margin(&ladder, LADDER_RIVALS, 2, -1), 0.5);
    ck_assert(isnan(ladder_won(&ladder, LADDER_PANEL, 2, &count)));
    ck_assert_int_eq(count, 0);
    ck_assert_double_eq_tol(ladder_margin(&ladder, LADDER_POPULATIONS, 2, 0), 0.1, 1e-15);
    ck_assert_double_eq_tol(ladder_margin(&ladder, LADDER_POPULATIONS, 2, -1), 0.1 / 3, 1e-15);
    ck_assert_double_eq_tol(ladder_touched(&ladder, LADDER_POPULATIONS, 2), 2.0 / 3, 1e-15);
    ck_assert_double_eq(ladder_touched(&ladder, LADDER_POPULATIONS, 0), 0);
}

/* ---- the file ---- */

static void assert_same_meeting(const struct ladder_meeting *a, const struct ladder_meeting *b)
{
    ck_assert(a->part == b->part && a->a == b->a && a->b == b->b);
    ck_assert_double_eq(a->margin, b->margin);
    ck_assert_double_eq(a->touched[0], b->touched[0]);
    ck_assert_double_eq(a->touched[1], b->touched[1]);
}

TEST(a_file_gives_the_ladder_again)
{
    struct ladder read;
    open_directory();
    make_ladder(4);
    meet(LADDER_RIVALS, 3, 1, -1.0 / 3);
    meet(LADDER_PANEL, 3, 2, 1);
    ck_assert_int_eq(ladder_read(&read, directory, &error), ERR_MISSING);
    ck_assert_int_eq(ladder_write(&ladder, directory, &error), 0);
    ck_ok(ladder_read(&read, directory, &error));
    ck_assert(ladder_is_same(&ladder, &read));
    ck_assert_int_eq(read.meeting_count, ladder.meeting_count);
    for (int i = 0; i < read.meeting_count; i++)
        assert_same_meeting(&read.meetings[i], &ladder.meetings[i]);
    read.rungs[2].champion++;
    ck_assert(!ladder_is_same(&ladder, &read));
    ladder_deinit(&read);
    close_directory();
}

/* Each is a stranger's file. */
TEST(what_is_wrong_is_refused)
{
    static const char good[] = "{\"format\":1,\"simulator\":\"s\",\"params\":\"0000000000000001\","
                               "\"bouts\":2,\"samples\":1,"
                               "\"panel\":2,\"rivals\":1,\"rungs\":[[0,1],[5,2]],\"meetings\":{"
                               "\"champions\":[[1,0,0.5,1,0]],"
                               "\"panel\":[[1,1,0.5,1,0]]}}";
    static const char *const changes[][2] = {{"\"format\":1", "\"format\":2"},
                                             {"\"s\"", "3"},
                                             {"0001\"", "1\""},
                                             {"\"panel\":2", "\"panel\":1"},
                                             {"\"panel\":2", "\"panel\":900"},
                                             {"[5,2]", "[0,2]"},
                                             {"[5,2]", "[5]"},
                                             {"[1,0,0.5,1,0]", "[2,0,0.5,1,0]"},
                                             {"[1,0,0.5,1,0]", "[1,-1,0.5,1,0]"},
                                             {"[1,0,0.5,1,0]", "[1,0,1.5,1,0]"},
                                             {"[1,0,0.5,1,0]", "[1,0,0.5,1]"},
                                             {"[1,0,0.5,1,0]", "7"},
                                             {"[[0,1],[5,2]]", "[]"},
                                             {"}}", "}"}};
    struct ladder read;
    open_directory();
    ck_assert_int_eq(file_write(within(LADDER_FILE_NAME), good, strlen(good), &error), 0);
    ck_ok(ladder_read(&read, directory, &error));
    ck_assert_int_eq(read.meeting_count, 2);
    ladder_deinit(&read);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const char *at = strstr(good, changes[i][0]);
        ck_assert_ptr_nonnull(at);
        const char *text =
            printed("%.*s%s%s", (int)(at - good), good, changes[i][1], at + strlen(changes[i][0]));
        ck_assert_int_eq(file_write(within(LADDER_FILE_NAME), text, strlen(text), &error), 0);
        ck_assert_msg(ladder_read(&read, directory, &error) == ERR_FORMAT, "change %zu", i);
        ck_assert_msg(strstr(error.message, within(LADDER_FILE_NAME)) != NULL, "%s", error.message);
        ck_assert_ptr_null(read.meetings);
    }
    close_directory();
}

/* ---- words and pictures ---- */

static void check_says(enum ladder_topic topic, const char *words)
{
    char text[LADDER_WORDS_SIZE];
    ladder_say(&ladder, topic, text);
    ck_assert_msg(strstr(text, words) != NULL, "'%s' lacks '%s'", text, words);
}

TEST(words_say_what_the_numbers_mean)
{
    make_ladder(6);
    for (int b = 0; b < 2; b++)
        meet(LADDER_RIVALS, 5, b, 1);
    meet(LADDER_PANEL, 0, 0, -1);
    meet(LADDER_PANEL, 5, 0, 1);
    check_says(LADDER_SAY_ANCESTORS,
               "win 15 pairs against earlier ones, draw 0 and lose 0; the last one beats 5 "
               "of 5: each beats most");
    check_says(LADDER_SAY_MASTER, "rises by 0.02 a generation (p = 0.0014): progress");
    check_says(LADDER_SAY_POPULATIONS, "champions alone got better");
    check_says(LADDER_SAY_CONTROL, "selection makes");
    check_says(LADDER_SAY_PANEL,
               "wins 2 of 2 contests with the best of the first 2 generations (at "
               "least four in five), and 1 of 1");
    check_says(LADDER_SAY_PANEL, "the first champion won 0: it is better");
    check_says(LADDER_SAY_TRIADS, "0 of 20 triples");
    for (int i = 0; i < ladder.meeting_count; i++)
        ladder.meetings[i].margin = -ladder.meetings[i].margin;
    check_says(LADDER_SAY_ANCESTORS, "no better than earlier ones");
    check_says(LADDER_SAY_MASTER, "falls by 0.02 a generation (p = 1): no progress");
    check_says(LADDER_SAY_PANEL, "worse with strangers");
}

/* A cell for each pair, and no number that is none. */
TEST(pictures_have_a_cell_for_each_pair)
{
    FREED char *page = NULL;
    size_t length;
    int cells = 0;
    make_ladder(6);
    FILE *file = open_memstream(&page, &length);
    ladder_page_write(&ladder, file);
    fclose(file);
    for (const char *at = page; (at = strstr(at, "<rect ")) != NULL; at++)
        cells++;
    ck_assert_int_eq(cells, 15);
    ck_assert_ptr_nonnull(strstr(page, "generation 50 against 0: +0.50"));
    ck_assert_ptr_null(strstr(page, "='nan"));
}

SUITE("ladder", 0, NULL, tear_down)
