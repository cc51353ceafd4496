/* See run_statistics.h. Some thousand lives, some hundred forms. A form that lived little has no band: its
 * creatures are counted with the nearest form with a band from which it descends. */
#include "controller/analysis/run_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"

/* All lives of a form, by their births: a part of `lives`. */
struct group {
    const struct store_life **lives;
    int count;
    int parent;  /* another group, or -1 */
    int band;    /* the form in the river, or -1 */
    double span; /* s that its creatures lived in all */
};

struct workspace {
    const struct run_facts *facts;
    const struct store_life **lives; /* of the world */
    int life_count;
    struct group *groups;
    int group_count;
    double *deaths; /* of one form, sorted; room for all */
};

/* By form, then by birth. */
ROW_ORDER(compare_lives, struct store_life *const,
          4 * ORDER((*a)->topology, (*b)->topology) + 2 * ORDER((*a)->born_s, (*b)->born_s) +
              ORDER((*a)->id, (*b)->id));

ROW_ORDER(compare_births, struct river_form,
          2 * ORDER(a->first->born_s, b->first->born_s) + ORDER(a->first->id, b->first->id));

static int lives_at(const struct store_life *life, double at_s)
{
    return life->born_s <= at_s && (!life->is_dead || life->died_s > at_s);
}

/* ---- the lives of a world, by form ---- */

static uint32_t find_fullest(const struct run_facts *facts)
{
    int counts[EPOCH_WORLDS_MAX] = {0}, fullest = 0;
    for (int i = 0; i < facts->life_count; i++)
        counts[facts->lives[i].world]++;
    for (int i = 1; i < EPOCH_WORLDS_MAX; i++)
        fullest = counts[i] > counts[fullest] ? i : fullest;
    return (uint32_t)fullest;
}

/* The store's rows are not trusted: a life with impossible times is left out. */
static int is_sound(const struct store_life *life)
{
    double end_s = life->is_dead ? life->died_s : life->born_s;
    return life->topology > 0 && life->born_s >= 0 && end_s >= life->born_s &&
           end_s < EPOCH_TIME_MOST_S;
}

static void collect_lives(struct workspace *work, struct river *river)
{
    const struct run_facts *facts = work->facts;
    for (int i = 0; i < facts->life_count; i++) {
        const struct store_life *life = &facts->lives[i];
        if (life->world != river->world || !is_sound(life))
            continue;
        work->lives[work->life_count++] = life;
        river->end_s = fmax(river->end_s, life->is_dead ? life->died_s : life->born_s);
        river->living += !life->is_dead;
    }
    for (int i = 0; i < facts->epoch_count; i++)
        if (facts->epochs[i].world == river->world)
            river->end_s = fmax(river->end_s, EPOCH_S * facts->epochs[i].epoch);
    qsort(work->lives, (size_t)work->life_count, sizeof work->lives[0], compare_lives);
}

static void make_groups(struct workspace *work, const struct river *river)
{
    for (int i = 0; i < work->life_count; i++) {
        const struct store_life *life = work->lives[i];
        if (i == 0 || life->topology != work->lives[i - 1]->topology)
            work->groups[work->group_count++] =
                (struct group){.lives = &work->lives[i], .parent = -1, .band = -1};
        struct group *group = &work->groups[work->group_count - 1];
        group->count++;
        group->span += (life->is_dead ? life->died_s : river->end_s) - life->born_s;
    }
}

ROW_ORDER(compare_groups, struct group, ORDER(a->lives[0]->topology, b->lives[0]->topology));

/* Groups are in the order of their forms' hashes. */
static int find_group(const struct workspace *work, int64_t topology)
{
    const struct store_life life = {.topology = topology};
    const struct group key = {.lives = (const struct store_life *[]){&life}};
    const struct group *group =
        bsearch(&key, work->groups, (size_t)work->group_count, sizeof key, compare_groups);
    return group ? (int)(group - work->groups) : -1;
}

/* The group of the first one's nearest ancestor of another form. */
static int find_parent(const struct workspace *work, const struct group *group)
{
    const struct store_life *one = group->lives[0];
    int64_t topology = one->topology;
    while (one && one->topology == topology)
        one = run_facts_mother(work->facts, one);
    return one ? find_group(work, one->topology) : -1;
}

