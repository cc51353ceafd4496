/* See draw_preserve.h. A creature has its family's colour, pale where it is hungry; hunters have a
 * red edge; its mouth is a dot, which flashes when it eats; a bitten creature has a red ring.
 * Plants are green as far as they are full. */
#include "viewer/draw/draw_preserve.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "simulator/preserve/preserve_state.h"
#include "viewer/draw/draw.h"

#define DEATH_SHOWN_S 2.0
/* Shown around the water, for creatures that are pushed back at its banks. */
#define BANK_M        0.8
#define PLANT_COLOR   0x3f8f4f
#define HUNTER_COLOR  0xb3261e
#define CARRION_COLOR 0x8a7f73
#define EGG_COLOR     0xb98a2e
#define MOUTH_COLOR   0xffffff
#define SPARED_COLOR  0xe0a526
#define FLESH_COLOR   0xe5342b
#define DARK_COLOR    0x10303e

/* Width of the water that is shown around a followed creature, m; and how fast the eye follows. */
#define NEAR_M     9.0
#define FOLLOW_1_S 4.0
/* A creature that is followed right of this share of the width has its panel at the left. */
#define PANEL_SIDE_SHARE 0.6
/* A creature is hit within this way of a part's middle besides its size, px. */
#define PICK_PX 8.0

struct picture {
    cairo_t *cr;
    const struct preserve_replay *waters;
    const struct preserve_camera *view;
    const struct preserve_replay_moment *moment;
    const struct preserve_replay_moment *before; /* NULL: it is the first */
    double left, top, px_per_m, ui, height_m, width_px, water_px;
};

/* Causes of death, in words of people. */
static const char *const death_words[EPOCH_CAUSE_COUNT] = {
    "starved", "died of age", "was eaten", "broke physics", "was taken out", "strained too much"};
_Static_assert(DEATH_HUNGER == 0 && DEATH_AGE == 1 && DEATH_BITTEN == 2 && DEATH_GUARD == 3 &&
                   DEATH_REMOVED == 4 && DEATH_STRAIN == 5,
               "words in the order of causes");
static const char *const food_words[EPOCH_FOOD_COUNT] = {"plants", "carrion", "the living"};

/* A middle from which no more than a bank is seen beside the water. */
static double clamp_middle(double middle_m, double water_m, double seen_m)
{
    double least = seen_m / 2 - BANK_M, most = water_m - seen_m / 2 + BANK_M;
    return least > most ? water_m / 2 : fmin(fmax(middle_m, least), most);
}

static struct picture picture_of(cairo_t *cr, int width_px, int height_px,
                                 const struct preserve_replay *w, int moment,
                                 const struct preserve_camera *view)
{
    double ui = draw_ui_scale(width_px, height_px),
           water_px = height_px - DRAW_WATERS_LEGEND_PX * ui;
    double width_m = w->params.preserve_width_m, height_m = w->params.preserve_height_m;
    double fit = fmin(width_px / (width_m + 2 * BANK_M), water_px / (height_m + 2 * BANK_M));
    double px_per_m = fit * view->zoom;
    double x_m = clamp_middle(view->x_m, width_m, width_px / px_per_m);
    double y_m = clamp_middle(view->y_m, height_m, water_px / px_per_m);
    return (struct picture){.cr = cr,
                            .waters = w,
                            .view = view,
                            .moment = &w->moments[moment],
                            .before = moment > 0 ? &w->moments[moment - 1] : NULL,
                            .px_per_m = px_per_m,
                            .ui = ui,
                            .left = width_px / 2.0 - x_m * px_per_m,
                            .top = water_px / 2 - (height_m - y_m) * px_per_m,
                            .height_m = height_m,
                            .width_px = width_px,
                            .water_px = water_px};
}

static double at_x(const struct picture *p, double x_m)
{
    return p->left + x_m * p->px_per_m;
}
static double at_y(const struct picture *p, double y_m)
{
    return p->top + (p->height_m - y_m) * p->px_per_m;
}

static void disc(const struct picture *p, double x_m, double y_m, double radius_px, uint32_t color,
                 double alpha)
{
    draw_set_color(p->cr, color, alpha);
    cairo_arc(p->cr, at_x(p, x_m), at_y(p, y_m), radius_px, 0, 2 * DRAW_PI);
    cairo_fill(p->cr);
}

