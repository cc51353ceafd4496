#include "viewer/window/gallery.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/genetics/genetics.h"
#include "common/judge/behaviour.h"
#include "common/judge/contest.h"
#include "common/judge/milestones.h"
#include "common/params/choice.h"
#include "common/rows.h"

/* Creatures of a generation by default, and where a person chooses. */
#define TOP_USUAL       8
#define TOP_INTERACTIVE 36

static int top_of(const struct gallery *gallery)
{
    if (gallery->options.top)
        return gallery->options.top;
    if (!gallery->choosing.is_interactive)
        return TOP_USUAL;
    return gallery->choosing.places < TOP_INTERACTIVE ? gallery->choosing.places : TOP_INTERACTIVE;
}

/* A person who chooses sees the generation as it is. */
static enum run_order order_of(const struct gallery *gallery)
{
    if (gallery->choosing.is_interactive)
        return RUN_ORDER_RANK;
    return gallery->options.is_ranks ? RUN_ORDER_RANK : RUN_ORDER_KINDS;
}

/* The invariants of a gallery between two calls. */
static void gallery_check(const struct gallery *gallery)
{
    const struct shelf *shelves[] = {&gallery->shown, &gallery->strip};
    for (int s = 0; s < 2; s++) {
        ENSURE(shelves[s]->count >= 0 && shelves[s]->count <= GALLERY_SHOWN_MAX,
               "shelf %d has %d creatures", s, shelves[s]->count);
        for (int i = 0; i < shelves[s]->count; i++)
            ENSURE(shelves[s]->items[i]->users > 0, "shelf %d: creature %d has no user", s, i);
    }
    ENSURE(gallery->choice_count >= 0 && (gallery->choice_count == 0 || gallery->choices),
           "%d choices", gallery->choice_count);
    ENSURE(gallery->reader || gallery->kind == SHELF_FILES, "shelf %d without a run",
           (int)gallery->kind);
    ENSURE(gallery->generation >= -1, "generation %lld", (long long)gallery->generation);
}

struct specimen *gallery_specimen(const struct gallery *gallery, int index)
{
    ENSURE(index >= 0 && index < gallery->shown.count, "creature %d of %d", index,
           gallery->shown.count);
    return gallery->shown.items[index];
}

/* ---- specimens ---- */

static void bout_free(struct replay_bout *bout)
{
    if (bout)
        replay_bout_deinit(bout);
    free(bout);
}

static void drop_replay(struct specimen *specimen)
{
    if (specimen->live)
        replay_live_close(specimen->live);
    else
        replay_destroy(specimen->replay);
    specimen->live = NULL;
    specimen->replay = NULL;
}

static void shelf_clear(struct shelf *shelf)
{
    for (int i = 0; i < shelf->count; i++) {
        struct specimen *specimen = shelf->items[i];
        ENSURE(specimen->users > 0, "a creature without a user is given back");
        if (--specimen->users > 0)
            continue;
        creature_deinit(&specimen->creature);
        drop_replay(specimen);
        bout_free(specimen->bout);
        free(specimen);
    }
    shelf->count = 0;
}

/* A creature with that number that is there already, with its brain uncut. */
static struct specimen *find_specimen(const struct gallery *gallery, uint64_t id)
{
    const struct shelf *shelves[] = {&gallery->shown, &gallery->strip};
    for (int s = 0; s < 2 && gallery->reader; s++)
        for (int i = 0; i < shelves[s]->count; i++) {
            struct specimen *specimen = shelves[s]->items[i];
            int is_whole = !specimen->live && (!specimen->replay || !specimen->replay->cut_count);
            if (id && specimen->creature.id == id && is_whole)
                return specimen;
        }
    return NULL;
}

static void shelf_add(struct shelf *shelf, struct specimen *specimen, int64_t generation)
{
    ENSURE(shelf->count < GALLERY_SHOWN_MAX, "a shelf has %d creatures already", shelf->count);
    specimen->users++;
    shelf->generations[shelf->count] = generation;
    shelf->items[shelf->count++] = specimen;
}

