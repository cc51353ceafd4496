/* The report of a preserve: its worlds over time, where their energy goes, and their lives. The
 * store is not trusted: an epoch that not all worlds have is left out, and a mother is of an
 * earlier generation than her child. */
#include <inttypes.h>
#include <stdlib.h>

#include "controller/report/page.h"
#include "controller/report/report.h"

/* Rows of the tables of lives. */
#define LIVES_SHOWN 10
/* A line of mothers has up to so many numbers. */
#define MOTHERS_SHOWN 40

#define UJ_IN_J  1e6
#define UJ_IN_KJ 1e9

/* Whether the rows from here on are one epoch of all worlds. */
static int is_whole(const struct run_facts *facts, int first, int world_count)
{
    if (facts->epoch_count - first < world_count)
        return 0;
    const struct store_epoch_row *rows = &facts->epochs[first];
    for (int k = 0; k < world_count; k++)
        if (rows[k].epoch != rows[0].epoch || rows[k].world != (uint32_t)k)
            return 0;
    return 1;
}

void report_course_free(struct report_course *course)
{
    free(course->rows);
    free(course->minutes);
}

int report_course_make(struct report_course *course, const struct run_facts *facts)
{
    size_t most = (size_t)facts->epoch_count + 1;
    *course = (struct report_course){.world_count = (int)facts->params.preserve_worlds,
                                     .rows = calloc(most, sizeof *course->rows),
                                     .minutes = calloc(most, sizeof *course->minutes)};
    if (!course->rows || !course->minutes) {
        report_course_free(course);
        return ERR_MEMORY;
    }
    for (int i = 0; i < facts->epoch_count; i++) {
        if (!is_whole(facts, i, course->world_count))
            continue;
        course->rows[course->count] = &facts->epochs[i];
        course->minutes[course->count++] = facts->epochs[i].epoch * EPOCH_S / 60;
        i += course->world_count - 1;
    }
    return 0;
}

/* The sum of one world, or of all: world -1. */
static double sum_fact(const struct report_course *course, int at, int world, int fact)
{
    double sum = 0;
    for (int k = 0; k < course->world_count; k++)
        if (world < 0 || k == world)
            sum += (double)course->rows[at][k].facts[fact];
    return sum;
}

double report_course_rate(const struct report_course *course, int from, int to, int fact)
{
    double span_s = 60 * (course->minutes[to] - course->minutes[from]);
    return (sum_fact(course, to, -1, fact) - sum_fact(course, from, -1, fact)) / span_s;
}

/* ---- plots ---- */

struct plot_line {
    const char *name;
    int fact;
};

/* One fact has a line for each world, several are sums over all worlds. */
struct plot {
    const char *title, *meaning;
    int is_stack, is_rate;
    double unit;
    struct plot_line lines[5];
};

