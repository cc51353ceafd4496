/* The reader of runs against the run store's own schema: what it gives back, and that damaged or
 * foreign databases are errors that say where. runs: watched */
#include "common/store/favourites.h"
#include "common/store/run_reader.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <unistd.h>

#include "common/params/choice.h"
#include "common/math/hash.h"
#include "tests/unit/directory_fixture.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/genome_fixture.h"
#include "tests/plain_fixture.h"

#define CREATURES 5

OWNER(run_reader, run_reader_close)

static char path[96];
static sqlite3 *database;
static struct creature *found;
static int found_count;
static int64_t generation;

/* ---- a run, written without the store's code ---- */

static void run_sql(const char *sql)
{
    store_fixture_run(database, sql);
}

static void put_creature(int id, const struct genome *genome)
{
    char seed[17], digest[17];
    hash_to_text(UINT64_MAX - (uint64_t)id, seed);
    hash_to_text((uint64_t)id << 60, digest);
    const char *sql = printed("INSERT INTO individuals (id, generation, method, mutations, seed,"
                              " branch, verdict, fitness, digest, genome) VALUES"
                              " (%d, 1, 'random', 'none', '%s', 1, 'ok', 10.0 / %d, '%s', ?1)",
                              id, seed, id, digest);
    store_fixture_put_genome(database, sql, genome);
    for (int m = 0; m < MEASURE_COUNT; m++)
        run_sql(printed("UPDATE individuals SET \"%s\" = %d / 7.0 WHERE id = %d",
                        measure_table[m].name, id + m, id));
    run_sql(printed("INSERT INTO members VALUES (1, %d, 1, %d, 1, %g)", id, id, 10.0 / id));
}

static void setup(void)
{
    SCOPED(genome) genome;
    found = NULL;
    found_count = 0;
    memset(&error, 0, sizeof error);
    open_directory();
    snprintf(path, sizeof path, "%s/run.db", directory);
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    store_fixture_make_tables(database);
    run_sql("INSERT INTO branches VALUES (1, 0, 7, 'digest')");
    run_sql("INSERT INTO branch_parameters VALUES (1, 1, 'name', 'crawl'),"
            " (1, 2, 'world.gravity_m_s2', '3.5')");
    run_sql("INSERT INTO generations (number, branch, closed, evaluations_own) VALUES"
            " (0, 1, 1, 5), (1, 1, 1, 5), (2, 1, 0, 5)");
    fixture_make(&genome);
    run_sql("BEGIN");
    for (int id = 1; id <= CREATURES; id++)
        put_creature(id, &genome);
    run_sql("COMMIT");
}

static void forget_found(void)
{
    run_reader_free(found, found_count);
    found = NULL;
    found_count = 0;
}

static void teardown(void)
{
    forget_found();
    sqlite3_close(database);
    ck_assert_int_le(count_files(), 1); /* nothing else was left there */
    close_directory();
}

/* The reader has found these ids, in this order; the list is emptied. */
#define expect_found(...)                                                                          \
    expect_ids((const uint64_t[]){__VA_ARGS__},                                                    \
               (int)(sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t)))

static void expect_ids(const uint64_t *ids, int count)
{
    ck_assert_int_eq(found_count, count);
    for (int i = 0; i < count; i++)
        ck_assert_uint_eq(found[i].id, ids[i]);
    forget_found();
}

static int get(int64_t wanted, int top)
{
    return run_reader_get_top(directory, wanted, RUN_ORDER_RANK, top, &found, &found_count,
                              &generation, &error);
}

/* Fails with that code, a message that contains the text, and nothing to free. */
static void expect_failure(int64_t wanted, int code, const char *text)
{
    int status = get(wanted, CREATURES);
    ck_assert_msg(status == code, "%d: %s", status, error.message);
    ck_assert_msg(strstr(error.message, text) != NULL, "no '%s' in '%s'", text, error.message);
    ck_assert_msg(strstr(error.message, directory) != NULL, "%s", error.message);
    ck_assert_ptr_null(found);
    ck_assert_int_eq(found_count, 0);
}

/* ---- what is there ---- */

TEST(gives_the_best_of_the_last_closed_generation)
{
    ck_ok(get(-1, 3));
    ck_assert_int_eq(generation, 1);
    ck_assert_int_eq(found_count, 3);
    for (int i = 0; i < 3; i++) {
        const struct creature *creature = &found[i];
        ck_assert_str_eq(creature->name, printed("crawl-%d", i + 1));
        ck_assert_uint_eq(creature->id, (uint64_t)i + 1);
        ck_assert_uint_eq(creature->seed, UINT64_MAX - (uint64_t)i - 1);
        ck_assert_uint_eq(creature->digest, ((uint64_t)i + 1) << 60);
        ck_assert_double_eq(creature->fitness, 10.0 / (i + 1));
        ck_assert_int_eq(creature->verdict, VERDICT_OK);
        ck_assert_int_eq(creature->simulator_version, 7);
        ck_assert_double_eq(creature->params.world_gravity_m_s2, 3.5);
        ck_assert(creature->has_evaluation);
        ck_assert_uint_eq(creature->genome_hash, genome_hash(&creature->genome));
        for (int m = 0; m < MEASURE_COUNT; m++)
            ck_assert_double_eq(measures_get(&creature->measures, m), (i + 1 + m) / 7.0);
    }
}

