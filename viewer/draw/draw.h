/* Drawing with cairo: the one drawing code of the window, of pictures, of video and of SVG.
 *
 * Works in pixels of the surface, y down; a draw_view maps scene coordinates (m, y up) to a part of
 * it. Everything is a function of the replay and the time: nothing is kept between calls. A flat
 * frame of 960x540 takes about 1 ms, one in space of 1280x720 some 20 to 40 ms, half of that where
 * cairo smooths edges fast (docs/performance.md). */
#ifndef VIEWER_DRAW_DRAW_H
#define VIEWER_DRAW_DRAW_H

#ifdef HAVE_CAIRO

#include <cairo.h>

#include "viewer/draw/eye/camera.h"
#include "viewer/draw/overlay.h"
#include "viewer/draw/palette.h"
#include "viewer/replay/replay.h"

#define DRAW_PI 3.14159265358979323846

/* A part of the surface and what it shows. */
struct draw_view {
    double left_px, top_px, width_px, height_px;
    double x_m, y_m; /* in the middle */
    double px_per_m;
    int flip; /* -1: mirrored left to right */
    /* of scenes with depth: the eye is turned about the middle to the right and upwards; both 0:
     * seen from the front, flat, as all others */
    struct camera_orbit orbit;
    double ui;       /* size of text and strokes; 1 in a window of 960x540 */
    double z_m;      /* in the middle, relative to the depth of the centre of mass */
    int is_parallel; /* of turned views: no perspective */
    int is_still;    /* z_m is the depth in the middle: it does not follow the centre of mass */
    /* of turned views: soft shadows in which no single one shows, at four times the cost */
    int is_fine;
};

double draw_view_x(const struct draw_view *view, double x_m);
double draw_view_y(const struct draw_view *view, double y_m);

enum draw_align { DRAW_LEFT, DRAW_CENTRE, DRAW_RIGHT };

void draw_set_color(cairo_t *cr, uint32_t color, double alpha);
/* Fills, or strokes, the current path in a colour of the palette, which stays the source. */
void draw_fill(cairo_t *cr, enum palette_color color, double alpha);
void draw_stroke(cairo_t *cr, enum palette_color color, double alpha, double width_px);
/* A straight line, added to the current path. */
void draw_line(cairo_t *cr, double from_x, double from_y, double to_x, double to_y);
/* Saves the state, and clips to a rectangle until cairo_restore(). */
void draw_clip(cairo_t *cr, double x, double y, double width, double height);
/* 1 if the target has pixels, 0 if it is a drawing (svg), which has no other operator than over. */
int draw_is_image(cairo_t *cr);
/* Text with its baseline at y; clean UTF-8 (replay_clean_text). Returns its width. */
double draw_text(cairo_t *cr, const char *text, double x, double y, double size_px, int is_bold,
                 enum draw_align align, enum palette_color color);
/* Text that is broken into lines at spaces and cut, with an ellipsis, after lines_most; the first
 * baseline at y. Returns the number of lines. */
int draw_text_lines(cairo_t *cr, const char *text, double x, double y, double width_px,
                    double size_px, int lines_most, enum palette_color color);
double draw_text_width(cairo_t *cr, const char *text, double size_px, int is_bold);
/* A plate behind a line of text, which can then be read over anything. */
void draw_plate(cairo_t *cr, double x, double y, double width, double size_px);
/* A rounded rectangle as the current path. */
void draw_rounded(cairo_t *cr, double x, double y, double width, double height, double radius);
/* A panel for text, nearly opaque. */
void draw_panel(cairo_t *cr, double x, double y, double width, double height, double ui);

/* A vertical gradient of two colours; a further colour of one. */
cairo_pattern_t *draw_gradient(double top, double bottom, uint32_t from, uint32_t to);
void draw_add_stop(cairo_pattern_t *pattern, double share, uint32_t color, double alpha);
/* Fills the view from a row to another with such a pattern, which it takes. */
void draw_band(cairo_t *cr, const struct draw_view *view, double top, double bottom,
               cairo_pattern_t *pattern);

/* Sky and ground, water, or empty space, with distance marks; those of turned views:
 * draw_space_marks(). */
void draw_world(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, unsigned overlays);
/* The body at a time; in depth with the obstacles, which hide it and which it hides. ghost 0 is
 * solid, towards 1 it fades into the background. Of the overlays the trail is drawn here: it is
 * among what hides it. */
void draw_creature(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s, double ghost, unsigned overlays);
/* The body at several moments of one view, the later over the earlier; in depth the obstacles are
 * drawn once, with the shadows of all. The trail is the last one's. */
