/* viewer: replays creatures of runs and files in a window, or writes them as pictures, video or a
 * page. Decides nothing and changes nothing: what it shows is simulated again and compared. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/formats/file_kind.h"
#include "common/system/limits.h"
#include "common/math/rng.h"
#include "common/system/options.h"
#include "common/system/output.h"
#include "common/version.h"
#include "viewer/export/export.h"
#include "viewer/stage/window.h"

static const char usage_text[] =
    "usage: viewer RUN_DIR | CREATURE... | SCENE... [option]...\n"
    "Replays creatures: survivors of a run, creature files, or single ones of a run (RUN_DIR:ID,\n"
    "RUN_DIR:best); and scenes in three dimensions. Opens a window (h shows its keys), or writes\n"
    "a file, without any display.\n"
    "\n"
    "  --generation N      of a run: a finished generation (default: the last one)\n"
    "  --top K             of a run: the best K (default: 8 in the window, up to 36 to choose\n"
    "                      from, 1 in a file)\n"
    "  --ranks             of a run: the best as they rank, not the best of each kind of body (as\n"
    "                      many parts, as many that move)\n"
    "  --params FILE.ini   other parameters than the recorded ones\n"
    "  -s SECTION.KEY=VALUE, --set SECTION.KEY=VALUE   changes a parameter (repeatable)\n"
    "  --anyway            also what takes minutes or hours to simulate\n"
    "  --seed N            another seed of the evaluation\n"
    "  --export FILE       writes a file; its suffix says which kind, see below\n"
    "  --time T            a still of this time, s; in the window: where it starts\n"
    "  --contest           A B: both in one world, see docs/contests.md; the first is blue\n"
    "  --bout N            of a contest the first or the second alone (a file has the first)\n"
    "  --follow a|b        of a contest: the camera goes with one of them\n"
    "  --see FROM:TO       of a contest: both see the one where they saw the other, light:object\n"
    "  --grid              each creature in a cell of its own: with png a contact sheet\n"
    "  --overlays A,B,...  what is laid over the picture, see below (default: trail; also: none)\n"
    "  --plain             stills: the creatures alone, without world and text\n"
    "  --size WxH          in pixels\n"
    "  --fps N             frames per second of gif and mp4, 1 .. 120\n"
    "  --frames N          closes the window after N frames, each 1/60 s on\n"
    "  --screenshot FILE   writes the window's last frame as png\n"
    "  --keys KEYS         presses these keys when the window opens, \"bc\" for example\n"
    "  --help, --version\n"
    "\n"
    "Files:\n";

static const char status_text[] =
    "\n"
    "A line for each creature says how the replay compares with its record: verified, differs,\n"
    "unrecorded (nothing to compare with, or replayed otherwise than recorded), other version\n"
    "(not the same, but recorded by another version of the simulator) or refused (the same, but\n"
    "recorded with a fitness of 0, by a referee whose trials are not repeated).\n"
    "Exit code: 0 shown or written (a replay that differs is still shown), 1 failed, 2 wrong "
    "usage.\n";

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

#define CHAMPIONS_IN_STRIP 24

/* Billions of operations for a replay, some 20 to 50 s: three times what an evaluation may take by
 * default. */
#define REPLAY_BUDGET 100

struct request {
    int64_t generation; /* -1: the last */
    int top;            /* 0: not given */
    int is_ranks, is_anyway;
    const char *params_path;
    const char **assignments;
    int assignment_count;
    int has_seed;
    uint64_t seed;
    struct export_job job; /* path NULL: the window */
    int is_contest;
    struct gallery_contest contest;
    long frame_limit;
    const char *screenshot, *keys;
};

