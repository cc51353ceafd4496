/* Choosing by hand: questions, survivors and parents, exactly as docs/evolution.md
 * says; and that neither the order of choices nor a restart changes anything. The simulator's place
 * is taken by a toy whose fitness is a function of the id. */
#include "controller/evolution/search.h"
#include "tests/plain_fixture.h"

OWNER(search, search_destroy)

#define SIZE 20

static void set_up(void)
{
    params_set_defaults(&params);
    params.run_seed = 5;
    params.population_size = SIZE;
    params.evolution_generations = 4;
    params.evolution_search = SEARCH_SIMS;
    params.evolution_behaviour = BEHAVIOUR_INTERACTIVE;
    params.breeding_draws = 1; /* no places are filled again */
}

/* Each gets farther than the one born before; every fifth is disqualified. */
static void evaluate(struct search *search)
{
    const struct individual *individual;
    struct measures measures = {.reach_m = 0};
    while ((individual = search_ask(search)) != NULL) {
        uint64_t id = individual->id;
        measures.reach_m = 0.01 * (double)id;
        search_tell(search, id, id % 5 ? VERDICT_OK : VERDICT_OVERLAP, &measures, id);
    }
    while ((individual = search_ask_referee(search)) != NULL) {
        measures = individual->measures;
        search_tell_referee(search, individual->id, VERDICT_OK, &measures);
    }
    ck_assert(search_is_complete(search));
}

static struct search *make(void)
{
    struct search *search = search_create(&params, NULL);
    ck_assert_ptr_nonnull(search);
    evaluate(search);
    return search;
}

static const struct individual *find(const struct search *search, uint64_t id)
{
    const struct population *population = search_population(search);
    for (int i = 0; i < population->count; i++)
        if (population->individuals[i].id == id)
            return &population->individuals[i];
    return NULL;
}

/* Children whose first parent is one of `parents` (0 at the end; NULL: anybody). */
static int count_children(const struct search *search, const uint64_t *parents)
{
    const struct population *population = search_population(search);
    int count = 0;
    for (int i = 0; i < population->count; i++) {
        const struct individual *child = &population->individuals[i];
        if (child->generation != search_generation(search) || child->method == METHOD_RANDOM)
            continue;
        int is_theirs = !parents;
        for (int k = 0; parents && parents[k]; k++)
            is_theirs |= child->parents[0] == parents[k];
        count += is_theirs;
    }
    return count;
}

static int count_born(const struct search *search)
{
    const struct population *population = search_population(search);
    int count = 0;
    for (int i = 0; i < population->count; i++)
        count += population->individuals[i].generation == search_generation(search);
    return count;
}

/* Of genomes and ids, by rank. */
static uint64_t hash_population(const struct search *search)
{
    const struct population *population = search_population(search);
    uint64_t hash = 0;
    for (int i = 0; i < population->count; i++) {
        const struct individual *one = &population->individuals[i];
        hash = hash * 31 + genome_hash(&one->genome) + one->id;
    }
    return hash;
}

/* ---- questions ---- */

TEST(asks_after_each_generation_but_the_last)
{
    for (params.interactive_every = 1; params.interactive_every <= 3; params.interactive_every++) {
        OWNED(search) *search = search_create(&params, NULL);
        for (uint32_t generation = 0;; generation++) {
            ck_assert(!search_wants_choices(search)); /* not before it is complete */
            evaluate(search);
            int is_asked = (generation + 1) % params.interactive_every == 0 && generation < 3;
            ck_assert_int_eq(search_wants_choices(search), is_asked);
            if (search_is_finished(search))
                break;
            ck_assert_int_eq(search_advance(search), 0);
        }
    }
}

TEST(nobody_is_asked_without_interactive)
{
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    struct search *search = make();
    ck_assert(!search_is_interactive(&params));
    ck_assert(!search_wants_choices(search));
    search_destroy(search);
    params.interactive_share = 0.01;
    ck_assert(search_is_interactive(&params));
}

/* The referee looks for scores that were gained unfairly: nothing of the kind can be, without a
 * goal. */
