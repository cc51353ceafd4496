#include "viewer/draw/draw_panels.h"

#include <math.h>
#include <stdio.h>

#define THUMB_WIDTH_PX 92.0
#define STEP_HEIGHT_PX 92.0
#define STEP_THUMB_PX  84.0
/* Curves behind the bar of time besides the marked one's. */
#define CURVES_MOST 6
#define HEADING_PX  30.0
/* Of the river of forms. */
#define RIVER_MARGIN_PX 4.0 /* above and below, at ui 1 */
#define PALE            0.3
#define OTHERS_COLOR    0xb9bfc2

int draw_box_contains(const struct draw_box *box, double x, double y)
{
    return x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
}

static void fill_box(cairo_t *cr, const struct draw_box *box, enum palette_color color,
                     double alpha)
{
    cairo_rectangle(cr, box->x, box->y, box->width, box->height);
    draw_fill(cr, color, alpha);
}

/* ---- the bar of time ---- */

/* The curve of one replay as a path from the left; where it ends early the path ends. */
static void trace_fitness(cairo_t *cr, const struct draw_scrub *scrub, const struct replay *replay,
                          double least, double most, double *end_x)
{
    const struct draw_box *box = &scrub->box;
    double room = box->height - 8 * box->ui, step = (scrub->count > 2 ? 6 : 2) * box->ui;
    double last_s = replay_duration(replay);
    for (double x = 0;; x += step) {
        double time_s = fmin(x / box->width * scrub->duration_s, last_s);
        double share = (replay_frame_at(replay, time_s).fitness - least) / (most - least);
        *end_x = box->x + fmin(x, last_s / scrub->duration_s * box->width);
        cairo_line_to(cr, *end_x, box->y + box->height - 3 * box->ui - share * room);
        if (x >= box->width || time_s >= last_s)
            return;
    }
}

static void draw_curves(cairo_t *cr, const struct draw_scrub *scrub)
{
    const struct draw_box *box = &scrub->box;
    double least = 0, most = 1e-6, end_x;
    for (int i = 0; i < scrub->count; i++) {
        least = fmin(least, scrub->replays[i]->fitness_least);
        most = fmax(most, scrub->replays[i]->fitness_most);
    }
    /* of many the first ones, which are the best */
    for (int i = 0; i < scrub->count; i++) {
        int is_marked = i == scrub->marked;
        if (!is_marked && i >= CURVES_MOST)
            continue;
        trace_fitness(cr, scrub, scrub->replays[i], least, most, &end_x);
        if (is_marked) {
            cairo_path_t *path = cairo_copy_path(cr);
            cairo_line_to(cr, end_x, box->y + box->height);
            cairo_line_to(cr, box->x, box->y + box->height);
            cairo_close_path(cr);
            draw_fill(cr, COLOR_part_0, 0.16);
            cairo_append_path(cr, path);
            cairo_path_destroy(path);
        }
        draw_stroke(cr, is_marked ? COLOR_part_0 : COLOR_neutral, is_marked ? 0.9 : 0.35,
                    (is_marked ? 1.6 : 1) * box->ui);
    }
}

void draw_scrub(cairo_t *cr, const struct draw_scrub *scrub)
{
    const struct draw_box *box = &scrub->box;
    double ui = box->ui, middle = box->y + box->height / 2;
    double share = scrub->duration_s > 0 ? fmin(scrub->time_s / scrub->duration_s, 1) : 0;
    double x = box->x + share * box->width;
    int has_fitness = 0;
    for (int i = 0; i < scrub->count; i++)
        has_fitness |= scrub->replays[i]->has_goal;
    draw_rounded(cr, box->x, box->y + 2 * ui, fmax(box->width, 1), box->height - 4 * ui, 4 * ui);
    draw_fill(cr, COLOR_grid, 0.1);
    if (scrub->duration_s > 0 && has_fitness)
        draw_curves(cr, scrub);
    draw_line(cr, x, box->y + 2 * ui, x, box->y + box->height - 2 * ui);
    draw_stroke(cr, COLOR_part_0, 1, 2 * ui);
    cairo_arc(cr, x, middle, 6 * ui, 0, 2 * DRAW_PI);
    cairo_fill(cr);
    if (scrub->marked < 0 || scrub->marked >= scrub->count ||
        !(scrub->replays[scrub->marked]->fitness_most > 0))
        return;
    char text[48];
    int is_right = x > box->x + 0.6 * box->width;
    snprintf(text, sizeof text, "fitness %.3g",
             replay_frame_at(scrub->replays[scrub->marked], scrub->time_s).fitness);
    draw_text(cr, text, x + (is_right ? -10 : 10) * ui, box->y + 13 * ui, 11.5 * ui, 1,
              is_right ? DRAW_RIGHT : DRAW_LEFT, COLOR_part_0);
}

