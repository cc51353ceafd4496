/* The keys of a window of creatures, besides those of all windows. */
#include "viewer/window/creature_private.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "common/params/choice.h"

static void step_creature(struct player *player, int direction)
{
    struct creature_window *window = (struct creature_window *)player;
    window->is_movie = 0;
    if (window->view == VIEW_RACE)
        window->view = VIEW_SINGLE;
    if (window->view == VIEW_CELLS)
        creatures_select_creature(window, window->current + direction);
    else
        creatures_show_creature(window, window->current + direction);
}

static void toggle_view(struct creature_window *window, int view)
{
    window->view = (int)window->view == view || window->gallery->shown.count < 2
                       ? VIEW_SINGLE
                       : (enum creature_view)view;
    window->is_movie = 0;
    player_seek(&window->player, window->player.time_s);
    creatures_refit(window, 0);
}

/* Puts the line of descent of the chosen creature on the shelf; 0, or a toast says why not. */
static int show_descent(struct creature_window *window)
{
    struct error error;
    if (!window->gallery->shown.count)
        return ERR_MISSING;
    const struct specimen *specimen = gallery_specimen(window->gallery, window->current);
    int64_t home = window->gallery->shown.generations[window->current];
    if (gallery_show_lineage(window->gallery, specimen->creature.id, GALLERY_LINEAGE_MAX,
                             GALLERY_LINEAGE_MAX, &error)) {
        player_say(&window->player, error.message);
        return error.code;
    }
    window->home_generation = home;
    window->is_live = window->is_movie = 0;
    return 0;
}

static void act_descent(struct creature_window *window, int unused)
{
    if (creatures_has_descent(window)) {
        window->view = VIEW_SINGLE;
        creatures_show_generation(window, window->home_generation);
    } else if (!show_descent(window)) {
        window->view = VIEW_SINGLE;
        creatures_show_shelf(window);
    }
}

static void act_pair(struct creature_window *window, int unused)
{
    if (window->view == VIEW_PAIR) {
        window->view = VIEW_SINGLE;
        creatures_refit(window, 0);
    } else if (creatures_has_descent(window)) {
        window->view = VIEW_PAIR;
        creatures_show_creature(window, window->current);
    } else if (!show_descent(window)) {
        window->view = VIEW_PAIR;
        creatures_show_shelf(window);
    }
}

static void act_movie(struct creature_window *window, int unused)
{
    struct error error;
    if (window->gallery->kind == SHELF_CHAMPIONS) {
        creatures_step_generation(window, INT_MAX);
        return;
    }
    if (gallery_show_champions(window->gallery, &error)) {
        player_say(&window->player, "only a run has champions of generations");
        return;
    }
    window->is_movie = window->player.is_playing = 1;
    window->is_live = 0;
    window->view = VIEW_SINGLE;
    creatures_show_shelf(window);
}

static void act_kinds(struct creature_window *window, int unused)
{
    struct error error;
    int is_kinds = window->gallery->options.is_ranks;
    if (window->gallery->kind != SHELF_GENERATION || creatures_has_choices(window)) {
        player_say(&window->player, creatures_has_choices(window)
                                        ? "choosing shows the best, of any kind"
                                        : "only generations have kinds of bodies");
        return;
    }
    window->gallery->options.is_ranks = !is_kinds;
    if (gallery_show_generation(window->gallery, window->gallery->generation, &error)) {
        player_say(&window->player, error.message);
        return;
    }
    creatures_show_shelf(window);
    player_say(&window->player,
               is_kinds ? "the best of each kind of body" : "the best, of any kind");
}

static void act_strip(struct creature_window *window, int unused)
{
    window->is_strip = !window->is_strip;
}

static void act_ghost(struct creature_window *window, int unused)
{
    int was_descent = creatures_has_descent(window);
    window->has_ghost = !window->has_ghost || !was_descent;
    window->view = VIEW_SINGLE;
    if (was_descent) {
        creatures_select_creature(window, window->current);
        creatures_refit(window, 0);
    } else if (!show_descent(window)) {
        creatures_show_shelf(window);
    }
}

static void act_follow(struct creature_window *window, int unused)
{
    window->camera.is_following = !window->camera.is_following;
    window->camera.vx_m_s = window->camera.vy_m_s = 0;
}

void creatures_zoom(struct creature_window *window, double factor, double dx, double dy)
{
    ENSURE(factor > 0, "zoom by %g", factor);
    if (window->view == VIEW_CELLS || window->view == VIEW_PAIR)
        window->cells_zoom = fmin(fmax(window->cells_zoom * factor, 0.05), 20);
    else
        camera_zoom(&window->camera, factor, dx, dy);
}

