/* A world of a preserve as a content: see contents.h. Epochs that were simulated stay, up to a
 * bound, so that going back costs nothing; a jump to another time begins a new feed there. */
#include "viewer/window/contents.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/draw_panels.h"
#include "viewer/draw/draw_preserve.h"
#include "viewer/window/chooser.h"

/* From one moment to the next, s. */
#define STEP_S    (1.0 / 30)
#define JUMP_MS   5000
#define EPOCH_MS  (1000 * (int)EPOCH_S)
#define SPEED_MAX 64.0
#define NEWS_S    1.0
/* The food that a key gives, J. */
#define FEED_J " 500"
/* The river of forms, px at ui 1; a window that is smaller than this, px, has no room for it. */
#define RIVER_PX 76.0
enum { RIVER_LEAST_WIDTH = 720, RIVER_LEAST_HEIGHT = 420 };
/* Epochs that are kept. 100 creatures are some 35 MB each. */
enum { CHUNKS_MAX = 16 };
/* The time simulated beyond the one shown. */
#define AHEAD_S EPOCH_S

struct preserve_window {
    struct player player;
    char directory[4000];
    int world;
    struct chooser *gardener; /* hands deeds on; NULL: nothing was done yet */
    struct preserve_feed *feed;
    struct preserve_replay *chunks[CHUNKS_MAX]; /* one after the other, without gaps */
    int chunk_count;
    double end_s; /* of what is recorded */
    struct preserve_camera view;
    int has_view;                /* the view is that of a water that is known */
    struct preserve_river river; /* end_s 0: it is to be read */
    int is_river_wanted;
    uint64_t wanted;
    int is_live, is_patient;
    int is_over; /* the feed has come to its end */
    double next_news_s;
};

/* The invariants of a window between two events. */
static void preserve_window_check(const struct preserve_window *s)
{
    ENSURE(s->chunk_count >= 0 && s->chunk_count <= CHUNKS_MAX, "%d chunks", s->chunk_count);
    for (int i = 1; i < s->chunk_count; i++)
        ENSURE(s->chunks[i]->from_s > s->chunks[i - 1]->from_s,
               "chunk %d begins at %g s, the one before at %g s", i, s->chunks[i]->from_s,
               s->chunks[i - 1]->from_s);
    ENSURE(s->world >= 0 && s->end_s >= 0, "world %d, of %g s", s->world, s->end_s);
}

/* ---- what is known ---- */

static const struct preserve_replay *current(const struct preserve_window *s)
{
    for (int i = 0; i < s->chunk_count; i++)
        if (s->player.time_s < s->chunks[i]->to_s)
            return s->chunks[i];
    return s->chunk_count > 0 ? s->chunks[s->chunk_count - 1] : NULL;
}

/* Whether more is known than a glimpse of where the simulation begins. */
static int has_film(const struct preserve_window *s)
{
    return s->chunk_count > 0 && !s->chunks[0]->is_glimpse;
}

static int moment_of(const struct preserve_window *s)
{
    return preserve_replay_moment_at(current(s), s->player.time_s);
}

/* Until when it can be shown. */
static double known_s(const struct preserve_window *s)
{
    return has_film(s) ? s->chunks[s->chunk_count - 1]->to_s : 0;
}

/* ---- the river of forms ---- */

/* Reads it again when a span more has passed. */
static void refresh_river(struct preserve_window *s)
{
    struct error ignored;
    double news_s = fmax(s->river.end_s, EPOCH_S) / PRESERVE_SPANS;
    if (s->is_river_wanted && s->end_s > 0 && s->end_s - s->river.end_s >= news_s)
        preserve_river_read(&s->river, s->directory, s->world, s->end_s, &ignored);
}

static int has_river(const struct preserve_window *s)
{
    return s->is_river_wanted && s->river.count > 0 && s->player.width >= RIVER_LEAST_WIDTH &&
           s->player.height >= RIVER_LEAST_HEIGHT;
}

