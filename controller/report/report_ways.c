/* How creatures of a preserve lived: ways of living by what they ate, traits over time, and the
 * moments at which something was there for the first time. The store is not trusted: amounts are
 * summed as doubles, times are looked at before they are printed. */
#include <inttypes.h>
#include <math.h>

#include "controller/report/page.h"
#include "controller/report/report.h"

/* Lives are divided by how much of what they digested was flesh. */
static const struct way {
    const char *name;
    double least, most; /* of that share; the least is in, the most is not */
} ways[] = {{"grazers", 0, 0.2}, {"eat both", 0.2, 0.5}, {"flesh eaters", 0.5, HUGE_VAL}};
enum { WAY_COUNT = sizeof ways / sizeof ways[0] };
/* A way of living is one where so much of what is eaten goes to it. */
#define WAY_SHARE 0.1
/* Spans of time of the table of traits. */
enum { SPAN_COUNT = 8 };

#define UJ_IN_J 1e6

static double eaten_of(const struct store_life *life)
{
    double sum = 0;
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        sum += (double)life->gained_uj[i];
    return sum;
}

/* Sums over lives. */
struct tally {
    int count, child_count;
    double eaten[EPOCH_FOOD_COUNT], all, area_m2, parts, way_m, depth_m, age_s;
};

static void tally_add(struct tally *t, const struct store_life *life)
{
    t->count++;
    t->child_count += life->children > 0;
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        t->eaten[i] += (double)life->gained_uj[i];
    t->all += eaten_of(life);
    t->area_m2 += life->area_m2;
    t->parts += (double)life->part_count;
    t->way_m += life->way_m;
    t->depth_m += life->depth_m;
    t->age_s += life->died_s - life->born_s;
}

/* ---- ways of living ---- */

static void write_way(const struct way *way, const struct tally *t, double all, FILE *file)
{
    double flesh = 1 - t->eaten[0] / t->all;
    page_row(file, "%s|#%d|#%.0f %%|#%.0f %%|#%.0f %%|#%.1f|#%.2f|#%.1f|#%.2f|#%.0f|#%.0f %%",
             way->name, t->count, 100 * t->all / all, 100 * t->eaten[1] / t->all,
             100 * t->eaten[2] / t->all, 2 + flesh, t->area_m2 / t->count, t->parts / t->count,
             t->way_m / t->age_s, t->age_s / t->count, 100.0 * t->child_count / t->count);
}

static void write_ways(const struct run_facts *facts, FILE *file)
{
    struct tally tallies[WAY_COUNT] = {{0}};
    double all = 0;
    int found = 0;
    for (int i = 0; i < facts->life_count; i++)
        for (int w = 0; w < WAY_COUNT && facts->lives[i].is_dead; w++) {
            /* the share of flesh in it; plants are the first food */
            double eaten = eaten_of(&facts->lives[i]);
            double share = 1 - (double)facts->lives[i].gained_uj[0] / eaten;
            if (eaten <= 0 || share < ways[w].least || share >= ways[w].most)
                continue;
            tally_add(&tallies[w], &facts->lives[i]);
            all += eaten;
        }
    fputs("<h3>Ways of living</h3>\n", file);
    page_table(file, "|#lives|#of all food|#theirs is carrion|#the living|#trophic level|#body, m²|"
                     "#parts|#speed, m/s|#age, s|#with children");
    for (int w = 0; w < WAY_COUNT; w++) {
        found += tallies[w].count > 0 && tallies[w].all >= WAY_SHARE * all;
        if (tallies[w].count > 0)
            write_way(&ways[w], &tallies[w], all, file);
    }
    page_table_end(file);
    page_note(file,
              "Of the dead, by what they digested: grazers less than a fifth flesh, flesh eaters "
              "half or more. Plants are at trophic level 1, their eaters at 2, eaters of those at "
              "3. Ways of living with a tenth of all food or more: %d.",
              found);
}

/* ---- traits ---- */

