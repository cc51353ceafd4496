/* The reader of runs against the run store's own schema: what it gives back, and that damaged or
 * foreign databases are errors that say where. runs: watched */
#include "common/store/favourites.h"
#include "common/store/run_reader.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <unistd.h>

#include "common/params/choice.h"
#include "common/math/hash.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/genome_fixture.h"
#include "tests/plain_fixture.h"

#define CREATURES 5

static char directory[64], path[96];
static sqlite3 *database;
static struct creature *found;
static int found_count;
static int64_t generation;

/* ---- a run, written without the store's code ---- */

static void run_sql(const char *sql)
{
    char *message = NULL;
    sqlite3_exec(database, sql, NULL, NULL, &message);
    ck_assert_msg(!message, "%s: %s", message, sql);
}

static void put_creature(int id, const struct pack_writer *genome)
{
    sqlite3_stmt *row;
    char seed[17], digest[17], sql[256];
    hash_to_text(UINT64_MAX - (uint64_t)id, seed);
    hash_to_text((uint64_t)id << 60, digest);
    ck_assert_int_eq(
        sqlite3_prepare_v2(database,
                           "INSERT INTO individuals (id, generation, method, mutations,"
                           " seed, branch, verdict, fitness, digest, genome) VALUES"
                           " (?1, 1, 'random', 'none', ?2, 1, 'ok', ?3, ?4, ?5)",
                           -1, &row, NULL),
        SQLITE_OK);
    sqlite3_bind_int(row, 1, id);
    sqlite3_bind_text(row, 2, seed, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(row, 3, 10.0 / id);
    sqlite3_bind_text(row, 4, digest, -1, SQLITE_TRANSIENT);
    sqlite3_bind_blob(row, 5, genome->buffer.data, (int)genome->buffer.size, SQLITE_TRANSIENT);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        snprintf(sql, sizeof sql, "UPDATE individuals SET \"%s\" = %d / 7.0 WHERE id = %d",
                 measure_table[m].name, id + m, id);
        run_sql(sql);
    }
    snprintf(sql, sizeof sql, "INSERT INTO members VALUES (1, %d, 1, %d, 1, %g)", id, id,
             10.0 / id);
    run_sql(sql);
}

static void setup(void)
{
    SCOPED(genome) genome;
    SCOPED(pack_writer) writer;
    found = NULL;
    found_count = 0;
    memset(&error, 0, sizeof error);
    snprintf(directory, sizeof directory, "/tmp/test_run_reader.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/run.db", directory);
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    store_fixture_make_tables(database);
    run_sql("INSERT INTO branches VALUES (1, 0, 7, 'digest')");
    run_sql("INSERT INTO branch_parameters VALUES (1, 1, 'name', 'crawl'),"
            " (1, 2, 'world.gravity_m_s2', '3.5')");
    run_sql("INSERT INTO generations (number, branch, closed, evaluations_own) VALUES"
            " (0, 1, 1, 5), (1, 1, 1, 5), (2, 1, 0, 5)");
    fixture_make(&genome);
    pack_writer_init(&writer);
    genome_encode(&genome, &writer);
    run_sql("BEGIN");
    for (int id = 1; id <= CREATURES; id++)
        put_creature(id, &writer);
    run_sql("COMMIT");
}