struct draw_moment {
    double time_s, ghost;
};
void draw_moments(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                  const struct draw_moment *moments, int count, unsigned overlays);
/* The way of the centre of mass up to a time, over all that is drawn. */
void draw_trail(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double to_s);

/* 1 if the scene is seen in perspective: it has depth, and the view is turned. */
int draw_is_spatial(const struct draw_view *view, const struct replay *replay);

/* Draws those of a set of enum draw_overlay that are in the world, at a time: contacts, limits of
 * the drives, efforts of the effectors, what sensors feel, the way to the light. */
void draw_overlays(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s, unsigned overlays);
/* The energy ledger, as a panel, which leaves most of the picture free: top right, or top left of
 * what takes so many px at the right. */
void draw_ledger(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                 double time_s, double taken_px);
/* Where the panel beside a brain ends below, px of the surface. */
double draw_ledger_bottom(const struct draw_view *view, const struct replay *replay);
/* The ledger below the brain, in its column down to `bottom`. 0, and nothing drawn, where it does
 * not fit; cr NULL: only asks. */
int draw_ledger_below_brain(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                            double time_s, double bottom);
/* The height that it takes there at least, with its margins. */
double draw_ledger_height(const struct draw_view *view, const struct replay *replay);

/* The living brain as a panel (top right). The neuron or wire under the mouse (NULL: none) is lit
 * and described. */
void draw_brain(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, const struct replay_cut *pointed);
/* The width that the panel and its margins take from the view's. */
double draw_brain_width(const struct draw_view *view, const struct replay *replay);
/* Where the panel ends below, px of the surface. */
double draw_brain_bottom(const struct draw_view *view, const struct replay *replay);
/* Which neuron or wire is at a point (CUT_NONE: none). */
struct replay_cut draw_brain_pick(const struct draw_view *view, const struct replay *replay,
                                  double x, double y);

/* A line that names a creature: name, score, verdict, status; from x to right, text of size_px.
 * With a plate it can be read over anything. */
void draw_title(cairo_t *cr, const struct replay *replay, double x, double right, double y,
                double size_px, int has_plate);
/* Genes that the parameters switch off, in lines below a title of size_px; mostly none. */
void draw_off(cairo_t *cr, const struct replay *replay, double x, double right, double y,
              double size_px);

/* A whole moving picture's frame: one creature, or several in lanes racing from one start line,
 * with names, time and overlays. */
void draw_frame(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                int count, const struct camera *camera, double time_s, unsigned overlays);
/* The view of a frame of one creature. */
void draw_single_view(struct draw_view *view, int width_px, int height_px,
                      const struct replay *replay, const struct camera *camera, double time_s,
                      unsigned overlays);
/* Another creature at the same time, transparent over the frame of one. */
void draw_ghost(cairo_t *cr, int width_px, int height_px, const struct replay *replay,
                const struct replay *ghost, const struct camera *camera, double time_s,
                unsigned overlays);
/* Words about the picture, in a panel at its foot. */
void draw_caption(cairo_t *cr, int width_px, int height_px, const char *text);
/* Creatures in cells, each followed by a camera of its own; all start together. */
struct draw_cells {
    const struct replay *const *replays;
    const char *const *captions; /* below the titles; NULL: none */
    int count, marked;           /* the marked one has a frame; -1: none */
    double zoom;                 /* 1: a creature fills its cell */
};
void draw_cells(cairo_t *cr, int width_px, int height_px, const struct draw_cells *cells,
                double time_s, unsigned overlays);
/* Where a cell is; only these fields of `view` are set. */
void draw_cells_get(int width_px, int height_px, int count, int index, struct draw_view *view);
/* The cell at a point, or -1. */
int draw_cells_pick(int width_px, int height_px, int count, double x, double y);
/* The scale of text for a picture of that size. */
double draw_ui_scale(double width_px, double height_px);
/* Height of a lane of a frame. */
double draw_lane_height(double height_px, int count);

/* Creatures alone on nothing, in a grid, at a time. Of the overlays the boxes count. */
void draw_plain(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                int count, double time_s, unsigned overlays);

/* The strobe picture: a whole gait in one still, several moments side by side, the earlier fainter.
 * Several creatures stand one above the other. */
void draw_strobe(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                 int count, unsigned overlays);
/* The height in which it looks well for one creature, up to most_px. */
double draw_strobe_height(const struct replay *replay, double width_px, double most_px);
/* STEM.SUFFIX, or STEM-2.SUFFIX ...: a file that does not exist yet. */
void draw_choose_file_name(const char *stem, const char *suffix, char *path, size_t size);
/* Writes a picture as STEM.png, or STEM-2.png ..., and destroys it. `text` says what came of it. */
void draw_save(cairo_surface_t *surface, const char *stem, char *text, size_t size);

#endif
#endif
