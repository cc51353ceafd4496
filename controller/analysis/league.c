/* See league.h. Sizes: some dozens of players, some thousand bouts. */
#include "controller/analysis/league.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/math/detmath.h"
#include "common/math/rng.h"
#include "controller/analysis/run_statistics.h"

enum { ITERATIONS = 200, RESAMPLES = 200 };
#define TAIL_SHARE 0.05

/* ---- ratings ---- */

/* Tables of players x players: points of one against the other, and bouts of both. */
struct standing {
    int count;
    double *points, *bouts, *strengths, *next;
};

/* Each has drawn with each of the others, one bout in all. */
static void clear(struct standing *s)
{
    double share = s->count > 1 ? 1.0 / (s->count - 1) : 0;
    for (int i = 0; i < s->count * s->count; i++) {
        int is_own = i / s->count == i % s->count;
        s->bouts[i] = is_own ? 0 : share;
        s->points[i] = is_own ? 0 : share / 2;
    }
}

static void add(struct standing *s, const struct league_bout *bout)
{
    int ab = bout->a * s->count + bout->b, ba = bout->b * s->count + bout->a;
    double points = bout->margin > 0 ? 1 : bout->margin < 0 ? 0 : 0.5;
    s->points[ab] += points;
    s->points[ba] += 1 - points;
    s->bouts[ab]++;
    s->bouts[ba]++;
}

/* p_i = (points of i) / sum over k of (bouts of i and k) / (p_i + p_k), for i != k. */
static void iterate(struct standing *s)
{
    for (int i = 0; i < s->count; i++) {
        double points = 0, weight = 0;
        for (int k = 0; k < s->count; k++) {
            points += s->points[i * s->count + k];
            weight += s->bouts[i * s->count + k] / (s->strengths[i] + s->strengths[k]);
        }
        s->next[i] = weight > 0 ? points / weight : 1;
    }
    memcpy(s->strengths, s->next, (size_t)s->count * sizeof *s->strengths);
}

static void rate(struct standing *s)
{
    for (int i = 0; i < s->count; i++)
        s->strengths[i] = 1;
    for (int i = 0; i < ITERATIONS; i++)
        iterate(s);
}

/* Elo's number of a player, less their mean. */
static double elo_of(const struct standing *s, int player)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += det_log(s->strengths[i]);
    return 400 * (det_log(s->strengths[player]) - sum / s->count) / det_log(10);
}

/* The strongest first; equals by their numbers. */
ROW_ORDER(compare_rows, struct league_row,
          2 * ORDER(b->rating, a->rating) + ORDER(a->player, b->player));

static void count_bouts(const struct league_bout *bouts, int bout_count, int player_count,
                        struct league_row *rows)
{
    for (int i = 0; i < player_count; i++)
        rows[i] = (struct league_row){.player = i};
    for (int i = 0; i < bout_count; i++)
        for (int side = 0; side < 2; side++) {
            struct league_row *row = &rows[side ? bouts[i].b : bouts[i].a];
            double margin = side ? 0 - bouts[i].margin : bouts[i].margin;
            row->wins += margin > 0;
            row->losses += margin < 0;
            row->draws += margin == 0;
            row->margin += margin;
        }
    for (int i = 0; i < player_count; i++) {
        int all = rows[i].wins + rows[i].draws + rows[i].losses;
        rows[i].margin = all ? rows[i].margin / all : 0;
    }
}

/* Ratings of resampled leagues: RESAMPLES for each player, one after the other. */
static void resample(struct standing *s, const struct league_bout *bouts, int bout_count,
                     uint64_t seed, double *ratings)
{
    struct rng rng;
    for (int k = 0; k < RESAMPLES; k++) {
        rng_init(&rng, seed, RNG_CONTEST, 1, (uint64_t)k);
        clear(s);
        for (int i = 0; i < bout_count; i++)
            add(s, &bouts[rng_below(&rng, (uint32_t)bout_count)]);
        rate(s);
        for (int i = 0; i < s->count; i++)
            ratings[i * RESAMPLES + k] = elo_of(s, i);
    }
}

static void fill_rows(struct standing *s, const struct league_bout *bouts, int bout_count,
                      uint64_t seed, double *ratings, struct league_row *rows)
{
    int tail = (int)(TAIL_SHARE * RESAMPLES);
    count_bouts(bouts, bout_count, s->count, rows);
    clear(s);
    for (int i = 0; i < bout_count; i++)
        add(s, &bouts[i]);
    rate(s);
    for (int i = 0; i < s->count; i++)
        rows[i].rating = elo_of(s, i);
    resample(s, bouts, bout_count, seed, ratings);
    for (int i = 0; i < s->count; i++) {
        qsort(ratings + i * RESAMPLES, RESAMPLES, sizeof *ratings, compare_doubles);
        rows[i].low = ratings[i * RESAMPLES + tail];
        rows[i].high = ratings[i * RESAMPLES + RESAMPLES - 1 - tail];
    }
    qsort(rows, (size_t)s->count, sizeof *rows, compare_rows);
}