static void teardown(void)
{
    run_reader_free(found, found_count);
    sqlite3_close(database);
    unlink(path);
    ck_assert_int_eq(rmdir(directory), 0); /* nothing else was left there */
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

static void expect_kinds(int count, const uint64_t *ids)
{
    ck_ok(run_reader_get_top(directory, -1, RUN_ORDER_KINDS, 100, &found, &found_count, &generation,
                             &error));
    ck_assert_int_eq(found_count, count);
    for (int i = 0; i < found_count; i++)
        ck_assert_uint_eq(found[i].id, ids[i]);
    run_reader_free(found, found_count);
    found = NULL;
    found_count = 0;
}

static void expect_named(uint64_t id, uint64_t wanted, int is_champion)
{
    struct run_reader *reader;
    SCOPED(creature) creature;
    ck_assert_int_eq(run_reader_open(&reader, directory, &error), 0);
    ck_assert_int_eq(run_reader_get_creature(reader, id, &creature, &error), 0);
    ck_assert_uint_eq(creature.id, wanted);
    ck_assert_int_eq(creature.is_champion, is_champion);
    run_reader_close(reader);
}

/* The champion, which need not be the first in rank, is the best, and stands for its kind. */
TEST(the_champion_comes_first)
{
    run_sql("UPDATE individuals SET parts = 3, links = 2 WHERE id <= 3");
    run_sql("UPDATE individuals SET parts = 3, links = 3 WHERE id > 3");
    expect_named(CREATURE_BEST, 1, 0);
    run_sql("INSERT OR REPLACE INTO run VALUES ('champion', '1'), ('champion_holds', '0')");
    expect_named(CREATURE_BEST, 1, 0);
    expect_kinds(2, (const uint64_t[]){1, 4});
    run_sql("INSERT OR REPLACE INTO run VALUES ('champion', '5'), ('champion_holds', '1')");
    expect_named(CREATURE_BEST, 5, 1);
    expect_named(CREATURE_FIRST, 1, 0);
    expect_kinds(2, (const uint64_t[]){5, 1});
    /* damaged: no such creature, no number */
    run_sql("INSERT OR REPLACE INTO run VALUES ('champion', '77')");
    expect_kinds(2, (const uint64_t[]){1, 4});
    run_sql("INSERT OR REPLACE INTO run VALUES ('champion', 'x')");
    expect_kinds(2, (const uint64_t[]){1, 4});
}

TEST(gives_the_best_of_each_kind)
{
    /* of 1's kind of body are 2 and 3, and 4 is of 5's */
    run_sql("UPDATE individuals SET parts = 3, links = 2 WHERE id <= 3");
    run_sql("UPDATE individuals SET parts = 3, links = 3 WHERE id > 3");
    expect_kinds(2, (const uint64_t[]){1, 4});
    /* a creature that did not live takes no slot, unless none did */
    run_sql("UPDATE individuals SET verdict = 'overlap' WHERE id = 4");
    expect_kinds(2, (const uint64_t[]){1, 5});
    run_sql("UPDATE individuals SET verdict = 'overlap'");
    expect_kinds(1, (const uint64_t[]){1});
    /* none has been simulated yet: their kinds are not known */
    run_sql("UPDATE individuals SET verdict = NULL");
    expect_kinds(CREATURES, (const uint64_t[]){1, 2, 3, 4, 5});
}

TEST(gives_what_there_is_when_asked_for_more)
{
    ck_assert_int_eq(get(1, RUN_READER_TOP_MAX), 0);
    ck_assert_int_eq(found_count, CREATURES);
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
    char sql[256];
    for (int cut = 0; cut < 400; cut += 7) {
        snprintf(sql, sizeof sql,
                 "UPDATE individuals SET genome = CAST(substr(genome, 1, %d) || x'c1' ||"
                 " substr(genome, %d) AS BLOB) WHERE id = 1",
                 cut, cut + (cut % 3) + 1);
        run_sql(sql);
        if (get(-1, 1) == 0)
            ck_assert_int_eq(genome_check(&found[0].genome, &error), 0);
        run_reader_free(found, found_count);
        found = NULL;
        found_count = 0;
        run_sql("UPDATE individuals SET genome = (SELECT genome FROM individuals WHERE id = 2)"
                " WHERE id = 1");
    }
}

/* ---- piece by piece ---- */

static struct run_reader *open_run(void)
{
    struct run_reader *reader;
    ck_ok(run_reader_open(&reader, directory, &error));
    ck_assert_str_eq(run_reader_directory(reader), directory);
    return reader;
}

TEST(gives_closed_generations_also_those_that_come)
{
    FREED struct store_generation *generations;
    int count;
    run_sql("UPDATE generations SET best = 4 + number, median = 2.5, best_id = 1 + number"
            " WHERE closed = 1");
    struct run_reader *reader = open_run();
    ck_assert_int_eq(run_reader_get_generations(reader, 0, &generations, &count, &error), 0);
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(generations[1].generation, 1);
    ck_assert_double_eq(generations[1].best, 5);
    ck_assert_double_eq(generations[1].median, 2.5);
    ck_assert_uint_eq(generations[1].best_id, 2);
    free(generations);
    ck_assert_int_eq(run_reader_get_generations(reader, 2, &generations, &count, &error), 0);
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(generations);
    run_sql("UPDATE generations SET closed = 1, best = 9 WHERE number = 2");
    ck_assert_int_eq(run_reader_get_generations(reader, 2, &generations, &count, &error), 0);
    ck_assert_int_eq(count, 1);
    ck_assert_double_eq(generations[0].best, 9);
    run_reader_close(reader);
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
    struct creature creature;
    struct run_reader *reader = open_run();
    ck_assert_int_eq(run_reader_get_creature(reader, 3, &creature, &error), 0);
    ck_assert_str_eq(creature.name, "crawl-3");
    ck_assert_double_eq(creature.fitness, 10.0 / 3);
    creature_deinit(&creature);
    /* not yet evaluated: with the parameters in force */
    run_sql("UPDATE individuals SET verdict = NULL, branch = NULL WHERE id = 3");
    ck_assert_int_eq(run_reader_get_creature(reader, 3, &creature, &error), 0);
    ck_assert(!creature.has_evaluation);
    ck_assert_double_eq(creature.params.world_gravity_m_s2, 3.5);
    creature_deinit(&creature);
    ck_assert_int_eq(run_reader_get_creature(reader, 99, &creature, &error), ERR_MISSING);
    ck_assert_msg(strstr(error.message, "no creature 99") != NULL, "%s", error.message);
    run_sql("UPDATE individuals SET genome = x'93' WHERE id = 3");
    ck_assert_int_eq(run_reader_get_creature(reader, 3, &creature, &error), ERR_FORMAT);
    run_reader_close(reader);
}

TEST(gives_the_line_of_first_parents)
{
    struct run_reader *reader = open_run();
    run_sql("UPDATE individuals SET parent1 = 3, parent2 = 4 WHERE id = 5");
    run_sql("UPDATE individuals SET parent1 = 1 WHERE id = 3");
    ck_assert_int_eq(run_reader_get_lineage(reader, 5, 10, &found, &found_count, &error), 0);
    ck_assert_int_eq(found_count, 3);
    ck_assert_uint_eq(found[0].id, 5);
    ck_assert_uint_eq(found[1].id, 3);
    ck_assert_uint_eq(found[2].id, 1);
    ck_assert_str_eq(found[0].mutations, "none");
    run_reader_free(found, found_count);
    ck_assert_int_eq(run_reader_get_lineage(reader, 5, 2, &found, &found_count, &error), 0);
    ck_assert_int_eq(found_count, 2);
    run_reader_free(found, found_count);
    /* a circle, and a parent that is not there */
    run_sql("UPDATE individuals SET parent1 = 5 WHERE id = 1");
    ck_assert_int_eq(run_reader_get_lineage(reader, 5, 10, &found, &found_count, &error),
                     ERR_FORMAT);
    ck_assert_ptr_null(found);
    run_sql("PRAGMA foreign_keys = OFF; UPDATE individuals SET parent1 = 1 WHERE id = 5;"
            " UPDATE individuals SET parent1 = NULL WHERE id = 1; DELETE FROM members; "
            "DELETE FROM individuals WHERE id = 1");
    ck_assert_int_eq(run_reader_get_lineage(reader, 5, 10, &found, &found_count, &error),
                     ERR_MISSING);
    ck_assert_ptr_null(found);
    run_reader_close(reader);
}

/* ---- choosing by hand ---- */

TEST(tells_what_is_chosen)
{
    struct run_reader *reader;
    struct run_choosing choosing;
    struct store_choice *choices;
    int count;
    ck_assert_int_eq(run_reader_open(&reader, directory, &error), 0);
    ck_assert_int_eq(run_reader_get_choosing(reader, &choosing, &error), 0);
    ck_assert(!choosing.is_interactive && choosing.waiting == -1 && !choosing.is_over);
    ck_assert(!choosing.has_no_goal);
    run_sql("INSERT INTO branch_parameters VALUES (1, 3, 'interactive.share', '0.5'),"
            " (1, 4, 'evolution.generations', '4')");
    ck_assert_int_eq(run_reader_get_choosing(reader, &choosing, &error), 0);
    ck_assert(choosing.is_interactive && choosing.waiting == -1 && !choosing.is_over);
    ck_assert(!choosing.has_no_goal);
    run_sql("UPDATE generations SET closed = 1");
    ck_assert_int_eq(run_reader_get_choosing(reader, &choosing, &error), 0);
    ck_assert(choosing.waiting == 2 && !choosing.is_over);
    run_sql("INSERT INTO generations (number, branch, closed, evaluations_own)"
            " VALUES (3, 1, 1, 5)");
    ck_assert_int_eq(run_reader_get_choosing(reader, &choosing, &error), 0);
    ck_assert(choosing.waiting == -1 && choosing.is_over);
    run_sql("INSERT INTO branch_parameters VALUES (1, 5, 'evolution.behaviour', 'interactive'),"
            " (1, 6, 'population.size', '7')");
    ck_assert_int_eq(run_reader_get_choosing(reader, &choosing, &error), 0);
    ck_assert(choosing.is_interactive && choosing.has_no_goal && choosing.places == 7);

    ck_assert_int_eq(run_reader_get_choices(reader, 2, &choices, &count, &error), 0);
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(choices);
    run_sql("INSERT INTO choices VALUES (2, 4, 'ban'), (2, 1, 'breed'), (1, 1, 'keep')");
    ck_assert_int_eq(run_reader_get_choices(reader, 2, &choices, &count, &error), 0);
    ck_assert_int_eq(count, 2);
    ck_assert(choices[0].id == 1 && choices[0].choice == CHOICE_BREED);
    ck_assert(choices[1].id == 4 && choices[1].choice == CHOICE_BAN);
    free(choices);
    /* what no controller wrote */
    run_sql("PRAGMA ignore_check_constraints = ON; UPDATE choices SET choice = 'kiss'");
    ck_assert_int_eq(run_reader_get_choices(reader, 2, &choices, &count, &error), ERR_FORMAT);
    ck_assert_ptr_null(choices);
    ck_assert_ptr_nonnull(strstr(error.message, "unknown choice"));
    run_reader_close(reader);
}

SUITE("run_reader", 120, setup, teardown)
