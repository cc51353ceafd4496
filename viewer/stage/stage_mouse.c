/* The mouse: dragging the picture and the timeline; clicks on creatures, thumbs and the brain; the
 * wheel. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <string.h>

/* Turn of the eye by dragging, rad per px at ui 1. */
#define TURN_RAD_PX 0.006

/* ---- the mouse ---- */

static int has_depth(const struct stage *stage)
{
    const struct replay *replay = stage_current_replay(stage);
    return replay && replay->has_depth;
}

static int is_in_scene(const struct stage *stage, double x, double y)
{
    return x >= stage_scene_left(stage) && y < stage_scene_height(stage);
}

/* The neuron or wire under the mouse. */
void stage_point(struct player *player)
{
    struct stage *stage = (struct stage *)player;
    struct replay_cut before = stage->pointed;
    struct draw_view view = stage_brain_view(stage);
    stage->pointed.kind = CUT_NONE;
    if (stage_has_brain(stage) && is_in_scene(stage, stage->player.mouse_x, stage->player.mouse_y))
        stage->pointed =
            draw_brain_pick(&view, stage_current_replay(stage),
                            stage->player.mouse_x - stage_scene_left(stage), stage->player.mouse_y);
    player->is_changed |= memcmp(&before, &stage->pointed, sizeof before) != 0;
}

static void cut_pointed(struct stage *stage)
{
    struct error error;
    struct replay_cut cut = stage->pointed;
    if (gallery_toggle_cut(stage->gallery, stage->current, &cut, &error))
        player_say(&stage->player, error.message);
    stage_collect_ready(stage);
    player_seek(&stage->player, stage->player.time_s);
}

static void choose_generation(struct stage *stage, double x)
{
    struct draw_timeline timeline = stage_timeline_of(stage);
    int index = draw_timeline_pick(&timeline, x);
    if (index < 0)
        return;
    stage->is_live = index == timeline.count - 1;
    stage_show_generation(stage, timeline.generations[index].generation);
}

static int press_strip(struct stage *stage, double x, double y)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    if (!stage_has_strip(stage))
        return 0;
    struct draw_strip strip = stage_strip_of(stage, thumbs);
    int index = draw_strip_pick(&strip, x, y);
    if (index >= 0) {
        stage->is_live = 0;
        stage_show_generation(stage, stage->gallery->strip.generations[index]);
    }
    return draw_box_contains(&strip.box, x, y);
}

static int press_descent(struct stage *stage, double x, double y)
{
    struct draw_step steps[GALLERY_SHOWN_MAX];
    if (!stage_has_descent(stage))
        return 0;
    struct draw_descent descent = stage_descent_of(stage, steps);
    int index = draw_descent_pick(&descent, x, y);
    if (index >= 0)
        stage_show_creature(stage, index);
    return draw_box_contains(&descent.box, x, y);
}

enum drag stage_press(struct player *player, double x, double y)
{
    struct stage *stage = (struct stage *)player;
    struct draw_timeline timeline = stage_timeline_of(stage);
    if (stage_has_run(stage) && draw_box_contains(&timeline.box, x, y)) {
        choose_generation(stage, x);
        return DRAG_PANEL;
    }
    int is_panel =
        stage_press_choices(stage, x, y) || press_strip(stage, x, y) || press_descent(stage, x, y);
    return is_panel ? DRAG_NONE : DRAG_PICTURE;
}

void stage_drag(struct player *player, double dx, double dy)
{
    struct stage *stage = (struct stage *)player;
    if (player->drag == DRAG_PANEL)
        choose_generation(stage, player->mouse_x);
    if (player->drag == DRAG_PANEL || stage->view == VIEW_CELLS || stage->view == VIEW_PAIR)
        return;
    /* a scene with depth is turned, and still followed */
    if (has_depth(stage) && player->drag == DRAG_PICTURE) {
        camera_turn(&stage->camera, -TURN_RAD_PX * dx, TURN_RAD_PX * dy);
        return;
    }
    if (stage->camera.is_following)
        player_say(player, "the camera stays here; f: follow again, 0: place anew");
    stage->camera.is_following = 0;
    camera_pan(&stage->camera, dx, dy);
}

/* The creature of a grid or a race at a point, by its place among those that are ready; else -1. */
static int place_at(const struct stage *stage, double x, double y)
{
    int place = -1;
    x -= stage_scene_left(stage);
    if (stage->view == VIEW_CELLS)
        place = draw_cells_pick(stage_scene_width(stage), stage_scene_height(stage),
                                stage->ready_count, x, y);
    else if (stage->view == VIEW_RACE)
        place = (int)(y / stage_lane_height(stage));
    return place < stage->ready_count ? place : -1;
}

/* Marks the creature of a grid or a race that is clicked; a marked one of the grid is shown
 * alone. */
void stage_click(struct player *player, double x, double y)
{
    struct stage *stage = (struct stage *)player;
    if (!is_in_scene(stage, x, y))
        return;
    if (stage->pointed.kind != CUT_NONE) {
        cut_pointed(stage);
        return;
    }
    int place = place_at(stage, x, y);
    if (place < 0)
        return;
    if (stage->index_of[place] == stage->current) {
        stage->view = VIEW_SINGLE;
        stage_refit(stage);
    } else {
        stage_select_creature(stage, stage->index_of[place]);
    }
}

void stage_press_choice(struct player *player, double x, double y)
{
    struct stage *stage = (struct stage *)player;
    if (!is_in_scene(stage, x, y) || !stage_current_replay(stage))
        return;
    int place = place_at(stage, x, y);
    int index = place >= 0 ? stage->index_of[place] : stage->current;
    if (place >= 0)
        stage_select_creature(stage, index);
    stage_change_choice(stage, index);
}

void stage_turn_wheel(struct player *player, double clicks, double x, double y)
{
    struct stage *stage = (struct stage *)player;
    double dx = x - stage_scene_left(stage) - stage_scene_width(stage) / 2.0;
    double dy = y - stage_scene_height(stage) / 2.0;
    if (stage_has_descent(stage) && x < stage_scene_left(stage)) {
        int index = stage->current + (clicks < 0 ? 1 : -1);
        if (index >= 0 && index < stage->gallery->shown.count)
            stage_show_creature(stage, index);
        return;
    }
    if (stage->camera.is_following || stage->view != VIEW_SINGLE)
        dx = dy = 0;
    stage_zoom(stage, pow(ZOOM_STEP, clicks), dx, dy);
}

#endif
