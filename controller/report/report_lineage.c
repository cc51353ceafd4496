/* The report's champions: their pictures, the table of the best, and the lineage. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/html.h"
#include "common/judge/behaviour.h"
#include "common/text.h"
#include "controller/report/report.h"

/* The tree, px. */
#define TREE_WIDTH    920.0
#define TREE_MARGIN   70.0
#define LANE_HEIGHT   104.0
#define TREE_TOP      78.0
#define THUMB_WIDTH   96.0
#define THUMB_HEIGHT  60.0
#define THUMB_SPACING 104.0
/* In a larger tree only those with a picture are drawn as points. */
#define NODES_DRAWN 500

void report_write_picture(const struct report *report, FILE *file, uint64_t id)
{
    const struct report_picture *picture = report_gallery_find(&report->gallery, id);
    if (!picture || !picture->png) {
        fputs("<span class='pic none'></span>", file);
        return;
    }
    int is_played = picture->number >= 0;
    if (is_played)
        fprintf(file, "<button type='button' class='pic' data-play='%d' title='play %" PRIu64 "'>",
                picture->number, id);
    else
        fputs("<span class='pic'>", file);
    fprintf(file,
            "<svg viewBox='0 0 %d %d' role='img' aria-label='creature %" PRIu64
            "'><use href='#c%" PRIu64 "'/></svg>%s",
            REPORT_PICTURE_WIDTH, REPORT_PICTURE_HEIGHT, id, id,
            is_played ? "</button>" : "</span>");
}

static void write_replay_status(const struct report *report, FILE *file, uint64_t id)
{
    const struct report_picture *picture = report_gallery_find(&report->gallery, id);
    if (!picture || !picture->status[0])
        return;
    int is_good = !strcmp(picture->status, "verified");
    int is_bad = !strcmp(picture->status, "differs");
    html_print(file, "<span class='status %s'>%s</span>",
               is_good  ? "good"
               : is_bad ? "bad"
                        : "warn",
               picture->status);
}

/* ---- what was chosen by hand ---- */

void report_print_choices(const struct report *report, uint64_t id, int choice, char *text,
                          size_t size)
{
    const struct run_facts *facts = &report->facts;
    text[0] = '\0';
    for (int i = 0; i < facts->choice_count && strlen(text) + 32 < size; i++) {
        uint32_t first = facts->choices[i].generation, last = first;
        if (facts->choices[i].id != id || facts->choices[i].choice != choice ||
            (first > 0 && run_facts_choice(facts, first - 1, id) == choice))
            continue;
        while (last < UINT32_MAX && run_facts_choice(facts, last + 1, id) == choice)
            last++;
        text_append(text, size, "%s%" PRIu32, *text ? ", " : " in ", first);
        if (last > first)
            text_append(text, size, "-%" PRIu32, last);
    }
}

static const int marks[] = {CHOICE_BREED, CHOICE_KEEP, CHOICE_BAN};
#define MARK_COUNT ((int)(sizeof marks / sizeof marks[0]))

static void mark_champion(const struct report *report, FILE *file, uint64_t id)
{
    const struct store_champion *champion = &report->facts.status.champion;
    if (champion->holds && champion->id == id)
        fputs(" <span class='status good'>champion</span>", file);
}

enum { MARK_SIZE = 160 };

/* "breed": the next of what was ever wished of it, the strongest first, and in which generations;
 * "": no more. *number begins with 0. */
static const char *next_mark(const struct report *report, uint64_t id, int *number,
                             char generations[MARK_SIZE])
{
    while (*number < MARK_COUNT) {
        int mark = marks[(*number)++];
        report_print_choices(report, id, mark, generations, MARK_SIZE);
        if (generations[0])
            return choice_name(mark);
    }
    return "";
}

static void write_marks(const struct report *report, FILE *file, uint64_t id)
{
    char generations[MARK_SIZE];
    const char *mark;
    mark_champion(report, file, id);
    for (int i = 0; *(mark = next_mark(report, id, &i, generations));)
        fprintf(file, " <span class='mark %s'>%s%s</span>", mark, mark, generations);
}

static int has_no_goal(const struct report *report)
{
    return !run_has_goal(&report->facts.params);
}

/* ---- champions ---- */

/* The recorded score, and where trials have made that less, its own, which a replay repeats. */
static void write_fitness(const struct report *report, FILE *file, const struct store_entry *entry)
{
    double own = behaviour_fitness(entry->verdict, &entry->measures, &report->facts.params);
    if (entry->fitness == own)
        fprintf(file, "fitness <b>%.4g</b>, ", entry->fitness);
    else
        fprintf(file, "fitness <b>%.4g</b> (this start: %.4g), ", entry->fitness, own);
}

