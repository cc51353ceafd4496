/* The energy ledger as a panel: a bar for each term.
 *
 * In the corner of a picture it takes at most HEIGHT_SHARE of the height: where all terms are too
 * many, those that hardly matter in this replay are left out, and then it shrinks. It stands below
 * the title's line, over what is on the ground: on the right, or on the left where a brain or a
 * split view is on the right; beside a brain that leaves room it stands below that. Where there is
 * little width its bars are shorter, or left out. */
#include "viewer/draw/draw.h"

#include <math.h>
#include <stdio.h>

/* Sizes at ui = 1. */
#define WIDTH_PX  300.0
#define LEAST_PX  176.0 /* names and numbers; the bars take the rest */
#define BAR_PX    110.0
#define ROW_PX    17.0
#define HEAD_PX   34.0
#define MARGIN_PX 12.0
/* Where its upper edge is: title and time are seen. */
#define TOP_PX 38.0
/* The panel cannot be read when it is smaller than this share of its size. */
#define SMALLEST     0.85
#define HEIGHT_SHARE 0.45
/* A term matters if at the end it is at least this share of the largest. */
#define MATTERS 0.005

struct ledger_layout {
    double x, y, width, height, ui;
    int terms[ENERGY_COUNT], count;
    double largest_j; /* bars share one scale: the largest term of the whole replay */
};

static double height_of(int count)
{
    return count * ROW_PX + HEAD_PX;
}

/* All terms if they fit into the height, or those that matter. Kinetic energy and work always
 * do. */
static void choose_terms(struct ledger_layout *layout, const struct replay *replay, double most_px)
{
    struct replay_frame last = replay_get_frame(replay, replay->frame_count - 1);
    layout->largest_j = 1e-9;
    layout->count = 0;
    for (int i = 0; i < ENERGY_COUNT; i++)
        layout->largest_j = fmax(layout->largest_j, fabs(last.energies[i]));
    int is_whole = height_of(ENERGY_COUNT) * layout->ui <= most_px;
    for (int i = 0; i < ENERGY_COUNT; i++)
        if (is_whole || i == ENERGY_kinetic_j || i == ENERGY_work_j ||
            fabs(last.energies[i]) >= MATTERS * layout->largest_j)
            layout->terms[layout->count++] = i;
}

/* Fits the panel into so much room; 0 if it would be too small to be read. */
static int fit(struct ledger_layout *layout, const struct replay *replay, double ui, double width,
               double height)
{
    layout->ui = ui;
    choose_terms(layout, replay, height);
    double share = fmin(height / (height_of(layout->count) * ui), width / (LEAST_PX * ui));
    layout->ui = ui * fmin(1, fmax(share, SMALLEST));
    layout->width = fmin(WIDTH_PX * layout->ui, fmax(width, LEAST_PX * layout->ui));
    layout->height = height_of(layout->count) * layout->ui;
    return share >= SMALLEST;
}

static enum palette_color color_of(int term)
{
    if (term >= ENERGY_unearned_j)
        return COLOR_contact;
    if (term >= ENERGY_friction_j)
        return COLOR_negative;
    return term == ENERGY_work_j ? COLOR_positive : COLOR_neutral;
}

static void draw_layout(cairo_t *cr, const struct ledger_layout *layout,
                        const struct replay *replay, double time_s)
{
    double ui = layout->ui, x = layout->x, right = x + layout->width - 10 * ui;
    double bar = fmin(BAR_PX * ui, layout->width - (LEAST_PX + 14) * ui);
    char text[32];
    struct replay_frame frame = replay_frame_at(replay, time_s);
    draw_panel(cr, x, layout->y, layout->width, layout->height, ui);
    draw_text(cr, "energy ledger, J", x + 10 * ui, layout->y + 18 * ui, 11 * ui, 1, DRAW_LEFT,
              COLOR_text);
    if (layout->count < ENERGY_COUNT && bar > 0) {
        snprintf(text, sizeof text, "%d more, near 0", ENERGY_COUNT - layout->count);
        draw_text(cr, text, right, layout->y + 18 * ui, 10 * ui, 0, DRAW_RIGHT, COLOR_text_soft);
    }
    for (int i = 0; i < layout->count; i++) {
        int term = layout->terms[i];
        double line = layout->y + 27 * ui + (i + 0.5) * ROW_PX * ui, value = frame.energies[term];
        double length = bar * fmin(fabs(value) / layout->largest_j, 1);
        draw_text(cr, replay_energy_names[term], x + 10 * ui, line + 4 * ui, 10.5 * ui, 0,
                  DRAW_LEFT, COLOR_text_soft);
        cairo_rectangle(cr, x + 122 * ui, line - 4.5 * ui, bar > 0 ? fmax(length, ui) : 0, 9 * ui);
        draw_fill(cr, color_of(term), 0.8);
        /* no "-0.000" */
        snprintf(text, sizeof text, "%.3f", fabs(value) < 5e-4 ? 0 : value);
        draw_text(cr, text, right, line + 4 * ui, 10.5 * ui, 0, DRAW_RIGHT, COLOR_text);
    }
}

static void lay_out_corner(struct ledger_layout *layout, const struct draw_view *view,
                           const struct replay *replay, double taken_px)
{
    double margin = MARGIN_PX * view->ui, room = view->width_px - 2 * margin;
    fit(layout, replay, view->ui, room - taken_px, HEIGHT_SHARE * view->height_px);
    layout->x = view->left_px + margin + (taken_px > 0 ? 0 : room - layout->width);
    layout->y = view->top_px + TOP_PX * view->ui;
}

void draw_ledger(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                 double time_s, double taken_px)
{
    struct ledger_layout layout;
    lay_out_corner(&layout, view, replay, taken_px);
    draw_layout(cr, &layout, replay, time_s);
}

double draw_ledger_bottom(const struct draw_view *view, const struct replay *replay)
{
    struct ledger_layout layout;
    lay_out_corner(&layout, view, replay, draw_brain_width(view, replay));
    return layout.y + layout.height;
}

double draw_ledger_height(const struct draw_view *view, const struct replay *replay)
{
    struct ledger_layout layout = {.ui = view->ui};
    choose_terms(&layout, replay, 0);
    return (height_of(layout.count) + 2 * MARGIN_PX) * view->ui;
}

int draw_ledger_below_brain(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                            double time_s, double bottom)
{
    struct ledger_layout layout;
    double margin = MARGIN_PX * view->ui, top = draw_brain_bottom(view, replay) + margin;
    double width = draw_brain_width(view, replay) - 2 * margin;
    if (!fit(&layout, replay, view->ui, width, bottom - top - margin))
        return 0;
    layout.width = fmin(width, 1.5 * layout.width);
    layout.x = view->left_px + view->width_px - margin - layout.width;
    layout.y = top;
    if (cr)
        draw_layout(cr, &layout, replay, time_s);
    return 1;
}
