/* controller bisect: where two runs that should be equal part: the first creature, then the first
 * tick, part and number of its motion; of preserves the first epoch. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/workers/program.h"

enum { SIDES = 2 };

struct sides {
    const char *directories[SIDES];
    const char *simulator; /* of the second run; NULL: the one of this program */
    struct store *stores[SIDES];
    struct params params[SIDES];
    struct creature creatures[SIDES];
    int status[SIDES]; /* of reading that creature: 0 or ERR_MISSING */
};

static int open_sides(struct sides *sides, struct error *error)
{
    for (int i = 0; i < SIDES; i++)
        if (command_open_run(sides->directories[i], &sides->stores[i], &sides->params[i], error))
            return error->code;
    return preserve_is_wanted(&sides->params[0]) == preserve_is_wanted(&sides->params[1])
               ? 0
               : error_set(error, ERR_USAGE, "only one of the two runs is a preserve");
}

static void print_settings(const struct sides *sides)
{
    char texts[SIDES][PARAM_TEXT_SIZE];
    for (int i = 0; i < param_count; i++) {
        if (param_table[i].scope == 'F' || params_is_same(&sides->params[0], &sides->params[1], i))
            continue;
        for (int s = 0; s < SIDES; s++)
            params_print_value(&sides->params[s], i, texts[s], sizeof texts[s]);
        output_print(stdout, "%s: %s and %s\n", param_table[i].key, texts[0][0] ? texts[0] : "-",
                     texts[1][0] ? texts[1] : "-");
    }
}

/* ---- motion ---- */

/* Simulates one side's creature again, with its trace in `trace`. */
static int simulate(struct sides *sides, int side, const struct scratch *scratch,
                    char trace[RUN_PATH_SIZE], struct error *error)
{
    static const char *const names[SIDES][2] = {{"a.creature", "a.csv"}, {"b.creature", "b.csv"}};
    char file[RUN_PATH_SIZE], program[RUN_PATH_SIZE], *output = NULL;
    scratch_path(scratch, names[side][0], file);
    scratch_path(scratch, names[side][1], trace);
    int status = creature_write(&sides->creatures[side], file, 0, error);
    if (!status && side == 1 && sides->simulator)
        snprintf(program, sizeof program, "%s", sides->simulator);
    else if (!status)
        status = program_find("simulator", program, error);
    if (status)
        return status;
    char *argv[] = {"simulator", "evaluate", "--trace", trace, "--", file, NULL};
    int result = program_hear(program, argv, &output, error);
    if (result == 1)
        output_print(stdout, "%s does not repeat %s:%" PRIu64 ", which simulator %d moved\n",
                     program, sides->directories[side], sides->creatures[side].id,
                     sides->creatures[side].simulator_version);
    else if (result > 0)
        status = error_set(error, ERR_UNAVAILABLE, "%s: %.*s", program, (int)strcspn(output, "\n"),
                           output);
    free(output);
    return result < 0 ? result : status;
}

/* The cell at the beginning of a line of CSV, which ends there; the line goes on behind it. */
static char *next_cell(char **line)
{
    char *cell = *line ? *line : "";
    if (*line) {
        size_t length = strcspn(cell, ",\n");
        *line = cell[length] == ',' ? cell + length + 1 : NULL;
        cell[length] = '\0';
    }
    return cell;
}

/* Whether a column is of a part: p0_x_m, p12_omega_rad_s. */
static int is_of_part(const char *name)
{
    return name[0] == 'p' && name[1] >= '0' && name[1] <= '9';
}

/* Says the first number in which two lines of traces differ, if possible one of a part. */
static void compare_lines(char *names, char *one, char *other)
{
    char *time = one, *phase = "";
    char *first[3] = {NULL, NULL, NULL}; /* name and numbers */
    for (int i = 0; names; i++) {
        char *cells[3] = {next_cell(&names), next_cell(&one), next_cell(&other)};
        if (i == 1)
            phase = cells[1];
        if (strcmp(cells[1], cells[2]) != 0 && (!first[0] || is_of_part(cells[0])))
            memcpy(first, cells, sizeof first);
        if (first[0] && is_of_part(first[0]))
            break;
    }
    if (first[0])
        output_print(stdout, "the motions part at %s s of '%s': %s is %s and %s\n", time, phase,
                     first[0], first[1], first[2]);
}