static void write_top(const struct report *report, FILE *file)
{
    char origin[80];
    fprintf(file, "<h3>%s last generation, of each kind of body</h3>\n<div class='cards'>\n",
            has_no_goal(report) ? "Of the" : "The best of the");
    for (int i = 0; i < report->top_count; i++) {
        const struct store_entry *entry = &report->top[i];
        fputs("<div class='card'>", file);
        report_write_picture(report, file, entry->id);
        fprintf(file, "<p><b>%d. creature %" PRIu64 "</b> ", entry->rank, entry->id);
        write_replay_status(report, file, entry->id);
        write_marks(report, file, entry->id);
        fputs("<br>", file);
        if (!has_no_goal(report))
            write_fitness(report, file, entry);
        fprintf(file, "%.0f part%s, %.0f neuron%s, %.2f m<br>%s%s", entry->measures.parts,
                entry->measures.parts == 1 ? "" : "s", entry->measures.neurons,
                entry->measures.neurons == 1 ? "" : "s", entry->measures.size_m,
                entry->verdict == VERDICT_OK ? "" : "verdict ",
                entry->verdict == VERDICT_OK ? "" : verdict_name(entry->verdict));
        html_print(file, "%sborn in %" PRIu32 ": %s</p></div>\n",
                   entry->verdict == VERDICT_OK ? "" : "; ", entry->generation,
                   store_entry_origin(entry, origin, sizeof origin));
    }
    fputs("</div>\n", file);
}

static void write_strip(const struct report *report, FILE *file, const char *title,
                        const struct report_champion *champions, int count)
{
    if (count == 0)
        return;
    fprintf(file, "<h3>%s through the generations</h3>\n<div class='strip'>\n", title);
    for (int i = 0; i < count; i++) {
        const struct report_champion *champion = &champions[i];
        int choice = run_facts_choice(&report->facts, champion->generation, champion->id);
        fputs("<div>", file);
        report_write_picture(report, file, champion->id);
        fprintf(file, "<p>generation %" PRIu32 "<br>", champion->generation);
        if (!has_no_goal(report))
            fprintf(file, "<b>%.4g</b> ", champion->fitness);
        mark_champion(report, file, champion->id);
        if (choice != CHOICE_NONE)
            fprintf(file, "<span class='mark %s'>%s</span>", choice_name(choice),
                    choice_name(choice));
        fputs("</p></div>\n", file);
    }
    fputs("</div>\n", file);
}

/* An attribute's value in double quotes: a page within the page. */
static void write_page(const char *page, FILE *file)
{
    for (; *page; page++) {
        size_t plain = strcspn(page, "&\"");
        fwrite(page, 1, plain, file);
        page += plain;
        if (!*page)
            break;
        fputs(*page == '&' ? "&amp;" : "&quot;", file);
    }
}

void report_write_problem(const struct report *report, FILE *file)
{
    if (report->gallery.problem[0])
        html_print(file, "<p class='soft'>Pictures or replays are missing: %s</p>\n",
                   report->gallery.problem);
}

int report_write_champions(const struct report *report, FILE *file)
{
    if (report->gallery.player) {
        fputs("<iframe id='player' title='replays' srcdoc=\"", file);
        write_page(report->gallery.player, file);
        fputs("\"></iframe>\n", file);
    }
    report_write_problem(report, file);
    write_top(report, file);
    write_strip(report, file, "The best", report->champions, report->champion_count);
    write_strip(report, file, "Chosen by hand", report->chosen, report->chosen_count);
    return 0;
}

/* ---- the tree ---- */

/* A creature of the tree and where it is drawn. */
struct node {
    const struct store_entry *entry;
    int lane;
};

struct tree {
    struct node *nodes;
    int count, lanes;
    uint32_t last_generation;
};

static const struct node *tree_find(const struct tree *tree, uint64_t id)
{
    for (int i = 0; i < tree->count; i++)
        if (tree->nodes[i].entry->id == id)
            return &tree->nodes[i];
    return NULL;
}

static double node_x(const struct tree *tree, const struct node *node)
{
    double span = tree->last_generation > 0 ? tree->last_generation : 1;
    return TREE_MARGIN + node->entry->generation / span * (TREE_WIDTH - 2 * TREE_MARGIN);
}

/* A line of the tree, from its tip to where it comes from another one. */
struct branch {
    int parent; /* the other one, or -1 */
    double x;   /* where the way from there goes down */
    int lane;   /* from the top; -1: none yet */
};

/* Puts a line on the next lane, and below it the lines that come from it, the last to part
 * first. So no line's way down crosses another. */
static void place_branch(struct branch *branches, int count, int index, int *next_lane)
{
    branches[index].lane = (*next_lane)++;
    for (;;) {
        int last = -1;
        for (int i = 0; i < count; i++)
            if (branches[i].parent == index && branches[i].lane < 0 &&
                (last < 0 || branches[i].x > branches[last].x))
                last = i;
        if (last < 0)
            return;
        place_branch(branches, count, last, next_lane);
    }
}

