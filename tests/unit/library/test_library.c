/* The library through its header alone, beside the core that it is made of. runs: watched */
#include <dirent.h>

#include "common/creature/creature.h"
#include "common/system/arena.h"
#include "include/bestiary.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/sanitized.h"
#include "tests/suite.h"

static struct bestiary_error error;
static const char *const folders[] = {"docs/results/plane/champions",
                                      "docs/results/plane-worlds/champions",
                                      "docs/results/space/champions",
                                      "docs/results/space-worlds/champions",
                                      "docs/results/spheres/champions",
                                      "examples/creatures",
                                      "tests/creatures"};

static struct bestiary_creature *read_creature(const char *path)
{
    static unsigned char bytes[1 << 20];
    struct bestiary_creature *creature;
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_ok(bestiary_creature_read(&creature, bytes, length, &error));
    return creature;
}

/* A creature, its parameters and the seed of its record. */
static struct bestiary_creature *creature;
static struct bestiary_params *params;
static struct bestiary_record record;

static void take(const char *path)
{
    creature = read_creature(path);
    ck_ok(bestiary_params_of(&params, creature, &error));
    bestiary_creature_record(creature, &record);
}

static void leave(void)
{
    bestiary_params_free(params);
    bestiary_creature_free(creature);
}

/* The core's digest and verdict of a file. */
static struct evaluation evaluate_file(const char *path)
{
    SCOPED(creature) own;
    struct error trouble;
    SCOPED(arena) arena;
    struct evaluation outcome;
    ck_assert_int_eq(creature_read(&own, path, &trouble), 0);
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    evaluate(&own.genome, &own.params, own.has_evaluation ? own.seed : 1, &arena, NULL, NULL,
             &outcome);
    return outcome;
}

/* Every bundled creature of a folder moves as in the core. */
TEST_LOOP(creatures_move_as_in_the_core, 0, (int)(sizeof folders / sizeof folders[0]))
{
    DIR *folder = opendir(folders[_i]);
    const struct dirent *entry;
    int count = 0;
    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder)) != NULL) {
        struct bestiary_result result;
        if (entry->d_name[0] == '.' || (TESTS_ARE_SANITIZED && count++ % 6))
            continue;
        const char *path = printed("%s/%s", folders[_i], entry->d_name);
        take(path);
        ck_ok(bestiary_evaluate(creature, params, record.seed, &result, &error));
        struct evaluation own = evaluate_file(path);
        ck_assert_msg(result.digest == own.digest && result.verdict == own.verdict, "%s", path);
        int simulator;
        bestiary_version(&simulator);
        if (record.simulator_version == simulator)
            ck_assert_msg(result.status == BESTIARY_VERIFIED || result.status == BESTIARY_REFUSED,
                          "%s: %s", path, result.words);
        count++;
        leave();
    }
    closedir(folder);
    ck_assert_int_gt(count, 0);
}

static const char *const kinds[] = {"docs/results/plane/champions/walk-archive-1.creature",
                                    "docs/results/spheres/champions/spider-sims-1.creature",
                                    "docs/results/space/champions/walk3d-sims-1.creature"};

/* All numbers of a life. */
static int read_all(const struct bestiary_life *life, double *values, int size)
{
    int count = 0;
    for (int what = 0; what < BESTIARY_READS; what++)
        count += bestiary_life_read(life, (enum bestiary_read)what, values + count, size - count);
    ck_assert_int_le(count, size);
    return count;
}

/* A life that is taken back again and again comes to what the whole evaluation comes to, with the
 * same numbers on the way. */
