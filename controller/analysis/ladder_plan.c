/* See ladder.h.
 *
 * The panel is the first children of the control: kin of the run's first generation that it never
 * met. Samples of a rung are drawn from all its members; which of them meet those of another rung
 * follows from both. Of two species a rung has the best and members of both, and each meets the
 * other species of the other rung: so which species has the easier part makes no difference. */
#include "controller/analysis/ladder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/rng.h"
#include "common/rows.h"
#include "controller/evolution/contests.h"
#include "controller/evolution/search_private.h"

enum { RUNGS_LEAST = 3, STREAM_SAMPLES = 4 }; /* the stream is one of RNG_CONTEST's */

/* Where the players of each rung and part stand while a plan is made. */
struct places {
    int champions[LADDER_RUNGS_MAX], control[LADDER_RUNGS_MAX];
    int samples[LADDER_RUNGS_MAX][LADDER_SAMPLES_MAX], sample_counts[LADDER_RUNGS_MAX];
    int rivals[LADDER_RIVALS_MAX], rival_count;
    int panel[LADDER_PANEL_MAX], panel_count;
};

struct making {
    struct ladder_plan *plan;
    struct store *store;
    const struct params *params;
    int species_count;
    struct places places[CONTESTS_SPECIES_MAX];
    struct error *error;
};

/* ---- players ---- */

/* Its place among the players; each player has one. Below 0: ERR_MEMORY. */
static int add_player(struct making *making, uint64_t id, uint64_t seed,
                      const struct genome *genome)
{
    struct ladder_plan *plan = making->plan;
    for (int i = 0; i < plan->player_count; i++)
        if (plan->players[i].id == id)
            return i;
    struct individual *player =
        rows_add(&plan->players, &plan->player_count, &plan->player_room, INT_MAX, sizeof *player);
    if (!player)
        return error_memory(making->error);
    player->id = id;
    player->seed = seed;
    if (genome_copy(&player->genome, genome))
        return error_memory(making->error);
    return plan->player_count - 1;
}

static int add_from_store(struct making *making, uint64_t id)
{
    struct creature creature;
    int place = stored_get_creature(store_database(making->store), id, &creature, making->error);
    if (!place)
        place = add_player(making, id, creature.seed, &creature.genome);
    creature_deinit(&creature);
    return place;
}

/* The best of a species in a generation: the first of the ranks, of each species one. Its place. */
static int add_best(struct making *making, uint32_t generation, int species)
{
    struct store_entry *best;
    uint32_t found;
    int count;
    int status = store_get_best(making->store, generation, STORE_RANKS, making->species_count,
                                &best, &count, &found, making->error);
    if (!status && count <= species)
        status = error_set(making->error, ERR_FORMAT, "generation %u has %d ranks",
                           (unsigned)generation, count);
    int place = status ? status : add_from_store(making, best[species].id);
    free(best);
    return place;
}

/* The best of each rung, and of the first generations, each once. */
static int add_champions(struct making *making, const struct store_generation *generations,
                         int generation_count, int species)
{
    const struct ladder *ladder = &making->plan->ladder;
    struct places *places = &making->places[species];
    for (int i = 0; i < ladder->rung_count; i++)
        if ((places->champions[i] = add_best(making, ladder->rungs[i].generation, species)) < 0)
            return places->champions[i];
    for (int i = 0; i < generation_count && places->rival_count < LADDER_RIVALS_MAX; i++) {
        int place = add_best(making, generations[i].generation, species), is_known = 0;
        for (int k = 0; k < places->rival_count; k++)
            is_known |= places->rivals[k] == place;
        if (place < 0)
            return place;
        if (!is_known)
            places->rivals[places->rival_count++] = place;
    }
    return 0;
}

/* Moves those of a species to the front; returns how many. */
static int sort_out(const struct making *making, struct population *population, int species)
{
    int count = 0;
    for (int i = 0; i < population->count; i++) {
        struct individual member = population->individuals[i];
        if (contests_species(making->params, member.id) != species)
            continue;
        population->individuals[i] = population->individuals[count];
        population->individuals[count++] = member;
    }
    return count;
}

