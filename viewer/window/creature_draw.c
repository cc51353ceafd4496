/* Draws a window of creatures: the shown part of the gallery, and around the picture the strip of
 * champions, the timeline of the run and the bar of time below it, and on the left a line of
 * descent.
 *
 * Choosing by hand: a bar with buttons above the panels, marks on the creatures, and what keys and
 * clicks on them do. Choices appear at once; what the controller says of them comes a moment later,
 * and takes back what it refuses. */
#include "viewer/window/creature_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/params/choice.h"

/* The strip is drawn so many times a second; at every frame it would be a fifth of the work. */
#define STRIP_HZ      15.0
#define BUTTON_PX     26.0
#define BUTTON_GAP_PX 8.0
#define TIMELINE_PX   58.0
#define STRIP_PX      84.0
/* Windows lower than this have no strip. */
#define STRIP_LEAST_PX 420
#define DESCENT_PX     330.0
/* The brain's panel leaves this much free at its foot. */
#define LEDGER_OVERLAP_PX 50.0

/* ---- what is shown ---- */

void creatures_collect_ready(struct creature_window *window)
{
    window->ready_count = 0;
    for (int i = 0; i < window->gallery->shown.count; i++) {
        const struct replay *replay = gallery_specimen(window->gallery, i)->replay;
        if (!replay)
            continue;
        window->index_of[window->ready_count] = i;
        window->replays[window->ready_count++] = replay;
    }
}

int creatures_ready_place(const struct creature_window *window, int index)
{
    for (int i = 0; i < window->ready_count; i++)
        if (window->index_of[i] == index)
            return i;
    return -1;
}

const struct replay *creatures_current_replay(const struct creature_window *window)
{
    int place = creatures_ready_place(window, window->current);
    return place < 0 ? NULL : window->replays[place];
}

/* The parent's place among those that are ready, of a line of descent; or -1. */
static int parent_place(const struct creature_window *window)
{
    return creatures_has_descent(window) ? creatures_ready_place(window, window->current + 1) : -1;
}

int creatures_shown(const struct creature_window *window, const struct replay **replays)
{
    int count = 0;
    if (window->view == VIEW_RACE || window->view == VIEW_CELLS) {
        memcpy(replays, window->replays, (size_t)window->ready_count * sizeof *replays);
        return window->ready_count;
    }
    int parent = window->view == VIEW_PAIR ? parent_place(window) : -1;
    if (parent >= 0)
        replays[count++] = window->replays[parent];
    if (creatures_current_replay(window))
        replays[count++] = creatures_current_replay(window);
    return count;
}

double creatures_duration(const struct player *player)
{
    const struct creature_window *window = (const struct creature_window *)player;
    const struct replay *replays[GALLERY_SHOWN_MAX];
    double duration = window->grip.live ? window->grip.duration_s : 0;
    int count = creatures_shown(window, replays);
    for (int i = 0; i < count; i++)
        duration = fmax(duration, replay_duration(replays[i]));
    return duration;
}

int creatures_has_run(const struct creature_window *window)
{
    return window->gallery->generation_count > 0;
}

/* ---- where things are ---- */

int creatures_has_strip(const struct creature_window *window)
{
    return window->is_strip && creatures_has_run(window) && window->player.height >= STRIP_LEAST_PX;
}

int creatures_has_descent(const struct creature_window *window)
{
    return window->gallery->kind == SHELF_LINEAGE;
}

int creatures_scene_left(const struct creature_window *window)
{
    return creatures_has_descent(window)
               ? (int)fmin(DESCENT_PX * player_ui(&window->player), 0.5 * window->player.width)
               : 0;
}

/* Width of what is between that and the right edge: the creature, and beside it its brain. */
static int room_width(const struct creature_window *window)
{
    return window->player.width - creatures_scene_left(window);
}

int creatures_has_brain(const struct creature_window *window)
{
    return window->view == VIEW_SINGLE && window->overlays & DRAW_BRAIN &&
           creatures_current_replay(window);
}

