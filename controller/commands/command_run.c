/* controller run, controller resume, controller examples. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/store/favourites.h"
#include "common/system/process.h"
#include "common/system/examples.h"
#include "common/system/file.h"
#include "common/system/log.h"
#include "common/system/output.h"
#include "common/text.h"
#include "controller/evolution/islands.h"
#include "controller/evolution/search.h"
#include "controller/evolution/seeding.h"
#include "controller/commands/commands.h"
#include "controller/run/evolve.h"
#include "controller/run/deeds.h"
#include "controller/workers/launcher.h"
#include "controller/workers/program.h"
#include "controller/store/run_directory.h"

/* Rows of the table printed at the end. */
#define CHAMPION_COUNT 5

/* Options that set a parameter. */
enum { ROW_SEED, ROW_GENERATIONS, ROW_POPULATION, ROW_WORKERS, ROW_COUNT };
static const char *const row_keys[ROW_COUNT] = {"seed", "evolution.generations", "population.size",
                                                "farm.workers"};

/* The command line. */
struct arguments {
    const char *directory;
    struct option_list assignments, seeds;
    const char *rows[ROW_COUNT]; /* values of row_keys; NULL: not given */
    const char *choices, *tend;
    int print_config, is_all, view, watch;
};

/* Sets what the command line says. Returns 0 or an exit code. */
static int apply_arguments(const struct arguments *arguments, const char *command,
                           struct params *params)
{
    struct error error = {0};
    int status = 0;
    for (int i = 0; !status && i < arguments->assignments.count; i++)
        status = params_set_assignment(params, arguments->assignments.items[i], &error);
    for (int i = 0; !status && i < ROW_COUNT; i++)
        if (arguments->rows[i])
            status = params_set(params, row_keys[i], arguments->rows[i], &error);
    if (status)
        return command_usage(command, "%s", error.message);
    if (params_check(params, &error) || search_check_params(params, &error))
        return command_fail(&error);
    return 0;
}

/* The file's name without folders and ending, as the run's name. */
static void name_after_file(const char *path, struct params *params)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    if (length > 0)
        snprintf(params->run_name, sizeof params->run_name, "%.*s", length, base);
}

static int default_directory(const struct params *params, char path[RUN_PATH_SIZE],
                             struct error *error)
{
    if (!*params->run_name || params->run_name[0] == '.' || strchr(params->run_name, '/'))
        return error_set(error, ERR_RANGE,
                         "name: '%s' cannot name a directory; say with -o where the run goes",
                         params->run_name);
    snprintf(path, RUN_PATH_SIZE, "runs/%s-%" PRId64, params->run_name, params->run_seed);
    return 0;
}

/* ---- names of seeds ---- */

/* The folder that names of evolution.seeds are relative to: names in the parameter file first to
 * the file's folder, names on the command line first to the program's current folder. */
struct seed_origin {
    char folder[RUN_PATH_SIZE]; /* of the parameter file, with its slash; empty: it is here */
    int is_of_file;             /* evolution.seeds is from the file */
};

/* In X@WORLD, of --seed-creature, where @WORLD begins; NULL: it names no world. */
static const char *find_world(const char *name)
{
    const char *at = strrchr(name, '@');
    return at && at[1] && at[1 + strspn(at + 1, "0123456789")] == '\0' ? at : NULL;
}

/* ERR_LIMIT: the path is too long. */
static int seed_origin_init(struct seed_origin *origin, const char *params_path,
                            struct error *error)
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

/* The names of evolution.seeds, one after the other. */
struct seed_names {
    char text[PARAM_TEXT_SIZE], *rest, path[RUN_PATH_SIZE];
};

static void seed_names_init(struct seed_names *names, const struct params *params)
{
    snprintf(names->text, sizeof names->text, "%s", params->evolution_seeds);
    names->rest = names->text;
}

/* Makes names->path that of the next name. 0: there is no more; below 0: ERR_FORMAT. */
static int seed_names_next(struct seed_names *names, const struct seed_origin *origin,
                           struct error *error)
{
    char *name;
    int found = text_cut_word(&names->rest, &name);
    if (found > 0)
        find_seed(origin, name, names->path);
    return found < 0 ? error_set(error, ERR_FORMAT, "evolution.seeds: a quote is not closed")
                     : found;
}

/* Makes the names of evolution.seeds those from where the program runs. ERR_FORMAT, or ERR_LIMIT
 * where they do not fit into the parameter. */
