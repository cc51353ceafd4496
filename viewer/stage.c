#include "viewer/stage.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/draw_panels.h"

#define SPEED_MIN     0.0625
#define SPEED_MAX     16.0
#define BAR_HEIGHT_PX 40.0
#define BAR_LEFT_PX   52.0
#define BAR_RIGHT_PX  150.0
#define TIMELINE_PX   58.0
#define STRIP_PX      84.0
/* Windows lower than this have no strip. */
#define STRIP_LEAST_PX 420
#define DESCENT_PX     330.0
#define END_PAUSE_S    1.0 /* shows the end for this long, then starts over */
#define TOAST_S        4.0
#define HELP_COLUMN_PX 282
#define ZOOM_STEP      1.15
#define NEWS_S         1.0 /* from look to look */
/* All champions in this time, but none shorter than that. */
#define MOVIE_S       60.0
#define MOVIE_LEAST_S 2.5
/* Movement below which a press is a click, px at ui 1. */
#define CLICK_PX 4.0

enum drag { DRAG_NONE, DRAG_PAN, DRAG_SCRUB, DRAG_TIMELINE };

struct stage {
    struct gallery *gallery;
    int width, height;

    /* what is ready of the gallery's shelf, in its order */
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int index_of[GALLERY_SHOWN_MAX];
    int ready_count;

    enum stage_view view;
    int current; /* index in the gallery */
    int is_playing, is_help, is_quitting, is_changed, is_fullscreen, is_live, has_news;
    int is_strip, is_movie;
    int64_t home_generation; /* to go back to from a line of descent */
    double time_s, speed, cells_zoom, strip_s;
    unsigned overlays;
    struct camera camera;
    struct replay_cut pointed;

    enum drag drag;
    double mouse_x, mouse_y, press_x, press_y;
    int is_click;

    double next_news_s;
    char toast[480], title[256];
    double toast_s; /* left */
};

/* ---- what is shown ---- */

static void collect_ready(struct stage *stage)
{
    stage->ready_count = 0;
    for (int i = 0; i < gallery_count(stage->gallery); i++) {
        const struct replay *replay = gallery_specimen(stage->gallery, i)->replay;
        if (!replay)
            continue;
        stage->index_of[stage->ready_count] = i;
        stage->replays[stage->ready_count++] = replay;
    }
}

/* The place of a creature among those that are ready, or -1. */
static int ready_place(const struct stage *stage, int index)
{
    for (int i = 0; i < stage->ready_count; i++)
        if (stage->index_of[i] == index)
            return i;
    return -1;
}

static const struct replay *current_replay(const struct stage *stage)
{
    int place = ready_place(stage, stage->current);
    return place < 0 ? NULL : stage->replays[place];
}

/* The replays that are played: of a pair the parent first. */
static int shown(const struct stage *stage, const struct replay **replays)
{
    int count = 0;
    if (stage->view == VIEW_RACE || stage->view == VIEW_CELLS) {
        memcpy(replays, stage->replays, (size_t)stage->ready_count * sizeof *replays);
        return stage->ready_count;
    }
    int parent = stage->view == VIEW_PAIR ? ready_place(stage, stage->current + 1) : -1;
    if (parent >= 0)
        replays[count++] = stage->replays[parent];
    if (current_replay(stage))
        replays[count++] = current_replay(stage);
    return count;
}

static double shown_duration(const struct stage *stage)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    double duration = 0;
    int count = shown(stage, replays);
    for (int i = 0; i < count; i++)
        duration = fmax(duration, replay_duration(replays[i]));
    return duration;
}

static int has_run(const struct stage *stage)
{
    int count;
    gallery_generations(stage->gallery, &count);
    return count > 0;
}

/* ---- where things are ---- */

static double ui_scale(const struct stage *stage)
{
    return draw_ui_scale(stage->width, stage->height);
}

/* A low window keeps its room for the picture. */
static int has_strip(const struct stage *stage)
{
    return stage->is_strip && has_run(stage) && stage->height >= STRIP_LEAST_PX;
}

static double panels_height(const struct stage *stage)
{
    double ui = ui_scale(stage), height = BAR_HEIGHT_PX;
    if (has_run(stage))
        height += TIMELINE_PX + (has_strip(stage) ? STRIP_PX : 0);
    return height * ui;
}

static int has_descent(const struct stage *stage)
{
    return gallery_shelf(stage->gallery) == SHELF_LINEAGE;
}

static int scene_left(const struct stage *stage)
{
    return has_descent(stage) ? (int)fmin(DESCENT_PX * ui_scale(stage), 0.5 * stage->width) : 0;
}

static int scene_width(const struct stage *stage)
{
    return stage->width - scene_left(stage);
}

/* Height of the picture above the panels. */
static int scene_height(const struct stage *stage)
{
    return (int)fmax(stage->height - panels_height(stage), 1);
}

static double lane_height(const struct stage *stage)
{
    return draw_lane_height(scene_height(stage), stage->view == VIEW_RACE ? stage->ready_count : 1);
}

static struct draw_view brain_view(const struct stage *stage)
{
    return (struct draw_view){.width_px = scene_width(stage),
                              .height_px = scene_height(stage),
                              .px_per_m = 1,
                              .flip = 1,
                              .ui = draw_ui_scale(scene_width(stage), scene_height(stage))};
}

