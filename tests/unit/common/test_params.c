/* common/params: the table, values from text, INI files with every kind of error, the preset, exact
 * round trips, cross checks and the digest of evaluations. runs: watched */
#include "common/params/params.h"

#include <inttypes.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/text.h"
#include "tests/plain_fixture.h"

static struct params defaults;

static void setup(void)
{
    memset(&error, 0, sizeof error);
    params_set_defaults(&params);
    defaults = params;
}

/* The reader of `text` failed, with an error that begins with these words. */
static void check_refused(int status, const char *text, const char *words)
{
    ck_assert_msg(status < 0, "accepted: %s", text);
    ck_assert_msg(strncmp(error.message, words, strlen(words)) == 0, "%s: %s", text, error.message);
}

TEST(table_is_sound)
{
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        char range[200], value[PARAM_TEXT_SIZE];
        ck_assert_int_eq(params_find(info->key), i);
        ck_assert_msg(strchr("EJSF", info->scope) != NULL, "%s", info->key);
        ck_assert_msg(strlen(info->help) > 3, "%s", info->key);
        // the default is in its own range
        params_print_value(&params, i, value, sizeof value);
        struct params copy = params;
        ck_ok(params_set(&copy, info->key, value, &error));
        params_print_range(i, range, sizeof range);
        ck_assert_msg(strlen(range) > 3, "%s", info->key);
        for (int j = i + 1; j < param_count; j++)
            ck_assert_str_ne(info->key, param_table[j].key);
    }
    ck_assert_int_ge(params_find("seed"), 0);
    ck_assert_int_ge(params_find("name"), 0);
    ck_assert_int_lt(params_find("run.seed"), 0);
    ck_assert_int_lt(params_find(""), 0);
    ck_assert_int_le(param_count, 200);
}

TEST(defaults_are_as_documented)
{
    ck_assert_int_eq(params.run_seed, 1);
    ck_assert_str_eq(params.run_name, "run");
    ck_assert_int_eq(params.population_size, 300);
    ck_assert(params.simulation_dt_s == 1.0 / 240.0);
    ck_assert_int_eq(params.settle_effectors, SETTLE_HOLD);
    ck_assert_int_eq(params.world_ground, 1);
    ck_ok(params_check(&params, &error));
}

/* Every guard that 0 switches off is switched off by the word, too; other numbers are not. */
TEST(guards_have_an_off)
{
    int count = 0;
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        char value[PARAM_TEXT_SIZE];
        if (strcmp(info->section, "guard") != 0 || strstr(info->help, "0 = off") == NULL)
            continue;
        ck_ok(params_set(&params, info->key, "off", &error));
        params_print_value(&params, i, value, sizeof value);
        ck_assert_str_eq(value, "0");
        count++;
    }
    ck_assert_int_ge(count, 6);
    ck_assert_int_ne(params_set(&params, "guard.referee_share", "off", &error), 0);
    ck_assert_int_ne(params_set(&params, "world.friction", "off", &error), 0);
    ck_assert_int_ne(params_set(&params, "population.size", "off", &error), 0);
}

/* Choices and the enums in the header stand in the same order. */
TEST(choices_have_their_numbers)
{
    static const struct {
        const char *key, *value;
        int number;
        size_t offset;
    } cases[] = {
        {"evolution.behaviour", "walk", BEHAVIOUR_WALK,
         offsetof(struct params, evolution_behaviour)},
        {"evolution.behaviour", "jump", BEHAVIOUR_JUMP,
         offsetof(struct params, evolution_behaviour)},
        {"evolution.behaviour", "swim", BEHAVIOUR_SWIM,
         offsetof(struct params, evolution_behaviour)},
        {"evolution.search", "sims", SEARCH_SIMS, offsetof(struct params, evolution_search)},
        {"evolution.search", "random", SEARCH_RANDOM, offsetof(struct params, evolution_search)},
        {"creature.overlap", "reject", OVERLAP_REJECT, offsetof(struct params, creature_overlap)},
        {"creature.effector_mode", "torque", EFFECTOR_TORQUE,
         offsetof(struct params, creature_effector_mode)},
        {"simulation.integrator", "rk4", INTEGRATOR_RK4,
         offsetof(struct params, simulation_integrator)},
        {"simulation.integrator", "midpoint", INTEGRATOR_MIDPOINT,
         offsetof(struct params, simulation_integrator)},
        {"world.preset", "moon", PRESET_MOON, offsetof(struct params, world_preset)},
        {"settle.effectors", "limp", SETTLE_LIMP, offsetof(struct params, settle_effectors)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(params_set(&params, cases[i].key, cases[i].value, &error), 0);
        ck_assert_int_eq(*(int *)((char *)&params + cases[i].offset), cases[i].number);
    }
}

TEST(good_values)
{
    set("population.size=1000000");
    ck_assert_int_eq(params.population_size, 1000000);
    set("seed=9223372036854775807");
    ck_assert_int_eq(params.run_seed, INT64_MAX);
    set("simulation.dt_s=1e-3");
    ck_assert(params.simulation_dt_s == 0.001);
    set("world.viscosity_pa_s=-0");
    ck_assert(params.world_viscosity_pa_s == 0);
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(params_set(&params, "world.ground", no[i], &error), 0);
        ck_assert_int_eq(params.world_ground, 0);
        ck_assert_int_eq(params_set(&params, "world.ground", yes[i], &error), 0);
        ck_assert_int_eq(params.world_ground, 1);
    }
    set("farm.launcher=ssh -o A=b host");
    ck_assert_str_eq(params.farm_launcher, "ssh -o A=b host");
    set("farm.launcher=");
    ck_assert_str_eq(params.farm_launcher, "");
}