/* Puts a creature on a shelf that has room, takes its genome, and makes its texts clean; without
 * memory it is left out: NULL. */
static struct specimen *shelf_put(struct gallery *gallery, struct shelf *shelf,
                                  struct creature *creature, int64_t generation)
{
    struct specimen *specimen = find_specimen(gallery, creature->id);
    /* it became the champion, which its replay says */
    if (specimen && specimen->creature.is_champion != creature->is_champion)
        specimen = NULL;
    if (specimen) {
        creature_deinit(creature);
    } else {
        specimen = calloc(1, sizeof *specimen);
        if (!specimen)
            return NULL;
        specimen->creature = *creature;
        /* a favourite has the name that it was given */
        for (int i = 0; i < gallery->favourite_count; i++)
            if (creature->id && gallery->favourites[i].id == creature->id)
                memcpy(specimen->creature.name, gallery->favourites[i].name,
                       sizeof specimen->creature.name);
        replay_clean_text(creature->mutations, specimen->creature.mutations,
                          sizeof specimen->creature.mutations);
        replay_clean_text(creature->method, specimen->creature.method,
                          sizeof specimen->creature.method);
        creature_init(creature);
    }
    shelf_add(shelf, specimen, generation);
    return specimen;
}

/* A new shelf takes the place of the old one; creatures that stand on both are kept. */
static void shelf_replace(struct shelf *shelf, const struct shelf *fresh)
{
    shelf_clear(shelf);
    *shelf = *fresh;
}

/* ---- simulating ---- */

/* The parameters that a creature is replayed with. */
static int choose_params(const struct gallery *gallery, const struct creature *creature,
                         struct params *params, struct error *error)
{
    const struct gallery_options *options = &gallery->options;
    int status = creature_choose_params(creature, options->params_path, options->assignments,
                                        options->assignment_count, params, error);
    if (!status)
        status = params_check(params, error);
    return status ? status : behaviour_check_params(params, error);
}

/* No replay is dearer than the options allow. Returns whether that is less than the parameters
 * do. */
static int bound_budget(const struct gallery *gallery, struct params *params)
{
    double budget = gallery->options.budget;
    int is_bounded = budget > 0 && !(params->guard_budget > 0 && params->guard_budget <= budget);
    if (is_bounded)
        params->guard_budget = budget;
    return is_bounded;
}

/* 0, or ERR_LIMIT for a replay that would have been dearer; it is destroyed. */
static int refuse_dear(const struct gallery *gallery, struct replay *replay, int is_bounded,
                       struct error *error)
{
    if (!is_bounded || replay->verdict != VERDICT_BUDGET)
        return 0;
    error_set(error, ERR_LIMIT,
              "%s asks for more than %g billion operations of simulation: show it with --anyway",
              replay->name, gallery->options.budget);
    replay_destroy(replay);
    return ERR_LIMIT;
}

/* The last contest of a creature that was bred by contests, as its run has it. */
static int find_bout(const struct gallery *gallery, uint64_t id, const struct params *params,
                     int is_recorded, struct replay_bout **bout, struct error *error)
{
    struct store_contest contest;
    struct replay_bout *found = calloc(1, sizeof *found);
    if (!found)
        return error_memory(error);
    int status = run_reader_get_contest(gallery->reader, id, &contest, found->creatures, error);
    if (status) {
        free(found);
        return status;
    }
    found->params = *params;
    trial_apply(&contest.trial, &found->params);
    contest_apply(&found->params);
    found->seed = contest.seed;
    found->number = contest.trial.bout;
    found->follow = -1;
    found->is_recorded = is_recorded;
    found->digest = contest.digest;
    *bout = found;
    return 0;
}