/* Gives each line, whose number is its nodes' lane so far, its place. */
static int tree_arrange(struct tree *tree)
{
    struct branch *branches = calloc((size_t)tree->lanes + 1, sizeof *branches);
    int next_lane = 0;
    if (!branches)
        return ERR_MEMORY;
    /* the eldest of a line comes last, and decides */
    for (int i = 0; i < tree->count; i++) {
        const struct node *node = &tree->nodes[i];
        const struct node *parent = tree_find(tree, node->entry->parents[0]);
        branches[node->lane] = (struct branch){.parent = -1, .lane = -1};
        if (parent && parent->lane != node->lane)
            branches[node->lane] =
                (struct branch){.parent = parent->lane,
                                .x = (node_x(tree, parent) + node_x(tree, node)) / 2,
                                .lane = -1};
    }
    for (int i = 0; i < tree->lanes; i++)
        if (branches[i].parent < 0)
            place_branch(branches, tree->lanes, i, &next_lane);
    for (int i = 0; i < tree->count; i++)
        tree->nodes[i].lane = branches[tree->nodes[i].lane].lane;
    free(branches);
    return 0;
}

/* Each line has a lane of its own, up to where it comes from one that is there already. */
static int tree_make(struct tree *tree, const struct report *report)
{
    size_t most = 1;
    for (int i = 0; i < report->top_count; i++)
        most += (size_t)report->lines[i].count;
    *tree = (struct tree){.nodes = calloc(most, sizeof *tree->nodes)};
    if (!tree->nodes)
        return ERR_MEMORY;
    for (int i = 0; i < report->top_count; i++) {
        const struct report_line *line = &report->lines[i];
        int before = tree->count;
        for (int k = 0; k < line->count && !tree_find(tree, line->entries[k].id); k++) {
            const struct store_entry *entry = &line->entries[k];
            tree->nodes[tree->count++] = (struct node){entry, tree->lanes};
            if (entry->generation > tree->last_generation)
                tree->last_generation = entry->generation;
        }
        tree->lanes += tree->count > before;
    }
    return tree_arrange(tree);
}

static double node_y(const struct node *node)
{
    return TREE_TOP + node->lane * LANE_HEIGHT;
}

static void write_edges(const struct tree *tree, FILE *file)
{
    for (int i = 0; i < tree->count; i++) {
        const struct node *node = &tree->nodes[i];
        const struct node *parent = tree_find(tree, node->entry->parents[0]);
        if (!parent)
            continue;
        double x = node_x(tree, node), y = node_y(node), from_x = node_x(tree, parent),
               from_y = node_y(parent), middle = (x + from_x) / 2;
        fprintf(file, "<path class='edge' d='M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f'/>\n", from_x,
                from_y, middle, from_y, middle, y, x, y);
    }
}

static void write_nodes(const struct report *report, const struct tree *tree, FILE *file)
{
    /* the youngest of a lane come first, and their pictures are placed first */
    double free_until = 0;
    char origin[80], generations[MARK_SIZE];
    const char *mark;
    for (int i = 0; i < tree->count; i++) {
        const struct node *node = &tree->nodes[i];
        const struct store_entry *entry = node->entry;
        double x = node_x(tree, node), y = node_y(node);
        const struct report_picture *picture = report_gallery_find(&report->gallery, entry->id);
        int is_tip = i == 0 || tree->nodes[i - 1].lane != node->lane;
        if (is_tip)
            free_until = HUGE_VAL;
        if (tree->count > NODES_DRAWN && !is_tip && !(picture && picture->png))
            continue;
        fprintf(file, "<g><title>creature %" PRIu64 ", born in generation %" PRIu32 ", ", entry->id,
                entry->generation);
        if (!has_no_goal(report))
            fprintf(file, "fitness %.4g, ", entry->fitness);
        html_write(file, store_entry_origin(entry, origin, sizeof origin));
        for (int k = 0; *(mark = next_mark(report, entry->id, &k, generations));)
            fprintf(file, ", %s%s", mark, generations);
        fprintf(file, "</title><circle class='node %s' cx='%.1f' cy='%.1f' r='%g'/>",
                next_mark(report, entry->id, &(int){0}, generations), x, y, is_tip ? 5.0 : 3.0);
        if (picture && picture->png && x <= free_until) {
            fprintf(file, "<use href='#c%" PRIu64 "' x='%.1f' y='%.1f' width='%g' height='%g'",
                    entry->id, x - THUMB_WIDTH / 2, y - 8 - THUMB_HEIGHT, THUMB_WIDTH,
                    THUMB_HEIGHT);
            if (picture->number >= 0)
                fprintf(file, " data-play='%d'", picture->number);
            fputs("/>", file);
            fprintf(file, "<text class='tick halo' x='%.1f' y='%.1f' text-anchor='middle'>", x,
                    y + 18);
            if (has_no_goal(report))
                fprintf(file, "%" PRIu64 "</text>", entry->id);
            else
                fprintf(file, "%.3g</text>", entry->fitness);
            free_until = x - THUMB_SPACING;
        }
        fputs("</g>\n", file);
    }
}

