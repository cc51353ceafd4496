/* Seeds of a run: they come in unchanged but for the ids, which belong to the run; relatives stay
 * aligned; mutants fill the share asked for; it repeats; it is the same after the store. */
#include "controller/evolution/seeding.h"

#include "common/genetics/genetics.h"
#include "controller/store/store.h"
#include "tests/unit/genome_fixture.h"
#include "tests/unit/directory_fixture.h"
#include "tests/unit/search_fixture.h"

enum { COUNT = 30 };

static struct seeding seeding;

static void set_up(void)
{
    params_set_defaults(&params);
    params.population_size = COUNT;
    params.run_seed = 5;
    seeding = (struct seeding){NULL, 0};
}

static void tear_down(void)
{
    drop_search();
    seeding_deinit(&seeding);
}

/* ---- seeds ---- */

static void add(const struct genome *genome, const char *source)
{
    struct creature creature;
    creature_init(&creature);
    creature.id = 812;
    strcpy(creature.name, "a worm");
    ck_assert_int_eq(genome_copy(&creature.genome, genome), 0);
    ck_assert_int_eq(seeding_add(&seeding, source, &creature, &error), 0);
    ck_assert_int_eq(creature.genome.body_count, 0);
}

/* The fixture, which uses everything, and two relatives with ids of another run. */
static void add_three(void)
{
    struct gene_counter ids = {.creature = 3}, child_ids = {.creature = 9};
    SCOPED(genome) genome;
    char text[1024];
    struct rng rng = test_rng(1, 0, 0);
    fixture_make(&genome);
    genome.bodies[0].id = genome.root = INT64_MAX;
    for (int i = 0; i < genome.connection_count; i++)
        if (genome.connections[i].from == TRUNK)
            genome.connections[i].from = INT64_MAX;
    for (int i = 0; i < genome.neuron_count; i++) {
        if (genome.neurons[i].owner == TRUNK)
            genome.neurons[i].owner = INT64_MAX;
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            if (genome.neurons[i].inputs[k].scope == SCOPE_PART &&
                genome.neurons[i].inputs[k].via == TRUNK)
                genome.neurons[i].inputs[k].via = INT64_MAX;
    }
    ck_ok(genome_check(&genome, &error));
    add(&genome, "fixture.json");
    genome_deinit(&genome);
    ck_assert_int_eq(genetics_random(&genome, &params, &rng, &ids), 0);
    add(&genome, "parent.creature");
    ck_assert_int_eq(genetics_mutate(&genome, 4, &params, &rng, &child_ids, text, sizeof(text)), 0);
    add(&genome, "runs/walk-1:9");
}

/* The search that begins with them. */
static void begin_seeded(void)
{
    drop_search();
    take(search_create(&params, &seeding));
}

/* ---- tests ---- */

/* What is left of a genome without its ids: rows in the place of the ids they lead to. */
static uint64_t hash_without_ids(const struct genome *genome)
{
    SCOPED(genome) plain;
    ck_assert_int_eq(genome_copy(&plain, genome), 0);
#define BODY_ROW(id) ((gene_id)(1 + genome_find_body(genome, id)))
#define PLAIN_INPUT(input)                                                                         \
    do {                                                                                           \
        (input)->source = (gene_id)(1 + genome_find_neuron(genome, (input)->source));              \
        (input)->via = (gene_id)(100 * (1 + genome_find_connection(genome, (input)->via))) +       \
                       BODY_ROW((input)->via);                                                     \
    } while (0)
    plain.root = BODY_ROW(genome->root);
    for (int i = 0; i < plain.body_count; i++) {
        plain.bodies[i].id = 0;
        PLAIN_INPUT(&plain.bodies[i].effector_input);
    }
    for (int i = 0; i < plain.connection_count; i++) {
        plain.connections[i].id = 0;
        plain.connections[i].from = BODY_ROW(plain.connections[i].from);
        plain.connections[i].to = BODY_ROW(plain.connections[i].to);
    }
    for (int i = 0; i < plain.neuron_count; i++) {
        plain.neurons[i].id = 0;
        plain.neurons[i].owner = BODY_ROW(plain.neurons[i].owner);
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            PLAIN_INPUT(&plain.neurons[i].inputs[k]);
    }
    return genome_hash(&plain);
}

TEST(seeds_are_the_first_individuals)
{
    add_three();
    begin_seeded();
    ck_assert_int_eq(population->count, COUNT);
    for (int i = 0; i < 3; i++) {
        const struct individual *seed = &population->individuals[i];
        ck_assert_int_eq(seed->method, METHOD_SEED);
        ck_assert_uint_eq(seed->id, (uint64_t)i + 1);
        ck_assert_uint_eq(seed->parents[0], 0);
        ck_assert_str_eq(seed->mutations, "");
        ck_ok(genome_check(&seed->genome, &error));
        ck_assert(hash_without_ids(&seed->genome) ==
                  hash_without_ids(&seeding.seeds[i].creature.genome));
    }
    ck_assert_str_eq(breeding_method_names[METHOD_SEED], "seed");
}