static uint64_t choose_seed(const struct gallery *gallery, const struct creature *creature,
                            const struct params *params)
{
    return gallery->options.has_seed ? gallery->options.seed
                                     : creature_choose_seed(creature, params);
}

static int is_as_recorded(const struct creature *creature, const struct params *params,
                          uint64_t seed)
{
    return creature->has_evaluation && seed == creature->seed &&
           params_evaluation_digest(params) == params_evaluation_digest(&creature->params);
}

int gallery_choose_life(const struct gallery *gallery, int index, struct params *params,
                        uint64_t *seed)
{
    const struct creature *creature = &gallery_specimen(gallery, index)->creature;
    struct error error;
    if (!creature->genome.body_count || choose_params(gallery, creature, params, &error) ||
        params->evolution_behaviour == BEHAVIOUR_CONTEST)
        return 0;
    *seed = choose_seed(gallery, creature, params);
    return 1;
}

/* A replay without the cuts; takes the place of the old one only if it is made. */
static int simulate(const struct gallery *gallery, struct specimen *specimen,
                    const struct replay_cut *cuts, int cut_count, struct error *error)
{
    const struct creature *creature = &specimen->creature;
    struct params params;
    struct replay *replay = NULL;
    struct replay_bout *bout = NULL;
    int status = choose_params(gallery, creature, &params, error);
    if (status)
        return status;
    uint64_t seed = choose_seed(gallery, creature, &params);
    int is_recorded = is_as_recorded(creature, &params, seed);
    int is_bounded = bound_budget(gallery, &params);
    if (gallery->reader && creature->params.evolution_behaviour == BEHAVIOUR_CONTEST)
        status = find_bout(gallery, creature->id, &params, is_recorded, &bout, error);
    if (!status && bout)
        status = replay_create_bout(&replay, bout, error);
    else if (!status)
        status =
            replay_create(&replay, creature, &params, seed, is_recorded, cuts, cut_count, error);
    if (!status)
        status = refuse_dear(gallery, replay, is_bounded, error);
    if (status) {
        bout_free(bout);
        return status;
    }
    drop_replay(specimen);
    bout_free(specimen->bout);
    specimen->replay = replay;
    specimen->bout = bout;
    return 0;
}

static int simulate_once(const struct gallery *gallery, struct specimen *specimen,
                         struct error *error)
{
    if (specimen->replay)
        return 0;
    if (specimen->refusal[0])
        return error_set(error, ERR_MISSING, "%s", specimen->refusal);
    int status = simulate(gallery, specimen, NULL, 0, error);
    if (status)
        snprintf(specimen->refusal, sizeof specimen->refusal, "%s", error->message);
    return status;
}

int gallery_simulate(struct gallery *gallery, int index, struct error *error)
{
    return simulate_once(gallery, gallery_specimen(gallery, index), error);
}

int gallery_work(struct gallery *gallery)
{
    gallery_check(gallery);
    struct shelf *shelves[] = {&gallery->shown, &gallery->strip};
    struct error error;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < shelves[s]->count; i++) {
            struct specimen *specimen = shelves[s]->items[i];
            if (specimen->replay || specimen->refusal[0])
                continue;
            simulate_once(gallery, specimen, &error);
            return 1;
        }
    return 0;
}

int gallery_toggle_cut(struct gallery *gallery, int index, const struct replay_cut *cut,
                       struct error *error)
{
    ENSURE(cut->kind != CUT_NONE && cut->index >= 0, "cut %d of kind %d", cut->index,
           (int)cut->kind);
    struct specimen *specimen = gallery_specimen(gallery, index);
    struct replay_cut cuts[REPLAY_CUTS_MAX];
    int status = simulate_once(gallery, specimen, error), count = 0, was_cut;
    if (status)
        return status;
    was_cut = replay_is_cut(specimen->replay, cut);
    for (int i = 0; i < specimen->replay->cut_count; i++) {
        const struct replay_cut *old = &specimen->replay->cuts[i];
        if (!replay_is_same_cut(old, cut))
            cuts[count++] = *old;
    }
    if (!was_cut && count == REPLAY_CUTS_MAX)
        return error_set(error, ERR_LIMIT, "no more than %d cuts", REPLAY_CUTS_MAX);
    if (!was_cut)
        cuts[count++] = *cut;
    return simulate(gallery, specimen, cuts, count, error);
}

