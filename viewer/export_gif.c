/* GIF: an animation that loops for ever.
 *
 * The palette is built once, from frames spread over the animation: a histogram at 5 bits a channel
 * is cut at medians into 255 boxes (Heckbert 1982), whose mean colours are the palette; flat drawing
 * (no gradients) keeps it exact where it matters. The last entry is transparent: a frame holds only
 * the rectangle that changed, and in it only the pixels that changed. */
#include "viewer/export.h"

#if defined(HAVE_CAIRO) && defined(HAVE_GIF)

#include <errno.h>
#include <fcntl.h>
#include <gif_lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/draw.h"

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
    unsigned char nearest[GIF_CELLS]; /* palette entry of each cell */
    GifColorType colors[256];
    int color_count;
};

static int cell_of(const unsigned char *rgb)
{
    return (rgb[0] >> 3) << 10 | (rgb[1] >> 3) << 5 | rgb[2] >> 3;
}

static int cell_channel(int cell, int channel)
{
    return cell >> (10 - 5 * channel) & 31;
}

static void quantizer_add(struct quantizer *quantizer, const unsigned char *rgb, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, rgb += 3) {
        struct cell *cell = &quantizer->cells[cell_of(rgb)];
        cell->count++;
        for (int c = 0; c < 3; c++)
            cell->sum[c] += rgb[c];
    }
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
        quantizer->nearest[i] = (unsigned char)nearest_color(quantizer, i);
}

static void quantizer_map(const struct quantizer *quantizer, const unsigned char *rgb,
                          size_t pixels, unsigned char *indices)
{
    for (size_t i = 0; i < pixels; i++, rgb += 3)
        indices[i] = quantizer->nearest[cell_of(rgb)];
}

/* ---- file ---- */

struct animation {
    GifFileType *file;
    int width, height, delay_cs;
    unsigned char *now, *before, *line;
};

static int put_header(struct animation *animation, const struct quantizer *quantizer)
{
    static const unsigned char forever[3] = {1, 0, 0};
    ColorMapObject *map = GifMakeMapObject(256, quantizer->colors);
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

/* The rectangle in which two frames differ: left, top, right, bottom (ends excluded). One pixel if
 * they are equal, so that the delay is kept. */
static void changed_area(const struct animation *animation, int area[4])
{
    int left = animation->width, top = animation->height, right = 0, bottom = 0;
    for (int y = 0; y < animation->height; y++)
        for (int x = 0; x < animation->width; x++) {
            size_t i = (size_t)y * (size_t)animation->width + (size_t)x;
            if (animation->now[i] == animation->before[i])
                continue;
            left = x < left ? x : left;
            right = x + 1 > right ? x + 1 : right;
            top = y < top ? y : top;
            bottom = y + 1;
        }
    int is_equal = right <= left;
    area[0] = is_equal ? 0 : left;
    area[1] = is_equal ? 0 : top;
    area[2] = is_equal ? 1 : right;
    area[3] = is_equal ? 1 : bottom;
}

static int put_frame(struct animation *animation, int is_first)
{
    GraphicsControlBlock control = {DISPOSE_DO_NOT, false, animation->delay_cs,
                                    is_first ? NO_TRANSPARENT_COLOR : GIF_CLEAR};
    GifByteType packed[4];
    int area[4] = {0, 0, animation->width, animation->height};
    if (!is_first)
        changed_area(animation, area);
    EGifGCBToExtension(&control, packed);
    if (EGifPutExtension(animation->file, GRAPHICS_EXT_FUNC_CODE, 4, packed) == GIF_ERROR ||
        EGifPutImageDesc(animation->file, area[0], area[1], area[2] - area[0], area[3] - area[1],
                         false, NULL) == GIF_ERROR)
        return 1;
    for (int y = area[1]; y < area[3]; y++) {
        for (int x = area[0]; x < area[2]; x++) {
            size_t i = (size_t)y * (size_t)animation->width + (size_t)x;
            int is_same = !is_first && animation->now[i] == animation->before[i];
            animation->line[x - area[0]] = is_same ? GIF_CLEAR : animation->now[i];
        }
        if (EGifPutLine(animation->file, animation->line, area[2] - area[0]) == GIF_ERROR)
            return 1;
    }
    unsigned char *swap = animation->before;
    animation->before = animation->now;
    animation->now = swap;
    return 0;
}

static int put_animation(struct animation *animation, struct export_film *film,
                         const struct quantizer *quantizer)
{
    size_t pixels = (size_t)animation->width * (size_t)animation->height;
    if (put_header(animation, quantizer))
        return 1;
    for (int i = 0; i < film->frame_count; i++) {
        export_film_draw(film, i);
        quantizer_map(quantizer, film->rgb, pixels, animation->now);
        if (put_frame(animation, i == 0))
            return 1;
    }
    return 0;
}

/* Draws some of the frames for the palette. The camera's small differences do not matter here. */
static void survey_colors(struct quantizer *quantizer, struct export_film *film)
{
    size_t pixels = (size_t)film->job->width_px * (size_t)film->job->height_px;
    int step = film->frame_count > GIF_SAMPLES ? film->frame_count / GIF_SAMPLES : 1;
    for (int i = 0; i < film->frame_count; i += step) {
        export_film_draw(film, i);
        quantizer_add(quantizer, film->rgb, pixels);
    }
    quantizer_finish(quantizer);
}

static int write_file(struct animation *animation, struct export_film *film,
                      const struct quantizer *quantizer, const char *path, struct error *error)
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
    int failed = put_animation(animation, film, quantizer);
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
    struct animation animation = {0};
    struct export_film film;
    if (job->width_px > GIF_SIDE_LIMIT || job->height_px > GIF_SIDE_LIMIT)
        return error_set(error, ERR_RANGE, "--size %dx%d: a gif has at most %d pixels a side",
                         job->width_px, job->height_px, GIF_SIDE_LIMIT);
    size_t pixels = (size_t)job->width_px * (size_t)job->height_px;
    /* delays are whole hundredths of a second */
    animation.delay_cs = (int)(100 / fmin(job->fps, GIF_FPS_MAX) + 0.5);
    animation.width = job->width_px;
    animation.height = job->height_px;
    animation.now = calloc(pixels, 1);
    animation.before = calloc(pixels, 1);
    animation.line = calloc((size_t)job->width_px, 1);
    struct quantizer *quantizer = calloc(1, sizeof *quantizer);
    int status =
        export_film_init(&film, job, 100.0 / animation.delay_cs, GIF_LIMIT_S, DRAW_FLAT, error);
    if (!status && (!animation.now || !animation.before || !animation.line || !quantizer))
        status = error_set(error, ERR_MEMORY, "%s: %s", job->path, error_text(ERR_MEMORY));
    if (!status) {
        survey_colors(quantizer, &film);
        status = write_file(&animation, &film, quantizer, path, error);
    }
    export_film_deinit(&film);
    free(animation.now);
    free(animation.before);
    free(animation.line);
    free(quantizer);
    return status;
}

#endif
