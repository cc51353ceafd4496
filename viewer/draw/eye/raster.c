#include "viewer/draw/eye/raster.h"

#include <math.h>
#include <stdlib.h>

#define LINE_COLOR 0x14202a
#define LINE_SHARE 0.55

struct sample {
    float near; /* -infinity: nothing */
    uint32_t color;
};
enum { HOLE = 0xff000000 };

struct raster {
    double left, top, fine; /* px; pixels a px */
    int columns, rows;      /* samples */
    int samples;            /* along a side of a pixel */
    struct sample list[];
};

/* In perspective what shrinks with the distance is even in the picture, the distance is not. */
double raster_near(const struct eye *eye, struct spot spot)
{
    return eye_is_flat(eye) ? spot.near : spot.scale / eye->view->px_per_m;
}

double raster_step(const struct eye *eye, struct spot spot, double way_m)
{
    double scale = raster_near(eye, spot);
    return eye_is_flat(eye) ? way_m : way_m * scale * scale / eye->distance_m;
}

struct raster *raster_create(const double box[4], double fine, int samples)
{
    ENSURE(fine > 0 && samples > 0, "%g pixels a px, %d samples", fine, samples);
    double columns = ceil((box[2] - box[0]) * fine) * samples;
    double rows = ceil((box[3] - box[1]) * fine) * samples;
    ENSURE(columns > 0 && rows > 0, "%g x %g samples", columns, rows);
    size_t count = (size_t)columns * (size_t)rows;
    struct raster *raster = malloc(sizeof *raster + count * sizeof raster->list[0]);
    if (!raster)
        return NULL;
    *raster = (struct raster){box[0], box[1], fine, (int)columns, (int)rows, samples};
    for (size_t i = 0; i < count; i++)
        raster->list[i] = (struct sample){-INFINITY, HOLE};
    return raster;
}

void raster_destroy(struct raster *raster)
{
    free(raster);
}

static int clamp_index(double at, int count)
{
    return at < 0 ? 0 : at > count ? count : (int)at;
}

static uint32_t mix_color(const struct raster_corner corners[3], const float weights[3])
{
    uint32_t color = 0;
    for (int k = 0; k < 3; k++) {
        float level = weights[0] * corners[0].color[k] + weights[1] * corners[1].color[k] +
                      weights[2] * corners[2].color[k];
        color = color << 8 | (uint32_t)(level < 0 ? 0 : level > 254.5f ? 255 : level + 0.5f);
    }
    return color;
}

/* The weights of the corners are even along a row, and from row to row. */
void raster_add(struct raster *raster, const struct raster_corner corners[3], int is_hole)
{
    double x[3], y[3], scale = raster->fine * raster->samples;
    for (int i = 0; i < 3; i++) {
        x[i] = (corners[i].x - raster->left) * scale - 0.5; /* the middle of a sample is whole */
        y[i] = (corners[i].y - raster->top) * scale - 0.5;
    }
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (!(fabs(area) > 1e-9))
        return;
    int left = clamp_index(ceil(fmin(x[0], fmin(x[1], x[2]))), raster->columns);
    int right = clamp_index(floor(fmax(x[0], fmax(x[1], x[2]))) + 1, raster->columns);
    int top = clamp_index(ceil(fmin(y[0], fmin(y[1], y[2]))), raster->rows);
    int bottom = clamp_index(floor(fmax(y[0], fmax(y[1], y[2]))) + 1, raster->rows);
    if (left >= right)
        return;
    float row_weight[3], step_x[3], step_y[3];
    for (int i = 0; i < 3; i++) {
        int b = (i + 1) % 3, c = (i + 2) % 3;
        step_x[i] = (float)((y[b] - y[c]) / area);
        step_y[i] = (float)((x[c] - x[b]) / area);
        row_weight[i] =
            (float)(((x[b] - left) * (y[c] - top) - (x[c] - left) * (y[b] - top)) / area);
    }
    float z[3] = {(float)corners[0].near, (float)corners[1].near, (float)corners[2].near};
    for (int row = top; row < bottom; row++) {
        struct sample *line = &raster->list[(size_t)row * (size_t)raster->columns];
        float w[3] = {row_weight[0], row_weight[1], row_weight[2]};
        for (int column = left; column < right; column++) {
            float near = w[0] * z[0] + w[1] * z[1] + w[2] * z[2];
            /* a little over the edges, so that there is no gap between two triangles */
            if (w[0] >= -1e-5f && w[1] >= -1e-5f && w[2] >= -1e-5f && near > line[column].near)
                line[column] = (struct sample){near, is_hole ? HOLE : mix_color(corners, w)};
            for (int i = 0; i < 3; i++)
                w[i] += step_x[i];
        }
        for (int i = 0; i < 3; i++)
            row_weight[i] += step_y[i];
    }
}

