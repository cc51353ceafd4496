/* See contests.h.
 *
 * Players are the generation's creatures and, behind them, those of the hall that they meet. Bouts
 * are a list, planned when the generation is opened; a tournament's next round is added when the
 * one before is over. The result of a bout stays with it, and sums are made over the list, so that
 * they do not depend on what came in first. */
#include "controller/evolution/contests.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/genome/body_kind.h"
#include "common/judge/contest.h"
#include "common/math/hash.h"
#include "common/math/rng.h"
#include "common/rows.h"
#include "controller/evolution/search_private.h"

enum suspicion { UNSUSPECTED, SUSPECTED, ON_TRIAL, INNOCENT, GUILTY };

struct player {
    const struct individual *individual;
    struct phenotype_key key;
    uint64_t hash; /* of its genome */
    int is_wanted; /* it has no result */
    int is_taken;
    int left;   /* bouts without an outcome */
    int rounds; /* of a tournament, that it reached; a bye is one */
    int is_out; /* of the tournament */
    int source; /* the bout whose measures it has, more by CONTESTS_MAX if that has no score */
    struct measures measures;
    int verdict;
    int is_condemned; /* it has crashed a bout, and crashes alone */
    enum suspicion suspicion;
    char crash[128];
};

enum bout_state { PLANNED, OUT, CRASHED, DONE };

struct bout {
    int sides[2]; /* players */
    struct trial trial;
    enum bout_state state;
    int verdicts[2];
    double margins[2], touched[2], approach[2], won[2]; /* as the measures */
    uint64_t digest;
};

struct contests {
    const struct params *params;
    struct census *census; /* finds keys */
    struct individual *hall;
    int hall_room, hall_count, added_count;
    int last_best[CONTESTS_SPECIES_MAX];
    uint32_t generation;
    struct player *players;
    int player_count, population_count;
    int *order; /* room for as many numbers, which are shuffled */
    struct bout *bouts;
    int bout_count, bout_room, cursor, left;
    int first_of_round; /* bout */
    int has_suspects, has_news, is_exam, rivals;
};

/* ---- parameters ---- */

static double count_bouts(const struct params *params)
{
    double size = (double)params->population_size, opponents = (double)params->contest_opponents;
    double pairs[PATTERN_COUNT] = {[PATTERN_HALL] = size * (1 + opponents),
                                   [PATTERN_BEST] = size,
                                   [PATTERN_RANDOM] = size * opponents,
                                   [PATTERN_TOURNAMENT] = size,
                                   [PATTERN_ALL] = size * (size - 1) / 2};
    return pairs[params->contest_pattern] * (double)params->contest_headings;
}

int contests_check_params(const struct params *params, struct error *error)
{
    if (!contests_are_wanted(params))
        return 0;
    int is_light = !params->contest_dark, species = (int)params->contest_species;
    int pattern = params->contest_pattern;
    const struct {
        int is_refused;
        const char *demand;
    } demands[] = {
        {params->evolution_search == SEARCH_ARCHIVE,
         "evolution.search = sims: whom one meets is of a generation"},
        {!params->evolution_reevaluate,
         "evolution.reevaluate = yes: in each generation one meets others"},
        {params->evolution_islands > 1 || params->evolution_living_draws > 1 ||
             params->interactive_share > 0,
         "evolution.islands = 1, evolution.living_draws = 1, interactive.share = 0"},
        {!is_light && !params->sensor_sound && !params->sensor_scent,
         "sensor.sound = yes or sensor.scent = yes: it is dark"},
        {is_light && !params->sensor_other, "sensor.other = yes: contestants see one another"},
        {is_light && !params->sensor_object && contest_has_object(params->contest_goal),
         "sensor.object = yes: there is something to contend for"},
        {params->light_kind != LIGHT_NONE, "light.kind = none"},
        {!body_kinds[params->creature_body].can_contend, "creature.body = rectangles or boxes"},
        {pattern == PATTERN_RANDOM && 2 * params->contest_opponents >= params->population_size,
         "contest.opponents below half of population.size"},
        {species > 1 && (pattern == PATTERN_RANDOM || pattern == PATTERN_TOURNAMENT),
         "contest.species = 1, or a contest.pattern in which all meet others: all-vs-hall, "
         "all-vs-best or all-vs-all"},
        {species > 1 && params->contest_goal == CONTEST_TAG && params->contest_headings % 2,
         "contest.headings = 2 or 4: of two species one hunts in every second"},
        {species > 1 && params->population_size < 4,
         "contest.species = 1, or population.size of at least 4"}};
    for (size_t i = 0; i < sizeof demands / sizeof demands[0]; i++)
        if (demands[i].is_refused)
            return error_set(error, ERR_RANGE, "evolution.behaviour contest needs %s",
                             demands[i].demand);
    if (count_bouts(params) > CONTESTS_MAX)
        return error_set(error, ERR_LIMIT, "%.0f contests in a generation, at most %d",
                         count_bouts(params), CONTESTS_MAX);
    return params_check_meeting(params, error);
}

