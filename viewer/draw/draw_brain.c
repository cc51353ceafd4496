/* The living brain: what is wired to what, part by part, and what flows now.
 *
 * The panel has a row for the central set and for each part with neurons, wired sensors or an
 * effector: a swatch of the part's colour, its sensors (triangles), its neurons (discs with a sign
 * of their function) and its effectors, one for each freedom of its joint (squares at the right
 * end). Wires are bent lines from a source to its reader; beads run along them with the
 * signal, blue if it is negative, orange if positive. The layout is a function of the replay and
 * the view, so that a point of the picture can be looked up again. */
#include "viewer/draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/math/neuron.h"
#include "common/genome/sensor.h"

/* The greatest number of each that is drawn; the heading counts the rest. */
#define NEURONS_SHOWN  96
#define SENSORS_SHOWN  48
#define NEURON_COLUMNS 8
#define SENSOR_COLUMNS 3
#define CELL_PX        26.0
#define LABEL_PX       98.0
#define HEADING_PX     27.0
/* Small brains are drawn larger, up to this. */
#define LARGEST 1.6
#define OWNERS  (REPLAY_PARTS_MAX + 1) /* [0] = the central set */
/* Points of a wire that are compared with the pointer, and how near it must be. */
#define PICK_POINTS 24
#define PICK_PX     6.0
/* Beads of a wire, and how many of its lengths they run in a second. */
#define BEADS        2
#define BEAD_RATE_HZ 0.9

struct sensor_node {
    int part, sensor;
    int line, column;
};

struct brain_layout {
    double x, y, width, height, ui;
    int line_of[OWNERS], lines[OWNERS]; /* first line and their number; 0 lines: no row */
    int line_count, neuron_columns, sensor_columns, effector_columns;
    int neuron_count, sensor_count; /* shown */
    int line_of_neuron[NEURONS_SHOWN], column_of_neuron[NEURONS_SHOWN];
    unsigned char is_live[NEURONS_SHOWN]; /* an effector depends on it */
    struct sensor_node sensors[SENSORS_SHOWN];
};

/* Signs of the functions, in the order of their table. */
static const char *const function_signs[NEURON_FUNCTION_COUNT] = {
    [NEURON_SUM] = "+",
    [NEURON_PRODUCT] = "\xc3\x97",
    [NEURON_DIVIDE] = "\xc3\xb7",
    [NEURON_SUM_THRESHOLD] = "+>",
    [NEURON_GREATER_THAN] = ">",
    [NEURON_SIGN_OF] = "\xc2\xb1",
    [NEURON_MIN] = "min",
    [NEURON_MAX] = "max",
    [NEURON_ABS] = "|x|",
    [NEURON_IF] = "if",
    [NEURON_INTERPOLATE] = "mix",
    [NEURON_SIN] = "sin",
    [NEURON_COS] = "cos",
    [NEURON_ATAN] = "atn",
    [NEURON_LOG] = "ln",
    [NEURON_EXPT] = "exp",
    [NEURON_SIGMOID] = "S",
    [NEURON_INTEGRATE] = "\xe2\x88\xab",
    [NEURON_DIFFERENTIATE] = "d/t",
    [NEURON_SMOOTH] = "\xe2\x89\x88",
    [NEURON_MEMORY] = "M",
    [NEURON_OSCILLATE_WAVE] = "~",
    [NEURON_OSCILLATE_SAW] = "N",
};

/* ---- layout ---- */

static int input_count(const struct replay *replay, int neuron)
{
    return neuron_functions[replay->neurons[neuron].function].input_count;
}

static int find_sensor(const struct brain_layout *layout, int part, int sensor)
{
    for (int i = 0; i < layout->sensor_count; i++)
        if (layout->sensors[i].part == part && layout->sensors[i].sensor == sensor)
            return i;
    return -1;
}

static void note_sensor(struct brain_layout *layout, const struct wire *wire)
{
    if (wire->kind != WIRE_SENSOR || layout->sensor_count == SENSORS_SHOWN ||
        find_sensor(layout, wire->index, wire->sensor) >= 0)
        return;
    layout->sensors[layout->sensor_count++] = (struct sensor_node){wire->index, wire->sensor, 0, 0};
}

