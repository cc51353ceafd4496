/* The mouse: dragging the picture, the bar of time and the timeline; clicks on creatures, thumbs
 * and the brain; the wheel. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <string.h>

/* Movement below which a press is a click, px at ui 1. */
#define CLICK_PX 4.0

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
static void point(struct stage *stage)
{
    struct draw_view view = stage_brain_view(stage);
    stage->pointed.kind = CUT_NONE;
    if (stage_has_brain(stage) && is_in_scene(stage, stage->mouse_x, stage->mouse_y))
        stage->pointed = draw_brain_pick(&view, stage_current_replay(stage),
                                         stage->mouse_x - stage_scene_left(stage), stage->mouse_y);
}

static void cut_pointed(struct stage *stage)
{
    struct error error;
    struct replay_cut cut = stage->pointed;
    if (gallery_toggle_cut(stage->gallery, stage->current, &cut, &error))
        stage_set_toast(stage, error.message);
    stage_collect_ready(stage);
    stage_seek(stage, stage->time_s);
}

static void choose_time(struct stage *stage, double x)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct draw_scrub scrub = stage_scrub_of(stage, replays);
    stage_seek(stage, draw_scrub_pick(&scrub, x));
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
        stage_show_generation(stage, gallery_strip_generation(stage->gallery, index));
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

static void press_bar(struct stage *stage, double x)
{
    double ui = stage_ui_scale(stage), left, width;
    stage->is_click = 0;
    if (x < (BAR_LEFT_PX - 8) * ui) {
        stage_act_play(stage);
        return;
    }
    for (int word = 0; word < WORD_COUNT; word++) {
        stage_word_box(stage, (enum bar_word)word, &left, &width);
        if (x >= left && x < left + width) {
            stage_act_word(stage, (enum bar_word)word);
            return;
        }
    }
    stage->drag = DRAG_SCRUB;
    choose_time(stage, x);
}

void stage_press_mouse(struct stage *stage, double x, double y)
{
    double ui = stage_ui_scale(stage);
    struct draw_timeline timeline = stage_timeline_of(stage);
    stage->is_changed = stage->is_click = 1;
    stage->mouse_x = stage->press_x = x;
    stage->mouse_y = stage->press_y = y;
    point(stage);
    if (stage->is_help) {
        stage->is_help = stage->is_click = 0;
    } else if (y >= stage->height - BAR_HEIGHT_PX * ui) {
        press_bar(stage, x);
    } else if (stage_has_run(stage) && draw_box_contains(&timeline.box, x, y)) {
        stage->drag = DRAG_TIMELINE;
        choose_generation(stage, x);
    } else if (stage_press_choices(stage, x, y)) {
        stage->is_click = 0;
    } else if (!press_strip(stage, x, y) && !press_descent(stage, x, y)) {
        stage->drag = DRAG_PAN;
    }
}

void stage_press_pan(struct stage *stage, double x, double y)
{
    stage_press_mouse(stage, x, y);
    if (stage->drag == DRAG_PAN)
        stage->drag = DRAG_SHIFT;
}

void stage_move_mouse(struct stage *stage, double x, double y)
{
    double dx = x - stage->mouse_x, dy = y - stage->mouse_y;
    struct replay_cut before = stage->pointed;
    stage->mouse_x = x;
    stage->mouse_y = y;
    if (hypot(x - stage->press_x, y - stage->press_y) > CLICK_PX * stage_ui_scale(stage))
        stage->is_click = 0;
    if (stage->drag == DRAG_NONE)
        point(stage);
    if (stage->drag != DRAG_NONE || memcmp(&before, &stage->pointed, sizeof before) != 0)
        stage->is_changed = 1;
    if (stage->drag == DRAG_SCRUB)
        choose_time(stage, x);
    if (stage->drag == DRAG_TIMELINE)
        choose_generation(stage, x);
    int is_moved = stage->drag == DRAG_PAN || stage->drag == DRAG_SHIFT;
    if (!is_moved || stage->is_click || stage->view == VIEW_CELLS || stage->view == VIEW_PAIR)
        return;
    /* a scene with depth is turned, and still followed */
    if (has_depth(stage) && stage->drag == DRAG_PAN) {
        camera_turn(&stage->camera, -TURN_RAD_PX * dx, TURN_RAD_PX * dy);
        return;
    }
    if (stage->camera.is_following)
        stage_set_toast(stage, "the camera stays here; f: follow again, 0: place anew");
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
static void click_scene(struct stage *stage, double x, double y)
{
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

void stage_press_choice(struct stage *stage, double x, double y)
{
    stage->is_changed = 1;
    if (stage->is_help || !is_in_scene(stage, x, y) || !stage_current_replay(stage))
        return;
    int place = place_at(stage, x, y);
    int index = place >= 0 ? stage->index_of[place] : stage->current;
    if (place >= 0)
        stage_select_creature(stage, index);
    stage_change_choice(stage, index);
}

void stage_release_mouse(struct stage *stage)
{
    if ((stage->drag == DRAG_PAN || stage->drag == DRAG_SHIFT) && stage->is_click &&
        is_in_scene(stage, stage->press_x, stage->press_y))
        click_scene(stage, stage->press_x, stage->press_y);
    stage->drag = DRAG_NONE;
    stage->is_click = 0;
    stage->is_changed = 1;
}

void stage_turn_wheel(struct stage *stage, double clicks, double x, double y)
{
    double dx = x - stage_scene_left(stage) - stage_scene_width(stage) / 2.0;
    double dy = y - stage_scene_height(stage) / 2.0;
    stage->is_changed = 1;
    if (stage_has_descent(stage) && x < stage_scene_left(stage)) {
        int index = stage->current + (clicks < 0 ? 1 : -1);
        if (index >= 0 && index < gallery_count(stage->gallery))
            stage_show_creature(stage, index);
        return;
    }
    if (stage->camera.is_following || stage->view != VIEW_SINGLE)
        dx = dy = 0;
    stage_zoom(stage, pow(ZOOM_STEP, clicks), dx, dy);
}

#endif
