#include "controller/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/judge/milestones.h"
#include "common/rows.h"
#include "controller/analysis/ladder.h"

/* ---- reading ---- */

static int read_top(struct report *report, struct store *store, struct error *error)
{
    uint32_t generation;
    if (report->facts.generation_count == 0)
        return 0;
    int status = store_get_best(store, -1, STORE_KINDS, REPORT_TOP_MAX, &report->top,
                                &report->top_count, &generation, error);
    for (int i = 0; i < report->top_count && !status; i++)
        status = store_get_lineage(store, report->top[i].id, 0, &report->lines[i].entries,
                                   &report->lines[i].count, error);
    return status;
}

/* Keeps the first, the last and an even choice between; returns their number. */
static int thin_out(struct report_champion *all, int count)
{
    int wanted = count < REPORT_CHAMPIONS_MAX ? count : REPORT_CHAMPIONS_MAX;
    for (int i = 0; i < wanted; i++)
        all[i] = all[wanted > 1 ? (int)((int64_t)i * (count - 1) / (wanted - 1)) : 0];
    return wanted;
}

/* All that became the best. */
static int find_champions(struct report *report)
{
    const struct run_facts *facts = &report->facts;
    int count = 0;
    if (!run_has_goal(&facts->params))
        return 0;
    struct report_champion *all = calloc((size_t)facts->generation_count + 1, sizeof *all);
    if (!all)
        return ERR_MEMORY;
    for (int i = 0; i < facts->generation_count; i++) {
        const struct store_generation *generation = &facts->generations[i];
        if (i > 0 && generation->best_id == facts->generations[i - 1].best_id)
            continue;
        if (run_facts_find(facts, generation->best_id))
            all[count++] = (struct report_champion){generation->generation, generation->best_id,
                                                    generation->best};
    }
    report->champions = all;
    report->champion_count = thin_out(all, count);
    return 0;
}

/* Finds in each generation the first in rank of those marked breed, or else keep. */
static int find_chosen(struct report *report)
{
    const struct run_facts *facts = &report->facts;
    int count = 0, choice = CHOICE_NONE;
    struct report_champion *all = calloc((size_t)facts->generation_count + 1, sizeof *all);
    if (!all)
        return ERR_MEMORY;
    for (int i = 0; i < facts->member_count && facts->choice_count > 0; i++) {
        const struct store_member *member = &facts->members[i];
        int wish = run_facts_choice(facts, member->generation, member->id);
        int is_new = count == 0 || all[count - 1].generation != member->generation;
        if (wish < CHOICE_KEEP || (!is_new && wish <= choice) || count > facts->generation_count)
            continue;
        count += is_new;
        choice = wish;
        all[count - 1] = (struct report_champion){member->generation, member->id, member->fitness};
    }
    report->chosen = all;
    report->chosen_count = thin_out(all, count);
    return 0;
}

int report_choose_steps(const struct report_line *line, int steps[REPORT_STEPS_MAX])
{
    return line->count ? milestones_choose(&line->entries->fitness, sizeof *line->entries,
                                           line->count, REPORT_STEPS_MAX, steps)
                       : 0;
}

static void add_id(uint64_t *ids, int *count, uint64_t id)
{
    if (!rows_contain(ids, *count, id))
        ids[(*count)++] = id;
}

/* Creatures with pictures; the first of them play: the top, the champions, the best one's
 * ancestors. */
static int make_gallery(struct report *report, struct store *store, struct error *error)
{
    uint64_t ids[REPORT_TOP_MAX + 2 * REPORT_CHAMPIONS_MAX + REPORT_STEPS_MAX +
                 REPORT_FAMILIES_MAX * REPORT_MEMBERS_MAX + 2 * RIVER_FORMS_MAX];
    int steps[REPORT_STEPS_MAX], count = 0;
    for (int i = 0; i < report->top_count; i++)
        add_id(ids, &count, report->top[i].id);
    for (int i = report->champion_count - 1; i >= 0; i--)
        add_id(ids, &count, report->champions[i].id);
    for (int i = report->chosen_count - 1; i >= 0; i--)
        add_id(ids, &count, report->chosen[i].id);
    int step_count = report->top_count > 0 ? report_choose_steps(&report->lines[0], steps) : 0;
    for (int i = step_count - 1; i >= 0; i--)
        add_id(ids, &count, report->lines[0].entries[steps[i]].id);
    for (int i = 0; report->river && i < report->river->count; i++) {
        const struct river_form *form = &report->river->forms[i];
        add_id(ids, &count, form->first->id);
        if (form->widest)
            add_id(ids, &count, form->widest->id);
    }
    for (int i = 0; i < report->family_count; i++)
        for (int k = 0; k < report->families[i].count; k++)
            add_id(ids, &count, report->families[i].members[k]->id);
    return count > 0
               ? report_gallery_make(&report->gallery, store, ids, count, REPORT_PLAYED_MAX, error)
               : 0;
}

int report_read(struct report *report, const char *directory, struct store *store, int has_pictures,
                struct error *error)
{
    memset(report, 0, sizeof *report);
    report->directory = directory;
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(report->time_utc, sizeof report->time_utc, "%Y-%m-%d %H:%M UTC", &parts);

    int status = run_facts_read(&report->facts, store, error);
    if (!status)
        status = read_top(report, store, error);
    int is_preserve = preserve_is_wanted(&report->facts.params);
    report->river = is_preserve ? malloc(sizeof *report->river) : NULL;
    if (!status && (run_statistics_make(&report->statistics, &report->facts) ||
                    find_champions(report) || find_chosen(report) || report_find_families(report) ||
                    (is_preserve && (!report->river || river_make(report->river, &report->facts)))))
        status = error_memory(error);
    if (!status) {
        report->finding_count =
            doctor_examine(&report->statistics, &report->facts.params, report->findings);
        /* the numbers that controller progress kept, if it ran */
        status = ladder_read(&report->ladder, directory, error);
        status = status == ERR_MISSING ? 0 : status;
    }
    if (!status && has_pictures)
        status = make_gallery(report, store, error);
    if (status)
        report_deinit(report);
    return status;
}

void report_deinit(struct report *report)
{
    run_facts_deinit(&report->facts);
    run_statistics_deinit(&report->statistics);
    for (int i = 0; i < REPORT_TOP_MAX; i++)
        free(report->lines[i].entries);
    free(report->top);
    free(report->champions);
    free(report->chosen);
    free(report->river);
    report_gallery_deinit(&report->gallery);
    ladder_deinit(&report->ladder);
    memset(report, 0, sizeof *report);
}
