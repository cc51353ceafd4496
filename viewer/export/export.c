#include "viewer/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/system/output.h"
#include "common/system/process.h"
#include "viewer/export/page_data.h"

#ifdef HAVE_CAIRO
#include "viewer/draw/draw.h"
#include "viewer/draw/draw_preserve.h"
#define WITH_CAIRO(function) function
#else
#define WITH_CAIRO(function) NULL
#endif
#if defined(HAVE_CAIRO) && defined(HAVE_GIF)
#define WITH_GIF(function) function
#else
#define WITH_GIF(function) NULL
#endif

/* Default size of stills without a world. */
#define PLAIN_WIDTH_PX  480
#define PLAIN_HEIGHT_PX 300

/* Contact sheets: their width, and the moment they show if none is asked for. */
#define GRID_WIDTH_PX     1600
#define GRID_COLUMNS_MOST 6
#define GRID_TIME_S       1.0

/* Of a film in turn each creature's time, unless another is asked for. */
#define TURN_S 5.0

#define CAIRO_PACKAGE "libcairo2-dev"

const struct exporter exporters[] = {
    {"png", "strobe picture of the whole gait, or one frame with --time", 1600, 600, 0, 1, 1, 0,
     WITH_CAIRO(export_still), CAIRO_PACKAGE},
    {"svg", "the same as a drawing", 1600, 600, 0, 1, 1, 0, WITH_CAIRO(export_still),
     CAIRO_PACKAGE},
    {"gif", "animation that loops, the first 10 s", 480, 270, 20, 0, 1, 0, WITH_GIF(export_gif),
     "libgif-dev and libcairo2-dev"},
    {"mp4", "video (by way of the program ffmpeg)", 1280, 720, 30, 0, 1, 1,
     WITH_CAIRO(export_video), CAIRO_PACKAGE},
    {"webm", "the same in a free format, slower", 1280, 720, 30, 0, 1, 1, WITH_CAIRO(export_video),
     CAIRO_PACKAGE},
    {"frames", "folder of the video's frames: 00001.png ...", 1280, 720, 30, 0, 1, 0,
     WITH_CAIRO(export_frames), CAIRO_PACKAGE},
    {"html", "page that plays in any browser, no network", 1280, 720, 30, 0, 0, 1, export_html, ""},
};
const int exporter_count = sizeof exporters / sizeof exporters[0];

const struct exporter *export_find(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    for (int i = 0; dot && i < exporter_count; i++)
        if (!strcasecmp(dot + 1, exporters[i].suffix))
            return &exporters[i];
    return NULL;
}

/* Before anything is simulated: there is a directory to write into. */
static int check_directory(const char *path, struct error *error)
{
    char directory[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - path + 1), path);
    if (access(directory, W_OK | X_OK) == 0)
        return 0;
    return error_set(error, ERR_IO, "--export %s: %s", path, strerror(errno));
}