TEST(without_a_goal_there_is_no_referee)
{
    OWNED(search) *search = search_create(&params, NULL);
    const struct individual *individual;
    struct measures measures = {.reach_m = 1};
    while ((individual = search_ask(search)) != NULL) {
        search_tell(search, individual->id, VERDICT_OK, &measures, 1);
        ck_assert_ptr_null(search_ask_referee(search));
    }
    ck_assert(search_is_complete(search));
}

TEST(archive_is_refused)
{
    params.evolution_search = SEARCH_ARCHIVE;
    ck_assert_int_eq(search_check_params(&params, &error), ERR_RANGE);
    params.evolution_behaviour = BEHAVIOUR_WALK;
    ck_assert_int_eq(search_check_params(&params, &error), 0);
    params.interactive_share = 0.5;
    ck_assert_int_eq(search_check_params(&params, &error), ERR_RANGE);
    params.evolution_search = SEARCH_SIMS;
    ck_assert_int_eq(search_check_params(&params, &error), 0);
}

/* ---- without a goal ---- */

TEST(children_are_of_those_who_were_chosen)
{
    OWNED(search) *search = make();
    ck_assert_int_eq(search_choose(search, 3, CHOICE_BREED), 0);
    ck_assert_int_eq(search_choose(search, 10, CHOICE_BREED), 0); /* disqualified, but wanted */
    ck_assert_int_eq(search_choose(search, 7, CHOICE_KEEP), 0);
    ck_assert_int_eq(search_choose(search, 8, CHOICE_BAN), 0);
    ck_assert_int_eq(search_choose(search, 99, CHOICE_KEEP), ERR_MISSING);
    search_select(search);
    /* of equal fitness: breed, keep, nothing, ban */
    ck_assert_uint_eq(search_population(search)->individuals[0].id, 3);
    ck_assert_uint_eq(search_population(search)->individuals[1].id, 7);
    ck_assert_uint_eq(search_population(search)->individuals[2].id, 1);
    ck_assert_uint_eq(search_population(search)->individuals[15].id, 8);
    ck_assert_uint_eq(search_population(search)->individuals[16].id, 10);
    ck_assert_int_eq(search_advance(search), 0);
    ck_assert_int_eq(search_population(search)->count, SIZE);
    ck_assert_int_eq(count_born(search), SIZE - 3);
    ck_assert_int_eq(count_children(search, (const uint64_t[]){3, 10, 0}), SIZE - 3);
    const uint64_t survivors[] = {3, 7, 10};
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_nonnull(find(search, survivors[i]));
        ck_assert_int_eq(find(search, survivors[i])->choice, CHOICE_NONE);
        ck_assert(find(search, survivors[i])->has_result);
    }
    /* both of them had children */
    ck_assert_int_gt(count_children(search, (const uint64_t[]){3, 0}), 0);
    ck_assert_int_gt(count_children(search, (const uint64_t[]){10, 0}), 0);
}

TEST(the_kept_breed_if_nobody_else_does)
{
    OWNED(search) *search = make();
    search_choose(search, 4, CHOICE_KEEP);
    ck_assert_int_eq(search_advance(search), 0);
    ck_assert_int_eq(count_children(search, (const uint64_t[]){4, 0}), SIZE - 1);
}

TEST(without_a_choice_all_that_are_not_banned_breed)
{
    static const uint64_t banned[] = {1, 2, 3, 4, 6, 7, 8, 9, 5, 10, 15, 20, 0};
    OWNED(search) *search = make();
    for (int i = 0; i < 8; i++)
        search_choose(search, banned[i], CHOICE_BAN);
    ck_assert_int_eq(search_advance(search), 0);
    ck_assert_int_eq(count_born(search), SIZE);
    ck_assert_int_eq(count_children(search, NULL), SIZE);
    ck_assert_int_eq(count_children(search, banned), 0);
    /* all of them banned: fresh ones */
    evaluate(search);
    for (uint64_t id = SIZE + 1; id <= 2 * SIZE; id++)
        ck_assert_int_eq(search_choose(search, id, CHOICE_BAN), 0);
    ck_assert_int_eq(search_advance(search), 0);
    ck_assert_int_eq(count_born(search), SIZE);
    ck_assert_int_eq(count_children(search, NULL), 0);
}

/* Where bodies do not mutate, bodies of which none was wanted live on, each with a new brain;
 * without a goal, and with one. */
