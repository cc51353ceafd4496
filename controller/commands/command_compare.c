/* controller compare: runs beside one another: what they came to, their curves, the settings that
 * differ, and whether the difference is more than chance. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/output.h"
#include "controller/analysis/league.h"
#include "controller/commands/commands.h"
#include "controller/run/evolve.h"

enum { RUNS_MOST = RANK_TEST_MOST, CURVE_POINTS = 8 };

struct compared {
    const char *directory;
    struct params params;
    struct store_status status;
    struct store_generation *curve;
    int curve_count;
    double cpu_s;
    double
        score; /* the champion's fitness; 0: none passed its exam; NaN: the run is not finished */
    int group; /* runs of one group differ by seed, name and farm alone */
};

static int read_cpu(struct compared *run, struct store *store, struct error *error)
{
    struct store_spent *spent = NULL;
    int count, status = store_get_spent(store, &spent, &count, error);
    run->cpu_s = run->status.controller_cpu_s;
    for (int i = 0; !status && i < count; i++)
        run->cpu_s += spent[i].cpu_ms / 1000;
    free(spent);
    return status;
}

static int read_run(struct compared *run, const char *directory, struct error *error)
{
    struct store *store = NULL;
    run->directory = directory;
    int status = command_open_run(directory, &store, &run->params, error);
    if (!status && preserve_is_wanted(&run->params))
        status = error_set(error, ERR_USAGE,
                           "%s is a preserve, which has no scores to compare (see `controller "
                           "evolution`)",
                           directory);
    if (!status &&
        (store_get_status(store, &run->status, error) ||
         stored_get_generations(store_database(store), 0, &run->curve, &run->curve_count, error) ||
         read_cpu(run, store, error)))
        status = error->code;
    const struct store_champion *champion = &run->status.champion;
    run->score = NAN;
    if (!status && run->status.is_finished)
        run->score = champion->holds ? run->status.best : 0;
    store_close(store);
    return status;
}

/* ---- settings ---- */

/* Whether runs may differ in a parameter and still be repetitions of one another. */
static int is_incidental(int parameter)
{
    const char *key = param_table[parameter].key;
    return param_table[parameter].scope == 'F' || !strcmp(key, "seed") || !strcmp(key, "name");
}

static int are_repetitions(const struct compared *a, const struct compared *b)
{
    for (int i = 0; i < param_count; i++)
        if (!is_incidental(i) && !params_is_same(&a->params, &b->params, i))
            return 0;
    return 1;
}

/* Numbers the groups in the order of the runs. Returns how many there are. */
static int find_groups(struct compared *runs, int count)
{
    int groups = 0;
    for (int i = 0; i < count; i++) {
        int first = 0;
        while (first < i && !are_repetitions(&runs[first], &runs[i]))
            first++;
        runs[i].group = first < i ? runs[first].group : groups++;
    }
    return groups;
}

static const struct compared *first_of(const struct compared *runs, int group)
{
    while (runs->group != group)
        runs++;
    return runs;
}

static void print_settings(const struct compared *runs, int groups)
{
    char value[PARAM_TEXT_SIZE];
    for (int i = 0; i < param_count; i++) {
        int is_equal = 1;
        for (int g = 1; g < groups; g++)
            is_equal &= params_is_same(&runs->params, &first_of(runs, g)->params, i);
        if (is_equal || is_incidental(i))
            continue;
        output_print(stdout, "  %-32s", param_table[i].key);
        for (int g = 0; g < groups; g++) {
            params_print_value(&first_of(runs, g)->params, i, value, sizeof value);
            output_print(stdout, "  %c: %s", 'A' + g, *value ? value : "-");
        }
        output_print(stdout, "\n");
    }
}

/* ---- tables ---- */

static void print_runs(const struct compared *runs, int count)
{
    output_print(stdout, "   generations  evaluations   cpu (s)       best     median  champion\n");
    for (int i = 0; i < count; i++) {
        const struct store_status *status = &runs[i].status;
        output_print(stdout, "%c  %11" PRId64 "  %11" PRId64 "  %8.1f  %9.4f  %9.4f  ",
                     'A' + runs[i].group, status->closed_generation + 1, status->evaluated,
                     runs[i].cpu_s, status->best, status->median);
        if (!status->is_finished)
            output_print(stdout, "not finished");
        else if (status->champion.holds)
            output_print(stdout, "%" PRIu64, status->champion.id);
        else
            output_print(stdout, "none passed its exam");
        output_print(stdout, "  %s\n", runs[i].directory);
    }
}

