/* Golden digests: evaluations whose motion must be the same bits with every compiler, at every
 * level of optimisation and on every processor. tests/golden/digests.txt holds them; where the
 * physics is changed on purpose, raise SIMULATOR_VERSION and write them anew:
 *
 *   build/tests/golden/test_digests --make-golden */
#include <inttypes.h>

#include "common/creature/creature.h"
#include "common/math/hash.h"
#include "tests/random_genome.h"
#include "tests/suite.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/set_param.h"

#define GOLDEN_PATH      "tests/golden/digests.txt"
#define RANDOM_CREATURES 25
#define CASES_MAX        64

struct golden {
    char name[64];
    uint64_t digest;
};

static struct golden computed[CASES_MAX];
static int computed_count;
static struct arena arena;

static void add_case(const char *name, uint64_t digest)
{
    ck_assert_int_lt(computed_count, CASES_MAX);
    struct golden *golden = &computed[computed_count++];
    snprintf(golden->name, sizeof golden->name, "%s", name);
    golden->digest = digest;
}

static void read_params(struct params *params, const char *path)
{
    struct error error;
    params_set_defaults(params);
    ck_ok(params_read_file(params, path, &error));
}

/* A creature that someone wrote by hand, in one of the example worlds. */
static void add_example(const char *creature_name, const char *world_name)
{
    char path[128], name[64];
    SCOPED(creature) creature;
    struct params params;
    struct error error;
    snprintf(path, sizeof path, "examples/%s.ini", world_name);
    read_params(&params, path);
    snprintf(path, sizeof path, "examples/creatures/%s.json", creature_name);
    ck_ok(creature_read(&creature, path, &error));
    struct evaluation evaluation;
    evaluate(&creature.genome, &params, 1, &arena, NULL, NULL, &evaluation);
    snprintf(name, sizeof name, "%s-%s", creature_name, world_name);
    add_case(name, evaluation.digest);
}

/* Random creatures of one world, hashed together: verdicts and motions. */
static void add_random(const char *name, const char *world_name, const char *setting)
{
    char path[128];
    struct params params;
    struct error error;
    snprintf(path, sizeof path, "examples/%s.ini", world_name);
    read_params(&params, path);
    if (setting != NULL)
        ck_ok(set_param(&params, setting, &error));
    uint64_t hash = HASH_START;
    for (uint64_t id = 1; id <= RANDOM_CREATURES; id++) {
        SCOPED(genome) genome;
        struct evaluation evaluation;
        random_genome(&genome, &params, RNG_TEST, 1, id);
        evaluate(&genome, &params, id, &arena, NULL, NULL, &evaluation);
        hash = hash_u64(hash, evaluation.digest);
    }
    add_case(name, hash);
}

static void compute(void)
{
    static const char *const creatures[] = {"inchworm", "biped", "fish", "tail", "pusher"};
    static const char *const spheres[] = {"spider", "tripod", "caterpillar", "hopper"};
    computed_count = 0;
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    for (size_t i = 0; i < sizeof creatures / sizeof creatures[0]; i++) {
        add_example(creatures[i], "walk");
        add_example(creatures[i], "swim");
    }
    add_random("random-walk", "walk", NULL);
    add_random("random-swim", "swim", NULL);
    add_random("random-bouncing", "jump", "world.elasticity=0.5");
    add_random("random-torque", "walk", "creature.effector_mode=torque");
    add_example("biped", "course");
    add_example("inchworm", "steps");
    add_random("random-platform", "platform", "creature.friction=0.3");
    for (size_t i = 0; i < sizeof spheres / sizeof spheres[0]; i++)
        add_example(spheres[i], spheres[i]);
    add_random("random-spheres", "walk", "creature.body=spheres");
    add_example("earthworm", "worm");
    add_example("earthworm", "worm-swim");
    add_random("random-worm", "worm", NULL);
    add_example("quadruped", "walk3d");
    add_example("quadruped", "rough3d");
    add_example("biped3d", "walk3d");
    add_example("arm", "seek-land3d");
    add_example("ray", "swim3d");
    arena_deinit(&arena);
}

TEST(digests_are_golden)
{
    FILE *file = fopen(GOLDEN_PATH, "r");
    ck_assert_msg(file != NULL, "%s is missing", GOLDEN_PATH);
    compute();
    char name[64], text[32];
    int count = 0;
    while (fscanf(file, "%63s %31s", name, text) == 2) {
        uint64_t digest;
        ck_assert_int_eq(hash_from_text(text, &digest), 0);
        ck_assert_int_lt(count, computed_count);
        ck_assert_str_eq(name, computed[count].name);
        ck_assert_msg(digest == computed[count].digest, "%s: %016" PRIx64 ", recorded %s", name,
                      computed[count].digest, text);
        count++;
    }
    fclose(file);
    ck_assert_int_eq(count, computed_count);
}

/* The digest tells motions apart: another seed of the random numbers, a step a little longer. */
TEST(other_physics_differ)
{
    compute();
    uint64_t before = computed[0].digest;
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    struct params params;
    SCOPED(creature) creature;
    struct error error;
    struct evaluation evaluation;
    read_params(&params, "examples/walk.ini");
    params.world_gravity_m_s2 *= 1 + 1e-12;
    ck_assert_int_eq(creature_read(&creature, "examples/creatures/inchworm.json", &error), 0);
    evaluate(&creature.genome, &params, 1, &arena, NULL, NULL, &evaluation);
    ck_assert(evaluation.digest != before);
    arena_deinit(&arena);
}

START_TEST(make_golden)
{
    FILE *file = fopen(GOLDEN_PATH, "w");
    ck_assert_msg(file != NULL, "%s cannot be written", GOLDEN_PATH);
    compute();
    for (int i = 0; i < computed_count; i++)
        fprintf(file, "%s %016" PRIx64 "\n", computed[i].name, computed[i].digest);
    ck_assert_int_eq(fclose(file), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--make-golden") == 0)
        return run_only(make_golden, 120);
    return run_defined_tests("digests", 120, NULL, NULL);
}