static int resolve_seeds(struct params *params, const struct seed_origin *origin,
                         struct error *error)
{
    struct seed_names names;
    char text[PARAM_TEXT_SIZE] = "";
    size_t length = 0;
    int found;
    seed_names_init(&names, params);
    while ((found = seed_names_next(&names, origin, error)) > 0) {
        if (length > 0)
            text[length++] = ' ';
        length += text_quote_word(names.path, text + length, sizeof text - length);
        if (length > PARAM_TEXT_LENGTH_MAX)
            return error_set(error, ERR_LIMIT,
                             "evolution.seeds: the names are too long with their folders");
    }
    return found ? found : params_set(params, "evolution.seeds", text, error);
}

/* ---- a session: what run and resume have in common once the parameters are known ---- */

struct session {
    const struct arguments *arguments;
    struct params params;
    char directory[RUN_PATH_SIZE];
    char simulator[RUN_PATH_SIZE];
    uint64_t fingerprint;       /* of that program on this machine */
    char viewer[RUN_PATH_SIZE]; /* empty: not wanted */
    int is_finished;
    struct store *store;
    struct store *choices; /* of another run; or NULL */
    struct search *search;
    struct seed_origin origin;
    struct seeding seeding;
    struct progress progress;
    struct run_log log;
};

/* Looks for the program before anything runs. */
static int session_want_viewer(struct session *session, struct error *error)
{
    return session->arguments->view || session->arguments->watch
               ? program_find("viewer", session->viewer, error)
               : 0;
}

/* Opens a window on the run; a run does not fail for want of a window. */
static void session_show(const struct session *session)
{
    static const char log_name[] = "logs/viewer.log";
    char directory[RUN_PATH_SIZE], name[] = "viewer", world[] = "--world", first[] = "0",
                                   live[] = "--live", end[] = "--";
    char *whole[] = {name, end, directory, NULL},
         *of_world[] = {name, world, first, live, end, directory, NULL};
    char **argv = preserve_is_wanted(&session->params) ? of_world : whole;
    struct error error = {0};
    int log;
    if (!display_may_exist()) {
        output_print(stderr, "there is no display to open a window on: the run does without it\n");
        return;
    }
    snprintf(directory, sizeof directory, "%s", session->directory);
    int status = file_open_within(directory, log_name, O_WRONLY | O_APPEND | O_CREAT, &log, &error);
    if (!status) {
        status = program_start(session->viewer, argv, log, &error);
        close(log);
    }
    if (status)
        command_fail(&error);
    else
        output_print(stderr, "viewer started; what it says is in %s/%s\n", directory, log_name);
}

/* A creature of the command line, X@WORLD. In a run that has begun X alone is put into all
 * worlds. */
static int put_creature(struct session *session, struct store *store, const char *name,
                        struct error *error)
{
    const char *at = find_world(name);
    int status = 0;
    /* before there is a store the line is only looked at */
    int64_t count = session->params.preserve_worlds, lived = -1;
    char creature[RUN_PATH_SIZE], quoted[RUN_PATH_SIZE], line[RUN_PATH_SIZE + 32], text[160];
    if (!preserve_is_wanted(&session->params))
        return at ? error_set(error, ERR_RANGE, "--seed-creature %s: only a preserve has worlds",
                              name)
                  : 0;
    if (store)
        status = store_get_last_epoch(store, 0, &lived, error);
    if (at || (!status && lived < 0))
        count = at ? 1 : 0; // founders are in seeding
    snprintf(creature, sizeof creature, "%.*s", (int)(at ? at - name : (ptrdiff_t)strlen(name)),
             name);
    text_quote_word(creature, quoted, sizeof quoted);
    for (int64_t world = 0; world < count && !status; world++) {
        if (at)
            snprintf(line, sizeof line, "%s put %s", at + 1, quoted);
        else
            snprintf(line, sizeof line, "%" PRId64 " put %s", world, quoted);
        status = deeds_put(store, &session->params, line, 0, text, sizeof text, error);
        if (!status && store)
            output_print(stderr, "%s: %s\n", name, text);
    }
    return status ? error_prefix(error, "--seed-creature") : 0;
}

/* Writes down what the command line wants done to worlds of a preserve: --tend, and creatures that
 * are put in. Without a store it only looks whether that can be understood. */