/* ---- making and freeing, the hall ---- */

struct contests *contests_create(const struct params *params)
{
    struct contests *contests = calloc(1, sizeof *contests);
    if (!contests)
        return NULL;
    contests->params = params;
    contests->census = census_create();
    if (contests->census)
        return contests;
    free(contests);
    return NULL;
}

void contests_destroy(struct contests *contests)
{
    if (!contests)
        return;
    search_free_individuals(contests->hall, contests->hall_count);
    free(contests->players);
    free(contests->order);
    free(contests->bouts);
    census_destroy(contests->census);
    free(contests);
}

int contests_founder_count(const struct params *params)
{
    int64_t opponents = params->contest_pattern == PATTERN_HALL ? params->contest_opponents : 0;
    int64_t count = (1 + opponents) * contests_species_count(params);
    return (int)(count < params->population_size ? count : params->population_size);
}

int contests_hall_count(const struct contests *contests)
{
    return contests->added_count;
}

static int species_of(const struct contests *contests, const struct individual *individual)
{
    return contests_species(contests->params, individual->id);
}

static int may_meet(const struct contests *contests, const struct individual *a,
                    const struct individual *b)
{
    return contests_species_count(contests->params) == 1 ||
           species_of(contests, a) != species_of(contests, b);
}

int contests_add_to_hall(struct contests *contests, uint64_t id, struct genome *genome)
{
    ENSURE(id > 0, "no creature goes into the hall");
    for (int i = 0; i < contests->hall_count; i++)
        if (contests->hall[i].id == id) {
            contests->added_count++;
            contests->last_best[species_of(contests, &contests->hall[i])] = i;
            return 0;
        }
    struct individual *member = rows_add(&contests->hall, &contests->hall_count,
                                         &contests->hall_room, INT_MAX, sizeof *contests->hall);
    if (!member)
        return ERR_MEMORY;
    *member = (struct individual){.id = id, .genome = *genome};
    int status = census_find_key(contests->census, contests->params, member, &member->key);
    if (status) {
        contests->hall_count--;
        return status;
    }
    genome_init(genome);
    contests->last_best[species_of(contests, member)] = contests->hall_count - 1;
    contests->added_count++;
    return 0;
}

/* ---- planning ---- */

static int add_player(struct contests *contests, const struct individual *individual, int is_wanted)
{
    struct player *player = &contests->players[contests->player_count];
    *player = (struct player){.individual = individual,
                              .is_wanted = is_wanted,
                              .source = INT_MAX,
                              .hash = genome_hash(&individual->genome)};
    contests->player_count++;
    return census_find_key(contests->census, contests->params, individual, &player->key);
}

static const struct player *player_of(const struct contests *contests, const struct bout *bout,
                                      int side)
{
    return &contests->players[bout->sides[side]];
}

/* The bout has an outcome. */
static void end_bout(struct contests *contests, struct bout *bout)
{
    bout->state = DONE;
    contests->left--;
    for (int i = 0; i < 2; i++)
        contests->has_news |= --contests->players[bout->sides[i]].left == 0;
}