static struct draw_scrub scrub_of(const struct stage *stage, const struct replay **replays)
{
    double ui = ui_scale(stage), height = BAR_HEIGHT_PX * ui;
    struct draw_scrub scrub = {.box = {BAR_LEFT_PX * ui, stage->height - height + 2 * ui,
                                       fmax(stage->width - (BAR_LEFT_PX + BAR_RIGHT_PX) * ui, 1),
                                       height - 4 * ui, ui},
                               .replays = replays,
                               .count = shown(stage, replays),
                               .marked = -1,
                               .time_s = stage->time_s,
                               .duration_s = shown_duration(stage)};
    for (int i = 0; i < scrub.count; i++)
        if (replays[i] == current_replay(stage))
            scrub.marked = i;
    return scrub;
}

static struct draw_timeline timeline_of(const struct stage *stage)
{
    double ui = ui_scale(stage), height = TIMELINE_PX * ui;
    int count;
    const struct run_generation *generations = gallery_generations(stage->gallery, &count);
    int64_t generation = gallery_generation(stage->gallery);
    if (gallery_shelf(stage->gallery) == SHELF_CHAMPIONS)
        generation = gallery_specimen_generation(stage->gallery, stage->current);
    return (struct draw_timeline){
        .box = {0, stage->height - BAR_HEIGHT_PX * ui - height, stage->width, height, ui},
        .generations = generations,
        .count = count,
        .shown = generation,
        .is_live = stage->is_live && stage->has_news};
}

static struct draw_strip strip_of(const struct stage *stage, struct draw_thumb *thumbs)
{
    double ui = ui_scale(stage);
    struct draw_timeline timeline = timeline_of(stage);
    struct draw_strip strip = {
        .box = {0, timeline.box.y - STRIP_PX * ui, stage->width, STRIP_PX * ui, ui},
        .thumbs = thumbs,
        .count = gallery_strip_count(stage->gallery),
        .marked = -1,
        .time_s = stage->strip_s};
    for (int i = 0; i < strip.count; i++) {
        const struct specimen *specimen = gallery_strip_specimen(stage->gallery, i);
        int64_t generation = gallery_strip_generation(stage->gallery, i);
        thumbs[i].replay = specimen->replay;
        snprintf(thumbs[i].title, sizeof thumbs[i].title, "gen. %lld", (long long)generation);
        snprintf(thumbs[i].text, sizeof thumbs[i].text, "%.3g", specimen->creature.fitness);
        if (generation <= timeline.shown)
            strip.marked = i;
    }
    return strip;
}

static struct draw_descent descent_of(const struct stage *stage, struct draw_step *steps)
{
    struct draw_descent descent = {
        .box = {0, 0, scene_left(stage), scene_height(stage), ui_scale(stage)},
        .steps = steps,
        .count = gallery_count(stage->gallery),
        .marked = stage->current,
        .time_s = stage->time_s};
    for (int i = 0; i < descent.count; i++) {
        const struct specimen *specimen = gallery_specimen(stage->gallery, i);
        const struct creature *creature = &specimen->creature;
        struct draw_thumb *thumb = &steps[i].thumb;
        thumb->replay = specimen->replay;
        snprintf(thumb->title, sizeof thumb->title, "gen. %lld, %.15s",
                 (long long)creature->generation, creature->method);
        snprintf(thumb->text, sizeof thumb->text, "fitness %.3g", creature->fitness);
        steps[i].change = creature->mutations[0]   ? creature->mutations
                          : i + 1 == descent.count ? "the first of its line"
                                                   : "nothing was changed";
    }
    return descent;
}

/* ---- camera and time ---- */

static void look_at_target(struct stage *stage, int is_jump, double dt_s)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int count = shown(stage, replays);
    if (!count)
        return;
    struct vec2 target =
        camera_target(&stage->camera, replays, count, stage->time_s, lane_height(stage));
    if (is_jump)
        camera_jump(&stage->camera, target);
    else if (stage->camera.is_following)
        camera_follow(&stage->camera, target, dt_s);
}

static void refit(struct stage *stage)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int count = shown(stage, replays);
    stage->cells_zoom = 1;
    stage->is_changed = 1;
    if (!count)
        return;
    camera_fit(&stage->camera, replays, count, scene_width(stage), lane_height(stage));
    look_at_target(stage, 1, 0);
}

void stage_seek(struct stage *stage, double time_s)
{
    stage->time_s = fmin(fmax(time_s, 0), shown_duration(stage));
    stage->is_changed = 1;
}

static void start_over(struct stage *stage)
{
    stage->time_s = 0;
    stage->is_changed = 1;
    look_at_target(stage, 1, 0);
}

static void set_toast(struct stage *stage, const char *text)
{
    snprintf(stage->toast, sizeof stage->toast, "%s", text);
    stage->toast_s = TOAST_S;
    stage->is_changed = 1;
}

/* ---- choosing creatures ---- */

static void select_creature(struct stage *stage, int index)
{
    struct error error;
    int count = gallery_count(stage->gallery);
    if (!count)
        return;
    index = (index % count + count) % count;
    stage->pointed.kind = CUT_NONE;
    if (gallery_simulate(stage->gallery, index, &error))
        set_toast(stage, error.message);
    else
        stage->current = index;
    /* its parent is shown beside it */
    if (stage->view == VIEW_PAIR && stage->current + 1 < count)
        gallery_simulate(stage->gallery, stage->current + 1, &error);
    collect_ready(stage);
    stage->is_changed = 1;
}

static void show_creature(struct stage *stage, int index)
{
    select_creature(stage, index);
    stage->time_s = 0;
    refit(stage);
}

/* After the shelf has changed. */
static void show_shelf(struct stage *stage, int index)
{
    stage->current = 0;
    collect_ready(stage);
    show_creature(stage, index);
}