TEST_LOOP(snapshots_change_nothing, 0, 3)
{
    static double before[20000], after[20000];
    struct bestiary_life *life;
    struct bestiary_result whole, result;
    struct bestiary_bytes snapshot, middle = {NULL, 0};
    int round = 0;
    take(kinds[_i]);
    ck_ok(bestiary_evaluate(creature, params, record.seed, &whole, &error));
    ck_ok(bestiary_life_make(&life, creature, params, record.seed, &error));
    for (int ticks = 1; ticks == 1;) {
        ck_ok(bestiary_life_save(life, &snapshot, &error));
        if (round++ == 4)
            ck_ok(bestiary_life_save(life, &middle, &error));
        bestiary_life_tick(life, 1 + (_i + 7) % 5);
        ck_ok(bestiary_life_result(life, &result, &error));
        int count = read_all(life, before, 20000);
        ck_ok(bestiary_life_restore(life, &snapshot, &error));
        bestiary_life_tick(life, 1 + (_i + 7) % 5);
        ck_assert_int_eq(read_all(life, after, 20000), count);
        ck_assert_mem_eq(before, after, (size_t)count * sizeof before[0]);
        ck_ok(bestiary_life_restore(life, &snapshot, &error));
        bestiary_bytes_free(&snapshot);
        ticks = bestiary_life_tick(life, 1);
        bestiary_life_tick(life, 6);
    }
    ck_ok(bestiary_life_result(life, &result, &error));
    ck_assert_uint_eq(result.digest, whole.digest);
    ck_assert_int_eq(result.status, whole.status);
    ck_assert_double_eq(result.fitness, whole.fitness);
    // from its end back into its midst
    ck_assert_int_eq(bestiary_life_tick(life, 1), 0);
    ck_ok(bestiary_life_restore(life, &middle, &error));
    ck_assert_int_gt(bestiary_life_tick(life, 1000000), 10);
    ck_ok(bestiary_life_result(life, &result, &error));
    ck_assert_uint_eq(result.digest, whole.digest);
    bestiary_bytes_free(&middle);
    bestiary_life_free(life);
    leave();
}

/* A snapshot is of one life; steering and another world change it, and say so. */
TEST_LOOP(lives_can_be_changed, 0, 3)
{
    struct bestiary_life *life, *other;
    struct bestiary_result own, changed;
    struct bestiary_bytes start;
    double effectors[4 * 200], signals[200] = {0};
    take(kinds[_i]);
    ck_ok(bestiary_life_make(&life, creature, params, record.seed, &error));
    ck_ok(bestiary_life_make(&other, creature, params, record.seed, &error));
    ck_ok(bestiary_life_save(life, &start, &error));
    ck_assert_int_eq(bestiary_life_restore(other, &start, &error), BESTIARY_ERROR_USAGE);
    start.length--;
    ck_assert_int_eq(bestiary_life_restore(life, &start, &error), BESTIARY_ERROR_USAGE);
    start.length++;
    ck_assert_int_eq(bestiary_life_tick(life, 60), 60);
    ck_ok(bestiary_life_result(life, &own, &error));

    ck_ok(bestiary_life_restore(life, &start, &error));
    int count = bestiary_life_read(life, BESTIARY_EFFECTORS, effectors, 800) / 4;
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq(bestiary_life_steer(life, signals, count + 1, &error), BESTIARY_ERROR_USAGE);
    for (int i = 0; i < count; i++)
        signals[i] = 0.5 * effectors[4 * i + 2];
    ck_ok(bestiary_life_steer(life, signals, count, &error));
    bestiary_life_tick(life, 60);
    ck_assert_int_eq(bestiary_life_read(life, BESTIARY_EFFECTORS, effectors, 800), 4 * count);
    for (int i = 0; i < count; i++)
        ck_assert_double_eq_tol(effectors[4 * i], signals[i], 1e-3 * effectors[4 * i + 2]);
    ck_ok(bestiary_life_result(life, &changed, &error));
    ck_assert_int_eq(changed.status, BESTIARY_CHANGED);
    ck_assert_uint_ne(changed.digest, own.digest);

    ck_ok(bestiary_life_restore(life, &start, &error));
    ck_assert_int_eq(bestiary_life_change(life, "run.name", "a", &error), BESTIARY_ERROR_UNKNOWN);
    ck_assert_int_eq(bestiary_life_change(life, "brain.clip", "1", &error), BESTIARY_ERROR_UNKNOWN);
    ck_ok(bestiary_life_change(life, "world.gravity_m_s2", "3", &error));
    bestiary_life_tick(life, 60);
    ck_ok(bestiary_life_result(life, &changed, &error));
    ck_assert_int_eq(changed.status, BESTIARY_CHANGED);
    ck_assert_uint_ne(changed.digest, own.digest);

    ck_ok(bestiary_life_restore(life, &start, &error));
    bestiary_life_tick(life, 60);
    ck_ok(bestiary_life_result(life, &changed, &error));
    ck_assert_uint_eq(changed.digest, own.digest);
    ck_assert_int_eq(changed.status, own.status);
    bestiary_bytes_free(&start);
    bestiary_life_free(life);
    bestiary_life_free(other);
    leave();
}

/* Lives of all kinds take steps together as each alone; a body takes of a row what it has effectors
 * for, and what is no number is none. */