int creatures_scene_width(const struct creature_window *window)
{
    int room = room_width(window);
    if (!creatures_has_brain(window))
        return room;
    struct draw_view view = creatures_brain_view(window);
    int brain = (int)ceil(draw_brain_width(&view, creatures_current_replay(window)));
    return room > brain ? room - brain : 1;
}

int creatures_scene_height(const struct creature_window *window)
{
    double panels = BAR_HEIGHT_PX;
    if (creatures_has_run(window))
        panels += TIMELINE_PX + (creatures_has_strip(window) ? STRIP_PX : 0);
    if (creatures_has_choices(window))
        panels += CHOICES_PX;
    return (int)fmax(window->player.height - panels * player_ui(&window->player), 1);
}

double creatures_lane_height(const struct creature_window *window)
{
    return draw_lane_height(creatures_scene_height(window),
                            window->view == VIEW_RACE ? window->ready_count : 1);
}

/* A ledger stands below the brain, which leaves it room where it would be high. */
struct draw_view creatures_brain_view(const struct creature_window *window)
{
    const struct replay *replay = creatures_current_replay(window);
    struct draw_view view = {.width_px = room_width(window),
                             .height_px = creatures_scene_height(window),
                             .px_per_m = 1,
                             .flip = 1,
                             .ui =
                                 draw_ui_scale(room_width(window), creatures_scene_height(window))};
    if (replay && window->overlays & DRAW_LEDGER)
        view.height_px =
            fmax(view.height_px - draw_ledger_height(&view, replay) + LEDGER_OVERLAP_PX * view.ui,
                 0.5 * view.height_px);
    return view;
}

struct draw_box creatures_scene_box(const struct player *player)
{
    const struct creature_window *window = (const struct creature_window *)player;
    return (struct draw_box){creatures_scene_left(window), 0, room_width(window),
                             creatures_scene_height(window), player_ui(player)};
}

/* The curves of all that is shown. */
void creatures_fill_scrub(const struct player *player, struct draw_scrub *scrub,
                          const struct replay **replays)
{
    const struct creature_window *window = (const struct creature_window *)player;
    _Static_assert(PLAYER_CURVES_MAX >= GALLERY_SHOWN_MAX, "all creatures have a curve");
    scrub->count = creatures_shown(window, replays);
    for (int i = 0; i < scrub->count; i++)
        if (replays[i] == creatures_current_replay(window))
            scrub->marked = i;
}

void creatures_tell_place(const struct player *player, char *text, size_t size)
{
    const struct creature_window *window = (const struct creature_window *)player;
    if (window->gallery->shown.count > 1)
        snprintf(text, size, "%d/%d", window->current + 1, window->gallery->shown.count);
}

struct draw_timeline creatures_timeline_of(const struct creature_window *window)
{
    double ui = player_ui(&window->player), height = TIMELINE_PX * ui;
    int64_t generation = window->gallery->generation;
    if (window->gallery->kind == SHELF_CHAMPIONS)
        generation = window->gallery->shown.generations[window->current];
    return (struct draw_timeline){.box = {0, window->player.height - BAR_HEIGHT_PX * ui - height,
                                          window->player.width, height, ui},
                                  .generations = window->gallery->generations,
                                  .count = window->gallery->generation_count,
                                  .shown = generation,
                                  .is_live = window->is_live && window->has_news,
                                  .has_no_goal = window->gallery->choosing.has_no_goal};
}

/* How a creature is named: by its fitness, or by its number where all have the same fitness. */
static void tell_creature(const struct creature_window *window, const struct creature *creature,
                          const char *before, char text[48])
{
    if (window->gallery->choosing.has_no_goal)
        snprintf(text, 48, "no. %llu", (unsigned long long)creature->id);
    else
        snprintf(text, 48, "%s%.3g", before, creature->fitness);
}