/* Marks the neuron that a wire reads, and all neurons that this one depends on: as deep as there
 * are neurons at most. */
static void mark_live(struct brain_layout *layout, const struct replay *replay,
                      const struct wire *wire)
{
    if (wire->kind != WIRE_NEURON || wire->index >= layout->neuron_count ||
        layout->is_live[wire->index])
        return;
    layout->is_live[wire->index] = 1;
    for (int k = 0; k < input_count(replay, wire->index); k++)
        mark_live(layout, replay, &replay->neurons[wire->index].inputs[k]);
}

static int effector_part(const struct replay *replay, int effector)
{
    return replay->drives[replay->effectors[effector].drive].part;
}

/* How many effectors of the same part come before. */
static int effector_column(const struct replay *replay, int effector)
{
    int column = 0;
    for (int i = 0; i < effector; i++)
        column += effector_part(replay, i) == effector_part(replay, effector);
    return column;
}

static int most_lines(int lines, int used, int columns)
{
    int needed = (used + columns - 1) / columns;
    return needed > lines ? needed : lines;
}

/* Gives every node its line and column, lines counted within the row. */
static void place_nodes(struct brain_layout *layout, const struct replay *replay)
{
    int neurons[OWNERS] = {0}, felt[OWNERS] = {0};
    for (int i = 0; i < layout->neuron_count; i++) {
        int used = neurons[replay->neurons[i].part + 1]++;
        layout->line_of_neuron[i] = used / NEURON_COLUMNS;
        layout->column_of_neuron[i] = used % NEURON_COLUMNS;
        layout->neuron_columns =
            most_lines(layout->neuron_columns, layout->column_of_neuron[i] + 1, 1);
    }
    for (int i = 0; i < layout->sensor_count; i++) {
        struct sensor_node *node = &layout->sensors[i];
        int used = felt[node->part + 1]++;
        node->line = used / SENSOR_COLUMNS;
        node->column = used % SENSOR_COLUMNS;
        layout->sensor_columns = most_lines(layout->sensor_columns, node->column + 1, 1);
    }
    for (int owner = 0; owner < OWNERS; owner++) {
        layout->lines[owner] = most_lines(0, neurons[owner], NEURON_COLUMNS);
        layout->lines[owner] = most_lines(layout->lines[owner], felt[owner], SENSOR_COLUMNS);
    }
    for (int i = 0; i < replay->effector_count; i++) {
        int owner = effector_part(replay, i) + 1;
        layout->lines[owner] = layout->lines[owner] ? layout->lines[owner] : 1;
        layout->effector_columns =
            most_lines(layout->effector_columns, effector_column(replay, i) + 1, 1);
    }
    for (int owner = 0; owner < OWNERS; owner++) {
        layout->line_of[owner] = layout->line_count;
        layout->line_count += layout->lines[owner];
    }
}

static void lay_out(struct brain_layout *layout, const struct draw_view *view,
                    const struct replay *replay)
{
    memset(layout, 0, sizeof *layout);
    layout->neuron_count =
        replay->neuron_count < NEURONS_SHOWN ? replay->neuron_count : NEURONS_SHOWN;
    for (int i = 0; i < layout->neuron_count; i++)
        for (int k = 0; k < input_count(replay, i); k++)
            note_sensor(layout, &replay->neurons[i].inputs[k]);
    for (int i = 0; i < replay->effector_count; i++) {
        note_sensor(layout, &replay->effectors[i].input);
        mark_live(layout, replay, &replay->effectors[i].input);
    }
    place_nodes(layout, replay);
    int columns = layout->sensor_columns + layout->neuron_columns + layout->effector_columns;
    double room = fmax(view->height_px - 96 * view->ui, 1);
    double across = fmax(0.42 * view->width_px, 1);
    double height = layout->line_count * CELL_PX + HEADING_PX + 7;
    double width = fmax(LABEL_PX + 18 + columns * CELL_PX, 200);
    double share = fmin(room / (height * view->ui), across / (width * view->ui));
    layout->ui = view->ui * fmin(LARGEST, fmax(share, 0.35));
    layout->width = width * layout->ui;
    layout->height = height * layout->ui;
    layout->x = view->left_px + view->width_px - layout->width - 12 * view->ui;
    layout->y = view->top_px + 36 * view->ui;
}

