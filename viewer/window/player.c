#include "viewer/window/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPEED_MIN 0.0625
#define TOAST_S   4.0
/* A picture that takes longer than LATE_S gets half of the pixels across, down to FINE_LEAST, and
 * below EARLY_S twice as many; of the mean, in which the last picture has PACE_SHARE. */
#define LATE_S     (1 / 30.0)
#define EARLY_S    (LATE_S / 6)
#define FINE_LEAST 0.5
#define PACE_SHARE 0.2
/* Movement below which a press is a click, px at ui 1. */
#define CLICK_PX 4.0
/* px at ui 1: left of the bar of time is the button, right of it stand the speed, the creature's
 * place and the help, each to be clicked. */
#define BAR_LEFT_PX 52.0
#define WORDS_PX    150.0
enum bar_word { WORD_SPEED, WORD_PLACE, WORD_HELP, WORD_COUNT };
/* Of the help, px at ui 1. */
#define HELP_COLUMN_PX 282

/* The invariants of a player between two events. */
static void player_check(const struct player *player)
{
    ENSURE(player->width > 0 && player->height > 0, "a window of %d x %d", player->width,
           player->height);
    ENSURE(player->time_s >= 0 && player->speed > 0, "at %g s, speed %g", player->time_s,
           player->speed);
    ENSURE((int)player->drag >= DRAG_NONE && player->drag <= DRAG_BODY, "drag %d",
           (int)player->drag);
}

void player_init(struct player *player, const struct content *content)
{
    *player = (struct player){.content = content,
                              .width = 960,
                              .height = 540,
                              .is_playing = 1,
                              .is_changed = 1,
                              .speed = 1,
                              .fine = 1};
}

void player_destroy(struct player *player)
{
    if (player)
        player->content->destroy(player);
}

void player_resize(struct player *player, int width_px, int height_px)
{
    ENSURE(width_px > 0 && height_px > 0, "a window of %d x %d", width_px, height_px);
    player->is_changed = 1;
    if (player->content->resize) {
        player->content->resize(player, width_px, height_px);
        return;
    }
    player->width = width_px;
    player->height = height_px;
}

void player_say(struct player *player, const char *text)
{
    snprintf(player->toast, sizeof player->toast, "%s", text);
    player->toast_s = TOAST_S;
    player->is_changed = 1;
}

void player_wait(struct player *player, const char *text)
{
    player->is_changed |= strcmp(player->waiting, text) != 0;
    snprintf(player->waiting, sizeof player->waiting, "%s", text);
}

void player_ask(struct player *player, const char *question)
{
    player->question = question;
    player->answer[0] = '\0';
    player->is_changed = 1;
}

double player_ui(const struct player *player)
{
    return draw_ui_scale(player->width, player->height);
}

const char *player_title(struct player *player)
{
    player->content->tell_title(player, player->title, sizeof player->title);
    return player->title;
}

/* ---- time ---- */

void player_seek(struct player *player, double time_s)
{
    player->is_changed = 1;
    time_s = fmin(fmax(time_s, 0), player->content->duration(player));
    if (player->content->seek)
        player->content->seek(player, time_s);
    else
        player->time_s = time_s;
}

void player_advance(struct player *player, double dt_s)
{
    ENSURE(dt_s >= 0, "a step of %g s", dt_s);
    player_check(player);
    player->content->advance(player, dt_s);
    player->toast_s -= dt_s;
    if (player->toast[0] && player->toast_s <= 0) {
        player->toast[0] = 0;
        player->is_changed = 1;
    }
}

void player_look_for_news(struct player *player, double now_s)
{
    player_check(player);
    player->content->look_for_news(player, now_s);
}

int player_is_still(const struct player *player)
{
    return !player->is_changed && !player->toast[0] && player->content->is_still(player);
}

/* ---- what keys do ---- */

static void restart(struct player *player, int unused)
{
    player->is_playing = 1;
    player_seek(player, 0);
    if (player->content->restart)
        player->content->restart(player);
}

