/* PNG and SVG: one still, written by cairo; and the frames of a film, each a numbered PNG in a
 * folder of their own: for programs that cut and encode films. */
#include "viewer/export/export.h"

#include <cairo-svg.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES_LIMIT_S 600.0
#define NAME_SIZE      4200

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

/* ---- frames ---- */

static const char *name_frame(const char *folder, int index, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s/%05d.png", folder, index + 1);
    return name;
}

static int write_frame(struct export_film *film, const char *folder, int index, struct error *error)
{
    char name[NAME_SIZE];
    export_film_draw(film, index);
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        (unsigned char *)(uintptr_t)film->pixels, CAIRO_FORMAT_RGB24, film->job->width_px,
        film->job->height_px, (int)film->stride * 4);
    cairo_status_t status = cairo_surface_write_to_png(surface, name_frame(folder, index, name));
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS
               ? 0
               : error_set(error, ERR_IO, "%s: frame %d: %s", film->job->path, index + 1,
                           cairo_status_to_string(status));
}

int export_frames(const struct export_job *job, const char *path, struct error *error)
{
    struct export_film film = {.job = job};
    if (access(job->path, F_OK) == 0)
        return error_set(error, ERR_USAGE, "--export %s: the folder is there already", job->path);
    if (mkdir(path, 0777))
        return error_set(error, ERR_IO, "%s: %s", job->path, strerror(errno));
    int status = export_film_init(&film, job, job->fps, FRAMES_LIMIT_S, 0, error), count = 0;
    while (!status && count < film.frame_count)
        status = write_frame(&film, path, count++, error);
    export_film_deinit(&film);
    for (char name[NAME_SIZE]; status && count-- > 0;)
        unlink(name_frame(path, count, name));
    if (status)
        rmdir(path);
    return status;
}