static int water_height(const struct preserve_window *s)
{
    double high_px = BAR_HEIGHT_PX + (has_river(s) ? RIVER_PX : 0);
    return (int)(s->player.height - high_px * player_ui(&s->player));
}

/* Above the bar of time, whose times are its own. */
static struct draw_river river_of(const struct preserve_window *s)
{
    struct draw_box box = player_time_box(&s->player);
    box.y = water_height(s);
    box.height = RIVER_PX * box.ui;
    return (struct draw_river){box, &s->river, s->player.time_s, fmax(s->end_s, known_s(s))};
}

/* ---- the feed ---- */

static void forget_chunks(struct preserve_window *s)
{
    for (int i = 0; i < s->chunk_count; i++)
        preserve_replay_destroy(s->chunks[i]);
    s->chunk_count = 0;
}

static int begin_feed(struct preserve_window *s, double from_s, struct error *error)
{
    struct preserve_replay_request request = {
        .run_directory = s->directory, .world = s->world, .from_s = from_s, .step_s = STEP_S};
    preserve_feed_destroy(s->feed);
    s->feed = NULL;
    s->is_over = 0;
    return preserve_feed_create(&s->feed, &request, error);
}

/* Everything anew from a time on. */
static void go_to(struct preserve_window *s, double time_s)
{
    struct error error = {0};
    forget_chunks(s);
    s->player.time_s = time_s;
    if (begin_feed(s, time_s, &error))
        player_wait(&s->player, error.message);
}

static void keep(struct preserve_window *s, struct preserve_replay *w)
{
    if (!has_film(s))
        forget_chunks(s);
    if (s->chunk_count == CHUNKS_MAX) {
        preserve_replay_destroy(s->chunks[0]);
        memmove(s->chunks, s->chunks + 1, (CHUNKS_MAX - 1) * sizeof s->chunks[0]);
        s->chunk_count--;
    }
    s->chunks[s->chunk_count++] = w;
    s->player.is_changed = 1;
    if (!s->has_view)
        s->view = preserve_camera_of(w, s->wanted);
    if (!s->has_view && s->wanted)
        preserve_camera_follow(&s->view, w, preserve_replay_moment_at(w, s->player.time_s), -1);
    s->has_view = 1;
}

/* Takes what is ready, while it is soon to be shown. */
static void take_ready(struct preserve_window *s)
{
    struct error error = {0};
    while (s->feed && !s->is_over && (!has_film(s) || known_s(s) < s->player.time_s + AHEAD_S)) {
        int is_wanted = !has_film(s) || s->player.time_s >= known_s(s) - STEP_S;
        if (s->is_patient && is_wanted)
            preserve_feed_wait(s->feed);
        struct preserve_replay *w = preserve_feed_take(s->feed, &error);
        if (!w) {
            s->is_over = error.code != ERR_BUSY;
            player_wait(&s->player, error.code == ERR_MISSING ? "the record ends here"
                                    : is_wanted || s->is_over ? error.message
                                                              : "");
            return;
        }
        keep(s, w);
        player_wait(&s->player, "");
    }
}

/* ---- time ---- */

static double duration(const struct player *player)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    return fmax(s->end_s, known_s(s));
}

static double tick(const struct player *player)
{
    return STEP_S;
}

static void seek(struct player *player, double time_s)
{
    struct preserve_window *s = (struct preserve_window *)player;
    s->is_live = 0;
    if (has_film(s) && time_s >= s->chunks[0]->from_s && time_s <= known_s(s) + AHEAD_S)
        player->time_s = time_s; // which may have to be waited for
    else
        go_to(s, time_s);
}

/* The newest epoch that is recorded, once what is shown has been seen to its end. */
static void follow_run(struct preserve_window *s)
{
    double newest_s = s->end_s - EPOCH_S;
    if (s->is_live && s->player.time_s >= known_s(s) - STEP_S && newest_s >= known_s(s)) {
        player_wait(&s->player, "");
        go_to(s, newest_s);
    }
}

