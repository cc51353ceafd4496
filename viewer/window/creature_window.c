#include "viewer/window/creature_private.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/params/choice.h"

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
static void rescale(struct creature_window *window, int width_before)
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

static double tick(const struct player *player)
{
    const struct replay *replay = creatures_current_replay((const struct creature_window *)player);
    return replay ? replay->frame_s : 0;
}

static void restart(struct player *player)
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

static void show_shelf(struct creature_window *window)
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
    show_shelf(window);
}

/* The generation `steps` after the one that is shown, as far as there are any. */
static void step_generation(struct creature_window *window, int steps)
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

static void advance(struct player *player, double dt_s)
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
        show_shelf(window);
        return;
    }
    if (was_first && leader == gallery_specimen(window->gallery, 0)->creature.id) {
        window->player.is_changed = 1;
        return;
    }
    char text[160];
    const struct creature *first = &gallery_specimen(window->gallery, 0)->creature;
    show_shelf(window);
    snprintf(text, sizeof text, "generation %lld: %s, fitness %.3g",
             (long long)window->gallery->generation,
             first->is_champion ? "the champion, which passed the exam" : "another one leads",
             first->fitness);
    player_say(&window->player, text);
}

static void look_for_news(struct player *player, double now_s)
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

static int is_still(const struct player *player)
{
    const struct creature_window *window = (const struct creature_window *)player;
    return !player->is_playing && player->drag != DRAG_BODY && !chooser_is_busy(window->chooser) &&
           hypot(window->camera.vx_m_s, window->camera.vy_m_s) < 1e-3;
}

/* ---- what keys do ---- */

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

/* Shows the line of descent of the chosen creature in that view; or a toast says why not. */
static void show_descent(struct creature_window *window, enum creature_view view)
{
    struct error error;
    if (!window->gallery->shown.count)
        return;
    const struct specimen *specimen = gallery_specimen(window->gallery, window->current);
    int64_t home = window->gallery->shown.generations[window->current];
    if (gallery_show_lineage(window->gallery, specimen->creature.id, GALLERY_LINEAGE_MAX,
                             GALLERY_LINEAGE_MAX, &error)) {
        player_say(&window->player, error.message);
        return;
    }
    window->home_generation = home;
    window->is_live = window->is_movie = 0;
    window->view = view;
    show_shelf(window);
}

static void act_descent(struct creature_window *window, int unused)
{
    if (creatures_has_descent(window)) {
        window->view = VIEW_SINGLE;
        creatures_show_generation(window, window->home_generation);
    } else {
        show_descent(window, VIEW_SINGLE);
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
    } else {
        show_descent(window, VIEW_PAIR);
    }
}

static void act_movie(struct creature_window *window, int unused)
{
    struct error error;
    if (window->gallery->kind == SHELF_CHAMPIONS) {
        step_generation(window, INT_MAX);
        return;
    }
    if (gallery_show_champions(window->gallery, &error)) {
        player_say(&window->player, "only a run has champions of generations");
        return;
    }
    window->is_movie = window->player.is_playing = 1;
    window->is_live = 0;
    window->view = VIEW_SINGLE;
    show_shelf(window);
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
    show_shelf(window);
    player_say(&window->player,
               is_kinds ? "the best of each kind of body" : "the best, of any kind");
}

