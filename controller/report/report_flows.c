/* Where a preserve's energy goes, and its families over time. The store is not trusted: amounts are
 * summed as doubles. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "controller/report/page.h"
#include "controller/report/report.h"

#define UJ_IN_J 1e6

/* ---- flows ---- */

enum node { SUN, PLANTS, GRAZERS, HUNTERS, CARRION, NODE_COUNT };
static const struct {
    const char *name;
    double x, y; /* of its middle, in the picture */
} nodes[NODE_COUNT] = {[SUN] = {"sun", 40, 110},
                       [PLANTS] = {"plants", 175, 110},
                       [GRAZERS] = {"grazers", 350, 50},
                       [HUNTERS] = {"hunters", 560, 110},
                       [CARRION] = {"carcasses", 350, 180}};
#define PICTURE_WIDTH  620.0
#define PICTURE_HEIGHT 210.0
#define NODE_HALF_X    38.0
#define NODE_HALF_Y    13.0
/* The stroke of the largest flow, px. */
#define STROKE_MOST 16.0
/* Where on its way a flow is labelled: at halves two would lie on one another. */
#define LABEL_AT 0.36

enum { FLOW_COUNT = 6 };
struct flows {
    double w[FLOW_COUNT]; /* of flow_ends */
    double heat_w, from_s, to_s;
};
static const struct {
    enum node from, to;
    int food; /* of EPOCH_eaten_plants_uj and on; -1: the sun */
} flow_ends[FLOW_COUNT] = {{SUN, PLANTS, -1},     {PLANTS, GRAZERS, 0},  {PLANTS, HUNTERS, 0},
                           {CARRION, GRAZERS, 1}, {CARRION, HUNTERS, 1}, {GRAZERS, HUNTERS, 2}};

/* Flesh digested, as a share of all food digested. */
static double hunters_share(const struct run_facts *facts, int food)
{
    double all = 0, theirs = 0;
    for (int i = 0; i < facts->life_count; i++) {
        double eaten = (double)facts->lives[i].gained_uj[food];
        all += eaten;
        theirs += facts->lives[i].is_hunter ? eaten : 0;
    }
    return all > 0 && theirs >= 0 && theirs <= all ? theirs / all : 0;
}

/* Finds the flows of the second half of the time. Returns whether there is one. */
static int find_flows(const struct run_facts *facts, struct flows *flows)
{
    struct report_course course;
    if (report_course_make(&course, facts))
        return 0;
    int last = course.count - 1, half = last / 2;
    if (last > 0) {
        flows->from_s = 60 * course.minutes[half];
        flows->to_s = 60 * course.minutes[last];
        flows->heat_w = report_course_rate(&course, half, last, EPOCH_heat_uj) / UJ_IN_J;
    }
    for (int i = 0; i < FLOW_COUNT && last > 0; i++) {
        int food = flow_ends[i].food, fact = food < 0 ? EPOCH_sun_uj : EPOCH_eaten_plants_uj + food;
        double share = food < 0 ? 1 : hunters_share(facts, food);
        if (flow_ends[i].to == GRAZERS)
            share = 1 - share;
        flows->w[i] = food == 2 ? 1 : share;
        flows->w[i] *= report_course_rate(&course, half, last, fact) / UJ_IN_J;
    }
    report_course_free(&course);
    return last > 0;
}