static void get_kinds(void)
{
    ck_ok(run_reader_get_top(directory, -1, RUN_ORDER_KINDS, 100, &found, &found_count, &generation,
                             &error));
}

static struct run_reader *open_run(void)
{
    struct run_reader *reader;
    ck_ok(run_reader_open(&reader, directory, &error));
    ck_assert_str_eq(run_reader_directory(reader), directory);
    return reader;
}

static void expect_named(uint64_t id, uint64_t wanted, int is_champion)
{
    SCOPED(creature) creature;
    OWNED(run_reader) *reader = open_run();
    ck_ok(run_reader_get_creature(reader, id, &creature, &error));
    ck_assert(creature.id == wanted && creature.is_champion == is_champion);
}

/* The champion, which need not be the first in rank, is the best, and stands for its kind. */
TEST(the_champion_comes_first)
{
    run_sql("UPDATE individuals SET parts = 3, links = 2 WHERE id <= 3");
    run_sql("UPDATE individuals SET parts = 3, links = 3 WHERE id > 3");
    expect_named(CREATURE_BEST, 1, 0);
    run_sql("INSERT OR REPLACE INTO run VALUES ('champion', '1'), ('champion_holds', '0')");
    expect_named(CREATURE_BEST, 1, 0);
    get_kinds();
    expect_found(1, 4);
    run_sql("INSERT OR REPLACE INTO run VALUES ('champion', '5'), ('champion_holds', '1')");
    expect_named(CREATURE_BEST, 5, 1);
    expect_named(CREATURE_FIRST, 1, 0);
    get_kinds();
    expect_found(5, 1);
    /* damaged: no such creature, no number */
    for (int i = 0; i < 2; i++) {
        run_sql(printed("INSERT OR REPLACE INTO run VALUES ('champion', '%s')", i ? "x" : "77"));
        get_kinds();
        expect_found(1, 4);
    }
}

TEST(gives_the_best_of_each_kind)
{
    /* of 1's kind of body are 2 and 3, and 4 is of 5's */
    run_sql("UPDATE individuals SET parts = 3, links = 2 WHERE id <= 3");
    run_sql("UPDATE individuals SET parts = 3, links = 3 WHERE id > 3");
    get_kinds();
    expect_found(1, 4);
    /* a creature that did not live takes no slot, unless none did */
    run_sql("UPDATE individuals SET verdict = 'overlap' WHERE id = 4");
    get_kinds();
    expect_found(1, 5);
    run_sql("UPDATE individuals SET verdict = 'overlap'");
    get_kinds();
    expect_found(1);
    /* none has been simulated yet: their kinds are not known */
    run_sql("UPDATE individuals SET verdict = NULL");
    get_kinds();
    expect_found(1, 2, 3, 4, 5);
}

TEST(gives_what_there_is_when_asked_for_more)
{
    ck_ok(get(1, RUN_READER_TOP_MAX));
    expect_found(1, 2, 3, 4, 5);
}

TEST(reads_while_another_writes)
{
    run_sql("PRAGMA journal_mode = WAL");
    run_sql("BEGIN IMMEDIATE");
    run_sql("UPDATE individuals SET fitness = 99 WHERE id = 1");
    ck_ok(get(-1, 1));
    ck_assert_double_eq(found[0].fitness, 10);
    run_sql("ROLLBACK");
    run_sql("PRAGMA journal_mode = DELETE");
}

/* ---- what is not ---- */

TEST(says_which_generations_there_are)
{
    expect_failure(2, ERR_RANGE, "generation 2 is not complete; complete are 0 to 1");
    expect_failure(0, ERR_MISSING, "generation 0 has no creatures");
    run_sql("UPDATE generations SET closed = 0");
    expect_failure(-1, ERR_MISSING, "no generation is complete yet");
}

TEST(refuses_what_is_no_run)
{
    run_sql("PRAGMA user_version = 99");
    expect_failure(-1, ERR_VERSION, "a newer version of Bestiary (schema version 99");
    run_sql("PRAGMA application_id = 1");
    expect_failure(-1, ERR_FORMAT, "not a run");
    unlink(path);
    expect_failure(-1, ERR_MISSING, "is not a run");
    FILE *file = fopen(path, "w");
    fputs("This is a text that is long enough to be mistaken for a database, or is it not?", file);
    fclose(file);
    expect_failure(-1, ERR_FORMAT, "not a database");
}