static void compare_traces(FILE *files[SIDES])
{
    char *header = NULL, *lines[SIDES] = {NULL, NULL};
    size_t header_size = 0, sizes[SIDES] = {0, 0};
    int is_equal = getline(&header, &header_size, files[0]) > 0 &&
                   getline(&lines[1], &sizes[1], files[1]) > 0 && !strcmp(header, lines[1]);
    int are_there[SIDES] = {1, 1};
    if (!is_equal)
        output_print(stdout, "the bodies have other parts\n");
    while (is_equal && are_there[0] && are_there[1]) {
        for (int s = 0; s < SIDES; s++)
            are_there[s] = getline(&lines[s], &sizes[s], files[s]) > 0;
        is_equal = are_there[0] == are_there[1] && (!are_there[0] || !strcmp(lines[0], lines[1]));
        if (!is_equal && are_there[0] && are_there[1])
            compare_lines(header, lines[0], lines[1]);
        else if (!is_equal)
            output_print(stdout, "the motions are equal until one of them ends\n");
    }
    if (is_equal)
        output_print(stdout, "simulated again, both move alike\n");
    free(header);
    for (int s = 0; s < SIDES; s++)
        free(lines[s]);
}

static int compare_motions(struct sides *sides, struct error *error)
{
    struct scratch scratch;
    char traces[SIDES][RUN_PATH_SIZE];
    FILE *files[SIDES] = {NULL, NULL};
    int status = scratch_open(&scratch, "bisect", error);
    if (status)
        return status;
    for (int s = 0; s < SIDES && !status; s++) {
        status = simulate(sides, s, &scratch, traces[s], error);
        if (!status && !(files[s] = fopen(traces[s], "r")))
            status = error_set(error, ERR_IO, "%s: cannot be read", traces[s]);
    }
    if (!status)
        compare_traces(files);
    for (int s = 0; s < SIDES; s++)
        if (files[s])
            fclose(files[s]);
    scratch_close(&scratch);
    return status;
}

/* ---- creatures ---- */

static void print_birth(const struct creature *creature)
{
    output_print(stdout, "generation %" PRId64 ", %s", creature->generation, creature->method);
    command_print_parents(creature);
}

static int is_born_equal(const struct creature *a, const struct creature *b)
{
    return a->generation == b->generation && !strcmp(a->method, b->method) &&
           a->parents[0] == b->parents[0] && a->parents[1] == b->parents[1] &&
           genome_is_equal(&a->genome, &b->genome);
}

static int is_judged_equal(const struct creature *a, const struct creature *b)
{
    return a->has_evaluation == b->has_evaluation &&
           (!a->has_evaluation || (a->seed == b->seed && a->digest == b->digest &&
                                   a->verdict == b->verdict && a->fitness == b->fitness));
}

static void print_births(const struct sides *sides)
{
    const struct creature *a = &sides->creatures[0], *b = &sides->creatures[1];
    output_print(stdout, "creature %" PRIu64 " is the first that differs: ", a->id);
    print_birth(a);
    if (!is_born_equal(a, b)) {
        output_print(stdout, "; there ");
        print_birth(b);
    }
    output_print(stdout, "\n");
    if (!genome_is_equal(&a->genome, &b->genome))
        output_print(stdout, "genomes differ: controller diff %s:%" PRIu64 " %s:%" PRIu64 "\n",
                     sides->directories[0], a->id, sides->directories[1], b->id);
    for (int s = 0; s < SIDES; s++) {
        const struct creature *creature = &sides->creatures[s];
        if (creature->has_evaluation)
            output_print(stdout,
                         "  %s: %s, fitness %.9g, digest %016" PRIx64 ", seed %016" PRIx64 "\n",
                         sides->directories[s], verdict_words(creature->verdict), creature->fitness,
                         creature->digest, creature->seed);
        else
            output_print(stdout, "  %s: not evaluated\n", sides->directories[s]);
    }
}

static int read_creatures(struct sides *sides, uint64_t id, struct error *error)
{
    for (int s = 0; s < SIDES; s++) {
        sides->status[s] =
            stored_get_creature(store_database(sides->stores[s]), id, &sides->creatures[s], error);
        if (sides->status[s] && sides->status[s] != ERR_MISSING)
            return sides->status[s];
    }
    return 0;
}

static int compare_creatures(struct sides *sides, struct error *error)
{
    for (uint64_t id = 1;; id++) {
        const struct creature *a = &sides->creatures[0], *b = &sides->creatures[1];
        int status = read_creatures(sides, id, error);
        int is_end = !status && sides->status[0] && sides->status[1];
        if (is_end)
            output_print(stdout, "all %" PRIu64 " creatures are equal\n", id - 1);
        else if (!status && (sides->status[0] || sides->status[1]))
            output_print(stdout, "%s has no creature %" PRIu64 ", up to which all are equal\n",
                         sides->directories[sides->status[0] ? 0 : 1], id);
        else if (!status && (!is_born_equal(a, b) || !is_judged_equal(a, b))) {
            print_births(sides);
            if (a->has_evaluation && b->has_evaluation && a->digest != b->digest)
                status = compare_motions(sides, error);
            is_end = 1;
        }
        is_end |= sides->status[0] || sides->status[1];
        for (int s = 0; s < SIDES; s++)
            creature_deinit(&sides->creatures[s]);
        if (is_end || status)
            return status;
    }
}