static int fail(int code, const char *message)
{
    output_print(stderr, "viewer: %s\n", message);
    return code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

/* ---- the command line ---- */

static int parse_integer(const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end == text || *end || errno || *value < low || *value > high ? ERR_USAGE : 0;
}

static int parse_real(const char *text, double low, double high, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end == text || *end || !(*value >= low && *value <= high) ? ERR_USAGE : 0;
}

static int parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
    return !isdigit((unsigned char)text[0]) || *end || errno ? ERR_USAGE : 0;
}

static int parse_size(const char *text, int *width, int *height)
{
    char *end;
    long w = strtol(text, &end, 10), h = 0;
    if (end == text || (*end != 'x' && *end != 'X'))
        return ERR_USAGE;
    const char *rest = end + 1;
    h = strtol(rest, &end, 10);
    if (end == rest || *end || w < EXPORT_SIDE_MIN_PX || w > EXPORT_SIDE_MAX_PX ||
        h < EXPORT_SIDE_MIN_PX || h > EXPORT_SIDE_MAX_PX)
        return ERR_USAGE;
    *width = (int)w;
    *height = (int)h;
    return 0;
}

static void print_help(void)
{
    output_lines(stdout, usage_text);
    for (int i = 0; i < exporter_count; i++)
        output_print(stdout, "  .%-5s %s%s\n", exporters[i].suffix, exporters[i].help,
                     exporters[i].write ? "" : " (left out of this build)");
    output_lines(stdout, "\nOverlays:\n");
    for (int i = 0; i < overlay_count; i++)
        output_print(stdout, "  %-9s %s\n", overlay_table[i].name, overlay_table[i].help);
    output_lines(stdout, status_text);
}

enum option_id {
    OPTION_GENERATION = 256,
    OPTION_TOP,
    OPTION_KINDS,
    OPTION_RANKS,
    OPTION_ANYWAY,
    OPTION_PARAMS,
    OPTION_SEED,
    OPTION_EXPORT,
    OPTION_TIME,
    OPTION_PLAIN,
    OPTION_GRID,
    OPTION_OVERLAYS,
    OPTION_SIZE,
    OPTION_FPS,
    OPTION_FRAMES,
    OPTION_SCREENSHOT,
    OPTION_KEYS,
    OPTION_VERSION,
    OPTION_CONTEST,
    OPTION_BOUT,
    OPTION_FOLLOW,
    OPTION_SEE,
};

static const struct option options[] = {
    {"generation", required_argument, NULL, OPTION_GENERATION},
    {"top", required_argument, NULL, OPTION_TOP},
    {"kinds", no_argument, NULL, OPTION_KINDS},
    {"ranks", no_argument, NULL, OPTION_RANKS},
    {"anyway", no_argument, NULL, OPTION_ANYWAY},
    {"params", required_argument, NULL, OPTION_PARAMS},
    {"set", required_argument, NULL, 's'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"export", required_argument, NULL, OPTION_EXPORT},
    {"time", required_argument, NULL, OPTION_TIME},
    {"contest", no_argument, NULL, OPTION_CONTEST},
    {"bout", required_argument, NULL, OPTION_BOUT},
    {"follow", required_argument, NULL, OPTION_FOLLOW},
    {"see", required_argument, NULL, OPTION_SEE},
    {"plain", no_argument, NULL, OPTION_PLAIN},
    {"grid", no_argument, NULL, OPTION_GRID},
    {"overlays", required_argument, NULL, OPTION_OVERLAYS},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"fps", required_argument, NULL, OPTION_FPS},
    {"frames", required_argument, NULL, OPTION_FRAMES},
    {"screenshot", required_argument, NULL, OPTION_SCREENSHOT},
    {"keys", required_argument, NULL, OPTION_KEYS},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