/* Draws members of a rung's generation, each once. */
static int add_samples(struct making *making, int rung, int species)
{
    struct population population;
    struct rng rng;
    struct places *places = &making->places[species];
    int wanted = making->plan->ladder.settings.samples > 0 ? LADDER_SAMPLES_MAX : 0, place = 0;
    uint32_t generation = making->plan->ladder.rungs[rung].generation;
    int status = store_get_population(making->store, generation, &population, making->error);
    if (status)
        return status;
    int count = sort_out(making, &population, species);
    if (count == 0)
        place = error_set(making->error, ERR_FORMAT, "generation %u lacks a species",
                          (unsigned)generation);
    rng_init(&rng, (uint64_t)making->params->run_seed, RNG_CONTEST, STREAM_SAMPLES, generation);
    for (int i = 0; i < wanted && i < count && place >= 0; i++) {
        int drawn = i + (int)rng_below(&rng, (uint32_t)(count - i));
        struct individual member = population.individuals[drawn];
        population.individuals[drawn] = population.individuals[i];
        population.individuals[i] = member;
        place = add_player(making, member.id, member.seed, &member.genome);
        places->samples[rung][i] = place;
        places->sample_counts[rung]++;
    }
    search_free_individuals(population.individuals, population.count);
    return place < 0 ? place : 0;
}

/* Picks from a species: the first in rank is the rung's champion; in the first generation that
 * is bred all children are the panel, as many as are wanted. */
static int take_species(struct making *making, uint32_t generation, const struct population *ranked,
                        int species)
{
    const struct ladder *ladder = &making->plan->ladder;
    struct places *places = &making->places[species];
    int place = 0, is_first = 1;
    for (int k = 0; k < ranked->count && place >= 0; k++) {
        const struct individual *member = &ranked->individuals[k];
        if (contests_species(making->params, member->id) != species)
            continue;
        for (int i = 0; is_first && i < ladder->rung_count && place >= 0; i++)
            if (ladder->rungs[i].generation == generation)
                places->control[i] = place =
                    add_player(making, member->id, member->seed, &member->genome);
        is_first = 0;
        if (place >= 0 && generation == 1 && member->generation > 0 &&
            places->panel_count < ladder->settings.panel)
            places->panel[places->panel_count++] = place =
                add_player(making, member->id, member->seed, &member->genome);
    }
    return place < 0 ? place : 0;
}

/* A generation of the control. */
static int take_control(void *context, uint32_t generation, const struct population *ranked)
{
    struct making *making = context;
    int status = 0;
    for (int i = 0; i < making->species_count && !status; i++)
        status = take_species(making, generation, ranked, i);
    return status;
}

/* As many of the panel as one generation has. */
static int add_control(struct making *making)
{
    struct ladder *ladder = &making->plan->ladder;
    struct population first;
    int status = store_get_population(making->store, 0, &first, making->error);
    if (!status)
        status =
            drift_breed(making->params, &first, ladder->rungs[ladder->rung_count - 1].generation,
                        take_control, making);
    for (int i = 0; i < making->species_count; i++)
        if (making->places[i].panel_count < ladder->settings.panel)
            ladder->settings.panel = making->places[i].panel_count;
    return status && !making->error->code ? error_memory(making->error) : status;
}

/* ---- pairs ---- */

/* All meetings of a pair, unless both are one creature. */
static int add_meetings(struct making *making, struct ladder_meeting meeting, int a, int b)
{
    struct ladder_plan *plan = making->plan;
    const struct ladder *ladder = &plan->ladder;
    if (a == b)
        return 0;
    struct contests_pair *pair =
        rows_add(&plan->pairs, &plan->pair_count, &plan->pair_room, INT_MAX, sizeof *pair);
    if (!pair)
        return error_memory(making->error);
    *pair = (struct contests_pair){a, b};
    for (int i = 0; i < ladder->settings.bouts / plan->bouts_of_one; i++) {
        if (ladder->meeting_count == LADDER_MEETINGS_MAX)
            return error_set(making->error, ERR_LIMIT, "more than %d contests",
                             LADDER_MEETINGS_MAX);
        plan->ladder.meetings[plan->ladder.meeting_count++] = meeting;
    }
    return 0;
}

/* The species that a species meets. */
static const struct places *others_of(const struct making *making, int species)
{
    return &making->places[(species + 1) % making->species_count];
}

