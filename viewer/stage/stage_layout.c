/* The shown part of the gallery, and the places of all things in the window: the picture, and below
 * it the strip of champions, the timeline of the run and the bar of time; on the left a line of
 * descent. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

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

void stage_collect_ready(struct stage *stage)
{
    stage->ready_count = 0;
    for (int i = 0; i < stage->gallery->shown.count; i++) {
        const struct replay *replay = gallery_specimen(stage->gallery, i)->replay;
        if (!replay)
            continue;
        stage->index_of[stage->ready_count] = i;
        stage->replays[stage->ready_count++] = replay;
    }
}

/* The place of a creature among those that are ready, or -1. */
int stage_ready_place(const struct stage *stage, int index)
{
    for (int i = 0; i < stage->ready_count; i++)
        if (stage->index_of[i] == index)
            return i;
    return -1;
}

const struct replay *stage_current_replay(const struct stage *stage)
{
    int place = stage_ready_place(stage, stage->current);
    return place < 0 ? NULL : stage->replays[place];
}

/* The replays that are played: of a pair the parent first. */
int stage_shown(const struct stage *stage, const struct replay **replays)
{
    int count = 0;
    if (stage->view == VIEW_RACE || stage->view == VIEW_CELLS) {
        memcpy(replays, stage->replays, (size_t)stage->ready_count * sizeof *replays);
        return stage->ready_count;
    }
    int parent = stage->view == VIEW_PAIR ? stage_ready_place(stage, stage->current + 1) : -1;
    if (parent >= 0)
        replays[count++] = stage->replays[parent];
    if (stage_current_replay(stage))
        replays[count++] = stage_current_replay(stage);
    return count;
}

double stage_duration(const struct player *player)
{
    const struct stage *stage = (const struct stage *)player;
    const struct replay *replays[GALLERY_SHOWN_MAX];
    double duration = 0;
    int count = stage_shown(stage, replays);
    for (int i = 0; i < count; i++)
        duration = fmax(duration, replay_duration(replays[i]));
    return duration;
}

int stage_has_run(const struct stage *stage)
{
    return stage->gallery->generation_count > 0;
}

/* ---- where things are ---- */

/* A low window keeps its room for the picture. */
int stage_has_strip(const struct stage *stage)
{
    return stage->is_strip && stage_has_run(stage) && stage->player.height >= STRIP_LEAST_PX;
}

static double panels_height(const struct stage *stage)
{
    double ui = player_ui(&stage->player), height = BAR_HEIGHT_PX;
    if (stage_has_run(stage))
        height += TIMELINE_PX + (stage_has_strip(stage) ? STRIP_PX : 0);
    if (stage_has_choices(stage))
        height += CHOICES_PX;
    return height * ui;
}

int stage_has_descent(const struct stage *stage)
{
    return stage->gallery->kind == SHELF_LINEAGE;
}

int stage_scene_left(const struct stage *stage)
{
    return stage_has_descent(stage)
               ? (int)fmin(DESCENT_PX * player_ui(&stage->player), 0.5 * stage->player.width)
               : 0;
}

int stage_room_width(const struct stage *stage)
{
    return stage->player.width - stage_scene_left(stage);
}

int stage_has_brain(const struct stage *stage)
{
    return stage->view == VIEW_SINGLE && stage->overlays & DRAW_BRAIN &&
           stage_current_replay(stage);
}

int stage_scene_width(const struct stage *stage)
{
    int room = stage_room_width(stage);
    if (!stage_has_brain(stage))
        return room;
    struct draw_view view = stage_brain_view(stage);
    int brain = (int)ceil(draw_brain_width(&view, stage_current_replay(stage)));
    return room > brain ? room - brain : 1;
}

/* Height of the picture above the panels. */
int stage_scene_height(const struct stage *stage)
{
    return (int)fmax(stage->player.height - panels_height(stage), 1);
}

double stage_lane_height(const struct stage *stage)
{
    return draw_lane_height(stage_scene_height(stage),
                            stage->view == VIEW_RACE ? stage->ready_count : 1);
}

/* A ledger stands below the brain, which leaves it room where it would be high. */
struct draw_view stage_brain_view(const struct stage *stage)
{
    const struct replay *replay = stage_current_replay(stage);
    struct draw_view view = {.width_px = stage_room_width(stage),
                             .height_px = stage_scene_height(stage),
                             .px_per_m = 1,
                             .flip = 1,
                             .ui =
                                 draw_ui_scale(stage_room_width(stage), stage_scene_height(stage))};
    if (replay && stage->overlays & DRAW_LEDGER)
        view.height_px =
            fmax(view.height_px - draw_ledger_height(&view, replay) + LEDGER_OVERLAP_PX * view.ui,
                 0.5 * view.height_px);
    return view;
}

