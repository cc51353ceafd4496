#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_PAUSE_S    1.0  /* shows the end for this long, then starts over */
#define NEWS_S         1.0  /* from look to look */
#define NEWS_CHOICES_S 0.25 /* where a person waits for the children */
/* All champions in this time, but none shorter than that. */
#define MOVIE_S       60.0
#define MOVIE_LEAST_S 2.5

/* The invariants of a stage between two events. */
static void stage_check(const struct stage *stage)
{
    ENSURE(stage->ready_count >= 0 && stage->ready_count <= stage->gallery->shown.count,
           "%d of %d creatures are ready", stage->ready_count, stage->gallery->shown.count);
    for (int i = 0; i < stage->ready_count; i++)
        ENSURE(stage->replays[i] && (i == 0 || stage->index_of[i] > stage->index_of[i - 1]),
               "creature %d is not behind the one before", i);
    ENSURE(stage->current >= 0 &&
               (stage->current == 0 || stage->current < stage->gallery->shown.count),
           "creature %d of %d", stage->current, stage->gallery->shown.count);
    ENSURE((int)stage->view >= VIEW_SINGLE && stage->view <= VIEW_PAIR, "view %d",
           (int)stage->view);
    ENSURE(stage->cells_zoom > 0, "zoom %g", stage->cells_zoom);
}

/* ---- camera and time ---- */

static void look_at_target(struct stage *stage, int is_jump, double dt_s)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int count = stage_shown(stage, replays);
    if (!count)
        return;
    double lane = stage_lane_height(stage),
           speed = stage->player.is_playing ? stage->player.speed : 0;
    if (is_jump)
        camera_jump(&stage->camera,
                    camera_target(&stage->camera, replays, count, stage->player.time_s, lane));
    else if (stage->camera.is_following)
        camera_track(&stage->camera, replays, count, stage->player.time_s, speed, lane, dt_s);
}

void stage_refit(struct stage *stage)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int count = stage_shown(stage, replays);
    stage->cells_zoom = 1;
    stage->player.is_changed = 1;
    if (!count)
        return;
    camera_fit(&stage->camera, replays, count, stage_scene_width(stage), stage_lane_height(stage));
    look_at_target(stage, 1, 0);
}

/* The camera to which the creatures fit in a picture of that width. */
static struct camera fit_camera(const struct stage *stage, int width)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct camera camera = {.px_per_m = stage_scene_height(stage)};
    int count = stage_shown(stage, replays);
    if (count > 0)
        camera_fit(&camera, replays, count, width, stage_lane_height(stage));
    return camera;
}

/* Zooms to what another width of the picture has room for. A zoom by hand stays so in
 * proportion; a width that comes back shows what it showed. */
void stage_rescale(struct stage *stage, int width_before)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct camera left = stage->camera;
    int count = stage_shown(stage, replays), width = stage_scene_width(stage);
    if (!count || width == width_before)
        return;
    int is_back = stage->left_width == width && stage->left_time_s == stage->player.time_s &&
                  stage->left_at.x_m == left.x_m && stage->left_at.y_m == left.y_m &&
                  stage->left_at.px_per_m == left.px_per_m;
    if (is_back) {
        stage->camera = stage->left_camera;
    } else {
        struct camera before = fit_camera(stage, width_before), after = fit_camera(stage, width);
        camera_resize(&stage->camera, &before, &after);
        look_at_target(stage, stage->camera.is_following, 0);
    }
    stage->left_camera = left;
    stage->left_at = stage->camera;
    stage->left_width = width_before;
    stage->left_time_s = stage->player.time_s;
}

double stage_tick(const struct player *player)
{
    const struct replay *replay = stage_current_replay((const struct stage *)player);
    return replay ? replay->frame_s : 0;
}

void stage_seek(struct player *player, double time_s)
{
    player->time_s = time_s;
}

void stage_restart(struct player *player)
{
    look_at_target((struct stage *)player, 1, 0);
}

/* ---- choosing creatures ---- */

void stage_select_creature(struct stage *stage, int index)
{
    struct error error;
    int count = stage->gallery->shown.count;
    if (!count)
        return;
    index = (index % count + count) % count;
    stage->pointed.kind = CUT_NONE;
    if (gallery_simulate(stage->gallery, index, &error))
        player_say(&stage->player, error.message);
    else
        stage->current = index;
    /* its parent is shown beside it */
    if (stage->view == VIEW_PAIR && stage->current + 1 < count)
        gallery_simulate(stage->gallery, stage->current + 1, &error);
    stage_collect_ready(stage);
    stage->player.is_changed = 1;
}

