/* See shore.h. Epochs that were simulated stay, up to a bound, so that going back costs nothing; a
 * jump to another time begins a new feed there. */
#include "viewer/stage/shore.h"

#ifdef HAVE_CAIRO

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/draw_panels.h"
#include "viewer/draw/draw_waters.h"
#include "viewer/replay/waters_feed.h"
#include "viewer/stage/chooser.h"

/* px at ui 1 */
#define BAR_PX       40.0
#define BAR_LEFT_PX  52.0
#define BAR_RIGHT_PX 170.0
/* From one moment to the next, s. */
#define STEP_S    (1.0 / 30)
#define JUMP_S    5
#define SPEED_MIN 0.0625
#define SPEED_MAX 64.0
#define ZOOM_STEP 1.15
#define NEWS_S    1.0
#define NOTE_S    5.0
/* A press that moves less is a click. */
#define CLICK_PX 4.0
/* The food that a key gives, J. */
#define FEED_J " 500"
/* Epochs that are kept. 100 creatures are some 35 MB each. */
enum { CHUNKS_MAX = 16 };
/* The time simulated beyond the one shown. */
#define AHEAD_S EPOCH_S

enum shore_drag { SHORE_DRAG_NONE, SHORE_DRAG_PAN, SHORE_DRAG_SCRUB };

struct shore {
    char directory[4000];
    int world, width, height;
    struct chooser *gardener; /* hands deeds on; NULL: nothing was done yet */
    struct waters_feed *feed;
    struct waters *chunks[CHUNKS_MAX]; /* one after the other, without gaps */
    int chunk_count;
    double time_s, end_s, speed; /* end_s: of what is recorded */
    struct waters_view view;
    int has_view; /* the view is that of a water that is known */
    uint64_t wanted;
    int is_live, is_patient, is_playing, is_help, is_quitting, is_fullscreen, is_changed;
    int is_over; /* the feed has come to its end */
    enum shore_drag drag;
    double press_x, press_y, mouse_x, mouse_y, next_news_s;
    /* what it waits for; what it has to say, and for how long still */
    char waiting[480], note[480], title[200];
    double note_s;
};

/* The invariants of a shore between two events. */
static void shore_check(const struct shore *s)
{
    ENSURE(s->chunk_count >= 0 && s->chunk_count <= CHUNKS_MAX, "%d chunks", s->chunk_count);
    for (int i = 1; i < s->chunk_count; i++)
        ENSURE(s->chunks[i]->from_s > s->chunks[i - 1]->from_s,
               "chunk %d begins at %g s, the one before at %g s", i, s->chunks[i]->from_s,
               s->chunks[i - 1]->from_s);
    ENSURE(s->time_s >= 0 && s->end_s >= 0, "%g of %g s", s->time_s, s->end_s);
    ENSURE(s->speed > 0 && s->world >= 0, "speed %g, world %d", s->speed, s->world);
    ENSURE(s->width > 0 && s->height > 0, "a shore of %d x %d", s->width, s->height);
    ENSURE((int)s->drag >= SHORE_DRAG_NONE && s->drag <= SHORE_DRAG_SCRUB, "drag %d", (int)s->drag);
}

/* ---- what is known ---- */

static const struct waters *current(const struct shore *s)
{
    for (int i = 0; i < s->chunk_count; i++)
        if (s->time_s < s->chunks[i]->to_s)
            return s->chunks[i];
    return s->chunk_count > 0 ? s->chunks[s->chunk_count - 1] : NULL;
}

static int moment_of(const struct shore *s)
{
    return waters_moment_at(current(s), s->time_s);
}

/* Until when it can be shown. */
static double known_s(const struct shore *s)
{
    return s->chunk_count > 0 ? s->chunks[s->chunk_count - 1]->to_s : 0;
}

static void note(struct shore *s, const char *text)
{
    s->is_changed = 1;
    s->note_s = NOTE_S;
    snprintf(s->note, sizeof s->note, "%s", text);
}

static void wait_for(struct shore *s, const char *text)
{
    s->is_changed |= strcmp(s->waiting, text) != 0;
    snprintf(s->waiting, sizeof s->waiting, "%s", text);
}