static int add_bout(struct contests *contests, int a, int b, const struct trial *trial)
{
    struct bout *bout = rows_add(&contests->bouts, &contests->bout_count, &contests->bout_room,
                                 INT_MAX, sizeof *bout);
    if (!bout)
        return ERR_MEMORY;
    *bout = (struct bout){.sides = {a, b}, .trial = *trial};
    contests->players[a].left++;
    contests->players[b].left++;
    contests->left++;
    /* creatures that move alike are even, and neither has touched anything */
    if (phenotype_key_is_equal(&contests->players[a].key, &contests->players[b].key))
        end_bout(contests, bout);
    return 0;
}

/* The start of a bout: pose, friction, slope and distance are drawn for each generation and are
 * the same for all in it, so that a creature bred for one start alone loses in the next. */
static int start_of(const struct contests *contests, int bout)
{
    int first = TRIAL_RUN_STARTS + CONTESTS_EXAM_BOUTS + 1;
    struct rng rng;
    rng_init(&rng, (uint64_t)contests->params->run_seed, RNG_CONTEST, contests->generation + 1,
             CONTESTS_MAX + (uint64_t)(bout + 1) / 2);
    return first +
           (int)rng_below(&rng, (uint32_t)(TRIAL_RUN_STARTS + TRIAL_EXAM_STARTS + 1 - first));
}

/* Whether the pair has that bout. In tag each hunts in every second bout; of two species one hunts
 * always, and the other bouts are left out. The first in a bout is the hunter: contest_first(). */
static int has_bout(const struct contests *contests, int a, int b, int bout)
{
    const struct player *one = &contests->players[a], *other = &contests->players[b];
    int first = (one->hash > other->hash) ^ (bout % 2 == 0);
    return contests_species_count(contests->params) == 1 ||
           contests->params->contest_goal != CONTEST_TAG ||
           species_of(contests, (first ? other : one)->individual) == 0;
}

/* All bouts of a pair that may meet, of whom one at least has no result. */
static int add_pair(struct contests *contests, int left, int right)
{
    int a = left < right ? left : right, b = left < right ? right : left, status = 0;
    const struct player *one = &contests->players[a], *other = &contests->players[b];
    if ((!one->is_wanted && !other->is_wanted) ||
        !may_meet(contests, one->individual, other->individual))
        return 0;
    for (int i = 1; i <= contests->params->contest_headings && !status; i++)
        if (has_bout(contests, a, b, i))
            status = add_bout(contests, a, b,
                              &(struct trial){.purpose = TRIAL_FIRST,
                                              .bout = i,
                                              .perturbation = start_of(contests, i)});
    return status;
}

/* Brings the first numbers of contests->order in an order that is drawn. */
static void shuffle(struct contests *contests, int count)
{
    int *numbers = contests->order;
    struct rng rng;
    rng_init(&rng, (uint64_t)contests->params->run_seed, RNG_CONTEST, contests->generation + 1,
             (uint64_t)contests->first_of_round);
    for (int i = count - 1; i > 0; i--) {
        int k = (int)rng_below(&rng, (uint32_t)i + 1), number = numbers[i];
        numbers[i] = numbers[k];
        numbers[k] = number;
    }
}

/* Members of a species in the hall as players: the last best, and `more` others that are drawn. At
 * first the last best is the species' first founder, which stands where its number says. */
static int add_hall_players(struct contests *contests, int species, int more)
{
    int last = contests->generation > 0 ? contests->last_best[species] : species;
    int count = 0;
    for (int i = 0; i < contests->hall_count; i++)
        if (i != last && species_of(contests, &contests->hall[i]) == species)
            contests->order[count++] = i;
    shuffle(contests, count);
    int status = add_player(contests, &contests->hall[last], 0);
    for (int i = 0; i < more && i < count && !status; i++)
        status = add_player(contests, &contests->hall[contests->order[i]], 0);
    return status;
}

static int plan_against_hall(struct contests *contests)
{
    int more = contests->params->contest_pattern == PATTERN_HALL
                   ? (int)contests->params->contest_opponents
                   : 0;
    int status = 0;
    for (int i = 0; i < contests_species_count(contests->params) && !status; i++)
        status = add_hall_players(contests, i, more);
    for (int i = 0; i < contests->population_count; i++)
        for (int k = contests->population_count; k < contests->player_count && !status; k++)
            status = add_pair(contests, i, k);
    return status;
}