TEST(bad_values)
{
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"population.size=1", "population.size: 1 is not within 2 .. 1000000"},
        {"population.size=1000001", "population.size: 1000001 is not within 2 .. 1000000"},
        {"population.size=99999999999999999999", "population.size: 99999999999999999999 is not wi"},
        {"population.size=-99999999999999999999", "population.size: -9999999999999999999"},
        {"population.size=3.5", "population.size: 3.5 is not a whole number within 2 .. 1000000"},
        {"population.size=", "population.size: \"\" is not a whole number within"},
        {"population.size= 3", "population.size:  3 is not a whole number"},
        {"population.size=0x10", "population.size: 0x10 is not a whole number"},
        {"population.size=many", "population.size: many is not a whole number"},
        {"seed=-1", "seed: -1 is not within 0 .. 9223372036854775807"},
        {"seed=9223372036854775808", "seed: 9223372036854775808 is not within"},
        {"population.survival=1.5", "population.survival: 1.5 is not within 0.001 .. 1"},
        {"population.survival=nan", "population.survival: nan is not a number within 0.001 .. 1"},
        {"population.survival=inf", "population.survival: inf is not a number"},
        {"population.survival=1e999", "population.survival: 1e999 is not within"},
        {"population.survival=0x1p-1", "population.survival: 0x1p-1 is not a number"},
        {"population.survival=0,5", "population.survival: 0,5 is not a number"},
        {"population.survival=0.5 ", "population.survival: 0.5  is not a number"},
        {"population.survival=1e", "population.survival: 1e is not a number"},
        {"world.ground=maybe", "world.ground: maybe is not yes or no"},
        {"world.ground=", "world.ground: \"\" is not yes or no"},
        {"evolution.behaviour=swym", "evolution.behaviour: swym is not one of walk, jump, swim"},
        {"evolution.behaviour=wal", "evolution.behaviour: wal is not one of"},
        {"evolution.behaviour=walk|jump", "evolution.behaviour: walk|jump is not one of"},
        {"evolution.behaviour=", "evolution.behaviour: \"\" is not one of"},
        {"farm.launcher=a ;b", "farm.launcher: a ;b is not a text of at most 1000 bytes"},
        {"farm.launcher= a", "farm.launcher:  a is not a text"},
        {"farm.launcher=;a", "farm.launcher: ;a is not a text"},
        {"farm.launcher=a\nb", "farm.launcher: a b is not a text"},
        {"farm.launcher=\xff", "farm.launcher: "},
        {"population.sise=3", "unknown key population.sise (did you mean population.size?)"},
        {"world.size=3", "unknown key world.size (did you mean population.size?)"},
        {"run.seed=3", "unknown key run.seed (did you mean seed, which stands in no section?)"},
        {"sed=3", "unknown key sed (did you mean seed, which stands in no section?)"},
        {"creature.side_min=3",
         "unknown key creature.side_min (did you mean creature.side_min_m?)"},
        {"quite.different=3", "unknown key quite.different"},
        {"evolution.fitness=", "unknown key evolution.fitness (there are fitness.expression, "
                               "fitness.size_floor_m, fitness.ahead, "
                               "evolution.generations, evolution.behaviour, "
                               "evolution.search, evolution.seeds, evolution.seeds_see, "
                               "evolution.seeded_share, evolution.reevaluate, "
                               "evolution.islands, evolution.island_generations, "
                               "evolution.island_halvings, "
                               "evolution.halving_generations, ...)"},
        {"population.size", "population.size: expected section.key=value"},
        {"=3", "=3: expected section.key=value"},
        {"", ": expected section.key=value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_refused(params_set_assignment(&params, cases[i].assignment, &error),
                      cases[i].assignment, cases[i].message);
        ck_assert_mem_eq(&params, &defaults, sizeof params);
    }
}

