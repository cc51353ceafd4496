/* The actions of keys: one table, from which the help comes as well. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/params/choice.h"

#define SPEED_MIN 0.0625
#define SPEED_MAX 16.0

/* ---- actions ---- */

void stage_act_play(struct stage *stage)
{
    stage->is_playing = !stage->is_playing;
    if (stage->is_playing && stage->time_s >= stage_shown_duration(stage))
        stage_start_over(stage);
}

static void step(struct stage *stage, int direction)
{
    const struct replay *replay = stage_current_replay(stage);
    if (!replay)
        return;
    stage->is_playing = 0;
    stage_seek(stage, (floor(stage->time_s / replay->frame_s + 0.5) + direction) * replay->frame_s);
}

static void jump(struct stage *stage, int half_seconds)
{
    stage_seek(stage, stage->time_s + 0.5 * half_seconds);
}

static void act_faster(struct stage *stage)
{
    stage->speed = fmin(stage->speed * 2, SPEED_MAX);
}

/* By clicks: twice as fast up to the fourfold, then from a quarter on. */
static void change_speed(struct stage *stage)
{
    stage->speed = stage->speed >= 4 ? 0.25 : stage->speed * 2;
}

static void act_slower(struct stage *stage)
{
    stage->speed = fmax(stage->speed / 2, SPEED_MIN);
}

static void act_restart(struct stage *stage)
{
    stage->is_playing = 1;
    stage_start_over(stage);
}

static void step_creature(struct stage *stage, int direction)
{
    stage->is_movie = 0;
    if (stage->view == VIEW_RACE)
        stage->view = VIEW_SINGLE;
    if (stage->view == VIEW_CELLS)
        stage_select_creature(stage, stage->current + direction);
    else
        stage_show_creature(stage, stage->current + direction);
}

static void toggle_view(struct stage *stage, int view)
{
    stage->view = (int)stage->view == view || gallery_count(stage->gallery) < 2
                      ? VIEW_SINGLE
                      : (enum stage_view)view;
    stage->is_movie = 0;
    stage_seek(stage, stage->time_s);
    stage_refit(stage);
}

/* Puts the line of descent of the chosen creature on the shelf; 0, or a toast says why not. */
static int show_descent(struct stage *stage)
{
    struct error error;
    if (!gallery_count(stage->gallery))
        return ERR_MISSING;
    const struct specimen *specimen = gallery_specimen(stage->gallery, stage->current);
    int64_t home = gallery_specimen_generation(stage->gallery, stage->current);
    if (gallery_show_lineage(stage->gallery, specimen->creature.id, &error)) {
        stage_set_toast(stage, error.message);
        return error.code;
    }
    stage->home_generation = home;
    stage->is_live = stage->is_movie = 0;
    return 0;
}

static void leave_descent(struct stage *stage)
{
    stage->view = VIEW_SINGLE;
    stage_show_generation(stage, stage->home_generation);
}

static void act_descent(struct stage *stage)
{
    if (stage_has_descent(stage)) {
        leave_descent(stage);
    } else if (!show_descent(stage)) {
        stage->view = VIEW_SINGLE;
        stage_show_shelf(stage, 0);
    }
}

static void act_pair(struct stage *stage)
{
    if (stage->view == VIEW_PAIR) {
        stage->view = VIEW_SINGLE;
        stage_refit(stage);
    } else if (stage_has_descent(stage)) {
        stage->view = VIEW_PAIR;
        stage_show_creature(stage, stage->current);
    } else if (!show_descent(stage)) {
        stage->view = VIEW_PAIR;
        stage_show_shelf(stage, 0);
    }
}

static void act_movie(struct stage *stage)
{
    struct error error;
    if (gallery_shelf(stage->gallery) == SHELF_CHAMPIONS) {
        stage_show_newest(stage);
        return;
    }
    if (gallery_show_champions(stage->gallery, &error)) {
        stage_set_toast(stage, "only a run has champions of generations");
        return;
    }
    stage->is_movie = stage->is_playing = 1;
    stage->is_live = 0;
    stage->view = VIEW_SINGLE;
    stage_show_shelf(stage, 0);
}