/* What an option's argument must be, for messages. */
static const char *option_expects(int option)
{
    switch (option) {
    case OPTION_GENERATION:
        return "--generation: expected a whole number, 0 or more";
    case OPTION_TOP:
        return "--top: expected a whole number, 1 .. 256";
    case OPTION_SEED:
        return "--seed: expected a whole number, 0 or more";
    case OPTION_TIME:
        return "--time: expected seconds, 0 .. 1000000";
    case OPTION_SIZE:
        return "--size: expected WxH, both sides 16 .. 8192";
    case OPTION_BOUT:
        return "--bout: expected 1 or 2";
    case OPTION_FOLLOW:
        return "--follow: expected a or b";
    case OPTION_SEE:
        return "--see: expected two of light, other, object, as in light:object";
    case OPTION_FPS:
        return "--fps: expected a number, 1 .. 120";
    default:
        return "--frames: expected a whole number, 1 or more";
    }
}

/* One option. 0, ERR_USAGE, or 1 when there is nothing more to do. */
static int parse_option(struct request *request, int option)
{
    int64_t number = 0;
    int status = 0;
    struct error error;
    switch (option) {
    case OPTION_GENERATION:
        status = parse_integer(optarg, 0, UINT32_MAX, &request->generation);
        break;
    case OPTION_TOP:
        status = parse_integer(optarg, 1, RUN_READER_TOP_MAX, &number);
        request->top = (int)number;
        break;
    case OPTION_KINDS:
    case OPTION_RANKS:
        request->is_ranks = option == OPTION_RANKS;
        break;
    case OPTION_ANYWAY:
        request->is_anyway = 1;
        break;
    case OPTION_PARAMS:
        request->params_path = optarg;
        break;
    case 's':
        request->assignments[request->assignment_count++] = optarg;
        break;
    case OPTION_SEED:
        request->has_seed = 1;
        status = parse_seed(optarg, &request->seed);
        break;
    case OPTION_EXPORT:
        request->job.path = optarg;
        break;
    case OPTION_TIME:
        status = parse_real(optarg, 0, 1e6, &request->job.time_s);
        break;
    case OPTION_PLAIN:
        request->job.is_plain = 1;
        break;
    case OPTION_GRID:
        request->job.is_grid = 1;
        break;
    case OPTION_OVERLAYS:
        request->job.has_overlays = 1;
        if (overlay_parse(optarg, &request->job.overlays, &error)) {
            fail(ERR_USAGE, error.message);
            return ERR_USAGE;
        }
        break;
    case OPTION_SIZE:
        status = parse_size(optarg, &request->job.width_px, &request->job.height_px);
        break;
    case OPTION_FPS:
        status = parse_real(optarg, 1, EXPORT_FPS_MAX, &request->job.fps);
        break;
    case OPTION_FRAMES:
        status = parse_integer(optarg, 1, 1000000000, &number);
        request->frame_limit = (long)number;
        break;
    case OPTION_SCREENSHOT:
        request->screenshot = optarg;
        break;
    case OPTION_KEYS:
        request->keys = optarg;
        break;
    case OPTION_CONTEST:
        request->is_contest = 1;
        break;
    case OPTION_BOUT:
        status = parse_integer(optarg, 1, CONTEST_BOUTS, &number);
        request->contest.bout = (int)number;
        break;
    case OPTION_FOLLOW:
        request->contest.follow = optarg[0] == 'b';
        status = strcmp(optarg, "a") && strcmp(optarg, "b") ? ERR_USAGE : 0;
        break;
    case OPTION_SEE:
        request->contest.has_sights = 1;
        status = sights_read_pair(optarg, request->contest.sights, &error);
        break;
    case 'h':
        print_help();
        return 1;
    case OPTION_VERSION:
        output_print(stdout, "viewer (Bestiary) %s, simulator version %d\n", BESTIARY_VERSION,
                     SIMULATOR_VERSION);
        return 1;
    default:
        return ERR_USAGE;
    }
    if (status)
        fail(ERR_USAGE, option_expects(option));
    return status;
}

