/* Functions that the commands share. */
#include "common/formats/file_kind.h"
#include "common/genetics/genetics.h"
#include "common/store/favourites.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/evolution/search.h"
#include "controller/store/run_directory.h"
#include "controller/workers/extract.h"

int command_fail(const struct error *error)
{
    output_print(stderr, "controller: %s\n", error->message);
    return COMMAND_FAILED;
}

int command_usage(const char *command, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    output_print(stderr, "controller %s: %s (see 'controller %s --help')\n", command, text,
                 command);
    return COMMAND_USAGE;
}

int command_begin(const struct command *command, int argc, char **argv, void *request, int least,
                  int most, const char *names)
{
    int result = command_parse(command, argc, argv, request);
    if (result >= 0)
        return result;
    for (int i = optind; i < argc && strchr(names, '|'); i++)
        names = strchr(names, '|') + 1;
    if (argc - optind < least)
        return command_usage(argv[0], "%.*s is missing", (int)strcspn(names, "|"), names);
    if (argc - optind > most)
        return command_usage(argv[0], "unexpected argument '%s'", argv[optind + most]);
    return -1;
}

int command_end(const char *command, int status, const struct error *error)
{
    if (status == ERR_USAGE)
        return command_usage(command, "%s", error->message);
    return status ? command_fail(error) : command_finish_output();
}

int command_with_operands(const struct command *command, int argc, char **argv, void *request,
                          int least, int most, const char *names, command_act *act)
{
    struct error error = {0};
    int result = command_begin(command, argc, argv, request, least, most, names);
    return result >= 0
               ? result
               : command_end(argv[0], act(argv + optind, argc - optind, request, &error), &error);
}

int command_with_run(const struct command *command, int argc, char **argv, void *request,
                     command_act_on_run *act)
{
    struct error error = {0};
    int result = command_begin(command, argc, argv, request, 1, 1, "RUN_DIR");
    return result >= 0 ? result : command_end(argv[0], act(argv[optind], request, &error), &error);
}

/* For a run's directory in the place of a number. */
static const char *describe_run(const char *text)
{
    return file_kind_of(text) == FILE_RUN ? ", but a run, which stands first" : "";
}

int command_parse_id(const char *command, const char *option, const char *text, uint64_t *id)
{
    if (creature_id_from_text(text, id))
        return command_usage(command,
                             "%s '%s' is neither a creature's number nor 'best' or 'first'%s",
                             option, text, describe_run(text));
    return 0;
}

int command_parse_number(const char *command, const char *option, const char *text, int64_t minimum,
                         int64_t maximum, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < minimum || number > maximum)
        return command_usage(command,
                             "%s '%s' is not a whole number within %" PRId64 " .. %" PRId64 "%s",
                             option, text, minimum, maximum, describe_run(text));
    *value = number;
    return 0;
}

int command_finish_output(void)
{
    return output_finish("controller") ? COMMAND_FAILED : COMMAND_OK;
}

int command_open(const char *directory, int is_read_only, struct store **store,
                 struct params *params, struct error *error)
{
    char path[RUN_PATH_SIZE];
    return run_directory_check(directory, error) ||
                   run_directory_path(directory, "run.db", path, error) ||
                   store_open(store, path, is_read_only, error) ||
                   (params && store_get_params(*store, params, error))
               ? error->code
               : 0;
}

int command_open_run(const char *directory, struct store **store, struct params *params,
                     struct error *error)
{
    return command_open(directory, 1, store, params, error);
}

int command_check_new(const char *path, int is_forced, struct error *error)
{
    return is_forced || access(path, F_OK) != 0
               ? 0
               : error_set(error, ERR_EXISTS, "%s: exists already (overwrite it with --force)",
                           path);
}

int command_get_creature(const char *directory, uint64_t id, struct creature *creature,
                         struct error *error)
{
    struct store *store = NULL;
    creature_init(creature);
    int status = command_open_run(directory, &store, NULL, error);
    if (!status)
        status = extract_get_creature(store, id, creature, error);
    store_close(store);
    return status;
}

int command_read_creature(const char *name, struct creature *creature, struct error *error)
{
    char directory[RUN_PATH_SIZE], path[RUN_PATH_SIZE];
    uint64_t id;
    if (creature_name_split(name, directory, sizeof directory, &id))
        return command_get_creature(directory, id, creature, error);
    return creature_read(creature, favourites_find(name, path, sizeof path), error);
}