/* From edge to edge of two nodes, as wide as the flow is large. */
static void draw_flow(const struct flows *flows, int number, FILE *file)
{
    double largest = 0, w = flows->w[number];
    for (int i = 0; i < FLOW_COUNT; i++)
        largest = fmax(largest, flows->w[i]);
    if (!(w > 0) || !isfinite(w))
        return;
    enum node from = flow_ends[number].from, to = flow_ends[number].to;
    double dx = nodes[to].x - nodes[from].x, dy = nodes[to].y - nodes[from].y;
    double way = hypot(dx, dy), stroke = fmax(STROKE_MOST * w / largest, 1);
    double cut = fmin(NODE_HALF_X * way / fabs(dx), NODE_HALF_Y * way / fmax(fabs(dy), 1e-9));
    cut = dx == 0 ? NODE_HALF_Y : cut;
    double x1 = nodes[from].x + dx / way * cut, y1 = nodes[from].y + dy / way * cut;
    double x2 = nodes[to].x - dx / way * (cut + 7), y2 = nodes[to].y - dy / way * (cut + 7);
    fprintf(file,
            "<line class='s%d' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke-width='%.1f' "
            "stroke-opacity='.55'/>\n<path class='s%d' d='M%.1f %.1f l%.1f %.1f l%.1f %.1f z'/>\n"
            "<text class='tick' x='%.1f' y='%.1f' text-anchor='middle'>%.0f W</text>\n",
            number, x1, y1, x2, y2, stroke, number, x2 + 7 * dx / way, y2 + 7 * dy / way,
            -8 * dx / way - 5 * dy / way, -8 * dy / way + 5 * dx / way, 10 * dy / way,
            -10 * dx / way, x1 + LABEL_AT * (x2 - x1), y1 + LABEL_AT * (y2 - y1) - stroke / 2 - 3,
            w);
}

static void draw_flows(const struct flows *flows, FILE *file)
{
    fprintf(file,
            "<figure class='plot'><figcaption>From the sun to hunters, all worlds</figcaption>\n"
            "<svg viewBox='0 0 %g %g' role='img' data-axes='0 1 0 1' data-box='0 1 0 1' "
            "data-share='0' data-x='flow'>\n",
            PICTURE_WIDTH, PICTURE_HEIGHT);
    for (int i = 0; i < FLOW_COUNT; i++)
        draw_flow(flows, i, file);
    for (int i = 0; i < NODE_COUNT; i++)
        fprintf(file,
                "<rect class='grid' x='%g' y='%g' width='%g' height='%g' rx='5' fill='none'/>"
                "<text x='%g' y='%g' text-anchor='middle' font-size='13' fill='currentColor'>%s"
                "</text>\n",
                nodes[i].x - NODE_HALF_X, nodes[i].y - NODE_HALF_Y, 2 * NODE_HALF_X,
                2 * NODE_HALF_Y, nodes[i].x, nodes[i].y + 4, nodes[i].name);
    fprintf(file,
            "</svg>\n<p class='soft'>What is bitten off, before digestion, from minute %.4g to "
            "%.4g. In that time %.0f W became heat. The dead become carcasses.</p></figure>\n",
            flows->from_s / 60, flows->to_s / 60, flows->heat_w);
}

static void write_flows(const struct flows *flows, FILE *file)
{
    page_table(file, "from|to|#W|#of the sun's");
    for (int i = 0; i < FLOW_COUNT; i++)
        page_row(file, "%s|%s|#%.1f|#%.1f %%", nodes[flow_ends[i].from].name,
                 nodes[flow_ends[i].to].name, flows->w[i],
                 flows->w[0] > 0 ? 100 * flows->w[i] / flows->w[0] : 0);
    page_row(file, "all|heat|#%.1f|#%.1f %%", flows->heat_w,
             flows->w[0] > 0 ? 100 * flows->heat_w / flows->w[0] : 0);
    page_table_end(file);
}

/* ---- families ---- */

enum { FAMILIES_SHOWN = CHART_COLORS - 1, MOMENTS = 120 };

struct family {
    int64_t number;
    double lived_s;
};

ROW_ORDER(compare_numbers, struct family, ORDER(a->number, b->number));
ROW_ORDER(compare_lived, struct family,
          2 * ORDER(b->lived_s, a->lived_s) + ORDER(a->number, b->number));

static double end_of(const struct store_life *life, double end_s)
{
    return life->is_dead ? life->died_s : end_s;
}

