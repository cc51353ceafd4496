/* See ladder_plan.h.
 *
 * The panel is the first children of the control: kin of the run's first generation that it never
 * met. Samples of a rung are drawn from all its members; which of them meet those of another rung
 * follows from both. */
#include "controller/report/ladder_plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/math/rng.h"
#include "controller/evolution/drift.h"

enum { RUNGS_LEAST = 3, STREAM_SAMPLES = 4 }; /* the stream is one of RNG_CONTEST's */

/* Where the players of each rung and part stand while a plan is made. */
struct places {
    int champions[LADDER_RUNGS_MAX], control[LADDER_RUNGS_MAX];
    int samples[LADDER_RUNGS_MAX][LADDER_SAMPLES_MAX], sample_counts[LADDER_RUNGS_MAX];
    int rivals[LADDER_RIVALS_MAX], panel[LADDER_PANEL_MAX];
};

struct making {
    struct ladder_plan *plan;
    struct store *store;
    const struct params *params;
    struct places places;
    struct error *error;
};

static int fail_memory(struct error *error)
{
    return error_set(error, ERR_MEMORY, "out of memory");
}

/* ---- players ---- */

/* Its place among the players, where everybody stands once. Below 0: ERR_MEMORY. */
static int add_player(struct making *making, uint64_t id, uint64_t seed,
                      const struct genome *genome)
{
    struct ladder_plan *plan = making->plan;
    for (int i = 0; i < plan->player_count; i++)
        if (plan->players[i].id == id)
            return i;
    if (contests_make_room(&plan->players, plan->player_count, &plan->player_room,
                           sizeof *plan->players))
        return fail_memory(making->error);
    struct individual *player = &plan->players[plan->player_count];
    *player = (struct individual){.id = id, .seed = seed};
    if (genome_copy(&player->genome, genome))
        return fail_memory(making->error);
    return plan->player_count++;
}

static int add_from_store(struct making *making, uint64_t id)
{
    struct creature creature;
    int place = store_get_creature(making->store, id, &creature, making->error);
    if (!place)
        place = add_player(making, id, creature.seed, &creature.genome);
    creature_deinit(&creature);
    return place;
}

/* The best of each rung, and of the first generations, each once. */
static int add_champions(struct making *making, const struct store_generation *generations,
                         int generation_count)
{
    struct ladder *ladder = &making->plan->ladder;
    for (int i = 0; i < ladder->rung_count; i++) {
        int place = add_from_store(making, ladder->rungs[i].champion);
        making->places.champions[i] = place;
        if (place < 0)
            return place;
    }
    for (int i = 0; i < generation_count && ladder->rival_count < LADDER_RIVALS_MAX; i++) {
        int place = add_from_store(making, generations[i].best_id), is_known = 0;
        for (int k = 0; k < ladder->rival_count; k++)
            is_known |= making->places.rivals[k] == place;
        if (place < 0)
            return place;
        if (!is_known)
            making->places.rivals[ladder->rival_count++] = place;
    }
    return 0;
}

/* Draws members of a rung's generation, each once. */
static int add_samples(struct making *making, int rung)
{
    struct population population;
    struct rng rng;
    int wanted = making->plan->ladder.settings.samples > 0 ? LADDER_SAMPLES_MAX : 0, place = 0;
    uint32_t generation = making->plan->ladder.rungs[rung].generation;
    int status = store_get_population(making->store, generation, &population, making->error);
    if (status)
        return status;
    rng_init(&rng, (uint64_t)making->params->run_seed, RNG_CONTEST, STREAM_SAMPLES, generation);
    for (int i = 0; i < wanted && i < population.count && place >= 0; i++) {
        int drawn = i + (int)rng_below(&rng, (uint32_t)(population.count - i));
        struct individual member = population.individuals[drawn];
        population.individuals[drawn] = population.individuals[i];
        population.individuals[i] = member;
        place = add_player(making, member.id, member.seed, &member.genome);
        making->places.samples[rung][i] = place;
        making->places.sample_counts[rung]++;
    }
    for (int i = 0; i < population.count; i++)
        individual_deinit(&population.individuals[i]);
    free(population.individuals);
    return place < 0 ? place : 0;
}