/* ---- the feed ---- */

static void forget_chunks(struct shore *s)
{
    for (int i = 0; i < s->chunk_count; i++)
        waters_destroy(s->chunks[i]);
    s->chunk_count = 0;
}

static int begin_feed(struct shore *s, double from_s, struct error *error)
{
    struct waters_feed_request request = {s->directory, s->world, from_s, STEP_S};
    waters_feed_destroy(s->feed);
    s->feed = NULL;
    s->is_over = 0;
    return waters_feed_create(&s->feed, &request, error);
}

/* Everything anew from a time on. */
static void go_to(struct shore *s, double time_s)
{
    struct error error = {0};
    forget_chunks(s);
    s->time_s = time_s;
    if (begin_feed(s, time_s, &error))
        wait_for(s, error.message);
}

static void keep(struct shore *s, struct waters *w)
{
    if (s->chunk_count == CHUNKS_MAX) {
        waters_destroy(s->chunks[0]);
        memmove(s->chunks, s->chunks + 1, (CHUNKS_MAX - 1) * sizeof s->chunks[0]);
        s->chunk_count--;
    }
    s->chunks[s->chunk_count++] = w;
    s->is_changed = 1;
    if (!s->has_view)
        s->view = waters_view_of(w, s->wanted);
    if (!s->has_view && s->wanted)
        waters_view_follow(&s->view, w, waters_moment_at(w, s->time_s), -1);
    s->has_view = 1;
}

/* Takes what is ready, while it is soon to be shown. */
static void take_ready(struct shore *s)
{
    struct error error = {0};
    while (s->feed && !s->is_over && (!s->chunk_count || known_s(s) < s->time_s + AHEAD_S)) {
        int is_wanted = !s->chunk_count || s->time_s >= known_s(s) - STEP_S;
        if (s->is_patient && is_wanted)
            waters_feed_wait(s->feed);
        struct waters *w = waters_feed_take(s->feed, &error);
        if (!w) {
            s->is_over = error.code != ERR_BUSY;
            wait_for(s, error.code == ERR_MISSING ? "the record ends here"
                        : is_wanted || s->is_over ? error.message
                                                  : "");
            return;
        }
        keep(s, w);
        wait_for(s, "");
    }
}

/* ---- time ---- */

static void seek(void *scene, double time_s)
{
    struct shore *s = scene;
    time_s = fmin(fmax(time_s, 0), fmax(s->end_s, known_s(s)));
    s->is_changed = 1;
    s->is_live = 0;
    if (s->chunk_count > 0 && time_s >= s->chunks[0]->from_s && time_s <= known_s(s) + AHEAD_S)
        s->time_s = time_s; // which may have to be waited for
    else
        go_to(s, time_s);
}

static double time_of(const void *scene)
{
    return ((const struct shore *)scene)->time_s;
}

/* The newest epoch that is recorded, once what is shown has been seen to its end. */
static void follow_run(struct shore *s)
{
    double newest_s = s->end_s - EPOCH_S;
    if (s->is_live && s->time_s >= known_s(s) - STEP_S && newest_s >= known_s(s)) {
        wait_for(s, "");
        go_to(s, newest_s);
    }
}

static void advance(void *scene, double dt_s)
{
    struct shore *s = scene;
    ENSURE(dt_s >= 0, "a step of %g s", dt_s);
    shore_check(s);
    take_ready(s);
    s->note_s -= dt_s;
    if (s->note[0] && s->note_s <= 0) {
        s->note[0] = '\0';
        s->is_changed = 1;
    }
    const struct waters *w = current(s);
    if (!w)
        return;
    if (s->is_playing && s->drag != SHORE_DRAG_SCRUB && s->time_s <= known_s(s)) {
        s->time_s = fmin(s->time_s + dt_s * s->speed, known_s(s));
        follow_run(s);
    }
    w = current(s);
    if (w && s->drag != SHORE_DRAG_PAN)
        waters_view_follow(&s->view, w, moment_of(s), dt_s * fmax(s->speed, 1));
}

