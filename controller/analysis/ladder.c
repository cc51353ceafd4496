/* See ladder.h. Sizes: some dozens of rungs, some thousand meetings. */
#include "controller/analysis/ladder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/rng.h"
#include "controller/analysis/league.h"

/* Slopes that differ by less, as a share of what they can be, are equal: sums in another order. */
#define SLOPE_TOLERANCE 1e-12
/* Random orders are drawn from this stream of RNG_CONTEST. */
enum { STREAM_PERMUTATION = 3 };

const char *const ladder_part_names[LADDER_PART_COUNT] = {"champions", "populations", "control",
                                                          "rivals", "panel"};

void ladder_deinit(struct ladder *ladder)
{
    free(ladder->meetings);
    ladder->meetings = NULL;
    ladder->meeting_count = 0;
}

void ladder_check(const struct ladder *ladder)
{
    ENSURE(ladder->rung_count > 0 && ladder->rung_count <= LADDER_RUNGS_MAX, "%d rungs",
           ladder->rung_count);
    for (int i = 1; i < ladder->rung_count; i++)
        ENSURE(ladder->rungs[i].generation > ladder->rungs[i - 1].generation,
               "rung %d is not after the one before", i);
    ENSURE(ladder->rival_count >= 0 && ladder->rival_count <= LADDER_RIVALS_MAX, "%d rivals",
           ladder->rival_count);
    ENSURE(ladder->meeting_count >= 0 && ladder->meeting_count <= LADDER_MEETINGS_MAX,
           "%d meetings", ladder->meeting_count);
    for (int i = 0; i < ladder->meeting_count; i++) {
        const struct ladder_meeting *meeting = &ladder->meetings[i];
        ENSURE(meeting->part >= 0 && meeting->part < LADDER_PART_COUNT, "meeting %d: part %d", i,
               meeting->part);
        ENSURE(i == 0 || meeting->part >= meeting[-1].part, "meeting %d: part %d after %d", i,
               meeting->part, meeting[-1].part);
        ENSURE(meeting->a >= 0 && meeting->a < ladder->rung_count && meeting->b >= 0,
               "meeting %d: %d and %d", i, meeting->a, meeting->b);
        ENSURE(meeting->margin >= -1 && meeting->margin <= 1, "meeting %d: margin %g", i,
               meeting->margin);
    }
}

int ladder_is_same(const struct ladder *one, const struct ladder *other)
{
    const struct ladder_settings *own = &one->settings, *theirs = &other->settings;
    if (strcmp(own->simulator, theirs->simulator) != 0 || own->params != theirs->params ||
        own->bouts != theirs->bouts || own->samples != theirs->samples ||
        own->panel != theirs->panel || one->rung_count != other->rung_count ||
        one->rival_count != other->rival_count || one->meeting_count != other->meeting_count)
        return 0;
    for (int i = 0; i < one->rung_count; i++)
        if (one->rungs[i].generation != other->rungs[i].generation ||
            one->rungs[i].champion != other->rungs[i].champion)
            return 0;
    for (int i = 0; i < one->meeting_count; i++) {
        const struct ladder_meeting *a = &one->meetings[i], *b = &other->meetings[i];
        if (a->part != b->part || a->a != b->a || a->b != b->b)
            return 0;
    }
    return 1;
}

/* ---- means ---- */

/* The side of a rung in a meeting of that part; -1: it is not there. */
static int find_side(const struct ladder_meeting *meeting, int part, int rung)
{
    if (meeting->part != part)
        return -1;
    if (meeting->a == rung)
        return 0;
    return part <= LADDER_CONTROL && meeting->b == rung ? 1 : -1;
}

/* A number of one side of a meeting. */
typedef double side_value(const struct ladder_meeting *meeting, int side);

static double margin_of(const struct ladder_meeting *meeting, int side)
{
    return side ? 0 - meeting->margin : meeting->margin;
}

static double is_won(const struct ladder_meeting *meeting, int side)
{
    return margin_of(meeting, side) > 0;
}

static double touched_by(const struct ladder_meeting *meeting, int side)
{
    return meeting->touched[side];
}