int gallery_heal(struct gallery *gallery, int index, struct error *error)
{
    struct specimen *specimen = gallery_specimen(gallery, index);
    if (!specimen->replay || (!specimen->replay->cut_count && !specimen->live))
        return 0;
    return simulate(gallery, specimen, NULL, 0, error);
}

int gallery_play(struct gallery *gallery, int index, struct replay_live **live, double *tick_s,
                 struct error *error)
{
    struct specimen *specimen = gallery_specimen(gallery, index);
    struct params params;
    uint64_t seed;
    int status = simulate_once(gallery, specimen, error);
    if (status)
        return status;
    ENSURE(gallery_choose_life(gallery, index, &params, &seed), "creature %d has no life", index);
    const struct replay *replay = specimen->replay;
    int is_recorded = is_as_recorded(&specimen->creature, &params, seed);
    bound_budget(gallery, &params);
    if (!specimen->live) {
        status = replay_live_open(live, &specimen->creature, &params, seed,
                                  is_recorded ? REPLAY_RECORDED : REPLAY_UNKNOWN, replay->cuts,
                                  replay->cut_count, EVALUATE_ARENA_BYTES, error);
        if (status)
            return status;
        drop_replay(specimen);
        specimen->live = *live;
        specimen->replay = (struct replay *)replay_live_replay(*live);
    }
    *live = specimen->live;
    *tick_s = 1 / params.simulation_brain_hz;
    return 0;
}

/* ---- shelves ---- */

static int is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A creature without a name has that of its file. */
static int read_file(const char *path, struct creature *creature, struct error *error)
{
    creature_init(creature);
    int status = run_reader_read_creature(path, creature, error);
    if (!status && !creature->name[0]) {
        const char *slash = strrchr(path, '/');
        snprintf(creature->name, sizeof creature->name, "%.63s", slash ? slash + 1 : path);
    }
    return status;
}

int gallery_add_file(struct gallery *gallery, const char *path, struct error *error)
{
    struct creature creature;
    struct stat mark = {0};
    stat(path, &mark);
    if (gallery->shown.count == GALLERY_SHOWN_MAX)
        return error_set(error, ERR_LIMIT, "more than %d creatures", GALLERY_SHOWN_MAX);
    int status = read_file(path, &creature, error);
    struct specimen *specimen = status ? NULL : shelf_put(gallery, &gallery->shown, &creature, -1);
    if (specimen) {
        specimen->path = path;
        specimen->mark = mark;
    }
    creature_deinit(&creature);
    return status;
}

/* Takes what its file has now, if that can be shown. */
static int reload(const struct gallery *gallery, struct specimen *specimen, struct error *error)
{
    struct creature before = specimen->creature, fresh;
    int status = read_file(specimen->path, &fresh, error);
    if (status)
        return status;
    specimen->creature = fresh;
    status = simulate(gallery, specimen, NULL, 0, error);
    if (status) {
        specimen->creature = before;
        creature_deinit(&fresh);
        return status;
    }
    specimen->refusal[0] = '\0';
    creature_deinit(&before);
    return 0;
}

int gallery_reload(struct gallery *gallery, int *changed, struct error *error)
{
    *changed = 0;
    for (int i = 0; i < gallery->shown.count; i++) {
        struct specimen *specimen = gallery->shown.items[i];
        struct stat mark;
        if (!specimen->path || stat(specimen->path, &mark) || is_same_file(&mark, &specimen->mark))
            continue;
        specimen->mark = mark;
        int status = reload(gallery, specimen, error);
        if (status)
            return status;
        *changed = 1;
    }
    return 0;
}