/* Water that darkens downward and by night. */
static void draw_water(const struct picture *p)
{
    double width = p->waters->params.preserve_width_m * p->px_per_m;
    double height = p->height_m * p->px_per_m;
    double night = p->moment->daylight < 1 ? 0.5 * (1 - p->moment->daylight) : 0;
    cairo_pattern_t *pattern = draw_gradient(
        p->top, p->top + height, palette_mix(palette[COLOR_water_top].light, DARK_COLOR, night),
        palette_mix(0x4f8aa0, DARK_COLOR, night));
    cairo_set_source(p->cr, pattern);
    cairo_rectangle(p->cr, p->left, p->top, width, height);
    cairo_fill(p->cr);
    cairo_pattern_destroy(pattern);
}

static void draw_plants(const struct picture *p)
{
    const struct preserve_replay *w = p->waters;
    double side_m = w->params.preserve_width_m / w->columns;
    double side = side_m * p->px_per_m;
    for (int row = 0; row < w->rows; row++)
        for (int column = 0; column < w->columns; column++) {
            double share = p->moment->plants[row * w->columns + column] / 255.0;
            if (share < 0.04)
                continue;
            double size = side * (0.25 + 0.6 * share);
            draw_set_color(p->cr, PLANT_COLOR, 0.12 + 0.4 * share);
            draw_rounded(p->cr, at_x(p, (column + 0.5) * side_m) - size / 2,
                         at_y(p, (row + 0.5) * side_m) - size / 2, size, size, size * 0.3);
            cairo_fill(p->cr);
        }
}

/* A ring closes until it hatches. */
static void draw_eggs(const struct picture *p)
{
    for (int i = 0; i < p->moment->egg_count; i++) {
        const struct preserve_replay_thing *egg = &p->moment->eggs[i];
        double radius = fmax(egg->radius_m * p->px_per_m, 3);
        disc(p, egg->x_m, egg->y_m, radius, 0xfdf6e3, 0.9);
        draw_set_color(p->cr, p->view->by_form ? EGG_COLOR : palette_family_color(egg->family), 1);
        cairo_set_line_width(p->cr, 1.6 * p->ui);
        cairo_arc(p->cr, at_x(p, egg->x_m), at_y(p, egg->y_m), radius, -DRAW_PI / 2,
                  -DRAW_PI / 2 + 2 * DRAW_PI * fmax(egg->share, 0.02));
        cairo_stroke(p->cr);
    }
}

static void ring(const struct picture *p, double x_m, double y_m, double radius_px, uint32_t color,
                 double width_px)
{
    draw_set_color(p->cr, color, 0.9);
    cairo_set_line_width(p->cr, width_px * p->ui);
    cairo_arc(p->cr, at_x(p, x_m), at_y(p, y_m), radius_px, 0, 2 * DRAW_PI);
    cairo_stroke(p->cr);
}

/* From its middle to its farthest part, m. */
static double reach_of(const struct picture *p, const struct preserve_replay_creature *c)
{
    double reach = 0;
    for (int i = 0; i < c->part_count; i++) {
        const struct preserve_replay_part *part = &p->moment->parts[c->first_part + i];
        reach = fmax(reach, hypot((double)(part->x_m - c->x_m), (double)(part->y_m - c->y_m)) +
                                (double)fmaxf(part->width_m, part->height_m) / 2);
    }
    return reach;
}

/* An edge lies below what it surrounds, so that thin parts keep their colour. */
static void draw_parts(const struct picture *p, const struct preserve_replay_creature *c,
                       uint32_t color, double edge_px)
{
    for (int i = 0; i < c->part_count; i++) {
        const struct preserve_replay_part *part = &p->moment->parts[c->first_part + i];
        double width = part->width_m * p->px_per_m, height = part->height_m * p->px_per_m;
        cairo_save(p->cr);
        cairo_translate(p->cr, at_x(p, part->x_m), at_y(p, part->y_m));
        cairo_rotate(p->cr, -part->angle_rad);
        draw_rounded(p->cr, -width / 2, -height / 2, width, height, fmin(width, height) * 0.42);
        cairo_restore(p->cr);
        draw_set_color(p->cr, color, 1);
        if (edge_px > 0) {
            cairo_set_line_width(p->cr, edge_px * p->ui);
            cairo_stroke(p->cr);
        } else
            cairo_fill(p->cr);
    }
}