/* Says what has become of a deed. */
static void hear_gardener(struct shore *s)
{
    struct chooser_answer answer;
    struct error error = {0};
    int status = s->gardener ? chooser_poll(s->gardener, &answer, &error) : ERR_BUSY;
    if (status != ERR_BUSY)
        note(s, status ? error.message : answer.text);
}

static void look_for_news(void *scene, double now_s)
{
    struct shore *s = scene;
    struct error error = {0};
    double end_s;
    hear_gardener(s);
    take_ready(s);
    if (now_s < s->next_news_s)
        return;
    s->next_news_s = now_s + NEWS_S;
    if (waters_find_end(s->directory, s->world, &end_s, &error) || end_s <= s->end_s)
        return;
    s->end_s = end_s;
    s->is_changed = 1;
    if (s->is_over && !s->is_live && begin_feed(s, known_s(s), &error))
        wait_for(s, error.message);
    follow_run(s);
}

/* ---- what keys do ---- */

static void act_play(struct shore *s)
{
    s->is_playing = !s->is_playing;
}

static void step(struct shore *s, int direction)
{
    s->is_playing = 0;
    seek(s, (floor(s->time_s / STEP_S + 0.5) + direction) * STEP_S);
}

static void jump(struct shore *s, int seconds)
{
    seek(s, s->time_s + seconds);
}

static void act_begin(struct shore *s)
{
    seek(s, 0);
}

static void act_newest(struct shore *s)
{
    s->is_live = 1;
    s->is_playing = 1;
    go_to(s, fmax(s->end_s - EPOCH_S, 0));
}

static void act_faster(struct shore *s)
{
    s->speed = fmin(s->speed * 2, SPEED_MAX);
}

static void act_slower(struct shore *s)
{
    s->speed = fmax(s->speed / 2, SPEED_MIN);
}

/* Another world at the same time, or at its newest. */
static void step_world(struct shore *s, int worlds)
{
    int world = s->world + worlds;
    struct error error = {0};
    double end_s;
    if (world < 0 || waters_find_end(s->directory, world, &end_s, &error)) {
        note(s, "the run has no further world");
        return;
    }
    s->world = world;
    s->end_s = end_s;
    s->wanted = s->view.marked = 0;
    s->has_view = 0;
    go_to(s, s->is_live ? fmax(end_s - EPOCH_S, 0) : fmin(s->time_s, end_s));
}

static void mark(struct shore *s, uint64_t id)
{
    const struct waters *w = current(s);
    s->wanted = id;
    s->view.marked = id;
    s->view.is_following = id != 0;
    if (id && s->view.zoom <= 1) {
        int by_form = s->view.by_form;
        s->view = waters_view_of(w, id);
        s->view.by_form = by_form;
        waters_view_follow(&s->view, w, moment_of(s), -1);
    }
}

static void mark_next(struct shore *s, int direction)
{
    const struct waters *w = current(s);
    const struct waters_moment *m = w ? &w->moments[moment_of(s)] : NULL;
    int at = direction > 0 ? -1 : 0;
    if (!m || m->creature_count == 0)
        return;
    for (int i = 0; i < m->creature_count; i++)
        if (m->creatures[i].id == s->view.marked)
            at = i;
    mark(s, m->creatures[(at + direction + m->creature_count) % m->creature_count].id);
}

static void act_follow(struct shore *s)
{
    s->view.is_following = !s->view.is_following;
}

static void act_color(struct shore *s)
{
    s->view.by_form = !s->view.by_form;
}

static void act_whole(struct shore *s)
{
    s->view.zoom = 1;
    s->view.is_following = 0;
}

static void zoom(struct shore *s, double factor, double x, double y)
{
    ENSURE(factor > 0, "zoom by %g", factor);
    const struct waters *w = current(s);
    double ui = draw_ui_scale(s->width, s->height);
    if (w)
        waters_view_zoom(&s->view, s->width, (int)(s->height - BAR_PX * ui), w, factor, x, y);
}

static void zoom_in(struct shore *s, int steps)
{
    zoom(s, steps > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, s->width / 2.0, s->height / 2.0);
}

/* ---- the gardener's keys ---- */

static int water_height(const struct shore *s);

static void tend(struct shore *s, const char *words)
{
    if (!s->gardener)
        s->gardener = chooser_create(s->directory);
    if (!s->gardener || chooser_tend(s->gardener, s->world, words))
        note(s, "the gardener has too much to do");
}