/* Each meets those so many places further on in a ring that is drawn: twice as many contests each,
 * and no pair twice. */
static int plan_at_random(struct contests *contests)
{
    int count = contests->population_count, status = 0;
    int *ring = contests->order;
    for (int i = 0; i < count; i++)
        ring[i] = i;
    shuffle(contests, count);
    for (int i = 0; i < count; i++)
        for (int k = 1; k <= contests->params->contest_opponents && !status; k++)
            status = add_pair(contests, ring[i], ring[(i + k) % count]);
    return status;
}

static int plan_all(struct contests *contests)
{
    int status = 0;
    for (int i = 0; i < contests->population_count; i++)
        for (int k = i + 1; k < contests->population_count && !status; k++)
            status = add_pair(contests, i, k);
    return status;
}

/* The next round of a tournament: pairs of those that are in it, in an order that is drawn. One of
 * an odd number goes on without a contest. */
static int plan_round(struct contests *contests)
{
    int count = 0, status = 0, *in = contests->order;
    contests->first_of_round = contests->bout_count;
    for (int i = 0; i < contests->population_count; i++)
        if (!contests->players[i].is_out)
            in[count++] = i;
    shuffle(contests, count);
    for (int i = 0; i < count && count > 1; i++)
        contests->players[in[i]].rounds++;
    for (int i = 0; i + 1 < count && !status; i += 2)
        status = add_pair(contests, in[i], in[i + 1]);
    return status;
}

/* The loser of a pair is out; if the two are even, the younger one is. */
static int end_round(struct contests *contests)
{
    int bouts = (int)contests->params->contest_headings, in = 0;
    for (int i = contests->first_of_round; i < contests->bout_count; i += bouts) {
        double margin = 0;
        for (int k = 0; k < bouts; k++)
            margin += contests->bouts[i + k].margins[0] - contests->bouts[i + k].margins[1];
        contests->players[contests->bouts[i].sides[margin >= 0]].is_out = 1;
    }
    for (int i = 0; i < contests->population_count; i++)
        in += !contests->players[i].is_out;
    contests->first_of_round = contests->bout_count;
    return in > 1 ? plan_round(contests) : 0;
}

/* Starts that no generation had, from number `from` to before number `to`: other headings, other
 * poses and friction (the same where sides are exchanged). */
static int add_exam_bouts(struct contests *contests, int a, int b, int from, int to, int halvings)
{
    int first = TRIAL_BOUT_MAX - CONTESTS_EXAM_BOUTS + 1, status = 0;
    for (int i = 0, number = 0; number < to && !status; i++) {
        int bout = first + i % CONTESTS_EXAM_BOUTS;
        if (!has_bout(contests, a, b, bout) || number++ < from)
            continue;
        status = add_bout(contests, a, b,
                          &(struct trial){.purpose = TRIAL_CHAMPION,
                                          .bout = bout,
                                          .perturbation = TRIAL_RUN_STARTS + 1 + i / 2,
                                          .halvings = halvings});
    }
    return status;
}

/* The next round of an exam: one contest with each rival. */
static int plan_exam_round(struct contests *contests)
{
    int bouts = contests_bouts_of_one(contests->params), status = 0;
    int from = contests->rivals > 0 ? contests->bout_count / contests->rivals : 0;
    for (int i = 1; i <= contests->rivals && !status; i++)
        status = add_exam_bouts(contests, 0, i, from, from + bouts, TRIAL_FINE_HALVINGS);
    return status;
}

/* Whether rounds are left, and the champion passes if it wins all of them. */
static int can_pass(const struct contests *contests)
{
    int won, count, rivals;
    contests_get_exam(contests, &won, &count, &rivals);
    int whole = rivals * CONTESTS_EXAM_BOUTS;
    return count < whole && won + whole - count >= CONTESTS_EXAM_SHARE * whole;
}

/* Rounds that are over are followed by the next. 0 or ERR_MEMORY. */
static int go_on(struct contests *contests)
{
    int status = 0;
    while (!status && contests->params->contest_pattern == PATTERN_TOURNAMENT &&
           !contests->is_exam && contests->left == 0 &&
           contests->first_of_round < contests->bout_count)
        status = end_round(contests);
    if (!status && contests->is_exam && contests->left == 0 && can_pass(contests))
        status = plan_exam_round(contests);
    return status;
}