#define PLOT(title, meaning, is_stack, is_rate, unit, ...)                                         \
    {                                                                                              \
        title, meaning, is_stack, is_rate, unit,                                                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct plot plots[] = {
    PLOT("Living creatures", "The line of a world that dies out falls to 0.", 0, 0, 1,
         {NULL, EPOCH_living}),
    PLOT("Hunters", "So many of the living bite the living: a way of life that comes and goes.", 0,
         0, 1, {NULL, EPOCH_hunters}),
    PLOT("Families",
         "Founders with living descendants. They become fewer by chance alone, and rise only where "
         "an egg drifts in.",
         0, 0, 1, {NULL, EPOCH_families}),
    PLOT("Deaths so far, all worlds",
         "The layer that grows is what kills: mouths are hunters, guards end impossible "
         "motions.",
         1, 0, 1, {"hunger", EPOCH_died_of_hunger}, {"age", EPOCH_died_of_age},
         {"mouths", EPOCH_died_of_mouths}, {"guards", EPOCH_died_of_guards},
         {"strain", EPOCH_died_of_strain}),
    PLOT("What is eaten, all worlds (W)",
         "Before digestion. Plants feed grazers, carrion any that finds it, the living hunters.", 0,
         1, UJ_IN_J, {"plants", EPOCH_eaten_plants_uj}, {"carrion", EPOCH_eaten_carrion_uj},
         {"the living", EPOCH_eaten_living_uj}),
    PLOT("Sun and heat, all worlds (W)",
         "The sun is what plants gain, heat what is lost for ever. Where heat is above, the worlds "
         "live on what they stored.",
         0, 1, UJ_IN_J, {"sun", EPOCH_sun_uj}, {"heat", EPOCH_heat_uj}),
    PLOT("Where energy is, all worlds (kJ)",
         "A thin layer of plants is a water that is grazed bare.", 1, 0, UJ_IN_KJ,
         {"plants", EPOCH_plants_uj}, {"reserves", EPOCH_reserves_uj}, {"bodies", EPOCH_bodies_uj},
         {"eggs", EPOCH_eggs_uj}, {"carcasses", EPOCH_carcasses_uj})};
enum { PLOT_COUNT = sizeof plots / sizeof plots[0] };

static int count_lines(const struct plot *plot, const struct report_course *course)
{
    int count = 0;
    if (!plot->lines[0].name)
        return course->world_count < CHART_COLORS ? course->world_count : CHART_COLORS;
    while (count < 5 && plot->lines[count].name)
        count++;
    return count;
}

/* Values of all lines, one behind the other. */
static void fill_lines(const struct plot *plot, const struct report_course *course, int line_count,
                       double *values)
{
    for (int k = 0; k < line_count; k++)
        for (int i = 0; i < course->count; i++) {
            int fact = plot->lines[plot->lines[0].name ? k : 0].fact;
            double value = plot->is_rate ? report_course_rate(course, i > 0 ? i - 1 : 0, i, fact)
                                         : sum_fact(course, i, plot->lines[0].name ? -1 : k, fact);
            values[(size_t)k * (size_t)course->count + (size_t)i] = value / plot->unit;
        }
}

static int draw_plot(const struct plot *plot, const struct report_course *course, FILE *file)
{
    struct chart_series series[CHART_COLORS];
    char names[CHART_COLORS][16];
    int line_count = count_lines(plot, course);
    double *values = calloc((size_t)line_count * (size_t)course->count + 1, sizeof *values);
    if (!values)
        return ERR_MEMORY;
    fill_lines(plot, course, line_count, values);
    for (int k = 0; k < line_count; k++) {
        snprintf(names[k], sizeof names[k], "world %d", k);
        series[k] = (struct chart_series){plot->lines[0].name ? plot->lines[k].name : names[k], k,
                                          values + (size_t)k * (size_t)course->count};
    }
    struct chart chart = {.file = file,
                          .title = plot->title,
                          .meaning = plot->meaning,
                          .x_name = "simulated minutes",
                          .is_stack = plot->is_stack,
                          .is_count = plot->unit == 1};
    page_figure(&chart, course->minutes, series, line_count, course->count);
    free(values);
    return 0;
}

/* ---- the worlds ---- */

/* Numbers, and behind them energies, which are shown in kJ. */
static const int columns[] = {
    EPOCH_living,         EPOCH_eggs,           EPOCH_families,        EPOCH_hunters,
    EPOCH_births,         EPOCH_died_of_hunger, EPOCH_died_of_age,     EPOCH_died_of_mouths,
    EPOCH_died_of_guards, EPOCH_died_of_strain, EPOCH_eaten_plants_uj, EPOCH_eaten_carrion_uj,
    EPOCH_eaten_living_uj};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0], ENERGY_COLUMN = 10 };

static void write_table(const struct report_course *course, FILE *file)
{
    const struct store_epoch_row *rows = course->rows[course->count - 1];
    fprintf(file, "<h3>The worlds after %.4g minutes</h3>\n", course->minutes[course->count - 1]);
    page_table(file, "#world|#living|#eggs|#families|#hunters|#births|#died of hunger|#age|#mouths|"
                     "#guards|#strain|#plants eaten, kJ|#carrion, kJ|#the living, kJ");
    for (int k = 0; k < course->world_count; k++) {
        fputs("<tr>", file);
        page_cells(file, "#%d", k);
        for (int c = 0; c < COLUMN_COUNT; c++)
            page_cells(file, "#%.0f",
                       (double)rows[k].facts[columns[c]] / (c < ENERGY_COLUMN ? 1 : UJ_IN_KJ));
        fputs("</tr>\n", file);
    }
    page_table_end(file);
    page_note(file, "Deaths, births and what was eaten are sums since the beginning.");
}

static void write_ledger(const struct run_facts *facts, FILE *file)
{
    for (int i = 0; i < facts->epoch_count; i++) {
        int64_t imbalance = epoch_imbalance(facts->epochs[i].facts);
        if (imbalance == 0)
            continue;
        fprintf(file,
                "<p class='bad'>Energy does not add up after epoch %" PRIu32 " of world %" PRIu32
                ": %" PRId64 " uJ too much.</p>\n",
                facts->epochs[i].epoch, facts->epochs[i].world, imbalance);
        return;
    }
    fputs("<p>Energy adds up to the microjoule after every epoch of every world.</p>\n", file);
}

