/* The world of a scene with depth. */
#ifndef VIEWER_DRAW_DRAW_SPACE_H
#define VIEWER_DRAW_DRAW_SPACE_H

#include "viewer/draw/eye/eye.h"

/* The part of draw_world() where the view is turned: without obstacles, which are sorted with the
 * body, and without marks of distance, which depend on it. */
void draw_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s);
/* The cells of a ground with relief that are drawn, the farther first; of others none. */
typedef void draw_visit_cell(void *context, const struct vec3 corners[4]);
void draw_space_relief(const struct eye *eye, const struct replay *replay, draw_visit_cell *visit,
                       void *context);
/* Distances from the start along the way, on the ground; nothing where the view is not turned.
 * One whose number the body would hide in part at one of the moments has none. */
void draw_space_marks(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                      const struct draw_moment *moments, int count);
/* How far a part reaches in a direction of the picture, whose angle begins at the right and
 * grows upwards: the greatest x cos(angle) - y sin(angle) of its places, px. */
double draw_reach_px(const struct eye *eye, const struct shape *shape,
                     const struct replay_pose *pose, double angle);
/* The moments of a strobe picture in the rectangle of the view: each in a cell of its own, or along
 * the way, in how many rows, one below the other. */
enum { DRAW_STROBE_ROWS = 3, DRAW_STROBE_IN_ROW = 10 };
struct draw_strobe_moments {
    double times_s[DRAW_STROBE_ROWS * DRAW_STROBE_IN_ROW];
    int count, rows, is_strip, is_mirrored; /* mirrored: in the plane it goes to the left */
};
struct draw_strobe_moments draw_strobe_choose(const struct draw_view *view,
                                              const struct replay *replay);
/* The colours of a medium: from above to below, and of its haze. */
extern const struct draw_medium {
    enum palette_color top, bottom, haze;
} draw_media[REPLAY_MEDIUM_COUNT];
/* 1, 2 or 5 times a power of ten metres, at least `px` at ui 1 in the middle. */
double draw_round_step(const struct draw_view *view, double px);
/* A well-mixed number in [0, 1) for a cell of the world. */
double draw_noise(int64_t x, int64_t y, int64_t z, uint64_t salt);
/* A colour behind so much haze (eye_haze()). */
uint32_t draw_hazed(const struct replay *replay, uint32_t color, double share);

#endif
