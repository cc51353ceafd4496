/* The seeds of a run: the creatures that evolution.seeds and the command line name. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/store/favourites.h"
#include "common/text.h"
#include "controller/commands/commands.h"

int seed_origin_init(struct seed_origin *origin, const char *params_path, struct error *error)
{
    const char *slash = strrchr(params_path, '/');
    size_t length = slash ? (size_t)(slash + 1 - params_path) : 0;
    if (length >= sizeof origin->folder)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", params_path);
    memcpy(origin->folder, params_path, length);
    origin->folder[length] = '\0';
    origin->is_of_file = 1;
    return 0;
}

/* Whether a name leads to a file, or, as RUN_DIR:ID, to a directory. */
static int is_there(const char *name)
{
    char directory[RUN_PATH_SIZE];
    uint64_t id;
    return creature_name_split(name, directory, sizeof directory, &id)
               ? access(directory, F_OK) == 0
               : access(name, F_OK) == 0;
}

/* The path that a name of evolution.seeds leads to; the name itself if nothing is beside the
 * parameter file. */
static void find_seed(const struct seed_origin *origin, const char *name, char path[RUN_PATH_SIZE])
{
    int length = snprintf(path, RUN_PATH_SIZE, "%s%s", origin->folder, name);
    int is_beside = name[0] != '/' && length < RUN_PATH_SIZE && is_there(path) &&
                    (origin->is_of_file || !is_there(name));
    if (!is_beside)
        snprintf(path, RUN_PATH_SIZE, "%s", name);
}

/* Calls `take` with the path of each name of evolution.seeds until it fails. */
static int each_seed(const struct params *params, const struct seed_origin *origin,
                     int (*take)(void *context, const char *path, struct error *error),
                     void *context, struct error *error)
{
    char names[PARAM_TEXT_SIZE], path[RUN_PATH_SIZE];
    char *rest = names, *name;
    int found, status = 0;
    snprintf(names, sizeof names, "%s", params->evolution_seeds);
    while (!status && (found = text_cut_word(&rest, &name)) != 0) {
        if (found < 0)
            return error_set(error, ERR_FORMAT, "evolution.seeds: a quote is not closed");
        find_seed(origin, name, path);
        status = take(context, path, error);
    }
    return status ? error_prefix(error, "evolution.seeds") : 0;
}

struct names {
    char text[PARAM_TEXT_SIZE];
    size_t length;
};

static int add_name(void *context, const char *path, struct error *error)
{
    struct names *names = context;
    if (names->length > 0)
        names->text[names->length++] = ' ';
    names->length +=
        text_quote_word(path, names->text + names->length, sizeof names->text - names->length);
    return names->length > PARAM_TEXT_LENGTH_MAX
               ? error_set(error, ERR_LIMIT, "the names are too long with their folders")
               : 0;
}

int run_seeds_resolve(struct params *params, const struct seed_origin *origin, struct error *error)
{
    struct names names = {.length = 0};
    int status = each_seed(params, origin, add_name, &names, error);
    return status ? status : params_set(params, "evolution.seeds", names.text, error);
}

struct reading {
    struct seeding *seeding;
    const struct params *params;
};

static int read_seed(void *context, const char *path, struct error *error)
{
    const struct reading *reading = context;
    struct creature creature;
    int has_failed = command_read_creature(path, &creature, error) ||
                     seeding_fit(reading->params, path, &creature.genome, error) ||
                     seeding_add(reading->seeding, path, &creature, error);
    creature_deinit(&creature);
    return has_failed ? error->code : 0;
}

int run_seeds_read(struct seeding *seeding, const struct params *params,
                   const struct seed_origin *origin, const struct option_list *more,
                   struct error *error)
{
    struct reading reading = {seeding, params};
    int status = each_seed(params, origin, read_seed, &reading, error);
    for (int i = 0; !status && i < more->count; i++) {
        if (run_seeds_find_world(more->items[i]))
            continue; // not a founder: put in
        status = read_seed(&reading, more->items[i], error);
        if (status)
            error_prefix(error, "--seed-creature");
    }
    return status;
}

const char *run_seeds_find_world(const char *name)
{
    const char *at = strrchr(name, '@');
    return at && at[1] && at[1 + strspn(at + 1, "0123456789")] == '\0' ? at : NULL;
}