struct draw_strip creatures_strip_of(const struct creature_window *window,
                                     struct draw_thumb *thumbs)
{
    double ui = player_ui(&window->player);
    struct draw_timeline timeline = creatures_timeline_of(window);
    struct draw_strip strip = {
        .box = {0, timeline.box.y - STRIP_PX * ui, window->player.width, STRIP_PX * ui, ui},
        .thumbs = thumbs,
        .count = window->gallery->strip.count,
        .marked = -1,
        .time_s = window->strip_s};
    for (int i = 0; i < strip.count; i++) {
        const struct specimen *specimen = window->gallery->strip.items[i];
        int64_t generation = window->gallery->strip.generations[i];
        thumbs[i].replay = specimen->replay;
        snprintf(thumbs[i].title, sizeof thumbs[i].title, "gen. %lld", (long long)generation);
        tell_creature(window, &specimen->creature, "", thumbs[i].text);
        if (generation <= timeline.shown)
            strip.marked = i;
    }
    return strip;
}

struct draw_descent creatures_descent_of(const struct creature_window *window,
                                         struct draw_step *steps)
{
    struct draw_descent descent = {.box = {0, 0, creatures_scene_left(window),
                                           creatures_scene_height(window),
                                           player_ui(&window->player)},
                                   .steps = steps,
                                   .count = window->gallery->shown.count,
                                   .marked = window->current,
                                   .time_s = window->player.time_s};
    for (int i = 0; i < descent.count; i++) {
        const struct specimen *specimen = gallery_specimen(window->gallery, i);
        const struct creature *creature = &specimen->creature;
        struct draw_thumb *thumb = &steps[i].thumb;
        thumb->replay = specimen->replay;
        snprintf(thumb->title, sizeof thumb->title, "gen. %lld, %.15s",
                 (long long)creature->generation, creature->method);
        tell_creature(window, creature, "fitness ", thumb->text);
        steps[i].change = creature->mutations[0]   ? creature->mutations
                          : i + 1 == descent.count ? "the first of its line"
                                                   : "nothing was changed";
    }
    return descent;
}

/* ---- choosing by hand ---- */

int creatures_has_choices(const struct creature_window *window)
{
    return window->gallery->choosing.is_interactive && window->chooser;
}

/* Whether the shown creatures can be chosen now. */
static int can_choose(const struct creature_window *window)
{
    return creatures_has_choices(window) && window->gallery->kind == SHELF_GENERATION &&
           window->gallery->choosing.waiting >= 0 &&
           window->gallery->generation == window->gallery->choosing.waiting;
}

/* The words about choosing. */
static void describe(const struct creature_window *window, char *text, size_t size)
{
    long long waiting = window->gallery->choosing.waiting;
    int breed = gallery_count_choices(window->gallery, CHOICE_BREED);
    int keep = gallery_count_choices(window->gallery, CHOICE_KEEP);
    if (can_choose(window) && breed + keep == 0)
        snprintf(text, size, "Generation %lld: which ones shall have children?", waiting);
    else if (can_choose(window))
        snprintf(text, size, "Generation %lld: %d to breed, %d to keep, %d banned", waiting, breed,
                 keep, gallery_count_choices(window->gallery, CHOICE_BAN));
    else if (waiting >= 0)
        snprintf(text, size, "Generation %lld waits for choices: the key End shows it", waiting);
    else if (window->gallery->choosing.is_over)
        snprintf(text, size, "The last generation is done; nothing is bred from it");
    else
        snprintf(text, size, "The next generation is being simulated ...");
}

/* ---- giving ---- */

static void set_choice(struct creature_window *window, int index, int choice)
{
    uint64_t id = gallery_specimen(window->gallery, index)->creature.id;
    if (chooser_choose(window->chooser, id, choice) ||
        gallery_note_choice(window->gallery, index, choice))
        player_say(&window->player, "too much at once");
    window->player.is_changed = 1;
}