struct draw_box stage_scene_box(const struct player *player)
{
    const struct stage *stage = (const struct stage *)player;
    return (struct draw_box){stage_scene_left(stage), 0, stage_room_width(stage),
                             stage_scene_height(stage), player_ui(player)};
}

/* The curves of all that is shown. */
void stage_fill_scrub(const struct player *player, struct draw_scrub *scrub,
                      const struct replay **replays)
{
    const struct stage *stage = (const struct stage *)player;
    _Static_assert(PLAYER_CURVES_MAX >= GALLERY_SHOWN_MAX, "all creatures have a curve");
    scrub->count = stage_shown(stage, replays);
    for (int i = 0; i < scrub->count; i++)
        if (replays[i] == stage_current_replay(stage))
            scrub->marked = i;
}

void stage_tell_place(const struct player *player, char *text, size_t size)
{
    const struct stage *stage = (const struct stage *)player;
    if (stage->gallery->shown.count > 1)
        snprintf(text, size, "%d/%d", stage->current + 1, stage->gallery->shown.count);
}

struct draw_timeline stage_timeline_of(const struct stage *stage)
{
    double ui = player_ui(&stage->player), height = TIMELINE_PX * ui;
    int64_t generation = stage->gallery->generation;
    if (stage->gallery->kind == SHELF_CHAMPIONS)
        generation = stage->gallery->shown.generations[stage->current];
    return (struct draw_timeline){.box = {0, stage->player.height - BAR_HEIGHT_PX * ui - height,
                                          stage->player.width, height, ui},
                                  .generations = stage->gallery->generations,
                                  .count = stage->gallery->generation_count,
                                  .shown = generation,
                                  .is_live = stage->is_live && stage->has_news,
                                  .has_no_goal = stage->gallery->choosing.has_no_goal};
}

/* How a creature is named: by its fitness, or by its number where all have the same fitness. */
static void tell_creature(const struct stage *stage, const struct creature *creature,
                          const char *before, char text[48])
{
    if (stage->gallery->choosing.has_no_goal)
        snprintf(text, 48, "no. %llu", (unsigned long long)creature->id);
    else
        snprintf(text, 48, "%s%.3g", before, creature->fitness);
}

struct draw_strip stage_strip_of(const struct stage *stage, struct draw_thumb *thumbs)
{
    double ui = player_ui(&stage->player);
    struct draw_timeline timeline = stage_timeline_of(stage);
    struct draw_strip strip = {
        .box = {0, timeline.box.y - STRIP_PX * ui, stage->player.width, STRIP_PX * ui, ui},
        .thumbs = thumbs,
        .count = stage->gallery->strip.count,
        .marked = -1,
        .time_s = stage->strip_s};
    for (int i = 0; i < strip.count; i++) {
        const struct specimen *specimen = stage->gallery->strip.items[i];
        int64_t generation = stage->gallery->strip.generations[i];
        thumbs[i].replay = specimen->replay;
        snprintf(thumbs[i].title, sizeof thumbs[i].title, "gen. %lld", (long long)generation);
        tell_creature(stage, &specimen->creature, "", thumbs[i].text);
        if (generation <= timeline.shown)
            strip.marked = i;
    }
    return strip;
}

struct draw_descent stage_descent_of(const struct stage *stage, struct draw_step *steps)
{
    struct draw_descent descent = {.box = {0, 0, stage_scene_left(stage), stage_scene_height(stage),
                                           player_ui(&stage->player)},
                                   .steps = steps,
                                   .count = stage->gallery->shown.count,
                                   .marked = stage->current,
                                   .time_s = stage->player.time_s};
    for (int i = 0; i < descent.count; i++) {
        const struct specimen *specimen = gallery_specimen(stage->gallery, i);
        const struct creature *creature = &specimen->creature;
        struct draw_thumb *thumb = &steps[i].thumb;
        thumb->replay = specimen->replay;
        snprintf(thumb->title, sizeof thumb->title, "gen. %lld, %.15s",
                 (long long)creature->generation, creature->method);
        tell_creature(stage, creature, "fitness ", thumb->text);
        steps[i].change = creature->mutations[0]   ? creature->mutations
                          : i + 1 == descent.count ? "the first of its line"
                                                   : "nothing was changed";
    }
    return descent;
}

#endif
