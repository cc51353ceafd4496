/* SVG: the same still as a drawing, written by cairo. */
#include "viewer/export/export.h"

#ifdef HAVE_CAIRO

#include <cairo-svg.h>

int export_svg(const struct export_job *job, const char *path, struct error *error)
{
    cairo_surface_t *surface = cairo_svg_surface_create(path, job->width_px, job->height_px);
    cairo_t *cr = cairo_create(surface);
    export_draw_still(cr, job);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return error_set(error, ERR_IO, "%s: %s", job->path, cairo_status_to_string(status));
    return 0;
}

#endif