/* 0, and a message that says why, where nothing can be chosen. */
static int check_choosing(struct creature_window *window)
{
    char text[120];
    if (can_choose(window) && window->gallery->shown.count)
        return 1;
    if (creatures_has_choices(window))
        describe(window, text, sizeof text);
    else
        snprintf(text, sizeof text, "no choices by hand in this run: see examples/interactive.ini");
    player_say(&window->player, text);
    return 0;
}

void creatures_choose(struct creature_window *window, int choice)
{
    ENSURE(choice_name(choice)[0], "choice %d", choice);
    if (!check_choosing(window))
        return;
    int is_same = gallery_choice(window->gallery, window->current) == choice;
    set_choice(window, window->current, is_same ? CHOICE_NONE : choice);
}

void creatures_change_choice(struct creature_window *window, int index)
{
    static const int next[] = {CHOICE_NONE, CHOICE_BREED, CHOICE_BAN, CHOICE_KEEP};
    if (!check_choosing(window))
        return;
    set_choice(window, index, next[gallery_choice(window->gallery, index) - CHOICE_BAN]);
}

void creatures_breed_next(struct creature_window *window, int unused)
{
    if (!check_choosing(window))
        return;
    if (chooser_next(window->chooser))
        player_say(&window->player, "too much at once");
    window->player.is_changed = 1;
}

void creatures_poll_choices(struct creature_window *window)
{
    struct chooser_answer answer;
    struct error error;
    int unused;
    if (!window->chooser)
        return;
    int status = chooser_poll(window->chooser, &answer, &error);
    if (status == ERR_BUSY)
        return;
    window->player.is_changed = 1;
    if (status)
        player_say(&window->player, error.message);
    else if (!answer.id)
        player_say(&window->player, answer.text);
    /* a refused choice is taken back, and one that has begun is seen at once */
    if (status || !answer.id) {
        gallery_refresh_choices(window->gallery, &unused, &error);
        window->next_news_s = 0;
    }
}

/* ---- the bar ---- */

struct button {
    struct draw_box box;
    const char *text;
    int choice;
    enum palette_color color;
};
enum { BUTTON_COUNT = 4, BUTTON_NEXT = 3 };

static struct draw_box bar_box(const struct creature_window *window)
{
    double ui = player_ui(&window->player);
    return (struct draw_box){0, creatures_scene_height(window), window->player.width,
                             CHOICES_PX * ui, ui};
}

/* Buttons from right to left while there is room; the first of the table is left out last. */
static void place_buttons(cairo_t *cr, const struct creature_window *window, struct button *buttons)
{
    static const struct button all[BUTTON_COUNT] = {
        {.text = "Breed  Shift+B", .choice = CHOICE_BREED, .color = COLOR_good},
        {.text = "Keep  Shift+K", .choice = CHOICE_KEEP, .color = COLOR_limit},
        {.text = "Ban  Shift+X", .choice = CHOICE_BAN, .color = COLOR_bad},
        {.text = "Next generation  Enter", .choice = CHOICE_NONE, .color = COLOR_part_0}};
    struct draw_box bar = bar_box(window);
    double ui = bar.ui, right = bar.width - 12 * ui;
    for (int i = BUTTON_COUNT - 1; i >= 0; i--) {
        double width = draw_text_width(cr, all[i].text, 12 * ui, 1) + 22 * ui;
        right -= width;
        buttons[i] = all[i];
        buttons[i].box = (struct draw_box){right, bar.y + (CHOICES_PX - BUTTON_PX) / 2 * ui, width,
                                           BUTTON_PX * ui, ui};
        right -= BUTTON_GAP_PX * ui;
    }
}

static void draw_button(cairo_t *cr, const struct creature_window *window,
                        const struct button *button)
{
    const struct draw_box *box = &button->box;
    double ui = box->ui;
    int is_set = button->choice != CHOICE_NONE && window->gallery->shown.count &&
                 gallery_choice(window->gallery, window->current) == button->choice;
    int is_full = is_set || button->choice == CHOICE_NONE;
    draw_rounded(cr, box->x, box->y, box->width, box->height, 6 * ui);
    draw_set_color(cr, palette[button->color].light, is_full ? 1 : 0.12);
    cairo_fill_preserve(cr);
    draw_stroke(cr, button->color, 1, 1.2 * ui);
    draw_text(cr, button->text, box->x + box->width / 2, box->y + box->height / 2 + 4.3 * ui,
              12 * ui, 1, DRAW_CENTRE, is_full ? COLOR_panel : button->color);
}

