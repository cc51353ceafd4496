/* Vertical gradients. The background of a picture is most of its pixels. Cairo works out the colour
 * of each of them, although all of a row are equal: that took half of the time of a frame. Here it
 * does so for a narrow column, which is repeated across. */
#include "viewer/draw/draw.h"

#include <math.h>

/* Width of the column: of a narrower one more pieces are copied than it costs to draw. */
enum { COLUMN_PX = 128 };

void draw_add_stop(cairo_pattern_t *pattern, double share, uint32_t color, double alpha)
{
    cairo_pattern_add_color_stop_rgba(pattern, share, (color >> 16 & 255) / 255.0,
                                      (color >> 8 & 255) / 255.0, (color & 255) / 255.0, alpha);
}

cairo_pattern_t *draw_gradient(double top, double bottom, uint32_t from, uint32_t to)
{
    cairo_pattern_t *pattern = cairo_pattern_create_linear(0, top, 0, bottom);
    draw_add_stop(pattern, 0, from, 1);
    draw_add_stop(pattern, 1, to, 1);
    return pattern;
}

/* Sets a column of the pattern's pixels as the source, from a row to another, where pixels of the
 * image are those of the view. */
static void set_column(cairo_t *cr, cairo_pattern_t *pattern, int top, int bottom)
{
    cairo_surface_t *column =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, COLUMN_PX, bottom - top);
    cairo_t *painter = cairo_create(column);
    cairo_translate(painter, 0, -top);
    cairo_set_source(painter, pattern);
    cairo_paint(painter);
    cairo_destroy(painter);
    cairo_set_source_surface(cr, column, 0, top);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_REPEAT);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_surface_destroy(column);
}

void draw_band(cairo_t *cr, const struct draw_view *view, double top, double bottom,
               cairo_pattern_t *pattern)
{
    double fine_x, fine_y;
    cairo_surface_get_device_scale(cairo_get_target(cr), &fine_x, &fine_y);
    if (draw_is_image(cr) && fine_x == 1 && fine_y == 1 && bottom > top)
        set_column(cr, pattern, (int)floor(top), (int)ceil(bottom));
    else
        cairo_set_source(cr, pattern);
    cairo_rectangle(cr, view->left_px, top, view->width_px, fmax(bottom - top, 0));
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}