/* The mean over the meetings of rung a, with b alone or with all (-1); NAN without any. */
static double mean_of(const struct ladder *ladder, enum ladder_part part, int a, int b,
                      side_value *value, int *count)
{
    ENSURE((int)part >= 0 && part < LADDER_PART_COUNT, "part %d", (int)part);
    ENSURE(a >= 0 && a < ladder->rung_count && b >= -1, "rungs %d and %d of %d", a, b,
           ladder->rung_count);
    double sum = 0;
    *count = 0;
    for (int i = 0; i < ladder->meeting_count; i++) {
        const struct ladder_meeting *meeting = &ladder->meetings[i];
        int side = find_side(meeting, (int)part, a);
        if (side < 0 || (b >= 0 && (side ? meeting->a : meeting->b) != b))
            continue;
        sum += value(meeting, side);
        ++*count;
    }
    return *count > 0 ? sum / *count : NAN;
}

double ladder_margin(const struct ladder *ladder, enum ladder_part part, int a, int b)
{
    return mean_of(ladder, part, a, b, margin_of, &(int){0});
}

double ladder_won(const struct ladder *ladder, enum ladder_part part, int a, int *count)
{
    return mean_of(ladder, part, a, -1, is_won, count ? count : &(int){0});
}

double ladder_touched(const struct ladder *ladder, enum ladder_part part, int rung)
{
    return mean_of(ladder, part, rung, -1, touched_by, &(int){0});
}

/* ---- trends ---- */

/* The sum of (x - mean) y: the slope but for what all orders have in common. */
static double lean(const double *x, const double *y, int count, double mean)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (x[i] - mean) * y[i];
    return sum;
}

struct permutation {
    const double *x;
    double y[LADDER_RUNGS_MAX];
    double mean, bar;
    int count;
    double above, all; /* orders */
};

static void count_order(struct permutation *p)
{
    p->above += lean(p->x, p->y, p->count, p->mean) >= p->bar;
    p->all++;
}

static void swap(double *values, int i, int k)
{
    double value = values[i];
    values[i] = values[k];
    values[k] = value;
}

/* All orders of y from its place `from` on. */
static void count_all_orders(struct permutation *p, int from)
{
    if (from == p->count) {
        count_order(p);
        return;
    }
    for (int i = from; i < p->count; i++) {
        swap(p->y, from, i);
        count_all_orders(p, from + 1);
        swap(p->y, from, i);
    }
}

static void count_drawn_orders(struct permutation *p)
{
    struct rng rng;
    rng_init(&rng, 0, RNG_CONTEST, STREAM_PERMUTATION, (uint64_t)p->count);
    count_order(p);
    for (int k = 0; k < LADDER_DRAWS; k++) {
        for (int i = p->count - 1; i > 0; i--)
            swap(p->y, i, (int)rng_below(&rng, (uint32_t)i + 1));
        count_order(p);
    }
}

struct ladder_trend ladder_fit(const double *x, const double *y, int count)
{
    ENSURE(count >= 0 && count <= LADDER_RUNGS_MAX, "%d values", count);
    struct ladder_trend trend = {.count = count, .p = 1, .is_exact = count <= LADDER_EXACT_MAX};
    struct permutation p = {.x = x, .count = count};
    double spread = 0, reach = 0;
    for (int i = 0; i < count; i++)
        p.mean += x[i] / count;
    for (int i = 0; i < count; i++) {
        p.y[i] = y[i];
        spread += (x[i] - p.mean) * (x[i] - p.mean);
        reach += fabs((x[i] - p.mean) * y[i]);
    }
    if (!(spread > 0))
        return trend;
    p.bar = lean(x, y, count, p.mean) - SLOPE_TOLERANCE * reach;
    trend.slope = lean(x, y, count, p.mean) / spread;
    if (trend.is_exact)
        count_all_orders(&p, 0);
    else
        count_drawn_orders(&p);
    trend.p = p.above / p.all;
    return trend;
}

struct ladder_trend ladder_find_trend(const struct ladder *ladder, enum ladder_part part)
{
    double x[LADDER_RUNGS_MAX], y[LADDER_RUNGS_MAX];
    int count = 0;
    for (int i = 0; i < ladder->rung_count; i++) {
        y[count] = ladder_margin(ladder, part, i, -1);
        x[count] = ladder->rungs[i].generation;
        count += isfinite(y[count]);
    }
    return ladder_fit(x, y, count);
}