/* Rung a against rung b, which is an earlier one. */
static int pair_rungs(struct making *making, int part, int a, int b, int species)
{
    const struct places *own = &making->places[species], *others = others_of(making, species);
    struct ladder_meeting meeting = {.part = part, .a = a, .b = b};
    int status = 0;
    if (part == LADDER_CHAMPIONS)
        return add_meetings(making, meeting, own->champions[a], others->champions[b]);
    if (part == LADDER_CONTROL)
        return add_meetings(making, meeting, own->control[a], others->control[b]);
    for (int k = 0; k < making->plan->ladder.settings.samples && !status; k++)
        status = add_meetings(making, meeting, own->samples[a][(b + k) % own->sample_counts[a]],
                              others->samples[b][(a + k) % others->sample_counts[b]]);
    return status;
}

/* Every rung's champion against each of a list. */
static int pair_with_list(struct making *making, int part, int species, const int *list, int count)
{
    int status = 0;
    for (int a = 0; a < making->plan->ladder.rung_count; a++)
        for (int b = 0; b < count && !status; b++)
            status = add_meetings(making, (struct ladder_meeting){.part = part, .a = a, .b = b},
                                  making->places[species].champions[a], list[b]);
    return status;
}

static int pair_all(struct making *making)
{
    const struct ladder *ladder = &making->plan->ladder;
    int status = 0;
    for (int part = 0; part <= LADDER_CONTROL; part++)
        for (int a = 1; a < ladder->rung_count; a++)
            for (int b = 0; b < a; b++)
                for (int i = 0; i < making->species_count && !status; i++)
                    status = pair_rungs(making, part, a, b, i);
    for (int i = 0; i < making->species_count && !status; i++)
        status = pair_with_list(making, LADDER_RIVALS, i, others_of(making, i)->rivals,
                                ladder->rival_count);
    for (int i = 0; i < making->species_count && !status; i++)
        status = pair_with_list(making, LADDER_PANEL, i, others_of(making, i)->panel,
                                ladder->settings.panel);
    return status;
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
        return error_memory(making->error);
    ladder->rival_count = LADDER_RIVALS_MAX;
    for (int i = 0; i < making->species_count && !status; i++) {
        status = add_champions(making, generations, count, i);
        if (making->places[i].rival_count < ladder->rival_count)
            ladder->rival_count = making->places[i].rival_count;
    }
    for (int k = 0; k < ladder->rung_count; k++)
        for (int i = 0; i < making->species_count && !status; i++)
            status = add_samples(making, k, i);
    if (!status)
        status = add_control(making);
    return status ? status : pair_all(making);
}

int ladder_plan_make(struct ladder_plan *plan, struct store *store, const struct params *params,
                     const struct ladder_wishes *wishes, struct error *error)
{
    ENSURE(wishes->rungs >= 3 && wishes->rungs <= LADDER_RUNGS_MAX, "%d rungs", wishes->rungs);
    ENSURE(wishes->bouts > 0 && wishes->bouts % 2 == 0, "%d bouts of a pair", wishes->bouts);
    ENSURE(wishes->samples >= 0 && wishes->samples <= LADDER_SAMPLES_MAX, "%d samples",
           wishes->samples);
    ENSURE(wishes->panel >= 0 && wishes->panel <= LADDER_PANEL_MAX, "a panel of %d", wishes->panel);
    struct making making = {.plan = plan,
                            .store = store,
                            .params = params,
                            .species_count = contests_species_count(params),
                            .error = error};
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
    if (stored_get_generations(store_database(store), 0, &generations, &count, error))
        return error->code;
    int status = make_plan(&making, wishes, generations, count);
    free(generations);
    if (status)
        ladder_plan_deinit(plan);
    return status;
}

void ladder_plan_deinit(struct ladder_plan *plan)
{
    search_free_individuals(plan->players, plan->player_count);
    free(plan->pairs);
    ladder_deinit(&plan->ladder);
    memset(plan, 0, sizeof *plan);
}

int ladder_plan_open(const struct ladder_plan *plan, struct contests *contests)
{
    ladder_check(&plan->ladder);
    return contests_open_pairs(contests, plan->players, plan->player_count, plan->pairs,
                               plan->pair_count, plan->ladder.settings.bouts);
}

void ladder_plan_take(struct ladder_plan *plan, const struct contests *contests)
{
    ENSURE(plan->bouts_of_one > 0, "contests of %d bouts", plan->bouts_of_one);
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