static int session_tend(struct session *session, struct store *store, struct error *error)
{
    const struct arguments *arguments = session->arguments;
    int status = 0;
    for (int i = 0; i < arguments->seeds.count && !status; i++)
        status = put_creature(session, store, arguments->seeds.items[i], error);
    if (!status && arguments->tend)
        status = preserve_is_wanted(&session->params)
                     ? deeds_put_file(store, &session->params, arguments->tend, error)
                     : error_set(error, ERR_RANGE, "--tend: the run is no preserve");
    return status;
}

/* Closes the run; then, so that the viewer finds it as it stays, opens the window that was wanted,
 * unless the terminal shows one already. */
static void session_deinit(struct session *session)
{
    search_destroy(session->search);
    store_close(session->store);
    store_close(session->choices);
    seeding_deinit(&session->seeding);
    free(session->arguments->assignments.items);
    free(session->arguments->seeds.items);
    if (session->is_finished && session->arguments->view && !session->arguments->watch)
        session_show(session);
}

static int session_open_log(struct session *session, struct error *error)
{
    if (run_directory_make_logs(session->directory, error))
        return error->code;
    return run_log_open(&session->log, session->directory, (off_t)session->params.farm_log_mb << 20,
                        error);
}

static void print_champions(const struct session *session)
{
    struct store_entry *entries;
    struct store_status status;
    struct error error = {0};
    char text[STORE_CHAMPION_SIZE];
    uint32_t generation;
    int count;
    if (store_get_status(session->store, &status, &error) ||
        store_get_best(session->store, -1, STORE_KINDS, CHAMPION_COUNT, &entries, &count,
                       &generation, &error)) {
        command_fail(&error);
        return;
    }
    output_print(stdout, "The best after generation %" PRIu32 ":\n", generation);
    command_print_survivors(entries, count, MUTATIONS_LEFT_OUT);
    output_print(stdout, "\nwatch them:  controller view %s\nkeep one:    controller save %s %s\n",
                 session->directory, session->directory,
                 count && entries[0].is_champion ? "best" : "first");
    if (store_describe_ancestor(&status, &session->params, text))
        output_print(stdout, "ancestor:    %s\n", text);
    store_describe_champion(&status, &session->params, 1, text);
    output_print(stdout, "champion:    %s\n", text);
    free(entries);
}

/* The generation under way, or the last one. */
static uint32_t session_generation(const struct session *session)
{
    struct store_status status;
    if (session->search)
        return search_generation(session->search);
    return store_get_status(session->store, &status, &(struct error){0}) ? 0 : status.generation;
}

/* An epoch is half a minute; proposed is the last minute. */
static void print_worlds(const struct session *session)
{
    struct error error = {0};
    uint32_t epoch = session_generation(session), from = epoch > 2 ? epoch - 2 : 0;
    if (command_print_worlds(session->store, epoch, &error)) {
        command_fail(&error);
        return;
    }
    output_print(stdout,
                 "\nwatch a world:  controller view %s --world 0 --from %" PRIu32 ":%02" PRIu32
                 "\nand film it:    controller view %s --world 0 --from %" PRIu32 ":%02" PRIu32
                 " --export world.mp4\n",
                 session->directory, from / 2, from % 2 * 30, session->directory, from / 2,
                 from % 2 * 30);
}

static int session_worker_count(const struct session *session)
{
    int workers = (int)session->params.farm_workers;
    return workers ? workers : launcher_worker_count(session->params.farm_launcher);
}

/* A lagged method breeds a child from all results but the last evolution.lag: with little more than
 * what is in the workers' hands, one slow task holds up all. */
static void session_warn_of_lag(const struct session *session)
{
    enum { ENOUGH = 4 };
    const struct params *params = &session->params;
    int64_t in_hand = session_worker_count(session) * params->farm_prefetch;
    if (preserve_is_wanted(params) || !search_params_method(params)->is_lagged ||
        params->evolution_lag >= ENOUGH * in_hand)
        return;
    log_event(LOG_WARN, "little_lag", "lag=%" PRId64 " in_hand=%" PRId64, params->evolution_lag,
              in_hand);
    output_print(
        stderr,
        "evolution.lag = %" PRId64 " is little for %d workers with %" PRId64
        " tasks each: they will wait for one another; a new run with -s evolution.lag=%" PRId64
        " or more keeps them at work\n",
        params->evolution_lag, session_worker_count(session), params->farm_prefetch,
        ENOUGH * in_hand);
}

/* Why the best falls when a start ends. */
static void session_tell_islands(const struct session *session)
{
    const struct params *params = &session->params;
    char start[ISLANDS_TEXT_SIZE], words[ISLANDS_WORDS_SIZE];
    if (preserve_is_wanted(params))
        return;
    islands_name_start(params, session_generation(session), start);
    islands_describe(params, words);
    if (*start)
        output_print(stderr, "islands: %s. Until then the best is that of the start under way\n",
                     words);
}

