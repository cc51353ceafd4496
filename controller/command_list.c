/* controller list: the best of a generation, as a table or as JSON. */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "common/hash.h"
#include "controller/commands.h"

#define TOP_DEFAULT 10

static const char help[] =
    "usage: controller list RUN_DIR [option]...\n"
    "Lists the best creatures of a generation, best first.\n"
    "\n"
    "      --generation N    a complete generation, from 0; default: the last complete one\n"
    "      --top K           this many; default 10, 0 = all\n"
    "      --json            one array, one object per creature; what may differ between two "
    "equal\n"
    "                        runs stands under the key `cost` (docs/run-store.md)\n"
    "  -h, --help\n";

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
    json_t *object = json_object();
    json_object_set_new(object, "worker",
                        cost->worker >= 0 ? json_integer(cost->worker) : json_null());
    json_object_set_new(object, "attempt", json_integer(cost->attempt));
    json_object_set_new(object, "wall_ms", json_real(cost->task.wall_ms));
    json_object_set_new(object, "cpu_ms", json_real(cost->task.cpu_ms));
    json_object_set_new(object, "arena_bytes", json_integer((json_int_t)cost->task.arena_bytes));
    json_object_set_new(object, "time_s", json_real(cost->time_s));
    return object;
}

static json_t *json_entry(const struct store_entry *entry)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_integer((json_int_t)entry->id));
    json_object_set_new(object, "rank", json_integer(entry->rank));
    json_object_set_new(object, "survived", json_boolean(entry->survived));
    json_object_set_new(object, "fitness", json_real(entry->fitness));
    json_object_set_new(object, "referee_fitness",
                        entry->has_referee ? json_real(entry->referee_fitness) : json_null());
    json_object_set_new(object, "generation", json_integer(entry->generation));
    json_object_set_new(object, "method", json_string(entry->method));
    json_object_set_new(object, "parents", json_parents(entry));
    json_object_set_new(object, "mutations", json_string(entry->mutations));
    json_object_set_new(object, "seed", json_hash(entry->seed));
    json_object_set_new(object, "verdict", json_string(verdict_name(entry->verdict)));
    json_object_set_new(object, "reason", json_string(verdict_reason(entry->verdict)));
    json_object_set_new(object, "digest", json_hash(entry->digest));
    json_object_set_new(object, "measures", json_measures(entry));
    json_object_set_new(object, "cost", json_cost(entry));
    return object;
}

static int print_json(const struct store_entry *entries, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_entry(&entries[i]));
    int status = json_dumpf(array, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(array);
    putchar('\n');
    return status ? COMMAND_FAILED : COMMAND_OK;
}

static int list_run(const char *directory, int64_t generation, int top, int is_json)
{
    struct store *store = NULL;
    struct store_entry *entries = NULL;
    struct error error = {0};
    uint32_t found;
    int count, result = COMMAND_OK;
    if (command_open_run(directory, &store, &error) ||
        store_get_top(store, generation, top, &entries, &count, &found, &error)) {
        result = command_fail(&error);
    } else if (is_json) {
        result = print_json(entries, count);
    } else {
        printf("%s, generation %" PRIu32 "\n", directory, found);
        command_print_survivors(stdout, entries, count);
    }
    free(entries);
    store_close(store);
    return result ? result : command_finish_output();
}

int command_list(int argc, char **argv)
{
    enum { OPTION_JSON = 256, OPTION_GENERATION, OPTION_TOP };
    static const struct option options[] = {
        {"json", no_argument, NULL, OPTION_JSON},
        {"generation", required_argument, NULL, OPTION_GENERATION},
        {"top", required_argument, NULL, OPTION_TOP},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    int64_t generation = -1, top = TOP_DEFAULT;
    int is_json = 0, answer, result = 0;
    opterr = 0;
    while (!result && (answer = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        switch (answer) {
        case OPTION_JSON:
            is_json = 1;
            break;
        case OPTION_GENERATION:
            result =
                command_parse_number(argv[0], "--generation", optarg, 0, UINT32_MAX, &generation);
            break;
        case OPTION_TOP:
            result = command_parse_number(argv[0], "--top", optarg, 0, INT32_MAX, &top);
            break;
        case 'h':
            fputs(help, stdout);
            return command_finish_output();
        default:
            return command_bad_option(argv, answer);
        }
    }
    if (!result)
        result = command_check_operands(argc, argv, 1, 1, "RUN_DIR");
    return result ? result
                  : list_run(argv[optind], generation, top ? (int)top : INT32_MAX, is_json);
}