TEST(long_values_and_keys)
{
    char text[1400];
    memset(text, 'a', sizeof text);
    text[PARAM_TEXT_LENGTH_MAX] = '\0';
    ck_assert_int_eq(params_set(&params, "farm.launcher", text, &error), 0);
    text[PARAM_TEXT_LENGTH_MAX] = 'a';
    text[PARAM_TEXT_LENGTH_MAX + 1] = '\0';
    ck_assert_int_lt(params_set(&params, "farm.launcher", text, &error), 0);
    text[PARAM_TEXT_LENGTH_MAX + 1] = 'a';
    strcpy(text + sizeof text - 3, "=1");
    ck_assert_int_eq(params_set_assignment(&params, text, &error), ERR_UNKNOWN);
}

/* ---- INI ---- */

static int read_ini(const char *text)
{
    return params_read_text(&params, text, "walk.ini", &error);
}

TEST(ini_is_read)
{
    const char *text = "\xef\xbb\xbf; a comment\r\n"
                       "seed = 42\n"
                       "name=first try ; inline comment\n"
                       "\n"
                       "[population]\n"
                       "  size : 20\n" /* indented: a key like any other */
                       "\tsurvival=0.5\n"
                       "# comment\n"
                       "[farm]\n"
                       "launcher = nice -n 10\n"
                       "[population]\n"
                       "[evolution]\n"
                       "generations = 7"; /* no line feed at the end */
    ck_ok(read_ini(text));
    ck_assert_int_eq(params.run_seed, 42);
    ck_assert_str_eq(params.run_name, "first try");
    ck_assert_int_eq(params.population_size, 20);
    ck_assert(params.population_survival == 0.5);
    ck_assert_str_eq(params.farm_launcher, "nice -n 10");
    ck_assert_int_eq(params.evolution_generations, 7);
    ck_assert_int_eq(read_ini(""), 0);
    ck_assert_int_eq(params.evolution_generations, 7);
}

TEST(long_comments_are_read_over)
{
    char text[1000];
    memset(text, '-', sizeof text);
    text[0] = '#';
    strcpy(text + 900, "\nseed = 5\n");
    ck_ok(read_ini(text));
    ck_assert_int_eq(params.run_seed, 5);
}

#define TEN      "aaaaaaaaaa"
#define HUNDRED  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

TEST(ini_errors_name_file_and_line)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"\n\n[population]\nsize = 0\n",
         "walk.ini:4: population.size: 0 is not within 2 .. 1000000"},
        {"[population]\n  size = 0\n", "walk.ini:2: population.size: 0 is not within"},
        {"[population]\nsize = x\n", "walk.ini:2: population.size: x is not a whole number"},
        {"[population]\nsice = 3\n",
         "walk.ini:2: unknown key population.sice (did you mean population.size?)"},
        {"[wrold]\ngravity_m_s2 = 1\n",
         "walk.ini:2: unknown key wrold.gravity_m_s2 (did you mean world.gravity_m_s2?)"},
        {"size = 3\n", "walk.ini:1: unknown key size (did you mean population.size?)"},
        {"[population]\nseed = 3\n", "walk.ini:2: unknown key population.seed (did you mean seed, "
                                     "which stands in no section?)"},
        {"seed\n", "walk.ini:1: expected [section] or key = value"},
        {"seed = 1\n[population\nsize = 0\n", "walk.ini:2: expected [section] or key = value"},
        {"[population] size = 3\n",
         "walk.ini:1: text behind [population]: a section stands on a line of its own"},
        {"\n[population]\rsize = 3\r", "walk.ini:2: text behind [population]: "},
        {"seed = x\n[population\n", "walk.ini:1: seed: x is not a whole number"},
        {"seed = 1\nseed = 2\n", "walk.ini:2: seed is set a second time"},
        {"[world]\ngravity_m_s2 = 1\npreset = water\n",
         "walk.ini:3: world.preset must come before the other world keys"},
        {"seed = " THOUSAND HUNDRED HUNDRED "\n",
         "walk.ini:1: the line is longer than 1200 characters"},
        {"name = \x01\n", "walk.ini:1: name:   is not a text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        params = defaults;
        check_refused(read_ini(cases[i].text), cases[i].text, cases[i].message);
    }
}