static void show_generation(struct stage *stage, int64_t generation)
{
    struct error error;
    int64_t before = gallery_generation(stage->gallery);
    enum gallery_shelf shelf = gallery_shelf(stage->gallery);
    if (shelf == SHELF_GENERATION && before == generation)
        return;
    if (gallery_show_generation(stage->gallery, generation, &error)) {
        set_toast(stage, error.message);
        return;
    }
    stage->is_movie = 0;
    if (stage->view == VIEW_PAIR)
        stage->view = VIEW_SINGLE;
    show_shelf(stage, 0);
}

/* The generation `steps` after the one that is shown. */
static void step_generation(struct stage *stage, int steps)
{
    struct draw_timeline timeline = timeline_of(stage);
    int at = timeline.count - 1;
    if (!timeline.count)
        return;
    for (int i = 0; i < timeline.count; i++)
        if (timeline.generations[i].number == timeline.shown)
            at = i;
    at = at + steps < 0 ? 0 : at + steps >= timeline.count ? timeline.count - 1 : at + steps;
    stage->is_live = at == timeline.count - 1;
    show_generation(stage, timeline.generations[at].number);
}

static void show_newest(struct stage *stage)
{
    struct draw_timeline timeline = timeline_of(stage);
    if (!timeline.count)
        return;
    stage->is_live = 1;
    show_generation(stage, timeline.generations[timeline.count - 1].number);
}

/* ---- actions ---- */

static void act_play(struct stage *stage)
{
    stage->is_playing = !stage->is_playing;
    if (stage->is_playing && stage->time_s >= shown_duration(stage))
        start_over(stage);
}

static void step(struct stage *stage, int direction)
{
    const struct replay *replay = current_replay(stage);
    if (!replay)
        return;
    stage->is_playing = 0;
    stage_seek(stage, (floor(stage->time_s / replay->frame_s + 0.5) + direction) * replay->frame_s);
}

static void act_step(struct stage *stage)
{
    step(stage, 1);
}

static void act_step_back(struct stage *stage)
{
    step(stage, -1);
}

static void act_forward(struct stage *stage)
{
    stage_seek(stage, stage->time_s + 0.5);
}

static void act_backward(struct stage *stage)
{
    stage_seek(stage, stage->time_s - 0.5);
}

static void act_faster(struct stage *stage)
{
    stage->speed = fmin(stage->speed * 2, SPEED_MAX);
}

static void act_slower(struct stage *stage)
{
    stage->speed = fmax(stage->speed / 2, SPEED_MIN);
}

static void act_restart(struct stage *stage)
{
    stage->is_playing = 1;
    start_over(stage);
}

static void step_creature(struct stage *stage, int direction)
{
    stage->is_movie = 0;
    if (stage->view == VIEW_RACE)
        stage->view = VIEW_SINGLE;
    if (stage->view == VIEW_CELLS)
        select_creature(stage, stage->current + direction);
    else
        show_creature(stage, stage->current + direction);
}

static void act_next(struct stage *stage)
{
    step_creature(stage, 1);
}

static void act_previous(struct stage *stage)
{
    step_creature(stage, -1);
}

static void toggle_view(struct stage *stage, enum stage_view view)
{
    stage->view = stage->view == view || gallery_count(stage->gallery) < 2 ? VIEW_SINGLE : view;
    stage->is_movie = 0;
    stage_seek(stage, stage->time_s);
    refit(stage);
}

static void act_race(struct stage *stage)
{
    toggle_view(stage, VIEW_RACE);
}

static void act_cells(struct stage *stage)
{
    toggle_view(stage, VIEW_CELLS);
}

/* Puts the line of descent of the chosen creature on the shelf; 0, or a toast says why not. */
static int show_descent(struct stage *stage)
{
    struct error error;
    if (!gallery_count(stage->gallery))
        return ERR_MISSING;
    const struct specimen *specimen = gallery_specimen(stage->gallery, stage->current);
    int64_t home = gallery_specimen_generation(stage->gallery, stage->current);
    if (gallery_show_lineage(stage->gallery, specimen->creature.id, &error)) {
        set_toast(stage, error.message);
        return error.code;
    }
    stage->home_generation = home;
    stage->is_live = stage->is_movie = 0;
    return 0;
}

static void leave_descent(struct stage *stage)
{
    stage->view = VIEW_SINGLE;
    show_generation(stage, stage->home_generation);
}

static void act_descent(struct stage *stage)
{
    if (has_descent(stage)) {
        leave_descent(stage);
    } else if (!show_descent(stage)) {
        stage->view = VIEW_SINGLE;
        show_shelf(stage, 0);
    }
}

static void act_pair(struct stage *stage)
{
    if (stage->view == VIEW_PAIR) {
        stage->view = VIEW_SINGLE;
        refit(stage);
    } else if (has_descent(stage)) {
        stage->view = VIEW_PAIR;
        show_creature(stage, stage->current);
    } else if (!show_descent(stage)) {
        stage->view = VIEW_PAIR;
        show_shelf(stage, 0);
    }
}

static void act_movie(struct stage *stage)
{
    struct error error;
    if (gallery_shelf(stage->gallery) == SHELF_CHAMPIONS) {
        show_newest(stage);
        return;
    }
    if (gallery_show_champions(stage->gallery, &error)) {
        set_toast(stage, "only a run has champions of generations");
        return;
    }
    stage->is_movie = stage->is_playing = 1;
    stage->is_live = 0;
    stage->view = VIEW_SINGLE;
    show_shelf(stage, 0);
}

static void act_generation_back(struct stage *stage)
{
    step_generation(stage, -1);
}