/* Puts a replay of a scene, or (not NULL) of a bout, on the shelf of files; its creature is empty but
 * for the name. It takes both. */
static int put_replay(struct gallery *gallery, struct replay *replay, struct replay_bout *bout,
                      struct error *error)
{
    struct creature nobody;
    int has_room = gallery->shown.count < GALLERY_SHOWN_MAX;
    creature_init(&nobody);
    snprintf(nobody.name, sizeof nobody.name, "%s", replay->name);
    struct specimen *specimen = has_room ? shelf_put(gallery, &gallery->shown, &nobody, -1) : NULL;
    creature_deinit(&nobody);
    if (!specimen) {
        replay_destroy(replay);
        bout_free(bout);
        return has_room ? error_memory(error)
                        : error_set(error, ERR_LIMIT, "more than %d creatures", GALLERY_SHOWN_MAX);
    }
    specimen->replay = replay;
    specimen->bout = bout;
    return 0;
}

int gallery_add_scene(struct gallery *gallery, const char *path, struct error *error)
{
    struct replay *replay;
    int status = replay_create_scene(&replay, path, error);
    return status ? status : put_replay(gallery, replay, NULL, error);
}

/* Bout `number` of two creatures by these parameters. NULL: out of memory. */
static struct replay_bout *make_bout(const struct creature creatures[2],
                                     const struct params *params, int number, int follow)
{
    struct replay_bout *bout = calloc(1, sizeof *bout);
    int status = bout ? 0 : ERR_MEMORY;
    for (int i = 0; i < 2 && !status; i++) {
        creature_init(&bout->creatures[i]);
        memcpy(bout->creatures[i].name, creatures[i].name, sizeof creatures[i].name);
        status = genome_copy(&bout->creatures[i].genome, &creatures[i].genome);
    }
    if (status) {
        bout_free(bout);
        return NULL;
    }
    bout->params = *params;
    bout->seed = (uint64_t)params->run_seed;
    bout->number = number;
    bout->follow = follow;
    return bout;
}

static int add_bout(struct gallery *gallery, struct replay_bout *bout, int is_bounded,
                    struct error *error)
{
    struct replay *replay;
    if (!bout)
        return error_memory(error);
    int status = replay_create_bout(&replay, bout, error);
    if (!status)
        status = refuse_dear(gallery, replay, is_bounded, error);
    if (!status)
        return put_replay(gallery, replay, bout, error);
    bout_free(bout);
    return status;
}

int gallery_add_contest(struct gallery *gallery, char *const paths[2],
                        const struct gallery_contest *contest, struct error *error)
{
    struct creature creatures[2];
    struct params params;
    int status = 0, is_bounded = 0;
    creature_init(&creatures[0]);
    creature_init(&creatures[1]);
    for (int i = 0; i < 2 && !status; i++)
        status = creature_read_exchanged(&creatures[i], paths[i], &contest->see, "viewer", error);
    if (!status)
        status = choose_params(gallery, &creatures[0], &params, error);
    if (!status) {
        contest_apply(&params);
        is_bounded = bound_budget(gallery, &params);
    }
    for (int number = 1; number <= CONTEST_BOUTS && !status; number++)
        if (contest->bout == 0 || contest->bout == number)
            status = add_bout(gallery, make_bout(creatures, &params, number, contest->follow),
                              is_bounded, error);
    creature_deinit(&creatures[0]);
    creature_deinit(&creatures[1]);
    return status;
}