static void draw_choices(cairo_t *cr, const struct creature_window *window)
{
    struct draw_box bar = bar_box(window);
    struct button buttons[BUTTON_COUNT];
    char text[120];
    double room = bar.width - 28 * bar.ui;
    cairo_rectangle(cr, bar.x, bar.y, bar.width, bar.height);
    draw_fill(cr, COLOR_panel, 1);
    if (can_choose(window)) {
        place_buttons(cr, window, buttons);
        for (int i = 0; i < BUTTON_COUNT; i++)
            draw_button(cr, window, &buttons[i]);
        room = buttons[0].box.x - 28 * bar.ui;
    }
    describe(window, text, sizeof text);
    double width = draw_text_width(cr, text, 12.5 * bar.ui, 0);
    if (room > 0.6 * width)
        draw_text(cr, text, 14 * bar.ui, bar.y + bar.height / 2 + 4.5 * bar.ui,
                  12.5 * bar.ui * fmin(1, room / width), 0, DRAW_LEFT, COLOR_text);
}

int creatures_press_choices(struct creature_window *window, double x, double y)
{
    struct draw_box bar = bar_box(window);
    struct button buttons[BUTTON_COUNT];
    if (!creatures_has_choices(window) || !draw_box_contains(&bar, x, y))
        return 0;
    /* a picture without size, to measure texts on */
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cr = cairo_create(surface);
    place_buttons(cr, window, buttons);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    for (int i = 0; i < BUTTON_COUNT && can_choose(window); i++) {
        if (!draw_box_contains(&buttons[i].box, x, y))
            continue;
        if (i == BUTTON_NEXT)
            creatures_breed_next(window, 0);
        else
            creatures_choose(window, buttons[i].choice);
    }
    return 1;
}

/* ---- marks ---- */

static void draw_mark(cairo_t *cr, const struct draw_box *box, int choice)
{
    static const struct {
        const char *text;
        enum palette_color color;
    } marks[] = {{"banned", COLOR_bad}, {"", 0}, {"kept", COLOR_limit}, {"breeds", COLOR_good}};
    const char *text = marks[choice - CHOICE_BAN].text;
    double ui = box->ui, size = 11.5 * ui, line = 3.5 * ui, inset = 6 * ui;
    if (choice == CHOICE_NONE)
        return;
    if (choice == CHOICE_BAN) {
        cairo_rectangle(cr, box->x, box->y, box->width, box->height);
        draw_fill(cr, COLOR_panel, 0.55);
    }
    cairo_rectangle(cr, box->x + inset, box->y + inset, box->width - 2 * inset,
                    box->height - 2 * inset);
    draw_stroke(cr, marks[choice - CHOICE_BAN].color, 1, line);
    double width = draw_text_width(cr, text, size, 1) + 14 * ui;
    double x = box->x + inset + line, y = box->y + box->height - inset - line - 20 * ui;
    draw_rounded(cr, x, y, width, 20 * ui, 4 * ui);
    cairo_fill(cr);
    draw_text(cr, text, x + width / 2, y + 14 * ui, size, 1, DRAW_CENTRE, COLOR_panel);
}

/* Where in the picture the `place`-th of the ready creatures is. */
static struct draw_box find_box(const struct creature_window *window, int place)
{
    int width = creatures_scene_width(window), height = creatures_scene_height(window);
    double ui = draw_ui_scale(width, height);
    struct draw_box box = {0, 0, width, height, ui};
    if (window->view == VIEW_RACE) {
        box.height = creatures_lane_height(window);
        box.y = place * box.height;
    } else if (window->view == VIEW_CELLS) {
        struct draw_view cell;
        draw_cells_get(width, height, window->ready_count, place, &cell);
        box = (struct draw_box){cell.left_px, cell.top_px, cell.width_px, cell.height_px, ui};
    }
    return box;
}

