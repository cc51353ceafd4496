/* GIF: an animation that loops for ever.
 *
 * The palette is built once, from frames spread over the animation: a histogram at 5 bits a channel
 * is cut at medians into 255 boxes (Heckbert 1982), whose mean colours are the palette; flat
 * drawing (no gradients) keeps it exact where it matters. The last entry is transparent: a frame
 * holds only the rectangle that changed, and in it only the pixels that changed.
 *
 * Pixels are mapped where they differ from the frame before. 200 frames of 1280x720 in the plane
 * take 0.8 s. giflib's compressor takes a third of it. */
#include "viewer/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <gif_lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIF_LIMIT_S    10.0
#define GIF_COLORS     255
#define GIF_CLEAR      255 /* the transparent entry */
#define GIF_CELLS      32768
#define GIF_SAMPLES    12
#define GIF_FPS_MAX    50.0 /* browsers slow down what is faster */
#define GIF_SIDE_LIMIT 4096

/* ---- palette ---- */

/* Pixels of a cell of the 32 x 32 x 32 colour cube: how many, and the sums of their channels. */
struct cell {
    uint64_t count, sum[3];
};

/* A box of cells: a range of `order`. */
struct box {
    int first, end;
    uint64_t count;
};

struct quantizer {
    struct cell cells[GIF_CELLS];
    uint16_t order[GIF_CELLS]; /* the cells in use */
    int used;
    int16_t nearest[GIF_CELLS]; /* palette entry of each cell; -1: not yet looked for */
    GifColorType colors[256];
    int color_count;
};

/* The cell of a pixel 0x00rrggbb. */
static unsigned cell_of(uint32_t pixel)
{
    return (pixel >> 9 & 31 << 10) | (pixel >> 6 & 31 << 5) | (pixel >> 3 & 31);
}

static int cell_channel(int cell, int channel)
{
    return cell >> (10 - 5 * channel) & 31;
}

/* The channel in which a box is widest, and how wide. */
static int box_widest(const struct quantizer *quantizer, const struct box *box, int *width)
{
    int widest = 0;
    *width = -1;
    for (int c = 0; c < 3; c++) {
        int low = 31, high = 0;
        for (int i = box->first; i < box->end; i++) {
            int value = cell_channel(quantizer->order[i], c);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > *width) {
            *width = high - low;
            widest = c;
        }
    }
    return widest;
}

/* Sorts a box's cells along a channel (counting sort: values are 0 .. 31, the order is stable). */
static void box_sort(struct quantizer *quantizer, const struct box *box, int channel)
{
    static uint16_t sorted[GIF_CELLS];
    int at = 0;
    for (int value = 0; value < 32; value++)
        for (int i = box->first; i < box->end; i++)
            if (cell_channel(quantizer->order[i], channel) == value)
                sorted[at++] = quantizer->order[i];
    memcpy(quantizer->order + box->first, sorted, (size_t)at * sizeof *sorted);
}

/* Cuts a box in two where half its weight lies on either side. Weights are square roots of counts,
 * so that the large background does not take every entry. */
static void box_cut(struct quantizer *quantizer, struct box *box, struct box *other)
{
    int width;
    double half = 0, sum = 0;
    box_sort(quantizer, box, box_widest(quantizer, box, &width));
    for (int i = box->first; i < box->end; i++)
        half += sqrt((double)quantizer->cells[quantizer->order[i]].count) / 2;
    int cut = box->first;
    do
        sum += sqrt((double)quantizer->cells[quantizer->order[cut++]].count);
    while (sum < half && cut < box->end - 1);
    *other = (struct box){cut, box->end, 0};
    box->end = cut;
    box->count = 0;
    for (int i = box->first; i < box->end; i++)
        box->count += quantizer->cells[quantizer->order[i]].count;
    for (int i = other->first; i < other->end; i++)
        other->count += quantizer->cells[quantizer->order[i]].count;
}

/* The box most worth cutting: wide and heavy; -1 when all are single cells. */
static int box_choose(const struct quantizer *quantizer, const struct box *boxes, int count)
{
    double best = 0;
    int chosen = -1;
    for (int i = 0; i < count; i++) {
        int width;
        if (boxes[i].end - boxes[i].first < 2)
            continue;
        box_widest(quantizer, &boxes[i], &width);
        double worth = (width + 1) * pow((double)boxes[i].count, 0.35);
        if (worth > best) {
            best = worth;
            chosen = i;
        }
    }
    return chosen;
}

static void box_mean(const struct quantizer *quantizer, const struct box *box, GifColorType *color)
{
    uint64_t sum[3] = {0, 0, 0}, count = 0;
    for (int i = box->first; i < box->end; i++) {
        const struct cell *cell = &quantizer->cells[quantizer->order[i]];
        count += cell->count;
        for (int c = 0; c < 3; c++)
            sum[c] += cell->sum[c];
    }
    ENSURE(count > 0, "an empty box");
    color->Red = (GifByteType)((sum[0] + count / 2) / count);
    color->Green = (GifByteType)((sum[1] + count / 2) / count);
    color->Blue = (GifByteType)((sum[2] + count / 2) / count);
}