/* It flashes when it eats. */
static void draw_mouth(const struct picture *p, const struct preserve_replay_mouth *mouth)
{
    static const uint32_t bites[] = {PLANT_COLOR, CARRION_COLOR, FLESH_COLOR};
    double size = fmax((double)mouth->width_m * p->px_per_m * 0.25, 1.8);
    if (mouth->is_eating >= 0)
        disc(p, mouth->x_m, mouth->y_m, 2.4 * size, bites[mouth->is_eating], 0.85);
    disc(p, mouth->x_m, mouth->y_m, size, MOUTH_COLOR, 1);
    if (mouth->kind == MOUTH_FLESH)
        disc(p, mouth->x_m, mouth->y_m, 0.6 * size, FLESH_COLOR, 1);
}

/* What creatures of one colour have in common. */
static int kind_of(const struct picture *p, const struct preserve_replay_creature *c)
{
    return p->view->by_form ? c->form : c->family;
}

static void draw_creature_of(const struct picture *p, const struct preserve_replay_creature *c)
{
    uint32_t family = palette_family_color(kind_of(p, c));
    draw_parts(p, c, c->is_hunter ? HUNTER_COLOR : palette_mix(family, 0x14222a, 0.6),
               c->is_hunter ? 4 : 1.6);
    draw_parts(p, c, palette_mix(0xf2f2ee, family, 0.4 + 0.6 * c->fullness), 0);
    for (int i = 0; i < c->mouth_count; i++)
        draw_mouth(p, &p->moment->mouths[c->first_mouth + i]);
    /* mouths took something from it since the moment before */
    const struct preserve_replay_creature *was =
        p->before ? preserve_replay_find_living(p->before, c->id) : NULL;
    if (was && c->bitten_j > was->bitten_j)
        ring(p, c->x_m, c->y_m, fmax(0.5 * reach_of(p, c) * p->px_per_m, 7 * p->ui), FLESH_COLOR,
             2.2);
}

static void draw_marked(const struct picture *p, int moment)
{
    double x_m, y_m, radius_px = 12 * p->ui;
    if (!preserve_replay_find(p->waters, moment, p->view->marked, &x_m, &y_m))
        return;
    const struct preserve_replay_creature *c =
        preserve_replay_find_living(p->moment, p->view->marked);
    if (c)
        radius_px = reach_of(p, c) * p->px_per_m + 8 * p->ui;
    ring(p, x_m, y_m, radius_px, 0xffffff, 2);
    ring(p, x_m, y_m, radius_px + 2 * p->ui, 0x1d2b33, 1.2);
}

static void draw_deaths(const struct picture *p)
{
    for (int i = 0; i < p->waters->event_count; i++) {
        const struct preserve_replay_event *d = &p->waters->events[i];
        double since_s = p->moment->time_s - d->time_s;
        if (d->cause >= 0 && since_s >= 0 && since_s < DEATH_SHOWN_S)
            draw_text(p->cr, death_words[d->cause], at_x(p, d->x_m), at_y(p, d->y_m) - 10 * p->ui,
                      11 * p->ui, 1, DRAW_CENTRE, COLOR_bad);
    }
}

/* ---- a creature's life ---- */

enum { PANEL_LINES = 15, PANEL_TEXT = 96 };
struct panel {
    char lines[PANEL_LINES][PANEL_TEXT];
    int count;
};

__attribute__((format(printf, 2, 3))) static void say(struct panel *panel, const char *format, ...)
{
    va_list arguments;
    if (panel->count == PANEL_LINES)
        return;
    va_start(arguments, format);
    vsnprintf(panel->lines[panel->count++], PANEL_TEXT, format, arguments);
    va_end(arguments);
}

/* Minutes and seconds. */
static const char *clock_of(double time_s, char text[24])
{
    int seconds = (int)(fmax(time_s, 0) + 1e-6);
    snprintf(text, 24, "%d:%02d", seconds / 60, seconds % 60);
    return text;
}

