/* The shown part of the gallery, and the places of all things in the window: the picture, and below
 * it the strip of champions, the timeline of the run and the bar of time; on the left a line of
 * descent. */
#include "viewer/window/creature_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIMELINE_PX 58.0
#define STRIP_PX    84.0
/* Windows lower than this have no strip. */
#define STRIP_LEAST_PX 420
#define DESCENT_PX     330.0
/* The brain's panel leaves this much free at its foot. */
#define LEDGER_OVERLAP_PX 50.0

/* ---- what is shown ---- */

void creatures_collect_ready(struct creature_window *window)
{
    window->ready_count = 0;
    for (int i = 0; i < window->gallery->shown.count; i++) {
        const struct replay *replay = gallery_specimen(window->gallery, i)->replay;
        if (!replay)
            continue;
        window->index_of[window->ready_count] = i;
        window->replays[window->ready_count++] = replay;
    }
}

int creatures_ready_place(const struct creature_window *window, int index)
{
    for (int i = 0; i < window->ready_count; i++)
        if (window->index_of[i] == index)
            return i;
    return -1;
}

const struct replay *creatures_current_replay(const struct creature_window *window)
{
    int place = creatures_ready_place(window, window->current);
    return place < 0 ? NULL : window->replays[place];
}

int creatures_parent_place(const struct creature_window *window)
{
    return creatures_has_descent(window) ? creatures_ready_place(window, window->current + 1) : -1;
}

int creatures_shown(const struct creature_window *window, const struct replay **replays)
{
    int count = 0;
    if (window->view == VIEW_RACE || window->view == VIEW_CELLS) {
        memcpy(replays, window->replays, (size_t)window->ready_count * sizeof *replays);
        return window->ready_count;
    }
    int parent = window->view == VIEW_PAIR ? creatures_parent_place(window) : -1;
    if (parent >= 0)
        replays[count++] = window->replays[parent];
    if (creatures_current_replay(window))
        replays[count++] = creatures_current_replay(window);
    return count;
}

double creatures_duration(const struct player *player)
{
    const struct creature_window *window = (const struct creature_window *)player;
    const struct replay *replays[GALLERY_SHOWN_MAX];
    double duration = window->grip.live ? window->grip.duration_s : 0;
    int count = creatures_shown(window, replays);
    for (int i = 0; i < count; i++)
        duration = fmax(duration, replay_duration(replays[i]));
    return duration;
}

int creatures_has_run(const struct creature_window *window)
{
    return window->gallery->generation_count > 0;
}

/* ---- where things are ---- */

int creatures_has_strip(const struct creature_window *window)
{
    return window->is_strip && creatures_has_run(window) && window->player.height >= STRIP_LEAST_PX;
}

int creatures_has_descent(const struct creature_window *window)
{
    return window->gallery->kind == SHELF_LINEAGE;
}

int creatures_scene_left(const struct creature_window *window)
{
    return creatures_has_descent(window)
               ? (int)fmin(DESCENT_PX * player_ui(&window->player), 0.5 * window->player.width)
               : 0;
}

/* Width of what is between that and the right edge: the creature, and beside it its brain. */
static int room_width(const struct creature_window *window)
{
    return window->player.width - creatures_scene_left(window);
}

int creatures_has_brain(const struct creature_window *window)
{
    return window->view == VIEW_SINGLE && window->overlays & DRAW_BRAIN &&
           creatures_current_replay(window);
}

int creatures_scene_width(const struct creature_window *window)
{
    int room = room_width(window);
    if (!creatures_has_brain(window))
        return room;
    struct draw_view view = creatures_brain_view(window);
    int brain = (int)ceil(draw_brain_width(&view, creatures_current_replay(window)));
    return room > brain ? room - brain : 1;
}

int creatures_scene_height(const struct creature_window *window)
{
    double panels = BAR_HEIGHT_PX;
    if (creatures_has_run(window))
        panels += TIMELINE_PX + (creatures_has_strip(window) ? STRIP_PX : 0);
    if (creatures_has_choices(window))
        panels += CHOICES_PX;
    return (int)fmax(window->player.height - panels * player_ui(&window->player), 1);
}

double creatures_lane_height(const struct creature_window *window)
{
    return draw_lane_height(creatures_scene_height(window),
                            window->view == VIEW_RACE ? window->ready_count : 1);
}