/* ---- preserves ---- */

/* Compares one epoch of a world. Returns ERR_MISSING where one of the runs has not come so far. */
static int compare_epoch(struct sides *sides, uint32_t world, uint32_t epoch, int *is_equal,
                         struct error *error)
{
    uint64_t digests[SIDES];
    int status = 0;
    for (int s = 0; s < SIDES && !status; s++)
        status = stored_epoch_get_digest(store_database(sides->stores[s]), world, epoch,
                                         &digests[s], error);
    *is_equal = status || digests[0] == digests[1];
    if (!*is_equal)
        output_print(stdout,
                     "world %" PRIu32 " is the first that differs, in epoch %" PRIu32
                     ": digests %016" PRIx64 " and %016" PRIx64 "\n",
                     world, epoch, digests[0], digests[1]);
    return status;
}

static int compare_worlds(struct sides *sides, struct error *error)
{
    int64_t worlds = sides->params[0].preserve_worlds;
    for (uint32_t epoch = 0;; epoch++)
        for (uint32_t world = 0; world < (uint32_t)worlds; world++) {
            int is_equal;
            int status = compare_epoch(sides, world, epoch, &is_equal, error);
            if (status == ERR_MISSING)
                output_print(stdout, "all %" PRIu32 " epochs that both have are equal\n", epoch);
            if (status || !is_equal)
                return status == ERR_MISSING ? 0 : status;
        }
}

static int bisect(char **directories, int count, void *request, struct error *error)
{
    struct sides *sides = request;
    memcpy(sides->directories, directories, sizeof sides->directories);
    int status = open_sides(sides, error);
    if (!status) {
        print_settings(sides);
        status = (preserve_is_wanted(&sides->params[0]) ? compare_worlds
                                                        : compare_creatures)(sides, error);
    }
    for (int s = 0; s < SIDES; s++)
        store_close(sides->stores[s]);
    return status;
}

static int command_bisect(int argc, char **argv)
{
    struct sides sides = {.simulator = NULL};
    return command_with_operands(&bisect_command, argc, argv, &sides, SIDES, SIDES,
                                 "A (a run's directory)|B (another run's directory)", bisect);
}

static const struct option_row options[] = {
    {"with", 0, "SIMULATOR", "the program that moves B's creature; by default that of A's",
     OPTION_AT(TEXT, sides, simulator)},
    {.name = NULL}};
COMMAND(bisect, "A B", "where two runs part: creature, tick, part, number", options,
        "Looks for the first creature in which two runs differ that should be equal, for "
        "example by two versions or on two machines. If both runs bred it and its motions "
        "differ, it is simulated again, and the first tick, part and number that differ are "
        "told. Of preserves it tells the world and the epoch. Parameters that differ are "
        "listed before.");

/* controller digest: are two runs equal, and if not, from where on? */

static int print_digests(const char *directory, void *request, struct error *error)
{
    struct store *store = NULL;
    struct store_digest *generations;
    uint64_t whole;
    char text[17];
    int count;
    int status = command_open_run(directory, &store, NULL, error);
    if (!status)
        status = store_get_digests(store, &whole, &generations, &count, error);
    store_close(store);
    if (status)
        return status;
    for (int i = 0; i < count; i++) {
        hash_to_text(generations[i].hash, text);
        output_print(stdout, "generation %" PRIu32 " %s%s\n", generations[i].generation, text,
                     generations[i].is_closed ? "" : " incomplete");
    }
    hash_to_text(whole, text);
    output_print(stdout, "run %s\n", text);
    free(generations);
    return 0;
}

RUN_COMMAND(digest, print_digests, NULL, "hashes of what two equal runs have in common", NULL,
            "Prints a hash for each generation and one for the whole run, over everything that "
            "two runs with the same parameters and seed have in common: parameters, genomes, "
            "parents, methods, mutations, verdicts, measures, motions, fitness, ranks. Times, "
            "workers, attempts and settings of the farm do not count. Compare two runs with:\n\n  "
            "diff <(controller digest A) <(controller digest B)\n\nThe first line that differs is "
            "the first generation that does.");