static void act_kinds(struct stage *stage)
{
    struct error error;
    int is_kinds = !gallery_is_kinds(stage->gallery);
    if (gallery_shelf(stage->gallery) != SHELF_GENERATION || stage_has_choices(stage)) {
        stage_set_toast(stage, stage_has_choices(stage) ? "choosing shows the best, of any kind"
                                                        : "only generations have kinds of bodies");
        return;
    }
    gallery_set_kinds(stage->gallery, is_kinds);
    if (gallery_show_generation(stage->gallery, gallery_generation(stage->gallery), &error)) {
        stage_set_toast(stage, error.message);
        return;
    }
    stage_show_shelf(stage, 0);
    stage_set_toast(stage, is_kinds ? "the best of each kind of body" : "the best, of any kind");
}

static void act_strip(struct stage *stage)
{
    stage->is_strip = !stage->is_strip;
}

static void act_help(struct stage *stage)
{
    stage->is_help = !stage->is_help;
}

static void act_fullscreen(struct stage *stage)
{
    stage->is_fullscreen = !stage->is_fullscreen;
}

static void act_follow(struct stage *stage)
{
    stage->camera.is_following = !stage->camera.is_following;
    stage->camera.vx_m_s = stage->camera.vy_m_s = 0;
}

void stage_zoom(struct stage *stage, double factor, double dx, double dy)
{
    ENSURE(factor > 0, "zoom by %g", factor);
    if (stage->view == VIEW_CELLS || stage->view == VIEW_PAIR)
        stage->cells_zoom = fmin(fmax(stage->cells_zoom * factor, 0.05), 20);
    else
        camera_zoom(&stage->camera, factor, dx, dy);
}

static void zoom_in(struct stage *stage, int steps)
{
    stage_zoom(stage, steps > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, 0, 0);
}

static void toggle_overlay(struct stage *stage, int overlay)
{
    stage->overlays ^= (unsigned)overlay;
}

static void act_brain(struct stage *stage)
{
    int before = stage_scene_width(stage);
    stage->overlays ^= DRAW_BRAIN;
    stage->pointed.kind = CUT_NONE;
    stage_rescale(stage, before);
    if (stage_has_brain(stage))
        stage_set_toast(stage, "click a neuron or a wire to cut it out; x: put all back");
    else
        stage->toast[0] = 0;
}

static void act_ledger(struct stage *stage)
{
    int before = stage_scene_width(stage);
    stage->overlays ^= DRAW_LEDGER;
    stage_rescale(stage, before);
}

static void act_heal(struct stage *stage)
{
    struct error error;
    if (stage_current_replay(stage) && gallery_heal(stage->gallery, stage->current, &error))
        stage_set_toast(stage, error.message);
    stage_collect_ready(stage);
    stage_seek(stage, stage->time_s);
}

static void act_quit(struct stage *stage)
{
    if (stage->is_help)
        stage->is_help = 0;
    else
        stage->is_quitting = 1;
}

/* The part of a name that can stand in a file's. */
static void clean_name(const char *from, char *name, size_t size)
{
    size_t used = 0;
    for (; *from && used + 1 < size; from++)
        name[used++] =
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *from)
                ? *from
                : '_';
    name[used] = 0;
}

/* The creature that is marked, as `controller save` would write it. */
static void act_save_creature(struct stage *stage)
{
    char name[64], path[128], text[600];
    struct error error;
    if (!gallery_count(stage->gallery))
        return;
    const struct creature *creature = &gallery_specimen(stage->gallery, stage->current)->creature;
    if (!creature->genome.body_count) {
        stage_set_toast(stage, "a scene is no creature");
        return;
    }
    clean_name(creature->name[0] ? creature->name : "creature", name, sizeof name);
    draw_choose_file_name(name, "creature", path, sizeof path);
    if (creature_write(creature, path, 0, &error))
        snprintf(text, sizeof text, "%s", error.message);
    else
        snprintf(text, sizeof text, "saved the creature as %s", path);
    stage_set_toast(stage, text);
}