static int begin(struct contests *contests, int population_count, int others)
{
    free(contests->players);
    free(contests->order);
    contests->players = calloc((size_t)(population_count + others), sizeof *contests->players);
    contests->order = calloc((size_t)(population_count + others) + 1, sizeof *contests->order);
    contests->population_count = population_count;
    contests->player_count = contests->bout_count = contests->cursor = contests->left = 0;
    contests->first_of_round = contests->has_suspects = contests->is_exam = 0;
    contests->rivals = 0;
    contests->has_news = 1;
    return contests->players && contests->order ? 0 : ERR_MEMORY;
}

int contests_open(struct contests *contests, const struct population *population,
                  uint32_t generation)
{
    static int (*const plans[PATTERN_COUNT])(struct contests *) = {
        [PATTERN_HALL] = plan_against_hall,
        [PATTERN_BEST] = plan_against_hall,
        [PATTERN_RANDOM] = plan_at_random,
        [PATTERN_TOURNAMENT] = plan_round,
        [PATTERN_ALL] = plan_all};
    int is_tournament = contests->params->contest_pattern == PATTERN_TOURNAMENT;
    int status = begin(contests, population->count, contests->hall_count);
    contests->generation = generation;
    for (int i = 0; i < population->count && !status; i++) {
        const struct individual *individual = &population->individuals[i];
        status = add_player(contests, individual, !individual->has_result || is_tournament);
    }
    if (!status)
        status = plans[contests->params->contest_pattern](contests);
    return status ? status : go_on(contests);
}

int contests_open_exam(struct contests *contests, const struct individual *champion)
{
    int founders = contests_founder_count(contests->params);
    int status = begin(contests, 1, CONTESTS_EXAM_RIVALS);
    contests->is_exam = 1;
    if (!status)
        status = add_player(contests, champion, 1);
    for (int i = founders;
         i < contests->hall_count && !status && contests->player_count <= CONTESTS_EXAM_RIVALS; i++)
        if (contests->hall[i].id != champion->id &&
            may_meet(contests, champion, &contests->hall[i]))
            status = add_player(contests, &contests->hall[i], 0);
    contests->rivals = contests->player_count - 1;
    return status ? status : plan_exam_round(contests);
}

int contests_open_pairs(struct contests *contests, const struct individual *individuals, int count,
                        const struct contests_pair *pairs, int pair_count, int bouts)
{
    ENSURE(pair_count >= 0 && bouts > 0 && bouts <= CONTESTS_EXAM_BOUTS, "%d bouts of %d pairs",
           bouts, pair_count);
    for (int i = 0; i < pair_count; i++)
        ENSURE(pairs[i].a >= 0 && pairs[i].a < count && pairs[i].b >= 0 && pairs[i].b < count,
               "pair %d: %d and %d of %d", i, pairs[i].a, pairs[i].b, count);
    int status = begin(contests, 0, count);
    contests->is_exam = 1;
    for (int i = 0; i < count && !status; i++)
        status = add_player(contests, &individuals[i], 0);
    for (int i = 0; i < pair_count && !status; i++) {
        int a = pairs[i].a, b = pairs[i].b, is_younger = individuals[a].id > individuals[b].id;
        status = add_exam_bouts(contests, is_younger ? a : b, is_younger ? b : a, 0, bouts, 0);
    }
    return status;
}

/* ---- asking ---- */

/* In space a heading is drawn for each generation; in the plane all have the same starts, so that
 * a pair has the same contest in any. */
static uint64_t seed_of(const struct contests *contests)
{
    uint64_t seed = (uint64_t)contests->params->run_seed;
    return body_kinds[contests->params->creature_body].is_flat
               ? seed
               : rng_mix_seed(seed, contests->generation + 1);
}

