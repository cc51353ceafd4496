/* Overlays: what one cannot see of a creature. Contacts and joint limits are drawn in the world, the
 * living brain and the energy ledger as panels. */
#include "viewer/draw.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

#include "common/neuron.h"

/* ---- in the world ---- */

void draw_contacts(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s)
{
    struct replay_frame frame;
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);
    double weight = fmax(replay->measures.mass_kg, 1e-6) * fmax(replay->gravity_m_s2, 1) / 240;
    cairo_set_line_width(cr, 2 * view->ui);
    draw_set_color(cr, palette[COLOR_contact].light, 0.9);
    for (int i = 0; i < frame.contact_count; i++) {
        const struct replay_contact *contact = &frame.contacts[i];
        double x = draw_view_x(view, contact->x_m), y = draw_view_y(view, contact->y_m);
        /* the body's weight in one step is 26 px */
        double length = 26 * view->ui * fmin(contact->impulse_n_s / weight, 3);
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + view->flip * contact->normal_x * length,
                      y - contact->normal_y * length);
        cairo_stroke(cr);
        cairo_arc(cr, x, y, 3 * view->ui, 0, 2 * DRAW_PI);
        cairo_fill(cr);
    }
}

/* A linear joint's range: a line along its axis with ends, and where the part is on it. */
static void draw_range(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       const struct replay_frame *frame, int index)
{
    const struct replay_link *link = &replay->links[index];
    const struct replay_part *part = &replay->parts[link->part];
    const struct replay_pose *pose = &frame->poses[link->part];
    double extension = frame->joints_rad[index], tick = 6 * view->ui;
    struct vec2 at = draw_place(pose, part->anchor);
    int at_limit = extension < link->lower + 0.002 || extension > link->upper - 0.002;

    cairo_save(cr);
    cairo_translate(cr, draw_view_x(view, at.x), draw_view_y(view, at.y));
    cairo_scale(cr, view->flip, -1);
    cairo_rotate(cr, pose->angle_rad + atan2(link->axis.y, link->axis.x));
    draw_set_color(cr, palette[COLOR_limit].light, 0.7);
    cairo_set_line_width(cr, view->ui);
    const double ends[2] = {(link->lower - extension) * view->px_per_m,
                            (link->upper - extension) * view->px_per_m};
    cairo_move_to(cr, ends[0], 0);
    cairo_line_to(cr, ends[1], 0);
    for (int i = 0; i < 2; i++) {
        cairo_move_to(cr, ends[i], -tick);
        cairo_line_to(cr, ends[i], tick);
    }
    cairo_stroke(cr);
    cairo_move_to(cr, 0, -1.4 * tick);
    cairo_line_to(cr, 0, 1.4 * tick);
    draw_set_color(cr, palette[at_limit ? COLOR_contact : COLOR_joint_line].light, 0.9);
    cairo_set_line_width(cr, (at_limit ? 2.4 : 1.4) * view->ui);
    cairo_stroke(cr);
    cairo_restore(cr);
}