int league_rate(const struct league_bout *bouts, int bout_count, int player_count, uint64_t seed,
                struct league_row *rows)
{
    ENSURE(player_count >= 1 && bout_count >= 0, "%d bouts of %d players", bout_count,
           player_count);
    for (int i = 0; i < bout_count; i++)
        ENSURE(bouts[i].a >= 0 && bouts[i].b >= 0 && bouts[i].b != bouts[i].a &&
                   bouts[i].b < player_count,
               "bout %d: %d and %d", i, bouts[i].a, bouts[i].b);
    size_t players = (size_t)player_count, cells = players * players;
    double *numbers = calloc(2 * cells + (2 + RESAMPLES) * players + 1, sizeof *numbers);
    if (!numbers)
        return ERR_MEMORY;
    struct standing standing = {.count = player_count,
                                .points = numbers,
                                .bouts = numbers + cells,
                                .strengths = numbers + 2 * cells,
                                .next = numbers + 2 * cells + players};
    fill_rows(&standing, bouts, bout_count, seed, numbers + 2 * cells + 2 * players, rows);
    free(numbers);
    return 0;
}

/* ---- triads ---- */

double league_margin(const struct league_bout *bouts, int bout_count, int a, int b, int *count)
{
    double sum = 0;
    *count = 0;
    for (int i = 0; i < bout_count; i++) {
        int is_first = bouts[i].a == a && bouts[i].b == b;
        if (!is_first && !(bouts[i].a == b && bouts[i].b == a))
            continue;
        sum += is_first ? bouts[i].margin : 0 - bouts[i].margin;
        ++*count;
    }
    return sum;
}

int league_find_triads(const struct league_bout *bouts, int bout_count, int player_count,
                       struct league_triad *triads, int most)
{
    ENSURE(player_count >= 1 && most >= 0, "%d triads of %d players", most, player_count);
    int count = 0, met;
    for (int a = 0; a < player_count; a++)
        for (int b = 0; b < player_count; b++) {
            if (b <= a || league_margin(bouts, bout_count, a, b, &met) == 0)
                continue;
            for (int c = b + 1; c < player_count; c++) {
                double ab = league_margin(bouts, bout_count, a, b, &met);
                double bc = league_margin(bouts, bout_count, b, c, &met);
                double ca = league_margin(bouts, bout_count, c, a, &met);
                int is_cycle = (ab > 0 && bc > 0 && ca > 0) || (ab < 0 && bc < 0 && ca < 0);
                if (is_cycle && count < most)
                    triads[count] =
                        ab > 0 ? (struct league_triad){a, b, c} : (struct league_triad){a, c, b};
                count += is_cycle;
            }
        }
    return count;
}

/* ---- the test of two groups ---- */

enum { SUM_MOST = RANK_TEST_MOST * (RANK_TEST_MOST + 1) };

/* Twice the rank of each value among all: ties share the middle of their ranks. */
static void rank_values(const double *values, int count, int *doubled)
{
    for (int i = 0; i < count; i++) {
        int below = 0, equal = 0;
        for (int k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += values[k] == values[i];
        }
        doubled[i] = 2 * below + equal + 1;
    }
}

/* The share of all choices of `chosen` of the ranks whose sum is as far from the mean as `sum` is,
 * or farther. ways[c][s]: of those ranks so far, how many choices of c have the sum s. */
static double share_as_far(const int *doubled, int count, int chosen, int sum)
{
    double ways[RANK_TEST_MOST + 1][SUM_MOST + 1];
    double all = 0, far = 0, mean = (double)chosen * (count + 1);
    memset(ways, 0, sizeof ways);
    ways[0][0] = 1;
    for (int i = 0; i < count; i++)
        for (int c = i < chosen ? i : chosen - 1; c >= 0; c--)
            for (int s = SUM_MOST - doubled[i]; s >= 0; s--)
                ways[c + 1][s + doubled[i]] += ways[c][s];
    for (int s = 0; s <= SUM_MOST; s++) {
        all += ways[chosen][s];
        far += fabs(s - mean) >= fabs(sum - mean) ? ways[chosen][s] : 0;
    }
    return far / all;
}

struct rank_test rank_test_compare(const double *a, int a_count, const double *b, int b_count)
{
    double values[RANK_TEST_MOST];
    int doubled[RANK_TEST_MOST], untied[RANK_TEST_MOST];
    int count = a_count + b_count, sum = 0;
    ENSURE(a_count > 0 && b_count > 0 && count <= RANK_TEST_MOST, "%d and %d values", a_count,
           b_count);
    memcpy(values, a, (size_t)a_count * sizeof a[0]);
    for (int i = 0; i < b_count; i++)
        values[a_count + i] = b[i];
    rank_values(values, count, doubled);
    for (int i = 0; i < a_count; i++)
        sum += doubled[i];
    for (int i = 0; i < count; i++)
        untied[i] = 2 * (i + 1);
    return (struct rank_test){
        .effect = (0.5 * sum - 0.5 * a_count * (a_count + 1)) / ((double)a_count * b_count),
        .p = share_as_far(doubled, count, a_count, sum),
        .p_least = share_as_far(untied, count, a_count, a_count * (a_count + 1))};
}
