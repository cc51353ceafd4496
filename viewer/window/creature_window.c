#include "viewer/window/creature_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define END_PAUSE_S    1.0  /* shows the end for this long, then starts over */
#define NEWS_S         1.0  /* from look to look */
#define NEWS_CHOICES_S 0.25 /* where a person waits for the children */
/* All champions in this time, but none shorter than that. */
#define MOVIE_S       60.0
#define MOVIE_LEAST_S 2.5

/* The invariants of a window between two events. */
static void creatures_check(const struct creature_window *window)
{
    ENSURE(window->ready_count >= 0 && window->ready_count <= window->gallery->shown.count,
           "%d of %d creatures are ready", window->ready_count, window->gallery->shown.count);
    for (int i = 0; i < window->ready_count; i++)
        ENSURE(window->replays[i] && (i == 0 || window->index_of[i] > window->index_of[i - 1]),
               "creature %d is not behind the one before", i);
    ENSURE(window->current >= 0 &&
               (window->current == 0 || window->current < window->gallery->shown.count),
           "creature %d of %d", window->current, window->gallery->shown.count);
    ENSURE((int)window->view >= VIEW_SINGLE && window->view <= VIEW_PAIR, "view %d",
           (int)window->view);
    ENSURE(window->cells_zoom > 0, "zoom %g", window->cells_zoom);
}

/* ---- camera and time ---- */

static void look_at_target(struct creature_window *window, int is_jump, double dt_s)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int count = creatures_shown(window, replays);
    if (!count)
        return;
    double lane = creatures_lane_height(window),
           speed = window->player.is_playing ? window->player.speed : 0;
    if (is_jump)
        camera_jump(&window->camera,
                    camera_target(&window->camera, replays, count, window->player.time_s, lane));
    else if (window->camera.is_following)
        camera_track(&window->camera, replays, count, window->player.time_s, speed, lane, dt_s);
}

void creatures_refit(struct creature_window *window, int unused)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int count = creatures_shown(window, replays);
    window->cells_zoom = 1;
    window->player.is_changed = 1;
    if (!count)
        return;
    camera_fit(&window->camera, replays, count, creatures_scene_width(window),
               creatures_lane_height(window));
    look_at_target(window, 1, 0);
}

/* The camera to which the creatures fit in a picture of that width. */
static struct camera fit_camera(const struct creature_window *window, int width)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct camera camera = {.px_per_m = creatures_scene_height(window)};
    int count = creatures_shown(window, replays);
    if (count > 0)
        camera_fit(&camera, replays, count, width, creatures_lane_height(window));
    return camera;
}

/* Zooms to what another width of the picture has room for. A zoom by hand stays so in
 * proportion; a width that comes back shows what it showed. */
void creatures_rescale(struct creature_window *window, int width_before)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct camera left = window->camera;
    int count = creatures_shown(window, replays), width = creatures_scene_width(window);
    if (!count || width == width_before)
        return;
    int is_back = window->left_width == width && window->left_time_s == window->player.time_s &&
                  window->left_at.x_m == left.x_m && window->left_at.y_m == left.y_m &&
                  window->left_at.px_per_m == left.px_per_m;
    if (is_back) {
        window->camera = window->left_camera;
    } else {
        struct camera before = fit_camera(window, width_before), after = fit_camera(window, width);
        camera_resize(&window->camera, &before, &after);
        look_at_target(window, window->camera.is_following, 0);
    }
    window->left_camera = left;
    window->left_at = window->camera;
    window->left_width = width_before;
    window->left_time_s = window->player.time_s;
}

double creatures_tick(const struct player *player)
{
    const struct replay *replay = creatures_current_replay((const struct creature_window *)player);
    return replay ? replay->frame_s : 0;
}

void creatures_restart(struct player *player)
{
    look_at_target((struct creature_window *)player, 1, 0);
}

/* ---- choosing creatures ---- */

void creatures_select_creature(struct creature_window *window, int index)
{
    struct error error;
    int count = window->gallery->shown.count;
    if (!count)
        return;
    index = (index % count + count) % count;
    window->pointed.kind = CUT_NONE;
    if (gallery_simulate(window->gallery, index, &error))
        player_say(&window->player, error.message);
    else
        window->current = index;
    /* its parent is shown, too */
    if ((window->view == VIEW_PAIR || window->has_ghost) && window->current + 1 < count)
        gallery_simulate(window->gallery, window->current + 1, &error);
    creatures_collect_ready(window);
    window->player.is_changed = 1;
}