/* ---- champions among themselves ---- */

struct ladder_order ladder_find_order(const struct ladder *ladder, int rung)
{
    ENSURE(rung >= -1 && rung < ladder->rung_count, "rung %d of %d", rung, ladder->rung_count);
    struct ladder_order order = {0, 0, 0};
    for (int later = 1; later < ladder->rung_count; later++)
        for (int earlier = 0; earlier < later; earlier++) {
            if (rung >= 0 && later != rung)
                continue;
            double margin = ladder_margin(ladder, LADDER_CHAMPIONS, later, earlier);
            order.won += margin > 0;
            order.even += margin == 0;
            order.lost += margin < 0;
        }
    return order;
}

int ladder_count_triads(const struct ladder *ladder)
{
    int count = 0;
    struct league_bout *bouts = calloc((size_t)ladder->meeting_count + 1, sizeof *bouts);
    if (!bouts)
        return ERR_MEMORY;
    for (int i = 0; i < ladder->meeting_count; i++) {
        const struct ladder_meeting *meeting = &ladder->meetings[i];
        if (meeting->part == LADDER_CHAMPIONS)
            bouts[count++] = (struct league_bout){meeting->a, meeting->b, meeting->margin};
    }
    count = league_find_triads(bouts, count, ladder->rung_count, NULL, 0);
    free(bouts);
    return count;
}

/* ---- the numbers in words ---- */

/* Slopes with a greater p may be chance. */
#define P_CLEAR 0.05
/* The share of a population that touches the goal; where it is less, creatures hardly meet. */
#define TOUCHED_LEAST 0.1
/* Shares of cyclic triads among all triples: few, and as many as chance makes. */
#define TRIADS_FEW    0.05
#define TRIADS_CHANCE 0.25
/* The share of wins that the champion's exam asks for. */
#define EXAM_SHARE 0.8

static int is_clear_rise(const struct ladder_trend *trend)
{
    return trend->slope > 0 && trend->p < P_CLEAR;
}

enum { TREND_SIZE = 80 };

/* The trend of a part, and "rises by 0.012 a generation (p = 0.003)". */
static struct ladder_trend find_trend(const struct ladder *ladder, enum ladder_part part,
                                      char text[TREND_SIZE])
{
    struct ladder_trend trend = ladder_find_trend(ladder, part);
    snprintf(text, TREND_SIZE, "%s by %.2g a generation (p = %.2g)",
             trend.slope < 0 ? "falls" : "rises", fabs(trend.slope), trend.p);
    return trend;
}

static const char *meaning_of(struct ladder_order all, struct ladder_order last)
{
    if (all.lost >= all.won)
        return "later ones are no better than earlier ones";
    if (all.won < 2 * all.lost)
        return "later ones are hardly better";
    return last.lost >= last.won ? "the last one has lost what others could do"
                                 : "each beats most of those before it";
}

static void say_ancestors(const struct ladder *ladder, char text[LADDER_WORDS_SIZE])
{
    struct ladder_order all = ladder_find_order(ladder, -1);
    struct ladder_order last = ladder_find_order(ladder, ladder->rung_count - 1);
    snprintf(text, LADDER_WORDS_SIZE,
             "Later champions win %d pairs against earlier ones, draw %d and lose %d; the last "
             "one beats %d of %d: %s.",
             all.won, all.even, all.lost, last.won, ladder->rung_count - 1, meaning_of(all, last));
}

static void say_master(const struct ladder *ladder, char text[LADDER_WORDS_SIZE])
{
    char words[TREND_SIZE];
    struct ladder_trend trend = find_trend(ladder, LADDER_CHAMPIONS, words);
    snprintf(text, LADDER_WORDS_SIZE, "Against all other champions the mean margin %s: %s.", words,
             is_clear_rise(&trend) ? "progress that is more than chance"
             : trend.slope > 0     ? "that may be chance"
                                   : "no progress");
}