static void write_traits(const struct run_facts *facts, FILE *file)
{
    struct tally tallies[SPAN_COUNT] = {{0}};
    double end_s = 0;
    for (int i = 0; i < facts->life_count; i++)
        if (facts->lives[i].is_dead && facts->lives[i].died_s < 1e9)
            end_s = fmax(end_s, facts->lives[i].died_s);
    for (int i = 0; i < facts->life_count; i++) {
        const struct store_life *life = &facts->lives[i];
        if (!life->is_dead || !(life->died_s >= 0 && life->died_s <= end_s))
            continue;
        int span = (int)(SPAN_COUNT * life->died_s / (end_s + 1e-9));
        tally_add(&tallies[span < SPAN_COUNT ? span : SPAN_COUNT - 1], life);
    }
    fputs("<h3>Traits of the dead over time</h3>\n", file);
    page_table(file,
               "#minutes|#deaths|#body, m²|#parts|#speed, m/s|#depth, m|#flesh eaten|#age, s");
    for (int k = 0; k < SPAN_COUNT; k++) {
        const struct tally *t = &tallies[k];
        char depth[32] = "-";
        if (t->count == 0)
            continue;
        if (isfinite(t->depth_m))
            snprintf(depth, sizeof depth, "%.2f", t->depth_m / t->count);
        page_row(file, "#%.1f - %.1f|#%d|#%.2f|#%.1f|#%.2f|#%s|#%.0f %%|#%.0f",
                 k * end_s / SPAN_COUNT / 60, (k + 1) * end_s / SPAN_COUNT / 60, t->count,
                 t->area_m2 / t->count, t->parts / t->count, t->age_s > 0 ? t->way_m / t->age_s : 0,
                 depth, t->all > 0 ? 100 * (1 - t->eaten[0] / t->all) : 0, t->age_s / t->count);
    }
    page_table_end(file);
}

/* ---- moments ---- */

/* The end of a life, or its birth, of a kind; the first of the kind is shown. */
static const struct moment {
    const char *name;
    int cause, food; /* of the dead: what killed it; of what it ate more than half; -1: any */
    int generation;  /* of the births: its least; 0: the deaths */
    int is_larger;   /* of the births: with more parts than all founders of all worlds had */
} moments[] = {{"the first that mouths killed", 2, -1, 0, 0},
               {"the first that died of age", 1, -1, 0, 0},
               {"the first that lived on the living", -1, 2, 0, 0},
               {"the first that lived on carrion", -1, 1, 0, 0},
               {"the first of generation 10", -1, -1, 10, 0},
               {"the first with more parts than any founder", -1, -1, 0, 1}};
enum { MOMENT_COUNT = sizeof moments / sizeof moments[0] };

/* `most`: parts of a founder. */
static int is_one(const struct moment *moment, const struct store_life *life, int64_t most)
{
    if (moment->generation || moment->is_larger)
        return moment->is_larger ? life->part_count > most : life->generation >= moment->generation;
    return life->is_dead && (moment->cause < 0 || life->cause == moment->cause) &&
           (moment->food < 0 || 2.0 * (double)life->gained_uj[moment->food] > eaten_of(life));
}

static double time_of(const struct moment *moment, const struct store_life *life)
{
    return moment->generation || moment->is_larger ? life->born_s : life->died_s;
}

/* A few seconds before it, as `view` wants it. */
static void write_moment(const char *name, const struct store_life *life, double at_s, FILE *file)
{
    int from_s = at_s > 5 ? (int)at_s - 5 : 0;
    page_row(file,
             "%s|#%" PRIu64 "|#%d:%02d|`controller view RUN_DIR --world %" PRIu32 " --from %d:%02d",
             name, life->id, (int)at_s / 60, (int)at_s % 60, life->world, from_s / 60, from_s % 60);
}

static void write_firsts(const struct run_facts *facts, FILE *file)
{
    int64_t most = 0;
    for (int i = 0; i < facts->life_count; i++)
        if (facts->lives[i].generation == 0 && facts->lives[i].part_count > most)
            most = facts->lives[i].part_count;
    for (int m = 0; m < MOMENT_COUNT; m++) {
        const struct store_life *first = NULL;
        for (int i = 0; i < facts->life_count; i++) {
            const struct store_life *life = &facts->lives[i];
            double at_s = time_of(&moments[m], life);
            if (is_one(&moments[m], life, most) && at_s >= 0 && at_s < 1e9 &&
                (!first || at_s < time_of(&moments[m], first)))
                first = life;
        }
        if (first)
            write_moment(moments[m].name, first, time_of(&moments[m], first), file);
    }
}

int report_write_ways(const struct report *report, FILE *file)
{
    const struct run_facts *facts = &report->facts;
    write_ways(facts, file);
    write_traits(facts, file);
    fputs("<h3>When something was new</h3>\n", file);
    page_table(file, "|#creature|#at|to see it");
    write_firsts(facts, file);
    page_table_end(file);
    page_note(file,
              "Add <code>--export FILE</code>, such as film.mp4 with <code>--to M:SS</code>.");
    return 0;
}