void draw_limits(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                 double time_s)
{
    struct replay_frame frame;
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);
    for (int i = 1; i < replay->link_count; i++) {
        const struct replay_link *link = &replay->links[i];
        const struct replay_part *part = &replay->parts[link->part];
        if (part->is_linear) {
            draw_range(cr, view, replay, &frame, i);
            continue;
        }
        const struct replay_pose *pose = &frame.poses[link->part];
        double c = cos(pose->angle_rad), s = sin(pose->angle_rad);
        double ax = c * part->anchor.x - s * part->anchor.y;
        double ay = s * part->anchor.x + c * part->anchor.y;
        double toward = atan2(-ay, -ax), rest = toward - frame.joints_rad[i];
        double length = hypot(ax, ay) * view->px_per_m;
        double radius = fmin(fmax(0.7 * length, 8 * view->ui), 46 * view->ui);
        int at_limit =
            frame.joints_rad[i] < link->lower + 0.01 || frame.joints_rad[i] > link->upper - 0.01;

        cairo_save(cr);
        cairo_translate(cr, draw_view_x(view, pose->x_m + ax), draw_view_y(view, pose->y_m + ay));
        cairo_scale(cr, view->flip, -1);
        cairo_move_to(cr, 0, 0);
        cairo_arc(cr, 0, 0, radius, rest + link->lower, rest + link->upper);
        cairo_close_path(cr);
        draw_set_color(cr, palette[COLOR_limit].light, 0.16);
        cairo_fill_preserve(cr);
        draw_set_color(cr, palette[COLOR_limit].light, 0.7);
        cairo_set_line_width(cr, view->ui);
        cairo_stroke(cr);
        cairo_move_to(cr, 0, 0);
        cairo_line_to(cr, radius * 1.12 * cos(toward), radius * 1.12 * sin(toward));
        draw_set_color(cr, palette[at_limit ? COLOR_contact : COLOR_joint_line].light, 0.9);
        cairo_set_line_width(cr, (at_limit ? 2.4 : 1.4) * view->ui);
        cairo_stroke(cr);
        cairo_restore(cr);
    }
}

/* ---- the brain ---- */

/* Most neurons drawn; the rest is counted. */
#define BRAIN_NEURONS_SHOWN 96
#define BRAIN_COLUMNS_MAX   8
#define BRAIN_CELL_PX       26.0
#define BRAIN_LABEL_PX      58.0

/* The panel has a row for the central set and for each part that has neurons or an effector: a swatch
 * of the part's colour, its neurons, and at the right end the effector of its joint. */
struct brain_layout {
    double x, y, width, height, ui;
    int row_of_part[REPLAY_PARTS_MAX + 1]; /* [0] = the central set; -1 = no row */
    int row_count, column_count;
    int shown; /* neurons */
    int column_of_neuron[BRAIN_NEURONS_SHOWN];
};

static void brain_lay_out(struct brain_layout *layout, const struct draw_view *view,
                          const struct replay *replay)
{
    int used[REPLAY_PARTS_MAX + 1] = {0}, has_row[REPLAY_PARTS_MAX + 1] = {0};
    layout->ui = view->ui;
    layout->row_count = layout->column_count = 0;
    layout->shown =
        replay->neuron_count < BRAIN_NEURONS_SHOWN ? replay->neuron_count : BRAIN_NEURONS_SHOWN;
    for (int i = 0; i < layout->shown; i++) {
        int owner = replay->neurons[i].part + 1;
        has_row[owner] = 1;
        layout->column_of_neuron[i] = used[owner]++ % BRAIN_COLUMNS_MAX;
        if (layout->column_of_neuron[i] >= layout->column_count)
            layout->column_count = layout->column_of_neuron[i] + 1;
    }
    for (int i = 0; i < replay->effector_count; i++)
        has_row[replay->links[replay->effectors[i].link].part + 1] = 1;
    for (int owner = 0; owner <= replay->part_count; owner++)
        layout->row_of_part[owner] = has_row[owner] ? layout->row_count++ : -1;

    double cell = BRAIN_CELL_PX * view->ui, rows = layout->row_count;
    double room = view->height_px - 96 * view->ui;
    if (rows * cell + 34 * view->ui > room && rows > 0)
        layout->ui *= fmax(room / (rows * cell + 34 * view->ui), 0.35);
    cell = BRAIN_CELL_PX * layout->ui;
    layout->width = (BRAIN_LABEL_PX + 18) * layout->ui + (layout->column_count + 1) * cell;
    layout->width = fmax(layout->width, 200 * layout->ui);
    layout->height = rows * cell + 34 * layout->ui;
    layout->x = view->left_px + view->width_px - layout->width - 12 * view->ui;
    layout->y = view->top_px + 36 * view->ui;
}