void creatures_show_creature(struct creature_window *window, int index)
{
    creatures_select_creature(window, index);
    window->player.time_s = 0;
    creatures_refit(window, 0);
}

void creatures_show_shelf(struct creature_window *window)
{
    window->current = 0;
    creatures_collect_ready(window);
    creatures_show_creature(window, 0);
}

void creatures_show_generation(struct creature_window *window, int64_t generation)
{
    struct error error;
    int64_t before = window->gallery->generation;
    enum gallery_shelf shelf = window->gallery->kind;
    if (shelf == SHELF_GENERATION && before == generation)
        return;
    if (gallery_show_generation(window->gallery, generation, &error)) {
        player_say(&window->player, error.message);
        return;
    }
    window->is_movie = 0;
    if (window->view == VIEW_PAIR)
        window->view = VIEW_SINGLE;
    creatures_show_shelf(window);
}

/* The generation `steps` after the one that is shown, as far as there are any. */
void creatures_step_generation(struct creature_window *window, int steps)
{
    struct draw_timeline timeline = creatures_timeline_of(window);
    int last = timeline.count - 1, at = last;
    if (!timeline.count)
        return;
    for (int i = 0; i < timeline.count; i++)
        if (timeline.generations[i].generation == timeline.shown)
            at = i;
    at = (int)fmin(fmax((double)at + steps, 0), last);
    window->is_live = at == last;
    creatures_show_generation(window, timeline.generations[at].generation);
}

/* ---- time ---- */

/* The next champion when one has been seen for its share of the minute; the last one stays. */
static void advance_movie(struct creature_window *window)
{
    int count = window->gallery->shown.count;
    double share_s = fmax(MOVIE_S / count, MOVIE_LEAST_S) * window->player.speed;
    if (window->player.time_s <
        fmin(share_s, creatures_duration(&window->player) + END_PAUSE_S * window->player.speed))
        return;
    if (window->current + 1 < count)
        creatures_show_creature(window, window->current + 1);
    else
        window->is_movie = 0;
}

void creatures_advance(struct player *player, double dt_s)
{
    struct creature_window *window = (struct creature_window *)player;
    creatures_check(window);
    /* another creature of the shelf is simulated; if it joins a race, the lanes' height changes */
    int lanes = window->ready_count;
    player->is_changed |= gallery_work(window->gallery);
    creatures_collect_ready(window);
    if (window->view == VIEW_RACE && window->ready_count != lanes)
        creatures_refit(window, 0);
    if (player->drag == DRAG_BODY)
        creatures_pull(window, dt_s);
    else if (window->player.is_playing && window->player.drag != DRAG_SCRUB) {
        window->player.time_s += dt_s * window->player.speed;
        window->strip_s += dt_s * window->player.speed;
        if (window->is_movie)
            advance_movie(window);
        if (window->player.time_s >
            creatures_duration(&window->player) + END_PAUSE_S * window->player.speed) {
            window->player.time_s = 0;
            look_at_target(window, window->camera.is_following, 0);
        }
    }
    look_at_target(window, 0, dt_s);
}

/* The newest generation takes the place of the one before; a creature that still leads goes on
 * where it is. */
static void follow_run(struct creature_window *window)
{
    struct error error;
    uint64_t leader =
        window->gallery->shown.count ? gallery_specimen(window->gallery, 0)->creature.id : 0;
    int was_first = window->current == 0;
    if (gallery_show_generation(window->gallery, -1, &error)) {
        player_say(&window->player, error.message);
        return;
    }
    creatures_collect_ready(window);
    if (creatures_has_choices(window)) {
        creatures_show_shelf(window);
        return;
    }
    if (was_first && leader == gallery_specimen(window->gallery, 0)->creature.id) {
        window->player.is_changed = 1;
        return;
    }
    char text[160];
    const struct creature *first = &gallery_specimen(window->gallery, 0)->creature;
    creatures_show_shelf(window);
    snprintf(text, sizeof text, "generation %lld: %s, fitness %.3g",
             (long long)window->gallery->generation,
             first->is_champion ? "the champion, which passed the exam" : "another one leads",
             first->fitness);
    player_say(&window->player, text);
}