static void act_ghost(struct creature_window *window, int unused)
{
    int was_descent = creatures_has_descent(window);
    window->has_ghost = !window->has_ghost || !was_descent;
    window->view = VIEW_SINGLE;
    if (was_descent) {
        creatures_select_creature(window, window->current);
        creatures_refit(window, 0);
    } else {
        show_descent(window, VIEW_SINGLE);
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

/* Panels change the width of the picture. */
static void toggle_overlay(struct creature_window *window, int overlay)
{
    int before = creatures_scene_width(window);
    window->overlays ^= (unsigned)overlay;
    rescale(window, before);
}

static void act_brain(struct creature_window *window, int unused)
{
    toggle_overlay(window, DRAW_BRAIN);
    window->pointed.kind = CUT_NONE;
    if (creatures_has_brain(window))
        player_say(&window->player, "click a neuron or a wire to cut it out; x: put all back");
    else
        window->player.toast[0] = 0;
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

#define ON(action, its_value) .on_creatures = action, .value = its_value
static const struct key_row keys[] = {
    {{KEY_RIGHT}, "right", "half a second on", .act = player_jump, .value = 500},
    {{KEY_LEFT}, "left", "half a second back", .act = player_jump, .value = -500},
    {{'g'}, "g", "race of all, or one", ON(toggle_view, VIEW_RACE)},
    {{'a'}, "a", "all in a grid, or one", ON(toggle_view, VIEW_CELLS)},
    {{'['}, "[", "generation before", ON(step_generation, -1)},
    {{']'}, "]", "generation after", ON(step_generation, 1)},
    {{KEY_END}, "End", "newest generation, live", ON(step_generation, INT_MAX)},
    {{'y'}, "y", "the best of each kind of body", .on_creatures = act_kinds},
    {{'v'}, "v", "strip of the champions", KEY_FLAG(creature_window, is_strip)},
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
    {{'l'}, "l", "energy ledger", ON(toggle_overlay, DRAW_LEDGER)},
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
    "pan), the bar to scrub, the curve of a run to choose a generation.",
    "The wheel zooms. Click a creature of a grid twice to see it alone; a neuron or wire to cut it "
    "out, or put it back; speed and number beside the bar.",
    "Files, from a command line: viewer RUN_DIR --export walk.mp4, or .gif .webm .html .png .svg; "
    "a whole run's report: controller report RUN_DIR.",
};

/* ---- the whole ---- */

static void destroy(struct player *player)
{
    struct creature_window *window = (struct creature_window *)player;
    chooser_destroy(window->chooser);
    free(window->grip.deeds);
    cairo_surface_destroy(window->strip_picture);
    free(window);
}

/* As large as the window is, and then seen from the start. */
static void begin(struct player *player)
{
    creatures_refit((struct creature_window *)player, 0);
}

static void resize(struct player *player, int width_px, int height_px)
{
    struct creature_window *window = (struct creature_window *)player;
    struct camera before = fit_camera(window, creatures_scene_width(window));
    player->width = width_px;
    player->height = height_px;
    struct camera after = fit_camera(window, creatures_scene_width(window));
    camera_resize(&window->camera, &before, &after);
}

static void tell_title(const struct player *player, char *text, size_t size)
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

static void name_picture(const struct player *player, char *text, size_t size)
{
    const struct creature_window *window = (const struct creature_window *)player;
    const struct replay *replay = creatures_current_replay(window);
    snprintf(text, size, "%s",
             window->view == VIEW_RACE    ? "race"
             : window->view == VIEW_CELLS ? "grid"
             : replay                     ? replay->name
                                          : "nothing");
}

static const struct content creatures_content = {.keys = keys,
                                                 .key_count = sizeof keys / sizeof keys[0],
                                                 .help_title = "Bestiary viewer",
                                                 .help_lines = help_lines,
                                                 .help_line_count =
                                                     sizeof help_lines / sizeof help_lines[0],
                                                 .speed_most = 16,
                                                 .speed_most_by_click = 4,
                                                 .starts_over = 1,
                                                 .begin = begin,
                                                 .resize = resize,
                                                 .turn_key = turn_key,
                                                 .duration = creatures_duration,
                                                 .tick = tick,
                                                 .restart = restart,
                                                 .step_creature = step_creature,
                                                 .press = creatures_press,
                                                 .press_choice = creatures_press_choice,
                                                 .point = creatures_point,
                                                 .drag = creatures_drag,
                                                 .click = creatures_click,
                                                 .let_go = creatures_let_go,
                                                 .answer = keep,
                                                 .turn_wheel = creatures_turn_wheel,
                                                 .advance = advance,
                                                 .look_for_news = look_for_news,
                                                 .is_still = is_still,
                                                 .scene_box = creatures_scene_box,
                                                 .draw_scene = creatures_draw_scene,
                                                 .draw_panels = creatures_draw_panels,
                                                 .fill_scrub = creatures_fill_scrub,
                                                 .tell_place = creatures_tell_place,
                                                 .tell_title = tell_title,
                                                 .name_picture = name_picture,
                                                 .destroy = destroy};

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
    show_shelf(window);
    return &window->player;
}

void creatures_set_overlays(struct player *player, unsigned overlays)
{
    ((struct creature_window *)player)->overlays = overlays;
    player->is_changed = 1;
}