static void act_generation_on(struct stage *stage)
{
    step_generation(stage, 1);
}

static void act_strip(struct stage *stage)
{
    stage->is_strip = !stage->is_strip;
}

static void act_follow(struct stage *stage)
{
    stage->camera.is_following = !stage->camera.is_following;
    stage->camera.vx_m_s = stage->camera.vy_m_s = 0;
}

static void zoom(struct stage *stage, double factor, double dx, double dy)
{
    if (stage->view == VIEW_CELLS || stage->view == VIEW_PAIR)
        stage->cells_zoom = fmin(fmax(stage->cells_zoom * factor, 0.05), 20);
    else
        camera_zoom(&stage->camera, factor, dx, dy);
}

static void act_zoom_in(struct stage *stage)
{
    zoom(stage, ZOOM_STEP, 0, 0);
}

static void act_zoom_out(struct stage *stage)
{
    zoom(stage, 1 / ZOOM_STEP, 0, 0);
}

static void act_trail(struct stage *stage)
{
    stage->overlays ^= DRAW_TRAIL;
}

static void act_contacts(struct stage *stage)
{
    stage->overlays ^= DRAW_CONTACTS;
}

static void act_limits(struct stage *stage)
{
    stage->overlays ^= DRAW_LIMITS;
}

static void act_torques(struct stage *stage)
{
    stage->overlays ^= DRAW_TORQUES;
}

static void act_sensors(struct stage *stage)
{
    stage->overlays ^= DRAW_SENSORS;
}

static void act_light(struct stage *stage)
{
    stage->overlays ^= DRAW_LIGHT;
}

static void act_marks(struct stage *stage)
{
    stage->overlays ^= DRAW_UNMARKED;
}

static void act_brain(struct stage *stage)
{
    stage->overlays ^= DRAW_BRAIN;
    stage->pointed.kind = CUT_NONE;
}

static void act_ledger(struct stage *stage)
{
    stage->overlays ^= DRAW_LEDGER;
}

static void act_heal(struct stage *stage)
{
    struct error error;
    if (current_replay(stage) && gallery_heal(stage->gallery, stage->current, &error))
        set_toast(stage, error.message);
    collect_ready(stage);
    stage_seek(stage, stage->time_s);
}

static void act_help(struct stage *stage)
{
    stage->is_help = !stage->is_help;
}

static void act_fullscreen(struct stage *stage)
{
    stage->is_fullscreen = !stage->is_fullscreen;
}

static void act_quit(struct stage *stage)
{
    if (stage->is_help)
        stage->is_help = 0;
    else
        stage->is_quitting = 1;
}

/* ---- drawing the scene ---- */

/* What stands below the title of a creature. */
static void write_caption(const struct stage *stage, int index, char *text, size_t size)
{
    const struct creature *creature = &gallery_specimen(stage->gallery, index)->creature;
    int64_t generation = gallery_specimen_generation(stage->gallery, index);
    int count = gallery_count(stage->gallery);
    switch (gallery_shelf(stage->gallery)) {
    case SHELF_GENERATION:
        snprintf(text, size, "generation %lld, number %d of the best %d", (long long)generation,
                 index + 1, count);
        break;
    case SHELF_CHAMPIONS:
        snprintf(text, size, "champion of generation %lld", (long long)generation);
        break;
    case SHELF_LINEAGE:
        snprintf(text, size, "generation %lld, %s%s%s", (long long)generation, creature->method,
                 creature->mutations[0] ? ": " : "", creature->mutations);
        break;
    default:
        text[0] = 0;
    }
}

static void draw_pair(cairo_t *cr, const struct stage *stage)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    char texts[2][CREATURE_MUTATIONS_SIZE + 80];
    const char *captions[2] = {texts[0], texts[1]};
    int count = shown(stage, replays);
    for (int i = 0; i < count; i++) {
        int is_parent = i == 0 && count == 2;
        int used = snprintf(texts[i], sizeof texts[i], is_parent ? "parent: " : "child: ");
        write_caption(stage, stage->current + is_parent, texts[i] + used,
                      sizeof texts[i] - (size_t)used);
    }
    draw_cells(cr, scene_width(stage), scene_height(stage), replays, captions, count, -1,
               stage->cells_zoom, stage->time_s, stage->overlays);
}

static void draw_single(cairo_t *cr, const struct stage *stage)
{
    const struct replay *replay = current_replay(stage);
    struct draw_view view = brain_view(stage);
    char text[CREATURE_MUTATIONS_SIZE + 80];
    draw_frame(cr, scene_width(stage), scene_height(stage), &replay, 1, &stage->camera,
               stage->time_s, stage->overlays & ~(unsigned)DRAW_BRAIN);
    write_caption(stage, stage->current, text, sizeof text);
    double room = view.width_px * (stage->overlays & DRAW_BRAIN ? 0.45 : 0.8);
    draw_text_lines(cr, text, 14 * view.ui, 43 * view.ui, room, 11.5 * view.ui, 3, COLOR_text_soft);
    if (stage->overlays & DRAW_BRAIN)
        draw_brain(cr, &view, replay, stage->time_s, &stage->pointed);
}

static void draw_waiting(cairo_t *cr, const struct stage *stage)
{
    int width = scene_width(stage), height = scene_height(stage);
    double ui = draw_ui_scale(width, height);
    const char *text = gallery_count(stage->gallery)
                           ? gallery_specimen(stage->gallery, stage->current)->refusal
                           : "The run has not finished a generation yet; this window waits for it.";
    draw_set_color(cr, palette[COLOR_sky_bottom].light, 1);
    cairo_paint(cr);
    draw_text(cr, text, width / 2.0, height / 2.0, 15 * ui, 0, DRAW_CENTRE, COLOR_text_soft);
}