/* A deed at the place under the mouse: `before` and `after` stand around the place. */
static void tend_at(struct shore *s, const char *before, const char *after)
{
    const struct waters *w = current(s);
    char words[80];
    double x_m, y_m;
    if (!w)
        return;
    waters_view_place(&s->view, s->width, water_height(s), w, s->mouse_x, s->mouse_y, &x_m, &y_m);
    snprintf(words, sizeof words, "%s %.2f %.2f%s", before,
             fmin(fmax(x_m, 0), w->params.preserve_width_m),
             fmin(fmax(y_m, 0), w->params.preserve_height_m), after);
    tend(s, words);
}

/* "DEED LIFE" of the followed creature; 0: none is. */
static int name_followed(struct shore *s, const char *deed, char *words, size_t size)
{
    snprintf(words, size, "%s %" PRIu64, deed, s->view.marked);
    if (!s->view.marked)
        note(s, "click a creature first");
    return s->view.marked != 0;
}

static void tend_followed(struct shore *s, int deed)
{
    char words[48];
    if (name_followed(s, epoch_deed_names[deed], words, sizeof words))
        tend(s, words);
}

static void act_feed(struct shore *s)
{
    tend_at(s, "feed", FEED_J);
}

static void act_move(struct shore *s)
{
    char words[48];
    if (name_followed(s, "move", words, sizeof words))
        tend_at(s, words, "");
}

static void act_help(struct shore *s)
{
    s->is_help = !s->is_help;
}

static void act_fullscreen(struct shore *s)
{
    s->is_fullscreen = !s->is_fullscreen;
}

static void act_quit(struct shore *s)
{
    s->is_quitting = !s->is_help;
    s->is_help = 0;
}

static void draw_scene(const struct shore *s, cairo_t *cr, int height);

static void act_save(struct shore *s)
{
    char stem[80], text[160];
    int seconds = (int)s->time_s;
    snprintf(stem, sizeof stem, "world-%d-%d.%02d", s->world, seconds / 60, seconds % 60);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, s->width, s->height);
    cairo_t *cr = cairo_create(surface);
    draw_scene(s, cr, s->height);
    cairo_destroy(cr);
    draw_save(surface, stem, text, sizeof text);
    note(s, text);
}

static const struct shore_key {
    int keys[2];
    struct draw_help_row row;
    void (*act)(struct shore *s);             /* or */
    void (*turn)(struct shore *s, int value); /* with this: */
    int value;
} shore_keys[] = {
    {{' '}, {"space", "play, pause"}, .act = act_play},
    {{'.'}, {".", "one step on"}, .turn = step, .value = 1},
    {{','}, {",", "one step back"}, .turn = step, .value = -1},
    {{STAGE_KEY_RIGHT}, {"right", "five seconds on"}, .turn = jump, .value = JUMP_S},
    {{STAGE_KEY_LEFT}, {"left", "five seconds back"}, .turn = jump, .value = -JUMP_S},
    {{']'}, {"]", "half a minute on"}, .turn = jump, .value = (int)EPOCH_S},
    {{'['}, {"[", "half a minute back"}, .turn = jump, .value = -(int)EPOCH_S},
    {{'r', STAGE_KEY_HOME}, {"r", "to the beginning"}, .act = act_begin},
    {{STAGE_KEY_END, 'e'}, {"End, e", "newest epoch, live"}, .act = act_newest},
    {{'+', '='}, {"+", "twice as fast"}, .act = act_faster},
    {{'-'}, {"-", "half as fast"}, .act = act_slower},
    {{'w'}, {"w", "next world"}, .turn = step_world, .value = 1},
    {{'v'}, {"v", "world before"}, .turn = step_world, .value = -1},
    {{'n', STAGE_KEY_TAB}, {"n, tab", "next creature"}, .turn = mark_next, .value = 1},
    {{'p', STAGE_KEY_BACKTAB}, {"p", "previous creature"}, .turn = mark_next, .value = -1},
    {{'f'}, {"f", "camera follows, or stays"}, .act = act_follow},
    {{'c'}, {"c", "colours by family, or by tree of parts"}, .act = act_color},
    {{'0'}, {"0", "the whole water"}, .act = act_whole},
    {{STAGE_KEY_UP}, {"up, wheel", "zoom in"}, .turn = zoom_in, .value = 1},
    {{STAGE_KEY_DOWN}, {"down, wheel", "zoom out"}, .turn = zoom_in, .value = -1},
    {{'g'}, {"g", "feed where the mouse is"}, .act = act_feed},
    {{'m'}, {"m", "move the followed one there"}, .act = act_move},
    {{'k'}, {"k", "protect the followed one"}, .turn = tend_followed, .value = DEED_protect},
    {{'u'}, {"u", "expose it again"}, .turn = tend_followed, .value = DEED_expose},
    {{'x'}, {"x", "take it out of the world"}, .turn = tend_followed, .value = DEED_remove},
    {{'s'}, {"s", "save this picture as png"}, .act = act_save},
    {{STAGE_KEY_F11}, {"F11", "full screen"}, .act = act_fullscreen},
    {{'h', STAGE_KEY_F1}, {"h, F1", "this help"}, .act = act_help},
    {{'q', STAGE_KEY_ESCAPE}, {"q, Esc", "quit"}, .act = act_quit},
};
enum { SHORE_KEY_COUNT = sizeof shore_keys / sizeof shore_keys[0] };