static void session_warn_of_energies(const struct session *session)
{
    char text[256];
    if (!preserve_is_wanted(&session->params) ||
        !preserve_warn(&session->params, text, sizeof text))
        return;
    log_event(LOG_WARN, "energies", "text=\"%s\"", text);
    output_print(stderr, "preserve: %s\n", text);
}

/* Whether simulators can be had at all, before anything is made. */
static int session_check_farm(struct session *session, struct error *error)
{
    return program_find("simulator", session->simulator, error) ||
                   program_ask_fingerprint(session->simulator, &session->fingerprint, error) ||
                   launcher_check(session->params.farm_launcher, error) ||
                   farm_check_descriptors(session_worker_count(session), error)
               ? error->code
               : 0;
}

/* Says in the store where this controller is, for `status` on other machines. */
static int session_put_beginning(struct session *session, const char *event, struct error *error)
{
    char host[STORE_PLACE_SIZE - 32] = "", detail[STORE_PLACE_SIZE];
    gethostname(host, sizeof host - 1);
    snprintf(detail, sizeof detail, "%s %ld", host, (long)getpid());
    int status = store_put_event(session->store, event, detail, error);
    return status ? status : store_commit(session->store, error);
}

/* Evolves, and says at the end how it ended. Returns the exit code. */
static int session_evolve(struct session *session, const char *event)
{
    struct error error = {0};
    enum evolve_outcome outcome;
    int workers = session_worker_count(session);
    struct evolve_settings settings = {.farm = {.params = &session->params,
                                                .worker_count = workers,
                                                .simulator_path = session->simulator,
                                                .fingerprint = session->fingerprint},
                                       .directory = session->directory,
                                       .search = session->search,
                                       .seeding = &session->seeding,
                                       .store = session->store,
                                       .progress = &session->progress,
                                       .log = &session->log};
    log_event(LOG_INFO, event, "seed=%" PRId64 " generation=%" PRIu32 " workers=%d",
              session->params.run_seed, session_generation(session), workers);
    session_warn_of_lag(session);
    session_warn_of_energies(session);
    session_tell_islands(session);
    int status = session_put_beginning(session, event, &error);
    if (session->arguments->watch && !status)
        session_show(session);
    if (!status)
        status = evolve_run(&settings, &outcome, &error);
    if (status) {
        struct error ignored;
        store_put_event(session->store, "failed", error.message, &ignored);
        command_fail(&error);
        if (store_check_place(session->store, &(struct error){0}))
            output_print(stderr, "controller: all work so far is kept where the run is now; go on "
                                 "there with: controller resume\n");
        else
            output_print(stderr,
                         "controller: all work so far is kept; go on with: controller resume %s\n",
                         session->directory);
        return COMMAND_FAILED;
    }

    const char *ending = outcome == EVOLVE_FINISHED ? "finished" : "stopped";
    log_event(LOG_INFO, ending, "generation=%" PRIu32, session_generation(session));
    store_put_event(session->store, ending, "", &error);
    store_commit(session->store, &error);
    if (outcome == EVOLVE_FINISHED) {
        (preserve_is_wanted(&session->params) ? print_worlds : print_champions)(session);
        session->is_finished = 1;
        return command_finish_output();
    }
    output_print(stderr, "stopped in generation %" PRIu32 "; go on with: controller resume %s\n",
                 session_generation(session), session->directory);
    return COMMAND_OK;
}

/* The first population: nothing of the run is stored but its parameters. */
static int session_begin(struct session *session, struct error *error)
{
    if (preserve_is_wanted(&session->params))
        return 0;
    session->search = search_create(&session->params, &session->seeding);
    if (!session->search)
        return error_memory(error);
    return store_put_generation(session->store, 0, search_population(session->search), NULL, error);
}

/* ---- seeds ---- */

static int read_seed(struct session *session, const char *path, const char *origin,
                     struct error *error)
{
    struct creature creature;
    int has_failed = command_read_creature(path, &creature, error) ||
                     seeding_fit(&session->params, path, &creature.genome, error) ||
                     seeding_add(&session->seeding, path, &creature, error);
    creature_deinit(&creature);
    return has_failed ? error_prefix(error, "%s", origin) : 0;
}

