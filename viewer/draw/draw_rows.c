/* Vertical gradients, row by row.
 * The background of a picture is most of its pixels. Cairo works out the colour of each of them,
 * although all of a row are equal: that took half of the time of a frame. Here cairo draws a column
 * of one pixel, which is then spread over the rows. This is done only where the result is the same:
 * an image as target, no transformation, edges between pixels, a rectangle as clip. */
#include "viewer/draw/draw.h"

#include <math.h>
#include <string.h>

struct area {
    int left, top, right, bottom; /* ends excluded */
};

static int is_whole(double value)
{
    return value == floor(value) && fabs(value) < 1e6;
}

/* An image that cairo draws on directly, not through a group. */
static int is_plain_image(cairo_t *cr, cairo_surface_t *target)
{
    cairo_matrix_t matrix;
    double x, y, fine_x, fine_y;
    cairo_get_matrix(cr, &matrix);
    cairo_surface_get_device_offset(target, &x, &y);
    cairo_surface_get_device_scale(target, &fine_x, &fine_y);
    return cairo_surface_get_type(target) == CAIRO_SURFACE_TYPE_IMAGE &&
           (cairo_image_surface_get_format(target) == CAIRO_FORMAT_RGB24 ||
            cairo_image_surface_get_format(target) == CAIRO_FORMAT_ARGB32) &&
           cairo_get_group_target(cr) == target && cairo_get_operator(cr) == CAIRO_OPERATOR_OVER &&
           matrix.xx == 1 && matrix.yy == 1 && matrix.xy == 0 && matrix.yx == 0 && matrix.x0 == 0 &&
           matrix.y0 == 0 && x == 0 && y == 0 && fine_x == 1 && fine_y == 1;
}

/* Cuts the area to the clip; 0 if the clip is not one rectangle with its edges between pixels. */
static int cut_to_clip(cairo_t *cr, struct area *area)
{
    cairo_rectangle_list_t *list = cairo_copy_clip_rectangle_list(cr);
    int is_simple = list->status == CAIRO_STATUS_SUCCESS && list->num_rectangles <= 1;
    if (is_simple && list->num_rectangles == 0)
        area->right = area->left;
    if (is_simple && list->num_rectangles == 1) {
        const cairo_rectangle_t *r = &list->rectangles[0];
        is_simple = is_whole(r->x) && is_whole(r->y) && is_whole(r->width) && is_whole(r->height);
        area->left = (int)fmax(area->left, r->x);
        area->top = (int)fmax(area->top, r->y);
        area->right = (int)fmin(area->right, r->x + r->width);
        area->bottom = (int)fmin(area->bottom, r->y + r->height);
    }
    cairo_rectangle_list_destroy(list);
    return is_simple;
}

/* The pattern's colours of the rows, in an image one pixel wide. */
static cairo_surface_t *draw_column(cairo_pattern_t *pattern, cairo_format_t format,
                                    const struct area *area)
{
    cairo_surface_t *column = cairo_image_surface_create(format, 1, area->bottom - area->top);
    cairo_t *cr = cairo_create(column);
    cairo_translate(cr, 0, -area->top);
    cairo_set_source(cr, pattern);
    cairo_paint(cr);
    cairo_destroy(cr);
    cairo_surface_flush(column);
    return column;
}

static void spread_column(cairo_surface_t *target, cairo_surface_t *column, const struct area *area)
{
    size_t stride = (size_t)cairo_image_surface_get_stride(target);
    size_t step = (size_t)cairo_image_surface_get_stride(column);
    unsigned char *row = cairo_image_surface_get_data(target) + (size_t)area->top * stride;
    const unsigned char *from = cairo_image_surface_get_data(column);
    for (int y = area->top; y < area->bottom; y++, row += stride, from += step) {
        uint32_t color, *pixels = (void *)row;
        memcpy(&color, from, sizeof color);
        for (int x = area->left; x < area->right; x++)
            pixels[x] = color;
    }
}

int draw_rows(cairo_t *cr, cairo_pattern_t *pattern, double left, double top, double width,
              double bottom)
{
    cairo_surface_t *target = cairo_get_target(cr);
    if (!is_whole(left) || !is_whole(top) || !is_whole(left + width) || !is_whole(bottom) ||
        !is_plain_image(cr, target))
        return 0;
    struct area area = {(int)left, (int)top, (int)(left + width), (int)bottom};
    if (!cut_to_clip(cr, &area))
        return 0;
    if (area.left >= area.right || area.top >= area.bottom)
        return 1;
    cairo_surface_t *column = draw_column(pattern, cairo_image_surface_get_format(target), &area);
    int is_drawn = cairo_surface_status(column) == CAIRO_STATUS_SUCCESS;
    if (is_drawn) {
        cairo_surface_flush(target);
        spread_column(target, column, &area);
        cairo_surface_mark_dirty_rectangle(target, area.left, area.top, area.right - area.left,
                                           area.bottom - area.top);
    }
    cairo_surface_destroy(column);
    return is_drawn;
}

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

void draw_band(cairo_t *cr, const struct draw_view *view, double top, double bottom,
               cairo_pattern_t *pattern)
{
    /* cairo draws the rows in which the band ends; whole rows are drawn faster where possible */
    double first = ceil(top), end = floor(bottom);
    cairo_set_source(cr, pattern);
    if (end > first && draw_rows(cr, pattern, view->left_px, first, view->width_px, end)) {
        cairo_rectangle(cr, view->left_px, top, view->width_px, first - top);
        cairo_rectangle(cr, view->left_px, end, view->width_px, bottom - end);
    } else if (bottom > top) {
        cairo_rectangle(cr, view->left_px, top, view->width_px, bottom - top);
    }
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}