void creatures_look_for_news(struct player *player, double now_s)
{
    struct creature_window *window = (struct creature_window *)player;
    creatures_check(window);
    struct error error;
    int added;
    creatures_poll_choices(window);
    if (now_s < window->next_news_s)
        return;
    window->next_news_s = now_s + (creatures_has_choices(window) ? NEWS_CHOICES_S : NEWS_S);
    /* a fresh choice may not be in the store yet */
    if (creatures_has_choices(window) && !chooser_is_busy(window->chooser) &&
        !gallery_refresh_choices(window->gallery, &added, &error))
        window->player.is_changed |= added;
    if (gallery_reload(window->gallery, &added, &error)) {
        player_say(&window->player, error.message);
    } else if (added) {
        creatures_collect_ready(window);
        player_seek(&window->player, window->player.time_s);
        player_say(&window->player, "the file was written: it is read and simulated again");
    }
    if (gallery_refresh(window->gallery, &added, &error)) {
        player_say(&window->player, error.message);
        return;
    }
    if (!added)
        return;
    window->has_news = window->player.is_changed = 1;
    /* the strip has other champions now; the shelf stays */
    creatures_collect_ready(window);
    if (window->is_live || !window->gallery->shown.count)
        follow_run(window);
}

int creatures_is_still(const struct player *player)
{
    const struct creature_window *window = (const struct creature_window *)player;
    return !player->is_playing && player->drag != DRAG_BODY && !chooser_is_busy(window->chooser) &&
           hypot(window->camera.vx_m_s, window->camera.vy_m_s) < 1e-3;
}

/* ---- the whole ---- */

struct player *creatures_create(struct gallery *gallery, int is_live)
{
    ENSURE(gallery, "a window without a gallery");
    struct creature_window *window = calloc(1, sizeof *window);
    if (!window)
        return NULL;
    player_init(&window->player, &creatures_content);
    window->gallery = gallery;
    window->is_live = is_live;
    window->cells_zoom = window->is_strip = 1;
    window->overlays = DRAW_TRAIL;
    if (gallery->choosing.is_interactive) {
        window->chooser = chooser_create(run_reader_directory(gallery->reader));
        window->view = VIEW_CELLS;
        window->is_strip = 0; /* room for the grid */
    }
    creatures_show_shelf(window);
    return &window->player;
}

void creatures_destroy(struct player *player)
{
    struct creature_window *window = (struct creature_window *)player;
    chooser_destroy(window->chooser);
    free(window->grip.deeds);
    cairo_surface_destroy(window->strip_picture);
    free(window);
}

/* As large as the window is, and then seen from the start. */
void creatures_begin(struct player *player)
{
    creatures_refit((struct creature_window *)player, 0);
}

void creatures_resize(struct player *player, int width_px, int height_px)
{
    struct creature_window *window = (struct creature_window *)player;
    struct camera before = fit_camera(window, creatures_scene_width(window));
    player->width = width_px;
    player->height = height_px;
    struct camera after = fit_camera(window, creatures_scene_width(window));
    camera_resize(&window->camera, &before, &after);
}

void creatures_tell_title(const struct player *player, char *text, size_t size)
{
    const struct creature_window *window = (const struct creature_window *)player;
    const struct replay *replay = creatures_current_replay(window);
    if (!replay)
        snprintf(text, size, "waiting - Bestiary");
    else if (window->view == VIEW_RACE)
        snprintf(text, size, "race of %d - Bestiary", window->ready_count);
    else
        snprintf(text, size, "%s - %s - %s - Bestiary", replay->name, replay->score,
                 replay_status_names[replay->status]);
}

void creatures_name_picture(const struct player *player, char *text, size_t size)
{
    const struct creature_window *window = (const struct creature_window *)player;
    const struct replay *replay = creatures_current_replay(window);
    snprintf(text, size, "%s",
             window->view == VIEW_RACE    ? "race"
             : window->view == VIEW_CELLS ? "grid"
             : replay                     ? replay->name
                                          : "nothing");
}

void creatures_set_overlays(struct player *player, unsigned overlays)
{
    ((struct creature_window *)player)->overlays = overlays;
    player->is_changed = 1;
}