TEST(lives_step_together)
{
    struct bestiary_creature *creatures[3];
    struct bestiary_life *lives[3], *alone;
    struct bestiary_params *owns[3];
    double signals[3 * 40], observations[3 * 60], centres[9], expected[60], effectors[160], own[40];
    unsigned char is_live[3];
    for (int i = 0; i < 3; i++) {
        take(kinds[i]);
        creatures[i] = creature;
        owns[i] = params;
        ck_ok(bestiary_life_make(&lives[i], creature, params, 1, &error));
    }
    for (int i = 0; i < 120; i++)
        signals[i] = i % 7 == 3 ? 0.0 / 0.0 : 0.3 * (i % 9) - 1.2;
    const struct bestiary_step step = {signals, 40, 60, 30, observations, centres, is_live};
    ck_ok(bestiary_lives_step(lives, 3, &step, &error));
    for (int i = 0; i < 3; i++) {
        ck_ok(bestiary_life_make(&alone, creatures[i], owns[i], 1, &error));
        int count = bestiary_life_read(alone, BESTIARY_EFFECTORS, effectors, 160) / 4;
        ck_assert_int_gt(count, 0);
        for (int e = 0; e < count; e++) {
            double signal = fmax(-1, fmin(1, signals[40 * i + e]));
            if (!isfinite(signals[40 * i + e]))
                signal = 0;
            own[e] = effectors[4 * e + 1] +
                     0.5 * (signal + 1) * (effectors[4 * e + 2] - effectors[4 * e + 1]);
        }
        ck_ok(bestiary_life_steer(alone, own, count, &error));
        ck_assert_int_eq(bestiary_life_tick(alone, 30) == 30, is_live[i]);
        count = bestiary_life_read(alone, BESTIARY_OBSERVATION, expected, 60);
        ck_assert_int_gt(count, 13);
        ck_assert_mem_eq(expected, observations + 60 * i, (size_t)count * sizeof expected[0]);
        for (int at = count; at < 60; at++)
            ck_assert_double_eq(observations[60 * i + at], 0);
        bestiary_life_free(alone);
        bestiary_life_free(lives[i]);
        bestiary_params_free(owns[i]);
        bestiary_creature_free(creatures[i]);
    }
}

/* A child's record is verified after it went through a file. */
TEST(records_are_made)
{
    struct bestiary_creature *child, *read;
    struct bestiary_result result;
    struct bestiary_bytes bytes;
    take(kinds[1]);
    ck_ok(bestiary_creature_breed(&child, creature, NULL, 0, 2, params, 5, &error));
    ck_ok(bestiary_record(child, params, 9, &result, &error));
    ck_assert_int_eq(result.status, BESTIARY_VERIFIED);
    ck_ok(bestiary_creature_write(child, BESTIARY_BINARY, &bytes, &error));
    ck_ok(bestiary_creature_read(&read, bytes.data, bytes.length, &error));
    ck_ok(bestiary_creature_record(read, &record));
    ck_assert_uint_eq(record.seed, 9);
    ck_assert_uint_eq(record.digest, result.digest);
    ck_ok(bestiary_evaluate(read, params, 9, &result, &error));
    ck_assert_int_eq(result.status, BESTIARY_VERIFIED);
    bestiary_bytes_free(&bytes);
    bestiary_creature_free(read);
    bestiary_creature_free(child);
    leave();
}

/* What a program is told no of, instead of an abort. */
TEST(what_cannot_be_is_said)
{
    struct bestiary_life *life;
    struct bestiary_result result;
    take(kinds[1]);
    ck_ok(bestiary_params_set(params, "world.relief_m", "0.1", &error));
    ck_assert_int_eq(bestiary_evaluate(creature, params, 1, &result, &error), BESTIARY_ERROR_RANGE);
    ck_assert_int_eq(bestiary_life_make(&life, creature, params, 1, &error), BESTIARY_ERROR_RANGE);
    ck_assert_ptr_null(life);
    leave();
}