static void draw_scene(const struct stage *stage, cairo_surface_t *surface)
{
    cairo_t *cr = cairo_create(surface);
    if (!current_replay(stage))
        draw_waiting(cr, stage);
    else if (stage->view == VIEW_RACE)
        draw_frame(cr, scene_width(stage), scene_height(stage), stage->replays, stage->ready_count,
                   &stage->camera, stage->time_s, stage->overlays);
    else if (stage->view == VIEW_CELLS)
        draw_cells(cr, scene_width(stage), scene_height(stage), stage->replays, NULL,
                   stage->ready_count, ready_place(stage, stage->current), stage->cells_zoom,
                   stage->time_s, stage->overlays);
    else if (stage->view == VIEW_PAIR)
        draw_pair(cr, stage);
    else
        draw_single(cr, stage);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
}

/* A file name that does not exist yet, from the creature's name and the time. */
static void choose_file_name(const struct stage *stage, char *path, size_t size)
{
    char name[64];
    const struct replay *replay = current_replay(stage);
    const char *from = stage->view == VIEW_RACE    ? "race"
                       : stage->view == VIEW_CELLS ? "grid"
                       : replay                    ? replay->name
                                                   : "nothing";
    size_t used = 0;
    for (; *from && used + 1 < sizeof name; from++)
        name[used++] =
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *from)
                ? *from
                : '_';
    name[used] = 0;
    snprintf(path, size, "%s-%.2fs.png", name, stage->time_s);
    for (int k = 2; access(path, F_OK) == 0 && k < 1000; k++)
        snprintf(path, size, "%s-%.2fs-%d.png", name, stage->time_s, k);
}

static void act_save(struct stage *stage)
{
    char path[128], text[300];
    choose_file_name(stage, path, sizeof path);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, scene_width(stage), scene_height(stage));
    draw_scene(stage, surface);
    cairo_status_t status = cairo_surface_write_to_png(surface, path);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        snprintf(text, sizeof text, "saved %s", path);
    else
        snprintf(text, sizeof text, "%s: %s", path, cairo_status_to_string(status));
    set_toast(stage, text);
}

/* ---- keys ---- */

struct binding {
    int keys[3];
    const char *label, *help;
    void (*act)(struct stage *stage);
};

static const struct binding bindings[] = {
    {{' '}, "space", "play, pause", act_play},
    {{'.'}, ".", "one tick on", act_step},
    {{','}, ",", "one tick back", act_step_back},
    {{STAGE_KEY_RIGHT}, "right", "half a second on", act_forward},
    {{STAGE_KEY_LEFT}, "left", "half a second back", act_backward},
    {{'+', '='}, "+", "twice as fast", act_faster},
    {{'-'}, "-", "half as fast", act_slower},
    {{'r', STAGE_KEY_HOME}, "r", "start again", act_restart},
    {{'n', STAGE_KEY_TAB}, "n, tab", "next creature", act_next},
    {{'p', STAGE_KEY_BACKTAB}, "p", "previous creature", act_previous},
    {{'g'}, "g", "race of all, or one", act_race},
    {{'a'}, "a", "all in a grid, or one", act_cells},
    {{'['}, "[", "generation before", act_generation_back},
    {{']'}, "]", "generation after", act_generation_on},
    {{STAGE_KEY_END}, "End", "newest generation, live", show_newest},
    {{'v'}, "v", "strip of the champions", act_strip},
    {{'e'}, "e", "evolution in one minute", act_movie},
    {{'w'}, "w", "line of descent", act_descent},
    {{'d'}, "d", "beside its parent", act_pair},
    {{'f'}, "f", "camera follows, or stays", act_follow},
    {{STAGE_KEY_UP}, "up, wheel", "zoom in", act_zoom_in},
    {{STAGE_KEY_DOWN}, "down, wheel", "zoom out", act_zoom_out},
    {{'0'}, "0", "zoom and place anew", refit},
    {{'t'}, "t", "trail of the centre of mass", act_trail},
    {{'c'}, "c", "contacts and impulses", act_contacts},
    {{'j'}, "j", "joint angles and limits", act_limits},
    {{'u'}, "u", "torques of the effectors", act_torques},
    {{'i'}, "i", "what sensors feel", act_sensors},
    {{'o'}, "o", "way to the light", act_light},
    {{'m'}, "m", "marks of distance", act_marks},
    {{'b'}, "b", "the living brain", act_brain},
    {{'l'}, "l", "energy ledger", act_ledger},
    {{'x'}, "x", "undo all cuts in the brain", act_heal},
    {{'s'}, "s", "save this picture as png", act_save},
    {{STAGE_KEY_F11}, "F11", "full screen", act_fullscreen},
    {{'h', STAGE_KEY_F1}, "h, F1", "this help", act_help},
    {{'q', STAGE_KEY_ESCAPE}, "q, Esc", "quit", act_quit},
};
#define BINDING_COUNT ((int)(sizeof bindings / sizeof bindings[0]))

void stage_press_key(struct stage *stage, int key)
{
    stage->is_changed = 1;
    for (int i = 0; i < BINDING_COUNT; i++)
        for (int k = 0; k < 3; k++)
            if (bindings[i].keys[k] && bindings[i].keys[k] == key) {
                bindings[i].act(stage);
                return;
            }
}

/* ---- drawing the controls ---- */