/* Reads the creatures of evolution.seeds and of the command line. */
static int read_seeds(struct session *session, struct error *error)
{
    const struct option_list *more = &session->arguments->seeds;
    struct seed_names names;
    int found, status = 0;
    seed_names_init(&names, &session->params);
    while (!status && (found = seed_names_next(&names, &session->origin, error)) != 0)
        status = found < 0 ? found : read_seed(session, names.path, "evolution.seeds", error);
    for (int i = 0; !status && i < more->count; i++)
        if (!find_world(more->items[i])) // else it is no founder: put in
            status = read_seed(session, more->items[i], "--seed-creature", error);
    if (!status && session->seeding.count > session->params.population_size)
        status = error_set(error, ERR_LIMIT, "%d seeds are more than population.size %" PRId64,
                           session->seeding.count, session->params.population_size);
    if (!status && preserve_is_wanted(&session->params))
        status = preserve_check_run(&session->params, session->seeding.count, error);
    return status;
}

/* ---- run ---- */

/* Opens the run whose choices are to be repeated. */
static int open_choices(struct session *session, struct error *error)
{
    if (!session->arguments->choices)
        return 0;
    if (!search_is_interactive(&session->params) && !preserve_is_wanted(&session->params))
        return error_set(error, ERR_RANGE,
                         "--choices: this run has no choices by hand: neither is "
                         "evolution.behaviour "
                         "interactive, nor interactive.share above 0");
    return command_open_run(session->arguments->choices, &session->choices, NULL, error);
}

/* Writes the files that do the run again: params.ini and its seeds. */
static int session_write_files(struct session *session, struct error *error)
{
    int status = run_directory_write_seeds(session->directory, &session->seeding, error);
    return status ? status
                  : run_directory_write_params(session->directory, &session->params, error);
}

/* Choices and deeds that the run begins with. */
static int fill_store(struct store *store, void *context, struct error *error)
{
    struct session *session = context;
    int status = session->choices ? store_copy_choices(store, session->choices, error) : 0;
    return status ? status : session_tend(session, store, error);
}

/* Of a directory that has a run: by which keys the run there differs from the one that is wished. */
static void add_difference(const struct session *session, struct error *error)
{
    enum { NAMED_MAX = 3 };
    char was[PARAM_TEXT_SIZE], wished[PARAM_TEXT_SIZE];
    struct error unread = {0};
    struct params there;
    struct store *store = NULL;
    int found = 0;
    if (command_open_run(session->directory, &store, &there, &unread))
        found = -1;
    for (int i = 0; i < param_count && found >= 0 && found < NAMED_MAX; i++) {
        if (param_table[i].scope == 'F' || params_is_same(&there, &session->params, i))
            continue;
        params_print_value(&there, i, was, sizeof was);
        params_print_value(&session->params, i, wished, sizeof wished);
        text_append(error->message, sizeof error->message, "%s %s is %.40s there, and not %.40s",
                    found++ ? "," : ";", param_table[i].key, was, wished);
    }
    store_close(store);
}

static int make_run(struct session *session, struct error *error)
{
    char path[RUN_PATH_SIZE];
    int status = session_check_farm(session, error);
    if (!status)
        status = run_directory_create(session->directory, error);
    if (status == ERR_EXISTS)
        add_difference(session, error);
    if (status || run_directory_path(session->directory, "run.db", path, error))
        return error->code;
    /* the run's own files are enough to do it again */
    run_directory_name_seeds(&session->seeding, session->params.evolution_seeds);
    return store_create(&session->store, path, &session->params, &session->seeding, fill_store,
                        session, error) ||
                   session_write_files(session, error) || session_open_log(session, error) ||
                   session_begin(session, error)
               ? error->code
               : 0;
}

static int run_session(struct session *session)
{
    struct error error = {0};
    progress_init(&session->progress, STDERR_FILENO);
    if (make_run(session, &error))
        return command_fail(&error);
    if (session->seeding.count)
        output_print(stderr, "beginning with %d seed%s: %s%s\n", session->seeding.count,
                     session->seeding.count == 1 ? "" : "s", session->seeding.seeds[0].source,
                     session->seeding.count > 1 ? " ..." : "");
    if (preserve_is_wanted(&session->params))
        output_print(stderr,
                     "%s, seed %" PRId64 ": %" PRId64 " epochs of 30 s in %" PRId64
                     " worlds, in %s\n",
                     session->params.run_name, session->params.run_seed,
                     session->params.evolution_generations - 1, session->params.preserve_worlds,
                     session->directory);
    else
        output_print(stderr,
                     "%s, seed %" PRId64 ": %" PRId64 " generations of %" PRId64
                     " creatures, in %s\n",
                     session->params.run_name, session->params.run_seed,
                     session->params.evolution_generations, session->params.population_size,
                     session->directory);
    return session_evolve(session, "run");
}

