/* Ratings and triads of leagues, by hand. */
#include "common/error.h"
#include "controller/analysis/league.h"
#include "tests/suite.h"

enum { MOST = 7 };

static struct league_bout bouts[1000];
static int count;
static struct league_row rows[MOST];

static void play(int a, int b, double margin, int times)
{
    for (int i = 0; i < times; i++)
        bouts[count++] = (struct league_bout){a, b, margin};
}

/* The odds of two are those of their points, half a point more each. */
TEST(two_players_have_the_odds_of_their_points)
{
    count = 0;
    play(0, 1, 1, 75);
    play(1, 0, 0.1, 25);
    ck_assert_int_eq(league_rate(bouts, count, 2, 1, rows), 0);
    ck_assert_int_eq(rows[0].player, 0);
    ck_assert_double_eq_tol(rows[0].rating, -rows[1].rating, 1e-9);
    ck_assert_double_eq_tol(rows[0].rating, 200 * log10(75.5 / 25.5), 1e-9);
    ck_assert(rows[0].low < rows[0].rating && rows[0].rating < rows[0].high);
    ck_assert_int_eq(rows[0].wins, 75);
    ck_assert_int_eq(rows[0].losses, 25);
    ck_assert_double_eq_tol(rows[0].margin, (75 - 2.5) / 100, 1e-12);
}

/* An unbeaten creature has a rating, and the order is the ladder's, which has no triad. */
TEST(a_ladder_has_no_triads)
{
    struct league_triad triad;
    count = 0;
    for (int a = 0; a < MOST; a++)
        for (int b = a + 1; b < MOST; b++)
            play(a, b, -0.5, 2);
    ck_assert_int_eq(league_rate(bouts, count, MOST, 1, rows), 0);
    for (int i = 0; i < MOST; i++) {
        ck_assert_int_eq(rows[i].player, MOST - 1 - i);
        ck_assert(isfinite(rows[i].rating));
    }
    ck_assert_int_eq(league_find_triads(bouts, count, MOST, &triad, 1), 0);
}

/* In a regular tournament, in which each beats the next half of all, n (n^2 - 1) / 24 triads are
 * cyclic, and all are equally strong. */
TEST(a_regular_tournament_has_most_triads)
{
    struct league_triad triads[2];
    count = 0;
    for (int a = 0; a < MOST; a++)
        for (int step = 1; step <= MOST / 2; step++)
            play(a, (a + step) % MOST, 1, 1);
    ck_assert_int_eq(league_find_triads(bouts, count, MOST, triads, 2),
                     MOST * (MOST * MOST - 1) / 24);
    ck_assert(triads[0].a == 0 && triads[0].b == 1 && triads[0].c == 4);
    ck_assert_int_eq(league_rate(bouts, count, MOST, 1, rows), 0);
    for (int i = 0; i < MOST; i++)
        ck_assert_double_eq_tol(rows[i].rating, 0, 1e-6);
}

/* Draws from the seed: the same again, and no bout at all is a league, too. */
TEST(intervals_repeat)
{
    struct league_row again[MOST];
    count = 0;
    play(0, 1, 1, 3);
    play(1, 2, 0, 3);
    play(0, 2, -1, 1);
    ck_assert_int_eq(league_rate(bouts, count, 3, 5, rows), 0);
    ck_assert_int_eq(league_rate(bouts, count, 3, 5, again), 0);
    for (int i = 0; i < 3; i++)
        ck_assert(again[i].low == rows[i].low && again[i].high == rows[i].high);
    ck_assert_int_eq(rows[0].draws + rows[1].draws + rows[2].draws, 6);
    ck_assert_int_eq(league_rate(bouts, 0, 1, 5, rows), 0);
    ck_assert_double_eq_tol(rows[0].rating, 0, 1e-9);
}

SUITE("league", 0, NULL, NULL)