TEST(files)
{
    char path[] = "/tmp/bestiary-params-XXXXXX";
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, "seed = 0\nseed", 13), 13);
    ck_assert_int_lt(params_read_file(&params, path, &error), 0);
    ck_assert_int_eq(strncmp(error.message, path, strlen(path)), 0);
    ck_assert_ptr_nonnull(strstr(error.message, ":2: expected"));
    ck_assert_int_eq(write(descriptor, "\0", 1), 1);
    ck_refused(params_read_file(&params, path, &error), 0, "not a text file");
    close(descriptor);
    unlink(path);
    ck_refused(params_read_file(&params, path, &error), ERR_MISSING, "No such file");
    ck_refused_as(params_read_file(&params, "/tmp", &error), 0, "/tmp: a directory, not a file");
}

TEST(presets)
{
    ck_assert_int_eq(read_ini("[world]\npreset = water\nviscosity_pa_s = 2\n"), 0);
    ck_assert(params.world_gravity_m_s2 == 0);
    ck_assert(params.world_viscosity_pa_s == 2);
    ck_assert(params.world_quadratic_drag_kg_m2 == 1);
    ck_assert_int_eq(params.world_ground, 0);
    // on a command line the order counts
    set("world.preset=moon");
    ck_assert(params.world_gravity_m_s2 == 1.62);
    ck_assert(params.world_viscosity_pa_s == 0);
    ck_assert_int_eq(params.world_ground, 1);
    set("world.preset=air");
    ck_assert(params.world_viscosity_pa_s == 0.05);
    ck_assert_int_eq(params.world_ground, 0);
    set("world.friction=0.1");
    set("world.preset=custom");
    ck_assert(params.world_friction == 0.1);
    set("world.preset=land");
    ck_assert(params.world_friction == 0.8);
    ck_assert(params.world_gravity_m_s2 == 9.81);
}

/* ---- round trips ---- */

/* Writes, reads back over `start`, and compares. */
static void assert_round_trip(int has_help, const struct params *start)
{
    FREED char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    ck_assert_int_eq(params_write(&params, file, has_help), 0);
    fclose(file);
    struct params copy = *start;
    ck_ok(params_read_text(&copy, text, "written", &error));
    for (int i = 0; i < param_count; i++) {
        char a[PARAM_TEXT_SIZE], b[PARAM_TEXT_SIZE];
        params_print_value(&params, i, a, sizeof a);
        params_print_value(&copy, i, b, sizeof b);
        ck_assert_msg(strcmp(a, b) == 0, "%s: %s became %s", param_table[i].key, a, b);
    }
    ck_assert_uint_eq(params_evaluation_digest(&params), params_evaluation_digest(&copy));
}

static void set_random(struct params *target, struct rng *rng)
{
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        void *field = (char *)target + info->offset;
        if (info->type == PARAM_REAL)
            *(double *)field = rng_uniform(rng, info->min, info->max);
        else if (info->type == PARAM_INT && info->max < 1e9)
            *(int64_t *)field = (int64_t)rng_uniform(rng, info->min, info->max);
        else if (info->type == PARAM_INT)
            *(int64_t *)field = (int64_t)(rng_u64(rng) >> 1);
        else if (info->type == PARAM_BOOL)
            *(int *)field = (int)rng_below(rng, 2);
        else if (info->type == PARAM_CHOICE)
            *(int *)field = (int)rng_below(rng, strchr(info->choices, '|') ? 2 : 1);
    }
}

/* ---- keys of older versions ---- */

TEST(a_key_that_moved_may_be_used)
{
    ck_assert_int_eq(read_ini("[creature]\nneighbours = half\n[world]\ndimensions = 2\n"), 0);
    ck_assert(params.boxes_neighbours == NEIGHBOURS_HALF && params.spheres_dimensions == 2);
    ck_refused_as(params_set(&params, "creature.strength_n", "-1", &error), ERR_RANGE,
                  "rectangles.strength_n: -1 is not within 0 .. 100000");
    ck_assert_int_eq(read_ini("[creature]\nstrength_n = 1\n[rectangles]\nstrength_n = 1\n"),
                     ERR_EXISTS);
    ck_assert_str_eq(error.message, "walk.ini:4: rectangles.strength_n is set a second time");
}