static void draw_marks(cairo_t *cr, const struct creature_window *window)
{
    if (!creatures_has_choices(window) || window->view == VIEW_PAIR)
        return;
    for (int i = 0; i < window->ready_count; i++) {
        int index = window->index_of[i];
        struct draw_box box = find_box(window, i);
        if (window->view == VIEW_SINGLE && index != window->current)
            continue;
        draw_mark(cr, &box, gallery_choice(window->gallery, index));
    }
}

/* ---- drawing the scene ---- */

/* The words below the title of a creature. */
static void write_caption(const struct creature_window *window, int index, char *text, size_t size)
{
    const struct creature *creature = &gallery_specimen(window->gallery, index)->creature;
    int64_t generation = window->gallery->shown.generations[index];
    int count = window->gallery->shown.count;
    const char *mark = creature->is_champion ? ", champion of the run" : "";
    switch (window->gallery->kind) {
    case SHELF_GENERATION:
        snprintf(text, size,
                 !window->gallery->options.is_ranks ? "generation %lld, kind of body %d of %d%s"
                                                    : "generation %lld, number %d of the best %d%s",
                 (long long)generation, index + 1, count, mark);
        break;
    case SHELF_CHAMPIONS:
        snprintf(text, size, "best of generation %lld%s", (long long)generation, mark);
        break;
    default:
        snprintf(text, size, "%s", gallery_specimen(window->gallery, index)->caption);
    }
}

static void draw_pair(cairo_t *cr, const struct creature_window *window)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    char texts[2][SPECIMEN_CAPTION_SIZE + 16];
    const char *captions[2] = {texts[0], texts[1]};
    int count = creatures_shown(window, replays);
    for (int i = 0; i < count; i++) {
        int is_parent = i == 0 && count == 2;
        int used = snprintf(texts[i], sizeof texts[i], is_parent ? "parent: " : "child: ");
        write_caption(window, window->current + is_parent, texts[i] + used,
                      sizeof texts[i] - (size_t)used);
    }
    const struct draw_cells cells = {replays, captions, count, -1, window->cells_zoom};
    draw_cells(cr, creatures_scene_width(window), creatures_scene_height(window), &cells,
               window->player.time_s, window->overlays);
}

/* The creature, and beside it its brain, so that neither covers the other. */
static void draw_single(cairo_t *cr, const struct creature_window *window)
{
    const struct replay *replay = creatures_current_replay(window);
    struct draw_view view = creatures_brain_view(window);
    int width = creatures_scene_width(window), height = creatures_scene_height(window);
    char text[SPECIMEN_CAPTION_SIZE];
    unsigned inside = window->overlays & ~(unsigned)DRAW_BRAIN;
    int has_ledger_beside =
        creatures_has_brain(window) && inside & DRAW_LEDGER &&
        draw_ledger_below_brain(NULL, &view, replay, window->player.time_s, height);
    if (has_ledger_beside)
        inside &= ~(unsigned)DRAW_LEDGER;
    if (creatures_has_brain(window))
        inside |= DRAW_PARTS;
    draw_frame(cr, width, height, &replay, 1, &window->camera, window->player.time_s, inside);
    int parent = window->has_ghost ? parent_place(window) : -1;
    if (parent >= 0)
        draw_ghost(cr, width, height, replay, window->replays[parent], &window->camera,
                   window->player.time_s, inside);
    write_caption(window, window->current, text, sizeof text);
    draw_text_lines(cr, text, 14 * view.ui, 43 * view.ui, 0.8 * width, 11.5 * view.ui, 3,
                    COLOR_text_soft);
    if (!creatures_has_brain(window))
        return;
    cairo_rectangle(cr, width, 0, view.width_px - width, height);
    draw_fill(cr, COLOR_panel, 1);
    /* first, since the brain's hint may lie over it */
    if (has_ledger_beside)
        draw_ledger_below_brain(cr, &view, replay, window->player.time_s, height);
    draw_brain(cr, &view, replay, window->player.time_s, &window->pointed);
}