/* ---- the timeline ---- */

/* The plot inside the box, right of the labels. */
static struct draw_box timeline_plot(const struct draw_timeline *timeline)
{
    const struct draw_box *box = &timeline->box;
    double ui = box->ui;
    return (struct draw_box){box->x + 52 * ui, box->y + 6 * ui, fmax(box->width - 150 * ui, 1),
                             fmax(box->height - 12 * ui, 1), ui};
}

static double timeline_x(const struct draw_timeline *timeline, int index)
{
    struct draw_box plot = timeline_plot(timeline);
    return timeline->count > 1 ? plot.x + plot.width * index / (timeline->count - 1)
                               : plot.x + plot.width / 2;
}

int draw_timeline_pick(const struct draw_timeline *timeline, double x)
{
    struct draw_box plot = timeline_plot(timeline);
    double share = fmin(fmax((x - plot.x) / plot.width, 0), 1);
    return timeline->count ? (int)(share * (timeline->count - 1) + 0.5) : -1;
}

static void draw_course(cairo_t *cr, const struct draw_timeline *timeline, int is_median,
                        double most)
{
    struct draw_box plot = timeline_plot(timeline);
    /* no more points than pixels */
    int step = (int)fmax(1, timeline->count / plot.width);
    for (int i = 0; i < timeline->count; i += step) {
        const struct store_generation *generation = &timeline->generations[i];
        double value = is_median ? generation->median : generation->best;
        double y = plot.y + plot.height * (1 - fmin(fmax(value / most, 0), 1));
        cairo_line_to(cr, timeline_x(timeline, i), y);
    }
    if (timeline->count == 1)
        cairo_rel_line_to(cr, 1, 0);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    draw_stroke(cr, is_median ? COLOR_neutral : COLOR_part_0, is_median ? 0.7 : 1,
                (is_median ? 1.2 : 1.8) * plot.ui);
}

/* Without a goal: a tick for each generation, as far as they are apart, and words in place of a
 * scale. */
static void draw_generations(cairo_t *cr, const struct draw_timeline *timeline)
{
    struct draw_box plot = timeline_plot(timeline);
    double ui = plot.ui, bottom = plot.y + plot.height;
    int step = (int)fmax(1, 4 * ui * timeline->count / plot.width);
    for (int i = 0; i < timeline->count; i += step) {
        double x = timeline_x(timeline, i);
        draw_line(cr, x, bottom - 5 * ui, x, bottom);
    }
    draw_stroke(cr, COLOR_neutral, 0.7, ui);
    draw_text(cr, "no goal: parents are chosen by hand", plot.x + 8 * ui, plot.y + 13 * ui, 10 * ui,
              0, DRAW_LEFT, COLOR_text_soft);
}

/* The scale, and the best and the median. */
static void draw_fitness(cairo_t *cr, const struct draw_timeline *timeline, double most)
{
    struct draw_box plot = timeline_plot(timeline);
    double ui = plot.ui;
    char text[32];
    snprintf(text, sizeof text, "%.3g", most > 1e-9 ? most : 0);
    draw_text(cr, text, plot.x - 6 * ui, plot.y + 9 * ui, 10 * ui, 0, DRAW_RIGHT, COLOR_text_soft);
    draw_text(cr, "0", plot.x - 6 * ui, plot.y + plot.height, 10 * ui, 0, DRAW_RIGHT,
              COLOR_text_soft);
    /* what the curves are, below the generation's number */
    double right = timeline->box.x + timeline->box.width - 14 * ui, y = plot.y + plot.height;
    double width = draw_text(cr, "median", right, y, 10 * ui, 0, DRAW_RIGHT, COLOR_text_soft);
    draw_text(cr, "best", right - width - 6 * ui, y, 10 * ui, 1, DRAW_RIGHT, COLOR_part_0);
    draw_text(cr, "fitness", plot.x - 6 * ui, plot.y + 0.5 * plot.height + 4 * ui, 9 * ui, 0,
              DRAW_RIGHT, COLOR_text_soft);
    draw_course(cr, timeline, 1, most);
    draw_course(cr, timeline, 0, most);
}