/* No gene of a seed has an id that a creature still to be born might give. */
TEST(ids_are_of_the_run)
{
    add_three();
    begin_seeded();
    for (int i = 0; i < 3; i++) {
        const struct genome *genome = &population->individuals[i].genome;
        for (int k = 0; k < genome->body_count; k++)
            ck_assert_uint_le(genome->bodies[k].id >> 10, (gene_id)i + 1);
        for (int k = 0; k < genome->connection_count; k++)
            ck_assert_uint_le(genome->connections[k].id >> 10, (gene_id)i + 1);
        for (int k = 0; k < genome->neuron_count; k++) {
            ck_assert_uint_le(genome->neurons[k].id >> 10, (gene_id)i + 1);
            ck_assert_uint_ge(genome->neurons[k].id >> 10, 1);
        }
    }
}

TEST(relatives_stay_aligned)
{
    int shared = 0;
    add_three();
    begin_seeded();
    const struct genome *parent = &population->individuals[1].genome;
    const struct genome *child = &population->individuals[2].genome;
    const struct genome *old_parent = &seeding.seeds[1].creature.genome;
    const struct genome *old_child = &seeding.seeds[2].creature.genome;
    for (int i = 0; i < child->body_count; i++)
        for (int k = 0; k < parent->body_count; k++) {
            int was_shared = old_child->bodies[i].id == old_parent->bodies[k].id;
            ck_assert_int_eq(child->bodies[i].id == parent->bodies[k].id, was_shared);
            shared += was_shared;
        }
    ck_assert_int_gt(shared, 0);
}

TEST_LOOP(mutants_fill_the_share, 0, 3)
{
    static const int filled[] = {3, 15, 30};
    add_three();
    params.evolution_seeded_share = _i / 2.0;
    begin_seeded();
    for (int i = 3; i < COUNT; i++) {
        const struct individual *individual = &population->individuals[i];
        ck_ok(genome_check(&individual->genome, &error));
        if (i >= filled[_i]) {
            ck_assert_int_eq(individual->method, METHOD_RANDOM);
            continue;
        }
        const struct individual *seed = &population->individuals[(i - 3) % 3];
        ck_assert_int_eq(individual->method, METHOD_ASEXUAL);
        ck_assert_uint_eq(individual->parents[0], seed->id);
        ck_assert_str_ne(individual->mutations, "");
        ck_assert(!genome_is_equal(&individual->genome, &seed->genome));
    }
}

static void assert_equal(const struct population *a, const struct population *b)
{
    ck_assert_int_eq(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        ck_assert(genome_is_equal(&a->individuals[i].genome, &b->individuals[i].genome));
        ck_assert_uint_eq(a->individuals[i].seed, b->individuals[i].seed);
        ck_assert_str_eq(a->individuals[i].mutations, b->individuals[i].mutations);
    }
}

/* What the store keeps of the seeds gives the same first generation, should the run die before that
 * is stored; and a run without seeds has none. */
TEST_LOOP(stored_seeds_give_the_same_generation, 0, 2)
{
    SCOPED(seeding) read;
    struct store *store;
    open_directory();
    if (_i)
        add_three();
    ck_ok(store_create(&store, within("run.db"), &params, &seeding, NULL, NULL, &error));
    store_close(store);
    ck_ok(store_open(&store, within("run.db"), 1, &error));
    ck_ok(store_get_seeds(store, &read, &error));
    ck_assert_int_eq(read.count, seeding.count);
    for (int i = 0; i < read.count; i++) {
        ck_assert_str_eq(read.seeds[i].source, seeding.seeds[i].source);
        ck_assert_str_eq(read.seeds[i].creature.name, "a worm");
    }
    begin_seeded();
    OWNED(search) *again = search_create(&params, &read);
    assert_equal(population, search_population(again));
    store_close(store);
    close_directory();
}

TEST(too_many_seeds_are_refused)
{
    SCOPED(creature) creature;
    SCOPED(genome) genome;
    fixture_make(&genome);
    for (int i = 0; i < SEEDS_MAX; i++)
        add(&genome, "x");
    creature_init(&creature);
    ck_refused_as(seeding_add(&seeding, "last", &creature, &error), ERR_LIMIT,
                  "last: more than 64 seeds");
    ck_assert_int_eq(seeding.count, SEEDS_MAX);
}

SUITE("seeding", 0, set_up, tear_down)