TEST(refuses_damaged_rows)
{
    static const struct {
        const char *damage, *repair, *text;
        int code;
    } cases[] = {
        {"UPDATE individuals SET seed = 'xyz' WHERE id = 2",
         "UPDATE individuals SET seed = '0123456789abcdef' WHERE id = 2", "creature 2", ERR_FORMAT},
        {"UPDATE individuals SET digest = NULL WHERE id = 3",
         "UPDATE individuals SET digest = '0123456789abcdef' WHERE id = 3", "creature 3",
         ERR_FORMAT},
        {"UPDATE individuals SET verdict = 'splendid' WHERE id = 1",
         "UPDATE individuals SET verdict = 'ok' WHERE id = 1", "creature 1", ERR_FORMAT},
        {"UPDATE branch_parameters SET key = 'no.such' WHERE position = 2",
         "UPDATE branch_parameters SET key = 'world.gravity_m_s2' WHERE position = 2", "no.such",
         ERR_UNKNOWN},
        {"UPDATE branch_parameters SET value = '1e9' WHERE position = 2",
         "UPDATE branch_parameters SET value = '1' WHERE position = 2", "gravity_m_s2", ERR_RANGE},
        {"UPDATE individuals SET genome = x'93' WHERE id = 4", "SELECT 1", "creature 4",
         ERR_FORMAT},
        {"DROP TABLE members", "SELECT 1", "members", ERR_IO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_sql(cases[i].damage);
        expect_failure(-1, cases[i].code, cases[i].text);
        run_sql(cases[i].repair);
    }
}

/* Every byte of the genome cut off or changed: an error, or a genome that passes its checks. */
TEST(survives_any_genome)
{
    for (int cut = 0; cut < 400; cut += 7) {
        run_sql(printed("UPDATE individuals SET genome = CAST(substr(genome, 1, %d) || x'c1' ||"
                        " substr(genome, %d) AS BLOB) WHERE id = 1",
                        cut, cut + (cut % 3) + 1));
        if (get(-1, 1) == 0)
            ck_ok(genome_check(&found[0].genome, &error));
        forget_found();
        run_sql("UPDATE individuals SET genome = (SELECT genome FROM individuals WHERE id = 2)"
                " WHERE id = 1");
    }
}

/* ---- piece by piece ---- */

TEST(gives_closed_generations_also_those_that_come)
{
    FREED struct store_generation *generations;
    int count;
    run_sql("UPDATE generations SET best = 4 + number, median = 2.5, best_id = 1 + number"
            " WHERE closed = 1");
    OWNED(run_reader) *reader = open_run();
    ck_ok(run_reader_get_generations(reader, 0, &generations, &count, &error));
    ck_assert(count == 2 && generations[1].generation == 1 && generations[1].best_id == 2);
    ck_assert(generations[1].best == 5 && generations[1].median == 2.5);
    free(generations);
    ck_ok(run_reader_get_generations(reader, 2, &generations, &count, &error));
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(generations);
    run_sql("UPDATE generations SET closed = 1, best = 9 WHERE number = 2");
    ck_ok(run_reader_get_generations(reader, 2, &generations, &count, &error));
    ck_assert(count == 1 && generations[0].best == 9);
}

/* A reader does not keep the controller from making one file of a run that ends. */
TEST(holds_nothing_between_calls)
{
    struct store_generation *generations;
    struct creature creature;
    int count;
    run_sql("PRAGMA journal_mode = WAL");
    struct run_reader *reader = open_run();
    ck_assert_int_eq(run_reader_get_generations(reader, 0, &generations, &count, &error), 0);
    free(generations);
    ck_assert_int_eq(run_reader_get_creature(reader, 99, &creature, &error), ERR_MISSING);
    ck_assert_int_eq(run_reader_get_lineage(reader, 99, 5, &found, &found_count, &error),
                     ERR_MISSING);
    ck_ok(run_reader_get_members(reader, -1, RUN_ORDER_RANK, 3, &found, &found_count, &generation,
                                 &error));
    run_sql("UPDATE generations SET best = 1");
    run_sql("PRAGMA journal_mode = DELETE");
    ck_assert_int_ne(access(printed("%s-wal", path), F_OK), 0);
    run_reader_close(reader);
}

TEST(gives_one_creature_by_its_number)
{
    SCOPED(creature) creature;
    OWNED(run_reader) *reader = open_run();
    ck_ok(run_reader_get_creature(reader, 3, &creature, &error));
    ck_assert_str_eq(creature.name, "crawl-3");
    ck_assert_double_eq(creature.fitness, 10.0 / 3);
    creature_deinit(&creature);
    /* not yet evaluated: with the parameters in force */
    run_sql("UPDATE individuals SET verdict = NULL, branch = NULL WHERE id = 3");
    ck_ok(run_reader_get_creature(reader, 3, &creature, &error));
    ck_assert(!creature.has_evaluation && creature.params.world_gravity_m_s2 == 3.5);
    creature_deinit(&creature);
    ck_refused(run_reader_get_creature(reader, 99, &creature, &error), ERR_MISSING,
               "no creature 99");
    run_sql("UPDATE individuals SET genome = x'93' WHERE id = 3");
    ck_assert_int_eq(run_reader_get_creature(reader, 3, &creature, &error), ERR_FORMAT);
}

TEST(gives_the_line_of_first_parents)
{
    OWNED(run_reader) *reader = open_run();
    run_sql("UPDATE individuals SET parent1 = 3, parent2 = 4 WHERE id = 5");
    run_sql("UPDATE individuals SET parent1 = 1 WHERE id = 3");
    ck_ok(run_reader_get_lineage(reader, 5, 10, &found, &found_count, &error));
    ck_assert_str_eq(found[0].mutations, "none");
    expect_found(5, 3, 1);
    ck_ok(run_reader_get_lineage(reader, 5, 2, &found, &found_count, &error));
    expect_found(5, 3);
    /* a circle, and a parent that is not there */
    for (int i = 0; i < 2; i++) {
        run_sql(i ? "PRAGMA foreign_keys = OFF; UPDATE individuals SET parent1 = 1 WHERE id = 5;"
                    " UPDATE individuals SET parent1 = NULL WHERE id = 1; DELETE FROM members; "
                    "DELETE FROM individuals WHERE id = 1"
                  : "UPDATE individuals SET parent1 = 5 WHERE id = 1");
        ck_assert_int_eq(run_reader_get_lineage(reader, 5, 10, &found, &found_count, &error),
                         i ? ERR_MISSING : ERR_FORMAT);
        ck_assert_ptr_null(found);
    }
}

/* ---- choosing by hand ---- */

static struct run_choosing choosing_of(struct run_reader *reader)
{
    struct run_choosing choosing;
    ck_ok(run_reader_get_choosing(reader, &choosing, &error));
    return choosing;
}

TEST(tells_what_is_chosen)
{
    struct store_choice *choices;
    int count;
    OWNED(run_reader) *reader = open_run();
    struct run_choosing choosing = choosing_of(reader);
    ck_assert(!choosing.is_interactive && choosing.waiting == -1 && !choosing.is_over);
    ck_assert(!choosing.has_no_goal);
    run_sql("INSERT INTO branch_parameters VALUES (1, 3, 'interactive.share', '0.5'),"
            " (1, 4, 'evolution.generations', '4')");
    choosing = choosing_of(reader);
    ck_assert(choosing.is_interactive && choosing.waiting == -1 && !choosing.is_over);
    ck_assert(!choosing.has_no_goal);
    run_sql("UPDATE generations SET closed = 1");
    choosing = choosing_of(reader);
    ck_assert(choosing.waiting == 2 && !choosing.is_over);
    run_sql("INSERT INTO generations (number, branch, closed, evaluations_own)"
            " VALUES (3, 1, 1, 5)");
    choosing = choosing_of(reader);
    ck_assert(choosing.waiting == -1 && choosing.is_over);
    run_sql("INSERT INTO branch_parameters VALUES (1, 5, 'evolution.behaviour', 'interactive'),"
            " (1, 6, 'population.size', '7')");
    choosing = choosing_of(reader);
    ck_assert(choosing.is_interactive && choosing.has_no_goal && choosing.places == 7);

    ck_ok(run_reader_get_choices(reader, 2, &choices, &count, &error));
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(choices);
    run_sql("INSERT INTO choices VALUES (2, 4, 'ban'), (2, 1, 'breed'), (1, 1, 'keep')");
    ck_ok(run_reader_get_choices(reader, 2, &choices, &count, &error));
    ck_assert_int_eq(count, 2);
    ck_assert(choices[0].id == 1 && choices[0].choice == CHOICE_BREED);
    ck_assert(choices[1].id == 4 && choices[1].choice == CHOICE_BAN);
    free(choices);
    /* what no controller wrote */
    run_sql("PRAGMA ignore_check_constraints = ON; UPDATE choices SET choice = 'kiss'");
    ck_refused(run_reader_get_choices(reader, 2, &choices, &count, &error), ERR_FORMAT,
               "unknown choice");
    ck_assert_ptr_null(choices);
}

SUITE("run_reader", 120, setup, teardown)