static void draw_waiting(cairo_t *cr, const struct creature_window *window)
{
    int width = creatures_scene_width(window), height = creatures_scene_height(window);
    double ui = draw_ui_scale(width, height);
    const char *text = window->gallery->shown.count
                           ? gallery_specimen(window->gallery, window->current)->refusal
                           : "The run has not finished a generation yet; this window waits for it.";
    draw_set_color(cr, palette[COLOR_sky_bottom].light, 1);
    cairo_paint(cr);
    draw_text(cr, text, width / 2.0, height / 2.0, 15 * ui, 0, DRAW_CENTRE, COLOR_text_soft);
}

void creatures_draw_scene(const struct player *player, cairo_t *cr)
{
    const struct creature_window *window = (const struct creature_window *)player;
    if (!creatures_current_replay(window))
        draw_waiting(cr, window);
    else if (window->view == VIEW_RACE)
        draw_frame(cr, creatures_scene_width(window), creatures_scene_height(window),
                   window->replays, window->ready_count, &window->camera, window->player.time_s,
                   window->overlays);
    else if (window->view == VIEW_CELLS)
        draw_cells(cr, creatures_scene_width(window), creatures_scene_height(window),
                   &(struct draw_cells){window->replays, NULL, window->ready_count,
                                        creatures_ready_place(window, window->current),
                                        window->cells_zoom},
                   window->player.time_s, window->overlays);
    else if (window->view == VIEW_PAIR)
        draw_pair(cr, window);
    else
        draw_single(cr, window);
    if (creatures_current_replay(window))
        draw_marks(cr, window);
}

/* ---- drawing the panels ---- */

/* Draws the strip anew only when something that it depends on is another one. */
static void draw_kept_strip(cairo_t *cr, struct creature_window *window)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    memset(thumbs, 0, sizeof thumbs);
    struct draw_strip strip = creatures_strip_of(window, thumbs);
    strip.time_s = floor(strip.time_s * STRIP_HZ) / STRIP_HZ;
    uint64_t hash = hash_bytes(HASH_START, thumbs, (size_t)strip.count * sizeof *thumbs);
    hash = hash_bytes(hash_u64(hash, (uint64_t)strip.marked), &strip.box, sizeof strip.box);
    hash = hash_double(hash, strip.time_s);
    int top = (int)floor(strip.box.y), height = (int)ceil(strip.box.y + strip.box.height) - top;
    if (!window->strip_picture || hash != window->strip_hash) {
        cairo_surface_destroy(window->strip_picture);
        window->strip_picture =
            cairo_image_surface_create(CAIRO_FORMAT_ARGB32, window->player.width, height);
        window->strip_hash = hash;
        cairo_t *picture = cairo_create(window->strip_picture);
        cairo_translate(picture, 0, -top);
        draw_strip(picture, &strip);
        cairo_destroy(picture);
    }
    cairo_set_source_surface(cr, window->strip_picture, 0, top);
    cairo_paint(cr);
}

void creatures_draw_panels(struct player *player, cairo_t *cr)
{
    struct creature_window *window = (struct creature_window *)player;
    if (creatures_has_descent(window)) {
        struct draw_step steps[GALLERY_SHOWN_MAX];
        struct draw_descent descent = creatures_descent_of(window, steps);
        draw_descent(cr, &descent);
    }
    if (creatures_has_run(window)) {
        struct draw_timeline timeline = creatures_timeline_of(window);
        draw_timeline(cr, &timeline);
        if (creatures_has_strip(window))
            draw_kept_strip(cr, window);
    }
    if (creatures_has_choices(window))
        draw_choices(cr, window);
}