void stage_show_creature(struct stage *stage, int index)
{
    stage_select_creature(stage, index);
    stage->player.time_s = 0;
    stage_refit(stage);
}

/* After the shelf has changed. */
void stage_show_shelf(struct stage *stage, int index)
{
    ENSURE(index >= 0, "creature %d", index);
    stage->current = 0;
    stage_collect_ready(stage);
    stage_show_creature(stage, index);
}

void stage_show_generation(struct stage *stage, int64_t generation)
{
    struct error error;
    int64_t before = stage->gallery->generation;
    enum gallery_shelf shelf = stage->gallery->kind;
    if (shelf == SHELF_GENERATION && before == generation)
        return;
    if (gallery_show_generation(stage->gallery, generation, &error)) {
        player_say(&stage->player, error.message);
        return;
    }
    stage->is_movie = 0;
    if (stage->view == VIEW_PAIR)
        stage->view = VIEW_SINGLE;
    stage_show_shelf(stage, 0);
}

/* The generation `steps` after the one that is shown. */
void stage_step_generation(struct stage *stage, int steps)
{
    ENSURE(steps != 0, "no step");
    struct draw_timeline timeline = stage_timeline_of(stage);
    int at = timeline.count - 1;
    if (!timeline.count)
        return;
    for (int i = 0; i < timeline.count; i++)
        if (timeline.generations[i].generation == timeline.shown)
            at = i;
    at = at + steps < 0 ? 0 : at + steps >= timeline.count ? timeline.count - 1 : at + steps;
    stage->is_live = at == timeline.count - 1;
    stage_show_generation(stage, timeline.generations[at].generation);
}

void stage_show_newest(struct stage *stage)
{
    struct draw_timeline timeline = stage_timeline_of(stage);
    if (!timeline.count)
        return;
    stage->is_live = 1;
    stage_show_generation(stage, timeline.generations[timeline.count - 1].generation);
}

/* ---- time ---- */

/* The next champion when one has been seen for its share of the minute; the last one stays. */
static void advance_movie(struct stage *stage)
{
    int count = stage->gallery->shown.count;
    double share_s = fmax(MOVIE_S / count, MOVIE_LEAST_S) * stage->player.speed;
    if (stage->player.time_s <
        fmin(share_s, stage_duration(&stage->player) + END_PAUSE_S * stage->player.speed))
        return;
    if (stage->current + 1 < count)
        stage_show_creature(stage, stage->current + 1);
    else
        stage->is_movie = 0;
}

/* Simulates another creature of the shelf; if it joins a race, the lanes' height changes. */
static void work(struct stage *stage)
{
    int lanes = stage->ready_count;
    if (gallery_work(stage->gallery))
        stage->player.is_changed = 1;
    stage_collect_ready(stage);
    if (stage->view == VIEW_RACE && stage->ready_count != lanes)
        stage_refit(stage);
}

void stage_advance(struct player *player, double dt_s)
{
    struct stage *stage = (struct stage *)player;
    stage_check(stage);
    work(stage);
    if (stage->player.is_playing && stage->player.drag != DRAG_SCRUB) {
        stage->player.time_s += dt_s * stage->player.speed;
        stage->strip_s += dt_s * stage->player.speed;
        if (stage->is_movie)
            advance_movie(stage);
        if (stage->player.time_s >
            stage_duration(&stage->player) + END_PAUSE_S * stage->player.speed) {
            stage->player.time_s = 0;
            look_at_target(stage, stage->camera.is_following, 0);
        }
    }
    look_at_target(stage, 0, dt_s);
}

/* The newest generation takes the place of the one before; a creature that still leads goes on
 * where it is. */
static void follow_run(struct stage *stage)
{
    struct error error;
    uint64_t leader =
        stage->gallery->shown.count ? gallery_specimen(stage->gallery, 0)->creature.id : 0;
    int was_first = stage->current == 0;
    if (gallery_show_generation(stage->gallery, -1, &error)) {
        player_say(&stage->player, error.message);
        return;
    }
    stage_collect_ready(stage);
    if (stage_has_choices(stage)) {
        stage_show_shelf(stage, 0);
        return;
    }
    if (was_first && leader == gallery_specimen(stage->gallery, 0)->creature.id) {
        stage->player.is_changed = 1;
        return;
    }
    char text[160];
    const struct creature *first = &gallery_specimen(stage->gallery, 0)->creature;
    stage_show_shelf(stage, 0);
    snprintf(text, sizeof text, "generation %lld: %s, fitness %.3g",
             (long long)stage->gallery->generation,
             first->is_champion ? "the champion, which passed the exam" : "another one leads",
             first->fitness);
    player_say(&stage->player, text);
}