/* The key of all that the motion of both depends on. Genomes decide the sides. */
static struct phenotype_key key_of(const struct contests *contests, const struct bout *bout)
{
    const struct player *a = player_of(contests, bout, 0), *b = player_of(contests, bout, 1);
    struct phenotype_key key;
    for (int i = 0; i < 2; i++) {
        uint64_t hash = hash_u64(hash_u64(HASH_START, a->key.words[i]), b->key.words[i]);
        hash = hash_u64(hash_u64(hash, a->hash > b->hash), seed_of(contests));
        hash = hash_u64(hash_u64(hash, (uint64_t)bout->trial.bout),
                        (uint64_t)bout->trial.perturbation);
        key.words[i] = hash_u64(hash, (uint64_t)bout->trial.halvings);
    }
    return key;
}

/* A suspect, to be tried alone. */
static int ask_suspect(struct contests *contests, struct contests_wanted *wanted)
{
    for (int i = 0; contests->has_suspects && i < contests->player_count; i++) {
        struct player *player = &contests->players[i];
        if (player->suspicion != SUSPECTED)
            continue;
        player->suspicion = ON_TRIAL;
        *wanted = (struct contests_wanted){.number = CONTESTS_ALONE,
                                           .sides = {player->individual},
                                           .count = 1,
                                           .seed = player->individual->seed};
        return 1;
    }
    contests->has_suspects = 0;
    return 0;
}

int contests_ask(struct contests *contests, struct contests_wanted *wanted)
{
    if (ask_suspect(contests, wanted))
        return 1;
    while (contests->cursor < contests->bout_count) {
        struct bout *bout = &contests->bouts[contests->cursor++];
        if (bout->state != PLANNED)
            continue;
        bout->state = OUT;
        *wanted = (struct contests_wanted){.number = contests->cursor - 1,
                                           .count = 2,
                                           .trial = bout->trial,
                                           .seed = seed_of(contests),
                                           .key = key_of(contests, bout)};
        for (int i = 0; i < 2; i++)
            wanted->sides[i] = player_of(contests, bout, i)->individual;
        return 1;
    }
    return 0;
}

int contests_make_task(const struct contests_wanted *wanted, struct task *task)
{
    const struct individual *first = wanted->sides[0], *rival = wanted->sides[1];
    task->creature = first->id;
    task->trial = wanted->trial;
    task->seed = wanted->seed;
    task->key = wanted->key;
    task->bout = wanted->number;
    task->rival_count = wanted->count - 1;
    int status = individual_copy_genome(first, &task->genome, &task->packed);
    if (status || !rival)
        return status;
    task->rivals[0].creature = rival->id;
    return individual_copy_genome(rival, &task->rivals[0].genome, &task->rivals[0].packed);
}

/* ---- results ---- */

static struct bout *bout_of(const struct contests *contests, int number)
{
    ENSURE(number >= 0 && number < contests->bout_count, "bout %d of %d", number,
           contests->bout_count);
    return &contests->bouts[number];
}

static void note_side(struct bout *bout, int side, int verdict, const struct measures *measures)
{
    bout->verdicts[side] = verdict;
    bout->margins[side] = measures->contest_margin;
    bout->won[side] = measures->contest_won;
    bout->touched[side] = measures->contest_touched;
    bout->approach[side] = measures->contest_approach;
}

/* The first bout with a score says what the body did; if there is none, the first. */
static void note_body(struct contests *contests, int number, int side, int verdict,
                      const struct measures *measures)
{
    struct player *player = &contests->players[contests->bouts[number].sides[side]];
    int source = verdict_is_scored(verdict) ? number : CONTESTS_MAX + number;
    if (source >= player->source)
        return;
    player->source = source;
    player->verdict = verdict;
    player->measures = *measures;
}

/* ---- crashes ---- */

/* Judges a bout that crashed the simulator, after both creatures were tried alone. */
static void judge_crash(struct contests *contests, int number)
{
    struct bout *bout = bout_of(contests, number);
    struct contest_result result = {.sides = {{.touched_s = -1}, {.touched_s = -1}}};
    int guilty[2];
    for (int i = 0; i < 2; i++)
        guilty[i] = player_of(contests, bout, i)->suspicion == GUILTY;
    for (int i = 0; i < 2; i++)
        result.sides[i].verdict = guilty[i] || !guilty[!i] ? VERDICT_QUARANTINED : VERDICT_OK;
    contest_judge(contests->params, &result);
    for (int i = 0; i < 2; i++) {
        struct player *player = &contests->players[bout->sides[i]];
        note_side(bout, i, result.sides[i].verdict, &result.sides[i].measures);
        if (result.sides[i].verdict == VERDICT_QUARANTINED)
            note_body(contests, number, i, VERDICT_QUARANTINED, &result.sides[i].measures);
        player->is_condemned |= guilty[i];
    }
    end_bout(contests, bout);
}

