/* The run store: what goes in comes out, bit for bit; what is committed survives the process;
 * damage is an error and never a crash. runs: watched */
#include "controller/store/store.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/store/schema.h"
#include "common/system/file.h"
#include "controller/evolution/referee.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

OWNER(epoch_order, epoch_order_destroy)

#define POPULATION 7

static char path[96];
/* The run of a test; both are NULL where there is none. */
static struct store *store;
static struct search *search;
static struct store_status status;
/* What put_params() has changed. */
static struct store_change change;

/* ---- a run to store ---- */

static void close_store(void)
{
    store_close(store);
    store = NULL;
}

/* The last answers of the run; each holds until the next one of its kind. */
static struct population found;
static struct creature creature;
static struct store_entry *entries;
static int entry_count;

static void forget_found(void)
{
    for (int i = 0; i < found.count; i++)
        individual_deinit(&found.individuals[i]);
    free(found.individuals);
    found = (struct population){0};
    creature_deinit(&creature);
    free(entries);
    entries = NULL;
}

static const struct store_status *status_now(void)
{
    ck_ok(store_get_status(store, &status, &error));
    return &status;
}

static void get_population(uint32_t generation)
{
    forget_found();
    ck_ok(store_get_population(store, generation, &found, &error));
}

static const struct creature *get_creature(uint64_t id)
{
    forget_found();
    ck_ok(stored_get_creature(store_database(store), id, &creature, &error));
    return &creature;
}

/* The best of that generation; returns which one it is. */
static uint32_t get_best(int64_t generation, enum store_order order, int top)
{
    uint32_t which;
    forget_found();
    ck_ok(store_get_best(store, generation, order, top, &entries, &entry_count, &which, &error));
    return which;
}

static void open_file(const char *file, int is_read_only)
{
    close_store();
    ck_ok(store_open(&store, file, is_read_only, &error));
}

/* Closes the run where it is open. */
static void reopen(int is_read_only)
{
    open_file(path, is_read_only);
}

static void create_store(void)
{
    ck_ok(store_create(&store, path, &params, NULL, NULL, NULL, &error));
}

static void put_params(void)
{
    ck_ok(store_put_params(store, &params, 1, &change, &error));
}

static void take_search(struct search *taken)
{
    search_destroy(search);
    search = taken;
    ck_assert_ptr_nonnull(search);
}

static void set_up(void)
{
    open_directory();
    snprintf(path, sizeof path, "%s/run.db", directory);
    memset(&error, 0, sizeof error);
    params_set_defaults(&params);
    params.population_size = POPULATION;
    set("evolution.search=sims", "seed=11", "evolution.generations=3");
}

static void tear_down(void)
{
    forget_found();
    close_store();
    search_destroy(search);
    search = NULL;
    close_directory();
}

/* Made-up measures, different for each creature and with all bits of the mantissa in use. */
static void measure(uint64_t id, struct measures *measures)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        measures_set(measures, i, (double)((id * 37 + (uint64_t)i * 11) % 101) / 7.0);
}

static int verdict_for(uint64_t id)
{
    return id % 5 == 0 ? VERDICT_OVERLAP : VERDICT_OK;
}

/* Every fourth has the result of the first. */
static uint64_t reused_by(uint64_t id)
{
    return id % 4 == 0;
}

/* What the referee leaves of a score. */
static double referee_share = 1;

/* The referee sees whom it wants to see, and refuses every third. */
static void referee(void)
{
    const struct individual *individual;
    while ((individual = search_ask_referee(search)) != NULL) {
        uint64_t id = individual->id;
        struct measures measures = individual->measures;
        measures.distance_m *= id % 3 ? referee_share : 0;
        individual = search_tell_referee(search, id, VERDICT_OK, &measures);
        ck_assert_ptr_nonnull(individual);
        ck_ok(store_put_referee(store, individual, &error));
    }
}

/* Tells and stores results for up to `count` of those that wait, and the referee's after the last;
 * returns how many there were. */
static uint64_t seeds[1000]; /* of those evaluated, by id */

static int evaluate(int count)
{
    int done = 0;
    const struct individual *individual;
    while (done < count && (individual = search_ask(search)) != NULL) {
        struct measures measures;
        uint64_t id = individual->id;
        ck_assert_uint_lt(id, sizeof seeds / sizeof *seeds);
        seeds[id] = individual->seed;
        struct store_cost cost = {.task = {1.5, 1.25, 4096},
                                  .simulations = !reused_by(id),
                                  .worker = 3,
                                  .attempt = 1,
                                  .reused = reused_by(id),
                                  .pace_least_m_s = 1.0 / (double)id};
        measure(id, &measures);
        individual = search_tell(search, id, verdict_for(id), &measures, UINT64_MAX - id);
        ck_assert_ptr_nonnull(individual);
        ck_ok(store_put_cost(store, id, &(struct trial){.purpose = TRIAL_FIRST}, &cost, &error));
        ck_ok(store_put_result(store, individual, &error));
        done++;
    }
    referee();
    return done;
}

static void next_generation(void)
{
    SCOPED(generation_closing) closing;
    uint32_t generation = search_generation(search);
    ck_assert(search_is_complete(search));
    ck_ok(generation_closing_init(&closing, search_population(search),
                                  search_survivor_count(search)));
    ck_ok(search_advance(search));
    ck_ok(store_put_generation(store, generation + 1, search_population(search), &closing, &error));
}

static void finish(void)
{
    SCOPED(generation_closing) closing;
    ck_ok(generation_closing_init(&closing, search_population(search),
                                  search_survivor_count(search)));
    ck_ok(store_finish(store, search_generation(search), &closing, &error));
}

static void begin_run(void)
{
    create_store();
    take_search(search_create(&params, NULL));
    ck_ok(store_put_generation(store, 0, search_population(search), NULL, &error));
}

/* A run in generation 1 with `evaluated` of its creatures evaluated. */
static void make_run(int evaluated)
{
    begin_run();
    ck_assert_int_eq(evaluate(POPULATION), POPULATION);
    next_generation();
    evaluate(evaluated);
}

static void make_finished_run(void)
{
    make_run(POPULATION);
    finish();
    close_store();
}

/* ---- round trips ---- */

TEST(test_create_refuses_to_overwrite)
{
    struct store *second;
    create_store();
    close_store();
    ck_assert_int_eq(store_create(&second, path, &params, NULL, NULL, NULL, &error), ERR_EXISTS);
    ck_assert_ptr_null(second);
    ck_assert_ptr_nonnull(strstr(error.message, path));
}

TEST(test_params_come_back)
{
    struct params kept;
    set("world.preset=water", "world.gravity_m_s2=0.1", "name=a = b \"c\"");
    params.run_seed = INT64_MAX;
    create_store();
    reopen(1);
    ck_ok(store_get_params(store, &kept, &error));
    close_store();
    for (int i = 0; i < param_count; i++) {
        char a[512], b[512];
        params_print_value(&params, i, a, sizeof a);
        params_print_value(&kept, i, b, sizeof b);
        ck_assert_str_eq(a, b);
    }
}