int export_check(const struct export_job *job, struct error *error)
{
    const struct exporter *exporter = export_find(job->path);
    if (!exporter)
        return error_set(
            error, ERR_USAGE,
            "--export %s: the name must end in .png, .svg, .gif, .mp4, .webm, .frames or "
            ".html",
            job->path);
    if (file_is_special(job->path))
        return error_set(error, ERR_USAGE, "--export %s: not a file: a device, a pipe or a socket",
                         job->path);
    if (!exporter->write)
        return error_set(error, ERR_UNAVAILABLE,
                         "--export %s: %s export is left out of this build: install %s "
                         "and build again",
                         job->path, exporter->suffix, exporter->package);
    if (job->is_world && exporter->write == export_html && !page_part(PAGE_MODULE_PACKED).length)
        return error_set(error, ERR_UNAVAILABLE,
                         "--export %s: this build has no module for pages that live: "
                         "'make web' makes it",
                         job->path);
    if (job->is_world &&
        (job->is_recorded || (job->shot.speed > 0 && exporter->write == export_html)))
        return error_set(error, ERR_USAGE, "--recorded and --speed are not for pages of a world");
    const struct export_shot *shot = &job->shot;
    int is_page = exporter->write == export_html, is_still = !is_page && !(exporter->fps > 0);
    int is_film = !is_page && !is_still,
        is_cut = shot->from_s > 0 || shot->to_s > 0 || shot->speed > 0;
    int is_aimed = shot->zoom > 0 || shot->yaw_deg || shot->pitch_deg || shot->turn_deg_s;
    /* with the suffix, where there is room for it */
    const struct {
        int is_there;
        const char *text;
    } faults[] = {
        {job->is_plain && !exporter->has_moments, "--plain is for png and svg, not for %s"},
        {(job->is_grid || job->has_overlays) && !exporter->has_overlays,
         "--grid and --overlays are not for %s: choose in the page"},
        {job->has_sound && !exporter->has_sound, "--sound is for mp4, webm and html, not for %s"},
        {job->is_recorded && !is_page, "--recorded is for html, not for %s"},
        {is_cut && !job->is_world && !is_film,
         "--from, --to and --speed are for films, not for %s"},
        {is_aimed &&
             (job->is_world || job->is_grid || job->is_plain || (job->time_s < 0 && !is_film)),
         "--zoom, --angle and --turn are for films and for stills with --time"},
        {(is_cut || job->is_in_turn) && job->has_sound,
         "--sound is for whole films at their own pace"},
        {job->has_sound && job->is_world, "--sound: a preserve is silent"},
        {job->time_s >= 0 && !exporter->has_moments, "--time is for png and svg, not for %s"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (faults[i].is_there)
            return error_set(error, ERR_USAGE, faults[i].text, exporter->suffix);
    return check_directory(job->path, error);
}

/* Stills of one moment are as large as video; strobe pictures as high as they need to be, several
 * creatures one above the other. */
static void choose_size(struct export_job *job, const struct exporter *exporter)
{
    if (job->width_px)
        return;
    job->width_px = exporter->width_px;
    job->height_px = exporter->height_px;
    if (!exporter->has_moments)
        return;
    if (job->is_plain) {
        job->width_px = PLAIN_WIDTH_PX;
        job->height_px = PLAIN_HEIGHT_PX;
        return;
    }
    if (job->is_grid) {
        /* a contact sheet: cells of the same shape, the fewer the larger */
        int columns = (int)fmin(ceil(sqrt(job->count)), GRID_COLUMNS_MOST);
        int rows = (job->count + columns - 1) / columns;
        job->width_px = GRID_WIDTH_PX;
        job->height_px =
            (int)fmin((double)GRID_WIDTH_PX / columns * 0.625 * rows, EXPORT_SIDE_MAX_PX);
        return;
    }
    if (job->time_s >= 0 || job->waters) {
        job->width_px = 1280;
        job->height_px = 720;
        return;
    }
#ifdef HAVE_CAIRO
    double height = 0;
    for (int i = 0; i < job->count; i++)
        height = fmax(height,
                      draw_strobe_height(job->replays[i], exporter->width_px, exporter->height_px));
    job->height_px = (int)fmin(height * job->count, EXPORT_SIDE_MAX_PX);
#endif
}

int export_write(const struct export_job *request, struct error *error)
{
    ENSURE(request->path && (request->count > 0) != (request->waters != NULL), "%d replays",
           request->count);
    struct export_job job = *request;
    const struct exporter *exporter = export_find(job.path);
    struct atomic_file draft;
    int status = export_check(&job, error);
    if (status)
        return status;
    choose_size(&job, exporter);
    if (!(job.fps > 0))
        job.fps = exporter->fps;
    status = atomic_file_begin(&draft, job.path, error);
    if (status)
        return status;
    status = exporter->write(&job, draft.name, error);
    return atomic_file_end(&draft, status, error);
}

#ifdef HAVE_CAIRO

static double radians(double degrees)
{
    return degrees * DRAW_PI / 180;
}

static void aim(struct camera *camera, const struct export_shot *shot)
{
    if (shot->zoom > 0)
        camera_zoom(camera, shot->zoom, 0, 0);
    if (shot->yaw_deg || shot->pitch_deg)
        camera_turn(camera, radians(shot->yaw_deg), radians(shot->pitch_deg));
}

void export_draw_still(cairo_t *cr, const struct export_job *job)
{
    struct camera camera;
    if (job->waters) {
        struct preserve_camera view = preserve_camera_of(job->waters, job->followed);
        preserve_camera_follow(&view, job->waters, 0, -1);
        draw_preserve(cr, job->width_px, job->height_px, job->waters, 0, &view);
        return;
    }
    double lane = draw_lane_height(job->height_px, job->count);
    unsigned overlays = job->has_overlays ? job->overlays : DRAW_TRAIL;
    if (job->is_plain) {
        draw_plain(cr, job->width_px, job->height_px, job->replays, job->count,
                   fmax(job->time_s, 0), overlays);
        return;
    }
    if (job->is_grid) {
        const struct draw_cells cells = {job->replays, job->captions, job->count, -1, 1};
        draw_cells(cr, job->width_px, job->height_px, &cells,
                   job->time_s < 0 ? GRID_TIME_S : job->time_s, overlays);
        return;
    }
    if (job->time_s < 0) {
        draw_strobe(cr, job->width_px, job->height_px, job->replays, job->count,
                    overlays & (DRAW_UNMARKED | DRAW_BOXES));
        return;
    }
    camera_fit(&camera, job->replays, job->count, job->width_px, lane);
    aim(&camera, &job->shot);
    camera_jump(&camera, camera_target(&camera, job->replays, job->count, job->time_s, lane));
    draw_frame(cr, job->width_px, job->height_px, job->replays, job->count, &camera, job->time_s,
               overlays);
}

int export_film_init(struct export_film *film, const struct export_job *job, double fps,
                     double limit_s, unsigned more, struct error *error)
{
    ENSURE(fps > 0 && limit_s > 0, "%g frames per second, %g s", fps, limit_s);
    const struct export_shot *shot = &job->shot;
    double duration = 0;
    for (int i = 0; i < job->count; i++)
        duration = fmax(duration, replay_duration(job->replays[i]));
    memset(film, 0, sizeof *film);
    film->job = job;
    film->overlays = more | (job->has_overlays ? job->overlays : DRAW_TRAIL);
    film->fps = fps;
    film->speed = shot->speed > 0 ? shot->speed : 1;
    if (shot->to_s > 0)
        duration = fmin(duration, shot->to_s);
    else if (job->is_in_turn)
        duration = fmin(duration, shot->from_s + TURN_S);
    duration -= shot->from_s;
    if (!job->waters && duration < 0)
        return error_set(error, ERR_USAGE, "--from: %g s is after the end", shot->from_s);
    film->shot = -1;
    film->shot_frames = (int)(fmin(duration / film->speed, limit_s) * fps + 1e-6) + 1;
    film->frame_count = film->shot_frames * (job->is_in_turn ? job->count : 1);
    for (int i = 0; i < 2; i++) {
        film->surfaces[i] =
            cairo_image_surface_create(CAIRO_FORMAT_RGB24, job->width_px, job->height_px);
        if (cairo_surface_status(film->surfaces[i]) != CAIRO_STATUS_SUCCESS)
            return error_set(error, ERR_MEMORY, "%s: %s", job->path, error_text(ERR_MEMORY));
    }
    if (job->waters) {
        film->frame_count = film->shot_frames = job->waters->moment_count;
        film->view = preserve_camera_of(job->waters, job->followed);
    }
    film->stride = (size_t)cairo_image_surface_get_stride(film->surfaces[0]) / 4;
    return 0;
}

void export_film_deinit(struct export_film *film)
{
    for (int i = 0; i < 2; i++)
        cairo_surface_destroy(film->surfaces[i]);
    memset(film, 0, sizeof *film);
}

static const uint32_t *film_pixels(const struct export_film *film, int surface)
{
    return (const void *)cairo_image_surface_get_data(film->surfaces[surface]);
}

/* A word for a person who waits, since a large film takes minutes. */
static void tell(struct export_film *film, int index)
{
    int64_t now_ms = (int64_t)clock_ms(CLOCK_MONOTONIC);
    if (film->told_ms && now_ms - film->told_ms < EXPORT_TELL_MS)
        return;
    if (film->told_ms)
        output_print(stderr, "%s: frame %d of %d\n", film->job->path, index + 1, film->frame_count);
    film->told_ms = now_ms;
}

/* The creatures' time in a frame. */
static double film_time(const struct export_film *film, int index)
{
    return film->job->shot.from_s + film->speed * (index % film->shot_frames) / film->fps;
}

/* Where the eye is in this frame of these replays. */
static struct camera follow(struct export_film *film, const struct replay *const *replays,
                            int count, int index)
{
    const struct export_job *job = film->job;
    struct camera *camera = &film->camera;
    int shot = index / film->shot_frames;
    double time_s = film_time(film, index), lane = draw_lane_height(job->height_px, count);
    if (index % film->shot_frames == 0 || film->shot != shot) {
        film->shot = shot;
        camera_fit(camera, replays, count, job->width_px, lane);
        aim(camera, &job->shot);
        camera_jump(camera, camera_target(camera, replays, count, time_s, lane));
        return camera_snap(camera);
    }
    if (job->shot.turn_deg_s)
        camera_turn(camera, radians(job->shot.turn_deg_s) / film->fps, 0);
    camera_track(camera, replays, count, time_s, film->speed, lane, 1 / film->fps);
    return camera_snap(camera);
}

static void draw_replays(cairo_t *cr, struct export_film *film, int index)
{
    const struct export_job *job = film->job;
    int shot = index / film->shot_frames, count = job->is_in_turn ? 1 : job->count;
    const struct replay *const *replays = job->replays + shot;
    struct camera camera = follow(film, replays, count, index);
    draw_frame(cr, job->width_px, job->height_px, replays, count, &camera, film_time(film, index),
               film->overlays);
    if (job->captions && job->is_in_turn)
        draw_caption(cr, job->width_px, job->height_px, job->captions[shot]);
}

void export_film_draw(struct export_film *film, int index)
{
    ENSURE(index >= 0 && index < film->frame_count, "frame %d of %d", index, film->frame_count);
    const struct export_job *job = film->job;
    tell(film, index);
    if (job->waters)
        preserve_camera_follow(&film->view, job->waters, index, index ? 1 / film->fps : -1);
    film->before = index ? film->pixels : NULL;
    cairo_surface_t *surface = film->surfaces[film->pixels == film_pixels(film, 0)];
    cairo_t *cr = cairo_create(surface);
    /* of a world's many small shapes edges of 16 shades, not 255: they take half the time */
    if (job->waters)
        cairo_set_antialias(cr, CAIRO_ANTIALIAS_FAST);
    if (job->waters)
        draw_preserve(cr, job->width_px, job->height_px, job->waters, index, &film->view);
    else if (job->is_grid)
        draw_cells(cr, job->width_px, job->height_px,
                   &(struct draw_cells){job->replays, job->captions, job->count, -1, 1},
                   film_time(film, index), film->overlays);
    else
        draw_replays(cr, film, index);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    film->pixels = film_pixels(film, surface == film->surfaces[1]);
}

#endif