/* Reads file and command line into the session. Returns 0 or an exit code. */
static int read_run_params(int argc, char **argv, struct session *session)
{
    const struct arguments *arguments = session->arguments;
    char path[RUN_PATH_SIZE];
    struct error error = {0};
    if (!arguments->print_config && optind == argc)
        return command_usage(argv[0], "PARAMS.ini is missing");
    params_set_defaults(&session->params);
    if (optind < argc && (example_find(EXAMPLE_PARAMS, argv[optind], path, sizeof path, &error) ||
                          params_read_file(&session->params, path, &error)))
        return command_fail(&error);
    char of_file[PARAM_TEXT_SIZE];
    snprintf(of_file, sizeof of_file, "%s", session->params.evolution_seeds);
    if (optind < argc && seed_origin_init(&session->origin, path, &error))
        return command_fail(&error);
    int result = apply_arguments(arguments, argv[0], &session->params);
    session->origin.is_of_file = !strcmp(of_file, session->params.evolution_seeds);
    if (!result && arguments->print_config &&
        resolve_seeds(&session->params, &session->origin, &error))
        return command_fail(&error);
    if (!result && !arguments->print_config && !strcmp(session->params.run_name, "run"))
        name_after_file(path, &session->params);
    return result;
}

static int command_run(int argc, char **argv)
{
    struct arguments arguments = {.directory = NULL};
    struct session session = {.arguments = &arguments};
    struct error error = {0};
    int result = command_begin(&run_command, argc, argv, &arguments, 0, 1, "");
    if (result >= 0)
        goto done;
    result = read_run_params(argc, argv, &session);
    if (result)
        goto done;
    if (arguments.print_config) {
        if (arguments.is_all)
            params_write(&session.params, stdout, 1);
        else
            params_write_shown(&session.params, stdout);
        result = command_finish_output();
        goto done;
    }

    if (arguments.directory)
        snprintf(session.directory, sizeof session.directory, "%s", arguments.directory);
    else if (default_directory(&session.params, session.directory, &error))
        result = command_fail(&error);
    if (!result && (session_want_viewer(&session, &error) || open_choices(&session, &error) ||
                    read_seeds(&session, &error) || session_tend(&session, NULL, &error)))
        result = command_fail(&error);
    if (!result)
        result = run_session(&session);
done:
    session_deinit(&session);
    return result;
}

/* ---- resume ---- */

/* The stored population as the search left it. */
static int restore_search(struct session *session, const struct store_status *status,
                          struct error *error)
{
    struct population population;
    if (store_get_population(session->store, status->generation, &population, error))
        return error->code;
    session->search =
        search_restore(&session->params, status->generation, &population, status->next_id);
    return session->search ? 0 : error_memory(error);
}

/* Stores changed parameters, in run.db and params.ini, and tells what they mean. */
static int apply_changes(struct session *session, const struct store_status *status,
                         struct error *error)
{
    struct store_change change;
    int result =
        store_put_params(session->store, &session->params, status->generation, &change, error);
    if (result)
        return result;
    if (change.changed_count) {
        char text[sizeof change.text + 64];
        log_event(LOG_INFO, "params_changed", "changes=%s",
                  log_quote(change.text, text, sizeof text));
    }
    result = session_write_files(session, error);
    if (change.is_new_branch)
        output_print(stderr, "settings changed: a new branch begins in generation %" PRIu32 "%s\n",
                     status->generation, change.is_reevaluated ? ", which is simulated again" : "");
    return result;
}

/* The parameters that make the stored states of a preserve. */
static int is_in_states(const char *key)
{
    return !strncmp(key, "creature.", strlen("creature.")) || !strcmp(key, "preserve.worlds") ||
           !strcmp(key, "preserve.width_m") || !strcmp(key, "preserve.height_m");
}

/* 0 or ERR_RANGE. */
static int check_states(const struct session *session, const struct params *before,
                        struct error *error)
{
    for (int i = 0; i < param_count; i++)
        if (is_in_states(param_table[i].key) && !params_is_same(before, &session->params, i))
            return error_set(error, ERR_RANGE,
                             "%s: %s: the worlds of a preserve keep their number and size, and the "
                             "creatures in them their bodies",
                             session->directory, param_table[i].key);
    return preserve_check_run(&session->params, session->seeding.count, error);
}