static void zoom_in(struct creature_window *window, int steps)
{
    creatures_zoom(window, steps > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, 0, 0);
}

static void toggle_overlay(struct creature_window *window, int overlay)
{
    window->overlays ^= (unsigned)overlay;
}

static void act_brain(struct creature_window *window, int unused)
{
    int before = creatures_scene_width(window);
    window->overlays ^= DRAW_BRAIN;
    window->pointed.kind = CUT_NONE;
    creatures_rescale(window, before);
    if (creatures_has_brain(window))
        player_say(&window->player, "click a neuron or a wire to cut it out; x: put all back");
    else
        window->player.toast[0] = 0;
}

static void act_ledger(struct creature_window *window, int unused)
{
    int before = creatures_scene_width(window);
    window->overlays ^= DRAW_LEDGER;
    creatures_rescale(window, before);
}

static void act_heal(struct creature_window *window, int unused)
{
    struct error error;
    if (creatures_current_replay(window) && gallery_heal(window->gallery, window->current, &error))
        player_say(&window->player, error.message);
    creatures_collect_ready(window);
    player_seek(&window->player, window->player.time_s);
}

/* The creature that is marked, as `controller save` would write it. */
static void act_save_creature(struct creature_window *window, int unused)
{
    char name[64], path[128], text[600];
    struct error error;
    if (!window->gallery->shown.count)
        return;
    const struct creature *creature = &gallery_specimen(window->gallery, window->current)->creature;
    if (!creature->genome.body_count) {
        player_say(&window->player, "a scene is no creature");
        return;
    }
    player_clean_name(creature->name[0] ? creature->name : "creature", name, sizeof name);
    draw_choose_file_name(name, "creature", path, sizeof path);
    if (creature_write(creature, path, 0, &error))
        snprintf(text, sizeof text, "%s", error.message);
    else
        snprintf(text, sizeof text, "saved the creature as %s", path);
    player_say(&window->player, text);
}

static void act_name(struct creature_window *window, int unused)
{
    if (window->gallery->shown.count)
        player_ask(&window->player, "its name");
}

/* Keeps the creature that is marked as a favourite. */
static void keep(struct player *player, const char *word)
{
    struct creature_window *window = (struct creature_window *)player;
    char name[64], text[600];
    struct error error;
    player_clean_name(word, name, sizeof name);
    if (gallery_keep(window->gallery, window->current, name, &error))
        snprintf(text, sizeof text, "%s", error.message);
    else
        snprintf(text, sizeof text, "kept as a favourite: viewer %s:%s",
                 run_reader_directory(window->gallery->reader), name);
    player_say(player, text);
}

/* By the name that it has. */
static void act_keep(struct creature_window *window, int unused)
{
    if (window->gallery->shown.count)
        keep(&window->player, gallery_specimen(window->gallery, window->current)->creature.name);
}

/* ---- keys ---- */