TEST_LOOP(bodies_outlive_a_ban_of_everybody, 0, 2)
{
    static const int behaviours[] = {BEHAVIOUR_INTERACTIVE, BEHAVIOUR_PLATFORM};
    struct genome before[SIZE + 1];
    params.mutation_body = 0;
    params.interactive_share = 0.5;
    int is_seen[SIZE + 1] = {0}, new_brains = 0;
    params.evolution_behaviour = behaviours[_i];
    OWNED(search) *search = make();
    for (uint64_t id = 1; id <= SIZE; id++) {
        genome_init(&before[id]);
        ck_assert_int_eq(genome_copy(&before[id], &find(search, id)->genome), 0);
        ck_assert_int_eq(search_choose(search, id, CHOICE_BAN), 0);
    }
    ck_assert_int_eq(search_advance(search), 0);
    ck_assert_int_eq(count_born(search), SIZE);
    for (uint64_t id = SIZE + 1; id <= 2 * SIZE; id++) {
        const struct individual *child = find(search, id);
        uint64_t of = child->parents[0];
        ck_assert(of >= 1 && of <= SIZE);
        is_seen[of]++;
        ck_assert_uint_eq(child->genome.root, before[of].root);
        ck_assert_int_eq(child->genome.body_count, before[of].body_count);
        ck_assert_int_eq(child->genome.connection_count, before[of].connection_count);
        new_brains += genome_hash(&child->genome) != genome_hash(&before[of]);
    }
    ck_assert_int_gt(new_brains, SIZE / 2); /* a body without a joint may have none */
    for (uint64_t id = 1; id <= SIZE; id++) {
        ck_assert_int_eq(is_seen[id], 1);
        genome_deinit(&before[id]);
    }
}

TEST(everybody_may_be_kept)
{
    OWNED(search) *search = make();
    for (uint64_t id = 1; id <= SIZE; id++)
        search_choose(search, id, CHOICE_KEEP);
    ck_assert_int_eq(search_advance(search), 0);
    ck_assert_int_eq(count_born(search), 0);
    ck_assert(search_is_complete(search));
    ck_assert(search_wants_choices(search));
}

/* ---- places for the living ---- */

/* Every third is dead, and two after one another have one body. In the order of ids, or
 * backwards. */
static void tell_bodies(struct search *search, int is_backwards)
{
    uint64_t ids[8 * SIZE];

    while (!search_is_complete(search)) {
        const struct individual *individual;
        int count = 0;
        while ((individual = search_ask(search)) != NULL)
            ids[count++] = individual->id;
        ck_assert_int_gt(count, 0);
        for (int i = 0; i < count; i++) {
            uint64_t id = ids[is_backwards ? count - 1 - i : i];
            struct measures measures = {.mass_kg = (double)(id / 2)};
            search_tell(search, id, id % 3 ? VERDICT_OK : VERDICT_MOTIONLESS, &measures, id);
        }
    }
}

/* Hash of the ranked population; the places at its head are of living, different bodies. */
static uint64_t check_places(const struct search *search)
{
    const struct population *population = search_population(search);

    ck_assert_int_gt(population->count, SIZE);
    for (int i = 0; i < SIZE; i++) {
        const struct individual *one = &population->individuals[i];
        ck_assert_uint_ne(one->id % 3, 0);
        for (int k = 0; k < i; k++)
            ck_assert(one->measures.mass_kg != population->individuals[k].measures.mass_kg);
    }
    return hash_population(search);
}

/* The order of results changes nothing. Children that fill places have the chosen parents. */
TEST(places_are_for_the_living)
{
    uint64_t hashes[2][2];

    params.breeding_draws = 8;
    for (int i = 0; i < 2; i++) {
        const struct individual *newborn;
        OWNED(search) *search = search_create(&params, NULL);
        tell_bodies(search, i);
        hashes[i][0] = check_places(search);
        ck_assert_int_eq(search_take_newborn(search, &newborn), 0);
        search_choose(search, 4, CHOICE_BREED);
        search_choose(search, 7, CHOICE_KEEP);
        search_select(search);
        ck_assert_int_eq(search_advance(search), 0);
        tell_bodies(search, i);
        hashes[i][1] = check_places(search);
        for (int k = 0; k < search_population(search)->count; k++) {
            const struct individual *child = &search_population(search)->individuals[k];
            ck_assert(child->generation == 0 || child->parents[0] == 4);
        }
    }
    ck_assert_uint_eq(hashes[0][0], hashes[1][0]);
    ck_assert_uint_eq(hashes[0][1], hashes[1][1]);
}