static void play(struct player *player, int unused)
{
    player->is_playing = !player->is_playing;
    if (player->is_playing && player->content->starts_over &&
        player->time_s >= player->content->duration(player))
        restart(player, 0);
}

static void step(struct player *player, int ticks)
{
    double tick_s = player->content->tick(player);
    if (!(tick_s > 0))
        return;
    player->is_playing = 0;
    player_seek(player, (floor(player->time_s / tick_s + 0.5) + ticks) * tick_s);
}

void player_jump(struct player *player, int milliseconds)
{
    player_seek(player, player->time_s + milliseconds / 1000.0);
}

static void speed_up(struct player *player, int doublings)
{
    double speed = ldexp(player->speed, doublings);
    player->speed = fmin(fmax(speed, SPEED_MIN), player->content->speed_most);
}

static void step_creature(struct player *player, int steps)
{
    player->content->step_creature(player, steps);
}

void player_toggle(struct player *player, int offset)
{
    int *flag = (void *)((char *)player + offset);
    *flag = !*flag;
}

static void quit(struct player *player, int unused)
{
    player->is_quitting = !player->is_help;
    player->is_help = 0;
}

void player_clean_name(const char *from, char *name, size_t size)
{
    size_t used = 0;
    for (; *from && used + 1 < size; from++)
        name[used++] =
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *from)
                ? *from
                : '_';
    name[used] = 0;
}

/* While it moves, or where a still is looked at: sixteen shades of an edge do in the former case,
 * and skins need half of the time. */
static void draw_scene(const struct player *player, cairo_surface_t *surface, int is_quick)
{
    cairo_t *cr = cairo_create(surface);
    if (is_quick)
        cairo_set_antialias(cr, CAIRO_ANTIALIAS_FAST);
    player->content->draw_scene(player, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
}

static int is_moving(const struct player *player)
{
    return player->is_playing || player->drag != DRAG_NONE;
}

double player_fineness(const struct player *player)
{
    return is_moving(player) ? player->fine : 1;
}

void player_pace(struct player *player, double spent_s)
{
    if (!is_moving(player))
        return;
    player->frame_s += PACE_SHARE * (spent_s - player->frame_s);
    double fine = player->frame_s > LATE_S    ? fmax(player->fine / 2, FINE_LEAST)
                  : player->frame_s < EARLY_S ? fmin(2 * player->fine, 1)
                                              : player->fine;
    if (fine != player->fine)
        player->frame_s = (LATE_S + EARLY_S) / 2;
    player->fine = fine;
}

static void save(struct player *player, int unused)
{
    char name[64], clean[64], stem[100], text[300];
    struct draw_box box = player->content->scene_box(player);
    player->content->name_picture(player, name, sizeof name);
    player_clean_name(name, clean, sizeof clean);
    snprintf(stem, sizeof stem, "%s-%.2fs", clean, player->time_s);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)box.width, (int)box.height);
    draw_scene(player, surface, 0);
    draw_save(surface, stem, text, sizeof text);
    player_say(player, text);
}

/* ---- keys ---- */

static const struct key_row common_keys[] = {
    {{' '}, "space", "play, pause", .act = play},
    {{'.'}, ".", "one tick on", .act = step, .value = 1},
    {{','}, ",", "one tick back", .act = step, .value = -1},
    {{'+', '='}, "+", "twice as fast", .act = speed_up, .value = 1},
    {{'-'}, "-", "half as fast", .act = speed_up, .value = -1},
    {{'r', KEY_HOME}, "r", "start again", .act = restart},
    {{'n', KEY_TAB}, "n, tab", "next creature", .act = step_creature, .value = 1},
    {{'p', KEY_BACKTAB}, "p", "previous creature", .act = step_creature, .value = -1},
    {{'s'}, "s", "save this picture as png", .act = save},
    {{KEY_F11}, "F11", "full screen", KEY_FLAG(player, is_fullscreen)},
    {{'h', KEY_F1}, "h, F1", "this help", KEY_FLAG(player, is_help)},
    {{'q', KEY_ESCAPE}, "q, Esc", "quit", .act = quit},
};
enum { COMMON_KEY_COUNT = sizeof common_keys / sizeof common_keys[0] };

