/* viewer: replays creatures of runs and files in a window, or writes them as pictures, video or a
 * page. Decides nothing and changes nothing: what it shows is simulated again and compared. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/formats/file_kind.h"
#include "common/store/favourites.h"
#include "common/system/options.h"
#include "common/system/output.h"
#include "common/system/process.h"
#include "common/version.h"
#include "viewer/export/export.h"
#include "viewer/window/contents.h"
#include "viewer/window/gallery.h"

static const char status_text[] =
    "\n"
    "A line for each creature says how the replay compares with its record: verified, differs,\n"
    "unrecorded (nothing to compare with, or replayed otherwise than recorded), other version\n"
    "(not the same, but recorded by another version of the simulator) or refused (the same, but\n"
    "recorded with a fitness of 0, by a referee whose trials are not repeated).\n"
    "Exit code: 0 shown or written (a replay that differs is still shown), 1 failed, 2 wrong "
    "usage.\n";

#define CHAMPIONS_IN_STRIP 24

/* Billions of operations for a replay, some 20 to 50 s: three times what an evaluation may take by
 * default. */
#define REPLAY_BUDGET 100

/* Creatures of a family unless others are asked for. */
#define FAMILY_USUAL 8

enum { FOLLOW_BOTH = 2 };

struct request {
    int64_t generation; /* -1: the last */
    int64_t top;        /* 0: not given */
    int is_ranks, is_kinds, is_anyway, is_version, is_family;
    const char *params_path;
    struct option_list assignments;
    struct option_seed seed;
    struct export_job job; /* path NULL: the window */
    int64_t world;         /* -1: not given */
    int is_contest;
    int64_t bout;
    struct asked_follow {
        int which;     /* of a contest; FOLLOW_BOTH: a picture of each; -1: not given */
        uint64_t life; /* of a preserve; 0: not given */
    } follow;
    int is_live;
    struct sight_exchange see;
    int64_t frame_limit;
    const char *screenshot, *keys;
};