/* Palette entry nearest to a cell's middle (or mean, where it has pixels). */
static int nearest_color(const struct quantizer *quantizer, int index)
{
    const struct cell *cell = &quantizer->cells[index];
    double rgb[3], best = INFINITY;
    int nearest = 0;
    for (int c = 0; c < 3; c++)
        rgb[c] = cell->count ? (double)cell->sum[c] / (double)cell->count
                             : cell_channel(index, c) * 8 + 4;
    for (int i = 0; i < quantizer->color_count; i++) {
        double r = rgb[0] - quantizer->colors[i].Red, g = rgb[1] - quantizer->colors[i].Green;
        double b = rgb[2] - quantizer->colors[i].Blue;
        double distance = 0.3 * r * r + 0.59 * g * g + 0.11 * b * b;
        if (distance < best) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

static void quantizer_finish(struct quantizer *quantizer)
{
    struct box boxes[GIF_COLORS];
    int count = 1, chosen;
    for (int i = 0; i < GIF_CELLS; i++)
        if (quantizer->cells[i].count)
            quantizer->order[quantizer->used++] = (uint16_t)i;
    boxes[0] = (struct box){0, quantizer->used, 1};
    while (count < GIF_COLORS && (chosen = box_choose(quantizer, boxes, count)) >= 0) {
        box_cut(quantizer, &boxes[chosen], &boxes[count]);
        count++;
    }
    quantizer->color_count = count;
    for (int i = 0; i < count; i++)
        box_mean(quantizer, &boxes[i], &quantizer->colors[i]);
    for (int i = 0; i < GIF_CELLS; i++)
        quantizer->nearest[i] = -1;
}

static unsigned char quantizer_map(struct quantizer *quantizer, uint32_t pixel)
{
    unsigned cell = cell_of(pixel);
    if (quantizer->nearest[cell] < 0)
        quantizer->nearest[cell] = (int16_t)nearest_color(quantizer, (int)cell);
    return (unsigned char)quantizer->nearest[cell];
}

/* ---- file ---- */

struct animation {
    GifFileType *file;
    int width, height, delay_cs;
    unsigned char *shown;  /* palette entries of the picture so far */
    unsigned char *change; /* what a frame puts over it, or GIF_CLEAR */
    struct quantizer *quantizer;
};

static int put_header(struct animation *animation)
{
    static const unsigned char forever[3] = {1, 0, 0};
    ColorMapObject *map = GifMakeMapObject(256, animation->quantizer->colors);
    int failed = !map || EGifPutScreenDesc(animation->file, animation->width, animation->height, 8,
                                           0, map) == GIF_ERROR;
    if (map)
        GifFreeMapObject(map);
    return failed ||
           EGifPutExtensionLeader(animation->file, APPLICATION_EXT_FUNC_CODE) == GIF_ERROR ||
           EGifPutExtensionBlock(animation->file, 11, "NETSCAPE2.0") == GIF_ERROR ||
           EGifPutExtensionBlock(animation->file, 3, forever) == GIF_ERROR ||
           EGifPutExtensionTrailer(animation->file) == GIF_ERROR;
}

/* Finds what of a row changed, into animation->change; pixels that are as before are not looked up.
 * The first and the end column that changed; returns 0 if none did. */
static int change_row(struct animation *animation, const struct export_film *film, int y,
                      int *first, int *end)
{
    size_t width = (size_t)animation->width, row = (size_t)y * width;
    const uint32_t *now = film->pixels + (size_t)y * film->stride;
    const uint32_t *before = film->before ? film->before + (size_t)y * film->stride : NULL;
    unsigned char *change = animation->change + row, *shown = animation->shown + row;
    memset(change, GIF_CLEAR, width);
    if (before && !memcmp(now, before, width * sizeof *now))
        return 0;
    *first = animation->width;
    *end = 0;
    for (int x = 0; x < animation->width; x++) {
        if (before && now[x] == before[x])
            continue;
        unsigned char entry = quantizer_map(animation->quantizer, now[x]);
        if (before && entry == shown[x])
            continue;
        change[x] = shown[x] = entry;
        *first = x < *first ? x : *first;
        *end = x + 1;
    }
    return *first < *end;
}

/* The rectangle in which a frame differs from the one before: left, top, right, bottom (ends
 * excluded). One pixel if they are equal, so that the delay is kept. */
static void change_picture(struct animation *animation, const struct export_film *film, int area[4])
{
    int first, end;
    area[0] = animation->width;
    area[1] = animation->height;
    area[2] = area[3] = 0;
    for (int y = 0; y < animation->height; y++) {
        if (!change_row(animation, film, y, &first, &end))
            continue;
        area[0] = first < area[0] ? first : area[0];
        area[1] = y < area[1] ? y : area[1];
        area[2] = end > area[2] ? end : area[2];
        area[3] = y + 1;
    }
    if (area[2] > 0)
        return;
    area[0] = area[1] = 0;
    area[2] = area[3] = 1;
}

static int put_frame(struct animation *animation, const struct export_film *film)
{
    GraphicsControlBlock control = {DISPOSE_DO_NOT, false, animation->delay_cs,
                                    film->before ? GIF_CLEAR : NO_TRANSPARENT_COLOR};
    GifByteType packed[4];
    int area[4];
    change_picture(animation, film, area);
    EGifGCBToExtension(&control, packed);
    int failed =
        EGifPutExtension(animation->file, GRAPHICS_EXT_FUNC_CODE, 4, packed) == GIF_ERROR ||
        EGifPutImageDesc(animation->file, area[0], area[1], area[2] - area[0], area[3] - area[1],
                         false, NULL) == GIF_ERROR;
    for (int y = area[1]; y < area[3] && !failed; y++)
        failed = EGifPutLine(animation->file,
                             animation->change + (size_t)y * (size_t)animation->width + area[0],
                             area[2] - area[0]) == GIF_ERROR;
    return failed;
}

/* Draws some of the frames for the palette. The camera's small differences do not matter here. */
static void survey_colors(struct quantizer *quantizer, struct export_film *film)
{
    int step = film->frame_count > GIF_SAMPLES ? film->frame_count / GIF_SAMPLES : 1;
    for (int i = 0; i < film->frame_count; i += step) {
        export_film_draw(film, i);
        for (int y = 0; y < film->job->height_px; y++) {
            const uint32_t *row = film->pixels + (size_t)y * film->stride;
            for (int x = 0; x < film->job->width_px; x++) {
                struct cell *cell = &quantizer->cells[cell_of(row[x])];
                cell->count++;
                for (int c = 0; c < 3; c++)
                    cell->sum[c] += row[x] >> (16 - 8 * c) & 255;
            }
        }
    }
    quantizer_finish(quantizer);
}

static int write_file(struct animation *animation, struct export_film *film, const char *path,
                      struct error *error)
{
    int reason = 0;
    /* opened here, since giflib would make it unreadable for others */
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor < 0)
        return error_set(error, ERR_IO, "%s: %s", film->job->path, strerror(errno));
    animation->file = EGifOpenFileHandle(descriptor, &reason);
    if (!animation->file) {
        close(descriptor);
        return error_set(error, ERR_IO, "%s: %s", film->job->path, GifErrorString(reason));
    }
    EGifSetGifVersion(animation->file, true);
    int failed = put_header(animation);
    for (int i = 0; i < film->frame_count && !failed; i++) {
        export_film_draw(film, i);
        failed = put_frame(animation, film);
    }
    if (failed)
        reason = animation->file->Error;
    int close_reason = 0;
    if (EGifCloseFile(animation->file, &close_reason) == GIF_ERROR && !failed) {
        failed = 1;
        reason = close_reason;
    }
    if (!failed)
        return 0;
    const char *text = GifErrorString(reason);
    return error_set(error, ERR_IO, "%s: %s", film->job->path, text ? text : "cannot be written");
}

int export_gif(const struct export_job *job, const char *path, struct error *error)
{
    struct export_film film;
    if (job->width_px > GIF_SIDE_LIMIT || job->height_px > GIF_SIDE_LIMIT)
        return error_set(error, ERR_RANGE, "--size %dx%d: a gif has at most %d pixels a side",
                         job->width_px, job->height_px, GIF_SIDE_LIMIT);
    size_t pixels = (size_t)job->width_px * (size_t)job->height_px;
    /* delays are whole hundredths of a second */
    struct animation animation = {.width = job->width_px,
                                  .height = job->height_px,
                                  .delay_cs = (int)(100 / fmin(job->fps, GIF_FPS_MAX) + 0.5),
                                  .shown = calloc(pixels, 1),
                                  .change = calloc(pixels, 1),
                                  .quantizer = calloc(1, sizeof(struct quantizer))};
    int status =
        export_film_init(&film, job, 100.0 / animation.delay_cs, GIF_LIMIT_S, DRAW_FLAT, error);
    if (!status && (!animation.shown || !animation.change || !animation.quantizer))
        status = error_set(error, ERR_MEMORY, "%s: %s", job->path, error_text(ERR_MEMORY));
    if (!status) {
        survey_colors(animation.quantizer, &film);
        status = write_file(&animation, &film, path, error);
    }
    export_film_deinit(&film);
    free(animation.shown);
    free(animation.change);
    free(animation.quantizer);
    return status;
}