/* Energy comes from its egg and from food; what it does not hold is spent. */
static void say_energy(struct panel *panel, const struct picture *p,
                       const struct preserve_replay_creature *c)
{
    const struct preserve_replay_event *birth = preserve_replay_find_event(p->waters, c->id, 0);
    double got = 0;
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++) {
        got += (double)c->gained_j[i];
        if (c->gained_j[i] > 0)
            say(panel, "ate %.0f J of %s", (double)c->gained_j[i], food_words[i]);
    }
    if (got == 0)
        say(panel, "has not eaten yet");
    if (birth)
        say(panel, "hatched with %.0f J, has spent %.0f J", (double)birth->held_j,
            fmax((double)birth->held_j + got - (double)(c->reserve_j + c->body_j), 0));
    if (c->bitten_j >= 1)
        say(panel, "mouths took %.0f J of late", (double)c->bitten_j);
    say(panel, "reserve %.0f J (%.0f %% full)", (double)c->reserve_j, 100 * (double)c->fullness);
    say(panel, "body %.0f of %.0f J", (double)c->body_j, (double)c->whole_j);
}

static void say_living(struct panel *panel, const struct picture *p,
                       const struct preserve_replay_creature *c)
{
    const struct preserve_replay_event *death = preserve_replay_find_event(p->waters, c->id, 1);
    double until_s = death ? fmin(death->time_s, p->moment->time_s) : p->moment->time_s;
    char born[24], age[24];
    int mouths[MOUTH_COUNT] = {0};
    for (int i = 0; i < c->mouth_count; i++)
        mouths[p->moment->mouths[c->first_mouth + i].kind]++;
    say(panel, "%s of family %d, generation %d", c->is_hunter ? "hunter" : "grazer", c->family,
        c->generation);
    say(panel, "mouths: %d for plants, %d for flesh", mouths[MOUTH_PLANTS], mouths[MOUTH_FLESH]);
    if (c->mother && c->father)
        say(panel, "parents %" PRIu64 ", %" PRIu64, c->mother, c->father);
    else if (c->mother)
        say(panel, "mother %" PRIu64 ", no father", c->mother);
    else
        say(panel, "a founder: no parents");
    if (c->is_spared)
        say(panel, "people protect it from mouths");
    say(panel, "born %s, age %s", clock_of((double)c->born_s, born),
        clock_of(until_s - (double)c->born_s, age));
    say(panel, "%d %s, has swum %.0f m", c->children, c->children == 1 ? "child" : "children",
        (double)c->way_m);
    say_energy(panel, p, c);
}

static void say_death(struct panel *panel, const struct picture *p, int moment, int has_carcass)
{
    const struct preserve_replay_event *death =
        preserve_replay_find_event(p->waters, p->view->marked, 1);
    const struct preserve_replay_event *birth =
        preserve_replay_find_event(p->waters, p->view->marked, 0);
    const struct preserve_replay_creature *last = NULL;
    char at[24];
    if (death && death->time_s <= p->moment->time_s + 1e-6) {
        say(panel, "%s at %s", death_words[death->cause], clock_of(death->time_s, at));
        say(panel, has_carcass ? "its carcass is here" : "nothing is left of it");
    } else
        say(panel, birth && birth->time_s > p->moment->time_s ? "its egg is not laid yet"
                                                              : "is not in this world now");
    for (int i = moment; i >= 0 && !last; i--)
        last = preserve_replay_find_living(&p->waters->moments[i], p->view->marked);
    if (last)
        say_living(panel, p, last);
}

static void fill_panel(struct panel *panel, const struct picture *p, int moment)
{
    double x_m, y_m;
    enum preserve_replay_being being =
        preserve_replay_find(p->waters, moment, p->view->marked, &x_m, &y_m);
    say(panel, "creature %" PRIu64, p->view->marked);
    if (being == WATERS_LIVING)
        say_living(panel, p, preserve_replay_find_living(p->moment, p->view->marked));
    else if (being == WATERS_EGG)
        say(panel, "an egg: hatches when its ring is closed");
    else
        say_death(panel, p, moment, being == WATERS_CARCASS);
}