static int judge_crashes(struct contests *contests)
{
    for (int i = 0; i < contests->bout_count; i++) {
        const struct bout *bout = &contests->bouts[i];
        if (bout->state == CRASHED && player_of(contests, bout, 0)->suspicion >= INNOCENT &&
            player_of(contests, bout, 1)->suspicion >= INNOCENT)
            judge_crash(contests, i);
    }
    return go_on(contests);
}

/* A creature was tried alone: why it crashed, or NULL if it did not. */
static int tell_alone(struct contests *contests, uint64_t id, const char *crash)
{
    for (int i = 0; i < contests->player_count; i++) {
        struct player *player = &contests->players[i];
        if (player->individual->id != id || player->suspicion != ON_TRIAL)
            continue;
        player->suspicion = crash ? GUILTY : INNOCENT;
        snprintf(player->crash, sizeof player->crash, "%s", crash ? crash : "");
    }
    return judge_crashes(contests);
}

int contests_tell_crash(struct contests *contests, const struct task *task, const char *reason)
{
    if (task->bout == CONTESTS_ALONE)
        return tell_alone(contests, task->creature, reason);
    struct bout *bout = bout_of(contests, task->bout);
    bout->state = CRASHED;
    for (int i = 0; i < 2; i++) {
        struct player *player = &contests->players[bout->sides[i]];
        if (player->suspicion == UNSUSPECTED)
            player->suspicion = SUSPECTED;
    }
    contests->has_suspects = 1;
    return judge_crashes(contests);
}

int contests_tell(struct contests *contests, const struct task *task, const struct result *result)
{
    int number = task->bout;
    if (number == CONTESTS_ALONE)
        return tell_alone(contests, task->creature, NULL);
    struct bout *bout = bout_of(contests, number);
    ENSURE(bout->state == OUT && result->rival_count == 1, "bout %d has no such result", number);
    note_side(bout, 0, result->verdict, &result->measures);
    note_side(bout, 1, result->rivals[0].verdict, &result->rivals[0].measures);
    note_body(contests, number, 0, result->verdict, &result->measures);
    note_body(contests, number, 1, result->rivals[0].verdict, &result->rivals[0].measures);
    bout->digest = result->digest;
    end_bout(contests, bout);
    return go_on(contests);
}

/* ---- outcomes ---- */

/* Rounds that one did not reach count as lost by everything. */
static int count_missed(const struct contests *contests, const struct player *player)
{
    int rounds = 0;
    for (int i = 0; i < contests->population_count; i++)
        rounds = contests->players[i].rounds > rounds ? contests->players[i].rounds : rounds;
    return (rounds - player->rounds) * (int)contests->params->contest_headings;
}

/* Means over all bouts of one. */
static void sum_up(const struct contests *contests, int number, struct contests_outcome *outcome)
{
    const struct player *player = &contests->players[number];
    struct measures *measures = &outcome->measures;
    double count = 0, missed = count_missed(contests, player), margin = 0 - missed;
    double won = 0, touched = 0, approach = 0;
    outcome->digest = HASH_START;
    for (int i = 0; i < contests->bout_count; i++) {
        const struct bout *bout = &contests->bouts[i];
        int side = bout->sides[1] == number;
        if (bout->sides[side] != number)
            continue;
        count++;
        margin += bout->margins[side];
        won += bout->won[side];
        touched += bout->touched[side];
        approach += bout->approach[side];
        outcome->digest = hash_u64(outcome->digest, bout->digest);
    }
    measures->contests = count;
    measures->contest_margin = count + missed > 0 ? margin / (count + missed) : 0;
    measures->contest_won = count + missed > 0 ? won / (count + missed) : 0;
    measures->contest_touched = count > 0 ? touched / count : 0;
    measures->contest_approach = count > 0 ? approach / count : 0;
}