int gallery_add_run(struct gallery *gallery, const char *directory, int64_t generation,
                    struct error *error)
{
    struct creature *creatures;
    int count, room = GALLERY_SHOWN_MAX - gallery->shown.count;
    int status = run_reader_get_top(directory, generation, order_of(gallery), top_of(gallery),
                                    &creatures, &count, &generation, error);
    if (status)
        return status;
    for (int i = 0; i < count && i < room; i++)
        shelf_put(gallery, &gallery->shown, &creatures[i], generation);
    run_reader_free(creatures, count);
    return count > room ? error_set(error, ERR_LIMIT, "more than %d creatures", GALLERY_SHOWN_MAX)
                        : 0;
}

int gallery_show_generation(struct gallery *gallery, int64_t generation, struct error *error)
{
    ENSURE(gallery->reader && generation >= -1, "generation %lld of no run", (long long)generation);
    struct creature *creatures;
    struct shelf fresh = {.count = 0};
    int count;
    int status = run_reader_get_members(gallery->reader, generation, order_of(gallery),
                                        top_of(gallery), &creatures, &count, &generation, error);
    if (status)
        return status;
    for (int i = 0; i < count; i++)
        shelf_put(gallery, &fresh, &creatures[i], generation);
    run_reader_free(creatures, count);
    shelf_replace(&gallery->shown, &fresh);
    gallery->kind = SHELF_GENERATION;
    gallery->generation = generation;
    int unused;
    struct error ignored;
    gallery_refresh_choices(gallery, &unused, &ignored);
    return 0;
}

int gallery_show_champions(struct gallery *gallery, struct error *error)
{
    struct shelf fresh = gallery->strip;
    if (fresh.count == 0)
        return error_set(error, ERR_MISSING, "there are no champions yet");
    for (int i = 0; i < fresh.count; i++)
        fresh.items[i]->users++;
    shelf_replace(&gallery->shown, &fresh);
    gallery->kind = SHELF_CHAMPIONS;
    gallery->generation = -1;
    return 0;
}

/* "generation 7, child of one, fitness 1.83 (parent 1.2): a new wire in the brain" */
static void write_caption(const struct creature *creature, const struct creature *parent,
                          int has_goal, char text[SPECIMEN_CAPTION_SIZE])
{
    char plain[CREATURE_MUTATIONS_SIZE], changes[CREATURE_MUTATIONS_SIZE];
    char fitness[40] = "", before[40] = "";
    mutation_words_shorten(creature->mutations, plain, sizeof plain);
    replay_clean_text(plain, changes, sizeof changes);
    if (has_goal)
        snprintf(fitness, sizeof fitness, ", fitness %.3g", creature->fitness);
    if (has_goal && parent)
        snprintf(before, sizeof before, " (parent %.3g)", parent->fitness);
    snprintf(text, SPECIMEN_CAPTION_SIZE, "generation %lld, %s%s%s%s%s",
             (long long)creature->generation,
             creature->parents[1]   ? "child of two"
             : creature->parents[0] ? "child of one"
                                    : "the first of its line",
             fitness, before, parent && changes[0] ? ": " : "", parent ? changes : "");
}

int gallery_show_lineage(struct gallery *gallery, uint64_t id, int depth, int most,
                         struct error *error)
{
    struct creature *creatures;
    struct shelf fresh = {.count = 0};
    int count, chosen[GALLERY_SHOWN_MAX];
    ENSURE(most >= 2 && most <= GALLERY_SHOWN_MAX, "%d of a line", most);
    if (!gallery->reader)
        return error_set(error, ERR_MISSING, "only creatures of a run have known ancestors");
    int status = run_reader_get_lineage(gallery->reader, id, depth, &creatures, &count, error);
    if (status)
        return status;
    /* a shelf takes a creature with its fitness, which its child's caption needs: the child goes
     * first */
    int left = milestones_choose(&creatures->fitness, sizeof *creatures, count, most, chosen);
    while (left-- > 0) {
        struct creature *creature = &creatures[chosen[left]];
        char caption[SPECIMEN_CAPTION_SIZE];
        write_caption(creature, chosen[left] + 1 < count ? creature + 1 : NULL,
                      !gallery->choosing.has_no_goal, caption);
        struct specimen *specimen = shelf_put(gallery, &fresh, creature, creature->generation);
        if (specimen)
            memcpy(specimen->caption, caption, sizeof caption);
    }
    run_reader_free(creatures, count);
    shelf_replace(&gallery->shown, &fresh);
    gallery->kind = SHELF_LINEAGE;
    return 0;
}