/* The best fitness when so many evaluations were done. */
static double best_at(const struct compared *run, double evaluations)
{
    double best = 0;
    for (int i = 0; i < run->curve_count && (double)run->curve[i].evaluations <= evaluations; i++)
        best = fmax(best, run->curve[i].best);
    return best;
}

static void print_curves(const struct compared *runs, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, runs[i].curve_count
                                ? (double)runs[i].curve[runs[i].curve_count - 1].evaluations
                                : 0);
    output_print(stdout, "\nbest by evaluations\n ");
    for (int k = 1; k <= CURVE_POINTS; k++)
        output_print(stdout, " %9.0f", least * k / CURVE_POINTS);
    output_print(stdout, "\n");
    for (int i = 0; i < count; i++) {
        output_print(stdout, "%c", 'A' + runs[i].group);
        for (int k = 1; k <= CURVE_POINTS; k++)
            output_print(stdout, " %9.4f", best_at(&runs[i], least * k / CURVE_POINTS));
        output_print(stdout, "  %s\n", runs[i].directory);
    }
}

/* ---- statistics ---- */

/* The scores of the finished runs of a group. */
static int take_scores(const struct compared *runs, int count, int group, double *scores)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (runs[i].group == group && !isnan(runs[i].score))
            scores[found++] = runs[i].score;
    return found;
}

static void print_test(const struct compared *runs, int count, int a, int b)
{
    double one[RUNS_MOST], other[RUNS_MOST];
    int one_count = take_scores(runs, count, a, one);
    int other_count = take_scores(runs, count, b, other);
    output_print(stdout, "  %c (%d finished) and %c (%d): ", 'A' + a, one_count, 'A' + b,
                 other_count);
    if (!one_count || !other_count) {
        output_print(stdout, "nothing to compare\n");
        return;
    }
    struct rank_test test = rank_test_compare(one, one_count, other, other_count);
    output_print(stdout, "a run of %c beats one of %c in %.0f %% of pairs, ", 'A' + a, 'A' + b,
                 100 * test.effect);
    if (test.p_least > 0.05)
        output_print(stdout, "which so few seeds cannot tell from chance\n");
    else
        output_print(stdout, "p = %.3g\n", test.p);
}

static void print_statistics(const struct compared *runs, int count, int groups)
{
    output_print(stdout, "\nscore: the champion's fitness, 0 where none passed its exam "
                         "(Mann and Whitney, exact, two-sided)\n");
    for (int a = 0; a < groups; a++)
        for (int b = a + 1; b < groups; b++)
            print_test(runs, count, a, b);
    if (groups > 2)
        output_print(stdout, "  (of %d comparisons one in twenty is below 0.05 by chance)\n",
                     groups * (groups - 1) / 2);
}

static int compare(char **directories, int count, void *request, struct error *error)
{
    struct compared *runs = calloc((size_t)count, sizeof *runs);
    int status = runs ? 0 : error_memory(error);
    for (int i = 0; i < count && !status; i++)
        status = read_run(&runs[i], directories[i], error);
    int groups = status ? 0 : find_groups(runs, count);
    if (groups > 26)
        status = error_set(error, ERR_LIMIT, "%d ways to evolve; at most 26 are compared", groups);
    if (!status) {
        print_runs(runs, count);
        print_curves(runs, count);
        output_print(stdout, "\nsettings that differ%s\n",
                     groups > 1 ? "" : ": none but seed, name and farm");
        print_settings(runs, groups);
        if (groups > 1)
            print_statistics(runs, count, groups);
    }
    for (int i = 0; i < count && runs; i++)
        free(runs[i].curve);
    free(runs);
    return status;
}

OPERAND_COMMAND(
    compare, compare, 2, RUNS_MOST, "RUN_DIR (two or more)", "RUN_DIR RUN_DIR...",
    "runs beside one another: results, curves, settings, statistics",
    "Sets runs beside one another. Runs whose parameters differ by seed, name and farm "
    "alone are one group (A, B, ...); the settings in which groups differ are listed, and "
    "the scores of groups are tested against chance.");