static const struct key_row *find_key(const struct key_row *rows, int count, int key)
{
    for (int i = 0; i < count; i++)
        if (key && (rows[i].keys[0] == key || rows[i].keys[1] == key))
            return &rows[i];
    return NULL;
}

/* Whether the key means something. */
static int turn_key(struct player *player, int key)
{
    const struct content *content = player->content;
    const struct key_row *row = find_key(common_keys, COMMON_KEY_COUNT, key);
    if (row) {
        row->act(player, row->value);
        return 1;
    }
    row = find_key(content->keys, content->key_count, key);
    if (row && row->act)
        row->act(player, row->value);
    return row && (row->act || content->turn_key(player, row));
}

/* A key of the answer to a question. */
static void type(struct player *player, int key)
{
    size_t length = strlen(player->answer);
    if (key == KEY_BACKSPACE && length > 0)
        player->answer[length - 1] = '\0';
    else if (key > ' ' && key < 127 && length + 1 < sizeof player->answer)
        snprintf(player->answer + length, 2, "%c", key);
    if (key != KEY_ENTER && key != KEY_ESCAPE)
        return;
    player->question = NULL;
    if (key == KEY_ENTER && length > 0)
        player->content->answer(player, player->answer);
}

void player_press_key(struct player *player, int key)
{
    player_check(player);
    player->is_changed = 1;
    if (player->question)
        type(player, key);
    else if (!turn_key(player, key) && key >= 'A' && key <= 'Z')
        turn_key(player, key - 'A' + 'a');
}

/* The keys and their actions, in three columns, over the picture; below them lines of text. */
static void draw_help(const struct player *player, cairo_t *cr)
{
    const struct content *content = player->content;
    int count = COMMON_KEY_COUNT + content->key_count, rows = (count + 2) / 3;
    int line_count = content->help_line_count;
    /* as large as fits */
    double width = 3 * HELP_COLUMN_PX + 40, height = rows * 21 + 64 + 18 * line_count;
    double ui =
        fmin(player_ui(player), fmin(0.98 * player->width / width, 0.98 * player->height / height));
    width *= ui;
    height *= ui;
    double x = (player->width - width) / 2, y = (player->height - height) / 2;
    draw_panel(cr, x, y, width, height, ui);
    draw_text(cr, content->help_title, x + 22 * ui, y + 32 * ui, 16 * ui, 1, DRAW_LEFT, COLOR_text);
    for (int i = 0; i < count; i++) {
        const struct key_row *row =
            i < COMMON_KEY_COUNT ? &common_keys[i] : &content->keys[i - COMMON_KEY_COUNT];
        double left = x + 22 * ui + (i / rows) * HELP_COLUMN_PX * ui,
               line = y + 60 * ui + (i % rows) * 21 * ui;
        draw_text(cr, row->label, left, line, 12 * ui, 1, DRAW_LEFT, COLOR_part_0);
        draw_text(cr, row->help, left + 94 * ui, line, 12 * ui, 0, DRAW_LEFT, COLOR_text);
    }
    for (int i = 0; i < line_count; i++)
        draw_text(cr, content->help_lines[i], x + 22 * ui,
                  y + height - (16 + 18 * (line_count - 1 - i)) * ui, 11.5 * ui, 0, DRAW_LEFT,
                  COLOR_text_soft);
}

/* ---- the bar ---- */

static double bar_top(const struct player *player)
{
    return player->height - BAR_HEIGHT_PX * player_ui(player);
}