static void advance(struct player *player, double dt_s)
{
    struct preserve_window *s = (struct preserve_window *)player;
    preserve_window_check(s);
    take_ready(s);
    if (!has_film(s))
        return;
    if (player->is_playing && player->drag != DRAG_SCRUB && player->time_s <= known_s(s)) {
        player->time_s = fmin(player->time_s + dt_s * player->speed, known_s(s));
        follow_run(s);
    }
    const struct preserve_replay *w = current(s);
    if (w && player->drag != DRAG_PICTURE && player->drag != DRAG_SHIFT)
        preserve_camera_follow(&s->view, w, moment_of(s), dt_s * fmax(player->speed, 1));
}

static void look_for_news(struct player *player, double now_s)
{
    struct preserve_window *s = (struct preserve_window *)player;
    struct chooser_answer answer;
    struct error error = {0};
    double end_s;
    /* what has become of a deed */
    int status = s->gardener ? chooser_poll(s->gardener, &answer, &error) : ERR_BUSY;
    if (status != ERR_BUSY)
        player_say(player, status ? error.message : answer.text);
    take_ready(s);
    if (now_s < s->next_news_s)
        return;
    s->next_news_s = now_s + NEWS_S;
    if (preserve_replay_find_end(s->directory, s->world, &end_s, &error) || end_s <= s->end_s)
        return;
    s->end_s = end_s;
    refresh_river(s);
    s->player.is_changed = 1;
    if (s->is_over && !s->is_live && begin_feed(s, known_s(s), &error))
        player_wait(&s->player, error.message);
    follow_run(s);
}

/* ---- what keys do ---- */

static void act_newest(struct preserve_window *s, int unused)
{
    s->is_live = 1;
    s->player.is_playing = 1;
    go_to(s, fmax(s->end_s - EPOCH_S, 0));
}

/* Another world at the same time, or at its newest. */
static void step_world(struct preserve_window *s, int worlds)
{
    int world = s->world + worlds;
    struct error error = {0};
    double end_s;
    if (world < 0 || preserve_replay_find_end(s->directory, world, &end_s, &error)) {
        player_say(&s->player, "the run has no further world");
        return;
    }
    s->world = world;
    s->end_s = end_s;
    s->river.end_s = 0;
    refresh_river(s);
    s->wanted = s->view.marked = 0;
    s->has_view = 0;
    go_to(s, s->is_live ? fmax(end_s - EPOCH_S, 0) : fmin(s->player.time_s, end_s));
}

static void mark(struct preserve_window *s, uint64_t id)
{
    const struct preserve_replay *w = current(s);
    s->wanted = id;
    s->view.marked = id;
    s->view.is_following = id != 0;
    if (id && s->view.zoom <= 1) {
        int by_form = s->view.by_form;
        s->view = preserve_camera_of(w, id);
        s->view.by_form = by_form;
        preserve_camera_follow(&s->view, w, moment_of(s), -1);
    }
}

static void mark_next(struct player *player, int direction)
{
    struct preserve_window *s = (struct preserve_window *)player;
    const struct preserve_replay *w = current(s);
    const struct preserve_replay_moment *m = w ? &w->moments[moment_of(s)] : NULL;
    int at = direction > 0 ? -1 : 0;
    if (!m || m->creature_count == 0)
        return;
    for (int i = 0; i < m->creature_count; i++)
        if (m->creatures[i].id == s->view.marked)
            at = i;
    mark(s, m->creatures[(at + direction + m->creature_count) % m->creature_count].id);
}

static void act_river(struct preserve_window *s, int unused)
{
    s->is_river_wanted = !s->is_river_wanted;
    refresh_river(s);
    if (s->is_river_wanted && !has_river(s))
        player_say(&s->player, s->river.count ? "the window is too small for the river of forms"
                                              : "the run knows no forms of its creatures");
}

