/* controller list: the best of a generation, or the ancestors of a creature, as a table or as
 * JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/json_text.h"
#include "common/math/hash.h"
#include "common/rows.h"
#include "common/store/favourites.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/run/evolve.h"

#define TOP_DEFAULT 10
/* Walkers that move for less are flagged. The thriftiest walking machine needs 0.055 (Collins and
 * others, Science 307, 2005). */
#define CHEAP_COST_OF_TRANSPORT 0.01

static json_t *json_hash(uint64_t hash)
{
    char text[17];
    hash_to_text(hash, text);
    return json_string(text);
}

static json_t *json_parents(const struct store_entry *entry)
{
    json_t *parents = json_array();
    for (int i = 0; i < 2; i++)
        if (entry->parents[i])
            json_array_append_new(parents, json_integer((json_int_t)entry->parents[i]));
    return parents;
}

static json_t *json_measures(const struct store_entry *entry)
{
    json_t *measures = json_object();
    for (int i = 0; i < MEASURE_COUNT; i++)
        json_object_set_new(measures, measure_table[i].name,
                            json_real(measures_get(&entry->measures, i)));
    return measures;
}

static json_t *json_cost(const struct store_entry *entry)
{
    const struct store_cost *cost = &entry->cost;
    if (!entry->has_cost)
        return json_null();
    return json_pack("{s:o, s:I, s:o*, s:o*, s:I, s:o*, s:o}", "worker",
                     json_integer_if(cost->worker >= 0, cost->worker), "attempt",
                     (json_int_t)cost->attempt, "wall_ms", json_real(cost->task.wall_ms), "cpu_ms",
                     json_real(cost->task.cpu_ms), "arena_bytes",
                     (json_int_t)cost->task.arena_bytes, "time_s", json_real(cost->time_s),
                     "reused", json_integer_if(cost->reused > 0, (json_int_t)cost->reused));
}

/* On land a creature that gets somewhere for next to nothing rolls, or has found a hole in the
 * physics. */
static int is_cheap(const struct store_entry *entry, const struct params *params)
{
    const struct measures *m = &entry->measures;
    return params->world_ground && params->world_gravity_m_s2 > 0 && entry->fitness > 0 &&
           m->displacement_m > m->size_m && m->cost_of_transport < CHEAP_COST_OF_TRANSPORT;
}

static json_t *json_entry(const struct store_entry *entry, const struct params *params)
{
    const char *flag = is_cheap(entry, params) ? "cheap" : NULL;
    return json_pack(
        "{s:I, s:i, s:b, s:b, s:o, s:o*, s:o*, s:s?, s:o, s:I, s:s, s:o, s:s, s:s?, s:o, s:s, s:s, "
        "s:o, s:o, s:o}",
        "id", (json_int_t)entry->id, "rank", entry->rank, "champion", entry->is_champion,
        "survived", entry->survived, "cell", json_integer_if(entry->cell > 0, entry->cell),
        "fitness", json_real(entry->fitness), "referee_fitness",
        json_real_if(entry->has_referee, entry->referee_fitness), "referee",
        entry->has_referee ? entry->referee_words : NULL, "flags",
        flag ? json_pack("[s]", flag) : json_array(), "generation", (json_int_t)entry->generation,
        "method", entry->method, "parents", json_parents(entry), "mutations", entry->mutations,
        "source", *entry->source ? entry->source : NULL, "seed", json_hash(entry->seed), "verdict",
        verdict_name(entry->verdict), "reason", verdict_reason(entry->verdict), "digest",
        json_hash(entry->digest), "measures", json_measures(entry), "cost", json_cost(entry));
}

/* Errors of writing are reported at the end of the command. */
static int end_json(struct json_stream *stream, struct error *error)
{
    json_stream_end(stream, ']');
    output_print(stdout, "\n");
    return stream->has_failed && !ferror(stdout) ? error_memory(error) : 0;
}

static int print_json(const struct store_entry *entries, int count, const struct params *params,
                      struct error *error)
{
    struct json_stream stream = {.file = stdout};
    json_stream_begin(&stream, NULL, '[');
    for (int i = 0; i < count; i++)
        json_stream_put(&stream, NULL, json_entry(&entries[i], params));
    return end_json(&stream, error);
}