TEST(creatures_breed_and_travel)
{
    struct bestiary_creature *a, *b, *child, *twin;
    struct bestiary_bytes bytes, text, again;
    struct bestiary_record none;
    ck_ok(bestiary_params_make(&params, "[creature]\nbody = boxes\n", &error));
    ck_ok(bestiary_creature_random(&a, params, 1, &error));
    ck_ok(bestiary_creature_random(&b, params, 2, &error));
    for (int is_graft = 0; is_graft < 2; is_graft++) {
        ck_ok(bestiary_creature_breed(&child, a, b, is_graft, -1, params, 3, &error));
        ck_ok(bestiary_creature_breed(&twin, a, b, is_graft, -1, params, 3, &error));
        ck_ok(bestiary_creature_write(child, BESTIARY_BINARY, &bytes, &error));
        ck_ok(bestiary_creature_write(twin, BESTIARY_BINARY, &again, &error));
        ck_assert_uint_eq(bytes.length, again.length);
        ck_assert_mem_eq(bytes.data, again.data, bytes.length);
        bestiary_bytes_free(&again);
        bestiary_creature_free(twin);
        ck_ok(bestiary_creature_write(child, BESTIARY_JSON, &text, &error));
        ck_ok(bestiary_creature_read(&twin, text.data, text.length, &error));
        ck_ok(bestiary_creature_write(twin, BESTIARY_BINARY, &again, &error));
        ck_assert_mem_eq(bytes.data, again.data, bytes.length);
        ck_assert_int_eq(bestiary_creature_record(twin, &none), BESTIARY_ERROR_MISSING);
        ck_assert_uint_eq(none.seed, 1);
        bestiary_bytes_free(&bytes);
        bestiary_bytes_free(&text);
        bestiary_bytes_free(&again);
        bestiary_creature_free(child);
        bestiary_creature_free(twin);
    }
    struct bestiary_creature *flat = read_creature(kinds[0]);
    ck_assert_int_eq(bestiary_creature_breed(&child, a, flat, 0, 1, params, 3, &error),
                     BESTIARY_ERROR_USAGE);
    ck_assert_ptr_null(child);
    bestiary_creature_free(flat);
    bestiary_creature_free(a);
    bestiary_creature_free(b);
    bestiary_params_free(params);
}

/* A contest in either order. */
TEST(creatures_contend)
{
    double margin, back;
    uint64_t digest, other;
    struct bestiary_creature *rival = read_creature("tests/creatures/seek-land3d-sims-2.creature");
    take("tests/creatures/seek-land3d-sims-4.creature");
    ck_ok(bestiary_params_set(params, "simulation.duration_s", "2", &error));
    ck_ok(bestiary_contest(creature, rival, params, &margin, &digest, &error));
    ck_ok(bestiary_contest(rival, creature, params, &back, &other, &error));
    ck_assert_uint_eq(digest, other);
    ck_assert_double_eq(margin, -back);
    struct bestiary_creature *flat = read_creature(kinds[0]);
    ck_assert_int_eq(bestiary_contest(creature, flat, params, &margin, &digest, &error),
                     BESTIARY_ERROR_USAGE);
    bestiary_creature_free(flat);
    bestiary_creature_free(rival);
    leave();
}

/* A world that is written and read lives on as the one that went on. */
TEST(worlds_live)
{
    struct bestiary_world *world, *again;
    struct bestiary_bytes bytes;
    struct bestiary_creature *living;
    int64_t facts[64];
    take("docs/results/plane/champions/swim-archive-1.creature");
    const struct bestiary_creature *founders[] = {creature};
    bestiary_params_free(params);
    ck_ok(bestiary_params_make(&params, "[world]\npreset = water\n[preserve]\nfounders = 4\n",
                               &error));
    ck_assert_int_eq(bestiary_world_found(&world, params, 1, founders, 0, &error),
                     BESTIARY_ERROR_USAGE);
    ck_ok(bestiary_world_found(&world, params, 1, founders, 1, &error));
    ck_ok(bestiary_world_write(world, &bytes, &error));
    ck_ok(bestiary_world_read(&again, params, bytes.data, bytes.length, &error));
    bestiary_bytes_free(&bytes);
    ck_ok(bestiary_world_live(world, &error));
    ck_ok(bestiary_world_live(again, &error));
    uint64_t digest = bestiary_world_facts(world, facts, 64);
    ck_assert_uint_eq(bestiary_world_facts(again, NULL, 0), digest);
    ck_assert_str_eq(bestiary_fact_name(0), "living");
    ck_assert_int_gt(facts[0], 0);
    ck_ok(bestiary_world_creature(world, 0, &living, &error));
    bestiary_creature_free(living);
    ck_assert_int_eq(bestiary_world_creature(world, (int)facts[0], &living, &error),
                     BESTIARY_ERROR_MISSING);
    bestiary_world_free(world);
    bestiary_world_free(again);
    leave();
}

