/* A league: how strong each creature is, by the bouts of all pairs.
 *
 * Ratings are those of Bradley and Terry (1952): the chance that one of strength p beats one of
 * strength q is p / (p + q), printed as Elo's numbers, 400 log10 p, whose mean is 0. Each has drawn
 * one bout besides, shared out among all others, so that one that wins or loses all is rated, too.
 * The likeliest strengths are found by the iteration of Hunter (2004, "MM
 * algorithms for generalized Bradley-Terry models", eq. 3). Intervals: bouts are drawn anew with
 * replacement, from the middle 90 % of the ratings (Efron 1979). The same bits everywhere. */
#ifndef CONTROLLER_ANALYSIS_LEAGUE_H
#define CONTROLLER_ANALYSIS_LEAGUE_H

#include <stdint.h>

/* A bout of players a and b. Its margin is above 0 if a has won, 0 if it is drawn. */
struct league_bout {
    int a, b;
    double margin;
};

struct league_row {
    int player;
    double rating, low, high; /* Elo's numbers */
    int wins, draws, losses;
    double margin; /* mean of its bouts */
};

/* a beats b, b beats c, c beats a; a is the least of the three. */
struct league_triad {
    int a, b, c;
};

/* Fills a row for each of the players, the strongest first. Numbers for the draws come from the
 * seed. ERR_MEMORY. */
int league_rate(const struct league_bout *bouts, int bout_count, int player_count, uint64_t seed,
                struct league_row *rows);
/* The sum of the margins of a over b; *count: their bouts. */
double league_margin(const struct league_bout *bouts, int bout_count, int a, int b, int *count);
/* Counts the cyclic triads of players by sums of margins; lists the first `most`. */
int league_find_triads(const struct league_bout *bouts, int bout_count, int player_count,
                       struct league_triad *triads, int most);

/* Whether the values of one group tend to be larger than those of another: the exact test of Mann
 * and Whitney (Annals of Mathematical Statistics 18, 1947), with ties. */

/* Of both groups together. */
enum { RANK_TEST_MOST = 60 };

struct rank_test {
    /* The share of pairs that the first group wins, a tie counting half: 0.5 is no difference. */
    double effect;
    double p;       /* two-sided: how often chance alone parts such groups as far or farther */
    double p_least; /* the least p that groups of these sizes can have */
};
/* Both counts are at least 1, and together at most RANK_TEST_MOST. */
struct rank_test rank_test_compare(const double *a, int a_count, const double *b, int b_count);

#endif