TEST(a_key_that_is_a_constant_says_the_constant)
{
    struct params before = params;
    ck_ok(read_ini("[settle]\nrest_s = 0.50\n[simulation]\ncontact_sweeps = 100\n"));
    ck_assert_int_eq(read_ini("[settle]\nrest_s = 0.7\n"), ERR_RANGE);
    ck_assert_str_eq(error.message,
                     "walk.ini:2: settle.rest_s: 0.7 cannot be set any more: it is always 0.5");
    ck_assert_int_eq(read_ini("[guard]\nperturbed_friction = 0.1\nperturbed_pose_rad = 0.02\n"),
                     ERR_RANGE);
    ck_assert_str_eq(error.message, "walk.ini:3: guard.perturbed_pose_rad: 0.02 cannot be set any "
                                    "more: exam.turn_rad takes its place");
    ck_assert_int_eq(params_set(&params, "settle.rest_s", "", &error), ERR_RANGE);
    ck_assert_int_eq(params_set(&params, "settle.rest_s", "0.5 ", &error), ERR_RANGE);
    ck_assert_int_lt(params_find("settle.rest_s"), 0);
    // a constant of the table, by its key and by an older one
    set("guard.mass_ratio=50");
    set("creature.bones_max=64");
    ck_refused_as(params_set(&params, "guard.mass_ratio", "off", &error), ERR_RANGE,
                  "guard.mass_ratio: off cannot be set any more: it is always 50");
    ck_assert_mem_eq(&params, &before, sizeof before);
}

/* A record is read all the same, a remark says what is lost, and is printed once. */
TEST(a_record_may_say_another_constant)
{
    struct params before = params;
    struct params_remark remark = {""};
    FILE *said = tmpfile();
    char text[400] = "";
    int kept = dup(STDERR_FILENO);
    ck_assert(said && kept >= 0 && dup2(fileno(said), STDERR_FILENO) >= 0);
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        remark.text[0] = 0;
        rc |= params_set_recorded(&params, "settle.rest_s", "0.5", &remark, &error);
        rc |= params_set_recorded(&params, "simulation.contact_sweeps", "17", &remark, &error);
        params_tell_remark(&remark);
    }
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    fclose(said);
    ck_assert_int_eq(rc, 0);
    ck_assert_str_eq(
        text, "simulation.contact_sweeps = 17 is gone: it is always 100, so results may differ\n");
    ck_assert_mem_eq(&params, &before, sizeof before);
    ck_assert_int_lt(params_set_recorded(&params, "settle.no_such", "1", &remark, &error), 0);
}

TEST(written_files_read_back)
{
    struct params other;
    struct rng rng = test_rng(1, 0, 0);
    assert_round_trip(0, &defaults);
    assert_round_trip(1, &defaults);
    for (int round = 0; round < 300; round++) {
        set_random(&params, &rng);
        other = defaults;
        set_random(&other, &rng);
        assert_round_trip(round % 2, &other);
    }
}

/* Words of a launcher, some of which look like comments, wherever the line is cut. */
TEST(long_words_read_back)
{
    for (int before = 0; before < 40; before++) {
        char *text = params.farm_launcher;
        memset(text, 'x', (size_t)before + 1);
        text[before + 1] = '\0';
        while (strlen(text) < PARAM_TEXT_LENGTH_MAX - 40)
            strcat(text, before % 2 ? " a;b #c  --d" : " --constraint=a#b;c");
        assert_round_trip(before % 3 == 0, &defaults);
    }
}

TEST(comments_of_long_lines_are_no_value)
{
    ck_ok(read_ini("[farm]\nlauncher = nice ; " THOUSAND "\nstart_s = 7\n"));
    ck_assert_str_eq(params.farm_launcher, "nice");
    ck_assert(params.farm_start_s == 7);
    ck_ok(read_ini("[farm]\nlauncher = " HUNDRED HUNDRED " ; " HUNDRED HUNDRED "\n"));
    ck_assert_str_eq(params.farm_launcher, HUNDRED HUNDRED);
}