static void draw_shown_generation(cairo_t *cr, const struct draw_timeline *timeline, double most)
{
    struct draw_box plot = timeline_plot(timeline);
    for (int i = 0; i < timeline->count; i++) {
        const struct store_generation *generation = &timeline->generations[i];
        if (generation->generation != timeline->shown)
            continue;
        double x = timeline_x(timeline, i);
        double share = timeline->has_no_goal ? 0 : generation->best / most;
        double y = plot.y + plot.height * (1 - fmin(fmax(share, 0), 1));
        draw_line(cr, x, plot.y - 3 * plot.ui, x, plot.y + plot.height + 3 * plot.ui);
        draw_stroke(cr, COLOR_text, 0.5, 1.5 * plot.ui);
        cairo_arc(cr, x, y, 4.5 * plot.ui, 0, 2 * DRAW_PI);
        draw_fill(cr, COLOR_part_0, 1);
    }
}

void draw_timeline(cairo_t *cr, const struct draw_timeline *timeline)
{
    const struct draw_box *box = &timeline->box;
    struct draw_box plot = timeline_plot(timeline);
    double ui = box->ui, most = 1e-9, right = box->x + box->width - 14 * ui;
    char text[64];
    ENSURE(timeline->count >= 0 && (timeline->count == 0 || timeline->generations),
           "%d generations", timeline->count);
    fill_box(cr, box, COLOR_panel, 1);
    for (int i = 0; i < timeline->count; i++)
        most = fmax(most, timeline->generations[i].best);
    fill_box(cr, &plot, COLOR_grid, 0.08);
    if (timeline->has_no_goal)
        draw_generations(cr, timeline);
    else
        draw_fitness(cr, timeline, most);
    draw_shown_generation(cr, timeline, most);
    if (timeline->shown >= 0)
        snprintf(text, sizeof text, "gen. %lld / %lld", (long long)timeline->shown,
                 (long long)(timeline->count ? timeline->generations[timeline->count - 1].generation
                                             : 0));
    else
        snprintf(text, sizeof text, "generations");
    draw_text(cr, text, right, plot.y + 12 * ui, 11 * ui, 1, DRAW_RIGHT, COLOR_text);
    if (timeline->is_live) {
        double width =
            draw_text(cr, "live", right, plot.y + 28 * ui, 11 * ui, 1, DRAW_RIGHT, COLOR_bad);
        cairo_arc(cr, right - width - 8 * ui, plot.y + 24 * ui, 3.5 * ui, 0, 2 * DRAW_PI);
        draw_fill(cr, COLOR_bad, 1);
    }
}

/* ---- thumbs ---- */

static void draw_thumb(cairo_t *cr, const struct draw_box *box, const struct draw_thumb *thumb,
                       double time_s, int is_marked)
{
    double ui = box->ui, size = fmin(10.5 * ui, 0.13 * box->width);
    const struct replay *replay = thumb->replay;
    cairo_save(cr);
    draw_rounded(cr, box->x + ui, box->y + ui, box->width - 2 * ui, box->height - 2 * ui, 5 * ui);
    cairo_clip_preserve(cr);
    draw_fill(cr, replay && !replay->has_ground ? COLOR_water_top : COLOR_sky_bottom, 1);
    if (replay) {
        struct draw_view view = {.left_px = box->x,
                                 .top_px = box->y,
                                 .width_px = box->width,
                                 .height_px = box->height,
                                 .px_per_m = 1,
                                 .flip = 1,
                                 .ui = 0.6 * ui};
        double room = box->height - 3.6 * size, ground = box->height - 1.5 * size;
        struct vec2 centre = camera_smooth_centre(replay, time_s);
        view.px_per_m = fmin(0.8 * box->width / fmax(replay->width_m, 0.05),
                             room / fmax(replay->height_m, 0.05));
        view.x_m = centre.x;
        view.y_m = centre.y;
        if (replay->has_ground) {
            /* the view goes up with a creature that is high up */
            double ground_m = (ground - box->height / 2) / view.px_per_m;
            view.y_m = fmax(ground_m, centre.y + 0.08 * box->height / view.px_per_m);
            double line = draw_view_y(&view, 0);
            cairo_rectangle(cr, box->x, line, box->width, fmax(box->y + box->height - line, 0));
            draw_fill(cr, COLOR_ground_top, 1);
        }
        draw_creature(cr, &view, replay, time_s, 0, 0);
    } else {
        draw_text(cr, "...", box->x + box->width / 2, box->y + box->height / 2, size, 0,
                  DRAW_CENTRE, COLOR_text_soft);
    }
    draw_text(cr, thumb->title, box->x + 5 * ui, box->y + 1.35 * size, size, 1, DRAW_LEFT,
              COLOR_text);
    draw_text(cr, thumb->text, box->x + box->width - 5 * ui, box->y + box->height - 0.5 * size,
              size, 0, DRAW_RIGHT, COLOR_text);
    cairo_restore(cr);
    draw_rounded(cr, box->x + ui, box->y + ui, box->width - 2 * ui, box->height - 2 * ui, 5 * ui);
    draw_stroke(cr, is_marked ? COLOR_part_0 : COLOR_grid, is_marked ? 1 : 0.3,
                (is_marked ? 2.5 : 1) * ui);
}