static void draw_play_button(cairo_t *cr, const struct stage *stage, double x, double y, double ui)
{
    double r = 7 * ui;
    draw_set_color(cr, palette[COLOR_text].light, 1);
    if (stage->is_playing) {
        cairo_rectangle(cr, x - r * 0.8, y - r, r * 0.6, 2 * r);
        cairo_rectangle(cr, x + r * 0.2, y - r, r * 0.6, 2 * r);
    } else {
        cairo_move_to(cr, x - r * 0.7, y - r);
        cairo_line_to(cr, x + r, y);
        cairo_line_to(cr, x - r * 0.7, y + r);
        cairo_close_path(cr);
    }
    cairo_fill(cr);
}

static void draw_bar(cairo_t *cr, const struct stage *stage, double ui)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct draw_scrub scrub = scrub_of(stage, replays);
    double top = stage->height - BAR_HEIGHT_PX * ui, middle = top + BAR_HEIGHT_PX * ui / 2;
    char text[64], position[32] = "";
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_rectangle(cr, 0, top, stage->width, stage->height - top);
    cairo_fill(cr);
    draw_play_button(cr, stage, 26 * ui, middle, ui);
    draw_scrub(cr, &scrub);
    if (gallery_count(stage->gallery) > 1)
        snprintf(position, sizeof position, "   %d/%d", stage->current + 1,
                 gallery_count(stage->gallery));
    if (stage->speed >= 1)
        snprintf(text, sizeof text, "x%g%s   h: help", stage->speed, position);
    else
        snprintf(text, sizeof text, "x1/%g%s   h: help", 1 / stage->speed, position);
    draw_text(cr, text, stage->width - 14 * ui, middle + 4.5 * ui, 12 * ui, 0, DRAW_RIGHT,
              COLOR_text_soft);
}

static void draw_help(cairo_t *cr, const struct stage *stage, double ui)
{
    int rows = (BINDING_COUNT + 2) / 3;
    /* as large as fits */
    double width = 3 * HELP_COLUMN_PX + 40, height = rows * 21 + 100;
    ui = fmin(ui, fmin(0.98 * stage->width / width, 0.98 * stage->height / height));
    width *= ui;
    height *= ui;
    double x = (stage->width - width) / 2, y = (stage->height - height) / 2;
    draw_panel(cr, x, y, width, height, ui);
    draw_text(cr, "Bestiary viewer", x + 22 * ui, y + 32 * ui, 16 * ui, 1, DRAW_LEFT, COLOR_text);
    for (int i = 0; i < BINDING_COUNT; i++) {
        double left = x + 22 * ui + (i / rows) * HELP_COLUMN_PX * ui,
               line = y + 60 * ui + (i % rows) * 21 * ui;
        draw_text(cr, bindings[i].label, left, line, 12 * ui, 1, DRAW_LEFT, COLOR_part_0);
        draw_text(cr, bindings[i].help, left + 94 * ui, line, 12 * ui, 0, DRAW_LEFT, COLOR_text);
    }
    draw_text(cr,
              "Mouse: drag the picture to pan, the bar to scrub, the curve of a run to choose a "
              "generation; the wheel zooms.",
              x + 22 * ui, y + height - 34 * ui, 11.5 * ui, 0, DRAW_LEFT, COLOR_text_soft);
    draw_text(
        cr,
        "Click a creature of a grid twice to see it alone; a neuron or a wire of the brain to cut "
        "it out, and again to put it back.",
        x + 22 * ui, y + height - 16 * ui, 11.5 * ui, 0, DRAW_LEFT, COLOR_text_soft);
}

static void draw_toast(cairo_t *cr, const struct stage *stage, double ui)
{
    double width = draw_text_width(cr, stage->toast, 13 * ui, 0) + 28 * ui;
    double x = (stage->width - width) / 2, y = scene_height(stage) - 48 * ui;
    draw_panel(cr, x, y, width, 32 * ui, ui);
    draw_text(cr, stage->toast, x + 14 * ui, y + 21 * ui, 13 * ui, 0, DRAW_LEFT, COLOR_text);
}

static void draw_panels(const struct stage *stage, cairo_surface_t *surface)
{
    double ui = ui_scale(stage);
    cairo_t *cr = cairo_create(surface);
    if (has_descent(stage)) {
        struct draw_step steps[GALLERY_SHOWN_MAX];
        struct draw_descent descent = descent_of(stage, steps);
        draw_descent(cr, &descent);
    }
    if (has_run(stage)) {
        struct draw_timeline timeline = timeline_of(stage);
        draw_timeline(cr, &timeline);
        if (has_strip(stage)) {
            struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
            struct draw_strip strip = strip_of(stage, thumbs);
            draw_strip(cr, &strip);
        }
    }
    draw_bar(cr, stage, ui);
    if (stage->is_help)
        draw_help(cr, stage, ui);
    if (stage->toast[0])
        draw_toast(cr, stage, ui);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
}

void stage_draw(struct stage *stage, cairo_surface_t *surface)
{
    cairo_surface_t *scene = cairo_surface_create_for_rectangle(
        surface, scene_left(stage), 0, scene_width(stage), scene_height(stage));
    draw_scene(stage, scene);
    cairo_surface_destroy(scene);
    draw_panels(stage, surface);
    stage->is_changed = 0;
}

/* ---- the mouse ---- */

static int is_in_scene(const struct stage *stage, double x, double y)
{
    return x >= scene_left(stage) && y < scene_height(stage);
}

static int has_brain(const struct stage *stage)
{
    return stage->view == VIEW_SINGLE && stage->overlays & DRAW_BRAIN && current_replay(stage);
}