static void press_key(void *scene, int key)
{
    struct shore *s = scene;
    if (key >= 'A' && key <= 'Z')
        key += 'a' - 'A';
    s->is_changed = 1;
    for (int i = 0; i < SHORE_KEY_COUNT; i++)
        if (key && (shore_keys[i].keys[0] == key || shore_keys[i].keys[1] == key)) {
            if (shore_keys[i].act)
                shore_keys[i].act(s);
            else
                shore_keys[i].turn(s, shore_keys[i].value);
        }
}

/* ---- the mouse ---- */

static double ui_of(const struct shore *s)
{
    return draw_ui_scale(s->width, s->height);
}

static int water_height(const struct shore *s)
{
    return (int)(s->height - BAR_PX * ui_of(s));
}

static struct draw_scrub scrub_of(const struct shore *s)
{
    double ui = ui_of(s);
    return (struct draw_scrub){.box = {BAR_LEFT_PX * ui, water_height(s) + 8 * ui,
                                       s->width - (BAR_LEFT_PX + BAR_RIGHT_PX) * ui,
                                       (BAR_PX - 16) * ui, ui},
                               .marked = -1,
                               .time_s = s->time_s,
                               .duration_s = fmax(s->end_s, known_s(s))};
}

static void scrub(struct shore *s, double x)
{
    struct draw_scrub bar = scrub_of(s);
    seek(s, draw_scrub_pick(&bar, x));
}

static void press_bar(struct shore *s, double x)
{
    double ui = ui_of(s), right = s->width - BAR_RIGHT_PX * ui;
    if (x < (BAR_LEFT_PX - 8) * ui)
        act_play(s);
    else if (x > right + 80 * ui)
        act_help(s);
    else if (x > right)
        s->speed = s->speed >= SPEED_MAX ? 1 : s->speed * 2;
    else {
        s->drag = SHORE_DRAG_SCRUB;
        scrub(s, x);
    }
}

static void press_mouse(void *scene, double x, double y)
{
    struct shore *s = scene;
    s->is_changed = 1;
    s->press_x = s->mouse_x = x;
    s->press_y = s->mouse_y = y;
    if (s->is_help)
        s->is_help = 0;
    else if (y >= water_height(s))
        press_bar(s, x);
    else
        s->drag = SHORE_DRAG_PAN;
}

static void press_nothing(void *scene, double x, double y)
{
}

static void move_mouse(void *scene, double x, double y)
{
    struct shore *s = scene;
    const struct waters *w = current(s);
    if (s->drag == SHORE_DRAG_SCRUB)
        scrub(s, x);
    if (s->drag == SHORE_DRAG_PAN && w && hypot(x - s->press_x, y - s->press_y) > CLICK_PX) {
        waters_view_pan(&s->view, s->width, water_height(s), w, x - s->mouse_x, y - s->mouse_y);
        s->view.is_following = 0;
    }
    s->mouse_x = x;
    s->mouse_y = y;
    s->is_changed |= s->drag != SHORE_DRAG_NONE;
}