/* Whether the creatures and worlds that are stored can go on with the parameters. 0 or
 * ERR_RANGE. */
static int check_changes(struct session *session, struct error *error)
{
    struct params before;
    const struct params *after = &session->params;
    if (store_get_params(session->store, &before, error))
        return error->code;
    if (preserve_is_wanted(&before) != preserve_is_wanted(after))
        return error_set(error, ERR_RANGE,
                         "%s: evolution.behaviour: a preserve has worlds and other runs have "
                         "generations, so neither goes on as the other",
                         session->directory);
    if (before.creature_body != after->creature_body)
        return error_set(error, ERR_RANGE,
                         "%s: creature.body: the creatures of the run have another kind of body",
                         session->directory);
    return preserve_is_wanted(after) ? check_states(session, &before, error) : 0;
}

static int restore_run(struct session *session, const struct store_status *status,
                       struct error *error)
{
    run_directory_name_seeds(&session->seeding, session->params.evolution_seeds);
    if (apply_changes(session, status, error))
        return error->code;
    if (status->has_generation && !preserve_is_wanted(&session->params))
        return restore_search(session, status, error);
    return session_begin(session, error);
}

static int resume_session(struct session *session)
{
    struct error error = {0};
    struct store_status status;
    char launcher[PARAM_TEXT_SIZE];
    progress_init(&session->progress, STDERR_FILENO);
    if (command_open(session->directory, 0, &session->store, &session->params, &error) ||
        store_get_status(session->store, &status, &error))
        return command_fail(&error);

    /* the launcher, which starts programs, is not taken from a run's directory: that may be a
     * stranger's */
    snprintf(launcher, sizeof launcher, "%s", session->params.farm_launcher);
    session->params.farm_launcher[0] = '\0';
    char seeds[PARAM_TEXT_SIZE];
    snprintf(seeds, sizeof seeds, "%s", session->params.evolution_seeds);
    int result = apply_arguments(session->arguments, "resume", &session->params);
    if (result)
        return result;
    if (strcmp(seeds, session->params.evolution_seeds))
        return command_usage("resume", "evolution.seeds: a run has the seeds that it began with");
    if (launcher[0] && !session->params.farm_launcher[0])
        output_print(
            stderr,
            "farm.launcher of the run is left out (%s): a run's directory starts no programs; if "
            "it is yours, say it again with -s\n",
            launcher);
    if (status.is_finished && status.generation + 1 >= session->params.evolution_generations) {
        output_print(stdout,
                     "%s: the run is finished (generation %" PRIu32
                     " was the last); more: controller resume %s --generations N\n",
                     session->directory, status.generation, session->directory);
        return command_finish_output();
    }
    if (session_check_farm(session, &error) || session_want_viewer(session, &error) ||
        store_get_seeds(session->store, &session->seeding, &error) ||
        check_changes(session, &error) || session_open_log(session, &error) ||
        restore_run(session, &status, &error) || session_tend(session, session->store, &error) ||
        store_commit(session->store, &error))
        return command_fail(&error);
    output_print(stderr,
                 "%s: going on in generation %" PRIu32 ", %" PRId64 " of %" PRId64 " evaluated\n",
                 session->directory, status.generation, status.evaluated_in_generation,
                 status.members_in_generation);
    return session_evolve(session, "resume");
}

static int command_resume(int argc, char **argv)
{
    struct arguments arguments = {.directory = NULL};
    struct session session = {.arguments = &arguments};
    int result = command_begin(&resume_command, argc, argv, &arguments, 1, 1, "RUN_DIR");
    if (result < 0) {
        snprintf(session.directory, sizeof session.directory, "%s", argv[optind]);
        result = resume_session(&session);
    }
    session_deinit(&session);
    return result;
}

/* ---- the tables ---- */

/* Rows that both commands have. */
#define VIEW                                                                                       \
    {"view", 0, NULL, "open the viewer when the run has finished",                                 \
     OPTION_AT(FLAG, arguments, view)},                                                            \
    {                                                                                              \
        "watch", 0, NULL,                                                                          \
            "open it at once; it shows each generation's best, or a world's epochs, as they come", \
            OPTION_AT(FLAG, arguments, watch)                                                      \
    }
#define GENERATIONS(help)                                                                          \
    "generations", 0, "N", help, OPTION_AT(TEXT, arguments, rows[ROW_GENERATIONS])