int raster_side(const struct raster *raster, double x, double y, double near)
{
    double scale = raster->fine * raster->samples;
    double column = floor((x - raster->left) * scale), row = floor((y - raster->top) * scale);
    if (!(column >= 0 && column < raster->columns && row >= 0 && row < raster->rows))
        return 0;
    const struct sample *at = &raster->list[(size_t)row * (size_t)raster->columns + (size_t)column];
    return (double)at->near > near ? 1 : at->color == HOLE ? 0 : -1;
}

/* Whether one of two neighbours, and not the other, is farther by more than a step than the slope
 * to the other leads to: a thing thinner than two lines has none. Nor has a back that is seen from
 * low: behind the neighbour the slope goes on as steep, or the back ends. */
static int is_edge(const float near[5], float step)
{
    int less = near[1] < near[3] ? 1 : 3, more = 4 - less;
    float here = near[2], rise = near[more] > here ? near[more] - here : 0;
    if (!(near[more] > here - step && near[less] < here - step - rise))
        return 0;
    return near[less] == -INFINITY || here - near[less] > step + near[less] - near[2 * less - 2];
}

/* Whether it is beside something much farther, so many samples along its row or its column. */
static int is_outline(const struct raster *raster, int column, int row, int reach, float step)
{
    const struct sample *at = &raster->list[(size_t)row * (size_t)raster->columns + (size_t)column];
    float across[5], down[5];
    for (int i = 0; i < 5; i++) {
        int x = column + (i - 2) * reach, y = row + (i - 2) * reach;
        int has_x = x >= 0 && x < raster->columns, has_y = y >= 0 && y < raster->rows;
        across[i] = has_x ? at[x - column].near : at->near;
        down[i] = has_y ? at[(y - row) * raster->columns].near : at->near;
    }
    return is_edge(across, step) || is_edge(down, step);
}

/* The mean of a pixel's samples, as cairo has it: multiplied by how much of it is covered. */
static uint32_t mix_pixel(const struct raster *raster, int column, int row, int reach, float step)
{
    int n = raster->samples, sums[4] = {0};
    for (int i = 0; i < n * n; i++) {
        int x = column * n + i % n, y = row * n + i / n;
        uint32_t color = raster->list[(size_t)y * (size_t)raster->columns + (size_t)x].color;
        if (color == HOLE)
            continue;
        if (is_outline(raster, x, y, reach, step))
            color = palette_mix(color, LINE_COLOR, LINE_SHARE);
        for (int k = 0; k < 3; k++)
            sums[k] += (int)(color >> 8 * k & 255);
        sums[3] += 255;
    }
    uint32_t pixel = 0;
    for (int k = 3; k >= 0; k--)
        pixel = pixel << 8 | (uint32_t)((sums[k] + n * n / 2) / (n * n));
    return pixel;
}

void raster_paint(cairo_t *cr, const struct raster *raster, double line_px, double step)
{
    int columns = raster->columns / raster->samples, rows = raster->rows / raster->samples;
    int reach = (int)fmax(line_px * raster->fine * raster->samples + 0.5, 1);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
    cairo_surface_flush(image);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    for (int row = 0; bytes && row < rows; row++) {
        uint32_t *line =
            (uint32_t *)(void *)(bytes +
                                 (size_t)row * (size_t)cairo_image_surface_get_stride(image));
        for (int column = 0; column < columns; column++)
            line[column] = mix_pixel(raster, column, row, reach, (float)step);
    }
    cairo_surface_mark_dirty(image);
    cairo_surface_set_device_scale(image, raster->fine, raster->fine);
    cairo_set_source_surface(cr, image, raster->left, raster->top);
    cairo_paint(cr);
    cairo_surface_destroy(image);
}
