/* Explains the numbers of a ladder, a sentence or two for each picture. */
#include <math.h>
#include <stdio.h>

#include "controller/analysis/ladder.h"

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