/* One object for each world of a preserve, after that epoch. */
static int print_worlds_json(struct store *store, uint32_t epoch, struct error *error)
{
    struct json_stream stream = {.file = stdout};
    struct store_epoch_row *rows;
    int count, status = store_get_epochs(store, epoch, &rows, &count, error);
    if (status)
        return status;
    json_stream_begin(&stream, NULL, '[');
    for (int i = 0; i < count && rows[i].epoch == epoch; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "world", json_integer(rows[i].world));
        json_object_set_new(object, "epoch", json_integer(rows[i].epoch));
        for (int k = 0; k < EPOCH_FACT_COUNT; k++)
            json_object_set_new(object, epoch_fact_names[k], json_integer(rows[i].facts[k]));
        json_stream_put(&stream, NULL, object);
    }
    free(rows);
    return end_json(&stream, error);
}

/* A row for each creature: its birth and rank, then all measures. */
static void print_csv(const struct store_entry *entries, int count)
{
    output_print(stdout, "id,rank,champion,survived,generation,method,parent1,parent2,verdict,"
                         "fitness,referee_fitness,seed,digest");
    for (int i = 0; i < MEASURE_COUNT; i++)
        output_print(stdout, ",%s", measure_table[i].name);
    output_print(stdout, "\n");
    for (int i = 0; i < count; i++) {
        const struct store_entry *e = &entries[i];
        output_print(stdout,
                     "%" PRIu64 ",%d,%d,%d,%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%s,%.17g,", e->id,
                     e->rank, e->is_champion, e->survived, e->generation, e->method, e->parents[0],
                     e->parents[1], verdict_name(e->verdict), e->fitness);
        if (e->has_referee)
            output_print(stdout, "%.17g", e->referee_fitness);
        output_print(stdout, ",%016" PRIx64 ",%016" PRIx64, e->seed, e->digest);
        for (int k = 0; k < MEASURE_COUNT; k++)
            output_print(stdout, ",%.17g", measures_get(&e->measures, k));
        output_print(stdout, "\n");
    }
}

/* The command line. */
struct request {
    int64_t generation, top, lineage; /* lineage: a creature's id; 0 = none */
    int is_all, is_json, is_csv, has_exam, has_mutations;
    int order;        /* enum store_order, and 1; 0: not said */
    const char *sort; /* a measure's name; NULL: by rank or descent */
};

/* ---- sorting ---- */

/* An entry and the value that it is sorted by. */
struct sorted {
    struct store_entry entry;
    double value;
};

/* The greatest first, equal ones in the order of birth. */
ROW_ORDER(compare_sorted, struct sorted,
          2 * ORDER(b->value, a->value) + ORDER(a->entry.id, b->entry.id));

/* Sorts the entries by a measure, or by the creatures' fitness, and keeps the first `top` (0: all).
 */
static int sort_entries(struct store_entry *entries, int *count, const char *key, int64_t top,
                        struct error *error)
{
    int measure = measure_find(key), is_fitness = !strcmp(key, "fitness");
    if (measure < 0 && !is_fitness)
        return error_set(error, ERR_USAGE,
                         "--sort: there is no measure '%.40s'; `list --csv` heads its columns with "
                         "all of them",
                         key);
    struct sorted *sorted = malloc((size_t)(*count ? *count : 1) * sizeof *sorted);
    if (!sorted)
        return error_memory(error);
    for (int i = 0; i < *count; i++)
        sorted[i] =
            (struct sorted){entries[i], is_fitness ? entries[i].fitness
                                                   : measures_get(&entries[i].measures, measure)};
    qsort(sorted, (size_t)*count, sizeof *sorted, compare_sorted);
    if (top && top < *count)
        *count = (int)top;
    for (int i = 0; i < *count; i++)
        entries[i] = sorted[i].entry;
    free(sorted);
    return 0;
}

/* A line for each ancestor, the youngest first. */
static void print_lineage(const struct store_entry *entries, int count, int has_mutations)
{
    char origin[80], words[COMMAND_WORDS_SIZE], row[COMMAND_WORDS_SIZE + 256];
    output_print(stdout, "%8s %6s %10s  %-28s  %s\n", "id", "born", "fitness", "method",
                 "mutations");
    for (int i = 0; i < count; i++) {
        command_entry_words(&entries[i], has_mutations ? MUTATIONS_FULL : MUTATIONS_SHORT, words);
        snprintf(row, sizeof row, "%8" PRIu64 "%c%6" PRIu32 " %10.4f  %-*s%s%s", entries[i].id,
                 entries[i].is_champion ? '*' : ' ', entries[i].generation, entries[i].fitness,
                 *words ? 28 : 0, store_entry_origin(&entries[i], origin, sizeof origin),
                 *words ? "  " : "", words);
        command_print_row(row, has_mutations);
    }
}

