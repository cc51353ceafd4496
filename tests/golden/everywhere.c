/* A thousand digests that are equal on every machine, by every compiler, in every browser: through
 * include/bestiary.h alone, so that it is one program for all of them.
 *
 *     everywhere [FIRST [STEP]]      those from FIRST on, each STEP-th: a line with number, world, digest and verdict
 *
 * tests/golden/everywhere.txt has all of them. */
#include <bestiary.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNT = 1000,
    DRAWS = 4 /* creatures for one number: the first that lives to the end, or the last */
};

static struct bestiary_error error;

static void must(int status)
{
    if (status) {
        fprintf(stderr, "everywhere: %s\n", error.message);
        exit(1);
    }
}

enum meeting { ALONE, CONTEST, PRESERVE };

/* Worlds, taken in turn, with the parameters in which they differ from the defaults. */
static const struct {
    const char *name;
    enum meeting meeting;
    const char *assignments; /* key=value, apart by blanks; a value has none */
} worlds[] = {
    {"land", ALONE, "world.preset=land"},
    {"water", ALONE, "world.preset=water evolution.behaviour=swim"},
    {"moon", ALONE, "world.preset=moon world.elasticity=0.5 creature.parts_max=12"},
    {"stairs", ALONE, "world.preset=land world.obstacles=1.5,-0.44,0.6,1,0,*,8,0.6,0.06"},
    {"worms", ALONE,
     "world.preset=water creature.stretch_max=0.5 initial.rigid=1 initial.stretching=0.8"},
    {"lights", ALONE,
     "world.preset=water evolution.behaviour=seek light.kind=moving sensor.light=yes"},
    {"spheres", ALONE, "world.preset=land creature.body=spheres"},
    {"spheres-water", ALONE, "world.preset=water creature.body=spheres"},
    {"boxes", ALONE, "world.preset=land creature.body=boxes"},
    {"boxes-water", ALONE, "world.preset=water creature.body=boxes evolution.behaviour=swim"},
    {"boxes-relief", ALONE, "world.preset=land creature.body=boxes world.relief_m=0.04"},
    {"boxes-large", ALONE,
     "world.preset=land creature.body=boxes creature.parts_min=10 creature.parts_max=20"},
    {"boxes-stairs", ALONE,
     "world.preset=land creature.body=boxes world.obstacles=1.5,-0.44,0.6,1,0,*,8,0.6,0.06"},
    {"boxes-air", ALONE, "world.preset=air creature.body=boxes"},
    {"constraint", ALONE, "world.preset=land simulation.solver=constraint"},
    {"constraint-boxes", ALONE,
     "world.preset=land creature.body=boxes simulation.solver=constraint"},
    {"sumo", CONTEST,
     "world.preset=land evolution.behaviour=contest contest.goal=sumo sensor.other=yes"},
    {"cube", CONTEST,
     "world.preset=land evolution.behaviour=contest contest.goal=cube creature.body=boxes "
     "sensor.other=yes sensor.object=yes"},
    {"dark", CONTEST,
     "world.preset=water evolution.behaviour=contest contest.goal=cube contest.dark=yes "
     "sensor.sound=yes"},
    {"preserve", PRESERVE,
     "world.preset=water evolution.behaviour=preserve preserve.founders=6 preserve.injure=yes"},
};
enum { WORLDS = sizeof worlds / sizeof worlds[0] };

static struct bestiary_params *read_params(const char *assignments)
{
    struct bestiary_params *params;
    char text[512], *rest = text;
    must(bestiary_params_make(&params, NULL, &error));
    must(bestiary_params_set(params, "simulation.duration_s", "1.5", &error));
    snprintf(text, sizeof text, "%s", assignments);
    for (const char *word; (word = strtok(rest, " ")); rest = NULL) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        // a value's blanks are commas here
        for (char *c = value; !strcmp(word, "world.obstacles") && *c; c++)
            if (*c == ',')
                *c = ' ';
        must(bestiary_params_set(params, word, value, &error));
    }
    return params;
}

/* A random creature after some mutations. */
static struct bestiary_creature *make(const struct bestiary_params *params, uint64_t seed)
{
    struct bestiary_creature *random, *mutant;
    must(bestiary_creature_random(&random, params, seed, &error));
    must(bestiary_creature_breed(&mutant, random, NULL, 0, (int)(seed % 5), params, seed, &error));
    bestiary_creature_free(random);
    return mutant;
}

static uint64_t live_alone(const struct bestiary_params *params, uint64_t seed, int *verdict)
{
    struct bestiary_result result = {.verdict = -1};
    for (uint64_t draw = 0; draw < DRAWS && result.verdict; draw++) {
        struct bestiary_creature *creature = make(params, seed + COUNT * draw);
        must(bestiary_evaluate(creature, params, seed, &result, &error));
        bestiary_creature_free(creature);
    }
    *verdict = result.verdict;
    return result.digest;
}

static uint64_t contend(const struct bestiary_params *params, uint64_t seed)
{
    struct bestiary_creature *a = make(params, seed), *b = make(params, seed + 1);
    uint64_t digest;
    double margin;
    must(bestiary_contest(a, b, params, &margin, &digest, &error));
    bestiary_creature_free(a);
    bestiary_creature_free(b);
    return digest;
}

static uint64_t live_together(const struct bestiary_params *params, uint64_t seed)
{
    struct bestiary_world *world = NULL;
    int status = -1;
    for (uint64_t draw = 0; draw < 16 && status; draw++) { /* a founder has to live alone */
        struct bestiary_creature *founder = make(params, seed + COUNT * draw);
        const struct bestiary_creature *founders[] = {founder};
        status = bestiary_world_found(&world, params, seed, founders, 1, &error);
        bestiary_creature_free(founder);
    }
    must(status);
    must(bestiary_world_live(world, &error));
    uint64_t digest = bestiary_world_facts(world, NULL, 0);
    bestiary_world_free(world);
    return digest;
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : 1;
    if (first < 0 || step < 1) {
        fprintf(stderr, "usage: everywhere [FIRST [STEP]]\n");
        return 2;
    }
    for (int i = first; i < COUNT; i += step) {
        int world = i % WORLDS, verdict = 0;
        struct bestiary_params *params = read_params(worlds[world].assignments);
        uint64_t seed = (uint64_t)i + 1;
        uint64_t digest = worlds[world].meeting == ALONE     ? live_alone(params, seed, &verdict)
                          : worlds[world].meeting == CONTEST ? contend(params, seed)
                                                             : live_together(params, seed);
        printf("%d %s %016" PRIx64 " %d\n", i, worlds[world].name, digest, verdict);
        bestiary_params_free(params);
    }
    return 0;
}