/* Parameter file and assignments alone: what is wrong with them shows before anything runs. */
static int check_parameters(const struct request *request, struct error *error)
{
    struct creature creature;
    struct params params;
    creature_init(&creature);
    int status = creature_choose_params(&creature, request->params_path, NULL, 0, &params, error);
    if (status)
        return status;
    return creature_choose_params(&creature, request->params_path, request->assignments,
                                  request->assignment_count, &params, error)
               ? ERR_USAGE
               : 0;
}

/* Reads the whole command line; optind is then the first operand. -1 to go on, else the exit
 * code. */
static int parse_arguments(struct request *request, int argc, char **argv)
{
    int option, status;
    struct error error = {0};
    options_read_words(argc, argv);
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":s:h", options, NULL)) != -1) {
        if (option == '?' || option == ':') {
            option_describe_fault(argv, options, option, error.message, sizeof error.message);
            return fail(ERR_USAGE, error.message);
        }
        status = parse_option(request, option);
        if (status)
            return status > 0 ? EXIT_OK : EXIT_USAGE;
    }
    if (optind >= argc)
        return fail(ERR_USAGE, "expected RUN_DIR or CREATURE...; see: viewer --help");
    if (request->is_contest && argc - optind != 2)
        return fail(ERR_USAGE, "--contest: expected two creature files");
    if (!request->is_contest &&
        (request->contest.bout || request->contest.follow >= 0 || request->contest.has_sights))
        return fail(ERR_USAGE, "--bout, --follow and --see are for --contest");
    if (request->job.path && (request->frame_limit || request->screenshot || request->keys))
        return fail(ERR_USAGE,
                    "--frames, --screenshot and --keys are for the window, not for --export");
    if (!request->job.path && request->job.fps > 0)
        return fail(ERR_USAGE, "--fps is for --export");
    if (!request->job.path && (request->job.is_plain || request->job.is_grid))
        return fail(ERR_USAGE,
                    request->job.is_plain ? "--plain is for --export" : "--grid is for --export");
    status = request->job.path ? 0 : window_check(&error);
    if (!status)
        status = check_parameters(request, &error);
    if (status)
        return fail(status, error.message);
    if (request->job.path && export_check(&request->job, &error))
        return fail(error.code, error.message);
    return -1;
}

/* ---- creatures to replays ---- */

static void print_replay(const struct replay *replay)
{
    output_print(stdout, "%-13s  %s, %s, %s%s%s\n", replay_status_names[replay->status],
                 replay->name, replay->score, verdict_name(replay->verdict),
                 replay->detail[0] ? ": " : "", replay->detail);
    output_flush();
}

/* Simulates all that is on the shelf from `first` on. Survivors of a run that cannot be shown are
 * left out with a message, unless nothing would be left. */
static int simulate_shelf(struct gallery *gallery, int first, int is_run, const char *path,
                          struct error *error)
{
    int left_out = 0, count = gallery_count(gallery);
    for (int i = first; i < count; i++) {
        if (!gallery_simulate(gallery, i, error))
            print_replay(gallery_specimen(gallery, i)->replay);
        else if (is_run)
            left_out++;
        else
            return error->code;
    }
    if (left_out && left_out == count - first)
        return error_prefix(error, "%s: nothing to show", path);
    if (left_out > 0)
        output_print(stderr, "viewer: left out %d of %d: %s\n", left_out, count - first,
                     error->message);
    return 0;
}

/* A run alone stays open: the window shows its other generations, too, and may wait for the
 * first. */
static int open_run(struct gallery *gallery, const struct request *request, const char *path,
                    struct error *error)
{
    int generations;
    int status = gallery_open_run(gallery, path, error);
    if (status)
        return status;
    gallery_generations(gallery, &generations);
    if (generations == 0 && !request->job.path && request->generation < 0)
        return 0;
    status = gallery_show_generation(gallery, request->generation, error);
    return status ? status : simulate_shelf(gallery, 0, 1, path, error);
}

