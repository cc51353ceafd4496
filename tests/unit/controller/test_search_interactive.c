/* Choosing by hand: questions, survivors and parents, exactly as docs/evolution.md
 * says; and that neither the order of choices nor a restart changes anything. The simulator's place
 * is taken by a toy whose fitness is a function of the id. */
#include "tests/unit/search_fixture.h"

#define SIZE 20

static void set_up(void)
{
    params_set_defaults(&params);
    params.population_size = SIZE;
    set("seed=5", "evolution.generations=4", "evolution.search=sims",
        "evolution.behaviour=interactive");
    params.breeding_draws = 1; /* no places are filled again */
}

/* Each gets farther than the one born before; every fifth is disqualified. */
static void evaluate(void)
{
    const struct individual *one;
    while ((one = search_ask(search)) != NULL)
        tell_reach(one->id, one->id % 5 ? VERDICT_OK : VERDICT_OVERLAP, 0.01 * (double)one->id);
    while ((one = search_ask_referee(search)) != NULL) {
        struct measures measures = one->measures;
        search_tell_referee(search, one->id, VERDICT_OK, &measures);
    }
    ck_assert(search_is_complete(search));
}

static void make(void)
{
    begin();
    evaluate();
}

static void choose(uint64_t id, int choice)
{
    ck_assert_int_eq(search_choose(search, id, choice), 0);
}

static const struct individual *find(uint64_t id)
{
    return find_individual(search, id);
}

/* Children whose first parent is one of `parents` (0 at the end; NULL: anybody). */
static int count_children(const uint64_t *parents)
{
    int count = 0;
    for (each(child)) {
        int is_theirs = !parents;
        for (int k = 0; parents && parents[k]; k++)
            is_theirs |= child->parents[0] == parents[k];
        count += is_theirs && child->generation == search_generation(search) &&
                 child->method != METHOD_RANDOM;
    }
    return count;
}

#define children_of(...) count_children((const uint64_t[]){__VA_ARGS__, 0})

static int count_born(void)
{
    int count = 0;
    for (each(one))
        count += one->generation == search_generation(search);
    return count;
}

/* Of genomes and ids, by rank. */
static uint64_t hash_population(void)
{
    uint64_t hash = 0;
    for (each(one))
        hash = hash * 31 + genome_hash(&one->genome) + one->id;
    return hash;
}

/* ---- questions ---- */

TEST(asks_after_each_generation_but_the_last)
{
    for (params.interactive_every = 1; params.interactive_every <= 3; params.interactive_every++) {
        begin();
        for (uint32_t generation = 0;; generation++) {
            ck_assert(!search_wants_choices(search)); /* not before it is complete */
            evaluate();
            int is_asked = (generation + 1) % params.interactive_every == 0 && generation < 3;
            ck_assert_int_eq(search_wants_choices(search), is_asked);
            if (search_is_finished(search))
                break;
            advance(search);
        }
    }
}

TEST(nobody_is_asked_without_interactive)
{
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    make();
    ck_assert(!search_is_interactive(&params));
    ck_assert(!search_wants_choices(search));
    params.interactive_share = 0.01;
    ck_assert(search_is_interactive(&params));
}

/* The referee looks for scores that were gained unfairly: nothing of the kind can be, without a
 * goal. */