static void draw_life(const struct picture *p, int moment)
{
    struct panel panel = {.count = 0};
    double ui = p->ui, width = 0;
    fill_panel(&panel, p, moment);
    for (int i = 0; i < panel.count; i++)
        width = fmax(width, draw_text_width(p->cr, panel.lines[i], 12 * ui, i == 0));
    width += 24 * ui;
    /* on the side where it is not, below what may be said at the left */
    double x_m = 0, y_m;
    preserve_replay_find(p->waters, moment, p->view->marked, &x_m, &y_m);
    int is_left = at_x(p, x_m) > PANEL_SIDE_SHARE * p->width_px;
    double x = is_left ? 12 * ui : p->width_px - width - 12 * ui, y = (is_left ? 52 : 12) * ui;
    draw_panel(p->cr, x, y, width, (panel.count * 18 + 16) * ui, ui);
    for (int i = 0; i < panel.count; i++)
        draw_text(p->cr, panel.lines[i], x + 12 * ui, y + (22 + 18 * i) * ui, 12 * ui, i == 0,
                  DRAW_LEFT, COLOR_text);
}

/* ---- the legend ---- */

/* How many have the colour of creature i; 0: one before it has the same. */
static int count_alike(const struct picture *p, int i)
{
    const struct preserve_replay_moment *m = p->moment;
    int count = 0, kind = kind_of(p, &m->creatures[i]);
    for (int k = 0; k < m->creature_count; k++) {
        int is_same = kind_of(p, &m->creatures[k]) == kind;
        if (is_same && k < i)
            return 0;
        count += is_same;
    }
    return count;
}

/* Families, or forms, by their numbers of the living, as one bar. */
static void draw_family_bar(const struct picture *p, double x, double y, double width,
                            double height)
{
    const struct preserve_replay_moment *m = p->moment;
    double at = x;
    for (int i = 0; i < m->creature_count; i++) {
        double share = (double)count_alike(p, i) / m->creature_count;
        draw_set_color(p->cr, palette_family_color(kind_of(p, &m->creatures[i])), 1);
        cairo_rectangle(p->cr, at, y, width * share, height);
        cairo_fill(p->cr);
        at += width * share;
    }
}

/* A sign, and what it means. Returns where the next one has room. */
enum sign { SIGN_EATS, SIGN_MOUTH, SIGN_EDGE, SIGN_RING, SIGN_BODY, SIGN_EGG, SIGN_CARCASS };
static double draw_key(const struct picture *p, double x, double y, enum sign sign, uint32_t color,
                       const char *text)
{
    double ui = p->ui, r = 5.5 * ui, cx = x + r, cy = y - 4 * ui;
    draw_set_color(p->cr, color, 1);
    if (sign == SIGN_EDGE || sign == SIGN_BODY)
        draw_rounded(p->cr, x, cy - r, 2 * r, 2 * r, 3 * ui);
    else
        cairo_arc(p->cr, cx, cy, sign == SIGN_CARCASS ? 0.8 * r : r, 0, 2 * DRAW_PI);
    cairo_set_line_width(p->cr, 2 * ui);
    if (sign == SIGN_EDGE || sign == SIGN_RING || sign == SIGN_EGG)
        cairo_stroke(p->cr);
    else
        cairo_fill(p->cr);
    if (sign == SIGN_EATS || sign == SIGN_MOUTH) {
        draw_set_color(p->cr, sign == SIGN_EATS ? MOUTH_COLOR : FLESH_COLOR, 1);
        cairo_arc(p->cr, cx, cy, 0.45 * r, 0, 2 * DRAW_PI);
        cairo_fill(p->cr);
    }
    return x + 28 * ui + draw_text(p->cr, text, x + 16 * ui, y, 12 * ui, 0, DRAW_LEFT, COLOR_text);
}