#define ON(action, its_value) .on_creatures = action, .value = its_value
static const struct key_row keys[] = {
    {{KEY_RIGHT}, "right", "half a second on", .act = player_jump, .value = 500},
    {{KEY_LEFT}, "left", "half a second back", .act = player_jump, .value = -500},
    {{'g'}, "g", "race of all, or one", ON(toggle_view, VIEW_RACE)},
    {{'a'}, "a", "all in a grid, or one", ON(toggle_view, VIEW_CELLS)},
    {{'['}, "[", "generation before", ON(creatures_step_generation, -1)},
    {{']'}, "]", "generation after", ON(creatures_step_generation, 1)},
    {{KEY_END}, "End", "newest generation, live", ON(creatures_step_generation, INT_MAX)},
    {{'y'}, "y", "the best of each kind of body", .on_creatures = act_kinds},
    {{'v'}, "v", "strip of the champions", .on_creatures = act_strip},
    {{'e'}, "e", "evolution in one minute", .on_creatures = act_movie},
    {{'w'}, "w", "line of descent", .on_creatures = act_descent},
    {{'d'}, "d", "beside its parent", .on_creatures = act_pair},
    {{'G'}, "shift+G", "its parent as a ghost", .on_creatures = act_ghost},
    {{'f'}, "f", "camera follows, or stays", .on_creatures = act_follow},
    {{KEY_UP}, "up, wheel", "zoom in", ON(zoom_in, 1)},
    {{KEY_DOWN}, "down, wheel", "zoom out", ON(zoom_in, -1)},
    {{'0'}, "0", "zoom and place anew", .on_creatures = creatures_refit},
    {{'t'}, "t", "trail of the centre of mass", ON(toggle_overlay, DRAW_TRAIL)},
    {{'c'}, "c", "contacts and impulses", ON(toggle_overlay, DRAW_CONTACTS)},
    {{'j'}, "j", "joint angles and limits", ON(toggle_overlay, DRAW_LIMITS)},
    {{'u'}, "u", "torques of the effectors", ON(toggle_overlay, DRAW_TORQUES)},
    {{'i'}, "i", "what sensors feel", ON(toggle_overlay, DRAW_SENSORS)},
    {{'o'}, "o", "way to the light", ON(toggle_overlay, DRAW_LIGHT)},
    {{'k'}, "k", "true shapes, or a skin", ON(toggle_overlay, DRAW_BOXES)},
    {{'m'}, "m", "marks of distance", ON(toggle_overlay, DRAW_UNMARKED)},
    {{'z'}, "z", "side and top beside", ON(toggle_overlay, DRAW_SPLIT)},
    {{'b'}, "b", "the living brain", .on_creatures = act_brain},
    {{'l'}, "l", "energy ledger", .on_creatures = act_ledger},
    {{'x'}, "x", "undo all cuts in the brain, and pulls", .on_creatures = act_heal},
    {{'S'}, "shift+S", "save the creature as a file", .on_creatures = act_save_creature},
    {{'N'}, "shift+N", "name it, and keep it as a favourite", .on_creatures = act_name},
    {{'F'}, "shift+F", "keep it as a favourite", .on_creatures = act_keep},
    {{'B'},
     "shift+B",
     "let it breed (chosen by hand)",
     ON(creatures_choose, CHOICE_BREED),
     .is_choice = 1},
    {{'K'}, "shift+K", "keep it", ON(creatures_choose, CHOICE_KEEP), .is_choice = 1},
    {{'X'}, "shift+X", "ban it", ON(creatures_choose, CHOICE_BAN), .is_choice = 1},
    {{KEY_ENTER}, "Enter", "breed the next generation", .on_creatures = creatures_breed_next},
};

/* In a run without choices B is b. */
static int turn_key(struct player *player, const struct key_row *row)
{
    struct creature_window *window = (struct creature_window *)player;
    if (row->is_choice && !creatures_has_choices(window))
        return 0;
    row->on_creatures(window, row->value);
    return 1;
}

/* Actions without a key. */
static const char *const help_lines[] = {
    "Mouse: drag the creature to pull it, the picture to pan (in depth: to turn; with shift to "
    "pan), the bar to scrub, the curve of a run to choose a generation; the wheel zooms.",
    "Click a creature of a grid twice to see it alone; a neuron or a wire to cut it out, again to "
    "put it back; speed and number beside the bar.",
    "Files, from a command line: viewer RUN_DIR --export walk.mp4, or .gif .webm .html .png .svg; "
    "a "
    "whole run's report: controller report RUN_DIR.",
};

const struct content creatures_content = {.keys = keys,
                                          .key_count = sizeof keys / sizeof keys[0],
                                          .help_title = "Bestiary viewer",
                                          .help_lines = help_lines,
                                          .help_line_count =
                                              sizeof help_lines / sizeof help_lines[0],
                                          .speed_most = 16,
                                          .speed_most_by_click = 4,
                                          .starts_over = 1,
                                          .begin = creatures_begin,
                                          .resize = creatures_resize,
                                          .turn_key = turn_key,
                                          .duration = creatures_duration,
                                          .tick = creatures_tick,
                                          .restart = creatures_restart,
                                          .step_creature = step_creature,
                                          .press = creatures_press,
                                          .press_choice = creatures_press_choice,
                                          .point = creatures_point,
                                          .drag = creatures_drag,
                                          .click = creatures_click,
                                          .let_go = creatures_let_go,
                                          .answer = keep,
                                          .turn_wheel = creatures_turn_wheel,
                                          .advance = creatures_advance,
                                          .look_for_news = creatures_look_for_news,
                                          .is_still = creatures_is_still,
                                          .scene_box = creatures_scene_box,
                                          .draw_scene = creatures_draw_scene,
                                          .draw_panels = creatures_draw_panels,
                                          .fill_scrub = creatures_fill_scrub,
                                          .tell_place = creatures_tell_place,
                                          .tell_title = creatures_tell_title,
                                          .name_picture = creatures_name_picture,
                                          .destroy = creatures_destroy};