/* A generation of the control: the first in rank is the rung's champion. */
static int take_control(void *context, uint32_t generation, const struct population *ranked)
{
    struct making *making = context;
    struct ladder *ladder = &making->plan->ladder;
    int place = 0;
    for (int i = 0; i < ladder->rung_count && place >= 0; i++)
        if (ladder->rungs[i].generation == generation) {
            const struct individual *best = &ranked->individuals[0];
            place = add_player(making, best->id, best->seed, &best->genome);
            making->places.control[i] = place;
        }
    for (int i = 0, count = 0; generation == 1 && i < ranked->count && place >= 0; i++) {
        const struct individual *child = &ranked->individuals[i];
        if (child->generation == 0 || count >= ladder->settings.panel)
            continue;
        place = add_player(making, child->id, child->seed, &child->genome);
        making->places.panel[count++] = place;
    }
    return place < 0 ? place : 0;
}

/* As many of the panel as one generation has. */
static int add_control(struct making *making)
{
    struct ladder *ladder = &making->plan->ladder;
    struct population first;
    int status = store_get_population(making->store, 0, &first, making->error);
    for (int i = 0; i < LADDER_PANEL_MAX; i++)
        making->places.panel[i] = -1;
    if (!status)
        status =
            drift_breed(making->params, &first, ladder->rungs[ladder->rung_count - 1].generation,
                        take_control, making);
    while (ladder->settings.panel > 0 && making->places.panel[ladder->settings.panel - 1] < 0)
        ladder->settings.panel--;
    return status && !making->error->code ? fail_memory(making->error) : status;
}

/* ---- pairs ---- */

/* All meetings of a pair, unless both are one creature. */
static int add_meetings(struct making *making, struct ladder_meeting meeting, int a, int b)
{
    struct ladder_plan *plan = making->plan;
    const struct ladder *ladder = &plan->ladder;
    if (a == b)
        return 0;
    if (contests_make_room(&plan->pairs, plan->pair_count, &plan->pair_room, sizeof *plan->pairs))
        return fail_memory(making->error);
    plan->pairs[plan->pair_count++] = (struct contests_pair){a, b};
    for (int i = 0; i < ladder->settings.bouts / plan->bouts_of_one; i++) {
        if (ladder->meeting_count == LADDER_MEETINGS_MAX)
            return error_set(making->error, ERR_LIMIT, "more than %d contests",
                             LADDER_MEETINGS_MAX);
        plan->ladder.meetings[plan->ladder.meeting_count++] = meeting;
    }
    return 0;
}

/* Rung a against rung b, which is an earlier one. */
static int pair_champions(struct making *making, int a, int b)
{
    const struct places *places = &making->places;
    return add_meetings(making, (struct ladder_meeting){.part = LADDER_CHAMPIONS, .a = a, .b = b},
                        places->champions[a], places->champions[b]);
}

static int pair_populations(struct making *making, int a, int b)
{
    const struct places *places = &making->places;
    struct ladder_meeting meeting = {.part = LADDER_POPULATIONS, .a = a, .b = b};
    int status = 0;
    for (int k = 0; k < making->plan->ladder.settings.samples && !status; k++)
        status =
            add_meetings(making, meeting, places->samples[a][(b + k) % places->sample_counts[a]],
                         places->samples[b][(a + k) % places->sample_counts[b]]);
    return status;
}

static int pair_control(struct making *making, int a, int b)
{
    const struct places *places = &making->places;
    return add_meetings(making, (struct ladder_meeting){.part = LADDER_CONTROL, .a = a, .b = b},
                        places->control[a], places->control[b]);
}

/* Every rung's champion against each of a list. */
static int pair_with_list(struct making *making, int part, const int *list, int count)
{
    int status = 0;
    for (int a = 0; a < making->plan->ladder.rung_count; a++)
        for (int b = 0; b < count && !status; b++)
            status = add_meetings(making, (struct ladder_meeting){.part = part, .a = a, .b = b},
                                  making->places.champions[a], list[b]);
    return status;
}

static int pair_all(struct making *making)
{
    static int (*const pair[])(struct making *, int,
                               int) = {[LADDER_CHAMPIONS] = pair_champions,
                                       [LADDER_POPULATIONS] = pair_populations,
                                       [LADDER_CONTROL] = pair_control};
    const struct ladder *ladder = &making->plan->ladder;
    int status = 0;
    for (int part = 0; part <= LADDER_CONTROL; part++)
        for (int a = 1; a < ladder->rung_count; a++)
            for (int b = 0; b < a && !status; b++)
                status = pair[part](making, a, b);
    if (!status)
        status = pair_with_list(making, LADDER_RIVALS, making->places.rivals, ladder->rival_count);
    return status
               ? status
               : pair_with_list(making, LADDER_PANEL, making->places.panel, ladder->settings.panel);
}