static void act_whole(struct preserve_window *s, int unused)
{
    s->view.zoom = 1;
    s->view.is_following = 0;
}

static void turn_wheel(struct player *player, double clicks, double x, double y)
{
    struct preserve_window *s = (struct preserve_window *)player;
    const struct preserve_replay *w = current(s);
    if (w)
        preserve_camera_zoom(&s->view, player->width, water_height(s), w, pow(ZOOM_STEP, clicks), x,
                             y);
}

static void zoom_in(struct preserve_window *s, int clicks)
{
    turn_wheel(&s->player, clicks, s->player.width / 2.0, s->player.height / 2.0);
}

/* ---- the gardener's keys ---- */

/* A deed on the followed creature, but for food; food and what is moved go where the mouse is. */
static void tend(struct preserve_window *s, int deed)
{
    const struct preserve_replay *w = current(s);
    char words[96];
    int used = snprintf(words, sizeof words, "%s", epoch_deed_names[deed]);
    if (deed != DEED_feed && !s->view.marked) {
        player_say(&s->player, "click a creature first");
        return;
    }
    if (deed != DEED_feed)
        used += snprintf(words + used, sizeof words - (size_t)used, " %" PRIu64, s->view.marked);
    if (deed == DEED_feed || deed == DEED_move) {
        double x_m, y_m;
        if (!w)
            return;
        preserve_camera_place(&s->view, s->player.width, water_height(s), w, s->player.mouse_x,
                              s->player.mouse_y, &x_m, &y_m);
        snprintf(words + used, sizeof words - (size_t)used, " %.2f %.2f%s",
                 fmin(fmax(x_m, 0), w->params.preserve_width_m),
                 fmin(fmax(y_m, 0), w->params.preserve_height_m), deed == DEED_feed ? FEED_J : "");
    }
    if (!s->gardener)
        s->gardener = chooser_create(s->directory);
    if (!s->gardener || chooser_tend(s->gardener, s->world, words))
        player_say(&s->player, "the gardener has too much to do");
}

static const struct key_row keys[] = {
    {{KEY_RIGHT}, "right", "five seconds on", .act = player_jump, .value = JUMP_MS},
    {{KEY_LEFT}, "left", "five seconds back", .act = player_jump, .value = -JUMP_MS},
    {{']'}, "]", "half a minute on", .act = player_jump, .value = EPOCH_MS},
    {{'['}, "[", "half a minute back", .act = player_jump, .value = -EPOCH_MS},
    {{KEY_END, 'e'}, "End, e", "newest epoch, live", .on_preserve = act_newest},
    {{'w'}, "w", "next world", .on_preserve = step_world, .value = 1},
    {{'v'}, "v", "world before", .on_preserve = step_world, .value = -1},
    {{'f'}, "f", "camera follows, or stays", KEY_FLAG(preserve_window, view.is_following)},
    {{'c'}, "c", "colours by family, or by form", KEY_FLAG(preserve_window, view.by_form)},
    {{'b'}, "b", "river of forms over time", .on_preserve = act_river},
    {{'0'}, "0", "the whole water", .on_preserve = act_whole},
    {{KEY_UP}, "up, wheel", "zoom in", .on_preserve = zoom_in, .value = 1},
    {{KEY_DOWN}, "down, wheel", "zoom out", .on_preserve = zoom_in, .value = -1},
    {{'g'}, "g", "feed where the mouse is", .on_preserve = tend, .value = DEED_feed},
    {{'m'}, "m", "move the followed one there", .on_preserve = tend, .value = DEED_move},
    {{'k'}, "k", "protect the followed one", .on_preserve = tend, .value = DEED_protect},
    {{'u'}, "u", "expose it again", .on_preserve = tend, .value = DEED_expose},
    {{'x'}, "x", "take it out of the world", .on_preserve = tend, .value = DEED_remove},
};