/* What of the brain is under the mouse. */
static void point(struct stage *stage)
{
    struct draw_view view = brain_view(stage);
    stage->pointed.kind = CUT_NONE;
    if (has_brain(stage) && is_in_scene(stage, stage->mouse_x, stage->mouse_y))
        stage->pointed = draw_brain_pick(&view, current_replay(stage),
                                         stage->mouse_x - scene_left(stage), stage->mouse_y);
}

static void cut_pointed(struct stage *stage)
{
    struct error error;
    struct replay_cut cut = stage->pointed;
    if (gallery_toggle_cut(stage->gallery, stage->current, &cut, &error))
        set_toast(stage, error.message);
    collect_ready(stage);
    stage_seek(stage, stage->time_s);
}

static void choose_time(struct stage *stage, double x)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    struct draw_scrub scrub = scrub_of(stage, replays);
    stage_seek(stage, draw_scrub_pick(&scrub, x));
}

static void choose_generation(struct stage *stage, double x)
{
    struct draw_timeline timeline = timeline_of(stage);
    int index = draw_timeline_pick(&timeline, x);
    if (index < 0)
        return;
    stage->is_live = index == timeline.count - 1;
    show_generation(stage, timeline.generations[index].number);
}

static int press_strip(struct stage *stage, double x, double y)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    if (!has_strip(stage))
        return 0;
    struct draw_strip strip = strip_of(stage, thumbs);
    int index = draw_strip_pick(&strip, x, y);
    if (index >= 0) {
        stage->is_live = 0;
        show_generation(stage, gallery_strip_generation(stage->gallery, index));
    }
    return draw_box_contains(&strip.box, x, y);
}

static int press_descent(struct stage *stage, double x, double y)
{
    struct draw_step steps[GALLERY_SHOWN_MAX];
    if (!has_descent(stage))
        return 0;
    struct draw_descent descent = descent_of(stage, steps);
    int index = draw_descent_pick(&descent, x, y);
    if (index >= 0)
        show_creature(stage, index);
    return draw_box_contains(&descent.box, x, y);
}

void stage_press_mouse(struct stage *stage, double x, double y)
{
    double ui = ui_scale(stage);
    struct draw_timeline timeline = timeline_of(stage);
    stage->is_changed = stage->is_click = 1;
    stage->mouse_x = stage->press_x = x;
    stage->mouse_y = stage->press_y = y;
    point(stage);
    if (stage->is_help) {
        stage->is_help = stage->is_click = 0;
    } else if (y >= stage->height - BAR_HEIGHT_PX * ui) {
        stage->is_click = 0;
        if (x < (BAR_LEFT_PX - 8) * ui) {
            act_play(stage);
        } else {
            stage->drag = DRAG_SCRUB;
            choose_time(stage, x);
        }
    } else if (has_run(stage) && draw_box_contains(&timeline.box, x, y)) {
        stage->drag = DRAG_TIMELINE;
        choose_generation(stage, x);
    } else if (!press_strip(stage, x, y) && !press_descent(stage, x, y)) {
        stage->drag = DRAG_PAN;
    }
}

void stage_move_mouse(struct stage *stage, double x, double y)
{
    double dx = x - stage->mouse_x, dy = y - stage->mouse_y;
    struct replay_cut before = stage->pointed;
    stage->mouse_x = x;
    stage->mouse_y = y;
    if (hypot(x - stage->press_x, y - stage->press_y) > CLICK_PX * ui_scale(stage))
        stage->is_click = 0;
    if (stage->drag == DRAG_NONE)
        point(stage);
    if (stage->drag != DRAG_NONE || memcmp(&before, &stage->pointed, sizeof before) != 0)
        stage->is_changed = 1;
    if (stage->drag == DRAG_SCRUB)
        choose_time(stage, x);
    if (stage->drag == DRAG_TIMELINE)
        choose_generation(stage, x);
    if (stage->drag != DRAG_PAN || stage->is_click || stage->view == VIEW_CELLS ||
        stage->view == VIEW_PAIR)
        return;
    stage->camera.is_following = 0;
    camera_pan(&stage->camera, dx, dy);
}

/* Marks the creature of a grid or a race that is clicked; a marked one of the grid is shown alone. */
static void click_scene(struct stage *stage, double x, double y)
{
    int place = -1;
    if (stage->pointed.kind != CUT_NONE) {
        cut_pointed(stage);
        return;
    }
    x -= scene_left(stage);
    if (stage->view == VIEW_CELLS)
        place = draw_cells_pick(scene_width(stage), scene_height(stage), stage->ready_count, x, y);
    else if (stage->view == VIEW_RACE)
        place = (int)(y / lane_height(stage));
    if (place < 0 || place >= stage->ready_count)
        return;
    if (stage->index_of[place] == stage->current) {
        stage->view = VIEW_SINGLE;
        refit(stage);
    } else {
        select_creature(stage, stage->index_of[place]);
    }
}

void stage_release_mouse(struct stage *stage)
{
    if (stage->drag == DRAG_PAN && stage->is_click &&
        is_in_scene(stage, stage->press_x, stage->press_y))
        click_scene(stage, stage->press_x, stage->press_y);
    stage->drag = DRAG_NONE;
    stage->is_click = 0;
    stage->is_changed = 1;
}

void stage_turn_wheel(struct stage *stage, double clicks, double x, double y)
{
    double dx = x - scene_left(stage) - scene_width(stage) / 2.0;
    double dy = y - scene_height(stage) / 2.0;
    stage->is_changed = 1;
    if (has_descent(stage) && x < scene_left(stage)) {
        int index = stage->current + (clicks < 0 ? 1 : -1);
        if (index >= 0 && index < gallery_count(stage->gallery))
            show_creature(stage, index);
        return;
    }
    if (stage->camera.is_following || stage->view != VIEW_SINGLE)
        dx = dy = 0;
    zoom(stage, pow(ZOOM_STEP, clicks), dx, dy);
}

