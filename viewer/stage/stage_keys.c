/* The keys of a window of creatures, besides those of all windows. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/params/choice.h"

void stage_step_creature(struct player *player, int direction)
{
    struct stage *stage = (struct stage *)player;
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
    stage->view = (int)stage->view == view || stage->gallery->shown.count < 2
                      ? VIEW_SINGLE
                      : (enum stage_view)view;
    stage->is_movie = 0;
    player_seek(&stage->player, stage->player.time_s);
    stage_refit(stage);
}

/* Puts the line of descent of the chosen creature on the shelf; 0, or a toast says why not. */
static int show_descent(struct stage *stage)
{
    struct error error;
    if (!stage->gallery->shown.count)
        return ERR_MISSING;
    const struct specimen *specimen = gallery_specimen(stage->gallery, stage->current);
    int64_t home = stage->gallery->shown.generations[stage->current];
    if (gallery_show_lineage(stage->gallery, specimen->creature.id, &error)) {
        player_say(&stage->player, error.message);
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

static void act_descent(struct stage *stage, int unused)
{
    if (stage_has_descent(stage)) {
        leave_descent(stage);
    } else if (!show_descent(stage)) {
        stage->view = VIEW_SINGLE;
        stage_show_shelf(stage, 0);
    }
}

static void act_pair(struct stage *stage, int unused)
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

static void act_movie(struct stage *stage, int unused)
{
    struct error error;
    if (stage->gallery->kind == SHELF_CHAMPIONS) {
        stage_show_newest(stage);
        return;
    }
    if (gallery_show_champions(stage->gallery, &error)) {
        player_say(&stage->player, "only a run has champions of generations");
        return;
    }
    stage->is_movie = stage->player.is_playing = 1;
    stage->is_live = 0;
    stage->view = VIEW_SINGLE;
    stage_show_shelf(stage, 0);
}

static void act_kinds(struct stage *stage, int unused)
{
    struct error error;
    int is_kinds = stage->gallery->options.is_ranks;
    if (stage->gallery->kind != SHELF_GENERATION || stage_has_choices(stage)) {
        player_say(&stage->player, stage_has_choices(stage)
                                       ? "choosing shows the best, of any kind"
                                       : "only generations have kinds of bodies");
        return;
    }
    gallery_set_kinds(stage->gallery, is_kinds);
    if (gallery_show_generation(stage->gallery, stage->gallery->generation, &error)) {
        player_say(&stage->player, error.message);
        return;
    }
    stage_show_shelf(stage, 0);
    player_say(&stage->player,
               is_kinds ? "the best of each kind of body" : "the best, of any kind");
}

static void act_strip(struct stage *stage, int unused)
{
    stage->is_strip = !stage->is_strip;
}

static void act_follow(struct stage *stage, int unused)
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

static void act_newest(struct stage *stage, int unused)
{
    stage_show_newest(stage);
}

static void act_refit(struct stage *stage, int unused)
{
    stage_refit(stage);
}

static void toggle_overlay(struct stage *stage, int overlay)
{
    stage->overlays ^= (unsigned)overlay;
}

static void act_brain(struct stage *stage, int unused)
{
    int before = stage_scene_width(stage);
    stage->overlays ^= DRAW_BRAIN;
    stage->pointed.kind = CUT_NONE;
    stage_rescale(stage, before);
    if (stage_has_brain(stage))
        player_say(&stage->player, "click a neuron or a wire to cut it out; x: put all back");
    else
        stage->player.toast[0] = 0;
}

static void act_ledger(struct stage *stage, int unused)
{
    int before = stage_scene_width(stage);
    stage->overlays ^= DRAW_LEDGER;
    stage_rescale(stage, before);
}

static void act_heal(struct stage *stage, int unused)
{
    struct error error;
    if (stage_current_replay(stage) && gallery_heal(stage->gallery, stage->current, &error))
        player_say(&stage->player, error.message);
    stage_collect_ready(stage);
    player_seek(&stage->player, stage->player.time_s);
}

/* The creature that is marked, as `controller save` would write it. */
static void act_save_creature(struct stage *stage, int unused)
{
    char name[64], path[128], text[600];
    struct error error;
    if (!stage->gallery->shown.count)
        return;
    const struct creature *creature = &gallery_specimen(stage->gallery, stage->current)->creature;
    if (!creature->genome.body_count) {
        player_say(&stage->player, "a scene is no creature");
        return;
    }
    player_clean_name(creature->name[0] ? creature->name : "creature", name, sizeof name);
    draw_choose_file_name(name, "creature", path, sizeof path);
    if (creature_write(creature, path, 0, &error))
        snprintf(text, sizeof text, "%s", error.message);
    else
        snprintf(text, sizeof text, "saved the creature as %s", path);
    player_say(&stage->player, text);
}

/* ---- keys ---- */

static const struct key_row keys[] = {
    {{KEY_RIGHT}, "right", "half a second on", .act = player_jump, .value = 500},
    {{KEY_LEFT}, "left", "half a second back", .act = player_jump, .value = -500},
    {{'g'}, "g", "race of all, or one", .on_stage = toggle_view, .value = VIEW_RACE},
    {{'a'}, "a", "all in a grid, or one", .on_stage = toggle_view, .value = VIEW_CELLS},
    {{'['}, "[", "generation before", .on_stage = stage_step_generation, .value = -1},
    {{']'}, "]", "generation after", .on_stage = stage_step_generation, .value = 1},
    {{KEY_END}, "End", "newest generation, live", .on_stage = act_newest},
    {{'y'}, "y", "the best of each kind of body", .on_stage = act_kinds},
    {{'v'}, "v", "strip of the champions", .on_stage = act_strip},
    {{'e'}, "e", "evolution in one minute", .on_stage = act_movie},
    {{'w'}, "w", "line of descent", .on_stage = act_descent},
    {{'d'}, "d", "beside its parent", .on_stage = act_pair},
    {{'f'}, "f", "camera follows, or stays", .on_stage = act_follow},
    {{KEY_UP}, "up, wheel", "zoom in", .on_stage = zoom_in, .value = 1},
    {{KEY_DOWN}, "down, wheel", "zoom out", .on_stage = zoom_in, .value = -1},
    {{'0'}, "0", "zoom and place anew", .on_stage = act_refit},
    {{'t'}, "t", "trail of the centre of mass", .on_stage = toggle_overlay, .value = DRAW_TRAIL},
    {{'c'}, "c", "contacts and impulses", .on_stage = toggle_overlay, .value = DRAW_CONTACTS},
    {{'j'}, "j", "joint angles and limits", .on_stage = toggle_overlay, .value = DRAW_LIMITS},
    {{'u'}, "u", "torques of the effectors", .on_stage = toggle_overlay, .value = DRAW_TORQUES},
    {{'i'}, "i", "what sensors feel", .on_stage = toggle_overlay, .value = DRAW_SENSORS},
    {{'o'}, "o", "way to the light", .on_stage = toggle_overlay, .value = DRAW_LIGHT},
    {{'k'}, "k", "true shapes, or a skin", .on_stage = toggle_overlay, .value = DRAW_BOXES},
    {{'m'}, "m", "marks of distance", .on_stage = toggle_overlay, .value = DRAW_UNMARKED},
    {{'z'}, "z", "side and top beside", .on_stage = toggle_overlay, .value = DRAW_SPLIT},
    {{'b'}, "b", "the living brain", .on_stage = act_brain},
    {{'l'}, "l", "energy ledger", .on_stage = act_ledger},
    {{'x'}, "x", "undo all cuts in the brain", .on_stage = act_heal},
    {{'S'}, "shift+S", "save the creature as a file", .on_stage = act_save_creature},
    {{'B'},
     "shift+B",
     "let it breed (chosen by hand)",
     .on_stage = stage_choose,
     .value = CHOICE_BREED,
     .is_choice = 1},
    {{'K'}, "shift+K", "keep it", .on_stage = stage_choose, .value = CHOICE_KEEP, .is_choice = 1},
    {{'X'}, "shift+X", "ban it", .on_stage = stage_choose, .value = CHOICE_BAN, .is_choice = 1},
    {{KEY_ENTER}, "Enter", "breed the next generation", .on_stage = stage_breed_next},
};

/* In a run without choices B is b. */
static int turn_key(struct player *player, const struct key_row *row)
{
    struct stage *stage = (struct stage *)player;
    if (row->is_choice && !stage_has_choices(stage))
        return 0;
    row->on_stage(stage, row->value);
    return 1;
}

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

const struct content stage_content = {.keys = keys,
                                      .key_count = sizeof keys / sizeof keys[0],
                                      .help_title = "Bestiary viewer",
                                      .help_lines = help_lines,
                                      .help_line_count = sizeof help_lines / sizeof help_lines[0],
                                      .speed_most = 16,
                                      .speed_most_by_click = 4,
                                      .starts_over = 1,
                                      .begin = stage_begin,
                                      .resize = stage_resize,
                                      .turn_key = turn_key,
                                      .duration = stage_duration,
                                      .tick = stage_tick,
                                      .seek = stage_seek,
                                      .restart = stage_restart,
                                      .step_creature = stage_step_creature,
                                      .press = stage_press,
                                      .press_choice = stage_press_choice,
                                      .point = stage_point,
                                      .drag = stage_drag,
                                      .click = stage_click,
                                      .turn_wheel = stage_turn_wheel,
                                      .advance = stage_advance,
                                      .look_for_news = stage_look_for_news,
                                      .is_still = stage_is_still,
                                      .scene_box = stage_scene_box,
                                      .draw_scene = stage_draw_scene,
                                      .draw_panels = stage_draw_panels,
                                      .fill_scrub = stage_fill_scrub,
                                      .tell_place = stage_tell_place,
                                      .tell_title = stage_tell_title,
                                      .name_picture = stage_name_picture,
                                      .destroy = stage_destroy};

#endif
