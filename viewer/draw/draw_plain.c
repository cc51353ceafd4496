/* Creatures alone on nothing: no world, no text, no marks. For pages that place such pictures in
 * their own text and colours. Several stand in a grid, each as large as its cell. */
#include "viewer/draw/draw_space.h"

#include <math.h>

/* Share of a cell that stays free on each side. */
#define MARGIN 0.06
/* A joint's disc and an outline may reach beyond the parts, px at ui 1. */
#define OUTLINE_PX 3.0

/* The view in which the body of that moment fills its cell. */
static struct draw_view fit_body(const struct replay *replay, double time_s, double left,
                                 double top, double width, double height)
{
    struct replay_moment moment;
    double bounds[4], ui = draw_ui_scale(width, height);
    replay_get_moment(replay, time_s, &moment);
    replay_get_bounds(replay, moment.poses, moment.values, bounds);
    double across = fmax(bounds[2] - bounds[0], 1e-3), up = fmax(bounds[3] - bounds[1], 1e-3);
    double room_x = fmax(width * (1 - 2 * MARGIN) - 2 * OUTLINE_PX * ui, 1);
    double room_y = fmax(height * (1 - 2 * MARGIN) - 2 * OUTLINE_PX * ui, 1);
    struct draw_view view = {.left_px = left,
                             .top_px = top,
                             .width_px = width,
                             .height_px = height,
                             .x_m = (bounds[0] + bounds[2]) / 2,
                             .y_m = (bounds[1] + bounds[3]) / 2,
                             .px_per_m = fmin(room_x / across, room_y / up),
                             .flip = 1,
                             .orbit = CAMERA_ORBIT_USUAL,
                             .ui = ui};
    if (replay->has_depth) {
        view.is_still = view.is_fine = 1;
        view.z_m = moment.frame.centre.z;
        /* from so far away that nothing is behind the eye */
        view.px_per_m = 0.2 * fmin(width, height) / fmax(replay->size_m, 1e-3);
        draw_fit(&view, replay, &time_s, 1,
                 &(struct draw_room){1 - 2 * MARGIN, 1 - 2 * MARGIN, 0.5, INFINITY});
    }
    return view;
}

void draw_plain(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                int count, double time_s, unsigned overlays)
{
    /* as many columns as make the cells as square as the picture allows */
    double wanted = sqrt(count * (double)width_px / (double)height_px) + 0.5;
    int columns = (int)fmin(fmax(wanted, 1), count);
    int rows = (count + columns - 1) / columns;
    double width = (double)width_px / columns, height = (double)height_px / rows;
    for (int i = 0; i < count; i++) {
        struct draw_view view =
            fit_body(replays[i], time_s, i % columns * width, i / columns * height, width, height);
        draw_clip(cr, view.left_px, view.top_px, width, height);
        draw_creature(cr, &view, replays[i], time_s, 0, overlays & DRAW_BOXES);
        cairo_restore(cr);
    }
}
