/* Playing with a creature: its part under the mouse hangs on a spring that ends at the mouse. The
 * spring pulls all of the creature alike, as gravity does. The life goes on from the moment shown;
 * what was recorded of it later is gone. */
#include "viewer/window/creature_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdlib.h>

#include "viewer/draw/draw_space.h"

/* The spring of a mass of 1 kg is critically damped; and its greatest pull. */
#define SPRING_1_S2   60.0
#define DAMPING_1_S   15.5
#define PULL_MAX_M_S2 80.0
/* A part is hit within this of its picture, px at ui 1. */
#define SLACK_PX 4.0
/* The sides of a part's picture that are looked at. */
enum { LOOKS = 16 };

/* The view and the moment that the mouse acts on. */
struct scene {
    struct draw_view view;
    struct eye eye;
    struct replay_moment moment;
};

static void scene_init(struct scene *scene, const struct creature_window *window,
                       const struct replay *replay)
{
    draw_single_view(&scene->view, creatures_scene_width(window), creatures_scene_height(window),
                     replay, &window->camera, window->player.time_s,
                     window->overlays & ~(unsigned)DRAW_BRAIN);
    scene->eye = eye_place(&scene->view, replay, window->player.time_s);
    replay_get_moment(replay, window->player.time_s, &scene->moment);
}

static int is_hit(const struct scene *scene, const struct replay *replay, int part, double x,
                  double y)
{
    const struct replay_pose *pose = &scene->moment.poses[part];
    for (int i = 0; i < LOOKS; i++) {
        double angle = 2 * DRAW_PI * i / LOOKS;
        if (x * cos(angle) - y * sin(angle) >
            draw_reach_px(&scene->eye, &replay->shapes[part], pose, angle) +
                SLACK_PX * scene->view.ui)
            return 0;
    }
    return 1;
}

int creatures_press_body(struct creature_window *window, double x, double y)
{
    const struct replay *replay = creatures_current_replay(window);
    struct scene scene;
    double nearest = -INFINITY;
    struct grip *grip = &window->grip;
    grip->part = -1;
    if (!replay || window->view != VIEW_SINGLE ||
        x >= creatures_scene_left(window) + creatures_scene_width(window) ||
        !gallery_can_play(window->gallery, window->current))
        return 0;
    x -= creatures_scene_left(window);
    scene_init(&scene, window, replay);
    for (int i = 0; i < replay->part_count; i++) {
        struct spot spot = eye_project(&scene.eye, replay_pose_centre(&scene.moment.poses[i]));
        if (!spot.is_seen || spot.near <= nearest || !is_hit(&scene, replay, i, x, y))
            continue;
        nearest = spot.near;
        grip->part = i;
        grip->aside_x = x - spot.x;
        grip->aside_y = y - spot.y;
    }
    return grip->part >= 0;
}

/* The pull of the spring, in the plane of the picture. */
static struct vec3 pull_of(const struct creature_window *window, const struct replay *replay)
{
    const struct grip *grip = &window->grip;
    struct scene scene;
    struct replay_frame before;
    scene_init(&scene, window, replay);
    struct spot spot = eye_project(&scene.eye, replay_pose_centre(&scene.moment.poses[grip->part]));
    double across = window->player.mouse_x - creatures_scene_left(window) - grip->aside_x - spot.x;
    double down = window->player.mouse_y - grip->aside_y - spot.y;
    struct vec3 way = vec3_along(vec3_scale(scene.eye.right, across / spot.scale), scene.eye.up,
                                 -down / spot.scale);
    replay_get_frame(replay, replay->frame_count > 1 ? replay->frame_count - 2 : 0, &before);
    struct vec3 speed =
        vec3_scale(vec3_sub(scene.moment.frame.centre, before.centre), 1 / replay->frame_s);
    struct vec3 pull = vec3_along(vec3_scale(way, SPRING_1_S2), speed, -DAMPING_1_S);
    double most = PULL_MAX_M_S2 / fmax(vec3_length(pull), 1e-9);
    return vec3_scale(pull, fmin(most, 1));
}

/* Pulls from now on by so much, and remembers it for a later grip. */
static int change_pull(struct grip *grip, struct replay_live *live, struct vec3 pull_m_s2)
{
    struct pull *pulls = realloc(grip->pulls, (size_t)(grip->count + 1) * sizeof *pulls);
    if (!pulls)
        return ERR_MEMORY;
    grip->pulls = pulls;
    replay_live_pull(live, vec3_sub(pull_m_s2, grip->now_m_s2));
    pulls[grip->count++] = (struct pull){grip->tick, pull_m_s2};
    grip->now_m_s2 = pull_m_s2;
    return 0;
}

static struct vec3 pull_before(const struct grip *grip, int count)
{
    return count > 0 ? grip->pulls[count - 1].pull_m_s2 : (struct vec3){0, 0, 0};
}

/* Lives again from the last snapshot up to a tick, with the pulls that there were. */
static int rewind_to(struct grip *grip, struct replay_live *live, int tick)
{
    int status = 0, at = replay_live_back(live, tick);
    if (at < 0)
        return at;
    for (int i = 0; i < grip->count && !status && grip->pulls[i].tick < tick; i++) {
        if (grip->pulls[i].tick < at)
            continue;
        status = replay_live_go(live, grip->pulls[i].tick);
        replay_live_pull(live, vec3_sub(grip->pulls[i].pull_m_s2, pull_before(grip, i)));
    }
    while (grip->count > 0 && grip->pulls[grip->count - 1].tick >= tick)
        grip->count--;
    grip->now_m_s2 = pull_before(grip, grip->count);
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

/* Takes hold of the part, at the moment that is shown. Only the pulls of the life that was held
 * last are known: another one begins anew. */
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
    int status = change_pull(grip, grip->live, pull_of(window, replay));
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
    change_pull(grip, grip->live, (struct vec3){0, 0, 0});
    replay_live_finish(grip->live);
    grip->live = NULL;
    grip->owed_s = 0;
}

#endif