int report_write_worlds(const struct report *report, FILE *file)
{
    struct report_course course;
    int status = report_course_make(&course, &report->facts);
    if (status)
        return status;
    if (course.count == 0)
        fputs("<p>No epoch is over in all worlds yet.</p>\n", file);
    for (int i = 0; i < PLOT_COUNT && course.count > 0 && !status; i++) {
        fputs(i == 0 ? "<div class='plots'>\n" : "", file);
        status = draw_plot(&plots[i], &course, file);
        fputs(i == PLOT_COUNT - 1 ? "</div>\n" : "", file);
    }
    if (course.count > 0 && course.world_count > CHART_COLORS)
        page_note(file, "Lines by world are those of the first %d; the table has all %d.",
                  CHART_COLORS, course.world_count);
    if (course.count > 0) {
        write_table(&course, file);
        write_ledger(&report->facts, file);
    }
    report_course_free(&course);
    return status;
}

/* ---- key figures ---- */

void report_write_preserve_figures(const struct report *report, FILE *file)
{
    static const struct plot_line tiles[] = {{"living", EPOCH_living},
                                             {"births, founders among them", EPOCH_births}};
    struct report_course course;
    if (report_course_make(&course, &report->facts))
        return;
    page_tile(file, "worlds", "%d", course.world_count);
    page_tile(file, "of each", "%.4g min", course.count ? course.minutes[course.count - 1] : 0);
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0] && course.count > 0; i++)
        page_tile(file, tiles[i].name, "%.0f",
                  sum_fact(&course, course.count - 1, -1, tiles[i].fact));
    report_course_free(&course);
}

/* ---- lives ---- */

/* Begins the row of a life, with the cells that both tables have. */
static void begin_life(const struct store_life *life, FILE *file)
{
    char born[16], died[16];
    fputs("<tr>", file);
    page_cells(file, "#%" PRIu64 "|#%" PRIu32 "|#%" PRId64 "|%s|#%s|#%s|%s|#%" PRId64 "|#%" PRId64,
               life->id, life->world, life->family, life->is_hunter ? "hunts" : "",
               page_time(life->born_s, born), life->is_dead ? page_time(life->died_s, died) : "",
               life->cause >= 0 && life->cause < EPOCH_CAUSE_COUNT ? epoch_cause_names[life->cause]
               : life->is_dead                                     ? "?"
                                                                   : "it lives",
               life->children, life->generation);
}

#define LIFE_COLUMNS "#creature|#world|#family||#born|#died|of|#children|#generation"

/* Its mothers, the youngest first. */
static void write_mothers(const struct run_facts *facts, const struct store_life *life, FILE *file)
{
    int count = 0;
    fputs("<td class='long'>", file);
    while ((life = run_facts_mother(facts, life)) != NULL && count++ < MOTHERS_SHOWN)
        fprintf(file, "%s%" PRIu64, count > 1 ? ", " : "", life->id);
    fputs(life ? ", ...</td>" : "</td>", file);
}

ROW_ORDER(compare_children, struct store_life *const,
          2 * ORDER((*b)->children, (*a)->children) + ORDER((*a)->id, (*b)->id));
ROW_ORDER(compare_generations, struct store_life *const,
          2 * ORDER((*b)->generation, (*a)->generation) + ORDER((*a)->id, (*b)->id));

/* The first lives in an order; of the deepest one of each family, with its mothers. */
static void write_table_of_lives(const struct run_facts *facts, const struct store_life **lives,
                                 int is_deepest, FILE *file)
{
    int64_t shown[LIVES_SHOWN];
    int shown_count = 0;
    qsort(lives, (size_t)facts->life_count, sizeof *lives,
          is_deepest ? compare_generations : compare_children);
    fputs(is_deepest ? "<h3>Longest lineages</h3>\n" : "<h3>Most children</h3>\n", file);
    page_table(file, is_deepest ? LIFE_COLUMNS "|its mother, her mother, ..." : LIFE_COLUMNS);
    for (int i = 0; i < facts->life_count && shown_count < LIVES_SHOWN; i++) {
        int is_left_out = (is_deepest ? lives[i]->generation : lives[i]->children) <= 0;
        for (int k = 0; k < shown_count && is_deepest; k++)
            is_left_out |= shown[k] == lives[i]->family;
        if (is_left_out)
            continue;
        shown[shown_count++] = lives[i]->family;
        begin_life(lives[i], file);
        if (is_deepest)
            write_mothers(facts, lives[i], file);
        fputs("</tr>\n", file);
    }
    page_table_end(file);
}

int report_write_lives(const struct report *report, FILE *file)
{
    const struct run_facts *facts = &report->facts;
    size_t count = (size_t)facts->life_count;
    report_write_problem(report, file);
    if (count == 0) {
        fputs("<p>No creature has hatched yet.</p>\n", file);
        return 0;
    }
    const struct store_life **lives = calloc(count, sizeof *lives);
    if (!lives)
        return ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        lives[i] = &facts->lives[i];
    write_table_of_lives(facts, lives, 1, file);
    page_note(file, "One of each family, the first that came so far. Founders are generation 0.");
    write_table_of_lives(facts, lives, 0, file);
    free(lives);
    return 0;
}