static const char *picture_name(const struct stage *stage)
{
    const struct replay *replay = stage_current_replay(stage);
    if (stage->view == VIEW_RACE)
        return "race";
    if (stage->view == VIEW_CELLS)
        return "grid";
    return replay ? replay->name : "nothing";
}

static void act_save(struct stage *stage)
{
    char name[64], stem[100], text[300];
    clean_name(picture_name(stage), name, sizeof name);
    snprintf(stem, sizeof stem, "%s-%.2fs", name, stage->time_s);
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, stage_room_width(stage), stage_scene_height(stage));
    struct stage still = *stage; /* whose picture is as fine as can be */
    still.is_playing = still.drag = 0;
    stage_draw_scene(&still, surface);
    draw_save(surface, stem, text, sizeof text);
    stage_set_toast(stage, text);
}

/* ---- keys ---- */

struct binding {
    int keys[3];
    const char *label, *help;
    void (*act)(struct stage *stage);             /* or */
    void (*turn)(struct stage *stage, int value); /* with this: */
    int value;
};

static const struct binding bindings[] = {
    {{' '}, "space", "play, pause", .act = stage_act_play},
    {{'.'}, ".", "one tick on", .turn = step, .value = 1},
    {{','}, ",", "one tick back", .turn = step, .value = -1},
    {{STAGE_KEY_RIGHT}, "right", "half a second on", .turn = jump, .value = 1},
    {{STAGE_KEY_LEFT}, "left", "half a second back", .turn = jump, .value = -1},
    {{'+', '='}, "+", "twice as fast", .act = act_faster},
    {{'-'}, "-", "half as fast", .act = act_slower},
    {{'r', STAGE_KEY_HOME}, "r", "start again", .act = act_restart},
    {{'n', STAGE_KEY_TAB}, "n, tab", "next creature", .turn = step_creature, .value = 1},
    {{'p', STAGE_KEY_BACKTAB}, "p", "previous creature", .turn = step_creature, .value = -1},
    {{'g'}, "g", "race of all, or one", .turn = toggle_view, .value = VIEW_RACE},
    {{'a'}, "a", "all in a grid, or one", .turn = toggle_view, .value = VIEW_CELLS},
    {{'['}, "[", "generation before", .turn = stage_step_generation, .value = -1},
    {{']'}, "]", "generation after", .turn = stage_step_generation, .value = 1},
    {{STAGE_KEY_END}, "End", "newest generation, live", .act = stage_show_newest},
    {{'y'}, "y", "the best of each kind of body", .act = act_kinds},
    {{'v'}, "v", "strip of the champions", .act = act_strip},
    {{'e'}, "e", "evolution in one minute", .act = act_movie},
    {{'w'}, "w", "line of descent", .act = act_descent},
    {{'d'}, "d", "beside its parent", .act = act_pair},
    {{'f'}, "f", "camera follows, or stays", .act = act_follow},
    {{STAGE_KEY_UP}, "up, wheel", "zoom in", .turn = zoom_in, .value = 1},
    {{STAGE_KEY_DOWN}, "down, wheel", "zoom out", .turn = zoom_in, .value = -1},
    {{'0'}, "0", "zoom and place anew", .act = stage_refit},
    {{'t'}, "t", "trail of the centre of mass", .turn = toggle_overlay, .value = DRAW_TRAIL},
    {{'c'}, "c", "contacts and impulses", .turn = toggle_overlay, .value = DRAW_CONTACTS},
    {{'j'}, "j", "joint angles and limits", .turn = toggle_overlay, .value = DRAW_LIMITS},
    {{'u'}, "u", "torques of the effectors", .turn = toggle_overlay, .value = DRAW_TORQUES},
    {{'i'}, "i", "what sensors feel", .turn = toggle_overlay, .value = DRAW_SENSORS},
    {{'o'}, "o", "way to the light", .turn = toggle_overlay, .value = DRAW_LIGHT},
    {{'k'}, "k", "true shapes, or a skin", .turn = toggle_overlay, .value = DRAW_BOXES},
    {{'m'}, "m", "marks of distance", .turn = toggle_overlay, .value = DRAW_UNMARKED},
    {{'z'}, "z", "side and top beside", .turn = toggle_overlay, .value = DRAW_SPLIT},
    {{'b'}, "b", "the living brain", .act = act_brain},
    {{'l'}, "l", "energy ledger", .act = act_ledger},
    {{'x'}, "x", "undo all cuts in the brain", .act = act_heal},
    {{'s'}, "s", "save this picture as png", .act = act_save},
    {{'S'}, "shift+S", "save the creature as a file", .act = act_save_creature},
    {{'B'},
     "shift+B",
     "let it breed (chosen by hand)",
     .turn = stage_choose,
     .value = CHOICE_BREED},
    {{'K'}, "shift+K", "keep it", .turn = stage_choose, .value = CHOICE_KEEP},
    {{'X'}, "shift+X", "ban it", .turn = stage_choose, .value = CHOICE_BAN},
    {{STAGE_KEY_ENTER}, "Enter", "breed the next generation", .act = stage_breed_next},
    {{STAGE_KEY_F11}, "F11", "full screen", .act = act_fullscreen},
    {{'h', STAGE_KEY_F1}, "h, F1", "this help", .act = act_help},
    {{'q', STAGE_KEY_ESCAPE}, "q, Esc", "quit", .act = act_quit},
};
#define BINDING_COUNT ((int)(sizeof bindings / sizeof bindings[0]))