TEST(longest_text_reads_back)
{
    memset(params.farm_launcher, 'x', PARAM_TEXT_LENGTH_MAX);
    strcpy(params.run_name, "a # b; c = [d]");
    assert_round_trip(1, &defaults);
}

TEST(a_full_disk_is_an_error)
{
    FILE *file = fopen("/dev/full", "w");
    if (!file)
        return;
    ck_assert_int_eq(params_write(&params, file, 1), ERR_IO);
    fclose(file);
}

/* ---- cross checks ---- */

TEST(cross_checks)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[initial]\nbodies_min = 5\n", "initial.bodies_min 5 is above initial.bodies_max 4"},
        {"[initial]\nfunctions = sum sinus\n", "initial.functions: sinus is no neuron function"},
        {"[initial]\nfunctions = sum -all\n", "initial.functions: no neuron function is left"},
        {"[initial]\nside_min_m = 5\n", "initial.side_min_m 5 is above initial.side_max_m"},
        {"[creature]\nparts_max = 1\n", "creature.parts_min 2 is above creature.parts_max 1"},
        {"[creature]\nside_min_m = 1.5\n", "creature.side_min_m 1.5 is above creature.side_max_m"},
        {"[breeding]\nasexual = 0\ncrossover = 0\ngraft = 0\n", "breeding.asexual, breeding.cros"},
        {"[mutation]\nnone = 0.6\none = 0.5\n", "mutation.none 0.6 and mutation.one 0.5 add up"},
        {"[population]\nsize = 4\nsurvival = 0.2\n",
         "population.survival 0.2 of population.size 4"},
        {"[simulation]\ndt_s = 0.02\n", "simulation.dt_s 0.02 is longer than a brain tick"},
        {"[simulation]\nintegrator = rk4\n", "simulation.integrator rk4 cannot hold contacts"},
        {"[settle]\nrequired = yes\nlimit_s = 0.4\n", "settle.limit_s 0.4 leaves no 0.5 s at rest"},
        {"name = a/b\n", "name: \"a/b\" cannot name a directory"},
        {"name =\n", "name: \"\" cannot name a directory"},
        {"name = ..\n", "name: \"..\" cannot name a directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        params = defaults;
        ck_ok(read_ini(cases[i].text));
        check_refused(params_check(&params, &error), cases[i].text, cases[i].message);
    }
    params_set_defaults(&params);
    ck_assert_int_eq(read_ini("[world]\npreset=water\n[simulation]\nintegrator = rk4\n"
                              "[mutation]\nnone = 0.3\none = 0.7\n"),
                     0);
    ck_ok(params_check(&params, &error));
}

TEST(digest_sees_what_evaluations_depend_on)
{
    uint64_t digest = params_evaluation_digest(&params);
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        struct params changed = params;
        void *field = (char *)&changed + info->offset;
        if (info->type == PARAM_REAL)
            *(double *)field += 1e-3;
        else if (info->type == PARAM_INT)
            *(int64_t *)field += 1;
        else if (info->type == PARAM_TEXT)
            strcpy(field, "other");
        else
            *(int *)field = !*(int *)field;
        int is_seen = params_evaluation_digest(&changed) != digest;
        int is_wanted = info->scope == 'E' && strcmp(info->key, "world.preset") != 0;
        ck_assert_msg(is_seen == is_wanted, "%s", info->key);
    }
    // a preset counts by what it sets: land is the default world
    set("world.preset=land");
    ck_assert_uint_eq(params_evaluation_digest(&params), digest);
    set("world.preset=moon");
    ck_assert_uint_ne(params_evaluation_digest(&params), digest);
}

/* ---- what is shown ---- */

static int count_shown(void)
{
    int count = 0;
    for (int i = 0; i < param_count; i++)
        count += params_is_shown(&params, i);
    return count;
}

static int shows(const char *key)
{
    ck_assert_msg(params_find(key) >= 0, "%s", key);
    return params_is_shown(&params, params_find(key));
}

