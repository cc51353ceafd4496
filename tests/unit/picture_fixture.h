/* A picture in memory, for tests of what is drawn. */
#ifndef TESTS_UNIT_PICTURE_FIXTURE_H
#define TESTS_UNIT_PICTURE_FIXTURE_H

#include <cairo.h>
#include <check.h>
#include <stdint.h>
#include <string.h>

static cairo_surface_t *surface;
static cairo_t *cr;

/* Checks that all was drawn without an error. */
static inline void close_picture(void)
{
    if (cr)
        ck_assert_int_eq(cairo_status(cr), CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    cr = NULL;
    surface = NULL;
}

/* In place of the one before, if there is one. */
static inline void open_picture(int width, int height)
{
    close_picture();
    surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cr = cairo_create(surface);
}

/* 0xrrggbb */
static inline uint32_t pixel(int x, int y)
{
    uint32_t value;
    cairo_surface_flush(surface);
    memcpy(&value,
           cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface) +
               4 * x,
           4);
    return value & 0xffffff;
}

#endif