/* ---- time ---- */

/* The next champion when one has been seen for its share of the minute; the last one stays. */
static void advance_movie(struct stage *stage)
{
    int count = gallery_count(stage->gallery);
    double share_s = fmax(MOVIE_S / count, MOVIE_LEAST_S) * stage->speed;
    if (stage->time_s < fmin(share_s, shown_duration(stage) + END_PAUSE_S * stage->speed))
        return;
    if (stage->current + 1 < count)
        show_creature(stage, stage->current + 1);
    else
        stage->is_movie = 0;
}

void stage_advance(struct stage *stage, double dt_s)
{
    if (gallery_work(stage->gallery))
        stage->is_changed = 1;
    collect_ready(stage);
    if (stage->is_playing && stage->drag != DRAG_SCRUB) {
        stage->time_s += dt_s * stage->speed;
        stage->strip_s += dt_s * stage->speed;
        if (stage->is_movie)
            advance_movie(stage);
        if (stage->time_s > shown_duration(stage) + END_PAUSE_S * stage->speed) {
            stage->time_s = 0;
            look_at_target(stage, stage->camera.is_following, 0);
        }
    }
    look_at_target(stage, 0, dt_s);
    stage->toast_s -= dt_s;
    if (stage->toast[0] && stage->toast_s <= 0) {
        stage->toast[0] = 0;
        stage->is_changed = 1;
    }
}

/* The newest generation takes the place of the one before; who leads still goes on where it is. */
static void follow_run(struct stage *stage)
{
    struct error error;
    uint64_t leader =
        gallery_count(stage->gallery) ? gallery_specimen(stage->gallery, 0)->creature.id : 0;
    int was_first = stage->current == 0;
    if (gallery_show_generation(stage->gallery, -1, &error)) {
        set_toast(stage, error.message);
        return;
    }
    collect_ready(stage);
    if (was_first && leader == gallery_specimen(stage->gallery, 0)->creature.id) {
        stage->is_changed = 1;
        return;
    }
    char text[160];
    show_shelf(stage, 0);
    snprintf(text, sizeof text, "generation %lld: a new champion, fitness %.3g",
             (long long)gallery_generation(stage->gallery),
             gallery_specimen(stage->gallery, 0)->creature.fitness);
    set_toast(stage, text);
}

void stage_look_for_news(struct stage *stage, double now_s)
{
    struct error error;
    int added;
    if (now_s < stage->next_news_s)
        return;
    stage->next_news_s = now_s + NEWS_S;
    if (gallery_refresh(stage->gallery, &added, &error)) {
        set_toast(stage, error.message);
        return;
    }
    if (!added)
        return;
    stage->has_news = stage->is_changed = 1;
    /* the strip has other champions now; what is on the shelf stays */
    collect_ready(stage);
    if (stage->is_live || !gallery_count(stage->gallery))
        follow_run(stage);
}

int stage_is_still(const struct stage *stage)
{
    return !stage->is_playing && !stage->is_changed && !stage->toast[0] &&
           hypot(stage->camera.vx_m_s, stage->camera.vy_m_s) < 1e-3;
}

/* ---- the whole ---- */

struct stage *stage_create(struct gallery *gallery, int is_live)
{
    struct stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return NULL;
    stage->gallery = gallery;
    stage->is_live = is_live;
    stage->speed = stage->cells_zoom = 1;
    stage->is_playing = stage->is_changed = stage->is_strip = 1;
    stage->overlays = DRAW_TRAIL;
    stage->width = 960;
    stage->height = 540;
    show_shelf(stage, 0);
    return stage;
}

void stage_destroy(struct stage *stage)
{
    free(stage);
}

void stage_resize(struct stage *stage, int width_px, int height_px)
{
    int before = stage->height;
    stage->width = width_px;
    stage->height = height_px;
    stage->camera.px_per_m *= (double)height_px / before;
    stage->is_changed = 1;
}

int stage_is_quitting(const struct stage *stage)
{
    return stage->is_quitting;
}

int stage_is_fullscreen(const struct stage *stage)
{
    return stage->is_fullscreen;
}

const char *stage_title(struct stage *stage)
{
    const struct replay *replay = current_replay(stage);
    if (!replay)
        snprintf(stage->title, sizeof stage->title, "waiting - Bestiary");
    else if (stage->view == VIEW_RACE)
        snprintf(stage->title, sizeof stage->title, "race of %d - Bestiary", stage->ready_count);
    else
        snprintf(stage->title, sizeof stage->title, "%s - %s - %s - Bestiary", replay->name,
                 replay->score, replay_status_names[replay->status]);
    return stage->title;
}

enum stage_view stage_view(const struct stage *stage)
{
    return stage->view;
}

double stage_time(const struct stage *stage)
{
    return stage->time_s;
}

int stage_is_playing(const struct stage *stage)
{
    return stage->is_playing;
}

int stage_current(const struct stage *stage)
{
    return stage->current;
}

void stage_set_overlays(struct stage *stage, unsigned overlays)
{
    stage->overlays = overlays;
    stage->is_changed = 1;
}

unsigned stage_overlays(const struct stage *stage)
{
    return stage->overlays;
}

struct replay_cut stage_pointed(const struct stage *stage)
{
    return stage->pointed;
}

#endif