const char *command_entry_words(const struct store_entry *entry, enum mutation_detail detail,
                                char text[COMMAND_WORDS_SIZE])
{
    const char *words = store_entry_words(entry);
    text[0] = '\0';
    if (detail == MUTATIONS_SHORT && words == entry->mutations)
        mutation_words_shorten(words, text, COMMAND_WORDS_SIZE);
    else if (detail)
        snprintf(text, COMMAND_WORDS_SIZE, "%s", words);
    return text;
}

void command_print_row(const char *row, int is_whole)
{
    int columns = is_whole ? 0 : output_columns(STDOUT_FILENO);
    if (columns && (int)strlen(row) > columns)
        output_print(stdout, "%.*s...\n", columns - 3, row);
    else
        output_print(stdout, "%s\n", row);
}

void command_print_survivors(const struct store_entry *entries, int count,
                             enum mutation_detail detail)
{
    char row[COMMAND_WORDS_SIZE + 256], words[COMMAND_WORDS_SIZE];
    snprintf(row, sizeof row, "%5s %8s %10s %12s %6s %6s %8s %6s  %-12s  %s", "rank", "id",
             "fitness", "distance (m)", "W/kg", "parts", "neurons", "born", "method",
             detail ? "verdict     mutations" : "verdict");
    command_print_row(row, 0);
    for (int i = 0; i < count; i++) {
        const struct store_entry *entry = &entries[i];
        command_entry_words(entry, detail, words);
        snprintf(row, sizeof row,
                 "%5d%c%8" PRIu64 " %10.4f %12.3f %6.1f %6.0f %8.0f %6" PRIu32 "  %-12s  %-*s%s%s",
                 entry->rank, entry->is_champion ? '*' : ' ', entry->id, entry->fitness,
                 entry->measures.distance_m, entry->measures.power_w_kg, entry->measures.parts,
                 entry->measures.neurons, entry->generation, breeding_method_words(entry->method),
                 *words ? 10 : 0, verdict_words(entry->verdict), *words ? "  " : "", words);
        command_print_row(row, detail == MUTATIONS_FULL);
    }
}

void command_print_parents(const struct creature *creature)
{
    for (int i = 0; i < 2; i++)
        if (creature->parents[i])
            output_print(stdout, i ? " and %" PRIu64 : " of %" PRIu64, creature->parents[i]);
}

void command_find_elsewhere(const struct store_status *status, char *text, size_t size)
{
    char here[STORE_PLACE_SIZE] = "", host[STORE_PLACE_SIZE];
    long process = 0;
    gethostname(here, sizeof here - 1);
    text[0] = '\0';
    if (sscanf(status->place, "%127s %ld", host, &process) == 2 && strcmp(host, here) != 0)
        snprintf(text, size, "%s (process %ld)", host, process);
}

int command_print_worlds(struct store *store, uint32_t epoch, struct error *error)
{
    static const struct {
        int fact, width;
    } columns[] = {{EPOCH_living, 8},      {EPOCH_eggs, 6},           {EPOCH_families, 10},
                   {EPOCH_hunters, 9},     {EPOCH_births, 8},         {EPOCH_died_of_hunger, 8},
                   {EPOCH_died_of_age, 5}, {EPOCH_died_of_mouths, 8}, {EPOCH_died_of_guards, 8}};
    struct store_epoch_row *rows;
    int count, status = store_get_epochs(store, epoch, &rows, &count, error);
    if (status)
        return status;
    output_print(stdout, "The worlds after epoch %" PRIu32 ", %" PRIu32 ":%02d min:\n\n", epoch,
                 epoch / 2, epoch % 2 * 30);
    output_print(stdout,
                 "world  living  eggs  families  hunters  births  hunger  age  mouths  guards\n");
    for (int i = 0; i < count && rows[i].epoch == epoch; i++) {
        output_print(stdout, "%5" PRIu32, rows[i].world);
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
            output_print(stdout, "%*" PRId64, columns[k].width, rows[i].facts[columns[k].fact]);
        output_print(stdout, "\n");
    }
    free(rows);
    return 0;
}