/* ---- the run ---- */

int gallery_choose_champions(const struct store_generation *generations, int count, int most,
                             int *chosen)
{
    ENSURE(count >= 0 && most >= 2, "%d of %d champions", most, count);
    int fresh = 0, kept = 0;
    for (int i = 0; i < count; i++)
        fresh += i == 0 || generations[i].best_id != generations[i - 1].best_id;
    for (int i = 0, k = 0; i < count; i++) {
        if (i > 0 && generations[i].best_id == generations[i - 1].best_id)
            continue;
        /* the k-th of `fresh`: kept where the scaled number changes; so are the first and the
         * last */
        int is_kept =
            fresh <= most || k == 0 ||
            (int64_t)k * (most - 1) / (fresh - 1) != (int64_t)(k - 1) * (most - 1) / (fresh - 1);
        if (is_kept)
            chosen[kept++] = i;
        k++;
    }
    return kept;
}

/* The strip is a help to the eye: a champion that cannot be read is left out. */
static void fill_strip(struct gallery *gallery)
{
    struct shelf fresh = {.count = 0};
    int most = gallery->options.champions_most;
    if (most > GALLERY_SHOWN_MAX)
        most = GALLERY_SHOWN_MAX;
    if (most == 0)
        return;
    int *chosen = calloc((size_t)most, sizeof *chosen);
    if (!chosen)
        return;
    int count =
        gallery_choose_champions(gallery->generations, gallery->generation_count, most, chosen);
    for (int i = 0; i < count; i++) {
        const struct store_generation *generation = &gallery->generations[chosen[i]];
        struct specimen *known = find_specimen(gallery, generation->best_id);
        struct creature creature;
        struct error error;
        if (known) {
            shelf_add(&fresh, known, generation->generation);
        } else if (!run_reader_get_creature(gallery->reader, generation->best_id, &creature,
                                            &error)) {
            shelf_put(gallery, &fresh, &creature, generation->generation);
            creature_deinit(&creature);
        }
    }
    free(chosen);
    shelf_replace(&gallery->strip, &fresh);
}

int gallery_refresh(struct gallery *gallery, int *added, struct error *error)
{
    gallery_check(gallery);
    struct store_generation *fresh, *all;
    int count, have = gallery->generation_count;
    *added = 0;
    if (!gallery->reader)
        return 0;
    int64_t first = have ? (int64_t)gallery->generations[have - 1].generation + 1 : 0;
    int status = run_reader_get_generations(gallery->reader, first, &fresh, &count, error);
    if (status || count == 0)
        return status;
    all = realloc(gallery->generations, (size_t)(have + count) * sizeof *all);
    if (all) {
        memcpy(all + have, fresh, (size_t)count * sizeof *all);
        gallery->generations = all;
        gallery->generation_count = have + count;
        *added = count;
        fill_strip(gallery);
    }
    free(fresh);
    return all ? 0 : error_memory(error);
}

int gallery_open_run(struct gallery *gallery, const char *directory, struct error *error)
{
    int added;
    if (gallery->reader)
        return error_set(error, ERR_USAGE, "%s: one run at a time", directory);
    int status = run_reader_open(&gallery->reader, directory, error);
    if (!status)
        status = run_reader_get_choosing(gallery->reader, &gallery->choosing, error);
    if (!status)
        gallery->favourite_count = favourites_read(directory, gallery->favourites);
    return status ? status : gallery_refresh(gallery, &added, error);
}

/* ---- choosing by hand ---- */

