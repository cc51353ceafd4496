/* Family trees of a preserve: the largest families that live at the end, and for each some of the
 * mothers between its founder and the living one of the highest generation. Bodies are known of
 * those that lived when a state was kept. */
#include <inttypes.h>
#include <stdlib.h>

#include "controller/report/report.h"

/* By family, the highest generation first. */
static int compare_families(const void *a, const void *b)
{
    const struct store_life *left = *(const struct store_life *const *)a;
    const struct store_life *right = *(const struct store_life *const *)b;
    return 4 * ORDER(left->family, right->family) + 2 * ORDER(right->generation, left->generation) +
           ORDER(left->id, right->id);
}

/* The largest first; of equals the first number. */
static int compare_sizes(const void *a, const void *b)
{
    const struct report_family *left = a, *right = b;
    return 2 * ORDER(right->living, left->living) + ORDER(left->number, right->number);
}

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
