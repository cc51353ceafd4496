/* simulator garden: a common garden. As many founders of a world as creatures of its end live in
 * the same fresh water, and the descendants of either are counted. Whether a creature hunts goes
 * with it. */
#include "simulator/tools/commands.h"

#include <math.h>
#include <stdio.h>

#include "common/math/rng.h"
#include "common/system/output.h"
#include "simulator/preserve/preserve_epoch.h"
#include "simulator/preserve/preserve_world.h"

enum { SIDES = 2, SEEDS_MAX = 1000, EACH_MAX = 20, MINUTES_MAX = 60, EPOCHS_A_MINUTE = 2 };
/* Draws of a creature that lives alone for a while. */
enum { DRAWS_MAX = 1000 };

struct request {
    const char *params_path;
    int64_t seeds, minutes, each;
};

struct garden {
    const struct request *request;
    char **paths; /* in pairs: a world at its beginning, and late */
    int path_count;
    struct params params;
    struct preserve_memory memory;
    struct preserve_state sources[SIDES]; /* where genomes come from */
};

/* ---- a garden ---- */

/* The two sides take turns. ERR_MISSING where too few creatures live alone. */
static int plant(struct garden *garden, uint64_t seed, struct preserve_state *state,
                 struct error *error)
{
    const struct genome *genomes[SIDES * EACH_MAX];
    struct preserve_founders founders = {.genomes = genomes};
    struct rng rng;
    rng_init(&rng, seed, RNG_PRESERVE, 8, 0);
    for (int i = 0; i < DRAWS_MAX && founders.count < garden->params.preserve_founders; i++) {
        const struct preserve_state *source = &garden->sources[founders.count % SIDES];
        int count = preserve_state_count(source);
        if (count == 0)
            continue;
        int drawn = (int)rng_below(&rng, (uint32_t)count);
        const struct genome *genome = &preserve_state_creature(source, drawn)->genome;
        if (preserve_try_alone(genome, &garden->params, &garden->memory) == VERDICT_OK)
            genomes[founders.count++] = genome;
    }
    if (founders.count < garden->params.preserve_founders)
        return error_set(error, ERR_MISSING, "too few creatures live alone in the garden");
    return preserve_found(state, &garden->params, seed, 0, &founders, &garden->memory, error);
}

static int grow(struct garden *garden, uint64_t seed, int counts[SIDES], struct error *error)
{
    struct preserve_state state;
    preserve_state_init(&state);
    int status = plant(garden, seed, &state, error);
    for (int i = 0; !status && i < EPOCHS_A_MINUTE * garden->request->minutes; i++)
        status = preserve_run(&state, &garden->params, preserve_epoch_ticks(&garden->params), NULL,
                              &garden->memory, error);
    for (int i = 0; !status && i < preserve_state_count(&state); i++)
        counts[preserve_state_creature(&state, i)->descent.family % SIDES]++;
    preserve_state_deinit(&state);
    return status;
}

/* ---- all of them ---- */

struct tally {
    int count, won, lost;
    double sum, squares;
};

static void add(struct tally *tally, const int counts[SIDES])
{
    int all = counts[0] + counts[1];
    double share = all > 0 ? (double)counts[1] / all : 0.5;
    tally->count++;
    tally->won += counts[1] > counts[0];
    tally->lost += counts[1] < counts[0];
    tally->sum += share;
    tally->squares += share * share;
}

/* Two-sided sign test: so or more uneven where each side wins as often. */
static double sign_test(int won, int lost)
{
    int n = won + lost, least = won < lost ? won : lost;
    double term = 1, sum = 0, all = 0;
    for (int k = 0; k <= n; k++) {
        sum += k <= least ? term : 0;
        all += term;
        term *= (double)(n - k) / (k + 1);
    }
    return det_min(2 * sum / all, 1);
}