static struct vec2 cell(const struct brain_layout *layout, int part, int line, double column)
{
    double side = CELL_PX * layout->ui;
    return (struct vec2){layout->x + LABEL_PX * layout->ui + (column + 0.5) * side,
                         layout->y + HEADING_PX * layout->ui +
                             (layout->line_of[part + 1] + line + 0.5) * side};
}

static struct vec2 neuron_place(const struct brain_layout *layout, const struct replay *replay,
                                int neuron)
{
    return cell(layout, replay->neurons[neuron].part, layout->line_of_neuron[neuron],
                layout->sensor_columns + layout->column_of_neuron[neuron]);
}

static struct vec2 sensor_place(const struct brain_layout *layout, int index)
{
    const struct sensor_node *node = &layout->sensors[index];
    return cell(layout, node->part, node->line, node->column);
}

static struct vec2 effector_place(const struct brain_layout *layout, const struct replay *replay,
                                  int effector)
{
    return cell(layout, effector_part(replay, effector), 0,
                layout->sensor_columns + layout->neuron_columns +
                    effector_column(replay, effector));
}

/* ---- wires ---- */

/* A wire that can be drawn: its curve, what flows, and what cutting it means. */
struct strand {
    struct vec2 points[4];
    double flow;
    struct replay_cut cut, source; /* source: CUT_NONE unless a neuron is read */
};

/* 0 if the wire reads nothing that is shown. */
static int strand_make(struct strand *strand, const struct brain_layout *layout,
                       const struct replay *replay, const struct wire *wire, struct vec2 to,
                       struct replay_cut cut, const struct replay_frame *frame)
{
    struct vec2 from;
    memset(strand, 0, sizeof *strand);
    if (wire->kind == WIRE_NEURON && wire->index >= 0 && wire->index < layout->neuron_count) {
        from = neuron_place(layout, replay, wire->index);
        strand->flow = frame->neurons[wire->index] * wire->weight;
        strand->source = (struct replay_cut){CUT_NEURON, wire->index, 0};
    } else if (wire->kind == WIRE_SENSOR) {
        int index = find_sensor(layout, wire->index, wire->sensor);
        if (index < 0)
            return 0;
        from = sensor_place(layout, index);
        strand->flow = frame->sensors[wire->index * SENSOR_COUNT + wire->sensor] * wire->weight;
    } else {
        return 0;
    }
    double ui = layout->ui, bend = 9 * ui + 0.1 * fabs(to.x - from.x);
    strand->cut = cut;
    strand->points[0] = strand->points[1] = from;
    strand->points[2] = strand->points[3] = to;
    strand->points[1].y -= bend;
    strand->points[2].y -= bend;
    /* a neuron that reads itself */
    if (fabs(to.x - from.x) < 6 * ui && fabs(to.y - from.y) < 6 * ui) {
        strand->points[1].x -= 18 * ui;
        strand->points[2].x += 18 * ui;
        strand->points[1].y -= 9 * ui;
        strand->points[2].y -= 9 * ui;
    }
    return 1;
}