static int turn_key(struct player *player, const struct key_row *row)
{
    row->on_preserve((struct preserve_window *)player, row->value);
    return 1;
}

/* ---- the mouse ---- */

/* The next living creature of a band after the one that is followed; 0: none lives. */
static uint64_t next_of_band(const struct preserve_window *s, int band)
{
    const struct preserve_replay *w = current(s);
    const struct preserve_replay_moment *m = w ? &w->moments[moment_of(s)] : NULL;
    uint64_t first = 0;
    int is_behind = 0;
    for (int i = 0; m && i < m->creature_count; i++) {
        const struct preserve_replay_creature *c = &m->creatures[i];
        if (preserve_river_find(&s->river, c->form) != band)
            continue;
        if (is_behind)
            return c->id;
        first = first ? first : c->id;
        is_behind = c->id == s->view.marked;
    }
    return first;
}

/* Follows one of the band of the river that is clicked; where none lives now, goes to the time that
 * is clicked. */
static enum drag press(struct player *player, double x, double y)
{
    struct preserve_window *s = (struct preserve_window *)player;
    struct draw_river river = river_of(s);
    if (y < river.box.y)
        return DRAG_PICTURE;
    int band = draw_river_pick(&river, x, y);
    uint64_t id = band >= 0 ? next_of_band(s, band) : 0;
    s->view.by_form |= band >= 0;
    if (id)
        mark(s, id);
    else
        player_seek(player, (x - river.box.x) / river.box.width * river.duration_s);
    return DRAG_NONE;
}

static void drag(struct player *player, double dx, double dy)
{
    struct preserve_window *s = (struct preserve_window *)player;
    const struct preserve_replay *w = current(s);
    if (!w)
        return;
    preserve_camera_pan(&s->view, player->width, water_height(s), w, dx, dy);
    s->view.is_following = 0;
}

/* Marks the creature there, or none. */
static void click(struct player *player, double x, double y)
{
    struct preserve_window *s = (struct preserve_window *)player;
    const struct preserve_replay *w = current(s);
    if (w)
        mark(s,
             preserve_camera_pick(&s->view, player->width, water_height(s), w, moment_of(s), x, y));
}

/* ---- the picture ---- */

static struct draw_box scene_box(const struct player *player)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    return (struct draw_box){0, 0, player->width, water_height(s), player_ui(player)};
}

static void draw_scene(const struct player *player, cairo_t *cr)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    const struct preserve_replay *w = current(s);
    if (w) {
        draw_preserve(cr, player->width, water_height(s), w, moment_of(s), &s->view);
    } else {
        draw_set_color(cr, palette[COLOR_sky_bottom].light, 1);
        cairo_paint(cr);
    }
}

static void draw_panels(struct player *player, cairo_t *cr)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    struct draw_river river = river_of(s);
    if (!has_river(s))
        return;
    cairo_rectangle(cr, 0, river.box.y, player->width, river.box.height);
    draw_fill(cr, COLOR_panel, 1);
    draw_river(cr, &river);
}

static void tell_place(const struct player *player, char *text, size_t size)
{
    snprintf(text, size, "b: forms");
}

static void press_place(struct player *player)
{
    act_river((struct preserve_window *)player, 0);
}

static void tell_title(const struct player *player, char *text, size_t size)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    const struct preserve_replay *w = current(s);
    int seconds = (int)(player->time_s + 1e-6);
    snprintf(text, size, "world %d at %d:%02d - %s - Bestiary", s->world, seconds / 60,
             seconds % 60, has_film(s) ? preserve_replay_verdict(w) : "simulating");
}

static void name_picture(const struct player *player, char *text, size_t size)
{
    snprintf(text, size, "world-%d", ((const struct preserve_window *)player)->world);
}

/* While it waits for what is simulated it leaves the processor to that, and looks for news. */
static int is_still(const struct player *player)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    return !chooser_is_busy(s->gardener) && (!player->is_playing || player->time_s >= known_s(s));
}