/* ---- bands ---- */

static void find_most(struct workspace *work, const struct group *group, struct river_form *form)
{
    int dead = 0, gone = 0;
    for (int i = 0; i < group->count; i++)
        if (group->lives[i]->is_dead)
            work->deaths[dead++] = group->lives[i]->died_s;
    qsort(work->deaths, (size_t)dead, sizeof work->deaths[0], compare_doubles);
    form->living = group->count - dead;
    form->extinct_s = form->living > 0 ? NAN : work->deaths[dead - 1];
    for (int i = 0; i < group->count; i++) {
        while (gone < dead && work->deaths[gone] <= group->lives[i]->born_s)
            gone++;
        if (i + 1 - gone <= form->most)
            continue;
        form->most = i + 1 - gone;
        form->most_s = group->lives[i]->born_s;
    }
}

static void find_widest(const struct workspace *work, const struct group *group,
                        struct river_form *form)
{
    for (int i = 0; i < group->count; i++) {
        const struct store_life *life = group->lives[i];
        if (lives_at(life, form->most_s) && run_facts_has_body(work->facts, life) &&
            (!form->widest || life->children > form->widest->children))
            form->widest = life;
    }
}

static double mean_depth(const struct group *group)
{
    double sum_m = 0;
    int dead = 0;
    for (int i = 0; i < group->count; i++) {
        sum_m += group->lives[i]->is_dead ? group->lives[i]->depth_m : 0;
        dead += group->lives[i]->is_dead;
    }
    return dead > 0 ? sum_m / dead : NAN;
}

static void add_band(struct workspace *work, struct river *river, struct group *group)
{
    struct river_form *form = &river->forms[river->count++];
    *form = (struct river_form){.topology = group->lives[0]->topology,
                                .first = group->lives[0],
                                .lived = group->count,
                                .depth_m = mean_depth(group)};
    find_most(work, group, form);
    find_widest(work, group, form);
}

/* The forms whose creatures lived most in all. */
static void choose_bands(struct workspace *work, struct river *river)
{
    while (river->count < RIVER_FORMS_MAX) {
        struct group *best = NULL;
        for (int i = 0; i < work->group_count; i++)
            if (work->groups[i].band < 0 && (!best || work->groups[i].span > best->span))
                best = &work->groups[i];
        if (!best)
            break;
        best->band = 0;
        add_band(work, river, best);
    }
    qsort(river->forms, (size_t)river->count, sizeof river->forms[0], compare_births);
    for (int i = 0; i < river->count; i++)
        work->groups[find_group(work, river->forms[i].topology)].band = i;
}

/* A group's own band, or that of the nearest ancestor with one. Mothers are of earlier generations,
 * but forms may come again: the way is bounded. */
static int find_band(const struct workspace *work, int group)
{
    for (int steps = 0; group >= 0 && steps < work->group_count; steps++) {
        if (work->groups[group].band >= 0)
            return work->groups[group].band;
        group = work->groups[group].parent;
    }
    return -1;
}

double river_time(const struct river *river, int moment)
{
    return (moment + 0.5) * river->end_s / RIVER_TIMES;
}

/* A child's band is inside its parent's, whose first creature was born before. */
static void fill_widths(struct workspace *work, struct river *river)
{
    for (int g = 0; g < work->group_count; g++) {
        int band = find_band(work, g);
        for (int i = 0; i < work->groups[g].count && band >= 0; i++)
            for (int k = 0; k < RIVER_TIMES; k++)
                river->forms[band].own[k] +=
                    lives_at(work->groups[g].lives[i], river_time(river, k));
    }
    for (int f = river->count - 1; f >= 0; f--) {
        struct river_form *form = &river->forms[f];
        int parent = work->groups[find_group(work, form->topology)].parent;
        form->parent = parent >= 0 ? find_band(work, parent) : -1;
        form->parent = form->parent < f ? form->parent : -1;
        for (int k = 0; k < RIVER_TIMES; k++) {
            form->width[k] += form->own[k];
            if (form->parent >= 0)
                river->forms[form->parent].width[k] += form->width[k];
        }
    }
}

