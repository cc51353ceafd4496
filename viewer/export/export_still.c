/* PNG and SVG: one still, written by cairo. */
#include "viewer/export/export.h"

#include <cairo-svg.h>
#include <string.h>

int export_still(const struct export_job *job, const char *path, struct error *error)
{
    int is_svg = !strcmp(export_find(job->path)->suffix, "svg");
    cairo_format_t format = job->is_plain ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24;
    cairo_surface_t *surface =
        is_svg ? cairo_svg_surface_create(path, job->width_px, job->height_px)
               : cairo_image_surface_create(format, job->width_px, job->height_px);
    cairo_t *cr = cairo_create(surface);
    export_draw_still(cr, job);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && !is_svg)
        status = cairo_surface_write_to_png(surface, path);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return error_set(error, ERR_IO, "%s: %s", job->path, cairo_status_to_string(status));
    return 0;
}