static int write_tree(const struct report *report, FILE *file)
{
    struct tree tree;
    if (tree_make(&tree, report)) {
        free(tree.nodes);
        return ERR_MEMORY;
    }
    double height = TREE_TOP + (tree.lanes > 0 ? tree.lanes - 1 : 0) * LANE_HEIGHT + 44;
    fprintf(file,
            "<div class='wide'><svg class='tree' viewBox='0 0 %g %g' role='img' "
            "aria-label='lineage of the champions'>\n",
            TREE_WIDTH, height);
    write_edges(&tree, file);
    write_nodes(report, &tree, file);
    fprintf(file,
            "<text class='tick' x='%g' y='%g'>generation 0</text><text class='tick' x='%g' y='%g' "
            "text-anchor='end'>generation %" PRIu32 "</text></svg></div>\n",
            TREE_MARGIN / 2, height - 8, TREE_WIDTH - TREE_MARGIN / 2, height - 8,
            tree.last_generation);
    free(tree.nodes);
    return 0;
}

/* ---- step by step ---- */

/* Mutations in words; their arrows must not be broken into two lines. */
static void write_words(FILE *file, const char *words)
{
    for (const char *arrow; (arrow = strstr(words, " -> ")) != NULL; words = arrow + 4)
        html_print(file, "%.*s &rarr; ", (int)(arrow - words), words);
    html_write(file, words);
}

static void write_step(const struct report *report, FILE *file, const struct store_entry *entry,
                       const struct store_entry *parent)
{
    char origin[80];
    const char *words = store_entry_words(entry);
    fputs("<li>", file);
    report_write_picture(report, file, entry->id);
    html_print(file, "<div><b>creature %" PRIu64 "</b>, generation %" PRIu32 ", %s", entry->id,
               entry->generation, store_entry_origin(entry, origin, sizeof origin));
    write_marks(report, file, entry->id);
    if (!has_no_goal(report))
        fprintf(file, "<br>fitness <b>%.4g</b>", entry->fitness);
    if (!has_no_goal(report) && parent)
        fprintf(file, " (parent %.4g)", parent->fitness);
    if (*words) {
        fputs("<br><span class='soft'>", file);
        write_words(file, words);
        fputs("</span>", file);
    }
    fputs("</div></li>\n", file);
}

/* The steps of the best one's line; those without a picture are folded away between the others. */
static void write_steps(const struct report *report, FILE *file)
{
    const struct report_line *line = &report->lines[0];
    int steps[REPORT_STEPS_MAX], count = report_choose_steps(line, steps), next = 0;
    fprintf(file, "<h3>How creature %" PRIu64 " came about</h3>\n", line->entries[0].id);
    for (int i = line->count - 1, is_open = 0; i >= 0; i--) {
        int is_shown = next < count && steps[next] == i;
        next += is_shown;
        if (is_open != (is_shown ? 1 : 2) && is_open)
            fputs(is_open == 1 ? "</ol>\n" : "</ol></details>\n", file);
        if (is_open != (is_shown ? 1 : 2)) {
            int until = next < count ? steps[next] : -1;
            if (is_shown)
                fputs("<ol class='steps'>\n", file);
            else
                fprintf(file, "<details><summary>%d smaller step%s</summary>\n<ol class='steps'>\n",
                        i - until, i - until == 1 ? "" : "s");
        }
        is_open = is_shown ? 1 : 2;
        write_step(report, file, &line->entries[i],
                   i + 1 < line->count ? &line->entries[i + 1] : NULL);
        if (i == 0)
            fputs(is_open == 1 ? "</ol>\n" : "</ol></details>\n", file);
    }
}

int report_write_lineage(const struct report *report, FILE *file)
{
    fprintf(
        file,
        "<p class='soft'>%s last generation and their ancestors by the first parents, from left "
        "to right. Below a picture stands its %s.%s</p>\n",
        has_no_goal(report) ? "Creatures of the" : "The best of the",
        has_no_goal(report) ? "number" : "fitness",
        report->facts.choice_count > 0
            ? " A creature that was marked by hand is a dot of that colour: "
              "<span class='mark breed'>breed</span>, <span class='mark keep'>keep</span>, "
              "<span class='mark ban'>ban</span>."
            : "");
    int status = write_tree(report, file);
    if (!status && report->top_count > 0 && report->lines[0].count > 0)
        write_steps(report, file);
    return status;
}