#define WORKERS                                                                                    \
    "workers", 'j', "N", "simulator processes; 0 = one for each core",                             \
        OPTION_AT(TEXT, arguments, rows[ROW_WORKERS])
#define TEND                                                                                       \
    "tend", 0, "FILE", "of a preserve: deeds, a line each, 'M:SS WORLD DEED'; see 'tend'",         \
        OPTION_AT(TEXT, arguments, tend)
#define SET(help) "set", 's', "KEY=VALUE", help, OPTION_AT(LIST, arguments, assignments)

static const struct option_row run_options[] = {
    {"output", 'o', "RUN_DIR",
     "directory of the run; default runs/NAME-SEED, NAME being the parameter 'name' or else the "
     "name of the file",
     OPTION_AT(TEXT, arguments, directory)},
    {"seed", 0, "N", "the run's seed: same seed, same run, bit for bit",
     OPTION_AT(TEXT, arguments, rows[ROW_SEED])},
    {GENERATIONS("evolution.generations")},
    {"population", 0, "N", "population.size", OPTION_AT(TEXT, arguments, rows[ROW_POPULATION])},
    {WORKERS},
    {SET("set a parameter, over the file; may be repeated")},
    {"seed-creature", 0, "X",
     "a creature to begin with (a file, or RUN_DIR:ID), besides those of evolution.seeds; of a "
     "preserve X@WORLD: put into that world; may be repeated",
     OPTION_AT(LIST, arguments, seeds)},
    {TEND},
    {"choices", 0, "RUN_DIR",
     "repeat the choices that were made in that interactive run, then ask for yours; or the deeds "
     "in that preserve",
     OPTION_AT(TEXT, arguments, choices)},
    VIEW,
    {"print-config", 0, NULL,
     "print the parameters of this run with meaning, range and value, and end",
     OPTION_AT(FLAG, arguments, print_config)},
    {"all", 0, NULL,
     "with --print-config: also those that this run does without, and those that are hardly ever "
     "set",
     OPTION_AT(FLAG, arguments, is_all)},
    {.name = NULL}};
static const struct option_row resume_options[] = {
    {GENERATIONS("evolution.generations, from 0 on")},
    {WORKERS},
    {SET("change a parameter; may be repeated")},
    {"seed-creature", 0, "X[@WORLD]",
     "of a preserve: a creature to put into that world, or into all; may be repeated",
     OPTION_AT(LIST, arguments, seeds)},
    {TEND},
    VIEW,
    {.name = NULL}};

const struct command run_command = {
    .program = "controller",
    .name = "run",
    .also = {"evolve"},
    .operands = "PARAMS.ini | EXAMPLE",
    .summary = "evolve, with live progress",
    .about = "Evolves creatures as the parameter file says, or the example of that name "
             "('controller examples' lists them). Progress goes to standard error, the table of "
             "champions to standard output. Ctrl-C stops cleanly; 'controller resume' goes on.",
    .options = run_options,
    .run = command_run};
COMMAND(resume, "RUN_DIR", "go on after a stop or a crash, or with changed settings",
        resume_options,
        "Goes on with a run that was stopped or killed: the result is the same as without the "
        "break. Changed settings are recorded; those that change the course of the run open a "
        "new branch, and if they change evaluations, the current generation is simulated "
        "again. A finished run goes on only with more generations.");

/* controller examples: the parameter files that come with the programs, a line each: what evolves,
 * and how long it takes. Both stand in the comment that each file begins with. */

/* The text between two words, on one line. */
static const char *find_between(const char *text, const char *before, const char *after,
                                int *length)
{
    const char *start = strstr(text, before);
    const char *end = start ? strstr(start, after) : NULL;
    if (!end)
        return "";
    start += strlen(before);
    *length = (int)(end - start);
    return start;
}

static void print_example(void *context, const char *name, const char *comment)
{
    int line_length = 0, time_length = 0;
    const char *line = find_between(comment, "; ", "\n", &line_length);
    const char *time = find_between(comment, "; Takes ", " on two cores.", &time_length);
    output_print(stdout, "%-16s %-19.*s  %.*s\n", name, time_length, time, line_length, line);
}

static int list_examples(char **operands, int count, void *request, struct error *error)
{
    return examples_each(print_example, NULL, error);
}

OPERAND_COMMAND(examples, list_examples, 0, 0, "", "",
                "what there is to evolve: names, and how long it takes",
                "Lists the examples: 'controller run NAME' evolves one of them, and wherever a "
                "parameter file may stand, its name may, too. The time is that of two cores.");