/* ---- the strip ---- */

/* Thumbs that have room, and the index of the one at a place. */
static int strip_places(const struct draw_strip *strip)
{
    int room = (int)fmax(strip->box.width / (THUMB_WIDTH_PX * strip->box.ui), 1);
    return strip->count < room ? strip->count : room;
}

static int strip_index(const struct draw_strip *strip, int place)
{
    int places = strip_places(strip);
    return places > 1 ? (int)((double)place * (strip->count - 1) / (places - 1) + 0.5)
                      : strip->count - 1;
}

static struct draw_box strip_box(const struct draw_strip *strip, int place)
{
    const struct draw_box *box = &strip->box;
    double margin = 4 * box->ui;
    double width =
        fmin((box->width - 2 * margin) / strip_places(strip), 1.6 * THUMB_WIDTH_PX * box->ui);
    return (struct draw_box){box->x + margin + place * width, box->y, width, box->height, box->ui};
}

void draw_strip(cairo_t *cr, const struct draw_strip *strip)
{
    ENSURE(strip->marked >= -1 && strip->marked < strip->count, "thumb %d of %d", strip->marked,
           strip->count);
    fill_box(cr, &strip->box, COLOR_panel, 1);
    for (int place = 0; place < strip_places(strip); place++) {
        struct draw_box box = strip_box(strip, place);
        int index = strip_index(strip, place);
        ENSURE(index >= 0 && index < strip->count, "thumb %d of %d", index, strip->count);
        const struct draw_thumb *thumb = &strip->thumbs[index];
        double duration = thumb->replay ? replay_duration(thumb->replay) : 0;
        /* each walks on and on, whatever the time of the large picture is */
        double time_s = duration > 0 ? fmod(strip->time_s, duration) : 0;
        draw_thumb(cr, &box, thumb, time_s, index == strip->marked);
    }
}

int draw_strip_pick(const struct draw_strip *strip, double x, double y)
{
    for (int place = 0; place < strip_places(strip); place++) {
        struct draw_box box = strip_box(strip, place);
        if (draw_box_contains(&box, x, y))
            return strip_index(strip, place);
    }
    return -1;
}

/* ---- the line of descent ---- */

/* The first that is seen. */
static int descent_first(const struct draw_descent *descent)
{
    const struct draw_box *box = &descent->box;
    int room = (int)((box->height - HEADING_PX * box->ui) / (STEP_HEIGHT_PX * box->ui));
    int first = descent->marked - room / 2, last = descent->count - room;
    first = first > last ? last : first;
    return first < 0 ? 0 : first;
}

static struct draw_box descent_box(const struct draw_descent *descent, int index)
{
    const struct draw_box *box = &descent->box;
    double row = STEP_HEIGHT_PX * box->ui;
    return (struct draw_box){box->x,
                             box->y + HEADING_PX * box->ui + (index - descent_first(descent)) * row,
                             box->width, row, box->ui};
}

static void draw_step(cairo_t *cr, const struct draw_box *box, const struct draw_step *step,
                      double time_s, int is_marked)
{
    double ui = box->ui, side = STEP_THUMB_PX * ui, left = box->x + side + 16 * ui;
    struct draw_box thumb_box = {box->x + 8 * ui, box->y + 3 * ui, side, side, ui};
    struct draw_thumb thumb = {step->thumb.replay, "", ""};
    double duration = thumb.replay ? replay_duration(thumb.replay) : 0;
    draw_thumb(cr, &thumb_box, &thumb, fmin(time_s, duration), is_marked);
    draw_text(cr, step->thumb.title, left, box->y + 16 * ui, 11 * ui, 1, DRAW_LEFT, COLOR_text);
    draw_text(cr, step->thumb.text, left, box->y + 31 * ui, 11 * ui, 0, DRAW_LEFT, COLOR_part_0);
    draw_text_lines(cr, step->change, left, box->y + 46 * ui, box->x + box->width - left - 8 * ui,
                    10 * ui, 3, COLOR_text_soft);
}