/* ---- the whole ---- */

/* From the last generation back. */
static int choose_rungs(struct ladder *ladder, const struct store_generation *generations,
                        int count, const struct ladder_wishes *wishes, struct error *error)
{
    int every = wishes->every > 0 ? wishes->every : 1 + (count - 2) / (wishes->rungs - 1);
    if (count < RUNGS_LEAST || (count - 1) / every + 1 < RUNGS_LEAST)
        return error_set(error, ERR_RANGE,
                         "%d complete generations, of which every %d-th is looked at: there is "
                         "progress to be seen from %d on",
                         count, every, RUNGS_LEAST);
    ladder->rung_count = (count - 1) / every + 1;
    if (ladder->rung_count > LADDER_RUNGS_MAX)
        return error_set(error, ERR_LIMIT, "every %d-th of %d generations: more than %d", every,
                         count, LADDER_RUNGS_MAX);
    for (int i = 0; i < ladder->rung_count; i++) {
        const struct store_generation *generation =
            &generations[count - 1 - every * (ladder->rung_count - 1 - i)];
        ladder->rungs[i] = (struct ladder_rung){generation->generation, generation->best_id};
    }
    return 0;
}

static int make_plan(struct making *making, const struct ladder_wishes *wishes,
                     const struct store_generation *generations, int count)
{
    struct ladder *ladder = &making->plan->ladder;
    int status = choose_rungs(ladder, generations, count, wishes, making->error);
    if (status)
        return status;
    ladder->meetings = calloc(LADDER_MEETINGS_MAX, sizeof *ladder->meetings);
    if (!ladder->meetings)
        return fail_memory(making->error);
    status = add_champions(making, generations, count);
    for (int i = 0; i < ladder->rung_count && !status; i++)
        status = add_samples(making, i);
    if (!status)
        status = add_control(making);
    return status ? status : pair_all(making);
}

int ladder_plan_make(struct ladder_plan *plan, struct store *store, const struct params *params,
                     const struct ladder_wishes *wishes, struct error *error)
{
    struct making making = {.plan = plan, .store = store, .params = params, .error = error};
    struct store_generation *generations;
    int count;
    memset(plan, 0, sizeof *plan);
    plan->bouts_of_one = contests_bouts_of_one(params);
    struct ladder_settings *settings = &plan->ladder.settings;
    snprintf(settings->simulator, sizeof settings->simulator, "%s", message_build_id());
    settings->params = params_evaluation_digest(params);
    settings->bouts = wishes->bouts;
    settings->samples = wishes->samples;
    settings->panel = wishes->panel;
    error->code = 0;
    if (!contests_are_wanted(params))
        return error_set(error, ERR_RANGE,
                         "not a run of contests (evolution.behaviour = contest): its scores say by "
                         "themselves how far it got");
    int status = store_get_curve(store, &generations, &count, error);
    if (status)
        return status;
    status = make_plan(&making, wishes, generations, count);
    free(generations);
    if (status)
        ladder_plan_deinit(plan);
    return status;
}

void ladder_plan_deinit(struct ladder_plan *plan)
{
    for (int i = 0; i < plan->player_count; i++)
        individual_deinit(&plan->players[i]);
    free(plan->players);
    free(plan->pairs);
    ladder_deinit(&plan->ladder);
    memset(plan, 0, sizeof *plan);
}

int ladder_plan_open(const struct ladder_plan *plan, struct contests *contests)
{
    return contests_open_pairs(contests, plan->players, plan->player_count, plan->pairs,
                               plan->pair_count, plan->ladder.settings.bouts);
}

void ladder_plan_take(struct ladder_plan *plan, const struct contests *contests)
{
    struct ladder *ladder = &plan->ladder;
    int bouts = plan->bouts_of_one, each = ladder->settings.bouts / bouts;
    for (int i = 0; i < ladder->meeting_count * bouts; i++) {
        struct ladder_meeting *meeting = &ladder->meetings[i / bouts];
        double margin, touched[2];
        contests_get_bout(contests, i, plan->pairs[i / bouts / each].a, &margin, touched);
        meeting->margin += margin / bouts;
        for (int side = 0; side < 2; side++)
            meeting->touched[side] += touched[side] / bouts;
    }
}