/* The disqualifications in a table, in words. */
static void print_verdicts(const struct store_entry *entries, int count)
{
    for (int i = 0; i < count; i++) {
        int verdict = entries[i].verdict, first = 0, found = 0;
        while (entries[first].verdict != verdict)
            first++;
        for (int k = i; k < count; k++)
            found += entries[k].verdict == verdict;
        if (first == i && !verdict_is_scored(verdict))
            output_print(stdout, "%8d disqualified, %s: %s\n", found, verdict_name(verdict),
                         verdict_reason(verdict));
    }
}

/* Warnings about single creatures. */
static void print_notes(const struct store_entry *entries, int count, const struct params *params)
{
    for (int i = 0; i < count; i++) {
        const struct store_entry *entry = &entries[i];
        if (entry->has_referee && entry->fitness == 0)
            output_print(stdout, "%8" PRIu64 " was refused by the referee: it %s\n", entry->id,
                         entry->referee_words);
        if (is_cheap(entry, params))
            output_print(stdout, "%8" PRIu64 " is cheap: its cost of transport is %.3g, below %g\n",
                         entry->id, entry->measures.cost_of_transport, CHEAP_COST_OF_TRANSPORT);
    }
}

/* Explains the numbers, and says whether the champion of a finished run passed its exam. */
static int print_scores(struct store *store, uint32_t generation, int has_exam,
                        const struct params *params, struct error *error)
{
    static const char *const meanings[] = {[SCORE_OWN] = "its own",
                                           [SCORE_LEAST] = "the least in several trials",
                                           [SCORE_MEAN] = "the mean of several trials"};
    struct store_status status;
    char text[STORE_CHAMPION_SIZE];
    if (store_get_status(store, &status, error))
        return error->code;
    output_print(stdout, "fitness: %s; 0: it got nowhere, or only once\n",
                 meanings[params->guard_score]);
    if (!status.is_finished || generation != status.generation) {
        if (has_exam)
            output_print(stdout, "exam: %s\n",
                         status.is_finished ? "it is of the last generation's champion"
                                            : "none yet: it is at the end of the run");
        return 0;
    }
    if (store_describe_ancestor(&status, params, text))
        output_print(stdout, "ancestor: %s\n", text);
    store_describe_champion(&status, params, has_exam, text);
    output_print(stdout, "champion (*): %s%s\n", text,
                 status.champion.id && !has_exam ? " (how: --exam)" : "");
    return 0;
}

static void print_favourites(const char *directory)
{
    struct favourite favourites[FAVOURITES_MAX];
    int count = favourites_read(directory, favourites);
    for (int i = 0; i < count; i++)
        output_print(stdout, "%8" PRIu64 " is the favourite %s:%s\n", favourites[i].id, directory,
                     favourites[i].name);
}

static int get_entries(struct store *store, const struct request *request,
                       struct store_entry **entries, int *count, uint32_t *generation,
                       struct error *error)
{
    if (request->lineage)
        return store_get_lineage(store, (uint64_t)request->lineage, request->is_all, entries, count,
                                 error);
    int top = request->top && !request->sort ? (int)request->top : INT32_MAX;
    int is_data = request->is_json || request->is_csv || request->sort;
    enum store_order usual = is_data ? STORE_RANKS : STORE_KINDS;
    int status = store_get_best(store, request->generation,
                                request->order ? (enum store_order)(request->order - 1) : usual,
                                top, entries, count, generation, error);
    return status || !request->sort
               ? status
               : sort_entries(*entries, count, request->sort, request->top, error);
}