static struct store_choice *find_choice(const struct gallery *gallery, uint64_t id)
{
    for (int i = 0; i < gallery->choice_count; i++)
        if (gallery->choices[i].id == id)
            return &gallery->choices[i];
    return NULL;
}

int gallery_choice(const struct gallery *gallery, int index)
{
    const struct store_choice *choice =
        find_choice(gallery, gallery_specimen(gallery, index)->creature.id);
    return choice && gallery->kind == SHELF_GENERATION ? choice->choice : CHOICE_NONE;
}

int gallery_count_choices(const struct gallery *gallery, int choice)
{
    int count = 0;
    for (int i = 0; i < gallery->choice_count; i++)
        count += gallery->choices[i].choice == choice;
    return count;
}

int gallery_refresh_choices(struct gallery *gallery, int *changed, struct error *error)
{
    struct run_choosing choosing;
    struct store_choice *choices;
    int count;
    *changed = 0;
    if (!gallery->reader || !gallery->choosing.is_interactive)
        return 0;
    int status = run_reader_get_choosing(gallery->reader, &choosing, error);
    if (!status)
        status =
            run_reader_get_choices(gallery->reader, gallery->generation, &choices, &count, error);
    if (status)
        return status;
    *changed = choosing.waiting != gallery->choosing.waiting ||
               choosing.is_over != gallery->choosing.is_over || count != gallery->choice_count;
    for (int i = 0; i < count && !*changed; i++) {
        const struct store_choice *old = find_choice(gallery, choices[i].id);
        *changed = !old || old->choice != choices[i].choice;
    }
    gallery->choosing = choosing;
    free(gallery->choices);
    gallery->choices = choices;
    gallery->choice_count = gallery->choice_room = count;
    return 0;
}

int gallery_note_choice(struct gallery *gallery, int index, int choice)
{
    ENSURE(choice_name(choice)[0], "choice %d", choice);
    uint64_t id = gallery_specimen(gallery, index)->creature.id;
    struct store_choice *known = find_choice(gallery, id);
    if (known) {
        known->choice = choice;
        return 0;
    }
    known = rows_add(&gallery->choices, &gallery->choice_count, &gallery->choice_room, INT_MAX,
                     sizeof *known);
    if (!known)
        return ERR_MEMORY;
    *known = (struct store_choice){.id = id, .choice = choice};
    return 0;
}

int gallery_keep(struct gallery *gallery, int index, const char *name, struct error *error)
{
    struct specimen *specimen = gallery_specimen(gallery, index);
    if (!gallery->reader || gallery->kind == SHELF_FILES)
        return error_set(error, ERR_USAGE, "only creatures of a run become favourites");
    const char *directory = run_reader_directory(gallery->reader);
    int status = favourites_keep(directory, &specimen->creature, name, error);
    if (!status && specimen->replay)
        replay_clean_text(name, specimen->replay->name, sizeof specimen->replay->name);
    gallery->favourite_count = favourites_read(directory, gallery->favourites);
    return status;
}

/* ---- the whole ---- */

struct gallery *gallery_create(const struct gallery_options *options)
{
    ENSURE(options->top >= 0 && options->top <= RUN_READER_TOP_MAX, "the best %d", options->top);
    ENSURE(options->assignment_count == 0 || options->assignments, "%d assignments",
           options->assignment_count);
    ENSURE(options->champions_most == 0 || options->champions_most >= 2, "%d champions",
           options->champions_most);
    struct gallery *gallery = calloc(1, sizeof *gallery);
    if (!gallery)
        return NULL;
    gallery->options = *options;
    gallery->generation = -1;
    gallery->choosing.waiting = -1;
    return gallery;
}

void gallery_destroy(struct gallery *gallery)
{
    if (!gallery)
        return;
    shelf_clear(&gallery->shown);
    shelf_clear(&gallery->strip);
    run_reader_close(gallery->reader);
    free(gallery->generations);
    free(gallery->choices);
    free(gallery);
}