struct draw_box player_time_box(const struct player *player)
{
    double ui = player_ui(player);
    return (struct draw_box){BAR_LEFT_PX * ui, bar_top(player) + 2 * ui,
                             fmax(player->width - (BAR_LEFT_PX + WORDS_PX) * ui, 1),
                             (BAR_HEIGHT_PX - 4) * ui, ui};
}

static void choose_time(struct player *player, double x)
{
    struct draw_box box = player_time_box(player);
    double share = fmin(fmax((x - box.x) / box.width, 0), 1);
    player_seek(player, share * player->content->duration(player));
}

/* Where a word is; px from the window's left edge. */
static void find_word(const struct player *player, int word, double *left, double *width)
{
    static const double edges_px[WORD_COUNT + 1] = {4, 46, 94, WORDS_PX};
    double ui = player_ui(player);
    *left = player->width - (WORDS_PX - edges_px[word]) * ui;
    *width = (edges_px[word + 1] - edges_px[word]) * ui;
}

/* A triangle, or two bars while it plays; radius px. */
static void draw_play_button(cairo_t *cr, int is_playing, double x, double y, double r)
{
    draw_set_color(cr, palette[COLOR_text].light, 1);
    if (is_playing) {
        cairo_rectangle(cr, x - r * 0.8, y - r, r * 0.6, 2 * r);
        cairo_rectangle(cr, x + r * 0.2, y - r, r * 0.6, 2 * r);
    } else {
        cairo_move_to(cr, x - r * 0.7, y - r);
        cairo_line_to(cr, x + r, y);
        cairo_line_to(cr, x - r * 0.7, y + r);
        cairo_close_path(cr);
    }
    cairo_fill(cr);
}

static void draw_bar(const struct player *player, cairo_t *cr)
{
    const struct replay *replays[PLAYER_CURVES_MAX];
    struct draw_scrub scrub = {.box = player_time_box(player),
                               .replays = replays,
                               .marked = -1,
                               .time_s = player->time_s,
                               .duration_s = player->content->duration(player)};
    double ui = player_ui(player), top = bar_top(player), middle = top + BAR_HEIGHT_PX * ui / 2;
    cairo_rectangle(cr, 0, top, player->width, player->height - top);
    draw_fill(cr, COLOR_panel, 1);
    draw_play_button(cr, player->is_playing, 26 * ui, middle, 7 * ui);
    if (player->content->fill_scrub)
        player->content->fill_scrub(player, &scrub, replays);
    draw_scrub(cr, &scrub);
    for (int word = 0; word < WORD_COUNT; word++) {
        char text[32] = "";
        double left, width, size = 12 * ui;
        find_word(player, word, &left, &width);
        if (word == WORD_HELP)
            snprintf(text, sizeof text, "h: help");
        else if (word == WORD_PLACE && player->content->tell_place)
            player->content->tell_place(player, text, sizeof text);
        else if (word == WORD_SPEED && player->speed >= 1)
            snprintf(text, sizeof text, "x%g", player->speed);
        else if (word == WORD_SPEED)
            snprintf(text, sizeof text, "x1/%g", 1 / player->speed);
        /* "256/256" is long */
        double share = 0.96 * width / fmax(draw_text_width(cr, text, size, 0), 1);
        draw_text(cr, text, left + width / 2, middle + 4.5 * ui, size * fmin(share, 1), 0,
                  DRAW_CENTRE, COLOR_text_soft);
    }
}

static void press_bar(struct player *player, double x)
{
    player->is_click = 0;
    if (x < (BAR_LEFT_PX - 8) * player_ui(player)) {
        play(player, 0);
        return;
    }
    for (int word = 0; word < WORD_COUNT; word++) {
        double left, width;
        find_word(player, word, &left, &width);
        if (x < left || x >= left + width)
            continue;
        if (word == WORD_HELP)
            player->is_help = !player->is_help;
        else if (word == WORD_PLACE && player->content->press_place)
            player->content->press_place(player);
        else if (word == WORD_PLACE)
            step_creature(player, 1);
        else
            player->speed =
                player->speed >= player->content->speed_most_by_click ? 0.25 : player->speed * 2;
        return;
    }
    player->drag = DRAG_SCRUB;
    choose_time(player, x);
}