static void say_populations(const struct ladder *ladder, char text[LADDER_WORDS_SIZE])
{
    char words[TREND_SIZE];
    struct ladder_trend champions = ladder_find_trend(ladder, LADDER_CHAMPIONS);
    struct ladder_trend trend = find_trend(ladder, LADDER_POPULATIONS, words);
    double touched = ladder_touched(ladder, LADDER_POPULATIONS, ladder->rung_count - 1);
    int is_clear = is_clear_rise(&trend);
    if (ladder->settings.samples == 0) {
        snprintf(text, LADDER_WORDS_SIZE, "No members were drawn.");
        return;
    }
    snprintf(text, LADDER_WORDS_SIZE,
             "Of members that are drawn the mean margin %s: %s. Of the last ones %.0f %% touch the "
             "goal%s.",
             words,
             is_clear                    ? "not champions alone got better"
             : is_clear_rise(&champions) ? "champions alone got better"
                                         : "populations did not clearly get better",
             100 * touched,
             touched < TOUCHED_LEAST ? ": they hardly meet, so a win says little" : "");
}

static void say_control(const struct ladder *ladder, char text[LADDER_WORDS_SIZE])
{
    char words[TREND_SIZE];
    struct ladder_trend trend = find_trend(ladder, LADDER_CONTROL, words);
    snprintf(text, LADDER_WORDS_SIZE, "Where dice select, the mean margin %s: %s.", words,
             is_clear_rise(&trend)
                 ? "such a rise needs no selection, and that of the run says little"
                 : "selection makes the rise in the run");
}

/* The panel's words; none without a panel. */
static void put_panel(const struct ladder *ladder, char *text, size_t size)
{
    int panel;
    double first = ladder_won(ladder, LADDER_PANEL, 0, NULL);
    double now = ladder_won(ladder, LADDER_PANEL, ladder->rung_count - 1, &panel);
    text[0] = '\0';
    if (panel > 0)
        snprintf(text, size,
                 ", and %.0f of %d with a panel that no generation met; the first "
                 "champion won %.0f: %s",
                 now * panel, panel, first * panel,
                 now > first   ? "it is better with strangers, too"
                 : now < first ? "it is worse with strangers"
                               : "with strangers it is no better");
}

static void say_panel(const struct ladder *ladder, char text[LADDER_WORDS_SIZE])
{
    int rivals;
    double share = ladder_won(ladder, LADDER_RIVALS, ladder->rung_count - 1, &rivals);
    char words[LADDER_WORDS_SIZE / 2];
    put_panel(ladder, words, sizeof words);
    snprintf(text, LADDER_WORDS_SIZE,
             "The last champion wins %.0f of %d contests with the best of the first %d generations "
             "(%s four in five)%s.",
             rivals > 0 ? share * rivals : 0, rivals, ladder->rival_count,
             share >= EXAM_SHARE ? "at least" : "less than", words);
}

static void say_triads(const struct ladder *ladder, char text[LADDER_WORDS_SIZE])
{
    int n = ladder->rung_count, triads = ladder_count_triads(ladder);
    double triples = n * (n - 1.0) * (n - 2.0) / 6;
    snprintf(text, LADDER_WORDS_SIZE,
             "%d of %.0f triples of champions beat one another in a circle, by chance a quarter "
             "would: %s.",
             triads > 0 ? triads : 0, triples,
             triads <= TRIADS_FEW * triples     ? "there is an order of strength"
             : triads < TRIADS_CHANCE * triples ? "which one is stronger depends on the opponent"
                                                : "there is no order of strength");
}

void ladder_say(const struct ladder *ladder, enum ladder_topic topic, char text[LADDER_WORDS_SIZE])
{
    ENSURE((int)topic >= 0 && topic < LADDER_TOPIC_COUNT, "topic %d", (int)topic);
    static void (*const say[LADDER_TOPIC_COUNT])(const struct ladder *, char[]) = {
        [LADDER_SAY_ANCESTORS] = say_ancestors,
        [LADDER_SAY_MASTER] = say_master,
        [LADDER_SAY_POPULATIONS] = say_populations,
        [LADDER_SAY_CONTROL] = say_control,
        [LADDER_SAY_PANEL] = say_panel,
        [LADDER_SAY_TRIADS] = say_triads};
    say[topic](ladder, text);
}
