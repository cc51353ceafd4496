/* The mouse: dragging the picture and the timeline; clicks on creatures, thumbs and the brain; the
 * wheel. */
#include "viewer/window/creature_private.h"

#include <math.h>
#include <string.h>

/* Turn of the eye by dragging, rad per px at ui 1. */
#define TURN_RAD_PX 0.006

/* ---- the mouse ---- */

static int has_depth(const struct creature_window *window)
{
    const struct replay *replay = creatures_current_replay(window);
    return replay && replay->has_depth;
}

static int is_in_scene(const struct creature_window *window, double x, double y)
{
    return x >= creatures_scene_left(window) && y < creatures_scene_height(window);
}

/* The neuron or wire under the mouse. */
void creatures_point(struct player *player)
{
    struct creature_window *window = (struct creature_window *)player;
    struct replay_cut before = window->pointed;
    struct draw_view view = creatures_brain_view(window);
    window->pointed.kind = CUT_NONE;
    if (creatures_has_brain(window) &&
        is_in_scene(window, window->player.mouse_x, window->player.mouse_y))
        window->pointed = draw_brain_pick(&view, creatures_current_replay(window),
                                          window->player.mouse_x - creatures_scene_left(window),
                                          window->player.mouse_y);
    player->is_changed |= memcmp(&before, &window->pointed, sizeof before) != 0;
}

static void cut_pointed(struct creature_window *window)
{
    struct error error;
    struct replay_cut cut = window->pointed;
    if (gallery_toggle_cut(window->gallery, window->current, &cut, &error))
        player_say(&window->player, error.message);
    creatures_collect_ready(window);
    player_seek(&window->player, window->player.time_s);
}

static void choose_generation(struct creature_window *window, double x)
{
    struct draw_timeline timeline = creatures_timeline_of(window);
    int index = draw_timeline_pick(&timeline, x);
    if (index < 0)
        return;
    window->is_live = index == timeline.count - 1;
    creatures_show_generation(window, timeline.generations[index].generation);
}

static int press_strip(struct creature_window *window, double x, double y)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    if (!creatures_has_strip(window))
        return 0;
    struct draw_strip strip = creatures_strip_of(window, thumbs);
    int index = draw_strip_pick(&strip, x, y);
    if (index >= 0) {
        window->is_live = 0;
        creatures_show_generation(window, window->gallery->strip.generations[index]);
    }
    return draw_box_contains(&strip.box, x, y);
}

static int press_descent(struct creature_window *window, double x, double y)
{
    struct draw_step steps[GALLERY_SHOWN_MAX];
    if (!creatures_has_descent(window))
        return 0;
    struct draw_descent descent = creatures_descent_of(window, steps);
    int index = draw_descent_pick(&descent, x, y);
    if (index >= 0)
        creatures_show_creature(window, index);
    return draw_box_contains(&descent.box, x, y);
}

enum drag creatures_press(struct player *player, double x, double y)
{
    struct creature_window *window = (struct creature_window *)player;
    struct draw_timeline timeline = creatures_timeline_of(window);
    if (creatures_has_run(window) && draw_box_contains(&timeline.box, x, y)) {
        choose_generation(window, x);
        return DRAG_PANEL;
    }
    int is_panel = creatures_press_choices(window, x, y) || press_strip(window, x, y) ||
                   press_descent(window, x, y);
    if (is_panel)
        return DRAG_NONE;
    return creatures_press_body(window, x, y) ? DRAG_BODY : DRAG_PICTURE;
}

void creatures_drag(struct player *player, double dx, double dy)
{
    struct creature_window *window = (struct creature_window *)player;
    if (player->drag == DRAG_PANEL)
        choose_generation(window, player->mouse_x);
    if (player->drag == DRAG_BODY)
        creatures_pull(window, 0);
    if (player->drag == DRAG_BODY || player->drag == DRAG_PANEL || window->view == VIEW_CELLS ||
        window->view == VIEW_PAIR)
        return;
    /* a scene with depth is turned, and still followed */
    if (has_depth(window) && player->drag == DRAG_PICTURE) {
        camera_turn(&window->camera, -TURN_RAD_PX * dx, TURN_RAD_PX * dy);
        return;
    }
    if (window->camera.is_following)
        player_say(player, "the camera stays here; f: follow again, 0: place anew");
    window->camera.is_following = 0;
    camera_pan(&window->camera, dx, dy);
}

/* The creature of a grid or a race at a point, by its place among those that are ready; else -1. */
static int place_at(const struct creature_window *window, double x, double y)
{
    int place = -1;
    x -= creatures_scene_left(window);
    if (window->view == VIEW_CELLS)
        place = draw_cells_pick(creatures_scene_width(window), creatures_scene_height(window),
                                window->ready_count, x, y);
    else if (window->view == VIEW_RACE)
        place = (int)(y / creatures_lane_height(window));
    return place < window->ready_count ? place : -1;
}

/* Marks the creature of a grid or a race that is clicked; a marked one of the grid is shown
 * alone. */
void creatures_click(struct player *player, double x, double y)
{
    struct creature_window *window = (struct creature_window *)player;
    if (!is_in_scene(window, x, y))
        return;
    if (window->pointed.kind != CUT_NONE) {
        cut_pointed(window);
        return;
    }
    int place = place_at(window, x, y);
    if (place < 0)
        return;
    if (window->index_of[place] == window->current) {
        window->view = VIEW_SINGLE;
        creatures_refit(window, 0);
    } else {
        creatures_select_creature(window, window->index_of[place]);
    }
}

void creatures_press_choice(struct player *player, double x, double y)
{
    struct creature_window *window = (struct creature_window *)player;
    if (!is_in_scene(window, x, y) || !creatures_current_replay(window))
        return;
    int place = place_at(window, x, y);
    int index = place >= 0 ? window->index_of[place] : window->current;
    if (place >= 0)
        creatures_select_creature(window, index);
    creatures_change_choice(window, index);
}

void creatures_turn_wheel(struct player *player, double clicks, double x, double y)
{
    struct creature_window *window = (struct creature_window *)player;
    double dx = x - creatures_scene_left(window) - creatures_scene_width(window) / 2.0;
    double dy = y - creatures_scene_height(window) / 2.0;
    if (creatures_has_descent(window) && x < creatures_scene_left(window)) {
        int index = window->current + (clicks < 0 ? 1 : -1);
        if (index >= 0 && index < window->gallery->shown.count)
            creatures_show_creature(window, index);
        return;
    }
    if (window->camera.is_following || window->view != VIEW_SINGLE)
        dx = dy = 0;
    creatures_zoom(window, pow(ZOOM_STEP, clicks), dx, dy);
}