static struct vec2 strand_at(const struct strand *strand, double t)
{
    const struct vec2 *p = strand->points;
    double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    return (struct vec2){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                         a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* Calls back for every strand, those of neurons first. */
typedef void strand_visitor(void *context, const struct strand *strand);
static void visit_strands(const struct brain_layout *layout, const struct replay *replay,
                          const struct replay_frame *frame, strand_visitor *visit, void *context)
{
    struct strand strand;
    for (int i = 0; i < layout->neuron_count; i++) {
        struct vec2 to = neuron_place(layout, replay, i);
        int inputs = input_count(replay, i);
        for (int k = 0; k < inputs; k++) {
            /* inputs arrive side by side, so that each can be pointed at */
            struct vec2 at = {to.x + (k - (inputs - 1) / 2.0) * 4.5 * layout->ui,
                              to.y - 5 * layout->ui};
            struct replay_cut cut = {CUT_NEURON_INPUT, i, k};
            if (strand_make(&strand, layout, replay, &replay->neurons[i].inputs[k], at, cut, frame))
                visit(context, &strand);
        }
    }
    for (int i = 0; i < replay->effector_count; i++) {
        struct vec2 to = effector_place(layout, replay, i);
        struct replay_cut cut = {CUT_EFFECTOR_INPUT, i, 0};
        if (strand_make(&strand, layout, replay, &replay->effectors[i].input, to, cut, frame))
            visit(context, &strand);
    }
}

struct wiring {
    cairo_t *cr;
    const struct brain_layout *layout;
    const struct replay *replay;
    const struct replay_cut *pointed;
    double time_s;
};

/* Whether the mouse is at it: then the path, which stays, is lit. */
static void light_pointed(const struct wiring *wiring, const struct replay_cut *cut)
{
    if (!wiring->pointed || !replay_is_same_cut(wiring->pointed, cut))
        return;
    draw_set_color(wiring->cr, palette[COLOR_light].light, 1);
    cairo_set_line_width(wiring->cr, 5 * wiring->layout->ui);
    cairo_stroke_preserve(wiring->cr);
}

static void draw_cross(cairo_t *cr, struct vec2 at, double size, double ui)
{
    draw_line(cr, at.x - size, at.y - size, at.x + size, at.y + size);
    draw_line(cr, at.x - size, at.y + size, at.x + size, at.y - size);
    draw_stroke(cr, COLOR_bad, 1, 2.2 * ui);
}

static void draw_strand(void *context, const struct strand *strand)
{
    static const double dashes[] = {3, 3};
    const struct wiring *wiring = context;
    cairo_t *cr = wiring->cr;
    double ui = wiring->layout->ui;
    int is_cut = replay_is_cut(wiring->replay, &strand->cut);
    int is_silent =
        is_cut || (strand->source.kind && replay_is_cut(wiring->replay, &strand->source));
    double strength = is_silent ? 0 : fmin(fabs(strand->flow), 1);
    uint32_t color = palette[is_silent          ? COLOR_neutral
                             : strand->flow < 0 ? COLOR_negative
                                                : COLOR_positive]
                         .light;
    const struct vec2 *p = strand->points;
    if (is_silent)
        cairo_set_dash(cr, dashes, 2, 0);
    cairo_move_to(cr, p[0].x, p[0].y);
    cairo_curve_to(cr, p[1].x, p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
    light_pointed(wiring, &strand->cut);
    draw_set_color(cr, color, 0.22 + 0.6 * strength);
    cairo_set_line_width(cr, (0.8 + 1.2 * strength) * ui);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    for (int i = 0; i < BEADS && strength >= 0.04; i++) {
        struct vec2 at =
            strand_at(strand, fmod(wiring->time_s * BEAD_RATE_HZ + (double)i / BEADS, 1));
        cairo_arc(cr, at.x, at.y, (1.2 + 1.6 * strength) * ui, 0, 2 * DRAW_PI);
        draw_set_color(cr, color, 0.35 + 0.65 * strength);
        cairo_fill(cr);
    }
    if (is_cut)
        draw_cross(cr, strand_at(strand, 0.5), 3.5 * ui, ui);
}

/* ---- nodes ---- */

/* Negative blue, positive orange, nothing pale. */
static uint32_t value_color(double value, double full)
{
    double share = fmin(fabs(value) / full, 1);
    enum palette_color end = value < 0 ? COLOR_negative : COLOR_positive;
    return palette_mix(palette[COLOR_panel].light, palette[end].light, share);
}

static void draw_labels(cairo_t *cr, const struct brain_layout *layout, const struct replay *replay)
{
    double ui = layout->ui;
    char text[64];
    for (int owner = 0; owner <= replay->part_count; owner++) {
        if (!layout->lines[owner])
            continue;
        double y = cell(layout, owner - 1, 0, 0).y;
        if (owner == 0) {
            draw_text(cr, "central", layout->x + 10 * ui, y + 3.5 * ui, 10 * ui, 0, DRAW_LEFT,
                      COLOR_text_soft);
            continue;
        }
        draw_rounded(cr, layout->x + 10 * ui, y - 5 * ui, 10 * ui, 10 * ui, 2 * ui);
        draw_fill(cr, palette_part_color(replay->parts[owner - 1].color), 1);
        /* both numbers: the part's, and that of its body gene, which mutations name */
        snprintf(text, sizeof text, "part %d, body %d", owner - 1, replay->parts[owner - 1].body);
        draw_text(cr, text, layout->x + 25 * ui, y + 3.5 * ui, 10 * ui, 0, DRAW_LEFT,
                  COLOR_text_soft);
    }
    snprintf(text, sizeof text, "brain: neurons %d, effectors %d", replay->neuron_count,
             replay->effector_count);
    double size =
        fmin(11 * ui, 11 * ui * (layout->width - 16 * ui) / draw_text_width(cr, text, 11 * ui, 1));
    draw_text(cr, text, layout->x + 10 * ui, layout->y + 18 * ui, size, 1, DRAW_LEFT, COLOR_text);
}

static void draw_neuron(const struct wiring *wiring, int index, double value)
{
    const struct brain_layout *layout = wiring->layout;
    cairo_t *cr = wiring->cr;
    struct vec2 at = neuron_place(layout, wiring->replay, index);
    struct replay_cut cut = {CUT_NEURON, index, 0};
    int is_live = layout->is_live[index];
    double ui = layout->ui, radius = 8.5 * ui;
    uint32_t fill = value_color(value, 1);
    cairo_arc(cr, at.x, at.y, radius, 0, 2 * DRAW_PI);
    draw_set_color(cr, fill, is_live ? 1 : 0.5);
    cairo_fill_preserve(cr);
    light_pointed(wiring, &cut);
    draw_stroke(cr, COLOR_neutral, is_live ? 1 : 0.4, ui);
    const char *sign = function_signs[wiring->replay->neurons[index].function];
    double size = (strlen(sign) > 2 ? 6.5 : 11) * ui;
    draw_text(cr, sign, at.x, at.y + 0.36 * size, size, 0, DRAW_CENTRE,
              is_live ? COLOR_text : COLOR_neutral);
    if (replay_is_cut(wiring->replay, &cut))
        draw_cross(cr, at, 0.75 * radius, ui);
}

static void draw_sensor(const struct wiring *wiring, int index, const struct replay_frame *frame)
{
    const struct sensor_node *node = &wiring->layout->sensors[index];
    struct vec2 at = sensor_place(wiring->layout, index);
    double r = 7 * wiring->layout->ui;
    cairo_t *cr = wiring->cr;
    cairo_move_to(cr, at.x - 0.8 * r, at.y - r);
    cairo_line_to(cr, at.x + r, at.y);
    cairo_line_to(cr, at.x - 0.8 * r, at.y + r);
    cairo_close_path(cr);
    draw_set_color(cr, value_color(frame->sensors[node->part * SENSOR_COUNT + node->sensor], 1), 1);
    cairo_fill_preserve(cr);
    draw_stroke(cr, COLOR_joint_line, 0.8, wiring->layout->ui);
}

static void draw_effector(const struct wiring *wiring, int index, double signal)
{
    const struct replay *replay = wiring->replay;
    struct vec2 at = effector_place(wiring->layout, replay, index);
    double r = 7.5 * wiring->layout->ui;
    double full = fmin(replay->drives[replay->effectors[index].drive].signal_full, 1);
    cairo_t *cr = wiring->cr;
    draw_rounded(cr, at.x - r, at.y - r, 2 * r, 2 * r, 2 * wiring->layout->ui);
    draw_set_color(cr, value_color(signal, full), 1);
    cairo_fill_preserve(cr);
    draw_stroke(cr, COLOR_joint_line, 1, wiring->layout->ui);
}

/* ---- pointing ---- */

struct picking {
    double x, y, nearest_px;
    struct replay_cut cut;
};

static void pick_strand(void *context, const struct strand *strand)
{
    struct picking *picking = context;
    for (int i = 1; i < PICK_POINTS; i++) {
        struct vec2 at = strand_at(strand, (double)i / PICK_POINTS);
        double away = hypot(at.x - picking->x, at.y - picking->y);
        if (away < picking->nearest_px) {
            picking->nearest_px = away;
            picking->cut = strand->cut;
        }
    }
}

double draw_brain_width(const struct draw_view *view, const struct replay *replay)
{
    struct brain_layout layout;
    lay_out(&layout, view, replay);
    return view->left_px + view->width_px - layout.x + 12 * view->ui;
}

double draw_brain_bottom(const struct draw_view *view, const struct replay *replay)
{
    struct brain_layout layout;
    lay_out(&layout, view, replay);
    return layout.y + layout.height;
}

struct replay_cut draw_brain_pick(const struct draw_view *view, const struct replay *replay,
                                  double x, double y)
{
    struct brain_layout layout;
    struct replay_frame frame = replay_get_frame(replay, 0);
    lay_out(&layout, view, replay);
    struct picking picking = {x, y, PICK_PX * layout.ui, {CUT_NONE, 0, 0}};
    for (int i = 0; i < layout.neuron_count; i++) {
        struct vec2 at = neuron_place(&layout, replay, i);
        if (hypot(at.x - x, at.y - y) < 8.5 * layout.ui)
            return (struct replay_cut){CUT_NEURON, i, 0};
    }
    visit_strands(&layout, replay, &frame, pick_strand, &picking);
    return picking.cut;
}

static void describe(const struct replay *replay, const struct replay_cut *cut,
                     const struct replay_frame *frame, char *text, size_t size)
{
    const char *click = replay_is_cut(replay, cut) ? "click: put back" : "click: cut";
    char source[64];
    if (cut->kind == CUT_NEURON) {
        const struct neuron *neuron = &replay->neurons[cut->index];
        char lag[64] = "";
        if (neuron->lag_turns > 0)
            snprintf(lag, sizeof lag, ", lags by %.2f turns", neuron->lag_turns);
        snprintf(text, size, "neuron %d: %s%s, now %.2f   %s", cut->index,
                 neuron_functions[neuron->function].name, lag, frame->neurons[cut->index], click);
        return;
    }
    const struct wire *wire = cut->kind == CUT_EFFECTOR_INPUT
                                  ? &replay->effectors[cut->index].input
                                  : &replay->neurons[cut->index].inputs[cut->input];
    if (wire->kind == WIRE_SENSOR)
        snprintf(source, sizeof source, "sensor %s of part %d", sensors[wire->sensor].name,
                 wire->index);
    else
        snprintf(source, sizeof source, "neuron %d", wire->index);
    if (cut->kind == CUT_EFFECTOR_INPUT)
        snprintf(text, size, "%s x %.2f to effector %d of part %d   %s", source, wire->weight,
                 effector_column(replay, cut->index) + 1, effector_part(replay, cut->index), click);
    else
        snprintf(text, size, "%s x %.2f to neuron %d, input %d   %s", source, wire->weight,
                 cut->index, cut->input, click);
}

static void draw_hint(const struct wiring *wiring, const struct draw_view *view,
                      const struct replay_frame *frame)
{
    const struct brain_layout *layout = wiring->layout;
    char text[200];
    double size = 11 * view->ui;
    describe(wiring->replay, wiring->pointed, frame, text, sizeof text);
    double width = draw_text_width(wiring->cr, text, size, 0) + 20 * view->ui;
    double x = layout->x + layout->width - width, y = layout->y + layout->height + 6 * view->ui;
    draw_panel(wiring->cr, x, y, width, 24 * view->ui, view->ui);
    draw_text(wiring->cr, text, x + 10 * view->ui, y + 16 * view->ui, size, 0, DRAW_LEFT,
              COLOR_text);
}

void draw_brain(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, const struct replay_cut *pointed)
{
    struct brain_layout layout;
    struct replay_frame frame = replay_frame_at(replay, time_s);
    lay_out(&layout, view, replay);
    struct wiring wiring = {cr, &layout, replay, pointed, time_s};

    draw_panel(cr, layout.x, layout.y, layout.width, layout.height, view->ui);
    draw_labels(cr, &layout, replay);
    visit_strands(&layout, replay, &frame, draw_strand, &wiring);
    for (int i = 0; i < layout.sensor_count; i++)
        draw_sensor(&wiring, i, &frame);
    for (int i = 0; i < layout.neuron_count; i++)
        draw_neuron(&wiring, i, frame.neurons[i]);
    for (int i = 0; i < replay->effector_count; i++)
        draw_effector(&wiring, i, frame.signals[i]);
    if (pointed && pointed->kind != CUT_NONE)
        draw_hint(&wiring, view, &frame);
}
