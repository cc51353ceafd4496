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

/* Between which columns and rows something else than the ground is drawn; right < 0: nowhere. */
struct drawn {
    int left, top, right, bottom, width, height;
};

static inline struct drawn drawn_box(uint32_t ground)
{
    int columns = cairo_image_surface_get_width(surface);
    int rows = cairo_image_surface_get_height(surface);
    struct drawn box = {columns, rows, -1, -1, 0, 0};
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
            if (pixel(x, y) != ground) {
                box.left = x < box.left ? x : box.left;
                box.top = y < box.top ? y : box.top;
                box.right = x > box.right ? x : box.right;
                box.bottom = y;
            }
    box.width = box.right - box.left;
    box.height = box.bottom - box.top;
    return box;
}

#endif