int river_make(struct river *river, const struct run_facts *facts)
{
    size_t room = (size_t)facts->life_count + 1;
    struct workspace work = {.facts = facts,
                             .lives = calloc(room, sizeof *work.lives),
                             .groups = calloc(room, sizeof *work.groups),
                             .deaths = calloc(room, sizeof *work.deaths)};
    *river = (struct river){.world = find_fullest(facts)};
    int status = work.lives && work.groups && work.deaths ? 0 : ERR_MEMORY;
    if (!status) {
        collect_lives(&work, river);
        make_groups(&work, river);
        for (int i = 0; i < work.group_count; i++)
            work.groups[i].parent = find_parent(&work, &work.groups[i]);
        choose_bands(&work, river);
        fill_widths(&work, river);
        river->form_count = work.group_count;
        for (int i = 0; i < work.group_count; i++)
            for (int k = 0; k < work.groups[i].count; k++)
                if (!work.groups[i].lives[k]->is_dead) {
                    river->living_forms++;
                    break;
                }
    }
    free(work.lives);
    free(work.groups);
    free(work.deaths);
    return status;
}

/* ---- sentences ---- */

/* The form that most have, forms without a band included; -1: nothing lives. */
static int river_leader(const struct river *river, int moment)
{
    int leader = -1;
    for (int f = 0; f < river->count; f++)
        if (river->forms[f].own[moment] > 0 &&
            (leader < 0 || river->forms[f].own[moment] > river->forms[leader].own[moment]))
            leader = f;
    return leader;
}

/* "8:47" */
#define CLOCK       "%d:%02d"
#define AT(seconds) (int)((seconds) / 60), (int)(seconds) % 60

/* Each founders' form, and its end. */
static void tell_founders(const struct river *river, char *text, size_t size)
{
    for (int f = 0; f < river->count; f++) {
        const struct river_form *form = &river->forms[f];
        if (form->first->generation > 0)
            continue;
        text_append(text, size, "Form %c, of %d part%s, was there at the beginning", 'A' + f,
                    (int)form->first->part_count, form->first->part_count == 1 ? "" : "s");
        if (form->living > 0)
            text_append(text, size, "; %d of %d have it at the end. ", form->living, river->living);
        else
            text_append(text, size, " and died out at " CLOCK ". ", AT(form->extinct_s));
    }
}

/* A lead is told if it lasts this many moments. */
enum { LEAD_LEAST = RIVER_TIMES / 20 };

static int lead_lasts(const struct river *river, int moment, int leader)
{
    for (int k = moment; k < moment + LEAD_LEAST; k++)
        if (k >= RIVER_TIMES || river_leader(river, k) != leader)
            return 0;
    return 1;
}

static void tell_leaders(const struct river *river, char *text, size_t size)
{
    int last = -1;
    for (int k = 0; k < RIVER_TIMES; k++) {
        int leader = river_leader(river, k);
        if (leader < 0 || leader == last || !lead_lasts(river, k, leader))
            continue;
        if (last < 0)
            text_append(text, size, "Most had form %c", 'A' + leader);
        else
            text_append(text, size, ", from " CLOCK " on form %c (%d parts)",
                        AT(river_time(river, k)), 'A' + leader,
                        (int)river->forms[leader].first->part_count);
        last = leader;
    }
    text_append(text, size, last >= 0 ? ". " : "");
}

const char *river_tell(const struct river *river, char *text, size_t size)
{
    ENSURE(size > 0, "a text of %zu bytes", size);
    text[0] = '\0';
    tell_founders(river, text, size);
    tell_leaders(river, text, size);
    text_append(
        text, size, "%d form%s hatched in " CLOCK "; %d creature%s of %d form%s live at the end.",
        river->form_count, river->form_count == 1 ? "" : "s", AT(river->end_s), river->living,
        river->living == 1 ? "" : "s", river->living_forms, river->living_forms == 1 ? "" : "s");
    return text;
}