/* A click marks the creature there, or none. */
static void release_mouse(void *scene)
{
    struct shore *s = scene;
    const struct waters *w = current(s);
    int is_click = hypot(s->mouse_x - s->press_x, s->mouse_y - s->press_y) <= CLICK_PX;
    if (s->drag == SHORE_DRAG_PAN && is_click && w)
        mark(s, waters_view_pick(&s->view, s->width, water_height(s), w, moment_of(s), s->mouse_x,
                                 s->mouse_y));
    s->drag = SHORE_DRAG_NONE;
    s->is_changed = 1;
}

static void turn_wheel(void *scene, double clicks, double x, double y)
{
    struct shore *s = scene;
    zoom(s, pow(ZOOM_STEP, clicks), x, y);
    s->is_changed = 1;
}

/* ---- the picture ---- */

static void draw_note(const struct shore *s, cairo_t *cr, int height)
{
    const char *text = s->note[0] ? s->note : s->waiting;
    double ui = ui_of(s), width = draw_text_width(cr, text, 13 * ui, 0) + 28 * ui;
    if (!text[0])
        return;
    draw_panel(cr, 12 * ui, 12 * ui, width, 32 * ui, ui);
    draw_text(cr, text, 26 * ui, 33 * ui, 13 * ui, 0, DRAW_LEFT, COLOR_text);
}

static void draw_scene(const struct shore *s, cairo_t *cr, int height)
{
    const struct waters *w = current(s);
    if (w) {
        draw_waters(cr, s->width, height, w, moment_of(s), &s->view);
    } else {
        draw_set_color(cr, palette[COLOR_sky_bottom].light, 1);
        cairo_paint(cr);
    }
    draw_note(s, cr, height);
}

static void draw_bar(const struct shore *s, cairo_t *cr)
{
    struct draw_scrub bar = scrub_of(s);
    double ui = ui_of(s), top = water_height(s), middle = top + BAR_PX * ui / 2;
    double right = s->width - BAR_RIGHT_PX * ui;
    char text[48];
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_rectangle(cr, 0, top, s->width, s->height - top);
    cairo_fill(cr);
    draw_play_button(cr, s->is_playing, 26 * ui, middle, 7 * ui);
    draw_scrub(cr, &bar);
    if (s->speed >= 1)
        snprintf(text, sizeof text, "x%g", s->speed);
    else
        snprintf(text, sizeof text, "x1/%g", 1 / s->speed);
    draw_text(cr, text, right + 40 * ui, middle + 4.5 * ui, 12 * ui, 0, DRAW_CENTRE,
              COLOR_text_soft);
    draw_text(cr, "h: help", right + 125 * ui, middle + 4.5 * ui, 12 * ui, 0, DRAW_CENTRE,
              COLOR_text_soft);
}

static void draw_keys(const struct shore *s, cairo_t *cr)
{
    static const char *const lines[] = {
        "Mouse: click a creature to follow it, the water to let it go; drag to pan, the bar to "
        "jump; the wheel zooms.",
        "A film: controller view RUN_DIR --world 1 --from 4:00 --to 9:00 --export film.mp4; of a "
        "life: --follow LIFE.",
    };
    struct draw_help_row rows[SHORE_KEY_COUNT];
    for (int i = 0; i < SHORE_KEY_COUNT; i++)
        rows[i] = shore_keys[i].row;
    draw_help(cr, s->width, s->height,
              &(struct draw_help){"A world of a preserve", rows, SHORE_KEY_COUNT, lines, 2});
}

static void draw(void *scene, cairo_surface_t *surface)
{
    struct shore *s = scene;
    cairo_surface_t *water =
        cairo_surface_create_for_rectangle(surface, 0, 0, s->width, water_height(s));
    cairo_t *cr = cairo_create(water);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_FAST);
    draw_scene(s, cr, water_height(s));
    cairo_destroy(cr);
    cairo_surface_destroy(water);
    cr = cairo_create(surface);
    draw_bar(s, cr);
    if (s->is_help)
        draw_keys(s, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    s->is_changed = 0;
}