/* A generation without judged creatures has no entries. */
static int print_list(struct store *store, const char *directory, const struct request *request,
                      const struct params *params, struct error *error)
{
    struct store_entry *entries = NULL;
    uint32_t generation = 0;
    int count;
    int status = get_entries(store, request, &entries, &count, &generation, error);
    if (!status && preserve_is_wanted(params)) {
        status =
            (request->is_json ? print_worlds_json : command_print_worlds)(store, generation, error);
    } else if (!status && request->is_json) {
        status = print_json(entries, count, params, error);
    } else if (!status && request->is_csv) {
        print_csv(entries, count);
    } else if (!status && request->lineage) {
        output_print(stdout, "%s, creature %" PRId64 " and its ancestors%s\n", directory,
                     request->lineage, request->is_all ? "" : " by the first parents");
        print_lineage(entries, count, request->has_mutations);
    } else if (!status) {
        output_print(stdout, "%s, generation %" PRIu32 "\n", directory, generation);
        command_print_survivors(entries, count,
                                request->has_mutations ? MUTATIONS_FULL : MUTATIONS_SHORT);
        print_verdicts(entries, count);
        print_notes(entries, count, params);
        print_favourites(directory);
        status = print_scores(store, generation, request->has_exam, params, error);
    }
    free(entries);
    return status;
}

static int list_run(const char *directory, void *wanted, struct error *error)
{
    const struct request *request = wanted;
    struct store *store = NULL;
    struct params params;
    /* combinations that make no sense */
    if (request->lineage && (request->generation >= 0 || request->top != TOP_DEFAULT ||
                             request->order || request->sort))
        return error_set(
            error, ERR_USAGE,
            "--lineage takes no --generation, --top, --kinds, --ranks, --distinct or --sort");
    if (request->is_json && request->is_csv)
        return error_set(error, ERR_USAGE, "--json and --csv exclude one another");
    if (request->is_all && !request->lineage)
        return error_set(error, ERR_USAGE, "--all goes with --lineage");
    int status = command_open_run(directory, &store, &params, error);
    if (!status && preserve_is_wanted(&params) &&
        (request->is_csv || request->sort || request->has_exam))
        status = error_set(error, ERR_USAGE, "a preserve has no %s: --json has its worlds",
                           request->has_exam ? "exam" : "ranks");
    if (!status)
        status = print_list(store, directory, request, &params, error);
    store_close(store);
    return status;
}

static const struct option_row options[] = {
    {"generation", 0, "N", "a complete generation, from 0; default: the last complete one",
     OPTION_AT(WHOLE, request, generation), .max = UINT32_MAX},
    {"top", 0, "K", "this many; default 10, 0 = all", OPTION_AT(WHOLE, request, top),
     .max = INT32_MAX},
    {"exam", 0, NULL, "of a finished run: how its champion did in each trial of its exam",
     OPTION_AT(FLAG, request, has_exam)},
    {"kinds", 0, NULL, "the best of each kind: the default, but for --json",
     OPTION_AT(FLAG, request, order), .value = STORE_KINDS + 1},
    {"ranks", 0, NULL, "all, as they rank: the default of --json", OPTION_AT(FLAG, request, order),
     .value = STORE_RANKS + 1},
    {"distinct", 0, NULL, "leaves out only creatures that move exactly as a better one",
     OPTION_AT(FLAG, request, order), .value = STORE_DISTINCT + 1},
    {"lineage", 0, "ID",
     "a creature and its ancestors instead, back to the first: its parent (of two: the first), the "
     "parent's parent, and so on",
     OPTION_AT(WHOLE, request, lineage), .min = 1, .max = OPTION_WHOLE_MAX},
    {"all", 0, NULL, "with --lineage: both parents of each, so all ancestors",
     OPTION_AT(FLAG, request, is_all)},
    {"mutations", 0, NULL, "each change of a birth as it was made, in lines as long as they are",
     OPTION_AT(FLAG, request, has_mutations)},
    {"sort", 0, "MEASURE", "by a measure (distance_m, parts, ...) or by fitness, greatest first",
     OPTION_AT(TEXT, request, sort)},
    {"csv", 0, NULL, "a row for each creature, as they rank, with all measures",
     OPTION_AT(FLAG, request, is_csv)},
    {"json", 0, NULL,
     "one array, one object per creature (of a preserve: per world); numbers that may differ "
     "between "
     "two equal runs stand under the "
     "key `cost` (docs/run-store.md)",
     OPTION_AT(FLAG, request, is_json)},
    {.name = NULL}};
RUN_COMMAND(list, list_run, (&(struct request){.generation = -1, .top = TOP_DEFAULT}),
            "the best of a generation, or a creature's ancestors", options,
            "Lists the best creature of each kind of body (as many parts, as many that move) in a "
            "generation, best first, with what its birth changed; or the ancestors of one.");