/* A ledger stands below the brain, which leaves it room where it would be high. */
struct draw_view creatures_brain_view(const struct creature_window *window)
{
    const struct replay *replay = creatures_current_replay(window);
    struct draw_view view = {.width_px = room_width(window),
                             .height_px = creatures_scene_height(window),
                             .px_per_m = 1,
                             .flip = 1,
                             .ui =
                                 draw_ui_scale(room_width(window), creatures_scene_height(window))};
    if (replay && window->overlays & DRAW_LEDGER)
        view.height_px =
            fmax(view.height_px - draw_ledger_height(&view, replay) + LEDGER_OVERLAP_PX * view.ui,
                 0.5 * view.height_px);
    return view;
}

struct draw_box creatures_scene_box(const struct player *player)
{
    const struct creature_window *window = (const struct creature_window *)player;
    return (struct draw_box){creatures_scene_left(window), 0, room_width(window),
                             creatures_scene_height(window), player_ui(player)};
}

/* The curves of all that is shown. */
void creatures_fill_scrub(const struct player *player, struct draw_scrub *scrub,
                          const struct replay **replays)
{
    const struct creature_window *window = (const struct creature_window *)player;
    _Static_assert(PLAYER_CURVES_MAX >= GALLERY_SHOWN_MAX, "all creatures have a curve");
    scrub->count = creatures_shown(window, replays);
    for (int i = 0; i < scrub->count; i++)
        if (replays[i] == creatures_current_replay(window))
            scrub->marked = i;
}

void creatures_tell_place(const struct player *player, char *text, size_t size)
{
    const struct creature_window *window = (const struct creature_window *)player;
    if (window->gallery->shown.count > 1)
        snprintf(text, size, "%d/%d", window->current + 1, window->gallery->shown.count);
}

struct draw_timeline creatures_timeline_of(const struct creature_window *window)
{
    double ui = player_ui(&window->player), height = TIMELINE_PX * ui;
    int64_t generation = window->gallery->generation;
    if (window->gallery->kind == SHELF_CHAMPIONS)
        generation = window->gallery->shown.generations[window->current];
    return (struct draw_timeline){.box = {0, window->player.height - BAR_HEIGHT_PX * ui - height,
                                          window->player.width, height, ui},
                                  .generations = window->gallery->generations,
                                  .count = window->gallery->generation_count,
                                  .shown = generation,
                                  .is_live = window->is_live && window->has_news,
                                  .has_no_goal = window->gallery->choosing.has_no_goal};
}

/* How a creature is named: by its fitness, or by its number where all have the same fitness. */
static void tell_creature(const struct creature_window *window, const struct creature *creature,
                          const char *before, char text[48])
{
    if (window->gallery->choosing.has_no_goal)
        snprintf(text, 48, "no. %llu", (unsigned long long)creature->id);
    else
        snprintf(text, 48, "%s%.3g", before, creature->fitness);
}

struct draw_strip creatures_strip_of(const struct creature_window *window,
                                     struct draw_thumb *thumbs)
{
    double ui = player_ui(&window->player);
    struct draw_timeline timeline = creatures_timeline_of(window);
    struct draw_strip strip = {
        .box = {0, timeline.box.y - STRIP_PX * ui, window->player.width, STRIP_PX * ui, ui},
        .thumbs = thumbs,
        .count = window->gallery->strip.count,
        .marked = -1,
        .time_s = window->strip_s};
    for (int i = 0; i < strip.count; i++) {
        const struct specimen *specimen = window->gallery->strip.items[i];
        int64_t generation = window->gallery->strip.generations[i];
        thumbs[i].replay = specimen->replay;
        snprintf(thumbs[i].title, sizeof thumbs[i].title, "gen. %lld", (long long)generation);
        tell_creature(window, &specimen->creature, "", thumbs[i].text);
        if (generation <= timeline.shown)
            strip.marked = i;
    }
    return strip;
}

struct draw_descent creatures_descent_of(const struct creature_window *window,
                                         struct draw_step *steps)
{
    struct draw_descent descent = {.box = {0, 0, creatures_scene_left(window),
                                           creatures_scene_height(window),
                                           player_ui(&window->player)},
                                   .steps = steps,
                                   .count = window->gallery->shown.count,
                                   .marked = window->current,
                                   .time_s = window->player.time_s};
    for (int i = 0; i < descent.count; i++) {
        const struct specimen *specimen = gallery_specimen(window->gallery, i);
        const struct creature *creature = &specimen->creature;
        struct draw_thumb *thumb = &steps[i].thumb;
        thumb->replay = specimen->replay;
        snprintf(thumb->title, sizeof thumb->title, "gen. %lld, %.15s",
                 (long long)creature->generation, creature->method);
        tell_creature(window, creature, "fitness ", thumb->text);
        steps[i].change = creature->mutations[0]   ? creature->mutations
                          : i + 1 == descent.count ? "the first of its line"
                                                   : "nothing was changed";
    }
    return descent;
}