static int add_operand(struct gallery *gallery, const struct request *request, const char *path,
                       int is_alone, struct error *error)
{
    struct stat info;
    int first = gallery_count(gallery);
    int is_folder = !stat(path, &info) && S_ISDIR(info.st_mode);
    if (is_folder && is_alone)
        return open_run(gallery, request, path, error);
    int status = is_folder ? gallery_add_run(gallery, path, request->generation, error)
                 : file_kind_of(path) == FILE_SPACE_SCENE ? gallery_add_scene(gallery, path, error)
                                                          : gallery_add_file(gallery, path, error);
    return status ? status : simulate_shelf(gallery, first, is_folder, path, error);
}

/* A file has one bout. */
static int add_contest(struct gallery *gallery, const struct request *request, char **paths,
                       struct error *error)
{
    struct gallery_contest contest = request->contest;
    if (!contest.bout && request->job.path)
        contest.bout = 1;
    int status = gallery_add_contest(gallery, paths, &contest, error);
    for (int i = 0; i < gallery_count(gallery) && !status; i++)
        print_replay(gallery_specimen(gallery, i)->replay);
    return status;
}

static int show_window(struct gallery *gallery, const struct request *request, struct error *error)
{
    struct window_options window = {.gallery = gallery,
                                    .is_live = request->generation < 0,
                                    .width_px = request->job.width_px,
                                    .height_px = request->job.height_px,
                                    .time_s = request->job.time_s,
                                    .keys = request->keys,
                                    .has_overlays = request->job.has_overlays,
                                    .overlays = request->job.overlays,
                                    .frame_limit = request->frame_limit,
                                    .screenshot = request->screenshot};
    return window_run(&window, error);
}

static int export(const struct gallery *gallery, const struct request *request, struct error *error)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct export_job job = request->job;
    job.replays = replays;
    for (int i = 0; i < gallery_count(gallery); i++)
        if (gallery_specimen(gallery, i)->replay)
            replays[job.count++] = gallery_specimen(gallery, i)->replay;
    int status = export_write(&job, error);
    if (!status)
        output_print(stdout, "%s\n", job.path);
    return status;
}

static int run(const struct request *request, int argc, char **argv, struct error *error)
{
    struct gallery_options how = {.params_path = request->params_path,
                                  .assignments = request->assignments,
                                  .assignment_count = request->assignment_count,
                                  .has_seed = request->has_seed,
                                  .seed = request->seed,
                                  .top = request->top,
                                  .is_ranks = request->is_ranks,
                                  .budget = request->is_anyway ? 0 : REPLAY_BUDGET,
                                  .champions_most = request->job.path ? 0 : CHAMPIONS_IN_STRIP};
    if (!how.top && request->job.path)
        how.top = 1;
    struct gallery *gallery = gallery_create(&how);
    int status = gallery ? 0 : error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    if (!status && request->is_contest)
        status = add_contest(gallery, request, argv + optind, error);
    for (int i = optind; i < argc && !status && !request->is_contest; i++)
        status = add_operand(gallery, request, argv[i], argc - optind == 1, error);
    if (!status)
        status = request->job.path ? export(gallery, request, error)
                                   : show_window(gallery, request, error);
    gallery_destroy(gallery);
    return status;
}

int main(int argc, char **argv)
{
    struct request request = {.generation = -1, .job = {.time_s = -1}, .contest = {.follow = -1}};
    struct error error = {0};
    output_begin();
    if (limits_check_stack(&error))
        return fail(ERR_LIMIT, error.message);
    request.assignments = calloc((size_t)argc, sizeof *request.assignments);
    if (!request.assignments)
        return fail(ERR_MEMORY, error_text(ERR_MEMORY));
    int exit_code = parse_arguments(&request, argc, argv);
    if (exit_code < 0) {
        int status = run(&request, argc, argv, &error);
        exit_code = status ? fail(status, error.message) : EXIT_OK;
    }
    free(request.assignments);
    return exit_code == EXIT_OK && output_finish("viewer") ? EXIT_FAILED : exit_code;
}
