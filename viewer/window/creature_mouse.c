/* The mouse: dragging the picture and the timeline; clicks on creatures, thumbs and the brain; the
 * wheel; and playing with a creature.
 *
 * Its part under the mouse hangs on a spring that ends at the mouse. The spring pulls all of the
 * creature alike, as gravity does. The light is where the mouse is, and stays where it was left.
 * The life goes on from the moment shown; what was recorded of it later is gone. */
#include "viewer/window/creature_private.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/rows.h"
#include "viewer/draw/draw_space.h"

/* Turn of the eye by dragging, rad per px at ui 1. */
#define TURN_RAD_PX 0.006
/* The spring of a mass of 1 kg is critically damped; and its greatest pull. */
#define SPRING_1_S2   60.0
#define DAMPING_1_S   15.5
#define PULL_MAX_M_S2 80.0
/* A part is hit within this of its picture, px at ui 1. */
#define SLACK_PX 4.0
/* The light is hit within this of its middle, px at ui 1. */
#define LIGHT_PX 14.0
/* The sides of a part's picture that are looked at. */
enum { LOOKS = 16 };

/* ---- playing ---- */

/* What the mouse acts on; the view must outlive the scene. */
static void place_scene(struct scene *scene, struct draw_view *view,
                        const struct creature_window *window, const struct replay *replay)
{
    draw_single_view(view, creatures_scene_width(window), creatures_scene_height(window), replay,
                     &window->camera, window->player.time_s,
                     window->overlays & ~(unsigned)DRAW_BRAIN);
    scene_place(scene, NULL, view, replay, window->player.time_s);
}

static int is_hit(const struct scene *scene, const struct replay *replay, int part, double x,
                  double y)
{
    const struct replay_pose *pose = &scene->moment.poses[part];
    for (int i = 0; i < LOOKS; i++) {
        double angle = 2 * DRAW_PI * i / LOOKS;
        if (x * cos(angle) - y * sin(angle) >
            draw_reach_px(&scene->eye, &replay->shapes[part], pose, angle) + SLACK_PX * scene->ui)
            return 0;
    }
    return 1;
}

static void hold(struct grip *grip, int part, const struct spot *spot, double x, double y)
{
    grip->part = part;
    grip->aside_x = x - spot->x;
    grip->aside_y = y - spot->y;
}

int creatures_press_body(struct creature_window *window, double x, double y)
{
    const struct replay *replay = creatures_current_replay(window);
    struct draw_view view;
    struct scene scene;
    double nearest = -INFINITY;
    struct grip *grip = &window->grip;
    struct params unused;
    uint64_t seed;
    grip->part = GRIP_NONE;
    if (!replay || window->view != VIEW_SINGLE ||
        x >= creatures_scene_left(window) + creatures_scene_width(window) ||
        !gallery_choose_life(window->gallery, window->current, &unused, &seed))
        return 0;
    x -= creatures_scene_left(window);
    place_scene(&scene, &view, window, replay);
    for (int i = 0; i < replay->part_count; i++) {
        struct spot spot = eye_project(&scene.eye, replay_pose_centre(&scene.moment.poses[i]));
        if (!spot.is_seen || spot.near <= nearest || !is_hit(&scene, replay, i, x, y))
            continue;
        nearest = spot.near;
        hold(grip, i, &spot, x, y);
    }
    if (replay->has_light) {
        struct spot spot = eye_project(&scene.eye, scene.moment.frame.light);
        if (spot.is_seen && hypot(x - spot.x, y - spot.y) < LIGHT_PX * scene.ui)
            hold(grip, GRIP_LIGHT, &spot, x, y);
    }
    return grip->part != GRIP_NONE;
}

/* The pull after the first `count` deeds. */
static struct vec3 pull_after(const struct grip *grip, int count)
{
    while (count > 0 && grip->deeds[count - 1].is_light)
        count--;
    return count > 0 ? grip->deeds[count - 1].value : (struct vec3){0, 0, 0};
}

/* Does the deed with this number. */
static void do_deed(const struct grip *grip, struct replay_live *live, int number)
{
    const struct deed *deed = &grip->deeds[number];
    if (deed->is_light)
        replay_live_hold_light(live, deed->value);
    else
        replay_live_pull(live, vec3_sub(deed->value, pull_after(grip, number)));
}

/* Does a deed now, and remembers it for a later grip. */
static int add_deed(struct grip *grip, struct replay_live *live, int is_light, struct vec3 value)
{
    struct deed *deed = rows_add(&grip->deeds, &grip->count, &grip->room, INT_MAX, sizeof *deed);
    if (!deed)
        return ERR_MEMORY;
    *deed = (struct deed){grip->tick, is_light, value};
    do_deed(grip, live, grip->count - 1);
    return 0;
}