static const struct binding *find_binding(int key)
{
    for (int i = 0; i < BINDING_COUNT; i++)
        for (int k = 0; k < 3; k++)
            if (bindings[i].keys[k] && bindings[i].keys[k] == key)
                return &bindings[i];
    return NULL;
}

void stage_press_key(struct stage *stage, int key)
{
    int is_capital = key >= 'A' && key <= 'Z';
    const struct binding *binding = find_binding(key);
    /* in a run without choices B is b */
    if (binding && strchr("BKX", key) && !stage_has_choices(stage))
        binding = NULL;
    if (!binding && is_capital)
        binding = find_binding(key - 'A' + 'a');
    stage->is_changed = 1;
    ENSURE(!binding || !binding->act != !binding->turn, "key %s does two things, or nothing",
           binding->label);
    if (binding && binding->act)
        binding->act(stage);
    else if (binding)
        binding->turn(stage, binding->value);
}

void stage_act_word(struct stage *stage, enum bar_word word)
{
    ENSURE((int)word >= 0 && word < WORD_COUNT, "word %d", (int)word);
    switch (word) {
    case WORD_SPEED:
        change_speed(stage);
        break;
    case WORD_PLACE:
        step_creature(stage, 1);
        break;
    default:
        act_help(stage);
    }
}

/* ---- the help ---- */

/* Actions without a key. */
static const char *const help_lines[] = {
    "Mouse: drag the picture to pan (in depth: to turn; with shift to pan), the bar to scrub, the "
    "curve of a run to choose a generation; the wheel zooms.",
    "Click a creature of a grid twice to see it alone; a neuron or a wire to cut it out, again to "
    "put it back; speed and number beside the bar.",
    "Files, from a command line: viewer RUN_DIR --export walk.mp4, or .gif .webm .html .png .svg; "
    "a "
    "whole run's report: controller report RUN_DIR.",
};
#define HELP_LINE_COUNT ((int)(sizeof help_lines / sizeof help_lines[0]))

void stage_draw_help(cairo_t *cr, const struct stage *stage)
{
    struct draw_help_row rows[BINDING_COUNT];
    for (int i = 0; i < BINDING_COUNT; i++)
        rows[i] = (struct draw_help_row){bindings[i].label, bindings[i].help};
    draw_help(
        cr, stage->width, stage->height,
        &(struct draw_help){"Bestiary viewer", rows, BINDING_COUNT, help_lines, HELP_LINE_COUNT});
}

#endif