void draw_descent(cairo_t *cr, const struct draw_descent *descent)
{
    ENSURE(descent->steps && descent->count > 0 && descent->marked < descent->count,
           "step %d of %d", descent->marked, descent->count);
    const struct draw_box *box = &descent->box;
    double ui = box->ui;
    char text[64];
    draw_clip(cr, box->x, box->y, box->width, box->height);
    fill_box(cr, box, COLOR_panel, 0.96);
    snprintf(text, sizeof text, "line of descent: %d", descent->count);
    draw_text(cr, text, box->x + 10 * ui, box->y + 20 * ui, 12 * ui, 1, DRAW_LEFT, COLOR_text);
    for (int i = descent_first(descent); i < descent->count; i++) {
        struct draw_box row = descent_box(descent, i);
        if (row.y > box->y + box->height)
            break;
        draw_step(cr, &row, &descent->steps[i], descent->time_s, i == descent->marked);
    }
    cairo_restore(cr);
}

int draw_descent_pick(const struct draw_descent *descent, double x, double y)
{
    for (int i = descent_first(descent); i < descent->count; i++) {
        struct draw_box row = descent_box(descent, i);
        if (draw_box_contains(&row, x, y) && draw_box_contains(&descent->box, x, y))
            return i;
    }
    return -1;
}

/* ---- the river of forms ----
 *
 * Bands lie one upon the other around the middle of the box, the first at the top, each as high as
 * many live so. */

/* The upper edge of a band at a span; that of the band behind the last one ends the river. */
static double edge_of(const struct draw_river *d, int band, int span)
{
    const struct preserve_river *river = d->river;
    double px = (d->box.height - 2 * RIVER_MARGIN_PX * d->box.ui) / fmax(river->most, 1);
    int all = 0, above = 0;
    for (int i = 0; i < river->count; i++) {
        all += river->bands[i].counts[span];
        above += i < band ? river->bands[i].counts[span] : 0;
    }
    return d->box.y + d->box.height / 2 + (above - all / 2.0) * px;
}

static double x_of(const struct draw_river *d, double time_s)
{
    return d->box.x + fmin(time_s / d->duration_s, 1) * d->box.width;
}

static double middle_of(const struct draw_river *d, int span)
{
    return x_of(d, (span + 0.5) * d->river->end_s / PRESERVE_SPANS);
}

static void draw_bands(cairo_t *cr, const struct draw_river *d, double left, double right,
                       double alpha)
{
    draw_clip(cr, left, d->box.y, fmax(right - left, 0), d->box.height);
    for (int i = 0; i < d->river->count; i++) {
        int form = d->river->bands[i].form;
        for (int k = 0; k < PRESERVE_SPANS; k++)
            cairo_line_to(cr, middle_of(d, k), edge_of(d, i, k));
        for (int k = PRESERVE_SPANS; k-- > 0;)
            cairo_line_to(cr, middle_of(d, k), edge_of(d, i + 1, k));
        draw_set_color(cr, form == PRESERVE_FORM_OTHERS ? OTHERS_COLOR : palette_family_color(form),
                       alpha);
        cairo_fill(cr);
    }
    cairo_restore(cr);
}

void draw_river(cairo_t *cr, const struct draw_river *d)
{
    const struct draw_box *box = &d->box;
    ENSURE(d->duration_s > 0 && d->river->end_s > 0, "a river of %g s", d->duration_s);
    double now = x_of(d, d->time_s);
    char text[64];
    draw_rounded(cr, box->x, box->y, box->width, box->height, 4 * box->ui);
    draw_fill(cr, COLOR_grid, 0.1);
    draw_bands(cr, d, box->x, now, 1);
    draw_bands(cr, d, now, box->x + box->width, PALE);
    cairo_rectangle(cr, now - box->ui, box->y, 2 * box->ui, box->height);
    draw_fill(cr, COLOR_part_0, 1);
    snprintf(text, sizeof text, "forms, at most %d creatures", d->river->most);
    draw_text(cr, text, box->x + 6 * box->ui, box->y + 13 * box->ui, 11 * box->ui, 0, DRAW_LEFT,
              COLOR_text_soft);
}

int draw_river_pick(const struct draw_river *d, double x, double y)
{
    double time_s = (x - d->box.x) / fmax(d->box.width, 1) * d->duration_s;
    double span = floor(time_s / d->river->end_s * PRESERVE_SPANS);
    if (!draw_box_contains(&d->box, x, y) || !(span >= 0 && span < PRESERVE_SPANS))
        return -1;
    for (int i = 0; i < d->river->count; i++)
        if (y >= edge_of(d, i, (int)span) && y < edge_of(d, i + 1, (int)span))
            return i;
    return -1;
}
