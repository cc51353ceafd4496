/* Exports: replays written as files, chosen by the file's suffix from one table. None needs a
 * display.
 *
 * Files appear whole or not at all: an exporter writes to a temporary name beside the target, which
 * is renamed when it is complete. */
#ifndef VIEWER_EXPORT_EXPORT_H
#define VIEWER_EXPORT_EXPORT_H

#include <stdio.h>

#include "viewer/draw/eye/camera.h"
#include "viewer/draw/overlay.h"
#include "viewer/replay/replay.h"
#include "viewer/draw/draw_preserve.h"
#include "viewer/replay/preserve_replay.h"

#define EXPORT_SIDE_MIN_PX 16
#define EXPORT_SIDE_MAX_PX 8192
#define EXPORT_FPS_MAX     120.0

/* The origin of a replay, for pages that simulate it again: a bout, or a creature with parameters and
 * a seed. Both are NULL for other replays. */
struct export_life {
    const struct replay_bout *bout;
    const struct creature *creature;
    struct params params;
    uint64_t seed;
};

/* How a film, or a still of one moment, is taken. All zeros: the whole, at its own pace. */
struct export_shot {
    double from_s, to_s;       /* of the creatures' time; to_s 0: to the end */
    double speed;              /* 0.1: ten times as slow; 0: 1 */
    double zoom;               /* 0: 1 */
    double yaw_deg, pitch_deg; /* besides the usual angle, where a scene has depth */
    double turn_deg_s;         /* the eye goes round it by so much a second of the film */
};

/* The options of an export. Zeros (width, height, fps) and a negative time mean the exporter's own
 * choice. */
struct export_job {
    const struct replay *const *replays;
    const struct export_life *lives;      /* of the replays; may be NULL */
    int is_recorded;                      /* pages have motion, though there are lives */
    int count;                            /* >= 1 */
    const struct preserve_replay *waters; /* of a preserve, instead of replays: then count is 0 */
    int is_world;                         /* waters are to come */
    uint64_t followed;                    /* a creature in them; 0: none */
    const char *path;
    double time_s; /* one moment; negative: the whole */
    struct export_shot shot;
    int width_px, height_px;
    double fps;
    const char *const *captions; /* of the replays; NULL: none. Grids and films in turn have them */
    int is_in_turn;              /* films: the replays one after the other instead of a race */
    int is_grid; /* each creature in a cell of its own instead of a race, or of strobe pictures */
    int has_overlays;
    unsigned overlays; /* enum draw_overlay, if has_overlays; else the trail */
    int has_sound;     /* films and pages let hear what creatures call and hit */
    int is_plain; /* stills: the creatures alone on nothing, of the moment 0 if no time is given */
};

struct exporter {
    const char *suffix; /* "png" */
    const char *help;
    int width_px, height_px; /* defaults */
    double fps;              /* default; 0: has no frames */
    int has_moments;         /* takes a time */
    int has_overlays;        /* draws what one chooses, alone or in a grid */
    int has_sound;           /* lets be heard */
    /* Writes job (all fields chosen) to `path`. NULL: left out of this build. */
    int (*write)(const struct export_job *job, const char *path, struct error *error);
    const char *package; /* what to install, then */
};
extern const struct exporter exporters[];
extern const int exporter_count;

/* The exporter of a path's suffix, or NULL. */
const struct exporter *export_find(const char *path);
/* Checks the job against its exporter without simulating anything, so that mistakes show at
 * once. */
int export_check(const struct export_job *job, struct error *error);
/* Writes job->path. */
int export_write(const struct export_job *job, struct error *error);

int export_still(const struct export_job *job, const char *path, struct error *error);
int export_gif(const struct export_job *job, const char *path, struct error *error);
int export_video(const struct export_job *job, const char *path, struct error *error);
int export_frames(const struct export_job *job, const char *path, struct error *error);
int export_html(const struct export_job *job, const char *path, struct error *error);

/* The sound of films: a tone for what each creature calls, a thud for what it hits. */
#define FILM_SOUND_HZ 24000

/* Writes a WAV file (RIFF, PCM, one channel, 16 bits, FILM_SOUND_HZ) of so many seconds, in which
 * all replays are heard from their starts on. 0, ERR_MEMORY or ERR_IO. */
int film_sound_write(FILE *file, const struct replay *const *replays, int count, double duration_s);

#ifdef HAVE_CAIRO
#include <cairo.h>

/* The still that a job asks for: one moment, or the strobe picture. */
void export_draw_still(cairo_t *cr, const struct export_job *job);

/* Frame by frame, as words 0x00rrggbb in rows of `stride` pixels, width_px of which are the
 * picture. Two surfaces take turns, so that writers can leave out what is as in the frame
 * before. */
struct export_film {
    const struct export_job *job;
    unsigned overlays;
    int frame_count;
    int shot_frames; /* of a shot; the replays of a film in turn have one each, other films have one */
    int shot;        /* that the camera frames; -1: none yet */
    double fps;
    double speed; /* of the creatures' time in the film's */
    struct camera camera;
    struct preserve_camera view; /* of waters */
    cairo_surface_t *surfaces[2];
    size_t stride;
    const uint32_t *pixels, *before; /* of this frame and of the one drawn before it; or NULL */
    int64_t told_ms;                 /* when it was told how far it is; 0: not yet */
};
/* At most limit_s a shot of the longest replay; more: overlays besides those of the job. Call
 * export_film_deinit() in any case. */
int export_film_init(struct export_film *film, const struct export_job *job, double fps,
                     double limit_s, unsigned more, struct error *error);
void export_film_deinit(struct export_film *film);
/* Draws the next frame: film->pixels; call for index 0, 1, ... in order. Tells on standard error how
 * far it is, once in EXPORT_TELL_MS: "run.mp4: frame 120 of 601". */
#define EXPORT_TELL_MS 5000
void export_film_draw(struct export_film *film, int index);
#endif

#endif