/* The marks of eating and of being eaten. A mouth is white, a mouth for flesh has a red middle. */
static void draw_signs(const struct picture *p, double x, double y)
{
    double at = draw_key(p, x, y, SIGN_MOUTH, 0x9aa4aa, "a hunter's mouth");
    at += 8 * p->ui + draw_text(p->cr, "a mouth eats", at, y, 12 * p->ui, 1, DRAW_LEFT, COLOR_text);
    at = draw_key(p, at, y, SIGN_EATS, PLANT_COLOR, "plants");
    at = draw_key(p, at, y, SIGN_EATS, CARRION_COLOR, "carrion");
    at = draw_key(p, at, y, SIGN_EATS, FLESH_COLOR, "the living");
    at = draw_key(p, at, y, SIGN_EDGE, HUNTER_COLOR, "hunter");
    at = draw_key(p, at, y, SIGN_RING, FLESH_COLOR, "is bitten");
    at = draw_key(p, at, y, SIGN_BODY, 0xe4e2da, "pale: hungry");
    at = draw_key(p, at, y, SIGN_EGG, EGG_COLOR, "egg");
    draw_key(p, at, y, SIGN_CARCASS, CARRION_COLOR, "the dead");
}

static void draw_legend(const struct picture *p, double top)
{
    const struct preserve_replay_moment *m = p->moment;
    char line[200], at[24];
    int kinds = 0, hunters = 0;
    double x = 14 * p->ui, y = top + 22 * p->ui;
    for (int i = 0; i < m->creature_count; i++)
        hunters += m->creatures[i].is_hunter, kinds += count_alike(p, i) > 0;
    snprintf(line, sizeof line, "world %d   %s   %d living, %d of them hunters   %d %s",
             p->waters->world, clock_of(m->time_s, at), m->creature_count, hunters, m->egg_count,
             m->egg_count == 1 ? "egg" : "eggs");
    draw_text(p->cr, line, x, y, 15 * p->ui, 1, DRAW_LEFT, COLOR_text);
    draw_signs(p, x, y + 24 * p->ui);
    snprintf(line, sizeof line,
             p->view->by_form ? "bodies of one tree of parts have one colour; forms: %d"
                              : "related have one colour; families: %d",
             kinds);
    double used = draw_text(p->cr, line, x, y + 48 * p->ui, 12 * p->ui, 1, DRAW_LEFT, COLOR_text);
    if (m->creature_count > 0)
        draw_family_bar(p, x + used + 12 * p->ui, y + 39 * p->ui,
                        p->width_px - used - x - 26 * p->ui, 11 * p->ui);
}

void draw_preserve(cairo_t *cr, int width_px, int height_px, const struct preserve_replay *w,
                   int moment, const struct preserve_camera *view)
{
    ENSURE(moment >= 0 && moment < w->moment_count, "moment %d of %d", moment, w->moment_count);
    ENSURE(width_px > 0 && height_px > 0 && view->zoom > 0, "%d x %d, zoom %g", width_px, height_px,
           view->zoom);
    struct picture p = picture_of(cr, width_px, height_px, w, moment, view);
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_paint(cr);
    draw_clip(cr, 0, 0, width_px, p.water_px);
    draw_water(&p);
    draw_plants(&p);
    for (int i = 0; i < p.moment->carcass_count; i++) {
        const struct preserve_replay_thing *c = &p.moment->carcasses[i];
        disc(&p, c->x_m, c->y_m, fmax(c->radius_m * p.px_per_m * 0.6, 2), CARRION_COLOR, 0.75);
    }
    draw_eggs(&p);
    for (int i = 0; i < p.moment->creature_count; i++)
        draw_creature_of(&p, &p.moment->creatures[i]);
    /* a protected creature has a golden ring */
    for (int i = 0; i < p.moment->creature_count; i++) {
        const struct preserve_replay_creature *c = &p.moment->creatures[i];
        if (c->is_spared)
            ring(&p, c->x_m, c->y_m, reach_of(&p, c) * p.px_per_m + 4 * p.ui, SPARED_COLOR, 2);
    }
    draw_deaths(&p);
    if (view->marked) {
        draw_marked(&p, moment);
        draw_life(&p, moment);
    }
    cairo_restore(cr);
    draw_legend(&p, p.water_px);
}

/* ---- what is seen ---- */

struct preserve_camera preserve_camera_of(const struct preserve_replay *w, uint64_t marked)
{
    struct preserve_camera view = {.x_m = w->params.preserve_width_m / 2,
                                   .y_m = w->params.preserve_height_m / 2,
                                   .zoom =
                                       marked ? fmax(w->params.preserve_width_m / NEAR_M, 1) : 1,
                                   .marked = marked,
                                   .is_following = marked != 0,
                                   .by_form = w->params.preserve_founders_copies};
    /* where it will be first */
    for (int i = 0; marked && i < w->moment_count; i++)
        if (preserve_replay_find(w, i, marked, &view.x_m, &view.y_m))
            break;
    return view;
}