/* A parent of a creature repeats its record; ranks that are none have no parent. */
static void check_parents(const struct bestiary_search *search)
{
    struct bestiary_result result;
    int count = 0;
    for (int rank = -1; rank <= 10; rank++) {
        int status = bestiary_search_parent(search, rank, &creature, &error);
        if (status) {
            ck_assert_int_eq(status, BESTIARY_ERROR_MISSING);
            continue;
        }
        struct bestiary_params *own;
        count++;
        ck_ok(bestiary_params_of(&own, creature, &error));
        ck_assert_int_eq(bestiary_creature_record(creature, &record), 0);
        ck_ok(bestiary_evaluate(creature, own, record.seed, &result, &error));
        ck_assert_uint_eq(result.digest, record.digest);
        bestiary_params_free(own);
        bestiary_creature_free(creature);
    }
    ck_assert_int_ge(count, 1);
    ck_assert_int_le(count, 10);
}

/* Results may be told in any order, once, and only those of tasks that were asked for. */
TEST(a_search_ends_as_itself)
{
    static const char ini[] = "[population]\nsize = 20\n[evolution]\ngenerations = 4\n"
                              "[simulation]\nduration_s = 2\n";
    uint64_t digests[2];
    ck_ok(bestiary_params_make(&params, ini, &error));
    for (int round = 0; round < 2; round++) {
        struct bestiary_search *search;
        struct bestiary_bytes tasks[5], result;
        struct bestiary_progress progress = {0};
        ck_ok(bestiary_search_make(&search, params, &error));
        ck_assert_int_eq(bestiary_search_creature(search, 0, &creature, &error),
                         BESTIARY_ERROR_MISSING);
        for (int count = 0; !progress.is_finished;) {
            while (count < (round ? 5 : 1)) {
                ck_ok(bestiary_search_ask(search, &tasks[count], &error));
                if (!tasks[count].length)
                    break;
                count++;
            }
            ck_assert_int_gt(count, 0);
            count--;
            ck_ok(bestiary_task(params, tasks[count].data, tasks[count].length, &result, &error));
            ck_ok(bestiary_search_tell(search, result.data, result.length, &error));
            ck_assert_int_eq(bestiary_search_tell(search, result.data, result.length, &error),
                             BESTIARY_ERROR_MISSING);
            ck_assert_int_eq(
                bestiary_search_tell(search, tasks[count].data, tasks[count].length, &error),
                BESTIARY_ERROR_FORMAT);
            bestiary_bytes_free(&tasks[count]);
            bestiary_bytes_free(&result);
            bestiary_search_progress(search, &progress);
            for (int i = 0; progress.is_finished && i < count; i++)
                bestiary_bytes_free(&tasks[i]);
            ck_assert(progress.is_finished || bestiary_search_digest(search) == 0);
        }
        digests[round] = bestiary_search_digest(search);
        ck_ok(bestiary_search_creature(search, 0, &creature, &error));
        ck_assert_int_eq(bestiary_creature_record(creature, &record), 0);
        ck_assert_double_eq(record.fitness, progress.best);
        bestiary_creature_free(creature);
        check_parents(search);
        bestiary_search_free(search);
    }
    ck_assert_uint_eq(digests[0], digests[1]);
    bestiary_params_free(params);
}

TEST(parameters_are_texts)
{
    char value[64];
    ck_assert_int_eq(bestiary_params_make(&params, "[world]\ngravity_m_s2 = x\n", &error),
                     BESTIARY_ERROR_RANGE);
    ck_assert_ptr_null(params);
    ck_assert_ptr_nonnull(strstr(error.message, "parameters:2"));
    ck_ok(bestiary_params_make(&params, NULL, NULL));
    ck_ok(bestiary_params_set(params, "world.gravity_m_s2", "1.5", &error));
    ck_ok(bestiary_params_get(params, "world.gravity_m_s2", value, sizeof value, &error));
    ck_assert_str_eq(value, "1.5");
    ck_assert_int_eq(bestiary_params_get(params, "world.nothing", value, sizeof value, &error),
                     BESTIARY_ERROR_UNKNOWN);
    bestiary_params_free(params);
    ck_assert_ptr_null(bestiary_measure_name(-1));
    ck_assert_ptr_null(bestiary_fact_name(1000));
    ck_assert_uint_ne(bestiary_fingerprint(), 0);
}

SUITE("library", 240, NULL, NULL)