TEST(who_prints_a_walk_meets_what_it_uses)
{
    FREED char *text = NULL;
    size_t length;
    params_set_defaults(&params);
    params.evolution_search = SEARCH_SIMS;
    ck_assert_int_le(count_shown(), 60);
    ck_assert(shows("rectangles.strength_n") && !shows("spheres.dimensions"));
    ck_assert(!shows("boxes.strength_n_m") && !shows("archive.cells"));
    ck_assert(!shows("light.range_m") && !shows("farm.commit_s"));
    params.creature_body = BODY_SPHERES;
    params.evolution_search = SEARCH_ARCHIVE;
    params.light_kind = LIGHT_MOVING;
    ck_assert(!shows("rectangles.strength_n") && shows("spheres.dimensions"));
    ck_assert(shows("archive.cells") && shows("light.range_m"));
    /* what differs is shown whatever it is, so that the text says all */
    params.farm_commit_s = 2;
    params.boxes_strength_n_m = 5;
    ck_assert(shows("farm.commit_s") && shows("boxes.strength_n_m"));
    FILE *file = open_memstream(&text, &length);
    ck_assert_int_eq(params_write_shown(&params, file), 0);
    fclose(file);
    struct params read;
    params_set_defaults(&read);
    ck_ok(params_read_text(&read, text, "text", &error));
    ck_assert_mem_eq(&read, &params, sizeof read);
}

/* ---- the manual ---- */

#define MANUAL_PATH "docs/parameters.md"

/* The scope of most rows of a section. */
static char usual_scope(const char *section)
{
    static const char scopes[] = "EJSF";
    int counts[4] = {0}, most = 0;
    for (int i = 0; i < param_count; i++)
        if (strcmp(param_table[i].section, section) == 0)
            counts[strchr(scopes, param_table[i].scope) - scopes]++;
    for (int k = 1; k < 4; k++)
        most = counts[k] > counts[most] ? k : most;
    return scopes[most];
}

/* The page's list: a heading for each section with its usual scope, a line for each row, which
 * names another scope. From the heap. */
static char *print_list(void)
{
    char *text = NULL;
    size_t length = 0;
    const char *section = "";
    FILE *file = open_memstream(&text, &length);
    params_set_defaults(&params);
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        char value[PARAM_TEXT_SIZE], range[PARAM_TEXT_SIZE];
        if (strcmp(info->section, section) != 0) {
            section = info->section;
            fprintf(file, "\n### %s\n\nScope %c.\n\n", section, usual_scope(section));
        }
        params_print_value(&params, i, value, sizeof value);
        fprintf(file, "- `%s=%s`", info->name, value);
        params_print_range(i, range, sizeof range);
        char *dots = strstr(range, " .. ");
        if (dots)
            fprintf(file, " [%.*s, %s]", (int)(dots - range), range, dots + strlen(" .. "));
        else if (info->type == PARAM_CHOICE)
            fprintf(file, " (%s)", range);
        if (info->scope != usual_scope(info->section))
            fprintf(file, " %c", info->scope);
        fprintf(file, ": %s\n", info->help);
    }
    fclose(file);
    return text;
}

/* The list is the end of the page. Returns where it begins, or NULL. */
static char *find_list(char *page)
{
    char *heading = strstr(page, "\n## All of them\n");
    return heading ? strstr(heading, "\n### ") : NULL;
}

TEST(manual_is_up_to_date)
{
    FREED char *page, *list = print_list();
    size_t length;
    ck_ok(file_read(MANUAL_PATH, 1 << 20, &page, &length, &error));
    char *written = find_list(page);
    ck_assert_ptr_nonnull(written);
    ck_assert_msg(strcmp(written, list) == 0,
                  "%s differs from the table: run this test with --write-manual", MANUAL_PATH);
}