void preserve_camera_follow(struct preserve_camera *view, const struct preserve_replay *w,
                            int moment, double dt_s)
{
    ENSURE(moment >= 0 && moment < w->moment_count, "moment %d of %d", moment, w->moment_count);
    double x_m, y_m, share = dt_s < 0 ? 1 : FOLLOW_1_S * dt_s / (1 + FOLLOW_1_S * dt_s);
    if (!view->is_following || !view->marked ||
        !preserve_replay_find(w, moment, view->marked, &x_m, &y_m))
        return;
    view->x_m += share * (x_m - view->x_m);
    view->y_m += share * (y_m - view->y_m);
}

void preserve_camera_place(const struct preserve_camera *view, int width_px, int height_px,
                           const struct preserve_replay *w, double x, double y, double *x_m,
                           double *y_m)
{
    struct picture p = picture_of(NULL, width_px, height_px, w, 0, view);
    *x_m = (x - p.left) / p.px_per_m;
    *y_m = p.height_m - (y - p.top) / p.px_per_m;
}

void preserve_camera_zoom(struct preserve_camera *view, int width_px, int height_px,
                          const struct preserve_replay *w, double factor, double x, double y)
{
    ENSURE(factor > 0, "zoom by %g", factor);
    double before_x, before_y, after_x, after_y;
    preserve_camera_pan(view, width_px, height_px, w, 0, 0);
    preserve_camera_place(view, width_px, height_px, w, x, y, &before_x, &before_y);
    view->zoom = fmin(fmax(view->zoom * factor, 1), WATERS_ZOOM_MOST);
    preserve_camera_place(view, width_px, height_px, w, x, y, &after_x, &after_y);
    view->x_m += before_x - after_x;
    view->y_m += before_y - after_y;
}

void preserve_camera_pan(struct preserve_camera *view, int width_px, int height_px,
                         const struct preserve_replay *w, double dx, double dy)
{
    struct picture p = picture_of(NULL, width_px, height_px, w, 0, view);
    /* from the middle as it is shown */
    view->x_m = (width_px / 2.0 - p.left - dx) / p.px_per_m;
    view->y_m = p.height_m - (p.water_px / 2 - p.top - dy) / p.px_per_m;
}

/* How far a point is from a part's rectangle, px; 0: it is in it. */
static double distance_to_part(const struct picture *p, const struct preserve_replay_part *part,
                               double x, double y)
{
    double dx = x - at_x(p, part->x_m), dy = y - at_y(p, part->y_m);
    double angle = (double)part->angle_rad, c = cos(angle), s = sin(angle);
    double along = fabs(dx * c - dy * s) - (double)part->width_m * p->px_per_m / 2;
    double across = fabs(dx * s + dy * c) - (double)part->height_m * p->px_per_m / 2;
    return hypot(fmax(along, 0), fmax(across, 0));
}

uint64_t preserve_camera_pick(const struct preserve_camera *view, int width_px, int height_px,
                              const struct preserve_replay *w, int moment, double x, double y)
{
    ENSURE(moment >= 0 && moment < w->moment_count, "moment %d of %d", moment, w->moment_count);
    struct picture p = picture_of(NULL, width_px, height_px, w, moment, view);
    double nearest_px = PICK_PX * p.ui;
    uint64_t found = 0;
    for (int i = 0; i < p.moment->egg_count; i++) {
        const struct preserve_replay_thing *egg = &p.moment->eggs[i];
        double px = hypot(at_x(&p, egg->x_m) - x, at_y(&p, egg->y_m) - y);
        if (px < nearest_px) {
            nearest_px = px;
            found = egg->id;
        }
    }
    for (int i = 0; i < p.moment->creature_count; i++)
        for (int k = 0; k < p.moment->creatures[i].part_count; k++) {
            const struct preserve_replay_creature *c = &p.moment->creatures[i];
            double px = distance_to_part(&p, &p.moment->parts[c->first_part + k], x, y);
            if (px < nearest_px) {
                nearest_px = px;
                found = c->id;
            }
        }
    return found;
}