static int fail(int code, const char *message)
{
    output_print(stderr, "viewer: %s\n", message);
    return code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

/* ---- the command line ---- */

static int read_overlays(const char *text, void *field, struct error *error)
{
    struct export_job *job = field;
    job->has_overlays = 1;
    return overlay_parse(text, &job->overlays, error);
}

/* "90" or "1:30". */
static int read_clock(const char *text, void *field, struct error *error)
{
    double minutes = 0, seconds = NAN, most_s = 60;
    char end;
    if (sscanf(text, "%9lf:%9lf%c", &minutes, &seconds, &end) != 2) {
        minutes = 0;
        most_s = 6e7;
        if (sscanf(text, "%9lf%c", &seconds, &end) != 1)
            seconds = NAN;
    }
    if (!(minutes >= 0 && minutes < 1e6 && seconds >= 0 && seconds < most_s))
        return error_set(error, ERR_USAGE, "'%s' is no time: 90 or 1:30", text);
    *(double *)field = 60 * minutes + seconds;
    return 0;
}

/* "30" or "30,10", degrees. */
static int read_angle(const char *text, void *field, struct error *error)
{
    struct export_shot *shot = field;
    char end;
    shot->pitch_deg = 0;
    int count = sscanf(text, "%9lf,%9lf%c", &shot->yaw_deg, &shot->pitch_deg, &end);
    if ((count != 1 && count != 2) || strspn(text, "+-0123456789.,") != strlen(text) ||
        fabs(shot->yaw_deg) > 360 || fabs(shot->pitch_deg) > 90)
        return error_set(error, ERR_USAGE, "'%s' is no angle: 30, or 30,10 (degrees)", text);
    return 0;
}

/* "a", "b", or the id of a life. */
static int read_follow(const char *text, void *field, struct error *error)
{
    struct asked_follow *follow = field;
    char end;
    if (!strcmp(text, "a") || !strcmp(text, "b"))
        follow->which = text[0] - 'a';
    else if (!strcmp(text, "ab"))
        follow->which = FOLLOW_BOTH;
    else if (text[0] == '-' || sscanf(text, "%19" SCNu64 "%c", &follow->life, &end) != 1 ||
             follow->life == 0)
        return error_set(error, ERR_USAGE, "'%s' is neither a, b nor ab, nor the id of a life",
                         text);
    return 0;
}

static int read_size(const char *text, void *field, struct error *error)
{
    struct export_job *job = field;
    char end;
    if (sscanf(text, "%5d%*1[xX]%5d%c", &job->width_px, &job->height_px, &end) != 2 ||
        job->width_px < EXPORT_SIDE_MIN_PX || job->width_px > EXPORT_SIDE_MAX_PX ||
        job->height_px < EXPORT_SIDE_MIN_PX || job->height_px > EXPORT_SIDE_MAX_PX)
        return error_set(error, ERR_USAGE, "'%s' is not WxH, both sides %d .. %d", text,
                         EXPORT_SIDE_MIN_PX, EXPORT_SIDE_MAX_PX);
    return 0;
}

#define AT(field_) .field = offsetof(struct request, field_)
static const struct option_row options[] = {
    {"generation", 0, "N", "of a run: a finished generation (default: the last one)", OPTION_WHOLE,
     AT(generation), .max = UINT32_MAX},
    {"top", 0, "K",
     "of a run: the best K (default: 8 in the window, up to 36 to choose from, 1 in a file)",
     OPTION_WHOLE, AT(top), .min = 1, .max = RUN_READER_TOP_MAX},
    {"ranks", 0, NULL,
     "of a run: the best as they rank, not the best of each kind of body (as many parts, as many "
     "that move)",
     OPTION_FLAG, AT(is_ranks)},
    {"kinds", 0, NULL, NULL, OPTION_FLAG, AT(is_kinds)}, /* the default */
    {"family", 0, NULL,
     "of RUN_DIR or RUN_DIR:ID, in a file: its line of descent, the K ancestors that gained most "
     "(--top, default: 8), from the first to it; films show them in turn, with --grid side by side",
     OPTION_FLAG, AT(is_family)},
    {"params", 0, "FILE.ini", "other parameters than the recorded ones", OPTION_TEXT,
     AT(params_path)},
    {"set", 's', "SECTION.KEY=VALUE", "changes a parameter (repeatable)", OPTION_LIST,
     AT(assignments)},
    {"anyway", 0, NULL, "also what takes minutes or hours to simulate", OPTION_FLAG, AT(is_anyway)},
    {"seed", 0, "N", "another seed of the evaluation", OPTION_READ, AT(seed),
     .read = option_read_seed},
    {"export", 0, "FILE", "writes a file; its suffix says which kind, see below", OPTION_TEXT,
     AT(job.path)},
    {"time", 0, "T", "a still of this time, s; in the window: where it starts", OPTION_REAL,
     AT(job.time_s), .max = 1e6},
    {"world", 0, "N", "of a run of a preserve: that world, from --from on", OPTION_WHOLE, AT(world),
     .max = 999999999},
    {"from", 0, "M:SS",
     "of films and of a world: the beginning (default 0:00); a world's picture is of this moment",
     OPTION_READ, AT(job.shot.from_s), .read = read_clock},
    {"to", 0, "M:SS", "of films and of a world: the end (default: of a world 30 s later)",
     OPTION_READ, AT(job.shot.to_s), .read = read_clock},
    {"speed", 0, "N", "of films and of a world: in times real time; 0.1 is slow motion",
     OPTION_REAL, AT(job.shot.speed), .min = 0.01, .max = 1000},
    {"zoom", 0, "N", "of films and stills: 3 is a close-up, 0.5 shows more around", OPTION_REAL,
     AT(job.shot.zoom), .min = 0.05, .max = 50},
    {"angle", 0, "YAW[,PITCH]",
     "of films and stills in space: the eye is turned to the right and up, degrees", OPTION_READ,
     AT(job.shot), .read = read_angle},
    {"turn", 0, "N", "of films in space: the eye goes round, degrees a second", OPTION_REAL,
     AT(job.shot.turn_deg_s), .min = -360, .max = 360},
    {"live", 0, NULL, "of a world, in the window: its newest epoch while the run goes on",
     OPTION_FLAG, AT(is_live)},
    {"contest", 0, NULL, "A B: both in one world, see docs/contests.md; the first is blue",
     OPTION_FLAG, AT(is_contest)},
    {"bout", 0, "N", "of a contest the first or the second alone (a file has the first)",
     OPTION_WHOLE, AT(bout), .min = 1, .max = CONTEST_BOUTS},
    {"follow", 0, "a|b|ab|LIFE",
     "the camera goes with one of a contest (ab: a picture of each), or with a creature of a "
     "preserve, from egg to carcass",
     OPTION_READ, AT(follow), .read = read_follow},
    {"see", 0, "FROM:TO",
     "of a contest: a creature that sees the one, and nothing of the other, sees that instead: "
     "light:object, light:sound ...",
     OPTION_READ, AT(see), .read = sights_read_exchange},
    {"grid", 0, NULL, "each creature in a cell of its own: with png a contact sheet", OPTION_FLAG,
     AT(job.is_grid)},
    {"overlays", 0, "A,B,...",
     "what is laid over the picture, see below (default: trail; also: none)", OPTION_READ, AT(job),
     .read = read_overlays},
    {"plain", 0, NULL, "stills: the creatures alone, without world and text", OPTION_FLAG,
     AT(job.is_plain)},
    {"sound", 0, NULL, "of films and pages: what the creatures call, and what they hit",
     OPTION_FLAG, AT(job.has_sound)},
    {"recorded", 0, NULL, "a page has the motion recorded, not creatures that it simulates itself",
     OPTION_FLAG, AT(job.is_recorded)},
    {"size", 0, "WxH", "in pixels", OPTION_READ, AT(job), .read = read_size},
    {"fps", 0, "N", "frames per second of films", OPTION_REAL, AT(job.fps), .min = 1,
     .max = EXPORT_FPS_MAX},
    {"frames", 0, "N", "closes the window after N frames, each 1/60 s on", OPTION_WHOLE,
     AT(frame_limit), .min = 1, .max = 1e9},
    {"screenshot", 0, "FILE", "writes the window's last frame as png", OPTION_TEXT, AT(screenshot)},
    {"keys", 0, "KEYS", "presses these keys when the window opens, \"bc\" for example", OPTION_TEXT,
     AT(keys)},
    {"version", 0, NULL, "which program, which simulator", OPTION_FLAG, AT(is_version)},
    {.name = NULL}};
#undef AT

static const struct command viewer_command = {
    .program = "viewer",
    .operands = "RUN_DIR | CREATURE... | SCENE...",
    .about = "Replays creatures: survivors of a run, creature files, or single ones of a run "
             "(RUN_DIR:ID, RUN_DIR:best); and scenes in three dimensions. Opens a window (h shows "
             "its keys), or writes a file, without any display.",
    .options = options};

/* The text behind the options. */
static void print_tables(void)
{
    output_lines(stdout, "\nFiles:\n");
    for (int i = 0; i < exporter_count; i++)
        output_print(stdout, "  .%-6s %s%s\n", exporters[i].suffix, exporters[i].help,
                     exporters[i].write ? "" : " (left out of this build)");
    output_lines(stdout, "\nOverlays:\n");
    for (int i = 0; i < overlay_count; i++)
        output_print(stdout, "  %-9s %s\n", overlay_table[i].name, overlay_table[i].help);
    output_lines(stdout, status_text);
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
    return creature_choose_params(&creature, request->params_path, request->assignments.items,
                                  request->assignments.count, &params, error)
               ? ERR_USAGE
               : 0;
}

/* Options that do not go together; NULL: all do. */
static const char *find_fault(const struct request *request, int operand_count)
{
    const struct export_job *job = &request->job;
    const struct export_shot *shot = &job->shot;
    const struct {
        int is_there;
        const char *text;
    } faults[] = {
        {operand_count < 1, "expected RUN_DIR or CREATURE...; see: viewer --help"},
        {job->is_world && operand_count != 1, "--world and --follow LIFE: expected one RUN_DIR"},
        {!job->is_world && !job->path && (shot->from_s || shot->speed),
         "--from and --speed are for --export and for --world"},
        {!job->is_world && request->is_live, "--live is for --world"},
        {!job->path && (shot->zoom || shot->yaw_deg || shot->pitch_deg || shot->turn_deg_s),
         "--zoom, --angle and --turn are for --export"},
        {request->is_live && job->path, "--live is for the window, not for --export"},
        {request->is_family && (!job->path || operand_count != 1 || job->is_world),
         "--family is for --export of one RUN_DIR or RUN_DIR:ID"},
        {request->is_family && request->top == 1, "--family shows two creatures or more: --top 2"},
        {!job->path && shot->to_s, "--to is for --export"},
        {job->path && shot->to_s && shot->to_s <= shot->from_s, "--to is not after --from"},
        {request->is_contest && operand_count != 2, "--contest: expected two creature files"},
        {!request->is_contest &&
             (request->bout || request->follow.which >= 0 || request->see.is_given),
         "--bout, --follow a|b and --see are for --contest"},
        {job->path && (request->frame_limit || request->screenshot || request->keys),
         "--frames, --screenshot and --keys are for the window, not for --export"},
        {!job->path && job->fps > 0, "--fps is for --export"},
        {!job->path && job->has_sound, "--sound is for --export"},
        {!job->path && job->is_recorded, "--recorded is for --export"},
        {!job->path && job->is_plain, "--plain is for --export"},
        {!job->path && job->is_grid, "--grid is for --export"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (faults[i].is_there)
            return faults[i].text;
    return NULL;
}

/* Reads the whole command line; optind is then the first operand. -1 to go on, else the exit
 * code. */
static int parse_arguments(struct request *request, int argc, char **argv)
{
    struct error error = {0};
    options_read_words(argc, argv);
    int status = command_parse(&viewer_command, argc, argv, request);
    if (status == 0)
        print_tables();
    if (status >= 0)
        return status;
    if (request->is_version) {
        output_print(stdout, "viewer (Bestiary) %s, simulator version %d\n", BESTIARY_VERSION,
                     SIMULATOR_VERSION);
        return EXIT_OK;
    }
    request->job.is_in_turn = request->is_family && !request->job.is_grid;
    request->job.is_world = request->world >= 0 || request->follow.life;
    const char *fault = find_fault(request, argc - optind);
    if (fault)
        return fail(ERR_USAGE, fault);
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
    if (replay->off[0])
        output_print(stdout, "%-13s  %s\n", "", replay->off);
    output_flush();
}

/* Simulates all that is on the shelf from `first` on. Survivors of a run that cannot be shown are
 * left out with a message, unless nothing would be left. */
static int simulate_shelf(struct gallery *gallery, int first, int is_run, const char *path,
                          struct error *error)
{
    int left_out = 0, count = gallery->shown.count;
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
static int add_operand(struct gallery *gallery, const struct request *request, const char *path,
                       int is_alone, struct error *error)
{
    struct stat info;
    int first = gallery->shown.count;
    int is_folder = !stat(path, &info) && S_ISDIR(info.st_mode);
    int status = 0;
    if (is_folder && is_alone) {
        status = gallery_open_run(gallery, path, error);
        if (status || (!gallery->generation_count && !request->job.path && request->generation < 0))
            return status;
        status = gallery_show_generation(gallery, request->generation, error);
    } else {
        status = is_folder ? gallery_add_run(gallery, path, request->generation, error)
                 : file_kind_of(path) == FILE_SPACE_SCENE ? gallery_add_scene(gallery, path, error)
                                                          : gallery_add_file(gallery, path, error);
    }
    return status ? status : simulate_shelf(gallery, first, is_folder, path, error);
}

static int add_family(struct gallery *gallery, const struct request *request, const char *name,
                      struct error *error)
{
    char directory[4096];
    uint64_t id = CREATURE_BEST;
    if (!creature_name_split(name, directory, sizeof directory, &id))
        snprintf(directory, sizeof directory, "%s", name);
    int status = gallery_open_run(gallery, directory, error);
    if (!status)
        status = gallery_show_lineage(gallery, id, GALLERY_FAMILY_MAX,
                                      request->top ? (int)request->top : FAMILY_USUAL, error);
    return status ? status : simulate_shelf(gallery, 0, 1, name, error);
}

/* A file has one bout, and so have two pictures of it. */
static int add_contest(struct gallery *gallery, const struct request *request, char **paths,
                       struct error *error)
{
    int is_split = request->follow.which == FOLLOW_BOTH, status = 0;
    struct gallery_contest contest = {
        .bout = (int)request->bout, .follow = request->follow.which, .see = request->see};
    if (!contest.bout && (request->job.path || is_split))
        contest.bout = 1;
    for (int i = 0; i <= is_split && !status; i++) {
        contest.follow = is_split ? i : request->follow.which;
        status = gallery_add_contest(gallery, paths, &contest, error);
    }
    for (int i = 0; i < gallery->shown.count && !status; i++)
        print_replay(gallery_specimen(gallery, i)->replay);
    return status;
}

static int export(const struct gallery *gallery, const struct request *request, struct error *error)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    const char *captions[GALLERY_SHOWN_MAX];
    struct export_life *lives = calloc((size_t)gallery->shown.count + 1, sizeof *lives);
    struct export_job job = request->job;
    if (!lives)
        return error_memory(error);
    job.replays = replays;
    job.captions = request->is_family ? captions : NULL;
    job.lives = lives;
    if (request->follow.which == FOLLOW_BOTH)
        job.is_grid = export_find(job.path)->has_overlays;
    for (int i = 0; i < gallery->shown.count; i++) {
        /* a line of descent begins with the youngest, and its film ends with it */
        int index = request->is_family ? gallery->shown.count - 1 - i : i;
        const struct specimen *specimen = gallery_specimen(gallery, index);
        if (!specimen->replay)
            continue;
        struct export_life *life = &lives[job.count];
        life->bout = specimen->bout;
        if (gallery_choose_life(gallery, index, &life->params, &life->seed))
            life->creature = &specimen->creature;
        captions[job.count] = specimen->caption;
        replays[job.count++] = specimen->replay;
    }
    int status = export_write(&job, error);
    free(lives);
    if (!status)
        output_print(stdout, "%s\n", job.path);
    return status;
}

/* ---- worlds of a preserve ---- */

/* A picture, a film, or a page, which simulates the world itself. */
static int export_world(const struct request *request, const struct preserve_replay_request *span,
                        struct error *error)
{
    const struct exporter *exporter = export_find(request->job.path);
    struct export_job job = request->job;
    struct preserve_replay *waters;
    double fps = job.fps > 0 ? job.fps : exporter->fps,
           speed = request->job.shot.speed > 0 ? request->job.shot.speed : 1;
    struct preserve_replay_request wanted = *span;
    wanted.keeps_epochs = exporter->write == export_html;
    wanted.step_s = exporter->has_moments ? 1e9 : wanted.keeps_epochs ? 1 : speed / fps;
    if (exporter->has_moments)
        wanted.to_s = wanted.from_s + 1; // one moment
    if (wanted.to_s <= wanted.from_s)
        return error_set(error, ERR_USAGE, "--to: %g s is not after --from", wanted.to_s);
    int status = preserve_replay_create(&waters, &wanted, error);
    if (status)
        return status == ERR_LIMIT && wanted.budget > 0
                   ? error_set(error, status, "%.400s: show it with --anyway", error->message)
                   : status;
    output_print(stdout, "%s  world %d, %.0f s to %.0f s: %d of %d epochs as recorded\n",
                 preserve_replay_verdict(waters), waters->world, wanted.from_s,
                 waters->moments[waters->moment_count - 1].time_s, waters->verified,
                 waters->recorded);
    job.waters = waters;
    job.followed = request->follow.life;
    status = export_write(&job, error);
    if (!status)
        output_print(stdout, "%s\n", job.path);
    preserve_replay_destroy(waters);
    return status;
}

/* ---- the window ---- */

#ifdef HAVE_CAIRO
static int show(struct player *player, const struct request *request, double time_s,
                struct error *error)
{
    int has_both = request->follow.which == FOLLOW_BOTH;
    struct window_options window = {.width_px = request->job.width_px,
                                    .height_px = request->job.height_px,
                                    .time_s = time_s,
                                    .keys =
                                        !request->keys && has_both ? "a" /* grid */ : request->keys,
                                    .frame_limit = (long)request->frame_limit,
                                    .screenshot = request->screenshot};
    return window_run(player, &window, error);
}

static int show_gallery(struct gallery *gallery, const struct request *request, struct error *error)
{
    struct player *player = creatures_create(gallery, request->generation < 0);
    if (!player)
        return error_memory(error);
    if (request->job.has_overlays)
        creatures_set_overlays(player, request->job.overlays);
    return show(player, request, request->job.time_s, error);
}

static int show_world(const struct request *request, const struct preserve_replay_request *span,
                      struct error *error)
{
    struct player *player;
    struct preserve_window_request window = {.run_directory = span->run_directory,
                                             .world = span->world,
                                             .from_s = span->from_s,
                                             .speed = request->job.shot.speed,
                                             .follow = request->follow.life,
                                             .is_live = request->is_live,
                                             .is_patient = request->frame_limit > 0};
    int status = preserve_window_create(&player, &window, error);
    return status ? status : show(player, request, -1, error);
}
#else
#define show_gallery(gallery, request, error) window_check(error)
#define show_world(request, span, error)      window_check(error)
#endif

/* ---- the whole ---- */

/* Shows a life from its egg to its carcass; what the command line says of times goes first. */
static int open_world(const struct request *request, const char *directory, struct error *error)
{
    struct preserve_replay_request span = {.run_directory = directory,
                                           .budget = request->is_anyway ? 0 : REPLAY_BUDGET,
                                           .world = request->world > 0 ? (int)request->world : 0,
                                           .from_s = request->job.shot.from_s,
                                           .to_s = request->job.shot.from_s + 30};
    if (request->follow.life) {
        int status = preserve_replay_find_life(directory, request->follow.life, &span.world,
                                               &span.from_s, &span.to_s, error);
        if (status)
            return status;
        if (request->job.shot.from_s > 0)
            span.from_s = request->job.shot.from_s;
    }
    if (request->job.shot.to_s > 0)
        span.to_s = request->job.shot.to_s;
    return request->job.path ? export_world(request, &span, error)
                             : show_world(request, &span, error);
}

static int run(const struct request *request, int argc, char **argv, struct error *error)
{
    struct gallery_options how = {.params_path = request->params_path,
                                  .assignments = request->assignments.items,
                                  .assignment_count = request->assignments.count,
                                  .has_seed = request->seed.is_given,
                                  .seed = request->seed.value,
                                  .top = (int)request->top,
                                  .is_ranks = request->is_ranks,
                                  .budget = request->is_anyway ? 0 : REPLAY_BUDGET,
                                  .champions_most = request->job.path ? 0 : CHAMPIONS_IN_STRIP};
    if (!how.top && request->job.path)
        how.top = 1;
    /* a run of worlds is opened on its first one */
    struct stat info;
    double end_s;
    int is_preserve = !request->job.path && !request->is_contest && !stat(argv[optind], &info) &&
                      S_ISDIR(info.st_mode) &&
                      !preserve_replay_find_end(argv[optind], 0, &end_s, &(struct error){0});
    if (request->job.is_world || is_preserve)
        return open_world(request, argv[optind], error);
    struct gallery *gallery = gallery_create(&how);
    int status = gallery ? 0 : error_memory(error);
    if (!status && request->is_contest)
        status = add_contest(gallery, request, argv + optind, error);
    if (!status && request->is_family)
        status = add_family(gallery, request, argv[optind], error);
    int is_listed = !request->is_contest && !request->is_family;
    for (int i = optind; i < argc && !status && is_listed; i++)
        status = add_operand(gallery, request, argv[i], argc - optind == 1, error);
    if (!status)
        status = request->job.path ? export(gallery, request, error)
                                   : show_gallery(gallery, request, error);
    gallery_destroy(gallery);
    return status;
}

int main(int argc, char **argv)
{
    struct request request = {
        .generation = -1, .job = {.time_s = -1}, .world = -1, .follow = {.which = -1}};
    struct error error = {0};
    signals_begin();
    output_begin();
    if (limits_check_stack(&error))
        return fail(ERR_LIMIT, error.message);
    int exit_code = parse_arguments(&request, argc, argv);
    if (exit_code < 0) {
        int status = run(&request, argc, argv, &error);
        exit_code = status ? fail(status, error.message) : EXIT_OK;
    }
    free(request.assignments.items);
    return exit_code == EXIT_OK && output_finish("viewer") ? EXIT_FAILED : exit_code;
}