static int write_manual(void)
{
    char *page, *text = NULL, *list = print_list();
    size_t length = 0;
    if (file_read(MANUAL_PATH, 1 << 20, &page, &length, &error) != 0 || !find_list(page))
        return EXIT_FAILURE;
    *find_list(page) = '\0';
    FILE *file = open_memstream(&text, &length);
    fprintf(file, "%s%s", page, list);
    fclose(file);
    int rc = file_write(MANUAL_PATH, text, length, &error);
    free(text);
    free(page);
    free(list);
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- text helpers ---- */

TEST(distances)
{
    ck_assert_int_eq(text_distance("", ""), 0);
    ck_assert_int_eq(text_distance("abc", ""), 3);
    ck_assert_int_eq(text_distance("kitten", "sitting"), 3);
    ck_assert_int_eq(text_distance("widht_m", "width_m"), 1); /* neighbours exchanged */
    ck_assert_int_eq(text_distance(HUNDRED, "a"), 100);
    ck_assert(text_is_similar("widht_m", "width_m"));
    ck_assert(!text_is_similar("height_m", "id"));
}

TEST(clean_texts)
{
    static const char *const clean[] = {
        "",         "abc",          "h\xc3\xb6hle", "\xe2\x82\xac",    "\xf0\x9f\x90\x8d",
        "\xc2\xa0", "\xef\xbf\xbd", "\xee\x80\x80", "\xf4\x8f\xbf\xbd"};
    static const char *const dirty[] = {"\n",
                                        "\x1b[31m",
                                        "\x7f",
                                        "\x80",
                                        "\xc3",
                                        "\xc0\xaf",
                                        "\xe0\x80\x80",
                                        "\xed\xa0\x80",
                                        "\xf4\x90\x80\x80",
                                        "\xf8\x88\x80\x80",
                                        "\xc2\x9b",
                                        "\xe2\x82",
                                        "\xc2\xad",          /* U+00AD soft hyphen */
                                        "\xd8\x9c",          /* U+061C */
                                        "\xe1\x85\xa0",      /* U+1160 a letter that is empty */
                                        "\xe2\x80\x8b",      /* U+200B */
                                        "\xe2\x80\xa8",      /* U+2028 */
                                        "\xe2\x80\xa9",      /* U+2029 */
                                        "\xe2\x81\xa0",      /* U+2060 */
                                        "\xe2\x81\xaf",      /* U+206F */
                                        "\xef\xb7\x90",      /* U+FDD0 */
                                        "\xef\xb8\x8f",      /* U+FE0F */
                                        "\xef\xbb\xbf",      /* U+FEFF */
                                        "\xef\xbf\xbb",      /* U+FFFB */
                                        "\xef\xbf\xbf",      /* U+FFFF */
                                        "\xf0\x9f\xbf\xbe",  /* U+1FFFE */
                                        "\xf3\xa0\x81\x81",  /* U+E0041 an invisible A */
                                        "\xf3\xa0\x84\x80"}; /* U+E0100 */
    for (size_t i = 0; i < sizeof clean / sizeof clean[0]; i++)
        ck_assert_msg(text_is_clean(clean[i], strlen(clean[i])), "clean %zu", i);
    for (size_t i = 0; i < sizeof dirty / sizeof dirty[0]; i++)
        ck_assert_msg(!text_is_clean(dirty[i], strlen(dirty[i])), "dirty %zu", i);
    ck_assert(!text_is_clean("a\0b", 3));
}

/* Whatever it is, it can be printed afterwards; what was clean is as before. */
TEST(texts_are_cleaned)
{
    static const struct {
        const char *dirty, *kept, *clean;
    } cases[] = {
        {"", "", ""},
        {"h\xc3\xb6hle \xe2\x82\xac \xf0\x9f\x90\x8d", "",
         "h\xc3\xb6hle \xe2\x82\xac \xf0\x9f\x90\x8d"},
        {"\x1b[2J\a", "", " [2J "},
        {"a\nb\tc\x7f", "\n", "a\nb c "},
        {"\xc2\x9b"
         "31m",
         "", "?31m"}, /* C1 */
        {"\x9b"
         "31m\xff\xc3",
         "", "?31m??"},                                                     /* no UTF-8 */
        {"\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\x8f|\xd8\x9c", "", "?|?|?|?"}, /* directions */
        {"\xe2\x80\x93\xe2\x80\xa6", "", "\xe2\x80\x93\xe2\x80\xa6"},       /* their neighbours */
        {"\xe2\x82", "", "??"},
        {"\xed\xa0\x80", "", "???"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].dirty);
        ck_assert_str_eq(text_clean(text, cases[i].kept), cases[i].clean);
        ck_assert(*cases[i].kept || text_is_clean(text, strlen(text)));
    }
}

TEST(doubles_print_short_and_exact)
{
    char text[TEXT_NUMBER_SIZE];
    ck_assert_str_eq(text_print_double(0.1, text), "0.1");
    ck_assert_str_eq(text_print_double(300, text), "300");
    ck_assert_str_eq(text_print_double(1.0 / 240.0, text), "0.004166666666666667");
    struct rng rng = test_rng(1, 0, 0);
    for (int i = 0; i < 100000; i++) {
        double value = rng_uniform(&rng, -1, 1) * (i % 2 ? 1e-200 : 1e5);
        ck_assert(strtod(text_print_double(value, text), NULL) == value);
    }
}

/* With --write-manual: puts the list into docs/parameters.md. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--write-manual") == 0)
        return write_manual();
    return run_defined_tests("params", 60, setup, NULL);
}