static struct vec2 brain_cell(const struct brain_layout *layout, int part, int column)
{
    double cell = BRAIN_CELL_PX * layout->ui;
    return (struct vec2){layout->x + BRAIN_LABEL_PX * layout->ui + (column + 0.5) * cell,
                         layout->y + 27 * layout->ui +
                             (layout->row_of_part[part + 1] + 0.5) * cell};
}

static struct vec2 brain_neuron_place(const struct brain_layout *layout,
                                      const struct replay *replay, int neuron)
{
    return brain_cell(layout, replay->neurons[neuron].part, layout->column_of_neuron[neuron]);
}

/* Negative blue, positive orange, nothing pale. */
static uint32_t value_color(double value, double full)
{
    double share = fmin(fabs(value) / full, 1);
    enum palette_color end = value < 0 ? COLOR_negative : COLOR_positive;
    return palette_mix(palette[COLOR_panel].light, palette[end].light, share);
}

/* A bent line from a neuron to its reader, as strong as what flows. */
static void draw_wire(cairo_t *cr, const struct brain_layout *layout, const struct replay *replay,
                      const struct wire *wire, struct vec2 to, const float *outputs)
{
    if (wire->kind != WIRE_NEURON || wire->index >= layout->shown || wire->index < 0)
        return;
    struct vec2 from = brain_neuron_place(layout, replay, wire->index);
    double flow = outputs[wire->index] * wire->weight;
    double bend = 9 * layout->ui + 0.1 * fabs(to.x - from.x);
    cairo_move_to(cr, from.x, from.y);
    cairo_curve_to(cr, from.x, from.y - bend, to.x, to.y - bend, to.x, to.y);
    draw_set_color(cr, palette[flow < 0 ? COLOR_negative : COLOR_positive].light,
                   0.2 + 0.6 * fmin(fabs(flow), 1));
    cairo_set_line_width(cr, (0.7 + 1.2 * fmin(fabs(flow), 1)) * layout->ui);
    cairo_stroke(cr);
}

static void draw_wires(cairo_t *cr, const struct brain_layout *layout, const struct replay *replay,
                       const float *outputs)
{
    for (int i = 0; i < layout->shown; i++)
        for (int k = 0; k < neuron_functions[replay->neurons[i].function].input_count; k++)
            draw_wire(cr, layout, replay, &replay->neurons[i].inputs[k],
                      brain_neuron_place(layout, replay, i), outputs);
    for (int i = 0; i < replay->effector_count; i++) {
        int part = replay->links[replay->effectors[i].link].part;
        draw_wire(cr, layout, replay, &replay->effectors[i].input,
                  brain_cell(layout, part, layout->column_count), outputs);
    }
}

static void draw_brain_labels(cairo_t *cr, const struct brain_layout *layout,
                              const struct replay *replay)
{
    double ui = layout->ui;
    char text[40];
    for (int owner = 0; owner <= replay->part_count; owner++) {
        if (layout->row_of_part[owner] < 0)
            continue;
        double y = brain_cell(layout, owner - 1, 0).y;
        if (owner == 0) {
            draw_text(cr, "central", layout->x + 10 * ui, y + 3.5 * ui, 10 * ui, 0, DRAW_LEFT,
                      COLOR_text_soft);
            continue;
        }
        draw_rounded(cr, layout->x + 10 * ui, y - 5 * ui, 10 * ui, 10 * ui, 2 * ui);
        draw_set_color(cr, palette[palette_part_color(replay->parts[owner - 1].depth)].light, 1);
        cairo_fill(cr);
        snprintf(text, sizeof text, "%d", owner - 1);
        draw_text(cr, text, layout->x + 25 * ui, y + 3.5 * ui, 10 * ui, 0, DRAW_LEFT,
                  COLOR_text_soft);
    }
    snprintf(text, sizeof text, "brain: neurons %d, effectors %d", replay->neuron_count,
             replay->effector_count);
    double size =
        fmin(11 * ui, 11 * ui * (layout->width - 16 * ui) / draw_text_width(cr, text, 11 * ui, 1));
    draw_text(cr, text, layout->x + 10 * ui, layout->y + 18 * ui, size, 1, DRAW_LEFT, COLOR_text);
}