/* Families by the time that all of them lived, the largest first. Returns how many there are. */
static int rank_families(const struct run_facts *facts, double end_s, struct family *families)
{
    int count = 0;
    for (int i = 0; i < facts->life_count; i++) {
        double lived_s = end_of(&facts->lives[i], end_s) - facts->lives[i].born_s;
        families[i] = (struct family){facts->lives[i].family, lived_s > 0 ? lived_s : 0};
    }
    qsort(families, (size_t)facts->life_count, sizeof families[0], compare_numbers);
    for (int i = 0; i < facts->life_count; i++) {
        if (count > 0 && families[count - 1].number == families[i].number)
            families[count - 1].lived_s += families[i].lived_s;
        else
            families[count++] = families[i];
    }
    qsort(families, (size_t)count, sizeof families[0], compare_lived);
    return count;
}

/* How many of each family live at each moment; the last row has all others. */
static void count_living(const struct run_facts *facts, const struct family *families, int shown,
                         double end_s, double (*rows)[MOMENTS])
{
    for (int i = 0; i < facts->life_count; i++) {
        const struct store_life *life = &facts->lives[i];
        int row = 0;
        while (row < shown && families[row].number != life->family)
            row++;
        for (int k = 0; k < MOMENTS; k++) {
            double at_s = end_s * k / (MOMENTS - 1);
            rows[row][k] += life->born_s <= at_s && end_of(life, end_s) >= at_s;
        }
    }
}

static int draw_families(const struct run_facts *facts, const struct family *families, int count,
                         double end_s, FILE *file)
{
    double(*rows)[MOMENTS] = calloc(FAMILIES_SHOWN + 2, sizeof *rows);
    double *minutes = rows ? rows[FAMILIES_SHOWN + 1] : NULL;
    int shown = count < FAMILIES_SHOWN ? count : FAMILIES_SHOWN;
    struct chart_series series[FAMILIES_SHOWN + 1];
    char names[FAMILIES_SHOWN + 1][32] = {""};
    struct chart chart = {.file = file,
                          .title = "Living creatures by family, all worlds",
                          .meaning = "A layer that swallows the others is a family that takes "
                                     "over. The last has all families that are not named.",
                          .x_name = "simulated minutes",
                          .is_stack = 1,
                          .is_count = 1};
    if (!rows)
        return ERR_MEMORY;
    count_living(facts, families, shown, end_s, rows);
    for (int i = 0; i <= shown; i++) {
        snprintf(names[i], sizeof names[i], i < shown ? "family %lld" : "others",
                 (long long)families[i < shown ? i : 0].number);
        series[i] = (struct chart_series){names[i], i, rows[i]};
    }
    for (int k = 0; k < MOMENTS; k++)
        minutes[k] = end_s * k / (MOMENTS - 1) / 60;
    page_figure(&chart, minutes, series, shown + 1, MOMENTS);
    free(rows);
    return 0;
}

static int write_families(const struct run_facts *facts, FILE *file)
{
    double end_s = 0;
    for (int i = 0; i < facts->life_count; i++) {
        double at_s = facts->lives[i].is_dead ? facts->lives[i].died_s : facts->lives[i].born_s;
        if (at_s < 1e9)
            end_s = fmax(end_s, at_s);
    }
    struct family *families = calloc((size_t)facts->life_count + 1, sizeof *families);
    if (!families)
        return ERR_MEMORY;
    int count = rank_families(facts, end_s, families), status = 0;
    if (count > 0 && end_s > 0)
        status = draw_families(facts, families, count, end_s, file);
    free(families);
    return status;
}

int report_write_flows(const struct report *report, FILE *file)
{
    struct flows flows;
    int has_flows = find_flows(&report->facts, &flows);
    fputs("<div class='plots'>\n", file);
    if (has_flows)
        draw_flows(&flows, file);
    int status = write_families(&report->facts, file);
    fputs("</div>\n", file);
    if (has_flows)
        write_flows(&flows, file);
    return status;
}

/* ---- family trees ----
 *
 * The largest families that live at the end, and for each some of the
 * mothers between its founder and the living one of the highest generation. Bodies are known of
 * those that lived when a state was kept. */

/* By family, the highest generation first. */
ROW_ORDER(compare_families, struct store_life *const,
          4 * ORDER((*a)->family, (*b)->family) + 2 * ORDER((*b)->generation, (*a)->generation) +
              ORDER((*a)->id, (*b)->id));