void stage_look_for_news(struct player *player, double now_s)
{
    struct stage *stage = (struct stage *)player;
    stage_check(stage);
    struct error error;
    int added;
    stage_poll_choices(stage);
    if (now_s < stage->next_news_s)
        return;
    stage->next_news_s = now_s + (stage_has_choices(stage) ? NEWS_CHOICES_S : NEWS_S);
    /* a fresh choice may not be in the store yet */
    if (stage_has_choices(stage) && !chooser_is_busy(stage->chooser) &&
        !gallery_refresh_choices(stage->gallery, &added, &error))
        stage->player.is_changed |= added;
    if (gallery_reload(stage->gallery, &added, &error)) {
        player_say(&stage->player, error.message);
    } else if (added) {
        stage_collect_ready(stage);
        player_seek(&stage->player, stage->player.time_s);
        player_say(&stage->player, "the file was written: it is read and simulated again");
    }
    if (gallery_refresh(stage->gallery, &added, &error)) {
        player_say(&stage->player, error.message);
        return;
    }
    if (!added)
        return;
    stage->has_news = stage->player.is_changed = 1;
    /* the strip has other champions now; what is on the shelf stays */
    stage_collect_ready(stage);
    if (stage->is_live || !stage->gallery->shown.count)
        follow_run(stage);
}

int stage_is_still(const struct player *player)
{
    const struct stage *stage = (const struct stage *)player;
    return !player->is_playing && !chooser_is_busy(stage->chooser) &&
           hypot(stage->camera.vx_m_s, stage->camera.vy_m_s) < 1e-3;
}

/* ---- the whole ---- */

struct player *stage_create(struct gallery *gallery, int is_live)
{
    ENSURE(gallery, "a stage without a gallery");
    struct stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return NULL;
    player_init(&stage->player, &stage_content);
    stage->gallery = gallery;
    stage->is_live = is_live;
    stage->cells_zoom = stage->is_strip = 1;
    stage->overlays = DRAW_TRAIL;
    if (gallery->choosing.is_interactive) {
        stage->chooser = chooser_create(run_reader_directory(gallery->reader));
        stage->view = VIEW_CELLS;
        stage->is_strip = 0; /* room for the grid */
    }
    stage_show_shelf(stage, 0);
    return &stage->player;
}

void stage_destroy(struct player *player)
{
    struct stage *stage = (struct stage *)player;
    chooser_destroy(stage->chooser);
    if (stage->strip_picture)
        cairo_surface_destroy(stage->strip_picture);
    free(stage);
}

/* As large as the window is, and then seen from the start. */
void stage_begin(struct player *player)
{
    stage_refit((struct stage *)player);
}

void stage_resize(struct player *player, int width_px, int height_px)
{
    struct stage *stage = (struct stage *)player;
    struct camera before = fit_camera(stage, stage_scene_width(stage));
    player->width = width_px;
    player->height = height_px;
    struct camera after = fit_camera(stage, stage_scene_width(stage));
    camera_resize(&stage->camera, &before, &after);
}

void stage_tell_title(const struct player *player, char *text, size_t size)
{
    const struct stage *stage = (const struct stage *)player;
    const struct replay *replay = stage_current_replay(stage);
    if (!replay)
        snprintf(text, size, "waiting - Bestiary");
    else if (stage->view == VIEW_RACE)
        snprintf(text, size, "race of %d - Bestiary", stage->ready_count);
    else
        snprintf(text, size, "%s - %s - %s - Bestiary", replay->name, replay->score,
                 replay_status_names[replay->status]);
}

void stage_name_picture(const struct player *player, char *text, size_t size)
{
    const struct stage *stage = (const struct stage *)player;
    const struct replay *replay = stage_current_replay(stage);
    snprintf(text, size, "%s",
             stage->view == VIEW_RACE    ? "race"
             : stage->view == VIEW_CELLS ? "grid"
             : replay                    ? replay->name
                                         : "nothing");
}

void stage_set_overlays(struct player *player, unsigned overlays)
{
    ((struct stage *)player)->overlays = overlays;
    player->is_changed = 1;
}

#endif