/* ---- the mouse ---- */

void player_press_mouse(struct player *player, double x, double y)
{
    player->is_changed = player->is_click = 1;
    player->mouse_x = player->press_x = x;
    player->mouse_y = player->press_y = y;
    if (player->content->point)
        player->content->point(player);
    if (player->is_help)
        player->is_help = player->is_click = 0;
    else if (y >= bar_top(player))
        press_bar(player, x);
    else
        player->drag = player->content->press(player, x, y);
}

void player_press_pan(struct player *player, double x, double y)
{
    player_press_mouse(player, x, y);
    if (player->drag == DRAG_PICTURE || player->drag == DRAG_BODY)
        player->drag = DRAG_SHIFT;
}

void player_press_choice(struct player *player, double x, double y)
{
    player->is_changed = 1;
    if (!player->is_help && player->content->press_choice)
        player->content->press_choice(player, x, y);
}

void player_move_mouse(struct player *player, double x, double y)
{
    double dx = x - player->mouse_x, dy = y - player->mouse_y;
    player->mouse_x = x;
    player->mouse_y = y;
    if (hypot(x - player->press_x, y - player->press_y) > CLICK_PX * player_ui(player))
        player->is_click = 0;
    player->is_changed |= player->drag != DRAG_NONE;
    if (player->drag == DRAG_SCRUB)
        choose_time(player, x);
    else if (player->drag != DRAG_NONE && (!player->is_click || player->drag == DRAG_PANEL))
        player->content->drag(player, dx, dy);
    else if (player->drag == DRAG_NONE && player->content->point)
        player->content->point(player);
}

void player_release_mouse(struct player *player)
{
    if (player->drag == DRAG_BODY)
        player->content->let_go(player);
    int has_clicked =
        player->drag == DRAG_PICTURE || player->drag == DRAG_SHIFT || player->drag == DRAG_BODY;
    if (has_clicked && player->is_click)
        player->content->click(player, player->press_x, player->press_y);
    player->drag = DRAG_NONE;
    player->is_click = 0;
    player->is_changed = 1;
}

void player_turn_wheel(struct player *player, double clicks, double x, double y)
{
    player->is_changed = 1;
    player->content->turn_wheel(player, clicks, x, y);
}

/* ---- the picture ---- */

/* Low in the picture. */
static void draw_toast(const struct player *player, cairo_t *cr, const struct draw_box *scene)
{
    const char *text = player->toast[0] ? player->toast : player->waiting;
    char typed[160];
    snprintf(typed, sizeof typed, "%s: %s_", player->question ? player->question : "",
             player->answer);
    text = player->question ? typed : text;
    double ui = player_ui(player), width = draw_text_width(cr, text, 13 * ui, 0) + 28 * ui;
    double x = (player->width - width) / 2,
           y = scene->y + scene->height - (48 + player->content->foot_px) * ui;
    if (!text[0])
        return;
    draw_panel(cr, x, y, width, 32 * ui, ui);
    draw_text(cr, text, x + 14 * ui, y + 21 * ui, 13 * ui, 0, DRAW_LEFT, COLOR_text);
}

void player_draw(struct player *player, cairo_surface_t *surface)
{
    struct draw_box box = player->content->scene_box(player);
    cairo_surface_t *scene =
        cairo_surface_create_for_rectangle(surface, box.x, box.y, box.width, box.height);
    draw_scene(player, scene, is_moving(player));
    cairo_surface_destroy(scene);
    cairo_t *cr = cairo_create(surface);
    if (player->content->draw_panels)
        player->content->draw_panels(player, cr);
    draw_bar(player, cr);
    draw_toast(player, cr, &box);
    if (player->is_help)
        draw_help(player, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    player->is_changed = 0;
}