static void begin(struct player *player)
{
    struct preserve_window *s = (struct preserve_window *)player;
    if (s->is_patient)
        take_ready(s);
}

/* ---- the whole ---- */

static void destroy(struct player *player)
{
    struct preserve_window *s = (struct preserve_window *)player;
    preserve_feed_destroy(s->feed);
    forget_chunks(s);
    chooser_destroy(s->gardener);
    free(s);
}

static const char *const help_lines[] = {
    "Mouse: click a creature to follow it, the water to let it go; drag to pan, the bar to "
    "jump; the wheel zooms.",
    "River: a click on a band follows one that lives so, again the next one; where none does, it "
    "goes to that time.",
    "A film: controller view RUN_DIR --world 1 --from 4:00 --to 9:00 --export film.mp4; of a "
    "life: --follow LIFE.",
};

static const struct content content = {.keys = keys,
                                       .key_count = sizeof keys / sizeof keys[0],
                                       .help_title = "A world of a preserve",
                                       .help_lines = help_lines,
                                       .help_line_count = sizeof help_lines / sizeof help_lines[0],
                                       .speed_most = SPEED_MAX,
                                       .speed_most_by_click = SPEED_MAX,
                                       .foot_px = DRAW_WATERS_LEGEND_PX,
                                       .begin = begin,
                                       .turn_key = turn_key,
                                       .duration = duration,
                                       .tick = tick,
                                       .seek = seek,
                                       .step_creature = mark_next,
                                       .press = press,
                                       .drag = drag,
                                       .click = click,
                                       .turn_wheel = turn_wheel,
                                       .advance = advance,
                                       .look_for_news = look_for_news,
                                       .is_still = is_still,
                                       .scene_box = scene_box,
                                       .draw_scene = draw_scene,
                                       .draw_panels = draw_panels,
                                       .tell_place = tell_place,
                                       .press_place = press_place,
                                       .tell_title = tell_title,
                                       .name_picture = name_picture,
                                       .destroy = destroy};

int preserve_window_create(struct player **result, const struct preserve_window_request *request,
                           struct error *error)
{
    ENSURE(request->run_directory && request->world >= 0, "world %d of no run", request->world);
    ENSURE(request->from_s >= 0 && request->speed >= 0, "from %g s, speed %g", request->from_s,
           request->speed);
    struct preserve_window *s = calloc(1, sizeof *s);
    if (!s)
        return error_memory(error);
    player_init(&s->player, &content);
    *result = &s->player;
    snprintf(s->directory, sizeof s->directory, "%s", request->run_directory);
    s->world = request->world;
    if (request->speed > 0)
        s->player.speed = request->speed;
    s->wanted = request->follow;
    s->is_live = request->is_live;
    s->is_patient = request->is_patient;
    s->is_river_wanted = 1;
    int status = preserve_replay_find_end(s->directory, s->world, &s->end_s, error);
    if (s->is_live && (status == ERR_MISSING || (!status && s->end_s < EPOCH_S))) {
        player_wait(&s->player,
                    "the run has not lived through an epoch yet; this window waits for it");
        s->end_s = 0;
        return 0;
    }
    if (!status && request->from_s > s->end_s)
        status = error_set(error, ERR_MISSING, "world %d has not come so far", s->world);
    s->player.time_s =
        s->is_live ? fmax(s->end_s - EPOCH_S, 0) : fmax(fmin(request->from_s, s->end_s - 1), 0);
    if (!status)
        status = begin_feed(s, s->player.time_s, error);
    refresh_river(s);
    if (status) {
        destroy(&s->player);
        *result = NULL;
    }
    return status;
}

struct preserve_window_sight preserve_window_look(const struct player *player)
{
    const struct preserve_window *s = (const struct preserve_window *)player;
    return (struct preserve_window_sight){s->world, s->view.marked, current(s)};
}