int contests_take(struct contests *contests, struct contests_outcome *outcome)
{
    int is_tournament = contests->params->contest_pattern == PATTERN_TOURNAMENT;
    for (int i = 0; contests->has_news && i < contests->population_count; i++) {
        struct player *player = &contests->players[i];
        if (!player->is_wanted || player->is_taken || player->left > 0 ||
            (is_tournament && contests->left > 0))
            continue;
        player->is_taken = 1;
        *outcome = (struct contests_outcome){
            .id = player->individual->id, .verdict = player->verdict, .measures = player->measures};
        sum_up(contests, i, outcome);
        if (player->is_condemned) {
            outcome->verdict = VERDICT_QUARANTINED;
            outcome->crash = player->crash;
        }
        return 1;
    }
    contests->has_news = 0;
    return 0;
}

void contests_get_progress(const struct contests *contests, int *left, int *count)
{
    *left = contests->left;
    *count = contests->bout_count;
}

void contests_get_bout(const struct contests *contests, int number, int first, double *margin,
                       double touched[2])
{
    const struct bout *bout = bout_of(contests, number);
    int side = bout->sides[1] == first;
    *margin = 0.5 * (bout->margins[side] - bout->margins[!side]);
    touched[0] = bout->touched[side];
    touched[1] = bout->touched[!side];
}

int contests_bouts_of_one(const struct params *params)
{
    return params->contest_goal == CONTEST_TAG && contests_species_count(params) == 1 ? 2 : 1;
}

double contests_exam_cost(const struct contests *contests)
{
    const struct params *params = contests->params;
    double bouts_of_one = count_bouts(params) / (double)params->population_size;
    return (1 << TRIAL_FINE_HALVINGS) * contests->bout_count / bouts_of_one;
}

void contests_get_exam(const struct contests *contests, int *won, int *count, int *rivals)
{
    int bouts = contests_bouts_of_one(contests->params);
    *won = 0;
    *count = contests->bout_count / bouts;
    *rivals = contests->rivals;
    for (int i = 0; i < contests->bout_count; i += bouts) {
        double margin = 0;
        for (int k = i; k < i + bouts; k++)
            margin += contests->bouts[k].margins[0] - contests->bouts[k].margins[1];
        *won += margin > 0;
    }
}

/* ---- the control: a search is told dice instead of results ---- */

/* Scores are drawn from this stream of RNG_CONTEST; leagues have stream 1. */
enum { STREAM_DRIFT = 2 };

/* The scores of a generation that is asked for. */
static void throw_dice(struct search *search, uint64_t seed)
{
    const struct individual *individual;
    struct rng rng;
    while ((individual = search_ask(search)) != NULL) {
        struct measures measures = {.contests = 1};
        uint64_t name = hash_u64(hash_u64(HASH_START, search_generation(search)), individual->id);
        rng_init(&rng, seed, RNG_CONTEST, STREAM_DRIFT, name);
        measures.contest_margin = rng_uniform(&rng, -1, 1);
        search_tell(search, individual->id, VERDICT_OK, &measures, 0);
    }
}

int drift_breed(const struct params *params, struct population *first, uint32_t last,
                int (*take)(void *context, uint32_t generation, const struct population *ranked),
                void *context)
{
    struct params own = *params;
    int status = 0;
    own.run_seed = (int64_t)(rng_mix_seed((uint64_t)params->run_seed, STREAM_DRIFT) >> 1);
    for (int i = 0; i < first->count; i++)
        first->individuals[i].has_result = 0;
    struct search *search = search_restore(&own, 0, first, DRIFT_FIRST_ID);
    if (!search)
        return ERR_MEMORY;
    while (!status) {
        throw_dice(search, (uint64_t)own.run_seed);
        ENSURE(search_is_complete(search), "generation %u lacks dice", search_generation(search));
        status = take(context, search_generation(search), search_population(search));
        if (search_generation(search) == last)
            break;
        if (!status)
            status = search_advance(search);
    }
    search_destroy(search);
    return status;
}