TEST(without_a_goal_there_is_no_referee)
{
    const struct individual *one;
    begin();
    while ((one = search_ask(search)) != NULL) {
        tell_reach(one->id, VERDICT_OK, 1);
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
    static const uint64_t survivors[] = {3, 7, 10};
    make();
    choose(3, CHOICE_BREED);
    choose(10, CHOICE_BREED); /* disqualified, but wanted */
    choose(7, CHOICE_KEEP);
    choose(8, CHOICE_BAN);
    ck_assert_int_eq(search_choose(search, 99, CHOICE_KEEP), ERR_MISSING);
    search_select(search);
    /* of equal fitness: breed, keep, nothing, ban */
    static const int ranks[][2] = {{0, 3}, {1, 7}, {2, 1}, {15, 8}, {16, 10}};
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(population->individuals[ranks[i][0]].id, ranks[i][1]);
    advance(search);
    ck_assert_int_eq(population->count, SIZE);
    ck_assert_int_eq(count_born(), SIZE - 3);
    ck_assert_int_eq(children_of(3, 10), SIZE - 3);
    for (int i = 0; i < 3; i++) {
        const struct individual *survivor = find(survivors[i]);
        ck_assert(survivor && survivor->choice == CHOICE_NONE && survivor->has_result);
    }
    /* both of them had children */
    ck_assert(children_of(3) > 0 && children_of(10) > 0);
}

TEST(the_kept_breed_if_nobody_else_does)
{
    make();
    choose(4, CHOICE_KEEP);
    advance(search);
    ck_assert_int_eq(children_of(4), SIZE - 1);
}

TEST(without_a_choice_all_that_are_not_banned_breed)
{
    static const uint64_t banned[] = {1, 2, 3, 4, 6, 7, 8, 9, 5, 10, 15, 20, 0};
    make();
    for (int i = 0; i < 8; i++)
        choose(banned[i], CHOICE_BAN);
    advance(search);
    ck_assert_int_eq(count_born(), SIZE);
    ck_assert_int_eq(count_children(NULL), SIZE);
    ck_assert_int_eq(count_children(banned), 0);
    /* all of them banned: fresh ones */
    evaluate();
    for (uint64_t id = SIZE + 1; id <= 2 * SIZE; id++)
        choose(id, CHOICE_BAN);
    advance(search);
    ck_assert_int_eq(count_born(), SIZE);
    ck_assert_int_eq(count_children(NULL), 0);
}

/* Where bodies do not mutate, bodies of which none was wanted live on, each with a new brain;
 * without a goal, and with one. */
TEST_LOOP(bodies_outlive_a_ban_of_everybody, 0, 2)
{
    static const int behaviours[] = {BEHAVIOUR_INTERACTIVE, BEHAVIOUR_PLATFORM};
    struct genome before[SIZE + 1];
    set("mutation.body=0", "interactive.share=0.5");
    int is_seen[SIZE + 1] = {0}, new_brains = 0;
    params.evolution_behaviour = behaviours[_i];
    make();
    for (uint64_t id = 1; id <= SIZE; id++) {
        genome_init(&before[id]);
        ck_assert_int_eq(genome_copy(&before[id], &find(id)->genome), 0);
        choose(id, CHOICE_BAN);
    }
    advance(search);
    ck_assert_int_eq(count_born(), SIZE);
    for (uint64_t id = SIZE + 1; id <= 2 * SIZE; id++) {
        const struct individual *child = find(id);
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
    make();
    for (uint64_t id = 1; id <= SIZE; id++)
        choose(id, CHOICE_KEEP);
    advance(search);
    ck_assert_int_eq(count_born(), 0);
    ck_assert(search_is_complete(search));
    ck_assert(search_wants_choices(search));
}

/* ---- places for the living ---- */

/* Every third is dead, and two after one another have one body. In the order of ids, or
 * backwards. */
static void tell_bodies(int is_backwards)
{
    uint64_t ids[8 * SIZE];
    while (!search_is_complete(search)) {
        const struct individual *one;
        int count = 0;
        while ((one = search_ask(search)) != NULL)
            ids[count++] = one->id;
        ck_assert_int_gt(count, 0);
        for (int i = 0; i < count; i++) {
            uint64_t id = ids[is_backwards ? count - 1 - i : i];
            struct measures measures = {.mass_kg = (double)(id / 2)};
            search_tell(search, id, id % 3 ? VERDICT_OK : VERDICT_MOTIONLESS, &measures, id);
        }
    }
}

/* Hash of the ranked population; the places at its head are of living, different bodies. */
static uint64_t check_places(void)
{
    ck_assert_int_gt(population->count, SIZE);
    for (int i = 0; i < SIZE; i++) {
        const struct individual *one = &population->individuals[i];
        ck_assert_uint_ne(one->id % 3, 0);
        for (int k = 0; k < i; k++)
            ck_assert(one->measures.mass_kg != population->individuals[k].measures.mass_kg);
    }
    return hash_population();
}

/* The order of results changes nothing. Children that fill places have the chosen parents. */
TEST(places_are_for_the_living)
{
    uint64_t hashes[2][2];
    params.breeding_draws = 8;
    for (int i = 0; i < 2; i++) {
        const struct individual *newborn;
        begin();
        tell_bodies(i);
        hashes[i][0] = check_places();
        ck_assert_int_eq(search_take_newborn(search, &newborn), 0);
        choose(4, CHOICE_BREED);
        choose(7, CHOICE_KEEP);
        search_select(search);
        advance(search);
        tell_bodies(i);
        hashes[i][1] = check_places();
        for (each(child))
            ck_assert(child->generation == 0 || child->parents[0] == 4);
    }
    ck_assert_mem_eq(hashes[0], hashes[1], sizeof hashes[0]);
}

/* Where all are dead it ends, with breeding.draws times as many births as places. */
TEST(filling_places_ends)
{
    const struct individual *one;
    params.breeding_draws = 3;
    begin();
    while ((one = search_ask(search)) != NULL)
        search_tell(search, one->id, VERDICT_OVERLAP, &(struct measures){.mass_kg = 1}, 1);
    ck_assert(search_is_complete(search));
    ck_assert_int_eq(population->count, 3 * SIZE);
}

/* ---- mixed with a goal ---- */

TEST(choices_and_goal_share_the_next_generation)
{
    static const uint64_t survivors[] = {18, 17, 2, 1, 0};
    set("evolution.behaviour=platform", "interactive.share=0.5", "population.survival=0.4");
    make();
    choose(2, CHOICE_BREED);
    choose(1, CHOICE_KEEP);
    choose(19, CHOICE_BAN); /* the best */
    search_select(search);
    ck_assert_uint_eq(population->individuals[0].id, 19);
    advance(search);
    /* (1 - 0.5) 0.4 20 = 4 survive: the two chosen ones, and the two best that are not banned */
    ck_assert_int_eq(count_born(), SIZE - 4);
    ck_assert_ptr_null(find(19));
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(find(survivors[i]));
    /* the first half of the children are of the chosen one, the others of survivors */
    for (uint64_t id = SIZE + 1; id <= SIZE + 8; id++)
        ck_assert_uint_eq(find(id)->parents[0], 2);
    ck_assert_int_ge(children_of(2), 8);
    ck_assert_int_eq(count_children(survivors), SIZE - 4);
}

/* A run without any choice is the run without interactive. */
TEST(without_a_choice_the_goal_decides)
{
    uint64_t hashes[2];
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    for (int i = 0; i < 2; i++) {
        params.interactive_share = i * 0.7;
        make();
        for (int generation = 1; generation < 3; generation++) {
            advance(search);
            evaluate();
        }
        hashes[i] = hash_population();
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
    make();
    choose(7, CHOICE_BAN); /* thought better of */
    for (int i = 0; i < 4; i++) {
        int k = is_backwards ? 3 - i : i;
        choose(wishes[k].id, wishes[k].choice);
    }
    if (is_restarted) {
        struct population stored = {.individuals = calloc(SIZE, sizeof(struct individual)),
                                    .count = SIZE};
        for (int i = 0; i < SIZE; i++)
            copy_individual(&stored.individuals[i], find((uint64_t)(SIZE - i)));
        drop_search();
        take(search_restore(&params, 0, &stored, SIZE + 1));
        ck_assert(search_wants_choices(search));
    }
    advance(search);
    return hash_population();
}

TEST(neither_order_nor_restart_matters)
{
    uint64_t hash = breed(0, 0);
    ck_assert_uint_eq(hash, breed(1, 0));
    ck_assert_uint_eq(hash, breed(0, 1));
}

SUITE("search_interactive", 0, set_up, drop_search)