/* The largest first; of equals the first number. */
ROW_ORDER(compare_sizes, struct report_family,
          2 * ORDER(b->living, a->living) + ORDER(a->number, b->number));

/* Up to REPORT_MEMBERS_MAX of a line, evenly apart; `line` is room for all lives. */
static void choose_members(struct report_family *family, const struct run_facts *facts,
                           const struct store_life *youngest, const struct store_life **line)
{
    int length = 0;
    for (const struct store_life *one = youngest; one; one = run_facts_mother(facts, one))
        if (run_facts_has_body(facts, one))
            line[length++] = one;
    family->count = length < REPORT_MEMBERS_MAX ? length : REPORT_MEMBERS_MAX;
    for (int i = 0; i < family->count; i++) {
        int from_end = family->count > 1 ? i * (length - 1) / (family->count - 1) : 0;
        family->members[i] = line[length - 1 - from_end];
    }
}

/* The families of the living, in the order of compare_families(); the largest are left in
 * the report. */
static void keep_largest(struct report *report, const struct store_life **living, int count,
                         const struct store_life **line)
{
    struct report_family kept[REPORT_FAMILIES_MAX + 1];
    int kept_count = 0;
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && living[next]->family == living[i]->family;)
            next++;
        kept[kept_count] = (struct report_family){.number = living[i]->family, .living = next - i};
        choose_members(&kept[kept_count++], &report->facts, living[i], line);
        qsort(kept, (size_t)kept_count, sizeof kept[0], compare_sizes);
        kept_count = kept_count > REPORT_FAMILIES_MAX ? REPORT_FAMILIES_MAX : kept_count;
    }
    for (int i = 0; i < kept_count; i++)
        report->families[i] = kept[i];
    report->family_count = kept_count;
}

int report_find_families(struct report *report)
{
    const struct run_facts *facts = &report->facts;
    size_t room = (size_t)facts->life_count + 1;
    const struct store_life **living = calloc(room, sizeof *living);
    const struct store_life **line = calloc(room, sizeof *line);
    int count = 0;
    for (int i = 0; living && i < facts->life_count; i++)
        if (!facts->lives[i].is_dead)
            living[count++] = &facts->lives[i];
    if (living && line) {
        qsort(living, (size_t)count, sizeof *living, compare_families);
        keep_largest(report, living, count, line);
    }
    int status = living && line ? 0 : ERR_MEMORY;
    free(living);
    free(line);
    return status;
}

static void write_member(const struct report *report, const struct store_life *life, FILE *file)
{
    fputs("<div class='card'>", file);
    report_write_picture(report, file, life->id);
    fprintf(file,
            "<p><b>creature %" PRIu64 "</b><br>born after %.1f min, generation %" PRId64
            "<br>%" PRId64 " part%s, %.2f m\u00b2%s, %" PRId64 " child%s%s</p></div>\n",
            life->id, life->born_s / 60, life->generation, life->part_count,
            life->part_count == 1 ? "" : "s", life->area_m2, life->is_hunter ? ", hunts" : "",
            life->children, life->children == 1 ? "" : "ren", life->is_dead ? "" : "; it lives");
}

int report_write_families(const struct report *report, FILE *file)
{
    for (int i = 0; i < report->family_count; i++) {
        const struct report_family *family = &report->families[i];
        fprintf(file, "<h3>Family %" PRId64 ": %d living</h3>\n<div class='cards'>\n",
                family->number, family->living);
        for (int k = 0; k < family->count; k++)
            write_member(report, family->members[k], file);
        fputs("</div>\n", file);
    }
    fputs(report->family_count > 0
              ? "<p class='soft'>The largest families of the living. Of each the first mother, the "
                "living one of the highest generation, and some of the mothers between them that "
                "lived when a state was kept. <code>controller save RUN_DIR NUMBER</code> makes a "
                "file of each.</p>\n"
              : "<p>No creature lives.</p>\n",
          file);
    return 0;
}