static void print_tally(const struct tally *tally)
{
    double mean = tally->sum / tally->count;
    double spread = tally->count > 1
                        ? sqrt(det_max(tally->squares - tally->count * mean * mean, 0) /
                               (tally->count - 1) / tally->count)
                        : 0;
    output_print(stdout,
                 "\nlate creatures leave %.2f of all descendants (standard error %.2f), more in %d "
                 "and fewer in %d of %d\nseeds (sign test: p = %.2g)\n",
                 mean, spread, tally->won, tally->lost, tally->count,
                 sign_test(tally->won, tally->lost));
}

/* Gardens take the pairs of files in turn. */
static int run_garden(struct garden *garden, int number, struct tally *tally, struct error *error)
{
    int counts[SIDES] = {0, 0}, status = 0;
    int pair = number % (garden->path_count / SIDES);
    for (int i = 0; i < SIDES; i++)
        preserve_state_init(&garden->sources[i]);
    for (int i = 0; i < SIDES && !status; i++)
        status = tool_read_state(garden->paths[SIDES * pair + i], 0, &garden->sources[i], error);
    if (!status)
        status = grow(garden, (uint64_t)number + 1, counts, error);
    if (!status) {
        add(tally, counts);
        output_print(stdout, "%5d %6d %9d %7d\n", number + 1, pair, counts[0], counts[1]);
        fflush(stdout);
    }
    for (int i = 0; i < SIDES; i++)
        preserve_state_deinit(&garden->sources[i]);
    return status;
}

static int run_all(struct garden *garden, struct error *error)
{
    struct tally tally = {0};
    int status = tool_read_preserve(garden->request->params_path, NULL, &garden->params, error);
    garden->params.preserve_founders = SIDES * garden->request->each;
    if (!status)
        status = preserve_check(&garden->params, error);
    if (status)
        return status;
    output_print(stdout, "%5s %6s %9s %7s\n", "seed", "world", "founders'", "late's");
    for (int i = 0; !status && i < garden->request->seeds; i++)
        status = run_garden(garden, i, &tally, error);
    if (!status)
        print_tally(&tally);
    return status;
}

static int is_complete(const void *request)
{
    return ((const struct request *)request)->params_path != NULL;
}

static int run(void *request, char **operands, struct error *error)
{
    struct garden garden = {.request = request, .paths = operands};
    while (operands[garden.path_count])
        garden.path_count++;
    if (garden.path_count % SIDES != 0)
        return error_set(error, ERR_USAGE, "expected pairs of states");
    int status = preserve_memory_init(&garden.memory);
    if (status)
        return error_memory(error);
    status = run_all(&garden, error);
    preserve_memory_deinit(&garden.memory);
    return status;
}

static const struct option_row options[] = {
    {"params", 0, "FILE.ini", "parameters of the run", OPTION_AT(TEXT, request, params_path)},
    {"seeds", 0, "N", "gardens; default 20", OPTION_AT(WHOLE, request, seeds), .min = 1,
     .max = SEEDS_MAX},
    {"minutes", 0, "MINUTES", "simulated minutes of each; default 5",
     OPTION_AT(WHOLE, request, minutes), .min = 1, .max = MINUTES_MAX},
    {"each", 0, "N", "founders, and as many late creatures; default 10",
     OPTION_AT(WHOLE, request, each), .min = 1, .max = EACH_MAX},
    {.name = NULL}};
const struct tool garden_tool = {
    .command = {TOOL(garden), .operands = "--params PARAMS.ini FIRST.state LATE.state...",
                .summary = "founders and late creatures of a preserve in one water",
                .about =
                    "A common garden: in each, copies of founders of a world of a preserve and of "
                    "creatures of a late state live in the same fresh water. Who of them has more "
                    "descendants at the end? Gardens take the pairs of states in turn. 'controller "
                    "garden' hands over those of a run (docs/preserve.md).",
                .after = "Exit code: 0 simulated; 1 failed; 2 wrong usage."},
    .counts = {SIDES, INT_MAX},
    .expected = "--params and pairs of states",
    .is_complete = is_complete,
    .run = run,
    TOOL_REQUEST(.seeds = 20, .minutes = 5, .each = 10)};