void draw_brain(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s)
{
    struct brain_layout layout;
    struct replay_frame frame;
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);
    brain_lay_out(&layout, view, replay);
    double radius = 7 * layout.ui;

    draw_panel(cr, layout.x, layout.y, layout.width, layout.height, view->ui);
    draw_brain_labels(cr, &layout, replay);
    draw_wires(cr, &layout, replay, frame.neurons);
    cairo_set_line_width(cr, layout.ui);
    for (int i = 0; i < layout.shown; i++) {
        struct vec2 at = brain_neuron_place(&layout, replay, i);
        cairo_arc(cr, at.x, at.y, radius, 0, 2 * DRAW_PI);
        draw_set_color(cr, value_color(frame.neurons[i], 1), 1);
        cairo_fill_preserve(cr);
        draw_set_color(cr, palette[COLOR_neutral].light, 1);
        cairo_stroke(cr);
    }
    for (int i = 0; i < replay->effector_count; i++) {
        int part = replay->links[replay->effectors[i].link].part;
        struct vec2 at = brain_cell(&layout, part, layout.column_count);
        draw_rounded(cr, at.x - radius, at.y - radius, 2 * radius, 2 * radius, 2 * layout.ui);
        double full = fmin(replay->links[replay->effectors[i].link].signal_full, 1);
        draw_set_color(cr, value_color(frame.signals[i], full), 1);
        cairo_fill_preserve(cr);
        draw_set_color(cr, palette[COLOR_joint_line].light, 1);
        cairo_stroke(cr);
    }
}

/* ---- the ledger ---- */

void draw_ledger(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                 double time_s)
{
    double ui = view->ui, row = 17 * ui, width = 300 * ui, height = row * ENERGY_COUNT + 34 * ui;
    double x = view->left_px + view->width_px - width - 12 * ui;
    double y = view->top_px + view->height_px - height - 44 * ui, largest = 1e-9;
    struct replay_frame frame;
    char text[32];

    /* bars share one scale: the largest term of the whole replay */
    replay_get_frame(replay, replay->frame_count - 1, &frame);
    for (int i = 0; i < ENERGY_COUNT; i++)
        largest = fmax(largest, fabs(frame.energies[i]));
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);

    draw_panel(cr, x, y, width, height, ui);
    draw_text(cr, "energy ledger, J", x + 10 * ui, y + 18 * ui, 11 * ui, 1, DRAW_LEFT, COLOR_text);
    for (int i = 0; i < ENERGY_COUNT; i++) {
        double line = y + 27 * ui + (i + 0.5) * row, value = frame.energies[i];
        double length = 110 * ui * fmin(fabs(value) / largest, 1);
        enum palette_color color = i >= ENERGY_unearned_j   ? COLOR_contact
                                   : i >= ENERGY_friction_j ? COLOR_negative
                                   : i == ENERGY_work_j     ? COLOR_positive
                                                            : COLOR_neutral;
        draw_text(cr, replay_energy_names[i], x + 10 * ui, line + 4 * ui, 10.5 * ui, 0, DRAW_LEFT,
                  COLOR_text_soft);
        draw_set_color(cr, palette[color].light, 0.8);
        cairo_rectangle(cr, x + 122 * ui, line - 4.5 * ui, fmax(length, ui), 9 * ui);
        cairo_fill(cr);
        snprintf(text, sizeof text, "%.3f", value);
        draw_text(cr, text, x + width - 10 * ui, line + 4 * ui, 10.5 * ui, 0, DRAW_RIGHT,
                  COLOR_text);
    }
}

#endif