/* Moves what is held to where the mouse is: the light at once, a part by the pull of the spring. */
static int follow_mouse(struct creature_window *window, struct replay_live *live)
{
    const struct replay *replay = replay_live_replay(live);
    struct grip *grip = &window->grip;
    struct draw_view view;
    struct scene scene;
    place_scene(&scene, &view, window, replay);
    /* the way to the mouse, in the plane of the picture through what is held */
    struct vec3 place = grip->part == GRIP_LIGHT
                            ? scene.moment.frame.light
                            : replay_pose_centre(&scene.moment.poses[grip->part]);
    struct spot spot = eye_project(&scene.eye, place);
    double across = window->player.mouse_x - creatures_scene_left(window) - grip->aside_x - spot.x;
    double down = window->player.mouse_y - grip->aside_y - spot.y;
    struct vec3 way = vec3_along(vec3_scale(scene.eye.right, across / spot.scale), scene.eye.up,
                                 -down / spot.scale);
    if (grip->part == GRIP_LIGHT) {
        place = vec3_add(place, way);
        if (replay_has_floor(replay))
            place.y = fmax(place.y, 0);
        return add_deed(grip, live, 1, place);
    }
    int before = replay->frame_count > 1 ? replay->frame_count - 2 : 0;
    struct vec3 since =
        vec3_sub(scene.moment.frame.centre, replay_get_frame(replay, before).centre);
    struct vec3 speed = vec3_scale(since, 1 / replay->frame_s);
    struct vec3 pull = vec3_along(vec3_scale(way, SPRING_1_S2), speed, -DAMPING_1_S);
    double most = PULL_MAX_M_S2 / fmax(vec3_length(pull), 1e-9);
    return add_deed(grip, live, 0, vec3_scale(pull, fmin(most, 1)));
}

/* Lives again from the last snapshot up to a tick, with the deeds that there were. */
static int rewind_to(struct grip *grip, struct replay_live *live, int tick)
{
    int status = 0, at = replay_live_back(live, tick);
    if (at < 0)
        return at;
    for (int i = 0; i < grip->count && !status && grip->deeds[i].tick < tick; i++) {
        if (grip->deeds[i].tick < at)
            continue;
        status = replay_live_go(live, grip->deeds[i].tick);
        do_deed(grip, live, i);
    }
    while (grip->count > 0 && grip->deeds[grip->count - 1].tick >= tick)
        grip->count--;
    grip->tick = tick;
    return status ? status : replay_live_go(live, tick);
}

/* The life that is held; NULL: it is not, or no longer shown. */
static struct replay_live *held(const struct creature_window *window)
{
    struct replay_live *live = window->grip.live;
    int is_shown = window->current < window->gallery->shown.count &&
                   gallery_specimen(window->gallery, window->current)->live == live;
    return is_shown ? live : NULL;
}

/* Takes hold of the part or the light, at the moment that is shown. Only the deeds of the life that
 * was held last are known: another one begins anew. */
static int take_hold(struct creature_window *window, struct error *error)
{
    struct grip *grip = &window->grip;
    const struct replay_live *before = gallery_specimen(window->gallery, window->current)->live;
    int status = 0;
    if (!before || before != grip->of)
        grip->count = 0;
    if (before && before != grip->of)
        status = gallery_heal(window->gallery, window->current, error);
    if (!status)
        status = gallery_play(window->gallery, window->current, &grip->live, &grip->tick_s, error);
    if (status)
        return status;
    grip->of = grip->live;
    creatures_collect_ready(window);
    grip->duration_s = replay_duration(replay_live_replay(grip->live));
    double time_s = fmin(window->player.time_s, grip->duration_s);
    status = rewind_to(grip, grip->live, (int)(time_s / grip->tick_s + 0.5));
    return status ? error_set(error, status, "it cannot be pulled") : 0;
}

void creatures_pull(struct creature_window *window, double dt_s)
{
    struct grip *grip = &window->grip;
    struct error error;
    if (!grip->live && !window->player.is_click) {
        int status = take_hold(window, &error);
        player_say(&window->player, status ? error.message : "x: undo what you did");
        grip->live = status ? NULL : grip->live;
    }
    grip->live = held(window);
    if (!grip->live)
        return;
    const struct replay *replay = replay_live_replay(grip->live);
    int status = follow_mouse(window, grip->live);
    grip->owed_s += dt_s * window->player.speed;
    int ticks = (int)(grip->owed_s / grip->tick_s);
    grip->owed_s -= ticks * grip->tick_s;
    grip->tick += ticks;
    if (!status)
        status = replay_live_go(grip->live, grip->tick);
    window->player.time_s = replay_duration(replay);
    window->player.is_changed = 1;
    if (status)
        creatures_let_go(&window->player);
}

void creatures_let_go(struct player *player)
{
    struct creature_window *window = (struct creature_window *)player;
    struct grip *grip = &window->grip;
    grip->live = held(window);
    if (!grip->live)
        return;
    if (grip->part != GRIP_LIGHT)
        add_deed(grip, grip->live, 0, (struct vec3){0, 0, 0});
    replay_live_finish(grip->live);
    grip->live = NULL;
    grip->owed_s = 0;
}

/* ---- the mouse ---- */

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
    const struct replay *replay = creatures_current_replay(window);
    if (replay && replay->has_depth && player->drag == DRAG_PICTURE) {
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
    struct replay_cut cut = window->pointed;
    struct error error;
    if (!is_in_scene(window, x, y))
        return;
    if (cut.kind != CUT_NONE) {
        if (gallery_toggle_cut(window->gallery, window->current, &cut, &error))
            player_say(player, error.message);
        creatures_collect_ready(window);
        player_seek(player, player->time_s);
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