static char *read_file(size_t *length)
{
    char *bytes;
    ck_ok(file_read(path, 1 << 24, &bytes, length, &error));
    return bytes;
}

static void write_copy(const char *copy, const char *bytes, size_t length)
{
    FILE *file = fopen(copy, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(bytes, 1, length, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void check_equal(const struct individual *a, const struct individual *b)
{
    ck_assert_uint_eq(a->id, b->id);
    ck_assert_uint_eq(a->generation, b->generation);
    ck_assert_int_eq(a->method, b->method);
    ck_assert_uint_eq(a->parents[0], b->parents[0]);
    ck_assert_uint_eq(a->parents[1], b->parents[1]);
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_str_eq(a->mutations, b->mutations);
    ck_assert(genome_is_equal(&a->genome, &b->genome));
    ck_assert_int_eq(a->has_result, b->has_result);
    if (!a->has_result)
        return;
    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert_uint_eq(a->digest, b->digest);
    ck_assert(a->fitness == b->fitness);
    ck_assert_int_eq(a->heard, b->heard);
    ck_assert(a->kept == b->kept);
    ck_assert(a->referee_fitness == b->referee_fitness);
    ck_assert_str_eq(a->referee_words, b->referee_words);
    ck_assert_int_eq(memcmp(&a->measures, &b->measures, sizeof a->measures), 0);
}

TEST(test_population_comes_back)
{
    make_run(3);
    reopen(0);
    get_population(1);
    const struct population *kept = search_population(search);
    ck_assert_int_eq(found.count, kept->count);
    for (int i = 0; i < found.count; i++)
        check_equal(&kept->individuals[i], &found.individuals[i]);
    forget_found();
    ck_assert_int_eq(store_get_population(store, 9, &found, &error), ERR_FORMAT);
}

/* Closes the run, too. */
static void run_sql(const char *sql)
{
    sqlite3 *database;
    char *message = NULL;
    close_store();
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_exec(database, sql, NULL, NULL, &message);
    ck_assert_msg(!message, "%s: %s", sql, message);
    sqlite3_close(database);
}

static int64_t ask_sql(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *row;
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    ck_assert_msg(sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(database));
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(database);
    return number;
}

/* A creature's rows are written once: when it is born, when it has its result, when its generation
 * is closed. */
TEST(test_rows_by_age)
{
    static const char births[] = "SELECT count(*) FROM births";
    static const char members[] = "SELECT count(*) FROM members WHERE generation = 1";
    make_run(0);
    int survivors = search_survivor_count(search);
    ck_ok(store_commit(store, &error));
    ck_assert_int_eq(ask_sql("SELECT count(*) FROM individuals"), POPULATION);
    ck_assert_int_eq(ask_sql(births), POPULATION - survivors);
    ck_assert_int_eq(ask_sql(members), survivors);
    evaluate(2);
    ck_ok(store_commit(store, &error));
    ck_assert_int_eq(ask_sql("SELECT count(*) FROM individuals WHERE verdict IS NOT NULL"),
                     POPULATION + 2);
    ck_assert_int_eq(ask_sql(births), POPULATION - survivors);
    ck_assert_int_eq(ask_sql(members), survivors);
    evaluate(POPULATION);
    next_generation();
    ck_assert_int_eq(ask_sql("SELECT min(id) FROM births"),
                     ask_sql("SELECT 1 + max(id) FROM individuals"));
    ck_assert_int_eq(ask_sql(members), POPULATION);
    evaluate(POPULATION);
    finish();
    ck_assert_int_eq(ask_sql(births), 0);
    ck_assert_int_eq(ask_sql("SELECT count(*) FROM members WHERE generation = 2"), POPULATION);
    ck_assert_int_eq(ask_sql("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

TEST(test_status_counts)
{
    make_run(2);
    int survivors = search_survivor_count(search);
    status_now();
    ck_assert(status.has_generation && status.generation == 1 && !status.is_finished);
    ck_assert_uint_eq(status.next_id, search_next_id(search));
    ck_assert_int_eq(status.members_in_generation, POPULATION);
    ck_assert_int_eq(status.evaluated_in_generation, survivors + 2);
    ck_assert_int_eq(status.evaluated, POPULATION + 2);
    ck_assert(status.closed_generation == 0 && status.quarantined == 0);
    evaluate(POPULATION);
    finish();
    ck_assert(status_now()->is_finished && status.closed_generation == 1);
    ck_assert(status.best == search_population(search)->individuals[0].fitness);
}

TEST(test_survivors_and_curve)
{
    FREED struct store_generation *generations;
    int count;
    make_finished_run();
    reopen(1);
    ck_assert_uint_eq(get_best(-1, STORE_RANKS, 4), 1);
    ck_assert_int_eq(entry_count, 4);
    for (int i = 0; i < 4; i++) {
        const struct store_entry *entry = &entries[i];
        struct measures measures;
        measure(entry->id, &measures);
        ck_assert_int_eq(entry->rank, i + 1);
        ck_assert(i == 0 || entry[-1].fitness >= entry->fitness);
        ck_assert_mem_eq(&measures, &entry->measures, sizeof measures);
        ck_assert_uint_eq(entry->digest, UINT64_MAX - entry->id);
        ck_assert_uint_eq(entry->seed, seeds[entry->id]);
        ck_assert(entry->has_cost && entry->cost.worker == 3);
        ck_assert(entry->cost.task.wall_ms == 1.5 && entry->cost.attempt == 1);
        ck_assert_uint_eq(entry->cost.reused, reused_by(entry->id));
    }
    /* the third moves as the first */
    entries[2].measures = entries[0].measures;
    uint64_t last = entries[3].id;
    ck_assert_int_eq(store_leave_out(entries, 4, 2, STORE_DISTINCT), 2);
    ck_assert_int_eq(store_leave_out(entries, 4, 9, STORE_DISTINCT), 3);
    ck_assert(entries[0].rank == 1 && entries[1].rank == 2 && entries[2].id == last);
    /* the second is of the first one's kind, the third did not live */
    entries[1].measures.parts = entries[0].measures.parts;
    entries[1].measures.links = entries[0].measures.links;
    entries[2].verdict = VERDICT_OVERLAP;
    ck_assert_int_eq(store_leave_out(entries, 3, 9, STORE_RANKS), 3);
    ck_assert_int_eq(store_leave_out(entries, 3, 9, STORE_KINDS), 1);

    ck_ok(stored_get_generations(store_database(store), 0, &generations, &count, &error));
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(generations[0].evaluations, POPULATION);
    ck_assert_int_gt(generations[1].evaluations, POPULATION);
    ck_assert_int_lt(generations[1].evaluations, 2 * POPULATION);
    ck_assert(generations[1].best >= generations[0].best);
    ck_assert(generations[1].best >= generations[1].median);
}

/* All but the last of the population move alike: further ranks are looked at until there are
 * enough. */
TEST(test_distinct)
{
    uint32_t which;
    make_finished_run();
    for (int i = 0; i < MEASURE_COUNT; i++)
        run_sql(printed("UPDATE individuals SET %s = 2 WHERE id NOT IN (SELECT individual"
                        " FROM members WHERE generation = 1 AND rank = %d)",
                        measure_table[i].name, POPULATION));
    reopen(1);
    for (int top = 1; top <= 3; top++) {
        ck_assert_uint_eq(get_best(-1, STORE_DISTINCT, top), 1);
        ck_assert_int_eq(entry_count, top < 2 ? top : 2);
        ck_assert_int_eq(entries[0].rank, 1);
        ck_assert(top == 1 || entries[1].rank == POPULATION);
    }
    forget_found();
    for (int order = STORE_RANKS; order <= STORE_DISTINCT; order++)
        ck_assert_int_eq(store_get_best(store, 2, (enum store_order)order, 4, &entries,
                                        &entry_count, &which, &error),
                         ERR_RANGE);
    ck_assert_int_eq(entry_count, 0);
}

/* As great as a fitness may be: what sums it up stays a number. */
TEST(test_huge_fitness_has_a_mean)
{
    make_run(POPULATION);
    struct generation_closing closing;
    FREED struct store_generation *generations;
    int count;
    /* an even count: the median is a mean then */
    const struct population *population = search_population(search);
    struct individual huge[2] = {population->individuals[0], population->individuals[1]};
    huge[0].fitness = huge[1].fitness = 1.5e308;
    ck_ok(generation_closing_init(&closing, &(struct population){.individuals = huge, .count = 2},
                                  1));
    ck_ok(store_finish(store, search_generation(search), &closing, &error));
    generation_closing_deinit(&closing);
    ck_ok(stored_get_generations(store_database(store), 0, &generations, &count, &error));
    ck_assert_double_eq_tol(generations[count - 1].median / 1e308, 1.5, 1e-12);
    ck_assert_double_eq_tol(generations[count - 1].mean / 1e308, 1.5, 1e-12);
}

/* Everyone as facts, without and with a result. */
static void check_facts(int evaluated)
{
    FREED struct store_fact *facts;
    int count, seen = 0;
    ck_ok(store_get_facts(store, &facts, &count, &error));
    for (int i = 0; i < count; i++) {
        const struct store_fact *fact = &facts[i];
        struct measures measures;
        measure(fact->id, &measures);
        ck_assert_uint_eq(fact->id, (uint64_t)i + 1);
        seen += fact->verdict >= 0;
        if (fact->verdict < 0) {
            ck_assert(fact->fitness == 0 && !fact->has_cost && !fact->has_referee);
            continue;
        }
        ck_assert_int_eq(fact->verdict, verdict_for(fact->id));
        ck_assert(fact->parts == measures.parts && fact->links == measures.links);
        ck_assert(fact->neurons == measures.neurons && fact->size_m == measures.size_m);
        ck_assert(fact->has_cost && fact->cost.worker == 3 && fact->cost.attempt == 1);
        ck_assert(fact->cost.task.cpu_ms == 1.25 && fact->cost.time_s > 1.6e9);
        ck_assert_uint_eq(fact->cost.reused, reused_by(fact->id));
        /* made-up measures repeat after 101 creatures */
        for (int k = 0; k < i; k++)
            ck_assert(facts[k].verdict < 0 || facts[k].motion != fact->motion);
    }
    ck_assert_int_eq(seen, evaluated);
}

TEST(test_facts_and_members)
{
    struct store_member *members;
    struct store_event *events;
    int count, survivors = 0;
    make_run(2);
    ck_ok(store_put_event(store, "run", "it's \"begun\"", &error));
    ck_ok(store_commit(store, &error));
    check_facts(POPULATION + 2);
    /* of the generation under way nothing is ranked yet */
    ck_ok(store_get_members(store, &members, &count, &error));
    ck_assert_int_eq(count, POPULATION);
    for (int i = 0; i < count; i++) {
        ck_assert(members[i].generation == 0 && members[i].rank == i + 1);
        ck_assert(i == 0 || members[i].fitness <= members[i - 1].fitness);
        survivors += members[i].survived;
    }
    ck_assert_int_eq(survivors, search_survivor_count(search));
    free(members);
    ck_ok(store_get_events(store, &events, &count, &error));
    ck_assert_int_eq(count, 1);
    ck_assert_str_eq(events[0].event, "run");
    ck_assert_str_eq(events[0].detail, "it's \"begun\"");
    ck_assert_int_eq(events[0].time_utc[10], 'T');
    store_free_events(events, count);
}

/* How many of the generation the referee has seen, and how many of these it refused. */
static void count_referee(uint32_t generation, int *seen, int *refused)
{
    get_population(generation);
    *seen = *refused = 0;
    for (int i = 0; i < found.count; i++) {
        *seen += found.individuals[i].heard != REFEREE_NOT;
        *refused += found.individuals[i].heard && found.individuals[i].fitness == 0;
    }
}

/* Ancestors of the youngest: each named by a younger one's parents, all of them or the first
 * only. 0: there is no such creature. */
static int check_lineage(uint64_t id, int has_second_parents)
{
    uint64_t wanted[4 * POPULATION] = {id};
    int wanted_count = 1;
    forget_found();
    if (store_get_lineage(store, id, has_second_parents, &entries, &entry_count, &error))
        return 0;
    for (int i = 0; i < entry_count; i++) {
        int is_wanted = 0;
        for (int k = 0; k < wanted_count; k++)
            is_wanted |= wanted[k] == entries[i].id;
        ck_assert_msg(is_wanted, "%d is no ancestor", (int)entries[i].id);
        ck_assert(i == 0 || entries[i].id < entries[i - 1].id);
        for (int p = 0; p < 1 + has_second_parents; p++) {
            int is_found = entries[i].parents[p] == 0;
            for (int k = 0; k < entry_count; k++)
                is_found |= entries[k].id == entries[i].parents[p];
            ck_assert_msg(is_found, "parent %d is missing", (int)entries[i].parents[p]);
            if (wanted_count < 4 * POPULATION)
                wanted[wanted_count++] = entries[i].parents[p];
        }
    }
    ck_assert_uint_eq(entries[0].id, id);
    ck_assert_uint_eq(entries[entry_count - 1].parents[0], 0);
    return 1;
}

TEST(test_lineage)
{
    uint64_t id = 1;
    params.breeding_asexual = 0;
    make_finished_run();
    reopen(1);
    while (check_lineage(id, 0) && check_lineage(id, 1))
        id++;
    ck_assert_uint_gt(id, POPULATION + 1);
    ck_assert_ptr_null(entries);
    ck_refused(store_get_lineage(store, id, 1, &entries, &entry_count, &error), ERR_MISSING,
               "there is no creature");
}

TEST(test_referee_comes_back)
{
    int seen, refused;
    make_run(2);
    const struct population *kept = search_population(search);
    reopen(0);
    count_referee(0, &seen, &refused);
    ck_assert(refused > 0 && seen > refused && seen <= POPULATION);
    count_referee(1, &seen, &refused);
    ck_assert(seen == 1 && refused == 0);
    for (int i = 0; i < kept->count; i++)
        ck_assert_int_eq(kept->individuals[i].heard != REFEREE_NOT,
                         kept->individuals[i].generation == 0);
    get_best(0, STORE_RANKS, POPULATION);
    for (int i = 0; i < entry_count; i++) {
        const struct store_entry *entry = &entries[i];
        ck_assert(!entry->has_referee || entry->referee_fitness == entry->fitness);
        ck_assert(!entry->has_referee || entry->id % 3 != 0 || entry->fitness == 0);
    }
}

/* ---- the archive, whose children are bred one by one ---- */

/* Results and words of the referee in the order asked for, until `count` are in or the generation
 * is complete; everything new is stored. */
static void evaluate_lagged(int count)
{
    const struct individual *individual;
    while (count-- > 0 && !search_is_complete(search)) {
        struct measures measures;
        int is_referee = (individual = search_ask_referee(search)) != NULL;
        if (!is_referee)
            individual = search_ask(search);
        ck_assert_ptr_nonnull(individual);
        uint64_t id = individual->id;
        measure(id, &measures);
        if (is_referee) {
            measures.distance_m *= id % 3 != 0;
            search_tell_referee(search, id, VERDICT_OK, &measures);
        } else {
            individual = search_tell(search, id, verdict_for(id), &measures, id);
            ck_ok(store_put_result(store, individual, &error));
        }
        while ((individual = search_take_refereed(search)) != NULL)
            ck_ok(store_put_referee(store, individual, &error));
        while (!search_take_newborn(search, &individual) && individual)
            ck_ok(store_put_newborn(store, individual, &error));
    }
}

TEST(test_archive_comes_back)
{
    enum { GENERATION = 2, MORE = 7 };
    int filled = 0, listed = 0, trials = 0, in_flight = 0;
    params.evolution_search = SEARCH_ARCHIVE;
    params.evolution_generations = GENERATION + 1;
    params.evolution_lag = 5;
    begin_run();
    for (int i = 0; i < GENERATION; i++) {
        evaluate_lagged(1000);
        next_generation();
    }
    /* as it is now is how it must come back, whatever happens in the generation */
    const struct population *kept = search_population(search);
    FREED struct individual *opened = calloc((size_t)kept->count, sizeof *opened);
    int opened_count = kept->count;
    memcpy(opened, kept->individuals, (size_t)kept->count * sizeof *opened);
    evaluate_lagged(MORE);

    reopen(0);
    get_population(GENERATION);
    kept = search_population(search);
    ck_assert_int_eq(found.count, kept->count);
    ck_assert_int_gt(found.count, opened_count);
    for (int i = 0; i < found.count; i++) {
        const struct individual *one = &found.individuals[i];
        check_equal(&kept->individuals[i], one);
        ck_assert_uint_eq(one->body, kept->individuals[i].body);
        ck_assert_int_eq(one->is_trial, kept->individuals[i].is_trial);
        trials += one->is_trial;
        in_flight += !one->is_counted;
        if (i >= opened_count) {
            ck_assert(!one->is_counted && !one->cell && !one->is_waiting);
            continue;
        }
        ck_assert_int_eq(one->is_counted, opened[i].is_counted);
        ck_assert_int_eq(one->cell, opened[i].cell);
        ck_assert_int_eq(one->trials, opened[i].trials);
        ck_assert_int_eq(one->is_waiting, opened[i].is_waiting);
        filled += one->cell > 0;
    }
    ck_assert(filled > 0 && trials > 0 && in_flight > params.evolution_lag);
    ck_assert_int_eq(status_now()->cells_filled, filled);
    get_best(GENERATION - 1, STORE_RANKS, 1000);
    for (int i = 0; i < entry_count; i++) {
        ck_assert_int_eq(entries[i].survived, entries[i].cell > 0);
        listed += entries[i].cell > 0;
    }
    ck_assert_int_eq(listed, filled);
}

/* Those whom the referee judged by other parameters are of their branch: a replay judges by
 * them. */
TEST(test_referee_judges_by_its_branch)
{
    struct population restored;
    int judged = 0;
    make_run(POPULATION);
    set("evolution.behaviour=jump");
    put_params();
    ck_ok(store_get_population(store, 1, &restored, &error));
    take_search(search_restore(&params, 1, &restored, status_now()->next_id));
    referee();
    const struct population *members = search_population(search);
    for (int i = 0; i < members->count; i++) {
        const struct individual *one = &members->individuals[i];
        get_creature(one->id);
        judged += one->heard != REFEREE_NOT;
        ck_assert(!one->heard || (creature.params.evolution_behaviour == BEHAVIOUR_JUMP &&
                                  creature.fitness == one->fitness));
    }
    ck_assert_int_gt(judged, 1);
}

/* It looks again when results or what fitness means changed, and only then. */
TEST_LOOP(test_referee_is_forgotten, 0, 2)
{
    int seen, seen_before, refused;
    make_run(POPULATION);
    count_referee(1, &seen_before, &refused);
    ck_assert_int_gt(seen_before, 1);
    set("guard.referee_share=0.6");
    put_params();
    ck_assert(change.is_new_branch && !change.is_reevaluated && !change.is_judged_anew);
    count_referee(1, &seen, &refused);
    ck_assert_int_eq(seen, seen_before);
    set(_i ? "evolution.behaviour=jump" : "world.gravity_m_s2=1");
    put_params();
    ck_assert(change.is_reevaluated == !_i && change.is_judged_anew == _i);
    count_referee(1, &seen, &refused);
    ck_assert_int_eq(seen, 0);
    count_referee(0, &seen, &refused);
    ck_assert_int_gt(seen, 0);
}

TEST(test_creature)
{
    make_run(0);
    uint64_t waiting = search_next_id(search) - 1;
    ck_assert_uint_eq(get_creature(2)->id, 2);
    ck_assert_str_eq(creature.method, "random");
    ck_assert_int_eq(creature.has_evaluation, 1);
    ck_assert_uint_eq(creature.digest, UINT64_MAX - 2);
    ck_assert_uint_eq(creature.genome_hash, genome_hash(&creature.genome));
    ck_assert_uint_eq(params_evaluation_digest(&creature.params),
                      params_evaluation_digest(&params));
    ck_assert_int_eq(get_creature(waiting)->has_evaluation, 0);
    forget_found();
    ck_assert_int_eq(stored_get_creature(store_database(store), waiting + 1, &creature, &error),
                     ERR_MISSING);
}

TEST(test_quarantine)
{
    static const struct measures zero;
    struct store_quarantine *cases;
    int count;
    make_run(0);
    uint64_t id = search_ask(search)->id;
    const struct individual *told = search_tell(search, id, VERDICT_QUARANTINED, &zero, 0);
    ck_ok(store_put_quarantine(store, told, "SIGSEGV", "do it again", "last words", &error));
    ck_assert_int_eq(status_now()->quarantined, 1);
    ck_assert_int_eq(get_creature(id)->verdict, VERDICT_QUARANTINED);
    ck_assert(creature.fitness == 0.0);
    ck_ok(store_get_quarantine(store, 1, &cases, &count, &error));
    ck_assert_int_eq(count, 1);
    ck_assert_uint_eq(cases[0].id, id);
    ck_assert_str_eq(cases[0].reason, "SIGSEGV");
    ck_assert_str_eq(cases[0].command, "do it again");
    ck_assert_str_eq(cases[0].log, "last words");
    store_free_quarantine(cases, count);
}

/* ---- going on ---- */

/* With evolution.reevaluate a survivor's old result does not count in the new generation. */
TEST(test_reevaluated_survivors_wait)
{
    params.evolution_reevaluate = 1;
    make_run(1);
    get_population(1);
    int waiting = 0;
    for (int i = 0; i < found.count; i++)
        waiting += !found.individuals[i].has_result;
    ck_assert_int_eq(waiting, POPULATION - 1);
}

TEST(test_changed_params)
{
    struct population waiting;
    struct params kept;
    make_run(2);
    put_params();
    ck_assert_int_eq(change.changed_count, 0);
    params.farm_workers = 5;
    put_params();
    ck_assert(change.changed_count == 1 && !change.is_new_branch && !change.is_reevaluated);
    ck_assert_str_eq(change.text, "farm.workers=5");
    params.mutation_step = 0.5;
    put_params();
    ck_assert(change.is_new_branch && !change.is_reevaluated);
    ck_assert_int_gt(status_now()->evaluated_in_generation, 0);

    /* another world: all members wait again, and old creatures keep the world they were in */
    params.world_gravity_m_s2 = 1.0;
    put_params();
    ck_assert(change.is_new_branch && change.is_reevaluated);
    ck_assert_int_eq(status_now()->evaluated_in_generation, 0);
    ck_assert_int_eq(status.members_in_generation, POPULATION);
    ck_ok(store_get_population(store, 1, &waiting, &error));
    ck_assert_int_eq(waiting.count, POPULATION);
    take_search(search_restore(&params, 1, &waiting, status.next_id));
    ck_assert_int_eq(evaluate(3), 3);
    ck_assert_int_eq(status_now()->evaluated_in_generation, 3);
    ck_assert_int_eq(evaluate(POPULATION), POPULATION - 3);
    ck_assert_int_eq(status_now()->evaluated_in_generation, POPULATION);
    ck_assert(get_creature(1)->params.world_gravity_m_s2 == 9.81);

    reopen(1);
    ck_ok(store_get_params(store, &kept, &error));
    ck_assert(kept.world_gravity_m_s2 == 1.0 && kept.farm_workers == 5);
}

/* A child process that ends well. */
static void wait_for(pid_t child)
{
    int ending;
    ck_assert_int_eq(waitpid(child, &ending, 0), child);
    ck_assert(WIFEXITED(ending) && WEXITSTATUS(ending) == 0);
}

/* Some other program has the run open when it ends: run.db alone holds everything all the same. */
TEST(test_ends_while_others_look)
{
    sqlite3 *onlooker;
    size_t length;
    make_run(POPULATION);
    ck_assert_int_eq(sqlite3_open(path, &onlooker), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(onlooker, "SELECT count(*) FROM individuals", NULL, NULL, NULL),
                     SQLITE_OK);
    int64_t evaluated = status_now()->evaluated;
    close_store();
    FREED char *bytes = read_file(&length);
    const char *copy = within("copy.db");
    write_copy(copy, bytes, length);
    open_file(copy, 1);
    ck_assert_int_gt(evaluated, POPULATION);
    ck_assert_int_eq(status_now()->evaluated, evaluated);
    sqlite3_close(onlooker);
}

/* Another process holds the run: a second writer is refused, a reader is not. */
TEST(test_one_writer)
{
    int ready[2], done[2];
    char byte = 0;
    ck_assert_int_eq(pipe(ready) | pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        make_run(1);
        if (store_commit(store, &error) || write(ready[1], &byte, 1) != 1)
            _exit(1);
        close(done[1]);
        _exit(read(done[0], &byte, 1) != 0);
    }
    close(done[0]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_refused(store_open(&store, path, 0, &error), ERR_BUSY, printed("process %ld", (long)child));
    reopen(1);
    ck_assert_int_eq(status_now()->evaluated, POPULATION + 1);
    close_store();
    close(done[1]);
    wait_for(child);
    reopen(0);
}

/* ---- digests ---- */

static uint64_t digest(void)
{
    FREED struct store_digest *generations;
    uint64_t whole;
    int count;
    ck_ok(store_get_digests(store, &whole, &generations, &count, &error));
    ck_assert_int_eq(count, 2);
    return whole;
}

static uint64_t whole_digest(void)
{
    reopen(1);
    uint64_t whole = digest();
    close_store();
    return whole;
}

/* The digest after a run whose parameters were changed by one assignment, or that differs so. */
static uint64_t digest_of_run(const char *assignment)
{
    if (assignment)
        ck_ok(set_param(&params, assignment, &error));
    make_finished_run();
    uint64_t whole = whole_digest();
    unlink(path);
    return whole;
}

TEST(test_digest_tells_runs_apart)
{
    uint64_t one = digest_of_run(NULL);
    ck_assert_uint_eq(one, digest_of_run(NULL));
    ck_assert_uint_eq(one, digest_of_run("farm.workers=9"));
    uint64_t two = digest_of_run("mutation.step=0.31");
    ck_assert_uint_ne(one, two);
    uint64_t three = digest_of_run("seed=12");
    ck_assert_uint_ne(two, three);
    /* Nothing but the number the referee found. */
    referee_share = 0.9;
    ck_assert_uint_ne(three, digest_of_run(NULL));
    referee_share = 1;
}

/* A run recorded before a key existed lacks its row. */
TEST(test_keys_that_are_off_change_no_digest)
{
    sqlite3 *database;
    make_finished_run();
    uint64_t whole = whole_digest();
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    for (int i = 0; i < param_count; i++) {
        if (!params_is_default(&params, i) || !strcmp(param_table[i].key, "boxes.neighbours") ||
            !strcmp(param_table[i].key, "preserve.egg_j"))
            continue; /* a record without these two means other values */
        const char *sql =
            printed("DELETE FROM branch_parameters WHERE key = '%s'", param_table[i].key);
        ck_assert_int_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    }
    ck_assert_int_eq(sqlite3_close(database), SQLITE_OK);
    ck_assert_uint_eq(whole, whole_digest());
}

/* ---- all of it ---- */

/* Reads everything there is; every answer is right but a crash. Returns the number of errors. */
static int read_all(const char *file)
{
    struct params kept;
    struct store_generation *curve;
    struct store_fact *facts;
    struct store_member *members;
    struct store_event *events;
    struct store_quarantine *quarantined;
    struct store_choice *choices;
    struct store_digest *digests;
    uint64_t whole;
    uint32_t generation;
    int count, errors = 0;
    if (store_open(&store, file, 1, &error))
        return 1;
    forget_found();
    errors += store_get_status(store, &status, &error) != 0;
    errors += store_get_params(store, &kept, &error) != 0;
    errors += store_get_population(store, 1, &found, &error) != 0;
    errors += store_get_best(store, -1, STORE_RANKS, 100, &entries, &entry_count, &generation,
                             &error) != 0;
    errors += store_get_digests(store, &whole, &digests, &count, &error) != 0;
    free(digests);
    errors += stored_get_generations(store_database(store), 0, &curve, &count, &error) != 0;
    free(curve);
    errors += store_get_facts(store, &facts, &count, &error) != 0;
    free(facts);
    errors += store_get_members(store, &members, &count, &error) != 0;
    free(members);
    errors += store_get_events(store, &events, &count, &error) != 0;
    store_free_events(events, count);
    errors += store_get_quarantine(store, 10, &quarantined, &count, &error) != 0;
    store_free_quarantine(quarantined, count);
    errors += stored_get_choices(store_database(store), 0, &choices, &count, &error) != 0;
    free(choices);
    for (uint64_t id = 1; id <= 3; id++) {
        creature_deinit(&creature);
        errors += stored_get_creature(store_database(store), id, &creature, &error) != 0;
    }
    close_store();
    return errors;
}

/* ---- choices ---- */

TEST(test_choices_come_back)
{
    static const int wishes[] = {CHOICE_BAN, CHOICE_KEEP, CHOICE_BREED};
    struct store *other;
    struct store_choice *choices;
    uint64_t hashes[3];
    int count;
    params.evolution_behaviour = BEHAVIOUR_INTERACTIVE;
    params.breeding_draws = 1; // none is born for the places of copies
    make_run(2);
    uint64_t first = search_population(search)->individuals[0].id;
    for (int i = 0; i < 3; i++) {
        uint64_t id = search_population(search)->individuals[i].id;
        ck_ok(store_check_choice(store, id, &error));
        ck_ok(store_put_choice(store, id, wishes[i], &error));
    }
    hashes[0] = digest();
    ck_ok(store_put_choice(store, first, CHOICE_NONE, &error));
    hashes[1] = digest();
    ck_ok(store_put_choice(store, first, CHOICE_BREED, &error));
    hashes[2] = digest();
    ck_assert(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
    ck_assert_int_eq(store_check_choice(store, 999, &error), ERR_MISSING);

    /* of a generation, of one without, and of all */
    static const struct {
        int64_t generation;
        int count;
    } asked[] = {{1, 3}, {0, 0}, {-1, 3}};
    reopen(1);
    for (int k = 0; k < 3; k++) {
        ck_ok(stored_get_choices(store_database(store), asked[k].generation, &choices, &count,
                                 &error));
        ck_assert_int_eq(count, asked[k].count);
        for (int i = 0; i < count; i++) {
            ck_assert_int_eq(choices[i].choice, choices[i].id == first ? CHOICE_BREED : wishes[i]);
            ck_assert(choices[i].generation == 1 && (i == 0 || choices[i - 1].id < choices[i].id));
        }
        free(choices);
    }
    status_now();
    ck_assert(status.breed_count == 2 && status.keep_count == 1 && status.ban_count == 0);
    get_population(1);

    /* another run takes those of generations that have been bred from: none yet of generation 1 */
    int64_t until;
    const char *copy = within("copy.db");
    unlink(copy);
    unlink(within("lock"));
    ck_ok(store_create(&other, copy, &params, NULL, NULL, NULL, &error));
    for (int i = 0; i < 2; i++) {
        ck_ok(store_get_chosen_until(other, &until, &error));
        ck_assert_int_eq(until, i);
        ck_ok(store_copy_choices(other, store, &error));
    }
    ck_ok(stored_get_choices(store_database(other), 1, &choices, &count, &error));
    ck_assert_int_eq(count, 0);
    store_close(other);
}

TEST(test_nobody_chooses)
{
    make_run(2);
    ck_refused(store_check_choice(store, 1, &error), ERR_RANGE, "no choices by hand");
}

/* A generation that waits is closed, and closed again when the next one is opened. */
TEST(test_generation_closes_twice)
{
    SCOPED(generation_closing) closing;
    make_run(POPULATION);
    ck_ok(generation_closing_init(&closing, search_population(search), 0));
    ck_ok(store_close_generation(store, 1, &closing, &error));
    ck_assert(status_now()->closed_generation == 1 && status.generation == 1);
    next_generation();
    ck_assert_uint_eq(status_now()->generation, 2);
}

/* What version 17 wrote is read as it is, and brought up to date by a writer, which opens it again.
 * Older ones are refused. */
TEST(test_older_store)
{
    make_finished_run();
    run_sql("ALTER TABLE individuals DROP COLUMN way_z_m; PRAGMA user_version = 17");
    ck_assert_int_eq(read_all(path), 0);
    for (int i = 0; i < 2; i++) {
        reopen(0);
        close_store();
        ck_assert_int_eq(ask_sql("PRAGMA user_version"), STORE_SCHEMA_VERSION);
        ck_assert_int_eq(ask_sql("SELECT count(way_z_m) FROM individuals"), 0);
    }
    run_sql("PRAGMA user_version = 16");
    ck_refused(store_open(&store, path, 1, &error), ERR_VERSION, "an older version");
}

/* A store, and the end of an epoch with these lives for it. */
static struct epoch_end *make_end(const struct epoch_life *lives, int count)
{
    struct epoch_end *end = epoch_end_create();
    for (int i = 0; i < count; i++)
        ck_ok(epoch_end_add_life(end, &lives[i]));
    ck_ok(packed_bytes_set(&end->state, "state", 5));
    create_store();
    return end;
}

static void put_epoch(const struct store_epoch *epoch)
{
    ck_ok(store_put_epoch(store, epoch, 1, &error));
    ck_ok(store_commit(store, &error));
    close_store();
}

/* A preserve as version 17 wrote it. Lives go on to be written. */
TEST(test_older_preserve)
{
    struct store_life *lives;
    OWNED(epoch_order) *order = epoch_order_create();
    struct epoch_life life = {
        .id = 5, .died_tick = -1, .cause = -1, .preyed_tick = 60, .topology = 3};
    struct epoch_end *end = make_end(&life, 1);
    struct store_epoch epoch = {
        .epoch = 1, .order = order, .end = end, .drifted_to = -1, .tick_s = 0.1};
    int count;
    end->facts[EPOCH_removed] = 6;
    end->facts[EPOCH_scent_uj] = 7;
    end->facts[EPOCH_died_of_strain] = 8;
    struct epoch_form forms[] = {{.topology = 3, .life = 5}, {.topology = 3, .life = 6}};
    for (int i = 0; i < 2; i++) {
        ck_ok(packed_bytes_set(&forms[i].egg, i ? "later" : "first", 5));
        ck_ok(epoch_end_add_form(end, &forms[i]));
    }
    put_epoch(&epoch);
    ck_assert_int_eq(ask_sql("SELECT preyed_s FROM lives"), 6);
    run_sql("ALTER TABLE epochs DROP COLUMN died_of_strain; PRAGMA user_version = 17");
    for (int is_read_only = 1; is_read_only >= 0; is_read_only--) {
        reopen(is_read_only);
        ck_ok(store_get_lives(store, &lives, &count, &error));
        ck_assert(count == 1 && lives[0].id == 5);
        free(lives);
        struct epoch_order *next = epoch_order_create();
        next->epoch = 2;
        ck_ok(stored_epoch_fill_order(store_database(store), next, &error));
        ck_assert(next->state.length == 5 && next->deed_count == 0 && next->spared_count == 0);
        epoch_order_destroy(next);
        SCOPED(packed_bytes) egg = {NULL, 0};
        if (!is_read_only)
            ck_ok(store_put_epoch(store, &epoch, 1, &error));
        ck_ok(store_get_form(store, 6, &egg, &error));
        ck_assert_ptr_null(egg.bytes);
        ck_ok(store_get_form(store, 5, &egg, &error));
        ck_assert(egg.length == 5 && !memcmp(egg.bytes, "first", 5));
        close_store();
    }
    ck_assert_int_eq(ask_sql("SELECT removed + scent_uj + died_of_strain FROM epochs"), 21);
    ck_assert_int_eq(ask_sql("SELECT count(*) FROM lives WHERE topology = 3"), 1);
    ck_assert_int_eq(ask_sql("PRAGMA user_version"), STORE_SCHEMA_VERSION);
    epoch_end_destroy(end);
}

/* A removed creature has no body at its death: its known facts stay. */
TEST(test_removed_life)
{
    OWNED(epoch_order) *order = epoch_order_create();
    const struct epoch_life lives[] = {
        {.id = 5, .died_tick = -1, .cause = -1, .preyed_tick = 60, .topology = 3, .part_count = 4},
        {.id = 5, .died_tick = 90, .cause = 4, .preyed_tick = -1}};
    struct epoch_end *end = make_end(lives, 2);
    struct store_epoch epoch = {
        .epoch = 1, .order = order, .end = end, .drifted_to = -1, .tick_s = 0.1};
    put_epoch(&epoch);
    ck_assert_int_eq(ask_sql("SELECT count(*) FROM lives WHERE died_s = 9 AND cause = 'removed'"
                             " AND parts = 4 AND topology = 3 AND preyed_s = 6"),
                     1);
    epoch_end_destroy(end);
}

static int given_count; /* and the id of the last of them */
static uint64_t given_id;

static void take_result(void *context, const struct individual *individual, double pace_least_m_s)
{
    struct measures measures;
    measure(individual->id, &measures);
    ck_assert_uint_gt(individual->id, given_id);
    ck_assert_int_ne(individual->verdict, VERDICT_QUARANTINED);
    ck_assert_int_eq(measures_find_difference(&measures, &individual->measures), -1);
    ck_assert_uint_eq(individual->digest, UINT64_MAX - individual->id);
    ck_assert_double_eq(pace_least_m_s, 1.0 / (double)individual->id);
    ck_assert_int_gt(individual->genome.body_count, 0);
    given_id = individual->id;
    given_count++;
}

static int count_results(void)
{
    given_count = 0;
    given_id = 0;
    reopen(0);
    ck_ok(store_get_results(store, take_result, NULL, &error));
    return given_count;
}

/* Costs are kept by trial. What is simulated again adds to its row; the controller's own time adds
 * up. Nothing of that is in the digests. */
TEST(test_costs_of_trials)
{
    static const struct {
        const char *trial;
        uint64_t id;
        int64_t simulations;
    } rows[] = {{"entry", 1, 1},
                {"entry+perturbed-1", 1, 1},
                {"entry+perturbed-1+finer-2", 2, 1},
                {"first+bout-2+perturbed-3", 2, 1},
                {"entry+finer-2", 4, 0},
                {"champion+perturbed-9+other-solver", 1, 1}};
    struct store_spent *spent;
    int count;
    make_finished_run();
    int firsts = ask_sql("SELECT count(*) FROM costs"),
        given = ask_sql("SELECT count(*) FROM costs WHERE reused > 0");
    reopen(0);
    uint64_t before = digest();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct store_cost cost = {
            .task = {3, 2, 4096}, .simulations = rows[i].simulations, .worker = 1};
        struct trial trial;
        ck_ok(trial_from_text(&trial, rows[i].trial, &error));
        ck_ok(store_put_cost(store, rows[i].id, &trial, &cost, &error));
    }
    ck_ok(store_add_controller_time(store, 1.5, &error));
    ck_ok(store_add_controller_time(store, 0.25, &error));
    ck_assert_uint_eq(before, digest());
    ck_assert_double_eq(status_now()->controller_cpu_s, 1.75);
    ck_assert_int_eq(status.reused, given);
    ck_ok(store_get_spent(store, &spent, &count, &error));
    count = store_sum_spent(spent, count);
    close_store();
    ck_assert_int_eq(count, 4);
    ck_assert(spent[0].trial.purpose == TRIAL_FIRST && spent[0].given == given);
    ck_assert_int_eq(spent[0].simulated, firsts - given + 1);
    ck_assert_double_eq(spent[0].cpu_ms, 1.25 * firsts + 2);
    ck_assert(spent[1].trial.purpose == TRIAL_ENTRY && spent[1].simulated == 2);
    ck_assert(spent[2].trial.halvings == 2 && spent[2].simulated == 1 && spent[2].given == 1);
    ck_assert(spent[3].trial.has_other_solver == 1 && spent[3].cpu_ms == 2);
    free(spent);
    ck_assert_int_eq(ask_sql("SELECT simulations FROM costs WHERE individual = 2"
                             " AND trial = 'first'"),
                     2);
    run_sql("UPDATE costs SET trial = 'dance' WHERE individual = 3");
    reopen(1);
    ck_refused(store_get_spent(store, &spent, &count, &error), ERR_FORMAT, "unknown trial");
    run_sql("DELETE FROM costs WHERE trial <> 'first'; UPDATE costs SET cpu_ms = 9e999");
    reopen(1);
    ck_refused(store_get_spent(store, &spent, &count, &error), ERR_FORMAT, "cpu_ms");
}

/* All results that could be given again: not those in quarantine, of an older store, of another
 * world or another simulator. */
TEST(test_results_to_give_again)
{
    make_finished_run();
    reopen(1);
    int count = (int)status_now()->evaluated;
    close_store();
    ck_assert_int_eq(status.reused, count / 4);
    ck_assert_int_eq(count_results(), count);
    run_sql("UPDATE individuals SET verdict = 'quarantined' WHERE id = 2;"
            "UPDATE costs SET pace_least_m_s = NULL WHERE individual = 3");
    ck_assert_int_eq(count_results(), count - 2);
    /* what changes the search only */
    params.population_survival = 0.3;
    reopen(0);
    put_params();
    ck_assert_int_eq(change.is_new_branch, 1);
    for (int is_other = 0; is_other < 2; is_other++) {
        ck_assert_int_eq(count_results(), is_other ? 0 : count - 2);
        run_sql(printed("UPDATE branches SET simulator_version = simulator_version + %d"
                        " WHERE branch = 1",
                        is_other ? -1 : 1));
    }
    ck_assert_int_eq(count_results(), count - 2);
    params.world_gravity_m_s2 = 5;
    reopen(0);
    put_params();
    close_store();
    ck_assert_int_eq(count_results(), 0);
}

/* A bar stays with its creature: in the population, in digests and, where it stopped the creature,
 * in the creature's own parameters. New results are not held against what was a bar in another world. */
TEST(test_bars_come_back)
{
    int bars = 0;
    set("guard.hopeless_share=0.75", "guard.hopeless_m_s=1e-6");
    begin_run();
    evaluate(INT_MAX);
    next_generation();
    const struct population *kept = search_population(search);
    for (int i = 0; i < kept->count; i++) {
        const struct individual *there = &kept->individuals[i], *own;
        get_population(1);
        for (own = found.individuals; own->id != there->id;)
            own++;
        ck_assert(own->bar.m_s == there->bar.m_s && own->bar.sizes_s == there->bar.sizes_s);
        bars += early_stop_has_bar(&own->bar);
        ck_assert(get_creature(there->id)->params.guard_hopeless_sizes_s == 0);
        ck_assert(creature.params.guard_hopeless_m_s == 1e-6);
    }
    ck_assert_int_gt(bars, 0);
    evaluate(INT_MAX);
    uint64_t before = digest();
    run_sql("UPDATE individuals SET bar_sizes_s = bar_sizes_s * 1.01");
    reopen(0);
    ck_assert_uint_ne(before, digest());
    uint64_t barred = (uint64_t)ask_sql("SELECT max(id) FROM individuals WHERE bar_sizes_s > 0");
    run_sql("UPDATE individuals SET bar_sizes_s = 2, verdict = 'hopeless' WHERE bar_sizes_s > 0");
    reopen(0);
    ck_assert(get_creature(barred)->params.guard_hopeless_sizes_s == 2);
    params.world_friction = 0.5;
    put_params();
    ck_assert(change.is_reevaluated);
    get_population(1);
    for (int i = 0; i < found.count; i++)
        ck_assert(!early_stop_has_bar(&found.individuals[i].bar));
}

/* ---- damage ---- */

/* One row, but a number like 2^60 of it: a walk through all branches would never come to an
 * end. */
TEST_LOOP(test_branches_have_no_gaps, 0, 4)
{
    static const char *const damages[] = {
        "UPDATE branches SET branch = 1 << 60", "UPDATE branches SET branch = 2",
        "UPDATE branches SET branch = -1",
        "INSERT INTO branches SELECT 3, generation, simulator_version, 'digest' FROM branches"};
    make_run(2);
    run_sql(damages[_i]);
    for (int is_read_only = 0; is_read_only < 2; is_read_only++) {
        ck_assert_int_eq(store_open(&store, path, is_read_only, &error), ERR_FORMAT);
        ck_assert_msg(strstr(error.message, "branches") || strstr(error.message, "parameters"),
                      "%s", error.message);
        ck_assert_ptr_null(store);
    }
}

TEST(test_damage_is_an_error)
{
    size_t length;
    int error_count = 0;
    make_finished_run();
    const char *copy = within("copy.db");
    ck_assert_int_eq(read_all(path), 0);
    FREED char *bytes = read_file(&length);
    struct rng rng = test_rng(1, 0, 0);
    for (int i = 0; i < 400; i++) {
        FREED char *damaged = malloc(length);
        ck_assert_ptr_nonnull(damaged);
        memcpy(damaged, bytes, length);
        for (int k = 0; k < 1 << (i % 8); k++)
            damaged[rng_below(&rng, (uint32_t)length)] ^= (char)(1 + rng_below(&rng, 255));
        write_copy(copy, damaged, length);
        error_count += read_all(copy) > 0;
    }
    ck_assert_int_gt(error_count, 50);
    for (int i = 0; i < 40; i++) {
        write_copy(copy, bytes, length * (size_t)i / 40);
        ck_assert_int_gt(read_all(copy), 0);
    }
}

/* A writer looks at the whole file first and leaves a damaged one alone. */
TEST(test_writer_refuses_damage)
{
    size_t length;
    make_finished_run();
    FREED char *bytes = read_file(&length);
    memset(bytes + length / 2 / 8192 * 8192, 'x', 8192);
    write_copy(path, bytes, length);
    ck_assert_int_eq(store_open(&store, path, 0, &error), ERR_FORMAT);
    ck_assert_ptr_null(store);
    ck_assert_ptr_nonnull(strstr(error.message, path));
}

TEST(test_not_a_store)
{
    ck_assert_int_eq(store_open(&store, path, 1, &error), ERR_MISSING);
    write_copy(path, "", 0);
    ck_assert_int_eq(store_open(&store, path, 1, &error), ERR_FORMAT);
    char noise[10000];
    memset(noise, 'n', sizeof noise);
    write_copy(path, noise, sizeof noise);
    ck_assert_int_eq(store_open(&store, path, 1, &error), ERR_FORMAT);
    ck_assert_int_eq(store_open(&store, path, 0, &error), ERR_FORMAT);
}

SUITE("store", 60, set_up, tear_down)