/* Where all are dead it ends, with breeding.draws times as many births as places. */
TEST(filling_places_ends)
{
    const struct individual *individual;
    struct measures measures = {.mass_kg = 1};

    params.breeding_draws = 3;
    OWNED(search) *search = search_create(&params, NULL);
    while ((individual = search_ask(search)) != NULL)
        search_tell(search, individual->id, VERDICT_OVERLAP, &measures, 1);
    ck_assert(search_is_complete(search));
    ck_assert_int_eq(search_population(search)->count, 3 * SIZE);
}

/* ---- mixed with a goal ---- */

TEST(choices_and_goal_share_the_next_generation)
{
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    params.interactive_share = 0.5;
    params.population_survival = 0.4;
    OWNED(search) *search = make();
    search_choose(search, 2, CHOICE_BREED);
    search_choose(search, 1, CHOICE_KEEP);
    search_choose(search, 19, CHOICE_BAN); /* the best */
    search_select(search);
    ck_assert_uint_eq(search_population(search)->individuals[0].id, 19);
    ck_assert_int_eq(search_advance(search), 0);
    /* (1 - 0.5) 0.4 20 = 4 survive: the two chosen ones, and the two best that are not banned */
    ck_assert_int_eq(count_born(search), SIZE - 4);
    ck_assert_ptr_null(find(search, 19));
    const uint64_t survivors[] = {18, 17, 2, 1, 0};
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(find(search, survivors[i]));
    /* the first half of the children are of the chosen one, the others of survivors */
    for (uint64_t id = SIZE + 1; id <= SIZE + 8; id++)
        ck_assert_uint_eq(find(search, id)->parents[0], 2);
    ck_assert_int_ge(count_children(search, (const uint64_t[]){2, 0}), 8);
    ck_assert_int_eq(count_children(search, survivors), SIZE - 4);
}

/* A run without any choice is the run without interactive. */
TEST(without_a_choice_the_goal_decides)
{
    uint64_t hashes[2];
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    for (int i = 0; i < 2; i++) {
        params.interactive_share = i * 0.7;
        OWNED(search) *search = make();
        for (int generation = 1; generation < 3; generation++) {
            ck_assert_int_eq(search_advance(search), 0);
            evaluate(search);
        }
        hashes[i] = hash_population(search);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
}

/* ---- order and restart ---- */

/* The children after choices given in one of two orders, with or without a restart between. */
static uint64_t breed(int is_backwards, int is_restarted)
{
    static const struct {
        uint64_t id;
        int choice;
    } wishes[] = {{3, CHOICE_BREED}, {7, CHOICE_KEEP}, {8, CHOICE_BAN}, {9, CHOICE_BREED}};
    OWNED(search) *search = make();
    search_choose(search, 7, CHOICE_BAN); /* thought better of */
    for (int i = 0; i < 4; i++) {
        int k = is_backwards ? 3 - i : i;
        ck_assert_int_eq(search_choose(search, wishes[k].id, wishes[k].choice), 0);
    }
    if (is_restarted) {
        struct population population = {.count = SIZE};
        population.individuals = calloc(SIZE, sizeof *population.individuals);
        for (int i = 0; i < SIZE; i++) {
            const struct individual *from = find(search, (uint64_t)(SIZE - i));
            struct individual *to = &population.individuals[i];
            *to = *from;
            to->packed = (struct packed_bytes){NULL, 0};
            ck_assert_int_eq(genome_copy(&to->genome, &from->genome), 0);
        }
        search_destroy(search);
        search = search_restore(&params, 0, &population, SIZE + 1);
        ck_assert_ptr_nonnull(search);
        ck_assert(search_wants_choices(search));
    }
    ck_assert_int_eq(search_advance(search), 0);
    return hash_population(search);
}

TEST(neither_order_nor_restart_matters)
{
    uint64_t hash = breed(0, 0);
    ck_assert_uint_eq(hash, breed(1, 0));
    ck_assert_uint_eq(hash, breed(0, 1));
}

SUITE("search_interactive", 0, set_up, NULL)