static const char *title(void *scene)
{
    struct shore *s = scene;
    const struct waters *w = current(s);
    int seconds = (int)(s->time_s + 1e-6);
    snprintf(s->title, sizeof s->title, "world %d at %d:%02d - %s - Bestiary", s->world,
             seconds / 60, seconds % 60,
             !w                           ? "simulating"
             : w->verified == w->recorded ? "verified"
                                          : "differs");
    return s->title;
}

static void resize(void *scene, int width_px, int height_px)
{
    struct shore *s = scene;
    ENSURE(width_px > 0 && height_px > 0, "a window of %d x %d", width_px, height_px);
    s->width = width_px;
    s->height = height_px;
    s->is_changed = 1;
}

/* While it waits for what is simulated it leaves the processor to that, and looks for news. */
static int is_still(const void *scene)
{
    const struct shore *s = scene;
    return !s->is_changed && !s->note[0] && !chooser_is_busy(s->gardener) &&
           (!s->is_playing || s->time_s >= known_s(s));
}

static int is_quitting(const void *scene)
{
    return ((const struct shore *)scene)->is_quitting;
}

static int is_fullscreen(const void *scene)
{
    return ((const struct shore *)scene)->is_fullscreen;
}

static void begin(void *scene)
{
    struct shore *s = scene;
    if (s->is_patient)
        take_ready(s);
}

/* ---- the whole ---- */

int shore_create(struct shore **result, const struct shore_request *request, struct error *error)
{
    ENSURE(request->run_directory && request->world >= 0, "world %d of no run", request->world);
    ENSURE(request->from_s >= 0 && request->speed >= 0, "from %g s, speed %g", request->from_s,
           request->speed);
    struct shore *s = *result = calloc(1, sizeof *s);
    if (!s)
        return error_memory(error);
    snprintf(s->directory, sizeof s->directory, "%s", request->run_directory);
    s->world = request->world;
    s->speed = request->speed > 0 ? request->speed : 1;
    s->wanted = request->follow;
    s->is_live = request->is_live;
    s->is_patient = request->is_patient;
    s->is_playing = s->is_changed = 1;
    s->width = 960;
    s->height = 540;
    int status = waters_find_end(s->directory, s->world, &s->end_s, error);
    if (s->is_live && (status == ERR_MISSING || (!status && s->end_s < EPOCH_S))) {
        wait_for(s, "the run has not lived through an epoch yet; this window waits for it");
        s->end_s = 0;
        return 0;
    }
    if (!status && request->from_s > s->end_s)
        status = error_set(error, ERR_MISSING, "world %d has not come so far", s->world);
    s->time_s =
        s->is_live ? fmax(s->end_s - EPOCH_S, 0) : fmax(fmin(request->from_s, s->end_s - 1), 0);
    if (!status)
        status = begin_feed(s, s->time_s, error);
    if (status) {
        shore_destroy(s);
        *result = NULL;
    }
    return status;
}

void shore_destroy(struct shore *s)
{
    if (!s)
        return;
    waters_feed_destroy(s->feed);
    forget_chunks(s);
    chooser_destroy(s->gardener);
    free(s);
}

static void destroy(void *scene)
{
    shore_destroy(scene);
}

const struct scene_acts shore_acts = {.begin = begin,
                                      .resize = resize,
                                      .press_key = press_key,
                                      .press_mouse = press_mouse,
                                      .press_pan = press_mouse,
                                      .press_choice = press_nothing,
                                      .move_mouse = move_mouse,
                                      .release_mouse = release_mouse,
                                      .turn_wheel = turn_wheel,
                                      .seek = seek,
                                      .time = time_of,
                                      .advance = advance,
                                      .look_for_news = look_for_news,
                                      .is_still = is_still,
                                      .draw = draw,
                                      .is_quitting = is_quitting,
                                      .is_fullscreen = is_fullscreen,
                                      .title = title,
                                      .destroy = destroy};

struct shore_sight shore_look(const struct shore *s)
{
    return (struct shore_sight){s->world, s->view.marked, s->note, current(s)};
}

#endif
